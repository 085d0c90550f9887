"""NVIDIA's headers, where they are, and the options under which clang reads them.

They are those of the user's toolkit (one that is named, CUDA_HOME, that of nvcc on PATH), which go before those of the
packages of ``scopec[headers]``: a program is read as it is built.  The C++ library of the host is ziglang's libc++, on
every machine the same.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.cache import key
from scopec.base.diagnostics import EngineError
from scopec.base.records import dataclass
from scopec.base.resources import resource
from scopec.frontends.clang.command import Clang, asked, found, shims
from scopec.frontends.clang.host_overlays import overlaid_host
from scopec.frontends.clang.libraries import Library
from scopec.frontends.clang.overlays import overlaid
from scopec.frontends.clang.toolkits import VERSION
from scopec.program.ir import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The way out without headers.
WAY_TO_HEADERS = "pip install 'scopec[headers]', or name a toolkit of CUDA 13 with --cuda-path"
#: The packages of scopec[headers].
PACKAGES = ("nvidia-cuda-cccl", "nvidia-cuda-runtime", "nvidia-cuda-crt")
#: The version of clang whose CUDA headers scopec has, and the toolkit's that they, and the overlays, were tried with.
_CLANG, _CUDA = 22, 13
#: libc++ has this from its build.
_OF_LIBCXX = (
    "_LIBCPP_ABI_VERSION=1", "_LIBCPP_ABI_NAMESPACE=__1", "_LIBCPP_HAS_THREADS=1", "_LIBCPP_HAS_MONOTONIC_CLOCK=1",
    "_LIBCPP_HAS_TERMINAL=1", "_LIBCPP_HAS_MUSL_LIBC=0", "_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0", "_LIBCPP_HAS_FILESYSTEM=1", "_LIBCPP_HAS_RANDOM_DEVICE=1",
    "_LIBCPP_HAS_LOCALIZATION=1", "_LIBCPP_HAS_UNICODE=1", "_LIBCPP_HAS_WIDE_CHARACTERS=1",
    "_LIBCPP_HAS_NO_STD_MODULES", "_LIBCPP_HAS_TIME_ZONE_DATABASE=1", "_LIBCPP_PSTL_BACKEND_SERIAL",
    "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE", "_LIBCPP_HAS_THREAD_API_PTHREAD=1",
    "__GLIBC_MINOR__=36",
)  # fmt: skip
#: What CUDA's compiler says of itself: libraries ask for it before they have code for Hopper.
_OF_NVCC = (
    "__CUDACC_VER_MAJOR__=13", "__CUDACC_VER_MINOR__=0", "_CG_CLUSTER_INTRINSICS_AVAILABLE",
    "__CUDACC_EXTENDED_LAMBDA__", "__CUDACC_RELAXED_CONSTEXPR__",
    "_ALLOW_UNSUPPORTED_LIBCPP",  # what toolkits before 13.3 ask for
    "CCCL_ENABLE_EXPERIMENTAL_HOST_ATOMICS_128B",  # the host's atomic operations of 16 bytes are taken to take no lock
)  # fmt: skip
#: Without the version clang wants the functions of older toolkits for launches; libc++ is for a hosted program; what
#: clang tells of a call of a function that is only declared yet stands in the way of its definition.
_OPTIONS = (
    "-target-sdk-version=13.0", "-U__STDC_HOSTED__", "-D__STDC_HOSTED__=1", "-Wno-invalid-specialization",
    "-gno-call-site-info",
)  # fmt: skip
_OF_SIDE = {"device": ("-target-cpu", "sm_90a", "-target-feature", "+ptx88"), "host": ("-target-feature", "+cx16")}
#: libcu++'s numbers of thread_scope, and scopec's.
_SCOPES = {0: Scope.SYSTEM.value, 1: Scope.DEVICE.value, 2: Scope.BLOCK.value, 10: Scope.THREAD.value}
_LIBC = ("x86-linux-gnu", "generic-glibc", "x86-linux-any", "any-linux-any")


@dataclass(frozen=True)
class Toolkit:
    """Folders of headers: CUDA's runtime and CCCL; what they are called, and the versions of packages."""

    runtime: Path
    cccl: Path
    said: str
    packages: tuple[tuple[str, str], ...] = ()


def installed(named: Path | None = None) -> Toolkit | None:
    """The headers that there are; None without any.

    Raises EngineError where one is named that has none.
    """
    if named is not None:
        if (toolkit := _at(named)) is None:
            raise EngineError(f"{named} has no headers of CUDA in `include`: name the folder of a toolkit")
        return toolkit
    return next((toolkit for folder in _toolkits() if (toolkit := _at(folder))), None) or _packages()


def _toolkits() -> Iterator[Path]:
    if home := os.environ.get("CUDA_HOME"):
        yield Path(home)
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parent.parent


def _at(folder: Path) -> Toolkit | None:
    runtime = (folder / "include").absolute()
    cccl = next((one for one in (runtime / "cccl", runtime) if _is_cccl(one)), None)
    if cccl is None or not (runtime / "cuda_runtime.h").is_file():
        return None
    return Toolkit(runtime, cccl, str(folder))


