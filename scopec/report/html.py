"""Pages: one a program, self-contained, with the source beside each trace; and an index for a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from scopec.base.excerpt import clean
from scopec.base.records import dataclass
from scopec.base.version import __version__
from scopec.explain import reasons
from scopec.explain.fixes import Suggestion, diff
from scopec.gpu.observed import Observed
from scopec.memory.events.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.progress.schedule import Ending, plain
from scopec.progress.steps import DONE, IDLE
from scopec.report.colours import coloured
from scopec.report.lanes import CLOSING, event_parts, in_file, in_order, line
from scopec.report.outcomes import counted, observation
from scopec.report.picture import RELATIONS, picture, picture_of
from scopec.report.streams import stream_picture
from scopec.report.svg import svg
from scopec.report.templates import render
from scopec.report.text import qualifiers, title
from scopec.report.unasked import unasked
from scopec.session.final_states import state_text

if TYPE_CHECKING:
    from scopec.base.source import Source
    from scopec.explain.verdict import Check
    from scopec.progress.schedule import Moment, Schedule
    from scopec.report.picture import Picture
    from scopec.session.check import Outcome, Report
    from scopec.session.final_states import Listing
    from scopec.session.inquiry.run import Run


#: The steps of a schedule that a picture has: the player has all.
_MOST_STEPS = 40


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the index; ``program`` is a file with its folder, and the variant."""

    program: str
    verdict: str
    text: str
    reason: str = ""
    link: str | None = None
    time_ms: float | None = None

    @property
    def folder(self) -> str:
        """The folder of the file, with a slash behind it, empty for the current one."""
        folder, slash, _ = self.program.partition(" [")[0].replace("\\", "/").rpartition("/")
        return folder + slash

    @property
    def name(self) -> str:
        """The file without its folder, and the variant."""
        return self.program[len(self.folder) :]


def files(outcomes: Sequence[Outcome], seconds: float) -> dict[str, str]:
    """The pages of a suite by file name, ``index.html`` first."""
    reports = [r for o in outcomes for r in o.reports]
    names = _names(reports)
    wrong = {names[id(r)]: ids for r in reports if (ids := _violated(r))}
    others: dict[str, tuple[str | None, str | None]] = {}
    for before, name, after in zip([None, *wrong], wrong, [*list(wrong)[1:], None], strict=False):
        last = f"{before}#{wrong[before][-1]}" if before is not None else None
        others[name] = (last, f"{after}#{wrong[after][0]}" if after is not None else None)
    pages = {(name := names[id(r)]): page(r, "index.html", others.get(name, (None, None))) for r in reports}
    return {"index.html": index(outcomes, seconds, names), **pages}


def _violated(report: Report) -> list[str]:
    """The places of what is violated on the page of a program."""
    return [_anchor(number) for number, check in enumerate(report.checks, start=1) if check.verdict == "violated"]


def _anchor(number: int) -> str:
    return f"check-{number}"


def _names(reports: Sequence[Report]) -> dict[int, str]:
    """A file name for each report: its run's, with a number where two are alike (``index`` is taken)."""
    used = {"index"}
    names: dict[int, str] = {}
    for report in reports:
        name, number = report.run.name, 1
        while name.lower() in used:
            number += 1
            name = f"{report.run.name}-{number}"
        used.add(name.lower())
        names[id(report)] = f"{name}.html"
    return names


def index(outcomes: Sequence[Outcome], seconds: float, names: Mapping[int, str]) -> str:
    """The table of files by folder, expectations, verdicts and times, which can be sorted and filtered."""
    rows: list[_Line] = []
    for outcome in outcomes:
        errors = [d for d in outcome.diagnostics if d.severity == "error"]
        rows += [_Line(outcome.file, "error", f"{d.span.line}: {d.message}", d.code.id) for d in errors]
        if outcome.failure is not None:
            rows.append(_Line(outcome.file, "failed", outcome.failure))
        for report in outcome.reports:
            for number, check in enumerate(report.checks, start=1):
                link = f"{names[id(report)]}#{_anchor(number)}"
                text, reason = check.expectation.text, check.reason or ""
                rows.append(_Line(title(report), check.verdict, text, reason, link, check.time_ms))
    counts = Counter(row.verdict for row in rows)
    folders: dict[str, list[_Line]] = {}
    for row in rows:
        folders.setdefault(row.folder, []).append(row)
    return render(
        "index.html.j2",
        {
            "folders": [
                (name, inside, Counter(row.verdict for row in inside)) for name, inside in sorted(folders.items())
            ],
            "verdicts": ("holds", "violated", "unknown", "error", "failed"),
            "counts": counts,
            "files": len(outcomes),
            "seconds": seconds,
            "version": __version__,
            "not_asked": unasked(outcomes),
        },
    )


