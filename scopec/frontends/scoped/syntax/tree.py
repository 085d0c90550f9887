"""The syntax tree of a scoped-CUDA file: what was written, before any meaning is given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: specifiers, a name with template arguments, and how many pointer marks.

    ``name`` is the spelling without specifiers (``int``, ``unsigned long long``, ``cuda::atomic``); ``specifiers`` are
    the others in the order written (``__device__``, ``constexpr``, ``volatile``, …).
    """

    span: Span
    name: str
    arguments: tuple[TypeName | Expr, ...] = ()
    specifiers: tuple[str, ...] = ()
    pointers: int = 0


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Int:
    """An integer literal: its value and whether a suffix or its size makes it unsigned or long."""

    span: Span
    value: int
    unsigned: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Bool:
    """``true`` or ``false``."""

    span: Span
    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, qualified or not, as written; with the argument that a function template is given."""

    span: Span
    name: str
    argument: Expr | None = None


@dataclass(frozen=True, slots=True)
class Comma:
    """``left, right``."""

    span: Span
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Unary:
    """``! ~ + - * &`` applied to an operand."""

    span: Span
    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """An arithmetic, bitwise, shift, comparison or logical operator."""

    span: Span
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional:
    """``condition ? then : otherwise``."""

    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``, or ``target op= value`` with ``op`` set."""

    span: Span
    op: str | None
    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Step:
    """``++x``, ``x++``, ``--x`` or ``x--``."""

    span: Span
    op: str
    prefix: bool
    target: Expr


@dataclass(frozen=True, slots=True)
class Member:
    """``object.name``."""

    span: Span
    object: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """``object[index]``."""

    span: Span
    object: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """``function(arguments)``."""

    span: Span
    function: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Construct:
    """``Type(argument)``: a temporary object."""

    span: Span
    type: TypeName
    argument: Expr


@dataclass(frozen=True, slots=True)
class Cast:
    """``(Type) operand``."""

    span: Span
    type: TypeName
    operand: Expr


@dataclass(frozen=True, slots=True)
class SizeOf:
    """``sizeof(Type)`` or ``sizeof(name)``."""

    span: Span
    operand: TypeName | Name


@dataclass(frozen=True, slots=True)
class Launch:
    """``kernel<<<configuration>>>(arguments)``."""

    span: Span
    kernel: Name
    configuration: tuple[Expr, ...]
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ThreadLocal:
    """``kernel#2[block][thread].name`` and the like, in expectations only: the head ``kernel#2``."""

    span: Span
    kernel: str
    launch: int


Expr: TypeAlias = (
    Int
    | Bool
    | Name
    | Comma
    | Unary
    | Binary
    | Conditional
    | Assign
    | Step
    | Member
    | Index
    | Call
    | Construct
    | Cast
    | SizeOf
    | Launch
    | ThreadLocal
)

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Initialiser:
    """What follows a declared name: ``= e``, ``{e, …}`` or ``(e)``."""

    span: Span
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Declarator:
    """One declared name with its pointer marks, array sizes and initial value."""

    span: Span
    name: str
    pointers: int = 0
    sizes: tuple[Expr | None, ...] = ()
    init: Initialiser | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """``type a = 1, b, c[3];`` at any place where C++ allows it."""

    span: Span
    type: TypeName
    declarators: tuple[Declarator, ...]


@dataclass(frozen=True, slots=True)
class ExprStatement:
    """An expression evaluated for its effect."""

    span: Span
    expr: Expr


@dataclass(frozen=True, slots=True)
class Block:
    """``{ … }``."""

    span: Span
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """``if (condition) then else otherwise``."""

    span: Span
    condition: Expr
    then: Statement
    otherwise: Statement | None = None


@dataclass(frozen=True, slots=True)
class While:
    """``while (condition) body``."""

    span: Span
    condition: Expr
    body: Statement


@dataclass(frozen=True, slots=True)
class DoWhile:
    """``do body while (condition);``."""

    span: Span
    body: Statement
    condition: Expr


@dataclass(frozen=True, slots=True)
class For:
    """``for (init; condition; steps) body``; any of the three may be missing."""

    span: Span
    init: Declaration | tuple[Expr, ...]
    condition: Expr | None
    steps: tuple[Expr, ...]
    body: Statement


@dataclass(frozen=True, slots=True)
class Return:
    """``return`` with or without a value."""

    span: Span
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Break:
    """``break;``."""

    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    """``continue;``."""

    span: Span


# ---------------------------------------------------------------- names for namespaces


@dataclass(frozen=True, slots=True)
class NamespaceAlias:
    """``namespace alias = name;``."""

    span: Span
    alias: str
    name: str


Statement: TypeAlias = Declaration | ExprStatement | Block | If | While | DoWhile | For | Return | Break | Continue

# ---------------------------------------------------------------- files


@dataclass(frozen=True, slots=True)
class Parameter:
    """A function's parameter."""

    span: Span
    type: TypeName
    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function with its body: a kernel, which the type's specifiers say, or ``main``."""

    span: Span
    type: TypeName
    name: str
    name_span: Span
    parameters: tuple[Parameter, ...]
    body: Block


Item: TypeAlias = Declaration | Function | NamespaceAlias

# ---------------------------------------------------------------- directives


@dataclass(frozen=True, slots=True)
class Expect:
    """``expect KIND [expression | on place] [when expression] [under models]``."""

    span: Span
    kind: str
    formula: Expr | None = None
    target: Expr | None = None
    when: Expr | None = None
    under: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Vary:
    """``vary NAME in {values}``."""

    span: Span
    name: Name
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class LaunchDirective:
    """``launch kernel<<<…>>>(…)``."""

    span: Span
    launch: Launch


@dataclass(frozen=True, slots=True)
class ObjectDirective:
    """``object`` and a declaration."""

    span: Span
    declaration: Declaration


@dataclass(frozen=True, slots=True)
class StorageDirective:
    """``storage NAME = KIND, align = N``."""

    span: Span
    name: Name
    kind: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class LanguageDirective:
    """``language NAME``: ``scoped`` or ``c++``."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class KernelsDirective:
    """``kernels "FILE"``: a file of PTX, in quotation marks, whose kernels the program has."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A name with an optional value, as in ``bound``, ``given``, ``options`` and ``under`` (no value there)."""

    span: Span
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """``bound``, ``given`` or ``options`` with their settings; ``allow`` with codes, which have no values."""

    span: Span
    kind: str
    settings: tuple[Setting, ...]


Directive: TypeAlias = (
    Expect
    | Vary
    | LaunchDirective
    | ObjectDirective
    | StorageDirective
    | LanguageDirective
    | KernelsDirective
    | Settings
)


@dataclass(frozen=True, slots=True)
class File:
    """A whole file: its items in order, and its directives in order."""

    name: str
    items: tuple[Item, ...]
    directives: tuple[Directive, ...]
