"""``scopec weaken`` and barriers that are objects, mbarriers, fences of proxies, halves of a cluster's barrier; what is
named because nobody tries it; blocks of more than one warp."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from scopec.advice.larger import WARPS, larger
from scopec.advice.places import places
from scopec.base.source import Source
from scopec.report import json as of_json
from scopec.report import weaker
from tests.test_weaken import EXCHANGE, SCHEMA, found, handover, saved

# ---------------------------------------------------------------- places


def spelt(name: str, text: str) -> dict[str, list[tuple[str, str]]]:
    """Of each place its steps, one after the other: what each saves, and what is left of the place then."""
    source = Source(name, text)
    of: dict[str, list[tuple[str, str]]] = {}
    for place in sorted(places(source), key=lambda one: one.span):
        taken: frozenset[str] = frozenset()
        steps = of[f"{place.span.line}:{place.span.column}"] = []
        for step in place.steps:
            assert step.needs <= taken
            taken |= {step.name}
            changes = sorted(place.changes(source, taken))
            steps.append((step.saves, " | ".join(one.text for one in changes)))
    return {at: steps for at, steps in of.items() if steps}


OBJECTS = """\
void k() {
    bar.wait(bar.arrive());
    auto token = bar.arrive();
    bar.wait(std::move(token));
    barrier::arrival_token second = full[i % 2].arrive(2);
    if (WAIT) full[i % 2].wait(second);
    auto third = cuda::device::barrier_arrive_tx(bar, 1, 4);
    bar.wait(std::move(third));
    auto used = bar.arrive();
    keep(&used);
    bar.wait(std::move(used));
    auto all = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(all));
    flag.wait(old);
"""


def test_an_arrival_and_its_wait() -> None:
    """A wait goes, then the arrival with it, if nothing else has its token; a cluster's only together."""
    one, gone = "barrier of an object", [("barrier of an object", "")]
    assert spelt("p.cu", OBJECTS) == {
        "2:5": [(one, "(void)bar.arrive()"), (one, "")],
        "4:5": [(one, ""), (one, " | ")],
        "6:15": [(one, ";"), (one, " | ;")],
        "8:5": gone,
        "11:5": gone,
        "13:5": [("barrier of a cluster", " | ")],
    }


FUNCTIONS = """\
namespace ptx = cuda::ptx;
    ptx::fence_proxy_async();
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence(ptx::sem_sc, ptx::scope_sys);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, at);
    ptx::mbarrier_arrive(at);
    while (!ptx::mbarrier_try_wait_parity(at, s)) {}
    ptx::mbarrier_arrive_no_complete(ptx::sem_release, ptx::scope_cta, ptx::space_shared, at, 1);
    mbarrier_arrive(at);
"""


def test_functions_of_ptx() -> None:
    half, free = "half of a proxy fence", "ptx::sem_relaxed, ptx::scope_cta, "
    assert spelt("p.cu", FUNCTIONS) == {
        "2:5": [(half, "ptx::fence_proxy_async(ptx::space_shared)"), (half, "")],
        "3:5": [("proxy fence", "")],
        "4:5": [("fence", "")],
        "5:5": [
            ("seq_cst of a fence", "sem_acq_rel"), ("system of a fence", "sem_acq_rel | gpu"),
            ("device of a fence", "sem_acq_rel | cta"), ("fence", ""),
        ],
        "6:5": [("release", "ptx::sem_relaxed"), ("barrier of a cluster", " | ")],
        "9:35": [("release", "relaxed")],
        "9:55": [("cluster", "cta")],
        "10:26": [("release", f"{free}ptx::space_shared, ")],
        "11:43": [("acquire", free)],
    }  # fmt: skip


INSTRUCTIONS = """\
    mbarrier.arrive.shared::cta.b64 _, [%rd1];
    mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%rd1], 4;
    mbarrier.arrive.noComplete.shared::cta.b64 %rd2, [%rd1], 1;
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [%rd1], 0;
    mbarrier.test_wait.acquire.cluster.shared::cta.b64 %p1, [%rd1], %rd2;
    fence.proxy.async;
    fence.proxy.async.global;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
"""


def test_instructions_of_the_asynchronous_side() -> None:
    half, cluster = "half of a proxy fence", "barrier of a cluster"
    assert spelt("p.ptx", INSTRUCTIONS) == {
        "1:20": [("release", ".relaxed.cta")],
        "2:31": [("release", "relaxed")],
        "2:39": [("cluster", "cta")],
        "4:29": [("acquire", ".relaxed.cta")],
        "5:24": [("acquire", "relaxed")],
        "5:32": [("cluster", "cta")],
        "6:5": [(half, "fence.proxy.async.shared::cluster"), (half, "")],
        "7:5": [("proxy fence", "")],
        "8:5": [("fence", "")],
        "9:5": [("release", ".relaxed"), (cluster, " | ")],
    }
    table = "PTX p\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n fence.proxy.surface ;\n"
    assert spelt("p.litmus", table) == {"4:2": [("proxy fence", " " * 20)]}


