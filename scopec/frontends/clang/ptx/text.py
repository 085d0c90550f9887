"""The C++ text around a file of PTX: its directives, and kernels to launch that take what those of the file do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.files import read_source
from scopec.base.records import dataclass
from scopec.base.source import Source
from scopec.base.visible import may_show
from scopec.frontends.c.syntax import tree
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.names import kernels
from scopec.frontends.ptx.syntax import read_module
from scopec.frontends.scoped.syntax.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_REAL = {("f", 32): "float", ("f", 64): "double"}
_NUMBERS = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "__scopec::word", 128: "unsigned __int128"}
#: The part of a line before a directive.
_BEFORE_DIRECTIVES = re.compile(r"^(?:(?!//@).)*", re.MULTILINE)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Ptx:
    """A file of PTX; ``declared`` are the kernels that the C++ text around it does not have, by their names there,
    ``files`` the sources that can be read, as they are shown."""

    source: Source
    module: forms.Module
    declared: Mapping[str, forms.Function]
    files: Mapping[int, str]

    def declarations(self) -> str:
        """The C++ text that declares those kernels."""
        made = "".join(_stub(name, kernel) for name, kernel in self.declared.items() if _IDENTIFIER.fullmatch(name))
        return f"#include <scopec/ptx.h>\n{made}"


def is_ptx(source: Source) -> bool:
    """Whether a file is one of PTX."""
    return source.name.endswith(".ptx")


def around(source: Source) -> Source:
    """The C++ text in a file: of one of PTX its directives, in their places."""
    if not is_ptx(source):
        return source
    kept = _BEFORE_DIRECTIVES.sub(lambda match: " " * len(match.group()), source.text)
    return Source(source.name, kept, source.folders)


def ptx_of(source: Source, folder: Path, directives: Iterable[tree.Directive]) -> Ptx | None:
    """The PTX that a file is, or names with ``kernels "FILE";``; InputError where there is something wrong with it."""
    named = [d for d in directives if isinstance(d, tree.KernelsDirective)]
    if is_ptx(source):
        if named:
            raise error(Code.BAD_DIRECTIVE, "a file of PTX has its kernels itself", named[0].span, "remove this")
        return _ptx(source, source, folder)
    if not named:
        return None
    if len(named) > 1:
        raise error(Code.BAD_DIRECTIVE, "a file has one file of PTX", named[1].span, "remove this")
    name = named[0].name[1:-1]
    shown = str(Path(source.name).parent / name)
    beside = Source(str(folder / "_"), "", source.folders)  # what the source is called may be elsewhere
    if not any(may_show(folder / name, one) for one in (source, beside)):
        message = f"`{name}` is outside the repository, or the folder of this file"
        raise error(Code.UNREADABLE, message, named[0].span, "put it beside this file, or --allow-outside")
    try:
        found = read_source(folder / name, shown)
    except InputError as unread:
        raise error(Code.UNREADABLE, unread.diagnostics[0].message, named[0].span) from None
    return _ptx(found, source, folder)


def _ptx(source: Source, text: Source, folder: Path) -> Ptx:
    module, code = read_module(source), "" if source is text else scan(text).code
    if not (entries := kernels(module)):
        raise error(Code.NOTHING_TO_CHECK, "the file has no kernel", source.span(0, 0), "a kernel is an `.entry`")
    there = set(re.findall(r"[\w$]+", code))
    declared = {name: kernel for name, kernel in entries.items() if name not in there}
    return Ptx(source, module, declared, dict(readable(module, text, folder)))


def readable(module: forms.Module, text: Source, folder: Path) -> Iterable[tuple[int, str]]:
    """The sources that are there: beside the file, or where they were when it was compiled."""
    for file in module.files:
        beside = folder / Path(file.name).name
        if beside.is_file():
            shown = str(Path(text.name).parent / beside.name)
            yield file.number, text.name if beside.name == Path(text.name).name else shown
        elif Path(file.name).is_file():
            yield file.number, file.name


def _stub(name: str, kernel: forms.Function) -> str:
    """A kernel without code; what is a trailing parameter that nobody reads need not be given."""
    parameters = []
    operands = [operand for item in forms.instructions(kernel.body) for operand in item.operands]
    used = {operand.name for operand in operands if isinstance(operand, forms.Name | forms.Element | forms.Indexed)}
    for item in reversed(kernel.parameters):
        types, (parameter, count) = table.types(item.words), item.names[0]
        if count is not None:
            parameters.append(f"__scopec::bytes<{count * types[0].bits // 8}, {item.alignment or 1}>")
        else:
            number = _REAL.get((types[0].kind, types[0].bits)) or _NUMBERS[types[0].bits]
            unread = parameter not in used and all(" = 0" in other for other in parameters)
            parameters.append(number + (" = 0" if unread else ""))
    return f'extern "C" __global__ void {name}({", ".join(reversed(parameters))}) {{}} '
