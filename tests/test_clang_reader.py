"""Programs read by way of clang: what specs/ says of them holds, and what C++ says of constructs that scopec's own reader
does not know, or once got wrong."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.check import Settings, check
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.agreement import agreed, differences
from tests.conftest import REPOSITORY
from tests.specifications import some
from tests.test_clang_compiler import REFUSED

SPECS = REPOSITORY / "specs"
BY_CLANG = Overrides(reader="clang", cache=True)


@pytest.mark.parametrize(
    "path",
    some([p for p in sorted(SPECS.rglob("*.cu")) if str(p.relative_to(SPECS)) not in REFUSED], 27),
    ids=lambda p: str(p.relative_to(SPECS)),
)
def test_expectations_of_the_specifications_hold(path: Path) -> None:
    """Every expectation holds; program and questions are those that scopec reads by itself, if they are in its language.

    What is checked without being written differs: an index that is known needs no check.
    """
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    own, theirs = scoped_runs(path), [report.run for report in outcome.reports]
    if own:
        assert questions(theirs) == questions(own)
        for one, other in zip(own, theirs, strict=True):
            assert differences(agreed(one.graph), agreed(other.graph)) == []
    found = [
        (c.expectation.text, c.verdict, c.reason)
        for report in outcome.reports
        for c in report.checks
        if c.verdict != "holds"
    ]
    assert found == []


def scoped_runs(path: Path) -> tuple[Run, ...]:
    """The runs of a file in the scoped language; none of one that is not."""
    try:
        return plan(path, str(path), Overrides(reader="scoped")).runs
    except InputError:
        return ()


def test_so_many_specifications_are_in_the_scoped_language() -> None:
    """All that the test above compares, and those that are not C++."""
    own = {str(p.relative_to(SPECS)) for p in SPECS.rglob("*.cu") if scoped_runs(p)}
    assert len(own) == 199
    assert own >= set(REFUSED)


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
    assert {d.code.id for d in raised.value.diagnostics} == {"SCP006", "SCP014"}


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


EXCHANGED = """
#include <cuda/atomic>
__device__ int a = 1, b = 2;
__device__ cuda::atomic<int*, cuda::thread_scope_device> where{&b};
__device__ int out[2];
__global__ void k() {
    int* p = &a;
    for (int i = 0; i < 2; ++i) p = where.exchange(p);
    out[0] = *p;
    out[1] = *where.load();
}
//@ launch k<<<1, 1>>>();
//@ expect required out[0] == 1 && out[1] == 2;
"""


def test_a_pointer_is_exchanged_for_one_that_the_same_call_returned(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(EXCHANGED)], Settings(overrides=BY_CLANG, engine="embedded"))
    found = [(c.expectation.text, c.verdict) for r in outcome.reports for c in r.checks]
    assert [f for f in found if f[1] != "holds"] == []
    assert found


ATOMIC = "#include <cuda/atomic>\n__device__ cuda::atomic<int> a;\n__global__ void k() {{ {}; }}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("__device__ int x; __device__ float f; __global__ void k() { x = f * 2; }", "made of a floating-point number"),
        (
            "__device__ int x[2]; __global__ void k() { __builtin_memset(x, 0, 6); }",
            "6 bytes that are not whole numbers",
        ),
        ("__device__ int x[2]; __global__ void k() { __builtin_memset(x, 0, 12); }", "12 bytes that are not whole"),
        (
            "__device__ int x[2], y[4]; __global__ void k() { __builtin_memcpy(y, x, 16); }",
            "16 bytes that are not whole numbers of `x`",
        ),
        (ATOMIC.format("a.load(cuda::memory_order_release)"), "a load cannot have the order release"),
        (ATOMIC.format("a.store(1, cuda::memory_order_acquire)"), "a store cannot have the order acquire"),
        (ATOMIC.format("a.wait(1, cuda::memory_order_acq_rel)"), "a wait cannot have the order acq_rel"),
        (
            ATOMIC.format(
                "int n = 0; a.compare_exchange_weak(n, 1, cuda::memory_order_acq_rel, cuda::memory_order_acq_rel)"
            ),
            "a failed compare_exchange cannot have the order acq_rel",
        ),
    ],
)
def test_what_has_no_meaning_in_the_model_is_refused_not_guessed(
    text: str, what: str, write: Callable[..., Path]
) -> None:
    with pytest.raises(InputError) as raised:
        plan(write(f"{text}\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"), "p.cu", BY_CLANG)
    assert what in str(raised.value.diagnostics[0])


@pytest.mark.parametrize(
    ("object_", "index", "final"),
    [
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q;", "q.b[n % 4]", "q.b[1]"),
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q;", "q.b[n - 4]", "q.b[1]"),
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q;", "q.b[n + -4]", "q.b[1]"),
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q[2];", "q[n - 4].b[n % 4]", "q[1].b[1]"),
        ("struct P { int x, y; }; struct Q { int a; P p[3]; }; __device__ Q q;", "q.p[n - 4].y", "q.p[1].y"),
        ("__device__ int q[3][2];", "q[n - 3][n - 5]", "q[2][0]"),
    ],
)
def test_an_index_is_in_the_array_that_is_named(
    object_: str, index: str, final: str, write: Callable[..., Path]
) -> None:
    """Also where what is added to a value would reach another array of the same object."""
    text = f"""{object_}
