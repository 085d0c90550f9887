"""Waits that count their turns, or look at a clock: where that is left open, and that it changes no answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.program import ir
from scopec.program.loops import passes
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.conftest import check_text, verdicts

HEAD = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag, stop;
__device__ int data, out;
__device__ float real;
"""
KERNEL = """__global__ void k() {
    if (blockIdx.x == 0) { SEND }
    else { WAIT out = 1 + data; }
}
"""
COOPERATIVE = """int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(1), none, 0, 0);
    cudaDeviceSynchronize();
}
"""
ASKED = """//@ bound unroll = 5;
//@ expect race;
//@ expect required out == 2;
//@ expect allowed out == 1;
//@ expect terminates;
"""
SEND = "data = 1; flag.store(1, cuda::memory_order_release);"
SEEN = "flag.load(cuda::memory_order_acquire)"
LOOKS = (
    f"int n = 0; while ({SEEN} == 0) if (++n == LIMIT) {{ n = 0; if (stop.load()) break; }}",
    f"unsigned n = 0; while (!{SEEN}) {{ if (n++ > LIMIT) {{ n = 0; if (stop.load()) return; }} }}",
    f"int n = 0; while ({SEEN} == 0) if (n++ % LIMIT == LIMIT - 1 && stop.load()) break;",
)
GIVES_UP = (
    f"for (int n = 0; n < LIMIT; ++n) if ({SEEN}) break;",
    f"int left = LIMIT; while ({SEEN} == 0 && --left > 0) __nanosleep(10);",
    f"int n = 0; while ({SEEN} == 0) if (++n >= LIMIT) return;",
)
SENDS = (
    SEND,
    "data = 1; flag.store(1, cuda::memory_order_relaxed);",
    f"stop.store(1); {SEND}",
    "stop.store(1);",
)


def text_of(wait: str, send: str, limit: int) -> str:
    kernel = KERNEL.replace("WAIT", wait.replace("LIMIT", str(limit))).replace("SEND", send)
    return HEAD + kernel + COOPERATIVE + ASKED


def left_open(text: str, tmp_path: Path, options: str = "") -> list[str]:
    """What is left open in the kernel."""
    path = tmp_path / "program.cu"
    path.write_text(text + options)
    (run, *_) = plan(path, "program.cu", Overrides()).runs
    nodes = run.program.grids["k"].body.nodes.values()
    return sorted(n.operation.what for n in nodes if isinstance(n, ir.Do) and isinstance(n.operation, ir.Decide))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("wait", LOOKS)
