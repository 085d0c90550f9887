"""From a system to a TLA+ module that asks for final states, under the example hardware of HRF0: safety only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from scopec.base.templates import render
from scopec.engines.tla.emit import Module, context_of
from scopec.engines.tla.hardware import HardwareLayout
from scopec.engines.tla.names import strings
from scopec.engines.tla.text import fitted
from scopec.engines.tla.values import HELPERS, Printer
from scopec.program import values
from scopec.program.faults import defined
from scopec.program.observe import FinalRegister
from scopec.program.types import BOOL, INT
from scopec.program.values import Binary, Builtin, Reg, Value
from scopec.progress.steps import Role, label_of

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.engines.tla.actions import Actions
    from scopec.program.observe import Observation
    from scopec.progress.questions import Hardware, Sought
    from scopec.progress.system import System

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}


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
    tla = fitted(render("tla/outcomes.tla.j2", {**context, **asked}))
    cfg = render("tla/outcomes.cfg.j2", {"header": header[0]})
    return Module(module, tla, cfg, layout.names)


def _found(system: System, sought: Sought, printer: Printer) -> str:
    if sought.assertion is not None:
        failed = [label_of(s.label, Role.FAILS) for s in system.steps.values() if s.span == sought.assertion]
        return f"\\E t \\in Threads : pc[t] \\in {strings(failed)}"
    if sought.formula is None:
        return "Final"
    condition = printer.condition(_where_known(sought.formula.value, sought.formula.observed))
    return f"Final /\\ {'~' if sought.otherwise else ''}({condition})"


def _synchronisations(system: System, layout: HardwareLayout, actions: Actions) -> Iterator[dict[str, str]]:
    for s in layout.synchronisations():
        place = (
            ""
            if s.place is None
            else layout.place(s.place, actions.printer(layout.rules.transition(system.steps[s.label])))
        )
        yield {"label": s.label, "level": s.level, "order": s.order, "place": place}


_NO_VALUE = Reg("NoValue", INT)


def _where_known(value: Value, observed: Mapping[str, Observation]) -> Value:
    """The condition with each comparison false where a local that it mentions has no value."""

    def compared(inner: Value) -> Value | None:
        if not (isinstance(inner, Binary) and inner.op in _COMPARISONS):
            return None
        named = dict.fromkeys(values.leaves(inner))
        locals_ = [leaf for leaf in named if isinstance(observed[leaf.name], FinalRegister)]
        have_values: list[Value] = [Binary("!=", leaf, _NO_VALUE, BOOL) for leaf in locals_]
        return reduce(lambda all_, one: values.binary("&&", all_, one), [*have_values, defined(inner), inner])

    return values.fold(value, values.rebuild, compared)


def _observed(leaf: Reg | Builtin, sought: Sought, layout: HardwareLayout) -> str:
    assert sought.formula is not None
    return leaf.name if leaf == _NO_VALUE else layout.final(sought.formula.observed[leaf.name])