def outcomes(listings: Sequence[Listing]) -> str:
    """The page of ``scopec outcomes``: the final states of a file's variants, each with a picture."""
    source = listings[0].run.source
    shown = []
    for number, listing in enumerate(listings, start=1):
        states: list[dict[str, Any]] = []
        for of, state in enumerate(listing.states, start=1):
            text, name = state_text(state.values, listing.run), f"state-{number}-{of}"
            execution, marked = state.execution, state.execution.racing_pair() or ()
            drawn = picture_of(execution, marked, f"Execution that ends in {text}")
            about = {"id": name, "of": state, "text": text, "counted": counted(state).rstrip(":")}
            about["breaks"] = [e.text for e in listing.broken_by(state)]
            states.append(about | _drawn(execution, drawn, f"p{number}-{of}"))
        said = () if listing.condition is None else tuple(observation(listing))[-2:]
        shown.append({"title": f"Final states{qualifiers(listing.run)}", "of": listing, "states": states, "said": said})
    return render(
        "outcomes.html.j2",
        {
            "title": listings[0].run.file,
            "lines": _lines(source),
            "listings": shown,
            "index": None,
            "version": __version__,
            "relations": RELATIONS,
        },
    )


def _lines(source: Source) -> Sequence[Markup]:
    return coloured(source.lines[:-1] if source.lines[-1:] == [""] else source.lines)


def page(report: Report, index: str | None = None, others: tuple[str | None, str | None] = (None, None)) -> str:
    """The page of one program; ``index`` is the page to go back to, ``others`` are the violations of other pages before
    and behind those of this one."""
    run = report.run
    settings = {
        "model": run.model.name,
        **{k: v for k, v in run.settings.given.items() if k != "device"},
        **run.settings.options,
        "unroll": str(run.settings.bound["unroll"]),
    }
    shown = [
        _shown(number, check, run.source) | _streams(number, check, run)
        for number, check in enumerate(report.checks, start=1)
    ]
    violated = [one for one in shown if one["check"].verdict == "violated"]
    for one, other in pairwise(violated):
        one["next"], other["previous"] = f"#{other['id']}", f"#{one['id']}"
    if violated:
        violated[0]["previous"], violated[-1]["next"] = others
    witness = _witness(report)
    return render(
        "page.html.j2",
        {
            "title": title(report),
            "settings": settings,
            "lines": _lines(run.source),
            "checks": shown,
            "witness": witness,
            "threads": len({e["event"].thread for e in witness["events"]}) if witness else 0,
            "void": run.void,
            "not_asked": run.not_asked,
            "remarks": report.remarks,
            "index": index,
            "version": __version__,
            "relations": RELATIONS,
            "observed": _histogram(report) if isinstance(report, Observed) else None,
        },
    )


def _witness(report: Report) -> dict[str, Any] | None:
    """An execution that is like every other, for those expectations that hold without a trace of their own."""
    held = any(c.verdict == "holds" and c.trace is None and c.states is None for c in report.checks)
    execution = report.witness
    if not held or execution is None or execution.undecided:
        return None
    drawn = picture_of(execution, (), "One of the executions")
    return _drawn(execution, drawn, "w") if drawn.boxes else None


def _histogram(report: Observed) -> dict[str, Any]:
    """The states that a GPU showed; bars are as long as the logarithms of counts are large."""
    most = log(1 + max((s.count for s in report.shown), default=1))
    states = [(s, state_text(s.values, report.run), round(100 * log(1 + s.count) / most)) for s in report.shown]
    return {"runs": report.runs, "built": report.built, "states": states, "unended": report.unended}


def _shown(number: int, check: Check, source: Source) -> dict[str, Any]:
    """The part of the page, which has the lines of a file, about one check."""
    why = reasons.explanation(check)
    found: dict[str, Any] = {
        "id": _anchor(number),
        "check": check,
        "sentences": why.sentences,
        "advice": [(word, one.said, tuple(diff(one.fix, source, context=0))) for word, one in _advice(check)],
        "marks": [mark for mark in why.marks if mark.span.file == source.name],
        "picture": None,
        "events": (),
        "schedule": None,
        "drawn": None,
        "previous": None,
        "next": None,
    }
    match check.trace:
        case Execution() as execution:
            found |= _drawn(execution, picture(check, f"Execution for {check.expectation.text}"), f"p{number}")
        case None:
            pass
        case schedule:
            found["schedule"] = _player(schedule, source.name)
            drawn = picture(check, f"Schedule for {check.expectation.text}", _MOST_STEPS, source.name)
            found["drawn"] = drawn
            found["svg"] = Markup(svg(drawn, name=f"p{number}", alone=False, main=source.name))
    return found


