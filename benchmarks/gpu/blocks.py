"""Writes random kernels with barriers that end, with a race or without, for `scopec run --model ptx`::

python -m benchmarks.gpu.blocks FOLDER 5000 5420          # those without a race
python -m benchmarks.gpu.blocks FOLDER 6000 6500 --racy
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from scopec.session.check import Settings, check
from tests.random_blocks import text


def kernels(seeds: range, folder: Path, *, racy: bool) -> Iterator[Path]:
    """Written to ``folder``: the programs of ``seeds`` that end, and have a race under `ptx`, or none under `cuda`."""
    settings = Settings(engine="embedded", timeout=5)
    for seed in seeds:
        asked = re.sub(r"//@ (options races|expect (?!race_free|terminates)).*\n", "", text(seed))
        if racy:
            asked = asked.replace("race_free;", "race_free under ptx;")
        path = folder / f"b{seed}.cu"
        path.write_text(asked, encoding="utf-8")
        (outcome,) = check([path], settings)
        verdicts = [check.verdict for report in outcome.reports for check in report.checks]
        if verdicts == ["violated" if racy else "holds", "holds"]:
            yield path
        else:
            path.unlink()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--racy", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(len(list(kernels(range(options.first, options.end), options.folder, racy=options.racy))), "programs")


if __name__ == "__main__":
    main()
