"""Questions as SMT-LIB 2.6 (smt-lib.org) that people read: what is asked in words, then what is known, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

#: What is said of some assertions, and these.
Part = tuple[str, tuple[Any, ...]]

_NAMES = (
    "`x#1` is of the first thread, `x#2` of the second; what has no such end is the same for both. "
    "`product`, `quotient` and `rest` are of two unknowns, of which only what is stated here is known."
)


def text(said: Sequence[str], parts: Sequence[Part]) -> str:
    """A question that any solver answers: ``sat`` or ``unsat``."""
    asserted = [(title, assertions) for title, assertions in parts if assertions]
    lines = [f"; {' '.join(line.split())}" for line in (*said, _NAMES)]
    lines.append("(set-logic ALL)")
    lines += _declarations(one for _, assertions in asserted for one in assertions)
    for title, assertions in asserted:
        lines += ["", f"; {title}", *(f"(assert {one.sexpr()})" for one in assertions)]
    return "\n".join([*lines, "", "(check-sat)", ""])


def _declarations(assertions: Iterable[Any]) -> list[str]:
    """The symbols and functions in terms, in the order of their names."""
    found: dict[str, str] = {}
    seen = set[int]()
    left = list(assertions)
    while left:
        one = left.pop()
        if one.get_id() in seen:
            continue
        seen.add(one.get_id())
        left += one.children()
        if one.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[one.decl().name()] = one.decl().sexpr()
    return [found[name] for name in sorted(found)]
