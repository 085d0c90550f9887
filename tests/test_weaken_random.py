"""Random handovers, weakened: each proposal holds when it is checked afresh, and nothing more can be taken from it."""

from __future__ import annotations

import random
from itertools import product
from math import prod
from pathlib import Path

import pytest

from scopec.advice.places import places
from scopec.advice.steps import Place
from scopec.advice.weaken import weaken
from scopec.base.source import Source, Span
from scopec.explain.fixes import replaced
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.samples import programs

#: More texts than these are not asked for one program.
MOST = 100


def asked(path: Path, text: str, reader: str = "scoped") -> int:
    path.write_text(text, encoding="utf-8")
    (outcome,) = check([path], Settings(Overrides(reader=reader), engine="embedded"))
    return outcome.exit_code


_FENCE = "cuda::atomic_thread_fence(cuda::memory_order_{}, cuda::thread_scope_{});"
_REF = "cuda::atomic_ref<int, cuda::thread_scope_{}>({})"


def handover(chance: random.Random) -> str:
    """Data handed over by a flag to a reader, or by way of a relay, with enough order and scope, and mostly more."""

    def scope() -> str:
        return chance.choice(["device", "system"])

    def fence(strong: str) -> str:
        return _FENCE.format(chance.choice([strong, "acq_rel", "seq_cst"]), scope())

    def released(flag: str) -> list[str]:
        by = chance.choice(["order", "fence", "both"])
        order = "relaxed" if by == "fence" else chance.choice(["release", "seq_cst"])
        call = f"{_REF.format(scope(), flag)}.store(1, cuda::memory_order_{order});"
        if chance.random() < 0.3:
            order = "relaxed" if by == "fence" else chance.choice(["release", "acq_rel", "seq_cst"])
            call = f"{_REF.format(scope(), flag)}.exchange(1, cuda::memory_order_{order});"
        return [*([fence("release")] if by != "order" else []), call]

    def acquired(flag: str, then: list[str]) -> list[str]:
        by = chance.choice(["order", "fence", "both"])
        order = "relaxed" if by == "fence" else chance.choice(["acquire", "seq_cst"])
        call = f"if ({_REF.format(scope(), flag)}.load(cuda::memory_order_{order}) == 1) {{"
        return [call, *([fence("acquire")] if by != "order" else []), *then, "}"]

    relay = chance.random() < 0.3
    threads = [["x = 1;", *released("y")], acquired("z" if relay else "y", ["r = x;"])]
    if relay:
        threads.append(acquired("y", released("z")))
    blocks = len(threads)
    lines = ["__device__ int x = 0, y = 0, z = 0;", "__global__ void k() {", "int r = 1;"]
    for block, body in enumerate(threads):
        lines += [f"if (blockIdx.x == {block}) {{", *body, "}"]
    expected = ["expect race_free;", "expect required k[1][0].r == 1;"]
    return "\n".join([*lines, "}", *(f"//@ {one}" for one in [f"launch k<<<{blocks}, 1>>>();", *expected]), ""])


@pytest.mark.parametrize("seed", range(programs(6, 200)))
@pytest.mark.sampled(1)
def test_proposals_hold_and_are_the_weakest(seed: int, tmp_path: Path) -> None:
    chance, path = random.Random(f"weaken {seed}"), tmp_path / "p.cu"
    text = handover(chance)
    assert asked(path, text) == 0
    of = weaken(path, Settings(Overrides(reader="scoped"), engine="embedded"), most=32)
    assert of.whole
    source = Source(str(path), text)
    found = {replaced(source, one.changes) for one in of.proposals}
    assert all(asked(path, one) == 0 for one in found)
    if any(one.before.holds for one in of.larger):
        return  # what a larger launch refutes is not the weakest here
    inert = {place.span for place in of.inert}
    ways = [[(p, taken) for taken in subsets(p)] for p in places(source) if p.span not in inert]
    if prod(map(len, ways)) > MOST:
        return
    holds: dict[frozenset[tuple[Span, str]], str] = {}
    for way in product(*ways):
        changed = replaced(source, [one for p, taken in way for one in p.changes(source, taken)])
        if asked(path, changed) == 0:
            holds[frozenset((p.span, name) for p, taken in way for name in taken)] = changed
    assert found == {changed for one, changed in holds.items() if one and not any(one < other for other in holds)}


def subsets(place: Place) -> list[frozenset[str]]:
    """Every set of steps that one place can take."""
    found: list[frozenset[str]] = [frozenset()]
    for step in place.steps:
        found += [one | {step.name} for one in found if step.needs <= one]
    return list(dict.fromkeys(found))
