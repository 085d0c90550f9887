"""The text of a guess: directives for the objects and the launch of a kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.records import dataclass, replace
from scopec.frontends.clang.shapes import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source
    from scopec.frontends.clang.kernels import Kernel, Parameter

#: The number that is chosen as an argument of a template.
ARGUMENT = 2
#: The number of pointers in an array of them.
_POINTERS = 4
#: The bytes of a block's dynamic shared memory.
_DYNAMIC = 4096
#: The first elements of an array that is filled, of the smallest one all but the last: each is the next one's index,
#: so that as indices they are different, as the beginnings of rows they grow, and whom they name is somebody else.
_CONTENT = range(1, 16)
#: The types of numbers of so many bytes: 1, 2 and 4.
_PARTS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}
#: The types of numbers of which no row is so long.
_NO_LENGTHS = ("float", "double", "half", "bfloat")


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers that a kernel gets: one for all, but for some parameters, by the names of these.

    ``argument`` are those of a template whose arguments are chosen, ``filled`` the objects with numbers from 1 on.
    """

    each: int
    others: tuple[tuple[str, int], ...] = ()
    argument: int = ARGUMENT
    filled: tuple[str, ...] = ()

    def named(self, kernel: Kernel) -> str:
        """The name of a kernel with these arguments."""
        if not kernel.chosen or self.argument == ARGUMENT:
            return kernel.name
        return re.sub(rf"(?<=[<\s]){ARGUMENT}(?=U?L{{0,2}}[,>])", str(self.argument), kernel.name)

    def of(self, name: str) -> int:
        """That for a parameter, or for a member of one."""
        return dict(self.others).get(name, self.each)


def shapes(kernel: Kernel) -> Iterator[str]:
    """The shapes to try: two blocks of two threads in each direction that the kernel looks at, one block if it looks at
    none; then with blocks as the file has them.
    """
    grid = _cube(kernel.shape.grid[:1])
    dynamic = f", {_DYNAMIC}" if kernel.shape.dynamic else ""
    yield f"{grid}, {_cube(kernel.shape.threads)}{dynamic}"
    for own in kernel.shape.blocks:
        yield f"{grid}, {own}{dynamic}"


def row(shape: str) -> int | None:
    """The threads of a row of a block, of a shape in which that is written as a number."""
    _, block, *_ = split(shape)
    found = re.match(r"\s*(?:dim3\()?\s*(\d+)\s*(?:[,)]|$)", block)
    return int(found[1]) if found else None


def smallest(kernel: Kernel) -> tuple[str, Numbers]:
    """A small shape, and small numbers: one block of two threads, for a kernel that does much."""
    dynamic = f", {_DYNAMIC}" if kernel.shape.dynamic else ""
    return f"1, {_cube(kernel.shape.threads[:1])}{dynamic}", Numbers(2)


def wider(kernel: Kernel) -> str:
    """One block of four threads in each direction, for what only threads between two others do to them."""
    dynamic = f", {_DYNAMIC}" if kernel.shape.dynamic else ""
    return f"{_cube(kernel.shape.grid[:1], '1')}, {_cube(kernel.shape.threads, '4')}{dynamic}"


def larger(kernel: Kernel) -> str:
    """Two blocks of two warps, for a kernel whose threads share something."""
    dynamic = f", {_DYNAMIC}" if kernel.shape.dynamic else ""
    axes = kernel.shape.threads
    each = {1: "64", 2: "8"}.get(len(axes), "4")
    return f"{_cube(kernel.shape.grid[:1])}, {_cube(axes, each)}{dynamic}"


def _cube(axes: str, each: str = "2") -> str:
    """So many along each axis of some."""
    sizes = [each if axis in axes else "1" for axis in "xyz"[: "xyz".find(axes[-1:]) + 1]]
    return sizes[0] if len(sizes) == 1 else f"dim3({', '.join(sizes)})" if sizes else "1"


def has_numbers(parameters: tuple[Parameter, ...]) -> bool:
    """Whether some argument is a number, or has one."""
    return any(one.kind == "number" or has_numbers(one.parts) for one in parameters)


def lengths(parameters: tuple[Parameter, ...], within: str = "") -> Iterator[tuple[str, str]]:
    """The arguments that may be the length of a row, by their names in a guess, and their own ones."""
    for one in parameters:
        if one.kind == "number" and not any(word in one.type for word in _NO_LENGTHS):
            yield f"{within}{one.name}", one.name
        yield from lengths(one.parts, f"{within}{one.name}_")


@dataclass(frozen=True, slots=True)
class Naming:
    """How objects are declared: with a prefix to their names; as ``storage``, without a call of their constructors."""

    prefix: str = ""
    storage: bool = False


