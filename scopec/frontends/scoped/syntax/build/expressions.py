"""Expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Token

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part
from scopec.frontends.scoped.syntax.literals import integer, unescape

if TYPE_CHECKING:
    from lark.tree import Meta


@dataclass(frozen=True, slots=True)
class _Capture:
    how: str
    name: str = ""
    value: Any = None


class Expressions(Part):
    """Expressions."""

    def expressions(self, meta: Meta, *values: Any) -> list[Any]:
        return list(values)

    def assign(self, meta: Meta, target: Any, op: Token, value: Any) -> tree.Assign:
        return tree.Assign(self._span(meta), str(op)[:-1], target, value)

    def assign_plain(self, meta: Meta, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(self._span(meta), None, target, value)

    def conditional(self, meta: Meta, condition: Any, then: Any, otherwise: Any) -> tree.Conditional:
        return tree.Conditional(self._span(meta), condition, then, otherwise)

    def binary(self, meta: Meta, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self._span(meta), str(op), left, right)

    def unary(self, meta: Meta, op: Token, operand: Any) -> tree.Unary:
        return tree.Unary(self._span(meta), str(op), operand)

    def prefix_step(self, meta: Meta, op: Token, target: Any) -> tree.Step:
        return tree.Step(self._span(meta), str(op), True, target)

    def postfix_step(self, meta: Meta, target: Any, op: Token) -> tree.Step:
        return tree.Step(self._span(meta), str(op), False, target)

    def cast(self, meta: Meta, type_: tree.TypeName, operand: Any) -> tree.Cast:
        return tree.Cast(self._span(meta), type_, operand)

    def named_cast(self, meta: Meta, keyword: Token, type_: tree.TypeName, operand: Any) -> tree.Cast:
        if str(keyword) == "dynamic_cast":
            self._outside(meta, "dynamic casts")
        return tree.Cast(self._span(meta), type_, operand)

    def sizeof_type(self, meta: Meta, type_: tree.TypeName) -> tree.SizeOf:
        return tree.SizeOf(self._span(meta), type_)

    def sizeof_expr(self, meta: Meta, operand: Any) -> tree.SizeOf:
        return tree.SizeOf(self._span(meta), operand)

    def alignof_type(self, meta: Meta, type_: tree.TypeName) -> tree.SizeOf:
        return tree.SizeOf(self._span(meta), type_, alignment=True)

    def comma(self, meta: Meta, left: Any, right: Any) -> tree.Comma:
        return tree.Comma(self._span(meta), left, right)

    def arrow(self, meta: Meta, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self._span(meta), tree.Unary(object_.span, "*", object_), str(name))

    def this(self, meta: Meta) -> tree.This:
        return tree.This(self._span(meta))

    def template_name(self, meta: Meta, name: Token, *arguments: Any) -> tree.Name:
        given = tuple(a for a in arguments if a is not None)
        return tree.Name(self._span(meta), str(name).removeprefix("::"), given)

    def member_of_type(self, meta: Meta, type_: tree.TypeName, name: Token) -> tree.MemberOf:
        return tree.MemberOf(self._span(meta), type_, str(name).removeprefix("::"))

    def lambda_expression(self, meta: Meta, *children: Any) -> tree.Lambda:
        *rest, body = children
        captures = [c for c in rest if isinstance(c, _Capture)]
        parameters = next((c for c in rest if isinstance(c, list)), [])
        default = next((c.how for c in captures if not c.name), "")
        return tree.Lambda(
            self._span(meta),
            default,
            tuple(c.name for c in captures if c.name and c.how == "&"),
            tuple((c.name, c.value) for c in captures if c.name and c.how == "="),
            tuple(parameters),
            body,
        )

    def capture_references(self, meta: Meta) -> _Capture:
        return _Capture("&")

    def capture_values(self, meta: Meta) -> _Capture:
        return _Capture("=")

    def capture_this(self, meta: Meta) -> _Capture:
        return _Capture("&", "this")

    def capture_reference(self, meta: Meta, name: Token) -> _Capture:
        return _Capture("&", str(name))

    def capture_value(self, meta: Meta, name: Token) -> _Capture:
        return _Capture("=", str(name))

    def capture_init(self, meta: Meta, name: Token, value: Any) -> _Capture:
        return _Capture("=", str(name), value)

    def member(self, meta: Meta, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self._span(meta), object_, str(name))

    def index(self, meta: Meta, object_: Any, index: Any) -> tree.Index:
        return tree.Index(self._span(meta), object_, index)

    def call(self, meta: Meta, function: Any, arguments: list[Any] | None) -> tree.Call:
        return tree.Call(self._span(meta), function, tuple(arguments or ()))

    def construct(self, meta: Meta, type_: tree.TypeName, arguments: Any) -> tree.Construct:
        if isinstance(arguments, tree.List):
            return tree.Construct(self._span(meta), type_, arguments.elements, True, arguments.names)
        return tree.Construct(self._span(meta), type_, tuple(arguments or ()))

    def placement_new(self, meta: Meta, _new: Token, pointer: Any, made: Any) -> tree.PlacementNew:
        if not isinstance(made, tree.Construct):
            self._outside(meta, "this form of `new`")
        return tree.PlacementNew(self._span(meta), pointer, made)

    def construct_int(self, meta: Meta, word: Token, arguments: Any) -> tree.Construct:
        return self.construct_of(meta, tree.TypeName(self._token_span(word), str(word)), arguments)

    def construct_of(self, meta: Meta, type_: tree.TypeName, arguments: Any) -> tree.Construct:
        given = arguments.elements if isinstance(arguments, tree.List) else tuple(arguments or ())
        return tree.Construct(self._span(meta), type_, given, isinstance(arguments, tree.List))

    def launch(self, meta: Meta, kernel: tree.Name, configuration: list[Any], arguments: Any) -> tree.Launch:
        return tree.Launch(self._span(meta), kernel, tuple(configuration), tuple(arguments or ()))

    def int(self, meta: Meta, token: Token) -> tree.Int:
        return integer(self._token_span(token), str(token))

    def float(self, meta: Meta, token: Token) -> tree.Float:
        return tree.Float(self._token_span(token))

    def string(self, meta: Meta, *tokens: Token) -> tree.Str:
        return tree.Str(self._span(meta), "".join(unescape(str(t)[1:-1]) for t in tokens))

    def char(self, meta: Meta, token: Token) -> tree.Int:
        text = unescape(str(token)[1:-1])
        if len(text) != 1 or ord(text) > 127:
            raise error(Code.BAD_LITERAL, f"{token} is not one ASCII character", self._token_span(token))
        return tree.Int(self._token_span(token), ord(text))

    def true(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self._span(meta), True)

    def false(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self._span(meta), False)

    def null(self, meta: Meta) -> tree.Int:
        return tree.Int(self._span(meta), 0)

    def name_expr(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self._token_span(token), str(token).removeprefix("::"))

    def thread_local_expr(self, meta: Meta, token: Token) -> tree.ThreadLocal:
        kernel, number = str(token).split("#")
        return tree.ThreadLocal(self._token_span(token), kernel, int(number))

    def parenthesised(self, meta: Meta, inner: Any) -> Any:
        return inner
