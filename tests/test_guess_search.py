"""The search for a kernel's guessed launch: beside those with a race or undefined behaviour others are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import scopec as api
from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError
from scopec.base.source import Source, Span
from scopec.explain.verdict import UNKNOWN_RACES
from scopec.frontends.clang.kernels import Kernel
from scopec.session import guess_search, unguessed, witnessed
from scopec.session.check import Settings, check
from scopec.session.guess_text import Naming, Numbers
from scopec.session.plan import Overrides, Plan
from tests.command import scopec
from tests.guesses import asked, directives


def test_a_guess_with_a_race_that_the_files_own_block_does_not_have_is_passed_over_and_told(
    write: Callable[..., Path],
) -> None:
    text = """\
__global__ void __launch_bounds__(16) k(int* a) { a[threadIdx.x + blockIdx.x * (blockDim.x == 16 ? 16 : 0)] = 1; }
"""
    done = scopec("check", write(text, "k.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout
    assert "//@ launch k<<<2, 16>>>(a);" in done.stdout
    assert "note: passed over, as it has a race: k<<<2, 2>>>(a)" in done.stdout
    done = scopec("check", write(text.replace("== 16 ? 16", "== 32 ? 16"), "racy.cu"), "--engine", "embedded")
    assert done.returncode == 1
    assert "//@ launch k<<<2, 2>>>(a);" in done.stdout


ROWS = """\
__global__ void k(char* image, int width, int height, size_t pitch, float t) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    float* pixel = (float*)(image + y * pitch) + 4 * x;
    pixel[0] = t;
    pixel[1] += t;
}
"""


def test_rows_that_overlap_are_made_longer(tmp_path: Path) -> None:
    found = asked(ROWS, tmp_path)
    assert found["status"] == 0
    (program,) = found["programs"]  # type: ignore[misc]
    assert program["directives"][-1] == "launch k<<<2, dim3(2, 2)>>>(image, 4, 4, 64, 4);"
    assert asked(ROWS.replace("4 * x", "4 * (x / 2)"), tmp_path)["status"] == 1


def test_rows_of_rows_get_two_lengths(tmp_path: Path) -> None:
    """Slices of four rows overlap where a row and a slice are as long."""
    text = """\
