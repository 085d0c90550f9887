"""A profile of a whole call: ``python -m benchmarks.profile [--top N] -- check FILE --engine embedded``.

Prints the phases that the call itself reports, then the functions with the most time of their own, and the modules.
The call runs in this process, under Python's own profiler, which makes Python code some three times slower than it is.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).parent.parent


class Row(NamedTuple):
    """A function: seconds of its own, seconds with what it calls, calls, and where it is."""

    own: float
    whole: float
    calls: int
    place: str


def rows(profile: pstats.Stats) -> list[Row]:
    """The functions of a profile, those with the most time of their own first; waits for other threads are none."""
    found = []
    for (file, line, name), (_, calls, own, whole, _) in profile.stats.items():  # type: ignore[attr-defined]
        if name == "<method 'acquire' of '_thread.lock' objects>":
            continue
        place = name if file.startswith("~") else f"{_shown(file)}:{line} {name}"
        found.append(Row(own, whole, calls, place))
    return sorted(found, reverse=True)


def _shown(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_PACKAGE)) if path.is_relative_to(_PACKAGE) else path.name


def profiled(arguments: list[str]) -> tuple[int, pstats.Stats]:
    """The status of a call of scopec, and its profile, of all its threads."""
    from scopec.cli.program import commands

    profiles = [cProfile.Profile()]
    inner = threading.Thread.run

    def run(thread: threading.Thread) -> None:
        profile = cProfile.Profile()
        with suppress(ValueError):  # newer Pythons have one profiler for all threads
            profile.enable()
            profiles.append(profile)
        try:
            inner(thread)
        finally:
            profile.disable()

    status = 0
    threading.Thread.run = run  # type: ignore[method-assign]
    try:
        status = profiles[0].runcall(commands.main, arguments, "scopec", standalone_mode=False) or 0
    except SystemExit as ended:
        status = int(ended.code or 0)
    finally:
        threading.Thread.run = inner  # type: ignore[method-assign]
    return status, pstats.Stats(*profiles)


def main() -> int:
    """Profile the call that the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__.partition("\n")[0])
    parser.add_argument("--top", type=int, default=25, help="how many functions are shown")
    parser.add_argument("call", nargs=argparse.REMAINDER, help="the arguments of scopec, behind --")
    given = parser.parse_args()
    call = given.call[1:] if given.call[:1] == ["--"] else given.call
    if not call:
        parser.error("say what scopec is to do: -- check FILE --engine embedded")
    status, profile = profiled(call)
    found = rows(profile)
    modules = Counter[str]()
    for row in found:
        modules[row.place.partition(":")[0] if ".py:" in row.place else "(built in)"] += row.own  # type: ignore[assignment]
    print(f"\n{sum(row.own for row in found):.2f} s under the profiler; by function:")
    print(f"{'own':>8} {'whole':>8} {'calls':>10}  where")
    for row in found[: given.top]:
        print(f"{row.own:8.3f} {row.whole:8.3f} {row.calls:10,}  {row.place}")
    print("by module:")
    for module, seconds in modules.most_common(given.top // 2):
        print(f"{seconds:8.3f}  {module}")
    return status


if __name__ == "__main__":
    sys.exit(main())
