"""scopec beside herd7 and dartagnan: whole calls of each on the same C litmus files, under RC11.

Prints a table of CPU seconds, and whether the tools agree.  A tool that is not on PATH is left out.
docs/performance.md says how to build herd7, and what the figures mean.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import programs

#: Growing families: sizes until herd7, listing all final states, takes some 20 s.
FAMILIES: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "store buffering, threads": (programs.c_ring, (4, 8, 10, 12, 14)),
    "message passing, threads": (programs.c_chain, (4, 8, 10, 12, 14)),
    "fetch_add, threads": (programs.c_counter, (3, 4, 5, 6)),
    "IRIW, readers": (programs.c_iriw, (2, 4, 6, 7, 8)),
    "coherence, writes": (programs.c_coherence, (3, 4, 5, 6)),
}
_SCOPEC = (sys.executable, "-m", "scopec.cli")
_ASKED = ("--engine", "embedded", "--no-cache", "--model", "rc11")
#: A call that takes less CPU than this is made three times, and the shortest counts.
_SHORT_SECONDS = 1.0
#: Wall time that a call may take, in multiples of its CPU time.
_PATIENCE = 10


@dataclass(frozen=True)
class Called:
    """What a process said and took; ``seconds`` are None where the limit of CPU time ended it."""

    output: str
    errors: str
    seconds: float | None


@dataclass(frozen=True)
class Tool:
    """``command`` asks about files; ``one`` says that a call takes one, ``lists`` that all final states are listed."""

    name: str
    command: Callable[[list[Path]], list[str]]
    one: bool = False
    lists: bool = False


@dataclass(frozen=True)
class Verdict:
    """Whether the condition is so, with its quantifier; whether the program has a race, where that is told."""

    condition: bool
    race: bool | None = None

    def agrees(self, other: Verdict) -> bool:
        """Whether nothing that both tell is different."""
        return self.condition == other.condition and (None in (self.race, other.race) or self.race == other.race)

    def __str__(self) -> str:
        race = {True: ", a race", False: ", no race", None: ""}[self.race]
        return f"the condition is {'so' if self.condition else 'not so'}{race}"


def tools() -> list[Tool]:
    """Those that are here.

    herd7 lists all final states, as `scopec outcomes` does, or looks for what a condition asks, as `scopec check`.
    """
    all_ = [*_ASKED, "--limit", "1000000"]
    found = [
        Tool("scopec check", lambda files: [*_SCOPEC, "check", "-q", *_ASKED, *map(str, files)]),
        Tool("scopec outcomes", lambda files: [*_SCOPEC, "outcomes", *all_, *map(str, files)], one=True, lists=True),
    ]
    if program := shutil.which("herd7"):
        herd = [program, "-model", "rc11.cat"]
        found.insert(1, Tool("herd7 -speedcheck", lambda files: [*herd, "-speedcheck", "fast", *map(str, files)]))
        found.append(Tool("herd7", lambda files: [*herd, *map(str, files)], lists=True))
    if (program := shutil.which("dartagnan")) and (home := os.environ.get("DAT3M_HOME")):
        dartagnan = [program, str(Path(home) / "cat" / "rc11.cat")]
        options = ["--target=c11", "--property=program_spec"]
        found.append(Tool("dartagnan", lambda files: [*dartagnan, *map(str, files), *options], one=True))
    return found


def called(command: list[str], limit: int) -> Called:
    """A process and its children, ended after ``limit`` seconds of CPU time."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", preexec_fn=limited, timeout=limit * _PATIENCE
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Called("", "", None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Called(done.stdout, done.stderr, None)
    return Called(done.stdout, done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measured(tool: Tool, files: list[Path], limit: int) -> Called:
    """The calls that ask a tool about all files, together; the shortest of three where that is soon over."""
    if tool.one and len(files) > 1:
        each = [called(tool.command([file]), limit) for file in files]
        late = any(c.seconds is None for c in each)
        return Called("", "", None if late else sum(c.seconds or 0 for c in each))
    first = called(tool.command(files), limit)
    if first.seconds is None or first.seconds > _SHORT_SECONDS:
        return first
    turns = [first, *(called(tool.command(files), limit) for _ in range(2))]
    return min(turns, key=lambda c: limit if c.seconds is None else c.seconds)


# ---------------------------------------------------------------- verdicts


def scopec_verdicts(files: list[Path], limit: int) -> dict[Path, Verdict | str]:
    """What `scopec check` says of each file; a text says why it has no verdict."""
    command = [*_SCOPEC, "check", "-q", *_ASKED, "--format", "json", *map(str, files)]
    document = json.loads(called(command, limit * len(files)).output or "{}")
    found: dict[Path, Verdict | str] = dict.fromkeys(files, "no answer")
    for diagnostic in document.get("diagnostics", ()):
        found[Path(diagnostic["file"])] = diagnostic["message"]
    for program in document.get("programs", ()):
        told = {check["kind"]: check for check in program["checks"]}
        if "condition" not in told:
            found[Path(program["file"])] = "no condition"
            continue
        verdict, race = (told.get(kind, {}).get("verdict") for kind in ("condition", "race_free"))
        decided = verdict in ("holds", "violated")
        found[Path(program["file"])] = (
            Verdict(verdict == "holds", {"holds": False, "violated": True}.get(race))
            if decided else str(told["condition"]["reason"])
        )  # fmt: skip
    return found


def herd_verdict(called: Called) -> Verdict | str:
    """What herd7 says of one file, by its lines `Condition`, `Observation` and, of a race, `Flag`."""
    if called.seconds is None:
        return "no answer in time"
    condition = re.search(r"^Condition (~?exists|forall)", called.output, re.MULTILINE)
    observed = re.search(r"^Observation .* (Always|Sometimes|Never) \d+ \d+$", called.output, re.MULTILINE)
    if condition is None or observed is None:
        return (called.errors.strip().splitlines() or ["no answer"])[-1]
    so = {"exists": ("Always", "Sometimes"), "~exists": ("Never",), "forall": ("Always",)}[condition[1]]
    return Verdict(observed[1] in so, re.search("^Flag ", called.output, re.MULTILINE) is not None)


def dartagnan_verdict(called: Called) -> Verdict | str:
    """What dartagnan says of one file."""
    if called.seconds is None:
        return "no answer in time"
    result = re.search(r"^Result: (\w+)$", called.output, re.MULTILINE)
    if result is None or result[1] not in ("PASS", "FAIL"):
        return result[1] if result else (called.errors.strip().splitlines() or ["no answer"])[-1]
    return Verdict(result[1] == "PASS")


_VERDICTS = {"herd7": herd_verdict, "dartagnan": dartagnan_verdict}


def compared(
    other: str, ours: dict[str, Verdict | str], theirs: dict[str, Verdict | str]
) -> tuple[int, list[str], list[str]]:
    """How many files both answer alike, those with different answers, and those that one has no answer for."""
    alike, different, silent = 0, [], []
    for file, mine in ours.items():
        its = theirs[file]
        if isinstance(mine, str) or isinstance(its, str):
            silent.append(f"{file}: scopec: {mine}; {other}: {its}")
        elif mine.agrees(its):
            alike += 1
        else:
            different.append(f"{file}: scopec: {mine}; {other}: {its}")
    return alike, different, silent


# ---------------------------------------------------------------- rows


@dataclass(frozen=True)
class Row:
    """CPU seconds of each tool for some files; None is no answer in time."""

    what: str
    files: int
    seconds: dict[str, float | None]


class Comparison:
    """Rows and verdicts, as they are found."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.tools = tools()
        self.rows: list[Row] = []
        self.alike = {name: 0 for name in _VERDICTS if any(t.name == name for t in self.tools)}
        self.different: list[str] = []
        self.silent: list[str] = []

    def head(self) -> str:
        """The first lines of the table."""
        return f"| what | files | {' | '.join(t.name for t in self.tools)} |\n|---|--:|{'--:|' * len(self.tools)}"

    def row(self, what: str, files: list[Path]) -> str:
        """Measure and compare on some files; the file of a row with one is known by the row's name."""
        asked = [t for t in self.tools if len(files) == 1 or not (t.one and t.lists)]
        calls = {t.name: measured(t, files, self.limit) for t in asked}
        row = Row(what, len(files), {name: call.seconds for name, call in calls.items()})
        self.rows.append(row)
        names = {file: what if len(files) == 1 else str(file) for file in files}
        ours = {names[file]: verdict for file, verdict in scopec_verdicts(files, self.limit).items()}
        for tool in self.tools:
            if tool.name not in self.alike:
                continue
            again = (called(tool.command([file]), self.limit) for file in files)
            answers = [calls[tool.name]] if len(files) == 1 else again
            theirs = {names[f]: _VERDICTS[tool.name](answer) for f, answer in zip(files, answers, strict=True)}
            alike, different, silent = compared(tool.name, ours, theirs)
            self.alike[tool.name] += alike
            self.different += different
            self.silent += silent
        return self.shown(row)

    def shown(self, row: Row) -> str:
        """A line of the table."""
        cells = []
        for tool in self.tools:
            seconds = row.seconds.get(tool.name)
            late = tool.name in row.seconds and seconds is None
            cells.append(f"> {self.limit}" if late else "" if seconds is None else f"{seconds:.2f}")
        return f"| {row.what} | {row.files} | {' | '.join(cells)} |"

    def verdicts(self) -> Iterator[str]:
        """What is to be said of them."""
        for name, alike in self.alike.items():
            yield f"scopec and {name} agree on {alike} files"
        yield f"{len(self.different)} files with different answers"
        yield from (f"  {line}" for line in self.different)
        yield f"{len(self.silent)} files without an answer of one of them"
        yield from (f"  {line}" for line in self.silent)


def questions(folder: Path, folders: list[Path]) -> Iterator[tuple[str, list[Path]]]:
    """The files of each row: a hundred small ones and the growing families, or those of the user's folders."""

    def written(texts: Iterable[tuple[str, str]]) -> list[Path]:
        paths = []
        for name, text in texts:
            paths.append(folder / f"{name}.litmus")
            paths[-1].write_text(text, encoding="utf-8")
        return paths

    for given in folders:
        yield str(given), sorted(given.rglob("*.litmus"))
    if folders:
        return
    yield "small C litmus files", written(itertools.islice(programs.c_litmus(), 100))
    for family, (make, sizes) in FAMILIES.items():
        for size in sizes:
            yield f"{family}: {size}", written([(f"{make.__name__}-{size}", make(size))])


def main() -> None:
    """Measure, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="the first letters of its name; all where none is given")
    parser.add_argument("--litmus", type=Path, nargs="+", default=[], metavar="FOLDER", help="C litmus files, instead")
    parser.add_argument("--limit", type=int, default=30, help="CPU seconds that a call may take (default 30)")
    parser.add_argument("--json", type=Path, help="write the figures and verdicts there, too")
    options = parser.parse_args()
    comparison = Comparison(options.limit)
    with tempfile.TemporaryDirectory() as name:
        every = list(questions(Path(name), options.litmus))
        asked = [(what, files) for what, files in every if what.startswith(tuple(options.rows or [""])) and files]
        if not asked:
            parser.error("no row has files: there are " + ", ".join(what for what, _ in every))
        print(comparison.head())
        for what, files in asked:
            print(comparison.row(what, files), flush=True)
    load = os.getloadavg()[0]
    print(*comparison.verdicts(), f"load {load:.1f} on {os.cpu_count()} cores", sep="\n")
    if options.json:
        document = {
            "limit_seconds": options.limit, "load": load, "rows": [asdict(row) for row in comparison.rows],
            "alike": comparison.alike, "different": comparison.different, "without_answer": comparison.silent,
        }  # fmt: skip
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
