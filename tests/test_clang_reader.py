"""Programs read by way of clang: what specs/ says of them holds, and what C++ says of constructs that scopec's own reader
does not know, or once got wrong."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from scopec.session.run import Run
from tests.conftest import REPOSITORY
from tests.test_clang_compiler import REFUSED

SPECS = REPOSITORY / "specs"
BY_CLANG = Overrides(reader="clang")


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(SPECS.rglob("*.cu")) if str(p.relative_to(SPECS)) not in REFUSED],
    ids=lambda p: str(p.relative_to(SPECS)),
)
def test_expectations_of_the_specifications_hold(path: Path) -> None:
    """The same questions as of the text that scopec reads by itself, and every expectation holds.

    What is checked without being written differs: an index that is known needs no check.
    """
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    own = plan(path, str(path), Overrides())
    assert questions(report.run for report in outcome.reports) == questions(own.runs)
    found = [
        (c.expectation.text, c.verdict, c.reason)
        for report in outcome.reports
        for c in report.checks
        if c.verdict != "holds"
    ]
    assert found == []


def questions(runs: Iterable[Run]) -> list[tuple[dict[str, str], str, str, list[str]]]:
    """What is asked: by variant, memory model and progress model."""
    return [
        (dict(r.program.variant), r.model.name, r.progress.name, [c.text for c in r.checks if not c.implicit])
        for r in runs
    ]


def test_programs_that_are_no_cpp_are_refused_with_all_that_clang_says() -> None:
    path = SPECS / "cuda-execution-model" / "api-2.cu"
    with pytest.raises(InputError) as raised:
        plan(path, path.name, BY_CLANG)
    assert len(raised.value.diagnostics) > 1
    assert {d.code.id for d in raised.value.diagnostics} == {"SCP006"}


WHOLE = """
#include <cassert>
int counter = 0;
struct Log {
    int v;
    Log(int v) : v(v) { counter += v; }
    ~Log() { counter += 100; }
    virtual int f() const { return v; }
};
struct More : Log {
    More() : Log(7) {}
    int f() const override { return 2 * v; }
};
Log made_before_main(3);
template <class T> T twice(T x) { return x + x; }
__device__ int out;
struct Counted {
    int a;
    __device__ Counted(int a) : a(a) { out += 1; }
    __device__ ~Counted() { out += 10; }
    __device__ Counted(const Counted& other) : a(other.a + 1) { out += 100; }
};
__device__ int use(Counted by_value) { return by_value.a; }
__global__ void k() {
    Counted one(1);
    out += 1000 * use(one);
}
int main() {
    { Log temporary(5); }
    More more;
    const Log& base = more;
    assert(base.f() == 14);
    assert(counter == 115);
    int n = twice<int>(4);
    auto add = [n](int x) { return n + x; };
    assert(add(2) == 10);
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
//@ expect required out == 2121;
//@ expect required counter == 315;
"""


def test_classes_templates_and_static_objects_are_those_of_cpp(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(WHOLE)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict) for c in report.checks if c.verdict != "holds"] == []
    assert len(report.checks) >= 5
