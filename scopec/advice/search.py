"""Finds the smallest edits under which an expectation holds: every suggestion has been checked.

Everything that could help is changed at once; if that helps, edits are taken back one by one as long as the rest still
does.  Memory questions are asked of the engine that answers at once, progress questions as those of the run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from scopec.advice.barriers import barrier_sets, in_words, wants_barrier, with_barrier
from scopec.advice.edits import (
    AddFence,
    Attribute,
    Cooperate,
    Edit,
    MakeAtomic,
    Strengthen,
    Synchronise,
    Update,
    Widen,
    WidenFence,
    acquire_release,
    edited,
    is_ptx,
    operations,
    said,
    updates,
    writes_value,
)
from scopec.advice.fixable import is_fixable
from scopec.advice.hangs import families, never_stuck
from scopec.advice.hung import left_behind
from scopec.advice.rereading import reread
from scopec.advice.scopes import needed
from scopec.advice.spelling import UNSURE, replacements
from scopec.advice.streams import launched_there, texts_in_one_stream, texts_that_wait, waits
from scopec.base.diagnostics import ScopecError
from scopec.base.files import source_of
from scopec.base.limits import limited
from scopec.base.records import dataclass
from scopec.explain.fixes import Suggestion
from scopec.hangs.execution import StuckExecution
from scopec.memory.execution import Execution
from scopec.program import ir
from scopec.program.expectations import MEMORY_KINDS, PROGRESS_KINDS
from scopec.program.values import leaves
from scopec.progress.schedule import NOT_STARTED, Schedule
from scopec.progress.steps import DONE, IDLE
from scopec.session.inquiry.verdicts import memory_checks

if TYPE_CHECKING:
    from scopec.explain.fixes import Replacement
    from scopec.explain.verdict import Check
    from scopec.program.expectations import Expectation
    from scopec.progress.models import Property
    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.findings import Findings
    from scopec.session.inquiry.run import Run

#: The questions of a changed run to the engines.
Ask: TypeAlias = Callable[["Run"], "Inquiry"]
_Holds: TypeAlias = Callable[["Run"], bool]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Advice:
    """Changes under which a check holds, in words, and as text where one place says what is to change; ``instead`` are
    others that do as well."""

    said: str
    fix: tuple[Replacement, ...]
    instead: Suggestion | None = None


#: Functions such as atomicAdd, whose operations are relaxed (CUDA C++ Programming Guide, "Atomic Functions").
_LEGACY = re.compile(r"(::)?atomic[A-Z]\w*\(")
#: The seconds for which the thread may work on a suggestion: what else the machine does makes no difference.
_SECONDS = 2.0
#: The same on a busy machine, for what looks at another clock.
_PATIENCE = 3 * _SECONDS
_MOST_EVENTS = 120


def advice(run: Run, check: Check, checks: Sequence[Check], ask: Ask) -> Advice | None:
    """The smallest change under which a violated check holds, or None if none was found in time."""
    match check.trace:
        case StuckExecution() as stuck:
            return None if check.warnings else _stuck(run, check, checks, stuck, ask)
        case Execution() as execution if check.expectation.kind in MEMORY_KINDS:
            return _memory(run, check, checks, execution, ask)
        # A race comes first; what the example hardware does, a change cannot be asked of here.
        case Schedule() as schedule if check.expectation.kind in PROGRESS_KINDS and not check.warnings:
            return _progress(run, check, checks, schedule, ask)
        case _:
            return None


# ---------------------------------------------------------------- the memory question


def _memory(run: Run, check: Check, checks: Sequence[Check], execution: Execution, ask: Ask) -> Advice | None:
    if len(run.graph.events) > _MOST_EVENTS:
        return None
    until = time.thread_time() + _SECONDS
    still = [c.expectation for c in checks if c.verdict == "holds"]
    every = [c.expectation for c in checks if is_fixable(c) and c.expectation.kind in MEMORY_KINDS]
    for wanted in (every, [check.expectation]) if len(every) > 1 else (every,):
        names = {(e.kind, e.text) for e in (*wanted, *still)}

        def holds(changed: Run, names: Container[tuple[str, str]] = names) -> bool:
            found = _answers(ask(changed), until)
            return found is not None and all(
                c.verdict == "holds"
                for c in memory_checks(changed, found)
                if (c.expectation.kind, c.expectation.text) in names
            )

        moved = _by_texts(run, texts_in_one_stream(run, execution), holds, wanted, ask, until)
        waiting = _by_texts(run, texts_that_wait(run, execution), holds, wanted, ask, until)
        ways = [
            _by_edits(run, _mildest(run), holds, wanted, ask),
            _with_another(_by_edits(run, waits(run, execution), holds, wanted, ask), moved),
            _with_another(waiting, moved),
            moved,
            _by_barriers(run, execution, holds, wanted, ask, until),
            _by_edits(run, _others(run, execution), holds, wanted, ask),
        ]
        if check.expectation.kind == "race_free" and wants_barrier(run, execution, check.expectation.target):
            ways.insert(0, ways.pop(-2))
        found = next(chain.from_iterable(ways), None)
        if found is not None:
            return found
    return None


def _with_another(ways: Iterator[Advice], others: Iterator[Advice]) -> Iterator[Advice]:
    """Advice, with another way to the same that is as good."""
    for one in ways:
        other = next(others, None)
        yield one if other is None else replace(one, instead=Suggestion(other.said, other.fix))


def _by_edits(
    run: Run, families: Iterable[Sequence[Edit]], holds: _Holds, wanted: Sequence[Expectation], ask: Ask
) -> Iterator[Advice]:
    for edits in families:
        if kept := _smallest(run, edits, holds):
            yield _checked(kept, run, wanted, ask, holds)


def _by_barriers(
    run: Run, execution: Execution, holds: _Holds, wanted: Sequence[Expectation], ask: Ask, until: float
) -> Iterator[Advice]:
    overrides = ask(run).settings.overrides

    def read(run: Run, barrier: Replacement) -> Run | None:
        return _in_time(until, partial(with_barrier, run, barrier, overrides))

    def race(run: Run) -> Execution | None:
        found = _answers(ask(run), until)
        traces = [c.trace for c in memory_checks(run, found)] if found is not None else []
        return next((t for t in traces if isinstance(t, Execution) and t.race), None)

    for found in barrier_sets(run, execution, read, holds, race):
        together = found
        for one in found if len(found) > 1 else ():
            fewer = tuple(other for other in together if other != one)
            less = _in_time(until, partial(reread, run, fewer, overrides))
            together = fewer if less is not None and holds(less) else together
        changed = _in_time(until, partial(reread, run, together, overrides))
        if changed is not None and not _newly_hangs(changed, run, ask):
            yield _advice(in_words(together, run.source), together, run, wanted)


def _by_texts(
    run: Run, changes: Iterable[tuple[str, Sequence[Replacement]]], holds: _Holds, wanted: Sequence[Expectation],
    ask: Ask, until: float,
) -> Iterator[Advice]:  # fmt: skip
    overrides = ask(run).settings.overrides
    for what, fix in changes:
        changed = _in_time(until, partial(reread, run, fix, overrides))
        if changed is not None and holds(changed) and not _newly_hangs(changed, run, ask):
            yield _advice(what, tuple(sorted(fix)), run, wanted)


def _newly_hangs(changed: Run, run: Run, ask: Ask) -> bool:
    """Whether a run that may not end, or of which that is not found out, has come of one that ends."""
    return not _ends(ask(changed)) and _ends(ask(run))


def _ends(inquiry: Inquiry) -> bool:
    until = time.thread_time() + _SECONDS
    return _in_time(until, lambda: inquiry.progress_soon("Termination", _PATIENCE).holds) is True


def _stuck(run: Run, check: Check, checks: Sequence[Check], execution: StuckExecution, ask: Ask) -> Advice | None:
    if len(execution.graph.events) > _MOST_EVENTS:
        return None
    until = time.thread_time() + _SECONDS
    still = [c.expectation for c in checks if c.verdict == "holds" and c.expectation.kind in MEMORY_KINDS]

    def holds(changed: Run) -> bool:
        # Orders, scopes and fences change no schedule of a sequentially consistent memory.
        if not _in_time(until, lambda: never_stuck(ask(changed), check.expectation, _PATIENCE)):
            return False
        found = _answers(ask(changed), until) if still else None
        return not still or (
            found is not None
            and all(c.verdict == "holds" for c in memory_checks(changed, found) if c.expectation in still)
        )

    def stronger(order_of: Callable[..., ir.Order]) -> list[Edit]:
        return list(_stronger(run, order_of))

    for edits in families(execution, list(_wider(run)), stronger, needed(run)):
        kept = _smallest(run, edits, holds)
        if kept:
            return _checked(kept, run, [check.expectation], ask, holds)
    return None


def _checked(edits: Sequence[Edit], run: Run, mended: Sequence[Expectation], ask: Ask, holds: _Holds) -> Advice:
    """Edits in words, and as text if the expectations hold of what is read from that too, where it may be another."""
    fix = replacements(edits, run.program)
    if fix and any(isinstance(edit, UNSURE) for edit in edits):
        until = time.thread_time() + _SECONDS
        changed = _in_time(until, partial(reread, run, fix, ask(run).settings.overrides))
        if changed is None or not holds(changed):
            fix = ()
    return _advice(said(edits, run.program), fix, run, mended)


def _advice(what: str, fix: tuple[Replacement, ...], run: Run, mended: Sequence[Expectation]) -> Advice:
    names = " and ".join(f"`{e.text}`" for e in mended)
    result = "it holds" if len(run.checks) == 1 else f"{names} {'holds' if len(mended) == 1 else 'hold'}"
    return Advice(f"{what}; checked: {result} then", fix)


def _answers(inquiry: Inquiry, until: float) -> Findings | None:
    """The answers to the memory questions of a changed run; None where the engine cannot answer, or not in time."""
    return _in_time(until, lambda: inquiry.quickly(inquiry.run.problem, _PATIENCE))


def _in_time(until: float, find: Callable[[], _T]) -> _T | None:
    """The findings before the thread has worked for so long; None if that is too late, or nobody can tell."""
    left = until - time.thread_time()
    if left > 0:
        with suppress(ScopecError), limited(left, None, worked=True):
            return find()
    return None


def _smallest(run: Run, edits: Sequence[Edit], holds: _Holds) -> list[Edit]:
    """Edits that suffice, none of which can be left out; none if all of them together do not help."""
    if not edits or not holds(edited(run, edits)):
        return []
    kept = list(edits)
    for edit in edits:
        fewer = [e for e in kept if e != edit]
        if fewer and holds(edited(run, fewer)):
            kept = fewer
    for n, edit in enumerate(kept):
        milder = ([*kept[:n], other, *kept[n + 1 :]] for other in _milder(run, edit))
        kept = next((others for others in milder if holds(edited(run, others))), kept)
    return kept


def _milder(run: Run, edit: Edit) -> Iterator[Edit]:
    """Half of an order that both acquires and releases, where what has it did neither."""
    if isinstance(edit, Strengthen) and edit.order is ir.Order.ACQ_REL:
        there = [_order(n.operation) for n in operations(run.program) if n.span == edit.at]
        if all(order in (None, ir.Order.RELAXED) for order in there):
            yield Strengthen(edit.at, ir.Order.ACQUIRE)
            yield Strengthen(edit.at, ir.Order.RELEASE)


def _order(operation: ir.Operation) -> ir.Order | None:
    if isinstance(operation, ir.Fence):
        return operation.order
    return operation.mode.order if isinstance(operation, ir.Access) else None


def _scope(operation: ir.Operation) -> ir.Scope | None:
    """The scope of an atomic operation."""
    if isinstance(operation, ir.Access | ir.BarrierOperation) and operation.mode.atomic:
        return operation.mode.scope
    return None


def _mildest(run: Run) -> Iterator[list[Edit]]:
    """Edits that may help and change what is there to order accesses; those better taken back come first."""
    scopes = list(_wider(run))
    yield scopes
    yield [*_stronger(run, acquire_release), *scopes]
    if any(_scope(node.operation) is ir.Scope.SYSTEM for node in operations(run.program)):
        for name, value in run.settings.given.items():
            if value == "0":  # such attributes are about atomic operations of the system's scope
                yield [Attribute(name)]


def _others(run: Run, execution: Execution) -> Iterator[list[Edit]]:
    """Edits that may help and make other accesses of those that are there."""
    scopes, orders = list(_wider(run)), list(_stronger(run, acquire_release))
    racing = sorted({a.location.object for pair in execution.race for a in pair if a.location is not None})
    for name in racing:
        if any(True for grid in run.program.grids.values() for _ in updates(grid.body, name)):
            yield [Update(name, needed(run, name))]
    copied = {e.location.object for e in run.graph.events if e.agent and e.location is not None}  # never by atomics
    for name in filter((_deciding(run) - copied).__contains__, racing):
        yield [MakeAtomic(name, needed(run, name), ordered=False)]
        yield [*orders, *scopes, MakeAtomic(name, needed(run, name), ordered=True)]
    yield [*_stronger(run, lambda _: ir.Order.SEQ_CST), *scopes]


def _deciding(run: Run) -> set[str]:
    """The objects that some thread branches on: flags and counters, which may be atomic; others carry data."""
    found: set[str] = set()
    for body in {id(t.body): t.body for t in run.program.threads}.values():  # their registers have names of their own
        nodes = body.nodes.values()
        values = [n.condition for n in nodes if isinstance(n, ir.Branch)]
        registers: set[str] = set()
        while new := {leaf.name for value in values for leaf in leaves(value)} - registers:
            registers |= new
            operations = [n.operation for n in nodes if isinstance(n, ir.Do)]
            values = [o.value for o in operations if isinstance(o, ir.Set) and o.target in new]
        found |= {
            n.operation.place.object
            for n in nodes
            if isinstance(n, ir.Do) and isinstance(n.operation, ir.Load | ir.Rmw) and n.operation.target in registers
        }
    return found


def _wider(run: Run) -> Iterator[Edit]:
    """A wider scope for each object and fence whose scope leaves a thread out."""
    narrow: dict[str, ir.Scope] = {}
    everyone = needed(run)
    for node in operations(run.program):
        operation = node.operation
        if isinstance(operation, ir.Fence):
            if operation.scope < everyone:
                yield WidenFence(node.span, everyone)
        elif isinstance(operation, ir.Access | ir.BarrierOperation) and operation.mode.atomic:
            name = operation.place.object
            narrow[name] = min(narrow.get(name, ir.Scope.SYSTEM), operation.mode.scope)
    for name, scope in narrow.items():
        if scope < (wanted := needed(run, name)):
            yield Widen(name, wanted)


def _stronger(run: Run, order_of: Callable[[ir.Access | ir.Fence], ir.Order]) -> Iterator[Edit]:
    """A stronger order for each place that has a weaker one."""
    strength = {o: i for i, o in enumerate((ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.ACQ_REL, ir.Order.SEQ_CST))}
    strength[ir.Order.RELEASE] = strength[ir.Order.ACQUIRE]
    seen: set[object] = set()
    for node in operations(run.program):
        operation = node.operation
        if not isinstance(operation, ir.Fence | ir.Access):
            continue
        if (current := _order(operation)) is not None and node.span not in seen:
            wanted = order_of(operation)
            if strength[wanted] > strength[current]:
                seen.add(node.span)
                if writes_value(node.span, run.program):
                    yield AddFence(node.span, ir.Scope.SYSTEM, before=True)
                    continue
                has_no_sc = (
                    wanted is ir.Order.SEQ_CST and isinstance(operation, ir.Access) and is_ptx(node.span, run.program)
                )
                if has_no_sc or _LEGACY.match(source_of(node.span, run.source).text_of(node.span)):
                    fence = AddFence(node.span, needed(run), before=True)
                    yield from (fence, replace(fence, before=False))
                else:
                    yield Strengthen(node.span, wanted)


# ---------------------------------------------------------------- the progress question


def _progress(run: Run, check: Check, checks: Sequence[Check], schedule: Schedule, ask: Ask) -> Advice | None:
    property_: Property = "Termination" if check.expectation.kind == "terminates" else "Progress"

    def holds(changed: Run) -> bool:
        try:
            inquiry = ask(changed)
            mended = inquiry.progress(property_).holds
        except ScopecError:
            return False
        return bool(mended) and never_stuck(inquiry, check.expectation, _SECONDS)

    for edit in _launches(run, schedule):
        if holds(edited(run, [edit])):
            return _checked([edit], run, [check.expectation], ask, holds)
    until = time.thread_time() + _SECONDS
    still = {(c.expectation.kind, c.expectation.text) for c in checks if c.verdict == "holds"}
    for what, fix in left_behind(run, schedule):
        changed = _in_time(until, partial(reread, run, fix, ask(run).settings.overrides))
        if changed is None or not _in_time(until, partial(holds, changed)):
            continue
        found = _answers(ask(changed), until)
        after = memory_checks(changed, found) if found is not None else []
        if found is not None and all(
            c.verdict == "holds" for c in after if (c.expectation.kind, c.expectation.text) in still
        ):
            return _advice(what, tuple(sorted(fix)), run, [check.expectation])
    return None


def _launches(run: Run, schedule: Schedule) -> Iterator[Edit]:
    """Edits that may start threads that are never started: their blocks with the others, or an API call that waits."""
    last = schedule.moves[-1].after if schedule.moves else schedule.start
    grids = {t.name: t.grid for t in run.program.threads}
    waiting = {grids.get(b.thread) for b in schedule.behind if b.where == NOT_STARTED} - {None}
    for name in sorted(n for n in waiting if n is not None):
        grid = run.program.grids[name]
        running = any(label not in (IDLE, DONE) for t, label in last.labels.items() if grids.get(t) == name)
        if running and grid.blocks.count > 1 and not grid.cooperative:
            yield Cooperate(name)
        elif not running and launched_there(run, name):
            yield Synchronise(name)
