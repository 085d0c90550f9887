"""Modules are imported when they are needed, in any order: each but those of the lowering can be the first."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys

import scopec
from tests.samples import EVERY, spread

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