def _is_cccl(folder: Path) -> bool:
    return (folder / VERSION).is_file()


def _packages() -> Toolkit | None:
    spec = find_spec("nvidia")
    for place in (spec and spec.submodule_search_locations) or ():
        for folder in sorted(Path(place).glob(f"cu{_CUDA}")):
            if (toolkit := _at(folder)) is not None:
                return Toolkit(toolkit.runtime, toolkit.cccl, "packages", tuple(_versions()))
    return None


def _versions() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def real(named: Path | None, cccl: Path | None = None) -> Library:
    """NVIDIA's headers, with scopec's meaning laid over them; ``cccl`` has another CCCL than the toolkit's.

    Raises EngineError where they are not there, or are not those that scopec knows.
    """
    toolkit = installed(named)
    if toolkit is None:
        raise EngineError(f"NVIDIA's headers are not here: {WAY_TO_HEADERS}")
    return _real(found(), toolkit if cccl is None or cccl == toolkit.cccl else _with(toolkit, cccl))


def _with(toolkit: Toolkit, cccl: Path) -> Toolkit:
    """A toolkit with another CCCL."""
    packages = tuple(one for one in toolkit.packages if one[0] != "nvidia-cuda-cccl")
    return Toolkit(toolkit.runtime, cccl, f"{toolkit.said}, CCCL of {cccl}", packages)


@cache
def _real(clang: Clang, toolkit: Toolkit) -> Library:
    clang = asked(clang.program)
    major = re.search(r"\bversion (\d+)\.", clang.version or "")
    if major is None or int(major[1]) != _CLANG or not (clang.resources / "libcxx" / "include").is_dir():
        raise EngineError(
            f"NVIDIA's headers are read with clang {_CLANG} of the package ziglang alone, not with {clang.version}: "
            "pip install 'scopec[cxx]', and unset SCOPEC_CLANG"
        )
    cuda = _defined(toolkit.runtime / "cuda.h", "CUDA_VERSION")
    if cuda // 1000 != _CUDA:
        raise EngineError(f"{toolkit.said} is of CUDA {cuda // 1000}.{cuda % 1000 // 10}: {WAY_TO_HEADERS}")
    cccl = _defined(toolkit.cccl / VERSION, "CCCL_VERSION")
    changed, digest = overlaid(toolkit.cccl)
    zig, own = clang.resources, resource("real").resolve()
    of_host, digest_of_host = overlaid_host(zig / "libcxx" / "include")
    wrappers = own / f"clang{_CLANG}" / "cuda_wrappers"
    hosted = (wrappers, of_host, zig / "libcxx" / "include", zig / "libcxxabi" / "include")
    others = (own / f"clang{_CLANG}", own / "overlay", changed, toolkit.cccl, toolkit.runtime)
    libc = [zig / "libc" / "include" / name for name in _LIBC]
    versions = (
        ("headers", toolkit.said), ("CUDA", f"{cuda // 1000}.{cuda % 1000 // 10}"),
        ("CCCL", f"{cccl // 1_000_000}.{cccl // 1000 % 1000}.{cccl % 1000}"), *toolkit.packages,
    )  # fmt: skip
    folders = (own, shims(), changed, of_host, toolkit.cccl, toolkit.runtime, zig)
    return Library(
        tuple(dict.fromkeys(form for folder in folders for form in (str(folder), str(folder.resolve())))),
        (
            *_OPTIONS, *(f"-D{macro}" for macro in (*_OF_LIBCXX, *_OF_NVCC)),
            *(word for folder in hosted for word in ("-isystem", str(folder))),
            *(word for folder in others for word in ("-internal-isystem", str(folder))),
            *(word for folder in libc for word in ("-internal-externc-isystem", str(folder))),
        ),
        own / "scopec_real.h",
        (own / "overlay", toolkit.cccl, toolkit.runtime, zig / "libcxx" / "include"),
        _OF_SIDE,
        versions,
        scopes=_SCOPES,
        identity=(
            *(f"{name} {version}" for name, version in versions), digest, digest_of_host,
            *map(_age, (toolkit.runtime, toolkit.cccl)), _digest(own),
        ),
    )  # fmt: skip


def _digest(folder: Path) -> str:
    """A digest of scopec's own files among them."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return key(*(part for file in files for part in (str(file), file.read_text(encoding="utf-8"))))


def _defined(file: Path, name: str) -> int:
    """The number that a header defines."""
    try:
        number = re.search(rf"^#define\s+{name}\s+(\d+)", file.read_text(encoding="utf-8", errors="replace"), re.M)
    except OSError:
        number = None
    if number is None:
        raise EngineError(f"{file} does not say which version it is ({name}): {WAY_TO_HEADERS}")
    return int(number[1])


def _age(folder: Path) -> str:
    """When the headers of a folder were put there: the same version may be patched."""
    return str(folder.stat().st_mtime_ns)
