"""A thread of a Program as a CUDA function: each access an instruction of PTX in inline assembly, arithmetic in C++.

The accesses are those that the program has, not those that a compiler would make of its text: C++'s atomic operations
are the instructions of :mod:`scopec.memory.ptx`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from scopec.base.diagnostics import Code, error
from scopec.gpu.cxx import cxx, type_name
from scopec.program import ir, values
from scopec.program.effects import uses_and_definitions
from scopec.program.observe import Location, instance
from scopec.program.show import words
from scopec.program.types import IntType
from scopec.program.values import Binary, Choose, Reg, Unary, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.source import Span
    from scopec.program.program import Program

SCOPES = {ir.Scope.BLOCK: "cta", ir.Scope.CLUSTER: "cluster", ir.Scope.DEVICE: "gpu", ir.Scope.SYSTEM: "sys"}
#: The read-modify-writes that are an instruction, and the kind of number that it takes.
_ATOMS = {"+": ("add", "u"), "-": ("add", "u"), "&": ("and", "b"), "|": ("or", "b"), "^": ("xor", "b"),
          "min": ("min", "su"), "max": ("max", "su")}  # fmt: skip
#: How a thread ended, in the harness and in what it writes.
FINISHED, UNFINISHED, DISCARDED, FIRST_FAULT = 0, 1, 2, 3


@dataclass(frozen=True)
class Memory:
    """Where the locations of an instance are: those in global memory, then those of each block in shared memory."""

    anywhere: Mapping[Location, int]
    shared: Mapping[Location, int]

    def __getitem__(self, location: Location) -> tuple[str, int]:
        """The state space of a location, and its number there."""
        return ("shared", self.shared[location]) if location in self.shared else ("global", self.anywhere[location])


def refuse(message: str, span: Span) -> NoReturn:
    """What cannot be run is said by name: InputError."""
    raise error(Code.OUTSIDE_SUBSET, f"`scopec run` does not run {message}", span, "docs/run.md lists what it runs")


def function(
    name: str, thread: ir.Thread, program: Program, memory: Memory, faults: list[ir.Assert], lanes: Mapping[int, int],
    registers: Mapping[str, int], status: int,
) -> str:  # fmt: skip
    """The function that plays ``thread``.

    ``faults`` are the assertions of the program, which it adds to; ``lanes`` the position of each lane of the thread's
    warp that does something; ``registers`` where the result of each of its variables goes, ``status`` how it ended.
    """
    body = thread.body
    printer = _Printer(thread, program, memory, faults, lanes, _names(body))
    order = _order(body)
    place = {number: n for n, number in enumerate(order)}
    lines = [f"    [[maybe_unused]] word {register} = UNSET;" for register in printer.names.values()]
    lines += ["    word ended = FINISHED;", "    [[maybe_unused]] unsigned left = p.turns;"]
    code = [line for number in order for line in printer.node(number, body.nodes[number], place)]
    goals = {word for line in code for word in re.findall(r"goto (\w+);", line)}
    lines += [line for line in code if not line.endswith(":") or line[:-1] in goals]
    lines.append("end:")
    lines += [f"    p.result({n}) = {printer.names[r]};" for r, n in registers.items() if r in printer.names]
    lines += [f"    p.result({n}) = UNSET;" for r, n in registers.items() if r not in printer.names]
    lines.append(f"    p.result({status}) = ended;")
    return f"static __device__ void {name}(const Play& p) {{\n" + "\n".join(lines) + "\n}\n"


def _names(body: ir.Body) -> dict[str, str]:
    """A name in C++ for each register."""
    found = [uses_and_definitions(node) for node in body.nodes.values()]
    registers = sorted({name for used, defined in found for name in (*used, *defined)})
    return {register: f"r{n}" for n, register in enumerate(registers)}


def _order(body: ir.Body) -> list[int]:
    """The nodes so that only a loop goes back: the reverse of the order in which a search leaves them."""
    left: list[int] = []
    seen = {body.entry}
    work = [(body.entry, iter(ir.successors(body.nodes[body.entry])))]
    while work:
        number, following = work[-1]
        after = next((n for n in following if n not in seen), None)
        if after is None:
            left.append(number)
            work.pop()
        else:
            seen.add(after)
            work.append((after, iter(ir.successors(body.nodes[after]))))
    return left[::-1]


@dataclass(frozen=True)
class _Printer:
    thread: ir.Thread
    program: Program
    memory: Memory
    faults: list[ir.Assert]
    lanes: Mapping[int, int]
    names: Mapping[str, str]

    def node(self, number: int, node: ir.Node, place: Mapping[int, int]) -> Iterator[str]:
        """The lines of a node, and those that lead on from it."""

        def go(to: int) -> str:
            back = place[to] <= place[number]
            return f"{{ if (--left == 0) {{ ended = UNFINISHED; goto end; }} goto n{to}; }}" if back else f"goto n{to};"

        yield f"n{number}:"
        match node:
            case ir.Do(operation, span, following):
                yield f"    // line {span.line}: {' '.join(words(operation)[0].split())}"
                for line in self._operation(operation, span):
                    yield f"    {line}"
                if place[following] != place[number] + 1:
                    yield f"    {go(following)}"
            case ir.Branch(condition, span, then, otherwise):
                yield f"    if ({self._cxx(condition, span)}) {go(then)} else {go(otherwise)}"
            case ir.Exit():
                yield "    goto end;"

    def _cxx(self, value: Value, span: Span, type_: IntType | None = None) -> str:
        """A value in C++, of the type given."""
        if values.size(value) > 2000:
            refuse("a value of more than 2,000 operations", span)
        if value.type.bits > 64 or value.type.is_float:
            refuse(f"values of type `{value.type.name}`", span)
        text = cxx(value, self.names)
        return text if type_ is None or value.type == type_ else f"{type_name(type_)}({text})"

    def _operation(self, operation: ir.Operation, span: Span) -> Iterator[str]:
        match operation:
            case ir.Set(target, value):
                yield f"{self.names[target]} = word({self._cxx(value, span)});"
            case ir.Load(target, place, mode):
                yield self._load(target, place, mode, span)
            case ir.Store(place, value, mode):
                type_, at, space = self._place(place, span)
                new = self._cxx(value, span, type_)
                text = f"st.{self._mode(mode, span)}.{space}.b{_width(type_)} [%0], %1;"
                yield f'asm volatile("{text}" :: "l"({at}), {_operand(type_, new)} : "memory");'
            case ir.Rmw():
                yield from self._rmw(operation, span)
            case ir.Fence(_, ir.Scope.THREAD):
                yield ";"
            case ir.Fence(order, scope):
                yield f'asm volatile({_FENCES[order]} ".{SCOPES[scope]};" ::: "memory");'
            case ir.Await(target, place, condition, mode, None):
                test = self._cxx(condition, span)
                yield "for (;;) {"
                yield f"    {self._load(target, place, mode, span)}"
                yield f"    if ({test}) break;"
                yield "    if (--left == 0) { ended = UNFINISHED; goto end; }"
                yield "}"
            case ir.Assert(condition):
                if operation not in self.faults:
                    self.faults.append(operation)
                number = FIRST_FAULT + self.faults.index(operation)
                yield f"if (!{self._cxx(condition, span)}) {{ ended = {number}; goto end; }}"
            case ir.SyncThreads(None):
                yield 'asm volatile("barrier.cta.sync 0;" ::: "memory");'
            case ir.GroupSync(ir.Group.WARP, mask, None):
                bits = sum(1 << position for lane, position in self.lanes.items() if mask >> lane & 1)
                yield f"__syncwarp(p.lanes({bits:#x}));"
            case ir.Yield(True):
                yield "__nanosleep(20);"
            case ir.Yield() | ir.InputOutput() | ir.Notify() | ir.Operand() | ir.Called():
                yield ";"
            case ir.Decide(target, "failure" | "order"):
                yield f"{self.names[target]} = 1;"
            case _:
                refuse(f"`{words(operation)[0]}`", span)

    def _place(self, place: ir.Place, span: Span) -> tuple[IntType, str, str]:
        """The type of what is accessed, its address, and its state space."""
        object_ = self.program.objects[place.object]
        if object_.use is not ir.Use.DATA:
            refuse(f"operations on a {object_.use.value}", span)
        space, first = self.memory[Location(object_.name, 0, instance(object_, self.thread))]
        index = values.evaluate(place.index, _none) if isinstance(place.index, values.Const) else None
        number = str(first + index) if index is not None else f"{first} + {self._cxx(place.index, span)}"
        return object_.type, f"p.{'own' if space == 'shared' else 'at'}({number})", space

    def _mode(self, mode: ir.Mode, span: Span) -> str:
        if mode.order is None:
            return "volatile" if mode.volatile else "weak"
        if mode.scope is ir.Scope.THREAD:
            refuse("atomic operations of thread scope", span)
        return f"{mode.order.value}.{SCOPES[mode.scope]}"

    def _load(self, target: str, place: ir.Place, mode: ir.Mode, span: Span) -> str:
        type_, at, space = self._place(place, span)
        text = f"ld.{self._mode(mode, span)}.{space}.b{_width(type_)} %0, [%1];"
        return self._read(target, type_, text, f'"l"({at})')

    def _read(self, target: str, type_: IntType, text: str, operands: str) -> str:
        got, constraint = ("u64", "l") if type_.bits == 64 else ("u32", "r")
        assembly = f'asm volatile("{text}" : "={constraint}"(got) : {operands} : "memory");'
        return f"{{ {got} got; {assembly} {self.names[target]} = word({type_name(type_)}(got)); }}"

    def _rmw(self, operation: ir.Rmw, span: Span) -> Iterator[str]:
        type_, at, space = self._place(operation.place, span)
        mode, bits = self._mode(operation.mode, span), _width(type_)
        if operation.mode.order is None:
            refuse("a read-modify-write that is not atomic", span)
        name, kinds, new = self._atom(operation, type_, span)
        given = ", ".join(_operand(type_, operand) for operand in new)
        if name is None:  # in one step by way of compare-and-swap, as the library has what is no instruction
            relaxed = f"ld.relaxed.{SCOPES[operation.mode.scope]}.{space}.b{bits} %0, [%1];"
            swap, got = f"atom.{mode}.{space}.cas.b{bits} %0, [%1], %2, %3;", self.names[operation.target]
            operands = f'"l"({at}), {_operand(type_, f"{type_name(type_)}(old)")}, {given}'
            yield "for (word old;;) {"
            yield "    " + self._read(operation.target, type_, relaxed, f'"l"({at})') + f" old = {got};"
            yield f"    {self._read(operation.target, type_, swap, operands)}"
            yield f"    if ({got} == old) break;"
            yield "}"
            return
        kind = kinds if len(kinds) == 1 else "su"[not type_.signed]
        if operation.reduction and name in ("exch", "cas"):
            refuse(f"a reduction that is `{name}`", span)
        places = ", ".join(f"%{n + 2 - operation.reduction}" for n in range(len(new)))
        text = f"{'red' if operation.reduction else 'atom'}.{mode}.{space}.{name}.{kind}{bits} "
        if operation.reduction:
            yield f'asm volatile("{text}[%0], {places};" :: "l"({at}), {given} : "memory");'
        else:
            yield self._read(operation.target, type_, f"{text}%0, [%1], {places};", f'"l"({at}), {given}')

    def _atom(self, operation: ir.Rmw, type_: IntType, span: Span) -> tuple[str | None, str, list[str]]:
        """The instruction that a read-modify-write is, the kinds of number that it takes, and its operands."""

        def is_old(value: Value) -> bool:
            return isinstance(value, Reg) and value.name == operation.target

        def free(value: Value) -> bool:
            return all(leaf.name != operation.target for leaf in values.leaves(value))

        match operation.new:
            case Choose(Binary("==", old, expected), desired, kept) if (
                is_old(old) and is_old(kept) and free(expected) and free(desired)
            ):
                return "cas", "b", [self._cxx(expected, span, type_), self._cxx(desired, span, type_)]
            case Binary(op, old, new, _) if op in _ATOMS and is_old(old) and free(new) and type_.bits >= 32:
                value = Unary("-", new, new.type) if op == "-" else new
                return (*_ATOMS[op], [self._cxx(value, span, type_)])
            case new if free(new):
                return "exch", "b", [self._cxx(new, span, type_)]
            case new:
                return None, "", [self._cxx(new, span, type_)]


#: Fences of one direction are instructions from sm_90 on; a macro of the harness says what they are before.
_FENCES = {
    ir.Order.ACQUIRE: "FENCE_ACQUIRE",
    ir.Order.RELEASE: "FENCE_RELEASE",
    ir.Order.ACQ_REL: '"fence.acq_rel"',
    ir.Order.SEQ_CST: '"fence.sc"',
}


def _width(type_: IntType) -> int:
    """The bits of an access: what is narrower than a word of 32 bits is accessed as one."""
    return max(32, type_.bits)


def _operand(type_: IntType, text: str) -> str:
    return f'"l"(u64({text}))' if type_.bits == 64 else f'"r"(u32({text}))'


def _none(leaf: Reg | values.Builtin) -> NoReturn:
    raise AssertionError(leaf)
