"""Blocks that others wait for before their grid is complete: which of them has not done what is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.progress.steps import DONE, IDLE

if TYPE_CHECKING:
    from scopec.progress.schedule import Moment
    from scopec.progress.system import System


def silent_block(system: System, awaited: ir.Awaited, last: Moment) -> str:
    """Which block of a grid has not done what another thread waits for, in words; empty if none is left.

    What it would let happen is left open: ``{lets}``.
    """
    inside = [t for t in system.threads if t.grid == awaited.grid]
    match awaited.fires:
        case ir.Fires.TRIGGERED:
            left = [t for t in inside if last.labels[t.name] != DONE and t.block_name not in last.triggered]
            return f"{left[0].block_name} has neither {{lets}} nor ended" if left else ""
        case ir.Fires.BEGUN:
            begun = {t.block_name for t in inside if last.labels[t.name] != IDLE}
            left = [t for t in inside if t.block_name not in begun]
            return f"{left[0].block_name} has not begun" if left else ""
        case ir.Fires.LAUNCHED:
            return ""
