"""Expressions whose operands C++ leaves in no order, and the operands' places in the text: from clang's syntax tree.

The operands of most operators are unsequenced ([intro.execution]/10); the initialisations of parameters are
"indeterminately sequenced" with each other ([expr.call]/8): one as a whole is before the other.  In order are the
operands of ``&&``, ``||``, ``?:``, ``,`` and ``[]``, of shifts, assignments and pointers to members, what is called
before its arguments, and the elements of braced lists ([dcl.init.list]/4).  Operators that are functions have the order
of those that are not ([over.match.oper]/2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from scopec.base import records
from scopec.base.records import dataclass

#: A place by line and column, from 1; a part of the text from the first character to the first of its last word.
At: TypeAlias = tuple[int, int]

_PLACE = r"(?:<invalid sloc>|col:\d+|line:\d+:\d+|[^'\n]+?:\d+:\d+)"
_NODE = re.compile(
    rf"(?P<tree>[ |`-]*)(?P<kind>\w+) 0x[0-9a-f]+ (?:(?:prev|parent) 0x[0-9a-f]+ )*"
    rf"<(?P<begin>{_PLACE})(?:, (?P<end>{_PLACE}))?>(?P<rest>.*)"
)
_FILE = re.compile(r"[<,] ?([^<>,' ]+:)\d+:\d+")
_TYPES = re.compile(r"[ |`-]*TypedefDecl .*/std(def|int)\.h:|.*/__stddef_\w+\.h:")
_DECLARED = re.compile(rf" ({_PLACE})")
_QUOTED = re.compile(r"'([^']*)'")
#: What is before a node, as deep as it is; declarations around others, of any file.
_BRANCHES = " |`-"
_AROUND = ("TranslationUnitDecl", "NamespaceDecl", "LinkageSpecDecl", "ExternCContextDecl", "ExportDecl")
_DEFAULTED = re.compile(r" operator(?:<=>|==|!=|<|>|<=|>=) '.*' default\b")
_DEPENDENT = " '<dependent type>'"
_UNSEQUENCED = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=", "<=>"})
_CONSTANT = frozenset({
    "ImplicitCastExpr", "DeclRefExpr", "IntegerLiteral", "CXXBoolLiteralExpr", "CXXNullPtrLiteralExpr", "ConstantExpr",
    "CharacterLiteral", "FloatingLiteral", "StringLiteral", "CStyleCastExpr", "UnaryOperator",
})  # fmt: skip


@records.dataclass(frozen=True, slots=True)
class Range:
    """A part of the text of a file."""

    file: str
    begin: At
    end: At

    def has(self, file: str, at: At) -> bool:
        """Whether a place is in it."""
        return self.file == file and self.begin <= at <= self.end


@records.dataclass(frozen=True, slots=True)
class Evaluation:
    """Operands in no order.  With ``whole`` one is evaluated as a whole before another; else their parts mix.

    ``defaults`` counts default arguments that do something, which have no place in the text.
    """

    range: Range
    operands: tuple[Range, ...]
    whole: bool
    defaults: int


@dataclass
class _Node:
    depth: int
    kind: str
    range: Range | None
    rest: str
    children: list[_Node] = field(default_factory=list)
    #: Whether nobody wrote it: what a loop over a range does, or a comparison that is defaulted.
    implicit: bool = False

    def is_defaulted(self) -> bool:
        """Whether it is a function that compares members one after the other ([class.compare.default]).

        It only reads, two members between which nothing comes: their order makes no difference.
        """
        return self.kind in ("CXXMethodDecl", "FunctionDecl") and _DEFAULTED.search(self.rest) is not None

    def is_in_range_loop(self) -> bool:
        """Whether the next child is one of what follows the range in such a loop: its begin, end, test and step."""
        if self.kind != "CXXForRangeStmt":
            return False
        after = [n for n, one in enumerate(self.children) if one.children and " __range" in one.children[0].rest]
        return bool(after) and len(self.children) - after[0] <= 4

    @property
    def is_constant(self) -> bool:
        """Whether an expression is one for which there is nothing to do."""
        return self.kind in _CONSTANT and all(child.is_constant for child in self.children)


def evaluations(
    tree: str, folder: str, library: tuple[str, ...], files: frozenset[str] | None = None
) -> tuple[Evaluation, ...]:
    """The evaluations of operands in no order in a syntax tree of clang's, but for those in folders of the library.

    Files are in ``folder`` where their names say no other.  With ``files`` (their full names) declarations that begin
    and end in another one are left out: most of a tree is headers.
    """
    found: dict[tuple[Range, tuple[Range, ...]], Evaluation] = {}
    for node in _nodes(of_the_user(tree, library), folder, files):
        if (
            node.range is None
            or node.range.file.startswith(library)
            or node.rest.startswith(_DEPENDENT)
            or node.implicit
        ):
            continue
        for one in _evaluation(node, node.range):
            other = found.setdefault((one.range, one.operands), one)  # of another instance of a template
            whole, defaults = one.whole and other.whole, max(one.defaults, other.defaults)
            found[one.range, one.operands] = Evaluation(one.range, one.operands, whole, defaults)
    return tuple(found.values())


def full_name(folder: str, file: str) -> str:
    """The name of a file by which it is compared with others."""
    return str(Path(folder, file))


def of_the_user(tree: str, library: tuple[str, ...]) -> list[str]:
    """The lines of a tree from the first on that is of a file outside the folders of the library.

    The library includes clang's own ``<stddef.h>`` and ``<stdint.h>``, which name types.
    """
    lines = tree.splitlines()
    for number, text in enumerate(lines):
        if "/" not in text and "." not in text:
            continue
        files = [file for file in _FILE.findall(text) if not file.startswith((*library, "line:"))]
        if files and not _TYPES.match(text):
            return lines[number:]
    return []


def _nodes(tree: list[str], folder: str, files: frozenset[str] | None) -> Iterator[_Node]:
    """The nodes, each when all that is in it has been read."""
    open_: list[_Node] = []
    file, line = "", 0
    left_out: tuple[int, int] | None = None  # the depth of a declaration, and where what is in it begins

    def place(text: str) -> tuple[str, At] | None:
        nonlocal file, line
        *before, column = text.rsplit(":", 1)
        if not before:
            return None  # <invalid sloc>
        if before[0] != "col":
            name, _, number = before[0].rpartition(":")
            line = int(number)
            if name != "line":
                file = full_name(folder, name)
        return file, (line, int(column))

    for number, text in enumerate(tree):
        if left_out is not None:
            if len(text) - len(text.lstrip(_BRANCHES)) > left_out[0]:
                continue
            for last in _last_places(tree[left_out[1] : number]):
                place(last)
            left_out = None
        match = _NODE.match(text)
        if match is None:
            continue
        begin = place(match["begin"])
        end = place(match["end"]) if match["end"] else begin
        rest = match["rest"]
        if match["kind"].endswith("Decl") and (declared := _DECLARED.match(rest)) is not None:
            place(declared[1])
        range_ = Range(begin[0], begin[1], end[1]) if begin and end and begin[0] == end[0] else None
        elsewhere = files is not None and range_ is not None and range_.file not in files
        if elsewhere and match["kind"].endswith("Decl") and match["kind"] not in _AROUND:
            left_out = len(match["tree"]), number + 1
            continue
        node = _Node(len(match["tree"]), match["kind"], range_, rest)
        while open_ and open_[-1].depth >= node.depth:
            yield open_.pop()
        if open_:
            around = open_[-1]
            node.implicit = around.implicit or around.is_in_range_loop() or around.is_defaulted()
            around.children.append(node)
        open_.append(node)
    yield from reversed(open_)


def _last_places(lines: list[str]) -> list[str]:
    """The last place in a part of a tree that names a file, and the last one with a line: the next one says neither."""
    with_line: list[str] = []
    for text in reversed(lines):
        if with_line and "/" not in text and "." not in text:
            continue
        match = _NODE.match(text)
        if match is None:
            continue
        declared = _DECLARED.match(match["rest"]) if match["kind"].endswith("Decl") else None
        for found in (declared and declared[1], match["end"], match["begin"]):
            if found is None or ":" not in found or found.startswith("col:"):
                continue
            if not found.startswith("line:"):
                return [found, *with_line]
            with_line = with_line or [found]
    return with_line


def _evaluation(node: _Node, range_: Range) -> Iterator[Evaluation]:
    children, whole = node.children, True
    *_, operator = _QUOTED.findall(node.rest) or ("",)
    match node.kind:
        case "BinaryOperator" if operator in _UNSEQUENCED:
            operands, whole = children, False
        case "CallExpr" | "CXXMemberCallExpr":
            operands = children[1:]
        case "CUDAKernelCallExpr":
            operands = children[2:]
        case "CXXConstructExpr" | "CXXTemporaryObjectExpr" if not node.rest.endswith(" list"):
            operands = children
        case "CXXOperatorCallExpr" if operator == "()":
            operands = children[2:]
        case "CXXOperatorCallExpr" if operator in _UNSEQUENCED:
            operands = children[1:]
        case "LambdaExpr":
            operands = [child for child in children if child.kind not in ("CXXRecordDecl", "CompoundStmt")]
        case _:
            return
    parts = tuple(operand.range for operand in operands if operand.range is not None)
    defaults = [operand.children for operand in operands if operand.kind == "CXXDefaultArgExpr"]
    act = sum(not inner or not inner[0].is_constant for inner in defaults)
    if len(parts) + act > 1:
        yield Evaluation(range_, parts, whole, act)
