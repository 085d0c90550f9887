"""Decisions on floating-point numbers: threads that find the same number decide alike, and others need not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scopec.frontends.clang.intrinsics import copies
from scopec.frontends.clang.machine.machine import Machine
from scopec.frontends.clang.machine.recording import Recording
from scopec.program import ir, truths, values
from scopec.session.plan import Overrides
from tests.conftest import check_text, program_of, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from scopec.frontends.clang.machine.state import State
    from scopec.program.values import Value

DONE = "__device__ int done;\n"
MAIN = """
int main() {{
  float *r;
  cudaMallocManaged(&r, 4 * sizeof(float));
  r[0] = 8.0f; r[1] = 1.0f; r[2] = 2.0f;
  k<<<{shape}>>>(r, 1.0f);
  cudaDeviceSynchronize();
}}
"""
LOOP = """
__global__ void k(float* r, float t) {
  int i = 0;
  while (CONDITION && i < 2) { __syncthreads(); if (threadIdx.x == 0) CHANGE; AGAIN i++; }
}
"""


def asked(tmp_path: Path, kernel: str, *expected: str, shape: str = "1, 2") -> dict[str, list[str]]:
    """The verdicts of a kernel of ``r``, ``done`` and ``t``."""
    text = DONE + kernel + MAIN.format(shape=shape) + "".join(f"//@ expect {one};\n" for one in expected)
    return verdicts([check_text(tmp_path, text, engine="embedded")])


def loop(condition: str, change: str = "r[0] = r[0] * 0.5f", again: str = "__syncthreads();") -> str:
    """A loop that goes on while a condition holds."""
    return LOOP.replace("CONDITION", condition).replace("CHANGE", change).replace("AGAIN", again)


@pytest.mark.parametrize(
    "condition",
    [
        "r[0] > t",
        "r[0] > t * t",
        "-r[0] < 0",
        "r[0] + 1 > t",
        "(double)r[0] > 0.5",
        "(int)r[0] > 1",
        "sqrtf(r[0]) > t",
        "isnan(r[0])",
        "fabs(r[0]) > 0.5",
    ],
)
@pytest.mark.sampled(4)
def test_all_go_round_together(tmp_path: Path, condition: str) -> None:
    """Threads that read one number between two barriers leave the loop in one turn."""
    assert asked(tmp_path, loop(condition), "race_free", "terminates") == {
        "race_free": ["holds"],
        "terminates": ["holds"],
    }


def test_additions_change_a_number(tmp_path: Path) -> None:
    """The number after an atomic addition is another one."""
    added = loop("r[0] > t", "atomicAdd(r, -1.0f)")
    assert asked(tmp_path, added, "race_free", "terminates") == {"race_free": ["holds"], "terminates": ["holds"]}


def test_a_barrier_is_needed_still(tmp_path: Path) -> None:
    """Without the second one who reads races with who writes."""
    assert asked(tmp_path, loop("r[0] > t", again=""), "race_free")["race_free"] == ["violated"]


@pytest.mark.parametrize(
    "condition",
    [
        "r[threadIdx.x] > t",  # two numbers
        "r[0] > t + threadIdx.x",  # two limits
        "r[0] * r[1] + t > 0",  # compilers may fuse the product and the sum, in one copy of the loop and not in another
        "r[0] > (clock() & 1 ? 1.0f : 2.0f)",  # a limit of which nothing is known
    ],
)
def test_what_may_differ_may_end_in_different_turns(tmp_path: Path, condition: str) -> None:
    """A thread that goes on alone writes while the other one reads."""
    assert asked(tmp_path, loop(condition, "r[0] = 1; r[1] = 1"), "race_free")["race_free"] == ["violated"]


def test_a_limit_decides_for_all_threads(tmp_path: Path) -> None:
    """What is decided on the arguments alone is one decision, and it may be either."""
    kernel = """
    __global__ void k(float* r, float t) {
      if (t != 0.0f) __syncthreads(); else __syncwarp();
      if (threadIdx.x == 0 && t != 0.0f) done = 1;
    }
    """
    found = asked(tmp_path, kernel, "terminates", "allowed done == 1", "allowed done == 0")
    assert found == {"terminates": ["holds"], "allowed done == 1": ["holds"], "allowed done == 0": ["holds"]}


def test_each_launch_has_its_argument(tmp_path: Path) -> None:
    """Two launches may have numbers that differ, one has one."""
    text = """
    __device__ int seen[2];
    __global__ void k(float t, int n) { if (t > 0) seen[n] = 1; }
    int main() {
      float *r; cudaMallocManaged(&r, 8); r[0] = 1; r[1] = 2;
      k<<<1, 1>>>(r[0], 0); k<<<1, 1>>>(r[1], 1); cudaDeviceSynchronize();
    }
    //@ expect allowed seen[0] == 1 && seen[1] == 0;
    //@ expect allowed seen[0] == 1 && seen[1] == 1;
    """
    found = verdicts([check_text(tmp_path, text, engine="embedded")])
    assert list(found.values()) == [["holds"], ["holds"]]


def test_host_and_device_may_round_otherwise(tmp_path: Path) -> None:
    """What the host decides on a number the kernel may decide otherwise, and it may decide alike."""
    text = """
    __device__ __managed__ int on_device;
    __global__ void k(float* r) { if (r[0] * 3 > 1) on_device = 1; }
    int main() {
      float *r; cudaMallocManaged(&r, 4); r[0] = 1;
      if (r[0] * 3 > 1) k<<<1, 1>>>(r); else on_device = 1;
      cudaDeviceSynchronize();
    }
    //@ expect allowed on_device == 1;
    //@ expect allowed on_device == 0;
    """
    found = verdicts([check_text(tmp_path, text, engine="embedded")])
    assert list(found.values()) == [["holds"], ["holds"]]


@pytest.mark.parametrize("kept", ["float v = r[0] * 0.5f;", "double v = r[0];", "float v = sqrtf(r[0]), w = v; v = w;"])
def test_a_variable_keeps_how_it_is_computed(tmp_path: Path, kept: str) -> None:
    """Barriers between the load and the decision change nothing."""
    kernel = """
    __global__ void k(float* r, float t) {
      float limit = t * t; KEPT
      __syncthreads();
      if (v > limit) __syncthreads(); else __syncwarp();
    }
    """
    assert asked(tmp_path, kernel.replace("KEPT", kept), "terminates") == {"terminates": ["holds"]}
    other = kernel.replace("KEPT", kept.replace("r[0]", "r[threadIdx.x]"))
    assert asked(tmp_path, other, "terminates")["terminates"] == ["violated"]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("blockIdx.x", "holds"),
        ("2 * blockIdx.x + 1", "holds"),
        ("(blockIdx.x + threadIdx.x) / 2", "violated"),
        ("blockIdx.x + (threadIdx.x & done)", "violated"),
    ],
)
def test_threads_of_a_block_decide_alike_on_its_element(index: str, expected: str, tmp_path: Path) -> None:
    """Of an array of more elements than have bits, only those count to which some thread comes."""
    text = f"""
    __device__ float e[9];
    __device__ int done;
    __global__ void k() {{ if (e[{index}] > 1) __syncthreads(); else __syncwarp(); }}
    //@ launch k<<<2, 2>>>();
    //@ expect terminates;
    """
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) == {"terminates": [expected]}


TWICE = """
__device__ int lock;
__global__ void k(float* r, float t) {
  if (r[0] > t) while (atomicCAS(&lock, 0, 1));
  __threadfence();
  CHANGE
  if (r[0] > t) { done += 1; __threadfence(); atomicExch(&lock, 0); }
}
"""


@pytest.mark.parametrize(("change", "expected"), [("", "holds"), ("if (blockIdx.x == 9) r[0] = 1;", "holds")])
def test_one_thread_decides_twice_alike(tmp_path: Path, change: str, expected: str) -> None:
    """Who took the lock gives it back."""
    found = asked(tmp_path, TWICE.replace("CHANGE", change), "race_free", "terminates", shape="2, 1")
    assert found == {"race_free": [expected], "terminates": [expected]}


def test_a_number_that_was_stored_between_is_another(tmp_path: Path) -> None:
    """Who took the lock may keep it."""
    changed = TWICE.replace("CHANGE", "r[0] = r[1];")
    assert asked(tmp_path, changed, "terminates", shape="2, 1")["terminates"] == ["violated"]


def test_nothing_is_known_of_what_nobody_stored(tmp_path: Path) -> None:
    """Memory without a value makes either decision."""
    kernel = "__global__ void k(float* r, float t) { __shared__ float s; if (s > t) done = 1; }"
    assert asked(tmp_path, kernel, "allowed done == 1", "allowed done == 0", shape="1, 1") == {
        "allowed done == 1": ["holds"],
        "allowed done == 0": ["holds"],
    }


def test_nothing_is_known_of_memory_that_nobody_filled(tmp_path: Path) -> None:
    """Two reads of it need not find the same."""
    text = """
    __global__ void k(float* r) { if (r[0] > 1) __syncthreads(); else __syncwarp(); }
    int main() { float* r; cudaMalloc(&r, 4); k<<<1, 2>>>(r); cudaDeviceSynchronize(); }
    //@ expect terminates;
    """
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) == {"terminates": ["violated"]}


GLOBAL = """
__device__ float e[2];
__device__ int done;
__global__ void k(float t) { if (e[0] > t) __syncthreads(); else __syncwarp(); if (e[0] > t && !threadIdx.x) done = 1; }
//@ launch k<<<1, 2>>>(1.0f);
//@ expect terminates;
//@ expect allowed done == 1;
//@ expect allowed done == 0;
"""


def test_first_contents_are_the_same_for_all(tmp_path: Path) -> None:
    """An object that is there from the beginning has one number, whichever it is."""
    found = verdicts([check_text(tmp_path, GLOBAL, engine="embedded")])
    assert found == {"terminates": ["holds"], "allowed done == 1": ["holds"], "allowed done == 0": ["holds"]}


def test_a_model_without_a_host_decides_for_each_thread(tmp_path: Path) -> None:
    """What the host decides before all else is not there."""
    found = verdicts([check_text(tmp_path, GLOBAL, engine="embedded", overrides=Overrides(progress="obe"))])
    assert found["terminates"] == ["violated"]


COPIED = """
__device__ bool above(float a, bool, float t) { return a > t; }
__global__ void k(float* r, float t) {
  float v = r[threadIdx.x];
  bool first = above(v, (v = r[2], true), t);
  if (first) __syncthreads(); else __syncwarp();
}
"""


def _as_it_is(_: Recording, __: State, value: Value, ___: object) -> Value:
    return value


def test_an_old_value_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An argument has the value that the variable had: two numbers here, though both variables then hold one."""
    assert asked(tmp_path, COPIED, "terminates") == {"terminates": ["violated"]}
    monkeypatch.setattr(Recording, "_copy", _as_it_is)
    assert asked(tmp_path, COPIED, "terminates") == {"terminates": ["holds"]}


