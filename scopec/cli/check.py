"""``scopec check``: asks, reports, and watches."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.advice import advised
from scopec.base.diagnostics import UsageError, not_a_warning
from scopec.base.files import MOST_BYTES
from scopec.cli.decided import Decided
from scopec.cli.help import GroupedCommand
from scopec.cli.messages import engine_table, problems, say, told, used
from scopec.cli.options import Seconds, engine_options, limit_options, program_options
from scopec.report import formats, terminal
from scopec.report import options as report_options
from scopec.session.project import CHOICES

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.session.check import Outcome, Settings
    from scopec.session.plan import Overrides


STDIN = Path("-")


@click.command(
    cls=GroupedCommand,
    examples={
        "scopec check kernel.cu": "Ask what the file expects; of kernels that nothing launches, if they race and end.",
        "scopec check src --format text --format sarif -o scopec.sarif": "A report for people, and one for a forge.",
    },
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@program_options
@engine_options
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(2, os.cpu_count() or 1),
    show_default=True,
    help="Engines at once.",
)
@limit_options
@click.option(
    "--budget",
    type=Seconds(),
    help="Seconds for the whole call: what is decided by then is reported, what is left is unknown.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    callback=report_options.folder,
    help="Keep generated files and engine output here.",
)
@click.option(
    "--confirm",
    type=click.Choice(CHOICES["confirm"]),
    default=CHOICES["confirm"][0],
    is_flag=False,
    flag_value="always",
    help="Whether Alloy and TLC confirm what was reported, if --engine names none: always where the option stands "
    "alone; without it (auto) unless a terminal shows the report; ci: where CI is set.",
)
@click.option("--executor", metavar="dask:ADDRESS", help="Spread the programs over a Dask cluster (docs/scale.md).")
@report_options.reports
@click.option("--changed-since", "revision", metavar="REV", help="Only programs that differ from a git revision.")
@click.option("--allow", "allowed", multiple=True, metavar="CODE", help="Do not tell a warning, as `//@ allow`.")
@click.option("-k", "select", metavar="TEXT", default="", help="Only what has TEXT in its file, variant or text.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Violations in this file are known, and do not count."
)
@click.option("--write-baseline", type=click.Path(path_type=Path), help="Write down what is violated: a baseline.")
@click.option("--every", is_flag=True, help="All launches of each kernel, whatever its file launches (docs/every.md).")
@click.option(
    "--list", "list_", is_flag=True, help="Ask nothing: print what could be asked, guessed launches too, or JSON of it."
)
@click.option("-x", "first", is_flag=True, help="Stop after the first file that does not hold.")
@click.option("--watch", is_flag=True, help="Check again whenever a program changes, until Ctrl-C.")
@click.option("-q", "--quiet", is_flag=True, help="Only what does not hold.")
@click.option("-v", "--verbose", is_flag=True, help="Also models, attributes, states, times and reductions.")
def check(
    paths: tuple[Path, ...], overrides: Overrides, jars: dict[str, Path], engine: str, jobs: int,
    timeout: float, memory_limit: int, budget: float | None, keep: Path | None, confirm: str, executor: str | None,
    requests: Sequence[formats.Request], revision: str | None, allowed: tuple[str, ...],
    baseline: Path | None, write_baseline: Path | None, select: str, every: bool, list_: bool, first: bool,
    watch: bool, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Check every expectation of every .cu, .ptx and .litmus file in PATHS (folders recurse; - is standard input).

    Exit status: 0 all hold, 1 some violated, 2 bad input or usage, 3 an engine failed, 4 undecided.
    """
    from scopec.base.limits import deadline
    from scopec.engines.policy import immediate
    from scopec.engines.protocol import MEMORY
    from scopec.engines.table import AUTO
    from scopec.session.check import Settings, exit_code

    settings = Settings(
        overrides, jobs, timeout, memory_limit, keep, jars, engine, say, say if verbose else lambda _line: None,
        advise=None if quiet else advised, cache=overrides.cache, allowed=frozenset(allowed),
        select=select, first=first, every=every, ends=deadline(budget, what="the budget"),
    )  # fmt: skip
    for code in allowed:
        if (reason := not_a_warning(code)) is not None:
            raise UsageError(f"--allow: {reason}")
    if executor is not None and (select or first or STDIN in paths):
        raise UsageError("-k, -x and - are for one machine, not for --executor")
    if every and executor is not None:
        raise UsageError("--every is for one machine, not for --executor")
    if budget is not None and (watch or executor is not None):
        raise UsageError("--budget is for one call on one machine, not for --watch or --executor")
    if (watch or list_) and STDIN in paths:
        raise UsageError(f"--{'watch' if watch else 'list'} is for files, not for -")
    if watch and list_:
        raise UsageError("--list says what could be asked now, and does not --watch")
    folders = overrides.flags.folders
    chosen: Sequence[Path] = paths
    if revision is not None:
        from scopec.session.changes import changed_since

        chosen = changed_since(paths, revision, folders)
    if not chosen:
        say(f"no program has changed since {revision}")

    if list_:
        return _list(chosen, settings, requests)

    # With --keep the engines' own output is wanted, so they are asked first.
    confirms = settings.engine == AUTO and keep is None and executor is None and not every
    if confirms:
        settings = replace(settings, engine=immediate(MEMORY).name)
        confirms = {
            "always": True,
            "auto": not sys.stdout.isatty(),  # who sits there waits for the verdict, and not for its confirmation
            "ci": os.environ.get("CI", "") not in ("", "0", "false"),
        }.get(confirm, False)

    def checked(
        paths: Sequence[Path], requests: Sequence[formats.Request], others: Sequence[Outcome] = ()
    ) -> list[Outcome]:
        outcomes = _check(
            paths, settings, requests, others, executor=executor, baseline=baseline, quiet=quiet, verbose=verbose
        )  # fmt: skip
        return _confirmed(outcomes, settings) if confirms else outcomes

    if not watch:
        outcomes = checked(chosen, requests)
        if select and chosen and not outcomes:
            raise UsageError(f"nothing has `{select}` in its file, variant or expectation")
        if write_baseline is not None:
            from scopec.session.baseline import write as write_known

            say(f"{write_known(write_baseline, outcomes)} violations written to {write_baseline}")
        return exit_code(outcomes)
    from scopec.session.changes import watched

    known: dict[Path, Outcome] = {}
    for changed, gone in watched(chosen, folders=folders):
        for path in gone:
            known.pop(path, None)
            say(f"{path} is gone")
        others = [outcome for path, outcome in known.items() if path not in changed]
        wanted = requests if changed else [r for r in requests if not r.to_stdout]
        known |= {Path(o.file): o for o in checked(changed, wanted, others)}
        say("waiting for changes; Ctrl-C ends this")
    raise AssertionError("one watches for ever")


