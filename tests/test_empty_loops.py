"""Loops that do nothing but count to a limit are left out, and no others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scopec.program.loops.empty import without_empty_loops
from scopec.program.loops.loops import loops
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.samples import programs

#: How long one program may take.
SECONDS = 5.0
PROGRAM = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int out;
__global__ void k(int n) {{ {body} }}
int main() {{ k<<<1, {threads}>>>(5); cudaDeviceSynchronize(); }}
//@ expect terminates;
//@ expect race_free;
{more}"""


def written(folder: Path, body: str, threads: int = 1, more: str = "") -> Path:
    path = folder / "program.cu"
    path.write_text(PROGRAM.format(body=body, threads=threads, more=more))
    return path


def left(path: Path) -> int:
    """How many loops there are in a kernel."""
    (run,) = plan(path, path.name, Overrides(without=frozenset({"empty_loops"}))).runs
    (grid,) = run.program.grids.values()
    return len(list(loops(without_empty_loops(grid.body))))


def verdicts(path: Path, *without: str) -> dict[str, str]:
    (outcome,) = check(
        [path], Settings(engine="embedded", timeout=SECONDS, overrides=Overrides(without=frozenset(without)))
    )
    return {found.expectation.kind: found.verdict for found in outcome.reports[0].checks}


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 1000000; ++i);",
        "for (int i = 100; i >= 0; i -= 3);",
        "int s = 0; for (int i = 0; i <= 7; i += 2) s += i;",
        "for (int i = 0; i < 9; ++i) for (int j = 0; j < 9; ++j);",
        "for (int i = 0; i < 2147483647; ++i);",
    ],
)
@pytest.mark.sampled(4)
def test_a_loop_that_counts_to_a_limit_is_left_out(body: str, tmp_path: Path) -> None:
    path = written(tmp_path, body)
    assert left(path) == 0
    assert verdicts(path)["terminates"] == "holds"


@pytest.mark.parametrize(
    "body",
    [
        "for (unsigned i = 0; i >= 0; ++i);",  # every count is on this side
        "for (unsigned i = 0; i <= 4294967295u; ++i);",
        "for (unsigned i = 0; i < 4294967295u; i += 2);",  # the step goes past what the type holds
        "for (unsigned i = 5; i > 0; i -= 2);",
        "for (int i = 0; i < 9; ) { if (n == 5) continue; ++i; }",  # no turn counts
        "for (int i = 0; n; ) { if (n == 3) { if (i > 9) break; } ++i; }",  # the limit is not looked at
        "for (int i = 0; i < 9; ++i) i = 0;",
        "int i; for (i = 0; i < 9; ++i); out = i;",
        "for (int i = 0; i < 9; ++i) flag.store(i);",
        "for (int i = 0; i < 9; ++i) __syncthreads();",
        "while (flag.load() == 0);",
        "int seen = flag.load(); for (int i = 0; i < 90; ++i) if (seen == 1) break;",
        "for (int i = flag.load(); i < 90; ++i);",
    ],
)
def test_another_loop_stays(body: str, tmp_path: Path) -> None:
    assert left(written(tmp_path, body)) >= 1


def test_a_count_that_wraps_never_ends(tmp_path: Path) -> None:
    path = written(tmp_path, "for (unsigned char i = 0; i < 253; i += 4);")
    assert verdicts(path)["terminates"] != "holds"


#: Two threads, each of which writes after what it has read decided whether a branch in a loop was taken.
DEPENDENT = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x, y;
__global__ void k() {
    if (threadIdx.x == 0) {
        int r = x.load(cuda::memory_order_relaxed);
        for (int i = 0; i < 40; ++i) if (r == 1) break;
        y.store(1, cuda::memory_order_relaxed);
    } else {
        int q = y.load(cuda::memory_order_relaxed);
        for (int i = q; i < 40; ++i);
        x.store(1, cuda::memory_order_relaxed);
    }
}
//@ launch k<<<1, 2>>>();
//@ bound unroll = 64;
//@ options thin_air = syntactic;
//@ expect forbidden k[0][0].r == 1 && k[0][1].q == 1;
"""


def test_control_dependencies_stay(tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(DEPENDENT)
    assert verdicts(path) == verdicts(path, "empty_loops") == {"forbidden": "holds"}


def test_where_no_progress_is_owed_a_thread_may_stay_in_such_a_loop(tmp_path: Path) -> None:
    loop, turns = "for (int i = 0; i < 900; ++i);", []
    for more in ("", "//@ options host_progress = none;\n"):
        path = written(tmp_path, loop, more=more)
        (grid,) = plan(path, path.name, Overrides()).runs[0].program.grids.values()
        turns.append(len(list(loops(grid.body))))
    assert turns == [0, 1]
    assert verdicts(path) == verdicts(path, "empty_loops")


def test_what_is_observed_behind_a_loop_stays(tmp_path: Path) -> None:
    more = "//@ expect required k[0][0].i == 9;\n"
    assert verdicts(written(tmp_path, "int i; for (i = 0; i < 9; ++i);", more=more))["required"] == "holds"


def random_body(seed: int) -> str:
    """Loops that count up or down to a limit, some of which do more; limits that a byte may not reach."""
    chance = random.Random(seed)

    def loop(depth: int) -> str:
        name, type_ = "ijk"[depth], chance.choice(["int", "unsigned", "unsigned char", "signed char"])
        first, limit = chance.randrange(8), chance.choice([0, 1, 3, 5, 7, 255, 127])
        step = chance.choice(["++{}", "--{}", "{} += 2", "{} -= 2", "{} = {} + n", "{} ^= 3"]).replace("{}", name)
        inside = chance.choice(
            ["", "", "", "s += 1;", "if (s == 2) break;", "out = s;", "flag.fetch_add(1);", "if (n == 5) continue;"]
        )
        if depth < 1 and chance.random() < 0.3:
            inside += loop(depth + 1)
        test = f"{name} {chance.choice(['<', '<=', '>', '>=', '!='])} {limit}"
        return f"for ({type_} {name} = {first}; {test}; {step}) {{ {inside} }}"

    after = chance.choice(["", "out = s;", "if (s > 3) while (flag.load() == 0);", "while (flag.load() == 9);"])
    return f"int s = 0; {loop(0)} {loop(0) if chance.random() < 0.3 else ''} {after}"


@pytest.mark.parametrize("seed", range(programs(8, 100)))
@pytest.mark.sampled(4)
def test_no_verdict_changes(seed: int, tmp_path: Path) -> None:
    path = written(tmp_path, random_body(seed), threads=1 + seed % 2)
    less, more = verdicts(path), verdicts(path, "empty_loops")
    for kind, verdict in more.items():
        assert verdict == less[kind] or "unknown" in (verdict, less[kind]), path.read_text()
