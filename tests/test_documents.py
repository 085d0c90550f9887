"""README and docs/ say what is so: their commands, programs, outputs and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.advice import advised
from scopec.base.diagnostics import Code
from scopec.base.options import ATTRIBUTES, HARDWARE_OPTIONS, MEMORY_OPTIONS, PROGRESS_OPTIONS
from scopec.progress.models import MODELS
from scopec.report.text import outcome_lines, summary_line
from scopec.session.check import Settings, check
from tests.conftest import REPOSITORY, plan_of

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md"), REPOSITORY / "specs" / "README.md"])


def block(text: str, language: str) -> str:
    """The one fenced block of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found)


def test_readme_has_two_commands_and_ci_runs_them() -> None:
    commands = re.findall(r"^python3 -m venv.*$", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("scopec check specs/")
    assert commands[1].endswith("pytest")
    assert "grep '^python3 -m venv' README.md" in (REPOSITORY / ".ci" / "run").read_text()


@pytest.mark.jvm
def test_readme_shows_the_real_output(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """At 90 columns; the folder of the generated files and the time are the only things that may differ."""
    path = write(block(README, "cuda"), "handover.cu")
    monkeypatch.chdir(path.parent)
    outcomes = check([Path("handover.cu")], Settings(advise=advised))
    lines = [line for o in outcomes for line in outcome_lines(o, verbose=False, quiet=False, width=90)]
    lines.append(summary_line(outcomes, 0.0))
    assert normal("\n".join(lines) + "\n") == normal(
        block(README, "console").removeprefix("$ scopec check handover.cu\n")
    )


def normal(text: str) -> str:
    return re.sub(r"\(\d+\.\d s\)", "(TIME)", re.sub(r" in \S*/generated/handover-\w+", " in FOLDER", text))


def test_the_example_of_the_language_is_accepted(write: Callable[..., Path]) -> None:
    text = block((REPOSITORY / "docs" / "language.md").read_text(encoding="utf-8"), "cuda")
    assert len(plan_of(write(text)).runs) == 4


def test_every_diagnostic_is_listed() -> None:
    table = (REPOSITORY / "docs" / "diagnostics.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in table if line.startswith("| SCP")]
    assert rows == [f"| {c.id} | {c.summary} | {c.way_out} |" for c in Code]


def test_every_option_and_attribute_is_listed() -> None:
    for name, mark, table in (
        ("memory-models", "options", MEMORY_OPTIONS),
        ("memory-models", "attributes", ATTRIBUTES),
        ("memory-models", "hardware", HARDWARE_OPTIONS),
        ("forward-progress", "options", PROGRESS_OPTIONS),
    ):
        text = (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8")
        rows = text.partition(f"<!-- {mark} -->\n")[2].partition("\n\n")[0].splitlines()[2:]
        assert rows == [
            f"| `{name}` | {', '.join(f'`{v}`' for v in setting.values)} | {setting.meaning} |"
            for name, setting in table.items()
        ]


def test_every_progress_model_is_listed() -> None:
    text = (REPOSITORY / "docs" / "forward-progress.md").read_text(encoding="utf-8")
    rows = text.partition("<!-- models -->\n")[2].partition("\n\n")[0].splitlines()[2:]
    assert rows == [f"| `{m.name}` | {m.summary} |" for m in MODELS.values()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_no_file_has_conflict_markers() -> None:
    folders = [REPOSITORY / name for name in ("docs", "grammar", "scopec", "specs", "templates", "tests")]
    files = [f for top in folders for f in top.rglob("*") if f.is_file()]
    files += [f for f in REPOSITORY.iterdir() if f.is_file()]
    marks = re.compile(rb"^(<{7} |={7}$|>{7} )", re.MULTILINE)
    assert [str(f) for f in files if marks.search(f.read_bytes())] == []
