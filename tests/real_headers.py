"""Programs read over NVIDIA's headers, where these are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.real_headers import Toolkit, installed
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides

needs_headers = pytest.mark.skipif(installed() is None, reason="NVIDIA's headers are not installed")


def toolkit() -> Toolkit:
    found = installed()
    assert found is not None
    return found


def outcome(path: Path, headers: str) -> Outcome:
    """What becomes of a file over some headers."""
    overrides = Overrides(reader="clang", flags=Flags(headers=headers), cache=True)
    (found,) = check([path], Settings(overrides, engine="embedded", timeout=300))
    return found


def answers(text: str, headers: str, tmp_path: Path) -> dict[str, str]:
    """The verdicts of a program by what is expected; or its first error."""
    (tmp_path / "program.cu").write_text(text)
    found = outcome(tmp_path / "program.cu", headers)
    assert found.failure is None
    errors = [d.message for d in found.diagnostics if d.severity == "error"]
    if errors:
        return {"error": errors[0]}
    assert all(dict(r.run.program.read_with).get("CUDA") for r in found.reports) == (headers == "real")
    return {
        f"{c.expectation.text} {dict(r.run.program.variant)}".removesuffix(" {}"): c.verdict
        for r in found.reports for c in r.checks
    }  # fmt: skip
