"""Pages in a real browser: every control, keyboard, print, both colour schemes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from scopec.progress.schedule import Schedule
from scopec.report import formats, html
from scopec.report.formats import Results
from scopec.session.check import Outcome, Settings, check
from tests.pages import browser_test, report_of, selected

pytestmark = [pytest.mark.jvm, pytest.mark.browser]


@browser_test
@pytest.mark.sampled(0)
def test_a_race_is_walked_through(page: Page, site: Path) -> None:
    page.goto((site / "race_scope.html").as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text("race-scope.cu")
    assert [li.get_attribute("data-line") for li in page.locator(".code .culprit").all()] == ["7", "8"]
    assert page.locator(".box.marked").count() == 2
    # An event shows its line, by mouse and by keyboard.
    store = page.get_by_role("button", name="mp[0][0], line 7: write f = 1, release, block")
    store.click()
    assert selected(page) == ["7"]
    expect(store).to_have_class(re.compile("selected"))
    load = page.get_by_role("button", name=re.compile(r"mp\[1\]\[0\], line 8: read f = 0"))
    load.focus()
    page.keyboard.press("Enter")
    assert selected(page) == ["8"]
    assert page.locator(".box.selected").count() == 1
    page.keyboard.press("Escape")
    assert selected(page) == []
    assert page.locator(".box.selected").count() == 0
    # A line shows its events.
    page.get_by_role("button", name="Line 6: show its event").click()
    assert selected(page) == ["6"]
    assert page.locator(".box.selected title").text_content() == "6: write x = 42"
    # Every relation can be switched.
    switches = page.locator("fieldset input").all()
    assert [s.get_attribute("value") for s in switches] == ["po", "rf", "fr", "race"]
    for switch in switches:
        edge = page.locator(f".drawing .edge.{switch.get_attribute('value')}").first
        expect(edge).to_have_css("display", "inline")
        switch.uncheck()
        expect(edge).to_have_css("display", "none")
        switch.press("Space")
        expect(edge).to_have_css("display", "inline")
    # The same in words.
    page.get_by_text("Events and final values as tables").click()
    expect(page.get_by_role("row", name="mp[1][0] 8 read f = 0 acquire, block initial value")).to_be_visible()


@browser_test
@pytest.mark.parametrize("width", [390, 1280])
def test_a_picture_is_made_larger_smaller_and_to_fit(page: Page, site: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site / "wide.html").as_uri())
    drawing = page.locator(".drawing").first

    def shown() -> float:
        return float(drawing.locator("svg").evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width"))

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).first.click()

    assert shown() == pytest.approx(0.7, abs=0.01)
    press("100 %")
    assert shown() == pytest.approx(1, abs=0.01)
    press("Larger")
    assert shown() == pytest.approx(1.25, abs=0.01)
    press("Smaller")
    press("Smaller")
    assert shown() == pytest.approx(0.8, abs=0.01)
    press("Fit")
    assert drawing.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@browser_test
def test_an_address_names_an_event_a_step_or_a_line(page: Page, site: Path) -> None:
    race = (site / "race_scope.html").as_uri()
    page.goto(race)
    page.locator(".box.marked").first.click()
    address, line = page.url, selected(page)
    assert "#p1-" in address
    page.keyboard.press("Escape")
    assert page.url == race
    page.goto("about:blank")
    page.goto(address)
    assert selected(page) == line
    assert page.locator(".box.selected").count() == 1
    page.goto(f"{race}#L6")
    assert selected(page) == ["6"]
    page.goto((site / "lasso.html").as_uri() + "#check-1-step-2")
    expect(page.locator("output")).to_contain_text("Step 2 of")
    page.get_by_role("button", name="One step forward").click()
    assert page.url.endswith("#check-1-step-3")


@browser_test
def test_a_lasso_is_walked_through(page: Page, site: Path, outcomes: list[Outcome]) -> None:
    trace = report_of(outcomes, "lasso.cu").checks[0].trace
    assert isinstance(trace, Schedule)
    assert trace.loop_to is not None
    steps, start = len(trace.moves), trace.loop_to
    page.goto((site / "lasso.html").as_uri())
    names = ("First state", "One step back", "One step forward", "Last state")
    first, back, forward, last = (page.get_by_role("button", name=n, exact=True) for n in names)
    said = page.locator("output")
    expect(said).to_contain_text(f"Step {steps} of {steps} (repeats for ever)")  # it opens at its end
    expect(last).to_be_disabled()
    first.click()
    expect(said).to_have_text(f"Before the first of {steps} steps")
    expect(first).to_be_disabled()
    expect(back).to_be_disabled()
    assert page.locator("tr.repeats[data-step]").count() == steps - start
    assert "lasso" in (page.locator("tr.across").first.text_content() or "")
    forward.click()
    expect(said).to_have_text(f"Step 1 of {steps}: main, line 11: {trace.moves[0].action}")
    assert selected(page) == ["11"]
    back.click()
    expect(said).to_have_text(f"Before the first of {steps} steps")
    last.click()
    expect(said).to_contain_text(f"Step {steps} of {steps} (repeats for ever)")
    expect(last).to_be_disabled()
    # After the last step comes the first of the loop.
    forward.click()
    expect(said).to_contain_text(f"Step {start + 1} of {steps} (repeats for ever)")
    expect(page.locator("tr.current")).to_have_attribute("data-step", str(start + 1))
    first.click()
    # The keyboard steps too, and so do rows and the slider.
    player = page.locator(".player")
    player.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("Step 3 of")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("Step 2 of")
    page.keyboard.press("End")
    expect(said).to_contain_text(f"Step {steps} of")
    page.keyboard.press("Home")
    expect(said).to_contain_text("Before the first")
    page.locator(f"tr[data-step='{steps - 1}']").click()
    expect(said).to_contain_text(f"Step {steps - 1} of")
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    slider.press("ArrowRight")
    expect(said).to_contain_text(f"Step {steps} of")
    # Each state is that of the schedule.
    for number, move in enumerate(trace.moves, start=1):
        slider.fill(str(number))
        wants: Any = move.after.memory["wants"]
        expect(page.locator(".memory tbody tr")).to_have_text([f"wants[{i}]{wants[i]}" for i in (0, 1)])
        changed = [name for name in move.changes if name.startswith("wants[")]
        assert page.locator(".memory .changed").count() == len(changed)
    # A line goes to its step.
    page.get_by_role("button", name=re.compile("^Line 11:")).click()
    expect(said).to_contain_text("Step 1 of")


@browser_test
def test_an_index_is_filtered_by_verdict(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    rows = page.locator("tbody tr")
    errors = page.locator("tr[data-verdict=error]").count()
    every = 4 + errors
    assert rows.count() == every
    expect(page.get_by_role("status")).to_have_text(f"{every} of {every}")
    page.get_by_label("holds (1)").uncheck()
    expect(page.get_by_role("status")).to_have_text(f"{every - 1} of {every}")
    expect(page.get_by_role("row", name="good.cu holds race_free")).to_be_hidden()
    page.get_by_label("violated (2)").uncheck()
    page.get_by_label(f"error ({errors})").uncheck()
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    expect(page.locator("tbody tr:visible")).to_contain_text("raise the bound")
    page.get_by_label("violated (2)").check()
    page.get_by_role("searchbox").fill("LASSO")
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    # What is shown is in the address.
    assert page.url.endswith("#without=holds&without=error&with=LASSO")
    page.reload()
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    page.get_by_role("link", name="terminates").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("lasso.cu")
    assert page.url.endswith("lasso.html#check-1")
    page.get_by_role("link", name="All programs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("scopec")


@browser_test
def test_an_index_is_sorted(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    for ascending in (True, False):
        shown = page.locator("tbody tr td:first-child").all_text_contents()
        assert shown == sorted(shown, reverse=not ascending)
        expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending" if ascending else "descending")
        page.get_by_role("button", name="program").click()
    page.get_by_role("button", name="verdict").click()
    page.get_by_role("button", name="verdict").click()
    assert page.url.endswith("#by=1&down=")
    page.reload()
    shown = page.locator("tbody tr td:nth-child(2)").all_text_contents()
    assert shown == sorted(shown, reverse=True)


@browser_test
def test_an_index_is_by_folder(page: Page, outcomes: list[Outcome], tmp_path: Path) -> None:
    names = {"race-scope.cu": "src/b/race-scope.cu", "lasso.cu": "src/a/lasso.cu", "good.cu": "src/b/good.cu"}
    moved = [
        replace(
            o, file=names[o.file], reports=tuple(replace(r, run=replace(r.run, file=names[o.file])) for r in o.reports)
        )
        for o in outcomes
        if o.file in names
    ]
    (tmp_path / "index.html").write_text(html.files(moved, 1.0)["index.html"], encoding="utf-8")
    page.goto((tmp_path / "index.html").as_uri())

    def shown() -> list[str]:
        return page.locator("tbody tr:visible > :first-child").all_text_contents()

    a, b = "src/a/ 1 violated", "src/b/ 1 holds, 1 violated"
    assert shown() == [a, "lasso.cu", b, "good.cu", "race-scope.cu"]
    page.get_by_role("searchbox").fill("src/b")
    assert shown() == [b, "good.cu", "race-scope.cu"]
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="program").click()
    assert shown() == [b, "race-scope.cu", "good.cu", a, "lasso.cu"]
    page.get_by_role("button", name="verdict").click()
    assert shown()[0] == "good.cu"
    assert len(shown()) == 3
    assert Axe().run(page).violations_count == 0
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_pages_of_programs_that_went_away_are_removed(outcomes: list[Outcome], tmp_path: Path) -> None:
    """But none that scopec did not write with its index."""

    def write(shown: Sequence[Outcome]) -> set[str]:
        results = Results(shown, 1.0, datetime.now(UTC), 0, dict)
        formats.write([formats.Request("html", tmp_path)], results)
        return {p.name for p in tmp_path.iterdir()}

    (tmp_path / "index.html").write_text('<a href="mine.html#top">')
    (tmp_path / "mine.html").write_text("mine")
    assert write(outcomes) >= {"index.html", "mine.html", "lasso.html", "good.html"}
    assert write([o for o in outcomes if o.file == "good.cu"]) == {"index.html", "mine.html", "good.html"}


@browser_test
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_its_window(page: Page, site: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for file in site.glob("*.html"):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), file.name


def test_a_page_of_what_holds_has_a_witness_and_numbers(tmp_path: Path) -> None:
    text = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};
__global__ void k() { x.fetch_add(1); }
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates;
"""
    (tmp_path / "held.cu").write_text(text, encoding="utf-8")
    (outcome,) = check([tmp_path / "held.cu"], Settings(engine="embedded"))
    shown = html.page(outcome.reports[0])
    assert '<a href="#witness">one of them</a> has 4 events of 2 threads.' in shown
    assert re.search(r"None of the \d+ states that the schedules reach shows otherwise", shown)
    assert shown.count("<figure") == 1
    assert 'id="witness"' not in html.page(replace(outcome.reports[0], witness=None))


