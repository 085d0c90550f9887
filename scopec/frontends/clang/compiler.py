"""Runs clang: the text of a ``.cu`` file to the LLVM IR of both sides, or to its errors.

No CUDA toolkit and no standard library is read: what a program includes is ``scopec/shims/`` and the headers that
belong to clang itself (``<stdint.h>`` and kin).
"""

from __future__ import annotations

import atexit
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, EngineError, InputError, suggestion
from scopec.base.files import shown_source
from scopec.base.records import dataclass
from scopec.base.scratch import make_scratch_folder, remove_scratch_folder
from scopec.base.source import Source, Span
from scopec.base.visible import may_show
from scopec.frontends.clang.command import Clang, environment, found, reading, shims
from scopec.frontends.clang.dependencies import dependencies
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.kept import remembered
from scopec.frontends.clang.running import Run, finished

if TYPE_CHECKING:
    from scopec.base.cache import Cache

_CODE = ("-emit-llvm", "-o", "-")
_TREE = ("-ast-dump",)
_EXPANDED = ("-E", "-o", "-")
#: So many are read without being worth to be prepared for.
_FEW = 4
_SIDES = ("device", "host")
_MOST_NOTES = 3
_NO_FLAGS = Flags()
#: Of an error in a file that may not be shown: what clang says of it has words of the file.
_HIDDEN = "clang finds an error in this file, which is outside the repository and not shown"
_MESSAGE = re.compile(
    r"(?:(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): |clang: |zig: |)"
    r"(?P<kind>fatal error|error|note): (?P<text>.*)"
)
#: What kind of error a message of clang's tells of: the first whose words are in it.
_KINDS = {
    code: re.compile(words)
    for code, words in {
        Code.UNTERMINATED: r"^unterminated|^missing terminating",
        Code.UNKNOWN_TYPE: r"^unknown type name|^no (?:type|template) named",
        Code.UNKNOWN_NAME: r"undeclared identifier|^no member named",
        Code.BAD_ARGUMENTS: r"^no matching (?:member )?(?:function|constructor)|^too (?:few|many) arguments",
        Code.DUPLICATE: r"^redefinition|^redeclaration|^duplicate",
        Code.NOT_CONSTANT: r"not an? (?:integral )?constant expression|initialized by a constant expression",
        Code.TYPE_ERROR: r"^invalid operands|^cannot (?:assign|initialize)|^no viable|^incompatible|^assigning to"
        r"|not assignable|^indirection requires|^called object type|^member reference|^invalid argument type",
        Code.SYNTAX: r"^expected|^extraneous|^unexpected",
        Code.CPLUSPLUS: "",
    }.items()
}
#: A name of CUDA's that no header of scopec's declares.
_OF_CUDA = re.compile(r"(?:use of undeclared identifier|unknown type name) '((?:cuda|cu)[A-Z]\w*)'")
_WORDS = ("else", "while", "return", "for", "break", "continue", "int", "unsigned", "bool", "char", "void", "constexpr")
#: A word that clang knows nothing of, and words of CUDA C++ that it offers none of.
_UNKNOWN = re.compile(r"(?:use of undeclared identifier|unknown type name) '(\w+)'")
_KNOWN = ("__global__", "__device__", "__shared__", "__managed__", "__constant__", "__host__", *_WORDS)
_LINE = re.compile(r'#line (\d+)(?: ".*")?')
_NO_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONG_WORD = re.compile(r"\w{1000}")
_WORD = re.compile(r"\w+|.")


class Refused(InputError):
    """clang does not take a text for C++."""


@dataclass(frozen=True)
class Compiled:
    """LLVM IR of both sides, as text."""

    device: str = field(repr=False)
    host: str = field(repr=False)


def compiled(
    text: str, shown: str, folder: Path, flags: Flags = _NO_FLAGS, entries: Cache | None = None,
    quotable: tuple[Path, ...] = (),
) -> Compiled:  # fmt: skip
    """Compile a program for the device and for the host.

    ``text`` is what the file has (or shall have), ``shown`` its name in places, ``folder`` where its quoted includes
    begin; ``entries`` are what earlier calls made; files in ``quotable`` may be shown beside it.

    Raises Refused with every error of clang, InputError where the text is too much for it or takes in what is no header
    and may not be shown, EngineError if there is no clang or it does not run.
    """
    clang, given = found(), _given(text, shown, flags)
    plain = [_command(clang, side, text, flags) for side in _SIDES]
    more = "include" in text or "embed" in text

    def made() -> list[str]:
        with dependencies(clang.resources, needed=more) as listed:
            ready = [*plain] if flags.folders else [_prepared(command) for command in plain]
            runs = _run([[*c, *_CODE, *listed.arguments(n)] for n, c in enumerate(ready)], given, folder)
            if ready != plain and any(run.status for run in runs):  # what is precompiled changes what is said of names
                runs = _run([[*c, *_CODE, *listed.arguments(n)] for n, c in enumerate(plain)], given, folder)
            codes = _codes(runs, _presumed(text, shown, quotable), folder)
            listed.check(Source(shown, text, quotable), folder)
            return codes

    asked = [*(word for command in plain for word in command), *_CODE, *map(str, quotable if more else ())]
    return Compiled(*_remembered(clang, entries, made, asked, given, folder, flags))


