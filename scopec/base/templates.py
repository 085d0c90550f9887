"""The Jinja environment for generated specifications.

Its delimiters cannot occur in Alloy or TLA+: Jinja's own do (``{#E > 1}``, ``{{1}, {2}}``).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from scopec.base.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment


@cache
def environment() -> Environment:
    """The environment whose loader starts at the templates folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # Start-up: the embedded engine writes nothing

    return Environment(
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


def render(template: str, context: Mapping[str, Any]) -> str:
    """A template (a path below templates/) filled in."""
    return environment().get_template(template).render(context)
