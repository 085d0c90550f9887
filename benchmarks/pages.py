"""Measures how long pages of large traces load in Chromium: ``python benchmarks/pages.py``; two seconds are the most.

Files are read from the disk, as a user opens them; the figures are the best and the worst of five.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from playwright.sync_api import sync_playwright

from scopec.report import html
from scopec.session.check import Settings, check
from tests.pages import CHROMIUM, MANY_EVENTS, SOURCES, loading_times, many_steps


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "lasso.cu").write_text(SOURCES["lasso"], encoding="utf-8")
        (folder / "many.cu").write_text(MANY_EVENTS, encoding="utf-8")
        lasso, many = (
            check([folder / f"{n}.cu"], Settings(engine="embedded"))[0].reports[0] for n in ("lasso", "many")
        )
        events = len(many.checks[0].trace.events)  # type: ignore[union-attr]
        pages = {"a schedule of 2,000 steps": many_steps(lasso), f"an execution of {events} events": many}
        page = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page()
        for what, report in pages.items():
            path = folder / "page.html"
            path.write_text(html.page(report), encoding="utf-8")
            times = loading_times(page, path, 5)
            size = path.stat().st_size / 1024
            print(f"{what:<32} {size:>6.0f} KB  {min(times):.2f} s to {max(times):.2f} s")


if __name__ == "__main__":
    main()
