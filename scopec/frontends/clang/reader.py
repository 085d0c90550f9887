"""LLVM IR from text: the whole module's declarations at once, the body of a function when it is asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from scopec.frontends.clang import llvm
from scopec.frontends.clang.llvm import Operand, Type, Typed

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    r"""\s+
    | c?"(?:[^"\\]|\\.)*" | [@%!#$](?:"[^"]*"|[-\w.$]+) | -?\d+(?:\.\d+(?:e[-+]?\d+)?)?(?![\w.]) | 0x[0-9A-Fa-fKMLHR]+
    | [A-Za-z_][\w.]* | \.\.\. | .""",
    re.VERBOSE,
)
_DEFINE = re.compile(r"^define (?P<head>.*?)(?P<name>@(?:\"[^\"]*\"|[-\w.$]+))\((?P<rest>.*)$")
_GLOBAL = re.compile(r"^(@(?:\"[^\"]*\"|[-\w.$]+)) = (.*)$")
_TYPE = re.compile(r"^(%(?:\"[^\"]*\"|[-\w.$]+)) = type (.*)$")
_METADATA = re.compile(r"^(![\w.]+) = (.*)$")
_LABEL = re.compile(r"^(\"[^\"]*\"|[-\w.$]+):")
_FLOATS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16}
_BINARY = frozenset(
    [
        "add",
        "sub",
        "mul",
        "udiv",
        "sdiv",
        "urem",
        "srem",
        "shl",
        "lshr",
        "ashr",
        "and",
        "or",
        "xor",
        "fadd",
        "fsub",
        "fmul",
        "fdiv",
        "frem",
    ]
)
_CASTS = frozenset(
    [
        "trunc",
        "zext",
        "sext",
        "fptrunc",
        "fpext",
        "fptoui",
        "fptosi",
        "uitofp",
        "sitofp",
        "ptrtoint",
        "inttoptr",
        "bitcast",
        "addrspacecast",
    ]
)
#: Words with an argument in parentheses, which says nothing that matters here.
_ATTRIBUTES = frozenset(
    ["dereferenceable", "dereferenceable_or_null", "captures", "memory", "range", "nofpclass", "initializes"]
)


class Module:
    """A module: named types, global variables, functions by name, metadata as text by its number."""

    def __init__(self, text: str) -> None:
        self.types: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.metadata: dict[str, str] = {}
        self._functions: dict[str, tuple[str, list[str]]] = {}
        self._named: dict[str, Type] = {}
        self._read: dict[str, llvm.Function] = {}
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
                self._functions[_bare(found["name"])] = (line, body)
            elif line.startswith("!"):
                if found := _METADATA.match(line):
                    self.metadata[found[1]] = found[2].removeprefix("distinct ")
            elif line.startswith("@"):
                if found := _GLOBAL.match(line):
                    self.variables[_bare(found[1])] = found[2]
            elif line.startswith("%") and (found := _TYPE.match(line)):
                self.types[_bare(found[1])] = found[2]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions that have a body."""
        return tuple(self._functions)

    def kernels(self) -> tuple[str, ...]:
        """The names of the functions that a launch can start."""
        return tuple(name for name, (head, _) in self._functions.items() if " ptx_kernel " in head)

    def named(self, name: str) -> Type:
        """A type by its name; one without a definition has no fields."""
        if name not in self._named:
            text = self.types.get(name, "opaque")
            self._named[name] = llvm.Struct(()) if text == "opaque" else _Line(self, text).type()
        return self._named[name]

    def function(self, name: str) -> llvm.Function | None:
        """A function, if it has a body."""
        if name not in self._read:
            if name not in self._functions:
                return None
            self._read[name] = _function(self, name, *self._functions[name])
        return self._read[name]

    def variable(self, name: str) -> llvm.Variable:
        """A global variable."""
        return _variable(self, name, self.variables[name])


def _bare(name: str) -> str:
    return name[1:].strip('"')


@cache
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token for token in _TOKEN.findall(text) if not token.isspace())


