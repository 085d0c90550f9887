"""The places of a text that synchronise, and how each could do a little less.

A step takes one thing from a place: seq_cst, an acquire, a release, the system's scope, a barrier.  What is left of the
place is spelt out of the steps that are taken, so steps of one place and of others go together in every way.  Whether
the text that comes of them is a program, and what it means, is found out by reading it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from scopec.advice.spelling import FUNCTION_SCOPES, ORDER
from scopec.advice.statements import bare, beginning, ending
from scopec.base.records import dataclass
from scopec.explain.fixes import Replacement
from scopec.frontends.scoped.syntax.scan import blank, scan

if TYPE_CHECKING:
    from re import Match

    from scopec.base.source import Source, Span

#: What steps save, most first: what is named "of a fence" is dearer there than at an access.
SAVES = (
    "seq_cst of a fence", "barrier", "system of a fence", "seq_cst", "system", "acquire of a fence",
    "release of a fence", "fence", "device of a fence", "acquire", "release", "device", "cluster of a fence", "cluster",
    "barrier of a warp",
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
    """A place that synchronises: with the steps in ``gone``, if there are any, ``whole`` is spelt instead of words."""

    span: Span
    steps: tuple[Step, ...]
    words: tuple[Word, ...]
    whole: Word | None = None
    gone: frozenset[str] = frozenset()

    def changes(self, source: Source, taken: frozenset[str]) -> Iterator[Replacement]:
        """The changes of the text that take steps of it."""
        for word in (self.whole,) if self.whole is not None and self.gone <= taken else self.words:
            new = word.spelt(taken)
            if new != source.text[word.start : word.end]:
                yield Replacement(source.span(word.start, word.end), new)


def places(source: Source) -> Iterator[Place]:
    """The places of a file, in no order."""
    if source.name.endswith(".ptx"):
        code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: blank(found.group()), source.text, flags=re.DOTALL)
        yield from _of_ptx(source, code, _removed_line)
    elif source.name.endswith(".litmus"):
        comments = r"//[^\n]*|\(\*.*?\*\)|/\*.*?\*/|\"[^\"]*\""
        code = re.sub(comments, lambda found: blank(found.group()), source.text, flags=re.DOTALL)
        if source.text.lstrip().startswith("PTX"):
            yield from _of_ptx(source, code, _blanked)
        else:
            yield from _of_cxx(source, code)
    else:
        yield from _of_cxx(source, bare(source))
        if "asm" in source.text:
            yield from _of_ptx(source, _literals(source), _removed_asm)


# ---------------------------------------------------------------- orders and scopes as steps


_HAS = {
    "seq_cst": {"seq_cst", "acquire", "release"}, "sc": {"seq_cst", "acquire", "release"},
    "acq_rel": {"acquire", "release"}, "acquire": {"acquire"}, "consume": {"acquire"}, "release": {"release"},
}  # fmt: skip
#: The scopes of each way to write them, widest first.
_CXX_SCOPES = {"system": "system", "device": "device", "block": ""}
_OPENCL_SCOPES = {"all_svm_devices": "system", "device": "device", "work_group": ""}
_PTX_SCOPES = {"sys": "system", "gpu": "device", "cta": ""}
_PTX_CLUSTER = {"cluster": "cluster", "cta": ""}
_MEMBAR = {"sys": "system", "gl": "device", "cta": ""}


def _orders(word: str, may: frozenset[str], of: str = "") -> tuple[Step, ...]:
    """The steps of an order of an operation that may acquire, release, or both."""
    has = _HAS.get(word, set()) & (may | {"seq_cst"})
    first = frozenset({"seq_cst"} & has)
    ordered = ("seq_cst", "acquire", "release")
    return tuple(
        Step(one, f"{one}{of}", frozenset() if one == "seq_cst" else first) for one in ordered if one in has
    )  # fmt: skip


def _order(steps: tuple[Step, ...], taken: frozenset[str]) -> str:
    left = {step.name for step in steps} - taken
    if "seq_cst" in left:
        return "seq_cst"
    return "acq_rel" if len(left) == 2 else next(iter(left), "relaxed")


def _scopes(word: str, scopes: dict[str, str], of: str = "") -> tuple[Step, ...]:
    """The steps from a scope down."""
    if word not in scopes:
        return ()
    names = [name for name in list(scopes.values())[list(scopes).index(word) :] if name]
    return tuple(Step(one, f"{one}{of}", frozenset(names[:at])) for at, one in enumerate(names))


def _scope(word: str, scopes: dict[str, str], taken: frozenset[str]) -> str:
    words = list(scopes)
    at = words.index(word)
    while scopes[words[at]] in taken:
        at += 1
    return words[at]


# ---------------------------------------------------------------- C++ and C


_LOADS = re.compile(r"(atomic_)?(load|wait)(_explicit)?|test")
_STORES = re.compile(r"(atomic_)?(store|clear)(_explicit)?")
_UPDATES = re.compile(r"(atomic_)?(fetch_\w+|exchange|test_and_set|compare_exchange_(weak|strong))(_explicit)?")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;]*>)?\s*$")
_FENCE = re.compile(r"(?:\b\w+::)*\batomic_thread_fence\s*\(([^();]*)\)")
_SCOPE = re.compile(r"\b(?:thread_scope_|thread_scope::)(system|device)\b|\bmemory_scope_(all_svm_devices|device)\b")
_BOTH = frozenset({"acquire", "release"})
_UNORDERED = re.compile(r"(?:\.|->)\s*(load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\(")
_ARGUMENTS = {"load": 0, "compare_exchange_weak": 2, "compare_exchange_strong": 2}
_UNSCOPED = re.compile(r"\bcuda::atomic(?:_ref)?\s*<([^<>;,()]+)(>)")
_THREADFENCE = re.compile(r"\b__threadfence(?P<scope>_system|_block)?\s*\(\s*\)")
_SYNC = re.compile(r"\b__sync(threads|warp)\s*\([^();]*\)")
_LEGACY = re.compile(r"\batomic[A-Z][A-Za-z]*?(_system|_block)?(?=\s*\()")


def _of_cxx(source: Source, code: str) -> Iterator[Place]:
    prefix = next((found[1] for found in re.finditer(r"\b((?:\w+::)*)memory_order[_:]", code)), "cuda::")
    fences = [found for found in _FENCE.finditer(code) if "memory_order" in found[1]]
    inside = [(found.start(), found.end()) for found in fences]
    for found in fences:
        yield _thread_fence(source, code, found)
    for found in ORDER.finditer(code):
        if not any(start <= found.start() < end for start, end in inside):
            at = (found.end(1), found.end())
            steps = _orders(code[at[0] : at[1]], _may(code, found.start()))
            yield _place(source, steps, at, partial(_order, steps))
    for found in _SCOPE.finditer(code):
        if not any(start <= found.start() < end for start, end in inside):
            scopes, number = (_CXX_SCOPES, 1) if found[1] else (_OPENCL_SCOPES, 2)
            yield _scope_place(source, found.span(number), scopes, found[number])
    yield from _unsaid(source, code, prefix)
    for found in _THREADFENCE.finditer(code):
        yield _threadfence(source, code, found, said="<cuda/atomic>" in source.text)
    for found in _SYNC.finditer(code):
        yield _barrier(source, code, found)
    for found in _LEGACY.finditer(code):
        scope = {"_system": "system", "_block": "block"}.get(found[1], "device")
        at = (found.start(1), found.end(1)) if found[1] else (found.end(), found.end())
        yield _place(source, _scopes(scope, _CXX_SCOPES), at, partial(_suffix, scope))


def _place(
    source: Source, steps: tuple[Step, ...], at: tuple[int, int], spelt: Callable[[frozenset[str]], str]
) -> Place:
    return Place(source.span(*at), steps, (Word(*at, spelt),))


def _suffix(scope: str, taken: frozenset[str]) -> str:
    return FUNCTION_SCOPES[_scope(scope, _CXX_SCOPES, taken)]


def _scope_place(source: Source, at: tuple[int, int], scopes: dict[str, str], word: str) -> Place:
    return _place(source, _scopes(word, scopes), at, partial(_scope, word, scopes))


def _may(code: str, at: int) -> frozenset[str]:
    """What the operation whose argument an order is may do; an order that is none is weakened to relaxed at once."""
    depth, commas, place = 0, 0, at
    while place and not (depth == 0 and code[place - 1] in "({;}="):
        place -= 1
        depth += (code[place] in ")]") - (code[place] in "([")
        commas += code[place] == "," and depth == 0
    called = _CALLED.search(code, 0, place - 1) if place and code[place - 1] == "(" else None
    name = called[1] if called else ""
    if _LOADS.fullmatch(name):
        return frozenset({"acquire"})
    if _STORES.fullmatch(name):
        return frozenset({"release"})
    if not _UPDATES.fullmatch(name):
        return frozenset()
    failure = "compare_exchange" in name and commas == (4 if name.startswith("atomic_") else 3)
    return frozenset({"acquire"}) if failure else _BOTH


def _unsaid(source: Source, code: str, prefix: str) -> Iterator[Place]:
    """Orders and scopes that are not written, which are the strongest."""
    for found in _UNORDERED.finditer(code):
        end, arguments = _arguments(code, found.end())
        if end is not None and len(arguments) == _ARGUMENTS.get(found[1], 1):
            may = {"load": frozenset({"acquire"}), "store": frozenset({"release"})}.get(found[1], _BOTH)
            steps = _orders("seq_cst", may)
            comma = ", " if arguments else ""

            def spelt(taken: frozenset[str], steps: tuple[Step, ...] = steps, comma: str = comma) -> str:
                order = _order(steps, taken)
                return "" if order == "seq_cst" else f"{comma}{prefix}memory_order_{order}"

            yield _place(source, steps, (end, end), spelt)
    for found in _UNSCOPED.finditer(code):
        if "thread_scope" not in found[1]:
            yield _place(source, _scopes("system", _CXX_SCOPES), (found.start(2), found.start(2)), _scope_argument)


def _scope_argument(taken: frozenset[str]) -> str:
    scope = _scope("system", _CXX_SCOPES, taken)
    return "" if scope == "system" else f", cuda::thread_scope_{scope}"


def _arguments(code: str, at: int) -> tuple[int | None, list[str]]:
    """The place of the bracket that closes a list of arguments, and these."""
    depth, begin, found = 0, at, list[str]()
    for place in range(at, len(code)):
        letter = code[place]
        if depth == 0 and letter in ",)":
            found.append(code[begin:place].strip())
            begin = place + 1
        if depth == 0 and letter == ")":
            return place, [one for one in found if one]
        depth += (letter in "([{") - (letter in ")]}")
    return None, []


def _thread_fence(source: Source, code: str, found: Match[str]) -> Place:
    words: list[Word] = []
    steps: tuple[Step, ...] = ()
    order = next(iter(ORDER.finditer(code, found.start(1), found.end(1))), None)
    if order is not None:
        at = (order.end(1), order.end())
        orders = steps = _orders(code[at[0] : at[1]], _BOTH, " of a fence")
        words.append(Word(*at, lambda taken: _order(orders, taken)))
    scope = next(iter(_SCOPE.finditer(code, found.start(1), found.end(1))), None)
    if scope is not None and scope[1]:
        word = scope[1]
        steps += _scopes(word, _CXX_SCOPES, " of a fence")
        words.append(Word(*scope.span(1), lambda taken: _scope(word, _CXX_SCOPES, taken)))
    elif "," not in found[1] and "cuda::" in found.group():
        steps += _scopes("system", _CXX_SCOPES, " of a fence")
        words.append(Word(found.end(1), found.end(1), _scope_argument))
    ordered = {"seq_cst", "acquire", "release"} & {step.name for step in steps}
    return _removable(source, code, found.span(), steps, tuple(words), frozenset(ordered))


def _threadfence(source: Source, code: str, found: Match[str], *, said: bool) -> Place:
    """A ``__threadfence``: ``said`` is whether the library's fence can be named instead."""
    word = {"_system": "system", "_block": "block"}.get(found["scope"] or "", "device")
    scopes = _scopes(word, _CXX_SCOPES, " of a fence")
    orders = _orders("seq_cst", _BOTH, " of a fence") if said else ()

    def spelt(taken: frozenset[str]) -> str:
        scope = _scope(word, _CXX_SCOPES, taken)
        if "seq_cst" in taken:
            order = _order(orders, taken)
            return f"cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_{scope})"
        return f"__threadfence{FUNCTION_SCOPES[scope]}()" if scope != word else found.group()

    last = () if said else (Step("fence", "fence", frozenset(step.name for step in scopes)),)
    gone = frozenset(step.name for step in orders or last)
    return _removable(source, code, found.span(), (*orders, *scopes, *last), (Word(*found.span(), spelt),), gone)


