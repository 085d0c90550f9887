"""Truths of values that are not modelled, in place of the values: the same in all threads that find the same value.

``while (*error > limit)`` is decided alike by two threads that read the same ``*error``.  So what is known of a
floating-point number is what the program asks of it, as predicate abstraction has it (Graf and Saidi, "Construction of
abstract state graphs with PVS", 1997): a bit for each formula by which something is decided on such a number alone.  A
store of a number decides all bits, whatever is stored; what is loaded has them; a decision by the formula is the bit.

    store *error = 0;                      d = either; store *error = 1 + 2 * d;
    e = *error; go = either, by e > 1  ->  e = *error; go = either, which is (e & 2) != 0

Bit 0 says that the others are known: nothing is of a number that nobody stored.  A formula of constants is decided once
for all threads.  Decisions by other formulas, such as of two numbers, and on what an atomic compare-exchange wrote, are
each its own: then threads may decide differently that cannot.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass, replace
from scopec.program import ir, values
from scopec.program.builder import expanded
from scopec.program.effects import place_of, registers
from scopec.program.specialise import thread_builtins
from scopec.program.types import BOOL, INT, ArithmeticFault
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.program.program import Program
    from scopec.program.types import IntType
    from scopec.program.values import Value

#: The most formulas of which numbers have bits, beside the one that says that they are known.
_MOST = 7
#: The most elements of which a decision may be: each has bits from the beginning, or from when it is stored.
_MOST_ELEMENTS = 4
#: The accesses whose effect on a number with bits is known.
_KNOWN = (ir.Load, ir.Store, ir.Rmw)

#: An element of an object, by its index.
_Element: TypeAlias = tuple[str, int]


def with_truths(program: Program) -> Program:
    """The program in which decisions on values that are not modelled are alike where the values are."""
    sources = {id(body): _Sources(program, body) for body in program.bodies}
    if not any(one.decisions for one in sources.values()):
        return program
    asked = _asked(program, sources.values())
    constants = _constants(program, sources.values())
    known = _known_at_first(program)
    changed = program.with_bodies(
        lambda body: _Rewriting(program, sources[id(body)], asked, constants, known).body(body)
    )
    made = {one.name: one for one in constants.values()}
    operations = [*_decided(made.values()), *_contents(program, asked, known)]
    host = replace(changed.host, body=_begun(changed.host.body, operations))
    return replace(changed, objects={**program.objects, **made}, host=host)


def without_truths(program: Program) -> Program:
    """The program in which each decision is its own again, for questions that are about device threads alone."""

    def free(operation: ir.Operation, _: int) -> Iterator[ir.Operation]:
        yield replace(operation, of=()) if isinstance(operation, ir.Decide) else operation

    host = replace(program.host, body=_later(program.host.body))
    return replace(program, host=host).with_bodies(lambda body: expanded(body, free))


def _later(body: ir.Body) -> ir.Body:
    """A graph without the decisions before all else, and the stores of what is decided."""
    entry, decided = body.entry, set[str]()
    while isinstance(node := body.nodes[entry], ir.Do):
        match node.operation:
            case ir.Decide(target, "unknown"):
                decided.add(target)
            case ir.Store(_, value) if registers(value) and registers(value) <= decided:
                pass
            case _:
                break
        entry = node.next
    return replace(body, entry=entry)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The bit of each formula, and the formulas that are asked of each element."""

    bits: Mapping[str, int]
    of: Mapping[_Element, frozenset[str]]

    def at(self, place: ir.Place) -> frozenset[str]:
        """The formulas that are asked of an element, or of any to which a computed index may lead."""
        if isinstance(place.index, Const):
            return self.of.get((place.object, place.index.value), frozenset())
        return frozenset().union(*(formulas for (name, _), formulas in self.of.items() if name == place.object))

    def number(self, formulas: frozenset[str], type_: IntType, stem: str) -> _Number:
        """Any number of a type of which formulas are asked, by registers whose names begin with a stem."""
        value: Value = Const(1, type_)
        decided = []
        for bit in sorted(self.bits[formula] for formula in formulas):
            truth = Reg(f"%{stem}.{bit}", BOOL)
            decided.append(ir.Decide(truth.name, "unknown"))
            value = values.binary("+", value, values.choose(truth, Const(bit, type_), Const(0, type_)))
        return _Number(tuple(decided), value)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number with bits: what is decided for it, and its value then."""

    decided: tuple[ir.Decide, ...]
    value: Value


def _asked(program: Program, bodies: Iterable[_Sources]) -> _Asked:
    of: dict[_Element, set[str]] = {}
    bits: dict[str, int] = {}
    for sources in bodies:
        for number, decision in sources.decisions.items():
            elements = sources.elements[number]
            if not elements or len(elements) > _MOST_ELEMENTS:
                continue
            if not all(_is_known(program, name) for name in {name for name, _ in elements}):
                continue
            if decision.formula in bits or len(bits) < _MOST:
                bits.setdefault(decision.formula, 1 << (len(bits) + 1))
                for element in elements:
                    of.setdefault(element, set()).add(decision.formula)
    return _Asked(bits, {element: frozenset(formulas) for element, formulas in of.items()})


def _is_known(program: Program, name: str) -> bool:
    """Whether loads, stores and additions alone access an object."""
    operations = (node.operation for body in program.bodies for node in body.nodes.values() if isinstance(node, ir.Do))
    others = (place_of(operation) for operation in operations if not isinstance(operation, _KNOWN))
    return not any(place is not None and place.object == name for place in others)


def _constants(program: Program, bodies: Iterable[_Sources]) -> Mapping[str, ir.Object]:
    """An object for what is decided by each formula of constants."""
    found: dict[str, ir.Object] = {}
    for sources in bodies:
        for number, decision in sources.decisions.items():
            if not decision.of and decision.formula not in found:
                name = f"decided{len(found) + 1}"
                while name in program.objects:
                    name += "_"
                span = sources.span(number)
                found[decision.formula] = ir.Object(name, span, INT, ir.Storage.SYSTEM, (0,), use=ir.Use.PASSED)
    return found


def _begun(body: ir.Body, operations: Sequence[tuple[ir.Operation, Span]]) -> ir.Body:
    """A graph with operations before all else."""
    nodes, entry = dict(body.nodes), body.entry
    for operation, span in reversed(operations):
        number = max(nodes) + 1
        nodes[number] = ir.Do(operation, span, entry)
        entry = number
    return replace(body, nodes=nodes, entry=entry)


def _decided(constants: Iterable[ir.Object]) -> Iterator[tuple[ir.Operation, Span]]:
    """The decisions by formulas of constants."""
    for one in constants:
        truth = Reg(f"%{one.name}", BOOL)
        yield ir.Decide(truth.name, "unknown"), one.span
        yield ir.Store(_place(one), values.convert(truth, INT), ir.PLAIN), one.span


def _contents(program: Program, asked: _Asked, known: frozenset[str]) -> Iterator[tuple[ir.Operation, Span]]:
    """Stores of the first contents, of objects that are there from the beginning and that the host does not write."""
    for (name, index), formulas in sorted(asked.of.items()):
        one = program.objects[name]
        if name not in known:
            continue
        bits = asked.number(formulas, one.type, f"{name}.{index}")
        yield from ((operation, one.span) for operation in bits.decided)
        yield ir.Store(ir.Place(name, Const(index, INT)), bits.value, ir.PLAIN), one.span


def _known_at_first(program: Program) -> frozenset[str]:
    """The objects that have contents from the beginning and that the host does not write: always known."""
    on_host = [node.operation for node in program.host.body.nodes.values() if isinstance(node, ir.Do)]
    written = {operation.place.object for operation in on_host if isinstance(operation, ir.Store)}
    begun = {name for operation in on_host if isinstance(operation, ir.Lifetime) for name in operation.objects}
    own = {name for name, one in program.objects.items() if one.storage in (ir.Storage.SHARED, ir.Storage.AUTOMATIC)}
    return frozenset(program.objects) - written - begun - own


def _place(one: ir.Object) -> ir.Place:
    return ir.Place(one.name, Const(0, INT))


class _Rewriting:
    """The rewriting of the operations of one graph."""

    def __init__(
        self,
        program: Program,
        sources: _Sources,
        asked: _Asked,
        constants: Mapping[str, ir.Object],
        known: frozenset[str],
    ) -> None:
        self.program = program
        self.sources = sources
        self.asked = asked
        self.constants = constants
        self.known = known

    def body(self, body: ir.Body) -> ir.Body:
        """The graph, rewritten."""
        return expanded(body, lambda operation, number: self.operations(operation, number))

    def operations(self, operation: ir.Operation, number: int) -> Iterator[ir.Operation]:
        """The operations in place of one."""
        match operation:
            case ir.Store(place) if asked := self.asked.at(place):
                bits = self.asked.number(asked, self.program.objects[place.object].type, str(number))
                yield from bits.decided
                yield replace(operation, value=bits.value)
            case ir.Rmw(place=place) if asked := self.asked.at(place):
                bits = self.asked.number(asked, self.program.objects[place.object].type, str(number))
                yield from bits.decided
                yield replace(operation, new=bits.value)
            case ir.Decide(target, formula=formula, of=()) if formula:
                made = self.constants[formula]
                truth = Reg(f"%{made.name}", INT)
                yield ir.Load(truth.name, _place(made), ir.PLAIN)
                yield ir.Decide(target, "unknown", "", (values.binary("!=", truth, Const(0, INT)),))
            case ir.Decide(target, formula=formula, of=of) if formula:
                yield from self._decided(target, formula, of, number)
            case _:
                yield operation

    def _decided(self, target: str, formula: str, of: tuple[Value, ...], number: int) -> Iterator[ir.Operation]:
        bit = self.asked.bits.get(formula)
        elements = self.sources.elements[number]
        if bit is None or not elements or not all(formula in self.asked.of.get(one, ()) for one in elements):
            yield ir.Decide(target, "unknown")
            return
        if all(name in self.known for name, _ in elements):
            yield ir.Decide(target, "unknown", "", (_has(of[0], bit),))
            return
        free = Reg(f"%{number}.free", BOOL)
        yield ir.Decide(free.name, "unknown")
        yield ir.Decide(target, "unknown", "", (values.choose(_has(of[0], 1), _has(of[0], bit), free),))


def _has(value: Value, bit: int) -> Value:
    number = values.convert(value, INT)
    return values.binary("!=", values.binary("&", number, Const(bit, INT)), Const(0, INT))


class _Sources:
    """The elements from which the numbers were loaded that the decisions of a graph are of."""

    def __init__(self, program: Program, body: ir.Body) -> None:
        self._program = program
        self._nodes = body.nodes
        self._body = body
        self.decisions: dict[int, ir.Decide] = {
            number: node.operation
            for number, node in body.nodes.items()
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Decide) and node.operation.formula
        }
        self._before: dict[int, list[int]] = {}
        for number, node in body.nodes.items() if self.decisions else ():
            for following in ir.successors(node):
                self._before.setdefault(following, []).append(number)
        self.elements: Mapping[int, frozenset[_Element]] = {
            number: frozenset(self._loaded(number, decision)) for number, decision in self.decisions.items()
        }

    def span(self, number: int) -> Span:
        """The place of a decision."""
        return self._nodes[number].span

    def _loaded(self, number: int, decision: ir.Decide) -> Iterator[_Element]:
        """The elements that the one number may come from that a decision is of; none where it is of others, too."""
        if len(decision.of) != 1 or not all(leaf.type.is_float for leaf in values.leaves(decision.of[0])):
            return
        work = self._read_before(number, decision.of[0])
        seen: set[tuple[int, str]] = set()
        while work:
            at, name = work.pop()
            if (at, name) in seen:
                continue
            seen.add((at, name))
            match self._nodes[at]:
                case ir.Do(ir.Set(target, value)) if target == name:
                    work += self._read_before(at, value)
                case ir.Do(ir.Load(target, place)) if target == name:
                    yield from ((place.object, index) for index in self._indices(place))
                case _:
                    work += [(before, name) for before in self._before.get(at, ())]

    def _indices(self, place: ir.Place) -> Iterable[int]:
        """The elements of an object at which some thread of this graph may be with an index."""
        elements, index = range(len(self._program.objects[place.object].values)), place.index
        if isinstance(index, Const):
            return [index.value]
        if registers(index) or not self._threads:
            return elements
        found = set()
        for builtins in self._threads:
            with suppress(ArithmeticFault):
                found.add(values.evaluate(index, lambda leaf: builtins[leaf.name]))  # noqa: B023
        return found.intersection(elements)

    @cached_property
    def _threads(self) -> list[Mapping[str, int]]:
        """What tells the threads of this graph from each other."""
        grids = [grid for grid in self._program.grids.values() if grid.body is self._body]
        lanes = (
            (grid, block, lane)
            for grid in grids
            for block in range(grid.blocks.count)
            for lane in range(grid.threads.count)
        )
        return [thread_builtins(*lane) for lane in lanes]

    def _read_before(self, number: int, value: Value) -> list[tuple[int, str]]:
        return [(before, name) for before in self._before.get(number, ()) for name in registers(value)]
