"""Whole warps at barriers with counts at which more come than these say, against the simulator, which takes each order.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.check import Result
from tests.oracles.asynchronous.check import check as simulate
from tests.samples import programs

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = programs(2, 40)
Warps = Sequence[Sequence[p.Instruction]]
_FLAG, _PLACE = p.Loc("f"), p.Loc("z")


def warps(text: str) -> Warps:
    """Warps apart by `;`: `S1/64` and `A1/64` are `bar.sync 1, 64` and `bar.arrive 1, 64`, `z` writes what may race,

    `f` sets a flag and `?` reads it; what follows `0:` or `1:` is done if that was read.
    """
    return [[_instruction(word) for word in own.split()] for own in text.split(";")]


def _instruction(word: str) -> p.Instruction:
    if word[1:2] == ":":
        return p.If("c", int(word[0]), _instruction(word[2:]))
    if word[0] in "SA":
        id_, count = map(int, word[1:].split("/"))
        return p.NamedSync(id_, count) if word[0] == "S" else p.NamedArrive(id_, count)
    if word == "?":
        return p.Load(_FLAG, "c", "relaxed")
    return p.Store(_PLACE, 1) if word == "z" else p.Store(_FLAG, 1, "relaxed")


def simulated(threads: Warps) -> Result:
    own = tuple(p.Thread(tuple(code), warp=n) for n, code in enumerate(threads))
    return simulate(p.Program((own,), (p.Array("z"), p.Array("f"))))


def _statement(one: p.Instruction) -> str:
    match one:
        case p.If(_, value, then):
            return f"if (c == {value}) {{ {_statement(then)} }}"
        case p.NamedSync(id_, count):
            return f'asm volatile("bar.sync {id_}, {count};" ::: "memory");'
        case p.NamedArrive(id_, count):
            return f'asm volatile("bar.arrive {id_}, {count};" ::: "memory");'
        case p.Load():
            return "c = f.load(cuda::memory_order_relaxed);"
        case p.Store(p.Loc("f")):
            return "f.store(1, cuda::memory_order_relaxed);"
        case _:
            return "z = 1;"


def text_of(threads: Warps) -> str:
    """A kernel of which one lane of each warp stays."""
    lines = [
        f"    if (threadIdx.x == {32 * n}) {{ {' '.join(map(_statement, code))} }}" for n, code in enumerate(threads)
    ]
    head = "#include <cuda/atomic>\n__device__ int z;\n__device__ cuda::atomic<int, cuda::thread_scope_device> f;\n"
    body = "__global__ void k() {\n    int c = 0;\n    if (threadIdx.x % 32) return;\n" + "\n".join(lines) + "\n}\n"
    return f"{head}{body}//@ launch k<<<1, {32 * len(threads) - 31}>>>();\n//@ expect race_free;\n"


def random_warps(random: Random) -> Warps:
    """A few arrivals each, some of which depend on a flag, and two writes that may race."""
    counts = [random.choice((64, 64, 96)) for _ in range(2)]
    threads = []
    for _ in range(random.randint(2, 4)):
        own = [f"{random.choice('SSA')}{n + 1}/{counts[n]}" for n in random.choices((0, 0, 1), k=random.randint(1, 3))]
        if random.random() < 0.4:
            at = random.randrange(len(own))
            own[at : at + 1] = ["?", f"{random.randint(0, 1)}:{own[at]}"]
        threads.append(own)
    for one in random.sample(threads, 2):
        place = random.randint(0, len(one))
        one.insert(place, f"{random.randint(0, 1)}:z" if "?" in one[:place] and random.random() < 0.5 else "z")
    if any("?" in own for own in threads):
        random.choice(threads).insert(0, "f")
    return warps("; ".join(map(" ".join, threads)))


def assert_the_same(threads: Warps, path: Path) -> None:
    path.write_text(text_of(threads))
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(cache=True)))
    assert outcome.failure is None, outcome.failure
    verdict = next(c.verdict for r in outcome.reports for c in r.checks if not c.expectation.implicit)
    assert verdict == ("violated" if simulated(threads).races else "holds"), path.read_text()


#: For each rule of `Quorums` a program that is answered otherwise without it, and two where a read decides who arrives.
RULES = {
    "early": "A2/64 z S2/64; z S2/64 A2/64 S1/64",
    "impossible": "S2/64; z A1/96 S1/96; S2/64 S2/64 z A2/64; S1/96 S2/64 S1/96",
    "too few": "S2/96 A1/64 S1/64 z; S1/64 z A1/64 A1/64",
    "a reader decides": "? 1:A1/64 1:A1/64 A1/64 0:z; S1/64 z; f S2/64; S2/64",
    "a reader decides, and waits": "? 1:A1/64 A1/64 0:z S2/64; S1/64 z S2/64; f",
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_needed(rule: str, tmp_path: Path) -> None:
    assert_the_same(warps(RULES[rule]), tmp_path / "warps.cu")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_warps(seed: int, tmp_path: Path) -> None:
    assert_the_same(random_warps(Random(f"warps {seed}")), tmp_path / "warps.cu")


def test_one_question_that_is_too_large_leaves_the_other_its_answer(tmp_path: Path) -> None:
    """How 20 arrivals are grouped is too much for the memory question; the schedules are few."""
    path = tmp_path / "warps.cu"
    path.write_text(text_of(warps("; ".join(4 * ["A1/64 S1/64 A1/64 S1/64 A1/64"]))) + "//@ expect terminates;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    assert all(d.severity == "warning" for d in outcome.diagnostics)
    found = {c.expectation.kind: c for r in outcome.reports for c in r.checks if not c.expectation.implicit}
    assert {kind: c.verdict for kind, c in found.items()} == {"race_free": "unknown", "terminates": "violated"}
    assert "too many ways to group them (line 7)" in (found["race_free"].reason or "")
