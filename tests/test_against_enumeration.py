"""Random litmus files under RC11 and the PTX model: final states, and numbers of executions, as enumeration finds them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from scopec.check import Settings
from scopec.outcomes import Listing, listings
from scopec.plan import Overrides
from tests.oracles.enumerated import LOCATIONS, Op, State, ptx, rc11

COUNT = int(os.environ.get("SCOPEC_RANDOM_PROGRAMS", "40"))
_READS = ("load", "add", "exchange", "cas")


def states_of(text: str, model: str, tmp_path: Path) -> Listing:
    path = tmp_path / "random.litmus"
    path.write_text(text)
    (found,), _ = listings(path, Settings(engine="embedded", overrides=Overrides(model=model)), 100_000)
    return found


def named(values: dict[str, int]) -> State:
    """A final state with the locations that nobody accesses."""
    return tuple(sorted({**dict.fromkeys(LOCATIONS, 0), **values}.items()))


def small(threads: Sequence[Sequence[Op]]) -> bool:
    """Whether enumeration takes no more than about a second."""
    ops = [op for thread in threads for op in thread]
    reads, adds = sum(op.kind in _READS for op in ops), sum(op.kind == "add" for op in ops)
    writes = sum(op.kind not in ("load", "fence") or op.then is not None for op in ops)
    return reads <= 4 and writes <= 5 and (not adds or reads <= 3) and adds <= 2


def domain(threads: Sequence[Sequence[Op]]) -> Sequence[int]:
    return range(8) if any(op.kind == "add" for thread in threads for op in thread) else range(4)


# ---------------------------------------------------------------- C


#: Programs of few kinds and few orders have more cycles that an axiom forbids.
_KINDS = (
    ("store", "load"),
    ("store", "load", "fence"),
    ("store", "store", "load", "load", "add", "exchange", "cas", "fence"),
)
_ORDERS = (("seq_cst",), ("seq_cst", "relaxed"), ("", "relaxed", "release", "acquire", "acq_rel"), ())


def c_program(chance: Random) -> list[list[Op]]:
    count = chance.choice((2, 2, 3))
    numbers, kinds, preferred = iter(range(100)), chance.choice(_KINDS), chance.choice(_ORDERS)
    return [
        [c_op(chance, f"r{next(numbers)}", at, kinds, preferred) for at in places(chance, count)] for _ in range(count)
    ]


def places(chance: Random, threads: int) -> list[str]:
    """The locations that a thread's operations access, mostly in turn."""
    start, turns = chance.randint(0, 1), chance.random() < 0.7
    return [
        LOCATIONS[(start + n) % 2] if turns else chance.choice(LOCATIONS) for n in range(chance.randint(2, 5 - threads))
    ]


def c_op(chance: Random, register: str, at: str, kinds: Sequence[str], preferred: Sequence[str]) -> Op:
    kind = chance.choice(kinds)
    loads, stores = ("", "relaxed", "acquire", "seq_cst"), ("", "relaxed", "release", "seq_cst")
    orders = {"store": stores, "load": loads, "fence": ("acquire", "release", "acq_rel", "seq_cst")}
    possible = orders.get(kind, ("relaxed", "acquire", "release", "acq_rel", "seq_cst"))
    order = chance.choice([o for o in possible if o in preferred] or possible)
    if kind == "fence":
        return Op(kind, order=order)
    op = Op(kind, at, order, register=register, value=chance.randint(1, 2))
    if kind == "cas":
        return Op(kind, op.location, order, "", register, op.value, chance.randint(0, 2), chance.choice(loads[1:]))
    if kind == "load" and chance.random() < 0.3:
        inner = Op("store", chance.choice(LOCATIONS), chance.choice(stores), value=chance.randint(1, 3))
        return Op(kind, op.location, order, "", register, expected=chance.randint(0, 2), then=inner)
    return op


