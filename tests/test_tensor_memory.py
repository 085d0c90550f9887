"""Tensor memory: against a simulator that was written from the documents alone, and each rule by itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from scopec.base.resources import resource
from scopec.program.pipes import in_order
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.check import Result
from tests.random_mbarriers import with_results
from tests.random_tensor_memory import Parts, random_program, shown, simulated, text_of
from tests.samples import programs
from tests.test_mbarriers import verdicts

COUNT = programs(3, 150)
RING = Path(__file__).parent.parent / "specs" / "asynchronous" / "tensor-ring.cu"


@cache
def case(seed: int) -> tuple[Parts, dict[str, Result]]:
    """A program, and what the simulator finds."""
    return with_results(Random(seed), random_program, simulated)


def waits_again(parts: Parts) -> bool:
    """Whether a warp acquires at a mbarrier where it has waited without: in `ptx` that is one pattern, as the ISA says it,
    and the simulator has it only with fences."""
    for warp in range(len(parts[0])):
        relaxed = set()
        for one in (i for part in parts for i in part[warp] if isinstance(i, p.Wait)):
            if one.order == "acquire" and one.bar in relaxed:
                return True
            if one.order == "relaxed":
                relaxed.add(one.bar)
    return False


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_against_the_simulator(seed: int, tmp_path: Path) -> None:
    parts, found = case(seed)
    for model, given in verdicts(text_of(parts, "race_free under cuda, ptx"), tmp_path).items():
        words = found[model].words()
        if model == "ptx" and waits_again(parts):
            continue
        if "error" in words:
            assert "violated" in given.values(), (shown(parts), model, words, given)
        else:
            expected = "holds" if "race_free" in words else "violated"
            assert given["race_free"] == expected, (shown(parts), model, words, given)


@pytest.mark.parametrize(
    ("first", "then", "ordered"),
    [
        ("mma 0 128x64 0", "mma 0 128x64 0", True),
        ("mma 0 128x64 0", "mma 64 128x64 0", False),
        ("mma 0 128x64 0", "mma 0 128x64 1", False),
        ("cp", "mma 0 128x64 0", True),
        ("mma 0 128x64 0", "cp", False),
        ("shift", "mma 0 128x64 0", True),
        ("shift", "cp 4x256b", True),
        ("shift", "cp", False),
        ("mma 0 128x64 0", "shift", True),
        ("ld", "mma 0 128x64 0", False),
        ("st", "ld", False),
    ],
)
def test_pipelines(first: str, then: str, ordered: bool) -> None:
    """PTX ISA, "Pipelined tcgen05 Instructions"."""
    assert in_order(first, then) == ordered


# ---------------------------------------------------------------- each part of the models is needed

_MMA = p.TcMma(p.Span("s"), p.Span("t"))
_LD: list[p.Instruction] = [p.TcLoad(p.Span("t")), p.TcWait()]
_MADE: list[p.Instruction] = [p.Init("b0", 1), p.Init("b1", 1)]
_ARRIVE: list[p.Instruction] = [p.TcFence("before"), p.Arrive("b1", order="relaxed")]
_COMMIT: list[p.Instruction] = [p.TcCommit("b0"), p.Wait("b0", 0), p.TcFence("after")]
_OTHER: list[p.Instruction] = [p.Wait("b1", 0, order="relaxed"), p.TcFence("after")]
#: Programs that are free of races by one part of the models.
_PROGRAMS: dict[str, Parts] = {
    "own wait": [[_MADE], [[*_LD, _MMA, *_COMMIT]]],
    "commit": [[_MADE], [[_MMA, *_COMMIT, *_LD]]],
    "handed over": [[_MADE, []], [[_MMA, *_COMMIT, *_ARRIVE], [*_OTHER, *_LD]]],
    "pipeline": [[_MADE], [[_MMA, _MMA, *_COMMIT]]],
    "pipeline of two": [[_MADE, []], [[_MMA, *_ARRIVE, *_COMMIT[:2]], [*_OTHER, _MMA, p.TcCommit("b1")]],
                        [[p.Wait("b1", 1)], []]],
}  # fmt: skip
#: For each a part of the definition, and what is left without it.
_WITHOUT = {
    "own wait": ("; [TW] ; po | ended", "; [TW] ; (po & id) | ended"),
    "commit": ("| ended ; po ; [TA] ; po", ""),
    "handed over": ("(held | held ; [TB] ; executed ; [TA] ; po) ; start", "held ; start"),
    "pipeline": ("start^-1 ; (po | handed) ; start", "start^-1 ; handed ; start"),
    "pipeline of two": ("start^-1 ; (po | handed) ; start", "start^-1 ; po ; start"),
}
#: The same where a part that the definition asks for lacks: a wrong definition does not ask.
_RACES: dict[str, Parts] = {
    "after": [[_MADE], [[_MMA, *_COMMIT[:2], *_LD]]],
    "after, handed over": [[_MADE, []], [[_MMA, *_COMMIT, *_ARRIVE], [*_OTHER[:1], *_LD]]],
    "before": [[_MADE, []], [[_MMA, *_COMMIT, *_ARRIVE[1:]], [*_OTHER, *_LD]]],
    "wait": [[_MADE], [[_LD[0], _MMA, *_COMMIT, p.TcWait()]]],
    "pipeline of two": [[_MADE, []], [[_MMA, *_ARRIVE[1:], *_COMMIT[:2]], [*_OTHER, _MMA, p.TcCommit("b1")]],
                        [[p.Wait("b1", 1)], []]],
}  # fmt: skip
_TOO_MUCH = {
    "after": ("| ended ; po ; [TA] ; po", "| ended ; po"),
    "after, handed over": ("(held | held ; [TB] ; executed ; [TA] ; po)", "(held | held ; [TB] ; executed)"),
    "before": ("(held | held ; [TB] ; executed ; [TA] ; po)", "(held | held ; executed ; [TA] ; po)"),
    "wait": ("let tensor =", "let tensor = [TM] ; start^-1 ; po ; start ; [TM] |"),
    "pipeline of two": ("let handed = po ; [TB] ; executed", "let handed = executed"),
}


def _verdict(parts: Parts, model: str, tmp_path: Path) -> str:
    path = tmp_path / "a.cu"
    path.write_text(text_of(parts, "race_free"))
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=model)))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    (found,) = (c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "race_free")
    return found


def _changed(model: str, old: str, new: str, tmp_path: Path) -> str:
    for file in Path(resource("memory/models")).iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    cat = tmp_path / f"{model}.cat"
    text = cat.read_text()
    assert text.count(old) == 1
    cat.write_text(text.replace(old, new))
    return str(cat)


@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("part", _WITHOUT)
@pytest.mark.sampled(5)
def test_a_model_without_a_part_is_told(part: str, model: str, tmp_path: Path) -> None:
    assert _verdict(_PROGRAMS[part], model, tmp_path) == "holds"
    assert _verdict(_PROGRAMS[part], _changed(model, *_WITHOUT[part], tmp_path), tmp_path) == "violated"


@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("part", _TOO_MUCH)
@pytest.mark.sampled(5)
def test_a_model_that_asks_for_less_is_told(part: str, model: str, tmp_path: Path) -> None:
    assert _verdict(_RACES[part], model, tmp_path) == "violated"
    assert _verdict(_RACES[part], _changed(model, *_TOO_MUCH[part], tmp_path), tmp_path) == "holds"


@pytest.mark.parametrize(("wrong", "verdict"), [(0, "holds"), (3, "violated")])
def test_what_a_commit_alone_orders_is_a_reading(wrong: int, verdict: str, tmp_path: Path) -> None:
    """A stage is loaded again behind the product, which has read what the load before wrote there; nothing else that the
    product's thread did is before who waits for the commit."""
    text, _, _ = RING.read_text().partition("//@ vary")
    path = tmp_path / "ring.cu"
    path.write_text(text.replace("WRONG = 0;", f"WRONG = {wrong};") + "//@ expect race_free;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    (found,) = (c for report in outcome.reports for c in report.checks if not c.expectation.implicit)
    assert found.verdict == verdict
    assert any("before its tcgen05.commit" in one for one in found.rests_on) == (verdict == "violated")
    assert any("finds a tcgen05.commit complete" in one for one in found.rests_on) == (verdict == "holds")
