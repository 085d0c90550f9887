"""The brute-force checker of dependencies says of small programs what is said of them where dependencies are defined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.oracles.dependencies import dependencies, executions, ways
from tests.oracles.small_threads import Body, Element, Expr, If, Let, Load, Loop, Program, Rmw, Stmt, Store, Thread

R, S = Load("r", "x"), Load("s", "z")
IS_ONE: Expr = ("==", "r", 1)
TWO_ELEMENTS: Expr = ("&", "r", 1)


def writes(value: Expr) -> Body:
    return (R, Store("y", value))


def wait(again: Expr) -> Loop:
    return Loop((R,), again)


def branch(condition: Expr, one: Expr, other: Expr) -> Body:
    return (R, If(condition, (Store("y", one),), (Store("y", other),)))


#: A thread that reads x, and what depends on that read where x is 0 or 1.
THREADS: dict[str, tuple[Body, set[str]]] = {
    "a constant": (writes(1), set()),
    "what was read": (writes("r"), {"y"}),
    "a bit of it": (writes(("&", "r", 1)), {"y"}),
    "r | 1": (writes(("|", "r", 1)), set()),
    "r ^ r": (writes(("^", "r", "r")), set()),
    "r * 0": (writes(("+", ("*", "r", 0), 1)), set()),
    "a condition": ((R, If(IS_ONE, (Store("y", 1),))), {"y"}),
    "a branch that decides the value": (branch(IS_ONE, 1, 2), {"y"}),
    "both arms store the same": (branch(IS_ONE, 1, 1), set()),
    "a condition that is always true": (branch(("==", "r", "r"), 1, 2), set()),
    "a store behind a branch": ((R, If(IS_ONE, (Store("z", 1),)), Store("y", 1)), {"z"}),
    "a local that a branch decides": ((R, Let("t", 1), If(IS_ONE, (Let("t", 2),)), Store("y", "t")), {"y"}),
    "a local that it does not": ((R, Let("t", 1), If(IS_ONE, (Let("t", 1),)), Store("y", "t")), set()),
    "another order in one arm": (
        (R, If(IS_ONE, (Store("y", 1, "release"),), (Store("y", 1),))),
        {"y"},
    ),
    "once or twice": ((R, Store("y", 1), If(IS_ONE, (Store("y", 1),))), {"y#1"}),
    "an element": ((R, Store(Element("a", TWO_ELEMENTS), 1)), {"a[0]", "a[1]"}),
    "the same element": ((R, Store(Element("a", ("*", "r", 0)), 1)), set()),
    "an element that is read": ((R, Load("t", Element("a", TWO_ELEMENTS))), {"read"}),
    "a read under a condition": ((R, If(IS_ONE, (Load("t", "z"),))), set()),
    "for some values of another read": ((R, S, If("s", (Store("y", 1),), (Store("y", "r"),))), {"y"}),
    "for no value of another read": ((R, S, Store("y", ("&", ("^", "r", "r"), "s"))), set()),
    "together with another read": ((R, S, Store("y", ("*", "r", "s"))), {"y"}),
    "two reads of one location": ((R, Load("s", "x"), Store("y", ("^", "r", "s"))), {"y"}),
    "a wait": ((wait(("==", "r", 0)), Store("y", 1)), {"y"}),
    "a wait for anything": ((wait(("==", "r", 5)), Store("y", 1)), set()),
    "a store before": ((Store("y", 1), R), set()),
    "what an exchange writes": ((R, Rmw("t", "y", "exchange", "r")), {"y"}),
    "what an addition of nothing writes": ((R, Rmw("t", "y", "+", ("*", "r", 0))), set()),
}


@pytest.mark.parametrize("name", THREADS)
def test_what_depends_on_a_read(name: str) -> None:
    body, expected = THREADS[name]
    domain = {location: {0, 1} for location in ("x", "y", "z", "a[0]", "a[1]")}
    found = set()
    for read, target in dependencies(ways(0, body, domain)):
        if (read.location, read.number) == ("x", 0):
            where = "read" if isinstance(target, int) else target.location
            found.add(where if isinstance(target, int) or target.number == 0 else f"{where}#{target.number}")
    assert found == expected


def test_more_values_make_more_dependencies() -> None:
    """`r | 1` is 1 where r is 0 or 1."""
    for values, depends in (({0, 1}, False), ({0, 1, 2}, True)):
        assert bool(dependencies(ways(0, writes(("|", "r", 1)), {"x": values}))) is depends


def other_way(body: Body) -> Body:
    """The thread with x and y exchanged."""

    def exchanged(statement: Stmt) -> Stmt:
        match statement:
            case If(condition, then, otherwise):
                return If(condition, other_way(then), other_way(otherwise))
            case Loop(turn, again):
                return Loop(other_way(turn), again)
            case Load() | Store() | Rmw():
                return replace(statement, at={"x": "y", "y": "x"}.get(str(statement.at), statement.at))
            case _:
                return statement

    return tuple(map(exchanged, body))


@pytest.mark.parametrize(
    ("left", "right", "allowed"),
    [
        ("a constant", "a constant", True),
        ("what was read", "what was read", False),
        ("what was read", "a constant", True),
        ("what was read", "r ^ r", True),
        ("r ^ r", "r ^ r", True),
        ("r * 0", "r * 0", True),
        ("r | 1", "what was read", True),
        ("both arms store the same", "what was read", True),
        ("a store behind a branch", "a condition", True),
        ("a condition", "a condition", False),
        ("a condition", "a branch that decides the value", False),
        ("what an exchange writes", "a local that a branch decides", False),
        ("a wait", "a wait", False),
        ("a wait", "a constant", True),
        ("a wait for anything", "a wait", True),
        ("an element that is read", "what was read", False),
    ],
)
def test_load_buffering(left: str, right: str, allowed: bool) -> None:
    """Whether each of two threads can read what the other one stores afterwards; both locations hold 0 and 1 at times."""
    threads = [THREADS[left][0], other_way(THREADS[right][0]), (Store("x", 0), Store("y", 0))]
    if left == "an element that is read":  # the value of an element that is read, whose index is a value read
        threads[0] = (*threads[0], Store("y", "t"))
    locations = {"x": 1, "y": 1, "z": 0, "a[0]": 0, "a[1]": 1}
    answer = executions(Program(tuple(Thread(str(n), body) for n, body in enumerate(threads)), locations))
    for found in (answer.least, answer.most):
        assert allowed is any({(0, 1), (1, 0)} <= {(w[0], r[0]) for w, r in x.rf} for x in found)


@pytest.mark.parametrize(
    ("body", "allowed"), [((Rmw("r", "x", "exchange", 1),), False), ((R, Store("x", 1)), True)], ids=["exchange", "two"]
)
def test_a_read_modify_write_reads_before_it_writes(body: Body, allowed: bool) -> None:
    """Whether a thread can read the 2 that is stored because of the 1 that it writes next."""
    relay = (Load("s", "x"), If(("==", "s", 1), (Store("z", 1),)))
    back = (Load("s", "z"), If(("==", "s", 1), (Store("x", 2),)))
    threads = tuple(Thread(str(n), body) for n, body in enumerate((body, relay, back)))
    answer = executions(Program(threads, {"x": 0, "z": 0}))
    for found in (answer.least, answer.most):
        assert allowed is any(x.registers[0]["r"] == 2 for x in found)
