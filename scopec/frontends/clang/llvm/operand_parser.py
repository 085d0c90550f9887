"""Types and operands in a line of LLVM IR, read from left to right."""

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
FLOATS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16}
BINARY = frozenset(
    ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
     "fadd", "fsub", "fmul", "fdiv", "frem"]
)  # fmt: skip
CASTS = frozenset(
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


class Operands:
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
        if token in FLOATS:
            return llvm.Float(FLOATS[token])
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
        while (word := self.next) and (word[0].isalpha() or word[0] in '#"') and not self._is_operand(word):
            self.take()
            if word[0] == '"' and self.skip("="):  # of a target, as "nvvm.grid_constant"
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
        return word.startswith('c"') or word in ("getelementptr", *CASTS, *BINARY)

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
                return llvm.Undefined(poison=token == "poison")
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
            case _ if token in CASTS:
                self.expect("(")
                operand = self.typed()
                self.expect("to")
                cast = llvm.Cast(token, operand, self.type())
                self.expect(")")
                return llvm.Expression(cast)
            case _ if token in BINARY:
                flags = self.flags()
                self.expect("(")
                left = self.typed()
                self.expect(",")
                right = self.typed()
                self.expect(")")
                return llvm.Expression(llvm.Arithmetic(token, left.type, left.operand, right.operand, flags))
            case _ if token.startswith('c"'):
                return llvm.Text(unescaped(token[2:-1]))
            case _ if isinstance(type_, llvm.Float):
                return llvm.Real(token)
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


def unescaped(text: str) -> bytes:
    """The bytes of a text in quotes, in which others are written as two hexadecimal digits."""
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
