"""A printable form of a Program, for tests and for ``scopec compile --show program``."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import assert_never

from scopec.program import ir
from scopec.program.program import Program
from scopec.program.values import show as value


def show_program(program: Program) -> str:
    """The whole program: objects, grids, and the graph of each distinct body."""
    lines = [f"program {program.name}"]
    lines += [f"constant {name} = {shown}" for name, shown in program.variant.items()]
    lines += [_object(o) for o in program.objects.values()]
    for grid in program.grids.values():
        lines.append(f"grid {grid.name}<<<{_dim(grid.blocks)}, {_dim(grid.threads)}>>> in {grid.stream.name}")
        lines += show_body(grid.body)
    lines.append("host main")
    lines += show_body(program.host.body)
    for thread in program.others:
        lines.append(f"thread {thread.name} in {_position(thread)}")
        lines += show_body(thread.body)
    lines.append("threads " + " ".join(t.name for t in program.threads))
    return "\n".join(lines) + "\n"


def _position(thread: ir.Thread) -> str:
    if thread.is_host:
        return "host"
    cluster = f", cluster {thread.cluster}" if thread.cluster is not None else ""
    return f"block {thread.block_name}{cluster}, device {thread.device}"


def _dim(dim: ir.Dim) -> str:
    return f"({dim.x}, {dim.y}, {dim.z})" if dim.y * dim.z > 1 else str(dim.x)


def _object(object_: ir.Object) -> str:
    size = f"[{prod(object_.shape) if object_.left_out else len(object_.values)}]" if object_.array else ""
    values = "?, some left out" if object_.left_out else ", ".join("?" if v is None else str(v) for v in object_.values)
    return f"object {object_.name}: {object_.type.name}{size} in {object_.storage.value} = {values}"


def show_body(body: ir.Body) -> Iterator[str]:
    """The nodes of a graph, one a line, the entry marked."""
    for number, node in body.nodes.items():
        mark = ">" if number == body.entry else " "
        match node:
            case ir.Do(operation, span, following):
                yield f" {mark}{number}: {words(operation)[0]} -> {following}    (line {span.line})"
            case ir.Branch(condition, span, then, otherwise):
                yield f" {mark}{number}: if {value(condition)} -> {then} else {otherwise}    (line {span.line})"
            case ir.Exit():
                yield f" {mark}{number}: exit"
            case _:
                assert_never(node)


def _copies(groups: ir.CopyGroups) -> str:
    return {ir.CopyGroups.PLAIN: "copies", ir.CopyGroups.BULK: "bulk copies"}.get(groups, groups.value)


def show_agent(agent: ir.Agent) -> str:
    """What an agent is, in a word: a copy, or an instruction of matrices or tensor memory by its name."""
    if agent.follows is ir.CopyGroups.TENSOR:
        return "tcgen05.commit"
    if agent.pipe:
        return f"tcgen05.{agent.pipe.partition(' ')[0]}"
    if agent.groups in (ir.CopyGroups.PLAIN, ir.CopyGroups.BULK, None):
        return "copy"
    return str(agent.groups.value)


def _of(groups: ir.CopyGroups | None) -> str:
    return "in a group" if groups is not None else "complete at an mbarrier"


def words(operation: ir.Operation) -> tuple[str, str]:
    """An operation on one line, and what a thread does that performs it: ``loads f (acquire, device)``."""
    match operation:
        case ir.Set(target, new):
            return f"{target} = {value(new)}", "computes"
        case ir.Load(target, place, mode):
            verb = "loads" if mode.atomic else "reads"
            return f"{target} = load{_on(mode, place)}", f"{verb} {show_place(place)}{mode_in_words(mode)}"
        case ir.Store(place, new, mode):
            verb, stored = "stores" if mode.atomic else "writes", f"{show_place(place)} = {value(new)}"
            return f"store{show_mode(mode)} {stored}", f"{verb} {stored}{mode_in_words(mode)}"
        case ir.Rmw(target, place, new, mode):
            text = f"{target} = rmw{_on(mode, place)} = {value(new)}"
            return text, f"updates {show_place(place)}{mode_in_words(mode)}"
        case ir.CompareExchange(target, succeeded, place, expected, desired, mode, failure, weak):
            kind = "cas.weak" if weak else "cas"
            text = f"{target}, {succeeded} = {kind}{show_mode(mode)}/{failure.value} {show_place(place)} "
            text += f"from {value(expected)} to {value(desired)}"
            return text, f"compares and exchanges {show_place(place)}{mode_in_words(mode)}"
        case ir.Fence(order, scope):
            mode = ir.Mode(order, scope)
            return f"fence{show_mode(mode)}", f"fence{mode_in_words(mode)}"
        case ir.Agent(False):
            return "end of copy", "goes on"
        case ir.Agent(_, proxy, groups, follows):
            if (name := show_agent(operation)) != "copy":
                return name, f"issues a {name}"
            text = "behind copies" if follows else "copy" + ("" if proxy is ir.Proxy.GENERIC else f" {proxy.value}")
            return text + ("" if groups is ir.CopyGroups.PLAIN else f", {_of(groups)}"), "issues a copy"
        case ir.CommitCopies(groups):
            return f"commit {_copies(groups)}", f"commits its {_copies(groups)}"
        case ir.AwaitCopies(left, groups, reads):
            text = f"wait for {'reads of ' * reads}{_copies(groups)}, {value(left)} groups left"
            return text, text.replace("wait", "waits")
        case ir.InitFence():
            return "fence.mbarrier_init", "fence.mbarrier_init"
        case ir.TensorFence():
            text = show_tensor_fence(operation)
            return text, text
        case ir.ProxyFence():
            text = show_proxy_fence(operation)
            return text, text
        case ir.Await(target, place, condition, mode, new, notified):
            text = f"{target} = {'wait' if notified else 'await'}{_on(mode, place)} until {value(condition)}"
            return text + ("" if new is None else f", store {value(new)}"), f"waits on {show_place(place)}"
        case ir.BarrierInit(place, count):
            if count is None:
                return f"no barrier {show_place(place)}", f"invalidates {show_place(place)}"
            return f"barrier {show_place(place)} of {value(count)}", f"initialises {show_place(place)}"
        case ir.BarrierArrive(target, place, update, mode, drop, expect):
            text = f"{target}{f', {operation.pending}' if operation.pending else ''} = "
            text += (
                f"{'drop' if drop else 'arrive'}{'.partial' * operation.partial}{_on(mode, place)} by {value(update)}"
            )
            text += "" if expect is None else f", {value(expect)} bytes expected"
            verb = "lets its copies arrive" if operation.later else "arrives"
            return text, f"{verb} at {show_place(place)}{mode_in_words(mode)}"
        case ir.BarrierExpect(place, bytes_, mode):
            number = f"{value(bytes_)} {'arrivals' if operation.arrivals else 'bytes'}"
            return f"expect {number}{_on(mode, place)}", f"expects {number} at {show_place(place)}"
        case ir.BarrierWait(target, place, condition, mode):
            return f"{target} = phase{_on(mode, place)} when {value(condition)}", f"waits on {show_place(place)}"
        case ir.AtBarrier(phase, over):
            return f"at phase {value(phase)}" + ("" if over is None else f", waited if {value(over)}"), "computes"
        case ir.BarrierTest(target, place, condition, mode):
            text = f"{target} = test{_on(mode, place)} whether {value(condition)}"
            return text, f"tests {show_place(place)}{mode_in_words(mode)}"
        case ir.Notify(place, everyone):
            return f"notify {'all' if everyone else 'one'} {show_place(place)}", f"notifies {show_place(place)}"
        case ir.Decide(target, "order"):
            return f"{target} = which first", "chooses which operand to evaluate"
        case ir.Decide(target, "clock" | "watchdog"):
            return f"{target} = either, by a clock", "looks at a clock"
        case ir.Decide(target, of=(truth,)):
            return f"{target} = either, which is {value(truth)}", "computes"
        case ir.Decide(target):
            return f"{target} = either", "computes"
        case ir.Operand(evaluation, number):
            text = f"operands {evaluation} evaluated" if number is None else f"operand {evaluation}.{number}"
            return text, "computes"
        case ir.Called(begins):
            return "call" if begins else "return", "computes"
        case ir.SyncThreads(vote):
            text = "" if vote is None else f"{vote.target} = syncthreads {vote.function} {value(vote.predicate)}"
            return text or "syncthreads", f"arrives at {shown_barrier(operation)}"
        case ir.GroupSync(group, mask, exchange):
            text = f"sync {group.value}" + (f" {mask:#x}" if group is ir.Group.WARP else "")
            if operation.of:
                text = f"{'sync' if operation.waits else 'arrive'} {group.value} {mask:#x} for {operation.of}"
            if exchange is not None:
                both = zip(exchange.targets, exchange.results, strict=True)
                results = ", ".join(f"{target} = {value(result)}" for target, result in both)
                text = f"{results} by {exchange.name} of {value(exchange.value)} in {mask:#x}"
            return text, f"arrives at {shown_barrier(operation)}"
        case ir.NamedBarrier(name, count, waits):
            text = f"barrier.{'sync' if waits else 'arrive'} {', '.join(value(part) for part in name)}"
            counted = "" if count is None else f" of {value(count)}{' warps' * operation.warps}"
            if (vote := operation.vote) is not None:
                text = f"{vote.target} = barrier.{vote.function} {text.partition(' ')[2]}"
                counted += f", {value(vote.predicate)}"
            return text + counted, f"arrives at {shown_barrier(operation)}"
        case ir.Yield(sleeps):
            return ("sleep", "sleeps") if sleeps else ("yield", "yields")
        case ir.InputOutput():
            return "io", "prints"
        case ir.SideEffect():
            return "side effect", "accesses memory in asm volatile"
        case ir.Lifetime():
            return shown_lifetime(operation), shown_lifetime(operation)
        case ir.Assert(condition, _, implicit):
            return f"{'require' if implicit else 'assert'} {value(condition)}", "computes"
        case ir.EndProcess():
            return "end process", "ends the process"
        case ir.Trap():
            return "trap", "aborts the grid"
        case ir.CreateThread() | ir.JoinThread():
            return shown_call(operation), f"calls {shown_call(operation)}"
        case ir.LaunchGrid(grid):
            return f"launch {grid}", f"launches {grid}"
        case ir.ApiCall(function):
            return f"call {function}", f"{function} returns"
        case ir.DeviceSynchronize(device):
            text = f"device synchronize {device}" if device else "device synchronize"
            return text, "cudaDeviceSynchronize returns"
        case ir.StreamQuery(target, stream):
            return f"{target} = query {stream}", f"calls cudaStreamQuery for {stream}"
        case ir.StreamSynchronize(stream):
            return f"synchronize {stream}", f"calls {shown_call(operation)}"
        case ir.EventRecord(event, stream):
            return f"record {event} in {stream}", f"calls {shown_call(operation)}"
        case ir.EventWait(event, stream):
            return f"{stream} waits for {event}", f"calls {shown_call(operation)}"
        case ir.WorkSynchronize(grid) | ir.AwaitGrid(grid):
            return f"wait for {grid}", f"waits for {grid}"
        case ir.TriggerDependents():
            return "launch dependents", "lets dependent grids start"
        case ir.EventSynchronize(event) | ir.LaunchSynchronize(event):
            return f"synchronize {event}", f"calls {shown_call(operation)}"
        case ir.EventQuery(target, event) | ir.LaunchQuery(target, event):
            return f"{target} = query {event}", f"calls {shown_call(operation)}"
        case _:
            assert_never(operation)


def show_mode(mode: ir.Mode) -> str:
    """``.acquire.device``, ``.volatile``, ``.surface``, or nothing for a plain access."""
    through = "" if mode.proxy is ir.Proxy.GENERIC else f".{mode.proxy.value}"
    if mode.order is not None:
        return f"{through}.{mode.order.value}.{mode.scope.name.lower()}"
    return f"{through}.volatile" if mode.volatile else through


def show_tensor_fence(fence: ir.TensorFence) -> str:
    """A fence of tensor memory."""
    return f"tcgen05.fence::{'before' if fence.before else 'after'}_thread_sync"


def show_proxy_fence(fence: ir.ProxyFence) -> str:
    """``fence.proxy.surface``, ``fence.proxy.alias``."""
    space = {None: "", ir.Storage.SHARED: ".shared"}.get(fence.space, ".global")
    return f"fence.proxy.{'alias' if fence.proxy is None else fence.proxy.value}{space}"


def show_place(place: ir.Place) -> str:
    """``x`` or ``a[i]``."""
    index = value(place.index)
    return place.object if index == "0" else f"{place.object}[{index}]"


def _on(mode: ir.Mode, place: ir.Place) -> str:
    return f"{show_mode(mode)} {mode.alias or show_place(place)}"


def mode_in_words(mode: ir.Mode) -> str:
    """`` (acquire, device)``, `` (volatile)``, `` (surface)``, or nothing for a plain access."""
    words = [] if mode.proxy is ir.Proxy.GENERIC else [mode.proxy.value]
    if mode.order is not None:
        words += [mode.order.value, mode.scope.name.lower()]
    elif mode.volatile:
        words.append("volatile")
    return f" ({', '.join(words)})" if words else ""


def shown_barrier(operation: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> str:
    """The source's name of a collective barrier: ``__syncthreads``, ``barrier 1``."""
    match operation:
        case ir.SyncThreads(vote):
            return "__syncthreads" + (f"_{vote.function}" if vote is not None else "")
        case ir.NamedBarrier(name):
            return f"barrier {', '.join(map(value, name))}"
        case ir.GroupSync(exchange=ir.Exchange(name)):
            return f"`{name}`"
        case ir.GroupSync(of=of) if of:
            return f"{of} of its warp"
        case ir.GroupSync(ir.Group.WARP):
            return "__syncwarp"
        case ir.GroupSync(ir.Group.TILE, lanes):
            return f"tile<{lanes}>.sync()"
        case ir.GroupSync(group):
            return f"this_{group.value}().sync()"


