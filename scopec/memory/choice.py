"""An engine's choices in an execution: reads-from, coherence, and what a program leaves open."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.program.observe import Location


@dataclass(frozen=True)
class Choice:
    """An engine's choices: reads-from and coherence pairs by event id, and the values of choices.

    ``written`` gives the values of writes that are computed from reads, where the engine gives them: they are needed
    only in executions in which values depend on themselves.  ``sync_fence`` orders seq_cst fences, for models that name
    it.  ``last`` gives the write whose value a location has at the end, where a partial co leaves that open.
    ``orders`` are the model's, in its order.
    """

    rf: frozenset[tuple[str, str]]
    co: frozenset[tuple[str, str]]
    choices: Mapping[str, int]
    written: Mapping[str, int]
    sync_fence: frozenset[tuple[str, str]] = frozenset()
    last: Mapping[Location, str] = field(default_factory=dict)
    orders: tuple[frozenset[tuple[str, str]], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The choices as JSON values, for comparison."""
        relations = {"rf": self.rf, "co": self.co, "sync_fence": self.sync_fence}
        return {
            **{name: [list(pair) for pair in sorted(pairs)] for name, pairs in relations.items()},
            "choices": dict(self.choices),
            "written": dict(self.written),
            "orders": [[list(pair) for pair in sorted(pairs)] for pairs in self.orders],
            "last": {f"{at.instance} {at.object}[{at.index}]".strip(): write for at, write in self.last.items()},
        }
