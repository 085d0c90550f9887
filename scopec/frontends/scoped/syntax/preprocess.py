"""The C preprocessor: macros and conditionals ([cpp]), with a place in the file for every character of the result.

What comes from a macro's body has the place of the macro's use; what comes from an argument keeps its own.
``#include`` and ``#pragma`` lines are accepted and ignored.  (pcpp, a library for this, keeps lines but no columns.)
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax.conditions import evaluate

if TYPE_CHECKING:
    from scopec.base.source import Source, Span

_TOKENS = re.compile(
    r"""
      (?P<space>(?:[ \t\r\f\v]|\\\r?\n)+)
    | (?P<newline>\n)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[\w.])*)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<char>'(?:[^'\\\n]|\\.)*')
    | (?P<punctuator><<=|>>=|\.\.\.|->\*|<<<|>>>|[-+*/%&|^=!<>]=|<<|>>|&&|\|\||\+\+|--|->|::|\#\#|.)
    """,
    re.VERBOSE | re.DOTALL,
)

#: What nvcc defines, as far as programs ask for it (CUDA 13, C++20, sm_90).
PREDEFINED = {
    "__CUDACC__": "1", "__NVCC__": "1", "__CUDACC_VER_MAJOR__": "13", "__CUDACC_VER_MINOR__": "0",
    "CUDART_VERSION": "13000", "CUDA_VERSION": "13000", "__cplusplus": "202002L", "__linux__": "1", "__x86_64__": "1",
    "CUDART_CB": "", "ATOMIC_FLAG_INIT": "{}", "__LP64__": "1", "_LIBCUDACXX_VERSION": "3000000",
    "INT_MAX": "2147483647", "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "4294967295U", "EXIT_SUCCESS": "0", "EXIT_FAILURE": "1", "NULL": "nullptr",
}  # fmt: skip
_DEVICE_ONLY = {"__CUDA_ARCH__": "900"}
_IGNORED = frozenset({"include", "pragma", "warning", "line", "ident"})
_MOST_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Token:
    """A preprocessing token: its text, its place in the file, and the macros that it may no longer be expanded by."""

    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Macro:
    """``#define name body``, or ``#define name(parameters) body``; ``variadic`` if the last parameter is ``...``."""

    name: str
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None
    variadic: bool = False


@dataclass(frozen=True)
class Preprocessed:
    """The text after preprocessing.

    ``pieces`` are (offset in it, start and end in the file), the end None where the text is the file's.
    """

    text: str
    pieces: tuple[tuple[int, int, int | None], ...]

    @classmethod
    def verbatim(cls, text: str) -> Preprocessed:
        """A text that is the file's own."""
        return cls(text, ((0, 0, None),))

    @cached_property
    def _offsets(self) -> list[int]:
        return [offset for offset, _, _ in self.pieces]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The part of the file that the characters ``start`` to ``end`` come from."""
        first = self._origin(start)[0]
        last = self._origin(max(start, end - 1))[1]
        return (first, last) if end > start else (first, first)

    def _origin(self, offset: int) -> tuple[int, int]:
        at = max(0, bisect.bisect_right(self._offsets, offset) - 1)
        piece, start, end = self.pieces[at]
        return (start + offset - piece, start + offset - piece + 1) if end is None else (start, end)


def preprocess(source: Source, text: str, *, device: bool) -> Preprocessed:
    """The program text of a file; ``text`` is the file's with comments blanked.

    ``device`` defines ``__CUDA_ARCH__``, as for the code that runs on the device.  Raises InputError for directives
    that cannot be read, for ``#error``, and for macros used with the wrong number of arguments.
    """
    return _Preprocessor(source, text, device).run()


def differs_on_device(text: str) -> bool:
    """Whether preprocessing for the device and for the host may differ."""
    return "__CUDA_ARCH__" in text


def tokens(text: str) -> Iterator[Token]:
    """The preprocessing tokens of a text, white space left out but for newlines."""
    spaced = False
    for match in _TOKENS.finditer(text):
        kind = match.lastgroup or ""
        if kind == "space":
            spaced = True
            continue
        yield Token(kind, match.group(), match.start(), match.end(), spaced)
        spaced = kind == "newline"


@dataclass
class _Conditional:
    """An ``#if`` that is open: whether its lines are read now, whether some branch has been taken."""

    span: Span
    active: bool
    taken: bool
    outer: bool
    otherwise: bool = False


@dataclass
class _Preprocessor:
    source: Source
    text: str
    device: bool
    macros: dict[str, Macro] = field(default_factory=dict)
    open: list[_Conditional] = field(default_factory=list)
    counter: int = 0
    produced: int = 0

    def run(self) -> Preprocessed:
        predefined = PREDEFINED | (_DEVICE_ONLY if self.device else {})
        self.macros = {name: Macro(name, tuple(tokens(body))) for name, body in predefined.items()}
        out = _Writer(self.text)
        pending: list[Token] = []
        for line in self._lines():
            if line and line[0].text == "#":
                # A macro's arguments do not go on across a directive here (undefined in [cpp.replace]/11).
                self._flush(pending, out)
                self._directive(line)
                out.skip_to(line[-1].end)
            elif all(c.active for c in self.open):
                pending += line
            elif line:
                self._flush(pending, out)
                out.skip_to(line[-1].end)
        self._flush(pending, out)
        if self.open:
            message = "this conditional is never closed"
            raise error(Code.UNTERMINATED, message, self.open[-1].span, "add #endif")
        return out.finish()

    def _lines(self) -> Iterator[list[Token]]:
        line: list[Token] = []
        for token in tokens(self.text):
            if token.kind == "newline":
                yield line
                line = []
            else:
                line.append(token)
        yield line

    def _flush(self, pending: list[Token], out: _Writer) -> None:
        for token, verbatim in self._expanded(pending):
            out.add(token, verbatim=verbatim)
        pending.clear()

    def _fail(
        self, code: Code, message: str, first: Token, last: Token | None = None, help: str | None = None
    ) -> InputError:
        return error(code, message, self.source.span(first.start, (last or first).end), help)

    # ---- directives

    def _directive(self, line: list[Token]) -> None:
        if len(line) == 1:
            return  # the null directive
        hash_, word, *rest = line
        reading = all(c.active for c in self.open)
        match word.text:
            case "if" | "ifdef" | "ifndef":
                truth = reading and self._truth(word, rest)
                self.open.append(_Conditional(self.source.span(hash_.start, word.end), truth, truth, reading))
            case "elif" | "elifdef" | "elifndef" | "else" | "endif":
                self._continue(word, rest)
            case "pragma" if reading and rest and rest[0].text == "pack":
                message = "`#pragma pack` is outside the modelled subset"
                help_ = "leave it out: `//@ storage x = …, align = 1` says how an object lies in memory"
                raise self._fail(Code.OUTSIDE_SUBSET, message, hash_, line[-1], help_)
            case _ if not reading or word.text in _IGNORED:
                pass
            case "define":
                self._define(word, rest)
            case "undef":
                self.macros.pop(self._macro_name(word, rest).text, None)
            case "error":
                said = self.text[rest[0].start : rest[-1].end] if rest else ""
                raise self._fail(Code.OUTSIDE_SUBSET, f"#error {said}".strip(), hash_, line[-1], "this branch is taken")
            case _:
                message = f"`#{word.text}` is not a preprocessor directive that scopec knows"
                raise self._fail(Code.OUTSIDE_SUBSET, message, hash_, word)

    def _continue(self, word: Token, rest: list[Token]) -> None:
        if not self.open:
            raise self._fail(Code.SYNTAX, f"#{word.text} without #if", word)
        if word.text == "endif":
            self.open.pop()
            return
        current = self.open[-1]
        if current.otherwise:
            raise self._fail(Code.SYNTAX, f"#{word.text} after #else", word)
        if word.text == "else":
            current.active, current.otherwise = current.outer and not current.taken, True
        else:
            wanted = current.outer and not current.taken
            test = replace(word, text=word.text.removeprefix("el"))
            current.active = wanted and self._truth(test, rest)
        current.taken = current.taken or current.active

    def _truth(self, word: Token, rest: list[Token]) -> bool:
        if word.text != "if":
            return (self._macro_name(word, rest).text in self.macros) == (word.text == "ifdef")
        if not rest:
            raise self._fail(Code.SYNTAX, "#if without a condition", word)
        resolved: list[Token] = []
        i = 0
        while i < len(rest):
            if rest[i].text in ("defined", "__has_include"):
                known, i = self._defined(rest, i)
                resolved.append(replace(rest[i - 1], kind="number", text=str(int(known))))
            else:
                resolved.append(rest[i])
                i += 1
        expanded = [t.text for t, _ in self._expanded(resolved)]
        try:
            return evaluate(expanded) != 0
        except ValueError as failure:
            raise self._fail(Code.SYNTAX, f"this condition {failure}", rest[0], rest[-1]) from None

    def _defined(self, rest: list[Token], i: int) -> tuple[bool, int]:
        """``defined X``, ``defined(X)``, or ``__has_include(<x>)`` (true: what it includes is modelled or ignored)."""
        word, close = rest[i].text, i + 1
        if i + 1 < len(rest) and rest[i + 1].text == "(":
            while close < len(rest) and rest[close].text != ")":
                close += 1
            inside = rest[i + 2 : close]
        else:
            inside = rest[i + 1 : i + 2]
        if not inside or close >= len(rest):
            raise self._fail(Code.SYNTAX, f"`{word}` is not finished", rest[i])
        return word == "__has_include" or inside[0].text in self.macros, close + 1

    def _macro_name(self, word: Token, rest: list[Token]) -> Token:
        if not rest or rest[0].kind != "name":
            raise self._fail(Code.SYNTAX, f"#{word.text} wants a macro's name", rest[0] if rest else word)
        return rest[0]

    def _define(self, word: Token, rest: list[Token]) -> None:
        name = self._macro_name(word, rest)
        parameters: list[str] | None = None
        variadic, start = False, 1
        if len(rest) > 1 and rest[1].text == "(" and not rest[1].spaced:
            close = next((i for i, t in enumerate(rest) if t.text == ")"), None)
            if close is None:
                raise self._fail(Code.SYNTAX, "the parameters of this macro are not closed", name, help="add `)`")
            written = [t for t in rest[2:close] if t.text != ","]
            parameters = [t.text for t in written]
            if parameters and parameters[-1] == "...":
                parameters[-1], variadic = "__VA_ARGS__", True
            wrong = next((t for t in written[: len(written) - variadic] if t.kind != "name"), None)
            if wrong is not None:
                raise self._fail(Code.SYNTAX, f"`{wrong.text}` is not a macro parameter", wrong)
            start = close + 1
        body = tuple(rest[start:])
        self.macros[name.text] = Macro(name.text, body, None if parameters is None else tuple(parameters), variadic)

    # ---- expansion

    def _expanded(self, line: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
        """The tokens with every macro expanded, each with whether it stands in the file as it is."""
        work = list(reversed(line))
        original = {(t.start, t.end, t.text) for t in line}
        while work:
            token = work.pop()
            macro = self.macros.get(token.text) if token.kind == "name" else None
            if macro is None and token.text in ("__LINE__", "__FILE__", "__COUNTER__"):
                yield self._builtin(token), False
            elif macro is None or token.text in token.hidden:
                yield token, (token.start, token.end, token.text) in original
            elif macro.parameters is None:
                hidden = token.hidden | {macro.name}
                work += reversed(self._counted(self._substituted(macro, {}, token, token.end, hidden), token))
            else:
                arguments = self._arguments(work)
                if arguments is None:
                    yield token, (token.start, token.end, token.text) in original
                    continue
                actual, close = arguments
                bound = self._bound(macro, actual, token, close)
                hidden = (token.hidden & close.hidden) | {macro.name}
                expanded = self._substituted(macro, bound, token, max(token.end, close.end), hidden)
                work += reversed(self._counted(expanded, token))

    def _counted(self, expanded: Sequence[Token], use: Token) -> Sequence[Token]:
        """The tokens that a macro became; InputError at its use if all macros together become too many."""
        self.produced += len(expanded) + 1
        if self.produced > _MOST_TOKENS:
            raise self._fail(Code.TOO_LARGE, "this macro expands without bounds", use)
        return expanded

    def _builtin(self, token: Token) -> Token:
        match token.text:
            case "__LINE__":
                return replace(token, kind="number", text=str(self.source.position(token.start)[0]))
            case "__FILE__":
                name = self.source.name.replace("\\", "\\\\").replace('"', '\\"')
                return replace(token, kind="string", text=f'"{name}"')
            case _:
                self.counter += 1
                return replace(token, kind="number", text=str(self.counter - 1))

    @staticmethod
    def _arguments(work: list[Token]) -> tuple[list[list[Token]], Token] | None:
        """Take the arguments of a call off ``work``; None (and nothing taken) if no call follows."""
        if not work or work[-1].text != "(":
            return None
        depth, arguments, at = 0, [[]], len(work) - 1  # type: tuple[int, list[list[Token]], int]
        while at >= 0:
            token = work[at]
            if token.text in "([{":
                depth += 1
            elif token.text in ")]}":
                depth -= 1
            if depth == 0:
                del work[at:]
                return arguments, token
            if token.text == "," and depth == 1:
                arguments.append([])
            elif not (depth == 1 and at == len(work) - 1):
                arguments[-1].append(token)
            at -= 1
        return None

    def _bound(self, macro: Macro, actual: list[list[Token]], use: Token, close: Token) -> Mapping[str, list[Token]]:
        parameters = macro.parameters or ()
        if not parameters and actual == [[]]:
            actual = []
        if macro.variadic:
            fixed = len(parameters) - 1
            rest: list[Token] = []
            for number, argument in enumerate(actual[fixed:]):
                if number:
                    rest.append(Token("punctuator", ",", use.start, close.end))
                rest += argument
            actual = [*actual[:fixed], rest] if len(actual) >= fixed else actual
        if len(actual) != len(parameters):
            message = f"the macro `{macro.name}` takes {len(parameters)} arguments, {len(actual)} given"
            raise self._fail(Code.BAD_ARGUMENTS, message, use, close)
        return dict(zip(parameters, actual, strict=True))

    def _substituted(
        self, macro: Macro, bound: Mapping[str, list[Token]], use: Token, end: int, hidden: frozenset[str]
    ) -> list[Token]:
        """The body with parameters replaced, ``#`` and ``##`` applied ([cpp.subst], [cpp.concat])."""
        out: list[Token] = []
        body, i = macro.body, 0

        def own(token: Token) -> Token:
            return replace(token, start=use.start, end=end, hidden=token.hidden | hidden)

        while i < len(body):
            token = body[i]
            pasted = i + 1 < len(body) and body[i + 1].text == "##"
            if token.text == "#" and macro.parameters is not None and i + 1 < len(body) and body[i + 1].text in bound:
                said = _spelling(bound[body[i + 1].text]).replace("\\", "\\\\").replace('"', '\\"')
                out.append(own(Token("string", f'"{said}"', 0, 0, token.spaced)))
                i += 2
            elif token.text == "##" and 0 < i < len(body) - 1:
                following = body[i + 1]
                right = list(bound[following.text]) if following.text in bound else [own(following)]
                if right and not (body[i - 1].text in bound and not bound[body[i - 1].text]):
                    joined = out[-1].text + right[0].text
                    kinds = list(tokens(joined))
                    kind = kinds[0].kind if len(kinds) == 1 else "punctuator"
                    out[-1] = own(Token(kind, joined, 0, 0, out[-1].spaced))
                    right = right[1:]
                out += right
                i += 2
            elif token.text in bound:
                argument = bound[token.text]
                whole = argument if pasted else [t for t, _ in self._expanded(argument)]
                out += [replace(t, hidden=t.hidden | hidden) for t in whole]
                i += 1
            else:
                out.append(own(token))
                i += 1
        return out


def _spelling(argument: Sequence[Token]) -> str:
    return "".join((" " if t.spaced and i else "") + t.text for i, t in enumerate(argument))


class _Writer:
    """Collects the text and its places: runs of the file as they stand, and tokens from macros."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._done = 0
        self._out: list[str] = []
        self._length = 0
        self._pieces: list[tuple[int, int, int | None]] = []
        self._generated = False

    def add(self, token: Token, *, verbatim: bool) -> None:
        if verbatim and token.start >= self._done:
            self._blank(self._done, token.start)
            self._put(token.text, token.start, None)
            self._done = token.end
            self._generated = False
            return
        if not self._generated:
            self._blank(self._done, token.start)
        self._put(" ", token.start, token.end)
        self._put(token.text, token.start, token.end)
        self._done = max(self._done, token.end)
        self._generated = True

    def skip_to(self, end: int) -> None:
        """Leave out the file up to ``end`` (its lines stay)."""
        self._blank(self._done, end)

    def _blank(self, start: int, end: int) -> None:
        if end > start:
            between = re.sub(r"[^\n]", " ", self._text[start:end])
            self._put(between, start, None)
            self._done = end

    def _put(self, text: str, start: int, end: int | None) -> None:
        if end is None and self._pieces and self._pieces[-1][2] is None:
            offset, first, _ = self._pieces[-1]
            if first + self._length - offset == start:
                self._out.append(text)
                self._length += len(text)
                return
        self._pieces.append((self._length, start, end))
        self._out.append(text)
        self._length += len(text)

    def finish(self) -> Preprocessed:
        self._blank(self._done, len(self._text))
        return Preprocessed("".join(self._out), tuple(self._pieces) or ((0, 0, None),))
