"""The syntax tree of a scoped-CUDA file: what was written, before any meaning is given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.frontends.c.syntax.expression_tree import (
    Assign as Assign,
)
from scopec.frontends.c.syntax.expression_tree import (
    Binary as Binary,
)
from scopec.frontends.c.syntax.expression_tree import (
    Bool as Bool,
)
from scopec.frontends.c.syntax.expression_tree import (
    Call as Call,
)
from scopec.frontends.c.syntax.expression_tree import (
    Cast as Cast,
)
from scopec.frontends.c.syntax.expression_tree import (
    Comma as Comma,
)
from scopec.frontends.c.syntax.expression_tree import (
    Conditional as Conditional,
)
from scopec.frontends.c.syntax.expression_tree import (
    Construct as Construct,
)
from scopec.frontends.c.syntax.expression_tree import (
    Expr as Expr,
)
from scopec.frontends.c.syntax.expression_tree import (
    Index as Index,
)
from scopec.frontends.c.syntax.expression_tree import (
    Int as Int,
)
from scopec.frontends.c.syntax.expression_tree import (
    Launch as Launch,
)
from scopec.frontends.c.syntax.expression_tree import (
    Member as Member,
)
from scopec.frontends.c.syntax.expression_tree import (
    Name as Name,
)
from scopec.frontends.c.syntax.expression_tree import (
    SizeOf as SizeOf,
)
from scopec.frontends.c.syntax.expression_tree import (
    Step as Step,
)
from scopec.frontends.c.syntax.expression_tree import (
    ThreadLocal as ThreadLocal,
)
from scopec.frontends.c.syntax.expression_tree import (
    TypeName as TypeName,
)
from scopec.frontends.c.syntax.expression_tree import (
    Unary as Unary,
)

if TYPE_CHECKING:
    from scopec.base.source import Span

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Initialiser:
    """The part behind a declared name: ``= e``, ``{e, …}`` or ``(e)``."""

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
class Labelled:
    """``label: statement``, in litmus files."""

    span: Span
    label: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class NamespaceAlias:
    """``namespace alias = name;``."""

    span: Span
    alias: str
    name: str


Statement: TypeAlias = (
    Declaration | ExprStatement | Block | If | While | DoWhile | For | Return | Break | Continue | Labelled
)

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
