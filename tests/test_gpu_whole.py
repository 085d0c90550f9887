"""`scopec run` of programs whose host does more than launch kernels: their own text, and what is seen of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.gpu import orders, streams
from scopec.gpu.emit import files
from scopec.gpu.harness import UNSET
from scopec.gpu.results import read as shown
from scopec.gpu.run import read
from scopec.gpu.whole import Whole
from scopec.gpu.whole_text import seen
from scopec.session.check import Settings
from tests.command import scopec
from tests.test_run import SPECS, flat

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\nint main() {\n    int* data;\n"
COPY = "    cudaMalloc(&data, 4);\n    k<<<1, 1>>>(data);\n    int found;\n    cudaMemcpy(&found, data, 4, cudaMemcpyDefault);\n"


def whole(path: Path, *, as_written: bool = False) -> list[Whole]:
    """The tests of a file, all of them run whole."""
    tests = [test for file in read([path], Settings(), as_written=as_written) for test in file.tests]
    assert all(isinstance(test, Whole) for test in tests)
    return [test for test in tests if isinstance(test, Whole)]


def emitted(path: Path, *, as_written: bool = False) -> Mapping[str, str]:
    return files(whole(path, as_written=as_written), rounds=1, seed=1, turns=1)


def refused(text: str, folder: Path) -> str:
    """What is said of a program that is not run."""
    path = folder / "p.cu"
    path.write_text(text)
    done = scopec("run", path, "--emit", folder / "harness")
    assert done.returncode == 2, done.stdout
    return flat(done.stderr)


# ---------------------------------------------------------------- the text


def test_a_program_is_run_as_it_is_written() -> None:
    """Its text is there whole, each variant with its constant; `main` has another name, and what is seen is looked at."""
    path = streams.PROGRAMS / "events.cu"
    made = emitted(path)
    right, wrong = (made[f"whole-{test.key}.cu"] for test in whole(path))
    for text in (right, wrong):
        body = text[text.index("#line 1") : text.index("#undef main")].split("\n", 1)[1]
        body = body.replace("scopec::local(3, 1, 4, seen);  return 0; ", "")
        if text is wrong:  # a longer value, behind which the text is where it was
            body = re.sub(r"BEHIND = +false\n#line 4\n +;", "BEHIND = true;", body)
        assert body.strip() == path.read_text().strip()
        assert "#define main scopec_program" in text
    # data and result, then the local.
    assert "{4, 4}," in right
    assert "{true, 0, 1, 1, 4},\n        {true, 1, 2, 1, 4}," in right


def test_calls_go_by_way_of_the_harness() -> None:
    """Each call that is led elsewhere has the function that it is led to."""
    made = emitted(streams.PROGRAMS / "events.cu")
    led = re.findall(r"--wrap=(\w+)\n", made["calls.txt"])
    assert {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaEventRecord", "cuStreamWaitValue32_v2"} <= set(led)
    assert len(led) == len(set(led))
    assert "-Xcompiler @calls.txt" in made["Makefile"]
    assert made["run.sh"].count("./whole-") == 3  # each once, and the first to say where that is


@pytest.mark.sampled(0)
def test_both_kinds_of_tests_in_one_harness(tmp_path: Path) -> None:
    tests = [t for f in read([SPECS / "litmus" / "mp.cu", streams.PROGRAMS / "fill.cu"], Settings()) for t in f.tests]
    made = files(tests, rounds=1, seed=1, turns=1)
    assert {"main.cu", "part0.cu", "stress.cuh", "calls.cu", "whole.h", "process.h"} <= set(made)
    assert made["run.sh"].index("./play") < made["run.sh"].index("./whole-")
    assert "--about" not in made["run.sh"]  # the other one says where results are from
    only = emitted(streams.PROGRAMS / "fill.cu")
    assert not {"main.cu", "stress.cuh"} & set(only)
    assert only["run.sh"].count("--about") == 1


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("int a = 1; { int b = 2; }", {"a"}),
        ("for (int a = 0; a < 2; a++) {} int b, c;", {"b", "c"}),
        ("int a = 1; if (a) return 1; int b = 2;", {"a"}),
        ("auto f = [&](int b) { return b; }; int a = f(1);", {"a"}),
        ("int a = 1; if (a) { int b = 2; return b; }", {"a"}),
        ("x.a = 1; int b[2] = {1, 2};", {"b"}),
        ("return a; int b;", set()),
    ],
)
def test_locals_are_seen_where_they_are_in_scope(body: str, names: set[str]) -> None:
    assert seen(f"int main() {{ {body} }}", {"a", "b", "c"}) == names


def test_each_return_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "p.cu"
    path.write_text(HEAD + COPY + "    if (found) return 1; else found = 2;\n    return 0;\n}\n")
    (test,) = whole(path)
    look = "scopec::local(2, 1, 4, found); "
    assert f"if (found) switch ([&] {{ {look} return 0; }}()) default: return 1; else found = 2;" in test.text
    assert test.text.count(look) == 3


def test_pointers_and_freed_memory_are_not_compared(tmp_path: Path) -> None:
    """Where memory is differs from run to run; what is in memory that is no longer there nobody knows."""
    path = tmp_path / "p.cu"
    path.write_text(
        "#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\nint* kept;\nlong number;\nint main() {\n"
        "    int *data, *other;\n    cudaMalloc(&data, 4);\n    cudaMalloc(&other, 8);\n    kept = data;\n"
        "    k<<<1, 1>>>(kept);\n    cudaMemset(other, 0, 8);\n    number = 3;\n    cudaFree(data);\n}\n"
    )
    (test,) = whole(path)
    assert [f"{what}" for what in test.observed if "kept" in f"{what}" or "'data'" in f"{what}"] == []
    named = [what.location.object for what in test.observed if hasattr(what, "location")]
    assert named == ["number", "other", "other"]
    assert test.allocations == (4, 8)


def test_a_program_that_could_be_played_is_run_whole_where_that_is_asked(tmp_path: Path) -> None:
    path = SPECS / "host" / "stream-synchronize.cu"
    assert not any(isinstance(t, Whole) for f in read([path], Settings()) for t in f.tests)
    assert whole(path, as_written=True)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD.replace("main()", "main(int count, char** words)") + COPY + "}\n", "a `main` with parameters"),
        ('#include "cuda_runtime.h"\n' + HEAD + COPY + "}\n", "in a text that includes files of its own"),
        (HEAD + COPY + "    static int times;\n    times++;\n}\n", "with a static variable in a function"),
        (HEAD + COPY + "    exit(0);\n}\n", "ends its process"),
    ],
)
def test_what_cannot_be_done_again_is_refused_by_name(text: str, said: str, tmp_path: Path) -> None:
    found = refused(text, tmp_path)
    assert said in found
    assert "p.cu:" in found


# ---------------------------------------------------------------- compilers


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")
@pytest.mark.sampled(0)
def test_a_compiler_builds_programs_that_are_run_whole(tmp_path: Path) -> None:
    """Of each kind of call one, linked with what its calls are led to; without a GPU they say so."""
    names = ("nodes", "values", "pool")
    tests = [whole(streams.PROGRAMS / f"{name}.cu")[0] for name in names]
    for name, text in files(tests, rounds=1, seed=1, turns=1).items():
        (tmp_path / name).write_text(text)
    made = subprocess.run(
        ["make", "-j2", "run", "ARCH=sm_90", "FLAGS=-O1"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr[-2000:]
    assert (tmp_path / "run").is_file()


# ---------------------------------------------------------------- results


def results_of(path: Path, states: list[list[list[int]]], folder: Path) -> Path:
    """Results of a file, a list of states for each of its tests: how often, and what is observed."""
    about = {"scopec": 1, "gpu": "a GPU", "rounds": 1, "seed": 1, "turns": 1}
    lines: list[object] = [about]
    for test, found in zip(whole(path), states, strict=True):
        words = [[count, 0, *observed] for count, *observed in found]
        lines.append({"test": test.name, "key": test.key, "runs": sum(f[0] for f in found), "lost": 0, "states": words})
    results = folder / "results.jsonl"
    results.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return results


def test_a_right_program_that_goes_wrong_is_a_wrong_verdict(tmp_path: Path) -> None:
    """As an H200 showed of the wrong sibling; of that everything is allowed, as it races."""
    path = streams.PROGRAMS / "events.cu"
    results = results_of(path, [[[300, 1, 1, 1]], [[18, 1, 0, 0], [282, 1, 1, 1]]], tmp_path)
    done = scopec("run", path, "--results", results)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 allowed states seen in 300 runs" in flat(done.stdout)
    assert "the program is undefined" in flat(done.stdout)
    results = results_of(path, [[[299, 1, 1, 1], [1, 1, 0, 0]], [[1, 1, 1, 1]]], tmp_path)
    done = scopec("run", path, "--results", results)
    assert done.returncode == 1, done.stderr
    said = flat(done.stdout)
    assert "`main.seen=0; data=1; result=0;` seen 1 times in 300 runs on a GPU, and `cuda-v3` forbids it" in said
    assert "1 of 300 runs on a GPU ended otherwise" in said


def test_what_nobody_wrote_is_no_value(tmp_path: Path) -> None:
    (test, *_) = whole(streams.PROGRAMS / "events.cu")
    assert len(list(test.state([0, UNSET, 1, 1]))) == 2


def test_the_table_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "only" / "events.cu"
    path.parent.mkdir()
    path.write_text((streams.PROGRAMS / "events.cu").read_text())
    monkeypatch.setattr(streams, "PROGRAMS", path.parent)
    results = results_of(path, [[[300, 1, 1, 1]], [[18, 1, 0, 0], [282, 1, 1, 1]]], tmp_path)
    assert list(streams.table(shown(results)))[-2:] == [
        "| `events` | BEHIND = true | race free | 300 | 0 |",
        "| `events` | BEHIND = false | race | 300 | 18 |",
    ]


def test_programs_of_random_orders_are_always_the_same_and_read(tmp_path: Path) -> None:
    """Every tenth is read; each is run whole, and the final state says in which order the kernels ran."""
    made = dict(orders.programs())
    assert made == dict(orders.programs())
    assert len(made) == 80
    for name in list(made)[::10]:
        path = tmp_path / name
        path.write_text(made[name])
        (test,) = whole(path, as_written=True)
        assert len(test.observed) == 6
