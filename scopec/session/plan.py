"""Plans a file: one run for each variant and model, with its checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TypeAlias

from scopec.base.diagnostics import Code, Diagnostic, InputError, bounded_nesting, error
from scopec.base.files import given_source, quoted, quoting
from scopec.base.options import PROGRAM_FACTS
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.base.visible import may_show, repository
from scopec.frontends.c.syntax import tree
from scopec.frontends.clang.flags import Flags
from scopec.frontends.directives import USUAL, allowed, expectations, settings_of, variants
from scopec.frontends.litmus.syntax import tree as litmus_tree
from scopec.memory.cat import registry
from scopec.memory.cat.model import Model
from scopec.program import ir
from scopec.program.collective import by_chance
from scopec.program.expectations import OUTCOME_KINDS, PROGRESS_KINDS, Expectation, Settings
from scopec.program.extensions import EXTENSIONS
from scopec.program.loops import passes
from scopec.program.observe import FinalRegister
from scopec.program.program import Program
from scopec.progress import models as progress_models
from scopec.session.inquiry.run import Run
from scopec.session.inquiry.variant import DEFAULT_MODEL, HARDWARE
from scopec.session.program_text import read_program
from scopec.session.reading import Read, read

# Start-up: a call reads few kinds of files, and only their readers are imported.

#: The files that scopec reads.
SUFFIXES = (".cu", ".ptx", ".litmus")


@dataclass(frozen=True)
class Overrides:
    """The changes of the command line to every file; with ``cache`` what clang made of one is kept, and used again.

    Files in ``quotable`` may be shown, besides those of each program's repository.  ``without`` names
    reductions that are not made (:func:`scopec.session.reductions.named`); with ``guess`` a file that launches
    no kernel is asked under guessed launches (:mod:`scopec.session.guessing`).  ``texts`` are read in place of files
    that may have another text, or none yet: those that an editor has not written. ``compiled_by`` says what made the
    file of a kernel in Python.
    """

    model: str | None = None
    given: Mapping[str, str] | None = None
    unroll: int | None = None
    ignore_races: bool = False
    progress: str | None = None
    memory: str = "sc"
    hangs: str | None = None
    reader: str = "auto"
    flags: Flags = Flags()
    cache: bool = False
    quotable: tuple[Path, ...] = ()
    without: frozenset[str] = frozenset()
    guess: bool = True
    texts: Mapping[Path, str] = field(default_factory=dict)
    compiled_by: str | None = None


@dataclass(frozen=True)
class Plan:
    """The runs of one file, warnings about it, whether it was read for want of a clang in the scoped language, the
    codes of warnings that are not to be told of it, and the kernels for which no launch was guessed, with what says so.
    """

    runs: tuple[Run, ...]
    warnings: tuple[Diagnostic, ...]
    without_clang: bool = False
    allowed: frozenset[str] = frozenset()
    unguessed: tuple[tuple[str, tuple[Diagnostic, ...]], ...] = ()


def quoting_named(overrides: Overrides, paths: Sequence[Path]) -> Overrides:
    """Overrides with which files in the folders that a call names may be quoted, where these are in no repository."""
    folders = tuple(path for path in paths if path.is_dir() and repository(path) is None)
    return replace(overrides, quotable=(*overrides.quotable, *folders))


def plan(path: Path, shown: str, overrides: Overrides) -> Plan:
    """Read a file and work out what it is asked; InputError where it is not in the language."""
    return plan_of(source_of(path, shown, overrides), path, overrides)


def source_of(path: Path, shown: str, overrides: Overrides) -> Source:
    """The text of a file; InputError where it is none, or may not be shown."""
    here = Source(str(path), "", overrides.quotable)
    if not may_show(path, here):
        message = "this link leads out of the repository, or of the folder that it is in"
        raise error(Code.UNREADABLE, message, Source(shown, "").span(0, 0), "name the file itself, or --allow-outside")
    if path in overrides.texts:
        return given_source(overrides.texts[path], shown, overrides.quotable)
    return read_program(path, shown, overrides.quotable)


def plan_of(source: Source, path: Path, overrides: Overrides) -> Plan:
    """The plan of a text that stands, or might stand, at a path; InputError if it is not in the language."""

    def over(text: Source, at: Path, flags: Flags) -> Plan:
        """The plan over some headers, of which what is said has the lines that it is about."""
        with quoting(text):
            found = _planned(text, at, replace(overrides, flags=flags))
        unguessed = tuple((name, tuple(quoted(one, text) for one in why)) for name, why in found.unguessed)
        return replace(found, warnings=tuple(quoted(one, text) for one in found.warnings), unguessed=unguessed)

    def asked(file: Path, name: str, flags: Flags) -> Plan:
        """The plan of the file, or of this file as a part of another one."""
        if file == path:
            return over(source, path, flags)
        return _of_part(over(source_of(file, name, overrides), file, flags), path)

    try:
        return over(source, path, overrides.flags)
    except InputError as refused:
        from scopec.session.sought import over_more  # Start-up: most files are read.

        found, told = over_more(asked, refused, path, source.name, overrides.flags, seek=overrides.guess)
        return replace(found, warnings=(*(quoted(one, source) for one in told), *found.warnings))


def _of_part(whole: Plan, part: Path) -> Plan:
    """Of a file, what its host code launches, or else the guessed launches of kernels that are in a part of it.

    InputError where there is nothing.
    """

    def is_there(span: Span) -> bool:
        return Path(span.file).resolve() == part.resolve()

    runs = tuple(run for run in whole.runs if not run.guessed or any(is_there(check.span) for check in run.checks))
    errors = tuple(one for one in whole.warnings if one.severity == "error" and is_there(one.span))
    if not runs and not errors:
        first = whole.runs[0].source.span(0, 0) if whole.runs else Source(str(part), "").span(0, 0)
        raise error(Code.NOTHING_TO_CHECK, "no kernel of this part is asked about", first)
    warnings = tuple(one for one in whole.warnings if one.severity != "error" or is_there(one.span))
    unguessed = tuple((name, why) for name, why in whole.unguessed if any(is_there(one.span) for one in why))
    return replace(whole, runs=runs, warnings=warnings, unguessed=unguessed)


def _planned(source: Source, path: Path, overrides: Overrides) -> Plan:
    shown = source.name
    with bounded_nesting(source.span(0, 0)):
        if path.suffix == ".litmus":
            return _plan_litmus(source, shown, overrides)

        def planned(text: Source) -> Plan:
            def of_text(found: Read) -> Plan:
                return _plan(text, shown, overrides, found)

            flags, sparse = overrides.flags, "sparse" not in overrides.without
            return read(text, path, overrides.reader, flags, of_text, cache=overrides.cache, sparse=sparse)

        may_guess = overrides.guess and (path.suffix == ".ptx" or overrides.reader != "scoped")
        if may_guess and (path.suffix == ".ptx" or "__global__" in source.text or "#include" in source.text):
            return _guessed(source, path, overrides, planned)
        return planned(source)


def _guessed(source: Source, path: Path, overrides: Overrides, planned: Callable[[Source], Plan]) -> Plan:
    """The plan of a file, or of guessed launches where it launches nothing."""
    from scopec.session.guess_search import Asked
    from scopec.session.guessing import guessed

    plans: list[Plan] = []

    def asked(text: Source) -> Asked:
        plans.append(planned(text))
        return Asked(plans[-1].runs, plans[-1].warnings)

    flags = overrides.flags.of(path, source.span(0, 0))
    found = guessed(source, path, flags, asked, cache=overrides.cache)
    if found is None:
        return planned(source)
    first = plans[0] if plans else Plan((), ())
    return replace(first, runs=found.runs, warnings=found.warnings, unguessed=found.unguessed)


_NOT_FOLLOWED = "this watchdog is taken not to fire (timeouts = never): the trap is not followed"
_FOLLOWED_IN_PART = (
    "this watchdog is taken not to fire (timeouts = never) where it is asked whether the program ends; elsewhere what "
    "it does before its trap is followed"
)


def _looping(
    program: Program, settings: Settings, checks: Iterable[Expectation], without: Collection[str]
) -> passes.Looping:
    """The stage of a program, of which something is asked, before the passes over its loops."""
    observed = frozenset(
        what.register
        for check in checks
        if check.sought is not None
        for what in check.sought.observed.values()
        if isinstance(what, FinalRegister)
    )
    return passes.Looping(
        program,
        observed,
        gives_up=settings.options["timeouts"] != "never",
        skips=passes.REDUCTION not in without,
        owed=settings.options["host_progress"] != "none",
    )


def _watchdogs(stage: passes.Looping) -> dict[Span, Diagnostic]:
    """What is said of watchdogs that do not fire."""
    said = {span: _FOLLOWED_IN_PART if does else _NOT_FOLLOWED for span, does in stage.watchdogs.items()}
    return {span: Diagnostic(Code.WATCHDOG, message, span, None, "warning") for span, message in said.items()}


def _plan(source: Source, shown: str, overrides: Overrides, found: Read) -> Plan:
    file = found.file
    settings = _settings(file, overrides)
    default = _default_models(overrides, "ptx" if overrides.flags.through else DEFAULT_MODEL)
    runs: list[Run] = []
    warnings: list[Diagnostic] = []
    divergent: dict[Span, Diagnostic] = {}
    watchdogs: dict[Span, Diagnostic] = {}
    applied: set[Span] = set()
    has_expectations = any(isinstance(d, tree.Expect) for d in file.directives)
    for number, chosen in enumerate(variants(file, found.constants)):
        program = found.program(Path(shown).stem, chosen)
        by_model: dict[_Models, list[Expectation]] = {}
        for expectation, under in expectations(file, program, source):
            applied.add(expectation.span)
            if expectation.kind == "condition":
                message = "a condition is the final clause of a litmus file"
                raise error(Code.BAD_EXPECTATION, message, expectation.span, "use allowed, forbidden or required")
            for models in [_under(model, expectation, default) for model in under] or [default]:
                by_model.setdefault(models, []).append(expectation)
        if not has_expectations:
            by_model[default] = list(_usual(source, file, registry.load(default[0], settings.options)))
        elif not by_model:
            variant = ", ".join(f"{k} = {v}" for k, v in program.variant.items())
            at = next(d.span for d in file.directives if isinstance(d, tree.Expect))
            message = "no expectation applies" + (f" when {variant}" if variant else "")
            warnings.append(Diagnostic(Code.IGNORED, message, at, "remove the value, or add an expectation", "warning"))
            by_model[default] = []
        asserts = _assertions(program)
        asserted: set[registry.Entry] = set()
        faulty = any(map(_is_faulty, by_model.values()))
        for models, checks in by_model.items():
            entry, progress, on_hardware = models
            _check_extensions(program, models, settings, checks)
            _check_hardware(program, on_hardware=on_hardware)
            undefined = registry.load(entry, settings.options).races_undefined
            racy = undefined and any(c.kind == "race" for c in checks)
            also = [] if entry in asserted or (on_hardware and not default[2]) else asserts
            if also:
                asserted.add(entry)
            begun = _looping(program, settings, (*checks, *also), overrides.without)
            patient = passes.run(begun)
            watchdogs |= _watchdogs(patient)
            run = Run(
                shown, source, patient.program, entry, progress, settings,
                tuple(checks + ([] if racy or faulty else also)),
                tuple(a for a in also if (racy or faulty) and not a.implicit), on_hardware,
                not_asked=_not_asked(by_model), supposed=patient.supposed, without=overrides.without, begun=begun,
                compiled_by=overrides.compiled_by or program.compiled_by,
            )  # fmt: skip
            runs.append(run)
        from scopec.session.divergence import divergence  # Start-up: as above

        divergent |= {w.span: w for w in divergence(program)}
        if number >= 255:
            at = file.directives[0].span
            raise error(Code.TOO_LARGE, "more than 256 variants", at, "vary fewer constants")
    for directive in file.directives:
        if isinstance(directive, tree.Expect) and directive.span not in applied:
            message = "this expectation applies to no variant"
            warnings.append(Diagnostic(Code.IGNORED, message, directive.span, "correct its `when`", "warning"))
    return Plan(tuple(runs), (*warnings, *divergent.values(), *watchdogs.values()), found.without_clang, allowed(file))


def _plan_litmus(source: Source, shown: str, overrides: Overrides) -> Plan:
    """A litmus file is asked its final clause, race freedom where a race is undefined behaviour (not of PTX: suites are
    about what its races do), and whether it terminates under a progress model.

    Its `expect` directives, if it has any, are asked instead; `expect condition` is the final clause.
    """
    from scopec.frontends.litmus.lower.program import lower
    from scopec.frontends.litmus.syntax import reader as litmus

    file = litmus.read(source)
    settings = _settings(file, overrides)
    default = _default_models(overrides)
    lowered = lower(file, source, Path(shown).stem)
    program, condition = lowered.program, lowered.condition
    asked: dict[_Models, list[Expectation]] = {}
    for expectation, under in expectations(file, program, source):
        found = expectation
        if expectation.kind == "condition":
            if condition is None:
                raise error(Code.BAD_EXPECTATION, "the file has no final clause", expectation.span, "add one")
            found = condition
        for models in [_under(model, expectation, default) for model in under] or [default]:
            asked.setdefault(models, []).append(found)
    if not any(isinstance(d, tree.Expect) for d in file.directives):
        span = file.threads[0].span if condition is None else condition.span
        asked[default] = [] if condition is None else [condition]
        if registry.load(default[0], settings.options).races_undefined:
            asked[default].append(Expectation("race_free", "race_free", span))
        if overrides.progress is not None:
            asked[default].append(Expectation("terminates", "terminates", span))
    for models, checks in asked.items():
        _check_extensions(program, models, settings, checks)
    asserts = _assertions(program)
    left, faulty = _not_asked(asked), any(map(_is_faulty, asked.values()))
    runs = [
        Run(
            shown, source, program, entry, progress, settings, (*checks, *(() if faulty else asserts)),
            tuple(a for a in asserts if faulty and not a.implicit), on_hardware, not_asked=left,
            without=overrides.without,
        )
        for (entry, progress, on_hardware), checks in asked.items()
    ]  # fmt: skip
    return Plan(tuple(runs), lowered.warnings, allowed=allowed(file))


def _check_extensions(program: Program, models: _Models, settings: Settings, checks: Sequence[Expectation]) -> None:
    """Raise where a model does not speak of what a program has, or nothing is stated about its progress."""
    entry, _, on_hardware = models
    found = {name: at for name, extension in EXTENSIONS.items() if (at := extension.first(program)) is not None}
    model = registry.load(entry, {**settings.readings, **{name: PROGRAM_FACTS[name].values[1] for name in found}})
    for name, at in found.items():
        extension = EXTENSIONS[name]
        if on_hardware or not model.mentioned & extension.names:
            message = f"the model `{entry.name}` knows nothing of {extension.words}"
            raise error(Code.OUTSIDE_SUBSET, message, at, f"ask {extension.models}: `--model`, or `under` in the file")
        if name == "proxies" and any(check.kind in PROGRESS_KINDS for check in checks):
            message = "nothing is stated about when a write becomes visible through another proxy"
            raise error(Code.OUTSIDE_SUBSET, message, at, "expect allowed, forbidden or required instead")


def _check_hardware(program: Program, *, on_hardware: bool) -> None:
    """Raise where the example hardware lacks what a program has: a block's shared memory that others access, lanes that
    are together by chance.
    """
    if not on_hardware:
        return
    for object_ in program.objects.values():
        if object_.storage is ir.Storage.SHARED and object_.device is not None:
            message = "shared memory that other blocks access is nothing that the example hardware has"
            raise error(Code.OUTSIDE_SUBSET, message, object_.span, "ask another model")
    for thread in program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and by_chance(node.operation):
                message = "lanes that are together by chance are nothing that the example hardware has"
                raise error(Code.OUTSIDE_SUBSET, message, node.span, "ask another model, or write a mask")


#: A memory model, a progress model, and whether the example hardware answers for the memory model.
_Models: TypeAlias = tuple[registry.Entry, progress_models.Model, bool]


def _default_models(overrides: Overrides, default: str = DEFAULT_MODEL) -> _Models:
    entry, progress = (
        registry.find(overrides.model or default),
        progress_models.find(overrides.progress or "cuda"),
    )
    return entry, progress, overrides.memory == HARDWARE


def _under(model: tree.Setting, expectation: Expectation, default: _Models) -> _Models:
    """The models that an expectation is asked `under`: a progress model's name is one only for progress questions."""
    name = model.name
    if expectation.kind in PROGRESS_KINDS and name in progress_models.MODELS:
        return default[0], progress_models.find(name), default[2]
    if name == HARDWARE:
        if expectation.kind not in OUTCOME_KINDS:
            message = f"`{expectation.kind}` is not a question for {HARDWARE}, which says only how a program can end"
            raise error(Code.BAD_EXPECTATION, message, expectation.span, "use allowed, forbidden or required")
        return default[0], default[1], True
    return registry.find(name, model.span), default[1], False


