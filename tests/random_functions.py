"""Random functions of loops, returns, breaks, switches and nested calls, over an array that others may write, as C++."""

from __future__ import annotations

import random
import re
from textwrap import indent

from tests.oracles.functions import (
    ELEMENTS,
    LARGEST,
    Assign,
    Block,
    Both,
    Call,
    Element,
    Expr,
    Function,
    If,
    Jump,
    Loop,
    Read,
    Return,
    Statement,
    Sum,
    Switch,
    Test,
    Var,
    Write,
)

_OPERATORS = ("==", "!=", "<", "<=", ">", ">=")


class _Maker:
    def __init__(self, chance: random.Random, callable_: tuple[Function, ...], budget: int, switches: bool) -> None:
        self.chance, self.callable, self.budget, self.switches = chance, callable_, budget, switches
        self.parameters = tuple(f"p{n}" for n in range(chance.randint(0, 2))) if budget else ()
        self.variables = tuple(f"v{n}" for n in range(chance.randint(2, 3)))
        self.counters: list[str] = []

    def names(self) -> tuple[str, ...]:
        return (*self.parameters, *self.variables, *self.counters)

    def function(self, name: str) -> Function:
        unset = 0.7
        body: Block = tuple(Read(v, n) for n, v in enumerate(self.variables) if self.chance.random() >= unset)
        body += self.block(0, "")
        while self.budget > 0:
            body += self.block(0, "")
        body += (Return(self.expression()),)
        return Function(name, self.parameters, (*self.variables, *self.counters), body)

    def expression(self) -> Expr:
        kind = self.chance.random()
        if kind < 0.25:
            return self.chance.randint(0, 3)
        name = self.chance.choice(self.names())
        return Var(name) if kind < 0.7 else Sum(name, self.chance.choice((1, 1, 2)), self.chance.randint(1, 3))

    def test(self) -> Test | Both:
        if self.chance.random() < 0.3:
            return Both(self.chance.choice(("&&", "&&", "||")), self.comparison(), self.comparison())
        return self.comparison()

    def comparison(self) -> Test:
        right = Element(self.expression()) if self.chance.random() < 0.5 else self.expression()
        return Test(Var(self.chance.choice(self.names())), self.chance.choice(_OPERATORS), right)

    def block(self, depth: int, inside: str) -> Block:
        return tuple(s for _ in range(self.chance.randint(1, 2)) for s in self.statements(depth, inside))

    def statements(self, depth: int, inside: str) -> list[Statement]:
        """Statements that something of a kind is; ``inside`` is l in a loop, s in a switch, the innermost last."""
        self.budget -= 1
        kind = self.chance.random()
        target = self.chance.choice(self.variables)
        if depth > 2 or self.budget < 0:
            kind *= 0.6
        if kind < 0.12:
            return [Read(target, self.expression())]
        if kind < 0.18:
            return [Write(self.expression(), self.expression())]
        if kind < 0.4:
            return [Assign(target, self.chance.randint(0, 3) if self.chance.random() < 0.4 else self.expression())]
        if kind < 0.54 and inside:
            jump = Return(self.expression())
            if self.chance.random() < 0.6:
                jump = Jump(self.chance.choice(("break", "continue")) if "l" in inside else "break")
            return [If(self.test(), (jump,), ())]
        if kind < 0.6 and self.callable:
            function = self.chance.choice(self.callable)
            return [Call(target, function.name, tuple(self.expression() for _ in function.parameters))]
        if kind < 0.6:
            return [Read(target, self.expression())]
        if kind < 0.72:
            otherwise = self.block(depth + 1, inside) if self.chance.random() < 0.5 else ()
            return [If(self.test(), self.block(depth + 1, inside), otherwise)]
        if kind < 0.8 and self.switches:
            return [self.switch(depth, inside)]
        return self.loop(depth, inside)

    def switch(self, depth: int, inside: str) -> Switch:
        labels: list[int | None] = list(self.chance.sample(range(LARGEST), self.chance.randint(1, 3)))
        if self.chance.random() < 0.6:
            labels.insert(self.chance.randint(0, len(labels)), None)
        cases = []
        for label in labels:
            body = self.block(depth + 1, inside + "s")
            if self.chance.random() < 0.7:
                body += (Jump("break"),)
            cases.append((label, body))
        return Switch(Var(self.chance.choice(self.names())), tuple(cases))

    def loop(self, depth: int, inside: str) -> list[Statement]:
        kind = self.chance.choice(("while", "do", "for", "for"))
        if kind != "for":
            return [Loop(kind, self.test(), self.block(depth + 1, inside + "l"))]
        counter = f"i{len(self.counters)}"
        self.counters.append(counter)
        begin = Assign(counter, self.expression() if self.chance.random() < 0.5 else 0)
        limit: Expr = self.chance.randint(1, 3) if self.chance.random() < 0.5 else self.expression()
        test: Test | Both = Test(Var(counter), self.chance.choice(("<", "<", "<=", "!=")), limit)
        if self.chance.random() < 0.4:
            assert isinstance(test, Test)
            test = Both("&&", test, self.comparison())
        step = Assign(counter, Sum(counter, 1, self.chance.choice((1, 1, 2))))
        return [begin, Loop(kind, test, self.block(depth + 1, inside + "l"), step)]


