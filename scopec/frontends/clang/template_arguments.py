"""The kernels of a text that are templates, with arguments to try, and which of these clang takes."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.brackets import after_group
from scopec.frontends.clang.compiler import Refused
from scopec.frontends.clang.shapes import LAUNCH, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.base.source import Source, Span

_TEMPLATE = re.compile(r"\btemplate\s*<")
_KERNEL = re.compile(r"[^;{}]*?\b__global__\b[^;{}]*?\b(?!__launch_bounds__|__align__|__cluster_dims__)(\w+)\s*\(")
_OPENING = re.compile(r"\bnamespace\s+([\w:]+)\s*\{|[{}]")
#: The types that are tried as arguments of templates.
_TYPES = ("int", "float")
#: The number of classes of a file that are tried, too.
_CLASSES = 3
_BUILT_IN = frozenset({"int", "float", "double", "unsigned", "char", "long", "short", "true", "false"})


@dataclass(frozen=True, slots=True)
class Text:
    """A file, and its code without comments and literals."""

    source: Source
    code: str


def own_name(name: str) -> str:
    """The name of a kernel without namespaces and template arguments."""
    return name.partition("<")[0].rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Template:
    """A kernel that is a template: its name, where that stands, and arguments to try (none are known: empty).

    They are ``chosen`` where the file has no launch with numbers and types.
    """

    name: str
    arguments: tuple[str, ...]
    span: Span
    chosen: bool

    @property
    def own_name(self) -> str:
        """Its name without namespaces."""
        return own_name(self.name)


def kernel_templates(text: Text, launching: str) -> Iterator[Template]:
    """The kernels of a text that are templates, with the arguments of a launch there or in another, or chosen ones."""
    code = text.code
    for match in _TEMPLATE.finditer(code):
        end = after_group(code, match.end() - 1, "<>")
        kernel = _KERNEL.match(code, end)
        parameters = code[match.end() : end - 1]
        if kernel is None or "template" in code[end : kernel.end()] or not parameters.strip():  # an instance of one
            continue
        name = kernel[1]
        launches = [m for where in (launching, code) for m in LAUNCH.finditer(where) if m[1] == name and m[2]]
        literal = [m[2] for m in launches if _is_literal(m[2])]
        types = (*_TYPES, *_classes(code))
        given = tuple(dict.fromkeys(m[2] for m in launches))
        begun = (argument for one in given for argument in _arguments(parameters, types, one[1:-1]))
        own = tuple(dict.fromkeys(literal[:1] or (*given, *begun, *_arguments(parameters, types))))
        span = text.source.span(*kernel.span(1))
        yield Template(f"{_namespace(code, match.start())}{name}", own, span, not literal)


def _is_literal(arguments: str) -> bool:
    """Whether template arguments are numbers, truth values and built-in types."""
    return _BUILT_IN.issuperset(re.findall(r"[A-Za-z_]\w*", arguments))


def _classes(code: str) -> list[str]:
    """Classes of a text that may be arguments, the first few."""
    found = re.findall(r"(?<!>)[;}\n]\s*(?:struct|class)\s+([A-Za-z_]\w*)\s*(?:final\s*)?[:{]", f"\n{code}")
    return list(dict.fromkeys(found))[:_CLASSES]


def _arguments(parameters: str, types: tuple[str, ...], begun: str = "") -> Iterator[str]:
    """Arguments to try for the parameters of a template, of which the first may be known.

    None where a parameter is no type, number or truth value.
    """
    first = list(split(begun))
    wanted = list(takewhile(lambda one: "=" not in one, split(parameters)))[len(first) :]
    for type_ in types if wanted else ():
        found = [_argument(parameter, type_) for parameter in wanted]
        if None in found:
            return
        yield f"<{', '.join((*map(str.strip, first), *filter(None, found)))}>"


def _argument(parameter: str, type_: str) -> str | None:
    words = parameter.split()
    if not words or "..." in parameter or "<" in parameter:
        return None
    return type_ if words[0] in ("typename", "class") else "false" if words[0] == "bool" else "2"


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


def accepted_names(names: list[str], begin: int, using: Callable[[list[str]], object]) -> frozenset[str]:
    """Those of names that clang takes, each on a line of its own from ``begin`` on; where what it objects to leads to
    none of these lines, they are tried one by one.
    """
    while names:
        try:
            using(names)
            break
        except Refused as refused:
            left = [name for line, name in enumerate(names, begin) if line not in refused.lines]
            if len(left) == len(names):
                return frozenset(filter(lambda name: _is_taken(name, using), names))
            names = left
    return frozenset(names)


def _is_taken(name: str, using: Callable[[list[str]], object]) -> bool:
    try:
        using([name])
    except Refused:
        return False
    return True