#: The mask of a warp's barrier that may be written for a block's.
_WARP = "__syncwarp()"


def _barrier(source: Source, code: str, found: Match[str]) -> Place:
    warp = Step("warp", "barrier of a warp", frozenset({"barrier"} if found[1] == "threads" else ()))
    steps = (Step("barrier", "barrier"), warp) if found[1] == "threads" else (warp,)
    words = (Word(*found.span(), lambda taken: _WARP if "barrier" in taken else found.group()),)
    return _removable(source, code, found.span(), steps, words, frozenset({"warp"}))


def _removable(
    source: Source, code: str, at: tuple[int, int], steps: tuple[Step, ...], words: tuple[Word, ...],
    gone: frozenset[str],
) -> Place:  # fmt: skip
    """A call that goes with some steps, if it is a statement; otherwise what only its going would take stays."""
    if code[at[1] :].lstrip().startswith(";"):
        return Place(source.span(*at), steps, words, _removal(source, code, at[0], code.index(";", at[1]) + 1), gone)
    return Place(source.span(*at), tuple(one for one in steps if one.name not in ("fence", "warp")), words)


def _removal(source: Source, code: str, start: int, end: int) -> Word:
    """A statement that goes; an empty one stays where a condition may be about it."""
    if not code[:start].rstrip().endswith((";", "{", "}")):
        return Word(start, end, lambda _taken: ";")
    return _removed(source, start, end)


