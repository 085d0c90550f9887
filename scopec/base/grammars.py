"""Parsers for the grammars.  Their tables come with the wheel (hatch_build.py); those of a grammar that was changed
since, or of another Lark, are computed anew.

Lark makes the tables, and says what is wrong with a text; the parser of :mod:`scopec.base.lalr` reads what is right.
"""

from __future__ import annotations

import json
from binascii import crc32
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.lalr import Parser
from scopec.base.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    import lark

    from scopec.base.lalr import Finish

#: Each grammar's start symbols and further options of Lark.
GRAMMARS: Mapping[str, Mapping[str, Any]] = {
    # A keyword of cat is one everywhere, so that a half-finished line is noticed at the next.
    "cat": {"start": ["start"], "lexer": "basic", "propagate_positions": True},
    "cuda": {"start": ["program", "directives"], "propagate_positions": True},
    "litmus": {"start": ["init", "footer"], "propagate_positions": True},
    "litmus_c": {"start": ["program"], "propagate_positions": True},
    "ptx": {"start": ["assembly", "module", "program"], "propagate_positions": True},
    "tla_value": {"start": ["state"]},
}
#: Terminals that a grammar's words may have wherever they stand, since something decides later what they are.
ALWAYS_ACCEPTED: Mapping[str, tuple[str, ...]] = {"cuda": ("NAME",)}
_TABLES = Path(__file__).parent.parent / "tables"
_KINDS = ("small", "lark")


def parser(name: str, finish: Finish | None = None) -> Parser:
    """The parser of ``grammar/NAME.lark``; ``finish`` may say what terminals its words are."""
    return Parser(_small(name), finish)


def prepare() -> None:
    """Make what parsers are made of, in a process of which many are made."""
    for name in GRAMMARS:
        parser(name).prepare()


@cache
def _small(name: str) -> dict[str, Any]:
    return _tables(name, "small")


def lark_parser(name: str, finish: Finish | None = None) -> lark.Lark:
    """Lark's strict LALR(1) parser of the same."""
    from lark import Lark

    made = _tables(name, "lark")
    parser_: Lark = Lark._load_from_dict(made["data"], made["memo"], postlex=finish)  # type: ignore[no-untyped-call]
    return parser_


def write_tables() -> list[Path]:
    """Write the tables of all grammars beside this module, where they are not there yet; their files.

    OSError where that is not possible.
    """
    _TABLES.mkdir(exist_ok=True)
    files = []
    for name in GRAMMARS:
        for kind in _KINDS:
            files.append(file := _TABLES / f"{name}.{kind}.json")
            of = _fingerprint(name, kind)
            if not file.is_file() or not file.read_text(encoding="utf-8").startswith(f'{{"of":"{of}"'):
                written = file.with_suffix(".new")
                tables = json.dumps({"of": of, "tables": _plain(_computed(name, kind))}, separators=(",", ":"))
                written.write_text(tables, encoding="utf-8")
                written.replace(file)
    return files


def _tables(name: str, kind: str) -> dict[str, Any]:
    file = _TABLES / f"{name}.{kind}.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"), object_hook=_pairs if kind == "lark" else None)
    except (OSError, ValueError):
        found = {}
    tables: dict[str, Any] = found["tables"] if found.get("of") == _fingerprint(name, kind) else _computed(name, kind)
    return tables


def _computed(name: str, kind: str) -> dict[str, Any]:
    # Start-up: the tables are there, and Lark is imported where a text is wrong alone.
    from scopec.base.tables import small

    return _of_lark(name) if kind == "lark" else small(_of_lark(name), ALWAYS_ACCEPTED.get(name, ()))


@cache
def _of_lark(name: str) -> dict[str, Any]:
    from scopec.base.tables import of_lark

    return of_lark(name, GRAMMARS[name])


def _fingerprint(name: str, kind: str) -> str:
    """A fingerprint of a grammar and its options; a grammar may import any other of its folder.

    Lark's own tables are those of one version of it.  A checksum notices a change as well as a digest, whose library
    takes as long to import as a small file to parse.
    """
    found = repr((name, GRAMMARS[name], ALWAYS_ACCEPTED))
    if kind == "lark":
        from lark import __version__

        found += f" {__version__}"
    for path in sorted(resource(f"grammar/{name}.lark").parent.glob("*.lark")):
        text = path.read_bytes()
        found += f" {path.name} {len(text)} {crc32(text)}"
    return f"{len(found)} {crc32(found.encode())}"


def _plain(value: Any) -> Any:
    """A value as JSON: a dictionary whose keys are numbers as the list of its pairs."""
    match value:
        case dict() if any(isinstance(k, int) for k in value):
            return {"#": [[k, _plain(v)] for k, v in value.items()]}
        case dict():
            return {k: _plain(v) for k, v in value.items()}
        case list() | tuple():
            return [_plain(v) for v in value]
        case _:
            return value


def _pairs(value: dict[str, Any]) -> Any:
    return dict(value["#"]) if "#" in value else value
