"""Calls: functions are entered, of the library those are known that have a row here; all others are refused by name.

What makes threads wait for each other is an order less where it is left out, so that a proof stays one.
"""

from __future__ import annotations

import re
from dataclasses import replace

from scopec.frontends.clang.anythread import numbers
from scopec.frontends.clang.anythread.assembly import entered
from scopec.frontends.clang.anythread.frame import Executes, Frame
from scopec.frontends.clang.anythread.memory import copy, forget, store
from scopec.frontends.clang.anythread.values import Cells, Pointers, Value, address, is_shared, joined, joined_cells
from scopec.frontends.clang.intrinsics.library import intrinsic
from scopec.frontends.clang.llvm import code as llvm
from scopec.program.anythread import (
    FALSE,
    ONE,
    TEXTURES,
    TRUE,
    UNIQUE,
    ZERO,
    Term,
    Ticket,
    both,
    const,
    either,
    symbol,
    truth,
)
from scopec.program.warp import WARP

Result = tuple[Value | None, Term, Cells]

_AXES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
#: Whose value an index is, and from where on.
_LEVELS = (("thread", 0), ("block", 0), ("launch", 1), ("launch", 1))
#: Atomic operations by name; those that only read.
_ATOMIC = frozenset({
    "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max", "fetch_inc",
    "fetch_dec", "fetch_move", "compare_exchange", "compare_swap", "load", "store",
})  # fmt: skip
#: Additions, and their signs.
_ADDS = {"fetch_add": 1, "fetch_sub": -1}
#: What orders or waits, and is left out, with the words for it.
_WAITS = {
    "fence": "fences", "group_sync": "barriers of warps, tiles, clusters and grids", "cta_barrier": "named barriers",
    "cluster_barrier": "barriers of clusters",
}  # fmt: skip
#: The kind of a barrier and its mask or size: of a warp, and of a tile of so many lanes, which is the same.
_OF_GRID = const(3)
_OF_WARPS = ((ZERO, const(-1)), (ONE, const(WARP)))
#: The number of a barrier, how many threads it is for (all), and that it waits: `bar.sync 0` is `__syncthreads()`
#: (PTX ISA, "bar": "If no thread count is specified, all threads in the CTA participate").
_OF_BLOCK = (ZERO, const(-1), TRUE)
#: What does nothing here, and what returns any value of a thread.
_NOTHING = frozenset({
    "in_kernel", "yield", "io", "assert", "in_space", "element", "side_effect", "await_prerequisite",
    "trigger_dependents",
})  # fmt: skip
_ANY = frozenset({
    "decide", "unknown", "clock", "lane", "active", "known_mask", "lane_of", "ranks", "lanes_of", "shuffle",
    "warp_vote", "match", "reduce", "elect", "grid_valid", "space", "in_range", "dynamic_shared",
})  # fmt: skip
_END = frozenset({"trap", "exit", "end_thread"})
_KNOWN = (
    _ATOMIC
    | _WAITS.keys()
    | _NOTHING
    | _ANY
    | _END
    | {"index", "syncthreads", "vote", "read_only", "texture", "unique"}
)
#: LLVM's own that touch no memory.
_PURE = re.compile(
    r"llvm\.(fma|fmuladd|sqrt|fabs|floor|ceil|trunc|rint|nearbyint|round|roundeven|copysign|exp|exp2|log|log2|log10|pow|"
    r"powi|sin|cos|tan|minnum|maxnum|minimum|maximum|abs|ctpop|ctlz|cttz|bswap|bitreverse|fshl|fshr|is\.fpclass|"
    r"fptosi\.sat|fptoui\.sat|expect)\b"
)
_IGNORED = re.compile(r"llvm\.(lifetime|dbg|assume|experimental\.noalias|donothing|prefetch|stacksave|stackrestore)\b")


