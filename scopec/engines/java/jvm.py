"""A worker process: one Java virtual machine that answers questions, one after the other.

Run as a script with the path of libjvm and the virtual machine's flags; ``java/workers.py`` does.  It imports nothing
of scopec, so that it starts at once; how an engine is asked is a file that a request names (``in_jvm.py``).  Requests
are lines of JSON on standard input, answers lines of JSON on standard output; whatever the engines print there goes to
standard error.  It ends with its standard input, busy or not, so that none is left behind however scopec ends.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import sys
import threading
import traceback
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

#: Kodkod's translation and SANY are recursive.
_STACK = 256 << 20


def main(libjvm: str, *flags: str) -> None:
    """Answer requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for scopec, which ends its workers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def work() -> None:
        try:
            machine = _Machine(libjvm, flags)
        except Exception as failure:
            answers.write(json.dumps({"ready": False, "reason": str(failure)}) + "\n")
            return
        answers.write(json.dumps({"ready": True}) + "\n")
        try:
            while True:
                os.ftruncate(2, 0)
                answers.write(json.dumps(machine.answer(requests.get())) + "\n")
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    threading.stack_size(_STACK)
    threading.Thread(target=work, daemon=True).start()
    for line in sys.stdin:
        requests.put(json.loads(line))
    os._exit(0)


class _Machine:
    """The Java virtual machine; engines are loaded when they are first asked."""

    def __init__(self, libjvm: str, flags: tuple[str, ...]) -> None:
        import jpype

        jpype.startJVM(libjvm, *flags, convertStrings=False)
        self.java = jpype
        self.temporary = Path(str(jpype.JClass("java.lang.System").getProperty("java.io.tmpdir")))
        self.engines: dict[tuple[str, str], Any] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The status that the engine's command line would exit with, and what it would say on standard error.

        ``unsupported`` instead, where the jar is not one that can be asked this way.
        """
        key = request["driver"], request["jar"]
        try:
            if key not in self.engines:
                self.engines[key] = _driver(request["driver"])(self.java, partial(_loader, self.java, request["jar"]))
            answer: dict[str, Any] = self.engines[key].answer(request)
            return answer
        except (ImportError, AttributeError, TypeError) as missing:  # JPype's words for no such class or method
            return {"unsupported": f"{request['jar']}: {missing}"}
        except self.java.JException as failure:
            if "java.lang.NoSuch" in str(type(failure)) or "ClassNotFound" in str(type(failure)):
                return {"unsupported": f"{request['jar']}: {failure}"}
            survives = key in self.engines and self.engines[key].survives(failure)
            return {"status": 1, "stderr": " ".join(str(failure).split()), "broken": not survives}
        finally:
            # Engines leave files there: standard modules, native libraries.
            for left in self.temporary.iterdir():
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def _driver(path: str) -> Any:
    """The class ``Driver`` of a file."""
    module = ModuleType("driver")
    SourceFileLoader("driver", path).exec_module(module)
    return module.Driver


def _loader(jpype: Any, jar: str) -> Any:
    """A class loader for one jar, which shares nothing with others but Java's own classes."""
    url = jpype.JClass("java.io.File")(jar).toURI().toURL()
    platform = jpype.JClass("java.lang.ClassLoader").getPlatformClassLoader()
    return jpype.JClass("java.net.URLClassLoader")([url], platform)


if __name__ == "__main__":
    main(*sys.argv[1:])
