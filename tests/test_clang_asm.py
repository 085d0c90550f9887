"""Inline PTX: what each instruction does, beside a weaker one; the same as CUDA C++ says it; what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

BY_CLANG = Overrides(reader="clang")


def answers(path: Path) -> list[str]:
    """The verdicts on a file's expectations; an error where it has any."""
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", cache=False, timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    return [c.verdict for report in outcome.reports for c in report.checks]


def asm(text: str, operands: str = ":::") -> str:
    """A statement of inline assembly."""
    return f'asm volatile("{text}" {operands} "memory");'


def send(text: str, value: str = '"r"(1)') -> str:
    return asm(text, f':: "l"(&f), {value} :')


def receive(text: str) -> str:
    return asm(text, ': "=r"(r) : "l"(&f) :')


# ---------------------------------------------------------------- orders and scopes

PASSING = """
__device__ int x, y;
__device__ unsigned f;
__global__ void k() {
    if (WHO == 0) {
        x = 1;
        SEND
    } else {
        unsigned r = 0;
        RECEIVE
        if (r == 1) y = x;
    }
}
int main() { k<<<GRID>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""
STORE = send("st.release.gpu.global.u32 [%0], %1;")
LOAD = receive("ld.acquire.gpu.global.u32 %0, [%1];")
RELAXED_STORE = send("st.relaxed.gpu.global.u32 [%0], %1;")
RELAXED_LOAD = receive("ld.relaxed.gpu.global.u32 %0, [%1];")
#: What makes a message arrive, and what does not: how it is sent and received.
MESSAGES = {
    "st.release": ((STORE, LOAD), (RELAXED_STORE, LOAD)),
    "st.release.sys": ((send("st.release.sys.u32 [%0], %1;"), LOAD), (send("st.release.cta.u32 [%0], %1;"), LOAD)),
    "st.weak": ((STORE, LOAD), (send("st.u32 [%0], %1;"), LOAD)),
    "st.volatile": ((STORE, LOAD), (send("st.volatile.global.u32 [%0], %1;"), LOAD)),
    "st.wt": ((STORE, LOAD), (send("st.global.wt.u32 [%0], %1;"), LOAD)),
    "ld.acquire": ((STORE, LOAD), (STORE, RELAXED_LOAD)),
    "ld.acquire.cluster": ((STORE, LOAD), (STORE, receive("ld.acquire.cluster.u32 %0, [%1];"))),
    "ld.weak": ((STORE, LOAD), (STORE, receive("ld.weak.global.u32 %0, [%1];"))),
    "ld.volatile": ((STORE, LOAD), (STORE, receive("ld.volatile.u32 %0, [%1];"))),
    "ld.cg": ((STORE, LOAD), (STORE, receive("ld.global.cg.u32 {%0}, [%1];"))),
    "ld.nc": ((STORE, LOAD), (STORE, receive("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];"))),
    "order of qualifiers": ((send("st.global.release.gpu.b32 [%0], %1;"), receive("ld.global.acquire.gpu.b32 %0, [%1];")),
                            (send("st.global.relaxed.gpu.b32 [%0], %1;"), receive("ld.global.acquire.gpu.b32 %0, [%1];"))),
    "fence.acq_rel": ((asm("fence.acq_rel.gpu;") + RELAXED_STORE, RELAXED_LOAD + asm("fence.acq_rel.gpu;")),
                      (asm("fence.acq_rel.cta;") + RELAXED_STORE, RELAXED_LOAD + asm("fence.acq_rel.gpu;"))),
    "fence without order": ((asm("fence.gpu;") + RELAXED_STORE, LOAD), (RELAXED_STORE, LOAD)),
    "fence.sc": ((STORE, RELAXED_LOAD + asm("fence.sc.sys;")), (STORE, RELAXED_LOAD + asm("fence.sc.cta;"))),
    "membar.gl": ((asm("membar.gl;") + RELAXED_STORE, LOAD), (asm("membar.cta;") + RELAXED_STORE, LOAD)),
    "membar.sys": ((asm("membar.sys;") + RELAXED_STORE, LOAD), (asm("membar.cta;") + RELAXED_STORE, LOAD)),
    "red.release": ((send("red.release.gpu.global.add.u32 [%0], %1;"), LOAD),
                    (send("red.relaxed.gpu.global.add.u32 [%0], %1;"), LOAD)),
    "red alone": ((send("red.release.gpu.global.add.u32 [%0], %1;"), LOAD), (send("red.add.u32 [%0], %1;"), LOAD)),
    "red with a cache policy": (
        (asm("red.release.gpu.add.L2::cache_hint.u32 [%0], %1, %2;", ':: "l"(&f), "r"(1), "l"(0l) :'), LOAD),
        (asm("red.relaxed.gpu.add.L2::cache_hint.u32 [%0], %1, %2;", ':: "l"(&f), "r"(1), "l"(0l) :'), LOAD)),
    "atom.acquire": ((STORE, receive("atom.or.acquire.gpu.b32 %0, [%1], 0;")),
                     (STORE, receive("atom.or.b32 %0, [%1], 0;"))),
    "atom.acq_rel": ((STORE, receive("atom.acq_rel.gpu.global.add.u32 %0, [%1], 0;")),
                     (STORE, receive("atom.acq_rel.cta.global.add.u32 %0, [%1], 0;"))),
    "atom.cas": ((STORE, receive("atom.cas.acquire.gpu.b32 %0, [%1], 1, 2;")),
                 (STORE, receive("atom.cas.relaxed.gpu.b32 %0, [%1], 1, 2;"))),
    "barriers do what fences do not": ((STORE, LOAD), (asm("bar.warp.sync 1;") + RELAXED_STORE, LOAD)),
}  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_arrives_by_its_order_and_scope_alone(name: str, write: Callable[..., Path]) -> None:
    found = []
    for sent, received in MESSAGES[name]:
        text = PASSING.replace("SEND", sent).replace("RECEIVE", received)
        path = write(text.replace("WHO", "blockIdx.x").replace("GRID", "2, 1"))
        found += [answers(path)]
    assert found == [["holds"], ["violated"]]


BLOCK = PASSING.replace("WHO", "threadIdx.x").replace("GRID", "1, 2")
#: Two lanes, and the first lanes of two warps.
LANES = BLOCK.replace("unsigned r = 0;", "unsigned r = 1;")
WARPS = """
__device__ int x, y;
__global__ void k() {
    if (threadIdx.x == 0) x = 1;
    if (threadIdx.x < 32) {
        SEND
    } else {
        RECEIVE
    }
    if (threadIdx.x == 32) y = x;
}
//@ launch k<<<1, 64>>>();
//@ expect race_free;
"""
BARRIERS = {
    "bar.sync": (("bar.sync 1;", "bar.sync 1;"), ("bar.sync 1;", "bar.sync 2;")),
    "bar.arrive": (("bar.arrive 3, 64;", "barrier.cta.sync.aligned 3, 64;"), ("bar.sync 3, 64;", "bar.arrive 3, 64;")),
    "barrier.sync": (("barrier.sync 0;", "bar.sync 0, 64;"), ("", "")),
    "bar.warp.sync": (("bar.warp.sync 3;", "bar.warp.sync 0x3;"), ("", "")),
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", BARRIERS)
def test_barriers_order_those_who_meet(name: str, write: Callable[..., Path]) -> None:
    found = []
    for here, there in BARRIERS[name]:
        text = LANES if name == "bar.warp.sync" else WARPS
        text = text.replace("SEND", asm(here)).replace("RECEIVE", asm(there)) + "//@ expect terminates;\n"
        found.append(answers(write(text)))
    assert found[0] == ["holds", "holds"]
    assert "violated" in found[1]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("fence", "both"), [("fence.sc.gpu;", "forbidden"), ("fence.acq_rel.gpu;", "allowed")])
@pytest.mark.parametrize("model", ["cuda", "ptx"])
def test_store_buffering(fence: str, both: str, model: str, write: Callable[..., Path]) -> None:
    text = f"""
