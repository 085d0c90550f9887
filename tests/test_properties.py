"""Properties of every program: scopes raised, orders weakened, fences removed, versions compared, names exchanged.

Random small programs, shrunk by hypothesis, asked of the engine in this process.  ``SCOPEC_RANDOM_PROGRAMS`` sets how many
each property is tried on.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from scopec.base.options import OPTIONS
from scopec.session.check import Settings
from scopec.session.final_states import listings
from scopec.session.plan import Overrides
from tests.oracles import brute_programs as memory
from tests.random_programs import handover_program, memory_program, memory_text
from tests.samples import programs

tried = settings(
    max_examples=programs(2, 3),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
HRF = ("hrf0", "hrf-direct", "hrf-indirect")
CUDA = ("cuda-v1", "cuda-v2", "cuda-v3")
SCOPES = memory.SCOPES
#: From each order what may be weaker, one step at a time.
WEAKER = {
    "seq_cst": ("acq_rel", "acquire", "release", "relaxed"),
    "acq_rel": ("acquire", "release", "relaxed"),
    "acquire": ("relaxed",),
    "release": ("relaxed",),
}


@dataclass(frozen=True)
class Facts:
    """Whether a program races, its final states, and how many executions end in each."""

    racy: bool
    states: Mapping[tuple[tuple[str, int], ...], int]


def facts(program: memory.Program, model: str, *directives: str, rename: Callable[[str], str] = lambda t: t) -> Facts:
    text = rename(memory_text(program, "".join(f"//@ {d};\n" for d in directives)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.cu"
        path.write_text(text)
        ((listing,), _) = listings(path, Settings(Overrides(model), engine="embedded"), 100_000)
    assert not listing.unfinished
    states = {tuple(sorted(s.values.items())): s.executions for s in listing.states}
    return Facts(any(s.racy for s in listing.states), states)


@st.composite
def programs(draw: st.DrawFn, events: int = 8) -> memory.Program:
    """Any operations in any order, or data handed over by a flag, of which more are free of races."""
    chance = draw(st.randoms(use_true_random=False))
    return handover_program(chance) if draw(st.booleans()) else memory_program(chance, events)


def with_ops(program: memory.Program, change: Callable[[int, int, memory.Op], memory.Op | None]) -> memory.Program:
    """A program with each operation (of a thread, at a position) replaced; None removes it."""
    threads = []
    for t, thread in enumerate(program.threads):
        changed = (change(t, n, op) for n, op in enumerate(thread.ops))
        threads.append(replace(thread, ops=tuple(op for op in changed if op is not None)))
    return replace(program, threads=tuple(threads))


def operations(program: memory.Program, wanted: Callable[[memory.Op], bool]) -> list[tuple[int, int]]:
    return [(t, n) for t, thread in enumerate(program.threads) for n, op in enumerate(thread.ops) if wanted(op)]


def scoped(op: memory.Op) -> bool:
    return op.order is not None


# ---------------------------------------------------------------- scopes


@pytest.mark.sampled(1)
@pytest.mark.parametrize("model", HRF)
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
def test_raising_scopes_by_one_map_creates_no_hrf_race(
    model: str, program: memory.Program, chance: random.Random
) -> None:
    """Everything that was in one scope stays in one scope, which is wider."""
    wider = {s: chance.choice(SCOPES[i:]) for i, s in enumerate(SCOPES)}
    raised = with_ops(program, lambda _t, _n, op: replace(op, scope=wider[op.scope]) if scoped(op) else op)
    before, after = facts(program, model), facts(raised, model)
    assert before.racy or not after.racy
    assert set(after.states) == set(before.states)  # executions are sequentially consistent whatever the scopes


@pytest.mark.sampled(1)
@pytest.mark.parametrize("model", CUDA)
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
def test_raising_any_scope_creates_no_cuda_race_or_outcome(
    model: str, program: memory.Program, chance: random.Random
) -> None:
    """The objects are GPU memory that one device accesses: their system-scope atomics are atomic."""
    candidates = operations(program, lambda op: scoped(op) and op.scope != "system")
    assume(candidates)
    at = chance.choice(candidates)
    op = program.threads[at[0]].ops[at[1]]
    wider = chance.choice(SCOPES[SCOPES.index(op.scope) + 1 :])
    raised = with_ops(program, lambda t, n, op: replace(op, scope=wider) if (t, n) == at else op)
    option = reading(chance)
    before, after = facts(program, model, *option), facts(raised, model, *option)
    assert before.racy or not after.racy
    assert set(after.states) <= set(before.states)


def reading(chance: random.Random) -> list[str]:
    """Nothing, or a directive for one reading that is not the default."""
    name = chance.choice([n for n in OPTIONS if n in memory.OPTIONS])
    return chance.choice([[], [f"options {name} = {chance.choice(OPTIONS[name].values[1:])}"]])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("version", CUDA)
def test_raising_to_system_can_race_where_such_atomics_are_not_atomic(version: str) -> None:
    """Why the property above says so: mapped memory whose link has no native atomics."""
    adds = (memory.FetchAdd("r", "x", 1, "relaxed", "device"),)
    threads = tuple(memory.Thread(f"t{n}", "device", 0, block, adds) for n, block in enumerate("ab"))
    program = memory.Program(threads, {"x": memory.Loc()})
    raised = with_ops(program, lambda _t, _n, op: replace(op, scope="system"))
    mapped = "storage x = mapped"
    assert not facts(program, version, mapped).racy
    assert facts(raised, version, mapped).racy
    assert not facts(raised, version, mapped, "given hostNativeAtomicSupported = 1").racy


@pytest.mark.sampled(1)
@pytest.mark.parametrize("model", HRF)
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
def test_with_one_global_scope_every_hrf_model_is_sc_drf(
    model: str, program: memory.Program, chance: random.Random
) -> None:
    """One device: its scope is as global as the system's, if all use the same."""
    scope = chance.choice(["device", "system"])
    one = with_ops(program, lambda _t, _n, op: replace(op, scope=scope) if scoped(op) else op)
    assert facts(one, model) == facts(one, "sc-drf")


