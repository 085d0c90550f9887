"""Operations of the asynchronous side as CUDA C++: mbarriers, copies and their groups, fences of proxies.

An mbarrier is one of the GPU, so that its token is its state there and no number of a phase.  A wait looks again and
again, as often as a thread may go round in loops: ``try_wait`` is ``test_wait``.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.gpu.layout import ALIGNED
from scopec.gpu.printer import SCOPES, Printer, _operand, refuse
from scopec.program import ir, types, values
from scopec.program.mbarriers import token_of
from scopec.program.show import words
from scopec.program.values import Binary, Const, Convert, Reg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.program.values import Value

#: The end of an operation that counts its bytes at an mbarrier.
_BYTES = "mbarrier::complete_tx::bytes"
#: The sizes of ``cp.async``.
_SIZES = (16, 8, 4)
#: Waits for copies that a thread has issued: their writes are part of the final state.
_LAST = {
    ir.CopyGroups.PLAIN: "cp.async.wait_all;",
    ir.CopyGroups.BULK: "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
}


def is_asynchronous(threads: Iterable[ir.Thread], objects: Mapping[str, ir.Object]) -> bool:
    """Whether threads use what is on the GPU's asynchronous side."""
    for thread in threads:
        for node in thread.body.nodes.values():
            match node:
                case ir.Do(ir.Agent() | ir.ProxyFence() | ir.InitFence() | ir.TensorFence() | ir.AwaitCopies()):
                    return True
                case ir.Do(operation) if isinstance(operation, ir.BarrierOperation):
                    if objects[operation.place.object].storage is ir.Storage.SHARED or of_cluster(operation, thread):
                        return True
                case _:
                    pass
    return False


def of_cluster(operation: ir.BarrierOperation, thread: ir.Thread) -> bool:
    """Whether a barrier is that of the thread's cluster, which is no object of the program."""
    return operation.place.object == f"{thread.cluster_name}.barrier"


def tokens(body: ir.Body) -> frozenset[str]:
    """The registers with tokens of mbarriers: what they are on a GPU is nobody's to know."""
    steps = [node for node in body.nodes.values() if isinstance(node, ir.Do)]
    found = {step.operation.target for step in steps if isinstance(step.operation, ir.BarrierArrive)}
    while True:
        more = set(found)
        for step in steps:
            match step.operation:
                case ir.Set(target, value) if found & {leaf.name for leaf in values.leaves(value)}:
                    more.add(target)
        if more == found:
            return frozenset(found)
        found = more


def left_open(threads: Iterable[ir.Thread]) -> frozenset[str]:
    """The objects in shared memory that copies write for whose end a thread need not wait when it ends."""
    found = set()
    for thread in threads:
        for copy in gathered(thread.body)[1].values():
            if copy.agent.groups is None:
                found |= {one.place.object for one in copy.operations if isinstance(one, ir.Store | ir.Rmw)}
    return frozenset(found)


@dataclass(frozen=True)
class Copy:
    """A copy, or another operation of an agent: what it does, one access after the other."""

    agent: ir.Agent
    operations: tuple[ir.Operation, ...]


def gathered(body: ir.Body) -> tuple[dict[int, ir.Node], dict[int, Copy]]:
    """The nodes without those of agents, which begin at their first one: each of these is a copy."""
    nodes, copies = dict(body.nodes), {}
    for number, node in body.nodes.items():
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.Agent) and node.operation.begins:
            inside, at = [], node.next
            while True:
                step = body.nodes[at]
                if not isinstance(step, ir.Do):
                    refuse("a copy of which bytes depend on a condition", node.span)
                nodes.pop(at, None)
                if isinstance(step.operation, ir.Agent):
                    break
                inside.append(step.operation)
                at = step.next
            copies[number] = Copy(node.operation, tuple(inside))
            nodes[number] = ir.Do(node.operation, node.span, step.next)
    return nodes, copies


