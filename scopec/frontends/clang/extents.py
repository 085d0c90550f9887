"""The whole expression at a place, of which clang gives one character, to show it to people."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError
from scopec.frontends.scoped.syntax.scan import scan

if TYPE_CHECKING:
    from scopec.base.source import Source, Span

_TOKEN = re.compile(
    r"""[A-Za-z_]\w* | \.?\d[\w.']* | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | <<<|>>>|<=>|<<=|>>=|->|::|\+\+|--|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|[^\s\w]""",
    re.VERBOSE,
)
_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
_ANGLES = {"<<<": ">>>", "<": ">"}
_JOINING = {".", "->", "::"}
_ENDS = {";", ",", "?", ":", *_OPENING, *_CLOSING}
_STATEMENTS = {"return", "if", "while", "for", "do", "else", "switch", "case", "throw", "co_return"}
_BEFORE_CONDITION = {"if", "while", "for", "switch", "constexpr"}
_VOLATILE = {"volatile", "__volatile__", "__volatile"}
#: The precedence of operators ([expr.mul] to [expr.ass]).
_BINDING = {
    operator: binding
    for binding, operators in enumerate((
        "= *= /= %= += -= >>= <<= &= ^= |=", "? :", "||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<=>", "<< >>",
        "+ -", "* / %",
    ))
    for operator in operators.split()
}  # fmt: skip
_TIGHTEST = len(_BINDING)


class _Text:
    """The tokens of a text, and for each bracket its partner."""

    def __init__(self, code: str) -> None:
        found = list(_TOKEN.finditer(code))
        self.tokens = [match.group() for match in found]
        self.starts = [match.start() for match in found]
        self.partner: dict[int, int] = {}
        open_: list[int] = []
        for at, token in enumerate(self.tokens):
            if token in _OPENING:
                open_.append(at)
            elif token in _CLOSING and open_:
                self.partner[at] = open_.pop()
                self.partner[self.partner[at]] = at

    def token(self, at: int) -> str:
        return self.tokens[at] if 0 <= at < len(self.tokens) else ";"

    def primary_from(self, at: int) -> int:
        """The last token of the postfix expression that begins at, or goes on from, a name."""
        while True:
            following = self.token(at + 1)
            if following in ("(", "[") and at + 1 in self.partner:
                at = self.partner[at + 1]
            elif following in _VOLATILE and self.token(at).strip("_") == "asm":
                at += 1
            elif following in _JOINING and self.token(at)[-1] not in ")":
                at += 2
            elif following in _ANGLES and (end := self._angled(at + 1)) is not None:
                at = end
            else:
                return at
            if self.token(at) == ")":
                return at

    def _angled(self, at: int) -> int | None:
        """The end of a launch's configuration or of template arguments, before the parenthesis of the call."""
        for end in range(at + 1, min(at + 60, len(self.tokens))):
            if self.tokens[end] in (";", "{", "}", "&&", "||"):
                return None
            if self.tokens[end] == _ANGLES[self.tokens[at]]:
                return end if self.token(end + 1) == "(" else None
        return None

    def primary_to(self, at: int) -> int:
        """The first token of the postfix expression that has its member, or what is called, here."""
        while self.token(at - 1) in _JOINING:
            before = at - 2
            while self.token(before) in (")", "]") and before in self.partner:
                before = self.partner[before] - 1
            if self.token(before) == ">" and "<" in self.tokens[max(0, before - 40) : before]:
                before -= self.tokens[before::-1].index("<") + 1
            if not (self.token(before)[:1].isalnum() or self.token(before)[:1] == "_"):
                opened = before + 1  # a parenthesised expression
                return opened if self.token(opened) in _OPENING else at
            at = before
        return at

    def operation(self, at: int) -> tuple[int, int]:
        """The first and the last token of the expression whose operator is here."""
        binding = self._binding(at)
        return self._first(at, max(binding, 1)), self._last(at, binding)  # assignments go from right to left

    def _binding(self, at: int) -> int:
        """The precedence of an operator with two operands, higher than any if it is none."""
        before = self.token(at - 1)
        return _TIGHTEST if _begins(before) and before not in ("++", "--") else _BINDING.get(self.tokens[at], _TIGHTEST)

    def _first(self, at: int, least: int) -> int:
        while at > 0:
            before = self.tokens[at - 1]
            if before in (")", "]") and at - 1 in self.partner:
                if self.token(self.partner[at - 1] - 1) in _BEFORE_CONDITION:
                    return at
                at = self.partner[at - 1]
            elif before == ">" and (cast := self._cast(at - 1)) is not None:
                at = cast
            elif before in _ENDS or before in _STATEMENTS or self._binding(at - 1) < least:
                return at
            else:
                at -= 1
        return at

    def _cast(self, at: int) -> int | None:
        """The name of the cast (``static_cast<int>``) whose angle bracket closes here."""
        opening = next((n for n in range(at, 0, -1) if self.tokens[n] in ("<", ";")), 0)
        return opening - 1 if self.token(opening - 1).endswith("_cast") else None

    def _last(self, at: int, binding: int) -> int:
        while at + 1 < len(self.tokens):
            after = self.tokens[at + 1]
            if after in _OPENING and at + 1 in self.partner:
                at = self.partner[at + 1]
            elif after in (",", ";", *_CLOSING) or max(self._binding(at + 1), 1) <= binding:
                return at
            else:
                at += 1
        return at

    def around(self, at: int) -> tuple[int, int]:
        """The first and the last token of the expression that clang's place, a token, stands for."""
        token, before = self.tokens[at], self.token(at - 1)
        if token[0].isalpha() or token[0] == "_":
            initialised = self.token(at + 1) == "{" and at + 1 in self.partner
            return self.primary_to(at), self.partner[at + 1] if initialised else self.primary_from(at)
        if token in ("*", "&", "!", "~", "-", "+", "++", "--") and _begins(before):
            return at, self.around(at + 1)[1] if _begins(token) and at + 1 < len(self.tokens) else at
        if token in ("++", "--"):
            return self.primary_to(self._operand_before(at)), at
        if token in ("(", "[") and at in self.partner:
            return at, self.primary_from(self.partner[at])
        if token in _ENDS:
            return at, at
        return self.operation(at)

    def _operand_before(self, at: int) -> int:
        before = at - 1
        while self.token(before) in (")", "]") and before in self.partner:
            before = self.partner[before] - 1
        return max(before, 0)


def _begins(token: str) -> bool:
    """Whether an expression may begin behind this token."""
    return token in _STATEMENTS or not (token[0].isalnum() or token[0] in "_)]\"'")


@lru_cache(maxsize=8)
def _read(source: Source) -> tuple[_Text, ...]:
    """The text of a program, and that of its directives: launches are among them."""
    try:
        scanned = scan(source)
        return _Text(scanned.code), _Text(scanned.directives)
    except InputError:  # a header that ends in a comment
        return ()


def expression_at(source: Source, offset: int) -> Span | None:
    """The span of the expression that a place of clang's stands for, an offset in a source; None if no token is there.

    A name stands for what is called or accessed by it, with what it is a member of; an operator for its operands too.
    """
    for text in _read(source):
        at = bisect_right(text.starts, offset) - 1
        if at >= 0 and text.starts[at] == offset:
            first, last = text.around(at)
            return source.span(text.starts[first], text.starts[last] + len(text.tokens[last]))
    return None
