"""The programs: shapes of reads and writes, with orders, scopes, fences, kinds of access and places drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

#: Threads of writes and reads.
SHAPES = {
    "SB": "Wx Ry | Wy Rx",
    "MP": "Wx Wy | Ry Rx",
    "LB": "Rx Wy | Ry Wx",
    "S": "Wx Wy | Ry Wx",
    "R": "Wx Wy | Wy Rx",
    "2+2W": "Wx Wy | Wy Wx",
    "CoRR": "Wx | Rx Rx",
    "CoWR": "Wx Rx | Wx",
    "WRC": "Wx | Rx Wy | Ry Rx",
    "RWC": "Wx | Rx Ry | Wy Rx",
    "ISA2": "Wx Wy | Ry Wz | Rz Rx",
    "IRIW": "Wx | Wy | Rx Ry | Ry Rx",
}
#: Among which scopes of PTX one is drawn: where the threads are, with more of those that matter there.
_DRAWN = {"clusters": ("cta", "cluster", "cluster", "gpu"), "devices": ("cta", "gpu", "sys", "sys")}
_SCOPES = {"cta": "block", "gpu": "device", "sys": "system"}
_LITMUS_EACH, _CUDA_EACH, _INLINE_EACH = 10, 5, 5


def programs() -> Iterator[tuple[str, str]]:
    """The name of each file, and its text; always the same."""
    for shape, threads in SHAPES.items():
        for place in ("blocks", "block", "mixed", "clusters", "devices"):
            for number in range(_LITMUS_EACH):
                name = f"ptx-{shape}-{place}-{number}"
                yield f"{name}.litmus", _litmus(Random(name), name, threads, place)
        for place, (space, launch, who) in _PLACES.items():
            for number in range(_CUDA_EACH):
                name = f"cuda-{shape}-{place}-{number}"
                yield f"{name}.cu", _cuda(Random(name), shape, threads, space, launch, who)
        for number in range(_INLINE_EACH):
            name = f"inline-{shape}-blocks-{number}"
            yield f"{name}.cu", _inline(Random(name), shape, threads)


# ---------------------------------------------------------------- PTX


def _litmus(chance: Random, name: str, threads: str, place: str) -> str:
    numbers = count()
    columns = []
    scopes = _DRAWN.get(place, ("cta", "gpu", "gpu", "sys"))
    for thread in threads.split(" | "):
        columns.append(_instructions(chance, thread, numbers, scopes))
    blocks = {
        "blocks": list(range(len(columns))),
        "block": [0] * len(columns),
        "mixed": [chance.randint(0, 1) for _ in columns],
        "clusters": list(range(len(columns))),
        "devices": list(range(len(columns))),
    }[place]
    units = [f"cta {block},gpu {block % 2 * (place == 'devices')}" for block in blocks]
    if place == "clusters":  # two blocks each
        units = [f"cta {block},cluster {block // 2},gpu 0" for block in blocks]
    rows = [" | ".join(f"P{n}@{unit}" for n, unit in enumerate(units))]
    for n in range(max(map(len, columns))):
        rows.append(" | ".join(column[n] if n < len(column) else "" for column in columns))
    return f"PTX {name}\n{{ x = 0; y = 0; z = 0; }}\n" + "".join(f"{row} ;\n" for row in rows) + "exists true\n"


def _instructions(chance: Random, thread: str, numbers: Iterator[int], scopes: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for access in thread.split():
        if lines and chance.random() < 0.35:
            order = chance.choice(("sc", "sc", "acq_rel", "acquire", "release"))
            lines.append(f"fence.{order}.{chance.choice(scopes)}")
        lines.append(_instruction(chance, access, f"r{next(numbers)}", scopes))
    return lines


def _instruction(chance: Random, access: str, register: str, scopes: Sequence[str]) -> str:
    kind, at = access
    scope = chance.choice(scopes)
    value = chance.randint(1, 2)
    if chance.random() < 0.25:
        order = chance.choice(("relaxed", "acquire", "release", "acq_rel"))
        function = chance.choice(("add", "exch", "max")) if kind == "W" else "add"
        return f"atom.{order}.{scope}.{function} {register}, {at}, {value if kind == 'W' else 0}"
    mode = chance.choice(("weak", "volatile", f"relaxed.{scope}", f"relaxed.{scope}", f"release.{scope}"))
    if kind == "W":
        return f"st.{mode} {at}, {value}"
    return f"ld.{mode.replace('release', 'acquire')} {register}, {at}"


#: What is in inline PTX has locations of several sizes: their types in C++, their bits, and the constraints of values.
_SIZES = {"x": ("unsigned", 32, "r"), "y": ("unsigned long long", 64, "l"), "z": ("unsigned short", 16, "h")}


def _inline(chance: Random, shape: str, threads: str) -> str:
    numbers = count()
    bodies = []
    for block, thread in enumerate(threads.split(" | ")):
        lines = _instructions(chance, thread, numbers, ("cta", "gpu", "gpu", "sys"))
        text = "".join(f"        {_assembly(line)}\n" for line in lines)
        bodies.append(f"    if (blockIdx.x == {block}) {{\n{text}    }}\n")
    variables = "".join(f"__device__ {type_} {name}{{}};\n" for name, (type_, _, _) in _SIZES.items())
    return (
        f"// {shape}, drawn at random.\n{variables}\n__global__ void k() {{\n{''.join(bodies)}}}\n\n"
        f"//@ launch k<<<{len(bodies)}, 1>>>();\n//@ options races = ignore;\n"
    )


def _assembly(line: str) -> str:
    """An instruction of a litmus file as inline assembly; ``z`` is too small for one that reads and writes."""
    instruction, *operands = line.replace(",", "").split()
    if not operands:
        return f'asm volatile("{instruction};" ::: "memory");'
    at = next(operand for operand in operands if operand in _SIZES)
    type_, bits, constraint = _SIZES[at]
    if instruction.startswith("atom") and bits == 16:
        instruction, operands = "ld.relaxed.gpu", operands[:2]
    result, given = [o for o in operands if o.startswith("r")], [o for o in operands if o.isdigit()]
    instruction += f".{'b' if instruction.endswith('exch') else 'u'}{bits}"
    places = [f"%{n}" for n in range(len(operands))]
    places[len(result)] = f"[{places[len(result)]}]"
    outputs = f'"={constraint}"({result[0]})' if result else ""
    inputs = ", ".join([f'"l"(&{at})', *(f'"{constraint}"(({type_}){value})' for value in given)])
    call = f'asm volatile("{instruction} {", ".join(places)};" : {outputs} : {inputs} : "memory");'
    return f"{type_} {result[0]}; {call}" if result else call


# ---------------------------------------------------------------- CUDA C++

#: Where the locations are, how many blocks and threads there are, and which thread is of which role.
_PLACES = {
    "blocks": ("__device__", "{n}, 1", "blockIdx.x"),
    "warps": ("__device__", "1, {n} * 32", "threadIdx.x"),
    "lanes": ("__device__", "1, {n}", "threadIdx.x"),
    "shared-warps": ("__shared__", "1, {n} * 32", "threadIdx.x"),
    "shared-lanes": ("__shared__", "1, {n}", "threadIdx.x"),
    "host": ("__managed__", "{n} - 1, 1", "blockIdx.x + 1"),
}


_SHARED = """\
    __shared__ unsigned x, y, z;
    if (threadIdx.x == 0) x = y = z = 0;
    __syncthreads();
