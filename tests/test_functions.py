"""No thread vanishes: what a thread may do, run alone with given reads, is what an interpreter of its code does.

Each read returns what the test says, whoever might have written it.  Of the ends of a thread in its events (its own, and
each place at which it is cut off with a word), exactly one is where the interpreter gets, with its accesses.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import pytest

from scopec.base.diagnostics import InputError, bounded_nesting
from scopec.memory.events.events import Kind
from scopec.memory.unfold.symbolic import execute
from scopec.memory.unfold.unfolding import Unfolding
from scopec.program import values
from scopec.session.plan import Overrides, plan
from tests import random_instructions
from tests.oracles import instructions
from tests.oracles.functions import LARGEST, Access, Ran, ran
from tests.random_functions import functions, text
from tests.samples import programs

if TYPE_CHECKING:
    from pathlib import Path

    from scopec.memory.events.guards import Guard
    from scopec.program.program import Program
    from scopec.program.values import Value

PROGRAMS = programs(2, 10)
#: So many turns of each loop are followed, and of so many the interpreter lets a loop have.
UNROLL, MOST_TURNS = 2, 12
#: So many runs of each program, so many programs in one file.
RUNS, AT_ONCE = 12, 10


Interpreted = Callable[[Callable[[int], int]], Ran]


class Followed:
    """What one thread of a program may do, as the memory question has it."""

    def __init__(self, program: Program, kernel: str) -> None:
        (thread,) = (t for t in program.threads if t.grid == kernel)
        self.out = Unfolding(program)
        with bounded_nesting(next(iter(thread.body.nodes.values())).span):
            execute(self.out, thread, self.out.guards.always, UNROLL, frozenset())

    def ran(self, read: Callable[[int], int]) -> tuple[Ran, list[str]]:
        """What it does with given reads, and at which of its ends it gets."""
        held: dict[str, int] = {}
        trace: list[Access] = []

        def value(of: Value) -> int:
            return values.evaluate(of, lambda leaf: held[leaf.name])

        def holds(guard: Guard) -> bool:
            while not (guard.always or guard.never):
                condition, low, high = guard.branch
                guard = high if value(self.out.conditions[condition]) else low
            return guard.always

        for event in self.out.events:
            if event.kind in (Kind.READ, Kind.WRITE) and holds(event.guard):
                assert event.location is not None
                if event.kind is Kind.READ:
                    held[event.id] = read(len(trace))
                    trace.append(Access("R", event.location.index, held[event.id]))
                else:
                    assert event.value is not None
                    trace.append(Access("W", event.location.index, value(event.value)))
        ends = [f"end of {thread}" for thread, state in self.out.ends if holds(state.guard)]
        cuts = [f"cut at line {cut.span.line}" for cut in self.out.cuts if holds(cut.guard)]
        return Ran(tuple(trace), bool(ends), 0), ends + cuts


def wrong(followed: Followed, interpreted: Interpreted, seed: int) -> list[str]:
    """In what a thread and the interpreter differ, over random reads."""
    chance, found = random.Random(seed), []
    for _ in range(RUNS):
        given = [chance.randint(0, chance.choice((1, 3, LARGEST))) for _ in range(20)]

        def read(number: int, given: list[int] = given) -> int:
            return given[number % len(given)]

        wanted, (got, ends) = interpreted(read), followed.ran(read)
        if len(ends) != 1:
            found.append(f"{given}: the ends of the thread are {ends}")
        elif got.ended and (got.trace, True) != (wanted.trace, wanted.ended):
            found.append(f"{given}: it does {got.trace}, not {wanted}")
        elif not got.ended and wanted.turns <= UNROLL:
            found.append(f"{given}: it is cut off though it ends after {wanted}: {ends}")
        elif got.trace != wanted.trace[: len(got.trace)]:
            found.append(f"{given}: it begins with {got.trace}, not {wanted}")
    return found


def readable(
    texts: Mapping[int, str], head: str, path: Path, reader: str
) -> tuple[dict[int, Followed], dict[int, str]]:
    """The threads of kernels in one file, by their numbers; if the reader refuses it, of each in a file of its own."""
    launches = "".join(f"//@ launch k{number}<<<1, 1>>>();\n" for number in texts)
    path.write_text(f"{head}{''.join(texts.values())}{launches}//@ expect race_free;\n")
    try:
        program = plan(path, path.name, Overrides(reader=reader)).runs[0].program
        return {number: Followed(program, f"k{number}") for number in texts}, {}
    except InputError as error:
        if len(texts) == 1:
            return {}, dict.fromkeys(texts, str(error.diagnostics[0]))
    alone = [readable({number: text_}, head, path, reader) for number, text_ in texts.items()]
    return {n: f for found, _ in alone for n, f in found.items()}, {n: r for _, no in alone for n, r in no.items()}


def cpp(seed: int, *, kernel_alone: bool = False) -> tuple[str, Interpreted]:
    """The text of a random program, and what runs it."""
    of = functions(seed, kernel_alone=kernel_alone)
    return text(of, str(seed)), lambda read: ran(of, "k", read, MOST_TURNS)


def ptx(seed: int) -> tuple[str, Interpreted]:
    of = random_instructions.instructions(seed)
    return random_instructions.text(of, str(seed)), lambda read: instructions.ran(of, "k", read, MOST_TURNS)


#: The reader, the file, what it begins with, and its programs.
READERS: Mapping[str, tuple[str, str, str, Callable[[int], tuple[str, Interpreted]]]] = {
    "clang": ("clang", "k.cu", "__device__ int a[4];\n", cpp),
    "scoped": ("scoped", "k.cu", "__device__ int a[4];\n", partial(cpp, kernel_alone=True)),
    "ptx": ("clang", "k.ptx", random_instructions.HEAD, ptx),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", READERS)
def test_random_programs_do_what_an_interpreter_does(kind: str, tmp_path: Path) -> None:
    reader, name, head, made = READERS[kind]
    differ: dict[int, list[str]] = {}
    refused: dict[int, str] = {}
    for begin in range(0, PROGRAMS, AT_ONCE):
        programs = {seed: made(seed) for seed in range(begin, min(PROGRAMS, begin + AT_ONCE))}
        texts = {seed: text_ for seed, (text_, _) in programs.items()}
        followed, no = readable(texts, head, tmp_path / name, reader)
        refused |= no
        for seed, one in followed.items():
            if found := wrong(one, programs[seed][1], seed):
                differ[seed] = found
    assert differ == {}
    assert len(refused) <= PROGRAMS // 10, refused
