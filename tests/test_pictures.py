"""Pictures: what is drawn, and that each language's text is well formed whatever the labels contain."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from lxml import etree

from scopec.base.source import Span
from scopec.explain.verdict import Check
from scopec.report.dot import dot, mermaid
from scopec.report.layout import SMALL, Rect, layout
from scopec.report.picture import Box, Edge, Lane, Picture, picture, usual
from scopec.report.svg import svg
from scopec.session.check import Settings, check
from tests.conftest import REPOSITORY
from tests.violations import VIOLATIONS

pytestmark = pytest.mark.usefixtures("kept_machines")

#: Message passing in which the acquire sees the release, and two threads write the same object.
HANDOVER = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0}, n{0};
__device__ int x = 0;
__global__ void k() {
    int r = 0;
    if (blockIdx.x == 0) {
        x = 42;
        n.store(1, cuda::memory_order_relaxed);
        f.store(1, cuda::memory_order_release);
    } else if (f.load(cuda::memory_order_acquire) == 1) {
        n.store(2, cuda::memory_order_relaxed);
        r = x;
    }
}
//@ launch k<<<2, 1>>>();
//@ expect allowed k[1][0].r == 42 && n == 2;
"""


def first_check(path: Path, text: str) -> Check:
    path.write_text(text, encoding="utf-8")
    (outcome,) = check([path], Settings(engine="embedded"))
    return outcome.reports[0].checks[0]


def edges(drawn: Picture) -> set[tuple[str, str, str]]:
    """Edges with the texts of their boxes."""
    names = {b.id: b.text for b in drawn.boxes}
    return {(e.relation, names[e.source], names[e.target]) for e in drawn.edges}


def test_an_execution_is_drawn_with_its_relations_and_no_more(tmp_path: Path) -> None:
    drawn = picture(first_check(tmp_path / "p.cu", HANDOVER), "title")
    assert drawn.lanes == (
        Lane("k[0][0]", ("device 0", "block k[0]")),
        Lane("k[1][0]", ("device 0", "block k[1]")),
    )
    assert edges(drawn) == {
        ("po", "6: write x = 42", "7: write n = 1"),
        ("po", "7: write n = 1", "8: write f = 1"),
        ("po", "9: read f = 1", "10: write n = 2"),
        ("po", "10: write n = 2", "11: read x = 42"),
        ("rf", "8: write f = 1", "9: read f = 1"),
        ("rf", "6: write x = 42", "11: read x = 42"),
        ("co", "7: write n = 1", "10: write n = 2"),
        ("sw", "8: write f = 1", "9: read f = 1"),
        ("hb", "8: write f = 1", "9: read f = 1"),
    }
    rows = {b.text: b.row for b in drawn.boxes}
    assert rows["9: read f = 1"] > rows["8: write f = 1"]
    assert {r.name for r in drawn.relations} - {r.name for r in usual(drawn).relations} == {"hb"}


def test_the_way_that_would_order_two_accesses_breaks_somewhere(tmp_path: Path) -> None:
    relaxed = HANDOVER.replace("f.store(1, cuda::memory_order_release)", "f.store(1, cuda::memory_order_relaxed)")
    relaxed = relaxed.partition("//@ expect")[0] + "//@ expect race_free;\n"
    drawn = picture(first_check(tmp_path / "p.cu", relaxed), "title")
    assert ("no-sw", "8: write f = 1", "9: read f = 1") in edges(drawn)
    names = {b.id: b.text for b in drawn.boxes}
    assert {(names[e.source], names[e.target]) for e in drawn.edges if e.way and e.relation == "po"} == {
        ("6: write x = 42", "7: write n = 1"),
        ("7: write n = 1", "8: write f = 1"),
        ("9: read f = 1", "10: write n = 2"),
        ("10: write n = 2", "11: read x = 0"),
    }
    assert drawn.ends == frozenset()
    assert ">no sw</text>" in svg(drawn)
    right = picture(first_check(tmp_path / "q.cu", HANDOVER), "title")
    assert not any(e.way for e in right.edges)


def test_a_picture_says_where_a_scope_ends(tmp_path: Path) -> None:
    narrow = picture(first_check(tmp_path / "p.cu", VIOLATIONS["race-scope"]), "title")
    assert narrow.ends == {"block mp[0]: block scope ends here", "block mp[1]: block scope ends here"}
    assert {group for lane in narrow.lanes for group in lane.groups} == {"device 0", *narrow.ends}
    wide = picture(first_check(tmp_path / "q.cu", HANDOVER), "title")
    assert wide.ends == frozenset()


