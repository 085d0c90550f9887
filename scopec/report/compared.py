"""Two results, compared: which verdicts differ, by file, program and expectation."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from scopec.base.excerpt import clean
from scopec.base.records import dataclass
from scopec.report.stored import Values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SCHEMA = "scopec-compare/1"
_Key = tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A verdict that differs: a program and a check of the one results and of the other, None where there is none."""

    one: tuple[Values, Values] | None
    other: tuple[Values, Values] | None

    @property
    def asked(self) -> tuple[Values, Values]:
        """The program and the check, where there is one."""
        found = self.one or self.other
        assert found is not None
        return found


def compared(one: Values, other: Values) -> tuple[list[Difference], int]:
    """The verdicts that differ, in the order of the first results, and the number of those that are the same.

    Programs are the same by file and variant; by their models too where one results have several models of one, so that
    results under two models are compared verdict by verdict.
    """
    many = {key for each in (one, other) for key, n in Counter(map(_base, each["programs"])).items() if n > 1}
    first, second = (_verdicts(each, many) for each in (one, other))
    keys = list(dict.fromkeys([*first, *second]))
    differ = [
        Difference(first.get(key), second.get(key))
        for key in keys
        if key not in first or key not in second or first[key][1]["verdict"] != second[key][1]["verdict"]
    ]
    return differ, len(keys) - len(differ)


def _base(program: Values) -> _Key:
    return program["file"], json.dumps(program["variant"], sort_keys=True)


def _verdicts(document: Values, many: set[_Key]) -> dict[_Key, tuple[Values, Values]]:
    found: dict[_Key, tuple[Values, Values]] = {}
    for program in document["programs"]:
        base = _base(program)
        models = (program["model"], program["progress"]) if base in many else ()
        times = Counter[_Key]()
        for check in program["checks"]:
            key = (*base, *models, check["kind"], check["text"])
            times[key] += 1
            found[*key, str(times[key])] = program, check
    return found


def document(paths: tuple[Path, Path], differ: Sequence[Difference], same: int) -> dict[str, Any]:
    """All of it as JSON values."""
    return {
        "schema": SCHEMA,
        "a": str(paths[0]),
        "b": str(paths[1]),
        "differ": [
            {
                **{name: d.asked[0][name] for name in ("file", "variant")},
                **{name: d.asked[1][name] for name in ("kind", "text")},
                "a": _side(d.one),
                "b": _side(d.other),
            }
            for d in differ
        ],
        "same": same,
    }


def _side(of: tuple[Values, Values] | None) -> dict[str, Any] | None:
    if of is None:
        return None
    program, check = of
    return {name: program[name] for name in ("name", "model", "progress")} | {
        name: check[name] for name in ("verdict", "reason")
    }


def lines(paths: tuple[Path, Path], differ: Sequence[Difference], same: int) -> Iterator[str]:
    """All of it for people."""
    for d in differ:
        program, check = d.asked
        variant = ", ".join(f"{k} = {v}" for k, v in program["variant"].items())
        yield clean(f"{program['file']}{f' [{variant}]' if variant else ''}: {check['text']}")
        for path, side in zip(paths, (d.one, d.other), strict=True):
            said = "not asked"
            if side is not None:
                reason = f": {side[1]['reason']}" if side[1]["reason"] else ""
                said = f"{side[1]['verdict']} ({side[0]['model']}, {side[0]['progress']}){reason}"
            yield clean(f"  {path}: {said}")
    yield f"{len(differ)} {'verdict differs' if len(differ) == 1 else 'verdicts differ'}, {same} are the same"
