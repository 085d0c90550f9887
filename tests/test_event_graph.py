"""Event graphs: loops unrolled, branches merged, threads ordered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from scopec.base.source import Span
from scopec.memory.domains.domains import domains
from scopec.memory.events.events import EventGraph, Kind, LeftOpen
from scopec.memory.graph import build
from scopec.memory.show import show_events
from scopec.memory.unfold import symbolic
from scopec.memory.unfold.unfolding import State, merge
from scopec.program import ir, values
from scopec.program.specialise import device_threads
from scopec.program.values import Value, show
from tests.conftest import program_of

pytestmark = pytest.mark.usefixtures("kept_machines")

ATOMICS = """
__device__ int x, y;
__device__ cuda::atomic<int, cuda::thread_scope_device> f, g;
"""


def graph_of(
    kernel: str,
    launch: str = "k<<<1, 1>>>",
    unroll: int = 2,
    observed: tuple[tuple[str, str], ...] = (),
    reader: str = "auto",
) -> EventGraph:
    text = ATOMICS + "__global__ void k() { " + kernel + " }\n//@ launch " + launch + "();"
    return build(program_of(text, reader=reader), unroll, observed)


def lines(graph: EventGraph, thread: str = "k[0][0]") -> list[str]:
    """The events of a thread with guards and values."""
    return [
        f"{e.id}: {e.text}"
        + (f" = {show(e.value)}" if e.value else "")
        + f" if {show(e.guard.value(graph.conditions))}"
        for e in graph.events
        if e.thread == thread
    ]


def test_branches_meet_again() -> None:
    graph = graph_of("int r = f.load(); if (r == 1) { x = 1; r = 5; } else y = 2; x = r;", reader="scoped")
    assert lines(graph) == [
        "k_0_0_L4_R: read.seq_cst.device f if true",
        "k_0_0_L4_W: write x = 1 if k_0_0_L4_R == 1",
        "k_0_0_L4_W2: write y = 2 if k_0_0_L4_R != 1",
        "k_0_0_L4_W3: write x = k_0_0_L4_R == 1 ? 5 : k_0_0_L4_R if true",
    ]


def before(body: ir.Body, node: int) -> set[int]:
    """The nodes that dominate one."""

    def without(barrier: int) -> set[int]:
        found, work = set(), [body.entry]
        while work:
            at = work.pop()
            if at not in found and at != barrier:
                found.add(at)
                work += ir.successors(body.nodes[at])
        return found

    return {n for n in body.nodes if n == node or node not in without(n)}


def test_compare_exchange() -> None:
    graph = graph_of(
        "int e = 3; bool ok = f.compare_exchange_strong(e, 4, cuda::memory_order_acq_rel, cuda::memory_order_relaxed); x = e;",
        observed=(("k[0][0]", "ok"),),
        reader="scoped",
    )
    assert lines(graph) == [
        "k_0_0_L4_R: read.acq_rel.device f if true",
        "k_0_0_L4_W: write.acq_rel.device f = 4 if k_0_0_L4_R == 3",
        "k_0_0_L4_W2: write x = k_0_0_L4_R == 3 ? 3 : k_0_0_L4_R if true",
    ]
    read, write = graph.by_id["k_0_0_L4_R"], graph.by_id["k_0_0_L4_W"]
    assert (read.rmw, write.rmw) == (write.id, read.id)
    assert read.order is not None
    assert write.order is not None
    assert (read.order.value, write.order.value, read.failure.value if read.failure else None) == (
        "acquire", "release", "relaxed",
    )  # fmt: skip
    assert show(graph.finals["k[0][0]", "ok"].value) == "k_0_0_L4_R == 3"


def test_a_weak_compare_exchange_may_fail() -> None:
    graph = graph_of("int e = 0; f.compare_exchange_weak(e, 1);")
    assert graph.choices == {"k_0_0_L4_R?weak": LeftOpen("k_0_0_L4_R", "weak")}
    assert lines(graph)[1].endswith("if k_0_0_L4_R == 0 && k_0_0_L4_R?weak")


def test_launch_completion_and_streams_order_threads() -> None:
    program = program_of(
        """
        __device__ int x;
        __global__ void k(int v) { x = v; }
        int main() {
            cudaStream_t s, t, n;
            cudaStreamCreate(&s); cudaStreamCreate(&t); cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
            k<<<1, 1, 0, s>>>(1);
            k<<<1, 1, 0, s>>>(2);
            k<<<1, 1, 0, t>>>(3);
            k<<<1, 1>>>(4);
            k<<<1, 1, 0, n>>>(5);
            int q = cudaStreamQuery(s);
            cudaDeviceSynchronize();
        }
        """
    )
    graph = build(program, 1)
    stream_order = {e.why for e in graph.asw if "stream order" in e.why}
    assert stream_order == {
        f"{b} after {a} in stream order" for a, b in (("k", "k#2"), ("k", "k#4"), ("k#2", "k#4"), ("k#3", "k#4"))
    }
    completions = [(e.why, None if e.when is None else show(e.when)) for e in graph.asw if "completion" in e.why]
    query = next(e.id for e in graph.events if e.text == "cudaStreamQuery(s)")
    assert completions == [
        ("completion of k", f"{query}?result == 0"),
        ("completion of k#2", f"{query}?result == 0"),
        *((f"completion of k{n}", None) for n in ("", "#2", "#3", "#4", "#5")),
    ]


def test_barriers_are_matched_by_phase() -> None:
    graph = graph_of("x = 1; __syncthreads(); y = 2; __syncthreads();", "k<<<2, 2>>>")
    edges = {(e.before[0], e.after[0]) for e in graph.asw if "__syncthreads" in e.why}
    assert edges == {
        (f"k_{b}_{t}_L4_A{n}", f"k_{b}_{1 - t}_L4_B{n}") for b in (0, 1) for t in (0, 1) for n in ("", "2")
    }
    conditional = graph_of("if (f.load() == 1) __syncthreads(); __syncthreads();", "k<<<1, 2>>>")
    conditions = {None if e.when is None else show(e.when) for e in conditional.asw if "__syncthreads" in e.why}
    assert len(conditions) > 1  # which phase the last barrier is depends on the branch


def test_what_comes_after_a_wait_in_vain_is_not_executed() -> None:
    """k[0][1] may wait for ever; then k[0][0] does not leave the barrier, and the host does not return."""
    graph = graph_of("if (threadIdx.x == 1) while (f.load() == 0); __syncthreads(); x = 1;", "k<<<1, 2>>>")
    stuck = "k_0_1_L4_R == 0 && k_0_1_L4_R2 == 0"
    waits = {e.text: show((~e.guard).value(graph.conditions)) for e in graph.events if e.thread in ("k[0][0]", "main")}
    assert waits["arrive at __syncthreads"] == "false"
    assert waits["leave __syncthreads"] == stuck
    assert waits["write x"] == stuck
    assert waits["cudaDeviceSynchronize"] == stuck
    assert all(cut.wait for cut in graph.cuts)
    assert {cut.thread for cut in graph.cuts} == {"main", "k[0][0]", "k[0][1]"}


def test_what_a_register_held_is_forgotten_where_it_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    merged: list[set[str]] = []

    def recorded(states: Sequence[State], conditions: Sequence[Value]) -> State:
        state = merge(states, conditions)
        if len(states) > 1:
            merged.append({name for name in state.registers if not name.startswith("%")})
        return state

    monkeypatch.setattr(symbolic, "merge", recorded)
    graph_of("int r = f.load(), s = g.load(); if (r == 1) x = 1; else x = 2; if (s == 1) y = 1; else y = 2;")
    assert merged == [{"s"}, set()]


def test_long_values_are_named() -> None:
    graph = graph_of("int n = 2; for (int i = 0; i < 3; i++) { n = f.load(); " + "n = n * n; " * 12 + "} x = n;")
    (write,) = (e for e in graph.events if e.text == "write x")
    assert isinstance(write.value, values.Named)
    assert write.value.size > 1 << 12
    assert [leaf.name for leaf in write.value.reads] == ["k_0_0_L4_R3"]
    assert domains(graph).values(write.value) == {0}


def test_an_index_that_is_read_gives_one_access_for_each_element() -> None:
    graph = graph_of("__shared__ int s[2]; s[f.load()] = 1;")
    assert lines(graph) == [
        "k_0_0_L4_R: read.seq_cst.device f if true",
        "k_0_0_L4_W: write k[0].s[0] = 1 if k_0_0_L4_R == 0",
        "k_0_0_L4_W2: write k[0].s[1] = 1 if k_0_0_L4_R == 1",
    ]
    assert not graph.faults  # f is 0 in every execution


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        ("f.store(2); s[f.load()] = 1;", "`s[f.load()] = 1` accesses no element of `k.s`, which has elements 0 to 1"),
        ("f.store(2); int r = f.load(); if (r < 2) s[r] = 1;", None),
        (
            "s[threadIdx.x + 2] = 1;",
            "`s[threadIdx.x + 2] = 1` names no element of its array, which has elements 0 to 1",
        ),
        ("s[threadIdx.x] = 1;", None),
        ("f.store(2); x = 6 / f.load();", "`6 / f.load()` divides by zero"),
        ("f.store(2); int r = f.load(); if (r != 0) x = 6 / r;", None),
        ("f.store(2); int r = f.load(); if (r > 0) x = 6 / r;", None),
        ("f.store(2); x = 6 / (f.load() | 1);", None),
        ("f.store(-1); int a = y; a /= f.load(); x = a + 1 % (f.load() | 1);", "`a /= f.load()` divides by zero"),
        ("f.store(40); x = 1 << f.load();", "`1 << f.load()` shifts by less than 0 or more than 31"),
        ("f.store(40); x = 1ll << f.load();", None),
        ("int r = f.load(); bool b = r != 0 && 6 / r > 1; x = b ? 1 : 2;", None),
        ("int r = f.load(); x = r == 0 ? 1 : 6 / r;", None),
    ],
)
def test_what_is_undefined_is_asserted_unless_no_value_that_may_be_read_fails_it(kernel: str, text: str | None) -> None:
    graph = graph_of(f"__shared__ int s[2]; {kernel}")
    assert [a.text for a in graph.faults] == ([] if text is None else [text])
    assert sum(c.fault for c in graph.cuts) == len(graph.faults)


def test_what_comes_after_something_undefined_is_not_executed() -> None:
    graph = graph_of("int r = f.load(); f.store(1); x = 6 / r; g.store(1);")
    (write,) = (e for e in graph.events if "g" in e.text and e.kind is Kind.WRITE)
    assert show(write.guard.value(graph.conditions)) == "k_0_0_L4_R != 0"


def test_a_thread_that_waits_for_one_that_does_something_undefined_gets_no_further() -> None:
    graph = graph_of("if (threadIdx.x == 0) { f.store(1); x = 6 / f.load(); } __syncthreads(); y = 1;", "k<<<1, 2>>>")
    written = [e for e in graph.events if e.text == "write y"]
    assert [show(e.guard.value(graph.conditions)) for e in written] == ["k_0_0_L4_R != 0"] * 2


def test_each_block_and_thread_and_device_has_its_instance() -> None:
    program = program_of(
        """
        __device__ int d; __managed__ int m;
        __global__ void k() { __shared__ int s; volatile int a; d = 1; m = 2; s = 3; a = 4; }
        int main() { k<<<1, 2>>>(); cudaSetDevice(1); k<<<1, 1>>>(); }
        """
    )
    graph = build(program, 1)
    assert {(at.object, at.instance) for at in graph.locations} == {
        ("d", ""), ("d", "device1"), ("m", ""), ("k.s", "k[0]"), ("k#2.s", "k#2[0]"),
        ("k.a", "k[0][0]"), ("k.a", "k[0][1]"), ("k#2.a", "k#2[0][0]"),
    }  # fmt: skip


def test_threads_that_no_launch_starts_run_from_the_start() -> None:
    """They are ordered after the initial writes alone."""
    program = program_of("__device__ int x; __global__ void k() { x = threadIdx.x; } //@ launch k<<<1, 2>>>();")
    others = tuple(
        ir.Thread(f"P{n}", thread.body, unit=f"cta {n}") for n, thread in enumerate(device_threads(program.grids["k"]))
    )
    nothing = ir.Body(0, {0: ir.Exit(Span("a.cu", 1, 1, 1, 1))}, {})
    graph = build(replace(program, host=ir.Thread("main", nothing), grids={}, others=others), 1)
    expected = """\