def shown_lifetime(operation: ir.Lifetime) -> str:
    """The words for a beginning or an end: ``cudaFree of p``, ``end of main.x``."""
    return f"{operation.how or ('begin' if operation.begins else 'end')} of {operation.of}"


def shown_call(operation: ir.Call) -> str:
    """A call that orders threads, for people."""
    match operation:
        case ir.LaunchGrid(grid):
            return f"launch {grid}"
        case ir.EndProcess():
            return "end of the process"
        case ir.Trap():
            return "__trap"
        case ir.ApiCall(function, objects):
            return f"{function}({', '.join(objects)})"
        case ir.CreateThread(thread):
            return f"create {thread}"
        case ir.JoinThread(thread):
            return f"join {thread}"
        case ir.DeviceSynchronize():
            return "cudaDeviceSynchronize"
        case ir.StreamSynchronize(stream):
            return f"cudaStreamSynchronize({stream})"
        case ir.StreamQuery(_, stream):
            return f"cudaStreamQuery({stream})"
        case ir.EventRecord(event, stream):
            return f"cudaEventRecord({event}, {stream})"
        case ir.EventWait(event, stream):
            return f"cudaStreamWaitEvent({stream}, {event})"
        case ir.WorkSynchronize(grid) | ir.AwaitGrid(grid):
            return f"end of {grid}"
        case ir.TriggerDependents():
            return "launch of dependents"
        case ir.EventSynchronize(event) | ir.LaunchSynchronize(event):
            return f"cudaEventSynchronize({event})"
        case ir.EventQuery(_, event) | ir.LaunchQuery(_, event):
            return f"cudaEventQuery({event})"
