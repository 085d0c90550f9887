"""pytest's plugin: each expectation of a program is a test, and kernels in Python are checked (docs/python.md).

A program is collected where the command line names it, or where ``scopec_files`` in pytest's settings has a pattern for
it; ``scopec_engine`` says who answers, ``scopec_headers`` with which headers.  All else is as the settings of the
project say (``scopec/session/project.py``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from scopec.base.diagnostics import InputError, UsageError
from scopec.session.check import Outcome, Settings, check
from scopec.session.configured import configured, known
from scopec.session.plan import SUFFIXES, plan
from scopec.session.project import Setting, choice, settings

# Start-up: pytest imports this whatever it runs.

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scopec.base.diagnostics import Diagnostic


def pytest_addoption(parser: pytest.Parser) -> None:
    """The three settings."""
    parser.addini("scopec_files", "patterns of programs whose expectations are tests", type="args", default=[])
    parser.addini("scopec_engine", "who answers, as `scopec check --engine`, instead of what scopec's settings say")
    about = "headers of the library, as `scopec check --headers`, instead of what scopec's settings say"
    parser.addini("scopec_headers", about)


#: The settings that a run of pytest found.
_SETTINGS = pytest.StashKey[dict[str, Setting]]()


def _settings(config: pytest.Config) -> dict[str, Setting]:
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = settings(config.invocation_params.dir)
    return config.stash[_SETTINGS]


def _configured(config: pytest.Config) -> Settings:
    """The settings of a check, with the headers that pytest's settings name."""
    found = configured(_settings(config))
    if not (headers := config.getini("scopec_headers")):
        return found
    flags = replace(found.overrides.flags, headers=choice("headers", headers))
    return replace(found, overrides=replace(found.overrides, flags=flags))


def pytest_configure(config: pytest.Config) -> None:
    """The mark of tests of kernels in Python."""
    about = (
        "scopec_kernel(kernel, launch=None, **asked): the kernel is checked as by scopec.check_kernel, before the test"
    )
    config.addinivalue_line("markers", about)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Check the kernels of which a test is marked; it fails where an expectation does not hold."""
    for mark in item.iter_markers("scopec_kernel"):
        _check_kernel(item, *mark.args, **mark.kwargs)


def _check_kernel(item: pytest.Item, kernel: Any, launch: Any = None, **asked: Any) -> None:
    from scopec.kernels.check import checked

    for name in ("engine", "headers"):
        if said := item.config.getini(f"scopec_{name}"):
            asked.setdefault(name, said)
    results = checked(kernel, launch, str(item.path), **asked)
    if not results.ok:
        pytest.fail(results.text(), pytrace=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A program, if it is named or matches a pattern."""
    if file_path.suffix not in SUFFIXES:
        return None
    config = parent.config
    named = {(config.invocation_params.dir / a.partition("::")[0]).resolve() for a in config.args}
    if file_path.resolve() in named or any(file_path.match(p) for p in config.getini("scopec_files")):
        return Program.from_parent(parent, path=file_path)
    return None


class Program(pytest.File):
    """A program: it is read when its tests are collected, and checked when the first of them runs."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each expectation of each variant."""
        from scopec.report.text import qualifiers

        try:
            overrides = _configured(self.config).overrides
            planned = plan(self.path, str(self.path), overrides)
        except (InputError, UsageError) as bad:
            raise self.CollectError(str(bad)) from None
        for warning in planned.warnings:
            if warning.severity == "error":  # a kernel that cannot be asked, beside others
                yield Refused.from_parent(self, name=warning.message, error=warning)
        for run, planned_run in enumerate(planned.runs):
            for number, expected in enumerate(planned_run.checks):
                name = f"{expected.text}{qualifiers(planned_run)}"
                yield Expectation.from_parent(self, name=name, at=(run, number), line=expected.span.line)

    @cached_property
    def outcome(self) -> Outcome:
        """The results of all expectations."""
        from scopec.advice import advised

        found = _settings(self.config)
        wanted = replace(_configured(self.config), advise=advised)
        if engine := self.config.getini("scopec_engine"):
            wanted = replace(wanted, engine=engine)
        here = self.config.invocation_params.dir
        shown = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path  # as a baseline has it
        (outcome,) = known(found, check([self.path], wanted, {self.path: str(shown)}))
        return outcome


class Refused(pytest.Item):
    """What cannot be asked of a program that is asked other things: it fails."""

    def __init__(self, *, error: Diagnostic, **given: Any) -> None:
        super().__init__(**given)
        self._error = error

    def runtest(self) -> None:
        """Fail, with the error."""
        pytest.fail(str(self._error), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the error in the text."""
        return self.path, self._error.span.line - 1, self.name


class Expectation(pytest.Item):
    """One expectation of one variant."""

    def __init__(self, *, at: tuple[int, int], line: int, **given: Any) -> None:
        super().__init__(**given)
        self._at, self._line = at, line

    def runtest(self) -> None:
        """Fail where the expectation does not hold."""
        from scopec.report.text import counterexample

        assert isinstance(self.parent, Program)
        outcome, (run, number) = self.parent.outcome, self._at
        if outcome.failure is not None:
            pytest.fail(outcome.failure, pytrace=False)
        report = outcome.reports[run]
        found = report.checks[number]
        if found.known:
            pytest.xfail("the baseline knows it")
        if found.verdict != "holds":
            said = f"{found.verdict}  {self.name}" + (f": {found.reason}" if found.reason else "")
            pytest.fail("\n".join([said, *counterexample(found, report.run.source, 96)]), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the expectation in the text."""
        return self.path, self._line - 1, self.name
