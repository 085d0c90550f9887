"""``scopec weaken``: what is too strong is found, what is needed is not proposed, and every proposal holds when it is
followed; the search is held to one that asks every set."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path

import jsonschema
import pytest

from scopec.advice.places import places
from scopec.advice.steps import SAVES
from scopec.advice.weaken import Found, weaken
from scopec.advice.weakest import weakest
from scopec.base.diagnostics import UsageError
from scopec.base.source import Source
from scopec.explain.fixes import replaced
from scopec.report import weaker
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.command import scopec

SCHEMA = Path("docs/weaken.schema.json")


def found(
    tmp_path: Path, text: str, name: str = "p.cu", *, anyway: bool = False, most: int = 16, model: str | None = None
) -> Found:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return weaken(path, Settings(Overrides(model=model), engine="embedded"), anyway=anyway, most=most)


def saved(of: Found, model: str | None = None) -> list[list[str]]:
    """What each proposal saves; each has been followed, and holds."""
    for one in of.proposals:
        path = Path(of.run.file)
        path.write_text(replaced(of.run.source, one.changes), encoding="utf-8")
        (outcome,) = check([path], Settings(Overrides(model=model), engine="embedded"))
        assert outcome.exit_code == 0
        path.write_text(of.run.source.text, encoding="utf-8")
    return [[line.split(": ", 1)[1] for line in one.saves] for one in of.proposals]


HANDOVER = """\
#include <cuda/atomic>
__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_SCOPE> flag{0};
__global__ void mp() {
    int r = 1;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1STORE);
    } else if (flag.load(LOAD) == 1) {
        r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
//@ expect required mp[1][0].r == 1;
"""


def handover(scope: str, store: str = ", cuda::memory_order_release", load: str = "cuda::memory_order_acquire") -> str:
    return HANDOVER.replace("SCOPE", scope).replace("STORE", store).replace("LOAD", load)


TWO_FENCES = """\
__device__ volatile int x = 0;
__device__ volatile int f = 0;
__global__ void mp() {
    int r = 1;
    if (blockIdx.x == 0) {
        atomicExch((int*)&x, 1);
        FENCES
        atomicExch((int*)&f, 1);
    } else if (atomicAdd((int*)&f, 0) == 1) {
        __threadfence();
        r = atomicAdd((int*)&x, 0);
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
//@ expect required mp[1][0].r == 1;
"""

EXCHANGE = """\
__global__ void exchange() {
    __shared__ int part[2];
    part[threadIdx.x] = threadIdx.x;
    BARRIERS
    int other = part[1 - threadIdx.x];
    assert(other == 1 - threadIdx.x);
}
//@ launch exchange<<<1, 2>>>();
//@ expect race_free;
//@ expect terminates;
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # seq_cst, written or not: the release and the acquire stay.
        (handover("device", ", cuda::memory_order_seq_cst", "cuda::memory_order_seq_cst"),
         [["`seq_cst` becomes `release`", "`seq_cst` becomes `acquire`"]]),
        (handover("device", "", ""),
         [["`cuda::memory_order_release` is written, where nothing was said",
           "`cuda::memory_order_acquire` is written, where nothing was said"]]),
        (handover("system"), [["`system` becomes `device`"]]),
        (handover("device"), []),
        # The system's fences around a flag of the device; of two like fences either can go.
        (TWO_FENCES.replace("FENCES", "__threadfence_system();"), [["`__threadfence_system()` becomes `__threadfence()`"]]),
        (TWO_FENCES.replace("FENCES", "__threadfence();"), []),
        (TWO_FENCES.replace("FENCES", "__threadfence();\n        __threadfence();"),
         [["`__threadfence();` goes"], ["`__threadfence();` goes"]]),
    ],
)  # fmt: skip
@pytest.mark.sampled(1)
def test_what_is_too_strong_is_found_and_what_is_needed_stays(
    tmp_path: Path, text: str, expected: list[list[str]]
) -> None:
    assert saved(found(tmp_path, text)) == expected


@pytest.mark.sampled(0)
def test_a_barrier_that_is_there_twice_goes_once(tmp_path: Path) -> None:
    # Two threads are of one warp: the barrier of a warp suffices for them, and not for the larger launch.
    once = found(tmp_path, EXCHANGE.replace("BARRIERS", "__syncthreads();").replace("<<<1, 2>>>", "<<<1, 64>>>").replace("[2]", "[64]")
                 .replace("1 - threadIdx.x", "63 - threadIdx.x"))  # fmt: skip
    assert saved(once) == []
    twice = found(tmp_path, EXCHANGE.replace("BARRIERS", "__syncthreads();\n    __syncthreads();"))
    assert [len(one.saves) for one in twice.proposals] == [2, 2]
    assert all("goes" in " ".join(one.saves) for one in twice.proposals)
    assert all("`__syncthreads()` becomes `__syncwarp()`" in " ".join(one.saves) for one in twice.proposals)
    assert saved(twice)


def test_a_larger_launch_refutes(tmp_path: Path) -> None:
    """With one block, the block's scope suffices; with two, which the program is made for, it does not."""
    text = """\
__device__ int n = 0;
__global__ void count() { atomicAdd(&n, 1); }
//@ launch count<<<1, 2>>>();
//@ expect race_free;
//@ expect required n >= 2;
"""
    of = found(tmp_path, text)
    assert saved(of) == []
    assert [one.launches for one in of.larger if one.before.holds] == [("count<<<2, 2>>>",), ("count<<<1, 4>>>",)]
    assert [one.reason for one in of.needed] == ["at count<<<2, 2>>> `race_free` is violated"]
    alone = found(tmp_path, text.replace("n >= 2", "n == 2"))
    assert saved(alone) == [["`` becomes `_block`"]] or len(alone.proposals) == 1
    assert not any(one.before.holds for one in alone.larger)


PTX = """\
PTX mp
{ x = 0; f = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.relaxed.sys x, 1  | ld.relaxed.gpu r0, f ;
 fence.sc.gpu         | fence.acq_rel.gpu    ;
 st.relaxed.gpu f, 1  | ld.relaxed.gpu r1, x ;
~exists (1:r0=1 /\\ 1:r1=0)
"""


def test_ptx_litmus_under_ptx(tmp_path: Path) -> None:
    """Where f is not seen the accesses to x meet: a scope that does not include both would race, which no line states."""
    of = found(tmp_path, PTX, "mp.litmus", model="ptx")
    assert saved(of, "ptx") == [["`fence.sc.gpu` becomes `fence.acq_rel.gpu`", "`sys` becomes `gpu`"]]
    assert [one.place.span.line for one in of.needed] == [4, 4, 5, 5, 5, 5, 6, 6]


def test_inline_ptx(tmp_path: Path) -> None:
    text = handover("device").replace(
        "        flag.store", '        asm volatile("fence.sc.gpu;" ::: "memory");\n        flag.store'
    )
    gone, instead = saved(found(tmp_path, text))
    assert gone == ['`asm volatile("fence.sc.gpu;" ::: "memory");` goes']
    assert instead == ["`fence.sc.gpu` becomes `fence.acq_rel.gpu`", "`release` becomes `relaxed`"]


GROUPS = """
namespace cg = cooperative_groups;
#define BARRIER() __syncthreads()
__global__ void k(cg::grid_group all) {
    auto block = cg::this_thread_block();
    cg::cluster_group near = cg::this_cluster();
    auto tile = cg::tiled_partition<4>(block);
    cg::this_grid().sync();
    cg::sync(all);
    near.sync();
    block.sync();
    tile.sync();
    bar.arrive_and_wait();
    if (threadIdx.x) block.sync(), near.sync();
    BARRIER();
}
"""


def test_barriers_of_groups_and_of_objects_and_macros() -> None:
    """Each is narrowed as far as its kind goes, which the text says; what is no statement of its own becomes nothing."""
    source = Source("p.cu", GROUPS)
    found: dict[str, list[tuple[str, str]]] = {}
    for place in sorted(places(source), key=lambda one: one.span):
        taken: frozenset[str] = frozenset()
        found[f"{place.span.line} {source.text_of(place.span)}"] = spelt = []
        for step in place.steps:
            assert step.needs <= taken
            taken |= {step.name}
            (one,) = place.changes(source, taken)
            spelt.append((step.saves, one.text))
    grid = [("barrier of a grid", "__syncthreads()"), ("barrier", "__syncwarp()"), ("barrier of a warp", "")]
    block = [("barrier", "__syncwarp()"), ("barrier of a warp", "")]
    cluster = [("barrier of a cluster", "__syncthreads()"), *grid[1:]]
    object_ = [("barrier of an object", "")]
    gone = "((void)0)"
    assert found == {
        "3 __syncthreads()": [block[0], ("barrier of a warp", gone)],
        "8 cg::this_grid().sync()": grid,
        "9 cg::sync(all)": grid,
        "10 near.sync()": cluster,
        "11 block.sync()": block,
        "12 tile.sync()": object_,
        "13 bar.arrive_and_wait()": object_,
        "14 block.sync()": [block[0], ("barrier of a warp", gone)],
        "14 near.sync()": [*cluster[:2], ("barrier of a warp", ";")],
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (handover("device").replace("//@ expect required mp[1][0].r == 1;\n", ""), "no outcome is forbidden"),
        (handover("device").replace("required mp[1][0].r == 1", "allowed mp[1][0].r == 1"), "no outcome is forbidden"),
        ("__global__ void k(int* p) { atomicAdd(p, 1); assert(*p > 0); }\n", "the launch is guessed"),
    ],
)
def test_what_states_too_little_is_refused_unless_asked_again(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        found(tmp_path, text)
    if "guessed" not in words:
        assert found(tmp_path, text, anyway=True).launches == ("mp<<<2, 1>>>",)


def test_what_does_not_hold_or_is_void_is_not_weakened(tmp_path: Path) -> None:
    assert found(tmp_path, handover("block")).proposals == ()
    assert found(tmp_path, handover("device", load="cuda::memory_order_relaxed")).before.exit_code == 1
    void = (
        handover("block").replace("required mp[1][0].r == 1", "required mp[0][0].r == 1").replace("race_free", "race")
    )
    of = found(tmp_path, void.replace("        x = 1;", "        x = 1;\n        assert(r == 1);"))
    assert of.proposals == ()


def test_what_no_line_states_and_holds_is_kept(tmp_path: Path) -> None:
    """Without the fence threads still end, and nothing is asserted of x: but it races then."""
    text = handover("device", ", cuda::memory_order_seq_cst").replace(
        "//@ expect race_free;\n", "//@ options races = ignore;\n"
    )
    of = found(tmp_path, text.replace("required mp[1][0].r == 1", "required mp[0][0].r == 1"))
    assert {e.kind for _, e in of.also} == {"race_free", "terminates"}
    assert saved(of) == [["`seq_cst` becomes `release`"]]


# ---------------------------------------------------------------- the search


def exhaustive(needs: list[frozenset[int]], holds: set[frozenset[int]]) -> set[frozenset[int]]:
    every = [frozenset(c) for n in range(len(needs) + 1) for c in combinations(range(len(needs)), n)]
    held = [one for one in every if all(needs[s] <= one for s in one) and one in holds]
    return {one for one in held if not any(one < other for other in held)}


@pytest.mark.parametrize("seed", range(60))
def test_every_largest_set_is_found(seed: int) -> None:
    chosen = random.Random(seed)
    many = chosen.randint(0, 7)
    needs = [
        frozenset(s for s in range(many) if s != step and chosen.random() < 0.15 and s < step) for step in range(many)
    ]
    tops = [frozenset(s for s in range(many) if chosen.random() < 0.6) for _ in range(chosen.randint(1, 4))]
    every = [frozenset(c) for n in range(many + 1) for c in combinations(range(many), n)]
    holds = {one for one in every if not one or any(one <= top for top in tops)}
    asked: list[frozenset[int]] = []

    def ask(steps: frozenset[int]) -> bool:
        asked.append(steps)
        return steps in holds

    of = list(weakest(needs, ask))
    assert len(of) == len(set(of))
    assert set(of) == exhaustive(needs, holds)


SMALL = [
    handover("system", ", cuda::memory_order_seq_cst", "cuda::memory_order_acquire"),
    EXCHANGE.replace("BARRIERS", "__syncthreads();\n    __syncthreads();"),
]


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.sampled(1)
def test_weaker_synchronisation_only_adds_executions(tmp_path: Path, text: str) -> None:
    """Every set of steps of small programs is asked: parts of those that hold hold, and the largest are what is found."""
    path = tmp_path / "p.cu"
    path.write_text(text, encoding="utf-8")
    source = Source(str(path), text)
    steps = [(p, s) for p in places(source) for s in p.steps]
    steps.sort(key=lambda one: (SAVES.index(one[1].saves), one[0].span))
    needs = [frozenset(n for n, (q, t) in enumerate(steps) if q is p and t.name in s.needs) for p, s in steps]
    known: dict[str, bool] = {}

    def ask(taken: frozenset[int]) -> bool:
        changes = [
            one for p in dict.fromkeys(p for p, _ in steps)
            for one in p.changes(source, frozenset(steps[n][1].name for n in taken if steps[n][0] is p))
        ]  # fmt: skip
        changed = replaced(source, changes)
        if changed not in known:
            path.write_text(changed, encoding="utf-8")
            (outcome,) = check([path], Settings(engine="embedded"))
            known[changed] = outcome.exit_code == 0
        return known[changed]

    every = [frozenset(c) for n in range(len(steps) + 1) for c in combinations(range(len(steps)), n)]
    closed = [one for one in every if all(needs[s] <= one for s in one)]
    holds = {one for one in closed if ask(one)}
    for one in holds:
        assert all(other in holds for other in closed if other < one)
    assert set(weakest(needs, ask)) == exhaustive(needs, holds)


# ---------------------------------------------------------------- the command


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "mp.cu"
    path.write_text(handover("system"), encoding="utf-8")
    done = scopec("weaken", str(path), "--engine", "embedded", "--format", "json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    (one,) = document["proposals"]
    assert "+__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};" in one["diff"]
    assert document["schema"] == weaker.SCHEMA
    said = scopec("weaken", str(path), "--engine", "embedded")
    assert "line 3: `system` becomes `device`" in said.stdout
    assert "holds  required mp[1][0].r == 1 (embedded)" in said.stdout
    path.write_text(handover("block"), encoding="utf-8")
    assert scopec("weaken", str(path), "--engine", "embedded").returncode == 1
