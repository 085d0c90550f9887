"""Removes host code from a text and its headers, so that its kernels can be read alone.

A definition of a host function in the text is left out at once.  What clang objects to beyond that, a declaration or a
header that nothing on the device needs, is left out one after the other, where it stands, as long as that helps: what a
kernel needs is missed by the kernel then, and clang says so.  A header of the user's is left out as a whole where clang
objects to what it has for the device; one with kernels stays, unless another one that stays includes these too.  A
macro is not missed by an ``#if``: where one of what is left asks for a name that no text defines, no header is left
out that might have defined it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scopec.base.records import dataclass
from scopec.frontends.clang.brackets import nested
from scopec.frontends.clang.compiler import Refused
from scopec.frontends.clang.headers import INCLUDE, places, reached
from scopec.frontends.clang.library_choice import library_of
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
#: What is said of a loop, which stands nowhere else.
_OF_LOOP = re.compile(r"\s*#[ \t]*pragma[ \t]+(?:(?:GCC[ \t]+)?(?:no)?unroll|clang[ \t]+loop\b)")
_TRANSPARENT = re.compile(r"(?:\b(?:inline\s+)?namespace\b[\w\s:]*|\bextern\s*\"[^\"]*\"\s*|\bextern\s+)$")
_CLASS = re.compile(
    r"\b(?:class|struct|union|enum|concept)\b"
    r"(?:[^()]|\b(?:__align__|alignas|__attribute__|__declspec)\s*\((?:[^()]|\([^()]*\))*\))*$"
)
_DEVICE = re.compile(r"\b(?:__device__|__global__|__constant__|__shared__|__managed__|constexpr)\b")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(?P<rest>(?:\\\r?\n|[^\n])*)", re.MULTILINE)
_HAS_INCLUDE = re.compile(r"\b__has_include\s*\([^)]*\)")
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
#: A name as macros have them, as for `__device__`; what is kept for one goes later, if clang objects to it.
_MACRO = re.compile(r"\b[A-Z][A-Z0-9_]+\b")

#: Positions in a text: from the first, to that after the last.
Part = tuple[int, int]
#: Parts of texts, by the names of these.
Parts = dict[str, set[Part]]


@dataclass(frozen=True)
class _Texts:
    """A text and the user's headers that it includes, and the flags under which clang looks for others."""

    source: Source
    headers: tuple[Source, ...]
    folder: Path
    flags: Flags

    @property
    def all(self) -> tuple[Source, ...]:
        return (self.source, *self.headers)

    def folder_of(self, text: Source) -> Path:
        """Where includes in quotes begin in a text."""
        return self.folder if text is self.source else Path(text.name).parent

    def of(self, file: str) -> Source | None:
        """The text of a file, if it is one of these."""
        if file == self.source.name:
            return self.source
        real = Path(file).resolve()
        return next((header for header in self.headers if Path(header.name).resolve() == real), None)

    def without(self, parts: Parts) -> Source:
        """The text without parts of it, which includes headers without parts of them."""
        changed = {one.name: self._left(one, parts[one.name]) for one in self.all if parts.get(one.name)}
        instead = ((Path(one.name), changed[one.name]) for one in self.headers if one.name in changed)
        text = changed.get(self.source.name, self.source.text)
        return replace(self.source, text=text, instead=tuple(instead))

    def _left(self, text: Source, parts: Collection[Part]) -> str:
        """A text with parts blank, but for what headers of libraries would include."""
        from scopec.frontends.clang.library_headers import instead_of  # Start-up: many patterns, few files need one

        lines = _blank(text.text, parts).split("\n")
        for include in (m for start, _ in parts if (m := INCLUDE.match(text.text, start))):
            name = instead_of(_name(include))
            if name and library_of(self.flags).header(name) is not None:
                lines[text.text.count("\n", 0, include.start())] = f"#include <{name}>"
        return "\n".join(lines)


