"""Hooks of mkdocs: README.md is the first page, and a link to a file that is no page becomes its text.

That such links lead somewhere in the repository is seen by tests/test_documents.py; those to pages, by mkdocs.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

#: A wide table scrolls by itself, and not the page; long words of prose and code are broken.
_STYLE = "table { display: block; overflow-x: auto; } h1, h2, h3, p, li, code { overflow-wrap: anywhere; }\n"
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)([^)#]+)(#[^)]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add README.md as the first page, and the style."""
    text = Path(config.config_file_path).with_name("README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=text.replace("](docs/", "](")))
    files.append(File.generated(config, "site.css", content=_STYLE))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Keep the links to other pages, and the texts of others."""

    def link(found: re.Match[str]) -> str:
        target = files.get_file_from_path(normpath(join(dirname(page.file.src_uri), found[2])))
        return found[1] if target is None or not target.is_documentation_page() else found[0]

    return _LINK.sub(link, markdown)
