"""What to say when a scoped-CUDA text does not parse."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial

from scopec.base.diagnostics import Code, suggestion
from scopec.frontends.parse import expected, short

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
    "race_free", "race", "allowed", "forbidden", "required", "terminates", "may_hang", "progresses", "may_stall",
)  # fmt: skip

#: How terminals are named in messages; the others are shown as they are written.
_TERMINALS = {
    "NAME": "a name", "INT": "a number", "TYPE_NAME": "a type", "INT_WORD": "a type", "TEMPLATE_NAME": "a type",
    "SPECIFIER": "a type", "SEMICOLON": "`;`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`", "RBRACE": "`}`",
    "LSQB": "`[`", "RSQB": "`]`", "COMMA": "`,`", "EQUAL": "`=`", "COLON": "`:`", "__ANON_0": "`<<<`",
    "__ANON_1": "`>>>`", "WORD": "a value", "GREATER": "`>`", "LESS": "`<`", "WHILE": "`while`", "IN": "`in`",
    "LANGUAGE": "`scoped` or `c++`",
    "PATH": "the name of a file in quotation marks",
}  # fmt: skip

_wanted = partial(expected, terminals=_TERMINALS, most=5)
_PREVIOUS_NAME = re.compile(r"([A-Za-z_]\w*(?:::\w+)*)\s*\Z")


@dataclass(frozen=True)
class Said:
    """A message; ``place`` is its offset and length where that is not where the parser stopped."""

    code: Code
    message: str
    help: str | None = None
    place: tuple[int, int] | None = None


def describe(text: str, offset: int, found: str | None, wanted: set[str], *, in_directive: bool) -> Said:
    """The message for a parser that stopped at ``offset`` on ``found`` (None: the end) and wanted other terminals."""
    if in_directive:
        return _in_directive(found, wanted)
    if found is None:
        help_: str | None = "is a `}` missing?" if "RBRACE" in wanted else None
        return Said(Code.SYNTAX, f"the file ends in the middle of a construct{_wanted(wanted)}", help_)
    if {"INT", "NAME", "LPAR"} <= wanted and not re.match(r"\w", found):
        return Said(Code.SYNTAX, f"an expression is missing before `{short(found)}`")
    code_before = text[:offset].rstrip()
    if (
        "SEMICOLON" in wanted
        and code_before[-1:] not in ("", ";", "{", "}")
        and "\n" in text[len(code_before) : offset]
    ):
        line = code_before.count("\n") + 1
        return Said(
            Code.SYNTAX,
            f"unexpected `{short(found)}`{_wanted(wanted)}",
            f"is a `;` missing at the end of line {line}?",
        )
    named = re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", found)
    if named and "INT_WORD" in wanted and "NAME" not in wanted:
        return _not_a_type(found)
    before = _PREVIOUS_NAME.search(text, max(0, offset - 200), offset)
    if before and found in ("*", "&", "&&"):
        return Said(Code.OUTSIDE_SUBSET, "a pointer or reference here is outside the scoped language")
    is_type = before is not None and before.group(1) in (*_TYPES, "sizeof")
    if before and not is_type and (named or (found == "<" and "::" in before.group(1))) and "INT_WORD" not in wanted:
        return replace(_not_a_type(before.group(1)), place=(before.start(1), len(before.group(1))))
    return Said(Code.SYNTAX, f"unexpected `{short(found)}`{_wanted(wanted)}")


def _not_a_type(name: str) -> Said:
    if name.startswith("__"):
        help_ = suggestion(name, _QUALIFIERS)
        return Said(Code.UNKNOWN_TYPE, f"`{name}` is neither a type nor a specifier", help_)
    return Said(Code.UNKNOWN_TYPE, f"`{name}` is not a type of the scoped language", suggestion(name, _TYPES))


def _in_directive(found: str | None, wanted: set[str]) -> Said:
    if found is None:
        return Said(
            Code.BAD_DIRECTIVE,
            f"this directive is not finished{_wanted(wanted)}",
            "end each directive with `;`",
        )
    if "EXPECT" in wanted and "VARY" in wanted:
        help_ = suggestion(found, _DIRECTIVES) or f"the directives are {', '.join(_DIRECTIVES)}"
        return Said(Code.BAD_DIRECTIVE, f"`{short(found)}` is not a directive", help_)
    if "PLAIN_KIND" in wanted:
        help_ = suggestion(found, _KINDS) or f"one can expect {', '.join(_KINDS)}"
        return Said(Code.BAD_DIRECTIVE, f"`{short(found)}` is not something to expect", help_)
    ending = "end each directive with `;`" if "SEMICOLON" in wanted else None
    return Said(Code.BAD_DIRECTIVE, f"unexpected `{short(found)}`{_wanted(wanted)}", ending)
