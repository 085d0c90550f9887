"""Verdicts of changed programs, with every reduction and without some.

Nothing, where names, idle threads, functions, inline assembly or the order of blocks are what is changed; and in one
direction alone where a fence is taken away, a scope widened or an order strengthened.  Programs are those of specs/ and
random ones, asked as they are and, changed, however small they are with reductions that change from one to the next.
``SCOPEC_RANDOM_PROGRAMS`` sets how many are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides
from scopec.session.reductions import REDUCTIONS
from tests import random_blocks
from tests.random_changes import Change, Effect, equal_or_less
from tests.random_programs import handover_program, memory_program, memory_text
from tests.samples import EVERY, programs
from tests.sizes import sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = programs(4, 24)
FIRST = int(os.environ.get("SCOPEC_FIRST_PROGRAM", "0"))
SPECS = Path(__file__).parent.parent / "specs"
_EVERY = frozenset(REDUCTIONS)
#: Of which expectations more executions or races take the verdict `holds` away; of the others fewer do.
_AGAINST = ("race_free", "forbidden", "required", "assertion")
_PROGRESS = ("terminates", "may_hang", "progresses", "may_stall")


@cache
def specs() -> list[Path]:
    return [p for p in sorted(SPECS.rglob("*.cu")) if "generated" not in p.parts]


def programs(seed: int) -> tuple[str, str]:
    """The name and the text of a program."""
    chance = Random(seed)
    match seed % 4:
        case 0:
            return f"blocks {seed}", random_blocks.text(seed)
        case 1:
            made = handover_program(chance) if chance.random() < 0.5 else memory_program(chance, 8)
            asked = [f"{chance.choice(['allowed', 'forbidden'])} x == {n % 3} && y == {n // 3}" for n in range(3)]
            return f"memory {seed}", memory_text(made, "".join(f"//@ expect {a};\n" for a in ["race_free", *asked]))
        case _:
            path = chance.choice(specs())
            return str(path.relative_to(SPECS)), path.read_text()


def reductions(seed: int) -> frozenset[str]:
    """Those that are switched off: none, all, or one."""
    choices = [frozenset[str](), _EVERY, *(frozenset({name}) for name in sorted(_EVERY))]
    return choices[seed % len(choices)]


#: In seconds; what is not known by then is not compared.
LIMIT = 60 if EVERY or "SCOPEC_RANDOM_PROGRAMS" in os.environ else 5


def asked(path: Path, text: str, without: frozenset[str] = frozenset()) -> Outcome:
    """What is said of a text, read by scopec itself, or else by way of clang, which takes longer."""
    path.write_text(text)
    for reader in ("scoped", "clang"):
        overrides = Overrides(ignore_races=True, without=without, reader=reader, cache=True)
        (outcome,) = check([path], Settings(overrides, engine="embedded", timeout=LIMIT, cache=False))
        if outcome.exit_code != 2:
            break
    return outcome


def disagreements(before: Outcome, after: Outcome, effect: Effect) -> Iterator[str]:
    """The verdicts that a change should have left as they were, or changed in the other direction alone."""
    one, other = ([[c for c in r.checks if not c.expectation.implicit] for r in o.reports] for o in (before, after))
    if [len(checks) for checks in one] != [len(checks) for checks in other]:
        yield f"{[len(c) for c in one]} checks become {[len(c) for c in other]}"
        return
    for checks, others in zip(one, other, strict=True):
        for a, b in zip(checks, others, strict=True):
            pair, kind = (a.verdict, b.verdict), a.expectation.kind
            allowed = {("holds", "holds"), ("violated", "violated")}
            if effect != "same" and kind not in _PROGRESS:
                lost = (kind in _AGAINST) is (effect == "more")
                allowed.add(("holds", "violated") if lost else ("violated", "holds"))
            if "unknown" not in pair and pair not in allowed and (effect == "same" or kind not in _PROGRESS):
                yield f"{a.expectation.text}: {pair[0]}, then {pair[1]}"


def tried(seed: int, path: Path, tally: Counter[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What is wrong with a program and its changes."""
    name, text = programs(seed)
    with monkeypatch.context() as patched:
        sizes(patched)
        before = asked(path, text)
    if before.failure is not None or before.exit_code == 2:
        tally["refused"] += 1
        return
    for change in list(equal_or_less(text, Random(seed)))[:3]:
        without = reductions(sum(tally.values()))
        with monkeypatch.context() as patched:
            sizes(patched, threads=0, events=0, meeting=16 * (seed % 2), many=0, values=0)
            after = asked(path, change.text, without)
        if after.failure is not None or after.exit_code == 2:
            tally[f"{change.kind} refused"] += 1
            continue
        tally[change.kind] += 1
        for wrong in disagreements(before, after, change.effect):
            off = "all" if without == _EVERY else ", ".join(without) or "none"
            yield f"{name}, {change.kind} (without {off}): {wrong}\n{change.text}"


def test_changes_that_mean_nothing_change_no_verdict_and_others_in_one_direction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally, found, seed = Counter[str](), list[str](), FIRST
    while sum(n for kind, n in tally.items() if "refused" not in kind) < COUNT:
        found += tried(seed, tmp_path / "program.cu", tally, monkeypatch)
        seed += 1
    print(dict(tally), f"up to program {seed}")
    assert not found, "\n\n".join(found)
    assert sum(n for kind, n in tally.items() if "refused" in kind) < COUNT // 4, tally


@pytest.mark.parametrize(
    ("effect", "before", "after", "expected"),
    [
        ("same", "holds", "violated", True),
        ("same", "unknown", "violated", False),
        ("more", "holds", "violated", False),
        ("more", "violated", "holds", True),
        ("fewer", "holds", "violated", True),
        ("fewer", "violated", "holds", False),
    ],
)
def test_a_verdict_that_changes_against_the_direction_is_noticed(
    effect: Effect, before: str, after: str, expected: bool, tmp_path: Path
) -> None:
    """Of an expectation that more executions contradict."""
    verdict = {
        "holds": "__device__ int x; __global__ void k() { if (threadIdx.x == 0) x = 1; }",
        "violated": "__device__ int x; __global__ void k() { x = 1; }",
        "unknown": "__device__ int x, n = 9; __global__ void k() { for (int i = 0; i < n; n = n + 1) ; }",
    }
    one, other = (
        asked(tmp_path / "p.cu", f"{verdict[v]}\n//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n")
        for v in (before, after)
    )
    if before == "unknown":
        return
    assert bool(list(disagreements(one, other, effect))) is expected


def test_every_kind_of_change_is_made() -> None:
    kinds = {change.kind for seed in range(60) for change in equal_or_less(programs(seed)[1], Random(seed))}
    assert len(kinds) == 10, kinds


def test_a_change_says_what_becomes_of_verdicts() -> None:
    text = "    __threadfence();\n"
    assert list(equal_or_less(text, Random(0))) == [Change("fence_less", "\n", "more")]
