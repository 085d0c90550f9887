"""LLVM IR from text: the whole module's declarations at once, the body of a function when it is asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.code import Type
from scopec.frontends.clang.llvm.operand_parser import bare
from scopec.frontends.clang.llvm.parser import Line
from scopec.frontends.clang.llvm.stubs import is_stub

if TYPE_CHECKING:
    from collections.abc import Callable

_DEFINE = re.compile(r"^define (?P<head>.*?)(?P<name>@(?:\"[^\"]*\"|[-\w.$]+))\((?P<rest>.*)$")
_GLOBAL = re.compile(r"^(@(?:\"[^\"]*\"|[-\w.$]+)) = (.*)$")
_ALIAS = re.compile(
    r"^(@(?:\"[^\"]*\"|[-\w.$]+)) = (?:[a-z_]+ )*alias .*, ptr(?: addrspace\(\d+\))? (@(?:\"[^\"]*\"|[-\w.$]+))$"
)
_TYPE = re.compile(r"^(%(?:\"[^\"]*\"|[-\w.$]+)) = type (.*)$")
_METADATA = re.compile(r"^(![\w.]+) = (.*)$")
_LABEL = re.compile(r"^(\"[^\"]*\"|[-\w.$]+):")


class Module:
    """A module: named types, global variables, functions by name, metadata as text by its number."""

    def __init__(self, text: str) -> None:
        self.types: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.metadata: dict[str, str] = {}
        self._attributes: dict[str, str] = {}
        self._functions: dict[str, tuple[str, list[str]]] = {}
        self._named: dict[str, Type] = {}
        self._read: dict[str, llvm.Function] = {}
        #: Other names of functions and variables: of a destructor, or what the attribute `alias` gives.
        self.aliases: dict[str, str] = {}
        #: The functions that were no C++.
        self.added: dict[str, Callable[[], llvm.Function]] = {}
        self._lines(text)

    def _lines(self, text: str) -> None:
        lines = iter(text.split("\n"))
        for line in lines:
            if line.startswith("define "):
                found = _DEFINE.match(line)
                assert found is not None, line
                body = []
                for inner in lines:
                    if inner == "}":
                        break
                    body.append(inner)
                self._functions[bare(found["name"])] = (line, body)
            elif line.startswith("!"):
                if found := _METADATA.match(line):
                    self.metadata[found[1]] = found[2].removeprefix("distinct ")
            elif line.startswith("@"):
                if found := _ALIAS.match(line):
                    self.aliases[bare(found[1])] = bare(found[2])
                elif found := _GLOBAL.match(line):
                    self.variables[bare(found[1])] = found[2]
            elif line.startswith("attributes #"):
                group, _, said = line.removeprefix("attributes ").partition(" = ")
                self._attributes[group] = said
            elif line.startswith("%") and (found := _TYPE.match(line)):
                self.types[bare(found[1])] = found[2]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions that have a body."""
        return tuple(self._functions)

    def bound(self, name: str, kind: str) -> int | None:
        """What a kernel says of its launches, as ``maxntid``: the threads of the largest block."""
        head, _ = self._functions[name]
        said = (self._attributes.get(group, "") for group in re.findall(r"#\d+", head))
        found = next(filter(None, (re.search(rf'"nvvm\.{kind}"="([\d,]+)"', one) for one in said)), None)
        return None if found is None else prod(map(int, found[1].split(",")))

    def mentions(self, name: str, word: str) -> bool:
        """Whether a word is in the body of a function."""
        return any(word in line for line in self._functions[name][1])

    def kernels(self) -> tuple[str, ...]:
        """The names of the functions that a launch can start."""
        return tuple(name for name, (head, _) in self._functions.items() if " ptx_kernel " in head)

    def add(self, name: str, made: Callable[[], llvm.Function], *, kernel: bool) -> None:
        """Add a function that is no C++, in place of another of its name."""
        self._functions[name] = (" ptx_kernel " if kernel else "", [])
        self.added[name] = made
        self._read.pop(name, None)

    def named(self, name: str) -> Type:
        """A type by its name; one without a definition has no fields."""
        if name not in self._named:
            text = self.types.get(name, "opaque")
            self._named[name] = llvm.Struct(()) if text == "opaque" else Line(self.named, text).type()
        return self._named[name]

    def function(self, name: str) -> llvm.Function | None:
        """A function, if it has a body."""
        if name not in self._read:
            if name not in self._functions:
                return None
            made = self.added.get(name) or partial(_function, self, name, *self._functions[name])
            self._read[name] = made()
        return self._read[name]

    def variable(self, name: str) -> llvm.Variable:
        """A global variable."""
        return _variable(self, name, self.variables[name])


def _function(module: Module, name: str, head: str, body: list[str]) -> llvm.Function:
    found = _DEFINE.match(head)
    assert found is not None, head
    line = Line(module.named, f"({found['rest']}")
    line.expect("(")
    parameters: list[tuple[str, Type]] = []
    behind: list[Type | None] = []
    while not line.skip(")"):
        if line.skip("..."):
            continue
        type_ = line.type()
        behind.append(line.attributes())
        parameters.append((bare(line.take()), type_))
        line.skip(",")
    subprogram = re.search(r"!dbg (!\d+)", found["rest"])
    blocks: dict[str, list[llvm.Instruction]] = {}
    current: list[llvm.Instruction] = []
    joined = ""
    for text in body:
        if not text.strip() or text.lstrip().startswith("#dbg_label"):
            continue
        if text[0] not in " \t" and (label := _LABEL.match(text)):
            current = blocks.setdefault(label[1].strip('"'), [])
            continue
        joined += text
        if joined.count("[") > joined.count("]") and " switch " in joined:  # a switch takes several lines
            continue
        if not blocks:
            current = blocks.setdefault("0", [])
        current.append(Line(module.named, joined.strip()).instruction())
        joined = ""
    if is_stub(name):  # clang's own, though it says that the kernel's text is
        subprogram = None
        blocks = {label: [replace(one, place=None) for one in code if not isinstance(one.action, llvm.Declare)]
                  for label, code in blocks.items()}  # fmt: skip
    return llvm.Function(
        name, tuple(parameters), tuple(behind), {label: tuple(code) for label, code in blocks.items()},
        " ptx_kernel " in head, subprogram[1] if subprogram else None,
    )  # fmt: skip


def _variable(module: Module, name: str, text: str) -> llvm.Variable:
    space, external, written = 0, False, False
    line = Line(module.named, text)
    while line.next not in ("global", "constant"):
        word = line.take()
        external |= word in ("external", "extern_weak")
        written |= word == "externally_initialized"  # by the host: a `__constant__` variable
        if word == "addrspace":
            line.expect("(")
            space = int(line.take())
            line.expect(")")
        elif line.next == "(":
            line.balanced()
    constant = line.take() == "constant" and not written
    type_ = line.type()
    initial = None if external or line.next in (",", "") else line.operand(type_)
    debug = [line.tokens[at + 1] for at, token in enumerate(line.tokens) if token == "!dbg"]
    return llvm.Variable(name, type_, space, constant, initial, tuple(debug))
