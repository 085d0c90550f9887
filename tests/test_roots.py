"""Errors by their root: one diagnostic for what is missing, which says how many errors follow from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code, Diagnostic
from scopec.base.source import Span
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.roots import by_root
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.real_headers import needs_headers, outcome

LAUNCH = "//@ launch k<<<1, 1>>>(); expect race_free;\n"


def told(text: str, folder: Path, **flags: object) -> list[Diagnostic]:
    """What is said of a text over scopec's own headers."""
    (folder / "p.cu").write_text(text + LAUNCH)
    overrides = Overrides(reader="clang", guess=False, flags=Flags(headers="shims", **flags))  # type: ignore[arg-type]
    (found,) = check([folder / "p.cu"], Settings(overrides, engine="embedded"))
    assert found.exit_code == 2
    return list(found.diagnostics)


def words(found: list[Diagnostic]) -> list[tuple[int, str]]:
    return [(d.span.line, d.message) for d in found]


@pytest.mark.sampled(0)
def test_one_unknown_type_is_told_once(tmp_path: Path) -> None:
    uses = "".join(f"  Thing t{n}; x = t{n}.a;\n" for n in range(30))
    found = told(f"__device__ int x;\n__global__ void k() {{\n{uses}}}\n", tmp_path)
    assert words(found) == [(3, "30 errors have one root: unknown type name 'Thing'")]


@pytest.mark.sampled(0)
def test_each_root_is_told(tmp_path: Path) -> None:
    text = "__device__ int x;\n__global__ void k() {\n  x = a + b;\n  x = a;\n  Thing t;\n  x = b;\n  x = 1 2;\n}\n"
    assert words(told(text, tmp_path)) == [
        (3, "2 errors have one root: use of undeclared identifier 'a'"),
        (3, "2 errors have one root: use of undeclared identifier 'b'"),
        (5, "unknown type name 'Thing'"),
        (7, "expected ';' after expression"),
    ]


@pytest.mark.sampled(0)
def test_a_part_of_another_file_says_of_which(tmp_path: Path) -> None:
    """A name that is in neither is its own mistake where no other file includes it; in a header, the file is known."""
    part = "__device__ int x;\n__global__ void k() {\n  x = ROWS;\n}\n"
    (tmp_path / "whole.cu").write_text('#define ROWS 1\n#include "q.cu"\n#include <p.cu>\n')
    assert [d.help for d in told(part, tmp_path)] == [None]
    (tmp_path / "whole.cu").write_text('#define ROWS 1\n  #include "p.cu"\n')
    (found,) = told(part, tmp_path)
    assert found.help == "`whole.cu` includes this file: what it declares before is missing here, so check that file"
    (tmp_path / "part.h").write_text(part)
    (found,) = told('#include "part.h"\n', tmp_path)
    assert "includes" not in (found.help or "")


@pytest.mark.parametrize(
    ("line", "follows"),
    [
        ("using lib::made;", True),
        ("Thing<int> made = 3;", True),
        ("  Thing *made(int x) {", True),
        ("return made;", False),
        ("x = Thing() + made;", False),
        ("f(Thing(), made);", False),
    ],
)
def test_what_a_line_at_fault_would_declare_follows_from_it(line: str, follows: bool) -> None:
    """A name that is not declared because its declaration is at fault; but not one that is used there alone."""
    fault = Diagnostic(Code.UNKNOWN_TYPE, "unknown type name 'Thing'", Span("p.cu", 1, 1, 1, 6), line=line)
    use = Diagnostic(Code.UNKNOWN_NAME, "use of undeclared identifier 'made'", Span("p.cu", 5, 1, 5, 6), line="made;")
    assert len(by_root([fault, use], "p.cu", real=False)) == (1 if follows else 2)


@pytest.mark.sampled(0)
def test_names_that_scopecs_headers_lack_are_one_root(tmp_path: Path) -> None:
    text = "#include <atomic>\n" + "".join(f"using std::none_{n};\n" for n in range(5)) + "__global__ void k() {}\n"
    (only,) = told(text, tmp_path)
    assert only.message == (
        "5 errors have one root: scopec's own headers have no `std::none_0`, `std::none_1`, `std::none_2`, nor 2 more"
        " names of `std`"
    )
    assert "--headers real" in only.way_out
    (misspelt,) = told("#include <cuda/atomic>\ncuda::atomik<int> a;\n__global__ void k() {}\n", tmp_path)
    assert "atomic" in misspelt.way_out


