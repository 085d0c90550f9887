"""Limits of time and memory: past them there is no answer, and never another one."""

from __future__ import annotations

import gc
import importlib
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from scopec.base import limits
from scopec.base.diagnostics import EngineError, LimitError
from scopec.base.limits import limited, uncut
from scopec.engines.java.processes import Finished, failure
from scopec.session.check import Settings, check
from tests.samples import programs


def busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            sum(range(100))
        except Exception:  # what is raised is none
            raise AssertionError from None


def test_what_takes_too_long_is_ended() -> None:
    begun = time.monotonic()
    with pytest.raises(LimitError, match=r"no answer within the time limit of 0.2 s"), limited(0.2, None):
        busy(30)
    assert time.monotonic() - begun < 20
    assert limits._watches == []


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="this system tells no thread of another's work")
def test_a_limit_of_work_is_not_about_waiting() -> None:
    with limited(0.2, None, worked=True):
        time.sleep(0.5)
    with pytest.raises(LimitError, match=r"no answer within the time limit of 0.2 s"), limited(0.2, None, worked=True):
        busy(30)
    assert limits._watches == []


def test_an_exception_that_python_drops_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised in a callback of the garbage collector arrives nowhere; Python tells only of what is not ours."""
    told: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type))
    hook = sys.unraisablehook
    ended = []

    def callback(phase: str, _: object) -> None:
        try:
            busy(0.0002)
        except BaseException as error:
            ended.append(type(error))
            raise
        if phase == "stop":
            raise RuntimeError

    def collect(until: float) -> None:
        while time.monotonic() < until:
            gc.collect(0)
            busy(0.0002)

    gc.callbacks.append(callback)
    try:
        for _ in range(40):
            begun = time.monotonic()
            with pytest.raises(LimitError), limited(0.06, None):
                collect(until=begun + 20)
            if ended:
                break
    finally:
        gc.callbacks.remove(callback)
    assert set(ended) == {limits._Ended}
    assert set(told) == {RuntimeError}
    assert sys.unraisablehook is hook


def test_what_python_raises_in_the_place_of_an_exception_is_none_of_its_own() -> None:
    """What is raised while a class gets its attributes is wrapped, by CPython 3.11."""

    class Slow:
        def __set_name__(self, *_: object) -> None:
            busy(20)

    with pytest.raises(LimitError, match=r"limit of 0.1 s"), limited(50, None), limited(0.1, None):
        type("Made", (), {"slow": Slow()})


def test_a_profiler_works_after_a_limit() -> None:
    """A trace of the exception that is left behind would keep Python from going on."""
    program = """
