"""Streams as lanes: in pages and traces, what the host gives to each, in which order, and what races."""

from __future__ import annotations

from json import loads
from pathlib import Path

import jsonschema
import pytest
from playwright.sync_api import Page, expect

from scopec.explain.queues import queues_of
from scopec.explain.verdict import Check
from scopec.memory.events.events import Kind
from scopec.memory.execution import Execution
from scopec.report import html, json
from scopec.report.layout import layout
from scopec.report.picture import Picture
from scopec.report.streams import stream_lines, stream_picture
from scopec.session.check import Report
from tests.conftest import Asks
from tests.pages import browser_test, selected
from tests.test_stream_words import BEGIN, COPY, END, FORK, JOIN, LAUNCH, MAKE, NODES, READY, TEXT, USE, WAIT, WRITE

_SPECS = Path(__file__).parent.parent / "specs"


def checked(ask: Asks, *calls: str, kind: str = "race_free") -> tuple[Report, Check]:
    text = TEXT.format(calls="\n".join(f"    {call}" for call in calls)).replace("expect race_free", f"expect {kind}")
    (report,) = ask(text).reports
    return report, next(check for check in report.checks if check.expectation.kind == kind)


def drawn(ask: Asks, *calls: str, kind: str = "race_free") -> Picture:
    report, check = checked(ask, *calls, kind=kind)
    found = stream_picture(report.run.program, check, "Streams")
    assert found is not None
    return found


def lane(picture: Picture, name: str) -> list[str]:
    """The boxes of a lane, from top to bottom."""
    number = next(n for n, one in enumerate(picture.lanes) if ": ".join((*one.groups, one.name)) == name)
    return [box.text for box in sorted(picture.boxes, key=lambda box: box.row) if box.lane == number]


def arrows(picture: Picture, relation: str) -> set[tuple[str, str]]:
    boxes = {box.id: box.text for box in picture.boxes}
    return {(boxes[e.source], boxes[e.target]) for e in picture.edges if e.relation == relation}


def test_two_streams_the_race_and_what_is_missing(ask: Asks) -> None:
    picture = drawn(ask, COPY, USE)
    assert [one.name for one in picture.lanes] == ["main", "the legacy stream", "stream s", "stream t"]
    assert lane(picture, "main") == [
        "12: call of the fill", "12: cudaDeviceSynchronize", "13: call of the copy", "14: launch of use", "15: cudaDeviceSynchronize",
    ]  # fmt: skip
    assert lane(picture, "stream s") == ["13: copy", "13: write buf = 0"]
    assert lane(picture, "stream t") == ["14: kernel use", "4: read buf = 0"]
    assert arrows(picture, "race") == {("13: write buf = 0", "4: read buf = 0")}
    assert arrows(picture, "missing") == {("13: write buf = 0", "14: kernel use")}
    assert arrows(picture, "issue") >= {("13: call of the copy", "13: copy"), ("14: launch of use", "14: kernel use")}
    assert arrows(picture, "returns") == {
        ("12: fill", "12: cudaDeviceSynchronize"),
        ("13: write buf = 0", "15: cudaDeviceSynchronize"), ("4: read buf = 0", "15: cudaDeviceSynchronize"),
    }  # fmt: skip
    assert {box.text for box in picture.boxes if box.marked} == {"13: write buf = 0", "4: read buf = 0"}


def test_an_event_and_what_comes_before_it(ask: Asks) -> None:
    """An event that is recorded too early orders what is before it, and not the work behind."""
    record, wait = "cudaEventRecord(e, s);", "cudaStreamWaitEvent(t, e, 0);"
    picture = drawn(ask, "cudaMemsetAsync(out, 0, 4, s);", record, MAKE, wait, USE)
    assert lane(picture, "stream s") == ["13: fill", "14: record e", "15: kernel make", "3: write buf = 2"]
    assert lane(picture, "stream t") == ["16: wait for e", "17: kernel use", "4: read buf = 2"]
    assert arrows(picture, "event") == {("14: record e", "16: wait for e")}
    assert ("13: fill", "14: record e") in arrows(picture, "stream")
    assert ("14: record e", "15: kernel make") in arrows(picture, "stream")
    assert ("16: wait for e", "17: kernel use") in arrows(picture, "stream")
    assert arrows(picture, "missing") == {("3: write buf = 2", "17: kernel use")}


def test_a_captured_graph_has_a_lane_for_each_stream(ask: Asks) -> None:
    picture = drawn(ask, BEGIN, FORK, MAKE, USE, JOIN, END, READY, LAUNCH, "cudaMemsetAsync(out, 0, 4, s);")
    assert lane(picture, "main")[-3:] == [
        "20: cudaGraphLaunch(x, s)",
        "21: call of the fill",
        "22: cudaDeviceSynchronize",
    ]
    assert lane(picture, "graph x: stream s, captured") == ["15: kernel make", "3: write buf = 2"]
    assert lane(picture, "graph x: stream t, captured") == ["16: kernel use", "4: read buf = 2"]
    # One arrow from the launch to each node that comes after no other; what is behind the graph in its stream is behind all nodes.
    assert arrows(picture, "issue") >= {
        ("20: cudaGraphLaunch(x, s)", "15: kernel make"),
        ("20: cudaGraphLaunch(x, s)", "16: kernel use"),
    }
    assert arrows(picture, "stream") >= {("3: write buf = 2", "21: fill"), ("4: read buf = 2", "21: fill")}


