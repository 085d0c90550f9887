"""The phases that arrivals may be of, against every order of the arrivals, and what is left out by them.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import InputError
from scopec.engines.embedded.progress import persistent_steps
from scopec.memory.unfold import counted_barriers
from scopec.program.arrival_order import Arrival, phases
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.conftest import check_text, verdicts
from tests.samples import programs

COUNT = programs(1, 5)
Threads = Sequence[Sequence[Arrival]]

#: A scheduler of three warps who take turns, as FlashAttention-3's warpgroups do.
TURNS = "A! B C A! B C; A B! C A B! C A; A B C! A B C! A B"


def in_every_order(threads: Threads) -> dict[Hashable, set[int]]:
    """The phases in which each arrival comes, one after the other, in some order."""
    found: dict[Hashable, set[int]] = defaultdict(set)
    work = [(tuple(0 for _ in threads), frozenset[tuple[Hashable, int]]())]
    seen = set(work)
    while work:
        at, phase_of = work.pop()
        come: dict[Hashable, int] = defaultdict(int)
        for own, reached in zip(threads, at, strict=True):
            for arrival in own[:reached]:
                come[arrival.barrier] += 1
        known = dict(phase_of)
        for number, own in enumerate(threads):
            if at[number] == len(own):
                continue
            last = own[at[number] - 1] if at[number] else None
            if last is not None and last.waits and come[last.barrier] // last.count <= known[last.name]:
                continue
            here = own[at[number]]
            phase = come[here.barrier] // here.count
            found[here.name].add(phase)
            after = (*at[:number], at[number] + 1, *at[number + 1 :]), phase_of | {(here.name, phase)}
            if after not in seen:
                seen.add(after)
                work.append(after)
    return found


def threads_of(text: str, counts: dict[str, int]) -> list[list[Arrival]]:
    """Threads apart by `;`: an arrival is the name of a barrier, with `!` if its thread waits there."""
    return [
        [Arrival((n, i), word[0], counts[word[0]], word.endswith("!")) for i, word in enumerate(own.split())]
        for n, own in enumerate(text.split(";"))
    ]


def random_threads(random: Random) -> list[list[Arrival]]:
    counts = {name: random.choice([1, 2, 2, 3]) for name in "AB"}
    return [
        [
            Arrival((number, place), name, counts[name], random.random() < 0.6)
            for place, name in enumerate(random.choices("AAB", k=random.randint(1, 3)))
        ]
        for number in range(random.randint(2, 4))
    ]


@pytest.mark.sampled(27)
@pytest.mark.parametrize("seed", range(COUNT * 40))
def test_no_order_gives_another_phase(seed: int) -> None:
    threads = random_threads(Random(seed))
    possible = phases(threads)
    assert all(actual <= set(possible[name]) for name, actual in in_every_order(threads).items())


def test_what_comes_for_a_reason_is_exact() -> None:
    """The example of the module, a scheduler of three who take turns, and one without the wait that holds it."""
    handed = threads_of("A B!; A! C; C! B A", {"A": 2, "B": 2, "C": 2})
    assert phases(handed)[2, 2] == range(1, 2)
    for text in (TURNS, TURNS.replace("; A B! C", "; A B C", 1)):
        threads = threads_of(text, {"A": 3, "B": 3, "C": 3})
        exact = all(len(possible) == 1 for possible in phases(threads).values())
        assert exact is (text == TURNS)
        actual = in_every_order(threads)
        assert all(len(its) == 1 for its in actual.values()) is exact


def test_what_a_thread_may_miss_has_to_come_before_nothing() -> None:
    threads = [[Arrival("first", "A", 1, waits=False, sure=False)], [Arrival("second", "A", 1, waits=False)]]
    assert phases(threads) == {"first": range(2), "second": range(2)}
    waiting = [
        [Arrival("sync", "B", 2, waits=True, sure=False), Arrival("behind", "A", 1, waits=False)],
        [Arrival("first", "A", 1, waits=False), Arrival("let", "B", 2, waits=False)],
    ]
    assert phases(waiting)["behind"] == range(2)


def kernel(threads: Sequence[Sequence[Arrival]], question: str, store: str = "") -> str:
    """Each thread as a warp of a kernel, the last of one lane; who gets to the end says so, ``store`` is in between."""
    names = sorted({str(a.barrier) for own in threads for a in own})
    bodies = [
        store.join(
            f'asm volatile("bar.{"sync" if a.waits else "arrive"} {names.index(str(a.barrier)) + 1}, {32 * a.count}; " ::: "memory"); '
            for a in own
        )
        for own in threads
    ]
    cases = " ".join(f"if (threadIdx.x / 32 == {n}) {{ {body} }}" for n, body in enumerate(bodies))
    size = 32 * len(threads) - 31
    kernel_ = f"__device__ int x[{size}], z;\n__global__ void k() {{ {cases} x[threadIdx.x] = 1; }}\n"
    return f"{kernel_}//@ launch k<<<1, {size}>>>();\n//@ expect {question};\n"


def verdict(text: str, tmp_path: Path, *without: str) -> tuple[str, int]:
    """What is answered, and after how many states."""
    file = tmp_path / "program.cu"
    file.write_text(text)
    (outcome,) = check([file], Settings(engine="embedded", overrides=Overrides(cache=True, without=frozenset(without))))
    assert outcome.failure is None, outcome.failure
    (answer,) = (one for report in outcome.reports for one in report.checks if one.expectation)
    return answer.verdict, answer.states or 0


@pytest.mark.parametrize("seed", range(COUNT))
def test_arrivals_of_one_phase_need_not_be_interleaved(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = kernel(random_threads(Random(f"warps {seed}")), "terminates")
    found = verdict(text, tmp_path)
    monkeypatch.setattr(persistent_steps, "in_one_phase", lambda _: frozenset[str]())
    assert found[0] == verdict(text, tmp_path)[0] != "unknown"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT * 2))
def test_phases_that_are_left_out_are_those_of_no_execution(seed: int, tmp_path: Path) -> None:
    """Whether all warps may get to their ends, and what races where some do not, with all phases and without."""
    threads = random_threads(Random(f"phases {seed}"))
    ends = " && ".join(f"x[{32 * n}] == 1" for n in range(len(threads)))
    text = kernel(threads, f"allowed {ends}")
    assert verdict(text, tmp_path)[0] == verdict(text, tmp_path, "phases")[0]
    text = kernel(threads, "race_free", "if (threadIdx.x % 32 == 0) z = 1; ")
    assert verdict(text, tmp_path)[0] == verdict(text, tmp_path, "phases")[0] != "unknown"


@pytest.mark.sampled(0)
def test_a_scheduler_of_warps_takes_few_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = kernel(threads_of(TURNS, {"A": 3, "B": 3, "C": 3}), "terminates")
    few = verdict(text, tmp_path)
    monkeypatch.setattr(persistent_steps, "in_one_phase", lambda _: frozenset[str]())
    many = verdict(text, tmp_path)
    assert few[0] == many[0] == "holds"
    assert 10 * few[1] < many[1]


def test_arrivals_of_an_open_phase_are_interleaved(tmp_path: Path) -> None:
    """Two who wait may let each other go, and who comes last has gone on in any case; or one may be left."""
    text = kernel(threads_of("A!; A!; A", {"A": 2}), "may_hang")
    assert verdict(text, tmp_path)[0] == "holds"


#: Three groups of warps that take turns: a group waits at its own barrier until both others have let it go on.
GROUPS = """constexpr int GROUP = 32;
constexpr int TURNS = 2;