import sys, time
from scopec.base.diagnostics import LimitError
from scopec.base.limits import limited
for late in (True, False):
    try:
        with limited(0.2, None):
            until = time.monotonic() + (30 if late else 0.21)
            while time.monotonic() < until:
                pass
    except LimitError:
        pass
    sys.setprofile(lambda *_: None)
    (lambda: time.monotonic())()
    sys.setprofile(None)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_modules_that_import_each_other_become_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off, `one` would be made again, and `two` would keep the first, which has no `name`."""
    slow = "import time\nuntil = time.monotonic() + 0.5\nwhile time.monotonic() < until:\n    pass\n"
    (tmp_path / "limited_one.py").write_text(f"import limited_two\n{slow}name = 1\n")
    (tmp_path / "limited_two.py").write_text("import limited_one\ndef of():\n    return limited_one.name\n")
    monkeypatch.syspath_prepend(tmp_path)
    begun = time.monotonic()
    with suppress(LimitError), limited(0.1, None):
        importlib.import_module("limited_one")
        busy(30)
    assert time.monotonic() - begun < 20
    importlib.import_module("limited_one")
    assert importlib.import_module("limited_two").of() == 1


def test_a_limit_holds_in_a_module_that_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who calls from a module's top level is inside an import all the time."""
    (tmp_path / "limited_three.py").write_text(
        "import time\nfrom scopec.base.limits import limited\nuntil = time.monotonic() + 20\n"
        "with limited(0.1, None):\n    while time.monotonic() < until:\n        pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(LimitError):
        importlib.import_module("limited_three")


@pytest.mark.sampled(0)
def test_a_thread_that_is_started_gets_none_of_its_parents_exceptions() -> None:
    """It would die of one before it runs, and its parent would wait for it in vain."""
    ended: list[bool] = []
    interval = sys.getswitchinterval()

    def work() -> None:
        while not ended:
            with suppress(LimitError), limited(0.02, None):
                while True:
                    with uncut():
                        threading.Thread(target=int).start()
                    busy(0.0002)

    worker = threading.Thread(target=work, daemon=True)
    sys.setswitchinterval(1e-5)
    try:
        worker.start()
        time.sleep(3)
        ended.append(True)
        worker.join(20)
    finally:
        sys.setswitchinterval(interval)
    assert not worker.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_limits_hold_in_the_child_of_a_fork() -> None:
    with limited(50, None):
        child = os.fork()
        if child == 0:
            try:
                with limited(0.1, None):
                    busy(20)
            except LimitError:
                os._exit(7)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_what_holds_too_much_is_ended() -> None:
    def grow() -> None:
        kept = []
        while True:
            kept.append(bytearray(1 << 20))
            time.sleep(0.001)

    with pytest.raises(LimitError, match=r"--memory-limit"), limited(60, limits.resident() + (64 << 20)):
        grow()
    busy(0.2)  # nothing arrives late


def test_what_ends_in_time_is_left_alone() -> None:
    for _ in range(200):
        with limited(10, None):
            busy(0.0005)
    with limited(None, None):
        busy(0.2)
    assert limits._watches == []


def test_a_limit_that_is_passed_at_the_end_does_no_harm_later() -> None:
    """Where the block and its limit end together, either the block was ended or nothing is raised, then or later."""
    for n in range(40):
        try:
            with limited(0.03, None):
                busy(0.02 + n * 0.001)
        except LimitError:
            pass
        busy(0.002)


@pytest.mark.sampled(0)
def test_nothing_is_raised_outside_of_a_block_nor_left_behind() -> None:
    """Blocks in blocks, in threads that take turns at every step; what arrives may arrive at any of them."""
    wrong: list[BaseException] = []
    until = time.monotonic() + 2
    interval = sys.getswitchinterval()

    def work() -> None:
        while time.monotonic() < until:
            try:
                with suppress(LimitError), limited(0.02, None):
                    for _ in range(60):
                        with limited(50, None):
                            busy(0.0005)
                busy(0.001)
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert [thread.is_alive() for thread in threads] == [False] * 3
    assert wrong == []
    assert limits._watches == []


def test_the_limit_of_an_outer_block_is_told_as_its_own() -> None:
    with pytest.raises(LimitError, match=r"limit of 0.2 s"), limited(0.2, None), limited(50, None):
        busy(30)
    with pytest.raises(LimitError, match=r"limit of 0.1 s"), limited(50, None), limited(0.1, None):
        busy(30)


def test_each_thread_has_its_own_limit() -> None:
    ended: dict[float, bool] = {}

    def work(seconds: float) -> None:
        try:
            with limited(seconds, None):
                busy(1.0 if seconds > 1 else 20.0)
            ended[seconds] = False
        except LimitError:
            ended[seconds] = True

    threads = [threading.Thread(target=work, args=(s,)) for s in (0.2, 30.0, 0.3, 40.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == {0.2: True, 30.0: False, 0.3: True, 40.0: False}


def test_the_machine_has_memory() -> None:
    assert 1 << 26 < limits.resident() + (1 << 26) < limits.machine_bytes()


# ---------------------------------------------------------------- whole calls

SPECS = sorted(p for p in Path("specs").rglob("*.cu") if "generated" not in p.parts)
TRIES = programs(8, 25)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file is closed when it is collected
@pytest.mark.parametrize("seed", range(TRIES))
@pytest.mark.sampled(3)
def test_a_tiny_limit_makes_no_verdict_the_opposite(seed: int) -> None:
    """Every expectation of the specifications holds: within any limit it does, or nothing is known of it."""
    chance = Random(seed)
    path = chance.choice(SPECS)
    seconds = 10 ** chance.uniform(-3, 0)
    memory = None if chance.random() < 0.5 else limits.resident() + int(2 ** chance.uniform(10, 25))
    (outcome,) = check([path], Settings(engine="embedded", timeout=seconds, memory=memory))
    said = [(c.expectation.text, c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert all(verdict in ("holds", "unknown") for _, verdict, _ in said), (path, seconds, memory, said)
    assert outcome.exit_code in (0, 4), (path, seconds, memory, outcome.failure)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "options", "status", "said"),
    [
        ("__device__ int a[2000000000];\n__global__ void k() { a[0] = 1; }", (), 2, "2000000000 elements"),
        (
            "__device__ int a;\n__global__ void k() { "
            + "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) {{ " for n in range(50))
            + "a = 1; "
            + "} " * 50
            + "}",
            ("--timeout", "1"),
            4,
            "no answer within the time limit of 1 s",
        ),
        (
            "__device__ int a[4];\n__global__ void k() { "
            + "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) {{ " for n in range(50))
            + "a[a[i0]] = 1; "
            + "} " * 50
            + "}",
            ("--timeout", "1"),
            4,
            "no answer within the time limit of 1 s",
        ),
        (
            "#include <cuda/atomic>\n__device__ cuda::atomic<int> lock;\n__global__ void k() {\n"
            "  int me = threadIdx.x + 1, free = 0;\n  while (!lock.compare_exchange_strong(free, me)) free = 0;\n"
            "  lock.store(0);\n}\n//@ launch k<<<1, 40>>>();\n//@ expect terminates;",
            ("--memory-limit", "300MB", "--timeout", "60"),
            4,
            "no answer with less memory than the limit of 300 MB",
        ),
    ],
    ids=["a large array", "nested loops", "nested loops that may fail", "many contenders"],
)
def test_what_is_too_large_is_said_to_be(
    text: str, options: tuple[str, ...], status: int, said: str, tmp_path: Path
) -> None:
    if "launch" not in text:
        text += "\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    path = tmp_path / "large.cu"
    path.write_text(text)
    done = scopec("check", path, "--engine", "embedded", *options)
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("limit", "said"), [(("--timeout", "2"), "time limit"), (("--memory-limit", "150MB"), "memory")]
)
@pytest.mark.sampled(1)
def test_final_states_of_many_writes_are_within_the_limits(limit: tuple[str, str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "many.cu"
    path.write_text(
        "#include <cuda/atomic>\n__device__ cuda::atomic<int> a;\n__global__ void k() { a.store(1); }\n"
        "//@ launch k<<<1, 256>>>();\n"
    )
    begun = os.times()
    done = scopec("outcomes", path, "--engine", "embedded", *limit)
    assert said in done.stdout + done.stderr
    assert sum(os.times()[2:4]) - sum(begun[2:4]) < 30


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["check", "outcomes", "compile", "trace"])
def test_only_regular_files_are_read(command: str, tmp_path: Path) -> None:
    endless, pipe = tmp_path / "endless.cu", tmp_path / "pipe.cu"
    endless.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    folder = ("-o", tmp_path / "generated") if command == "compile" else ()
    for given, said in (
        ([pipe], "not a regular file"),
        ([endless], "leads out of the repository"),
        ([endless, "--allow-outside"], "not a regular file"),
    ):
        done = scopec(command, *given, *folder)
        assert done.returncode == 2
        assert said in done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["check", "outcomes", "compile", "trace"])
