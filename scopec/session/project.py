"""Settings: of a project, which run no code and name nothing outside it, and the user's own.

A project's are ``scopec.toml``, or ``[tool.scopec]`` in ``pyproject.toml``, in the folder of a call or above it; the
user's are ``scopec.toml`` in the user's configuration folder, and give way to the project's.  A project may have been
written by somebody else, who gets nothing by its settings that its programs could not do: what runs, where is
written and what of elsewhere is shown is said by a call or by the user (docs/python.md).
"""

from __future__ import annotations

import math
import os
import re
from contextlib import contextmanager, suppress
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base import options
from scopec.base.diagnostics import Code, InputError, UsageError, bounded_nesting, error, not_a_warning, suggestion
from scopec.base.files import read_source
from scopec.base.lazy_import import later
from scopec.base.limits import size
from scopec.base.records import dataclass
from scopec.engines.java.jars import PINNED
from scopec.engines.table import AUTO, BOTH, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    import platformdirs

    from scopec.base.source import Source, Span
else:
    platformdirs = later("platformdirs")

_OWN, _SHARED = "scopec.toml", "pyproject.toml"
_TABLE = "tool.scopec"


class Kind(Enum):
    """The kind of a setting, in words."""

    SWITCH = "true or false"
    TEXT = "a text"
    WHOLE = "a whole number"
    NUMBER = "a number"
    SIZE = 'a size such as "2GB", or a number of bytes'
    TEXTS = "a list of texts"
    PAIRS = "a table of texts and whole numbers, or a list of texts NAME=VALUE"
    PATH = "the path of a file or folder, as a text"
    PATHS = "a list of paths, as texts"
    MODEL = "the name of a model, or the path of a .cat file, as a text"


#: The engines that a user may have a jar of.
JARS = tuple(PINNED)
#: Every setting, by the long name of the option of `scopec check` whose default it is.
KEYS = {
    "model": Kind.MODEL, "given": Kind.PAIRS, "bound": Kind.PAIRS, "progress": Kind.TEXT, "memory": Kind.TEXT,
    "hangs": Kind.TEXT, "ignore-races": Kind.SWITCH, "reader": Kind.TEXT,
    "I": Kind.PATHS, "D": Kind.PAIRS, "U": Kind.TEXTS, "std": Kind.TEXT, "include": Kind.PATHS, "p": Kind.PATH,
    "headers": Kind.TEXT, "cuda-path": Kind.PATH, "without": Kind.TEXTS, "through": Kind.TEXT, "nvcc": Kind.TEXT,
    "engine": Kind.TEXT, "confirm": Kind.TEXT, "jobs": Kind.WHOLE, "timeout": Kind.NUMBER, "memory-limit": Kind.SIZE,
    "no-cache": Kind.SWITCH, "allow": Kind.TEXTS, "baseline": Kind.PATH, "quiet": Kind.SWITCH, "verbose": Kind.SWITCH,
    **{f"{name}-jar": Kind.PATH for name in JARS}, "executor": Kind.TEXT, "keep": Kind.PATH,
    "allow-outside": Kind.SWITCH, "no-guess": Kind.SWITCH,
}  # fmt: skip
#: The values of settings, the default first, or the bounds between which they are.
CHOICES = {
    "confirm": ("auto", "always", "never", "ci"), "hangs": ("model", "sc"), "reader": ("auto", "clang", "scoped"),
    "memory": ("sc", "hrf0-hw"), "headers": ("auto", "shims", "real"),
    "through": ("none", "nvcc", "nvcc-O3"),
}  # fmt: skip
RANGES: dict[str, tuple[float, float]] = {"jobs": (1, 64), "timeout": (0.001, math.inf)}
#: Those that say what is run, where is written, and what of elsewhere is shown: a call's, or the user's own.
USERS = frozenset(
    {*(f"{name}-jar" for name in JARS), "executor", "keep", "allow-outside", "cuda-path", "through", "nvcc"}
)


def choice(key: str, value: str) -> str:
    """A value of a setting that has choices; UsageError for another."""
    if value not in CHOICES[key]:
        raise UsageError(f"`{key}` is one of {', '.join(CHOICES[key])}, not `{value}`")
    return value


@dataclass(frozen=True)
class Setting:
    """A value as KEYS says, its paths absolute, pairs as texts NAME=VALUE; and where it is written."""

    key: str
    value: Any
    source: Source = field(repr=False)
    span: Span

    def wrong(self, message: str, help_: str | None = None) -> InputError:
        """The error that it is not what is wanted."""
        return error(Code.BAD_SETTING, f"`{self.key}`: {message}", self.span, help_)