def test_a_look_every_so_many_turns(wait: str, send: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a small limit, counted: the answers differ in nothing but that what is counted may be unknown."""
    far = verdicts([check_text(tmp_path, text_of(wait, send, 10_000), engine="embedded")])
    assert left_open(text_of(wait, send, 10_000), tmp_path) == ["failure"]
    monkeypatch.setattr(passes, "left_open", lambda body, _: body)
    near = verdicts([check_text(tmp_path, text_of(wait, send, 3), engine="embedded", timeout=5)])
    assert {check: found for check, found in far.items() if found == ["unknown"] != near[check]} == {}
    assert {check for check, found in near.items() if found not in (far[check], ["unknown"])} == set()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("wait", GIVES_UP)
def test_a_wait_that_gives_up(wait: str, send: str, tmp_path: Path) -> None:
    far = verdicts([check_text(tmp_path, text_of(wait, send, 100_000), engine="embedded")])
    assert left_open(text_of(wait, send, 100_000), tmp_path) == ["timeout"]
    assert left_open(text_of(wait, send, 3), tmp_path) == []
    near = verdicts([check_text(tmp_path, text_of(wait, send, 3), engine="embedded")])
    assert far == near
    assert far["terminates"] == near["terminates"] == ["holds"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "wait",
    [
        f"int n = 0; while ({SEEN} == 0) if (++n == 5000 && stop.load()) break;",  # it looks once
        f"int n = 0; while ({SEEN} == 0) {{ if (stop.load() == 2) n = 0; if (++n == 5000) return; }}",  # it may never be up
        f"int n = 0; while ({SEEN} == 0) if (++n == 5000) break; data = n;",  # what is counted is stored
        f"int n = 0; while ({SEEN} == 0) {{ if (++n == 5000) break; stop.fetch_add(1); }}",  # turns are noticed
        f"int n = 0; while ({SEEN} == 0) if (stop.load() && ++n == 5000) break;",  # not every turn counts
        f"int n = stop.load(); while ({SEEN} == 0) if (++n == 5000) break;",  # who knows what it begins with
        f"int n = 0; while ({SEEN} == 0) if (--n == 5000) break;",  # it is never up
        "for (int n = 0; n < 5000; ++n) { int a = flag.load(); if (a == flag.load()) return; }",  # a turn is made once
        f"for (int n = 0; n < 5000; ++n) {{ int a = out; if ({SEEN} == 0 || a) return; }}",  # likewise
        f"int n = 0; while ({SEEN} == 0) {{ ++n; if ((n == 300) | (n == 500)) if (stop.load()) break; }}",  # it looks twice
        f"int n = 0; while ({SEEN} == 0) if (n++ % 5000 == 0) return;",  # it gives up in the first turn
        f"int n = 0; while ({SEEN} == 0) {{ n = (unsigned char)(n + 1); if (n > 5000) return; }}",  # it is never up
        f"int n = 0; do if (n++ % 5000 == 4999 && stop.load()) break; while ({SEEN} == 0);",  # it is looked at before the last read of a turn
        "for (int n = 0; n < 5000; ++n) __nanosleep(10);",  # it waits for nothing else
        "for (int n = 0; n < 5000; ++n) data += stop.load();",  # a sum
        f"int s = 0; for (int n = 0; n < 5000; ++n) {{ s += 2; if ({SEEN}) break; }} data = s;",  # another count
        f"int s = 0; for (int n = 0; n < 5000; ++n) {{ s += stop.load(); if ({SEEN} == s) break; }}",  # another sum
    ],
)
def test_what_is_not_left_open(wait: str, tmp_path: Path) -> None:
    assert left_open(text_of(wait, SEND, 0), tmp_path) == []


def test_a_count_that_is_asked_for_is_counted(tmp_path: Path) -> None:
    text = text_of(GIVES_UP[2], SEND, 5000).replace("int n", "int turns").replace("++n", "++turns")
    assert left_open(text, tmp_path) == ["timeout"]
    assert left_open(text, tmp_path, "//@ expect forbidden k[1][0].turns == 5001;\n") == []


CLOCK = f"long long start = clock64(); while ({SEEN} == 0) if (clock64() - start > 1000000) REPORT __trap();"
#: The same in other words: a variable, floating-point numbers, the assembly of which libraries make it.
CLOCKS = (
    CLOCK.replace("REPORT", ""),
    CLOCK.replace("REPORT", 'printf("late"),'),
    f"long long start = clock64(); while ({SEEN} == 0) {{ bool late = clock64() - start > 9; if (late) __trap(); }}",
    f"long long start = clock64(); while ({SEEN} == 0) if ((clock64() - start) * 1e-9 > 2.5) __trap();",
    f'long long now; do {{ if ({SEEN}) break; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); '
    'if (now > 1000) asm volatile("trap;"); } while (true);',
)
STORES = CLOCK.replace("REPORT", "data = 7,")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("wait", CLOCKS)
def test_a_watchdog_does_not_fire(wait: str, tmp_path: Path) -> None:
    outcome = check_text(tmp_path, text_of(wait, SEND, 0), engine="embedded")
    assert verdicts([outcome])["required out == 2"] == ["holds"]
    assert verdicts([outcome])["terminates"] == ["holds"]
    assert [d.code.name for d in outcome.diagnostics] == ["WATCHDOG"]
    fires = check_text(tmp_path, text_of(wait, SEND, 0) + "//@ options timeouts = eventually;\n", engine="embedded")
    assert verdicts([fires])["required out == 2"] == ["violated"]
    assert not fires.diagnostics
    hangs = text_of(wait, "data = 1;", 0)
    assert verdicts([check_text(tmp_path, hangs, engine="embedded")])["terminates"] == ["violated"]
    hangs += "//@ options timeouts = eventually;\n"
    assert verdicts([check_text(tmp_path, hangs, engine="embedded")])["terminates"] == ["holds"]


def test_what_a_watchdog_does_before_its_trap_is_followed(tmp_path: Path) -> None:
    """It races with the message, and whether the program ends is asked without it."""
    text = text_of(STORES, SEND, 0)
    outcome = check_text(tmp_path, text, engine="embedded")
    assert verdicts([outcome])["race"] == ["holds"]
    (warning,) = (d for d in outcome.diagnostics if d.code.name == "WATCHDOG")
    assert "elsewhere what it does before its trap is followed" in warning.message
    text = text_of(STORES.replace("data = 7", "stop.store(7)"), SEND, 0).replace("expect race", "expect race_free")
    atomic = verdicts([check_text(tmp_path, text + "//@ expect allowed stop == 7;\n", engine="embedded")])
    assert atomic["race_free"] == atomic["allowed stop == 7"] == atomic["terminates"] == ["holds"]
    hangs = text_of(STORES, "data = 1;", 0)
    assert verdicts([check_text(tmp_path, hangs, engine="embedded")])["terminates"] == ["violated"]


@pytest.mark.parametrize(
    "wait",
    [
        f"int n = 0; while ({SEEN} == 0) if (++n > 1000000) __trap();",  # a count is up at last
        f"while ({SEEN} == 0) if (!(real < 1.0f)) __trap();",  # a number that is not modelled is no clock
        f"while ({SEEN} == 0) if ((float)clock64() * real > 1.0f) __trap();",  # nor is what it is made of
    ],
)
def test_what_is_no_clock_traps(wait: str, tmp_path: Path) -> None:
    outcome = check_text(
        tmp_path, text_of(wait, SEND, 0).replace("expect race;", "expect race_free;"), engine="embedded"
    )
    assert verdicts([outcome])["required out == 2"] == ["violated"]
    assert not outcome.diagnostics


def test_a_thread_that_traps_lets_nobody_pass_a_barrier(tmp_path: Path) -> None:
    """The other block's data are there when the barrier of the grid is passed; who traps does not pass it."""
    text = """__device__ int count, data[2], out;
    __global__ void k() {
        if (threadIdx.x == 0) {
            data[blockIdx.x] = 1;
            WRITES atomicAdd(&count, 1);
            long long start = clock64();
            while (atomicAdd(&count, 0) < 2) if (clock64() - start > 9) STOP;
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == 1 && blockIdx.x == 0) out = data[1];
    }
    int main() {
        void* none[1];
        cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(2), none, 0, 0);
        return cudaDeviceSynchronize();
    }
    //@ options timeouts = eventually;
    //@ expect race_free;
    """

    def race_free(fence: str, stop: str) -> str:
        program = text.replace("WRITES", fence).replace("STOP", stop)
        (verdict,) = verdicts([check_text(tmp_path, program, engine="embedded")])["race_free"]
        return verdict

    assert race_free("__threadfence();", "__trap()") == race_free("__threadfence();", 'asm("trap;")') == "holds"
    assert race_free("__threadfence();", "break") == race_free("", "__trap()") == "violated"


PTX = """.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 flag;
.global .align 4 .u32 data;
.global .align 4 .u32 out;
.visible .entry k()
{
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %t<4>;
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $SEND;
    mov.u64 %t1, %CLOCK;
    mov.u32 %r5, 0;
$WAIT:
    ld.acquire.gpu.global.u32 %r2, [flag];
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra $SEEN;
    mov.u64 %t2, %CLOCK;
    sub.u64 %t3, %t2, %t1;
    setp.lt.u64 %p3, %t3, 1000000;
    @%p3 bra $WAIT;
    trap;
    bra.uni $WAIT;
$SEEN:
    ld.global.u32 %r3, [data];
    add.u32 %r4, %r3, 1;
    st.global.u32 [out], %r4;
    ret;
$SEND:
    st.global.u32 [data], 1;
    st.release.gpu.global.u32 [flag], 1;
    ret;
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect required out == 2;
"""


def ptx(text: str, write: Callable[..., Path]) -> tuple[dict[str, list[str]], list[str]]:
    (outcome,) = check([write(text, "program.ptx")], Settings(engine="embedded"))
    return verdicts([outcome]), [d.code.name for d in outcome.diagnostics]


@pytest.mark.parametrize("clock", ["clock64", "globaltimer"])
def test_a_watchdog_in_ptx(clock: str, write: Callable[..., Path]) -> None:
    text = PTX.replace("CLOCK", clock)
    assert ptx(text, write) == ({"race_free": ["holds"], "required out == 2": ["holds"]}, ["WATCHDOG"])
    found, told = ptx(text + "//@ options timeouts = eventually;\n", write)
    assert (found["required out == 2"], told) == (["violated"], [])


def test_a_wait_in_ptx_that_counts_its_turns(write: Callable[..., Path]) -> None:
    counts = PTX.replace("    mov.u64 %t2, %CLOCK;\n    sub.u64 %t3, %t2, %t1;\n", "    add.u32 %r5, %r5, 1;\n")
    counts = counts.replace("setp.lt.u64 %p3, %t3, 1000000", "setp.lt.u32 %p3, %r5, 1000").replace("CLOCK", "clock64")
    text = counts.replace("trap;\n    bra.uni $WAIT;", "ret;") + "//@ expect terminates;\n"
    found, told = ptx(text.replace("st.release.gpu.global.u32 [flag], 1;", ""), write)
    assert (found["terminates"], told) == (["holds"], [])
