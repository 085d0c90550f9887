"""From a memory problem to one self-contained Alloy specification.

The form is the one that Alloy's translation to SAT is fastest on (memory-models note, "Encoding"): what the program
fixes is a zero-argument function over constants, so that it folds away; groups of events are named, because every
``one sig`` is a type of its own and long unions of products of them are slow to type-check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from scopec.alloy.relational import Names, Printer
from scopec.alloy.values import Table, Values, atom, choice_name
from scopec.expectations import Location
from scopec.memory.base import PLACES
from scopec.memory.cat.model import GIVEN_RELATIONS, GIVEN_SETS
from scopec.memory.domains import Domains, circular_reads
from scopec.memory.events import Event, Kind, Synchronises, shown_location
from scopec.memory.guards import Guard
from scopec.memory.paths import All, Not, Paths, Some
from scopec.memory.questions import Goal, Problem, Question
from scopec.memory.sequencing import steps
from scopec.program.names import distinct, identifier
from scopec.program.values import Const, Reg, Value, show, substitute
from scopec.templates import render

if TYPE_CHECKING:
    from scopec.expectations import Formula, Target
    from scopec.program.types import IntType


def emit(problem: Problem) -> str:
    """The text of the .als file that asks all of a problem's questions, one command each."""
    return _Emitter(problem).text()


@dataclass(frozen=True)
class _Named:
    """A function or predicate with its body."""

    name: str
    body: str
    type: str = ""
    comment: str = ""


