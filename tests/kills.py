"""Calls that end at random moments, by a signal or where a child is killed: ``python -m tests.kills COUNT [FIRST]``.

The number of a call says what is asked, who is killed, how and when, the same each time.  What must not happen: a
process, a folder or file for temporary files, or a socket that stays; a traceback; a status other than those of a call
that was ended, or of one that an engine failed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
#: Where a Java virtual machine leaves what others find it by, whatever the folder for temporary files is.
_SHARED = Path("/tmp")
#: What is asked: clang at work, virtual machines that live on, one for each question, several files at once.
_ASKED = {
    "clang": ("check", "-q", "--engine", "embedded", "specs/real", "specs/algorithms"),
    "workers": ("check", "-q", "--engine", "both", "specs/barriers", "specs/host"),
    "confirming": ("check", "-q", "--confirm", "always", "specs/litmus", "specs/barriers"),
    "listing": ("outcomes", "--engine", "alloy", "specs/litmus/mp.cu"),
    "expanding": ("compile", "specs/algorithms", "-o", "{out}"),
}
_LATEST_SECONDS = 5.0
#: How long what was told to end may take.
_LEAVING_SECONDS = 30.0


@dataclass(frozen=True)
class Kill:
    """A call, and what ends it after so many seconds: a signal to scopec, or one to a child of a ``kind`` and then to
    scopec."""

    number: int
    asked: str
    seconds: float
    how: str
    kind: str


def made(number: int) -> Kill:
    """The kill of a number."""
    chance = Random(number)
    asked = chance.choice(tuple(_ASKED))
    kind = ("scopec", "clang", "java")[number % 3] if asked != "listing" else ("scopec", "java")[number % 2]
    how = chance.choice(("KILL", "TERM", "INT")) if kind == "scopec" else chance.choice(("KILL", "TERM", "KILL"))
    return Kill(number, asked, chance.uniform(0.05, _LATEST_SECONDS), how, kind)


def tried(kill: Kill) -> str | None:
    """What is wrong with how a call ends, or with what it leaves; None if nothing is."""
    before = _leavings()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        temporary = Path(folder) / "tmp"
        temporary.mkdir()
        environment = {**os.environ, "TMPDIR": str(temporary), "SCOPEC_NO_CACHE": "1"}
        said = Path(folder) / "said"
        arguments = [word.replace("{out}", f"{folder}/out") for word in _ASKED[kill.asked]]
        call = _begun(arguments, environment, said)
        own = _until(call, kill)
        _end(call, kill)
        with suppress(subprocess.TimeoutExpired):
            call.wait(_LEAVING_SECONDS)
        if call.poll() is None:
            call.kill()
            call.wait()
            return f"{kill}: it goes on"
        if left := _outliving(call.pid):
            for process in left:
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            return f"{kill}: {len(left)} processes go on"
        if kill.how == "KILL" and kill.kind == "scopec":  # nobody was left to clear up: the next call does
            _begun(["check", "-q", "--engine", "alloy", "specs/litmus/mp.cu"], environment, said).wait(120)
        return _faults(kill, call.returncode, said.read_text(errors="replace"), temporary, own, before)


def _faults(kill: Kill, status: int, said: str, temporary: Path, own: set[int], before: set[str]) -> str | None:
    """What is wrong when all of it has ended."""
    if "Traceback" in said or "internal error" in said:
        return f"{kill}: {said[-300:]}"
    if left := [path.name for path in temporary.iterdir()]:
        return f"{kill}: {left} stays"
    if left := [name for name in _leavings() - before if any(name.endswith(str(process)) for process in own)]:
        return f"{kill}: {left} stays"
    # Before scopec has begun a signal ends Python; a call of which a child was killed may do without it, or not.
    early = {-signal.SIGTERM, -getattr(signal, f"SIG{kill.how}")}
    allowed = {130, 0, *early} | ({3, 4} if kill.kind != "scopec" else set())
    if status not in allowed:
        return f"{kill}: status {status}: {said[-300:]}"
    return None


def _begun(arguments: Sequence[str], environment: dict[str, str], said: Path) -> subprocess.Popen[bytes]:
    with said.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "scopec.cli", *arguments], cwd=ROOT, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip


def _until(call: subprocess.Popen[bytes], kill: Kill) -> set[int]:
    """Wait for the moment; the processes that were seen meanwhile."""
    seen = {call.pid}
    moment = time.monotonic() + kill.seconds
    while time.monotonic() < moment and call.poll() is None:
        seen.update(_session(call.pid))
        time.sleep(0.02)
    return seen


def _end(call: subprocess.Popen[bytes], kill: Kill) -> None:
    """End scopec, or a child of the kind, if there is one within a while."""
    chance, number = Random(kill.number), getattr(signal, f"SIG{kill.how}")
    if kill.kind == "scopec":
        call.send_signal(number)
        return
    later = time.monotonic() + _LATEST_SECONDS
    while time.monotonic() < later and call.poll() is None:
        found = [p for p in _session(call.pid) if p != call.pid and _is(p, kill.kind)]
        if found:
            with suppress(OSError):
                os.kill(chance.choice(found), number)
            break
        time.sleep(0.002)
    time.sleep(chance.choice((0, 0.05, 2)))  # the call goes on without it
    call.terminate()


def _is(process: int, kind: str) -> bool:
    """Whether a process is a clang, or runs Java."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return (b"-cc1" in words) if kind == "clang" else (b"java" in words or b"libjvm" in words)


def _session(session: int) -> Iterator[int]:
    """The living processes of a session."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, of = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):  # it ended
            continue
        if int(of) == session and state != "Z":
            yield int(folder.name)


def _outliving(session: int) -> list[int]:
    """The processes of a session that do not end soon."""
    later = time.monotonic() + _LEAVING_SECONDS
    while left := list(_session(session)):
        if time.monotonic() > later:
            break
        time.sleep(0.05)
    return left


def _leavings() -> set[str]:
    """What Java machines have in the shared folder, by name."""
    found: Iterable[Path] = [*_SHARED.glob(".java_pid*"), *_SHARED.glob("hsperfdata_*/*")]
    return {str(path) for path in found}


def main(count: int, first: int = 0) -> int:
    """Try ``count`` kills; print each that shows a fault."""
    faults = 0
    for number in range(first, first + count):
        if (wrong := tried(made(number))) is not None:
            faults += 1
            print(wrong, flush=True)
    print(f"{count} kills, {faults} with a fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
