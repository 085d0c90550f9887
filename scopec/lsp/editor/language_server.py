"""The language server: what the editor asks, and who answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from scopec.base.version import __version__
from scopec.lsp.editor import answers, commands
from scopec.lsp.editor.documents import Document, Documents
from scopec.session.plan import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def run(command: Sequence[str], warm: Callable[[], None], explained: Callable[[], Mapping[str, str]]) -> None:
    """Serve an editor on standard input and output.

    ``command`` is that of scopec, ``warm`` sees to a process that carries out calls, ``explained`` has the texts of
    `scopec explain`.
    """
    warm()
    server = LanguageServer("scopec", __version__)
    documents = Documents(server, command, warm)
    trust = _Trust()
    _lifetime(server, documents, trust)
    _asked(server, documents, trust, cache(explained))
    _commands(server, documents, trust, command)
    try:
        server.start_io()
    finally:
        documents.end()


def _program(uri: str) -> str | None:
    """The path of a program; None of what is no file, or none that scopec reads."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return path if path and Path(path).suffix in SUFFIXES else None


@dataclass
class _Trust:
    """Whether the client has said that programs of the workspace may be run."""

    given: bool = False


def _lifetime(server: LanguageServer, documents: Documents, trust: _Trust) -> None:
    """What opens, changes and closes texts."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        options = params.initialization_options if isinstance(params.initialization_options, dict) else {}
        trust.given = options.get("trusted") is True
        seconds = options.get("delay")
        documents.seconds = float(seconds) if isinstance(seconds, int | float) else documents.seconds

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        if (path := _program(document.uri)) is not None:
            documents.open(document.uri, path, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = documents.get(params.text_document.uri)
        text = server.workspace.get_text_document(params.text_document.uri).source
        if document is not None and document.text != text:
            documents.change(document, text)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        document = documents.get(params.text_document.uri)
        for one in documents.all:  # they may include it; what has not changed is answered from the cache
            if one is not document:
                documents.ask(one)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def others_changed(_params: types.DidChangeWatchedFilesParams) -> None:
        for one in documents.all:
            documents.ask(one)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        if (document := documents.get(params.text_document.uri)) is not None:
            documents.close(document)


def _asked(
    server: LanguageServer, documents: Documents, trust: _Trust, explained: Callable[[], Mapping[str, str]]
) -> None:
    """What is answered at once."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        document = documents.get(params.text_document.uri)
        return [] if document is None else list(answers.lenses(document, gpu=trust.given))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = documents.get(params.text_document.uri)
        if document is None:
            return []
        edits = server.client_capabilities.workspace and server.client_capabilities.workspace.workspace_edit
        versions = bool(edits and edits.document_changes)
        return list(answers.fixes(document, params.range, server.workspace, versions=versions))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        document = documents.get(params.text_document.uri)
        return [] if document is None else list(answers.others(document, params.position, server.workspace))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = documents.get(params.text_document.uri)
        if document is None:
            return None
        return answers.hover(document, params.position, server.workspace, explained())

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["@", " ", "="]))
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        document = documents.get(params.text_document.uri)
        return [] if document is None else answers.completions(document, params.position, server.workspace)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, answers.LEGEND)
    def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = documents.get(params.text_document.uri)
        return types.SemanticTokens([]) if document is None else answers.tokens(document, server.workspace)


def _commands(server: LanguageServer, documents: Documents, trust: _Trust, command: Sequence[str]) -> None:
    """What the lenses do; each names a text, and a kernel or an expectation."""

    def named(uri: Any) -> Document | None:
        return documents.get(str(uri))

    @server.command(answers.CHECK)
    async def check(uri: str, kernel: str) -> str | None:
        document = named(uri)
        return None if document is None else await commands.check(server, documents, document, kernel)

    @server.command(answers.EVERY)
    async def every(uri: str, kernel: str) -> str | None:
        document = named(uri)
        return None if document is None else await commands.every(server, documents, document, kernel)

    @server.command(answers.PAGE)
    async def page(uri: str, expectation: str, run: str) -> str | None:
        document = named(uri)
        return None if document is None else await commands.page(server, documents, document, expectation, run)

    @server.command(answers.GPU)
    async def gpu(uri: str) -> str | None:
        document = named(uri)
        if document is None:
            return None
        if not trust.given:
            server.window_show_message(
                types.ShowMessageParams(types.MessageType.Warning, "nothing is run: the workspace is not trusted")
            )
            return None
        return await commands.gpu(server, document, command)
