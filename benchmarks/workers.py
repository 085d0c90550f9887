"""TLC with one and with two workers: ``python benchmarks/workers.py`` prints a table for growing specifications.

Beside wall and CPU time it has what TLC takes on processors that nobody else wants: CPU time of the thread that starts
and reads, and of the worker that has most to do, which come one after the other.  Linux only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import programs
from scopec.engines.java.jars import Jar, Jars, java
from scopec.engines.java.processes import FLAGS
from scopec.engines.tla.engine import JAR, module
from scopec.engines.tla.read import read
from scopec.engines.tla.run import question
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan

_PERIOD_SECONDS = 0.02
#: How Linux calls the threads that count: that of Java's main function, and TLC's workers.
_MAIN, _WORKER = "java", "TLCWorkerThread"
STEPS = ((4, 4), (5, 6), (6, 6), (6, 8))


def threads(process: int) -> dict[str, tuple[str, float]]:
    """By thread its name and CPU seconds; nothing of a process that has ended."""
    found = {}
    try:
        for thread in Path(f"/proc/{process}/task").iterdir():
            text = (thread / "stat").read_text(encoding="utf-8")
            name, fields = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
            found[thread.name] = name, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        pass
    return found


def measured(jar: Jar, name: str, folder: Path, processors: int) -> tuple[str, int, float, float, float]:
    """TLC's outcome and number of states, wall and CPU seconds, and those of the two threads that count."""
    arguments = question(jar, name, folder, processors).arguments
    started, seen = time.perf_counter(), dict[str, tuple[str, float]]()
    with (folder / "printed").open("w+") as printed:
        process = subprocess.Popen([java(), *FLAGS, *map(str, arguments)], stdout=printed, cwd=folder)
        while True:
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            seen |= threads(process.pid)
            time.sleep(_PERIOD_SECONDS)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        result = read(printed.read(), process.returncode)
    longest: dict[str, float] = defaultdict(float)
    for thread, seconds in seen.values():
        longest[thread] = max(longest[thread], seconds)
    alone = longest[_MAIN] + longest[_WORKER]
    return result.outcome, result.states, wall, used.ru_utime + used.ru_stime, alone


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help=".cu files that ask `terminates`, instead")
    files = parser.parse_args().files
    jar = Jars({}, lambda line: print(line, file=sys.stderr))[JAR]
    print("| program | states | | workers | wall s | CPU s | alone s |\n|---|--:|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in () if files else STEPS:
            files.append(folder / f"steps-{'x'.join(map(str, size))}.cu")
            files[-1].write_text(programs.steps(*size), encoding="utf-8")
        for file in files:
            (run,) = plan(file, file.name, Overrides()).runs
            asked = module(progress_problem(run, "Termination"))
            for written, text in asked.files.items():
                (folder / written).write_text(text, encoding="utf-8")
            for processors in (1, 2):
                outcome, states, wall, cpu, alone = measured(jar, asked.name, folder, processors)
                told = f"{states:,} | {outcome} | {processors} | {wall:.1f} | {cpu:.1f} | {alone:.1f}"
                print(f"| {file.stem} | {told} |", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