# ---------------------------------------------------------------- orders and fences


@pytest.mark.sampled(1)
@pytest.mark.parametrize("model", [*CUDA, *HRF, "sc-drf", "rc11"])
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
def test_less_order_removes_no_race_and_no_outcome(model: str, program: memory.Program, chance: random.Random) -> None:
    """A fence removed, or the order of one operation weakened."""
    candidates = operations(program, lambda op: isinstance(op, memory.Fence) or bool(weaker(op)))
    assume(candidates)
    at = chance.choice(candidates)

    def less(t: int, n: int, op: memory.Op) -> memory.Op | None:
        if (t, n) != at:
            return op
        if isinstance(op, memory.Fence) and (not weaker(op) or chance.random() < 0.5):
            return None
        return chance.choice(weaker(op))

    option = reading(chance) if model in CUDA else []
    before, after = facts(program, model, *option), facts(with_ops(program, less), model, *option)
    assert after.racy or not before.racy
    assert set(before.states) <= set(after.states)


def weaker(op: memory.Op) -> list[memory.Op]:
    """The same operation with less order, where it may have that."""
    found: list[memory.Op] = [
        replace(op, order=order) for order in WEAKER.get(op.order or "", ()) if order in memory.ORDERS[type(op)]
    ]
    if isinstance(op, memory.Cas):
        failures = {"seq_cst": ("acquire", "relaxed"), "acquire": ("relaxed",)}.get(op.failure_order, ())
        found += [replace(op, failure_order=order) for order in failures]
    return found


# ---------------------------------------------------------------- versions of the document

STORAGES = ("device", "managed", "mapped", "system")
ATTRIBUTES = ("concurrentManagedAccess", "hostNativeAtomicSupported", "pageableMemoryAccess")


def atomicity_changes(first: int, second: int, op: memory.Op, storage: str, has: Mapping[str, bool]) -> bool:
    """Whether two versions disagree about an operation of 4 bytes of one device's threads (the notes' versions.tsv).

    "load or store, naturally aligned, size 1,2,4,8, on mapped memory": absent in v1; "system-allocated memory needs
    pageableMemoryAccess=1" since v3, and was unified or CPU memory before.  Nothing else there concerns one device.
    """
    if isinstance(op, memory.Fence) or op.order is None or op.scope != "system":
        return False
    if storage == "mapped" and 1 in (first, second):
        return isinstance(op, memory.Load | memory.Store) and not has["hostNativeAtomicSupported"]
    if storage == "system" and 3 in (first, second):
        old = has["hostNativeAtomicSupported"] or (has["pageableMemoryAccess"] and has["concurrentManagedAccess"])
        return old != has["pageableMemoryAccess"]
    return False


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 3), (1, 3)])
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
@pytest.mark.sampled(1)
def test_versions_differ_only_where_the_document_changed(
    first: int, second: int, program: memory.Program, chance: random.Random
) -> None:
    storage = {name: chance.choice(STORAGES) for name in program.locations}
    has = {name: chance.random() < 0.5 for name in ATTRIBUTES}
    accesses = [op for t in program.threads for op in t.ops if not isinstance(op, memory.Fence)]
    assume(not any(atomicity_changes(first, second, op, storage[op.loc], has) for op in accesses))
    said = [f"storage {name} = {kind}" for name, kind in storage.items() if kind != "device"]
    said += [f"given {name} = {int(value)}" for name, value in has.items()]
    assert facts(program, f"cuda-v{first}", *said) == facts(program, f"cuda-v{second}", *said)


