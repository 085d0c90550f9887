"""One control-flow graph for all threads of a grid, which had one each: what they have in common is there once.

Threads go on together while they do the same but for constants that their indices give; where they do not, a branch on
the indices tells them apart.  What does the same from some node on, whichever way led there, is one again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import field, replace
from functools import cached_property
from math import gcd, lcm
from operator import mul
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.effects import map_values
from scopec.program.specialise import thread_builtins
from scopec.program.types import INT, UINT, IntType
from scopec.program.values import Builtin, Const, Value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from scopec.base.source import Span

#: A thread by its block and lane.
Position = tuple[int, int]
#: Where threads are that go on together: the node that each kind of them has reached.
_Places = tuple[tuple[int, int], ...]
_INDICES = tuple(f"{name}.{axis}" for name in ("threadIdx", "blockIdx") for axis in "xyz")
#: The indices of a thread, 1, and the number that it is to have.
_Row = tuple[int, ...]
#: The factors of equations, the constant first.
_COLUMNS = (len(_INDICES), *range(len(_INDICES)))
#: How many kinds are looked at to find where they meet.
_MOST_THAT_MEET = 16
#: From how many kinds on they are told apart by halves.
_MANY = 8
#: In how many ranges threads may be that are told by these, where they are not by the remainder of their index.
_MOST_RANGES = 4


def together(grid: ir.Grid, bodies: Mapping[Position, ir.Body]) -> ir.Body:
    """The graph of a grid whose threads have ``bodies``: specialised for one of them, it does what that one's does."""
    kinds: dict[Hashable, list[Position]] = defaultdict(list)
    for position, body in bodies.items():
        nodes = tuple(sorted(body.nodes.items(), key=lambda item: item[0]))
        kinds[body.entry, nodes, tuple(body.variables.items())].append(position)
    alike = [bodies[members[0]] for members in kinds.values()]
    if len(alike) == 1:
        return alike[0]
    walk = _Walk(grid.span, _Indices(grid, list(kinds.values())), alike)
    entry, graph = walk.graph()
    variables = {name: type_ for body in alike for name, type_ in body.variables.items()}
    return ir.Body(entry, graph, variables, frozenset(name for body in alike for name in body.ambiguous))


@dataclass(frozen=True)
class _Shape:
    """A node without what follows it, also without its constants, both by number, and its values."""

    alone: int
    form: int
    values: list[Value]

    @cached_property
    def constants(self) -> list[Const]:
        """Its constants; those of nodes of one form are in one order."""
        return [constant for value in self.values for constant in _constants(value)]


@dataclass
class _Slot:
    """Nodes that are one: the first of them, where threads are there, their form, and what sums their constants are."""

    number: int
    form: int = -1
    sums: list[_Sum] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)