def without_host(
    source: Source, headers: tuple[Source, ...], folder: Path, flags: Flags, compiled: Callable[[Source], _T]
) -> tuple[Source, _T, tuple[Diagnostic, ...]]:
    """A text without its host code, and what ``compiled`` makes of it; both have the same lines.

    ``headers`` are the user's that it includes: the result says which are read otherwise.  A kernel that clang objects
    to is left out for the others; what is said of it first is the third result.  Raises Refused with what clang objects
    to at last.
    """
    texts = _Texts(source, headers, folder, flags)
    parts: Parts = {source.name: set(_host_functions(_code(source)))}
    absent: tuple[Diagnostic, ...] = ()
    lost: dict[tuple[str, Part], Diagnostic] = {}
    for _ in range(_ROUNDS):
        left = texts.without(parts)
        try:
            return left, compiled(left), (*(absent if lost else ()), *lost.values())
        except Refused as refused:
            absent = absent or tuple(filter(is_absent, refused.diagnostics))
            objected = _objected_to(texts, refused.diagnostics)
            if not _may_go(texts, parts, objected):
                objected = _kernels_objected_to(texts, refused.diagnostics, lost)
                if not objected:
                    raise Refused(*dict.fromkeys((*absent, *refused.diagnostics))) from None
            parts = _joined(parts, objected)
    left = texts.without(parts)
    return left, compiled(left), (*(absent if lost else ()), *lost.values())


def _joined(one: Parts, other: Parts) -> Parts:
    return {name: one.get(name, set()) | other.get(name, set()) for name in {*one, *other}}


def _may_go(texts: _Texts, parts: Parts, objected: Parts) -> bool:
    """Whether it helps to leave out more parts, and no kernel and no answer to a condition goes with them."""
    after = _joined(parts, objected)
    if after == parts:
        return False
    for text in texts.all:
        headers = [m for start, _ in objected.get(text.name, ()) if (m := INCLUDE.match(text.text, start))]
        if _loses_kernels(texts, text, headers, after[text.name] if headers else ()):
            return False
        if headers and _asks_for_others(texts, text, headers, after):
            return False
    return True


def _kernels_objected_to(
    texts: _Texts, diagnostics: Sequence[Diagnostic], lost: dict[tuple[str, Part], Diagnostic]
) -> Parts:
    """The kernels that have what clang objects to, if that is nowhere else and there are other kernels.

    What is said of each first is added to what is ``lost``.
    """
    kernels = [(text, part) for text in texts.all for part in _kernels(_code(text))]
    found: dict[tuple[str, Part], Diagnostic] = {}
    for diagnostic in diagnostics:
        text = texts.of(diagnostic.span.file)
        at = -1 if text is None else text.offset(diagnostic.span.line, diagnostic.span.column)
        inside = next((part for one, part in kernels if one is text and part[0] <= at < part[1]), None)
        if text is None or inside is None:
            return {}
        found.setdefault((text.name, inside), diagnostic)
    if len(found.keys() | lost.keys()) == len(kernels):
        return {}
    lost |= found
    parts: Parts = {}
    for name, part in found:
        parts.setdefault(name, set()).add(part)
    return parts


def _kernels(code: str) -> Iterator[Part]:
    for part in _declarations(code):
        if re.search(r"\b__global__\b[^;]*\{", code[slice(*part)]):
            yield part


def _asks_for_others(texts: _Texts, text: Source, headers: Sequence[re.Match[str]], parts: Parts) -> bool:
    """Whether a condition of the preprocessor that is left, behind headers in their text or in another one, asks for a
    name that one of them may define.

    Names with an underscore first are the compiler's, or guards.
    """
    from scopec.frontends.clang.library_headers import may_define  # Start-up: many patterns, few files need one

    defined = {"defined"}.union(*(_DEFINED.findall(one.text) for one in texts.all))
    first = min(header.start() for header in headers)
    of_a_library = all(not may_define(_name(header), "_") for header in headers)
    for one in texts.all if of_a_library else (text,):
        for condition in _CONDITION.finditer(one.text, first if one is text else 0):
            if any(start <= condition.start() < end for start, end in parts.get(one.name, ())):
                continue
            said = _HAS_INCLUDE.sub("", condition["rest"].partition("//")[0])
            asked = re.findall(r"\b[A-Za-z]\w*", said)
            if any(may_define(_name(h), name) for name in asked if name not in defined for h in headers):
                return True
    return False