@pytest.mark.sampled(0)
def test_a_missing_file_comes_first(tmp_path: Path) -> None:
    text = '#include <atomic>\nusing std::none;\n#include "lib/config.hpp"\n__global__ void k() {}\n'
    first, second = told(text, tmp_path)
    assert (first.span.line, first.message) == (3, "'lib/config.hpp' file not found")
    assert "-I" in first.way_out
    assert "if a build makes it, -p" in first.way_out
    assert second.span.line == 2
    (only,) = told("#include <cutlass/arch/barrier.h>\n__global__ void k() {}\n", tmp_path)
    assert only.message == "scopec has no header `cutlass/arch/barrier.h`: CUTLASS"
    assert "name its folder with -I" in only.way_out


@pytest.mark.sampled(0)
def test_an_error_in_a_template_is_at_its_place_and_says_who_asked(tmp_path: Path) -> None:
    text = (
        "struct S { int a; };\nstruct T { int a; };\n__device__ S s; __device__ T t;\n"
        "template <class X> __device__ void add(X* p) { p->fetch(1); }\n"
        "__global__ void k() { add(&s);\n  add(&t); }\n"
    )
    (only,) = told(text, tmp_path)
    assert words([only]) == [(4, "2 errors have one root: no member named 'fetch' in 'S'")]
    assert "p.cu:5:23: in instantiation of function template specialization 'add<S>'" in only.way_out


def test_a_name_that_a_header_of_a_library_lacks_may_be_of_nvidias(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "lib.h").write_text("inline int f() { return FP_NAN; }\n")
    (only,) = told("#include <lib.h>\n__global__ void k() {}\n", tmp_path, folders=(tmp_path / "lib",))
    assert "--headers real" in only.way_out
    (own,) = told("__global__ void k() { int x = FP_NAN; }\n", tmp_path)
    assert "--headers real" not in own.way_out


@pytest.mark.parametrize(("real", "number"), [(False, 1), (True, 3)])
def test_names_that_nvidias_headers_lack_are_each_a_root(real: bool, number: int) -> None:
    errors = [
        Diagnostic(Code.UNKNOWN_NAME, f"no member named '{n}' in namespace 'cuda::std'", Span("p.cu", 1, i, 1, i + 1))
        for i, n in enumerate("abc")
    ]
    assert len(by_root(errors, "p.cu", real=real)) == number


def test_a_warning_has_no_root() -> None:
    at = Span("p.cu", 1, 1, 1, 2)
    warning = Diagnostic(Code.UNKNOWN_NAME, "use of undeclared identifier 'x'", at, None, "warning")
    error = Diagnostic(Code.UNKNOWN_NAME, "use of undeclared identifier 'x'", at)
    assert by_root([warning, error], "p.cu", real=False) == (warning, error)


@needs_headers
@pytest.mark.sampled(0)
def test_what_neither_headers_read_is_told_over_nvidias(tmp_path: Path) -> None:
    path = tmp_path / "p.cu"
    path.write_text("#include <cuda/cmath>\n__global__ void k() { no_such(1); no_such(2); }\n" + LAUNCH)
    error, warning = outcome(path, "auto").diagnostics
    assert error.message == "2 errors have one root: use of undeclared identifier 'no_such'"
    assert (warning.severity, warning.message) == ("warning", "'cuda/cmath' file not found")
    assert "NVIDIA's headers are read" in warning.way_out


def test_a_function_of_the_hosts_alone_is_not_modelled_in_a_kernel(tmp_path: Path) -> None:
    """The library's; another is the file's own mistake."""
    text = "__device__ int* p;\nvoid own(int*) {}\n__global__ void k() {\n  cudaMalloc((void**)&p, 4);\n  own(p);\n}\n"
    assert words(told(text, tmp_path)) == [
        (4, "scopec does not model `cudaMalloc` in a kernel"),
        (5, "no matching function for call to 'own'"),
    ]