def _removed(source: Source, start: int, end: int) -> Word:
    """A stretch of a text that goes, with its line where that has nothing else."""
    line, below = source.position(start)[0], source.position(end)[0] + 1
    first, last = source.offset(line, 1), source.offset(below, 1)
    alone = not (source.text[first:start].strip() or source.text[end:last].strip()) and below <= len(source.lines)
    return Word(*((first, last) if alone else (start, end)), lambda _taken: "")


# ---------------------------------------------------------------- PTX


_INSTRUCTION = re.compile(
    r"(?<![\w.%$])(?P<op>ld|st|atom|red|fence|membar|bar(?:rier)?(?:\.cta)?\.sync)(?P<words>(?:\.\w+(?:::\w+)*)*)(?![\w:])"
)
_WORDS = re.compile(r"(?<=\.)\w+(?:::\w+)*")
_MAY = {"ld": frozenset({"acquire"}), "st": frozenset({"release"})}
_ORDERS = ("sc", "acq_rel", "acquire", "release", "relaxed")
_PTX_ORDERS = {"seq_cst": "sc"}
_Remove = Callable[["Source", str, int], "Word | None"]


def _of_ptx(source: Source, code: str, remove: _Remove) -> Iterator[Place]:
    for found in _INSTRUCTION.finditer(code):
        words = {word.group(): word.span() for word in _WORDS.finditer(code, *found.span("words"))}
        if found["op"] == "fence" and not words.keys() & {"sc", "acq_rel", "acquire", "release"}:
            continue
        if found["op"] in ("ld", "st", "atom", "red"):
            yield from _access(source, found["op"], words)
        elif whole := remove(source, code, found.start()):
            yield _removed_instruction(source, code, found, words, whole)