"""


def _cuda(chance: Random, shape: str, threads: str, space: str, launch: str, who: str) -> str:
    numbers = count()
    roles = threads.split(" | ")
    bodies = []
    step = 32 if "32" in launch else 1
    for role, thread in enumerate(roles):
        lines: list[str] = []
        for access in thread.split():
            if lines and chance.random() < 0.35:
                order = chance.choice(("seq_cst", "seq_cst", "acq_rel", "acquire", "release"))
                scope = chance.choice(("block", "device", "device", "system"))
                lines.append(f"cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_{scope});")
            lines.append(_statement(chance, access, f"r{next(numbers)}"))
        text = "".join(f"        {line}\n" for line in lines)
        bodies.append(f"    if ({who} == {role * step}) {{\n{text}    }}\n")
    first = "{\n" + bodies.pop(0).partition("\n")[2] if space == "__managed__" else ""
    call = f"k<<<{launch.format(n=len(roles))}>>>();"
    started = f"//@ launch {call}\n"
    if first:  # the first thread is the host's
        started = f"int main() {{\n    {call}\n    {first}    cudaDeviceSynchronize();\n}}\n\n"
    variables = f"{space} unsigned x{{}}, y{{}}, z{{}};\n" if space != "__shared__" else ""
    own = "" if variables else f"    if (threadIdx.x % {step}) return;\n{_SHARED}"
    return (
        f"// {shape}, drawn at random.\n#include <cuda/atomic>\n\n"
        "template <cuda::thread_scope S> using ref = cuda::atomic_ref<unsigned, S>;\n"
        f"{variables}\n__global__ void k() {{\n{own}{''.join(bodies)}}}\n\n"
        f"{started}//@ options races = ignore;\n"
    )


def _statement(chance: Random, access: str, register: str) -> str:
    kind, at = access
    value = chance.randint(1, 2)
    scope = chance.choice(("block", "device", "device", "system"))
    ref = f"ref<cuda::thread_scope_{scope}>({at})"
    way = chance.random()
    if way < 0.15:
        if kind == "W":
            return f"*(volatile unsigned*)&{at} = {value};"
        return f"unsigned {register} = *(volatile unsigned*)&{at};"
    if way < 0.4:
        order = chance.choice(("relaxed", "acquire", "release", "acq_rel", "seq_cst"))
        call = chance.choice(("fetch_add", "exchange", "fetch_max")) if kind == "W" else "fetch_add"
        return f"unsigned {register} = {ref}.{call}({value if kind == 'W' else 0}, cuda::memory_order_{order});"
    order = chance.choice(("relaxed", "relaxed", "release", "seq_cst"))
    if kind == "W":
        return f"{ref}.store({value}, cuda::memory_order_{order});"
    return f"unsigned {register} = {ref}.load(cuda::memory_order_{order.replace('release', 'acquire')});"