class _Emitter:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.graph = problem.base.graph
        self.program = self.graph.program
        self.values = Values(self._domains())
        self.initial = [e for e in self.graph.events if e.kind is Kind.INIT]
        self.others = [e for e in self.graph.events if e.kind is not Kind.INIT]
        self.conditional = any(not e.guard.always for e in self.graph.events)
        self.computed = [e for e in self.graph.events if e.writes and not isinstance(e.value, Const)]
        self.groups: dict[tuple[str, ...], str] = {}
        self.guard_names: dict[int, str] = {}
        self.guard_predicates: list[_Named] = []
        self.names = Names(self.graph.by_id, ("rf", "co", "id"))
        self.printer = Printer(problem.model, self.names.of)
        self.partial_co = problem.model.partial_co
        #: What every question but that for values outside the domains asks for.
        self.valued = " and ".join(self._valued(lambda read: read in self.problem.domains.open))

    def text(self) -> str:
        groups = self._groups()
        locations = self._locations()
        conditions = [
            _Named(f"c{i}", self.values.condition(c), comment=self._condition_comment(c))
            for i, c in enumerate(self.graph.conditions)
        ]
        written = self._written()
        equations = self._equations()
        executed = self._executed()
        definitions, axioms = self._model()
        given = self._given()
        equations += self._impossible()
        complete = self._complete()
        finals, questions = self._questions()
        co, unordered = self._coherence()
        context: dict[str, Any] = {
            "header": self.problem.header,
            "computed": bool(self.computed),
            "choices": [self._choice(name, possible) for name, possible in self.graph.choices.items()],
            "groups": groups,
            "locations": locations,
            "written": written,
            "conditions": conditions,
            "paths": self.guard_predicates,
            "executed": executed,
            "rf_candidates": _union(
                f"w_{self._at(at)}->r_{self._at(at)}" for at in self.graph.locations if self._reads(at)
            )
            or "none->none",
            "reads": _union(f"r_{self._at(at)}" for at in self.graph.locations if self._reads(at)) or "none",
            "co": co,
            "unordered": unordered,
            "partial_co": self.partial_co,
            "sync_fence": self._sync_fence(),
            "given": given,
            "equations": equations,
            "valued": self.valued,
            "model_title": f"{self.problem.model_name}: {self.problem.model.title}",
            "definitions": definitions,
            "axioms": [{"name": a.name, "formula": a.body, "text": a.comment} for a in axioms],
            "consistent": ["candidate", *(a.name for a in axioms)],
            "complete": complete,
            "finals": finals,
            "last": finals if self.partial_co else [],
            "questions": questions,
            "named": [{"name": name, "body": body} for name, body in self.values.named.values()],
            "tables": [_table(t) for t in self.values.tables.values()],
        }
        context["values"] = [atom(v) for v in sorted(self.values.atoms)] or ["v0"]
        return render("alloy/memory.als.j2", context)

    def _domains(self) -> Domains:
        """The domains of reads and choices, and of the final values of locations."""
        known = self.problem.domains
        of = dict(known.of)
        for location in self.graph.locations:
            stored = [known.values(e.value) for e in self.graph.accesses(location) if e.value is not None]
            of[_final_register(self._at(location))] = frozenset[int]().union(*stored)
        return Domains(of, known.closed)

    def _choice(self, name: str, possible: Sequence[int]) -> dict[str, str]:
        self.values.atoms.update(possible)
        domain = _parenthesised(atom(v) for v in possible)
        return {"name": choice_name(name).removeprefix("Choice."), "domain": domain}

    # ---- events and their groups

    def _groups(self) -> list[dict[str, Any]]:
        out = []
        if self.initial:
            out.append(self._group("init", "initial writes", self.initial))
        names = distinct({t.name: identifier(t.name) for t in self.program.threads})
        for thread in self.program.threads:
            events = [e for e in self.graph.events if e.thread == thread.name]
            if events:
                out.append(self._group(f"th_{names[thread.name]}", f"thread {thread.name}", events))
        return out

    def _group(self, name: str, title: str, events: Sequence[Event]) -> dict[str, Any]:
        self.groups[tuple(e.id for e in events)] = name
        width = max(len(e.id) for e in events)
        rows = [{"name": e.id, "pad": " " * (width - len(e.id)), "comment": f"{_place(e)}{e.text}"} for e in events]
        return {"name": name, "title": title, "events": rows, "members": _union(e.id for e in events)}

    def _at(self, location: Location) -> str:
        return self.graph.location_names[location]

    def _reads(self, location: Location) -> list[str]:
        return [e.id for e in self.graph.accesses(location) if e.kind is Kind.READ]

    def _writes(self, location: Location) -> list[str]:
        return [e.id for e in self.graph.accesses(location) if e.writes]

    def _locations(self) -> list[dict[str, str]]:
        out = []
        for location in self.graph.locations:
            name = self._at(location)
            out.append({"name": f"w_{name}", "members": _union(self._writes(location))})
            reads = self._reads(location)
            if reads:
                out.append({"name": f"r_{name}", "members": _union(reads)})
            out.append({"name": f"at_{name}", "members": f"w_{name} + r_{name}" if reads else f"w_{name}"})
        return out

    def _set(self, ids: Sequence[str]) -> str:
        """An expression for a set of events, with the names of groups that it is made of."""
        members = list(ids)
        known = self.groups.get(tuple(members))
        if known:
            return known
        parts: list[str] = []
        remaining = set(members)
        for group, name in self.groups.items():
            if set(group) <= remaining:
                parts.append(name)
                remaining -= set(group)
        parts += [m for m in members if m in remaining]
        return _union(parts) or "none"

    # ---- values and conditions

    def _condition_comment(self, condition: Value) -> str:
        reads = {leaf.name.partition("?")[0] for leaf in _leaves(condition)}
        places = sorted({str(self.graph.by_id[r].span.line) for r in reads if r in self.graph.by_id})
        where = f"line {', '.join(places)}: " if places else ""

        def short(leaf: Any) -> Value:
            event = self.graph.by_id.get(leaf.name.partition("?")[0])
            if event is None or event.location is None or "?" in leaf.name:
                return Reg(leaf.name, leaf.type)
            return Reg(shown_location(event.location, self.program), leaf.type)

        return f"{where}{show(substitute(condition, short))}"

    def _written(self) -> str:
        """``wv``: constants grouped by value, and the candidates of computed writes."""
        by_value: dict[int, list[str]] = {}
        for event in self.graph.events:
            if event.writes and isinstance(event.value, Const):
                by_value.setdefault(event.value.value, []).append(event.id)
                self.values.atoms.add(event.value.value)
        parts = [f"{_parenthesised(ids)}->{atom(value)}" for value, ids in sorted(by_value.items())]
        for event in self.computed:
            assert event.value is not None
            domain = sorted(self.problem.domains.values(event.value))
            self.values.atoms.update(domain)
            if domain:
                parts.append(f"(wv_ & {event.id}->{_parenthesised(atom(v) for v in domain)})")
        return _union(parts) or "none->none"

    def _equations(self) -> list[str]:
        """What each computed write stores, and that it stores something where that depends on itself."""
        lines = ["wv_ = wv & (" + _union(e.id for e in self.computed) + ")->Value"] if self.computed else []
        for event in self.computed:
            assert event.value is not None
            lines.append(f"{event.id}.wv_ = {self.values.value(event.value)}")
        return [*lines, *self._valued(lambda read: read not in self.problem.domains.open)]

    def _valued(self, which: Callable[[str], bool]) -> list[str]:
        """That reads whose values may depend on themselves return one of their domains."""
        reads = [read for read in circular_reads(self.graph) if which(read)]
        return [f"all r : {_parenthesised(reads)} & Exec | some r.rv"] if reads else []

    def _guard(self, guard: Guard) -> str:
        """A formula for a guard; parts that several guards share, and large ones, become predicates."""
        if guard.always:
            return "some Event"
        if guard.never:
            return "no Event"
        number, low, high = guard.branch
        if high.always and low.never:
            return f"c{number}"
        if high.never and low.always:
            return f"not c{number}"
        if guard.node not in self.guard_names:
            if low.never:
                body = f"c{number} and {self._guard(high)}"
            elif high.never:
                body = f"not c{number} and {self._guard(low)}"
            elif high.always:
                body = f"c{number} or {self._guard(low)}"
            elif low.always:
                body = f"not c{number} or {self._guard(high)}"
            else:
                body = f"c{number} => {self._guard(high)} else {self._guard(low)}"
            name = f"g{len(self.guard_names) + 1}"
            self.guard_names[guard.node] = name
            self.guard_predicates.append(_Named(name, body))
        return self.guard_names[guard.node]

    def _executed(self) -> str:
        by_guard: dict[int, list[Event]] = {}
        for event in self.graph.events:
            by_guard.setdefault(event.guard.node, []).append(event)
        parts = []
        for events in by_guard.values():
            ids = self._set([e.id for e in events])
            guard = events[0].guard
            parts.append(ids if guard.always else f"({self._guard(guard)} => {ids} else none)")
        return _union(parts) or "none"

    def _restricted(self, body: str) -> str:
        """A relation over the program's events, restricted to executed ones."""
        return f"{_product(body)} & Exec->Exec" if self.conditional else body

    # ---- what the program gives

    def _coherence(self) -> tuple[str, str]:
        """``co``, and the pairs of writes that the program leaves unordered, one way round each.

        Each such pair is in ``co_`` or the other way round in ``co``, so that co is total by form: one variable a pair,
        and only transitivity left to ask.  A partial co is what is chosen among the pairs in both directions.
        """
        parts: list[str] = []
        free: list[str] = []
        for location in self.graph.locations:
            initial, *rest = self._writes(location)
            name = self._at(location)
            if rest:
                executed = f"(w_{name} & Exec - {initial})" if self.conditional else f"(w_{name} - {initial})"
                parts.append(f"{initial}->{executed}")
                if self.partial_co and len(rest) > 1:
                    free.append(f"(w_{name} - {initial})->(w_{name} - {initial})")
            for i, write in enumerate(rest[:-1]):
                if not self.partial_co:
                    free.append(f"{write}->{_parenthesised(rest[i + 1 :])}")
        if free:
            parts.append("(partial_co_ & unordered)" if self.partial_co else "(co_ & unordered) + ~(unordered - co_)")
        return _union(parts) or "none->none", self._restricted(_union(free)) if free else ""

    def _sync_fence(self) -> str | None:
        """The pairs that ``sync_fence`` orders one way or the other; None for a model that does not name it."""
        if "sync_fence" not in self.problem.model.mentioned:
            return None
        body = _union(f"{a}->{b}" for a, b in self.problem.base.fence_pairs)
        return self._restricted(body) if body else "none->none"

    def _given(self) -> list[_Named]:
        """The given sets and relations that the model mentions."""
        used = self.problem.model.mentioned
        out = []
        for name in GIVEN_SETS:
            if name in used:
                out.append(_Named(self.names.of(name), self._given_set(name), "set Event"))
        for name in GIVEN_RELATIONS:
            if name in used and name not in ("rf", "co", "id"):
                out.append(_Named(self.names.of(name), self._given_relation(name), "Event->Event"))
        return out

    def _given_set(self, name: str) -> str:
        members = self.problem.base.members.get(name, ())
        always = [e for e, guard in members if guard is None]
        parts = [self._set(always)] if always else []
        by_guard: dict[int, tuple[Guard, list[str]]] = {}
        for event, guard in members:
            if guard is not None:
                by_guard.setdefault(guard.node, (guard, []))[1].append(event)
        for guard, ids in by_guard.values():
            parts.append(f"({self._guard(guard)} => {_parenthesised(ids)} else none)")
        body = _union(parts) or "none"
        return f"{_product(body)} & Exec" if self.conditional and body != "none" else body

    def _given_relation(self, name: str) -> str:
        match name:
            case "po":
                chains = []
                for ids, group in self.groups.items():
                    events = [self.graph.by_id[event] for event in ids]
                    order = [f"{a}->{b}" for a, b in steps(events)] if group.startswith("th_") else []
                    if order:
                        chains.append(f"^({_union(order)})" if len(order) > 1 else order[0])
                body = _union(chains)
            case "int":
                body = _union(self._inside())
            case "ext":
                return f"Exec->Exec - ({_union(self._inside()) or 'none->none'})"
            case "loc":
                body = _union(f"at_{self._at(at)}->at_{self._at(at)}" for at in self.graph.locations)
            case "rmw":
                halves = [e for e in self.graph.events if e.kind is Kind.READ and e.rmw is not None]
                body = _union(f"{e.id}->{e.rmw}" for e in halves)
            case "asw":
                return self._additional(self.graph.asw)
            case "issue":
                return self._additional(self.graph.issue)
            case "syncbar":
                return self._additional(edge for edge in self.graph.asw if edge.barrier)
            case "scta" | "scluster" | "sgpu":
                groups = [_product(self._set(ids)) for ids in self.problem.base.together(PLACES[name])]
                body = _union(f"{g}->{g}" for g in groups)
            case "sync_fence":
                return "^sync_fence_"
            case "incl":
                pairs = self.problem.base.inclusion
                body = _union(f"{_product(self._set(a))}->{_product(self._set(b))}" for a, b in pairs)
            case _:
                body = _union(self._pair(a, b, when) for (a, b), when in self.problem.pairs(name).items())
        return self._restricted(body) if body else "none->none"

    def _pair(self, a: str, b: str, when: Value | None) -> str:
        return f"{a}->{b}" if when is None else f"({self.values.grouped(when)} => {a}->{b} else none->none)"

    def _inside(self) -> list[str]:
        """``int``, in parts: the threads; each initial write is a thread of its own."""
        threads = [f"{n}->{n}" for n in self.groups.values() if n.startswith("th_")]
        return [*threads, "(init <: id)"] if self.initial else threads

    def _additional(self, edges: Iterable[Synchronises]) -> str:
        parts = []
        for edge in edges:
            product = f"{_product(self._set(edge.before))}->{_product(self._set(edge.after))}"
            if edge.when is not None:
                product = f"({self.values.grouped(edge.when)} => {product} else none->none)"
            parts.append(product)
        body = _union(parts)
        return self._restricted(body) if body else "none->none"

    def _impossible(self) -> list[str]:
        """What no execution has, as conjuncts."""
        return [
            f"not ({self._guard(guard)} and {self.values.grouped(value)})" for guard, value in self.graph.impossible
        ]

    def _complete(self) -> str:
        cuts = dict.fromkeys(self._guard(cut.guard) for cut in self.graph.cuts)
        return " and ".join(f"not {c}" if " " not in c else f"not ({c})" for c in cuts) or "some Event"

    # ---- the model and the questions

    def _model(self) -> tuple[list[_Named], list[_Named]]:
        model = self.problem.model
        definitions = []
        for d in model.definitions:
            type_ = "set Event" if d.kind == "set" else "Event->Event"
            definitions.append(
                _Definition(self.names.of(d.name), self.printer.show(d.expr, want=d.kind), type_, d.text)
            )
        axioms = [_Named(self.names.new(a.name, "_axiom"), self.printer.axiom(a), comment=a.text) for a in model.axioms]
        return list(definitions), axioms

    def _questions(self) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        finals: dict[str, dict[str, str]] = {}
        questions = []
        for question in self.problem.questions:
            expect = "" if question.expected is None else f" expect {int(question.expected)}"
            formula = self._question(question, finals)
            questions.append({"name": question.name, "comment": question.comment, "formula": formula, "expect": expect})
        return list(finals.values()), questions

    def _question(self, question: Question, finals: dict[str, dict[str, str]]) -> str:
        formula = self._goal(question, finals)
        if question.goal is Goal.OVERFLOW or not self.valued:
            return formula
        return formula.replace("consistent", "consistent and valued", 1)

    def _goal(self, question: Question, finals: dict[str, dict[str, str]]) -> str:
        match question.goal:
            case Goal.EXECUTION:
                return "consistent and complete"
            case Goal.PREFIX:
                return "consistent"
            case Goal.RACE:
                return f"consistent and {self._race(question.target)}"
            case Goal.OUTCOME | Goal.COUNTER_OUTCOME:
                assert question.formula is not None
                formula = self._observed(question.formula, finals)
                if question.goal is Goal.COUNTER_OUTCOME:
                    formula = f"not ({formula})"
                return f"consistent and complete and ({formula})"
            case Goal.ASSERTION | Goal.FAULT:
                fails = " or ".join(
                    f"({self._guard(a.guard)} and not ({self.values.condition(a.condition)}))"
                    for a in question.assertions
                )
                complete = " and complete" if question.goal is Goal.ASSERTION else ""
                return f"consistent{complete} and ({fails})"
            case Goal.LEFT:
                assert question.paths is not None
                return f"consistent and {self._paths(question.paths)}"
            case Goal.LONGER:
                cuts = dict.fromkeys(self._guard(c.guard) for c in self.graph.cuts if not c.wait)
                return f"consistent and ({' or '.join(cuts)})"
            case Goal.OVERFLOW:
                return f"consistent and some w : ({_union(e.id for e in self.computed)}) & Exec | no w.wv"

    def _paths(self, paths: Paths) -> str:
        """A formula for a condition on the paths of threads."""
        match paths:
            case Guard():
                formula = self._guard(paths)
                return f"({formula})" if " " in formula else formula
            case Not(operand):
                return f"not {self._paths(operand)}"
            case All(()):
                return "some Event"
            case Some(()):
                return "no Event"
            case All(parts):
                return f"({' and '.join(map(self._paths, parts))})"
            case Some(parts):
                return f"({' or '.join(map(self._paths, parts))})"
            case _:
                assert_never(paths)

    def _race(self, target: Target | None) -> str:
        """The formula that a flag of the model is raised, or that one reports accesses to ``target``."""
        model = self.problem.model
        if target is None:
            formulas = [self.printer.flag(flag) for flag in model.flags]
        else:
            places = [f"at_{self._at(at)}" for at in self.graph.locations if target.holds(at)]
            at = _parenthesised(places)
            formulas = [self.printer.race(race, f"{at}->{at}") for race in model.races] if places else []
        if not formulas:
            return "no Event"
        return formulas[0] if len(formulas) == 1 else f"({' or '.join(f'({f})' for f in formulas)})"

    def _observed(self, formula: Formula, finals: dict[str, dict[str, str]]) -> str:
        """A condition on the final state: registers by their final expressions, locations by their last write."""

        def memory(location: Location, type_: IntType) -> Value:
            if location not in self.graph.locations:
                initial = self.program.objects[location.object].values[location.index]
                return Const(initial or 0, type_)
            self._final(location, finals)
            return Reg(_final_register(self._at(location)), type_)

        condition = self.graph.at_the_end(formula, memory)
        return "no Event" if condition is None else self.values.condition(condition)

    def _final(self, location: Location, finals: dict[str, dict[str, str]]) -> None:
        name = self._at(location)
        finals[name] = {
            "name": f"final_{name}",
            "body": f"Last.last_{name}.wv" if self.partial_co else f"let ws = w_{name} & Exec | (ws - co.ws).wv",
            "comment": f"{shown_location(location, self.program)} at the end",
            "last": f"last_{name}",
            "writes": f"w_{name}",
        }


@dataclass(frozen=True)
class _Definition(_Named):
    """A definition of the model, with its text in the .cat file."""

    @property
    def text(self) -> str:
        return self.comment


def _final_register(location: str) -> str:
    """The register that stands for the value of a location at the end."""
    return f"final_{location}"


def _place(event: Event) -> str:
    return "" if event.kind is Kind.INIT else f"line {event.span.line}: "


def _leaves(value: Value) -> list[Any]:
    from scopec.program.values import leaves

    return list(leaves(value))


def _union(parts: Iterable[str]) -> str:
    return " + ".join(parts)


def _parenthesised(parts: Iterable[str]) -> str:
    listed = list(parts)
    return listed[0] if len(listed) == 1 else f"({_union(listed)})"


def _product(expr: str) -> str:
    return f"({expr})" if " " in expr else expr


def _table(table: Table) -> dict[str, str]:
    body = _union("->".join(atom(v) for v in (*arguments, result)) for arguments, result in table.rows)
    return {
        "name": table.name,
        "comment": table.comment,
        "type": "->".join(["Value"] * (table.arity + 1)),
        "rows": body or "->".join(["none"] * (table.arity + 1)),
    }