__device__ int x, y;
__global__ void k() {{
    int r;
    int *mine = blockIdx.x ? &x : &y, *its = blockIdx.x ? &y : &x;
    {asm("st.relaxed.gpu.s32 [%0], %1;", ':: "l"(mine), "r"(1) :')}
    {asm(fence)}
    {asm("ld.relaxed.gpu.s32 %0, [%1];", ': "=r"(r) : "l"(its) :')}
}}
int main() {{ k<<<2, 1>>>(); cudaDeviceSynchronize(); }}
//@ expect {both} k[0][0].r == 0 && k[1][0].r == 0 under {model};
"""
    assert answers(write(text)) == ["holds"]


# ---------------------------------------------------------------- waiting

LOCK = """
__device__ int lock, data;
__global__ void k() {
    asm volatile("{\\n\\t"
                 ".reg .pred p;\\n\\t"
                 ".reg .b32 r;\\n"
                 "AGAIN:\\n\\t"
                 "atom.cas.acquire.gpu.global.b32 r, [%0], 0, 1;\\n\\t"
                 "setp.ne.u32 p, r, 0;\\n\\t"
                 "@p bra AGAIN;\\n}" :: "l"(&lock) : "memory");
    data = data + 1;
    asm volatile("st.RELEASE.gpu.b32 [%0], 0;" :: "l"(&lock) : "memory");
}
int main() { k<<<2, 1>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
//@ expect terminates;
"""


def test_a_lock_whose_loop_is_in_the_assembly(write: Callable[..., Path]) -> None:
    assert answers(write(LOCK.replace("RELEASE", "release"))) == ["holds", "holds"]
    assert answers(write(LOCK.replace("RELEASE", "relaxed")))[0] == "violated"


# ---------------------------------------------------------------- vectors

LINE = """
__device__ __align__(16) unsigned line[4];
constexpr bool BOTH = true;
__global__ void k() {
    unsigned x = 0, f = 0, y = 0, g = 0;
    if (threadIdx.x == 0) {
        asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {10, 1, 20, 1};" :: "l"(line) : "memory");
    } else {
        do {
            asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x), "=r"(f), "=r"(y), "=r"(g) : "l"(line) : "memory");
        } while (f != 1 || (BOTH && g != 1));
    }
}
//@ launch k<<<1, 2>>>();
//@ vary BOTH in {true, false};
//@ expect terminates;
//@ expect race_free under cuda, ptx;
//@ expect allowed k[0][1].x == 0 under cuda, ptx;
//@ expect allowed k[0][1].g == 0 when !BOTH under cuda, ptx;
//@ expect forbidden k[0][1].g == 0 when BOTH under cuda, ptx;
"""


@pytest.mark.sampled(0)
def test_a_thread_waits_for_flags_in_a_vector(write: Callable[..., Path]) -> None:
    """None of the elements waits for another, also where both threads' graphs are one; each order ends."""
    assert set(answers(write(LINE))) == {"holds"}