def test_edges_of_a_graph_and_its_second_launch(ask: Asks) -> None:
    order = "cudaGraphAddDependencies(g, &fills, &looks, 1);"
    picture = drawn(ask, *NODES, order, READY, LAUNCH, LAUNCH, "cudaLaunchHostFunc(t, look, buf);")
    assert [one for one in lane(picture, "graph x: nodes") if "write" not in one][:2] == [
        "14: fill",
        "15: function look",
    ]
    details = [box.detail for box in picture.boxes if "node " in box.detail]
    assert details == ["node fills, launch 1", "node looks, launch 1", "node fills, launch 2", "node looks, launch 2"]
    assert any(a.startswith(("14:", "5:", "13:")) and b == "15: function look" for a, b in arrows(picture, "stream"))
    assert {a for a, _ in arrows(picture, "issue") if "Graph" in a} == {
        "18: cudaGraphLaunch(x, s)",
        "19: cudaGraphLaunch(x, s)",
    }


def test_the_access_of_a_host_thread_stands_in_its_lane(ask: Asks) -> None:
    picture = drawn(
        ask, "cudaMemcpyAsync(host, buf, 4, cudaMemcpyDefault, s);", "int seen = *host;", "cudaStreamSynchronize(s);"
    )
    assert lane(picture, "main")[-4:] == [
        "13: call of the copy",
        "14: read host = 0",
        "15: cudaStreamSynchronize(s)",
        "16: cudaDeviceSynchronize",
    ]
    assert arrows(picture, "missing") == {("13: write host = 0", "14: read host = 0")}
    assert ("13: write host = 0", "15: cudaStreamSynchronize(s)") in arrows(picture, "returns")
    assert ("13: write host = 0", "16: cudaDeviceSynchronize") not in arrows(picture, "returns")


def test_what_a_copy_reads_at_once_has_a_lane_of_its_own(ask: Asks) -> None:
    fill = "cudaLaunchHostFunc(s, [](void* at) { *(int*)at = 1; }, pageable);"
    picture = drawn(ask, fill, "cudaMemcpyAsync(out, pageable, 4, cudaMemcpyHostToDevice, s);")
    assert lane(picture, "pageable memory, read at once")[0] == "14: copy"
    assert lane(picture, "main").count("14: call of the copy") == 1


def test_a_hang_shows_what_is_held_up(ask: Asks) -> None:
    calls = (
        WAIT.replace("(t", "(s"),
        "make<<<1, 1, 0, s>>>(buf);",
        WRITE.format("DEFAULT"),
        "cudaStreamSynchronize(s);",
    )
    picture = drawn(ask, *calls, kind="terminates")
    assert {(box.text, box.detail) for box in picture.boxes if box.marked} == {
        ("13: cuStreamWaitValue32", "waits on flag"), ("14: kernel make", "has not started"), ("15: cuStreamWriteValue32", "has not started"),
        ("16: cudaStreamSynchronize(s)", "does not return"),
    }  # fmt: skip
    assert ("13: cuStreamWaitValue32", "15: cuStreamWriteValue32") in arrows(picture, "waits")


def test_no_lanes_where_streams_do_not_matter(ask: Asks) -> None:
    """A race within one kernel, a program of the legacy stream alone, and work that two host threads give."""
    report, check = checked(ask, "make<<<1, 2, 0, s>>>(buf);")
    assert check.verdict == "violated"
    assert stream_picture(report.run.program, check, "") is None
    text = "__global__ void k(int* a) { *a = 1; }\nint main() { int* a; cudaMalloc(&a, 4); k<<<1, 1>>>(a); int b = *a; }\n//@ expect race_free;\n"
    (report,) = ask(text.replace("cudaMalloc(", "cudaMallocManaged(")).reports
    assert report.checks[0].verdict == "violated"
    assert stream_picture(report.run.program, report.checks[0], "") is None
    report, check = checked(ask, "std::thread other([=] { make<<<1, 1, 0, t>>>(buf); });", MAKE, "other.join();")
    assert check.verdict == "violated"
    assert stream_picture(report.run.program, check, "") is None


def test_pages_and_traces_have_them(ask: Asks) -> None:
    report, check = checked(ask, COPY, USE)
    page = html.page(report)
    assert page.count('data-kind="streams"') == 1
    assert 'aria-label="stream t, line 14: kernel use"' in page
    picture = stream_picture(report.run.program, check, "")
    assert picture is not None
    lines = list(stream_lines(picture, 140))
    assert lines[0].split() == ["main", "the", "legacy", "stream", "stream", "s", "stream", "t"]
    assert lines[-1] == "missing stream s 13: write buf = 0  ->  stream t 14: kernel use"
    assert any("[race] 4: read buf" in one for one in lines)


