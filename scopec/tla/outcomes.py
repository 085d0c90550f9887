"""From a system to a TLA+ module that asks for final states, under the example hardware of HRF0: safety only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from scopec.expectations import FinalRegister
from scopec.program import values
from scopec.program.faults import defined
from scopec.program.types import BOOL, INT
from scopec.program.values import Binary, Builtin, Choose, Convert, Reg, Unary, Value
from scopec.templates import render
from scopec.tla.emit import Module, context_of
from scopec.tla.hardware import Hardware, HardwareLayout
from scopec.tla.names import strings
from scopec.tla.values import HELPERS, Printer

if TYPE_CHECKING:
    from scopec.expectations import Formula, Observation
    from scopec.progress.system import System
    from scopec.source import Span
    from scopec.tla.actions import Actions

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}


@dataclass(frozen=True)
class Sought:
    """What a module looks for: final states that satisfy a condition, any final state, or failures of an assertion.

    ``otherwise`` looks for those that do not satisfy it: where a local has no value, neither ``r == 1`` nor ``r != 1``
    holds, so that is not the negated condition.
    """

    formula: Formula | None = None
    assertion: Span | None = None
    otherwise: bool = False


def emit(
    system: System,
    module: str,
    header: Sequence[str],
    hardware: Hardware,
    observed: Mapping[str, frozenset[str]],
    sought: Sought,
    span: Span,
) -> Module:
    """The module whose invariant ``NotFound`` is violated where a sought state can be reached."""
    layout = HardwareLayout(system, hardware, observed)
    context, actions = context_of(system, layout, module, header)
    printer = Printer(lambda leaf: _observed(leaf, sought, layout), span, actions.helpers)
    asked: dict[str, Any] = {
        "found": _found(system, sought, printer),
        "rest": f"<<{', '.join(v.name for v in layout.variables if v.name != 'mem')}>>",
        "synchronisations": list(_synchronisations(system, layout, actions)),
        "helpers": [text for name, text in HELPERS.items() if name in actions.helpers],
    }
    tla = render("tla/outcomes.tla.j2", {**context, **asked})
    cfg = render("tla/outcomes.cfg.j2", {"header": header[0]})
    return Module(module, tla, cfg, layout.names)


def _found(system: System, sought: Sought, printer: Printer) -> str:
    if sought.assertion is not None:
        failed = [f"{s.label}_fails" for s in system.steps.values() if s.span == sought.assertion]
        return f"\\E t \\in Threads : pc[t] \\in {strings(failed)}"
    if sought.formula is None:
        return "Final"
    condition = printer.condition(_where_known(sought.formula.value, sought.formula.observed))
    return f"Final /\\ {'~' if sought.otherwise else ''}({condition})"


def _synchronisations(system: System, layout: HardwareLayout, actions: Actions) -> Iterator[dict[str, str]]:
    for s in layout.synchronisations():
        place = "" if s.place is None else layout.place(s.place, actions.printer(system.steps[s.label]))
        yield {"label": s.label, "level": s.level, "order": s.order, "place": place}


_NO_VALUE = Reg("NoValue", INT)


def _where_known(value: Value, observed: Mapping[str, Observation]) -> Value:
    """The condition with each comparison false where a local that it mentions has no value."""

    def known(inner: Value) -> Value:
        return _where_known(inner, observed)

    match value:
        case Binary(op, left, right, _) if op in _COMPARISONS:
            named = dict.fromkeys(leaf for side in (left, right) for leaf in values.leaves(side))
            locals_ = [leaf for leaf in named if isinstance(observed[leaf.name], FinalRegister)]
            have_values: list[Value] = [Binary("!=", leaf, _NO_VALUE, BOOL) for leaf in locals_]
            return reduce(lambda all_, one: values.binary("&&", all_, one), [*have_values, defined(value), value])
        case Binary(op, left, right, type_):
            return Binary(op, known(left), known(right), type_)
        case Unary(op, operand, type_):
            return Unary(op, known(operand), type_)
        case Convert(operand, type_):
            return Convert(known(operand), type_)
        case Choose(condition, then, otherwise, type_):
            return Choose(known(condition), known(then), known(otherwise), type_)
        case _:
            return value


def _observed(leaf: Reg | Builtin, sought: Sought, layout: HardwareLayout) -> str:
    assert sought.formula is not None
    return leaf.name if leaf == _NO_VALUE else layout.final(sought.formula.observed[leaf.name])
