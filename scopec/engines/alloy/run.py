"""Runs Alloy's command line on a generated specification and reads its answers."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import EngineError
from scopec.base.records import dataclass
from scopec.engines.alloy.values import choice_field, value_of
from scopec.engines.java.processes import failure
from scopec.engines.java.workers import Question
from scopec.memory.choice import Choice

if TYPE_CHECKING:
    from scopec.engines.java.jars import Jar
    from scopec.engines.java.workers import Workers
    from scopec.memory.events.events import EventGraph

SOLVER = "sat4j"
_DRIVER = Path(__file__).with_name("in_jvm.py")


@dataclass(frozen=True)
class Answers:
    """For each command the instance that was found, as XML, or None where none exists; and the wall time in seconds.

    ``late`` is whether the time limit came first: those commands are left out that it came before.
    """

    instances: Mapping[str, str | None]
    seconds: float
    late: bool


def run(jar: Jar, specification: Path, workers: Workers, folder: Path, seconds: float | None) -> Answers:
    """Execute every command of a specification; EngineError where Alloy gives no answer."""
    out = folder / f"{specification.stem}.alloy-out"
    shutil.rmtree(out, ignore_errors=True)  # of a question with a lower bound
    finished = workers.run(question(jar, specification, out), folder, seconds)
    receipt, late = out / "receipt.json", finished.status is None
    if not receipt.is_file():
        if late:
            return Answers({}, finished.seconds, late)
        raise failure(finished, "Alloy")
    try:
        commands = json.loads(receipt.read_text(encoding="utf-8"))["commands"]
        instances = {
            name: (out / f"{name}-solution-0.xml").read_text(encoding="utf-8") if "solution" in command else None
            for name, command in commands.items()
        }
    except (OSError, ValueError, KeyError) as bad:
        raise EngineError(f"Alloy's answer cannot be read: {bad!r}") from bad
    return Answers(instances, finished.seconds, late)


def choices(instances: Mapping[str, str | None], graph: EventGraph) -> dict[str, Choice | None]:
    """The choices in the instances of a graph's questions; EngineError if one cannot be read."""
    try:
        return {name: None if text is None else read_instance(text, graph) for name, text in instances.items()}
    except (ValueError, KeyError, ET.ParseError) as bad:
        raise EngineError(f"Alloy's answer cannot be read: {bad!r}") from bad


def solutions(
    jar: Jar,
    specification: Path,
    graph: EventGraph,
    workers: Workers,
    folder: Path,
    command: str,
    most: int,
    seconds: float | None,
) -> list[Choice] | None:
    """At most ``most`` solutions of one command, None at the time limit; EngineError where Alloy gives no answer.

    Alloy distinguishes solutions by every field, those that have no effect included.
    """
    out = folder / "alloy-solutions"
    finished = workers.run(question(jar, specification, out, command, most), folder, seconds)
    if finished.status is None:
        return None
    if not (out / "receipt.json").is_file():
        raise failure(finished, "Alloy")
    try:
        files = sorted(out.glob(f"{command}-solution-*.xml"))
        return [read_instance(path.read_text(encoding="utf-8"), graph) for path in files]
    except (OSError, ValueError, KeyError, ET.ParseError) as bad:
        raise EngineError(f"Alloy's answer cannot be read: {bad!r}") from bad


def question(jar: Jar, specification: Path, out: Path, command: str = "*", most: int = 1) -> Question:
    """Write ``most`` solutions of a command (of all commands) into ``out``; 0 means every solution there is."""
    path = str(jar.path.resolve())
    request = {
        "driver": str(_DRIVER),
        "jar": path,
        "file": str(specification.resolve()),
        "out": str(out.resolve()),
        "command": command,
        "most": most,
        "solver": SOLVER,
    }
    repeat = [] if most == 1 else ["-r", str(most)]
    arguments = ["-jar", path, "exec", "-f", "-q", "-s", SOLVER, "-t", "xml", *repeat, "-o", str(out), "-c", command]
    return Question(jar.pinned.title, request, [*arguments, str(specification)])


def read_instance(text: str, graph: EventGraph) -> Choice:
    """The choices of an instance in Alloy's XML; KeyError or ParseError if it is not one of the graph's.

    Functions are not exported, only fields: rf_, co_, wv_ and the choices.  ``co`` is rebuilt from its free part: the
    initial write first, then one of the two orders of each pair of writes; a partial one has a field of its own.
    """
    fields = _fields(ET.fromstring(text))
    names = {event.id for event in graph.events}
    rf = {(_event(a, names), _event(b, names)) for a, b in fields["rf_"]}
    written = {_event(a, names): value_of(_plain(b)) for a, b in fields.get("wv_", ())}
    partial = "partial_co_" in fields
    forward = {(_event(a, names), _event(b, names)) for a, b in fields["partial_co_" if partial else "co_"]}
    co: set[tuple[str, str]] = forward if partial else set()
    for location in graph.locations:
        initial, *rest = [e.id for e in graph.accesses(location) if e.writes]
        co |= {(initial, other) for other in rest}
        for i, first in enumerate(rest):
            for second in () if partial else rest[i + 1 :]:
                co.add((first, second) if (first, second) in forward else (second, first))
    choices = {}
    for name, choice in graph.choices.items():
        ((_, atom),) = fields[choice_field(choice)]
        choices[name] = value_of(_plain(atom))
    fences = frozenset((_event(a, names), _event(b, names)) for a, b in fields.get("sync_fence_", ()))
    last = {}
    for location in graph.locations:
        field = f"last_{graph.location_names[location]}"
        for _, write in fields.get(field, ()):
            last[location] = _event(write, names)
    orders: list[frozenset[tuple[str, str]]] = []
    while (field := f"order_{len(orders)}_") in fields:
        orders.append(frozenset((_event(a, names), _event(b, names)) for a, b in fields[field]))
    return Choice(frozenset(rf), frozenset(co), choices, written, fences, last, tuple(orders))


def _fields(root: ET.Element) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for field in root.iter("field"):
        rows = []
        for row in field.iter("tuple"):
            first, second = (atom.attrib["label"] for atom in row.iter("atom"))
            rows.append((first, second))
        found[field.attrib["label"]] = rows
    return found


def _plain(label: str) -> str:
    return label.rpartition("$")[0]


def _event(label: str, names: set[str]) -> str:
    name = _plain(label)
    if name not in names:
        raise KeyError(f"unknown event {label}")
    return name
