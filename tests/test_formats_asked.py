"""Requests for reports on the command line: where each is written, and what cannot be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scopec.base.diagnostics import UsageError
from scopec.report import formats, options
from tests.test_formats import results
from tests.violations import VIOLATIONS

# ---------------------------------------------------------------- the command line


def asked(*arguments: str) -> list[tuple[str, str | None]]:
    """The requests of a command line."""
    found: list[tuple[str, str | None]] = []

    @click.command(cls=options.ReportingCommand)
    @options.reports
    @click.option("-v", is_flag=True)
    def command(requests: Sequence[formats.Request], v: bool) -> None:
        found.extend((r.format, None if r.output is None else str(r.output)) for r in requests)

    done = CliRunner().invoke(command, list(arguments), standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return found


@pytest.mark.parametrize(
    ("arguments", "requests"),
    [
        ([], [("text", None)]),
        (["--format", "json"], [("json", None)]),
        (["--output", "a"], [("text", "a")]),
        (["--output", "a", "--format", "json"], [("json", "a")]),
        (["--format", "json", "-v", "--output", "a"], [("json", "a")]),
        (["--format", "text", "--format", "json", "--output", "a"], [("text", None), ("json", "a")]),
        (["--format", "text", "--format", "github", "--output", "-"], [("text", None), ("github", "-")]),
        (
            ["--output=a", "--format=sarif", "--format", "itf", "--output", "b", "--format", "github"],
            [("sarif", "a"), ("itf", "b"), ("github", None)],
        ),
    ],
)
def test_an_output_belongs_to_the_format_before_it(
    arguments: list[str], requests: list[tuple[str, str | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert asked(*arguments) == requests


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "json", "--format", "sarif"], "only one report can go to standard output"),
        (["--format", "json", "--output", "a", "--output", "b"], "has two outputs"),
        (["--output", "a", "--output", "b", "--format", "json"], "has two outputs"),
        (["--format", "itf"], "name a folder with --output"),
        (["--format", "html", "--output", "-"], "name a folder with --output"),
        (["--format", "json", "--output", "a", "--format", "junit", "--output", "a"], "two reports go to a"),
        (["--format", "json", "--output", "."], "it is a folder"),
        (["--format", "json", "--output", "no/such/file"], "its folder does not exist"),
        (["--format", "html", "--output", "a file"], "it is a file, and a folder is needed"),
        (["--format", "itf", "--output", "a file/below/it"], "a file is a file"),
        (["--format", "html", "--output", "new", "--format", "json", "--output", "./new"], "two reports go to new"),
    ],
)
def test_requests_that_cannot_be_carried_out(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a file").touch()
    with pytest.raises(UsageError, match=re.escape(said)):
        asked(*arguments)


def test_a_read_only_place_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.json").touch()
    monkeypatch.setattr("os.access", lambda path, _mode: Path(path) not in (tmp_path, tmp_path / "old.json"))
    for arguments in (
        ["json", "--output", "new.json"],
        ["json", "--output", "old.json"],
        ["html", "--output", "out/a"],
    ):
        with pytest.raises(UsageError, match="read-only"):
            asked("--format", *arguments[:-1], str(tmp_path / arguments[-1]))


def test_two_folders_of_files_may_be_one(tmp_path: Path) -> None:
    place = str(tmp_path / "out")
    assert asked("--format", "html", "--output", place, "--format", "itf", "--output", place) == [
        ("html", place),
        ("itf", place),
    ]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write"):
        formats.write([formats.Request("itf", tmp_path / "file" / "below")], results([]))


def test_one_report_that_cannot_be_written_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    bad = [formats.Request("html", tmp_path / "file"), formats.Request("json", tmp_path / "no" / "folder")]
    with pytest.raises(UsageError, match=r"cannot write .*/file: .*; cannot write .*/no/folder: "):
        formats.write([*bad, formats.Request("junit", tmp_path / "o.xml")], results([]))
    assert (tmp_path / "o.xml").read_text().startswith("<?xml")


@pytest.mark.jvm
def test_several_reports_of_one_call(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.command import scopec

    write(VIOLATIONS["hang"], "hang.cu")
    done = scopec(
        "check", "hang.cu", "--format", "sarif", "--output", "o.sarif", "--format", "text", "--format", "junit",
        "--output", "o.xml", "--format", "itf", "--output", "traces/here", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert "1 violated" in done.stdout
    assert json.loads((tmp_path / "o.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "o.xml").read_text().startswith("<?xml")
    assert [p.name for p in (tmp_path / "traces" / "here").iterdir()] == ["hang.1.itf.json"]
