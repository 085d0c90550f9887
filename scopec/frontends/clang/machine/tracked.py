"""Numbers that know which sum of multiples of a thread's indices they are, and note what is asked about them.

A run of the machine is decided by the answers that it gets about its thread's indices.  Of ::

    t = threadIdx.x; if (t < 128) a[t] += a[t + 128];

the run of thread 5 asks whether ``threadIdx.x`` is below 128, and whether the places are in the array: threads for
which the answers are the same do the same, with other numbers in the same places.  Sums, differences and multiples are
no questions.  A comparison notes the range of the difference, division by a number the range in which the quotient is
the same; every other use, as a key or in a text, notes the number itself.  These are no ``int``, so that no use of them
goes by unnoticed: what is not defined here fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from math import gcd, inf
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

_T = TypeVar("_T")
#: The factors of the indices in a sum.
Factors: TypeAlias = "tuple[int, ...]"
#: What makes a part of a graph from the indices of a thread.
Maker: TypeAlias = Callable[[Sequence[int]], Any]


class Range:
    """The numbers that a sum of multiples of the indices may be."""

    __slots__ = ("high", "low", "other")

    def __init__(self) -> None:
        self.low: float = -inf
        self.high: float = inf
        self.other: set[int] = set()

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high and number not in self.other


class Asked:
    """The questions that one run asks about the indices of its thread, which are these; closed at its end."""

    def __init__(self, own: Sequence[int]) -> None:
        self.own = own
        self.ranges: dict[Factors, Range] = {}
        self.open = True

    def tracked(self, names: Sequence[str], builtins: Mapping[str, int]) -> dict[str, int]:
        """The constants of the thread, with its indices as tracked numbers."""
        given: dict[str, Any] = dict(builtins)
        for at, name in enumerate(names):
            given[name] = Tracked(self.own[at], tuple(int(at == other) for other in range(len(names))), 0, self)
        return given

    def order(self) -> tuple[tuple[Factors, Range], ...]:
        """What was asked, the narrowest ranges first: these tell most threads apart."""
        return tuple(sorted(self.ranges.items(), key=lambda item: item[1].high - item[1].low))

    def _range(self, factors: Factors, divisor: int) -> Range:
        if divisor > 1:
            factors = tuple(factor // divisor for factor in factors)
        found = self.ranges.get(factors)
        if found is None:
            found = self.ranges[factors] = Range()
        return found

    def within(self, factors: Factors, low: int | None, high: int | None) -> None:
        """Note that a sum is in a range."""
        if self.open:
            divisor = gcd(*factors)
            found = self._range(factors, divisor)
            if low is not None:
                found.low = max(found.low, -(-low // divisor))
            if high is not None:
                found.high = min(found.high, high // divisor)

    def differs(self, factors: Factors, number: int) -> None:
        """Note that a sum is not a number."""
        divisor = gcd(*factors)
        if self.open and number % divisor == 0:
            self._range(factors, divisor).other.add(number // divisor)


class Tracked:
    """A number: the sum of multiples of a thread's indices and a constant."""

    __slots__ = ("asked", "constant", "factors", "number")
    __class__ = int  # type: ignore[assignment]  # what asks for an `int` gets one

    def __init__(self, number: int, factors: Factors, constant: int, asked: Asked) -> None:
        self.number, self.factors, self.constant, self.asked = number, factors, constant, asked

    def at(self, indices: Sequence[int]) -> int:
        """The number that it is for a thread with other indices."""
        return self.constant + sum(a * b for a, b in zip(self.factors, indices, strict=True))

    # ------------------------------------------------------------ sums

    def _plus(self, factor: int, other: Any) -> Any:
        """This and a multiple of another number."""
        if not isinstance(other, int):
            return NotImplemented
        one: Any = other
        if not self.asked.open:
            return self.number + factor * int(one)
        if type(one) is not Tracked or one.asked is not self.asked:
            known = factor * int(one)
            return Tracked(self.number + known, self.factors, self.constant + known, self.asked)
        factors = tuple(a + factor * b for a, b in zip(self.factors, one.factors, strict=True))
        number = self.number + factor * one.number
        return Tracked(number, factors, self.constant + factor * one.constant, self.asked) if any(factors) else number

    def _times(self, factor: int) -> Any:
        if not factor or not self.asked.open:
            return factor * self.number
        factors = tuple(factor * own for own in self.factors)
        return Tracked(factor * self.number, factors, factor * self.constant, self.asked)

    def __add__(self, other: int) -> Any:
        return self._plus(1, other)

    __radd__ = __add__

    def __sub__(self, other: int) -> Any:
        return self._plus(-1, other)

    def __rsub__(self, other: int) -> Any:
        return self._times(-1) + other

    def __mul__(self, other: int) -> Any:
        return self._times(int(other))

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self._times(-1)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return self._times(-1) - 1

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    # ------------------------------------------------------------ division

    def __divmod__(self, other: int) -> tuple[Any, Any]:
        divisor = int(other)
        if divisor <= 0:
            return divmod(int(self), divisor)
        quotient, rest = divmod(self.constant, divisor)
        if self.asked.open and not any(factor % divisor for factor in self.factors):
            factors = tuple(factor // divisor for factor in self.factors)
            return Tracked(self.number // divisor, factors, quotient, self.asked), rest
        quotient = self.number // divisor
        first = quotient * divisor
        self.asked.within(self.factors, first - self.constant, first + divisor - 1 - self.constant)
        return quotient, self - first

    def __floordiv__(self, other: int) -> Any:
        return divmod(self, other)[0]

    def __mod__(self, other: int) -> Any:
        return divmod(self, other)[1]

    def __lshift__(self, other: int) -> Any:
        return self._times(1 << int(other))

    def __rshift__(self, other: int) -> Any:
        return self // (1 << int(other))

    def __and__(self, other: int) -> Any:
        mask = int(other)
        return self % (mask + 1) if mask > 0 and not mask & (mask + 1) else int(self) & mask

    __rand__ = __and__

    def __or__(self, other: int) -> Any:
        return int(self) | int(other)

    __ror__ = __or__

    def __xor__(self, other: int) -> Any:
        return int(self) ^ int(other)

    __rxor__ = __xor__

    def __rfloordiv__(self, other: int) -> Any:
        return other // int(self)

    def __rmod__(self, other: int) -> Any:
        return other % int(self)

    def __rdivmod__(self, other: int) -> tuple[Any, Any]:
        return divmod(other, int(self))

    def __rlshift__(self, other: int) -> Any:
        return other << int(self)

    def __rrshift__(self, other: int) -> Any:
        return other >> int(self)

    # ------------------------------------------------------------ questions

    def _less(self, limit: int) -> bool:
        """Whether it is below a limit."""
        apart = self - limit
        if type(apart) is not Tracked:
            return bool(apart < 0)
        if apart.number < 0:
            self.asked.within(apart.factors, None, -1 - apart.constant)
        else:
            self.asked.within(apart.factors, -apart.constant, None)
        return apart.number < 0

    def __lt__(self, other: int) -> bool:
        return self._less(other)

    def __le__(self, other: int) -> bool:
        return self._less(other + 1)

    def __gt__(self, other: int) -> bool:
        return not self._less(other + 1)

    def __ge__(self, other: int) -> bool:
        return not self._less(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int):
            return NotImplemented
        apart = self - other
        if type(apart) is not Tracked:
            return bool(apart == 0)
        if apart.number:
            self.asked.differs(apart.factors, -apart.constant)
        else:
            self.asked.within(apart.factors, -apart.constant, -apart.constant)
        return apart.number == 0

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        self.asked.within(self.factors, self.number - self.constant, self.number - self.constant)
        return self.number

    __int__ = __index__

    def __hash__(self) -> int:
        return hash(int(self))

    def __repr__(self) -> str:
        return repr(int(self))

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return format(int(self), how)

    def __getattr__(self, name: str) -> Any:
        return getattr(int(self), name)


# ---------------------------------------------------------------- what contains such numbers


def maker(part: Any, made: dict[int, Maker | None] | None = None) -> Maker | None:
    """What makes a record, a tuple or a number for other indices; None if there is no tracked number in it.

    ``made`` are those of parts that stand in several places, by their ``id``: the parts have to outlive it.
    """
    if type(part) is Tracked:
        return part.at
    made = {} if made is None else made
    if id(part) not in made:
        made[id(part)] = _maker_of_parts(part, made)
    return made[id(part)]


def _maker_of_parts(part: Any, made: dict[int, Maker | None]) -> Maker | None:
    if isinstance(part, tuple):
        makers = [maker(inner, made) for inner in part]
        inner = [(make, value) for make, value in zip(makers, part, strict=True)]
        return (lambda at: tuple(make(at) if make else value for make, value in inner)) if any(makers) else None
    kind: Any = type(part)
    changing = [(name, make) for name in _fields(kind) if (make := maker(getattr(part, name), made)) is not None]
    if not changing:
        return None
    as_it_is = {name: getattr(part, name) for name in _fields(kind)}
    return lambda at: kind(**(as_it_is | {name: make(at) for name, make in changing}))


_FIELDS: dict[Any, tuple[str, ...]] = {}


def _fields(kind: Any) -> tuple[str, ...]:
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
    return _FIELDS[kind]


def untracked(part: _T) -> _T:
    """A record, a tuple or a number that is known beyond the run: with the thread's numbers, which are noted."""
    found: _T = _plain(part)
    return found


def _plain(part: Any) -> Any:
    if type(part) is Tracked:
        return int(part)
    if isinstance(part, tuple):
        return tuple(map(_plain, part))
    found = {name: getattr(part, name) for name in _fields(type(part))}
    plain = {name: _plain(value) for name, value in found.items()}
    return part if all(plain[name] is value for name, value in found.items()) else type(part)(**plain)
