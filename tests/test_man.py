"""``scopec man``: each command's help, as pages that roff reads."""

from __future__ import annotations

import re
from pathlib import Path

import click

from scopec.cli.man import pages
from scopec.cli.program import commands
from tests.command import scopec

#: What a line of a page may begin with, if it is no text.
REQUESTS = {".TH", ".SH", ".SS", ".TP", ".B", ".BR", ".PP", ".br"}


def plain(page: str) -> str:
    """What a reader sees of a page, its lines joined."""
    text = re.sub(r"^\.\w+ ?", "", re.sub(r"\\f[BR]|\\&", "", page), flags=re.MULTILINE).replace("\\(dq", '"')
    return " ".join(text.replace("\\-", "-").replace("\\e", "\\").split())


def test_every_option_and_example_of_every_command_is_told() -> None:
    with click.Context(commands, info_name="scopec") as context:
        found = pages(context)
    assert "scopec-engines" not in found  # a second name of doctor
    for name, command in commands.commands.items():
        if name != command.name:
            continue
        page = plain(found[f"scopec-{name}"])
        assert page.startswith(f'"SCOPEC-{name.upper()}" 1')
        with click.Context(command, info_name=name, parent=context) as own:
            records = [one.get_help_record(own) for one in command.get_params(own)]
        for option, meaning in filter(None, records):
            assert f"{option} {' '.join(meaning.split())}".replace("`", "") in page, (name, option)
        for example in getattr(command, "examples", {}):
            assert example in page
        assert f"{name} {command.get_short_help_str(200)}".rstrip(".").replace("`", "") in plain(found["scopec"])


def test_no_line_is_a_request_by_chance() -> None:
    """Help that begins with a dot, as that on `.cu` files may."""

    @click.command(help="First.\n\n.cu files\n'quoted'\n\n\b\n  kept \\ 1\n  kept-2")
    def odd() -> None: ...

    group = click.Group("scopec", {"odd": odd, **commands.commands})
    with click.Context(group, info_name="scopec") as context:
        found = pages(context)
    for page in found.values():
        assert {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))} <= REQUESTS
    assert "\\&.cu files\n\\&'quoted'\n.PP\nkept \\e 1\n.br\nkept\\-2\n.br\n" in found["scopec-odd"]


def test_one_page_or_all(tmp_path: Path) -> None:
    folder = tmp_path / "share" / "man1"
    assert scopec("man", "-o", folder).returncode == 0
    assert (folder / "scopec-check.1").read_text() == scopec("man", "check").stdout
    assert (folder / "scopec.1").read_text() == scopec("man").stdout
    wrong = scopec("man", "chek")
    assert (wrong.returncode, wrong.stderr) == (2, "scopec: there is no command `chek`: did you mean `check`?\n")
