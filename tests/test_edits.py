"""Edits of programs: each changes what it names and nothing else, and is said in words."""

from __future__ import annotations

from pathlib import Path

from scopec.advice.edits import Cooperate, Edit, Strengthen, Synchronise, Update, Widen, edited, said
from scopec.base.source import Source, Span
from scopec.program import ir
from scopec.program.program import Program
from scopec.session.plan import Overrides, plan
from tests.test_advice import handover


def test_edits_change_what_they_name_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "p.cu"
    path.write_text(handover("block", "relaxed", "acquire"), encoding="utf-8")
    (run,) = plan(path, "p.cu", Overrides()).runs
    store = next(n for n in run.program.grids["mp"].body.nodes.values() if isinstance(n, ir.Do) and n.span.line == 7)
    edits: list[Edit] = [Widen("flag", ir.Scope.DEVICE), Strengthen(store.span, ir.Order.RELEASE)]
    modes = [
        n.operation.mode
        for n in edited(run, edits).program.grids["mp"].body.nodes.values()
        if isinstance(n, ir.Do) and isinstance(n.operation, ir.Load | ir.Store)
    ]
    device = ir.Scope.DEVICE
    assert modes.count(ir.PLAIN) == 2
    assert {m for m in modes if m.atomic} == {ir.Mode(ir.Order.RELEASE, device), ir.Mode(ir.Order.ACQUIRE, device)}
    assert edited(run, [Cooperate("mp")]).program.grids["mp"].cooperative
    host = edited(run, [Synchronise("mp")]).program.host.body
    calls = [n.operation for n in host.nodes.values() if isinstance(n, ir.Do)]
    assert calls.count(ir.DeviceSynchronize()) == 2
    assert edited(run, []) == run


def test_edits_in_words() -> None:
    at = Span("p.cu", 3, 1, 3, 2)
    program = Program("p", Source("p.cu", "\n\n  f();\n"), {}, (), {}, ir.Thread("main", ir.Body(0, {}, {})), {}, {})
    assert said([Cooperate("k")], program) == (
        "a cooperative launch of k (cudaLaunchCooperativeKernel), whose blocks are owed progress together"
    )
    assert said([Strengthen(at, ir.Order.ACQUIRE)], program) == "memory_order_acquire at line 3"
    assert Update("n", ir.Scope.BLOCK) != Update("n", ir.Scope.DEVICE)
