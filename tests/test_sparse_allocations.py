"""Elements of large allocations that only copies and fills access: the same verdicts as with all elements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.base.source import Source
from scopec.frontends.clang.intrinsics import allocations
from scopec.frontends.clang.machine import sparse
from scopec.frontends.clang.machine.sparse import Sparse
from scopec.frontends.clang.program import read
from scopec.frontends.directives import expectations
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.samples import programs

COUNT = programs(10, 100)
KERNEL = "#include <vector>\n#include <algorithm>\n#include <cstdlib>\n#include <cuda_runtime.h>\n" + (
    "__global__ void scale(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }\n"
)
COPIED = """
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<2, 4>>>(d);
    {back}
    cudaFree(d);
}}
//@ expect race_free;
"""
WAITS, RACES = "cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);", "d[n / 2] = 1;"


def verdicts(text: str, tmp_path: Path, *without: str) -> list[str]:
    path = tmp_path / "large.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(overrides=Overrides(without=frozenset(without)), engine="embedded"))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    (report,) = outcome.reports
    return [one.verdict for one in report.checks if one.expectation.kind == "race_free"]


@pytest.mark.parametrize(
    "first",
    [
        "std::vector<float> h(n);",
        "std::vector<float> h(n, 1.0f);",
        "std::vector<int> h(n);",
        "std::vector<float> h(n); std::fill(h.begin(), h.end(), 1.0f);",
        "std::vector<float> h(n); std::fill_n(h.data(), n, 1.0f);",
        "std::vector<float> h(n); h[0] = 1; h[n - 1] = 2; h[n / 3] = 3;",
    ],
)
@pytest.mark.sampled(4)
def test_a_gigabyte_is_copied(first: str, tmp_path: Path) -> None:
    """Where the host's code writes one element, the last may not be so far."""
    size = 1 << (22 if "h[" in first else 28)
    text = f"{KERNEL}int main() {{\n    const size_t n = {size};\n    {first}"
    if "int>" in first:
        text = text.replace("float", "int").replace("2.0f", "2")
    kind = "int" if "int>" in first else "float"
    assert verdicts(text + COPIED.format(back=WAITS).replace("float", kind), tmp_path) == ["holds"]


def test_what_nobody_waits_for_is_a_race_in_managed_memory(tmp_path: Path) -> None:
    text = KERNEL + (
        "int main() {\n    const size_t n = 1 << 20;\n    float* d;\n    cudaMallocManaged(&d, n * sizeof(float));\n"
        "    cudaMemset(d, 0, n * sizeof(float));\n    scale<<<2, 4>>>(d);\n    WAIT d[AT] = 1;\n    cudaFree(d);\n}\n"
        "//@ expect race_free;\n"
    )
    found = {
        (wait, at): verdicts(text.replace("WAIT", wait).replace("AT", at), tmp_path)
        for wait in ("", "cudaDeviceSynchronize();")
        for at in ("7", "8")
    }
    assert found["cudaDeviceSynchronize();", "7"] == found["cudaDeviceSynchronize();", "8"] == ["holds"]
    assert found["", "7"] == ["violated"]


def test_elements_at_indices_known_at_run_time_alone_are_all_modelled(tmp_path: Path) -> None:
    text = KERNEL + (
        "int main() {\n    const int n = 1 << 20;\n    float* h = (float*)malloc(n * sizeof(float));\n"
        "    for (int i = 0; i < n; i++) h[i] = i;\n    float* d;\n    cudaMalloc(&d, n * sizeof(float));\n"
        "    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);\n    scale<<<2, 4>>>(d);\n}\n//@ expect race_free;\n"
    )
    path = tmp_path / "large.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded"))
    (said,) = (one.message for one in outcome.diagnostics if one.severity == "error")
    assert said == "a copy or fill of 1,048,576 numbers, an index of which is known at run time alone"


def test_an_element_that_is_left_out_is_not_observed(tmp_path: Path) -> None:
    """A directive that names the allocation gives it all its elements."""
    text = KERNEL.replace("float", "int").replace("2.0f", "2") + (
        "int main() {\n    int* d;\n    cudaMalloc(&d, 5000 * sizeof(int));\n    cudaMemset(d, 0, 5000 * sizeof(int));\n"
        "    cudaDeviceSynchronize();\n}\n//@ expect required d[4321] == 0;\n"
    )
    path = tmp_path / "large.cu"
    path.write_text(text)
    assert not plan(path, path.name, Overrides()).runs[0].program.objects["d"].left_out


