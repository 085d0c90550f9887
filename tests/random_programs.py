"""Random small programs: as input for an oracle, and as CUDA C++ for scopec."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.oracles import brute_memory as memory
from tests.oracles import fair_cycles as progress

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


# ---------------------------------------------------------------- progress


def progress_program(chance: random.Random) -> progress.Program:
    """One or two grids of one or two blocks of one or two threads, a host that launches, waits and synchronizes."""
    names = ["g", "h"][: chance.choice([1, 1, 2])]
    grids = {}
    left = 4
    for name in names:
        blocks, threads = chance.choice([(1, 1), (1, 2), (2, 1), (1, 2), (2, 1), (1, 1)])
        if blocks * threads > left:
            blocks = threads = 1
        left -= blocks * threads
        body = {
            (b, t): tuple(_device_statement(chance) for _ in range(chance.randint(0, 2)))
            for b in range(blocks)
            for t in range(threads)
        }
        if chance.random() < 0.3:
            body = {at: (*statements, progress.SyncThreads()) for at, statements in body.items()}
            if chance.random() < 0.3:
                body[0, 0] = body[0, 0][:-1]
        grids[name] = progress.Grid(chance.choice(["0", "0", "s", "s", "t", "nb"]), blocks, threads, body)
    host: list[progress.Stmt] = []
    for name in names:
        host.append(progress.Launch(name))
        if chance.random() < 0.4:
            host.append(_host_statement(chance, grids[name].stream))
    if chance.random() < 0.8:
        host.append(progress.DeviceSynchronize())
    return progress.Program(tuple(host), grids, {"x": 0, "y": 0})


def wide_program(chance: random.Random) -> progress.Program:
    """One to three grids, copies or host functions, cooperative or in clusters, with several hosts, streams, events."""
    names = ["g", "h", "i"][: chance.choice([1, 2, 2, 3])]
    grids = {}
    left = 4
    for name in names:
        work = chance.choice(["kernel"] * 6 + ["copy", "function"])
        shape = chance.choice([(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 1, 2), (2, 1, 1), (1, 1, 1)])
        blocks, threads, cluster = shape if work == "kernel" and shape[0] * shape[1] <= left else (1, 1, 1)
        left -= blocks * threads
        cooperative = work == "kernel" and cluster == 1 and chance.random() < 0.3
        statement = {"kernel": _wide_device_statement, "function": _wide_function_statement}.get(work)
        body: dict[tuple[int, int], progress.Body] = {
            (b, t): tuple(statement(chance) for _ in range(chance.randint(0, 2))) if statement else ()
            for b in range(blocks)
            for t in range(threads)
        }
        if work == "kernel" and chance.random() < 0.4:
            groups = ["warp", *(["cluster"] if cluster > 1 else []), *(["grid"] * 2 if cooperative else [])]
            barrier = chance.choice([progress.SyncThreads(), progress.GroupSync(chance.choice(groups))])
            body = {at: _somewhere(chance, statements, barrier) for at, statements in body.items()}
            if chance.random() < 0.3:
                body[0, 0] = tuple(s for s in body[0, 0] if s != barrier)
        stream = chance.choice(["0", "s", "s", "t", "nb"])
        grids[name] = progress.Grid(stream, blocks, threads, body, cluster, cooperative, work)  # type: ignore[arg-type]
    issue: list[progress.Stmt] = []
    for name in names:
        if chance.random() < 0.35:
            issue.append(progress.EventRecord("e", chance.choice(["s", "t", "0"])))
        if chance.random() < 0.35:
            issue.append(progress.EventWait("e", chance.choice(["s", "t", "nb"])))
        issue.append(progress.Launch(name))
        if chance.random() < 0.3:
            issue.append(_wide_host_statement(chance, grids[name].stream))
    if chance.random() < 0.8:
        issue.append(progress.DeviceSynchronize())
    others: dict[str, progress.Body] = {}
    if chance.random() < 0.35:
        cut = chance.randint(0, len(issue))
        others["other"] = tuple(issue[cut:]) if chance.random() < 0.5 else (_wide_function_statement(chance),)
        issue = [*(issue[:cut] if others["other"] == tuple(issue[cut:]) else issue)]
        issue.insert(chance.randint(0, len(issue)), progress.Create("other"))
        if chance.random() < 0.5:
            issue.append(progress.Join("other"))
    return progress.Program(tuple(issue), grids, {"x": 0, "y": chance.choice([0, 1])}, others)


def _somewhere(chance: random.Random, statements: progress.Body, one: progress.Stmt) -> progress.Body:
    at = chance.randint(0, len(statements))
    return (*statements[:at], one, *statements[at:])


def _wide_device_statement(chance: random.Random) -> progress.Stmt:
    obj = chance.choice("xy")
    if chance.random() < 0.6:
        return _device_statement(chance)
    return chance.choice([
        progress.Acquire(obj),
        progress.WeakLockSpin(obj),
        progress.WaitWhile(obj, 0),
        progress.Notify(obj, everyone=True),
        progress.Notify(obj, everyone=False),
    ])  # fmt: skip


def _wide_function_statement(chance: random.Random) -> progress.Stmt:
    obj = chance.choice("xy")
    return chance.choice([
        progress.AtomicStore(obj, 1),
        progress.AtomicStore(obj, 1),
        progress.Spin(obj, 1, "atomic"),
        progress.Spin(obj, 1, "plain"),
        progress.WaitWhile(obj, 0),
        progress.Notify(obj, everyone=True),
        progress.LoopForever("yield"),
        progress.Acquire(obj),
    ])  # fmt: skip


def _wide_host_statement(chance: random.Random, stream: str) -> progress.Stmt:
    if chance.random() < 0.5:
        return _host_statement(chance, stream)
    return chance.choice([
        progress.StreamSynchronize(stream),
        progress.EventRecord("e", stream),
        progress.EventSynchronize("e"),
        progress.EventQuerySpin("e"),
        _wide_function_statement(chance),
    ])  # fmt: skip


def assuming_program(chance: random.Random) -> tuple[progress.Program, progress.Readings]:
    """Some blocks, and what is assumed of the order in which they start, and of the places that they have."""
    kind, (blocks, cluster) = chance.random(), chance.choice([(2, 1), (3, 1), (3, 1), (4, 1), (4, 2)])
    if kind < 0.3:
        program = wide_program(chance)
    elif kind < 0.5:
        program = polling_program(chance, min(blocks, 3), 1, cooperative=False, threads=1)
    else:
        program = handing_program(chance, blocks, cluster)
    kernels = [grid for grid in program.grids.values() if grid.work == "kernel"]
    least = max((grid.blocks if grid.cooperative else grid.cluster for grid in kernels), default=1)
    resident, in_order = chance.choice([(True, False), (False, True), (False, True), (False, False)])
    limited = chance.random() < 0.5 or not (resident or in_order)
    places = max(least, chance.choice([1, 1, 2, 2, 3])) if limited else None
    return program, progress.Readings(resident=resident, in_order=in_order, places=places)


def handing_program(chance: random.Random, blocks: int, cluster: int) -> progress.Program:
    """Blocks of one thread that wait for others, mostly for those before them, and say that they have been there."""

    def body(block: int) -> progress.Body:
        others = chance.choice([range(block), range(block), range(blocks)])
        waits = [progress.Spin(f"f{other}", 1, "atomic") for other in others if chance.random() < 0.5]
        return (*waits, progress.AtomicStore(f"f{block}", 1))

    grid = progress.Grid("0", blocks, 1, {(b, 0): body(b) for b in range(blocks)}, cluster)
    flags = {f"f{b}": 0 for b in range(blocks)}
    return progress.Program((progress.Launch("g"), progress.DeviceSynchronize()), {"g": grid}, flags)


def polling_program(
    chance: random.Random, blocks: int, cluster: int, *, cooperative: bool, threads: int | None = None
) -> progress.Program:
    """One launch that the host waits for; every loop makes an atomic read."""
    threads = threads or (chance.choice([2, 3]) if blocks == 1 else chance.choice([1, 1, 2]))

    def statement() -> progress.Stmt:
        obj = chance.choice("xy")
        spin = progress.Spin(obj, chance.choice([0, 1, 1]), "atomic")
        return chance.choice([
            spin,
            spin,
            progress.AtomicStore(obj, 1),
            progress.AtomicStore(obj, 1),
            progress.AtomicAdd(obj, 1),
            progress.LockSpin(obj),
            progress.IfEquals(obj, 1, (progress.AtomicStore(obj, 0),)),
        ])  # fmt: skip

    at = [(b, t) for b in range(blocks) for t in range(threads)]
    body = {one: tuple(statement() for _ in range(chance.randint(1, 3))) for one in at}
    if chance.random() < 0.3:
        body = {one: _somewhere(chance, statements, progress.SyncThreads()) for one, statements in body.items()}
    grid = progress.Grid("0", blocks, threads, body, cluster, cooperative)
    return progress.Program((progress.Launch("g"), progress.DeviceSynchronize()), {"g": grid}, {"x": 0, "y": 0})


def _device_statement(chance: random.Random) -> progress.Stmt:
    obj, value = chance.choice("xy"), chance.choice([0, 1, 1])
    kind = chance.randrange(14)
    if kind < 4:
        return progress.AtomicStore(obj, 1)
    if kind < 8:
        return progress.Spin(obj, value, "atomic")
    if kind == 8:
        return progress.Spin(obj, value, chance.choice(["plain", "automatic"]))
    if kind == 9:
        return progress.LockSpin(obj)
    if kind == 10:
        return progress.LoopForever(chance.choice(["empty", "yield", "atomic_store", "atomic_load"]), obj)
    if kind == 11:
        return progress.IfEquals(
            obj, value, (chance.choice([progress.AtomicStore(obj, 0), progress.Spin("x", 1, "atomic")]),)
        )
    if kind == 12:
        return progress.AtomicAdd(obj, 1)
    return chance.choice([progress.LocalLoop(2), progress.Yield(), progress.PlainStore(obj, 1)])


def _host_statement(chance: random.Random, stream: str) -> progress.Stmt:
    obj = chance.choice("xy")
    return chance.choice([
        progress.DeviceSynchronize(),
        progress.AtomicStore(obj, 1),
        progress.Spin(obj, 1, "atomic"),
        progress.QuerySpin(obj, 1, stream),
        progress.QuerySpin(obj, 1, stream),
        progress.StreamQueryOnce(stream),
        progress.Yield(),
    ])  # fmt: skip


def progress_text(program: progress.Program) -> str:
    """The program as CUDA C++ with a main."""
    lines = [f"__managed__ int {name} = {value};" for name, value in program.objects.items()]
    for name, grid in program.grids.items():
        lines.append(f"__global__ void {name}() {{")
        assert not callable(grid.body)
        for (b, t), statements in grid.body.items():
            lines.append(f"  if (blockIdx.x == {b} && threadIdx.x == {t}) {{")
            lines += [f"    {_progress_statement(s, f'v{b}{t}{n}', host=False)}" for n, s in enumerate(statements)]
            lines.append("  }")
        lines.append("}")
    streams = sorted({g.stream for g in program.grids.values()} - {"0"})
    lines.append("int main() {")
    for stream in streams:
        flags = "cudaStreamNonBlocking" if stream.startswith("nb") else "cudaStreamDefault"
        lines.append(f"  cudaStream_t {stream}; cudaStreamCreateWithFlags(&{stream}, {flags});")
    for n, statement in enumerate(program.host):
        if isinstance(statement, progress.Launch):
            grid = program.grids[statement.grid]
            lines.append(f"  {statement.grid}<<<{grid.blocks}, {grid.threads}, 0, {grid.stream}>>>();")
        else:
            lines.append(f"  {_progress_statement(statement, f'h{n}', host=True)}")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _progress_statement(statement: progress.Stmt, name: str, *, host: bool) -> str:
    def ref(obj: str) -> str:
        return f"cuda::atomic_ref<int, cuda::thread_scope_system>({obj})"

    pause = "std::this_thread::yield();" if host else "__nanosleep(1);"
    match statement:
        case progress.AtomicStore(obj, value):
            return f"{ref(obj)}.store({value});"
        case progress.AtomicAdd(obj, value):
            return f"{ref(obj)}.fetch_add({value});"
        case progress.PlainStore(obj, value):
            return f"{obj} = {value};"
        case progress.Spin(obj, value, "atomic"):
            return f"while ({ref(obj)}.load() != {value});"
        case progress.Spin(obj, value, "plain"):
            return f"while ({obj} != {value});"
        case progress.Spin():
            return f"volatile bool {name} = true; while ({name});"
        case progress.LockSpin(obj):
            return f"while ({ref(obj)}.exchange(1) != 0);"
        case progress.LoopForever("empty"):
            return "while (true);"
        case progress.LoopForever("yield"):
            return f"while (true) {pause}"
        case progress.LoopForever("atomic_store", obj):
            return f"while (true) {ref(obj)}.store(1);"
        case progress.LoopForever(_, obj):
            return f"while (true) {ref(obj)}.load();"
        case progress.LocalLoop(n):
            return f"for (int {name} = 0; {name} < {n}; {name}++);"
        case progress.SyncThreads():
            return "__syncthreads();"
        case progress.IfEquals(obj, value, then):
            inner = " ".join(_progress_statement(s, f"{name}{n}", host=host) for n, s in enumerate(then))
            return f"if ({ref(obj)}.load() == {value}) {{ {inner} }}"
        case progress.Yield():
            return pause
        case progress.DeviceSynchronize():
            return "cudaDeviceSynchronize();"
        case progress.StreamQueryOnce(stream):
            return f"(void)cudaStreamQuery({stream});"
        case progress.QuerySpin(obj, value, stream):
            return f"while ({ref(obj)}.load() != {value}) (void)cudaStreamQuery({stream});"
        case progress.Launch():
            raise AssertionError("launches are written with their streams")
