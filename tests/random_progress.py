"""Random small programs of the progress question: as input for an oracle, and as CUDA C++ for scopec."""

from __future__ import annotations

import random

from tests.oracles import fair_programs as progress


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
