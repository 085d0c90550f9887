"""The brute-force search for stuck executions finds those of the documents, and none where everything gets on."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

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
from tests.oracles.stuck import PROGRESS, search

#: Orders of loads, stores and read-modify-writes.
RELAXED = ("relaxed", "relaxed", "relaxed")
HANDED_ON = ("acquire", "release", "acq_rel")
SEQ_CST = ("seq_cst", "seq_cst", "seq_cst")


def program(*bodies: Body, blocks: str = "abcd", initial: dict[str, int] | None = None) -> Program:
    names = {str(s.at) for body in bodies for s in statements(body) if isinstance(s, Load | Store | Rmw | Cas)}
    threads = tuple(Thread(block, body) for block, body in zip(blocks, bodies, strict=False))
    return Program(threads, {**dict.fromkeys(sorted(names), 0), **(initial or {})})


def poll(at: str, order: str | None = "relaxed", again: Expr = ("==", "p", 0)) -> Loop:
    """A loop that loads until a condition does not hold any more: mostly until it is not 0."""
    return Loop((Load("p", at, order),), again)


def fences(scope: str | None) -> tuple[Stmt, ...]:
    return (Fence("seq_cst", scope),) if scope else ()


# ---------------------------------------------------------------- who may wait for what was not seen


def sleeper(load: str, store: str, fence: str | None) -> Program:
    """Each of two threads says that it is there and looks for the other; the first sleeps if it does not see it."""
    first = (Store("x", 1, store), *fences(fence), Load("r", "y", load), If(("==", "r", 0), (poll("go", load),)))
    second = (
        Store("y", 1, store),
        *fences(fence),
        Load("r", "x", load),
        If(("==", "r", 1), (Store("go", 1, store),)),
    )
    return program(first, second)


def stale(load: str, store: str, fence: str | None) -> Program:
    """A flag is seen; if the data is not there yet its reader waits for what nobody sends."""
    reader = (
        Load("r", "f", load),
        *fences(fence),
        If(("==", "r", 1), (Load("q", "x", load), If(("==", "q", 0), (poll("go", load),)))),
    )
    return program((Store("x", 1, store), *fences(fence), Store("f", 1, store)), reader)


def polled(load: str, store: str, fence: str | None) -> Program:
    """A flag is seen; the data is polled until it is there."""
    return program(
        (Store("x", 1, store), *fences(fence), Store("f", 1, store)), (poll("f", load), *fences(fence), poll("x", load))
    )


COLUMNS = {
    "relaxed": ("relaxed", "relaxed", None),
    "release/acquire": ("acquire", "release", None),
    "seq_cst": ("seq_cst", "seq_cst", None),
    "fences": ("relaxed", "relaxed", "device"),
    "fences of the block": ("relaxed", "relaxed", "block"),
}


@pytest.mark.parametrize(
    ("what", "stuck"),
    [
        (sleeper, {"relaxed", "release/acquire", "fences of the block"}),
        (stale, {"relaxed", "fences of the block"}),
        (polled, set()),
    ],
)
@pytest.mark.parametrize("orders", COLUMNS)
def test_what_is_not_seen(what: object, stuck: set[str], orders: str) -> None:
    """Two blocks of a cooperative launch, at device scope; fences of the block are too small."""
    assert callable(what)
    answer = search(what(*COLUMNS[orders]), cooperative=True)
    assert (answer.found is not None) is (orders in stuck)
    assert not answer.cut


# ---------------------------------------------------------------- what always gets on


def locked(acquire: Iterable[Stmt], release: Iterable[Stmt], threads: int) -> Program:
    body = (*acquire, Load("v", "x", None), Store("x", ("+", "v", 1), None), *release)
    return program(*[body] * threads)


def exchange_lock(threads: int, load: str, store: str, rmw: str) -> Program:
    return locked([Loop((Rmw("o", "l", "exchange", 1, load),), ("==", "o", 1))], [Store("l", 0, store)], threads)


def cas_lock(threads: int, load: str, store: str, rmw: str, weak: bool = False) -> Program:
    one = Cas("e", "l", 0, 1, load, success="ok", weak=weak)
    return locked([Loop((one,), ("==", "ok", 0))], [Store("l", 0, store)], threads)


def weak_cas_lock(threads: int, load: str, store: str, rmw: str) -> Program:
    return cas_lock(threads, load, store, rmw, weak=True)


def test_and_test_and_set(threads: int, load: str, store: str, rmw: str) -> Program:
    turn = (poll("l", "relaxed", ("==", "p", 1)), Rmw("o", "l", "exchange", 1, load))
    return locked([Loop(turn, ("==", "o", 1))], [Store("l", 0, store)], threads)


def ticket_lock(threads: int, load: str, store: str, rmw: str) -> Program:
    take = (Rmw("t", "next", "+", 1), poll("serving", load, ("!=", "p", "t")))
    body = (*take, Store("x", 1, None), Store("serving", ("+", "p", 1), store))
    return program(*[body] * threads)


def cas_retries(threads: int, load: str, store: str, rmw: str) -> Program:
    """Each adds one, and tries again with the value that it has found."""
    retry = (Cas("v", "x", "v", ("+", "v", 1), rmw, success="ok"),)
    return program(*[(Load("v", "x", load), Loop(retry, ("==", "ok", 0)))] * threads)


LOCKS = (exchange_lock, cas_lock, weak_cas_lock, test_and_test_and_set, ticket_lock, cas_retries)
test_and_test_and_set.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("orders", [HANDED_ON, RELAXED], ids=["acquire and release", "relaxed"])
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.sampled(6)
def test_locks(lock: object, threads: int, orders: tuple[str, str, str]) -> None:
    assert callable(lock)
    for answer in (search(lock(threads, *orders), cooperative=True), search(lock(threads, *orders), "obe")):
        assert (answer.found, answer.cut) == (None, False)


def test_a_lock_that_is_not_released() -> None:
    """The opposite: who comes second turns for ever, and the lock is found taken."""
    answer = search(locked([Loop((Rmw("o", "l", "exchange", 1),), ("==", "o", 1))], [], 2), cooperative=True)
    assert answer.found is not None
    assert sorted(answer.found.threads) == ["ended", "turning"]
    assert answer.found.memory["l"] == 1


@pytest.mark.parametrize("order", ["seq_cst", "relaxed"])
def test_peterson(order: str) -> None:
    def body(own: str, other: str, turn: int) -> Body:
        wait = Loop((Load("a", other, order), Load("b", "turn", order)), ("&&", "a", ("==", "b", turn)))
        return (Store(own, 1, order), Store("turn", turn, order), wait, Store("x", turn, None), Store(own, 0, order))

    answer = search(program(body("f", "g", 1), body("g", "f", 0)), cooperative=True)
    assert (answer.found, answer.cut) == (None, False)


@pytest.mark.parametrize(
    ("rounds", "orders", "stuck"), [(2, HANDED_ON, False), (2, RELAXED, True), (1, RELAXED, False)]
)
def test_a_barrier_with_sense_reversal(rounds: int, orders: tuple[str, str, str], stuck: bool) -> None:
    """Relaxed, an arrival of the second round may come before the counter is set back, and is lost."""
    load, store, rmw = orders
    body: Body = ()
    for n in range(rounds):
        sense = (n + 1) % 2
        last = (Store("count", 0), Store("sense", sense, store))
        wait = poll("sense", load, ("!=", "p", sense))
        body += (Rmw("c", "count", "+", 1, rmw), If(("==", "c", 1), last, (wait,)))
    answer = search(program(body, body), cooperative=True)
    assert (answer.found is not None) is stuck
    assert not answer.cut


# ---------------------------------------------------------------- what a period is

SENT = (Store("x", 1),)
#: A thread that is told x = 1; whether it goes round for ever after that.
PERIODS: dict[str, tuple[Body, bool]] = {
    "until it is there": ((poll("x"),), False),
    "for something else": ((poll("x", again=("!=", "p", 2)),), True),
    "as long as it is there": ((poll("x"), poll("x", again=("==", "p", 1))), True),
    "so many turns": ((Let("n", 0), Loop((Load("p", "x"), Let("n", ("+", "n", 1))), ("<", "n", 3))), False),
    "a counter that decides nothing": (
        (Let("n", 0), Loop((Load("p", "y"), Let("n", ("+", "n", 1))), ("==", "p", 0)), Store("z", "n")),
        True,
    ),
    "two turns": (
        (Let("n", 0), Loop((Let("n", ("-", 1, "n")), If("n", (Load("p", "y"),), (Load("p", "z"),))), ("==", "p", 0))),
        True,
    ),
    "two turns, one of which ends it": (
        (Let("n", 0), Loop((Let("n", ("-", 1, "n")), If("n", (Load("p", "y"),), (Load("p", "x"),))), ("==", "p", 0))),
        False,
    ),
    "a read-modify-write that adds nothing": ((Loop((Rmw("p", "y", "+", 0),), ("==", "p", 0)),), True),
    "an exchange that changes something": ((Loop((Rmw("p", "y", "exchange", 1),), ("==", "p", 0)),), False),
    "a compare-exchange that fails": ((Loop((Cas("e", "y", 1, 2, success="ok"),), ("==", "ok", 0)),), True),
    "a weak one that would succeed": ((Loop((Cas("e", "y", 0, 2, success="ok", weak=True),), ("==", "ok", 0)),), False),
    "a weak one that fails": ((Loop((Cas("e", "x", 2, 3, success="ok", weak=True),), ("==", "ok", 0)),), True),
    "a store of the same value": ((Loop((Store("z", 1), Load("p", "y")), ("==", "p", 0)),), True),
    "a loop in a loop": ((Loop((poll("x"), Load("q", "y")), ("==", "q", 0)),), True),
    "an inner loop that stays": ((Loop((poll("y"), Load("q", "x")), ("==", "q", 0)),), True),
}


@pytest.mark.parametrize("name", PERIODS)
def test_periods(name: str) -> None:
    body, stuck = PERIODS[name]
    answer = search(program(SENT, body), "fair")
    assert (answer.found is not None) is stuck
    if answer.found is not None:
        assert answer.found.threads == ("ended", "turning")


def test_a_turn_that_changes_memory_is_cut() -> None:
    """What is added is taken back: no period, and no answer."""
    body = (Loop((Rmw("p", "y", "+", 1), Rmw("q", "y", "-", 1), Load("r", "x")), ("==", "r", 0)),)
    answer = search(program(body), "fair")
    assert (answer.found, answer.cut) == (None, True)


def test_a_counter_that_decides_does_not_recur() -> None:
    body = (Let("n", 0), Loop((Load("p", "x"), Let("n", ("+", "n", 1))), ("!=", "p", "n")))
    answer = search(program(body, (Store("x", 0),)), "fair")
    assert (answer.found, answer.cut) == (None, True)


# ---------------------------------------------------------------- who is owed what

#: Under which progress models a stuck execution is found; `block` is `cuda` in one block, `grid` in a cooperative launch.
MODELS = {*PROGRESS, "block", "grid"}
OWED: dict[str, tuple[Program, set[str]]] = {
    # Before the lock is released its holder need not be the one with the lowest number.
    "a lock": (program(*[(Loop((Rmw("o", "l", "exchange", 1),), ("==", "o", 1)), Store("l", 0))] * 2), {"hsa", "none"}),
    "the first waits for the second": (
        program((poll("x"),), (Store("x", 1),)),
        {"cuda", "cuda-in-order", "obe", "hsa", "hsa-obe", "lobe", "none"},
    ),
    "the second waits for the first": (program((Store("x", 1),), (poll("x"),)), {"cuda", "obe", "none"}),
    "each tells the other": (
        program((Store("x", 1), poll("y")), (Store("y", 1), poll("x"))),
        {"cuda", "cuda-in-order", "obe", "hsa", "hsa-obe", "lobe", "none"},
    ),
    "nobody waits": (program((Store("x", 1),), (Load("r", "x"),)), set()),
    "nobody comes": (program((poll("x"),)), MODELS),
    # A plain poll does not count: it frees the other thread of its promise.
    "a silent poll": (program((Store("x", 1),), (poll("x", None),)), MODELS),
    "a silent poll beside an atomic one": (
        program((Loop((Load("p", "x", None), Load("q", "y")), ("==", "p", 0)),), (Store("x", 1),)),
        {"cuda", "cuda-in-order", "obe", "hsa", "hsa-obe", "lobe", "none"},
    ),
}


@pytest.mark.parametrize("model", sorted(MODELS))
@pytest.mark.parametrize("name", OWED)
def test_progress_models(name: str, model: str) -> None:
    asked, stuck = OWED[name]
    if model == "block":
        answer = search(Program(tuple(Thread("a", t.body) for t in asked.threads), asked.locations))
    elif model == "grid":
        answer = search(asked, cooperative=True)
    else:
        answer = search(asked, model)
    assert (answer.found is not None) is (model in stuck)
