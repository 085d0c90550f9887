"""Promises in TLA+: the operators that stand for conditions and acts."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.progress.promises import Act, Each, Promise, promises
from scopec.progress.rules.owing import CONDITIONS

if TYPE_CHECKING:
    from scopec.engines.tla.terms import Terms
    from scopec.progress.system import System

_OWN = {Each.HOST: "Host(h)", Each.DEVICE: "DevStep(t)", Each.FUNCTION: "TaskStep(t)", Each.THREAD: "Step(t)"}


@dataclass(frozen=True, slots=True)
class Printed:
    """A promise as TLA+: ``WF`` or ``SF``, the action that it is about, and its sentence as a comment."""

    name: str
    fairness: str
    action: str
    law: str


_NAMES = (
    "HostProgress", "ApiProgress", "QueryProgress", "DeviceProgress", "FunctionProgress", "SomeProgress",
    "ThreadProgress",
)  # fmt: skip


def context(system: System, terms: Terms) -> dict[str, object]:
    """What the templates print: the promises by name (None for one that is not made), and those about choices."""
    made = {promise.name: _printed(promise, terms) for promise in promises(system)}
    return {
        "promises": dict.fromkeys(_NAMES) | {name: made[name] for name in _NAMES if name in made},
        "choices": [promise for name, promise in made.items() if name not in _NAMES],
        "of_hosts": " /\\ ".join(f"{name}(h)" for name in _NAMES[:3] if name in made),
    }


def _printed(promise: Promise, terms: Terms) -> Printed:
    acts = [_act(act, promise) for act in promise.acts]
    when = [terms.text(CONDITIONS[condition]) for condition in promise.when]
    either = " \\/ ".join(acts)
    action = " /\\ ".join([*when, f"({either})" if when and len(acts) > 1 else either])
    law = "\n\\* ".join(textwrap.wrap(promise.law, 107, fix_sentence_endings=True))
    return Printed(promise.name, "SF" if promise.strong else "WF", action, law)


def _act(act: Act, promise: Promise) -> str:
    match act:
        case Act.OWN:
            return _OWN[promise.each]
        case Act.SERVE:
            return "Serve"
        case Act.CHOICE:
            return f"{promise.name}(t)"
        case Act.ANY:
            return "Next"
