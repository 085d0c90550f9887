"""scopec from Python: ``scopec.check("src")``, ``scopec.check(text="…")`` (docs/python.md)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scopec.advice import advised
from scopec.base.records import dataclass
from scopec.explain.fixes import diff
from scopec.explain.reasons import explanation
from scopec.report import json, rules, text
from scopec.session import check as session
from scopec.session import project
from scopec.session.configured import configured, known, through_of
from scopec.session.reductions import named
from scopec.session.texts import stored

if TYPE_CHECKING:
    from scopec.base.diagnostics import Diagnostic
    from scopec.explain.verdict import Check, Trace
    from scopec.explain.verdict import Verdict as Answer

__all__ = ["Results", "Verdict", "check"]

_T = TypeVar("_T")


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

    def __repr__(self) -> str:
        """One line: of a counterexample there is too much for an interpreter to show."""
        reason = f", {self.rule}" if self.rule is not None else ""
        return f"<Verdict {self.file}:{self.line} {self.expectation}: {self.answer}{reason}>"

    @property
    def holds(self) -> bool:
        """Whether the answer is `holds`."""
        return self.answer == "holds"


@dataclass(frozen=True)
class Results:
    """The results of all files, in the order of the paths: ``outcomes`` is all of it, as reports take it."""

    outcomes: tuple[session.Outcome, ...]
    seconds: float

    def __repr__(self) -> str:
        return f"<Results of {text.summary_line(self.outcomes, self.seconds)}>"

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
        """The failures of engines, by file."""
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
        """The text that ``scopec check`` prints."""
        lines: list[str] = []
        for o in self.outcomes:
            lines += (line for d in o.diagnostics for line in text.diagnostic_lines(d, width, quote=False))
            lines += text.outcome_lines(o, verbose=False, quiet=False, width=width)
            lines += [] if o.failure is None else [f"{o.file}: {o.failure}"]
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


class _FromSettings:
    """A mark for an argument that is left out: as the settings of the project say, or the user's."""

    def __repr__(self) -> str:
        return "SETTINGS"


_SETTINGS: Any = _FromSettings()


def check(
    *paths: str | Path, text: str | None = None, name: str = "program.cu", model: str | None = _SETTINGS,
    progress: str | None = _SETTINGS, given: Mapping[str, str] | None = _SETTINGS, unroll: int | None = _SETTINGS,
    ignore_races: bool = _SETTINGS, folders: Iterable[str | Path] = _SETTINGS, macros: Iterable[str] = _SETTINGS,
    engine: str = _SETTINGS, timeout: float | None = _SETTINGS, memory_limit: int | None = _SETTINGS,
    jobs: int = _SETTINGS, advise: bool = True, cache: bool = _SETTINGS,
    without: Iterable[str] = _SETTINGS, guess: bool = _SETTINGS, every: bool = False, headers: str = _SETTINGS,
    cuda_path: str | Path | None = _SETTINGS, through: str = _SETTINGS, nvcc: str | None = _SETTINGS,
    compiled_by: str | None = None,
) -> Results:  # fmt: skip
    """Check every expectation of every program that ``paths`` name (folders recurse), and of ``text`` under ``name``.

    ``model``, ``progress``, ``given``, ``unroll`` (a number of turns) and ``ignore_races`` are used instead of what
    files say; ``folders`` (of ``-I``) and ``macros`` (``-DNAME=VALUE``) are for clang. ``engine`` is ``auto``, ``both``
    or an engine's name; ``timeout`` is in seconds for all that one program is asked (300 by default), ``memory_limit``
    in bytes (half of the machine's); None is no limit. With ``advise``, a change is looked for that mends what is
    violated; with ``cache``, earlier answers are used. ``without`` names reductions that are not made
    (``all``: none is; docs/abstractions.md); with ``guess``, kernels that nothing launches
    are asked under guessed launches; with ``every``, each kernel is asked about all its launches (docs/every.md), and
    nothing else is. ``headers`` are scopec's own (``shims``), NVIDIA's (``real``) of the toolkit ``cuda_path`` or of
    what there is, or the second where the first do not suffice (``auto``; docs/headers.md). ``through`` is ``nvcc`` or
    ``nvcc-O3`` where kernels are read as that compiles them, ``none`` else, and ``nvcc`` names it (docs/nvcc.md).
    Reports say that ``compiled_by`` made the text. What is left out is as the settings of the project and the user say
    (docs/python.md), as for `scopec check`. Bad input is in the results' diagnostics.

    Raises ValueError where there is nothing to check, ScopecError for names of models, engines and reductions that do
    not exist, and for settings that are none.
    """
    if not paths and text is None:
        raise ValueError("name a path, or give a text")
    found = project.settings(Path.cwd())
    said = configured(found)
    flags = _with(
        said.overrides.flags, folders=folders if folders is _SETTINGS else tuple(map(Path, folders)),
        macros=macros if macros is _SETTINGS else tuple(macros),
        headers=headers if headers is _SETTINGS else project.choice("headers", headers),
        toolkit=cuda_path if cuda_path is _SETTINGS or cuda_path is None else Path(cuda_path),
        through=through if through is _SETTINGS else through_of(project.choice("through", through)), nvcc=nvcc,
    )  # fmt: skip
    attributes = given if given is _SETTINGS else dict(given or {}) or None
    overrides = _with(
        said.overrides, model=model, progress=progress, given=attributes, unroll=unroll, ignore_races=ignore_races,
        flags=flags, cache=cache, quotable=(*said.overrides.quotable, *flags.folders),
        without=without if without is _SETTINGS else named(without), guess=guess,
        compiled_by=compiled_by,
    )  # fmt: skip
    settings = _with(
        said, overrides=overrides, jobs=jobs, timeout=timeout, memory=memory_limit, engine=engine, cache=cache,
        advise=advised if advise else None, every=every,
    )  # fmt: skip
    started = time.monotonic()
    with ExitStack() as stack:
        files = {Path(path): str(path) for path in paths}
        if text is not None:
            files[stack.enter_context(stored(text, name))] = name
        outcomes = session.check(list(files), settings, {p: n for p, n in files.items() if not p.is_dir()})
    return Results(tuple(known(found, outcomes)), time.monotonic() - started)


def _with(settings: _T, **given: Any) -> _T:
    """Settings with what is given."""
    return replace(settings, **{name: value for name, value in given.items() if value is not _SETTINGS})  # type: ignore[type-var]
