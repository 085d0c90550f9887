"""Tables that nobody writes: loops that read them go round as often as they say.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scopec.memory.events.events import Kind
from scopec.memory.unfold import accesses, symbolic
from scopec.memory.unfold.unfolding import Unfolding
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.samples import programs

#: How long one random program may take.
SECONDS = 2.0
PROGRAM = """#include <cuda/atomic>
__device__ int row[4] = {{{row}}}, column[8] = {{{column}}}, out[8], other;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag, seen[8];
__global__ void k() {{
    int v = threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++) {{ int u = column[e]; {body} }}
    {after}
}}
//@ launch k<<<1, {threads}>>>();
//@ expect race_free;
//@ expect {more};
"""
PUSH = "if (seen[u].exchange(1) == 0) out[u] = e;"


def written(
    folder: Path, body: str = PUSH, row: str = "0, 4, 7, 7", column: str = "0, 1, 2, 3, 3, 2, 4, 0",
    threads: int = 2, after: str = "", more: str = "allowed seen[3] == 1",
) -> Path:  # fmt: skip
    path = folder / "program.cu"
    path.write_text(PROGRAM.format(row=row, column=column, body=body, threads=threads, after=after, more=more))
    return path


def verdicts(path: Path, *without: str) -> list[str]:
    overrides = Overrides(without=frozenset(without))
    (outcome,) = check([path], Settings(overrides, engine="embedded", timeout=SECONDS))
    return [found.verdict for found in outcome.reports[0].checks]


def assert_same(path: Path) -> None:
    """What is known without the reduction is the same with it."""
    for one, other in zip(verdicts(path), verdicts(path, "constants"), strict=False):
        assert one == other or other == "unknown", path.read_text()


def accessed(path: Path, name: str, kind: Kind, *without: str) -> int:
    (run,) = plan(path, path.name, Overrides(without=frozenset(without))).runs
    found = [e for e in run.graph.events if e.location is not None and e.location.object == name]
    return sum(e.kind is kind for e in found)


def reads(path: Path, name: str) -> int:
    return accessed(path, name, Kind.READ)


def test_a_loop_goes_round_as_often_as_its_table_says(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert reads(path, "row") == reads(path, "column") == 0
    assert reads(path, "seen") == 7
    assert verdicts(path)[:2] == ["holds", "holds"]


def test_few_turns_are_events(tmp_path: Path) -> None:
    """A loop that ends at once by itself is as it was."""
    path = tmp_path / "program.cu"
    path.write_text("__device__ int in[2], out[2];\n__global__ void k() { int t = threadIdx.x; out[t] = in[t]; }\n"
                    "//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n")  # fmt: skip
    assert reads(path, "in") == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("writes", ["if (v == 1) row[1] = 3;", "if (flag.load() == 1) column[0] = 4;"])
def test_a_table_that_a_thread_writes_is_read(writes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is written before or after, or on some way alone."""
    path = written(tmp_path, "flag.store(u);", after=writes, more="allowed flag == 0")
    name = "row" if "row" in writes else "column"
    assert reads(path, name) > 0
    assert_same(path)
    monkeypatch.setattr(Unfolding, "_writers", {"row": frozenset(), "column": frozenset()})
    assert reads(path, name) == 0


SELECTS = """struct Matrix {{ int e[3][3]; }};
__device__ Matrix in[{many}], out[2];
__device__ int from[64], found[2];
__global__ void k(int n) {{
    int t = threadIdx.x;
    for (int turn = 0; turn < 4; turn++) {{
        const Matrix* one = in + {index};
        for (int i = 0; i < {rows}; i++) for (int j = 0; j < 3; j++) out[t].e[i][j] = one->e[j][i];
    }}
    {after}
}}
//@ launch k<<<1, 2>>>(4);
//@ expect race_free;
"""


@pytest.mark.parametrize("index", ["from[t * 4 + turn]", "from[from[t * 4 + turn]]"])
def test_an_index_selects_one_of_many_elements_as_its_table_says(index: str, tmp_path: Path) -> None:
    """Not each of 576 elements in each of 36 turns, twice."""
    path = tmp_path / "program.cu"
    path.write_text(SELECTS.format(index=index, many=64, rows=3, after=""))
    assert accessed(path, "from", Kind.READ, "settled") == 0
    assert accessed(path, "out[].e", Kind.WRITE, "settled") == 72
    assert verdicts(path) == ["holds"]


@pytest.mark.parametrize("after", ["if (t == 1) from[9] = 1;", "found[t] = atomicAdd(&from[t], 1);"])
def test_of_a_table_that_is_written_any_element_may_be_selected(after: str, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(SELECTS.format(index="from[t]", many=4, rows=1, after=after).replace("turn < 4", "turn < 1"))
    assert accessed(path, "from", Kind.READ, "settled") > 0
    assert accessed(path, "in[].e", Kind.READ, "settled") > 72


def test_few_elements_are_events(tmp_path: Path) -> None:
    """With each of them, and the read that selects one."""
    path = tmp_path / "program.cu"
    path.write_text("__device__ int in[2], from[16], out[2];\n"
                    "__global__ void k() { int t = threadIdx.x; out[t] = from[in[t]]; }\n"
                    "//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n")  # fmt: skip
    assert [accessed(path, name, Kind.READ, "settled") for name in ("in", "from")] == [2, 32]


def random_program(chance: random.Random, folder: Path) -> Path:
    """A loop over some elements of a table, with atomics and accesses to where these say; sometimes one is written."""
    ends = sorted(chance.randrange(8) for _ in range(3))
    body = " ".join(
        chance.choice([
            PUSH, "seen[u].fetch_add(1);", "out[u] = 1;", "if (flag.load() == u) break;", "out[e] = u;", "flag.store(u);",
            "if (u == 2) continue;", "other = u;", "if (seen[u].load() == 0) out[0] = out[u];",
        ])
        for _ in range(chance.randrange(1, 3))
    )  # fmt: skip
    after = chance.choice(["", "", "", "row[3] = 1;", "if (v) column[7] = 1;", "flag.store(9);"])
    column = ", ".join(str(chance.randrange(8)) for _ in range(8))
    more = chance.choice(["allowed flag == 1", "forbidden seen[1] == 1", "allowed flag == 9", "forbidden seen[2] == 2"])
    return written(folder, body, f"0, {', '.join(map(str, ends))}", column, chance.choice([1, 2, 2, 3]), after, more)


@pytest.mark.parametrize("seed", range(programs(1, 100)))
def test_no_verdict_changes(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However short its loops are, and however few elements an index selects one of."""
    monkeypatch.setattr(symbolic, "_OFTEN", 1)
    monkeypatch.setattr(symbolic, "_MANY", 0)
    monkeypatch.setattr(accesses, "_FEW_ELEMENTS", random.Random(seed).choice([1, 100]))
    assert_same(random_program(random.Random(seed), tmp_path))
