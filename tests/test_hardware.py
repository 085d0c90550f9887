"""The example hardware of HRF0 under TLC against a simulator written from the paper alone, and against HRF0 itself.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import os
import random
import re
from functools import cache
from pathlib import Path

import pytest

from scopec.base.diagnostics import EngineError
from scopec.base.options import HARDWARE_OPTIONS
from scopec.engines.embedded.memory import sat as embedded
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.hardware_engine import module as hardware_module
from scopec.session.inquiry.questions import hardware_problem, question_name
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.conftest import REPOSITORY
from tests.oracles import brute_programs as memory
from tests.oracles.hrf0_machine import (
    GLOBAL,
    GROUP,
    Hardware,
    Memory,
    Sequential,
    State,
    final_states,
    groups,
    names,
    registers_of,
)
from tests.random_programs import memory_places, memory_program, memory_text, scoped_program
from tests.samples import programs

COUNT = programs(3, 8)
#: Whether every program of specs/ is asked, those of five threads too, which takes TLC up to some ten minutes each.
WHOLE = os.environ.get("SCOPEC_HARDWARE_SPECS") == "all"
#: How long TLC may take for a question.
SECONDS = 3600 if WHOLE else 120
#: The basic operation of the paper's section 4.2, each optimisation of 4.3, and all of them.
SETTINGS = [(), *((name,) for name in HARDWARE_OPTIONS), tuple(HARDWARE_OPTIONS)]


def machine(program: memory.Program, switched_on: tuple[str, ...]) -> Hardware:
    return Hardware(groups(program), **dict.fromkeys(switched_on, True))


def simulated(program: memory.Program, switched_on: tuple[str, ...]) -> set[State]:
    found = final_states(program, machine(program, switched_on))
    assert found is not None
    return found


def sequential(program: memory.Program) -> set[State]:
    found = final_states(program, Sequential())
    assert found is not None
    return found


# ---------------------------------------------------------------- TLC against the simulator


def reached(
    program: memory.Program, switched_on: tuple[str, ...], folder: Path, jars: Jars, workers: Workers
) -> set[tuple[int, ...]]:
    """The final states that TLC reaches, each as the values of `observed`.

    The invariant of scopec's module prints them instead of looking for one.
    """
    registers = [
        (f"k[{block}][{lane}]", f'reg["k_b{block}_t{lane}"]', f"t{number}_{name}")
        for number, (block, lane) in enumerate(memory_places(program))
        for name in registers_of(program.threads[number])
    ]
    used = [name for name in names(program) if name in accessed(program)]
    mentioned = " || ".join(f"{what} == 0" for what in [*(f"{t}.{r}" for t, _, r in registers), *used])
    lines = ["//@ options races = ignore;", *(f"//@ options {name} = on;" for name in switched_on)]
    lines.append(f"//@ expect allowed {mentioned or 'true'} under hrf0-hw;")
    path = folder / "program.cu"
    path.write_text(memory_text(program, "\n".join(lines)))
    (run,) = plan(path, "program.cu", Overrides()).runs
    module = hardware_module(hardware_problem(run, 0))
    values = [
        *(f"{record}.{name}" for _, record, name in registers),
        *(f'mem.global[<<"{name}", 0>>]' for name in used),
    ]
    prints = f'\nNotFound == Final => PrintT(<<"final", {", ".join(["0", *values])}>>)\n\n'
    text, replaced = re.subn(r"(?s)\nNotFound ==\s.*?\n\n", lambda _: prints, module.tla)
    assert replaced == 1
    (folder / f"{module.name}.tla").write_text(text)
    (folder / f"{module.name}.cfg").write_text(module.cfg)
    result_ = tla_run.run(jars["tlc"], module.name, workers, folder, 300).result
    assert result_ is not None
    assert result_.outcome == "holds", (result_.outcome, result_.invariant)
    output = (folder / "tlc-out" / f"{module.name}.txt").read_text()
    return {tuple(map(int, found.split(",")[2:])) for found in re.findall(r'<<\s*("final",[^>]*?)\s*>>', output)}


def accessed(program: memory.Program) -> set[str]:
    return {op.loc for thread in program.threads for op in thread.ops if not isinstance(op, memory.Fence)}


def observed(program: memory.Program, states: set[State]) -> set[tuple[int, ...]]:
    """The states as the values of all registers and of the locations that the program accesses."""
    used = [at for at, name in enumerate(names(program)) if name in accessed(program)]
    return {
        (*(value for own in registers for _, value in own), *(world[at] for at in used)) for registers, world in states
    }


def chosen(seed: int) -> tuple[memory.Program, tuple[str, ...]]:
    """A program of few states and the optimisations that are on; three of four are not sequentially consistent then."""
    chance, switched_on = random.Random(seed), SETTINGS[seed % len(SETTINGS)]
    while True:
        program = memory_program(chance) if chance.random() < 0.3 else scoped_program(chance, 0.5)
        found = final_states(program, machine(program, switched_on), 2000)
        if found is not None and (seed % 4 == 0 or found != sequential(program)):
            return program, switched_on


@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(max(COUNT // 4, 1)))
def test_the_final_states_are_those_of_the_simulator(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    program, switched_on = chosen(seed)
    assert reached(program, switched_on, tmp_path, jars, workers) == observed(program, simulated(program, switched_on))


# ---------------------------------------------------------------- HRF0 programs


def race_free(program: memory.Program, folder: Path) -> bool:
    """Whether no sequentially consistent execution has a heterogeneous race."""
    path = folder / "program.cu"
    path.write_text(memory_text(program, "//@ expect race_free under hrf0;\n"))
    (run,) = plan(path, "program.cu", Overrides()).runs
    answers = embedded.solve(run.problem)
    assert answers is not None
    return answers["race"] is None


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_what_is_free_of_heterogeneous_races_is_sequentially_consistent(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    while True:
        program = scoped_program(chance, 0.15)
        expected = sequential(program)
        if len(expected) > 1 and race_free(program, tmp_path):
            break
    for switched_on in SETTINGS:
        assert simulated(program, switched_on) == expected, switched_on


def device(number: int, block: str, *ops: memory.Op) -> memory.Thread:
    return memory.Thread(f"t{number}", "device", 0, block, ops)


def locations(program: tuple[memory.Thread, ...]) -> memory.Program:
    return memory.Program(program, {name: memory.Loc() for name in "fgx"})


def message(blocks: str, scope: str) -> memory.Program:
    sent = (memory.Store("x", 1), memory.Store("f", 1, "release", scope))
    received = (memory.Load("r", "f", "acquire", scope), memory.Load("s", "x", guard=("r", 1)))
    return locations((device(0, blocks[0], *sent), device(1, blocks[1], *received)))


def own_write(order: str | None) -> memory.Program:
    return locations((device(0, "a", memory.Store("x", 1), memory.Load("r", "x", order, "device")),))


CACHES = locations(
    (
        device(0, "a", memory.Load("r", "x"), memory.Store("f", 1, "release", "device")),
        device(
            1,
            "b",
            memory.Load("r", "f", "acquire", "device"),
            memory.Store("x", 1, guard=("r", 1)),
            memory.Store("g", 1, "release", "device", ("r", 1)),
        ),
        device(2, "a", memory.Load("r", "g", "acquire", "device"), memory.Load("s", "x", guard=("r", 1))),
    )
)


class NoGroupFlush(Hardware):
    def flush(self, m: Memory, thread: int, level: int) -> Memory:
        return super().flush(m, thread, level) if level == GLOBAL else m


class NothingWrittenBack(Hardware):
    def flush(self, m: Memory, thread: int, level: int) -> Memory:
        return super().flush(m, thread, GROUP)

    def acquire(self, m: Memory, thread: int, level: int) -> Memory:
        return super().acquire(super().flush(m, thread, level), thread, level)


class NoInvalidation(Hardware):
    def invalidate(self, m: Memory, thread: int) -> Memory:
        return m


class NoBypass(Hardware):
    def read(self, m: Memory, thread: int, at: int, level: int) -> tuple[Memory, int]:
        found, value = super().read(self.set_buffer(m, thread, at, None), thread, at, level)
        return found._replace(buffers=m.buffers), value


class NothingSettled(Hardware):
    def settle(self, m: Memory, thread: int, at: int, level: int) -> Memory:
        return m


class AlwaysReady(Hardware):
    def ready(self, m: Memory, thread: int) -> bool:
        return True


class EveryLineHits(Hardware):
    def fetch(self, m: Memory, thread: int, at: int) -> Memory:
        line = m.caches[self.groups[thread]][at]
        touched = self.set_line(m, self.groups[thread], at, line and line._replace(touched=self.touch(line, thread)))
        return touched if line else super().fetch(m, thread, at)


@pytest.mark.parametrize(
    ("broken", "switched_on", "program"),
    [
        (NoGroupFlush, (), message("aa", "block")),
        (NothingWrittenBack, (), message("ab", "device")),
        (NoInvalidation, (), message("ab", "device")),
        (NoBypass, (), own_write(None)),
        (NothingSettled, (), own_write("relaxed")),
        (AlwaysReady, ("early_acquire",), message("ab", "device")),
        (EveryLineHits, ("selective",), CACHES),
    ],
)
def test_the_simulator_needs_each_of_its_parts(
    broken: type[Hardware], switched_on: tuple[str, ...], program: memory.Program, tmp_path: Path
) -> None:
    assert race_free(program, tmp_path)
    assert simulated(program, switched_on) == sequential(program)
    found = final_states(program, broken(groups(program), **dict.fromkeys(switched_on, True)))
    assert found is not None
    assert found > sequential(program)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(5))
def test_lines_that_nobody_reads_make_no_difference(seed: int) -> None:
    program, switched_on = chosen(seed)
    assert final_states(program, machine(program, switched_on), whole=True) == simulated(program, switched_on)


#: Programs of specs/ of which some variant is free of heterogeneous races and small enough for TLC.
ORDERED = [
    "hrf/join.cu", "hrf/hardware-caches.cu", "hrf/lost-update.cu", "hrf/release-chain.cu", "hrf/sequential.cu",
    "litmus/isa2.cu", "litmus/mp-fences.cu", "litmus/sb-message.cu", "programs/queue.cu",
]  # fmt: skip
_EVERY = sorted(str(path.relative_to(REPOSITORY / "specs")) for path in (REPOSITORY / "specs").glob("*/*.cu"))


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize("spec", _EVERY if WHOLE else ORDERED)
def test_race_free_specs_have_sequentially_consistent_outcomes(
    spec: str, jars: Jars, workers: Workers, tmp_path: Path
) -> None:
    """Each question about an outcome has the answer of HRF0, under which executions are sequentially consistent."""
    path = REPOSITORY / "specs" / spec
    asked = 0
    on_hardware = {
        tuple(r.program.variant.items()): r
        for r in plan(path, spec, Overrides(memory="hrf0-hw", cache=True)).runs
        if r.on_hardware
    }
    for run in plan(path, spec, Overrides(model="hrf0", cache=True)).runs:
        hardware = on_hardware.get(tuple(run.program.variant.items()))
        if run.on_hardware or run.model.name != "hrf0" or hardware is None:
            continue
        answers = embedded.solve(run.problem)
        assert answers is not None
        if answers["race"] is not None:
            continue
        for number, check in enumerate(hardware.hardware_checks):
            same = [n for n, c in enumerate(run.memory_checks) if c.formula == check.formula and c.kind == check.kind]
            if check.formula is None or not same:
                continue
            module = hardware_module(hardware_problem(hardware, number))
            found = answer(module.name, module.tla, module.cfg, tmp_path / str(asked), jars, workers)
            possible = answers[question_name(same[0], check)] is not None
            asked += 1
            assert found == ("NotFound" if possible else "holds"), check.text
    assert asked or spec not in ORDERED


@pytest.mark.jvm
def test_a_local_without_a_value_is_equal_to_nothing(jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """As for the memory model: so `required r == 1` is violated by a run that never gives `r` a value."""
    path = tmp_path / "p.cu"
    path.write_text(
        "__device__ int y = 0; __global__ void k() { if (y == 1) { int r = 1; y = r; } }\n//@ launch k<<<1, 1>>>();\n"
        "//@ expect required k[0][0].r == 1 under hrf0-hw;\n//@ expect forbidden k[0][0].r != 1 under hrf0-hw;\n"
        "//@ expect forbidden k[0][0].r == 1 under hrf0-hw;\n"
    )
    (run,) = plan(path, "p.cu", Overrides()).runs
    found = []
    for number in range(3):
        module = hardware_module(hardware_problem(run, number))
        found.append(answer(module.name, module.tla, module.cfg, tmp_path / str(number), jars, workers))
    assert found == ["NotFound", "holds", "holds"]


# ---------------------------------------------------------------- every part is needed

#: What is replaced in the generated module (a regular expression), by what, the spec and check that notice.
PARTS: dict[str, tuple[str, str, str, dict[str, str], int]] = {
    "a drain moves the line": (r"THEN Written\(@\[l\], m\.buffer\[t\]\[l\]\.value, t\)\s+ELSE @", "THEN @[l] ELSE @", "hrf/figure-4-local.cu", {"LOCAL": "block"}, 0),
    "a drain empties the buffer": (r"IF l \\in ls THEN Empty ELSE @\[l\]\]", "@[l]]", "hrf/figure-4-local.cu", {"LOCAL": "block"}, 0),
    "writing back moves the line": (r"IF l \\in ls THEN m\.cache\[g\]\[l\]\.value ELSE @\[l\]", "@[l]", "hrf/hardware-plain.cu", {}, 4),
    "writing back cleans the line": (r"\[@\[l\] EXCEPT !\.is = \"clean\"\]", "@[l]", "hrf/release-device-acquire-system.cu", {"RELEASE": "device"}, 0),
    "a group release drains": (r"\[\] level = \"group\"  -> Drain\(m, t, Buffered\(m, t\)\)", '[] level = "group" -> m', "hrf/figure-4-local.cu", {"LOCAL": "block"}, 0),
    "a global release drains": (r"LET d == Drain\(m, t, Buffered\(m, t\)\)", "LET d == m", "hrf/release-device-acquire-system.cu", {"RELEASE": "device"}, 0),
    "a global release writes back": (r"IN WriteBack\(d, g,\s+\{.*\}\)", "IN d", "hrf/release-device-acquire-system.cu", {"RELEASE": "device"}, 0),
    "stores release": (r"Put\(AfterRelease\(mem, t, level, order\), t, l, v, level\)\nUpdate", "Put(mem, t, l, v, level)\nUpdate", "hrf/release-device-acquire-system.cu", {"RELEASE": "device"}, 0),
    "loads acquire": (r"IN AfterAcquire\(f, t, level, order\)", "IN f", "hrf/release-device-acquire-system.cu", {"RELEASE": "device"}, 0),
    "fences release": (r"Synchronize\(m, t, level, order\) == AfterAcquire\(AfterRelease\(m, t, level, order\), ", "Synchronize(m, t, level, order) == AfterAcquire(m, ", "hrf/fences.cu", {"READER": "device", "RELEASE": "release", "ACQUIRE": "acquire"}, 0),
    "fences acquire": (r"(Synchronize\(m, t, level, order\)) == AfterAcquire\(AfterRelease\(m, t, level, order\), t, level, order\)", r"\1 == AfterRelease(m, t, level, order)", "hrf/fences.cu", {"READER": "device", "RELEASE": "release", "ACQUIRE": "acquire"}, 0),
    "an acquire invalidates": (r"IF Touched\(@\[l\], t\) THEN Empty ELSE @\[l\]", "@[l]", "hrf/hardware-caches.cu", {}, 0),
    "an acquire flushes first": (r"LET f == Flush\(m, t, level\) IN", "LET f == m IN", "options/early-acquire.cu", {"S": "device"}, 0),
    "a load finds the thread's own write": (r"IF level = \"thread\" /\\ Holds\(m\.buffer\[t\]\[l\]\) THEN m\.buffer\[t\]\[l\]\.value\n  ELSE IF", "IF", "hrf/hardware-one-thread.cu", {"S": "device"}, 0),
    "a load finds the line of the group": (r"ELSE IF level # \"global\" /\\ Hits\(line, t\) THEN line\.value\n", "", "hrf/figure-4-local.cu", {"LOCAL": "block"}, 0),
    "an atomic access settles its location": (r"IF level # \"thread\" /\\ Holds\(m\.buffer\[t\]\[l\]\) THEN Drain\(m, t, \{l\}\) ELSE m", "m", "hrf/hardware-one-thread.cu", {"S": "block"}, 0),
    "at global scope in the cache too": (r"IF level = \"global\" /\\ d\.cache\[g\]\[l\]\.is = \"dirty\" THEN WriteBack\(d, g, \{l\}\) ELSE d", "d", "hrf/hardware-one-thread.cu", {"S": "device"}, 0),
    "a global write leaves no line": (r", !\.cache\[GroupOf\[t\]\]\[l\] = Empty, !\.global", ", !.global", "hrf/hardware-one-thread.cu", {"S": "device"}, 1),
    "a write leaves no older one in the buffer": (r"\[\] level = \"group\"  -> \[m EXCEPT !\.buffer\[t\]\[l\] = Empty, ", '[] level = "group" -> [m EXCEPT ', "hrf/hardware-one-thread.cu", {"S": "block"}, 1),
    "buffers drain": (r"\\/ Drains ", "", "hrf/hardware-plain.cu", {}, 0),
    "caches are written back": (r"\\/ WritesBack ", "", "hrf/hardware-plain.cu", {}, 0),
    "lines are evicted": (r"\\/ Evicts ", "", "hrf/hardware-plain.cu", {}, 2),
    "lines are fetched": (r"\\/ Prefetches ", "", "hrf/mixed-scopes.cu", {"GROUPS": "2"}, 0),
    "lines are fetched while a newer value waits": (r"MayChange\(l\) == Dirty\(l\) \\/ ", r"MayChange(l) == ", "hrf/hardware-late-fetch.cu", {}, 0),
    "lines are dirty": (r"IF WriteThrough THEN \"clean\" ELSE \"dirty\"", '"clean"', "hrf/hardware-plain.cu", {}, 4),
    "final states are written back": (r"Final == AllDone /\\ Quiet", "Final == AllDone", "hrf/join.cu", {}, 1),
    "a grid is complete when it is written back": (r"Done\(t\) /\\ WrittenTo\(mem, t, \"global\"\)\n", "Done(t)\n", "hrf/join.cu", {}, 0),
    "an early acquire is late": (r"EarlyAcquire +==.*", "EarlyAcquire == FALSE", "options/early-acquire-on.cu", {"S": "device"}, 0),
    "but not later than the next access": (r"Ready\(t\) ==.*", "Ready(t) == TRUE", "options/early-acquire-caches.cu", {}, 0),
    "a late acquire flushes and invalidates": (r"\[Invalidate\(mem, t, mem\.late\[t\]\) EXCEPT", "[mem EXCEPT", "options/early-acquire-caches.cu", {}, 0),
    "what is written through is global": (r"IF WriteThrough /\\ l \\in ls THEN m\.buffer\[t\]\[l\]\.value ELSE @\[l\]", "@[l]", "options/write-through-on.cu", {}, 0),
    "a write in the cache too": (r"!\.global\[l\] = IF WriteThrough THEN v ELSE @\]", "!.global[l] = @]", "options/write-through-on.cu", {}, 1),
    "flushes are selective": (r"Selective +==.*", "Selective == FALSE", "options/selective-on.cu", {"BOTH": "false"}, 0),
    "a thread finds what it touched": (r"\(line\.is = \"dirty\" \\/ Touched\(line, t\)\)", "TRUE", "options/selective-caches.cu", {}, 0),
    "a line knows all that wrote it": (r"line\.by \\cup \{t\}\)\nHolds", "{t})\nHolds", "options/selective-on.cu", {"BOTH": "true"}, 0),
}  # fmt: skip


def answer(name: str, text: str, cfg: str, folder: Path, jars: Jars, workers: Workers) -> str:
    """What TLC says about a module: whether it holds, or which invariant or property does not, or that time was short."""
    folder.mkdir()
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text(cfg)
    try:
        found = tla_run.run(jars["tlc"], name, workers, folder, SECONDS).result
    except EngineError as failure:
        if "Invariants is violated" not in str(failure):
            raise
        return "Invariants"
    if found is None:
        return "time limit"
    return found.outcome if found.outcome == "holds" else found.invariant


@cache
def runs_of(spec: str) -> tuple[Run, ...]:
    runs = plan(REPOSITORY / "specs" / spec, spec, Overrides(cache=True)).runs
    return tuple(run for run in runs if run.on_hardware)


#: What TLC answers about modules as they are: several mutants are of one.
_ANSWERED: dict[tuple[str, str], str] = {}


@pytest.mark.sampled(12)
@pytest.mark.jvm
@pytest.mark.parametrize("name", list(PARTS))
def test_every_part_of_the_hardware_is_needed(name: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """A spec notices, by its outcomes or by an invariant of section 4.1, that a part is missing."""
    old, new, spec, variant, number = PARTS[name]
    (run,) = (r for r in runs_of(spec) if dict(r.program.variant) == variant)
    module = hardware_module(hardware_problem(run, number))
    text, replaced = re.subn(old, new, module.tla)
    assert replaced == 1, f"{old} is not in the module once"
    if (module.tla, module.cfg) not in _ANSWERED:
        found = answer(module.name, module.tla, module.cfg, tmp_path / "before", jars, workers)
        _ANSWERED[module.tla, module.cfg] = found
    expected = "NotFound" if run.hardware_checks[number].kind == "allowed" else "holds"
    assert _ANSWERED[module.tla, module.cfg] == expected
    assert answer(module.name, text, module.cfg, tmp_path / "after", jars, workers) not in (expected, "time limit")
