"""Both readers of `.cu` files say the same of every program that both accept.

test_clang_reader.py compares what they make of specs/.  Here are programs a small change away from those, whose
expectations need not hold: what they are, all verdicts, and their final states.
``SCOPEC_RANDOM_PROGRAMS`` sets how many are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from scopec.base.diagnostics import LimitError
from scopec.session.check import Outcome, Settings, check
from scopec.session.final_states import Listing, listings
from scopec.session.plan import Overrides
from tests.agreement import agreed, differences
from tests.random_changes import changes
from tests.samples import programs
from tests.test_clang_compiler import REFUSED
from tests.test_clang_reader import SPECS, scoped_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAMS = programs(4, 12)
_READERS = ("scoped", "clang")
_MOST_EXECUTIONS = 300


def test_what_is_said_of_changed_specifications(tmp_path: Path) -> None:
    """Of one that a reader refuses nothing can be compared; most are accepted by both."""
    files = [p for p in sorted(SPECS.rglob("*.cu")) if scoped_runs(p) and str(p.relative_to(SPECS)) not in REFUSED]
    changed = [(file.name, texts) for file in files if (texts := list(changes(file.read_text())))]
    random, found, tally = Random(1), {}, Counter[str]()
    for number in range(PROGRAMS):
        name, texts = random.choice(changed)
        path = tmp_path / f"{number}-{name}"
        path.write_text(random.choice(texts))
        outcomes = [_asked(path, reader) for reader in _READERS]
        refused = [reader for reader, one in zip(_READERS, outcomes, strict=True) if one.exit_code in (2, 3)]
        tally[f"refused by {refused}"] += 1
        if not refused:
            tally.update({"violated"} & {check.verdict for report in outcomes[0].reports for check in report.checks})
            said = [*_apart(*outcomes), *_other_final_states(path, tally)]
            if said:
                found[str(path)] = said
    assert found == {}
    assert tally["refused by []"] > PROGRAMS // 3, tally


def _asked(path: Path, reader: str) -> Outcome:
    (outcome,) = check([path], Settings(overrides=Overrides(reader=reader), engine="embedded", timeout=60))
    return outcome


def _apart(one: Outcome, other: Outcome) -> Iterator[str]:
    """Where the programs differ, or a verdict: what is checked without being written may be known to hold."""
    for mine, its in zip(one.reports, other.reports, strict=True):
        yield from differences(agreed(mine.run.graph), agreed(its.run.graph))
        verdicts = [
            {
                c.expectation.text: c.verdict
                for c in report.checks
                if not (c.expectation.implicit and c.verdict == "holds")
            }
            for report in (mine, its)
        ]
        for text in {**verdicts[0], **verdicts[1]}:
            if verdicts[0].get(text) != verdicts[1].get(text):
                yield f"{mine.run.name}: {text}: {verdicts[0].get(text)}, {verdicts[1].get(text)}"


def _other_final_states(path: Path, tally: Counter[str]) -> Iterator[str]:
    """Where programs with few executions end differently, by the names that both have and that hold no pointers."""
    try:
        found = [
            listings(
                path, Settings(overrides=Overrides(reader=reader), engine="embedded", timeout=10), _MOST_EXECUTIONS
            )[0]
            for reader in _READERS
        ]
    except LimitError:
        return
    for mine, its in zip(*found, strict=True):
        if not (mine.unfinished or its.unfinished):
            tally["listed"] += 1
            common = _names(mine) & _names(its)
            if _states(mine, common) != _states(its, common):
                yield f"{mine.run.name} ends differently"


def _names(listing: Listing) -> set[str]:
    wide = {name for name, object_ in listing.run.program.objects.items() if object_.type.size == 8}
    named = {name for state in listing.states for name in state.values}
    return {name for name in named if re.sub(r"\[\d+\]", "[]", name).removesuffix("[]") not in wide}


def _states(listing: Listing, names: set[str]) -> set[tuple[bool, frozenset[tuple[str, int]]]]:
    return {
        (state.racy, frozenset((name, value) for name, value in state.values.items() if name in names))
        for state in listing.states
    }
