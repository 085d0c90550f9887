"""Places, diagnostics and changes in the words of the protocol, which counts columns as the client wants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls import uris

from scopec.base.resources import resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygls.workspace import Workspace

    from scopec.lsp.wire import Finding, Fix, Place

SOURCE = "scopec"
_LEVELS = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
}


def uri_of(file: str) -> str:
    """The URI of a file."""
    return uris.from_fs_path(file) or ""


def lines_of(uri: str, workspace: Workspace) -> Sequence[str]:
    """The lines of a text that is open, or of a file; none where it cannot be read."""
    try:
        return workspace.get_text_document(uri).source.split("\n")
    except (OSError, ValueError):
        return []


def range_of(place: Place, lines: Sequence[str], workspace: Workspace) -> types.Range:
    """A place in a text of these lines."""
    ends = ((place.line, place.column), (place.end_line, place.end_column))
    start, end = (_position(line, column, lines, workspace) for line, column in ends)
    return types.Range(start, end)


def _position(line: int, column: int, lines: Sequence[str], workspace: Workspace) -> types.Position:
    position = types.Position(max(line, 0), max(column, 0))
    return workspace.position_codec.position_to_client_units(lines, position) if line < len(lines) else position


def place_at(position: types.Position, lines: Sequence[str], workspace: Workspace) -> tuple[int, int]:
    """A position of the client, as a line and a column in characters."""
    if position.line >= len(lines):
        return position.line, 0
    found = workspace.position_codec.position_from_client_units(lines, position)
    return found.line, found.character


def location(place: Place, workspace: Workspace) -> types.Location:
    """A place with its file."""
    uri = uri_of(place.file)
    return types.Location(uri, range_of(place, lines_of(uri, workspace), workspace))


def diagnostic(finding: Finding, workspace: Workspace, *, old: bool = False) -> types.Diagnostic:
    """A finding; one of a text that has changed since is a hint, greyed."""
    related = [types.DiagnosticRelatedInformation(location(n.place, workspace), n.text) for n in finding.related]
    return types.Diagnostic(
        range=location(finding.place, workspace).range,
        message=f"of the text before: {finding.message}" if old else finding.message,
        severity=types.DiagnosticSeverity.Hint if old else _LEVELS[finding.level],
        code=finding.code,
        code_description=_explained(finding.code),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if old else None,
        related_information=related or None,
    )


def _explained(code: str) -> types.CodeDescription | None:
    """The document of the codes of diagnostics, as this installation has it."""
    if not code.startswith("SCP"):
        return None
    return types.CodeDescription(resource("docs").joinpath("diagnostics.md").absolute().as_uri())


def edit(fix: Fix, own: str, workspace: Workspace, *, versions: bool) -> types.WorkspaceEdit | None:
    """A change as one of the workspace; None where a file that was read from the disk is open with changes."""
    edits: dict[str, list[types.TextEdit]] = {}
    for change in fix.changes:
        uri = uri_of(change.place.file)
        if change.place.file != own and not _is_as_on_disk(uri, workspace):
            return None
        where = location(change.place, workspace).range
        edits.setdefault(uri, []).append(types.TextEdit(where, change.text))
    if not versions:
        return types.WorkspaceEdit(changes=edits)
    documents = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, _version(uri, workspace)), list(changes)
        )
        for uri, changes in edits.items()
    ]
    return types.WorkspaceEdit(document_changes=list(documents))


def _version(uri: str, workspace: Workspace) -> int | None:
    document = workspace.text_documents.get(uri)
    return None if document is None else document.version


def _is_as_on_disk(uri: str, workspace: Workspace) -> bool:
    document = workspace.text_documents.get(uri)
    if document is None:
        return True
    try:
        return Path(document.path).read_bytes().decode("utf-8-sig") == str(document.source)
    except (OSError, UnicodeDecodeError):
        return False
