"""The value of a number in any turn of a loop, from its value after one turn.

- a step that no turn changes: ``start + turn * step``, of the offset of an address too
- doubled or halved, or by another constant: ``start * 2^turn``, ``start / 2^turn``
- some numbers in turn, as the two buffers that a turn exchanges: a choice by the rest of the turn
- addresses that turns hand on to each other, as those of two buffers: one of these, by the rest of the turn
- what an atomic addition finds in each turn: a number that no other thread gets
- in a loop with barriers, what is made of numbers of the block alone: one number of the block
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, cast

from scopec.base.records import dataclass
from scopec.frontends.clang.anythread.values import Cells, Pointers, Value
from scopec.program import anythread as terms
from scopec.program.anythread import (
    TRUE,
    ZERO,
    Term,
    Ticket,
    both,
    choose,
    const,
    equal,
    less,
    negative,
    opposite,
    symbols,
)

#: A place in the memory of a thread.
Key: TypeAlias = tuple[str, int]
#: A number by the number of the turn.
Law: TypeAlias = Callable[[Term], Term]

#: So many turns at most are looked at for numbers that come again.
_MOST_STATES = 4


@dataclass(frozen=True)
class Number:
    """A number that turns change: at the beginning of the loop, of any turn, and of the next one."""

    begins: Term
    value: Term
    after: Term


def numbers(before: Cells, cells: Cells, after: Cells, changed: set[Key]) -> dict[Key, Number]:
    """The numbers that turns change, and the offsets of addresses in one object."""
    found = {}
    for key in changed:
        if key in cells and key in after:
            begins, value, next_ = before[key][1], cells[key][1], after[key][1]
            objects = {_object(one) for one in (begins, value, next_)}
            if objects != {None} and len(objects) == 1:
                begins, value, next_ = map(offset_of, (begins, value, next_))
            if isinstance(begins, Term) and isinstance(value, Term) and isinstance(next_, Term):
                found[key] = Number(begins, value, next_)
    return found


def _object(value: Value) -> str | None:
    """The object of an address that is in one; None of any other value."""
    return value.ways[0][1] if isinstance(value, Pointers) and len(value.ways) == 1 else None


def offset_of(value: Value) -> Value:
    """The offset of an address in one object."""
    assert isinstance(value, Pointers)
    return value.ways[0][2]


def laws(of: dict[Key, Number], cells: Cells, changed: set[Key]) -> dict[Key, Law]:
    """What those numbers are of which it is known."""
    varying = {name for key in changed if key in cells for name in _names(cells[key][1])}
    found: dict[Key, Law] = {}
    for key, number in of.items():
        law = _stepped(number, varying) or _scaled(number) or _cyclic(key, of)
        if law is not None:
            found[key] = law
    return found


def numbered(of: dict[Key, Number], before: Sequence[Ticket], inside: Sequence[Ticket]) -> dict[Key, Ticket]:
    """The numbers that in each turn are what an atomic addition of the turn before found, or one before the loop: what
    they find is then what an addition finds in any turn.
    """
    found, given, next_ = {}, *({one.value: one for one in tickets} for tickets in (before, inside))
    for key, number in of.items():
        one, other = given.get(number.begins), next_.get(number.after)
        if one is not None and other is not None and _alike(one, other):
            found[key] = replace(one, access=replace(one.access, condition=TRUE))
    return found


def _alike(one: Ticket, other: Ticket) -> bool:
    """Whether two additions are of one amount to one number, which no turn changes."""
    here, there = one.access, other.access
    same = (here.object, here.bytes, here.scope, one.amount) == (there.object, there.bytes, there.scope, other.amount)
    return same and here.offset is there.offset and all(map(_stays, symbols(here.offset).values()))


def of_block(of: dict[Key, Number], made: dict[str, frozenset[str]]) -> set[Key]:
    """The numbers that are the same for all threads of a block which are in one turn; ``made`` says of which symbols
    others are made.
    """
    found = {key for key, number in of.items() if is_uniform(number.begins)}
    while True:
        known = {name for key in found for name in symbols(of[key].value)}
        known |= {name for name, parts in made.items() if parts <= known}
        kept = {key for key in found if is_uniform(of[key].after, known)}
        if kept == found:
            return found
        found = kept


def exchanged(before: Cells, after: Cells, unknown: dict[Key, Pointers]) -> dict[Key, Callable[[Term], Pointers]]:
    """The addresses in any turn that each turn takes from another of them, all of which are unknown as yet."""
    known = {value: key for key, value in unknown.items()}
    found = dict[Key, Callable[[Term], Pointers]]()
    for key in unknown:
        seen, next_ = list[Key](), cast("Key | None", key)
        while next_ is not None and next_ not in seen:
            seen.append(next_)
            value = after[next_][1] if next_ in after else None
            next_ = known.get(value) if isinstance(value, Pointers) else None
        if next_ is not None and len(seen) <= _MOST_STATES:
            found[key] = partial(_handed_on, tuple(before[one][1] for one in seen), seen.index(next_))
    return found


def _handed_on(values: tuple[Value, ...], first: int, turn: Term) -> Pointers:
    """One of some addresses, of which those from ``first`` on come again and again."""
    place = terms.mod(terms.add(turn, const(-first)), const(len(values) - first))
    ways, rest = list[tuple[Term, str | None, Term]](), TRUE
    for number, value in enumerate(values):
        here = equal(turn, const(number)) if number < first else equal(place, const(number - first))
        assert isinstance(value, Pointers)
        ways += ((both(both(rest, here), way), object_, offset) for way, object_, offset in value.ways)
        rest = both(rest, opposite(here))
    return Pointers(tuple(ways))


def is_uniform(term: Term, known: set[str] = frozenset()) -> bool:  # type: ignore[assignment]
    """Whether a term is the same for all threads of a block, as some symbols are."""
    return all(one.level != "thread" or name in known for name, one in symbols(term).items())


def _names(value: object) -> set[str]:
    match value:
        case Term():
            return set(symbols(value))
        case Pointers(ways):
            return {name for _, _, offset in ways for name in symbols(offset)}
        case _:
            return set()


def _stepped(number: Number, varying: set[str]) -> Law | None:
    step = _step(number.value, number.after)
    if step is None or any(not _stays(one) or name in varying for name, one in symbols(step).items()):
        return None
    return lambda turn: terms.add(number.begins, terms.mul(turn, step))


def _stays(symbol: Term) -> bool:
    """Whether a symbol is the same in each turn: one made for a read in the loop is not."""
    return symbol.level == "launch" or not symbol.name.startswith("?")


def _step(value: Term, after: Term) -> Term | None:
    """What is added to a number, if nothing else is done with it."""
    left, rest, found = [after], ZERO, False
    while left:
        term = left.pop()
        if term is value and not found:
            found = True
        elif term.op == "add":
            left += term.args
        else:
            rest = terms.add(rest, term)
    return rest if found else None


def _scaled(number: Number) -> Law | None:
    value, after = number.value, number.after
    if after is terms.add(value, value):
        return lambda turn: terms.grown(number.begins, turn, 2)
    if after.op == "mul" and after.args[0].op == "const" and after.args[1] is value and after.args[0].value > 1:
        return lambda turn: terms.grown(number.begins, turn, after.args[0].value)
    quotient = after.args[2] if after.op == "choose" else after
    if quotient.op != "div" or quotient.args[1].op != "const":
        return None
    factor = quotient.args[1]
    mirrored = choose(less(value, ZERO), negative(terms.div(negative(value), factor)), terms.div(value, factor))
    for rounding, made in (("down", terms.div(value, factor)), ("to zero", mirrored), *_unsigned(value, factor)):
        if after is made:
            return partial(_shrunk, number.begins, factor.value, rounding)
    return None


def _unsigned(value: Term, factor: Term) -> tuple[tuple[str, Term], ...]:
    """The quotients of the unsigned readings of a number."""
    readings = [choose(less(value, ZERO), terms.add(value, const(1 << bits)), value) for bits in (32, 64)]
    return tuple((f"unsigned {n}", terms.div(reading, factor)) for n, reading in enumerate(readings))


def _shrunk(begins: Term, factor: int, rounding: str, turn: Term) -> Term:
    return terms.shrunk(begins, turn, factor, rounding)


def _cyclic(key: Key, of: dict[Key, Number]) -> Law | None:
    """Numbers that come again after some turns, if they depend on such numbers alone."""
    by_name = {name: other for other, number in of.items() for name in symbols(number.value)}
    needed, left = {key}, [key]
    while left:
        for name in symbols(of[left.pop()].after):
            other = by_name.get(name)
            if other is None:
                return None
            if other not in needed:
                needed.add(other)
                left.append(other)
    state = {one: of[one].begins for one in needed}
    seen = [state]
    while all(term.op == "const" for term in state.values()):
        now = {of[one].value: term for one, term in state.items()}
        state = {one: terms.substituted(of[one].after, now) for one in needed}
        if state in seen:
            first = seen.index(state)
            return partial(_in_cycle, tuple(one[key] for one in seen), first)
        if len(seen) == _MOST_STATES:
            return None
        seen.append(state)
    return None


def _in_cycle(values: tuple[Term, ...], first: int, turn: Term) -> Term:
    """One of some numbers, of which those from ``first`` on come again and again."""
    again = values[first:]
    place = terms.mod(terms.add(turn, const(-first)), const(len(again)))
    found = again[-1]
    for number, value in reversed(tuple(enumerate(again[:-1]))):
        found = choose(equal(place, const(number)), value, found)
    for number, value in reversed(tuple(enumerate(values[:first]))):
        found = choose(equal(turn, const(number)), value, found)
    return found
