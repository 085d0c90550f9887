"""Protocols in Numba; `python numba_kernels.py` writes the PTX of each (numba-cuda, nvidia-nvvm, nvidia-cuda-nvrtc)."""

from pathlib import Path

from numba import cuda, types


def message(data, flag, out):
    """One block leaves a message, another waits for it."""
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 1)
    else:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
        cuda.threadfence()
        out[0] = data[0]


def message_unfenced(data, flag, out):
    """The same, where the reader has no fence."""
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 1)
    else:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
        out[0] = data[0]


def lock(mutex, total):
    """Blocks add to a number under a lock."""
    while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    total[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(mutex, 0, 0)


def last(parts, tickets, out):
    """The last block adds up what all have left."""
    ticket = cuda.shared.array(1, types.int32)
    parts[cuda.blockIdx.x] = cuda.blockIdx.x + 1
    cuda.threadfence()
    if cuda.threadIdx.x == 0:
        ticket[0] = cuda.atomic.add(tickets, 0, 1)
    cuda.syncthreads()
    if ticket[0] == cuda.gridDim.x - 1:
        cuda.threadfence()
        out[0] = parts[0] + parts[1]


def gather(flags, data, out):
    """The lanes of a warp wait until all of their flags are set."""
    lane = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        data[lane] = lane + 1
        cuda.threadfence()
        cuda.atomic.exch(flags, lane, 1)
    else:
        while not cuda.all_sync(3, cuda.atomic.add(flags, lane, 0) == 1):
            pass
        cuda.threadfence()
        out[lane] = data[lane]


if __name__ == "__main__":
    array = types.Array(types.int32, 1, "C")
    for kernel, count in ((message, 3), (message_unfenced, 3), (lock, 2), (last, 3), (gather, 3)):
        ptx, _ = cuda.compile_ptx(kernel, (array,) * count, cc=(9, 0), lineinfo=True)
        Path(f"{kernel.__name__.replace('_', '-')}-numba.ptx").write_text(ptx)
