"""Checks that a launch fits its kernel, for every reader."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.program import largest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.diagnostics import InputError
    from scopec.base.source import Span
    from scopec.program import ir

_MOST_THREADS = 1 << 16


def beside_main(span: Span) -> InputError:
    """The error for a launch in a directive of a file that has a ``main``."""
    return error(Code.BAD_DIRECTIVE, "`//@ launch` is for files without a main", span, "launch the kernel in main")


def check_threads(blocks: ir.Dim, threads: ir.Dim, span: Span) -> None:
    """InputError if a launch has more threads than are followed, or a block more than there are ("at most 1024")."""
    count = blocks.count * threads.count
    if count > _MOST_THREADS:
        raise error(Code.TOO_LARGE, f"a launch of {count} threads", span, f"launch at most {_MOST_THREADS} threads")
    if threads.count > largest.THREADS:
        message = f"a block of {threads.count} threads"
        raise error(Code.BAD_LAUNCH, message, span, f"a block has at most {largest.THREADS}")


def check_block(threads: ir.Dim, said: Mapping[str, tuple[int, ...]], span: Span) -> None:
    """InputError if a block is not what a kernel of a file of PTX says (PTX ISA, ".reqntid", ".maxntid")."""
    wanted = said.get("reqntid", ())
    if wanted and (threads.x, threads.y, threads.z) != (*wanted, 1, 1)[:3]:
        extents = ", ".join(map(str, wanted))
        message = f"a block of {threads} threads, and the kernel says `.reqntid {extents}`"
        raise error(Code.BAD_LAUNCH, message, span, f"launch blocks of {prod(wanted)} threads")
    if "maxntid" in said and threads.count > (most := prod(said["maxntid"])):
        message = f"a block of {threads.count} threads, and the kernel says `.maxntid`"
        raise error(Code.BAD_LAUNCH, message, span, f"launch blocks of at most {most} threads")


def check_bound(threads: ir.Dim, most: int | None, span: Span) -> None:
    """InputError if a block is larger than its kernel's ``__launch_bounds__`` (CUDA C++ Programming Guide, "Launch
    Bounds": "A kernel will fail to launch if it is executed with more threads per block than its launch bound").
    """
    if most is not None and threads.count > most:
        message = f"a block of {threads.count} threads, and the kernel's `__launch_bounds__` has {most}"
        raise error(Code.BAD_LAUNCH, message, span, f"launch blocks of at most {most} threads")


def check_cluster(cluster: ir.Dim, blocks: ir.Dim, span: Span) -> None:
    """InputError if the grid is not a multiple of its clusters (CUDA C++ Programming Guide, 5.2.1)."""
    for extent, given in ((cluster.x, blocks.x), (cluster.y, blocks.y), (cluster.z, blocks.z)):
        if extent < 1 or given % extent:
            message = f"a grid of {blocks} blocks cannot be divided into clusters of {cluster}"
            raise error(Code.BAD_LAUNCH, message, span, "launch a multiple of the cluster's extent")


def check_device(stream: ir.Stream, device: int, span: Span) -> None:
    """InputError if a stream belongs to another device than the current one."""
    if stream.device != device:
        message = f"stream `{stream.name}` belongs to device {stream.device}, device {device} is current"
        raise error(Code.BAD_LAUNCH, message, span, "call cudaSetDevice before the launch")
