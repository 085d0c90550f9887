"""Expressions over a thread's registers as trees: their nodes, walks over them, and names for long ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TypeAlias, TypeVar, assert_never

from scopec.base.records import dataclass
from scopec.program.types import IntType


@dataclass(frozen=True, slots=True)
class Const:
    """A known value."""

    value: int
    type: IntType


@dataclass(frozen=True, slots=True)
class Reg:
    """The value of a register of the thread."""

    name: str
    type: IntType


@dataclass(frozen=True, slots=True)
class Builtin:
    """``threadIdx.x`` and the like: a constant of each thread, named ``threadIdx.x``."""

    name: str
    type: IntType


@dataclass(frozen=True, slots=True)
class Unary:
    """``op operand``."""

    op: str
    operand: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right``; both operands already have the type that the operation is computed in."""

    op: str
    left: Value
    right: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Choose:
    """``condition ? then : otherwise``."""

    condition: Value
    then: Value
    otherwise: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Convert:
    """``operand`` converted to another integral type."""

    operand: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Named:
    """A long value that others share: equal ones have one ``number``; ``reads`` are its leaves, each once."""

    number: int
    value: Value = field(compare=False)
    reads: tuple[Reg | Builtin, ...] = field(compare=False)
    size: int = field(compare=False)
    #: How deep names nest in it: 0 if it mentions none.
    level: int = field(compare=False)
    names: Names = field(compare=False, repr=False)

    @property
    def type(self) -> IntType:
        """The type of the value."""
        return self.value.type


Value: TypeAlias = Const | Reg | Builtin | Unary | Binary | Choose | Convert | Named
_T = TypeVar("_T")

# ---------------------------------------------------------------- the form of values


def children(value: Value) -> tuple[Value, ...]:
    """The values that a value is computed from, left to right; of a named one the value that it stands for."""
    match value:
        case Const() | Reg() | Builtin():
            return ()
        case Binary():
            return value.left, value.right
        case Convert() | Unary():
            return (value.operand,)
        case Choose():
            return value.condition, value.then, value.otherwise
        case Named():
            return (value.value,)
        case _:
            assert_never(value)


def rebuild(value: Value, parts: Sequence[Value]) -> Value:
    """``value`` with other children, as it stands: nothing is folded."""
    match value:
        case Const() | Reg() | Builtin():
            return value
        case Unary(op, _, type_):
            return Unary(op, parts[0], type_)
        case Binary(op, _, _, type_):
            return Binary(op, parts[0], parts[1], type_)
        case Choose(_, _, _, type_):
            return Choose(parts[0], parts[1], parts[2], type_)
        case Convert(_, type_):
            return Convert(parts[0], type_)
        case Named():
            return value.names.short(parts[0])
        case _:
            assert_never(value)


def fold(
    value: Value, made: Callable[[Value, Sequence[_T]], _T], known: Callable[[Value], _T | None] = lambda _: None
) -> _T:
    """The result of ``made`` for a value, from its results for the children, which are looked at from the left.

    A named value is looked at once, and nothing below one of which ``known`` gives the result.
    """
    return _folded(value, made, known, {})


# The functions that recur are no closures: each would be a circle, which takes longer to free than to make.


def _folded(
    value: Value,
    made: Callable[[Value, Sequence[_T]], _T],
    known: Callable[[Value], _T | None],
    done: dict[int, _T],
) -> _T:
    found = known(value)
    if found is not None:
        return found
    match value:  # no comprehension: it would be a frame of Python's stack for each level
        case Binary():
            parts = [_folded(value.left, made, known, done), _folded(value.right, made, known, done)]
        case Convert() | Unary():
            parts = [_folded(value.operand, made, known, done)]
        case Choose():
            test = _folded(value.condition, made, known, done)
            parts = [test, _folded(value.then, made, known, done), _folded(value.otherwise, made, known, done)]
        case Named():
            if value.number in done:
                return done[value.number]
            if value.level > DEEPEST:
                return in_steps(value, done, lambda one, before: made(one, [_folded(one.value, made, known, before)]))
            found = done[value.number] = made(value, [_folded(value.value, made, known, done)])
            return found
        case _:
            parts = []
    return made(value, parts)


