"""Reports for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scopec.base.excerpt import Mark, clean, excerpt
from scopec.base.lazy_import import later
from scopec.base.source import Source
from scopec.explain.verdict import UNDEFINED
from scopec.gpu.observed import Observed
from scopec.hangs.execution import StuckExecution
from scopec.memory.answers import undefined_at
from scopec.memory.execution import Execution
from scopec.program.expectations import Settings
from scopec.progress.models import CUDA
from scopec.report import unasked

if TYPE_CHECKING:
    import textwrap

    from scopec.base.diagnostics import Diagnostic
    from scopec.explain.fixes import Replacement
    from scopec.explain.verdict import Check
    from scopec.program.program import Program
    from scopec.session.check import Outcome, Report
    from scopec.session.inquiry.run import Run
else:
    textwrap = later("textwrap")

_INDENT = "      "


def diagnostic_lines(diagnostic: Diagnostic, width: int = 100, *, quote: bool = True) -> Iterator[str]:
    """A diagnostic with the way out and, to ``quote``, the line that it is in."""
    d = diagnostic
    yield clean(f"{d.span}: {d.severity}: {shortened(d.message, 300)} [{d.code.id}]")
    if quote and d.line is not None and d.line.strip():
        yield from excerpt(Source(d.span.file, "\n" * (d.span.line - 1) + d.line), [Mark(d.span)], width)
    yield f"  help: {clean(shortened(d.way_out, 300))}"


def shortened(text: str, length: int) -> str:
    """At most ``length`` characters of a text, its end kept."""
    return text if len(text) <= length else f"{text[: length - 42]} … {text[-40:]}"


def outcome_lines(outcome: Outcome, *, verbose: bool, quiet: bool, width: int) -> Iterator[str]:
    """The verdicts of one file; nothing in its name or text can disturb a terminal."""
    first = {id(report) for report in unasked.variants(outcome.reports)}
    for report in outcome.reports:
        yield from map(
            clean, report_lines(report, verbose=verbose, quiet=quiet, width=width, first=id(report) in first)
        )


def report_lines(report: Report, *, verbose: bool, quiet: bool, width: int, first: bool) -> Iterator[str]:
    """The verdicts of one program; ``first`` is whether it is the first of its variant."""
    run = report.run
    bad = [c for c in report.checks if c.verdict != "holds"]
    if quiet and not bad:
        return
    yield title(report)
    if run.guessed and not isinstance(report, Observed):
        yield from guess(run, width)
    if run.program.read_with:
        yield from wrapped(f"  note: {read_with(run)}", width, 8)
    if run.compiled_by:
        yield from wrapped(f"  note: as compiled by {run.compiled_by}", width, 8)
    race_shown = False
    for check in report.checks:
        if quiet and check.verdict == "holds":
            continue
        reason = f": {check.reason}" if check.reason else ""
        states = f"  ({check.states} states)" if verbose and check.states is not None else ""
        known = "  (known: it does not count)" if check.known else ""
        kept = "  (answered in an earlier call)" if verbose and check.cached else ""
        part = _part_asked(check, verbose=verbose) + (f"  ({check.about})" if check.about else "")
        verdict = f"{said(run, check.verdict):<8}"
        yield from wrapped(f"  {verdict}  {check.expectation.text}{reason}{known}{states}{part}{kept}", width, 12)
        for warning in check.warnings:
            yield from wrapped(f"{_INDENT}warning: {warning}", width, len(_INDENT) + 9)
        undefined = check.reason == UNDEFINED
        if undefined and race_shown:
            if check.elsewhere is not None:
                yield from wrapped(f"{_INDENT}{check.elsewhere}", width, len(_INDENT))
        elif check.verdict == "violated":
            yield from _why(report, check, width, verbose)
            race_shown = race_shown or undefined or check.expectation.kind == "race_free"
    if isinstance(report, Observed):
        yield from _histogram(report)
    if not quiet:
        for expectation in run.void:
            why = f"this variant {run.why_void}, so the program has no meaning"
            yield from wrapped(f"  void      {expectation.text}: {why}", width, 12)
        if first and run.not_asked and not run.is_litmus and not isinstance(report, Observed):
            yield f"  not asked: {', '.join(run.not_asked)}"
    if report.folder is not None and report.generated:
        yield f"  generated  {', '.join(report.generated)} in {report.folder}"
    if verbose:
        yield from _details(report, width)


def said(run: Run, verdict: str) -> str:
    """A verdict, with what it is about."""
    return f"{verdict} for the guessed launch" if run.guessed else verdict


def read_with(run: Run) -> str:
    """The headers that a program was read with, where these are not scopec's own."""
    versions = dict(run.program.read_with)
    place = versions.pop("headers")
    where = f" of {place}" if place != "packages" else ""
    said = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"read with NVIDIA's headers{where}: {said}"


