"""Measures both engines: ``python benchmarks/run.py`` prints a table, ``--json FILE`` also writes the figures.

CPU time counts the process and its children.  Ratios are to the embedded engine on the same question.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
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
from scopec.check import Settings, check
from scopec.embedded.memory import solve
from scopec.plan import Overrides, Run, plan

#: Other models to ask Alloy under; a question of litmus size is to cost at most 25 ms.
MODELS = ("cuda-v1", "cuda-v2", "hrf0", "hrf-direct", "hrf-indirect", "sc-drf", "rc11", "ptx")


@dataclass(frozen=True)
class Figure:
    """One row: what was measured with which engine; CPU and wall time in milliseconds."""

    what: str
    engine: str
    questions: int
    cpu_ms: float
    wall_ms: float
    median_ms: float | None = None


def cpu() -> float:
    """CPU seconds of this process and of the children that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def measured(found: dict[str, float]) -> Iterator[None]:
    """CPU and wall time of a block, in milliseconds."""
    started, wall = cpu(), time.perf_counter()
    yield
    found["cpu"], found["wall"] = (cpu() - started) * 1000, (time.perf_counter() - wall) * 1000


def runs_of(
    texts: Iterable[tuple[str, str]], folder: Path, overrides: Overrides | None = None
) -> list[tuple[Path, Run]]:
    """The programs, written, read and unrolled: what every engine needs."""
    out = []
    for name, text in texts:
        path = folder / f"{name}.cu"
        path.write_text(text, encoding="utf-8")
        (run,) = plan(path, path.name, overrides or Overrides()).runs
        out.append((path, run))
    return out


def embedded(what: str, runs: list[tuple[Path, Run]]) -> Figure:
    """Encoding and solving, in this process."""
    each, total = [], {}
    problems = [run.problem for _, run in runs]
    solve(problems[0])  # imports are not measured
    with measured(total):
        for problem in problems:
            started = time.process_time()
            solve(problem)
            each.append((time.process_time() - started) * 1000)
    return Figure(
        what, "embedded", sum(len(p.questions) for p in problems), total["cpu"], total["wall"], statistics.median(each)
    )


def jars(what: str, engine: Any, runs: list[tuple[Path, Run]], overrides: Overrides | None = None) -> Figure:
    """A whole call of `scopec check`, reading included: Java has no other boundary."""
    total: dict[str, float] = {}
    with measured(total):
        outcomes = check([path for path, _ in runs], Settings(overrides or Overrides(), engine=engine, jobs=1))
    failures = [o.failure or o.diagnostics for o in outcomes if o.failure or o.diagnostics]
    if failures:
        raise SystemExit(f"{what}: {failures[0]}")
    questions = sum(len(run.problem.questions) if engine == "alloy" else len(run.properties) for _, run in runs)
    return Figure(what, engine, questions, total["cpu"], total["wall"])


def under(model: str, folder: Path) -> Figure:
    """The litmus set under one model: many files in one call, so that they share a Java virtual machine."""
    overrides = Overrides(model=model)
    return jars(f"litmus under {model}", "alloy", runs_of(programs.litmus(), folder, overrides), overrides)


def table(figures: list[Figure]) -> str:
    """The figures with ratios to the embedded engine."""
    reference = {f.what: f.cpu_ms / max(1, f.questions) for f in figures if f.engine == "embedded"}
    lines = [
        f"{'what':<28} {'engine':<9} {'questions':>9} {'CPU ms/question':>16} {'CPU s':>8} {'wall s':>8} {'ratio':>7}"
    ]
    for f in figures:
        per = f.cpu_ms / max(1, f.questions)
        ratio = f"{per / reference[f.what]:.1f}" if reference.get(f.what) else ""
        lines.append(
            f"{f.what:<28} {f.engine:<9} {f.questions:>9} {per:>16.2f} {f.cpu_ms / 1000:>8.2f} "
            f"{f.wall_ms / 1000:>8.2f} {ratio:>7}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--models", action="store_true", help="the litmus set under each model, and no more")
    parser.add_argument("--no-jars", action="store_true", help="measure the embedded engine alone")
    arguments = parser.parse_args()
    families: list[tuple[str, Callable[[int], str], Iterable[int]]] = [
        ("chain", programs.chain, (2, 4, 8, 12)),
        ("lock", programs.lock, (2, 3, 4, 5)),
        ("counter", programs.counter, (2, 4, 8)),
    ]
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        litmus = runs_of(programs.litmus(), folder)
        what = f"litmus x {len(litmus)}"
        figures.append(embedded(what, litmus))
        if not arguments.no_jars:
            figures.append(jars(what, "alloy", litmus))
            figures += [under(model, folder) for model in MODELS]
        if arguments.models:
            print(table(figures))
            return
        for family, make, sizes in families:
            for size in sizes:
                runs = runs_of([(f"{family}-{size}", make(size))], folder)
                what = f"{family} {size} ({len(runs[0][1].graph.events)} events)"
                figures.append(embedded(what, runs))
                if not arguments.no_jars and len(runs[0][1].graph.events) <= 40:
                    figures.append(jars(what, "alloy", runs))
        if not arguments.no_jars:
            for threads, operations in ((2, 2), (2, 4), (3, 4), (4, 4)):
                runs = runs_of([(f"steps-{threads}-{operations}", programs.steps(threads, operations))], folder)
                figures.append(jars(f"{threads} threads x {operations} steps", "tlc", runs))
    print(table(figures))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of this process at most {peak:.0f} MB")
    if arguments.json:
        document = {"figures": [asdict(f) for f in figures], "peak_mb": round(peak)}
        arguments.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
