"""Random programs of two to four threads with loops that wait, count, alternate or try again, as CUDA C++."""

from __future__ import annotations

import random
from dataclasses import dataclass

LOCATIONS = ("x", "y", "z")


@dataclass(frozen=True)
class Shape:
    """What the operations of a program may be like: ``orders`` of loads, stores, read-modify-writes and fences."""

    load: tuple[str, ...] = ("relaxed", "acquire", "seq_cst")
    store: tuple[str, ...] = ("relaxed", "release", "seq_cst")
    update: tuple[str, ...] = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
    fence: tuple[str, ...] = ("acq_rel", "seq_cst")
    scopes: tuple[str, ...] = ("device", "device", "device", "block")


SEQUENTIAL = Shape(("seq_cst",), ("seq_cst",), ("seq_cst",), ("seq_cst",), ("device",))


class _Thread:
    def __init__(self, chance: random.Random, shape: Shape, budget: int) -> None:
        self.chance, self.shape, self.budget = chance, shape, budget
        self.registers = 0

    def text(self) -> list[str]:
        lines: list[str] = []
        while self.budget > 0:
            lines += self.statement(0)
        return lines

    def register(self) -> str:
        self.registers += 1
        return f"r{self.registers}"

    def order(self, kind: str) -> str:
        return f"cuda::memory_order_{self.chance.choice(getattr(self.shape, kind))}"

    def place(self) -> str:
        scope = self.chance.choice(self.shape.scopes)
        location = self.chance.choice(LOCATIONS)
        return f"cuda::atomic_ref<int, cuda::thread_scope_{scope}>({location})"

    def load(self) -> str:
        return f"{self.place()}.load({self.order('load')})"

    def update(self) -> str:
        value = self.chance.choice([0, 1, 1, 2])
        function = self.chance.choice(["exchange", "exchange", "fetch_add", "fetch_or"])
        return f"{self.place()}.{function}({value}, {self.order('update')})"

    def compared(self, value: str) -> str:
        return f"{value} {self.chance.choice(['==', '!=', '==', '!=', '<'])} {self.chance.choice([0, 0, 1, 1, 2])}"

    def statement(self, depth: int) -> list[str]:
        self.budget -= 1
        kind = self.chance.random()
        if kind < 0.34:
            return [f"{self.place()}.store({self.chance.choice([1, 1, 2, 0])}, {self.order('store')});"]
        if kind < 0.42:
            return [f"{self.update()};"]
        if kind < 0.47:
            scope = self.chance.choice(self.shape.scopes)
            return [f"cuda::atomic_thread_fence({self.order('fence')}, cuda::thread_scope_{scope});"]
        if kind < 0.62 and depth < 2:
            inner = [line for _ in range(self.chance.randint(1, 2)) for line in self.statement(depth + 1)]
            return [f"if ({self.compared(self.load())}) {{", *("    " + line for line in inner), "}"]
        if depth > 1:
            return [f"{self.place()}.store(1, {self.order('store')});"]
        return self.loop(depth)

    def loop(self, depth: int) -> list[str]:
        register = self.register()
        match self.chance.choice(["poll", "poll", "poll", "exchange", "both", "try", "flag", "count", "turns", "work"]):
            case "poll":
                return [f"while ({self.compared(self.load())}) {{ }}"]
            case "exchange":
                return [f"while ({self.compared(self.update())}) {{ }}"]
            case "both":
                return [f"while ({self.compared(self.load())} && {self.compared(self.load())}) {{ }}"]
            case "try":
                orders = f"{self.order('update')}, {self.order('load')}"
                new = self.chance.choice([f"{register} + 1", "1", "0"])
                weak = self.chance.choice(["weak", "strong"])
                return [
                    f"int {register} = {self.load()};",
                    f"while (!{self.place()}.compare_exchange_{weak}({register}, {new}, {orders})) {{ }}",
                ]
            case "flag":
                return [f"bool {register} = false;", f"while (!{register}) {register} = {self.compared(self.load())};"]
            case "count":
                return [
                    f"int {register} = 0;",
                    f"while ({self.compared(self.load())}) {{ if (++{register} == {self.chance.choice([2, 3])}) break; }}",
                ]
            case "turns":
                other = self.compared(self.load())
                return [
                    f"bool {register} = false;",
                    f"while ({self.compared(self.load())}) {{ {register} = !{register}; if ({register} && {other}) break; }}",
                ]
            case _:
                body = [line for _ in range(self.chance.randint(1, 2)) for line in self.statement(depth + 1)]
                return [f"while ({self.compared(self.load())}) {{", *("    " + line for line in body), "}"]


def program(chance: random.Random, shape: Shape = Shape()) -> str:  # a frozen default
    """A kernel whose threads, in one or two blocks, are all owed progress or not."""
    threads = chance.choice([2, 2, 2, 3, 3, 4])
    blocks = chance.choice([1, 2]) if threads % 2 == 0 else 1
    lanes = threads // blocks
    cooperative = blocks > 1 and chance.random() < 0.7
    launch = f"k<<<{blocks}, {lanes}>>>();"
    if cooperative:
        launch = f"cudaLaunchCooperativeKernel((void *)k, {blocks}, {lanes}, nullptr);"
    lines = [
        "#include <cuda/atomic>",
        *(f"__device__ int {name} = {1 if chance.random() < 0.15 else 0};" for name in LOCATIONS),
        "__global__ void k() {",
    ]
    for number in range(threads):
        body = _Thread(chance, shape, chance.randint(1, 4 if threads < 4 else 2)).text()
        lines.append(f"    if (blockIdx.x == {number // lanes} && threadIdx.x == {number % lanes}) {{")
        lines += [f"        {line}" for line in body]
        lines.append("    }")
    host = ["int main() {", f"    {launch}", "    cudaDeviceSynchronize();", "}"]
    return "\n".join([*lines, "}", *host, "//@ expect terminates;"]) + "\n"
