"""A launch as text: of a kernel, with the sizes, numbers and contents of a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scopec.base.source import Source
from scopec.frontends.clang.kernels import Kernel, Parameter
from scopec.sizes.questions import Model

_BYTES = {"char": 1, "short": 2, "int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8, "unsigned char": 1,
          "unsigned short": 2, "long long": 8, "unsigned long long": 8}  # fmt: skip

#: What follows the type of a parameter of each kind, in C++.
STARS = {"number": "", "truth": "", "enumeration": "", "class": "", "pointer": "*", "pointers": "**", "handle": "*"}


def unwritten(kernel: Kernel) -> Parameter | None:
    """A parameter whose declaration is not known as C++, if there is one."""
    return next((one for one in kernel.parameters if declared(one) is None), None)


def declared(one: Parameter) -> str | None:
    """The declaration of a parameter in C++, as far as it is known: one for the address of any function."""
    if one.rows:
        return f"{one.type} (*{one.name}){one.rows}" if one.kind == "pointer" else None
    if one.called:
        return f"void (*{one.name})()"
    return f"{one.type}{STARS[one.kind]} {one.name}" if one.kind in STARS else None


def directives(
    source: Source, kernel: Kernel, model: Model, elements: int, bytes_: int, prefix: str
) -> tuple[str, ...] | None:  # fmt: skip
    """Directives for objects of so many elements, and the launch, with so many bytes of dynamic shared memory if it has
    some; None where an argument cannot be written.
    """
    objects, arguments = list[str](), list[str]()
    for one in kernel.parameters:
        argument = _argument(one, one.name, model, elements, f"{prefix}{one.name}", objects)
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


def words(kernel: Kernel, model: Model) -> str:
    """The launch in a verdict: sizes, and the numbers that parameters, or members of these, are."""
    named = [(one, list(_named(one, one.name, one.name, model))) for one in kernel.parameters]
    numbers = [number for _, found in named for number in found]
    others = "…, " if any(not found for _, found in named) else ""
    return f"{kernel.name}<<<{shape(model)}>>>({(others + ', '.join(numbers)).removesuffix(', ')})"


def _named(one: Parameter, key: str, name: str, model: Model) -> Iterator[str]:
    if one.kind == "class":
        for key_of, part in _parts(one, key):
            yield from _named(part, key_of, f"{name}.{part.name}", model)
    elif key in model.numbers:
        yield f"{name} = {model.numbers[key]}"


def _parts(one: Parameter, key: str) -> Iterator[tuple[str, Parameter]]:
    """The members of a class, or the arguments of its constructor, each with its name in a model: its first offset."""
    whole, _, begins = key.partition("+")
    for part in one.parts:
        yield "" if part.at is None else f"{whole}+{int(begins or 0) + part.at}", part


def object_of(kernel: Kernel, name: str, prefix: str) -> str:
    """What an object is called in a launch: that of a parameter has a name of its own."""
    return f"{prefix}{name}" if any(one.name == name for one in kernel.parameters) else name


def _argument(one: Parameter, key: str, model: Model, elements: int, name: str, objects: list[str]) -> str | None:
    """An argument, which is ``key`` in the model; the objects that it needs, of this name, are added."""
    match one.kind:
        case "enumeration":
            return f"{one.type}({model.numbers.get(key, one.first)})"
        case "number":
            return str(model.numbers.get(key, 1))
        case "truth":
            return "true" if model.numbers.get(key, 1) else "false"
        case "pointer":
            begins = "".join(_content(one, key, model, elements))
            objects.append(f"object __device__ {one.type} {name}[{elements}]{one.rows}{begins};")
            return name
        case "handle":
            return "nullptr"
        case "numbers":
            return "{}"
        case "class":
            given = [
                _argument(part, at, model, elements, f"{name}_{part.name}", objects) for at, part in _parts(one, key)
            ]
            return None if None in given else f"{one.type}{{{', '.join(filter(None, given))}}}"
        case _:
            return None


def _content(one: Parameter, key: str, model: Model, elements: int) -> Iterator[str]:
    """The contents that the model chose, as an initialiser."""
    size = _BYTES.get(one.type.removeprefix("const "))
    chosen = model.contents.get(f"{key}:{8 * size}", {}) if size else {}
    if not size or one.rows or not chosen:
        return
    found = {at // size: value for at, value in chosen.items() if at >= 0 and at % size == 0 and at // size < elements}
    if found:
        yield f" = {{{', '.join(str(found.get(place, 0)) for place in range(max(found) + 1))}}}"
