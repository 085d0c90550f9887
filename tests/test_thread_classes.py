"""Threads of one class get their graphs from one run of the machine: the graphs that runs of their own make.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.clang import threads
from scopec.frontends.clang.intrinsics import masks
from scopec.frontends.clang.llvm.bits import EVERY_BIT
from scopec.frontends.clang.machine import classes
from scopec.frontends.clang.machine.machine import Machine
from scopec.frontends.clang.machine.tracked import Asked, Tracked, maker, untracked
from scopec.program.program import Program
from scopec.program.types import CHAR, INT, LONG, UINT
from scopec.program.values import Const
from tests import random_indices
from tests.conftest import program_of
from tests.samples import EVERY, programs

COUNT = programs(4, 30)

BLOCK_SUM = """
__device__ int in[256], out;
__global__ void add() {
    __shared__ int part[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    part[threadIdx.x] = in[i];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(&out, part[0]);
}
//@ launch add<<<2, 128>>>();
"""


def read(text: str) -> Program | tuple[str, int]:
    """The program of a text, or the error."""
    try:
        return program_of(text, reader="clang")
    except InputError as error:
        (found,) = error.diagnostics[:1]
        return found.message, found.span.line


def one_by_one(text: str, monkeypatch: pytest.MonkeyPatch) -> Program | tuple[str, int]:
    """The same, of which each thread is executed."""
    with monkeypatch.context() as patch:
        patch.setattr(classes, "MOST_ALONE", -(10**9))
        return read(text)


@pytest.mark.parametrize("seed", range(COUNT))
def test_threads_of_a_class_have_the_graphs_of_their_own_runs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_MANY", 0)
    text = random_indices.text(seed, 5 if EVERY else 2)
    found, expected = read(text), one_by_one(text, monkeypatch)
    assert isinstance(found, Program), found
    assert found == expected, text
    assert repr(found) == repr(expected)  # of which what is compared may leave something out


def test_threads_that_decide_otherwise_are_of_other_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first thread it is known that its index is less than a number, which says not what the index is."""
    monkeypatch.setattr(threads, "_MANY", 0)
    kernel = (
        "__device__ int a[16], b[16]; __global__ void k() { int t = threadIdx.x; if (t < 3) a[t] = 1; else b[t] = 2; }"
    )
    text = f"{kernel}\n//@ launch k<<<2, 16>>>();\n"
    found = read(text)
    assert isinstance(found, Program)
    assert found == one_by_one(text, monkeypatch)


def test_threads_that_are_read_when_more_is_known_are_of_other_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of a long loop becomes a register, from the first thread on for which it is long."""
    monkeypatch.setattr(threads, "_MANY", 0)
    kernel = "__device__ int a[64]; __global__ void k() { for (int i = 0; i < threadIdx.x; ++i) a[i] += 1; }"
    text = f"{kernel}\n//@ launch k<<<2, 16>>>();\n"
    found = read(text)
    assert isinstance(found, Program)
    assert found == one_by_one(text, monkeypatch)


def runs(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the machine executes a thread of a grid."""
    count, run = [0], Machine.run

    def counted(self: Machine, *given: Any) -> Any:
        count[0] += not self.side.host
        return run(self, *given)

    monkeypatch.setattr(Machine, "run", counted)
    read(text)
    return count[0]


def test_the_machine_runs_once_for_each_class(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs(BLOCK_SUM, monkeypatch) < 32  # of 256 threads


MEET = """
__device__ int a[128];
__global__ void k() {
    int t = threadIdx.x;
    if (t >= 64) {
        if (__any_sync(0xffffffff, a[t])) a[t] = 1;
        if (t % 32 < 16) __syncwarp(0xffff);
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}
//@ launch k<<<1, 128>>>();
"""


def test_lanes_that_meet_are_of_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask tells a lane from one of which it has no bit alone, a barrier of warps the first two from the rest."""
    found = read(MEET)
    assert isinstance(found, Program), found
    assert found == one_by_one(MEET, monkeypatch)
    assert runs(MEET, monkeypatch) < 40


@pytest.mark.parametrize("seed", range(20))
def test_a_mask_names_a_lane_by_its_bit(seed: int) -> None:
    chance = random.Random(seed)
    mask = chance.getrandbits(32) & chance.getrandbits(32) if seed else EVERY_BIT
    assert [masks._names(mask, lane) for lane in range(32)] == [bool(mask >> lane & 1) for lane in range(32)]


def test_indices_are_tracked_no_more_where_each_thread_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text, as a key is, has the number itself in it."""
    monkeypatch.setattr(classes, "MOST_ALONE", 8)
    alone = "__device__ int a[99]; __global__ void k() { int x[99] = {}; x[threadIdx.x] = 1; a[x[threadIdx.x]] = 1; }"
    made: list[Asked] = []
    init = Asked.__init__
    monkeypatch.setattr(Asked, "__init__", lambda self, own: (made.append(self), init(self, own))[1])
    runs(f"{alone}\n//@ launch k<<<1, 80>>>();\n", monkeypatch)
    assert 0 < len(made) < 40  # it is read more than once


# ---------------------------------------------------------------- numbers that note what is asked

OPERATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add, operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor,
    lambda a, b: a // (b or 3), lambda a, b: a % (b or 3), lambda a, b: divmod(a, b or 5)[1], lambda a, b: a >> (b & 7),
    lambda a, b: a << (b & 3), lambda a, b: b - a, lambda a, b: b + a, lambda a, b: b // (a or 1), lambda a, b: b % (a or 1),
    lambda a, _: -a, lambda a, _: ~a, lambda a, _: abs(a), lambda a, _: a & 15, lambda a, _: a // 4, lambda a, _: a % 8,
    min, max, lambda a, b: a if a < b else b, lambda a, _: INT.wrap(a), lambda a, _: UINT.wrap(a),
    lambda a, _: CHAR.wrap(a), lambda a, _: LONG.wrap(a),
)  # fmt: skip
QUESTIONS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, lambda a, _: bool(a), lambda a, _: not a,
    lambda a, b: {a: 1}.get(b), lambda a, _: f"{a}:{a!r}", lambda a, _: hash(a), lambda a, b: Const(a, INT) == Const(b, INT),
    lambda a, _: range(100)[a % 50], lambda a, b: 0 <= a < b, lambda a, _: a.bit_length(), lambda a, _: isinstance(a, int),
    lambda a, b: str(divmod(b, a or 1)), lambda a, _: 1 << (a % 8), lambda a, _: 1000 >> (a % 8),
)  # fmt: skip
EXTENTS = (7, 5)


