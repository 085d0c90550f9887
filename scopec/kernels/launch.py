"""A launch as Python says it: its grid, its blocks, and the memory and numbers that the kernel gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass
from scopec.kernels.elements import Element, element
from scopec.kernels.refusals import refused

if TYPE_CHECKING:
    from scopec.base.source import Span


@dataclass(frozen=True, eq=False)
class Array:
    """Memory of a launch: its elements' type by NumPy's name, its shape, and the integers in it at first (0 if none).

    One that is two arguments is one piece of memory.
    """

    dtype: Any
    shape: int | tuple[int, ...]
    contents: Sequence[int] = ()

    @property
    def element(self) -> Element:
        """The type of its elements."""
        return element(self.dtype)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Its shape, as the numbers of elements along each axis."""
        return (self.shape,) if isinstance(self.shape, int) else tuple(self.shape)

    @property
    def count(self) -> int:
        """The number of its elements."""
        return prod(self.lengths)


@dataclass(frozen=True)
class Launch:
    """A launch: blocks and threads along each axis, arguments in order or by name, bytes of dynamic shared memory.

    Arguments are numbers, `Array`s, and arrays of NumPy, CuPy or PyTorch. Without a ``block``, Triton's has the threads
    that it launches, and others one.
    """

    grid: int | tuple[int, ...] = 1
    block: int | tuple[int, ...] | None = None
    args: Sequence[Any] | Mapping[str, Any] = ()
    shared: int = 0

    def configuration(self, threads: int = 1) -> str:
        """What stands between `<<<` and `>>>`, where a block has ``threads`` unless something else is said."""
        block = threads if self.block is None else self.block
        return f"{_cube(self.grid)}, {_cube(block)}" + (f", {self.shared}" if self.shared else "")


def launch_of(given: Launch | Sequence[Any] | Mapping[str, Any] | None) -> Launch | None:
    """A launch, given as itself, as ``(grid, block, args)``, or as a mapping of its fields."""
    if given is None or isinstance(given, Launch):
        return given
    try:
        return Launch(**given) if isinstance(given, Mapping) else Launch(*given)
    except TypeError as bad:
        raise refused(f"this is no launch: {bad}", "give scopec.Launch(grid, block, args)") from None


def _cube(size: int | tuple[int, ...]) -> str:
    sizes: tuple[Any, ...] = (size,) if isinstance(size, int) else tuple(size)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(one, int) and one > 0 for one in sizes):
        raise refused(f"`{size}` is no size of a grid or a block", "one to three numbers, each at least 1")
    return str(sizes[0]) if len(sizes) == 1 else f"dim3({', '.join(map(str, sizes))})"


def named(args: Sequence[Any] | Mapping[str, Any], names: Sequence[str], at: Span) -> dict[str, Any]:
    """The arguments that are given, by their parameters, in the order of these; arrays of packages are `Array`s."""
    pairs = dict(args) if isinstance(args, Mapping) else dict(zip(names, args, strict=False))
    unknown = [name for name in pairs if name not in names]
    if unknown or len(pairs) < len(args):
        what = f"the argument `{unknown[0]}`" if unknown else f"{len(args)} arguments"
        raise refused(
            f"{what} for a kernel with the parameters {', '.join(names)}", "give one argument a parameter", at
        )
    pairs = {name: pairs[name] for name in names if name in pairs}
    kept: dict[object, Any] = {}
    there: dict[str, range] = {}
    for name, value in pairs.items():
        if (here := _addresses(value)) is None:
            continue
        for other, there_ in there.items():
            if here != there_ and here.start < there_.stop and there_.start < here.stop:
                message = f"the arrays for `{other}` and `{name}` overlap"
                raise refused(message, "give one array twice, or arrays of memory of their own", at)
        there[name] = here
    return {
        name: kept.setdefault(there.get(name, id(value)), _argument(value, name, at)) for name, value in pairs.items()
    }


def _addresses(value: Any) -> range | None:
    """The addresses of an array of a package: views of one memory are no memories of their own."""
    for interface in ("__array_interface__", "__cuda_array_interface__"):
        if isinstance(value, Array) or not (about := getattr(value, interface, None)):
            continue
        return range(about["data"][0], about["data"][0] + value.nbytes)
    if not isinstance(value, Array) and callable(pointer := getattr(value, "data_ptr", None)):
        return range(pointer(), pointer() + value.numel() * value.element_size())
    return None


def _argument(value: Any, name: str, at: Span) -> Any:
    if isinstance(value, Array) or not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return value
    if value.shape == ():  # a number of NumPy's
        return value
    flags: Any = getattr(value, "flags", None)
    whole = value.is_contiguous() if hasattr(value, "is_contiguous") else getattr(flags, "c_contiguous", True)
    if not whole:
        raise refused(f"the array for `{name}` is not contiguous", "pass a copy of it", at)
    made = Array(value.dtype, tuple(map(int, value.shape)))
    return Array(value.dtype, made.shape, value.reshape(-1).tolist() if made.element.integer else ())
