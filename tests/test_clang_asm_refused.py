"""Inline PTX: what is refused, and what is mistyped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.syntax import read
from scopec.program import ir, types
from scopec.program.values import Const
from scopec.session.check import Settings, check
from scopec.session.plan import plan
from tests.test_clang_asm import BY_CLANG, answers, asm
from tests.test_clang_asm_numbers import ONE_THREAD

# ---------------------------------------------------------------- what is refused

REFUSED = {
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%0, {%0}], [%0];": "copies of tensors come later",
    "fence.proxy.alias;": "proxies come later",
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;": "proxies come later",
    "fence.acquire.sync_restrict::shared::cluster.cluster;": "outside the modelled subset",
    "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%0, %0}, %0, [%0];": "reductions of tensor memory come later",
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;": "an instruction of two blocks (.cta_group::2)",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], 3;": "in several blocks",
    "tcgen05.mma.ws.cta_group::1.kind::f16 [%0], 0, 0, 0, 1;": "outside the modelled subset of PTX",
    "tcgen05.mma.sp.cta_group::1.kind::f16 [%0], 0, 0, [%0], 0, 1;": "outside the modelled subset of PTX",
    "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%0], 0, 0, 0, [%0], [%0], 1;": "multiplication with scaled blocks",
    "tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b6x16_p32 [%0], 0;": "outside the modelled subset of PTX",
    "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0}, [%0];": "has 2 registers",
    "tcgen05.ld.sync.aligned.16x256b.x64.b32 {%0}, [%0];": "at most 128 registers",
    "tcgen05.fence::before;": "outside the modelled subset of PTX",
    "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 %0, %0, %0, %0, 0, 1;": "matrices of which elements are left out come",
    "barrier.cluster.arrive.acquire;": "outside the modelled subset of PTX",
    "red.async.release.gpu.add.u32 [%0], 1;": "asynchronous reductions of global memory come later",
    "multimem.red.release.sys.global.add.u32 [%0], 1;": "accesses of multicast memory come later",
    "discard.global.L2 [%0], 128;": "writes of what is not known come later",
    "vote.ballot.b32 %0, p;": "outside the modelled subset of PTX",
    "ld.mmio.u32 %0, [%0];": "write .mmio.relaxed.sys",
    "setp.lo.s32 %0, 1, 2;": "outside the modelled subset of PTX",
    "isspacep.const %0, %0;": "a test for this state space",
    "st.acquire.gpu.u32 [%0], 1;": "st can be weak, relaxed, release",
    "st.release.u32 [%0], 1;": "write st.release.u32.gpu",
    "st.release.gpu [%0], 1;": "add one, such as .u32",
    "red.relaxed.gpu.u32 [%0], 1;": "one of exch",
    "ld.weak.u32 r, [%0];": "there is no register `r`",
    "elect.sinc _|p, 1;": "",
    "bra L;": "there is no label `L`",
    "membar.gl": "expected",
    "vadd2.u32.u32.u32 %0, 1, 2, 3;": "outside the modelled subset of PTX",
    "vadd.u32.u32.u32 %0, 1, 2, 3;": "video instructions come later",
    "tex.1d.v4.s32.s32 {%0, %0, %0, %0}, [%0, {%0}];": "textures and surfaces come later",
    "ld.u32 %0, [%0, {%0}];": "an address is wanted here",
    "max.relu.u32 %0, 1, 2;": "outside the modelled subset of PTX",
    "add.relu.s16x2 %0, 1, 2;": "outside the modelled subset of PTX",
    "cvt.pack.sat.u32.s32 %0, 1, 2;": "outside the modelled subset of PTX",
    "add.sat.u32 %0, 1, 2;": "outside the modelled subset of PTX",
    "mul24.wide.u32 %0, 1, 2;": "outside the modelled subset of PTX",
    "mad.lo.sat.s32 %0, 1, 2, 3;": "outside the modelled subset of PTX",
    "st.u32 [%0], 1, 2;": "takes 2 operands, 3 given",
    "mov.u32 %%r1, 1;\\n\\tmov.u32 %%r2 1;": "unexpected `1`, expected `+`, `,`, `;`, `[` or `|` (line 2 of the assembly)",
    "{ .reg .b256 r; }": "a register of type `.b256`",
    "{ .reg .b128 r; and.b128 r, r, r; }": "numbers of .b128 are moved and accessed alone",
    "{ .reg .b128 r; atom.add.b128 r, [%0], r; }": ".b128 is for ld, st, atom.exch and atom.cas",
    "{ .reg .b128 r; red.exch.b128 [%0], r; }": ".b128 is for ld, st, atom.exch and atom.cas",
    "{ .reg .b128 r; ld.v2.b128 {r, r}, [%0]; }": ".b128 is for ld, st, atom.exch and atom.cas of one element",
    "{ .reg .b128 r; ld.relaxed.gpu.b128 r, [%0]; }": "an access of 16 bytes that is not one number of `v`",
}


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.sampled(21)
def test_what_is_not_modelled_is_refused_by_its_name(text: str, write: Callable[..., Path]) -> None:
    path = write(ONE_THREAD.replace("BODY", asm(text, ':: "l"(v) :')))
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded"))
    (found,) = [d for d in outcome.diagnostics if d.severity == "error"]
    assert REFUSED[text] in f"{found.message} {found.help}"
    assert (found.span.line, found.span.column) == (17, 5)


def test_an_address_is_in_the_state_space_that_is_named(write: Callable[..., Path]) -> None:
    for space, where, verdict in (("shared", "v", "violated"), ("global", "v", "holds"), ("global", "own", "violated")):
        body = asm(f"st.{space}.u32 [%0], 1;", f':: "l"({where}) :')
        assert answers(write(ONE_THREAD.replace("BODY", body)))[-1] == verdict


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("threads", "count", "warps"),
    [
        (2, "", 1),
        (2, ", 64", 2),
        (33, "", 2),
        (33, ", 64", 2),
        (33, ", 96", 3),
        (64, ", 32", 1),
        (64, ", 40", None),
        (2, ", 2", None),
    ],
)
def test_a_count_is_of_warps(threads: int, count: str, warps: int | None, write: Callable[..., Path]) -> None:
    """ "Operand b specifies the number of threads participating in the barrier" (PTX ISA, "bar"), by whole warps."""
    number = count.removeprefix(", ") or "0"
    text = asm(f"bar.sync 1{', %0' * bool(count)};", f':: "r"({number}) :')
    path = write(f"__global__ void k() {{ {text} }}\nint main() {{ k<<<1, {threads}>>>(); }}\n//@ expect undefined;\n")
    (run,) = plan(path, path.name, BY_CLANG).runs
    found = [node.operation for node in run.program.grids["k"].body.nodes.values() if isinstance(node, ir.Do)]
    named = {(one.name, one.count) for one in found if isinstance(one, ir.NamedBarrier)}
    assert named == (set() if warps is None else {((Const(1, types.INT),), Const(warps, types.INT))})
    assert answers(path) == ["violated" if warps else "holds"]


def test_warps_that_meet_give_one_count(write: Callable[..., Path]) -> None:
    text = asm("bar.sync 1, %0;", ':: "r"(32 + threadIdx.x / 32 * 32) :')
    path = write(f"__global__ void k() {{ {text} }}\nint main() {{ k<<<1, 64>>>(); }}\n//@ expect race_free;\n")
    with pytest.raises(InputError, match="give it different counts"):
        plan(path, path.name, BY_CLANG)


ELECTION = """
__device__ int count, same, who;
#define ELECT(mask, lane, leads) \\
    asm volatile("{ .reg .pred p; elect.sync %0|p, " mask "; selp.b32 %1, 1, 0, p; }" : "=r"(lane), "=r"(leads))