def _computed(chance: random.Random, given: list[Any]) -> tuple[list[Any], list[Any]]:
    """Some numbers that are computed from others, and answers to questions about them."""
    found, answers = [*given, 0, 1, 4, 13, -2], []
    for _ in range(12):
        one, other = chance.choice(found), chance.choice(found)
        number = chance.choice(OPERATIONS)(one, other)
        found.append(number if abs(number) < 10**6 else 3)
        if chance.random() < 0.4:
            answers.append(chance.choice(QUESTIONS)(found[-1], chance.choice(found)))
    return found, answers


@pytest.mark.parametrize("seed", range(400))
@pytest.mark.sampled(40)
def test_who_answers_the_same_gets_the_same_numbers(seed: int) -> None:
    """Each thread for which the answers are the same computes what is made for it, and asks what is noted."""
    names = ("x", "y")
    for own in ((0, 0), (3, 2), (6, 4)):
        asked = Asked(own)
        tracked = asked.tracked(names, dict(zip(names, own, strict=True)))
        found, answers = _computed(random.Random(seed), list(tracked.values()))
        asked.open = False
        ranges = asked.order()
        for other in product(*map(range, EXTENTS)):
            if all(sum(map(operator.mul, f, other)) in numbers for f, numbers in ranges):
                expected, same = _computed(random.Random(seed), list(other))
                make = maker(tuple(found))
                assert (make(other) if make else tuple(found)) == tuple(expected)
                assert answers == same
            else:
                assert other != own


def test_a_number_that_is_kept_beyond_the_run_is_plain() -> None:
    asked = Asked((3,))
    index = asked.tracked(("x",), {"x": 3})["x"]
    kept: Any = untracked((Const(index + 1, INT), "x"))
    assert kept == (Const(4, INT), "x")
    assert type(kept[0].value) is int
    assert [(numbers.low, numbers.high) for numbers in asked.ranges.values()] == [(3, 3)]
    asked.open = False
    assert type(index + 1) is int
    assert type(index) is Tracked