__device__ cuda::atomic<int> from{{5}};
__global__ void k() {{ int n = from.load(); int* to = &{index}; n = from.load() - 5; *to = 7 + n; }}
//@ launch k<<<1, 1>>>();
//@ expect required {final} == 7;
"""
    (outcome,) = check([write(f"#include <cuda/atomic>\n{text}")], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict, c.reason) for c in report.checks if c.verdict != "holds"] == []


@pytest.mark.parametrize(
    ("index", "faults"),
    [("q.b[n - 1]", 1), ("q.b[n - 2]", 0), ("q.b[n - 6]", 1), ("q.a[n - 1]", 1), ("q.a[n - 2]", 0)],
)
def test_an_index_out_of_its_array_is_a_fault_though_it_is_in_the_object(
    index: str, faults: int, write: Callable[..., Path]
) -> None:
    text = f"""#include <cuda/atomic>
struct Q {{ int a[4]; int b[4]; }};
__device__ Q q;
__device__ cuda::atomic<int> from{{1}};
__global__ void k() {{ int n = from.load() + 4; {index} = 7; }}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    found = [(c.verdict, c.expectation.implicit) for c in report.checks if c.verdict != "holds"]
    assert found == [("violated", True)] * faults


ARRAYS = """#include <cuda/atomic>
struct P {{ int a[2], b[2]; }};
__device__ int x[3], y, n = 2;
__device__ P p;
__device__ cuda::atomic<int> c[2];
constexpr int known[3] = {{1, 2, 3}};
__global__ void k() {{
    int mine[2] = {{0, 0}}, i = {1};
    P q = {{}};
    {0}
}}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""


def test_a_variable_that_the_library_writes_has_what_it_wrote(write: Callable[..., Path]) -> None:
    text = """#include <cuda/atomic>
__device__ cuda::atomic<int> a{3};
__global__ void k() {
    int found = 1;
    bool done = a.compare_exchange_strong(found, 5);
}
//@ launch k<<<1, 1>>>();
//@ expect required k[0][0].found == 3 && k[0][0].done == 0;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks] == ["holds"]


