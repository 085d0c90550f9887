"""Instructions of tensor memory that are executed in the order in which they are issued (PTX ISA, "Pipelined tcgen05
Instructions").

An instruction is a word, and what has to be alike behind it: ``mma 256 128x64 f16``, ``cp``, ``cp 4x256b``, ``shift``,
``ld``, ``st``.
"""

from __future__ import annotations


def in_order(first: str, then: str) -> bool:
    """Whether two instructions are a pipeline: the one that is issued first is executed first.

    "tcgen05.mma -> tcgen05.mma (same N and accumulator, shape and kind)", "tcgen05.copy -> tcgen05.mma",
    "tcgen05.shift -> tcgen05.mma", "tcgen05.shift -> tcgen05.cp.4x256b", "tcgen05.mma -> tcgen05.shift".
    """
    one, other = (pipe.partition(" ")[0] for pipe in (first, then))
    match one, other:
        case "mma", "mma":
            return first == then
        case ("cp" | "shift", "mma") | ("mma", "shift"):
            return True
        case "shift", "cp":
            return then == "cp 4x256b"
        case _:
            return False
