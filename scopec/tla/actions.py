"""The actions of a module: one a step, its operation's effect and where the thread goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scopec.memory.events import identifier
from scopec.program import ir
from scopec.program.types import IntType
from scopec.program.values import Builtin, Choose, Const, Reg, Value
from scopec.progress.steps import OLD, Either, Fork, Goto, Step, Tree, Wait, leaves
from scopec.tla.names import field_name, strings
from scopec.tla.values import Printer

if TYPE_CHECKING:
    from scopec.progress.system import System
    from scopec.tla.layout import Layout

_ANY = IntType("long", 64, signed=True)


@dataclass(frozen=True)
class Action:
    """An action: the line of the source that it is, and its conjuncts."""

    name: str
    comment: str
    lines: tuple[str, ...]


class Actions:
    """Writes the actions of a system; collects the operators and builtins that they need."""

    def __init__(self, system: System, layout: Layout) -> None:
        self.system = system
        self.program = system.program
        self.layout = layout
        self.helpers: set[str] = set()
        self.builtins: set[str] = set()
        begun = {system.begin(t).label for t in system.threads}
        #: Labels at which a thread starts and takes its first step at once.
        self.entries = begun - set(system.late_entries)

    def action(self, step: Step) -> Action:
        """The action of a step."""
        span = step.span
        text = self.program.source.line(span.line).strip()
        comment = f"{_printable(span.file.rpartition('/')[2])}:{span.line}: {_printable(text)}"
        at = f'/\\ At(t, "{step.label}")' if step.label in self.entries else f'/\\ pc[t] = "{step.label}"'
        return Action(step.label, comment, (at, *self._effect(step)))

    def _effect(self, step: Step) -> list[str]:
        operation = step.operation
        match operation:
            case ir.LaunchGrid(grid):
                return [
                    f'/\\ issued\' = Append(issued, "{identifier(grid)}")',
                    *self._way(step.tree, step, None, {"issued"}),
                ]
            case ir.DeviceSynchronize(device):
                guard = [f"/\\ {self._all_done(g.name for g in self.program.grids.values() if g.device == device)}"]
                return [*guard, *self._way(step.tree, step, None, set())]
            case ir.StreamQuery(_, stream):
                ready, not_ready = (end.label for end in leaves(step.tree))
                done = self._stream_done(stream)
                goto = f'/\\ Goto(t, IF {done} THEN "{ready}" ELSE "{not_ready}")'
                return [goto, self.layout.unchanged(set())]
            case ir.SyncThreads():
                arrive = "/\\ arrived' = [arrived EXCEPT ![BlockOf[t]] = @ \\cup {t}]"
                return [arrive, *self._way(step.tree, step, None, {"arrived"})]
            case Wait():
                return self._wait(step)
            case ir.Load(place=place) | ir.Store(place=place) | ir.Rmw(place=place) | ir.CompareExchange(place=place):
                return self._ways(step, place)
            case _:
                return self._ways(step, None)

    def _wait(self, step: Step) -> list[str]:
        leave = "arrived' = [arrived EXCEPT ![BlockOf[t]] = IF t \\in @ THEN {} ELSE @]"
        if self.system.reductions.polls:
            return ["/\\ Released(t)", f"/\\ {leave}", *self._way(step.tree, step, None, {"arrived"})]
        go = self._way(step.tree, step, None, {"arrived"})
        stay = [f'/\\ Goto(t, "{step.label}_again")', self.layout.unchanged(set())]
        return [
            "/\\ \\/ /\\ Released(t)",
            f"      /\\ {leave}",
            *(f"      {line}" for line in go),
            "   \\/ /\\ ~Released(t)",
            *(f"      {line}" for line in stay),
        ]

    def _stream_done(self, name: str) -> str:
        return self._all_done(g for g in self.system.grids if self.program.grids[g].stream.name == name)

    def _all_done(self, grids: Iterable[str]) -> str:
        """A formula: of these grids, those that have been issued are done."""
        wanted = set(grids)
        listed = [g for g in self.system.grids if g in wanted]
        if not listed:
            return "TRUE"
        if len(listed) == len(self.system.grids):
            return "AllIssuedDone"
        names = strings(identifier(g) for g in listed)
        return f"\\A i \\in DOMAIN issued : issued[i] \\in {names} => GridDone(issued[i])"

    def _ways(self, step: Step, place: ir.Place | None) -> list[str]:
        """The rest of an action: one way, or a disjunction where the implementation may choose."""
        ways = list(_alternatives(step.tree))
        if len(ways) == 1:
            return self._way(ways[0], step, place, set())
        lines = []
        for number, way in enumerate(ways):
            first, *rest = self._way(way, step, place, set())
            lead = "/\\ " if number == 0 else "   "
            lines.append(f"{lead}\\/ {first}")
            lines += [f"      {line}" for line in rest]
        return lines

    def _way(self, tree: Tree, step: Step, place: ir.Place | None, changed: set[str]) -> list[str]:
        """Conjuncts for memory, registers and control, folding the tree's conditions into each."""
        printer = Printer(lambda leaf: self._leaf(leaf, place, step), step.span, self.helpers)
        ends = list(leaves(tree))
        changed = set(changed)
        lines = []
        local: dict[str, str] = {}
        if place is not None and any(end.write is not None for end in ends):
            stored = self._fold(tree, lambda end: end.write if end.write is not None else Reg(OLD, _ANY), printer)
            path = self.layout.path(place, printer)
            if place.object in self.layout.automatic:
                local[path] = stored
            else:
                lines.append(f"/\\ mem' = [mem EXCEPT {path} = {stored}]")
                changed.add("mem")
        for register in sorted({r for end in ends for r, _ in end.updates}):
            local[f"![t].{field_name(register)}"] = self._fold(tree, _update_of(register), printer)
        if local:
            updates = ", ".join(f"{path} = {text}" for path, text in local.items())
            lines.append(f"/\\ reg' = [reg EXCEPT {updates}]")
            changed.add("reg")
        lines.append(f"/\\ Goto(t, {self._label(tree, printer)})")
        lines.append(self.layout.unchanged(changed))
        return [line for line in lines if line]

    def _label(self, tree: Tree, printer: Printer) -> str:
        match tree:
            case Goto(label):
                return f'"{label}"'
            case Fork(condition, then, otherwise):
                if {end.label for end in leaves(tree)} == {label := next(leaves(tree)).label}:
                    return f'"{label}"'
                return (
                    f"IF {printer.condition(condition)} THEN {self._label(then, printer)} "
                    f"ELSE {self._label(otherwise, printer)}"
                )
            case Either():
                raise AssertionError("alternatives are taken apart before")

    def _fold(self, tree: Tree, pick: Callable[[Goto], Value], printer: Printer) -> str:
        """One value for all ends of a tree: the tree's conditions around what ``pick`` gives for each end."""

        def value(tree: Tree) -> Value:
            match tree:
                case Goto():
                    return pick(tree)
                case Fork(condition, then, otherwise):
                    first, second = value(then), value(otherwise)
                    if isinstance(first, Const) and isinstance(second, Const) and first.value == second.value:
                        return first
                    return first if first == second else Choose(condition, first, second, first.type)
                case Either():
                    raise AssertionError("alternatives are taken apart before")

        return printer.value(value(tree))

    def _leaf(self, leaf: Reg | Builtin, place: ir.Place | None, step: Step) -> str:
        if isinstance(leaf, Builtin):
            self.builtins.add(leaf.name)
            return f"{leaf.name.replace('.', '_')}[t]"
        if leaf.name == OLD:
            assert place is not None
            return self.layout.read(place, Printer(lambda leaf: self._leaf(leaf, None, step), step.span, self.helpers))
        return f"reg[t].{field_name(leaf.name)}"


def _update_of(register: str) -> Callable[[Goto], Value]:
    return lambda end: dict(end.updates).get(register, Reg(register, _ANY))


def _alternatives(tree: Tree) -> Iterator[Tree]:
    """The trees without choices by the implementation that a tree stands for."""
    match tree:
        case Goto():
            yield tree
        case Either(first, second):
            yield from _alternatives(first)
            yield from _alternatives(second)
        case Fork(condition, then, otherwise):
            for yes in _alternatives(then):
                for no in _alternatives(otherwise):
                    yield Fork(condition, yes, no)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() and ord(c) < 128 else "?" for c in text)[:100]
