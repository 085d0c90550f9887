"""GPUVerify's CUDA tests, and Faial's examples, asked of all launches: a table.

``python -m benchmarks.verifiers CLONES`` asks each test with ``scopec check``: at its recorded size, and about
launches of any size.  ``verifiers.tsv`` has what is recorded, both answers, and the reason where they differ; what is
not as there is told on the standard error.  CLONES has the bare repositories ``gpuverify`` (mc-imperial/gpuverify) and
``faial`` (elliotsayes/faial), or ``--gpuverify`` and ``--faial`` name them.  No text of a test is kept here.

A test of GPUVerify says in its first line whether it passes, and in its second the size of the launch; those of Faial
are listed in ``test.ml`` with arguments and a status, 0 where no race is found.  Faial's question is about the threads
of one block, unless ``--grid-level`` is among the arguments: its tests are asked of one block, or of any grid.
``gpuverify.h`` declares what GPUVerify has beside CUDA; a precondition of a kernel becomes part of the condition.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.headers.__main__ import CHECK, call

HERE = Path(__file__).parent
COLUMNS = ("suite", "test", "recorded", "at its size", "at any size", "reason")
#: So many threads a block of a device has.
LARGEST = 1024
_CHECK = [word for word in CHECK if word not in ("--headers", "real")]
_KERNEL = re.compile(r"__global__[\w\s()]*?\b(?:void)\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^{;]*)\)\s*\{")
_FUNCTION = re.compile(r"__device__[\w\s*]*?\b(\w+)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_REQUIRED = re.compile(r"\s*__(?:requires|assume)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\);")
#: Conditions about two threads, or about what was accessed, which CUDA has no words for.
_OWN = re.compile(
    r"__(?:requires|assume|axiom)\((?:.*\b__(?:other|distinct|uniform|read|write|no_read|no_write|ptr)\w*|.*blockIdx|.*threadIdx)"
)
_KINDS = {
    "race": r"race|racy|Write by thread|Read by thread",
    "null pointer": r"null pointer",
    "assert": r"^//assert|c = 48",
    "constant memory": r"constant memory",
    "invariant": r"invariant",
}


@dataclass(frozen=True)
class Case:
    """A file of a suite, what is recorded of it, and how a launch is called there."""

    suite: str
    name: str
    file: Path
    recorded: str
    condition: str
    words: tuple[str, ...] = ()
    kind: str = ""


def sized(text: str) -> str:
    """The condition that a launch is of the size that flags name, with a block as large as a device takes at most."""
    parts = []
    for name in ("blockDim", "gridDim"):
        found = re.search(rf"--{name}=(?:\[([\d,\s]+)\]|(\d+))", text)
        if found is None:
            continue
        numbers = (found[1] or found[2]).split(",")
        if name == "blockDim" and math.prod(map(int, numbers)) > LARGEST:
            numbers = [str(LARGEST)]
        parts += [f"{name}.{axis} == {n.strip()}" for axis, n in zip("xyz", [*numbers, "1", "1"][:3], strict=True)]
    return " && ".join(parts)


def of_gpuverify(tests: Path) -> Iterator[Case]:
    """GPUVerify's, with the kind of failure that the comment below names."""
    for file in sorted(tests.rglob("kernel.cu")):
        first, flags, *rest = file.read_text(encoding="utf-8", errors="replace").splitlines()
        recorded = "pass"
        if not first.lower().startswith("//pass"):
            said = "\n".join(line for line in rest[:8] if line.startswith("//"))
            kinds = [kind for kind, words in _KINDS.items() if re.search(words, said, re.M)]
            error = first.partition(":")[2].strip()
            recorded = f"fails: {'not read' if error != 'NOT_ALL_VERIFIED' else kinds[0] if kinds else 'not said'}"
        words = tuple(re.findall(r"-D\S+", flags))
        kind = "uniform" if "--only-divergence" in flags else ""
        yield Case("gpuverify", str(file.parent.relative_to(tests)), file, recorded, sized(flags), words, kind)


def of_faial(examples: Path) -> Iterator[Case]:
    """Faial's, one for each row of its list."""
    listed = re.sub(r"\(\*.*?\*\)", "", (examples / "test.ml").read_text(encoding="utf-8"), flags=re.S)
    for name, given, status in re.findall(r'"([\w.-]+\.cu)", \[(.*?)\], (\d);', listed):
        words = re.findall(r'"([^"]*)"', given)
        file = examples / name
        recorded = ("pass", "fails: race", "fails: not read")[int(status)]
        head = "\n".join(file.read_text(encoding="utf-8").splitlines()[:2])
        conditions = [sized(" ".join([*words, head]))]
        conditions += [one.replace("=", " == ") for i, one in enumerate(words) if i and words[i - 1] == "-p"]
        if "--grid-level" not in words and "gridDim" not in conditions[0]:
            conditions.append("gridDim.x == 1 && gridDim.y == 1 && gridDim.z == 1")
        defined = tuple(one for one in words if one.startswith("-D"))
        shown = " ".join([name, *words])
        yield Case("faial", shown, file, recorded, " && ".join(filter(None, conditions)), defined, "race_free")


