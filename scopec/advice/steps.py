"""Steps by which a place that synchronises could do less, and what is spelt of it then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.explain.fixes import Replacement

if TYPE_CHECKING:
    from scopec.base.source import Source, Span


#: What steps save, most first: what is named "of a fence" is dearer there than at an access.
SAVES = (
    "barrier of a grid", "barrier of a cluster", "seq_cst of a fence", "barrier", "barrier of an object",
    "system of a fence", "seq_cst", "system", "acquire of a fence", "release of a fence", "fence", "proxy fence",
    "half of a proxy fence", "device of a fence",
    "acquire", "release", "device", "cluster of a fence", "cluster", "barrier of a warp",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a place does less: its name in the place, what it saves, and the steps that come before it."""

    name: str
    saves: str
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, from and to, and its spelling when some steps are taken."""

    start: int
    end: int
    spelt: Callable[[frozenset[str]], str]


@dataclass(frozen=True, slots=True)
class Place:
    """A place that synchronises: with the steps in ``gone``, if there are any, ``whole`` is spelt instead of words, and
    with it ``beside``, of what is in two statements."""

    span: Span
    steps: tuple[Step, ...]
    words: tuple[Word, ...]
    whole: Word | None = None
    gone: frozenset[str] = frozenset()
    beside: tuple[Word, ...] = ()

    def changes(self, source: Source, taken: frozenset[str]) -> Iterator[Replacement]:
        """The changes of the text that take steps of it."""
        for word in (self.whole, *self.beside) if self.whole is not None and self.gone <= taken else self.words:
            new = word.spelt(taken)
            if new != source.text[word.start : word.end]:
                yield Replacement(source.span(word.start, word.end), new)


# ---------------------------------------------------------------- orders and scopes as steps


#: What a place does that may acquire and release.
BOTH = frozenset({"acquire", "release"})
_HAS = {
    "seq_cst": {"seq_cst", "acquire", "release"}, "sc": {"seq_cst", "acquire", "release"},
    "acq_rel": {"acquire", "release"}, "acquire": {"acquire"}, "consume": {"acquire"}, "release": {"release"},
}  # fmt: skip
#: The scopes of each way to write them, widest first.
CXX_SCOPES = {"system": "system", "device": "device", "block": ""}
OPENCL_SCOPES = {"all_svm_devices": "system", "device": "device", "work_group": ""}
PTX_SCOPES = {"sys": "system", "gpu": "device", "cta": ""}
PTX_CLUSTER = {"cluster": "cluster", "cta": ""}
MEMBAR = {"sys": "system", "gl": "device", "cta": ""}


def order_steps(word: str, may: frozenset[str], of: str = "") -> tuple[Step, ...]:
    """The steps of an order of an operation that may acquire, release, or both."""
    has = _HAS.get(word, set()) & (may | {"seq_cst"})
    first = frozenset({"seq_cst"} & has)
    ordered = ("seq_cst", "acquire", "release")
    return tuple(
        Step(one, f"{one}{of}", frozenset() if one == "seq_cst" else first) for one in ordered if one in has
    )  # fmt: skip


def order_left(steps: tuple[Step, ...], taken: frozenset[str]) -> str:
    """The order that is left of an operation."""
    left = {step.name for step in steps} - taken
    if "seq_cst" in left:
        return "seq_cst"
    return "acq_rel" if len(left) == 2 else next(iter(left), "relaxed")


def scope_steps(word: str, scopes: dict[str, str], of: str = "") -> tuple[Step, ...]:
    """The steps from a scope down."""
    if word not in scopes:
        return ()
    names = [name for name in list(scopes.values())[list(scopes).index(word) :] if name]
    return tuple(Step(one, f"{one}{of}", frozenset(names[:at])) for at, one in enumerate(names))


def scope_left(word: str, scopes: dict[str, str], taken: frozenset[str]) -> str:
    """The word of the scope that is left."""
    words = list(scopes)
    at = words.index(word)
    while scopes[words[at]] in taken:
        at += 1
    return words[at]


def proxy_steps(spaces: tuple[str, ...]) -> tuple[Step, ...]:
    """The steps of a fence of a proxy that is about these state spaces: each is given up, and with all of them it."""
    if len(spaces) == 1:
        return (Step(spaces[0], "proxy fence"),)
    return tuple(Step(one, "half of a proxy fence") for one in spaces)


def word_place(
    source: Source, steps: tuple[Step, ...], at: tuple[int, int], spelt: Callable[[frozenset[str]], str]
) -> Place:
    """A place of one word."""
    return Place(source.span(*at), steps, (Word(*at, spelt),))


def scope_place(source: Source, at: tuple[int, int], scopes: dict[str, str], word: str) -> Place:
    """A place that is the word of a scope."""
    return word_place(source, scope_steps(word, scopes), at, partial(scope_left, word, scopes))


def removable(
    source: Source, code: str, at: tuple[int, int], steps: tuple[Step, ...], words: tuple[Word, ...],
    gone: frozenset[str],
) -> Place:  # fmt: skip
    """A call that goes with some steps: with its statement, where it is one, as none is of what a macro stands for."""
    if code[at[1] :].lstrip().startswith(";"):
        whole = removal(source, code, at[0], code.index(";", at[1]) + 1)
    else:
        whole = Word(*at, lambda _taken: "((void)0)")
    return Place(source.span(*at), steps, words, whole, gone)


def removal(source: Source, code: str, start: int, end: int) -> Word:
    """A statement that goes; an empty one stays where a condition may be about it."""
    if not code[:start].rstrip().endswith((";", "{", "}")):
        return Word(start, end, lambda _taken: ";")
    return removed_stretch(source, start, end)


def removed_stretch(source: Source, start: int, end: int) -> Word:
    """A stretch of a text that goes, with its line where that has nothing else."""
    line, below = source.position(start)[0], source.position(end)[0] + 1
    first, last = source.offset(line, 1), source.offset(below, 1)
    alone = not (source.text[first:start].strip() or source.text[end:last].strip()) and below <= len(source.lines)
    return Word(*((first, last) if alone else (start, end)), lambda _taken: "")
