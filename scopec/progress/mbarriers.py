"""Steps of operations on mbarriers: where a thread goes on, by the state that it finds.

An operation that breaks a rule leaves the mbarrier as it is: its ``fault`` says which, and the thread stops at the
assertion that follows.  A wait that breaks one does not block.  A wait or a test that is true marks the mbarrier: some
wait has found the phase before the present one over ("at least one test_wait or try_wait operation must be performed
which returns True for waitComplete before an arrive-on operation in the subsequent phase").

The bytes of a copy are complete with its issue, and an agent behind copies arrives at once: what agents do are steps
of their thread.  In a schedule they do it later.  Take one, and let threads do the same here, where none may break a
rule.  Let a arrivals and b bytes be pending here, and e, f >= 0 be in flight there, so that a + e and b + f are pending
there.

- A phase is over there only where it is here: a + e = 0 and b + f = 0, so all are 0, if b is never negative while no
  arrivals are pending.  Where it is negative then, the phase stays as it is here, so that who waits for it hangs, and
  who arrives or expects bytes in it breaks a rule (``TOO_MANY``, ``LATE_BYTES``).
- Where a phase is over here it will be there, when what is in flight has come, which is owed.  Until then the mbarrier
  is ``late``: whoever looks at it may find the phase before, or that all has come, which is the choice that is owed.
  Nobody may arrive (``OVERRUN`` here; there it is an arrival too many in the phase before, or an agent's is one in the
  next), nor expect bytes, or issue a copy that completes there: they would be pending in the phase before there
  (``LATE_BYTES``).  So when that one is over there, the next one is as it began here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.program import ir, values
from scopec.program.mbarriers import State, fault
from scopec.program.types import BOOL, INT, LONG
from scopec.program.values import Choose, Const, Reg, Value, substitute
from scopec.progress.steps import (
    BYTES,
    EXPECTED,
    LATE,
    PENDING,
    PHASE,
    SERVED,
    Either,
    Goto,
    Operated,
    Tree,
    fork,
    with_found,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: A function that gives the way on with values of the registers that the operation overwrites.
Follow: TypeAlias = "Callable[[Mapping[str, Value]], Tree]"
#: The phase of an mbarrier, and the one before.
_NOW = Reg(PHASE, LONG)
_BEFORE = values.binary("-", _NOW, Const(1, LONG))
#: The state that an operation finds.
_STATE = State(_NOW, Reg(EXPECTED, LONG), Reg(PENDING, LONG), Reg(BYTES, LONG), Reg(SERVED, BOOL))


def tree(operation: ir.BarrierOperation, label: str, follow: Follow) -> Tree:
    """The ways on from a label of a thread."""
    return _by_fault(operation, _fault(operation), label, follow)


def guard(operation: ir.BarrierOperation) -> Value | None:
    """Until when an operation blocks."""
    if not isinstance(operation, ir.BarrierWait):
        return None
    over = with_found(operation.condition, operation.target, PHASE)
    return values.binary("||", _is_broken(_fault(operation)), values.binary("||", over, Reg(LATE, BOOL)))


def _fault(operation: ir.BarrierOperation) -> Value:
    """The rule that an operation breaks, as choices between constants; none where nobody asks."""
    if not operation.fault:
        return Const(ir.BarrierFault.NONE, INT)
    found = fault(operation, _STATE)
    if not isinstance(operation, ir.BarrierExpect):
        return found
    return values.choose(Reg(LATE, BOOL), Const(ir.BarrierFault.LATE_BYTES, INT), found)


def _is_broken(found: Value) -> Value:
    match found:
        case Choose(condition, then, otherwise):
            return values.choose(condition, _is_broken(then), _is_broken(otherwise))
        case _:
            return values.binary("!=", found, Const(ir.BarrierFault.NONE, INT))


def _by_fault(operation: ir.BarrierOperation, found: Value, label: str, follow: Follow) -> Tree:
    """The ways on of a thread, by the rule that is broken."""
    match found:
        case Choose(condition, then, otherwise):
            broken, other = (_by_fault(operation, part, label, follow) for part in (then, otherwise))
            return fork(condition, broken, other)
        case Const(ir.BarrierFault.NONE):
            known = {operation.fault: found} if operation.fault else {}
            return _allowed(operation, label, lambda registers: follow({**known, **registers}))
        case _:
            return follow({operation.fault: found})


def _allowed(operation: ir.BarrierOperation, label: str, follow: Follow) -> Tree:
    """The ways on of a thread from an operation that breaks no rule."""
    change = Operated(operation)
    match operation:
        case ir.BarrierInit() | ir.BarrierExpect():
            return writing(change, follow({}))
        case ir.BarrierArrive(target, pending=pending):
            counts = {pending: _STATE.pending} if pending else {}
            return writing(change, follow({target: _NOW, **counts}))
        case ir.BarrierWait(target, _, condition):
            over, early = (follow({target: phase}) for phase in (_NOW, _BEFORE))
            return _looks(target, condition, operation, (over, early, Goto(label)))
        case ir.BarrierTest(target, _, condition):
            over, not_over = (follow({target: truth}) for truth in (values.TRUE, values.FALSE))
            return _looks(target, condition, operation, (over, over, not_over))


def _looks(target: str, condition: Value, operation: ir.BarrierOperation, ways: tuple[Tree, Tree, Tree]) -> Tree:
    """A look at an mbarrier: ``ways`` lead on where the condition holds of its phase, of the one before, or not."""
    over, early, not_over = ways
    holds = with_found(condition, target, PHASE)
    held = substitute(holds, lambda leaf: _BEFORE if leaf.name == PHASE else leaf)
    over, landed = writing(Operated(operation), over), writing(Operated(operation, over=False), not_over)
    late = Either(fork(holds, over, landed), fork(held, early, not_over))
    return fork(Reg(LATE, BOOL), late, fork(holds, over, not_over))
