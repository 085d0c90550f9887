"""Long lines of TLA+: broken where few brackets are open, and nothing but white space changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scopec.engines.tla import emit
from scopec.engines.tla.text import WIDTH, fitted
from scopec.session.compile import compile_programs
from scopec.session.plan import Overrides
from tests.conftest import REPOSITORY

LONG = sorted(REPOSITORY.glob("specs/programs/*.cu")) + sorted(REPOSITORY.glob("specs/barriers/*.cu"))


def test_a_line_is_broken_where_few_brackets_are_open() -> None:
    first, second = (f"![t].{name} = IF mem.flag = 1 THEN reg[t].{name} ELSE 0" for name in ("a" * 20, "b" * 20))
    line = f"  /\\ reg' = [reg EXCEPT {first}, {second}]"
    assert fitted(line).splitlines() == [f"  /\\ reg' = [reg EXCEPT {first},", f"       {second}]"]


def test_what_continues_an_item_is_right_of_its_bullet() -> None:
    line = "  \\/ /\\ " + " /\\ ".join(f"x{n} = {n}" for n in range(30))
    first, *others = fitted(line).splitlines()
    assert first.startswith("  \\/ /\\ x0 = 0 /\\ ")
    assert others
    assert all(re.match(r" {10}x\d", other) for other in others)


def test_strings_and_short_lines_stay_as_they_are() -> None:
    text = f'Name == "{"a, " * 60}"\nEntry   == "a" :> "b"\n'
    assert fitted(text).replace("\n  ", " ") == text


@pytest.mark.parametrize("path", LONG, ids=lambda path: path.stem)
@pytest.mark.sampled(2)
def test_nothing_but_white_space_changes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = []

    def noted(text: str) -> str:
        after = fitted(text)
        changed.append((text, after))
        return after

    monkeypatch.setattr(emit, "fitted", noted)
    compile_programs([path], Overrides(), "tla")
    assert changed or "terminates" not in path.read_text()
    for before, after in changed:
        assert all(len(line) <= WIDTH for line in after.splitlines())
        assert _code(before) == _code(after)


def _code(text: str) -> list[str]:
    return [word for line in text.splitlines() if not line.lstrip().startswith("\\*") for word in line.split()]
