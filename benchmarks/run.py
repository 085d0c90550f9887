"""Measures the engines: ``python benchmarks/run.py`` prints a table, ``--json FILE`` also writes the figures.

CPU time counts the process and its children.  Ratios are to the embedded engine on the same questions.
docs/performance.md says what the figures mean; beside.py compares with other tools.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import programs
from scopec.engines.embedded.memory import sat
from scopec.engines.embedded.progress import fair_cycles
from scopec.session.check import Settings, check
from scopec.session.inquiry.questions import progress_problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan

#: Other models to ask Alloy under; a question of litmus size is to cost at most 25 ms.
MODELS = ("cuda-v1", "cuda-v2", "hrf0", "hrf-direct", "hrf-indirect", "sc-drf", "rc11", "ptx")
#: How long the embedded engine may take for one program, in seconds.
_LIMIT = 60.0
_MOST_EVENTS_FOR_ALLOY = 40


@dataclass(frozen=True)
class Figure:
    """One row: what was measured with which engine; CPU and wall time in milliseconds; ``note`` says more."""

    what: str
    engine: str
    questions: int
    cpu_ms: float
    wall_ms: float
    median_ms: float | None = None
    note: str = ""


def cpu() -> float:
    """CPU seconds of this process and of the children that ended."""
    times = os.times()
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@contextmanager
def measured(found: dict[str, float]) -> Iterator[None]:
    """CPU and wall time of a block, in milliseconds."""
    started, wall = cpu(), time.perf_counter()
    yield
    found["cpu"], found["wall"] = (cpu() - started) * 1000, (time.perf_counter() - wall) * 1000


def written(texts: Iterable[tuple[str, str]], folder: Path, ending: str) -> list[Path]:
    """The programs as files."""
    folder.mkdir(exist_ok=True)
    paths = []
    for name, text in texts:
        paths.append(folder / f"{name}{ending}")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def runs_of(paths: Iterable[Path], **overrides: Any) -> list[tuple[Path, Run]]:
    """The programs, read: what every engine needs."""
    out = []
    for path in paths:
        (run,) = plan(path, path.name, Overrides(**overrides)).runs
        out.append((path, run))
    return out


def each(what: str, engine: str, tasks: list[Callable[[], bool]], questions: int) -> Figure:
    """Tasks in this process, one after the other; one that gives no answer in time is told in the note."""
    times, total, late = [], {}, 0
    with measured(total):
        for task in tasks:
            started = time.process_time()
            late += not task()
            times.append((time.process_time() - started) * 1000)
    note = f"{late} without an answer in {_LIMIT:g} s" if late else ""
    return Figure(what, engine, questions, total["cpu"], total["wall"], statistics.median(times), note)


def embedded_memory(what: str, runs: list[tuple[Path, Run]]) -> Figure:
    """Encoding and solving, in this process; reading and unrolling are left out."""
    problems = [run.problem for _, run in runs]
    sat.solve(problems[0], _LIMIT)  # imports are not measured
    tasks = [lambda p=p: sat.solve(p, _LIMIT) is not None for p in problems]  # type: ignore[misc]
    return each(what, "embedded", tasks, sum(len(p.questions) for p in problems))


def embedded_progress(what: str, runs: list[tuple[Path, Run]]) -> Figure:
    """Exploring, in this process; reading is left out."""
    systems = [progress_problem(run, "Termination").system for _, run in runs]
    states: list[int] = []

    def task(system: Any) -> bool:
        answer = fair_cycles.solve(system, "Termination", _LIMIT)
        states.append(answer.states or 0)
        return answer.holds is not None

    figure = each(what, "embedded", [lambda s=s: task(s) for s in systems], len(systems))  # type: ignore[misc]
    return Figure(**{**asdict(figure), "note": figure.note or f"{sum(states)} states"})


def jars(what: str, engine: Any, runs: list[tuple[Path, Run]], **overrides: Any) -> Figure:
    """A whole call of `scopec check`, reading included: Java has no other boundary."""
    total: dict[str, float] = {}
    with measured(total):
        outcomes = check([path for path, _ in runs], Settings(Overrides(**overrides), engine=engine, jobs=1))
    failures = [o.failure or o.diagnostics for o in outcomes if o.failure or o.diagnostics]
    if failures:
        raise SystemExit(f"{what}: {failures[0]}")
    questions = sum(len(run.problem.questions) if engine == "alloy" else len(run.properties) for _, run in runs)
    asked = [c for o in outcomes for r in o.reports for c in r.checks]
    note = "with reading, and the start of Java"
    if engine == "alloy":
        note += f"; {statistics.median(c.time_ms for c in asked):.1f} ms a question in Java (median)"
    return Figure(what, engine, questions, total["cpu"], total["wall"], note=note)


def cold_start(what: str, path: Path, turns: int = 5) -> Figure:
    """The shortest of some calls of the command, each a process of its own."""
    command = [sys.executable, "-m", "scopec.cli", "check", str(path), "--engine", "embedded", "--no-cache"]
    found = []
    for _ in range(turns + 1):  # the first fills the caches
        total: dict[str, float] = {}
        with measured(total):
            subprocess.run(command, check=False, capture_output=True)
        found.append((total["wall"], total["cpu"]))
    wall, spent = min(found[1:])
    return Figure(what, "embedded", 1, spent, wall, note="one process, imports and reading included")


def java_start() -> Figure:
    """A Java virtual machine that does nothing."""
    from scopec.engines.java.jars import java

    total: dict[str, float] = {}
    with measured(total):
        subprocess.run([java(), "-XX:+UseSerialGC", "-version"], check=True, capture_output=True)
    return Figure("java -version", "java", 1, total["cpu"], total["wall"])


def recorded(folders: Iterable[Path]) -> Figure:
    """The progress programs of folders with a ``verdicts.tsv``, under each model of the table; answers compared."""
    rows = [
        (folder / row["file"], row["progress"], row["terminates"])
        for folder in folders
        for row in csv.DictReader((folder / "verdicts.tsv").open(encoding="utf-8"), delimiter="\t")
        if row["terminates"] in ("yes", "no")
    ]
    wrong: list[str] = []

    def task(path: Path, model: str, ends: str) -> bool:
        run = next(r for r in plan(path, path.name, Overrides(progress=model)).runs if r.properties)
        answer = fair_cycles.solve(progress_problem(run, "Termination").system, "Termination", _LIMIT)
        if answer.holds is not None and answer.holds is not (ends == "yes"):
            wrong.append(f"{path.name} under {model}")
        return answer.holds is not None

    tasks = [lambda row=row: task(*row) for row in rows]  # type: ignore[misc]
    figure = each(f"recorded progress x {len(rows)}", "embedded", tasks, len(rows))
    note = f"reading included; {len(wrong)} verdicts differ" + (f": {wrong[0]}" if wrong else "")
    return Figure(**{**asdict(figure), "note": note})


def table(figures: list[Figure]) -> str:
    """The figures with ratios to the embedded engine."""
    reference = {f.what: f.cpu_ms / max(1, f.questions) for f in figures if f.engine == "embedded"}
    lines = [
        f"{'what':<34} {'engine':<9} {'questions':>9} {'CPU ms/question':>16} {'median':>8} {'CPU s':>8} {'wall s':>8} "
        f"{'ratio':>7}  note"
    ]
    for f in figures:
        per = f.cpu_ms / max(1, f.questions)
        ratio = f"{per / reference[f.what]:.1f}" if reference.get(f.what) else ""
        median = "" if f.median_ms is None else f"{f.median_ms:.2f}"
        lines.append(
            f"{f.what:<34} {f.engine:<9} {f.questions:>9} {per:>16.2f} {median:>8} {f.cpu_ms / 1000:>8.2f} "
            f"{f.wall_ms / 1000:>8.2f} {ratio:>7}  {f.note}".rstrip()
        )
    return "\n".join(lines)


def measure(folder: Path, with_jars: bool, only_models: bool, corpora: list[Path]) -> Iterator[Figure]:
    """Every figure, or those of the litmus set alone."""
    litmus = runs_of(written(programs.litmus(), folder / "litmus", ".cu"))
    what = f"litmus x {len(litmus)}"
    yield embedded_memory(what, litmus)
    if with_jars:
        yield java_start()
        yield jars(what, "alloy", litmus)
        for model in MODELS:  # many files in one call, so that they share a Java virtual machine
            asked = runs_of((path for path, _ in litmus), model=model)
            yield jars(f"litmus under {model}", "alloy", asked, model=model)
    if only_models:
        return
    c_files = written(programs.c_litmus(), folder / "c", ".litmus")[:100]
    what, c_runs = f"C litmus x {len(c_files)}, rc11", runs_of(c_files, model="rc11")
    yield embedded_memory(what, c_runs)
    if with_jars:
        yield jars(what, "alloy", c_runs, model="rc11")
    yield cold_start("cold start, .litmus", c_files[0])
    yield cold_start("cold start, .cu", litmus[0][0])
    families: list[tuple[str, Callable[[int], str], Iterable[int]]] = [
        ("chain", programs.chain, (2, 4, 6, 8, 10, 12, 24, 66)),
        ("lock", programs.lock, (2, 3, 4, 5, 6, 7, 8, 10)),
        ("counter", programs.counter, (2, 3, 4, 5, 6, 7, 8)),
    ]
    for family, make, sizes in families:
        for size in sizes:
            runs = runs_of(written([(f"{family}-{size}", make(size))], folder, ".cu"))
            events = len(runs[0][1].graph.events)
            what = f"{family} {size} ({events} events)"
            yield embedded_memory(what, runs)
            if with_jars and events <= _MOST_EVENTS_FOR_ALLOY:
                yield jars(what, "alloy", runs)
    for threads, operations in ((2, 2), (2, 4), (3, 4), (4, 4), (4, 6), (5, 6)):
        runs = runs_of(written([(f"steps-{threads}-{operations}", programs.steps(threads, operations))], folder, ".cu"))
        what = f"{threads} threads x {operations} steps"
        yield embedded_progress(what, runs)
        if with_jars:
            yield jars(what, "tlc", runs)
    if corpora:
        yield recorded(corpora)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--models", action="store_true", help="the litmus set under each model, and no more")
    parser.add_argument("--no-jars", action="store_true", help="measure the embedded engine alone")
    parser.add_argument("--recorded", type=Path, nargs="*", default=[], help="folders of programs with verdicts.tsv")
    arguments = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        for figure in measure(Path(name), not arguments.no_jars, arguments.models, arguments.recorded):
            figures.append(figure)
            print(f"{figure.what}: {figure.engine}", file=sys.stderr)
    print(table(figures))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of this process at most {peak:.0f} MB; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if arguments.json:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
        document = {"machine": machine, "figures": [asdict(f) for f in figures], "peak_mb": round(peak)}
        arguments.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
