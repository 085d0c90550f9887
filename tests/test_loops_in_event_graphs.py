"""Loops in event graphs: which are unrolled whole, which only wait, and which are cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.memory.events.events import Kind
from scopec.memory.graph import build
from scopec.memory.unfold.spin_loops import _written_by_others
from scopec.memory.unfold.symbolic import ThreadRun
from scopec.memory.unfold.unfolding import Unfolding
from scopec.program import ir
from scopec.program.loops.headers import own_heads
from scopec.program.observe import Location, instance
from scopec.program.values import show
from tests.conftest import check_text, program_of
from tests.test_event_graph import ATOMICS, before, graph_of, lines

pytestmark = pytest.mark.usefixtures("kept_machines")


def test_a_loop_that_ends_by_itself_is_unrolled_whole() -> None:
    graph = graph_of("for (int i = 0; i < 5; i++) x = i;", unroll=1, reader="scoped")
    assert [line.split(" = ")[1] for line in lines(graph)] == [f"{i} if true" for i in range(5)]
    assert not graph.cuts
    assert graph.unrolled == 5


def test_a_loop_with_a_way_out_that_ends_by_itself_needs_no_bound() -> None:
    graph = graph_of("for (int i = 0; i < 3; i++) if (f.load() == i) break;", unroll=1)
    assert len(lines(graph)) == 3
    assert not graph.cuts


def test_a_loop_that_may_end_in_each_of_its_turns_needs_no_bound_if_these_are_64() -> None:
    graph = graph_of("for (int i = 0; i < 64; i++) if (f.load() == 2) return;", unroll=1, reader="scoped")
    assert len(lines(graph)) == 64
    assert not graph.cuts


COUNTED = "for (int i = 0; i < 5; i++) if (f.load() == i) n++;"


def test_a_count_that_decides_nothing_is_no_loop_of_its_own() -> None:
    counting = "int n = 0; for (int i = 0; i < 12; i++) if (f.load() == i) n++;"
    graph = graph_of(counting, unroll=1)
    assert len(lines(graph)) == 12
    assert not graph.cuts


def test_a_count_that_is_observed_is_kept() -> None:
    counting = "int n = 0; for (int i = 0; i < 5; i++) n++;"
    graph = graph_of(counting, observed=(("k[0][0]", "n"),), reader="scoped")
    assert show(graph.finals["k[0][0]", "n"].value) == "5"


def test_a_count_without_a_first_value_is_told() -> None:
    graph = graph_of("int n; if (f.load() == 7) n = 0; for (int i = 0; i < 5; i++) if (f.load() == i) n++;")
    assert {unset.variable for unset in graph.unset} == {"n"}


def test_a_wait_loop_has_one_failed_iteration_and_a_last_one() -> None:
    graph = graph_of("while (f.load() != 1); x = 1;", unroll=7)
    assert lines(graph) == [
        "k_0_0_L4_R: read.seq_cst.device f if true",
        "k_0_0_L4_R2: read.seq_cst.device f if k_0_0_L4_R != 1",
        "k_0_0_L4_W: write x = 1 if k_0_0_L4_R == 1 || k_0_0_L4_R2 == 1",
    ]
    (cut,) = (c for c in graph.cuts if c.thread != "main")
    assert cut.wait
    assert show(cut.guard.value(graph.conditions)) == "k_0_0_L4_R != 1 && k_0_0_L4_R2 != 1"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("loop", "waits"),
    [
        ("while (f.load() == 0 && g.load() == 0);", True),
        ("int e = 0; while (!f.compare_exchange_strong(e, 1)) e = 0;", True),
        ("int e = 0; while (!f.compare_exchange_strong(e, 1));", False),  # the expected value changes
        ("while (f.exchange(1) == 1);", True),  # a failed turn writes what it read
        ("f.store(1); while (f.exchange(2) == 1);", False),
        ("while (f.exchange(1) != 0);", True),  # f is never anything but 0 or 1
        ("f.store(2); while (f.exchange(1) != 0);", False),
        ("while (f.fetch_add(1) < 5);", False),
        ("int n = 0; while (f.load() == 0) n++; x = n;", False),  # the turns are counted
        ("int n = 0; while (f.load() == 0) n++;", True),  # they are, but nobody looks
        ("while (f.load() == 0) g.store(1);", False),
        ("while (f.load() == 0) { if (g.load() == 1) { x = 1; break; } }", True),  # writes only on the way out
        (
            "while (f.load() == 0) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);",
            True,
        ),
        ("while (f.load() == 0) __syncthreads();", True),  # a block of one thread
    ],
)
def test_which_loops_only_wait(loop: str, waits: bool) -> None:
    graph = graph_of(loop)
    assert {cut.wait for cut in graph.cuts if cut.thread != "main"} == {waits}


#: A loop whose first statement is a loop, and one that goes on from its middle: as if the outer one began on its own.
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("loop", "number"),
    [
        ("for (;;) { while (f.load() == 0); if (f.load() == 2) break; f.store(0); }", 2),
        ("for (;;) { if (f.load() == 0) continue; if (f.load() == 2) break; f.store(0); }", 2),
        ("while (true) { do { r = f.load(); } while (r == 0); if (r == 2) break; f.store(0); }", 2),
        (
            "for (;;) { for (;;) { while (f.load() == 0); if (f.load() == 3) break; f.store(0); } if (r == 2) break; }",
            3,
        ),
        ("while (f.load() == 0) { if (f.load() == 1) f.store(0); else f.store(1); }", 1),
    ],
)
def test_each_loop_has_a_head_of_its_own(loop: str, number: int) -> None:
    program = program_of(ATOMICS + f"__global__ void k() {{ int r = 0; {loop} }}\n//@ launch k<<<1, 1>>>();")
    body = own_heads(program.threads[1].body)
    back = [(n, f) for n, node in body.nodes.items() for f in ir.successors(node) if f in before(body, n)]
    assert len({head for _, head in back}) == number


def test_a_loop_that_waits_at_its_beginning_is_a_wait_loop_in_another(tmp_path: Path) -> None:
    """A persistent kernel; written so that the outer loop begins elsewhere, it has the same answers."""

    def answers(first: str) -> list[str]:
        outcome = check_text(
            tmp_path,
            "__managed__ cuda::atomic<int, cuda::thread_scope_system> flag, turn;\n__managed__ int data;\n"
            f"__global__ void k() {{ for (;;) {{ {first} int c; while ((c = flag.load()) == 0); if (c == 2) break;"
            " data = data + 1; flag.store(0); } }\n"
            "int main() { k<<<1, 1>>>(); data = 5; flag.store(1); while (flag.load() != 0); flag.store(2);"
            " cudaDeviceSynchronize(); }\n//@ expect race_free;\n//@ expect required data == 6;\n",
            engine="embedded",
        )
        return [c.verdict for r in outcome.reports for c in r.checks]

    assert answers("") == answers("turn.store(1);") == ["holds", "holds"]


def test_other_loops_are_cut_at_the_bound() -> None:
    for bound in (1, 2, 4):
        graph = graph_of("while (f.fetch_add(1) < 9);", unroll=bound)
        assert sum(e.kind is Kind.WRITE for e in graph.events) == bound + 1
        assert graph.unrolled == bound


def test_a_loop_too_long_to_unroll_whole_is_cut_at_the_bound() -> None:
    graph = graph_of("for (int i = 0; i < 80; i++) for (int j = 0; j < 80; j++) x = j;")
    assert len(lines(graph)) == 160
    assert [cut.wait for cut in graph.cuts if cut.thread != "main"] == [False]


def test_loops_inside_each_other_that_count_nothing_go_to_the_bound_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes: list[int] = []
    node = ThreadRun.node

    def counted(self: ThreadRun, number: int) -> None:
        nodes.append(number)
        node(self, number)

    monkeypatch.setattr(ThreadRun, "node", counted)
    graph = graph_of("int r; do { do { do { r = f.exchange(1); } while (r != 0); r = f.exchange(2); } while (r == 3); "
                     "r = f.exchange(0); } while (r == 1);")  # fmt: skip
    assert {cut.wait for cut in graph.cuts if cut.thread == "k[0][0]"} == {False}
    assert len(nodes) < 1000
    assert not graph_of("int a = 1, b = 1; while (a != 0) { a = b; b = 0; f.load(); }", unroll=1).cuts


def test_an_irreducible_looking_nest_of_loops() -> None:
    graph = graph_of(
        "for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { if (i == j) continue; x = 10 * i + j; }"
    )
    assert [show(e.value) for e in graph.events if e.value is not None and e.thread] == ["1", "10"]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("int r; x = r;", "`r` is read before it has a value"),
        ("int r; bool b = f.load() == 2; if (b) r = 1; if (!b) x = r;", "`r` is read before it has a value"),
        (
            "for (int i = 0; i < 990; i++) { x = 1; x = 2; x = 3; x = 4; x = 5; } " + "x = 1; " * 51,
            "more than 5000 events of one thread",
        ),
    ],
)
def test_what_cannot_be_unrolled(kernel: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        graph_of(kernel)
    assert message in str(raised.value)


def test_a_wait_loop_may_leave_what_it_gets_without_a_value_until_it_ends() -> None:
    text = """
    __device__ bool get(int& v) { if (f.load() == 0) return false; v = x; return true; }
    __global__ void k() { int v; while (!get(v)) { } y = v; }
    //@ launch k<<<1, 1>>>();"""
    graph = build(program_of(ATOMICS + text), 2)
    assert [cut.wait for cut in graph.cuts if cut.thread == "k[0][0]"] == [True]
    assert graph.unset == ()