def _streams(number: int, check: Check, run: Run) -> dict[str, Any]:
    """The streams of a check's trace as lanes, where the program has some."""
    drawn = stream_picture(run.program, check, f"Streams for {check.expectation.text}")
    if drawn is None:
        return {"streams": None}
    return {
        "streams": {"picture": drawn, "svg": Markup(svg(drawn, name=f"s{number}", alone=False, main=run.source.name))}
    }


def _advice(check: Check) -> Iterator[tuple[str, Suggestion]]:
    if check.advice is not None:
        yield "Try:", Suggestion(check.advice, check.fix)
    if check.instead is not None:
        yield "Or:", check.instead


def _drawn(execution: Execution, drawn: Picture, name: str) -> dict[str, Any]:
    """An execution as a picture, and as tables; ``name`` keeps the pictures of a page apart."""
    return {
        "picture": drawn,
        "svg": Markup(svg(drawn, name=name, alone=False, main=execution.graph.program.source.name)),
        "events": _events(execution),
        "final": {_place(execution, at): value for at, value in execution.final_memory().items()},
    }


def _place(execution: Execution, at: Any) -> str:
    return shown_location(at, execution.graph.program)


def _events(execution: Execution) -> list[dict[str, Any]]:
    """The events as rows of a table, which says in words what the picture draws."""
    sources = {read: execution.graph.by_id[write] for write, read in execution.choice.rf}
    rows, main = [], execution.graph.program.source.name
    for event in in_order(execution):
        what, how = event_parts(execution, event)
        source = sources.get(event.id)
        origin = ""
        if source is not None:
            origin = "initial value" if source.kind is Kind.INIT else f"{in_file(source.span, main)} ({source.thread})"
        where = line(event.span, main)
        rows.append({"event": event, "line": where, "what": what, "how": how, "from": origin})
    return rows


# ---------------------------------------------------------------- schedules


def _player(schedule: Schedule, file: str) -> dict[str, Any]:
    """The data of the player: the steps, and the first state with the changes of each step."""
    lines = {m.label: m.span.line for m in schedule.moves}
    lines |= {schedule.moves[-1].after.labels[b.thread]: b.span.line for b in schedule.behind if schedule.moves}
    present = {m.thread for m in schedule.moves} | {b.thread for b in schedule.behind}
    threads = [t for t in schedule.start.labels if t in present]
    states = [_state(schedule.start, lines), *(_state(m.after, lines) for m in schedule.moves)]
    lasso = schedule.ending is Ending.LASSO
    return {
        "threads": threads,
        "moves": [(move, threads.index(move.thread), line(move.span, file)) for move in schedule.moves],
        "loop_to": schedule.loop_to if lasso else None,
        "closing": "back to the step after the mark, for ever" if lasso else CLOSING[schedule.ending],
        "behind": schedule.behind,
        "data": {
            "start": states[0],
            "changes": [_changes(a, b) for a, b in pairwise(states)],
            "lines": [m.span.line if m.span.file == file else 0 for m in schedule.moves],
            "said": [clean(f"{m.thread}, {in_file(m.span, file)}: {m.action}") for m in schedule.moves],
            "loop": schedule.loop_to if lasso else None,
        },
    }


def _state(moment: Moment, lines: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """The label of each thread, its registers, and memory, as text."""
    registers = {
        thread: ", ".join(f"{n} = {_value(v)}" for n, v in values.items() if not n.startswith("%"))
        for thread, values in moment.registers.items()
    }
    return {
        "where": {clean(t): _where(label, lines) for t, label in moment.labels.items()},
        "registers": {clean(t): clean(text) for t, text in registers.items()},
        "memory": {clean(name): clean(_value(value)) for name, value in _elements(moment.memory)},
    }


def _elements(memory: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Objects, and arrays element by element."""
    for name, value in memory.items():
        if isinstance(value, dict):
            yield from ((f"{name}[{index}]", element) for index, element in value.items())
        else:
            yield name, value


def _where(label: str, lines: Mapping[str, int]) -> str:
    if label in (IDLE, DONE):
        return "not started" if label == IDLE else "done"
    return f"line {lines[label]}" if label in lines else clean(label)


def _value(value: object) -> str:
    shown = plain(value)
    return str(shown).lower() if isinstance(shown, bool) else str(shown).replace("'", "")


def _changes(before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The differences of the state after a step."""
    found = {part: {k: v for k, v in after[part].items() if before[part].get(k) != v} for part in after}
    return {part: values for part, values in found.items() if values}
