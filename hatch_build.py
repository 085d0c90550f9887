"""Computes the grammars' tables when a wheel is built, so that no call of scopec has to, and README for an index."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class Tables(BuildHookInterface[Any]):
    """Hatchling's hook for wheels, editable ones too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the tables beside the package's modules, from where they are packed (`artifacts`)."""
        sys.path.insert(0, self.root)
        from scopec.base.grammars import write_tables

        write_tables()


class Readme(MetadataHookInterface):
    """Hatchling's hook for metadata: a package index has the text of README.md, not the files that it leads to."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description: links to documents become the commands that print them, pictures and other links go."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = re.sub(r"!\[[^\]]*\]\((?!https:)[^)]*\)\n?", "", text)
        text = re.sub(r"\[([^\]]*)\]\(docs/([\w-]+)\.md[^)]*\)", r"\1 (`scopec docs \2`)", text)
        text = re.sub(r"\[([^\]]*)\]\((?!https:)[^)]*\)", r"\1", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
