"""Workers answer what a process of its own answers, one question after the other, and never outlive anything."""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scopec.base import scratch
from scopec.base.diagnostics import EngineError, LimitError
from scopec.engines.alloy import run as alloy_run
from scopec.engines.java import jars as jars_module
from scopec.engines.java.jars import Jars
from scopec.engines.java.processes import Finished, Processes
from scopec.engines.java.workers import Workers
from scopec.engines.tla import laws
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.read import read
from tests.specifications import LAWS, places, put, text

pytestmark = pytest.mark.jvm
#: Each is asked of a Java process of its own too, which starts cold.
ALLOY_STEP, TLA_STEP = (12, 6) if os.environ.get("SCOPEC_COLD_SPECS") else (60, 40)
#: Seconds that one may take: the largest of specs/ takes Alloy two minutes.
LIMIT = 600
ALLOY = places(".als")[2::ALLOY_STEP]
#: Whose executions are few: others have too many to list all.
LITMUS = [place for place in places(".als") if place.parts[0] == "litmus"][::ALLOY_STEP]
SMALL = Path("litmus/mp_one_block.als")
TLA = places(".tla")[::TLA_STEP]

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Spec == Init /\\ [][Next]_x
====
"""


@pytest.fixture
def own() -> Iterator[Workers]:
    """Workers that no other test uses."""
    with Workers() as running:
        yield running


def instances(finished: Finished, out: Path) -> dict[str, str]:
    """The instances of a run by file name, without what names the file."""
    assert finished.status == 0, finished.stderr
    found = {}
    for path in out.glob("*.xml"):
        (instance,) = ET.parse(path).getroot().iter("instance")
        instance.attrib.pop("filename")
        found[path.name] = ET.tostring(instance, encoding="unicode")
    return found


def tlc(
    jars: Jars, workers: Workers, folder: Path, module: str, text: str, config: str, seconds: float | None
) -> Finished:
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.tla").write_text(text)
    (folder / LAWS).write_text(laws.text())
    (folder / f"{module}.cfg").write_text(config)
    (folder / "tlc-out").mkdir(exist_ok=True)
    return workers.run(tla_run.question(jars["tlc"], module, folder), folder, seconds)


def running(workers: Workers) -> list[int]:
    return [process.pid for process in workers.processes.running()]


# ---------------------------------------------------------------- the same answers


@pytest.mark.parametrize(("most", "place"), [*((1, p) for p in ALLOY), *((0, p) for p in LITMUS)], ids=str)
@pytest.mark.sampled(1)
def test_alloy_answers_as_its_command_line_does(
    place: Path, most: int, jars: Jars, workers: Workers, processes: Processes, tmp_path: Path
) -> None:
    """To the letter, with every instance of every command or the first of each."""
    specification = put(place, tmp_path)
    command = "*" if most else "execution"
    question = alloy_run.question(jars["alloy"], specification, tmp_path / "worker", command, most)
    here = workers.run(question, tmp_path, LIMIT)
    question = alloy_run.question(jars["alloy"], specification, tmp_path / "process", command, most)
    there = processes.run(question.arguments, tmp_path, LIMIT)
    found = instances(here, tmp_path / "worker")
    assert found == instances(there, tmp_path / "process")
    assert found or not re.search(r"^run execution \{.*\} expect 1$", specification.read_text(), re.MULTILINE)


@pytest.mark.parametrize("module", TLA, ids=lambda p: p.stem)
@pytest.mark.sampled(1)
def test_tlc_answers_as_its_command_line_does(
    module: Path, jars: Jars, workers: Workers, processes: Processes, tmp_path: Path
) -> None:
    """Status, states, and the whole counterexample."""
    written, config = text(module), text(module.with_suffix(".cfg"))
    here = tlc(jars, workers, tmp_path / "worker", module.stem, written, config, LIMIT)
    folder = tmp_path / "process"
    folder.mkdir()
    for place in (module, module.with_suffix(".cfg")):
        put(place, folder)
    there = processes.run(tla_run.question(jars["tlc"], module.stem, folder).arguments, folder, LIMIT)
    assert here.status == there.status
    assert here.status is not None
    assert there.status is not None
    assert read(here.stdout, here.status) == read(there.stdout, there.status)


@pytest.mark.sampled(0)
def test_an_error_of_the_input_is_reported_and_the_next_question_answered(
    jars: Jars, own: Workers, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.als"
    bad.write_text("sig A {\n  x : B\n}\nrun c {}\n")
    finished = own.run(alloy_run.question(jars["alloy"], bad, tmp_path / "out"), tmp_path, 60)
    assert finished.status == 1
    assert re.search(r"line 2.*column 7.*B", finished.stderr)
    before = running(own)
    parse_error = tlc(jars, own, tmp_path / "tla", "Bad", "---- MODULE Bad ----\nx == \n====\n", "", 60)
    assert parse_error.status == 150
    bad.write_text("sig A {}\nrun c { some A }\n")
    assert own.run(alloy_run.question(jars["alloy"], bad, tmp_path / "again"), tmp_path, 60).status == 0
    assert running(own) == before


# ---------------------------------------------------------------- ends and restarts


def test_a_time_limit_ends_the_worker_and_tells_how_far_it_came(jars: Jars, own: Workers, tmp_path: Path) -> None:
    for seconds in (4, 20, 100):  # a busy machine takes longer to begin
        late = tlc(jars, own, tmp_path / f"late{seconds}", "Counter", COUNTER, "SPECIFICATION Spec", seconds)
        assert late.status is None
        assert running(own) == []
        if "Starting..." in late.stdout:
            break
    assert "Starting..." in late.stdout
    fine = tlc(
        jars, own, tmp_path / "fine", "Counter", COUNTER.replace("x + 1", "(x + 1) % 5"), "SPECIFICATION Spec", 60
    )
    assert fine.status == 0
    assert len(running(own)) == 1


def test_a_killed_worker_is_an_engine_failure_and_is_replaced(jars: Jars, own: Workers, tmp_path: Path) -> None:
    def kill() -> None:
        while not (tmp_path / "killed" / "tlc-out" / "Counter.txt").exists():
            time.sleep(0.1)
        for pid in running(own):
            os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(EngineError, match="TLC was killed by signal 9"):
        tlc(jars, own, tmp_path / "killed", "Counter", COUNTER, "SPECIFICATION Spec", 60)
    thread.join()
    config = "SPECIFICATION Spec"
    assert tlc(jars, own, tmp_path / "next", "Counter", COUNTER.replace("x + 1", "1 - x"), config, 60).status == 0


@pytest.mark.sampled(0)
def test_out_of_memory_is_no_answer(jars: Jars, own: Workers, tmp_path: Path) -> None:
    own.processes.flags += ("-Xmx24m",)
    text = COUNTER.replace("Init == x = 0", "Init == x = {s \\in SUBSET (1..22) : s # {}}").replace("x + 1", "x")
    with pytest.raises(LimitError, match="TLC ran out of memory: raise --memory-limit, or use fewer threads"):
        tlc(jars, own, tmp_path / "large", "Counter", text, "SPECIFICATION Spec", 120)
    assert running(own) == []


@pytest.mark.sampled(0)
def test_many_questions_need_one_worker_bounded_memory_and_no_files(jars: Jars, own: Workers, tmp_path: Path) -> None:
    """TLC's classes are let go, with all that they hold: 60 questions would otherwise need more than there is here."""
    own.processes.flags += ("-Xmx96m", "-XX:MaxMetaspaceSize=56m")
    changing, small = COUNTER.replace("x + 1", "(x + 1) % 3"), put(SMALL, tmp_path)
    for number in range(60):
        config = "SPECIFICATION Spec\nPROPERTY Live\n"
        live = changing.replace("====", "Live == <>[](x = 1)\n====")
        assert tlc(jars, own, tmp_path / f"live{number}", "Counter", live, config, 60).status == 13
        if number % 10 == 0:
            out = tmp_path / f"alloy{number}"
            assert own.run(alloy_run.question(jars["alloy"], small, out), tmp_path, 60).status == 0
    assert len(running(own)) == 1
    left = [p for p in own.folder.rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in left) < 10_000, left


