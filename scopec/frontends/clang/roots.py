"""clang's errors by their root: what is missing, told once, with the number of the errors that follow from it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic
from scopec.frontends.clang.including import including
from scopec.frontends.clang.messages import is_absent, is_hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What an error says is missing: a name, and what should have it.
_LACKS = (
    re.compile(
        r"(?:use of undeclared (?:identifier|template name)|unknown (?:type|class) name|no (?:template|type) named)"
        r" '(\w+)'(?:;.*)?"
    ),
    re.compile(r"no (?:member|type|template) named '(\w+)' in (?:namespace )?'([^'<]+).*"),
    re.compile(r"scopec does not model `(\w+)`"),
)
#: Namespaces of the library, by their first names.
_LIBRARY = re.compile(r"(std|cuda|cooperative_groups|thrust|cub|nvcuda)\b")
_MOST_NAMES = 3
#: A header's name in the message that there is none.
_QUOTED = re.compile(r"[`'][^`']+[`']")
#: The way to names that scopec's own headers lack.
WAY_TO_REAL = (
    "`--headers real` reads NVIDIA's headers (those of --cuda-path TOOLKIT, or of pip install 'scopec[headers]')"
)

#: What a line declares, roughly: the first name behind a type, before an initial value, parameters or the end.
_DECLARED = re.compile(r"(?:^|[;{}])(?!\s*return\b)[\w:<>,*&\s]+(?:\s|[>&*]|::)(\w+)\s*(?=[;={(\[]|$)")

_Key = tuple[str, ...]
_Said = tuple[str, str]


def by_root(diagnostics: Sequence[Diagnostic], file: str, *, real: bool) -> tuple[Diagnostic, ...]:
    """One diagnostic a root, those of missing files first, of a file; ``real`` says whether NVIDIA's headers were read.

    What is missing from scopec's own headers is one root for each namespace of the library.  An error follows from an
    earlier one that is at the same place, or where it is a word out of place on the same line, or misses a name that is
    declared there.
    """
    found: dict[_Key, list[Diagnostic]] = {}
    places: dict[tuple[object, ...], _Key] = {}
    declared: dict[str, _Key] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity != "error":
            found[("", str(diagnostic))] = [diagnostic]
            continue
        span, said = diagnostic.span, _said(diagnostic)
        line = (span.file, span.line)
        key = _lacking(diagnostic, said, real=real)
        if key is None or key not in found:
            syntax = diagnostic.code is Code.SYNTAX
            root = places.get((*line, span.column)) or (places.get(line) if syntax else None)
            key = root or (declared.get(said[0]) if said else None) or key or ("", str(diagnostic))
        found.setdefault(key, []).append(diagnostic)
        places.setdefault((*line, span.column), key)
        places.setdefault(line, key)
        for name in _DECLARED.findall(diagnostic.line or ""):
            declared.setdefault(name, key)
    absent = next(
        (header[0] for of in found.values() if is_absent(of[0]) and (header := _QUOTED.search(of[0].message))), ""
    )
    told = [
        _told(key, of, absent, lent=not real and of[0].span.file != file, whole=of[0].span.file != file)
        for key, of in found.items()
    ]
    return tuple(sorted(told, key=lambda d: not is_absent(d)))


def _lacking(diagnostic: Diagnostic, said: _Said | None, *, real: bool) -> _Key | None:
    """What an error says is missing."""
    if is_hidden(diagnostic):
        return ("hidden", diagnostic.span.file)
    if said is None:
        return None
    library = None if real else _LIBRARY.match(said[1])
    return ("library", library[1]) if library else ("name", *said)


def _said(diagnostic: Diagnostic) -> _Said | None:
    """The name that an error says is missing, and what should have it."""
    match = next((m for words in _LACKS if (m := words.fullmatch(diagnostic.message))), None)
    return None if match is None else (match[1], match[2] if match.re.groups > 1 else "")


def _told(key: _Key, errors: list[Diagnostic], absent: str, *, lent: bool, whole: bool) -> Diagnostic:
    """The first error of a root, which says how many there are.

    ``absent`` is a header that is missing, if one is: it may declare what is not known.  ``lent`` says that the error
    is in a header over scopec's own, ``whole`` that it is in no file that may be another's part.
    """
    first = errors[0]
    message, help_ = first.message, first.help
    if key[0] == "library":
        names = list(dict.fromkeys(f"{said[1]}::{said[0]}" for one in errors if (said := _said(one))))
        shown = ", ".join(f"`{name}`" for name in names[:_MOST_NAMES])
        more = f", nor {len(names) - _MOST_NAMES} more names of `{key[1]}`" if len(names) > _MOST_NAMES else ""
        guess = re.search(r"did you mean (?:simply )?'([^']+)'", message)
        spelled = f"`{guess[1]}`" if guess and len(names) == 1 else "another spelling"
        way = f"perhaps {spelled}; else {WAY_TO_REAL}"
        message, help_ = f"scopec's own headers have no {shown}{more}", way
    elif key[0] == "name" and not key[2] and first.code is Code.UNKNOWN_NAME and lent and help_ is None:
        help_ = f"declare it before; if it is of a library, {WAY_TO_REAL}"
    elif key[0] == "name" and not (key[2] or whole) and (other := including(Path(first.span.file))) is not None:
        help_ = f"`{other.name}` includes this file: what it declares before is missing here, so check that file"
    elif key[0] == "name" and absent and help_ is None:
        help_ = f"it may be declared in {absent}, which is missing"
    if len(errors) > 1:
        message = f"{len(errors)} errors have one root: {message}"
    return replace(first, message=message, help=help_)
