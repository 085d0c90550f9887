"""From which sizes on programs are large, where a test says so."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from scopec.memory.cat.permitted import permitted
from scopec.memory.reductions import Reductions
from scopec.progress.reductions import Reductions as ProgressReductions
from scopec.session.inquiry import variant
from scopec.session.inquiry.variant import Variant

NEVER = 1 << 30


def sizes(
    monkeypatch: pytest.MonkeyPatch,
    *,
    threads: int = 16,
    events: int = 150,
    meeting: int = 16,
    many: int = 16,
    values: int = 32,
) -> None:
    """As :class:`Reductions` has them, ``many`` as that of the progress question;
    ``several`` is the same if that is given, and no number of states makes few threads many."""

    def sized(model: object, same_as: object, without: Collection[str] = ()) -> Reductions:
        found = permitted(model, same_as, without)  # type: ignore[arg-type]
        return replace(found, threads=threads, events=events, meeting=meeting, values=values)

    monkeypatch.setattr(variant, "permitted", sized)
    several = 6 if many == 16 else many
    chosen = {} if many == 16 else {"states": NEVER}
    progress = replace(ProgressReductions(), many=many, several=several, **chosen)
    of_progress = property(lambda run: progress.without(run.without))
    monkeypatch.setattr(Variant, "progress_reductions", of_progress)