def called(
    executor: Executes, frame: Frame, action: llvm.Call | llvm.Assembly, instruction: llvm.Instruction,
    condition: Term, cells: Cells,
) -> Result:  # fmt: skip
    """The result of a call, the condition under which it returns, and the memory then."""
    record = executor.record
    if isinstance(action, llvm.Assembly):
        return _assembly(executor, frame, action, instruction, condition, cells)
    if not isinstance(action.function, llvm.Global):
        return _through(executor, frame, action, instruction, condition, cells)
    name = record.module.aliases.get(action.function.name, action.function.name)
    plain, _ = intrinsic(name)
    if plain != name and (plain in _KNOWN or record.module.function(name) is None):  # not one of the headers' own
        return _of_library(executor, frame, action, plain, condition, cells)
    if name.startswith("llvm."):
        return _of_llvm(executor, frame, action, name, condition, cells)
    function = record.module.function(name)
    if function is None:
        raise record.refused(f"a call of `{name}`, which has no body")
    arguments = []  # the rest of a variable number is reached by `llvm.va_start`, which is refused
    path = f"{frame.path}{instruction.result or instruction.place or name}/"
    for position, (argument, behind) in enumerate(zip(action.arguments, action.byval, strict=True)):
        value = executor.operand(frame, argument)
        if position < len(function.byval) and function.byval[position] is not None:
            assert behind is not None or function.byval[position] is not None
            value = _copied(executor, value, function.byval[position], f"%{path}by value {position}", condition, cells)
        arguments.append(value)
    if len(arguments) < len(function.parameters):
        raise record.refused("a call with a variable number of arguments")
    place = record.place
    found = executor.call(function, arguments[: len(function.parameters)], path, condition, cells)
    record.place = place
    return found


def _through(
    executor: Executes, frame: Frame, action: llvm.Call, instruction: llvm.Instruction, condition: Term, cells: Cells
) -> Result:  # fmt: skip
    """A call through a pointer: of each function that it may lead to, under the condition that it does."""
    record, place = executor.record, executor.record.place
    value = executor.operand(frame, llvm.Typed(llvm.Pointer(), action.function))
    ways = value.ways if isinstance(value, Pointers) else ()
    named = [(way, (object_ or "").removeprefix("@")) for way, object_, _ in ways]
    if not named or any(record.module.function(name) is None for _, name in named):
        raise record.refused("a call through a pointer")
    values, memories, reached = list[tuple[Term, Value]](), list[tuple[Term, Cells]](), FALSE
    for way, name in named:
        known = replace(action, function=llvm.Global(name))
        own = replace(instruction, result=f"{instruction.result or instruction.place} {name}")  # variables of its own
        result, returns, after = called(executor, frame, known, own, both(condition, way), dict(cells))
        record.place = place
        if returns is not FALSE:
            memories.append((returns, after))
            reached = either(reached, returns)
            if result is not None:
                values.append((returns, result))
    is_same = len(values) == len(memories) > 0
    return (
        joined(values, record.names) if is_same else None,
        reached,
        joined_cells(memories, record.names) if memories else cells,
    )


def _assembly(
    executor: Executes, frame: Frame, action: llvm.Assembly, instruction: llvm.Instruction, condition: Term,
    cells: Cells,
) -> Result:  # fmt: skip
    """Go into inline assembly; one without text does nothing but to its operands."""
    record, place = executor.record, executor.record.place
    function = entered(record, action)
    arguments = [executor.operand(frame, argument) for argument in action.arguments]
    path = f"{frame.path}{instruction.result or instruction.place or 'asm'}/"
    found = executor.call(function, arguments, path, condition, cells)
    record.place = place
    return found


def _copied(
    executor: Executes, value: Value, type_: llvm.Type | None, name: str, condition: Term, cells: Cells
) -> Value:  # fmt: skip
    assert type_ is not None
    executor.record.types[name] = type_
    copy(executor.record, cells, address(name), value, llvm.size(type_), condition)
    return address(name)


def _of_library(
    executor: Executes, frame: Frame, action: llvm.Call, plain: str, condition: Term, cells: Cells
) -> Result:
    record = executor.record
    given = [executor.operand(frame, argument) for argument in action.arguments]
    if plain == "index":
        return _index(executor, given[0]), condition, cells
    if plain in ("syncthreads", "vote") or (plain == "cta_barrier" and tuple(given[:3]) == _OF_BLOCK):
        record.barrier(condition)
        return (
            (record.of_block(record.names.any_of(action.type, "block")) if plain == "vote" else None),
            condition,
            cells,
        )
    if plain in _ATOMIC:
        return _atomic(executor, action, plain, given, condition, cells), condition, cells
    if plain == "group_sync" and given[0] is _OF_GRID:
        record.barrier(condition, of_grid=True)
        return None, condition, cells
    if plain == "group_sync" and (given[0], given[1]) in _OF_WARPS:
        record.of_warps(condition)
        return None, condition, cells
    if plain in _WAITS:
        if plain == "group_sync" and not _is_known(given[1]):
            record.of_warps(record.names.truth("thread"))
        record.left_out[_WAITS[plain]] = None
        return None, condition, cells
    if plain == "read_only":
        record.read_only.add(record.place)
        return None, condition, cells
    if plain == "unique":
        return _unique(executor, given[0], given[1]), condition, cells
    if plain == "texture":
        texel = record.names.like(ZERO)
        assert isinstance(texel, Term)
        record.access(address(TEXTURES, texel), 1, "read", condition)
    if plain in _NOTHING or plain == "texture":
        return None, condition, cells
    if plain == "unknown" and given:
        return record.made_of(action.type, given), condition, cells
    if plain in _ANY:
        return record.names.any_of(action.type), condition, cells
    if plain in _END:
        record.ended += 1
        return None, FALSE, cells
    raise record.refused(f"the library's `{plain}`")