ELEMENTS = """
__device__ __align__(8) unsigned a[4] = {1, 2, 0, 0}, b[2] = {3, 4}, n;
__device__ unsigned* behind = b;
__global__ void k() {
    unsigned x = 0, y = 0, u = 0, v = 0, own[2] = {5, 6}, p = 0, q = 0, i = n & 1, z = 0, w = 0;
    unsigned long long low = 0, high = 0;
    for (int turn = 0; turn < 2; turn++) {
        asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(u), "=r"(v) : "l"(a + 2 * turn) : "memory");
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" :: "l"(a + 2), "r"(turn + 7), "r"(turn + 8) : "memory");
    }
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(threadIdx.x ? a : behind) : "memory");
    asm volatile("ld.v2.u32 {%0, %1}, [%2];" : "=r"(p), "=r"(q) : "l"(own) : "memory");
    asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(a) : "memory");
    asm volatile("ld.acquire.sys.v2.u32 {%0, %1}, [%2];" : "=r"(z), "=r"(w) : "l"(a + 2 * i) : "memory");
    bool holds = x == (threadIdx.x ? 1 : 3) && y == (threadIdx.x ? 2 : 4) && p == 5 && q == 6;
    holds = holds && low == 0x200000001 && high == 0x900000008 && z == 1 && w == 2;
}
//@ launch k<<<1, THREADS>>>();
//@ expect required k[0][0].holds && k[0][0].u == 7 && k[0][0].v == 8;
//@ expect terminates;
"""


@pytest.mark.sampled(0)
def test_what_the_elements_of_a_vector_are(write: Callable[..., Path]) -> None:
    assert answers(write(ELEMENTS.replace("THREADS", "1")))[:2] == ["holds", "holds"]


