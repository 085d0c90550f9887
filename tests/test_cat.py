"""The cat language: reading, kinds, options, and the meaning of operators on an execution."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError, UsageError
from scopec.base.source import Source
from scopec.memory.cat import registry, tree
from scopec.memory.cat.build import build
from scopec.memory.cat.evaluate import Evaluation, pairs, relation
from scopec.memory.cat.model import Model
from scopec.memory.cat.read import read
from scopec.memory.given.relations import RELATIONS
from scopec.memory.given.sets import SETS
from scopec.program.expectations import Settings

OPTIONS = Settings.defaults().options


def model_of(text: str, **options: str) -> Model:
    source = Source("m.cat", text)
    return build(read(source), source, {**OPTIONS, **options})


def test_precedence() -> None:
    """`|` binds loosest, then `;`, `\\`, `&`, `*`, then the postfix operators."""
    model = model_of("let a = po | rf ; co \\ loc & W * R\nlet b = po | (rf ; (co \\ (loc & (W * R))))")
    first, second = model.definitions
    size = 3
    sets = dict.fromkeys(SETS, 3)
    for seed in range(20):
        relations = {
            name: relation(
                size, ((i, j) for i in range(size) for j in range(size) if (i * 7 + j * 3 + n * 5 + seed) % 3 == 0)
            )
            for n, name in enumerate(RELATIONS)
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
    text = 'if "thin_air=dependencies" acyclic po | rf as ta else if "sc_scope=global" empty po as e end end'
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
        ("with co from generate_cos(pco)", (1, 27), "`pco` is not defined"),
        ("with co from generate_orders(W)", (1, 14), "`generate_orders` takes 2 arguments, 1 given"),
        ("with co from linearisations(po, po)", (1, 29), "a set is wanted here"),
        ("with co from cross(co0)", (1, 14), "scopec chooses among the orders that linearisations, generate_orders and generate_cos give"),
        ("let all = linearisations(W, po) let s = all ; po", (1, 41), "`all` is a set of relations"),
        ("PTX let a = FW", (1, 13), "`FW` is not defined"),
        ("let a = try po ; W with 0", (1, 18), "a relation is wanted here"),
        ("let a = try x with y", (1, 20), "`y` is not defined"),
        ("let a = let b = po in c", (1, 23), "`c` is not defined"),
        ("let a = {po}", (1, 9), "`{` is outside the part of cat that scopec reads"),
        ("let rec a = po | a ; rf when ~acyclic a as b", (1, 30), "the check behind `when` must be one that fails for good once it does"),
        ("let rec a = po | a ; rf when empty po \\ a as b", (1, 30), "the check behind `when` must be one that fails for good once it does"),
        ("let a = po ++ rf", (1, 12), "`++` is outside the part of cat that scopec reads"),
        ('if "nothing=1" empty po end', (1, 1), "there is no option `nothing`"),
        ("let a = po @ rf", (1, 12), "unexpected `@`"),
    ],
)  # fmt: skip
def test_errors_have_a_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(InputError) as raised:
        model_of(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == message
    assert (diagnostic.span.line, diagnostic.span.column) == place


def test_a_binding_does_not_see_its_neighbours_and_functions_keep_their_meaning() -> None:
    model = model_of("let x = po and y = rf\nlet f(r) = r ; x\nlet x = y and y = x\nlet z = f(x) | y\nempty z as e")
    relations = {"po": relation(3, [(0, 1)]), "rf": relation(3, [(2, 0)])}
    evaluation = Evaluation(model, 3, {}, relations)
    assert [d.name for d in model.definitions] == ["x", "y", "x_2", "y_2", "z"]
    assert evaluation.relations["x_2"] == relations["rf"]
    assert evaluation.relations["y_2"] == relations["po"]
    assert set(pairs(evaluation.relations["z"])) == {(2, 1), (0, 1)}


def test_built_in_names_and_other_names_of_given_ones() -> None:
    """They are about the given relations, whatever the file has redefined before it uses them."""
    model = model_of(
        "let co = 0\nlet a = fre | fri | coe | coi | rfe | rfi | po-loc\nlet b = [CTA] ; sr ; [I] ; swg\nlet c = fencerel(F)\n"
        'let fre = po\ninclude "cos.cat"\nlet d = fre | co'
    )
    size = 3
    relations = dict.fromkeys(RELATIONS, relation(size, [])) | {
        "po": relation(size, [(0, 1), (1, 2), (0, 2)]), "rf": relation(size, [(0, 1)]), "co": relation(size, [(0, 2)]),
        "ext": relation(size, [(0, 1), (1, 0), (1, 2), (2, 1)]), "int": relation(size, [(0, 2), (2, 0), (2, 2)]),
        "loc": relation(size, [(0, 2)]),
    }  # fmt: skip
    found = Evaluation(model, size, dict.fromkeys(SETS, 0) | {"F": 2}, relations).relations
    assert set(pairs(found["a"])) == {(1, 2), (0, 2), (0, 1)}
    assert set(pairs(found["b"])) == set()
    assert set(pairs(found["c"])) == {(0, 2)}
    assert set(pairs(found["d"])) == {(1, 2), (0, 2)}


def test_files_beside_the_model_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "part.cat").write_text("(* shared *)\nlet hb = (po | rf)+\nacyclic hb as order\n")
    (tmp_path / "m.cat").write_text('include "part.cat"\nlet race = loc \\ hb\nflag ~empty race as race\n')
    model = registry.load(registry.find(str(tmp_path / "m.cat")), OPTIONS)
    assert [a.name for a in model.axioms] == ["order"]
    assert model.definitions[0].text == "let hb = (po | rf)+"
    (tmp_path / "m.cat").write_text('include "part.cat"\ninclude "part.cat"')
    with pytest.raises(InputError, match=r"m.cat:2:1: error: `part.cat` is included twice"):
        registry.load(registry.find(str(tmp_path / "m.cat")), OPTIONS)
    (tmp_path / "part.cat").write_text("\nlet a = pox")
    with pytest.raises(InputError, match=r"part.cat:2:9: error: `pox` is not defined"):
        registry.load(registry.find(str(tmp_path / "m.cat")), OPTIONS)


def test_the_intersection_of_reads_and_writes_is_warned_about() -> None:
    """Where a file knows that a read-modify-write is two events."""
    text = "let rmws = A & R & W\nlet f(S) = [S & R & W]\nlet g = f(A) | f(NA)\nlet none = (R & M) & (W & M)"
    assert model_of(text).warnings == ()
    model = model_of(f"{text}\nempty rmw as a")
    assert [(w.message.partition(" is")[0], w.span.line, w.severity) for w in model.warnings] == [
        ("`R & W`", 1, "warning"), ("`R & W`", 2, "warning"), ("`R & W`", 4, "warning"),
    ]  # fmt: skip
    assert model_of("let a = R & M let b = W & M let c = [R] ; po ; [W]").warnings == ()


def test_checks_of_one_name_are_numbered() -> None:
    assert [a.name for a in model_of("empty po as a flag empty rf as a empty co as a").axioms] == ["a", "a_3"]


def test_try_takes_the_other_side_where_a_name_is_not_defined() -> None:
    model = model_of(
        "let a = try none(po) with co\nlet b = (try X with {}) | (try A with {})\nlet c = try W & X with W & R\nempty rmw as e"
    )
    assert [(d.name, d.kind, str(tree.names(d.expr))) for d in model.definitions] == [
        ("a", "relation", "frozenset({'co'})"), ("b", "set", "frozenset({'A'})"), ("c", "set", str(frozenset({"W", "R"}))),
    ]  # fmt: skip
    assert len(model.warnings) == 1


def test_names_of_an_expression_are_its_own() -> None:
    model = model_of("let x = po\nlet a = let x = rf and f(r) = r ; x in f(co) | x\nlet b = x")
    assert [tree.names(d.expr) for d in model.definitions] == [{"po"}, {"co", "x", "rf"}, {"x"}]
    relations = {"po": relation(2, [(1, 1)]), "rf": relation(2, [(1, 0)]), "co": relation(2, [(0, 1)])}
    assert set(pairs(Evaluation(model, 2, {}, relations).relations["a"])) == {(0, 1), (1, 0)}


def test_a_check_behind_when_is_a_check_of_the_solution() -> None:
    model = model_of("let rec a = po | rf | a ; a when irreflexive (a & loc) as order flag ~empty a as f")
    assert [(a.name, a.check, a.text) for a in model.axioms] == [
        ("order", "irreflexive", "irreflexive (a & loc) as order")
    ]


def test_variants_of_herd7_are_off_and_comments_may_begin_with_a_hash() -> None:
    model = model_of('if "cos-opt" # not here\nempty po as a else empty rf as b end')
    assert [a.name for a in model.axioms] == ["b"]


def test_flags_say_what_is_undefined() -> None:
    model = model_of(
        "flag ~empty po & rf as a\nundefined_unless empty rf as b\nflag ~empty W as c\nundefined_unless irreflexive co as d"
    )
    assert [(f.name, f.check, f.negated) for f in model.flags] == [
        ("a", "empty", True), ("b", "empty", True), ("c", "empty", True), ("d", "irreflexive", True),
    ]  # fmt: skip
    assert len(model.races) == 2


@pytest.mark.parametrize(
    ("text", "forbids"),
    [
        ("acyclic po | rf as a", True),
        ("let sb = po let all = rf | sb | co acyclic all as a", True),
        ("acyclic (po | rf)+ as a", False),
        ("irreflexive po | rf as a", False),
        ("~acyclic po | rf as a", False),
        ("acyclic rf | data as a", True),
        ("acyclic rf | dep as a", True),
        ("acyclic rf | ctrl as a", False),
        ("let rf = 0 acyclic po | rf as a", False),
    ],
)
def test_whether_a_model_rules_out_thin_air_is_read_off_it(text: str, forbids: bool) -> None:
    assert model_of(text).values_have_origins is forbids


def test_published_styles_load() -> None:
    """Files in the manner of herd7's and Dartagnan's: what they name is there, and means what it means there."""
    folder = Path(__file__).parent / "fixtures" / "cat"
    herd = registry.load(registry.find(str(folder / "herd-style.cat")), OPTIONS)
    assert [a.name for a in herd.axioms] == ["Coh", "Atom", "no-thin-air"]
    assert [f.name for f in herd.flags] == ["Dr", "unsequenced"]
    assert not herd.partial_co
    assert herd.values_have_origins
    dartagnan = registry.load(registry.find(str(folder / "dartagnan-style.cat")), OPTIONS)
    assert dartagnan.partial_co
    assert {"sync_fence", "syncbar", "scta", "incl"} <= dartagnan.mentioned
    assert [f.name for f in dartagnan.flags] == ["Race"]
    assert herd.races_undefined
    assert not dartagnan.races_undefined


def test_large_files_are_read_or_refused_with_a_place() -> None:
    lines = "\n".join(f"let a{n + 1} = a{n} | rf (* {n} *) // {n}" for n in range(10_000))
    assert len(model_of(f"let a0 = po\n{lines}").definitions) == 10_001
    with pytest.raises(InputError, match="functions make this model too large"):
        model_of("let f0(x) = x ; x\n" + "\n".join(f"let f{n + 1}(x) = f{n}(f{n}(x))" for n in range(30)))


@pytest.mark.sampled(0)
def test_every_model_loads_under_every_option() -> None:
    from scopec.base.options import OPTIONS as SETTINGS

    for entry in registry.MODELS.values():
        for name, setting in SETTINGS.items():
            for value in setting.values:
                model = registry.load(entry, {**OPTIONS, name: value})
                assert [flag.name for flag in model.flags] == ["race"]
                assert model.races_undefined == (entry.name != "ptx")
    with pytest.raises(UsageError, match="there is no memory model `cude`: did you mean `cuda`"):
        registry.find("cude")
