"""All launches: each assumption of a proof has questions that find a launch at which it is not so."""

from __future__ import annotations

import re
from json import dumps, loads
from pathlib import Path

import jsonschema
import pytest

from scopec.explain.verdict import Breach
from scopec.report import json
from scopec.session.check import Settings, check
from scopec.sizes.assumptions import ARRAYS, LIMITS, POINTERS
from tests.all_launches import races

_SCHEMA = Path(__file__).parent.parent / "docs" / "results.schema.json"
_I = "long i = (long)blockIdx.x * blockDim.x + threadIdx.x;"
_INT = "int i = blockIdx.x * blockDim.x + threadIdx.x;"

#: Kernels, each with the assumptions that do not hold of some launch.
KERNELS = {
    "a signed index": (f"{_INT} if (i < n) a[i] = 1;", {LIMITS}),
    "an unsigned index": ("unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < m) a[i] = 1;", {LIMITS}),
    "a product that is widened": ("a[(long)(blockIdx.x * blockDim.x) + threadIdx.x] = 1;", {LIMITS}),
    "an index of 64 bits": (f"{_I} if (i < n) a[i] = 1;", set()),
    "few threads": (f"{_INT} if (gridDim.x < 100 && i < n) a[i] = 1;", {LIMITS}),
    "an index before the array": (f"{_I} a[i] = b[i - 1];", {ARRAYS, POINTERS}),
    "the first left out": (f"{_I} if (i > 0) a[i - 1] = 1;", set()),
    "a table of 64": (f"__shared__ int s[64]; {_I} s[threadIdx.x] = 1; __syncthreads(); a[i] = s[threadIdx.x];", {ARRAYS}),
    "a table that is long enough": (f"__shared__ int s[1024]; {_I} s[threadIdx.x] = 1; __syncthreads(); a[i] = s[threadIdx.x];", set()),
    "a neighbour of another array": (f"{_I} a[i] = b[i + 1];", {POINTERS}),
    "its own place of another array": (f"{_I} a[i] = b[i];", set()),
    "another array, behind a barrier": (f"{_I} if (gridDim.x == 1) {{ int own = b[i + 1]; __syncthreads(); a[i] = own; }}", set()),
}  # fmt: skip


def _kernel(body: str) -> str:
    return f"__global__ void k(int* a, const int* b, const char* c, int n, unsigned m) {{ {body} }}"


def _breaches(folder: Path, body: str, where: str = "") -> tuple[Breach, ...]:
    file = folder / "k.cu"
    file.write_text(f"{_kernel(body)}\n//@ every k{f' where {where}' if where else ''};\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings(engine="embedded"))
    (only,) = [made for report in outcome.reports for made in report.checks]
    assert (only.verdict, only.every is None) == ("holds", False), only.reason
    jsonschema.validate(loads(dumps(json.document([outcome], {}, 0.0))), loads(_SCHEMA.read_text()))
    assert all(one.said in (only.reason or "") for one in only.every.breaches)
    return only.every.breaches


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "few threads"])
@pytest.mark.sampled(1)
def test_a_launch_breaks_an_assumption_or_none_does(tmp_path, name):
    body, expected = KERNELS[name]
    assert {one.assumption for one in _breaches(tmp_path, body)} == expected


def test_what_is_read_under_a_condition_has_it(tmp_path):
    """With less than 100 blocks no index passes its limit; the index itself is not looked at before."""
    body = "if (gridDim.x < 100) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }"
    assert _breaches(tmp_path, body) == ()


def test_a_launch_has_no_block_that_no_device_takes(tmp_path):
    """Of 33 rows of 32 threads two would write one place."""
    body = "int i = threadIdx.y * 32 + threadIdx.x; if (threadIdx.x < 32) a[i % 1024] = 1;"
    assert _breaches(tmp_path, body, "gridDim.x == 1 && gridDim.y == 1 && blockDim.x == 32 && blockDim.z == 1") == ()


def test_a_condition_keeps_a_breach_away(tmp_path):
    body, _ = KERNELS["a signed index"]
    assert _breaches(tmp_path, body, "gridDim.x <= 65535") == ()


@pytest.mark.parametrize("name", ["a signed index", "an unsigned index"])
@pytest.mark.sampled(1)
def test_the_threads_of_the_launch_are_as_many_as_pass_the_limit(tmp_path, name):
    (one,) = _breaches(tmp_path, KERNELS[name][0])
    grid, block = map(int, re.findall(r"<<<(\d+), (\d+)>>>", one.launch)[0])
    limit = 1 << (31 if name == "a signed index" else 32)
    assert (one.said, grid * block > limit, block <= 1024) == (f"a number passes {limit - 1}", True, True)


@pytest.mark.parametrize(
    ("name", "verdict"), [("a neighbour of another array", "violated"), ("its own place of another array", "holds")]
)
def test_with_one_array_for_two_parameters_there_is_a_race_or_none(tmp_path, name, verdict):
    one = "//@ object __device__ int o[64];\n//@ object __device__ char e[8];\n//@ launch k<<<1, 2>>>(o, o, e, 1, 1);"
    assert races(tmp_path, _kernel(KERNELS[name][0]), one) == verdict
