"""Random small programs in which what is read decides, or seems to decide, what is written: load buffering above all."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.oracles.dependencies import wide_domain
from tests.oracles.small_threads import (
    Body,
    Cas,
    Element,
    Expr,
    Fence,
    If,
    Let,
    Load,
    Loop,
    Place,
    Program,
    Rmw,
    Stmt,
    Store,
    Thread,
)

_MOST_EVENTS = 9
_MOST_VALUES = 8


def dependency_program(chance: random.Random) -> Program:
    """A ring of two or three threads: each reads its own location and writes the next one's."""
    while True:
        count = chance.choice([2, 2, 2, 3])
        names = "xyz"[:count]
        blocks = ["a" if chance.random() < 0.1 else name for name in names]
        kept = chance.choice([0, 1, 1, 1, 2])
        threads = [
            Thread(block, _body(chance, names[n], names[(n + 1) % count], kept)) for n, block in enumerate(blocks)
        ]
        for _ in range(chance.choice([0, 1, 1, 2])):  # values for a cycle to keep
            value = Store(chance.choice(names), chance.choice([1, 1, 2]))
            if chance.random() < 0.4:
                threads.append(Thread("c", (value,)))
            else:
                at = chance.randrange(count)
                threads[at] = Thread(threads[at].block, (*threads[at].body, value))
        if sum(events(t.body) for t in threads) <= _MOST_EVENTS:
            locations = {name: int(chance.random() < 0.1) for name in names}
            program = Program(tuple(threads), {**locations, "a[0]": 0, "a[1]": chance.choice([0, 0, 1])})
            values, _ = wide_domain(program)
            if max(map(len, values.values())) <= _MOST_VALUES:
                return program


def events(body: Body) -> int:
    """How many events the statements have at most."""

    def of(statement: Stmt) -> int:
        match statement:
            case Let():
                return 0
            case Rmw() | Cas() | Loop():
                return 2
            case If(_, then, otherwise):
                return max(events(then), events(otherwise))
            case _:
                return 1

    return sum(map(of, body))


def _order(chance: random.Random, strong: str) -> str:
    return chance.choice(["relaxed"] * 14 + [strong, "seq_cst"])


def _scope(chance: random.Random) -> str:
    return chance.choice(["device"] * 8 + ["system", "block"])


def _body(chance: random.Random, own: str, target: str, kept: int) -> Body:
    """A read of ``own`` or an element, perhaps a second one, and a write of ``target`` or an element that uses them.

    Mostly it writes ``kept`` if it has read ``kept``, unless that is 0: then it does anything.
    """
    if kept and chance.random() < 0.85:
        return (_read(chance, "r", own), *_hand_on(chance, target, kept))
    first = _place(chance, own)
    body: list[Stmt] = [_read(chance, "r", first)]
    used: list[Expr] = ["r"]
    if chance.random() < 0.3:
        other = chance.choice([own, target, "a"])
        place: Place = (
            other if other != "a" else Element("a", chance.choice([0, 1, _index(chance, "r"), _index(chance, "r")]))
        )
        body.append(_read(chance, "s", place))
        used = chance.choice([["s"], ["r", "s"]])
    if chance.random() < 0.06:
        body.append(Fence(chance.choice(["acquire", "release", "acq_rel", "seq_cst"]), _scope(chance)))
    body += _link(chance, used, _place(chance, target))
    if chance.random() < 0.08:
        body.insert(0, body.pop())
    return tuple(body)


def _place(chance: random.Random, name: str) -> Place:
    return name if chance.random() < 0.9 else Element("a", chance.choice([0, 1]))


def _read(chance: random.Random, reg: str, at: Place) -> Stmt:
    order, scope = _order(chance, "acquire"), _scope(chance)
    kind = chance.randrange(20)
    if kind == 0:
        return Load(reg, at, None)
    if kind <= 2:
        return Loop((Load(reg, at, order, scope),), ("==", reg, 0))
    if kind == 3:
        return Rmw(reg, at, chance.choice(["exchange", "+", "|"]), chance.choice([0, 1]), order, scope)
    if kind == 4:
        return Cas(reg, at, chance.choice([0, 1]), chance.choice([1, 2]), order, "relaxed", scope)
    return Load(reg, at, order, scope)


