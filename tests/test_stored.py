"""Stored results: shown again without asking, and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import scopec

RACE = """\
#include <cuda/atomic>
__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void mp() {
    int r = 1;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
    } else if (flag.load(cuda::memory_order_ORDER) == 1) {
        r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
//@ expect required mp[1][0].r == 1;
"""

HANG = """\
__device__ int flag = 0;
__global__ void wait() { while (atomicAdd(&flag, 0) == 0); }
//@ launch wait<<<1, 1>>>();
//@ expect terminates;
"""


def stored(tmp_path: Path, name: str, text: str, *options: str) -> Path:
    """The results of a program, which is gone then."""
    program, results = tmp_path / "p.cu", tmp_path / name
    program.write_text(text, encoding="utf-8")
    done = scopec("check", "p.cu", "--engine", "embedded", "--format", "json", "-o", name, *options, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    program.unlink()
    return results


def test_an_execution_is_shown_again(tmp_path: Path) -> None:
    results = stored(tmp_path, "race.json", RACE.replace("ORDER", "relaxed"))
    done = scopec("trace", str(results))
    assert done.returncode == 1
    for part in ("violated  race_free", "10: [race] read x", "7: [race] write x = 1", "mp[1][0]", "rf "):
        assert part in done.stdout
    assert "from line 8" in done.stdout
    other = scopec("trace", str(results), "--check", "required", "--json")
    (program,) = json.loads(other.stdout)["programs"]
    assert [check["kind"] for check in program["checks"]] == ["required"]
    assert scopec("trace", str(results), "--check", "nothing").returncode == 2
    assert "for --itf name the program itself" in scopec("trace", str(results), "--itf").stderr


def test_a_schedule_is_shown_again(tmp_path: Path) -> None:
    done = scopec("trace", str(stored(tmp_path, "hang.json", HANG)))
    assert done.returncode == 1
    assert "violated  terminates" in done.stdout
    assert "from here on" in done.stdout
    assert "launches wait" in done.stdout


def test_pages_and_pictures_are_made_of_stored_results(tmp_path: Path) -> None:
    race = stored(tmp_path, "race.json", RACE.replace("ORDER", "relaxed"))
    page = tmp_path / "page.html"
    assert scopec("trace", str(race), "-o", str(page)).returncode == 1
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.count("<svg") == 1
    assert "<script" not in text
    assert "7: write x = 1" in text
    drawn = scopec("trace", str(race), "--mermaid").stdout
    assert "|rf|" in drawn
    assert "<==>|race|" in drawn
    for form, begins in (("--svg", "<svg"), ("--dot", "digraph")):
        assert scopec("trace", str(race), form).stdout.startswith(begins)
    hang = stored(tmp_path, "hang.json", HANG)
    assert "launches wait" in scopec("trace", str(hang), "--html").stdout
    assert "nothing changes" in scopec("trace", str(hang), "--dot").stdout
    right = stored(tmp_path, "right.json", RACE.replace("ORDER", "acquire"))
    refused = scopec("trace", str(right), "--html")
    assert refused.returncode == 2
    assert "there is no trace to draw" in refused.stderr


def test_the_picture_of_stored_results_is_that_of_the_program(tmp_path: Path) -> None:
    """Its edges, but for the one that says where the way breaks."""
    race = stored(tmp_path, "race.json", RACE.replace("ORDER", "relaxed"))
    (tmp_path / "p.cu").write_text(RACE.replace("ORDER", "relaxed"), encoding="utf-8")
    of_program = scopec("trace", str(tmp_path / "p.cu"), "--engine", "embedded", "--dot").stdout
    wanted, found = (
        [line for line in text.split("\n") if "->" in line and "no-sw" not in line]
        for text in (of_program, scopec("trace", str(race), "--dot").stdout)
    )
    assert found == wanted


def test_no_text_of_stored_results_breaks_out_of_a_page(tmp_path: Path) -> None:
    race = stored(tmp_path, "race.json", RACE.replace("ORDER", "relaxed"))
    broken = json.loads(race.read_text(encoding="utf-8"))
    for program in broken["programs"]:
        program["file"] = "<script>alert(1)</script>"
        for check in program["checks"]:
            check["text"] = check["reason"] = "</title><img src=x onerror=alert(1)>\x1b[2J"
            check["why"] = ["<b>", "</pre>"]
    race.write_text(json.dumps(broken), encoding="utf-8")
    page = scopec("trace", str(race), "--html").stdout
    assert not {"<script", "<img", "<b>", "\x1b"} & {
        part for part in ("<script", "<img", "<b>", "\x1b") if part in page
    }
    assert "&lt;img" in page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is no JSON"),
        ("[1]", "`schema` is not"),
        ('{"schema": "scopec/2", "programs": []}', "`schema` is not"),
        ('{"schema": "scopec/1"}', "`programs` are not whole"),
        ('{"schema": "scopec/1", "programs": [{"file": 1}]}', "`programs` are not whole"),
        ('{"schema": "scopec/1", "programs": []}', "nothing to show"),
        (
            '{"schema": "scopec/1", "programs": [{"file": "p", "name": "p", "variant": {}, "model": "m", "progress": "p", '
            '"checks": [{"kind": "k", "text": "t", "verdict": "violated", "reason": null, "trace": {"type": "execution"}}]}]}',
            "a trace is not whole",
        ),
    ],
)
def test_what_is_no_stored_result_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    done = scopec("trace", str(path))
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


def test_results_are_compared(tmp_path: Path) -> None:
    right = stored(tmp_path, "a.json", RACE.replace("ORDER", "acquire"))
    wrong = stored(tmp_path, "b.json", RACE.replace("ORDER", "relaxed"))
    under = stored(tmp_path, "c.json", RACE.replace("ORDER", "acquire"), "--model", "ptx")
    assert scopec("compare", str(right), str(right)).returncode == 0
    assert scopec("compare", str(right), str(under)).returncode == 0  # by verdict, whatever the model
    done = scopec("compare", str(right), str(wrong))
    assert done.returncode == 1
    assert "p.cu: race_free" in done.stdout
    assert "b.json: violated" in done.stdout
    found = json.loads(scopec("compare", str(right), str(wrong), "--format", "json").stdout)
    assert [(d["kind"], d["a"]["verdict"], d["b"]["verdict"]) for d in found["differ"]] == [
        ("race_free", "holds", "violated"), ("required", "holds", "violated"),
    ]  # fmt: skip
    less = stored(tmp_path, "d.json", RACE.replace("ORDER", "acquire").replace("//@ expect race_free;\n", ""))
    missing = scopec("compare", str(right), str(less))
    assert missing.returncode == 1
    assert "d.json: not asked" in missing.stdout


#: Five specifications, and of each what is decided otherwise where scopes are ignored and executions are sequentially
#: consistent: by line, variant, kind, and the verdicts under cuda and under sc-drf.
FIVE = ("2+2w.cu", "mp.cu", "mp-two-blocks.cu", "sb.cu", "isa2-block.cu")
UNDER_SC_DRF = [
    ("2+2w.cu", {"ORDER": "relaxed"}, "race_free", "holds", "violated"),
    ("2+2w.cu", {"ORDER": "relaxed"}, "allowed", "holds", "violated"),
    ("2+2w.cu", {"ORDER": "relaxed"}, "required", "holds", "violated"),
    ("2+2w.cu", {"ORDER": "release"}, "allowed", "holds", "violated"),
    ("mp.cu", {"S": "block"}, "allowed", "holds", "violated"),
    ("mp.cu", {"S": "block"}, "race", "holds", "violated"),
    ("mp-two-blocks.cu", {}, "allowed", "holds", "violated"),
    ("mp-two-blocks.cu", {}, "race", "holds", "violated"),
    ("sb.cu", {"STORE": "seq_cst", "LOAD": "acquire"}, "allowed", "holds", "violated"),
    ("sb.cu", {"STORE": "release", "LOAD": "seq_cst"}, "allowed", "holds", "violated"),
    ("sb.cu", {"STORE": "release", "LOAD": "acquire"}, "allowed", "holds", "violated"),
]
#: nvcc puts a fence.sc ahead of a seq_cst load, so that store buffering is forbidden in PTX.
UNDER_PTX = [("sb.cu", {"STORE": "release", "LOAD": "seq_cst"}, "allowed", "holds", "violated")]


@pytest.mark.parametrize(("model", "wanted"), [("sc-drf", UNDER_SC_DRF), ("ptx", UNDER_PTX)])
@pytest.mark.sampled(1)
def test_five_specifications_under_two_models(model: str, wanted: list[object], tmp_path: Path) -> None:
    for name in ("cuda", model):
        words = ("--model", name, "--format", "json", "-o", str(tmp_path / f"{name}.json"))
        assert scopec("check", "--engine", "embedded", *FIVE, *words, cwd=Path("specs/litmus")).returncode in (0, 1)
    both = (str(tmp_path / "cuda.json"), str(tmp_path / f"{model}.json"))
    done = scopec("compare", *both, "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [
        (d["file"], d["variant"], d["kind"], d["a"]["verdict"], d["b"]["verdict"]) for d in found["differ"]
    ] == wanted  # fmt: skip
    assert len(found["differ"]) + found["same"] == 34
    count = "1 verdict differs" if len(wanted) == 1 else f"{len(wanted)} verdicts differ"
    assert f"{count}, {34 - len(wanted)} are the same" in scopec("compare", *both).stdout
