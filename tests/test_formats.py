"""Formats for machines: valid under their schemas for every spec and every kind of failure; nothing in a source breaks out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import itf_py
import jsonschema
import pytest
from lxml import etree

from scopec.advice import advised
from scopec.base.source import Span
from scopec.progress.schedule import Ending, Moment, Move, Schedule
from scopec.report import formats, itf, options, rules, traces
from scopec.session.check import Outcome, Settings, check, exit_code
from tests.conftest import REPOSITORY
from tests.specifications import KEPT, PROGRAMS, some
from tests.violations import VIOLATIONS

SCHEMAS = REPOSITORY / "tests" / "fixtures" / "schemas"
RESULTS = json.loads((REPOSITORY / "docs" / "results.schema.json").read_text(encoding="utf-8"))
SARIF = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))


def results(outcomes: Sequence[Outcome]) -> formats.Results:
    engines = {"java": {"version": "21"}}
    return formats.Results(outcomes, 1.5, datetime(2026, 1, 2, 3, 4, 5), exit_code(outcomes), lambda: engines)


def written(outcomes: Sequence[Outcome], name: str) -> str:
    return formats.TEXTS[name](results(outcomes), True)


# ---------------------------------------------------------------- schemas


def closed(schema: Any) -> Any:
    """The schema with no room for keys that it does not list."""
    if isinstance(schema, dict):
        inner = {k: closed(v) for k, v in schema.items()}
        return {"additionalProperties": False, **inner} if "properties" in schema else inner
    return [closed(v) for v in schema] if isinstance(schema, list) else schema


def assert_valid(outcomes: Sequence[Outcome]) -> None:
    """Every format of these outcomes is valid."""
    document = json.loads(written(outcomes, "json"))
    jsonschema.Draft202012Validator(RESULTS).validate(document)
    jsonschema.Draft202012Validator(closed(RESULTS)).validate(document)
    jsonschema.validate(json.loads(written(outcomes, "sarif")), SARIF)
    report = etree.fromstring(written(outcomes, "junit").encode())
    for schema in ("JUnit.xsd", "junit-10.xsd"):
        etree.XMLSchema(etree.parse(SCHEMAS / schema)).assertValid(report)
    for line in written(outcomes, "github").splitlines():
        assert re.fullmatch(r"::(error|warning) file=[^:,]*(,\w+=[^:,]*)*::[^\r\n]+", line), line
    assert_code_quality(json.loads(written(outcomes, "gitlab")))
    for text in itf.traces(outcomes).values():
        assert_itf(json.loads(text))


def assert_code_quality(problems: Any) -> None:
    """GitLab's documentation ("Code Quality", "Import code quality results"): what each problem has to have."""
    for problem in problems:
        assert set(problem) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert problem["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert set(problem["location"]) == {"path", "lines"}
        assert problem["location"]["lines"]["begin"] >= 1
        assert not problem["location"]["path"].startswith("./")
    assert len({problem["fingerprint"] for problem in problems}) == len(problems)


def assert_itf(trace: Any) -> None:
    """Apalache's ADR 15, also to another reader: every state assigns every variable; a loop goes back to a state."""
    read = itf_py.trace_from_json(trace)
    assert [set(state.values) for state in read.states] == [set(trace["vars"])] * len(trace["states"])
    assert trace["#meta"]["format"] == "ITF"
    for number, state in enumerate(trace["states"]):
        assert state["#meta"]["index"] == number
        assert set(state) == {"#meta", *trace["vars"]}
    assert 0 <= trace.get("loop", 0) < len(trace["states"])


def test_the_schemas_are_schemas() -> None:
    jsonschema.Draft202012Validator.check_schema(RESULTS)
    jsonschema.Draft202012Validator.check_schema(closed(RESULTS))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": "scopec/2"}, RESULTS)


@pytest.mark.sampled(0)
@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({p.parent.relative_to(REPOSITORY) for p in PROGRAMS}), ids=lambda p: p.name)
def test_every_spec_is_valid_in_every_format(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    there = [p.relative_to(REPOSITORY) for p in PROGRAMS if p.parent == REPOSITORY / folder]
    outcomes = check(some(there, 27), Settings(KEPT, engine="embedded", cache=True))
    assert exit_code(outcomes) == 0
    assert_valid(outcomes)
    assert written(outcomes, "github").count("::error") == 0
    # The same runs with every expectation turned round: what a trace shows is then what is wrong.
    turned = [
        replace(o, reports=tuple(replace(r, checks=tuple(map(turn, r.checks))) for r in o.reports)) for o in outcomes
    ]
    assert_valid(turned)


def turn(found: Any) -> Any:
    return replace(found, verdict="violated", reason="turned round") if found.trace is not None else found


# ---------------------------------------------------------------- every kind of failure


@pytest.fixture(scope="module")
def violated(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Every kind of violation, bad input, and an engine that failed."""
    folder = tmp_path_factory.mktemp("violations")
    for name, text in VIOLATIONS.items():
        (folder / f"{name}.cu").write_text(text, encoding="utf-8")
    (folder / "bad.cu").write_text("int main( {", encoding="utf-8")
    for kind, way in (("uniform", "if (threadIdx.x >= n) return;"), ("divergent", "if (blockIdx.x >= n) return;")):
        kernel = f"__global__ void k(int* a, unsigned n) {{ a[0] = 1; {way} __syncthreads(); }}\n"
        (folder / f"{kind}.cu").write_text(f"{kernel}//@ every k;\n//@ expect {kind};\n", encoding="utf-8")
    outcomes = check([folder], Settings(jobs=2, advise=advised))
    return [*outcomes, Outcome("failed.cu", failure="Alloy ran out of memory"), *check([folder / "none"], Settings())]


@pytest.mark.jvm
def test_every_kind_of_failure_is_valid_in_every_format(violated: list[Outcome]) -> None:
    assert_valid(violated)


@pytest.mark.jvm
@pytest.mark.sampled(0)
def test_every_kind_of_violation_is_a_rule_of_the_log(violated: list[Outcome]) -> None:
    (run,) = json.loads(written(violated, "sarif"))["runs"]
    named = [r["id"] for r in run["tool"]["driver"]["rules"]]
    assert "DataRace" in [r["name"] for r in run["tool"]["driver"]["rules"]]
    unasked = {"condition", "observed"}  # of litmus files; of `scopec run`
    kinds = {r.id for k, r in rules._VIOLATED.items() if k not in unasked} | {"undefined-behaviour", "undecided"}
    assert kinds <= set(named)
    assert {"SCP001", "SCP005"} <= set(named)
    assert all(named[r["ruleIndex"]] == r["ruleId"] for r in run["results"])
    bad = [c for o in violated for r in o.reports for c in r.checks if c.verdict != "holds"]
    assert len([r for r in run["results"] if "partialFingerprints" in r]) == len(bad)
    assert len({r["partialFingerprints"]["scopec/v1"] for r in run["results"] if "partialFingerprints" in r}) > 10
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "exitCode": 2,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": {"text": "Alloy ran out of memory"},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": "failed.cu"}}}],
                }
            ],
        }
    ]


def result(outcomes: Sequence[Outcome], file: str, rule: str) -> Any:
    (run,) = json.loads(written([o for o in outcomes if Path(o.file).name == file], "sarif"))["runs"]
    return next(r for r in run["results"] if r["ruleId"] == rule)


def lines(locations: Any) -> list[tuple[int, str]]:
    return [(at["physicalLocation"]["region"]["startLine"], at.get("message", {}).get("text", "")) for at in locations]


@pytest.mark.jvm
def test_sarif_of_a_race_points_at_both_accesses(violated: list[Outcome]) -> None:
    race = result(violated, "race-scope.cu", "data-race")
    assert lines(race["locations"]) == [(7, "")]
    around = race["locations"][0]["physicalLocation"]["contextRegion"]
    assert (around["startLine"], around["endLine"]) == (6, 8)
    assert around["snippet"]["text"].splitlines()[0] == "        x = 42;"
    assert lines(race["relatedLocations"]) == [(8, "mp[1][0]"), (13, "expected here")]
    assert "does not include thread mp[1][0]" in race["message"]["text"]
    first, second = race["codeFlows"][0]["threadFlows"]
    assert lines(s["location"] for s in first["locations"]) == [
        (6, "write x = 42"),
        (7, "write f = 1 (release, block)"),
    ]
    assert [s["importance"] for s in first["locations"]] == ["important", "essential"]
    assert {s["executionOrder"] for f in (first, second) for s in f["locations"]} == {1, 2, 3}


@pytest.mark.jvm
def test_a_fix_is_the_same_in_every_format(violated: list[Outcome]) -> None:
    """The order of a store; nothing where no one place says what is to change."""
    race = result(violated, "race-relaxed.cu", "data-race")
    (fix,) = race["fixes"]
    assert "memory_order_release" in fix["description"]["text"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == race["locations"][0]["physicalLocation"]["artifactLocation"]
    (there,) = change["replacements"]
    region, text = there["deletedRegion"], there["insertedContent"]["text"]
    said = VIOLATIONS["race-relaxed"].splitlines()[region["startLine"] - 1]
    assert (said[region["startColumn"] - 1 : region["endColumn"] - 1], text) == ("relaxed", "release")

    programs = json.loads(written(violated, "json"))["programs"]
    (found,) = (c for p in programs if p["file"].endswith("race-relaxed.cu") for c in p["checks"] if c["fix"])
    ((line, column),) = ((f["line"], f["column"]) for f in found["fix"])
    assert (line, column, found["fix"][0]["text"]) == (region["startLine"], region["startColumn"], text)

    assert "fixes" not in result(violated, "race-system.cu", "data-race")


@pytest.mark.jvm
def test_sarif_of_a_hang_points_at_the_thread_that_is_stuck(violated: list[Outcome]) -> None:
    hang = result(violated, "hang.cu", "hang")
    assert lines(hang["locations"]) == [(3, "")]
    assert lines(hang["relatedLocations"]) == [(6, "main"), (6, "k[1][0]"), (7, "expected here")]
    flows = {f["id"]: lines(s["location"] for s in f["locations"]) for f in hang["codeFlows"][0]["threadFlows"]}
    assert flows == {"main": [(6, "launches k")], "k[0][0]": [(3, "starts, loads ready = 0 (acquire, device)")]}


@pytest.mark.jvm
def test_junit_has_a_suite_a_file_and_a_case_an_expectation(violated: list[Outcome]) -> None:
    root = etree.fromstring(written(violated, "junit").encode())
    suites = {Path(s.get("name")).name: s for s in root}
    assert len(suites) == len(violated)
    outcome = suites["outcome.cu"]
    assert (outcome.get("tests"), outcome.get("failures"), outcome.get("errors")) == ("4", "3", "0")
    assert [c.get("name") for c in outcome.iter("testcase")][-1] == "assert(r >= 0)"
    (undecided,) = suites["undecided.cu"].iter("error")
    assert undecided.get("type") == "undecided"
    bad = {error.get("type") for error in suites["bad.cu"].iter("error")}
    assert "SCP005" in bad
    (failed,) = suites["failed.cu"].iter("error")
    assert failed.get("message") == "Alloy ran out of memory"


@pytest.mark.jvm
def test_itf_of_a_lasso_and_of_a_stop(violated: list[Outcome]) -> None:
    traces = {name: json.loads(text) for name, text in itf.traces(violated).items()}
    stop = traces["hang.1.itf.json"]
    assert stop["loop"] == len(stop["states"]) - 1
    assert stop["states"][-1]["issued"] == {"#tup": ["k"]}
    lasso = next(o for o in violated if Path(o.file).name == "silent.cu").reports[0].checks[0].trace
    assert isinstance(lasso, Schedule)
    around = traces["silent.1.itf.json"]
    assert around["loop"] == lasso.loop_to
    assert len(around["states"]) == len(lasso.moves)


def test_itf_values() -> None:
    assert itf.value({"a": (1, True), "b": frozenset({2**53, "x"})}) == {
        "#map": [["a", {"#tup": [1, True]}], ["b", {"#set": ["x", {"#bigint": "9007199254740992"}]}]]
    }
    assert itf.value(None) == {"#unserializable": "None"}


@pytest.mark.jvm
def test_every_violation_is_shown_in_every_form(violated: list[Outcome]) -> None:
    """What each kind of execution and each ending of a schedule looks like as a trace."""
    found = [(r, c) for o in violated for r in o.reports for c in r.checks if c.trace is not None]
    assert {c.trace.ending for _, c in found if isinstance(c.trace, Schedule)} >= {
        Ending.LASSO,
        Ending.STOP,
        Ending.FOUND,
    }
    for report, check_ in found:
        for form in options.TRACE_FORMS:
            if form != "itf" or isinstance(check_.trace, Schedule):
                assert traces.shown(form, report, check_, dict)


# ---------------------------------------------------------------- injection

HOSTILE = "<script>alert(1)</script>]]>&amp;\"'%0A::error::%25\x1b[31m\u202e](http://example.invalid){0}"
HOSTILE_NAME = "a<b>&\"'%0A\n::error::x,y\x1b[31m](z).cu"
HOSTILE_SOURCE = f"""\
__device__ int n = 0; // {HOSTILE}
__global__ void k() {{ printf("{HOSTILE.replace('"', "")}"); n = n + 1; /* {HOSTILE} */ }}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
//@ expect terminates;
//@ expect may_hang;
"""


HOSTILE_HANG = f"""\
__device__ cuda::atomic<int, cuda::thread_scope_device> n{{0}}; // {HOSTILE}
__global__ void k() {{ while (n.load() == 0) printf("{HOSTILE.replace('"', "")}"); /* {HOSTILE} */ }}
//@ launch k<<<1, 1>>>();
//@ expect terminates;
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / HOSTILE_NAME).write_text(HOSTILE_SOURCE, encoding="utf-8")
    (folder / f"bad{HOSTILE_NAME}").write_text(f'int main() {{ int x = "{HOSTILE_NAME}; }}', encoding="utf-8")
    (folder / f"hang{HOSTILE_NAME}").write_text(HOSTILE_HANG, encoding="utf-8")
    (folder / f"none{HOSTILE_NAME}").mkdir()
    return check([folder, folder / f"none{HOSTILE_NAME}"], Settings())


@pytest.mark.jvm
def test_nothing_in_a_name_or_a_source_breaks_out(hostile: list[Outcome]) -> None:
    assert_valid(hostile)
    checks = [c for o in hostile for r in o.reports for c in r.checks]
    assert [c.verdict for c in checks] == ["violated", "holds", "violated", "violated"]
    annotations = written(hostile, "github").splitlines()
    assert len(annotations) == len([c for c in checks if c.verdict != "holds"]) + sum(
        len(o.diagnostics) for o in hostile
    )
    for name in formats.TEXTS:
        text = written(hostile, name)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), name
        assert "\n::error::" not in text, name
    sarif = written(hostile, "sarif")
    said = re.sub(r'"snippet": \{\s*"text": ".*"\s*\}', "", sarif)  # of several lines, and without links
    assert "](" not in said
    assert "\\n" not in said.replace("\\\\n", "")
    assert not re.search(r"(?<!\\)\\u", sarif)  # no control character in a string either
    uris = re.findall(r'"uri": "(.*)"', sarif)
    assert uris
    assert all(re.fullmatch(r"file:///[\w./%~-]+", uri) for uri in uris)


@pytest.mark.jvm
def test_nothing_breaks_out_of_a_trace_either(hostile: list[Outcome]) -> None:
    """What `scopec trace` shows, in each form, of an execution and of a schedule."""
    found = [(r, c) for o in hostile for r in o.reports for c in r.checks if c.trace is not None]
    assert {type(c.trace).__name__ for _, c in found} == {"Execution", "Schedule"}
    for report, check_ in found:
        for form in options.TRACE_FORMS:
            if form == "itf" and not isinstance(check_.trace, Schedule):
                continue
            text = traces.shown(form, report, check_, dict)
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), form
            assert "\n::error::" not in text, form
            if form == "svg":
                etree.fromstring(text.encode())
            elif form in ("json", "itf"):
                json.loads(text)
            if form in ("svg", "html", "mermaid"):
                assert "<script>alert" not in text, form
                assert "<b>&" not in text, form


def test_a_trace_without_an_event_is_valid_in_every_format(tmp_path: Path) -> None:
    """Threads that do nothing but compute: there is an execution, and nothing in it to show."""
    text = "__global__ void k() { int r = 1; assert(r == 2); }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    (tmp_path / "p.cu").write_text(text, encoding="utf-8")
    found = check([tmp_path / "p.cu"], Settings(engine="embedded"))
    assert_valid(found)
    (bad,) = [c for c in found[0].reports[0].checks if c.verdict == "violated"]
    assert bad.trace is not None
    for form in options.TRACE_FORMS:
        if form != "itf":
            assert traces.shown(form, found[0].reports[0], bad, dict)


def test_many_steps() -> None:
    """2,000 steps with their states are written in no time, in every format that shows them."""
    at = Span("p.cu", 1, 1, 1, 2)
    states = [Moment({"main": "a", "k[0][0]": "b"}, {"x": i}, {"k[0][0]": {"i": i}}, ("k",)) for i in range(2001)]
    moves = tuple(Move("k[0][0]", "b", "updates x", at, {"x": str(i)}, states[i]) for i in range(1, 2001))
    schedule = Schedule(states[0], moves, Ending.LASSO, 1000, ())
    assert_itf(json.loads(itf.text(schedule, "many")))
    assert len(schedule.as_json()["steps"]) == 2000
