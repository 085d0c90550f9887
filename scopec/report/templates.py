"""The Jinja environment for reports: standard delimiters, everything escaped, no control character in any value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from scopec.base.excerpt import clean
from scopec.base.resources import resource


@cache
def environment() -> Environment:
    """The environment whose loader starts at templates/report; values are cleaned, then escaped."""
    made = Environment(
        loader=FileSystemLoader(resource("templates/report")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    made.policies["json.dumps_kwargs"] = {"sort_keys": False}  # threads in their order
    return made


def _finalize(value: Any) -> Any:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(template: str, context: Mapping[str, Any]) -> str:
    """A template (a path below templates/report) filled in."""
    return environment().get_template(template).render(context)
