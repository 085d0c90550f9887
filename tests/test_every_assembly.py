"""All launches: inline assembly in kernels is what its instructions are, or named where these are not modelled."""

from __future__ import annotations

import random

import pytest

from scopec.session.check import Settings, check
from tests.all_launches import is_proved, races, uniform, verdicts

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x; int v = 0;"
_TILE = "__shared__ int s[64]; s[threadIdx.x] = i;"
_READS_TILE = "a[i] = s[63 - threadIdx.x];"


def _kernel(body: str) -> str:
    return f"__global__ void k(int* a, const int* b, int* n, int m) {{ {_I} {body} }}"


#: Each beside its opposite: a change of one word.
PROVED = {
    "a special register": 'asm("mov.u32 %0, %%tid.x;" : "=r"(v)); a[blockIdx.x * blockDim.x + v] = 1;',
    "a lane as data": 'asm("mov.u32 %0, %%laneid;" : "=r"(v)); a[i] = v;',
    "a load": 'if (i < m) { asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(b + i)); a[i] = v; }',
    "two stores at once": 'asm volatile("st.global.v2.s32 [%0], {%1, %1};" :: "l"(a + 2 * i), "r"(i));',
    "a store under a predicate": 'asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p st.global.s32 [%0], 1; }"'
    ' :: "l"(a), "r"(i), "r"(1));',
    "an exclusive or": 'asm("xor.b32 %0, %1, %2;" : "=r"(v) : "r"(i), "r"(4)); a[v] = 1;',
    "bits as data": 'asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(v) : "r"(i), "r"(m), "r"(3)); a[i] = v;',
    "a hint": 'asm volatile("prefetch.global.L2 [%0];" :: "l"(a + i + 1)); a[i] = 1;',
    "an atomic addition": 'asm volatile("red.global.add.s32 [%0], 1;" :: "l"(a));',
    "a ticket": 'asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(v) : "l"(n)); a[v] = 1;',
    "an exchange": 'asm volatile("atom.global.cas.b32 %0, [%1], 0, 1;" : "=r"(v) : "l"(n)); a[i] = v;',
    "a barrier of the block": f'{_TILE} asm volatile("bar.sync 0;"); {_READS_TILE}',
    "no text": 'asm volatile("" : "+r"(i) :: "memory"); a[i] = 1;',
    "a shuffle": 'asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(v) : "r"(i)); a[i] = v;',
    "the end of a thread": 'if (i > 0) asm volatile("exit;"); a[0] = 1; a[i] = 2;',
}

RACED = {
    "a special register": 'asm("mov.u32 %0, %%tid.x;" : "=r"(v)); a[v] = 1;',
    "a lane": 'asm("mov.u32 %0, %%laneid;" : "=r"(v)); a[v] = 1;',
    "a load of what is written": 'asm volatile("ld.global.s32 %0, [%1];" : "=r"(v) : "l"(a + i + 1)); a[i] = v;',
    "two stores at once": 'asm volatile("st.global.v2.s32 [%0], {%1, %1};" :: "l"(a + i), "r"(i));',
    "a store under a predicate": 'asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p st.global.s32 [%0], 1; }"'
    ' :: "l"(a), "r"(i), "r"(2));',
    "an and": 'asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(v) : "r"(i), "r"(-1), "r"(1)); a[v] = 1;',
    "a ticket for two": 'asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(v) : "l"(n)); a[v / 2] = 1;',
    "an atomic addition, and a write": 'asm volatile("red.global.add.s32 [%0], 1;" :: "l"(a)); a[i] = 1;',
    "a barrier of some": f'{_TILE} asm volatile("bar.sync 0, 32;"); {_READS_TILE}',
    "a barrier for the compiler": f'{_TILE} asm volatile("" ::: "memory"); {_READS_TILE}',
    "the end of a warp's other lanes": 'if (i > 1) asm volatile("exit;"); a[0] = 1;',
}


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_what_assembly_no_launch_races_is_proved(tmp_path, name):
    assert is_proved(tmp_path, _kernel(PROVED[name]))


@pytest.mark.parametrize("name", RACED)
def test_a_race_by_assembly_is_no_proof(tmp_path, name):
    assert not is_proved(tmp_path, _kernel(RACED[name]))


@pytest.mark.parametrize("name", [name for name in RACED if name != "a ticket for two" and "barrier" not in name])
@pytest.mark.sampled(1)
def test_a_race_by_assembly_is_shown_by_a_launch(tmp_path, name):
    assert verdicts(tmp_path, _kernel(RACED[name]))["race_free"] == "violated"


@pytest.mark.parametrize(("leaves", "expected"), [("blockIdx.x > m", "holds"), ("i > m", "violated")])
@pytest.mark.sampled(1)
def test_a_barrier_of_assembly_is_one_that_all_threads_come_to_or_not(tmp_path, leaves, expected):
    assert uniform(tmp_path, _kernel(f'if ({leaves}) return; asm volatile("bar.sync 0;");')) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('asm volatile("tcgen05.fence::before_thread_sync;");', "the library's `tensor_fence`"),
        (
            'asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(v) : "l"(a));',
            "inline assembly: `ldmatrix.sync.aligned.m8n8.x1.b16`",
        ),
        ('asm("mov.u32 %0, %%nothing;" : "=r"(v));', "inline assembly: the special register `%nothing`"),
        ('asm volatile("cp.async.wait_all;");', "the library's"),
    ],
)
@pytest.mark.sampled(2)
def test_what_is_not_modelled_of_assembly_is_named(tmp_path, text, said):
    file = tmp_path / "k.cu"
    file.write_text(_kernel(f"{text} a[i] = v;") + "\n//@ every k;\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings())
    (found,) = [c for r in outcome.reports for c in r.checks]
    assert (found.verdict, said in (found.reason or "")) == ("unknown", True), found.reason


def _chance(seed: int) -> str:
    """A kernel that writes where some instructions of PTX lead."""
    pick = random.Random(seed)
    first, second = pick.choice((1, 2, 3, 4, 8)), pick.choice((0, 1, 2, 5))
    one = pick.choice((
        f"lop3.b32 %0, %1, {first}, {second}, {pick.choice(('0x96', '0x80', '0xEA', '0x3C'))};",
        f"bfe.u32 %0, %1, {second}, {first};",
        f"mad.lo.s32 %0, %1, {first}, {second};",
        f"shl.b32 %0, %1, {first};", f"shr.u32 %0, %1, {first};", f"rem.u32 %0, %1, {first};",
        f"xor.b32 %0, %1, {first};", f"min.s32 %0, %1, {first};", f"sub.s32 %0, {first}, %1;",
        f"{{ .reg .pred p; setp.lt.s32 p, %1, {first}; selp.s32 %0, %1, {second}, p; }}",
    ))  # fmt: skip
    return _kernel(f'asm("{one}" : "=r"(v) : "r"(i)); a[v + 64] = 1;')


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sampled(1)
def test_no_size_races_of_what_is_proved_of_instructions_by_chance(tmp_path, seed):
    text = _chance(seed)
    if is_proved(tmp_path, text):
        for blocks, threads in ((1, 2), (2, 1), (2, 3), (3, 4)):
            launch = f"int main() {{ int* a; cudaMalloc(&a, 4096); k<<<{blocks}, {threads}>>>(a, a, a, 1); }}"
            assert races(tmp_path, text, launch) == "holds", (text, launch)
