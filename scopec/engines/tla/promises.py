"""Promises in TLA+: the operators that stand for conditions and acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.progress.promises import EXECUTION_MODEL, Act, Each, Promise, promises
from scopec.progress.rules import fairness
from scopec.progress.rules.fairness import CONDITIONS

if TYPE_CHECKING:
    from scopec.engines.tla.terms import Terms
    from scopec.progress.system import System

_OWN = {Each.HOST: "Host(h)", Each.DEVICE: "DevStep(t)", Each.FUNCTION: "TaskStep(t)", Each.THREAD: "Step(t)"}


@dataclass(frozen=True, slots=True)
class Printed:
    """A promise as TLA+: to whom it is made, ``WF`` or ``SF``, the action that it is about, and a comment."""

    each: str
    fairness: str
    action: str
    comment: str


def context(system: System, terms: Terms, functions: str) -> dict[str, object]:
    """The context of the templates: the promises that ask for a step, and those about choices."""
    each = {
        Each.HOST: "\\A h \\in HostThreads : ",
        Each.DEVICE: "\\A t \\in DeviceThreads : ",
        Each.FUNCTION: f"\\A t \\in {functions} : ",
        Each.THREAD: "\\A t \\in Threads : ",
        Each.NOBODY: "",
    }
    made = [(promise, _printed(promise, each[promise.each], terms)) for promise in promises(system)]
    return {
        "promises": [printed for promise, printed in made if Act.CHOICE not in promise.acts],
        "choices": [printed for promise, printed in made if Act.CHOICE in promise.acts],
    }


def _printed(promise: Promise, each: str, terms: Terms) -> Printed:
    acts = [_act(act, promise) for act in promise.acts]
    strength = "SF" if promise.strong else "WF"
    if promise in EXECUTION_MODEL:
        return Printed(each, strength, f"{promise.name}({', '.join([*fairness.whom(promise), *acts])})", "")
    when = [terms.text(CONDITIONS[condition]) for condition in promise.when]
    return Printed(each, strength, " /\\ ".join([*when, *acts]), promise.law)


def _act(act: Act, promise: Promise) -> str:
    match act:
        case Act.OWN:
            return _OWN[promise.each]
        case Act.START:
            return "\\E t \\in DeviceThreads : Start(t)"
        case Act.SERVE:
            return "Serve"
        case Act.CHOICE:
            return f"{promise.name}(t)"
        case Act.ANY:
            return "Next"
