"""From a system to a TLA+ module and its TLC configuration (progress note, "State and steps")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass
from scopec.base.templates import render
from scopec.engines.tla import laws, promises
from scopec.engines.tla.actions import Actions
from scopec.engines.tla.layout import Layout
from scopec.engines.tla.names import Names, function, strings
from scopec.engines.tla.text import fitted
from scopec.engines.tla.values import HELPERS, LAWS_MODULE
from scopec.program import ir
from scopec.progress.rules import LAWS, fairness
from scopec.progress.rules.sleeping import DUE
from scopec.progress.transition import Definition, Laws

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.progress.system import System


@dataclass(frozen=True)
class Module:
    """A generated module, its configuration, and the names under which TLC reports threads and objects."""

    name: str
    tla: str
    cfg: str
    names: Names

    @property
    def files(self) -> dict[str, str]:
        """The module and its configuration, by file name."""
        return {f"{self.name}.tla": self.tla, f"{self.name}.cfg": self.cfg}


def emit(
    system: System, module: str, header: Sequence[str], property_: Property, *, self_contained: bool = True
) -> Module:
    """The module that asks one property of a system: self-contained, or an extension of that of the laws.

    ``Progress`` wants a system whose polls are split, so that each turn of a poll is a step.
    """
    layout = Layout(system)
    context, _ = context_of(system, layout, module, header, self_contained=self_contained)
    silent = sorted(system.silent_cycles)
    context |= {
        "model": system.model,
        "fast_check": property_ == "Termination" and system.model.has_host,
        **promises.context(system, layout.terms, context["functions"]),
        "undefined_labels": strings(system.undefined_labels) if system.undefined_labels else "",
        "silent_labels": strings(silent) if silent else "",
        "silent_threads": strings(
            layout.names.thread(t) for t in system.everyone if set(silent) & set(system.machine_of(t).steps)
        ),
        "counting_labels": strings(label for label, s in system.steps.items() if s.counts)
        if property_ == "Progress"
        else "",
    }
    tla = fitted(render("tla/progress.tla.j2", context))
    cfg = render(
        "tla/progress.cfg.j2",
        {
            "header": header[0],
            "property": property_,
            "fast_check": context["fast_check"],
            "undefined_labels": context["undefined_labels"],
        },
    )
    return Module(module, tla, cfg, layout.names)


def context_of(
    system: System, layout: Layout, module: str, header: Sequence[str], *, self_contained: bool = True
) -> tuple[dict[str, Any], Actions]:
    """The context of the templates that print the state and the steps of a system."""
    names, actions = layout.names, Actions(system, layout)
    processes = _processes(system, actions, names)
    widest = max(len(v.name) for v in layout.variables)
    steps = {kind: [p["name"] for p in processes if p["kind"] == kind] for kind in ("host", "kernel", "task")}
    copies = [t for t in system.tasks if t.work is ir.Work.COPY]
    functions = [t for t in system.tasks if t.work is ir.Work.HOST_FUNCTION]
    context: dict[str, Any] = {
        "module": module,
        "header": header,
        "extends": "" if self_contained else LAWS_MODULE,
        "hardware": layout.hardware,
        "hosts": _threads(system.hosts, names),
        "device_threads": _threads(system.threads, names),
        "tasks": _threads(system.tasks, names),
        "functions": _threads(functions, names),
        "copies": _threads(copies, names),
        "stated": _stated(layout, self_contained=self_contained),
        "waits": layout.rules.starting,
        "may_start": "".join(f" /\\ {condition}(t)" for condition in layout.rules.starting),
        "sleepers": DUE in layout.rules.tables,
        "maps": _maps(system, layout, actions),
        "variables": [{"pad": " " * (widest - len(v.name)), **asdict(v)} for v in layout.variables],
        "begin": layout.begin(),
        "late": strings(system.late_entries) if system.late_entries else "",
        "merged": bool(actions.entries),
        "helpers": [text for name, text in HELPERS.items() if self_contained and name in actions.helpers],
        "processes": processes,
        "host_step": _either(steps["host"]),
        "device_step": _either([*steps["kernel"], *(["Begin"] if system.late_entries else [])]),
        "task_step": _either([*steps["task"], *(["Begin"] if system.late_entries else [])]),
        "step_of": _step_of(system),
    }
    return context, actions


def _threads(threads: Sequence[ir.Thread], names: Names) -> str:
    return strings(names.thread(t) for t in threads) if threads else ""


def _either(actions: Sequence[str]) -> str:
    return " \\/ ".join(f"{name}(t)" for name in actions) or "FALSE"


def _step_of(system: System) -> str:
    """The step of a thread, whatever it is."""
    kinds = [("HostThreads", "Host", system.hosts), ("Tasks", "TaskStep", system.tasks)]
    *others, last = [(set_, step) for set_, step, threads in kinds if threads] + (
        [("DeviceThreads", "DevStep")] if system.threads else []
    )
    return "".join(f"IF t \\in {set_} THEN {step}(t) ELSE " for set_, step in others) + f"{last[1]}(t)"


def _processes(system: System, actions: Actions, names: Names) -> list[dict[str, Any]]:
    hosts, tasks = {t.name for t in system.hosts}, {t.grid for t in system.tasks}
    out = []
    for name, machine in system.machines.items():
        kind = "host" if name in hosts else "task" if name in tasks else "kernel"
        taken = [s for s in machine.steps.values() if not s.sleeps]
        if not taken:
            continue
        choices = [found for s in taken if (found := actions.chosen(s)) is not None]
        title = {"host": "host", "task": "task", "kernel": "kernel" if name in system.grids else "thread"}[kind]
        out.append(
            {
                "title": f"{title} {name}",
                "name": f"{names.of(name)}_step",
                "kind": kind,
                "actions": [*map(actions.action, taken), *choices],
                "steps": [s.label for s in taken],
                "choices": [found.name for found in choices],
            }
        )
    return out


def _owes_by_model(layout: Layout) -> bool:
    """Whether a module asks what the CUDA execution model promises."""
    return layout.system.model.has_host and layout.hardware is None


def _stated(layout: Layout, *, self_contained: bool) -> list[str]:
    """The definitions of a system and its laws; on the example hardware a grid has ended when its writes are global."""
    lines: list[str] = []
    for found in layout.rules.stated:
        match found:
            case Laws() if layout.hardware and found in fairness.MODELS.values():
                pass
            case Laws() if self_contained or found not in LAWS:
                for each in (*found.bases, found):
                    lines += laws.lines(each, hardware=layout.hardware is not None)
            case Laws(name):
                lines += [f"INSTANCE {name}"] if name else []
            case Definition():
                lines += layout.terms.definition(found)
    return lines


def _maps(system: System, layout: Layout, actions: Actions) -> list[dict[str, str]]:
    names, started, rules = layout.names, (*system.threads, *system.tasks), layout.rules
    tables = {name: layout.terms.table(table) for name, table in rules.tables.items()}
    maps = [*_threads_of(layout)]

    def show(*wanted: str) -> None:
        maps.extend((name, tables.pop(name)) for name in wanted if name in tables)

    if started:
        maps.append(("Entry", function((names.thread(t), f'"{system.begin(t).label}"') for t in started)))
    show("GridOf")
    units = tables.pop("UnitOf")
    if system.threads:
        named = {"arrived", "tokens"} & {variable.name for variable in rules.variables}
        if system.model.has_host or named or layout.shared & layout.accessed:
            show("BlockOf")
        if system.model.has_host:
            maps.append(("UnitOf", _units(system, units)))
        else:
            show("Number")
    for name in sorted(actions.builtins):
        values = ((names.thread(t), str((t.builtins or {})[name])) for t in started)
        maps.append((name.replace(".", "_"), function(values)))
    if layout.per_device & layout.accessed or system.places_of_devices:
        show("DeviceOf")
    show("Before")
    maps += layout.maps()
    show(*(name for name in tables if name not in ("BlockOf", "Number", "DeviceOf")))
    maps.append(("Labels", strings(["idle", "done", *system.steps])))
    if _owes_by_model(layout):
        maps += [(name, strings(map(names.id, rules.sets[name]))) for name in ("ApiLabels", "NotReadyLabels")]
        maps += [] if system.threads else [("UnitOf", "<<>>")]
    width = max(len(name) for name, _ in maps)
    return [{"name": name.ljust(width), "body": body} for name, body in maps]


def _threads_of(layout: Layout) -> Iterator[tuple[str, str]]:
    """The sets of threads, of each kind that there is; promises are about device threads, be there any or none."""
    comments = {
        "HostThreads": "",
        "DeviceThreads": "",
        "Tasks": "      \\* what streams execute without device threads",
    }
    sets = {kind: strings(map(layout.names.id, layout.rules.sets[kind])) for kind in comments}
    for kind, comment in comments.items():
        if sets[kind] != "{}" or (kind == "DeviceThreads" and _owes_by_model(layout)):
            yield kind, sets[kind] + comment
    yield "Threads", " \\cup ".join(kind for kind in sets if sets[kind] != "{}")


def _units(system: System, units: str) -> str:
    named = system.unit_before or system.places is not None  # by other tables, too
    if not named and all(system.unit_of[t.name] == t.block_name for t in system.threads):
        return "BlockOf      \\* neither clusters nor cooperative: each block is a unit"
    return units
