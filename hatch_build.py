"""Computes the grammars' tables when a wheel is built, so that no call of scopec has to."""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tables(BuildHookInterface[Any]):
    """Hatchling's hook for wheels, editable ones too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the tables beside the package's modules, from where they are packed (`artifacts`)."""
        sys.path.insert(0, self.root)
        from scopec.base.grammars import write_tables

        write_tables()
