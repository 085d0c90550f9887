"""Guesses for kernels that access parts of the numbers that their parameters point to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guesses import asked


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (
            "__global__ void k(unsigned* p) { ((uchar4*)p)[threadIdx.x] = make_uchar4(1, 2, 3, 4); }",
            ["object __device__ unsigned char p[16 * sizeof(unsigned int)];", "launch k<<<1, 2>>>((unsigned int*)p);"],
        ),
        (
            "__global__ void k(const int* q, float* out) { out[threadIdx.x] = ((const char*)q)[threadIdx.x]; }",
            [
                "object __device__ unsigned char q[16 * sizeof(int)];",
                "object __device__ float out[16];",
                "launch k<<<1, 2>>>((int*)q, out);",
            ],
        ),
        # Parts of a part: the second access is to bytes of what the first one parts.
        (
            "__global__ void k(double* p) { ((float*)p)[2 * threadIdx.x] = 1; ((char*)p)[8 * threadIdx.x + 4] = 1; }",
            ["object __device__ unsigned char p[16 * sizeof(double)];", "launch k<<<1, 2>>>((double*)p);"],
        ),
        (
            "struct S { int n; long long* p; };\n"
            "__global__ void k(S s) { ((int*)s.p)[threadIdx.x] = s.n; }",
            [
                "object __device__ unsigned int s_p[16 * sizeof(long long) / 4];",
                "launch k<<<1, 2>>>(S{4, (long long*)s_p});",
            ],
        ),
        # The name of a parameter that the file has another use for.
        (
            "__device__ int p;\n__global__ void k(unsigned* p) { ((char*)p)[threadIdx.x] = 1; }",
            ["object __device__ unsigned char k_p[16 * sizeof(unsigned int)];", "launch k<<<1, 2>>>((unsigned int*)k_p);"],
        ),
    ],
)  # fmt: skip
def test_an_object_is_made_of_the_parts_that_are_accessed(kernel: str, expected: list[str], tmp_path: Path) -> None:
    found = asked(kernel, tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    assert program["directives"] == expected
    assert found["status"] == 0


@pytest.mark.parametrize(("at", "status"), [("4 * threadIdx.x + 3", 0), ("threadIdx.x + 4", 1)])
def test_a_part_and_the_whole_race_where_they_overlap(at: str, status: int, tmp_path: Path) -> None:
    kernel = f"__global__ void k(int* p) {{ p[threadIdx.x] = 1; ((char*)p)[{at}] = 2; }}"
    found = asked(kernel, tmp_path)
    assert found["status"] == status, found
    assert "unsigned char p[" in str(found["programs"])


def test_an_object_of_the_file_stays_as_it_is(tmp_path: Path) -> None:
    kernel = "__device__ int p[4];\n__global__ void k(int n) { ((char*)p)[n * threadIdx.x] = 1; }"
    found = asked(kernel, tmp_path)
    assert found["status"] == 2
    assert "that is not one number of `p`" in str(found)
