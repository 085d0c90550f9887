"""Reader of the program of a C or OPENCL litmus file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, error
from scopec.base.lalr import Token
from scopec.frontends.c.syntax import build, tree
from scopec.frontends.litmus.syntax.tree import Coordinate, CThread
from scopec.frontends.parse import number, parse, type_words

if TYPE_CHECKING:
    from scopec.base.lalr import Node
    from scopec.base.source import Source


def read(source: Source, text: str) -> tuple[CThread, ...]:
    """The threads of a program; InputError at the first place that is not in the language."""
    threads: tuple[CThread, ...] = parse("litmus_c", "program", text, _Builder(source))
    return threads


class _Builder(build.Builder):
    place = expressions = effects = build.Builder.listed

    # ---- threads

    def thread(self, node: Node, name: Token, *children: Any) -> CThread:
        *before, parameters, body = children
        place = before[0] if before else ()
        return CThread(self.token(name), str(name), place, parameters or (), body)

    def coordinate(self, node: Node, level: Token, value: Token) -> Coordinate:
        return Coordinate(self.at(node), str(level), number(self, value))

    def nothing(self, node: Node) -> tuple[tree.Parameter, ...]:
        return ()

    def parameter(self, node: Node, type_: tree.TypeName, *children: Any) -> tree.Parameter:
        name = next(c for c in children if isinstance(c, Token))
        # An array parameter is a pointer ([dcl.fct]).
        pointers = sum(isinstance(c, (str, tuple)) and not isinstance(c, Token) for c in children)
        return tree.Parameter(self.at(node), _pointed(type_, pointers), str(name))

    def type(self, node: Node, *parts: Any) -> tree.TypeName:
        words, specifiers = type_words(parts)
        named = [words] if words else []
        named += [p.name for p in parts if isinstance(p, tree.TypeName)]
        if len(named) != 1:
            message = "a type is missing here" if not named else "two types in one declaration"
            raise error(Code.UNKNOWN_TYPE, message, self.at(node), "write one type, such as int")
        return tree.TypeName(self.at(node), named[0], specifiers=specifiers)

    def atomic(self, node: Node) -> None:
        """``_Atomic`` alone says nothing: what an access is, the function says that makes it."""

    def atomic_of(self, node: Node, *tokens: Token) -> tree.TypeName:
        words, _ = type_words(tokens)
        return tree.TypeName(self.at(node), words)

    def ptr(self, node: Node, *tokens: Token) -> str:
        return "*"

    def size(self, node: Node, size: Token | None) -> tuple[tree.Expr | None]:
        return (None if size is None else self.int(node, size),)

    # ---- statements

    def labelled(self, node: Node, label: Token, statement: Any) -> tree.Labelled:
        return tree.Labelled(self.token(label), str(label), statement)

    def declarator(self, node: Node, *children: Any) -> tree.Declarator:
        *before, value = children
        name = next(c for c in before if isinstance(c, Token))
        pointers = sum(isinstance(c, str) and not isinstance(c, Token) for c in before)
        sizes = tuple(size for c in before if isinstance(c, tuple) for size in c)
        init = None if value is None else tree.Initialiser(value.span, (value,))
        return tree.Declarator(self.token(name), str(name), pointers, sizes=sizes, init=init)

    # ---- expressions

    def assign_plain(self, node: Node, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(self.at(node), None, target, value)

    def cast(self, node: Node, type_: tree.TypeName, *rest: Any) -> tree.Cast:
        *marks, operand = rest
        return tree.Cast(self.at(node), _pointed(type_, len(marks)), operand)

    def call(self, node: Node, function: Token, arguments: tuple[Any, ...] | None) -> tree.Call:
        name = tree.Name(self.token(function), str(function))
        return tree.Call(self.at(node), name, arguments or ())

    def int(self, node: Node, token: Token) -> tree.Int:
        suffix = str(token).lower()[len(str(token).rstrip("uUlL")) :]
        return tree.Int(self.token(token), number(self, token), unsigned="u" in suffix, long="l" in suffix)


def _pointed(type_: tree.TypeName, pointers: int) -> tree.TypeName:
    return tree.TypeName(type_.span, type_.name, (), type_.specifiers, pointers) if pointers else type_
