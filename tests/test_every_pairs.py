"""All launches: accesses that are asked about together, and what is said where time or threads are too many."""

from __future__ import annotations

import pytest

from scopec.frontends.clang.anythread import loops
from scopec.frontends.clang.anythread.executor import Executor
from scopec.session.check import Settings, check
from tests.all_launches import is_proved, race_free

_I = "long i = blockIdx.x * blockDim.x + threadIdx.x;"
_WIDE = f"__global__ void k(int* a, char* none) {{ {_I} a[2 * i] = 1; ((char*)a)[8 * i + AT] = 1; }}"
_MANY = f"__global__ void k(int* a) {{ {_I} " + "".join(f"a[STEP * i + {n}] = {n};" for n in range(40)) + " }"
_FAR = f"__global__ void k(int* a) {{ {_I} a[64 * i] = 1; a[64 * i + 32] = 1; a[64 * i + FAR] = 2; }}"
_GLOBAL = f"__global__ void k(int* a, int* b) {{ {_I} a[i] = 1; __syncthreads(); b[i] = a[i + FAR]; }}"

PROVED = {
    "the byte before a word": _WIDE.replace("AT", "7"),
    "the byte after a word": _WIDE.replace("AT", "12"),
    "as many as the step": _MANY.replace("STEP", "40"),
    "between two others": _FAR.replace("FAR", "16"),
}
RACED = {
    "one more than the step": _MANY.replace("STEP", "39"),
    "the second of another thread": _FAR.replace("FAR", "96"),
    "the first of another thread": _FAR.replace("a[64 * i + FAR]", "if (i > 0) a[64 * i - 64]"),
    "a barrier between two blocks": _GLOBAL.replace("FAR", "1"),
}


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_accesses_that_are_apart_are_proved_together(tmp_path, name):
    assert race_free(tmp_path, PROVED[name], "blockDim.x <= 64") == "holds"


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(1)
def test_one_pair_of_many_that_meets_is_shown(tmp_path, name):
    assert race_free(tmp_path, RACED[name], "blockDim.x <= 64") == "violated"


@pytest.mark.parametrize("at", [8, 11])
@pytest.mark.sampled(1)
def test_a_byte_of_a_word_of_another_thread_meets_it(tmp_path, at):
    assert not is_proved(tmp_path, _WIDE.replace("AT", str(at)), "blockDim.x <= 64")


def _reason(folder, text: str) -> str:
    (file := folder / "k.cu").write_text(f"{text}\n//@ every k where gridDim.x == 1;\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings(engine="embedded"))
    (only,) = [made for report in outcome.reports for made in report.checks]
    assert only.verdict == "unknown"
    return only.reason or ""


def test_pairs_for_which_there_is_no_time_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("scopec.session.kernel_sizes._PAIRS", 0.0)
    assert "lines 1 and 1: the time is up before these and 0 others are asked" in _reason(
        tmp_path, PROVED["between two others"]
    )


def test_a_launch_of_too_many_threads_is_not_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("scopec.session.witnessed._MOST_THREADS", 1)
    monkeypatch.setattr("scopec.session.offers.offered", lambda *_: None)
    assert "which is too large to be looked at" in _reason(tmp_path, RACED["the second of another thread"])


def test_a_kernel_that_takes_too_long_to_read_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("scopec.session.kernel_sizes._READING", 0.0)
    assert "what one thread does is not known" in _reason(tmp_path, PROVED["between two others"])


def test_loops_in_loops_are_unrolled_so_far_alone(tmp_path, monkeypatch):
    """Forty turns of forty of forty of forty are two and a half million; how many are read is no matter of time."""
    turns, region = [0], Executor.region

    def counted(self, *given, **more):
        turns[0] += 1
        return region(self, *given, **more)

    monkeypatch.setattr(Executor, "region", counted)
    monkeypatch.setattr(loops, "_MOST_IN_ALL", 100)
    monkeypatch.setattr("scopec.session.kernel_sizes._READING", 600.0)
    nest = "".join(f"for (int {name} = 0; {name} < 40; ++{name}) " for name in "xyzw")
    text = f"__global__ void k(int* a) {{ {_I} int s = 0; {nest} s += x * y + z * w; a[i] = s; }}"
    assert race_free(tmp_path, text) == "holds"
    assert 0 < turns[0] < 10_000


#: Kernels that race, where not each launch can be read: with other numbers or smaller objects an index leaves its array.
SHOWN = {
    "a column before its row": "a[(blockIdx.x * blockDim.x + threadIdx.x) * n + m] = 1;",
    "turns below 0": "for (unsigned long j = 0; j <= (unsigned long)n - 1; ++j) a[j * blockDim.x] = 1;",
    "far into an object": "a[threadIdx.x / 2 + 20000] = 1;",
    "far into dynamic shared memory": "extern __shared__ int s[]; s[threadIdx.x / 2 + 2000] = 1;",
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.sampled(1)
def test_the_launch_that_shows_a_race_is_one_that_can_be_read(tmp_path, name):
    text = f"__global__ void k(int* a, int n, int m) {{ {SHOWN[name]} }}"
    assert race_free(tmp_path, text) == "violated"


_MANY = """__global__ void k(int* a) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (4 <= x && 4 <= y && 4 <= z && x < 20 && y < 20 && z < 20) a[(x * 20 + y) * ROW + z] = 1;
}
"""


def test_the_launch_that_is_looked_at_has_few_threads(tmp_path):
    assert race_free(tmp_path, _MANY.replace("ROW", "20")) == "holds"
    assert race_free(tmp_path, _MANY.replace("ROW", "10")) == "violated"
