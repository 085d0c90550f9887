"""What the terminal is: how wide, and whether it is one."""

from __future__ import annotations

import shutil


def width() -> int:
    """Columns to write in: those of the terminal, within reason."""
    return max(40, min(120, shutil.get_terminal_size((100, 24)).columns))