class _Walk:
    """Threads of several kinds, who go through their graphs together as long as they do the same."""

    def __init__(self, span: Span, indices: _Indices, bodies: Sequence[ir.Body]) -> None:
        self._span, self._indices, self._bodies = span, indices, bodies
        self._most = 2 * sum(len(body.nodes) for body in bodies)
        #: The nodes that there are: what threads do together, each in its place, or a branch on their indices.
        self._together: dict[int, tuple[_Places, ir.Node]] = {}
        self._branches: dict[int, ir.Branch] = {}
        self._known: dict[_Places, int] = {}
        self._through: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._shapes: dict[tuple[int, int], _Shape] = {}
        self._numbers: dict[ir.Node, int] = {}

    def graph(self) -> tuple[int, dict[int, ir.Node]]:
        """The entry of one graph, and its nodes."""
        entry = self._number(tuple((kind, body.entry) for kind, body in enumerate(self._bodies)))
        following: dict[int, tuple[int, ...]] = {}
        while left := self._together.keys() - following.keys():
            for number in sorted(left):
                after = zip(*(ir.successors(self._at(place)) for place in self._together[number][0]), strict=True)
                kinds = [kind for kind, _ in self._together[number][0]]
                following[number] = tuple(self._number(tuple(zip(kinds, nodes, strict=True))) for nodes in after)
        following |= {number: ir.successors(node) for number, node in self._branches.items()}
        return self._joined(entry, following)

    def _at(self, place: tuple[int, int]) -> ir.Node:
        return self._bodies[place[0]].nodes[place[1]]

    def _shape(self, place: tuple[int, int]) -> _Shape:
        """What a node is without what follows it; equal ones have one number."""
        found = self._shapes.get(place)
        if found is None:
            node = self._at(place)
            alone, form = _alone(node), _form(node)
            whole = self._numbers.setdefault(alone, len(self._numbers))
            found = _Shape(whole, self._numbers.setdefault(form, len(self._numbers)), _values(node))
            self._shapes[place] = found
        return found

    def _number(self, places: _Places) -> int:
        """The node at which threads in these places go on; those who came another way may be there too."""
        known = self._known.get(places)
        if known is None:
            at = set(places)
            known = next((n for n in self._through[places[0]] if at <= set(self._together[n][0])), None)
        if known is None:
            node = self._join(places) if len(self._together) < self._most or len(places) == 1 else None
            if node is None:
                parts = list(self._parts(places))
                self._meet(parts)
                known = self._told_apart(parts)
            else:
                known = self._new()
                self._together[known] = places, node
                for place in places:
                    self._through[place].append(known)
            self._known[places] = known
        return known

    def _new(self) -> int:
        return len(self._together) + len(self._branches)

    def _parts(self, places: _Places) -> Iterator[_Places]:
        """Those who do the same but for constants; each kind for itself if that is all of them."""
        parts: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        for place in places:
            parts[self._shape(place).form].append(place)
        if len(parts) == 1:
            yield from ((place,) for place in places)
        else:
            yield from map(tuple, parts.values())

    def _meet(self, parts: Sequence[_Places]) -> None:
        """See to it that threads that part here go on together where they do the same again."""
        places = [place for part in parts for place in part]
        if len(parts) == 1 or len(places) > _MOST_THAT_MEET:
            return
        ahead = [self._ahead(place) for place in places]
        common = [form for form in ahead[0] if all(form in its for its in ahead)]
        for form in sorted(common, key=lambda form: sum(list(its).index(form) for its in ahead)):
            there = tuple((kind, its[form]) for (kind, _), its in zip(places, ahead, strict=True))
            if self._join(there) is not None:
                self._number(there)
                return

    def _ahead(self, place: tuple[int, int]) -> dict[Hashable, int]:
        """What a thread may do from a place on, nearest first, and where."""
        kind, number = place
        found: dict[Hashable, int] = {}
        seen, work = {number}, [number]
        for at in work:
            node = self._at((kind, at))
            if not isinstance(node, ir.Exit):
                found.setdefault(self._shape((kind, at)).form, at)
            work += [n for n in dict.fromkeys(ir.successors(node)) if n not in seen]
            seen.update(work)
        return found

    def _told_apart(self, parts: Sequence[_Places]) -> int:
        """A branch on the indices, to each of the parts."""
        if len(parts) == 1:
            return self._number(parts[0])
        condition, first, second = self._indices.told_apart(parts)
        branch = ir.Branch(condition, self._span, self._told_apart(first), self._told_apart(second))
        number = self._new()
        self._branches[number] = branch
        return number

    def _join(self, places: Iterable[tuple[int, int]]) -> ir.Node | None:
        """What threads in these places do, with the constants that their indices give; None if it is not the same."""
        places = tuple(places)
        nodes = {kind: self._at((kind, number)) for kind, number in places}
        first, *others = nodes.values()
        if others and isinstance(first, ir.Do) and isinstance(first.operation, ir.Operand):
            ahead = [(kind, ir.successors(node)[0]) for kind, node in nodes.items()]
            if first.operation.number is not None and not self._evaluated(ahead):
                return None
        shapes = [self._shape(place) for place in dict(places).items()]
        if all(shape.alone == shapes[0].alone for shape in shapes):
            return first
        if any(shape.form != shapes[0].form for shape in shapes):
            return None
        parts = zip(*(shape.values for shape in shapes), strict=True)
        joined: list[Value] = []
        for part in parts:
            value = self._indices.joined(dict(zip(nodes, part, strict=True)))
            if value is None:
                return None
            joined.append(value)
        given = iter(joined)
        return map_values(first, lambda _: next(given))

    def _evaluated(self, places: list[tuple[int, int]]) -> bool:
        """Whether threads do the same from here on until the operands of an evaluation, of a vector, are evaluated."""
        while self._join(places) is not None:
            node = self._at(places[0])
            if not isinstance(node, ir.Do) or isinstance(node.operation, ir.Operand):
                return isinstance(node, ir.Do)  # the rest is asked about there
            places = [(kind, ir.successors(self._at((kind, at)))[0]) for kind, at in places]
        return False

    # ------------------------------------------------------------ what does the same is one again

    def _joined(self, entry: int, following: Mapping[int, tuple[int, ...]]) -> tuple[int, dict[int, ir.Node]]:
        alike: dict[int, Hashable] = {number: _form(node) for number, (_, node) in self._together.items()}
        alike |= {number: (number,) for number in self._branches}
        slots = _refined(self._slots(_refined(alike, following)), following)
        members: dict[int, list[int]] = defaultdict(list)
        for number, slot in sorted(slots.items()):
            members[slot].append(number)
        nodes: dict[int, ir.Node] = {}
        names: dict[int, int] = {}  # in the order in which a thread comes by
        work = [slots[entry]]
        while work:
            if (slot := work.pop()) not in names:
                names[slot] = len(names)
                work += reversed([slots[number] for number in following[members[slot][0]]])
        for slot, name in names.items():
            first = members[slot][0]
            after = tuple(names[slots[number]] for number in following[first])
            nodes[name] = _leading(self._branches.get(first) or self._whole(members[slot]), after)
        return names[slots[entry]], nodes

    def _whole(self, numbers: Sequence[int]) -> ir.Node:
        node = self._join(place for number in numbers for place in self._together[number][0])
        assert node is not None
        return node

    def _slots(self, alike: Mapping[int, int]) -> dict[int, Hashable]:
        """Nodes of different kinds of threads that can be one: those of a class, in their order."""
        slots: dict[int, list[_Slot]] = defaultdict(list)
        result: dict[int, Hashable] = {number: number for number in self._branches}
        for number in sorted(self._together):
            places = dict(self._together[number][0])
            slot = next((slot for slot in slots[alike[number]] if self._takes(slot, places)), None)
            if slot is None:
                slot = _Slot(number)
                slots[alike[number]].append(slot)
                self._takes(slot, places)
            result[number] = slot.number
        return result

    def _takes(self, slot: _Slot, places: Mapping[int, int]) -> bool:
        """Put more places into a slot, if threads in all of them do the same but for sums of their indices."""
        if slot.places.keys() & places.keys():
            return False
        shapes = {kind: self._shape((kind, at)) for kind, at in places.items()}
        first = next(iter(shapes.values()))
        if not slot.places:
            slot.form, slot.sums = first.form, [_Sum(c.type) for c in first.constants]
        node = self._at(next(iter(places.items())))
        ordered = isinstance(node, ir.Do) and isinstance(node.operation, ir.Operand)
        if first.form != slot.form or (ordered and self._join([*slot.places.items(), *places.items()]) is None):
            return False
        sums: list[_Sum] = []
        for number, known in enumerate(slot.sums):
            given = {kind: shape.constants[number].value for kind, shape in shapes.items()}
            found = known.also(self._indices.equations(given))
            if found is None:
                return False
            sums.append(found)
        slot.sums = sums
        slot.places |= places
        return True