def settings(start: Path, warn: list[str] | None = None) -> dict[str, Setting]:
    """The settings of the user and of the project of a folder; ``warn`` gets sentences on files that are not read.

    Raises InputError where something is no setting, or not of a project, UsageError for a file that leads elsewhere.
    """
    found = _users_own()
    nearest = _nearest(start, [] if warn is None else warn)
    if nearest is not None:
        found |= nearest
    return found


# ---------------------------------------------------------------- where they are


def _users_own() -> dict[str, Setting]:
    file = platformdirs.user_config_path("scopec") / _OWN
    return _read(file, None) or {} if file.is_file() else {}


def _nearest(start: Path, warn: list[str]) -> dict[str, Setting] | None:
    """The nearest file of a project, and what it says."""
    folders, top = _folders(start)
    for folder in folders:
        for name in (_OWN, _SHARED):
            file = folder / name
            if not file.is_file():
                continue
            if not file.resolve().is_relative_to(top or folder):
                if name == _OWN:
                    raise UsageError(f"{file} is a link that leads out of {top or folder}: put the settings there")
            elif not _trusted(file, start):
                warn.append(f"{file} is not read: it is another user's than {start}")
            elif (found := _read(file, top or folder)) is not None:
                return found
    return None


def _folders(start: Path) -> tuple[list[Path], Path | None]:
    """The folders in which settings of a folder may be, and its repository, if it is in one.

    Its own folder, and those above it: up to the repository, the user's home, or a folder of another owner.
    """
    chain = [start, *start.parents]
    with suppress(RuntimeError, ValueError):  # nobody has a home; it is not above
        chain = chain[: chain.index(Path.home()) + 1]
    for number, folder in enumerate(chain):
        if (folder / ".git").exists() and _trusted(folder / ".git", start):
            return chain[: number + 1], folder
    owner = _owner(start)
    others = (number for number, folder in enumerate(chain) if _owner(folder) != owner)
    return chain[: next(others, len(chain))], None


def _trusted(file: Path, start: Path) -> bool:
    """Whether a file has the owner of the folder that is checked, or is the user's own or the system's."""
    if not hasattr(os, "geteuid"):  # Windows
        return True
    return _owner(file) in (_owner(start), os.geteuid(), 0)


def _owner(file: Path) -> int:
    return file.stat().st_uid


# ---------------------------------------------------------------- what they say


def _read(file: Path, top: Path | None) -> dict[str, Setting] | None:
    """The settings of a file, whose paths stay below ``top`` if there is one; None if it is not about scopec."""
    shared = file.name == _SHARED
    try:
        source = read_source(file)
        if shared and not _may_have("scopec", source.text):
            return None
        import tomllib  # Start-up: most calls have no such file

        with bounded_nesting(source.span(0, 0), "a value"):
            table = tomllib.loads(source.text)
    except (InputError, ValueError) as failure:
        if shared:  # other tools tell of it
            return None
        if isinstance(failure, InputError):
            raise
        raise _not_toml(str(failure), source) from None
    if shared:
        table = table.get("tool", {}) if isinstance(table.get("tool", {}), dict) else {}
        if "scopec" not in table:
            return None
        table = table["scopec"]
    if not isinstance(table, dict):
        raise error(Code.BAD_SETTING, "`tool.scopec` is no table", source.span(0, 0))
    return {key: _setting(key, value, source, file.parent, top) for key, value in table.items()}


def _may_have(key: str, text: str) -> bool:
    """Whether a TOML document may have a key: it stands there, or is written by escapes."""
    return key in text or "\\" in text


def _not_toml(said: str, source: Source) -> InputError:
    place = re.search(r" \(at line (\d+), column (\d+)\)", said)
    start = len(source.text) if place is None else min(source.offset(int(place[1]), int(place[2])), len(source.text))
    reason = said if place is None else said.replace(place[0], "")
    return error(Code.BAD_SETTING, f"this is not TOML: {reason}", source.span(start, start))


