"""The Program form as a whole."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.program.ir import Body, Grid, Object, Order, Scope, Stream, Thread
from scopec.program.specialise import device_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scopec.base.source import Source, Span


@dataclass(frozen=True)
class BitField:
    """So many bits, from one on, of the numbers of an object."""

    object: str
    shift: int
    width: int
    signed: bool


@dataclass(frozen=True)
class Program:
    """A file under one choice of its varied constants.

    ``constants`` are all constants of the file, ``variant`` the varied ones as they are shown (``{"S": "device"}``).
    ``others`` are threads beyond ``main`` and those of the grids; they run from the start, but those that some thread
    creates (:class:`CreateThread`) run from then on.  ``parameters`` are names of kernels' parameters, with what they
    point to: elements of objects by the offset in bytes.  ``placed`` are the objects whose addresses it computes with:
    it has one choice of the addresses that a machine might give them.  ``fields`` are bit-fields, by name.
    ``read_with`` are the versions of the library's headers that it was read with, by their names; none where they are
    scopec's own.  ``compiled_by`` says what made the code of its kernels, where that is not the text.  ``any_index``
    are the places of accesses to any element of an object, as their index is not modelled, ``runs`` the objects in
    a row that one array of bytes was taken for.
    """

    name: str
    source: Source
    objects: Mapping[str, Object]
    streams: tuple[Stream, ...]
    grids: Mapping[str, Grid]
    host: Thread
    constants: Mapping[str, int | Order | Scope]
    variant: Mapping[str, str]
    others: tuple[Thread, ...] = ()
    parameters: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    placed: tuple[str, ...] = ()
    fields: Mapping[str, BitField] = field(default_factory=dict)
    read_with: Mapping[str, str] = field(default_factory=dict)
    compiled_by: str | None = None
    any_index: tuple[Span, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def bodies(self) -> Iterator[Body]:
        """The graphs: of each grid, of the host, and of the other threads."""
        yield from (grid.body for grid in self.grids.values())
        yield self.host.body
        yield from (thread.body for thread in self.others)

    def with_bodies(self, change: Callable[[Body], Body]) -> Program:
        """The program with each of its graphs changed; itself where nothing changes."""
        changed = [change(body) for body in self.bodies]
        if all(new is old for new, old in zip(changed, self.bodies, strict=True)):
            return self
        bodies = iter(changed)
        return replace(
            self,
            grids={name: replace(grid, body=next(bodies)) for name, grid in self.grids.items()},
            host=replace(self.host, body=next(bodies)),
            others=tuple(replace(thread, body=next(bodies)) for thread in self.others),
        )

    @cached_property
    def threads(self) -> tuple[Thread, ...]:
        """The host thread, then the other threads, then those of the grids, in launch order."""
        return (self.host, *self.others, *(t for grid in self.grids.values() for t in device_threads(grid)))
