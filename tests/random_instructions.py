"""Random functions of PTX, whose jumps go anywhere: out of loops, into them, and back from one to another."""

from __future__ import annotations

import random

from tests.oracles.functions import ELEMENTS, LARGEST
from tests.oracles.instructions import (
    OPERATORS,
    REGISTERS,
    Add,
    Branch,
    Call,
    Instruction,
    Jump,
    Load,
    Return,
    Store,
    Table,
)

HEAD = f".version 9.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 a[{ELEMENTS}];\n"
_REGISTERS = f".reg .pred %p;\n.reg .b32 %r<{REGISTERS}>, %t;\n.reg .b64 %x, %a;\n"


def instructions(seed: int) -> dict[str, list[Instruction]]:
    """The functions of a program; ``k`` calls the other, if there is one."""
    chance = random.Random(seed)
    found = {"f": _function(chance, chance.randint(3, 7), "")} if chance.random() < 0.5 else {}
    return {**found, "k": _function(chance, chance.randint(6, 9), "f" if found else "")}


def _function(chance: random.Random, length: int, calls: str) -> list[Instruction]:
    def register() -> int:
        return chance.randrange(REGISTERS)

    made: list[Instruction] = [Load(n, n) for n in range(REGISTERS)]
    end = len(made) + length
    while len(made) < end:
        match chance.choice(
            (
                "load",
                "load",
                "add",
                "add",
                "store",
                "branch",
                "branch",
                "branch",
                "branch",
                "branch",
                "jump",
                "table",
                "call",
            )
        ):
            case "load":
                made.append(Load(register(), register()))
            case "store":
                made.append(Store(register(), register()))
            case "branch":
                made.append(Branch(register(), chance.choice(OPERATORS), chance.randint(0, 2), chance.randint(1, end)))
            case "jump" if chance.random() < 0.4:
                made.append(Jump(chance.randint(len(made) + 1, end)))
            case "table" if chance.random() < 0.5:
                made.append(Table(register(), (chance.randint(1, end), chance.randint(1, end))))
            case "call" if calls:
                made.append(Call(register(), calls, register()))
            case _:
                made.append(Add(register(), register(), chance.randint(1, 3)))
    return [*made, Return()]


def text(of: dict[str, list[Instruction]], suffix: str) -> str:
    """The functions as PTX, their names with a suffix; ``k`` is a kernel."""
    return "".join(_text(name, code, suffix) for name, code in of.items())


def _text(name: str, code: list[Instruction], suffix: str) -> str:
    lines = [_REGISTERS]
    if name == "k":
        head, last = f".visible .entry k{suffix}()\n", "ret;"
        lines.append("mov.u32 %r0, 0;\n")
    else:
        head, last = f".func (.param .b32 out) f{suffix}(.param .b32 in)\n", "st.param.b32 [out], %r0; ret;"
        lines.append("ld.param.b32 %r0, [in];\n")
    lines += [f"mov.u32 %r{n}, 0;\n" for n in range(1, REGISTERS)]
    for number, one in enumerate(code):
        lines.append(f"L{number}: {_shown(one, number, suffix, last)}\n")
    return f"{head}{{\n{''.join(lines)}}}\n"


def _shown(one: Instruction, number: int, suffix: str, last: str) -> str:
    match one:
        case Load(target, index):
            return f"{_address(index)} ld.global.u32 %r{target}, [%x];"
        case Store(index, value):
            return f"{_address(index)} st.global.u32 [%x], %r{value};"
        case Add(target, source, amount):
            return f"add.s32 %t, %r{source}, {amount}; and.b32 %r{target}, %t, {LARGEST};"
        case Branch(register, op, against, to):
            return f"setp.{op}.s32 %p, %r{register}, {against}; @%p bra L{to};"
        case Table(register, to):
            table = f"T{number}: .branchtargets L{to[0]}, L{to[1]};"
            return f"and.b32 %t, %r{register}, 1;\n{table}\nbrx.idx %t, T{number};"
        case Jump(to):
            return f"bra L{to};"
        case Call(target, function, argument):
            return (
                f"{{ .param .b32 given; .param .b32 got; st.param.b32 [given], %r{argument};\n"
                f"call (got), {function}{suffix}, (given); ld.param.b32 %r{target}, [got]; }}"
            )
        case Return():
            return last


def _address(index: int) -> str:
    return f"and.b32 %t, %r{index}, {ELEMENTS - 1}; mul.wide.u32 %x, %t, 4; mov.u64 %a, a; add.s64 %x, %x, %a;"
