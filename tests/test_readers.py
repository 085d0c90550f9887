"""Readers of the engines' output: real output of Alloy 6.2 and TLC 2.15, kept as fixtures."""

from __future__ import annotations

import re
from xml.etree.ElementTree import ParseError

import pytest

from scopec.base.diagnostics import EngineError
from scopec.engines.alloy.run import read_instance
from scopec.engines.tla.read import messages, parse_state, read, states_so_far
from scopec.explain.reasons import race
from scopec.memory.choice import Choice
from scopec.memory.execution import Execution
from scopec.program.observe import Target
from scopec.session.plan import Overrides, plan
from tests.conftest import REPOSITORY
from tests.test_alloy_emit import PROGRAMS

FIXTURES = REPOSITORY / "tests" / "fixtures"


def tlc_output(name: str) -> tuple[str, int]:
    """What TLC printed on standard output, and its exit status."""
    text = (FIXTURES / "tlc" / f"{name}.txt").read_text()
    status = re.search(r"exit code (\d+)", text)
    return text.partition("# ---- stdout\n")[2].partition("# ---- stderr")[0], int(status[1]) if status else -1


def test_success() -> None:
    result = read(*tlc_output("success.tool.rc0"))
    assert (result.outcome, result.behaviour, result.states) == ("holds", (), 26)


def test_lasso() -> None:
    result = read(*tlc_output("liveness-lasso.tool.rc13"))
    assert (result.outcome, result.loop_to, result.states) == ("liveness", 4, 48)
    assert [s.action for s in result.behaviour] == ["", "main_1", "Start", "main_1r", "k_1", "k_4"]
    assert result.behaviour[-1].values["pc"] == {"host": "main_2", "g_b0_t0": "idle", "g_b1_t0": "k_4t"}
    assert result.behaviour[0].values["stream"] == {"s0": ()}


def test_stuttering() -> None:
    result = read(*tlc_output("liveness-stuttering.tool.rc13"))
    assert (result.outcome, result.loop_to, len(result.behaviour)) == ("liveness", None, 5)


def test_deadlock() -> None:
    result = read(*tlc_output("deadlock.tool.rc11"))
    assert (result.outcome, len(result.behaviour), result.states) == ("deadlock", 8, 25)
    assert result.behaviour[-1].values["arrived"] == {"g_b0": frozenset({"g_b0_t0"})}


def test_invariant() -> None:
    result = read(*tlc_output("invariant.tool.rc12"))
    assert (result.outcome, result.invariant, len(result.behaviour)) == ("invariant", "NoFlag", 6)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("assert-fail.tool.rc75", "The first argument of Assert evaluated to FALSE"),
        ("sany-unknown-op.tool.rc150", "Unknown operator: `Gotoo'"),
    ],
)
def test_no_answer(name: str, said: str) -> None:
    with pytest.raises(EngineError) as raised:
        read(*tlc_output(name))
    assert said in str(raised.value)


def test_messages_nest() -> None:
    found = messages(tlc_output("assert-fail.tool.rc75")[0])
    outer = next(m for m in found if m.code == 1000)
    inner = next(m for m in found if m.code == 2132)
    assert inner.text in outer.text
    assert found.index(outer) < found.index(inner)


def test_progress_of_a_run_that_was_stopped() -> None:
    text = (FIXTURES / "tlc" / "long-run-terminated.tool.txt").read_text()
    output = re.sub(r"(?m)^\[ *[\d.]+s\] ", "", text)
    assert states_so_far(output) == 489305
    assert states_so_far("") is None


def test_output_that_is_no_output() -> None:
    for text in ("", "hello", "@!@!@STARTMSG 2217:4 @!@!@\n1: <Initial predicate>\n/\\ x = ?"):
        with pytest.raises(EngineError):
            read(text, 255)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = 1", {"x": 1}),
        ("/\\ a = -3\n/\\ b = TRUE", {"a": -3, "b": True}),
        (
            '/\\ s = {}\n/\\ t = {1, 2}\n/\\ q = <<>>\n/\\ r = <<"a", <<1>>>>',
            {"s": frozenset(), "t": frozenset({1, 2}), "q": (), "r": ("a", (1,))},
        ),
        ('f = (0 :> 1 @@ "k" :> [a |-> 2,\n  b |-> {"x"}])', {"f": {0: 1, "k": {"a": 2, "b": frozenset({"x"})}}}),
    ],
)
def test_values(text: str, wanted: dict[str, object]) -> None:
    assert parse_state(text) == wanted


# ---------------------------------------------------------------- Alloy


def test_an_instance_becomes_an_execution_with_its_race() -> None:
    (run,) = plan(PROGRAMS / "race.cu", "race.cu", Overrides()).runs
    choice = read_instance((FIXTURES / "alloy" / "race_on_f.xml").read_text(), run.graph)
    execution = Execution(run.problem.base, run.problem.model, choice)
    assert execution.problems == ()
    assert {r for _, r in choice.rf} == {"mp_1_0_L9_R", "mp_1_0_L10_R"}
    pair = execution.racing_pair(Target("f", (("f", None),)))
    assert pair is not None
    assert {e.id for e in pair} == {"mp_0_0_L7_W", "mp_1_0_L9_R"}
    assert race(execution, pair) == (
        "the store at race.cu:7 is atomic at block scope, which does not include thread mp[1][0]; "
        "the load at race.cu:9 is atomic at block scope, which does not include thread mp[0][0]; no synchronisation "
        "orders one before the other"
    )


def test_instances_of_another_program_are_refused() -> None:
    (run,) = plan(PROGRAMS / "counters.cu", "counters.cu", Overrides()).runs
    with pytest.raises(KeyError):
        read_instance((FIXTURES / "alloy" / "race_on_f.xml").read_text(), run.graph)
    with pytest.raises(ParseError):
        read_instance("<alloy", run.graph)


def test_what_is_wrong_with_an_execution_is_noticed() -> None:
    """An engine that answers wrongly does not get away with it."""
    (run,) = plan(PROGRAMS / "message-passing.cu", "message-passing.cu", Overrides()).runs
    problem = run.problem

    def problems(rf: set[tuple[str, str]], co: set[tuple[str, str]]) -> list[str]:
        return list(Execution(problem.base, problem.model, Choice(frozenset(rf), frozenset(co), {}, {})).problems)

    co = {("init_x", "mp_0_0_L6_W"), ("init_f", "mp_0_0_L7_W")}
    good = {("mp_0_0_L7_W", "mp_1_0_L9_R"), ("mp_0_0_L6_W", "mp_1_0_L10_R")}
    assert problems(good, co) == []
    stale = {("mp_0_0_L7_W", "mp_1_0_L9_R"), ("init_x", "mp_1_0_L10_R")}
    assert problems(stale, co) == ["axiom coherence"]
    assert problems({("mp_0_0_L7_W", "mp_1_0_L9_R")}, co) == ["mp_1_0_L10_R reads from []"]
    crossed = {("mp_0_0_L7_W", "mp_1_0_L9_R"), ("init_f", "mp_1_0_L10_R")}
    assert "mp_1_0_L10_R reads from ['init_f']" in problems(crossed, co)
    assert "co of x is not a total order" in problems(good, {("init_f", "mp_0_0_L7_W")})
