"""Inline PTX beside the same in CUDA C++ and in litmus files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from scopec.session.check import Settings
from scopec.session.final_states import listings
from scopec.session.plan import Overrides, plan
from tests.agreement import agreed, differences
from tests.samples import programs
from tests.test_clang_asm import BY_CLANG, LOAD, RELAXED_LOAD, STORE, answers, asm, send

# ---------------------------------------------------------------- the same in CUDA C++

#: A statement of inline PTX and one of CUDA C++ that says the same.
ALIKE = [
    (STORE, "F(f).store(1, cuda::memory_order_release);"),
    (RELAXED_LOAD, "r = F(f).load(cuda::memory_order_relaxed);"),
    (LOAD, "r = F(f).load(cuda::memory_order_acquire);"),
    (asm("ld.acquire.sys.u32 %0, [%1];", ': "=r"(r) : "l"(&f) :'),
     "r = cuda::atomic_ref<unsigned>(f).load(cuda::memory_order_acquire);"),
    (asm("ld.global.u32 %0, [%1];", ': "=r"(r) : "l"(&f) :'), "r = f;"),
    (send("red.release.gpu.global.add.u32 [%0], %1;"), "F(f).fetch_add(1, cuda::memory_order_release);"),
    (asm("atom.max.acq_rel.cta.u32 %0, [%1], 3;", ': "=r"(r) : "l"(&f) :'),
     "r = cuda::atomic_ref<unsigned, cuda::thread_scope_block>(f).fetch_max(3, cuda::memory_order_acq_rel);"),
    (asm("atom.exch.b32 %0, [%1], 3;", ': "=r"(r) : "l"(&f) :'), "r = atomicExch(&f, 3u);"),
    (asm("fence.acq_rel.gpu;"), "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);"),
    (asm("fence.acquire.gpu;"), "cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);"),
    (asm("fence.release.cta;"), "cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);"),
    (asm("fence.sc.sys;"), "__threadfence_system();"),
    (asm("membar.gl;"), "__threadfence();"),
    (asm("membar.cta;"), "__threadfence_block();"),
    (asm("bar.sync 0;"), "__syncthreads();"),
    (asm("bar.warp.sync 0x3;"), "__syncwarp(3);"),
    (asm("nanosleep.u32 100;"), "__nanosleep(100);"),
]  # fmt: skip
SAME = """#include <cuda/atomic>
using F = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__device__ unsigned f, x;
__global__ void k() {
    unsigned r = 0;
    STATEMENT
    x = r;
}
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("ptx", "cplusplus"), ALIKE, ids=[cplusplus for _, cplusplus in ALIKE])
def test_inline_ptx_is_what_cuda_says(ptx: str, cplusplus: str, write: Callable[..., Path]) -> None:
    (one,), (other,) = (
        plan(path, "program.cu", BY_CLANG).runs
        for path in (
            write(SAME.replace("STATEMENT", text), f"{n}/program.cu") for n, text in enumerate((ptx, cplusplus))
        )
    )
    assert differences(agreed(one.graph), agreed(other.graph)) == []


# ---------------------------------------------------------------- the same in litmus files

PROGRAMS = programs(20, 60) // 5


