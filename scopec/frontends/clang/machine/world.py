"""Data shared by all threads of a program while the machine runs them: code, objects, numbers of pointers."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import replace
from scopec.base.source import Source, Span
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Leaf, Place, Variable
from scopec.frontends.clang.llvm.numbers import Offset
from scopec.frontends.clang.machine.constants import contents
from scopec.frontends.clang.machine.memory import (
    NULL,
    USES,
    Address,
    Code,
    Content,
    Held,
    Kind,
    Layout,
    Memory,
    Nowhere,
    Part,
    Private,
    Region,
    apart,
    covered,
    joined,
    leaves_of,
    object_name,
    with_joined,
)
from scopec.frontends.clang.machine.names import GUARD, is_guard, made_for, mentioned, plain, qualified
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.points_to import Written, held
from scopec.frontends.clang.machine.refusals import places, refused
from scopec.frontends.clang.machine.side import CONSTANT_SPACE, SHARED_SPACE, Side, is_local, is_shared, variables
from scopec.frontends.clang.machine.sparse import Sparse
from scopec.frontends.clang.machine.spawned import Launch
from scopec.frontends.clang.machine.tensor_memory import TensorMemory
from scopec.frontends.clang.machine.tracked import untracked
from scopec.frontends.clang.machine.untyped import Untyped
from scopec.program import ir
from scopec.program.program import BitField
from scopec.program.types import INT, LONG, IntType
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.frontends.clang.machine.spawned import Callback, Copy, GraphWork, Started

_MOST_ELEMENTS = 1 << 20
_MOST_BYTES = 1 << 40
#: Addresses of objects, where they are computed with: the first, and the multiple that each is ("cudaMalloc").
_FIRST_ADDRESS, _APART = 1 << 16, 256


class World:
    """Objects and what pointers to them are as numbers, found while threads run; grids and streams."""

    def __init__(
        self, source: Source, device: Side, host: Side, said: Mapping[str, Mapping[str, tuple[int, ...]]]
    ) -> None:
        self.source = source
        self.span, self.text_of = places(source)
        self.device, self.host = device, host
        self.said = said
        self.objects: dict[str, ir.Object] = {}
        self.layouts: dict[Memory, Layout] = {}
        #: The elements of large arrays that are modelled; tensor memory.
        self.sparse, self.tensor = Sparse(), TensorMemory()
        self.pointers: dict[Address, int] = {}
        #: The addresses of objects that are computed with, and the places where numbers become pointers.
        self.placed: dict[Memory, range] = {}
        self.pointers_of_numbers: list[Span] = []
        self.any_index: list[Span] = []
        #: Constants that are indexed with what is known at run time alone: they are in memory.
        self.tables: set[Memory] = set()
        #: The objects in `__constant__` memory, which no kernel may write.
        self.constant: set[str] = set()
        #: Where each grid loads through the read-only cache.
        self.read_only: dict[str, set[Span]] = {}
        #: The regions of global variables, by the grid or side that has them and the mangled name.
        self.symbols: dict[tuple[str, str], Memory] = {}
        #: Local variables whose address gets around, or whose elements are told apart at run time: by their thread.
        self.shared_locals: dict[tuple[str, Private], tuple[Layout, Span]] = {}
        self.launches: dict[str, Launch | Copy | Callback] = {}
        self.threads: dict[str, Started] = {}
        #: Where, and at which turn of the loops around, work was given to streams.
        self.issued: set[tuple[object, ...]] = set()
        #: The work of nodes of graphs, and graphs, by the places that make them; those launched in several streams.
        self.captured: dict[tuple[object, ...], GraphWork] = {}
        self.graphs: dict[tuple[object, ...], str] = {}
        #: The variables that have these nodes, in the order of their work, and the launches of graphs, by their places.
        self.node_names: dict[int, str] = {}
        self.graph_launches: dict[tuple[object, ...], str] = {}
        self.spread: set[str] = set()
        #: Objects that host code registers, and those that it takes back, with a place.
        self.registered: set[str] = set()
        self.unregistered: dict[str, Span] = {}
        self.streams: dict[str, ir.Stream] = {}
        #: By devices, the events behind copies that all later work of the device waits for.
        self.peer_copies: dict[int, dict[str, None]] = {}
        #: The places where streams wait for values without a flush of what other devices have written.
        self.unflushed: list[Span] = []
        #: Streams, events and allocations by the places of the code that make them.
        self.created: dict[tuple[object, ...], ir.Stream] = {}
        self.events: dict[tuple[object, ...], str] = {}
        #: The devices that host code uses, by their numbers; those whose numbers are known at run time alone.
        self.used_devices: set[str] = set()
        self.chosen_devices: dict[tuple[object, ...], int] = {}
        self.allocated: dict[str, tuple[object, ...]] = {}
        #: Elements of allocations of which the call says no type, as a kernel has them, with their bytes; all of these.
        self.elements: dict[str, tuple[tuple[Leaf, ...], int]] = {}
        self.untyped: set[str] = set()
        #: The functions that may free each allocation.
        self.freed_by: dict[Memory, tuple[str, ...]] = {}
        #: The streams and events that variables in shared memory hold.
        self.handles: dict[tuple[str, Offset], Content] = {}
        self.aborts: set[str] = set()  # not empty where some thread aborts its grid
        #: The grids whose blocks access each other's shared memory; of each region its grid, block and variable.
        self.distributed: set[str] = set()
        #: The grids that do something between the halves of the barriers of their clusters.
        self.halves: set[str] = set()
        #: The grids that ask how many arrivals were pending at an mbarrier when a thread arrived.
        self.counted: set[str] = set()
        #: The grids of which some threads arrive at the barrier of `__syncthreads()` by other instructions.
        self.shares_barrier: set[str] = set()
        #: Where a barrier of a grid is named by a number that is known at run time alone.
        self.unnamed_barriers: dict[str, Span] = {}
        self.owners: dict[Memory, tuple[str, int, str]] = {}
        #: The lanes that come to a place where they may be together: of a grid, a block, a warp, and what is there.
        self.come_together: dict[tuple[str, int, int, str], set[int]] = {}
        #: Those of these of which the lane that comes first may end before.
        self.elected: set[tuple[str, int, int, str]] = set()
        #: What all lanes of a warp bring to an exchange, by the place and the warp; the places where they do not.
        self.agreed: dict[tuple[tuple[object, ...], int], tuple[Const, Span]] = {}
        self.told_apart: set[tuple[object, ...]] = set()
        #: The accesses to parts of objects that have unions in them.
        self.parts: dict[str, set[Part]] = {}
        self.untyped_bytes = Untyped()
        #: The integers that are accessed in one step, as one number.
        self.joined: dict[str, set[Leaf]] = {}
        #: The objects of integers of which some are not modelled: of none of them the values are.
        self.not_modelled: set[str] = set()
        #: The known stores to pointers in memory, and the graph of each thread.
        self.written: Written = {}
        self.bodies: list[ir.Body] = []
        self.grew = False

    # ---------------------------------------------------------------- objects

    def declare(
        self, layout: Layout, storage: ir.Storage, span: Span, initial: dict[int, int | None], *, zero: bool
    ) -> Memory:
        """Make a region of the program's objects, once."""
        region = Memory(layout.name)
        if region not in self.layouts:
            layout = self.untyped_bytes.typed(layout, storage, self.source.text)
            if wide := self.joined.get(layout.name):
                layout, initial = self._with_joined(layout, initial, wide)
            if unknown := [leaf for leaf in layout.leaves if any(not part.width for part in leaf.bits)]:
                name = object_name(layout.name, unknown[0])
                raise refused(f"`{name}`, a bit-field of several that are not in one number, is", span)
            if any(leaf.overlaps for leaf in layout.leaves):
                if any(initial.values()) and any(leaf.overlaps and not leaf.bits for leaf in layout.leaves):
                    raise refused(f"an initial value of `{layout.name}`, which has a union in it, is", span)
                layout = replace(layout, leaves=apart(layout.leaves, self.parts.setdefault(layout.name, set())))
            self.layouts[region] = layout = self._as_modelled(layout)
            for made in self.sparse.objects(layout, storage, span, initial, zero=zero):
                self.objects[made.name] = made
        return region

    def is_mentioned(self, name: str) -> bool:
        """Whether a directive may name an element of an object, or accesses are known to be of other numbers."""
        known = name in self.joined or name in self.untyped
        return known or mentioned(self.source.text, name.partition("#")[0].rpartition(".")[2])

    def _as_modelled(self, layout: Layout) -> Layout:
        """A layout with the types of integers whose values are not modelled."""
        names = self.not_modelled
        leaves = (
            replace(leaf, type=leaf.type.not_modelled()) if object_name(layout.name, leaf) in names else leaf
            for leaf in layout.leaves
        )
        return replace(layout, leaves=tuple(leaves))

    def forget(self, name: str, leaf: Leaf) -> bool:
        """Whether it is news that the values of an object are not modelled."""
        if name in self.not_modelled or leaf.pointer or leaf.overlaps or leaf.bits or leaf.class_ in USES:
            return False
        self.not_modelled.add(name)
        return True

    def know_elements(self, name: str, leaves: tuple[Leaf, ...], each: int) -> bool:
        """Whether it is news of which elements an allocation is."""
        if name not in self.untyped or name in self.elements or not leaves or any(leaf.pointer for leaf in leaves):
            return False
        self.elements[name] = leaves, each
        return True

    def join(self, layout: Layout, offset: Offset, size: int) -> bool:
        """Whether it is news that an access in one step covers several integers, which are one number then."""
        wide = joined(layout, offset, size)
        if wide is None:
            return False
        self.joined.setdefault(layout.name, set()).add(untracked(wide))
        return True

    def _with_joined(
        self, layout: Layout, initial: dict[int, int | None], wide: set[Leaf]
    ) -> tuple[Layout, dict[int, int | None]]:
        """A layout with some integers as one number, and what they hold at first."""
        found = dict(initial)
        for leaf in wide:
            for at, _ in covered(Layout("", (leaf,)), 0, _MOST_BYTES):
                parts = [(part, initial.get(at + part.shift // 8)) for part in leaf.bits]
                if all(value is not None for _, value in parts):
                    found[at] = sum(((value or 0) & (1 << part.width) - 1) << part.shift for part, value in parts)
        return replace(layout, leaves=with_joined(layout.leaves, wide)), found

    def divide(self, layout: Layout, at: int, size: int, wanted: Kind | None = None) -> bool:
        """Whether it is news that there is an access to a part of a union."""
        parts = self.parts.get(layout.name)
        if parts is None or (at, size, wanted) in parts:
            return False
        parts.add((int(at), size, wanted))
        return True

    def bit_fields(self) -> dict[str, BitField]:
        """The bit-fields in memory, by name."""
        return {
            object_name(layout.name, replace(leaf, path=part.path)): BitField(
                object_name(layout.name, leaf), part.shift, part.width, part.signed
            )
            for layout in self.layouts.values() for leaf in layout.leaves for part in leaf.bits
        }  # fmt: skip

    def storage(self, region: Region) -> ir.Storage | None:
        """The storage of a region, None for one that is no memory of the program."""
        layout = self.layouts.get(region) if isinstance(region, Memory) else None
        found = (self.objects.get(object_name(layout.name, leaf)) for leaf in layout.leaves) if layout else ()
        return next((object_.storage for object_ in found if object_ is not None), None)

    def passed(self, name: str, type_: IntType, span: Span) -> ir.Place:
        """An object for a value on its way to another thread, or from a buffer to a copy."""
        self.declare(Layout(name, (Leaf("", 0, type_),)), ir.Storage.SYSTEM, span, {}, zero=True)
        self.objects[name] = replace(self.objects[name], use=ir.Use.PASSED)
        return ir.Place(name, Const(0, INT))

    def cluster_barrier(self, name: str, threads: int, span: Span) -> ir.Place:
        """The barrier of a cluster of so many threads, as one in memory."""
        made = ir.Object(name, span, LONG, ir.Storage.DEVICE, (threads,), use=ir.Use.BARRIER)
        self.objects.setdefault(name, made)
        return ir.Place(name, Const(0, INT))

    def declare_globals(self) -> None:
        """Make the global variables of the user's files, whether some thread reaches them or not."""
        for side in (self.device, self.host):
            for name, about in variables(side):
                shared = is_shared(self.device, name) and (side.host or is_local(name))
                if not (shared or side.debug.is_shim(about.place.file)):
                    self.global_region(side, name, "")

    def declare_shared(self, kernel: llvm.Function, grid: str) -> None:
        """Make the shared variables of a kernel, for a launch."""
        for name, about in variables(self.device):
            if is_shared(self.device, name) and self.device.debug.subprogram(about.scope) == kernel.subprogram:
                self.global_region(self.device, name, grid)

    def global_region(self, side: Side, name: str, prefix: str, block: int = 0) -> Memory | Code:
        """The region of ``@name`` in a thread of a block of the grid, or of the host thread ``prefix``."""
        name = side.module.aliases.get(name, name)
        if name in side.module.functions or name not in side.module.variables:
            return Code(name)
        variable = side.module.variable(name)
        device = self.device.module
        local = is_local(name)  # in a function of both sides, which has one on each
        own = variable.constant and not isinstance(variable.initial, llvm.Undefined)
        if side.host and not (local or own) and name in device.variables and not is_shared(self.device, name):
            return self._global(self.device, device.variable(name), prefix)
        if variable.space == SHARED_SPACE and prefix in self.distributed:
            region = self._global(side, variable, prefix, f"[{block}]")
            self.owners[region] = prefix, block, name
            return region
        return self._global(side, variable, prefix)

    def _named(self, side: Side, name: str) -> Memory | Code:
        return self.global_region(side, name, "")

    def _global(self, side: Side, variable: llvm.Variable, prefix: str, block: str = "") -> Memory:
        if variable.space == SHARED_SPACE and variable.initial is None:
            return self._dynamic(variable, prefix, block)
        about = side.debug.variable(variable.debug[0]) if variable.debug else None
        if variable.constant or (about is None and variable.initial is None):
            known = self._constants(side, variable)
            if known not in self.tables:
                return known
        if about is None:
            place = Place(self.source.name, 0, 0)
            about = Variable(made_for(variable.name), "", artificial=True, scope="", place=place)
        leaves = GUARD if is_guard(variable.name) else side.debug.leaves(about.type) or leaves_of(variable.type)
        shared = variable.space == SHARED_SPACE
        own = shared and (is_local(variable.name) or block != "")
        name = f"{prefix}{block}.{about.name}" if own else qualified(side.debug, about.scope) + about.name
        symbol = prefix + block if own else f"%{side.host}", variable.name
        if symbol in self.symbols:
            return self.symbols[symbol]
        same = sum(region.name.partition("#")[0] == name for region in self.symbols.values())
        name = f"{name}#{same + 1}" if same else name  # such as those of two instances of a template
        storage = ir.Storage.SHARED if shared else (ir.Storage.SYSTEM if side.host else ir.Storage.DEVICE)
        if "managed" in self.said.get(variable.name, {}):
            storage = ir.Storage.MANAGED
        length = max((prod(count_ for count_, _ in leaf.extents) for leaf in leaves), default=0)
        if length > _MOST_ELEMENTS:
            help_ = f"use at most {_MOST_ELEMENTS} elements"
            raise error(Codes.TOO_LARGE, f"an object of {length} elements", self.span(about.place), help_)
        initial: dict[int, int | None] = {}
        if not shared and not isinstance(variable.initial, llvm.Zero | None):
            bytes_: dict[int, int] = {}
            pointers = {at for at, leaf in covered(Layout(name, leaves), 0, _MOST_BYTES) if leaf.pointer}
            for at, content in contents(partial(self._named, side), variable.type, variable.initial):
                initial[at] = self.as_number(content, pointer=at in pointers)
                if isinstance(content, Const):
                    wide = content.value & ((1 << content.type.bits) - 1)
                    bytes_ |= {at + n: wide >> 8 * n & 0xFF for n in range(content.type.size)}
            with_bits = [(at, leaf.type) for at, leaf in covered(Layout(name, leaves), 0, _MOST_BYTES) if leaf.bits]
            for start, type_ in sorted(with_bits, key=lambda pair: pair[1].size):  # clang writes them byte by byte
                initial[start] = sum(bytes_.get(start + n, 0) << 8 * n for n in range(type_.size))
        region = self.declare(Layout(name, leaves), storage, self.span(about.place), initial, zero=not shared)
        self.symbols[symbol] = region
        self._of_block(region, prefix, block)
        if variable.space == CONSTANT_SPACE:
            self.constant |= {object_name(region.name, leaf) for leaf in self.layouts[region].leaves}
        return region

    def _of_block(self, region: Memory, grid: str, block: str) -> None:
        """Say that there is one instance of what one block has."""
        launch = self.launches.get(grid)
        for name in (object_name(region.name, leaf) for leaf in self.layouts[region].leaves if block):
            assert isinstance(launch, Launch)
            self.objects[name] = replace(self.objects[name], device=launch.stream.device)

    def _dynamic(self, variable: llvm.Variable, prefix: str, block: str) -> Memory:
        """An ``extern __shared__`` array, as long as the launch says."""
        launch = self.launches[prefix]
        assert isinstance(launch, Launch)
        assert isinstance(variable.type, llvm.Array)
        inner = variable.type.element
        leaves = leaves_of(llvm.Array(launch.shared // llvm.size(inner), inner))
        name, symbol = plain(variable.name), (prefix + block, "extern")
        found = self.symbols.get(symbol)
        if found is None:
            layout = Layout(f"{prefix}{block}.{name}", leaves)
            found = self.symbols[symbol] = self.declare(layout, ir.Storage.SHARED, launch.span, {}, zero=False)
            self._of_block(found, prefix, block)
        elif leaves != self.untyped_bytes.declared[found.name]:
            raise refused("an `extern __shared__` array where one of another type begins is", launch.span)
        return found

    def _constants(self, side: Side, variable: llvm.Variable) -> Memory:
        region = Memory(f"%{'host' if side.host else 'device'}.{variable.name}")
        if region not in self.layouts:
            found: dict[int, Content] = {}
            if variable.initial is not None:
                found = dict(contents(partial(self._named, side), variable.type, variable.initial))
            self.layouts[region] = Layout(region.name, (), found)
        return region

    def in_host_memory(self, content: Content) -> bool:
        """Whether it is news that a device gets the address of a constant of the host, which is in its memory then."""
        region = content.region if isinstance(content, Address) else None
        if not isinstance(region, Memory) or not region.name.startswith("%host.") or region in self.tables:
            return False
        if not self.host.module.variable(
            region.name.removeprefix("%host.")
        ).debug:  # a literal, or a table of functions
            return False
        self.tables.add(region)
        return True

    def as_number(self, content: Content, *, pointer: bool) -> int | None:
        """The number that stands for a known content in the program's memory: a ``pointer`` is numbered."""
        match content:
            case Address(Memory() as region, offset) if not pointer:
                return self.place(region) + offset.constant
            case Address(Nowhere(), offset) if not pointer:
                return offset.constant
            case Const(value) if pointer:
                return self.pointer(Address(Nowhere(), Offset(value)))
            case Address():
                return self.pointer(content)
            case Opaque():
                return 0
            case Const(value, _):
                return value
            case _:
                return None

    def held(self, place: ir.Place, register: Reg) -> Content:
        """A pointer that was read; the address itself where nothing else is ever there."""
        among = held(self.written, self.objects[place.object], place.index)
        if among is not None and len(among) == 1:
            for address, number_ in self.pointers.items():
                if number_ in among:
                    return address
        return Held(register, among)

    def pointer(self, address: Address) -> int:
        """The number of an address, also of one that no object has; 0 is null."""
        if isinstance(address.region, Private) or address == NULL:
            return 0
        if isinstance(address.region, Nowhere):
            address = Address(Nowhere(), Offset(LONG.wrap(address.offset.constant)))
        if address not in self.pointers:
            self.pointers[untracked(address)] = len(self.pointers) + 1
            self.grew = True
        return self.pointers[address]

    # ---------------------------------------------------------------- addresses that are computed with

    def place(self, region: Memory) -> int:
        """The address of an object: one choice of those that a machine has, as far apart as cudaMalloc puts them."""
        if region not in self.placed:
            size = max((at + leaf.type.size for at, leaf in covered(self.layouts[region], 0, _MOST_BYTES)), default=0)
            begin = max((there.stop for there in self.placed.values()), default=_FIRST_ADDRESS)
            begin += -begin % _APART
            self.placed[region] = range(begin, begin + size + 1)
            self.grew = True
        return self.placed[region].start

    def at_address(self, value: int) -> Address:
        """The place in an object at an address, the object's end included, or nothing."""
        found = next((region for region, there in self.placed.items() if there.start <= value < there.stop), None)
        return Address(Nowhere(), Offset(value)) if found is None else Address(found, Offset(value - self.place(found)))

    def begins(self, region: Memory) -> list[int]:
        """The bytes of an object at which its numbers begin."""
        return sorted({at for at, _ in covered(self.layouts[region], 0, _MOST_BYTES)})
