"""Large graphs made small: the answers stay, and what the program alone decides is not asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import launches
from scopec.engines.embedded.memory.sat import solve
from scopec.explain.verdict import Verdict
from scopec.memory.answers import mistakes
from scopec.memory.execution import Execution
from scopec.session.check import Settings, check
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.samples import EVERY, spread
from tests.sizes import NEVER, sizes
from tests.specifications import KEPT

SPECS = Path(__file__).parent.parent / "specs"
#: What may be asked of a graph only while something is left that it is about.
LESS = ("prefix", "fault", "longer", "overflow", "weak")

REDUCTION = """
constexpr int N = {threads};
__device__ int in[N * {blocks}], partial[{blocks}], total;
__device__ unsigned arrived;
__global__ void reduce() {{
    __shared__ int tile[N];
    __shared__ bool last;
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int step = N / 2; step > 0; step /= 2) {{
        if (t < step) tile[t] += tile[t + step];
        {inner}
    }}
    if (t == 0) {{
        partial[blockIdx.x] = tile[0];
        {fence}
        last = atomicAdd(&arrived, 1) == {blocks} - 1;
        {fence}
    }}
    __syncthreads();
    if (last) {{
        if (t < {blocks}) tile[t] = partial[t];
        __syncthreads();
        if (t == 0) {{
            int sum = 0;
            for (int i = 0; i < {blocks}; ++i) sum += tile[i];
            total = sum;
        }}
    }}
}}
int main() {{
    for (int i = 0; i < N * {blocks}; ++i) in[i] = 1;
    reduce<<<{blocks}, N>>>();
    cudaDeviceSynchronize();
}}
//@ expect race_free;
//@ expect required total == N * {blocks};
//@ expect terminates;
"""


def verdicts(text: str, tmp_path: Path) -> list[Verdict]:
    file = tmp_path / "program.cu"
    file.write_text(text)
    (outcome,) = check([file], Settings(engine="embedded", timeout=120))
    assert all(d.severity == "warning" for d in outcome.diagnostics), outcome.diagnostics
    return [c.verdict for report in outcome.reports for c in report.checks]


def reduction(blocks: int, threads: int, inner: str = "__syncthreads();", fence: str = "__threadfence();") -> str:
    return REDUCTION.format(blocks=blocks, threads=threads, inner=inner, fence=fence)


def test_a_reduction_by_the_last_block(tmp_path: Path) -> None:
    assert verdicts(reduction(2, 32), tmp_path) == ["holds"] * 3


def test_a_fence_that_is_missing(tmp_path: Path) -> None:
    assert verdicts(reduction(2, 20, fence=""), tmp_path)[:2] == ["violated"] * 2


def test_a_barrier_that_is_missing(tmp_path: Path) -> None:
    assert verdicts(reduction(2, 32, inner=""), tmp_path)[:2] == ["violated"] * 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kernel", ["histogram", "tiled transpose", "double-buffered tile"])
def test_a_kernel_as_it_is_launched(kernel: str, tmp_path: Path) -> None:
    assert verdicts(launches.text(kernel, 2, 32), tmp_path) == ["holds"] * 3
    assert verdicts(launches.text(kernel, 2, 32, barrier=False), tmp_path)[:2] == ["violated"] * 2


def test_a_race_elsewhere_says_nothing_of_an_object(tmp_path: Path) -> None:
    text = """
    __device__ int out[32];
    __global__ void k() {
        __shared__ int tile[32];
        tile[threadIdx.x] = 1;
        out[threadIdx.x] = tile[31 - threadIdx.x];
    }
    //@ launch k<<<1, 32>>>();
    //@ expect race on tile;
    //@ expect race on out;
    //@ expect terminates;
    """
    assert verdicts(text, tmp_path) == ["holds", "violated", "holds"]


def test_of_a_graph_with_one_race_alone_it_is_not_said_that_it_has_no_cycle(tmp_path: Path) -> None:
    """Nobody waits there in vain: none is looked for."""
    file = tmp_path / "program.cu"
    file.write_text(reduction(2, 32, inner=""))
    (run,) = plan(file, str(file), Overrides()).runs
    assert run.graph.one_race
    assert "weak" not in {question.name for question in run.problem.questions}
    (outcome,) = check([file], Settings(engine="embedded", timeout=120))
    ((_, _, ends),) = (report.checks for report in outcome.reports)
    assert ends.hangs is not None
    assert (ends.verdict, ends.hangs.whole) == ("holds", "no thread waits for what may not come")


def test_a_condition_of_a_litmus_file_is_about_all_executions(tmp_path: Path) -> None:
    """Races or none: one execution does not answer it."""
    first = "".join(f"*x = {n}; *z = {n};\n" for n in range(60))
    other = "".join(f"*y = {n};\n" for n in range(60))
    text = f"C large\n{{}}\nP0 (int *x, int *z) {{\n{first}}}\nP1 (int *x, int *y) {{\nint r = *x;\n{other}}}\n"
    file = tmp_path / "large.litmus"
    for value in (7, 59):
        file.write_text(f"{text}exists (1:r={value})\n")
        (outcome,) = check([file], Settings(engine="embedded", timeout=120))
        found = {c.expectation.kind: c.verdict for report in outcome.reports for c in report.checks}
        assert found["condition"] == "holds"


def test_what_many_threads_wait_for_in_vain_is_a_wait(tmp_path: Path) -> None:
    text = """
    __device__ volatile int flag;
    __global__ void k() { if (threadIdx.x == 3) while (flag == 0); }
    //@ launch k<<<1, 32>>>();
    //@ expect may_hang;
    """
    assert verdicts(text, tmp_path) == ["holds"]


@pytest.mark.parametrize(
    ("more", "expected"), [("", "may_hang"), ("if (threadIdx.x == 9) go[3].store(1);", "may_hang")]
)
def test_what_nobody_writes_is_read_at_once(more: str, expected: str, tmp_path: Path) -> None:
    """Twenty threads that wait, each for a value of its own: some million states if each of them might start later."""
    path = tmp_path / "program.cu"
    path.write_text(f"""
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> go[20], other;
    __global__ void k() {{ while (go[threadIdx.x].load() == 0) {{ }} other.store(1); {more.replace("go[3]", "other")} }}
    //@ launch k<<<1, 20>>>();
    //@ expect {expected};
    """)
    (outcome,) = check([path], Settings(engine="embedded"))
    (found,) = outcome.reports[0].checks
    assert found.verdict == "holds"
    assert found.states is not None
    assert found.states < 100


@pytest.mark.parametrize(
    ("condition", "otherwise", "expected"),
    [
        ("x", "", ["holds", "violated"]),
        ("x", "cuda::ptx::mbarrier_arrive(&b);", ["violated", "holds"]),
        ("!x", "cuda::ptx::mbarrier_arrive(&b);", ["holds", "holds"]),
    ],
)
def test_what_a_read_decides_at_an_mbarrier_is_gone_with_it(
    condition: str, otherwise: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody writes `x`: which phase an arrival behind copies is of is asked of none that is never made."""
    sizes(monkeypatch, events=0, many=0)
    text = f"""
    #include <cuda/ptx>
    __device__ alignas(16) int in[4];
    __device__ int x, out;
    __device__ unsigned at(const void* p) {{ return (unsigned)__cvta_generic_to_shared(p); }}
    __global__ void k() {{
        __shared__ std::uint64_t b;
        __shared__ alignas(16) int s[4];
        if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&b, 1);
        __syncthreads();
        if (threadIdx.x == 0) {{
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at(s)), "l"(in) : "memory");
            if ({condition}) {{
                asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at(&b)) : "memory");
            }} else {{ {otherwise} }}
        }} else {{
            while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0)) {{}}
            out = s[0];
        }}
    }}
    //@ launch k<<<1, 2>>>();
    //@ expect race_free;
    //@ expect terminates;
    """
    assert verdicts(text, tmp_path)[:2] == expected


