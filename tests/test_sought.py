"""Files that are read as they are: headers that no flag names, files that are parts of others, and how far it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from scopec.frontends.clang.flags import Flags
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

_KERNEL = "__global__ void k(int* a) { a[blockIdx.x * TILE + threadIdx.x] = 1; }\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a kernel, whose header is elsewhere in it."""
    (tmp_path / ".git").mkdir()
    for name, text in {
        "src/gpu/k.cu": f'#include "tile.h"\n{_KERNEL}',
        "include/tile.h": "#include <mine/size.h>\n#define TILE SIZE\n",
        "include/mine/size.h": "#define SIZE 1024\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def _asked(file: Path, **more):
    (outcome,) = check([file], Settings(every=True, engine="embedded", **more))
    told = [d.message for d in outcome.diagnostics if d.code is Code.SOUGHT]
    errors = [d.message for d in outcome.diagnostics if d.severity == "error"]
    return [c.verdict for r in outcome.reports for c in r.checks], told, errors


@pytest.mark.sampled(0)
def test_a_header_that_no_flag_names_is_found_in_the_repository_and_told(repository):
    verdicts, told, errors = _asked(repository / "src/gpu/k.cu")
    assert (verdicts, errors) == (["holds"], [])
    assert told == ["`tile.h` is read from ../../include, the nearest folder that has it"]


@pytest.mark.sampled(0)
def test_what_the_header_says_counts(repository):
    (repository / "include/mine/size.h").write_text("#define SIZE 512\n")
    assert _asked(repository / "src/gpu/k.cu")[0] == ["violated"]


@pytest.mark.sampled(0)
def test_the_nearest_of_several_is_taken(repository):
    (repository / "src/tile.h").write_text("#define TILE 512\n")
    verdicts, told, _ = _asked(repository / "src/gpu/k.cu")
    assert (verdicts, [one.split(", ")[0] for one in told]) == (["violated"], ["`tile.h` is read from .."])


def test_of_two_that_are_as_near_none_is_taken(repository):
    for name in ("one", "two"):
        (repository / "src" / name).mkdir()
        (repository / "src" / name / "tile.h").write_text("#define TILE 1024\n")
    verdicts, _, errors = _asked(repository / "src/gpu/k.cu")
    assert (verdicts, "'tile.h' file not found" in errors[0]) == ([], True)


@pytest.mark.sampled(0)
def test_nothing_is_sought_outside_of_a_repository(repository):
    (repository / ".git").rmdir()
    assert "'tile.h' file not found" in _asked(repository / "src/gpu/k.cu")[2][0]


@pytest.mark.sampled(0)
def test_a_file_that_is_read_without_is_read_as_ever(repository):
    (repository / "src/gpu/tile.h").write_text("#define TILE 512\n")
    assert _asked(repository / "src/gpu/k.cu")[:2] == (["violated"], [])


@pytest.mark.sampled(0)
def test_what_a_flag_names_comes_first(repository, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "tile.h").write_text("#define TILE 512\n")
    overrides = Overrides(flags=Flags(folders=(other,)))
    assert _asked(repository / "src/gpu/k.cu", overrides=overrides)[:2] == (["violated"], [])


def test_a_part_of_another_file_is_read_with_it_and_of_that_alone_its_kernels(tmp_path):
    (tmp_path / "part.cu").write_text(
        "__global__ void k(Number* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
    )
    whole = "__global__ void other(Number* a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n"
    (tmp_path / "main.cu").write_text(f'typedef int Number;\n#include "part.cu"\n{whole}')
    verdicts, told, errors = _asked(tmp_path / "part.cu")
    assert (verdicts, errors) == (["holds"], [])
    assert told == ["this file is a part of `main.cu`, with which it is read"]


@pytest.mark.sampled(0)
def test_what_is_wrong_in_a_part_is_told_of_the_part(tmp_path):
    (tmp_path / "part.cu").write_text("__global__ void k(Nowhere* a) { a[0] = 1; }\n")
    (tmp_path / "main.cu").write_text('#include "part.cu"\nint main() { k<<<1, 1>>>(nullptr); }\n')
    (outcome,) = check([tmp_path / "part.cu"], Settings(every=True))
    assert {Path(d.span.file).name for d in outcome.diagnostics if d.severity == "error"} == {"part.cu"}


def test_an_include_in_angles_of_a_header_may_be_host_code_too(repository):
    (repository / "include/tile.h").write_text("#include <cublas_v2.h>\n#define TILE 1024\ncublasHandle_t of(int);\n")
    (repository / "src/gpu/k.cu").write_text(f"#include <tile.h>\n{_KERNEL}")
    assert _asked(repository / "src/gpu/k.cu")[0] == ["holds"]


@pytest.mark.sampled(0)
def test_which_kernel_is_asked_is_told_as_the_work_goes_on(tmp_path):
    (file := tmp_path / "k.cu").write_text(
        "".join(f"__global__ void k{n}(int* a) {{ a[threadIdx.x] = 1; }}\n" for n in range(3))
    )
    told: list[tuple[str, str]] = []
    check([file], Settings(every=True, engine="embedded", doing=lambda what, so_far: told.append((what, so_far))))
    said = [(what.rpartition(": ")[2], so_far) for what, so_far in told if "every launch of" in what]
    assert list(dict.fromkeys(said)) == [(f"every launch of k{n}", f"kernel {n + 1} of 3") for n in range(3)]


@pytest.mark.parametrize(("macro", "said"), [("", True), ("#define HAS_CUDA\n", False)])
def test_that_all_kernels_are_behind_a_condition_is_told(tmp_path, macro, said):
    (file := tmp_path / "k.cu").write_text(
        f"{macro}#ifdef HAS_CUDA\n__global__ void k(int* a) {{ a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }}\n#endif\n"
    )
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    told = [d for d in outcome.diagnostics if "no kernel of this file is compiled" in d.message]
    assert (bool(told), [c.verdict for r in outcome.reports for c in r.checks]) == (said, [] if said else ["holds"])


def test_of_a_text_without_kernels_nothing_is_told(tmp_path):
    (file := tmp_path / "k.cu").write_text("// __global__ is a word\nint f() { return 1; }\n")
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    assert not [d for d in outcome.diagnostics if "no kernel of this file" in d.message]


def _guessed(file: Path, **overrides):
    (outcome,) = check([file], Settings(Overrides(**overrides), engine="embedded"))
    told = [d.message for d in outcome.diagnostics if d.code is Code.SOUGHT]
    errors = [d.message for d in outcome.diagnostics if d.severity == "error"]
    return [(r.run.guessed[-1:], c.verdict) for r in outcome.reports for c in r.checks][:1], told, errors


@pytest.mark.sampled(0)
def test_a_file_whose_launches_are_guessed_is_read_as_it_is_too(repository):
    (repository / "include/mine/size.h").write_text("#define SIZE 1\n")
    found, told, errors = _guessed(repository / "src/gpu/k.cu")
    assert (found, errors) == ([(("launch k<<<2, 2>>>(a);",), "violated")], [])
    assert told == ["`tile.h` is read from ../../include, the nearest folder that has it"]
    assert "'tile.h' file not found" in _guessed(repository / "src/gpu/k.cu", guess=False)[2][0]


def test_host_code_whose_header_is_elsewhere_is_followed(repository):
    main = "int main() { int* a; cudaMalloc(&a, 4096 * 4); k<<<1, 3>>>(a); cudaDeviceSynchronize(); }\n"
    (repository / "src/gpu/k.cu").write_text(f'#include "tile.h"\n{_KERNEL}{main}')
    found, told, errors = _guessed(repository / "src/gpu/k.cu")
    assert (found, len(told), errors) == ([((), "holds")], 1, [])


def test_of_a_part_its_kernels_are_guessed_launches_for(tmp_path):
    (tmp_path / "part.cu").write_text("__global__ void k(Number* a) { a[0] = threadIdx.x; }\n")
    whole = 'typedef int Number;\n#include "part.cu"\n__global__ void other(Number* a) { a[threadIdx.x] = 1; }\n'
    (tmp_path / "main.cu").write_text(whole + "void both(Number* a) { k<<<1, 2>>>(a); other<<<1, 2>>>(a); }\n")
    found, told, errors = _guessed(tmp_path / "part.cu")
    assert (found, errors) == ([(("launch k<<<1, 2>>>(a);",), "violated")], [])
    assert told == ["this file is a part of `main.cu`, with which it is read"]
    (tmp_path / "part.cu").write_text("__global__ void k(Nowhere* a) { a[0] = threadIdx.x; }\n")
    found, _, errors = _guessed(tmp_path / "part.cu")
    assert (found, len(errors)) == ([], 1)
    (tmp_path / "part.cu").write_text("template <class T> __device__ void none(T* a, Number n) { a[0] = n; }\n")
    assert _guessed(tmp_path / "part.cu")[0] == []


@pytest.mark.sampled(0)
def test_files_that_include_each_other_come_to_an_end(tmp_path):
    (tmp_path / "one.cu").write_text('#pragma once\n#include "two.cu"\n__global__ void k(Nowhere* a) {}\n')
    (tmp_path / "two.cu").write_text('#pragma once\n#include "one.cu"\n__global__ void l(Nowhere* a) {}\n')
    assert _guessed(tmp_path / "one.cu")[2] != []
