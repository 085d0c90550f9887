"""The table of engines: one protocol, one policy, and an engine of another package that is one like the others.

That engine is tests/fixtures/engines/enumerating.py: it is found by its entry point, and goes through every choice.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scopec.base.cache import Cache
from scopec.base.diagnostics import EngineError, UsageError
from scopec.engines import table
from scopec.engines.java.jars import PINNED, Jars
from scopec.engines.policy import Policy, identities, immediate
from scopec.engines.protocol import HARDWARE, MEMORY, PROGRESS, HardwareEngine, Kind, MemoryEngine, ProgressEngine
from scopec.session.check import Outcome, Settings, check
from scopec.session.final_states import listings
from scopec.session.inquiry import ask
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.conftest import REPOSITORY, verdicts

ENGINES = REPOSITORY / "tests" / "fixtures" / "engines"
OTHER = "enumerating"

MESSAGE = """
__device__ int x; __device__ cuda::atomic<int, cuda::thread_scope_device> f;
__global__ void k() {
    if (blockIdx.x == 0) { x = 1; f.store(1, cuda::memory_order_ORDER); }
    else { int r = f.load(cuda::memory_order_ORDER); if (r == 1) { int s = x; } }
}
//@ launch k<<<2, 1>>>();
//@ expect EXPECTED;
"""
RELEASED = MESSAGE.replace("store(1, cuda::memory_order_ORDER", "store(1, cuda::memory_order_release").replace(
    "ORDER", "acquire"
)
RACY = MESSAGE.replace("ORDER", "relaxed")
BUFFERS = """
__device__ cuda::atomic<int, cuda::thread_scope_device> x, y;
__global__ void k() {
    if (blockIdx.x == 0) { x.store(1, cuda::memory_order_relaxed); int a = y.load(cuda::memory_order_relaxed); }
    else { y.store(1, cuda::memory_order_relaxed); int b = x.load(cuda::memory_order_relaxed); }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed k[0][0].a == 0 && k[1][0].b == 0;
//@ expect forbidden k[0][0].a == 2;
"""


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation with the other package."""
    monkeypatch.syspath_prepend(ENGINES)
    table.installed.cache_clear()
    yield
    table.installed.cache_clear()


def checked(folder: Path, text: str, **settings: Any) -> Outcome:
    (folder / "p.cu").write_text(text, encoding="utf-8")
    (outcome,) = check([folder / "p.cu"], Settings(**settings))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    return outcome


def engines(outcome: Outcome) -> set[str]:
    assert outcome.failure is None, outcome.failure
    return {c.engine for r in outcome.reports for c in r.checks}


# ---------------------------------------------------------------- an engine of another package


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (RELEASED.replace("EXPECTED", "race_free"), {"race_free": ["holds"]}),
        (RACY.replace("EXPECTED", "race_free"), {"race_free": ["violated"]}),
        (RACY.replace("EXPECTED", "race on x"), {"race on x": ["holds"]}),
        (
            BUFFERS,
            {
                "race_free": ["holds"],
                "allowed k[0][0].a == 0 && k[1][0].b == 0": ["holds"],
                "forbidden k[0][0].a == 2": ["holds"],
            },
        ),
    ],
)
@pytest.mark.usefixtures("other")
def test_it_answers_like_the_others(text: str, found: dict[str, list[str]], tmp_path: Path) -> None:
    for engine in (OTHER, "embedded"):
        outcome = checked(tmp_path, text, engine=engine)
        assert engines(outcome) == {engine}
        assert verdicts([outcome]) == found


@pytest.mark.jvm
@pytest.mark.usefixtures("other")
@pytest.mark.sampled(0)
def test_it_takes_part_in_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = checked(tmp_path, BUFFERS, engine="both")
    assert engines(outcome) == {"alloy"}
    assert {"SAT", "Alloy", "enumerate"} <= {name for r in outcome.reports for name, _ in r.phases}
    monkeypatch.setenv("ENUMERATING_LIES", "1")
    outcome = checked(tmp_path, BUFFERS, engine="both")
    assert outcome.exit_code == 3
    assert outcome.failure is not None
    assert "the engines disagree about `execution`" in outcome.failure
    assert "Alloy finds an execution, the enumeration none" in outcome.failure
    kept = Path(outcome.failure.rpartition(" in ")[2])
    assert {"p.als", "p.events.txt", "p.answers.json"} <= {p.name for p in kept.iterdir()}
    assert set(json.loads((kept / "p.answers.json").read_text())["execution"]) == {"alloy", OTHER}


