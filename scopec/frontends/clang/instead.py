"""Other texts for files that a program includes, under the names of these: clang's overlay of the file system."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scopec.base.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@contextmanager
def overlay(instead: Sequence[tuple[Path, str]]) -> Iterator[list[str]]:
    """The arguments under which clang reads texts in place of what files have, while a block lasts."""
    if not instead:
        yield []
        return
    with scratch_folder() as folder:
        roots = []
        for number, (file, text) in enumerate(instead):
            content = folder / f"{number}"
            content.write_text(text, encoding="utf-8", errors="surrogateescape")
            for name in sorted({os.path.normpath(file.absolute()), os.path.realpath(file)}):
                roots.append({"type": "file", "name": name, "external-contents": str(content)})
        described = folder / "overlay.json"
        described.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}))
        yield ["-ivfsoverlay", str(described)]
