"""Why threads stay behind: each sentence for the program that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.progress.schedule import Kind, Schedule
from tests.conftest import REPOSITORY, check_text

SPECS = REPOSITORY / "specs"

CASES = [
    ("grid-sync", "RETURNS = true", Kind.DEADLOCK, "both_sides[1][0] has exited and not arrived"),
    ("cluster-sync", "FIRST = 2", Kind.LIVELOCK, "cluster[0][0] has not arrived"),
    ("barrier", "KIND = 3", Kind.DEADLOCK, "the phase of bar never ends"),
    ("latch", "COUNT = 3", Kind.DEADLOCK, "done is never counted down to zero"),
    ("semaphore", "FREE = 0", Kind.STARVATION, "free_ never has anything left to take"),
    ("wait-notify", "HOW = 2", Kind.DEADLOCK, "nobody notifies it"),
    ("host-threads", "WHERE = 2", Kind.STARVATION, "no CUDA API call is pending"),
    ("events", "ORDER = 1", Kind.STARVATION, "nothing makes the device start another block"),
    ("other-processes", "", Kind.STARVATION, "a thread of another process may be the one"),
    ("no-host-progress", "", Kind.STARVATION, "the host promises no concurrent forward progress"),
    ("weak-exchange", "HELD = 1", Kind.LIVELOCK, "each time round, what it reads sends it round again"),
]


def test_barriers_and_calls_in_words(tmp_path: Path) -> None:
    text = """#include <cuda/barrier>
    __global__ void k() {
        __shared__ cuda::barrier<cuda::thread_scope_block> bar;
        if (threadIdx.x == 0) init(&bar, 3);
        __syncthreads();
        bar.arrive_and_wait();
    }
    //@ launch k<<<1, 2>>>();
    //@ expect terminates;
    """
    (report,) = check_text(tmp_path, text, engine="embedded").reports
    (trace,) = [c.trace for c in report.checks if isinstance(c.trace, Schedule)]
    said = [(m.action, *m.changes.values()) for m in trace.moves if "k.bar" in m.action]
    assert said == [
        ("starts, initialises k.bar", "phase 0, 3 of 3 arrivals to come"),
        ("arrives at k.bar (release, block)", "phase 0, 2 of 3 arrivals to come"),
        ("arrives at k.bar (release, block)", "phase 0, 1 of 3 arrivals to come"),
    ]
    assert [f"{b.thread} {b.where}" for b in trace.behind if b.thread == "main"] == ["main is still in the launch of k"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "constant", "kind", "said"), CASES, ids=[c[0] for c in CASES])
def test_each_thread_that_stays_behind_is_told_why(
    name: str, constant: str, kind: Kind, said: str, tmp_path: Path
) -> None:
    text = (SPECS / "cuda-execution-model" / f"{name}.cu").read_text()
    options = [line for line in text.splitlines() if line.startswith(("//@ launch", "//@ object", "//@ options"))]
    program = text.partition("\n//@")[0]
    if constant:
        start = program.index(f" {constant.partition(' =')[0]} = ") + 1
        program = program[:start] + constant + program[program.index(";", start) :]
    outcome = check_text(tmp_path, "\n".join([program, *options, "//@ expect terminates;"]), engine="embedded")
    (report,) = outcome.reports
    (check,) = [c for c in report.checks if c.expectation.kind == "terminates"]
    assert check.verdict == "violated"
    assert isinstance(check.trace, Schedule)
    assert said in " ".join(f"{b.where}: {b.why}" for b in check.trace.behind)
    assert check.trace.kind is kind
