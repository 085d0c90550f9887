"""Every way to ask takes a file without launches: a kernel that cannot be asked takes no other with it, in no silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scopec import api
from scopec.base import limits
from scopec.gpu.harness import UNSET
from scopec.session import guess_search
from tests.command import scopec
from tests.test_run import read_tests, written

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = """\
__global__ void count(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[0] += in[i];
}
"""
#: A kernel that is asked, and one for which nothing can be guessed.
MIXED = COUNT + "__global__ void bad(int& f) {}\n"
LAUNCH = "//@ launch count<<<2, 2>>>(in, out, 4);"
REFUSED = "no argument for `f` can be guessed"


@pytest.fixture
def mixed(write: Callable[..., Path]) -> Path:
    return write(MIXED, "mixed.cu")


def test_a_trace_tells_the_guess_and_what_is_refused(mixed: Path) -> None:
    done = scopec("trace", mixed, "--engine", "embedded")
    assert (done.returncode, REFUSED in done.stderr) == (2, True)
    assert LAUNCH in done.stdout
    assert "  violated for the guessed launch  race_free: a data race on `out[0]`" in done.stdout


def test_outcomes_tell_the_guess_and_what_is_refused(mixed: Path) -> None:
    done = scopec("outcomes", mixed)
    assert (done.returncode, REFUSED in done.stderr, LAUNCH in done.stdout) == (2, True, True)
    done = scopec("outcomes", mixed, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["programs"][0]["guessed"]) == (2, True)


def test_specifications_are_written_beside_what_is_refused(mixed: Path, tmp_path: Path) -> None:
    for more in (("-o", tmp_path / "out"), ("--show", "program"), ("-o", tmp_path / "out", "--check")):
        done = scopec("compile", mixed, *more)
        assert (done.returncode, REFUSED in done.stderr) == (2, True), done.stdout
    assert [path.suffix for path in sorted((tmp_path / "out").iterdir())] == [".tla", ".als", ".cfg", ".tla"]


def test_a_kernel_that_a_gpu_is_not_given_takes_no_other_with_it(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(f"__global__ void f(float* a) {{ a[threadIdx.x] = a[4]; }}\n{COUNT}", "floats.cu")
    done = scopec("run", path, "--emit", tmp_path / "harness")
    assert done.returncode == 2
    assert "`scopec run` does not run objects of type `float`" in done.stderr
    assert "1 tests in" in done.stderr
    (test,) = read_tests(path)
    ended = [0] * len(test.roles)
    words = [*ended, *[UNSET] * (test.words - len(ended))]
    done = scopec("run", path, "--results", written(path, [[7, *words]], tmp_path))
    assert done.returncode == 2
    assert "kernel = count" in done.stdout, done.stdout + done.stderr


@pytest.mark.sampled(0)
def test_tests_of_pytest_are_of_every_kernel(mixed: Path) -> None:
    call = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "scopec.pytest_plugin", "-q"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*call, "-o", "scopec_engine=embedded", mixed.name],
        capture_output=True, text=True, check=False, env=environment, cwd=mixed.parent,
    )  # fmt: skip
    assert "2 failed, 1 passed" in done.stdout
    assert f"error: the kernel `bad` is never launched, and {REFUSED}" in done.stdout


@pytest.mark.parametrize("engine", ["embedded", "alloy", "tlc"])
def test_every_engine_is_asked(engine: str) -> None:
    found = api.check(text=COUNT, engine=engine)
    assert [(one.kind, one.answer) for one in found] == [("race_free", "violated"), ("terminates", "holds")]


def test_files_that_changed_are_asked(write: Callable[..., Path]) -> None:
    path = write(COUNT, "count.cu")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(path.parent)]
    for call in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *call], check=True)
    since = ("check", path, "--changed-since", "HEAD", "--engine", "embedded")
    assert "no program has changed" in scopec(*since).stderr
    path.write_text(f"{COUNT}// changed\n")
    assert (scopec(*since).returncode, LAUNCH in scopec(*since).stdout) == (1, True)


def test_time_to_try_is_that_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work of others on the machine makes no guess a refusal."""
    sized = guess_search._sized

    def waits(*given: object, slow: bool) -> guess_search.Guess:
        time.sleep(0.4)
        return sized(*given, slow=slow)  # type: ignore[arg-type]

    monkeypatch.setattr(guess_search, "_sized", waits)
    monkeypatch.setattr("scopec.session.guessing._MOST", 0.3)
    monkeypatch.setattr("scopec.session.guessing._LEAST", 0.3)
    text = "__global__ void k(int* a) { a[threadIdx.x] = 1; }"
    api.check(text=text, engine="embedded")  # what is imported, and precompiled, is no work of the second call
    assert api.check(text=text, engine="embedded").exit_code == 0