class _Line:
    """The tokens of one line, read from left to right."""

    def __init__(self, module: Module, text: str) -> None:
        self.module = module
        self.tokens = _tokens(text)
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.next
        self.at += 1
        return token

    def skip(self, *wanted: str) -> bool:
        if self.next in wanted:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        found = self.take()
        assert found == token, (token, found, self.tokens)

    def listed(self, end: str, item: Callable[[], object]) -> None:
        while not self.skip(end):
            item()
            self.skip(",")

    # ------------------------------------------------------------ types

    def type(self) -> Type:
        found = self._type()
        while self.next == "(":  # the type of a function
            self._balanced()
            found = llvm.Void()
        return found

    def _balanced(self) -> None:
        depth = 0
        while True:
            token = self.take()
            depth += {"(": 1, ")": -1}.get(token, 0)
            if not depth:
                return

    def _type(self) -> Type:
        token = self.take()
        if token[0] == "i" and token[1:].isdecimal():
            return llvm.Int(int(token[1:]))
        if token in _FLOATS:
            return llvm.Float(_FLOATS[token])
        if token[0] == "%":
            return self.module.named(_bare(token))
        match token:
            case "ptr":
                if self.skip("addrspace"):
                    self.expect("(")
                    space = int(self.take())
                    self.expect(")")
                    return llvm.Pointer(space)
                return llvm.Pointer()
            case "[":
                return self._sequence("]")
            case "<" if self.next == "{":
                self.take()
                fields = self._fields()
                self.expect(">")
                return llvm.Struct(fields, packed=True)
            case "<":
                return self._sequence(">")
            case "{":
                return llvm.Struct(self._fields())
            case _:
                return llvm.Void()

    def _sequence(self, end: str) -> Type:
        count = int(self.take())
        self.expect("x")
        element = self.type()
        self.expect(end)
        return llvm.Array(count, element)

    def _fields(self) -> tuple[Type, ...]:
        fields: list[Type] = []
        self.listed("}", lambda: fields.append(self.type()))
        return tuple(fields)

    # ------------------------------------------------------------ operands

    def typed(self) -> Typed:
        type_ = self.type()
        self.attributes()
        return Typed(type_, self.operand(type_))

    def attributes(self) -> Type | None:
        """Pass over the attributes of a parameter; the type of one that is passed as a copy or through memory."""
        behind: Type | None = None
        while (word := self.next) and (word[0].isalpha() or word[0] == "#") and not self._is_operand(word):
            self.take()
            if word in ("align", "alignstack") and self.next != "(":
                self.take()
            elif word in ("byval", "sret", "byref", "inalloca", "preallocated", "elementtype"):
                self.expect("(")
                found = self.type()
                behind = found if word == "byval" else behind
                self.expect(")")
            elif self.next == "(" and (word in _ATTRIBUTES or word == "align"):
                self._balanced()
        return behind

    def _is_operand(self, word: str) -> bool:
        if word in ("null", "undef", "poison", "true", "false", "zeroinitializer", "none", "asm"):
            return True
        return word.startswith('c"') or word in ("getelementptr", *_CASTS, *_BINARY)

    def operand(self, type_: Type) -> Operand:
        token = self.take()
        if token[0] == "%":
            return llvm.Local(_bare(token))
        if token[0] == "@":
            return llvm.Global(_bare(token))
        match token:
            case "null" | "none":
                return llvm.Null()
            case "undef" | "poison":
                return llvm.Undefined()
            case "true" | "false":
                return llvm.Number(int(token == "true"))
            case "zeroinitializer":
                return llvm.Zero()
            case "[" | "{":
                return self._aggregate({"[": "]", "{": "}"}[token])
            case "<":
                packed = self.skip("{")
                found = self._aggregate("}" if packed else ">")
                if packed:
                    self.expect(">")
                return found
            case "getelementptr":
                return llvm.Expression(self._element(parenthesised=True))
            case _ if token in _CASTS:
                self.expect("(")
                operand = self.typed()
                self.expect("to")
                cast = llvm.Cast(token, operand, self.type())
                self.expect(")")
                return llvm.Expression(cast)
            case _ if token in _BINARY:
                flags = self.flags()
                self.expect("(")
                left = self.typed()
                self.expect(",")
                right = self.typed()
                self.expect(")")
                return llvm.Expression(llvm.Arithmetic(token, left.type, left.operand, right.operand, flags))
            case _ if token.startswith('c"'):
                return llvm.Text(_unescaped(token[2:-1]))
            case _ if isinstance(type_, llvm.Float):
                return llvm.Real()
            case _:
                return llvm.Number(int(token))

    def _aggregate(self, end: str) -> llvm.Aggregate:
        items: list[Typed] = []
        self.listed(end, lambda: items.append(self.typed()))
        return llvm.Aggregate(tuple(items))

    def flags(self) -> frozenset[str]:
        found = set()
        while self.next in (
            "nsw",
            "nuw",
            "exact",
            "inbounds",
            "nusw",
            "nneg",
            "disjoint",
            "samesign",
            "fast",
            "contract",
        ):
            found.add(self.take())
        return frozenset(found)

    def _element(self, *, parenthesised: bool) -> llvm.Element:
        self.flags()
        if self.skip("inrange"):
            self._balanced()
        if parenthesised:
            self.expect("(")
        type_ = self.type()
        self.expect(",")
        pointer = self.typed()
        indices = []
        while self.skip(","):
            if self.next.startswith("!"):
                break
            indices.append(self.typed())
        if parenthesised:
            self.expect(")")
        return llvm.Element(type_, pointer, tuple(indices))

    # ------------------------------------------------------------ instructions

    def instruction(self) -> llvm.Instruction:
        result = None
        if self.next[0] == "%" and self.tokens[1] == "=":
            result = _bare(self.take())
            self.take()
        opcode = self.take()
        while opcode in ("tail", "musttail", "notail"):
            opcode = self.take()
        action = self._action(opcode)
        attached = {token: self.tokens[number + 1] for number, token in enumerate(self.tokens[self.at : -1], self.at)}
        return llvm.Instruction(action, result, attached.get("!dbg"), attached.get("!heapallocsite"))

    def _action(self, opcode: str) -> llvm.Action:  # one case an instruction
        match opcode:
            case "alloca":
                type_ = self.type()
                count = None
                if self.skip(",") and self.next not in ("align", "addrspace"):
                    count = self.typed()
                return llvm.Alloca(type_, count)
            case "load" if self.next != "atomic":
                volatile = self.skip("volatile")
                type_ = self.type()
                self.expect(",")
                return llvm.Load(type_, self.typed(), volatile)
            case "store" if self.next != "atomic":
                volatile = self.skip("volatile")
                value = self.typed()
                self.expect(",")
                return llvm.Store(value, self.typed(), volatile)
            case "getelementptr":
                return self._element(parenthesised=False)
            case "icmp" | "fcmp":
                self.flags()
                predicate = self.take()
                type_, left = self._first()
                return llvm.Compare(opcode, predicate, type_, left, self.operand(type_))
            case "select":
                self.flags()
                condition = self.typed()
                self.expect(",")
                then = self.typed()
                self.expect(",")
                return llvm.Select(condition, then, self.typed())
            case "phi":
                return self._phi()
            case "extractvalue" | "extractelement":
                aggregate = self.typed()
                return llvm.Extract(aggregate, self._positions(opcode))
            case "insertvalue" | "insertelement":
                aggregate = self.typed()
                self.expect(",")
                return llvm.Insert(aggregate, self.typed(), self._positions(opcode))
            case "call":
                return self._call()
            case "#dbg_declare":
                self.expect("(")
                self.type()
                address = self.operand(llvm.Pointer())
                self.expect(",")
                return llvm.Declare(address, self.take())
            case "br":
                return self._branch()
            case "switch":
                return self._switch()
            case "ret":
                return llvm.Return(None if self.skip("void") else self.typed())
            case "unreachable":
                return llvm.Unreachable()
            case "fneg" | "freeze":
                operand = self.typed()
                return llvm.Cast(opcode, operand, operand.type)
            case _ if opcode in _BINARY:
                flags = self.flags()
                type_, left = self._first()
                return llvm.Arithmetic(opcode, type_, left, self.operand(type_), flags)
            case _ if opcode in _CASTS:
                self.flags()
                operand = self.typed()
                self.expect("to")
                return llvm.Cast(opcode, operand, self.type())
            case _:
                return llvm.Other(opcode)

    def _first(self) -> tuple[Type, Operand]:
        type_ = self.type()
        left = self.operand(type_)
        self.expect(",")
        return type_, left

    def _positions(self, opcode: str) -> tuple[Operand, ...]:
        found: list[Operand] = []
        while self.skip(","):
            if self.next.startswith("!"):
                break
            found.append(llvm.Number(int(self.take())) if opcode.endswith("value") else self.typed().operand)
        return tuple(found)

    def _phi(self) -> llvm.Phi:
        type_ = self.type()
        incoming = []
        while self.next == "[":
            self.take()
            value = self.operand(type_)
            self.expect(",")
            incoming.append((value, _bare(self.take())))
            self.expect("]")
            self.skip(",")
        return llvm.Phi(type_, tuple(incoming))

    def _branch(self) -> llvm.Jump | llvm.Branch:
        if self.skip("label"):
            return llvm.Jump(_bare(self.take()))
        condition = self.typed().operand
        labels = []
        while self.skip(","):
            if not self.skip("label"):
                break
            labels.append(_bare(self.take()))
        return llvm.Branch(condition, labels[0], labels[1])

    def _switch(self) -> llvm.Switch:
        value = self.typed()
        self.expect(",")
        self.expect("label")
        default = _bare(self.take())
        self.expect("[")
        cases = []
        while not self.skip("]"):
            case = self.typed().operand
            assert isinstance(case, llvm.Number)
            self.expect(",")
            self.expect("label")
            cases.append((case.value, _bare(self.take())))
        return llvm.Switch(value, default, tuple(cases))

    def _call(self) -> llvm.Call | llvm.Assembly:
        self._conventions()
        type_ = self.type()
        if self.skip("asm"):
            while not self.next.startswith('"'):
                self.take()
            text = _unescaped(self.take()[1:-1]).decode("utf-8", "replace")
            self.expect(",")
            constraints = self.take()[1:-1]
            arguments, _ = self._arguments()
            return llvm.Assembly(type_, text, constraints, arguments)
        function = self.operand(llvm.Pointer())
        arguments, byval = self._arguments()
        return llvm.Call(type_, function, arguments, byval)

    def _conventions(self) -> None:
        """Flags, calling conventions and attributes of what a call returns, in front of its type."""
        while not (self.next in ("ptr", "void", "[", "<", "{") or self.next in _FLOATS or self.next[0] == "%"
                   or (self.next[0] == "i" and self.next[1:].isdecimal())):  # fmt: skip
            word = self.take()
            if word == "align" and self.next != "(":
                self.take()
            elif self.next == "(":
                self._balanced()

    def _arguments(self) -> tuple[tuple[Typed, ...], tuple[Type | None, ...]]:
        self.expect("(")
        found: list[Typed] = []
        behind: list[Type | None] = []
        while not self.skip(")"):
            type_ = self.type()
            if isinstance(type_, llvm.Void) and self.next.startswith(("!", "metadata")):
                self.take()
                self.skip(",")
                continue
            behind.append(self.attributes())
            found.append(Typed(type_, self.operand(type_)))
            self.skip(",")
        return tuple(found), tuple(behind)