def _hand_on(chance: random.Random, at: Place, kept: int) -> Iterator[Stmt]:
    """Statements that write ``kept`` if r is that: depending on r, or as if."""
    other = chance.choice([kept, kept, 0])
    condition: Expr = chance.choice([("==", "r", kept), ("==", "r", kept), ("!=", "r", 0), ("<", "r", 5)])
    kind = chance.randrange(12)
    if kind <= 4:
        values: list[Expr] = [
            "r",
            ("&", "r", kept),
            ("|", "r", 0),
            ("|", "r", kept),
            ("*", ("==", "r", kept), kept),
            ("+", ("^", "r", "r"), kept),
            ("+", ("*", "r", 0), kept),
            ("*", ("==", "r", "r"), kept),
        ]
        yield _write(chance, at, chance.choice(values))
    elif kind <= 6:
        yield If(condition, (_write(chance, at, kept),), (_write(chance, at, other),) if chance.random() < 0.7 else ())
    elif kind == 7:
        yield If(condition, (Let("t", kept),), (Let("t", other),))
        yield _write(chance, at, "t")
    elif kind == 8:
        yield _read(chance, "s", Element("a", _index(chance, "r")))
        yield Store(at, chance.choice(["s", ("|", "s", kept)]))
    elif kind == 9:
        yield Load("s", chance.choice("xy"))
        yield Store(at, chance.choice([("&", "r", "s"), ("|", "r", "s"), ("^", "r", ("^", "s", "s")), ("*", "s", "r")]))
    elif kind == 10:
        yield Store(Element("a", _index(chance, "r")), kept)
        yield Store(at, chance.choice([kept, "r"]))
    else:
        yield If(condition, (Store(at, kept),), (Store(Element("a", 0), 1), Store(at, other)))


def _link(chance: random.Random, used: list[Expr], at: Place) -> Iterator[Stmt]:
    """Statements that write ``at``, with a dependency or what looks like one."""
    kind = chance.randrange(12)
    if kind <= 3:
        yield _write(chance, at, _value(chance, used))
    elif kind == 4:
        yield Let("t", _value(chance, used))
        yield _write(chance, at, _value(chance, ["t", *used]))
    elif kind <= 6:
        one, other = _constants(chance)
        yield If(_condition(chance, used), (_write(chance, at, one),), (_write(chance, at, other),))
    elif kind == 7:
        yield If(_condition(chance, used), (_write(chance, at, chance.choice([1, 1, *used])),))
    elif kind == 8:
        one, other = _constants(chance)
        yield If(_condition(chance, used), (Let("t", one),), (Let("t", other),))
        yield _write(chance, at, "t")
    elif kind == 9:
        one, other = _constants(chance)
        store = Store(at, chance.choice([1, 2]))
        yield If(_condition(chance, used), (Store(Element("a", one % 2), 1), store), (store,))
    elif kind == 10:
        yield Store(Element("a", _index(chance, chance.choice(used))), chance.choice([1, *used]))
        if chance.random() < 0.5:
            yield Store(at, chance.choice([1, *used]))
    else:
        yield Store(at, 2)
        yield If(_condition(chance, used), (Store(at, 1),), (Store(at, chance.choice([1, 2])),))


def _constants(chance: random.Random) -> tuple[int, int]:
    """Two constants, often the same."""
    return chance.choice([(1, 1), (1, 1), (1, 2), (2, 1), (1, 0)])


def _write(chance: random.Random, at: Place, value: Expr) -> Stmt:
    order, scope = _order(chance, "release"), _scope(chance)
    kind = chance.randrange(20)
    if kind == 0:
        return Store(at, value, None)
    if kind <= 2:
        return Rmw("u", at, chance.choice(["exchange", "exchange", "+", "|", "&", "^"]), value, order, scope)
    if kind == 3:
        return Cas("u", at, chance.choice([0, 1, value]), value, order, "relaxed", scope)
    return Store(at, value, order, scope)


def _value(chance: random.Random, used: list[Expr]) -> Expr:
    r, s = chance.choice(used), chance.choice(used)
    return chance.choice([
        1,
        2,
        r,
        r,
        ("^", r, r),
        ("+", ("^", r, r), 1),
        ("+", ("*", r, 0), 1),
        ("-", ("+", r, 1), r),
        ("&", r, 1),
        ("&", r, 2),
        ("|", r, 1),
        ("|", r, 3),
        ("-", 1, r),
        ("==", r, 1),
        ("==", r, r),
        ("<", r, 5),
        ("^", r, s),
        ("&", r, s),
        ("|", ("&", r, 1), ("^", s, 1)),
        ("*", r, s),
    ])  # fmt: skip


def _condition(chance: random.Random, used: list[Expr]) -> Expr:
    r, s = chance.choice(used), chance.choice(used)
    return chance.choice([
        ("==", r, 1),
        ("==", r, 1),
        ("==", r, 2),
        ("!=", r, 0),
        ("<", r, 1),
        ("==", r, s),
        ("==", ("*", r, 0), 0),
        ("<", ("&", r, 1), 2),
    ])  # fmt: skip


def _index(chance: random.Random, r: Expr) -> Expr:
    return chance.choice([("&", r, 1), ("&", r, 1), ("^", r, r), ("*", r, 0), ("==", r, 1)])
