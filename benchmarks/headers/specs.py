"""The programs of specs/ that include CUDA's library, over scopec's headers and over NVIDIA's: do the verdicts agree?

``python -m benchmarks.headers.specs`` prints a line for each program: ``same``, what differs, or why one of them is not
answered; the CPU seconds over scopec's headers and over NVIDIA's; the numbers of each at the end.  It exits with 1
where one is not the same.  ``--part 2/3`` takes the second of every three.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

from benchmarks.headers.__main__ import Called, call

SPECS = Path(__file__).parents[2] / "specs"
OF_CUDA = re.compile(r"^#include <(?:cuda|cooperative_groups)", re.M)
CHECK = (sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "--format", "json", "--jobs", "1")
#: What a program is called beside its file: what varies, and the model.
NAMED = ("variant", "model", "options", "given")


def programs() -> list[Path]:
    """The programs that include CUDA's library."""
    return [path for path in sorted(SPECS.rglob("*.cu")) if OF_CUDA.search(path.read_text(encoding="utf-8"))]


def verdicts(called: Called) -> dict[str, str] | str:
    """What became of each expectation of each variant; or why there is no answer."""
    try:
        said = json.loads(called.said[: called.said.rindex("}") + 1])
    except ValueError:
        return called.error()
    errors = [one["message"] for one in said["diagnostics"] if one["severity"] == "error"]
    if errors or said["failures"]:
        return str((errors or said["failures"])[0])
    return {
        " ".join((check["text"], *(json.dumps(program[part]) for part in NAMED))): check["verdict"]
        for program in said["programs"]
        for check in program["checks"]
    }


def compared(path: Path, limit: int) -> tuple[str, ...]:
    """A line: the program, what became of it, seconds over either."""
    own, theirs = (
        call([*CHECK, "--headers", headers, "--timeout", str(limit), str(path)], 2 * limit)
        for headers in ("shims", "real")
    )
    one, other = verdicts(own), verdicts(theirs)
    if isinstance(one, str) or isinstance(other, str):
        told = f"shims: {one}" if isinstance(one, str) else f"real: {other}"
    else:
        differ = [
            f"{name}: {one.get(name)}, {other.get(name)}"
            for name in sorted(one.keys() | other.keys())
            if one.get(name) != other.get(name)
        ]
        told = f"{len(differ)} differ: {differ[0]}" if differ else "same"
    return str(path.relative_to(SPECS)), told, f"{own.seconds:.1f}", f"{theirs.seconds:.1f}"


def main() -> int:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="those whose path contains this")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="each Nth of them, from the Kth on")
    parser.add_argument("--limit", type=int, default=120, help="seconds that a file may take")
    given = parser.parse_args()
    first, _, step = given.part.partition("/")
    chosen = [path for path in programs()[int(first) - 1 :: int(step)] if given.only in str(path)]
    count: Counter[str] = Counter()
    for path in chosen:
        line = compared(path, given.limit)
        count["same" if line[1] == "same" else "not the same"] += 1
        print("\t".join(line), flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(count.items())))
    return int(count["not the same"] > 0)


if __name__ == "__main__":
    sys.exit(main())