PTX = """\
PTX mp
{ x = 0; f = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;
 st.weak x, 1         | ld.acquire.gpu r0, f     ;
 st.release.gpu f, 1  | ld.weak r1, x            ;
exists (1:r0=1 /\\ 1:r1=1)
"""


def test_what_other_models_call_otherwise_is_drawn_too(tmp_path: Path) -> None:
    """PTX has "synchronizes" and "causality order"."""
    (tmp_path / "p.litmus").write_text(PTX + "//@ expect condition under ptx;\n", encoding="utf-8")
    (outcome,) = check([tmp_path / "p.litmus"], Settings(engine="embedded"))
    drawn = picture(outcome.reports[0].checks[0], "title")
    steps = ("5: write f = 1", "4: read f = 1")
    assert {e for e in edges(drawn) if e[0] in ("sw", "hb")} == {("sw", *steps), ("hb", *steps)}


def test_a_race_is_drawn_once_and_its_accesses_are_marked(tmp_path: Path) -> None:
    drawn = picture(first_check(tmp_path / "p.cu", VIOLATIONS["race-scope"]), "title")
    assert ("race", "7: write f = 1", "8: read f = 0") in edges(drawn)
    assert {b.text for b in drawn.boxes if b.marked} == {"7: write f = 1", "8: read f = 0"}
    assert [b.text for b in drawn.boxes if b.lane is None] == ["f = 0, initially"]


def test_of_very_many_races_the_decisive_one_is_drawn(tmp_path: Path) -> None:
    text = "__device__ int n = 0;\n__global__ void k() { n = 1; }\n//@ launch k<<<1, 8>>>();\n//@ expect race_free;\n"
    drawn = picture(first_check(tmp_path / "p.cu", text), "title")
    assert len([e for e in drawn.edges if e.relation == "race"]) == 1
    assert drawn.closing == "28 pairs of accesses race; one of them is drawn"


@pytest.mark.jvm
def test_a_schedule_is_drawn_with_where_its_threads_stay(tmp_path: Path) -> None:
    drawn = picture(first_check(tmp_path / "p.cu", VIOLATIONS["hang"]), "title")
    assert [b.text for b in drawn.boxes if b.step] == ["6: launches k", "3: starts, loads ready = 0"]
    assert {drawn.lanes[b.lane or 0].name for b in drawn.boxes if b.marked} == {"main", "k[0][0]", "k[1][0]"}
    assert drawn.closing == "from here on nothing changes"
    around = picture(first_check(tmp_path / "q.cu", VIOLATIONS["silent"]), "title")
    (loop,) = [e for e in around.edges if e.relation == "loop"]
    boxes = {b.id: b for b in around.boxes}
    assert boxes[loop.source].row > boxes[loop.target].row
    assert 'class="band"' in svg(around)


@pytest.mark.sampled(0)
def test_arrows_lead_from_who_waits_to_who_could_help(tmp_path: Path) -> None:
    """In a circle of locks to each other; to the last step of one that has ended and kept a lock."""
    from tests.test_left_behind import BARRIER, LOCK
    from tests.test_values_in_steps import CROSSED, FLAG

    for text, edges in (
        (CROSSED, {("end_k[0][0]", "end_k[1][0]"), ("end_k[1][0]", "end_k[0][0]")}),
        (LOCK, {("end_k[2][0]", "k[1][0]")}),
        (BARRIER, {("end_k[0][0]", "end_k[0][1]"), ("end_k[0][1]", "end_k[0][0]")}),
        (FLAG.replace("GIVE", "return;"), set()),
    ):
        drawn = picture(first_check(tmp_path / "p.cu", text), "title")
        boxes = {b.id: b for b in drawn.boxes}
        found = {(e.source, e.target) for e in drawn.edges if e.relation == "waits"}
        named = {(a, b if b.startswith("end") else drawn.lanes[boxes[b].lane or 0].name) for a, b in found}
        assert named == edges, text


