"""Events and state changes of each operation of a thread on a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import replace
from scopec.memory.events.events import Assertion, Cut, Kind, Wait
from scopec.memory.events.scopes import contains
from scopec.memory.unfold import copies, existence, phases, sequencing, spin_loops, warp_collectives
from scopec.memory.unfold.accesses import Accesses, TooComplexError
from scopec.memory.unfold.unfolding import State, defined
from scopec.program import ir, types, values
from scopec.program.collective import (
    Barrier,
    Passage,
    barrier_of,
    how_many,
    same_name,
    scope_of,
)
from scopec.program.names import identifier
from scopec.program.observe import Location
from scopec.program.show import show_proxy_fence, show_tensor_fence, shown_barrier, shown_call, shown_lifetime
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Span
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.loops.loops import Loop


NOT_READY = 600
_LARGEST_VALUE = 100_000
_PHASE = "%phase "


class Operations(Accesses):
    """Operations as the events that they are.

    ``inside`` are the loops around the one that is being performed, outermost first; ``retrying`` the heads of those
    that retry a weak compare-exchange; ``trying`` says whether a loop is gone round to see whether it ends by itself.
    """

    def __init__(self, out: Unfolding, thread: ir.Thread, observed: frozenset[str]) -> None:
        super().__init__(out, thread, observed)
        self.inside: list[Loop] = []
        self.retrying: set[int] = set()
        self.trying = False

    def start(self, guard: Guard) -> State:
        """The state in which the thread begins, where ``guard`` holds."""
        body = self.thread.body
        undefined = {defined(register): values.FALSE for register in self.observed}
        phases = {phase_of(barrier): Const(0, types.INT) for barrier in collective(self.thread)}
        return State(guard, {**phases, **undefined, **copies.counters(body)}, frozenset())

    def perform(self, state: State, operation: ir.Operation, span: Span) -> State:
        """The state after an operation, its events added."""
        match operation:
            case ir.Set(target, value):
                computed = self.value(state, value, span)
                if self.trying and values.size(computed) > _LARGEST_VALUE:
                    raise TooComplexError(span, "this value depends on too many reads")
                return self.set(state, target, self.out.guards.names.short(computed))
            case ir.Load(target, place, mode):
                (read,) = self.at_each(state, place, span, lambda here, at: self.load(here, at, mode, span))
                return self.set(state, target, read)
            case ir.Store(place, value, mode):
                stored = self.value(state, value, span)
                self.at_each(state, place, span, lambda here, at: self.store(here, at, stored, mode, span))
                return state
            case ir.Rmw(place=place):
                (old,) = self.at_each(state, place, span, lambda here, at: self.update(here, at, operation, span))
                return self.set(state, operation.target, old)
            case ir.CompareExchange():
                return self.compare_exchange(state, operation, span)
            case ir.Fence(order, scope):
                fence = self.blank(state, Kind.FENCE, span, f"fence.{order.value}.{scope.name.lower()}")
                self.event(state, replace(fence, order=order, scope=scope))
                return state
            case ir.InitFence():
                self.event(state, self.blank(state, Kind.INIT_FENCE, span, "fence.mbarrier_init"))
                return state
            case ir.TensorFence(before):
                kind = Kind.TENSOR_BEFORE if before else Kind.TENSOR_AFTER
                self.event(state, self.blank(state, kind, span, show_tensor_fence(operation)))
                return state
            case ir.ProxyFence(proxy, space):
                fence = self.blank(state, Kind.PROXY_FENCE, span, show_proxy_fence(operation))
                self.event(state, replace(fence, proxy=proxy, space=space))
                return state
            case ir.Agent() | ir.CommitCopies() | ir.AwaitCopies():
                return copies.perform(self, state, operation, span)
            case ir.AtBarrier():
                phases.note(self, state, operation, span)
                return state
            case ir.Await():
                return self.wait(state, operation, span)
            case ir.SyncThreads() | ir.GroupSync():
                return self.collective_barrier(state, operation, span)
            case ir.NamedBarrier():
                return self.named_barrier(state, operation, span)
            case ir.Assert(condition, text, implicit):
                value = self.value(state, condition, span)
                if implicit:
                    return self.required(state, value, text, span)
                self.asserted(state, value, text, span)
                return state
            case ir.Decide(target, of=(truth,)):
                return self.set(state, target, self.value(state, truth, span))
            case ir.Decide(target):
                stem = f"{identifier(self.thread.name)}_L{span.line}_D"
                number = sum(choice.of.startswith(stem) for choice in self.out.choices.values())
                return self.set(state, target, self.out.choose(f"{stem}{number + 1}", "either"))
            case ir.StreamQuery(target) | ir.EventQuery(target) | ir.LaunchQuery(target):
                call = self.call(state, operation, span)
                return self.set(state, target, self.out.choose(call, "result", types.INT, (0, NOT_READY)))
            case ir.Operand():
                return sequencing.evaluate(self.out, state, operation)
            case ir.Called(begins):
                return replace(state, called=begins)
            case ir.ApiCall(_, objects):
                if objects:
                    self.call(state, operation, span)
                return state
            case _ if isinstance(operation, ir.Call):
                self.call(state, operation, span)
                return state
            case ir.Lifetime():
                return self.lifetime(state, operation, span)
            case ir.Silent() | ir.Notify():
                return state
            case _ if isinstance(operation, ir.BarrierOperation):
                raise AssertionError("barriers are numbers in memory here")

    def lifetime(self, state: State, operation: ir.Lifetime, span: Span) -> State:
        """Write that objects are there, or are no more, where somebody has to be told (:mod:`existence`)."""
        written = existence.written(self.out.program, operation, self.thread)
        if written is not None:
            self.store(state, *written, ir.PLAIN, span)
            self.out.events[-1] = replace(self.out.events[-1], text=shown_lifetime(operation))
        return state

    def asserted(self, state: State, value: Value, text: str, span: Span, *, implicit: bool = False) -> None:
        """Note an assertion."""
        position = len(self.out.events)
        self.out.assertions.append(Assertion(text, span, self.thread.name, state.guard, value, position, implicit))

    def required(self, state: State, value: Value, text: str, span: Span) -> State:
        """Note an implicit assertion, unless it is known to hold; the thread is followed where it does."""
        if (self.thread.name, span, text) in self.out.safe:
            return state
        holds = self.where(state, value, side=True)
        fails = state.guard & ~holds.guard
        if fails.never:
            return state
        self.asserted(state, value, text, span, implicit=True)
        self.out.cuts.append(Cut(self.thread.name, span, fails, True, len(self.out.events), fault=True))
        return holds

    def call(self, state: State, operation: ir.Call, span: Span) -> str:
        """Add the event of a call that orders threads; returns its name."""
        event = self.event(state, self.blank(state, Kind.CALL, span, shown_call(operation)))
        self.out.calls[event.id] = operation
        return event.id

    def load(self, state: State, location: Location, mode: ir.Mode, span: Span) -> tuple[Value, ...]:
        """Read a location, alone."""
        known = None if mode.atomic or mode.volatile else self.out.constant(location, self.thread)
        if known is not None:
            return (known,)
        read = self.read(state, location, mode, span)
        self.out.events[-1] = replace(self.out.events[-1], load_or_store=True)
        return (read,)

    def store(self, state: State, location: Location, value: Value, mode: ir.Mode, span: Span) -> tuple[Value, ...]:
        """Write a location, alone."""
        self.write(state, location, value, mode, span)
        self.out.events[-1] = replace(self.out.events[-1], load_or_store=True)
        return ()

    def update(self, state: State, location: Location, operation: ir.Rmw, span: Span) -> tuple[Value, ...]:
        """Read and write a location, as one."""
        old = self.read(state, location, operation.mode, span)
        self.out.events[-1] = replace(self.out.events[-1], reduction=operation.reduction)
        new = self.value(self.set(state, operation.target, old), operation.new, span)
        self.pair(old.name, self.write(state, location, new, operation.mode, span))
        return (old,)

    def compare_exchange(self, state: State, operation: ir.CompareExchange, span: Span) -> State:
        """A successful one is an RMW; a failed one is the read alone, with the failure order."""
        expected = self.value(state, operation.expected, span)
        desired = self.value(state, operation.desired, span)

        def attempt(here: State, at: Location) -> tuple[Value, ...]:
            return self.attempt_exchange(here, at, operation, expected, desired, span)

        old, equal, *spurious = self.at_each(state, operation.place, span, attempt)
        if spurious:
            state = self.set(state, spin_loops.spurious_failure(self.inside[-1]), spurious[0])
        return self.set(self.set(state, operation.target, old), operation.succeeded, equal)

    def attempt_exchange(
        self,
        state: State,
        location: Location,
        operation: ir.CompareExchange,
        expected: Value,
        desired: Value,
        span: Span,
    ) -> tuple[Value, ...]:
        """Returns what was read, whether it succeeded, in a retry loop also whether it ever failed without a reason."""
        spurious: list[Value] = []
        old = self.read(state, location, operation.mode, span)
        equal = values.binary("==", old, expected)
        if operation.weak:
            equal, *spurious = self.may_fail(state, old, equal)
        if isinstance(equal, Const):
            guard = state.guard if equal.value else self.out.guards.never
        else:
            guard = state.guard & self.out.guards.literal(*self.out.condition(equal))
        read = self.out.events[-1]
        if read.order is not operation.failure:
            self.out.events[-1] = replace(read, success=guard, failure=operation.failure)
        if not guard.never:
            control = state.control | self.out.events_of(equal)
            success = replace(state, guard=guard, control=control)
            self.pair(old.name, self.write(success, location, desired, operation.mode, span))
        return old, equal, *spurious

    def may_fail(self, state: State, old: Reg, equal: Value) -> tuple[Value, ...]:
        """A weak compare-exchange may fail although the values are equal: in a retry loop only once."""
        choice = self.out.choose(old.name, "weak")
        if not self.inside or self.inside[-1].head not in self.retrying:
            return (values.binary("&&", equal, choice),)
        before = state.registers[spin_loops.spurious_failure(self.inside[-1])]
        failed = values.binary("&&", equal, values.unary("!", choice))
        succeeds = values.binary("&&", equal, values.binary("||", before, choice))
        return succeeds, values.binary("||", before, failed)

    def wait(self, state: State, operation: ir.Await, span: Span) -> State:
        """Block until a condition holds: a wait loop, of which one failed turn and the last one are kept.

        A failed turn of a wait on a synchronisation object cannot be observed, and if every thread that uses the object
        is in its scope it cannot race alone: it is left out then.  Where one is not, the last turn may read a write of
        its own scope that comes after one beyond it, with which only the failed turn races.
        """
        location = self.location(state, operation.place, span)
        before, begin = state.guard, len(self.out.events)
        if not self.shared_in_scope(location.object, operation.mode.scope):
            failed, met = self.turn(state, operation, location, span)
            last, met_at_last = self.turn(replace(state, guard=before & ~met), operation, location, span)
            value = values.choose(met.where(before).value(self.out.conditions), failed, last)
            met = met | met_at_last
        else:
            value, met = self.turn(state, operation, location, span)
        self.out.cuts.append(Cut(self.thread.name, span, before & ~met, True, len(self.out.events)))
        self.waited(span, before, before & met, begin)
        return self.set(replace(state, guard=before & met), operation.target, value)

    def waited(self, span: Span, reached: Guard, passed: Guard, begin: int, again: Guard | None = None) -> None:
        """Note a wait, unless its text has no way on."""
        if not passed.never:
            end = len(self.out.events)
            self.out.waits.append(Wait(self.thread.name, span, reached, passed, begin, end, again=again))

    def shared_in_scope(self, name: str, scope: ir.Scope) -> bool:
        """Whether an object is one for synchronisation, and all threads that use it are in one scope."""
        if self.out.program.objects[name].use is ir.Use.DATA:
            return False
        users = self.out.users[name]
        # From the second version on, a device scope ends at a memory synchronization domain.
        return all(contains(scope, one, other, version=2) for one in users for other in users)

    def turn(self, state: State, operation: ir.Await, location: Location, span: Span) -> tuple[Reg, Guard]:
        """One read of what a thread waits for, and the store if the condition is met; returns where it is."""
        read = self.read(state, location, operation.mode, span)
        found = self.set(state, operation.target, read)
        condition = self.value(found, operation.condition, span)
        if isinstance(condition, Const):
            met = state.guard if condition.value else self.out.guards.never
        else:
            met = state.guard & self.out.guards.literal(*self.out.condition(condition))
        if operation.new is not None and not met.never:
            new = self.value(found, operation.new, span)
            self.pair(read.name, self.write(replace(state, guard=met), location, new, operation.mode, span))
        return read, met

    def collective_barrier(self, state: State, operation: ir.SyncThreads | ir.GroupSync, span: Span) -> State:
        """Arrive at a collective barrier and leave it."""
        barrier = barrier_of(self.thread, operation)
        phase = state.registers[phase_of(barrier)]
        match operation:
            case ir.GroupSync(exchange=exchange):
                pass
            case ir.SyncThreads(vote):
                exchange = None if vote is None else warp_collectives.of_vote(vote, self.block())
        brings = exchange is not None and not exchange.nothing
        brought = self.value(state, exchange.value, span) if exchange is not None and brings else None
        shown = shown_barrier(operation)
        waits = isinstance(operation, ir.SyncThreads) or operation.waits
        kinds = [(Kind.ARRIVE, f"arrive at {shown}"), (Kind.WAIT, f"leave {shown}")]
        scope = None if barrier.exchange else scope_of(operation)
        passage = Passage(barrier, phase, brought=brought, at=operation.at)
        for kind, text in kinds if waits else kinds[:1]:
            event = self.event(state, self.blank(state, kind, span, text, scope))
            self.out.barriers[event.id] = passage
        state = self.set(state, phase_of(barrier), values.binary("+", phase, Const(1, types.INT)))
        return state if exchange is None else self.given(state, passage, exchange, span)

    def given(self, state: State, passage: Passage, exchange: ir.Exchange, span: Span) -> State:
        """Give a thread what those that it has met bring it."""
        met = warp_collectives.registers(self.out, passage, exchange)
        meeting = replace(state, registers={**state.registers, **met})
        found = [self.value(meeting, result, span) for result in exchange.results]
        for target, value in zip(exchange.targets, found, strict=True):
            state = self.set(state, target, self.out.guards.names.short(value))
        return state

    def named_barrier(self, state: State, operation: ir.NamedBarrier, span: Span) -> State:
        """The phase of an arrival is the number of the thread's arrivals at the same name before it."""
        name = tuple(self.value(state, part, span) for part in operation.name)
        count = None if operation.count is None else self.value(state, operation.count, span)
        if count is not None and not isinstance(count, Const):
            message = "the number of threads that a barrier waits for depends on a value that is read from memory"
            raise error(Code.NOT_CONSTANT, message, span, "the memory question needs a constant")
        if count is not None and count.value < 1:
            raise error(Code.BAD_ARGUMENTS, "a barrier waits for at least one thread", span, "write a larger count")
        barrier = Barrier(self.thread.block_name, named=True)
        earlier = []
        for event in self.out.events:
            if event.kind is Kind.ARRIVE and event.thread == self.thread.name:
                passage = self.out.barriers[event.id]
                if passage.barrier == barrier and not event.guard.excludes(state.guard):
                    path = event.guard.where(state.guard).value(self.out.conditions)
                    earlier.append(values.binary("&&", path, same_name(passage.name, name)))
        exchange = None if operation.vote is None else warp_collectives.of_vote(operation.vote, self.block())
        if exchange is not None and not all(isinstance(part, Const) for part in name):
            message = "which barrier threads vote at depends on a value that is read from memory"
            raise error(Code.NOT_CONSTANT, message, span, "the memory question needs a constant")
        brought = None if exchange is None else self.value(state, exchange.value, span)
        passage = Passage(barrier, how_many(earlier), name, None if count is None else count.value, brought=brought)
        passage = replace(passage, warps=operation.warps)
        shown = shown_barrier(operation)
        kinds = [(Kind.ARRIVE, f"arrive at {shown}"), (Kind.WAIT, f"leave {shown}")]
        for kind, text in kinds if operation.waits else kinds[:1]:
            event = self.event(state, replace(self.blank(state, kind, span, text), scope=ir.Scope.BLOCK))
            self.out.barriers[event.id] = passage
        return state if exchange is None else self.given(state, passage, exchange, span)

    def block(self) -> list[ir.Thread]:
        """The threads of the block."""
        return [t for t in self.out.program.threads if t.block_name == self.thread.block_name]


def collective(thread: ir.Thread) -> Iterator[Barrier]:
    """The collective barriers that a thread uses."""
    for node in thread.body.nodes.values():
        if isinstance(node, ir.Do) and isinstance(node.operation, (ir.SyncThreads, ir.GroupSync)):
            yield barrier_of(thread, node.operation)


def phase_of(barrier: Barrier) -> str:
    """The register that counts the phases of a collective barrier that a thread has passed."""
    return f"{_PHASE}{barrier.place} {barrier.lanes} {barrier.exchange}"
