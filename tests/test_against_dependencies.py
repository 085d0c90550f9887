"""`thin_air = dependencies`: final states and numbers of executions of random programs against a brute-force checker.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from tests.oracles.brute_programs import Execution
from tests.oracles.dependencies import executions
from tests.oracles.small_threads import Loop, Program
from tests.random_dependencies import dependency_program
from tests.random_programs import memory_places
from tests.samples import programs
from tests.small_texts import cuda_text, registers
from tests.test_outcomes import listed

COUNT = programs(3, 10)
State = tuple[tuple[str, int], ...]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(5 * COUNT))
def test_embedded(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, "embedded")


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(COUNT))
def test_both_engines(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, "both")


@pytest.mark.parametrize(("option", "first"), [("syntactic", 0), ("rc11", 0), ("off", 15)])
@pytest.mark.sampled(1)
def test_the_programs_tell_dependencies_from_other_readings(option: str, first: int, tmp_path: Path) -> None:
    """With another reading of thin air some program has other executions: the comparison would notice it."""

    def executions_of(seed: int, directives: str) -> dict[State, int]:
        path = tmp_path / "program.cu"
        path.write_text(directives + cuda_text(program_of(seed)))
        return {tuple(sorted(s.values.items())): s.executions for s in listed(path, limit=100_000).states}

    directives = f"//@ options thin_air = {option};\n"
    assert any(executions_of(seed, directives) != executions_of(seed, "") for seed in (first, *range(50)))


def program_of(seed: int) -> Program:
    return dependency_program(random.Random(f"dependencies {seed}"))


def compare(seed: int, folder: Path, engine: str) -> None:
    """Each final state, how many executions end there, and whether one races.

    Where the checker gives two answers the states are between them; turns in vain are counted in another way.
    """
    program = program_of(seed)
    path = folder / "program.cu"
    path.write_text(cuda_text(program))
    answer = executions(program)
    listing = listed(path, engine, 100_000)
    found = {tuple(sorted(s.values.items())): (s.executions, s.racy) for s in listing.states}
    shown = {name for s in listing.states for name in s.values}
    least, most = (states(program, some, shown) for some in (answer.least, answer.most))
    if not answer.finite and listing.unfinished:
        assert all("is not decided" in reason or "exceed what" in reason for reason in listing.unfinished)
        assert found.keys() <= most.keys(), path.read_text()
        return
    assert listing.unfinished == ()
    if least != most:
        assert least.keys() <= found.keys() <= most.keys(), path.read_text()
    elif any(isinstance(statement, Loop) for thread in program.threads for statement in thread.body):
        assert {state: racy for state, (_, racy) in found.items()} == {
            state: racy for state, (_, racy) in least.items()
        }
    else:
        assert found == least, path.read_text()


def states(program: Program, of: Iterable[Execution], shown: Collection[str]) -> dict[State, tuple[int, bool]]:
    """For each final state of what is shown how many executions end there and whether one of them races."""
    places = memory_places(program.declared())
    different: dict[State, set[object]] = {}
    races: dict[State, bool] = {}
    for execution in of:
        values = {name: value for name, value in execution.memory.items() if name in shown}
        for n, (thread, (block, lane)) in enumerate(zip(program.threads, places, strict=True)):
            at_end = execution.registers[n]
            values |= {f"k[{block}][{lane}].{reg}{n}": at_end.get(reg, -1) for reg in registers(thread.body)}
        state = tuple(sorted(values.items()))
        different.setdefault(state, set()).add((execution.rf, execution.co))
        races[state] = races.get(state, False) or bool(execution.races)
    return {state: (len(some), races[state]) for state, some in different.items()}
