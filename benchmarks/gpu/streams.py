"""Right and broken work in streams beside each other on a GPU: what is seen of mistakes of the host.

``scopec run benchmarks/gpu/streams --emit harness``, ``make -C harness`` where there are nvcc and two GPUs, and then::

    python -m benchmarks.gpu.streams harness/results.jsonl

A state is wrong that does not have what the file requires of the right one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.gpu.siblings import rows
from scopec.gpu.results import Results
from scopec.gpu.results import read as results
from scopec.gpu.run import read
from scopec.session.check import Settings

PROGRAMS = Path(__file__).parent / "streams"


def table(seen: Results) -> Iterator[str]:
    """The lines of the table."""
    yield f"{seen.gpu}, {seen.version}"
    yield ""
    yield "| program | | scopec says | runs | wrong values |"
    yield "|---|---|---|--:|--:|"
    for file in read([PROGRAMS], Settings()):
        for program, variant, said, runs, wrong, _ in rows(file, seen):
            yield f"| {program} | {variant} | {said} | {runs} | {wrong} |"


if __name__ == "__main__":
    print(*table(results(Path(sys.argv[1]))), sep="\n")
