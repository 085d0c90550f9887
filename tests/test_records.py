"""Records are frozen dataclasses in all that can be seen of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

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
    assert dataclasses.replace(Point(1), a=2) == Point(2)
    assert dataclasses.asdict(Base(1)) == {"a": 1, "b": ()}
    assert Point(1).c is not Point(1).c


@pytest.mark.parametrize("change", [lambda o: setattr(o, "a", 2), lambda o: setattr(o, "new", 2), lambda o: delattr(o, "a")])  # fmt: skip
def test_nothing_changes_them(change: Callable[[Any], None]) -> None:
    for one in (Point(1), Checked(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change(one)
        assert one.a == 1


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
