"""Final states of a program of one thread at a time: a kernel runs where it is launched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir, values

if TYPE_CHECKING:
    from scopec.program.program import Program

_MOST_STEPS = 200_000


def ends(program: Program) -> dict[str, tuple[int | None, ...]]:
    """The last values of all objects.  Raises AssertionError where a check of the program fails or it does not end."""
    memory = {name: list(one.values) for name, one in program.objects.items()}
    _run(program, program.host.body, memory)
    return {name: tuple(found) for name, found in memory.items()}


def _run(program: Program, body: ir.Body, memory: dict[str, list[int | None]]) -> None:
    registers: dict[str, int] = {}

    def value(of: values.Value) -> int:
        return values.evaluate(of, lambda leaf: registers[leaf.name])

    at = body.entry
    for _ in range(_MOST_STEPS):
        match body.nodes[at]:
            case ir.Exit():
                return
            case ir.Branch(condition, _, then, otherwise):
                at = then if value(condition) else otherwise
            case ir.Do(operation, _, following):
                at = following
                match operation:
                    case ir.Set(target, new):
                        registers[target] = value(new)
                    case ir.Load(target, place):
                        found = memory[place.object][value(place.index)]
                        assert found is not None, f"{place.object} has no value"
                        registers[target] = found
                    case ir.Store(place, new):
                        memory[place.object][value(place.index)] = value(new)
                    case ir.Assert(condition, text):
                        assert value(condition), text
                    case ir.Decide(target, "order"):
                        registers[target] = 1  # from left to right
                    case ir.LaunchGrid(grid):
                        _run(program, program.grids[grid].body, memory)
                    case ir.DeviceSynchronize() | ir.Silent():
                        pass
                    case _:
                        raise AssertionError(operation)
    raise AssertionError("the program does not end")
