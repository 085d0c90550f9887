"""Merges the per-thread graphs of a grid into one.

Threads with equal graphs are one *kind*.  The kinds walk through their graphs together: a node of the result stands for
the tuple of the nodes at which its kinds are, and is made only if their operations are equal but for constants that are
a linear form over the threads' indices.  Otherwise a branch on the indices separates them.  So for each thread exactly
one way through the result is its own graph's: :mod:`scopec.program.specialise` takes the branches and computes the
forms, and finds that graph again.  Of ::

    thread 0: a[0] = 7; x = 1        thread 1: a[1] = 7        thread 2: a[2] = 7

the result is ``a[threadIdx.x] = 7; if (threadIdx.x == 0) x = 1``.  Kinds that have parted meet again at the nearest
node that all of them can come to.  At the end nodes with equal operations and equal successors are merged, as states of
an automaton are (partition refinement): what follows them is the same for every thread that comes there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.effects import map_values, values_of
from scopec.program.thread_indices import Indices, Places, Position, Sum
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from scopec.base.source import Span

#: The most kinds that are looked at to find where they meet.
_MOST_THAT_MEET = 16


def together(grid: ir.Grid, bodies: Mapping[Position, ir.Body]) -> ir.Body:
    """The graph of a grid whose threads have ``bodies``.

    Specialised for a thread, it behaves as that thread's own graph.
    """
    kinds: dict[Hashable, list[Position]] = defaultdict(list)
    numbered: dict[int, int] = {}  # by the identity of a node, of which threads of a class have many together
    numbers: dict[ir.Node, int] = {}
    for position, body in bodies.items():
        for node in body.nodes.values():
            if id(node) not in numbered:
                numbered[id(node)] = numbers.setdefault(node, len(numbers))
        nodes = tuple((at, numbered[id(node)]) for at, node in sorted(body.nodes.items(), key=lambda item: item[0]))
        kinds[body.entry, nodes, tuple(body.variables.items())].append(position)
    alike = [bodies[members[0]] for members in kinds.values()]
    if len(alike) == 1:
        return alike[0]
    walk = _Walk(grid.span, Indices(grid, list(kinds.values())), alike)
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
        return [constant for value in self.values for constant in values.constants(value)]


@dataclass
class _Slot:
    """A class of merged nodes: representative, node per kind of thread, form, constants as sums over indices."""

    number: int
    form: int = -1
    sums: list[Sum] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)


class _Walk:
    """Threads of several kinds, who go through their graphs together as long as they do the same."""

    def __init__(self, span: Span, indices: Indices, bodies: Sequence[ir.Body]) -> None:
        self._span, self._indices, self._bodies = span, indices, bodies
        self._most = 2 * sum(len(body.nodes) for body in bodies)
        #: The nodes that there are: what threads do together, each in its place, or a branch on their indices.
        self._together: dict[int, tuple[Places, ir.Node]] = {}
        self._branches: dict[int, ir.Branch] = {}
        self._known: dict[Places, int] = {}
        self._through: dict[tuple[int, int], list[int]] = defaultdict(list)
        #: By the identity of a node, of which threads of a class have many together.
        self._shapes: dict[int, _Shape] = {}
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
        """The shape of a node without what follows it; equal ones have one number."""
        node = self._at(place)
        found = self._shapes.get(id(node))
        if found is None:
            alone, form = _alone(node), _form(node)
            whole = self._numbers.setdefault(alone, len(self._numbers))
            found = _Shape(whole, self._numbers.setdefault(form, len(self._numbers)), values_of(node))
            self._shapes[id(node)] = found
        return found

    def _number(self, places: Places) -> int:
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

    def _parts(self, places: Places) -> Iterator[Places]:
        """Those who do the same but for constants; each kind for itself if that is all of them."""
        parts: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        for place in places:
            parts[self._shape(place).form].append(place)
        if len(parts) == 1:
            yield from ((place,) for place in places)
        else:
            yield from map(tuple, parts.values())

    def _meet(self, parts: Sequence[Places]) -> None:
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
        """The shapes that a thread may come to from a place on, nearest first, each with its node."""
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

    def _told_apart(self, parts: Sequence[Places]) -> int:
        """A branch on the indices, to each of the parts."""
        if len(parts) == 1:
            return self._number(parts[0])
        condition, first, second = self._indices.told_apart(parts)
        branch = ir.Branch(condition, self._span, self._told_apart(first), self._told_apart(second))
        number = self._new()
        self._branches[number] = branch
        return number

    def _join(self, places: Iterable[tuple[int, int]]) -> ir.Node | None:
        """The common operation of threads in these places, with the constants of their indices; None if it is not the
        same.
        """
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
        classes: Mapping[int, Hashable] = self._slots(_refined(alike, following))
        while True:
            slots = _refined(classes, following)
            members: dict[int, list[int]] = defaultdict(list)
            for number, slot in sorted(slots.items()):
                members[slot].append(number)
            whole = {slot: self._whole(numbers) for slot, numbers in members.items()}
            if None not in whole.values():
                break  # else the sum of more of them had whole factors, and that of these has not
            classes = {number: (slot, whole[slot] is None and number) for number, slot in slots.items()}
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
            node = whole[slot]
            assert node is not None
            nodes[name] = _leading(node, after)
        return names[slots[entry]], nodes

    def _whole(self, numbers: Sequence[int]) -> ir.Node | None:
        """What threads do at some nodes; None if they do not do the same."""
        first, *others = numbers
        if not others:
            return self._branches.get(first) or self._together[first][1]
        return self._join(place for number in numbers for place in self._together[number][0])

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
            slot.form, slot.sums = first.form, [Sum(c.type) for c in first.constants]
        node = self._at(next(iter(places.items())))
        ordered = isinstance(node, ir.Do) and isinstance(node.operation, ir.Operand)
        if first.form != slot.form or (ordered and self._join([*slot.places.items(), *places.items()]) is None):
            return False
        sums: list[Sum] = []
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
    """The coarsest partition below ``classes`` in which members of a class are followed by members of the same.

    Of the two parts of a class that another one splits it is enough to look at what leads to the smaller one, so each
    node is looked at a few times (Hopcroft 1971, "An n log n algorithm for minimizing states in a finite automaton").
    """
    before: dict[tuple[int, int], list[int]] = defaultdict(list)  # by the place among what follows
    names: dict[Hashable, int] = {}
    of: dict[int, int] = {}
    members: list[set[int]] = []
    for number, key in classes.items():
        after = following[number]
        of[number] = names.setdefault((key, len(after)), len(names))
        if of[number] == len(members):
            members.append(set())
        members[of[number]].add(number)
        for place, other in enumerate(after):
            before[place, other].append(number)
    places = range(max(map(len, following.values()), default=0))
    work = set(range(len(members)))
    while work:
        splitting = tuple(members[work.pop()])
        for place in places:
            leading: dict[int, list[int]] = defaultdict(list)
            for other in splitting:
                for number in before.get((place, other), ()):
                    leading[of[number]].append(number)
            for name, part in leading.items():
                if len(part) < len(members[name]):
                    few = 2 * len(part) <= len(members[name])
                    small = set(part) if few else members[name].difference(part)
                    members[name] -= small  # where the class is still to be looked at, both parts are
                    of |= dict.fromkeys(small, len(members))
                    work.add(len(members))
                    members.append(small)
    return of


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


# ---------------------------------------------------------------- indices
