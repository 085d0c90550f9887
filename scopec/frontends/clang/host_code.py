"""Removes host code from a text, so that its kernels can be read alone.

A definition of a host function is left out at once.  What clang objects to beyond that, a declaration or a header that
nothing on the device needs, is left out one after the other, as long as that helps: what a kernel needs is missed by
the kernel then, and clang says so.  A header with kernels stays, unless another one that stays includes these too.  A
macro is not missed by an ``#if``: where one of what is left asks for a name that the text does not define, no header is
left out, as that might have defined it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scopec.frontends.clang.brackets import nested
from scopec.frontends.clang.compiler import Refused
from scopec.frontends.clang.headers import INCLUDE, reached
from scopec.frontends.clang.messages import is_absent
from scopec.frontends.clang.ptx.text import around
from scopec.frontends.scoped.syntax.scan import scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from scopec.base.diagnostics import Diagnostic
    from scopec.base.source import Source
    from scopec.frontends.clang.flags import Flags

_T = TypeVar("_T")

#: The number of times that parts are left out to which clang objects.
_ROUNDS = 16
_HASH = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_TRANSPARENT = re.compile(r"(?:\b(?:inline\s+)?namespace\b[\w\s:]*|\bextern\s*\"[^\"]*\"\s*|\bextern\s+)$")
_CLASS = re.compile(r"\b(?:class|struct|union|enum|concept)\b[^()]*$")
_DEVICE = re.compile(r"\b(?:__device__|__global__|__constant__|__shared__|__managed__|constexpr)\b")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(?P<rest>(?:\\\r?\n|[^\n])*)", re.MULTILINE)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
#: A name as macros have them, as for `__device__`; what is kept for one goes later, if clang objects to it.
_MACRO = re.compile(r"\b[A-Z][A-Z0-9_]+\b")

#: Positions in a text: from the first, to that after the last.
Part = tuple[int, int]


def without_host(
    text: str, folder: Path, flags: Flags, compiled: Callable[[str], _T], named: Callable[[str], Source]
) -> tuple[str, _T, tuple[Diagnostic, ...]]:
    """A text without its host code, and what ``compiled`` makes of it; both have the same lines.

    A kernel that clang objects to is left out for the others; what is said of it first is the third result.  ``named``
    gives a text as the source that clang's messages are about.  Raises Refused with what clang objects to at last.
    """
    parts = set(_host_functions(_code(named(text))))
    absent: tuple[Diagnostic, ...] = ()
    lost: dict[Part, Diagnostic] = {}
    for _ in range(_ROUNDS):
        left = _blank(text, parts)
        try:
            return left, compiled(left), (*(absent if lost else ()), *lost.values())
        except Refused as refused:
            absent = absent or tuple(filter(is_absent, refused.diagnostics))
            objected = set(_objected_to(named(left), refused.diagnostics, folder, flags))
            headers = [include for start, _ in objected if (include := INCLUDE.match(text, start))]
            needed = _loses_kernels(text, headers, parts | objected, folder, flags)
            if objected <= parts or needed or (headers and _asks_for_others(text, parts | objected)):
                objected = set() if headers else _kernels_objected_to(named(left), refused.diagnostics, lost)
                if not objected:
                    raise Refused(*dict.fromkeys((*absent, *refused.diagnostics))) from None
            parts |= objected
    left = _blank(text, parts)
    return left, compiled(left), (*(absent if lost else ()), *lost.values())


def _kernels_objected_to(source: Source, diagnostics: Sequence[Diagnostic], lost: dict[Part, Diagnostic]) -> set[Part]:
    """The kernels of a text that have what clang objects to, if that is nowhere else and there are other kernels.

    What is said of each first is added to what is ``lost``.
    """
    code = _code(source)
    kernels = [part for part in _declarations(code) if re.search(r"\b__global__\b[^;]*\{", code[slice(*part)])]
    found: dict[Part, Diagnostic] = {}
    for diagnostic in diagnostics:
        at = source.offset(diagnostic.span.line, diagnostic.span.column) if diagnostic.span.file == source.name else -1
        inside = next((part for part in kernels if part[0] <= at < part[1]), None)
        if inside is None:
            return set()
        found.setdefault(inside, diagnostic)
    if len(found) == len(kernels):
        return set()
    lost |= found
    return set(found)


def _asks_for_others(text: str, parts: Collection[Part]) -> bool:
    """Whether a condition of the preprocessor outside of some parts, behind a header among them, asks for a name that
    this header may define.

    Names with an underscore first are the compiler's, or guards.
    """
    defined = {"defined", *_DEFINED.findall(text)}
    first = min(start for start, _ in parts if INCLUDE.match(text, start))
    for condition in _CONDITION.finditer(text, first):
        if any(start <= condition.start() < end for start, end in parts):
            continue
        if any(name not in defined for name in re.findall(r"\b[A-Za-z]\w*", condition["rest"].partition("//")[0])):
            return True
    return False


def _code(source: Source) -> str:
    """The text without comments, literals and preprocessor lines."""
    return _HASH.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), without_literals(scan(around(source)).code))


def _blank(text: str, parts: Iterable[Part]) -> str:
    """The text with parts blank, but for their preprocessor lines."""
    for start, end in parts:
        lines = text[start:end].split("\n")
        kept = [line if n and line.lstrip().startswith("#") else " " * len(line) for n, line in enumerate(lines)]
        text = text[:start] + "\n".join(kept) + text[end:]
    return text


def _declarations(code: str) -> Iterator[Part]:
    """The declarations of a text, those in namespaces one by one."""
    start = 0
    inside: list[int] = []  # the depths at which the braces of namespaces are
    for at, sign, depth in nested(code):
        if sign in "([{":
            if sign == "{" and depth == len(inside) and _TRANSPARENT.search(code, start, at):
                inside.append(depth)
                start = at + 1
        elif sign in ")]}":
            if inside and depth == inside[-1]:
                inside.pop()
                start = at + 1
            elif sign == "}" and depth == len(inside) and not _goes_on(code, start, at):
                yield start, at + 1
                start = at + 1
        elif sign == ";" and depth == len(inside):
            yield start, at + 1
            start = at + 1


def _goes_on(code: str, start: int, end: int) -> bool:
    """Whether a declaration goes on after a brace: of a class, or of an initialiser."""
    following = code[end + 1 : end + 200].lstrip()[:1]
    head = code[start:end].partition("{")[0]
    return following in (";", ",", "=") or _CLASS.search(head) is not None or _is_initialised(head)


def _is_initialised(head: str) -> bool:
    """Whether what comes before a brace is a variable's declaration with a value."""
    return "operator" not in head and "=" in head.partition("(")[0].partition("template")[0]