# ---------------------------------------------------------------- what means nothing


@pytest.mark.parametrize("model", ["cuda-v3", "hrf0", "rc11"])
@given(program=programs())
@tried
@pytest.mark.sampled(1)
def test_names_mean_nothing(model: str, program: memory.Program) -> None:
    """Variables, locals and the kernel renamed, so that their alphabetical order is another one."""
    names = {
        "x": "zz",
        "y": "aa",
        "k": "mm",
        **{f"t{t}_r{n}": f"u{9 - t}_q{9 - n}" for t in range(4) for n in range(10)},
    }

    def renamed(text: str, after: str = r"(?<![\w.])") -> str:  # not the x of blockIdx.x
        return re.sub(rf"{after}(x|y|k|t\d_r\d)(?!\w)", lambda m: names[m[1]], text)

    before, after = facts(program, model), facts(program, model, rename=renamed)
    assert before.racy == after.racy
    states = {tuple(sorted((renamed(n, r"\b"), v) for n, v in s)): c for s, c in before.states.items()}
    assert states == after.states


@pytest.mark.parametrize("model", ["cuda-v3", "hrf0", "rc11"])
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
@pytest.mark.sampled(1)
def test_places_of_threads_mean_nothing(model: str, program: memory.Program, chance: random.Random) -> None:
    """Blocks and the threads in them in another order."""
    order = list(range(len(program.threads)))
    chance.shuffle(order)
    moved = replace(program, threads=tuple(program.threads[n] for n in order))
    before, after = facts(program, model), facts(moved, model)
    assert before.racy == after.racy
    assert without_names(before) == without_names(after)


def without_names(found: Facts) -> list[tuple[list[int], int]]:
    """States as the values that occur in them."""
    return sorted((sorted(v for _, v in state), count) for state, count in found.states.items())


@pytest.mark.parametrize("model", ["cuda-v3", "hrf0", "rc11"])
@given(program=programs(), chance=st.randoms(use_true_random=False))
@tried
@pytest.mark.sampled(1)
def test_values_that_are_only_compared_mean_nothing(model: str, program: memory.Program, chance: random.Random) -> None:
    """Every constant replaced, one for one, in a program that adds nothing."""

    def stored(_t: int, _n: int, op: memory.Op) -> memory.Op:
        if isinstance(op, memory.FetchAdd):
            return memory.Exchange(op.reg, op.loc, 2, op.order, op.scope, op.guard)
        return replace(op, value=1) if isinstance(op, memory.Store) and isinstance(op.value, tuple) else op

    program = with_ops(program, stored)
    other = {**dict(zip((0, 1, 2), chance.sample(range(60), 3), strict=True)), -1: -1}  # -1: a local's first value

    def value(old: memory.Value) -> memory.Value:
        return other[old] if isinstance(old, int) else old

    def changed(_t: int, _n: int, op: memory.Op) -> memory.Op:
        fields = {f: value(getattr(op, f)) for f in ("value", "expected", "desired") if hasattr(op, f)}
        guard = None if op.guard is None else (op.guard[0], other[op.guard[1]])
        return replace(op, guard=guard, **fields)

    locations = {name: replace(loc, initial=other[loc.initial]) for name, loc in program.locations.items()}
    before = facts(program, model)
    after = facts(replace(with_ops(program, changed), locations=locations), model)
    assert before.racy == after.racy
    assert {tuple(sorted((n, other[v]) for n, v in s)): c for s, c in before.states.items()} == after.states


# ---------------------------------------------------------------- thin air


@pytest.mark.parametrize("model", ["cuda-v3", "ptx"])
@given(program=programs())
@tried
@pytest.mark.sampled(1)
def test_keeping_program_order_keeps_every_dependency(model: str, program: memory.Program) -> None:
    """What RC11's axiom allows, the axioms about dependencies allow too."""
    states = {
        reading: facts(program, model, f"options thin_air = {reading}").states
        for reading in ("rc11", "syntactic", "dependencies")
    }
    for weaker in ("syntactic", "dependencies"):
        assert (
            states["rc11"].items() <= {s: min(n, states["rc11"].get(s, n)) for s, n in states[weaker].items()}.items()
        )
