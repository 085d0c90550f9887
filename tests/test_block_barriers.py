"""Barriers of a block as hardware counts them: by warps, to which all lanes of one come at one instruction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import Code
from scopec.explain.reasons import explanation
from scopec.gpu.emit import files
from scopec.session.check import Settings, check
from tests.test_run import read_tests

pytestmark = pytest.mark.usefixtures("kept_machines")

#: What a block of two warps does, and whether that is undefined.
PLACES = {
    "two branches of a warp": ("if (threadIdx.x == 0) __syncthreads(); else __syncthreads();", True),
    "two branches of warps": ("if (threadIdx.x < 32) __syncthreads(); else __syncthreads();", False),
    "two calls": ("if (threadIdx.x == 0) meet(); else meet();", True),
    "one call, three times": ("for (int i = 0; i < 3; i++) meet();", False),
    "a branch, and the one behind it": ("if (threadIdx.x & 1) __syncthreads(); __syncthreads();", True),
    "a branch that all take": ("if (blockDim.x > 4) __syncthreads(); else __syncthreads();", False),
    "what memory says": ("if (data[threadIdx.x]) __syncthreads(); else __syncthreads();", True),
    "what memory says to all": ("if (data[0]) __syncthreads(); else __syncthreads();", False),
    "a lane that has exited": ("if (threadIdx.x == 3) return; __syncthreads(); __syncthreads();", False),
    "two barriers": ('if (threadIdx.x == 0) asm("bar.sync 1;"); else asm("bar.sync 2;");', True),
    "bar.sync": ('if (threadIdx.x == 0) asm("bar.sync 1;"); else asm("bar.sync 1;");', True),
    "barrier.sync.aligned": ('if (threadIdx.x == 0) asm("barrier.sync.aligned 1;"); else asm("bar.sync 1;");', True),
    "barrier.sync": ('if (threadIdx.x == 0) asm("barrier.sync 1;"); else asm("barrier.sync 1;");', False),
    "a group's": ("if (threadIdx.x == 0) group.sync(); else group.sync();", False),
    "a vote": ("if (threadIdx.x == 0) __syncthreads_or(0); else __syncthreads_or(1);", True),
    "half a warp": ('asm("bar.sync 1, 48;");', True),
}


def verdicts(path: Path) -> dict[str, str]:
    (outcome,) = check([path], Settings(engine="embedded", cache=False))
    assert outcome.failure is None, outcome.failure
    return {one.expectation.kind: one.verdict for report in outcome.reports for one in report.checks}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("where", PLACES)
def test_lanes_of_a_warp_come_to_one_instruction(where: str, write: Callable[..., Path]) -> None:
    body, undefined = PLACES[where]
    text = f"""#include <cooperative_groups.h>
__device__ int data[64] = {{1}};
__device__ void meet() {{ __syncthreads(); }}
__global__ void k() {{
    auto group = cooperative_groups::this_thread_block();
    {body}
}}
//@ launch k<<<1, 64>>>();
//@ expect undefined;
"""
    assert verdicts(write(text))["undefined"] == ("holds" if undefined else "violated")


ARRIVING = """
__device__ int x, y;
__global__ void k() {
    if (threadIdx.x == 0) x = 1;
    if (threadIdx.x < 32) {
        asm volatile("INSTRUCTION 1, 64;" ::: "memory");
        if (threadIdx.x == 1) y = x;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        if (threadIdx.x == 32) READ;
    }
}
//@ launch k<<<1, 64>>>();
//@ expect race_free;
//@ expect terminates;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("instruction", "read", "verdict"),
    [("bar.sync", "y = x", "violated"), ("bar.sync", "(void)x", "holds"), ("bar.arrive", "(void)x", "violated")],
)
def test_who_arrives_is_before_who_waits_alone(
    instruction: str, read: str, verdict: str, write: Callable[..., Path]
) -> None:
    """Lanes that arrive at one instruction, and do not wait, are in no order among themselves."""
    text = ARRIVING.replace("INSTRUCTION", instruction).replace("READ", read)
    assert verdicts(write(text)) == {"race_free": verdict, "terminates": "holds"}


# ---------------------------------------------------------------- warps against a simulation


