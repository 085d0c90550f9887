"""The launches of a file's host code, as what holds of them: by the executor, over the symbols of a host function.

A function that launches a kernel is executed for any arguments; what it calls is entered where that is understood, or
may return anything and write to whatever it was given the address of.  A launch says what grid, block and parameters
are.
"""

from __future__ import annotations

import re
from functools import reduce

from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.frontends.clang.anythread.calls import Result, called
from scopec.frontends.clang.anythread.executor import Executor
from scopec.frontends.clang.anythread.frame import Frame, Record
from scopec.frontends.clang.anythread.reader import arguments
from scopec.frontends.clang.anythread.values import Cells, Names, NotFollowed, Parts, Pointers, Value
from scopec.frontends.clang.intrinsics.library import intrinsic
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.llvm.stubs import is_stub, kernel_of
from scopec.program import anythread as terms
from scopec.program.anythread import FALSE, TRUE, Access, Kind, Term, both, either, equal, is_truth, symbol

_CONFIGURE = "__cudaPushCallConfiguration"
#: Functions that get the address of a kernel, and do not launch it.
_ABOUT = re.compile(r"cudaFunc(Set|Get)|cudaOccupancy|__cudaRegister")
_AXES = "xyz"


@dataclass(frozen=True)
class Launch:
    """A launch: of which kernel, under which condition, with which extents and arguments, as far as these are known."""

    kernel: str
    condition: Term
    extents: tuple[tuple[str, Term], ...]
    arguments: tuple[Value, ...]
    span: Span


class _HostRecord(Record):
    """What a function of the host does: nothing that threads share."""

    def access(self, at: Value, size: int, kind: Kind, condition: Term, scope: int = 0) -> list[Access]:  # noqa: ARG002
        """An access of the host is no thread's."""
        return []


