"""Which names are types and templates: C++ cannot be parsed without knowing them.

A pass over the tokens before parsing.  It follows namespaces, classes, blocks and template headers and gives the names
in the text their roles.  It also blanks what only says where types are to a C++ parser (``typename``, and ``struct``
before a known name), and finds each ``>>`` that closes two argument lists.
"""

from __future__ import annotations

import re
from dataclasses import field
from enum import Enum

from scopec.base.records import dataclass

_TOKENS = re.compile(
    r"""
      (?P<name>(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[\w.])*)
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<punctuator><<<|>>>|<<=|>>=|[-+*/%&|^=!<>]=|<<|>>|&&|\|\||\+\+|--|->|\#|[^\s\w])
    """,
    re.VERBOSE,
)


class Role(Enum):
    """What a name is, where that is not a plain name; the value is its terminal in the grammar."""

    TYPE = "TYPE_NAME"
    TEMPLATE = "TEMPLATE_NAME"
    FUNCTION_TEMPLATE = "FUNCTION_TEMPLATE"
    MEMBER_TYPE = "MEMBER_TYPE"
    MEMBER = "MEMBER_NAME"


_SIZED = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["size_t", "ptrdiff_t", "uintptr_t"]
_SIZED += ["intptr_t", "nullptr_t"]
_GLOBAL_TYPES = [
    "cudaStream_t", "cudaEvent_t", "cudaError_t", "cudaError", "cudaDeviceProp", "cudaLaunchConfig_t",
    "cudaLaunchAttribute", "dim3", "uint", "ushort", "uchar", "ulong", "FILE",
]  # fmt: skip
_LIBRARY_TYPES = [
    "memory_order", "thread_scope", "latch", "thread", "jthread", "stop_source", "stop_token", "binary_semaphore",
]  # fmt: skip
_LIBRARY_TEMPLATES = [
    "atomic", "atomic_ref", "barrier", "latch", "counting_semaphore", "binary_semaphore", "vector", "array",
]  # fmt: skip
_GROUP_TYPES = ["thread_block", "grid_group", "cluster_group", "coalesced_group"]
_GROUP_TEMPLATES = ["thread_block_tile"]
_GROUP_FUNCTIONS = ["tiled_partition"]
_LIBRARY_FUNCTIONS = ["min", "max", "move", "forward", "exchange"]
_GROUPS = "cooperative_groups"
_NESTED_TYPES = {"arrival_token", "value_type"}
_TYPE_WORDS = {
    "void", "bool", "char", "short", "int", "long", "unsigned", "signed", "auto", "float", "double", "__int128",
}  # fmt: skip
_WITH_ARGUMENTS = {"__launch_bounds__", "__cluster_dims__", "alignas", "__align__", "decltype"}
_ANGLES = {"<": 1, ">": -1, ">>": -2, ">>>": -3}


@dataclass
class _Scope:
    """Names that are declared in a namespace, class, block or template header; ``inner`` are named scopes in it."""

    roles: dict[str, Role | None] = field(default_factory=dict)
    inner: dict[str, _Scope] = field(default_factory=dict)
    kind: str = "block"


def _library() -> _Scope:
    """The names of the libraries."""
    top = _Scope(dict.fromkeys([*_SIZED, *_GLOBAL_TYPES], Role.TYPE), kind="namespace")

    def fill(*, cuda: bool) -> _Scope:
        scope = _Scope(dict.fromkeys([*_SIZED, *_LIBRARY_TYPES], Role.TYPE), kind="namespace")
        for name in _LIBRARY_TEMPLATES:
            scope.roles[name] = Role.TEMPLATE
        scope.roles |= dict.fromkeys(_LIBRARY_FUNCTIONS, Role.FUNCTION_TEMPLATE)
        if not cuda:
            scope.roles |= {"latch": Role.TYPE, "binary_semaphore": Role.TYPE, "atomic_flag": Role.TYPE}
        return scope

    top.inner = {"std": fill(cuda=False), "cuda": fill(cuda=True), _GROUPS: _Scope(kind="namespace")}
    top.inner["cuda"].inner["std"] = fill(cuda=False)
    top.inner[_GROUPS].roles |= dict.fromkeys(_GROUP_TYPES, Role.TYPE)
    top.inner[_GROUPS].roles |= dict.fromkeys(_GROUP_TEMPLATES, Role.TEMPLATE)
    top.inner[_GROUPS].roles |= dict.fromkeys(_GROUP_FUNCTIONS, Role.FUNCTION_TEMPLATE)
    for scope in (top.inner["cuda"], top.inner["std"], top.inner["cuda"].inner["std"]):
        for name in ("barrier", "atomic", "atomic_ref"):
            scope.inner[name] = _Scope(dict.fromkeys(_NESTED_TYPES, Role.TYPE), kind="class")
    return top


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Marked:
    """A text with the roles of its names and the places of ``>>`` that are two tokens, by offset."""

    text: str
    roles: dict[int, Role]
    parted: frozenset[int]


