"""An editor as a language server knows one: JSON-RPC over its standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: How long a session may wait for an answer; nothing is told by how long one takes.
_SECONDS = 100


class Editor:
    """A session; what the server tells by itself is kept until somebody asks for it."""

    def __init__(
        self,
        runtime: Path,
        cwd: Path,
        *,
        warm: bool = False,
        trusted: bool | None = None,
        delay: float | None = None,
        **variables: str,
    ) -> None:
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), **variables}
        if warm:
            environment.pop("SCOPEC_SERVER", None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scopec.cli", "lsp"], cwd=cwd, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.pid = self._process.pid
        self.runtime = runtime
        self._late = threading.Timer(_SECONDS, self._process.kill)
        self._late.start()
        self._number = 0
        self._versions: dict[str, int] = {}
        self.shown: dict[str, list[dict[str, Any]]] = {}
        self.messages: list[str] = []
        said = {"trusted": trusted, "delay": delay}
        options = {name: value for name, value in said.items() if value is not None}
        capabilities = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
        self.can = self.ask(
            "initialize", processId=None, rootUri=None, capabilities=capabilities, initializationOptions=options
        )["capabilities"]
        self.tell("initialized")

    def _send(self, **message: Any) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        size = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        assert size, "the server has ended"
        message: dict[str, Any] = json.loads(self._process.stdout.read(size))
        match message.get("method"):
            case "textDocument/publishDiagnostics":
                self.shown[message["params"]["uri"]] = message["params"]["diagnostics"]
            case "window/showMessage":
                self.messages.append(message["params"]["message"])
        return message

    def tell(self, method: str, **params: Any) -> None:
        """A notification."""
        self._send(method=method, params=params)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self._number += 1
        self._send(method=method, params=params, id=self._number)
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def at(self, method: str, path: Path, line: int, column: int) -> Any:
        """The result of a request about a place."""
        return self.ask(
            f"textDocument/{method}", textDocument={"uri": path.as_uri()}, position={"line": line, "character": column}
        )

    def command(self, name: str, *arguments: str) -> Any:
        """The result of a command."""
        return self.ask("workspace/executeCommand", command=name, arguments=list(arguments))

    def open(self, path: Path, text: str) -> None:
        """Open a text as that of a file, which need not be there."""
        self._versions[path.as_uri()] = 1
        self.tell(
            "textDocument/didOpen",
            textDocument={"uri": path.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text},
        )

    def change(self, path: Path, text: str) -> None:
        """Let the text be another one."""
        self._versions[path.as_uri()] += 1
        document = {"uri": path.as_uri(), "version": self._versions[path.as_uri()]}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def version(self, path: Path) -> int:
        """The version of a text."""
        return self._versions[path.as_uri()]

    def until(self, path: Path, holds: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """The diagnostics of a file once something holds of them that are told next."""
        while True:
            message = self._receive()
            params = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == path.as_uri():
                found: list[dict[str, Any]] = params["diagnostics"]
                if holds(found):
                    return found

    def settled(self, path: Path, kernel: str = "k") -> list[dict[str, Any]]:
        """The diagnostics of a file, and its own alone, once all is known."""
        self.command("scopec.check", path.as_uri(), kernel)
        return self.shown[path.as_uri()]

    def end(self) -> int:
        """End the session in order; the exit status."""
        self.ask("shutdown")
        self.tell("exit")
        status = self._process.wait()
        self._close()
        return status

    def kill(self) -> None:
        """End the server as a crash of the editor's does."""
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        self._late.cancel()
        self._late.join()
        for file in (self._process.stdin, self._process.stdout):
            if file is not None:
                file.close()
