"""Questions about all launches of each kernel of a file: is it race free, has each barrier all threads of its block."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, EngineError, InputError, suggestion
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.engines.table import SIZES
from scopec.explain.verdict import AllLaunches, Breach, Check, Verdict
from scopec.frontends.clang.anythread.hosts import Host
from scopec.frontends.clang.compilation_cache import compilations
from scopec.frontends.clang.compiler import Refused
from scopec.frontends.clang.headers import headers
from scopec.frontends.clang.kernels import Found as Kernels
from scopec.frontends.clang.kernels import Kernel, has_main, kernels
from scopec.frontends.clang.library_choice import library_of
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.prepare import Every, about_every, condition_of, prepared, without_questions
from scopec.frontends.clang.program import with_library
from scopec.frontends.clang.shapes import LAUNCH
from scopec.frontends.scoped.syntax.scan import scan
from scopec.program.expectations import Expectation
from scopec.session import offers, witness
from scopec.session.kernel_sizes import OfKernel, Side
from scopec.session.plan import Overrides, plan_of, source_of
from scopec.session.witnessed import Answered as Answered
from scopec.session.witnessed import Found, lines_of

if TYPE_CHECKING:
    from scopec.session.asking import Asking
    from scopec.session.inquiry.run import Run

#: What can be asked of all launches: as it is written, and of a race on an object the object's name.
_KINDS = re.compile(r"race_free|uniform|divergent|race(?: on ([A-Za-z_]\w*))?")
_CAN_BE_ASKED = "of all launches race_free, race, race on NAME, uniform, divergent can be asked"
_OPPOSITE: dict[Verdict, Verdict] = {"holds": "violated", "violated": "holds"}
#: The functions that conditions are.
_WHERE = "__scopec_where_"


@dataclass(frozen=True)
class Asked:
    """A kernel that is asked about, with what the file says of its launches, and its questions; the same of all
    launches of the host code, as far as that is read.
    """

    kernel: Kernel
    one: Every | None
    of: OfKernel
    as_launched: Callable[[], OfKernel]


def asked_in(
    path: Path, source: Source, overrides: Overrides, settings: Asking, ask: Callable[[Run, float], Answered],
) -> tuple[Kernels, tuple[tuple[str, Span], ...], Iterator[Asked]]:  # fmt: skip
    """The kernels of a file, the kinds of what it expects, and each kernel's questions; InputError with what clang
    objects to.
    """
    flags = overrides.flags.of(path, source.span(0, 0))
    if flags.through:
        raise EngineError("all launches are asked of the text, not of what nvcc makes of it: leave --through out")
    library = library_of(flags).folders
    entries = compilations() if overrides.cache else None
    every, bare, found, kinds = _asked(source, path, overrides)
    text = found.source
    uses = "".join(
        f"\nstatic auto* __scopec_every_{n} = &{k.name};" for n, k in enumerate(found.kernels) if "<" in k.name
    )
    wanted = list(_wanted(source, every, found.kernels))
    for number, (kernel, one) in enumerate(wanted):
        if one is not None and one.condition:
            uses += condition_of(source, one, f"{_WHERE}{number}", _parameters(source, kernel, one))
    whole = prepared(text) + uses
    code, _ = with_library(whole, text, path.parent, flags, entries, includes="#include" in whole)
    device = _side(code.device, source, library)

    @cache
    def host() -> Host | Found:
        whole = prepared(bare)
        try:
            code, _ = with_library(whole, bare, path.parent, flags, entries, includes="#include" in whole)
        except Refused as refused:
            return Found("unknown", f"the host code is not read: {refused.diagnostics[0].message}")
        side = _side(code.host, source, library)
        return Host(side.module, side.about, text)

    def each() -> Iterator[Asked]:
        for number, (kernel, one) in enumerate(wanted):
            condition = f"{_WHERE}{number}" if one is not None and one.condition else ""
            launched = one is not None and one.launched

            def of_launched(kernel: Kernel = kernel) -> OfKernel:
                return OfKernel(text, path, kernel, device, host(), overrides, settings, ask, "")

            side = host() if launched else None
            of = OfKernel(text, path, kernel, device, side, overrides, settings, ask, condition)
            yield Asked(kernel, one, of, of_launched)

    return found, kinds, each()


def of_file(
    path: Path, shown: str, overrides: Overrides, settings: Asking, ask: Callable[[Run, float], Answered],
    part: Path | None = None, only: Collection[str] | None = None, select: str = "",
) -> tuple[list[Answered], list[Diagnostic]]:  # fmt: skip
    """A report for each kernel of a file, or of a ``part`` that it includes, or ``only`` for some, about what has the
    text of ``select`` in it, whatever the case; InputError with what clang objects to.
    """
    source = readable(path, shown, overrides)
    found, kinds, each = asked_in(path, source, overrides, settings, ask)
    nothing = _nothing(source, path, overrides)
    reports = []
    begun = time.monotonic()
    total = len(list(_wanted(source, about_every(scan(source))[0], found.kernels)))
    for number, about in enumerate(each, 1):
        kernel, one, asked = about.kernel, about.one, about.of
        if part is not None and Path(kernel.span.file).resolve() != part.resolve():
            continue
        if only is not None and kernel.name not in only:
            continue
        of_kernel = kinds or (("race_free", kernel.span), ("uniform", kernel.span))
        made = [(of, span, _expectation(of, kernel, one, span)) for of, span in of_kernel]
        wanted = [asks for asks in made if select.lower() in f"{shown} {asks[2].text}".lower()]
        if not wanted:
            continue
        settings.doing(f"{shown}: every launch of {kernel.name}", f"kernel {number} of {total}" if total > 1 else "")
        if asked.unmet():
            assert one is not None
            ends = (one.at, one.at + len(one.condition)) if one.condition else (one.start, one.end)
            span = source.span(*ends)
            raise InputError(Diagnostic(Code.BAD_DIRECTIVE, "no launch meets this condition", span, "weaken it"))
        for text_of, span, expectation in wanted:
            kind, on = _parts(text_of)
            if on and asks_launches(source) and not asked.accesses(on):
                continue  # an object of these
            if on and not asked.objects(on):
                raise InputError(Diagnostic(Code.BAD_EXPECTATION, f"no parameter or variable `{on}`", span))
            answer = asked.about(kind, on)
            if answer is None and not kinds:
                continue
            if answer is not None and (answer.verdict == "unknown" or (one is None and answer.verdict == "violated")):
                as_launched = None
                if one is None and LAUNCH.search(source.text):
                    as_launched = about.as_launched()
                offer = offers.offered(kind, on, one, kernel, asked, as_launched)
                answer = replace(answer, reason=f"{answer.reason}; {offer}") if offer else answer
            answer = answer or Found("unknown", "the kernel has no barrier, or is not understood")
            breaches = asked.breaches() if answer.verdict == "holds" and kind in ("race_free", "race") else ()
            answer = replace(answer, reason=f"{answer.reason}{''.join(_breach(source, one) for one in breaches)}")
            where = one.condition if one else ""
            launched = one is not None and one.launched
            of = AllLaunches(kernel.name, where, launched, answer.assumed, answer.pair, breaches)
            reports.append(_answered(nothing, expectation, answer, of, begun))
        begun = time.monotonic()
    return reports, _told(found)


def asked_of(path: Path, shown: str, overrides: Overrides) -> tuple[tuple[Run, ...], list[Diagnostic]]:
    """What would be asked of all launches of the kernels of a file; ``uniform`` of those that have a barrier."""
    source = readable(path, shown, overrides)
    every, _, found, kinds = _asked(source, path, overrides)
    nothing = _nothing(source, path, overrides)
    runs = []
    for kernel, one in _wanted(source, every, found.kernels):
        asked = kinds or (("race_free", kernel.span), ("uniform", kernel.span))
        checks = tuple(_expectation(kind, kernel, one, span) for kind, span in asked)
        runs.append(replace(nothing, checks=checks, not_asked=()))
    return tuple(runs), _told(found)


def readable(path: Path, shown: str, overrides: Overrides) -> Source:
    """The text of a file of which all launches can be asked."""
    source = source_of(path, shown, overrides)
    if path.suffix != ".cu":
        message = "all launches can be asked of the kernels of a .cu file alone"
        raise InputError(Diagnostic(Code.NOTHING_TO_CHECK, message, source.span(0, 0)))
    return source


def _asked(
    source: Source, path: Path, overrides: Overrides
) -> tuple[tuple[Every, ...], Source, Kernels, tuple[tuple[str, Span], ...]]:
    """What a file says of all launches, its text without that, its kernels, and the kinds of what it expects."""
    scanned = scan(source)
    every, expected = about_every(scanned)
    bare = replace(source, text=without_questions(source, scanned))
    entries = compilations() if overrides.cache else None
    flags = overrides.flags.of(path, source.span(0, 0))
    quoted = headers(bare, path.parent, flags)
    try:
        found = kernels(bare, path.parent, flags, entries, quoted)
    except Refused:
        more = headers(bare, path.parent, flags, angled=True)
        if len(more) == len(quoted):
            raise
        found = kernels(bare, path.parent, flags, entries, more)
    return every, bare, found, _kinds(source, expected) if every else ()


def _nothing(source: Source, path: Path, overrides: Overrides) -> Run:
    """A run of a file that asks nothing."""
    empty = replace(source, text="int main() {}\n")
    return replace(plan_of(empty, path, replace(overrides, guess=False)).runs[0], source=source)


def _parts(text: str) -> tuple[str, str]:
    """The kind of an expectation, and the name of an object that it is about."""
    kind, _, on = text.partition(" on ")
    return kind, on


def _expectation(text: str, kernel: Kernel, one: Every | None, span: Span) -> Expectation:
    kind, _ = _parts(text)
    launches = "some" if kind in ("race", "divergent") else "every"
    return Expectation(kind, f"{text} for {launches} launch of {kernel.name}{_in_words(one)}", span)


def _told(found: Kernels) -> list[Diagnostic]:
    """What is left out, and which templates have no instance."""
    told = [] if found.objection is None else [_left_out(found.objection)]
    told += found.refused
    hidden = re.search(r"\b__global__\b", scan(found.source).code) if not found.kernels and not told else None
    if hidden is not None:
        message = "no kernel of this file is compiled: each is a template, or behind an `#if` that does not hold"
        way_out = "define with -D what the `#if` asks for, or instantiate the template"
        told.append(Diagnostic(Code.NOT_LAUNCHED, message, found.source.span(*hidden.span()), way_out, "warning"))
    told += [
        Diagnostic(Code.NOT_LAUNCHED, f"nothing instantiates the kernel `{name}`, a template", span,
                   "instantiate it, as in `template __global__ void k<int>(int*);`", "warning")
        for name, span in found.open
    ]  # fmt: skip
    return told


def _side(text: str, source: Source, library: tuple[str, ...]) -> Side:
    module = Module(text)
    return Side(module, Debug(module, library, source.name))


def _in_words(one: Every | None) -> str:
    """Which launches are asked about."""
    if one is None:
        return ""
    where = f" where {' '.join(one.condition.split())}" if one.condition else ""
    return f"{' as launched' if one.launched else ''}{where}"


def _left_out(first: Diagnostic) -> Diagnostic:
    message = f"the host code is not read: {first.message}"
    return Diagnostic(Code.HOST_LEFT_OUT, message, first.span, None, "warning", first.line)


def _wanted(
    source: Source, every: tuple[Every, ...], found: tuple[Kernel, ...]
) -> Iterator[tuple[Kernel, Every | None]]:
    """The kernels that are asked, with what the file says of their launches."""
    named = {name: kernel for kernel in found for name in (kernel.own_name, kernel.name)}
    for one in every:
        if one.kernel not in named:
            span = source.span(one.start, one.end)
            help_ = suggestion(one.kernel, list(named)) or "write `every KERNEL where CONDITION;`"
            raise InputError(Diagnostic(Code.BAD_DIRECTIVE, f"the file has no kernel `{one.kernel}`", span, help_))
        yield named[one.kernel], one
    if not every:
        yield from ((kernel, None) for kernel in found)


def _kinds(source: Source, expected: tuple[tuple[str, int, int], ...]) -> tuple[tuple[str, Span], ...]:
    """What is expected of all launches; where a file has launches too, the rest is of these."""
    found = tuple((text, source.span(start, end)) for text, start, end in expected if _KINDS.fullmatch(text))
    if not asks_launches(source):
        for text, start, end in expected:
            if not _KINDS.fullmatch(text):
                message = f"`{text}` is asked of launches, and the file has none"
                raise InputError(Diagnostic(Code.BAD_EXPECTATION, message, source.span(start, end), _CAN_BE_ASKED))
    return found


def asks_launches(source: Source) -> bool:
    """Whether a file has launches of its own, of which the usual questions are asked."""
    return has_main(source) or re.search(r"(?<!\w)launch\b", scan(source).directives) is not None


def _parameters(source: Source, kernel: Kernel, one: Every) -> str:
    """The parameters of a kernel as C++."""
    strange = witness.unwritten(kernel)
    if strange is not None:
        message = f"a condition on a kernel with the parameter `{strange.name}` is not supported"
        raise InputError(Diagnostic(Code.BAD_DIRECTIVE, message, source.span(one.start, one.end)))
    return ", ".join(str(witness.declared(one)) for one in kernel.parameters)


def _breach(source: Source, one: Breach) -> str:
    """What is said of a launch at which an assumption is not so."""
    return f"; not so at {one.launch}: {one.said} ({lines_of(tuple(dict.fromkeys(one.places)), source)})"


def _answered(nothing: Run, expectation: Expectation, found: Found, of: AllLaunches, begun: float) -> Answered:
    milliseconds = (time.monotonic() - begun) * 1000
    if expectation.kind in ("race", "divergent"):
        reason = f"no launch has one; {found.reason}" if found.verdict == "holds" else found.reason
        found = replace(found, verdict=_OPPOSITE.get(found.verdict, "unknown"), reason=reason)
    if found.shown is not None:
        (check,) = found.shown.checks
        expectation = replace(expectation, target=check.expectation.target)
        check = replace(check, expectation=expectation, reason=found.reason, verdict=found.verdict, every=of)
        return replace(found.shown, run=replace(found.shown.run, checks=(expectation,)), checks=(check,))
    run = replace(nothing, checks=(expectation,), not_asked=())
    return Answered(run, (Check(expectation, found.verdict, found.reason, SIZES, milliseconds, every=of),))
