"""Spreads the programs of a call over a Dask cluster: a task a file, self-contained, with its outcome as the result.

The scheduler gives the tasks of a worker that is lost to another; a result counts once, in the order of the paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import EngineError, UsageError, internal_error
from scopec.base.records import dataclass
from scopec.base.scratch import scratch_folder
from scopec.base.version import __version__
from scopec.engines.java.jars import PINNED
from scopec.frontends.clang.flags import Flags
from scopec.memory.cat import registry
from scopec.session.check import Advise, Outcome, Settings, check
from scopec.session.generated import destination
from scopec.session.program_files import programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.session.plan import Overrides

_CONNECT_SECONDS = 20


@dataclass(frozen=True)
class Task:
    """One file to check: its text, and everything that the command line says of engines and limits."""

    version: str
    shown: str
    text: bytes
    overrides: Overrides
    engine: str
    timeout: float | None
    memory: int | None
    advise: Advise | None
    cache: bool
    keep: bool


@dataclass(frozen=True)
class Result:
    """The result of a file, and the generated files by name, with what the engines wrote if that is to be kept."""

    outcome: Outcome
    files: dict[str, bytes]


def check_on_cluster(paths: Sequence[Path], settings: Settings, executor: str) -> list[Outcome]:
    """As `check`, by the workers of the cluster that ``executor`` (``dask:ADDRESS``) names.

    UsageError without the package distributed, and for what does not travel; EngineError if no scheduler answers.
    """
    if settings.overrides.reader == "clang" or settings.overrides.flags != Flags():
        raise UsageError("--executor: what a program includes does not travel; leave out --reader and clang's flags")
    kind, _, address = executor.partition(":")
    if kind != "dask" or not address:
        raise UsageError(f"--executor takes dask:ADDRESS, such as dask:tcp://127.0.0.1:8786, not `{executor}`")
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "--executor dask:… needs the package distributed: pip install 'scopec[cluster]', here and on the workers"
        ) from None
    _travels(settings)
    found = list(programs(paths))
    outcomes: dict[int, Outcome] = {
        n: Outcome(str(path), diagnostics=(problem,)) for n, (path, problem) in enumerate(found) if problem is not None
    }
    tasks = {n: _task(path, settings) for n, (path, problem) in enumerate(found) if problem is None}
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as failure:
        raise EngineError(f"no Dask scheduler answers at {address} ({failure}): see docs/scale.md") from failure
    with client:
        settings.remark(f"{len(tasks)} programs on {len(client.scheduler_info(n_workers=-1)['workers'])} workers")
        futures = client.map(run_task, list(tasks.values()), pure=False)
        try:
            for (n, task), future in zip(tasks.items(), futures, strict=True):
                outcomes[n] = _outcome(task, future, settings)
        except BaseException:
            client.cancel(futures)  # type: ignore[no-untyped-call]
            raise
    return [outcomes[n] for n in range(len(found))]


def _travels(settings: Settings) -> None:
    if settings.jars:
        options = " and ".join(f"--{name}-jar" for name in PINNED)
        variable = next(pinned.variable for name, pinned in PINNED.items() if name in settings.jars)
        raise UsageError(f"{options} name files of this machine: set {variable} on the workers")
    model = settings.overrides.model
    if model is not None and registry.find(model).own:
        raise UsageError(f"--executor does not take a model of your own ({model}): its files are on this machine")


def _task(path: Path, settings: Settings) -> Task:
    try:
        text = path.read_bytes()
    except OSError as failure:
        raise UsageError(f"{path}: {failure.strerror}") from None
    return Task(
        __version__, str(path), text, settings.overrides, settings.engine, settings.timeout, settings.memory,
        settings.advise, settings.cache, settings.keep is not None,
    )  # fmt: skip


def run_task(task: Task) -> Result:
    """Check one file on a worker: engines are installed there when they are first needed."""
    if task.version != __version__:
        message = f"a worker has scopec {__version__}, not {task.version}: install the same version everywhere"
        return Result(Outcome(task.shown, failure=message), {})
    with scratch_folder() as folder:
        path = folder / Path(task.shown).name
        path.write_bytes(task.text)
        kept = folder / "kept" if task.keep else None
        settings = Settings(
            task.overrides,
            timeout=task.timeout,
            memory=task.memory,
            engine=task.engine,
            advise=task.advise,
            cache=task.cache,
            keep=kept,
        )
        (outcome,) = check([path], settings, {path: task.shown})
        if kept is not None:
            found = {str(p.relative_to(kept)): p for p in sorted(kept.rglob("*")) if p.is_file()}
        else:
            found = {name: r.folder / name for r in outcome.reports if r.folder for name in r.generated}
        return Result(outcome, {name: p.read_bytes() for name, p in found.items()})


def _outcome(task: Task, future: Any, settings: Settings) -> Outcome:
    """The outcome of a task, its generated files put where those of a check on this machine are."""
    try:
        result: Result = future.result()
    except Exception as failure:  # a worker that has no scopec, or that was lost again and again
        return Outcome(task.shown, failure=f"the cluster gave no answer: {internal_error(failure)}")
    return replace(result.outcome, reports=tuple(_kept(result, settings)))


def _kept(result: Result, settings: Settings) -> Iterator[Any]:
    for report in result.outcome.reports:
        if report.folder is None:
            yield report
            continue
        target = destination(report.run, settings.keep)
        for name, content in result.files.items():
            if name in report.generated or name.startswith(f"{report.run.name}."):
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).write_bytes(content)
        yield replace(report, folder=target)
