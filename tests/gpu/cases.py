"""Small tests as scopec reads them, and as kernels that a GPU runs many times.

On a machine with a GPU, with what it shows written to tests/fixtures/h200.json, which test_observed.py reads::

    python -m tests.gpu.cases kernels observe.cu
    nvcc -O3 -std=c++17 -arch=native -I tests/gpu -o observe observe.cu
    ./observe 6000 > observed.tsv
    python -m tests.gpu.cases record observed.tsv tests/fixtures/h200.json
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, count
from pathlib import Path
from random import Random

from tests.oracles.enumerated import Op
from tests.test_against_enumeration import ptx_instruction, ptx_ops, ptx_program, small


@dataclass(frozen=True)
class Case:
    """``roles`` are the bodies of the threads in CUDA C++, over pointers ``x``, ``y`` and the array ``r`` of registers."""

    file: str
    text: str
    observables: tuple[str, ...]
    roles: tuple[str, ...]
    blocks: tuple[int, ...]


# ---------------------------------------------------------------- PTX

#: Threads of writes and reads; orders, scopes, kinds of access and fences between are drawn at random.
SHAPES = {
    "SB": "Wx Ry | Wy Rx",
    "MP": "Wx Wy | Ry Rx",
    "LB": "Rx Wy | Ry Wx",
    "S": "Wx Wy | Ry Wx",
    "R": "Wx Wy | Wy Rx",
    "2+2W": "Wx Wy | Wy Wx",
    "CoRR": "Wx | Rx Rx",
    "WRC": "Wx | Rx Wy | Ry Rx",
    "RWC": "Wx | Rx Ry | Wy Rx",
    "IRIW": "Wx | Wy | Rx Ry | Ry Rx",
}
_KINDS = {"W": ("store", "store", "exchange"), "R": ("load", "load", "add")}


def shaped(chance: Random, shape: str) -> list[list[Op]]:
    numbers = count()
    threads = []
    for thread in shape.split(" | "):
        ops: list[Op] = []
        for access in thread.split():
            if ops and chance.random() < 0.3:
                ops += ptx_ops(chance, "", "", ("fence",))
            ops += ptx_ops(chance, f"r{next(numbers)}", access[1], _KINDS[access[0]])
        threads.append(ops)
    return threads


def in_asm(op: Op, slots: dict[str, int]) -> str:
    """An instruction of the test as inline assembly."""
    match op.kind:
        case "fence":
            return f'asm volatile("{ptx_instruction(op)};" ::: "memory");'
        case "store":
            mode = f"{op.order}.{op.scope}" if op.order else "weak"
            value = "copied" if op.copies else f"{op.value}u"
            return f'asm volatile("st.{mode}.global.u32 [%0], %1;" :: "l"({op.location}), "r"({value}) : "memory");'
        case "load":
            mode = f"{op.order}.{op.scope}" if op.order else "weak"
            call = f'"ld.{mode}.global.u32 %0, [%1];" : "=r"(copied) : "l"({op.location}) : "memory"'
        case kind:
            short = {"add": "add.u32", "exchange": "exch.b32"}[kind]
            head = f'"atom.{op.order}.{op.scope}.global.{short} %0, [%1], %2;" : "=r"(copied)'
            call = f'{head} : "l"({op.location}), "r"({op.value}u) : "memory"'
    return f"asm volatile({call}); r[{slots[op.register]}] = copied;"


def ptx_test(name: str, threads: Sequence[Sequence[Op]], blocks: Sequence[int]) -> Case:
    rows = [" | ".join(f"P{n}@cta {block},gpu 0" for n, block in enumerate(blocks))]
    columns = [[ptx_instruction(op) for op in ops] for ops in threads]
    for row in range(max(map(len, columns))):
        rows.append(" | ".join(column[row] if row < len(column) else "" for column in columns))
    text = f"PTX {name}\n{{ x = 0; y = 0; }}\n" + "".join(f"{row} ;\n" for row in rows) + "exists true\n"
    reads = [(n, op.register) for n, ops in enumerate(threads) for op in ops if op.kind not in ("store", "fence")]
    slots = {register: n for n, (_, register) in enumerate(reads)}
    roles = tuple(" ".join(["[[maybe_unused]] word copied;", *(in_asm(op, slots) for op in ops)]) for ops in threads)
    observables = (*(f"{n}:{register}" for n, register in reads), "x", "y")
    return Case(f"{name}.litmus", text, observables, roles, tuple(blocks))


def ptx_tests() -> Iterator[Case]:
    for shape, threads in SHAPES.items():
        for number in range(6):
            chance = Random(f"{shape} {number}")
            ops = shaped(chance, threads)
            # Half of them across blocks alone: there the caches of multiprocessors come in.
            blocks = [chance.randint(0, 1) if number % 2 else n % 2 for n in range(len(ops))]
            yield ptx_test(f"{shape}-{number}", ops, blocks)
    for number in range(40):
        chance = Random(40_000 + number)
        ops = next(t for t in iter(lambda: ptx_program(chance), None) if small(t) and len(t) > 1)  # noqa: B023
        yield ptx_test(f"random-{number}", ops, [chance.randint(0, 1) for _ in ops])


# ---------------------------------------------------------------- CUDA C++: which dependencies hold

#: How what is stored in ``to``, or whether it is, comes from what was read.
DEPENDENCIES = {
    "none": "put({to}, 1);",
    "data": "put({to}, {r});",
    "masked": "put({to}, {r} & 1);",
    "control": "if ({r} == 1) put({to}, 1);",
    "cancelled": "put({to}, 1 + ({r} ^ {r}));",
    "multiplied": "put({to}, 1 + {r} * 0);",
    "both arms": "if ({r} == 1) put({to}, 1); else put({to}, 1);",
    "beside": "unsigned z = 0; if ({r} == 1) z = 1; put({to}, 1); z = z + 1;",
}
_LOADS = {"load": "load(", "add": "fetch_add(0, "}
_ACCESS = """\
__device__ unsigned get_{name}(unsigned& a) {{
    return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(a).{call}cuda::memory_order_relaxed);
}}
"""
_PUT = """\
__device__ void put(unsigned& a, unsigned value) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(a).store(value, cuda::memory_order_relaxed);
}
"""
#: What the kernels that a GPU runs need of the tests' own text.
FUNCTIONS = "".join(_ACCESS.format(name=load, call=call) for load, call in _LOADS.items()) + _PUT


def dependency_tests() -> Iterator[Case]:
    for load, call in _LOADS.items():
        for number, pair in enumerate(combinations_with_replacement(DEPENDENCIES, 2)):
            name = f"LB_{load}_{number}"
            bodies = [
                f"unsigned {r} = get_{load}({read}); {DEPENDENCIES[dependency].format(r=r, to=to)}"
                for r, dependency, read, to in zip(("r0", "r1"), pair, "xy", "yx", strict=True)
            ]
            text = (
                f"// Load buffering; dependencies: {', '.join(pair)}.\n#include <cuda/atomic>\n"
                f"__device__ unsigned x = 0, y = 0;\n{_ACCESS.format(name=load, call=call)}{_PUT}"
                f"__global__ void {name}() {{\n    if (blockIdx.x == 0) {{ {bodies[0]} }}\n    else {{ {bodies[1]} }}\n}}\n"
                f"//@ launch {name}<<<2, 1>>>();\n//@ expect allowed x == x;\n"
            )
            roles = tuple(
                f"{body.replace('(x', '(*x').replace('(y', '(*y')} r[{n}] = r{n};" for n, body in enumerate(bodies)
            )
            yield Case(f"{name}.cu", text, (f"{name}[0][0].r0", f"{name}[1][0].r1", "x", "y"), roles, (0, 1))


# ---------------------------------------------------------------- kernels


def kernels(tests: Sequence[Case]) -> str:
    """A program that runs the tests; its argument is the number of rounds, of 32,768 runs each."""
    parts = [f'#include <cuda/atomic>\n#include "observe.cuh"\n{FUNCTIONS}']
    table = []
    for n, test in enumerate(tests):
        cases = "\n".join(f"        case {role}: {{ {body} break; }}" for role, body in enumerate(test.roles))
        place = ", ".join(map(str, (*test.blocks, 0, 0, 0, 0)[:4]))
        parts.append(
            f"__global__ void k{n}(Round round, word* memory, word* registers) {{\n"
            f"    play_all({len(test.roles)}, make_uint4({place}), round, memory, registers,\n"
            "        [](unsigned role, word* x, word* y, word* r) { switch (role) {\n"
            f"{cases}\n        }} }});\n}}\n"
        )
        names = " ".join(test.observables)
        registers = len(test.observables) - 2
        launch = f"[](const Test&, const Round& r, word* m, word* g) {{ k{n}<<<BLOCKS, THREADS>>>(r, m, g); }}"
        table.append(f'    {{"{test.file}", "{names}", {len(test.roles)}, {registers}, {{{place}}}, {launch}}},')
    rows = "\n".join(table)
    parts.append(f"int main(int, char** argv) {{ return observe({{\n{rows}\n}}, std::atoi(argv[1])); }}\n")
    return "\n".join(parts)


def record(cases: Sequence[Case], table: Path) -> str:
    """The cases with the final states that a GPU showed, each with its count, as JSON."""
    with table.open(newline="") as file:
        seen = {row["file"]: row["seen"].split() for row in csv.DictReader(file, delimiter="\t")}
    records = [
        {
            "file": case.file,
            "text": case.text,
            "observables": list(case.observables),
            "seen": dict(state.split(":") for state in seen[case.file]),
        }
        for case in cases
    ]
    return json.dumps(records, indent=1) + "\n"


if __name__ == "__main__":
    everything = [*ptx_tests(), *dependency_tests()]
    match sys.argv[1:]:
        case ["kernels", to]:
            Path(to).write_text(kernels(everything))
        case ["record", table, to]:
            Path(to).write_text(record(everything, Path(table)))
        case _:
            sys.exit(__doc__)