MEETING = """
__global__ void k(float* r, float t) {
  float d = 100;
  for (int i = 0; i < 3; i++) { float n = r[i]; d = n < d ? n : d; }
  if (d < t) done = 1;
}
"""


def test_ways_that_compute_a_value_otherwise_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop is not followed once for each way in which its variables are computed."""
    sizes = []
    for _ in range(2):
        program = program_of(DONE + MEETING + MAIN.format(shape="1, 1"))
        sizes.append(sum(len(body.nodes) for body in program.bodies))
        monkeypatch.setattr(Machine, "_meet_formulas", lambda *_: None)
    assert sizes[0] < sizes[1]


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("kept_machines")
@pytest.mark.parametrize("kernel", [loop("r[0] > t"), loop("r[0] > t", again=""), TWICE.replace("CHANGE", "")])
def test_the_jars_agree(tmp_path: Path, kernel: str) -> None:
    """The specifications say the same."""
    text = DONE + kernel + MAIN.format(shape="1, 2") + "//@ expect race_free;\n//@ expect terminates;\n"
    embedded, jars = (verdicts([check_text(tmp_path, text, engine=one)]) for one in ("embedded", "both"))
    assert embedded == jars


@pytest.mark.parametrize(
    ("broken", "kernel"),
    [
        ("_has", GLOBAL),
        ("_contents", GLOBAL),
        ("_decided", GLOBAL.replace("e[0]", "t").replace("> t", "> 0")),
    ],
)
def test_each_part_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, kernel: str) -> None:
    """Without it a verdict is another one."""
    text = kernel if "launch" in kernel else DONE + kernel + MAIN.format(shape="1, 2")
    before = verdicts([check_text(tmp_path, text, engine="embedded")])
    if broken == "_has":
        monkeypatch.setattr(truths, "_has", lambda *_: values.TRUE)
    else:
        monkeypatch.setattr(truths, broken, lambda *_: ())
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) != before


COPIED_BETWEEN = """
__device__ int done, other;
__global__ void k(float* r, float t) { if (r[0] > t) other = 1; }
__global__ void l(float* r, float t) { if (r[0] > t) done = 1; }
int main() {
  float *r, *q; cudaMallocManaged(&r, 4); cudaMalloc(&q, 4); r[0] = 8;
  k<<<1, 1>>>(r, 1.0f); cudaMemcpy(q, r, 4, cudaMemcpyDefault); l<<<1, 1>>>(q, 2.0f); cudaDeviceSynchronize();
}
//@ expect allowed done == 1;
//@ expect allowed done == 0;
"""


def test_a_copy_is_decided_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits of what it was copied from are those of other formulas, also if a store had its register."""
    for _ in range(2):
        assert set(map(tuple, verdicts([check_text(tmp_path, COPIED_BETWEEN, engine="embedded")]).values())) == {
            ("holds",)
        }
        monkeypatch.setattr(copies, "_converted", lambda register, _: register)


