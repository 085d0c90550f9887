"""The final clause of a litmus file, read against its Program."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.base.diagnostics import Code, Diagnostic, error, suggestion
from scopec.frontends.litmus.syntax import tree
from scopec.program import types, values
from scopec.program.expectations import Expectation
from scopec.program.observe import FinalMemory, FinalRegister, Formula, Location, Observation, instance
from scopec.program.program import Program
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source, Span
    from scopec.frontends.litmus.lower.world import World
    from scopec.program import ir


def watched(footer: tree.Footer) -> dict[str, list[str]]:
    """For each thread the registers that the final clause names."""
    found: dict[str, list[str]] = {}
    conditions = [footer.clause.condition] if footer.clause is not None else []
    if footer.filter is not None:
        conditions.append(footer.filter)
    for name in (*footer.locations, *(leaf for c in conditions for leaf in _leaves(c))):
        if isinstance(name, tree.Register) and name.name not in found.setdefault(name.thread, []):
            found[name.thread].append(name.name)
    return found


def _leaves(condition: tree.Condition) -> Iterator[tree.Observed]:
    match condition:
        case tree.Truth():
            pass
        case tree.Comparison(_, _, left, right):
            yield left
            yield right
        case tree.Not(_, operand):
            yield from _leaves(operand)
        case tree.Join(_, _, left_side, right_side):
            yield from _leaves(left_side)
            yield from _leaves(right_side)
        case _:
            assert_never(condition)


def expectation(world: World, program: Program, footer: tree.Footer, source: Source) -> Expectation | None:
    """The check of the final clause, or None where there is no clause; InputError for names that do not exist."""
    reader = _Reader(world, program)
    for name in footer.locations:
        reader.observed_value(name)
    if footer.clause is None:
        return None
    clause = footer.clause
    text, restriction = source.text_of(clause.span), None
    if footer.filter is not None:
        restriction = reader.formula(footer.filter)
        text = f"filter ({source.text_of(footer.filter.span)}) {text}"
    formula = reader.formula(clause.condition)
    return Expectation("condition", text, clause.span, formula, quantifier=clause.quantifier, restriction=restriction)


class _Reader:
    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.threads = {t.name: t for t in program.others}
        self.observed: dict[str, Observation] = {}

    def formula(self, condition: tree.Condition) -> Formula:
        self.observed = {}
        value = values.convert(self.condition(condition), types.BOOL)
        return Formula(value, self.observed)

    def condition(self, condition: tree.Condition) -> Value:
        match condition:
            case tree.Truth(_, truth):
                return values.TRUE if truth else values.FALSE
            case tree.Comparison(_, op, left, right):
                return self.comparison(op, left, right)
            case tree.Not(_, operand):
                return values.unary("!", self.condition(operand))
            case tree.Join(_, op, left_side, right_side):
                return values.binary(op, self.condition(left_side), self.condition(right_side))
            case _:
                assert_never(condition)

    def comparison(self, op: str, left: tree.Observed, right: tree.Observed) -> Value:
        """A name on the right of something that holds an address is an address, and a final value otherwise."""
        if isinstance(right, tree.Memory) and self.is_pointer(left):
            right = tree.Address(right.span, right.name, right.index)
        return values.binary(op, self.observed_value(left), self.observed_value(right))

    def is_pointer(self, what: tree.Observed) -> bool:
        match what:
            case tree.Memory(_, name):
                return name in self.world.pointers
            case tree.Register(_, thread, name):
                return (thread, name) in self.world.pointer_registers
            case _:
                return False

    def observed_value(self, what: tree.Observed) -> Value:
        match what:
            case tree.Number(_, number):
                return Const(number, types.LONG if types.LONG.wrap(number) == number else types.ULONG)
            case tree.Address(span, name, index):
                return self.world.address(self.element(name, index, span).name, index)
            case tree.Memory(span, written, index):
                alias = self.world.aliases.get(written)
                name = written if alias is None else alias.location
                object_ = self.element(name, index, span)
                key = f"{name}[{index}]" if object_.array else name
                location = Location(name, index, self.instance(object_, what))
                return self.observe(key, FinalMemory(location), object_.type)
            case tree.Register():
                return self.register(what)
            case _:
                assert_never(what)

    def element(self, name: str, index: int, span: Span) -> ir.Object:
        if name not in self.program.objects:
            help_ = suggestion(name, self.program.objects) or "a register is 0:r0 or P0:r0"
            raise error(Code.BAD_EXPECTATION, f"there is no location `{name}`", span, help_)
        object_ = self.program.objects[name]
        if not 0 <= index < len(object_.values):
            message = f"`{name}` has elements 0 to {len(object_.values) - 1}"
            raise error(Code.BAD_EXPECTATION, message, span)
        return object_

    def instance(self, object_: ir.Object, what: tree.Memory) -> str:
        """Local memory is one object a work-group: the name is that of the only group that has it."""
        blocks = dict.fromkeys(instance(object_, self.threads[t]) for t in self.world.users.get(object_.name, ()))
        if len(blocks) > 1:
            message = f"`{object_.name}` is local memory of {len(blocks)} work-groups"
            raise error(Code.BAD_EXPECTATION, message, what.span, "copy it to global memory")
        return next(iter(blocks), "")

    def register(self, what: tree.Register) -> Value:
        thread = self.threads.get(what.thread)
        if thread is None:
            help_ = f"the threads are {', '.join(self.threads)}"
            raise error(Code.BAD_EXPECTATION, f"there is no thread {what.thread}", what.span, help_)
        in_memory = self.program.objects.get(f"{what.thread}.{what.name}")
        if in_memory is not None:
            return self.observe(in_memory.name, FinalMemory(Location(in_memory.name)), in_memory.type)
        if what.name in self.world.objects and what.name not in thread.body.variables:
            message = f"`{what.name}` is a location, not a register of {what.thread}"
            raise error(Code.BAD_EXPECTATION, message, what.span, f"write {what.name}")
        if what.name not in self.world.mentioned.get(what.thread, ()):
            self.warn_unset(what)
        type_ = thread.body.variables[what.name]
        return self.observe(f"{what.thread}:{what.name}", FinalRegister(what.thread, what.name), type_)

    def warn_unset(self, what: tree.Register) -> None:
        message = f"{what.thread} has no register `{what.name}`: it is 0 at the end"
        help_ = suggestion(what.name, self.world.mentioned.get(what.thread, ())) or "name one that the thread sets"
        warning = Diagnostic(Code.IGNORED, message, what.span, help_, "warning")
        if warning not in self.world.warnings:
            self.world.warnings.append(warning)

    def observe(self, key: str, what: Observation, type_: types.IntType) -> Value:
        self.observed[key] = what
        return Reg(key, type_)