def asked(one: Case, condition: str, into: Path) -> Path:
    """A text that asks about each kernel of a test."""
    text = one.file.read_text(encoding="utf-8", errors="replace")
    lines = [f'#include "{HERE / "gpuverify.h"}"', "#line 1", text]
    plain = _COMMENT.sub("", text)
    functions = set(_FUNCTION.findall(plain))
    for found in _KERNEL.finditer(plain):
        at, conditions = found.end(), [condition] if condition else []
        while (required := _REQUIRED.match(plain, at)) is not None:
            at = required.end()
            if "__" not in required[1] and functions.isdisjoint(re.findall(r"\w+", required[1])):
                conditions.append(f"({required[1]})")
        where = f" where {' && '.join(conditions)}" if conditions else ""
        lines.append(f"//@ every {found[1]}{where};" + (f" expect {one.kind};" if one.kind else ""))
    file = into / "kernel.cu"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def answer(one: Case, condition: str, into: Path, limit: int) -> tuple[str, str]:
    """The verdict in a word, and what is said of it."""
    command = [*_CHECK, "--timeout", str(limit), "--format", "json", *one.words, str(asked(one, condition, into))]
    said = call(command, 3 * limit + 30)
    try:
        told = json.loads(said.said[said.said.index("{") : said.said.rindex("}") + 1])
    except ValueError:
        return "not read", said.error()
    checks = [check for program in told["programs"] for check in program["checks"]]
    if not checks:
        errors = [note["message"] for note in told["diagnostics"] + told["failures"] if "message" in note]
        return "not read", (errors or [said.error()])[0]
    for kind, word in (("race_free", "race"), ("uniform", "divergent")):
        bad = [check for check in checks if check["kind"] == kind and check["verdict"] == "violated"]
        if bad:
            return word, bad[0]["reason"] or bad[0]["text"]
    unknown = [check for check in checks if check["verdict"] == "unknown"]
    if unknown:
        return "unknown", f"{unknown[0]['kind']}: {unknown[0]['reason']}"
    return "holds", ""


def unpacked(repository: Path, folder: str, into: Path) -> Path:
    """A folder of a bare repository, as files."""
    archive = subprocess.run(
        ["git", f"--git-dir={repository}", "archive", "HEAD", folder], check=True, capture_output=True
    )
    into.mkdir()
    subprocess.run(["tar", "-x", "-C", str(into)], input=archive.stdout, check=True)
    return into / folder


def table() -> dict[tuple[str, str], dict[str, str]]:
    """What is known, by suite and test."""
    with (HERE / "verifiers.tsv").open(encoding="utf-8", newline="") as file:
        return {(row["suite"], row["test"]): row for row in csv.DictReader(file, delimiter="\t")}


def main() -> None:
    """Print a line for each test, and how many there are of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--gpuverify", type=Path, help="the repository, where it has another name")
    parser.add_argument("--faial", type=Path)
    parser.add_argument("--only", nargs="*", default=[""], help="tests of which suite and name contain one of these")
    parser.add_argument("--limit", type=int, default=20, help="seconds for a question")
    parser.add_argument("--sizes", action="store_true", help="ask at the recorded size alone")
    given = parser.parse_args()
    known, counts = table(), Counter[tuple[str, ...]]()
    with tempfile.TemporaryDirectory() as name:
        into = Path(name)
        tests = [
            *of_gpuverify(unpacked(given.gpuverify or given.clones / "gpuverify", "testsuite/CUDA", into / "g")),
            *of_faial(unpacked(given.faial or given.clones / "faial", "examples/drf", into / "f")),
        ]
        print("\t".join(COLUMNS))
        for one in tests:
            if not any(part in f"{one.suite} {one.name}" for part in given.only):
                continue
            at, why = answer(one, one.condition, into, given.limit)
            anywhere, other = ("", "") if given.sizes else answer(one, "", into, given.limit)
            row = known.get((one.suite, one.name), {})
            own = at != "holds" and _OWN.search(one.file.read_text(encoding="utf-8", errors="replace"))
            reason = row.get("reason", "") or ("GPUVerify's own language" if own else "")
            changed = at != row.get("at its size") or (anywhere and anywhere != row.get("at any size"))
            print(*(one.suite, one.name, one.recorded, at, anywhere, reason), sep="\t", flush=True)
            if changed:
                print(f"  new: {why} | {other}", file=sys.stderr, flush=True)
            counts[one.suite, one.recorded, at] += 1
    for (suite, recorded, at), number in sorted(counts.items()):
        print(f"{suite}: {recorded}: {at}: {number}", file=sys.stderr)


if __name__ == "__main__":
    main()