#: Names that nest deeper are not looked into by functions that recur: Python's stack may not be deep enough.
DEEPEST = 1


class _Steps(dict[int, _T]):
    """Results for named values, of which those that are deep are made one after another."""


class _NeededError(Exception):
    """The result for a named value is needed that is not there yet."""

    def __init__(self, value: Named) -> None:
        self.value = value


def in_steps(value: Named, done: dict[int, _T], result: Callable[[Named, dict[int, _T]], _T]) -> _T:
    """What ``result`` makes of a named value, where names nest deep: first of those inside that it asks for."""
    if isinstance(done, _Steps):
        raise _NeededError(value)
    steps, work = _Steps(done), [value]
    while work:
        try:
            steps[work[-1].number] = result(work[-1], steps)
            work.pop()
        except _NeededError as needed:
            work.append(needed.value)
    done.update(steps)
    return done[value.number]


def inner_first(value: Named, known: Callable[[Named], bool]) -> list[Named]:
    """The named values that one is computed from, each behind those that it is computed from itself.

    What is ``known`` already is left out, with what it alone is computed from; where names do not nest deep, all are.
    """
    if value.level <= DEEPEST:
        return []
    found: dict[int, Named] = {}
    work: list[Value] = [value.value]
    while work:
        part = work.pop()
        if not isinstance(part, Named):
            work += children(part)
        elif part.number not in found and not known(part):
            found[part.number] = part
            work.append(part.value)
    return [found[number] for number in sorted(found)]  # numbers are given to what is inside first


def deeper_than(value: Value, depth: int) -> bool:
    """Whether a value nests deeper than so many levels, a named one counted as one, or has very many nodes."""
    level: Sequence[Value] = (value,)
    for _ in range(depth):
        level = [part for one in level if not isinstance(one, Named) for part in children(one)]
        if not level:
            return False
        if len(level) > _MANY_NODES:
            return True
    return True


_MANY_NODES = 4096


class Names:
    """Names for long values, so that what is computed from them stays short."""

    def __init__(self) -> None:
        self._known: dict[Value, Named] = {}

    def short(self, value: Value) -> Value:
        """``value``, by a name if it has more than LONGEST nodes."""
        return value if _shown_size(value, LONGEST) <= LONGEST else self.named(value)

    def named(self, value: Value) -> Named:
        """``value`` by its name."""
        if value not in self._known:
            reads = tuple(dict.fromkeys(leaves(value)))
            level = _inner_level(value)
            self._known[value] = Named(len(self._known), value, reads, size(value), level, self)
        return self._known[value]


def _inner_level(value: Value) -> int:
    """One more than the deepest name in a value; 0 if there is none."""
    found, work = 0, [value]
    while work:
        part = work.pop()
        if isinstance(part, Named):
            found = max(found, part.level + 1)
        else:
            work += children(part)
    return found


#: The nodes that a value has at most before it is named.
LONGEST = 100


def size(value: Value) -> int:
    """The number of nodes of a value, those of named ones at each of their uses."""
    return value.size if isinstance(value, Named) else 1 + sum(map(size, children(value)))


def _shown_size(value: Value, limit: int) -> int:
    """The number of nodes of a value, a named one counted as one; counted up to just above ``limit``."""
    count, work = 0, [value]
    while work and count <= limit:
        count += 1
        if not isinstance(inner := work.pop(), Named):
            work += children(inner)
    return count


def leaves(value: Value) -> Iterator[Reg | Builtin]:
    """The registers and builtins that a value mentions, left to right, with repetitions (but not in named values)."""
    match value:
        case Reg() | Builtin():
            yield value
        case Named():
            yield from value.reads
        case _:
            for part in children(value):
                yield from leaves(part)


def constants(value: Value) -> Iterator[Const]:
    """The constants in a value, left to right, also in named values, in each of these once."""
    seen: set[int] = set()
    work = [value]
    while work:
        part = work.pop()
        if isinstance(part, Const):
            yield part
        elif not isinstance(part, Named) or part.number not in seen:
            seen |= {part.number} if isinstance(part, Named) else set()
            work += reversed(children(part))
