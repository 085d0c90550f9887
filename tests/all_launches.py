"""Questions about all launches of a kernel, and about one launch of the same text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scopec.session import offers
from scopec.session.check import Settings, check
from scopec.session.witnessed import Found, Launch


def verdicts(
    folder: Path, text: str, where: str = "", engine: str = "embedded", timeout: float | None = None
) -> dict[str, str]:
    """The verdict of each kind of question about all launches of the kernel ``k`` that meet a condition."""
    file = folder / "k.cu"
    file.write_text(f"#include <cuda_runtime.h>\n{text}\n//@ every k{f' where {where}' if where else ''};\n")
    (outcome,) = check([file], Settings(engine=engine, timeout=timeout))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    assert outcome.failure is None
    return {c.expectation.kind: c.verdict for report in outcome.reports for c in report.checks}


def race_free(folder: Path, text: str, where: str = "") -> str:
    """The verdict of ``race_free`` about all launches, where nothing else is asked."""
    return verdicts(folder, f"{text}\n//@ expect race_free;", where)["race_free"]


def uniform(folder: Path, text: str, where: str = "") -> str:
    """The same of ``uniform``."""
    return verdicts(folder, f"{text}\n//@ expect uniform;", where)["uniform"]


def is_proved(folder: Path, text: str, where: str = "") -> bool:
    """Whether there is a proof that no launch has a race."""
    with proof_alone():
        return race_free(folder, text, where) == "holds"


@contextmanager
def proof_alone() -> Iterator[None]:
    """Where there is no proof, no launch is looked at and no condition tried."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Launch, "races", lambda *_: Found("violated", "two threads may meet"))
        patched.setattr(offers, "offered", lambda *_: None)
        yield


def races(folder: Path, text: str, launch: str, engine: str = "embedded") -> str:
    """The verdict of ``race_free`` on one launch, by an engine that has all numbers."""
    file = folder / "one.cu"
    file.write_text(f"#include <cuda_runtime.h>\n{text}\n{launch}\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings(engine=engine))
    (found,) = [c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "race_free"]
    return found
