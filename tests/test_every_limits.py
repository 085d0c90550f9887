"""All launches: numbers that pass the limits of their registers, of 32 bits and of 64, wherever they count."""

from __future__ import annotations

import pytest

from scopec.session.check import Settings, check
from scopec.sizes.assumptions import LIMITS
from tests.all_launches import is_proved, races

_T = "unsigned t = threadIdx.x; b[t] = 1;"
_U32, _U64 = (1 << 32) - 1, (1 << 64) - 1


def _kernel(parameter: str, body: str) -> str:
    return f"__global__ void k(int* a, int* b, {parameter} m) {{ {_T} {body} }}"


#: Kernels that race where a number passes a limit, the argument with which a block of 5 does, and the limit.
PASSED = {
    "an index of 64 bits": (_kernel("unsigned long long", "if (m > 0 && t % 4 == 0) a[t * m] = 1;"), 1 << 62, (1 << 63) - 1),
    "a comparison of 64 bits": (_kernel("unsigned long long", "if (m > 0 && t * m < 1) a[0] = 1;"), 1 << 62, _U64),
    "an equation": (_kernel("unsigned", "if (m > 0 && t * m == 0u) a[0] = 1;"), 1 << 31, _U32),
    "a dividend": (_kernel("unsigned", "if (m > 0 && t % 2 == 0) a[(t * m) / 2] = 1;"), 1 << 31, _U32),
    "what is shifted": (_kernel("unsigned", "if (m > 0 && t % 2 == 0) a[(t * m) >> 1] = 1;"), 1 << 31, _U32),
    "the lesser of two": (_kernel("unsigned", "if (m > 0 && t % 2 == 0) a[min(t * m, 7u * t)] = 1;"), 1 << 31, _U32),
    "one of two numbers": (_kernel("unsigned", "unsigned x = m > 0 ? t * m : t; if (t % 2 == 0) a[x] = 1;"), 1 << 31, _U32),
    "a quotient by an unknown number, read with a sign": (_kernel("unsigned", "if ((int)(m / (t / 2 + 1)) < 0) a[0] = 1;"), 3000000000, (1 << 31) - 1),
    "bits that are": (_kernel("unsigned", "if ((int)(m & 0xfffffff0u) < 0) a[0] = 1;"), 3000000000, (1 << 31) - 1),
    "a case": (_kernel("unsigned", "if (m > 0) switch (t * m) { case 0: a[0] = 1; break; default: break; }"), 1 << 31, _U32),
}  # fmt: skip


