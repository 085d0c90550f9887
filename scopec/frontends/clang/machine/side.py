"""The code of the device, or of the host, and the variables that it declares."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.evaluation_order.footprints import Touched
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Debug, Variable
from scopec.frontends.clang.llvm.flow import Flow, flow
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.prepare import CONSTANT

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED_SPACE, CONSTANT_SPACE = 3, 4


@dataclass(frozen=True)
class Side:
    """The code of the device, or of the host."""

    module: Module
    debug: Debug
    host: bool
    #: The flows of its functions, as far as somebody wanted to know.
    flows: dict[str, Flow] = field(default_factory=dict, compare=False)

    #: The footprints of the instructions of each thread.
    touched: list[Touched] = field(default_factory=list, compare=False)
    #: Functions with a way for each order that C++ leaves open, in place of those of clang's order.
    in_any_order: dict[str, llvm.Function] = field(default_factory=dict, compare=False)

    def function(self, name: str) -> llvm.Function | None:
        """A function, if it has a body."""
        return self.in_any_order.get(name) or self.module.function(name)

    def flow(self, function: llvm.Function) -> Flow:
        """The flow of a function, worked out once."""
        if function.name not in self.flows:
            self.flows[function.name] = flow(function)
        return self.flows[function.name]

    def parameter(self, function: llvm.Function, name: str) -> Variable | None:
        """The variable of the source that a parameter is which is passed in memory."""
        for instruction in next(iter(function.blocks.values())):
            match instruction.action:
                case llvm.Declare(llvm.Local(declared), variable) if declared == name:
                    return self.debug.variable(variable)
                case _:
                    pass
        return None


def variables(side: Side) -> Iterator[tuple[str, Variable]]:
    """The variables of the user's files that are no constants, by their names in the code."""
    for name, text in side.module.variables.items():
        if "!dbg" in text and not name.startswith(CONSTANT):
            variable = side.module.variable(name)
            dynamic = variable.space == SHARED_SPACE and variable.initial is None
            if variable.debug and not (variable.constant or dynamic):
                yield name, side.debug.variable(variable.debug[0])


def is_shared(device: Side, name: str) -> bool:
    """Whether a variable is in the shared memory of a block."""
    return name in device.module.variables and device.module.variable(name).space == SHARED_SPACE


def is_local(name: str) -> bool:
    """Whether a variable is one of a function."""
    return name.startswith("_ZZ")