def _access(source: Source, name: str, words: dict[str, tuple[int, int]]) -> Iterator[Place]:
    for word, at in words.items():
        if word in _ORDERS:
            steps = _orders(word, _MAY.get(name, _BOTH))
            yield _place(source, steps, at, partial(_order, steps))
        else:
            scopes = _PTX_CLUSTER if word == "cluster" else _PTX_SCOPES
            if word in scopes:
                yield _scope_place(source, at, scopes, word)


def _removed_instruction(
    source: Source, code: str, found: Match[str], words: dict[str, tuple[int, int]], whole: Word
) -> Place:
    """A fence or barrier, which goes in the end."""
    at = found.span()
    if found["op"].startswith("bar"):
        number = re.compile(r"\s+0\s*;").match(code, at[1])
        if number is None or source.name.endswith(".litmus"):
            return Place(source.span(*at), (Step("barrier", "barrier"),), (), whole, frozenset({"barrier"}))
        to = Word(
            at[0],
            number.end(),
            lambda taken: "bar.warp.sync 0xffffffff;" if taken else source.text[at[0] : number.end()],
        )
        steps = (Step("barrier", "barrier"), Step("warp", "barrier of a warp", frozenset({"barrier"})))
        return Place(source.span(*at), steps, (to,), whole, frozenset({"warp"}))
    weaker = (Step("seq_cst", "seq_cst of a fence"),) if found["op"] == "membar" or "sc" in words else ()
    scopes = _MEMBAR if found["op"] == "membar" else _PTX_CLUSTER if "cluster" in words else _PTX_SCOPES
    word = next((one for one in words if one in scopes), "")
    steps = (*weaker, *_scopes(word, scopes, " of a fence"))
    order = next((one for one in words if one in _ORDERS), "sc")

    def spelt(taken: frozenset[str]) -> str:
        scope = _scope(word, scopes, taken) if word else ""
        if found["op"] == "membar" and "seq_cst" not in taken:
            return f"membar.{scope}" if scope != word else found.group()
        if found["op"] == "membar":
            scope = list(_PTX_SCOPES)[list(scopes).index(scope)]
        return ".".join(filter(None, ("fence", "acq_rel" if "seq_cst" in taken else order, scope)))

    last = Step("fence", "fence", frozenset(step.name for step in weaker))
    return Place(source.span(*at), (*steps, last), (Word(*at, spelt),), whole, frozenset({"fence"}))


