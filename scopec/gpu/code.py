"""A thread of a Program as a CUDA function: each access an instruction of PTX in inline assembly, arithmetic in C++.

The accesses are those that the program has, not those that a compiler would make of its text: C++'s atomic operations
are the instructions of :mod:`scopec.memory.given.ptx`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.gpu.asynchronous import AsynchronousPrinter, gathered
from scopec.gpu.host_printer import HostPrinter
from scopec.gpu.printer import Launches, Printer
from scopec.program import ir
from scopec.program.effects import uses_and_definitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.gpu.layout import Memory
    from scopec.program.program import Program


def function(
    name: str, thread: ir.Thread, program: Program, memory: Memory, faults: list[ir.Assert], lanes: Mapping[int, int],
    registers: Mapping[str, int], status: int, roles: int, launches: Launches | None,
) -> str:  # fmt: skip
    """The function that plays ``thread``.

    ``faults`` are the assertions of the program, which it adds to; ``lanes`` the position of each lane of the thread's
    warp that does something; ``registers`` where the result of each of its variables goes, ``status`` how it ended.
    There are ``roles`` threads.
    """
    nodes, copies = gathered(thread.body)
    printer: Printer
    about = (thread, program, memory, faults, lanes, roles, launches, _names(thread.body))
    if thread.is_host:
        printer = HostPrinter(*about)
    else:
        printer = AsynchronousPrinter(*about, copies) if memory.packed else Printer(*about)
    order = _order(thread.body.entry, nodes)
    place = {number: n for n, number in enumerate(order)}
    lines = [f"    [[maybe_unused]] word {register} = UNSET;" for register in printer.names.values()]
    lines += ["    word ended = FINISHED;", "    [[maybe_unused]] unsigned left = p.turns, met = 0, polls = 0;"]
    code = [*printer.before(), *(line for number in order for line in printer.node(number, nodes[number], place))]
    goals = {word for line in code for word in re.findall(r"goto (\w+);", line)}
    lines += [line for line in code if not line.endswith(":") or line[:-1] in goals]
    lines.append("end:")
    lines += printer.after()
    lines += [f"    p.result({n}) = {printer.names[r]};" for r, n in registers.items() if r in printer.names]
    lines += [f"    p.result({n}) = UNSET;" for r, n in registers.items() if r not in printer.names]
    lines.append(f"    p.result({status}) = ended;")
    lines += printer.at_the_end()
    return (
        f"static {'' if thread.is_host else '__device__ '}void {name}(const Play& p) {{\n" + "\n".join(lines) + "\n}\n"
    )


def _names(body: ir.Body) -> dict[str, str]:
    """A name in C++ for each register."""
    found = [uses_and_definitions(node) for node in body.nodes.values()]
    registers = sorted({name for used, defined in found for name in (*used, *defined)})
    return {register: f"r{n}" for n, register in enumerate(registers)}


def _order(entry: int, nodes: Mapping[int, ir.Node]) -> list[int]:
    """The nodes so that only a loop goes back: the reverse of the order in which a search leaves them."""
    left: list[int] = []
    seen = {entry}
    work = [(entry, iter(ir.successors(nodes[entry])))]
    while work:
        number, following = work[-1]
        after = next((n for n in following if n not in seen), None)
        if after is None:
            left.append(number)
            work.pop()
        else:
            seen.add(after)
            work.append((after, iter(ir.successors(nodes[after]))))
    return left[::-1]