def _setting(key: str, value: Any, source: Source, folder: Path, top: Path | None) -> Setting:
    setting = Setting(key, value, source, _span(key, source))
    if key not in KEYS:
        known = suggestion(key, KEYS) or f"there are {', '.join(sorted(KEYS))}"
        raise error(Code.BAD_SETTING, f"there is no setting `{key}`", setting.span, known)
    if key in USERS and top is not None:
        own = platformdirs.user_config_path("scopec") / _OWN
        help_ = f"give --{key} to the call, or write it into {own}"
        raise setting.wrong(
            "a project cannot say this: what is run, where is written, and what of elsewhere is shown", help_
        )
    kind = KEYS[key]
    if not _is(kind, value):
        raise setting.wrong(f"{kind.value} is wanted")
    if kind is Kind.PAIRS and isinstance(value, dict):
        value = [f"{name}={given}" for name, given in value.items()]
    texts = [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    if any("\0" in text for text in texts):
        raise setting.wrong("there is a null character in it")
    _check(Setting(key, value, source, setting.span))
    if kind is Kind.PATHS:
        value = [_path(text, setting, folder, top) for text in value]
    elif kind is Kind.PATH or (kind is Kind.MODEL and value.endswith(".cat")):
        value = _path(value, setting, folder, top)
    return Setting(key, value, source, setting.span)


def _check(setting: Setting) -> None:
    """Raise InputError for a value that is none of those there are."""
    key, value, span = setting.key, setting.value, setting.span
    if key in CHOICES and value not in CHOICES[key]:
        raise setting.wrong(f"`{value}` is none of {', '.join(CHOICES[key])}")
    if key in RANGES and not RANGES[key][0] <= value <= RANGES[key][1]:
        raise setting.wrong("it is at least {:g} and at most {:g}".format(*RANGES[key]))
    if key == "allow":
        for reason in filter(None, map(not_a_warning, value)):
            raise setting.wrong(reason)
    if key in ("given", "bound", "D"):
        for name, text in (pair(text, setting) for text in value):
            if key == "given":
                options.choose(options.ATTRIBUTES, "an attribute", name, text, span)
            elif key == "bound":
                options.bound(name, text, span)
    with _at(setting):
        if key == "memory-limit":
            size(value)
        elif key == "engine" and value not in (AUTO, BOTH):
            named(value)
        elif key == "without":
            from scopec.session import reductions  # Start-up: most calls have no such setting

            reductions.named(value)
        elif key == "progress":
            from scopec.progress import models  # Start-up: most calls have no such setting

            models.find(value)
        elif key == "model" and not value.endswith(".cat"):
            from scopec.memory.cat import registry

            registry.find(value)


@contextmanager
def _at(setting: Setting) -> Iterator[None]:
    """Name a setting in an error about its value."""
    try:
        yield
    except UsageError as error:
        raise setting.wrong(str(error)) from None


def pair(text: str, setting: Setting) -> tuple[str, str]:
    """A text NAME=VALUE; a macro needs no value."""
    name, sign, value = text.partition("=")
    if not sign and setting.key != "D":
        raise setting.wrong(f"NAME=VALUE is wanted, not `{text}`")
    return name.strip(), value.strip()


def _is(kind: Kind, value: Any) -> bool:
    """Whether a value is of a kind."""
    match kind:
        case Kind.SWITCH:
            return isinstance(value, bool)
        case Kind.WHOLE:
            return _number(value, int)
        case Kind.NUMBER:
            return _number(value, int, float) and math.isfinite(value)
        case Kind.SIZE:
            return isinstance(value, str) or _number(value, int)
        case Kind.TEXTS | Kind.PATHS:
            return isinstance(value, list) and all(isinstance(text, str) for text in value)
        case Kind.PAIRS if isinstance(value, dict):
            return all(isinstance(given, str) or _number(given, int) for given in value.values())
        case Kind.PAIRS:
            return _is(Kind.TEXTS, value)
        case Kind.TEXT | Kind.PATH | Kind.MODEL:
            return isinstance(value, str)


def _number(value: Any, *types: type[int] | type[float]) -> bool:
    """Whether it is a number, of a size that numbers are given in."""
    return not isinstance(value, bool) and any(isinstance(value, t) and abs(value) < 1 << 63 for t in types)


def _path(text: str, setting: Setting, folder: Path, top: Path | None) -> str:
    """A path beside the file; InputError if it leads out of the project."""
    path = folder / (text if top is not None else Path(text).expanduser())
    if top is not None:
        place, below = path.resolve(), top.resolve()
        if not place.is_relative_to(below) or ".git" in place.relative_to(below).parts:
            raise setting.wrong(f"`{text}` is not a file or folder of {top}", "give it to the call, if you mean it")
    return str(path)


def _span(key: str, source: Source) -> Span:
    """The place of a key: in the table of scopec, or as the name of a table in it."""
    wanted = _TABLE if Path(source.name).name == _SHARED else ""
    table = ""
    word = rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')"
    start = 0
    for line in source.lines:
        header = re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line)
        if header is not None and "=" not in line.partition("[")[0]:
            table = re.sub("[\"' ]", "", header[1])
            name = re.search(rf"(?<![\w-]){word}(?![\w-])", line)
            inside = table == f"{wanted}.{key}".removeprefix(".")
        else:
            name = re.match(rf"\s*{word}\s*[.=]", line)
            inside = table == wanted
        if name is not None and inside:
            at = start + line.index(key)
            return source.span(at, at + len(key))
        start += len(line) + 1
    return source.span(0, 0)
