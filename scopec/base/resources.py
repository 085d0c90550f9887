"""The place of grammars and templates: inside the package in a wheel, at the top of the repository otherwise."""

from __future__ import annotations

from functools import cache
from pathlib import Path

#: The folder of scopec itself.
PACKAGE = Path(__file__).parent.parent


@cache
def resource(path: str) -> Path:
    """The file or folder ``path`` (such as ``grammar/cuda.lark``); FileNotFoundError if it is nowhere."""
    for root in (PACKAGE, PACKAGE.parent):
        candidate = root / path
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"{path}: not in this installation of scopec")
