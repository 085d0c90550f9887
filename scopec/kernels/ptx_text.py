"""The text of PTX that a package compiled of Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.kernels.refusals import shown

if TYPE_CHECKING:
    from scopec.base.source import Span

_FILE = re.compile(r'^(\s*\.file\s+\d+\s+)"([^"]*)"(?:\s+"([^"]*)")?', re.MULTILINE)
_DEBUG_SECTION = re.compile(r"^\s*\.section[^{]*\{[^}]*\}\n?", re.MULTILINE)


def relative(text: str, own: str) -> str:
    """PTX without sections for debuggers, whose source files are called as they are in reports.

    ``own`` is the file of the function: what a package has kept may be of the same text in another folder.
    """

    def file(match: re.Match[str]) -> str:
        name = str(Path(match[2]) / match[3]) if match[3] else match[2]
        if Path(name).name == Path(own).name and not Path(name).is_file():
            name = own
        return f'{match[1]}"{shown(name)}"'

    return _FILE.sub(file, _DEBUG_SECTION.sub("", text))


def beside(at: Span, kernel: str) -> str:
    """The name of a kernel's PTX: beside the file in which its function is."""
    return str(Path(at.file).parent / f"{kernel}.ptx")
