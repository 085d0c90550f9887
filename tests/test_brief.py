"""The text report of many programs: what holds is counted, what does not is told in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scopec

GOOD = (
    "__global__ void k(int* x) { *x = 1; }\n//@ object __device__ int x = 0;\n//@ launch k<<<1, 1>>>(&x);\n"
    "//@ expect race_free;\n//@ language scoped;\n"
)
RACE = GOOD.replace("<<<1, 1>>>", "<<<2, 1>>>")
WARNED = """__global__ void k() { if (threadIdx.x == 0) __syncthreads(); }
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""


def called(*arguments: str | Path) -> tuple[str, str]:
    result = scopec("check", "--confirm", "never", *arguments)
    assert result.returncode in (0, 1, 2), result.stderr
    return result.stdout, result.stderr


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for number in range(19):
        folder = tmp_path / "src" / ("a" if number < 12 else "b")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"good{number}.cu").write_text(GOOD)
    for number in range(2):
        (tmp_path / "src" / "b" / f"warned{number}.cu").write_text(WARNED)
    return tmp_path / "src"


def test_what_holds_is_counted_by_folder(suite: Path) -> None:
    out, err = called(suite)
    assert out.splitlines()[:-2] == [
        f"  holds     {suite / 'a'}: 12 expectations of 12 programs",
        f"  holds     {suite / 'b'}: 9 expectations of 9 programs",
    ]
    assert err.count("[SCP042]") == 2
    assert err.count("warning:") == 1
    assert "  and 1 more [SCP042]: -v shows each" in err


def test_everything_is_shown_on_demand(suite: Path) -> None:
    out, err = called("-v", suite)
    assert out.count("  holds     race_free") == 21
    assert err.count("warning:") == 2


def test_few_programs_are_listed(suite: Path) -> None:
    out, err = called(suite / "a", suite / "b" / "warned0.cu", suite / "b" / "warned1.cu")
    assert out.count("  holds     race_free") == 14
    assert err.count("warning:") == 2


def test_what_does_not_hold_is_told_in_full(suite: Path) -> None:
    (suite / "b" / "race.cu").write_text(RACE)
    (suite / "b" / "wrong.cu").write_text("__global__ void k() { one = two; }\n")
    (suite / "b" / "wronger.cu").write_text("__global__ void k() { one = two; }\n")
    out, err = called(suite)
    assert f"{suite / 'b' / 'race.cu'}\n  violated  race_free: a data race on `x`\n" in out
    assert "why: " in out
    assert err.count("wrong.cu:1:") == err.count("wronger.cu:1:") > 1
    assert "24 files, 22 programs: 21 hold, 1 violated, 0 unknown, 2 with errors" in out


def test_many_folders_are_joined(tmp_path: Path) -> None:
    for number in range(30):
        folder = tmp_path / ("few" if number < 3 else "many") / str(number)
        folder.mkdir(parents=True)
        (folder / "k.cu").write_text(GOOD)
    out, _err = called(tmp_path)
    assert f"  holds     {tmp_path / 'few'}: 3 expectations of 3 programs" in out
    assert f"  holds     {tmp_path / 'many'}: 27 expectations of 27 programs" in out
