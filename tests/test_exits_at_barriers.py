"""A barrier that is passed because a thread has exited comes after what the thread read to find that it exits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scopec.session.check import Settings, check
from tests.conftest import check_text, verdicts

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """#include <cuda/atomic>
constexpr auto relaxed = cuda::memory_order_relaxed;
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
"""
READ = "if (one) r = y.load(relaxed);"
STORE = "if (!one) y.store(1, relaxed);"
#: What two threads of a block do, and whether thread 1 may read the 1 that thread 0 stores.
READS = {
    "an exit lets the store happen": (f"{READ} if (r) return; __syncthreads(); {STORE}", False),
    "the exit hangs on another value": (f"{READ} if (one && x.load(relaxed)) return; __syncthreads(); {STORE}", True),
    "the exit hangs on no value": (f"{READ} if (one && r >= 0) return; __syncthreads(); {STORE}", True),
    "the store comes before the barrier": (f"{STORE} {READ} if (r) return; __syncthreads();", True),
    "the read comes behind the barrier": (f"__syncthreads(); {STORE} {READ} if (r) return; __syncthreads();", True),
    "the barrier after next": (f"{READ} if (r) return; __syncthreads(); __syncthreads(); {STORE}", False),
    "not always behind a barrier": (
        f"{READ} if (r) return; if (one || x.load(relaxed)) __syncthreads(); {STORE}",
        True,
    ),
    "a barrier of the warp": (f"{READ} if (r) return; __syncwarp(); {STORE}", False),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.sampled(3)
def test_what_is_read(name: str, tmp_path: Path) -> None:
    body, allowed = READS[name]
    text = f"""{HEAD}__global__ void k() {{
    int r = 0;
    bool one = threadIdx.x == 1;
    if (blockIdx.x == 1) {{ x.store(1, relaxed); return; }}
    {body}
}}
//@ launch k<<<2, 2>>>();
//@ expect allowed k[0][1].r == 1;
"""
    found = check_text(tmp_path, text, engine="embedded")
    assert verdicts([found])["allowed k[0][1].r == 1"] == ["holds" if allowed else "violated"]


def test_what_comes_behind_is_executed(tmp_path: Path) -> None:
    """Thread 0 never comes to the barrier: its end, which a loop comes before, lets thread 1 pass."""
    text = f"""{HEAD}__global__ void k() {{
    if (blockIdx.x == 1) {{ x.store(1, relaxed); return; }}
    if (threadIdx.x == 0) {{ while (x.load(relaxed) == 0); return; }}
    __syncthreads();
    y.store(1, relaxed);
}}
//@ launch k<<<2, 2>>>();
//@ expect allowed y == 1;
//@ expect required y == 1;
"""
    found = check_text(tmp_path, text, engine="embedded")
    assert verdicts([found]) == {"allowed y == 1": ["holds"], "required y == 1": ["holds"]}


def test_where_another_may_arrive_instead(tmp_path: Path) -> None:
    """Two arrivals are enough, and there are three threads."""
    path = tmp_path / "program.litmus"
    path.write_text("""PTX program
{ y = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0         | P2@cta 0,gpu 0         ;
 bar.cta.sync 0, 0, 2 | ld.relaxed.gpu r0, y   | bar.cta.arrive 0, 0, 2 ;
 st.relaxed.gpu y, 1  | bne r0, 0, L0          |                        ;
                      | bar.cta.arrive 0, 0, 2 |                        ;
                      | L0:                    |                        ;
//@ expect condition under cuda, ptx;
exists (1:r0=1)
""")
    found = check([path], Settings(engine="embedded"))
    assert verdicts(found) == {"exists (1:r0=1)": ["holds", "holds"]}


#: Turns that thread 0 ends for all threads of a block: what one turn does, and whether there is a race.
LOOPS = {
    "a barrier on both sides": ("while (s[0]) { __syncthreads(); if (t == 0) s[0] = a[0]; __syncthreads(); }", False),
    "with a copy": (
        "int on; while (on = s[0], __syncthreads(), on) { if (t == 0) s[0] = a[0]; __syncthreads(); }",
        False,
    ),
    "at the end": ("do { __syncthreads(); if (t == 0) s[0] = a[0]; __syncthreads(); } while (s[0]);", False),
    "none before the write": ("while (s[0]) { if (t == 0) s[0] = a[0]; __syncthreads(); }", True),
    "none behind the write": ("while (s[0]) { __syncthreads(); if (t == 0) s[0] = a[0]; }", True),
    "one that exits by itself": (
        "if (t == 1 && a[0] != s[0]) return; __syncthreads(); if (t == 0) s[0] = 1; __syncthreads();",
        True,
    ),
}


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.sampled(2)
def test_races(name: str, threads: int, tmp_path: Path) -> None:
    turn, races = LOOPS[name]
    text = f"""
__global__ void k(int* a) {{
    __shared__ int s[1];
    int t = threadIdx.x;
    if (t == 0) s[0] = 1;
    __syncthreads();
    {turn}
}}
//@ object __device__ int a[1];
//@ launch k<<<1, {threads}>>>(a);
//@ expect race_free;
"""
    found = check_text(tmp_path, text, engine="embedded")
    assert verdicts([found]) == {"race_free": ["violated" if races else "holds"]}
