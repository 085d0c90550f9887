"""Answers to an editor that need no engine: they follow from a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from scopec.base.source import Source
from scopec.lsp import directives
from scopec.lsp.editor.shown import diagnostic, edit, location, place_at
from scopec.lsp.kernels import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pygls.workspace import Workspace

    from scopec.lsp.editor.documents import Document
    from scopec.lsp.wire import Place

CHECK, EVERY, GPU, PAGE = "scopec.check", "scopec.every", "scopec.gpu", "scopec.page"
LEGEND = types.SemanticTokensLegend(list(directives.KINDS), [])


def lenses(document: Document, *, gpu: bool) -> Iterator[types.CodeLens]:
    """Lenses at each kernel, and at what has a counterexample; ``gpu`` is whether programs may be run."""
    if document.path.endswith(".cu"):
        for name, line in kernels(Source(document.path, document.text)):
            yield _lens(line, "scopec: check this kernel", CHECK, document.uri, name)
            yield _lens(line, "for every launch", EVERY, document.uri, name)
            if gpu:
                yield _lens(line, "on the GPU", GPU, document.uri)
    for name, run in document.runs.items():
        for finding in run.findings:
            if finding.traced and finding.place.file == document.path:
                title = f"counterexample of `{finding.expectation}`"
                yield _lens(finding.place.line, title, PAGE, document.uri, finding.expectation, name)


def _lens(line: int, title: str, command: str, *arguments: str) -> types.CodeLens:
    at = types.Position(line, 0)
    return types.CodeLens(types.Range(at, at), types.Command(title, command, arguments=list(arguments)))


def fixes(
    document: Document, where: types.Range, workspace: Workspace, *, versions: bool
) -> Iterator[types.CodeAction]:
    """The changes under which what is wrong in a range was found to hold."""
    told = set()
    for finding in document.findings:
        shown = diagnostic(finding, workspace)
        related = (one.location.range for one in shown.related_information or () if one.location.uri == document.uri)
        if not any(_meets(one, where) for one in (shown.range, *related)):
            continue
        for fix in (finding.fix, finding.instead):
            if fix is None or fix in told:
                continue
            change = edit(fix, document.path, workspace, versions=versions)
            if change is not None:
                told.add(fix)
                first = fix is finding.fix
                yield types.CodeAction(
                    fix.words, types.CodeActionKind.QuickFix, [shown], is_preferred=first, edit=change
                )


def _meets(one: types.Range, other: types.Range) -> bool:
    return one.start.line <= other.end.line and other.start.line <= one.end.line


def others(document: Document, position: types.Position, workspace: Workspace) -> Iterator[types.Location]:
    """The other accesses of the races that an access at a position is in."""
    at = place_at(position, document.text.split("\n"), workspace)
    told = set()
    for finding in document.findings:
        here = [place for place in finding.meeting if _covers(place, at, document.path)]
        for place in finding.meeting:
            if here and place not in here and place not in told:
                told.add(place)
                yield location(place, workspace)


def _covers(place: Place, at: tuple[int, int], path: str) -> bool:
    return place.file == path and (place.line, place.column) <= at < (place.end_line, place.end_column)


def hover(
    document: Document, position: types.Position, workspace: Workspace, explained: Mapping[str, str]
) -> types.Hover | None:
    """What a directive asks, and the order and scope of an atomic or fence."""
    lines = document.text.split("\n")
    line, column = place_at(position, lines, workspace)
    if line >= len(lines):
        return None
    found = directives.meaning(lines[line], column)
    if found is not None:
        start, end, text = found
        return _hover(explained.get(lines[line][start:end], text))
    said = [note.text for note in document.scopes if _covers(note.place, (line, column), document.path)]
    return _hover("\n\n---\n\n".join(dict.fromkeys(said))) if said else None


def _hover(text: str) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def completions(document: Document, position: types.Position, workspace: Workspace) -> list[types.CompletionItem]:
    """The words that can stand at a place of a directive."""
    lines = document.text.split("\n")
    line, column = place_at(position, lines, workspace)
    words = directives.completions(lines[line][:column]) if line < len(lines) else ()
    return [
        types.CompletionItem(
            word.name,
            kind=types.CompletionItemKind.Keyword,
            documentation=types.MarkupContent(types.MarkupKind.Markdown, word.meaning) if word.meaning else None,
            sort_text=f"{number:03}",
        )
        for number, word in enumerate(words)
    ]


def tokens(document: Document, workspace: Workspace) -> types.SemanticTokens:
    """The tokens of the directives, each by its distance from the one before."""
    data: list[int] = []
    units = workspace.position_codec.client_num_units
    lines = document.text.split("\n")
    line = column = 0
    for token in directives.tokens(document.text):
        text = lines[token.line]
        begin = units(text[: token.column])
        length = units(text[token.column : token.column + token.length])
        data += [token.line - line, begin - (column if token.line == line else 0), length,
                 directives.KINDS.index(token.kind), 0]  # fmt: skip
        line, column = token.line, begin
    return types.SemanticTokens(data)