def test_a_file_past_its_limit_is_not_answered(command: str, tmp_path: Path) -> None:
    folder = ("-o", tmp_path / "generated") if command == "compile" else ()
    done = scopec(command, "specs/litmus/mp.cu", "--memory-limit", "1MB", *folder)
    assert done.returncode == 4
    assert "--memory-limit" in done.stdout + done.stderr


@pytest.mark.parametrize("size", ["", "much", "-1GB", "0", "1XB"])
@pytest.mark.sampled(3)
def test_a_size_that_is_none_is_bad_usage(size: str) -> None:
    done = scopec("check", "specs/litmus/mp.cu", "--memory-limit", size)
    assert done.returncode == 2
    assert "is not a size such as 500MB or 2GB" in done.stderr


@pytest.mark.parametrize(
    "said",
    [
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        "Terminating due to java.lang.OutOfMemoryError: Java heap space",
        "Error: Java ran out of memory.  Running Java with a larger memory allocation pool (heap) may fix this.",
        "Error occurred during initialization of VM\nCould not reserve enough space for 8388608KB object heap",
    ],
)
def test_java_without_enough_memory_gives_no_answer(said: str) -> None:
    assert isinstance(failure(Finished(1, "", said, 0.1), "TLC"), LimitError)
    assert isinstance(failure(Finished(1, "", "Exception: something else", 0.1), "TLC"), EngineError)


@pytest.mark.jvm
def test_java_gets_its_share_of_the_memory(tmp_path: Path) -> None:
    """The heap is the limit divided by how many may run at once."""
    workers = Settings(jobs=2, memory=512 << 20).workers()
    with workers:
        finished = workers.processes.run(["-XX:+PrintFlagsFinal", "-version"], tmp_path, 60)
    (heap,) = re.findall(r" MaxHeapSize\s+= (\d+)", finished.stdout)
    assert int(heap) == 256 << 20


def scopec(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scopec.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
