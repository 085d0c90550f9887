"""Advice: the smallest edits of a program under which an expectation holds, found by asking again.

- ``search``: finds them, and checks each; ``scopes``: the scope that they write
- ``edits``: the edits that a programmer could make (``--why-not`` has ``scopec.explain.changes``, of one execution)
- ``spelling``: edits as changes of the text
- ``statements``: where a statement may stand in a text
- ``barriers``: a barrier that is missing, as a line of the text
- ``hangs``: orders, scopes and fences under which no execution gets stuck
- ``hung``: what a thread has left behind in a hang: a lock, a flag, a barrier in a condition
- ``streams``: an event in a capture, and work in the stream of other work
- ``fixable``: checks that may get advice
- ``rereading``: a changed text, read again
- ``weaken``: the other way round: synchronisation that could be weaker; ``places``: where, ``steps``: step by step how
- ``ptx_places``, ``ptx_async_places``: places of PTX, and those of its asynchronous side
- ``group_places``, ``object_places``: barriers of groups and of objects, and functions of ``cuda::ptx``
- ``untried``: what synchronises at none of these places
- ``changed``: whether a changed text still holds; ``weakest``: the search; ``larger``: larger launches
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.advice.fixable import is_fixable
from scopec.explain.verdict import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.explain.verdict import Check
    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.run import Run


def advised(run: Run, checks: Sequence[Check], ask: Callable[[Run], Inquiry]) -> list[Check]:
    """The checks, with a suggestion for those that are violated and that a small change would mend."""
    wanted = [check for check in checks if is_fixable(check) and check.reason != UNDEFINED]
    if not wanted:
        return list(checks)
    # Start-up: most calls have no violated check, or do not want advice.
    from scopec.advice.search import advice

    found = {id(check): advice(run, check, checks, ask) for check in wanted}
    return [
        check
        if (one := found.get(id(check))) is None
        else replace(check, advice=one.said, fix=one.fix, instead=one.instead)
        for check in checks
    ]
