"""mbarriers in the progress question: whether threads get through, in both engines, against a simulation by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scopec.engines.embedded.progress.fair_cycles import solve
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.emit import emit
from scopec.program import ir
from scopec.program.mbarriers import RULES
from scopec.progress.build import build
from scopec.progress.reductions import NOTHING, Reductions
from scopec.progress.rules import LAWS, mbarriers
from scopec.progress.schedule import Kind, Schedule
from tests.mbarrier_programs import (
    Arrive,
    Copy,
    Expect,
    Follow,
    Init,
    Inval,
    Look,
    Sync,
    Threads,
    Wait,
    answer,
    program_of,
    random_program,
)
from tests.samples import programs
from tests.test_barrier_phases import without

COUNT = programs(20, 200)
_HANGS = (Kind.DEADLOCK, Kind.LIVELOCK, Kind.SILENCE)
#: Programs by what is asked, each with how it may go on.
PROGRAMS: dict[str, tuple[Threads, str]] = {
    "two arrive": (((Init(2), Sync(), Arrive()), (Sync(), Arrive(), Wait(0))), "ends"),
    "one of two arrives": (((Init(2), Sync(), Arrive()), (Sync(), Wait(0))), "hangs"),
    "one of two arrives, polled": (((Init(2), Sync(), Arrive()), (Sync(), Wait(0, polls=True))), "hangs"),
    "two arrive at once": (((Init(2), Sync(), Arrive(2)), (Sync(), Wait(0))), "ends"),
    "32 bytes of 32": (((Init(1), Sync(), Arrive(expect=32), Copy(32), Wait(0)), (Sync(), Wait(0, polls=True))), "ends"),
    "16 bytes of 32": (((Init(1), Sync(), Arrive(expect=16), Copy(32), Wait(0)), (Sync(), Wait(0))), "hangs"),
    "64 bytes of 32": (((Init(1), Sync(), Arrive(expect=64), Copy(32), Wait(0)), (Sync(), Wait(0))), "hangs"),
    "bytes before they are expected": (((Init(1), Copy(32), Expect(32), Arrive(), Wait(0)),), "ends"),
    "the phase before": (((Init(1), Sync(), Wait(1)), (Sync(), Wait(1, polls=True))), "ends"),
    "one phase after the other": (
        ((Init(1), Sync(), Arrive(), Wait(0), Arrive(), Wait(1)), (Sync(), Wait(0))),
        "hangs",
    ),
    "a waiter overtaken": (((Init(1), Sync(), Arrive(), Wait(0), Arrive(), Wait(1)), (Sync(), Wait(0))), "hangs"),
    "a waiter by token": (((Init(1), Arrive(), Wait(), Arrive(), Wait()),), "ends"),
    "two arrive, no wait between": (((Init(1), Arrive(), Arrive()),), "undefined"),
    "the wait of another thread": (((Init(1), Sync(), Arrive(), Sync(), Arrive()), (Sync(), Wait(0), Sync())), "ends"),
    "the test of another thread": (((Init(1), Arrive(), Sync(), Arrive()), (Sync(),)), "undefined"),
    "a test that nobody looks at": (((Init(1), Arrive(), Look(0), Arrive()),), "ends"),
    "a test of the wrong parity": (((Init(1), Arrive(), Look(1), Arrive()),), "undefined"),
    "no init": (((Arrive(),),), "undefined"),
    "a wait before init": (((Init(1), Arrive()), (Wait(0),)), "undefined"),
    "init again": (((Init(1), Init(1)),), "undefined"),
    "init after inval": (((Init(2), Arrive(), Inval(), Init(1), Arrive(), Wait(0)),), "ends"),
    "inval twice": (((Init(1), Inval(), Inval()),), "undefined"),
    "a count of 0": (((Init(0),),), "undefined"),
    "too many arrive": (((Init(1), Arrive(2)),), "undefined"),
    "bytes after the last arrival": (((Init(1), Arrive(expect=16), Copy(32), Expect(16), Wait(0)),), "late bytes"),
    "more bytes while some are pending": (((Init(1), Arrive(expect=64), Copy(32), Expect(16), Copy(48), Wait(0)),), "ends"),
    "bytes of a phase not found over": (((Init(1), Arrive(expect=32), Copy(32), Expect(32), Copy(32), Wait(0)),), "late bytes"),
    "bytes of the next phase": (((Init(1), Arrive(expect=32), Copy(32), Wait(0), Expect(32), Arrive(), Copy(32), Wait(1)),), "ends"),
    "bytes after a phase without": (((Init(1), Arrive(), Expect(32), Wait(0), Arrive(), Copy(32), Wait(1)),), "ends"),
    "bytes after a phase without, behind one with": (
        ((Init(1), Arrive(expect=32), Copy(32), Wait(0), Arrive(), Expect(32), Wait(1), Arrive(), Copy(32), Wait(0)),),
        "ends",
    ),
    "a look while bytes are in flight": (
        ((Init(1), Sync(), Arrive(expect=32), Copy(32), Look(0, hangs=False)), (Sync(),)),
        "hangs",
    ),
    "a wait for the phase before, in time": (((Init(1), Arrive(expect=32), Copy(32), Wait(1)),), "hangs"),
    "a wait for the phase before, or after": (
        ((Init(1), Sync(), Arrive(expect=32), Copy(32), Wait(1), Arrive()), (Sync(), Wait(0), Arrive())),
        "undefined",
    ),
    "a loop until the bytes have come": (
        ((Init(1), Sync(), Arrive(expect=32), Copy(32)), (Sync(), Wait(0, polls=True)), (Sync(), Wait(0))),
        "ends",
    ),
    "a phase of bytes that a test finds over": (
        ((Init(1), Arrive(expect=32), Copy(32), Look(0), Expect(32)),),
        "late bytes",
    ),
    "an arrival that must not be the last": (
        ((Init(2), Sync(), Arrive(partial=True), Sync()), (Sync(), Sync(), Arrive(), Wait(0))), "ends",
    ),
    "an arrival that must not be the last, and may be": (
        ((Init(2), Sync(), Arrive(partial=True)), (Sync(), Arrive(), Wait(0))), "undefined",
    ),
    "one that must not be the last, where bytes are pending": (
        ((Init(1), Arrive(expect=16, partial=True), Expect(-16), Wait(0)),), "ends",
    ),
    "an arrival behind copies": (((Init(1), Sync(), Follow()), (Sync(), Wait(0))), "ends"),
    "arrivals behind copies in two phases": (
        ((Init(2), Follow(), Arrive(), Wait(0), Follow(), Arrive(), Wait(1)),), "ends",
    ),
    "a look before an arrival behind copies": (((Init(1), Follow(), Look(0, hangs=False)),), "hangs"),
    "a look behind such an arrival": (((Init(1), Follow(), Look(0, hangs=True)),), "hangs"),
    "an arrival too many, behind copies": (((Init(1), Follow(), Arrive()),), "undefined"),
    "an arrival behind copies that is not counted": (((Init(1), Follow(counted=False), Arrive(), Wait(0)),), "ends"),
    "only an arrival that is not counted": (((Init(1), Sync(), Follow(counted=False)), (Sync(), Wait(0))), "hangs"),
    "a look before one that is not counted": (
        ((Init(1), Follow(counted=False), Arrive(), Look(0, hangs=False)),), "hangs",
    ),
    "one that is not counted, behind the end of the phase": (
        ((Init(1), Arrive(), Follow(counted=False)),), "undefined",
    ),
    "one that is not counted, while bytes are in flight": (
        ((Init(1), Arrive(expect=16), Copy(16), Follow(counted=False)),), "late bytes",
    ),
    "bytes beside an arrival behind copies": (((Init(1), Follow(), Expect(16), Copy(16), Wait(0)),), "late bytes"),
    "one of two leaves": (((Init(2), Sync(), Arrive(drop=True)), (Sync(), Arrive(), Wait(0), Arrive(), Wait(1))), "ends"),
    "the last one leaves": (((Init(1), Arrive(drop=True)),), "undefined"),
    "a test that is true": (((Init(1), Arrive(), Look(0, hangs=True)),), "hangs"),
    "a test that is false": (((Init(1), Look(0, hangs=False)),), "hangs"),
    "a test before or after": (((Init(1), Sync(), Arrive()), (Sync(), Look(0, hangs=False))), "hangs"),
}  # fmt: skip


def shown(threads: Threads, reductions: Reductions | None = None) -> Schedule | None:
    """What the embedded engine finds that keeps a program from its end."""
    result = solve(build(program_of(threads), reductions=reductions or Reductions()), "Termination")
    assert result.holds is (result.schedule is None)
    return result.schedule


def says(schedule: Schedule | None) -> str:
    """How a program may go on, by the schedule that keeps it from its end."""
    if schedule is None:
        return "ends"
    if schedule.kind is Kind.UNDEFINED:
        late = any(stays.why.startswith(RULES[ir.BarrierFault.LATE_BYTES]) for stays in schedule.behind)
        return "late bytes" if late else "undefined"
    return "hangs" if schedule.kind in _HANGS else schedule.kind.value


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(12)
def test_a_program(name: str) -> None:
    threads, expected = PROGRAMS[name]
    assert says(shown(threads)) == expected
    assert says(shown(threads, NOTHING)) == expected
    assert agree(expected, answer(threads))


def agree(found: str, simulated: set[str]) -> bool:
    """Whether an answer is that of the simulation; bytes that are expected too late are not answered."""
    return found == "late bytes" or (found in simulated and (found == "ends") == (simulated == {"ends"}))


@pytest.mark.parametrize("name", [name for name, (threads, _) in PROGRAMS.items() if Sync() in threads[0]])
@pytest.mark.sampled(7)
def test_among_many_threads_of_the_block(name: str) -> None:
    """The steps of those that only meet the others are sure; those on the mbarrier are not."""
    threads, expected = PROGRAMS[name]
    others = 16 * (threads[0].count(Sync()) * (Sync(),),)
    assert says(shown((*threads, *others))) == expected


@pytest.mark.parametrize("first", range(0, COUNT, 10))
def test_random_programs_go_on_as_in_the_simulation(first: int) -> None:
    for seed in range(first, first + 10):
        threads = random_program(Random(seed))
        expected = answer(threads)
        for reductions in (Reductions(), NOTHING):
            found = says(shown(threads, reductions))
            assert agree(found, expected), threads


def test_random_programs_end_hang_and_break_rules() -> None:
    found = [answer(random_program(Random(seed))) for seed in range(120)]
    for way in ("ends", "hangs", "undefined"):
        assert 20 < sum(way in ways for ways in found) < 100


@pytest.mark.sampled(8)
@pytest.mark.jvm
@pytest.mark.parametrize("name", PROGRAMS)
def test_tlc_finds_the_same(name: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    threads, expected = PROGRAMS[name]
    assert says(checked(threads, jars, workers, tmp_path)) == expected


@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(COUNT // 10))
def test_tlc_finds_the_same_of_random_programs(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    threads = random_program(Random(1000 + seed))
    assert agree(says(checked(threads, jars, workers, tmp_path)), answer(threads)), threads


def checked(threads: Threads, jars: Jars, workers: Workers, folder: Path) -> Schedule | None:
    """What TLC finds that keeps a program from its end."""
    system = build(program_of(threads))
    module = emit(system, "m", ("a program",), "Termination")
    for name, text in module.files.items():
        (folder / name).write_text(text)
    result = tla_run.run(jars["tlc"], module.name, workers, folder, 120).result
    assert result is not None
    schedule = tla_run.counterexample(result, system, module)
    assert (result.outcome == "holds") is (schedule is None)
    return schedule


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("no init", ir.BarrierFault.NOT_INITIALISED),
        ("init again", ir.BarrierFault.INITIALISED),
        ("a count of 0", ir.BarrierFault.COUNT),
        ("the last one leaves", ir.BarrierFault.COUNT),
        ("too many arrive", ir.BarrierFault.TOO_MANY),
        ("two arrive, no wait between", ir.BarrierFault.OVERRUN),
        ("an arrival that must not be the last, and may be", ir.BarrierFault.COMPLETES),
        ("bytes after the last arrival", ir.BarrierFault.LATE_BYTES),
        ("bytes of a phase not found over", ir.BarrierFault.LATE_BYTES),
    ],
)
def test_the_rule_that_is_broken_is_named(name: str, rule: ir.BarrierFault) -> None:
    schedule = shown(PROGRAMS[name][0])
    assert schedule is not None
    assert [stays.why.partition(",")[0] for stays in schedule.behind] == [RULES[rule].partition(",")[0]]


def test_a_schedule_says_what_is_pending() -> None:
    schedule = shown(PROGRAMS["64 bytes of 32"][0])
    assert schedule is not None
    changes = [text for move in schedule.moves for text in move.changes.values()]
    assert changes == [
        "phase 0, 1 of 1 arrivals to come",
        "phase 0, 0 of 1 arrivals to come, 64 bytes",
        "phase 0, 0 of 1 arrivals to come, 32 bytes",
    ]
    on_it = [stays.why for stays in schedule.behind if stays.where == "waits on b"]
    assert [why.partition(":")[0] for why in on_it] == 2 * ["the phase of b never ends"]


def test_a_schedule_says_what_may_be_in_flight() -> None:
    schedule = shown(PROGRAMS["a look before an arrival behind copies"][0])
    assert schedule is not None
    *_, last = (text for move in schedule.moves for text in move.changes.values())
    assert last == "phase 1, 1 of 1 arrivals to come, the end of phase 0 may be in flight"


def test_who_asks_for_no_rule_goes_on() -> None:
    """Members of cuda::barrier: as one that is no mbarrier."""
    for threads, holds in (("two arrive", True), ("one of two arrives", False), ("two arrive, no wait between", True)):
        assert solve(build(program_of(PROGRAMS[threads][0], asks=())), "Termination").holds is holds


def test_a_test_without_a_rule_is_noticed() -> None:
    """That nobody looks at the result of a test does not make it one that no thread can notice."""
    for name, holds in (("a test that nobody looks at", True), ("a test of the wrong parity", False)):
        program = program_of(PROGRAMS[name][0], asks=(ir.BarrierInit, ir.BarrierArrive))
        assert solve(build(program), "Termination").holds is holds


def test_an_mbarrier_that_decides_nothing_has_no_state() -> None:
    system = build(program_of(((Init(1), Arrive(), Expect(16), Look(0), Copy(16)),), asks=()))
    assert "mem" not in emit(system, "m", ("a program",), "Termination").tla


# ---------------------------------------------------------------- laws


def early(which: int, term: Any) -> Any:
    """A phase that is over although one of the counts is not zero."""
    condition, over, same = term.operands
    return replace(term, operands=(condition.operands[1 - which], over, same))


#: A definition, and what is done to it.
MUTATIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **{f"the next phase has the {kept} of the one before": ("NextPhase", partial(without, kept))
       for kept in ("phase", "pending", "served", "copied", "late")},
    "a phase ends before its last arrival": ("NextPhase", partial(early, 0)),
    "a phase ends before its last byte": ("NextPhase", partial(early, 1)),
    "no bytes are expected": ("Expect", partial(without, "bytes")),
    "no copy is noted": ("Expect", partial(without, "copied")),
    "an arrival leaves what is pending": ("ArriveOn", partial(without, "pending")),
    "an arrival expects no bytes": ("ArriveOn", partial(without, "bytes")),
    "a drop leaves what is expected": ("DropFrom", partial(without, "expected")),
    "an arrival that is not counted is not waited for": ("ExpectArrivals", partial(without, "pending")),
    "an arrival behind copies is there at once": ("ArriveLater", partial(without, "copied")),
    "a wait serves nobody": ("Waited", partial(without, "served")),
    "late bytes do not come": ("Landed", partial(without, "late")),
    "a wait leaves bytes late": ("Waited", partial(without, "late")),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTATIONS)
def test_every_part_of_a_law_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, change = MUTATIONS[name]
    own = tuple(replace(d, body=change(d.body)) if d.name == rule else d for d in mbarriers.MBARRIERS.own)
    assert own != mbarriers.MBARRIERS.own
    monkeypatch.setattr(mbarriers, "MBARRIERS", replace(mbarriers.MBARRIERS, own=own))
    assert any(says(shown(threads)) != expected for threads, expected in PROGRAMS.values())


def test_the_laws_have_names_of_their_own() -> None:
    """They are in the module of a program, beside those that it has from the module of all laws."""
    names = {definition.name for laws in LAWS for definition in laws.own}
    assert mbarriers.MBARRIERS not in LAWS
    assert names.isdisjoint(definition.name for definition in mbarriers.MBARRIERS.own)
