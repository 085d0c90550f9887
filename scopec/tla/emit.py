"""From a system to a TLA+ module and its TLC configuration (progress note, "State and steps")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from scopec.memory.events import identifier
from scopec.progress.steps import leaves
from scopec.templates import render
from scopec.tla.actions import Actions
from scopec.tla.layout import Layout
from scopec.tla.names import block_name, function, strings, thread_name
from scopec.tla.values import HELPERS

if TYPE_CHECKING:
    from scopec.progress.system import System

Property = Literal["Termination", "Progress"]


@dataclass(frozen=True)
class Module:
    """A generated module, its configuration, and the names under which TLC reports threads and objects."""

    name: str
    tla: str
    cfg: str
    threads: Mapping[str, str]
    registers: Mapping[str, str]


def emit(system: System, module: str, header: Sequence[str], property_: Property) -> Module:
    """The module that asks one property of a system.

    ``Progress`` wants a system whose polls are split, so that each turn of a poll is a step.
    """
    layout = Layout(system)
    actions = Actions(system, layout)
    processes = _processes(system, actions)
    silent = sorted(silent_cycles(system))
    widest = max(len(name) for name, _ in layout.variables)
    context: dict[str, Any] = {
        "module": module,
        "header": header,
        "model": system.model,
        "hosts": strings(thread_name(t) for t in system.hosts) if system.hosts else "",
        "device_threads": strings(thread_name(t) for t in system.threads) if system.threads else "",
        "grids": bool(system.grids),
        "issues": layout.issues,
        "barriers": layout.barriers,
        "fast_check": property_ == "Termination" and system.model.has_host,
        "maps": _maps(system, layout, actions),
        "variables": [{"name": n, "comment": c, "pad": " " * (widest - len(n))} for n, c in layout.variables],
        "unchanged": layout.unchanged(set()),
        "type_ok": layout.types(),
        "init": layout.first_values(),
        "ordered": _ordered(system),
        "late": strings(system.late_entries) if system.late_entries else "",
        "merged": bool(actions.entries),
        "helpers": [text for name, text in HELPERS.items() if name in actions.helpers],
        "processes": processes,
        "waits": layout.issues or any(system.before.values()),
        "first_labels": _first_labels(system),
        "host_step": " \\/ ".join(f"{p['name']}(t)" for p in processes if p["host"]) or "FALSE",
        "device_step": " \\/ ".join(
            [*(f"{p['name']}(t)" for p in processes if not p["host"]), *(["Begin(t)"] if system.late_entries else [])]
        ),
        "api_labels": strings(system.api_labels),
        "not_ready_labels": strings(system.not_ready_labels) if system.not_ready_labels else "",
        "silent_labels": strings(silent) if silent else "",
        "silent_threads": strings(
            thread_name(t) for t in system.everyone if set(silent) & set(system.machine_of(t).steps)
        ),
        "counting_labels": strings(label for label, s in system.steps.items() if s.counts)
        if property_ == "Progress"
        else "",
    }
    tla = render("tla/progress.tla.j2", context)
    context = {"header": header[0], "property": property_, "fast_check": context["fast_check"]}
    cfg = render("tla/progress.cfg.j2", context)
    threads = {thread_name(t): t.name for t in system.everyone}
    return Module(module, tla, cfg, threads, layout.registers)


def _first_labels(system: System) -> str:
    if not system.hosts:
        return '[t \\in Threads |-> "idle"]'
    hosts = function((thread_name(t), f'"{system.begin(t).label}"') for t in system.hosts)
    return f'{hosts} @@ [t \\in DeviceThreads |-> "idle"]' if system.threads else hosts


def _processes(system: System, actions: Actions) -> list[dict[str, Any]]:
    hosts = {t.name for t in system.hosts}
    out = []
    for name, machine in system.machines.items():
        if not machine.steps:
            continue
        kind = "host" if name in hosts else "kernel" if name in system.grids else "thread"
        out.append(
            {
                "title": name if name == kind else f"{kind} {name}",
                "name": f"{identifier(name)}_step",
                "host": name in hosts,
                "actions": [actions.action(step) for step in machine.steps.values()],
                "steps": list(machine.steps),
            }
        )
    return out


def _maps(system: System, layout: Layout, actions: Actions) -> list[dict[str, str]]:
    threads = system.threads
    maps: list[tuple[str, str]] = []
    if threads:
        maps.append(("Entry", function((thread_name(t), f'"{system.begin(t).label}"') for t in threads)))
        if system.grids:
            maps.append(("GridOf", function((thread_name(t), f'"{identifier(t.grid or "")}"') for t in threads)))
        if system.model.has_host or layout.barriers or layout.shared & layout.accessed:
            maps.append(("BlockOf", function((thread_name(t), f'"{block_name(t)}"') for t in threads)))
        if system.model.has_host:
            maps.append(("UnitOf", _units(system)))
        else:
            maps.append(("Number", function((thread_name(t), str(n)) for n, t in enumerate(threads))))
        for name in sorted(actions.builtins):
            values = ((thread_name(t), str((t.builtins or {})[name])) for t in threads)
            maps.append((name.replace(".", "_"), function(values)))
        if layout.per_device & layout.accessed:
            maps.append(("DeviceOf", function((thread_name(t), str(t.device)) for t in threads)))
        if layout.barriers:
            maps.append(("Blocks", strings(dict.fromkeys(block_name(t) for t in threads))))
        if any(system.before.values()):
            waits = ((identifier(g), strings(map(identifier, fs))) for g, fs in system.before.items())
            maps.append(("Before", function(waits)))
    maps.append(("Labels", strings(["idle", "done", *system.steps])))
    width = max(len(name) for name, _ in maps)
    return [{"name": name.ljust(width), "body": body} for name, body in maps]


def _units(system: System) -> str:
    units = system.unit_of
    if all(units[t.name] == t.block_name for t in system.threads):
        return "BlockOf      \\* no cluster is launched: each block is one"
    return function((thread_name(t), f'"{identifier(units[t.name])}"') for t in system.threads)


def _ordered(system: System) -> str:
    pairs = [(f, g) for f in system.grids for g in system.grids if f != g and system.ordered(f, g)]
    if not pairs:
        return " FALSE"
    listed = ", ".join(f'<<"{identifier(f)}", "{identifier(g)}">>' for f, g in pairs)
    return f" <<f, g>> \\in {{{listed}}}"


def silent_cycles(system: System) -> set[str]:
    """Labels of steps that do not count and lie on a cycle of such steps: where a thread can be silent for ever."""
    silent = set(system.silent_labels)
    after = {label: {end.label for end in leaves(system.steps[label].tree)} & silent for label in silent}
    found = set()
    for start in silent:
        seen: set[str] = set()
        work = list(after[start])
        while work:
            label = work.pop()
            if label not in seen:
                seen.add(label)
                work.extend(after[label])
        if start in seen:
            found.add(start)
    return found
