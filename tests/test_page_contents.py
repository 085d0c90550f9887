"""The contents of pages: colours, names and sources that break out of nothing, long traces, and the pictures of docs/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scopec.report import html
from scopec.report.colours import coloured
from scopec.session.check import Outcome, Settings, check
from tests.conftest import REPOSITORY
from tests.pages import MANY_EVENTS, browser_test, many_steps, report_of, selected
from tests.test_formats import HOSTILE_NAME, HOSTILE_SOURCE

IMAGES = REPOSITORY / "docs" / "images"

pytestmark = [pytest.mark.jvm, pytest.mark.browser]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("//@ expect race_free;", '<span class="directive">//@ expect race_free;</span>'),
        ("#include <x>", '<span class="directive">#include &lt;x&gt;</span>'),
        ('f("a//b\\"");', 'f(<span class="string">&#34;a//b\\&#34;&#34;</span>);'),
        ("interval int1 1'000'000", "interval int1 1&#39;000&#39;000"),
        ("if (a<b)", '<span class="word">if</span> (a&lt;b)'),
        ("a /* b\nint */ c", 'a <span class="comment">/* b</span>\n<span class="comment">int */</span> c'),
        ("a /* never\nended", 'a <span class="comment">/* never</span>\n<span class="comment">ended</span>'),
    ],
)
def test_a_source_has_colours(text: str, shown: str) -> None:
    assert coloured(text.split("\n")) == shown.split("\n")


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as the Web Content Accessibility Guidelines define it."""

    def luminance(colour: str) -> float:
        channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_can_be_read_in_both_schemes() -> None:
    styles = [(REPOSITORY / "templates" / "report" / f).read_text() for f in ("page.css", "picture.css")]
    texts = (
        ("text", "quiet", "good", "bad", "doubt", "link"),
        ("ink", "faint", "rf", "co", "fr", "sw", "hb", "race", "loop"),
    )
    grounds = ("paper", "panel", "selected"), ("ground", "box", "block")
    for style, names, behind in zip(styles, texts, grounds, strict=True):
        schemes = re.findall(r"\{ ((?:--|color-scheme)[^}]*)\}", style)
        assert len(schemes) >= 2
        for scheme in schemes:
            colours = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
            for name in names:
                for ground in behind:
                    assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground, scheme)


# ---------------------------------------------------------------- what does not belong there


@browser_test
def test_nothing_in_a_name_or_a_source_breaks_out_of_a_page(page: Page, tmp_path: Path) -> None:
    (tmp_path / HOSTILE_NAME).write_text(HOSTILE_SOURCE, encoding="utf-8")
    (tmp_path / f"bad{HOSTILE_NAME}").write_text(f'int main() {{ int x = "{HOSTILE_NAME}; }}', encoding="utf-8")
    found = check([tmp_path], Settings(engine="embedded"))
    pages = html.files(found, 1.0)
    assert len(pages) == 2
    for name, text in pages.items():
        assert re.fullmatch(r"\w+\.html", name)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
        (tmp_path / name).write_text(text, encoding="utf-8")
        page.goto((tmp_path / name).as_uri())
        assert page.evaluate(
            "[...document.scripts].every(s => s.type === 'application/json' || s.text.includes('use strict'))"
        )
        assert page.locator("img, iframe, object, link").count() == 0
        assert page.locator("b").count() == 0
    expect(page.get_by_role("heading", level=1)).to_contain_text("a<b>&\"'%0A\\n::error::x,y\\x1b[31m](z).cu")
    expect(page.locator("#L2 code")).to_contain_text(
        "<script>alert(1)</script>]]>&amp;\"'%0A::error::%25\\x1b[31m\\u202e"
    )


@browser_test
def test_a_page_could_not_reach_the_network(page: Page, site: Path) -> None:
    """The pages' own policy forbids what they do not need."""
    page.goto((site / "race_scope.html").as_uri())
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


# ---------------------------------------------------------------- size


@browser_test
def test_a_schedule_of_2000_steps_stays_usable(page: Page, outcomes: list[Outcome], tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    path.write_text(html.page(many_steps(report_of(outcomes, "lasso.cu"))), encoding="utf-8")
    page.goto(path.as_uri())
    page.get_by_role("button", name="First state").click()
    page.get_by_role("button", name="Last state").click()
    expect(page.locator("output")).to_contain_text("Step 2000 of 2000 (repeats for ever): k[0][0], line 11")
    expect(page.locator("tr.current")).to_be_in_viewport()
    page.get_by_role("button", name="One step forward").click()
    expect(page.locator("output")).to_contain_text("Step 1501 of 2000")


@browser_test
def test_an_execution_of_200_events_stays_usable(page: Page, tmp_path: Path) -> None:
    (tmp_path / "many.cu").write_text(MANY_EVENTS, encoding="utf-8")
    (outcome,) = check([tmp_path / "many.cu"], Settings(engine="embedded"))
    path = tmp_path / "many.html"
    path.write_text(html.page(outcome.reports[0]), encoding="utf-8")
    page.goto(path.as_uri())
    assert page.locator(".box").count() >= 200
    box = page.locator(".box").nth(190)
    box.scroll_into_view_if_needed()
    box.click()
    assert len(selected(page)) == 1


# ---------------------------------------------------------------- screenshots


@browser_test
@pytest.mark.parametrize("name", ["race", "lasso"])
@pytest.mark.sampled(1)
def test_screenshots_are_of_these_pages(
    name: str, browser: Browser, site: Path, request: pytest.FixtureRequest
) -> None:
    """With --update-golden the images of docs/ are made anew."""
    if request.config.getoption("--update-golden"):
        context = browser.new_context(viewport={"width": 1180, "height": 820})
        page = context.new_page()
        page.goto((site / {"race": "race_scope.html", "lasso": "lasso.html"}[name]).as_uri())
        if name == "race":
            page.locator(".box.marked").first.click()
        else:
            page.locator("tr[data-step]").last.click()
        IMAGES.mkdir(exist_ok=True)
        page.screenshot(path=IMAGES / f"{name}.png")
        context.close()
    image = (IMAGES / f"{name}.png").read_bytes()
    assert image.startswith(b"\x89PNG")
    assert len(image) < 200_000
    documents: Any = [(REPOSITORY / "README.md"), REPOSITORY / "docs" / "results.md"]
    assert all(f"images/{name}.png" in d.read_text(encoding="utf-8") for d in documents)
