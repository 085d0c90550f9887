"""Reader of the program of a C or OPENCL litmus file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Token, v_args

from scopec.base.diagnostics import Code, error
from scopec.frontends.litmus.syntax.tree import Coordinate, CThread, Labelled
from scopec.frontends.parse import Builder, number, parse, type_words
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from lark.tree import Meta

    from scopec.base.source import Source


def read(source: Source, text: str) -> tuple[CThread, ...]:
    """The threads of a program; InputError at the first place that is not in the language."""
    threads: tuple[CThread, ...] = parse("litmus_c", "program", text, _Builder(source))
    return threads


@v_args(meta=True, inline=True)
class _Builder(Builder):
    # ---- threads

    def program(self, meta: Meta, *threads: CThread) -> tuple[CThread, ...]:
        return threads

    def thread(self, meta: Meta, name: Token, *children: Any) -> CThread:
        *before, parameters, body = children
        place = before[0] if before else ()
        return CThread(self.token(name), str(name), place, parameters or (), body)

    def place(self, meta: Meta, *coordinates: Coordinate) -> tuple[Coordinate, ...]:
        return coordinates

    def coordinate(self, meta: Meta, level: Token, value: Token) -> Coordinate:
        return Coordinate(self.at(meta), str(level), number(self, value))

    def nothing(self, meta: Meta) -> tuple[tree.Parameter, ...]:
        return ()

    def parameters(self, meta: Meta, *parameters: tree.Parameter) -> tuple[tree.Parameter, ...]:
        return parameters

    def parameter(self, meta: Meta, type_: tree.TypeName, *children: Any) -> tree.Parameter:
        name = next(c for c in children if isinstance(c, Token))
        # An array parameter is a pointer ([dcl.fct]).
        pointers = sum(isinstance(c, (str, tuple)) and not isinstance(c, Token) for c in children)
        return tree.Parameter(self.at(meta), _pointed(type_, pointers), str(name))

    def type(self, meta: Meta, *parts: Any) -> tree.TypeName:
        words, specifiers = type_words(parts)
        named = [words] if words else []
        named += [p.name for p in parts if isinstance(p, tree.TypeName)]
        if len(named) != 1:
            message = "a type is missing here" if not named else "two types in one declaration"
            raise error(Code.UNKNOWN_TYPE, message, self.at(meta), "write one type, such as int")
        return tree.TypeName(self.at(meta), named[0], specifiers=specifiers)

    def atomic(self, meta: Meta) -> None:
        """``_Atomic`` alone says nothing: what an access is, the function says that makes it."""

    def atomic_of(self, meta: Meta, *tokens: Token) -> tree.TypeName:
        words, _ = type_words(tokens)
        return tree.TypeName(self.at(meta), words)

    def ptr(self, meta: Meta, *tokens: Token) -> str:
        return "*"

    def size(self, meta: Meta, size: Token | None) -> tuple[tree.Expr | None]:
        return (None if size is None else self.int(meta, size),)

    # ---- statements

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self.at(meta), statements)

    def if_(self, meta: Meta, condition: Any, then: Any, otherwise: Any = None) -> tree.If:
        return tree.If(self.at(meta), condition, then, otherwise)

    def while_(self, meta: Meta, condition: Any, body: Any) -> tree.While:
        return tree.While(self.at(meta), condition, body)

    def do_while(self, meta: Meta, body: Any, condition: Any) -> tree.DoWhile:
        return tree.DoWhile(self.at(meta), body, condition)

    def for_(self, meta: Meta, head: Any, body: Any) -> tree.For:
        init, condition, steps = head
        return tree.For(self.at(meta), init, condition, tuple(steps or ()), body)

    def for_head(self, meta: Meta, init: Any, condition: Any, steps: Any) -> tuple[Any, Any, Any]:
        return init, condition, steps

    def for_init(self, meta: Meta, init: Any) -> Any:
        return init if isinstance(init, tree.Declaration) else tuple(init or ())

    def labelled(self, meta: Meta, label: Token, statement: Any) -> Labelled:
        return Labelled(self.token(label), str(label), statement)

    def nested_block(self, meta: Meta, block: tree.Block) -> tree.Block:
        return block

    def declaration_statement(self, meta: Meta, declaration: tree.Declaration) -> tree.Declaration:
        return declaration

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: tree.Declarator) -> tree.Declaration:
        return tree.Declaration(self.at(meta), type_, declarators)

    def declarator(self, meta: Meta, *children: Any) -> tree.Declarator:
        *before, value = children
        name = next(c for c in before if isinstance(c, Token))
        pointers = sum(isinstance(c, str) and not isinstance(c, Token) for c in before)
        sizes = tuple(size for c in before if isinstance(c, tuple) for size in c)
        init = None if value is None else tree.Initialiser(value.span, (value,))
        return tree.Declarator(self.token(name), str(name), pointers, sizes=sizes, init=init)

    def expression_statement(self, meta: Meta, expr: Any) -> tree.ExprStatement:
        return tree.ExprStatement(self.at(meta), expr)

    def return_(self, meta: Meta, value: Any) -> tree.Return:
        return tree.Return(self.at(meta), value)

    def break_(self, meta: Meta) -> tree.Break:
        return tree.Break(self.at(meta))

    def continue_(self, meta: Meta) -> tree.Continue:
        return tree.Continue(self.at(meta))

    def empty_statement(self, meta: Meta) -> tree.Block:
        return tree.Block(self.at(meta), ())

    # ---- expressions

    def expressions(self, meta: Meta, *values: Any) -> list[Any]:
        return list(values)

    def comma(self, meta: Meta, left: Any, right: Any) -> tree.Comma:
        return tree.Comma(self.at(meta), left, right)

    def assign(self, meta: Meta, target: Any, op: Token, value: Any) -> tree.Assign:
        return tree.Assign(self.at(meta), str(op)[:-1], target, value)

    def assign_plain(self, meta: Meta, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(self.at(meta), None, target, value)

    def conditional(self, meta: Meta, condition: Any, then: Any, otherwise: Any) -> tree.Conditional:
        return tree.Conditional(self.at(meta), condition, then, otherwise)

    def binary(self, meta: Meta, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self.at(meta), str(op), left, right)

    def unary(self, meta: Meta, op: Token, operand: Any) -> tree.Unary:
        return tree.Unary(self.at(meta), str(op), operand)

    def prefix_step(self, meta: Meta, op: Token, target: Any) -> tree.Step:
        return tree.Step(self.at(meta), str(op), True, target)

    def postfix_step(self, meta: Meta, target: Any, op: Token) -> tree.Step:
        return tree.Step(self.at(meta), str(op), False, target)

    def cast(self, meta: Meta, type_: tree.TypeName, *rest: Any) -> tree.Cast:
        *marks, operand = rest
        return tree.Cast(self.at(meta), _pointed(type_, len(marks)), operand)

    def index(self, meta: Meta, object_: Any, index: Any) -> tree.Index:
        return tree.Index(self.at(meta), object_, index)

    def call(self, meta: Meta, function: Token, arguments: list[Any] | None) -> tree.Call:
        name = tree.Name(self.token(function), str(function))
        return tree.Call(self.at(meta), name, tuple(arguments or ()))

    def int(self, meta: Meta, token: Token) -> tree.Int:
        suffix = str(token).lower()[len(str(token).rstrip("uUlL")) :]
        return tree.Int(self.token(token), number(self, token), unsigned="u" in suffix, long="l" in suffix)

    def true(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self.at(meta), True)

    def false(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self.at(meta), False)

    def null(self, meta: Meta) -> tree.Int:
        return tree.Int(self.at(meta), 0)

    def name_expr(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self.token(token), str(token))

    def parenthesised(self, meta: Meta, inner: Any) -> Any:
        return inner


def _pointed(type_: tree.TypeName, pointers: int) -> tree.TypeName:
    return tree.TypeName(type_.span, type_.name, (), type_.specifiers, pointers) if pointers else type_