EXCHANGED = """
__device__ float f; __device__ int before, after;
__global__ void k(float t) {
  if (f > t) before = 1;
  atomicCAS((int*)&f, __float_as_int(f), 1);
  if (f > t) after = 1;
}
//@ launch k<<<1, 1>>>(1.0f);
//@ expect allowed before == 0 && after == 1;
//@ expect allowed before == 1 && after == 0;
//@ expect allowed before == 0 && after == 0;
"""


def test_what_a_compare_exchange_writes_is_any_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions before and behind it are each its own."""
    held = [["holds"]] * 3
    assert list(verdicts([check_text(tmp_path, EXCHANGED, engine="embedded")]).values()) == held
    monkeypatch.setattr(truths, "_KNOWN", (*truths._KNOWN, ir.CompareExchange))
    assert list(verdicts([check_text(tmp_path, EXCHANGED, engine="embedded")]).values()) != held


def test_integers_keep_their_values(tmp_path: Path) -> None:
    """A decision on a floating-point number that is made of one is none on a number that is not modelled."""
    text = """
    __device__ int n, done;
    __global__ void k(float t) { n = 5; if ((float)n > t) done = 1; }
    //@ launch k<<<1, 1>>>(1.0f);
    //@ expect required n == 5;
    """
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) == {"required n == 5": ["holds"]}
