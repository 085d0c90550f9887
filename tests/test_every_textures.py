"""All launches: kernels that read textures, of which launches are refused."""

from __future__ import annotations

import pytest

from scopec.session.check import Settings, check
from scopec.sizes.assumptions import TEXTURES
from tests.all_launches import is_proved

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def _kernel(body: str) -> str:
    return f"__global__ void k(int* a, cudaTextureObject_t t, int n) {{ {_I} {body} }}"


PROVED = {
    "data": "if (i < n) a[i] = tex2D<int>(t, i, 0);",
    "a vector": "float4 v = tex2D<float4>(t, i, 0); if (i < n) a[i] = v.x > v.y;",
    "into a variable": "int v; tex1Dfetch(&v, t, i); a[i] = v;",
    "a condition": "if (tex1Dfetch<int>(t, i) > 0) a[i] = 1;",
}

#: What a texture has is any value, of each thread.
NOT_PROVED = {
    "data of two": "if (i < n) a[i / 2] = tex2D<int>(t, i, 0);",
    "an index": "a[tex1Dfetch<int>(t, i)] = 1;",
    "an index at one place": "a[tex1Dfetch<int>(t, 0) + i / 2] = 1;",
    "an index by a variable": "int v = i; tex1Dfetch(&v, t, i); a[v] = 1;",
    "a member as an index": "int4 v = tex2D<int4>(t, i, 0); a[v.y] = 1;",
    "a condition": "if (tex1Dfetch<int>(t, i) > 0) a[0] = 1;",
    "a surface": "surf1Dwrite(1, t, i); a[i] = 1;",
}


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_what_reads_of_textures_no_launch_races_is_proved(tmp_path, name):
    assert is_proved(tmp_path, _kernel(PROVED[name]))


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_a_texture_has_is_any_value(tmp_path, name):
    assert not is_proved(tmp_path, _kernel(NOT_PROVED[name]))


def test_that_no_texture_has_what_is_written_is_said(tmp_path):
    (file := tmp_path / "k.cu").write_text(f"#include <cuda_runtime.h>\n{_kernel(PROVED['data'])}\n")
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    ((verdict, assumed),) = [(c.verdict, c.every.assumed) for r in outcome.reports for c in r.checks if c.every]
    assert (verdict, TEXTURES in assumed) == ("holds", True)


def test_a_race_beside_a_texture_is_no_verdict_and_says_why(tmp_path):
    (file := tmp_path / "k.cu").write_text(f"#include <cuda_runtime.h>\n{_kernel(NOT_PROVED['data of two'])}\n")
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    ((verdict, reason),) = [(c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert (verdict, "textures (`tex2D`)" in (reason or "")) == ("unknown", True), reason
