"""Random kernels of one or two blocks that meet at barriers, everywhere or on some paths, as CUDA C++."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

OBJECTS = ("h", "g[0]", "g[1]")
_PLACES = ("g[0]", "g[1]", "g[t]", "s[0]", "s[1]", "s[t]", "s[t ^ 1]", "h", "q")
_ORDERS = {
    "load": ("relaxed", "relaxed", "acquire", "seq_cst"),
    "store": ("relaxed", "relaxed", "release", "seq_cst"),
    "update": ("relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    "fence": ("acquire", "release", "acq_rel", "seq_cst"),
}


@dataclass
class _Kernel:
    chance: random.Random
    threads: int
    budget: float = 10
    registers: int = 0
    waits: bool = False
    lines: list[str] = field(default_factory=list)

    def add(self, line: str, depth: int, cost: float = 1) -> None:
        self.lines.append("    " * (depth + 1) + line)
        self.budget -= cost

    def register(self) -> str:
        self.registers += 1
        return f"r{self.registers}"

    def order(self, kind: str) -> str:
        return f"cuda::memory_order_{self.chance.choice(_ORDERS[kind])}"

    def scope(self) -> str:
        return "cuda::thread_scope_" + self.chance.choice(["device"] * 5 + ["block"] * 2 + ["system", "thread"])

    def atomic(self, place: str | None = None) -> str:
        return f"cuda::atomic_ref<int, {self.scope()}>({place or self.chance.choice(_PLACES)})"

    def value(self, known: list[str]) -> str:
        return self.chance.choice([*known, *(f"{r} + 1" for r in known[-1:]), "t", "1", "2"])

    def condition(self, known: list[str]) -> str:
        if known and self.chance.random() < 0.6:
            return f"{self.chance.choice(known)} {self.chance.choice(['==', '!='])} {self.chance.choice('001')}"
        return f"t == {self.chance.randrange(self.threads)}"

    def access(self, known: list[str], depth: int) -> None:
        place, function = self.chance.choice(_PLACES), self.chance.choice(["add", "add", "sub", "or", "max"])
        update = f"{self.atomic()}.fetch_{function}({self.value(known)}, {self.order('update')});"
        kinds: list[Callable[[], tuple[str, float]]] = [
            lambda: (f"int {self.register()} = {place};", 1),
            lambda: (f"{place} = {self.value(known)};", 1),
            lambda: (f"int {self.register()} = {self.atomic()}.load({self.order('load')});", 1),
            lambda: (f"{self.atomic()}.store({self.value(known)}, {self.order('store')});", 1),
            lambda: (f"int {self.register()} = {update}", 2),
            lambda: (update, 2),
            lambda: (f"cuda::atomic_thread_fence({self.order('fence')}, {self.scope()});", 1),
        ]
        before = self.registers
        line, cost = self.chance.choices(kinds, (28, 28, 10, 10, 6, 8, 10))[0]()
        self.add(line, depth, cost)
        if self.registers > before:
            known.append(f"r{self.registers}")

    def broadcast(self, known: list[str], same: list[str], depth: int) -> None:
        """One thread reads for all."""
        self.add(
            f"if (t == 0) b{depth} = {self.atomic(self.chance.choice(OBJECTS))}.load({self.order('load')});", depth
        )
        self.add("__syncthreads();", depth)
        register = self.register()
        self.add(f"int {register} = b{depth};", depth)
        self.add("__syncthreads();", depth)
        known.append(register)
        same.append(register)

    def body(self, known: list[str], same: list[str], depth: int, *, uniform: bool) -> None:
        """Statements; ``same`` are registers that have one value in a block, ``uniform`` whether all come here."""
        known, same = list(known), list(same)
        for _ in range(self.chance.choice((1, 2, 2, 3) if depth else (3, 4, 5))):
            kind = self.chance.random()
            if self.budget <= 0:
                return
            if kind < 0.5 or (depth == 2 and kind > 0.75):
                self.access(known, depth)
            elif kind < 0.75:
                if uniform or self.chance.random() < 0.3:
                    self.add(self.chance.choice(["__syncthreads();"] * 3 + ["__syncwarp();"]), depth, 0.5)
            elif kind < 0.83 and uniform:
                self.broadcast(known, same, depth)
            elif kind < 0.97:
                together = uniform and bool(same) and self.chance.random() < 0.75
                self.add(f"if ({self.condition(same if together else known)}) {{", depth, 0)
                self.body(known, same, depth + 1, uniform=together)
                self.add("}", depth, 0)
            elif depth == 0:
                self.add(f"if ({self.condition(known)}) return;", depth)


def text(seed: int) -> str:
    """A program: a kernel, its launch, and a dozen expectations of which some hold."""
    chance = random.Random(seed)
    blocks, threads = chance.choice([(1, 2), (1, 2), (1, 4), (2, 2), (2, 2)])
    kernel = _Kernel(chance, threads)
    kernel.body([], [], 0, uniform=True)
    if chance.random() < 0.3:
        kernel.add(f"while ({kernel.atomic()}.load({kernel.order('load')}) == {chance.choice('01')});", 0)
    asked = [
        f"{kind} {one} == {chance.randrange(3)} && {other} == {chance.randrange(3)}"
        for kind in ("allowed", "required", "allowed")
        for one, other in [chance.sample(OBJECTS, 2)]
    ]
    races = ["races = ignore"] if chance.random() < 0.5 else []
    lines = [
        "#include <cuda/atomic>",
        f"__device__ int g[{threads}], h;",
        "__global__ void k() {",
        f"    __shared__ int s[{threads}], q, b0, b1, b2;",
        "    int t = threadIdx.x;",
        *kernel.lines,
        "}",
        f"//@ launch k<<<{blocks}, {threads}>>>();",
        *(f"//@ options {option};" for option in races),
        *(f"//@ expect {what};" for what in ("race_free", "race on g", "race on s", "terminates", *asked)),
    ]
    return "\n".join(lines) + "\n"
