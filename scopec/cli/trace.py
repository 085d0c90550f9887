"""``scopec trace``: one counterexample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.advice import advised
from scopec.base.diagnostics import UsageError
from scopec.cli.messages import engine_table, problems, say, told, used
from scopec.cli.options import engine_options, limit_options, program_options
from scopec.report import formats, terminal
from scopec.report import options as report_options

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.explain.verdict import Check
    from scopec.report.beside import Beside
    from scopec.session.check import Report, Settings
    from scopec.session.plan import Overrides


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@program_options
@engine_options
@limit_options
@click.option("--check", "wanted", metavar="TEXT", help="The expectation to show, or how it begins.")
@click.option(
    "--why-not",
    "asked",
    nargs=2,
    metavar="A B",
    help="Say why A is not ordered before B, or by which way it is: events by id, line, THREAD:LINE or FILE:LINE.",
)
@click.option(
    "--next",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show the N-th other execution that shows the same, the nearest one first.",
)
@click.option("--nearest", is_flag=True, help="Show the nearest execution that does not show the same, for contrast.")
@report_options.trace_forms
def trace(
    file: Path, overrides: Overrides, jars: dict[str, Path], engine: str, timeout: float, memory_limit: int,
    wanted: str | None, asked: tuple[str, str] | None, number: int | None, nearest: bool, form: str,
    output: Path | None,
) -> int:  # fmt: skip
    """Show the counterexample of one expectation of FILE: the first that does not hold, or the one that --check names.

    FILE may be stored results, as `scopec check --format json` writes them (.json): nothing is asked then.

    Exit status: as that of `scopec check` for that expectation alone; with --why-not 0 if A is ordered before B, 1 if
    it is not.
    """
    if asked is not None and form not in ("text", "json"):
        raise UsageError(f"--why-not answers in text or JSON, not in --{form}")
    if number is not None and nearest:
        raise UsageError("--next and --nearest: one execution per call")
    if file.suffix == ".json":
        if asked is not None or number is not None or nearest:
            raise UsageError(
                "--why-not, --next and --nearest ask the model, and stored results have none: name the program itself"
            )
        return _stored(file, wanted, form, output)
    from scopec.report import beside, traces
    from scopec.session.check import Settings, check, exit_code

    settings = Settings(overrides, 1, timeout, memory_limit, None, jars, engine, say, advise=advised)
    with terminal.Status() as status:
        outcomes = check([file], told(settings, status))
    status_ = exit_code(outcomes)
    if status_ in (2, 3) or not any(outcome.reports for outcome in outcomes):
        problems(outcomes)
        # What is wrong with one guessed kernel takes no other's counterexample with it.
        if not any(report.run.guessed for outcome in outcomes for report in outcome.reports):
            return status_
    report, chosen = traces.chosen(outcomes, wanted)
    status_ = status_ if status_ in (2, 3) else {"holds": 0, "violated": 1, "unknown": 4}[chosen.verdict]
    if number is not None or nearest:
        with terminal.Status() as status:
            one = _beside(report, chosen, told(settings, status), number)
        if one is None:
            return status_
        if asked is None:
            formats.put(beside.shown(form, report, chosen, one, 100 if output else terminal.width()), output, form)
            return status_
        chosen = replace(chosen, trace=one.execution)
    if asked is not None:
        return _why_not(report, chosen, asked, form, output)
    if chosen.trace is None:
        say(traces.missing(report, chosen))
    else:
        shown = traces.shown(form, report, chosen, lambda: engine_table(settings, used(outcomes)))
        formats.put(shown, output, form)
    return status_


def _beside(report: Report, check: Check, settings: Settings, number: int | None) -> Beside | None:
    """The other execution that is asked for: the n-th that shows the same, else the nearest that does not.

    None, after a line that says so, where there is none.
    """
    from scopec.report.beside import Beside
    from scopec.session.others import others

    found = others(report.run, check, settings)
    among = found.same if number is not None else found.different
    at = number or 1
    if len(among) < at:
        more = f" ({'; '.join(found.unfinished)})" if found.unfinished else ""
        of = f"that of `{check.expectation.text}`"
        if number is None:
            say(f"every execution that was found shows the same as {of}{more}")
        else:
            say(f"the number of other executions that show the same as {of} is {len(among)}{more}")
        return None
    return Beside(found.first, among[at - 1], number is not None, at, len(among), found.unfinished)


def _why_not(report: Report, check: Check, asked: tuple[str, str], form: str, output: Path | None) -> int:
    """Say why an event of the execution is not ordered before another, or how it is."""
    from scopec.explain.named import pair
    from scopec.explain.whynot import why_not
    from scopec.memory.execution import Execution
    from scopec.report import json, why

    execution = report.witness if check.trace is None else check.trace
    if execution is None:
        raise UsageError(f"there is no execution to ask about: `{check.expectation.text}` has none")
    if not isinstance(execution, Execution):
        raise UsageError(
            f"--why-not is about executions of the memory model, and `{check.expectation.text}` has a schedule, in "
            "which each step comes after the one before: name another expectation with --check"
        )
    answer = why_not(execution, *pair(execution, *asked))
    if form == "json":
        text = json.text(why.document(report, check, answer))
    else:
        text = why.text(report, check, answer, 100 if output else terminal.width())
    formats.put(text, output, form)
    return 0 if answer.way is not None else 1


def _stored(file: Path, wanted: str | None, form: str, output: Path | None) -> int:
    """Show what is stored."""
    from scopec.report import stored, stored_picture

    if form == "itf":
        raise UsageError(
            "stored results are shown as text, JSON, pages and pictures: for --itf name the program itself"
        )
    document = stored.results(file)
    program, check = stored.chosen(document, wanted)
    if form == "json":
        text = stored.alone(document, program, check)
    elif form in stored_picture.FORMS:
        text = stored_picture.shown(form, file, program, check)
    else:
        text = stored.shown(file, program, check, 100 if output else terminal.width())
    formats.put(text, output, form)
    return {"holds": 0, "violated": 1}.get(check["verdict"], 4)