__device__ int place[3 * TURNS];

__device__ void wait(int barrier) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(3 * GROUP) : "memory"); }

__device__ void arrive(int barrier) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(3 * GROUP) : "memory"); }

__global__ void scheduled() {
    __shared__ int turn;
    const int group = threadIdx.x / GROUP;
    const bool first = threadIdx.x % GROUP == 0;
    if (threadIdx.x == 0) turn = 0;
    if (group == 1) arrive(1);
    if (group == 2) {
        arrive(1);
        arrive(2);
    }
    for (int i = 0; i < TURNS; ++i) {
        wait(1 + group);
        if (first) place[3 * i + group] = turn++;
        arrive(1 + (group + 1) % 3);
        arrive(1 + (group + 2) % 3);
    }
}
//@ launch scheduled<<<1, 3 * GROUP>>>();
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("line", "instead", "expected"),
    [
        ("if (group == 1) arrive(1);", "", ("may_hang",)),
        ("wait(1 + group);", "", ("race on scheduled.turn",)),
        (
            "",
            "",
            ("race_free", "required place[0] == 0 && place[1] == 1 && place[2] == 2 && place[3] == 3", "terminates"),
        ),
    ],
)
def test_groups_of_warps_take_turns(line: str, instead: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever is asked is answered, and each part is needed."""
    assert line in GROUPS
    text = GROUPS.replace(line, instead) + "".join(f"//@ expect {each};\n" for each in expected)
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) == {each: ["holds"] for each in expected}


#: Warps of which the last, of one lane, arrives at A so often if it reads that another block has said so.
SOMETIMES = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> said;
__device__ int passed;
__global__ void k() {{
    if (blockIdx.x == 1) {{ if (threadIdx.x == 0) said.store(1); return; }}
    if (threadIdx.x / 32 == 0) {{ {first} }}
    if (threadIdx.x / 32 == 1) {{ {second} if (threadIdx.x == 32) passed = 1; }}
    if (threadIdx.x == 64) {{ int seen = said.load(); if (seen) {{ {sometimes} }} {always} }}
}}
//@ launch k<<<2, 65>>>();
//@ expect {question};
"""
_ARRIVE, _SYNC = 'asm volatile("bar.arrive {}, 64;" ::: "memory");', 'asm volatile("bar.sync {}, 64;" ::: "memory");'


@pytest.mark.parametrize("seen", [0, 1])
def test_what_a_thread_may_miss_leaves_phases_open(seen: int, tmp_path: Path) -> None:
    """The wait of the second warp is of the first phase, or of the second, where two have arrived before."""
    text = SOMETIMES.format(
        first=_ARRIVE.format(1), second=f"{_SYNC.format(2)} {_SYNC.format(1)}", sometimes=2 * _ARRIVE.format(1),
        always=_ARRIVE.format(2), question=f"allowed passed == 1 && k[0][64].seen == {seen}",
    )  # fmt: skip
    assert verdict(text, tmp_path)[0] == "holds"


def test_arrivals_that_differ_from_way_to_way_are_interleaved(tmp_path: Path) -> None:
    """Two who wait for each other are one phase, unless a third comes in between: then one of them is left."""
    text = SOMETIMES.format(
        first=_SYNC.format(1), second=_SYNC.format(1), sometimes=_ARRIVE.format(1), always="", question="may_hang"
    )
    assert verdict(text, tmp_path)[0] == "holds"


@pytest.mark.parametrize(
    ("look", "sure"),
    [
        ("while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}", True),
        ("if (!__any_sync(0xFFFFFFFF, ptx::mbarrier_try_wait_parity(&full, 0))) return;", False),
        ("if (threadIdx.x == 32) place[said.load()] = 1;", True),
    ],
    ids=["a wait", "a try", "an index"],
)
@pytest.mark.sampled(2)
def test_who_comes_behind_a_wait_comes_for_sure(
    look: str, sure: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits at an mbarrier before comes, or waits for ever; who breaks a rule does no more; `bar.sync` waits."""
    seen: list[list[tuple[bool, bool]]] = []

    def noted(threads: Sequence[Sequence[Arrival]]) -> dict[Hashable, range]:
        seen.extend([(one.waits, one.sure) for one in own] for own in threads)
        return phases(threads)

    monkeypatch.setattr(counted_barriers.arrival_order, "phases", noted)
    path = tmp_path / "k.cu"
    text = """#include <cuda/ptx>
    #include <cuda/atomic>
    namespace ptx = cuda::ptx;
    __device__ cuda::atomic<int, cuda::thread_scope_device> said;
    __device__ int place[2];
    __global__ void k() {
        __shared__ std::uint64_t full;
        if (threadIdx.x == 0) ptx::mbarrier_init(&full, 2);
        __syncthreads();
        if (threadIdx.x < 32) {
            if (threadIdx.x == 0) ptx::mbarrier_arrive(&full), said.store(2);
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            if (threadIdx.x == 32) ptx::mbarrier_arrive(&full);
            LOOK
            __any_sync(0xFFFFFFFF, 0);
            asm volatile("bar.sync 1, 64;" ::: "memory");
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    }
    //@ launch k<<<1, 64>>>();
    //@ expect race_free;
    """
    path.write_text(text.replace("LOOK", look))
    (run,) = plan(path, "k.cu", Overrides()).runs
    with nullcontext() if sure else pytest.raises(InputError, match="too many ways"):
        assert run.graph
    assert seen[0] == [(False, True), (True, True), (True, True)]
    assert seen[1][:3] == [(True, sure), (False, sure), (False, sure)]


#: A read decides how often the last warp arrives, and whether a thread waits for ever behind, or another one does.
DECIDED = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> said;
__device__ int z;
__device__ void arrive() { asm volatile("bar.arrive 1, 64;" ::: "memory"); }
__global__ void k() {
    if (blockIdx.x == 1) { if (threadIdx.x == 0) said.store(1); return; }
    int s = __syncthreads_or(threadIdx.x == 0 ? said.load() : 0);
    if (threadIdx.x % 32) return;
    if (threadIdx.x == 0) { WAIT }
    if (threadIdx.x == 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        z = 1;
    }
    if (threadIdx.x == 64) {
        s = READ;
        if (s) { arrive(); arrive(); }
        arrive();
        if (!s) z = 2;
        BEHIND
    }
}
//@ launch k<<<2, 65>>>();
//@ expect race on z;
"""
WAIT = "while (!s) said.load();"


@pytest.mark.parametrize(
    ("read", "wait", "behind"), [("said.load()", "", WAIT), ("s", WAIT, "")], ids=["its own", "another one's"]
)
def test_a_wait_behind_or_beside_makes_nobody_come(read: str, wait: str, behind: str, tmp_path: Path) -> None:
    """Where the read is 0 the last warp arrives once, in the first phase: no wait says that it is the second."""
    text = DECIDED.replace("READ", read).replace("WAIT", wait).replace("BEHIND", behind)
    assert verdict(text, tmp_path)[0] == "holds"
