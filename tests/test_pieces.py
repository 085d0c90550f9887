"""Small programs over libraries of NVIDIA's packages, right and broken: the code of these means what its operations mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.headers.__main__ import HERE, needs, repositories, rows
from tests.real_headers import needs_headers, outcome

PIECES = sorted((HERE / "pieces").glob("*.cu"))


@needs_headers
@pytest.mark.slow
@pytest.mark.sampled(0)
@pytest.mark.parametrize("path", [path for path in PIECES if not needs(path)], ids=lambda path: path.stem)
def test_a_piece_is_decided_and_its_broken_sibling_too(path: Path) -> None:
    found = outcome(path, "real")
    assert [str(d) for d in found.diagnostics if d.severity == "error"] == []
    verdicts = [c.verdict for r in found.reports for c in r.checks]
    assert len(verdicts) >= 2
    assert set(verdicts) == {"holds"}


def test_the_tables_name_repositories_that_are_there() -> None:
    named = {name for row in rows("headers.tsv") for name in (row["repository"], *row["with"].split())}
    assert named | {name for path in PIECES for name in needs(path)} <= repositories().keys()
    assert len(rows("headers.tsv")) >= 60
    assert all(row["outcome"] for row in rows("headers.tsv"))
