"""Tests that may be skipped: where SCOPEC_SKIPS=listed is set, one whose reason is not in skips.txt fails.

A test that is skipped on every machine that runs the suite is one that nobody runs, and nothing says so but a number.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

LIST = Path(__file__).parent / "skips.txt"
VARIABLE = "SCOPEC_SKIPS"


def listed() -> dict[str, str]:
    """By the reason of each skip that is allowed why it is."""
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {reason.strip(): why.strip() for reason, _, why in (line.partition("|") for line in lines)}


def judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a failure of a skip that is not listed; what is expected to fail is not skipped."""
    if os.environ.get(VARIABLE) != "listed" or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if reason.removeprefix("Skipped: ") not in listed():
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} is skipped, and tests/skips.txt does not allow it: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    judge(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    judge(report)
    return report
