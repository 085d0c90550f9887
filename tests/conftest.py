"""Shared fixtures.  Tests that start a Java virtual machine carry the marker ``jvm``."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scopec.advice import advised
from scopec.base import grammars
from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.engines.java.jars import Jars
from scopec.engines.java.processes import Processes
from scopec.engines.java.workers import Workers
from scopec.frontends.clang.flags import Flags
from scopec.program.program import Program
from scopec.session.asking import Asking
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides, Plan, plan
from scopec.session.reading import read

pytest_plugins = ["tests.compiled_once", "tests.pages", "tests.resolved_phases", "tests.samples", "tests.skips"]
REPOSITORY = Path(__file__).parent.parent
# An engine that a test asks by the command line shall answer; tests/test_result_cache.py is about what is kept.
os.environ["SCOPEC_NO_CACHE"] = "1"
# What a test calls is this scopec, not a server that the developer runs (tests/test_server.py).
os.environ["SCOPEC_SERVER"] = "off"
# What tests start shall read byte code: to compile scopec takes a process longer than most of what it is asked.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# How busy the machine is is no failure; and what is tried is the same on every day.
settings.register_profile(
    "scopec", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("scopec")


def pytest_configure(config: pytest.Config) -> None:
    """The tables of a grammar that was changed are computed once, not in each process."""
    if not hasattr(config, "workerinput"):
        grammars.write_tables()


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was collected stays to the end: Python need not look through it for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of tests/golden; with --update-golden write it (read it before you commit it)."""

    def compare(name: str, text: str) -> None:
        path = REPOSITORY / "tests" / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a program into a temporary folder and return its path."""

    def writer(text: str, name: str = "program.cu") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def program_of(text: str, name: str = "program", reader: str = "auto") -> Program:
    """The Program of a text, no constant varied."""
    source = Source(f"{name}.cu", text)
    return read(source, Path(source.name), reader, Flags(), lambda found: found.program(name, {}))


def plan_of(path: Path, **overrides: object) -> Plan:
    """The plan of a file."""
    return plan(path, path.name, Overrides(**overrides))  # type: ignore[arg-type]


def problem_of(text: str) -> tuple[str, int, int, str]:
    """Code, line, column and message of the one diagnostic that a text of the scoped language gets."""
    with pytest.raises(InputError) as raised:
        program_of(text, reader="scoped")
    (diagnostic,) = raised.value.diagnostics
    return diagnostic.code.id, diagnostic.span.line, diagnostic.span.column, diagnostic.message


def verdicts(outcomes: list[Outcome]) -> dict[str, list[str]]:
    """For each check's text its verdicts over all variants, in order."""
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        assert outcome.failure is None, outcome.failure
        assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
        for report in outcome.reports:
            for one in report.checks:
                found.setdefault(one.expectation.text, []).append(one.verdict)
    return found


def check_text(tmp_path: Path, text: str, **settings: object) -> Outcome:
    """Check one program given as text, with the real engines."""
    path = tmp_path / "program.cu"
    path.write_text(text, encoding="utf-8")
    (outcome,) = check([path], Settings(**settings))  # type: ignore[arg-type]
    return outcome


#: Gets a text, `advise` and what overrides its settings.
Asks = Callable[..., Outcome]


@pytest.fixture
def ask(write: Callable[..., Path]) -> Asks:
    """Asks the embedded engine about a text that nothing is wrong with, with advice if wanted."""

    def asked(text: str, *, advise: bool = False, **overrides: object) -> Outcome:
        settings = Settings(Overrides(**overrides), engine="embedded", advise=advised if advise else None)  # type: ignore[arg-type]
        (outcome,) = check([write(text)], settings)
        assert outcome.failure is None
        assert not [d for d in outcome.diagnostics if d.severity == "error"]
        return outcome

    return asked


@pytest.fixture(scope="session")
def jars() -> Jars:
    """The engines' jars, fetched if they are not there; a test that needs them fails, not skips, without them."""
    return Jars({}, lambda _line: None)


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Java virtual machines that serve many tests."""
    with Workers() as running:
        yield running


@pytest.fixture
def kept_machines(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls of ``check`` in this process share Java virtual machines, where each would start its own."""
    monkeypatch.setattr(Asking, "workers", lambda _: nullcontext(workers))


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes() as running:
        yield running


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No scopec variable set."""
    for name in list(os.environ):
        if name.startswith("SCOPEC_"):
            monkeypatch.delenv(name)
    return monkeypatch