def _list(paths: Sequence[Path], settings: Settings, requests: Sequence[formats.Request]) -> int:
    """Write what could be asked."""
    from scopec.report import asked, json
    from scopec.session.check import exit_code
    from scopec.session.listed import listed

    start = time.monotonic()
    if wrong := next((r.format for r in requests if r.format not in ("text", "json")), None):
        raise UsageError(f"--list writes text or json, not {wrong}")
    found = list(listed(paths, settings))
    problems([one.outcome for one in found])
    for request in requests:
        if request.format == "json":
            text = json.text(asked.document(found, time.monotonic() - start))
        else:
            text = asked.text(found, terminal.width() if request.to_stdout else 100)
        formats.put(text, request.output, request.format)
    return exit_code(one.outcome for one in found)


def _standard_input() -> str:
    """The text of standard input, which may have no end; UsageError if it is more than a file may have."""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"standard input has more than {MOST_BYTES} bytes: a program has at most so many")
    return data.decode("utf-8", errors="replace")


def _confirmed(outcomes: Sequence[Outcome], settings: Settings) -> list[Outcome]:
    """The outcomes, with what fails when the reference engines are asked; the reports have been read by then."""
    from scopec.session.confirm import confirmed

    sys.stdout.flush()
    with terminal.Status() as status:
        found = confirmed(outcomes, told(settings, status))
    for before, after in zip(outcomes, found, strict=True):
        if after.failure is not None and after.failure != before.failure:
            say(f"{after.file}: {after.failure}")
    return found


def _check(
    paths: Sequence[Path],
    settings: Settings,
    requests: Sequence[formats.Request],
    others: Sequence[Outcome],
    *,
    executor: str | None,
    baseline: Path | None,
    quiet: bool,
    verbose: bool,
) -> list[Outcome]:
    """Check, write every report, and return the outcomes; reports in files have ``others`` too, found earlier."""
    from scopec.session.check import check, exit_code

    started, start = datetime.now(), time.monotonic()

    def results(of: Sequence[Outcome], seconds: float) -> formats.Results:
        return formats.Results(
            of, seconds, started, exit_code(of), lambda: engine_table(settings, used(of)), verbose, quiet
        )  # fmt: skip

    def interrupted(of: Sequence[Outcome]) -> None:
        text = [r for r in requests if r.to_stdout and r.format == "text"]
        formats.write(text, results(of, time.monotonic() - start))

    with ExitStack() as stack:
        names: dict[Path, str] = {}
        if STDIN in paths:
            from scopec.session.texts import stored, suffix

            text = _standard_input()
            path = stack.enter_context(stored(text, f"stdin{suffix(text)}"))
            paths, names = [path if p == STDIN else p for p in paths], {path: f"stdin{suffix(text)}"}
        status = terminal.Status()
        decided = Decided(lambda line: status.say(settings.say, line))
        stack.enter_context(decided.reported(interrupted))
        stack.enter_context(status)
        if executor is None:
            outcomes = check(paths, told(settings, status, decided), names)
        else:
            from scopec.session.cluster import check_on_cluster

            outcomes = check_on_cluster(paths, told(settings, status, decided), executor)
    seconds = time.monotonic() - start
    if baseline is not None:
        from scopec.session.baseline import marked

        outcomes = marked(baseline, outcomes)

    everything = sorted([*others, *outcomes], key=lambda o: str(o.file)) if others else outcomes
    if all(not r.to_stdout or r.format == "text" for r in requests):  # otherwise the report itself says so
        problems(outcomes, verbose=verbose)  # first: the last line is the summary
    formats.write([r for r in requests if r.to_stdout], results(outcomes, seconds))
    formats.write([r for r in requests if not r.to_stdout], results(everything, seconds))
    return outcomes
