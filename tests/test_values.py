"""Integer arithmetic and pure expressions."""

from collections.abc import Sequence
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from scopec.program import reasoning, types, values
from scopec.program.types import BOOL, INT, UINT, IntType
from scopec.program.values import Const, Reg

U8 = IntType("unsigned char", 8, signed=False)
S8 = IntType("signed char", 8, signed=True)
ALL = [BOOL, U8, S8, INT, UINT, types.LONG, types.ULONG]


def test_wrapping() -> None:
    assert U8.wrap(256) == 0
    assert U8.wrap(-1) == 255
    assert S8.wrap(128) == -128
    assert BOOL.wrap(5) == 1
    assert UINT.wrap(-1) == (1 << 32) - 1


def test_division_truncates_towards_zero() -> None:
    assert [types.binary("/", a, b, INT) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [3, -3, -3, 3]
    assert [types.binary("%", a, b, INT) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [1, -1, 1, -1]


def test_usual_arithmetic_conversions() -> None:
    assert types.common_type(U8, S8) == INT
    assert types.common_type(INT, UINT) == UINT
    assert types.common_type(UINT, types.LONG) == types.LONG
    assert types.common_type(types.LONG, types.ULONG) == types.ULONG


def test_negative_compared_with_unsigned_is_large() -> None:
    """-1 < 1u is false in C++."""
    assert values.binary("<", Const(-1, INT), Const(1, UINT)) == Const(0, BOOL)


def test_division_by_zero_is_not_folded() -> None:
    assert not isinstance(values.binary("/", Const(1, INT), Const(0, INT)), Const)


def test_negation_of_a_comparison_is_its_opposite() -> None:
    r = Reg("r", INT)
    assert values.unary("!", values.binary("==", r, Const(1, INT))) == values.binary("!=", r, Const(1, INT))


integer = st.integers(-300, 300)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> values.Value:
    kind = draw(
        st.sampled_from(["const", "reg"] if depth == 0 else ["const", "reg", "unary", "binary", "choose", "convert"])
    )
    type_ = draw(st.sampled_from(ALL))
    if kind == "const":
        return Const(type_.wrap(draw(integer)), type_)
    if kind == "reg":
        return Reg(draw(st.sampled_from("ab")), INT)
    inner = expressions(depth=depth - 1)
    if kind == "unary":
        return values.unary(draw(st.sampled_from("!-~+")), draw(inner))
    if kind == "convert":
        return values.convert(draw(inner), type_)
    if kind == "choose":
        return values.choose(draw(inner), draw(inner), draw(inner))
    op = draw(st.sampled_from(["+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]))
    return values.binary(op, draw(inner), draw(inner))


@given(expressions(), integer, integer)
def test_folding_agrees_with_evaluation(value: values.Value, a: int, b: int) -> None:
    """Substituting constants and folding gives what evaluating gives."""
    known = {"a": a, "b": b}
    folded = values.substitute(value, lambda leaf: Const(known[leaf.name], INT))
    assert isinstance(folded, Const)
    assert folded.value == values.evaluate(value, lambda leaf: known[leaf.name])


@given(expressions(), integer, integer)
def test_a_value_is_in_the_range_of_its_type(value: values.Value, a: int, b: int) -> None:
    result = values.evaluate(value, lambda leaf: {"a": a, "b": b}[leaf.name])
    assert value.type.wrap(result) == result


@given(st.lists(st.tuples(st.sampled_from(["+", "-", "*", "<", "&&"]), st.integers(0, 9), st.booleans()), max_size=6))
def test_a_named_value_is_the_value(steps: list[tuple[str, int, bool]]) -> None:
    leaf = Reg("a", INT)
    names = values.Names()
    long: values.Value = leaf
    short: values.Value = leaf
    for op, number, chosen in steps:
        long = values.binary(op, long, values.binary("+", long, Const(number, INT)))
        short = values.binary(op, short, values.binary("+", short, Const(number, INT)))
        if chosen:
            test = values.binary("==", leaf, Const(number, INT))
            long, short = values.choose(test, long, leaf), values.choose(test, short, leaf)
            assert at(reasoning.assume(short, test, True), number) == at(long, number)
        short = names.named(short)
        assert values.size(short) == values.size(long)
    assert set(values.leaves(short)) == set(values.leaves(long))
    for number in range(-3, 10):
        assert at(short, number) == at(long, number)
        assert values.substitute(short, lambda _: Const(number, INT)) == Const(at(long, number), long.type)  # noqa: B023


A, B = Reg("a", INT), values.Builtin("threadIdx.x", UINT)
#: Each kind of value, with the values that it is computed from.
KINDS: list[tuple[values.Value, list[values.Value]]] = [
    (Const(1, INT), []),
    (A, []),
    (B, []),
    (values.Unary("-", A, INT), [A]),
    (values.Binary("-", A, B, UINT), [A, B]),
    (values.Choose(A, B, Const(1, UINT), UINT), [A, B, Const(1, UINT)]),
    (values.Convert(A, U8), [A]),
    (values.Names().named(values.Unary("-", A, INT)), [values.Unary("-", A, INT)]),
]


def test_children_are_what_a_value_is_rebuilt_from() -> None:
    assert {type(value) for value, _ in KINDS} == set(get_args(values.Value))
    for value, parts in KINDS:
        assert list(values.children(value)) == parts
        if not isinstance(value, values.Named):  # a short one loses its name
            assert values.rebuild(value, parts) == value
            others = [Const(number, part.type) for number, part in enumerate(parts, 5)]
            assert list(values.children(values.rebuild(value, others))) == others


def test_a_fold_looks_at_a_named_value_once_and_at_nothing_below_a_known_one() -> None:
    named = values.Names().named(values.Unary("-", A, INT))
    value = values.Binary("+", values.Binary("*", named, named, INT), values.Convert(B, INT), INT)
    seen: list[values.Value] = []

    def count(inner: values.Value, parts: Sequence[int]) -> int:
        seen.append(inner)
        return 1 + sum(parts)

    assert values.fold(value, count) == 1 + (1 + 3 + 3) + 2
    assert seen.count(named) == 1
    seen.clear()
    assert values.fold(value, count, lambda inner: 10 if inner is named else None) == 1 + 21 + 2
    assert named not in seen
    assert A not in seen


def at(value: values.Value, number: int) -> int:
    return values.evaluate(value, lambda _: number)


def test_the_range_of_a_long_chain_is_found_once_a_link() -> None:
    """Twice a link would be 2**200 steps."""
    chain: values.Value = Reg("r", UINT)
    for n in range(200):
        chain = values.binary("%", values.binary("+", chain, Const(n, UINT)), Const(64, UINT))
    assert reasoning.bounds(chain) == (0, 63)
