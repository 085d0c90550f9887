"""Modules are imported when they are needed, in any order: each but those of the lowering can be the first."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import scopec
from tests.samples import EVERY, spread
from tests.test_cli import RACE

_SCRIPT = """
import importlib, json, sys
failed = {}
for name in json.loads(sys.argv[1]):
    for loaded in [m for m in sys.modules if m == "scopec" or m.startswith("scopec.")]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except ImportError as missing:
        if not missing.name or missing.name.startswith("scopec"):
            failed[name] = str(missing)
    except AttributeError as circular:
        failed[name] = str(circular)
print(json.dumps(failed))
"""


def test_each_module_can_be_the_first() -> None:
    """A file that needs few of them, as a litmus file with a progress question, meets no circular import."""
    found = [m.name for m in pkgutil.walk_packages(scopec.__path__, "scopec.")]
    names = [name for name in found if not name.endswith("__main__")]
    assert len(names) > 100
    names = spread(names, len(names) if EVERY else 24)
    script = [sys.executable, "-c", _SCRIPT, json.dumps(names)]
    printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == {}


@pytest.mark.sampled(0)
def test_an_answer_of_the_embedded_engine_imports_little(tmp_path: Path) -> None:
    """No templates, no Alloy, no sockets: of half a second, they took a twentieth."""
    (tmp_path / "p.cu").write_text(RACE)
    command = [sys.executable, "-X", "importtime", "-m", "scopec", "check", "--engine", "embedded", "p.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "scopec.engines.table" in imported
    vain = {"jinja2", "socket", "xml.etree.ElementTree", "scopec.engines.alloy.emit"}
    assert not imported & {*vain, "scopec.engines.alloy.run", "scopec.frontends.clang.library_headers"}