def _settings(file: tree.File | litmus_tree.File, overrides: Overrides) -> Settings:
    settings = settings_of(file)
    if overrides.given:
        settings = replace(settings, given={**settings.given, **overrides.given})
    if overrides.unroll is not None:
        settings = replace(settings, bound={**settings.bound, "unroll": overrides.unroll})
    if overrides.hangs is not None:
        settings = replace(settings, options={**settings.options, "hangs": overrides.hangs})
    if overrides.ignore_races:
        settings = replace(settings, options={**settings.options, "races": "ignore"})
    return settings


def _usual(source: Source, file: tree.File, model: Model) -> Iterator[Expectation]:
    """The questions of a file without expectations: is it race free, does it terminate (assertions are always asked).

    A model that does not define races is not asked about them.
    """
    span = source.span(0, 0)
    functions = [i for i in file.items if isinstance(i, tree.Function)]
    if functions:
        span = functions[-1].name_span
    if model.tells_races():
        yield Expectation("race_free", "race_free", span)
    yield Expectation("terminates", "terminates", span)


def _is_faulty(checks: Iterable[Expectation]) -> bool:
    """Whether undefined behaviour is expected, other than a race."""
    return any(check.kind == "undefined" for check in checks)


def _not_asked(asked: Mapping[_Models, Sequence[Expectation]]) -> tuple[str, ...]:
    """The usual questions that are not asked here, whatever the model."""
    kinds = {check.kind for checks in asked.values() for check in checks}
    return tuple(name for name, about in USUAL.items() if kinds.isdisjoint(about))


def _assertions(program: Program) -> list[Expectation]:
    """One check for each `assert` that some thread may reach, and one for all that is implicit."""
    found: dict[Span, Expectation] = {}
    implicit: list[Span] = []
    bounds: list[Span] = []
    for thread in program.threads:
        for node in thread.body.nodes.values():
            match node:
                case ir.Do(ir.Assert(_, text, False), span):
                    found.setdefault(span, Expectation("assertion", f"assert({text})", span))
                case ir.Do(ir.Assert() | ir.Operand(), span):  # operands may access one object in no order
                    implicit.append(span)
                case ir.Do(ir.Lifetime(registered=False), span):  # what has an end may be accessed after it
                    bounds.append(span)
                case ir.Do(ir.SyncThreads(at=at) | ir.GroupSync(at=at), span) if at:  # lanes may be at different ones
                    bounds.append(span)
                case _:
                    pass
    checks = [found[span] for span in sorted(found)]
    if implicit or bounds:
        text = "indices, pointers and arithmetic are valid"
        checks.append(Expectation("assertion", text, min(implicit or bounds), implicit=True))
    return checks
