"""Functions of a file of PTX as functions of LLVM code."""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.records import dataclass
from scopec.frontends.clang.intrinsics.assembly import INSTRUCTIONS
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, LONG, Assembler, llvm_type
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scopec.base.source import Span

#: The numbers of metadata that clang has are smaller.
_FIRST = 1 << 24
_POINTER = llvm.Pointer()


@dataclass(frozen=True)
class Metadata:
    """Writes metadata as clang would, by their numbers into ``nodes``.

    ``files`` are those that can be read, by the numbers of ``.file``, as they are shown; ``source`` is the name of the
    file of PTX itself.
    """

    source: str
    files: Mapping[int, str]
    nodes: dict[str, str]
    _known: dict[str, str] = field(default_factory=dict)

    def add(self, text: str) -> str:
        """The number of a node."""
        if text not in self._known:
            self._known[text] = f"!{_FIRST + len(self._known)}"
            self.nodes[self._known[text]] = text
        return self._known[text]

    def file(self, name: str) -> str:
        """A file."""
        plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in os.fsencode(name))
        return self.add(f'!DIFile(filename: "{"".join(plain)}", directory: "")')

    def subprogram(self, name: str, span: Span) -> str:
        """A function of the file."""
        where = self.file(self.source)
        return self.add(f'!DISubprogram(name: "{name}", scope: {where}, file: {where}, line: {span.line})')

    def location(self, file: str, line: int, column: int) -> str:
        """A place."""
        return self.add(f"!DILocation(line: {line}, column: {column}, scope: {self.file(file)})")


@dataclass(frozen=True)
class Context:
    """The context of the functions of a file: their signatures, and what the names of its memory stand for."""

    functions: Mapping[str, forms.Function]
    memory: Mapping[str, llvm.Typed]
    #: The bytes of their elements.
    widths: Mapping[str, int]
    metadata: Metadata
    #: Declares shared memory of a function; gives its name in the module.
    shared: Callable[[forms.Function, forms.Object], None]


def written(context: Context, function: forms.Function, shown: str) -> llvm.Function:
    """A function of a file, which is called ``shown``; InputError for what is not modelled."""
    return _Written(context, function, context.metadata.subprogram(shown, function.span)).made()