def _host_functions(code: str) -> Iterator[Part]:
    """The definitions of functions that are the host's alone."""
    for start, end in _declarations(code):
        head, brace, _ = code[start:end].partition("{")
        if not brace or "(" not in head or _CLASS.search(head) or _DEVICE.search(head) or _MACRO.search(head):
            continue
        if _is_initialised(head):
            continue
        yield start + len(head) - len(head.lstrip()), end


def _objected_to(source: Source, diagnostics: Sequence[Diagnostic], folder: Path, flags: Flags) -> Iterator[Part]:
    """The parts of a text to leave out for clang to take it: declarations, but none of a device, and headers."""
    text, code = source.text, _code(source)
    declarations = list(_declarations(code))
    found: set[Part] = set()
    for diagnostic in diagnostics:
        span = diagnostic.span
        if span.file != source.name:
            found |= {m.span() for m in INCLUDE.finditer(text) if _leads_to(m, Path(span.file).name, folder, flags)}
            continue
        at = source.offset(span.line, span.column)
        line = (text.rfind("\n", 0, at) + 1, text.find("\n", at))
        if INCLUDE.match(text, line[0]):
            found.add((line[0], line[1] if line[1] >= 0 else len(text)))
            continue
        for start, end in declarations:
            if start <= at < end and not re.search(r"\b(?:__global__|__device__)\b", text[start:end]):
                begin = start + len(code[start:end]) - len(code[start:end].lstrip())
                found.add((begin, end))
    yield from sorted(found)


def _leads_to(include: re.Match[str], name: str, folder: Path, flags: Flags) -> bool:
    """Whether a header is one of a name, or includes one, as far as its folders are known."""
    own = Path(include[1] or include[2]).name
    return own == name or any(file.name == name for file in reached(include, folder, flags))


def _loses_kernels(
    text: str, headers: Sequence[re.Match[str]], parts: Collection[Part], folder: Path, flags: Flags
) -> bool:
    """Whether headers have kernels, or include some that have, which no header outside of some parts includes."""
    lost = {file.resolve() for one in headers for file in reached(one, folder, flags) if _has_kernels(file)}
    kept = (m for m in INCLUDE.finditer(text) if lost and not any(start <= m.start() < end for start, end in parts))
    return not lost.issubset(file.resolve() for include in kept for file in reached(include, folder, flags))


def _has_kernels(file: Path) -> bool:
    return "__global__" in file.read_text("utf-8", errors="replace")
