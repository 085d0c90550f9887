"""The launch that a model names, with objects that no index leaves: what the usual questions say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError
from scopec.base.limits import Deadline, limited
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.explain.verdict import Check, Verdict
from scopec.frontends.clang.kernels import Kernel
from scopec.memory.unfold.aligned import is_divergence
from scopec.session import witness
from scopec.session.guess_text import is_of_directives
from scopec.session.plan import Overrides, plan_of
from scopec.sizes.questions import Model

if TYPE_CHECKING:
    from scopec.session.asking import Asking
    from scopec.session.inquiry.run import Run

#: Seconds for reading a launch, and for asking about it.
_READING = 20.0
_WITNESS = 10.0
#: So many threads at most a launch has that is looked at.
_MOST_THREADS = 2048
#: The elements of an object and the bytes of dynamic shared memory, until no index leaves these.
_SIZES = ((16, 4096), (256, 4096), (4096, 49152), (65536, 49152), (1 << 20, 49152))


@dataclass(frozen=True)
class Found:
    """A verdict about all launches, with its reason, and the run that shows it."""

    verdict: Verdict
    reason: str
    shown: Answered | None = None
    assumed: tuple[str, ...] = ()
    pair: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Answered:
    """The answers of one run, and whatever reports of it."""

    run: Run
    checks: tuple[Check, ...]
    report: object = None


class Launch:
    """Launches of one kernel, at the sizes and numbers of models."""

    def __init__(
        self, text: Source, path: Path, kernel: Kernel, overrides: Overrides, settings: Asking,
        ask: Callable[[Run, float], Answered], end: Deadline,
    ) -> None:  # fmt: skip
        self._text, self._path, self._kernel = text, path, kernel
        self._overrides, self._settings, self._ask, self._end = overrides, settings, ask, end
        self._unread = ""

    @property
    def stem(self) -> str:
        """The name of the file, without its ending."""
        return self._path.stem

    def _read(self, model: Model, on: str = "") -> Iterator[tuple[Run, tuple[Diagnostic, ...]]]:
        """The launch of a model, asked for a race, ``on`` one object or on any, with no fault but that lanes of a warp
        come to different barriers; nothing where it cannot be read, for which ``_unread`` has the reason.
        """
        memory = self._settings.memory
        for elements, dynamic in _SIZES:
            for prefix in ("", f"{self._kernel.own_name}_"):
                said = witness.directives(self._text, self._kernel, model, elements, dynamic, prefix)
                if said is None:
                    self._unread = "an argument that cannot be written"
                    return
                asked = f"race on {witness.object_of(self._kernel, on, prefix)}" if on else "race_free"
                text = self._text.text + "".join(f"\n//@ {one}" for one in said) + f"\n//@ expect {asked};\n"
                try:
                    with limited(self._end.left(), memory, said=self._end.late), limited(_READING, None, worked=True):
                        own = replace(self._overrides, guess=False)
                        planned = plan_of(replace(self._text, text=text), self._path, own)
                        run = planned.runs[0]
                        faults = run.graph.faults
                except LimitError as limit:
                    self._unread = str(limit)
                    return
                except RecursionError:
                    self._unread = "its expressions nest too deeply"
                    return
                except InputError as objection:
                    said_before, self._unread = self._unread, objection.diagnostics[0].message
                    if is_of_directives(objection, self._text):
                        continue
                    if self._unread == said_before:
                        return
                    break
                if all(map(is_divergence, faults)):
                    yield run, planned.warnings
                    return
                self._unread = f"an index leaves an array of {elements} elements, or below 0"
                break

    def races(self, model: Model, on: str = "") -> Found:
        """What the usual question says of the launch of a model: whether it has a race."""
        at = witness.words(self._kernel, model)
        if model.threads > _MOST_THREADS:
            return Found("unknown", f"two threads may meet at {at}, which is too large to be looked at")
        for run, _ in self._read(model, on):
            if run.graph.faults:
                return Found("unknown", f"two threads may meet at {at}, where {run.graph.faults[0].text}")
            try:
                told = self._ask(run, _WITNESS)
            except (InputError, LimitError) as objection:
                message = objection.diagnostics[0].message if isinstance(objection, InputError) else str(objection)
                return Found("unknown", f"two threads may meet at {at}, which is not answered: {message}")
            check = next(c for c in told.checks if c.expectation.kind == ("race" if on else "race_free"))
            if check.verdict == ("holds" if on else "violated"):
                race = f"a data race on `{on}`" if on else check.reason or "a data race"
                return Found("violated", f"at {at}: {race}", replace(told, checks=(check,)))
            said = "that launch is undecided" if check.verdict == "unknown" else "there is no race"
            return Found("unknown", f"two threads may meet at {at}, where {said}")
        return Found("unknown", f"two threads may meet at {at}, which cannot be read as a launch: {self._unread}")

    def divergent(self, model: Model) -> str | None:
        """The launch of a model in words, if scopec warns of a divergent barrier at it."""
        for _, warnings in self._read(model) if model.threads <= _MOST_THREADS else ():
            if any(warning.code is Code.DIVERGENT_BARRIER for warning in warnings):
                return witness.words(self._kernel, model)
        return None


def lines_of(places: Sequence[Span], source: Source) -> str:
    """The lines of places in words, each behind the name of its file unless that is the source's."""
    if any(place.file != source.name for place in places):
        return " and ".join(dict.fromkeys(f"{Path(place.file).name}:{place.line}" for place in places))
    numbers = [str(place.line) for place in places]
    return f"line{'s' if len(numbers) > 1 else ''} {' and '.join(numbers)}"
