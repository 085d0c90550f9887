"""Alloy in a virtual machine that lives on: what a worker (``jvm.py``) runs; nothing of scopec is imported here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _note(commands: dict[str, Any], out: Path) -> None:
    """Write down what is answered so far, whole at any moment: the rest may take too long."""
    written = out / "receipt.json.new"
    written.write_text(json.dumps({"commands": commands}), encoding="utf-8")
    written.replace(out / "receipt.json")


class Driver:
    """The work of ``alloy exec -s SOLVER -t xml -o OUT -c '*' FILE``, without its command line."""

    def __init__(self, jpype: Any, make_loader: Callable[[], Any]) -> None:
        loader = make_loader()
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
            _note(commands, out)
            if int(command.expects) not in (-1, min(found, 1)):
                surprises.append(name)
        _note(commands, out)
        said = f"not as expected: {', '.join(surprises)}" if surprises else ""
        return {"status": int(bool(surprises)), "stderr": said}

    def survives(self, failure: Any) -> bool:
        """Whether a Java exception is the way to report an error in the input, after which it can go on."""
        return "edu.mit.csail.sdg.alloy4.Err" in str(type(failure).__mro__)

    def _options(self, request: dict[str, Any]) -> Any:
        options = self.options()
        options.originalFilename = request["file"]
        if str(options.solver.id()) != request["solver"]:
            options.solver = self.solvers.find(request["solver"]).get()
        return options
