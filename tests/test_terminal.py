"""Output for a terminal alone: colours and a status line; and programs that changed, watched or since a revision."""

from __future__ import annotations

import io
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import programs
from scopec.base.diagnostics import UsageError
from scopec.report import terminal
from scopec.session.changes import changed_since, watched
from scopec.session.check import Report, Settings, check
from tests.command import scopec
from tests.test_cli import GOOD, RACE
from tests.violations import VIOLATIONS


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


# ---------------------------------------------------------------- colours


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("  violated  race_free: a data race on `f`", "violated"),
        ("  holds     terminates", "holds"),
        ("  unknown   race_free", "unknown"),
        ("          |         ^^^^^^ mp[0][0]", "^^^^^^ mp[0][0]"),
        ("      try: thread_scope_device for `f`", "try:"),
        ("p.cu:1:2: error: `x` is not declared [SCP010]", "error:"),
        ("                    7: [race] write f = 1", "[race]"),
        ("      -- from here on nothing changes --", "-- from here on nothing changes --"),
    ],
)
def test_a_line_is_painted_in_one_place_and_keeps_its_text(line: str, part: str) -> None:
    painted = terminal.painted(line)
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == line
    assert re.search(r"\x1b\[[\d;]+m(.*?)\x1b\[0m", painted)[1] == part  # type: ignore[index]