__global__ void k(char* image, int width, int height, int depth, size_t slice, size_t pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    for (int z = 0; z < depth + 4; z++) image[z * slice + y * pitch + 4 * x] = 1;
}
"""
    found = asked(text, tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    assert (found["status"], program["directives"][-1]) == (0, "launch k<<<2, dim3(2, 2)>>>(image, 4, 4, 4, 256, 64);")


def test_a_race_is_not_passed_over_for_a_number_with_which_a_thread_does_less(tmp_path: Path) -> None:
    found = asked("__global__ void k(int* a, int n) { if (threadIdx.x * n < 16) a[0] = 1; }\n", tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    assert (found["status"], program["directives"][-1]) == (1, "launch k<<<1, 2>>>(a, 4);")


@pytest.mark.parametrize(
    ("launch", "expected"),
    [("dim3 g(1); g.x = n; k<<<g, 64>>>(a)", "k<<<2, 2>>>(a)"),
     ("{ dim3 g(1); } dim3 g(n); k<<<g, 64>>>(a)", "k<<<2, 2>>>(a)"), ("k<<<1, 64>>>(a)", "k<<<1, 2>>>(a)"), ("dim3 g(1, 1); k<<<g, 64>>>(a)", "k<<<1, 2>>>(a)"),
     ("k<<<1, 64>>>(a); cudaLaunchKernel((void*)k, g, 64, 0, 0, 0)", "k<<<2, 2>>>(a)"),
     ("auto f = k; f<<<n, 64>>>(a); k<<<1, 64>>>(a)", "k<<<2, 2>>>(a)"),
     ("k<<<n, 1>>>(a)", "k<<<2, 1>>>(a)"), ("k<<<1, 64>>>(a); k<<<n, 64>>>(a)", "k<<<2, 2>>>(a)")],
)  # fmt: skip
def test_a_kernel_that_the_file_launches_as_one_block_or_as_one_thread_is_guessed_so(
    launch: str, expected: str, tmp_path: Path
) -> None:
    kernel = "__global__ void k(int* a) { a[threadIdx.x + blockIdx.x * blockDim.x] = 1; }"
    (found,) = directives(f"{kernel}\nvoid run(int* a, int n) {{ {launch}; }}\n", tmp_path)
    assert found[-1] == f"launch {expected};"


@pytest.mark.parametrize("size", ["SIZE", "10"])
def test_a_race_between_blocks_smaller_than_those_that_the_kernel_counts_on_is_not_known(
    size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of the file's own are tried; here they take too long to read."""
    sized = guess_search._sized

    def late(source: Source, kernel: Kernel, shape: str, *more: object, slow: bool) -> guess_search.Guess:
        if "SIZE" in shape:
            raise LimitError("late")
        return sized(source, kernel, shape, *more, slow=slow)  # type: ignore[arg-type]

    text = f"""\
#define SIZE 4
__global__ void k(int* a) {{
    int first = blockIdx.x * blockDim.x;
    for (int i = threadIdx.x; i < {size}; i += blockDim.x) a[first + i] = 1;
}}
void run(int* a) {{ k<<<2, SIZE>>>(a); }}
"""
    assert api.check(text=text, engine="embedded").exit_code == (0 if size == "SIZE" else 1)
    monkeypatch.setattr(guess_search, "_sized", late)
    found = api.check(text=text, engine="embedded")
    race_free, terminates = found
    if size != "SIZE":  # nothing says that the block's size matters
        assert (race_free.answer, found.exit_code) == ("violated", 1)
        return
    assert (race_free.answer, terminates.answer, found.exit_code) == ("unknown", "holds", 4)
    assert "blocks of the file's own (`SIZE`) were not tried" in (race_free.message or "")
    (outcome,) = found.outcomes
    assert [check.warnings for report in outcome.reports for check in report.checks] == [(), (UNKNOWN_RACES,)]


_TOO_LARGE = InputError(Diagnostic(Code.TOO_LARGE, "more than 5000 events", Span("p.cu", 1, 1, 1, 2)))


