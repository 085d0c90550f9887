"""Random small programs of threads that wait for each other in loops of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.oracles.small_threads import (
    Body,
    Cas,
    Expr,
    Fence,
    If,
    Let,
    Load,
    Loop,
    Program,
    Rmw,
    Stmt,
    Store,
    Thread,
    statements,
)

_ORDERS = {
    "relaxed": ("relaxed", "relaxed", "relaxed"),
    "release/acquire": ("acquire", "release", "acq_rel"),
    "seq_cst": ("seq_cst", "seq_cst", "seq_cst"),
}
_PLACES = [
    ("a", "b"),
    ("a", "a"),
    ("a", "b", "b"),
    ("a", "a", "b"),
    ("a", "b", "c"),
    ("a", "a", "b", "b"),
    ("a", "b", "c", "d"),
]
_MOST_OPERATIONS = 11


def waiting_program(chance: random.Random, orders: str | None = None) -> Program:
    """Two to four threads; with ``orders`` every operation has these, at device scope."""
    while True:
        places = chance.choice(_PLACES)
        style = orders or chance.choice(
            ["relaxed", "relaxed", "release/acquire", "seq_cst", "fences", "mixed", "mixed"]
        )
        writer = _Writer(chance, style, sure=orders is not None)
        bodies = _shape(writer, len(places)) if chance.random() < 0.6 else [tuple(writer.body()) for _ in places]
        operations = [s for body in bodies for s in statements(body) if not isinstance(s, Let | If | Loop)]
        if len(operations) <= _MOST_OPERATIONS and any(
            isinstance(s, Loop) for body in bodies for s in statements(body)
        ):
            threads = tuple(Thread(block, body) for block, body in zip(places, bodies, strict=False))
            return Program(threads, {name: int(name == "y" and chance.random() < 0.1) for name in "xyzl"})


@dataclass
class _Writer:
    """Writes statements with the orders of one style."""

    chance: random.Random
    style: str
    sure: bool  # no scope that is too small, no plain access

    def orders(self) -> tuple[str, str, str]:
        """Of a load, a store and a read-modify-write."""
        style = self.style
        if style == "mixed":
            style = self.chance.choice(list(_ORDERS))
        return _ORDERS["relaxed" if style == "fences" else style]

    def scope(self) -> str:
        return "device" if self.sure or self.chance.random() < 0.93 else self.chance.choice(["block", "system"])

    def load(self, reg: str, at: str) -> Load:
        if not self.sure and self.chance.random() < 0.015:
            return Load(reg, at, None)
        return Load(reg, at, self.orders()[0], self.scope())

    def store(self, at: str, value: Expr) -> Store:
        return Store(at, value, self.orders()[1], self.scope())

    def rmw(self, reg: str, at: str, operator: str, operand: Expr) -> Rmw:
        return Rmw(reg, at, operator, operand, self.orders()[2], self.scope())

    def cas(self, at: str, expected: Expr, desired: Expr) -> Cas:
        weak = self.chance.random() < 0.4
        return Cas("e", at, expected, desired, self.orders()[2], self.orders()[0], self.scope(), "ok", weak)

    def fences(self) -> list[Stmt]:
        if self.style == "fences" or (self.style == "mixed" and self.chance.random() < 0.15):
            order = self.chance.choice(["seq_cst", "seq_cst", "seq_cst", "acq_rel"])
            return [Fence(order, self.chance.choice(["device", "device", "device", "block"]))]
        return []

    def body(self) -> Iterator[Stmt]:
        for n in range(self.chance.choice([1, 2, 2, 3])):
            if n:
                yield from self.fences()
            yield from self.segment()

    def segment(self) -> Iterator[Stmt]:
        at, other = self.chance.sample("xyz", 2)
        kind = self.chance.randrange(10)
        if kind <= 2:
            yield self.store(at, self.chance.choice([1, 1, 1, 2, 0]))
        elif kind <= 5:
            yield from self.wait(at, other)
        elif kind == 6:
            yield self.load("s", at)
            one = self.store(other, self.chance.choice([1, "s"])) if self.chance.random() < 0.5 else self.poll(other)
            yield If(("==", "s", self.chance.choice([0, 1])), (one,))
        elif kind == 7:
            yield self.rmw("s", at, self.chance.choice(["exchange", "+", "|", "^"]), 1)
        elif kind == 8:
            yield from self.lock()
            yield self.store(at, 1)
            yield self.store("l", 0)
        else:
            yield self.load("s", at)
            yield self.store(other, "s")

    def poll(self, at: str) -> Loop:
        again: Expr = self.chance.choice([("==", "p", 0), ("==", "p", 0), ("!=", "p", 1), ("==", "p", 1)])
        return Loop((self.load("p", at),), again)

    def lock(self) -> Iterator[Stmt]:
        kind = self.chance.randrange(4)
        if kind == 0:
            yield Loop((self.cas("l", 0, 1),), ("==", "ok", 0))
        elif kind == 1:
            yield Loop(
                (Loop((self.load("p", "l"),), ("==", "p", 1)), self.rmw("o", "l", "exchange", 1)), ("==", "o", 1)
            )
        else:
            yield Loop((self.rmw("o", "l", "exchange", 1),), ("==", "o", 1))

    def wait(self, at: str, other: str) -> Iterator[Stmt]:
        """A loop that goes on for a reason."""
        unseen: Expr = ("==", "p", 0)
        kinds: list[Callable[[], Body]] = [
            lambda: (self.poll(at),),
            lambda: (self.poll(at),),
            lambda: (self.poll(at),),
            # a read-modify-write that reads only
            lambda: (Loop((self.rmw("p", at, self.chance.choice(["+", "|", "^"]), 0),), unseen),),
            lambda: (Loop((self.rmw("p", at, "exchange", 1),), unseen),),
            # two loads
            lambda: (
                Loop(
                    (self.load("p", at), self.load("q", other)),
                    (self.chance.choice(["&&", "||"]), unseen, ("==", "q", 0)),
                ),
            ),
            lambda: (Loop((self.load("p", at), self.load("q", at)), ("!=", "p", "q")), self.store(other, "p")),
            # with a counter that decides, and one that does not
            lambda: (Let("n", 0), Loop((self.load("p", at), Let("n", ("+", "n", 1))), ("&&", unseen, ("<", "n", 2)))),
            lambda: (Let("n", 0), Loop((self.load("p", at), Let("n", ("+", "n", 1))), unseen)),
            # periods of two turns
            lambda: (
                Let("n", 0),
                Loop((Let("n", ("-", 1, "n")), If("n", (self.load("p", at),), (self.load("p", other),))), unseen),
            ),
            lambda: (
                Let("n", 0),
                Loop(
                    (Let("n", ("^", "n", 1)), self.load("p", at)),
                    ("||", unseen, ("==", "n", self.chance.choice([0, 1]))),
                ),
            ),
            # retries, with and without another value expected
            lambda: (Loop((self.cas(at, 1, 2),), ("==", "ok", 0)),),
            lambda: (self.load("v", at), Loop((self.cas(at, "v", ("+", "v", 1)), Let("v", "e")), ("==", "ok", 0))),
            # stores in the loop: of one value, of what was read, of what comes and goes
            lambda: (Loop((self.store(other, 1), self.load("p", at)), unseen),),
            lambda: (Loop((self.load("p", at), self.store(other, "p")), unseen),),
            lambda: (Loop((self.load("p", at), If("p", (self.store(other, 1),))), unseen),),
            lambda: (Loop((self.rmw("p", at, "+", 1), self.rmw("q", at, "-", 1)), unseen),),
            # a loop in a loop
            lambda: (Loop((self.poll(at), self.load("q", other)), ("==", "q", 0)),),
            # a fence in the loop
            lambda: (
                Loop((self.load("p", at), Fence(self.chance.choice(["acquire", "seq_cst"]), self.scope())), unseen),
            ),
        ]
        yield from self.chance.choice(kinds)()


def _shape(writer: _Writer, threads: int) -> list[Body]:
    """Threads that tell each other something and go to sleep if they have not seen the other's word."""
    chance = writer.chance
    names = "xyz"
    bodies: list[Body] = []
    sleepy = chance.choice(["buffering", "passing", "barrier"])
    for n in range(min(threads, 3)):
        own, other = names[n], names[(n + 1) % min(threads, 3)]
        match sleepy:
            case "buffering":
                sleeps = not n or chance.random() < 0.5
                last: Stmt = writer.poll("l") if sleeps else writer.store("l", 1)
                condition = If(("==", "r", int(n > 0) if chance.random() < 0.8 else 0), (last,))
                bodies.append((writer.store(own, 1), *writer.fences(), writer.load("r", other), condition))
            case "passing":
                if n == 0:
                    bodies.append((writer.store("x", 1), *writer.fences(), writer.store("y", 1)))
                else:
                    first: Stmt = writer.load("p", "y") if chance.random() < 0.5 else writer.poll("y")
                    wait = writer.poll(chance.choice("lx"))
                    inner = If(("==", "q", 0), (wait,))
                    bodies.append((first, *writer.fences(), writer.load("q", "x"), If(("!=", "p", 0), (inner,))))
            case _:
                arrive = writer.rmw("c", "l", "+", 1)
                wait_ = Loop((writer.load("p", "x"),), ("==", "p", 0))
                bodies.append(
                    (
                        arrive,
                        If(("==", "c", min(threads, 3) - 1), (writer.store("l", 0), writer.store("x", 1)), (wait_,)),
                    )
                )
    while len(bodies) < threads:
        bodies.append(tuple(writer.body()))
    if chance.random() < 0.4:
        at = chance.randrange(threads)
        bodies[at] = (*bodies[at], *writer.fences(), *writer.segment())
    return bodies
