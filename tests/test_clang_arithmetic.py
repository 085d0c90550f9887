"""CUDA's functions of numbers: integers as an H200 computes them, floating-point numbers unknown."""

from pathlib import Path

import pytest

from scopec.session.check import Settings, check

#: Calls, and what they return, as 64 bits: two of each of the integer functions, with numbers at random and at the edges.
COMPUTED = [row.split("\t") for row in (Path(__file__).parent / "arithmetic.tsv").read_text().splitlines()]
PARTS = 4


def checked(text: str, folder: Path) -> dict[str, str]:
    path = folder / "p.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded"))
    assert not [d.message for d in outcome.diagnostics if d.severity == "error"]
    return {c.expectation.text: c.verdict for report in outcome.reports for c in report.checks}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_integers_are_what_a_gpu_computes(part: int, tmp_path: Path) -> None:
    calls = COMPUTED[part::PARTS]
    asserts = "\n".join(f"assert((unsigned long long){call} == {value}ull);" for call, value in calls)
    found = checked(
        f"__global__ void k() {{\n{asserts}\n}}\nint main() {{ k<<<1, 1>>>(); cudaDeviceSynchronize(); }}", tmp_path
    )
    assert len(found) > len(calls)
    assert set(found.values()) == {"holds"}


def test_another_value_is_noticed(tmp_path: Path) -> None:
    found = checked(
        "__global__ void k() { assert(__byte_perm(1, 2, 0x0004) == 3); }\nint main() { k<<<1, 1>>>(); }", tmp_path
    )
    assert found["assert(__byte_perm(1, 2, 0x0004) == 3)"] == "violated"


def test_what_floating_point_numbers_decide_goes_both_ways(tmp_path: Path) -> None:
    body = """
    double mantissa; int exponent; float sine, cosine;
    mantissa = frexp(2.0, &exponent);
    sincosf(1.0f, &sine, &cosine);
    float v = __fdividef(__expf(x), __int2float_rn(3)) + std::fmax(sine, 1) + sqrt(4) + hypotf(cosine, 2.0f);
    if (isnan(v) || __float2int_rd(v) + lround(mantissa) > exponent) out = 1;
    """
    text = f"""__device__ int out; __device__ float x;
    __global__ void k() {{ {body} }}
    int main() {{ k<<<1, 1>>>(); cudaDeviceSynchronize(); }}
    //@ expect allowed out == 0;
    //@ expect allowed out == 1;"""
    assert set(checked(text, tmp_path).values()) == {"holds"}
