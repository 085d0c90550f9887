"""Broken and odd inputs, each in a process of its own: ``python -m tests.fuzz COUNT [FIRST]``.

Inputs are mutations of specs/, of litmus files and of .cat files; the number of an input makes it, the same each time.
What must not happen: a traceback, an internal error, an exit status that the documents do not promise, an answer long
after the time limit, or more memory than the limit.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
LIMIT_SECONDS = 5.0
#: How many times as much a call may take, of the processor's time: work in C code ends where it returns to Python.
PATIENCE = 6
#: When a call is ended that does not end: the machine may be busy.
MOST_SECONDS = 120.0
LIMIT_MEGABYTES = 600

_TOKEN = re.compile(rb"//@[^\n]*|\s+|\w+|::|->|<<<|>>>|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|.", re.DOTALL)
_ODD = (
    b"0", b"-1", b"1", b"2147483647", b"-2147483648", b"4294967296", b"99999999999999999999", b"0x", b"1e9", b"'", b'"',
    b"\\", b"/*", b"*/", b"//@", b"//@ expect", b"//@ vary x in {", b"#include", b"#define X X X", b"\x00", b"\xff\xfe",
    "\u00e9\u2028".encode(), b"{", b"}", b"(", b")", b"[", b"]", b"<<<", b">>>", b";", b"*", b"&", b"auto", b"this", b"...",
    b"template<int N>", b"operator()", b"nullptr", b"volatile", b"__shared__", b"constexpr", b"extern", b"static",
    b"let rec", b"acyclic", b"~", b"^-1", b"exists", b"forall", b"unroll = 99", b"<<<1000000, 1024>>>", b"[2000000000]",
)  # fmt: skip


@dataclass(frozen=True)
class Input:
    """A file and the command that gets it."""

    number: int
    name: str
    data: bytes
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """How a call ended, with the seconds of the processor that it took; ``status`` is negative for a signal."""

    status: int
    seconds: float
    megabytes: float
    output: str


# ---------------------------------------------------------------- inputs


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """The files that inputs are made of, by suffix."""
    folders = ("specs", "tests/fixtures", "scopec/memory/models")
    files = sorted(
        path
        for folder in folders
        for suffix in ("cu", "litmus", "cat")
        for path in (ROOT / folder).rglob(f"*.{suffix}")
        if "generated" not in path.parts
    )
    return tuple((path.suffix, path.read_bytes()) for path in files)


def made(number: int) -> Input:
    """The input of a number."""
    chance = Random(number)
    suffix, data = chance.choice(
        [s for s in seeds() if s[0] == chance.choice((".cu", ".cu", ".litmus", ".cat"))] or seeds()
    )
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        data = chance.choice(MUTATIONS)(data, chance, suffix)
    if suffix == ".cat":
        program = chance.choice([p for s, p in seeds() if s == ".litmus"])
        return (
            Input(number, "input.cat", data, ("check", "program.litmus", "--model", "input.cat"))
            if program
            else made(0)
        )
    command = chance.choice(("check", "check", "check", "outcomes", "compile"))
    return Input(number, f"input{suffix}", data, (command, f"input{suffix}"))


def in_bytes(data: bytes, chance: Random, _suffix: str) -> bytes:
    at, length = chance.randint(0, len(data)), chance.choice((1, 1, 2, 8, 64))
    match chance.randint(0, 4):
        case 0:
            return data[:at] + data[at + length :]
        case 1:
            return data[:at] + chance.randbytes(length) + data[at:]
        case 2:
            return data[:at] + data[at : at + length] * chance.choice((2, 3, 50)) + data[at + length :]
        case 3:
            return data[:at]
        case _:
            flipped = bytes(b ^ 1 << chance.randint(0, 7) for b in data[at : at + 1])
            return data[:at] + flipped + data[at + 1 :]


def in_tokens(data: bytes, chance: Random, suffix: str) -> bytes:
    tokens = _TOKEN.findall(data) or [b""]
    at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    match chance.randint(0, 4):
        case 0:
            del tokens[at]
        case 1:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 2:
            tokens[at] = chance.choice(_ODD)
        case 3:
            tokens.insert(at, tokens[other])
        case _:
            tokens[at] = chance.choice(_TOKEN.findall(_another(chance, suffix)) or [b"x"])
    return b"".join(tokens)


def in_lines(data: bytes, chance: Random, suffix: str) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randint(0, 3):
        case 0:
            del lines[at : at + chance.choice((1, 1, 4))]
        case 1:
            lines[at], lines[other] = lines[other], lines[at]
        case 2:
            lines.insert(at, lines[other])
        case _:
            lines.insert(at, chance.choice(_another(chance, suffix).splitlines(keepends=True) or [b"\n"]))
    return b"".join(lines)


def in_groups(data: bytes, chance: Random, suffix: str) -> bytes:
    """What the grammar nests: groups in brackets are exchanged, repeated, or put around themselves."""
    groups = _groups(data)
    if not groups:
        return data
    start, end = chance.choice(groups)
    group = data[start:end]
    match chance.randint(0, 3):
        case 0:
            other = _another(chance, suffix)
            found = [other[a:b] for a, b in _groups(other) if other[a] == data[start]]
            group = chance.choice(found) if found else group[:1] + group[-1:]
        case 1:
            group = group * chance.choice((2, 40))
        case 2:
            times = chance.choice((1, 3, 30, 400))
            group = group[:1] * times + group + group[-1:] * times
        case _:
            group = group[:1] + group[-1:]
    return data[:start] + group + data[end:]


def _groups(data: bytes) -> list[tuple[int, int]]:
    closing = {b"(": b")", b"[": b"]", b"{": b"}"}
    opened: list[tuple[bytes, int]] = []
    found = []
    for at in range(len(data)):
        char = data[at : at + 1]
        if char in closing:
            opened.append((closing[char], at))
        elif opened and char == opened[-1][0]:
            found.append((opened.pop()[1], at + 1))
    return found


def in_numbers(data: bytes, chance: Random, _suffix: str) -> bytes:
    numbers = list(re.finditer(rb"\b\d+\b", data))
    if not numbers:
        return data
    found = chance.choice(numbers)
    value = chance.choice((b"0", b"-1", b"7", b"40", b"256", b"1024", b"65536", b"2000000000", b"18446744073709551616"))
    return data[: found.start()] + value + data[found.end() :]


MUTATIONS: tuple[Callable[[bytes, Random, str], bytes], ...] = (
    in_bytes,
    in_tokens,
    in_tokens,
    in_lines,
    in_groups,
    in_numbers,
)


def _another(chance: Random, suffix: str) -> bytes:
    return chance.choice([data for s, data in seeds() if s == suffix])


# ---------------------------------------------------------------- calls


def called(input_: Input) -> Result:
    """Call scopec with an input, in a child of this process and a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        here = Path(folder)
        (here / input_.name).write_bytes(input_.data)
        if input_.name == "input.cat":
            program = next(data for suffix, data in seeds() if suffix == ".litmus")
            (here / "program.litmus").write_bytes(program)
        begun = time.monotonic()
        child = os.fork()
        if child == 0:
            _child(here, input_.arguments)
        while True:
            done, status, used = os.wait4(child, os.WNOHANG)
            seconds = time.monotonic() - begun
            if done:
                break
            if seconds > MOST_SECONDS:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
        output = (here / "stdout").read_bytes() + (here / "stderr").read_bytes()
        code = os.waitstatus_to_exitcode(status)
        return Result(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, output.decode("utf-8", "replace"))


