"""Proxies and aliases of PTX: against enumeration, against each other, and what is not read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from scopec.base.resources import resource
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.oracles.enumerated import Op
from tests.oracles.mixed_proxies import mixed
from tests.samples import EVERY, programs
from tests.test_against_enumeration import domain, named, small, states_of

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = programs(6, 60)
#: Names by which x and y are accessed: the location, the proxy, the virtual address.
_NAMES = {
    "x": ("x", "generic", ""),
    "v": ("x", "generic", "v"),
    "s": ("x", "surface", ""),
    "t": ("x", "texture", ""),
    "u": ("x", "surface", "v"),
    "y": ("y", "generic", ""),
    "w": ("y", "surface", ""),
}
_DECLARED = (
    "x = 0; y = 0; v @ generic aliases x; s @ surface aliases x; t @ texture aliases x; u @ surface aliases v; "
    "w @ surface aliases y;"
)
_LOADS = {"generic": "ld", "surface": "suld", "texture": "tld"}
_STORES = {"generic": "st", "surface": "sust"}


def operation(chance: Random, register: str, names: Sequence[str]) -> Op:
    kind = chance.choice(("load", "store", "load", "store", "proxy", "proxy", "fence"))
    if kind == "proxy":
        return Op(kind, proxy=chance.choice(("surface", "surface", "texture", "alias")))
    scope = chance.choice(("cta", "gpu"))
    if kind == "fence":
        return Op(kind, "", chance.choice(("acq_rel", "sc")), scope)
    location, proxy, address = _NAMES[chance.choice(names)]
    if kind == "store" and proxy == "texture":
        proxy = "surface"
    orders = ("",) if proxy != "generic" else (("", "release") if kind == "store" else ("", "acquire"))
    return Op(
        kind, location, chance.choice(orders), scope, register, chance.randint(1, 2), proxy=proxy, address=address
    )


def one_thread(chance: Random) -> list[list[Op]]:
    return [[operation(chance, f"r{n}", ("x", "v", "s", "t", "u")) for n in range(chance.randint(3, 6))]]


def message(chance: Random) -> list[list[Op]]:
    """A message in x through some proxy, with proxy fences on the way; handed over by y, or by x as far as it is strong."""
    (_, out, by), (_, into, through) = (_NAMES[chance.choice(names)] for names in ("xvsu", "xvstu"))
    possible = ["alias", *(proxy for proxy in (out, into) if proxy != "generic")]

    def fences() -> list[Op]:
        return [Op("proxy", proxy=chance.choice(possible)) for _ in range(chance.randint(0, 2))]

    scope = chance.choice(("cta", "gpu"))
    seen = Op("load", "x", "", "", "r1", proxy=into, address=through)
    if chance.random() < 0.3:
        sent, found = Op("store", "x", "relaxed", scope, value=1), Op("load", "x", "relaxed", scope, "r0")
        return [[sent], [found, *fences(), seen]]
    sent = Op("store", "x", "", "", "", 1, proxy=out, address=by)
    flag, found = Op("store", "y", "release", scope, value=1), Op("load", "y", "acquire", scope, "r0")
    return [[sent, *fences(), flag], [found, *fences(), seen]]


def programs(seed: int) -> tuple[list[list[Op]], list[tuple[int, int]]]:
    chance = Random(30_000 + seed)
    threads: list[list[Op]] = []
    while not threads or not small(threads):
        kind = chance.choice(("one", "message", "message", "any"))
        if kind == "one":
            threads = one_thread(chance)
        elif kind == "message":
            threads = message(chance)
        else:
            names = [chance.choice(list(_NAMES)) for _ in range(3)]
            threads = [
                [operation(chance, f"r{10 * k + n}", names) for n in range(chance.randint(1, 3))] for k in range(2)
            ]
    return threads, [(chance.choice((0, 1)), 0) for _ in threads]


def instruction(op: Op) -> str:
    if op.kind == "proxy":
        return f"fence.proxy.{op.proxy}"
    mode = f"{op.order}.{op.scope}" if op.order else "weak"
    if op.kind == "fence":
        return f"fence.{mode}"
    name = next(name for name, known in _NAMES.items() if known == (op.location, op.proxy, op.address))
    if op.kind == "store":
        return f"{_STORES[op.proxy]}.{mode} {name}, {op.value}"
    return f"{_LOADS[op.proxy]}.{mode} {op.register}, {name}"


def text_of(threads: Sequence[Sequence[Op]], places: Sequence[tuple[int, int]]) -> str:
    rows = [" | ".join(f"P{n}@cta {block},gpu {gpu}" for n, (block, gpu) in enumerate(places))]
    columns = [[instruction(op) for op in ops] for ops in threads]
    for row in range(max(map(len, columns))):
        rows.append(" | ".join(column[row] if row < len(column) else "" for column in columns))
    head = f"PTX random\n{{ {_DECLARED} }}\n"
    return (
        head
        + "".join(f"{row} ;\n" for row in rows)
        + "//@ options thin_air = syntactic, weak_loads = isa;\nexists true\n"
    )


@pytest.mark.parametrize("seed", range(COUNT))
def test_against_enumeration(seed: int, tmp_path: Path) -> None:
    threads, places = programs(seed)
    text = text_of(threads, places)
    found = states_of(text, "ptx", tmp_path)
    assert {named(dict(s.values)): s.racy for s in found.states} == mixed(threads, places, domain(threads)), text


# ---------------------------------------------------------------- each part of the model is needed

#: Parts of ptx.cat, the model without them, and the first program that is known to notice.
_PARTS = {
    "one proxy, of what is morally strong": ("let same = loc & vloc & px", "let same = loc & vloc", 26),
    "one address, of what is morally strong": ("let same = loc & vloc & px", "let same = loc & px", 6),
    "program order": ("(po \\ loc) | kept | cause-base\n", "cause-base\n", 1),
    "one proxy in one block": ("loc & vloc & (px & scta & base | leaves", "loc & vloc & (leaves", 44),
    "its block": ("vloc & (px & scta & base |", "vloc & (px & base |", 73),
    "one address": ("loc & vloc & (px & scta & base", "loc & (px & scta & base", 6),
    "fences": ("(px & scta & base | leaves ; base ; enters)", "(px & scta & base | [GEN] ; base ; [GEN])", 63),
    "fences behind": ("let leaves = [GEN] | base & ([M] ; (px & scta) ; [PF])", "let leaves = [GEN]", 1),
    "fences ahead": ("let enters = [GEN] | base & ([PF] ; (px & scta) ; [M])", "let enters = [GEN]", 31),
    "the block of a fence behind": ("([M] ; (px & scta) ; [PF])", "([M] ; px ; [PF])", 240),
    "the block of a fence ahead": ("([PF] ; (px & scta) ; [M])", "([PF] ; px ; [M])", 110),
    "alias fences": ("| loc & (leaves ; base ; [ALIAS] ; base ; enters)", "", 1),
    "which fences are of aliases": ("base ; [ALIAS] ; base ; enters", "base ; [PF] ; base ; enters", 6),
    "observation": ("\n  let cause = preserved | obs ; preserved", "\n  let cause = preserved", 24),
}


@pytest.mark.parametrize("part", _PARTS)
def test_a_model_without_a_part_is_told(part: str, tmp_path: Path) -> None:
    whole, without, first = _PARTS[part]
    for file in Path(resource("memory/models")).iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    model = tmp_path / "ptx.cat"
    text = model.read_text()
    assert text.count(whole) == 1
    model.write_text(text.replace(whole, without))
    for seed in range(first, 400):
        threads, places = programs(seed)
        found = states_of(text_of(threads, places), str(model), tmp_path)
        if {named(dict(s.values)): s.racy for s in found.states} != mixed(threads, places, domain(threads)):
            return
    pytest.fail(f"no program notices the model without {part}")


# ---------------------------------------------------------------- what is not read

_HEAD = "PTX bad\n{ x = 0; s @ surface aliases x; }\n P0@cta 0,gpu 0 ;\n "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_HEAD + "ld.weak r0, s ;\nexists true\n", "`s` is accessed through the surface proxy"),
        (_HEAD + "mov r0, s ;\nexists true\n", "`s` is an alias, whose address is no value here"),
        (_HEAD + "fence.proxy.async ;\nexists true\n", "`fence.proxy.async` is outside the modelled subset"),
        ("PTX bad\n{ x = 0; s @ surfaces aliases x; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n", "no proxy `surfaces`"),
        ("PTX bad\n{ s @ surface aliases x; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, s ;\n", "there is no location `x`"),
        ("PTX bad\n{ x = 0; s @ surface alias x; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n", "`alias` is not a part"),
        ("PTX bad\n{ x = 0; y -> x; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, y ;\n", "`y -> x` is outside the modelled"),
        ("C bad\n{ x = 0; y @ generic aliases x; }\nP0(int *x) { *x = 1; }\n", "proxies are those of the PTX dialect"),
    ],
)
def test_what_is_not_read(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.litmus"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model="ptx")))
    (diagnostic,) = (d for d in outcome.diagnostics if d.severity == "error")
    assert message in diagnostic.message


_MESSAGE = _HEAD + "sust.weak s, 1 ;\nexists true\n"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (Overrides(model="cuda"), "the model `cuda-v3` knows nothing of proxies"),
        (Overrides(model="rc11"), "the model `rc11` knows nothing of proxies"),
        (Overrides(model="ptx", progress="cuda"), "nothing is stated about when a write becomes visible"),
    ],
)
def test_who_is_not_asked(overrides: Overrides, message: str, tmp_path: Path) -> None:
    path = tmp_path / "message.litmus"
    path.write_text(_MESSAGE)
    (outcome,) = check([path], Settings(engine="embedded", overrides=overrides))
    (diagnostic,) = (d for d in outcome.diagnostics if d.severity == "error")
    assert message in diagnostic.message


@pytest.mark.jvm
def test_both_engines_agree(tmp_path: Path) -> None:
    paths = [tmp_path / f"{seed}.litmus" for seed in range(COUNT, COUNT + (max(6, COUNT // 5) if EVERY else 2))]
    for seed, path in enumerate(paths, start=COUNT):
        path.write_text(text_of(*programs(seed)))
    settings = Settings(engine="both", cache=False, overrides=Overrides(model="ptx"))
    assert [o.failure for o in check(paths, settings) if o.failure] == []
