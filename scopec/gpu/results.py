"""Results that a harness wrote: how often each test ended in which state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import UsageError
from scopec.base.files import text_of
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Record:
    """The results of one test: the number of its runs, and each state as words with its count.

    ``lost`` runs ended in states beyond those that are told apart.  ``failed`` says why there is nothing.
    """

    runs: int = 0
    states: tuple[tuple[int, tuple[int, ...]], ...] = ()
    lost: int = 0
    failed: str | None = None


@dataclass(frozen=True)
class Results:
    """The place and manner of tests (``about``: GPU, driver, rounds, seed), and their records by the keys of tests."""

    about: Mapping[str, Any]
    records: Mapping[str, Record]

    @property
    def gpu(self) -> str:
        """The name of the GPU."""
        return str(self.about["gpu"])

    @property
    def built(self) -> str:
        """The marks that distinguish these results from others of the same programs: the compilation, and the GPU."""
        return f"{self.about.get('built', '')} on {self.gpu}".removeprefix(" on ")

    @property
    def version(self) -> str:
        """Everything else that decides the results, but chance."""
        said = ("compute", "driver", "runtime", "built", "rounds", "seed", "turns")
        return ", ".join(f"{name} {self.about[name]}" for name in said if name in self.about)


def together(records: Sequence[Record]) -> Record:
    """The records of one test as one; it failed where each did."""
    found = [record for record in records if record.failed is None]
    if not found:
        return records[0]
    states = tuple(state for record in found for state in record.states)
    return Record(sum(r.runs for r in found), states, sum(r.lost for r in found))


def read(path: Path) -> Results:
    """The results in a file; UsageError where that is not what it holds."""
    try:
        lines = [json.loads(line) for line in text_of(path).splitlines() if line.strip()]
        about = next(line for line in lines if "scopec" in line)
        found = Results(_about(about), dict(_records(lines)))
    except OSError as failure:
        raise UsageError(f"cannot read {path}: {failure.strerror}") from failure
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError, StopIteration) as failure:
        raise wrong(path) from failure
    return found


def wrong(path: Path | str) -> UsageError:
    """The error that what is in a file, or said of a test, is nothing that a harness writes."""
    return UsageError(f"{path} is not what a harness of `scopec run` writes")


def _about(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The description of the GPU: its name, and texts and numbers."""
    found = {name: value if isinstance(value, str) else _word(value) for name, value in line.items()}
    return {"gpu": str(found["gpu"]), **found}


def _records(lines: list[Any]) -> Iterator[tuple[str, Record]]:
    for line in lines:
        if "failed" in line:
            yield str(line["key"]), Record(failed=str(line["failed"]))
        elif "test" in line:
            states = tuple((_word(count), tuple(map(_word, words))) for count, *words in line["states"])
            yield str(line["key"]), Record(_word(line["runs"]), states, _word(line["lost"]))


def _word(value: object) -> int:
    """A number as a harness writes it; ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise ValueError(value)
    return value
