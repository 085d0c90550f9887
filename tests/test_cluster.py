"""A suite on a Dask cluster of two workers gives what one process gives, also when one of them is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import programs
from scopec.base.diagnostics import EngineError, UsageError
from scopec.session.check import Settings, check
from scopec.session.cluster import Task, check_on_cluster, run_task
from scopec.session.plan import Overrides
from tests.conftest import REPOSITORY

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY), "DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING": "False"}


def started(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    with (folder / f"{arguments[0]}-{time.monotonic_ns()}.log").open("w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, text=True, env=ENVIRONMENT, cwd=folder)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """The scheduler's address and the two workers."""
    described = tmp_path / "scheduler.json"
    scheduler = started(
        "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(described),
        folder=tmp_path,
    )  # fmt: skip
    workers: list[subprocess.Popen[str]] = []
    try:
        for _ in range(300):
            if described.is_file() and described.read_text():
                break
            time.sleep(0.2)
        address = json.loads(described.read_text())["address"]
        workers = [
            started("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard", folder=tmp_path)
            for _ in range(2)
        ]
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def suite(folder: Path) -> list[tuple[str, str]]:
    """Programs that hold, are violated, cannot be read, and take a while."""
    texts = [(f"a{n}", text) for n, (_, text) in enumerate(list(programs.litmus())[::9])]
    texts += [(f"b{n}", programs.lock(4)) for n in range(10)]
    texts += [("broken", "__global__ void k() {"), ("steps", programs.steps(2, 3))]
    folder.mkdir()
    for name, text in texts:
        (folder / f"{name}.cu").write_text(text)
    return texts


def answers(document: dict[str, Any]) -> list[Any]:
    """What a report says, times and folders left out."""
    kept = [
        {**p, "phases_ms": None, "generated_in": p["generated_in"] and Path(p["generated_in"]).name}
        for p in document["programs"]
    ]
    for program in kept:
        program["checks"] = [{**c, "time_ms": None} for c in program["checks"]]
    return [document["diagnostics"], document["failures"], kept, {**document["summary"], "time_ms": None}]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "--format", "json", *arguments]


def waiting(address: str) -> str:
    """A script that waits until some tasks are done and some not, and tells how many workers there are."""
    return (
        "import time\nfrom distributed import Client\n"
        f"with Client({address!r}, timeout=60) as client:\n"
        "    for _ in range(600):\n"
        "        states = client.run_on_scheduler(lambda dask_scheduler: [t.state for t in dask_scheduler.tasks.values()])\n"
        "        if states.count('memory') >= 3 and 'processing' in states:\n"
        "            print('middle', states.count('memory'), len(states)); break\n"
        "        time.sleep(0.02)\n"
    )


@pytest.mark.sampled(0)
@pytest.mark.slow
def test_the_results_are_those_of_one_process_also_when_a_worker_is_killed(
    tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    address, workers = cluster
    texts = suite(tmp_path / "suite")
    alone = subprocess.run(command("suite"), capture_output=True, text=True, cwd=tmp_path, env=ENVIRONMENT, check=False)
    watcher = subprocess.Popen(
        [sys.executable, "-c", waiting(address)], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    call = subprocess.Popen(
        command("suite", "--executor", f"dask:{address}"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=tmp_path, env=ENVIRONMENT,
    )  # fmt: skip
    said, _ = watcher.communicate(timeout=120)
    assert re.match(r"middle \d+ \d+", said), "the tasks were done before one could be disturbed"
    workers[0].send_signal(signal.SIGKILL)
    out, complaint = call.communicate(timeout=240)
    assert call.returncode == alone.returncode == 2, complaint
    spread, single = answers(json.loads(out)), answers(json.loads(alone.stdout))
    assert [p["file"] for p in spread[2]] == [p["file"] for p in single[2]]
    for one, other in zip(spread[2], single[2], strict=True):
        assert one == other
    assert spread == single
    assert len(spread[2]) == len(texts) - 1


def test_a_task_is_self_contained(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(programs.lock(2).replace("acquire", "relaxed"))
    (alone,) = check([tmp_path / "p.cu"], Settings(engine="embedded"))
    task = Task(
        version(),
        "elsewhere/p.cu",
        (tmp_path / "p.cu").read_bytes(),
        Overrides(),
        "embedded",
        60,
        None,
        None,
        False,
        False,
    )
    result = run_task(task)
    assert result.outcome.file == "elsewhere/p.cu"
    assert [c.verdict for r in result.outcome.reports for c in r.checks] == [
        c.verdict for r in alone.reports for c in r.checks
    ]
    assert list(result.files) == []  # it is violated, and no engine read a file
    kept = run_task(replace(task, keep=True))
    assert "p.als" in kept.files
    other = run_task(Task("0.0.0", "p.cu", b"", Overrides(), "embedded", 60, None, None, False, False))
    assert other.outcome.failure is not None
    assert "not 0.0.0" in other.outcome.failure


def version() -> str:
    from scopec import __version__

    return __version__


@pytest.mark.parametrize("executor", ["dask", "dask:", "slurm:x", "127.0.0.1:8786"])
def test_another_executor_is_refused(executor: str) -> None:
    with pytest.raises(UsageError, match="dask:ADDRESS"):
        check_on_cluster([Path("p.cu")], Settings(), executor)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'scopec\[cluster\]'"):
        check_on_cluster([Path("p.cu")], Settings(), "dask:tcp://127.0.0.1:1")


def test_a_jar_of_this_machine_does_not_travel(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SCOPEC_ALLOY_JAR"):
        check_on_cluster([tmp_path], Settings(jars={"alloy": tmp_path / "a.jar"}), "dask:tcp://127.0.0.1:1")


def test_no_scheduler_is_an_engine_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scopec.session.cluster._CONNECT_SECONDS", 1)
    (tmp_path / "p.cu").write_text(programs.lock(2))
    with pytest.raises(EngineError, match="no Dask scheduler answers at tcp://127"):
        check_on_cluster([tmp_path], Settings(), "dask:tcp://127.0.0.1:1")
