"""The questions of a file about its program, with their settings, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from scopec.base import options
from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import values
from scopec.program.observe import Formula, Target

MEMORY_KINDS = ("race_free", "race", "undefined", "allowed", "forbidden", "required", "assertion", "condition")
#: Those that ask how executions end.
OUTCOME_KINDS = ("allowed", "forbidden", "required", "assertion", "condition")
PROGRESS_KINDS = ("terminates", "may_hang", "progresses", "may_stall")


@dataclass(frozen=True)
class Expectation:
    """One question of a file with the answer that is expected.

    A ``condition``, the final clause of a litmus file, has a quantifier, and maybe a restriction: the executions that
    it is about (its ``filter``).  An ``implicit`` assertion is asked only where it may fail; it is not in the file.
    """

    kind: str
    text: str
    span: Span
    formula: Formula | None = None
    target: Target | None = None
    quantifier: Literal["exists", "not exists", "forall"] | None = None
    restriction: Formula | None = None
    implicit: bool = False

    @property
    def sought(self) -> Formula | None:
        """The final states that decide a condition: of one with `forall` those that contradict it."""
        if self.formula is None or self.quantifier is None:
            return self.formula
        wanted = self.formula.value if self.quantifier != "forall" else values.unary("!", self.formula.value)
        if self.restriction is None:
            return Formula(wanted, self.formula.observed)
        observed = {**self.restriction.observed, **self.formula.observed}
        return Formula(values.binary("&&", self.restriction.value, wanted), observed)


@dataclass(frozen=True)
class Settings:
    """Options, attributes and bounds, complete: every name has a value."""

    options: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    bound: Mapping[str, int] = field(default_factory=dict)

    @property
    def readings(self) -> Mapping[str, str]:
        """The readings of a memory model, the program aside: the options, and what is given of vectors."""
        return {**self.options, "vector": self.given["vector"]}

    @classmethod
    def defaults(cls) -> Settings:
        """The values that hold when nothing is said."""
        return cls(
            {n: s.default for n, s in options.OPTIONS.items()},
            {n: s.default for n, s in options.ATTRIBUTES.items()},
            {n: default for n, (default, _, _) in options.BOUNDS.items()},
        )
