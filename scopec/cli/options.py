"""The options that commands share, and the kinds of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from scopec.base import limits, options
from scopec.base.diagnostics import UsageError
from scopec.cli.messages import show
from scopec.engines.table import AUTO, BOTH, TABLE, installed
from scopec.session.project import CHOICES, RANGES

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.engines.protocol import Engine
    from scopec.session.plan import Overrides

_Command: TypeAlias = Callable[..., Any]
_Decorator: TypeAlias = Callable[[_Command], _Command]


def _all(*decorators: _Decorator) -> _Decorator:
    """Several options, which help shows in this order."""

    def decorated(command: _Command) -> _Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorated


def _as_one(name: str, made: Callable[..., Any], *decorators: _Decorator) -> _Decorator:
    """Several options, of which a command gets what ``made`` makes, as ``name``."""

    def decorated(command: _Command) -> _Command:
        @wraps(command)
        def with_one(**given: Any) -> Any:
            return command(**{name: made(**{p: given.pop(p) for p in signature(made).parameters})}, **given)

        return _all(*decorators)(with_one)

    return decorated


# ---------------------------------------------------------------- kinds of values


def completing(names: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Shell completion of a value: those of ``names`` that begin as it does."""
    return lambda _context, _parameter, begun: [n for n in names() if n.startswith(begun)]


def memory_models() -> Iterable[str]:
    """The names for --model."""
    from scopec.memory.cat import registry

    return registry.MODELS


def progress_models() -> Iterable[str]:
    """The names for --progress."""
    from scopec.progress import models

    return models.MODELS


def reductions() -> Iterable[str]:
    """The names for --without."""
    from scopec.session.reductions import EVERY, REDUCTIONS

    return (EVERY, *REDUCTIONS)


def _attributes() -> Iterable[str]:
    return (f"{name}={value}" for name, setting in options.ATTRIBUTES.items() for value in setting.values)


