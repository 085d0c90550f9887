"""Guards of static local variables: one thread initialises, others wait for it (Itanium C++ ABI, 3.3.3).

"If control enters the declaration concurrently while the variable is being initialized, the concurrent execution shall
wait for completion of the initialization" ([stmt.dcl]/3).  A guard is two numbers here: its first byte, which compiled
code looks at itself, says that the variable is initialised; the next that a thread is in the initialisation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm.numbers import kept
from scopec.frontends.clang.machine.memory import Address, Memory, object_name
from scopec.frontends.clang.machine.names import GUARD
from scopec.program import ir, values
from scopec.program.types import CHAR, INT
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.frontends.clang.intrinsics.call import Call

_NO, _YES = Const(0, CHAR), Const(1, CHAR)


def guard_acquire(call: Call) -> bool:
    """``__cxa_guard_acquire``: 1 for the thread that is to initialise; others wait, and get 0 when that is done."""
    done, busy = _places(call)
    found = call.target(CHAR)
    acquire = ir.Mode(ir.Order.ACQUIRE, ir.Scope.SYSTEM)
    call.emit(ir.Await(found.name, busy, values.binary("==", found, _NO), acquire, _YES))
    call.emit(ir.Load(found.name, done, acquire))
    left = values.binary("==", found, _NO)
    call.emit(ir.Store(busy, values.choose(left, _YES, _NO), ir.Mode(ir.Order.RELEASE, ir.Scope.SYSTEM)))
    return call.done(kept(values.cast(left, INT)))


def guard_release(call: Call) -> bool:
    """``__cxa_guard_release``: the variable is initialised."""
    done, busy = _places(call)
    release = ir.Mode(ir.Order.RELEASE, ir.Scope.SYSTEM)
    call.emit(ir.Store(done, _YES, release))
    call.emit(ir.Store(busy, _NO, release))
    return call.done()


def _places(call: Call) -> tuple[ir.Place, ir.Place]:
    address = call.arguments[0]
    assert isinstance(address, Address)
    assert isinstance(address.region, Memory)
    first, second = (ir.Place(object_name(address.region.name, leaf), Const(0, INT)) for leaf in GUARD)
    return first, second
