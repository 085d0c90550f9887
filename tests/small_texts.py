"""The programs of the brute-force checkers as CUDA C++ and as OpenCL litmus files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tests.oracles.small_threads import (
    Body,
    Cas,
    Expr,
    Fence,
    If,
    Let,
    Load,
    Loop,
    Place,
    Program,
    Rmw,
    Stmt,
    Store,
    statements,
)
from tests.random_programs import memory_places

_FETCH = {
    "exchange": "exchange",
    "+": "fetch_add",
    "-": "fetch_sub",
    "|": "fetch_or",
    "&": "fetch_and",
    "^": "fetch_xor",
}

_WORK = {"thread": "work_item", "block": "work_group", "device": "device", "system": "all_svm_devices"}


class _Dialect(Protocol):
    def plain(self, at: str) -> str: ...

    def atomic(self, operation: str, at: str, operands: str, order: str, scope: str) -> str: ...

    def exchange(self, weak: bool, at: str, operands: tuple[str, str], orders: tuple[str, str], scope: str) -> str: ...

    def fence(self, order: str, scope: str) -> str: ...


class _Cuda:
    def plain(self, at: str) -> str:
        return at

    def atomic(self, operation: str, at: str, operands: str, order: str, scope: str) -> str:
        comma = ", " if operands else ""
        return f"{self._ref(at, scope)}.{operation}({operands}{comma}cuda::memory_order_{order})"

    def exchange(self, weak: bool, at: str, operands: tuple[str, str], orders: tuple[str, str], scope: str) -> str:
        named = [*operands, *(f"cuda::memory_order_{order}" for order in orders)]
        return f"{self._ref(at, scope)}.compare_exchange_{'weak' if weak else 'strong'}({', '.join(named)})"

    def fence(self, order: str, scope: str) -> str:
        return f"cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_{scope})"

    def _ref(self, at: str, scope: str) -> str:
        return f"cuda::atomic_ref<int, cuda::thread_scope_{scope}>({at})"


class _OpenCl:
    def plain(self, at: str) -> str:
        return f"*{at}"

    def atomic(self, operation: str, at: str, operands: str, order: str, scope: str) -> str:
        comma = ", " if operands else ""
        return f"atomic_{operation}_explicit({at}, {operands}{comma}{self._ordered(order, scope)})"

    def exchange(self, weak: bool, at: str, operands: tuple[str, str], orders: tuple[str, str], scope: str) -> str:
        name = f"atomic_compare_exchange_{'weak' if weak else 'strong'}_explicit"
        return (
            f"{name}({at}, &{operands[0]}, {operands[1]}, memory_order_{orders[0]}, {self._ordered(orders[1], scope)})"
        )

    def fence(self, order: str, scope: str) -> str:
        return f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {self._ordered(order, scope)})"

    def _ordered(self, order: str, scope: str) -> str:
        return f"memory_order_{order}, memory_scope_{_WORK[scope]}"


def registers(body: Body) -> list[str]:
    """The registers that a thread assigns."""
    found = set()
    for statement in statements(body):
        if isinstance(statement, Load | Rmw | Cas | Let):
            found.add(statement.reg)
        if isinstance(statement, Cas):
            found.add(statement.success)
    return sorted(found - {""})


@dataclass(frozen=True)
class _Writer:
    """Writes the statements of one thread; the registers' names end with the thread's number."""

    thread: int
    dialect: _Dialect

    def block(self, body: Body) -> str:
        return f"{{ {' '.join(map(self.statement, body))} }}"

    def value(self, value: Expr) -> str:
        match value:
            case int():
                return str(value)
            case str():
                return f"{value}{self.thread}"
            case (operator, left, right):
                return f"({self.value(left)} {operator} {self.value(right)})"

    def place(self, at: Place) -> str:
        return at if isinstance(at, str) else f"{at.array}[{self.value(at.index)}]"

    def statement(self, statement: Stmt) -> str:
        value, place, dialect = self.value, self.place, self.dialect
        match statement:
            case Let(reg, expr):
                return f"{value(reg)} = {value(expr)};"
            case If(condition, then, otherwise):
                text = f"if ({value(condition)}) {self.block(then)}"
                return f"{text} else {self.block(otherwise)}" if otherwise else text
            case Loop(body, again):
                return f"do {self.block(body)} while ({value(again)});"
            case Fence(order, scope):
                return f"{dialect.fence(order, scope)};"
            case Load(reg, at, None):
                return f"{value(reg)} = {dialect.plain(place(at))};"
            case Load(reg, at, order, scope):
                return f"{value(reg)} = {dialect.atomic('load', place(at), '', str(order), scope)};"
            case Store(at, expr, None):
                return f"{dialect.plain(place(at))} = {value(expr)};"
            case Store(at, expr, order, scope):
                return f"{dialect.atomic('store', place(at), value(expr), str(order), scope)};"
            case Rmw(reg, at, operator, operand, order, scope):
                return f"{value(reg)} = {dialect.atomic(_FETCH[operator], place(at), value(operand), order, scope)};"
            case Cas(reg, at, expected, desired, order, failure, scope, success, weak):
                operands = value(reg), value(desired)
                call = dialect.exchange(weak, place(at), operands, (order, failure), scope)
                result = f"{value(success)} = {call};" if success else f"{call};"
                return f"{value(reg)} = {value(expected)}; {result}"


def cuda_text(program: Program, *, cooperative: bool = False) -> str:
    """One kernel, launched by a directive, or cooperatively by a `main`."""
    blocks = list(dict.fromkeys(t.block for t in program.threads))
    places = memory_places(program.declared())
    widest = max(lane for _, lane in places) + 1
    elements = [str(value) for name, value in program.locations.items() if "[" in name]
    lines = [f"__device__ int {name} = {value};" for name, value in program.locations.items() if "[" not in name]
    if elements:
        lines.append(f"__device__ int a[{len(elements)}] = {{{', '.join(elements)}}};")
    lines.append("__global__ void k() {")
    for n, (thread, (block, lane)) in enumerate(zip(program.threads, places, strict=True)):
        writer = _Writer(n, _Cuda())
        lines.append(f"  if (blockIdx.x == {block} && threadIdx.x == {lane}) {{")
        lines += [f"    int {reg}{n} = -1;" for reg in registers(thread.body)]
        lines += [f"    {writer.statement(statement)}" for statement in thread.body]
        lines.append("  }")
    lines.append("}")
    if cooperative:
        launch = f"cudaLaunchCooperativeKernel((void*)k, dim3({len(blocks)}), dim3({widest}), nullptr, 0, 0);"
        lines.append(f"int main() {{ {launch} cudaDeviceSynchronize(); }}")
    else:
        lines.append(f"//@ launch k<<<{len(blocks)}, {widest}>>>();")
    return "\n".join(lines) + "\n"


def opencl_text(program: Program) -> str:
    """A litmus file; each location is a parameter of every thread."""
    blocks = list(dict.fromkeys(t.block for t in program.threads))
    parameters = ", ".join(f"global atomic_int* {name}" for name in program.locations)
    lines = ["OPENCL program", "{ " + " ".join(f"{name} = {v};" for name, v in program.locations.items()) + " }"]
    for n, thread in enumerate(program.threads):
        writer = _Writer(n, _OpenCl())
        lines.append(f"P{n}@wg {blocks.index(thread.block)}, dev 0 ({parameters}) {{")
        lines += [f"  int {reg}{n} = -1;" for reg in registers(thread.body)]
        lines += [f"  {writer.statement(statement)}" for statement in thread.body]
        lines.append("}")
    first = next(iter(program.locations))
    return "\n".join([*lines, f"exists ({first}=0)"]) + "\n"
