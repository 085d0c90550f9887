"""Runs clang: the text of a ``.cu`` file to the LLVM IR of both sides, or to its errors.

No CUDA toolkit and no standard library is read: what a program includes is ``scopec/shims/`` and the headers that
belong to clang itself (``<stdint.h>`` and kin).
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, EngineError, InputError, suggestion
from scopec.base.files import shown_source
from scopec.base.limits import uncut
from scopec.base.records import dataclass
from scopec.base.resources import resource
from scopec.base.scratch import make_scratch_folder, remove_scratch_folder
from scopec.base.source import Source, Span
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.kept import remembered

if TYPE_CHECKING:
    from scopec.base.cache import Cache

#: Operations that C++ leaves undefined and LLVM's instructions do not show, or not of constants: clang tests for them.
_UNDEFINED = "array-bounds,shift-exponent,integer-divide-by-zero"
_OPTIONS = (
    "-x", "cuda", "-",
    # Nothing of CUDA's or of the machine's; the host is LP64 wherever scopec runs.
    "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_90", "--target=x86_64-unknown-linux-gnu",
    "--no-default-config", "-nostdlibinc", "-nostdinc++", "-fno-builtin",
    # clang's own headers ask nobody else for theirs; -ffreestanding does that too, but then `main` is any function.
    "-U__STDC_HOSTED__", "-D__STDC_HOSTED__=0",
    # As written: no pass, every name, every type; calls return (a throw is a call that does not).
    "-O1", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-g", "-Xclang", "-debug-info-kind=limited",
    "-fexceptions", "-fcxx-exceptions", "-fignore-exceptions",
    "-Xclang", f"-fsanitize={_UNDEFINED}", "-Xclang", f"-fsanitize-trap={_UNDEFINED}", "-fstrict-flex-arrays=3",
    # Every error, one a line.
    "-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics",
)  # fmt: skip
_CODE = ("-S", "-emit-llvm", "-o", "-")
_TREE = ("-fsyntax-only", "-Xclang", "-ast-dump")
#: What every file begins with.
_FIRST = ("-include", "scopec_cuda.h")
#: So many are read without being worth to be prepared for.
_FEW = 4
#: How often a thread that waits for clang looks whether it has been told to stop.
_LOOK_SECONDS = 0.1
#: What to do where there is no clang.
WAY_TO_CLANG = "pip install 'scopec[cxx]', or set SCOPEC_CLANG to a clang of version 17 or newer"
_SIDES = ("device", "host")
_MOST_NOTES = 3
_NO_FLAGS = Flags()
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


def shims() -> Path:
    """The folder of scopec's own headers."""
    return resource("shims").resolve()


def find() -> tuple[str, ...] | None:
    """The command that runs clang: ``SCOPEC_CLANG`` if it is set, else that of the package ziglang, else None.

    Raises EngineError if SCOPEC_CLANG names no program.
    """
    named = os.environ.get("SCOPEC_CLANG")
    if named:
        program = shutil.which(named)
        if program is None:
            raise EngineError(
                f"SCOPEC_CLANG names no program: `{named}`; unset it, or name a clang of version 17 or newer"
            )
        return (program,)
    package = find_spec("ziglang")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent
    zig = folder / ("zig.exe" if sys.platform == "win32" else "zig")
    return (str(zig), "clang", "-resource-dir", str(folder / "lib"))


def compiled(text: str, shown: str, folder: Path, flags: Flags = _NO_FLAGS, entries: Cache | None = None) -> Compiled:
    """Compile a program for the device and for the host.

    ``text`` is what the file has (or shall have), ``shown`` its name in places, ``folder`` where its quoted includes
    begin; ``entries`` are what earlier calls made.  Raises Refused with every error of clang, InputError where the text
    is too much for it, EngineError if there is no clang or it does not run.
    """
    command, given = _invocation(text, shown, flags)
    plain = [_plain(command, side) for side in _SIDES]

    def made() -> list[str]:
        firsts = [_first(command, side, flags) for side in _SIDES]
        runs = _finished([[*command, *first, *_CODE] for first in firsts], given, folder)
        if firsts != plain and any(run.status for run in runs):  # what is precompiled changes what is said of names
            runs = _finished([[*command, *first, *_CODE] for first in plain], given, folder)
        return _codes(runs, _presumed(text, shown), folder)

    asked = [*command, *(word for first in plain for word in first), *_CODE]
    return Compiled(*_remembered(entries, made, asked, given, folder, flags))


def _codes(runs: list[_Run], source: Source, folder: Path) -> list[str]:
    """The code of both sides; errors for what clang says."""
    if any(run.status < 0 for run in runs):  # a signal
        message = "clang came to grief over this text; expressions nested by the thousand do that"
        raise InputError(Diagnostic(Code.TOO_LARGE, message, source.span(0, 0), "write shorter expressions"))
    errors = list(dict.fromkeys(d for run in runs for d in _errors(run.messages, source, folder)))
    if errors:
        raise Refused(*errors)
    return _outputs(runs)


def _remembered(
    entries: Cache | None, make: Callable[[], list[str]], asked: list[str], given: bytes, folder: Path, flags: Flags
) -> list[str]:
    text, folders = given.decode(errors="surrogateescape"), [include.absolute() for include in flags.folders]
    return remembered(entries, make, asked, find() or (), text, folder, folders, shims())