def instruction(random: Random, register: str) -> tuple[str, str]:
    """An instruction as litmus files write it, and the statement that it is inline; it may set a register."""
    scope, place, value = random.choice(["cta", "gpu", "gpu", "sys"]), random.choice("xy"), random.randint(1, 2)
    match random.choice(["ld", "ld", "st", "st", "atom", "red", "fence"]):
        case "ld":
            mode = random.choice(["weak", f"relaxed.{scope}", f"acquire.{scope}", "volatile"])
            text = asm(f"ld.{mode}.s64 %0, [%1];", f': "=l"({register}) : "l"(&{place}) :')
            return f"ld.{mode} {register}, {place}", text
        case "st":
            mode = random.choice(["weak", f"relaxed.{scope}", f"release.{scope}", "volatile"])
            return f"st.{mode} {place}, {value}", asm(f"st.{mode}.s64 [%0], {value};", f':: "l"(&{place}) :')
        case "fence":
            fence = random.choice([f"fence.acq_rel.{scope}", f"fence.sc.{scope}", "membar.gl", "membar.cta"])
            return fence, asm(f"{fence};")
        case update:
            order = random.choice(["", ".relaxed", ".acquire", ".release", ".acq_rel"])
            operation = random.choice(["add", "exch", "cas", "max", "or"])
            whole = f"{update}{order}{f'.{scope}' if order else ''}.{operation}"
            operands = f"{value - 1}, {value}" if operation == "cas" else f"{value}"
            type_ = "b64" if operation in ("exch", "cas", "or") else "u64"
            target, result = (f"{register}, ", "%0, ") if update == "atom" else ("", "")
            text = asm(f"{whole}.{type_} {result}[%1], {operands};", f': "=l"({register}) : "l"(&{place}) :')
            if not target:
                text = asm(f"{whole}.{type_} [%0], {operands};", f':: "l"(&{place}) :')
            return f"{whole} {target}{place}, {operands}", text


def ends(path: Path) -> list[dict[str, int]]:
    """The final states of a file under ``ptx``."""
    settings = Settings(overrides=Overrides(model="ptx", reader="clang"), engine="embedded", timeout=60)
    (listing,) = listings(path, settings, 20_000)[0]
    assert listing.unfinished == ()
    return [dict(state.values) for state in listing.states]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(PROGRAMS))
def test_litmus_files_mean_the_same(number: int, write: Callable[..., Path]) -> None:
    random = Random(number)
    together = random.random() < 0.3  # in one block
    columns, threads = [], []
    for thread in range(2):
        code = [instruction(random, f"r{n}") for n in range(3)]
        columns.append([litmus for litmus, _ in code])
        condition = f"{'threadIdx' if together else 'blockIdx'}.x == {thread}"
        threads.append(f"if ({condition}) {{ {' '.join(text for _, text in code)} }}")
    heads = " | ".join(f"P{n}@cta {0 if together else n},gpu 0" for n in range(2))
    rows = "\n".join(f"{' | '.join(row)} ;" for row in zip(*columns, strict=True))
    litmus = write(f"PTX t\n{{ x = 0; y = 0; }}\n{heads} ;\n{rows}\nexists (x=0)", "t.litmus")
    inline = write(
        "__device__ long long x, y;\n__global__ void k() {\n    long long r0 = 0, r1 = 0, r2 = 0;\n    "
        + "\n    ".join(threads)
        + f"\n}}\nint main() {{ k<<<{'1, 2' if together else '2, 1'}>>>(); cudaDeviceSynchronize(); }}\n"
        "//@ expect allowed x == 0;\n"
    )
    found, others = ends(litmus), ends(inline)
    thread_of = "k[0][{}].{}" if together else "k[{}][0].{}"
    names = {name: thread_of.format(*name.split(":")) if ":" in name else name for name in found[0]}
    assert {tuple(state[name] for name in names) for state in found} == {
        tuple(state[name] for name in names.values()) for state in others
    }


UNKNOWN = """
__device__ int flag, odd;
__device__ float f;
__device__ unsigned ticks() {
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    return now;
}
__global__ void k() {
    while (*(volatile int*)&flag == 0) {
        if (TEST) break;
    }
}
//@ launch k<<<1, 1>>>();
//@ expect may_hang;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("test", ["f < 0", "!(f < 0)", "f >= 0", "ticks() == 7", "ticks() != 7", "ticks() > 1000"])
def test_what_is_unknown_may_be_the_same_for_ever(test: str, write: Callable[..., Path]) -> None:
    """A clock that is looked at may not end a wait; whether a number does is not known."""
    assert answers(write(UNKNOWN.replace("TEST", test))) == ["holds" if "ticks" in test else "unknown"]
    assert answers(write(UNKNOWN.replace("TEST", f"odd == 0 || {test}").replace("may_hang", "terminates"))) == ["holds"]