def guess(run: Run, width: int) -> Iterator[str]:
    """The launch that was guessed, as directives, and what it leaves out."""
    yield "  guessed (`scopec init` writes it down):"
    yield from (f"{_INDENT}//@ {directive}" for directive in run.guessed)
    for note in run.guess_notes:
        yield from wrapped(f"{_INDENT}note: {note}", width, len(_INDENT) + 6)


def _histogram(report: Observed) -> Iterator[str]:
    """The number of times that each final state was seen, and those that were not."""
    # Start-up: most calls show no final states.
    from scopec.session.final_states import state_text

    rows = [([f"{count:,}" for count in s.counts], state_text(s.values, report.run), s.said) for s in report.shown]
    if report.unended:
        rows.append(([f"{report.unended:,}", *[""] * (len(report.built) - 1)], "some thread did not end", ""))
    if len(report.built) > 1:
        rows.insert(0, ([f"({n})" for n in range(1, len(report.built) + 1)], "", ""))
        yield from (f"  ({n}) {built}" for n, built in enumerate(report.built, start=1))
    widths = [max(map(len, column)) for column in zip(*(counts for counts, _, _ in rows), strict=True)]
    for counts, state, said in rows:
        columns = "  ".join(f"{count:>{width}}" for count, width in zip(counts, widths, strict=True))
        yield f"  {columns}  {state}{f'  {said}' * bool(said)}".rstrip()


def _part_asked(check: Check, *, verbose: bool) -> str:
    """The part of a progress question that was asked, where that is not always the whole; what is undefined."""
    asked = check.hangs
    if check.expectation.kind == "undefined" and check.verdict == "holds" and isinstance(check.trace, Execution):
        return f"  ({undefined_at(check.trace)})"
    if asked is None:
        return ""
    if asked.option == "sc":
        return "  (of a sequentially consistent memory alone)"
    stuck = check.trace if isinstance(check.trace, StuckExecution) and check.verdict == "holds" else None
    if stuck is not None and stuck.patience is not None:
        return f"  ({stuck.patience})"
    if not verbose:
        return ""
    if asked.whole is not None:
        return f"  (schedules are all there is: {asked.whole})"
    if asked.memory is None or check.verdict != "holds":
        return ""
    return (
        f"  ({'no' if stuck is None else 'an'} execution of the memory model gets stuck{' either' * (stuck is None)})"
    )


def title(report: Report) -> str:
    """The file with its variant and the models that are not the default."""
    return clean(report.run.file) + qualifiers(report.run)


def qualifiers(run: Run) -> str:
    """The variant and the models that are not the default, in brackets; empty if there are none."""
    shown = [f"{k} = {v}" for k, v in run.program.variant.items()]
    if run.model.name != "cuda-v3":
        shown.append(run.model.name)
    if run.progress != CUDA:
        shown.append(run.progress.name)
    if run.guessed:
        shown.append("guessed launch")
    return f" [{', '.join(shown)}]" if shown else ""


def _details(report: Report, width: int) -> Iterator[str]:
    run = report.run
    defaults = Settings.defaults()
    changed = {k: v for k, v in run.settings.options.items() if defaults.options[k] != v}
    given = ", ".join(f"{k} = {v}" for k, v in run.settings.given.items())
    phases = ", ".join(f"{name} {ms:.0f} ms" for name, ms in report.phases)
    yield f"  model {run.model.name}" + "".join(f", {k} = {v}" for k, v in changed.items())
    yield f"  given {given}"
    yield f"  bound unroll = {run.settings.bound['unroll']}"
    yield from reduced(run, width)
    yield f"  times {phases}"


def reduced(run: Run, width: int) -> Iterator[str]:
    """The changes that each reduction has made of what was asked, and the precondition that held."""
    # Start-up: most calls do not say it.
    from scopec.session.forms import changes
    from scopec.session.reductions import REDUCTIONS

    late: dict[str, None] = {}
    for question, change in changes(run):
        if change.before is None:
            late[change.reduction] = None
            continue
        sizes = ", ".join(f"{before:,} -> {after:,} {what}" for what, (before, after) in change.sizes.items())
        if isinstance(change.before, str):
            sizes = f"there is no question without it: {change.before}"
        needs = "; ".join([REDUCTIONS[change.reduction][1], *filter(None, [change.held])])
        yield from wrapped(f"  reduced by {change.reduction}{question}: {sizes} (holds for {needs})", width, 4)
    if late:
        yield from wrapped(f"  not compared, for it takes long: {', '.join(late)}", width, 4)


