"""Kernels as nvcc compiles them: the PTX that it makes of a file, in place of what clang makes of the kernels.

nvcc starts other programs by way of a shell, with the words that it is given: only words without a sign that a shell
knows are given to it, and of the environment what it needs to start.  The text that it reads is a copy, in a folder of
this call's, where all that it writes is too.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, EngineError, InputError, error
from scopec.base.records import dataclass
from scopec.base.scratch import scratch_folder
from scopec.base.source import Source
from scopec.frontends.clang.command import environment
from scopec.frontends.clang.messages import word_at
from scopec.frontends.clang.ptx.module import CONSTANT, add
from scopec.frontends.clang.ptx.text import Ptx, readable
from scopec.frontends.clang.running import Run, finished
from scopec.frontends.clang.toolkits import searched
from scopec.frontends.ptx import forms
from scopec.frontends.ptx.syntax import read_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.base.source import Span
    from scopec.frontends.clang.flags import Flags
    from scopec.frontends.clang.llvm import code as llvm
    from scopec.frontends.clang.llvm.reader import Module

#: The ways, with nvcc's flags of each, and what is said of what each may have changed.
WAYS = {
    "nvcc": (("-Xcicc", "-O0", "-lineinfo"), "an access that it removed is not asked about, and may race"),
    "nvcc-O3": (("-O3", "-lineinfo"), "accesses that it removed, merged or moved are not asked about, and may race"),
}
ARCHITECTURE = "sm_90a"
#: Options of every call.
OPTIONS = ("-w", f"-arch={ARCHITECTURE}", "--extended-lambda", "--expt-relaxed-constexpr")
#: Words with no sign that a shell, or nvcc itself, takes for more than a sign.
_PLAIN = re.compile(r"[\w./=+:@%-]+")
_MESSAGE = re.compile(
    r"(?P<file>[^\n(:]+)[(:](?P<line>\d+)\)?(?::(?P<column>\d+))?: (?:catastrophic |fatal )?error(?: #\S+)?: "
    r"(?P<text>.*)"
)
_WAY_OUT = "name NVIDIA's compiler with --nvcc, or put it on PATH"
#: What the text of a program has of scopec's: launches that are cooperative, and values of `vary`.
_BEFORE = """namespace __scopec {
template <class... P, class... A> auto cooperative(void (*kernel)(P...), A...) -> void (*)(P...) { return kernel; }
}
namespace __scopec_chosen {
template <int N> struct number {
    template <class T> __host__ __device__ constexpr operator T() const { return static_cast<T>(N); }
};
constexpr number<0> memory_order_relaxed{};
constexpr number<1> memory_order_consume{};
constexpr number<2> memory_order_acquire{};
constexpr number<3> memory_order_release{};
constexpr number<4> memory_order_acq_rel{};
constexpr number<5> memory_order_seq_cst{};
constexpr number<0> thread_scope_system{};
constexpr number<1> thread_scope_device{};
constexpr number<2> thread_scope_block{};
constexpr number<10> thread_scope_thread{};
}
"""


@dataclass(frozen=True)
class Nvcc:
    """NVIDIA's compiler: where it is, and its version."""

    program: Path
    version: str


def nvcc_of(flags: Flags) -> Nvcc:
    """The compiler that flags name, else that on PATH; EngineError if there is none, or it does not say which it is."""
    named = flags.nvcc or "nvcc"
    program = shutil.which(named)
    if program is None:
        said = f"`{named}` is no program" if flags.nvcc else "there is no nvcc on PATH"
        raise EngineError(f"{said}: {_WAY_OUT}")
    return _asked(Path(program).absolute())


@cache
def _asked(program: Path) -> Nvcc:
    (run,) = finished([[str(program), "--version"]], b"", Path(), environment())
    version = re.search(r"release [\d.]+, V([\d.]+)", run.output)
    if version is None:
        raise EngineError(f"{program} does not say which nvcc it is ({run.failure}): {_WAY_OUT}")
    return Nvcc(program, version[1])


def with_its_headers(flags: Flags) -> Flags:
    """Flags under which clang reads the objects and the host's code of a file: over the headers that nvcc has.

    In scopec's own headers objects of the library lie otherwise in memory.
    """
    if flags.headers == "shims":
        raise EngineError("what nvcc compiles is read over NVIDIA's headers: leave `--headers shims` out")
    beside = nvcc_of(flags).program.resolve().parent.parent
    has_headers = (beside / "include" / "cuda_runtime.h").is_file()
    return replace(flags, headers="real", toolkit=flags.toolkit or (beside if has_headers else None))


def compiler_of(flags: Flags) -> str:
    """What made the kernels, and what that may have changed."""
    words, change = WAYS[flags.through]
    return f"nvcc {nvcc_of(flags).version} {' '.join(words)} for {ARCHITECTURE}: {change}"


