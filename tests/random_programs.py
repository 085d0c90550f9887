"""Random small programs: as input for an oracle, and as CUDA C++ for scopec."""

from __future__ import annotations

import random

from tests.oracles import brute_memory as memory

_SCOPES = {s: f"cuda::thread_scope_{s}" for s in memory.SCOPES}


def memory_program(chance: random.Random) -> memory.Program:
    """Two or three threads in one or two blocks, at most six operations on two locations, some of them guarded."""
    places = chance.choice([("a", "b"), ("a", "a"), ("a", "b", "b"), ("a", "a", "b")])
    sizes = [chance.randint(1, 3) for _ in places]
    while sum(sizes) > 6:
        sizes[sizes.index(max(sizes))] -= 1
    threads = []
    for number, (block, size) in enumerate(zip(places, sizes, strict=True)):
        ops: list[memory.Op] = []
        assigned: list[str] = []
        for position in range(size):
            op = _memory_op(chance, f"r{position}", assigned)
            ops.append(op)
        threads.append(memory.Thread(f"t{number}", "device", 0, block, tuple(ops)))
    return memory.Program(tuple(threads), {"x": memory.Loc(), "y": memory.Loc(1 if chance.random() < 0.2 else 0)})


def _memory_op(chance: random.Random, reg: str, assigned: list[str]) -> memory.Op:
    guard = (chance.choice(assigned), chance.randint(0, 2)) if assigned and chance.random() < 0.3 else None
    loc, scope = chance.choice("xy"), chance.choice(["block", "block", "device", "device", "device", "system", "thread"])
    value: memory.Value = chance.randint(1, 2)
    plain = chance.random() < 0.2
    kind = chance.choice([memory.Load, memory.Load, memory.Store, memory.Store, memory.FetchAdd, memory.Exchange, memory.Cas, memory.Fence])
    order = chance.choice([o for o in memory.ORDERS[kind] if o is not None])
    if kind is memory.Fence:
        return memory.Fence(order, scope, guard)
    if kind in (memory.Load, memory.Store) and plain:
        order, scope = None, "thread"
    if kind is memory.Store:
        if assigned and guard is None and chance.random() < 0.4:
            value = chance.choice([assigned[-1], ("add", assigned[-1], 1)])
        return memory.Store(loc, value, order, scope, guard)
    if guard is None:
        assigned.append(reg)
    assert order is not None or kind is memory.Load
    if kind is memory.Load:
        return memory.Load(reg, loc, order, scope, guard)
    if kind is memory.FetchAdd:
        return memory.FetchAdd(reg, loc, value, order or "", scope, guard)
    if kind is memory.Exchange:
        return memory.Exchange(reg, loc, value, order or "", scope, guard)
    failure = chance.choice([o for o in ("relaxed", "acquire", "seq_cst")])
    return memory.Cas(reg, loc, chance.randint(0, 1), value, order or "", failure, scope, guard)


def memory_text(program: memory.Program, directives: str = "") -> str:
    """The program as one kernel; thread ``t0`` is the first thread of its block, and so on."""
    blocks = list(dict.fromkeys(t.block for t in program.threads))
    widest = max(sum(t.block == b for t in program.threads) for b in blocks)
    lines = [f"__device__ int {name} = {loc.initial};" for name, loc in program.locations.items()]
    lines.append("__global__ void k() {")
    for thread, (block, lane) in zip(program.threads, memory_places(program), strict=True):
        lines.append(f"  if (blockIdx.x == {block} && threadIdx.x == {lane}) {{")
        registers = sorted({r for op in thread.ops for r in _registers(op)})
        lines += [f"    int t{program.threads.index(thread)}_{r} = -1;" for r in registers]
        lines += [f"    {_statement(op, program.threads.index(thread))}" for op in thread.ops]
        lines.append("  }")
    lines.append("}")
    lines.append(f"//@ launch k<<<{len(blocks)}, {widest}>>>();")
    return "\n".join([*lines, directives]) + "\n"


def memory_places(program: memory.Program) -> list[tuple[int, int]]:
    """Block and lane of each thread."""
    blocks = list(dict.fromkeys(t.block for t in program.threads))
    seen: dict[object, int] = {}
    places = []
    for thread in program.threads:
        lane = seen.get(thread.block, 0)
        seen[thread.block] = lane + 1
        places.append((blocks.index(thread.block), lane))
    return places


def _registers(op: memory.Op) -> list[str]:
    match op:
        case memory.Load(reg=reg) | memory.FetchAdd(reg=reg) | memory.Exchange(reg=reg) | memory.Cas(reg_old=reg):
            return [reg]
        case _:
            return []


def _value(value: memory.Value, thread: int) -> str:
    match value:
        case int():
            return str(value)
        case str():
            return f"t{thread}_{value}"
        case (_, reg, addend):
            return f"t{thread}_{reg} + {addend}"


def _statement(op: memory.Op, thread: int) -> str:
    text = _unguarded(op, thread)
    return text if op.guard is None else f"if (t{thread}_{op.guard[0]} == {op.guard[1]}) {{ {text} }}"


def _unguarded(op: memory.Op, thread: int) -> str:
    if isinstance(op, memory.Fence):
        return f"cuda::atomic_thread_fence(cuda::memory_order_{op.order}, {_SCOPES[op.scope]});"
    ref = f"cuda::atomic_ref<int, {_SCOPES[op.scope]}>({op.loc})"
    match op:
        case memory.Load(reg, loc, None):
            return f"t{thread}_{reg} = {loc};"
        case memory.Load(reg, _, order):
            return f"t{thread}_{reg} = {ref}.load(cuda::memory_order_{order});"
        case memory.Store(loc, value, None):
            return f"{loc} = {_value(value, thread)};"
        case memory.Store(_, value, order):
            return f"{ref}.store({_value(value, thread)}, cuda::memory_order_{order});"
        case memory.FetchAdd(reg, _, operand, order):
            return f"t{thread}_{reg} = {ref}.fetch_add({_value(operand, thread)}, cuda::memory_order_{order});"
        case memory.Exchange(reg, _, value, order):
            return f"t{thread}_{reg} = {ref}.exchange({_value(value, thread)}, cuda::memory_order_{order});"
        case memory.Cas(reg, _, expected, desired, order, failure):
            own = f"t{thread}_{reg}"
            return (
                f"{own} = {_value(expected, thread)}; {ref}.compare_exchange_strong({own}, {_value(desired, thread)}, "
                f"cuda::memory_order_{order}, cuda::memory_order_{failure});"
            )