def test_other_lines_stay_as_they_are() -> None:
    for line in ("p.cu", "        7 |         flag.store(1);", "1 file, 1 program: 1 hold", ""):
        assert terminal.painted(line) == line


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.colours(Terminal())
    assert not terminal.colours(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.colours(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert terminal.colours(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal.colours(Terminal())


def in_terminal(*arguments: str, cwd: Path, enough: Callable[[str], bool] = lambda _: False, **environment: str) -> str:
    """What a command writes to a terminal that is its standard output and error; it is interrupted when that is
    enough.
    """
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", *arguments], cwd=cwd, stdout=theirs, stderr=theirs,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(theirs)
    found = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        found += part
        if enough(found.decode(errors="replace")):
            done.send_signal(signal.SIGINT)
    done.wait()
    os.close(ours)
    return found.decode().replace("\r\n", "\n")


@pytest.mark.sampled(0)
def test_a_terminal_gets_colours_and_a_file_does_not(tmp_path: Path) -> None:
    (tmp_path / "race.cu").write_text(RACE)
    arguments = ("check", "race.cu", "--engine", "embedded", "-q")
    shown = in_terminal(*arguments, cwd=tmp_path)
    assert "  \x1b[1;31mviolated\x1b[0m  race_free: a data race on `x`" in shown
    assert "\x1b[1;31m" not in in_terminal(*arguments, cwd=tmp_path, NO_COLOR="1")
    assert "\x1b" not in scopec(*arguments, cwd=tmp_path).stdout
    bad = in_terminal("check", "none.cu", cwd=tmp_path)
    assert "none.cu:1:1: \x1b[1;31merror:\x1b[0m there is no such file" in bad


def test_nothing_in_a_name_reaches_the_terminal(tmp_path: Path) -> None:
    """Messages that are about files, folders and failures: control characters are shown escaped."""
    name = "a\x1b[31m\n::error::b.cu"
    (tmp_path / name).write_text(RACE)
    jar = tmp_path / "\x1b[31m.jar"
    jar.write_text("no jar")
    place = tmp_path / "out\x1b[31m"
    for arguments, status in (
        (("check", name, "--alloy-jar", jar, "--engine", "alloy", "--no-cache"), 3),
        (("check", name, "--engine", "embedded", "--format", "json", "--output", tmp_path / "no\x1b" / "x"), 2),
        (("check", name, "--engine", "embedded", "--keep", jar), 2),
        (("check", name, "--model", "\x1b[31m"), 2),
        (("trace", name, "--engine", "embedded", "--check", "\x1b[31m"), 2),
        (("compile", name, "-o", place), 0),
        (("compile", name, "-o", place, "--check"), 0),
    ):
        done = scopec(*arguments, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        assert "\x1b" not in done.stdout + done.stderr, arguments
        assert not re.search("^::error::", done.stdout + done.stderr, re.MULTILINE), arguments
    (generated,) = place.glob("*.als")
    generated.write_bytes(b"\x1b[31m\xff")
    changed = scopec("compile", name, "-o", place, "--check", cwd=tmp_path)
    assert changed.returncode == 1
    assert "-\\x1b[31m" in changed.stdout
    assert "\x1b" not in changed.stdout


# ---------------------------------------------------------------- status


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("programs") / "race.cu"
    path.write_text(RACE)
    (outcome,) = check([path], Settings(engine="embedded"))
    return outcome.reports[0]


def test_the_status_line_counts_questions_and_states(report: Report) -> None:
    stream = Terminal()
    status = terminal.Status(stream)
    status.begun(1)
    status.begun(2)
    assert status.line() == "0 of 3 questions, 0:00"
    status.ended(replace(report, checks=(replace(report.checks[0], states=1234),)))
    assert status.line() == "1 of 3 questions, 1,234 states, 0:00"


def test_the_status_line_says_what_is_asked_how_far_it_is_and_for_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("scopec.report.terminal.time.monotonic", lambda: now[0])
    status = terminal.Status(Terminal())
    status.begun(2)
    status.doing("a.cu: events")
    now[0] += 61
    assert status.line() == "0 of 2 questions, 1:01; a.cu: events, 1:01"
    status.doing("a.cu: terminates (scopec)", "512 states")
    now[0] += 5
    status.doing("a.cu: terminates (scopec)", "1,024 states")
    assert status.line() == "0 of 2 questions, 1:06; a.cu: terminates (scopec), 1,024 states, 0:05"
    other = threading.Thread(target=status.doing, args=("later\x1b.cu: race_free",))
    other.start()
    other.join()
    assert "later" not in status.line()
    for columns in range(20, 80):
        assert len(status.line(columns)) <= columns
    assert status.line(60) == "0 of 2 questions, 1:06; a.cu: terminate…, 1,024 states, 0:05"
    status.doing("")
    assert status.line().endswith("; later\\x1b.cu: race_free, 0:00")


def test_what_is_asked_is_told_while_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading, events, and each question with its events or states, which grow."""
    monkeypatch.setattr("scopec.engines.embedded.progress.exploring._TURNS", 1)
    (tmp_path / "p.cu").write_text(GOOD + "//@ expect terminates;\n")
    told: list[tuple[str, str]] = []
    path = tmp_path / "p.cu"
    check([path], Settings(engine="embedded", doing=lambda what, so_far: told.append((what, so_far))), {path: "p.cu"})
    begins = list(dict.fromkeys(what for what, _ in told))
    assert begins[:4] == ["p.cu: reading", "", "p.cu", "p.cu: events"]
    assert next(what for what, far in told if far.endswith(" events")).startswith("p.cu: race_free")
    states = [int(far.split()[0]) for what, far in told if what == "p.cu: terminates (scopec)" and far]
    assert states == sorted(states)
    assert states[0] < states[-1]
    assert told[-1] == ("", "")


@pytest.mark.sampled(0)
def test_a_terminal_is_told_of_a_long_question(tmp_path: Path) -> None:
    (tmp_path / "lock.cu").write_text(programs.lock(12).split("//@ expect race_free")[0] + "//@ expect terminates;\n")
    told = re.compile(r"\r\x1b\[K0 of 1 questions, 0:\d\d; lock\.cu: terminates \(scopec\), ([\d,]+) states")

    def enough(shown: str) -> bool:
        return len(set(told.findall(shown))) > 2

    asked = ("check", "lock.cu", "--engine", "embedded", "--no-cache", "--timeout", "60")
    shown = in_terminal(*asked, cwd=tmp_path, enough=enough)
    assert enough(shown), shown


def test_the_status_line_comes_late_and_goes_away() -> None:
    stream = Terminal()
    with terminal.Status(stream) as status:
        assert stream.getvalue() == ""
        deadline = time.monotonic() + 20
        while "0:01" not in stream.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        status.say(lambda line: stream.write(line + "\n") and None, "fetching Alloy")
    assert "\r\x1b[K0:01" in stream.getvalue()
    assert "\r\x1b[Kfetching Alloy\n" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_no_status_line_without_a_terminal() -> None:
    stream = io.StringIO()
    with terminal.Status(stream) as status:
        time.sleep(1.2)
        status.say(lambda line: stream.write(line) and None, "said")
    assert stream.getvalue() == "said"


# ---------------------------------------------------------------- changes


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., None]:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=e", *arguments],
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    (tmp_path / ".gitignore").write_text("ignored.cu\n")
    (tmp_path / "sub folder").mkdir()
    for name in ("same.cu", "sub folder/ä.cu", "staged.cu", "committed.cu", "notes.txt"):
        (tmp_path / name).write_text(GOOD)
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    git("tag", "first")
    (tmp_path / "committed.cu").write_text(RACE)
    git("commit", "-q", "-a", "-m", "two")
    (tmp_path / "staged.cu").write_text(RACE)
    git("add", "staged.cu")
    (tmp_path / "sub folder" / "ä.cu").write_text(RACE)
    (tmp_path / "new.cu").write_text(GOOD)
    (tmp_path / "ignored.cu").write_text(GOOD)
    (tmp_path / "notes.txt").write_text("changed")
    return git


def test_programs_that_changed_since_a_revision(repository: Callable[..., None], tmp_path: Path) -> None:
    names = ["new.cu", "staged.cu", "sub folder/ä.cu"]
    assert [p.relative_to(tmp_path).as_posix() for p in changed_since([tmp_path], "HEAD")] == names
    assert [p.name for p in changed_since([tmp_path], "first")] == ["committed.cu", "new.cu", "staged.cu", "ä.cu"]
    assert changed_since([tmp_path / "same.cu"], "HEAD") == []
    assert changed_since([tmp_path / "none.cu"], "HEAD") == [tmp_path / "none.cu"]
    for revision in ("nonsense", "--output=x"):
        with pytest.raises(UsageError, match="--changed-since"):
            changed_since([tmp_path], revision)


def test_no_repository_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(GOOD)
    with pytest.raises(UsageError, match="not in a git repository"):
        changed_since([tmp_path], "HEAD")


def test_check_changed_since(repository: Callable[..., None], tmp_path: Path) -> None:
    done = scopec("check", ".", "--engine", "embedded", "--changed-since", "HEAD", cwd=tmp_path)
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line.endswith(".cu")] == [
        "new.cu",
        "staged.cu",
        "sub folder/ä.cu",
    ]
    repository("add", "-A")
    repository("commit", "-q", "-m", "three")
    nothing = scopec("check", ".", "--engine", "embedded", "--changed-since", "HEAD", cwd=tmp_path)
    assert (nothing.returncode, nothing.stderr) == (0, "scopec: no program has changed since HEAD\n")


def test_watching_yields_what_changed(tmp_path: Path) -> None:
    one, two = tmp_path / "one.cu", tmp_path / "two.cu"
    one.write_text("1")

    def edits() -> Iterator[None]:
        yield  # nothing changes at first
        one.write_text("longer")
        yield
        two.write_text("2")
        yield
        one.unlink()
        yield

    steps = edits()
    seen = watched([tmp_path], lambda _: next(steps))
    assert next(seen) == ([one], [])
    assert next(seen) == ([one], [])
    assert next(seen) == ([two], [])
    assert next(seen) == ([], [one])
    with pytest.raises(RuntimeError):  # the generator of edits ends, and nothing more has changed
        next(seen)


def test_headers_make_their_programs_differ(
    repository: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.cu").write_text('#include "one.h"\n')
    (tmp_path / "q.cu").write_text("#include <cuda/atomic>\n")
    (tmp_path / "one.h").write_text("# include <two.h>\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "two.h").write_text("1")
    repository("add", ".")
    repository("commit", "-q", "-m", "headers")
    (tmp_path / "more" / "two.h").write_text("longer")
    programs = [tmp_path / "p.cu", tmp_path / "q.cu"]
    assert changed_since(programs, "HEAD") == []
    assert changed_since(programs, "HEAD", [tmp_path / "more"]) == [tmp_path / "p.cu"]

    def edits() -> Iterator[None]:
        (tmp_path / "more" / "two.h").write_text("longer still")
        yield

    steps = edits()
    seen = watched(programs, lambda _: next(steps), folders=[tmp_path / "more"])
    assert next(seen) == (programs, [])
    assert next(seen) == ([tmp_path / "p.cu"], [])


@pytest.mark.sampled(0)
def test_watch_checks_again_until_interrupted(tmp_path: Path) -> None:
    """A change, an error that is made and mended, a file that goes: each is told, and reports in files are of everything."""
    import json
    import signal

    (tmp_path / "good.cu").write_text(GOOD)
    (tmp_path / "p.cu").write_text(GOOD)
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "scopec.cli", "check", ".", "--watch", "--engine", "embedded",
         "--format", "text", "--format", "json", "--output", "all.json"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert process.stdout is not None
    output = process.stdout

    def told() -> str:
        """What is said until it waits again."""
        lines = []
        for line in output:
            lines.append(line)
            if line.startswith("scopec: waiting"):
                return "".join(lines)
        raise AssertionError("".join(lines))

    def files() -> dict[str, int]:
        programs = json.loads((tmp_path / "all.json").read_text())["programs"]
        return {p["file"]: sum(c["verdict"] == "violated" for c in p["checks"]) for p in programs}

    try:
        assert "2 files, 2 programs: 2 hold" in told()
        time.sleep(0.1)
        (tmp_path / "p.cu").write_text(VIOLATIONS["race-plain"])
        said = told()
        assert said.startswith("p.cu\n")
        assert "\n1 file, 1 program: 0 hold, 2 violated" in said
        assert files() == {"good.cu": 0, "p.cu": 2}
        (tmp_path / "p.cu").write_text("int main( {")
        assert re.search(r"^p.cu:1:1\d*: error: .* \[SCP0\d\d\]$", told(), re.MULTILINE)
        assert files() == {"good.cu": 0}
        (tmp_path / "p.cu").write_text(GOOD)
        assert "1 file, 1 program: 1 hold" in told()
        assert files() == {"good.cu": 0, "p.cu": 0}
        (tmp_path / "good.cu").unlink()
        assert told() == "scopec: good.cu is gone\nscopec: waiting for changes; Ctrl-C ends this\n"
        assert files() == {"p.cu": 0}
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
    finally:
        process.kill()
        process.wait()
        output.close()