@pytest.mark.parametrize(
    "name",
    [
        "graphs/capture", "graphs/nodes", "graphs/instances", "graphs/staging", "graphs/waits", "host/streams", "host/copy-arrives",
        "host/legacy-stream-of-two-threads", "host/two-devices", "streams/doorbell", "streams/values", "dependent-launches/chain",
        "dependent-launches/writes", "dependent-launches/waits-for-the-next",
    ],
)  # fmt: skip
@pytest.mark.sampled(7)
def test_the_order_of_lanes_is_that_of_the_memory_model(ask: Asks, name: str) -> None:
    """Of two pieces of work one is above the other by arrows where, and only where, the one's events are before the other's."""
    path = _SPECS / f"{name}.cu"
    ordered = 0
    for report in ask(path.read_text()).reports:
        executions = [c.trace for c in report.checks if isinstance(c.trace, Execution)]
        executions += [] if report.witness is None else [report.witness]
        ordered += sum(_agrees(execution, path) for execution in executions[:1])
    assert ordered or "two-threads" in name or name.startswith("dependent")  # which of them may start early


def _agrees(execution: Execution, path: Path) -> int:
    """How many pairs of work are ordered, in both."""
    program = execution.graph.program
    queues = queues_of(program, execution)
    if queues is None:
        return 0
    grids = {thread.name: thread.grid for thread in program.threads}
    before = {
        (grids.get(a.thread), grids.get(b.thread))
        for a, b in execution.relation("asw")
        if Kind.CALL not in (a.kind, b.kind)
    }
    after: dict[int, set[int]] = {}
    for a, b in (*queues.order, *queues.events):
        after.setdefault(a, set()).add(b)

    def reached(number: int) -> set[int]:
        found, open_ = set(), [number]
        while open_:
            for one in after.get(open_.pop(), ()):
                if one not in found:
                    found.add(one)
                    open_.append(one)
        return found

    own = {n: item.grid.name for n, item in enumerate(queues.items) if item.grid is not None}
    active = {grids.get(e.thread) for e in execution.events if e.kind is not Kind.CALL}
    drawn = {(own[a], own[b]) for a in own for b in reached(a) & own.keys() if {own[a], own[b]} <= active}
    told = {(a, b) for a, b in before if a != b and a in own.values() and b in own.values()}
    assert drawn == _closed(told), path
    return len(drawn)


def _closed(pairs: set[tuple[str | None, str | None]]) -> set[tuple[str | None, str | None]]:
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs = pairs | more
    return pairs


@pytest.mark.browser
@browser_test
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.sampled(1)
def test_each_arrow_can_be_switched_in_a_browser(page: Page, ask: Asks, tmp_path: Path, width: int) -> None:
    report, _ = checked(
        ask, "cudaMemsetAsync(out, 0, 4, s);", "cudaEventRecord(e, s);", MAKE, "cudaStreamWaitEvent(t, e, 0);", USE
    )
    (tmp_path / "page.html").write_text(html.page(report))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    figure = page.locator("figure[data-kind=streams]")
    assert [s.get_attribute("value") for s in figure.locator("fieldset input").all()] == [
        "po", "race", "issue", "stream", "event", "returns", "missing",
    ]  # fmt: skip
    for switch in figure.locator("fieldset input").all():
        edge = figure.locator(f".drawing .edge.{switch.get_attribute('value')}").first
        switch.uncheck()
        expect(edge).to_have_css("display", "none")
        switch.check()
        expect(edge).to_have_css("display", "inline")
    figure.get_by_role("button", name="stream t, line 17: kernel use").click()
    assert selected(page) == ["17"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_json_has_what_pages_show(ask: Asks) -> None:
    text = TEXT.format(calls="\n".join(f"    {call}" for call in (COPY, USE)))
    outcome = ask(text)
    whole = json.document([outcome], {}, 0.0)
    schema = loads((Path(__file__).parent.parent / "docs" / "results.schema.json").read_text())
    jsonschema.validate(whole, schema)
    (found,) = whole["programs"][0]["checks"]
    streams, events = found["streams"], {event["id"] for event in found["trace"]["events"]}
    assert [lane["name"] for lane in streams["lanes"]] == ["main", "the legacy stream", "stream s", "stream t"]
    (race,) = (arrow for arrow in streams["arrows"] if arrow["relation"] == "race")
    assert {race["from"], race["to"]} == set(found["trace"]["race"]["accesses"]) <= events
    assert {item["id"] for item in streams["items"]} >= {end for a in streams["arrows"] for end in (a["from"], a["to"])}
    held = ask(text.replace(", 0, t", ", 0, s"))
    assert "streams" not in json.document([held], {}, 0.0)["programs"][0]["checks"][0]


@pytest.mark.sampled(0)
def test_nothing_overlaps(ask: Asks) -> None:
    picture = drawn(ask, BEGIN, FORK, MAKE, USE, JOIN, END, READY, LAUNCH, "cudaMemsetAsync(out, 0, 4, s);")
    at = list(layout(picture).boxes.values())
    assert not [(a, b) for n, a in enumerate(at) for b in at[:n] if a.overlaps(b)]
