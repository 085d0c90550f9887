"""The executor: the code of a function once, block by block; where ways meet, values do."""

from __future__ import annotations

from collections.abc import Iterable

from scopec.frontends.clang.anythread import calls, loops, numbers
from scopec.frontends.clang.anythread.frame import Frame, Record, Shape, Way
from scopec.frontends.clang.anythread.memory import load, store
from scopec.frontends.clang.anythread.values import (
    NOWHERE,
    Cells,
    Parts,
    Pointers,
    Value,
    address,
    as_address,
    as_number,
    joined,
    joined_cells,
)
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.reader import Module
from scopec.program import anythread as terms
from scopec.program import pointer_tables
from scopec.program.anythread import FALSE, ZERO, Term, both, const, either, opposite

_MOST_CALLS = 40


class Executor:
    """One kernel."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._shapes: dict[str, Shape] = {}

    def call(
        self, function: llvm.Function, arguments: Iterable[Value], path: str, condition: Term, cells: Cells
    ) -> tuple[Value | None, Term, Cells]:
        """What a function returns, whether it does, and the memory then."""
        if path.count("/") > _MOST_CALLS:
            raise self.record.refused("calls that are nested so deep, or recursion")
        frame = Frame(function, path, dict(zip((name for name, _ in function.parameters), arguments, strict=True)))
        if function.name not in self._shapes:
            self._shapes[function.name] = loops.shape(function, self.record)
        returned: list[tuple[Value | None, Way]] = []
        shape = self._shapes[function.name]
        self.region(
            frame, shape, frozenset(function.blocks), {shape.entry: [Way("", condition, cells)]}, returned, None
        )
        if not returned:
            return None, FALSE, cells
        ways = [(way.condition, way.cells) for _, way in returned]
        values = [(way.condition, value) for value, way in returned if value is not None]
        reached = FALSE
        for way, _ in ways:
            reached = either(reached, way)
        result = joined(values, self.record.names) if len(values) == len(ways) else None
        return result, reached, joined_cells(ways, self.record.names)

    def called(
        self, frame: Frame, action: llvm.Call | llvm.Assembly, instruction: llvm.Instruction, condition: Term,
        cells: Cells,
    ) -> calls.Result:  # fmt: skip
        """The result of a call, the condition under which it returns, and the memory then."""
        return calls.called(self, frame, action, instruction, condition, cells)

    def region(
        self, frame: Frame, shape: Shape, inside: frozenset[str], incoming: dict[str, list[Way]],
        returned: list[tuple[Value | None, Way]], head: str | None,
    ) -> dict[str, list[Way]]:  # fmt: skip
        """Execute the blocks of a region, a function or a turn; the ways that leave it, or go back to its head."""
        leaving: dict[str, list[Way]] = {}
        begun = head is None
        for label in shape.order:
            if label not in inside or label not in incoming:
                continue
            ways = [way for way in incoming.pop(label) if way.condition is not FALSE]
            if not ways:
                continue
            if label in shape.loops and (begun or label != head):
                out = loops.run(self, frame, shape, label, ways, returned)
            else:
                out = self.block(frame, label, ways, returned)
            begun = True
            for target, found in out.items():
                to = incoming if target in inside and target != head else leaving
                to.setdefault(target, []).extend(found)
        return leaving

    def block(
        self, frame: Frame, label: str, ways: list[Way], returned: list[tuple[Value | None, Way]]
    ) -> dict[str, list[Way]]:
        """Execute a block; the ways on from it."""
        condition = FALSE
        for way in ways:
            condition = either(condition, way.condition)
        cells = joined_cells([(way.condition, way.cells) for way in ways], self.record.names)
        chosen: dict[str, Value] = {}
        for instruction in frame.function.blocks[label]:
            match instruction.action:
                case llvm.Phi(type_, given):
                    by = {source: value for value, source in given}
                    assert instruction.result is not None
                    found = [(w.condition, self.operand(frame, llvm.Typed(type_, by[w.source]))) for w in ways]
                    chosen[instruction.result] = joined(found, self.record.names)
                    continue
                case _:
                    frame.env |= chosen
                    chosen = {}
            self.record.at(instruction.place)
            match instruction.action:
                case llvm.Jump(target):
                    return {target: [Way(label, condition, cells)]}
                case llvm.Branch(decides, then, otherwise):
                    truth = self.truth(frame, decides)
                    if llvm.is_trap(frame.function.blocks[otherwise][0].action):
                        self.record.assume(either(opposite(condition), truth))
                        return {then: [Way(label, condition, cells)]}
                    if llvm.is_trap(frame.function.blocks[then][0].action):
                        self.record.assume(either(opposite(condition), opposite(truth)))
                        return {otherwise: [Way(label, condition, cells)]}
                    out = {then: [Way(label, both(condition, truth), cells)]}
                    out.setdefault(otherwise, []).append(Way(label, both(condition, opposite(truth)), cells))
                    return out
                case llvm.Switch(value, default, cases):
                    return self._switch(frame, label, value, default, cases, condition, cells)
                case llvm.Return(given_back):
                    content = None if given_back is None else self.operand(frame, given_back)
                    returned.append((content, Way(label, condition, cells)))
                    return {}
                case llvm.Unreachable():
                    return {}
                case llvm.Call() | llvm.Assembly() as action:
                    found_call = self.called(frame, action, instruction, condition, cells)
                    result, condition, cells = found_call
                    if condition is FALSE:
                        return {}
                    if instruction.result is not None:
                        frame.env[instruction.result] = NOWHERE if result is None else result
                case action:
                    value_of = self._value(frame, instruction, action, condition, cells)
                    if instruction.result is not None and value_of is not None:
                        frame.env[instruction.result] = value_of
        raise AssertionError(label)

    def _switch(
        self, frame: Frame, label: str, value: llvm.Typed, default: str, cases: tuple[tuple[int, str], ...],
        condition: Term, cells: Cells,
    ) -> dict[str, list[Way]]:  # fmt: skip
        number = self.number(frame, value)
        assert isinstance(value.type, llvm.Int)
        out: dict[str, list[Way]] = {}
        left = condition
        self.record.reading(number, value.type.bits, condition, signed=not terms.is_natural(number))
        for known, target in cases:
            same = numbers.compare("eq", number, numbers.number(known, value.type.bits), value.type.bits)
            out.setdefault(target, []).append(Way(label, both(left, same), cells))
            left = both(left, opposite(same))
        out.setdefault(default, []).append(Way(label, left, cells))
        merged: dict[str, list[Way]] = {}
        for target, ways in out.items():  # a phi has one value for all ways from one block
            reached = FALSE
            for way in ways:
                reached = either(reached, way.condition)
            merged[target] = [Way(label, reached, cells)]
        return merged

    # ---------------------------------------------------------------- values

    def truth(self, frame: Frame, operand: llvm.Operand) -> Term:
        """A truth value."""
        return self.number(frame, llvm.Typed(llvm.Int(1), operand))

    def number(self, frame: Frame, typed: llvm.Typed) -> Term:
        """A number, any if an address is meant."""
        value = self.operand(frame, typed)
        if not isinstance(value, Term):
            value = self.record.names.any_of(typed.type)
            assert isinstance(value, Term)
        return value

    def operand(self, frame: Frame, typed: llvm.Typed) -> Value:
        """The value of an operand."""
        match typed.operand, typed.type:
            case llvm.Local(name), _:
                if name not in frame.env:
                    raise self.record.refused("a value of one turn of a loop is used after it")
                return frame.env[name]
            case llvm.Number(value), llvm.Int(bits):
                return numbers.number(value, bits)
            case llvm.Zero(), llvm.Int(bits):
                return numbers.number(0, bits)
            case llvm.Null() | llvm.Zero(), llvm.Pointer():
                return NOWHERE
            case llvm.Zero(), llvm.Array(count, element):
                return Parts((self.operand(frame, llvm.Typed(element, llvm.Zero())),) * count)
            case llvm.Zero(), llvm.Struct(fields):
                return Parts(tuple(self.operand(frame, llvm.Typed(field, llvm.Zero())) for field in fields))
            case llvm.Aggregate(items), _:
                return Parts(tuple(self.operand(frame, item) for item in items))
            case llvm.Global(name), _:
                return address(object_of(self.record.module, name))
            case llvm.Expression(llvm.Cast(_, inner, _)), llvm.Pointer():
                return self.operand(frame, inner)
            case llvm.Expression(llvm.Cast("ptrtoint", inner, _)), llvm.Int(64):
                at = self.operand(frame, inner)
                found = as_number(at) if isinstance(at, Pointers) else None
                return self.record.names.any_of(typed.type) if found is None else found
            case llvm.Real(text), llvm.Float():
                return terms.symbol(f"float {text}", "launch")
            case llvm.Expression(llvm.Element() as element), _:
                return self._element(frame, element)
            case _:
                return self.record.names.any_of(typed.type)

    def _value(
        self, frame: Frame, instruction: llvm.Instruction, action: llvm.Action, condition: Term, cells: Cells
    ) -> Value | None:  # one case an instruction
        record = self.record
        match action:
            case llvm.Alloca(type_, count):
                if count is None:
                    record.types[f"%{frame.path}{instruction.result}"] = type_
                return address(f"%{frame.path}{instruction.result}")
            case llvm.Load(type_, pointer, volatile):
                return load(record, cells, self.operand(frame, pointer), type_, condition, volatile=volatile)
            case llvm.Store(value, pointer, _):
                store(record, cells, self.operand(frame, pointer), self.operand(frame, value), value.type, condition)
                return None
            case llvm.Element():
                return self._element(frame, action, condition)
            case llvm.Arithmetic(opcode, llvm.Int(bits) as type_, left, right, flags):
                one, other = (self.number(frame, llvm.Typed(type_, side)) for side in (left, right))
                record.operands(opcode, (one, other), bits, condition)
                found = numbers.arithmetic(opcode, one, other, bits, record.names, flags)
                if opcode in ("mul", "shl") and "nsw" not in flags:
                    record.product(found, bits, condition)
                return found
            case llvm.Arithmetic(_, type_, left, right):
                return record.made_of(type_, [self.operand(frame, llvm.Typed(type_, side)) for side in (left, right)])
            case llvm.Compare("icmp", predicate, type_, left, right):
                return self._compared(frame, predicate, type_, left, right, condition)
            case llvm.Compare(_, _, type_, left, right):
                sides = [self.operand(frame, llvm.Typed(type_, side)) for side in (left, right)]
                return record.made_of(llvm.Int(1), sides)
            case llvm.Cast():
                return self._cast(frame, action, condition)
            case llvm.Select(decides, then, otherwise):
                truth = self.number(frame, decides)
                one_of = (truth, self.operand(frame, then)), (opposite(truth), self.operand(frame, otherwise))
                return joined(one_of, record.names)
            case llvm.Extract(aggregate, indices):
                return self._part(frame, aggregate, indices)
            case llvm.Insert(aggregate, value, indices):
                return self._inserted(frame, aggregate, value, indices)
            case llvm.Declare():
                return None
            case _:
                raise record.refused("this instruction")

    def _compared(
        self, frame: Frame, predicate: str, type_: llvm.Type, left: llvm.Operand, right: llvm.Operand, condition: Term
    ) -> Value:
        one, other = (self.operand(frame, llvm.Typed(type_, side)) for side in (left, right))
        if isinstance(one, Term) and isinstance(other, Term) and isinstance(type_, llvm.Int):
            for number in (one, other):
                signed = predicate[0] == "s" or (predicate in ("eq", "ne") and not numbers.of_one_sign(one, other))
                self.record.reading(number, type_.bits, condition, signed=signed)
            return numbers.compare(predicate, one, other, type_.bits)
        if isinstance(one, Pointers) and isinstance(other, Pointers) and len(one.ways) == len(other.ways) == 1:
            (_, first, at), (_, second, behind) = one.ways[0], other.ways[0]
            apart = terms.add(at, terms.mul(const(-1), behind))
            if first is not None and first == second and not pointer_tables.has_place(first, apart):
                return numbers.compare(predicate, at, behind, 64)
        return self.record.names.any_of(llvm.Int(1))

    def _cast(self, frame: Frame, action: llvm.Cast, condition: Term) -> Value:
        value = self.operand(frame, action.operand)
        match action.opcode, action.operand.type, action.type:
            case ("zext" | "sext" | "trunc") as opcode, llvm.Int(before), llvm.Int(after) if isinstance(value, Term):
                if opcode != "trunc":
                    self.record.reading(value, before, condition, signed=opcode == "sext")
                found = numbers.converted(opcode, value, before, after)
                return self.record.names.any_of(action.type) if found is None else found
            case (("addrspacecast" | "bitcast"), llvm.Pointer(), llvm.Pointer()):
                return value
            case "freeze", _, _:
                return value
            case "ptrtoint", _, llvm.Int(64) if isinstance(value, Pointers) and (made := as_number(value)) is not None:
                return made
            case "inttoptr", llvm.Int(64), _ if isinstance(value, Term):
                return as_address(value)
            case _:
                return self.record.made_of(action.type, [value])

    def _part(self, frame: Frame, aggregate: llvm.Typed, indices: tuple[llvm.Operand, ...]) -> Value:
        value, type_ = self.operand(frame, aggregate), aggregate.type
        for index in indices:
            if not isinstance(index, llvm.Number):
                value = NOWHERE
            elif isinstance(value, Parts):
                value = value.items[index.value]
            number = index.value if isinstance(index, llvm.Number) else 0
            type_ = (
                type_.fields[number]
                if isinstance(type_, llvm.Struct)
                else type_.element
                if isinstance(type_, llvm.Array)
                else type_
            )
            if not isinstance(index, llvm.Number):
                value = self.record.names.any_of(type_)
        return value

    def _inserted(
        self, frame: Frame, aggregate: llvm.Typed, value: llvm.Typed, indices: tuple[llvm.Operand, ...]
    ) -> Value:
        whole = self.operand(frame, aggregate)
        if len(indices) != 1 or not isinstance(indices[0], llvm.Number) or not isinstance(whole, Parts):
            return self.record.names.any_of(aggregate.type)
        items = list(whole.items)
        items[indices[0].value] = self.operand(frame, value)
        return Parts(tuple(items))

    def _element(self, frame: Frame, action: llvm.Element, condition: Term = FALSE) -> Value:
        base = self.operand(frame, action.pointer)
        if not isinstance(base, Pointers):
            return NOWHERE
        type_, moved = action.type, ZERO
        for position, index in enumerate(action.indices):
            if isinstance(type_, llvm.Struct) and position:
                if not isinstance(index.operand, llvm.Number):
                    return NOWHERE
                moved = terms.add(moved, const(llvm.offsets(type_)[index.operand.value]))
                type_ = type_.fields[index.operand.value]
                continue
            if position:
                if not isinstance(type_, llvm.Array):
                    return NOWHERE
                type_ = type_.element
            assert isinstance(index.type, llvm.Int)
            found = self.number(frame, index)
            if condition is not FALSE:
                self.record.reading(found, index.type.bits, condition, signed=True)
            number = numbers.signed(found, index.type.bits)
            moved = terms.add(moved, terms.mul(const(llvm.size(type_)), number))
        return Pointers(tuple((way, object_, terms.add(offset, moved)) for way, object_, offset in base.ways))


def object_of(module: Module, name: str) -> str:
    """The object of a global variable; dynamic shared memory is one, whatever its names."""
    if name in module.variables:
        variable = module.variable(name)
        if variable.space == 3 and variable.initial is None:
            return "@shared memory"
    return f"@{name}"
