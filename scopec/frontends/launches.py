"""What a launch has to fit, whoever reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error

if TYPE_CHECKING:
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
    if threads.count > 1024:
        raise error(Code.BAD_LAUNCH, f"a block of {threads.count} threads", span, "a block has at most 1024")


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
