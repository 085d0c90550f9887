"""Guessed launches of the kernels of a text."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import scopec


def asked(text: str, tmp_path: Path, *more: str) -> dict[str, object]:
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    done = scopec("check", path, "--engine", "embedded", "--format", "json", *more)
    found: dict[str, object] = json.loads(done.stdout)
    found["status"] = done.returncode
    return found


def directives(text: str, tmp_path: Path) -> list[list[str]]:
    """The directives that are guessed for each kernel."""
    return [program["directives"] for program in asked(text, tmp_path)["programs"]]  # type: ignore[attr-defined]
