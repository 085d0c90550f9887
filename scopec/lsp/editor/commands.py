"""The commands of the lenses."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from scopec.base.children import started
from scopec.lsp.ask import FOLDER
from scopec.lsp.wire import Done, Page, Question, Verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pygls.lsp.server import LanguageServer

    from scopec.lsp.editor.documents import Document, Documents
    from scopec.lsp.wire import Message

#: What the names of runs about all launches begin with.
_EVERY = "every launch\n"


async def check(server: LanguageServer, documents: Documents, document: Document, kernel: str) -> str:
    """Ask about the text at once, and say what is known of a kernel."""
    documents.ask(document)
    await documents.settled(document)
    text = _summary(kernel, document.runs.values(), document.failure)
    return _said(server, text)


async def every(server: LanguageServer, documents: Documents, document: Document, kernel: str) -> str:
    """Ask about all launches of each kernel, show that too, and say what is known of one."""
    text = document.text
    messages = await _all(documents, Question(document.path, text, "every"))
    runs = [m for m in messages if isinstance(m, Verdicts)]
    if document.text == text:
        for run in runs:
            document.take(Verdicts(f"{_EVERY}{run.run}", run.findings, run.holding, (), run.kernels))
        documents.publish(document)
    done = messages[-1]
    assert isinstance(done, Done)
    failure = done.failure or "; ".join(d.message for d in done.diagnostics if d.level == "error") or None
    return _said(server, f"for every launch: {_summary(kernel, runs, failure)}")


async def page(
    server: LanguageServer, documents: Documents, document: Document, expectation: str, run: str
) -> str | None:
    """The page of a counterexample, as HTML: of an expectation in a run, or the first there is."""
    question = Question(
        document.path, document.text, "every" if run.startswith(_EVERY) else "check", page=True,
        expectation=expectation, run=run.removeprefix(_EVERY),
    )  # fmt: skip
    messages = await _all(documents, question)
    found = next((m for m in messages if isinstance(m, Page)), None)
    if found is not None and found.html:
        return found.html
    _said(server, found.missing if found is not None else "there is no counterexample")
    return None


async def gpu(server: LanguageServer, document: Document, command: Sequence[str]) -> str:
    """Run the program of a file on a GPU, beside what the model allows."""
    path = Path(document.path)
    try:
        saved = path.read_bytes().decode("utf-8-sig") == document.text
    except (OSError, UnicodeDecodeError):
        saved = False
    if not saved:
        return _said(server, "save the file first: what runs on the GPU is the file")
    done = await asyncio.to_thread(_run, [*command, "run", str(path)])
    server.window_log_message(types.LogMessageParams(types.MessageType.Info, done))
    return _said(server, next((line for line in reversed(done.splitlines()) if line.strip()), "it printed nothing"))


def _run(command: Sequence[str]) -> str:
    """What a call prints; it ends with this process."""
    child = started(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=FOLDER, text=True,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    out, _ = child.communicate()
    return str(out)


async def _all(documents: Documents, question: Question) -> list[Message]:
    """All messages that answer a question; its call ends where nobody waits for it any more."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    messages: list[Message] = []

    def take(message: Message) -> None:
        messages.append(message)
        if isinstance(message, Done) and not done.done():
            done.set_result(None)

    asked = documents.call(question, take)
    try:
        await done
    except asyncio.CancelledError:
        documents.stop(asked)
        raise
    return messages


def _summary(kernel: str, runs: Iterable[Verdicts], failure: str | None) -> str:
    """What is known of a kernel, in a sentence."""
    about = [run for run in runs if kernel in run.kernels or not run.kernels]
    bad = [f"`{f.expectation}`: {f.code}" for run in about for f in run.findings]
    holding = [f"`{note.text}`" for run in about for note in run.holding]
    parts = [f"{', '.join(dict.fromkeys(bad))}"] if bad else []
    parts += [f"{', '.join(dict.fromkeys(holding))} {'holds' if len(set(holding)) == 1 else 'hold'}"] if holding else []
    parts += [failure] if failure else []
    return f"`{kernel}`: {'; '.join(parts) or 'nothing was asked'}"


def _said(server: LanguageServer, text: str) -> str:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return text
