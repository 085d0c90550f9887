"""The command line: options in, exit status out; the work is done elsewhere (results note)."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from scopec import __version__, options
from scopec.diagnostics import Code, Diagnostic, InputError, ScopecError, UsageError, internal_error
from scopec.report import formats, terminal
from scopec.report import options as report_options

if TYPE_CHECKING:
    from scopec.check import Engine, Outcome, Settings
    from scopec.engines import Jar
    from scopec.plan import Overrides

_INTERRUPTED = 130
#: What click's writes to standard output fail with: no space, nobody who reads, a broken device.
_UNWRITABLE = (errno.ENOSPC, errno.EPIPE, errno.EIO)


def main() -> NoReturn:
    """Entry point of the ``scopec`` command."""
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):  # the last two are not on every system
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminate)
    gc.set_threshold(50_000)  # what is made at the start is kept: to look through it again and again takes a tenth more
    try:
        status = commands(standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Abort:
        terminal.tell("interrupted")
        _leave(_INTERRUPTED)
    except click.ClickException as bad:
        try:
            bad.show()
        except OSError:
            terminal.abandon(sys.stderr)
        sys.exit(2)
    except InputError as bad_input:
        for diagnostic in bad_input.diagnostics:
            _show(diagnostic)
        sys.exit(bad_input.exit_code)
    except ScopecError as failed:
        _say(str(failed))
        sys.exit(failed.exit_code)
    except OSError as failure:
        if failure.errno not in _UNWRITABLE or failure.filename is not None:
            _bug(failure)
        terminal.abandon(sys.stdout)
        _say(f"cannot write standard output: {failure.strerror}")
        sys.exit(2)
    except Exception as bug:
        _bug(bug)


def _bug(bug: Exception) -> NoReturn:
    """Whatever it is, the user gets a sentence and a status, not a traceback."""
    if os.environ.get("SCOPEC_DEBUG"):
        raise bug
    _say(internal_error(bug))
    sys.exit(3)


def _leave(status: int) -> NoReturn:
    """End the process at once: a thread that computes cannot be stopped, and would be waited for."""
    from scopec.scratch import remove_scratch_folders

    remove_scratch_folders()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="scopec")
def commands() -> None:
    """Check CUDA-style programs: is the synchronisation right at its scopes, and do they always finish?"""


def _jar_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--alloy-jar", type=click.Path(path_type=Path), help="Alloy's jar, instead of the one scopec fetches."
    )(command)
    return click.option(
        "--tlc-jar", type=click.Path(path_type=Path), help="TLC's jar, instead of the one scopec fetches."
    )(command)


def _engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--engine",
        type=click.Choice(["auto", "alloy", "tlc", "embedded", "both"]),
        default="auto",
        show_default=True,
        help="Who answers memory questions: Alloy, scopec itself, both, compared, or (auto) Alloy where it can be had.",
    )(_jar_options(command))


def _memory_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--model", metavar="NAME", help="Memory model (see `scopec models`)."),
        click.option("--given", multiple=True, metavar="K=V", help="A device attribute, as `//@ given`."),
        click.option("--bound", multiple=True, metavar="unroll=N", help="A bound, as `//@ bound`."),
    ):
        command = option(command)
    return command


def _program_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--progress", metavar="NAME", help="Progress model (see `scopec models`)."),
        click.option(
            "--memory",
            type=click.Choice(["sc", "hrf0-hw"]),
            default="sc",
            show_default=True,
            help="Who answers outcomes and assertions: the memory model (sc is the progress question's memory), or the "
            "example hardware of HRF0.",
        ),
        click.option("--ignore-races", is_flag=True, help="Ask outcomes and assertions of racy programs too."),
    ):
        command = option(command)
    return _memory_options(command)


def _overrides(
    model: str | None, progress: str | None, memory: str, given: Sequence[str], bound: Sequence[str], ignore_races: bool
) -> Overrides:
    from scopec.expectations import Settings as Chosen
    from scopec.memory.cat import registry
    from scopec.plan import Overrides
    from scopec.progress import models

    if model is not None:
        for warning in registry.load(registry.find(model), Chosen.defaults().options).warnings:
            _show(warning)
    if progress is not None:
        models.find(progress)
    attributes = dict(_pair(text, "--given") for text in given)
    for name, value in attributes.items():
        options.choose(options.ATTRIBUTES, "an attribute", name, value, None)
    bounds = {name: options.bound(name, value, None) for name, value in (_pair(text, "--bound") for text in bound)}
    return Overrides(model, attributes or None, bounds.get("unroll"), ignore_races, progress, memory)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"{option} takes NAME=VALUE, not `{text}`")
    return name.strip(), value.strip()


@commands.command(cls=report_options.ReportingCommand)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_program_options
@_engine_options
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(2, os.cpu_count() or 1),
    show_default=True,
    help="Engines at once.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.001), default=300.0, show_default=True, help="Seconds for each question."
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    callback=report_options.folder,
    help="Keep generated files and engine output here.",
)
@click.option("--executor", metavar="dask:ADDRESS", help="Spread the programs over a Dask cluster (docs/scale.md).")
@click.option(
    "--no-cache", is_flag=True, envvar="SCOPEC_NO_CACHE", help="Ask the jars again what they answered before."
)
@report_options.reports
@click.option("--changed-since", "revision", metavar="REV", help="Only programs that differ from a git revision.")
@click.option("--watch", is_flag=True, help="Check again whenever a program changes, until Ctrl-C.")
@click.option("-q", "--quiet", is_flag=True, help="Only what does not hold.")
@click.option("-v", "--verbose", is_flag=True, help="Also models, attributes, states and times.")
def check(
    paths: tuple[Path, ...], model: str | None, progress: str | None, memory: str,
    given: tuple[str, ...], bound: tuple[str, ...], ignore_races: bool,
    alloy_jar: Path | None, tlc_jar: Path | None, engine: Engine, jobs: int, timeout: float,
    keep: Path | None, executor: str | None, no_cache: bool, requests: Sequence[formats.Request],
    revision: str | None, watch: bool, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Check every expectation of every .cu and .litmus file in PATHS (folders recurse).

    Exit status: 0 all hold, 1 some violated, 2 bad input or usage, 3 an engine failed, 4 undecided.
    """
    from scopec.changes import changed_since, watched
    from scopec.check import Settings, exit_code

    settings = Settings(
        _overrides(model, progress, memory, given, bound, ignore_races), jobs, timeout, keep, alloy_jar, tlc_jar,
        engine, _say, _say if verbose else lambda _line: None, advise=not quiet, cache=not no_cache,
        executor=executor,
    )  # fmt: skip
    chosen: Sequence[Path] = paths if revision is None else changed_since(paths, revision)
    if not chosen:
        _say(f"no program has changed since {revision}")

    def checked(
        paths: Sequence[Path], requests: Sequence[formats.Request], others: Sequence[Outcome] = ()
    ) -> list[Outcome]:
        return _check(paths, settings, requests, others, quiet=quiet, verbose=verbose)

    if not watch:
        return exit_code(checked(chosen, requests))
    known: dict[Path, Outcome] = {}
    for changed, gone in watched(chosen):
        for path in gone:
            known.pop(path, None)
            _say(f"{path} is gone")
        others = [outcome for path, outcome in known.items() if path not in changed]
        wanted = requests if changed else [r for r in requests if not r.to_stdout]
        known |= {Path(o.file): o for o in checked(changed, wanted, others)}
        _say("waiting for changes; Ctrl-C ends this")
    raise AssertionError("one watches for ever")


