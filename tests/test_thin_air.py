"""Values out of thin air: what depends on what, what is not decided, and what GPUs show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError, UsageError
from scopec.base.options import MEMORY_OPTIONS, choose
from scopec.explain import reasons as explain
from scopec.explain.verdict import Check
from scopec.memory.domains import valuations
from scopec.memory.domains.dependencies import BOUND, VALUES, WAYS, Dependencies, dependencies
from scopec.memory.domains.domains import domains
from scopec.memory.graph import build
from scopec.program.expectations import Settings as FileSettings
from scopec.session.check import Settings
from scopec.session.final_states import Listing, listings
from scopec.session.plan import Overrides
from tests.conftest import check_text, program_of, verdicts
from tests.test_cat import model_of

pytestmark = pytest.mark.usefixtures("kept_machines")

#: Line 5 is the first of what thread 0 does; z is 0 or 1, and so is what it makes of x and y.
PROGRAM = """#include <cuda/atomic>
constexpr auto relaxed = cuda::memory_order_relaxed;
__device__ cuda::atomic<int, cuda::thread_scope_device> x{{0}}, y{{0}}, z{{0}}, a[2], f{{0}};
__global__ void k(int n) {{ int r, s, t = 0, own[2] = {{0, 0}}; if (threadIdx.x == 0) {{
{}
}} else {{ x.store(1, relaxed); z.store(1, relaxed); a[0].store(1, relaxed); f.store(1, relaxed); }} }}
//@ launch k<<<1, 2>>>(1);
"""
FIRST = 5


def found(lines: str, *, unroll: int = 2, every: bool = True) -> Dependencies:
    graph = build(program_of(PROGRAM.format(lines)), unroll)
    return dependencies(graph, domains(graph), every=every)


def pairs(lines: str) -> set[tuple[int, int]]:
    """The dependencies of thread 0, by the numbers of its lines: 0 is the first; of a read-modify-write its own is left out."""
    graph = build(program_of(PROGRAM.format(lines)), 2)
    at = {e.id: (e.thread, e.span.line - FIRST) for e in graph.events}
    halves = {(e.id, e.rmw) for e in graph.events}
    among = [p for p in dependencies(graph, domains(graph), every=True).pairs if p not in halves]
    return {(at[a][1], at[b][1]) for a, b in among if at[a][0] == at[b][0] == "k[0][0]"}


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("r = x.load(relaxed);\n y.store(1, relaxed);", set()),
        ("r = x.load(relaxed);\n y.store(r, relaxed);", {(0, 1)}),
        ("r = x.load(relaxed);\n y.store(r & 2, relaxed);", set()),
        ("r = x.load(relaxed);\n y.store(r ^ r, relaxed);", set()),
        ("r = x.load(relaxed);\n if (r == 1)\n y.store(1, relaxed);", {(0, 2)}),
        ("r = x.load(relaxed);\n if (r == 2)\n y.store(1, relaxed);", set()),
        ("r = x.load(relaxed);\n if (r == 1) t = 1;\n y.store(t, relaxed);", {(0, 2)}),
        ("r = x.load(relaxed);\n if (r == 1) t = 1;\n y.store(1, relaxed);", set()),
        # counterparts: the same order, scope and kind, the same number of them before
        ("r = x.load(relaxed);\n if (r == 1)\n y.store(1, relaxed); else\n y.store(1, relaxed);", set()),
        ("r = x.load(relaxed);\n if (r == 1)\n y.store(1, relaxed); else\n y.store(2, relaxed);", {(0, 2), (0, 3)}),
        ("r = x.load(relaxed);\n if (r == 1)\n y.store(1, relaxed); else\n y.store(1);", {(0, 2), (0, 3)}),
        ("r = x.load(relaxed);\n if (r == 1)\n y.store(1, relaxed); else\n y.exchange(1, relaxed);", {(0, 2), (0, 3)}),
        ("r = x.load(relaxed);\n if (r == 1)\n y.store(1, relaxed);\n y.store(1, relaxed);", {(0, 3)}),
        # a read is the same on both sides of a branch
        ("r = x.load(relaxed);\n if (r == 1)\n s = z.load(relaxed); else\n s = z.load(relaxed);\n y.store(s, relaxed);", {(2, 4), (3, 4)}),
        ("r = x.load(relaxed);\n if (r == 1)\n s = z.load(relaxed); else\n s = z.load();\n y.store(s, relaxed);", {(0, 4), (2, 4), (3, 4)}),
        # addresses, also of reads; which branch a read is on does not matter to it
        ("r = x.load(relaxed);\n a[r & 1].store(1, relaxed);", {(0, 1)}),
        ("r = x.load(relaxed);\n s = a[r & 1].load(relaxed);", {(0, 1)}),
        ("r = x.load(relaxed);\n s = a[r & 0].load(relaxed);", set()),
        ("r = x.load(relaxed);\n if (r == 1)\n s = z.load(relaxed);", set()),
        # for some values of the other reads
        ("r = x.load(relaxed);\n s = z.load(relaxed);\n y.store(r & s, relaxed);", {(0, 2), (1, 2)}),
        ("r = x.load(relaxed);\n s = z.load(relaxed);\n y.store(s | (r & 4), relaxed);", {(1, 2)}),
        ("r = x.load(relaxed);\n s = z.load(relaxed);\n if (s == 1)\n y.store(r, relaxed);", {(0, 3), (1, 3)}),
        ("r = x.load(relaxed);\n s = x.load(relaxed);\n if (r == s)\n y.store(1, relaxed);", {(0, 3), (1, 3)}),
        # local variables are part of what the thread computes, other memory is not
        ("r = x.load(relaxed);\n own[0] = r; own[1] = own[0];\n y.store(own[0] == own[1], relaxed);", set()),
        ("r = x.load(relaxed);\n own[0] = r;\n y.store(own[0], relaxed);", {(0, 2)}),
        ("r = x.load(relaxed);\n own[r & 1] = 1;\n y.store(own[0], relaxed);", {(0, 1), (0, 2)}),
        ("r = x.load(relaxed);\n a[0].store(r, relaxed);\n y.store(a[0].load(relaxed), relaxed);", {(0, 1), (2, 2)}),
        # waits: a way that stays in a loop of reads has no later events
        ("while (x.load(relaxed) == 0);\n y.store(1, relaxed);", {(0, 1)}),
        ("while (x.load(relaxed) == 2);\n y.store(1, relaxed);", set()),
        ("while (f.exchange(1, relaxed) == 1);\n y.store(1, relaxed);", {(0, 1), (0, 0)}),
        # choices of the implementation are the same on both ways
        ("r = 0; if (f.compare_exchange_weak(r, 1, relaxed))\n y.store(1, relaxed);", {(0, 1)}),
        ("r = 0; f.compare_exchange_weak(r, 1, relaxed);\n y.store(1, relaxed);", set()),
        # what is undefined is not compared
        ("r = x.load(relaxed);\n y.store(1 / r, relaxed);", set()),
        ("r = x.load(relaxed);\n a[r].store(1, relaxed);", {(0, 1)}),
        ("r = x.load(relaxed);\n a[r + 1].store(1, relaxed);", set()),
        # a fence and a barrier are later events too
        ("r = x.load(relaxed);\n if (r == 1)\n cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);", {(0, 2)}),
        ("while (x.load(relaxed) == 0);\n __syncthreads();", {(0, 1)}),
    ],
)  # fmt: skip
def test_what_depends_on_what(lines: str, expected: set[tuple[int, int]]) -> None:
    assert pairs(lines) == expected


def test_the_read_of_a_read_modify_write_precedes_its_write() -> None:
    assert len(found("f.exchange(1, relaxed);").pairs) == 1


def test_only_what_may_be_on_a_cycle_is_asked_for() -> None:
    """Thread 1 reads nothing."""
    lines = "r = x.load(relaxed);\n y.store(r, relaxed);"
    assert found(lines).pairs
    assert found(lines, every=False) == Dependencies({}, {})


@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        ("r = x.load(relaxed);", False),
        ("r = x.load(relaxed); if (r == 0) return;", False),
        ("while (x.load(relaxed) == 0);", True),
        ("while (x.load(relaxed) == 2);", False),
        ("r = x.load(relaxed); y.store(1 / r, relaxed);", False),
    ],
)
@pytest.mark.sampled(3)
def test_what_waits_for_a_thread_depends_on_what_that_waits_for(lines: str, ends: bool) -> None:
    """The host, for the end of the kernel."""
    dependent = {event for read, event in found(lines).pairs if read.startswith("k_0_0")}
    assert any(event.startswith("main") for event in dependent) is ends


# ---------------------------------------------------------------- what is not decided

LOOP = """
    do {
        r = x.load(relaxed);
        z.store(1, relaxed);
    } while (r == 0);
    y.store(1, relaxed);