class _Function(Executor):
    """One function of the host."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.launches: list[Launch] = []
        self._configured: tuple[Value, ...] = ()
        self._escaped: set[str] = set()

    def operand(self, frame: Frame, typed: llvm.Typed) -> Value:
        """The value of an operand; whoever has the address of a kernel may launch it as he likes."""
        if isinstance(typed.operand, llvm.Global) and is_stub(typed.operand.name):
            self.launches.append(Launch(kernel_of(typed.operand.name), TRUE, (), (), self.record.place))
        return super().operand(frame, typed)

    def called(
        self, frame: Frame, action: llvm.Call | llvm.Assembly, instruction: llvm.Instruction, condition: Term,
        cells: Cells,
    ) -> Result:  # fmt: skip
        """The result of a call: of a launch, of a function that is understood, or of any other."""
        name = (
            action.function.name if isinstance(action, llvm.Call) and isinstance(action.function, llvm.Global) else ""
        )
        if isinstance(action, llvm.Call) and _ABOUT.search(name):
            others = [one for one in action.arguments if not isinstance(one.operand, llvm.Global)]
            return self._any_result(action, [self.operand(frame, one) for one in others], condition, cells)
        given = [] if isinstance(action, llvm.Assembly) else [self.operand(frame, one) for one in action.arguments]
        if name == _CONFIGURE:
            self._configured = tuple(given)
            return terms.ZERO, condition, cells
        if is_stub(name):
            self._launched(name, given, condition)
            return None, condition, cells
        if intrinsic(name)[0] == "assert":
            truth = given[0]
            return None, both(condition, truth) if isinstance(truth, Term) and is_truth(truth) else condition, cells
        mark, count, place = self.record.mark(), len(self.launches), self.record.place
        try:
            return called(self, frame, action, instruction, condition, dict(cells))
        except NotFollowed:
            del self.launches[count:]  # the function is executed by itself
            self.record.back_to(mark)
            self.record.place = place
        return self._any_result(action, given, condition, cells)

    def _any_result(
        self, action: llvm.Call | llvm.Assembly, given: list[Value], condition: Term, cells: Cells
    ) -> Result:  # fmt: skip
        """That of a function which may do anything with what it is given."""
        self._let_go(given, cells)
        for key in [key for key in cells if key[0] in self._escaped]:
            del cells[key]
        return self.record.names.any_of(action.type), condition, cells

    def _let_go(self, given: list[Value], cells: Cells) -> None:
        """Note which local variables a call may write to from now on."""
        left = list(given)
        while left:
            value = left.pop()
            if isinstance(value, Parts):
                left += value.items
            if not isinstance(value, Pointers):
                continue
            for _, object_, _ in value.ways:
                if object_ is not None and object_ not in self._escaped:
                    self._escaped.add(object_)
                    left += [content for (of, _), (_, content) in cells.items() if of == object_]

    def _launched(self, stub: str, given: list[Value], condition: Term) -> None:
        extents = []
        for name, at in (("gridDim", 0), ("blockDim", 2)):
            flat, last = self._configured[at : at + 2] if len(self._configured) > at + 1 else (None, None)
            parts = (*flat.items, last) if isinstance(flat, Parts) and len(flat.items) == 2 else (None, None, last)
            extents += [
                (f"{name}.{axis}", part)
                for axis, part in zip(_AXES, parts, strict=True)
                if isinstance(part, Term) and not is_truth(part)
            ]
        self.launches.append(Launch(kernel_of(stub), condition, tuple(extents), tuple(given), self.record.place))


class Host:
    """The host code of a file, each function of which is executed once."""

    def __init__(self, module: Module, debug: Debug, source: Source) -> None:
        self._module, self._debug, self._source = module, debug, source
        self._found: dict[str, tuple[Launch, ...]] = {}
        self._nowhere = source.span(0, 0)
        self._stubs = [name for name in module.functions if is_stub(name)]

    def launches(self, kernel: str) -> tuple[Launch, ...]:
        """The launches of a kernel; NotFollowed for a function that is not understood."""
        found: list[Launch] = []
        stubs = [name for name in self._stubs if kernel_of(name) == kernel]
        for name in self._module.functions:
            if not is_stub(name) and any(self._module.mentions(name, stub) for stub in stubs):
                found += [one for one in self._of_function(name) if one.kernel == kernel]
        for text in self._module.variables.values():
            if any(stub in text for stub in stubs):  # a table of kernels
                found.append(Launch(kernel, TRUE, (), (), self._nowhere))
        return tuple(found)

    def _of_function(self, name: str) -> tuple[Launch, ...]:
        if name not in self._found:
            function = self._module.function(name)
            assert function is not None
            names = Names(f"{name} ?", "launch")
            executor = _Function(_HostRecord(self._module, self._debug, self._source, frozenset(), names))
            cells: Cells = {}
            values, _ = arguments(executor, function, cells, f"{function.name} ")
            executor.call(function, values, "", TRUE, cells)
            self._found[name] = tuple(executor.launches)
        return self._found[name]


def as_launched(found: tuple[Launch, ...], parameters: tuple[tuple[str, Term | None], ...]) -> Term:
    """What holds of a launch of the kernel, which is one of these."""
    return reduce(either, (_holds(one, parameters) for one in found), FALSE)


def _holds(launch: Launch, parameters: tuple[tuple[str, Term | None], ...]) -> Term:
    holds = launch.condition
    for name, extent in launch.extents:
        holds = both(holds, equal(symbol(name, "launch", 1), extent))
    for (_, parameter), argument in zip(parameters, launch.arguments, strict=False):
        if parameter is not None and isinstance(argument, Term) and is_truth(parameter) == is_truth(argument):
            holds = both(holds, _same(parameter, argument))
    return holds


def _same(parameter: Term, argument: Term) -> Term:
    if is_truth(parameter):
        return either(both(parameter, argument), both(terms.opposite(parameter), terms.opposite(argument)))
    return equal(parameter, argument)