class _Written(Assembler):
    """Makes a function of a file."""

    def __init__(self, context: Context, function: forms.Function, subprogram: str) -> None:
        super().__init__({**INSTRUCTIONS, "call": _Written.call_of, "ret": _Written.ret})  # type: ignore[dict-item]
        self.context = context
        self.function = function
        self.subprogram = subprogram
        self.memory[0].update(context.memory)
        self.widths.update(context.widths)
        self.result: tuple[llvm.Type, llvm.Typed] | None = None
        #: The place in the source of what is read; the places in which others are inlined, and the function's own file.
        self.known: str | None = None
        self.around: dict[tuple[int, int, int], tuple[int, int, int]] = {}
        self.own_file = 0

    def made(self) -> llvm.Function:
        """The function."""
        assert self.function.body is not None
        parameters: list[tuple[str, llvm.Type]] = []
        byval: list[llvm.Type | None] = []
        for item in self.function.parameters:
            (name, count), type_ = item.names[0], type_of(self, item)
            if count is not None:
                parameters.append((name, _POINTER))
                self.memory[0][name] = llvm.Typed(_POINTER, llvm.Local(name))
                byval.append(type_)
            else:
                parameters.append((name, type_))
                slot = self.memory[0][name] = llvm.Typed(_POINTER, llvm.Local(self.local(name, type_)))
                self.do(llvm.Store(llvm.Typed(type_, llvm.Local(name)), slot, volatile=False))
                byval.append(None)
        for item in self.function.results:
            self.object(item)
            self.result = type_of(self, item), self.memory[0][item.names[0][0]]
        self.block(self.function.body)
        self.ret(None)
        blocks = self.finished()
        return llvm.Function(
            self.function.name, tuple(parameters), tuple(byval), blocks, self.function.entry, self.subprogram
        )

    def object(self, item: forms.Object) -> None:
        """Memory of the function, or of its block."""
        space = table.space(item.words)
        self.widths.update(widths((item,)))
        for name, _ in item.names:
            if space in ("local", "param"):
                self.memory[-1][name] = llvm.Typed(_POINTER, llvm.Local(self.local(name, type_of(self, item))))
            elif space == "shared":
                self.context.shared(self.function, item)
                self.memory[-1][name] = llvm.Typed(_POINTER, llvm.Global(shared_name(self.function, name)))
            else:
                super().object(item)

    def location(self, item: forms.Location) -> None:
        """The source place of what follows: the innermost one in the file in which the function begins."""
        self.own_file = self.own_file or item.at[0]
        if item.around is not None:
            self.around[item.at] = item.around
        at: tuple[int, int, int] | None = item.at
        while at is not None and at[0] != self.own_file:
            at = self.around.get(at)
        if at is not None and at[1]:
            name = self.context.metadata.files.get(at[0])
            self.known = None if name is None else self.context.metadata.location(name, at[1], at[2])

    def instruction(self, item: forms.Instruction) -> None:
        """One instruction, at its place; one that is not modelled is refused where it is executed."""
        self.place = self.known or self.context.metadata.location(item.span.file, item.span.line, item.span.column)
        try:
            super().instruction(item)
        except InputError as found:
            why = found.diagnostics[0]
            if why.code is not Code.OUTSIDE_SUBSET:
                raise
            self.do(llvm.Other(item.name, why.message, why.help))

    def ret(self, _: forms.Instruction | None) -> None:
        """The end of the function."""
        if self.result is None:
            self.leave(llvm.Return(None))
        else:
            type_, where = self.result
            self.leave(llvm.Return(llvm.Typed(type_, self.emit(llvm.Load(type_, where, volatile=False)))))

    def call_of(self, item: forms.Instruction) -> None:
        """A call, whose arguments are in memory of the state space ``param``."""
        results, names, arguments = _parts(item)
        name = names[0].name if names and isinstance(names[0], forms.Name) else ""
        if name == "vprintf":
            self.call("io", llvm.Void())
        elif name == "__assertfail":
            text = self.emit(llvm.Load(_POINTER, self.address_of(arguments[0]), volatile=False))
            never = llvm.Typed(llvm.Int(32), llvm.Number(0))
            self.call("assert", llvm.Void(), never, llvm.Typed(_POINTER, text))
        elif len(names) == 1 and name in self.context.functions:
            self.call_written(llvm.Global(name), self.context.functions[name], results, arguments)
        elif len(names) == 2 and (like := self.prototype(names[1])) is not None:
            pointer = self.emit(llvm.Cast("inttoptr", llvm.Typed(LONG, self.value(names[0], LONG)), _POINTER))
            self.call_written(pointer, like, results, arguments)
        else:
            raise self.outside(f"a call of `{name}` is", item.span)

    def prototype(self, operand: forms.Operand) -> forms.Prototype | None:
        """The prototype that an operand of a call gives of the function that is called."""
        return self.prototypes.get(operand.name) if isinstance(operand, forms.Name) else None

    def call_written(
        self, callee: llvm.Operand, function: forms.Function | forms.Prototype, results: tuple[forms.Operand, ...],
        arguments: tuple[forms.Operand, ...],
    ) -> None:  # fmt: skip
        """A call of a function of the file."""
        if (len(results), len(arguments)) != (len(function.results), len(function.parameters)):
            raise error(Code.BAD_ARGUMENTS, f"`{function.name}` takes other arguments", function.span)
        given: list[llvm.Typed] = []
        byval: list[llvm.Type | None] = []
        for operand, parameter in zip(arguments, function.parameters, strict=True):
            type_, where = type_of(self, parameter), self.address_of(operand)
            if parameter.names[0][1] is not None:
                given.append(where)
                byval.append(type_)
            else:
                given.append(llvm.Typed(type_, self.emit(llvm.Load(type_, where, volatile=False))))
                byval.append(None)
        type_ = type_of(self, function.results[0]) if function.results else llvm.Void()
        found = self.emit(llvm.Call(type_, callee, tuple(given), tuple(byval)))
        for operand in results:
            self.do(llvm.Store(llvm.Typed(type_, found), self.address_of(operand), volatile=False))

    def address_of(self, operand: forms.Operand) -> llvm.Typed:
        """The address of an argument of a call."""
        if isinstance(operand, forms.Name) and any(operand.name in known for known in self.memory):
            return self.address(operand.name, operand.span)
        raise self.outside("an argument that is not in the state space `.param` is", operand.span)


def _parts(
    item: forms.Instruction,
) -> tuple[tuple[forms.Operand, ...], Sequence[forms.Operand], tuple[forms.Operand, ...]]:
    """The results of a call, what it calls, and the arguments."""
    groups = [operand for operand in item.operands if isinstance(operand, forms.Arguments)]
    names = [operand for operand in item.operands if not isinstance(operand, forms.Arguments)]
    first = bool(item.operands) and isinstance(item.operands[0], forms.Arguments)
    results = groups.pop(0).items if first else ()
    return results, names, groups[0].items if groups else ()


def type_of(asm: Assembler, item: forms.Object) -> llvm.Type:
    """The type of an object that is no array of the program's: a number, or so many bytes."""
    (_, count), *_ = item.names
    types = table.types(item.words)
    if not types:
        raise asm.outside(f"memory of the type `.{item.words[-1]}` is", item.span)
    one = BIT if types[0].kind == "p" else llvm_type(types[0])
    return one if count is None else llvm.Array(count * llvm.size(one), llvm.Int(8))


def widths(objects: Iterable[forms.Object]) -> dict[str, int]:
    """The bytes of an element, by the names of objects whose types are modelled."""
    sizes = ((item, table.types(item.words)) for item in objects)
    return {name: types[0].bits // 8 for item, types in sizes if types for name, _ in item.names}


def shared_name(function: forms.Function, name: str) -> str:
    """The name in the module of a function's shared memory: the name that it has in C++, or one like that."""
    return name if name.startswith("_ZZ") else f"_ZZ{len(function.name)}{function.name}E{len(name)}{name}"
