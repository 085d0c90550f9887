"""Events that launches record, and what grids wait for that may start before others are complete."""

from __future__ import annotations

from enum import Enum

from scopec.base.records import dataclass


class Fires(Enum):
    """What has to come before an event that is recorded with a launch: of each block of the grid, or nothing at all."""

    TRIGGERED = "each block has let dependent grids start, or has ended"
    BEGUN = "each block has begun"
    LAUNCHED = "nothing: where blocks begin is a best effort"


@dataclass(frozen=True, slots=True)
class LaunchEvent:
    """An event that a launch records (``cudaLaunchAttributeProgrammaticEvent``, ``...LaunchCompletionEvent``)."""

    event: str
    fires: Fires


@dataclass(frozen=True, slots=True)
class Awaited:
    """A grid that another one waits for, which may start before it is complete: from when on."""

    grid: str
    fires: Fires