# ---------------------------------------------------------------- programs

MET = """\
#include <cuda/barrier>
__device__ int data[2];
__global__ void k() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1;
    MEET
    int other = data[1 - threadIdx.x];
    assert(other == 2 - threadIdx.x);
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""


@pytest.mark.sampled(0)
def test_a_barrier_of_an_object_goes_where_another_does_the_same(tmp_path: Path) -> None:
    of = found(
        tmp_path,
        MET.replace("MEET", "auto token = bar.arrive();\n    bar.wait(std::move(token));\n    __syncthreads();"),
    )
    gone = {"`auto token = bar.arrive();` goes", "`bar.wait(std::move(token));` goes"}
    assert any(gone <= set(one) for one in saved(of))


@pytest.mark.sampled(0)
def test_a_barrier_of_an_object_that_is_needed_stays(tmp_path: Path) -> None:
    of = found(tmp_path, MET.replace("MEET", "bar.wait(bar.arrive());"))
    assert not any("bar." in line for one in saved(of) for line in one)
    wait = next(one for one in of.needed if "wait(" in of.run.source.text_of(one.place.span))
    assert wait.reason == "`race_free` is violated"


FENCED = """\
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) int out[4];
__global__ void k() {
    alignas(16) __shared__ int tile[4];
    tile[0] = 1;
    FENCE
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    assert(out[0] == 1);
}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""


@pytest.mark.parametrize(
    ("fence", "expected"),
    [
        ("ptx::fence_proxy_async();", [["`ptx::fence_proxy_async()` becomes `ptx::fence_proxy_async(ptx::space_shared)`"]]),
        ("ptx::fence_proxy_async(ptx::space_shared);", []),
        ('asm volatile("fence.proxy.async;" ::: "memory");',
         [["`fence.proxy.async` becomes `fence.proxy.async.shared::cta`"]]),
    ],
)  # fmt: skip
@pytest.mark.sampled(1)
def test_a_fence_of_a_proxy_is_as_wide_as_what_is_copied(tmp_path: Path, fence: str, expected: list[list[str]]) -> None:
    assert saved(found(tmp_path, FENCED.replace("FENCE", fence))) == expected


# ---------------------------------------------------------------- what nobody tries


def test_what_synchronises_and_is_not_tried_is_named(tmp_path: Path) -> None:
    """In a file that is included, by an operator, and in a macro that is defined there; not by a macro or constant of the file."""
    (tmp_path / "flags.h").write_text(
        "#pragma once\n#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};\n"
        "inline __device__ void set() { flag.store(1); }\n#define FENCE() __threadfence()\n",
        encoding="utf-8",
    )
    text = """\
#include "flags.h"
#define HERE() __threadfence_system()
constexpr auto ORDER = cuda::memory_order_seq_cst;
__device__ int x;
__global__ void k() {
    int r = 1;
    if (blockIdx.x == 0) {
        x = 1;
        HERE();
        flag.exchange(0, ORDER);
        FENCE();
        set();
    } else if (flag == 1) {
        r = x;
    }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect required k[1][0].r == 1;
"""
    of = found(tmp_path, text)
    assert {(Path(span.file).name, span.line) for span in of.untried} == {("flags.h", 4), ("p.cu", 11), ("p.cu", 13)}
    said = "\n".join(weaker.lines(of, 200))
    assert "synchronises, and was not tried: line 11, 13; " in said
    assert "flags.h 4 (an included file)" in said
    document = json.loads(of_json.text(weaker.document(of, 0.0)))
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert len(document["untried"]) == 3
    assert "not tried" not in "\n".join(weaker.lines(found(tmp_path, handover("system")), 200))


# ---------------------------------------------------------------- more than one warp


@pytest.mark.sampled(0)
def test_a_barrier_that_becomes_one_of_a_warp_is_asked_of_blocks_of_two_warps(tmp_path: Path) -> None:
    """Two threads are of one warp, 64 of two, for which the program is made too: what holds of one warp alone fails."""
    text = EXCHANGE.replace("part[2]", "part[64]").replace("1 - threadIdx.x", "blockDim.x - 1 - threadIdx.x")
    of = found(tmp_path, text.replace("BARRIERS", "__syncthreads();"))
    assert of.larger[-1].launches == ("exchange<<<1, 64>>>",)
    assert of.larger[-1].before.holds
    assert saved(of) == []
    (needed,) = of.needed
    assert needed.reason.startswith("at exchange<<<1, 64>>> ")


@pytest.mark.parametrize(("threads", "more"), [("1", "64"), ("3", "48"), ("31", "62"), ("32", "64"), ("33", None)])
def test_blocks_of_more_warps(threads: str, more: str | None) -> None:
    source = Source("p.cu", f"//@ launch k<<<1, {threads}>>>();\n")
    assert [one.text for changes in larger(source, WARPS) for one in changes] == ([more] if more else [])
