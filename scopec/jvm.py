"""A worker process: one Java virtual machine that answers questions of Alloy and TLC, one after the other.

Run as a script with the path of libjvm and the virtual machine's flags; :mod:`scopec.workers` does.  It imports nothing
of scopec, so that it starts at once.  Requests are lines of JSON on standard input, answers lines of JSON on standard
output; whatever the engines print there goes to standard error.  It ends with its standard input, busy or not, so that
none is left behind however scopec ends.
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
from pathlib import Path
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
        self.engines: dict[tuple[str, str], _Alloy | _Tlc] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The status that the engine's command line would exit with, and what it would say on standard error.

        ``unsupported`` instead, where the jar is not one that can be asked this way.
        """
        key = request["engine"], request["jar"]
        try:
            if key not in self.engines:
                kind = _Alloy if request["engine"] == "alloy" else _Tlc
                self.engines[key] = kind(self.java, request["jar"])
            return self.engines[key].answer(request)
        except (ImportError, AttributeError, TypeError) as missing:  # JPype's words for no such class or method
            return {"unsupported": f"{request['jar']}: {missing}"}
        except self.java.JException as failure:
            if "java.lang.NoSuch" in str(type(failure)) or "ClassNotFound" in str(type(failure)):
                return {"unsupported": f"{request['jar']}: {failure}"}
            return {"status": 1, "stderr": " ".join(str(failure).split()), "broken": not _is_report(failure)}
        finally:
            # Both engines leave files there: standard modules, native libraries.
            for left in self.temporary.iterdir():
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def _is_report(failure: Any) -> bool:
    """Whether a Java exception is Alloy's way to report an error in its input, after which it can go on."""
    return "edu.mit.csail.sdg.alloy4.Err" in str(type(failure).__mro__)


def _loader(jpype: Any, jar: str) -> Any:
    """A class loader for one jar, which shares nothing with others but Java's own classes."""
    url = jpype.JClass("java.io.File")(jar).toURI().toURL()
    platform = jpype.JClass("java.lang.ClassLoader").getPlatformClassLoader()
    return jpype.JClass("java.net.URLClassLoader")([url], platform)