@dataclass(frozen=True)
class Step:
    """``bar.sync`` or ``bar.arrive`` of a barrier, for so many warps."""

    name: int
    waits: bool
    count: int


def warps(random: Random) -> list[list[Step]]:
    counts = {name: random.randint(1, 2) for name in (1, 2)}
    names = ([random.choice((1, 1, 2)) for _ in range(random.randint(1, 2))] for _ in range(2))
    return [[Step(name, random.random() < 0.6, counts[name]) for name in own] for own in names]


def ends(program: list[list[Step]]) -> Iterator[bool]:
    """Whether all warps end, in each order of their arrivals: so many arrivals are a phase, whoever's they are."""
    work = [(tuple(0 for _ in program), tuple(None for _ in program), (Counter[int]()))]
    while work:
        at, waits, here = work.pop()
        moved = False
        for warp, steps in enumerate(program):
            if waits[warp] is not None or at[warp] == len(steps):
                continue
            moved = True
            step, now = steps[at[warp]], Counter(here)
            now[step.name] += 1
            stay = [*waits[:warp], step.name if step.waits else None, *waits[warp + 1 :]]
            if now[step.name] == step.count:
                now[step.name] = 0
                stay = [None if name == step.name else name for name in stay]
            work.append(((*at[:warp], at[warp] + 1, *at[warp + 1 :]), tuple(stay), now))
        if not moved:
            yield all(name is None for name in waits) and all(a == len(s) for a, s in zip(at, program, strict=True))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_warps_count_as_in_a_simulation(seed: int, write: Callable[..., Path]) -> None:
    random, seen = Random(seed), Counter[bool]()
    while min(seen[True], seen[False]) < 1:
        program = warps(random)
        right = all(ends(program))
        if seen[right] > 1:
            continue
        seen[right] += 1
        bodies = (
            " ".join(f'asm volatile("bar.{"sync" if s.waits else "arrive"} {s.name}, {32 * s.count};");' for s in own)
            for own in program
        )
        text = "__global__ void k() {{ if (threadIdx.x < 32) {{ {} }} else {{ {} }} }}\n".format(*bodies)
        path = write(text + "//@ launch k<<<1, 33>>>();\n//@ expect terminates;\n//@ expect race_free;\n")
        assert verdicts(path)["terminates"] == ("holds" if right else "violated"), text


TURNS = """
__device__ int out;
__global__ void scheduler() {
    __shared__ int shared;
    const int group = threadIdx.x / 32;
    if (FIRST group == 0) asm volatile("bar.arrive 1, 64;" ::: "memory");
    for (int round = 0; round < 2; ++round) {
        asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
        if (threadIdx.x % 32 == 0) shared = group;
        asm volatile("bar.arrive %0, 64;" ::"r"(2 - group) : "memory");
    }
}
//@ launch scheduler<<<1, 64>>>();
//@ expect race_free;
//@ expect terminates;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("first", "ends"), [("", "holds"), ("false &&", "violated")])
def test_a_warp_that_comes_again_counts_again(first: str, ends: str, write: Callable[..., Path]) -> None:
    """The first turn of FlashAttention-3's scheduler: a warp group gives itself the word."""
    assert verdicts(write(TURNS.replace("FIRST", first))) == {"race_free": "holds", "terminates": ends}


def test_lanes_that_wait_alike_are_told_of_together(write: Callable[..., Path]) -> None:
    text = """__global__ void k() { if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); }
//@ launch k<<<1, 64>>>();
//@ expect terminates;
"""
    (outcome,) = check([write(text)], Settings(engine="embedded", cache=False))
    why = explanation(outcome.reports[0].checks[0])
    assert why.sentences[:2] == (
        "k[0][0] waits at barrier 1: 2 warps end its phase, and so many have not come",
        "each of 31 threads from k[0][1] to k[0][31] waits at the end of `bar.sync 1, 64` of its warp: "
        "k[0][0] has not arrived",
    )
    assert [mark.note for mark in why.marks][:1] == ["32 threads from k[0][0] to k[0][31]"]


