"""One control-flow graph for all threads of a grid, which had one each: what they have in common is there once.

Threads go on together while they do the same but for constants that their indices give; where they do not, a branch on
the indices tells them apart.  What does the same from some node on, whichever way led there, is one again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from math import lcm
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
#: The factors of equations on them, the constant first.
_COLUMNS = (len(_INDICES), *range(len(_INDICES)))
#: How many kinds are looked at to find where they meet.
_MOST_THAT_MEET = 16
#: From how many kinds on they are told apart by halves.
_MANY = 8


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


@dataclass(frozen=True, slots=True)
class _Shape:
    """A node without what follows it, also without its constants, both by number, and its values."""

    alone: int
    form: int
    values: list[Value]


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
                found.setdefault(_form(node), at)
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
        slots: dict[int, list[tuple[int, dict[int, int]]]] = defaultdict(list)
        result: dict[int, Hashable] = {}
        for number, class_ in sorted(alike.items()):
            places = dict(self._together[number][0]) if number in self._together else {}
            for first, others in slots[class_]:
                if not others.keys() & places.keys() and self._join([*others.items(), *places.items()]) is not None:
                    others |= places
                    result[number] = first
                    break
            else:
                slots[class_].append((number, places))
                result[number] = number
        return result


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
        case ir.Do():
            return replace(node, next=following[0])
        case ir.Branch():
            return replace(node, then=following[0], otherwise=following[1])
        case ir.Exit():
            return node


def _form(node: ir.Node) -> ir.Node:
    """A node with zero for each constant, without what follows it."""
    return _alone(map_values(node, _without_constants))


def _without_constants(value: Value) -> Value:
    return values.fold(
        value, lambda one, parts: Const(0, one.type) if isinstance(one, Const) else values.rebuild(one, parts)
    )


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
        self._sums: dict[tuple[tuple[tuple[int, int], ...], IntType], Value | None] = {}

    def joined(self, given: Mapping[int, Value]) -> Value | None:
        """The value that threads of each kind have; None if there is none."""
        first = next(iter(given.values()))
        if all(value == first for value in given.values()):
            return first
        if isinstance(first, Const):
            numbers = tuple((kind, value.value) for kind, value in given.items() if isinstance(value, Const))
            if (numbers, first.type) not in self._sums:
                self._sums[numbers, first.type] = self._sum(dict(numbers), first.type)
            return self._sums[numbers, first.type]
        parts = zip(*(values.children(value) for value in given.values()), strict=True)
        joined = [self.joined(dict(zip(given, part, strict=True))) for part in parts]
        return None if any(part is None for part in joined) else values.rebuild(first, [p for p in joined if p])

    def _sum(self, numbers: Mapping[int, int], type_: IntType) -> Value | None:
        """A sum of multiples of the indices that gives each kind its number."""
        wanted = {position: number for kind, number in numbers.items() for position in self._kinds[kind]}
        factors = _solved([(*self._of[at], 1, number) for at, number in wanted.items()])
        if factors is None or any(factor.denominator > 1 for factor in factors):
            return None
        computed = INT if type_.is_bool else type_
        terms = [
            (factor, _multiple(abs(int(factor)), name, computed))
            for factor, name in zip((*factors[-2::-1], factors[-1]), (*reversed(_INDICES), None), strict=True)
            if factor
        ]
        result: Value | None = None
        for factor, term in sorted(terms, key=lambda term: term[0] < 0):
            start = result or Const(0, computed)
            result = term if factor > 0 and not result else values.binary("+" if factor > 0 else "-", start, term)
        result = values.cast(result or Const(0, computed), type_)
        given = (self._computed(result, at) == Const(number, type_) for at, number in wanted.items())
        return result if all(given) else None

    def _computed(self, value: Value, at: Position) -> Value:
        known = dict(zip(_INDICES, self._of[at], strict=True))
        return values.substitute(
            value, lambda one: Const(known[one.name], one.type) if isinstance(one, Builtin) else one
        )

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
        numbers = sorted(block * size + thread for block, thread in threads)
        starts = [n for n in numbers if n - 1 not in set(numbers)]
        result: Value = values.FALSE
        for start in starts:
            end = next(n for n in range(start + 1, numbers[-1] + 2) if n not in set(numbers))
            within = values.binary("<", place, Const(end, UINT))
            if start:
                within = values.binary("&&", values.binary(">=", place, Const(start, UINT)), within)
            result = values.binary("||", result, within)
        return result


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


def _solved(equations: Sequence[Sequence[int]]) -> list[Fraction] | None:
    """What solves linear equations, with 0 for what is left open; None if nothing does.

    An equation is its factors, and then what they add up to.  One that is solved already adds nothing.
    """
    solved: dict[int, list[Fraction]] = {}
    length = len(equations[0]) - 1
    while True:
        found = [solved[column][-1] if column in solved else Fraction(0) for column in range(length)]
        common = lcm(*(factor.denominator for factor in found))
        whole = [*(int(factor * common) for factor in found), -common]
        row = next((e for e in equations if sum(map(mul, whole, e))), None)
        if row is None:
            return found
        reduced = [Fraction(n) for n in row]
        for column, its in solved.items():
            reduced = _minus(reduced, reduced[column], its)
        first = next((column for column in _COLUMNS if reduced[column]), None)
        if first is None:
            return None
        reduced = [n / reduced[first] for n in reduced]
        solved = {column: _minus(its, its[first], reduced) for column, its in solved.items()} | {first: reduced}


def _minus(row: list[Fraction], factor: Fraction, other: list[Fraction]) -> list[Fraction]:
    return [a - factor * b for a, b in zip(row, other, strict=True)] if factor else row
