"""Declarations of a litmus file: locations with types and initial values, registers, the places of threads."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.c import names
from scopec.frontends.litmus.syntax import tree
from scopec.program import ir, types
from scopec.program.types import IntType
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.base.source import Source, Span
    from scopec.frontends.c.syntax.tree import TypeName

#: The last words of ``<stdatomic.h>``'s names for atomic types, and what each is short for.
_SHORT = {
    "flag": "bool", "schar": "signed char", "uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned",
    "llong": "long", "ulong": "unsigned long", "ullong": "unsigned long", "_Bool": "bool",
}  # fmt: skip
#: Types that only C++ tells apart.
_ONE = {types.LONG_LONG: types.LONG, types.ULONG_LONG: types.ULONG}

#: The type of a pointer that is kept in a register or in memory: an address.
POINTER = types.LONG
_FIRST_ADDRESS, _ADDRESSES_APART = 1 << 20, 1 << 12
#: Levels of the hierarchy, by the words of the dialects; those below a block, and grids, say nothing here.
_LEVELS = {
    "cta": "block", "wg": "block", "work_group": "block", "workgroup": "block",
    "cluster": "cluster",
    "gpu": "device", "dev": "device", "device": "device", "agent": "device",
    "sys": "system", "system": "system", "all_svm_devices": "system",
    "kernel": "inside", "grid": "inside", "thread": "inside", "work_item": "inside", "workitem": "inside",
    "wi": "inside", "warp": "inside", "sg": "inside", "sub_group": "inside", "wave": "inside",
}  # fmt: skip


def integer_type(type_: TypeName) -> IntType:
    """The integral type that a written type names, atomic or not; InputError if it is none."""
    name = type_.name.removeprefix("atomic_").replace("_least", "").replace("_fast", "")
    found = names.integer_type(_SHORT.get(name, name))
    if found is None:
        help_ = "use an integer type, such as int or atomic_int"
        raise error(Code.UNKNOWN_TYPE, f"`{type_.name}` is not a type that scopec knows", type_.span, help_)
    return _ONE.get(found, found)


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a location: its proxy, and its virtual address, empty for the location's own."""

    location: str
    proxy: ir.Proxy
    address: str


@dataclass
class World:
    """The locations and registers of a file, filled while it is lowered."""

    source: Source
    dialect: tree.Dialect
    objects: dict[str, ir.Object] = field(default_factory=dict)
    #: Other names of locations.
    aliases: dict[str, Alias] = field(default_factory=dict)
    #: Locations that hold addresses.
    pointers: set[str] = field(default_factory=set)
    #: Locations whose type is written in the initial state, which no parameter changes.
    typed: set[str] = field(default_factory=set)
    #: Values and types of registers at the start.
    registers: dict[tuple[str, str], Const] = field(default_factory=dict)
    #: Registers that hold addresses, the registers that each thread mentions, the threads that use each location.
    pointer_registers: set[tuple[str, str]] = field(default_factory=set)
    mentioned: dict[str, set[str]] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)
    labels: list[str | None] = field(default_factory=lambda: [None])
    warnings: list[Diagnostic] = field(default_factory=list)

    @property
    def storage(self) -> ir.Storage:
        """The storage of locations: host memory in C, device memory in the dialects of devices (language note)."""
        return ir.Storage.SYSTEM if self.dialect == "C" else ir.Storage.DEVICE

    @property
    def default_type(self) -> IntType:
        """The type of a location that has none: PTX's registers have 64 bits."""
        return types.LONG if self.dialect == "PTX" else types.INT

    def declare(self, name: str, span: Span, type_: IntType, values: Sequence[int], *, array: bool) -> None:
        """Add a location."""
        device = 0 if self.storage is ir.Storage.DEVICE else None
        wrapped = tuple(type_.wrap(v) for v in values)
        self.objects[name] = ir.Object(name, span, type_, self.storage, wrapped, array, device=device)

    def known(self, name: str, span: Span) -> ir.Object:
        """The location of a name; InputError with a suggestion if there is none."""
        if name not in self.objects:
            help_ = suggestion(name, self.objects) or "name it in the initial state: { x = 0; }"
            raise error(Code.UNKNOWN_NAME, f"there is no location `{name}`", span, help_)
        return self.objects[name]

    def address(self, name: str, index: int = 0) -> Const:
        """The address of an element: a number of its own for each, so that pointers can be compared."""
        position = list(self.objects).index(name)
        offset = index * self.objects[name].size
        return Const(_FIRST_ADDRESS + position * _ADDRESSES_APART + offset, POINTER)

    def share(self, name: str) -> None:
        """Make a location local memory: one object a work-group."""
        self.objects[name] = replace(self.objects[name], storage=ir.Storage.SHARED, device=None)

    def barrier(self, label: str | None) -> int:
        """The number of the barrier with a label (0 for barriers without one)."""
        if label not in self.labels:
            self.labels.append(label)
        return self.labels.index(label)

    def elements(self) -> list[tuple[Const, ir.Object, int]]:
        """Every element in memory with its address."""
        return [(self.address(name, i), o, i) for name, o in self.objects.items() for i in range(len(o.values))]


