"""From a system to a TLA+ module and its TLC configuration (progress note, "State and steps")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from scopec.program import ir
from scopec.progress.steps import Asleep, Undefined
from scopec.templates import render
from scopec.tla import named_barriers, promises
from scopec.tla.actions import Actions
from scopec.tla.layout import Layout
from scopec.tla.names import Names, function, strings
from scopec.tla.values import HELPERS

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.progress.steps import Machine, Step
    from scopec.progress.system import System


@dataclass(frozen=True)
class Module:
    """A generated module, its configuration, and the names under which TLC reports threads and objects."""

    name: str
    tla: str
    cfg: str
    names: Names


def emit(system: System, module: str, header: Sequence[str], property_: Property) -> Module:
    """The module that asks one property of a system.

    ``Progress`` wants a system whose polls are split, so that each turn of a poll is a step.
    """
    layout = Layout(system)
    context, _ = context_of(system, layout, module, header)
    silent = sorted(system.silent_cycles)
    context |= {
        "model": system.model,
        "readings": system.readings,
        "fast_check": property_ == "Termination" and system.model.has_host,
        **promises.context(system),
        "api_labels": strings(system.api_labels),
        "not_ready_labels": strings(system.not_ready_labels) if system.not_ready_labels else "",
        "undefined_labels": strings(system.undefined_labels) if system.undefined_labels else "",
        "silent_labels": strings(silent) if silent else "",
        "silent_threads": strings(
            layout.names.thread(t) for t in system.everyone if set(silent) & set(system.machine_of(t).steps)
        ),
        "counting_labels": strings(label for label, s in system.steps.items() if s.counts)
        if property_ == "Progress"
        else "",
    }
    tla = render("tla/progress.tla.j2", context)
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


def context_of(system: System, layout: Layout, module: str, header: Sequence[str]) -> tuple[dict[str, Any], Actions]:
    """What the templates need to print the state and the steps of a system."""
    names, actions = layout.names, Actions(system, layout)
    processes = _processes(system, actions, names)
    widest = max(len(v.name) for v in layout.variables)
    steps = {kind: [p["name"] for p in processes if p["kind"] == kind] for kind in ("host", "kernel", "task")}
    copies = [t for t in system.tasks if t.work is ir.Work.COPY]
    functions = [t for t in system.tasks if t.work is ir.Work.HOST_FUNCTION]
    context: dict[str, Any] = {
        "module": module,
        "header": header,
        "hardware": layout.hardware,
        "hosts": _threads(system.hosts, names),
        "device_threads": _threads(system.threads, names),
        "tasks": _threads(system.tasks, names),
        "functions": _threads(functions, names),
        "copies": _threads(copies, names),
        "created": bool(system.created),
        "grids": bool(system.grids),
        "issues": layout.issues,
        "events": bool(layout.streams.events),
        "waits": layout.issues or any(system.before.values()),
        "barrier_kinds": layout.barriers.kinds,
        "named_barriers": named_barriers.definitions(system, names),
        "sleepers": bool(layout.sleepers.beds),
        "maps": _maps(system, layout, actions),
        "variables": [{"pad": " " * (widest - len(v.name)), **asdict(v)} for v in layout.variables],
        "begin": layout.begin(),
        "ordered": _ordered(system, names),
        "late": strings(system.late_entries) if system.late_entries else "",
        "merged": bool(actions.entries),
        "helpers": [text for name, text in HELPERS.items() if name in actions.helpers],
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
        taken = [s for s in machine.steps.values() if not _sleeps(s, machine)]
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


def _sleeps(step: Step, machine: Machine) -> bool:
    """Whether only other threads' steps move a thread on from a label, or nothing does."""
    sleeps = isinstance(step.operation, Asleep) and f"{step.label}_again" not in machine.steps
    return sleeps or isinstance(step.operation, Undefined)


def _maps(system: System, layout: Layout, actions: Actions) -> list[dict[str, str]]:
    names, threads, started = layout.names, system.threads, (*system.threads, *system.tasks)
    maps: list[tuple[str, str]] = []
    if started:
        maps.append(("Entry", function((names.thread(t), f'"{system.begin(t).label}"') for t in started)))
    if started and system.grids:
        maps.append(("GridOf", function((names.thread(t), f'"{names.of(t.grid or "")}"') for t in started)))
    if threads:
        by_block = layout.barriers.collective or layout.shared & layout.accessed or named_barriers.is_used(system)
        if system.model.has_host or by_block:
            maps.append(("BlockOf", function((names.thread(t), f'"{names.block(t)}"') for t in threads)))
        if system.model.has_host:
            maps.append(("UnitOf", _units(system, names)))
        else:
            maps.append(("Number", function((names.thread(t), str(n)) for n, t in enumerate(threads))))
    for name in sorted(actions.builtins):
        values = ((names.thread(t), str((t.builtins or {})[name])) for t in started)
        maps.append((name.replace(".", "_"), function(values)))
    if layout.per_device & layout.accessed:
        maps.append(("DeviceOf", function((names.thread(t), str(t.device)) for t in started)))
    if any(system.before.values()):
        waits = ((names.of(g), strings(map(names.of, fs))) for g, fs in system.before.items())
        maps.append(("Before", function(waits)))
    maps += [*layout.maps(), *layout.barriers.maps(), *layout.streams.maps(), *layout.sleepers.maps()]
    maps.append(("Labels", strings(["idle", "done", *system.steps])))
    width = max(len(name) for name, _ in maps)
    return [{"name": name.ljust(width), "body": body} for name, body in maps]


def _units(system: System, names: Names) -> str:
    units = system.unit_of
    if all(units[t.name] == t.block_name for t in system.threads):
        return "BlockOf      \\* neither clusters nor cooperative: each block is a unit"
    return function((names.thread(t), f'"{names.of(units[t.name])}"') for t in system.threads)


def _ordered(system: System, names: Names) -> str:
    pairs = [(f, g) for f in system.grids for g in system.grids if f != g and system.ordered(f, g)]
    if not pairs:
        return " FALSE"
    listed = ", ".join(f'<<"{names.of(f)}", "{names.of(g)}">>' for f, g in pairs)
    return f" <<f, g>> \\in {{{listed}}}"
