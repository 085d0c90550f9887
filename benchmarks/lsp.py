"""Latencies of a language server: ``python -m benchmarks.lsp`` prints a table (seconds, the least and the median).

A session over README's handover.cu: the file is opened, its text is changed (each time to one that nobody asked about
before), an error is typed, and mended.  A change waits for 0 s, not for the usual 0.15 s, which ``--delay`` says.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from tests.conftest import REPOSITORY
from tests.editor import Editor


def text() -> str:
    """README's first program."""
    found = re.search(r"```cuda handover.cu\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def has(*codes: str) -> Any:
    """Whether diagnostics of the text as it is have all of these codes."""
    return lambda told: set(codes) <= {one["code"] for one in told if "tags" not in one}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--delay", type=float, default=0.0)
    given = parser.parse_args()
    whole = text()
    took: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        editor = Editor(folder, folder, warm=True, delay=given.delay, XDG_CACHE_HOME=str(folder / "cache"))
        for number in range(given.rounds + 1):
            path = folder / f"handover{number}.cu"

            def timed(what: str, act: Any, *codes: str, number: int = number, path: Path = path) -> None:
                begun = time.perf_counter()
                act()
                editor.until(path, has(*codes))
                if number:  # the first round warms the server
                    took[what].append(time.perf_counter() - begun)

            own = whole.replace("42", str(1000 + 10 * number))
            changed = own.replace(str(1000 + 10 * number), str(1001 + 10 * number))
            broken = changed.replace("*out = data;", "*out = data")
            timed("opened: the race", lambda path=path, own=own: editor.open(path, own), "data-race")
            editor.until(path, has("SCP040"))
            timed("changed: the race", lambda path=path, to=changed: editor.change(path, to), "data-race")
            editor.until(path, has("SCP040"))
            timed("an error typed: clang's diagnostic", lambda path=path, to=broken: editor.change(path, to), "SCP005")
            timed("mended: the race", lambda path=path, to=changed: editor.change(path, to), "data-race")
            timed("mended: the race with its fix, and all else", lambda: None, "SCP040")
            editor.tell("textDocument/didClose", textDocument={"uri": path.as_uri()})
        editor.end()
    print(f"{'':45}{'least':>8}{'median':>8}")
    for what, seconds in took.items():
        print(f"{what:45}{min(seconds):8.2f}{median(seconds):8.2f}")


if __name__ == "__main__":
    main()
