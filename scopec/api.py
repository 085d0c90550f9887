"""scopec from Python: ``scopec.check("src")``, ``scopec.check(text="…")`` (docs/python.md)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.advice import advised
from scopec.base.limits import half_of_the_machine
from scopec.base.records import dataclass
from scopec.explain.fixes import diff
from scopec.explain.reasons import explanation
from scopec.frontends.clang.flags import Flags
from scopec.report import json, rules, text
from scopec.session import check as session
from scopec.session.plan import Overrides
from scopec.session.reductions import named
from scopec.session.texts import stored

if TYPE_CHECKING:
    from scopec.base.diagnostics import Diagnostic
    from scopec.explain.verdict import Check, Trace
    from scopec.explain.verdict import Verdict as Answer

__all__ = ["Results", "Verdict", "check"]


@dataclass(frozen=True)
class Verdict:
    """One expectation of one variant of a file, and what became of it.

    ``file``, ``line`` and ``column`` (from 1) are where it is written; ``kind`` and ``expectation`` what is expected,
    ``answer`` whether it holds; ``rule`` names the kind of what is wrong and ``message`` says it in one paragraph (None
    of what holds); ``advice`` is a change under which it would hold, that was checked, and ``diff`` the same as a
    unified diff, where one place says what is to change; ``trace`` the counterexample, or the example of what is
    allowed.
    """

    file: str
    line: int
    column: int
    kind: str
    expectation: str
    answer: Answer
    rule: str | None
    message: str | None
    advice: str | None
    diff: str | None
    trace: Trace | None
    variant: Mapping[str, str]
    model: str
    progress: str
    engine: str
    time_ms: float

    @property
    def holds(self) -> bool:
        """Whether the answer is `holds`."""
        return self.answer == "holds"


@dataclass(frozen=True)
class Results:
    """What became of every file, in the order of the paths: ``outcomes`` is the whole of it, as reports take it."""

    outcomes: tuple[session.Outcome, ...]
    seconds: float

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every check with its verdict."""
        return tuple(_verdict(r, c) for o in self.outcomes for r in o.reports for c in r.checks)

    @property
    def violated(self) -> tuple[Verdict, ...]:
        """The verdicts that are violations."""
        return tuple(v for v in self.verdicts if v.answer == "violated")

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Errors and warnings about the files."""
        return tuple(d for o in self.outcomes for d in o.diagnostics)

    @property
    def failures(self) -> dict[str, str]:
        """What an engine failed at, by the file."""
        return {o.file: o.failure for o in self.outcomes if o.failure is not None}

    @property
    def exit_code(self) -> int:
        """The exit status of ``scopec check``: 0 if every expectation holds."""
        return session.exit_code(self.outcomes)

    @property
    def ok(self) -> bool:
        """Whether every expectation holds."""
        return self.exit_code == 0

    def text(self, width: int = 100) -> str:
        """What ``scopec check`` prints."""
        lines: list[str] = []
        for o in self.outcomes:
            lines += (line for d in o.diagnostics for line in text.diagnostic_lines(d, width, quote=False))
            lines += text.outcome_lines(o, verbose=False, quiet=False, width=width)
        return "\n".join([*lines, text.summary_line(self.outcomes, self.seconds)]) + "\n"

    def json(self) -> str:
        """The document of ``scopec check --format json`` (docs/results.schema.json), without the engines' versions."""
        return json.text(json.document(self.outcomes, {}, self.seconds))

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)


def _verdict(report: session.Report, check: Check) -> Verdict:
    expected, run = check.expectation, report.run
    bad = check.verdict != "holds"
    changes = "\n".join(diff(check.fix, run.source, context=3))
    return Verdict(
        run.file, expected.span.line, expected.span.column, expected.kind, expected.text, check.verdict,
        rules.rule(check).id if bad else None, rules.message(check, explanation(check)) if bad else None,
        check.advice, changes + "\n" if changes else None, check.trace, run.program.variant, run.model.name,
        run.progress.name, check.engine, check.time_ms,
    )  # fmt: skip


def check(
    *paths: str | Path, text: str | None = None, name: str = "program.cu", model: str | None = None,
    progress: str | None = None, given: Mapping[str, str] | None = None, unroll: int | None = None,
    ignore_races: bool = False, folders: Iterable[str | Path] = (), macros: Iterable[str] = (),
    engine: str = "auto", timeout: float | None = 300.0, memory_limit: int | None = -1, jobs: int = 1,
    advise: bool = True, cache: bool = True, without: Iterable[str] = (),
) -> Results:  # fmt: skip
    """Check every expectation of every program that ``paths`` name (folders recurse), and of ``text`` under ``name``.

    ``model``, ``progress``, ``given``, ``unroll`` (a number of turns) and ``ignore_races`` are used instead of what
    files say; ``folders`` (of ``-I``) and ``macros`` (``-DNAME=VALUE``) are for clang. ``engine`` is ``auto``, ``both``
    or an engine's name; ``timeout`` is in seconds for all that one program is asked, ``memory_limit`` in bytes
    (negative: half of the machine's); None is no limit. With ``advise``, a change is looked for that mends what is
    violated; with ``cache``, earlier answers are used. ``without`` names reductions that are not made (``all``: none
    is; docs/abstractions.md). Bad input is in the results' diagnostics.

    Raises ValueError where there is nothing to check, ScopecError for names of models, engines and reductions that do
    not exist.
    """
    if not paths and text is None:
        raise ValueError("name a path, or give a text")
    flags = Flags(tuple(map(Path, folders)), tuple(macros))
    overrides = Overrides(
        model, dict(given) if given else None, unroll, ignore_races, progress, flags=flags, cache=cache,
        quotable=flags.folders, without=named(without),
    )  # fmt: skip
    limit = half_of_the_machine() if memory_limit is not None and memory_limit < 0 else memory_limit
    settings = session.Settings(
        overrides, jobs, timeout, limit, engine=engine, advise=advised if advise else None, cache=cache
    )  # fmt: skip
    started = time.monotonic()
    with ExitStack() as stack:
        files = {Path(path): str(path) for path in paths}
        if text is not None:
            files[stack.enter_context(stored(text, name))] = name
        outcomes = tuple(session.check(list(files), settings, {p: n for p, n in files.items() if not p.is_dir()}))
    return Results(outcomes, time.monotonic() - started)
