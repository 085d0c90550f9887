"""Random litmus files under RC11 and the PTX model: final states, and numbers of executions, as enumeration finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scopec.session.check import Settings, check
from scopec.session.final_states import Listing, listings
from scopec.session.plan import Overrides
from tests.oracles.enumerated import LOCATIONS, Beside, Item, Op, State, early, ptx, rc11
from tests.samples import programs

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = programs(12, 40)
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(COUNT))
def test_rc11(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    threads = next(t for t in iter(lambda: c_program(chance), None) if small(t))
    bodies = (" ".join(map(c_statement, ops)) for ops in threads)
    program = "\n".join(f"P{n} (atomic_int* x, atomic_int* y) {{ {body} }}" for n, body in enumerate(bodies))
    text = f"C random\n{{}}\n{program}\nexists true\n"
    found = states_of(text, "rc11", tmp_path)
    states, undefined = rc11(threads, domain(threads))
    assert not undefined
    assert {named(dict(s.values)): (s.executions, s.racy) for s in found.states} == states, text


# ---------------------------------------------------------------- operands in no order, and operations without a result


def c_threads(chance: Random) -> list[list[Item]]:
    numbers, kinds, preferred = iter(range(100)), chance.choice(_KINDS), chance.choice(_ORDERS)

    def op(at: str) -> Op:
        made = c_op(chance, f"r{next(numbers)}", at, kinds, preferred)
        return replace(made, divides=made.kind == "load" and made.then is None and chance.random() < 0.25)

    def item(depth: int) -> Item:
        if chance.random() < 0.4 or not depth:
            return op(chance.choice(LOCATIONS))
        counts = [chance.choice((1, 1, 2)) for _ in range(chance.choice((2, 2, 3)))]
        return Beside(tuple(tuple(item(depth - 1) for _ in range(count)) for count in counts))

    return [[item(2) for _ in range(chance.randint(1, 2))] for _ in range(2)]


def flat(items: Iterable[Item]) -> Iterator[Op]:
    for item in items:
        if isinstance(item, Beside):
            for operand in item.operands:
                yield from flat(operand)
        else:
            yield item


def c_expression(item: Item) -> str:
    """An expression that does what an item does; its value is of no interest."""
    if isinstance(item, Beside):
        return "(" + " + ".join(f"({', '.join(map(c_expression, operand))})" for operand in item.operands) + ")"
    order = f"memory_order_{item.order}"
    if item.kind in ("fence", "store"):
        return f"({c_statement(item)[:-1]}, 0)" if item.order else f"({c_statement(item)[:-1]})"
    if item.kind == "cas":
        call = f"{item.location}, &{item.register}, {item.value}, {order}, memory_order_{item.failure}"
        return f"({item.register} = {item.expected}, atomic_compare_exchange_strong_explicit({call}))"
    read = replace(item, then=None, divides=False)
    value = c_statement(read)[:-1].partition(" = ")[2]
    assigned = f"({item.register} = {value})"
    if item.divides:
        return f"(6 / {assigned})"
    return assigned if item.then is None else f"({assigned} == {item.expected} && {c_expression(item.then)})"


def c_function(number: int, items: Sequence[Item]) -> str:
    registers = [op.register for op in flat(items) if op.register]
    declared = f"int {', '.join(registers)}; " if registers else ""
    body = declared + " ".join(f"{c_expression(item)};" for item in items)
    return f"P{number} (atomic_int* x, atomic_int* y) {{ {body} }}"


def operands(seed: int) -> tuple[list[list[Item]], str]:
    """Threads, and the file that they are in."""
    chance = Random(20_000 + seed)
    threads = next(t for t in iter(lambda: c_threads(chance), None) if small([list(flat(items)) for items in t]))
    program = "\n".join(c_function(n, items) for n, items in enumerate(threads))
    return threads, f"C random\n{{}}\n{program}\nexists true\n"


@pytest.mark.jvm
def test_both_engines_agree_about_operands(tmp_path: Path) -> None:
    paths = [tmp_path / f"{seed}.litmus" for seed in range(COUNT, COUNT + max(12, COUNT // 4))]
    for seed, path in enumerate(paths, start=COUNT):
        path.write_text(operands(seed)[1])
    assert [o.failure for o in check(paths, Settings(engine="both", cache=False)) if o.failure] == []


@pytest.mark.parametrize("seed", range(COUNT))
def test_operands(seed: int, tmp_path: Path) -> None:
    """A register that is not set on the way taken is 0 in a litmus file."""
    threads, text = operands(seed)
    found = states_of(text, "rc11", tmp_path)
    states, undefined = rc11(threads, domain([list(flat(items)) for items in threads]))
    unset = {f"{n}:{op.register}": 0 for n, items in enumerate(threads) for op in flat(items) if op.register}
    wanted: dict[State, tuple[int, bool]] = {}
    for state, (number, racy) in states.items():
        whole = tuple(sorted({**unset, **dict(state)}.items()))
        before = wanted.get(whole, (0, False))
        wanted[whole] = before[0] + number, before[1] or racy
    assert {named(dict(s.values)): (s.executions, s.racy) for s in found.states} == wanted, text
    assert any("the program is undefined, and executions" in r for r in found.remarks) == undefined, text


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
    orders = {"store": ("", "relaxed", "release"), "load": ("", "relaxed", "acquire")}
    orders["fence"] = ("acq_rel", "acquire", "release", "sc", "sc")
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


def agree(threads: Sequence[Sequence[Op]], where: Sequence[tuple[int, int]], tmp_path: Path) -> None:
    """What compilers do is the text about programs whose weak loads come as early as compilers make them."""
    rows = [" | ".join(f"P{n}@cta {block},gpu {gpu}" for n, (block, gpu) in enumerate(where))]
    columns = [[ptx_instruction(op) for op in ops] for ops in threads]
    for row in range(max(map(len, columns))):
        rows.append(" | ".join(column[row] if row < len(column) else "" for column in columns))
    text = "PTX random\n{ x = 0; y = 0; }\n" + "".join(f"{row} ;\n" for row in rows)
    for weak_loads, made in (("isa", threads), ("compiled", [early(ops) for ops in threads])):
        options = f"//@ options thin_air = syntactic, weak_loads = {weak_loads};\nexists true\n"
        found = states_of(text + options, "ptx", tmp_path)
        assert {named(dict(s.values)): s.racy for s in found.states} == ptx(made, where, domain(threads)), text


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(COUNT))
def test_ptx(seed: int, tmp_path: Path) -> None:
    chance = Random(10_000 + seed)
    threads = next(t for t in iter(lambda: ptx_program(chance), None) if small(t))
    where = [(chance.randint(0, 1), chance.choice((0, 0, 0, 1))) for _ in threads]
    agree(threads, where, tmp_path)


def reading(chance: Random) -> tuple[list[list[Op]], list[tuple[int, int]]]:
    """A thread that writes a location, and one that reads it relaxed and weak, with something before, between or behind."""
    orders = ("relaxed", "release")
    writes = [Op("store", "x", chance.choice(orders), chance.choice(("gpu", "sys")), "", n + 1) for n in range(2)]
    reads = [Op("load", "x", "relaxed", chance.choice(("gpu", "gpu", "cta")), "r0"), Op("load", "x", "", "gpu", "r1")]
    more = ptx_ops(chance, "r2", chance.choice(LOCATIONS), ("load", "load", "store", "add", "fence"))
    at = chance.choice((0, 1, 1, 1, 2))
    return [writes[chance.randint(0, 1) :], [*reads[:at], *more, *reads[at:]]], [(0, 0), (chance.randint(0, 1), 0)]


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(6)
def test_weak_loads_of_ptx(seed: int, tmp_path: Path) -> None:
    agree(*reading(Random(seed)), tmp_path)


@pytest.mark.sampled(0)
def test_some_weak_loads_make_a_difference() -> None:
    kept, more = 0, 0
    for seed in range(60):
        threads, where = reading(Random(seed))
        text, compiled = (ptx(t, where, domain(threads)) for t in (threads, [early(ops) for ops in threads]))
        assert text.keys() <= compiled.keys()
        kept, more = kept + (text == compiled), more + (len(text) < len(compiled))
    assert min(kept, more) >= 10
