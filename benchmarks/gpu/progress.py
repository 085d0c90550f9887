"""Programs that tell progress models apart, on a GPU: what each model says of them, and how many launches hung.

Where there are nvcc and a GPU, `make -C benchmarks/gpu/probes` writes progress.jsonl there.  Then::

    python -m benchmarks.gpu.progress [progress.jsonl]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scopec.progress.models import MODELS
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

PROBES = Path(__file__).parent / "probes"
#: What a model says where each device has places for two blocks, which is fewer than most probes have.
_PLACES = {"resident_blocks": "2"}


def probes() -> list[Path]:
    """The programs, without what drives them."""
    return [path for path in sorted(PROBES.glob("*.cu")) if path.stem != "drive"]


def ends(model: str, given: Mapping[str, str] | None = None) -> dict[str, bool | None]:
    """Which probes end in every schedule that a progress model allows; None of what is outside the model."""
    settings = Settings(Overrides(progress=model, given=given, cache=True), engine="embedded")
    found: dict[str, bool | None] = {}
    for path in probes():
        (outcome,) = check([path], settings)
        verdicts = {c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "terminates"}
        assert verdicts <= {"holds", "violated"}, (path, outcome)
        found[path.stem] = (verdicts == {"holds"}) if verdicts else None
    return found


def table(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What was seen of each probe; what each model says; which models that contradicts."""
    first = records[0]
    yield f"{first['gpu']}, driver {first['driver']}, runtime {first['runtime']}: launches that ended + hung"
    yield ""
    sizes = ("one or two units", "all resident", "one unit more", "eight times")
    yield f"| probe | resident blocks | {' | '.join(sizes)} |"
    yield f"|---|--:|{'--:|' * len(sizes)}"
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        seen.setdefault(record["probe"], []).append(record)
    for probe, of_it in seen.items():
        counts = [f"{r['ended']:,} + {r['hung']}" for r in of_it] + ["–"] * (len(sizes) - len(of_it))
        yield f"| `{probe}` | {of_it[0]['resident']:,} | {' | '.join(counts)} |"
    yield ""
    said = {f"`{model}`": ends(model) for model in MODELS}
    said |= {f"`{model}`, 2 places": ends(model, _PLACES) for model in MODELS if MODELS[model].has_host}
    yield f"| model | {' | '.join(f'`{probe}`' for probe in seen)} |"
    yield f"|---|{'---|' * len(seen)}"
    words = {True: "ends", False: "may hang", None: "–"}
    for model, verdicts in said.items():
        hung = {probe: any(r["hung"] for r in of_it) for probe, of_it in seen.items()}
        cells = [f"**{words[v]}**" if v and hung[p] else words[v] for p in seen for v in (verdicts[p],)]
        yield f"| {model} | {' | '.join(cells)} |"


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PROBES / "progress.jsonl"
    print("\n".join(table([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])))