__global__ void k() {
    unsigned first, second, leads;
    ELECT("0xffffffff", first, leads);
    if (leads) {
        atomicAdd(&count, 1);
        who = threadIdx.x;
    }
    __syncwarp();
    ELECT("MASK", second, leads);
    if (first == second) atomicAdd(&same, 1);
}
//@ launch k<<<1, 3>>>();
//@ expect required count == 1;
//@ expect allowed who == 0;
//@ expect allowed who == 1;
//@ expect allowed who == 2;
//@ expect required same == 3;
"""


@pytest.mark.parametrize(("mask", "verdict"), [("0xffffffff", "holds"), ("7", "violated")])
def test_any_lane_may_lead_and_it_is_the_same_where_the_mask_is(
    mask: str, verdict: str, write: Callable[..., Path]
) -> None:
    assert answers(write(ELECTION.replace("MASK", mask))) == ["holds"] * 4 + [verdict]


def test_another_leads_where_the_leader_has_exited(write: Callable[..., Path]) -> None:
    before, second = ELECTION.split("    __syncwarp();\n")
    _, after = second.split("}\n", 1)
    text = f"""{before}    if (leads) return;
    ELECT("0xffffffff", second, leads);
    if (leads) atomicAdd(&same, 1);
}}
{after.replace("same == 3", "same == 1")}"""
    assert answers(write(text)) == ["holds"] * 5


def test_a_text_is_read_as_it_is_written() -> None:
    block = read(Source("asm", "{ .reg .pred p; @!p ld.global.L2::128B.v2.u32 {a, b}, [%rd1 + -4]; L: bra L; }"))
    (inner,) = block.items
    assert isinstance(inner, forms.Block)
    declaration, load, label, jump = inner.items
    assert isinstance(declaration, forms.Declaration)
    assert isinstance(label, forms.Label)
    assert isinstance(jump, forms.Instruction)
    assert isinstance(load, forms.Instruction)
    assert load.operation == ("ld", "global", "L2::128B", "v2", "u32")
    assert load.guard is not None
    assert not load.guard.truth
    vector, element = load.operands
    assert isinstance(vector, forms.Vector)
    assert isinstance(element, forms.Element)
    assert (element.name, element.offset) == ("%rd1", -4)
    assert table.access(load).hint is False


# ---------------------------------------------------------------- as libraries write it, and mistyped

IMMEDIATE = """
#include <cassert>
__device__ unsigned v[4] = {1, 2, 3, 4};
__global__ void k() {
    unsigned r;
    asm volatile("ld.global.u32 %0, [%1 + %2*2];" : "=r"(r) : "l"(v), "n"(4));
    assert(r == WANTED);
}
//@ launch k<<<1, 1>>>();
"""


@pytest.mark.parametrize(("wanted", "verdict"), [("3", "holds"), ("2", "violated")])
def test_a_number_is_part_of_a_constant_expression(wanted: str, verdict: str, write: Callable[..., Path]) -> None:
    assert ("violated" in answers(write(IMMEDIATE.replace("WANTED", wanted)))) == (verdict == "violated")


MISTYPED = {
    'asm volatile("ld.aquire.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");': "did you mean `acquire`?",
    'asm volatile("st.release.gpus.global.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory");': "did you mean `gpu`?",
    'asm volatile("red.relese.gpu.global.add.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory");': "did you mean `release`?",
    'asm volatile("fence.acq_rel.gpu" ::: "memory");': "is a `;` missing at the end?",
    'asm volatile("fense.acq_rel.gpu;" ::: "memory");': "did you mean `fence`?",
    'asm volatile("membar.gpu;" ::: "memory");': "write membar.cta, membar.gl or membar.sys",
    'asm volatile("ld.acquire.gpu %0, [%1];" : "=r"(r) : "l"(p) : "memory");': "add one, such as .u32",
    'asm volatile("bar.synk 1, 64;" ::: "memory");': "did you mean `sync`?",
    'asm volatile("bar.sync 16, 64;" ::: "memory");': "write one of these",
    'asm volatile("{ .reg .pred p; AGAIN: setp.eq.s32 p, 1, 0; @p bra AGIAN; }");': "did you mean `AGAIN`?",
    'asm volatile("{ .reg .pred done; setp.eq.s32 doen, 1, 0; }");': "did you mean `done`?",
    'asm volatile("ld.acquire.gpu.u32 %0, [%1+4*];" : "=r"(r) : "l"(p));': "",
    'asm volatile("cp.async.ca.shared.global [%0], [%0], 12;" :: "l"(p));': "write one of these",
    'asm volatile("cp.async.wait_group %0;" :: "r"(int(threadIdx.x)));': "write a constant",
    'asm volatile("cp.async.mbarrier.arrive.shared.u64 [%0];" :: "l"(p));': "cp.async.mbarrier.arrive.shared.b64",
}


@pytest.mark.parametrize("text", MISTYPED)
@pytest.mark.sampled(10)
def test_what_is_mistyped_is_said_with_its_place_and_a_way_out(text: str, write: Callable[..., Path]) -> None:
    path = write(
        f"__global__ void k(int* p) {{\n    int r = 0;\n    {text}\n    *p = r;\n}}\n//@ object __device__ int x;\n//@ launch k<<<1, 1>>>(&x);\n"
    )
    with pytest.raises(InputError) as caught:
        plan(path, path.name, BY_CLANG)
    (wrong,) = caught.value.diagnostics
    assert (wrong.span.line, wrong.span.column) == (3, 5)
    assert wrong.code.id.startswith("SCP")
    assert MISTYPED[text] in (wrong.way_out or "")
    assert wrong.way_out
