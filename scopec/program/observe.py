"""Observable results of a program that has ended, and conditions on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class Location:
    """One element of one instance of an object; ``instance`` is a block's or thread's name, or empty."""

    object: str
    index: int = 0
    instance: str = ""


#: The prefixes of objects that are lifetimes, and of those that are registrations of host memory.
LIFETIME, REGISTRATION = "lifetime of ", "registration of "


def lifetime_of(location: Location | None) -> str | None:
    """The object whose lifetime or registration a location is; None for another location."""
    name = "" if location is None else location.object
    return next((name.removeprefix(prefix) for prefix in (LIFETIME, REGISTRATION) if name.startswith(prefix)), None)


def instance(object_: ir.Object, thread: ir.Thread) -> str:
    """The instance of an object that a thread accesses: one per block, thread or device, or the only one."""
    match object_.storage:
        case ir.Storage.SHARED if object_.device is None:
            return thread.block_name
        case ir.Storage.AUTOMATIC:
            return thread.name
        case ir.Storage.DEVICE if thread.device and object_.device is None:
            return f"device{thread.device}"
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a search for races: objects, of some only the elements named, in one instance or (None) in all.

    ``text`` is how the file calls it.  What is a target has its lifetime too, which all of its elements share.
    """

    text: str
    parts: tuple[tuple[str, frozenset[int] | None], ...]
    instance: str | None = None

    def holds(self, location: Location | None) -> bool:
        """Whether a location is in it."""
        if location is None or self.instance not in (None, location.instance):
            return False
        if (whole := lifetime_of(location)) is not None:
            return any(name == whole or name.startswith((f"{whole}.", f"{whole}[")) for name, _ in self.parts)
        return any(location.object == name and (of is None or location.index in of) for name, of in self.parts)


@dataclass(frozen=True, slots=True)
class FinalRegister:
    """The value of a local variable when its thread has ended."""

    thread: str
    register: str


@dataclass(frozen=True, slots=True)
class FinalMemory:
    """The value of a location when every thread has ended."""

    location: Location


Observation: TypeAlias = FinalRegister | FinalMemory


@dataclass(frozen=True)
class Formula:
    """A condition on the final state: a value whose registers are the keys of ``observed``."""

    value: Value
    observed: Mapping[str, Observation]
