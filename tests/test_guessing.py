"""Launches that are guessed for kernels that nothing launches: what is taken, what is told, and where it is refused."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import scopec as api
from scopec.base.source import Source
from scopec.frontends.clang.compiler import Refused
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.host_code import without_host
from scopec.frontends.clang.kernels import kernels
from scopec.frontends.clang.template_arguments import accepted_names
from tests.command import scopec
from tests.guesses import asked, directives

TWO = """\
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void count(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[0] += in[i];
}
"""
#: Host code that scopec has no headers for, and that would launch four thousand blocks.
WITH_HOST = """\
#include <regex>
#include "of_a_library.h"
std::regex table;
library::handle handle = library::open("x");
static int looked_up(int x, int otherwise = 0) { return table.mark_count() ? x : otherwise; }
__device__ int twice(int x) { return 2 * x; }
__global__ void k(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = twice(i);
}
int main(int argc, char** argv) {
    int* a;
    cudaMalloc(&a, 1000000 * sizeof(int));
    k<<<4000, 256>>>(a, looked_up(argc));
}
"""


def test_each_kernel_is_asked_under_a_launch_of_its_own(write: Callable[..., Path]) -> None:
    done = scopec("check", write(TWO, "two.cu"), "--engine", "embedded")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    begin = next(n for n, line in enumerate(lines) if "[kernel = add, guessed launch]" in line)
    assert lines[begin + 1 : begin + 7] == [
        "  guessed (`scopec init` writes it down):",
        "      //@ object __device__ float a[16], b[16], c[16];",
        "      //@ launch add<<<2, 2>>>(a, b, c, 4);",
        "      note: no two threads come to an element that one of them writes",
        "  holds for the guessed launch  race_free",
        "  holds for the guessed launch  terminates",
    ]
    assert "  violated for the guessed launch  race_free: a data race on `out[0]`" in lines


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("k(int* a) { a[threadIdx.x * 50] = 1; }", "object __device__ int a[256];"),
        ("k(int* a) { a[threadIdx.x * 40000] = 1; }", "object __device__ int a[65536];"),
        ("k(int (*rows)[4]) { rows[threadIdx.x][2] = 1; }", "object __device__ int rows[16][4];"),
        ("k(int* a) { a[threadIdx.y * 2 + threadIdx.x] = 1; }", "launch k<<<1, dim3(2, 2)>>>(a);"),
        ("k(int* a, bool b, float f) { a[threadIdx.x] = b; }", "launch k<<<1, 2>>>(a, true, 4);"),
        ("k(int* a) { extern __shared__ int s[]; s[threadIdx.x] = 1; a[threadIdx.x] = s[threadIdx.x]; }",
         "launch k<<<1, 64, 4096>>>(a);"),
        ("k(int** a) { a[threadIdx.x][0] = 1; }",
         "object __device__ int* a[4] = {a_0, a_1, a_2, a_3};"),
    ],
)  # fmt: skip
def test_objects_and_shapes_are_those_that_the_indices_need(kernel: str, expected: str, tmp_path: Path) -> None:
    (found,) = directives(f"__global__ void {kernel}\n", tmp_path)
    assert expected in found


def test_aggregates_are_given_member_by_member(tmp_path: Path) -> None:
    text = "namespace n { struct P { int* to; int count; }; __global__ void k(P p) { p.to[threadIdx.x] = p.count; } }\n"
    assert directives(text, tmp_path) == [["object __device__ int p_to[16];", "launch n::k<<<1, 2>>>(n::P{p_to, 4});"]]


@pytest.mark.parametrize("parameter", ["P* p", "P (*p)[2]"])
@pytest.mark.sampled(1)
def test_objects_of_classes_that_only_the_host_constructs_are_storage(parameter: str, tmp_path: Path) -> None:
    text = f"""\
