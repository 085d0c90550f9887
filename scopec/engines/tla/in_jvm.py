"""TLC in a virtual machine that lives on: what a worker (``jvm.py``) runs; nothing of scopec is imported here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Driver:
    """The work of ``java tlc2.TLC ARGUMENTS`` in a process of its own.

    TLC keeps its state in static fields, so it is loaded afresh for each question.  Python must never hold an object of
    one of its classes: JPype would keep the class, and with it everything that the question left, for ever.  So the run
    is put together from method handles, of which only the exit status comes back.
    """

    def __init__(self, jpype: Any, loader: Callable[[], Any]) -> None:
        self.loader = loader
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
        self.open = loader()  # holds the jar open, so that its index is read once
        self.open.getResource("tlc2/TLC.class").openStream().close()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run TLC with ``arguments`` in ``folder``; what it prints goes to the file ``out``."""
        stream = self.java.JClass("java.io.FileOutputStream")(request["out"])
        buffered = self.java.JClass("java.io.BufferedOutputStream")(stream)
        printer = self.java.JClass("java.io.PrintStream")(buffered, True)
        before = self.system.out
        loader = self.loader()
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

    def survives(self, failure: Any) -> bool:  # noqa: ARG002
        """Whether it can go on after a Java exception: it has exit statuses for what it reports."""
        return False

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
