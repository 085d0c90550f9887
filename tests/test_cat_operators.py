"""The operators of .cat files, against sets of pairs."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopec.memory.cat.evaluate import Evaluation, closure, compose, pairs, relation
from tests.test_cat import model_of

SIZE = 4
given_pairs = st.frozensets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)))
given_set = st.frozensets(st.integers(0, SIZE - 1))
EVERYTHING = frozenset(itertools.product(range(SIZE), repeat=2))


def transitive(r: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    while True:
        more = r | {(a, d) for a, b in r for c, d in r if b == c}
        if more == r:
            return r
        r = frozenset(more)


@given(given_pairs, given_pairs, given_set)
def test_operators_are_those_of_sets_of_pairs(
    r: frozenset[tuple[int, int]], s: frozenset[tuple[int, int]], w: frozenset[int]
) -> None:
    identity = frozenset((i, i) for i in range(SIZE))
    wanted = {
        "r | s": r | s,
        "r & s": r & s,
        "r \\ s": r - s,
        "r ; s": {(a, d) for a, b in r for c, d in s if b == c},
        "r+": transitive(r),
        "r*": transitive(r) | identity,
        "r?": r | identity,
        "r^-1": {(b, a) for a, b in r},
        "~r": EVERYTHING - r,
        "[W]": {(i, i) for i in w},
        "W * W": {(i, j) for i in w for j in w},
        "_ * W": {(i, j) for i in range(SIZE) for j in w},
        "r ; _": {(a, d) for a, _ in r for d in range(SIZE)},
        "r | 0": r,
        "[domain r]": {(a, a) for a, _ in r},
        "[range r]": {(b, b) for _, b in r},
        "[~W]": {(i, i) for i in range(SIZE) if i not in w},
        "[W & _]": {(i, i) for i in w},
    }
    text = "\n".join(
        f"let d{n} = {e.replace('r', 'rf').replace('rfange', 'range').replace('s', 'co') if 'domain' not in e else e.replace(' r', ' rf')}"
        for n, e in enumerate(wanted)
    )
    model = model_of(text)
    mask = sum(1 << i for i in w)
    evaluation = Evaluation(model, SIZE, {"W": mask}, {"rf": relation(SIZE, r), "co": relation(SIZE, s)})
    for n, (expression, meaning) in enumerate(wanted.items()):
        assert set(pairs(evaluation.relations[f"d{n}"])) == set(meaning), expression


@given(given_pairs)
def test_checks(r: frozenset[tuple[int, int]]) -> None:
    model = model_of("empty rf as e\nirreflexive rf as i\nacyclic rf as a\n~acyclic rf as c")
    evaluation = Evaluation(model, SIZE, {}, {"rf": relation(SIZE, r)})
    cyclic = any(a == b for a, b in transitive(r))
    assert [evaluation.holds(a) for a in model.axioms] == [not r, not any(a == b for a, b in r), not cyclic, cyclic]


@given(given_pairs)
def test_closure_and_composition(r: frozenset[tuple[int, int]]) -> None:
    rows = relation(SIZE, r)
    assert set(pairs(closure(rows))) == set(transitive(r))
    assert set(pairs(compose(rows, rows))) == {(a, d) for a, b in r for c, d in r if b == c}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("let rec x = po | x ; rf", "let y = po ; rf*"),
        ("let rec x = rf ; x | po", "let y = rf* ; po"),
        ("let rec x = po | x ; x", "let y = po+"),
        ("let rec x = po | rf | x ; co ; x", "let y = (po | rf) ; (co ; (po | rf))*"),
        ("let rec x = (po | x ; rf) | co ; x", "let y = co* ; po ; rf*"),
        ("let rec x = po | x ; rf | x ; x | x", "let y = (po ; rf*)+"),
        ("let rec x = po | x ; (rf ; co) | x ; co ; x | loc ; x", "let y = (loc* ; po ; (rf;co)*) ; (co ; (loc* ; po ; (rf;co)*))*"),
        ("let rec x = po ; rf", "let y = po ; rf"),
        ("let rec x = po | x ; rf and z = co | z ; z", "let y = po ; rf*"),
    ],
)  # fmt: skip
def test_recursion_is_the_least_solution(text: str, meaning: str) -> None:
    """Against the equation itself, from the empty relation upwards, on random relations."""
    model = model_of(f"{text}\n{meaning}")
    equation = model_of("let x = 0\n" + text.partition(" and ")[0].replace("let rec x", "let next"))
    chance = random.Random(text)
    for _ in range(40):
        base = {
            name: relation(SIZE, [p for p in EVERYTHING if chance.random() < 0.2]) for name in ("po", "rf", "co", "loc")
        }
        found = Evaluation(model, SIZE, {}, base).relations
        least = relation(SIZE, [])
        while True:
            (step,) = (d.expr for d in equation.definitions if d.name == "next")
            evaluation = Evaluation(equation, SIZE, {}, base)
            evaluation.relations["x"] = least
            following = evaluation.relation(step)
            if following == least:
                break
            least = following
        assert found["x"] == found["y"] == least