def _unique(executor: Executes, at: Value, size: Value) -> Term:
    """Whether the elements of an array differ, as a truth of the launch."""
    ways = at.ways if isinstance(at, Pointers) else ()
    if len(ways) == 1 and is_shared(at) and ways[0][2] is ZERO and isinstance(size, Term) and size.op == "const":
        return truth(f"{UNIQUE}{ways[0][1]}:{8 * size.value}", "launch")
    raise executor.record.refused("`unique` of what is no parameter or variable")


def _is_known(value: Value) -> bool:
    return isinstance(value, Term) and value.op == "const"


def _index(executor: Executes, which: Value) -> Value:
    if not isinstance(which, Term) or which.op != "const" or not 0 <= which.value < 12:
        raise executor.record.refused("an index in a cluster")
    kind, axis = divmod(which.value, 3)
    level, low = _LEVELS[kind]
    name = f"{_AXES[kind]}.{'xyz'[axis]}"
    executor.record.dimensions.add(name)
    return symbol(name, "thread" if level == "thread" else "block" if level == "block" else "launch", low)


def _atomic(
    executor: Executes, action: llvm.Call, plain: str, given: list[Value], condition: Term, cells: Cells
) -> Value | None:
    record = executor.record
    at = given[0]
    if plain == "store" or isinstance(action.type, llvm.Void):
        type_ = action.arguments[1].type
    elif plain == "compare_exchange":
        type_ = action.arguments[2].type
    else:
        type_ = action.type
    last = given[-2] if plain == "compare_exchange" else given[-1]
    scope = last.value % 8 if isinstance(last, Term) and last.op == "const" else 0
    if isinstance(at, Pointers) and any(o is not None and o.startswith("%") for _, o, _ in at.ways):
        raise record.refused("an atomic operation on a variable of the thread")
    written = record.access(at, llvm.size(type_), "atomic", condition, scope)
    if plain == "compare_exchange":
        store(record, cells, given[1], record.names.any_of(type_), type_, condition)
    found = None if isinstance(action.type, llvm.Void) else record.names.any_of(action.type)
    if plain in _ADDS and isinstance(type_, llvm.Int) and len(written) == 1:
        amount, value = given[1], record.names.any_of(type_) if found is None else found
        if isinstance(amount, Term) and amount.op == "const" and amount.value:
            assert isinstance(value, Term)
            moved = _ADDS[plain] * numbers.signed(amount, type_.bits).value
            record.tickets.append(Ticket(written[0], value, moved))
    return found


def _of_llvm(executor: Executes, frame: Frame, action: llvm.Call, name: str, condition: Term, cells: Cells) -> Result:
    record = executor.record
    if _IGNORED.match(name):
        return None, condition, cells
    given = [executor.operand(frame, argument) for argument in action.arguments]
    if re.match(r"llvm\.mem(cpy|move|set)\b", name):
        length = given[2]
        size = length.value if isinstance(length, Term) and length.op == "const" else None
        if name.startswith("llvm.memset"):
            _filled(executor, given[0], size, condition, cells)
        else:
            copy(record, cells, given[0], given[1], size, condition)
        return None, condition, cells
    if (found := re.match(r"llvm\.(smin|smax|umin|umax)\.i(\d+)$", name)) is not None:
        left, right = given
        assert isinstance(left, Term)
        assert isinstance(right, Term)
        record.operands(found[1], (left, right), int(found[2]), condition)
        return numbers.arithmetic(found[1], left, right, int(found[2]), record.names), condition, cells
    if _PURE.match(name):
        return record.made_of(action.type, given), condition, cells
    if name == "llvm.ubsantrap" or name == "llvm.trap":
        return None, FALSE, cells
    raise record.refused(f"`{name}`")


def _filled(executor: Executes, at: Value, size: int | None, condition: Term, cells: Cells) -> None:
    record = executor.record
    if not isinstance(at, Pointers):
        raise record.refused("a number is used as an address")
    for _, object_, _ in at.ways:
        if object_ is not None and object_.startswith("%"):
            forget(cells, object_)
        elif size is None:
            raise record.refused("bytes are filled whose number is not known")
    record.access(at, size or 0, "write", condition)