@browser_test
def test_final_states_are_drawn(page: Page, site: Path) -> None:
    page.goto((site / "outcomes.html").as_uri())
    expect(page.locator("h1")).to_have_text("states.cu")
    rows = page.locator("main > table tbody tr")
    assert rows.count() == page.locator("figure.execution").count() == 3
    expect(rows.first).to_have_text("k[0][0].r=0; k[1][0].r=1; x=1; y=1;1")
    page.locator("#state-1-1 .box:not(.initial)").first.click()
    assert selected(page) == ["4"]
    assert "#p1-1-" in page.url


@browser_test
def test_print_shows_everything(page: Page, site: Path) -> None:
    for name in ("race_scope", "lasso"):
        page.goto((site / f"{name}.html").as_uri())
        page.emulate_media(media="print")
        expect(page.locator(".controls, fieldset").first).to_be_hidden()
        for box in page.locator(".source, .drawing, .steps").all():
            assert box.evaluate("e => e.scrollHeight <= e.clientHeight + 1")
        assert page.pdf(format="A4")[:4] == b"%PDF"
        page.emulate_media(media="screen")


@browser_test
def test_a_page_fits_a_narrow_window(page: Page, site: Path) -> None:
    page.set_viewport_size({"width": 600, "height": 800})
    for name in ("race_scope", "lasso", "index"):
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 600, name


