"""From a litmus file to a Program, and the check of its final clause."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from scopec.base.diagnostics import Code, Diagnostic, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.litmus.lower import condition
from scopec.frontends.litmus.lower.proxies import declare
from scopec.frontends.litmus.lower.world import Position, World, initialise, initialise_addresses, position, positions
from scopec.frontends.litmus.syntax import tree
from scopec.frontends.named_barriers import check_counts
from scopec.program import ir, types
from scopec.program.program import Program

if TYPE_CHECKING:
    from scopec.base.source import Source
    from scopec.program.expectations import Expectation


@dataclass(frozen=True)
class Litmus:
    """The meaning of a litmus file: its Program, the check of its final clause (None without one), and warnings."""

    program: Program
    condition: Expectation | None
    warnings: tuple[Diagnostic, ...]


def lower(file: tree.File, source: Source, name: str) -> Litmus:
    """The Program of a litmus file: its threads run from the start, and ``main`` does nothing.

    Raises InputError where the file leaves the modelled subset or names what does not exist.
    """
    world = World(source, file.dialect)
    entries = [entry for entry in file.initial if isinstance(entry, tree.Entry)]
    initialise(world, entries, [t.name for t in file.threads])
    declare(world, [entry for entry in file.initial if isinstance(entry, tree.Alias)])
    watched = condition.watched(file.footer)
    places = _places(world, file)
    if file.dialect == "PTX":
        # Start-up: a call reads few dialects.
        from scopec.frontends.litmus.lower import ptx

        columns = cast("tuple[tree.PtxThread, ...]", file.threads)
        implied = ptx.implied_locations(world, columns)
        _warn_of_slips(world, implied)
        for location in implied:
            if location.name not in world.objects:
                world.declare(location.name, location.span, types.LONG, [0], array=False)
        initialise_addresses(world, entries)
        threads = [ptx.lower(world, t, places[t.name], watched.get(t.name, ())) for t in columns]
        check_counts((thread.block_name, thread.body) for thread in threads)
    else:
        from scopec.frontends.litmus.lower import c

        functions = cast("tuple[tree.CThread, ...]", file.threads)
        spaces = c.declare_parameters(world, functions)
        c.declare_locals(world, functions)
        initialise_addresses(world, entries)
        threads = [c.lower(world, t, places[t.name], watched.get(t.name, ()), spaces) for t in functions]
    span = file.threads[0].span
    nothing = ir.Body(0, {0: ir.Exit(span)}, {})
    main = ir.Thread("main", nothing)
    program = Program(name, source, world.objects, (), {}, main, {}, {}, tuple(threads))
    check = condition.expectation(world, program, file.footer, source)
    return Litmus(program, check, tuple(world.warnings))


def _warn_of_slips(world: World, implied: list[tree.Name]) -> None:
    """Warn of a location that one instruction alone names, where the initial state lists others."""
    times = Counter(location.name for location in implied)
    for location in implied if world.objects else ():
        if times[location.name] == 1 and location.name not in world.objects:
            message = f"nothing else names `{location.name}`: it is a location of its own, 0 at first"
            help_ = suggestion(location.name, world.objects) or f"if that is meant, write {{ {location.name} = 0; }}"
            world.warnings.append(Diagnostic(Code.UNKNOWN_NAME, message, location.span, help_, "warning"))


def _places(world: World, file: tree.File) -> dict[str, Position]:
    scopes = file.footer.scopes
    if scopes is None:
        return {t.name: position(world, t.place, t.name, t.span) for t in file.threads}
    found = positions(scopes, [t.name for t in file.threads])
    for thread in file.threads:
        if thread.place:
            message = f"{thread.name} says where it runs, and so does the scope tree"
            raise error(Code.DUPLICATE, message, thread.place[0].span, "remove one of them")
        if thread.name not in found:
            raise error(Code.BAD_LAUNCH, f"{thread.name} is not in the scope tree", scopes.span, "add it")
    return found
