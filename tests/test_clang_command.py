"""clang is told everything and looks for nothing; what it is, whether it works, and whose fault it is if not."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from scopec.base.diagnostics import EngineError, InputError
from scopec.cli import commands
from scopec.frontends.clang import command, compiler, precompiled
from scopec.frontends.clang.compiler import Compiled, Flags, compiled, expanded
from tests.conftest import REPOSITORY
from tests.test_clang_compiler import named_clang

TEXT = """#include <stdint.h>
#include <cuda/atomic>
__managed__ uint32_t a;
__global__ void k() { a = 1; }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
//@ expect race_free;
"""


def executable(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def toolkit(folder: Path) -> Path:
    """What clang's driver takes for CUDA 9, which knows no sm_90 and launches kernels by another interface."""
    executable(folder / "bin" / "ptxas", "echo release 9.0")
    executable(folder / "bin" / "nvcc", "echo release 9.0")
    for name in ("include", "lib64", "nvvm/libdevice"):
        (folder / name).mkdir(parents=True)
    (folder / "nvvm" / "libdevice" / "libdevice.10.bc").write_bytes(b"")
    (folder / "include" / "cuda.h").write_text("#define CUDA_VERSION 9000\n")
    (folder / "version.txt").write_text("CUDA Version 9.0.176\n")
    (folder / "version.json").write_text('{"cuda": {"version": "9.0.176"}}')
    return folder


def headers(folder: Path) -> Path:
    """Headers of the names that programs include, none of which is to be found."""
    for name in ("stdint.h", "stddef.h", "cuda/atomic", "cuda_runtime.h", "only_there.h", "scopec_cuda.h"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("#error this one\n")
    return folder


HOSTILE: dict[str, Callable[[Path], dict[str, str]]] = {
    "a toolkit on PATH": lambda at: {"PATH": f"{toolkit(at / 'cuda') / 'bin'}:{os.environ['PATH']}"},
    "CUDA_PATH": lambda at: {name: str(toolkit(at / name)) for name in ("CUDA_PATH", "CUDA_HOME", "CUDA_PATH_V9_0")},
    **{
        name: lambda at, name=name: {name: str(headers(at / "include"))}
        for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "INCLUDE", "SDKROOT")
    },
    "CCC_OVERRIDE_OPTIONS": lambda _: {"CCC_OVERRIDE_OPTIONS": "#^-DCCC +-O3 x-w"},
    "CCC_PRINT_OPTIONS": lambda at: {"CCC_PRINT_OPTIONS": "1", "CC_PRINT_OPTIONS_FILE": str(at / "options")},
    "where programs are": lambda at: {"COMPILER_PATH": str(toolkit(at / "c") / "bin"), "GCC_EXEC_PREFIX": str(at)},
    "zig": lambda at: {f"ZIG_{name}": str(at / "no") for name in ("LIB_DIR", "GLOBAL_CACHE_DIR", "LOCAL_CACHE_DIR")},
    "settings": lambda at: {name: str(settings(at)) for name in ("HOME", "XDG_CONFIG_HOME", "CLANG_CONFIG_FILE")},
    "the time": lambda _: {"SOURCE_DATE_EPOCH": "0"},
    "no environment": lambda _: {},
}  # fmt: skip


