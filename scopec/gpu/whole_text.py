"""The text of a program that is run whole: what becomes of the locals of ``main``, and variables outside functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.source import Source
from scopec.frontends.clang.prepare import MAIN, prepared
from scopec.frontends.scoped.syntax.scan import scan, without_literals
from scopec.gpu.printer import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

_NAME = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r"[A-Za-z_]\w*|[{}()\[\]]|::|->|.", re.DOTALL)
#: What stands before a name, and does not declare it.
_NO_TYPE = {"return", "else", "case", "goto", "new", "delete", "throw", "do", "operator", "sizeof", "co_return"}
#: What ends before the body of a lambda expression.
_LAMBDA = re.compile(r"\]\s*(?:\([^;{}]*\))?\s*(?:mutable\b|noexcept\b)?\s*(?:->[^;{}()]*)?\s*\Z")
_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"', re.MULTILINE)
#: A variable that is declared as a number of 64 bits, which a pointer or a handle is not.
_WIDE = r"\b(?:long|unsigned|signed|size_t|ptrdiff_t|u?int64_t)\s+(?:int\s+)?"
#: The driver's functions that a harness leads elsewhere.
_DRIVER = re.compile(r"\bcu(?!StreamWaitValue(?:32|64)\b|StreamWriteValue(?:32|64)\b)[A-Z]\w*\s*\(")


def code_of(source: Source) -> str:
    """The text without comments and literals, everything in its place."""
    return without_literals(scan(source).code)


def has_main(source: Source) -> bool:
    """Whether the text is a program of C++ with a host of its own."""
    return source.name.endswith(".cu") and MAIN.search(code_of(source)) is not None


def is_wide_number(name: str, code: str, *, pointed: bool = False) -> bool:
    """Whether a variable is declared as a number of 64 bits, or as a pointer to such."""
    between = r"\*\s*" if pointed else ""
    return re.search(rf"{_WIDE}{between}{re.escape(name)}\b", code) is not None


def is_function(name: str, code: str) -> bool:
    """Whether a function of this name has a body in the text."""
    return re.search(rf"\b{re.escape(name)}\s*\([^;{{}}]*\)[^;{{}}()]*\{{", code) is not None


def is_static(name: str, code: str) -> bool:
    """Whether a variable of this name is declared static."""
    return re.search(rf"\bstatic\b[^;(){{}}]*\b{re.escape(name)}\b", code) is not None


def takes_driver(code: str) -> bool:
    """Whether the driver's library is called for more than what a harness leads elsewhere."""
    return _DRIVER.search(code) is not None


def check_text(source: Source, code: str) -> None:
    """Refuse a text that cannot be run as it is: InputError."""
    quoted = _QUOTED.search(scan(source).code)
    if quoted is not None:
        refuse("a host that does more, in a text that includes files of its own", source.span(*quoted.span()))
    main = MAIN.search(code)
    if main is None:
        refuse("a host that does more without a `main`", source.span(0, 0))
    if re.match(r"\s*(?:void\s*)?\)", code[main.end() :]) is None:
        refuse("a `main` with parameters", source.span(*main.span()))


def text(
    source: Source, code: str, chosen: Mapping[str, str], see: Callable[[str], str], names: Collection[str]
) -> str:
    """The text with a look at each of the locals ``names`` of `main` that are in scope where it returns.

    ``see`` is the statement that looks at one.  Constants have the values that are ``chosen``.
    """
    found = source.text
    for at, local, ends in reversed(list(_returns(code, names))):
        looks = "".join(see(name) for name in sorted(local))
        new = f"{looks} return 0; " if ends else f"switch ([&] {{ {looks} return 0; }}()) default: "
        found = found[:at] + new + found[at:]
    return prepared(Source(source.name, found, source.folders), chosen)


def seen(code: str, names: Collection[str]) -> frozenset[str]:
    """The locals that are looked at wherever `main` returns."""
    each = [local for _, local, _ in _returns(code, names)]
    return frozenset.intersection(*each) if each else frozenset()


def _returns(code: str, names: Collection[str]) -> Iterator[tuple[int, frozenset[str], bool]]:
    """The places where `main` returns, with the locals in scope there; the last is its end."""
    main = MAIN.search(code)
    assert main is not None
    start = code.index("{", main.end())
    scopes: list[set[str]] = []  # of braces
    lambdas: list[bool] = []
    parentheses, before = 0, ""
    for match in _TOKEN.finditer(code, start):
        token, at = match.group(), match.start()
        if token.isspace():
            continue
        match token:
            case "{":
                scopes.append(set())
                lambdas.append(_LAMBDA.search(code, start, at) is not None if before in (")", "]") else False)
            case "}":
                if len(scopes) == 1:
                    yield at, frozenset(scopes[0]), True
                    return
                scopes.pop()
                lambdas.pop()
            case "(" | "[":
                parentheses += 1
            case ")" | "]":
                parentheses -= 1
            case "return" if not any(lambdas):
                yield at, frozenset().union(*scopes), False
            case _ if token in names and parentheses == 0 and _declares(before):
                scopes[-1].add(token)
        before = token


def _declares(before: str) -> bool:
    """Whether a name behind this may be a declaration: it is the end of a type, or of another declarator."""
    return before in ("*", "&", ">", ",") or (_NAME.fullmatch(before) is not None and before not in _NO_TYPE)
