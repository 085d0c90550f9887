"""One line of LLVM IR, read from left to right: types, operands, instructions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.code import Operand, Type, Typed

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    r"""\s+
    | c?"(?:[^"\\]|\\.)*" | [@%!#$](?:"[^"]*"|[-\w.$]+) | -?\d+(?:\.\d+(?:e[-+]?\d+)?)?(?![\w.]) | 0x[0-9A-Fa-fKMLHR]+
    | [A-Za-z_][\w.]* | \.\.\. | .""",
    re.VERBOSE,
)
_FLOATS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16}
_BINARY = frozenset(
    ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
     "fadd", "fsub", "fmul", "fdiv", "frem"]
)  # fmt: skip
#: The numbers of std::memory_order for LLVM's orders.
_ORDERS = {"unordered": 0, "monotonic": 0, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
_SYSTEM_SCOPE = 4
#: The intrinsics for operations of `atomicrmw`.
_RMWS = {
    "xchg": "exchange", "umax": "fetch_max", "umin": "fetch_min", "fadd": "fetch_add", "fsub": "fetch_sub",
    **{name: f"fetch_{name}" for name in ("add", "sub", "and", "or", "xor", "max", "min")},
}  # fmt: skip
#: The letters of integers in mangled names, without a sign and with one, by their bytes.
_LETTERS = {1: "ha", 2: "ts", 4: "ji", 8: "ml", 16: "on"}
_CASTS = frozenset(
    ["trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
     "ptrtoint", "inttoptr", "bitcast", "addrspacecast"]
)  # fmt: skip
#: Words with an argument in parentheses, which says nothing that matters here.
_ATTRIBUTES = frozenset(
    ["dereferenceable", "dereferenceable_or_null", "captures", "memory", "range", "nofpclass", "initializes"]
)


def bare(name: str) -> str:
    """A name without its sigil and its quotes."""
    return name[1:].strip('"')


@lru_cache(maxsize=4096)  # the library's lines are alike on both sides, and in each variant
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token for token in _TOKEN.findall(text) if not token.isspace())


class Line:
    """The tokens of a line; ``named`` gives a type by its name."""

    def __init__(self, named: Callable[[str], Type], text: str) -> None:
        self._named = named
        self.tokens = _tokens(text)
        self.at = 0

    @property
    def next(self) -> str:
        """The token that comes next, empty behind the last."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        """The token that comes next; behind it the line goes on."""
        token = self.next
        self.at += 1
        return token

    def skip(self, *wanted: str) -> bool:
        """Go past the next token if it is one of these."""
        if self.next in wanted:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Go past this token."""
        found = self.take()
        assert found == token, (token, found, self.tokens)

    def listed(self, end: str, item: Callable[[], object]) -> None:
        """Read items between commas, up to a token and past it."""
        while not self.skip(end):
            item()
            self.skip(",")

    # ------------------------------------------------------------ types

    def type(self) -> Type:
        """A type."""
        found = self._type()
        while self.next == "(":  # the type of a function
            self.balanced()
            found = llvm.Void()
        return found

    def balanced(self) -> None:
        """Go past a pair of parentheses and what is between."""
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
            return self._named(bare(token))
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
        """An operand behind its type."""
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
                self.balanced()
        return behind

    def _is_operand(self, word: str) -> bool:
        if word in ("null", "undef", "poison", "true", "false", "zeroinitializer", "none", "asm"):
            return True
        return word.startswith('c"') or word in ("getelementptr", *_CASTS, *_BINARY)

    def operand(self, type_: Type) -> Operand:
        """An operand of a type."""
        token = self.take()
        if token[0] == "%":
            return llvm.Local(bare(token))
        if token[0] == "@":
            return llvm.Global(bare(token))
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
        """The words that say more of an operation, as ``nsw``."""
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
            self.balanced()
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
        """The whole line, as an instruction."""
        result = None
        if self.next[0] == "%" and self.tokens[1] == "=":
            result = bare(self.take())
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
            case "load" | "store" | "atomicrmw" | "cmpxchg" | "fence":
                return self._atomic(opcode)
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
                return llvm.Declare(address, self.take(), self.tokens[-2])
            case "br":
                return self._branch()
            case "switch":
                return self._switch()
            case "ret":
                return llvm.Return(None if self.skip("void") else self.typed())
            case "unreachable":
                return llvm.Unreachable()
            case "fneg" | "freeze":
                self.flags()
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
        self.flags()
        type_ = self.type()
        incoming = []
        while self.next == "[":
            self.take()
            value = self.operand(type_)
            self.expect(",")
            incoming.append((value, bare(self.take())))
            self.expect("]")
            self.skip(",")
        return llvm.Phi(type_, tuple(incoming))

    def _branch(self) -> llvm.Jump | llvm.Branch:
        if self.skip("label"):
            return llvm.Jump(bare(self.take()))
        condition = self.typed().operand
        labels = []
        while self.skip(","):
            if not self.skip("label"):
                break
            labels.append(bare(self.take()))
        return llvm.Branch(condition, labels[0], labels[1])

    def _switch(self) -> llvm.Switch:
        value = self.typed()
        self.expect(",")
        self.expect("label")
        default = bare(self.take())
        self.expect("[")
        cases = []
        while not self.skip("]"):
            case = self.typed().operand
            assert isinstance(case, llvm.Number)
            self.expect(",")
            self.expect("label")
            cases.append((case.value, bare(self.take())))
        return llvm.Switch(value, default, tuple(cases))

    def _call(self) -> llvm.Call | llvm.Assembly:
        self._conventions()
        type_ = self.type()
        if self.skip("asm"):
            words = set[str]()
            while not self.next.startswith('"'):
                words.add(self.take())
            text = _unescaped(self.take()[1:-1]).decode("utf-8", "replace")
            self.expect(",")
            constraints = self.take()[1:-1]
            arguments, _ = self._arguments()
            return llvm.Assembly(type_, text, constraints, arguments, "sideeffect" in words)
        function = self.operand(llvm.Pointer())
        arguments, byval = self._arguments()
        return llvm.Call(type_, function, arguments, byval)

    def _atomic(self, opcode: str) -> llvm.Action:
        """What the builtin functions of GCC and clang (`__sync_…`, `__atomic_…`) become: of the scope of the system."""
        weak = self.skip("atomic", "weak") and opcode == "cmpxchg"
        self.skip("volatile")
        operation = self.take() if opcode == "atomicrmw" else opcode
        found: list[Typed] = []
        type_ = self.type() if opcode == "load" else None
        self.skip(",")
        while self.next and self.next not in _ORDERS and self.next != "syncscope":
            found.append(self.typed())
            self.skip(",")
        alone = self.skip("syncscope")
        if alone:
            self.balanced()
        orders = [_ORDERS[self.take()]]
        if self.next in _ORDERS:
            orders.append(_ORDERS[self.take()])
        if opcode == "store":
            found.reverse()
        of = type_ or (found[1].type if found else llvm.Void())
        scope = _SYSTEM_SCOPE
        if opcode == "fence":
            return _intrinsic(opcode, "v", llvm.Void(), [], 0 if alone else orders[0], scope)
        if (
            name := {"load": "load", "store": "store", "cmpxchg": "cmpxchg"}.get(opcode) or _RMWS.get(operation)
        ) is None:
            return llvm.Other(f"{opcode} {operation}")
        letter = "P" if isinstance(of, llvm.Pointer) else _LETTERS[llvm.size(of)][not operation.startswith("u")]
        result = llvm.Struct((of, llvm.Int(1))) if opcode == "cmpxchg" else llvm.Void() if opcode == "store" else of
        return _intrinsic(name, letter, result, found, *orders, scope, *([weak] if opcode == "cmpxchg" else []))

    def _conventions(self) -> None:
        """Flags, calling conventions and attributes of what a call returns, in front of its type."""
        while not (self.next in ("ptr", "void", "[", "<", "{") or self.next in _FLOATS or self.next[0] == "%"
                   or (self.next[0] == "i" and self.next[1:].isdecimal())):  # fmt: skip
            word = self.take()
            if word == "align" and self.next != "(":
                self.take()
            elif self.next == "(":
                self.balanced()

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


def _intrinsic(name: str, letter: str, type_: Type, arguments: list[Typed], *numbers: int) -> llvm.Call:
    """A call of an intrinsic of the shims."""
    full = f"__scopec_{name}"
    given = (*arguments, *(Typed(llvm.Int(32), llvm.Number(int(number))) for number in numbers))
    function = llvm.Global(f"_Z{len(full)}{full}I{letter}E")
    return llvm.Call(type_, function, given, (None,) * len(given))


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