def _unescaped(text: str) -> bytes:
    found, at = bytearray(), 0
    while at < len(text):
        if text[at] == "\\":
            if text[at + 1] == "\\":
                found.append(ord("\\"))
                at += 2
                continue
            found.append(int(text[at + 1 : at + 3], 16))
            at += 3
        else:
            found += text[at].encode()
            at += 1
    return bytes(found)


def _function(module: Module, name: str, head: str, body: list[str]) -> llvm.Function:
    found = _DEFINE.match(head)
    assert found is not None, head
    line = _Line(module, f"({found['rest']}")
    line.expect("(")
    parameters: list[tuple[str, Type]] = []
    behind: list[Type | None] = []
    while not line.skip(")"):
        if line.skip("..."):
            continue
        type_ = line.type()
        behind.append(line.attributes())
        parameters.append((_bare(line.take()), type_))
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
        current.append(_Line(module, joined.strip()).instruction())
        joined = ""
    if "__device_stub__" in name:  # clang's own, though it says that the kernel's text is
        subprogram = None
        blocks = {label: [replace(one, place=None) for one in code if not isinstance(one.action, llvm.Declare)]
                  for label, code in blocks.items()}  # fmt: skip
    return llvm.Function(
        name, tuple(parameters), tuple(behind), {label: tuple(code) for label, code in blocks.items()},
        " ptx_kernel " in head, subprogram[1] if subprogram else None,
    )  # fmt: skip


def _variable(module: Module, name: str, text: str) -> llvm.Variable:
    space, constant, external = 0, False, False
    line = _Line(module, text)
    while line.next not in ("global", "constant"):
        word = line.take()
        external |= word in ("external", "extern_weak")
        if word == "addrspace":
            line.expect("(")
            space = int(line.take())
            line.expect(")")
        elif line.next == "(":
            line._balanced()
    constant = line.take() == "constant"
    type_ = line.type()
    initial = None if external or line.next in (",", "") else line.operand(type_)
    debug = [line.tokens[at + 1] for at, token in enumerate(line.tokens) if token == "!dbg"]
    return llvm.Variable(name, type_, space, constant, initial, tuple(debug))
