"""Nothing is skipped unseen: a skip that is not listed fails where .ci/run runs the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips
from tests.conftest import REPOSITORY

TEXT = """\
import pytest

@pytest.mark.skipif(True, reason="this system has no fork")
def test_listed(): pass

@pytest.mark.skip(reason="no such tool is on PATH")
def test_by_a_mark(): pass

def test_by_a_call():
    pytest.skip("no time")

@pytest.mark.parametrize("nothing", [])
def test_of_nothing(nothing): pass

@pytest.mark.xfail(reason="this system has no fork")
def test_expected():
    assert False
"""


def results(folder: Path, *set_: str) -> tuple[int, dict[str, int], str]:
    """Exit status, numbers by outcome and output of pytest in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != skips.VARIABLE}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", folder, "-p", "tests.skips", "-p", "no:cacheprovider", folder],
        cwd=REPOSITORY, env={**environment, **dict.fromkeys(set_, "listed")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    numbers = re.findall(r"(\d+) (\w+)", done.stdout.splitlines()[-1].partition(" in ")[0])
    return done.returncode, {name.rstrip("s"): int(number) for number, name in numbers}, done.stdout


@pytest.mark.sampled(1)
@pytest.mark.parametrize("set_", [(), (skips.VARIABLE,)])
def test_a_skip_that_is_not_listed_fails(set_: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TEXT)
    status, numbers, output = results(tmp_path, *set_)
    assert (status, numbers) == ((1, {"skipped": 1, "xfailed": 1, "error": 2, "failed": 1}) if set_ else (0, {"skipped": 4, "xfailed": 1}))  # fmt: skip
    assert ("tests/skips.txt does not allow it: Skipped: no time" in output) == bool(set_)


@pytest.mark.sampled(0)
def test_a_module_that_is_skipped_fails(tmp_path: Path) -> None:
    (tmp_path / "test_module.py").write_text('import pytest\npytest.importorskip("no_such_module")\n')
    assert results(tmp_path)[0] == 5
    assert results(tmp_path, skips.VARIABLE)[:2] == (2, {"error": 1})


def test_the_list_names_what_the_tests_say() -> None:
    """A reason that no test gives allows nothing and hides that."""
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__))
    assert skips.listed()
    for reason, why in skips.listed().items():
        assert f'reason="{reason}"' in texts
        assert why
