"""`scopec run`: what harnesses for a GPU wrote beside what the model allows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate

from scopec.gpu import harness as gpu_harness
from scopec.gpu.harness import UNSET
from scopec.gpu.run import read
from scopec.session.check import Settings
from tests.command import scopec

if TYPE_CHECKING:
    pass

SPECS = Path(__file__).parent.parent / "specs"
#: Each kind of thing that a harness can have: RMWs, volatile, shared memory, barriers, loops, fences, arrays, warps,
#: mbarriers and copies.
CHOICE = (
    "litmus/mp.cu", "litmus/cas.cu", "litmus/iriw.cu", "litmus/fetch-add.cu", "litmus-files/ptx-sleeper.litmus",
    "litmus-files/ptx-one-direction.litmus", "ptx/volatile.cu", "ptx/reduction.cu", "programs/last-block.cu",
    "programs/lock-guard.cu", "algorithms/ticket-lock.cu", "barriers/syncthreads.cu", "barriers/syncwarp.cu",
    "barriers/cluster.cu", "barriers/distributed.cu", "barriers/vote.cu", "barriers/votes.cu", "barriers/tile-shuffle.cu",
    "barriers/semaphore.cu", "host/with-kernel.cu", "host/stream-synchronize.cu", "barriers/latch.cu", "cuda-execution-model/grid-sync.cu", "litmus-files/ptx-barriers.litmus",
    "asynchronous/bulk-load.cu", "asynchronous/remote-arrival.cu", "asynchronous/store-groups.cu", "asynchronous/copies-arrive.cu",
)  # fmt: skip
#: What a harness takes of CUDA's headers where clang compiles it, but for what clang.cuh has.
CUDA = """\
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
using size_t = unsigned long;
struct dim3 { dim3(unsigned); };
enum { cudaLaunchAttributeClusterDimension };
struct cudaLaunchAttribute { int id; struct { struct { unsigned x, y, z; } clusterDim; } val; };
struct cudaLaunchConfig_t { unsigned gridDim, blockDim; size_t dynamicSmemBytes; cudaLaunchAttribute* attrs; int numAttrs; };
"""
#: A compiler that does not compile: what it makes says how it was asked to, as a harness does.
FAKE_COMPILER = """\
#!/bin/sh
case " $* " in
    *-print-resource-dir*) echo clang version 22.1.8 >&2; echo RESOURCES ;;
    *--dryrun*) echo '#$ TOP=/toolkit' >&2 ;;
    *BUILT*) echo "$*" | sed 's/.*-DBUILT="\\([^"]*\\)".*/\\1/' > built ;;
    *" -o run "*) (echo '#!/bin/sh'; echo "cat <<END"; sed "s/BUILT/$(cat built)/" RESULTS; echo END) > run; chmod +x run ;;
    *) echo "$*" >> ASKED ;;
esac
"""
LOAD_BUFFERING = """\
PTX lb
{ x = 0; y = 0; }
 P0@cta 0,gpu 0        | P1@cta 1,gpu 0        ;
 ld.relaxed.gpu r0, x  | ld.relaxed.gpu r0, y  ;
 st.relaxed.gpu y, 1   | st.relaxed.gpu x, 1   ;
~exists (0:r0=1 /\\ 1:r0=1)
"""


def read_tests(*paths: Path) -> list[gpu_harness.Test]:
    return [test for file in read(paths, Settings()) for test in file.tests]


def flat(text: str) -> str:
    """A report without the breaks of its lines."""
    return " ".join(text.split())


def written(path: Path, states: list[list[int]], folder: Path, built: str = "") -> Path:
    """Results as a harness writes them, of a file with one test."""
    (test,) = read_tests(path)
    about = {"scopec": 1, "gpu": "a GPU", "built": built, "rounds": 1, "seed": 1, "turns": 10}
    record = {"test": test.name, "key": test.key, "runs": 1000, "lost": 0, "states": states}
    results = folder / "results.jsonl"
    results.write_text("\n".join(json.dumps(line) for line in (about, record)) + "\n")
    return results


# ---------------------------------------------------------------- what is seen and what is allowed


def test_what_is_seen_beside_what_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "lb.litmus"
    path.write_text(LOAD_BUFFERING)
    # How both threads ended, their registers, x and y.
    results = written(path, [[900, 0, 0, 0, 0, 1, 1], [100, 0, 0, 1, 0, 1, 1]], tmp_path)
    done = scopec("run", path, "--results", results)
    assert done.returncode == 0, done.stderr
    assert "every final state seen is allowed: 2 of 4 allowed states seen in 1,000 runs on a GPU" in flat(done.stdout)
    assert "900  0:r0=0; 1:r0=0; [x]=1; [y]=1;" in done.stdout
    assert "0  0:r0=1; 1:r0=1; [x]=1; [y]=1;  allowed, not seen" in done.stdout


def test_a_state_that_is_seen_and_forbidden_fails(tmp_path: Path) -> None:
    """RC11's axiom is one that GPUs do not keep."""
    path = tmp_path / "lb.litmus"
    path.write_text("//@ options thin_air = rc11;\n".join(LOAD_BUFFERING.rpartition("~exists")[::2]).replace(
        "(0:r0", "~exists (0:r0"))  # fmt: skip
    results = written(path, [[979, 0, 0, 0, 0, 1, 1], [21, 0, 0, 1, 1, 1, 1]], tmp_path)
    done = scopec("run", path, "--results", results, "--model", "cuda")
    assert done.returncode == 1, done.stderr
    shown = flat(done.stdout)
    assert "`0:r0=1; 1:r0=1; [x]=1; [y]=1;` seen 21 times in 1,000 runs on a GPU, and `cuda-v3` forbids it" in shown
    assert "21  0:r0=1; 1:r0=1; [x]=1; [y]=1;  forbidden" in done.stdout


