"""Effects of operations on registers and memory: every kind of operation has a row."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from scopec.base.source import Source
from scopec.program import ir
from scopec.program.effects import Effects, effects, map_values, overwritten, uses_and_definitions, written
from scopec.program.types import INT
from scopec.program.values import Binary, Const, Reg

SPAN = Source("x.cu", "x").span(0, 1)
A, B, C, OLD = (Reg(name, INT) for name in ("a", "b", "c", "old"))
PLACE = ir.Place("x", A)
RELAXED = ir.Mode(ir.Order.RELAXED, ir.Scope.DEVICE)
MORE = Binary("+", OLD, B, INT)
WAITS = Effects(waits=True)
#: An operation, what it does to memory and threads, the registers that it overwrites, and those that it reads.
ROWS: list[tuple[ir.Operation, Effects, str, str]] = [
    (ir.Set("a", Binary("+", A, B, INT)), Effects(), "a", "a b"),
    (ir.Load("old", PLACE, RELAXED), Effects(reads=True), "old", "a"),
    (ir.Store(PLACE, B, RELAXED), Effects(writes=True), "", "a b"),
    (ir.Rmw("old", PLACE, MORE, RELAXED), Effects(finds=True, reads=True, writes=True), "old", "a b"),
    (ir.Rmw("a", PLACE, Binary("+", A, B, INT), RELAXED), Effects(finds=True, reads=True, writes=True), "a", "a b"),
    (ir.CompareExchange("old", "ok", PLACE, OLD, B, RELAXED, ir.Order.RELAXED, False), Effects(reads=True, writes=True), "old ok", "a b old"),
    (ir.Await("old", PLACE, MORE, RELAXED), Effects(finds=True, reads=True, waits=True), "old", "a b"),
    (ir.Await("old", PLACE, OLD, RELAXED, MORE), Effects(finds=True, reads=True, writes=True, waits=True), "old", "a b"),
    (ir.BarrierInit(PLACE, B), Effects(writes=True), "", "a b"),
    (ir.BarrierArrive("old", PLACE, B, RELAXED), Effects(reads=True, writes=True), "old", "a b"),
    (ir.BarrierArrive("old", PLACE, MORE, RELAXED, True), Effects(reads=True, writes=True), "old", "a b old"),
    (ir.BarrierWait("old", PLACE, MORE, RELAXED), Effects(finds=True, reads=True, waits=True), "old", "a b"),
    (ir.BarrierTest("old", PLACE, MORE, RELAXED), Effects(finds=True, reads=True), "old", "a b"),
    (ir.BarrierInit(PLACE, B, "c"), Effects(reads=True, writes=True), "c", "a b"),
    (ir.BarrierExpect(PLACE, B, RELAXED, "c"), Effects(reads=True, writes=True), "c", "a b"),
    (ir.AtBarrier(A, B), Effects(), "", "a b"),
    (ir.InitFence(), Effects(), "", ""),
    (ir.TensorFence(before=True), Effects(), "", ""),
    (ir.Notify(PLACE, True), Effects(), "", "a"),
    (ir.Fence(ir.Order.SEQ_CST, ir.Scope.DEVICE), Effects(), "", ""),
    (ir.Agent(True), Effects(), "", ""),
    (ir.CommitCopies(), Effects(), "", ""),
    (ir.AwaitCopies(A), Effects(), "", "a"),
    (ir.ProxyFence(ir.Proxy.SURFACE), Effects(), "", ""),
    (ir.Decide("a"), Effects(), "a", ""),
    (ir.Operand(0, 1), Effects(), "", ""),
    (ir.Called(True), Effects(), "", ""),
    (ir.SyncThreads(), WAITS, "", ""),
    (ir.SyncThreads(ir.Vote("a", "count", B)), Effects(waits=True), "a", "b"),
    (ir.GroupSync(ir.Group.GRID), WAITS, "", ""),
    (ir.NamedBarrier((A, B), C, True), WAITS, "", "a b c"),
    (ir.NamedBarrier((A,), None, False), Effects(), "", "a"),
    (ir.NamedBarrier((A,), B, True, ir.Vote("a", "count", C)), WAITS, "a", "a b c"),
    (ir.Yield(), Effects(), "", ""),
    (ir.InputOutput(), Effects(), "", ""),
    (ir.SideEffect(), Effects(), "", ""),
    (ir.Lifetime("p", ("p",), begins=False), Effects(), "", ""),
    (ir.Assert(A, "a"), Effects(), "", "a"),
    (ir.EndProcess(), Effects(), "", ""),
    (ir.Trap(), Effects(), "", ""),
    (ir.CreateThread("t"), Effects(), "", ""),
    (ir.JoinThread("t"), WAITS, "", ""),
    (ir.LaunchGrid("k"), Effects(), "", ""),
    (ir.ApiCall("cudaStreamCreate"), Effects(), "", ""),
    (ir.DeviceSynchronize(), WAITS, "", ""),
    (ir.StreamQuery("a", "s"), Effects(), "a", ""),
    (ir.StreamSynchronize("s"), WAITS, "", ""),
    (ir.EventRecord("e", "s"), Effects(), "", ""),
    (ir.EventWait("e", "s"), Effects(), "", ""),
    (ir.EventSynchronize("e"), WAITS, "", ""),
    (ir.WorkSynchronize("copy"), WAITS, "", ""),
    (ir.AwaitGrid("first"), WAITS, "", ""),
    (ir.TriggerDependents(), Effects(), "", ""),
    (ir.EventQuery("a", "e"), Effects(), "a", ""),
    (ir.LaunchSynchronize("e", "k", ir.Fires.BEGUN), WAITS, "", ""),
    (ir.LaunchQuery("a", "e", "k", ir.Fires.BEGUN), Effects(), "a", ""),
]  # fmt: skip


#: What others could notice of operations; of all others that they change something.
TRACES = {
    "none": {"Set", "Decide", "Operand", "Called", "Yield", "AtBarrier"},
    "read": {"Load"},
    "order": {"Fence", "ProxyFence", "InitFence", "TensorFence", "Lifetime"},
    "failure": {"Assert"},
    "outside": {"InputOutput", "SideEffect"},
    "trap": {"Trap"},
    "question": {
        "StreamQuery", "EventQuery", "JoinThread", "DeviceSynchronize", "StreamSynchronize", "EventSynchronize",
        "WorkSynchronize", "AwaitGrid", "LaunchSynchronize", "LaunchQuery",
    },
    "first time": {"ApiCall", "EndProcess", "LaunchGrid", "CreateThread"},
}  # fmt: skip


@pytest.mark.parametrize("operation", [row[0] for row in ROWS], ids=lambda v: type(v).__name__)
def test_what_others_could_notice(operation: ir.Operation) -> None:
    kind = type(operation).__name__
    assert effects(operation).trace == next((trace for trace, kinds in TRACES.items() if kind in kinds), "change")


@pytest.mark.parametrize(("operation", "done", "defined", "used"), ROWS, ids=lambda v: type(v).__name__)
def test_an_operation(operation: ir.Operation, done: Effects, defined: str, used: str) -> None:
    node = ir.Do(operation, SPAN, 1)
    assert replace(effects(operation), changes=False, counts="always", order=None, trace="change") == done
    assert uses_and_definitions(node) == (set(used.split()), set(defined.split()))
    assert written(node) == (PLACE if done.writes else None)
    assert overwritten(operation) == defined.split()
    assert map_values(node, lambda value: value) == node
    constant = map_values(node, lambda _: Const(7, INT))
    assert uses_and_definitions(constant) == (set(), set(defined.split()))
    assert (constant == node) == (not used)


def test_every_kind_of_operation_has_a_row() -> None:
    assert {type(operation) for operation, _, _, _ in ROWS} == set(get_args(ir.Operation))
