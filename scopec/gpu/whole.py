"""A program whose host does more than launch kernels and wait: it is run whole, its own text as nvcc compiles it.

Its `main` is called again and again.  What is seen are variables outside functions, what `main` has allocated and not
freed, and its locals; not the locals of kernels.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.gpu import whole_text
from scopec.gpu.harness import UNSET
from scopec.gpu.printer import refuse
from scopec.program import ir
from scopec.program.observe import FinalMemory, FinalRegister, Location, Observation
from scopec.program.show import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scopec.program.program import Program
    from scopec.program.types import IntType

#: The calls that a harness knows the allocations of, in the order in which they are made.
_ALLOCATES = ("cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync",
              "cudaMallocFromPoolAsync")  # fmt: skip
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
#: The most words of a state.
_MOST_WORDS = 4096
#: The calls of host threads that the other harness plays.
_PLAYED = (ir.LaunchGrid, ir.DeviceSynchronize, ir.StreamSynchronize, ir.EndProcess, ir.CreateThread, ir.JoinThread)


@dataclass(frozen=True)
class Variable:
    """A variable outside functions, and whether a device has it."""

    name: str
    of_device: bool


@dataclass(frozen=True)
class Look:
    """Where elements are found: in a variable by its number, or in an allocation; ``first`` is their word."""

    allocated: bool
    which: int
    first: int
    count: int
    size: int


@dataclass(frozen=True)
class Whole:
    """A program that is run whole; its result is a word for how it ended, always well, then one for each observed."""

    name: str
    text: str
    observed: tuple[Observation, ...]
    types: tuple[IntType, ...]
    globals: tuple[Variable, ...]
    looks: tuple[Look, ...]
    allocations: tuple[int, ...]
    driver: bool

    @property
    def roles(self) -> tuple[str, ...]:
        """The threads of which a result says how they ended."""
        return ("main",)

    @property
    def faults(self) -> tuple[ir.Assert, ...]:
        """The assertions that are told apart: one that fails ends the process."""
        return ()

    @property
    def hosts(self) -> int:
        """The number of host threads, at least."""
        return 1

    @property
    def words(self) -> int:
        """The words of a result."""
        return 1 + len(self.observed)

    def shows(self, what: Observation) -> bool:
        """Whether a result says what becomes of this."""
        return what in self.observed

    def state(self, words: Sequence[int]) -> Iterator[tuple[Observation, int]]:
        """What a result says, that somebody has written to."""
        for what, type_, word in zip(self.observed, self.types, words[1:], strict=True):
            if word != UNSET:
                yield what, type_.wrap(word)

    @cached_property
    def key(self) -> str:
        """A key that differs for tests of other texts."""
        said = f"{self.text}{self.observed}{self.globals}{self.looks}{self.allocations}"
        return hashlib.sha256(said.encode()).hexdigest()[:16]


def is_whole(program: Program) -> bool:
    """Whether the host does what only its own text says: work in streams beside kernels, and calls about it."""
    if not program.grids:
        return False
    if any(g.work is not ir.Work.KERNEL or g.dependent or g.events or g.device for g in program.grids.values()):
        return True
    hosts = [program.host, *(t for t in program.others if t.is_host)]
    operations = [n.operation for t in hosts for n in t.body.nodes.values() if isinstance(n, ir.Do)]
    if any(isinstance(o, ir.Call) and not isinstance(o, (*_PLAYED, ir.ApiCall)) for o in operations):
        return True
    launch = [t.name for t in hosts if any(_is(n, ir.LaunchGrid) for n in t.body.nodes.values())]
    return len(program.grids) > 1 and len(launch) > 1


def _is(node: ir.Node, kind: type[ir.LaunchGrid]) -> bool:
    return isinstance(node, ir.Do) and isinstance(node.operation, kind)


def whole(name: str, program: Program) -> Whole:
    """The program as a test; InputError, with the place, where its text cannot be run as it is."""
    source = program.source
    code = whole_text.code_of(source)
    whole_text.check_text(source, code)
    _check(program, code)
    lifetimes = list(_lifetimes(program))
    begun = {name for lifetime in lifetimes if lifetime.begins for name in lifetime.objects}
    globals_ = _globals(program, begun, code)
    numbers = {variable.name: n for n, variable in enumerate(globals_)}
    observed: list[Observation] = []
    types: list[IntType] = []
    looks: list[Look] = []

    def found(object_: ir.Object, *, allocated: bool, which: int) -> None:
        looks.append(Look(allocated, which, 1 + len(observed), len(object_.values), object_.size))
        observed.extend(FinalMemory(Location(object_.name, n)) for n in range(len(object_.values)))
        types.extend(object_.type for _ in object_.values)

    for object_ in program.objects.values():
        if object_.name in numbers and object_.name not in begun and _is_shown(object_, program, code):
            found(object_, allocated=False, which=numbers[object_.name])
    order = _allocated(program)
    freed = {name for lifetime in lifetimes if not lifetime.begins and lifetime.how for name in lifetime.objects}
    for which, names in enumerate(order):
        if (
            len(names) == 1
            and names[0] not in freed
            and _is_shown(program.objects[names[0]], program, code, pointed=True)
        ):
            found(program.objects[names[0]], allocated=True, which=which)
    locals_ = _locals(program, code)
    at: dict[str, tuple[int, int, int]] = {}
    for local, (what, type_) in locals_.items():
        at[local] = (1 + len(observed), len(what), type_.size)
        observed.extend(what)
        types.extend(type_ for _ in what)
    if len(observed) >= _MOST_WORDS:
        refuse(f"a host that does more, with states of {_MOST_WORDS:,} elements or more", source.span(0, 0))

    def see(local: str) -> str:
        first, count, size = at[local]
        return f"scopec::local({first}, {count}, {size}, {local}); "

    text = whole_text.text(source, code, program.variant, see, locals_)
    sizes = tuple(sum(program.objects[n].size * len(program.objects[n].values) for n in names) for names in order)
    return Whole(
        name, text, tuple(observed), tuple(types), globals_, tuple(looks), sizes, whole_text.takes_driver(code)
    )


def _check(program: Program, code: str) -> None:
    """Refuse what cannot be done again and again."""
    for thread in program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.EndProcess):
                refuse(f"a host that does more and ends its process: `{words(node.operation)[0]}`", node.span)
    for object_ in program.objects.values():
        if object_.left_out:
            refuse(f"`{object_.name}`, of which only some elements are modelled,", object_.span)
        root = _root(object_.name)
        if object_.storage is ir.Storage.SYSTEM and "." in object_.name and whole_text.is_function(root, code):
            declared = whole_text.is_static(object_.name.rpartition(".")[2], code)
            if declared:
                refuse("a host that does more, with a static variable in a function", object_.span)


def _root(name: str) -> str:
    """The variable that an object is, or is a part of."""
    return re.split(r"[.\[]", name)[0]


def _lifetimes(program: Program) -> Iterator[ir.Lifetime]:
    for body in program.bodies:
        for node in body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Lifetime):
                yield node.operation


def _globals(program: Program, begun: Collection[str], code: str) -> tuple[Variable, ...]:
    """The variables outside functions that the program has objects of."""
    found: dict[str, bool] = {}
    for object_ in program.objects.values():
        if object_.name in begun or object_.storage in (ir.Storage.SHARED, ir.Storage.AUTOMATIC):
            continue
        if object_.use in (ir.Use.PASSED, ir.Use.LIFETIME, ir.Use.STOP):
            continue
        root = _root(object_.name)
        if _IDENTIFIER.fullmatch(root) is None or re.search(rf"\b{root.rpartition(':')[2]}\b", code) is None:
            refuse(f"a host that does more, with `{object_.name}`", object_.span)
        found.setdefault(root, object_.storage is ir.Storage.DEVICE)
    return tuple(Variable(name, of_device) for name, of_device in found.items())


def _is_shown(object_: ir.Object, program: Program, code: str, *, pointed: bool = False) -> bool:
    """Whether the elements of an object are numbers that mean the same in each run, of one instance."""
    name, type_ = object_.name.removeprefix("main."), object_.type
    if _IDENTIFIER.fullmatch(name) is None or object_.use is not ir.Use.DATA or type_.is_float or type_.bits > 64:
        return False
    devices = {stream.device for stream in program.streams} | {grid.device for grid in program.grids.values()}
    if object_.storage is ir.Storage.DEVICE and object_.device is None and len(devices) > 1:
        return False
    return type_.bits < 64 or whole_text.is_wide_number(name.rpartition(":")[2], code, pointed=pointed)


def _allocated(program: Program) -> list[tuple[str, ...]]:
    """The objects of each allocation that `main` makes before it first decides something, in order."""
    found = []
    body = program.host.body
    at = body.entry
    visited: set[int] = set()
    while at not in visited and isinstance(node := body.nodes[at], ir.Do):
        visited.add(at)
        operations = [node.operation]
        if isinstance(node.operation, ir.LaunchGrid):
            work = program.grids[node.operation.grid].body
            operations = [n.operation for n in work.nodes.values() if isinstance(n, ir.Do)]
        found += [o.objects for o in operations if isinstance(o, ir.Lifetime) and o.begins and o.how in _ALLOCATES]
        (at,) = ir.successors(node)
    return found


def _locals(program: Program, code: str) -> dict[str, tuple[list[Observation], IntType]]:
    """The locals of `main` that are in scope wherever it returns, with what is observed of each."""
    host = program.host
    found: dict[str, tuple[list[Observation], IntType]] = {}
    for name, type_ in host.body.variables.items():
        if not type_.is_float and (type_.bits < 64 or whole_text.is_wide_number(name, code)):
            found[name] = [FinalRegister(host.name, name)], type_
    for object_ in program.objects.values():
        name = object_.name.removeprefix(f"{host.name}.")
        if name != object_.name and _is_shown(object_, program, code):
            found[name] = [FinalMemory(Location(object_.name, n)) for n in range(len(object_.values))], object_.type
    seen = whole_text.seen(code, found)
    return {name: found[name] for name in found if name in seen}
