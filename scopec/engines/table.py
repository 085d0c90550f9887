"""The table of engines, with the questions that each of them answers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import EngineError, UsageError
from scopec.engines.protocol import Engine, loaded

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.engines.protocol import Kind
    from scopec.sizes.questions import OfSizes


#: The first engine that answers a kind of question is the reference for it.
TABLE = (
    Engine("alloy", "Alloy", {"memory": "scopec.engines.alloy.engine:MEMORY"}, "alloy", (".als",)),
    Engine(
        "tlc",
        "TLC",
        {"progress": "scopec.engines.tla.engine:PROGRESS", "hardware": "scopec.engines.tla.hardware_engine:HARDWARE"},
        "tla",
        (".tla", ".cfg"),
        "scopec.engines.tla.values:module_name",
    ),
    Engine(
        "embedded",
        "scopec",
        {
            "memory": "scopec.engines.embedded.memory.sat:MEMORY",
            "progress": "scopec.engines.embedded.progress.fair_cycles:PROGRESS",
        },
    ),
)
#: Engines of other packages: entry points of this group, whose value is an :class:`Engine`.
GROUP = "scopec.engines"
#: The reference, or where it cannot be had or hesitates, the next that can be had.
AUTO = "auto"
#: Every engine, compared with the reference.
BOTH = "both"


#: Who answers questions about all launches.
SIZES = "z3"


def sizes_version() -> str:
    """The version of z3 that is installed, or that none is."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("z3-solver")
    except PackageNotFoundError:
        return "not installed"


@cache
def of_sizes() -> Callable[[], OfSizes] | None:
    """Who answers questions about all launches of a kernel, for one; None without the extra ``scopec[sizes]``."""
    from importlib.util import find_spec

    if find_spec(SIZES) is None:
        return None
    found: Callable[[], OfSizes] = loaded("scopec.engines.z3.engine:answers")
    return found


@cache
def installed() -> tuple[Engine, ...]:
    """The engines of other packages; EngineError where one cannot be loaded, or has a name that is taken."""
    # Start-up: only a call that asks for such an engine, or for all, looks for them.
    from importlib.metadata import entry_points

    found: list[Engine] = []
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        try:
            engine = point.load()
        except Exception as failure:  # whatever another package does
            raise EngineError(f"the engine {point.name} ({point.value}) cannot be loaded: {failure!r}") from failure
        if not isinstance(engine, Engine) or engine.name != point.name:
            raise EngineError(f"the entry point {point.name} ({point.value}) is not an engine of this name")
        if any(engine.name == other.name for other in (*TABLE, *found)) or engine.name in (AUTO, BOTH):
            raise EngineError(f"there is an engine {engine.name} already: rename the one of {point.value}")
        found.append(engine)
    return tuple(found)


def file_name(identifier: str) -> str:
    """A name that the files of every engine of the table may have."""
    for engine in TABLE:
        if engine.naming is not None:
            identifier = loaded(engine.naming)(identifier)
    return identifier


def named(name: str) -> Engine:
    """The engine of this name; UsageError if there is none."""
    engines: tuple[Engine, ...] = TABLE
    if all(name != e.name for e in engines):
        engines += installed()
    for engine in engines:
        if engine.name == name:
            return engine
    raise UsageError(f"there is no engine `{name}`: there are {', '.join(e.name for e in engines)}")


def able(kind: Kind[Any], *, all_: bool = False) -> tuple[Engine, ...]:
    """The engines of the table that answer a kind of question; with ``all_`` those of other packages too."""
    return tuple(e for e in (*TABLE, *(installed() if all_ else ())) if kind.name in e.answers)
