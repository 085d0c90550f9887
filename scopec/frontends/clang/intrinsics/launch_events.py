"""Events that launches record: "cudaLaunchAttributeProgrammaticEvent" and "cudaLaunchAttributeLaunchCompletionEvent".

The state of a host thread has the launch that recorded an event last, the events that the next launch records, and for
each stream the launches for whose events it waits before its next kernel.  All of it is of one host thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.memory import Cell, Private, Record
from scopec.program import ir
from scopec.program.streams import waits_for
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.machine.memory import Content
    from scopec.frontends.clang.machine.state import State

_FIRES = tuple(ir.Fires)
_OF, _BEHIND = "%launch of event", "%launches awaited in"
_ASKED = Private((), "%events of the next launch")
_EXTERNAL, _DISABLE_TIMING = 1, 2
_FLAGS = "%flags of event"


def created(state: State, event: str, flags: Value) -> None:
    """Keep with which flags an event was created, which has been recorded nowhere."""
    forget(state, event)
    state.cells[Private((event,), _FLAGS), 0] = Cell(4, flags)


def ask(call: Call, event: str, fires: int, flags: int) -> None:
    """Have the next launch record an event: InputError for one that measures time, and for one of a graph's outside."""
    timed = call.state.cells.get((Private((event,), _FLAGS), 0))
    if timed is not None and isinstance(timed.content, Const) and not timed.content.value & _DISABLE_TIMING:
        help_ = f"create {event} with cudaEventDisableTiming"
        raise error(
            Codes.BAD_ARGUMENTS, f"a launch cannot record event {event}, which measures time",
            call.machine.span(call.state), help_,
        )  # fmt: skip
    if flags & _EXTERNAL:
        message = "the event of a launch cannot be recorded with cudaEventRecordExternal"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "record it with flags of 0")
    events = list(call.machine.world.events.values())
    asked = call.state.cells.get((_ASKED, 0))
    earlier = asked.content.parts if asked is not None and isinstance(asked.content, Record) else ()
    one = Record((number(events.index(event), 32), number(fires, 32)))
    call.state.cells[_ASKED, 0] = Cell(0, Record((*earlier, one)))


def asked(call: Call) -> tuple[ir.LaunchEvent, ...]:
    """The events that the next launch records, which is this one."""
    cell = call.state.cells.pop((_ASKED, 0), None)
    events = list(call.machine.world.events.values())
    return tuple(ir.LaunchEvent(events[event], _FIRES[fires]) for event, fires in _pairs(cell))


def launched(call: Call, name: str, events: tuple[ir.LaunchEvent, ...]) -> None:
    """The launch of a grid has recorded events."""
    place = list(call.machine.world.launches).index(name)
    for one in events:
        content = Record((Record((number(place, 32), number(_FIRES.index(one.fires), 32))),))
        call.state.cells[Private((one.event,), _OF), 0] = Cell(0, content)


def launch_of(call: Call, event: str) -> ir.Awaited | None:
    """The launch that has recorded an event last, if one has, and no other call since."""
    found = _awaited(call, call.state.cells.get((Private((event,), _OF), 0)))
    return found[0] if found else None


def forget(state: State, event: str) -> None:
    """An event is recorded otherwise."""
    state.cells.pop((Private((event,), _OF), 0), None)


def wait(call: Call, event: str, stream: ir.Stream) -> bool:
    """Whether an event that a stream is to wait for is that of a launch: its next kernel waits for it then."""
    found = launch_of(call, event)
    if found is None:
        return False
    at = (Private((stream.name,), _BEHIND), 0)
    earlier = call.state.cells.get(at)
    parts = earlier.content.parts if earlier is not None and isinstance(earlier.content, Record) else ()
    one = Record(
        (number(list(call.machine.world.launches).index(found.grid), 32), number(_FIRES.index(found.fires), 32))
    )
    call.state.cells[at] = Cell(0, Record((*parts, one)))
    call.emit(ir.ApiCall("cudaStreamWaitEvent"))
    return True


def awaited(call: Call, stream: ir.Stream) -> tuple[ir.Awaited, ...]:
    """The launches for whose events a stream waits before the kernel that it gets now."""
    return _awaited(call, call.state.cells.pop((Private((stream.name,), _BEHIND), 0), None))


def check_none_awaited(call: Call, stream: ir.Stream) -> None:
    """InputError where no kernel came behind the wait for a launch's event, in a stream or one that this waits for."""
    streams = (*call.machine.world.created.values(), *call.machine.world.streams.values())
    for other in (*streams, ir.legacy_stream(stream.device)):
        if (Private((other.name,), _BEHIND), 0) in call.state.cells and waits_for(stream, other):
            raise call.machine.refused(
                call.state, f"what is no kernel behind the wait of stream {other.name} for the event of a launch is",
                "launch a kernel in that stream behind the wait, or wait for an event that cudaEventRecord records",
            )  # fmt: skip


def check_other(call: Call, event: str, what: str) -> None:
    """InputError where the event of a launch is used in a way that is not modelled."""
    if launch_of(call, event) is not None:
        help_ = "use an event that cudaEventRecord records"
        raise call.machine.refused(call.state, f"{what} an event that a launch recorded is", help_)


def _awaited(call: Call, cell: Cell | None) -> tuple[ir.Awaited, ...]:
    launches = list(call.machine.world.launches)
    return tuple(ir.Awaited(launches[place], _FIRES[fires]) for place, fires in _pairs(cell))


def _pairs(cell: Cell | None) -> Iterator[tuple[int, int]]:
    for part in _parts(cell.content) if cell is not None else ():
        place, fires = _parts(part)
        assert isinstance(place, Const)
        assert isinstance(fires, Const)
        yield place.value, fires.value


def _parts(content: Content) -> tuple[Content, ...]:
    assert isinstance(content, Record)
    return content.parts
