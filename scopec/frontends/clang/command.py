"""The command that runs clang to read a program: it is told everything, and looks for nothing.

Programs for clang's driver are answered by what a machine has: it looks for CUDA toolkits (in their usual folders, on
PATH) and takes the versions of PTX and CUDA from what it finds, for an installation of gcc, for files of settings, and
at a dozen variables of the environment.  So the compiler proper (``-cc1``) is called, which does none of this; what the
driver would have told it is told here, and of the environment only what a program needs to start at all.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from scopec.base.diagnostics import EngineError
from scopec.base.records import dataclass
from scopec.base.resources import resource
from scopec.frontends.clang.running import finished

#: The versions of clang that were compared (docs/engines.md).
OLDEST, NEWEST = 19, 22
#: The way out without a clang.
WAY_TO_CLANG = f"pip install 'scopec[cxx]', or set SCOPEC_CLANG to a clang of version {OLDEST} to {NEWEST}"
#: The device, and the host, which is LP64 wherever scopec runs.
_DEVICE, _HOST = "nvptx64-nvidia-cuda", "x86_64-unknown-linux-gnu"
_SIDES = {
    "device": (
        "-triple", _DEVICE, "-aux-triple", _HOST, "-aux-target-cpu", "x86-64", "-fcuda-is-device",
        "-target-cpu", "sm_90", "-target-feature", "+ptx80", "-fno-threadsafe-statics",
    ),
    "host": ("-triple", _HOST, "-aux-triple", _DEVICE, "-target-cpu", "x86-64"),
}  # fmt: skip
#: Operations that C++ leaves undefined and LLVM's instructions do not show, or not of constants: clang tests for them.
_UNDEFINED = "array-bounds,shift-exponent,integer-divide-by-zero"
#: The target of programs for both sides: CUDA 12.0, to which PTX 8.0 belongs, and no header of the machine's.
_TARGET = (
    "-x", "cuda", "-target-sdk-version=12.0", "-D__CUDA_ARCH_LIST__=900",
    "-nostdsysteminc", "-nostdinc++", "-fgnuc-version=4.2.1", "-fdeprecated-macro", "-fno-builtin",
    "-fcuda-allow-variadic-functions",
)  # fmt: skip
_READING = (
    # clang's own headers ask nobody else for theirs; -ffreestanding does that too, but then `main` is any function.
    "-U__STDC_HOSTED__", "-D__STDC_HOSTED__=0",
    # As written: no pass, every name, every type; calls return (a throw is a call that does not).
    "-O1", "-disable-llvm-passes", "-mconstructor-aliases", "-debug-info-kind=limited", "-dwarf-version=5",
    "-fexceptions", "-fcxx-exceptions", "-fignore-exceptions",
    f"-fsanitize={_UNDEFINED}", f"-fsanitize-trap={_UNDEFINED}", "-fstrict-flex-arrays=3",
    # Every error, one a line; `register` is none to nvcc.
    "-w", "-Wno-register", "-ferror-limit", "0", "-fno-caret-diagnostics",
)  # fmt: skip
#: The variables that a program needs to start, and a script that stands for one.
_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMP")


def shims() -> Path:
    """The folder of scopec's own headers."""
    return resource("shims").resolve()


@dataclass(frozen=True)
class Clang:
    """A clang: what runs it, the folder of its own headers, and its version in its own words, if it was asked."""

    program: tuple[str, ...]
    resources: Path
    version: str | None = None


def find() -> tuple[str, ...] | None:
    """The command that runs clang: the program that ``SCOPEC_CLANG`` names if set, else the package ziglang's, else
    None.

    Raises EngineError if SCOPEC_CLANG names no program.
    """
    named = os.environ.get("SCOPEC_CLANG")
    if named:
        program = shutil.which(named)
        if program is None:
            raise EngineError(
                f"SCOPEC_CLANG names no program: `{named}`; unset it, or name a clang of version {OLDEST} to {NEWEST}"
            )
        return (str(Path(program).absolute()),)
    package = find_spec("ziglang")
    if package is None or package.origin is None:
        return None
    zig = Path(package.origin).parent / ("zig.exe" if sys.platform == "win32" else "zig")
    return (str(zig), "clang")


def found() -> Clang:
    """The clang that reads programs; one that ``SCOPEC_CLANG`` names is asked which it is.

    Raises EngineError if there is none, or it is not of a version that scopec reads programs with.
    """
    program = find()
    if program is None:
        raise EngineError(f"no clang: {WAY_TO_CLANG}")
    return Clang(program, Path(program[0]).parent / "lib") if program[1:] else asked(program)


@cache
def asked(program: tuple[str, ...]) -> Clang:
    """A clang that was asked which it is.

    Raises EngineError if it does not say it, or is not of a version that scopec reads programs with.
    """
    (run,) = finished([[*program, "--no-default-config", "-v", "-print-resource-dir"]], b"", Path(), environment())
    version = re.search(r"^.*\bclang version (\d+)\..*$", run.messages, re.MULTILINE)
    if run.status or version is None:
        raise EngineError(f"{program[0]} does not say which clang it is ({run.failure}): {WAY_TO_CLANG}")
    if not OLDEST <= int(version[1]) <= NEWEST:
        message = f"{program[0]} is too {'old' if int(version[1]) < OLDEST else 'new'} ({version[0]})"
        raise EngineError(f"{message}: {WAY_TO_CLANG}")
    own = Path(program[0]).parent / "lib" if program[1:] else Path(run.output.strip())
    if not (own / "include" / "stddef.h").is_file():
        raise EngineError(f"{program[0]} ({version[0]}) has no headers of its own in {own}: {WAY_TO_CLANG}")
    return Clang(program, own, version[0].strip())


def compiling(clang: Clang, side: str, std: str) -> list[str]:
    """The command that compiles for a side (``device`` or ``host``) a program in a language (``c++17`` or newer), which
    is on standard input; how, what is to become of it, and where more headers are, may follow."""
    own = ("-resource-dir", str(clang.resources), "-internal-isystem", str(clang.resources / "include"))
    return [*clang.program, "-cc1", *_SIDES[side], *_TARGET, f"-std={std}", *own, "-"]


def reading(clang: Clang, side: str, std: str) -> list[str]:
    """The same, for a program that is to be read."""
    return [*compiling(clang, side, std), *_READING]


def environment() -> dict[str, str]:
    """The environment that clang is run in."""
    return {name: os.environ[name] for name in _VARIABLES if name in os.environ}
