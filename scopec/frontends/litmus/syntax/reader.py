"""Reader of litmus files: text to :mod:`scopec.frontends.litmus.syntax.tree`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, error
from scopec.base.lalr import Token
from scopec.base.source import Span
from scopec.base.syntax import Builder, classes
from scopec.frontends.c.syntax import tree
from scopec.frontends.litmus.syntax import tree as litmus_tree
from scopec.frontends.litmus.syntax.scan import split
from scopec.frontends.litmus.syntax.tree import (
    Alias,
    Comparison,
    Condition,
    Entry,
    File,
    Footer,
    Group,
    Join,
    Memory,
    Name,
    Not,
    Number,
    Numbers,
    Register,
    Truth,
)
from scopec.frontends.parse import number, parse, type_words

if TYPE_CHECKING:
    from scopec.base.lalr import Node
    from scopec.base.source import Source
    from scopec.frontends.litmus.syntax.scan import Parts
    from scopec.frontends.litmus.syntax.tree import CThread, PtxThread, Quantifier

_THREAD = re.compile(r"P?(\d+)\Z")
#: As in the scoped language (docs/language.md).
_MOST_ELEMENTS = 4096
#: The operators of conditions as C++ writes them.
_OPERATORS = {"=": "==", "<>": "!=", "/\\": "&&", "\\/": "||"}


def read(source: Source) -> File:
    """Parse a litmus file; raises InputError at the first place that is not in the language."""
    parts = split(source)
    threads = _threads(source, parts)
    if not threads:
        at = len(parts.init.rstrip())
        raise error(Code.NOTHING_TO_CHECK, "the file has no threads", source.span(at, at), "write a thread P0")
    seen: set[str] = set()
    for thread in threads:
        if not re.fullmatch(r"P\d+", thread.name):
            raise error(Code.SYNTAX, f"`{thread.name}` is not a thread's name", thread.span, "threads are P0, P1, …")
        if thread.name in seen:
            raise error(Code.DUPLICATE, f"there are two threads {thread.name}", thread.span, "number them P0, P1, …")
        seen.add(thread.name)
    init = parse("litmus", "init", parts.init, _Builder(source))
    footer = parse("litmus", "footer", parts.footer, _Builder(source))
    return File(source.name, parts.dialect, init, threads, footer, _directives(source, parts))


# Start-up: a call reads few dialects, and most files have no directives.


def _threads(source: Source, parts: Parts) -> tuple[PtxThread, ...] | tuple[CThread, ...]:
    if parts.dialect == "PTX":
        from scopec.frontends.litmus.syntax import ptx

        return ptx.read(source, parts.program)
    from scopec.frontends.litmus.syntax import c

    return c.read(source, parts.program)


def _directives(source: Source, parts: Parts) -> tuple[tree.Directive, ...]:
    if not parts.directives.strip():
        return ()
    from scopec.frontends.scoped.syntax import cuda

    return cuda.read_directives(source, parts.directives)


class _Builder(Builder):
    classes = classes(litmus_tree)
    init = Builder.listed

    # ---- initial state

    def entry(self, node: Node, *children: Any) -> Entry:
        types = [c for c in children if isinstance(c, tree.TypeName)]
        tokens = [c for c in children if isinstance(c, Token)]
        stars = sum(t.type == "STAR" for t in tokens)
        target = next(c for c in children if isinstance(c, (Memory, Register)))
        sizes = [c for c in children if isinstance(c, tuple)]
        has_value = any(t.type == "EQUAL" for t in tokens)
        type_ = types[0] if types else None
        if type_ is not None and stars:
            type_ = tree.TypeName(type_.span, type_.name, (), type_.specifiers, stars)
        value = children[-1] if has_value else None
        if sizes and not isinstance(value, Numbers) and value is not None:
            raise error(Code.TYPE_ERROR, "an array is initialised by a list", self.at(node), "write {0, 0}")
        size = None
        if sizes or isinstance(value, Numbers):
            length = sizes[0][0] if sizes else None
            size = length if length is not None else len(value.values) if isinstance(value, Numbers) else 1
            if isinstance(value, Numbers) and len(value.values) > size:
                raise error(Code.TYPE_ERROR, f"{len(value.values)} values for an array of {size}", value.span)
            if size > _MOST_ELEMENTS:
                help_ = f"use 1 to {_MOST_ELEMENTS} elements"
                raise error(Code.TOO_LARGE, f"an array of {size} elements", self.at(node), help_)
            if size == 0:
                raise error(Code.TYPE_ERROR, "an array has at least one element", self.at(node))
        return Entry(self.at(node), target, type_, size, value)

    def alias(self, node: Node, *tokens: Token) -> Alias:
        name, proxy, word, target = (Name(self.token(t), str(t)) for t in tokens)
        if word.name != "aliases":
            message = f"`{word.name}` is not a part of the initial state"
            raise error(Code.SYNTAX, message, word.span, "write y @ generic aliases x")
        return Alias(self.at(node), name, proxy, target)

    def arrow(self, node: Node, name: Token, target: Token) -> None:
        message = f"`{name} -> {target}` is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, self.at(node), f"write {name} @ generic aliases {target}")

    def size(self, node: Node, size: Token | None) -> tuple[int | None]:
        return (None if size is None else number(self, size),)

    def number(self, node: Node, *tokens: Token) -> Number:
        value = number(self, tokens[-1])
        return Number(self.at(node), -value if len(tokens) > 1 else value)

    def numbers(self, node: Node, *values: Number) -> Numbers:
        return Numbers(self.at(node), tuple(v.value for v in values))

    def initialiser(self, node: Node, name: Token, value: Any) -> Any:
        if name != "ATOMIC_VAR_INIT":
            raise error(Code.UNMODELLED_CALL, f"`{name}` is not an initial value", self.token(name), "write a number")
        return value

    def type(self, node: Node, *tokens: Token) -> tree.TypeName:
        words, specifiers = type_words(tokens)
        return tree.TypeName(self.at(node), words, specifiers=specifiers)

    # ---- names

    def memory(self, node: Node, name: Token, index: Token | None = None) -> Memory:
        return Memory(self.at(node), str(name), 0 if index is None else number(self, index))

    def pointed(self, node: Node, star: Token, name: Token) -> Memory:
        return Memory(self.at(node), str(name))

    def register(self, node: Node, thread: Token, name: Token) -> Register:
        found = _THREAD.match(str(thread))
        if found is None:
            raise error(Code.SYNTAX, f"`{thread}` is not a thread", self.token(thread), "write 0:r0 or P0:r0")
        return Register(self.at(node), f"P{int(found.group(1))}", str(name))

    # ---- after the program

    def footer(self, node: Node, *parts: Any) -> Footer:
        values: dict[str, Any] = {}
        for part in parts:
            found = part if isinstance(part, dict) else {"clause": part}
            for name in found.keys() & values.keys():
                raise error(Code.DUPLICATE, f"there are two sections `{name}`", self.at(node), "join them")
            values |= found
        return Footer(**values)

    def scopes(self, node: Node, group: Group) -> dict[str, Any]:
        return {"scopes": group}

    def group(self, node: Node, level: Token, *members: Any) -> Group:
        named = tuple(m for m in members if isinstance(m, Group) or (isinstance(m, Token) and m.type == "NAME"))
        return Group(
            self.at(node),
            str(level),
            tuple(m if isinstance(m, Group) else Name(self.token(m), str(m)) for m in named),
        )

    def locations(self, node: Node, *items: Any) -> dict[str, Any]:
        return {"locations": items}

    def filter(self, node: Node, condition: Condition) -> dict[str, Any]:
        return {"filter": condition}

    def exists(self, node: Node) -> Quantifier:
        return "exists"

    def not_exists(self, node: Node, *tokens: Token) -> Quantifier:
        return "not exists"

    def forall(self, node: Node) -> Quantifier:
        return "forall"

    # ---- conditions

    def implies(self, node: Node, left: Condition, op: Token, right: Condition) -> Join:
        return Join(self.at(node), "||", Not(left.span, left), right)

    def join(self, node: Node, left: Condition, op: Token, right: Condition) -> Join:
        return Join(self.at(node), _OPERATORS.get(str(op), str(op)), left, right)

    def negation(self, node: Node, *children: Any) -> Not:
        return Not(self.at(node), children[-1])

    def true(self, node: Node) -> Truth:
        return Truth(self.at(node), True)

    def false(self, node: Node) -> Truth:
        return Truth(self.at(node), False)

    def comparison(self, node: Node, left: Any, op: Token, right: Any) -> Comparison:
        return Comparison(self.at(node), _OPERATORS.get(str(op), str(op)), left, right)


def span_of(file: File) -> Span:
    """A place for messages about the file as a whole: its first thread."""
    return file.threads[0].span
