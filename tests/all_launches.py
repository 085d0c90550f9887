"""Questions about all launches of a kernel, and about one launch of the same text."""

from __future__ import annotations

from pathlib import Path

from scopec.session.check import Settings, check


def verdicts(folder: Path, text: str, where: str = "", engine: str = "embedded") -> dict[str, str]:
    """The verdict of each kind of question about all launches of the kernel ``k`` that meet a condition."""
    file = folder / "k.cu"
    file.write_text(f"#include <cuda_runtime.h>\n{text}\n//@ every k{f' where {where}' if where else ''};\n")
    (outcome,) = check([file], Settings(engine=engine))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    assert outcome.failure is None
    return {c.expectation.kind: c.verdict for report in outcome.reports for c in report.checks}


def races(folder: Path, text: str, launch: str, engine: str = "embedded") -> str:
    """The verdict of ``race_free`` on one launch, by an engine that has all numbers."""
    file = folder / "one.cu"
    file.write_text(f"#include <cuda_runtime.h>\n{text}\n{launch}\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings(engine=engine))
    (found,) = [c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "race_free"]
    return found
