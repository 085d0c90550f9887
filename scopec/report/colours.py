"""Colours of source text on pages: comments, strings, directives and words, found by one regular expression.

Pygments would tell more apart, and is a package of several megabytes; a page needs no more than this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from scopec.base.excerpt import clean

_WORDS = """
    alignas auto bool break case catch char class const constexpr continue default delete do double else enum
    explicit extern false float for goto if inline int long namespace new noexcept nullptr operator private
    protected public return short signed sizeof static static_cast struct switch template this throw true try
    typedef typename union unsigned using virtual void volatile while __global__ __device__ __host__
    __shared__ __constant__ __managed__ __restrict__ asm exists forall
"""
_TOKEN = re.compile(
    r"(?P<directive>//@.*)|(?P<comment>//.*|/\*[\s\S]*?(?:\*/|\Z))"
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*')"""
    r"|(?P<directive_of_c>^[ \t]*#.*)"
    rf"|(?P<word>\b(?:{'|'.join(_WORDS.split())})\b)",
    re.MULTILINE,
)


def coloured(lines: Sequence[str]) -> list[Markup]:
    """The lines of a source as markup, each by itself: what spans several lines is coloured in each."""
    found = Markup("").join(_parts("\n".join(lines)))
    return [Markup(line) for line in found.split("\n")]


def _parts(text: str) -> Iterator[Markup]:
    end = 0
    for token in _TOKEN.finditer(text):
        yield _clean(text[end : token.start()])
        kind = (token.lastgroup or "").partition("_")[0]
        yield Markup("\n").join(
            Markup('<span class="{}">{}</span>').format(kind, clean(p)) for p in token[0].split("\n")
        )
        end = token.end()
    yield _clean(text[end:])


def _clean(text: str) -> Markup:
    return Markup("\n").join(clean(part) for part in text.split("\n"))
