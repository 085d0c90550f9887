"""Things at hand: help in groups, explanations, one-line reprs, a summary for a forge, a prompt that comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import scopec as package
from scopec.cli import commands
from scopec.cli.help import _GROUPS, _OTHER
from scopec.cli.listings import explained
from scopec.report.formats import FOLDERS, TEXTS
from scopec.report.markdown import _MOST_BYTES, _plain
from tests.command import scopec
from tests.test_cli import GOOD, RACE
from tests.test_terminal import in_terminal


def test_help_has_each_option_under_a_heading_and_two_examples() -> None:
    shown = scopec("check", "--help").stdout
    (other,) = [part for part in shown.split("\n\n") if part.startswith(f"{_OTHER}:")]
    assert other.split("\n")[1:] == ["  -h, --help  Show this message and exit."]
    for title in _GROUPS:
        assert f"\n{title}:\n" in shown
    known = {
        name.lstrip("-") for p in commands.commands["check"].params if isinstance(p, click.Option) for name in p.opts
    }
    assert {name for names in _GROUPS.values() for name in names} <= known
    for text in (shown, scopec("--help").stdout):
        assert (
            len([line for line in text.partition("\nExamples:\n")[2].split("\n") if line.startswith("  scopec ")]) == 2
        )


def test_formats_are_explained_and_explanations_are_json_too() -> None:
    for name in (*TEXTS, *FOLDERS):
        assert explained()[name].startswith("A format of reports: ")
    found = json.loads(scopec("explain", "data-race", "--format", "json").stdout)
    assert found == {"name": "data-race", "text": explained()["data-race"]}
    assert {one["name"]: one["text"] for one in json.loads(scopec("explain", "--format", "json").stdout)} == explained()
    assert "  race_free            `expect race_free` holds if" in scopec("explain").stdout


def test_results_are_shown_in_a_line_and_the_package_has_its_names() -> None:
    results = package.check(text=RACE, engine="embedded")
    assert repr(results).startswith("<Results of 1 file, 1 program: 0 hold, 1 violated, 0 unknown (")
    (found,) = results
    assert repr(found) == f"<Verdict program.cu:{found.line} race_free: violated, data-race>"
    assert dir(package) == ["Array", "Launch", "Results", "Verdict", "__version__", "check", "check_kernel"]


def test_a_summary_for_a_forge(write: Callable[..., Path], tmp_path: Path) -> None:
    bad = write(RACE, "a|b*_<i>.cu")
    good, wrong = write(GOOD, "good.cu"), write("//@ expect nothing;\n", "wrong.cu")
    done = scopec("check", "--engine", "embedded", bad, good, wrong, "-o", tmp_path / "summary.md")
    assert done.returncode == 2
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("**scopec**: 3 files, 2 programs&#58; ")
    rows = [line for line in text.split("\n") if line.startswith("| ")][1:]
    assert [row.count("|") for row in rows] == [6, 6]  # a name adds no column
    assert "a&#124;b&#42;&#95;&#60;i&#62;.cu" in text
    assert "<i>" not in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert "\n\n" not in text.partition("<pre>")[2].partition("</pre>")[0]
    assert _plain("[x](y) `z`") == "&#91;x&#93;&#40;y&#41; &#96;z&#96;"


def test_a_summary_has_a_picture_that_no_name_can_break_out_of(
    monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]
) -> None:
    from scopec.report import markdown
    from scopec.session.check import Settings, check

    outcomes = check([write(RACE, "a`b.cu")], Settings(engine="embedded"))
    before, _, rest = markdown.text(outcomes, 1.0).partition("\n\n```mermaid\n")
    chart, _, after = rest.partition("\n```\n")
    assert before.endswith("</pre>")  # an empty line ends HTML, and Markdown begins
    assert after == "</details>\n"
    assert "flowchart TB" in chart
    assert "<==>|race|" in chart
    assert not set("`<>") & set(chart.replace("<br/>", "").replace("-->", "").replace("->", "").replace("<==>", ""))
    monkeypatch.setattr(markdown, "_MOST_BOXES", 1)
    large = markdown.text(outcomes, 1.0)
    assert "```" not in large
    assert "A picture of it would have" in large


def test_a_summary_is_no_larger_than_what_a_forge_takes(
    monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]
) -> None:
    from scopec.report import markdown
    from scopec.session.check import Settings, check

    outcomes = check([write(RACE, "one.cu"), write(RACE, "two.cu")], Settings(engine="embedded"))
    whole = markdown.text(outcomes, 1.0)
    assert len(whole.encode()) < _MOST_BYTES
    monkeypatch.setattr(markdown, "_MOST_BYTES", len(whole.encode()) - 100)
    assert markdown.text(outcomes, 1.0).count("<details>") == 1
    assert "1 more counterexamples are not shown here" in markdown.text(outcomes, 1.0)


@pytest.mark.jvm
@pytest.mark.sampled(0)
def test_on_a_terminal_the_prompt_comes_back_with_the_verdict(write: Callable[..., Path]) -> None:
    folder = write(GOOD, "p.cu").parent
    for words, confirmed in ((("p.cu",), False), (("--confirm", "p.cu"), True), (("p.cu", "--confirm"), True)):
        shown = in_terminal("check", *words, cwd=folder)
        assert "0 violated, 0 unknown" in shown
        assert ("confirmed by Alloy" in shown, "confirmed by" in shown) == (confirmed, confirmed)
    assert "confirmed by Alloy" in scopec("check", "p.cu", cwd=folder).stderr


def test_what_follows_an_option_that_stands_alone_is_its_value_only_if_it_is_one(write: Callable[..., Path]) -> None:
    folder = write(GOOD, "p.cu").parent
    for words in (
        ("--confirm", "p.cu"),
        ("--confirm", "never", "p.cu"),
        ("p.cu", "--confirm"),
        ("--confirm", "--", "p.cu"),
    ):
        done = scopec("check", "--engine", "embedded", *words, cwd=folder)
        assert (done.returncode, done.stderr) == (0, ""), words