def test_a_long_schedule_is_drawn_without_its_middle(tmp_path: Path) -> None:
    check = first_check(tmp_path / "p.cu", VIOLATIONS["silent"])
    whole, cut = picture(check, "title"), picture(check, "title", 3)
    assert len([b for b in whole.boxes if b.step]) > 3 >= len([b for b in cut.boxes if b.step])
    assert "are not drawn" in cut.closing
    assert [e for e in cut.edges if e.relation == "loop"]
    rows = sorted({b.row for b in cut.boxes})
    assert rows == list(range(len(rows)))


HOSTILE = "<script>&\"'\\]]>#;|%0A{}[](x)`"
AT = Span("p.cu", 1, 1, 1, 2)
STRANGE = Picture(
    HOSTILE,
    (Lane(HOSTILE, (HOSTILE,)), Lane("b", ("g",))),
    (
        Box("a", 0, 0, HOSTILE, HOSTILE, AT),
        Box("b", 1, 0, "b", "", AT, marked=True),
        Box("i", None, 0, HOSTILE, "", AT),
    ),
    (Edge("rf", "i", "a"), Edge("race", "a", "b"), Edge("co", "a", "a")),
    HOSTILE,
)


@pytest.mark.parametrize("alone", [True, False])
def test_svg_is_well_formed(alone: bool) -> None:
    root = etree.fromstring(svg(STRANGE, alone=alone).encode())
    tag = "{http://www.w3.org/2000/svg}"
    assert {e.tag for e in root.iter()} <= {
        tag + t for t in ("svg", "title", "style", "rect", "text", "tspan", "defs", "marker", "path", "g")
    }
    assert len(root.findall(f".//{tag}g[@data-event]")) == 3
    assert root.findtext(f".//{tag}g[@data-event='a']/{tag}title") == f"{HOSTILE}, {HOSTILE}"
    assert (root.find(f"{tag}style") is not None) == alone
    assert not re.search(r"(href|src)=", svg(STRANGE))


# ---------------------------------------------------------------- places

#: All of specs/ take minutes: SCOPEC_EVERY=1 asks for them.
EVERY = int(os.environ.get("SCOPEC_EVERY", "150"))


def wrong_places(drawn: Picture) -> Iterator[tuple[str, str]]:
    """What overlaps in a picture: texts and boxes each other, and an edge a box."""
    at = layout(drawn)
    texts = {e.of.relation + e.of.source + e.of.target: e.name for e in at.edges if e.name is not None}
    texts |= at.boxes | {lane.name: r for lane, r in zip(drawn.lanes, at.names, strict=True)}
    texts |= {title: Rect(x, r.y + 3, SMALL * len(title), 11) for title, r, x in at.groups}
    yield from ((a, b) for a, b in combinations(texts, 2) if texts[a].overlaps(texts[b]))
    for edge in at.edges:
        for (x, y), (u, v) in pairwise(edge.corners):
            part = Rect(min(x, u), min(y, v), abs(x - u) + 0.1, abs(y - v) + 0.1)
            inside = (
                id_ for id_, r in at.boxes.items() if part.overlaps(Rect(r.x + 1, r.y + 1, r.width - 2, r.height - 2))
            )
            yield from ((edge.of.relation, id_) for id_ in inside)


@pytest.mark.jvm
def test_nothing_overlaps_in_the_pictures_of_specs() -> None:
    files = sorted(p for p in (REPOSITORY / "specs").rglob("*") if p.suffix in (".cu", ".litmus"))
    outcomes = check(files[::EVERY], Settings(engine="embedded"))
    drawn = [(o.file, picture(c, c.expectation.text)) for o in outcomes for r in o.reports for c in r.checks if c.trace]
    assert len(drawn) > 3
    assert [(file, wrong) for file, p in drawn for wrong in wrong_places(p)] == []


def test_edges_keep_apart_and_out_of_other_boxes() -> None:
    """Everything to everything, over three threads: each name has its place, and no two ways are the same."""
    boxes = tuple(Box(f"{lane}{row}", lane, row, f"{row}: x", "", AT) for lane in range(3) for row in range(3))
    edges = tuple(Edge("rf", a.id, b.id) for a in boxes for b in boxes if a is not b)
    start = Box("init", None, 0, "x = 0, initially", "", AT)
    lanes = (Lane("main"), Lane("k[0][0]", ("device 0", "block k[0]")), Lane("k[1][0]", ("device 0", "block k[1]")))
    drawn = Picture("t", lanes, (start, *boxes), (*edges, Edge("rf", "init", "22")))
    assert list(wrong_places(drawn)) == []
    at = layout(drawn)
    assert all(e.name is not None for e in at.edges)
    assert len({e.corners for e in at.edges}) == len(at.edges)