def _child(here: Path, arguments: Sequence[str]) -> None:
    status = 70
    try:
        os.chdir(here)
        os.environ["SCOPEC_NO_CACHE"] = "1"  # but jars that were fetched are used: an input may ask for TLC
        for number, name in ((0, os.devnull), (1, "stdout"), (2, "stderr")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        sys.argv = ["scopec", *arguments, *_options(arguments[0])]
        from scopec.cli import main

        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _options(command: str) -> tuple[str, ...]:
    limits = ("--timeout", f"{LIMIT_SECONDS:g}", "--memory-limit", f"{LIMIT_MEGABYTES}MB")
    match command:
        case "check":
            return ("--engine", "embedded", *limits)
        case "outcomes":
            return ("--engine", "embedded", "--limit", "2000", *limits)
        case _:
            return ("-o", "generated", *limits)


def fault(result: Result) -> str | None:
    """What is wrong with how a call ended, or None."""
    text = result.output
    if result.status not in (0, 1, 2, 4):
        return f"exit status {result.status}"
    if "Traceback" in text or "internal error" in text or "bug in scopec" in text:
        return "an internal error"
    if result.status == 2 and not re.search(r"error: .*\[SCP\d{3}\]|Error: ", text, re.IGNORECASE):
        return "exit status 2 without a diagnostic"
    if result.seconds > LIMIT_SECONDS * PATIENCE:
        return f"{result.seconds:.0f} s"
    if result.megabytes > 2 * LIMIT_MEGABYTES:
        return f"{result.megabytes:.0f} MB"
    return None


def _import_what_calls_need() -> None:
    """Load modules and grammars once, before the children: most inputs are refused in less time than that takes."""
    from click.testing import CliRunner

    from scopec.cli import commands

    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".cu", ".litmus", ".cat"):
            (Path(folder) / f"seed{suffix}").write_bytes(next(data for s, data in seeds() if s == suffix))
        program, litmus, model = (f"{folder}/seed{suffix}" for suffix in (".cu", ".litmus", ".cat"))
        for arguments in (
            ("check", program, "--engine", "embedded"),
            ("check", litmus, "--engine", "embedded", "--model", model),
            ("outcomes", program, "--engine", "embedded"),
            ("compile", program, "-o", folder),
        ):
            CliRunner(env={"SCOPEC_NO_CACHE": "1"}).invoke(commands, arguments, catch_exceptions=False)


def main(count: int, first: int = 0) -> int:
    """Try ``count`` inputs; print each that shows a fault.

    One after the other: what a thread holds where another one forks, the child waits for without an end.
    """
    _import_what_calls_need()
    faults = 0
    statuses: dict[int, int] = {}
    for number in range(first, first + count):
        input_ = made(number)
        result = called(input_)
        statuses[result.status] = statuses.get(result.status, 0) + 1
        if (wrong := fault(result)) is not None:
            faults += 1
            last = result.output.strip().splitlines()[-1:] or [""]
            print(f"{number}: {wrong}: scopec {' '.join(input_.arguments)}: {last[0][:200]}", flush=True)
    shown = ", ".join(f"{n} with status {status}" for status, n in sorted(statuses.items()))
    print(f"{count} inputs, {faults} with a fault; {shown}")
    return 1 if faults else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main(*map(int, sys.argv[1:])))