def test_classes_of_odd_sizes_are_passed_whole(write: Callable[..., Path]) -> None:
    text = """struct S { char a, b, c, d, e; };
int out;
S made(char v) { return S{v, 2, 3, 4, 5}; }
int use(S s) { S copy = s; return copy.a + copy.e; }
int main() { S s = made(1); out = use(s); }
//@ expect required out == 6;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks if c.verdict != "holds"] == []
    assert outcome.exit_code == 0


@pytest.mark.parametrize("reader", ["auto", "clang"])
@pytest.mark.parametrize("index", ["2", "n"])
@pytest.mark.parametrize(
    "access",
    ["x[i + 1] = 1;", "y = x[i - 3];", "mine[i] = 1;", "y = mine[i];", "p.a[i] = 1;", "y = p.b[i];", "c[i].store(1);",
     "y = known[i + 1];", "q.a[i] = 1;", "y = q.b[i];", "int* at = x; at[i + 1] = 1;", "int* at = mine; y = at[i];",
     "int* at = mine; at[i] = 1;"],
)  # fmt: skip
def test_what_is_in_no_array_is_not_accessed(reader: str, index: str, access: str, write: Callable[..., Path]) -> None:
    """Whether the index is known or read, in memory that threads share and in memory of one thread."""
    path = write(ARRAYS.format(access, index))
    (outcome,) = check([path], Settings(overrides=Overrides(reader=reader), engine="embedded"))
    (report,) = outcome.reports
    assert [c.expectation.text for c in report.checks if c.verdict != "holds"] == [
        "indices, pointers and arithmetic are valid"
    ]


@pytest.mark.parametrize("reader", ["scoped", "clang"])
@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("x = mapped, align = two", "`two` is not an alignment"),
        ("x = mapped, width = 2", "`width` cannot be set here"),
        ("x = paper", "`paper` is not a kind of memory"),
        ("y = mapped", "there is no object `y`"),
    ],
)
def test_what_cannot_be_said_of_storage(reader: str, said: str, what: str, write: Callable[..., Path]) -> None:
    text = f"__device__ int x;\nint main() {{ x = 1; }}\n//@ storage {said};\n//@ expect race_free;\n"
    with pytest.raises(InputError) as raised:
        plan(write(text), "p.cu", Overrides(reader=reader))
    assert str(raised.value.diagnostics[0]).startswith("p.cu:3:")
    assert what in str(raised.value.diagnostics[0])


LAUNCHES = """__device__ int x;
__global__ void k() {{ if (threadIdx.x == 0) x = 1; }}
__global__ void __cluster_dims__(2, 1, 1) pairs() {{}}
int main() {{
    {}
    cudaDeviceSynchronize();
}}
//@ expect terminates;
"""


@pytest.mark.parametrize(
    ("launch", "what"),
    [
        ("k<<<1, 1025>>>();", "a block of 1025 threads"),
        ("k<<<1000, 1000>>>();", "a launch of 1000000 threads"),
        ("pairs<<<3, 1>>>();", "a grid of 3x1x1 blocks cannot be divided into clusters of 2x1x1"),
        (
            "cudaStream_t s; cudaSetDevice(1); cudaStreamCreate(&s); cudaSetDevice(0); k<<<1, 1, 0, s>>>();",
            "stream `s` belongs to device 1, device 0 is current",
        ),
    ],
)
def test_what_a_launch_has_to_fit(launch: str, what: str, write: Callable[..., Path]) -> None:
    with pytest.raises(InputError) as raised:
        plan(write(LAUNCHES.format(launch)), "p.cu", BY_CLANG)
    assert what in str(raised.value.diagnostics[0])


def test_attributes_of_a_launch_are_as_many_as_it_says(write: Callable[..., Path]) -> None:
    text = """cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = 1;
    cudaLaunchConfig_t config = {{0}};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = a;
    config.numAttrs = {};
    cudaLaunchKernelEx(&config, k);"""
    for count in (0, 1):
        (run,) = plan(write(LAUNCHES.format(text.format(count))), "p.cu", BY_CLANG).runs
        assert run.program.grids["k"].cooperative == bool(count)


def test_a_launch_is_one_grid(write: Callable[..., Path]) -> None:
    """What was decided before leaves two states behind, in which a launch would be two grids."""
    text = """#include <atomic>
