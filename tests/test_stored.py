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
    assert "text and JSON" in scopec("trace", str(results), "--html").stderr


def test_a_schedule_is_shown_again(tmp_path: Path) -> None:
    done = scopec("trace", str(stored(tmp_path, "hang.json", HANG)))
    assert done.returncode == 1
    assert "violated  terminates" in done.stdout
    assert "from here on" in done.stdout
    assert "launches wait" in done.stdout


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
