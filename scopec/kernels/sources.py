"""CUDA C++ that Python has as text: CuPy's `RawKernel`, and the sources of PyTorch's `load_inline`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.kernels import kernels
from scopec.kernels.launch import Array, Launch, named
from scopec.kernels.literals import place_of
from scopec.kernels.program import Objects, PythonProgram, missing, number
from scopec.kernels.refusals import refused, shown

if TYPE_CHECKING:
    from scopec.frontends.clang.kernels import Kernel, Parameter

#: The bytes of numbers of C++ with names of their own.
_SIZES = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4,
    "unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "float": 4, "double": 8,
    "__half": 2, "__nv_bfloat16": 2,
}  # fmt: skip
_REAL = ("float", "double", "__half", "__nv_bfloat16")


@dataclass(frozen=True)
class Asker:
    """The file of a call of `check_kernel`, and what it gives to clang."""

    file: str
    folders: tuple[Path, ...] = ()
    macros: tuple[str, ...] = ()


def is_raw(kernel: Any) -> bool:
    """Whether an object has what a `cupy.RawKernel` documents: its source, its name and options."""
    return all(hasattr(kernel, name) for name in ("code", "name", "options")) and isinstance(kernel.code, str)


def raw_program(kernel: Any, launch: Launch | None, asker: Asker) -> PythonProgram:
    """The program of CuPy's `RawKernel`; of its options, what is defined counts."""
    macros = tuple(one for one in kernel.options if one.startswith(("-D", "-U")))
    return _program([kernel.code], kernel, kernel.name, launch, asker, macros)


def source_program(sources: list[str], name: str | None, launch: Launch | None, asker: Asker) -> PythonProgram:
    """The program of CUDA C++ in which there is a kernel, joined as `load_inline` joins it."""
    return _program(sources, sources[0] if sources else None, name, launch, asker, ())


def _program(
    sources: list[str], value: Any, name: str | None, launch: Launch | None, asker: Asker, macros: tuple[str, ...]
) -> PythonProgram:
    text, called, line, folder = "\n".join(sources), f"{name or 'program'}.cu", 0, Path.cwd()
    if len(sources) == 1 and (place := place_of(text, value, asker.file)) is not None:
        folder, called, line = Path(place[0]).parent, shown(place[0]), place[1] - 1
        text = "\n" * line + text
    if launch is None:
        return PythonProgram(text, called, macros=macros)
    found = kernels(Source(called, text), folder, Flags(asker.folders, (*macros, *asker.macros)), None)
    kernel = _chosen(found.kernels, name, Span(called, line + 1, 1, line + 1, 1))
    names = [one.name for one in kernel.parameters]
    given = named(launch.args, names, kernel.span)
    missing(given, names, kernel.span)
    objects = Objects(kernel.own_name, kernel.span)
    arguments = [_argument(one, given[one.name], objects, kernel.span) for one in kernel.parameters]
    started = f"launch {name or kernel.name}<<<{launch.configuration()}>>>({', '.join(arguments)})"
    return PythonProgram(found.source.text, called, (*objects.directives, started), line, macros=macros)


def _argument(parameter: Parameter, value: Any, objects: Objects, at: Span) -> str:
    """The argument for a parameter; an array has the type of the elements that the parameter points to."""
    if not isinstance(value, Array):
        return number(value, parameter.name, at)
    element, size = value.element, _SIZES.get(parameter.type)
    if parameter.kind != "pointer":
        message = f"`{parameter.name}` gets an array, and is no pointer to elements"
        raise refused(message, "give what the parameter takes", at, Code.BAD_LAUNCH)
    if size is not None and (size, parameter.type not in _REAL) != (element.size, element.integer):
        message = f"`{parameter.name}` points to `{parameter.type}`, and gets an array of {element.name}"
        raise refused(message, "give an array of that type: CuPy and PyTorch do not convert it", at, Code.BAD_LAUNCH)
    return objects.of(value, parameter.name, parameter.type)


def _chosen(found: tuple[Kernel, ...], name: str | None, at: Span) -> Kernel:
    """The kernel of a name, or the only one."""
    fit = [one for one in found if name is None or name in (one.name, one.own_name)]
    if len(fit) == 1:
        return fit[0]
    there = ", ".join(one.name for one in found) or "none"
    what = "several kernels" if name is None and fit else f"no kernel `{name}`" if name else "no kernel"
    raise refused(f"the source has {what}", f"its kernels: {there}; `name=` says which is meant", at, Code.NOT_LAUNCHED)