def c_statement(op: Op) -> str:
    order = f"memory_order_{op.order}"
    match op.kind:
        case "fence":
            return f"atomic_thread_fence({order});"
        case "store" if op.order:
            return f"atomic_store_explicit({op.location}, {op.value}, {order});"
        case "store":
            return f"*{op.location} = {op.value};"
        case "load":
            value = f"atomic_load_explicit({op.location}, {order})" if op.order else f"*{op.location}"
            inner = f" if ({op.register} == {op.expected}) {{ {c_statement(op.then)} }}" if op.then else ""
            return f"int {op.register} = {value};{inner}"
        case "cas":
            call = f"{op.location}, &{op.register}, {op.value}, {order}, memory_order_{op.failure}"
            return f"int {op.register} = {op.expected}; atomic_compare_exchange_strong_explicit({call});"
        case kind:
            function = {"add": "fetch_add", "exchange": "exchange"}[kind]
            return f"int {op.register} = atomic_{function}_explicit({op.location}, {op.value}, {order});"


@pytest.mark.parametrize("seed", range(COUNT))
def test_rc11(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    threads = next(t for t in iter(lambda: c_program(chance), None) if small(t))
    bodies = (" ".join(map(c_statement, ops)) for ops in threads)
    program = "\n".join(f"P{n} (atomic_int* x, atomic_int* y) {{ {body} }}" for n, body in enumerate(bodies))
    text = f"C random\n{{}}\n{program}\nexists true\n"
    found = states_of(text, "rc11", tmp_path)
    assert {named(dict(s.values)): (s.executions, s.racy) for s in found.states} == rc11(threads, domain(threads)), text


# ---------------------------------------------------------------- PTX


def ptx_program(chance: Random) -> list[list[Op]]:
    count = chance.choice((2, 2, 3))
    numbers, kinds = (
        iter(range(100)),
        chance.choice((*_KINDS[:2], ("store", "load", "add", "exchange", "fence", "copy"))),
    )
    return [
        [op for at in places(chance, count) for op in ptx_ops(chance, f"r{next(numbers)}", at, kinds)]
        for _ in range(count)
    ]


def ptx_ops(chance: Random, register: str, at: str, kinds: Sequence[str]) -> list[Op]:
    kind = chance.choice(kinds)
    orders = {"store": ("", "relaxed", "release"), "load": ("", "relaxed", "acquire"), "fence": ("acq_rel", "sc", "sc")}
    orders["copy"] = orders["load"]
    order = chance.choice(orders.get(kind, ("relaxed", "acquire", "release", "acq_rel")))
    scope = chance.choice(("cta", "gpu", "sys"))
    location = at if kind != "fence" else ""
    if kind == "copy":
        stored = Op("store", chance.choice(LOCATIONS), chance.choice(("", "relaxed")), scope, register, copies=True)
        return [Op("load", location, order, scope, register), stored]
    return [Op(kind, location, order, scope, register, chance.randint(1, 2))]


def ptx_instruction(op: Op) -> str:
    mode = f"{op.order}.{op.scope}" if op.order else "weak"
    match op.kind:
        case "fence":
            return f"fence.{mode}"
        case "store":
            return f"st.{mode} {op.location}, {op.register if op.copies else op.value}"
        case "load":
            return f"ld.{mode} {op.register}, {op.location}"
        case kind:
            short = {"add": "add", "exchange": "exch"}[kind]
            return f"atom.{mode}.{short} {op.register}, {op.location}, {op.value}"


@pytest.mark.parametrize("seed", range(COUNT))
def test_ptx(seed: int, tmp_path: Path) -> None:
    chance = Random(10_000 + seed)
    threads = next(t for t in iter(lambda: ptx_program(chance), None) if small(t))
    where = [(chance.randint(0, 1), chance.choice((0, 0, 0, 1))) for _ in threads]
    rows = [" | ".join(f"P{n}@cta {block},gpu {gpu}" for n, (block, gpu) in enumerate(where))]
    columns = [[ptx_instruction(op) for op in ops] for ops in threads]
    for row in range(max(map(len, columns))):
        rows.append(" | ".join(column[row] if row < len(column) else "" for column in columns))
    published = "//@ options thin_air = syntactic;\nexists true\n"
    text = "PTX random\n{ x = 0; y = 0; }\n" + "".join(f"{row} ;\n" for row in rows) + published
    found = states_of(text, "ptx", tmp_path)
    assert {named(dict(s.values)): s.racy for s in found.states} == ptx(threads, where, domain(threads)), text
