"""The documents as a site: every page is in its contents, every link leads to a page and a heading, and search finds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


def built(top: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "-d", str(top / "site")]
    return subprocess.run(command, cwd=top, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What the site is made of."""
    shutil.copytree(REPOSITORY / "docs", tmp_path / "docs")
    (tmp_path / ".ci").mkdir()
    for name in ("mkdocs.yml", "README.md", ".ci/site.py"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    return tmp_path


@pytest.mark.sampled(0)
def test_the_site_is_built_and_can_be_searched(copy: Path) -> None:
    done = built(copy)
    assert done.returncode == 0, done.stderr
    pages = [page.read_text(encoding="utf-8") for page in (copy / "site").rglob("*.html")]
    assert len(pages) > len(list((copy / "docs").rglob("*.md")))
    search = json.loads((copy / "site" / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert any("__syncthreads" in entry["text"] for entry in search["docs"])
    assert not re.search(
        r'(?:src|href)="(?:https?:)?//(?!www\.mkdocs\.org|keepachangelog|semver)[^"]*\.(?:js|css)"', "".join(pages)
    )
    assert 'href="tutorial/"' in (copy / "site" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("docs/glossary.md", "[x](language.md#no-such-heading)\n"),
        ("docs/left-out.md", "# A page that the contents lack\n"),
    ],
)
@pytest.mark.sampled(1)
def test_what_leads_nowhere_is_an_error(file: str, text: str, copy: Path) -> None:
    with (copy / file).open("a", encoding="utf-8") as opened:
        opened.write(text)
    assert built(copy).returncode != 0