def _refined(classes: Mapping[int, Hashable], following: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """The coarsest partition below ``classes`` in which members of a class are followed by members of the same."""
    names: dict[Hashable, int] = {}
    current = {number: names.setdefault(key, len(names)) for number, key in classes.items()}
    while True:
        names, count = {}, len(names)
        current = {
            number: names.setdefault((current[number], *(current[n] for n in following[number])), len(names))
            for number in current
        }
        if len(names) == count:
            return current


# ---------------------------------------------------------------- nodes


def _alone(node: ir.Node) -> ir.Node:
    """A node without what follows it."""
    return _leading(node, (0,) * len(ir.successors(node)))


def _leading(node: ir.Node, following: tuple[int, ...]) -> ir.Node:
    match node:
        case ir.Do(operation, span, _):
            return ir.Do(operation, span, following[0])
        case ir.Branch(condition, span, _, _):
            return ir.Branch(condition, span, following[0], following[1])
        case ir.Exit():
            return node


def _form(node: ir.Node) -> ir.Node:
    """A node with zero for each constant, without what follows it."""
    return _alone(map_values(node, _without_constants))


def _without_constants(value: Value) -> Value:
    return values.fold(
        value, lambda one, parts: Const(0, one.type) if isinstance(one, Const) else values.rebuild(one, parts)
    )


def _constants(value: Value) -> Iterator[Const]:
    """The constants in a value, left to right."""
    if isinstance(value, Const):
        yield value
    for part in values.children(value):
        yield from _constants(part)


def _values(node: ir.Node) -> list[Value]:
    found: list[Value] = []

    def look(value: Value) -> Value:
        found.append(value)
        return value

    map_values(node, look)
    return found


# ---------------------------------------------------------------- indices


class _Indices:
    """What the indices of threads tell of them, by their kind."""

    def __init__(self, grid: ir.Grid, kinds: Sequence[Sequence[Position]]) -> None:
        self._grid, self._kinds = grid, kinds
        self._of = {
            position: tuple(thread_builtins(grid, *position)[name] for name in _INDICES)
            for members in kinds
            for position in members
        }
        self._sums: dict[tuple[tuple[tuple[int, int], ...], IntType], _Sum | None] = {}

    def joined(self, given: Mapping[int, Value]) -> Value | None:
        """The value that threads of each kind have; None if there is none."""
        first = next(iter(given.values()))
        if all(value == first for value in given.values()):
            return first
        if isinstance(first, Const):
            numbers = tuple((kind, value.value) for kind, value in given.items() if isinstance(value, Const))
            if (numbers, first.type) not in self._sums:
                self._sums[numbers, first.type] = _Sum(first.type).also(self.equations(dict(numbers)))
            found = self._sums[numbers, first.type]
            return None if found is None else found.value
        parts = zip(*(values.children(value) for value in given.values()), strict=True)
        joined = [self.joined(dict(zip(given, part, strict=True))) for part in parts]
        return None if any(part is None for part in joined) else values.rebuild(first, [p for p in joined if p])

    def equations(self, numbers: Mapping[int, int]) -> tuple[_Row, ...]:
        """What a sum has to fulfil that gives each thread of some kinds its number."""
        return tuple((*self._of[at], 1, number) for kind, number in numbers.items() for at in self._kinds[kind])

    def told_apart(self, parts: Sequence[_Places]) -> tuple[Value, Sequence[_Places], Sequence[_Places]]:
        """A condition on the indices, the parts whose threads fulfil it, and the others."""
        threads = [{at for kind, _ in part for at in self._kinds[kind]} for part in parts]
        if len(parts) < _MANY:
            for axis, name in enumerate(_INDICES):
                there = [{self._of[at][axis] for at in its} for its in threads]
                for n, its in enumerate(there):
                    if len(its) == 1 and not any(its & other for other in there[:n] + there[n + 1 :]):
                        condition = values.binary("==", Builtin(name, UINT), Const(min(its), UINT))
                        return condition, [parts[n]], [*parts[:n], *parts[n + 1 :]]
        half = (len(parts) + 1) // 2
        return self._among(set().union(*threads[:half])), parts[:half], parts[half:]

    def _among(self, threads: set[Position]) -> Value:
        """Whether a thread is one of these."""
        size = self._grid.threads.count
        block, thread = _linear(self._grid.blocks, "blockIdx"), _linear(self._grid.threads, "threadIdx")
        place = values.binary("+", values.binary("*", block, Const(size, UINT)), thread)
        numbers = {block * size + thread for block, thread in threads}
        ranges = _ranges(numbers)
        if len(ranges) > _MOST_RANGES and (period := _period(numbers, size, self._grid.blocks.count)):
            place = values.binary("%", thread, Const(period, UINT))
            ranges = _ranges({n for n in numbers if n < period})
        result: Value = values.FALSE
        for start, end in ranges:
            within = values.binary("<", place, Const(end, UINT))
            if start:
                within = values.binary("&&", values.binary(">=", place, Const(start, UINT)), within)
            result = values.binary("||", result, within)
        return result


def _ranges(numbers: Set[int]) -> list[tuple[int, int]]:
    """The first of each range of numbers, and the one after its last."""
    starts, ends = ({n for n in numbers if n - 1 not in numbers}, {n + 1 for n in numbers if n + 1 not in numbers})
    return list(zip(sorted(starts), sorted(ends), strict=True))


def _period(numbers: Set[int], size: int, count: int) -> int | None:
    """After how many threads these are the same again, in all ``count`` blocks of ``size``."""
    for period in (n for n in range(2, size + 1) if size % n == 0):
        first = {n for n in numbers if n < period}
        if {n + at for n in first for at in range(0, size * count, period)} == numbers:
            return period
    return None


def _multiple(factor: int, name: str | None, type_: IntType) -> Value:
    if name is None:
        return Const(factor, type_)
    index = Builtin(name, type_)
    return index if factor == 1 else values.cast(values.binary("*", index, Const(factor, type_)), type_)


def _linear(extent: ir.Dim, name: str) -> Value:
    """The linear index of a thread or block, x fastest."""
    result: Value = Const(0, UINT)
    for axis, factor in (("x", 1), ("y", extent.x), ("z", extent.x * extent.y)):
        if getattr(extent, axis) > 1:
            one = _multiple(factor, f"{name}.{axis}", UINT)
            result = one if result == Const(0, UINT) else values.binary("+", result, one)
    return result


@dataclass(frozen=True)
class _Sum:
    """The sum of multiples of the indices that fulfils ``equations``, with 0 for the factors that these leave open."""

    type: IntType
    equations: tuple[_Row, ...] = ()
    solved: Mapping[int, _Row] = field(default_factory=dict)

    def also(self, equations: tuple[_Row, ...]) -> _Sum | None:
        """The sum that fulfils more equations too; None if there is none that is whole and is computed as it is."""
        found = replace(self, equations=self.equations + equations)
        if any(sum(map(mul, self._factors, e)) for e in equations):
            solved = _solved(found.equations, self.solved)
            if solved is None:
                return None
            found, equations = replace(found, solved=solved), found.equations
        return found if found._factors[-1] == -1 and all(found._gives(e) for e in equations) else None

    @cached_property
    def _factors(self) -> _Row:
        return _factors(self.solved)

    @cached_property
    def value(self) -> Value:
        """The sum as a value of its type."""
        computed = INT if self.type.is_bool else self.type
        *factors, constant, _ = self._factors
        terms = [
            (factor, _multiple(abs(factor), name, computed))
            for factor, name in zip((*reversed(factors), constant), (*reversed(_INDICES), None), strict=True)
            if factor
        ]
        result: Value | None = None
        for factor, term in sorted(terms, key=lambda term: term[0] < 0):
            start = result or Const(0, computed)
            result = term if factor > 0 and not result else values.binary("+" if factor > 0 else "-", start, term)
        return values.cast(result or Const(0, computed), self.type)

    def _gives(self, equation: _Row) -> bool:
        """Whether it is computed as its type says."""
        *indices, _, number = equation
        known = dict(zip(_INDICES, indices, strict=True))
        computed = values.substitute(
            self.value, lambda one: Const(known[one.name], one.type) if isinstance(one, Builtin) else one
        )
        return computed == Const(number, self.type)


def _factors(solved: Mapping[int, _Row]) -> _Row:
    """The factors by which equations are solved, then -1 for the number; the least multiple of these that is whole."""
    common = lcm(*(row[column] // gcd(row[column], row[-1]) for column, row in solved.items()))
    return (*(solved[c][-1] * common // solved[c][c] if c in solved else 0 for c in range(len(_COLUMNS))), -common)


def _solved(equations: Sequence[_Row], solved: Mapping[int, _Row]) -> Mapping[int, _Row] | None:
    """The equations as rows of which each has a column for itself, of which some are there; None if nothing solves all.

    One that is solved already adds nothing.
    """
    while True:
        factors = _factors(solved)
        row = next((e for e in equations if sum(map(mul, factors, e))), None)
        if row is None:
            return solved
        for column, its in solved.items():
            row = _without(row, column, its)
        first = next((column for column in _COLUMNS if row[column]), None)
        if first is None:
            return None
        row = _least(row, first)
        solved = {column: _least(_without(its, first, row), column) for column, its in solved.items()} | {first: row}


def _without(row: _Row, column: int, other: _Row) -> _Row:
    """A multiple of a row, less one of another, so that there is nothing in a column."""
    factor, whole = row[column], other[column]
    return tuple(a * whole - factor * b for a, b in zip(row, other, strict=True)) if factor else row


def _least(row: _Row, column: int) -> _Row:
    """The least multiple of a row that is whole, with a positive number in a column."""
    divisor = gcd(*row) if row[column] > 0 else -gcd(*row)
    return tuple(n // divisor for n in row)