def _invocation(text: str, shown: str, flags: Flags) -> tuple[list[str], bytes]:
    """The command, but for the side, and what it reads."""
    clang = find()
    if clang is None:
        raise EngineError(f"no clang: {WAY_TO_CLANG}")
    command = [*clang, *_OPTIONS, f"-std={flags.std}", "-I", str(shims())]
    command += [part for include in flags.folders for part in ("-I", str(include.absolute()))]
    if _LONG_WORD.search(text):  # compared with every name there is, for hours
        command.append("-fno-spell-checking")
    command += flags.macros
    forced = "".join(f"#include {_quoted(str(header.absolute()))}\n" for header in flags.forced)
    return command, f"{forced}# 1 {_quoted(told(shown))}\n{text}".encode(errors="surrogateescape")


def expanded(
    text: str, shown: str, folder: Path, side: str, flags: Flags = _NO_FLAGS, entries: Cache | None = None
) -> tuple[str, str]:
    """What :func:`compiled` gives for a side (``device`` or ``host``), and its syntax tree, without macros: every word
    has a place of its own, on the line that it has in the file.

    Raises EngineError if clang fails.
    """
    command, given = _invocation(text, shown, flags)
    clang = find() or ()
    expand = [*command, *_plain(command, side), "-E"]
    again = [*clang, *_OPTIONS, f"-std={flags.std}", f"--cuda-{side}-only"]

    def made() -> list[str]:
        (read,) = _outputs(_finished([expand], given, folder))
        commands = [[*again, *_CODE], [*again, *_TREE]]
        return _outputs(_finished(commands, read.encode(errors="surrogateescape"), folder))

    code, tree = _remembered(entries, made, [*expand, *_CODE, *_TREE], given, folder, flags)
    return code, tree


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
                made = [*command, "-fsyntax-only"]
                made += [part for word in ("-emit-pch", "-o", str(file)) for part in ("-Xclang", word)]
                (run,) = _finished([made], b"", self._folder)
                self._made[command] = file if run.status == 0 else None
            return self._made.get(command)


_precompiled = _Precompiled()


def _plain(_: list[str], side: str) -> list[str]:
    """What of a command says the side, and what is read before the file."""
    return [*_FIRST, f"--cuda-{side}-only"]


def _first(command: list[str], side: str, flags: Flags) -> list[str]:
    """The same, where that was read before; not from the user's folders, which may change."""
    kept = None if flags.folders else _precompiled.of((*command, *_plain(command, side)))
    only = f"--cuda-{side}-only"
    return _plain(command, side) if kept is None else [only, "-Xclang", "-include-pch", "-Xclang", str(kept)]


def _finished(commands: Iterable[list[str]], given: bytes, folder: Path) -> list[_Run]:
    """Commands that ran at the same time, in a folder."""
    runs: list[_Run] = []
    try:
        for command in commands:
            runs.append(_Run())
            runs[-1].start([*command, f"-fdebug-prefix-map=./={folder}/"], given, folder)
        for run in runs:
            run.wait()
    finally:
        for run in runs:
            run.kill()
        for run in runs:
            run.wait()
    return runs


def _outputs(runs: list[_Run]) -> list[str]:
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


class _Run:
    """A clang that runs; what it writes is collected by a thread.

    A limit raises an exception wherever its thread is, and Thread.join, hit by one, takes the other thread for ended:
    a lock that the collector releases says when it has.
    """

    def __init__(self) -> None:
        self.output, self.messages, self.status = "", "", 0
        self._process: subprocess.Popen[bytes] | None = None
        self._started = self._collected = False
        self._lock = threading.Lock()

    def start(self, command: list[str], given: bytes, folder: Path) -> None:
        """Run a command in a folder on a text; EngineError if it does not start."""
        pipe = subprocess.PIPE
        with uncut():
            try:
                process = self._process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe)
            except OSError as failure:
                raise EngineError(f"{command[0]} does not start ({failure.strerror})") from failure
            self._lock.acquire()
            threading.Thread(target=self._collect, args=(process, given), name="clang", daemon=True).start()
            self._started = True

    def _collect(self, process: subprocess.Popen[bytes], given: bytes) -> None:
        try:
            output, messages = process.communicate(given)
            self.output, self.messages = (b.decode(errors="surrogateescape") for b in (output, messages))
            self.status = process.returncode
        finally:
            self._collected = True
            self._lock.release()

    def wait(self) -> None:
        """Until it has ended; a thread that is stopped meanwhile notices."""
        while self._started and not self._collected:
            self._lock.acquire(timeout=_LOOK_SECONDS)

    def kill(self) -> None:
        """End it if it still runs."""
        if self._process is not None:
            with suppress(OSError):  # it has ended
                self._process.kill()


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
        unmodelled = _OF_CUDA.match(message.text)
        said = f"scopec does not model `{unmodelled[1]}`" if unmodelled else message.text
        yield Diagnostic(Code.UNMODELLED_CALL if unmodelled else code, said, _span(at, source, folder), help_)


def _presumed(text: str, shown: str) -> Source:
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
    return Source(shown, "\n".join(lines))


def _span(message: _Message, source: Source, folder: Path) -> Span:
    """The word at a place."""
    if message.file is None:
        return source.span(0, 0)
    if message.file != told(source.name):
        file = str(folder / message.file)
        source = shown_source(file) or Source(file, "")
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
