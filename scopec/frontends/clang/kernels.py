"""The kernels of a text with their parameters, so that a launch can be written for each."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from scopec.base.records import dataclass
from scopec.frontends.clang.brackets import after_group, nested
from scopec.frontends.clang.command import shims
from scopec.frontends.clang.compiler import Compiled, Refused
from scopec.frontends.clang.host_code import without_host
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.prepare import MAIN, prepared
from scopec.frontends.clang.program import with_library
from scopec.frontends.clang.ptx.text import around
from scopec.frontends.scoped.syntax.scan import scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from scopec.base.cache import Cache
    from scopec.base.diagnostics import Diagnostic
    from scopec.base.source import Source, Span
    from scopec.frontends.clang.flags import Flags

_TEMPLATE = re.compile(r"\btemplate\s*<")
_KERNEL = re.compile(r"[^;{}]*?\b__global__\b[^;{}]*?\b(\w+)\s*\(")
_LAUNCH = re.compile(r"\b(\w+)\s*(<[^<>;{}]*>)?\s*<<<([^;{}]*?)>>>\s*\(")
_OPENING = re.compile(r"\bnamespace\s+([\w:]+)\s*\{|[{}]")
_BUILT_IN = frozenset({"int", "float", "double", "unsigned", "char", "long", "short", "true", "false"})

Kind = Literal["number", "truth", "pointer", "pointers", "class", "numbers", "other"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, what it is, and its type as the source writes it; of pointers and arrays, their elements'.

    ``rows`` are the bounds of the array that an element is, as in ``[4][2]``; ``parts`` the members of a class that is
    an aggregate.
    """

    name: str
    kind: Kind
    type: str
    rows: str = ""
    parts: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: how a launch names it, where it is declared, its parameters.

    ``blocks`` are the shapes of a block that the file has for it, as written: of launches by host code, of
    ``__launch_bounds__``, of arrays in shared memory.  A ``cooperative`` one waits for its whole grid.
    """

    name: str
    span: Span
    parameters: tuple[Parameter, ...]
    blocks: tuple[str, ...] = ()
    cooperative: bool = False
    #: Its name in clang's code.
    symbol: str = ""

    @property
    def own_name(self) -> str:
        """Its name without namespaces and template arguments."""
        return _own(self.name)


@dataclass(frozen=True)
class Found:
    """The kernels of a text, what is left of it where its host code is not read, and what clang objected to first.

    ``open`` are the templates, by name and place, for which no arguments are known.
    """

    kernels: tuple[Kernel, ...]
    text: str
    objection: Diagnostic | None = None
    open: tuple[tuple[str, Span], ...] = ()


def asks_nothing(source: Source) -> bool:
    """Whether a text has kernels, and no directive says what launches them or what is expected."""
    scanned = scan(around(source))
    asked = re.search(r"(?<!\w)(?:launch|kernels|expect|object|vary|every)\b", scanned.directives)
    return "__global__" in without_literals(scanned.code) and asked is None


def has_main(source: Source) -> bool:
    """Whether a text defines ``main``."""
    return MAIN.search(without_literals(scan(around(source)).code)) is not None


def dimensions(source: Source, name: str) -> int:
    """The number of coordinates that a text mentions, up to the last of ``name.x``, ``.y``, ``.z``; 1 for the name
    alone.
    """
    code = without_literals(scan(around(source)).code)
    found = [n for n, axis in enumerate("xyz", 1) if re.search(rf"\b{name}\s*\.\s*{axis}\b", code)]
    return max(found, default=int(re.search(rf"\b{name}\b", code) is not None))


def kernels(source: Source, folder: Path, flags: Flags, entries: Cache | None) -> Found:
    """The kernels that a file itself declares, in its order; templates with a choice of their arguments.

    Host code is not read, where the file has a ``main`` or clang does not take it.  Raises Refused with what clang
    objects to; EngineError without a clang.
    """
    code = without_literals(scan(around(source)).code)
    templates = list(_templates(code))
    chosen = [one.name + one.arguments for one in templates if one.arguments]

    def compiled(text: str) -> Compiled:
        whole = prepared(around(replace(source, text=text)))

        def using(names: Iterable[str]) -> Compiled:
            uses = "".join(f"\nstatic auto* __scopec_kernel_{n} = &{name};" for n, name in enumerate(names))
            return with_library(whole + uses, source, folder, flags, entries, includes="#include" in whole)[0]

        if not chosen:
            return using(())
        with suppress(Refused):
            return using(chosen)
        result, taken = using(()), list[str]()
        for name in chosen:
            with suppress(Refused):
                result = using([*taken, name])
                taken.append(name)
        return result

    def found(text: str, result: Compiled, objection: Diagnostic | None = None) -> Found:
        declared = _declared(source, code, result)
        known = {kernel.own_name for kernel in declared}
        missing = [one for one in templates if _own(one.name) not in known]
        return Found(
            tuple(declared), text, objection, tuple((one.name, source.span(one.at, one.end)) for one in missing)
        )

    objection: Diagnostic | None = None
    if not has_main(source):
        try:
            return found(source.text, compiled(source.text))
        except Refused as refused:
            objection = refused.diagnostics[0]
    return found(
        *without_host(source.text, folder, flags, compiled, lambda text: replace(source, text=text)), objection
    )


def _own(name: str) -> str:
    """The name of a kernel without namespaces and template arguments."""
    return name.partition("<")[0].rpartition("::")[2]


def _declared(source: Source, code: str, result: Compiled) -> list[Kernel]:
    """The kernels of a file in what clang makes of it."""
    device = Module(result.device)
    debug = Debug(device, str(shims()), source.name)
    found = []
    for name in device.kernels():
        function = device.function(name)
        if function is None or function.subprogram is None:
            continue
        place = debug.declared(function.subprogram)
        if place.file != source.name:
            continue
        called = _scoped(debug, function.subprogram)
        own = _own(called)
        line = source.lines[place.line - 1] if place.line <= len(source.lines) else ""
        named = re.search(rf"\b{own}\b(?=\s*\()", line)
        column = 1 if named is None else named.start() + 1
        at = source.offset(place.line, column)
        body = code[source.offset(place.line, 1) :]
        body = body[: after_group(body, 0, "{}")]
        parameters = tuple(_parameters(debug, function.subprogram))
        blocks = tuple(dict.fromkeys(_blocks(code, own, body)))
        cooperative = re.search(r"\bthis_grid\s*\(|\bgrid_group\b", body) is not None
        found.append(Kernel(called, source.span(at, at + len(own)), parameters, blocks, cooperative, name))
    return sorted(found, key=lambda kernel: (kernel.span.line, kernel.span.column))


def _blocks(code: str, kernel: str, body: str) -> Iterator[str]:
    """Shapes of a block that a file has for a kernel, those that are constants."""
    for match in _LAUNCH.finditer(code):
        shape = list(_split(match[3]))
        if match[1] != kernel or len(shape) < 2:
            continue
        block = shape[1].strip()
        if re.fullmatch(r"\w+", block) and not block.isdigit():
            begins = rf"\bdim3\s+(?:\w+\s*\([^;]*?\),\s*)?{block}\s*(?:=\s*(?:dim3\s*)?)?"
            declared = re.search(rf"{begins}[({{]([^;]*?)[)}}]\s*[,;]", code)
            named = re.search(rf"\b(?:const|constexpr)\b[^;]*\b{block}\s*=\s*([^;,]+)", code)
            block = f"dim3({declared[1]})" if declared else block if block.isupper() else named[1] if named else ""
        if _is_constant(block):
            yield block
    if (bound := re.search(rf"\b__launch_bounds__\s*\(([^;{{}}()]*)\)[^;{{}}()]*\b{kernel}\s*\(", code)) is not None:
        yield bound[1].partition(",")[0].strip()
    for shared in re.finditer(r"\b__shared__\b[^;\[]*((?:\[[^\]]+\])+)", body):
        sizes = [size.partition("+")[0].strip() for size in re.findall(r"\[([^\]]+)\]", shared[1])]
        if len(sizes) < 3 and all(map(_is_constant, sizes)):
            yield sizes[0] if len(sizes) == 1 else f"dim3({', '.join(reversed(sizes))})"


def _is_constant(text: str) -> bool:
    """Whether a text is made of numbers and of names as macros and constants have them."""
    words = re.findall(r"[A-Za-z_]\w*", text)
    return bool(text) and all(word == "dim3" or word.isupper() for word in words)


# ---------------------------------------------------------------- templates


@dataclass(frozen=True, slots=True)
class _Template:
    """A kernel that is a template: its name, where that stands, and arguments (none are known: empty)."""

    name: str
    arguments: str
    at: int
    end: int


def _templates(code: str) -> Iterator[_Template]:
    """The kernels that are templates, each with the arguments of a launch in the text, or chosen ones."""
    for match in _TEMPLATE.finditer(code):
        end = after_group(code, match.end() - 1, "<>")
        kernel = _KERNEL.match(code, end)
        parameters = code[match.end() : end - 1]
        if kernel is None or "template" in code[end : kernel.end()] or not parameters.strip():  # an instance of one
            continue
        name = kernel[1]
        launched = next((m[2] for m in _LAUNCH.finditer(code) if m[1] == name and m[2] and _is_literal(m[2])), None)
        own = launched or _arguments(parameters) or ""
        yield _Template(f"{_namespace(code, match.start())}{name}", own, kernel.start(1), kernel.end(1))


def _is_literal(arguments: str) -> bool:
    """Whether template arguments are numbers, truth values and built-in types."""
    return _BUILT_IN.issuperset(re.findall(r"[A-Za-z_]\w*", arguments))


def _arguments(parameters: str) -> str | None:
    """Arguments for the parameters of a template; None where one is neither a type, a number nor a truth value."""
    found = []
    for parameter in _split(parameters):
        if "=" in parameter:
            break
        words = parameter.split()
        if not words or "..." in parameter or "<" in parameter:
            return None
        if words[0] in ("typename", "class"):
            found.append("int")
        else:
            found.append("false" if words[0] == "bool" else "2")
    return f"<{', '.join(found)}>"


def _split(text: str) -> Iterator[str]:
    start = 0
    for at, sign, depth in nested(text, brackets="<>()[]"):
        if sign == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    if text[start:].strip():
        yield text[start:]


def _namespace(code: str, place: int) -> str:
    """The namespaces around a place, as a prefix of a name."""
    around_: list[str] = []
    for match in _OPENING.finditer(code, 0, place):
        if match[0] == "}":
            if around_:
                around_.pop()
        else:
            around_.append(match[1] or "")
    return "".join(f"{name}::" for name in around_ if name)


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
            return Parameter("", "number", _spelled(debug, type_))
        case "DW_TAG_pointer_type":
            pointee, rows = fields.get("baseType", ""), ""
            element = debug.fields(debug.stripped(pointee))
            if not pointee or element[""] == "":
                return Parameter("", "pointer", "int")
            if element[""] == "DISubroutineType":
                return Parameter("", "other", "")
            if element.get("tag", "") == "DW_TAG_pointer_type":
                return Parameter("", "pointers", _spelled(debug, element.get("baseType", "")) or "int")
            while element.get("tag") == "DW_TAG_array_type":
                rows += "".join(f"[{debug.fields(n).get('count', '1')}]" for n in debug.listed(element["elements"]))
                pointee = element["baseType"]
                element = debug.fields(debug.stripped(pointee))
            return Parameter("", "pointer", _spelled(debug, pointee), rows)
        case "DW_TAG_structure_type" | "DW_TAG_class_type":
            return Parameter("", "class", _spelled(debug, type_), parts=tuple(_members(debug, fields)))
        case "DW_TAG_array_type":
            numbers = debug.fields(debug.stripped(fields["baseType"]))[""] == "DIBasicType"
            return Parameter("", "numbers" if numbers else "other", _spelled(debug, fields["baseType"]))
        case _:
            return Parameter("", "other", "")


def _members(debug: Debug, fields: dict[str, str]) -> Iterator[Parameter]:
    """The members of an aggregate that an argument has to give; nothing for a class that is none."""
    members = [debug.fields(node) for node in debug.listed(fields.get("elements", ""))]
    if any(m[""] == "DISubprogram" or m.get("tag") == "DW_TAG_inheritance" for m in members):
        return
    for member in members:
        if member.get("tag") == "DW_TAG_member" and "DIFlagStaticMember" not in member.get("flags", ""):
            yield replace(_parameter(debug, member["baseType"]), name=member.get("name", ""))


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
    return _scoped(debug, type_) or "int"


def _scoped(debug: Debug, node: str) -> str:
    """The name of something with those of the namespaces and classes around it."""
    fields = debug.fields(node)
    name, scope = fields.get("name", ""), fields.get("scope", "")
    while scope:
        outer = debug.fields(scope)
        if outer[""] not in ("DINamespace", "DICompositeType"):
            break
        name = f"{outer['name']}::{name}" if outer.get("name") and not _is_inline(outer) else name
        scope = outer.get("scope", "")
    return name


def _is_inline(namespace: dict[str, str]) -> bool:
    return namespace.get("exportSymbols") == "true"