def test_what_the_host_sets_up_is_constant_while_nobody_may_run(tmp_path: Path) -> None:
    """Written before the first launch it is; between two launches it is not, nor where another host thread launches."""
    kernel = "__device__ int in[32], out[32]; __global__ void k() { out[threadIdx.x] = in[threadIdx.x]; }\n"
    asked = "//@ expect race_free;\n//@ expect required out[3] == 5;\n"
    main = "int main() {{ {} cudaDeviceSynchronize(); }}\n"
    for body, found in (
        ("in[3] = 5; k<<<1, 32>>>();", ["holds", "holds"]),
        ("in[3] = 4; in[3] = 5; k<<<1, 32>>>();", ["holds", "holds"]),
        ("in[3] = 4; int r = in[3]; in[3] = 5; k<<<1, 32>>>();", ["holds", "holds"]),
        ("k<<<1, 32>>>(); in[3] = 5;", ["violated", "violated"]),
        ("in[3] = 5; k<<<1, 32>>>(); cudaDeviceSynchronize(); in[3] = 6; k<<<1, 32>>>();", ["holds", "violated"]),
        ("std::thread t([] { k<<<1, 32>>>(); }); in[3] = 5; t.join();", ["violated", "violated"]),
    ):
        assert verdicts(f"#include <thread>\n{kernel}{main.format(body)}{asked}", tmp_path) == found, body


