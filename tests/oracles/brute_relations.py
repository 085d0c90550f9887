"""Relations between events of the brute-force checker of memory (``brute_memory``): their algebra, scopes and atomicity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.oracles.brute_programs import Event, Fence, Load, Op, Program, Rel, Store

# ---------------------------------------------------------------- relations


def compose(r: Rel, s: Rel) -> Rel:
    """r ; s"""
    successors: dict[Event, list[Event]] = {}
    for a, b in s:
        successors.setdefault(a, []).append(b)
    return {(a, c) for a, b in r for c in successors.get(b, [])}


def sequence(first: Rel, *rest: Rel) -> Rel:
    """first ; second ; third ..."""
    result = first
    for r in rest:
        result = compose(result, r)
    return result


def inverse(r: Rel) -> Rel:
    return {(b, a) for a, b in r}


def closure(r: Rel) -> Rel:
    """r+"""
    result = set(r)
    while True:
        more = result | compose(result, r)
        if more == result:
            return result
        result = more


def irreflexive(r: Rel) -> bool:
    return all(a is not b for a, b in r)


def acyclic(r: Rel) -> bool:
    return irreflexive(closure(r))


def identity(events: Iterable[Event]) -> Rel:
    """[S] of cat."""
    return {(e, e) for e in events}


# ---------------------------------------------------------------- scopes and atomicity


def scope_includes(program: Program, e: Event, other: int) -> bool:
    """Does the scope of e include the thread number `other`?  The document, "Scope Relationships"."""
    if e.thread == other:
        return True  # "Each thread is related to itself by the thread thread scope", and by every wider one
    mine, theirs = program.threads[e.thread], program.threads[other]
    if e.scope == "system":
        return True  # "Each thread in the system is related to each other thread in the system"
    if mine.kind != "device" or theirs.kind != "device":
        return False  # the note: "a host thread's block or device scope contains itself alone"
    if e.scope == "device":
        return mine.device == theirs.device  # "each other GPU thread in the same CUDA device" (one domain a device)
    if e.scope == "block":
        return (mine.device, mine.block) == (theirs.device, theirs.block)  # "in the same CUDA thread block"
    return False


def inclusion(program: Program, events: Iterable[Event]) -> Rel:
    """incl: "holds for two events when each one's scope includes the other's thread"; not for initial writes."""
    threads = [e for e in events if e.thread >= 0]
    return {
        (a, b)
        for a in threads
        for b in threads
        if scope_includes(program, a, b.thread) and scope_includes(program, b, a.thread)
    }


def is_atomic(program: Program, op: Op, version: int, given: Mapping[str, int]) -> bool:
    """The document, "Atomicity"; the note's table.  "Who accesses it" is taken statically, as the note says."""
    if isinstance(op, Fence) or op.order is None:
        return False
    if op.scope != "system":
        return True  # "it specifies a scope other than thread_scope_system"
    loc = program.locations[op.loc]
    users = [t for t in program.threads if any(not isinstance(o, Fence) and o.loc == op.loc for o in t.ops)]
    devices = {t.device for t in users if t.kind == "device"}
    if not devices:
        return True  # the note: "Objects that only host threads access are ordinary C++ objects"
    if loc.storage == "managed":
        return given["concurrentManagedAccess"] == 1
    if loc.storage == "system":
        if version == 3:
            return given["pageableMemoryAccess"] == 1
        # CHOICE: v1 and v2 do not name system-allocated memory; it is unified memory and CPU memory, either clause does
        return given["concurrentManagedAccess"] == 1 or given["hostNativeAtomicSupported"] == 1
    if loc.storage == "mapped":
        sizes = {1: (), 2: (1, 2, 4, 8), 3: (1, 2, 4, 8, 16)}[version]
        simple = isinstance(op, Load | Store)  # "it is a load or store that affects a naturally-aligned object"
        return given["hostNativeAtomicSupported"] == 1 or (simple and loc.size in sizes)
    if loc.storage != "device":
        raise ValueError(f"unknown storage {loc.storage}")
    if any(t.kind == "host" for t in users):
        return False  # "only GPU threads access it"
    if version == 1:
        return is_peer_memory(devices)
    if version == 2:
        return True
    return len(devices) == 1 or given["p2pNativeAtomicSupported"] == 1


def is_peer_memory(devices: set[int]) -> bool:
    """v1: "an object in GPU peer memory".  CHOICE: the owner is not an input.  With two devices one of them is a peer,
    whichever owns the memory; with one device the memory is taken to be its own, which is not peer memory."""
    return len(devices) > 1
