"""Records are frozen dataclasses in all that can be seen of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, ClassVar

import pytest

from scopec.base import records


@records.dataclass(frozen=True, slots=True)
class Base:
    a: int
    b: tuple[str, ...] = ()


@records.dataclass(frozen=True, slots=True)
class Point(Base):
    c: dict[str, int] = dataclasses.field(default_factory=dict, compare=False)
    d: str = dataclasses.field(default="d", repr=False)


@records.dataclass(frozen=True)
class Checked:
    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError(self.a)

    def __repr__(self) -> str:
        return "own"


@records.dataclass(slots=True)
class Open:
    a: int = 0


@records.dataclass(frozen=True)
class Named(Checked):
    kind: ClassVar[str] = "k"
    b: int = dataclasses.field(kw_only=True)
    c: list[int] = dataclasses.field(default_factory=list, kw_only=True, compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.b == other.b


class Derived(Base):
    def __init__(self, a: int) -> None:
        super().__init__(a, ("derived",))

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)

    __hash__ = Base.__hash__


@dataclasses.dataclass(frozen=True, slots=True)
class Other:
    a: int
    b: tuple[str, ...] = ()


def test_values_are_equal_by_their_fields_within_a_class() -> None:
    assert Base(1, ("x",)) == Base(b=("x",), a=1)
    assert Base(1) != Base(2)
    assert Base(1) != Point(1)
    assert Base(1) != Other(1)
    assert Point(1, (), {"k": 1}) == Point(1, (), {"k": 2})
    assert len({Base(1), Base(1), Base(2)}) == 2
    assert hash(Base(1, ("x",))) == hash(Other(1, ("x",)))


def test_they_are_shown_matched_and_changed_like_dataclasses() -> None:
    assert repr(Point(1, ("x",))) == "Point(a=1, b=('x',), c={})"
    assert repr(Checked(1)) == "own"
    match Point(1, ("x",), {"k": 3}):
        case Point(a, (b,), {"k": c}, d):
            assert (a, b, c, d) == (1, "x", 3, "d")
    for replaced in (dataclasses.replace, records.replace):
        assert replaced(Point(1), a=2) == Point(2)
        assert replaced(Named(1, b=2, c=[3]), b=4).c == [3]
        with pytest.raises(ValueError, match="-1"):
            replaced(Named(1, b=2), a=-1)
        with pytest.raises((TypeError, KeyError)):
            replaced(Point(1), e=2)
    own = dataclasses.make_dataclass("own", [("e", "int", 2)], bases=(Base,), frozen=True)
    assert records.replace(own(1), a=3) == own(3)
    assert dataclasses.asdict(Base(1)) == {"a": 1, "b": ()}
    assert Point(1).c is not Point(1).c


@pytest.mark.parametrize("change", [lambda o: setattr(o, "a", 2), lambda o: setattr(o, "new", 2), lambda o: delattr(o, "a")])  # fmt: skip
def test_nothing_changes_them(change: Callable[[Any], None]) -> None:
    for one in (Point(1), Checked(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change(one)
        assert one.a == 1


def test_they_are_dataclasses_to_others() -> None:
    assert dataclasses.is_dataclass(Base)
    assert [(f.name, f.type, f.default) for f in dataclasses.fields(Base)] == [
        ("a", "int", dataclasses.MISSING),
        ("b", "tuple[str, ...]", ()),
    ]
    assert [f.name for f in dataclasses.fields(Point)] == ["a", "b", "c", "d"]
    assert [f.name for f in dataclasses.fields(Named(1, b=2))] == ["a", "b", "c"]
    assert (Point.__match_args__, Named.__match_args__) == (("a", "b", "c", "d"), ("a",))
    own = dataclasses.make_dataclass("own", [("e", "int", 2)], bases=(Base,), frozen=True)
    assert repr(own(1)) == "own(a=1, b=(), e=2)"


def test_what_they_inherit_and_have_themselves() -> None:
    assert (Named(1, b=2) == Named(3, b=2), Named(1, b=2).c, Named(1, b=2, c=[3]).c) == (True, [], [3])
    assert hash(Named(1, b=2)) == hash((1, 2))
    with pytest.raises(ValueError, match="-1"):
        Named(-1, b=2)
    with pytest.raises(TypeError):
        Named(1, 2)  # type: ignore[call-arg, misc]
    assert (Derived(1) == Derived(1), Derived(1).b, hash(Derived(1))) == (
        True,
        ("derived",),
        hash(Base(1, ("derived",))),
    )


def test_threads_may_be_the_first_to_call_a_method_together() -> None:
    for _ in range(50):
        one = records.dataclass(frozen=True, slots=True)(type("One", (), {"__annotations__": {"a": "int"}}))
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda n, one=one: hash(one(n % 2)), range(16))) == {hash((0,)), hash((1,))}


def test_fields_are_those_of_python() -> None:
    def shown(cls: type[Any]) -> list[object]:
        return [(f.name, f.default, f.init, f.repr, f.hash, f.compare, f.kw_only) for f in dataclasses.fields(cls)]

    @dataclasses.dataclass(frozen=True)
    class Same:
        a: int
        b: tuple[str, ...] = ()
        c: dict[str, int] = dataclasses.field(default_factory=dict, compare=False)
        d: str = dataclasses.field(default="d", repr=False)

    assert shown(Point) == shown(Same)
    assert [f.type for f in dataclasses.fields(Point)] == ["int", "tuple[str, ...]", "dict[str, int]", "str"]


def test_their_methods_can_be_made_at_once() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Made:
        a: int

        def __repr__(self) -> str:
            return "own"

    records.prepare()
    assert all(hasattr(vars(Made)[name], "is_made") for name in ("__init__", "__eq__", "__hash__"))
    assert repr(Made(1)) == "own"
    assert Made(1) == Made(1) != Made(2)


def test_what_they_refuse() -> None:
    with pytest.raises(ValueError, match="-1"):
        Checked(-1)
    with pytest.raises(TypeError):
        Base()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Base(1, (), 3)  # type: ignore[call-arg]


def test_they_can_be_copied_and_sent() -> None:
    for one in (Base(1, ("x",)), Point(1, (), {"k": 1}), Checked(3)):
        assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(Point(1, (), {"k": 1}))).c == {"k": 1}


def test_those_that_are_not_frozen_are_plain() -> None:
    one = Open()
    one.a = 3
    assert one == Open(3)


def test_a_changed_one_has_the_other_fields_and_nothing_that_was_computed() -> None:
    @records.dataclass(frozen=True)
    class Plain:
        a: int
        b: int = 2

        @cached_property
        def both(self) -> int:
            return self.a + self.b

    one = Plain(1)
    assert (one.both, records.replace(one, a=5).both, records.replace(one).both) == (3, 7, 3)
    assert (one.a, records.replace(one, b=one.a).b, type(records.replace(one))) == (1, 1, Plain)
