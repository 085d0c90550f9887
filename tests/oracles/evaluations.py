"""The values of expressions over shared memory, by small steps: any operand that is not evaluated may be next.

Written from C11's text (6.5/3, 6.5.2.2/10, 6.5.17/2), for a sequentially consistent memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """A call: ``load``, ``exchange`` or ``add``, whose value is what it finds."""

    kind: str
    location: str
    value: int = 0


@dataclass(frozen=True)
class Sum:
    """The operands of additions, each counted as often as its place says: ``a + 2 * b + 4 * c``."""

    parts: tuple[Term, ...]


@dataclass(frozen=True)
class Sequence:
    """Expressions one after the other; the value is that of the last."""

    parts: tuple[Term, ...]


Term = int | Access | Sum | Sequence
Memory = tuple[tuple[str, int], ...]


def text(term: Term) -> str:
    """The expression in C."""
    match term:
        case int():
            return str(term)
        case Access("load", location):
            return f"atomic_load({location})"
        case Access(kind, location, value):
            return f"atomic_{'fetch_add' if kind == 'add' else kind}({location}, {value})"
        case Sum(parts):
            return "(" + " + ".join(f"{1 << n} * {text(part)}" for n, part in enumerate(parts)) + ")"
        case Sequence(parts):
            return f"({', '.join(map(text, parts))})"


def _steps(term: Term, memory: Memory) -> Iterator[tuple[Term, Memory]]:
    match term:
        case Access(kind, location, value):
            held = dict(memory)
            found = held[location]
            held[location] = {"load": found, "exchange": value, "add": found + value}[kind]
            yield found, tuple(sorted(held.items()))
        case Sum(parts):
            for n, part in enumerate(parts):
                for after, changed in _steps(part, memory):
                    yield _value(Sum((*parts[:n], after, *parts[n + 1 :]))), changed
        case Sequence((first, *rest)):
            for after, changed in _steps(first, memory):
                yield _value(Sequence((after, *rest))), changed
        case _:
            pass


def _value(term: Term) -> Term:
    match term:
        case Sum(parts) if all(isinstance(part, int) for part in parts):
            return sum(part << n for n, part in enumerate(parts) if isinstance(part, int))
        case Sequence((int(last),)):
            return last
        case Sequence((int(), *rest)):
            return _value(Sequence(tuple(rest)))
        case _:
            return term


def values(threads: tuple[Term, ...], memory: Memory) -> set[int]:
    """The values that the first thread's expression may have, whatever the order of all steps."""
    found: set[int] = set()
    seen = {(threads, memory)}
    work = list(seen)
    while work:
        now, held = work.pop()
        if isinstance(now[0], int):
            found.add(now[0])
        for n, term in enumerate(now):
            for after, changed in _steps(term, held):
                state = ((*now[:n], after, *now[n + 1 :]), changed)
                if state not in seen:
                    seen.add(state)
                    work.append(state)
    return found