def _check(
    paths: Sequence[Path],
    settings: Settings,
    requests: Sequence[formats.Request],
    others: Sequence[Outcome],
    *,
    quiet: bool,
    verbose: bool,
) -> list[Outcome]:
    """Check, write every report, and return the outcomes; reports in files tell ``others`` too, found earlier."""
    from scopec.check import check, exit_code

    started, start = datetime.now(), time.monotonic()
    with terminal.Status() as status:
        outcomes = check(paths, _told(settings, status))
    seconds = time.monotonic() - start

    def results(of: Sequence[Outcome]) -> formats.Results:
        return formats.Results(
            of, seconds, started, exit_code(of), lambda: _engine_table(settings, of), verbose, quiet
        )  # fmt: skip

    everything = sorted([*others, *outcomes], key=lambda o: str(o.file)) if others else outcomes
    formats.write([r for r in requests if r.to_stdout], results(outcomes))
    formats.write([r for r in requests if not r.to_stdout], results(everything))
    if all(not r.to_stdout or r.format == "text" for r in requests):  # otherwise the report itself tells
        _problems(outcomes)
    return outcomes


def _told(settings: Settings, status: terminal.Status) -> Settings:
    """The settings of a check whose progress a status line shows."""
    return replace(settings, say=lambda line: status.say(settings.say, line), begun=status.begun)


