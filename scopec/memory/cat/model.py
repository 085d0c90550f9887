"""Memory models: named sets and relations over what every execution gives, axioms and flags."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, assert_never

from scopec.base.records import dataclass
from scopec.memory.cat import tree
from scopec.memory.given.relations import RELATIONS
from scopec.memory.given.sets import SETS

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from scopec.base.diagnostics import Diagnostic

Kind = Literal["set", "relation"]

#: Other names of what is given, from herd7's and Dartagnan's files.
ALIASES = {
    "I": "IW", "sr": "incl", "swg": "scta",
    "WI": "THREAD", "CTA": "BLOCK", "WG": "BLOCK", "GPU": "DEVICE", "DEV": "DEVICE", "DV": "DEVICE",
    "SYS": "SYSTEM", "ALL": "SYSTEM",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Definition:
    """A named set or relation; ``text`` is its line in the .cat file, ``called`` its name there where that is another.

    What a file defines again has two definitions here, of which the second has a number behind its name.
    """

    name: str
    kind: Kind
    expr: tree.Expr
    text: str
    called: str = ""


@dataclass(frozen=True, slots=True)
class Axiom:
    """A check that consistent executions satisfy, or, with ``flag``, that is reported when it does."""

    name: str
    check: str
    negated: bool
    expr: tree.Expr
    text: str


@dataclass(frozen=True)
class Model:
    """A memory model: definitions in order, axioms, and flags (undefined behaviour, such as a race).

    ``partial_co`` says whether coherence is total only where the axioms make it so (a header ``PTX``).  ``orders`` are
    the relations that an execution chooses (``with x from …``), as definitions of the pairs that they relate one way or
    the other.
    """

    title: str
    definitions: tuple[Definition, ...]
    axioms: tuple[Axiom, ...]
    flags: tuple[Axiom, ...]
    warnings: tuple[Diagnostic, ...] = ()
    partial_co: bool = False
    orders: tuple[Definition, ...] = ()

    def definition(self, name: str) -> Definition | None:
        """The last definition of a name."""
        return next((d for d in reversed(self.definitions) if d.name == name), None)

    def latest(self, called: str) -> Definition | None:
        """The last definition of a name of the file, which those behind it mean."""
        return next((d for d in reversed(self.definitions) if called == (d.called or d.name)), None)

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds of given and defined names."""
        kinds: dict[str, Kind] = {d.name: d.kind for d in (*self.orders, *self.definitions)}
        kinds.update(dict.fromkeys(SETS, "set"))
        kinds.update(dict.fromkeys(RELATIONS, "relation"))
        return kinds

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The names that definitions and checks mention."""
        exprs = [d.expr for d in (*self.orders, *self.definitions)] + [a.expr for a in (*self.axioms, *self.flags)]
        return frozenset[str]().union(*map(tree.names, exprs))

    @cached_property
    def races(self) -> tuple[tree.Expr, ...]:
        """The relations of which a flag reports each pair."""
        return tuple(f.expr for f in self.flags if f.check == "empty" and f.negated and self.kind(f.expr) == "relation")

    def tells_races(self, *, on_object: bool = False) -> bool:
        """Whether a flag is about races, or of those on one object."""
        return bool(self.races if on_object else self.flags)

    @cached_property
    def meaning(self) -> Hashable:
        """The meaning of a model, without its title, its words and the names of its checks."""
        defined = tuple((d.name, d.kind, tree.shape(d.expr)) for d in (*self.orders, *self.definitions))
        checks = tuple(
            tuple((a.check, a.negated, tree.shape(a.expr)) for a in found) for found in (self.axioms, self.flags)
        )
        return self.partial_co, len(self.orders), defined, checks

    @property
    def is_ptx(self) -> bool:
        """Whether the events are instructions of PTX, and no operations of C++."""
        return self.partial_co

    @property
    def races_undefined(self) -> bool:
        """Whether a race takes a program's meaning: not in PTX, whose "axioms are sufficient to describe" races."""
        return bool(self.flags) and not self.is_ptx

    def kind(self, expr: tree.Expr) -> Kind | None:
        """Whether an expression of this model is a set or a relation; None where it can be either."""
        return kind(expr, self.kinds)

    @cached_property
    def values_have_origins(self) -> bool:
        """Whether an axiom forbids cycles of rf and data dependencies, or po: no value comes out of thin air.

        What is not in ``dep`` hands no value on: whatever the read returns of the values that it may, the write stores
        the same.
        """
        forbidden = [self._united(a.expr) for a in self.axioms if a.check == "acyclic" and not a.negated]
        return any("rf" in united and united & {"po", "data", "dep"} for united in forbidden)

    @cached_property
    def keeps_program_order(self) -> bool:
        """Whether an axiom forbids cycles of rf and po."""
        forbidden = [self._united(a.expr) for a in self.axioms if a.check == "acyclic" and not a.negated]
        return any({"rf", "po"} <= united for united in forbidden)

    @cached_property
    def dep_only_forbids(self) -> bool:
        """Whether ``dep`` is only in unions that are to be acyclic: each of its pairs can only forbid executions."""
        uses = [(a, a.check == "acyclic" and not a.negated) for a in self.axioms] + [(f, False) for f in self.flags]
        return all(self._united_with_dep(use.expr) if forbids else not self._has_dep(use.expr) for use, forbids in uses)

    def _united_with_dep(self, expr: tree.Expr) -> bool:
        match expr:
            case tree.Binary(_, "|", left, right):
                return self._united_with_dep(left) and self._united_with_dep(right)
            case tree.Name(_, name) if (definition := self.definition(name)) is not None:
                return self._united_with_dep(definition.expr)
            case tree.Name():
                return True
            case _:
                return not self._has_dep(expr)

    def _has_dep(self, expr: tree.Expr) -> bool:
        """Whether an expression is computed from ``dep``."""
        names = tree.names(expr)
        defined = [d for name in names if (d := self.definition(name)) is not None]
        return "dep" in names or any(self._has_dep(d.expr) for d in defined)

    def _united(self, expr: tree.Expr) -> frozenset[str]:
        """The given relations that an expression is a union of, and maybe more."""
        match expr:
            case tree.Binary(_, "|", left, right):
                return self._united(left) | self._united(right)
            case tree.Name(_, name):
                definition = self.definition(name)
                return frozenset({name}) if definition is None else self._united(definition.expr)
            case _:
                return frozenset()


def kind(expr: tree.Expr, kinds: Mapping[str, Kind]) -> Kind | None:
    """Whether a resolved expression is a set or a relation; None where it can be either."""
    match expr:
        case tree.Name(_, name):
            return kinds[name]
        case tree.Universe() | tree.Zero():
            return None
        case tree.Binary(_, ";" | "*", _, _) | tree.Postfix() | tree.IdentityOn():
            return "relation"
        case tree.Binary(_, _, left, right):
            return kind(left, kinds) or kind(right, kinds)
        case tree.Complement(_, operand):
            return kind(operand, kinds)
        case tree.End():
            return "set"
        case tree.Application() | tree.LetIn() | tree.Try():
            raise AssertionError("resolved")
        case _:
            assert_never(expr)