def namings(kernel: Kernel) -> Iterator[Naming]:
    """Those to try: with names of the parameters, with names that the file has no other use for."""
    for storage in (False, True) if any(one.constructed for one in kernel.parameters) else (False,):
        yield from (Naming(prefix, storage) for prefix in ("", f"{kernel.own_name}_"))


def directives(kernel: Kernel, shape: str, numbers: Numbers, size: int, naming: Naming) -> Iterator[str]:
    """The directives of a guess, the launch last.  Raises InputError where there is none for some parameter."""
    objects: dict[str, list[str]] = {}
    kind = "cooperative " if kernel.shape.cooperative else ""
    arguments = [_argument(kernel, one, one.name, numbers, size, naming, objects) for one in kernel.parameters]
    for type_, declared in objects.items():
        yield f"object __device__ {type_} {', '.join(declared)};"
    yield f"launch {kind}{numbers.named(kernel)}<<<{shape}>>>({', '.join(arguments)});"


def is_of_directives(refused: InputError, source: Source) -> bool:
    """Whether other names may help a text that is refused with directives behind it: with some that it has itself."""
    end = source.text.count("\n") + 1
    return any(
        one.code is Code.DUPLICATE or (one.span.file == source.name and one.span.line > end)
        for one in refused.diagnostics
    )


def with_parts(kernel: Kernel, object_: str, size: int) -> Kernel:
    """The kernel, where parts of so many bytes of an object's elements are accessed; the same if it is no guess's."""
    names = {object_.removeprefix(naming.prefix) for naming in namings(kernel)}
    return replace(kernel, parameters=tuple(_with_parts(kernel.parameters, "", names, size)))


def _with_parts(parameters: tuple[Parameter, ...], within: str, names: set[str], size: int) -> Iterator[Parameter]:
    for one in parameters:
        if one.kind == "class":
            yield replace(one, parts=tuple(_with_parts(one.parts, f"{within}{one.name}_", names, size)))
        elif one.kind == "pointer" and f"{within}{one.name}" in names and not (one.constructed or one.rows):
            finer = not one.parted or size < one.parted  # else it is one of whole parts, and misaligned
            yield replace(one, parted=max(part for part in _PARTS if part <= size)) if finer else one
        else:
            yield one


def _argument(
    kernel: Kernel,
    one: Parameter,
    name: str,
    numbers: Numbers,
    size: int,
    naming: Naming,
    objects: dict[str, list[str]],
) -> str:
    """The argument for a parameter, or for a member of one; the objects that it needs are added."""
    match one.kind:
        case "number":
            return str(numbers.of(name))
        case "truth":
            return "true"
        case "enumeration":
            return f"{one.type}({one.first})"
        case "pointer":
            own = f"{naming.prefix}{name}"
            if one.constructed and naming.storage:
                elements = f"char none[{size} * sizeof({one.type}{one.rows})]; {one.type} elements[{size}]{one.rows};"
                objects[f"union {own}_storage {{ {elements} constexpr {own}_storage() : none{{}} {{}} }}"] = [own]
                return f"{own}.elements"
            if one.parted:
                of = f" / {one.parted}" if one.parted > 1 else ""
                objects.setdefault(_PARTS[one.parted], []).append(f"{own}[{size} * sizeof({one.type}){of}]")
                return f"({one.type}*){own}"
            content = f" = {{{', '.join(map(str, _CONTENT))}}}" if own in numbers.filled and not one.rows else ""
            objects.setdefault(one.type, []).append(f"{own}[{size}]{one.rows}{content}")
            return own
        case "pointers":
            inner = [f"{naming.prefix}{name}_{number}" for number in range(_POINTERS)]
            objects.setdefault(one.type, []).extend(f"{each}[{size}]" for each in inner)
            objects.setdefault(f"{one.type}*", []).append(
                f"{naming.prefix}{name}[{_POINTERS}] = {{{', '.join(inner)}}}"
            )
            return f"{naming.prefix}{name}"
        case "handle":
            return "nullptr"
        case "numbers":
            return "{}"
        case "class":
            parts = [
                _argument(kernel, part, f"{name}_{part.name}", numbers, size, naming, objects) for part in one.parts
            ]
            return f"{one.type}{{{', '.join(parts)}}}"
        case _:
            what = f"`{one.type}`" if one.type else "argument"
            message = f"the kernel `{kernel.name}` is never launched, and no {what} for `{name}` can be guessed"
            help_ = f"write `int main()`, or `//@ launch {kernel.name}<<<2, 2>>>(…);`"
            raise InputError(Diagnostic(Code.NOT_LAUNCHED, message, kernel.span, help_))