def _name(include: re.Match[str]) -> str:
    return include[1] or include[2]


def _code(source: Source) -> str:
    """The text without comments, literals and preprocessor lines."""
    return _HASH.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), without_literals(scan(around(source)).code))


def _blank(text: str, parts: Iterable[Part]) -> str:
    """The text with parts blank, but for their preprocessor lines; those about loops go with these."""

    def stays(line: str) -> bool:
        return line.lstrip().startswith("#") and not _OF_LOOP.match(line)

    for start, end in parts:
        lines = text[start:end].split("\n")
        kept = [line if n and stays(line) else " " * len(line) for n, line in enumerate(lines)]
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


def _objected_to(texts: _Texts, diagnostics: Sequence[Diagnostic]) -> Parts:
    """The parts to leave out for clang to take the rest: declarations, but none of a device, and headers."""
    found: Parts = {}
    for diagnostic in diagnostics:
        file, at = diagnostic.span.file, diagnostic.span
        text = texts.of(file)
        part = None if text is None else _around(text, at.line, at.column)
        if text is not None and part is not None:
            found.setdefault(text.name, set()).add(part)
        elif text is not texts.source:
            for name, include in _leading(texts, file):
                found.setdefault(name, set()).add(include)
    return found


def _around(text: Source, line: int, column: int) -> Part | None:
    """The include at a place of a text, or the declaration, if that is none of a device."""
    at = text.offset(line, column)
    begin, end = text.text.rfind("\n", 0, at) + 1, text.text.find("\n", at)
    if INCLUDE.match(text.text, begin):
        return begin, end if end >= 0 else len(text.text)
    code = _code(text)
    for begin, end in _declarations(code):
        if begin <= at < end:
            said = text.text[begin:end]
            blank = len(code[begin:end]) - len(code[begin:end].lstrip())
            return None if re.search(r"\b(?:__global__|__device__)\b", said) else (begin + blank, end)
    return None


def _leading(texts: _Texts, file: str) -> Iterator[tuple[str, Part]]:
    """The includes, each with the name of its text, that lead to a file: where that is none of the texts, those of
    other headers than these, if there are such.
    """
    found = list[tuple[str, Part, bool]]()
    for text in texts.all if texts.of(file) is None else (texts.source,):
        folder = texts.folder_of(text)
        for include in INCLUDE.finditer(text.text):
            if _leads_to(include, Path(file).name, folder, texts.flags):
                there = next(places(include, folder, texts.flags), None)
                found.append((text.name, include.span(), there is None or texts.of(str(there)) is None))
    first = [one for one in found if one[2]]
    for name, include_at, _ in first or found:
        yield name, include_at


def _leads_to(include: re.Match[str], name: str, folder: Path, flags: Flags) -> bool:
    """Whether a header is one of a name, or includes one, as far as its folders are known."""
    return Path(_name(include)).name == name or any(file.name == name for file in reached(include, folder, flags))


def _loses_kernels(texts: _Texts, text: Source, headers: Sequence[re.Match[str]], parts: Collection[Part]) -> bool:
    """Whether headers have kernels, or include some that have, which no header outside of some parts includes."""
    folder, flags = texts.folder_of(text), texts.flags
    lost = {file.resolve() for one in headers for file in reached(one, folder, flags) if _has_kernels(file)}
    kept = (m for m in INCLUDE.finditer(text.text) if lost and not any(a <= m.start() < b for a, b in parts))
    return not lost.issubset(file.resolve() for include in kept for file in reached(include, folder, flags))


def _has_kernels(file: Path) -> bool:
    return "__global__" in file.read_text("utf-8", errors="replace")
