"""Control and data flow of a function, computed before it runs: joins, and registers that are read again."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass
from scopec.frontends.clang.llvm import code as llvm

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Flow:
    """The flow of a function, by its blocks.

    - ``joins``: blocks to which several edges lead, or one of a branch
    - ``live``: the registers that are read from the beginning of a block on
    - ``dying``: by the position of an instruction, the registers that are not read after it
    - ``scalars``: the local variables whose address goes nowhere
    - ``scalars_live``: before each instruction, those of these that are read from there on
    - ``ways``: those that only record the way taken; the compiler makes them and gives them constants, as it does to
      leave several loops or scopes at once
    - ``scoped``: variables of inner blocks and the like, whose beginning is stated
    """

    joins: frozenset[str]
    live: dict[str, frozenset[str]]
    dying: dict[str, tuple[frozenset[str], ...]]
    scalars: frozenset[str]
    scalars_live: dict[str, tuple[frozenset[str], ...]]
    ways: frozenset[str]
    scoped: frozenset[str]

    @cached_property
    def variables(self) -> frozenset[str]:
        """The local variables whose address goes nowhere, but for parameters: these say what a library's call is of."""
        return frozenset(name for name in self.scalars if not name.endswith(".addr"))


def locals_in(part: object) -> Iterator[str]:
    """The registers that an instruction reads."""
    work: list[Any] = [part]
    while work:
        one = work.pop()
        if isinstance(one, llvm.Local):
            yield one.name
        elif isinstance(one, tuple):
            work += reversed(one)
        else:
            work += [getattr(one, name) for name in _parts(one.__class__)]


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    """The fields of a form that may hold registers, last first: types, names and numbers do not."""
    if not is_dataclass(kind):
        return ()
    return tuple(f.name for f in reversed(fields(kind)) if f.type not in ("Type", "str", "int", "bool"))


def targets(action: llvm.Action) -> tuple[str, ...]:
    """The blocks that a last instruction of a block may go on to."""
    match action:
        case llvm.Jump(target):
            return (target,)
        case llvm.Branch(_, then, otherwise):
            return (then, otherwise)
        case llvm.Switch(_, default, cases):
            return (default, *(label for _, label in cases))
        case _:
            return ()


@lru_cache(maxsize=4096)
def _reads(action: llvm.Action) -> frozenset[str]:
    return frozenset() if isinstance(action, (llvm.Phi, llvm.Declare)) else frozenset(locals_in(action))


def flow(function: llvm.Function) -> Flow:
    """The flow of a function."""
    blocks = function.blocks
    edges = [(label, target) for label, code in blocks.items() for target in dict.fromkeys(targets(code[-1].action))]
    before: dict[str, list[str]] = {}
    for label, target in edges:
        before.setdefault(target, []).append(label)
    live: dict[str, frozenset[str]] = {label: frozenset() for label in blocks}
    after: dict[str, frozenset[str]] = {}
    work = list(blocks)
    while work:
        label = work.pop()
        out = after[label] = _out(blocks, label, live)
        for instruction in reversed(blocks[label]):
            out = (out - {instruction.result}) | _reads(instruction.action)
        if out != live[label]:
            live[label] = out
            work += before.get(label, ())
    dying = {}
    for label, code in blocks.items():
        out, found = after[label], []
        for instruction in reversed(code):
            read = _reads(instruction.action)
            found.append((read | ({instruction.result} if instruction.result else set())) - out)
            out = (out - {instruction.result}) | read
        dying[label] = tuple(reversed(found))
    # Behind a branch too: what decided it may tell no states apart any more.
    chosen = {
        t for code in blocks.values() if not isinstance(code[-1].action, llvm.Jump) for t in targets(code[-1].action)
    }
    joins = frozenset({target for target, sources in before.items() if len(sources) > 1} | chosen)
    scalars = _scalars(function)
    ways, scalars_live = scalars - _of_the_source(function), _scalars_live(function, scalars, before)
    return Flow(joins, live, dying, scalars, scalars_live, ways, _scoped(function))


def _scoped(function: llvm.Function) -> frozenset[str]:
    """The local variables of which it is told where they begin."""
    actions = (instruction.action for code in function.blocks.values() for instruction in code)
    begins = (
        action.arguments[-1].operand
        for action in actions
        if isinstance(action, llvm.Call)
        and isinstance(action.function, llvm.Global)
        and action.function.name.startswith("llvm.lifetime.start")
    )
    return frozenset(variable.name for variable in begins if isinstance(variable, llvm.Local))


def _scalars(function: llvm.Function) -> frozenset[str]:
    """The local variables that are read and written by their names alone."""
    found, others = set(), set()
    for code in function.blocks.values():
        for instruction in code:
            match instruction.action:
                case llvm.Alloca((llvm.Int() | llvm.Pointer() | llvm.Float()), None) if instruction.result:
                    found.add(instruction.result)
                case llvm.Load(_, llvm.Typed(_, llvm.Local())) | llvm.Declare():
                    pass
                case llvm.Call(_, llvm.Global(name)) if name.startswith("llvm.lifetime."):
                    pass
                case llvm.Store(value, llvm.Typed(_, llvm.Local())):
                    others |= set(locals_in(value))
                case action:
                    others |= set(locals_in(action))
    return frozenset(found - others)


def _of_the_source(function: llvm.Function) -> frozenset[str]:
    """The local variables that the source declares, and those that are given anything but constants."""
    found = set()
    for code in function.blocks.values():
        for instruction in code:
            match instruction.action:
                case llvm.Declare(llvm.Local(name)):
                    found.add(name)
                case llvm.Store(value, llvm.Typed(_, llvm.Local(name))) if not isinstance(value.operand, llvm.Number):
                    found.add(name)
                case _:
                    pass
    return frozenset(found)


def _scalars_live(
    function: llvm.Function, scalars: frozenset[str], before: dict[str, list[str]]
) -> dict[str, tuple[frozenset[str], ...]]:
    live = {label: (frozenset[str](),) * len(code) for label, code in function.blocks.items()}
    work = list(function.blocks)
    while work:
        label = work.pop()
        code = function.blocks[label]
        now = frozenset[str]().union(*(live[target][0] for target in targets(code[-1].action)))
        found = []
        for instruction in reversed(code):
            match instruction.action:
                case llvm.Load(_, llvm.Typed(_, llvm.Local(name))) if name in scalars:
                    now |= {name}
                case llvm.Store(_, llvm.Typed(_, llvm.Local(name))):
                    now -= {name}
                case _:
                    pass
            found.append(now)
        if now != live[label][0]:
            work += before.get(label, ())
        live[label] = tuple(reversed(found))
    return live


def _out(
    blocks: dict[str, tuple[llvm.Instruction, ...]], label: str, live: dict[str, frozenset[str]]
) -> frozenset[str]:
    found: set[str] = set()
    for target in targets(blocks[label][-1].action):
        found |= live[target]
        for instruction in blocks[target]:
            if not isinstance(instruction.action, llvm.Phi):
                break
            found |= {
                operand.name
                for operand, source in instruction.action.incoming
                if source == label and isinstance(operand, llvm.Local)
            }
    return frozenset(found)
