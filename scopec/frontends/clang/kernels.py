"""The kernels of a text with their parameters, so that a launch can be written for each."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from scopec.base.records import dataclass
from scopec.frontends.clang.brackets import after_group
from scopec.frontends.clang.compiler import Compiled, Refused, compiled
from scopec.frontends.clang.host_code import without_host
from scopec.frontends.clang.library_choice import library_of
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.prepare import MAIN, prepared
from scopec.frontends.clang.program import with_library
from scopec.frontends.clang.ptx.text import around
from scopec.frontends.clang.shapes import Shape, shape_of
from scopec.frontends.clang.template_arguments import Template, Text, accepted_names, kernel_templates, own_name
from scopec.frontends.scoped.syntax.scan import scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.base.cache import Cache
    from scopec.base.diagnostics import Diagnostic
    from scopec.base.source import Source, Span
    from scopec.frontends.clang.flags import Flags

_Named = TypeVar("_Named", "Kernel", "Template")

#: A handle is a pointer to what the text does not define, such as a stream.
Kind = Literal["number", "truth", "enumeration", "pointer", "pointers", "handle", "class", "numbers", "other"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, what it is, and its type as the source writes it; of pointers and arrays, their elements'.

    ``rows`` are the bounds of the array that an element is, as in ``[4][2]``; ``parts`` the members of a class that is
    an aggregate; ``constructed`` is whether elements are of a class that says how it is constructed.  ``at`` is the
    offset in bytes of a member in its class, if it is one.  With ``parted`` the elements are accessed in parts of so
    many bytes; ``first`` is the value of the first member of an enumeration; ``called`` is whether it is the address
    of a function.
    """

    name: str
    kind: Kind
    type: str
    rows: str = ""
    parts: tuple[Parameter, ...] = ()
    constructed: bool = False
    at: int | None = None
    parted: int = 0
    first: int = 0
    called: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: how a launch names it, where it is declared, its parameters, the shape that the text suggests."""

    name: str
    span: Span
    parameters: tuple[Parameter, ...]
    shape: Shape = Shape()
    #: Its name in clang's code.
    symbol: str = ""
    #: Whether its template's arguments were chosen: the file launches it with none that are numbers and types.
    chosen: bool = False

    @property
    def own_name(self) -> str:
        """Its name without namespaces and template arguments."""
        return own_name(self.name)


@dataclass(frozen=True)
class Found:
    """The kernels of a text, what is left of it where its host code is not read, and what clang objected to first.

    ``open`` are the templates, by name and place, for which no arguments are known; ``refused`` is what clang objects
    to in kernels that are left out for the others; ``passed`` are kernels of headers, by name and place, that the file
    does not name, beside some that it does.
    """

    kernels: tuple[Kernel, ...]
    source: Source
    objection: Diagnostic | None = None
    open: tuple[tuple[str, Span], ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    passed: tuple[tuple[str, Span], ...] = ()


def asks_nothing(source: Source) -> bool:
    """Whether no directive of a text says what launches its kernels or what is expected."""
    directives = scan(around(source)).directives
    return re.search(r"(?<!\w)(?:launch|kernels|expect|object|vary|every)\b", directives) is None


def has_kernels(*sources: Source) -> bool:
    """Whether there is a kernel in some text."""
    return any("__global__" in source.text and "__global__" in _code(source) for source in sources)


def main_of(source: Source) -> tuple[int, int] | None:
    """The place where a text begins to define ``main``, if it does."""
    found = MAIN.search(_code(source))
    return found and found.span()


def has_main(source: Source) -> bool:
    """Whether a text defines ``main``."""
    return main_of(source) is not None


def kernels(
    source: Source, folder: Path, flags: Flags, entries: Cache | None, beside: tuple[Source, ...] = ()
) -> Found:
    """The kernels that a file declares, in its order; templates with a choice of their arguments.

    Of the headers ``beside`` it these are the kernels that the file names; all of them, where it has no other.  Host
    code is not read, where the file has a ``main`` or clang does not take it.  Raises Refused with what clang objects
    to; EngineError without a clang.
    """
    code = _code(source)
    texts = [Text(source, code), *(Text(header, _code(header)) for header in beside)]
    templates = list(_named(code, [one for text in texts for one in kernel_templates(text, code)]))
    chosen = [[one.name + arguments for arguments in one.arguments] for one in templates if one.arguments]

    def code_of(left: Source) -> Compiled:
        whole = prepared(around(left))

        def using(names: Iterable[str], accepted: Flags | None = None) -> tuple[Compiled, Flags]:
            uses = "".join(f"\nstatic auto* __scopec_kernel_{n} = &{name};" for n, name in enumerate(names))
            if accepted is None:
                return with_library(whole + uses, left, folder, flags, entries, includes="#include" in whole)
            return compiled(whole + uses, left.name, folder, accepted, entries, left.folders), accepted

        if not chosen:
            return using(())[0]
        with suppress(Refused):
            return using([first for first, *_ in chosen])[0]
        result, accepted = using(())
        made: dict[tuple[str, ...], Compiled] = {(): result}

        def again(names: Sequence[str]) -> Compiled:
            if tuple(names) not in made:
                made[tuple(names)], _ = using(names, accepted)
            return made[tuple(names)]

        taken = accepted_names([name for names in chosen for name in names], whole.count("\n") + 2, again)
        with suppress(Refused):
            firsts = (next(filter(taken.__contains__, names), None) for names in chosen)
            return again([name for name in firsts if name is not None])
        return result

    def found(left: Source, result: Compiled, objection: Diagnostic | None = None) -> Found:
        free = {one.own_name for one in templates if one.chosen}
        every = _declared(texts, folder, result, library_of(flags).folders)
        named = list(_named(code, every))
        declared = [replace(one, chosen=one.own_name in free) for one in named]
        known = {kernel.own_name for kernel in every}
        missing = [one for one in templates if one.own_name not in known]
        passed = tuple((one.name, one.span) for one in every if one not in named)
        return Found(tuple(declared), left, objection, tuple((one.name, one.span) for one in missing), passed=passed)

    objection: Diagnostic | None = None
    if not has_main(source):
        try:
            return found(source, code_of(source))
        except Refused as refused:
            objection = refused.diagnostics[0]
    rest, result, refused_ = without_host(source, beside, folder, flags, code_of)
    left = found(rest, result, objection if objection not in refused_ else None)
    lines = rest.text.splitlines()
    there = tuple((name, at) for name, at in left.open if at.file != source.name or lines[at.line - 1].strip())
    return replace(left, refused=refused_, open=there)


def _code(source: Source) -> str:
    return without_literals(scan(around(source)).code)


def _named(code: str, found: list[_Named]) -> Iterator[_Named]:
    """The kernels of a file, and of those of its headers the ones that it names; all, if there are no others."""
    words = set(re.findall(r"\w+", code))
    chosen = [one for one in found if one.own_name in words]
    yield from chosen or found


def _declared(texts: list[Text], folder: Path, result: Compiled, library: tuple[str, ...]) -> list[Kernel]:
    """The kernels of a file and its headers in what clang makes of it."""
    device, (first, *_) = Module(result.device), texts
    debug = Debug(device, library, first.source.name)
    everything = "\n".join(text.code for text in texts)
    by_file = {Path(text.source.name).resolve(): text for text in texts[1:]}
    found = []
    for name in device.kernels():
        function = device.function(name)
        if function is None or function.subprogram is None:
            continue
        place = debug.declared(function.subprogram)
        text = first if place.file == first.source.name else None
        for file in (Path(place.file), folder / place.file):
            text = text or by_file.get(file.resolve())
        if text is None:
            continue
        source, code = text.source, text.code
        called = debug.qualified(function.subprogram)
        own = own_name(called)
        line = source.lines[place.line - 1] if place.line <= len(source.lines) else ""
        named = re.search(rf"\b{own}\b(?=\s*\()", line)
        column = 1 if named is None else named.start() + 1
        at = source.offset(place.line, column)
        body = code[source.offset(place.line, 1) :]
        body = body[: after_group(body, 0, "{}")]
        parameters = tuple(_parameters(debug, function.subprogram))
        shape = shape_of(own, body, everything)
        found.append(Kernel(called, source.span(at, at + len(own)), parameters, shape, name))
    order = [text.source.name for text in texts]
    return sorted(found, key=lambda kernel: (order.index(kernel.span.file), kernel.span.line, kernel.span.column))


# ---------------------------------------------------------------- what the metadata says


def _parameters(debug: Debug, subprogram: str) -> Iterator[Parameter]:
    names = debug.arguments(subprogram)
    for number, type_ in enumerate(debug.signature(subprogram), 1):
        yield replace(_parameter(debug, type_), name=names.get(number, f"p{number}"))


def _parameter(debug: Debug, type_: str) -> Parameter:
    """The kind of a parameter to a launch, by its type, without a name."""
    node = debug.stripped(type_)
    fields = debug.fields(node)
    tag = fields.get("tag", "")
    if fields[""] == "DIBasicType":
        truth = fields.get("encoding") == "DW_ATE_boolean"
        return Parameter("", "truth" if truth else "number", _spelled(debug, type_))
    match tag:
        case "DW_TAG_enumeration_type":
            members = [debug.fields(node) for node in debug.listed(fields.get("elements", ""))]
            first = next((int(one["value"]) for one in members if "value" in one), 0)
            return Parameter("", "enumeration", _spelled(debug, type_), first=first)
        case "DW_TAG_pointer_type":
            pointee, rows = fields.get("baseType", ""), ""
            element = debug.fields(debug.stripped(pointee))
            if not pointee or element[""] == "":
                return Parameter("", "pointer", "int")
            if element[""] == "DISubroutineType":
                return Parameter("", "other", "", called=True)
            if element.get("tag", "") == "DW_TAG_pointer_type":
                return Parameter("", "pointers", _spelled(debug, element.get("baseType", "")) or "int")
            if "DIFlagFwdDecl" in element.get("flags", ""):
                return Parameter("", "handle", _spelled(debug, pointee))
            while element.get("tag") == "DW_TAG_array_type":
                rows += "".join(f"[{debug.fields(n).get('count', '1')}]" for n in debug.listed(element["elements"]))
                pointee = element["baseType"]
                element = debug.fields(debug.stripped(pointee))
            return Parameter("", "pointer", _spelled(debug, pointee), rows, constructed=_constructed(debug, element))
        case "DW_TAG_structure_type" | "DW_TAG_class_type":
            return Parameter("", "class", _spelled(debug, type_), parts=tuple(_members(debug, fields)))
        case "DW_TAG_array_type":
            numbers = debug.fields(debug.stripped(fields["baseType"]))[""] == "DIBasicType"
            return Parameter("", "numbers" if numbers else "other", _spelled(debug, fields["baseType"]))
        case _:
            return Parameter("", "other", "")


def _constructed(debug: Debug, fields: dict[str, str]) -> bool:
    """Whether a class declares a constructor."""
    members = (debug.fields(node) for node in debug.listed(fields.get("elements", "")))
    name = fields.get("name", "").partition("<")[0]
    return any(member[""] == "DISubprogram" and member.get("name") == name for member in members)


def _members(debug: Debug, fields: dict[str, str]) -> Iterator[Parameter]:
    """What makes an object: members of an aggregate, or what a constructor wants; nothing where neither is plain."""
    nodes = debug.listed(fields.get("elements", ""))
    members = [debug.fields(node) for node in nodes]
    if _constructed(debug, fields):
        yield from min(_constructors(debug, fields, nodes), key=len, default=())
        return
    data = [m for m in members if m[""] != "DISubprogram"]
    if any(m.get("tag") == "DW_TAG_inheritance" or not _public(m, fields) for m in data):
        return
    for member in data:
        if member.get("tag") == "DW_TAG_member" and "DIFlagStaticMember" not in member.get("flags", ""):
            at = int(member.get("offset", "0")) // 8
            yield replace(_parameter(debug, member["baseType"]), name=member.get("name", ""), at=at)


def _constructors(debug: Debug, fields: dict[str, str], nodes: tuple[str, ...]) -> Iterator[tuple[Parameter, ...]]:
    """The parameters of the public constructors of a class that take numbers and pointers."""
    name = fields.get("name", "").partition("<")[0]
    for node in nodes:
        member = debug.fields(node)
        if member[""] != "DISubprogram" or member.get("name") != name or not _public(member, fields):
            continue
        wanted = [replace(_parameter(debug, one), name=f"p{n}") for n, one in enumerate(debug.signature(node)[1:])]
        if all(one.kind in ("number", "truth", "pointer") for one in wanted):
            yield tuple(wanted)


def _public(member: dict[str, str], fields: dict[str, str]) -> bool:
    """Whether a member of a class is public: clang tells where it is not as usual in its kind of class."""
    flags = member.get("flags", "")
    if "DIFlagStaticMember" in flags:
        return True
    if fields.get("tag") == "DW_TAG_class_type":
        return "DIFlagPublic" in flags
    return re.search(r"DIFlag(?:Private|Protected|Artificial)", flags) is None


def _spelled(debug: Debug, type_: str) -> str:
    """A type as the source may write it outside of every namespace, without qualifiers."""
    fields = debug.fields(type_)
    tag = fields.get("tag", "")
    if tag in ("DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type"):
        return _spelled(debug, fields.get("baseType", ""))
    if tag.endswith("pointer_type"):
        return f"{_spelled(debug, fields.get('baseType', ''))}*"
    if tag == "DW_TAG_typedef":
        scope = debug.fields(fields.get("scope", ""))
        if scope[""] in ("DISubprogram", "DILexicalBlock", "DICompositeType"):
            return _spelled(debug, fields.get("baseType", ""))
    return debug.qualified(type_) or "int"