@dataclass(frozen=True)
class AsynchronousPrinter(Printer):
    """A device thread of a program with asynchronous operations; ``copies`` are those that it issues, by node."""

    copies: Mapping[int, Copy] = field(default_factory=dict)

    def _at_node(self, number: int, operation: ir.Operation, span: Span) -> Iterator[str]:
        if number in self.copies:
            yield from self._copy(self.copies[number], span)
        else:
            yield from super()._at_node(number, operation, span)

    def after(self) -> Iterator[str]:
        """The lines with which a thread waits for its copies in groups."""
        groups = {copy.agent.groups for copy in self.copies.values()}
        for group, text in _LAST.items():
            if group in groups:
                yield f'    asm volatile("{text}" ::: "memory");'

    def _operation(self, operation: ir.Operation, span: Span) -> Iterator[str]:
        match operation:
            case ir.CommitCopies(groups):
                yield _asm(f"{groups.value}.commit_group;")
            case ir.AwaitCopies(Const(left), groups, reads):
                yield _asm(f"{groups.value}.wait_group{'.read' * reads} {left};")
            case ir.ProxyFence(None):
                yield _asm("fence.proxy.alias;")
            case ir.ProxyFence(ir.Proxy.ASYNC, space):
                spaces = {None: "", ir.Storage.DEVICE: ".global", ir.Storage.SHARED: ".shared::cluster"}
                yield _asm(f"fence.proxy.async{spaces[space]};")
            case ir.TensorFence():
                yield _asm(f"{words(operation)[0]};")
            case ir.InitFence():
                yield _asm("fence.mbarrier_init.release.cluster;")
            case ir.BarrierInit() | ir.BarrierArrive() | ir.BarrierExpect() | ir.BarrierWait() | ir.BarrierTest() if (
                of_cluster(operation, self.thread)
            ):
                yield _of_cluster(operation)
            case ir.BarrierInit() | ir.BarrierArrive() | ir.BarrierExpect() | ir.BarrierWait() | ir.BarrierTest() if (
                self.program.objects[operation.place.object].storage is ir.Storage.SHARED
            ):
                yield from self._mbarrier(operation, span)
            case _:
                yield from super()._operation(operation, span)

    # ------------------------------------------------------------ mbarriers

    def _at(self, place: ir.Place, span: Span) -> tuple[str, str]:
        """The address of an mbarrier as an operand, and its state space."""
        _, at, space = self._address(place, span)
        return f'"r"(u32({at}))', "shared::cta" if space == "shared" else space

    def _mbarrier(self, operation: ir.BarrierOperation, span: Span) -> Iterator[str]:
        at, space = self._at(operation.place, span)
        match operation:
            case ir.BarrierInit(_, None):
                yield _asm(f"mbarrier.inval.{space}.b64 [%0];", at)
            case ir.BarrierInit(_, count):
                assert count is not None
                yield _asm(f"mbarrier.init.{space}.b64 [%0], %1;", at, self._number(count, span))
            case ir.BarrierArrive() if not operation.is_ordered:
                yield from self._arrive(operation, span)
            case ir.BarrierExpect(_, Const(number), mode) if not operation.arrivals:
                what = "expect_tx" if number >= 0 else "complete_tx"
                yield _asm(f"mbarrier.{what}.{self._sem(mode, span)}.{space}.b64 [%0], {abs(number)};", at)
            case ir.BarrierWait(target):
                yield f"for (;;) {{ {self._test(operation, span)}"
                yield f"    if ({self.names[target]}) break;"
                yield "    if (--left == 0) { ended = UNFINISHED; goto end; }"
                yield "}"
            case ir.BarrierTest():
                yield self._test(operation, span)
            case _:
                refuse(f"`{words(operation)[0]}`", span)

    def _arrive(self, operation: ir.BarrierArrive, span: Span) -> Iterator[str]:
        at, space = self._at(operation.place, span)
        sem, count, expect = self._sem(operation.mode, span), operation.update, operation.expect
        name = f"mbarrier.arrive{'_drop' * operation.drop}"
        number = count
        if expect is not None:
            number = expect
            if isinstance(count, Const) and count.value == 1:
                name += ".expect_tx"
            else:
                scope = SCOPES[operation.mode.scope]
                given = self._number(expect, span)
                yield _asm(f"mbarrier.expect_tx.relaxed.{scope}.{space}.b64 [%0], %1;", at, given)
                number = count
        given = self._number(number, span)
        if space != "shared::cta":
            yield _asm(f"{name}.{sem}.{space}.b64 _, [%0], %1;", at, given)
            return
        found = self.names[operation.target]
        yield f'asm volatile("{name}.{sem}.{space}.b64 %0, [%1], %2;" : "=l"({found}) : {at}, {given} : "memory");'

    def _test(self, operation: ir.BarrierWait | ir.BarrierTest, span: Span) -> str:
        """Whether a phase is over; a wait's register is of no use beside that."""
        at, space = self._at(operation.place, span)
        token = token_of(operation)
        match operation.condition:
            case Binary("!=", Binary("%", Reg(name), Const(2)), parity) if name == operation.target:
                kind, given = ".parity", self._number(parity, span)
            case _ if token is not None:
                kind, given = "", _operand(types.ULONG, self._cxx(token, span))
            case _:
                refuse(f"`{words(operation)[0]}`", span)
        look = f"mbarrier.test_wait{kind}.{self._sem(operation.mode, span)}.{space}.b64 over, [%1], %2;"
        text = f"{{ .reg .pred over; {look} selp.u32 %0, 1, 0, over; }}"
        assembly = f'asm volatile("{text}" : "=r"(over) : {at}, {given} : "memory");'
        return f"{{ u32 over; {assembly} {self.names[operation.target]} = over; }}"

    def _sem(self, mode: ir.Mode, span: Span) -> str:
        if mode.order is None or mode.scope not in (ir.Scope.BLOCK, ir.Scope.CLUSTER):
            refuse("operations on an mbarrier of other scopes than the block's and the cluster's", span)
        return f"{mode.order.value}.{SCOPES[mode.scope]}"

    def _number(self, value: Value, span: Span) -> str:
        return f'"r"(u32({self._cxx(value, span)}))'

    # ------------------------------------------------------------ copies

    def _copy(self, copy: Copy, span: Span) -> Iterator[str]:
        loads = [one for one in copy.operations if isinstance(one, ir.Load)]
        writes = [one for one in copy.operations if isinstance(one, ir.Store | ir.Rmw)]
        ends = [one for one in copy.operations if isinstance(one, ir.BarrierArrive | ir.BarrierExpect)]
        for other in copy.operations:
            if not isinstance(other, ir.Access | ir.BarrierOperation | ir.Silent | ir.Assert):
                refuse(f"`{words(other)[0]}` in a copy", span)
        match copy.agent:
            case ir.Agent(groups=ir.CopyGroups.MATRIX):
                refuse("a matrix instruction", span)
            case ir.Agent(groups=groups, follows=follows) if (
                follows is ir.CopyGroups.TENSOR or groups in ir.TENSOR_GROUPS
            ):
                refuse("an instruction of tensor memory", span)
            case ir.Agent(follows=ir.CopyGroups.PLAIN):
                at, space = self._at(ends[0].place, span)
                yield _asm(f"cp.async.mbarrier.arrive.noinc.{space}.b64 [%0];", at)
            case ir.Agent(_, ir.Proxy.GENERIC, ir.CopyGroups.PLAIN):
                yield from self._plain(loads, writes, span)
            case ir.Agent(_, ir.Proxy.GENERIC, None) if not loads:
                yield from self._sent(writes, ends, span)
            case ir.Agent(_, ir.Proxy.ASYNC):
                yield from self._bulk(loads, writes, ends, span)
            case _:
                refuse("copies of the library that complete at a barrier", span)

    def _plain(self, loads: Sequence[ir.Load], writes: Sequence[ir.Store | ir.Rmw], span: Span) -> Iterator[str]:
        """``cp.async``: of 16, 8 or 4 bytes, as many as it takes."""
        size = self._range(loads, [write.place for write in writes], span)
        self._as_read(loads, writes, span)
        (_, here, _), (_, there, _) = self._address(loads[0].place, span), self._address(writes[0].place, span)
        at = 0
        while at < size:
            several = next((n for n in _SIZES if at % n == 0 and at + n <= size), None)
            if several is None:
                refuse("a copy of bytes that are not whole words of 32 bits", span)
            cache = "cg" if several == ALIGNED else "ca"
            text = f"cp.async.{cache}.shared.global [%0], [%1], {several};"
            yield _asm(text, f'"r"(u32({there} + {at}))', f'"l"({here} + {at})')
            at += several

    def _sent(
        self, writes: Sequence[ir.Store | ir.Rmw], ends: Sequence[ir.BarrierArrive | ir.BarrierExpect], span: Span
    ) -> Iterator[str]:
        """``st.async``, ``red.async``: what arrives at another block are numbers."""
        bar, _ = self._at(ends[0].place, span)
        type_, there, _ = self._address(writes[0].place, span)
        letter = "l" if type_.bits == 64 else "r"
        at = f'"r"(u32({there}))'
        match list(writes):
            case [ir.Rmw() as update]:
                name, kinds, (new,) = self._atom(update, type_, span)
                kind = kinds if len(kinds) == 1 else "su"[not type_.signed]
                if name not in ("add", "min", "max", "and", "or", "xor"):
                    refuse(f"a reduction that is `{words(update)[0]}`", span)
                text = f"red.async.relaxed.cluster.shared::cluster.{_BYTES}.{name}.{kind}{type_.bits} [%0], %1, [%2];"
                yield _asm(text, at, _operand(type_, new), bar)
            case several:
                stored = [one.value for one in several if isinstance(one, ir.Store)]
                vector = f".v{len(stored)}" if len(stored) > 1 else ""
                places = ", ".join(f"%{n + 2}" for n in range(len(stored)))
                text = f"st.async.weak.shared::cluster.{_BYTES}{vector}.b{type_.bits} [%0], "
                text += f"{{{places}}}, [%1];" if vector else f"{places}, [%1];"
                given = [f'"{letter}"({_bits(type_.bits)}({self._cxx(value, span, type_)}))' for value in stored]
                yield _asm(text, at, bar, *given)

    def _bulk(
        self, loads: Sequence[ir.Load], writes: Sequence[ir.Store | ir.Rmw],
        ends: Sequence[ir.BarrierArrive | ir.BarrierExpect], span: Span,
    ) -> Iterator[str]:  # fmt: skip
        """``cp.async.bulk``, ``cp.reduce.async.bulk``."""
        targets: dict[str, list[ir.Place]] = {}
        for write in writes:
            targets.setdefault(write.place.object, []).append(write.place)
        size = min(self._range(loads, places, span) for places in targets.values())
        if size % ALIGNED:
            refuse(f"a bulk copy of {size} bytes: they are a multiple of {ALIGNED}", span)
        _, here, source = self._address(loads[0].place, span)
        type_, there, _ = self._address(writes[0].place, span)
        from_ = f'"l"({here})' if source == "global" else f'"r"(u32({here}))'
        source = "global" if source == "global" else "shared::cta"
        name, kind = "cp.async.bulk", ""
        if isinstance(writes[0], ir.Rmw):
            done, kinds, _ = self._atom(writes[0], type_, span)
            name = "cp.reduce.async.bulk"
            kind = f".{done}.{kinds if len(kinds) == 1 else 'su'[not type_.signed]}{type_.bits}"
        else:
            self._as_read(loads, writes, span)
        if not ends:
            yield _asm(f"{name}.global.{source}.bulk_group{kind} [%0], [%1], {size};", f'"l"({there})', from_)
            return
        at, _ = self._at(ends[0].place, span)
        if len(targets) == 1:
            text = f"{name}.shared::cluster.{source}.{_BYTES}{kind} [%0], [%1], {size}, [%2];"
            yield _asm(text, f'"r"(u32({there}))', from_, at)
            return
        ranks = [self._rank(places[0], span) for places in targets.values()]
        text = f"{name}.shared::cluster.{source}.{_BYTES}.multicast::cluster [%0], [%1], {size}, [%2], %3;"
        mask = f'"h"(u16({sum(1 << rank for rank in ranks):#x}))'
        yield _asm(text, f'"r"(u32({there}))', from_, at, mask)

    def _rank(self, place: ir.Place, span: Span) -> int:
        """The rank in its cluster of the block that has a place."""
        found = [rank for block, rank in self.memory.ranks.items() if place.object.startswith(f"{block}.")]
        if len(found) != 1:
            refuse("a copy to several blocks of which one is not known", span)
        return found[0]

    def _range(self, loads: Sequence[ir.Load], to: Sequence[ir.Place], span: Span) -> int:
        """The number of bytes of a copy, whose elements are beside each other at both ends."""
        sizes = []
        for places in ([load.place for load in loads], to):
            if not places or len({place.object for place in places}) != 1:
                refuse("a copy to or from members of a class", span)
            numbers = [place.index.value for place in places if isinstance(place.index, Const)]
            if numbers and numbers != list(range(numbers[0], numbers[0] + len(places))):
                refuse("a copy whose elements are not beside each other", span)
            size = self.program.objects[places[0].object].size
            if numbers and numbers[0] * size % min(ALIGNED, len(places) * size):
                refuse("a copy that is not aligned to what it copies", span)
            sizes.append(len(places) * size)
        if sizes[0] != sizes[1]:
            refuse("a copy between elements of different sizes", span)
        return sizes[0]

    def _as_read(self, loads: Sequence[ir.Load], writes: Sequence[ir.Store | ir.Rmw], span: Span) -> None:
        """Refuse a copy that changes what it has read."""
        read = {load.target for load in loads}
        for write in writes:
            value = write.value if isinstance(write, ir.Store) else None
            while isinstance(value, Convert):
                value = value.operand
            if not isinstance(value, Reg) or value.name not in read:
                refuse("a copy that changes what it has read", span)


def _of_cluster(operation: ir.BarrierOperation) -> str:
    """A half of the barrier of a cluster; a thread's exit counts by itself."""
    match operation:
        case ir.BarrierArrive(drop=True):
            return ";"
        case ir.BarrierArrive(mode=mode):
            return _asm(f"barrier.cluster.arrive.{'relaxed' if mode.order is ir.Order.RELAXED else 'release'};")
        case _:
            return _asm("barrier.cluster.wait.acquire;")


def _asm(text: str, *operands: str) -> str:
    """An instruction with its operands, which are read."""
    given = f" {', '.join(operands)} " if operands else ""
    return f'asm volatile("{text}" ::{given}: "memory");'


def _bits(bits: int) -> str:
    return "u64" if bits == 64 else "u32"
