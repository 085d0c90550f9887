"""Atomics and fences in words: their orders, and whom their scopes include in a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.lsp.wire import Noted, Place
from scopec.memory.cat.registry import load
from scopec.memory.given.relations import RELATIONS
from scopec.program import ir
from scopec.program.ir import Order, Scope
from scopec.program.show import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.session.inquiry.run import Run

_FENCES = {
    Order.ACQUIRE: "what follows it comes after what was released to an atomic read before it",
    Order.RELEASE: "what precedes it comes before what acquires from an atomic write after it",
    Order.ACQ_REL: "a release of what precedes it by the atomic writes after it, and an acquire by the reads before it",
    Order.SEQ_CST: "an acquire and a release, in one total order with the other seq_cst operations",
}
_ATOMICS = {
    Order.ACQUIRE: "what follows it comes after what precedes the release that it reads from",
    Order.RELEASE: "what precedes it comes before what follows an acquire that reads from it",
    Order.ACQ_REL: "an acquire of what it reads from, and a release to who reads from it",
    Order.SEQ_CST: "an acquire where it reads, a release where it writes, in one total order of the seq_cst operations",
    Order.RELAXED: "atomic, and it orders nothing else",
}


def scopes(run: Run) -> Iterator[Noted]:
    """What is to be said of each atomic operation and fence of a run, once for each launch it is in."""
    program = run.program
    places = [(grid.body, grid) for grid in program.grids.values()]
    hosts = [(thread.body, None) for thread in (program.host, *program.others) if thread.is_host]
    rule = _rule(run)
    told = set()
    for body, grid in (*places, *hosts):
        for node in body.nodes.values():
            text = _text(node.operation, grid, rule) if isinstance(node, ir.Do) else None
            if text is not None and (note := Noted(Place.of(node.span), text)) not in told:
                told.add(note)
                yield note


def _rule(run: Run) -> str:
    """What scopes have to include, in the words of the document that the model is of."""
    if "incl" in load(run.model, run.readings).mentioned:
        return f"To synchronise, {RELATIONS['incl'].means}. {RELATIONS['incl'].source}"
    return f"`{run.model.name}` has its own rule of scopes, or none: `scopec models {run.model.name}`"


def _text(operation: ir.Operation, grid: ir.Grid | None, rule: str) -> str | None:
    """What is to be said of an operation, if anything is."""
    if isinstance(operation, ir.SyncThreads) and grid is not None:
        threads = _many(grid.threads.count, "thread")
        return f"A barrier of the {threads} of a block: what one did before it comes before what another does after it."
    said = _said(operation)
    if said is None:
        return None
    order, scope, text = said
    what = f"`{words(operation)[1]}`: {text}."
    orders_nothing = order is Order.RELAXED and not isinstance(operation, ir.Fence)
    return "\n\n".join((what, _included(scope, grid), *(() if orders_nothing else (rule,))))


def _said(operation: ir.Operation) -> tuple[Order, Scope, str] | None:
    """The order, the scope and what the order does, of an operation that has them."""
    match operation:
        case ir.Fence(order, scope):
            return order, scope, _FENCES.get(order, "it orders nothing")
        case ir.Load(mode=mode) | ir.Store(mode=mode) | ir.Rmw(mode=mode) | ir.CompareExchange(mode=mode):
            return None if mode.order is None else (mode.order, mode.scope, _ATOMICS[mode.order])
        case _:
            return None


def _included(scope: Scope, grid: ir.Grid | None) -> str:
    """The threads that a scope includes."""
    name = f"{scope.name.capitalize()} scope"
    if grid is None:
        alone = scope is not Scope.SYSTEM
        return f"{name} of a host thread includes " + ("that thread alone." if alone else "every thread.")
    threads, blocks = grid.threads.count, grid.blocks.count
    others = f"{_many(blocks - 1, 'other block')}, other launches and the host are left out"
    match scope:
        case Scope.THREAD:
            return f"{name} includes the thread itself alone."
        case Scope.BLOCK:
            text = f"{_many(threads, 'thread')} of its own block of `{grid.name}`; {others}"
        case Scope.CLUSTER:
            size = 1 if grid.cluster is None else grid.cluster.count
            text = f"{_many(size * threads, 'thread')} of its own cluster of {_many(size, 'block')}; "
            text += f"{_many(blocks - size, 'other block')}, other launches and the host are left out"
        case Scope.DEVICE:
            text = f"{_many(blocks * threads, 'thread')} of `{grid.name}` and those of other launches on its device; "
            text += "the host and other devices are left out"
        case Scope.SYSTEM:
            text = "every thread, of all devices and of the host"
    return f"{name} includes {text}."


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
