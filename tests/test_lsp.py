"""``scopec lsp``: what an editor is told of the text in it, at once and as verdicts come, and that nothing else is run."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.editor import Editor
from tests.test_documents import README, block

pytest.importorskip("pygls", reason="pygls is not here")

from lsprotocol import types
from pygls.workspace import Workspace

HANDOVER = block(README, "cuda handover.cu")
#: Asked about for longer than any test waits.
LONG = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x[3];
__global__ void k() { for (int i = 0; i < 9; i++) x[x[i % 3].fetch_add(i) % 3].fetch_xor(x[1].load()); }
//@ launch k<<<4, 2>>>();
//@ bound unroll = 9;
//@ expect forbidden x[0] == 77;
"""
RACE = "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
ENDS = "__global__ void k() {}\n//@ launch k<<<2, 1>>>();\n//@ expect terminates;\n"

#: How often it is looked whether processes have ended, 20 times a second.
_ENDS = 600

Diagnostics = list[dict[str, Any]]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """A session whose questions a warm process carries out, where there is one."""
    folder = tmp_path_factory.mktemp("editor")
    session = Editor(folder, folder, warm=True)
    yield session
    assert session.end() == 0
    if sys.platform == "linux":
        assert left(folder) == {}


def processes(runtime: Path) -> dict[int, tuple[int, str]]:
    """The processes of a session, each with its parent and its command."""
    marker = f"XDG_RUNTIME_DIR={runtime}\0".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (folder / "environ").read_bytes():
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                found[int(folder.name)] = int(parent), (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def left(runtime: Path) -> dict[int, tuple[int, str]]:
    """The processes of a session that are still there after what a call may take to end."""
    for _ in range(_ENDS):
        if not (found := processes(runtime)):
            return {}
        time.sleep(0.05)
    return found


def asked(editor: Editor) -> list[str]:
    """The processes that answer questions: all but the server and the warm process that it has started."""
    return [
        command
        for pid, (parent, command) in processes(editor.runtime).items()
        if pid != editor.pid and not (parent == editor.pid and " serve " in command)
    ]


def until_asked(editor: Editor) -> None:
    while not asked(editor):
        time.sleep(0.05)


def codes(diagnostics: Diagnostics, *, old: bool = False) -> set[str]:
    """The codes of diagnostics of the text as it is, or of those of the text before."""
    return {one["code"] for one in diagnostics if ("tags" in one) == old}


# ---------------------------------------------------------------- a session


def test_a_recorded_session(editor: Editor, tmp_path: Path) -> None:
    """Open, see the race, type an error, mend it, take the fix, see it hold; the file on the disk is never there."""
    path = tmp_path / "handover.cu"
    editor.open(path, HANDOVER)
    found = editor.until(path, lambda told: "SCP040" in codes(told))
    assert codes(found) == {"data-race", "undefined-behaviour", "hang", "SCP040"}
    (race,) = (one for one in found if one["code"] == "data-race")
    assert HANDOVER.splitlines()[race["range"]["start"]["line"]].strip().startswith("ready.store")
    assert "Try: thread_scope_device for the atomic operations on `ready`" in race["message"]
    other, expected = race["relatedInformation"]
    assert "ready.load" in HANDOVER.splitlines()[other["location"]["range"]["start"]["line"]]
    assert expected["message"] == "expected here"

    broken = HANDOVER.replace("data = 42;", "data = 42")
    editor.change(path, broken)
    found = editor.until(path, lambda told: "SCP005" in codes(told))
    assert codes(found) == {"SCP005"}
    (error,) = (one for one in found if one["code"] == "SCP005")
    assert error["codeDescription"]["href"].endswith("docs/diagnostics.md")
    assert codes(found, old=True) == {"data-race", "undefined-behaviour", "hang"}
    assert {one["severity"] for one in found if "tags" in one} == {4}
    assert all(one["message"].startswith("of the text before: ") for one in found if "tags" in one)
    assert actions(editor, path, race["range"]) == []

    editor.change(path, HANDOVER)
    found = editor.until(path, lambda told: "SCP040" in codes(told))
    assert codes(found, old=True) == set()
    (action,) = actions(editor, path, race["range"])
    assert action["title"].endswith("checked: `race_free` and `required out == 42` hold then")
    (edit,) = action["edit"]["documentChanges"]
    assert edit["textDocument"] == {"uri": path.as_uri(), "version": editor.version(path)}

    mended = applied(HANDOVER, edit["edits"])
    assert mended == HANDOVER.replace("thread_scope_block", "thread_scope_device")
    editor.change(path, mended)
    told = editor.settled(path, "handover")
    assert "data-race" not in codes(told)
    assert editor.messages[-1].startswith("`handover`: ")
    assert "`race_free`, `required out == 42`" in editor.messages[-1]
    assert not path.exists()


def actions(editor: Editor, path: Path, where: dict[str, Any]) -> list[dict[str, Any]]:
    found = editor.ask(
        "textDocument/codeAction", textDocument={"uri": path.as_uri()}, range=where, context={"diagnostics": []}
    )
    return list(found)


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """A text of ASCII with changes of the protocol."""
    lines = text.split("\n")

    def offset(place: dict[str, int]) -> int:
        return sum(len(line) + 1 for line in lines[: place["line"]]) + place["character"]

    for edit in sorted(edits, key=lambda one: -offset(one["range"]["start"])):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def test_what_is_known_is_said_at_a_place(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "handover.cu"
    editor.open(path, HANDOVER)
    editor.settled(path, "handover")
    lines = HANDOVER.split("\n")
    store = next(n for n, line in enumerate(lines) if "ready.store" in line)
    load = next(n for n, line in enumerate(lines) if "ready.load" in line)
    expect = lines.index("//@ expect race_free;")

    (other,) = editor.at("definition", path, store, lines[store].index("ready"))
    assert (other["uri"], other["range"]["start"]["line"]) == (path.as_uri(), load)
    (back,) = editor.at("definition", path, load, lines[load].index("ready"))
    assert back["range"]["start"]["line"] == store
    assert editor.at("definition", path, 0, 0) == []

    said = editor.at("hover", path, store, lines[store].index("ready"))["contents"]["value"]
    assert said.startswith("`stores ready = 1 (release, block)`: what precedes it comes before")
    assert (
        "Block scope includes 1 thread of its own block of `handover`; 1 other block, other launches and the host are"
        in said
    )
    assert "To synchronise, each one's scope includes the other's thread. memory model, [atomics.fences]/2: " in said
    asks = editor.at("hover", path, expect, lines[expect].index("race_free"))["contents"]["value"]
    assert "holds if no execution has a data race" in asks
    assert editor.at("hover", path, 0, 0) is None

    titles = [
        one["command"]["title"] for one in editor.ask("textDocument/codeLens", textDocument={"uri": path.as_uri()})
    ]
    assert titles[:2] == ["scopec: check this kernel", "for every launch"]
    assert "counterexample of `race_free`" in titles
    assert "on the GPU" not in titles

    page = editor.command("scopec.page", path.as_uri(), "race_free", "")
    assert page.startswith("<!doctype html>")
    assert "ready.store" in page


def pages(editor: Editor, path: Path) -> list[tuple[int, str]]:
    """The lines of the lenses that show counterexamples, with the pages."""
    lenses = editor.ask("textDocument/codeLens", textDocument={"uri": path.as_uri()})
    shown = [one for one in lenses if one["command"]["command"] == "scopec.page"]
    return [
        (one["range"]["start"]["line"], editor.command("scopec.page", *one["command"]["arguments"])) for one in shown
    ]


def test_each_violation_has_its_own_counterexample(editor: Editor, tmp_path: Path) -> None:
    """Of two kernels, whose launches are guessed, of which the same is expected."""
    path = tmp_path / "two.cu"
    editor.open(path, "__global__ void first(int* a) { a[0] = 1; }\n\n__global__ void second(int* a) { a[0] = 2; }\n")
    editor.settled(path, "first")
    (one, first), (other, second) = pages(editor, path)
    assert (one, other) == (0, 2)
    assert ("first[" in first, "second[" in first, "first[" in second, "second[" in second) == (
        True,
        False,
        False,
        True,
    )


def test_all_launches_are_asked_on_demand(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "all.cu"
    text = "__global__ void k(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
    editor.open(path, text)
    said = editor.command("scopec.every", path.as_uri(), "k")
    assert "`k`: `race_free for every launch of k`" in said
    assert said.endswith("holds")
    editor.change(path, text.replace(" + threadIdx.x", ""))
    assert "data-race" in editor.command("scopec.every", path.as_uri(), "k")
    assert any("for every launch of k" in page for _, page in pages(editor, path))


def test_directives_are_completed_and_coloured(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "words.cu"
    text = "__global__ void k() {}\n//@ launch k<<<1, 1>>>(); expect \n/* 𝄞 */ //@ expect terminates;\n"
    editor.open(path, text)
    line = text.split("\n")[1]
    labels = [one["label"] for one in editor.at("completion", path, 1, len(line))]
    assert labels[:2] == ["race_free", "race"]
    assert "expect" in [one["label"] for one in editor.at("completion", path, 1, 4)]
    assert editor.at("completion", path, 0, 5) == []
    data = editor.ask("textDocument/semanticTokens/full", textDocument={"uri": path.as_uri()})["data"]
    kinds = editor.can["semanticTokensProvider"]["legend"]["tokenTypes"]
    tokens = [(data[n], data[n + 1], data[n + 2], kinds[data[n + 3]]) for n in range(0, len(data), 5)]
    assert tokens[0] == (1, 4, 6, "keyword")
    # A column is a unit of UTF-16, of which the clef has two.
    assert tokens[-2:] == [(1, 13, 6, "keyword"), (0, 7, 10, "type")]


def test_columns_are_the_clients(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "columns.cu"
    editor.open(path, RACE.replace("{ x = 1; }", "{ /* 𝄞 */ x = 1; }"))
    (race,) = (one for one in editor.settled(path) if one["code"] == "data-race")
    assert race["range"]["start"] == {"line": 1, "character": len("__global__ void k() { /* 12 */ ")}


def test_what_is_included_is_beside_the_file(editor: Editor, tmp_path: Path) -> None:
    """The text is the editor's, its headers are those of the folder, and what is wrong in one is shown there."""
    path, header = tmp_path / "main.cu", tmp_path / "part.h"
    header.write_text("__device__ int x;\n")
    path.write_text("not C++ at all\n")
    editor.open(path, '#include "part.h"\n' + RACE.replace("__device__ int x;\n", ""))
    assert codes(editor.settled(path)) == {"data-race"}
    header.write_text("__device__ nothing x;\n")
    editor.tell("workspace/didChangeWatchedFiles", changes=[{"uri": header.as_uri(), "type": 2}])
    editor.until(header, lambda told: bool(told))
    header.write_text("__device__ int x;\n")
    assert codes(editor.settled(path)) == {"data-race"}
    assert editor.shown[header.as_uri()] == []


def test_a_text_that_is_closed_has_no_diagnostics(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "closed.cu"
    editor.open(path, RACE)
    assert editor.settled(path)
    editor.tell("textDocument/didClose", textDocument={"uri": path.as_uri()})
    assert editor.until(path, lambda _told: True) == []
    assert editor.command("scopec.check", path.as_uri(), "k") is None


# ---------------------------------------------------------------- ends


@pytest.mark.skipif(sys.platform != "linux", reason="this system is not Linux")
def test_a_change_ends_what_is_being_asked(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "long.cu"
    editor.open(path, LONG)
    until_asked(editor)
    editor.change(path, ENDS)
    assert editor.settled(path) == []
    for _ in range(_ENDS):
        if not asked(editor):
            return
        time.sleep(0.05)
    raise AssertionError(asked(editor))


@pytest.mark.skipif(sys.platform != "linux", reason="this system is not Linux")
@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.sampled(1)
def test_a_killed_server_leaves_nothing(warm: bool, tmp_path: Path) -> None:
    session = Editor(tmp_path, tmp_path, warm=warm)
    session.open(tmp_path / "long.cu", LONG)
    until_asked(session)
    session.kill()
    assert left(tmp_path) == {}


# ---------------------------------------------------------------- strangers


def test_an_untrusted_workspace_runs_nothing(tmp_path: Path) -> None:
    """Nor does one of which nobody said that it is trusted; where it is, what the client asks for is run."""
    marker, tools = tmp_path / "ran", tmp_path / "bin"
    tools.mkdir()
    (tools / "nvcc").write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
    (tools / "nvcc").chmod(0o755)
    path = tmp_path / "race.cu"
    path.write_text(RACE)
    ran = []
    for trusted in (None, False, True):
        variables = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "SCOPEC_DEBUG": ""}
        session = Editor(tmp_path, tmp_path, trusted=trusted, **variables)
        session.open(path, RACE)
        session.command("scopec.gpu", path.as_uri())
        lenses = session.ask("textDocument/codeLens", textDocument={"uri": path.as_uri()})
        ran.append((marker.exists(), "on the GPU" in [one["command"]["title"] for one in lenses]))
        assert session.end() == 0
    assert ran == [(False, False), (False, False), (True, True)]


def test_settings_of_the_tree_run_nothing_and_are_told(editor: Editor, tmp_path: Path) -> None:
    """A server starts where they are wrong, since somebody may be writing them just then."""
    path, settings = tmp_path / "race.cu", tmp_path / "scopec.toml"
    settings.write_text('tlc-jar = "evil.jar"\n')
    editor.open(path, RACE)
    found = editor.until(settings, lambda told: bool(told))
    assert codes(found) == {"SCP008"}
    assert "a project cannot say this" in found[0]["message"]
    settings.write_text('allow = ["SCP042"]\n')
    assert codes(editor.settled(path)) == {"data-race"}
    assert editor.shown[settings.as_uri()] == []


@pytest.mark.sampled(0)
def test_a_server_starts_where_settings_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "scopec.toml").write_text("model = 3\n")
    session = Editor(tmp_path, tmp_path)
    assert session.end() == 0


def test_modules_of_the_folder_are_not_imported(tmp_path: Path) -> None:
    """A question is asked in no folder of a project: ``python -m`` imports from the one that it starts in."""
    marker = tmp_path / "ran"
    session = Editor(tmp_path, tmp_path)
    for name in ("json", "click", "lark", "scopec"):
        (tmp_path / f"{name}.py").write_text(f"open({str(marker)!r}, 'w')\n")
    path = tmp_path / "race.cu"
    session.open(path, RACE)
    assert codes(session.settled(path)) == {"data-race"}
    assert session.end() == 0
    assert not marker.exists()


# ---------------------------------------------------------------- where there is no pygls


def test_without_pygls_it_says_so() -> None:
    script = (
        "import sys; sys.modules['pygls'] = None; sys.argv = ['scopec', 'lsp']; from scopec.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 2
    assert "pip install 'scopec[lsp]'" in done.stderr


# ---------------------------------------------------------------- no verdict of another text


@pytest.mark.sampled(0)
def test_what_comes_of_a_text_that_has_changed_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that was ended may have answered before it noticed: that is about the text before."""
    from scopec.lsp import wire
    from scopec.lsp.editor import documents as module

    class Call:
        """A call that answers when it is told to."""

        made: list[Call] = []  # noqa: RUF012
        runs = False

        def __init__(self, _command: object, question: wire.Question, say: Callable[[wire.Message], None]) -> None:
            self.question, self.say, self.cancelled = question, say, False
            self.made.append(self)

        def cancel(self) -> None:
            self.cancelled = True

    class Server:
        """A server that keeps what it publishes."""

        client_capabilities = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities())
        workspace = Workspace(None)
        told: list[int] = []  # noqa: RUF012

        def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
            self.told.append(sum(1 for one in params.diagnostics if not one.tags))

    monkeypatch.setattr(module, "Asked", Call)
    server = Server()

    async def session() -> None:
        documents = module.Documents(server, (), lambda: None)  # type: ignore[arg-type]
        documents.open("file:///a.cu", "/a.cu", "one")
        document = documents.get("file:///a.cu")
        assert document is not None
        (first,) = Call.made
        place = wire.Place("/a.cu", 0, 0, 0, 1)
        late = wire.Verdicts("r", (wire.Finding(place, "data-race", "error", "m"),), ())
        first.say(late)  # it is on its way when the text changes
        documents.change(document, "two")
        documents.ask(document)
        first.say(late)
        await asyncio.sleep(0)
        assert [call.question.text for call in Call.made] == ["one", "two"]
        assert server.told == [0]
        Call.made[1].say(late)
        await asyncio.sleep(0)
        assert server.told == [0, 1]

    asyncio.run(session())


@pytest.mark.sampled(0)
def test_no_fix_for_a_header_that_is_open_with_changes(editor: Editor, tmp_path: Path) -> None:
    """It was found for the header on the disk."""
    path, header = tmp_path / "main.cu", tmp_path / "flag.h"
    declared = "__device__ cuda::atomic<int, cuda::thread_scope_block> ready{0};\n"
    header.write_text(declared)
    editor.open(path, HANDOVER.replace(declared, '#include "flag.h"\n'))
    (race,) = (one for one in editor.settled(path, "handover") if one["code"] == "data-race")
    (action,) = actions(editor, path, race["range"])
    (edit,) = action["edit"]["documentChanges"]
    assert edit["textDocument"] == {"uri": header.as_uri(), "version": None}
    editor.open(header, declared)
    assert len(actions(editor, path, race["range"])) == 1
    editor.change(header, "\n" + declared)
    assert actions(editor, path, race["range"]) == []