@dataclass
class Names:
    """The names of a file: :meth:`mark` the program first, then the directives, which see what it declares."""

    scopes: list[_Scope] = field(default_factory=lambda: [_library(), _Scope(kind="namespace")])

    def mark(self, text: str) -> Marked:
        """Find the roles of the names in a text; its length stays the same."""
        return _Reader(self.scopes, text).run()


class _Reader:
    """One pass over a text.  ``i`` is the token that is next; ``pending`` the scope that the next brace opens."""

    def __init__(self, scopes: list[_Scope], text: str) -> None:
        self.scopes = scopes
        self.text = text
        self.tokens = [_Token(m.lastgroup or "", m.group(), m.start(), m.end()) for m in _TOKENS.finditer(text)]
        self.roles: dict[int, Role] = {}
        self.blanked: list[_Token] = []
        self.parted: set[int] = set()
        self.closing: set[int] = set()
        self.declared: set[int] = set()
        self.pending: _Scope | None = None
        self.parentheses = 0
        self.outside: list[int] = []
        self.i = 0

    def run(self) -> Marked:
        outermost = len(self.scopes)
        while self.i < len(self.tokens):
            self.token()
        del self.scopes[outermost:]
        text = list(self.text)
        for token in self.blanked:
            text[token.start : token.end] = " " * len(token.text)
        return Marked("".join(text), self.roles, frozenset(self.parted))

    # ---- the tokens

    def at(self, ahead: int = 0) -> _Token:
        """A token from the next one on; an empty one beyond the ends."""
        index = self.i + ahead
        return self.tokens[index] if 0 <= index < len(self.tokens) else _Token("", "", -1, -1)

    def token(self) -> None:
        token = self.at()
        match token.text:
            case "{":
                self.scopes.append(self.pending or _Scope())
                self.outside.append(self.parentheses)
                self.pending, self.parentheses = None, 0
            case "}":
                self.close()
            case "(" | ")":
                self.parentheses += 1 if token.text == "(" else -1
            case ";":
                self.pending = None if self.parentheses == 0 else self.pending
                self.end_template()
            case "namespace":
                self.namespace()
                return
            case "using":
                self.using()
                return
            case "template":
                self.template()
                return
            case "struct" | "class" | "union":
                self.class_()
                return
            case "enum":
                self.enum()
                return
            case "typedef":
                self.typedef()
            case "typename":
                self.blanked.append(token)
                self.i += 1
                self.name(is_type=True)
                return
            case _ if token.kind == "name":
                self.name()
                return
            case _:
                pass
        self.i += 1

    def close(self) -> None:
        self.parentheses = self.outside.pop() if self.outside else 0
        closed = self.scopes.pop() if len(self.scopes) > 2 else None
        if closed is not None and closed.kind == "block":  # a class goes on to its `;`
            self.end_template()

    def end_template(self) -> None:
        while self.scopes[-1].kind == "template":
            self.scopes.pop()

    # ---- declarations of namespaces, types and templates

    def declare(self, name: str, role: Role, inner: _Scope | None) -> None:
        """Declare a type; after a template header it is a template, and belongs to the scope around the header."""
        place = next(s for s in reversed(self.scopes) if s.kind != "template")
        place.roles[name] = Role.TEMPLATE if self.scopes[-1].kind == "template" else role
        if inner is not None:
            place.inner[name] = inner

    def namespace(self) -> None:
        self.i += 1
        path = self.at().text.split("::") if self.at().kind == "name" else []
        self.i += bool(path)
        if self.at().text == "=":
            target = self.scope(self.at(1).text)
            if target is not None:
                self.scopes[-1].inner[path[0]] = target
            self.i += 2
            return
        scope = self.scopes[-1]
        for part in path:
            scope = scope.inner.setdefault(part, _Scope(kind="namespace"))
        # The names of an unnamed namespace are those of the one around it.
        self.pending = scope if path else _Scope(scope.roles, scope.inner, "namespace")

    def using(self) -> None:
        self.i += 1
        if self.at().text == "namespace":
            target = self.scope(self.at(1).text)
            if target is not None:
                self.scopes[-1].roles = target.roles | self.scopes[-1].roles
                self.scopes[-1].inner = target.inner | self.scopes[-1].inner
            self.i += 2
            return
        name = self.at().text
        if self.at(1).text == "=":
            aliased = self.at(3 if self.at(2).text == "typename" else 2).text
            self.declare(name, Role.TYPE, self.scope(aliased))
            self.i += 2
            return
        role = self.role(name)
        if role is not None:
            self.scopes[-1].roles[name.rpartition("::")[2]] = role
            if inner := self.scope(name):
                self.scopes[-1].inner[name.rpartition("::")[2]] = inner
        self.i += 1

    def template(self) -> None:
        """``template <…>``: its type parameters are types until what it declares ends."""
        self.i += 1
        if self.at().text != "<":
            return
        scope = _Scope(kind="template")
        self.scopes.append(scope)
        self.i += 1
        depth = 1
        while self.i < len(self.tokens) and depth > 0:
            token = self.at()
            if token.text in ("typename", "class") and depth == 1:
                self.i += 1
                while self.at().text == ".":
                    self.i += 1
                if self.at().kind == "name":
                    scope.roles[self.at().text] = Role.TYPE
                    self.i += 1
            elif token.kind == "name":
                self.name()
            else:
                depth += _ANGLES.get(token.text, 0)
                self.i += 1
        if self.at().text not in ("struct", "class", "union", "using", "template"):
            name = self.function_name()
            if name is not None:
                place = next(s for s in reversed(self.scopes) if s.kind != "template")
                place.roles.setdefault(name, Role.FUNCTION_TEMPLATE)

    def function_name(self) -> str | None:
        """The name before the first parenthesis of the declaration that comes next."""
        angles = 0
        for token, following in zip(self.tokens[self.i :], self.tokens[self.i + 1 :], strict=False):
            if token.text in (";", "{", "="):
                return None
            angles += _ANGLES.get(token.text, 0)
            named = token.kind == "name" and token.text not in _WITH_ARGUMENTS
            if named and following.text == "(" and angles == 0:
                return token.text
        return None

    def class_(self) -> None:
        """A class that is defined or declared; before a known name, ``struct`` only repeats that it is a class."""
        key = self.i
        self.i += 1
        while self.at().text in _WITH_ARGUMENTS:
            self.i += 1
            self.skip_parentheses()
        name = self.at().text if self.at().kind == "name" else ""
        following = self.at(bool(name)).text
        if following not in ("{", ":", "final", ";"):
            if name and self.role(name) is None:
                self.declare(name, Role.TYPE, _Scope(kind="class"))
            self.blanked.append(self.tokens[key])
            return
        inner = _Scope(kind="class")
        if name:
            if following == ";":
                inner = self.scope(name) or inner
            self.declare(name, Role.TYPE, inner)
            inner.roles.setdefault(name, Role.TYPE)
            self.i += 1
        if following == ";":  # a declaration without a definition
            self.blanked += self.tokens[key : self.i]
        else:
            self.pending = inner

    def skip_parentheses(self) -> None:
        depth = 0
        while self.i < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.at().text, 0)
            self.i += 1
            if depth <= 0:
                return

    def enum(self) -> None:
        key = self.i
        self.i += 1 + (self.at(1).text in ("class", "struct"))
        if self.at().kind == "name":
            if self.at(1).text not in ("{", ":", ";"):
                self.blanked += self.tokens[key : self.i]
                return
            self.declare(self.at().text, Role.TYPE, _Scope(kind="class"))
            self.i += 1
        self.pending = _Scope(kind="enum")

    def typedef(self) -> None:
        """The name that a typedef declares is the last one before its ``;``, array sizes and bodies left out."""
        depth, found = 0, None
        for at in range(self.i + 1, len(self.tokens)):
            token = self.tokens[at]
            if token.text == ";" and depth == 0:
                break
            depth += (token.text in ("{", "[", "(")) - (token.text in ("}", "]", ")"))
            if token.kind == "name" and depth == 0:
                found = token
        if found is not None:
            self.declare(found.text, Role.TYPE, self.scope(self.at(1).text))
            self.declared.add(found.start)

    # ---- uses

    def name(self, *, is_type: bool = False) -> None:
        token, previous = self.at(), self.at(-1)
        self.i += 1
        if previous.start in self.closing and token.text.startswith("::"):
            member = token.text.rpartition("::")[2]
            is_type = is_type or member in _NESTED_TYPES or member in self.member_types()
            self.roles[token.start] = Role.MEMBER_TYPE if is_type else Role.MEMBER
            return
        if token.start in self.declared or previous.text in (".", "->"):
            return
        role = self.role(token.text)
        function = role is Role.FUNCTION_TEMPLATE and self.at().text == "("
        if role is not None and not function and self.after_type():
            self.hide(token.text)
            return
        if role is None and is_type:
            role = Role.TYPE
        arguments = self.at().text == "<"
        if role is Role.TEMPLATE and not arguments:
            role = Role.TYPE  # a class template inside itself, or with deduced arguments
        if role is None or (role is Role.FUNCTION_TEMPLATE and not arguments):
            return
        self.roles[token.start] = role
        if role in (Role.TEMPLATE, Role.FUNCTION_TEMPLATE):
            self.arguments()

    def hide(self, name: str) -> None:
        """A variable, parameter or member hides the type of its name."""
        if self.parentheses:
            self.pending = self.pending or _Scope()
            self.pending.roles[name] = None
        else:
            self.scopes[-1].roles[name] = None

    def after_type(self) -> bool:
        """Whether the name just passed follows a type, so that it is what a declaration declares."""
        at = self.i - 2
        while at > 0 and self.tokens[at].text in ("*", "&", "&&", "const", "__restrict__"):
            at -= 1
        if at < 0:
            return False
        before, marks = self.tokens[at], at < self.i - 2
        if before.start in self.closing:
            return True
        typed = self.roles.get(before.start) in (Role.TYPE, Role.MEMBER_TYPE)
        return typed or (before.text in _TYPE_WORDS and (marks or before.text not in ("unsigned", "signed")))

    def arguments(self) -> None:
        """A template argument list; ``>>`` may close it together with the one around it."""
        depth = 0
        while self.i < len(self.tokens):
            token = self.at()
            if token.text in (";", "{", "}"):
                return
            if token.text in ("typename", "struct", "class"):
                self.blanked.append(token)
                self.i += 1
            elif token.kind == "name":
                nested = self.role(token.text) in (Role.TEMPLATE, Role.FUNCTION_TEMPLATE) and self.at(1).text == "<"
                if nested and self.at(-1).text not in (".", "->"):
                    self.roles[token.start] = Role.TEMPLATE
                    self.i += 1
                else:
                    self.name()
            else:
                depth += _ANGLES.get(token.text, 0)
                self.i += 1
                if _ANGLES.get(token.text, 0) < 0:
                    self.closing.add(token.start)
                    if len(token.text) > 1:
                        self.parted.add(token.start)
                if depth <= 0:
                    return

    # ---- what a name is

    def member_types(self) -> set[str]:
        """The names of the types that classes declare inside."""
        found: set[str] = set()
        work = list(self.scopes)
        while work:
            for name, inner in work.pop().inner.items():
                if inner.kind == "class":
                    found |= {n for n, role in inner.roles.items() if role is not None and n != name}
                elif inner.kind == "namespace":
                    work.append(inner)
        return found

    def scope(self, name: str) -> _Scope | None:
        """The namespace or class that a qualified name means here."""
        path = name.removeprefix("::").split("::")
        for scope in reversed(self.scopes):
            at: _Scope | None = scope
            for part in path:
                at = at.inner.get(part) if at is not None else None
            if at is not None:
                return at
        return None

    def role(self, name: str) -> Role | None:
        """What a name means here."""
        path, _, short = name.removeprefix("::").rpartition("::")
        if path:
            scope = self.scope(path)
            return scope.roles.get(short) if scope is not None else None
        return next((s.roles[short] for s in reversed(self.scopes) if short in s.roles), None)
