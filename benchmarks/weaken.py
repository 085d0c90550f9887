"""Programs with too strong synchronisation, and what ``scopec weaken`` finds in them: ``python -m benchmarks.weaken``.

Every program of benchmarks/weaken is weakened under each of ``MODELS`` that it can be asked of, and what is found is
compared with ``expected.txt`` there, which ``--update`` writes.  ``--both`` checks each changed text afresh, by
scopec's own engine and by the jars.  ``--write FOLDER`` writes the changed texts, for a GPU::

    python -m benchmarks.weaken --write changed
    scopec run changed --emit harness        # then `make -C harness` where there are nvcc and a GPU
    scopec run changed --results harness/results.jsonl

The last has status 1 if a state was seen that the model forbids of a changed text, or that contradicts what it expects.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scopec.advice.weaken import Found, weaken
from scopec.engines.tla.engine import MANY_THREADS
from scopec.explain.fixes import replaced
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

PROGRAMS = Path(__file__).parent / "weaken"
EXPECTED = PROGRAMS / "expected.txt"
MODELS = ("cuda", "ptx")
#: More sets of changes than any program has.
_MOST = 32


@dataclass(frozen=True)
class Case:
    """A program under a model."""

    path: Path
    model: str

    @property
    def name(self) -> str:
        """What it is called in ``expected.txt``."""
        return f"{self.path.name} [{self.model}]"


def cases() -> list[Case]:
    """Every program under every model; a litmus file of PTX under that of PTX alone."""
    files = sorted(path for path in PROGRAMS.iterdir() if path.suffix in (".cu", ".litmus"))
    return [Case(path, m) for path in files for m in MODELS if m == "ptx" or path.suffix == ".cu"]


def found(case: Case) -> Found:
    """What can be weaker in a program."""
    return weaken(case.path, Settings(Overrides(model=case.model), engine="embedded"), most=_MOST)


def lines(case: Case, of: Found) -> Iterator[str]:
    """A section of ``expected.txt``: the sets of changes."""
    yield case.name
    for number, one in enumerate(of.proposals, 1):
        yield f"  {number}."
        yield from (f"    {saved}" for saved in one.saves)
    if not of.whole:
        yield "  (the search was ended)"


def expected() -> dict[str, list[str]]:
    """The sections of ``expected.txt``, by name."""
    sections: dict[str, list[str]] = {}
    for line in EXPECTED.read_text(encoding="utf-8").splitlines() if EXPECTED.exists() else ():
        sections.setdefault(line if not line.startswith(" ") else list(sections)[-1], []).append(line)
    return sections


def texts(of: Found) -> list[str]:
    """The texts with each set of changes."""
    return [replaced(of.run.source, one.changes) for one in of.proposals]


def engines(of: Found) -> tuple[str, str]:
    """The engines that check a changed text; TLC would take minutes for many threads, and is not asked of these."""
    threads = sum(grid.blocks.count * grid.threads.count for grid in of.run.program.grids.values())
    return "embedded", "both" if threads < MANY_THREADS else "alloy"


def status(text: str, case: Case, engine: str) -> int:
    """The exit status of a fresh check of a text by an engine, without answers of other calls: 0 if all of it holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case.path.name
        path.write_text(text, encoding="utf-8")
        (outcome,) = check([path], Settings(Overrides(model=case.model), engine=engine))
    return outcome.exit_code


def main(arguments: Sequence[str]) -> int:
    """Compare or update what is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names without a suffix; all where none is given")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args(arguments)
    known = expected()
    wrong = 0
    asked = [case for case in cases() if not given.programs or case.path.stem in given.programs]
    for case in asked:
        began = time.process_time()
        of = found(case)
        section = list(lines(case, of))
        if given.update:
            known[case.name] = section
            EXPECTED.write_text(
                "".join(f"{line}\n" for c in cases() for line in known.get(c.name, ())), encoding="utf-8"
            )
        problems = [] if known.get(case.name) == section else ["not what is expected"]
        for number, text in enumerate(texts(of), 1):
            for engine in engines(of) if given.both else ():
                if code := status(text, case, engine):
                    problems.append(f"set {number}: status {code} of {engine}")
            if given.write:
                given.write.mkdir(parents=True, exist_ok=True)
                name = f"{case.path.stem}-{case.model}-{number}{case.path.suffix}"
                (given.write / name).write_text(text, encoding="utf-8")
        wrong += len(problems)
        seconds = time.process_time() - began
        print(
            f"{case.name:32} {len(of.proposals):3} sets {of.asked:4} asked {seconds:6.1f} CPU s", *problems, flush=True
        )
    print(f"{len(asked)} programs and models, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