APART = """
__device__ __align__(8) unsigned a[2] = {1, 2}, b[2] = {3, 4}, c[4] = {5, 6, 7, 8};
__global__ void k() {
    unsigned x = 0, y = 0;
    unsigned* p = threadIdx.x == 0 ? a : threadIdx.x == 1 ? b : c + 2 * (threadIdx.x - 2);
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p) : "memory");
}
//@ launch k<<<1, 4>>>();
//@ expect required k[0][0].x == 1 && k[0][0].y == 2 && k[0][1].x == 3 && k[0][1].y == 4;
//@ expect required k[0][2].x == 5 && k[0][2].y == 6 && k[0][3].x == 7 && k[0][3].y == 8;
//@ expect terminates;
"""


def test_vectors_of_several_threads(write: Callable[..., Path]) -> None:
    """Where they are in different objects, each thread has an evaluation of its own in the one graph."""
    assert answers(write(APART)) == ["holds"] * 3


TORN = """
__device__ __align__(16) unsigned long long halves[2];
__device__ unsigned __int128 whole;
__global__ void k() {
    unsigned long long x = 1, y = 1;
    if (threadIdx.x == 0) {
        STORE
    } else {
        LOAD
    }
}
//@ launch k<<<1, 2>>>();
//@ expect race_free under cuda, ptx;
//@ expect forbidden k[0][1].x != k[0][1].y under cuda, ptx;
"""
#: How two numbers of 64 bits are sent and received: as one of 128 bits, or as two.
PAIRS = {
    "b128": (asm("{ .reg .b128 w; mov.b128 w, {%1, %1}; st.relaxed.cta.b128 [%0], w; }", ':: "l"(&whole), "l"(x) :'),
             asm("{ .reg .b128 w; ld.relaxed.cta.b128 w, [%2]; mov.b128 {%0, %1}, w; }", ': "=l"(x), "=l"(y) : "l"(&whole) :')),
    "v2.b64": (asm("st.relaxed.cta.v2.b64 [%0], {%1, %1};", ':: "l"(halves), "l"(x) :'),
               asm("ld.relaxed.cta.v2.b64 {%0, %1}, [%2];", ': "=l"(x), "=l"(y) : "l"(halves) :')),
}  # fmt: skip


@pytest.mark.parametrize(("name", "verdict"), [("b128", "holds"), ("v2.b64", "violated")])
def test_a_number_of_128_bits_is_never_torn(name: str, verdict: str, write: Callable[..., Path]) -> None:
    sent, received = PAIRS[name]
    text = TORN.replace("STORE", sent).replace("LOAD", received)
    assert answers(write(text)) == ["holds", verdict] * 2


# ---------------------------------------------------------------- votes at barriers

FUNCTIONS = {
    "popc.u32": (sum, "%0", ""),
    "and.pred": (lambda votes: int(all(votes)), "q", "selp.u32 %0, 1, 0, q;"),
    "or.pred": (lambda votes: int(any(votes)), "q", "selp.u32 %0, 1, 0, q;"),
}
VOTING = """
__device__ int out[4];
__global__ void k() {
    int r = 0;
BODY
}
//@ launch k<<<1, THREADS>>>();
//@ expect race_free;
//@ expect terminates;
"""


def voting(random: Random) -> tuple[str, int]:
    """Threads that vote at barriers of their own, some at each: where an outcome is not what it has to be, one hangs."""
    count, body, wrong = random.randint(2, 4), [], random.random() < 0.3
    turns = random.randint(1, 3)
    spoiled = (random.randrange(turns), random.randrange(count)) if wrong else None
    members = {name: sorted(random.sample(range(count), random.randint(1, count))) for name in (1, 2)}
    functions = {name: random.choice(list(FUNCTIONS)) for name in members}
    for turn in range(turns):
        name = random.choice(list(members))
        votes = [random.randrange(2) for _ in members[name]]
        function, target, then = FUNCTIONS[functions[name]]
        text = f"bar.red.{functions[name]} {target}, {name}, {len(votes)}, p;"
        assembly = f"{{ .reg .pred p, q; setp.ne.u32 p, %1, 0; {text} {then} }}"
        for thread, vote in zip(members[name], votes, strict=True):
            found = function(votes) + (spoiled == (turn, thread))
            cast = asm(assembly, f': "=r"(r) : "r"({vote}) :')
            body.append(f"    if (threadIdx.x == {thread}) {{ {cast} if (r != {found}) for (;;); }}")
        if spoiled is not None and spoiled[0] == turn and spoiled[1] not in members[name]:
            spoiled = None
    return VOTING.replace("BODY", "\n".join(body)).replace("THREADS", str(count)), int(spoiled is None)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(12))
