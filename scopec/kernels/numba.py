"""Numba: the PTX that `numba.cuda` compiles of a function, without a GPU."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import prod
from typing import TYPE_CHECKING, Any

from scopec.base.source import Source
from scopec.frontends.ptx.names import kernels
from scopec.frontends.ptx.syntax import read_module
from scopec.kernels.launch import Array, Launch, named
from scopec.kernels.program import Objects, PythonProgram, missing, number, renamed
from scopec.kernels.ptx_text import beside, relative
from scopec.kernels.refusals import compiling, lines, place, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span

#: The parameters before the data of an array: its two owners, the number of elements, the size of one.
_BEFORE_DATA = 4
#: The lines of an error of Numba's that say what is wrong: in which part of the compiler, and what.
_SAID = slice(2)
_WAY_OUT = "correct what Numba objects to; `pip install 'numba-cuda[cu13]'` has all it needs"


def is_numba(kernel: Any) -> bool:
    """Whether an object is a kernel that `numba.cuda.jit` made."""
    return type(kernel).__name__ == "CUDADispatcher" and hasattr(kernel, "py_func")


def numba_program(kernel: Any, launch: Launch | None, signature: Any, arch: str) -> PythonProgram:
    """The program of a function that `numba.cuda.jit` made a kernel of."""
    function = kernel.py_func
    at, names = place(function), function.__code__.co_varnames[: function.__code__.co_argcount]
    given = named(launch.args, names, at) if launch is not None else {}
    if launch is not None:
        missing(given, names, at)
    types = _types(kernel, given, signature, at)
    text = relative(_compiled(function, types, kernel.targetoptions, arch, at), at.file)
    plain, entry = next(iter(kernels(read_module(Source(beside(at, function.__name__), text))).items()))
    made = f"Numba {_version('numba')} (numba-cuda {_version('numba-cuda')}) for {arch}"
    if launch is None:
        if any(getattr(one, "layout", "C") == "A" for one in types):
            message = "no strides can be guessed for arrays that may have any"
            raise refused(message, "give launch=scopec.Launch(…), or contiguous arrays, as int32[::1]", at)
        data = {entry.parameters[n].names[0][0]: name for name, n in _data(names, types).items()}
        return PythonProgram(renamed(text, data), beside(at, function.__name__), (), 0, "ptx", made)
    objects = Objects(plain, at, 16)
    arguments = [text for name in names for text in _arguments(name, given[name], objects, at)]
    started = f"launch {plain}<<<{launch.configuration()}>>>({', '.join(arguments)})"
    return PythonProgram(text, beside(at, function.__name__), (*objects.directives, started), 0, "ptx", made)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _types(kernel: Any, given: Mapping[str, Any], signature: Any, at: Span) -> tuple[Any, ...]:
    """Numba's types of the arguments: of those that are given, of a signature, or of those that it was compiled for."""
    types = import_module("numba").types
    if signature is not None:
        try:
            return tuple(import_module("numba.core.sigutils").normalize_signature(signature)[0])
        except Exception as bad:
            raise refused(f"Numba takes no such signature: {lines(bad)}", "one as cuda.jit takes it", at) from None
    if given:
        return tuple(_type(types, value, name, at) for name, value in given.items())
    if kernel.signatures:
        return tuple(kernel.signatures[0])
    if kernel.py_func.__code__.co_argcount:
        message = "this kernel has no signature, and nothing says what its arguments are"
        raise refused(message, 'give launch=scopec.Launch(…), or signature="void(int32[::1], int32)"', at)
    return ()


def _type(types: Any, value: Any, name: str, at: Span) -> Any:
    match value:
        case Array():
            kind = "boolean" if value.element.name == "bool" else value.element.name
            if not hasattr(types, kind):
                raise refused(f"Numba has no arrays of `{kind}`, as `{name}` is", "take another type of elements", at)
            return types.Array(getattr(types, kind), len(value.lengths), "C")
        case bool():
            return types.boolean
        case int():
            return types.int64
        case float():
            return types.float64
        case _ if hasattr(value, "dtype"):
            return getattr(types, "boolean" if str(value.dtype) == "bool" else str(value.dtype))
    number(value, name, at)
    raise AssertionError(value)


def _compiled(function: Any, types: tuple[Any, ...], options: Mapping[str, Any], arch: str, at: Span) -> str:
    found = re.fullmatch(r"sm_(\d+)(\d)a?f?", arch)
    if found is None:
        raise refused(f"`{arch}` is no architecture of a GPU", "one such as sm_90", at)
    kept = {name: options[name] for name in ("fastmath", "opt") if options.get(name) is not None}
    with compiling("Numba", _SAID, _WAY_OUT, at):
        text, _ = import_module("numba.cuda").compile_ptx(
            function, types, cc=(int(found[1]), int(found[2])), lineinfo=True, **kept
        )
    return str(text)


def _data(names: tuple[str, ...], types: tuple[Any, ...]) -> dict[str, int]:
    """The numbers of the parameters of PTX that are the data of arrays, or numbers, by the names of Python's."""
    found, at = dict[str, int](), 0
    for name, type_ in zip(names, types, strict=False):
        axes = getattr(type_, "ndim", None)
        found[name] = at if axes is None else at + _BEFORE_DATA
        at += 1 if axes is None else _BEFORE_DATA + 1 + 2 * axes
    return found


def _arguments(name: str, value: Any, objects: Objects, at: Span) -> list[str]:
    """The arguments of PTX for one of Python: an array is its owners, length, element size, data, shape and strides."""
    if not isinstance(value, Array):
        return [number(value, name, at)]
    element, lengths = value.element, value.lengths
    strides = (element.size * prod(lengths[axis + 1 :]) for axis in range(len(lengths)))
    data = objects.of(value, name, element.declared)
    return [*map(str, (0, 0, value.count, element.size)), data, *map(str, (*lengths, *strides))]
