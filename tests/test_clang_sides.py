"""Functions that only one side of a program may call, and steps that make no difference, by way of clang."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.program.program import Program
from scopec.program.show import show_program
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.conftest import plan_of, program_of

HEAD = """#include <cuda/atomic>
#include <cooperative_groups.h>
__managed__ int x;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("__syncthreads();", "__syncthreads"),
        ("x = __syncthreads_count(1);", "__syncthreads_count"),
        ("__syncwarp();", "__syncwarp"),
        ("__threadfence();", "__threadfence"),
        ("__threadfence_block();", "__threadfence_block"),
        ("__threadfence_system();", "__threadfence_system"),
        ("atomicAdd(&x, 1);", "atomicAdd"),
        ("atomicCAS_system(&x, 0, 1);", "atomicCAS_system"),
        ("x = __ldcg(&x);", "__ldcg"),
        ("__stwt(&x, 1);", "__stwt"),
        ("__trap();", "__trap"),
    ],
)
def test_what_kernels_alone_may_call(statement: str, name: str) -> None:
    with pytest.raises(InputError, match=f"4:.*`{name}` can be called in kernels only") as raised:
        program_of(f"{HEAD}int main() {{ {statement} }}\n", reader="clang")
    assert raised.value.diagnostics[0].code.id == "SCP015"
    kernel = f"{HEAD}__global__ void k() {{ {statement} }}\nint main() {{ k<<<1, 1>>>(); }}\n"
    assert program_of(kernel, reader="clang").grids


@pytest.mark.parametrize("statement", ["exit(1);", "abort();", "std::terminate();"])
def test_a_kernel_does_not_end_the_process(statement: str) -> None:
    with pytest.raises(InputError, match="a kernel cannot end the process"):
        program_of(f"{HEAD}__global__ void k() {{ {statement} }}\nint main() {{ k<<<1, 1>>>(); }}\n", reader="clang")


def test_launches_beside_a_main_are_not_passed_over() -> None:
    text = f"{HEAD}__global__ void k() {{ x = 1; }}\nint main() {{}}\n//@ launch k<<<1, 1>>>();\n"
    for reader in ("auto", "clang", "scoped"):
        with pytest.raises(InputError, match="`//@ launch` is for files without a main"):
            program_of(text, reader=reader)


def test_two_variables_of_one_name_are_told_apart(write: Callable[..., Path]) -> None:
    text = "__global__ void k() { __shared__ int s; s = 1; { __shared__ int s; s = 2; } }\n//@ launch k<<<1, 2>>>();\n"
    with pytest.raises(InputError, match="`s` is declared more than once in k"):
        plan_of(write(f"{text}//@ expect race on s;\n"), reader="clang")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("access", ["*p = 1;", "*p += 1;", "int r = *p;", "x = *p == 2;"])
def test_what_points_to_nothing_is_called_as_it_is_written(access: str, write: Callable[..., Path]) -> None:
    text = f"__device__ int x;\n__global__ void k() {{ int* p = x == 0 ? nullptr : &x; {access} }}\n//@ launch k<<<1, 1>>>();\n"
    (outcome,) = check([write(text)], Settings(overrides=Overrides(reader="clang"), engine="embedded"))
    (reason,) = [c.reason for r in outcome.reports for c in r.checks if c.expectation.implicit]
    assert reason == "line 2: `*p` points to no object"


FLOATS = """
__device__ float in[2], out;
__global__ void k(int n) {
    float factor = n > threadIdx.x ? in[1] : 0.5f;
    out = -(n > 1 ? factor : in[0] * 2);
}
//@ launch k<<<1, 2>>>(1);
//@ expect race on out;
"""


def test_floating_point_numbers_are_chosen_and_negated(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(FLOATS)], Settings(overrides=Overrides(reader="clang"), engine="embedded"))
    assert [c.verdict for r in outcome.reports for c in r.checks] == ["holds"]


ALIKE = """#include <cuda/atomic>
__device__ cuda::atomic<int> f{0}, g{0};
__device__ int items[2];
__device__ int taken() { if (f.load() == 0) return 0; return g.load(); }
__device__ void fence() { if (blockDim.x == 1) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device); }
__global__ void k() {
    int first = taken();
    fence();
    int second = taken();
}
//@ launch k<<<1, 1>>>();
"""


def operations(program: Program, word: str) -> int:
    return sum(word in line for line in show_program(program).splitlines() if not line.startswith("object"))


def test_a_local_that_is_not_read_again_tells_no_states_apart() -> None:
    """What `first` is does not matter to what comes after: one copy of that does."""
    assert operations(program_of(ALIKE, reader="clang"), "fence") == 1


def test_of_two_checks_of_an_index_the_one_that_says_more_is_left() -> None:
    text = """__device__ int a[2], i, out;
__global__ void k() { out = a[i]; a[i] = 1; int* p = &a[i]; }
//@ launch k<<<1, 1>>>();
"""
    found = program_of(text, reader="clang")
    assert operations(found, ">= 0") == operations(found, "< 2") == 2
    assert operations(found, "<= 2") == 1  # the address beyond the end may be taken


def test_a_function_without_a_body_is_called_as_it_is_written() -> None:
    with pytest.raises(InputError, match="scopec does not model `own::lookup`"):
        program_of(
            "namespace own { __device__ int lookup(int); }\n__global__ void k() { int r = own::lookup(1); }\n//@ launch k<<<1, 1>>>();\n",
            reader="clang",
        )


@pytest.mark.parametrize(
    ("size", "at", "verdict"), [("n", 1, "holds"), ("n", 2, "violated"), ("f.load()", 0, "is known at run time alone")]
)
def test_an_array_of_a_length_that_is_computed(size: str, at: int, verdict: str, write: Callable[..., Path]) -> None:
    text = f"#include <atomic>\nstd::atomic<int> f{{2}}; int out;\nint main() {{ int n = 2; int v[{size}]; v[{at}] = 3; out = v[{at}]; }}\n"
    path = write(f"{text}//@ expect required out == 3;\n")
    (outcome,) = check([path], Settings(overrides=Overrides(reader="clang"), engine="embedded"))
    found = [c.verdict for r in outcome.reports for c in r.checks if not c.expectation.implicit]
    assert found == [verdict] or any(verdict in d.message for d in outcome.diagnostics)
