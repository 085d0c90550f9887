"""Options, device attributes and bounds: their names, values and defaults.

An option is a reading of a document that has more than one; each has a test that distinguishes its settings.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, UsageError, error, suggestion
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Setting:
    """A named choice: its values, the default first, what it decides, and values by other names that they had.

    With ``numbers`` each number from 1 on is a value too.
    """

    values: tuple[str, ...]
    meaning: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    numbers: bool = False

    @property
    def default(self) -> str:
        """The value that holds when nothing is said."""
        return self.values[0]


#: Readings of the memory-model documents; the `if "NAME=VALUE"` of the .cat files reads them.
MEMORY_OPTIONS: dict[str, Setting] = {
    "races": Setting(("report", "ignore"), "whether outcomes and assertions of a racy program are still asked"),
    "sync_scope": Setting(("scoped", "literal"), "whether synchronisation between atomics needs mutual inclusion"),
    "release_sequence": Setting(
        ("c++20", "c++11"), "whether later stores by the same thread extend a release sequence"
    ),
    "release_sequence_scope": Setting(
        ("ends", "every_step"), "which operations of a release sequence must include which"
    ),
    "sc_order": Setting(("c++20", "rc11"), "what the order of seq_cst operations must agree with"),
    "sc_scope": Setting(("scoped", "global"), "whether the order of seq_cst operations needs mutual inclusion"),
    "hrf_sync_races": Setting(
        ("excluded", "literal"), "whether synchronisation operations of one scope can race under hrf0"
    ),
    "thin_air": Setting(
        ("dependencies", "syntactic", "rc11", "off"),
        "what forms no cycles with reads-from: dependencies that no compiler can remove, all of them, po, or nothing",
        {"on": "rc11"},
    ),
    "weak_loads": Setting(
        ("compiled", "isa"), "whether a weak load of PTX may be made before a relaxed load of its location ahead of it"
    ),
    "proxy_fence": Setting(
        ("writer", "path"),
        "whose `fence.proxy.async` covers a write to shared memory: its own thread's, or any on the way in the block",
    ),
}

#: Facts about a program that `if "NAME=VALUE"` can ask for too; nobody chooses them.
PROGRAM_FACTS: dict[str, Setting] = {
    "agents": Setting(("none", "some"), "whether there are asynchronous copies"),
    "mbarriers": Setting(("none", "some"), "whether there are mbarriers"),
    "async_proxy": Setting(("none", "some"), "whether accesses are made through the asynchronous proxy"),
    "tensor_memory": Setting(("none", "some"), "whether there are accesses to tensor memory"),
    "proxies": Setting(("generic", "mixed"), "whether accesses have other proxies, or other virtual addresses"),
}

#: Readings of the execution model.
PROGRESS_OPTIONS: dict[str, Setting] = {
    "api": Setting(("blocks", "returns"), "whether launches, queries and the like may wait while device threads run"),
    "exited_threads": Setting(("released", "hold"), "whether `__syncthreads` waits for threads that have exited"),
    "environment": Setting(("off", "on"), "whether other processes run device threads"),
    "host_progress": Setting(("concurrent", "none"), "whether the host provides concurrent forward progress"),
    "hangs": Setting(
        ("model", "sc"), "whether hangs are those of the memory model, or of a sequentially consistent memory alone"
    ),
    "timeouts": Setting(
        ("never", "eventually"), "whether a wait that a clock bounds gives up, or is left for a trap (a watchdog)"
    ),
}
#: The optimisations of the HRF0 paper's example hardware (section 4.3), for `hrf0-hw`.
HARDWARE_OPTIONS: dict[str, Setting] = {
    "early_acquire": Setting(
        ("off", "on"), "whether an acquire may flush and invalidate later, before the next access"
    ),
    "write_through": Setting(("off", "on"), "whether the caches of groups write through to global memory"),
    "selective": Setting(("off", "on"), "whether flushes and invalidations affect only what the thread has touched"),
}
#: `//@ options NAME = VALUE`.
OPTIONS = {**MEMORY_OPTIONS, **PROGRESS_OPTIONS, **HARDWARE_OPTIONS}

#: `//@ given NAME = VALUE`: attributes of the machine.
ATTRIBUTES: dict[str, Setting] = {
    "concurrentManagedAccess": Setting(("1", "0"), "the host and devices may access managed memory concurrently"),
    "hostNativeAtomicSupported": Setting(("0", "1"), "the link between host and device supports native atomics"),
    "pageableMemoryAccess": Setting(("0", "1"), "devices access pageable host memory coherently"),
    "pageableMemoryAccessUsesHostPageTables": Setting(("0", "1"), "that access uses the host's page tables"),
    "p2pNativeAtomicSupported": Setting(("0", "1"), "links between devices support native atomics"),
    "device": Setting(("empty",), "no other process runs threads on the device"),
    "resident_blocks": Setting(
        ("unlimited",), "or a number: how many blocks each device has places for; a free place is filled", numbers=True
    ),
    "vector": Setting(("scalars", "whole"), "whether a vector load or store of PTX is one access that nothing tears"),
}

#: `//@ bound NAME = N`: default, least, most.
BOUNDS: dict[str, tuple[int, int, int]] = {"unroll": (2, 1, 64)}


def choose(table: Mapping[str, Setting], kind: str, name: str, value: str, span: Span | None) -> None:
    """Check that ``name = value`` is in the table; InputError at ``span`` (UsageError without one) if not."""
    if name not in table:
        help_ = suggestion(name, table) or f"there are {', '.join(table)}"
        _fail(f"`{name}` is not {kind}", help_, span)
    if value in table[name].renamed:
        _fail(f"`{value}` is not a value of {name}", f"it is called {table[name].renamed[value]} now", span)
    setting = table[name]
    if value not in setting.values and not (setting.numbers and value.isdecimal() and int(value) > 0):
        values = (*setting.values, *(["a number from 1 on"] if setting.numbers else []))
        _fail(f"`{value}` is not a value of {name}", f"use {' or '.join(values)}", span)


def bound(name: str, value: str, span: Span | None) -> int:
    """The number that ``name = value`` sets; InputError or UsageError if there is no such bound."""
    if name not in BOUNDS:
        _fail(f"`{name}` is not a bound", suggestion(name, BOUNDS) or f"use {' or '.join(BOUNDS)}", span)
    _, least, most = BOUNDS[name]
    if not value.isdecimal() or not least <= int(value) <= most:
        _fail(f"`{value}` is not a value of {name}", f"use a number from {least} to {most}", span)
    return int(value)


def _fail(message: str, help_: str, span: Span | None) -> None:
    if span is not None:
        raise error(Code.BAD_OPTION, message, span, help_)
    raise UsageError(f"{message}: {help_}")