struct P {{ int n; P(int count) : n(count) {{}} __device__ void add(int k) {{ n += k; }} }};
template <class T> struct Q {{ Q() : a{{}} {{}} T a[3]; }};
__device__ int q;
__global__ void k({parameter}) {{ {"p" if "(" not in parameter else "p[1]"}[threadIdx.x].add(3); }}
__global__ void m(Q<int>* q) {{ q[threadIdx.x].a[0] = 1; }}
__global__ void r(P* p) {{ p[0].add(3); }}
"""
    found = asked(text, tmp_path)
    rows = "[2]" if "(" in parameter else ""
    k, m, r = found["programs"]  # type: ignore[misc]
    declared = f"char none[16 * sizeof(P{rows})]; P elements[16]{rows}; constexpr p_storage() : none{{}} {{}}"
    assert k["directives"] == [
        f"object __device__ union p_storage {{ {declared} }} p;",
        "launch k<<<1, 2>>>(p.elements);",
    ]
    assert m["directives"][-1] == "launch m<<<1, 2>>>(m_q.elements);"
    assert [c["verdict"] for one in (k, m, r) for c in one["checks"]][::2] == ["holds", "holds", "violated"]


def test_templates_have_arguments_of_a_launch_or_chosen_ones(tmp_path: Path) -> None:
    text = """\
template <typename T, int N> __global__ void a(T* x) { x[threadIdx.x] = N; }
template <typename T, bool B = true> __global__ void b(T* x) { x[threadIdx.x] = B; }
void host(float* x) { a<float, 3><<<1, 32>>>(x); }
"""
    found = [one[-1] for one in directives(text, tmp_path)]
    assert found == ["launch a<float, 3><<<1, 2>>>(x);", "launch b<int><<<1, 2>>>(x);"] or found == [
        "launch a<float, 3><<<1, 2>>>(x);",
        "launch b<int, true><<<1, 2>>>(x);",
    ]


def test_a_template_for_which_no_arguments_are_known_is_told_and_keeps_no_other_from_its_question(
    tmp_path: Path,
) -> None:
    text = """\
namespace n { struct S { using type = int; }; }
template <typename T> __global__ void needs(typename T::type* x) { x[threadIdx.x] = 1; }
template <typename... T> __global__ void many(T... x) {}
template <typename T> __global__ void plain(T* x) { x[threadIdx.x] = 1; }
template <typename T> __global__ void made(typename T::type* x) { x[threadIdx.x] = 1; }
template __global__ void made<n::S>(int*);
"""
    found = asked(text, tmp_path)
    messages = [(d["line"], d["message"]) for d in found["diagnostics"]]  # type: ignore[attr-defined]
    assert messages == [
        (n, f"the kernel `{name}`, a template, is never launched, and no arguments for it can be guessed")
        for n, name in ((2, "needs"), (3, "many"))
    ]
    assert [p["variant"] for p in found["programs"]] == [{"kernel": "plain<int>"}, {"kernel": "made<n::S>"}]  # type: ignore[attr-defined]
    assert found["status"] == 2


def test_arguments_that_clang_refuses_deep_in_a_kernel_are_passed_over(tmp_path: Path) -> None:
    """What two kernels use is objected to once, under the first of them."""
    text = """\
template <typename T> __device__ T half(T x) { static_assert(sizeof(T(1) / 2 + 0.5f) == sizeof(T) && T(1) / 2 != T(0)); return x / 2; }
template <typename T> __global__ void one(T* x) { x[threadIdx.x] = half(x[threadIdx.x]); }
template <typename T> __global__ void other(T* x) { x[threadIdx.x] = half(T(1)); }
template <typename U> void host(U* x) { other<U><<<1, 32>>>(x); }
"""
    found = [one[-1] for one in directives(text, tmp_path)]
    assert found == ["launch one<float><<<1, 2>>>(x);", "launch other<float><<<1, 2>>>(x);"]


@pytest.mark.parametrize(("placed", "calls"), [(True, 3), (False, 5)])
def test_names_that_clang_takes_are_found_by_the_lines_of_its_errors(placed: bool, calls: int) -> None:
    """Of ``b`` and ``d`` it says one after the other what is wrong; without a line it is asked about each."""
    asked_: list[list[str]] = []

    def using(names: list[str]) -> None:
        asked_.append(names)
        if wrong := [7 + n for n, name in enumerate(names) if name in "bd"]:
            refused = Refused()
            refused.lines = frozenset(wrong[:1] if placed else ())
            raise refused

    assert accepted_names(["a", "b", "c", "d"], 7, using) == {"a", "c"}
    assert len(asked_) == calls


def test_names_that_the_file_has_are_notaccepted_names(tmp_path: Path) -> None:
    (found,) = directives("__device__ int a;\n__global__ void k(int* a) { a[threadIdx.x] = 1; }\n", tmp_path)
    assert found == ["object __device__ int k_a[16];", "launch k<<<1, 2>>>(k_a);"]


def test_a_name_that_the_file_has_is_not_what_is_said_of_a_kernel(tmp_path: Path) -> None:
    text = '__device__ float* a;\n__global__ void k(int* a) { asm("membar.vc;"); }\n'
    (told,) = asked(text, tmp_path)["diagnostics"]  # type: ignore[misc]
    assert (told["code"], told["line"]) == ("SCP012", 2), told


def test_a_grid_that_waits_for_all_its_blocks_is_launched_cooperatively(tmp_path: Path) -> None:
    text = """\
