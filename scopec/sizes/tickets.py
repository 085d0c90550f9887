"""Numbers that no two threads get: what ``atomicAdd(&n, 1)`` returns.

The additions to one number come one after the other, and each moves it past what the one before it found: with 1 added
by one thread and 2 by the next, these have ``[t, t + 1)`` and ``[t + 1, t + 3)``, and nobody else has any of these.

That needs that nothing but additions of constants of one sign changes the object.  Writes that all come before, in no
loop and with a barrier of the block between, may give what is one block's its first value.  And the additions need to
be atomic for both threads, and of numbers that do not pass their limits, as is assumed of all numbers of 32 bits.

    i = atomicAdd(&n, 1); out[i] = x;      // apart, unless `n` is set to 0 after some threads have theirs
"""

from __future__ import annotations

from collections.abc import Iterable

from scopec.program import anythread as terms
from scopec.program.anythread import TRUE, Access, AnyThread, Term, Ticket

#: A wrap of fewer bits is nothing that is assumed away.
_BYTES = (4, 8)


def apart(
    form: AnyThread, first: Iterable[Term], second: Iterable[Term], scope: int, *, same_block: bool, ordered: bool
) -> tuple[tuple[Ticket, Ticket], ...]:
    """The tickets in terms of one thread and in those of another that are of one object, if this gives them out.

    ``scope`` is the smallest that holds both threads; ``ordered`` says whether barriers count.
    """
    ours, theirs = (_used(form, of) for of in (first, second))
    giving = [
        name for name in sorted({one.access.object for one in ours} & {one.access.object for one in theirs})
        if (same_block or name not in form.shared) and _gives(form, name, scope, ordered=same_block and ordered)
    ]  # fmt: skip
    return tuple((one, other) for one in ours for other in theirs if one.access.object == other.access.object in giving)


def _used(form: AnyThread, of: Iterable[Term]) -> list[Ticket]:
    symbols = terms.symbols(*of)
    return [ticket for ticket in form.tickets if ticket.value.name in symbols]


def _gives(form: AnyThread, name: str, scope: int, *, ordered: bool) -> bool:
    """Whether an object gives out its tickets, each once."""
    tickets = [ticket for ticket in form.tickets if ticket.access.object == name]
    positions = {ticket.access.position for ticket in tickets}
    others = [a for a in form.accesses if a.object == name and a.kind != "read" and a.position not in positions]
    return (
        len({ticket.amount > 0 for ticket in tickets}) == 1
        and {ticket.access.bytes for ticket in tickets} in ({size} for size in _BYTES)
        and all(ticket.access.scope >= scope for ticket in tickets)
        and all(ordered and name in form.shared and _before(form, one, min(positions)) for one in others)
    )


def _before(form: AnyThread, write: Access, first: int) -> bool:
    """Whether a write is over, for all threads of the block, before any comes to a place."""
    return any(b.condition is TRUE and not b.turns and write.position < b.position < first for b in form.barriers)
