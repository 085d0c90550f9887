"""Values that nest deeper than Python could recur: the same answers, and none is refused for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from scopec.program import reasoning, trees, values
from scopec.program.types import UINT, ArithmeticFault
from scopec.program.values import Binary, Builtin, Choose, Const, Named, Names, Reg, Value
from scopec.session.check import Settings, check

X = Reg("x", UINT)


def chain(names: Names, length: int) -> Value:
    """``(x ^ 1) * 3 + x`` and so on, of which each hundred nodes have a name."""
    value: Value = X
    for number in range(length):
        value = names.short(values.binary("+", values.binary("^", value, Const(number, UINT)), X))
    return value


def computed(x: int, length: int) -> int:
    found = x
    for number in range(length):
        found = UINT.wrap((found ^ number) + x)
    return found


@pytest.mark.sampled(0)
def test_functions_of_values_look_into_deep_names() -> None:
    names = Names()
    value = chain(names, 20_000)
    assert isinstance(value, Named)
    assert value.level > 300
    assert values.evaluate(value, lambda _: 5) == computed(5, 20_000)
    assert values.substitute(value, lambda _: Const(5, UINT)) == Const(computed(5, 20_000), UINT)
    assert values.substitute(value, lambda leaf: leaf) == value
    assert values.fold(value, lambda _, parts: 1 + max(parts, default=0)) > 20_000
    assert {constant.value for constant in values.constants(value)} == set(range(1, 20_000)) | {0}
    assert reasoning.bounds(value) == (0, (1 << 32) - 1)


def test_what_is_known_is_not_looked_into() -> None:
    """Also not by way of the steps in which deep names are taken."""
    value = chain(Names(), 2_000)
    assert isinstance(value, Named)
    inside = next(one for one in trees.inner_first(value, lambda _: False) if one.level == 4)

    def made(one: Value, parts: Sequence[int]) -> int:
        assert not isinstance(one, Named) or one.number > inside.number
        return sum(parts)

    assert values.fold(value, made, lambda one: 7 if one == inside or isinstance(one, (Const, Reg)) else None)


def test_a_side_that_is_not_chosen_is_not_evaluated() -> None:
    names = Names()
    deep = chain(names, 2_000)
    fault = names.named(Binary("+", Binary("/", deep, Const(0, UINT), UINT), X, UINT))
    choice = names.named(Choose(Binary("==", deep, Const(computed(5, 2_000), UINT), values.TRUE.type), X, fault, UINT))
    outer = names.named(Binary("+", choice, deep, UINT))
    assert values.evaluate(outer, lambda _: 5) == UINT.wrap(5 + computed(5, 2_000))
    with pytest.raises(ArithmeticFault):
        values.evaluate(outer, lambda _: 6)


def shared(chance: Random, names: Names) -> Value:
    """A value in which names nest and are shared."""
    found: list[Value] = [X, Reg("y", UINT), Builtin("z", UINT), Const(3, UINT)]
    for _ in range(30):
        one, other = chance.choice(found[-6:]), chance.choice(found)
        made = (
            values.binary(chance.choice("+*^&|"), one, other)
            if chance.random() < 0.8
            else values.choose(values.binary("<", one, other), other, one)
        )
        found.append(names.named(made) if chance.random() < 0.6 else made)
    return found[-1]


@pytest.mark.parametrize("seed", range(20))
def test_steps_find_what_recursion_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    value = shared(Random(seed), Names())
    numbers = {"x": seed, "y": 11, "z": 1 << 31}

    def all_of() -> list[object]:
        return [
            values.evaluate(value, lambda leaf: numbers[leaf.name]),
            values.substitute(value, lambda leaf: Const(4, UINT) if leaf.name == "y" else leaf),
            values.fold(value, lambda one, parts: hash((type(one).__name__, *parts))),
            reasoning.bounds(value),
        ]

    recursive, steps = [], []
    for deepest, found in ((1 << 30, recursive), (-1, steps)):
        monkeypatch.setattr(trees, "DEEPEST", deepest)
        monkeypatch.setattr(values, "DEEPEST", deepest)
        found += all_of()
    assert recursive == steps


def test_depth_counts_levels_and_no_nodes() -> None:
    deep: Value = X
    for _ in range(10):
        deep = Binary("+", deep, X, UINT)
    assert values.deeper_than(deep, 10)
    assert not values.deeper_than(deep, 11)
    assert not values.deeper_than(Names().named(deep), 1)


# ---------------------------------------------------------------- whole programs

ADDITIONS = " + ".join(["x"] * 2000)
IN_ONE_EXPRESSION = f"""
__device__ unsigned in = 3, out;
__global__ void k() {{ unsigned x = in; out = {ADDITIONS}; }}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
//@ expect required out == FINAL;
"""
IN_A_LOOP = """
__device__ unsigned a[8] = {3, 1, 4, 1, 5, 9, 2, 6}, out;
__global__ void k() {
    unsigned v = 0;
    for (int i = 0; i < 400; ++i) v = (v ^ a[i % 8]) + i;
    out = v;
}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
//@ expect required out == FINAL;
//@ expect terminates;
"""
OF_WHAT_OTHERS_WRITE = f"""
#include <cuda/atomic>
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> in;
__device__ unsigned out;
__global__ void k() {{
    if (threadIdx.x) in = 2;
    else {{ unsigned x = in; out = {" + ".join(["x"] * 150)}; }}
}}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
//@ expect allowed out == 300;
//@ expect required out != FINAL;
"""


def looped() -> int:
    v = 0
    for i in range(400):
        v = ((v ^ (3, 1, 4, 1, 5, 9, 2, 6)[i % 8]) + i) & 0xFFFFFFFF
    return v


Verdicts = Callable[[str], list[str]]


@pytest.fixture
def verdicts(tmp_path: Path) -> Verdicts:
    def of(text: str) -> list[str]:
        path = tmp_path / "deep.cu"
        path.write_text(text)
        (outcome,) = check([path], Settings(engine="embedded"))
        assert not [one for one in outcome.diagnostics if one.severity == "error"], outcome.diagnostics
        (report,) = outcome.reports
        return [one.verdict for one in report.checks]

    return of


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (IN_ONE_EXPRESSION, 6000, 6001),
        (IN_A_LOOP, looped(), looped() + 1),
        (OF_WHAT_OTHERS_WRITE, 150, 300),
    ],
    ids=["in one expression", "in a loop", "of what others write"],
)
@pytest.mark.sampled(1)
def test_deep_expressions_are_computed(text: str, right: int, wrong: int, verdicts: Verdicts) -> None:
    for final, expected in ((right, "holds"), (wrong, "violated")):
        found = verdicts(text.replace("FINAL", str(final)))
        at = text.count("expect", 0, text.index("expect required"))
        assert [*found[:at], *found[at + 1 :]] == ["holds"] * (len(found) - 1)
        assert found[at] == expected
