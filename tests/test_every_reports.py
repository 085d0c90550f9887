"""All launches: what SARIF and JUnit say of them, as JSON does."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from scopec.report import json as results
from scopec.report import junit, sarif
from scopec.session.check import Settings, check
from scopec.sizes.assumptions import ARRAYS, LIMITS, POINTERS

_PROVED = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = n;"
_RACED = "a[threadIdx.x / 2] = n; if (threadIdx.x == 5) a[9] = 1;"


@cache
def _outcomes(body: str, folder: Path):
    file = folder / "k.cu"
    file.write_text(f"__global__ void k(int* a, int n) {{ {body} }}\n//@ every k where n > 0;\n//@ expect race_free;\n")
    return check([file], Settings(engine="embedded"))


def _every(outcomes) -> dict:
    """What JSON says."""
    (of,) = [c["every"] for r in results.document(outcomes, {}, 0.0)["programs"] for c in r["checks"]]
    return of


@pytest.mark.parametrize("body", [_PROVED, _RACED])
@pytest.mark.sampled(1)
def test_sarif_has_what_json_has(tmp_path, body):
    outcomes = _outcomes(body, tmp_path)
    (run,) = json.loads(sarif.text(outcomes, 0))["runs"]
    found = run["properties"].get("every", []) if body == _PROVED else [one["properties"] for one in run["results"]]
    (only,) = found
    assert only["every"] == _every(outcomes)
    assert only["every"]["assumed" if body == _PROVED else "pair"] != []
    assert ("every" in run["properties"]) == (body == _PROVED)


@pytest.mark.parametrize("body", [_PROVED, _RACED])
def test_junit_has_what_json_has(tmp_path, body):
    outcomes = _outcomes(body, tmp_path)
    root = ET.fromstring(junit.text(outcomes, datetime.now(UTC)))
    found = {one.get("name").partition(" of ")[0]: one.get("value") for one in root.iter("property")}
    said = _every(outcomes)
    assert found["every"] == "k where n > 0"
    if body == _PROVED:
        assert found["assumed"] == ", ".join(said["assumed"])
        assert {LIMITS, POINTERS, ARRAYS} <= set(said["assumed"])
        assert "a number passes 2147483647" in found["breaches"]
    else:
        assert found["pair"].count(":1:") == len(said["pair"]) == 2


def test_a_verdict_about_one_launch_says_nothing_of_all(tmp_path):
    file = tmp_path / "one.cu"
    file.write_text("__global__ void k(int* a) { a[threadIdx.x] = 1; }\n//@ object int __device__ a[2];\n")
    file.write_text(
        "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
        "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a);\n//@ expect race_free;\n"
    )
    outcomes = check([file], Settings(engine="embedded"))
    assert '"every"' not in sarif.text(outcomes, 0)
    assert "every of" not in junit.text(outcomes, datetime.now(UTC))


@pytest.mark.parametrize(("select", "kernels"), [("launch of K", ["k"]), ("race_free", ["k", "other"]), ("nobody", [])])
def test_what_is_not_selected_is_not_asked(tmp_path, select, kernels):
    (file := tmp_path / "two.cu").write_text("__global__ void k(int* a) {} __global__ void other(int* a) { a[0] = 1; }")
    told = check([file], Settings(engine="embedded", every=True, select=select))
    assert [c.every.kernel for outcome in told for r in outcome.reports for c in r.checks] == kernels
    assert bool(told) == bool(kernels)
