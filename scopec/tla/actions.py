"""The actions of a module: one a step, its operation's effect and where the thread goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scopec.program import ir, values
from scopec.program.types import IntType
from scopec.program.values import Builtin, Choose, Const, Reg, Value
from scopec.progress.promises import is_choice
from scopec.progress.steps import OLD, OUTCOME, Asleep, Either, Fork, Goto, Step, Tree, Wait, leaves
from scopec.tla import barriers, named_barriers
from scopec.tla.layout import Access
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
        self.layout = layout
        self.barriers = layout.barriers
        self.streams = layout.streams
        self.sleepers = layout.sleepers
        self.helpers: set[str] = set()
        self.builtins: set[str] = set()
        begun = {system.begin(t).label for t in (*system.threads, *system.tasks)}
        #: Labels at which a thread starts and takes its first step at once.
        self.entries = begun - set(system.late_entries)

    def action(self, step: Step) -> Action:
        """The action of a step."""
        span = step.span
        text = self.system.program.source.line(span.line).strip()
        comment = f"{_printable(span.file.rpartition('/')[2])}:{span.line}: {_printable(text)}"
        at = f'/\\ At(t, "{step.label}")' if step.label in self.entries else f'/\\ pc[t] = "{step.label}"'
        return Action(step.label, comment, (at, *self._effect(step)))

    def chosen(self, step: Step) -> Action | None:
        """For a step in which the implementation has a choice, the action in which it does not fail."""
        first, *others = _alternatives(step.tree)
        if not others or not is_choice(step):
            return None
        # Not where the thread would start with it: to choose well is owed, to start is not.
        lines = (f'/\\ pc[t] = "{step.label}"', *self._effect(replace(step, tree=first)))
        return Action(f"{step.label}_succeeds", "the choice that does not fail", lines)

    def _effect(self, step: Step) -> list[str]:
        match step.operation:
            case ir.SyncThreads() | ir.GroupSync() as operation:
                return barriers.arrive(self, step, operation)
            case Wait(ir.SyncThreads() | ir.GroupSync() as operation):
                return barriers.leave(self, step, operation, self.barriers)
            case ir.NamedBarrier() as operation:
                return named_barriers.arrive(self, step, operation)
            case Wait(ir.NamedBarrier() as operation):
                return named_barriers.leave(self, step, operation)
            case ir.Notify() as operation:
                return self.sleepers.notify(self, step, operation)
            case Asleep():
                return self.blocking(step, "FALSE", self.way(step.tree, step))
            case (
                ir.Load(place=place)
                | ir.Store(place=place)
                | ir.Rmw(place=place)
                | ir.CompareExchange(place=place)
                | ir.Await(place=place)
            ):
                ways = self._ways(step, place)
                if step.guard is None:
                    return ways
                return self.blocking(step, self.printer(step, place).condition(step.guard), ways)
            case _:
                called = self.streams.effect(self, step)
                return called if called is not None else self._ways(step, None)

    def blocking(self, step: Step, condition: str, lines: list[str]) -> list[str]:
        """Conjuncts of a step that waits for a condition; with split polls there are two labels."""
        again = f"{step.label}_again"
        if again not in self.system.steps:
            return [f"/\\ {condition}", *lines]
        stay = [f'/\\ Goto(t, "{again}")', self.layout.unchanged(set())]
        return [
            f"/\\ \\/ /\\ {condition}",
            *(f"      {line}" for line in lines),
            f"   \\/ /\\ ~({condition})",
            *(f"      {line}" for line in stay if line),
        ]

    def _ways(self, step: Step, place: ir.Place | None) -> list[str]:
        """The rest of an action: one way, or a disjunction where the implementation may choose."""
        ways = list(_alternatives(step.tree))
        if len(ways) == 1:
            return self.way(ways[0], step, place)
        lines = []
        for number, way in enumerate(ways):
            first, *rest = self.way(way, step, place)
            lead = "/\\ " if number == 0 else "   "
            lines.append(f"{lead}\\/ {first}")
            lines += [f"      {line}" for line in rest]
        return lines

    def way(
        self,
        tree: Tree,
        step: Step,
        place: ir.Place | None = None,
        *,
        changed: Iterable[str] = (),
        move: Callable[[str], str] | None = None,
    ) -> list[str]:
        """Conjuncts for memory, registers and control, folding the tree's conditions into each.

        ``changed`` are variables that other conjuncts give new values; ``move`` gives the conjunct for ``pc`` from the
        label that the thread goes on at.
        """
        printer = self.printer(step, place)
        ends = list(leaves(tree))
        now = set(changed)
        lines = []
        local: dict[str, str] = {}
        writes = any(end.write is not None for end in ends)
        stored = wrote = None
        if place is not None and writes:
            stored = self._fold(tree, lambda end: end.write if end.write is not None else Reg(OLD, _ANY), printer)
            wrote = self.writes(tree, step, place)
        if place is not None and place.object in self.layout.automatic:
            if stored is not None:
                local[self.layout.path(place, printer)] = stored
        elif effect := self.layout.effect(Access(step, place, stored, wrote), printer):
            lines.append(effect)
            now.add("mem")
        for register in sorted({r for end in ends for r, _ in end.updates}):
            local[f"![t].{self.layout.names.field(register)}"] = self._fold(tree, _update_of(register), printer)
        if local:
            updates = ", ".join(f"{path} = {text}" for path, text in local.items())
            lines.append(f"/\\ reg' = [reg EXCEPT {updates}]")
            now.add("reg")
        label = self._label(tree, printer)
        if move is not None:
            lines.append(f"/\\ {move(label)}")
        elif place is not None and writes and place.object in self.sleepers.objects:
            lines.append(f"/\\ {self.sleepers.stir(self, step, place, tree, label)}")
        else:
            lines.append(f"/\\ Goto(t, {label})")
        lines.append(self.layout.unchanged(now))
        return [line for line in lines if line]

    def printer(self, step: Step, place: ir.Place | None = None, who: str = "t") -> Printer:
        """Prints values of a step of thread ``who``; ``place`` is what the step's operation finds its value in."""
        return Printer(lambda leaf: self._leaf(leaf, place, step, who), step.span, self.helpers)

    def writes(self, tree: Tree, step: Step, place: ir.Place) -> str:
        """Whether a step writes, where it may or may not."""
        wrote = _folded(tree, lambda end: values.TRUE if end.write is not None else values.FALSE)
        return self.printer(step, place).condition(wrote)

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
        return printer.value(_folded(tree, pick))

    def _leaf(self, leaf: Reg | Builtin, place: ir.Place | None, step: Step, who: str) -> str:
        if isinstance(leaf, Builtin):
            self.builtins.add(leaf.name)
            return f"{leaf.name.replace('.', '_')}[{who}]"
        if leaf.name == OUTCOME:
            assert isinstance(step.operation, Wait)
            assert isinstance(step.operation.at, ir.SyncThreads)
            return barriers.outcome(step.operation.at)
        if leaf.name == OLD:
            assert place is not None
            return self.layout.read(place, step, self.printer(step, None, who))
        return f"reg[{who}].{self.layout.names.field(leaf.name)}"


def _folded(tree: Tree, pick: Callable[[Goto], Value]) -> Value:
    match tree:
        case Goto():
            return pick(tree)
        case Fork(condition, then, otherwise):
            first, second = _folded(then, pick), _folded(otherwise, pick)
            if isinstance(first, Const) and isinstance(second, Const) and first.value == second.value:
                return first
            return first if first == second else Choose(condition, first, second, first.type)
        case Either():
            raise AssertionError("alternatives are taken apart before")


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
