"""Programs to measure with: a litmus set, and families that grow with one number."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

_ORDERS = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}
#: For each classical test its threads (W: store 1, L: load, P: plain write, Q: plain read) and the outcome asked for,
#: over the values loaded in the order written.
_SHAPES: dict[str, tuple[list[str], str]] = {
    "mp": (["Wx Wy", "Ly Lx"], "a == 1 && b == 0"),
    "sb": (["Wx Ly", "Wy Lx"], "a == 0 && b == 0"),
    "lb": (["Lx Wy", "Ly Wx"], "a == 1 && b == 1"),
    "s": (["Px Wy", "Ly Px"], "a == 1"),
    "r": (["Wx Wy", "Wy Lx"], "a == 0"),
    "2+2w": (["Wx Wy", "Wy Wx"], "x == 1"),
    "wrc": (["Wx", "Lx Wy", "Ly Lx"], "a == 1 && b == 1 && c == 0"),
    "isa2": (["Px Wy", "Ly Wz", "Lz Qx"], "a == 1 && b == 1 && c == 0"),
    "iriw": (["Wx", "Wy", "Lx Ly", "Ly Lx"], "a == 1 && b == 0 && c == 1 && d == 0"),
    "3.sb": (["Wx Ly", "Wy Lz", "Wz Lx"], "a == 0 && b == 0 && c == 0"),
}


def litmus() -> Iterator[tuple[str, str]]:
    """Names and texts: each shape under each pair of orders, in one block and in several, at block and device scope."""
    for name, (threads, outcome) in _SHAPES.items():
        for load, store, (scope, blocks) in itertools.product(
            _ORDERS["load"], _ORDERS["store"], (("device", True), ("block", False))
        ):
            yield f"{name}-{load}-{store}-{scope}", _litmus(threads, outcome, load, store, scope, blocks)


def _litmus(threads: list[str], outcome: str, load: str, store: str, scope: str, blocks: bool) -> str:
    letters = iter("abcd")
    place = "blockIdx.x" if blocks else "threadIdx.x"
    bodies, named = [], outcome
    for number, steps in enumerate(threads):
        lines = []
        for kind, location in steps.split():
            if kind in "LQ":
                letter = next(letters)
                value = f"{location}.load(cuda::memory_order_{load})" if kind == "L" else f"p{location}"
                lines.append(f"int {letter} = {value};")
                thread = f"k[{number}][0]" if blocks else f"k[0][{number}]"
                named = named.replace(f"{letter} ==", f"{thread}.{letter} ==")
            else:
                written = f"{location}.store(1, cuda::memory_order_{store});" if kind == "W" else f"p{location} = 1;"
                lines.append(written)
        bodies.append(f"if ({place} == {number}) {{ {' '.join(lines)} }}")
    launch = f"{len(threads)}, 1" if blocks else f"1, {len(threads)}"
    return (
        f"#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_{scope}> x{{0}}, y{{0}}, z{{0}};\n"
        f"__device__ int px = 0;\n__global__ void k() {{ {' else '.join(bodies)} }}\n//@ launch k<<<{launch}>>>();\n"
        f"//@ options races = ignore;\n//@ expect race_free;\n//@ expect forbidden {named};\n"
    )


def chain(hops: int) -> str:
    """Message passing through ``hops`` threads: about six events a thread."""
    flags = "".join(f"__device__ cuda::atomic<int, cuda::thread_scope_device> f{i}{{0}};\n" for i in range(hops + 1))
    bodies = []
    for i in range(hops):
        wait = f"while (f{i}.load(cuda::memory_order_acquire) == 0); int r{i} = x; " if i else ""
        bodies.append(f"if (blockIdx.x == {i}) {{ {wait}x = {i + 1}; f{i + 1}.store(1, cuda::memory_order_release); }}")
    return (
        f"#include <cuda/atomic>\n__device__ int x = 0;\n{flags}__global__ void k() {{ {' '.join(bodies)} }}\n"
        f"//@ launch k<<<{hops}, 1>>>();\n//@ expect race_free;\n"
        f"//@ expect required k[{hops - 1}][0].r{hops - 1} == {hops - 1};\n"
    )


def lock(contenders: int) -> str:
    """A spin lock around a counter."""
    return (
        "#include <cuda/atomic>\n__device__ int n = 0;\n__device__ cuda::atomic<int, cuda::thread_scope_device> l{0};\n"
        "__global__ void k() { while (l.exchange(1, cuda::memory_order_acquire) == 1); n = n + 1; "
        f"l.store(0, cuda::memory_order_release); }}\n//@ launch k<<<{contenders}, 1>>>();\n"
        f"//@ expect race_free;\n//@ expect required n == {contenders};\n"
    )


def counter(threads: int) -> str:
    """``fetch_add`` by each thread."""
    return (
        "#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_device> n{0};\n"
        "__global__ void k() { n.fetch_add(1, cuda::memory_order_relaxed); }\n"
        f"//@ launch k<<<{threads}, 1>>>();\n//@ expect race_free;\n//@ expect required n == {threads};\n"
    )


def steps(threads: int, operations: int) -> str:
    """Threads of one block with atomic operations on two locations, for the progress question."""
    body = " ".join(
        f"{'xy'[i % 2]}.store({i + 1}, cuda::memory_order_relaxed);" if i % 3 else "x.load(cuda::memory_order_relaxed);"
        for i in range(operations)
    )
    return (
        "#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};\n"
        f"__global__ void k() {{ {body} while (y.load(cuda::memory_order_relaxed) < 0); }}\n"
        f"//@ launch k<<<1, {threads}>>>();\n//@ expect terminates;\n//@ options races = ignore;\n"
    )


def c_litmus() -> Iterator[tuple[str, str]]:
    """The shapes as C litmus files, under each pair of orders, stores also as exchanges; herd7 reads them too."""
    for name, (threads, outcome) in _SHAPES.items():
        for load, store, exchange in itertools.product(_ORDERS["load"], _ORDERS["store"], (False, True)):
            title = f"{name}-{load}-{store}{'-rmw' if exchange else ''}"
            yield title, _c_litmus(title, threads, outcome, load, store, exchange)


def _c_litmus(title: str, threads: list[str], outcome: str, load: str, store: str, exchange: bool) -> str:
    letters = iter("abcd")
    bodies = []
    condition = outcome.replace(" && ", " /\\ ").replace(" == ", "=")
    for number, steps in enumerate(threads):
        lines = []
        for kind, location in steps.split():
            match kind:
                case "L" | "Q":
                    letter = next(letters)
                    at = f"atomic_load_explicit({location}, memory_order_{load})" if kind == "L" else f"*p{location}"
                    lines.append(f"  int {letter} = {at};")
                    condition = condition.replace(f"{letter}=", f"{number}:{letter}=")
                case "W" if exchange:
                    lines.append(f"  atomic_exchange_explicit({location}, 1, memory_order_{store});")
                case "W":
                    lines.append(f"  atomic_store_explicit({location}, 1, memory_order_{store});")
                case _:
                    lines.append(f"  *p{location} = 1;")
        parameters = "atomic_int* x, atomic_int* y, atomic_int* z, int* px"
        bodies.append(f"P{number}({parameters}) {{\n" + "\n".join(lines) + "\n}\n")
    return f"C {title}\n{{}}\n" + "".join(bodies) + f"exists ({condition})\n"


def _c(title: str, locations: str, threads: list[list[str]], condition: str) -> str:
    """A C litmus file of loads (`r = load x acquire`), stores (`store x 1 release`) and additions (`r = add x 1`)."""
    parameters = ", ".join(f"atomic_int* {name}" for name in locations.split())
    bodies = []
    for number, steps in enumerate(threads):
        lines = []
        for step in steps:
            register, _, call = step.rpartition(" = ")
            what, location, *operands, order = call.split()
            name = "fetch_add" if what == "add" else what
            said = ", ".join([location, *operands, f"memory_order_{order}"])
            lines.append(f"  {f'int {register} = ' if register else ''}atomic_{name}_explicit({said});")
        bodies.append(f"P{number}({parameters}) {{\n" + "\n".join(lines) + "\n}\n")
    return f"C {title}\n{{}}\n" + "".join(bodies) + f"exists ({condition})\n"


def c_ring(threads: int) -> str:
    """Store buffering: each thread stores to a location of its own and loads its neighbour's."""
    at = [f"x{i}" for i in range(threads)]
    bodies = [[f"store {at[i]} 1 seq_cst", f"r = load {at[(i + 1) % threads]} seq_cst"] for i in range(threads)]
    return _c(f"ring-{threads}", " ".join(at), bodies, _all(f"{i}:r=0" for i in range(threads)))


