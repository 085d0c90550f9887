"""Parsers for the grammars: their tables are computed once and kept in the user's cache folder."""

from __future__ import annotations

import io
import pickle
import sys
from typing import TYPE_CHECKING, Any

import lark

from scopec.cache import key, remembered, user_cache
from scopec.resources import resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lark.lark import PostLex

_MOST_BYTES = 32 << 20


def parser(name: str, start: Sequence[str], *, postlex: PostLex | None = None, **options: Any) -> lark.Lark:
    """The strict LALR(1) parser of ``grammar/NAME.lark``; ``options`` are more of Lark's, all of them plain values.

    The tables are kept under everything that they are computed from; a grammar may import any other of the folder.
    """
    path = resource(f"grammar/{name}.lark")
    options = {"parser": "lalr", "strict": True, "maybe_placeholders": True, "start": list(start)} | options
    grammars = [p.read_text(encoding="utf-8") for p in sorted(path.parent.glob("*.lark"))]

    def tables() -> Any:
        text = path.read_text(encoding="utf-8")
        written = io.BytesIO()
        lark.Lark(text, import_paths=[str(path.parent)], postlex=postlex, **options).save(
            written, ["postlex", "import_paths"]
        )
        return pickle.loads(written.getvalue())

    entry = key(name, repr(sorted(options.items())), lark.__version__, sys.version, *grammars)
    found = remembered(user_cache("grammars", _MOST_BYTES), entry, tables)
    made: lark.Lark = lark.Lark._load_from_dict(found["data"], found["memo"], postlex=postlex)  # type: ignore[no-untyped-call]
    return made
