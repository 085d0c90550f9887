"""Both engines' executions of random programs are those of a brute-force enumeration written from the documents alone.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.options import OPTIONS
from scopec.engines.alloy.emit import emit
from scopec.engines.alloy.run import question, read_instance
from scopec.engines.embedded.memory import lazy_closures
from scopec.engines.embedded.memory import sat as embedded
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.memory.execution import Execution
from scopec.memory.questions import Goal
from scopec.program import values
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.oracles import brute_memory, brute_programs
from tests.random_programs import memory_places, memory_program, memory_text
from tests.samples import programs

#: How long values are before they are named, by turns: every value, every sum, or as always.
LONGEST = (1, 2, values.LONGEST)
COUNT = programs(2, 5)


def alloy_executions(run: Run, jars: Jars, workers: Workers, folder: Path) -> list[Execution]:
    """Every consistent complete execution that Alloy finds."""
    specification = folder / "program.als"
    specification.write_text(emit(run.problem), encoding="utf-8")
    out = folder / "out"
    finished = workers.run(question(jars["alloy"], specification, out, "execution", 0), folder, 300)
    assert (out / "receipt.json").is_file(), finished.stderr
    found = [read_instance(p.read_text(), run.graph) for p in sorted(out.glob("execution-solution-*.xml"))]
    return [Execution(run.problem.base, run.problem.model, choice) for choice in found]


@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(1)
def test_alloy(seed: int, jars: Jars, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "LONGEST", LONGEST[seed % 3])
    compare(seed, tmp_path, lambda run: alloy_executions(run, jars, workers, tmp_path))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(10 * COUNT))
def test_embedded(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "LONGEST", LONGEST[seed % 3])
    # Half of them with nothing written out that a model may turn out not to need.
    monkeypatch.setattr(lazy_closures, "WRITTEN_OUT", 0 if seed % 4 < 2 else lazy_closures.WRITTEN_OUT)

    def found(run: Run) -> list[Execution]:
        (asked,) = [q for q in run.problem.questions if q.goal is Goal.EXECUTION]
        problem = run.problem
        return [Execution(problem.base, problem.model, choice) for choice in embedded.executions(problem, asked)]

    compare(seed, tmp_path, found)


def compare(seed: int, folder: Path, find: Callable[[Run], list[Execution]]) -> None:
    """The executions' final states, races and values read are those of the enumeration."""
    chance = random.Random(seed)
    program = memory_program(chance)
    # Half of the programs under the enumeration's defaults, half under one other reading.
    options = {"thin_air": brute_programs.OPTIONS["thin_air"][0]}
    if seed % 2:
        name = chance.choice([n for n in OPTIONS if n in brute_programs.OPTIONS])
        options[name] = brute_programs.OPTIONS[name][1]
    directives = "".join(f"//@ options {n} = {v};\n" for n, v in options.items())
    path = folder / "program.cu"
    path.write_text(memory_text(program, directives))

    wanted = list(brute_memory.enumerate_executions(program, options, 3, {}))
    (run,) = plan(path, "program.cu", Overrides()).runs
    found = find(run)
    for execution in found:
        assert execution.problems == ()

    places = memory_places(program)
    threads = {f"k[{b}][{t}]": number for number, (b, t) in enumerate(places)}

    def races(execution: Execution) -> frozenset[frozenset[tuple[int, int]]]:
        line = path.read_text().split("\n")
        first = {
            n: next(i for i, text in enumerate(line) if f"blockIdx.x == {b} && threadIdx.x == {t})" in text)
            for n, (b, t) in enumerate(places)
        }

        def operation(thread: str, at: int) -> tuple[int, int]:
            number = threads[thread]
            declared = sum(f"int t{number}_" in text for text in line)
            return number, at - 2 - first[number] - declared

        return frozenset(
            frozenset({operation(a.thread, a.span.line), operation(b.thread, b.span.line)}) for a, b in execution.race
        )

    states = sorted(
        (tuple(sorted((at.object, v) for at, v in e.final_memory().items())), sorted(map(sorted, map(tuple, races(e)))))
        for e in found
    )
    expected = sorted(
        (
            tuple(sorted((n, v) for n, v in e.memory.items() if _accessed(program, n))),
            sorted(map(sorted, map(tuple, e.races))),
        )
        for e in wanted
    )
    assert states == expected
    assert {_reads(e) for e in found} == {_brute_reads(program, e) for e in wanted}


def _accessed(program: brute_programs.Program, name: str) -> bool:
    return any(getattr(op, "loc", None) == name for t in program.threads for op in t.ops)


def _reads(execution: Execution) -> tuple[tuple[str, int], ...]:
    """The values that each thread's reads return, in order."""
    return tuple((e.thread, execution.values[e.id]) for e in execution.events if e.kind.name == "READ")


def _brute_reads(program: brute_programs.Program, execution: brute_programs.Execution) -> tuple[tuple[str, int], ...]:
    found = []
    order = sorted(range(len(program.threads)), key=lambda n: memory_places(program)[n])
    for number in order:
        block, lane = memory_places(program)[number]
        for op in program.threads[number].ops:
            for name in ("reg", "reg_old"):
                register = getattr(op, name, None)
                if register is not None and register in execution.registers[number]:
                    found.append((f"k[{block}][{lane}]", execution.registers[number][register]))
    return tuple(found)
