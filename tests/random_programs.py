"""Random small programs of the memory question: as input for an oracle, and as CUDA C++ for scopec."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.oracles import brute_programs as memory

_SCOPES = {s: f"cuda::thread_scope_{s}" for s in memory.SCOPES}


def memory_program(chance: random.Random, events: int | None = None) -> memory.Program:
    """Two or three threads in one or two blocks, at most six operations on two locations, some of them guarded.

    With ``events`` it has that many events at most, where a read-modify-write is two.
    """
    places = chance.choice([("a", "b"), ("a", "a"), ("a", "b", "b"), ("a", "a", "b")])
    sizes = [chance.randint(1, 3) for _ in places]
    while sum(sizes) > 6:
        sizes[sizes.index(max(sizes))] -= 1
    threads = []
    left = 2 * sum(sizes) if events is None else events
    for number, (block, size) in enumerate(zip(places, sizes, strict=True)):
        ops: list[memory.Op] = []
        assigned: list[str] = []
        for position in range(size):
            op = _memory_op(chance, f"r{position}", assigned)
            left -= 2 if isinstance(op, memory.FetchAdd | memory.Exchange | memory.Cas) else 1
            if left < 0:
                break
            ops.append(op)
        threads.append(memory.Thread(f"t{number}", "device", 0, block, tuple(ops)))
    return memory.Program(tuple(threads), {"x": memory.Loc(), "y": memory.Loc(1 if chance.random() < 0.2 else 0)})


def handover_program(chance: random.Random) -> memory.Program:
    """Data handed over by a flag, with one or two readers or a relay: mostly enough order and scope, not always."""
    places = chance.choice([("a", "b"), ("a", "a"), ("a", "b", "b"), ("a", "a", "b")])
    usual = (
        chance.choice(["block", "device", "system"]) if len(set(places)) == 1 else chance.choice(["device", "system"])
    )

    def scope() -> str:
        return usual if chance.random() < 0.8 else chance.choice(memory.SCOPES)

    def order(strong: str) -> str:
        return chance.choice([strong, strong, strong, "seq_cst", "relaxed"])

    def fenced(strong: str) -> tuple[list[memory.Op], str]:
        """Order by a fence or by the access itself; the order of the access."""
        if chance.random() < 0.3:
            return [memory.Fence(order(strong), scope())], "relaxed"
        return [], order(strong)

    fence, released = fenced("release")
    flag: memory.Op = memory.Store("y", 1, released, scope())
    if chance.random() < 0.3:
        flag = memory.Exchange("r9", "y", 1, released, scope())
    threads = [memory.Thread("t0", "device", 0, places[0], (memory.Store("x", 1), *fence, flag))]
    for number, block in enumerate(places[1:], 1):
        fence, acquired = fenced("acquire")
        seen = ("r0", 1)
        first: memory.Op = memory.Load("r0", "y", acquired, scope())
        if chance.random() < 0.3:
            first = memory.Cas("r0", "y", 1, 2, acquired, chance.choice(["relaxed", "acquire"]), scope())
        data = memory.Load("r1", "x", guard=seen) if chance.random() < 0.8 else memory.Store("x", 2, guard=seen)
        guarded = tuple(replace(f, guard=seen) for f in fence)
        threads.append(memory.Thread(f"t{number}", "device", 0, block, (first, *guarded, data)))
    return memory.Program(tuple(threads), {"x": memory.Loc(), "y": memory.Loc()})


def _memory_op(chance: random.Random, reg: str, assigned: list[str]) -> memory.Op:
    guard = (chance.choice(assigned), chance.randint(0, 2)) if assigned and chance.random() < 0.3 else None
    loc, scope = (
        chance.choice("xy"),
        chance.choice(["block", "block", "device", "device", "device", "system", "thread"]),
    )
    value: memory.Value = chance.randint(1, 2)
    plain = chance.random() < 0.2
    kind = chance.choice(
        [
            memory.Load,
            memory.Load,
            memory.Store,
            memory.Store,
            memory.FetchAdd,
            memory.Exchange,
            memory.Cas,
            memory.Fence,
        ]
    )
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
    failure = chance.choice(["relaxed", "acquire", "seq_cst"])
    return memory.Cas(reg, loc, chance.randint(0, 1), value, order or "", failure, scope, guard)


def scoped_program(chance: random.Random, wrong: float) -> memory.Program:
    """Two or three threads in one or two blocks that hand on data by a flag, at one scope but for mistakes.

    Each may wait for its predecessor's value of the flag, access data under that condition, and set the flag on; with the
    probability ``wrong`` a scope or an order is another, data is accessed too early, or without the condition.  At most
    seven operations.
    """
    places = chance.choice([("a", "b"), ("a", "a"), ("a", "b", "b"), ("a", "a", "b"), ("a", "b", "a")])
    scope = chance.choice(["block", "device"] if len(set(places)) == 1 else ["device", "device", "device", "system"])
    budget = 7
    threads = []
    for number, block in enumerate(places):
        ops: list[memory.Op] = []
        guard: memory.Guard = None
        last = number == len(places) - 1
        if number and chance.random() < wrong + 0.1:
            ops.append(_data(chance, "r0", None))
        if number and chance.random() < 0.9:
            flag, value = f"r{len(ops)}", number if chance.random() < 0.8 else 1
            ops += _synchronized(chance, chance.choice(["load", "load", "load", "add"]), flag, 0, scope, wrong)
            guard = (flag, value) if chance.random() >= wrong else None
        ops += [_data(chance, f"d{n}", guard) for n in range(chance.choice([1, 1, 2]))]
        if not last or chance.random() < 0.3:
            ops += _synchronized(
                chance, chance.choice(["store", "store", "add"]), f"s{len(ops)}", number + 1, scope, wrong, guard
            )
        del ops[budget - 2 * (len(places) - number - 1) :]
        budget -= len(ops)
        threads.append(memory.Thread(f"t{number}", "device", 0, block, tuple(ops)))
    return memory.Program(tuple(threads), {name: memory.Loc() for name in "xyf"})


def _data(chance: random.Random, reg: str, guard: memory.Guard) -> memory.Op:
    loc = chance.choice("xxy")
    return chance.choice([memory.Load(reg, loc, guard=guard), memory.Store(loc, chance.randint(1, 2), guard=guard)])


def _synchronized(
    chance: random.Random, kind: str, reg: str, value: int, usual: str, wrong: float, guard: memory.Guard = None
) -> list[memory.Op]:
    """An acquire or a release of the flag: a load, a store or a read-modify-write, with its own order or a fence."""
    scope = chance.choice(memory.SCOPES) if chance.random() < wrong else usual
    load, store, rmw = chance.choice([("acquire", "release", "acq_rel")] * 6 + [("seq_cst",) * 3])
    if chance.random() < wrong:
        load = store = rmw = "relaxed"
    fenced = chance.random() < 0.2
    match kind:
        case "load" if fenced:
            return [memory.Load(reg, "f", "relaxed", scope, guard), memory.Fence(load, scope, guard)]
        case "load":
            return [memory.Load(reg, "f", load, scope, guard)]
        case "store" if fenced:
            return [memory.Fence(store, scope, guard), memory.Store("f", value, "relaxed", scope, guard)]
        case "store":
            return [memory.Store("f", value, store, scope, guard)]
        case _:
            return [memory.FetchAdd(reg, "f", int(value > 0), rmw, scope, guard)]


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
