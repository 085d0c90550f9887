"""The open texts: when each is asked about, and what is known of it.

All of it happens in the thread of the event loop, to which the calls hand their messages.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsprotocol import types

from scopec.lsp.ask import Asked
from scopec.lsp.editor.shown import diagnostic, uri_of
from scopec.lsp.shifted import shifted
from scopec.lsp.wire import Done, Page, Question, Read, Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pygls.lsp.server import LanguageServer

    from scopec.lsp.wire import Finding, Message, Noted


@dataclass
class Document:
    """An open program, and what is known of its text.

    ``runs`` are the verdicts of the text, ``old`` those of the text before, until they come anew.  ``read`` says
    whether the text is known to be a program, ``settled`` whether all is known that was asked.
    """

    uri: str
    path: str
    text: str
    asked: Asked | None = None
    waiting: asyncio.TimerHandle | None = None
    runs: dict[str, Verdicts] = field(default_factory=dict)
    old: tuple[Finding, ...] = ()
    diagnostics: tuple[Finding, ...] = ()
    read: bool = False
    settled: bool = False
    failure: str | None = None
    waiters: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def findings(self) -> Iterator[Finding]:
        """What does not hold of the text as it is."""
        told = set()
        for run in self.runs.values():
            for finding in run.findings:
                if (key := (finding.place, finding.message)) not in told:
                    told.add(key)
                    yield finding

    @property
    def scopes(self) -> Iterator[Noted]:
        """What is to be said of atomics and fences."""
        for run in self.runs.values():
            yield from run.scopes

    def change(self, text: str) -> None:
        """Take another text: what was known is old."""
        known = {f.expectation for f in self.findings} | {n.text for r in self.runs.values() for n in r.holding}
        left = (f for f in self.old if f.expectation not in known)
        self.old = tuple(shifted((*self.findings, *left), self.path, self.text, text))
        self.diagnostics = tuple(shifted(self.diagnostics, self.path, self.text, text))
        self.text, self.runs, self.read, self.settled = text, {}, False, False

    def take(self, message: Message) -> None:
        """Take what was found out."""
        match message:
            case Read():
                self.read, self.diagnostics = True, ()
            case Verdicts():
                self.runs[message.run] = message
                come = {f.expectation for f in message.findings} | {n.text for n in message.holding}
                self.old = tuple(f for f in self.old if f.expectation not in come)
            case Done():
                self.diagnostics, self.failure, self.settled = message.diagnostics, message.failure, True
                if self.read:
                    self.old = ()
            case Page():
                pass


class Documents:
    """The open programs of a server."""

    def __init__(self, server: LanguageServer, command: Sequence[str], warm: Callable[[], None]) -> None:
        self._server, self._command, self._warm = server, command, warm
        self._open: dict[str, Document] = {}
        #: The files of which something was published, for each document.
        self._shown: dict[str, set[str]] = defaultdict(set)
        #: The calls that were ended, and may not have come to their end.
        self._ending: list[Asked] = []
        self.seconds = 0.15

    def get(self, uri: str) -> Document | None:
        """A program that is open."""
        return self._open.get(uri)

    @property
    def all(self) -> tuple[Document, ...]:
        """The programs that are open."""
        return tuple(self._open.values())

    def open(self, uri: str, path: str, text: str) -> None:
        """Take a text that was opened, and ask about it."""
        self._open[uri] = Document(uri, path, text)
        self.ask(self._open[uri])

    def change(self, document: Document, text: str) -> None:
        """Take a text that has changed: end what is being asked, and ask again once nothing more changes."""
        self._stop(document)
        document.change(text)
        self.publish(document)
        loop = asyncio.get_running_loop()
        document.waiting = loop.call_later(self.seconds, self.ask, document)

    def close(self, document: Document) -> None:
        """Forget a text."""
        self._stop(document)
        self._settle(document)
        del self._open[document.uri]
        self._publish(self._shown.pop(document.uri, set()))

    def ask(self, document: Document) -> None:
        """Ask what the text expects."""
        self._stop(document)
        document.settled = False
        document.asked = self.call(Question(document.path, document.text), lambda said: self._take(document, said))

    def call(self, question: Question, say: Callable[[Message], None]) -> Asked:
        """Ask a question; messages come in the thread of the event loop."""
        self._warm()
        loop = asyncio.get_running_loop()
        made: list[Asked] = []

        def here(message: Message) -> None:
            if not (made and made[0].cancelled):
                say(message)

        def there(message: Message) -> None:
            loop.call_soon_threadsafe(here, message)

        made.append(Asked(self._command, question, there))
        return made[0]

    async def settled(self, document: Document) -> None:
        """Wait until all is known of a text that was asked."""
        if not document.settled:
            waiter = asyncio.get_running_loop().create_future()
            document.waiters.append(waiter)
            await waiter

    def end(self) -> None:
        """End all that is being asked, and wait for it."""
        for document in self._open.values():
            self._stop(document)
        for asked in self._ending:
            asked.wait()

    def stop(self, asked: Asked) -> None:
        """End a call."""
        asked.cancel()
        self._ending = [one for one in (*self._ending, asked) if one.runs]

    def _stop(self, document: Document) -> None:
        if document.waiting is not None:
            document.waiting.cancel()
            document.waiting = None
        if document.asked is not None:
            self.stop(document.asked)
            document.asked = None

    def _settle(self, document: Document) -> None:
        for waiter in document.waiters:
            if not waiter.done():
                waiter.set_result(None)
        document.waiters.clear()

    def _take(self, document: Document, message: Message) -> None:
        document.take(message)
        self.publish(document)
        if isinstance(message, Done):
            document.asked = None
            if message.failure is not None:
                self._server.window_log_message(
                    types.LogMessageParams(types.MessageType.Warning, f"{document.path}: {message.failure}")
                )
            self._settle(document)
            self._refresh()

    def _refresh(self) -> None:
        """Let the client ask for lenses again: they say what is known."""
        capabilities = self._server.client_capabilities.workspace
        if capabilities and capabilities.code_lens and capabilities.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)

    def publish(self, document: Document) -> None:
        """Publish what is known of a text, in each file that it is about."""
        places = {uri_of(f.place.file) for f in (*document.diagnostics, *document.findings, *document.old)}
        files = {document.uri, *places}
        before = self._shown[document.uri]
        self._shown[document.uri] = files
        self._publish(files | before)

    def _publish(self, files: set[str]) -> None:
        workspace = self._server.workspace
        for uri in sorted(files):
            told = [
                diagnostic(finding, workspace, old=old)
                for document in self._open.values()
                for findings, old in (
                    (document.diagnostics, False), (document.findings, False), (document.old, True)
                )
                for finding in findings
                if self._uri(finding, document) == uri
            ]  # fmt: skip
            about = self._open.get(uri)
            version = workspace.text_documents[uri].version if about and uri in workspace.text_documents else None
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told, version))

    def _uri(self, finding: Finding, document: Document) -> str:
        """The URI of the file of a finding; that of a document is the client's own."""
        return document.uri if finding.place.file == document.path else uri_of(finding.place.file)
