"""The access of a step in one state: its element, index and value as numbers, and what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir, types, values
from scopec.program.values import Builtin, Const, Reg
from scopec.progress.slicing import accessed
from scopec.progress.steps import OWN_KINDS

if TYPE_CHECKING:
    from scopec.program.values import Value
    from scopec.progress.schedule import Moment
    from scopec.progress.steps import Visible
    from scopec.progress.system import System


def located(operation: Visible, thread: ir.Thread, moment: Moment, system: System) -> Visible:
    """An operation with numbers for the index of its place and for what it stores, as far as the state has them."""
    place = None if isinstance(operation, OWN_KINDS) else accessed(operation)
    if place is None:
        return operation
    operation = replace(operation, place=replace(place, index=_number(place.index, thread, moment)))  # type: ignore[arg-type]
    if isinstance(operation, ir.Store) and system.program.objects[place.object].type.modelled:
        return replace(operation, value=_number(operation.value, thread, moment))
    return operation


def reached(operation: Visible, thread: ir.Thread, moment: Moment, system: System) -> tuple[str, object] | None:
    """The element that an operation accesses, as the changes of a schedule name it, and its value, if it is known."""
    place = None if isinstance(operation, OWN_KINDS) else accessed(operation)
    if place is None or place.object not in moment.memory:
        return None
    name, value = place.object, moment.memory[place.object]
    if of := system.instances_of(name):
        key: object = thread.block_name if of == "BlockOf" else thread.device
        name, value = f"{name}[{key}]", value.get(key) if isinstance(value, dict) else None
    if system.program.objects[place.object].array:
        index = _number(place.index, thread, moment)
        if not isinstance(index, Const):
            return None
        at, name = index.value, f"{name}[{index.value}]"
        if isinstance(value, tuple):
            value = value[at] if 0 <= at < len(value) else None
        else:
            value = value.get(at) if isinstance(value, dict) else None
    return None if value is None else (name, value)


def shown(operation: Visible, thread: ir.Thread, moment: Moment, system: System) -> int | None:
    """The number that a read finds; None for one that is not known, or not modelled."""
    found = reached(operation, thread, moment, system)
    place = accessed(operation)
    if found is None or place is None or not isinstance(found[1], int):
        return None
    object_ = system.program.objects[place.object]
    return found[1] if object_.type.modelled and object_.use is ir.Use.DATA else None


def _number(value: Value, thread: ir.Thread, moment: Moment) -> Value:
    """A value as a constant, if the state has what it is computed from."""
    known = moment.registers.get(thread.name, {})

    def leaf(part: Reg | Builtin) -> int:
        number = (thread.builtins or {})[part.name] if isinstance(part, Builtin) else known[part.name]
        if not isinstance(number, int):
            raise KeyError(part.name)
        return number

    try:
        return Const(int(values.evaluate(value, leaf)), value.type)
    except (KeyError, types.ArithmeticFault):
        return value