#include <cooperative_groups.h>
__global__ void k(int* a) {
    auto grid = cooperative_groups::this_grid();
    a[grid.thread_rank()] = 1;
    grid.sync();
    if (grid.thread_rank() == 0) a[4] = a[1] + a[2] + a[3];
}
"""
    found = asked(text, tmp_path)
    assert (found["status"], directives(text, tmp_path)[0][-1]) == (0, "launch cooperative k<<<2, 2>>>(a);")


@pytest.mark.sampled(0)
def test_host_code_that_is_not_read_is_left_out_and_told(write: Callable[..., Path]) -> None:
    done = scopec("check", write(WITH_HOST, "host.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stderr
    assert "//@ launch k<<<2, 2>>>(a, 4);" in done.stdout
    assert (
        "host.cu:1:10: warning: the host code is not followed, and launches are guessed: scopec has no header `regex`"
        in (done.stderr)
    )
    assert scopec("check", write(WITH_HOST, "host.cu"), "--no-guess").returncode == 2


def test_what_a_kernel_needs_is_not_left_out(tmp_path: Path) -> None:
    found = asked("#include <nowhere.h>\n__global__ void k(thing* a) { a->use(); }\nint main() {}\n", tmp_path)
    assert found["status"] == 2
    messages = [d["message"] for d in found["diagnostics"]]  # type: ignore[attr-defined]
    assert messages == ["'nowhere.h' file not found", "unknown type name 'thing'"]
    assert found["diagnostics"][1]["help"] == "it may be declared in 'nowhere.h', which is missing"  # type: ignore[index]


@pytest.mark.parametrize(
    ("condition", "status"), [("#ifdef FENCED", 2), ("#if defined(__CUDACC__)", 0), ("#ifdef OWN", 0)]
)
def test_a_header_that_may_decide_what_a_kernel_does_is_not_left_out(
    condition: str, status: int, tmp_path: Path
) -> None:
    """Without it the kernel would be another one, in silence; what decides in host code decides nothing here."""
    text = f"""\
#define OWN 1
#include "of_a_library.h"
__global__ void k(int* a) {{
    a[threadIdx.x] = 1;
{condition}
    __threadfence();
#endif
}}
int main() {{
#ifdef VERBOSE
    library::log();
#endif
}}
"""
    found = asked(text, tmp_path)
    assert found["status"] == status
    assert bool(found["programs"]) is (status == 0)


def test_what_comes_before_a_header_is_not_decided_by_it(tmp_path: Path) -> None:
    text = """\
#ifdef MACOSX
#include <GLUT/glut.h>
#else
#include <GL/freeglut.h>
#endif
__global__ void k(int* a) { a[threadIdx.x] = 1; }
void draw() { glutMainLoop(); }
"""
    found = asked(text, tmp_path)
    assert found["status"] == 0
    assert found["programs"]


@pytest.mark.sampled(0)
def test_lines_stay_where_they_are_without_host_code() -> None:
    source = Source("host.cu", WITH_HOST)
    found = kernels(source, Path(), Flags(), None)
    assert len(found.source.text.splitlines()) == len(WITH_HOST.splitlines())
    left = [(n, line) for n, line in enumerate(found.source.text.splitlines(), 1) if line.strip()]
    assert left == [(n, line) for n, line in enumerate(WITH_HOST.splitlines(), 1) if 6 <= n <= 10]


def test_declarations_are_told_apart() -> None:
    text = """\