@browser_test
def test_everything_that_reacts_has_a_name_and_can_be_reached(page: Page, site: Path) -> None:
    for name in ("race_scope", "lasso", "index"):
        page.goto((site / f"{name}.html").as_uri())
        controls = page.locator("button, input, a[href], [tabindex]").all()
        assert controls
        for control in controls:
            assert control.get_attribute("tabindex") in (None, "0")
            named = control.evaluate(
                "e => e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim()"
            )
            assert named, control.evaluate("e => e.outerHTML")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement !== document.body")
        assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size") == (
            page.locator("[id]").count()
        )


@pytest.mark.sampled(1)
@browser_test
@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("light", 1280), ("dark", 390), ("dark", 1280)])
def test_axe_finds_nothing(scheme: Any, width: int, page: Page, site: Path) -> None:
    """axe-core's rules, on each kind of page: names, roles, labels, contrast, landmarks, order of headings."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    for name in ("race_scope", "lasso", "undecided", "good", "outcomes", "seen", "index"):
        page.goto((site / f"{name}.html").as_uri())
        if name == "race_scope":
            page.get_by_text("Events and final values as tables").click()
            page.locator(".box.marked").first.click()
        found = Axe().run(page)
        assert found.violations_count == 0, (name, found.generate_report())


@browser_test
def test_violations_lead_to_each_other_and_a_change_can_be_copied(page: Page, tmp_path: Path) -> None:
    from scopec.advice import advised

    path = tmp_path / "two.cu"
    text = "__device__ int n;\n__global__ void k() { n += 1; }\n//@ launch k<<<2, 1>>>();\n"
    path.write_text(f"{text}//@ expect race_free;\n//@ expect may_hang;\n")
    (outcome,) = check([path], Settings(engine="embedded", advise=advised))
    (tmp_path / "two.html").write_text(html.page(outcome.reports[0]), encoding="utf-8")
    page.goto((tmp_path / "two.html").as_uri())
    page.get_by_role("link", name="Next violation").click()
    assert page.url.endswith("#check-2")
    page.get_by_role("link", name="Previous violation").click()
    assert page.url.endswith("#check-1")
    assert page.locator(".diff .added").last.text_content() == "+__global__ void k() { atomicAdd(&n, 1); }"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copy")).to_have_text("Copied")
    assert "+__global__ void k() { atomicAdd(&n, 1); }\n" in str(page.evaluate("navigator.clipboard.readText()"))


@browser_test
@pytest.mark.sampled(0)
def test_violations_of_other_programs_follow(page: Page, tmp_path: Path) -> None:
    """Over a program without any between them; the first and the last of the report end the row."""
    kernel = "__device__ int n;\n__global__ void k() { n += 1; }\n"
    wrong = f"{kernel}//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n//@ expect may_hang;\n"
    for name, text in (("a", wrong), ("b", f"{kernel}//@ launch k<<<1, 1>>>();\n"), ("c", wrong)):
        (tmp_path / f"{name}.cu").write_text(text)
    found = check([tmp_path / f"{name}.cu" for name in "abc"], Settings(engine="embedded"))
    for name, text in html.files(found, 1.0).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    page.goto((tmp_path / "a.html").as_uri())
    page.get_by_role("link", name="Next violation").last.click()
    assert page.url.endswith("/c.html#check-1")
    assert page.get_by_role("link", name="Next violation").count() == 1
    page.get_by_role("link", name="Previous violation").first.click()
    assert page.url.endswith("/a.html#check-2")
    assert page.get_by_role("link", name="Previous violation").count() == 1
    page.goto((tmp_path / "b.html").as_uri())
    assert page.get_by_role("link", name="violation").count() == 0


@browser_test
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.sampled(0)
def test_code_is_not_cut(width: int, page: Page, site: Path) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for name in ("race_scope.html", "lasso.html", "wide.html"):
        page.goto((site / name).as_uri())
        assert page.evaluate("(s => s.scrollWidth <= s.clientWidth)(document.querySelector('.source'))")
