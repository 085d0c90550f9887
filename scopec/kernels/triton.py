"""Triton: the PTX that it compiles of a function, without a GPU."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass
from scopec.base.source import Source
from scopec.frontends.ptx.names import kernels
from scopec.frontends.ptx.syntax import read_module
from scopec.kernels.elements import element
from scopec.kernels.launch import Array, Launch, named
from scopec.kernels.program import Objects, PythonProgram, missing, number, renamed
from scopec.kernels.ptx_text import beside, relative
from scopec.kernels.refusals import compiling, place, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span

#: What Triton knows of an address or a number that is a multiple of 16, as of every piece of memory of its own size.
_ALIGNED = 16
_WARP = 32
#: The lines of an error of Triton's that say what is wrong: those before it quote the kernel.
_SAID = slice(-1, None)


@dataclass(frozen=True)
class _Types:
    """What Triton is told of the parameters: their types, the constants, and which are multiples of 16."""

    signature: dict[str, str]
    constants: dict[str, Any]
    aligned: frozenset[str]


def is_triton(kernel: Any) -> bool:
    """Whether an object is a kernel that `triton.jit` made, or one that tries configurations of it."""
    return hasattr(kernel, "fn") and type(kernel).__module__.split(".")[0] == "triton"


def triton_program(
    kernel: Any, launch: Launch | None, signature: Mapping[str, Any] | None, arch: str, options: Mapping[str, Any]
) -> PythonProgram:
    """The program of a function that `triton.jit` made a kernel of."""
    function = kernel.fn
    at = place(function if hasattr(function, "__code__") else None)
    if type(kernel).__name__ != "JITFunction":
        message = f"a `{type(kernel).__name__}` of Triton is not one kernel that can be compiled"
        raise refused(message, "give the function under triton.jit alone, with the constants of one configuration", at)
    names = [one.name for one in kernel.params]
    given = {one.name: one.default for one in kernel.params if one.has_default}
    given |= named(launch.args, names, at) if launch is not None else {}
    given |= {name: value for name, value in (signature or {}).items() if not isinstance(value, str)}
    types = _types(kernel, given, signature, launch, at)
    text, threads = _compiled(kernel, types, arch, options, at)
    text = relative(text, at.file)
    plain, entry = next(iter(kernels(read_module(Source(beside(at, function.__name__), text))).items()))
    made, called = f"Triton {_version()} for {arch}", beside(at, function.__name__)
    parameters = [name for name, type_ in types.signature.items() if type_ != "constexpr"]
    if launch is None:
        own = {one.names[0][0]: name for one, name in zip(entry.parameters, parameters, strict=False)}
        return PythonProgram(renamed(text, own), called, (), 0, "ptx", made)
    if launch.block is not None and launch.block != threads:
        text = text.replace(f".reqntid {threads}", f".reqntid {_fewer(launch, threads, at)}")
        made += f", asked of blocks of the first {launch.block} of the {threads} threads that Triton launches"
    objects = Objects(plain, at, _ALIGNED)
    arguments = [
        objects.of(value, name, value.element.declared) if isinstance(value, Array) else number(value, name, at)
        for name, value in ((name, given[name]) for name in parameters)
    ]
    started = f"launch {plain}<<<{launch.configuration(threads)}>>>({', '.join(arguments)})"
    return PythonProgram(text, called, (*objects.directives, started), 0, "ptx", made)


def _fewer(launch: Launch, threads: int, at: Span) -> int:
    """The threads of a block that are asked about, where these are not all that Triton launches."""
    if isinstance(launch.block, int) and 0 < launch.block < threads:
        return launch.block
    message = f"Triton launches blocks of {threads} threads, and not of {launch.block}"
    raise refused(message, 'leave `block` out; options={"num_warps": …} says how many there are', at)


def _version() -> str:
    return str(import_module("triton").__version__)


def _types(
    kernel: Any, given: Mapping[str, Any], signature: Mapping[str, Any] | None, launch: Launch | None, at: Span
) -> _Types:
    constant = [one.name for one in kernel.params if one.is_constexpr]
    rest = [one.name for one in kernel.params if not one.is_constexpr]
    missing(given, constant, at)
    if launch is not None:
        missing(given, rest, at)
        types = {name: _type(given[name], name, at) for name in rest}
    elif signature is not None:
        missing(signature, rest, at)
        types = {name: str(signature[name]) for name in rest}
    else:
        message = "nothing says what the arguments of this kernel are"
        raise refused(message, 'give launch=scopec.Launch(…), or signature={"x": "*i32", "BLOCK": 32}', at)
    free = {one.name for one in kernel.params if getattr(one, "do_not_specialize", False)}
    loose = {one.name for one in kernel.params if getattr(one, "do_not_specialize_on_alignment", False)} | free
    ones = [name for name in rest if launch is not None and _is_one(given[name]) and name not in free]
    constants = {name: given[name] for name in constant} | dict.fromkeys(ones, 1)
    constants |= {name: None for name in rest if launch is not None and given[name] is None}
    types |= dict.fromkeys(constants, "constexpr")
    aligned = (
        name
        for name in rest
        if name not in loose and name not in constants and _is_aligned(given.get(name), types[name])
    )
    return _Types({one.name: types[one.name] for one in kernel.params}, constants, frozenset(aligned))


def _is_one(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == 1


def _is_aligned(value: Any, type_: str) -> bool:
    """Whether Triton makes use of an argument's being a multiple of 16."""
    return type_.startswith("*") or (isinstance(value, int) and not isinstance(value, bool) and value % _ALIGNED == 0)


def _type(value: Any, name: str, at: Span) -> str:
    match value:
        case None:
            return "constexpr"
        case Array():
            return f"*{value.element.triton}"
        case bool():
            return "u1"
        case int():
            return "i32" if -(1 << 31) <= value < 1 << 31 else "i64" if value < 1 << 63 else "u64"
        case float():
            return "fp32"
        case _ if hasattr(value, "dtype"):
            return element(value.dtype).triton
        case _:
            number(value, name, at)
            raise AssertionError(value)


def _compiled(kernel: Any, types: _Types, arch: str, options: Mapping[str, Any], at: Span) -> tuple[str, int]:
    """The PTX of a kernel, and the number of threads in a block."""
    found = re.fullmatch(r"sm_(\d+)a?", arch)
    if found is None:
        raise refused(f"`{arch}` is no architecture of a GPU", "one such as sm_90", at)
    compiler, target = import_module("triton.compiler"), import_module("triton.backends.compiler").GPUTarget
    numbers = {name: n for n, name in enumerate(types.signature)}
    attributes = {(numbers[name],): [["tt.divisibility", _ALIGNED]] for name in types.aligned}
    constants = {(numbers[name],): value for name, value in types.constants.items()}
    source = compiler.ASTSource(kernel, types.signature, constants, attributes)
    with compiling("Triton", _SAID, "correct what Triton objects to", at):
        done = compiler.compile(source, target=target("cuda", int(found[1]), _WARP), options=dict(options))
    return done.asm["ptx"], done.metadata.num_warps * _WARP