struct S { int a; int f() { return 1; } } s = {1};
int table[2] = {1, 2};
template <class T> __host__ __device__ T id(T x) { return x; }
template <class T> T host(T x = {}) { return x; }
namespace n { void g() { if (1) { } } __device__ int d; }
extern "C" { int h(void) { return 0; } }
constexpr int c() { return 2; }
int operator==(S a, S b) { return 0; }
#define BODY(x) { x }
"""

    def compiled(left: Source) -> str:
        return left.text

    rest, same, refused = without_host(Source("x.cu", text), (), Path(), Flags(), compiled)
    left = rest.text
    assert (left, refused) == (same, ())
    for kept in (
        "struct S",
        "s = {1};",
        "table[2] = {1, 2};",
        "T id(T x)",
        "__device__ int d;",
        "constexpr int c()",
        "#define",
    ):
        assert kept in left
    for gone in ("host(T x", "void g()", "int h(void)", "operator=="):
        assert gone not in left


@pytest.mark.parametrize(
    ("parameter", "said"),
    [("int (*f)(int)", "no argument for `f`"), ("int& f", "no argument for `f`")],
)
def test_a_kernel_for_which_nothing_can_be_guessed_does_not_take_the_others_with_it(
    parameter: str, said: str, tmp_path: Path
) -> None:
    found = asked(
        f"__global__ void k({parameter}) {{}}\n__global__ void other(int* a) {{ a[threadIdx.x] = 1; }}\n", tmp_path
    )
    assert found["status"] == 2
    (message,) = [d["message"] for d in found["diagnostics"]]  # type: ignore[attr-defined]
    assert f"{said} can be guessed" in message
    assert [c["verdict"] for p in found["programs"] for c in p["checks"]] == ["holds", "holds"]  # type: ignore[attr-defined]


def test_a_kernel_that_does_what_is_undefined_under_every_guess_is_not_violated(tmp_path: Path) -> None:
    text = "__global__ void k(int* a) { __shared__ int s[2]; s[threadIdx.x + 2] = 1; a[0] = s[0]; }\n"
    found = asked(text, tmp_path)
    assert (found["status"], found["programs"]) == (2, [])
    (message,) = [d["message"] for d in found["diagnostics"]]  # type: ignore[attr-defined]
    assert message.startswith("under each launch that was tried for `k` something is undefined, with k<<<1, 2>>>(a):")


@pytest.mark.parametrize(
    "more",
    ["int main() { k<<<1, 1>>>(nullptr); cudaDeviceSynchronize(); }", "//@ launch k<<<1, 1>>>(nullptr);"],
)
def test_a_launch_that_a_file_has_isaccepted_names(more: str, tmp_path: Path) -> None:
    found = asked(f"__global__ void k(int* a) {{}}\n{more}\n", tmp_path)
    assert [(p["guessed"], p["directives"]) for p in found["programs"]] == [(False, [])]  # type: ignore[attr-defined]


def test_without_guesses_a_kernel_that_is_not_launched_is_an_error(tmp_path: Path) -> None:
    found = asked(TWO, tmp_path, "--no-guess")
    assert (found["status"], [d["code"] for d in found["diagnostics"]]) == (2, ["SCP025"])  # type: ignore[attr-defined]
    (tmp_path / "scopec.toml").write_text("no-guess = true\n")
    assert scopec("check", "kernel.cu", cwd=tmp_path).returncode == 2


def test_every_report_tells_a_guess(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(TWO, "two.cu")
    sarif, junit, page = tmp_path / "r.sarif", tmp_path / "r.xml", tmp_path / "pages"
    options = ["--format", "sarif", "-o", sarif, "--format", "junit", "-o", junit, "--format", "html", "-o", page]
    assert scopec("check", path, "--engine", "embedded", *options).returncode == 1
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    result = next(r for r in results if r.get("properties", {}).get("kind") == "race_free")
    assert result["properties"]["guessed"] is True
    assert result["properties"]["directives"][-1] == "launch count<<<2, 2>>>(in, out, 4);"
    properties = {p.get("name"): p.get("value") for p in ET.parse(junit).iter("property")}
    assert any(
        "guessed" in str(name) and "launch add<<<2, 2>>>(a, b, c, 4);" in str(v) for name, v in properties.items()
    )
    assert "guessed launch" in (page / "index.html").read_text()


def test_what_is_guessed_can_be_traced_and_compiled(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(TWO, "two.cu")
    assert scopec("compile", path, "-o", tmp_path / "out").returncode == 0
    assert len(list((tmp_path / "out").glob("two__kernel_*.als"))) == 2
    assert "guessed launch" in scopec("trace", path, "--engine", "embedded").stdout


def test_from_python() -> None:
    assert api.check(text=TWO, engine="embedded").exit_code == 1
    assert api.check(text=TWO, guess=False).exit_code == 2


# ---------------------------------------------------------------- scopec init


def test_a_guess_is_written_into_the_file(write: Callable[..., Path]) -> None:
    text = "__global__ void k(int* a) { a[threadIdx.x] = 1; }"
    path = write(text, "k.cu")
    done = scopec("init", path)
    assert (done.returncode, done.stdout) == (0, f"wrote {path}: launch k<<<1, 2>>>(a);\n")
    assert path.read_text() == f"{text}\n\n//@ object __device__ int a[16];\n//@ launch k<<<1, 2>>>(a);\n"
    assert "guessed" not in scopec("check", path, "--engine", "embedded").stdout
    assert scopec("init", path).returncode == 2


def test_several_are_written_beside_it_and_so_is_one_on_request(write: Callable[..., Path]) -> None:
    path = write(TWO, "two.cu")
    assert scopec("init", path).returncode == 0
    assert path.read_text() == TWO
    beside = path.with_name("two.add.cu")
    assert beside.read_text() == (
        '#include "two.cu"\n\n//@ object __device__ float a[16], b[16], c[16];\n//@ launch add<<<2, 2>>>(a, b, c, 4);\n'
    )
    assert scopec("check", beside, "--engine", "embedded").returncode == 0
    assert scopec("check", path.with_name("two.count.cu"), "--engine", "embedded").returncode == 1
    again = scopec("init", path)
    assert again.returncode == 2
    assert "two.add.cu is there already" in again.stderr


def test_a_main_that_is_not_followed_keeps_its_name_to_itself(write: Callable[..., Path]) -> None:
    text = "__global__ void k(int* a) { a[threadIdx.x] = 1; }\nint main() { int* a; cudaMalloc(&a, 99999999999); k<<<9999, 1024>>>(a); }\n"
    path = write(text, "big.cu")
    done = scopec("init", path)
    assert done.returncode == 0, done.stderr
    assert scopec("check", path.with_name("big.k.cu"), "--engine", "embedded").returncode == 0


# ---------------------------------------------------------------- folders


def test_files_without_kernels_are_counted(tmp_path: Path) -> None:
    (tmp_path / "two.cu").write_text(TWO)
    (tmp_path / "helpers.cu").write_text("int f() { return unknown_thing(); }\n")
    done = scopec("check", tmp_path, "--engine", "embedded")
    assert done.returncode == 1
    assert "1 file, 2 programs: 3 hold, 1 violated, 0 unknown, 1 file without kernels" in done.stdout


def test_a_folder_without_any_kernel_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "helpers.cu").write_text("int f() { return unknown_thing(); }\n")
    for done in (scopec("check", tmp_path), scopec("check", ".", cwd=tmp_path)):
        assert done.returncode == 2
        assert "no .cu file of the folder has a kernel or a main [SCP001]" in done.stderr


@pytest.mark.parametrize(("where", "scope"), [("", "__threadfence()"), ("__shared__", "__threadfence_block()")])
def test_advice_under_a_guess_of_one_block_is_for_other_blocks_too(
    write: Callable[..., Path], where: str, scope: str
) -> None:
    outside = "" if where else "__device__ int lock, sum;"
    inside = f"{where} int lock, sum; if (!threadIdx.x) lock = sum = 0; __syncthreads();" if where else ""
    kernel = "while (atomicCAS(&lock, 0, 1)) ; sum += threadIdx.x; atomicExch(&lock, 0);"
    text = f"{outside}\n__global__ void k() {{\n{inside}\n{kernel.replace('; ', ';' + chr(10))}\n}}\n"
    done = scopec("check", write(text, "lock.cu"), "--engine", "embedded", "-k", "race_free")
    assert "k<<<1, 2>>>" in done.stdout
    assert f"try: both {scope}" in done.stdout