def test_a_wrong_expectation_fails_on_the_machine(tmp_path: Path) -> None:
    path = tmp_path / "lb.litmus"
    path.write_text(LOAD_BUFFERING)
    results = written(path, [[979, 0, 0, 0, 0, 1, 1], [21, 0, 0, 1, 1, 1, 1]], tmp_path)
    junit = tmp_path / "report.xml"
    done = scopec("run", path, "--results", results, "--format", "json", "--format", "junit", "--output", junit)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    validate(report, json.loads((SPECS.parent / "docs" / "results.schema.json").read_text()))
    (program,) = report["programs"]
    assert [c["verdict"] for c in program["checks"]] == ["holds", "violated"]
    assert program["checks"][1]["reason"] == "21 of 1,000 runs on a GPU ended so"
    assert {s["count"]: s["status"] for s in program["seen"] if s["count"]} == {979: "allowed", 21: "allowed"}
    assert "ended so" in junit.read_text()


def test_several_results_are_beside_each_other(tmp_path: Path) -> None:
    """As of several compilers: what each saw, and what only some did."""
    path = tmp_path / "lb.litmus"
    path.write_text(LOAD_BUFFERING.replace("~exists", "exists"))
    ways: list[str | Path] = []
    for n, states in enumerate([[[900, 0, 0, 0, 1, 1, 1], [21, 0, 0, 1, 1, 1, 1]], [[7, 0, 0, 0, 1, 1, 1]]]):
        (tmp_path / str(n)).mkdir()
        ways += ["--results", written(path, states, tmp_path / str(n), built=f"-O{n}")]
    pages = tmp_path / "pages"
    done = scopec("run", path, *ways, "--format", "text", "--format", "html", "--output", pages)
    assert done.returncode == 0, done.stderr
    assert "2 of 4 allowed states seen in 2,000 runs on a GPU" in flat(done.stdout)
    assert "(2) -O1 on a GPU (1) (2) 900 7 0:r0=0; 1:r0=1; [x]=1; [y]=1; 21 0 0:r0=1; 1:r0=1;" in flat(done.stdout)
    assert "not seen by (2)" in done.stdout
    (page,) = (path.read_text() for path in pages.glob("*.html") if path.stem != "index")
    assert '<th scope="col" class="number">-O1 on a GPU</th>' in page
    assert page.count("<rect ") == 4


def test_threads_that_do_not_end_are_counted(tmp_path: Path) -> None:
    path = SPECS / "litmus-files" / "ptx-sleeper.litmus"
    (test,) = read_tests(path)
    rest = [0] * (len(test.observed) + 2)
    rest[0] = 1
    done = scopec("run", path, "--results", written(path, [[7, *rest]], tmp_path), "--format", "json")
    (program,) = json.loads(done.stdout)["programs"]
    assert program["unended"] == 7


def test_what_is_in_ptx_is_compared_with_its_model(tmp_path: Path) -> None:
    assert [f.settings.overrides.model for f in read([SPECS / "ptx" / "fences.cu"], Settings())] == [None]
    for path in (
        SPECS / "litmus-files" / "ptx-sleeper.litmus",
        next(iter(sorted((SPECS / "ptx-files").glob("*.ptx")))),
    ):
        assert [f.settings.overrides.model for f in read([path], Settings())] == ["ptx"]


def test_a_test_that_hangs_contradicts_that_it_ends(tmp_path: Path) -> None:
    path = SPECS / "barriers" / "syncthreads.cu"
    tests = read_tests(path)
    about = {"scopec": 1, "gpu": "a GPU"}
    lines = [about, *({"test": test.name, "key": test.key, "failed": "it hangs"} for test in tests)]
    results = tmp_path / "results.jsonl"
    results.write_text("\n".join(map(json.dumps, lines)))
    done = scopec("run", path, "--results", results)
    assert done.returncode == 1
    assert "violated  terminates: nothing was seen on a GPU: it hangs" in flat(done.stdout).replace(
        "violated ", "violated  "
    )


