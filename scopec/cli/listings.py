"""``scopec models``, ``explain`` and ``docs``: the choices that there are, and their meanings."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import click

from scopec.base import options
from scopec.base.diagnostics import Code, UsageError, suggestion
from scopec.base.resources import resource, rows
from scopec.cli.options import completing, memory_models, progress_models

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.


@click.command()
@click.argument("name", required=False, shell_complete=completing(lambda: [*memory_models(), *progress_models()]))
def models(name: str | None) -> int:
    """List the memory and progress models, or print the text of one."""
    from scopec.memory.cat import registry
    from scopec.progress import models as progress
    from scopec.session.reductions import REDUCTIONS

    if name in progress.MODELS and name != progress.CUDA.name:  # a memory model too
        model = progress.MODELS[name]
        click.echo(f"{model.name}: {model.summary}")
        for owed in model.owed:
            click.echo(f"  owes steps to {owed.value}")
        if model.why:
            click.echo(f"  owes nothing to a thread because {model.why}")
        return 0
    if name is not None:
        for number, source in enumerate(registry.texts(registry.find(name))):
            click.echo(f"\n(* {source.name} *)\n{source.text}" if number else source.text, nl=False)
        return 0
    click.echo("memory models (--model NAME):")
    for entry in registry.MODELS.values():
        click.echo(f"  {entry.name:<12} {entry.summary}")
    click.echo("progress models (--progress NAME):")
    for model in progress.MODELS.values():
        click.echo(f"  {model.name:<13} {model.summary}")
    click.echo("memories (--memory NAME):")
    click.echo("  sc           sequentially consistent, in the progress question; the memory model answers the others")
    click.echo("  hrf0-hw      the example hardware of HRF0: outcomes and assertions")
    for kind, table in (("options", options.OPTIONS), ("given", options.ATTRIBUTES)):
        click.echo(f"{kind} (//@ {kind} NAME = VALUE; the first value is the default):")
        for option, setting in table.items():
            click.echo(f"  {option + ' = ' + ' | '.join(setting.values):<48} {setting.meaning}")
    click.echo("reductions, where they hold (--without NAME leaves one out, --without all each of them):")
    for reduction, (leaves_out, needs) in REDUCTIONS.items():
        click.echo(f"  {reduction:<16} {leaves_out} (holds for {needs})")
    return 0


@click.command()
@click.argument("code", required=False, shell_complete=completing(lambda: explained()))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="For people, or JSON.")
def explain(code: str | None, form: str) -> int:
    """Say what a diagnostic's CODE (SCP013), an expectation (race_free), a kind of violation (data-race), a reduction
    (settled), a pass (execute) or a format of reports (sarif) is; without CODE, list all of them."""
    found = explained()
    if code is None and form == "json":
        click.echo(json.dumps([{"name": name, "text": text} for name, text in found.items()], indent=2))
        return 0
    if code is None:
        for term, text in found.items():
            click.echo(f"  {term:<20} {text.partition(chr(10))[0]}")
        return 0
    known = {name.lower(): name for name in found}
    name = known.get(code.lower())
    if name is None:
        raise UsageError(f"there is no `{code}`: {_there_are(code, found)}")
    click.echo(json.dumps({"name": name, "text": found[name]}) if form == "json" else f"{name}: {found[name]}")
    return 0


def explained() -> dict[str, str]:
    """The terms that can be explained, each with its explanation."""
    from scopec.report.rules import RULES

    said = {}
    for code in Code:
        way_out = re.sub(r"docs/([\w-]+)\.md", r"`scopec docs \1`", code.way_out)
        kind = f"A warning, which `//@ allow {code.id};` takes away." if code.is_warning else "An error."
        said[code.id] = f"{code.summary}\n\n{kind} What to do: {way_out}."
    said |= dict(_expectations()) | {r.id: f"{r.summary}\n\n{r.help}" for r in RULES}
    for name, text in (*_reductions(), *_passes(), *_formats()):
        said[name] = f"{said[name]}\n\n{text}" if name in said else text
    return said


def _expectations() -> Iterator[tuple[str, str]]:
    """The expectations, and when each holds, as the document on the language has them."""
    for row in rows("language", "expectation | holds if"):
        forms, meaning = row.split(" | ", 1)
        name = re.sub(r"[`,].*| .*", "", forms.lstrip("`"))
        yield name, f"`expect {name}` holds if {meaning}.\n\nMore: `scopec docs language`."


def _reductions() -> Iterator[tuple[str, str]]:
    """The reductions, as the document on them has them, and who makes each."""
    from scopec.session.forms import reductions

    makers: dict[str, list[str]] = {}
    for name, maker in reductions():
        makers.setdefault(name, []).append(maker)
    for row in rows("abstractions", "name | what it leaves out | holds for"):
        first, what, needs, why, tests, loses = row.split(" | ")
        name = first.strip("`")
        lines = [
            f"A reduction. It leaves out: {what}.\n",
            f"It holds for: {needs}.",
            f"Why: {why}.",
            f"What it loses: {loses}.",
            f"Fails without the argument: {tests}.",
            f"It is made by {' and '.join(makers[name])}; `--without {name}` leaves it out.\n",
            "More: `scopec docs abstractions`.",
        ]
        yield name, "\n".join(lines)


def _passes() -> Iterator[tuple[str, str]]:
    """The passes of the two questions, in their order."""
    from scopec.session.forms import AFTER, QUESTIONS, WAYS

    for form, way in WAYS.items():
        for number, one in enumerate(way, start=1):
            lines = [
                f"Pass {number} of {len(way)} of the {QUESTIONS[form]}: {one.does}.\n",
                f"It is {one.place}.",
                *[f"Reductions in it: {', '.join(one.reductions)}."] * bool(one.reductions),
                f"`scopec compile FILE --show {AFTER}{one.name}` prints what there is after it.\n",
                "More: `scopec docs forms`.",
            ]
            yield one.name, "\n".join(lines)


def _formats() -> Iterator[tuple[str, str]]:
    """The formats of reports, as the document on results has them."""
    for row in rows("results", "format | what it is"):
        name, what = (part.strip("`") for part in row.split(" | ", 1))
        yield (
            name,
            f"A format of reports: {what}.\n\nWritten by `scopec check PATH --format {name}`; "
            "more: `scopec docs results`.",
        )


@click.command()
@click.argument("topic", required=False, shell_complete=completing(lambda: topics()))
def docs(topic: str | None) -> int:
    """Print the document on TOPIC, or list the topics."""
    found = topics()
    if topic is None:
        for name, file in found.items():
            with file.open(encoding="utf-8") as opened:
                head = opened.readline().strip().lstrip("# ") if file.suffix == ".md" else ""
            click.echo(f"  {name:<20} {head}".rstrip())
        return 0
    if topic not in found:
        raise UsageError(f"there is no document `{topic}`: {_there_are(topic, found)}")
    click.echo(found[topic].read_text(encoding="utf-8"), nl=False)
    return 0


def _there_are(name: str, known: Collection[str]) -> str:
    return suggestion(name, known) or f"there are {', '.join(known)}"


def topics() -> dict[str, Path]:
    """The documents, by their names: those that are no text for people have their suffix."""
    files = sorted(f for f in resource("docs").iterdir() if f.is_file())
    return {f.stem if f.suffix == ".md" else f.name: f for f in files}
