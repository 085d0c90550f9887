"""Shared memory of the other blocks in a cluster: where it is, how long it is there, what it is called, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.program.ir import Dim
from scopec.program.specialise import cluster_blocks
from scopec.session.check import Settings, check
from scopec.session.final_states import listings
from scopec.session.plan import Overrides

pytestmark = pytest.mark.usefixtures("kept_machines")

Write = Callable[..., Path]
KERNEL = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int out[4], n;
AROUND
__global__ void __cluster_dims__(2, 1, 1) k() {
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), other = rank ^ 1;
    BODY
}
//@ launch k<<<GRID>>>();
"""


def text(body: str, asked: str = "race_free", grid: str = "2, 1", around: str = "") -> str:
    expectations = "".join(f"//@ expect {one};\n" for one in asked.split("; "))
    return KERNEL.replace("BODY", body).replace("GRID", grid).replace("AROUND", around) + expectations


def answers(path: Path, engine: str = "embedded") -> list[str]:
    (outcome,) = check([path], Settings(engine=engine, cache=False, timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    return [c.verdict for report in outcome.reports for c in report.checks]


def refused(path: Path) -> str:
    (outcome,) = check([path], Settings(engine="embedded"))
    (wrong, *_) = [d for d in outcome.diagnostics if d.severity == "error"]
    return wrong.message


# ---------------------------------------------------------------- where it is

EXCHANGE = """
    tile[0] = rank + 1;
    cluster.sync();
    *cluster.map_shared_rank(tile + 1, other) = tile[0];
    cluster.sync();
    out[blockIdx.x] = tile[1] + 10 * cluster.query_shared_rank(cluster.map_shared_rank(tile, 1));
"""


@pytest.mark.parametrize(
    ("around", "declared", "grid"),
    [
        ("", "__shared__ int tile[2];", "4, 1"),
        ("", "extern __shared__ int tile[];", "4, 1, 8"),
        ("__shared__ int tile[2];", "", "4, 1"),
    ],
)
@pytest.mark.sampled(1)
def test_each_block_has_its_own(around: str, declared: str, grid: str, write: Write) -> None:
    asked = "race_free; required out[0] == 12 && out[1] == 11 && out[2] == 12 && out[3] == 11; terminates"
    assert answers(write(text(declared + EXCHANGE, asked, grid, around))) == ["holds"] * 3


def test_functions_of_the_runtime_and_halves_of_a_barrier(write: Write) -> None:
    body = """
    __shared__ int tile[2];
    tile[0] = rank + 1;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int* there = (int*)__cluster_map_shared_rank(tile, other);
    there[1] = rank + 1 + 10 * __cluster_query_shared_rank(there);
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token&&>(token));
    out[rank] = tile[1];
"""
    assert answers(write(text(body, "race_free; required out[0] == 2 && out[1] == 11"))) == ["holds"] * 2


def test_ranks_are_those_of_the_cluster() -> None:
    assert cluster_blocks(Dim(4, 2), Dim(2, 1), 6) == (6, 7)
    assert cluster_blocks(Dim(4, 2), Dim(2, 2), 7) == (2, 3, 6, 7)
    assert cluster_blocks(Dim(2, 2, 2), Dim(1, 2, 2), 5) == (1, 3, 5, 7)
    assert cluster_blocks(Dim(3), Dim(), 2) == (2,)


def test_what_variables_are_called(write: Write) -> None:
    body = "__shared__ int tile[2];" + EXCHANGE
    asked = (
        "required k[0][0].tile[1] == 2 && k[1][0].tile[1] == 1; race on tile; race on k[1][0].tile; race on k.tile[0]"
    )
    assert answers(write(text(body, asked))) == ["holds", "violated", "violated", "violated"]
    early = "__shared__ int tile[2]; tile[1] = 3;" + EXCHANGE.replace("cluster.sync();", "", 1)
    asked = "race on tile; race on k[1][0].tile; race on k.tile[1]; race on k[0][0].tile[0]"
    assert answers(write(text(early, asked))) == ["holds", "holds", "holds", "violated"]
    states = listings(write(text(body)), Settings(overrides=Overrides(), engine="embedded", cache=False), 100)[0][
        0
    ].states
    assert {name for state in states for name in state.values if name.endswith("]")} == {
        "out[0]", "out[1]", "k[0].tile[0]", "k[0].tile[1]", "k[1].tile[0]", "k[1].tile[1]",
    }  # fmt: skip


# ---------------------------------------------------------------- how long it is there

#: What a thread does before its only access to another block's memory, and after it; whether that memory is there then.
LIFETIMES = {
    "barriers on both sides": ("cluster.sync();", "cluster.sync();", "holds"),
    "too early": ("", "cluster.sync();", "violated"),
    "too late": ("cluster.sync();", "", "violated"),
    "one thread of the block stays until then": (
        "cluster.sync(); if (rank == 1 && threadIdx.x == 1) { while (flag.load(cuda::memory_order_acquire) != 1); return; }"
        "if (rank == 1 || threadIdx.x == 1) return;",
        "flag.store(1, cuda::memory_order_release);",
        "holds",
    ),
    "no thread knows": (
        "cluster.sync(); if (rank == 1 && threadIdx.x == 1) { while (flag.load(cuda::memory_order_relaxed) != 1); return; }"
        "if (rank == 1 || threadIdx.x == 1) return;",
        "flag.store(1, cuda::memory_order_release);",
        "violated",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("name", LIFETIMES)
def test_memory_is_there_while_its_block_is(name: str, model: str, write: Write) -> None:
    before, after, verdict = LIFETIMES[name]
    body = f"__shared__ int bin; {before} atomicAdd(cluster.map_shared_rank(&bin, other), 1); {after}"
    around = "#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};"
    assert answers(write(text(body, f"race_free under {model}", "2, 2", around))) == [verdict]


@pytest.mark.parametrize(("last", "verdict"), [("cluster.sync();", "holds"), ("", "violated")])
def test_engines_agree_on_how_long(last: str, verdict: str, write: Write) -> None:
    body = f"__shared__ int bin; cluster.sync(); out[rank] = *cluster.map_shared_rank(&bin, other); {last}"
    path = write(text(body, "race_free; terminates"))
    assert answers(path, "both") == [verdict, "holds"]


# ---------------------------------------------------------------- the halves of a barrier

ARRIVE, WAIT = (f'asm volatile("barrier.cluster.{half};" ::: "memory");' for half in ("arrive", "wait"))
RELAXED = ARRIVE.replace("arrive", "arrive.relaxed.aligned")
#: What block 0 does from its store on, what block 1 does up to its load, and whether the message arrives.
HALVES = {
    "release": (f"out[0] = 1; {ARRIVE} out[1] = 1; {WAIT}", f"{ARRIVE} out[2] = 1; {WAIT}", "holds"),
    "release, as one writes it": (
        "out[0] = 1; " + ARRIVE.replace("arrive", "arrive.release") + WAIT,
        RELAXED + WAIT.replace("wait", "wait.acquire.aligned"),
        "holds",
    ),
    "relaxed": (f"out[0] = 1; {RELAXED} out[1] = 1; {WAIT}", f"{ARRIVE} out[2] = 1; {WAIT}", "violated"),
    "relaxed, with nothing between": (f"out[0] = 1; {RELAXED} {WAIT}", f"{ARRIVE} {WAIT}", "violated"),
    "relaxed behind a fence": (
        f'out[0] = 1; asm volatile("fence.acq_rel.cluster;" ::: "memory"); {RELAXED} {WAIT}',
        f"{ARRIVE} {WAIT}",
        "holds",
    ),
    "relaxed behind a narrower fence": (
        f'out[0] = 1; asm volatile("fence.acq_rel.cta;" ::: "memory"); {RELAXED} {WAIT}',
        f"{ARRIVE} {WAIT}",
        "violated",
    ),
    "between the two": (f"{ARRIVE} out[0] = 1; {WAIT}", f"{ARRIVE} {WAIT}", "violated"),
    "the other before its wait": (f"out[0] = 1; {ARRIVE} {WAIT}", f"{ARRIVE} r = out[0]; {WAIT} return;", "violated"),
    "the whole": (f"out[0] = 1; {ARRIVE} out[1] = 1; {WAIT}", "cluster.sync();", "holds"),
    "tokens": (
        "out[0] = 1; auto token = cluster.barrier_arrive(); out[1] = 1; cluster.barrier_wait(std::move(token));",
        "cluster.barrier_arrive(); cluster.barrier_wait();",
        "holds",
    ),
    "relaxed, of CUDA C++": (
        "out[0] = 1; __cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();",
        "__cluster_barrier_arrive(); __cluster_barrier_wait();",
        "violated",
    ),
}


def halves(name: str, asked: str, grid: str = "2, 1") -> str:
    here, there, _ = HALVES[name]
    return text(
        f"int r = 1; if (rank == 0) {{ {here} }} else {{ {there} r = out[0]; }}", asked, grid, "#include <utility>"
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", HALVES)
def test_the_halves_of_a_barrier(name: str, write: Write) -> None:
    verdict = HALVES[name][-1]
    asked = "race_free under cuda, ptx; forbidden k[1][0].r == 0 under ptx; terminates"
    assert sorted(answers(write(halves(name, asked)))) == sorted([verdict] * 3 + ["holds"])


@pytest.mark.parametrize("name", ["release", "relaxed"])
@pytest.mark.sampled(1)
def test_engines_agree_on_halves(name: str, write: Write) -> None:
    assert answers(write(halves(name, "race_free; terminates")), "both") == [HALVES[name][-1], "holds"]


@pytest.mark.parametrize(
    ("waits", "verdict"), [(f"{ARRIVE} n = 1; {WAIT}", "holds"), ("while (true) n = 1;", "violated")]
)
def test_who_has_exited_is_not_waited_for(waits: str, verdict: str, write: Write) -> None:
    body = f"if (rank == 1) return; for (int turn = 0; turn < 2; turn++) {{ {waits} }}"
    assert answers(write(text(body, "terminates"))) == [verdict]


def test_each_cluster_has_its_own(write: Write) -> None:
    body = f"out[blockIdx.x] = 1; {ARRIVE} n; {WAIT} int r = out[blockIdx.x ^ WITH];"
    found = [answers(write(text(body.replace("WITH", with_), "race_free", "4, 1"))) for with_ in ("1", "2")]
    assert found == [["holds"], ["violated"]]


# ---------------------------------------------------------------- what has no meaning, and what is refused


@pytest.mark.parametrize("space", ["shared", "shared::cta"])
@pytest.mark.sampled(1)
def test_the_state_space_of_a_block_is_its_own(space: str, write: Write) -> None:
    body = """
    __shared__ int tile;
    unsigned here = (unsigned)__cvta_generic_to_shared(&tile), there;
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(WHOSE));
    asm volatile("st.SPACE.u32 [%0], 1;" :: "r"(there) : "memory");
    cluster.sync();
""".replace("SPACE", space)
    own, others = (
        answers(write(text(body.replace("WHOSE", whose), "forbidden n == 1"))) for whose in ("rank", "other")
    )
    assert set(own) == {"holds"}
    assert "violated" in others


def test_isspacep_tells_whose_memory_it_is(write: Write) -> None:
    body = """
    __shared__ int tile;
    int* there = cluster.map_shared_rank(&tile, other);
    asm volatile("{ .reg .pred p, q, r; isspacep.shared::cta p, %1; isspacep.shared::cluster q, %1; isspacep.shared r, %2;"
                 "selp.b32 %0, 1, 0, p; @q add.u32 %0, %0, 2; @r add.u32 %0, %0, 4; }"
                 : "=r"(out[rank]) : "l"(there), "l"(&tile));
"""
    assert answers(write(text(body, "required out[0] == 6"))) == ["holds"]


def test_a_rank_beyond_the_cluster(write: Write) -> None:
    body = "__shared__ int tile; cluster.sync(); *cluster.map_shared_rank(&tile, 2) = 1; cluster.sync();"
    assert "violated" in answers(write(text(body, "forbidden n == 1")))


@pytest.mark.parametrize(("rank", "verdict"), [("n", "holds"), ("n + 1", "violated"), ("n + 2", "violated")])
@pytest.mark.sampled(2)
def test_a_rank_that_is_read_from_memory(rank: str, verdict: str, write: Write) -> None:
    body = f"""
    __shared__ int tile;
    tile = 10 + rank;
    cluster.sync();
    out[rank] = *cluster.map_shared_rank(&tile, {rank});
    cluster.sync();
"""
    assert answers(write(text(body, "required out[0] == 10 && out[1] == 10")))[0] == verdict


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("*cluster.map_shared_rank(&n, other) = 1;", "an address in another block, of what is not in shared memory"),
        ("out[rank] = cluster.query_shared_rank(&n);", "the rank of what is not in shared memory"),
        ("__cluster_barrier_arrive(); n = 1;", "half of a barrier of a cluster"),
        ("__cluster_barrier_arrive(); __cluster_barrier_arrive();", "half of a barrier of a cluster"),
        ("__cluster_barrier_wait();", "half of a barrier of a cluster"),
        ('__cluster_barrier_arrive(); asm("exit;");', "half of a barrier of a cluster"),
        ('asm("barrier.cluster.wait.relaxed;");', "`barrier.cluster.wait.relaxed` is outside the modelled subset"),
    ],
)
@pytest.mark.sampled(4)
def test_what_is_refused(body: str, said: str, write: Write) -> None:
    assert said in refused(write(text(body)))


def test_the_example_hardware_has_no_such_memory(write: Write) -> None:
    path = write(text("__shared__ int tile[2];" + EXCHANGE, "required out[0] == 12 under hrf0-hw"))
    assert "nothing that the example hardware has" in refused(path)