class EngineName(click.Choice[str]):
    """An engine of the table, ``auto`` or ``both``; those of other packages are looked for when one may be meant."""

    def __init__(self, *kinds: str) -> None:
        self._kinds = kinds
        super().__init__(self._names(TABLE))

    def _names(self, engines: Iterable[Engine]) -> list[str]:
        return [AUTO, *(e.name for e in engines if any(k in e.answers for k in self._kinds)), BOTH]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such an engine."""
        if value not in self.choices:
            self.choices = tuple(self._names((*TABLE, *installed())))
        return super().convert(value, param, ctx)


class _Size(click.ParamType[int]):
    """Bytes: ``500MB``, ``1.5GiB``, ``2G``, or a number."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes; units are powers of 1024."""
        try:
            return limits.size(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class Seconds(click.ParamType[float]):
    """A time: a number of seconds, a millisecond or more."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; neither `nan` nor `inf` is one."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not RANGES["timeout"][0] <= seconds < math.inf:
            self.fail(f"`{value}` is not a number of seconds such as 10 or 0.5", param, ctx)
        return seconds


def _half_of_the_machine() -> int:
    from scopec.base.limits import half_of_the_machine

    return half_of_the_machine()


# ---------------------------------------------------------------- who is asked, and how long


def _jar(name: str, title: str) -> _Decorator:
    meaning = f"{title}'s jar, instead of the one scopec fetches."
    return click.option(f"--{name}-jar", type=click.Path(path_type=Path), help=meaning)


def _own_jars(tlc_jar: Path | None, alloy_jar: Path | None) -> dict[str, Path]:
    return {name: path for name, path in (("alloy", alloy_jar), ("tlc", tlc_jar)) if path is not None}


#: The jars that are the user's own, as ``jars``.
jar_options = _as_one("jars", _own_jars, _jar("tlc", "TLC"), _jar("alloy", "Alloy"))

engine_options = _all(
    click.option(
        "--engine",
        type=EngineName("memory", "progress"),
        default=AUTO,
        show_default=True,
        help="Who answers: Alloy (memory) or TLC (progress), each leaving the other's questions to auto; scopec "
        "itself; both, compared; or (auto) Alloy and TLC where they can be had.",
    ),
    jar_options,
)

limit_options = _all(
    click.option(
        "--timeout",
        type=Seconds(),
        default=300.0,
        show_default=True,
        help="Seconds for all that one program is asked: reading it, every question, and the check of the answers. "
        "What is decided by then is told, the rest is unknown.",
    ),
    click.option(
        "--memory-limit",
        type=_Size(),
        default=_half_of_the_machine,
        show_default="half of the machine's",
        help="Memory for scopec, and for the Java processes together, such as 2GB.",
    ),
)


# ---------------------------------------------------------------- what replaces what a file says


def _overrides(
    model: str | None, given: Sequence[str], bound: Sequence[str], reader: str,
    folders: tuple[Path, ...], defined: Sequence[str], undefined: Sequence[str], std: str | None,
    forced: tuple[Path, ...], database: Path | None, headers: str, toolkit: Path | None, no_cache: bool, outside: bool,
    without: Sequence[str], no_guess: bool, progress: str | None, hangs: str | None, memory: str, ignore_races: bool,
    through: str = "none", nvcc: str | None = None,
) -> Overrides:  # fmt: skip
    from scopec.base.visible import EVERYWHERE
    from scopec.frontends.clang.flags import Flags
    from scopec.memory.cat import registry
    from scopec.program.expectations import Settings as Chosen
    from scopec.progress import models
    from scopec.session.configured import through_of
    from scopec.session.plan import Overrides
    from scopec.session.reductions import named

    if model is not None:
        for warning in registry.load(registry.find(model), Chosen.defaults().options).warnings:
            show(warning)
    if progress is not None:
        models.find(progress)
    attributes = dict(_pair(text, "--given") for text in given)
    for name, value in attributes.items():
        options.choose(options.ATTRIBUTES, "an attribute", name, value, None)
    bounds = {name: options.bound(name, value, None) for name, value in (_pair(text, "--bound") for text in bound)}
    macros = (*(f"-D{name}" for name in defined), *(f"-U{name}" for name in undefined))
    way = through_of(through)
    flags = Flags(folders, macros, std or Flags().std, forced, database, headers, toolkit, way, nvcc if way else None)
    if reader == "scoped" and flags != Flags():
        about = "-I, -D, -U, --std, --include, -p, --headers, --cuda-path and --through"
        raise UsageError(f"{about} are for `--reader clang` and `--reader auto`")
    unroll = bounds.get("unroll")
    return Overrides(
        model, attributes or None, unroll, ignore_races, progress, memory, hangs, reader, flags, not no_cache,
        (*folders, *((EVERYWHERE,) if outside else ())), named(without), not no_guess,
    )  # fmt: skip


def _memory_overrides(
    model: str | None, given: Sequence[str], bound: Sequence[str], reader: str,
    folders: tuple[Path, ...], defined: Sequence[str], undefined: Sequence[str], std: str | None,
    forced: tuple[Path, ...], database: Path | None, headers: str, toolkit: Path | None, no_cache: bool, outside: bool,
    without: Sequence[str], no_guess: bool,
) -> Overrides:  # fmt: skip
    return _overrides(
        model, given, bound, reader, folders, defined, undefined, std, forced, database, headers,
        toolkit, no_cache, outside, without, no_guess, None, None, "sc", False,
    )  # fmt: skip


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"{option} takes NAME=VALUE, not `{text}`")
    return name.strip(), value.strip()


_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MEMORY = (
    click.option("--bound", multiple=True, metavar="unroll=N", help="A bound, as `//@ bound`."),
    click.option(
        "--given",
        multiple=True,
        metavar="K=V",
        help="An attribute of the machine, as `//@ given`.",
        shell_complete=completing(_attributes),
    ),
    click.option(
        "--model", metavar="NAME", help="Memory model (see `scopec models`).", shell_complete=completing(memory_models)
    ),
    click.option(
        "--reader",
        type=click.Choice(CHOICES["reader"]),
        default=CHOICES["reader"][0],
        show_default=True,
        help="Who reads .cu files: scopec's own reader, clang (needs scopec[cxx]), or either, by what the file has.",
    ),
    click.option("-I", "folders", multiple=True, type=_FOLDER, help="For clang: where to look for included files."),
    click.option("-D", "defined", multiple=True, metavar="NAME[=VALUE]", help="For clang: a macro."),
    click.option("-U", "undefined", multiple=True, metavar="NAME", help="For clang: no such macro."),
    click.option("--std", metavar="c++20", help="For clang: the language, c++17 or newer."),
    click.option("--include", "forced", multiple=True, type=_FILE, help="For clang: a file to read before each."),
    click.option(
        "--allow-outside", "outside", is_flag=True, help="Quote files from outside the repository in reports too."
    ),
    click.option("-p", "database", type=_FOLDER, help="For clang: the folder of compile_commands.json."),
    click.option(
        "--headers",
        type=click.Choice(CHOICES["headers"]),
        default=CHOICES["headers"][0],
        show_default=True,
        help="For clang: the library's headers, scopec's own (shims) or NVIDIA's (real), of a toolkit or of "
        "scopec[headers]; auto is the second where the first do not suffice.",
    ),
    click.option(
        "--cuda-path", "toolkit", type=_FOLDER, help="The toolkit of `--headers real`, before CUDA_HOME and nvcc's."
    ),
    click.option(
        "--no-cache", is_flag=True, envvar="SCOPEC_NO_CACHE", help="Ask clang and the jars what they answered before."
    ),
    click.option(
        "--without",
        multiple=True,
        metavar="NAME",
        help="Leave a reduction out, or `all` of them (`scopec models` lists them).",
        shell_complete=completing(reductions),
    ),
    click.option("--no-guess", is_flag=True, help="Guess no launch for a kernel that nothing launches: an error then."),
)
#: Options that replace a file's own settings, as ``overrides``: for a memory question alone, and for every question.
memory_options = _as_one("overrides", _memory_overrides, *_MEMORY)
program_options = _as_one(
    "overrides",
    _overrides,
    *_MEMORY,
    click.option("--ignore-races", is_flag=True, help="Ask outcomes and assertions of racy programs too."),
    click.option(
        "--memory",
        type=click.Choice(CHOICES["memory"]),
        default=CHOICES["memory"][0],
        show_default=True,
        help="Who answers outcomes and assertions: the memory model (sc is the progress question's memory), or the "
        "example hardware of HRF0.",
    ),
    click.option(
        "--hangs",
        type=click.Choice(CHOICES["hangs"]),
        help="Hangs of the memory model (as `//@ options hangs`), or of a sequentially consistent memory alone.",
    ),
    click.option(
        "--progress",
        metavar="NAME",
        help="Progress model (see `scopec models`).",
        shell_complete=completing(progress_models),
    ),
    click.option(
        "--through",
        type=click.Choice(CHOICES["through"]),
        default=CHOICES["through"][0],
        show_default=True,
        help="Read kernels as nvcc compiles them, without optimisation (nvcc) or with (nvcc-O3), under the model ptx.",
    ),
    click.option("--nvcc", metavar="PATH", help="NVIDIA's compiler for --through, instead of the one on PATH."),
)
