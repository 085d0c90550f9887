"""Orders that an execution chooses (``with … from``), and read-modify-writes as one event."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given

from scopec.memory.cat import registry
from scopec.memory.cat.evaluate import Evaluation, pairs, relation
from scopec.memory.given.relations import RELATIONS
from scopec.memory.given.sets import SETS
from tests.test_cat import OPTIONS, model_of
from tests.test_cat_operators import EVERYTHING, SIZE, given_pairs, given_set, transitive


def orders_of(size: int) -> list[frozenset[tuple[int, int]]]:
    """Every strict total order of some of the events."""
    subsets = itertools.chain.from_iterable(itertools.combinations(range(size), n) for n in range(size + 1))
    return [frozenset(itertools.combinations(p, 2)) for s in subsets for p in itertools.permutations(s)]


@given(given_pairs, given_pairs, given_set, given_set)
def test_an_order_is_one_of_those_that_extend_a_relation(
    chosen: frozenset[tuple[int, int]], r: frozenset[tuple[int, int]], domain: frozenset[int], here: frozenset[int]
) -> None:
    """Through events outside the domain too; of each location alone where herd7's cross.cat orders so."""
    places = frozenset((a, b) for a in range(SIZE) for b in range(SIZE) if (a in here) == (b in here))
    given = {"po": relation(SIZE, r), "loc": relation(SIZE, places)}
    candidates = [chosen, *orders_of(SIZE)]
    for call, pairs_ in (("linearisations", EVERYTHING), ("generate_orders", places)):
        model = model_of(f"with S from {call}(R, po)\nempty rmw & S as used")
        assert [o.name for o in model.orders] == ["S"]
        within = {(a, b) for a in domain for b in domain} & pairs_
        for order in candidates:
            relations = {**given, "S": relation(SIZE, order), "rmw": relation(SIZE, [])}
            wanted = (
                order <= within
                and transitive(order) == order
                and all(((a, b) in order) + ((b, a) in order) == (a != b) for a, b in within)
                and transitive(r) & within <= order
            )
            sets = {"R": sum(1 << i for i in domain)}
            assert Evaluation(model, SIZE, sets, relations).holds(model.axioms[0]) == wanted


def test_c11_cos_orders_atomic_and_initial_writes_alone() -> None:
    model = model_of('include "c11_cos.cat"\nlet a = mo | co\nlet b = fr\nempty rmw as e')
    relations = {
        "co": relation(SIZE, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]), "rf": relation(SIZE, [(0, 3)]),
        "rmw": relation(SIZE, []), "int": relation(SIZE, []), "ext": relation(SIZE, []),
    }  # fmt: skip
    found = Evaluation(model, SIZE, {"W": 0b1111, "IW": 0b0001, "A": 0b1010}, relations).relations
    assert set(pairs(found["a"])) == {(0, 1), (0, 3), (1, 3)}
    assert set(pairs(found["b"])) == {(3, 1)}


def test_files_beside_the_model_come_before_those_built_in(tmp_path: Path) -> None:
    (tmp_path / "cos.cat").write_text("let mine = po")
    (tmp_path / "cross.cat").write_text("let broken = fun")
    (tmp_path / "m.cat").write_text('include "cross.cat"\ninclude "cos.cat"\nempty mine as a')
    model = registry.load(registry.find(str(tmp_path / "m.cat")), OPTIONS)
    assert [d.name for d in model.definitions] == ["mine"]
    assert [Path(s.name).name for s in registry.texts(registry.find(str(tmp_path / "m.cat")))] == ["m.cat", "cos.cat"]


def test_the_coherence_order_is_chosen_once() -> None:
    """The first orders of writes that begin with initial and end with final writes are the coherence order's."""
    model = model_of(
        "let base = po & (W * W) | co0\nwith co from generate_cos(base)\nwith mo from generate_cos(co0)\nempty rmw as e"
    )
    assert [o.name for o in model.orders] == ["mo"]
    assert [a.name for a in model.axioms] == ["co_2-order", "mo-order", "e"]
    assert model_of("with mo from generate_orders(W & A, co0) empty rmw & mo as e").orders == ()
    assert len(model_of("with mo from generate_orders(W & A, po) empty rmw & mo as e").orders) == 1  # the last is open
    assert len(model_of("with mo from generate_orders(R, co0) empty rmw & mo as e").orders) == 1
    assert len(model_of("PTX with mo from generate_cos(po) empty rmw & mo as e").orders) == 1
    assert model_of("with lo from generate_orders(LS, po) empty rmw & lo as e").orders == ()


def test_a_read_modify_write_as_one_event() -> None:
    """Events 0 to 4: a write, the two halves of an acquire-release operation, a load, the halves of a release."""
    text = (
        "let rmws = R & W\nlet both = [ACQ] | [REL] | [RLX] | [ACQ_REL]\nlet all = _ & ~0\nlet rest = ~po\n"
        "let seen = rf\nlet given = data | addr | ctrl\nlet near = po?\nlet path = po*\nlet same = id\nlet alone = [RLX]\n"
        "let one = [ACQ] let two = [REL] let three = [ACQ_REL] let four = R"
    )
    model = model_of(text)
    size = 6
    sets = dict.fromkeys(SETS, 0) | {
        "R": 0b011010, "W": 0b100101, "A": 0b111111, "RLX": 0b010001, "ACQ": 0b001010, "REL": 0b100100, "ACQ_REL": 0,
    }  # fmt: skip
    base = dict.fromkeys(RELATIONS, relation(size, [])) | {
        "po": relation(size, [(a, b) for a in range(1, size) for b in range(a + 1, size)]),
        "rf": relation(size, [(0, 1), (2, 3), (2, 4)]), "rmw": relation(size, [(1, 2), (4, 5)]),
        "data": relation(size, [(1, 2), (1, 5), (3, 5)]), "ctrl": relation(size, [(1, 4), (1, 5)]),
    }  # fmt: skip
    found = Evaluation(model, size, sets, base)
    own = {d.name: d for d in model.definitions}
    relations = {name: set(pairs(found.relations[name])) for name, d in own.items() if d.kind == "relation"}
    events = {0, 2, 3, 5}
    assert found.sets["rmws"] == 0b100100
    assert found.sets["four"] == 0b101100
    assert relations["seen"] == {(0, 2), (2, 3), (2, 5)}
    assert relations["given"] == {(2, 5), (3, 5)}
    assert relations["one"] == {(3, 3)}
    assert relations["two"] == {(5, 5)}
    assert relations["three"] == {(2, 2)}
    assert relations["alone"] == {(0, 0)}
    order = {(2, 3), (2, 5), (3, 5)}
    assert relations["rest"] == {(a, b) for a in events for b in events} - order
    assert relations["near"] == relations["path"] == order | {(a, a) for a in events}
    assert relations["same"] == {(a, a) for a in events}
    assert relations["all"] == {(a, b) for a in events for b in events}
