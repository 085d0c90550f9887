"""Places of PTX of the asynchronous side: mbarriers, fences between proxies, and a cluster's barrier in two halves."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from scopec.advice.steps import (
    PTX_CLUSTER,
    Place,
    Step,
    Word,
    order_left,
    order_steps,
    proxy_steps,
    scope_place,
    word_place,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match

    from scopec.base.source import Source

    Remove = Callable[[Source, str, int], Word | None]
    #: Words of an instruction, behind its name, and where they stand.
    Words = dict[str, tuple[int, int]]

#: Names of the instructions, as a regular expression.
NAMES = r"mbarrier\.(?:arrive(?:_drop)?|test_wait|try_wait)|barrier\.cluster\.arrive"
_CLUSTER_WAIT = re.compile(r"(?<![\w.])barrier\.cluster\.wait\b")
_FIRST = ("expect_tx", "parity")


def of_mbarrier(source: Source, found: Match[str], words: Words) -> Iterator[Place]:
    """An arrival or a look: its order and scope, a release or acquire of the block where none is written."""
    order = "release" if "arrive" in found["op"] else "acquire"
    may = frozenset({order})
    if order in words:
        steps = order_steps(order, may)
        yield word_place(source, steps, words[order], partial(order_left, steps))
        if "cluster" in words:
            yield scope_place(source, words["cluster"], PTX_CLUSTER, "cluster")
    elif "relaxed" not in words and "noComplete" not in words:
        at = max((words[one][1] for one in _FIRST if one in words), default=found.end("op"))
        steps = order_steps(order, may)
        yield word_place(source, steps, (at, at), lambda taken: ".relaxed.cta" if taken else "")


def of_cluster_arrival(source: Source, code: str, found: Match[str], words: Words, remove: Remove) -> Iterator[Place]:
    """An arrival at the barrier of a cluster: without release, and gone with the wait behind it."""
    at = found.span()
    first = () if "relaxed" in words else (Step("release", "release"),)
    written, place = ("release", words["release"]) if "release" in words else ("", (found.end("op"),) * 2)
    relaxed = "relaxed" if written else ".relaxed"
    spelt = (Word(*place, lambda taken: relaxed if "release" in taken else written),) if first else ()
    wait = _CLUSTER_WAIT.search(code, at[1])
    whole = remove(source, code, at[0])
    with_it = remove(source, code, wait.start()) if wait else None
    if whole is None or with_it is None or (whole.start, whole.end) == (with_it.start, with_it.end):
        yield Place(source.span(*at), first, spelt)
        return
    last = Step("barrier", "barrier of a cluster", frozenset(step.name for step in first))
    yield Place(source.span(*at), (*first, last), spelt, whole, frozenset({"barrier"}), (with_it,))


def of_special_fence(source: Source, code: str, found: Match[str], words: Words, remove: Remove) -> Iterator[Place]:
    """A fence of a proxy, which may be about one state space, or of the initialisation of mbarriers."""
    at = found.span()
    whole = remove(source, code, at[0])
    if whole is None:
        return
    if "proxy" not in words:
        if "mbarrier_init" in words:
            yield Place(source.span(*at), (Step("fence", "fence"),), (), whole, frozenset({"fence"}))
        return
    every = found.group().endswith(".async") and not source.name.endswith(".litmus")
    steps = proxy_steps(("global", "shared") if every else ("fence",))
    # A block's own window is less than the cluster's, which a copy between blocks may be about.
    shared = "shared::cluster" if "cluster" in code else "shared::cta"

    def spelt(taken: frozenset[str]) -> str:
        left = [step.name for step in steps if step.name not in taken]
        if len(left) == len(steps):
            return found.group()
        return f"{found.group()}.{shared if left[0] == 'shared' else left[0]}"

    yield Place(source.span(*at), steps, (Word(*at, spelt),), whole, frozenset(step.name for step in steps))
