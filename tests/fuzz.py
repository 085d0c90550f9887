"""Broken and odd inputs, each in a process of its own: ``python -m tests.fuzz COUNT [FIRST]``.

Inputs are mutations of specs/, of litmus files and of .cat files, of settings, results, headers and other files beside them, and
names of files; the number of an input makes it, the same each time.
What must not happen: a traceback, an internal error, an exit status that the documents do not promise, a control
character in what is printed, a file that nobody asked for, work for more than twice the time limit and 5 s, or more memory,
of all processes together, than the limit and 200 MB.
"""

from __future__ import annotations

import atexit
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz_inputs import Input, made, one_of_each, placed

LIMIT_SECONDS = 5.0
#: How much of the processor's time a call may take, with all that it starts.
MOST_WORK = 2 * LIMIT_SECONDS + 5
#: When a call is ended that does not end: the machine may be busy.
MOST_SECONDS = 120.0
LIMIT_MEGABYTES = 600
MOST_MEGABYTES = LIMIT_MEGABYTES + 200
_PAGE = os.sysconf("SC_PAGE_SIZE")
#: How often a process is asked whether it has ended, and each how many times what it holds.
_PERIOD_SECONDS = 0.005
_LOOKS = 10
#: What `scopec run` says, with status 3, of results that a changed file names another test.
_OTHER_TEXT = "the results have nothing of"


@dataclass(frozen=True)
class Result:
    """How a call ended, with the seconds of the processor that it took, with its children; ``status`` is negative for a
    signal, ``left`` are files that it made and nobody asked for."""

    status: int
    seconds: float
    megabytes: float
    output: str
    left: tuple[str, ...] = ()


