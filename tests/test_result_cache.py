"""Answers of the jars that are kept: when they are used, and when they are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from scopec.base.cache import Cache
from scopec.base.diagnostics import EngineError, UnavailableError
from scopec.engines.java import jars
from scopec.session.check import Outcome, Settings, check
from scopec.session.inquiry import ask

#: Machines that live on serve the calls.
pytestmark = pytest.mark.usefixtures("kept_machines")

TEXT = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
__global__ void k() { if (blockIdx.x == 0) f.store(1); else while (f.load() == 0); }
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed f == 1;
//@ expect terminates;
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    cache = Cache(tmp_path / "results", 1 << 20, b"s")
    monkeypatch.setattr(ask, "results", lambda: cache)
    return cache


def checked(tmp_path: Path, text: str = TEXT, **settings: object) -> Outcome:
    path = tmp_path / "program.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(cache=True, **settings))  # type: ignore[arg-type]
    return outcome


def answers(outcome: Outcome) -> list[tuple[str, str, object, object]]:
    assert outcome.failure is None
    return [(c.expectation.text, c.verdict, c.trace, c.states) for r in outcome.reports for c in r.checks]


def cached(outcome: Outcome) -> set[bool]:
    return {c.cached for r in outcome.reports for c in r.checks}


@pytest.mark.jvm
def test_an_answer_is_given_again(tmp_path: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = checked(tmp_path)
    assert cached(first) == {False}
    assert len(list(kept.folder.iterdir())) == 2  # the memory questions, and termination

    def refuse(*_: object) -> None:
        raise AssertionError("no engine is needed")

    with monkeypatch.context() as patch:
        patch.setattr("scopec.engines.java.workers.Workers.run", refuse)
        again = checked(tmp_path)
    assert cached(again) == {True}
    assert [a[:2] for a in answers(again)] == [a[:2] for a in answers(first)]
    assert [a[3] for a in answers(again)] == [a[3] for a in answers(first)]
    for one, other in zip(first.reports[0].checks, again.reports[0].checks, strict=True):
        assert repr(getattr(one.trace, "choice", one.trace)) == repr(getattr(other.trace, "choice", other.trace))


@pytest.mark.jvm
def test_another_program_model_or_jar_is_another_question(tmp_path: Path, kept: Cache) -> None:
    checked(tmp_path)
    assert cached(checked(tmp_path, TEXT.replace("f.store(1)", "f.store(2)"))) == {False}
    own = tmp_path / "own.jar"
    own.write_bytes(jars.jar("alloy", None, lambda _line: None).path.read_bytes() + b"\0")
    memory = TEXT.replace("//@ expect terminates;", "")
    checked(tmp_path, memory)
    assert cached(checked(tmp_path, memory)) == {True}
    assert cached(checked(tmp_path, memory, jars={"alloy": own})) == {False}


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda _: b"", lambda b: bytes(len(b))])
def test_a_damaged_entry_is_asked_again_and_replaced(
    damage: Callable[[bytes], bytes], tmp_path: Path, kept: Cache
) -> None:
    first = checked(tmp_path)
    for entry in kept.folder.iterdir():
        entry.write_bytes(damage(entry.read_bytes()))
    again = checked(tmp_path)
    assert cached(again) == {False}
    assert [a[:2] for a in answers(again)] == [a[:2] for a in answers(first)]
    assert cached(checked(tmp_path)) == {True}


@pytest.mark.jvm
def test_what_is_late_or_fails_is_not_kept(tmp_path: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("scopec.session.asking.limited", lambda *_, **__: nullcontext())  # of reading the file
        assert {v for _, v, _, _ in answers(checked(tmp_path, timeout=0.001))} == {"unknown"}
    assert not kept.folder.exists()

    def fails(*_: object) -> None:
        raise EngineError("broken")

    with monkeypatch.context() as patch:
        patch.setattr("scopec.engines.java.workers.Workers.run", fails)
        assert checked(tmp_path).failure == "broken"
    assert not kept.folder.exists()
    assert cached(checked(tmp_path)) == {False}


@pytest.mark.jvm
def test_keep_asks_the_engines_for_their_output(tmp_path: Path, kept: Cache) -> None:
    checked(tmp_path)
    outcome = checked(tmp_path, keep=tmp_path / "kept")
    assert cached(outcome) == {False}
    assert (tmp_path / "kept" / "program.alloy-out" / "receipt.json").is_file()


@pytest.mark.jvm
def test_reports_say_so(tmp_path: Path, kept: Cache) -> None:
    from scopec.report import json as json_report
    from scopec.report.text import outcome_lines

    checked(tmp_path)
    again = checked(tmp_path)
    document = json.loads(json_report.text(json_report.document([again], {}, 0.0)))
    assert {c["cached"] for p in document["programs"] for c in p["checks"]} == {True}
    text = "\n".join(outcome_lines(again, verbose=True, quiet=False, width=100))
    assert text.count("(answered in an earlier call)") == 3
    assert "earlier call" not in "\n".join(outcome_lines(again, verbose=False, quiet=False, width=100))


MEMORY = TEXT.replace("//@ expect terminates;", "")


def test_auto_falls_back_where_no_jar_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def unavailable(*_: object) -> None:
        raise UnavailableError("npm is not on PATH.")

    monkeypatch.setattr("scopec.engines.java.jars.jar", unavailable)
    path = tmp_path / "program.cu"
    path.write_text(MEMORY)
    (tmp_path / "again.cu").write_text(MEMORY)
    outcomes = check([path, tmp_path / "again.cu"], Settings(say=said.append))
    assert {c.engine for o in outcomes for r in o.reports for c in r.checks} == {"embedded"}
    assert said == ["npm is not on PATH. Questions are answered by scopec itself (--engine embedded)."]
    (outcome,) = check([path], Settings(engine="alloy"))
    assert outcome.failure == "npm is not on PATH."


@pytest.mark.parametrize(("turns", "engine"), [(3, "alloy"), (8, "embedded")])
def test_auto_does_not_ask_alloy_what_would_take_it_long(
    turns: int, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads with as many read-modify-writes each of one location."""

    def asked(*_: object) -> None:
        raise EngineError("Alloy is asked.")

    monkeypatch.setattr("scopec.engines.alloy.engine.Alloy.solve", asked)
    monkeypatch.setattr(jars.Jars, "without", lambda *_: None)
    path = tmp_path / "program.cu"
    path.write_text(
        "__device__ cuda::atomic<int, cuda::thread_scope_device> f;\n"
        f"__global__ void k() {{ {'f++; ' * turns}}}\n//@ launch k<<<1, 2>>>();\n//@ expect required f == {2 * turns};\n"
    )
    said: list[str] = []
    (outcome,) = check([path], Settings(say=said.append))
    if engine == "alloy":
        assert outcome.failure == "Alloy is asked."
    else:
        assert said == [
            "program: 272 pairs of a write and a read of one location would take Alloy long. Scopec answers about memory "
            "itself (--engine alloy asks Alloy)."
        ]
        assert [(c.engine, c.verdict) for r in outcome.reports for c in r.checks] == [("embedded", "holds")]


def test_auto_does_not_hide_a_wrong_jar(tmp_path: Path) -> None:
    (tmp_path / "own.jar").write_text("not a jar")
    outcome = checked(tmp_path, MEMORY, jars={"alloy": tmp_path / "own.jar"})
    assert outcome.exit_code == 3
    assert outcome.failure is not None
    assert "is not a jar" in outcome.failure
