"""``scopec run``: programs on a real GPU, beside what the model allows."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.base.diagnostics import UsageError
from scopec.cli.messages import problems, say
from scopec.cli.options import limit_options, memory_options
from scopec.engines.table import AUTO
from scopec.report import formats
from scopec.report import options as report_options

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.session.plan import Overrides


@click.command("run", cls=report_options.ReportingCommand)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--emit", type=click.Path(path_type=Path), help="Write the harness here, to run elsewhere with `make`.")
@click.option("--results", multiple=True, type=click.Path(path_type=Path),
              help="Compare what a harness of these files wrote elsewhere; repeatable.")  # fmt: skip
@click.option("--nvcc", metavar="PATH", help="NVIDIA's compiler, instead of the one on PATH.")
@click.option("--arch", default="native", show_default=True, help="What nvcc compiles for, such as sm_90.")
@click.option("--flags", multiple=True, default=("-O3",), show_default=True,
              help="Of nvcc; repeatable: the states that are seen with each are beside each other.")  # fmt: skip
@click.option("--clang", metavar="FLAGS", multiple=True,
              help="Compile the tests with clang, too, with these flags; repeatable.")  # fmt: skip
@click.option("--whole", is_flag=True, help="Run each program with a `main` as it is written, not its threads alone.")
@click.option("--rounds", type=click.IntRange(min=1), default=300, show_default=True, help="Launches of each test.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of the stress.")
@click.option(
    "--turns",
    type=click.IntRange(1, 2**32 - 1),
    default=100_000,
    show_default=True,
    help="How often a thread may go round in loops before it is given up.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=100_000, show_default=True, help="Of executions that are listed."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=min(2, os.cpu_count() or 1), show_default=True,
              help="Compilers at once.")  # fmt: skip
@memory_options
@limit_options
@report_options.reports
@click.option("-q", "--quiet", is_flag=True, help="Only what does not hold.")
def run(
    paths: tuple[Path, ...], emit: Path | None, results: Sequence[Path], nvcc: str | None, arch: str,
    flags: Sequence[str], clang: Sequence[str], whole: bool, rounds: int, seed: int, turns: int, limit: int, jobs: int,
    overrides: Overrides, timeout: float, memory_limit: int, requests: Sequence[formats.Request], quiet: bool,
) -> int:  # fmt: skip
    """Run .cu, .ptx and .litmus files in PATHS many times on a GPU, and compare what is seen with the model.

    Exit status: 0 nothing seen is forbidden, 1 something is, 2 bad input or usage, 3 no nvcc or GPU, 4 undecided.
    """
    from scopec.base.scratch import scratch_folder
    from scopec.gpu import build
    from scopec.gpu import results as shown
    from scopec.gpu.emit import files
    from scopec.gpu.run import compare, read
    from scopec.session.check import Settings, exit_code

    if emit is not None and results:
        raise UsageError("--emit is for a run to come, --results for one that was: give one of them")
    started, start = datetime.now(), time.monotonic()
    ways: list[Mapping[str, str]] = []
    if emit is None and not results:
        by = {"NVCC": build.find(nvcc), "ARCH": arch}
        ways += [{**by, "FLAGS": one} for one in flags]
        ways += [{**by, "FLAGS": one, "CLANG": build.clang()} for one in clang]
    settings = Settings(overrides, 1, timeout, memory_limit, engine=AUTO, say=say, cache=overrides.cache)
    found = list(read(paths, settings, as_written=whole))
    harness = files([test for file in found for test in file.tests], rounds, seed, turns)
    if emit is not None:
        build.write(harness, emit)
        outcomes = [file.outcome for file in found]
        problems(outcomes)
        say(f"{sum(len(file.tests) for file in found)} tests in {emit}: `make` there writes results.jsonl")
        return exit_code(outcomes)
    seen = [shown.read(path) for path in results]
    for way in ways if any(file.tests for file in found) else ():
        with scratch_folder() as folder:
            seen.append(build.results(harness, folder, way, jobs))
    outcomes = [compare(file, seen, limit) for file in found]
    seconds, status = time.monotonic() - start, exit_code(outcomes)
    about = {each.built: {"version": each.version} for each in seen}
    formats.write(requests, formats.Results(outcomes, seconds, started, status, lambda: about, quiet=quiet))
    problems(outcomes)
    return status
