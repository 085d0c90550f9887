"""Programs of mbarriers and bulk copies around a few lines, and what these are in the Program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.program import ir, types, values
from scopec.program.mbarriers import RULES
from scopec.program.program import Program
from scopec.program.show import words
from scopec.program.values import Const, Reg
from tests.conftest import program_of

HEAD = """
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
namespace experimental = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ unsigned at(void* p) { return __cvta_generic_to_shared(p); }
__device__ alignas(16) int g[8];
__device__ int unaligned[8], number;
__device__ uint64_t far_away;
"""
KERNEL = """
__global__ void k() {
    __shared__ uint64_t bar, full[2];
    __shared__ barrier object;
    __shared__ alignas(16) int s[8];
    __shared__ int odd[8];
    uint64_t state = 0;
"""
LAUNCH = """
}
//@ launch k<<<1, 1>>>();
"""


def program(lines: Iterable[str], launch: str = LAUNCH) -> Program:
    return program_of(HEAD + KERNEL + "\n".join(lines) + launch, reader="clang")


def by_line(found: Program) -> list[list[str]]:
    """What a thread does on each line: its operations, and the rules that they keep, the registers in their order."""
    lines: dict[int, list[str]] = {}
    fault = ""
    body = found.grids["k"].body
    at, seen = body.entry, set[int]()
    while at not in seen and isinstance(node := body.nodes[at], ir.Do | ir.Branch):
        seen.add(at)
        of_line = lines.setdefault(node.span.line, [])
        if isinstance(node, ir.Branch):
            at = node.then
            continue
        at, operation = node.next, node.operation
        fault = getattr(operation, "fault", fault)
        if isinstance(operation, ir.Assert):
            of_line.append(f"- {operation.text}")
            rule = next((rule for rule, text in RULES.items() if text == operation.text), None)
            if rule is not None:
                assert operation.condition == values.binary("!=", Reg(fault, types.INT), Const(rule, types.INT))
                assert operation.implicit
        elif not isinstance(operation, ir.Set):
            of_line.append(words(operation)[0])
    return [_numbered(of_line) for _, of_line in sorted(lines.items()) if of_line]


def _numbered(lines: list[str]) -> list[str]:
    names: dict[str, str] = {}
    return [re.sub(r"%\d+", lambda m: names.setdefault(m[0], f"r{len(names)}"), line) for line in lines]


def rules(*broken: ir.BarrierFault) -> list[str]:
    return [f"- {RULES[rule]}" for rule in broken]


FAULT = ir.BarrierFault
IS = rules(FAULT.NOT_INITIALISED)
TOKEN = rules(FAULT.NOT_INITIALISED, FAULT.STALE)
INIT = rules(FAULT.INITIALISED)
ARRIVES = rules(FAULT.NOT_INITIALISED, FAULT.TOO_MANY, FAULT.OVERRUN)
DROPS = rules(FAULT.NOT_INITIALISED, FAULT.COUNT, FAULT.TOO_MANY, FAULT.OVERRUN)
EXPECTS = rules(FAULT.NOT_INITIALISED, FAULT.LATE_BYTES)


def copied(there: str, from_: str, count: int = 4) -> list[str]:
    elements = ["" if not n else f"[{n}]" for n in range(count)]
    return [line for n in elements for line in (f"r0 = load {from_}{n}", f"store {there}{n} = r0")]


def statement(instruction: str) -> str:
    """An instruction in a statement, which sets `p` to the predicate P if it has one."""
    operands = {
        "T": ("+l", "state"),
        "A": ("r", "at(&bar)"),
        "S": ("r", "at(s)"),
        "G": ("l", "g"),
        "N": ("r", "number"),
        "F": ("l", "&far_away"),
    }
    used = [name for name in operands if re.search(rf"\b{name}\b", instruction)]
    names = {name: f"%{n + 1}" for n, name in enumerate(used)}
    names |= {"P": "p"}
    text = re.sub(r"\b[TASGNFP]\b", lambda m: names[m[0]], instruction)
    outs = ", ".join(['"=r"(p)', *(f'"{c}"({e})' for c, e in map(operands.get, used) if c == "+l")])
    ins = ", ".join(f'"{c}"({e})' for c, e in map(operands.get, used) if c != "+l")
    text = f"{{ .reg .pred p; {text}\\n selp.b32 %0, 1, 0, p; }}"
    return f'{{ int p; asm volatile("{text}" : {outs} : {ins} : "memory"); }}'


IN_CLUSTER = """
}
int main() {
    cudaLaunchConfig_t config = {};
    config.gridDim = 2, config.blockDim = 1;
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2, attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute, config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k);
    cudaDeviceSynchronize();
}
"""


def assert_refused(lower: Callable[[], object], code: Code, message: str, line: int) -> None:
    """That one thing is refused, on so many lines into the kernel, in words that contain a message."""
    with pytest.raises(InputError) as caught:
        lower()
    (found,) = caught.value.diagnostics
    assert found.code is code
    assert message in f"{found.message}; {found.help}"
    assert found.span.line == HEAD.count("\n") + KERNEL.count("\n") + line
