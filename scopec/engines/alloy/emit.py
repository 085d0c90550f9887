"""From a memory problem to one self-contained Alloy specification."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scopec.base.templates import render
from scopec.engines.alloy.given import DECLARED, Given
from scopec.engines.alloy.groups import Groups
from scopec.engines.alloy.paths import Conditions
from scopec.engines.alloy.questions import Questions, final_register
from scopec.engines.alloy.relational import Names, Printer
from scopec.engines.alloy.text import Named, fitted, parenthesised, union
from scopec.engines.alloy.values import Table, Values, atom, choice_field
from scopec.memory.domains.domains import Domains, circular_reads
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.memory.events.events import LeftOpen
    from scopec.memory.questions import Problem


def emit(problem: Problem) -> str:
    """The text of the .als file that asks all of a problem's questions, one command each."""
    return _Emitter(problem).text()


class _Emitter:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.graph = problem.base.graph
        self.groups = Groups(problem.base)
        terms = {name: f"Choice.{choice_field(choice)}" for name, choice in self.graph.choices.items()}
        finals = [final_register(self.groups.at(location)) for location in self.graph.locations]
        self.values = Values(self._domains(), {**terms, **{name: name for name in finals}})
        self.computed = [e for e in self.graph.events if e.writes and not isinstance(e.value, Const)]
        self.names = Names(self.graph.by_id, DECLARED)
        self.printer = Printer(problem.model, self.names.of)

    def text(self) -> str:
        """The specification: predicates and tables come to be as they are asked for, so the order matters."""
        conditions = Conditions(self.graph, self.values)
        given = Given(self.problem, self.groups, conditions)
        written = self._written()
        equations = self._equations()
        executed = conditions.executed(self.groups)
        definitions, axioms = self._model()
        named = [replace(g, name=self.names.of(g.name)) for g in given.named()]
        equations += conditions.impossible()
        complete = conditions.complete()
        valued = " and ".join(self._valued(lambda read: read in self.problem.domains.open))
        questions = Questions(self.problem, self.groups, self.values, conditions, self.names, self.printer)
        commands = questions.commands(valued, self.computed)
        finals = list(questions.finals.values())
        co, unordered = given.coherence()
        model = self.problem.model
        context: dict[str, Any] = {
            "header": self.problem.header,
            "computed": bool(self.computed),
            "choices": [self._choice(choice) for choice in self.graph.choices.values()],
            "groups": self.groups.shown,
            "locations": list(self.groups.locations()),
            "written": written,
            "conditions": conditions.shown,
            "paths": conditions.combined,
            "executed": executed,
            "rf_candidates": given.sources(),
            "reads": given.reads(),
            "co": co,
            "unordered": unordered,
            "partial_co": model.partial_co,
            "sync_fence": given.ordered(),
            "orders": [
                {
                    "field": f"order_{n}_",
                    "name": self.names.of(o.name),
                    "text": o.text,
                    "pairs": self.printer.show(o.expr),
                }
                for n, o in enumerate(model.orders)
            ],
            "given": named,
            "equations": equations,
            "valued": valued,
            "model_title": f"{self.problem.model_name}: {model.title}",
            "definitions": definitions,
            "axioms": axioms,
            "consistent": ["candidate", *(a.name for a in axioms)],
            "complete": complete,
            "finals": finals,
            "last": finals if model.partial_co else [],
            "questions": commands,
            "named": [Named(name, body) for name, body in self.values.named.values()],
            "tables": [_table(t) for t in self.values.tables.values()],
        }
        context["values"] = [atom(v) for v in sorted(self.values.atoms)] or ["v0"]
        return fitted(render("alloy/memory.als.j2", context))

    def _domains(self) -> Domains:
        """The domains of reads and choices, and of the final values of locations."""
        known = self.problem.domains
        of = dict(known.of)
        for location in self.graph.locations:
            stored = [known.values(e.value) for e in self.graph.accesses(location) if e.value is not None]
            of[final_register(self.groups.at(location))] = frozenset[int]().union(*stored)
        return Domains(of, known.closed)

    def _choice(self, choice: LeftOpen) -> dict[str, str]:
        self.values.atoms.update(choice.values)
        return {"name": choice_field(choice), "domain": parenthesised(atom(v) for v in choice.values)}

    def _written(self) -> str:
        """``wv``: constants grouped by value, and the candidates of computed writes."""
        by_value: dict[int, list[str]] = {}
        for event in self.graph.events:
            if event.writes and isinstance(event.value, Const):
                by_value.setdefault(event.value.value, []).append(event.id)
                self.values.atoms.add(event.value.value)
        parts = [f"{parenthesised(ids)}->{atom(value)}" for value, ids in sorted(by_value.items())]
        for event in self.computed:
            assert event.value is not None
            domain = sorted(self.problem.domains.values(event.value))
            self.values.atoms.update(domain)
            if domain:
                parts.append(f"(wv_ & {event.id}->{parenthesised(atom(v) for v in domain)})")
        return union(parts) or "none->none"

    def _equations(self) -> list[str]:
        """Equations for the value of each computed write, which has one even if it depends on itself."""
        lines = ["wv_ = wv & (" + union(e.id for e in self.computed) + ")->Value"] if self.computed else []
        for event in self.computed:
            assert event.value is not None
            lines.append(f"{event.id}.wv_ = {self.values.value(event.value)}")
        return [*lines, *self._valued(lambda read: read not in self.problem.domains.open)]

    def _valued(self, which: Callable[[str], bool]) -> list[str]:
        """The condition that reads whose values may depend on themselves return one of their domains."""
        reads = [read for read in circular_reads(self.graph) if which(read)]
        return [f"all r : {parenthesised(reads)} & Exec | some r.rv"] if reads else []

    def _model(self) -> tuple[list[Named], list[Named]]:
        """The definitions and the axioms of the model, each with its text in the .cat file."""
        definitions = []
        for d in self.problem.model.definitions:
            type_ = "set Event" if d.kind == "set" else "Event->Event"
            body = self.printer.show(d.expr, want=d.kind)
            definitions.append(Named(self.names.of(d.name), body, type_, d.text))
        axioms = [
            Named(self.names.new(a.name, "_axiom"), self.printer.axiom(a), comment=a.text)
            for a in self.problem.model.axioms
        ]
        return definitions, axioms


def _table(table: Table) -> dict[str, str]:
    body = union("->".join(atom(v) for v in (*arguments, result)) for arguments, result in table.rows)
    return {
        "name": table.name,
        "comment": table.comment,
        "type": "->".join(["Value"] * (table.arity + 1)),
        "rows": body or "->".join(["none"] * (table.arity + 1)),
    }
