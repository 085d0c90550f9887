"""Places of barriers that are objects, where an arrival and a wait stand apart, and of the functions of ``cuda::ptx``.

An arrival goes with its wait: of one that goes alone others would wait for ever.  Where a wait goes alone its arrival
still counts, which may end a phase too early: to take both is no more than that, and a step of its own.  What a name
stands for is taken from the text, as for groups: who changes it has it read again.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from scopec.advice.steps import (
    BOTH,
    PTX_CLUSTER,
    PTX_SCOPES,
    Place,
    Step,
    Word,
    order_left,
    order_steps,
    proxy_steps,
    removable,
    removal,
    scope_left,
    scope_place,
    scope_steps,
    word_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

    from scopec.base.source import Source

_RECEIVER = r"(?<![\w.>\])])(?:\w+(?:\[[^\[\];]*\])*\s*(?:\.|->)\s*)+"
_ARGUMENTS = r"\((?P<{}>[^();]*)\)"
_AT_ONCE = re.compile(
    _RECEIVER + r"wait\s*\(\s*(?P<arrival>" + _RECEIVER + r"arrive\s*" + _ARGUMENTS.format("given") + r")\s*\)"
)
_WAIT = re.compile(
    _RECEIVER + r"(?P<call>wait|barrier_wait)\s*\(\s*(?:(?:std::)?move\s*\(\s*(\w+)\s*\)|(\w+))\s*\)\s*;"
)
#: What declares a token, ``{}``; an arrival with bytes of copies is no barrier of threads alone.
_ARRIVAL = (
    r"(?<![\w:])(?:const\s+)?(?:auto|[\w:]+(?:<[^<>;]*>)?(?:::\w+)*)\s+{}\s*=\s*"
    + _RECEIVER
    + r"(?:barrier_)?arrive\s*\([^();]*\)\s*;"
)
_ANY_ARRIVAL = r"\b{}\s*=\s*[^;]*arrive\w*\s*\("


def object_places(source: Source, code: str) -> Iterator[Place]:
    """The places of a C++ text."""
    for found in _AT_ONCE.finditer(code):
        steps = tuple(Step(name, "barrier of an object") for name in ("wait", "both"))
        word = Word(*found.span(), partial(_arrives, found.group(), f"(void){found['arrival']}"))
        yield removable(source, code, found.span(), steps, (word,), frozenset({"both"}))
    for found in _WAIT.finditer(code):
        yield from _apart(source, code, found)
    if "ptx" in code:
        yield from _of_functions(source, code)


def _arrives(both: str, arrival: str, taken: frozenset[str]) -> str:
    return arrival if "wait" in taken else both


def _apart(source: Source, code: str, wait: Match[str]) -> Iterator[Place]:
    """A wait for the phase of a token, and the arrival that gave it, where nothing else has the token."""
    token = re.escape(wait[2] or wait[3])
    if re.search(_ANY_ARRIVAL.format(token), code[: wait.start()]) is None:
        return
    cluster = wait["call"] == "barrier_wait"
    saves = "barrier of a cluster" if cluster else "barrier of an object"
    waiting = removal(source, code, *wait.span())
    alone = Word(*wait.span(), partial(_wait_left, wait.group(), waiting.spelt(frozenset())))
    arrivals = list(re.finditer(_ARRIVAL.format(token), code))
    if len(arrivals) != 1 or len(re.findall(rf"\b{token}\b", code)) != 2:
        if not cluster:  # who arrives at one has to wait
            yield Place(source.span(*wait.span()), (Step("wait", saves),), (), waiting, frozenset({"wait"}))
        return
    arrival = removal(source, code, *arrivals[0].span())
    steps = tuple(Step(name, saves) for name in (("both",) if cluster else ("wait", "both")))
    words = () if cluster else (alone,)
    yield Place(source.span(*wait.span()), steps, words, waiting, frozenset({"both"}), (arrival,))


def _wait_left(written: str, gone: str, taken: frozenset[str]) -> str:
    return gone if "wait" in taken else written


# ---------------------------------------------------------------- functions of ``cuda::ptx``

_PREFIX = r"(?P<prefix>(?:\b\w+::)*)\b"
_FUNCTION = re.compile(
    _PREFIX + r"(?P<name>mbarrier_(?:arrive|test_wait|try_wait)\w*|fence|fence_proxy_async|fence_mbarrier_init|"
    r"barrier_cluster_arrive)\s*\("
)
_SEM = re.compile(r"\bsem_(sc|acq_rel|acquire|release)\b")
_SCOPE = re.compile(r"\bscope_(sys|gpu|cluster)\b")
_CLUSTER_WAIT = re.compile(_PREFIX + r"barrier_cluster_wait\s*\([^();]*\)\s*;")
_SPACE = re.compile(r"\bspace_(global|shared|cluster)\b")


def _of_functions(source: Source, code: str) -> Iterator[Place]:
    named = re.search(r"\busing\s+namespace\s+cuda::ptx\b", code) is not None
    for found in _FUNCTION.finditer(code):
        end = _closing(code, found.end())
        if end is None or not (named or found["prefix"]):  # a function of the file itself
            continue
        at = found.start(), end + 1
        match found["name"]:
            case "fence_proxy_async":
                yield _proxy_fence(source, code, found, at)
            case "fence_mbarrier_init":
                yield removable(source, code, at, (Step("fence", "fence"),), (), frozenset({"fence"}))
            case "fence":
                yield _fence(source, code, at)
            case "barrier_cluster_arrive":
                yield _cluster_arrival(source, code, found, at)
            case name:
                if "no_complete" not in name:
                    yield from _mbarrier(source, code, found, end)


def _closing(code: str, at: int) -> int | None:
    """The bracket that closes a list of arguments."""
    depth = 0
    for place in range(at, len(code)):
        if code[place] == ")" and depth == 0:
            return place
        depth += (code[place] in "([{") - (code[place] in ")]}")
    return None


def _proxy_fence(source: Source, code: str, found: Match[str], at: tuple[int, int]) -> Place:
    said = _SPACE.search(code, *at)
    steps = proxy_steps((said[1],) if said else ("global", "shared"))

    def spelt(taken: frozenset[str]) -> str:
        left = {step.name for step in steps} - taken
        narrower = f"{found['prefix']}fence_proxy_async({found['prefix']}space_{next(iter(left), '')})"
        return source.text[slice(*at)] if said or len(left) == 2 else narrower

    return removable(source, code, at, steps, (Word(*at, spelt),), frozenset(step.name for step in steps))


def _fence(source: Source, code: str, at: tuple[int, int]) -> Place:
    words: list[Word] = []
    steps: tuple[Step, ...] = ()
    if (sem := _SEM.search(code, *at)) is not None:
        order = "seq_cst" if sem[1] == "sc" else sem[1]
        orders = steps = tuple(step for step in order_steps(order, BOTH, " of a fence") if step.name == "seq_cst")
        words.append(Word(*sem.span(), lambda taken: "sem_acq_rel" if orders and "seq_cst" in taken else sem.group()))
    if (scope := _SCOPE.search(code, *at)) is not None:
        scopes = PTX_CLUSTER if scope[1] == "cluster" else PTX_SCOPES
        word = scope[1]
        steps += scope_steps(word, scopes, " of a fence")
        words.append(Word(*scope.span(1), lambda taken: scope_left(word, scopes, taken)))
    last = Step("fence", "fence", frozenset({"seq_cst"} & {step.name for step in steps}))
    return removable(source, code, at, (*steps, last), tuple(words), frozenset({"fence"}))


def _cluster_arrival(source: Source, code: str, found: Match[str], at: tuple[int, int]) -> Place:
    """An arrival at the barrier of a cluster: without release, and gone with the wait behind it."""
    relaxed = "sem_relaxed" in code[slice(*at)]
    first = () if relaxed else (Step("release", "release"),)
    word = Word(
        found.end(), at[1] - 1, lambda taken: f"{found['prefix']}sem_relaxed" if "release" in taken else written
    )
    written = source.text[found.end() : at[1] - 1]
    words = (word,) if first else ()
    wait = _CLUSTER_WAIT.search(code, at[1])
    if wait is None or not code[at[1] :].lstrip().startswith(";"):
        return Place(source.span(*at), first, words)
    last = Step("barrier", "barrier of a cluster", frozenset(step.name for step in first))
    whole = removal(source, code, at[0], code.index(";", at[1]) + 1)
    beside = (removal(source, code, *wait.span()),)
    return Place(source.span(*at), (*first, last), words, whole, frozenset({"barrier"}), beside)


def _mbarrier(source: Source, code: str, found: Match[str], end: int) -> Iterator[Place]:
    """The order and scope of an operation on an mbarrier, which are a release or acquire of the block where none is
    written."""
    arrives = "arrive" in found["name"]
    may = frozenset({"release" if arrives else "acquire"})
    sem = _SEM.search(code, found.end(), end)
    if sem is not None:
        steps = order_steps(sem[1], may)
        yield word_place(source, steps, sem.span(1), partial(order_left, steps))
        if (scope := _SCOPE.search(code, found.end(), end)) is not None and scope[1] == "cluster":
            yield scope_place(source, scope.span(1), PTX_CLUSTER, "cluster")
    elif "sem_relaxed" not in code[found.end() : end]:
        prefix = found["prefix"]
        given = f"{prefix}sem_relaxed, {prefix}scope_cta, " + (f"{prefix}space_shared, " if arrives else "")
        steps = order_steps(next(iter(may)), may)
        yield word_place(source, steps, (found.end(), found.end()), lambda taken: given if taken else "")
