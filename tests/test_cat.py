"""The cat language: reading, kinds, options, and the meaning of operators on an execution."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopec.diagnostics import InputError, UsageError
from scopec.expectations import Settings
from scopec.memory.cat import registry
from scopec.memory.cat.build import build
from scopec.memory.cat.evaluate import Evaluation, closure, compose, pairs, relation
from scopec.memory.cat.model import GIVEN_RELATIONS, GIVEN_SETS, Model
from scopec.memory.cat.read import read
from scopec.source import Source

OPTIONS = Settings.defaults().options


def model_of(text: str, **options: str) -> Model:
    source = Source("m.cat", text)
    return build(read(source), source, {**OPTIONS, **options})


def test_precedence() -> None:
    """`|` binds loosest, then `;`, `\\`, `&`, `*`, then the postfix operators."""
    model = model_of("let a = po | rf ; co \\ loc & W * R\nlet b = po | (rf ; (co \\ (loc & (W * R))))")
    first, second = model.definitions
    size = 3
    sets = dict.fromkeys(GIVEN_SETS, 3)
    for seed in range(20):
        relations = {
            name: relation(
                size, ((i, j) for i in range(size) for j in range(size) if (i * 7 + j * 3 + n * 5 + seed) % 3 == 0)
            )
            for n, name in enumerate(GIVEN_RELATIONS)
        }
        evaluation = Evaluation(model, size, sets, relations)
        assert evaluation.relations[first.name] == evaluation.relations[second.name]


def test_comments_titles_and_checks() -> None:
    model = model_of(
        '"A title"\n(* a (nested? *) // to the end\nacyclic po as order\n~empty rf as something\nflag ~empty co as c'
    )
    assert model.title == "A title"
    assert [(a.name, a.check, a.negated) for a in model.axioms] == [
        ("order", "acyclic", False),
        ("something", "empty", True),
    ]
    assert [f.name for f in model.flags] == ["c"]


def test_functions_are_applied_and_names_redefined() -> None:
    model = model_of("let f(r, s) = r ; s\nlet co = co+\nlet x = f(po, co)\nempty x as e")
    assert [d.name for d in model.definitions] == ["co_2", "x"]
    assert model.definition("x") is not None
    evaluation = Evaluation(model, 2, {}, {"po": relation(2, [(0, 1)]), "co": relation(2, [(1, 0)])})
    assert list(pairs(evaluation.relations["x"])) == [(0, 0)]


def test_options_choose_between_statements() -> None:
    text = 'if "thin_air=on" acyclic po | rf as ta else if "sc_scope=global" empty po as e end end'
    assert [a.name for a in model_of(text).axioms] == ["ta"]
    assert [a.name for a in model_of(text, thin_air="off").axioms] == []
    assert [a.name for a in model_of(text, thin_air="off", sc_scope="global").axioms] == ["e"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("let a = po ;; rf", (1, 13), "unexpected `;`"),
        ("let a = po |", (1, 13), "the file ends in the middle of a statement"),
        ("let a = po |\nlet b = rf", (2, 1), "unexpected `let`"),
        ("let a = (* (* po *)", (1, 9), "this comment is never closed"),
        ("let a = (* po", (1, 9), "this comment is never closed"),
        ("let a = pox", (1, 9), "`pox` is not defined"),
        ("let a = W ; R", (1, 9), "a relation is wanted here"),
        ("let a = [po]", (1, 10), "a set is wanted here"),
        ("let a = W | po", (1, 9), "`|` of a set and a relation"),
        ("let a = po * rf", (1, 9), "a set is wanted here"),
        ("acyclic W as x", (1, 9), "a relation is wanted here"),
        ("let a = f(po)", (1, 9), "there is no function `f`"),
        ("let f(x) = x let a = f(po, rf)", (1, 22), "`f` takes 1 arguments, 2 given"),
        ("let rec a = a ; po", (1, 13), "every term of `a` needs `a`, so it is empty"),
        ("let rec a = po | rf ; a ; co", (1, 18), "`a` is not at an end of this term, so its equation is not a closure"),
        ("let rec a = po | a & rf", (1, 18), "`a` is not at an end of this term, so its equation is not a closure"),
        ("let rec a = po | b ; a and b = rf | a ; b", (1, 18), "`b` is not defined"),
        ("let rec f(x) = x | f(x) ; po", (1, 9), "`f` is a recursive function: outside the part of cat that scopec reads"),
        ("let rec a = R | a", (1, 13), "`|` of a set and a relation"),
        ("let f(x) = y", (1, 12), "`y` is not defined"),
        ("let f(x) = x let a = f ; po", (1, 22), "`f` is a function"),
        ('include "x.cat"', (1, 1), "there is no file `x.cat` to include"),
        ("procedure p() = end", (1, 1), "`procedure` is outside the part of cat that scopec reads"),
        ("with co from generate_cos(pco)", (1, 1), "`with` is outside the part of cat that scopec reads"),
        ("let a = po ++ rf", (1, 12), "`++` is outside the part of cat that scopec reads"),
        ('if "nothing=1" empty po end', (1, 1), "there is no option `nothing`"),
        ("empty po as a empty rf as a", (1, 15), "two checks are called `a`"),
        ("let a = po @ rf", (1, 12), "unexpected `@`"),
    ],
)  # fmt: skip
def test_errors_have_a_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(InputError) as raised:
        model_of(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == message
    assert (diagnostic.span.line, diagnostic.span.column) == place


def test_every_model_loads_under_every_option() -> None:
    from scopec.options import OPTIONS as SETTINGS

    for entry in registry.MODELS.values():
        for name, setting in SETTINGS.items():
            for value in setting.values:
                model = registry.load(entry, {**OPTIONS, name: value})
                assert [flag.name for flag in model.flags] == ([] if entry.name == "ptx" else ["race"])
    with pytest.raises(UsageError, match="there is no memory model `cude`: did you mean `cuda`"):
        registry.find("cude")


# ---------------------------------------------------------------- operators, against sets of pairs

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
