"""Pages for tests in a browser: the programs that they are of, a browser, and a page in which nothing goes wrong.

A plugin of pytest: the modules that test pages share its fixtures.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scopec.progress.schedule import Ending, Moment, Move, Schedule
from scopec.report import html
from scopec.session.check import Outcome, Report, Settings, check
from scopec.session.final_states import listings
from tests.command import scopec
from tests.violations import VIOLATIONS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

browser_test = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is on PATH")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of which nothing may go wrong: no error, no message on the console, no dialog, no request but for itself."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    yield page
    assert wrong == []
    context.close()


# A worker checks these once: the memory example of docs/, and a lasso.
SOURCES = {
    "race-scope": VIOLATIONS["race-scope"],
    "lasso": """\
__device__ cuda::atomic<int, cuda::thread_scope_device> wants[2];
__global__ void k() {
    int me = threadIdx.x;
    wants[me].store(1);
    while (wants[1 - me].load() == 1) {
        wants[me].store(0);
        wants[me].store(1);
    }
    wants[me].store(0);
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
""",
    "good": "__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n",
    "undecided": VIOLATIONS["undecided"],
}


#: Its page has a wide source and a wide picture.
WIDE = f"""\
__device__ int a_long_name_of_what_everybody_writes_to_at_once_{"x" * 60}; // {"and so on " * 20}
__global__ void k() {{ a_long_name_of_what_everybody_writes_to_at_once_{"x" * 60} = threadIdx.x; __syncthreads(); }}
//@ launch k<<<6, 1>>>();
//@ expect race_free;
//@ expect required a_long_name_of_what_everybody_writes_to_at_once_{"x" * 60} == 0;
"""


STATES = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
__global__ void k() {
    int r = 0;
    if (blockIdx.x == 0) { x = 1; r = y; } else { y = 1; r = x; }
}
//@ launch k<<<2, 1>>>();
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    folder = tmp_path_factory.mktemp("programs")
    for name, text in SOURCES.items():
        (folder / f"{name}.cu").write_text(text, encoding="utf-8")
    (folder / "broken.cu").write_text("int main( {", encoding="utf-8")
    found = check([folder], Settings(engine="embedded"))
    return [replace(o, file=Path(o.file).name, reports=tuple(map(short, o.reports))) for o in found]


def short(report: Report) -> Report:
    return replace(report, run=replace(report.run, file=Path(report.run.file).name))


def report_of(outcomes: Sequence[Outcome], name: str) -> Report:
    return next(o.reports[0] for o in outcomes if o.file == name)


@pytest.fixture(scope="module")
def site(outcomes: list[Outcome], tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.test_run import LOAD_BUFFERING, written

    folder = tmp_path_factory.mktemp("site")
    for name, text in html.files(outcomes, 1.0).items():
        (folder / name).write_text(text, encoding="utf-8")
    wide, states = folder / "wide.cu", folder / "states.cu"
    wide.write_text(WIDE, encoding="utf-8")
    (folder / "wide.html").write_text(
        html.page(check([wide], Settings(engine="embedded"))[0].reports[0]), encoding="utf-8"
    )
    states.write_text(STATES, encoding="utf-8")
    listed, _ = listings(states, Settings(engine="embedded"), 100)
    listed = tuple(replace(found, run=replace(found.run, file=states.name)) for found in listed)
    (folder / "outcomes.html").write_text(html.outcomes(listed), encoding="utf-8")
    program = tmp_path_factory.mktemp("run") / "lb.litmus"
    program.write_text(LOAD_BUFFERING, encoding="utf-8")
    results = written(program, [[979, 0, 0, 0, 0, 1, 1], [21, 0, 0, 1, 1, 1, 1]], program.parent)
    run = scopec("run", program, "--results", results, "--format", "html", "--output", program.parent / "pages")
    assert run.returncode == 1, run.stderr
    (seen,) = (page for page in (program.parent / "pages").glob("*.html") if page.stem != "index")
    seen.rename(folder / "seen.html")
    return folder


def selected(page: Page) -> list[str]:
    """The numbers of the source lines that are chosen."""
    return [str(li.get_attribute("data-line")) for li in page.locator(".code .selected").all()]


def loading_times(page: Page, path: Path, times: int) -> list[float]:
    """Seconds from navigation to the end of loading: what `benchmarks/pages.py` measures."""
    found = []
    for _ in range(times):
        page.goto(path.as_uri())
        found.append(float(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")) / 1000)
    return found


def many_steps(report: Report) -> Report:
    """The report with a schedule of 2,000 steps instead of its own."""
    at = report.checks[0].trace.moves[0].span  # type: ignore[union-attr]
    labels = {"main": "main_L5", "k[0][0]": "k_L3", "k[0][1]": "k_L3"}
    states = [Moment(labels, {"turn": i, "other": i // 10}, {"k[0][0]": {"i": i}}, ("k",)) for i in range(2001)]
    moves = tuple(
        Move(f"k[0][{i % 2}]", "k_L3", "updates turn", at, {"turn": str(i)}, states[i]) for i in range(1, 2001)
    )
    schedule = Schedule(states[0], moves, Ending.LASSO, 1500, ())
    return replace(report, checks=(replace(report.checks[0], trace=schedule),))


MANY_EVENTS = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x[8];
__global__ void k() {
    int a = x[0].load(cuda::memory_order_relaxed), b = x[1].load(cuda::memory_order_relaxed);
    int c = x[2].load(cuda::memory_order_relaxed), d = x[3].load(cuda::memory_order_relaxed);
    x[blockIdx.x].store(1, cuda::memory_order_relaxed);
}
//@ launch k<<<8, 5>>>();
//@ expect allowed k[0][0].a == 0 && k[7][4].d == 0;
"""
