"""CudaProgress.tla: the laws of progress, each of them once, as modules whose parameters a program's module defines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from scopec.base.templates import render
from scopec.engines.tla.terms import Terms
from scopec.engines.tla.text import fitted
from scopec.engines.tla.values import HELPERS, LAWS_MODULE
from scopec.progress.rules import LAWS
from scopec.progress.terms import Call, Name, Over, parts

if TYPE_CHECKING:
    from scopec.progress.transition import Definition, Laws

_TERMS = Terms(lambda id_: str(id_.name))
#: The width of the heads of definitions that stand in columns.
_WIDTHS = {"Done": 10}
#: A further condition on the example hardware for the end of a grid: its writes have reached global memory.
WRITTEN = ' /\\ WrittenTo(mem, t, "global")'


def lines(laws: Laws, *, hardware: bool = False) -> list[str]:
    """The definitions that some laws add to those that they are based on."""
    ends = {"GridDone": WRITTEN} if hardware else {}
    return [
        line for one in laws.own for line in _TERMS.definition(one, _WIDTHS.get(one.name, 0), ends.get(one.name, ""))
    ]


@cache
def text() -> str:
    """The module that the modules of programs extend."""
    inner = [
        {
            "name": laws.name,
            "about": laws.about,
            "base": laws.base.name if laws.base else "",
            "constants": ", ".join(name for name in _parameters(laws) if name[0].isupper()),
            "variables": ", ".join(name for name in _parameters(laws) if name[0].islower()),
            "lines": lines(laws),
        }
        for laws in LAWS
    ]
    return fitted(
        render("tla/CudaProgress.tla.j2", {"module": LAWS_MODULE, "laws": inner, "helpers": HELPERS.values()})
    )


def _parameters(laws: Laws) -> list[str]:
    """The tables, operators and variables of a program that some laws are about, and what they are based on is not."""
    outside = [each for each in LAWS if not each.name]
    known = {"pc", *(definition.name for each in (*outside, laws) for definition in each.definitions)}
    based = {name for base in laws.bases for name in _parameters(base)}
    found = (name for definition in laws.own for name in _names(definition))
    return [name for name in dict.fromkeys(found) if name.partition("(")[0] not in known | based]


def _names(definition: Definition) -> Iterator[str]:
    inside = list(parts(definition.body))
    bound = {*definition.parameters, *(part.name for part in inside if isinstance(part, Over))}
    for part in inside:
        match part:
            case Name(name) if name not in bound:
                yield name
            case Call(name, arguments) if arguments:
                yield f"{name}({', '.join('_' * len(arguments))})"
