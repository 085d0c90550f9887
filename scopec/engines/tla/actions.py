"""The actions of a module: one a step, its operation's effect and where the thread goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.files import source_of
from scopec.base.records import dataclass
from scopec.engines.tla.layout import Access
from scopec.engines.tla.terms import Terms
from scopec.engines.tla.values import ATOM, Printer
from scopec.program import values
from scopec.program.types import IntType
from scopec.program.values import Builtin, Choose, Const, Reg, Value
from scopec.progress.promises import is_choice
from scopec.progress.rules import phases
from scopec.progress.rules.sleeping import DUE
from scopec.progress.steps import FIELDS, OLD, BarrierWrite, Either, Fork, Goto, Step, Tree, leaves
from scopec.progress.terms import Name, Of, if_

if TYPE_CHECKING:
    from scopec.engines.tla.layout import Layout
    from scopec.progress.system import System
    from scopec.progress.terms import Term
    from scopec.progress.transition import Transition, Update

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
        self.helpers = {"Goto", *(["OneOf"] if DUE in layout.rules.tables else [])}
        self.builtins: set[str] = set()
        begun = {system.begin(t).label for t in (*system.threads, *system.tasks)}
        #: Labels at which a thread starts and takes its first step at once.
        self.entries = begun - set(system.late_entries)

    def action(self, step: Step) -> Action:
        """The action of a step."""
        span = step.span
        text = source_of(span, self.system.program.source).line(span.line).strip()
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
        transition = self.layout.rules.transition(step)
        terms = self._terms(transition)
        lines = [*map(terms.update, self._others(transition)), *self._ways(transition)]
        if transition.guard is None:
            return lines
        condition = terms.text(transition.guard)
        return self._blocking(step, condition, lines) if step.blocks else [f"/\\ {condition}", *lines]

    @staticmethod
    def _others(transition: Transition) -> list[Update]:
        """The updates of other variables than ``pc``."""
        return [update for update in transition.updates if update.variable != "pc"]

    def _blocking(self, step: Step, condition: str, lines: list[str]) -> list[str]:
        """Conjuncts of a step that waits for a condition; with split polls there are two labels."""
        if not step.again:
            return [f"/\\ {condition}", *lines]
        stay = [f'/\\ Goto(t, "{step.again}")', self.layout.unchanged(set())]
        return [
            f"/\\ \\/ /\\ {condition}",
            *(f"      {line}" for line in lines),
            f"   \\/ /\\ ~({condition})",
            *(f"      {line}" for line in stay if line),
        ]

    def _ways(self, transition: Transition) -> list[str]:
        """The rest of an action: one way, or a disjunction where the implementation may choose."""
        tree = transition.step.tree
        ways = [tree] if transition.choice is not None else list(_alternatives(tree))
        if len(ways) == 1:
            return self._way(ways[0], transition)
        lines = []
        for number, way in enumerate(ways):
            first, *rest = self._way(way, transition)
            lead = "/\\ " if number == 0 else "   "
            lines.append(f"{lead}\\/ {first}")
            lines += [f"      {line}" for line in rest]
        return lines

    def _way(self, tree: Tree, transition: Transition) -> list[str]:
        """Conjuncts for memory, registers and control, folding the tree's conditions into each."""
        step, place = transition.step, transition.place
        printer = self.printer(transition)
        ends = list(leaves(tree))
        now = {update.variable for update in transition.updates}
        lines = []
        local: dict[str, str] = {}
        stored = wrote = None
        if place is not None and any(end.write is not None for end in ends):
            stored = self._stored(tree, transition, printer)
            wrote = self._wrote(tree, printer)
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
        lines += [f"/\\ {self._control(tree, transition)}", self.layout.unchanged(now)]
        return [line for line in lines if line]

    def _stored(self, tree: Tree, transition: Transition, printer: Printer) -> str:
        """The value that a step leaves in its place: a number, or a barrier."""
        if any(isinstance(end.write, BarrierWrite) for end in leaves(tree)):
            return self._terms(transition).text(_state(tree, self._old(transition, printer)))

        def stored(end: Goto) -> Value:
            assert not isinstance(end.write, BarrierWrite)
            return Reg(OLD, _ANY) if end.write is None else end.write

        return self._fold(tree, stored, printer)

    def _old(self, transition: Transition, printer: Printer) -> Name:
        """The value that an update finds in its place."""
        assert transition.place is not None
        return Name(self.layout.old(transition.place, transition.step, printer))

    def _control(self, tree: Tree, transition: Transition) -> str:
        """The conjunct for ``pc``: where the thread goes on, and where other threads are moved."""
        terms, wakes = self._terms(transition), transition.wakes
        if transition.choice is not None:
            ready, not_ready = (end.label for end in leaves(tree))
            return f'Goto(t, IF {terms.text(transition.choice)} THEN "{ready}" ELSE "{not_ready}")'
        label = self._label(tree, self.printer(transition))
        for update in transition.updates:
            if update.variable == "pc" and update.key is None:
                return f"pc' = [{terms.text(update.new)} EXCEPT ![t] = {label}]"
            if update.variable == "pc" and update.key is not None:
                return f"pc' = [pc EXCEPT ![t] = {label}, ![{terms.text(update.key)}] = {terms.text(update.new)}]"
        writes = [end.write is not None for end in leaves(tree)]
        if wakes is None or (transition.place is not None and not any(writes)):
            return f"Goto(t, {label})"
        who = terms.text(wakes.who)
        if transition.place is not None and not all(writes):
            who = f"{{u \\in {who} : {self._wrote(tree, self.printer(transition))}}}"
        if wakes.one:
            return f"\\E S \\in OneOf({who}) : GotoAnd(t, {label}, S, {wakes.to})"
        return f"GotoAnd(t, {label}, {who}, {wakes.to})"

    def _terms(self, transition: Transition) -> Terms:
        """Prints the terms of a transition."""

        def value(of: Of, outer: int) -> str:
            printer = self.printer(transition, of.who)
            return printer.condition(of.value, outer) if of.truth else printer.value(of.value, outer)

        return Terms(self.layout.names.id, value)

    def printer(self, transition: Transition, who: str = "t") -> Printer:
        """Prints values of a step of thread ``who``."""
        return Printer(lambda leaf: self._leaf(leaf, transition, who), transition.step.span, self.helpers)

    def _wrote(self, tree: Tree, printer: Printer) -> str:
        """Whether a step writes, where it may or may not."""
        return printer.condition(_folded(tree, lambda end: values.TRUE if end.write is not None else values.FALSE))

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

    def _leaf(self, leaf: Reg | Builtin, transition: Transition, who: str) -> str:
        if isinstance(leaf, Builtin):
            self.builtins.add(leaf.name)
            return f"{leaf.name.replace('.', '_')}[{who}]"
        if leaf.name in transition.outcomes:
            return self._terms(transition).text(transition.outcomes[leaf.name], ATOM)
        if leaf.name == OLD:
            assert transition.place is not None
            return self.layout.read(transition.place, transition.step, self.printer(transition, who))
        if leaf.name in FIELDS:
            assert transition.place is not None
            found = self.layout.read(transition.place, transition.step, self.printer(transition, who))
            return f"{found}.{FIELDS[leaf.name]}"
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


def _state(tree: Tree, old: Name) -> Term:
    """The state that a tree leaves of the barrier that it finds as ``old``."""
    match tree:
        case Goto(_, _, write):
            assert write is None or isinstance(write, BarrierWrite)
            return old if write is None else phases.written(write, old)
        case Fork(condition, then, otherwise):
            first, second = _state(then, old), _state(otherwise, old)
            return first if first == second else if_(Of(condition, truth=True), first, second)
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