def initialise(world: World, entries: Sequence[tree.Entry], threads: Sequence[str]) -> None:
    """Declare the locations and registers of the initial state; addresses come later (:func:`initialise_addresses`).

    InputError for what is declared twice or in a wrong way; a register of none of the ``threads`` gets a warning.
    """
    for entry in entries:
        match entry.target:
            case tree.Memory(span, name):
                if name in world.objects:
                    raise error(Code.DUPLICATE, f"`{name}` has an initial value already", span)
                _location(world, entry, name)
            case tree.Register(span, thread, name):
                if (thread, name) in world.registers:
                    raise error(Code.DUPLICATE, f"`{thread}:{name}` has an initial value already", span)
                if thread not in threads:
                    warning = Diagnostic(Code.IGNORED, f"there is no thread {thread}", span, None, "warning")
                    world.warnings.append(warning)
                type_ = world.default_type if entry.type is None else _value_type(entry.type)
                value = entry.value.value if isinstance(entry.value, tree.Number) else 0
                world.registers[thread, name] = Const(type_.wrap(value), type_)
                world.mentioned.setdefault(thread, set()).add(name)
                if entry.size is not None:
                    raise error(Code.TYPE_ERROR, "a register is no array", span)


def _value_type(type_: TypeName) -> IntType:
    return POINTER if type_.pointers else integer_type(type_)


def _location(world: World, entry: tree.Entry, name: str) -> None:
    type_ = world.default_type if entry.type is None else _value_type(entry.type)
    size = entry.size if entry.size is not None else 1
    values = [0] * size
    if isinstance(entry.value, tree.Number):
        values[0] = entry.value.value
    elif isinstance(entry.value, tree.Numbers):
        values[: len(entry.value.values)] = entry.value.values
    world.declare(name, entry.target.span, type_, values, array=entry.size is not None)
    if entry.type is not None:
        world.typed.add(name)
        if entry.type.pointers:
            world.pointers.add(name)


def initialise_addresses(world: World, entries: Sequence[tree.Entry]) -> None:
    """Initialise what holds addresses, when all locations are declared; InputError for an address of none."""
    for entry in entries:
        if not isinstance(entry.value, (tree.Address, tree.Memory)):
            continue
        world.known(entry.value.name, entry.value.span)
        address = world.address(entry.value.name)
        match entry.target:
            case tree.Memory(_, name):
                world.declare(name, world.objects[name].span, POINTER, [address.value], array=False)
                world.pointers.add(name)
            case tree.Register(_, thread, name):
                world.registers[thread, name] = address
                world.pointer_registers.add((thread, name))


# ---------------------------------------------------------------- places


@dataclass(frozen=True)
class Position:
    """The position of a thread: its block and cluster by name, its device; None for a host thread's block."""

    block: str | None = None
    cluster: str | None = None
    device: int = 0


def position(world: World, coordinates: Sequence[tree.Coordinate], name: str, span: Span) -> Position:
    """The place of a thread that says so itself; InputError where it does not, or says it in other words."""
    if world.dialect == "C":
        if coordinates:
            help_ = "begin the file with OPENCL"
            raise error(Code.BAD_LAUNCH, "threads of the C dialect run on the host", coordinates[0].span, help_)
        return Position()
    found: dict[str, tree.Coordinate] = {}
    for one in coordinates:
        level = level_of(one.level, one.span)
        if level in found:
            raise error(Code.DUPLICATE, f"{name} is in two places", one.span)
        found[level] = one
    example = "cta 0, gpu 0" if world.dialect == "PTX" else "wg 0, dev 0"
    for level, word in (("block", example.split()[0]), ("device", example.split()[2])):
        if level not in found:
            message = f"{name} does not say on which {word} it runs"
            raise error(Code.BAD_LAUNCH, message, span, f"write {name}@{example}")
    return _position(found)


def _position(found: dict[str, tree.Coordinate]) -> Position:
    """Blocks and clusters are numbered inside what holds them: `cta 0, gpu 0` and `cta 0, gpu 1` are two blocks."""

    def named(*levels: str) -> str:
        return ", ".join(f"{found[x].level} {found[x].number}" for x in levels if x in found)

    cluster = named("cluster", "device") if "cluster" in found else None
    return Position(named("block", "cluster", "device"), cluster, found["device"].number)


def level_of(word: str, span: Span) -> str:
    """The level of the hierarchy that a word of a dialect names."""
    if word not in _LEVELS:
        help_ = suggestion(word, _LEVELS) or "write cta, cluster, gpu, or wg, dev"
        raise error(Code.UNKNOWN_NAME, f"`{word}` is not a level of the hierarchy", span, help_)
    return _LEVELS[word]


def positions(tree_: tree.Group, threads: Sequence[str]) -> dict[str, Position]:
    """The places of the ``threads`` in a scope tree, groups of a level numbered as they stand in it.

    InputError for a name of no thread, or of one that is in two places or in no block.
    """
    found: dict[str, Position] = {}
    counts: dict[str, int] = {}

    def visit(group: tree.Group, inside: dict[str, tree.Coordinate]) -> None:
        level = level_of(group.level, group.span)
        if level not in ("system", "inside"):
            number = counts.get(level, 0)
            counts[level] = number + 1
            inside = {**inside, level: tree.Coordinate(group.span, group.level, number)}
        for member in group.members:
            if isinstance(member, tree.Group):
                visit(member, inside)
                continue
            if member.name not in threads:
                help_ = f"the threads are {', '.join(threads)}"
                raise error(Code.UNKNOWN_NAME, f"there is no thread {member.name}", member.span, help_)
            if member.name in found:
                raise error(Code.DUPLICATE, f"{member.name} is in two places", member.span)
            if "block" not in inside:
                raise error(Code.BAD_LAUNCH, f"{member.name} is in no work-group", member.span, "write (wg P0)")
            found[member.name] = _position({"device": tree.Coordinate(group.span, "dev", 0), **inside})

    visit(tree_, {})
    return found