def _codes(runs: list[Run], source: Source, folder: Path) -> list[str]:
    """The code of both sides; errors for what clang says."""
    if any(run.status < 0 for run in runs):  # a signal
        message = "clang came to grief over this text; expressions nested by the thousand do that"
        raise InputError(Diagnostic(Code.TOO_LARGE, message, source.span(0, 0), "write shorter expressions"))
    errors = list(dict.fromkeys(d for run in runs for d in _errors(run.messages, source, folder)))
    if errors:
        raise Refused(*errors)
    return _outputs(runs)


def _remembered(
    clang: Clang, entries: Cache | None, make: Callable[[], list[str]], asked: list[str], given: bytes, folder: Path,
    flags: Flags,
) -> list[str]:  # fmt: skip
    text, folders = given.decode(errors="surrogateescape"), [include.absolute() for include in flags.folders]
    return remembered(entries, make, asked, clang, text, folder, folders, shims())


def _command(clang: Clang, side: str, text: str, flags: Flags) -> list[str]:
    """The command for a side, but for what is to become of it."""
    command = [*reading(clang, side, flags.std), "-I", str(shims())]
    command += [part for include in flags.folders for part in ("-I", str(include.absolute()))]
    if _LONG_WORD.search(text):  # compared with every name there is, for hours
        command.append("-fno-spell-checking")
    return [*command, *flags.macros, *_first()]


def _given(text: str, shown: str, flags: Flags) -> bytes:
    """What clang reads."""
    forced = "".join(f"#include {_quoted(str(header.absolute()))}\n" for header in flags.forced)
    return f"{forced}# 1 {_quoted(told(shown))}\n{text}".encode(errors="surrogateescape")


def expanded(
    text: str, shown: str, folder: Path, side: str, flags: Flags = _NO_FLAGS, entries: Cache | None = None
) -> tuple[str, str]:
    """What :func:`compiled` gives for a side (``device`` or ``host``), and its syntax tree, without macros: every word
    has a place of its own, on the line that it has in the file.

    Raises EngineError if clang fails.
    """
    clang, given = found(), _given(text, shown, flags)
    expand, again = [*_command(clang, side, text, flags), *_EXPANDED], reading(clang, side, flags.std)

    def made() -> list[str]:
        (read,) = _outputs(_run([expand], given, folder))
        commands = [[*again, *_CODE], [*again, *_TREE]]
        return _outputs(_run(commands, read.encode(errors="surrogateescape"), folder))

    code, tree = _remembered(clang, entries, made, [*expand, *_CODE, *_TREE], given, folder, flags)
    return code, tree


def _run(commands: list[list[str]], given: bytes, folder: Path) -> list[Run]:
    """Commands that ran in a folder, which is what it is called where clang says where a file is."""
    place = (f"-fdebug-compilation-dir={folder}", f"-fdebug-prefix-map=./={folder}/")
    return finished([[*command, *place] for command in commands], given, folder, environment())


class _Precompiled:
    """What clang reads before every file, as clang keeps it: made where a call reads many files in one way."""

    def __init__(self) -> None:
        self._asked: Counter[tuple[str, ...]] = Counter()
        self._made: dict[tuple[str, ...], Path | None] = {}
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def of(self, command: tuple[str, ...]) -> Path | None:
        """The file for a command; None if it is not worth while, or clang makes none."""
        with self._lock:
            self._asked[command] += 1
            if self._asked[command] > _FEW and command not in self._made:
                if self._folder is None:
                    self._folder = make_scratch_folder()
                    atexit.register(remove_scratch_folder, self._folder)
                file = self._folder / f"{len(self._made)}.pch"
                (run,) = finished([[*command, "-emit-pch", "-o", str(file)]], b"", self._folder, environment())
                self._made[command] = file if run.status == 0 else None
            return self._made.get(command)


_precompiled = _Precompiled()


