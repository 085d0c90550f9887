"""The shapes of a launch that a text suggests for a kernel: read off what the kernel asks for, and its own launches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.brackets import after_group, nested

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A launch: the kernel's name, its template arguments, the shape.
LAUNCH = re.compile(r"\b(\w+)\s*(<[^<>;{}]*>)?\s*<<[ \t]*<([^;{}]*?)>>[ \t]*>\s*\(")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_FUNCTION = re.compile(
    r"\b(?!(?:if|for|while|switch|catch)\b)(\w+)\s*\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)[\w\s]*\{"
)
_AXES = "xyz"
#: One block, or one thread.
_ONE = re.compile(r"(?:dim3\s*\()?\s*1\s*(?:,\s*1\s*)*\)?")
#: A number of lanes or of warps: of a kernel for blocks of whole warps.
_OF_WARPS = re.compile(
    r"(?i)\bwarpSize\b|\btiled_partition\b|\bthread_block_tile\b"
    r"|[/%]\s*(?:32u?|\w*WARP_?SIZE\w*)\b|>>\s*5\b|&\s*(?:31|0x1f)u?\b"
)
_WARP = "32"
#: What threads do with each other.
_SHARES = re.compile(r"\b__shared__\b|\b__sync|\bsync\s*\(|\batomic|\bbar(?:rier)?\.|\b__shfl")
#: The names before and after a sign of multiplication; casts and the objects of members come between.
_FACTORS = (
    re.compile(r"(\w+)\s*\)?\s*\*"),
    re.compile(r"\*\s*(?:\(\s*\w+\s*\)\s*)?(?:\w+\s*(?:\.|->)\s*)*(\w+)"),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a launch for a kernel, as far as a text says it.

    ``threads`` and ``grid`` are the axes along which the kernel asks who it is, none of those of which each launch of
    the text has one alone; ``blocks`` are shapes of a block that
    the text has for it, as written: of launches by host code, of ``__launch_bounds__``, of arrays in shared memory; and
    one warp, if it counts lanes or warps.  A ``cooperative`` one waits for its whole grid, a ``dynamic`` one has shared
    memory of the launch's size.  ``factors`` are the names that the kernel multiplies with, ``counts`` is whether it
    names a constant of its blocks, ``shares`` whether it has shared memory, barriers or atomic operations.
    """

    threads: str = "x"
    grid: str = ""
    blocks: tuple[str, ...] = ()
    cooperative: bool = False
    dynamic: bool = False
    factors: frozenset[str] = frozenset()
    counts: bool = False
    shares: bool = False


def shape_of(kernel: str, body: str, code: str) -> Shape:
    """The shape for a kernel of a name and a body, in a text with what the body uses."""
    reached = _reached(body, code)
    cooperative = re.search(r"\bthis_grid\s*\(|\bgrid_group\b", reached) is not None
    dynamic = re.search(r"\bextern\b[^;]*\b__shared__\b", code) is not None
    grid = _axes(reached, "blockIdx") or ("x" if cooperative else "")
    threads = _axes(reached, "threadIdx") or "x"
    of_warps = (_WARP,) if _OF_WARPS.search(reached) else ()
    blocks = tuple(dict.fromkeys((*_blocks(code, kernel, body), *of_warps)))
    launches = list(_launches(code, kernel))
    if launches and not _is_named_elsewhere(code, kernel):
        grid = "" if all(_is_one(sizes, code) for sizes, _ in launches) else grid
        threads = "" if all(_is_one(sizes, code) for _, sizes in launches) else threads
    factors = frozenset(name for beside in _FACTORS for name in beside.findall(reached))
    named = {size for _, size in launches if _is_constant(_declared(size, code))}
    counts = not _words(" ".join(blocks)).isdisjoint(_words(reached)) or bool(named & _names(reached))
    shares = _SHARES.search(reached) is not None
    return Shape(threads, grid, blocks, cooperative, dynamic, factors, counts, shares)


def _words(code: str) -> set[str]:
    """The constants of a text: names as macros and constants have them, and numbers from three on."""
    names = set(re.findall(r"\b[A-Z_][A-Z0-9_]+\b", code))
    return names | {number for number in re.findall(r"\b\d+\b", code) if int(number) > 2}


def _names(code: str) -> set[str]:
    return set(re.findall(r"\b[A-Za-z_]\w*", code))


