"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from lark import Token, Transformer_NonRecursive, v_args

from scopec.diagnostics import Code, error
from scopec.records import dataclass
from scopec.source import Span
from scopec.syntax import tree
from scopec.syntax.literals import integer, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark.tree import Meta

    from scopec.source import Source


@dataclass(frozen=True, slots=True)
class _Align:
    value: Any


@dataclass(frozen=True, slots=True)
class _Cluster:
    extents: tuple[tree.Expr, ...]


@dataclass(frozen=True, slots=True)
class _Bases:
    span: Span


@dataclass(frozen=True, slots=True)
class _Designated:
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class _Capture:
    how: str
    name: str = ""
    value: Any = None


def _flat(items: Iterable[Any]) -> list[Any]:
    """The items that are something, those of linkage blocks in place."""
    out: list[Any] = []
    for item in items:
        if isinstance(item, list):
            out += item
        elif item is not None:
            out.append(item)
    return out


def _parts(expr: tree.Expr | None) -> tuple[tree.Expr, ...]:
    """The operands of comma operators."""
    if isinstance(expr, tree.Comma):
        return (*_parts(expr.left), expr.right)
    return () if expr is None else (expr,)


def _keyword(token: Token) -> str:
    return "" if token.type == "LINKAGE" else str(token)