"""
ANSWER = """#include <cuda/atomic>
constexpr auto relaxed = cuda::memory_order_relaxed;
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, z{0}, c{0};
__global__ void k() {
    int r = 0;
    if (blockIdx.x == 0) {
        %s
    } else if (blockIdx.x == 1) {
        if (y.load(relaxed) == 1) x.store(1, relaxed);
    } else {
        %s
    }
}
//@ launch k<<<3, 1>>>();
"""


def reasons(lines: str) -> set[str]:
    return set(found(lines).undecided.values())


def test_what_comes_after_a_loop_beyond_its_bound_is_not_known() -> None:
    assert reasons(LOOP) == {BOUND}


def test_what_comes_before_it_is() -> None:
    assert reasons("r = x.load(relaxed); if (r == 1) y.store(1, relaxed);" + LOOP.replace("y", "a[1]")) == {BOUND}
    assert not any(
        "W" in event and "L5" in event
        for _, event in found("r = x.load(relaxed); if (r == 1) y.store(1);" + LOOP.replace("y", "a[1]")).undecided
    )


def test_values_without_end_leave_it_open() -> None:
    assert reasons("y.store(1 + y.load(relaxed), relaxed); r = y.load(relaxed); z.store(r > 100, relaxed);") == {VALUES}


def test_so_do_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "r = x.load(relaxed); s = z.load(relaxed); y.store((r & s) == 2, relaxed);"
    assert reasons(lines) == set()
    monkeypatch.setattr(valuations, "MOST_VALUATIONS", 3)
    assert reasons(lines) == {WAYS}


def checked(folder: Path, text: str, engine: str) -> dict[str, Check]:
    outcome = check_text(folder, text, engine=engine)
    assert outcome.failure is None, outcome.failure
    return {check.expectation.text: check for report in outcome.reports for check in report.checks}


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
@pytest.mark.parametrize(
    ("third", "stated", "verdict"),
    [
        ("", "allowed x == 1 && z == 1", "unknown"),
        ("", "forbidden x == 1", "unknown"),
        # another execution, which does not need it
        ("x.store(1, relaxed);", "allowed x == 1 && z == 1", "holds"),
        ("x.store(1, relaxed);", "forbidden x == 1", "violated"),
    ],
)
@pytest.mark.sampled(2)
def test_a_verdict_that_needs_it_is_unknown(third: str, stated: str, verdict: str, engine: str, tmp_path: Path) -> None:
    text = ANSWER % (LOOP, third) + f"//@ bound unroll = 1;\n//@ expect {stated};\n"
    check = checked(tmp_path, text, engine)[stated]
    assert check.verdict == verdict
    if verdict == "unknown":
        assert check.trace is None
        assert check.reason == (
            "whether the store at program.cu:12 depends on the load at program.cu:9 is not decided "
            f"({BOUND}), and an execution was found that needs that it does not"
        )


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_executions_that_need_it_are_not_listed(engine: str, write: Callable[..., Path]) -> None:
    path = write(ANSWER % (LOOP, "if (c.load(relaxed) == 0) x.store(2, relaxed);"))
    found = listed(path, engine)
    assert any("is not decided" in why and "are not listed" in why for why in found.unfinished)
    assert found.states
    assert all(not state.execution.undecided for state in found.states)
    assert all(state.values["k[0][0].r"] == 2 for state in found.states)


RACE = ANSWER.replace("c{0};", "c{0}; __device__ int d = 0;") % (
    LOOP + "if (r == 1) d = 1;", "if (x.load(relaxed) == 1) d = 2;",
)  # fmt: skip


@pytest.mark.parametrize("stated", ["race_free", "race on d", "allowed z == 1"])
@pytest.mark.sampled(2)
def test_a_race_that_needs_it_is_not_known(stated: str, tmp_path: Path) -> None:
    """A race may also take the meaning of other verdicts."""
    assert checked(tmp_path, RACE + f"//@ expect {stated};\n", "embedded")[stated].verdict == "unknown"


COUNTED = ANSWER % (
    "r = x.load(relaxed); y.store(1 + (r > 9), relaxed);",
    "int n = c.fetch_add(1, relaxed); if (n > 7) x.store(n, relaxed);",
)


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_values_without_end_that_no_execution_has_leave_nothing_open(engine: str, tmp_path: Path) -> None:
    """The counter never gets beyond 1: by what is computed of it alone it could."""
    text = COUNTED.replace("k<<<3, 1>>>", "k<<<4, 1>>>") + "//@ expect allowed y == 1 && k[0][0].r == 1;\n"
    check = checked(tmp_path, text, engine)["allowed y == 1 && k[0][0].r == 1"]
    assert (check.verdict, check.reason) == ("holds", None)


# ---------------------------------------------------------------- a user's own model

OWN = "CUDA\nlet fr = (rf^-1 ; co) \\ id\nacyclic (po & loc) | rf | co | fr as coherence\n%s\n"


@pytest.mark.parametrize(
    ("text", "forbids"),
    [
        ("acyclic rf | dep as a", True),
        ("let order = rf | dep acyclic order | co as a", True),
        ("acyclic po | rf as a", True),
        ("acyclic rf ; dep as a", False),
        ("irreflexive dep as a", False),
        ("acyclic rf | (po \\ dep) as a", False),
        ("acyclic rf | dep as a flag ~empty dep as b", False),
        ("let own = po ; dep acyclic rf | own as a", False),
    ],
)
def test_whether_dependencies_can_only_forbid_is_read_off_a_model(text: str, forbids: bool) -> None:
    assert model_of(text).dep_only_forbids is forbids


@pytest.mark.parametrize(
    ("axiom", "allowed"),
    [("", True), ("acyclic rf | dep as thin", False), ("empty [W] ; dep as odd", True), ("empty dep as none", False)],
)
@pytest.mark.sampled(3)
def test_a_user_s_model_may_ask_for_dependencies(axiom: str, allowed: bool, write: Callable[..., Path]) -> None:
    path = write(ANSWER % ("if (x.load(relaxed) == 1) y.store(1, relaxed);", ""))
    model = write(OWN % axiom, "own.cat")
    ((found,), _) = listings(path, Settings(Overrides(model=str(model)), engine="embedded"), 1000)
    assert any(state.values["x"] == 1 for state in found.states) is allowed


def test_a_model_that_uses_them_otherwise_makes_nothing_of_what_is_not_decided(write: Callable[..., Path]) -> None:
    """Each of its executions may hang on that."""
    path = write(ANSWER % (LOOP, "x.store(2, relaxed);"))
    model = write(OWN % "acyclic rf | (po \\ dep) as odd", "own.cat")
    ((found,), _) = listings(path, Settings(Overrides(model=str(model)), engine="embedded"), 1000)
    assert found.states == ()
    assert any("is not decided" in why for why in found.unfinished)


# ---------------------------------------------------------------- the option


def test_the_old_name_of_a_value_says_the_new_one() -> None:
    with pytest.raises(UsageError, match="`on` is not a value of thin_air: it is called rc11 now"):
        choose(MEMORY_OPTIONS, "an option", "thin_air", "on", None)
    with pytest.raises(InputError) as raised:
        choose(
            MEMORY_OPTIONS, "an option", "thin_air", "on", program_of(PROGRAM.format("")).threads[0].body.nodes[0].span
        )
    assert raised.value.diagnostics[0].way_out == "it is called rc11 now"
    assert FileSettings.defaults().options["thin_air"] == MEMORY_OPTIONS["thin_air"].default == "dependencies"


# ---------------------------------------------------------------- what GPUs show


def listed(path: Path, engine: str = "embedded", model: str | None = None) -> Listing:
    ((listing,), _) = listings(path, Settings(Overrides(model=model), engine=engine), 10_000)
    return listing


SHAPE = """#include <cuda/atomic>
constexpr auto relaxed = cuda::memory_order_relaxed;
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> x{0}, y{0};
__global__ void k() {
    if (blockIdx.x == 0) {
        unsigned r = %s;
        %s
    } else {
        unsigned s = %s;
        %s
    }
}
//@ launch k<<<2, 1>>>();
"""
LOADS = ("{}.load(relaxed)", "{}.fetch_add(0, relaxed)", "{}.fetch_or(0, relaxed)")
#: What is stored whatever was read: a GPU shows both threads the 1 of the other, with any two of these.
FREE = (
    "{to}.store(1, relaxed);",
    "{to}.store(1 + ({r} ^ {r}), relaxed);",
    "{to}.store(1 + {r} * 0, relaxed);",
    "unsigned t = 0; if ({r} == 1) t = 7; {to}.store(1, relaxed);",
)
#: What depends on what was read: with one of these on each side it was never seen.
BOUND_TO = ("{to}.store({r} == 1, relaxed);", "{to}.store({r} & 1, relaxed);", "if ({r} == 1) {to}.store(1, relaxed);")


def shape(load: str, first: str, second: str) -> str:
    return SHAPE % (load.format("x"), first.format(r="r", to="y"), load.format("y"), second.format(r="s", to="x"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("first", FREE)
@pytest.mark.parametrize("second", [*FREE, BOUND_TO[0], BOUND_TO[2]])
def test_states_that_a_gpu_shows_are_allowed(
    first: str, second: str, load: str, model: str, write: Callable[..., Path]
) -> None:
    states = {
        (s.values["k[0][0].r"], s.values["k[1][0].s"])
        for s in listed(write(shape(load, first, second)), model=model).states
    }
    assert states == ({(0, 0), (0, 1), (1, 0), (1, 1)} if second in FREE else {(0, 0), (0, 1), (1, 1)})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize(("first", "second"), [(a, b) for a in BOUND_TO for b in BOUND_TO])
def test_states_out_of_thin_air_are_not(
    first: str, second: str, load: str, model: str, write: Callable[..., Path]
) -> None:
    found = listed(write(shape(load, first, second)), model=model)
    assert {(s.values["k[0][0].r"], s.values["k[1][0].s"]) for s in found.states} == {(0, 0)}


@pytest.mark.jvm
@pytest.mark.parametrize("first", FREE[1:])
@pytest.mark.sampled(2)
def test_both_engines_know_the_values_on_a_cycle(first: str, write: Callable[..., Path]) -> None:
    """A value that no read changes goes round: every write has one all the same."""
    found = listed(write(shape(LOADS[1], first, first)), "both")
    assert len(found.states) == 4


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_a_counter_beside_a_cycle_leaves_nothing_open(engine: str, tmp_path: Path) -> None:
    """No execution is beyond the domains because a cycle of reads-from, whose values are known, could have no value."""
    count = "c.fetch_add(1, relaxed);"
    text = shape(LOADS[0], FREE[1] + count, FREE[2] + count).replace("y{0};", "y{0}, c{0};")
    text += "//@ expect required c == 2;\n//@ expect allowed k[0][0].r == 1 && k[1][0].s == 1;\n"
    assert [c.verdict for c in checked(tmp_path, text, engine).values()] == ["holds", "holds"]


# ---------------------------------------------------------------- in words


def test_what_comes_early_is_said(tmp_path: Path) -> None:
    text = shape(LOADS[0], FREE[0], BOUND_TO[0]) + "//@ expect forbidden k[0][0].r == 1 && k[1][0].s == 1;\n"
    (check,) = checked(tmp_path, text, "embedded").values()
    assert [s for s in explain.explanation(check).sentences if "takes effect" in s] == [
        "the store at program.cu:7 takes effect before the load at program.cu:6 of the same thread: it does not depend "
        "on what that returns"
    ]


def test_nothing_is_early_where_program_order_is_kept(tmp_path: Path) -> None:
    text = shape(LOADS[0], FREE[0], FREE[0]) + "//@ expect forbidden k[0][0].r == 1;\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) == {"forbidden k[0][0].r == 1": ["violated"]}
    (check,) = checked(tmp_path, text + "//@ options thin_air = rc11;\n", "embedded").values()
    assert not [s for s in explain.explanation(check).sentences if "takes effect" in s]
