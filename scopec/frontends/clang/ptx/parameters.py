"""Objects that the parameters of a PTX file point to; expectations name them by parameter and offset."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from scopec.frontends.clang.machine.memory import Address, Content, Memory, object_name, shape
from scopec.frontends.clang.machine.spawned import Launch

if TYPE_CHECKING:
    from scopec.frontends.clang.llvm import code as llvm
    from scopec.frontends.clang.machine.world import World


def parameters(world: World) -> dict[str, dict[int, str]]:
    """The elements of the object that a launch points a parameter into, by the bytes to them, for each parameter's
    name.

    The names are those of the file, and ``KERNEL_param_N`` as compilers write it, N from 0 on.  A parameter that is no
    pointer, or points elsewhere in another launch, has no elements.
    """
    found: dict[str, dict[int, str]] = {}
    for launch in world.launches.values():
        if isinstance(launch, Launch) and _of_ptx(world, launch.function):
            given = zip(launch.function.parameters, launch.arguments, strict=True)
            for number, ((name, _), content) in enumerate(given):
                elements = _elements(world, content)
                for known in (name, f"{launch.kernel}_param_{number}"):
                    found[known] = elements if found.get(known, elements) == elements else {}
    return found


def _of_ptx(world: World, function: llvm.Function) -> bool:
    declared = world.device.debug.declared(function.subprogram) if function.subprogram is not None else None
    return declared is not None and declared.file.endswith(".ptx")


def _elements(world: World, content: Content) -> dict[int, str]:
    """The elements of the object that a pointer points into, by their distance from there."""
    if not isinstance(content, Address) or not isinstance(content.region, Memory) or content.offset.terms:
        return {}
    layout, found = world.layouts[content.region], dict[int, str]()
    for leaf in layout.leaves:
        object_ = world.objects[object_name(layout.name, leaf)]
        for index, position in enumerate(product(*map(range, shape(leaf)))):
            inside = sum(at * distance for at, (_, distance) in zip(position, leaf.extents, strict=True))
            found[leaf.offset + inside - content.offset.constant] = object_.element(index)
    return found