def _why(report: Report, check: Check, width: int, verbose: bool) -> Iterator[str]:
    return _indented(
        counterexample(check, report.run.source, width - len(_INDENT), everything=verbose, program=report.run.program)
    )


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return ((_INDENT + line).rstrip() for line in lines)


def counterexample(
    check: Check, source: Source, width: int, *, everything: bool = False, program: Program | None = None
) -> Iterator[str]:
    """The source with carets, the threads in lanes where there is a trace, and the sentences that say why.

    ``everything`` shows also what a verdict does not need, and names the relations between events; with the
    ``program`` its streams come first.
    """
    # Start-up: many calls show no counterexample.
    from scopec.explain import reasons

    why = reasons.explanation(check)
    yield from excerpt(source, why.marks, width)
    if check.trace is not None:
        from scopec.report.lanes import lanes, rows, what_matters

        marked = reasons.race_of(check) or ()
        yield ""
        if everything and program is not None:
            from scopec.report.streams import stream_lines, stream_picture

            if (drawn := stream_picture(program, check, "")) is not None:
                yield from stream_lines(drawn, width)
                yield ""
        yield from lanes(*(rows if everything else what_matters)(check.trace, marked, source.name), width)
        yield ""
        if everything:
            yield from _relations(check)
    for sentence in why.sentences:
        yield from wrapped(f"why: {sentence}", width, 5)
    if check.advice is not None:
        yield from wrapped(f"try: {check.advice}", width, 5)
        yield from _diff(check.fix, source, width)
        if check.instead is not None:
            yield from wrapped(f"or:  {check.instead.said}", width, 5)
            yield from _diff(check.instead.fix, source, width)


def _diff(changes: Sequence[Replacement], source: Source, width: int) -> Iterator[str]:
    from scopec.explain.fixes import diff  # Start-up: many calls advise nothing.

    for line in diff(changes, source, context=0):
        shown = f"     {clean(line)}".rstrip()
        yield shown if len(shown) <= width else f"{shown[: width - 1]}…"


def wrapped(text: str, width: int, indent: int) -> list[str]:
    """A text in lines of ``width``, those after the first indented; no word is broken."""
    return textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )  # fmt: skip


def _relations(check: Check) -> Iterator[str]:
    """The relations between the events of an execution, an edge a line."""
    if not isinstance(check.trace, Execution):
        return
    from scopec.report.picture import picture

    shown = picture(check, "")
    names = {b.id: b.text if b.lane is None else f"{shown.lanes[b.lane].name} {b.text}" for b in shown.boxes}
    for edge in shown.edges:
        if edge.relation not in ("po", "period"):
            yield f"{edge.relation:<4} {names[edge.source]}  ->  {names[edge.target]}"
    yield ""


def summary_line(outcomes: Sequence[Outcome], seconds: float) -> str:
    """One line on everything that was checked."""
    checks = [c for o in outcomes for r in o.reports for c in r.checks]
    counts = {v: sum(c.verdict == v for c in checks) for v in ("holds", "violated", "unknown")}
    programs = sum(len(o.reports) for o in outcomes)
    empty = sum(o.empty for o in outcomes)
    files = len(outcomes) - empty
    bad = sum(1 for o in outcomes if any(d.severity == "error" for d in o.diagnostics))
    failed = sum(1 for o in outcomes if o.failure is not None)
    line = (
        f"{files} file{'s' * (files != 1)}, {programs} program{'s' * (programs != 1)}: {counts['holds']} hold, "
        f"{counts['violated']} violated, {counts['unknown']} unknown"
    )
    if known := sum(c.known for c in checks):
        line += f", {known} of them known"
    if bad:
        line += f", {bad} with errors"
    if failed:
        line += f", {failed} not answered"
    if empty:
        line += f", {empty} file{'s' * (empty != 1)} without kernels"
    if alone := sum(o.without_clang for o in outcomes):
        line += f", {alone} read without a clang (pip install 'scopec[cxx]')"
    return f"{line} ({seconds:.1f} s)"
