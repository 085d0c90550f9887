"""Patches of a program's text before clang reads it: directives become C++, and every place stays where it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.base.source import Source
from scopec.frontends.c.names import ORDERS
from scopec.frontends.clang.brackets import nested
from scopec.frontends.launches import beside_main
from scopec.frontends.scoped.lower.names import SCOPES
from scopec.frontends.scoped.syntax.scan import Scanned, blank, scan, without_literals

#: Before the name of each constant that is asked for.
CONSTANT = "__scopec_constant_"
_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_DIRECTIVE = re.compile(rf"(?<!\w)(?P<kind>[a-z_]+)(?P<text>(?:[^;{{]|{_BRACES})*;)")
#: The definition of `main`.
MAIN = re.compile(r"\b(?:int|auto)\s+main\s*\(")
#: A launch of which all blocks are resident.
_COOPERATIVE = re.compile(
    r"\s*cooperative\b(?P<kernel>[^;]*?)<<<(?P<shape>[^;]*)>>>\s*\((?P<rest>[^;]*)\)\s*;", re.DOTALL
)
_ASM = re.compile(r"\b(?:asm|__asm|__asm__)\b\s*(?:volatile|__volatile__)?\s*\(")
#: A special register of PTX behind one sign.
_SPECIAL = re.compile(
    r" ?(?<!%)%(?=(?:n?tid|n?ctaid|laneid|n?warpid|n?smid|gridid|lanemask_\w+|clock\w*|globaltimer\w*|cluster_\w+"
    r"|n?clusterid|dynamic_smem_size|total_smem_size)\b)"
)
#: A launch whose signs have blanks between them, as formatters write it and nvcc takes it.
_SPACED = re.compile(r"(<<[ \t]*<)([^;{}]*?)(>>[ \t]*>)(?=\s*\()")
_BEFORE_STRING = re.compile(r'\s*(?=")')
_CONSTANT = re.compile(r"\b(?:const|constexpr)\b")

#: What only all launches are asked.
_OF_BARRIERS = re.compile(r"\s*(?:uniform|divergent)\b")
_EVERY = re.compile(r"\s*([\w:<>, ]+?)\s*(\bas\s+launched\b\s*)?(?:\bwhere\b\s*([^;]*\S)\s*)?;")

#: What a condition may call: whether the elements of an array of integers differ, whether a number is a power of two.
_PREDICATES = {
    "unique": "[[maybe_unused]] auto unique = [](const auto* p) {"
    ' static_assert(__is_integral(__remove_cvref(decltype(*p))), "unique is asked of an array of integers");'
    " return __scopec_unique(p, sizeof *p); };",
    "pow2": "[[maybe_unused]] auto pow2 = [](auto n) { return n > 0 && (n & (n - 1)) == 0; };",
}

#: Positions in a text: from the first, to that after the last.
Part = tuple[int, int]


def prepared(source: Source, chosen: Mapping[str, str] | None = None, asked: Collection[str] = ()) -> str:
    """The text that clang reads in place of a file's.

    ``//@ object`` directives are declarations, in place.  The constants that ``chosen`` names have its values for
    initialisers (``device`` and ``relaxed`` are short for the names of the libraries).  For each name of ``asked``
    there is an object ``__scopec_constant_NAME`` of type long on the device, whose initialiser is its value (0 for one
    that is neither an integer nor an enumerator).  Operands of ``asm`` get the commas that nvcc does without, special
    registers in it both of their signs, and the signs of launches have no blanks.  Without a ``main`` there is one that
    does the launches of ``//@ launch`` directives, in order, and waits for the device.

    Raises InputError for a comment or literal without an end, and for launches beside a ``main``.
    """
    scanned = scan(source)
    code = without_literals(scanned.code)
    parts: dict[str, list[Part]] = {"object": [], "launch": []}
    for match in _DIRECTIVE.finditer(scanned.directives):
        parts.setdefault(match["kind"], []).append(match.span("text"))
    text = _declared(source.text, scanned, parts["object"])
    overrides = [_override(source, code, name, _full(value)) for name, value in (chosen or {}).items()]
    changes = [*(o for o in overrides if o is not None), *_commas(scanned.code, code), *_percents(scanned.code, code)]
    changes += _launches(code)
    for (start, end), new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    for start, end in parts["launch"]:
        said = scanned.directives[start:end]
        if re.search(r"<<|>>", said) and not re.search(r"<<<.*>>>\s*\(", said, re.DOTALL):
            at = start + len(said) - len(said.lstrip())
            help_ = "write `launch kernel<<<blocks, threads>>>(arguments);`"
            raise error(Code.BAD_DIRECTIVE, "this is not how a launch is written", source.span(at, end), help_)
    if parts["launch"]:
        if MAIN.search(code) is not None:
            raise beside_main(source.span(*parts["launch"][0]))
        text += "".join(_main(source, scanned, parts["launch"]))
    return text + "".join(map(_constant, asked))


def without_code(scanned: Scanned) -> str:
    """The text of the directives that are no C++: ``object`` and ``launch`` are blank."""
    return _DIRECTIVE.sub(lambda d: blank(d.group()) if _is_code(d) else d.group(), scanned.directives)


def _is_code(directive: re.Match[str]) -> bool:
    """Whether a directive is no business of the grammar of directives: it has C++, or is about all launches."""
    all_launches = directive["kind"] == "expect" and _OF_BARRIERS.match(directive["text"])
    return directive["kind"] in ("object", "launch", "every") or bool(all_launches)


@dataclass(frozen=True, slots=True)
class Every:
    """``every KERNEL [as launched] [where CONDITION];``: the kernel, the condition with its place, and whether the host
    code says more.
    """

    kernel: str
    condition: str
    start: int
    end: int
    at: int
    launched: bool


def names_every(source: Source) -> bool:
    """Whether a file asks about all launches of a kernel."""
    return "every" in source.text and bool(about_every(scan(source))[0])


def about_every(scanned: Scanned) -> tuple[tuple[Every, ...], tuple[tuple[str, int, int], ...]]:
    """The directives about all launches, and the text and place of what a file expects."""
    found, expected = list[Every](), list[tuple[str, int, int]]()
    for match in _DIRECTIVE.finditer(scanned.directives):
        start, end = match.span("text")
        if match["kind"] == "every":
            parts = _EVERY.match(match["text"])
            kernel, condition = (parts[1], parts[3] or "") if parts else ("", "")
            at = start + (parts.start(3) if parts is not None and parts[3] else 0)
            launched = parts is not None and parts[2] is not None
            found.append(Every(kernel, condition, match.start(), end, at, launched))
        elif match["kind"] == "expect":
            expected.append((" ".join(match["text"].rstrip(";").split()), match.start(), end))
    return tuple(found), tuple(expected)


def without_questions(source: Source, scanned: Scanned) -> str:
    """The text of a file with the directives blank that launch kernels or ask something."""
    drop = ("launch", "expect", "vary", "every", "kernels")
    said = _DIRECTIVE.sub(lambda d: d.group() if d["kind"] in drop else blank(d.group()), scanned.directives)
    return "".join(" " if there.strip() else here for here, there in zip(source.text, said, strict=True))


def condition_of(source: Source, every: Every, name: str, parameters: str) -> str:
    """A function of the kernel's parameters that returns whether a launch meets a condition; C++, in its place.

    It may call the predicates that no parameter hides.
    """
    known = " ".join(text for own, text in _PREDICATES.items() if not re.search(rf"\b{own}\b", parameters))
    head = f'extern "C" __device__ __attribute__((used)) bool {name}({parameters}) {{ {known} return ('
    return f"\n{head}{_at(source, every.at)}{every.condition}\n); }}"


def _commas(text: str, code: str) -> Iterator[tuple[Part, str]]:
    """The commas to write between operands of ``asm`` that have none; ``code`` is the text without literals."""
    for match in _ASM.finditer(code):
        for at, sign, depth in nested(code, match.end() - 1, "()"):
            if sign == ")" and depth == 0:
                break
            if sign == ")" and depth == 1 and (gap := _BEFORE_STRING.match(text, at + 1)):
                blank_at = gap.group().find(" ")
                start = at + 1 + max(blank_at, 0)
                yield (start, start + (blank_at >= 0)), ","


def _percents(text: str, code: str) -> Iterator[tuple[Part, str]]:
    """The signs to double before special registers in ``asm`` with operands, which nvcc takes as they are."""
    for match in _ASM.finditer(code):
        signs = nested(code, match.end() - 1, "()")
        end = next((at for at, sign, depth in signs if sign == ")" and depth == 0), len(code))
        if ":" in code[match.end() : end]:
            for found in _SPECIAL.finditer(text, match.end(), end):
                yield found.span(), "%%"  # in place of a blank, if there is one


def _launches(code: str) -> Iterator[tuple[Part, str]]:
    """The signs of launches, without blanks in them."""
    for launch in _SPACED.finditer(code):
        for group, sign in ((1, "<<<"), (3, ">>>")):
            if launch[group] != sign:
                yield launch.span(group), sign.ljust(len(launch[group]))


def _constant(name: str) -> str:
    kind = 'extern "C" __device__ __attribute__((used)) const long'
    return f"\n{kind} {CONSTANT}{name} = __scopec::constant({name});"


def _declared(text: str, scanned: Scanned, objects: list[Part]) -> str:
    """The text with the comments that hold declarations blank, but for the declarations."""
    for start, end in objects:
        while start < end:
            line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", start)
            line_end = len(text) if line_end < 0 else line_end
            stop = min(end, line_end)
            comment = text.find("//@", line_start)
            begin = comment if 0 <= comment < stop else start
            text = (
                text[:begin]
                + " " * (start - begin)
                + scanned.directives[start:stop]
                + ("//@" + text[stop + 3 : line_end] if line_end - stop > 3 else " " * (line_end - stop))
                + text[line_end:]
            )
            start = line_end + 1
    return text


def _full(value: str) -> str:
    """A value of a ``vary``, as C++ names it."""
    value = value.strip()
    if value in ORDERS:
        return f"::__scopec_chosen::memory_order_{value}"
    if value in SCOPES:
        return f"::__scopec_chosen::thread_scope_{'system' if value == 'sys' else value}"
    return value


def _override(source: Source, code: str, name: str, value: str) -> tuple[Part, str] | None:
    """The place of a constant's initialiser, and its replacement; None if there is no such constant."""
    for match in re.finditer(rf"\b{re.escape(name)}\b\s*(=(?!=)|\{{)", code):
        before = code[max(code.rfind(c, 0, match.start()) for c in ";{}") + 1 : match.start()]
        if _CONSTANT.search(before) is None:
            continue
        start = match.end()
        signs = nested(code, start)
        end = next((at for at, sign, depth in signs if depth < 0 or (sign in ",;" and depth == 0)), len(code))
        return (start, end), _in_place(source, start, end, f" {value}")
    return None


def _in_place(source: Source, start: int, end: int, new: str) -> str:
    """A new text for a part, after which everything is where it was."""
    if "\n" not in source.text[start:end] and len(new) <= end - start:
        return new.ljust(end - start)
    return new + _at(source, end)


def _at(source: Source, offset: int) -> str:
    """A directive that makes the next character that at an offset of the file."""
    line, column = source.position(offset)
    return f"\n#line {line}\n{' ' * (column - 1)}"


def _main(source: Source, scanned: Scanned, launches: list[Part]) -> Iterator[str]:
    yield f"{_at(source, launches[0][0])}int main() {{"
    for start, end in launches:
        said = scanned.directives[start:end]
        if (found := _COOPERATIVE.match(said)) is not None:
            said = f" __scopec::cooperative({found['kernel']}, {found['shape']})({found['rest']});"
        yield _at(source, start) + said
    yield "cudaDeviceSynchronize(); }\n"
