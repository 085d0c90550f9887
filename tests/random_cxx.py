"""Random C++ of one thread: arithmetic of every integer type, decisions, loops, jumps."""

from __future__ import annotations

from random import Random

TYPES = (
    "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long", "unsigned long long", "bool",
)  # fmt: skip
_CONSTANTS = (
    "0",
    "1",
    "2",
    "3",
    "7",
    "100",
    "127",
    "255",
    "(-1)",
    "(-5)",
    "65535",
    "2147483647",
    "4000000000u",
    "1ll<<33",
)
_BINARY = ("+", "-", "*", "&", "|", "^", "<", "<=", "==", "!=", ">", ">=", "&&", "||")


class Generator:
    """Writes a body over four variables, which ends with their values in ``r0`` to ``r3``."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        types = [self.pick(TYPES) for _ in range(4)]
        self.names = [("b" if type_ == "bool" else "v") + str(i) for i, type_ in enumerate(types)]
        starts = [self.pick(("0", "1") if type_ == "bool" else ("0", "1", "5", "100", "-3", "200")) for type_ in types]
        self.start = " ".join(f"{t} {n} = {v};" for t, n, v in zip(types, self.names, starts, strict=True))

    def pick(self, options: tuple[str, ...] | list[str]) -> str:
        return self.random.choice(options)

    def body(self) -> str:
        ends = " ".join(f"long long r{i} = (long long){name};" for i, name in enumerate(self.names))
        return f"{self.start} {self.statements(2, 5)} {ends}"

    def expression(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.2:
            return self.pick((self.pick(self.names), self.pick(_CONSTANTS)))
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        match self.random.randrange(12):
            case 0:
                return f"({a} {self.pick(('/', '%'))} (({b}) == 0 || ({b}) == -1 ? 3 : ({b})))"
            case 1:
                return f"({self.pick(('~', '!', '-'))} {a})"
            case 2:
                return f"({self.pick(TYPES)})({a})"
            case 3:
                return f"(({a}) {self.pick(('<<', '>>'))} {self.random.randrange(7)})"
            case 4:
                return f"({a} ? {b} : {self.expression(depth - 1)})"
            case _:
                return f"({a} {self.pick(_BINARY)} {b})"

    def statements(self, depth: int, count: int) -> str:
        return " ".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        name, inner = self.pick(self.names), depth - 1
        match self.random.randrange(8 if depth else 5):
            case 0:
                return f"{name} {self.pick(('+', '-', '*', '&', '|', '^'))}= {self.expression(2)};"
            case 1:
                return f"{name} = !{name};" if name[0] == "b" else self.pick((f"{name}++;", f"--{name};"))
            case 5:
                other = self.statements(inner, 1)
                return f"if ({self.expression(2)}) {{ {self.statements(inner, 2)} }} else {{ {other} }}"
            case 6:
                test = self.expression(1)
                leave = self.pick(("", f"if ({test}) break;", f"if ({test}) continue; {name} = 1;"))
                head = f"int i{depth} = 0; i{depth} < {self.random.randrange(1, 4)}; ++i{depth}"
                return f"for ({head}) {{ {self.statements(inner, 2)} {leave} }}"
            case 7:
                cases = [self.statements(0, 1) for _ in range(3)]
                return (
                    f"switch ((int)({self.expression(1)}) & 3) "
                    f"{{ case 0: {cases[0]} break; case 1: {cases[1]} default: {cases[2]} }}"
                )
            case _:
                return f"{name} = {self.expression(3)};"