@pytest.mark.parametrize("late_", [LimitError("late"), _TOO_LARGE])
@pytest.mark.sampled(1)
def test_a_kernel_that_does_too_much_is_asked_in_a_small_launch(
    late_: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    sized = guess_search._sized

    def late(source: Source, kernel: Kernel, shape: str, *more: object, slow: bool) -> guess_search.Guess:
        if shape != "1, 2":
            raise late_
        return sized(source, kernel, shape, *more, slow=slow)  # type: ignore[arg-type]

    monkeypatch.setattr(guess_search, "_sized", late)
    monkeypatch.setattr(unguessed, "of_sizes", lambda: None)
    text = "__global__ void k(int* a, int n) { if (blockIdx.x < n) a[threadIdx.y * 2 + threadIdx.x] = n; }"
    (outcome,) = api.check(text=text, engine="embedded").outcomes
    run = outcome.reports[0].run
    assert run.guessed == ("object __device__ int a[4096];", "launch k<<<1, 2>>>(a, 2);")
    assert any("larger launches were not tried" in note for note in run.guess_notes)
    monkeypatch.setattr(guess_search, "_sized", lambda *given, slow: late(*given[:2], "", *given[3:], slow=slow))
    (outcome,) = api.check(text=text, engine="embedded").outcomes
    assert [d.code.name for d in outcome.diagnostics] == ["TOO_LARGE"]
    if isinstance(late_, LimitError):
        asks = "write a `//@ launch` for it; `scopec check --every` asks about all its launches"
        assert outcome.diagnostics[0].help == asks


def test_of_ptx_no_question_about_all_launches_is_offered() -> None:
    assert guess_search.ways_out(Source("kernels.ptx", ""), "write it") == "write it"
    assert guess_search.ways_out(Source("kernels.cu", ""), "write it").endswith("asks about all its launches")


def test_a_kernel_that_nests_too_deeply_does_not_take_the_others_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sized = guess_search._sized

    def deep(source: Source, kernel: Kernel, *more: object, slow: bool) -> guess_search.Guess:
        if kernel.name == "deep":
            raise RecursionError
        return sized(source, kernel, *more, slow=slow)  # type: ignore[arg-type]

    monkeypatch.setattr(guess_search, "_sized", deep)
    monkeypatch.setattr(unguessed, "of_sizes", lambda: None)
    text = "__global__ void deep(int* a) {}\n__global__ void k(int* a) { a[threadIdx.x] = 1; }"
    (outcome,) = api.check(text=text, engine="embedded").outcomes
    (diagnostic,) = outcome.diagnostics
    assert diagnostic.message == "what `deep` computes under some launch nests too deeply"
    assert [check.verdict for report in outcome.reports for check in report.checks] == ["holds", "holds"]


def test_sizes_between_are_left_out_where_a_try_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "__global__ void k(int* a) { a[threadIdx.x * 50] = 1; }"
    for slow, size in ((1.0, 256), (0.0, 4096)):
        monkeypatch.setattr(guess_search, "_SLOW", slow)
        (outcome,) = api.check(text=text, engine="embedded").outcomes
        assert outcome.reports[0].run.guessed[0] == f"object __device__ int a[{size}];"


def test_rows_beyond_small_objects_are_tried_in_large_ones(tmp_path: Path) -> None:
    """With small objects the longer rows are outside of them, and what is copied from there is no number."""
    text = """\
__global__ void k(float2* v, int x, size_t pitch) {
    float2* row = (float2*)((char*)v + (threadIdx.y + x) * pitch) + threadIdx.x + x;
    float2 was = *row;
    was.x += 1;
    *row = was;
}
"""
    (found,) = asked(text, tmp_path)["programs"]  # type: ignore[misc]
    assert found["directives"][-1] == "launch k<<<1, dim3(2, 2)>>>(v, 4, 64);"
    assert [check["verdict"] for check in found["checks"]] == ["holds", "holds"]


@pytest.mark.parametrize(("argument", "verdict"), [("N", "holds"), ("2", "violated")])
@pytest.mark.sampled(1)
def test_other_numbers_are_tried_for_templates(argument: str, verdict: str, tmp_path: Path) -> None:
    """Where the file launches it with numbers of its own, these are taken."""
    text = f"""\
template <int N> __global__ void k(int* a) {{
    __shared__ int s[N];
    s[threadIdx.x % (N / 2)] = 1;
    a[threadIdx.x] = s[threadIdx.x % (N / 2)];
}}
template <int N> void run(int* a) {{ k<{argument}><<<1, N / 2>>>(a); }}
"""
    (found,) = asked(text, tmp_path)["programs"]  # type: ignore[misc]
    assert found["directives"][-1] == f"launch k<{4 if argument == 'N' else 2}><<<1, 2>>>(a);"
    assert found["checks"][0]["verdict"] == verdict
    assert found["guess_notes"][:1] == (
        ["passed over, as it has a race: k<2><<<1, 2>>>(a)"] if verdict == "holds" else []
    )


def test_classes_are_arguments_of_templates_and_are_constructed(tmp_path: Path) -> None:
    text = """\
struct Call { double k; __host__ __device__ Call(double k) : k(k) {} __device__ double of(int n) { return n - k; } };
struct View { int* data; int n; __device__ int& at(int i) { return data[i]; } };
class Hidden { int n = 1; public: __device__ int get() { return n; } };
template <int N, typename P> __global__ void paths(P payoff, double* out) { out[threadIdx.x] = payoff.of(N); }
__global__ void views(View v) { if (threadIdx.x < v.n) v.at(threadIdx.x) = 1; }
__global__ void hidden(Hidden h, int* out) { out[threadIdx.x] = h.get(); }
"""
    assert [one[-1] for one in directives(text, tmp_path)] == [
        "launch paths<2, Call><<<1, 2>>>(Call{4}, out);",
        "launch views<<<1, 2>>>(View{v_data, 4});",
        "launch hidden<<<1, 2>>>(Hidden{}, out);",
    ]


def test_a_function_behind_a_short_macro_is_no_host_code(tmp_path: Path) -> None:
    text = """\
#define DI __device__ inline
template <int N> DI void fill(int* a) { for (int i = 0; i < N; i++) a[i] = i; }
template <int N> __global__ void k(int* a) { fill<N>(a + N * threadIdx.x); }
int main() { library::run(); }
"""
    assert directives(text, tmp_path)[0][-1] == "launch k<2><<<1, 2>>>(a);"


def test_loops_go_round_as_often_as_the_numbers_say(tmp_path: Path) -> None:
    """A loop that is not executed, for what it computes, would be cut after two turns, and the verdict unknown."""
    text = """\
__global__ void k(float* a, int n) {
    float d = 100;
    for (int i = 0; i < n; i++) { float t = a[n + i]; d = t < d ? t : d; }
    a[threadIdx.x] = d;
}
__global__ void waits(volatile int* a) { while (a[threadIdx.x] != 1); }
"""
    one, other = directives(text, tmp_path)
    assert one == ["bound unroll = 4;", "object __device__ float a[16];", "launch k<<<1, 2>>>(a, 4);"]
    assert other == ["object __device__ volatile int a[16];", "launch waits<<<1, 2>>>(a);"] or other[0][:5] != "bound"
    found = asked(text, tmp_path)["programs"]
    assert [check["verdict"] for check in found[0]["checks"]] == ["holds", "holds"]  # type: ignore[index]


REVERSE = """\
__global__ void k(int* d, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[n - t - 1];
}
"""


def test_a_length_may_be_that_of_the_block_and_no_other_hides_a_race_in_its_memory(tmp_path: Path) -> None:
    found = asked(REVERSE, tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    assert (found["status"], program["directives"][-1]) == (0, "launch k<<<1, 2>>>(d, 2);")
    found = asked(REVERSE.replace("__syncthreads();", ""), tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    assert (found["status"], program["directives"][-1]) == (1, "launch k<<<1, 2>>>(d, 2);")


@pytest.mark.sampled(0)
def test_the_argument_of_a_template_may_be_the_size_of_a_block(tmp_path: Path) -> None:
    text = """\
template <unsigned B> __global__ void k(int* in, int* out) {
    __shared__ int s[B / 32];
    int sum = in[blockIdx.x * B + threadIdx.x];
    for (int i = 16; i; i /= 2) sum += __shfl_down_sync(~0u, sum, i);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
"""
    found = asked(text, tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    assert (found["status"], program["directives"][-1]) == (0, "launch k<32U><<<2, 32>>>(in, out);")


@pytest.mark.sampled(0)
def test_a_kernel_that_clang_objects_to_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    text = """\
#include <mma.h>
template <class T> __global__ void wmma(T* a) { nvcuda::wmma::fill(a); nvcuda::wmma::fill(a); }
__global__ void k(int* a) { a[threadIdx.x] = 1; }
"""
    found = asked(text, tmp_path)
    assert found["status"] == 2
    messages = [(d["line"], d["severity"], d["message"]) for d in found["diagnostics"]]  # type: ignore[attr-defined]
    assert [line for line, severity, _ in messages if severity == "error"] == [1, 2]
    assert [p["directives"][-1] for p in found["programs"]] == ["launch k<<<1, 2>>>(a);"]  # type: ignore[attr-defined]
    alone = asked(text.replace("__global__ void k", "__device__ void k"), tmp_path)
    assert (alone["status"], alone["programs"]) == (2, [])


@pytest.mark.sampled(0)
def test_values_that_lanes_exchange_are_no_reason_to_fail(tmp_path: Path) -> None:
    """Whether one execution has a race is asked thread by thread, and a lane's value may come from a later one."""
    text = """\
__global__ void k(int* in, int* out, unsigned n) {
    __shared__ int s[2];
    int sum = 0;
    unsigned i = blockIdx.x * 2 + threadIdx.x;
    while (i < n) { sum += in[i]; if (i + 2 < n) sum += in[i + 2]; i += 4; }
    for (int offset = 1; offset > 0; offset /= 2) sum += __shfl_down_sync(3, sum, offset);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 1) { sum = s[threadIdx.x]; out[blockIdx.x] = sum; }
}
"""
    found = asked(text, tmp_path)
    assert (found["status"], directives(text, tmp_path)[0][-1]) == (0, "launch k<<<2, 2>>>(in, out, 4);")


@pytest.mark.parametrize(
    ("warp", "lane"),
    [("/ 32", "% 32u"), (">> 5", "& 31"), ("/ warpSize", "% warpSize"), ("/ WARP_SIZE", "& 0x1F")],
)
@pytest.mark.sampled(1)
def test_a_kernel_that_counts_warps_is_tried_with_one(warp: str, lane: str, tmp_path: Path) -> None:
    """Lanes of two blocks of two threads come to one element, which is no race of the kernel."""
    text = f"""\
#define WARP_SIZE 32
__global__ void rows(float* x, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = (i {warp}) * 64 + (threadIdx.x {lane});
    if (at < n) x[at] = 1;
}}
"""
    found = asked(text, tmp_path)
    assert found["status"] == 0
    said = str(found["programs"])
    assert "launch rows<<<2, 32>>>(x, 4);" in said
    assert "passed over, as it has a race: rows<<<2, 2>>>(x, 4)" in said
    assert asked(text.replace("* 64", "* 1"), tmp_path)["status"] == 1


ENUMERATIONS = """\
namespace ns { enum class Mode { Sum = 3, Max }; }
enum Plain { First = 7, Second };
struct Config { Plain plain; int n; };
__global__ void k(int* a, ns::Mode mode, Plain plain, Config c) {
    if (mode == ns::Mode::Sum && plain == First && c.plain == First) a[threadIdx.x] = c.n; else a[0] = 1;
}
"""


def test_an_enumeration_is_its_first_member(tmp_path: Path) -> None:
    assert (
        directives(ENUMERATIONS, tmp_path)[0][-1]
        == "launch k<<<1, 2>>>(a, ns::Mode(3), Plain(7), Config{Plain(7), 4});"
    )
    assert asked(ENUMERATIONS, tmp_path)["status"] == 0


def test_the_launch_that_shows_a_race_has_other_members(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(ENUMERATIONS)
    (outcome,) = check([tmp_path / "k.cu"], Settings(engine="embedded", every=True))
    assert [found.verdict for report in outcome.reports for found in report.checks] == ["violated"]


def test_what_is_refused_in_the_same_way_is_not_tried_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor with other names, nor, of all launches, at each that z3 names."""
    guessed, read = list[tuple[str, Numbers, int, str]](), list[str]()
    directives, plan_of = guess_search.directives, witnessed.plan_of

    def tried(kernel: Kernel, shape: str, numbers: Numbers, size: int, naming: Naming) -> Iterator[str]:
        guessed.append((shape, numbers, size, naming.prefix))
        return directives(kernel, shape, numbers, size, naming)

    def planned(source: Source, path: Path, overrides: Overrides) -> Plan:
        read.append(source.text)
        return plan_of(source, path, overrides)

    monkeypatch.setattr(guess_search, "directives", tried)
    monkeypatch.setattr(witnessed, "plan_of", planned)
    path = tmp_path / "refused.cu"
    path.write_text("__device__ int n;\n__global__ void k(int* a, float f) { n = (int)f; atomicCAS(&n, 0, 1); }\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [one.code.id for one in outcome.diagnostics] == ["SCP012"]
    shapes = [shape for shape, *_ in guessed]
    assert len(guessed) == len(set(guessed)) == 6
    assert (shapes.count("1, 2"), shapes.count("1, 64")) == (4, 2)
    assert {prefix for *_, prefix in guessed} == {""}
    assert 0 < len(read) <= 5
