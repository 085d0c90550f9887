"""Reader of scoped CUDA: text to :mod:`scopec.syntax.tree`, with grammar/cuda.lark."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from lark import Lark, Token, Transformer_NonRecursive, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError
from lark.lark import PostLex

from scopec.diagnostics import Code, InputError, error
from scopec.resources import resource
from scopec.source import Source, Span
from scopec.syntax import tree
from scopec.syntax.scan import scan
from scopec.syntax.syntax_errors import RESERVED, describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark.tree import Meta

_NAMESPACES = ("cuda::", "cuda::std::", "std::")
_SIZED = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["size_t", "ptrdiff_t"]
_PLAIN_TYPES = ["cudaStream_t", "cudaEvent_t", "cudaError_t", "dim3", "uint"]
_NAMESPACE_TYPES = ["memory_order", "thread_scope", "latch", "thread", "jthread", "stop_source", "stop_token"]
_NAMESPACE_TEMPLATES = ["atomic", "atomic_ref", "barrier", "latch", "counting_semaphore", "binary_semaphore"]


def _qualified(names: list[str]) -> set[str]:
    return {prefix + name for prefix in _NAMESPACES for name in names}


_TYPE_NAMES = {*_SIZED, *_PLAIN_TYPES} | _qualified(_SIZED + _NAMESPACE_TYPES)
_TEMPLATE_NAMES = _qualified(_NAMESPACE_TEMPLATES) - {"std::latch", "cuda::std::latch"}


class _TypeNames(PostLex):
    """Tells names of types and templates from other names: without that, C++ has no LALR grammar.

    Unqualified library names count as types after a ``using namespace``.
    """

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        types, templates = _TYPE_NAMES, _TEMPLATE_NAMES
        previous: Token | None = None
        for token in stream:
            if token.type == "NAME":
                name = str(token).removeprefix("::")
                if name in RESERVED:
                    raise _ReservedWordError(token)
                if previous is not None and previous.type == "NAMESPACE" and (name + "::") in _NAMESPACES:
                    types = types | set(_NAMESPACE_TYPES)
                    templates = templates | set(_NAMESPACE_TEMPLATES)
                elif previous is None or previous.type != "DOT":
                    if name in templates:
                        token.type = "TEMPLATE_NAME"
                    elif name in types:
                        token.type = "TYPE_NAME"
            previous = token
            yield token


class _ReservedWordError(Exception):
    def __init__(self, token: Token) -> None:
        super().__init__(str(token))
        self.token = token


@cache
def parser() -> Lark:
    """The parser for both start symbols, ``program`` and ``directives``."""
    return Lark(
        resource("grammar/cuda.lark").read_text(encoding="utf-8"),
        parser="lalr",
        strict=True,
        propagate_positions=True,
        maybe_placeholders=True,
        start=["program", "directives"],
        postlex=_TypeNames(),
    )


def read(source: Source) -> tree.File:
    """Parse a file; raises InputError at the first place that is not in the language."""
    scanned = scan(source)
    items = _parse(source, scanned.code, "program")
    directives = _parse(source, scanned.directives, "directives")
    return tree.File(source.name, tuple(i for i in items if i is not None), tuple(directives))


def _parse(source: Source, text: str, start: str) -> list[Any]:
    if not text.strip():
        return []
    try:
        parsed = parser().parse(text, start=start)
        return list(_Builder(source).transform(parsed))
    except _ReservedWordError as reserved:
        span = Span.of_token(source.name, reserved.token)
        raise error(Code.OUTSIDE_SUBSET, RESERVED[str(reserved.token).removeprefix("::")], span) from None
    except UnexpectedInput as unexpected:
        _syntax_error(source, text, unexpected, start)
    except VisitError as failure:
        if isinstance(failure.orig_exc, InputError):
            raise failure.orig_exc from None
        raise


def _syntax_error(source: Source, text: str, unexpected: UnexpectedInput, start: str) -> NoReturn:
    found: str | None
    match unexpected:
        case UnexpectedToken(token=Token() as token) if token.type == "$END":
            offset, length, found = len(text.rstrip()), 0, None
        case UnexpectedToken(token=Token() as token):
            offset, length, found = token.start_pos or 0, len(token), str(token)
        case UnexpectedCharacters():
            position = cast(int, unexpected.pos_in_stream)
            offset, length, found = position, 1, text[position]
        case UnexpectedEOF():
            offset, length, found = len(text.rstrip()), 0, None
        case _:
            raise unexpected
    wanted = getattr(unexpected, "expected", None) or getattr(unexpected, "allowed", None) or set()
    said = describe(text, offset, found, set(wanted), in_directive=start == "directives")
    at = said.offset if said.offset is not None else offset
    end = at + (said.length if said.offset is not None else length)
    raise error(said.code, said.message, source.span(at, end), said.help) from None


def _integer(span: Span, text: str) -> tree.Int:
    digits = text.lower().replace("'", "")
    body = digits.rstrip("ulz")
    suffix = digits[len(body) :]
    base = (
        16 if body.startswith("0x") else 2 if body.startswith("0b") else 8 if len(body) > 1 and body[0] == "0" else 10
    )
    try:
        value = int(body, base)
    except ValueError:
        raise error(Code.BAD_LITERAL, f"`{text}` is not a number", span) from None
    if suffix not in ("", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu"):
        raise error(Code.BAD_LITERAL, f"`{text}` has no such suffix", span, "use u, l, ul, ll or ull")
    if value >= 1 << 64:
        raise error(Code.BAD_LITERAL, f"{text} needs more than 64 bits", span)
    return tree.Int(span, value, unsigned="u" in suffix, long="l" in suffix or "z" in suffix)


_ESCAPES = {"n": "\n", "t": "\t", "0": "\0", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def _unescape(text: str) -> str:
    out, i = "", 0
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text):
            out += _ESCAPES.get(text[i + 1], text[i + 1])
            i += 2
        else:
            out += text[i]
            i += 1
    return out


@v_args(meta=True, inline=True)
class _Builder(Transformer_NonRecursive[Any, Any]):
    """Lark tree to syntax tree.  Method names are the grammar's rule names and aliases."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._file = source.name

    def _span(self, meta: Meta) -> Span:
        return Span.of_meta(self._file, meta)

    def _token_span(self, token: Token) -> Span:
        return Span.of_token(self._file, token)

    # ---- files

    def program(self, meta: Meta, *items: Any) -> list[Any]:
        return list(items)

    def nothing(self, meta: Meta) -> None:
        return None

    def using_namespace(self, meta: Meta, name: Token) -> None:
        return None

    def namespace_alias(self, meta: Meta, alias: Token, name: Token) -> None:
        raise error(
            Code.OUTSIDE_SUBSET,
            "namespace aliases are outside the modelled subset",
            self._span(meta),
            "write the namespace out",
        )

    def function(self, meta: Meta, *children: Any) -> tree.Function:
        type_, *marks, name, parameters, body = children
        return tree.Function(
            self._span(meta), self._marked(type_, marks), name.name, name.span, tuple(parameters or ()), body
        )

    def parameters(self, meta: Meta, *parameters: tree.Parameter) -> list[tree.Parameter]:
        return list(parameters)

    def parameter(self, meta: Meta, *children: Any) -> tree.Parameter:
        type_, *marks, name = children
        return tree.Parameter(self._span(meta), self._marked(type_, marks), name.name if name else "")

    def declared_name(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self._token_span(token), str(token))

    # ---- declarations

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: tree.Declarator) -> tree.Declaration:
        return tree.Declaration(self._span(meta), type_, declarators)

    def declarator(self, meta: Meta, *children: Any) -> tree.Declarator:
        marks = [c for c in children if isinstance(c, str)]
        name = next(c for c in children if isinstance(c, tree.Name))
        sizes = tuple(size for c in children if isinstance(c, tuple) for size in c)
        init = children[-1] if isinstance(children[-1], tree.Initialiser) else None
        return tree.Declarator(self._span(meta), name.name, marks.count("*"), "&" in marks, sizes, init)

    def size(self, meta: Meta, size: tree.Expr | None) -> tuple[tree.Expr | None]:
        return (size,)

    def init_equals(self, meta: Meta, value: Any) -> tree.Initialiser:
        if isinstance(value, tree.Initialiser):
            return value
        return tree.Initialiser(self._span(meta), (value,), list=False)

    def init_parens(self, meta: Meta, values: list[tree.Expr]) -> tree.Initialiser:
        return tree.Initialiser(self._span(meta), tuple(values), list=False)

    def braces(self, meta: Meta, values: list[tree.Expr] | None) -> tree.Initialiser:
        return tree.Initialiser(self._span(meta), tuple(values or ()), list=True)

    # ---- types

    def type(self, meta: Meta, *specifiers: Any) -> tree.TypeName:
        words = [s for s in specifiers if isinstance(s, Token) and s.type == "INT_WORD"]
        named = [s for s in specifiers if isinstance(s, tree.TypeName)]
        keywords = tuple(str(s) for s in specifiers if isinstance(s, Token) and s.type == "SPECIFIER")
        span = self._span(meta)
        if len(named) + bool(words) != 1:
            message = "a type is missing here" if not named and not words else "two types in one declaration"
            raise error(Code.UNKNOWN_TYPE, message, span, "write one type, such as int")
        if words:
            return tree.TypeName(span, " ".join(words), specifiers=keywords)
        return tree.TypeName(span, named[0].name, named[0].arguments, keywords)

    def keyword_specifier(self, meta: Meta, token: Token) -> Token:
        return token

    int_word = keyword_specifier

    def ignored_specifier(self, meta: Meta, arguments: list[tree.Expr]) -> None:
        return None

    def specifier(self, meta: Meta, inner: Any) -> Any:
        return inner

    def named_type(self, meta: Meta, name: Token, *arguments: Any) -> tree.TypeName:
        return tree.TypeName(self._span(meta), str(name).removeprefix("::"), arguments)

    def type_argument(self, meta: Meta, type_: tree.TypeName, *marks: str) -> tree.TypeName:
        return self._marked(type_, list(marks))

    def pointer(self, meta: Meta) -> str:
        return "*"

    def reference(self, meta: Meta) -> str:
        return "&"

    def const_pointer(self, meta: Meta) -> str:
        return "const"

    def restrict_pointer(self, meta: Meta) -> str:
        return "__restrict__"

    def _marked(self, type_: tree.TypeName, marks: list[str]) -> tree.TypeName:
        if not marks:
            return type_
        return tree.TypeName(type_.span, type_.name, type_.arguments, type_.specifiers, marks.count("*"), "&" in marks)

    # ---- statements

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self._span(meta), statements)

    def if_(self, meta: Meta, condition: Any, then: Any, otherwise: Any = None) -> tree.If:
        return tree.If(self._span(meta), condition, then, otherwise)

    def while_(self, meta: Meta, condition: Any, body: Any) -> tree.While:
        return tree.While(self._span(meta), condition, body)

    def do_while(self, meta: Meta, body: Any, condition: Any) -> tree.DoWhile:
        return tree.DoWhile(self._span(meta), body, condition)

    def for_(self, meta: Meta, head: Any, body: Any) -> tree.For:
        init, condition, steps = head
        return tree.For(self._span(meta), init, condition, tuple(steps or ()), body)

    def for_head(self, meta: Meta, init: Any, condition: Any, steps: Any) -> tuple[Any, Any, Any]:
        return init, condition, steps

    def for_init(self, meta: Meta, init: Any) -> Any:
        return init if isinstance(init, tree.Declaration) else tuple(init or ())

    def nested_block(self, meta: Meta, block: tree.Block) -> tree.Block:
        return block

    def declaration_statement(self, meta: Meta, declaration: tree.Declaration) -> tree.Declaration:
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

    def cast(self, meta: Meta, type_: tree.TypeName, *rest: Any) -> tree.Cast:
        *marks, operand = rest
        return tree.Cast(self._span(meta), self._marked(type_, marks), operand)

    def sizeof_type(self, meta: Meta, type_: tree.TypeName, *marks: str) -> tree.SizeOf:
        return tree.SizeOf(self._span(meta), self._marked(type_, list(marks)))

    def sizeof_expr(self, meta: Meta, operand: Any) -> tree.SizeOf:
        return tree.SizeOf(self._span(meta), operand)

    def member(self, meta: Meta, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self._span(meta), object_, str(name))

    def index(self, meta: Meta, object_: Any, index: Any) -> tree.Index:
        return tree.Index(self._span(meta), object_, index)

    def call(self, meta: Meta, function: Any, arguments: list[Any] | None) -> tree.Call:
        return tree.Call(self._span(meta), function, tuple(arguments or ()))

    def construct(self, meta: Meta, type_: tree.TypeName, arguments: Any) -> tree.Construct:
        values = arguments.arguments if isinstance(arguments, tree.Initialiser) else tuple(arguments or ())
        return tree.Construct(self._span(meta), type_, values)

    def construct_int(self, meta: Meta, word: Token, arguments: list[Any]) -> tree.Construct:
        return tree.Construct(self._span(meta), tree.TypeName(self._token_span(word), str(word)), tuple(arguments))

    def launch(self, meta: Meta, kernel: Token, configuration: list[Any], arguments: list[Any] | None) -> tree.Launch:
        name = tree.Name(self._token_span(kernel), str(kernel))
        return tree.Launch(self._span(meta), name, tuple(configuration), tuple(arguments or ()))

    def int(self, meta: Meta, token: Token) -> tree.Int:
        return _integer(self._token_span(token), str(token))

    def string(self, meta: Meta, *tokens: Token) -> tree.Str:
        return tree.Str(self._span(meta), "".join(_unescape(str(t)[1:-1]) for t in tokens))

    def char(self, meta: Meta, token: Token) -> tree.Int:
        text = _unescape(str(token)[1:-1])
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

    def vary(self, meta: Meta, name: tree.Name, *values: Any) -> tree.Vary:
        return tree.Vary(self._span(meta), name, values)

    def launch_directive(self, meta: Meta, launch: tree.Launch) -> tree.LaunchDirective:
        return tree.LaunchDirective(self._span(meta), launch)

    def object_directive(self, meta: Meta, declaration: tree.Declaration) -> tree.ObjectDirective:
        return tree.ObjectDirective(self._span(meta), declaration)

    def setting(self, meta: Meta, name: Token, value: Token) -> tree.Setting:
        return tree.Setting(self._span(meta), str(name), str(value))

    def settings(self, meta: Meta, kind: Token, *settings: tree.Setting) -> tree.Settings:
        return tree.Settings(self._span(meta), str(kind), settings)