def in_its_words(
    device: Module, text: str, source: Source, folder: Path, flags: Flags
) -> dict[str, dict[str, tuple[int, ...]]]:
    """Put nvcc's code of a text's functions in the place of clang's, which has the same objects and kernels.

    Gives what is said of functions and variables.  Raises InputError with what nvcc objects to, and where an object is
    not the same to both.
    """
    _check_types(device, source)
    made = Source(f"{source.name} by nvcc", _compiled(text, source, folder, flags))
    ptx = read_module(made)
    known = set(device.kernels())
    functions = tuple(one for one in ptx.functions if not one.entry or one.name in known)  # others nobody launches
    ptx = replace(ptx, functions=functions)
    _check_objects(ptx, device, source)
    said = add(device, Ptx(made, ptx, {}, dict(readable(ptx, source, folder))))
    for name in known - {one.name for one in functions}:
        device.add(name, _without(name, source.span(0, 0)), kernel=True)
    return said


def _without(name: str, span: Span) -> Callable[[], llvm.Function]:
    def refused() -> llvm.Function:
        message = f"nvcc has no kernel that clang calls `{name}`: one that is static, or in a namespace without a name?"
        raise error(Code.OUTSIDE_SUBSET, message, span, "give it a name of its own, or leave --through out")

    return refused


def _check_types(device: Module, source: Source) -> None:
    """Refuse classes that scopec has of its own over NVIDIA's headers: to nvcc they lie otherwise in memory."""
    if any('name: "__scopec_' in text and "DW_TAG_member" in text for text in device.metadata.values()):
        what = "a barrier, latch or semaphore of the library is not read through nvcc: scopec has its own"
        raise error(Code.OUTSIDE_SUBSET, what, source.span(0, 0), "leave --through out")
    if any("18cooperative_groups" in name for name in device.kernels()):
        what = "a group as a parameter of a kernel is not read through nvcc: scopec has its own"
        raise error(Code.OUTSIDE_SUBSET, what, source.span(0, 0), "leave --through out")


def _check_objects(ptx: forms.Module, device: Module, source: Source) -> None:
    """Refuse an object that is accessed and that clang calls otherwise: the host would have another of its own."""
    theirs = {
        name
        for item in ptx.objects
        for name, _ in item.names
        if not {"shared", "local"} & set(item.words) and name not in device.variables and not CONSTANT.match(name)
    }
    for function in ptx.functions:
        for item in forms.instructions(function.body):
            if used := theirs & set(_names(item.operands)):
                message = f"nvcc calls a variable `{used.pop()}`, which clang does not: one that is static?"
                raise error(Code.OUTSIDE_SUBSET, message, source.span(0, 0), "give it a name of its own")


def _names(operands: tuple[forms.Operand, ...]) -> Iterator[str]:
    for operand in operands:
        match operand:
            case forms.Vector(_, items) | forms.Arguments(_, items):
                yield from _names(items)
            case forms.Name() | forms.Element() | forms.Indexed() | forms.Offset():
                yield operand.name
            case _:
                continue


def given(source: Source, folder: Path, flags: Flags) -> list[str]:
    """The words of a build that nvcc gets for a file of a folder; InputError where one may mean more to a shell."""
    includes = [word for one in searched(flags) for word in ("-I", str(one))]
    words = [f"-std={flags.std}", *includes, *flags.macros, "-Xcompiler", f"-iquote,{folder.absolute()}"]
    for word in words:
        if not _PLAIN.fullmatch(word.replace("-iquote,", "", 1)):
            message = f"`{word}` is not given to nvcc, which runs shells: it has a sign that may mean more there"
            raise error(Code.FLAGS, message, source.span(0, 0), "call the folder otherwise, or define it in the text")
    return words


def _compiled(text: str, source: Source, folder: Path, flags: Flags) -> str:
    """nvcc's PTX of a text that stands in a folder."""
    words = given(source, folder, flags)
    forced = "".join(f'#include "{header.absolute()}"\n' for header in flags.forced)
    name = str(folder.absolute() / Path(source.name).name).replace("\\", "\\\\").replace('"', '\\"')
    with scratch_folder() as scratch:
        (scratch / "program.cu").write_text(f'{_BEFORE}{forced}#line 1 "{name}"\n{text}', "utf-8", "surrogateescape")
        compiler, output = nvcc_of(flags), scratch / "program.ptx"
        command = [str(compiler.program), "-ptx", *OPTIONS, *WAYS[flags.through][0], *words, "-o", str(output)]
        (run,) = finished([[*command, "program.cu"]], b"", scratch, {**environment(), "TMPDIR": str(scratch)})
        if run.status:
            raise _objections(run, source, name, compiler)
        return output.read_text(encoding="utf-8", errors="replace")


def _objections(run: Run, source: Source, name: str, compiler: Nvcc) -> Exception:
    """What nvcc objects to."""
    found = [m for line in run.messages.splitlines() if (m := _MESSAGE.fullmatch(line.strip()))]
    if not found:
        return EngineError(f"{compiler.program} ({compiler.version}) fails: {run.failure}")
    errors = []
    for match in found:
        own = Path(match["file"]).name == Path(name).name
        span = word_at(source, int(match["line"]), int(match["column"] or 1)) if own else source.span(0, 0)
        where = "" if own else f" at {match['file']}:{match['line']}"
        errors.append(Diagnostic(Code.CPLUSPLUS, f"nvcc{where}: {match['text']}", span))
    return InputError(*dict.fromkeys(errors))
