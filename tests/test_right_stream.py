"""A race of two streams that goes away with one piece of work in the stream of the other, or an event in a capture."""

from __future__ import annotations

from json import loads

import pytest

from scopec.explain.fixes import replaced
from scopec.explain.reasons import explanation
from scopec.explain.verdict import Check
from scopec.lsp.findings import of_checks
from scopec.report import html, json, rules, sarif, text
from scopec.session.check import Outcome
from tests.conftest import Asks
from tests.test_stream_words import BEGIN, COPY, END, FORK, JOIN, LAUNCH, MAKE, READY, TEXT, USE


def source(*calls: str) -> str:
    return TEXT.format(calls="\n".join(f"    {call}" for call in calls))


def race(outcome: Outcome) -> Check:
    return next(c for c in outcome.reports[0].checks if c.expectation.kind == "race_free")


def ways(check: Check) -> list[str]:
    """What is tried, without what was checked."""
    found = [check.advice, None if check.instead is None else check.instead.said]
    return [one.partition("; checked")[0] for one in found if one is not None]


@pytest.mark.parametrize(
    ("calls", "moved", "changed"),
    [
        # The later one goes where the earlier one is.
        ((COPY, USE), "the launch of use, at line 14, in stream s, as the copy, at line 13",
         "use<<<1, 1, 0, s>>>(buf, out);"),
        ((MAKE, "cudaMemsetAsync(buf, 0, 4, t);"), "the fill, at line 14, in stream s, as the launch of make, at line 13",
         "cudaMemsetAsync(buf, 0, 4, s);"),
        ((MAKE, "cudaMemcpyAsync(host, buf, 4, cudaMemcpyDefault, t);"), "the copy, at line 14, in stream s, as the launch of make, at line 13",
         "cudaMemcpyAsync(host, buf, 4, cudaMemcpyDefault, s);"),
        ((MAKE, "cudaLaunchHostFunc(t, look, buf);"), "the host function, at line 14, in stream s, as the launch of make, at line 13",
         "cudaLaunchHostFunc(s, look, buf);"),
        # A stream that was left out, in a launch and in a call; the legacy one.
        ((MAKE, "use<<<1, 1>>>(buf, out);"), "the launch of use, at line 14, in stream s, as the launch of make, at line 13",
         "use<<<1, 1, 0, s>>>(buf, out);"),
        ((MAKE, "cudaMemsetAsync(buf, 0, 4);"), "the fill, at line 14, in stream s, as the launch of make, at line 13",
         "cudaMemsetAsync(buf, 0, 4, s);"),
        (("make<<<1, 1>>>(buf);", USE), "the launch of use, at line 14, in the legacy stream, as the launch of make, at line 13",
         "use<<<1, 1, 0, 0>>>(buf, out);"),
        # What is captured, and whole launches of graphs.
        ((BEGIN, FORK, MAKE, USE, JOIN, END, READY, LAUNCH),
         "the launch of use, at line 16, in stream s, as the launch of make, at line 15", "use<<<1, 1, 0, s>>>(buf, out);"),
        ((BEGIN, MAKE, END, READY, "cudaGraphInstantiate(&y, g, 0);", LAUNCH, "cudaGraphLaunch(y, t);"),
         "the launch of the graph `y`, at line 19, in stream s, as the launch of the graph `x`, at line 18", "cudaGraphLaunch(y, s);"),
    ],
)  # fmt: skip
def test_the_stream_of_the_other_is_another_way(ask: Asks, calls: tuple[str, ...], moved: str, changed: str) -> None:
    """An event comes first, as it changes no stream; both were checked."""
    outcome = ask(source(*calls), advise=True)
    check = race(outcome)
    first, second = ways(check)
    assert first.startswith("an event that is recorded after the ")
    assert second == moved
    assert check.instead is not None
    then = replaced(outcome.reports[0].run.source, check.instead.fix)
    assert changed in then
    assert race(ask(then)).verdict == "holds"


@pytest.mark.parametrize("where", ["cudaFreeAsync(pool, t);", "cudaFreeAsync(pool, nullptr);"])
@pytest.mark.sampled(1)
def test_it_comes_first_where_no_one_event_helps(ask: Asks, where: str) -> None:
    """A free that races with the allocation and with the kernel."""
    calls = ("cudaMallocAsync(&pool, 4, s);", "make<<<1, 1, 0, s>>>(pool);", where)
    check = race(ask(source(*calls), advise=True))
    assert ways(check)[:1] == ["the cudaFreeAsync, at line 15, in stream s, as the cudaMallocAsync, at line 13"]
    assert [change.text.strip() for change in check.fix] == ["s"]


@pytest.mark.parametrize(
    ("calls", "offered"),
    [
        # With the host it is a matter of waiting.
        (("cudaMemcpyAsync(host, buf, 4, cudaMemcpyDefault, s);", "int seen = *host;"), "cudaStreamSynchronize(s) after the copy"),
        ((BEGIN, COPY, END, READY, LAUNCH, "*host = 2;"), "cudaStreamSynchronize(s) after the launch of the graph `x`, at line 17"),
        # In the stream of the one it would race with a third.
        ((MAKE, "make<<<1, 1, 0, t>>>(buf);", "use<<<1, 1, 0, n>>>(buf, out);"), None),
        # No text says which stream it is: it is given to the calls' own function.
        ((MAKE, "in(t, buf, out);"), "an event that is recorded"),
    ],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_where_it_is_not_offered(ask: Asks, calls: tuple[str, ...], offered: str | None) -> None:
    program = source(
        "cudaStream_t n; cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);" * ("n>>>" in calls[-1]), *calls
    )
    program = program.replace(
        "int main()", "void in(cudaStream_t at, int* buf, int* out) { use<<<1, 1, 0, at>>>(buf, out); }\nint main()"
    )
    check = race(ask(program, advise=True))
    assert not any(", as the " in way for way in ways(check))
    assert offered is None or (check.advice or "").startswith(offered.replace("17", "19"))


def test_two_streams_of_two_devices_are_not_one(ask: Asks) -> None:
    """A copy between devices may be in either's stream, a kernel in its own device's only."""
    calls = (
        MAKE,
        "cudaSetDevice(1); cudaStream_t n; cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);",
        USE.replace("t>", "n>"),
    )
    check = race(ask(source(*calls), advise=True))
    assert not any(", as the " in way for way in ways(check))


def test_every_report_has_both(ask: Asks) -> None:
    outcome = ask(source(COPY, USE), advise=True)
    check = race(outcome)
    assert check.instead is not None
    said = "the launch of use, at line 14, in stream s, as the copy, at line 13"
    shown = "\n".join(text.outcome_lines(outcome, width=100, verbose=False, quiet=False))
    assert "or:  the launch of use, at line 14, in stream s" in shown
    assert "+    use<<<1, 1, 0, s>>>(buf, out);" in shown
    document = json.document([outcome], {}, 0.0)["programs"][0]["checks"][0]
    assert document["instead"]["advice"].startswith(said)
    assert [change["text"] for change in document["instead"]["fix"]] == [" s"]
    (result,) = loads(sarif.text([outcome], 1))["runs"][0]["results"]
    assert [fix["description"]["text"].startswith(said) for fix in result["fixes"]] == [False, True]
    assert f". Or: {said}" in rules.message(check, explanation(check))
    page = html.page(outcome.reports[0])
    assert "<strong>Or:</strong> the launch of use, at line 14, in stream s" in page
    (finding,) = of_checks([check], outcome.reports[0].run)
    assert finding.instead is not None
    assert [change.text for change in finding.instead.changes] == [change.text for change in check.instead.fix]