@pytest.mark.usefixtures("other")
def test_its_answers_are_kept_like_those_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "results", 1 << 20, b"k" * 32)
    monkeypatch.setattr(ask, "results", lambda: cache)
    first = checked(tmp_path, BUFFERS, engine=OTHER, cache=True)
    again = checked(tmp_path, BUFFERS, engine=OTHER, cache=True)
    assert [{c.cached for r in o.reports for c in r.checks} for o in (first, again)] == [{False}, {True}]
    assert verdicts([first]) == verdicts([again])
    changed = checked(tmp_path, BUFFERS.replace("a == 2", "a == 1"), engine=OTHER, cache=True)
    assert {c.cached for r in changed.reports for c in r.checks} == {False}


@pytest.mark.usefixtures("other")
def test_it_lists_final_states(tmp_path: Path) -> None:
    path = tmp_path / "p.cu"
    path.write_text(BUFFERS, encoding="utf-8")
    found = []
    for engine in (OTHER, "embedded"):
        ((listing,), _) = listings(path, Settings(engine=engine), 100)
        assert listing.engine == engine
        assert not listing.unfinished
        found.append((listing.executions, [(s.values, s.executions, s.racy) for s in listing.states]))
    assert found[0] == found[1]
    assert found[0][0] == 4
    ((listing,), _) = listings(path, Settings(engine=OTHER), 3)
    assert listing.unfinished == (
        "there are more than 3 executions, and the rest is not listed: raise the number with --limit",
    )


@pytest.mark.usefixtures("other")
def test_what_it_cannot_answer_is_a_failure(tmp_path: Path) -> None:
    outcome = checked(
        tmp_path,
        BUFFERS.replace("int a", "int c = y.load(); c = x.load(); c = x.load(); c = x.load(); c = x.load(); int a"),
        engine=OTHER,
    )
    assert outcome.exit_code == 3
    assert outcome.failure == "enumerating: the program is too large"


@pytest.mark.jvm
@pytest.mark.usefixtures("other")
@pytest.mark.sampled(0)
def test_it_leaves_other_kinds_of_questions_to_the_reference(tmp_path: Path) -> None:
    outcome = checked(tmp_path, BUFFERS + "//@ expect terminates;\n", engine=OTHER)
    assert {c.expectation.text: c.engine for r in outcome.reports for c in r.checks} == {
        "race_free": OTHER,
        "allowed k[0][0].a == 0 && k[1][0].b == 0": OTHER,
        "forbidden k[0][0].a == 2": OTHER,
        "terminates": "tlc",
    }


def command(*arguments: str, installed: bool) -> subprocess.CompletedProcess[str]:
    path = f"{ENGINES}:{REPOSITORY}" if installed else str(REPOSITORY)
    return subprocess.run(
        [sys.executable, "-m", "scopec.cli", *arguments],
        capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "HOME": "/nonexistent"},
    )  # fmt: skip