def test_what_children_work_counts() -> None:
    before = limits.worked()
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    assert limits.worked() > before + 0.03


# ---------------------------------------------------------------- files of PTX

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
#: A number of 64 bits is no pointer, though addresses are made of it; a pointer may be added to before it is used.
TOTAL = """\
.visible .entry total(.param .u64 in, .param .u64 total_param_1, .param .u64 n, .param .f32 scale)
{
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<12>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [total_param_1];
  ld.param.u64 %rd3, [n];
  ld.param.f32 %f1, [scale];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  cvt.s64.s32 %rd9, %r5;
  setp.ge.s64 %p1, %rd9, %rd3;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd4, %rd1;
  add.s64 %rd5, %rd4, %rd9;
  ld.global.v2.u32 {%r6, %r7}, [%rd5];
  shl.b64 %rd7, %rd3, 2;
  add.s64 %rd8, %rd2, %rd7;
  ld.f32 %f1, [%rd8+-16];
  st.f32 [%rd8+-16], %f1;
DONE:
  ret;
}
"""
#: A kernel for blocks of three threads; nothing in it reads its last parameter.
BOUND = """\
.visible .entry bound(.param .u64 .ptr .global .align 8 a, .param .u64 .ptr .global .align 8 unused)
.reqntid 3
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd2, %r1, 8, %rd1;
  st.global.u64 [%rd2], %rd1;
  ret;
}
"""


def test_kernels_of_ptx_are_guessed(write: Callable[..., Path]) -> None:
    path = write(HEAD + TOTAL.replace("%rd4, %rd9;", "%rd4, 0;") + BOUND, "kernels.ptx")
    done = scopec("check", path, "--engine", "embedded", "--format", "json")
    total, bound = json.loads(done.stdout)["programs"]
    assert total["directives"] == [
        "object __device__ __align__(8) int in[16];",
        "object __device__ float p1[16];",
        "launch total<<<2, 2>>>(in, p1, 4, 4);",
    ]
    assert bound["directives"] == [
        "object __device__ long long a[16];",
        "object __device__ int unused[16];",
        "launch bound<<<1, dim3(3)>>>(a, unused);",
    ]
    assert [check["verdict"] for check in total["checks"]] == ["violated", "holds"]
    assert [check["verdict"] for check in bound["checks"]] == ["holds", "holds"]
    assert scopec("check", path, "--no-guess").returncode == 2
    for command in ("trace", "outcomes"):
        assert scopec(command, path).returncode == (1 if command == "trace" else 0)


def test_misaligned_accesses_of_ptx_are_no_verdict(write: Callable[..., Path]) -> None:
    done = scopec("check", write(HEAD + TOTAL, "odd.ptx"), "--engine", "embedded")
    assert done.returncode == 2
    assert "odd.ptx:20:3: error: an access of 4 bytes that is not" in done.stderr


def test_bytes_that_a_kernel_of_ptx_takes_are_not_guessed(write: Callable[..., Path]) -> None:
    path = write(f"{HEAD}.visible .entry k(.param .align 8 .b8 k_param_0[16]) {{ ret; }}\n", "bytes.ptx")
    done = scopec("check", path)
    assert (done.returncode, "no argument for `p0` can be guessed" in done.stderr) == (2, True)


def test_launches_of_ptx_are_written_down(write: Callable[..., Path]) -> None:
    path = write(HEAD + BOUND + BOUND.replace("entry bound", "entry again"), "two.ptx")
    done = scopec("init", path)
    assert done.returncode == 0, done.stderr
    beside = path.with_name("two.bound.cu")
    assert beside.read_text().startswith('//@ kernels "two.ptx";\n')
    assert scopec("check", beside, "--engine", "embedded").returncode == 0
    one = write(HEAD + BOUND, "one.ptx")
    assert scopec("init", one).returncode == 0
    assert "guessed" not in scopec("check", one, "--engine", "embedded").stdout
