"""Protocols in Triton; `python triton_kernels.py` writes the PTX of each (triton; no GPU is needed).

Triton gives each block a warp, all of whose lanes do what is not one's; the PTX is written for blocks of two lanes
(`.reqntid`), which do the same, so that what is asked stays small.
"""

import re
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def message(data, flag, out):
    """One block leaves a message, another waits for it."""
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.atomic_xchg(flag, 1, sem="release", scope="gpu")
    else:
        while tl.atomic_add(flag, 0, sem="acquire", scope="gpu") == 0:
            pass
        tl.store(out, tl.load(data))


@triton.jit
def message_relaxed(data, flag, out):
    """The same, where the reader does not acquire."""
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.atomic_xchg(flag, 1, sem="release", scope="gpu")
    else:
        while tl.atomic_add(flag, 0, sem="relaxed", scope="gpu") == 0:
            pass
        tl.store(out, tl.load(data))


@triton.jit
def lock(mutex, total):
    """Blocks add to a number under a lock."""
    while tl.atomic_cas(mutex, 0, 1, sem="acquire", scope="gpu") == 1:
        pass
    old = tl.load(total)
    tl.debug_barrier()
    tl.store(total, old + 1)
    tl.atomic_xchg(mutex, 0, sem="release", scope="gpu")


@triton.jit
def lock_hasty(mutex, total):
    """The same, where one lane stores while others may still load: Triton orders them by no barrier."""
    while tl.atomic_cas(mutex, 0, 1, sem="acquire", scope="gpu") == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.atomic_xchg(mutex, 0, sem="release", scope="gpu")


@triton.jit
def last(parts, tickets, out):
    """The last block adds up what all have left."""
    block = tl.program_id(0)
    tl.store(parts + block, block + 1)
    if tl.atomic_add(tickets, 1, sem="acq_rel", scope="gpu") == 1:
        tl.store(out, tl.load(parts) + tl.load(parts + 1))


@triton.jit
def last_relaxed(parts, tickets, out):
    """The same, with a ticket that orders nothing."""
    block = tl.program_id(0)
    tl.store(parts + block, block + 1)
    if tl.atomic_add(tickets, 1, sem="relaxed", scope="gpu") == 1:
        tl.store(out, tl.load(parts) + tl.load(parts + 1))


@triton.jit
def gather(flags, data, out):
    """The lanes of a warp wait until all of their flags are set."""
    lane = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + lane, lane + 1)
        tl.atomic_xchg(flags + lane, 1, sem="release", scope="gpu")
    else:
        missing = 1
        while missing > 0:
            seen = tl.atomic_add(flags + lane, 0, sem="acquire", scope="gpu")
            missing = tl.sum(1 - seen, axis=0)
        tl.store(out + lane, tl.load(data + lane))


@triton.jit
def gather_relaxed(flags, data, out):
    """The same, where the flags are not acquired."""
    lane = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + lane, lane + 1)
        tl.atomic_xchg(flags + lane, 1, sem="release", scope="gpu")
    else:
        missing = 1
        while missing > 0:
            seen = tl.atomic_add(flags + lane, 0, sem="relaxed", scope="gpu")
            missing = tl.sum(1 - seen, axis=0)
        tl.store(out + lane, tl.load(data + lane))


def ptx(kernel):
    """The PTX of a kernel of pointers to integers, without the folders in which its sources are."""
    source = ASTSource(fn=kernel, signature=dict.fromkeys(kernel.arg_names, "*i32"), constexprs={})
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 1})
    text = re.sub(r"\t\.section[^{]*\{[^}]*\}\n", "", compiled.asm["ptx"])
    text = re.sub(r'(\.file\t\d+ ")[^"]*/', r"\1", text)
    return text.replace(".reqntid 32", ".reqntid 2")


if __name__ == "__main__":
    for kernel in (message, message_relaxed, lock, lock_hasty, last, last_relaxed, gather, gather_relaxed):
        Path(f"{kernel.__name__.replace('_', '-')}-triton.ptx").write_text(ptx(kernel))