@pytest.mark.sampled(0)
def test_host_threads_say_when_others_begin_and_wait_for_them() -> None:
    """A launch is what the kernel's threads wait for; and who synchronizes with a stream waits for its own work alone."""
    device, host = read_tests(SPECS / "host" / "with-kernel.cu")[0].functions
    start, end = re.findall(r"p\.begins\((\d+)\)", device)[0], re.findall(r"tell\(p\.mapped\((\d+)\), 1\)", device)[0]
    launched, waited = f"tell(p.mapped({start}), 1);", f"p.ends({end});"
    assert host.index(launched) < host.index("__ATOMIC_RELEASE") < host.index(waited)
    for test in read_tests(SPECS / "host" / "stream-synchronize.cu"):
        waits = test.functions[1].count("p.ends") == 2  # the other is that of cudaDeviceSynchronize
        assert waits == any(f"KERNEL = {stream}, WAIT = {stream}]" in test.name for stream in (0, 1))


@pytest.mark.parametrize(
    "states",
    [[[1, 2**31, 0, 0, 0, 0, 0]], [[1, 0]], [[1, 0, 0, 0, 0, 0, 0, 0]], [[-1, 0, 0, 0, 0, 1, 1]], [[10**400, 0, 0, 0, 0, 1, 1]],
     [[1, 0, 0, 0, 0, 1, 2**64]], [[True, 0, 0, 0, 0, 1, 1]], [["1", 0, 0, 0, 0, 1, 1]], [[1.5, 0, 0, 0, 0, 1, 1]], [[]], 1, {"a": 1}],
    ids=str,
)  # fmt: skip
def test_results_that_no_harness_writes(states: object, tmp_path: Path) -> None:
    path = tmp_path / "lb.litmus"
    path.write_text(LOAD_BUFFERING)
    done = scopec("run", path, "--results", written(path, states, tmp_path))  # type: ignore[arg-type]
    assert done.returncode == 2
    assert "is not what a harness of `scopec run` writes" in done.stderr


@pytest.mark.parametrize("gpu", [None, ["x"], {"a": 1}, 10**400, True])
def test_what_is_said_of_a_gpu_is_text(gpu: object, tmp_path: Path) -> None:
    path, results = tmp_path / "lb.litmus", tmp_path / "results.jsonl"
    path.write_text(LOAD_BUFFERING)
    results.write_text(json.dumps({"scopec": 1, "gpu": gpu}) + "\n")
    assert scopec("run", path, "--results", results).returncode == 2


def test_results_of_another_text_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lb.litmus"
    path.write_text(LOAD_BUFFERING)
    results = written(path, [], tmp_path)
    path.write_text(LOAD_BUFFERING.replace("st.relaxed", "st.release"))
    done = scopec("run", path, "--results", results)
    assert done.returncode == 3
    assert "emit the harness again" in done.stderr


def test_a_local_without_a_value_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};\n"
        "__global__ void k() { if (x.load() == 1) { int seen = x.load(); (void)seen; } }\n//@ launch k<<<1, 1>>>();\n"
    )
    (test,) = read_tests(path)
    words = [0, *(UNSET for _ in test.locals), *(0 for _ in test.memory.anywhere)]
    done = scopec("run", path, "--results", written(path, [[1000, *words]], tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1,000  x=0;" in done.stdout


# ---------------------------------------------------------------- what cannot be run


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("atomicity/gpu-host.cu", "host threads that access memory of a device"),
        ("barriers/scope.cu", "`%1 = arrive.release.device both"),
        ("litmus-files/c-message-passing.litmus", "a program without device threads"),
    ],
)
def test_what_is_not_run_is_said_by_name(spec: str, said: str, tmp_path: Path) -> None:
    for where in ((), ("--emit", tmp_path / "harness")):
        done = scopec("run", SPECS / spec, "--nvcc", "true", *where)
        assert done.returncode == 2
        assert f"`scopec run` does not run {said}" in done.stderr
        assert "not what a harness" not in done.stderr


def test_no_compiler_and_no_results(tmp_path: Path) -> None:
    spec = SPECS / "litmus" / "mp.cu"
    done = scopec("run", spec, PATH=str(tmp_path))
    assert done.returncode == 3
    assert "there is no nvcc on PATH" in done.stderr
    assert scopec("run", spec, "--results", tmp_path / "none").returncode == 2
    (tmp_path / "other").write_text("{}")
    assert "is not what a harness" in scopec("run", spec, "--results", tmp_path / "other").stderr
    assert scopec("run", spec, "--results", "a", "--emit", "b").returncode == 2
