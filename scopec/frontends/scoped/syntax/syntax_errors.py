"""Messages for a scoped-CUDA text that does not parse."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, suggestion
from scopec.base.records import dataclass
from scopec.frontends.parse import expected, missing_semicolon, short

if TYPE_CHECKING:
    from lark import Lark

#: Keywords of C++ that the scoped language has not.
RESERVED = frozenset({
    "alignas", "alignof", "asm", "__asm__", "__asm", "_asm", "case", "catch", "class", "co_await", "co_return",
    "co_yield", "concept", "const_cast", "decltype", "default", "delete", "double", "dynamic_cast", "enum",
    "explicit", "extern", "float", "friend", "goto", "inline", "mutable", "new", "noexcept", "operator", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "thread_local", "throw", "try", "typedef", "typeid", "typename", "union",
    "using", "virtual",
})  # fmt: skip

_QUALIFIERS = ("__global__", "__device__", "__managed__", "__shared__")
_TYPES = ("int", "bool", "void", "unsigned", "char", "short", "long", "auto", "size_t", "cudaStream_t")
_DIRECTIVES = (
    "expect", "vary", "launch", "object", "bound", "given", "options", "storage", "language", "kernels", "allow",
)  # fmt: skip
_KINDS = (
    "race_free", "race", "undefined", "allowed", "forbidden", "required", "terminates", "may_hang", "progresses",
    "may_stall",
)  # fmt: skip

_KEYWORDS = ("else", "while", "return", "for", "if", "break", "continue", "do")
_CONNECTIVES = {"and": "&&", "or": "||", "not": "!", "/\\": "&&", "\\/": "||", "~": "!"}
#: The notation of directives of one form.
_WRITTEN = {
    "launch": "launch kernel<<<blocks, threads>>>(arguments);",
    "bound": "bound unroll = 3;",
    "given": "given p2pNativeAtomicSupported = 1;",
    "options": "options thin_air = syntactic;",
    "vary": "vary NAME in {1, 2};",
}

_PREVIOUS_NAME = re.compile(r"([A-Za-z_]\w*(?:::\w+)*)\s*\Z")


@dataclass(frozen=True)
class Said:
    """A message; ``place`` is its offset and length where that is not where the parser stopped."""

    code: Code
    message: str
    help: str | None = None
    place: tuple[int, int] | None = None


def describe(text: str, offset: int, found: str | None, wanted: set[str], parser: Lark, *, in_directive: bool) -> Said:
    """The message for a parser that stopped at ``offset`` on ``found`` (None: the end) and wanted other terminals."""
    code = Code.BAD_DIRECTIVE if in_directive else Code.SYNTAX
    instead = expected(wanted, parser, 6)
    if found is not None:
        if (missing := missing_semicolon(text, offset, f"`{short(found)}`", wanted)) is not None:
            message, at, help_ = missing
            return Said(code, message, help_, (at, 0))
        if {"INT", "NAME", "LPAR"} <= wanted and not re.match(r"[\w\"\\~]", found):
            return Said(code, f"an expression is missing before `{short(found)}`")
    if in_directive:
        return _in_directive(text, offset, found, wanted, instead)
    if found is None:
        if (brace := unclosed(text)) is not None:
            return Said(Code.SYNTAX, "this `{` is never closed", "is a `}` missing?", (brace, 1))
        return Said(Code.SYNTAX, f"the file ends in the middle of a construct{instead}")
    if found.startswith('"'):
        return Said(Code.OUTSIDE_SUBSET, "a string is outside the scoped language")
    if found == "=" and "EQUALITY" in wanted:
        return Said(Code.SYNTAX, f"unexpected `=`{instead}", "did you mean `==`?")
    named = re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", found)
    if found in _KEYWORDS and "INT_WORD" in wanted and "IF" not in wanted:
        message = f"`{found}` stands outside every function"
        return Said(Code.SYNTAX, message, "is there a `}` too many before it?")
    if named and "INT_WORD" in wanted and "NAME" not in wanted:
        return _not_a_type(found)
    before = _PREVIOUS_NAME.search(text, max(0, offset - 200), offset)
    if before and before.group(1) not in _KEYWORDS and (meant := suggestion(before.group(1), _KEYWORDS)):
        place = before.start(1), len(before.group(1))
        return Said(Code.SYNTAX, f"unexpected `{before.group(1)}`", meant, place)
    if before and found in ("*", "&", "&&"):
        return Said(Code.OUTSIDE_SUBSET, "a pointer or reference here is outside the scoped language")
    is_type = before is not None and before.group(1) in (*_TYPES, "sizeof")
    if before and not is_type and (named or (found == "<" and "::" in before.group(1))) and "INT_WORD" not in wanted:
        return replace(_not_a_type(before.group(1)), place=(before.start(1), len(before.group(1))))
    return Said(Code.SYNTAX, f"unexpected `{short(found)}`{instead}")


def unclosed(code: str) -> int | None:
    """The last `{` that nothing closes, in program text without comments and literals; None without one."""
    opened = []
    for brace in re.finditer(r"[{}]", code):
        if brace.group() == "{":
            opened.append(brace.start())
        elif opened:
            opened.pop()
    return opened[-1] if opened else None


def _not_a_type(name: str) -> Said:
    if name.startswith("__"):
        help_ = suggestion(name, _QUALIFIERS)
        return Said(Code.UNKNOWN_TYPE, f"`{name}` is neither a type nor a specifier", help_)
    return Said(Code.UNKNOWN_TYPE, f"`{name}` is not a type of the scoped language", suggestion(name, _TYPES))


def _in_directive(text: str, offset: int, found: str | None, wanted: set[str], instead: str) -> Said:
    if found is None:
        return Said(Code.BAD_DIRECTIVE, f"this directive is not finished{instead}", "end each directive with `;`")
    if text.startswith("//", offset):
        message = "nothing but directives may stand behind `//@`, and no comment"
        return Said(Code.BAD_DIRECTIVE, message, "put it on a line of its own", (offset, 2))
    first = "EXPECT" in wanted and "VARY" in wanted
    for begins, known, what in ((first, _DIRECTIVES, "a directive"), ("PLAIN_KIND" in wanted, _KINDS, _QUESTION)):
        if begins:
            help_ = suggestion(found, known) or f"{_AMONG[what]} {', '.join(known)}"
            return Said(Code.BAD_DIRECTIVE, f"`{short(found)}` is not {what}", help_)
    hyphened = re.compile(r"[\w-]+").match(text, text.rfind(" ", 0, offset) + 1)
    if found == "-" and hyphened and (meant := suggestion(hyphened.group().replace("-", "_"), _KINDS)):
        place = hyphened.start(), len(hyphened.group())
        return Said(Code.BAD_DIRECTIVE, f"`{hyphened.group()}` is not {_QUESTION}", meant, place)
    return Said(Code.BAD_DIRECTIVE, f"unexpected `{short(found)}`{instead}", _meant(text, offset, found, wanted))


_QUESTION = "something to expect"
_AMONG = {"a directive": "the directives are", _QUESTION: "one can expect"}


def _meant(text: str, offset: int, found: str, wanted: set[str]) -> str | None:
    """A guess what is meant in a directive that stops making sense, or how directives of its kind are written."""
    for written in (found, text[offset - 1 : offset + 1], text[offset : offset + 2]):
        if written in _CONNECTIVES:
            return f"did you mean `{_CONNECTIVES[written]}`?"
    if found == "=" and "EQUALITY" in wanted:
        return "did you mean `==`?"
    if found == "=" and text[offset - 1] == "=":
        return "did you mean `=`?"
    kind = re.search(r"\w+", text[text.rfind(";", 0, offset) + 1 :])
    if kind is not None and kind.group() == "expect" and (found == "," or found in _KINDS):
        return "write one `expect …;` for each"
    if kind is not None and kind.group() in _WRITTEN and "SEMICOLON" not in wanted:
        return f"write `{_WRITTEN[kind.group()]}`"
    return "end each directive with `;`" if "SEMICOLON" in wanted else None
