"""``scopec run``: from files to tests, and from what a GPU showed to outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError, LimitError, ScopecError, UsageError
from scopec.base.files import quoting
from scopec.base.records import dataclass
from scopec.gpu.compare import compared
from scopec.gpu.harness import Test, test
from scopec.gpu.whole import Whole, is_whole, whole
from scopec.gpu.whole_text import has_main
from scopec.session.check import Outcome
from scopec.session.final_states import listings
from scopec.session.plan import plan
from scopec.session.program_files import programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from scopec.base.diagnostics import Diagnostic
    from scopec.gpu.results import Results
    from scopec.session.check import Settings
    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Overrides, Plan


@dataclass(frozen=True)
class Read:
    """A file with its tests, one a variant; or what is wrong with it."""

    path: Path
    settings: Settings
    plan: Plan | None
    tests: tuple[Test | Whole, ...]
    outcome: Outcome


def read(paths: Sequence[Path], settings: Settings, *, as_written: bool = False) -> Iterator[Read]:
    """Each file that ``paths`` name, as tests; ``as_written`` runs each program whole that has a host's `main`."""
    for path, problem in programs(paths):
        shown = str(path)
        own = replace(settings, overrides=_own_model(path, settings))
        if problem is not None:
            yield Read(path, own, None, (), Outcome(shown, diagnostics=(problem,)))
            continue
        try:
            with settings.limited():
                planned = plan(path, shown, own.overrides)
                planned, tests = _tests(shown, planned, as_written=as_written)
        except InputError as bad:
            yield Read(path, own, None, (), Outcome(shown, diagnostics=bad.diagnostics))
        except ScopecError as failed:
            yield Read(path, own, None, (), Outcome(shown, failure=str(failed), exhausted=failed.exit_code == 4))
        else:
            yield Read(path, own, planned, tuple(tests), Outcome(shown, diagnostics=planned.warnings))


def _tests(shown: str, planned: Plan, *, as_written: bool) -> tuple[Plan, list[Test | Whole]]:
    """A test for each variant.  A guessed kernel that is not run is an error beside the others, and not in the plan."""
    tests: list[Test | Whole] = []
    left: set[int] = set()
    refused: list[Diagnostic] = []
    for run in {id(run.program): run for run in planned.runs}.values():
        try:
            tests.append(_test(shown, run, as_written=as_written))
        except InputError as bad:
            if not run.guessed:
                raise
            left.add(id(run.program))
            refused += bad.diagnostics
    runs = tuple(run for run in planned.runs if id(run.program) not in left)
    return replace(planned, runs=runs, warnings=(*planned.warnings, *dict.fromkeys(refused))), tests


def _test(shown: str, run: Run, *, as_written: bool) -> Test | Whole:
    name = _name(shown, run.program.variant)
    with quoting(run.source):
        if is_whole(run.program) or (as_written and has_main(run.source)):
            return whole(name, run.program)
        return test(name, run.program)


def _own_model(path: Path, settings: Settings) -> Overrides:
    """The overrides of a file; one written in PTX is compared with PTX's model unless another is named."""
    if settings.overrides.model is None and path.suffix in (".litmus", ".ptx"):
        return replace(settings.overrides, model="ptx")
    return settings.overrides


def _name(shown: str, variant: Mapping[str, str]) -> str:
    return shown + (f" [{', '.join(f'{k} = {v}' for k, v in variant.items())}]" if variant else "")


def compare(file: Read, results: Sequence[Results], limit: int) -> Outcome:
    """The states that GPUs showed of a file, beside the final states that its model allows."""
    if file.plan is None:
        return file.outcome
    try:
        run_there = [run.program.variant for run in file.plan.runs]
        found = [one for one in listings(file.path, file.settings, limit)[0] if one.run.program.variant in run_there]
        reports = []
        for listing, each in zip(found, file.tests, strict=True):
            if any(each.key not in one.records for one in results):
                missing = f"the results have nothing of {each.name} as it is now: emit the harness again"
                return replace(file.outcome, failure=missing)
            asked = [
                run
                for run in file.plan.runs
                if run.program.variant == listing.run.program.variant and run.model.name == listing.run.model.name
            ]
            reports.append(compared(listing, each, asked, results))
    except UsageError:  # of the results, which are no file's own
        raise
    except InputError as bad:
        return replace(file.outcome, diagnostics=bad.diagnostics)
    except LimitError as passed:
        return replace(file.outcome, failure=str(passed), exhausted=True)
    except ScopecError as failed:
        return replace(file.outcome, failure=str(failed))
    return replace(file.outcome, reports=tuple(reports))