_PREDICATE = re.compile(r"@!?%?[\w$]+\s+$")


def _statement(code: str, at: int) -> tuple[int, int] | None:
    """An instruction from its predicate to its semicolon."""
    end = code.find(";", at)
    predicate = _PREDICATE.search(code, max(code.rfind("\n", 0, at), code.rfind(";", 0, at)) + 1, at)
    return None if end < 0 else (predicate.start() if predicate else at, end + 1)


def _removed_line(source: Source, code: str, at: int) -> Word | None:
    """An instruction of a file of PTX."""
    found = _statement(code, at)
    return None if found is None else _removed(source, *found)


def _blanked(_source: Source, code: str, at: int) -> Word | None:
    """A cell of a litmus file's table."""
    end = re.compile(r"[|;]").search(code, at)
    return None if end is None else Word(at, end.start(), lambda _taken: " " * (end.start() - at))


def _removed_asm(source: Source, code: str, at: int) -> Word | None:
    """An instruction in a string: with the ``asm`` around it, if that has nothing else."""
    found = _statement(code, at)
    if found is None:
        return None
    outside = bare(source)
    start, end = beginning(outside, at), ending(outside, at)
    if end is not None and re.match(r"(?:__)?asm", outside[start:]):
        said = re.sub(r'"memory"|"', "", code[start:end])
        if said.strip() == code[slice(*found)]:
            return _removal(source, outside, start, end)
    return Word(*found, lambda _taken: "")


def _literals(source: Source) -> str:
    """A C++ text of which only what is in literals is left."""
    code, without = scan(source).code, bare(source)
    return "".join(
        one if other.isspace() and not one.isspace() else "\n" if one == "\n" else " "
        for one, other in zip(code, without, strict=True)
    )
