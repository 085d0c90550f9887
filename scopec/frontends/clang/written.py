"""What is written where clang says that something is: it names the operator of an expression, people all of it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Source, Span

_TOKEN = re.compile(
    r"""(?://[^\n]*|/\*.*?\*/|\s)+ | (?P<token>
    (?P<operand> \w*"(?:\\.|[^"\\\n])*" | \w*'(?:\\.|[^'\\\n])*' | \.?\d(?:[eEpP][+-]|'?[\w.])* | [^\W\d]\w*)
    | <<= | >>= | <=> | << | >> | [-+*/%&|^=!<>]= | && | \|\| | \+\+ | -- | ->\*? | :: | . )""",
    re.VERBOSE | re.DOTALL,
)
#: How close operators bind ([expr.mul] to [expr.ass]).
_BINDING = {
    operator: binding
    for binding, operators in enumerate((
        "= *= /= %= += -= >>= <<= &= ^= |=", "? :", "||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<=>", "<< >>",
        "+ -", "* / %",
    ))
    for operator in operators.split()
}  # fmt: skip
_TIGHTEST = len(_BINDING)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_BEFORE_EXPRESSION = frozenset({"return", "case", "else", "do", "throw", "co_return", "co_yield", "co_await"})
_BEFORE_CONDITION = frozenset({"if", "while", "for", "switch", "constexpr"})
_ENDS = frozenset({",", ";", "(", "[", "{", ")", "]", "}", "?", ":"})


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    operand: bool
    #: The position of the other bracket, of a bracket.
    other: int | None = None


@cache
def _tokens(source: Source) -> tuple[_Token, ...]:
    found: list[_Token] = []
    opened: list[int] = []
    for match in _TOKEN.finditer(source.text):
        text = match["token"]
        if text is None:
            continue
        other = None
        if text in _PAIRS.values():
            opened.append(len(found))
        elif text in _PAIRS and opened and found[opened[-1]].text == _PAIRS[text]:
            other = opened.pop()
            begin = found[other]
            found[other] = _Token(begin.text, begin.start, begin.end, False, len(found))
        operand = match["operand"] is not None and text not in _BEFORE_EXPRESSION
        found.append(_Token(text, match.start(), match.end(), operand, other))
    return tuple(found)


def expression(source: Source, at: Span) -> Span:
    """The expression whose operator, or whose first name, is at a place of a source."""
    tokens = _tokens(source)
    here = next((n for n, token in enumerate(tokens) if source.position(token.start) == (at.line, at.column)), None)
    if here is None:
        return at
    if (binding := _binding(tokens, here)) < _TIGHTEST:
        return source.span(tokens[_first(tokens, here, binding)].start, tokens[_last(tokens, here, binding)].end)
    if (after := tokens[here + 1 : here + 2]) and after[0].text == "(" and after[0].other is not None:
        return source.span(tokens[here].start, tokens[after[0].other].end)
    return source.span(tokens[here].start, tokens[here].end)


def _binding(tokens: tuple[_Token, ...], at: int) -> int:
    """How close an operator with two operands binds, closer than any where there is none."""
    before = tokens[at - 1] if at else None
    ends = before is not None and (before.operand or before.text in (")", "]", "++", "--"))
    return _BINDING.get(tokens[at].text, _TIGHTEST) if ends else _TIGHTEST


def _first(tokens: tuple[_Token, ...], at: int, binding: int) -> int:
    """Where the left operand of an operator begins."""
    least = max(binding, 1)  # assignments go from right to left
    while at > 0:
        before = tokens[at - 1]
        if before.text in (")", "]") and before.other is not None:
            if tokens[before.other - 1].text in _BEFORE_CONDITION:
                return at
            at = before.other
        elif before.text == ">" and (cast := _cast(tokens, at)) is not None:
            at = cast
        elif before.text in _ENDS or before.text in _BEFORE_EXPRESSION or _binding(tokens, at - 1) < least:
            return at
        else:
            at -= 1
    return at


def _cast(tokens: tuple[_Token, ...], at: int) -> int | None:
    """Where the name of a cast is (`static_cast<int>`) that ends before ``at``, None if none does."""
    opening = next((n for n in range(at - 1, 0, -1) if tokens[n].text in ("<", ";")), 0)
    return opening - 1 if tokens[opening - 1].text.endswith("_cast") else None


def _last(tokens: tuple[_Token, ...], at: int, binding: int) -> int:
    """Where the right operand of an operator ends."""
    while at + 1 < len(tokens):
        after = tokens[at + 1]
        if after.text in _PAIRS.values() and after.other is not None:
            at = after.other
        elif after.text in (",", ";", *_PAIRS) or max(_binding(tokens, at + 1), 1) <= binding:
            return at
        else:
            at += 1
    return at
