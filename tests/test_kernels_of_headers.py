"""Kernels of headers that a file with kernels of its own does not name are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.guesses import asked

if TYPE_CHECKING:
    from pathlib import Path

_HEADER = """\
__global__ void one(int* a) { a[threadIdx.x] = 1; }
__global__ void two(int* a) { a[0] = threadIdx.x; }
template <class T> __global__ void three(T* a) { a[0] = threadIdx.x; }
"""
_OWN = '#include "k.cuh"\n__global__ void own(int* a) { a[threadIdx.x] = 1; }\n'


def told(found: dict[str, object]) -> list[tuple[str, str, str]]:
    those = [(d["code"], d["severity"], d["message"]) for d in found["diagnostics"]]  # type: ignore[attr-defined]
    return [one for one in those if one[0] != "SCP040"]


def test_those_that_are_not_named(tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text(_HEADER)
    found = asked(_OWN, tmp_path)
    assert found["status"] == 0
    assert told(found) == [
        ("SCP052", "warning", "not asked, as this file names other kernels: `one` and 2 others of k.cuh")
    ]
    assert len(found["programs"]) == 1  # type: ignore[arg-type]


def test_those_that_are_named_are_asked(tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text(_HEADER)
    found = asked(f"{_OWN}void host(int* a) {{ two<<<1, 2>>>(a); three<float><<<1, 2>>>(nullptr); }}\n", tmp_path)
    assert told(found) == [("SCP052", "warning", "not asked, as this file names other kernels: `one` of k.cuh")]
    names = [program["variant"]["kernel"] for program in found["programs"]]  # type: ignore[attr-defined]
    assert (found["status"], names) == (1, ["own", "two", "three<float>"])


def test_of_a_file_without_kernels_all_are_asked(tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text(_HEADER)
    found = asked('#include "k.cuh"\n', tmp_path)
    assert told(found) == []
    assert len(found["programs"]) == 3  # type: ignore[arg-type]
