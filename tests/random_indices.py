"""Random kernels of C++ whose threads compute with their indices, each launched once, as one file."""

from __future__ import annotations

import random
from collections.abc import Iterator

LAUNCHES = ("1, 6", "2, 4", "3, 2", "dim3(2, 2), dim3(3, 2)", "dim3(1, 2, 2), dim3(2, 1, 2)", "2, 34")
HEAD = """
struct Pair { int first; unsigned char second; };
__device__ int a[4096], b[64][8], n, bins[8];
__device__ Pair pairs[64];
__device__ long long wide[64];
__device__ int* where[16];
__device__ constexpr int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int twice(int x) { return x < 3 ? 2 * x : x + n; }
"""
_NUMBERS = ("0", "1", "2", "3", "4", "7", "8", "31", "32", "-1", "100")


class _Kernel:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.known = ["t", "threadIdx.x", "threadIdx.y", "blockIdx.x", "i", "(int)blockDim.x", "lane"]
        self.count = 0

    def one(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def number(self, depth: int = 2) -> str:
        if not depth or self.chance.random() < 0.3:
            return self.one(*self.known) if self.chance.random() < 0.75 else self.one(*_NUMBERS)
        left, right = self.number(depth - 1), self.number(depth - 1)
        forms = (
            f"({left} + {right})", f"({left} - {right})", f"({left} * {self.one(*_NUMBERS[:6])})", f"({left} * {right})",
            f"({left} / {self.one('2', '3', '4', '8')})", f"({left} % {self.one('2', '3', '4', '8', '32')})",
            f"({left} & {self.one('1', '3', '7', '5')})", f"({left} >> {self.one('1', '2', '5')})", f"({left} ^ {right})",
            f"({left} << {self.one('1', '2')})", f"({left} | {self.one('1', '4')})", f"(- {left})", f"(~{left})",
            f"min((int){left}, (int){right})", f"({self.test(depth - 1)} ? {left} : {right})", f"(unsigned char){left}",
            f"(long long){left}", f"(unsigned){left}", f"twice({left})", f"abs((int){left})", f"table[{left} & 7]",
        )  # fmt: skip
        return self.one(*forms)

    def test(self, depth: int = 1) -> str:
        compared = f"{self.number(depth)} {self.one('==', '!=', '<', '<=', '>', '>=')} {self.number(depth)}"
        return self.one(compared, compared, f"{self.number(depth)} % 2", f"!({self.number(depth)})")

    def place(self) -> str:
        at = self.number()
        return self.one(
            f"a[{at} & 1023]", f"a[(unsigned){at} % 64]", f"a[t + {self.one('0', '1', '7', '40')}]", f"b[t & 31][{at} & 7]",
            f"pairs[t % 16].{self.one('first', 'second')}", f"wide[t % {self.one('8', '33')}]", f"local[{at} & 3]",
            "shared[lane & 31]", f"shared[(lane + {self.one(*_NUMBERS[:6])}) % 32]", "bins[t & 7]", "x", "x",
        )  # fmt: skip

    def statements(self, depth: int, indent: str = "    ") -> Iterator[str]:
        for _ in range(self.chance.randint(1, 3)):
            yield from (indent + line for line in self.statement(depth))

    def statement(self, depth: int) -> Iterator[str]:
        self.count += 1
        name, kind = f"v{self.count}", self.chance.random()
        if depth and kind < 0.25:
            yield f"if ({self.test()}) {{"
            yield from self.statements(depth - 1)
            if self.chance.random() < 0.5:
                yield "} else {"
                yield from self.statements(depth - 1)
            yield "}"
        elif depth and kind < 0.4:
            step = self.one(f"++{name}", f"{name} += {self.one('2', '3')}", f"{name} = 2 * {name} + 1")
            yield f"for (int {name} = {self.one('0', '1', 't', 'i & 3')}; {name} < {self.one('3', 't', '7', 'x')}; {step}) {{"
            yield from self.statements(depth - 1)
            yield "}"
        elif depth and kind < 0.45:
            yield f"switch ({self.number(1)}) {{ case 0: x += 1; break; case 3: {self.place()} = 5; default: x -= t; }}"
        elif kind < 0.5:
            yield f"atomicAdd(&a[{self.number()} & 63], {self.number()});"
        elif kind < 0.54:
            yield f"x += __shfl_{self.one('down', 'xor', 'up')}_sync(0xffffffff, x, {self.one('1', '2', '16')});"
        elif kind < 0.58:
            yield self.one(f"where[t & 15] = &a[{self.number(1)} & 63];", "if (where[t & 15]) x += *where[t & 15];")
        elif kind < 0.62:
            yield self.one("__syncthreads();", "__syncwarp();", f"assert({self.test()});", "x += *(&a[t] + (t & 1));")
        elif kind < 0.75:
            yield f"x = {self.number()};"
        else:
            yield f"{self.place()} = {self.one(self.number(), self.number(), self.place())};"


def text(seed: int, kernels: int = 5) -> str:
    """A file of some kernels and a directive that launches each."""
    chance, parts = random.Random(seed), [HEAD]
    for number in range(kernels):
        body = "\n".join(_Kernel(chance).statements(2))
        parts.append(
            f"__global__ void k{number}() {{\n    __shared__ int shared[32]; int local[4] = {{1, 2, 3, 4}}, x = n;\n"
            "    int lane = threadIdx.x + blockDim.x * threadIdx.y, i = threadIdx.x;\n"
            f"    int t = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
        )
        parts.append(f"//@ launch k{number}<<<{chance.choice(LAUNCHES)}>>>();\n")
    return "".join(parts)
