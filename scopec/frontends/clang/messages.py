"""clang's messages, as errors at their places in the text."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, suggestion
from scopec.base.files import shown_source
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.base.visible import may_show

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scopec.frontends.clang.libraries import Library

_MOST_NOTES = 3
#: Of an error in a file that may not be shown: what clang says of it has words of the file.
_HIDDEN = "clang finds an error in this file, which is outside the repository and not shown"
_MESSAGE = re.compile(
    r"(?:(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): |clang: |zig: |)"
    r"(?P<kind>fatal error|error|note): (?P<text>.*)"
)
#: The kind of error in a message of clang's: the first whose words are in it.
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
#: Something of CUDA's that clang refuses, and what scopec says of it.
_REFUSED = (
    (re.compile(r"kernel launch from __device__ or __global__ function requires .*"), "a launch from a kernel"),
    (re.compile(r"reference to __global__ function '\w+' in __(?:global|device)__ function"), "a launch from a kernel"),
)
#: A call in a kernel of a function that is the host's alone: what clang says, and of each function of the name.
_NO_MATCH = re.compile(r"no matching function for call to '(\w+)'")
_OF_HOST = re.compile(r".*call to __host__ function from __(?:global|device)__ function")
#: A name of CUDA's that no header of scopec's declares.
_OF_CUDA = re.compile(
    r"(?:use of undeclared identifier|unknown type name) '((?:cuda|cu)[A-Z]\w*|CU[a-z_]\w*|CUDA_[A-Z]\w*)'"
)
_MISSING = re.compile(r"'([^']+)' file not found.*")
#: Headers that builds make, by their usual names.
_MADE = re.compile(r"(?i)(?:config|version|export|build_?info|generated|defs)[^/]*$")
_WORDS = ("else", "while", "return", "for", "break", "continue", "int", "unsigned", "bool", "char", "void", "constexpr")
#: A word that clang knows nothing of, and words of CUDA C++ that it offers none of.
_UNKNOWN = re.compile(r"(?:use of undeclared identifier|unknown type name) '(\w+)'")
_KNOWN = ("__global__", "__device__", "__shared__", "__managed__", "__constant__", "__host__", *_WORDS)
_LINE = re.compile(r'#line (\d+)(?: ".*")?')
_NO_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_WORD = re.compile(r"\w+|.")


@dataclass
class Message:
    """An error, with the notes on it."""

    file: str | None
    line: int
    column: int
    text: str
    notes: list[Message] = field(default_factory=list)


def messages(text: str) -> list[Message]:
    """The errors in what clang wrote."""
    found: list[Message] = []
    for line in text.splitlines():
        match = _MESSAGE.fullmatch(line)
        if match is None:
            continue
        message = Message(match["file"], int(match["line"] or 1), int(match["column"] or 1), match["text"])
        if match["kind"] != "note":
            found.append(message)
        elif found:
            found[-1].notes.append(message)
    return found


def error_of(
    message: Message, source: Source, folder: Path, library: Library, beside: Callable[[str], Path | None]
) -> Diagnostic:
    """The error that clang reports about a text read in a folder; one in the library's headers is put where the text
    led there.

    ``beside`` is the folder of headers that are not searched which has one of a name.
    """
    notes = [n for n in message.notes if not (n.file or "").startswith(library.folders)]
    at = next(iter(notes), message) if (message.file or "").startswith(library.folders) else message
    shown_notes = [f"{_span(n, source, folder)}: {n.text}" for n in notes if n is not at]
    code = next(code for code, words in _KINDS.items() if words.search(message.text))
    help_ = "; ".join(shown_notes[:_MOST_NOTES]) or (Code.CPLUSPLUS.way_out if code is Code.SYNTAX else None)
    if not shown_notes and (unknown := _UNKNOWN.match(message.text)) and "did you mean" not in message.text:
        help_ = suggestion(unknown[1], _KNOWN) or help_
    if at.file is not None and at.file != name_for_clang(source.name) and not may_show(folder / at.file, source):
        return Diagnostic(Code.CPLUSPLUS, _HIDDEN, _span(at, source, folder), "look at it there, or --allow-outside")
    if missing := _MISSING.fullmatch(message.text):
        real = bool(library.versions)
        return _without_header(missing[1], message.text, _span(at, source, folder), beside(missing[1]), real=real)
    for words, what in _REFUSED:
        if words.fullmatch(message.text):
            return Diagnostic(Code.OUTSIDE_SUBSET, f"{what} is outside the modelled subset", _span(at, source, folder))
    called = _NO_MATCH.fullmatch(message.text)
    if called and message.notes and not notes and all(_OF_HOST.fullmatch(n.text) for n in message.notes):
        said = f"scopec does not model `{called[1]}` in a kernel"
        return Diagnostic(Code.UNMODELLED_CALL, said, _span(at, source, folder))
    unmodelled = _OF_CUDA.match(message.text)
    said = f"scopec does not model `{unmodelled[1]}`" if unmodelled else message.text
    return Diagnostic(Code.UNMODELLED_CALL if unmodelled else code, said, _span(at, source, folder), help_)


def is_absent(diagnostic: Diagnostic) -> bool:
    """Whether an error is that there is no header of a name."""
    return diagnostic.code is Code.NO_HEADER or _MISSING.fullmatch(diagnostic.message) is not None


def is_hidden(diagnostic: Diagnostic) -> bool:
    """Whether an error is in a file that may not be shown."""
    return diagnostic.message == _HIDDEN


def _without_header(header: str, said: str, span: Span, beside: Path | None, *, real: bool) -> Diagnostic:
    """The error that there is no header of a name, over NVIDIA's headers (``real``) or scopec's own; there may be one
    ``beside`` those that are searched.
    """
    if beside is not None:
        message = f"scopec has no header `{header}`, and does not read that in {beside} together with its own"
        way = (
            "`--headers real` reads NVIDIA's headers: those of --cuda-path TOOLKIT, or of pip install 'scopec[headers]'"
        )
        return Diagnostic(Code.NO_HEADER, message, span, way)
    from scopec.frontends.clang.library_headers import known  # Start-up: many patterns, of which few files need one

    if (found := known(header, real=real)) is None:
        way = "name the header's folder with -I"
        made = f"{way}; if a build makes it, -p BUILD takes the folders of its commands"
        return Diagnostic(Code.CPLUSPLUS, said, span, made if _MADE.search(header) else way)
    what, way = found
    return Diagnostic(Code.NO_HEADER, f"scopec has no header `{header}`: {what}", span, way)


def presumed(text: str, shown: str, folders: tuple[Path, ...]) -> Source:
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


def _span(message: Message, source: Source, folder: Path) -> Span:
    """The word at a place."""
    if message.file is None:
        return source.span(0, 0)
    if message.file != name_for_clang(source.name):
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


def name_for_clang(name: str) -> str:
    """The file name that clang is given: it writes names as they are, and a line is a line."""
    return _NO_LINE.sub("_", name)
