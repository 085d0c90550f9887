"""Questions as Alloy formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.engines.alloy.text import disjunction, parenthesised, union
from scopec.memory.events.events import shown_location
from scopec.memory.questions import Goal, Question
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.engines.alloy.groups import Groups
    from scopec.engines.alloy.paths import Conditions
    from scopec.engines.alloy.relational import Names, Printer
    from scopec.engines.alloy.values import Values
    from scopec.memory.events.events import Event
    from scopec.memory.questions import Problem
    from scopec.program.observe import Formula, Location, Target
    from scopec.program.types import IntType


class Questions:
    """The commands of a problem; ``finals`` are the final values that they mention, by location."""

    def __init__(
        self, problem: Problem, groups: Groups, values: Values, conditions: Conditions, names: Names, printer: Printer
    ) -> None:
        self.problem = problem
        self.graph = problem.base.graph
        self.groups = groups
        self.values = values
        self.conditions = conditions
        self.names = names
        self.printer = printer
        self.finals: dict[str, dict[str, str]] = {}

    def commands(self, valued: str, computed: Sequence[Event]) -> list[dict[str, str]]:
        """Each question with its formula.

        ``valued`` is what every question but that for values outside the domains asks for, if it is not empty;
        ``computed`` are the writes whose values depend on reads.
        """
        out = []
        for question in self.problem.questions:
            formula = self._goal(question, computed)
            if valued and question.goal is not Goal.OVERFLOW:
                formula = formula.replace("consistent", "consistent and valued", 1)
            expect = "" if question.expected is None else f" expect {int(question.expected)}"
            out.append({"name": question.name, "comment": question.comment, "formula": formula, "expect": expect})
        return out

    def _goal(self, question: Question, computed: Sequence[Event]) -> str:
        match question.goal:
            case Goal.EXECUTION:
                return "consistent and complete"
            case Goal.PREFIX:
                return "consistent"
            case Goal.RACE:
                return f"consistent and {self._race(question.target)}"
            case Goal.OUTCOME | Goal.COUNTER_OUTCOME:
                assert question.formula is not None
                formula = self._observed(question.formula)
                if question.goal is Goal.COUNTER_OUTCOME:
                    formula = f"not ({formula})"
                return f"consistent and complete and ({formula})"
            case Goal.ASSERTION | Goal.FAULT:
                fails = " or ".join(
                    f"({self.conditions.guard(a.guard)} and not ({self.values.condition(a.condition)}))"
                    for a in question.assertions
                )
                if question.goal is Goal.ASSERTION:
                    return f"consistent and complete and ({fails})"
                races = self.problem.model.races if self.graph.phases else ()
                early = (f" or {self.printer.race(race, 'iden')}" for race in races)
                return f"consistent and ({fails}{''.join(early)})"
            case Goal.WEAK:
                given = " + ".join(map(self.names.of, ("po", "asw")))
                return f"consistent and some e : Exec | e in e.^({given} + rf + co + (~rf).co)"
            case Goal.LEFT:
                assert question.paths is not None
                return f"consistent and {self.conditions.paths(question.paths)}"
            case Goal.LONGER:
                cuts = dict.fromkeys(self.conditions.guard(c.guard) for c in self.graph.cuts if not c.wait)
                return f"consistent and ({' or '.join(cuts)})"
            case Goal.OVERFLOW:
                return f"consistent and some w : ({union(e.id for e in computed)}) & Exec | no w.wv"

    def _race(self, target: Target | None) -> str:
        """The formula that a flag of the model is raised, or that one reports accesses to ``target``."""
        model = self.problem.model
        if target is None:
            return disjunction(self.printer.flag(flag) for flag in model.flags)
        places = [f"at_{self.groups.at(at)}" for at in self.graph.locations if target.holds(at)]
        if not places:
            return disjunction(())
        at = parenthesised(places)
        return disjunction(self.printer.race(race, f"{at}->{at}") for race in model.races)

    def _observed(self, formula: Formula) -> str:
        """A condition on the final state: registers by their final expressions, locations by their last write."""

        def memory(location: Location, type_: IntType) -> Value:
            if location not in self.graph.locations:
                initial = self.graph.program.objects[location.object].values[location.index]
                return Const(initial or 0, type_)
            self._final(location)
            return Reg(final_register(self.groups.at(location)), type_)

        condition = self.graph.at_the_end(formula, memory)
        return "no Event" if condition is None else self.values.condition(condition)

    def _final(self, location: Location) -> None:
        name = self.groups.at(location)
        last = f"let ws = w_{name} & Exec | (ws - co.ws).wv"
        self.finals[name] = {
            "name": f"final_{name}",
            "body": f"Last.last_{name}.wv" if self.problem.model.partial_co else last,
            "comment": f"{shown_location(location, self.graph.program)} at the end",
            "last": f"last_{name}",
            "writes": f"w_{name}",
        }


def final_register(location: str) -> str:
    """The register that stands for the value of a location at the end."""
    return f"final_{location}"