AGAIN = {
    "arrives, and waits": ('asm("bar.arrive 1, 64;"); asm("bar.sync 1, 64;");', [1]),
    "arrives twice": ('asm("bar.arrive 1, 96;"); x += t; if (t < 64) asm("bar.arrive 1, 96;");', []),
    "arrives twice, one after the other": ('asm("bar.arrive 1, 64;"); if (t < 64) asm("bar.arrive 1, 64;");', [1]),
    "waits twice": ('asm("bar.sync 1, 64;"); asm("bar.sync 1, 64;");', []),
    "another": ('asm("bar.arrive 1, 64;"); asm("bar.arrive 2, 64;");', []),
    "all wait in between": ('asm("bar.arrive 1, 64;"); __syncthreads(); asm("bar.arrive 1, 64;");', []),
    "a turn": ('for (int i = 0; i < 2; i++) asm("bar.arrive 1, 64;");', [1]),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", AGAIN)
def test_a_warp_that_comes_again_is_told(what: str, write: Callable[..., Path]) -> None:
    body, told = AGAIN[what]
    text = f"""__device__ int x;
__global__ void k() {{ int t = threadIdx.x; {body} }}
//@ launch k<<<1, 64>>>();
//@ expect terminates;
"""
    (outcome,) = check([write(text)], Settings(engine="embedded", cache=False))
    found = [d.message for d in outcome.diagnostics if d.code.name == "COMES_AGAIN"]
    assert [f"comes to barrier {n} again" in message for n, message in zip(told, found, strict=True)] == [True] * len(
        told
    )


#: What a block does, of so many threads, and whether an H100 ended 200 launches of 200, or none.
SHOWN = {
    "a warp twice": ('asm("bar.arrive 1, 64;"); asm("bar.sync 1, 64;");', 32, True),
    "the first lane has exited": ('if (t == 0) return; asm("bar.sync 1, 64;");', 64, True),
    "one lane arrives": ('if (t == 0) asm("barrier.arrive 1, 64;"); if (t >= 32) asm("bar.sync 1, 64;");', 64, True),
    "a half arrives": ('if (t / 16 == 1) asm("barrier.arrive 1, 64;"); if (t >= 32) asm("bar.sync 1, 64;");', 64, True),
    "a lane has exited": ('if (t == 5) return; if (t < 32) asm("bar.arrive 1, 64;"); else asm("bar.sync 1, 64;");', 64, True),
    "a warp of one lane": ('asm("bar.sync 1, 64;");', 33, True),
    "two places": ('if (t < 16) asm("barrier.sync 1, 32;"); else asm("barrier.sync 1, 32;");', 32, True),
    "two places are one arrival": ('if (t < 16) asm("barrier.sync 1, 64;"); else asm("barrier.sync 1, 64;");', 32, False),
    "two places, two warps": (
        'if (t < 16) asm("barrier.sync 1, 64;"); else if (t < 32) asm("barrier.sync 1, 64;"); else asm("bar.sync 1, 64;");',
        64, True,
    ),
    "places do not add up": (
        'if (t < 16) asm("barrier.arrive 1, 96;"); else if (t < 32) asm("barrier.arrive 1, 96;"); else asm("bar.sync 1, 96;");',
        64, False,
    ),
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SHOWN)
def test_what_an_h100_shows(name: str, write: Callable[..., Path]) -> None:
    body, threads, ends = SHOWN[name]
    body = body.replace("asm(", "asm volatile(")
    text = f"__global__ void k() {{ const int t = threadIdx.x; {body} }}\n//@ launch k<<<1, {threads}>>>();\n"
    found = verdicts(write(text + "//@ expect terminates;\n"))
    assert found == {"terminates": "holds" if ends else "violated"}


@pytest.mark.parametrize(("who", "verdict"), [("threadIdx.x == 0", "violated"), ("false", "holds")])
@pytest.mark.sampled(1)
def test_a_first_lane_that_may_have_exited(who: str, verdict: str, write: Callable[..., Path]) -> None:
    """Whether it has is known as the program runs: the next lane arrives then, and does not bring what the first wrote."""
    text = f"""__device__ int x, y, seen;
__global__ void k() {{
    if (threadIdx.x == 0) x = 1;
    if ({who} && y == 0) return;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (threadIdx.x == 33) seen = x;
}}
//@ launch k<<<1, 64>>>();
//@ expect race_free;
//@ expect terminates;
"""
    assert verdicts(write(text)) == {"race_free": verdict, "terminates": "holds"}


def test_on_a_gpu_a_count_is_one_of_threads(write: Callable[..., Path]) -> None:
    path = write(
        '__global__ void k() { asm volatile("bar.sync 1, 64;"); }\n//@ launch k<<<1, 64>>>();\n//@ expect race_free;\n'
    )
    text = "".join(files(read_tests(path), rounds=1, seed=1, turns=1).values())
    assert 'asm volatile("barrier.cta.sync %0, 64;" ::' in text


#: What warps do at barrier 0 beside all of the block, who then have a number of threads to wait for, and what is so.
ZERO = {
    "an arrival": ("x = 1; ARRIVE", "__syncthreads(); x = 2;", {"race_free": "holds", "terminates": "holds"}),
    "an arrival too late": ("ARRIVE x = 1;", "__syncthreads(); x = 2;", {"race_free": "violated"}),
    "nobody is left": (
        'ARRIVE asm volatile("bar.sync 1, 64;"); x = 1;',
        'SYNC asm volatile("bar.arrive 1, 64;"); x = 3;',
        {"race_free": "violated", "terminates": "holds"},
    ),
}


@pytest.mark.parametrize("name", ZERO)
@pytest.mark.sampled(2)
def test_syncthreads_meets_who_arrives_at_barrier_0(name: str, write: Callable[..., Path]) -> None:
    """They are one barrier: who waits there is let go by `bar.arrive 0`, and what comes behind is executed."""
    first, second, expected = ZERO[name]
    body = f"if (threadIdx.x == 0) {{ {first} }} else if (threadIdx.x == 32) {{ {second} }}"
    body = body.replace("ARRIVE", 'asm volatile("bar.arrive 0, 64;" ::: "memory");')
    body = body.replace("SYNC", 'asm volatile("bar.sync 0;" ::: "memory");')
    expectations = "".join(f"//@ expect {kind};\n" for kind in expected)
    text = "__device__ int x;\n__global__ void k() { if (threadIdx.x % 32) return; " + body + " }\n"
    assert verdicts(write(text + "//@ launch k<<<1, 64>>>();\n" + expectations)) == expected


def test_a_vote_where_others_arrive_is_refused(write: Callable[..., Path]) -> None:
    arrive = 'asm volatile("bar.arrive 0, 64;" ::: "memory")'
    body = f"if (threadIdx.x < 32) {arrive}; else if (__syncthreads_or(1)) {arrive};"
    path = write(f"__global__ void k() {{ {body} }}\n//@ launch k<<<1, 64>>>();\n//@ expect terminates;\n")
    (outcome,) = check([path], Settings(engine="embedded", cache=False))
    assert [d.code for d in outcome.diagnostics] == [Code.OUTSIDE_SUBSET]


NAMED = 'asm volatile("bar.sync %0, 64;" :: "r"(name) : "memory");'
PARTS = """if (threadIdx.x < 32) asm volatile("bar.arrive 0, THREADS;" ::: "memory");
    else if (threadIdx.x < 64) __syncthreads();"""


@pytest.mark.parametrize(
    ("body", "threads", "refused"),
    [(NAMED, 64, False), (NAMED + " __syncthreads();", 64, True), (PARTS, 64, False), (PARTS, 96, True)],
)
def test_what_may_be_at_barrier_0_or_may_not_come_there(
    body: str, threads: int, refused: bool, write: Callable[..., Path]
) -> None:
    """`__syncthreads()` waits for no warp that has ended; where it is one barrier among others, it would."""
    text = f"__device__ int name;\n__global__ void k() {{ {body} }}\n//@ launch k<<<1, THREADS>>>();\n//@ expect race_free;\n"
    (outcome,) = check([write(text.replace("THREADS", str(threads)))], Settings(engine="embedded", cache=False))
    assert [d.code for d in outcome.diagnostics if d.severity == "error"] == [Code.OUTSIDE_SUBSET] * refused