initial values
  init_x: x = 0 (initially)    (line 1)
events of P0
  P0_L1_W: write x <- 0    (line 1)
events of P1
  P1_L1_W: write x <- 1    (line 1)
init_x before P0_L1_W, P1_L1_W: initial values
"""
    assert show_events(graph) == expected


STREAMS = """
__device__ int x;
__global__ void k(int v) { x = v; }
__global__ void nothing() {}
int main() {
    cudaStream_t s, n;
    cudaEvent_t e;
    cudaStreamCreate(&s); cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    %s
}
"""


def orders(host: str) -> set[tuple[str, str | None]]:
    graph = build(program_of(STREAMS % host), 1)
    why = ("stream order", "completion", "launch")
    return {(e.why, None if e.when is None else show(e.when)) for e in graph.asw if any(w in e.why for w in why[:2])}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("k<<<1, 1, 0, s>>>(1); cudaStreamSynchronize(s); k<<<1, 1, 0, n>>>(2);", {("completion of k", None)}),
        ("k<<<1, 1, 0, s>>>(1); cudaStreamSynchronize(n);", set()),
        (
            "k<<<1, 1, 0, s>>>(1); cudaEventRecord(e, s); cudaStreamWaitEvent(n, e, 0); k<<<1, 1, 0, n>>>(2);",
            {("k#2 after k in stream order", None)},
        ),
        ("k<<<1, 1, 0, s>>>(1); cudaStreamWaitEvent(n, e); cudaEventRecord(e, s); k<<<1, 1, 0, n>>>(2);", set()),
        ("cudaEventRecord(e, s); k<<<1, 1, 0, s>>>(1); cudaEventSynchronize(e);", set()),
        ("k<<<1, 1, 0, s>>>(1); cudaEventRecord(e, s); cudaEventSynchronize(e);", {("completion of k", None)}),
        (  # the event stands for what it was recorded for last
            "k<<<1, 1, 0, s>>>(1); cudaEventRecord(e, s); cudaEventRecord(e, n); cudaEventSynchronize(e);",
            set(),
        ),
        (
            "k<<<1, 1, 0, s>>>(1); cudaEventRecord(e, s); int q = cudaEventQuery(e);",
            {("completion of k", "main_L10_C3?result == 0")},
        ),
        (  # what a stream waits for is complete when the stream is
            "k<<<1, 1, 0, s>>>(1); cudaEventRecord(e, s); cudaStreamWaitEvent(n, e); cudaStreamSynchronize(n);",
            {("completion of k", None)},
        ),
        (  # a grid without events passes the order on
            "k<<<1, 1, 0, s>>>(1); nothing<<<1, 1, 0, s>>>(); cudaEventRecord(e, s); cudaEventSynchronize(e);",
            {("completion of k", None)},
        ),
        (  # a record under a condition
            "k<<<1, 1, 0, s>>>(1); if (cudaStreamQuery(n)) cudaEventRecord(e, s); cudaEventSynchronize(e);",
            {("completion of k", "main_L10_C2?result != 0")},
        ),
    ],
)  # fmt: skip
def test_streams_and_events_order(host: str, wanted: set[tuple[str, str | None]]) -> None:
    assert orders(host) == wanted


def test_votes_are_what_the_threads_of_the_phase_give() -> None:
    zero, one = "k_0_0_L4_R == 0", "k_0_1_L4_R == 1"
    for function, result in (
        ("count", f"({zero} ? 1 : 0) + ({one} ? 1 : 0)"),
        ("and", "!(k_0_0_L4_R != 0 || k_0_1_L4_R != 1)"),
        ("or", f"{zero} || {one}"),
    ):
        graph = graph_of(f"int r = __syncthreads_{function}(f.load() == threadIdx.x); x = r;", "k<<<1, 2>>>")
        assert {show(e.value) for e in graph.events if e.kind is Kind.WRITE and e.value} == {result}
        assert {e.text for e in graph.events if e.kind is Kind.WAIT} == {f"leave __syncthreads_{function}"}


def test_a_warp_barrier_joins_the_lanes_of_its_mask() -> None:
    graph = graph_of("if (threadIdx.x < 2) __syncwarp(3); else __syncwarp(12); x = 1;", "k<<<1, 4>>>")
    edges = {(e.before[0][:5], e.after[0][:5]) for e in graph.asw if "__syncwarp" in e.why}
    assert edges == {("k_0_0", "k_0_1"), ("k_0_1", "k_0_0"), ("k_0_2", "k_0_3"), ("k_0_3", "k_0_2")}
    whole = graph_of("__syncwarp(); x = 1;", "k<<<1, 33>>>")
    assert not any("k_0_32" in e.after[0] for e in whole.asw if "__syncwarp" in e.why)


def test_threads_whose_index_is_too_large_do_nothing() -> None:
    """The index is in a variable first, as CUDA programs have it; a variable with two values decides nothing."""

    def threads(kernel: str) -> list[str]:
        program = program_of(f"{ATOMICS}__global__ void k() {{ {kernel} }}\n//@ launch k<<<1, 256>>>();")
        return [t.name for t in program.threads if t.grid is not None]

    alone = [f"k[0][{lane}]" for lane in range(2)]
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    assert threads(f"{index} if (i < 2) x = i;") == alone
    assert threads(f"{index} if (i >= 2) return; x = i;") == alone
    assert threads(f"{index} const int n = 2; bool mine = i < n; if (mine) f.store(i);") == alone
    assert len(threads(f"{index} if (f.load()) i = 5; if (i < 2) x = i;")) == 256
    assert threads(f"{index} while (i < 1) {{ }}") == ["k[0][0]"]  # the others end, and this one does not


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kernel", "unset"),
    [
        ("int r; if (f.load()) r = 1; x = r;", ["r"]),
        ("int r; if (f.load()) r = 1; else return; x = r;", []),
        ("int r; bool b = f.load() == 2; if (b) r = 1; if (b) x = r;", []),
        ("int r; if (f.load()) r = 1; r = 2; x = r;", []),
        ("int r; for (int i = 0; i < 2; i++) r = i; x = r;", []),
        ("int r; for (int i = 0; i < f.load(); i++) r = i; x = r;", ["r"]),
        ("int r; int o = f.load(); while (o == 0) { o = f.load(); r = o; } x = r;", ["r"]),
        ("int r; if (f.load()) r = 1;", []),
    ],
)
def test_a_local_that_has_no_value_on_some_path(kernel: str, unset: list[str]) -> None:
    found = graph_of(kernel, observed=(("k[0][0]", "r"),)).unset
    assert list(dict.fromkeys(u.variable for u in found)) == unset