def c_chain(threads: int) -> str:
    """Message passing along threads without a loop: each hands on what it was told; the last reads the first's data."""
    flags = [f"f{i}" for i in range(1, threads)]
    first = ["store x 1 relaxed", "store f1 1 release"]
    between = [[f"r = load f{i} acquire", f"store f{i + 1} 1 release"] for i in range(1, threads - 1)]
    last = [f"r = load f{threads - 1} acquire", "s = load x relaxed"]
    told = [*(f"{i}:r=1" for i in range(1, threads)), f"{threads - 1}:s=0"]
    return _c(f"chain-{threads}", " ".join(["x", *flags]), [first, *between, last], _all(told))


def c_counter(threads: int) -> str:
    """``fetch_add`` by each thread; the outcome is that one addition is lost."""
    bodies = [["r = add x 1 relaxed"] for _ in range(threads)]
    return _c(f"counter-{threads}", "x", bodies, f"x={threads - 1}")


def c_iriw(readers: int) -> str:
    """Two writers, and readers of which every second reads the other way round; all acquire and release."""
    there, back = ["r = load x acquire", "s = load y acquire"], ["r = load y acquire", "s = load x acquire"]
    bodies = [["store x 1 release"], ["store y 1 release"], *(back if i % 2 else there for i in range(readers))]
    seen = _all(f"{i + 2}:r=1 /\\ {i + 2}:s=0" for i in range(readers))
    return _c(f"iriw-{readers}", "x y", bodies, seen)


def c_coherence(writes: int) -> str:
    """Relaxed writes to one location by two threads in turn, and two threads that read the last two in either order."""
    bodies = [[f"store x {n} relaxed" for n in range(1 + i, writes + 1, 2)] for i in range(2)]
    reads = ["r = load x relaxed", "s = load x relaxed"]
    n = writes
    return _c(f"coherence-{n}", "x", [*bodies, reads, reads], f"2:r={n - 1} /\\ 2:s={n} /\\ 3:r={n} /\\ 3:s={n - 1}")


def _all(parts: Iterable[str]) -> str:
    return " /\\ ".join(parts)
