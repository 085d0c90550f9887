"""The final states of small PTX programs with proxies and aliases, by enumeration of their executions.

Written from "Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model" (Lustig, Cooksey and Giroux, ISCA 2022),
with causality over rf and fr alone, as the PTX ISA states it; not from scopec's model.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tests.oracles.enumerated import (
    Candidate,
    Event,
    Op,
    Rel,
    State,
    acyclic,
    candidates,
    final,
    from_reads,
    partial_orders,
    plus,
    then,
)


def mixed(
    threads: Sequence[Sequence[Op]], places: Sequence[tuple[int, int]], domain: Sequence[int]
) -> dict[State, bool]:
    """The final states, and whether an execution of each races; ``places`` are the block and the device of each thread."""
    found: dict[State, bool] = {}
    for c, rf in candidates(threads, domain):
        if not acyclic(rf | c.dep):
            continue
        ms = _morally_strong(c, places)
        observation = plus((rf & ms) | c.rmw) if c.rmw else plus(rf & ms)
        observed = {(a, b) for a, b in observation if (c.events[a].kind, c.events[b].kind) == ("W", "R")}
        sync = then(then(_releases(c), observed), _acquires(c)) & ms
        fences = [p for p in itertools.combinations([f for f in c.of("F") if c.events[f].order == "sc"], 2) if p in ms]
        for turned in itertools.product((False, True), repeat=len(fences)):
            order = plus((b, a) if turn else (a, b) for (a, b), turn in zip(fences, turned, strict=True))
            base = _base_causality(c, sync | order)
            preserved = _preserved(c, base, places)
            cause = preserved | then(observed, preserved)
            if not acyclic(order) or any((b, a) in base for a, b in order) or any((b, a) in cause for a, b in rf):
                continue
            for co in partial_orders(c):
                if _consistent(c, rf, co, ms, cause):
                    racy = _races(c, ms, cause)
                    last = [[w for w in c.of("W") if c.same(w, i) and not any(a == w for a, _ in co)] for i in (0, 1)]
                    for state in (final(c, chosen) for chosen in itertools.product(*last)):
                        found[state] = found.get(state, False) or racy
    return found


def _overlap(c: Candidate, a: int, b: int) -> bool:
    """Whether two operations specify one virtual address."""
    return c.same(a, b) and c.events[a].address == c.events[b].address


def _morally_strong(c: Candidate, places: Sequence[tuple[int, int]]) -> Rel:
    def includes(a: Event, b: Event) -> bool:
        here, there = places[a.thread], places[b.thread]
        return a.thread == b.thread or {"cta": here == there, "gpu": here[1] == there[1], "sys": True}[a.scope]

    found: Rel = set()
    for (m, a), (n, b) in itertools.permutations(enumerate(c.events), 2):
        if "P" in (a.kind, b.kind) or min(a.thread, b.thread) < 0:
            continue
        strong = a.order != "" != b.order and includes(a, b) and includes(b, a)
        if (a.thread == b.thread or strong) and ("F" in (a.kind, b.kind) or c.same_path(m, n)):
            found.add((m, n))
    return found


def _releases(c: Candidate) -> Rel:
    strong = [n for n in c.of("W") if c.events[n].order]
    own = {(w, v) for w in strong for v in strong if w == v or ((w, v) in c.po and c.same_path(w, v))}
    after = {(f, w) for f in c.of("F") for w in strong if c.events[f].order != "acquire" and (f, w) in c.po}
    return {(w, v) for w, v in own if c.events[w].order in ("release", "acq_rel")} | after


def _acquires(c: Candidate) -> Rel:
    strong = [n for n in c.of("R") if c.events[n].order]
    own = {(r, q) for r in strong for q in strong if r == q or ((r, q) in c.po and c.same_path(r, q))}
    before = {(r, f) for f in c.of("F") for r in strong if c.events[f].order != "release" and (r, f) in c.po}
    return {(r, q) for r, q in own if c.events[q].order in ("acquire", "acq_rel")} | before


def _base_causality(c: Candidate, synchronized: Rel) -> Rel:
    """Program order, what synchronizes, and the initial writes before all; closed."""
    initial = {(i, n) for i in (0, 1) for n in range(2, len(c.events))}
    return plus(c.po | synchronized | initial)


def _preserved(c: Candidate, base: Rel, places: Sequence[tuple[int, int]]) -> Rel:
    """The nine cases of the paper's proxy-preserved base causality."""

    def acts_on(fence: int, access: int) -> bool:
        f, a = c.events[fence], c.events[access]
        return f.kind == "P" and a.thread >= 0 and f.proxy == a.proxy and places[f.thread] == places[a.thread]

    def block(a: int, b: int) -> bool:
        return min(c.events[a].thread, c.events[b].thread) >= 0 and (
            places[c.events[a].thread] == places[c.events[b].thread]
        )

    accesses = [n for n, e in enumerate(c.events) if e.kind in "RW"]
    generic = [n for n in accesses if c.events[n].proxy == "generic"]
    aliases = [n for n in c.of("P") if c.events[n].proxy == "alias"]
    left = {(a, f) for a, f in base if a in accesses and acts_on(f, a)}
    entered = {(f, a) for f, a in base if a in accesses and acts_on(f, a)}
    by_alias = then(base, {(f, b) for f, b in base if f in aliases})
    found: Rel = set()
    for whole, meets in ((base, _overlap), (by_alias, Candidate.same)):
        from_generic = {(a, b) for a, b in whole if a in generic}
        paths = {(a, b) for a, b in from_generic if b in generic}
        paths |= then(left, {(a, b) for a, b in whole if b in generic})
        paths |= then(from_generic, entered) | then(then(left, whole), entered)
        if whole is base:
            paths |= {(a, b) for a, b in base if c.same_path(a, b) and block(a, b)}
        found |= {(a, b) for a, b in paths if a in accesses and b in accesses and meets(c, a, b)}
    return found


def _consistent(c: Candidate, rf: Rel, co: Rel, ms: Rel, cause: Rel) -> bool:
    fr, writes = from_reads(rf, co), set(c.of("W"))
    return (
        all((a, b) in co or (b, a) in co for a, b in ms if {a, b} <= writes)
        and all((a, b) in co for a, b in cause if {a, b} <= writes)
        and not c.rmw & then(fr & ms, co & ms)
        and acyclic((rf | co | fr) & ms | {(a, b) for a, b in c.po if c.same_path(a, b)})
        and not any((b, a) in cause for a, b in fr)
    )


def _races(c: Candidate, ms: Rel, cause: Rel) -> bool:
    return any(
        c.same(m, n) and "W" in (a.kind, b.kind) and a.thread != b.thread and not {(m, n), (n, m)} & (cause | ms)
        for (m, a), (n, b) in itertools.combinations(enumerate(c.events), 2)
        if min(a.thread, b.thread) >= 0
    )
