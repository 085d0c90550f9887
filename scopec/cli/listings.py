"""``scopec models`` and ``scopec engines``: what there is to choose from."""

from __future__ import annotations

import os

import click

from scopec.base import options
from scopec.base.diagnostics import ScopecError
from scopec.cli.telling import say

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.


@click.command()
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
        click.echo(f"  {model.name:<13} {model.summary}")
    click.echo("memories (--memory NAME):")
    click.echo("  sc           sequentially consistent, in the progress question; the memory model answers the others")
    click.echo("  hrf0-hw      the example hardware of HRF0: outcomes and assertions")
    for kind, table in (("options", options.OPTIONS), ("given", options.ATTRIBUTES)):
        click.echo(f"{kind} (//@ {kind} NAME = VALUE; the first value is the default):")
        for option, setting in table.items():
            click.echo(f"  {option + ' = ' + ' | '.join(setting.values):<48} {setting.meaning}")
    return 0


@click.group(invoke_without_command=True)
@click.pass_context
def engines(context: click.Context) -> int:
    """Show where java and the jars are."""
    if context.invoked_subcommand is not None:
        return 0
    from scopec.engines.java import jars as found

    status = 0
    try:
        click.echo(f"java   {found.java_version():<10} {found.java()}")
    except ScopecError as failed:
        click.echo(f"java   {failed}")
        status = failed.exit_code
    for engine in found.PINNED.values():
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
    from scopec.engines.java import jars as found

    for engine in found.PINNED.values():
        jar = found.installed(engine) or found.install(engine, say, patient=True)
        click.echo(f"{engine.name:<6} {jar.version:<10} {jar.path}")
    return 0
