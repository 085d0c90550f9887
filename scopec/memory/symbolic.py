"""Symbolic execution of one thread: its events, with loops unrolled and branches merged where they meet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.expectations import Location, instance
from scopec.memory import turns
from scopec.memory.collected import Collected, State, defined, merge
from scopec.memory.collective import (
    Barrier,
    Passage,
    barrier_of,
    how_many,
    same_name,
    scope_of,
    shown_barrier,
    shown_call,
)
from scopec.memory.events import Assertion, Cut, Event, Index, Kind, shown_location
from scopec.program import ir, types, values
from scopec.program.loops import Element, Loop, live_registers, weak_topological_order
from scopec.program.names import identifier
from scopec.program.show import show_mode
from scopec.program.values import Builtin, Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scopec.memory.guards import Guard
    from scopec.source import Span

MOST_EVENTS = 400
NOT_READY = 600
_LONGEST_COUNTED_LOOP = 64
_LARGEST_VALUE = 2000
_PHASE = "%phase "


class _TooComplexError(Exception):
    """A value or the graph has grown beyond what is worth writing down; carries the span and a message."""


def execute(out: Collected, thread: ir.Thread, guard: Guard, unroll: int, observed: frozenset[str]) -> None:
    """Add to ``out`` what a thread does where ``guard`` holds.

    Loops end by themselves, or are unrolled ``unroll`` times, or wait (see :meth:`_ThreadRun.only_waits`).
    """
    try:
        _ThreadRun(out, thread, unroll, observed).run(guard)
    except _TooComplexError as failure:
        span, message = failure.args
        raise error(Code.TOO_LARGE, message, span) from None


class _ThreadRun:
    def __init__(self, out: Collected, thread: ir.Thread, unroll: int, observed: frozenset[str]) -> None:
        self.out = out
        self.thread = thread
        self.body = thread.body
        self.unroll = unroll
        self.observed = observed
        self.live = live_registers(self.body, observed)
        self.pending: dict[int, list[State]] = {}
        self.barred: set[int] = set()
        self.trying = False
        self.inside: list[Loop] = []
        self.retrying: set[int] = set()

    def run(self, guard: Guard) -> None:
        undefined = {defined(register): values.FALSE for register in self.observed}
        phases = {phase_of(barrier): Const(0, types.INT) for barrier in self.collective()}
        start = State(guard, {**phases, **undefined}, frozenset())
        self.pending = {self.body.entry: [start]}
        self.elements(weak_topological_order(self.body))

    def collective(self) -> Iterator[Barrier]:
        """The collective barriers that the thread uses."""
        for node in self.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, (ir.SyncThreads, ir.GroupSync)):
                yield barrier_of(self.thread, node.operation)

    def elements(self, elements: Iterable[Element]) -> None:
        for element in elements:
            if isinstance(element, Loop):
                self.loop(element)
            else:
                self.node(element)

    # ---- loops

    def loop(self, loop: Loop) -> None:
        """Unroll a loop: whole if it ends by itself, once and a last time if it only waits, else to the bound.

        A retry loop (:func:`turns.retries`) is unrolled once more, for the one time that it may fail without a reason.
        """
        if loop.head in self.barred:
            return
        before, pending = self.out.mark(), {n: list(states) for n, states in self.pending.items()}
        outermost, self.trying = not self.trying, True
        self.inside.append(loop)
        self.retrying.discard(loop.head)
        turns_: tuple[int, bool] | None
        try:
            turns_ = self.attempt(loop)
        except _TooComplexError:
            if not outermost:  # the loop around this one is what makes it too large
                self.inside.pop()
                raise
            turns_ = self.unroll, False
        finally:
            self.trying = not outermost
        if turns_ is not None:
            bound, wait = turns_
            self.out.undo(before)
            self.pending = pending
            if loop.head in self.retrying:
                reset = {turns.spared(loop): values.FALSE}
                entering = self.pending[loop.head]
                self.pending[loop.head] = [replace(e, registers={**e.registers, **reset}) for e in entering]
            self.bounded(loop, bound + (loop.head in self.retrying), wait=wait)
        self.inside.pop()

    def attempt(self, loop: Loop) -> tuple[int, bool] | None:
        """Go round a loop until it ends by itself (None); else how many turns are needed, and whether it only waits.

        A loop that only waits needs one failed turn, and one that ends it, where that is whole: the flag of
        `while (!done)` is looked at after it.
        """
        for passes in range(_LONGEST_COUNTED_LOOP):
            if not self.pending.get(loop.head):
                self.out.unrolled = max(self.out.unrolled, passes - 1)
                return None
            entry, mark = self.merged(loop.head), len(self.out.events)
            self.once(loop)
            if passes == 0 and self.pending.get(loop.head):
                live, events, back = self.live[loop.head], self.out.events[mark:], self.merged(loop.head)
                if self.only_waits(entry, back, live, events):
                    return 1, True
                if self.only_waits(entry, self.staying(loop, back), live, events):
                    return 2, True
                if turns.retries(self.out, self.thread, entry, back, live, events):
                    self.retrying.add(loop.head)
                    return self.unroll, False
        return self.unroll, False

    def only_waits(self, entry: State, back: State, live: Iterable[str], events: Sequence[Event]) -> bool:
        """Whether a turn of a loop left everything as it was."""
        return turns.only_waits(self.out, entry, back, live, events)

    def staying(self, loop: Loop, back: State) -> State:
        """The state at the head of a loop on the paths that go round once more, as far as its condition tells."""
        head = self.body.nodes[loop.head]
        if not isinstance(head, ir.Branch) or (head.then in loop.nodes()) == (head.otherwise in loop.nodes()):
            return back
        stays = head.then in loop.nodes()
        condition = self.value(back, head.condition, head.span)
        known = {condition: stays, values.unary("!", condition): not stays}
        state = self.where(back, condition, side=stays)
        decided = {n: Const(int(known[held]), held.type) for n, held in state.registers.items() if held in known}
        return replace(state, registers={**state.registers, **decided})

    def bounded(self, loop: Loop, bound: int, *, wait: bool) -> None:
        """At most ``bound`` whole iterations, then a last one of which only the way out is executed."""
        for _ in range(bound):
            self.once(loop)
        self.out.unrolled = max(self.out.unrolled, bound)
        outer = self.barred
        self.barred = outer | (loop.nodes() - turns.leaving(self.body, loop))
        self.once(loop)
        for node in sorted((self.barred - outer) | {loop.head}):
            for state in self.pending.pop(node, []):
                self.out.cuts.append(Cut(self.thread.name, self.span_of(loop), state.guard, wait, len(self.out.events)))
        self.barred = outer

    def once(self, loop: Loop) -> None:
        self.node(loop.head)
        self.elements(loop.rest)

    def span_of(self, loop: Loop) -> Span:
        """A place to name a loop by: its first branch."""
        nodes = [self.body.nodes[number] for number in sorted(loop.nodes())]
        branches = [node for node in nodes if isinstance(node, ir.Branch)]
        return (branches or nodes)[0].span

    # ---- nodes

    def merged(self, node: int) -> State:
        return merge(self.pending[node], self.out.conditions)

    def go(self, node: int, state: State) -> None:
        if not state.guard.never:
            self.pending.setdefault(node, []).append(state)

    def node(self, number: int) -> None:
        if number in self.barred or not self.pending.get(number):
            return
        state = merge(self.pending.pop(number), self.out.conditions)
        match self.body.nodes[number]:
            case ir.Exit():
                self.out.ends.append((self.thread.name, state))
            case ir.Branch(condition, span, then, otherwise):
                self.branch(state, condition, span, then, otherwise)
            case ir.Do(operation, span, following):
                self.go(following, self.perform(state, operation, span))

    def branch(self, state: State, condition: Value, span: Span, then: int, otherwise: int) -> None:
        value = self.value(state, condition, span)
        if isinstance(value, Const):
            self.go(then if value.value else otherwise, state)
            return
        control = state.control | {leaf.name.partition("?")[0] for leaf in values.leaves(value)}
        for target, side in ((then, True), (otherwise, False)):
            self.go(target, replace(self.where(state, value, side=side), control=control))

    def where(self, state: State, value: Value, *, side: bool) -> State:
        """The state on the path where a condition holds, or where it does not."""
        if isinstance(value, Const):
            return state if bool(value.value) is side else replace(state, guard=self.out.guards.never)
        number, truth = self.condition(value)
        sign = truth is side
        known = self.out.conditions[number]
        registers = {name: values.assume(held, known, sign) for name, held in state.registers.items()}
        return replace(state, guard=state.guard & self.out.guards.literal(number, sign), registers=registers)

    def condition(self, value: Value) -> tuple[int, bool]:
        """The number of a condition, shared with its negation."""
        negated = values.unary("!", value)
        for number, known in enumerate(self.out.conditions):
            if known in (value, negated):
                return number, known == value
        self.out.conditions.append(value)
        return len(self.out.conditions) - 1, True

    def set(self, state: State, target: str, value: Value) -> State:
        registers = {**state.registers, target: value}
        if target in self.observed:
            registers[defined(target)] = values.TRUE
        return replace(state, registers=registers)

    def value(self, state: State, value: Value, span: Span) -> Value:
        """A value with the registers replaced by what they hold."""

        def leaf(reg: Reg | Builtin) -> Value:
            held = state.registers.get(reg.name)
            if held is None:
                raise error(Code.UNINITIALISED, f"`{reg.name}` is read before it has a value", span)
            return held

        return values.substitute(value, leaf)

    def event(self, state: State, event: Event) -> Event:
        """Add an event (its name is a stem)."""
        event = replace(event, id=self.out.name(event.id))
        self.out.events.append(event)
        self.out.control[event.id] = state.control
        if len(self.out.events) > MOST_EVENTS:
            raise _TooComplexError(event.span, f"more than {MOST_EVENTS} events when the loops are unrolled")
        return event

    def blank(self, state: State, kind: Kind, span: Span, text: str) -> Event:
        stem = f"{identifier(self.thread.name)}_L{span.line}_{kind.value}"
        return Event(stem, kind, self.thread.name, span, state.guard, text)

    def at_each(
        self, state: State, place: ir.Place, span: Span, access: Callable[[State, Location], tuple[Value, ...]]
    ) -> tuple[Value, ...]:
        """Make an access to the element of an object that an index selects.

        Where the index depends on what is read, there is one access for each element, on the path where it is the one;
        each depends on the reads of the index by address.
        """
        index = self.value(state, place.index, span)
        if isinstance(index, Const):
            return access(state, self.location(state, place, span))
        object_ = self.out.program.objects[place.object]
        length, mark = len(object_.values), len(self.out.events)
        least, most = values.bounds(index)
        if least < 0 or most >= length:
            self.out.indices.append(Index(place.object, length, index, self.thread.name, span, state.guard, mark))
        found: list[tuple[Guard, tuple[Value, ...]]] = []
        for number in range(max(least, 0), min(most + 1, length)):
            selected = values.binary("==", index, Const(number, index.type))
            if selected == values.FALSE:
                continue
            guard = state.guard & self.out.guards.literal(*self.condition(selected))
            at = Location(place.object, number, instance(object_, self.thread))
            found.append((guard, access(replace(state, guard=guard), at)))
        reads = frozenset(leaf.name.partition("?")[0] for leaf in values.leaves(index))
        for event in self.out.events[mark:]:
            self.out.addresses[event.id] = reads
        if not found:
            message = f"{self.thread.name} accesses an element of `{place.object}` that it does not have"
            raise error(Code.TYPE_ERROR, message, span, f"it has elements 0 to {length - 1}")
        results: tuple[Value, ...] = tuple(Const(0, value.type) for value in found[-1][1])  # outside of all elements
        for guard, values_ in reversed(found):
            chosen = guard.where(state.guard).value(self.out.conditions)
            results = tuple(values.choose(chosen, one, other) for one, other in zip(values_, results, strict=True))
        return results

    def location(self, state: State, place: ir.Place, span: Span) -> Location:
        index = self.value(state, place.index, span)
        if not isinstance(index, Const):
            message = f"the index into `{place.object}` depends on a value that is read from memory"
            raise error(Code.NOT_CONSTANT, message, span, "a wait needs a constant index")
        object_ = self.out.program.objects[place.object]
        if not 0 <= index.value < len(object_.values):
            message = f"{self.thread.name} accesses element {index.value} of `{place.object}`"
            raise error(Code.TYPE_ERROR, message, span, f"it has elements 0 to {len(object_.values) - 1}")
        return Location(place.object, index.value, instance(object_, self.thread))

    def perform(self, state: State, operation: ir.Operation, span: Span) -> State:
        """The state after an operation, its events added."""
        match operation:
            case ir.Set(target, value):
                computed = self.value(state, value, span)
                if values.larger_than(computed, _LARGEST_VALUE):
                    raise _TooComplexError(span, "this value depends on too many reads")
                return self.set(state, target, computed)
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
            case ir.Await():
                return self.wait(state, operation, span)
            case ir.SyncThreads() | ir.GroupSync():
                return self.collective_barrier(state, operation, span)
            case ir.NamedBarrier():
                return self.named_barrier(state, operation, span)
            case ir.Assert(condition, text, implicit):
                value = self.value(state, condition, span)
                position = len(self.out.events)
                if implicit and value == values.TRUE:
                    return state
                asserted = Assertion(text, span, self.thread.name, state.guard, value, position, implicit)
                self.out.assertions.append(asserted)
                return self.where(state, value, side=True) if implicit else state  # what follows is undefined
            case ir.Decide(target):
                stem = f"{identifier(self.thread.name)}_L{span.line}_D"
                number = sum(name.startswith(stem) for name in self.out.choices)
                choice = Reg(f"{stem}{number + 1}?either", types.BOOL)
                self.out.choices[choice.name] = (0, 1)
                return self.set(state, target, choice)
            case (
                ir.LaunchGrid()
                | ir.CreateThread()
                | ir.JoinThread()
                | ir.DeviceSynchronize()
                | ir.StreamSynchronize()
                | ir.EventRecord()
                | ir.EventWait()
                | ir.EventSynchronize()
            ):
                self.call(state, operation, span)
                return state
            case ir.StreamQuery(target, _) | ir.EventQuery(target, _):
                result = Reg(f"{self.call(state, operation, span)}?result", types.INT)
                self.out.choices[result.name] = (0, NOT_READY)
                return self.set(state, target, result)
            case ir.Yield() | ir.InputOutput() | ir.ApiCall() | ir.Notify():
                return state

    def call(self, state: State, operation: ir.Operation, span: Span) -> str:
        """Add the event of a call that orders threads; returns its name."""
        event = self.event(state, self.blank(state, Kind.CALL, span, shown_call(operation)))
        self.out.calls[event.id] = operation
        return event.id

    def access(self, state: State, kind: Kind, location: Location, mode: ir.Mode, span: Span) -> Event:
        verb = "read" if kind is Kind.READ else "write"
        text = f"{verb}{show_mode(mode)} {shown_location(location, self.out.program)}"
        half = read_half if kind is Kind.READ else write_half
        return replace(
            self.blank(state, kind, span, text),
            location=location,
            order=half(mode.order),
            scope=mode.scope,
            volatile=mode.volatile,
        )

    def read(self, state: State, location: Location, mode: ir.Mode, span: Span) -> Reg:
        event = self.event(state, self.access(state, Kind.READ, location, mode, span))
        return Reg(event.id, self.out.program.objects[location.object].type)

    def write(self, state: State, location: Location, value: Value, mode: ir.Mode, span: Span) -> Event:
        event = replace(self.access(state, Kind.WRITE, location, mode, span), value=value)
        return self.event(state, event)

    def pair(self, read: str, write: Event) -> None:
        """Link the two halves of an RMW, the latest events."""
        events = self.out.events
        events[-2], events[-1] = replace(events[-2], rmw=write.id), replace(write, rmw=read)

    def load(self, state: State, location: Location, mode: ir.Mode, span: Span) -> tuple[Value, ...]:
        read = self.read(state, location, mode, span)
        self.out.events[-1] = replace(self.out.events[-1], load_or_store=True)
        return (read,)

    def store(self, state: State, location: Location, value: Value, mode: ir.Mode, span: Span) -> tuple[Value, ...]:
        self.write(state, location, value, mode, span)
        self.out.events[-1] = replace(self.out.events[-1], load_or_store=True)
        return ()

    def update(self, state: State, location: Location, operation: ir.Rmw, span: Span) -> tuple[Value, ...]:
        old = self.read(state, location, operation.mode, span)
        new = self.value(self.set(state, operation.target, old), operation.new, span)
        self.pair(old.name, self.write(state, location, new, operation.mode, span))
        return (old,)

    def compare_exchange(self, state: State, operation: ir.CompareExchange, span: Span) -> State:
        """A successful one is an RMW; a failed one is the read alone, with the failure order."""
        expected = self.value(state, operation.expected, span)
        desired = self.value(state, operation.desired, span)

        def attempt(here: State, at: Location) -> tuple[Value, ...]:
            return self.attempt_exchange(here, at, operation, expected, desired, span)

        old, equal, *spared = self.at_each(state, operation.place, span, attempt)
        if spared:
            state = self.set(state, turns.spared(self.inside[-1]), spared[0])
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
        spared: list[Value] = []
        old = self.read(state, location, operation.mode, span)
        equal = values.binary("==", old, expected)
        if operation.weak:
            equal, *spared = self.may_fail(state, old, equal)
        if isinstance(equal, Const):
            guard = state.guard if equal.value else self.out.guards.never
        else:
            guard = state.guard & self.out.guards.literal(*self.condition(equal))
        read = self.out.events[-1]
        if read.order is not operation.failure:
            self.out.events[-1] = replace(read, success=guard, failure=operation.failure)
        if not guard.never:
            control = state.control | {leaf.name.partition("?")[0] for leaf in values.leaves(equal)}
            success = State(guard, state.registers, control)
            self.pair(old.name, self.write(success, location, desired, operation.mode, span))
        return old, equal, *spared

    def may_fail(self, state: State, old: Reg, equal: Value) -> tuple[Value, ...]:
        """A weak compare-exchange may fail although the values are equal: in a retry loop only once."""
        choice = Reg(f"{old.name}?weak", types.BOOL)
        self.out.choices[choice.name] = (0, 1)
        if not self.inside or self.inside[-1].head not in self.retrying:
            return (values.binary("&&", equal, choice),)
        before = state.registers[turns.spared(self.inside[-1])]
        failed = values.binary("&&", equal, values.unary("!", choice))
        succeeds = values.binary("&&", equal, values.binary("||", before, choice))
        return succeeds, values.binary("||", before, failed)

    def wait(self, state: State, operation: ir.Await, span: Span) -> State:
        """Block until a condition holds: a wait loop, of which one failed turn and the last one are kept.

        A failed turn of a wait on a synchronisation object can neither race nor be observed, so it is left out.
        """
        location = self.location(state, operation.place, span)
        before = state.guard
        if self.out.program.objects[location.object].use is ir.Use.DATA:
            failed, met = self.turn(state, operation, location, span)
            last, met_at_last = self.turn(replace(state, guard=before & ~met), operation, location, span)
            value = values.choose(met.where(before).value(self.out.conditions), failed, last)
            met = met | met_at_last
        else:
            value, met = self.turn(state, operation, location, span)
        self.out.cuts.append(Cut(self.thread.name, span, before & ~met, True, len(self.out.events)))
        return self.set(replace(state, guard=before & met), operation.target, value)

    def turn(self, state: State, operation: ir.Await, location: Location, span: Span) -> tuple[Reg, Guard]:
        """One read of what a thread waits for, and the store if the condition is met; returns where it is."""
        read = self.read(state, location, operation.mode, span)
        found = self.set(state, operation.target, read)
        condition = self.value(found, operation.condition, span)
        if isinstance(condition, Const):
            met = state.guard if condition.value else self.out.guards.never
        else:
            met = state.guard & self.out.guards.literal(*self.condition(condition))
        if operation.new is not None and not met.never:
            new = self.value(found, operation.new, span)
            self.pair(read.name, self.write(replace(state, guard=met), location, new, operation.mode, span))
        return read, met

    def collective_barrier(self, state: State, operation: ir.SyncThreads | ir.GroupSync, span: Span) -> State:
        barrier = barrier_of(self.thread, operation)
        phase = state.registers[phase_of(barrier)]
        vote = operation.vote if isinstance(operation, ir.SyncThreads) else None
        if vote is not None:
            vote = replace(vote, predicate=self.value(state, vote.predicate, span))
        shown = shown_barrier(operation)
        for kind, text in ((Kind.ARRIVE, f"arrive at {shown}"), (Kind.WAIT, f"leave {shown}")):
            event = self.event(state, replace(self.blank(state, kind, span, text), scope=scope_of(operation)))
            self.out.barriers[event.id] = Passage(barrier, phase, vote)
        state = self.set(state, phase_of(barrier), values.binary("+", phase, Const(1, types.INT)))
        if vote is None:
            return state
        result = Reg(f"{event.id}?vote", types.INT)
        self.out.choices[result.name] = tuple(range(self.block_size() + 1)) if vote.function == "count" else (0, 1)
        return self.set(state, vote.target, result)

    def named_barrier(self, state: State, operation: ir.NamedBarrier, span: Span) -> State:
        """The phase of an arrival is the number of the thread's arrivals at the same name before it."""
        name = tuple(self.value(state, part, span) for part in operation.name)
        count = None if operation.count is None else self.value(state, operation.count, span)
        if count is not None and not isinstance(count, Const):
            message = "the number of threads that a barrier waits for depends on a value that is read from memory"
            raise error(Code.NOT_CONSTANT, message, span, "the memory question needs a constant")
        barrier = Barrier(self.thread.block_name, named=True)
        earlier = []
        for event in self.out.events:
            if event.kind is Kind.ARRIVE and event.thread == self.thread.name:
                passage = self.out.barriers[event.id]
                if passage.barrier == barrier and not event.guard.excludes(state.guard):
                    path = event.guard.where(state.guard).value(self.out.conditions)
                    earlier.append(values.binary("&&", path, same_name(passage.name, name)))
        passage = Passage(barrier, how_many(earlier), None, name, None if count is None else count.value)
        shown = f"barrier {', '.join(values.show(part) for part in operation.name)}"
        kinds = [(Kind.ARRIVE, f"arrive at {shown}"), (Kind.WAIT, f"leave {shown}")]
        for kind, text in kinds if operation.waits else kinds[:1]:
            event = self.event(state, replace(self.blank(state, kind, span, text), scope=ir.Scope.BLOCK))
            self.out.barriers[event.id] = passage
        return state

    def block_size(self) -> int:
        return sum(t.block_name == self.thread.block_name for t in self.out.program.threads)


def phase_of(barrier: Barrier) -> str:
    """The register that counts the phases of a collective barrier that a thread has passed."""
    return f"{_PHASE}{barrier.place} {barrier.lanes}"


def read_half(order: ir.Order | None) -> ir.Order | None:
    """The acquire half of an order, for the read of an atomic operation."""
    halves = {ir.Order.ACQ_REL: ir.Order.ACQUIRE, ir.Order.RELEASE: ir.Order.RELAXED}
    return halves.get(order, order) if order is not None else None


def write_half(order: ir.Order | None) -> ir.Order | None:
    """The release half of an order, for the write of an atomic operation."""
    halves = {ir.Order.ACQ_REL: ir.Order.RELEASE, ir.Order.ACQUIRE: ir.Order.RELAXED}
    return halves.get(order, order) if order is not None else None
