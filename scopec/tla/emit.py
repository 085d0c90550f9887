"""From a system to a TLA+ module and its TLC configuration (progress note, "State and steps")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from scopec.memory.events import identifier
from scopec.program import ir
from scopec.program.types import IntType
from scopec.program.values import Builtin, Choose, Reg, Value
from scopec.progress.steps import Either, Fork, Goto, Step, Tree, Wait, leaves
from scopec.templates import render
from scopec.tla.values import HELPERS, Printer, tla_name

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


def thread_name(thread: ir.Thread) -> str:
    """The name of a thread in the module: ``main``, or ``mp_b1_t0`` for ``mp[1][0]``."""
    if thread.grid is None:
        return thread.name
    return f"{identifier(thread.grid)}_b{thread.block}_t{thread.lane}"


def emit(system: System, module: str, header: Sequence[str], property_: Property) -> Module:
    """The module that asks one property of a system.

    ``Progress`` wants a system whose polls are split, so that each turn of a poll is a step.
    """
    return _Emitter(system, module, header, property_).module()


class _Emitter:
    def __init__(self, system: System, module: str, header: Sequence[str], property_: Property) -> None:
        self.system = system
        self.program = system.program
        self.name = module
        self.header = header
        self.property = property_
        self.helpers: set[str] = set()
        self.device = bool(system.threads)
        self.shared = {o.name for o in self.program.objects.values() if o.storage is ir.Storage.SHARED}
        several = any(t.device for t in system.threads)
        self.per_device = {o.name for o in self.program.objects.values() if several and o.storage is ir.Storage.DEVICE}
        self.automatic = {o.name for o in self.program.objects.values() if o.storage is ir.Storage.AUTOMATIC}
        self.accessed = self._accessed()
        self.barriers = any(isinstance(s.operation, Wait) for s in system.steps.values())
        self.builtins: set[str] = set()

    def module(self) -> Module:
        processes = self._processes()
        variables = self._variables()
        silent = sorted(_silent_cycles(self.system))
        threads = {thread_name(t): t.name for t in self.system.everyone}
        host_entry = self.system.host.entry
        assert isinstance(host_entry, Goto)
        context: dict[str, Any] = {
            "module": self.name,
            "header": self.header,
            "device": self.device,
            "barriers": self.barriers,
            "device_threads": _strings(thread_name(t) for t in self.system.threads),
            "maps": self._maps(),
            "variables": variables,
            "type_ok": self._type_ok(),
            "host_entry": host_entry.label,
            "init": self._init(host_entry),
            "ordered": self._ordered(),
            "helpers": [text for name, text in HELPERS.items() if name in self.helpers],
            "processes": processes,
            "starts": " \\/ ".join(f"{identifier(g)}_start(t)" for g in self.system.grids) or "FALSE",
            "device_steps": "".join(f" \\/ {identifier(g)}_step(t)" for g in self.system.grids if self._has_steps(g)),
            "api_labels": _strings(self.system.api_labels),
            "not_ready_labels": _strings(self.system.not_ready_labels) if self.system.not_ready_labels else "",
            "silent_labels": _strings(silent) if silent else "",
            "silent_threads": _strings(
                thread_name(t) for t in self.system.everyone if set(silent) & set(self.system.machine_of(t).steps)
            ),
            "counting_labels": _strings(label for label, s in self.system.steps.items() if s.counts)
            if self.property == "Progress"
            else "",
        }
        tla = render("tla/progress.tla.j2", context)
        cfg = render("tla/progress.cfg.j2", {"header": self.header[0], "property": self.property})
        return Module(self.name, tla, cfg, threads, self._register_names())

    # ---- what there is

    def _accessed(self) -> set[str]:
        found = set()
        for step in self.system.steps.values():
            match step.operation:
                case (
                    ir.Load(place=place) | ir.Store(place=place) | ir.Rmw(place=place) | ir.CompareExchange(place=place)
                ):
                    found.add(place.object)
                case _:
                    pass
        return found

    def _memory(self) -> list[ir.Object]:
        return [o for o in self.program.objects.values() if o.name in self.accessed - self.automatic]

    def _has_steps(self, grid: str) -> bool:
        return bool(self.system.grids[grid].steps)

    def _locals(self, thread: ir.Thread) -> dict[str, str]:
        """The fields of a thread's record in ``reg`` with their initial values."""
        fields = {self._field(r): "0" for r in self.system.machine_of(thread).registers}
        for name in sorted(self.accessed & self.automatic):
            if name.startswith(f"{thread.grid or 'main'}."):
                fields[self._field(name)] = self._initial(self.program.objects[name])
        return fields

    @staticmethod
    def _field(name: str) -> str:
        return tla_name(f"tmp{name[1:]}" if name.startswith("%") else identifier(name))

    def _register_names(self) -> dict[str, str]:
        names = {r for t in self.system.everyone for r in self.system.machine_of(t).registers}
        return {self._field(r): r for r in names} | {self._field(o): o for o in self.automatic}

    def _has_locals(self) -> bool:
        return any(self._locals(t) for t in self.system.everyone)

    def _variables(self) -> list[dict[str, str]]:
        rows = [("pc", "label of each thread")]
        if self._memory():
            rows.append(("mem", "objects in memory, sequentially consistent"))
        if self._has_locals():
            rows.append(("reg", "registers and automatic objects of each thread"))
        if self.device:
            rows.append(("issued", "grids in the order in which the host launched them"))
        if self.barriers:
            rows.append(("arrived", "threads of each block that wait at __syncthreads"))
        width = max(len(name) for name, _ in rows)
        return [{"name": n, "comment": c, "pad": " " * (width - len(n))} for n, c in rows]

    def _maps(self) -> list[dict[str, str]]:
        threads = self.system.threads
        maps = []
        if self.device:
            maps = [
                ("GridOf", _function((thread_name(t), f'"{identifier(t.grid or "")}"') for t in threads)),
                ("BlockOf", _function((thread_name(t), f'"{self._block(t)}"') for t in threads)),
            ]
            units = self.system.unit_of
            if all(units[t.name] == t.block_name for t in threads):
                maps.append(("UnitOf", "BlockOf      \\* no cluster is launched: each block is one"))
            else:
                maps.append(("UnitOf", _function((thread_name(t), f'"{identifier(units[t.name])}"') for t in threads)))
            for name in sorted(self.builtins):
                values = ((thread_name(t), str((t.builtins or {})[name])) for t in threads)
                maps.append((name.replace(".", "_"), _function(values)))
            if self.per_device & self.accessed:
                maps.append(("DeviceOf", _function((thread_name(t), str(t.device)) for t in threads)))
            if self.barriers:
                maps.append(("Blocks", _strings(dict.fromkeys(self._block(t) for t in threads))))
        labels = ["idle", "done", *self.system.steps]
        maps.append(("Labels", _strings(labels)))
        width = max(len(name) for name, _ in maps)
        return [{"name": name.ljust(width), "body": body} for name, body in maps]

    def _block(self, thread: ir.Thread) -> str:
        return f"{identifier(thread.grid or '')}_b{thread.block}"

    def _initial(self, object_: ir.Object) -> str:
        values = [str(v if v is not None else 0) for v in object_.values]
        if not object_.array:
            return values[0]
        if len(set(values)) == 1:
            return f"[i \\in 0..{len(values) - 1} |-> {values[0]}]"
        return "(" + " @@ ".join(f"{i} :> {v}" for i, v in enumerate(values)) + ")"

    def _init(self, host_entry: Goto) -> list[str]:
        lines = []
        fields = []
        for object_ in self._memory():
            initial = self._initial(object_)
            if object_.name in self.shared:
                blocks = dict.fromkeys(
                    self._block(t) for t in self.system.threads if object_.name.startswith(f"{t.grid}.")
                )
                initial = f"[b \\in {_strings(blocks)} |-> {initial}]"
            if object_.name in self.per_device:
                devices = ", ".join(str(d) for d in sorted({t.device for t in self.system.threads}))
                initial = f"[d \\in {{{devices}}} |-> {initial}]"
            fields.append(f"{self._memory_name(object_.name)} |-> {initial}")
        if fields:
            lines.append(f"mem = [{', '.join(fields)}]")
        if self._has_locals():
            begun = {self._field(r): v for r, v in host_entry.updates}
            rows = []
            for thread in self.system.everyone:
                fields_of = self._locals(thread)
                if thread.is_host:
                    for name, value in begun.items():
                        fields_of[name] = Printer(
                            lambda leaf: leaf.name, self.program.host.body.nodes[self.program.host.body.entry].span
                        ).value(value)
                record = ", ".join(f"{n} |-> {v}" for n, v in fields_of.items())
                rows.append((thread_name(thread), f"[{record}]" if record else "<<>>"))
            lines.append(f"reg = {_function(rows)}")
        if self.device:
            lines.append("issued = <<>>")
        if self.barriers:
            lines.append("arrived = [b \\in Blocks |-> {}]")
        return lines

    def _type_ok(self) -> list[str]:
        lines = []
        scalars = [o for o in self._memory() if not o.array and o.name not in self.shared | self.per_device]
        if scalars:
            names = ", ".join(f'"{self._memory_name(o.name)}"' for o in scalars)
            lines.append(f"\\A o \\in {{{names}}} : mem[o] \\in Int")
        if self.device:
            grids = _strings(identifier(g) for g in self.system.grids)
            lines.append(f"\\A i \\in DOMAIN issued : issued[i] \\in {grids}")
        if self.barriers:
            lines.append("\\A b \\in Blocks : arrived[b] \\subseteq ThreadsOf(b)")
        return lines

    def _ordered(self) -> str:
        pairs = [(f, g) for f in self.system.grids for g in self.system.grids if f != g and self.system.ordered(f, g)]
        if not pairs:
            return " FALSE"
        listed = ", ".join(f'<<"{identifier(f)}", "{identifier(g)}">>' for f, g in pairs)
        return f" <<f, g>> \\in {{{listed}}}"

    # ---- actions

    def _processes(self) -> list[dict[str, Any]]:
        out = []
        for grid, machine in self.system.grids.items():
            if not any(t.grid == grid for t in self.system.threads):
                continue
            name = identifier(grid)
            start = {
                "name": f"{name}_start",
                "comment": f"a thread of {grid} starts",
                "lines": [
                    '/\\ pc[t] = "idle"',
                    f'/\\ GridOf[t] = "{name}"',
                    f'/\\ CanStart("{name}")',
                    *self._way(machine.entry, None, None, set()),
                ],
            }
            actions = [start, *(self._action(step) for step in machine.steps.values())]
            steps = list(machine.steps) or [f"{name}_start"]
            out.append({"title": f"kernel {grid}", "name": f"{name}_step", "actions": actions, "steps": steps})
        actions = [self._action(step) for step in self.system.host.steps.values()]
        out.append({"title": "host", "name": "main_step", "actions": actions, "steps": list(self.system.host.steps)})
        return out

    def _action(self, step: Step) -> dict[str, Any]:
        span = step.span
        text = self.program.source.line(span.line).strip()
        comment = f"{_printable(span.file.rpartition('/')[2])}:{span.line}: {_printable(text)}"
        return {"name": step.label, "comment": comment, "lines": [f'/\\ pc[t] = "{step.label}"', *self._effect(step)]}

    def _effect(self, step: Step) -> list[str]:
        operation = step.operation
        match operation:
            case ir.LaunchGrid(grid):
                return [
                    f'/\\ issued\' = Append(issued, "{identifier(grid)}")',
                    *self._way(step.tree, step, None, {"issued"}),
                ]
            case ir.DeviceSynchronize(device):
                guard = [f"/\\ {self._all_done(g.name for g in self.program.grids.values() if g.device == device)}"]
                return [*guard, *self._way(step.tree, step, None, set())]
            case ir.StreamQuery(_, stream):
                ready, not_ready = (end.label for end in leaves(step.tree))
                done = self._stream_done(stream)
                goto = f'/\\ Goto(t, IF {done} THEN "{ready}" ELSE "{not_ready}")'
                return [goto, self._unchanged(set())]
            case ir.SyncThreads():
                arrive = "/\\ arrived' = [arrived EXCEPT ![BlockOf[t]] = @ \\cup {t}]"
                return [arrive, *self._way(step.tree, step, None, {"arrived"})]
            case Wait():
                return self._wait(step)
            case ir.Load(place=place) | ir.Store(place=place) | ir.Rmw(place=place) | ir.CompareExchange(place=place):
                return self._ways(step, place)
            case _:
                return self._ways(step, None)

    def _wait(self, step: Step) -> list[str]:
        leave = "arrived' = [arrived EXCEPT ![BlockOf[t]] = IF t \\in @ THEN {} ELSE @]"
        if not self.system.split_polls:
            return ["/\\ Released(t)", f"/\\ {leave}", *self._way(step.tree, step, None, {"arrived"})]
        go = self._way(step.tree, step, None, {"arrived"})
        again = f'/\\ Goto(t, "{step.label}_again")'
        stay = [again, self._unchanged(set())]
        return [
            "/\\ \\/ /\\ Released(t)",
            f"      /\\ {leave}",
            *(f"      {line}" for line in go),
            "   \\/ /\\ ~Released(t)",
            *(f"      {line}" for line in stay),
        ]

    def _stream_done(self, name: str) -> str:
        return self._all_done(g for g in self.system.grids if self.program.grids[g].stream.name == name)

    def _all_done(self, grids: Iterable[str]) -> str:
        """A formula: of these grids, those that have been issued are done."""
        wanted = set(grids)
        listed = [g for g in self.system.grids if g in wanted]
        if not listed or not self.device:
            return "TRUE"
        if len(listed) == len(self.system.grids):
            return "AllIssuedDone"
        names = _strings(identifier(g) for g in listed)
        return f"\\A i \\in DOMAIN issued : issued[i] \\in {names} => GridDone(issued[i])"

    def _ways(self, step: Step, place: ir.Place | None) -> list[str]:
        """The rest of an action: one way, or a disjunction where the implementation may choose."""
        ways = list(_alternatives(step.tree))
        if len(ways) == 1:
            return self._way(ways[0], step, place, set())
        lines = []
        for number, way in enumerate(ways):
            first, *rest = self._way(way, step, place, set())
            lead = "/\\ " if number == 0 else "   "
            lines.append(f"{lead}\\/ {first}")
            lines += [f"      {line}" for line in rest]
        return lines

    def _way(self, tree: Tree, step: Step | None, place: ir.Place | None, changed: set[str]) -> list[str]:
        """Conjuncts for memory, registers and control, folding the tree's conditions into each."""
        printer = Printer(lambda leaf: self._leaf(leaf, place), step.span if step else self._any_span(), self.helpers)
        ends = list(leaves(tree))
        changed = set(changed)
        lines = []
        local: dict[str, str] = {}
        if place is not None and any(end.write is not None for end in ends):
            stored = self._fold(tree, lambda end: end.write if end.write is not None else Reg("%old", _ANY), printer)
            if place.object in self.automatic:
                local[self._path(place, printer)] = stored
            else:
                lines.append(f"/\\ mem' = [mem EXCEPT {self._path(place, printer)} = {stored}]")
                changed.add("mem")
        for register in sorted({r for end in ends for r, _ in end.updates}):
            local[f"![t].{self._field(register)}"] = self._fold(tree, _update_of(register), printer)
        if local:
            updates = ", ".join(f"{path} = {text}" for path, text in local.items())
            lines.append(f"/\\ reg' = [reg EXCEPT {updates}]")
            changed.add("reg")
        lines.append(f"/\\ Goto(t, {self._label(tree, printer)})")
        lines.append(self._unchanged(changed))
        return [line for line in lines if line]

    def _any_span(self) -> Any:
        return self.program.host.body.nodes[self.program.host.body.entry].span

    def _unchanged(self, changed: set[str]) -> str:
        rest = [v["name"] for v in self._variables() if v["name"] not in changed and v["name"] != "pc"]
        if not rest:
            return ""
        return f"/\\ UNCHANGED {rest[0]}" if len(rest) == 1 else f"/\\ UNCHANGED <<{', '.join(rest)}>>"

    def _label(self, tree: Tree, printer: Printer) -> str:
        match tree:
            case Goto(label):
                return f'"{label}"'
            case Fork(condition, then, otherwise):
                if {end.label for end in leaves(tree)} == {label := next(leaves(tree)).label}:
                    return f'"{label}"'
                return (
                    f"IF {printer.condition(condition)} THEN {self._label(then, printer)} "
                    f"ELSE {self._label(otherwise, printer)}"
                )
            case Either():
                raise AssertionError("alternatives are taken apart before")

    def _fold(self, tree: Tree, pick: Any, printer: Printer) -> str:
        """One value for all ends of a tree: the tree's conditions around what ``pick`` gives for each end."""

        def value(tree: Tree) -> Value:
            match tree:
                case Goto():
                    picked: Value = pick(tree)
                    return picked
                case Fork(condition, then, otherwise):
                    first, second = value(then), value(otherwise)
                    return first if first == second else Choose(condition, first, second, first.type)
                case Either():
                    raise AssertionError("alternatives are taken apart before")

        return printer.value(value(tree))

    def _leaf(self, leaf: Reg | Builtin, place: ir.Place | None) -> str:
        if isinstance(leaf, Builtin):
            self.builtins.add(leaf.name)
            return f"{leaf.name.replace('.', '_')}[t]"
        if leaf.name == "%old":
            assert place is not None
            return self._read(place)
        return f"reg[t].{self._field(leaf.name)}"

    def _memory_name(self, object_: str) -> str:
        return tla_name(identifier(object_))

    def _index(self, place: ir.Place, printer: Printer | None = None) -> str:
        object_ = self.program.objects[place.object]
        if not object_.array:
            return ""
        printer = printer or Printer(lambda leaf: self._leaf(leaf, None), object_.span, self.helpers)
        return f"[{printer.value(place.index)}]"

    def _read(self, place: ir.Place) -> str:
        index = self._index(place)
        if place.object in self.automatic:
            return f"reg[t].{self._field(place.object)}{index}"
        return f"mem.{self._memory_name(place.object)}{self._instance(place)}{index}"

    def _instance(self, place: ir.Place) -> str:
        if place.object in self.shared:
            return "[BlockOf[t]]"
        return "[DeviceOf[t]]" if place.object in self.per_device else ""

    def _path(self, place: ir.Place, printer: Printer) -> str:
        index = self._index(place, printer)
        if place.object in self.automatic:
            return f"![t].{self._field(place.object)}{index}"
        return f"!.{self._memory_name(place.object)}{self._instance(place)}{index}"


_ANY = IntType("long", 64, signed=True)


def _update_of(register: str) -> Callable[[Goto], Value]:
    return lambda end: dict(end.updates).get(register, Reg(register, _ANY))


def _alternatives(tree: Tree) -> Iterable[Tree]:
    """The trees without choices by the implementation that a tree stands for."""
    match tree:
        case Goto():
            yield tree
        case Either(first, second):
            yield from _alternatives(first)
            yield from _alternatives(second)
        case Fork(condition, then, otherwise):
            for yes in _alternatives(then):
                for no in _alternatives(otherwise):
                    yield Fork(condition, yes, no)


def _silent_cycles(system: System) -> set[str]:
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


def _strings(names: Iterable[str]) -> str:
    return "{" + ", ".join(f'"{n}"' for n in names) + "}"


def _function(rows: Iterable[tuple[str, str]]) -> str:
    return " @@ ".join(f'"{name}" :> {value}' for name, value in rows)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() and ord(c) < 128 else "?" for c in text)[:100]