std::atomic<int> from{1};
__global__ void k() {}
int main() {
    int* known = nullptr;
    int one = 1;
    if (from.load()) known = &one;
    k<<<1, 1>>>();
    if (known) from = *known;
}
"""
    with pytest.raises(InputError, match=r"p\.cu:8:.*in several states"):
        plan(write(text), "p.cu", replace(BY_CLANG, guess=False))


def test_values_outlive_the_registers_that_they_are_read_from(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(ROTATED)], Settings(overrides=BY_CLANG, engine="embedded"))
    found = [(c.expectation.text, c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert [f for f in found if f[1] != "holds"] == []
    assert len(found) >= 6


OBJECTS = """
struct Counted {
    int x;
    __device__ Counted(int v) : x(v) {}
    __device__ Counted(const Counted& other) : x(other.x) {}
    __device__ ~Counted();
    __device__ int twice(int v) { return 2 * v + x; }
};
__device__ int gone, result;
__device__ Counted::~Counted() { gone = 10 * gone + x; }
__device__ void changed(Counted one) { one.x += 4; }
__global__ void k() {
    Counted one(1);
    changed(one);
    int (Counted::*member)(int) = &Counted::twice;
    result = (one.*member)(3);
    goto end;
    result = 0;
end:;
}
struct Base { int x = 1; virtual int f() { return x; } };
struct Derived : Base { int y[2] = {3, 4}; int f() override { return x + y[1]; } };
int made;
int main() {
    Base* object = new Derived;
    made = object->f();
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
//@ expect required gone == 51 && result == 7 && made == 5;
"""


def test_objects_of_classes_are_those_of_cpp(write: Callable[..., Path]) -> None:
    """A parameter is the object that the caller destroys, on devices too; `new` makes one of its type; labels; members."""
    (outcome,) = check([write(OBJECTS)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict) for c in report.checks if c.verdict != "holds"] == []
    assert report.checks


def test_another_name_of_a_function_is_the_function(write: Callable[..., Path]) -> None:
    text = """
__device__ int gone;
extern "C" __device__ void f() { gone = 3; }
extern "C" __device__ void g() __attribute__((alias("f")));
__global__ void k() { g(); }
//@ launch k<<<1, 1>>>();
//@ expect required gone == 3;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks] == ["holds"]


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
    either = checked("p.cu", "--reader", "auto", *flags, cwd=build)
    assert (either.returncode, either.stderr) == (0, "")
    assert checked("p.cu", *flags, cwd=build).returncode == 0
    alone = checked("p.cu", "--reader", "scoped", *flags, cwd=build)
    assert (alone.returncode, alone.stderr) == (
        2, "scopec: -I, -D, -U, --std, --include and -p are for `--reader clang` and `--reader auto`\n"
    )  # fmt: skip


def test_without_a_clang_the_file_is_not_answered(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_CLANG", "/none")
    done = checked("p.cu", "--reader", "clang", cwd=build)
    assert done.returncode == 3
    assert "p.cu: SCOPEC_CLANG names no program: `/none`" in done.stderr


@pytest.mark.parametrize(
    "entry",
    [{"command": 1}, {"command": "nvcc 'p.cu"}, {"arguments": 1}, {"arguments": ["-DN=1", 2]}, {"command": "nvcc -I\\0x p.cu"},
     {"arguments": ["-I", "\\0"]}, {"arguments": ["-DX=\\ud800"]}, {"command": ["nvcc"]}],
    ids=str,
)  # fmt: skip
def test_a_compilation_database_that_is_none(entry: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text("__global__ void k() {}\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n")
    text = json.dumps([{"directory": str(tmp_path), "file": "p.cu", **entry}]).replace("\\\\", "\\")
    (tmp_path / "compile_commands.json").write_text(text.replace("\\0", "\\u0000"))
    done = checked("p.cu", "--reader", "clang", "-p", ".", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "is not as the format has it [SCP002]" in done.stderr


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
//@ expect terminates;
"""
    warnings = plan(write(text), "p.cu", BY_CLANG).warnings
    assert [(d.code.id, d.span.line) for d in warnings] == [("SCP042", 3)]


#: Programs of constructs that are easily read wrong, with all that C++ says of them.
CONSTRUCTS = {
    "temporaries, members, elements and parameters are destroyed": """
__device__ int plain, members, elements, parameters, copies;
struct T {
    int v, *log;
    __device__ T(int v, int* log) : v(v), log(log) { *log = *log * 10 + v; }
    __device__ ~T() { *log = *log * 10 + v + 4; }
    __device__ T(const T& o) : v(o.v + 1), log(o.log) { copies += 1; }
    __device__ T(T&& o) : v(o.v + 2), log(o.log) { o.v = 0; copies += 10; }
};
struct M { T a, b; __device__ M(int* log) : a(1, log), b(2, log) {} };
__device__ int value(T t) { return t.v; }
__device__ T make(int* log) { return T(3, log); }
__global__ void k() {
    int log = 0;
    T(1, &log); log = log * 10 + 9;
    plain = log; log = 0;
    { M m(&log); }
    members = log; log = 0;
    { T e[2] = {{1, &log}, {2, &log}}; }
    elements = log; log = 0;
    { T t(1, &log); log += 80 * value(t); log += value(make(&log)); T moved = static_cast<T&&>(t); }
    parameters = log;
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect required plain == 159 && members == 1265 && elements == 1265;
//@ expect required copies == 11 && parameters == 16166774;
""",
    "literals have their types": """
#include <type_traits>
int g[15], n, q;
long big;
int main() {
    g[0] = -1 < 0xFFFFFFFF; g[1] = sizeof 2147483648; g[2] = sizeof 'a'; g[3] = -1 < 4294967295;
    g[4] = 0b1011; g[5] = 1'000'000; g[6] = sizeof 1u; g[7] = sizeof 1l; g[8] = sizeof 1ll; g[9] = -1 > 0u;
    g[10] = std::is_same_v<decltype(0xFFFFFFFF), unsigned>; g[11] = std::is_same_v<decltype(4294967295), long>;
    g[12] = 017; g[13] = -1 > 0ul; g[14] = std::is_same_v<decltype(1ull), unsigned long long>;
    big = 2147483648;
#if -1 > 0u
    n = 1;
#endif
#if 'a' == 97 && 0b11 == 3 && 1'0 == 10
    q = 5;
#endif
}
//@ expect required g[0] == 0 && g[1] == 8 && g[2] == 1 && g[3] == 1 && g[4] == 11 && g[5] == 1000000;
//@ expect required g[6] == 4 && g[7] == 8 && g[8] == 8 && g[9] == 1 && g[10] == 1 && g[11] == 1 && g[12] == 15;
//@ expect required g[13] == 1 && g[14] == 1 && big == 2147483648 && n == 1 && q == 5;
""",
    "names, default arguments and static variables of instances": """
#include <thread>
int x = 1;
namespace a { int x = 2; int f() { int x = 4; { int x = 8; (void)x; } return ::x + 10 * a::x + 100 * x; } }
int later(int p = ::x + a::x, int q = 7) { return 10 * p + q; }
template <class T> int next() { static int calls = 0; return ++calls; }
int fa, d0, d1, d2, s1, s2, r, q;
int main() {
    fa = a::f(); d0 = later(); x = 5; d1 = later(); d2 = later(1);
    next<int>(); next<int>(); s1 = next<int>(); s2 = next<long>();
    { int x = 1; std::thread t([&] { x += 1; }); t.join(); r = x; }
    { long x = 1L << 40; std::thread t([&] { x += 1; }); t.join(); q = x >> 40; }
}
//@ expect required fa == 421 && d0 == 37 && d1 == 77 && d2 == 17 && s1 == 3 && s2 == 1 && r == 2 && q == 1;
""",
    "what threads of the host capture": """
#include <thread>
int out[3], seen;
struct S {
    int v = 0, w = 0;
    void go() { std::thread t([this] { v = 7; }); w = 3; t.join(); seen = v + w; }
};
S s;
int main() {
    int local = 1, *p = &local, &r = local;
    std::thread a([&] { local = 2; }); a.join();
    std::thread b([p] { *p += 3; }); b.join();
    std::thread c([&r] { r *= 10; }); c.join();
    s.go();
    for (int i = 0; i < 3; i++) { std::thread t([i] { out[i] = i + 10; }); t.join(); }
    out[0] += local;
}
//@ expect required out[0] == 60 && out[1] == 11 && out[2] == 12 && seen == 10;
//@ expect race_free;
""",
    "races on what threads of the host capture": """
#include <thread>
struct S { int v = 0; void go() { std::thread t([this] { v = 7; }); v = 3; t.join(); } };
int main() {
    S s;
    s.go();
    int l = 0, *p = &l;
    std::thread t([p] { *p = 1; });
    l = 2;
    t.join();
}
//@ expect race on s;
//@ expect race on l;
""",
    "unions and bit-fields of one thread": """
union Word { unsigned word; unsigned char bytes[4]; };
union Same { int i; unsigned u; };
struct Bits { unsigned a : 3, b : 5, c : 8; int d : 4; unsigned e : 12; };
__device__ int r[10];
__global__ void k() {
    Word w; w.word = 0x04030201; r[0] = w.bytes[1]; w.bytes[3] = 9; r[1] = w.word == 0x09030201;
    Same s; s.u = 0xFFFFFFFB; r[2] = s.i;
    Bits l{}; l.a = 9; l.b = 31; l.c = 0x1ff; l.d = 9; l.e = 0xabc;
    r[3] = l.a; r[4] = l.b; r[5] = l.c; r[6] = l.d; r[7] = l.e;
    l.b = 2; r[8] = l.a * 100 + l.b; r[9] = sizeof l;
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect required r[0] == 2 && r[1] == 1 && r[2] == -5 && r[3] == 1 && r[4] == 31 && r[5] == 255 && r[6] == -7;
//@ expect required r[7] == 2748 && r[8] == 102 && r[9] == 4;
""",
    "bytes of constant tables": """
int r;
constexpr unsigned char bytes[4] = {1, 2, 3, 4};
const int words[2] = {0x01020304, 5};
int main() {
    r = *reinterpret_cast<const int*>(&bytes[0]) == 0x04030201;
    r += 10 * reinterpret_cast<const unsigned char*>(words)[1];
}
//@ expect required r == 31;
""",
    "launches without brackets": """
#include <cooperative_groups.h>
__device__ int r[6], none;
__global__ void k(int* p, int n) { p[threadIdx.x] = n + threadIdx.x; }
__global__ void empty() { none = 3; }
__global__ void together(int n) { cooperative_groups::this_grid().sync(); r[3 + blockIdx.x] = n; }
int main() {
    int *p, n = 5;
    cudaGetSymbolAddress((void**)&p, r);
    void* arguments[] = {&p, &n};
    cudaLaunchKernel((void*)k, dim3(1), dim3(2), arguments, 0, 0);
    void* nothing[] = {nullptr};
    cudaLaunchKernel((const void*)empty, dim3(1), dim3(1), nothing, 0, nullptr);
    n = 8;
    void* other[] = {&n};
    cudaLaunchCooperativeKernel((void*)together, dim3(2), dim3(1), other);
    n = 9;
    cudaDeviceSynchronize();
}
//@ expect required r[0] == 5 && r[1] == 6 && r[3] == 8 && r[4] == 8 && none == 3;
""",
    "parameters of kernels": """
struct Params { int n; int* out; struct { int lo, hi; } range; };
template <class T> struct Box {
    T v;
    __host__ __device__ Box(T v) : v(v) {}
    __device__ T get() const { return v; }
};
template <int N, class T> __global__ void fill(Params p, T t, bool first, char c, int2 pair, float) {
    for (int i = p.range.lo; i < p.range.hi; i++) p.out[i] = N * i + t.get();
    if (first) p.out[0] = p.n + c + pair.y;
}
__device__ int r[4];
int main() {
    Params p;
    cudaGetSymbolAddress((void**)&p.out, r);
    p.n = 3;
    p.range = {1, 4};
    fill<10><<<1, 1>>>(p, Box<int>(2), true, 'a', make_int2(1, 200), 1.5f);
    p.n = 0;
    cudaDeviceSynchronize();
}
//@ expect required r[0] == 300 && r[1] == 12 && r[2] == 22 && r[3] == 32;
""",
    "accesses that cover several elements": """
#include <utility>
__device__ unsigned g[4];
__device__ unsigned char c[8];
__device__ int r[10], buffer[8];
__device__ float f[2];
__device__ int4 v;
std::pair<int, int> p{1, 2};
int both;
__global__ void k(int i) {
    *reinterpret_cast<unsigned long*>(&g[2]) = 0x0000000500000006ul; r[0] = g[2]; r[1] = g[3];
    r[2] = *reinterpret_cast<int*>(g + 3); r[3] = reinterpret_cast<unsigned long*>(g)[i] == 0x0000000500000006ul;
    reinterpret_cast<int*>(c)[1] = 0x04030281; r[4] = c[4]; r[5] = reinterpret_cast<short*>(c)[i + 1];
    *reinterpret_cast<long*>(f) = *reinterpret_cast<long*>(g);
    __shared__ int4 s[2];
    s[1] = make_int4(1, 2, 3, 4); int4 l = s[1]; l.y += 10; v = l;
    int2 t = {l.x, l.w};
    r[6] = t.x; r[7] = t.y; r[8] = v.y; r[9] = sizeof(int4) + alignof(int4);
    reinterpret_cast<int4*>(buffer)[1] = make_int4(5, 6, 7, 8);
}
int main() { both = p.first * 10 + p.second; k<<<1, 1>>>(1); cudaDeviceSynchronize(); }
//@ expect required r[0] == 6 && r[1] == 5 && r[2] == 5 && r[3] == 1 && r[4] == 129 && r[5] == 641;
//@ expect required r[6] == 1 && r[7] == 4 && r[8] == 12 && r[9] == 32 && v.y == 12 && v.z == 3;
//@ expect required buffer[3] == 0 && buffer[4] == 5 && buffer[7] == 8 && both == 12;
""",
    "shared memory of the launch": """
__device__ int r[5];
extern __shared__ char bytes[];
template <class T> __device__ T* memory() { extern __shared__ T mine[]; return mine; }
__global__ void k() {
    int* s = reinterpret_cast<int*>(bytes);
    s[threadIdx.x] = 100000 + threadIdx.x;
    __syncthreads();
    r[threadIdx.x] = s[1 - threadIdx.x];
}
__global__ void sum(int n) {
    memory<int>()[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) for (int i = 0; i < n; i++) r[2] += memory<int>()[i];
}
int main() {
    k<<<1, 2, 8>>>();
    cudaDeviceSynchronize();
    sum<<<1, 3, 3 * sizeof(int)>>>(3);
    cudaDeviceSynchronize();
}
//@ expect required r[0] == 100001 && r[1] == 100000 && r[2] == 6;
""",
    "pointers to functions and tables of pointers": """
typedef int (*F)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ F table[2] = {twice, thrice};
__constant__ F fixed[2] = {thrice, twice};
__device__ int a = 5, b = 6, r[8];
__device__ int* const pointers[2] = {&b, &a};
__constant__ int* others[2] = {&a, &b};
struct Node { int v[3]; Node* next; };
__device__ Node n0, n1;
__device__ int apply(F f, int x) { return f(x); }
__global__ void k(int i) {
    F f = i ? twice : thrice;
    r[0] = f(5); r[1] = table[i](7); r[2] = fixed[i](7); r[3] = *pointers[i]; r[4] = *others[i];
    n0.next = &n1; n0.next->v[2] = 4; r[5] = n1.v[i + 1];
    r[6] = apply([](int q) { return q + 1; }, 1); r[7] = apply(thrice, 4);
}
int main() { k<<<1, 1>>>(1); cudaDeviceSynchronize(); }
//@ expect required r[0] == 10 && r[1] == 21 && r[2] == 14 && r[3] == 5 && r[4] == 6 && r[5] == 4 && r[6] == 2;
//@ expect required r[7] == 12;
""",
    "streams that a loop creates differ": """
__device__ int x;
__global__ void w() { x = 1; }
int main() {
    cudaStream_t s[2];
    for (int i = 0; i < 2; i++) cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) w<<<1, 1, 0, s[i]>>>();
    cudaDeviceSynchronize();
}
//@ expect race on x;
""",
    "a launch before a loop of the host is one": """
__device__ int x;
int y;
__global__ void k(int v) { int a = v; x = a; }
int main() {
    k<<<1, 1>>>(1);
    cudaDeviceSynchronize();
    for (int i = 0; i < 20; i++) { if (y == 7) break; y = i; }
    k<<<1, 1>>>(2);
    cudaDeviceSynchronize();
}
//@ expect required k[0][0].a == 1 && x == 2;
//@ bound unroll = 25;
""",
}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_constructs_are_those_of_cpp(write: Callable[..., Path], construct: str) -> None:
    (outcome,) = check([write(CONSTRUCTS[construct])], Settings(overrides=BY_CLANG, engine="embedded"))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict, c.reason) for c in report.checks if c.verdict != "holds"] == []
    assert report.checks


def test_a_quoted_include_decides_a_branch(write: Callable[..., Path]) -> None:
    write('#pragma once\n#include "other.h"\n__device__ int helper(int v) { return OTHER + v; }\n', "lib/choice.h")
    write("#define CHOICE 3\n#define OTHER 40\n", "lib/other.h")
    text = """#include "lib/choice.h"
__device__ int x;
__global__ void k() {
#if CHOICE == 3
    x = helper(1);
#else
    x = 2;
#endif
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect required x == 41;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [c.verdict for c in report.checks] == ["holds"]


DEVICE = "\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n//@ expect race_free;\n"
HOST = "\n//@ expect race_free;\n"


@pytest.mark.parametrize(
    ("text", "said", "word", "line", "column"),
    [
        ('int n;\n  #include "absent.h"\nint main() {}' + HOST, "'absent.h' file not found", '"', 2, 12),
        ("int main() {\n\t/* ü€ */ no_such_name + 1; }" + HOST, "undeclared identifier", "no_such_name", 2, 11),
        ("void f(int v) {\n\t/* ü */ if (v) throw 3; }\nint main() { f(1); }" + HOST, "exception", "throw", 2, 17),
        ("__device__ int f(int n) { return f(n + 1) + 1; }\n__global__ void k() { f(2); }" + DEVICE,
         "for ever", "f(n + 1)", 1, 34),
        ('__global__ void k() {\n\t/* ü */ asm volatile("cp.async.bulk.wait_group 0;"); }' + DEVICE, "`cp.async.bulk.wait_group`",
         'asm volatile("cp.async.bulk.wait_group 0;")', 2, 10),
        ("__global__ void k() {\n  /* ü */\t__shfl_sync(2, 1, 0); }" + DEVICE, "lane 0 is not in the mask 0x2", "__shfl_sync(2, 1, 0)", 2, 11),
        ("__global__ void child() {}\n__global__ void k() { child<<<1, 1>>>(); }" + DEVICE,
         "kernel launch from __device__", "<", 2, 28),
        ("__global__ void k(cudaTextureObject_t t) {}" + DEVICE, "cudaTextureObject_t", "cudaTextureObject_t", 1, 19),
        ("struct B { unsigned a : 20, b : 20; };\n__device__ B u;\n__global__ void k() { u.b = 1; }" + DEVICE,
         "`u.a`, a bit-field", "__device__", 2, 1),
        ("__device__ int r;\n__global__ void k() { int g, *p = &g; r = (unsigned long)p % 7; }" + DEVICE,
         "an address as a number", "(unsigned long)p % 7", 2, 43),
        ('__device__ int x;\n__global__ void k() { /* ü */\tatomicAdd(&x, "a"); }' + DEVICE,
         "no matching function", "atomicAdd", 2, 31),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_refused_where_it_stands(
    write: Callable[..., Path], text: str, said: str, word: str, line: int, column: int
) -> None:
    path = write(text)
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded"))
    found = next(d for d in outcome.diagnostics if d.severity == "error")
    assert said in found.message
    assert (found.span.file, found.span.line, found.span.column) == (str(path), line, column)
    assert text.splitlines()[line - 1][column - 1 : found.span.end_column - 1] == word
