"""A call that a running ``scopec serve`` of the same user carries out: this process lends it its files, and waits.

Start-up: this is read by every call, so it imports nothing that Python has not imported, as long as no server runs.

A request is three file descriptors (the standard files) with a number of bytes, then these bytes: fields separated by
null characters.  The server answers with a byte, whether the call has begun, and with four at its end: what
``os.waitpid`` says.  A byte of the client is the number of a signal for the call.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than a server to be asked
if TYPE_CHECKING:
    from collections.abc import Mapping

BEGUN, REFUSED = b"y", b"n"
#: What the names of variables begin with that Python reads at its start.
_AT_START = ("PYTHON", "LC_", "LANG")
_SWITCH = "SCOPEC_SERVER"
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


def possible() -> bool:
    """Whether there can be a server: where processes fork, and lend each other files."""
    return hasattr(os, "fork") and hasattr(os, "getuid")


def folder() -> str:
    """The folder of the user's sockets, whether it is there or not."""
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    return f"{base}/scopec" if base.startswith("/") else f"/tmp/scopec-{os.getuid()}"


def is_own(place: str) -> bool:
    """Whether a folder is the user's, and nobody else's; no link."""
    try:
        found = os.lstat(place)
    except OSError:
        return False
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.getuid()


def identity(environment: Mapping[str, str]) -> str:
    """What a server and its calls have in common: Python, scopec's files, and the variables that Python starts by."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    variables = sorted(f"{name}={value}" for name, value in environment.items() if name.startswith(_AT_START))
    begun = repr(getattr(sys.modules["__main__"], "__package__", None))  # as which click names the command
    return "\n".join([sys.executable, sys.version, package, repr(sys.flags), begun, *variables])


def address(environment: Mapping[str, str]) -> str:
    """The path of the socket of a server for calls in an environment."""
    from binascii import crc32

    return f"{folder()}/{crc32(os.fsencode(identity(environment))):08x}.sock"


def status() -> int | None:
    """The exit status of this process's call, which a server has carried out; None if none does.

    A call that a signal has ended ends this process by the same signal.
    """
    if not possible() or os.environ.get(_SWITCH) == "off" or _stays():
        return None
    place = address(os.environ)
    if not os.path.exists(place) or not is_own(folder()):  # noqa: PTH110
        return None
    return _asked(place)


def _stays() -> bool:
    """Whether this process's call is to stay, as a server or with an editor, and is none for a server."""
    return sys.argv[1:2] == ["serve"] or (sys.argv[1:2] == ["lsp"] and "--answer" not in sys.argv)


def _asked(place: str) -> int | None:
    import signal
    import socket

    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(place)
        request = b"\0".join(os.fsencode(field) for field in _request())
        socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
        server.sendall(request)
        if server.recv(1) != BEGUN:
            return None
    except (OSError, ValueError):  # nobody serves there; a standard file is closed, or the folder is gone
        return None
    for name in _SIGNALS:  # those that are ignored too, as a call by itself does
        signal.signal(getattr(signal, name), lambda told, _frame: server.send(bytes([told])) and None)
    ended = b""
    while len(ended) < 4:
        more = server.recv(4 - len(ended))
        if not more:
            os.write(2, b"scopec: the server has ended, and the call with it\n")
            return 3
        ended += more
    code = os.waitstatus_to_exitcode(int.from_bytes(ended, "big"))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    return code


def _request() -> list[str]:
    """The fields of this process's call; OSError where its folder is gone."""
    os.umask(mask := os.umask(0))
    environment = [f"{name}={value}" for name, value in os.environ.items()]
    arguments, place = sys.argv[1:], os.getcwd()  # noqa: PTH109
    return [
        identity(os.environ), place, str(mask), limits(), sys.argv[0],
        str(len(arguments)), *arguments, *environment,
    ]  # fmt: skip


def limits() -> str:
    """The limits of this process's memory, time and files, in print: those of a call are its own."""
    import resource

    kinds = (
        resource.RLIMIT_AS,
        resource.RLIMIT_DATA,
        resource.RLIMIT_CPU,
        resource.RLIMIT_FSIZE,
        resource.RLIMIT_NOFILE,
    )
    return " ".join(f"{kind}:{soft}:{hard}" for kind in kinds for soft, hard in [resource.getrlimit(kind)])
