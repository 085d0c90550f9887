"""mbarriers in whole programs, as libraries and compilers write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scopec.base.files import read_source
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.program import lower, read
from scopec.program import ir
from scopec.program.show import words
from tests.conftest import program_of
from tests.mbarrier_texts import HEAD, by_line

# ---------------------------------------------------------------- as libraries write it

CUTLASS = """
struct ClusterBarrier {
    uint64_t barrier_;
    __device__ static void init(uint64_t const* p, uint32_t count) {
        uint32_t smem = at((void*)p);
        asm volatile("{\\n\\tmbarrier.init.shared::cta.b64 [%1], %0; \\n}" :: "r"(count), "r"(smem));
    }
    __device__ static void wait(uint64_t const* p, uint32_t phase) {
        asm volatile("{\\n\\t.reg .pred       P1;\\n\\tLAB_WAIT:\\n\\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\\n\\t"
                     "@P1 bra DONE;\\n\\tbra     LAB_WAIT;\\n\\tDONE:\\n\\t}" :: "r"(at((void*)p)), "r"(phase));
    }
    __device__ static void arrive(uint64_t const* p, uint32_t cta_id, uint32_t pred) {
        asm volatile("{\\n\\t.reg .pred p;\\n\\t.reg .b32 remAddr32;\\n\\tsetp.eq.u32 p, %2, 1;\\n\\t"
                     "@p mapa.shared::cluster.u32  remAddr32, %0, %1;\\n\\t"
                     "@p mbarrier.arrive.shared::cluster.b64  _, [remAddr32];\\n\\t}" :: "r"(at((void*)p)), "r"(cta_id), "r"(pred));
    }
};
__global__ void k() {
    __shared__ ClusterBarrier ring[2];
    for (int n = 0; n < 2; n++) ClusterBarrier::init(&ring[n].barrier_, 1);
    uint32_t stage = 0, phase = 0;
    for (int n = 0; n < 4; n++) {
        ClusterBarrier::arrive(&ring[stage].barrier_, 0, 1);
        ClusterBarrier::wait(&ring[stage].barrier_, phase);
        if (++stage == 2) stage = 0, phase ^= 1;
    }
}
//@ launch k<<<1, 1>>>();
"""


def test_a_ring_as_cutlass_has_it() -> None:
    found = program_of(HEAD + CUTLASS, reader="clang")
    operations = [node.operation for node in found.grids["k"].body.nodes.values() if isinstance(node, ir.Do)]
    assert found.objects["k.ring[].barrier_"].use is ir.Use.MBARRIER
    done = {words(one)[0].partition(" = ")[2] or words(one)[0] for one in operations if hasattr(one, "fault")}
    each = {
        f"{operation} k.ring[].barrier_{stage}{rest}"
        for stage in ("", "[1]")
        for operation, rest in (("barrier", " of 1"), ("arrive.release.block", " by 1"))
    }
    assert each <= done
    waits = [one for one in operations if isinstance(one, ir.BarrierTest)]
    parities = {words(one)[0].rpartition(" != ")[2] for one in waits}
    assert (len({one.place.index for one in waits}), parities) == (2, {"0", "1"})


# ---------------------------------------------------------------- files of PTX

PTX = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .pred %p<2>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	.shared .align 8 .b8 bars[16];
	.shared .align 16 .b8 tile[16];
	ld.param.u64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd2, %rd1;
	{ .reg .u32 %tmp; cvta.to.shared.u32 %tmp, tile; mov.u32 %r2, %tmp; }
	{ .reg .u32 %tmp; mov.u32 %tmp, bars; add.s32 %r1, %tmp, 8; }
	mbarrier.init.shared::cta.b64 [%r1], 1;
	mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], 16;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 16, [%r1];
$L: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bars+8], 0;
	@!%p1 bra $L;
	ld.shared.u32 %r3, [tile];
	ret;
}
//@ object __device__ alignas(16) int x[4];
//@ launch k<<<1, 1>>>(x);
"""


def test_a_file_of_ptx(write: Callable[..., Path]) -> None:
    source = read_source(write(PTX, "k.ptx"))
    found = lower(read(source), source, Path(), "k.ptx", {}, Flags(), None)
    bars = found.objects["k.bars"]
    assert (bars.use, len(bars.values)) == (ir.Use.MBARRIER, 2)
    lines = [line for lines in by_line(found) for line in lines]
    assert "copy async, complete at an mbarrier" in lines
    assert "r0 = test.acquire.block k.bars[1] whether r0 % 2 != 0" in lines
