"""Compares a GPU's final states with those of the model: one that was seen and is forbidden is a wrong verdict.

What was not seen says nothing: no run contradicts `allowed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from scopec.explain.verdict import Check
from scopec.gpu.observed import Observed, Shown
from scopec.gpu.printer import FINISHED, FIRST_FAULT
from scopec.gpu.results import together, wrong
from scopec.program import values
from scopec.program.expectations import Expectation
from scopec.program.observe import FinalMemory, Observation
from scopec.program.reasoning import map_atoms
from scopec.program.types import ArithmeticFault
from scopec.progress import models as progress_models
from scopec.session.final_states import observables, state_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scopec.base.source import Span
    from scopec.gpu.harness import Test
    from scopec.gpu.results import Record, Results
    from scopec.gpu.whole import Whole
    from scopec.program.ir import Assert
    from scopec.program.observe import Formula
    from scopec.session.final_states import Listing
    from scopec.session.inquiry.run import Run

#: A final state as the values of what is observed.
_State = tuple[tuple[Observation, int], ...]


def compared(listing: Listing, test: Test | Whole, asked: Iterable[Run], results: Sequence[Results]) -> Observed:
    """The states of ``listing`` beside those of a test, and the expectations of ``asked``, the same program's runs."""
    run, records = listing.run, [each.records[test.key] for each in results]
    record = together(records)
    engine = " and ".join(dict.fromkeys(each.gpu for each in results))
    span = run.source.span(0, 0)
    if record.failed is not None:
        said = f"nothing was seen on {engine}: {record.failed}"
        failed = [Check(Expectation("observed", _ALLOWED, span), "unknown", said, engine, 0)]
        if record.failed == _HANGS:
            failed += [Check(c, "violated", said, engine, 0) for r in asked for c in r.checks if _of_the_machine(c, r)]
        return Observed(run, tuple(failed), (), None, ())
    names = {what: name for what, name in observables(run).items() if test.shows(what)}
    counts, ends = counted(test, record)
    each_seen = [_named(counted(test, one)[0], names) for one in records]
    seen = _named(counts, names)
    shown_names = set(names.values())
    known = {tuple((name, n) for name, n in state.values.items() if name in shown_names) for state in listing.states}
    otherwise: Literal["forbidden", "not listed", "undefined"] = "forbidden"
    if listing.undefined:
        otherwise = "undefined"
    elif listing.unfinished:
        otherwise = "not listed"
    shown = tuple(
        Shown(dict(state), tuple(one[state] for one in each_seen), "allowed" if state in known else otherwise)
        for state in sorted({*known, *seen}, key=lambda s: (-seen[s], s))
    )
    unended = sum(count for how, count in ends.items() if how is None)
    checks = [_all_allowed(shown, listing, record, engine, span)]
    for other in asked:
        for check in other.checks if not other.on_hardware else ():
            if test.hosts and check.kind == "terminates":
                continue  # the system may keep a host thread for longer than others have turns
            found_check = _asked(check, other, counts, ends, record, engine)
            if found_check is not None and not (listing.undefined and check.kind != "terminates"):
                checks.append(found_check)
    return Observed(run, tuple(checks), (), None, (), (), None, engine, record.runs, shown, unended,
                    tuple(each.built for each in results))  # fmt: skip


def _named(counts: Mapping[_State, int], names: Mapping[Observation, str]) -> Counter[tuple[tuple[str, int], ...]]:
    """The counts of states by what a report says of each."""
    seen: Counter[tuple[tuple[str, int], ...]] = Counter()
    for state, count in counts.items():
        found = dict(state)
        seen[tuple((name, found[what]) for what, name in names.items() if what in found)] += count
    return seen


#: The harness's word for a test that it had to end.
_HANGS = "it hangs"
_ALLOWED = "every final state seen is allowed"


