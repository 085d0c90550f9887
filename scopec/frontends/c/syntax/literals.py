"""The values of literals."""

from __future__ import annotations

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.c.syntax import tree


def integer(span: Span, text: str) -> tree.Int:
    """The literal that a text denotes; InputError if its digits or suffix are none, or it needs more than 64 bits."""
    digits = text.lower().replace("'", "")
    body = digits.rstrip("ulz")
    suffix = digits[len(body) :]
    base = (
        16 if body.startswith("0x") else 2 if body.startswith("0b") else 8 if len(body) > 1 and body[0] == "0" else 10
    )
    try:
        value = int(body, base)
    except ValueError:
        raise error(Code.BAD_LITERAL, f"`{text}` is not a number", span) from None
    if suffix not in ("", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu"):
        raise error(Code.BAD_LITERAL, f"`{text}` has no such suffix", span, "use u, l, ul, ll or ull")
    if value >= 1 << 64:
        raise error(Code.BAD_LITERAL, f"{text} needs more than 64 bits", span)
    return tree.Int(span, value, unsigned="u" in suffix, long="l" in suffix or "z" in suffix)
