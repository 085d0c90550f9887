"""Right and broken asynchronous programs beside each other on a GPU: which mistakes it punishes.

``scopec run benchmarks/gpu/siblings --emit harness``, ``make -C harness`` where there are nvcc and a GPU, and then::

    python -m benchmarks.gpu.siblings harness/results.jsonl

A state is wrong that does not have what the file requires of the right ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from scopec.gpu.compare import counted, satisfied
from scopec.gpu.results import Results
from scopec.gpu.results import read as results
from scopec.gpu.run import Read, read
from scopec.session.check import Settings

PROGRAMS = Path(__file__).parent / "siblings"
#: What an expectation says of a program, in the order in which a table says it.
_SAID = ("undefined", "race", "race_free", "may_hang")


def rows(file: Read, seen: Results) -> Iterator[Sequence[str]]:
    """A row for each variant of a file: what scopec says of it, its runs, which were wrong, which did not end."""
    assert file.plan is not None
    wanted = next(check.formula for run in file.plan.runs for check in run.checks if check.kind == "required")
    assert wanted is not None
    for test in file.tests:
        runs = [run for run in file.plan.runs if f"[{_variant(run.program.variant)}]" in test.name]
        kinds = {check.kind for run in runs for check in run.checks}
        said = ", ".join(kind.replace("_", " ") for kind in _SAID if kind in kinds)
        variant, record = _variant(runs[0].program.variant), seen.records[test.key]
        if record.failed is not None:
            yield f"`{file.path.stem}`", variant, said, "", record.failed.rpartition(": ")[2], ""
            continue
        states, ends = counted(test, record)
        wrong = sum(n for state, n in states.items() if not satisfied(wanted, dict(state), runs[0]))
        yield f"`{file.path.stem}`", variant, said, *(f"{n:,}" for n in (record.runs, wrong, ends[None]))


def _variant(values: object) -> str:
    assert isinstance(values, dict)
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def table(seen: Results) -> Iterator[str]:
    """The lines of the table."""
    yield f"{seen.gpu}, {seen.version}"
    yield ""
    yield "| program | | scopec says | runs | wrong values | did not end |"
    yield "|---|---|---|--:|--:|--:|"
    for file in read([PROGRAMS], Settings()):
        for row in rows(file, seen):
            yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    print(*table(results(Path(sys.argv[1]))), sep="\n")