def test_groups_are_nested_boxes(tmp_path: Path) -> None:
    """A device has clusters, a cluster blocks, and each is around the boxes of its threads and no others."""
    text = """\
__device__ int n;
__global__ void __cluster_dims__(2, 1, 1) k() { atomicAdd(&n, 1); }
//@ launch k<<<4, 1>>>();
//@ expect allowed n == 4;
"""
    drawn = picture(first_check(tmp_path / "p.cu", text), "title")
    at = layout(drawn)
    groups = {title: rect for title, rect, _ in at.groups}
    assert set(groups) == {"device 0", "cluster k.c0", "cluster k.c1", *(f"block k[{n}]" for n in range(4))}
    for lane in drawn.lanes:
        for outer, inner in pairwise(lane.groups):
            assert groups[outer].x < groups[inner].x
            assert groups[inner].right < groups[outer].right
            assert groups[outer].y < groups[inner].y
            assert groups[inner].bottom < groups[outer].bottom
    for box in drawn.boxes:
        inside = {t for t, r in groups.items() if r.overlaps(at.boxes[box.id])}
        assert inside == set(drawn.lanes[box.lane].groups if box.lane is not None else ())


def test_dot_is_well_formed() -> None:
    """Every statement ends, every string is closed: what is left without the strings has only Graphviz's own signs."""
    text = dot(STRANGE)
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text)
    assert re.fullmatch(r"[\w\s{}\[\]=,;>.-]+", rest), rest
    assert rest.count("{") == rest.count("}") == 3


def test_mermaid_is_well_formed() -> None:
    """Labels are strings without a quote, a bracket or a sign that Mermaid reads."""
    for line in mermaid(STRANGE).splitlines():
        for label in re.findall(r'\["?\(?\["(.*)"\]|\["(.*)"\]|title: "(.*)"', line):
            assert re.fullmatch(r"[\w .,:=()/+#;<>-]*", "".join(label).replace("<br/>", "")), line
    assert "<script" not in mermaid(STRANGE)
    assert mermaid(STRANGE).count("subgraph t") == 2


@pytest.mark.jvm
def test_trace_shows_each_form(write: Callable[..., Path], tmp_path: Path) -> None:
    from tests.command import scopec

    path = write(VIOLATIONS["hang"], "hang.cu")
    begins = {
        "svg": "<svg", "dot": "digraph", "mermaid": "---\ntitle", "json": "{", "itf": "{", "html": "<!doctype html>",
        "text": "hang.cu\n  violated  terminates",
    }  # fmt: skip
    for form, start in begins.items():
        engine = "auto" if form == "text" else "embedded"  # whoever answers, a form is the same
        done = scopec("trace", path.name, f"--{form}", "--engine", engine, "--output", f"out.{form}", cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
        assert (tmp_path / f"out.{form}").read_text().startswith(start)


def test_trace_shows_the_expectation_that_is_asked_for(write: Callable[..., Path]) -> None:
    from tests.command import scopec

    path = write(VIOLATIONS["outcome"])
    first = scopec("trace", path, "--engine", "embedded")
    assert first.returncode == 1
    assert "violated  forbidden sb[0][0].r == 0" in first.stdout
    assert "fr   sb[0][0] 4: read y = 0  ->  sb[1][0] 5: write y = 1" in first.stdout
    required = scopec("trace", path, "--engine", "embedded", "--check", "required")
    assert "violated  required" in required.stdout
    nothing = scopec("trace", path, "--engine", "embedded", "--check", "allowed")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "no trace to show: `allowed sb[0][0].r == 7` is violated: no execution ends this way" in nothing.stderr
    unknown = scopec("trace", path, "--engine", "embedded", "--check", "race_free")
    assert unknown.returncode == 2
    assert "there is no expectation `race_free`" in unknown.stderr
    assert scopec("trace", path, "--engine", "embedded", "--itf").returncode == 2
    good = scopec("trace", write(HANDOVER, "good.cu"), "--engine", "embedded")
    assert good.returncode == 0
    assert "read f = 1 (acquire, device), from line 8, synchronises" in " ".join(good.stdout.split())
    assert scopec("trace", write("int main( {", "bad.cu")).returncode == 2
