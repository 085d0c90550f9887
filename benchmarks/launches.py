"""Kernels with barriers at the size at which they are launched: ``python benchmarks/launches.py`` prints a table.

Each is asked for races, one final value and its end by whole calls of ``scopec check --engine embedded --no-cache``,
as it should be and without one of its barriers: CPU seconds and peak memory of the call.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_ASKED = """
//@ expect race_free;
//@ expect required {final};
//@ expect terminates;
"""

BLOCK_SUM = """
constexpr int T = {threads};
__device__ int in[T * {blocks}], out[{blocks}];
__global__ void k() {{
    __shared__ int tile[T];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * T + t];
    __syncthreads();
    for (int step = T / 2; step > 0; step /= 2) {{
        if (t < step) tile[t] += tile[t + step];
        {barrier}
    }}
    if (t == 0) out[blockIdx.x] = tile[0];
}}
int main() {{
    for (int i = 0; i < T * {blocks}; ++i) in[i] = 1;
    k<<<{blocks}, T>>>();
    cudaDeviceSynchronize();
}}
""", "out[0] == T"  # fmt: skip

HISTOGRAM = """
constexpr int T = {threads}, BINS = 16;
__device__ int in[T * {blocks}], out[BINS];
__global__ void k() {{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    if (t < BINS) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * T + t]], 1);
    {barrier}
    if (t < BINS) atomicAdd(&out[t], bins[t]);
}}
int main() {{
    for (int i = 0; i < T * {blocks}; ++i) in[i] = i % BINS;
    k<<<{blocks}, T>>>();
    cudaDeviceSynchronize();
}}
""", "out[3] == T * {blocks} / BINS"  # fmt: skip

TRANSPOSE = """
constexpr int ROWS = {threads} / 16;
__device__ int in[{blocks}][ROWS][16], out[{blocks}][16][ROWS];
__global__ void k() {{
    __shared__ int tile[ROWS][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = in[blockIdx.x][y][x];
    {barrier}
    int column = threadIdx.x % ROWS, row = threadIdx.x / ROWS;
    out[blockIdx.x][row][column] = tile[column][row];
}}
int main() {{
    for (int b = 0; b < {blocks}; ++b)
        for (int y = 0; y < ROWS; ++y)
            for (int x = 0; x < 16; ++x) in[b][y][x] = 100 * y + x;
    k<<<{blocks}, {threads}>>>();
    cudaDeviceSynchronize();
}}
""", "out[0][5][1] == 105"  # fmt: skip

DOUBLE_BUFFER = """
constexpr int T = {threads};
__device__ int in[T * {blocks}], out[T * {blocks}];
__global__ void k() {{
    __shared__ int tile[2][T];
    int t = threadIdx.x, sum = 0;
    tile[0][t] = in[blockIdx.x * T + t];
    __syncthreads();
    for (int turn = 0; turn < 4; ++turn) {{
        if (turn < 3) tile[(turn + 1) % 2][t] = tile[turn % 2][t] + 1;
        sum += tile[turn % 2][(t + 1) % T];
        {barrier}
    }}
    out[blockIdx.x * T + t] = sum;
}}
int main() {{
    for (int i = 0; i < T * {blocks}; ++i) in[i] = i;
    k<<<{blocks}, T>>>();
    cudaDeviceSynchronize();
}}
""", "out[0] == 10"  # fmt: skip

WARP_REDUCTION = """
constexpr int T = {threads}, WARPS = T / 32;
__device__ int in[T * {blocks}], out[{blocks}];
__global__ void k() {{
    __shared__ int partial[WARPS];
    int t = threadIdx.x, sum = in[blockIdx.x * T + t];
    for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t % 32 == 0) partial[t / 32] = sum;
    {barrier}
    if (t == WARPS) {{
        int all = 0;
        for (int w = 0; w < WARPS; ++w) all += partial[w];
        out[blockIdx.x] = all;
    }}
}}
int main() {{
    for (int i = 0; i < T * {blocks}; ++i) in[i] = 1;
    k<<<{blocks}, T>>>();
    cudaDeviceSynchronize();
}}
""", "out[0] == T"  # fmt: skip

LAST_BLOCK = """
constexpr int T = {threads};
__device__ int in[T * {blocks}], partial[{blocks}], total;
__device__ unsigned arrived;
__global__ void k() {{
    __shared__ int tile[T];
    __shared__ bool last;
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * T + t];
    __syncthreads();
    for (int step = T / 2; step > 0; step /= 2) {{
        if (t < step) tile[t] += tile[t + step];
        {barrier}
    }}
    if (t == 0) {{
        partial[blockIdx.x] = tile[0];
        __threadfence();
        last = atomicAdd(&arrived, 1) == {blocks} - 1;
        __threadfence();
    }}
    __syncthreads();
    if (last) {{
        if (t < {blocks}) tile[t] = partial[t];
        __syncthreads();
        if (t == 0) {{
            int sum = 0;
            for (int i = 0; i < {blocks}; ++i) sum += tile[i];
            total = sum;
        }}
    }}
}}
int main() {{
    for (int i = 0; i < T * {blocks}; ++i) in[i] = 1;
    k<<<{blocks}, T>>>();
    cudaDeviceSynchronize();
}}
""", "total == T * {blocks}"  # fmt: skip

KERNELS = {
    "block sum": BLOCK_SUM,
    "histogram": HISTOGRAM,
    "tiled transpose": TRANSPOSE,
    "double-buffered tile": DOUBLE_BUFFER,
    "warp reduction": WARP_REDUCTION,
    "last-block reduction": LAST_BLOCK,
}
SIZES = ((2, 32), (4, 256))


def text(name: str, blocks: int, threads: int, *, barrier: bool = True) -> str:
    """A kernel at a size."""
    kernel, final = KERNELS[name]
    filled = kernel.format(blocks=blocks, threads=threads, barrier="__syncthreads();" if barrier else "")
    return filled + _ASKED.format(final=final.format(blocks=blocks))


def measured(file: Path, limit: float) -> tuple[str, float, int]:
    """The verdicts of a file, CPU seconds and peak memory in MB of the call that asks for them."""
    command = [
        sys.executable,
        "-m",
        "scopec.cli",
        "check",
        "--engine",
        "embedded",
        "--no-cache",
        "--timeout",
        str(limit),
    ]
    done = subprocess.Popen([*command, str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.stdout is not None
    lines = done.stdout.read().splitlines()
    _, status, used = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    return lines[-1] if lines else "", used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="the first letters of its name")
    parser.add_argument("--size", metavar="B,T", help="blocks and threads, instead of 2,32 and 4,256")
    parser.add_argument("--limit", type=float, default=120, help="seconds a question may take (default 120)")
    options = parser.parse_args()
    sizes = SIZES if options.size is None else (tuple(map(int, options.size.split(","))),)
    print("| kernel | launch | barrier | CPU s | MB | |\n|---|---|---|--:|--:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in KERNELS:
            if options.kernels and not any(name.startswith(k) for k in options.kernels):
                continue
            for blocks, threads in sizes:
                for barrier in (True, False):
                    file = Path(folder) / "program.cu"
                    file.write_text(text(name, blocks, threads, barrier=barrier))
                    said, seconds, memory = measured(file, options.limit)
                    there = "" if barrier else "missing"
                    print(
                        f"| {name} | <<<{blocks}, {threads}>>> | {there} | {seconds:.1f} | {memory} | {said} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
