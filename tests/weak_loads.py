"""PTX litmus files without branches, by the text of the PTX ISA and as `weak_loads = compiled` adds to it.

``python -m tests.weak_loads FOLDER...`` counts the final states of each file by the text and as compiled.  What is new must be
a final state, by the text, of the file in which each weak load is as early as ptxas makes it, and what was allowed stays so.
Exit status 1 if a file says otherwise.
"""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from scopec.session.check import Settings
from scopec.session.final_states import listings
from scopec.session.plan import Overrides

_MOST = 100_000
_WEAK = re.compile(r"ld(?!\.(?:relaxed|acquire|volatile|mmio))[.\w]* (\w+), (\w+)")
_PASSED = re.compile(r"(?:ld|st)(?!\S*(?:acquire|release|mmio))[.\w]* ([\w, ]+)")
_BRANCH = re.compile(r"^\s*\w+:|\b(?:beq|bne|blt|bge|goto|bra)\b")


@dataclass(frozen=True)
class Compared:
    """Final states: by the text, as compiled, and by the text of the file with early weak loads."""

    text: frozenset[str]
    compiled: frozenset[str]
    early: frozenset[str]

    @property
    def agree(self) -> bool:
        return self.text <= self.compiled == self.early


def compared(source: str, folder: Path) -> Compared:
    """The final states of the text of a PTX litmus file."""
    isa = "\n//@ options weak_loads = isa;\n"
    return Compared(*(_states(text, folder) for text in (source + isa, source, early(source) + isa)))


def early(source: str) -> str:
    """The text with each weak load as early as ptxas makes it."""
    lines = source.splitlines()
    first = next(n for n, line in enumerate(lines) if "@" in line and line.lstrip().startswith("P"))
    rows = list(range(first, len(lines)))
    rows = rows[: next((n for n, at in enumerate(rows) if not _is_row(lines[at])), len(rows))]
    cells = [[cell.strip() for cell in lines[row].rstrip().rstrip(";").split("|")] for row in rows]
    columns = [_early([cell for cell in column if cell]) for column in zip_longest(*cells[1:], fillvalue="")]
    for n, row in enumerate(rows[1:]):
        lines[row] = " | ".join(column[n] if n < len(column) else "" for column in columns) + " ;"
    return "\n".join(lines)


def branches(source: str) -> bool:
    """Whether a thread has a branch, or a label."""
    body = source.partition("}")[2]
    return any(
        _BRANCH.search(cell)
        for line in body.splitlines()
        if "|" in line or line.endswith(";")
        for cell in line.split("|")
    )


def _is_row(line: str) -> bool:
    return line.rstrip().endswith(";") and not line.lstrip().startswith("//")


def _early(thread: list[str]) -> list[str]:
    done: list[str] = []
    for instruction in thread:
        at = len(done)
        if weak := _WEAK.fullmatch(instruction):
            register, location = weak.groups()
            while at and _is_passed(done[at - 1], register, location):
                at -= 1
        done.insert(at, instruction)
    return done


def _is_passed(instruction: str, register: str, location: str) -> bool:
    found = _PASSED.fullmatch(instruction)
    if found is None:
        return False
    first, _, second = found[1].partition(", ")
    return first != register if instruction.startswith("ld") else first != location and second != register


def _states(text: str, folder: Path) -> frozenset[str]:
    path = folder / "compared.litmus"
    path.write_text(text)
    (found,), _ = listings(path, Settings(engine="embedded", overrides=Overrides(model="ptx")), _MOST)
    return frozenset(str(sorted(dict(state.values).items())) for state in found.states)


def main(folders: list[str]) -> int:
    """Compare each file of the folders; print what differs, and sums."""
    states, more, files, wrong = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(p for folder in folders for p in Path(folder).rglob("*.litmus")):
            source = path.read_text()
            if not source.startswith("PTX") or branches(source):
                continue
            found = compared(source, Path(scratch))
            files, states, more = files + 1, states + len(found.text), more + len(found.compiled - found.text)
            if not found.agree:
                wrong += 1
                print(
                    f"{path}: as compiled alone {found.compiled - found.early}, early alone {found.early - found.compiled}"
                )
            elif found.compiled != found.text:
                print(f"{path}: {len(found.text)} states, {len(found.compiled - found.text)} more as compiled")
    print(
        f"{files} files: {states} states by the text, {more} more as compiled; {wrong} files are not what early loads give"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
