"""A question of the language server and the messages that answer it: one line of JSON each.

Places count lines and columns from 0, columns in characters.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span

Level = Literal["error", "warning", "information"]


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, span: Span) -> Place:
        """A span as a place."""
        return cls(span.file, span.line - 1, span.column - 1, span.end_line - 1, span.end_column - 1)


@dataclass(frozen=True, slots=True)
class Noted:
    """A place, and what is to be said of it."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of texts under which an expectation was found to hold, in words and as replacements."""

    words: str
    changes: tuple[Noted, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What an editor shows at a place.

    ``code`` is that of a diagnostic (SCP013) or the kind of a violation (data-race), ``expectation`` the text of what
    is expected, empty of a diagnostic; ``meeting`` are the places of accesses that race, ``traced`` says whether there
    is a counterexample to show.
    """

    place: Place
    code: str
    level: Level
    message: str
    related: tuple[Noted, ...] = ()
    fix: Fix | None = None
    expectation: str = ""
    meeting: tuple[Place, ...] = ()
    traced: bool = False
    instead: Fix | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a text that stands, or might stand, at ``path``.

    ``check`` asks what the text expects, ``every`` about all launches of each kernel.  With ``page`` the page of a
    counterexample is wanted: that of ``expectation`` in the run ``run``, where these are named.
    """

    path: str
    text: str
    kind: Literal["check", "every"] = "check"
    page: bool = False
    expectation: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """The text is a program: it is being asked about."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts of one run, which is called ``run``; later ones replace earlier ones.

    ``holding`` are the expectations that hold, ``scopes`` what is to be said of atomics and fences,
    ``kernels`` the kernels that it is about.
    """

    run: str
    findings: tuple[Finding, ...]
    holding: tuple[Noted, ...]
    scopes: tuple[Noted, ...] = ()
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a counterexample; without one, the reason."""

    html: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """All that is to be said has been said: diagnostics, and the failure of an engine, if one failed."""

    diagnostics: tuple[Finding, ...] = ()
    failure: str | None = None


Message: TypeAlias = Read | Verdicts | Page | Done
_MESSAGES: dict[str, type[Message]] = {c.__name__: c for c in (Read, Verdicts, Page, Done)}


def question_line(question: Question) -> str:
    """A question as a line."""
    return json.dumps(asdict(question)) + "\n"


def question_of(line: str) -> Question:
    """The question of a line."""
    return Question(**json.loads(line))


def message_line(message: Message) -> str:
    """A message as a line."""
    return json.dumps({"is": type(message).__name__, **asdict(message)}) + "\n"


def message_of(line: str) -> Message:
    """The message of a line."""
    said = json.loads(line)
    match said.pop("is"):
        case "Verdicts":
            findings, holding, scopes = said["findings"], _noted(said["holding"]), _noted(said["scopes"])
            return Verdicts(said["run"], _findings(findings), holding, scopes, tuple(said["kernels"]))
        case "Done":
            return Done(_findings(said["diagnostics"]), said["failure"])
        case name:
            return _MESSAGES[name](**said)


def _findings(said: list[dict[str, Any]]) -> tuple[Finding, ...]:
    return tuple(map(_finding, said))


def _finding(said: dict[str, Any]) -> Finding:
    fix, instead = (_fix(said[name]) for name in ("fix", "instead"))
    meeting = tuple(Place(**place) for place in said["meeting"])
    place, related = Place(**said["place"]), _noted(said["related"])
    return Finding(**{**said, "place": place, "related": related, "fix": fix, "instead": instead, "meeting": meeting})


def _fix(said: dict[str, Any] | None) -> Fix | None:
    return None if said is None else Fix(said["words"], _noted(said["changes"]))


def _noted(said: list[dict[str, Any]]) -> tuple[Noted, ...]:
    return tuple(Noted(Place(**one["place"]), one["text"]) for one in said)
