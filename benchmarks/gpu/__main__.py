"""Runs the suite on a GPU, and prints what it showed as a table::

python -m benchmarks.gpu                       # nvcc and a GPU are here
python -m benchmarks.gpu --emit DIR            # the programs and their harness, to `make` elsewhere
python -m benchmarks.gpu --results FILE        # what came back
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.gpu.suite import programs
from scopec.base.scratch import scratch_folder
from scopec.gpu import build, results
from scopec.gpu.emit import files
from scopec.gpu.observed import Observed
from scopec.gpu.run import Read, compare, read
from scopec.session.check import Settings
from scopec.session.plan import Overrides

_MOST_EXECUTIONS = 100_000


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emit", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with scratch_folder() as folder:
        suite = folder / "suite"
        suite.mkdir()
        for name, text in programs():
            (suite / name).write_text(text, encoding="utf-8")
        # What runs are instructions: all of it is also a question to the model of PTX.
        found = list(read([suite], Settings(Overrides(model="ptx"), engine="embedded", cache=True)))
        assert all(file.plan is not None for file in found), [file.outcome for file in found if file.plan is None]
        harness = files([test for file in found for test in file.tests], options.rounds, options.seed, 100_000)
        if options.emit is not None:
            build.write(harness, options.emit)
            return
        seen = (
            results.read(options.results)
            if options.results is not None
            else build.results(harness, folder / "harness", {"NVCC": build.find(None)}, os.cpu_count() or 1)
        )
        print("\n".join(table(found, seen)))


def table(found: Sequence[Read], seen: results.Results) -> Iterator[str]:
    """A row for the programs of each kind under each model, then every state outside and what was not run."""
    yield f"{seen.gpu}: {seen.version}"
    yield ""
    yield "| model | programs | tests | runs | states seen | of allowed | outside |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    remarks: list[str] = []
    for model in ("ptx", "cuda"):
        kinds: dict[str, list[Observed]] = {"all": []}
        for file in found:
            language, shape, *place = file.path.stem.split("-")
            if model == "cuda" and language != "cuda":
                continue
            overrides = replace(file.settings.overrides, model=model)
            outcome = compare(
                replace(file, settings=replace(file.settings, overrides=overrides)), [seen], _MOST_EXECUTIONS
            )
            remarks += [f"{file.path.name}: {outcome.failure}"] * (outcome.failure is not None)
            for report in outcome.reports:
                assert isinstance(report, Observed)
                remarks += [
                    f"{file.path.name} under {model}: {c.reason}" for c in report.checks if c.verdict != "holds"
                ]
                for name in (f"{language}, {'-'.join(place[:-1])}", shape, "all"):
                    kinds.setdefault(name, []).append(report)
        for name, reports in (*sorted(kinds.items()),):
            states = [state for report in reports for state in report.shown]
            allowed = [state for state in states if state.status == "allowed"]
            outside = sum(state.status == "forbidden" for state in states)
            runs = sum(report.runs for report in reports)
            both = f"{sum(state.count > 0 for state in allowed):,} | {len(allowed):,}"
            yield f"| `{model}` | {name} | {len(reports)} | {runs:,} | {both} | {outside} |"
    yield ""
    yield from remarks


if __name__ == "__main__":
    main()