@pytest.mark.sampled(0)
def test_the_command_line_knows_it_where_it_is_installed(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(BUFFERS, encoding="utf-8")
    done = command("check", str(tmp_path / "p.cu"), "--engine", OTHER, "--format", "json", installed=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {c["engine"] for p in report["programs"] for c in p["checks"]} == {OTHER}
    assert report["engines"][OTHER]["version"] == "1"
    done = command("outcomes", str(tmp_path / "p.cu"), "--engine", OTHER, "-q", installed=True)
    assert "Executions 4" in done.stdout, done.stderr
    for installed, known in ((False, "'embedded', 'both'"), (True, f"'embedded', '{OTHER}', 'both'")):
        done = command("check", str(tmp_path / "p.cu"), "--engine", "nobody", installed=installed)
        assert done.returncode == 2
        assert f"'nobody' is not one of 'auto', 'alloy', 'tlc', {known}." in done.stderr
    assert command("check", str(tmp_path / "p.cu"), "--engine", OTHER, installed=False).returncode == 2


# ---------------------------------------------------------------- packages that are wrong


@pytest.mark.parametrize(
    ("text", "entry", "said"),
    [
        (
            "raise ImportError('no library')",
            "broken = broken:ENGINE",
            "the engine broken (broken:ENGINE) cannot be loaded",
        ),
        ("ENGINE = 3", "broken = broken:ENGINE", "is not an engine of this name"),
        ("from enumerating import ENGINE", "broken = broken:ENGINE", "is not an engine of this name"),
        (
            "from scopec.engines.table import Engine\nENGINE = Engine('alloy', 'Another', {})",
            "alloy = broken:ENGINE",
            "there is an engine alloy already",
        ),
    ],
)
@pytest.mark.usefixtures("other")
def test_a_package_that_is_wrong_is_named(
    text: str, entry: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text(text)
    (tmp_path / "broken-1.dist-info").mkdir()
    (tmp_path / "broken-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (tmp_path / "broken-1.dist-info" / "entry_points.txt").write_text(f"[scopec.engines]\n{entry}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken", raising=False)
    table.installed.cache_clear()
    with pytest.raises(EngineError, match=re.escape(said)):
        table.named("nobody")
    assert table.named("alloy").title == "Alloy"  # what is built in does not depend on it


# ---------------------------------------------------------------- policy


def policy(wanted: str, said: list[str], missing: dict[str, str]) -> Policy:
    """A policy where no jar that is named can be had."""

    class Without(Jars):
        def without(self, name: str) -> str | None:
            return missing.get(name)

    return Policy(wanted, Without({}, said.append), said.append)


KINDS: tuple[Kind[Any], ...] = (MEMORY, PROGRESS, HARDWARE)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("wanted", "missing", "asked"),
    [
        ("auto", (), (["alloy"], ["tlc"], ["tlc"])),
        ("auto", ("alloy",), (["embedded"], ["tlc"], ["tlc"])),
        ("auto", ("tlc",), (["alloy"], ["embedded"], ["tlc"])),
        ("alloy", ("alloy",), (["alloy"], ["tlc"], ["tlc"])),
        ("tlc", (), (["alloy"], ["tlc"], ["tlc"])),
        ("tlc", ("alloy",), (["embedded"], ["tlc"], ["tlc"])),
        ("embedded", (), (["embedded"], ["embedded"], ["tlc"])),
        ("both", (), (["alloy", "embedded"], ["tlc", "embedded"], ["tlc"])),
    ],
)
def test_who_is_asked(wanted: str, missing: tuple[str, ...], asked: tuple[list[str], ...], tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(BUFFERS, encoding="utf-8")
    (run,) = plan(tmp_path / "p.cu", "p.cu", Overrides()).runs
    said: list[str] = []
    chosen = policy(wanted, said, {name: f"no {name}." for name in missing})
    problems = {PROGRESS: progress_problem(run, "Termination")}
    who = tuple([e.name for e in chosen.asked(kind, problems.get(kind, run.problem), "p")] for kind in KINDS)
    assert who == asked
    expected = [f"no {name}. Questions are answered by scopec itself (--engine embedded)." for name in missing]
    assert said == ([] if wanted in missing else expected)


def test_many_answers_come_from_the_engine_that_answers_at_once() -> None:
    assert [e.name for e in policy("auto", [], {}).asked(MEMORY, None, "p", many=True)] == ["embedded"]
    assert [e.name for e in policy("alloy", [], {}).asked(MEMORY, None, "p", many=True)] == ["alloy"]
    assert immediate(MEMORY).name == immediate(PROGRESS).name == "embedded"


def test_an_engine_that_nobody_has_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no engine `nobody`: there are alloy, tlc, embedded"):
        policy("nobody", [], {})


# ---------------------------------------------------------------- the table


def test_every_entry_of_the_table_answers_its_kinds() -> None:
    types = {"memory": MemoryEngine, "progress": ProgressEngine, "hardware": HardwareEngine}
    for engine in table.TABLE:
        assert engine.answers
        for kind in engine.answers:
            found: Any = Kind(kind)
            assert isinstance(found.of(engine), types[kind])


@pytest.mark.jvm
def test_reports_say_what_jar_answered(jars: Jars) -> None:
    found = identities({"embedded", "tlc", "alloy"}, jars)
    assert {name: said["sha256"] for name, said in found.items()} == {name: jars[name].sha256 for name in PINNED}


_NAMES = re.compile(r"\b(alloy|tlc|embedded|minisat\w*|sat4j)\b", re.IGNORECASE)
#: Packages of engines, and where their names are options.
_THEIRS = (*(f"engines/{n}" for n in ("alloy/", "tla/", "embedded/", "table.py", "java/jars.py")), "cli/")


def test_no_engine_is_named_outside_its_package_and_the_table() -> None:
    """Names in the code, and texts that are no documentation."""
    found = []
    for path in sorted((REPOSITORY / "scopec").rglob("*.py")):
        name = path.relative_to(REPOSITORY / "scopec").as_posix()
        if name.startswith(_THEIRS):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documentation = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            texts = []
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                texts = [node.value]
            elif isinstance(node, (ast.Name, ast.Attribute, ast.alias, ast.FunctionDef, ast.arg)):
                texts = [getattr(node, field, "") for field in ("id", "attr", "name", "arg")]
            elif isinstance(node, ast.ImportFrom):
                texts = [node.module or ""]
            found += [f"{name}: {text}" for text in texts if isinstance(text, str) and _NAMES.search(text)]
    assert found == []
