"""Inline assembly as a function of LLVM code: its operands are parameters and results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.source import Source
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import Assembler, Lowerings, register_type
from scopec.frontends.ptx.syntax import read

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Parts of the text that LLVM prints otherwise (LLVM Language Reference, "Asm template string").
_ESCAPED = re.compile(r"\$(?:(\$)|\{(\d+)(?::\w+)?\}|\{:uid\})")

#: A mark for an operand, or for a dollar sign.
_OPERAND = re.compile(r"\$\$|\$(\d+)|\$\{(\d+)(?::\w+)?\}")


def with_immediates(text: str, constraints: str, arguments: Sequence[llvm.Operand]) -> str:
    """The text with the numbers that operands are (constraint "n"), which constant expressions may have in them."""
    given = [c for c in constraints.split(",") if c and not c.startswith("~")]
    first = sum(c.startswith("=") for c in given)
    numbers = {
        first + n: argument.value
        for n, (constraint, argument) in enumerate(zip(given[first:], arguments, strict=True))
        if constraint in ("n", "i") and isinstance(argument, llvm.Number)
    }

    def known(found: re.Match[str]) -> str:
        which = found[1] or found[2]
        return str(numbers.get(int(which), found[0])) if which else found[0]

    return _OPERAND.sub(known, text) if numbers else text


class Inline(Assembler):
    """Makes the function, with its operands that are not results as parameters, from the text and constraints.

    Raises InputError, at a place in a text of the name ``asm``, for what is not modelled.
    """

    def __init__(
        self, lowerings: Lowerings, text: str, constraints: str, result: llvm.Type, arguments: tuple[llvm.Type, ...],
        *, volatile: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(lowerings)
        self.side_effects = volatile
        self.source = Source("asm", _ESCAPED.sub(lambda m: m[1] or (f"${m[2]}" if m[2] else ""), text))
        self.name = f"{text} {constraints} {result} {arguments} {volatile}"
        self.result = result
        self.arguments = arguments
        self.outputs: list[str] = []
        self.constraints(constraints)

    def function(self) -> llvm.Function:
        """The function."""
        self.block(read(self.source))
        self.finish()
        parameters = tuple((f"argument {n}", type_) for n, type_ in enumerate(self.arguments))
        return llvm.Function(
            self.name, parameters, (None,) * len(parameters), self.finished(), kernel=False, subprogram=None
        )

    def constraints(self, text: str) -> None:
        """Declare ``$0``, ``$1``, …: the results first, then the arguments, one that is tied in its result."""
        given = [c for c in text.split(",") if c and not c.startswith("~")]
        results = [c for c in given if c.startswith("=")]
        if any("*" in c or "m" in c for c in given):
            raise self.outside('an operand in memory (constraint "m") is', self.source.span(0, 0))
        types = self.result.fields if isinstance(self.result, llvm.Struct) else (self.result,) * len(results)
        for n, type_ in enumerate(types):
            self.outputs.append(f"${n}")
            self.declare(f"${n}", register_type(type_))
        for n, (constraint, type_) in enumerate(zip(given[len(results) :], self.arguments, strict=True)):
            name = f"${constraint}" if constraint.isdecimal() else f"${len(results) + n}"
            if not constraint.isdecimal():
                self.declare(name, register_type(type_))
            argument: llvm.Operand = llvm.Local(f"argument {n}")
            if isinstance(type_, llvm.Pointer):
                argument = self.emit(llvm.Cast("ptrtoint", llvm.Typed(type_, argument), register_type(type_)))
            self.store(name, argument, register_type(type_), self.source.span(0, 0))

    def finish(self) -> None:
        """Return the results."""
        found = []
        types = self.result.fields if isinstance(self.result, llvm.Struct) else (self.result,)
        for name, type_ in zip(self.outputs, types, strict=False):
            value, own = self.load(name, self.source.span(0, 0))
            if isinstance(type_, llvm.Pointer):
                value = self.emit(llvm.Cast("inttoptr", llvm.Typed(own, value), type_))
            found.append(llvm.Typed(type_, value))
        if not found:
            self.do(llvm.Return(None))
        elif not isinstance(self.result, llvm.Struct):
            self.do(llvm.Return(found[0]))
        else:
            whole: llvm.Operand = llvm.Undefined()
            for n, part in enumerate(found):
                whole = self.emit(llvm.Insert(llvm.Typed(self.result, whole), part, (llvm.Number(n),)))
            self.do(llvm.Return(llvm.Typed(self.result, whole)))
