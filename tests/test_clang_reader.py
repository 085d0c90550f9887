"""Programs read by way of clang: what specs/ says of them holds, and what C++ says of constructs that scopec's own reader
does not know, or once got wrong."""

import json
import shlex
import subprocess
import sys
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


PLACES = """
#include <thread>
struct Pair { int x, y; };
template <class T> int count() { static int n = 0; return ++n; }
__device__ int* where;
__global__ void k(int n) {
    int mine = n;
    where = &mine;
    *where = mine + 1;
}
int main() {
    Pair one = {};
    one.y = 4;
    Pair other = one;
    count<int>();
    count<int>();
    int first = count<char>();
    int result = 0;
    std::thread a([&] { result = 5; });
    a.join();
    k<<<1, 1>>>(3);
    cudaDeviceSynchronize();
    int seen = result;
}
//@ expect required main.one.x == 0 && main.one.y == 4 && main.other.x == 0 && main.other.y == 4;
//@ expect required main.first == 1 && main.seen == 5;
//@ expect required k[0][0].mine == 4;
//@ expect race_free;
"""


def test_variables_have_their_values_wherever_they_are(write: Callable[..., Path]) -> None:
    """In registers, written as a whole or in parts; in memory that others know of; one static variable an instance."""
    (outcome,) = check([write(PLACES)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict) for c in report.checks if c.verdict != "holds"] == []
    assert len(report.checks) >= 4


ROTATED = """
constexpr int TIMES = 3;
__device__ int in[3] = {1, 2, 3}, times = 5, out[5];
__global__ void k() {
    int a = in[0], b = in[1], c = in[2];
    for (int i = 0; i < TIMES; ++i) {
        int t = a;
        a = b;
        b = c;
        c = t + 10;
    }
    out[0] = a, out[1] = b, out[2] = c;
    int first = in[0], second = in[1];
    for (int i = 0, n = times; i < n; ++i) {
        int old = second++;
        second = first + old;
        first = old;
    }
    out[3] = first, out[4] = second;
}
//@ launch k<<<1, 1>>>();
//@ bound unroll = 6;
//@ vary TIMES in {0, 3, 5};
//@ expect required out[0] == 1 && out[1] == 2 && out[2] == 3 when TIMES == 0;
//@ expect required out[0] == 11 && out[1] == 12 && out[2] == 13 when TIMES == 3;
//@ expect required out[0] == 13 && out[1] == 21 && out[2] == 22 when TIMES == 5;
//@ expect required out[3] == 13 && out[4] == 21;
"""


def test_values_outlive_the_registers_that_they_are_read_from(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(ROTATED)], Settings(overrides=BY_CLANG, engine="embedded"))
    found = [(c.expectation.text, c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert [f for f in found if f[1] != "holds"] == []
    assert len(found) >= 6


FLAGS = """
#include <settings.h>
#ifndef FORCED
#error "not forced"
#endif
__global__ void k(int* out) { *out = VALUE + FIRST; }
//@ object __device__ int out;
//@ launch k<<<1, 1>>>(&out);
//@ expect required out == 42;
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "with space").mkdir()
    (tmp_path / "with space" / "settings.h").write_text("#define VALUE 40\n")
    (tmp_path / "forced.h").write_text("#define FORCED\n")
    (tmp_path / "p.cu").write_text(FLAGS)
    return tmp_path


def checked(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "--no-cache", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_flags_of_the_command_line(build: Path) -> None:
    flags = ("-I", "with space", "-DFIRST=2", "-D", "VALUES", "-U", "VALUES", "--include", "forced.h", "--std", "c++17")
    done = checked("p.cu", "--reader", "clang", *flags, cwd=build)
    assert (done.returncode, done.stderr) == (0, "")
    missing = checked("p.cu", "--reader", "clang", cwd=build)
    assert missing.returncode == 2
    assert "p.cu:2:10: error: 'settings.h' file not found" in missing.stderr
    alone = checked("p.cu", *flags, cwd=build)
    assert (alone.returncode, alone.stderr) == (
        2, "scopec: -I, -D, -U, --std, --include and -p are for `--reader clang`\n"
    )  # fmt: skip


def test_without_a_clang_the_file_is_not_answered(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_CLANG", "/none")
    done = checked("p.cu", "--reader", "clang", cwd=build)
    assert done.returncode == 3
    assert "p.cu: SCOPEC_CLANG names no program: `/none`" in done.stderr


@pytest.mark.parametrize("form", ["arguments", "command"])
def test_a_compilation_database(build: Path, form: str) -> None:
    words = ["clang++", "-std=gnu++17", "-I", "with space", "-DFIRST=2", "-includeforced.h", "-O2", "-c", "p.cu"]
    said = words if form == "arguments" else shlex.join(words)
    entry = {"directory": str(build), "file": "p.cu", form: said}
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    done = checked("p.cu", "--reader", "clang", "-p", ".", cwd=build)
    assert (done.returncode, done.stderr) == (0, "")
    (build / "q.cu").write_text(FLAGS)
    other = checked("q.cu", "--reader", "clang", "-p", ".", cwd=build)
    assert other.returncode == 2
    assert "q.cu:1:1: error: compile_commands.json has no entry for q.cu [SCP002]" in other.stderr
    (build / "compile_commands.json").write_text("{")
    assert (
        "cannot be read as a compilation database" in checked("p.cu", "--reader", "clang", "-p", ".", cwd=build).stderr
    )


def test_a_barrier_that_not_every_thread_reaches_is_known_by_its_place(write: Callable[..., Path]) -> None:
    text = """__device__ int out[2];
__global__ void k() {
    if (threadIdx.x == 0) __syncthreads();
    out[threadIdx.x] = 1;
    __syncthreads();
}
//@ launch k<<<1, 2>>>();
//@ expect may_hang;
"""
    warnings = plan(write(text), "p.cu", BY_CLANG).warnings
    assert [(d.code.id, d.span.line) for d in warnings] == [("SCP042", 3)]
