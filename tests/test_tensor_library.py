"""cuda::ptx's functions of tensor memory: each does what its instruction does."""

from __future__ import annotations

import pytest

from scopec.base.diagnostics import InputError
from scopec.program import ir
from tests.conftest import program_of

TEXT = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ uint32_t out[4];
__global__ void k() {
    alignas(1024) __shared__ uint64_t m[512];
    __shared__ uint32_t address;
    ptx::tcgen05_alloc(ptx::cta_group_1, &address, 64);
    const uint32_t d = address, s = 1 << 4 | 8 / 8 << 17 | 64 / 16 << 24, none[4] = {};
    const uint64_t b = ((uint32_t)__cvta_generic_to_shared(m) & 0x3FFFF) >> 4 | 1ul << 46 | 8ul << 16 | 16ul << 32;
    uint32_t r[4] = {1, 2, 3, 4};
    CODE;
    for (int n = 0; n < 4; n++) out[n] = r[n];
    ptx::tcgen05_dealloc(ptx::cta_group_1, d, 64);
}
//@ launch k<<<1, 1>>>();
"""
ONE = "ptx::cta_group_1"
_OUT = ", ".join(f'"=r"(r[{n}])' for n in range(4))
_IN = ", ".join(f'"r"(r[{n}])' for n in range(4))


def _product(kind: str, a: str, value: str) -> str:
    code = f"{{ .reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.kind::{kind} [%0], {a}, %2, %3, p; }}"
    return f'asm volatile("{code}" :: "r"(d), {value}, "l"(b), "r"(s), "r"(1) : "memory")'


def _load(shape: str, form: str) -> str:
    return f'asm volatile("tcgen05.ld.sync.aligned.{shape}.{form}.b32 {{%0, %1, %2, %3}}, [%4];" : {_OUT} : "r"(d))'


def _store(shape: str, form: str) -> str:
    code = f"tcgen05.st.sync.aligned.{shape}.{form}.b32 [%4], {{%0, %1, %2, %3}};"
    return f'asm volatile("{code}" :: {_IN}, "r"(d) : "memory")'


def _copy(shape: str) -> str:
    return f'asm volatile("tcgen05.cp.cta_group::1.{shape} [%0], %1;" :: "r"(d), "l"(b) : "memory")'


#: A call, and the instruction that it is.
FUNCTIONS = {
    **{
        f"ptx::tcgen05_mma(ptx::kind_{kind}, {ONE}, d, b, b, s, true)": _product(kind, "%1", '"l"(b)')
        for kind in ("f16", "tf32", "f8f6f4", "i8")
    },
    f"ptx::tcgen05_mma(ptx::kind_f16, {ONE}, d, b, b, s, true, ptx::n32_t<2>())": _product("f16", "%1", '"l"(b)'),
    f"ptx::tcgen05_mma(ptx::kind_i8, {ONE}, d, b, b, s, none, true)": _product("i8", "%1", '"l"(b)'),
    f"ptx::tcgen05_mma_tmem_a(ptx::kind_tf32, {ONE}, d, d + 8, b, s, true)": _product("tf32", "[%1]", '"r"(d + 8)'),
    **{
        f"ptx::tcgen05_cp_{shape.replace('.', '_').replace('::', '_')}({ONE}, d, b)": _copy(shape)
        for shape in (
            "128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"
        )
    },
    f"ptx::tcgen05_shift_down({ONE}, d)": 'asm volatile("tcgen05.shift.cta_group::1.down [%0];" :: "r"(d) : "memory")',
    **{
        code: instruction
        for shape, each in (("32x32b", 1), ("16x64b", 1), ("16x128b", 2), ("16x256b", 4))
        for code, instruction in (
            (f"ptx::tcgen05_ld_{shape}(r, d)", _load(shape, f"x{4 // each}")),
            (f"ptx::tcgen05_ld_{shape}_pack_16b(r, d)", _load(shape, f"x{4 // each}.pack::16b")),
            (f"ptx::tcgen05_st_{shape}(d, r)", _store(shape, f"x{4 // each}")),
            (f"ptx::tcgen05_st_{shape}_unpack_16b(d, r)", _store(shape, f"x{4 // each}.unpack::16b")),
        )
    },
}  # fmt: skip


def done(code: str) -> list[object]:
    """What the thread does to memory, without the names of what it reads, and how it waits and meets others."""
    body = program_of(TEXT.replace("CODE", code), reader="clang").grids["k"].body
    operations = [node.operation for node in body.nodes.values() if isinstance(node, ir.Do)]
    return [
        (type(o), o.place, isinstance(o, ir.Load)) if isinstance(o, ir.Load | ir.Store) else o
        for o in operations
        if isinstance(o, ir.Load | ir.Store | ir.Agent)
    ]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_its_instruction(function: str) -> None:
    found = done(function)
    assert found == done(FUNCTIONS[function])
    assert sum(isinstance(one, ir.Agent) for one in found) == 2


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, d, b, b, s, true)", "of two blocks"),
        ("ptx::tcgen05_shift_down(ptx::cta_group_2, d)", "of two blocks"),
        (
            "ptx::tcgen05_mma(ptx::kind_t<ptx::dot_kind::mxf4>(), ptx::cta_group_1, d, b, b, s, true)",
            "kind_f16, kind_tf32",
        ),
        ("uint32_t q[3]; ptx::tcgen05_ld_32x32b(q, d)", "as many registers as an instruction has"),
        ("ptx::tcgen05_mma_block_scale_vec_1x(ptx::kind_f16, ptx::cta_group_1, d, b, b, s, d, d, true)", "block_scale"),
    ],
)
def test_what_is_refused(code: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        done(code)
