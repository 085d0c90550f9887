"""The lines of a file of Python on which a text stands that the program gives to a package."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def place_of(text: str, value: Any, caller: str) -> tuple[str, int] | None:
    """The file and the line on which a text begins as a literal: that of the call, or of a module that has ``value``.

    None where it stands in none of them line by line.
    """
    for file in dict.fromkeys([caller, *_modules(value)]):
        if (line := _line(text, file)) is not None:
            return file, line
    return None


def _modules(value: Any) -> Iterator[str]:
    """The files of the modules that have a value under a name."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None) or {}
        if (file := names.get("__file__")) and any(one is value for one in list(names.values())):
            yield file


def _line(text: str, file: str) -> int | None:
    try:
        whole = Path(file).read_text(encoding="utf-8")
        tree = ast.parse(whole)
    except (OSError, SyntaxError, ValueError):
        return None
    lines, wanted = whole.split("\n"), text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == text:
            for first in (node.lineno, node.lineno + 1):  # a backslash may follow the quotes
                if _stands(wanted, lines[first - 1 : first - 1 + len(wanted)]):
                    return first
    return None


def _stands(text: list[str], there: list[str]) -> bool:
    """Whether lines of a text are lines of a file, but for quotes before the first and behind the last."""
    if len(there) < len(text):
        return False
    if len(text) == 1:
        return text[0] in there[0]
    return there[0].endswith(text[0]) and there[1 : len(text) - 1] == text[1:-1] and there[-1].startswith(text[-1])