def test_a_directive_of_another_text_may_not_name_an_element_that_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "large.cu"
    path.write_text("int main() {\n    int* d;\n    cudaMalloc(&d, 20000);\n    cudaMemset(d, 0, 20000);\n}\n")
    (run,) = plan(path, path.name, Overrides()).runs
    assert run.program.objects["d"].left_out
    later = Source("later.cu", "//@ expect required d[4321] == 0;\n")
    with pytest.raises(InputError) as refused:
        list(expectations(read(later), run.program, later))
    (said,) = refused.value.diagnostics
    assert said.message == "of `d` only the elements are modelled that something accesses besides copies and fills"
    assert (said.code, said.span.line) == (Code.BAD_EXPECTATION, 1)


@pytest.mark.parametrize(("at", "refused"), [(9_999, False), (10_000, True)])
def test_an_element_that_is_accessed_may_not_be_too_far(
    at: int, refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elements are numbered from the first one."""
    monkeypatch.setattr(allocations, "_MOST_ELEMENTS", 10_000)
    path = tmp_path / "large.cu"
    path.write_text(
        f"__global__ void k(int* d) {{ d[{at}] = 1; }}\nint main() {{\n    int* d;\n    cudaMalloc(&d, 80000);\n"
        "    k<<<1, 1>>>(d);\n    cudaDeviceSynchronize();\n}\n//@ expect race_free;\n"
    )
    (outcome,) = check([path], Settings(engine="embedded"))
    said = [(one.code, one.message) for one in outcome.diagnostics if one.severity == "error"]
    assert said == [(Code.TOO_LARGE, "an allocation of 20,000 elements")] * refused


def test_the_switch_models_all_elements(tmp_path: Path) -> None:
    path = tmp_path / "large.cu"
    path.write_text("int main() {\n    int* d;\n    cudaMalloc(&d, 20000);\n    cudaMemset(d, 0, 20000);\n}\n")
    (run,) = plan(path, path.name, Overrides(without=frozenset({"sparse"}))).runs
    assert not run.program.objects["d"].left_out
    assert len(run.program.objects["d"].values) == 5000


def random_copies(chance: Random) -> str:
    """Copies and fills of parts of three allocations in two streams, and accesses to a few elements."""
    lines = []
    for _ in range(chance.randint(3, 6)):
        size, stream = chance.randint(1, 12), chance.choice("pq")
        to, from_ = chance.sample("abc", 2)
        at, other = (chance.randint(0, 24 - size) for _ in range(2))
        match chance.choice(("copy", "copy", "fill", "kernel", "wait")):
            case "copy":
                lines.append(
                    f"cudaMemcpyAsync({to} + {at}, {from_} + {other}, {4 * size}, cudaMemcpyDefault, {stream});"
                )
            case "fill":
                lines.append(f"cudaMemsetAsync({to} + {at}, 0, {4 * size}, {stream});")
            case "kernel":
                lines.append(f"touch<<<1, {chance.randint(1, 2)}, 0, {stream}>>>({to} + {chance.randint(0, 22)});")
            case "wait":
                lines.append(f"cudaStreamSynchronize({stream});")
    body = "\n    ".join(lines)
    begin = "".join(
        f"    int* {name};\n    cudaMalloc(&{name}, 96);\n    cudaMemset({name}, 0, 96);\n" for name in "abc"
    )
    return (
        "#include <cuda_runtime.h>\n__global__ void touch(int* x) { x[threadIdx.x] += 1; }\nint main() {\n"
        f"{begin}    cudaDeviceSynchronize();\n    cudaStream_t p, q;\n    cudaStreamCreate(&p);\n"
        f"    cudaStreamCreate(&q);\n    {body}\n    cudaDeviceSynchronize();\n}}\n//@ expect race_free;\n"
    )


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(4)
def test_random_copies_have_the_same_verdict(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = random_copies(Random(seed))
    monkeypatch.setattr(sparse, "MOST_TOLD_APART", 2)
    assert verdicts(text, tmp_path) == verdicts(text, tmp_path, "sparse"), text


def test_copies_that_move_elements_on_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run finds an element more: after some, all of them are modelled."""
    text = (
        "#include <cuda_runtime.h>\n__global__ void touch(int* x) { x[0] += 1; }\nint main() {\n    int *a, *b;\n"
        "    cudaMalloc(&a, 4000);\n    cudaMalloc(&b, 4000);\n    cudaMemset(a, 0, 4000);\n"
        "    cudaMemcpy(b, a + 1, 3996, cudaMemcpyDefault);\n    cudaMemcpy(a, b, 3996, cudaMemcpyDefault);\n"
        "    touch<<<1, 1>>>(a);\n    cudaDeviceSynchronize();\n}\n//@ expect race_free;\n"
    )
    seen: list[set[str]] = []
    grew: Callable[..., bool] = Sparse.grew

    def noted(self: Sparse, *given: object) -> bool:
        news = grew(self, *given)
        seen.append(set(self.whole))
        return news

    monkeypatch.setattr(sparse, "MOST_TOLD_APART", 2)
    monkeypatch.setattr(Sparse, "grew", noted)
    assert verdicts(text, tmp_path) == ["holds"]
    assert seen[-1]