def functions(seed: int, *, kernel_alone: bool = False) -> dict[str, Function]:
    """The functions of a program, each of which calls those before it; ``k`` is the last, without parameters.

    A ``kernel_alone`` has no other functions, and no switches.
    """
    chance = random.Random(seed)
    found: list[Function] = []
    for number in range(0 if kernel_alone else chance.randint(0, 2)):
        maker = _Maker(chance, tuple(found), chance.randint(2, 5), switches=True)
        found.append(maker.function(f"f{number}"))
    last = _Maker(chance, tuple(found), chance.randint(3, 6), switches=not kernel_alone)
    last.parameters = ()
    found.append(last.function("k"))
    return {function.name: function for function in found}


def text(of: dict[str, Function], suffix: str = "") -> str:
    """The functions as C++, their names with a suffix; ``k`` is a kernel."""
    return "".join(_function(function, suffix) for function in of.values())


def _function(function: Function, suffix: str) -> str:
    kernel = function.name == "k"
    kind = "__global__ void" if kernel else "__device__ int"
    parameters = ", ".join(f"int {name}" for name in function.parameters)
    variables = "".join(f"    int {name} = 0;\n" for name in function.variables)
    body = _block(function.body, suffix)
    if kernel:
        body = re.sub(r"return [^;]*;", "return;", body)
    return f"{kind} {function.name}{suffix}({parameters}) {{\n{variables}{body}}}\n"


def _block(statements: Block, suffix: str) -> str:
    return "".join(indent(_statement(one, suffix), "    ") for one in statements)


def _statement(one: Statement, suffix: str) -> str:
    match one:
        case Assign():
            return f"{_assigned(one)};\n"
        case Read(target, index):
            return f"{target} = a[{_index(index)}];\n"
        case Write(index, value):
            return f"a[{_index(index)}] = {shown(value)};\n"
        case Call(target, function, arguments):
            return f"{target} = {function}{suffix}({', '.join(map(shown, arguments))});\n"
        case If(test, then, otherwise):
            other = f" else {{\n{_block(otherwise, suffix)}}}" if otherwise else ""
            return f"if ({_test(test)}) {{\n{_block(then, suffix)}}}{other}\n"
        case Loop("do", test, body):
            return f"do {{\n{_block(body, suffix)}}} while ({_test(test)});\n"
        case Loop("for", test, body, step):
            assert step is not None
            return f"for (; {_test(test)}; {_assigned(step)}) {{\n{_block(body, suffix)}}}\n"
        case Loop(_, test, body):
            return f"while ({_test(test)}) {{\n{_block(body, suffix)}}}\n"
        case Switch(value, cases):
            labels = ("default" if label is None else f"case {label}" for label, _ in cases)
            inner = "".join(f"{label}:\n{_block(body, suffix)}" for label, (_, body) in zip(labels, cases, strict=True))
            return f"switch ({shown(value)}) {{\n{inner}}}\n"
        case Jump(kind):
            return f"{kind};\n"
        case Return(value):
            return f"return {shown(value)};\n"


def _assigned(one: Assign) -> str:
    return f"{one.target} = {shown(one.value)}"


def _index(of: Expr) -> str:
    return str(of % ELEMENTS) if isinstance(of, int) else f"({shown(of)}) & {ELEMENTS - 1}"


def _test(test: Test | Both) -> str:
    match test:
        case Both(op, left, right):
            return f"{_test(left)} {op} {_test(right)}"
        case Test(left, op, Element(index)):
            return f"{shown(left)} {op} a[{_index(index)}]"
        case Test(left, op, right):
            assert not isinstance(right, Element)
            return f"{shown(left)} {op} {shown(right)}"


def shown(of: Expr) -> str:
    """An expression as C++."""
    match of:
        case int():
            return str(of)
        case Var(name):
            return name
        case Sum(name, by, add):
            return f"(({name} * {by} + {add}) & {LARGEST})"