def _prepared(command: list[str]) -> list[str]:
    """The same command, where what it reads first was read before."""
    kept = _precompiled.of(tuple(command))
    return command if kept is None else [*command[: -len(_first())], "-include-pch", str(kept)]


def _first() -> tuple[str, str]:
    """What every file begins with."""
    return ("-include", str(shims() / "scopec_cuda.h"))


def _outputs(runs: list[Run]) -> list[str]:
    """What commands wrote; EngineError if one failed."""
    for run in runs:
        if run.status:
            raise EngineError(f"clang failed: {(run.messages.strip() or f'exit status {run.status}')[:300]}")
    return [run.output for run in runs]


def after(library: str, text: str, shown: str) -> str:
    """A text after another, which counts as the library's where clang speaks of it."""
    own, name = _quoted(str(shims() / "scopec" / "before.h")), _quoted(told(shown))
    return f"#line 1 {own}\n{library}\n#line 1 {name}\n{text}"


def told(name: str) -> str:
    """What clang is told that a file is called: it writes names as they are, and a line is a line."""
    return _NO_LINE.sub("_", name)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---------------------------------------------------------------- what clang says


@dataclass
class _Message:
    """An error, with the notes on it."""

    file: str | None
    line: int
    column: int
    text: str
    notes: list[_Message] = field(default_factory=list)


def _messages(text: str) -> list[_Message]:
    found: list[_Message] = []
    for line in text.splitlines():
        match = _MESSAGE.fullmatch(line)
        if match is None:
            continue
        message = _Message(match["file"], int(match["line"] or 1), int(match["column"] or 1), match["text"])
        if match["kind"] != "note":
            found.append(message)
        elif found:
            found[-1].notes.append(message)
    return found


def _errors(text: str, source: Source, folder: Path) -> Iterator[Diagnostic]:
    """The errors among what clang says; one inside scopec's headers is that of the place that led there."""
    own = str(shims())
    for message in _messages(text):
        notes = [n for n in message.notes if not (n.file or "").startswith(own)]
        at = next(iter(notes), message) if (message.file or "").startswith(own) else message
        shown_notes = [f"{_span(n, source, folder)}: {n.text}" for n in notes if n is not at]
        code = next(code for code, words in _KINDS.items() if words.search(message.text))
        help_ = "; ".join(shown_notes[:_MOST_NOTES]) or (Code.CPLUSPLUS.way_out if code is Code.SYNTAX else None)
        if not shown_notes and message.text.endswith("file not found"):
            help_ = "name the header's folder with -I"
        if not shown_notes and (unknown := _UNKNOWN.match(message.text)) and "did you mean" not in message.text:
            help_ = suggestion(unknown[1], _KNOWN) or help_
        if at.file is not None and at.file != told(source.name) and not may_show(folder / at.file, source):
            yield Diagnostic(Code.CPLUSPLUS, _HIDDEN, _span(at, source, folder), "look at it there, or --allow-outside")
            continue
        unmodelled = _OF_CUDA.match(message.text)
        said = f"scopec does not model `{unmodelled[1]}`" if unmodelled else message.text
        yield Diagnostic(Code.UNMODELLED_CALL if unmodelled else code, said, _span(at, source, folder), help_)


def _presumed(text: str, shown: str, folders: tuple[Path, ...]) -> Source:
    """The text as its ``#line`` directives place it."""
    lines: list[str] = []
    number = 0
    for line in text.split("\n"):
        if (match := _LINE.fullmatch(line)) is not None:
            number = int(match[1]) - 1
            continue
        lines += [""] * (number + 1 - len(lines))
        margin = len(line) - len(line.lstrip())
        lines[number] = lines[number][:margin].ljust(margin) + line[margin:]
        number += 1
    return Source(shown, "\n".join(lines), folders)


def _span(message: _Message, source: Source, folder: Path) -> Span:
    """The word at a place."""
    if message.file is None:
        return source.span(0, 0)
    if message.file != told(source.name):
        file = str(folder / message.file)
        source = shown_source(file, source) or Source(file, "")
    return word_at(source, message.line, message.column)


def word_at(source: Source, line: int, byte: int) -> Span:
    """The word at a place of clang's, whose columns count bytes."""
    text = source.line(line)
    column = character(text, byte) if text else byte
    word = _WORD.match(text, column - 1)
    return Span(source.name, line, column, line, word.end() + 1 if word else column + 1)


def character(line: str, byte: int) -> int:
    """The column in characters of clang's column, which counts the bytes of UTF-8; both from 1."""
    return len(line.encode()[: byte - 1].decode(errors="ignore")) + 1
