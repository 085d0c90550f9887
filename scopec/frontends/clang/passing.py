"""What one thread gives to another."""

from __future__ import annotations

from scopec.frontends.clang.access import publish
from scopec.frontends.clang.calls import Call
from scopec.frontends.clang.memory import Address, Cell, Content, Opaque, Private, Unset
from scopec.program.values import Const


def passed_on(call: Call, content: Content, what: str) -> Content:
    """A content as another thread gets it: the registers of this one are not its own."""
    publish(call.machine, call.state, content)
    known = isinstance(content, Address) and not content.offset.terms
    if not known and not isinstance(content, (Const, Opaque, Unset)):
        raise call.machine.refused(call.state, f"{what} that is known at run time alone is")
    return content


def bytes_at(call: Call, content: Content, size: int) -> dict[int, Cell]:
    """The cells of so many bytes at an address, by their distance from it."""
    if not isinstance(content, Address) or not isinstance(content.region, Private):
        raise call.machine.refused(call.state, "a structure in shared memory as an argument is")
    at = content.offset.constant
    return {
        start - at: cell
        for (region, start), cell in call.state.cells.items()
        if region == content.region and at <= start < at + size
    }
