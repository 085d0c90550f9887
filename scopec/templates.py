"""The Jinja environment for generated specifications.

Its delimiters cannot occur in Alloy or TLA+: Jinja's own do (``{#E > 1}``, ``{{1}, {2}}``).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scopec.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def environment() -> Environment:
    """The environment whose loader starts at the templates folder."""
    made = Environment(
        loader=FileSystemLoader(resource("templates")),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="${",
        variable_end_string="}",
        comment_start_string="<%#",
        comment_end_string="%>",
        line_statement_prefix="%%",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    made.filters["wrapped"] = wrapped
    return made


def wrapped(text: str, width: int = 100) -> str:
    """A long expression broken after its operators and commas, continuation lines indented."""
    if len(text) <= width:
        return text
    lines = [""]
    for part in re.split(r"(?<=[+,@]) ", text):
        if len(lines[-1]) + len(part) >= width and lines[-1]:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + part
    return "\n    ".join(lines)


def render(template: str, context: Mapping[str, Any]) -> str:
    """A template (a path below templates/) filled in."""
    return environment().get_template(template).render(context)