@pytest.mark.parametrize(
    ("uses", "held"),
    [
        ("s.store(3); s.store(t);", None),
        ("s.store(3); s.store(5);", {0, 3, 5}),
        ("s.fetch_or(2);", {0, 2}),
        ("int e = 0; s.compare_exchange_strong(e, 7);", {0, 7}),
        ("int e = s.load();", {0}),
        ("cuda::barrier<cuda::thread_scope_block> *b = &bar; init(b, 2); b->arrive_and_wait();", None),
    ],
)
def test_what_an_object_may_hold_is_what_some_operation_writes(uses: str, held: set[int] | None) -> None:
    """The states of a barrier are not listed."""
    barrier = "bar" in uses
    program = program_of(f"""#include <cuda/atomic>
#include <cuda/barrier>
__device__ cuda::atomic<int, cuda::thread_scope_device> s;
__global__ void k() {{ __shared__ cuda::barrier<cuda::thread_scope_block> bar; int t = s.load(); {uses} }}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
""")
    (name,) = {o.name for o in program.objects.values() if (o.use is ir.Use.BARRIER) is barrier}
    own = program.threads[-1]
    out = Unfolding(program)
    assert out.stored(name) == held
    assert _written_by_others(out, own, Location(name, 0, instance(program.objects[name], own))) == (held != {0})
