"""Runs clang: the text of a ``.cu`` file to the LLVM IR of both sides, or to its errors.

What a program includes is ``scopec/shims/`` and the headers that belong to clang itself (``<stdint.h>`` and kin), or,
where that is asked for, NVIDIA's headers over the C++ library that comes with clang.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from dataclasses import field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, EngineError, InputError
from scopec.base.records import dataclass
from scopec.base.source import Source
from scopec.frontends.clang.command import Clang, asked, environment, found, reading, shims
from scopec.frontends.clang.compilation_cache import remembered, remembered_as_read
from scopec.frontends.clang.dependencies import dependencies
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.instead import overlay
from scopec.frontends.clang.library_choice import library_of
from scopec.frontends.clang.messages import Message, error_of, messages, name_for_clang, presumed
from scopec.frontends.clang.precompiled import first, preamble, prepared
from scopec.frontends.clang.running import Run, finished
from scopec.frontends.clang.toolkits import searched, unsearched

if TYPE_CHECKING:
    from scopec.base.cache import Cache
    from scopec.frontends.clang.libraries import Library

_CODE = ("-emit-llvm", "-o", "-")
_TREE = ("-ast-dump",)
_EXPANDED = ("-E", "-o", "-")
_SIDES = ("device", "host")
_NO_FLAGS = Flags()
#: The statuses of a program that somebody else ends.
_FROM_OUTSIDE = {-getattr(signal, f"SIG{n}", 0) for n in ("KILL", "TERM", "INT", "HUP", "QUIT")} - {0}
#: Clang's names of what is in no file: its own macros, the command's, what is there of neither, and forced includes.
_NO_FILES = ("<built-in>", "<command line>", "<unknown>", "<stdin>")
_SMALLER = "leave out what it fails over: include fewer headers, or give the kernels a file of their own"
_LONG_WORD = re.compile(r"\w{1000}")


class Refused(InputError):
    """clang does not take a text for C++.

    ``lines`` are those of the text, from 1 on, where an error stands or a note on one.
    """

    lines: frozenset[int] = frozenset()


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
    clang, given, library = found(), _given(text, shown, flags), library_of(flags)
    plain = [_command(clang, side, text, flags) for side in _SIDES]
    more = "include" in text or "embed" in text

    def made() -> tuple[list[str], list[str]]:
        asked(clang.program)
        own = (str(clang.resources), *library.folders)
        with dependencies(own, needed=more) as listed, overlay(flags.instead) as over:
            ready, rest = _ready(plain, given, clang, folder, flags, keep=entries is not None)
            runs = _run([[*c, *over, *_CODE, *listed.arguments(n)] for n, c in enumerate(ready)], rest, folder)
            if ready != plain and any(run.status for run in runs):  # what is precompiled changes what is said of names
                runs = _run([[*c, *over, *_CODE, *listed.arguments(n)] for n, c in enumerate(plain)], given, folder)
            codes = _codes(asked(clang.program), runs, presumed(text, shown, quotable), folder, flags)
            return codes, listed.check(Source(shown, text, quotable), folder)

    what = [*(word for command in plain for word in command), *_CODE, *map(str, quotable if more else ())]
    return Compiled(*_remembered(clang, entries, made, what, given, folder, flags))


def _ready(
    plain: list[list[str]], given: bytes, clang: Clang, folder: Path, flags: Flags, *, keep: bool
) -> tuple[list[list[str]], bytes]:
    """Commands that read a text, with what is precompiled of its headers, and the text that is left to read."""
    library, text = library_of(flags), given.decode(errors="surrogateescape")
    if keep and library.versions and not flags.instead:  # Start-up: few files are read over NVIDIA's headers.
        from scopec.frontends.clang.kept_preludes import prelude, with_preludes

        folders = searched(flags)
        begin = prelude(text, folder, folders, library)
        commands, rest = with_preludes(plain, text, begin, folders, library, clang)
        return commands, rest.encode(errors="surrogateescape")
    headers = preamble(text, clang.resources, library)
    return plain if searched(flags) else [prepared(command, headers) for command in plain], given


def tried() -> Clang:
    """The clang that reads programs, which was asked for its version and has compiled a program of two lines.

    Raises EngineError if there is none, or it does not work.
    """
    clang = asked(found().program)
    try:
        both = compiled("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n", "two-lines.cu", Path())
    except InputError as refused:
        raise broken(clang, str(refused.diagnostics[0])) from None
    if not ("@_Z1kv(" in both.device and "@main(" in both.host):
        raise broken(clang, "it writes no code")
    return clang


def _codes(clang: Clang, runs: list[Run], source: Source, folder: Path, flags: Flags) -> list[str]:
    """The code of both sides; errors for what clang says."""
    if ended := [run for run in runs if run.status in _FROM_OUTSIDE]:
        raise EngineError(
            f"clang was ended by signal {-ended[0].status}, which somebody sent, or the system for memory"
        )
    if any(run.status < 0 for run in runs):  # a signal
        if fault := _tried(clang, _NO_FLAGS):
            raise broken(clang, fault)
        message = "clang came to grief over this text; expressions nested by the thousand do that"
        raise InputError(Diagnostic(Code.TOO_LARGE, message, source.span(0, 0), "write shorter expressions"))
    said = [message for run in runs for message in messages(run.messages)]
    library = library_of(flags)
    if any(_unplaced(message, clang, library) for message in said) or any(
        run.status and not run.messages for run in runs
    ):
        if fault := _tried(clang, _NO_FLAGS):
            raise broken(clang, fault)
        if fault := _tried(clang, flags):
            raise InputError(Diagnostic(Code.FLAGS, f"clang does not take the flags: {fault}", source.span(0, 0)))
    errors = list(
        dict.fromkeys(
            error_of(m, source, folder, library, partial(unsearched, flags))
            for m in said
            if m.file not in (None, *_NO_FILES)
        )
    )
    if errors:
        refused, name = Refused(*errors), name_for_clang(source.name)
        refused.lines = frozenset(at.line for m in said for at in (m, *m.notes) if at.file == name)
        raise refused
    if failed := [run for run in runs if run.status]:
        if fault := _tried(clang, _NO_FLAGS):
            raise broken(clang, fault)
        message = f"clang fails over this text: {failed[0].failure}"
        raise InputError(Diagnostic(Code.CPLUSPLUS, message, source.span(0, 0), _SMALLER))
    return _outputs(clang, runs)


def _unplaced(message: Message, clang: Clang, library: Library) -> bool:
    """Whether no place in the user's files led to a message of clang's."""
    own = (*library.folders, str(clang.resources), *_NO_FILES)
    return all((at.file or "").startswith(own) or not at.file for at in (message, *message.notes))


@cache
def _tried(clang: Clang, flags: Flags) -> str:
    """The failure to read an empty file; None if it can be read."""
    given, commands = _given("", "empty.cu", flags), [_command(clang, side, "", flags) for side in _SIDES]
    runs = _run([[*command, *_CODE] for command in commands], given, Path())
    return next((run.failure for run in runs if run.status), "")


def broken(clang: Clang, said: str) -> EngineError:
    """The error that a clang does not work, and what it says of that."""
    return EngineError(f"{clang.program[0]} ({clang.version}) does not work: {said}; `scopec doctor` tries it")


def _remembered(
    clang: Clang, entries: Cache | None, make: Callable[[], tuple[list[str], list[str] | None]], what: list[str],
    given: bytes, folder: Path, flags: Flags,
) -> list[str]:  # fmt: skip
    text, folders = given.decode(errors="surrogateescape"), searched(flags)
    what = [*what, *library_of(flags).identity, *(part for file, other in flags.instead for part in (str(file), other))]
    if library_of(flags).identity and folders:
        return remembered_as_read(entries, make, what, clang, text, folder, folders, shims())
    return remembered(entries, lambda: make()[0], what, clang, text, folder, folders, shims())


def _command(clang: Clang, side: str, text: str, flags: Flags) -> list[str]:
    """The command for a side, but for what is to become of it."""
    library = library_of(flags)
    command = [*reading(clang, side, flags.std), *library.options, *library.of_side.get(side, ())]
    command += [part for folder in searched(flags) for part in ("-I", str(folder))]
    command += ["-idirafter", str(shims() / "samples")]  # a copy of the user's comes first
    if _LONG_WORD.search(text):  # compared with every name there is, for hours
        command.append("-fno-spell-checking")
    return [*command, *flags.macros, *first(library)]


def _given(text: str, shown: str, flags: Flags) -> bytes:
    """The text that clang reads."""
    forced = "".join(f"#include {_quoted(str(header.absolute()))}\n" for header in flags.forced)
    return f"{forced}# 1 {_quoted(name_for_clang(shown))}\n{text}".encode(errors="surrogateescape")


def expanded(
    text: str, shown: str, folder: Path, side: str, flags: Flags = _NO_FLAGS, entries: Cache | None = None
) -> tuple[str, str]:
    """The code of a side (``device`` or ``host``) as of :func:`compiled`, and its syntax tree, without macros: every
    word has a place of its own, on the line that it has in the file.

    Raises EngineError if clang fails.
    """
    clang, given = found(), _given(text, shown, flags)
    expand, again = [*_command(clang, side, text, flags), *_EXPANDED], _again(clang, side, flags)

    own, more = (str(clang.resources), *library_of(flags).folders), "include" in text or "embed" in text

    def made() -> tuple[list[str], list[str]]:
        asked(clang.program)
        with dependencies(own, needed=more) as listed, overlay(flags.instead) as over:
            (read,) = _outputs(clang, _run([[*expand, *over, *listed.arguments(0)]], given, folder))
            files = listed.of_the_user()
        commands = [[*again, *_CODE], [*again, *_TREE]]
        return _outputs(clang, _run(commands, read.encode(errors="surrogateescape"), folder)), files

    code, tree = _remembered(clang, entries, made, [*expand, *_CODE, *_TREE], given, folder, flags)
    return code, tree


def _again(clang: Clang, side: str, flags: Flags) -> list[str]:
    """The command for a text without macros and ``#include`` lines: it takes what the first reading takes."""
    library = library_of(flags)
    warnings = (option for option in library.options if option.startswith("-W"))
    return [*reading(clang, side, flags.std), *warnings, *library.of_side.get(side, ())]


def _run(commands: list[list[str]], given: bytes, folder: Path) -> list[Run]:
    """Commands that ran in a folder, which is what it is called where clang says where a file is."""
    place = (f"-fdebug-compilation-dir={folder}", f"-fdebug-prefix-map=./={folder}/")
    return finished([[*command, *place] for command in commands], given, folder, environment())


def _outputs(clang: Clang, runs: list[Run]) -> list[str]:
    """The output of commands; EngineError if one failed."""
    for run in runs:
        if run.status:
            raise broken(asked(clang.program), run.failure)
    return [run.output for run in runs]


def after(library: str, text: str, shown: str) -> str:
    """A text after another, which counts as the library's where clang speaks of it."""
    own, name = _quoted(str(shims() / "scopec" / "before.h")), _quoted(name_for_clang(shown))
    return f"#line 1 {own}\n{library}\n#line 1 {name}\n{text}"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
