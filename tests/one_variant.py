"""The runs of one variant of a specification: the others of its file are not read."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan_of, source_of
from tests.conftest import REPOSITORY

SPECS = REPOSITORY / "specs"


@cache
def runs_of(spec: str, reader: str, without: str, *constants: tuple[str, str]) -> tuple[Run, ...]:
    """The runs of one variant: the others of the file are not read."""
    path = SPECS / spec
    overrides = Overrides(reader=reader, cache=True, without=frozenset(without.split()))
    source = source_of(path, str(path), overrides)
    text = source.text
    for name, value in constants:
        text = re.sub(rf"(?<=vary {name} in ){{.*?}}", f"{{{value}}}", text)
    return plan_of(replace(source, text=text), path, overrides).runs


def run_of(
    spec: str, model: str = "cuda-v3", progress: str = "cuda", reader: str = "auto", without: str = "", **variant: str
) -> Run:
    """A run with nothing found out about it."""
    models = (model, progress)
    (found,) = (
        replace(r)
        for r in runs_of(spec, reader, without, *sorted(variant.items()))
        if (r.model.name, r.progress.name, r.on_hardware) == (*models, False) and dict(r.program.variant) == variant
    )
    return found