def _engine_table(settings: Settings, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    from scopec.report import json

    return json.engine_table(_used_jars(settings, outcomes), _java_version())


def _say(said: str) -> None:
    """Tell the user; nothing in a name can disturb the terminal."""
    from scopec.report.source import clean

    terminal.tell(clean(f"scopec: {said}"))


def _used_jars(settings: Settings, outcomes: Sequence[Outcome]) -> dict[str, Jar]:
    return _jars_of(settings, {c.engine for o in outcomes for r in o.reports for c in r.checks})


def _jars_of(settings: Settings, used: set[str]) -> dict[str, Jar]:
    from scopec.asking import Jars

    jars = Jars(settings)
    return {name: getattr(jars, name) for name in ("alloy", "tlc") if name in used}


def _java_version() -> str | None:
    from scopec import engines

    try:
        return engines.java_version()
    except ScopecError:
        return None


def _problems(outcomes: Sequence[Outcome]) -> None:
    """Diagnostics and engine failures, on standard error, except those that stand beside a verdict."""
    for outcome in outcomes:
        for diagnostic in outcome.diagnostics:
            if diagnostic.code is not Code.RACY_PROGRESS:
                _show(diagnostic)
        if outcome.failure is not None:
            _say(f"{outcome.file}: {outcome.failure}")


def _show(diagnostic: Diagnostic) -> None:
    from scopec.report.text import diagnostic_lines
    from scopec.source import Source

    source = None
    try:
        text = Path(diagnostic.span.file).read_text(encoding="utf-8-sig", errors="replace")
        source = Source(diagnostic.span.file, text)
    except OSError:
        pass
    for line in diagnostic_lines(diagnostic, source, terminal.width()):
        terminal.tell(terminal.painted(line) if terminal.colours(sys.stderr) else line)


@commands.command()
@click.argument("file", type=click.Path(path_type=Path))
@_program_options
@_engine_options
@click.option("--timeout", type=click.FloatRange(min=0.001), default=300.0, help="Seconds for each question.")
@click.option("--check", "wanted", metavar="TEXT", help="The expectation to show, or how it begins.")
@report_options.trace_forms
def trace(
    file: Path, model: str | None, progress: str | None, memory: str,
    given: tuple[str, ...], bound: tuple[str, ...], ignore_races: bool,
    alloy_jar: Path | None, tlc_jar: Path | None, engine: Engine, timeout: float,
    wanted: str | None, form: str, output: Path | None,
) -> int:  # fmt: skip
    """Show the counterexample of one expectation of FILE: the first that does not hold, or the one that --check names.

    Exit status: as that of `scopec check` for that expectation alone.
    """
    from scopec.check import Settings, check, exit_code
    from scopec.report import traces

    overrides = _overrides(model, progress, memory, given, bound, ignore_races)
    settings = Settings(overrides, 1, timeout, None, alloy_jar, tlc_jar, engine, _say, advise=True)
    with terminal.Status() as status:
        outcomes = check([file], _told(settings, status))
    if exit_code(outcomes) in (2, 3):
        _problems(outcomes)
        return exit_code(outcomes)
    report, chosen = traces.chosen(outcomes, wanted)
    if chosen.trace is None:
        _say(traces.missing(report, chosen))
    else:
        shown = traces.shown(form, report, chosen, lambda: _engine_table(settings, outcomes))
        formats.put(shown, output, for_people=form == "text")
    return {"holds": 0, "violated": 1, "unknown": 4}[chosen.verdict]


@commands.command()
@click.argument("file", type=click.Path(path_type=Path))
@_memory_options
@_jar_options
@click.option(
    "--engine",
    type=click.Choice(["auto", "alloy", "embedded", "both"]),
    default="auto",
    show_default=True,
    help="Who finds the executions: Alloy, scopec itself (auto), or both, compared.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=10_000, show_default=True, help="Stop at so many executions."
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.001), default=300.0, show_default=True, help="Seconds for each question."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Report format."
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it here.")
@click.option("-q", "--quiet", is_flag=True, help="Only the states, without an execution of each.")
def outcomes(
    file: Path, model: str | None, given: tuple[str, ...], bound: tuple[str, ...], alloy_jar: Path | None,
    tlc_jar: Path | None, engine: Engine, limit: int, timeout: float, form: str, output: Path | None, quiet: bool,
) -> int:  # fmt: skip
    """List every final state of FILE that the memory model allows, with the number of executions and one of them.

    Exit status: 0 all are listed, 2 bad input or usage, 3 an engine failed, 4 there may be more.
    """
    from scopec.check import Settings
    from scopec.outcomes import listings
    from scopec.report import json
    from scopec.report import outcomes as report

    overrides = _overrides(model, None, "sc", given, bound, False)
    settings = Settings(overrides, 1, timeout, None, alloy_jar, tlc_jar, engine, _say)
    start = time.monotonic()
    found, warnings = listings(file, settings, limit)
    if form == "json":
        table = json.engine_table(_jars_of(settings, {listing.engine for listing in found}), _java_version())
        text = json.text(json.listed(found, warnings, table, time.monotonic() - start))
    else:
        for warning in warnings:
            _show(warning)
        text = report.text(found, 100 if output else terminal.width(), executions=not quiet)
    formats.put(text, output, for_people=form == "text")
    return 4 if any(listing.unfinished for listing in found) else 0


@commands.command("compile")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    callback=report_options.folder,
    help="Folder for the generated files.",
)
@click.option(
    "--target",
    type=click.Choice(["alloy", "tla", "all"]),
    default="all",
    show_default=True,
    help="Which specifications.",
)
@click.option(
    "--check",
    "compare",
    is_flag=True,
    help="Compare with the files that are there instead of writing; exit 1 if they differ.",
)
@_program_options
def compile_(
    paths: tuple[Path, ...], folder: Path, target: str, compare: bool,
    model: str | None, progress: str | None, memory: str,
    given: tuple[str, ...], bound: tuple[str, ...], ignore_races: bool,
) -> int:  # fmt: skip
    """Write the generated .als, .tla and .cfg of the .cu and .litmus files in PATHS, without running an engine."""
    from scopec.compile import compile_programs, differences, write
    from scopec.report.source import clean

    files = compile_programs(paths, _overrides(model, progress, memory, given, bound, ignore_races), target)
    if compare:
        found = differences(files, folder)
        for line in found:
            click.echo(clean(line))
        return 1 if found else 0
    write(files, folder)
    click.echo(clean(f"{len(files)} file{'s' * (len(files) != 1)} in {folder}"))
    return 0