def settings(folder: Path) -> Path:
    """Files of settings, by the names and at the places that clang's driver looks for."""
    for name in ("clang.cfg", "x86_64-unknown-linux-gnu-clang.cfg", ".config/clang.cfg", "clang/clang.cfg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("-DSETTINGS\n-I/nowhere\n--no-such-option\n")
    return folder


def read(folder: Path) -> tuple[Compiled, list[str]]:
    """What clang makes of the program; of a syntax tree, what does not differ each time."""
    texts = expanded(TEXT, "p.cu", folder, "host")
    return compiled(TEXT, "p.cu", folder), [re.sub("0x[0-9a-f]+", "", text) for text in texts]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Compiled, list[str]]]:
    folder = tmp_path_factory.mktemp("program")
    return folder, read(folder)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_on_a_machine_makes_no_difference(
    name: str, usual: tuple[Path, tuple[Compiled, list[str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, found = usual
    monkeypatch.setattr(precompiled, "_FEW", 1000)  # with what is precompiled the same has other numbers
    for variable, value in HOSTILE[name](tmp_path).items():
        monkeypatch.setenv(variable, value)
    if name == "no environment":
        for variable in os.environ:
            monkeypatch.delenv(variable)
    assert read(folder) == found
    with pytest.raises(InputError, match=r"'only_there\.h' file not found"):
        compiled("#include <only_there.h>\n", "p.cu", folder)


def test_headers_of_scopecs_names_in_the_programs_folder(tmp_path: Path) -> None:
    """Nor what clang would read in their place as precompiled."""
    both = compiled(TEXT, "p.cu", tmp_path)
    headers(tmp_path)
    for name in ("pch", "gch"):
        (tmp_path / f"scopec_cuda.h.{name}").write_text("no")
    assert compiled(TEXT, "p.cu", tmp_path) == both


def test_a_folder_by_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the shell calls it is nothing to clang."""
    (tmp_path / "other").symlink_to(tmp_path)
    both = compiled(TEXT, "p.cu", tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path / "other"))
    assert compiled(TEXT, "p.cu", tmp_path) == both


def test_the_compiler_is_called_and_not_the_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no variable of the environment but those that programs need to start."""
    out = tmp_path / "out"
    exec_ = f'exec {shlex.join(command.found().program)} "$@"'
    named_clang(tmp_path, monkeypatch, f'echo "$1" >> {out}; env >> {out}; {exec_}')
    monkeypatch.setenv("ODD", "1")
    compiled(TEXT, "p.cu", tmp_path)
    said = out.read_text().splitlines()
    shells = {"PWD", "OLDPWD", "_", "SHLVL"}
    assert said.count("-cc1") == 2
    assert {line.partition("=")[0] for line in said if line != "-cc1"} - shells <= {*command._VARIABLES}


def checked(folder: Path, *options: str) -> tuple[int, list[str]]:
    """The exit status of a check of three programs, and what is said beside the report."""
    for name in "abc":
        (folder / f"{name}.cu").write_text(TEXT)
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        status = commands(["check", "--engine", "embedded", *options, str(folder)], standalone_mode=False)
    return status, [line for line in said.getvalue().splitlines() if line.startswith("scopec: ")]


# ---------------------------------------------------------------- which clang


def version(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clang that says which it is, and does nothing else."""
    path = executable(folder / "clang", f"echo '{line}' >&2; echo {command.found().resources}")
    monkeypatch.setenv("SCOPEC_CLANG", str(path))
    return path


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (f"clang version {command.OLDEST - 1}.9.9", "too old"),
        (f"Debian clang version {command.NEWEST + 1}.0.0 (1~deb)", "too new"),
    ],
)
def test_a_version_out_of_bounds_is_told(
    line: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = version(tmp_path, line, monkeypatch)
    way = f"pip install 'scopec[cxx]', or set SCOPEC_CLANG to a clang of version {command.OLDEST} to {command.NEWEST}"
    assert checked(tmp_path) == (3, [f"scopec: {tmp_path}/a.cu and 2 more files: {path} is {wrong} ({line}): {way}"])


@pytest.mark.parametrize("script", ["echo gcc 12", "echo clang version 22.1.8 >&2; exit 1", "kill -9 $$"])
def test_a_program_that_is_no_clang(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_CLANG", str(executable(tmp_path / "clang", script)))
    with pytest.raises(EngineError, match="clang does not say which clang it is"):
        compiler.tried()


def test_a_clang_without_its_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_CLANG", str(executable(tmp_path / "clang", "echo clang version 22.1.8 >&2; echo /no")))
    with pytest.raises(EngineError, match="has no headers of its own in /no"):
        compiler.tried()


def test_a_package_with_another_clang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = version(tmp_path, "clang version 11.0.0", monkeypatch)
    monkeypatch.setattr(command, "find", lambda: (str(path), "clang"))
    with pytest.raises(EngineError, match="too old"):
        compiled(TEXT, "p.cu", tmp_path)


def test_the_clang_that_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "clang version" in (compiler.tried().version or "")
    version(tmp_path, "clang version 22.1.8", monkeypatch)
    with pytest.raises(EngineError, match=r"\(clang version 22.1.8\) does not work: .*"):
        compiler.tried()


# ---------------------------------------------------------------- whose fault


#: What clang says where it is broken, or others' headers are in its way.
FAULTS = {
    "error: unknown argument: '-target-sdk-version=12.0'": "error: unknown argument: '-target-sdk-version=12.0'",
    "fatal error: error in backend: no sm_90": "fatal error: error in backend: no sm_90",
    "In file included from <built-in>:1:\\n{shims}/cstdio:8:12: error: no variadic functions": "{shims}/cstdio:8:12: error: no variadic functions",
    "{resources}/include/stdint.h:5:10: fatal error: no such type": "{resources}/include/stdint.h:5:10: fatal error: no such type",
    "": "exit status 1",
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.sampled(4)
def test_a_fault_of_the_tools_is_an_engine_error(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"shims": str(command.shims()), "resources": str(command.found().resources)}
    said = FAULTS[fault].format(**places)
    path = named_clang(
        tmp_path, monkeypatch, f"cat > /dev/null; printf {shlex.quote(fault.format(**places))} >&2; exit 1"
    )
    status, lines = checked(tmp_path)
    ends = "does not work: " + said + "; `scopec doctor` tries it"
    assert (status, lines) == (3, [f"scopec: {tmp_path}/a.cu and 2 more files: {path} (clang version 22.1.8) {ends}"])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--std", "c++1"), "invalid value 'c++1' in '-std=c++1'"),
        (("-D", "1x"), "macro name must be an identifier"),
        (("-D", "constexpr=nothing"), "unknown type name 'nothing'"),
    ],
)
def test_a_fault_of_the_users_flags(flags: tuple[str, ...], said: str, tmp_path: Path) -> None:
    status, lines = checked(tmp_path, *flags)
    assert status == 2
    (line,) = lines
    assert line.startswith(f"scopec: {tmp_path}/a.cu and 2 more files: clang does not take the flags: ")
    assert said in line
    assert line.endswith(" [SCP007]: correct --std, -I, -D, -U or --include, or the compilation database")


def test_a_forced_header_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.cu:1:1: error: clang does not take the flags: .*'/no/h' file not found"):
        compiled(TEXT, "p.cu", tmp_path, Flags(forced=(Path("/no/h"),)))


def test_a_fault_of_the_text_is_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_tried", lambda *_: pytest.fail("there are places"))
    with pytest.raises(InputError, match="SCP010"):
        compiled(TEXT.replace("= 1", "= no"), "p.cu", tmp_path)


def test_what_clang_says_without_a_place_and_only_of_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'if [ "$(cat | wc -c)" -gt 30 ]; then echo error: in backend >&2; exit 1; fi'
    named_clang(tmp_path, monkeypatch, script)
    with pytest.raises(InputError, match=r"p\.cu:1:1: error: clang fails over this text: error: in backend"):
        compiled(TEXT, "p.cu", tmp_path)
    assert checked(tmp_path)[0] == 2


def test_reports_name_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named_clang(tmp_path, monkeypatch, "exit 1")
    report = tmp_path / "report.json"
    checked(tmp_path, "--format", "json", "--output", str(report))
    assert [Path(failure["file"]).name for failure in json.loads(report.read_text())["failures"]] == [
        "a.cu", "b.cu", "c.cu",
    ]  # fmt: skip


def test_a_clang_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "clang"
    path.write_text("nothing")
    path.chmod(0o755)
    monkeypatch.setenv("SCOPEC_CLANG", str(path))
    with pytest.raises(EngineError, match="clang does not start"):
        compiler.tried()


@pytest.mark.parametrize("path", ["docs/engines.md", "docs/language.md", "CONTRIBUTING.md", "scopec/cli/trials.py"])
def test_documents_name_the_versions(path: str) -> None:
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    assert f"of version {command.OLDEST} to {command.NEWEST}" in text