def test_what_a_vote_at_a_barrier_gives(number: int, write: Callable[..., Path]) -> None:
    text, right = voting(Random(number))
    assert answers(write(text))[:2] == ["holds", "holds" if right else "violated"]


HALF = """
__device__ int x, y;
__global__ void k() {
    unsigned r = 0;
    if (threadIdx.x == 0) x = 1; else y = 1;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %1; BARRIER }" : "+r"(r) : "r"(r) : "memory");
    if (threadIdx.x == 0) r += y; else r += x;
    assert(r == 3);
}
//@ launch k<<<1, 2>>>();
//@ expect race_free under cuda, ptx;
//@ expect terminates;
"""
HALVES = {
    "bar.red.popc.u32 %0, 5, 2, p;": ["holds", "holds", "holds", "holds", "holds"],
    "bar.red.popc.u32 %0, 5, 3, p;": ["holds", "violated", "unknown", "holds", "unknown"],
    "mov.u32 %0, 2;": ["violated", "holds", "violated", "violated", "violated"],
}


@pytest.mark.parametrize("barrier", HALVES)
@pytest.mark.sampled(2)
def test_a_vote_orders_memory_and_waits_for_its_count(barrier: str, write: Callable[..., Path]) -> None:
    text = "#include <cassert>\n" + HALF.replace("BARRIER", barrier)
    assert answers(write(text)) == HALVES[barrier]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("bar.red.popc.u32 %0, 5, 32, p;", "bar.sync 5, 32;", "is used without that vote too"),
        ("bar.red.popc.u32 %0, 5, 2, p;", "bar.red.popc.u32 %0, 5, 3, p;", "give it different counts"),
        ("bar.red.popc.u32 %0, 16, 2, p;", "", "the barriers 0 to 15"),
        ("bar.red.popc.u32 %0, 5, 1, p;", "", "more threads come to a vote than the 1"),
        ("bar.red.popc.u32 %0, 5;", "", "has a result, a barrier, maybe a thread count, and a predicate"),
    ],
)
def test_votes_that_are_refused(first: str, second: str, message: str, write: Callable[..., Path]) -> None:
    path = write("#include <cassert>\n" + HALF.replace("BARRIER", f"{first} {second}"))
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", cache=False, timeout=120))
    assert message in " ".join(str(d) for d in outcome.diagnostics)


# ---------------------------------------------------------------- plain accesses to 16 bytes

WIDE = """
#include <cuda/atomic>
__device__ unsigned __int128 data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int r;
__global__ void k() {
    if (blockIdx.x == 0) {
        data = (unsigned __int128)1 << 64 | 1;
        flag.store(1, cuda::memory_order_ORDER);
    } else if (flag.load(cuda::memory_order_acquire) == 1) {
        VOLATILE unsigned __int128& there = data;
        unsigned __int128 d = there;
        r = (int)d == (int)(d >> 64) ? 1 : 2;
    }
}
//@ launch k<<<2, 1>>>();
//@ expect required r == 0 || r == 1 under ptx;
//@ expect allowed r == 2 under ptx;
"""


@pytest.mark.parametrize(
    ("order", "volatile", "given", "verdicts"),
    [
        ("release", "", "scalars", ["holds", "violated"]),
        ("relaxed", "", "scalars", ["unknown", "unknown"]),
        ("relaxed", "", "whole", ["holds", "violated"]),
        ("relaxed", "volatile", "scalars", ["unknown", "unknown"]),
    ],
)
@pytest.mark.sampled(3)
def test_what_races_on_16_bytes_may_be_torn_under_ptx(
    order: str, volatile: str, given: str, verdicts: list[str], write: Callable[..., Path]
) -> None:
    text = WIDE.replace("ORDER", order).replace("VOLATILE", volatile) + f"//@ given vector = {given};\n"
    assert answers(write(text)) == verdicts
