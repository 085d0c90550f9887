"""Loads through the read-only cache: ``__ldg``, ``ld.global.nc``, ``ldu``.

What they read has to be "read-only for the entire lifetime of the kernel" (CUDA C++ Programming Guide, "Read-Only Data
Cache"): neither a barrier nor a fence makes a write of the same kernel visible to them, and compilers move them across
both.  A write of the thread itself counts where it may come before the load.

    data = 1; flag.store(1, release);    ...    while (!flag.load(acquire)); r = __ldg(&data);    // may find 0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import ir
from scopec.program.effects import effects, place_of
from scopec.program.values import Const

#: A block and a thread in it.
Position = tuple[int, int]


@dataclass(frozen=True)
class _Access:
    """An access of a node of a thread."""

    thread: Position
    node: int
    place: ir.Place
    span: Span


def check_read_only(bodies: Mapping[Position, ir.Body], loads: Set[Span]) -> None:
    """Raise InputError where a grid may write what one of its loads, told by their places, reads as read-only."""
    if not loads:
        return
    reads, writes = list[_Access](), dict[str, list[_Access]]()
    for thread, body in bodies.items():
        for found, is_load in _accesses(thread, body, loads):
            (reads if is_load else writes.setdefault(found.place.object, [])).append(found)
    for read in reads:
        for write in writes.get(read.place.object, ()):
            if _may_meet(read, write) and (read.thread != write.thread or _comes(bodies[read.thread], write, read)):
                raise _written(read, write)


def _accesses(thread: Position, body: ir.Body, loads: Set[Span]) -> Iterator[tuple[_Access, bool]]:
    for number, node in body.nodes.items():
        if not isinstance(node, ir.Do) or (place := place_of(node.operation)) is None:
            continue
        if isinstance(node.operation, ir.Load) and node.span in loads:
            yield _Access(thread, number, place, node.span), True
        elif effects(node.operation).writes:
            yield _Access(thread, number, place, node.span), False


def _may_meet(one: _Access, other: _Access) -> bool:
    """Whether two places of one object may be the same."""
    first, second = one.place.index, other.place.index
    return not isinstance(first, Const) or not isinstance(second, Const) or first.value == second.value


def _comes(body: ir.Body, first: _Access, then: _Access) -> bool:
    """Whether a thread may come from one of its accesses to another."""
    seen, left = set[int](), [first.node]
    while left:
        for following in ir.successors(body.nodes[left.pop()]):
            if following == then.node:
                return True
            if following not in seen:
                seen.add(following)
                left.append(following)
    return False


def _written(read: _Access, write: _Access) -> Exception:
    sure = all(isinstance(access.place.index, Const) for access in (read, write))
    writes = f"line {write.span.line} {'writes' if sure else 'may write'} in the same kernel"
    message = f"a load through the read-only cache of `{read.place.object}`, which {writes}: what it finds is undefined"
    return error(Code.BAD_ARGUMENTS, message, read.span, "read it with an ordinary load")
