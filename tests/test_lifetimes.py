"""Memory that is freed and variables that end: what is wrong, what is right, and what says so.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are compared with an order that is written down from the CUDA
runtime API alone: streams execute what is issued to them in order, an event stands for what its stream had when it was
recorded last, an allocation has to be before all uses, a free behind them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from scopec.engines.alloy.emit import emit
from scopec.engines.tla.engine import module as tla_module
from scopec.explain.reasons import explanation
from scopec.memory.events.events import Kind
from scopec.memory.graph import build
from scopec.memory.unfold import existence
from scopec.session.check import Outcome
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides
from tests.conftest import check_text, plan_of, program_of
from tests.samples import programs
from tests.test_faults import CHECK

_PROGRAMS = programs(5, 10)


def said(outcome: Outcome) -> dict[str, tuple[str, str | None, tuple[str, ...]]]:
    """The verdict, the reason and the sentences of each check."""
    assert outcome.failure is None, outcome.failure
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    return {
        c.expectation.text: (c.verdict, c.reason, explanation(c).sentences) for r in outcome.reports for c in r.checks
    }


HEAD = """
#include <cstdlib>
#include <thread>
#include <cuda/atomic>
#include <cuda_runtime.h>
__global__ void add(int* p) { atomicAdd(p, 1); }
int global;
cuda::atomic<int, cuda::thread_scope_system> flag{0};
int* local(int v) { int x = v; return &x; }
__device__ int* device_local(int v) { int x = v; return &x; }
__global__ void returned(int* p) { *p = *device_local(1); }
"""

#: What ``main`` does, what is wrong with it, and what the explanation says; None for nothing.
ORDERED = [
    ("int* p = new int(1); delete p; *p = 2;", "`allocation` is accessed outside its lifetime",
     "the delete of allocation at program.cu:13 comes before the use of allocation at program.cu:13"),
    ("int* p = new int(1); delete p; delete p;", "`delete` frees `allocation`, which is not allocated then",
     "the delete of allocation at program.cu:13 comes before the use of allocation at program.cu:13"),
    ("int* p; cudaMalloc(&p, 4); cudaFree(p); add<<<1, 1>>>(p); cudaDeviceSynchronize();",
     "`p` is accessed outside its lifetime", "the cudaFree of p at program.cu:13 comes before the use of p at program.cu:6"),
    ("int* p; cudaMalloc(&p, 4); cudaFree(p); cudaFree(p);", "`cudaFree` frees `p`, which is not allocated then",
     "the cudaFree of p at program.cu:13 comes before the use of p at program.cu:13"),
    ("int* p; cudaMallocAsync(&p, 4, 0); cudaFreeAsync(p, 0); add<<<1, 1>>>(p);", "`p` is accessed outside its lifetime",
     "the cudaFreeAsync of p at program.cu:13 comes before the use of p at program.cu:6"),
    ("int* p; cudaMallocHost(&p, 4); cudaFreeHost(p); *p = 1;", "`p` is accessed outside its lifetime",
     "the cudaFreeHost of p at program.cu:13 comes before the use of p at program.cu:13"),
    ("int* p; cudaMallocManaged(&p, 4); std::thread t([] { flag = 1; }); if (flag.load()) cudaFree(p); *p = 1; t.join();", "`p` is accessed outside its lifetime",
     "the cudaFree of p at program.cu:13 comes before the use of p at program.cu:13"),
    ("int* p = new int(1); std::thread t([p] { delete p; }); t.join(); delete p;",
     "`delete` frees `allocation`, which is not allocated then",
     "the delete of allocation at program.cu:13 comes before the use of allocation at program.cu:13"),
    ("int* p = new int(1); std::thread t([p] { delete p; flag.store(1); }); while (!flag.load()); *p = 1; t.join();",
     "`allocation` is accessed outside its lifetime",
     "the delete of allocation at program.cu:13 comes before the use of allocation at program.cu:13"),
    ("*local(1) = 2;", "`x` is accessed outside its lifetime", None),
    ("int* p; cudaMalloc(&p, 4); returned<<<1, 1>>>(p);", "`x` is accessed outside its lifetime", None),
    ("free(&global);", "`free(&global)` frees what nothing has allocated", None),
    ("int x = 0; free(&x);", "`free(&x)` frees what nothing has allocated", None),
    ("int* p = (int*)malloc(8); free(p + 1);", "`free(p + 1)` frees what is not the beginning of an allocation", None),
    ("int* p = (int*)malloc(8); cudaFree(p);", "`cudaFree(p)` frees what is to be freed with `free`", None),
    ("int* p; cudaMalloc(&p, 4); free(p);", "`free(p)` frees what is to be freed with `cudaFree` or `cudaFreeAsync`", None),
    ("int* p; cudaMallocHost(&p, 4); cudaFree(p);", "`cudaFree(p)` frees what is to be freed with `cudaFreeHost`", None),
    ("int* p = new int[2]; delete p;", "`delete` frees what is to be freed with `delete[]`", None),
    ("cudaStream_t s; cudaStreamCreate(&s); cudaStreamDestroy(s); add<<<1, 1, 0, s>>>(nullptr);",
     "the stream `s` is used after cudaStreamDestroy", None),
    ("cudaStream_t s; cudaStreamCreate(&s); cudaStreamDestroy(s); cudaStreamDestroy(s);",
     "the stream `s` is used after cudaStreamDestroy", None),
    ("cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e); cudaEventDestroy(e); cudaEventSynchronize(e);",
     "the event `e` is used after cudaEventDestroy", None),
    # ---- and what is right
    ("for (int i = 0; i < 2; i++) { cudaStream_t s; cudaEvent_t e; cudaStreamCreate(&s); cudaEventCreate(&e);"
     "cudaEventRecord(e, s); cudaEventSynchronize(e); cudaEventDestroy(e); cudaStreamDestroy(s); }", None, None),
    ("int* p; cudaMalloc(&p, 4); cudaStream_t s; cudaStreamCreate(&s); add<<<1, 1, 0, s>>>(p); cudaStreamDestroy(s);"
     "cudaDeviceSynchronize(); cudaFree(p);", None, None),
    ("int* p = new int(1); *p = 2; delete p; p = nullptr; delete p; free(p); cudaFree(0);", None, None),
    ("int* p = new int(1); if (flag.load()) delete p; else *p = 1;", None, None),
    ("for (int i = 0; i < 2; i++) { int* p = new int(i); *p = 2; delete p; }", None, None),
    ("for (int i = 0; i < 2; i++) { int x = i; std::thread t([&x] { x = 2; }); t.join(); }", None, None),
    ("int* p; cudaMalloc(&p, 4); add<<<1, 1>>>(p); cudaDeviceSynchronize(); cudaFree(p);", None, None),
    ("int* p; cudaMallocAsync(&p, 4, 0); add<<<1, 1>>>(p); cudaFreeAsync(p, 0);", None, None),
    ("int* p; cudaMalloc(&p, 4); add<<<1, 1>>>(p); while (cudaStreamQuery(0) != cudaSuccess); cudaFree(p);", None, None),
]  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("body", "reason", "why"), ORDERED)
def test_what_program_order_makes_of_an_end(tmp_path: Path, body: str, reason: str | None, why: str | None) -> None:
    """No race, for the access is ordered with the end; what is accessed then is undefined."""
    text = f"{HEAD}int main() {{\n{body}\n}}\n//@ expect race_free;\n"
    found = said(check_text(tmp_path, text, engine="embedded"))
    assert found["race_free"][:2] == ("holds", None)
    verdict, told, sentences = found.get(CHECK, ("holds", None, ()))
    assert (verdict, None if told is None else told.partition(": ")[2]) == ("violated" if reason else "holds", reason)
    assert why is None or sentences[0] == why


RACES = [
    ("int* p; cudaMalloc(&p, 4); add<<<1, 1>>>(p); cudaFree(p); cudaDeviceSynchronize();", "p",
     "the cudaFree of p at program.cu:13 may come before the use of p at program.cu:6 by the kernel add at line 13 in "
     "the legacy stream: no call before that waits for it"),
    ("int x = 0; std::thread t([&x] { x = 1; }); t.detach();", "main.x",
     "the end of main.x at program.cu:14 may come before the use of main.x at program.cu:13: "
     "no synchronisation orders one before the other"),
    ("int* p = new int(1); std::thread t([p] { delete p; }); delete p; t.join();", "allocation", None),
    ("int* p = new int(1); std::thread t([p] { *p = 2; flag.store(1, cuda::memory_order_relaxed); }); "
     "while (!flag.load()); delete p; t.join();", "allocation",
     "the delete of allocation at program.cu:13 may come before the use of allocation at program.cu:13: nothing orders "
     "the two: main reads at line 13 what t wrote at line 13, but the store at program.cu:13 is not a release"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "of", "why"), RACES)
@pytest.mark.sampled(3)
def test_an_end_that_nothing_orders_with_an_access_races_with_it(
    tmp_path: Path, body: str, of: str, why: str | None
) -> None:
    text = f"{HEAD}int main() {{\n{body}\n}}\n//@ expect race_free;\n"
    found = said(check_text(tmp_path, text, engine="embedded"))
    verdict, reason, sentences = found["race_free"]
    assert (verdict, reason) == ("violated", f"a data race on the lifetime of `{of}`")
    assert why is None or sentences == (why,)
    assert found[CHECK][0] == "violated"


def test_other_models_say_it_too(tmp_path: Path) -> None:
    """PTX defines races and does not call them undefined: what is freed is accessed all the same."""
    body = "int* p; cudaMalloc(&p, 4); add<<<1, 1>>>(p); WAIT; cudaFree(p);"
    text = f"{HEAD}int main() {{\n{body}\n}}\n//@ expect allowed p == 1;\n"
    for model, (wait, verdict) in product(("ptx", "rc11"), ((";", "violated"), ("cudaDeviceSynchronize();", "holds"))):
        overrides = Overrides(model=model)
        outcome = check_text(tmp_path, text.replace("WAIT;", wait), engine="embedded", overrides=overrides)
        assert said(outcome).get(CHECK, ("holds",))[0] == verdict, model


WITH_END = f"""{HEAD}int main() {{
    int* p; cudaMalloc(&p, 4); add<<<1, 1>>>(p); WAIT cudaFree(p); cudaDeviceSynchronize();
}}
//@ expect race_free;
//@ expect terminates;
"""


def test_an_end_that_is_sure_is_not_asked_about() -> None:
    """The program alone orders it: the graph is what it would be without one."""
    sure = WITH_END.replace("WAIT", "cudaDeviceSynchronize();")
    graphs = [build(program_of(text), 1) for text in (sure, sure.replace("cudaFree(p);", ""))]
    events = [[(e.kind, e.location, e.thread) for e in graph.events if e.kind is not Kind.CALL] for graph in graphs]
    assert events[0] == events[1]


def test_an_end_is_an_event_in_alloy_and_no_step_for_progress(tmp_path: Path) -> None:
    path = tmp_path / "free.cu"
    path.write_text(WITH_END.replace("WAIT", ""), encoding="utf-8")
    (run,) = plan_of(path).runs
    text = emit(run.problem)
    assert "lifetime_of_p" in text
    assert "cudaFree of p" in text
    assert "lifetime" not in repr(tla_module(progress_problem(run, "Termination")))


# ---------------------------------------------------------------- random programs of one host thread


@dataclass
class Drawn:
    """Calls as text, and which of their points come before which."""

    calls: list[str] = field(default_factory=list)
    before: dict[str, set[str]] = field(default_factory=dict)
    uses: list[str] = field(default_factory=list)
    begin: str = ""
    end: str = ""


def drawn(chance: random.Random) -> Drawn:
    """A program: each call is a point, and so is what it gives to a stream, which comes after what that has got."""
    found = Drawn()
    last: dict[str, set[str]] = {"s": set(), "t": set()}
    recorded: set[str] = set()
    host = "start"
    found.before[host] = set()

    def issue(stream: str, call: str) -> str:
        point = f"work {len(found.before)}"
        step(call)
        found.before[point] = {host, *last[stream]}
        last[stream] = {point}
        return point

    def step(call: str, *after: str) -> str:
        nonlocal host
        found.calls.append(call)
        point = f"host {len(found.before)}"
        found.before[point] = {host, *after}
        host = point
        return point

    stream = chance.choice("st")
    asynchronous = chance.random() < 0.5
    found.begin = issue(stream, f"cudaMallocAsync(&p, 4, {stream});") if asynchronous else step("cudaMalloc(&p, 4);")
    kinds = ["use"] * 3 + ["record", "wait", "stream", "device", "event"]
    for _ in range(chance.randint(3, 6)):
        stream, kind = chance.choice("st"), chance.choice([*kinds, *([] if found.end else ["free", "free async"])])
        match kind:
            case "use":
                found.uses.append(issue(stream, f"add<<<1, 1, 0, {stream}>>>(p);"))
            case "record":
                recorded = {issue(stream, f"cudaEventRecord(e, {stream});")}
            case "wait":
                last[stream] |= recorded
                issue(stream, f"cudaStreamWaitEvent({stream}, e, 0);")
            case "stream":
                step(f"cudaStreamSynchronize({stream});", *last[stream])
            case "device":
                step("cudaDeviceSynchronize();", *last["s"], *last["t"])
            case "event":
                step("cudaEventSynchronize(e);", *recorded)
            case "free":
                found.end = step("cudaFree(p);")
            case _:
                found.end = issue(stream, f"cudaFreeAsync(p, {stream});")
    return found


def judged(program: Drawn) -> tuple[bool, bool]:
    """Whether something is in no order with an end of the memory, and whether it may be accessed outside of them."""

    def past(point: str) -> set[str]:
        seen, work = set[str](), [point]
        while work:
            for earlier in program.before[work.pop()] - seen:
                seen.add(earlier)
                work.append(earlier)
        return seen

    ends = [program.begin, *([program.end] if program.end else [])]
    accesses = [*program.uses, *ends[1:]]
    whole = {point: past(point) for point in program.before}
    if not program.end and program.begin.startswith("host"):
        return False, False
    race = any(a not in whole[b] and b not in whole[a] for a in accesses for b in ends if a != b)
    early = any(program.begin not in whole[a] for a in accesses)
    late = any(program.end and program.end != a and a not in whole[program.end] for a in accesses)
    return race, early or late


def programs() -> Iterator[tuple[int, Drawn]]:
    for seed in range(_PROGRAMS):
        yield seed, drawn(random.Random(seed))


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.sampled(1)
def test_random_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, reduced: bool) -> None:
    """The same with all lifetimes asked about: what the program alone orders makes no difference to verdicts."""
    if not reduced:
        monkeypatch.setattr(existence, "_is_sure", lambda *_: False)
        monkeypatch.setattr(existence, "_is_one_threads", lambda *_: False)
    kinds = set()
    for seed, program in programs():
        calls = "\n    ".join(program.calls)
        text = f"""{HEAD}int main() {{
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t e;
    cudaEventCreate(&e);
    int* p;
    {calls}
}}
//@ expect race_free;
"""
        found = said(check_text(tmp_path, text, engine="embedded"))
        race, fault = judged(program)
        expected = "violated" if race else "holds", "violated" if fault else "holds"
        assert (found["race_free"][0], found.get(CHECK, ("holds",))[0]) == expected, (seed, program.calls)
        kinds.add(expected)
    assert len(kinds) > 1


MANY = """\
__global__ void add(int* a, int* b) { int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] += a[i]; }
int main() {
    int *a, *b, h[64];
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof h);
    add<<<16, 4>>>(a, b);
    SYNCHRONIZE
    cudaFree(b);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
}
//@ expect race_free;
"""


@pytest.mark.parametrize(("synchronize", "verdict"), [("cudaDeviceSynchronize();", "holds"), ("", "violated")])
@pytest.mark.sampled(1)
def test_lifetimes_that_many_threads_access(synchronize: str, verdict: str, tmp_path: Path) -> None:
    """Whether a lifetime is sure does not hang on how many accesses are checked before."""
    found = said(check_text(tmp_path, MANY.replace("SYNCHRONIZE", synchronize), engine="embedded"))
    assert found["race_free"][0] == verdict
    assert found.get(CHECK, ("holds",))[0] == verdict
