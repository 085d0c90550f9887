"""A launch as text: of a kernel, with the sizes, numbers and contents of a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from scopec.base.source import Source
from scopec.frontends.clang.kernels import Kernel, Parameter
from scopec.sizes.questions import Model

_BYTES = {"char": 1, "short": 2, "int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8, "unsigned char": 1,
          "unsigned short": 2, "long long": 8, "unsigned long long": 8}  # fmt: skip

#: What follows the type of a parameter of each kind, in C++.
STARS = {"number": "", "truth": "", "class": "", "pointer": "*", "pointers": "**"}


def unwritten(kernel: Kernel) -> Parameter | None:
    """A parameter whose declaration is not known as C++, if there is one."""
    return next((one for one in kernel.parameters if one.kind not in STARS or one.rows), None)


def directives(
    source: Source, kernel: Kernel, model: Model, elements: int, bytes_: int, prefix: str
) -> tuple[str, ...] | None:  # fmt: skip
    """Directives for objects of so many elements, and the launch, with so many bytes of dynamic shared memory if it has
    some; None where an argument cannot be written.
    """
    objects, arguments = list[str](), list[str]()
    for one in kernel.parameters:
        argument = _argument(one, model, elements, prefix, objects)
        if argument is None:
            return None
        arguments.append(argument)
    dynamic = f", {bytes_}" if re.search(r"\bextern\b[^;]*\b__shared__\b", source.text) else ""
    kind = "cooperative " if kernel.shape.cooperative else ""
    launch = f"launch {kind}{kernel.name}<<<{shape(model)}{dynamic}>>>({', '.join(arguments)});"
    return (*objects, launch)


def shape(model: Model) -> str:
    """Grid and block as the launch has them."""
    return ", ".join(map(_dimensions, ("gridDim", "blockDim"), (model, model)))


def _dimensions(name: str, model: Model) -> str:
    sizes = [model.numbers.get(f"{name}.{axis}", 1) for axis in "xyz"]
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return str(sizes[0]) if len(sizes) == 1 else f"dim3({', '.join(map(str, sizes))})"


def threads(model: Model) -> int:
    """The number of threads of the launch."""
    return prod(model.numbers.get(f"{name}.{axis}", 1) for name in ("gridDim", "blockDim") for axis in "xyz")


def words(kernel: Kernel, model: Model) -> str:
    """The launch in a verdict: sizes, and the numbers that parameters are."""
    numbers = [f"{p.name} = {model.numbers[p.name]}" for p in kernel.parameters if p.name in model.numbers]
    others = "…, " if len(numbers) < len(kernel.parameters) else ""
    return f"{kernel.name}<<<{shape(model)}>>>({(others + ', '.join(numbers)).removesuffix(', ')})"


def object_of(kernel: Kernel, name: str, prefix: str) -> str:
    """What an object is called in a launch: that of a parameter has a name of its own."""
    return f"{prefix}{name}" if any(one.name == name for one in kernel.parameters) else name


def _argument(one: Parameter, model: Model, elements: int, prefix: str, objects: list[str]) -> str | None:
    match one.kind:
        case "number":
            return str(model.numbers.get(one.name, 1))
        case "truth":
            return "true" if model.numbers.get(one.name, 1) else "false"
        case "pointer":
            begins = "".join(_content(one, model, elements))
            objects.append(f"object __device__ {one.type} {prefix}{one.name}[{elements}]{one.rows}{begins};")
            return f"{prefix}{one.name}"
        case _:
            return None


def _content(one: Parameter, model: Model, elements: int) -> Iterator[str]:
    """The contents that the model chose, as an initialiser."""
    size = _BYTES.get(one.type.removeprefix("const "))
    chosen = model.contents.get(f"{one.name}:{8 * size}", {}) if size else {}
    if not size or one.rows or not chosen:
        return
    found = {at // size: value for at, value in chosen.items() if at >= 0 and at % size == 0 and at // size < elements}
    if found:
        yield f" = {{{', '.join(str(found.get(place, 0)) for place in range(max(found) + 1))}}}"