@v_args(meta=True, inline=True)
class Builder(Transformer_NonRecursive[Any, Any]):
    """Lark tree to syntax tree.  Method names are the grammar's rule names and aliases."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._file = source.name

    def _span(self, meta: Meta) -> Span:
        span = Span.of_meta(self._file, meta)
        # The tokens of a macro's use may come in another order than they stand in the file.
        return span if (span.line, span.column) <= (span.end_line, span.end_column) else span.reversed()

    def _token_span(self, token: Token) -> Span:
        return Span.of_token(self._file, token)

    # ---- files

    def program(self, meta: Meta, *items: Any) -> list[Any]:
        return _flat(items)

    def nothing(self, meta: Meta, *_: Any) -> None:
        return None

    def namespace(self, meta: Meta, name: Token | None, *items: Any) -> tree.Namespace:
        return tree.Namespace(self._span(meta), str(name or ""), tuple(_flat(items)))

    def namespace_alias(self, meta: Meta, alias: Token, name: Token) -> tree.NamespaceAlias:
        return tree.NamespaceAlias(self._span(meta), str(alias), str(name).removeprefix("::"))

    def linkage(self, meta: Meta, _linkage: Token, *items: Any) -> list[Any]:
        return _flat(items)

    def using_namespace(self, meta: Meta, name: Token) -> tree.UsingNamespace:
        return tree.UsingNamespace(self._span(meta), str(name).removeprefix("::"))

    def using_name(self, meta: Meta, name: Token) -> tree.UsingName:
        return tree.UsingName(self._span(meta), str(name).removeprefix("::"))

    def alias(self, meta: Meta, name: Token, type_: tree.TypeName) -> tree.Alias:
        return tree.Alias(self._span(meta), str(name), type_)

    def typedef(self, meta: Meta, type_: tree.TypeName, declarator: tree.Declarator) -> tree.Alias | list[Any]:
        defined = type_.defined
        if isinstance(defined, (tree.Class, tree.Enum)) and defined.name in ("", declarator.name):
            named = replace(type_, name=declarator.name, defined=replace(defined, name=declarator.name))
            return tree.Alias(self._span(meta), "", named)
        written = replace(
            type_, pointers=type_.pointers + declarator.pointers, reference=type_.reference or declarator.reference
        )
        return tree.Alias(self._span(meta), declarator.name, written, declarator.sizes)

    def static_assert(self, meta: Meta, condition: Any, message: Token | None) -> tree.StaticAssert:
        said = unescape(str(message)[1:-1]) if message is not None else ""
        return tree.StaticAssert(self._span(meta), condition, said)

    # ---- templates

    def template_item(self, meta: Meta, *children: Any) -> Any:
        *parameters, declared = children
        given = tuple(p for p in parameters if p is not None)
        match declared:
            case tree.Function():
                return replace(declared, template=given)
            case tree.Declaration(type=tree.TypeName(defined=tree.Class() as defined), declarators=()):
                type_ = replace(declared.type, defined=replace(defined, template=given))
                return tree.Template(self._span(meta), given, replace(declared, type=type_))
            case tree.Alias():
                return tree.Template(self._span(meta), given, declared)
            case tree.Prototype() | None:
                return None
            case tree.Declaration(declarators=()):
                return None  # a class template that is defined elsewhere
            case _:
                message = "this kind of template is outside the modelled subset"
                raise error(Code.OUTSIDE_SUBSET, message, self._span(meta), "use class, function and alias templates")

    template_member = template_item

    def type_parameter(self, meta: Meta, *children: Any) -> tree.TemplateParameter:
        _key, *rest, default = children
        if any(getattr(r, "type", "") == "ELLIPSIS" for r in rest):
            self._outside(meta, "parameter packs")
        return tree.TemplateParameter(self._span(meta), str(rest[0]) if rest else "", None, default)

    def value_parameter(self, meta: Meta, *children: Any) -> tree.TemplateParameter:
        type_, *marks, name, default = children
        return tree.TemplateParameter(self._span(meta), name.name if name else "", self._marked(type_, marks), default)

    # ---- functions

    def function(self, meta: Meta, *children: Any) -> tree.Function:
        type_, *rest, body = children
        marks, name, parameters, tails = self._signature(rest)
        type_ = self._with_result(self._named(type_), marks, tails)
        return tree.Function(self._span(meta), type_, name.name, name.span, parameters, body)

    def prototype(self, meta: Meta, *children: Any) -> tree.Prototype:
        type_, *rest = children
        marks, name, parameters, tails = self._signature(rest)
        type_ = self._with_result(self._named(type_), marks, tails)
        return tree.Prototype(self._span(meta), type_, name.name, parameters)

    @staticmethod
    def _signature(rest: list[Any]) -> tuple[list[str], tree.Name, tuple[tree.Parameter, ...], list[Any]]:
        at = next(i for i, child in enumerate(rest) if isinstance(child, tree.Name))
        return rest[:at], rest[at], tuple(rest[at + 1] or ()), rest[at + 2 :]

    def _with_result(self, type_: tree.TypeName, marks: list[str], tails: list[Any]) -> tree.TypeName:
        """The result's type: the one in front, or the one after ``->``."""
        trailing = next((t for t in tails if isinstance(t, tree.TypeName)), None)
        if trailing is not None:
            return replace(trailing, specifiers=type_.specifiers + trailing.specifiers)
        return self._marked(type_, marks)

    def tail(self, meta: Meta, *words: Token) -> None:
        return None

    def trailing(self, meta: Meta, type_: tree.TypeName) -> tree.TypeName:
        return type_

    def parameters(self, meta: Meta, *parameters: tree.Parameter) -> list[tree.Parameter]:
        return list(parameters)

    def parameter(self, meta: Meta, *children: Any) -> tree.Parameter:
        type_, *rest, default = children
        at = next(i for i, child in enumerate(rest) if child is None or isinstance(child, tree.Name))
        marks, name, sizes = rest[:at], rest[at], rest[at + 1 :]
        written = self._marked(self._named(type_), marks)
        if sizes:  # an array parameter is a pointer
            written = replace(written, pointers=written.pointers + 1)
        return tree.Parameter(self._span(meta), written, name.name if name else "", default)

    def variadic_parameter(self, meta: Meta, dots: Token) -> NoReturn:
        self._outside(meta, "functions with any number of arguments")

    def _outside(self, meta: Meta, what: str) -> NoReturn:
        raise error(Code.OUTSIDE_SUBSET, f"{what} are outside the modelled subset", self._span(meta))

    def declared_name(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self._token_span(token), str(token))

    # ---- classes and enumerations

    def class_definition(self, meta: Meta, key: Token, *children: Any) -> tree.Class:
        align = next((c for c in children if isinstance(c, _Align)), None)
        name = next((str(c) for c in children if isinstance(c, Token) and c.type == "NAME"), "")
        bases = next((c for c in children if isinstance(c, _Bases)), None)
        if bases is not None:
            raise error(Code.OUTSIDE_SUBSET, "inheritance is outside the modelled subset", bases.span, "use a member")
        if str(key) == "union":
            self._outside(meta, "unions")
        given = [c for c in children if c is not None and not isinstance(c, (Token, _Align, list))]
        members = _flat([*given, *(m for c in children if isinstance(c, list) for m in c)])
        return tree.Class(self._span(meta), str(key), name, tuple(members), align.value if align else None)

    def bases(self, meta: Meta, *names: Any) -> _Bases:
        return _Bases(self._span(meta))

    def base(self, meta: Meta, *names: Any) -> None:
        return None

    def member_declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return self.declaration_of(meta, type_, declarators)

    def member_declarator(self, meta: Meta, *children: Any) -> tree.Declarator:
        return self.declarator_of(meta, children)

    def bit_field(self, meta: Meta, *children: Any) -> NoReturn:
        self._outside(meta, "bit-fields")

    def member_init(self, meta: Meta, value: Any) -> Any:
        return value

    def constructor(self, meta: Meta, type_: tree.TypeName, *children: Any) -> tree.Function:
        parameters, *rest, body = children
        initialisers = next((c for c in rest if isinstance(c, list)), [])
        written = tree.TypeName(type_.span, "", specifiers=type_.specifiers)
        return tree.Function(
            self._span(meta), written, type_.name, type_.span, tuple(parameters or ()), body, None, tuple(initialisers)
        )

    def special_constructor(self, meta: Meta, type_: tree.TypeName, *children: Any) -> tree.Prototype:
        parameters, *rest = children
        if not any(isinstance(r, Token) and r.type == "SPECIAL" for r in rest):
            self._outside(meta, "constructors that are defined outside their class")
        return tree.Prototype(self._span(meta), type_, type_.name, tuple(parameters or ()))

    def member_inits(self, meta: Meta, *inits: Any) -> list[Any]:
        return list(inits)

    def one_member_init(self, meta: Meta, name: Token, value: Any) -> tuple[tree.Name, tree.Initialiser]:
        if isinstance(value, tree.List):
            init = tree.Initialiser(self._span(meta), value.elements, list=True, names=value.names)
        else:
            init = tree.Initialiser(self._span(meta), tuple(value or ()), list=False)
        return tree.Name(self._token_span(name), str(name)), init

    def destructor(self, meta: Meta, type_: tree.TypeName | None, *children: Any) -> tree.Function:
        name = next(c for c in children if isinstance(c, Token) and c.type == "TYPE_NAME")
        span = self._token_span(name)
        written = type_ if type_ is not None else tree.TypeName(span, "")
        return tree.Function(self._span(meta), written, f"~{name}", span, (), children[-1])

    def special_destructor(self, meta: Meta, *children: Any) -> None:
        return None

    def enumeration(self, meta: Meta, *children: Any) -> tree.Enum:
        tokens = [c for c in children if isinstance(c, Token)]
        underlying = next((c for c in children if isinstance(c, tree.TypeName)), None)
        enumerators = tuple(c for c in children if isinstance(c, tuple))
        name = next((str(t) for t in tokens if t.type == "NAME"), "")
        scoped = any(t.type == "CLASS_KEY" for t in tokens)
        return tree.Enum(self._span(meta), name, scoped, underlying, enumerators)

    def enumerator(self, meta: Meta, name: Token, value: Any) -> tuple[tree.Name, Any]:
        return tree.Name(self._token_span(name), str(name)), value

    # ---- declarations

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return self.declaration_of(meta, type_, declarators)

    def declaration_of(self, meta: Meta, type_: tree.TypeName, declarators: tuple[Any, ...]) -> tree.Declaration:
        return tree.Declaration(self._span(meta), self._named(type_), tuple(d for d in declarators if d is not None))

    def declarator(self, meta: Meta, *children: Any) -> tree.Declarator:
        return self.declarator_of(meta, children)

    def declarator_of(self, meta: Meta, children: tuple[Any, ...]) -> tree.Declarator:
        marks = [c for c in children if isinstance(c, str)]
        name = next(c for c in children if isinstance(c, tree.Name))
        sizes = tuple(size for c in children if isinstance(c, tuple) for size in c)
        init = children[-1] if isinstance(children[-1], tree.Initialiser) else None
        own = "volatile" in marks  # of the pointer itself
        return tree.Declarator(self._span(meta), name.name, marks.count("*"), "&" in marks, sizes, init, own)

    def _named(self, type_: tree.TypeName) -> tree.TypeName:
        if not type_.name and type_.defined is None and type_.of is None:
            raise error(Code.UNKNOWN_TYPE, "a type is missing here", type_.span, "write one type, such as int")
        return type_

    def size(self, meta: Meta, size: tree.Expr | None) -> tuple[tree.Expr | None]:
        return (size,)

    def init_equals(self, meta: Meta, value: Any) -> tree.Initialiser:
        if isinstance(value, tree.List):
            return tree.Initialiser(value.span, value.elements, list=True, names=value.names)
        return tree.Initialiser(self._span(meta), (value,), list=False)

    def init_parens(self, meta: Meta, *values: tree.Expr) -> tree.Initialiser:
        return tree.Initialiser(self._span(meta), values, list=False)

    def braces(self, meta: Meta, *elements: Any) -> tree.List:
        designated = [isinstance(e, _Designated) for e in elements]
        if any(designated) and not all(designated):
            self._outside(meta, "lists in which only some elements are designated")
        if any(designated):
            return tree.List(self._span(meta), tuple(e.value for e in elements), tuple(e.name for e in elements))
        return tree.List(self._span(meta), elements, ())

    def designated(self, meta: Meta, name: Token, value: Any) -> _Designated:
        return _Designated(str(name), value)

    # ---- types

    def type(self, meta: Meta, *specifiers: Any) -> tree.TypeName:
        words = [s for s in specifiers if isinstance(s, Token) and s.type == "INT_WORD"]
        named = [s for s in specifiers if isinstance(s, tree.TypeName)]
        keywords = tuple(_keyword(s) for s in specifiers if isinstance(s, Token) and s.type != "INT_WORD")
        span = self._span(meta)
        if len(named) + bool(words) > 1:
            raise error(Code.UNKNOWN_TYPE, "two types in one declaration", span, "write one type, such as int")
        base = named[0] if named else tree.TypeName(span, " ".join(words))
        align = next((s.value for s in specifiers if isinstance(s, _Align)), None)
        cluster = next((s.extents for s in specifiers if isinstance(s, _Cluster)), ())
        specifiers_ = tuple(k for k in keywords if k) + base.specifiers
        return replace(base, span=span, specifiers=specifiers_, align=align, cluster=cluster)

    def type_id(self, meta: Meta, type_: tree.TypeName, *marks: str) -> tree.TypeName:
        return self._marked(self._named(type_), list(marks))

    def keyword_specifier(self, meta: Meta, token: Token) -> Token:
        if str(token) in ("virtual", "friend"):
            self._outside(meta, "virtual functions" if token == "virtual" else "friends")
        return token

    def int_word(self, meta: Meta, token: Token) -> Token:
        return token

    def ignored_specifier(self, meta: Meta, arguments: list[tree.Expr]) -> None:
        return None

    def cluster_specifier(self, meta: Meta, extents: list[tree.Expr]) -> _Cluster:
        return _Cluster(tuple(extents))

    def attribute(self, meta: Meta, value: Any) -> _Align:
        return _Align(value)

    def specifier(self, meta: Meta, inner: Any) -> Any:
        return inner

    def defined_type(self, meta: Meta, defined: Any) -> tree.TypeName:
        return tree.TypeName(self._span(meta), defined.name, defined=defined)

    def decltype(self, meta: Meta, operand: Any) -> tree.TypeName:
        return tree.TypeName(self._span(meta), "decltype", of=operand)

    def named_type(self, meta: Meta, *children: Any) -> tree.TypeName:
        first, *rest = children
        if isinstance(first, tree.TypeName):
            member = str(rest[0]).removeprefix("::") if rest else None
            return replace(first, span=self._span(meta), member=member)
        return tree.TypeName(self._span(meta), str(first).removeprefix("::"))

    def template_type(self, meta: Meta, name: Token, *arguments: Any) -> tree.TypeName:
        given = tuple(a for a in arguments if a is not None)
        return tree.TypeName(self._span(meta), str(name).removeprefix("::"), given)

    def type_argument(self, meta: Meta, type_: tree.TypeName) -> tree.TypeName:
        return type_

    def pointer(self, meta: Meta) -> str:
        return "*"

    def reference(self, meta: Meta) -> str:
        return "&"

    def const_pointer(self, meta: Meta) -> str:
        return "const"

    def volatile_pointer(self, meta: Meta) -> str:
        return "volatile"

    def restrict_pointer(self, meta: Meta) -> str:
        return "__restrict__"

    def _marked(self, type_: tree.TypeName, marks: list[str]) -> tree.TypeName:
        if not marks:
            return type_
        return replace(type_, pointers=type_.pointers + marks.count("*"), reference=type_.reference or "&" in marks)

    # ---- statements

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self._span(meta), statements)

    def if_(self, meta: Meta, condition: Any, then: Any, otherwise: Any = None) -> tree.If:
        return tree.If(self._span(meta), condition, then, otherwise)

    def if_head(self, meta: Meta, *children: Any) -> Any:
        return children[-1]

    def condition_declaration(self, meta: Meta, type_: tree.TypeName, declarator: tree.Declarator) -> tree.Declaration:
        return self.declaration_of(meta, type_, (declarator,))

    def while_(self, meta: Meta, condition: Any, body: Any) -> tree.While:
        return tree.While(self._span(meta), condition, body)

    def do_while(self, meta: Meta, body: Any, condition: Any) -> tree.DoWhile:
        return tree.DoWhile(self._span(meta), body, condition)

    def for_(self, meta: Meta, head: Any, body: Any) -> tree.For:
        init, condition, steps = head
        return tree.For(self._span(meta), init, condition, steps, body)

    def for_head(self, meta: Meta, init: Any, condition: Any, steps: Any) -> tuple[Any, Any, Any]:
        return init, condition, _parts(steps)

    def for_init(self, meta: Meta, init: Any) -> Any:
        return init if isinstance(init, tree.Declaration) else _parts(init)

    def range_for(self, meta: Meta, head: Any, body: Any) -> tree.RangeFor:
        type_, name, range_ = head
        return tree.RangeFor(self._span(meta), type_, name, range_, body)

    def range_head(self, meta: Meta, *children: Any) -> tuple[Any, ...]:
        type_, *marks, name, range_ = children
        return self._marked(self._named(type_), marks), name.name, range_

    def switch(self, meta: Meta, value: Any, body: tree.Block) -> tree.Switch:
        return tree.Switch(self._span(meta), value, body)

    def case(self, meta: Meta, value: Any) -> tree.Case:
        return tree.Case(self._span(meta), value)

    def default(self, meta: Meta) -> tree.Case:
        return tree.Case(self._span(meta), None)

    def nested_block(self, meta: Meta, block: tree.Block) -> tree.Block:
        return block

    def declaration_statement(self, meta: Meta, declaration: Any) -> Any:
        return declaration

    def expression_statement(self, meta: Meta, expr: Any) -> tree.ExprStatement:
        return tree.ExprStatement(self._span(meta), expr)

    def return_(self, meta: Meta, value: Any) -> tree.Return:
        return tree.Return(self._span(meta), value)

    def break_(self, meta: Meta) -> tree.Break:
        return tree.Break(self._span(meta))

    def continue_(self, meta: Meta) -> tree.Continue:
        return tree.Continue(self._span(meta))

    def empty_statement(self, meta: Meta) -> tree.Block:
        return tree.Block(self._span(meta), ())

    # ---- expressions

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

    # ---- directives

    def directives(self, meta: Meta, *directives: Any) -> list[Any]:
        return list(directives)

    def expect(self, meta: Meta, outcome: tree.Expect, when: Any, under: Any) -> tree.Expect:
        return tree.Expect(self._span(meta), outcome.kind, outcome.formula, outcome.target, when, tuple(under or ()))

    def plain_outcome(self, meta: Meta, kind: Token) -> tree.Expect:
        return tree.Expect(self._span(meta), str(kind))

    def race_outcome(self, meta: Meta, target: tree.Name | None) -> tree.Expect:
        return tree.Expect(self._span(meta), "race", target=target)

    def formula_outcome(self, meta: Meta, kind: Token, formula: Any) -> tree.Expect:
        return tree.Expect(self._span(meta), str(kind), formula=formula)

    def when(self, meta: Meta, condition: Any) -> Any:
        return condition

    def under(self, meta: Meta, *models: tree.Setting) -> list[tree.Setting]:
        return list(models)

    def model(self, meta: Meta, token: Token) -> tree.Setting:
        return tree.Setting(self._token_span(token), str(token))

    def name_ref(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self._token_span(token), str(token))

    def variable(self, meta: Meta, *parts: Token) -> tree.Name:
        return tree.Name(self._span(meta), ".".join(parts))

    def vary(self, meta: Meta, name: tree.Name, *values: Any) -> tree.Vary:
        return tree.Vary(self._span(meta), name, values)

    def launch_directive(self, meta: Meta, launch: tree.Launch) -> tree.LaunchDirective:
        return tree.LaunchDirective(self._span(meta), launch)

    def object_directive(self, meta: Meta, declaration: tree.Declaration) -> tree.ObjectDirective:
        return tree.ObjectDirective(self._span(meta), declaration)

    def storage_directive(self, meta: Meta, name: tree.Name, kind: Token, *settings: Any) -> tree.StorageDirective:
        return tree.StorageDirective(self._span(meta), name, str(kind), tuple(s for s in settings if s is not None))

    def setting(self, meta: Meta, name: Token, value: Token) -> tree.Setting:
        return tree.Setting(self._span(meta), str(name), str(value))

    def settings(self, meta: Meta, kind: Token, *settings: tree.Setting) -> tree.Settings:
        return tree.Settings(self._span(meta), str(kind), settings)