@commands.command()
@click.argument("name", required=False)
def models(name: str | None) -> int:
    """List the memory and progress models, or print the text of one."""
    from scopec.memory.cat import registry
    from scopec.progress import models as progress

    if name is not None:
        for number, source in enumerate(registry.texts(registry.find(name))):
            click.echo(f"\n(* {source.name} *)\n{source.text}" if number else source.text, nl=False)
        return 0
    click.echo("memory models (--model NAME):")
    for entry in registry.MODELS.values():
        click.echo(f"  {entry.name:<12} {entry.summary}")
    click.echo("progress models (--progress NAME):")
    for model in progress.MODELS.values():
        click.echo(f"  {model.name:<12} {model.summary}")
    click.echo("memories (--memory NAME):")
    click.echo("  sc           sequentially consistent, in the progress question; the memory model answers the others")
    click.echo("  hrf0-hw      the example hardware of HRF0: outcomes and assertions")
    click.echo("options (//@ options NAME = VALUE; the first value is the default):")
    for option, setting in options.OPTIONS.items():
        click.echo(f"  {option + ' = ' + ' | '.join(setting.values):<48} {setting.meaning}")
    return 0


@commands.group(invoke_without_command=True)
@click.pass_context
def engines(context: click.Context) -> int:
    """Show where java and the jars are."""
    if context.invoked_subcommand is not None:
        return 0
    from scopec import engines as found

    status = 0
    try:
        click.echo(f"java   {found.java_version():<10} {found.java()}")
    except ScopecError as failed:
        click.echo(f"java   {failed}")
        status = failed.exit_code
    for engine in found.ENGINES.values():
        try:
            variable = os.environ.get(engine.variable)
            jar = found.own_jar(engine, variable, engine.variable) if variable else found.installed(engine)
        except ScopecError as failed:
            click.echo(f"{engine.name:<6} {failed}")
            status = failed.exit_code
            continue
        if jar is None:
            click.echo(f"{engine.name:<6} {engine.version:<10} not installed: `scopec engines install` fetches it")
        else:
            click.echo(f"{engine.name:<6} {jar.version:<10} {jar.path}  sha256 {jar.sha256}")
    return status


@engines.command()
def install() -> int:
    """Fetch and verify the jars that are not there yet."""
    from scopec import engines as found

    for engine in found.ENGINES.values():
        jar = found.installed(engine) or found.install(engine, _say, patient=True)
        click.echo(f"{engine.name:<6} {jar.version:<10} {jar.path}")
    return 0


if __name__ == "__main__":
    main()
