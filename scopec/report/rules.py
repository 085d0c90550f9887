"""The kinds of what is not as expected, by name: the rules of a SARIF log, the types of JUnit failures."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal

from scopec.base.excerpt import clean
from scopec.base.records import dataclass
from scopec.explain.verdict import UNDEFINED, is_fault

if TYPE_CHECKING:
    from scopec.base.diagnostics import Diagnostic
    from scopec.explain.reasons import Explanation
    from scopec.explain.verdict import Check
    from scopec.session.check import Report


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of violation: its name, what it is in a few words, and what to do about it."""

    id: str
    summary: str
    help: str
    level: Literal["error", "warning"] = "error"


#: By the kind of the expectation that is violated.
_VIOLATED = {
    "race_free": Rule(
        "data-race",
        "Two threads access the same object, one of them writes, and nothing orders them",
        "A data race is undefined behaviour. Make both accesses atomic at a scope that includes the other thread, or "
        "order them: release after the one, acquire before the other, both at a scope that includes the other thread.",
    ),
    "race": Rule("no-race", "A race is expected, and there is none", "Correct the expectation, or the program."),
    "undefined": Rule(
        "no-undefined-operation",
        "An operation without a meaning is expected, and there is none",
        "Correct the expectation, or the program: of a data race `expect race` asks.",
    ),
    "forbidden": Rule(
        "forbidden-outcome",
        "An execution ends in a state that must not occur",
        "The execution shows which values the reads return. A stronger order (release and acquire, or seq_cst) or a "
        "wider scope forbids some of them.",
    ),
    "required": Rule(
        "required-outcome",
        "An execution ends in another state than the required one",
        "The execution shows which values the reads return. A stronger order (release and acquire, or seq_cst) or a "
        "wider scope forbids some of them.",
    ),
    "allowed": Rule(
        "missing-outcome",
        "No execution ends in a state that should be possible",
        "Correct the expectation, or weaken the synchronisation that rules the state out.",
    ),
    "condition": Rule(
        "condition", "The condition of a litmus test does not hold", "Compare the model and the test's condition."
    ),
    "assertion": Rule(
        "assertion",
        "An assertion fails in some execution",
        "The execution shows which values the reads return when it fails.",
    ),
    "observed": Rule(
        "seen-and-forbidden",
        "A GPU showed a final state that the memory model forbids",
        "The model is wrong, or the GPU: report the program, the GPU and the state.",
    ),
    "terminates": Rule(
        "hang",
        "An execution that the progress model allows never ends",
        "Each thread that stays behind is listed with what it waits for, and the promise that the execution model does "
        "not make. Threads of one block, one cluster or one cooperative grid are owed progress together.",
    ),
    "progresses": Rule(
        "stall",
        "From some point on no thread takes a step that counts as progress",
        "Let the loop read a volatile or atomic object, synchronise, or do I/O.",
    ),
    "uniform": Rule(
        "divergent-barrier",
        "A barrier is reached by some threads of a block, and not by others",
        "Move the barrier out of the condition, or let all threads of a block go the same way.",
    ),
    "divergent": Rule(
        "no-divergent-barrier",
        "A divergent barrier is expected, and there is none",
        "Correct the expectation, or the program.",
    ),
    "may_hang": Rule("no-hang", "A hang is expected, and there is none", "Correct the expectation, or the program."),
    "may_stall": Rule("no-stall", "A stall is expected, and there is none", "Correct the expectation, or the program."),
}
_UNDEFINED = Rule(
    "undefined-behaviour",
    "The program has a data race, so nothing can be said about its outcomes",
    "Mend the race first, or ask on with `//@ options races = ignore`.",
)
_FAULT = Rule(
    "undefined-operation",
    "An operation has no meaning: a division, a shift, an index or a pointer that its operands do not allow",
    "Test the operands before the operation.",
)
_UNDECIDED = Rule(
    "undecided", "scopec could not decide a question", "Raise the bound or the time limit that is named.", "warning"
)


#: Every kind of what is not as expected.
RULES = (*_VIOLATED.values(), _UNDEFINED, _FAULT, _UNDECIDED)


def rule(check: Check) -> Rule:
    """The kind of a check that does not hold."""
    if check.verdict == "unknown":
        return _UNDECIDED
    if check.reason == UNDEFINED:
        return _UNDEFINED
    if is_fault(check):
        return _FAULT
    return _VIOLATED[check.expectation.kind]


def diagnostic_rule(diagnostic: Diagnostic) -> Rule:
    """The kind of a diagnostic, by its code."""
    code = diagnostic.code
    summary = code.summary[:1].upper() + code.summary[1:]
    return Rule(code.id, summary, code.way_out[:1].upper() + code.way_out[1:], diagnostic.severity)


def message(check: Check, why: Explanation) -> str:
    """One paragraph on a check that does not hold, without control characters."""
    said = [check.reason] if check.reason else []
    verdict = "is violated" if check.verdict == "violated" else "is undecided"
    told = f"`{check.expectation.text}` {verdict}" + "".join(f": {reason}" for reason in said)
    advice = f". Try: {check.advice}" if check.advice is not None else ""
    instead = f". Or: {check.instead.said}" if check.instead is not None else ""
    return clean("; ".join((told, *why.sentences)) + advice + instead)


def fingerprint(report: Report, check: Check, kind: Rule) -> str:
    """The same violation of the same expectation, wherever its lines have moved to."""
    parts = (kind.id, check.expectation.text, report.run.model.name, sorted(report.run.program.variant.items()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
