"""Modules that are imported when they are first used."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scopec.base.lazy_import import later


def test_a_module_is_imported_when_it_is_used_and_whole_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.2)\nvalue = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = later("slow_to_import")
    assert "slow_to_import" not in sys.modules
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: module.value, range(4))) == [3] * 4
    del sys.modules["slow_to_import"]