@pytest.mark.sampled(0)
def test_as_many_workers_as_questions_at_once(jars: Jars, own: Workers, tmp_path: Path) -> None:
    def ask(number: int) -> None:
        for turn in range(3):
            folder = tmp_path / f"{number}-{turn}"
            text = COUNTER.replace("x + 1", "(x + 1) % 5")
            assert tlc(jars, own, folder, "Counter", text, "SPECIFICATION Spec", 60).status == 0

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(running(own)) == 2
    own.stop()
    assert running(own) == []


# ---------------------------------------------------------------- where no worker can be used


def test_a_java_without_its_library_gets_a_process_a_question(
    jars: Jars, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = tmp_path / "bin" / "java"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {jars_module.java()} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("SCOPEC_JAVA", str(wrapper))
    remarks: list[str] = []
    with Workers(remarks.append) as workers:
        for number in range(2):
            folder = tmp_path / str(number)
            text = COUNTER.replace("x + 1", "(x + 1) % 5")
            assert tlc(jars, workers, folder, "Counter", text, "SPECIFICATION Spec", 60).status == 0
    said = f"each question gets a Java process of its own, which is slower: {wrapper} has no libjvm beside it"
    assert remarks == [said]


def test_a_library_that_is_none_gets_a_process_a_question(
    jars: Jars, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "libjvm.so"
    broken.write_text("no library at all")
    monkeypatch.setattr(jars_module, "libjvm", lambda: broken)
    remarks: list[str] = []
    with Workers(remarks.append) as workers:
        out = tmp_path / "out"
        assert workers.run(alloy_run.question(jars["alloy"], put(SMALL, tmp_path), out), tmp_path, 60).status == 0
        assert out.is_dir()
    assert len(remarks) == 1
    assert "which is slower" in remarks[0]


def test_a_jar_that_cannot_be_asked_this_way_gets_a_process_a_question(jars: Jars, tmp_path: Path) -> None:
    """A jar of another version, without a class that the worker needs."""
    other = tmp_path / "other.jar"
    with zipfile.ZipFile(jars["tlc"].path) as jar, zipfile.ZipFile(other, "w") as copy:
        for name in jar.namelist():
            if name != "util/SimpleFilenameToStream.class":
                copy.writestr(name, jar.read(name))
    remarks: list[str] = []
    own_jar = jars_module.own_jar(jars_module.PINNED["tlc"], other, "--tlc-jar")
    (tmp_path / "tlc-out").mkdir()
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "Counter.cfg").write_text("SPECIFICATION Spec")
    with Workers(remarks.append) as workers:
        finished = workers.run(tla_run.question(own_jar, "Counter", tmp_path), tmp_path, 60)
        assert "SimpleFilenameToStream" in finished.stderr
        assert len(running(workers)) == 1
    assert len(remarks) == 1
    assert "SimpleFilenameToStream" in remarks[0]


def test_a_scratch_folder_goes_even_if_something_still_writes_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that was ended a moment ago may have a file under way; until it is gone, who ends the process sees it."""
    remove, seen = shutil.rmtree, []

    def in_vain_at_first(folder: Path, *, ignore_errors: bool) -> None:
        seen.append(folder in scratch._held)
        if len(seen) > 1:
            remove(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", in_vain_at_first)
    with scratch.scratch_folder() as folder:
        (folder / "states").mkdir()
    assert not folder.exists()
    assert seen == [True, True]
