"""Programs that are no files: texts that Python gives, or standard input."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.scratch import scratch_folder
from scopec.session.plan import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The beginnings of programs that are not C++.
_BEGINS = ((re.compile(r"\s*(C|PTX|OPENCL|OpenCL)\s"), ".litmus"), (re.compile(r"(?m)\s*\.version\b"), ".ptx"))


def suffix(text: str) -> str:
    """The suffix that a file of this text would have."""
    return next((found for begin, found in _BEGINS if begin.match(text)), ".cu")


@contextmanager
def stored(text: str, name: str) -> Iterator[Path]:
    """A file with a text, gone afterwards: called as ``name`` is, behind which stands what is missing of a suffix."""
    with scratch_folder() as folder:
        called = Path(name).name
        path = folder / (called if called.endswith(SUFFIXES) else f"{called}{suffix(text)}")
        path.write_text(text, encoding="utf-8")
        yield path