def called(input_: Input) -> Result:
    """Call scopec with an input, in a child of this process and a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        here = Path(folder) / "here"
        for each in ("here", "tmp", "home"):
            (Path(folder) / each).mkdir()
        placed(input_, here)
        before = set(_files(here))
        begun = time.monotonic()
        child = os.fork()
        if child == 0:
            _child(here, input_.arguments)
        held = looks = 0
        while True:
            done, status, used = os.wait4(child, os.WNOHANG)
            if done:
                break
            if time.monotonic() - begun > MOST_SECONDS:
                os.kill(child, signal.SIGKILL)
            if looks % _LOOKS == 0:
                held = max(held, sum(map(_resident, _tree(child))))
            looks += 1
            time.sleep(_PERIOD_SECONDS)
        output = b"".join((Path(folder) / name).read_bytes() for name in ("stdout", "stderr"))
        megabytes = max(held / 2**20, used.ru_maxrss / 1024)
        seconds, code = used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status)
        left = [f for f in {*_files(here), *_files(Path(folder) / "tmp")} - before if not f.startswith("generated")]
        return Result(
            code, seconds, megabytes, output.decode(_encoding(input_.arguments), "replace"), tuple(sorted(left))
        )


def _files(folder: Path) -> Iterator[str]:
    for at, folders, files in os.walk(folder):
        yield from (str(Path(at, name).relative_to(folder)) for name in (*files, *folders) if name != "generated")


def _tree(process: int) -> Iterator[int]:
    """A process, and all below it."""
    yield process
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))
    except OSError:  # it has ended
        return


def _resident(process: int) -> int:
    """The bytes of memory that a process holds."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def _child(here: Path, arguments: Sequence[str]) -> None:
    status = 70
    try:
        atexit._clear()  # what this process has to do at its end is none of the child's
        os.chdir(here)
        # Answers are not kept, but jars that were fetched are used: an input may ask for TLC.
        own = {"HOME": "home", "XDG_CONFIG_HOME": "home", "XDG_STATE_HOME": "home", "TMPDIR": "tmp"}
        os.environ.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        os.environ.update({name: str(here.parent / folder) for name, folder in own.items()}, SCOPEC_NO_CACHE="1")
        tempfile.tempdir = None
        for number, name in ((0, os.devnull), (1, "../stdout"), (2, "../stderr")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
        # Half of a terminal's characters, and no name of a file that is no text.
        how = _encoding(arguments)
        sys.stdout, sys.stderr = (open(n, "w", encoding=how, closefd=False) for n in (1, 2))  # noqa: SIM115
        sys.argv = ["scopec", arguments[0], *_options(arguments[0]), *arguments[1:]]
        from scopec.cli import main

        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _encoding(arguments: Sequence[str]) -> str:
    """That of a call's terminal."""
    return "latin-1" if len(arguments) % 2 else "utf-8"


def _options(command: str) -> tuple[str, ...]:
    limits = ("--timeout", f"{LIMIT_SECONDS:g}", "--memory-limit", f"{LIMIT_MEGABYTES}MB")
    match command:
        case "check" | "trace":
            return ("--engine", "embedded", *limits)
        case "outcomes":
            return ("--engine", "embedded", "--limit", "2000", *limits)
        case "weaken":
            return ("--engine", "embedded", "--budget", f"{LIMIT_SECONDS:g}", *limits)
        case "run":
            return ("--limit", "2000", *limits)
        case _:
            return ("-o", "generated", *limits)


def fault(result: Result) -> str | None:
    """What is wrong with how a call ended, or None."""
    text = result.output
    if result.status not in (0, 1, 2, 4) and not (result.status == 3 and _OTHER_TEXT in text):
        return f"exit status {result.status}"
    if "Traceback" in text or "internal error" in text or "bug in scopec" in text:
        return "an internal error"
    if result.status == 2 and not re.search(r"\bSCP\d{3}\b|Error: |^scopec: ", text, re.IGNORECASE | re.MULTILINE):
        return "exit status 2 without a diagnostic"
    if odd := sorted({c for c in text if not c.isprintable() and c != "\n"}):
        return f"{odd[0]!a} in what is printed"
    if result.left:
        return f"a file {result.left[0]!a}"
    if result.seconds > MOST_WORK:
        return f"{result.seconds:.0f} s"
    if result.megabytes > MOST_MEGABYTES:
        return f"{result.megabytes:.0f} MB"
    return None


def _import_what_calls_need() -> None:
    """Load modules and grammars once, before the children: most inputs are refused in less time than that takes."""
    from click.testing import CliRunner

    from scopec.cli import commands

    before = Path.cwd()
    for input_ in one_of_each():
        with tempfile.TemporaryDirectory() as folder:
            placed(input_, Path(folder))
            os.chdir(folder)
            try:
                command, *rest = input_.arguments
                CliRunner(env={"SCOPEC_NO_CACHE": "1"}).invoke(commands, [command, *_options(command), *rest])
            finally:
                os.chdir(before)


def main(count: int, first: int = 0) -> int:
    """Try ``count`` inputs; print each that shows a fault.

    One after the other: what a thread holds where another one forks, the child waits for without an end.
    """
    _import_what_calls_need()
    faults = 0
    statuses: dict[int, int] = {}
    work = megabytes = 0.0
    for number in range(first, first + count):
        input_ = made(number)
        result = called(input_)
        statuses[result.status] = statuses.get(result.status, 0) + 1
        work, megabytes = max(work, result.seconds), max(megabytes, result.megabytes)
        if (wrong := fault(result)) is not None:
            faults += 1
            last = result.output.strip().splitlines()[-1:] or [""]
            print(ascii(f"{number}: {wrong}: scopec {' '.join(input_.arguments)}: {last[0][:200]}")[1:-1], flush=True)
    shown = ", ".join(f"{n} with status {status}" for status, n in sorted(statuses.items()))
    print(f"{count} inputs, {faults} with a fault; {shown}; at most {work:.1f} s and {megabytes:.0f} MB")
    return 1 if faults else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main(*map(int, sys.argv[1:])))
