"""Parsers for the grammars.  Their tables come with the wheel (hatch_build.py); those of a grammar that was changed
since, or of another Lark, are computed anew."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from scopec.base.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark.lark import PostLex

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
_TABLES = Path(__file__).parent.parent / "tables"


def parser(name: str, *, postlex: PostLex | None = None) -> lark.Lark:
    """The strict LALR(1) parser of ``grammar/NAME.lark``."""
    try:
        shipped = json.loads((_TABLES / f"{name}.json").read_text(encoding="utf-8"), object_hook=_pairs)
    except (OSError, ValueError):
        shipped = {}
    made = shipped if shipped.get("of") == _fingerprint(name) else _computed(name)
    parser_: lark.Lark = lark.Lark._load_from_dict(made["data"], made["memo"], postlex=postlex)  # type: ignore[no-untyped-call]
    return parser_


def write_tables() -> dict[str, Path]:
    """Write the tables of all grammars beside this module, where they are not there yet; the files by name.

    OSError where that is not possible.
    """
    _TABLES.mkdir(exist_ok=True)
    files = {}
    for name in GRAMMARS:
        file = files[name] = _TABLES / f"{name}.json"
        of = _fingerprint(name)
        if not file.is_file() or not file.read_text(encoding="utf-8").startswith(f'{{"of":"{of}"'):
            written = file.with_suffix(".new")
            written.write_text(
                json.dumps({"of": of, **_plain(_computed(name))}, separators=(",", ":")), encoding="utf-8"
            )
            written.replace(file)
    return files


def _fingerprint(name: str) -> str:
    """A digest of what the tables of a grammar are computed from; a grammar may import any other of its folder."""
    digest = hashlib.sha256(repr((lark.__version__, name, GRAMMARS[name])).encode())
    for path in sorted(resource(f"grammar/{name}.lark").parent.glob("*.lark")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _computed(name: str) -> dict[str, Any]:
    path = resource(f"grammar/{name}.lark")
    text = path.read_text(encoding="utf-8")
    made = lark.Lark(
        text, parser="lalr", strict=True, maybe_placeholders=True, import_paths=[str(path.parent)], **GRAMMARS[name]
    )
    data, memo = made.memo_serialize([TerminalDef, Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k not in ("postlex", "import_paths")}
    return {"data": data, "memo": memo}


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