def _told(folder, text: str, where: str = "") -> list[str]:
    """What is said of each launch at which the limits are passed, beside a proof."""
    (file := folder / "k.cu").write_text(f"{text}\n//@ every k where gridDim.x == 1{where};\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings(engine="embedded"))
    (found,) = [c for r in outcome.reports for c in r.checks]
    assert found.verdict == "holds", found.reason
    assert found.every is not None
    return [one.said for one in found.every.breaches if one.assumption == LIMITS]


@pytest.mark.parametrize("name", PASSED)
@pytest.mark.sampled(1)
def test_a_proof_says_where_a_number_passes_its_limit(tmp_path, name):
    text, argument, limit = PASSED[name]
    assert _told(tmp_path, text) == [f"a number passes {limit}"]
    launch = f"//@ object __device__ int a[16];\n//@ object __device__ int b[5];\n//@ launch k<<<1, 5>>>(a, b, {argument}ull);"
    assert races(tmp_path, text, launch) == "violated"


#: The same for each instruction that takes its operands for numbers, which nothing else of its kernel does.
OPERANDS = {
    "udiv": "if (m >= 65536u) a[(t * m) / 65536u] = 1;",
    "lshr": "if (m >= 65536u) a[(t * m) >> 16] = 1;",
    "urem": "if (t < 3 && m % 3u == 0 && (m + t) % 3u != t) a[0] = 1;",
    "umin": "if (m >= 8u && __builtin_elementwise_min(m + t, 8u) != 8u) a[0] = 1;",
    "umax": "if (m >= 8u && (unsigned char)__builtin_elementwise_max(m + t, 8u) == 300) a[0] = 1;",
    "sdiv": "if (m >= 65536) a[(int(t) * m) / 65536] = 1;",
    "ashr": "if (m >= 65536) a[(int(t) * m) >> 16] = 1;",
    "srem": "if (t < 3 && m >= 0 && m % 3 == 0 && (m + int(t)) % 3 != int(t)) a[0] = 1;",
    "smin": "if (m >= 8 && __builtin_elementwise_min(m + int(t), 8) != 8) a[0] = 1;",
    "smax": "if (m >= 8 && (unsigned char)__builtin_elementwise_max(m + int(t), 8) == 300) a[0] = 1;",
}


@pytest.mark.parametrize("opcode", OPERANDS)
@pytest.mark.sampled(5)
def test_operands_that_pass_their_limits_are_told(tmp_path, opcode):
    signed = opcode[0] in "sa"
    text = _kernel("int" if signed else "unsigned", OPERANDS[opcode])
    assert f"a number passes {(1 << 31) - 1 if signed else _U32}" in _told(tmp_path, text)


#: Kernels that race though no number passes a limit, as registers have one number for -1 and the largest, each with the
#: argument with which it does.
RACED = {
    "the largest number and -1": ("unsigned", "if (t / 2 + m == 0xffffffffu) a[0] = 1;", _U32),
    "a rest that is below 0 with a sign": ("unsigned", "if ((int)(m % 4000000000u) < 0) a[0] = 1;", 3000000000),
    "a quotient that is": ("unsigned", "if ((int)(m / 1u) < 0) a[0] = 1;", 3000000000),
    "one of two that is": ("unsigned", "unsigned x = t < 9 ? m : 3u; if ((int)x < 0) a[0] = 1;", 3000000000),
    "an unsigned difference of 64 bits": ("unsigned long long", "if (m > 9 && (long long)(t - m) > 0) a[0] = 1;", _U64),
}  # fmt: skip


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(1)
def test_a_reading_with_another_sign_is_exact(tmp_path, name):
    parameter, body, argument = RACED[name]
    text = _kernel(parameter, body)
    assert not is_proved(tmp_path, text, "gridDim.x == 1")
    launch = f"//@ object __device__ int a[16];\n//@ object __device__ int b[5];\n//@ launch k<<<1, 2>>>(a, b, {argument}ull);"
    assert races(tmp_path, text, launch) == "violated"


#: Kernels of which no number passes a limit.
WITHIN = {
    "an index of 64 bits": "if (m < 1000) a[t * m] = 1;",
    "a sum of indices": "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; a[i / 2 * 2 + i % 2] = 1;",
    "a number of which nothing is known": "unsigned x = b[t] * 7u; if (x < 3u) a[t] = 1;",
    "a product of two numbers of 32 bits": "a[(long long)t * (unsigned)(m % 1000 + 1)] = 1;",
}  # fmt: skip


@pytest.mark.parametrize("name", WITHIN)
@pytest.mark.sampled(1)
def test_what_stays_within_its_limits_is_not_told(tmp_path, name):
    text = _kernel("unsigned long long", f"if (m > 0) {{ {WITHIN[name]} }}")
    assert _told(tmp_path, text) == []


#: Loops in which a number passes a limit at a large argument, and the limit.
TURNS = {
    "a stride over an unsigned number": ("unsigned", "for (unsigned i = t; i < m; i += blockDim.x) a[i] = 1;", [_U32]),
    "over a signed one": ("int", "for (int i = t; i < m; i += blockDim.x) a[i] = 1;", [(1 << 31) - 1]),
    "of turns with barriers": ("unsigned", "for (unsigned i = 0; i < m; i += 64) { __syncthreads(); a[i + t % 64] = 1; __syncthreads(); }", [_U32]),
    "a loop in a loop": ("int", "for (int i = t; i < m; i += blockDim.x) for (int j = i; j < i + 1; ++j) a[j] = 1;", [(1 << 31) - 1]),
    "a stride over a number of 64 bits": ("int", "for (long i = t; i < m; i += blockDim.x) a[i] = 1;", []),
    "each number up to another": ("int", "for (int i = 0; i < m; ++i) if (i == int(t)) a[i] = 1;", []),
    "a number that is small": ("unsigned", "if (m < 1000) for (unsigned i = t; i < m; i += blockDim.x) a[i] = 1;", []),
    "a loop that is left before": ("unsigned", "for (unsigned i = t; i < m; i += blockDim.x) { if (i > 5000) break; a[i] = 1; }", []),
    "one whose end is skipped, perhaps": ("unsigned", "for (unsigned i = t; i != m; i += blockDim.x) a[i] = 1;", []),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.sampled(1)
def test_turns_of_loops_to_which_a_thread_comes_are_looked_at(tmp_path, name):
    parameter, body, limits = TURNS[name]
    where = " && blockDim.x <= 64" if "barriers" in name else ""
    assert _told(tmp_path, _kernel(parameter, body), where) == [f"a number passes {limit}" for limit in limits]