class _Alloy:
    """What ``alloy exec -s SOLVER -t xml -o OUT -c '*' FILE`` does, without its command line."""

    def __init__(self, jpype: Any, jar: str) -> None:
        loader = _loader(jpype, jar)
        self.no_skolems = jpype.JClass("java.util.ArrayList")()
        self.no_report = jpype.JClass("edu.mit.csail.sdg.alloy4.A4Reporter", loader=loader).NOP
        self.compiler = jpype.JClass("edu.mit.csail.sdg.parser.CompUtil", loader=loader)
        self.options = jpype.JClass("edu.mit.csail.sdg.translator.A4Options", loader=loader)
        self.translator = jpype.JClass("edu.mit.csail.sdg.translator.TranslateAlloyToKodkod", loader=loader)
        self.solvers = jpype.JClass("kodkod.engine.satlab.SATFactory", loader=loader)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Solve the commands of ``file`` (only ``command``, if given) and write at most ``most`` solutions of each."""
        world = self.compiler.parseEverything_fromFile(self.no_report, None, request["file"])
        out = Path(request["out"])
        out.mkdir()
        commands, surprises = {}, []
        for command in world.getAllCommands():
            name = str(command.label)
            if request["command"] not in ("*", name):
                continue
            solution = self.translator.execute_command(
                self.no_report, world.getAllReachableSigs(), command, self._options(request)
            )
            found = 0
            while solution.satisfiable():
                solution.writeXML(str(out / f"{name}-solution-{found}.xml"), self.no_skolems)
                found += 1
                if found == request["most"]:
                    break
                solution = solution.next()
            commands[name] = {"solution": found} if found else {}
            if int(command.expects) not in (-1, min(found, 1)):
                surprises.append(name)
        (out / "receipt.json").write_text(json.dumps({"commands": commands}), encoding="utf-8")
        said = f"not as expected: {', '.join(surprises)}" if surprises else ""
        return {"status": int(bool(surprises)), "stderr": said}

    def _options(self, request: dict[str, Any]) -> Any:
        options = self.options()
        options.originalFilename = request["file"]
        if str(options.solver.id()) != request["solver"]:
            options.solver = self.solvers.find(request["solver"]).get()
        return options


class _Tlc:
    """What ``java tlc2.TLC ARGUMENTS`` does in a process of its own.

    TLC keeps its state in static fields, so it is loaded afresh for each question.  Python must never hold an object of
    one of its classes: JPype would keep the class, and with it everything that the question left, for ever.  So the run
    is put together from method handles, of which only the exit status comes back.
    """

    def __init__(self, jpype: Any, jar: str) -> None:
        self.jar = jar
        self.java = jpype
        self.system = jpype.JClass("java.lang.System")
        self.handles = jpype.JClass("java.lang.invoke.MethodHandles")
        self.type = jpype.JClass("java.lang.invoke.MethodType").methodType
        self.for_name = jpype.JClass("java.lang.Class").forName
        self.strings = self.for_name("[Ljava.lang.String;")
        self.int, self.boolean, self.void = (
            jpype.JClass(f"java.lang.{name}").TYPE for name in ("Integer", "Boolean", "Void")
        )
        self.beans = jpype.JClass("java.lang.management.ManagementFactory").getPlatformMBeanServer()
        self.tlc_beans = jpype.JClass("javax.management.ObjectName")("tlc2*:*")
        self.open = _loader(jpype, jar)  # holds the jar open, so that its index is read once
        self.open.getResource("tlc2/TLC.class").openStream().close()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run TLC with ``arguments`` in ``folder``; what it prints goes to the file ``out``."""
        stream = self.java.JClass("java.io.FileOutputStream")(request["out"])
        buffered = self.java.JClass("java.io.BufferedOutputStream")(stream)
        printer = self.java.JClass("java.io.PrintStream")(buffered, True)
        before = self.system.out
        loader = _loader(self.java, self.jar)
        self.system.setOut(printer)
        try:
            self._class(loader, "util.ToolIO").getMethod("setUserDir", self._string()).invoke(None, request["folder"])
            arguments = self.java.JArray(self.java.JString)(request["arguments"])
            status = int(self._run(loader).invokeWithArguments(self.java.JArray(self.java.JObject)([arguments])))
            # The checker's fingerprint sets are exported over RMI, which would hold the loader through it.
            self._class(loader, "tlc2.TLCGlobals").getField("mainChecker").set(None, None)
        finally:
            self.system.setOut(before)
            printer.close()
            loader.close()
            for bean in self.beans.queryNames(self.tlc_beans, None):
                self.beans.unregisterMBean(bean)
        return {"status": status, "stderr": ""}

    def _class(self, loader: Any, name: str) -> Any:
        return self.for_name(name, True, loader)

    def _string(self) -> Any:
        return self.java.JClass("java.lang.String").class_

    def _run(self, loader: Any) -> Any:
        """TLC's main function up to its call of ``System.exit``, as a handle from its arguments to the status.

        In Java::

            TLC tlc = new TLC();
            if (!tlc.handleParameters(arguments)) return 1;
            tlc.setResolver(new SimpleFilenameToStream());
            return ExitStatus.errorConstantToExitStatus(tlc.process());
        """
        handles, type_ = self.handles, self.type
        public = handles.publicLookup()
        tlc, resolver = self._class(loader, "tlc2.TLC"), self._class(loader, "util.FilenameToStream")
        new = public.findConstructor(tlc, type_(self.void))
        parse = public.findVirtual(tlc, "handleParameters", type_(self.boolean, self.strings))
        set_resolver = public.findVirtual(tlc, "setResolver", type_(self.void, resolver))
        process = public.findVirtual(tlc, "process", type_(self.int))
        usual = public.findConstructor(self._class(loader, "util.SimpleFilenameToStream"), type_(self.void))
        to_status = public.findStatic(
            self._class(loader, "tlc2.output.EC$ExitStatus"), "errorConstantToExitStatus", type_(self.int, self.int)
        )
        resolved = handles.collectArguments(set_resolver, 1, usual.asType(type_(resolver)))
        checked = handles.filterReturnValue(handles.foldArguments(process, resolved), to_status)
        refused = handles.constant(self.int, self.java.JInt(1))
        whole = handles.guardWithTest(
            parse,
            handles.dropArguments(checked, 1, self.strings),
            handles.dropArguments(refused, 0, tlc, self.strings),
        )
        return handles.collectArguments(whole, 0, new)


if __name__ == "__main__":
    main(*sys.argv[1:])
