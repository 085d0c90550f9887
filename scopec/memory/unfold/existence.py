"""Lifetimes of objects that threads access: allocations that are freed, variables that go out of scope.

Memory whose lifetime may end has an object of its own, its *lifetime*: a beginning writes :data:`THERE` to it, an end
:data:`ENDED`, and each access to the memory reads it first, which has to return :data:`THERE`.  So an access that
nothing orders before the end races with it, and one that comes after it returns that it has ended: "The behavior is
undefined if an object is referred to outside of its lifetime" (C11 6.2.4/2).  To free is to read and to write it, so
that memory cannot be freed twice.

Where the program alone orders an object's accesses after its beginning and before its end, by program order, launches,
completions, stream order, creations, joins and barriers, they are in that order in time under any memory model.  Then
nothing of this is asked: the graph is the one without an end.  That is found out of a graph in which each access goes
on, whatever it reads of a lifetime: an execution of the program is one of that graph up to the first access that is not
within a lifetime, and where all reads there say that it is, none is first.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.memory.events.events import Kind
from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.program import faults, ir, types, values
from scopec.program.effects import place_of
from scopec.program.observe import LIFETIME, REGISTRATION, Location, instance
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from scopec.memory.events.events import Event, EventGraph
    from scopec.program.program import Program

#: The values of a lifetime: nothing is there yet, it is, it is no more.
ABSENT, THERE, ENDED = 0, 1, 2
#: The words for each.
IN_WORDS = {ABSENT: "is not there yet", THERE: "is there", ENDED: "is no more"}
_REGISTER = "%there"


@dataclass(frozen=True, slots=True)
class _Life:
    """A lifetime: the name of its object, of what it is one, and of which objects; or a registration of these."""

    name: str
    of: str
    objects: tuple[str, ...]
    registered: bool


def existing(program: Program, build: Callable[[Program], EventGraph]) -> Program:
    """The program with the lifetimes that are to be asked about, and reads of them; ``build`` makes a graph.

    Raises what ``build`` does.
    """
    lives = [life for life in _lives(program) if not _is_one_threads(program, life)]
    if lives:
        graph = build(_reading(program, lives, checked=False))
        order = ConstantOrder(graph)
        lives = [life for life in lives if not _is_sure(order, life)]
    return _reading(program, lives) if lives else program


def written(program: Program, operation: ir.Lifetime, thread: ir.Thread) -> tuple[Location, Const] | None:
    """The value that a beginning or an end writes, and its place; None if nobody asks."""
    object_ = program.objects.get(_name(operation))
    if object_ is None:
        return None
    return Location(object_.name, 0, instance(object_, thread)), _constant(THERE if operation.begins else ENDED)


# ---------------------------------------------------------------- which lifetimes there are


def _name(operation: ir.Lifetime) -> str:
    return (REGISTRATION if operation.registered else LIFETIME) + operation.of


def _operations(bodies: Iterable[ir.Body]) -> Iterator[ir.Operation]:
    for body in bodies:
        for node in body.nodes.values():
            if isinstance(node, ir.Do):
                yield node.operation


def _bodies(program: Program) -> list[ir.Body]:
    threads = (program.host, *program.others)
    return [*(thread.body for thread in threads), *(grid.body for grid in program.grids.values())]


def _lives(program: Program) -> Iterator[_Life]:
    """The objects that have an end, or do not begin before all else: what a stream allocates."""
    found: dict[str, ir.Lifetime] = {}
    ends: set[str] = set()
    streams = {_name(o) for o in _operations(g.body for g in program.grids.values()) if isinstance(o, ir.Lifetime)}
    for operation in _operations(_bodies(program)):
        if isinstance(operation, ir.Lifetime):
            name = _name(operation)
            found.setdefault(name, operation)
            if name in streams or not operation.begins:
                ends.add(name)
    for name, operation in found.items():
        if name in ends:
            yield _Life(name, operation.of, operation.objects, operation.registered)


def _is_one_threads(program: Program, life: _Life) -> bool:
    """Whether one thread alone accesses, begins and ends something, and it never does so after an end.

    Of automatic storage each thread has its own.
    """
    own = all(program.objects[name].storage is ir.Storage.AUTOMATIC for name in life.objects)
    bodies = [body for body in _bodies(program) if any(_concerns(o, life) for o in _operations([body]))]
    grids = [grid.body for grid in program.grids.values()]
    if not own and (len(bodies) != 1 or any(bodies[0] is body for body in grids)):
        return False
    return not any(_after_an_end(body, life) for body in bodies)


def _concerns(operation: ir.Operation, life: _Life) -> bool:
    if isinstance(operation, ir.Lifetime):
        return _name(operation) == life.name
    place = place_of(operation)
    return place is not None and place.object in life.objects


def _after_an_end(body: ir.Body, life: _Life) -> bool:
    """Whether a thread may access something, or end it, after an end without another beginning."""
    work = [n.next for n in body.nodes.values() if isinstance(n, ir.Do) and _ends(n.operation, life)]
    seen: set[int] = set()
    while work:
        number = work.pop()
        if number in seen:
            continue
        seen.add(number)
        node = body.nodes[number]
        if isinstance(node, ir.Do) and _concerns(node.operation, life):
            if not (isinstance(node.operation, ir.Lifetime) and node.operation.begins):
                return True
            continue
        work += ir.successors(node)
    return False


def _ends(operation: ir.Operation, life: _Life) -> bool:
    return isinstance(operation, ir.Lifetime) and not operation.begins and _name(operation) == life.name


# ---------------------------------------------------------------- reads of lifetimes


def _constant(value: int) -> Const:
    return Const(value, types.INT)


def _reading(program: Program, lives: Collection[_Life], *, checked: bool = True) -> Program:
    """The program with these lifetimes, and a read of one before each access to what it is the lifetime of; where that
    is ``checked``, the access is made only if it is there.
    """
    objects = dict(program.objects)
    for life in lives:
        first = program.objects[life.objects[0]]
        storage = ir.Storage.AUTOMATIC if first.storage is ir.Storage.AUTOMATIC else ir.Storage.SYSTEM
        made = ir.Object(life.name, first.span, types.INT, storage, (ABSENT,), use=ir.Use.LIFETIME)
        objects[life.name] = made
    of_object: dict[str, list[_Life]] = {}
    for life in lives:
        for name in life.objects:
            of_object.setdefault(name, []).append(life)
    named = {life.name: life for life in lives}

    def change(body: ir.Body, *, device: bool) -> ir.Body:
        nodes = dict(body.nodes)
        for number, node in body.nodes.items():
            checks = list(_checks(node, of_object, named, device=device))
            checks = checks if checked else [one for one in checks if isinstance(one, ir.Load)]
            if not checks:
                continue
            last = max(nodes) + 1
            nodes[last] = node
            for check in reversed(checks[1:]):
                nodes[last + 1] = ir.Do(check, node.span, last)
                last += 1
            nodes[number] = ir.Do(checks[0], node.span, last)
        return replace(body, nodes=nodes)

    grids = {
        name: replace(grid, body=change(grid.body, device=grid.work is ir.Work.KERNEL))
        for name, grid in program.grids.items()
    }
    host = replace(program.host, body=change(program.host.body, device=False))
    others = tuple(replace(t, body=change(t.body, device=not t.is_host)) for t in program.others)
    return replace(program, objects=objects, grids=grids, host=host, others=others)


def _checks(
    node: ir.Node, of_object: Mapping[str, Sequence[_Life]], named: Mapping[str, _Life], *, device: bool
) -> Iterator[ir.Operation]:
    """The operations before a node that read the lifetimes of what it accesses, and check that it is there."""
    if not isinstance(node, ir.Do):
        return
    there = values.binary("==", Reg(_REGISTER, types.INT), _constant(THERE))
    operation, place = node.operation, place_of(node.operation)
    if isinstance(operation, ir.Lifetime):
        frees = operation.how and not (operation.begins or operation.registered)
        if frees and _name(operation) in named:
            yield _read(_name(operation))
            yield faults.of_free(there, operation.how, operation.of)
    elif place is not None:
        for life in of_object.get(place.object, ()):
            if not life.registered:
                yield _read(life.name)
                yield faults.of_lifetime(there, life.of)
            elif device:
                yield _read(life.name)


def _read(lifetime: str) -> ir.Load:
    return ir.Load(_REGISTER, ir.Place(lifetime, _constant(0)), ir.PLAIN)


# ---------------------------------------------------------------- what the program alone orders


def _is_sure(order: ConstantOrder, life: _Life) -> bool:
    """Whether the program alone orders whatever reads and writes a lifetime, so that each read says it is there."""
    here: dict[Location, list[Event]] = {}
    for event in order.graph.events:
        if event.location is not None and event.location.object == life.name and event.kind is not Kind.INIT:
            here.setdefault(event.location, []).append(event)
    return all(
        all(_are_ordered(order, write, event) for write in events if write.writes for event in events)
        and (life.registered or all(_is_there(order, events, e) for e in events if not e.writes))
        for events in here.values()
    )


def _are_ordered(order: ConstantOrder, one: Event, other: Event) -> bool:
    together = one is not other and not one.guard.excludes(other.guard)
    return not together or order.before(one, other) or order.before(other, one)


def _is_there(order: ConstantOrder, events: Sequence[Event], read: Event) -> bool:
    """Whether the last writes before a read, on whatever paths, are beginnings, and there is one on each path."""
    before = [e for e in events if e.writes and order.before(e, read) and not e.guard.excludes(read.guard)]
    last = [
        e for e in before
        if not any(order.before(e, other) and ((e.guard & read.guard) & ~other.guard).never for other in before)
    ]  # fmt: skip
    begun = reduce(or_, (e.guard for e in last), read.guard.guards.never)
    return all(e.value == _constant(THERE) for e in last) and (read.guard & ~begun).never
