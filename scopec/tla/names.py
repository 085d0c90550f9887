"""How threads, registers, objects and blocks are called in a TLA+ module."""

from __future__ import annotations

from collections.abc import Iterable

from scopec.memory.events import identifier
from scopec.program import ir
from scopec.tla.values import tla_name


def thread_name(thread: ir.Thread) -> str:
    """``main``, ``P0``, or ``mp_b1_t0`` for ``mp[1][0]``."""
    if thread.grid is None:
        return identifier(thread.name)
    return f"{identifier(thread.grid)}_b{thread.block}_t{thread.lane}"


def block_name(thread: ir.Thread) -> str:
    """The block of a device thread: ``mp_b1``, or as a litmus file calls it."""
    return identifier(thread.block_name) if thread.grid is None else f"{identifier(thread.grid)}_b{thread.block}"


def object_name(name: str) -> str:
    """The field of ``mem`` that holds an object."""
    return tla_name(identifier(name))


def field_name(name: str) -> str:
    """The field of a thread's record that holds a register or an automatic object."""
    return tla_name(f"tmp{name[1:]}" if name.startswith("%") else identifier(name))


def strings(names: Iterable[str]) -> str:
    """A set of strings."""
    return "{" + ", ".join(f'"{n}"' for n in names) + "}"


def function(rows: Iterable[tuple[str, str]]) -> str:
    """A function from strings."""
    return " @@ ".join(f'"{name}" :> {value}' for name, value in rows)