def _reached(body: str, code: str) -> str:
    """A body with the functions and macros of a text that it names, and those that they name."""
    defined: dict[str, list[str]] = {}
    for function in _FUNCTION.finditer(code):
        defined.setdefault(function[1], []).append(code[function.start() : after_group(code, function.end() - 1, "{}")])
    for macro in _MACRO.finditer(code):
        defined.setdefault(macro[1], []).append(macro[2])
    found, waiting, seen = [body], [body], set[str]()
    while waiting:
        for word in set(re.findall(r"[A-Za-z_]\w*", waiting.pop())) - seen:
            seen.add(word)
            waiting += defined.get(word, [])
            found += defined.get(word, [])
    return "\n".join(found)


def _axes(code: str, name: str) -> str:
    """The axes of a built-in variable that a text mentions: the first, where it mentions the variable as a whole."""
    found = "".join(axis for axis in _AXES if re.search(rf"\b{name}\s*\.\s*{axis}\b", code))
    return found or ("x" if re.search(rf"\b{name}\b", code) else "")


def _launches(code: str, kernel: str) -> Iterator[tuple[str, str]]:
    """The grids and the blocks of a file's launches of a kernel, as written."""
    for match in LAUNCH.finditer(code):
        shape = list(split(match[3]))
        if match[1] == kernel and len(shape) >= 2:
            yield shape[0].strip(), shape[1].strip()


def _is_named_elsewhere(code: str, kernel: str) -> bool:
    """Whether a file may launch a kernel otherwise: it is passed to a function, or kept in a variable."""
    return re.search(rf"\b{kernel}\b(?!\s*(?:<[^;<>]*>\s*)?(?:<<[ \t]*<|\())", code) is not None


def _is_one(sizes: str, code: str) -> bool:
    """Whether sizes of a launch are one, those of a name too that is given a value once in the whole text."""
    if re.fullmatch(r"[A-Za-z_]\w*", sizes):
        given = re.findall(rf"\b{sizes}\s*(?:[({{]|(?:\.\s*\w+\s*)?[-+*/]?=(?!=))", code)
        return len(given) == 1 and _ONE.fullmatch(_declared(sizes, code)) is not None
    return _ONE.fullmatch(sizes) is not None


def _declared(sizes: str, code: str) -> str:
    """Sizes of a launch; of a name what it is declared as, if that is found."""
    if not re.fullmatch(r"\w+", sizes) or sizes.isdigit():
        return sizes
    begins = rf"\bdim3\s+(?:\w+\s*\([^;]*?\),\s*)?{sizes}\s*(?:=\s*(?:dim3\s*)?)?"
    declared = re.search(rf"{begins}[({{]([^;]*?)[)}}]\s*[,;]", code)
    named = re.search(rf"\b(?:const|constexpr)\b[^;]*\b{sizes}\s*=\s*([^;,]+)", code)
    return f"dim3({declared[1]})" if declared else sizes if sizes.isupper() else named[1] if named else ""


def _blocks(code: str, kernel: str, body: str) -> Iterator[str]:
    """Shapes of a block that a file has for a kernel, those that are constants."""
    blocks = (_declared(block, code) for _, block in _launches(code, kernel))
    yield from filter(_is_constant, blocks)
    if (bound := re.search(rf"\b__launch_bounds__\s*\(([^;{{}}()]*)\)[^;{{}}()]*\b{kernel}\s*\(", code)) is not None:
        yield bound[1].partition(",")[0].strip()
    for shared in re.finditer(r"\b__shared__\b[^;\[]*((?:\[[^\]]+\])+)", body):
        sizes = [size.partition("+")[0].strip() for size in re.findall(r"\[([^\]]+)\]", shared[1])]
        if len(sizes) < 3 and all(map(_is_constant, sizes)):
            yield sizes[0] if len(sizes) == 1 else f"dim3({', '.join(reversed(sizes))})"


def _is_constant(text: str) -> bool:
    """Whether a text is made of numbers and of names as macros and constants have them."""
    words = re.findall(r"[A-Za-z_]\w*", text)
    return bool(text) and all(word == "dim3" or word.isupper() for word in words)


def split(text: str) -> Iterator[str]:
    """The parts of a text between commas outside of brackets."""
    start = 0
    for at, sign, depth in nested(text, brackets="<>()[]"):
        if sign == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    if text[start:].strip():
        yield text[start:]