def _all_allowed(shown: Sequence[Shown], listing: Listing, record: Record, engine: str, span: Span) -> Check:
    """The check that the model allows what was seen."""
    expectation = Expectation("observed", _ALLOWED, span)
    allowed = [s for s in shown if s.status == "allowed"]
    many = f"{sum(s.count > 0 for s in allowed)} of {len(allowed)} allowed states seen"
    where = f"in {record.runs:,} runs on {engine}"
    if record.lost:
        return Check(expectation, "unknown", f"more states than are told apart, {where}", engine, 0)
    outside = [s for s in shown if s.status in ("forbidden", "not listed")]
    if not outside:
        void = "; the program is undefined, and everything is allowed" if listing.undefined else ""
        return Check(expectation, "holds", f"{many} {where}{void}", engine, 0)
    worst = outside[0]
    what = f"`{state_text(worst.values, listing.run)}` seen {worst.count:,} times {where}"
    if worst.status == "not listed":
        return Check(expectation, "unknown", f"{what}; {listing.unfinished[0]}", engine, 0)
    more = f", and {len(outside) - 1} more such states" if len(outside) > 1 else ""
    return Check(expectation, "violated", f"{what}, and `{listing.run.model.name}` forbids it{more}", engine, 0)


def counted(test: Test | Whole, record: Record) -> tuple[Counter[_State], Counter[Assert | None]]:
    """The states in which every thread ended, and how others ended: at an assertion, or (None) not at all.

    UsageError for what is no state of the test.
    """
    counts: Counter[_State] = Counter()
    ends: Counter[Assert | None] = Counter()
    most = FIRST_FAULT + len(test.faults)
    for count, words in record.states:
        if len(words) != test.words or any(word >= most for word in words[: len(test.roles)]):
            raise wrong(f"a state of {test.name}")
        how = [word for word in words[: len(test.roles)] if word != FINISHED]
        if how:
            failed = [word for word in how if word >= FIRST_FAULT]
            ends[test.faults[failed[0] - FIRST_FAULT] if failed else None] += count
            continue
        counts[tuple(test.state(words))] += count
    return counts, ends


def _asked(
    check: Expectation, run: Run, counts: Counter[_State], ends: Counter[Assert | None], record: Record,
    engine: str,
) -> Check | None:  # fmt: skip
    """The verdict of runs on an expectation that they can contradict; None of any other."""
    where = f"of {record.runs:,} runs on {engine}"
    match check.kind:
        case "forbidden" | "required" | "condition":
            if check.formula is None or check.quantifier == "exists":
                return None
            wanted = check.kind == "required" or check.quantifier == "forall"
            against = sum(
                count
                for state, count in counts.items()
                if (check.restriction is None or satisfied(check.restriction, dict(state), run))
                and satisfied(check.formula, dict(state), run) != wanted
            )
            said = f"{against:,} {where} ended {'otherwise' if wanted else 'so'}"
        case "assertion" if not check.implicit:
            against = sum(count for fault, count in ends.items() if fault is not None and check.text == _text(fault))
            said = f"it failed in {against:,} {where}"
        case "terminates" if _of_the_machine(check, run):
            against = ends[None]
            said = f"{against:,} {where} did not end within the turns that loops were given"
        case _:
            return None
    return Check(check, "violated" if against else "holds", said, engine, 0)


def _of_the_machine(check: Expectation, run: Run) -> bool:
    """Whether it is asked that a program ends, as a GPU is to have it."""
    asked = check.kind == "terminates" and run.settings.options["hangs"] == "model"
    return asked and run.progress == progress_models.CUDA


def _text(fault: Assert) -> str:
    return f"assert({fault.text})"


def satisfied(formula: Formula, state: Mapping[Observation, int], run: Run) -> bool:
    """Whether a condition holds in a state; a comparison with a local that has no value is false."""

    def found(leaf: values.Reg | values.Builtin) -> int:
        what = formula.observed[leaf.name]
        if what in state:
            return state[what]
        if isinstance(what, FinalMemory):  # nobody accesses it
            return run.program.objects[what.location.object].values[what.location.index] or 0
        raise ArithmeticFault(leaf.name)

    def atom(comparison: values.Value) -> values.Value:
        try:
            return values.TRUE if values.evaluate(comparison, found) else values.FALSE
        except ArithmeticFault:
            return values.FALSE

    return bool(values.evaluate(map_atoms(formula.value, atom), lambda leaf: found(leaf)))
