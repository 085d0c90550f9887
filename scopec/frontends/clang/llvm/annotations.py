"""The shims' keywords on variables and functions, as annotations in LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm

if TYPE_CHECKING:
    from scopec.frontends.clang.llvm.reader import Module

_LISTED = "llvm.global.annotations"


def said(module: Module) -> dict[str, dict[str, tuple[int, ...]]]:
    """The annotations of each variable or function by its mangled name, each with its numbers."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    if _LISTED not in module.variables:
        return found
    listed = module.variable(_LISTED).initial
    assert isinstance(listed, llvm.Aggregate)
    for entry in listed.items:
        assert isinstance(entry.operand, llvm.Aggregate)
        of, text, _, _, given = (_named(part.operand) for part in entry.operand.items)
        said = module.variable(text).initial
        assert isinstance(said, llvm.Text)
        name = said.bytes.rstrip(b"\0").decode()
        found.setdefault(of, {})[name] = _numbers(module, given) if given else ()
    return found


def _named(operand: llvm.Operand) -> str:
    while isinstance(operand, llvm.Expression) and isinstance(operand.instruction, llvm.Cast):
        operand = operand.instruction.operand.operand
    return operand.name if isinstance(operand, llvm.Global) else ""


def _numbers(module: Module, name: str) -> tuple[int, ...]:
    given = module.variable(name).initial
    if not isinstance(given, llvm.Aggregate):
        return ()
    return tuple(item.operand.value for item in given.items if isinstance(item.operand, llvm.Number))