def test_what_the_host_sets_up_is_set_up_on_its_device(tmp_path: Path) -> None:
    text = """
    __device__ int in;
    __managed__ int out[32];
    __global__ void k() { out[threadIdx.x] = in; }
    int main() {
        in = 5;
        cudaSetDevice(1);
        k<<<1, 32>>>();
        cudaDeviceSynchronize();
    }
    //@ expect required out[3] == 0;
    """
    assert verdicts(text, tmp_path) == ["holds"]


@pytest.mark.parametrize(
    ("read", "found"), [("first && second", "holds"), ("first", "violated"), ("second", "violated")]
)
def test_barriers_that_are_there_on_some_paths_order_what_all_of_them_do(
    read: str, found: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From the first lane to the fourth, by way of two such barriers without a lane in common and one between them."""
    sizes(monkeypatch, events=0)
    relaxed = "cuda::memory_order_relaxed"
    text = f"""
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> a, b;
    __device__ int x, y;
    __global__ void set() {{ a.store(1, {relaxed}); b.store(1, {relaxed}); }}
    __global__ void k() {{
        __shared__ int c, d;
        int t = threadIdx.x;
        if (t == 0) {{ c = a.load({relaxed}); d = b.load({relaxed}); }}
        __syncthreads();
        int first = c, second = d;
        if (t == 0) x = 1;
        if (t <= 1 && first) __syncwarp(3);
        if (t == 1 || t == 2) __syncwarp(6);
        if (t >= 2 && second) __syncwarp(12);
        if (t == 3 && {read}) y = x;
    }}
    int main() {{
        cudaStream_t one, other;
        cudaStreamCreate(&one);
        cudaStreamCreate(&other);
        set<<<1, 1, 0, one>>>();
        k<<<1, 4, 0, other>>>();
        cudaDeviceSynchronize();
    }}
    //@ expect race_free;
    """
    assert verdicts(text, tmp_path) == [found]


@pytest.mark.sampled(0)
def test_little_is_left_to_be_asked(tmp_path: Path) -> None:
    """The events of a reduction of four blocks of 32 threads."""
    file = tmp_path / "program.cu"
    file.write_text(reduction(4, 32))
    (run,) = plan(file, str(file), Overrides()).runs
    assert len(run.program.threads) == 129
    assert len(run.graph.events) < 200


COUNTS = """
#include <cuda/atomic>
__device__ int in[64], n;
__device__ cuda::atomic<int, cuda::thread_scope_device> m;
int main() {{
    for (int i = 0; i < 64; ++i) in[i] = 1;
    k<<<2, 32>>>();
    cudaDeviceSynchronize();
    {result}
}}
//@ expect required n == {sum};
//@ expect race_free;
//@ expect terminates;
"""
KERNEL = "__global__ void k() {{ int g = blockIdx.x * 32 + threadIdx.x; {} }}\n"


def counting(body: str, sum_: int = 64) -> str:
    """Threads that count in ``n`` what they do."""
    head, rest = COUNTS.format(sum=sum_, result="int total = n;").split("int main")
    return head + KERNEL.format(body) + "int main" + rest


def test_additions_whose_results_nobody_uses_are_a_sum(tmp_path: Path) -> None:
    text = counting("atomicAdd(&n, in[g]); atomicSub(&n, 1); atomicAdd(&n, 1);")
    assert verdicts(text, tmp_path) == ["holds"] * 3
    assert verdicts(text.replace("n == 64", "n == 63"), tmp_path) == ["violated", "holds", "holds"]
    assert left(text, tmp_path) == 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "body",
    [
        "in[g] = atomicAdd(&n, 1);",
        "if (atomicAdd(&n, 1) == 63) in[g] = 7;",
        "atomicAdd(&n, 1); atomicMax(&n, 1);",
        "atomicAdd_system(&n, 1);",
        "atomicAdd_block(&n, 1);",
        "__threadfence(); atomicAdd(&n, 1); __threadfence();",
        "atomicAdd(&n, 1); m.fetch_add(1);",
        "cuda::atomic_ref<int, cuda::thread_scope_device>(n).fetch_add(1, cuda::memory_order_release);",
        "atomicExch(&n, g);",
        "m.store(g, cuda::memory_order_relaxed); if (m.load(cuda::memory_order_relaxed) == 0) atomicAdd(&n, 1);",
        'asm volatile("fence.acq_rel.gpu;" ::: "memory"); atomicAdd(&n, 1); asm volatile("fence.acq_rel.gpu;" ::: "memory");',
    ],
)
def test_what_may_tell_the_order_of_additions_stays(body: str, tmp_path: Path) -> None:
    """Results that are used, other operators, narrow scopes, fences and orders between which they are."""
    assert left(counting(body), tmp_path) > (200 if "m." in body else 100)


def test_a_fence_on_one_side_tells_no_order(tmp_path: Path) -> None:
    assert left(counting('asm volatile("fence.acq_rel.gpu;" ::: "memory"); atomicAdd(&n, 1);'), tmp_path) < 70


def left(text: str, tmp_path: Path) -> int:
    """How many events of a program are asked about."""
    file = tmp_path / "program.cu"
    file.write_text(text)
    (run,) = plan(file, str(file), Overrides()).runs
    return len(run.graph.events)


def answers(run: Run) -> dict[str, bool]:
    """Whether an execution is found, by question."""
    found = solve(run.problem, 60)
    assert found is not None
    for question in run.problem.questions:
        choice = found[question.name]
        if choice is not None:
            assert not mistakes(question, Execution(run.base, run.problem.model, choice))
    return {question.name: found[question.name] is not None for question in run.problem.questions}


FOLDERS = ["barriers", "programs"]


def some_of(folder: str) -> list[Path]:
    """The specifications of a folder, or a third of them."""
    found = sorted((SPECS / folder).glob("*.*"))
    return spread(found, len(found) if EVERY else len(found) // 3)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_answers_are_those_of_the_whole_graph(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    smaller = 0
    for file in some_of(folder):
        for run, again in zip(*(plan(file, str(file), KEPT).runs for _ in range(2)), strict=True):
            if run.model.file not in ("cuda.cat", "ptx.cat") or len(run.program.threads) > 16:
                continue
            sizes(monkeypatch, events=NEVER)
            whole, events = answers(run), len(run.graph.events)
            sizes(monkeypatch, events=0)
            small = answers(again)
            smaller += len(again.graph.events) < events
            assert {n: a for n, a in small.items() if n in whole} == {n: a for n, a in whole.items() if n in small}, (
                file
            )
            assert all(name in LESS for name in whole.keys() ^ small.keys()), file
    assert smaller > 3


def test_a_loop_whose_turns_are_known_is_followed_to_its_end(tmp_path: Path) -> None:
    text = """
    __device__ int in[300], out;
    __global__ void k() { out = in[299]; }
    int main() {
        for (int i = 0; i < 300; ++i) in[i] = i;
        k<<<1, 1>>>();
        cudaDeviceSynchronize();
    }
    //@ expect required out == 299;
    //@ expect race_free;
    """
    assert verdicts(text, tmp_path) == ["holds", "holds"]
