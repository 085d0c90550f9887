"""Guards against truth tables."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from scopec.memory.events.guards import Guard, Guards
from scopec.program import values
from scopec.program.types import BOOL
from scopec.program.values import Reg

SIZE = 4
CONDITIONS = [Reg(f"c{i}", BOOL) for i in range(SIZE)]


@st.composite
def formulas(draw: st.DrawFn, depth: int = 4) -> tuple:  # type: ignore[type-arg]
    kind = draw(st.sampled_from(["literal"] if depth == 0 else ["literal", "and", "or", "not"]))
    if kind == "literal":
        return "literal", draw(st.integers(0, SIZE - 1)), draw(st.booleans())
    if kind == "not":
        return "not", draw(formulas(depth=depth - 1))
    return kind, draw(formulas(depth=depth - 1)), draw(formulas(depth=depth - 1))


def guard_of(formula: tuple, guards: Guards) -> Guard:  # type: ignore[type-arg]
    match formula:
        case ("literal", condition, truth):
            return guards.literal(condition, truth)
        case ("not", inner):
            return ~guard_of(inner, guards)
        case ("and", a, b):
            return guard_of(a, guards) & guard_of(b, guards)
        case (_, a, b):
            return guard_of(a, guards) | guard_of(b, guards)
    raise AssertionError


def truth(formula: tuple, outcome: tuple[bool, ...]) -> bool:  # type: ignore[type-arg]
    match formula:
        case ("literal", condition, wanted):
            return outcome[condition] == wanted
        case ("not", inner):
            return not truth(inner, outcome)
        case ("and", a, b):
            return truth(a, outcome) and truth(b, outcome)
        case (_, a, b):
            return truth(a, outcome) or truth(b, outcome)
    raise AssertionError


OUTCOMES = list(itertools.product([False, True], repeat=SIZE))


@given(formulas(), formulas())
def test_guards_are_their_formulas(a: tuple, b: tuple) -> None:  # type: ignore[type-arg]
    guards = Guards()
    first, second = guard_of(a, guards), guard_of(b, guards)
    for outcome in OUTCOMES:
        assert first.holds(outcome) == truth(a, outcome)
    same = all(truth(a, o) == truth(b, o) for o in OUTCOMES)
    assert (first == second) == same
    assert first.excludes(second) == (not any(truth(a, o) and truth(b, o) for o in OUTCOMES))
    assert first.implies(second) == all(truth(b, o) for o in OUTCOMES if truth(a, o))
    assert first.always == all(truth(a, o) for o in OUTCOMES)
    assert first.never == (not any(truth(a, o) for o in OUTCOMES))


@given(formulas(), formulas())
def test_where_agrees_where_it_matters(a: tuple, care: tuple) -> None:  # type: ignore[type-arg]
    guards = Guards()
    first, where = guard_of(a, guards), guard_of(care, guards)
    simpler = first.where(where)
    for outcome in OUTCOMES:
        if where.holds(outcome):
            assert simpler.holds(outcome) == first.holds(outcome)


@given(formulas())
def test_values_of_guards(a: tuple) -> None:  # type: ignore[type-arg]
    guards = Guards()
    value = guard_of(a, guards).value(CONDITIONS)
    for outcome in OUTCOMES:
        known = {f"c{i}": int(o) for i, o in enumerate(outcome)}
        assert bool(values.evaluate(value, lambda leaf: known[leaf.name])) == truth(a, outcome)  # noqa: B023


@given(formulas(), formulas())
def test_what_excludes_is_found_without_conjunctions(a: tuple, b: tuple) -> None:  # type: ignore[type-arg]
    guards = Guards()
    first, second = guard_of(a, guards), guard_of(b, guards)
    before = len(guards._nodes)
    excludes = first.excludes(second)
    assert len(guards._nodes) == before
    assert (first & second).never == excludes == second.excludes(first)


@given(formulas(), formulas())
def test_values_of_nodes_are_made_once(a: tuple, b: tuple) -> None:  # type: ignore[type-arg]
    guards = Guards()
    done: dict[int, values.Value] = {}
    for guard in (guard_of(a, guards), guard_of(b, guards)):
        assert guard.value(CONDITIONS, done) == guard.value(CONDITIONS)
        assert guard.value([], done) is done[guard.node]


@given(formulas(), formulas(), formulas(), st.integers(0, SIZE - 1), st.booleans())
def test_a_guard_chooses_between_two(a: tuple, b: tuple, c: tuple, condition: int, wanted: bool) -> None:  # type: ignore[type-arg]
    guards = Guards()
    yes, no = guard_of(b, guards), guard_of(c, guards)
    for here in (guard_of(a, guards), guards.literal(condition, wanted)):
        if not (here.always or here.never):
            assert here.choose(yes, no) == (here & yes) | (~here & no)


@given(formulas(), st.dictionaries(st.integers(0, SIZE - 1), st.booleans()))
def test_a_guard_along_outcomes_is_what_they_leave_of_it(a: tuple, known: dict[int, bool]) -> None:  # type: ignore[type-arg]
    guards = Guards()
    guard = guard_of(a, guards)
    left = guard.along(known)
    assert left.always or left.never or left.branch[0] not in known
    assert guards.given(known)(left) == guards.given(known)(guard)


def test_many_branches_one_after_the_other_stay_small() -> None:
    """Each of 60 waits leaves by the first or the second iteration: 2^60 paths."""
    guards = Guards()
    path = guards.always
    for i in range(0, 120, 2):
        first = path & guards.literal(i, False)
        second = path & guards.literal(i, True) & guards.literal(i + 1, False)
        path = first | second
    reached, work = {path.node}, [path.node]
    while work:
        _, low, high = guards._nodes[work.pop()]
        for node in {low, high} - reached:
            reached.add(node)
            work.append(node)
    assert len(reached) <= 2 * 60 + 2
    assert path.holds([False] * 120)
    assert not path.holds([True] * 120)
