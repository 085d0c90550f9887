"""Looks for expressions of a program whose operands C++ leaves in no order, and gives their functions every order.

A program is first read in clang's order.  What its instructions did then tells which expressions may need more; where
there is one, clang is asked for its syntax tree.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.files import shown_source
from scopec.base.records import dataclass
from scopec.base.source import Source
from scopec.frontends.clang.evaluation_order.dependence import Dependence
from scopec.frontends.clang.evaluation_order.evaluations import Evaluation, evaluations, full_name
from scopec.frontends.clang.evaluation_order.footprints import conflicting
from scopec.frontends.clang.evaluation_order.operands import CANNOT_TELL, UNDEFINED, Operands, in_a_row, operands_of
from scopec.frontends.clang.evaluation_order.order import in_any_order
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.flow import locals_in
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.machine.memory import Private
from scopec.frontends.clang.machine.refusals import places as places_in
from scopec.frontends.clang.machine.refusals import refused
from scopec.frontends.clang.messages import name_for_clang
from scopec.frontends.scoped.syntax.scan import scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from scopec.frontends.clang.evaluation_order.footprints import Touch
    from scopec.frontends.clang.evaluation_order.operands import Origin
    from scopec.frontends.clang.llvm.debug import Place
    from scopec.frontends.clang.machine.side import Side

_IN_PARENTHESES = re.compile(r"\(\s*\{")
_COMPOUND = re.compile(r"(?:[;{})]|\b(?:else|do|try))\s*$")
_STATEMENT = re.compile(r"\s*(?!and\b|or\b|xor\b|bit|not_eq\b)[A-Za-z_]")
#: The words at the beginning of a statement before its parentheses.
_HEADER = re.compile(r"\b(?:for|if|while|switch)(?:\s+constexpr)?\s*$")
_LONGEST_HEADER = 40
_HASH = re.compile(r"^[ \t]*#(?:\\\r?\n|.)*", re.MULTILINE)


@dataclass
class Unordered:
    """One side of a program; ``expanded`` gives its code and its syntax tree, without macros."""

    side: Side
    source: Source
    folder: str
    library: tuple[str, ...]
    expanded: Callable[[], tuple[str, str]]
    #: The footprints of the instructions of functions, each time that they were executed.
    done: dict[str, dict[Hashable, dict[Origin, list[Touch]]]] = field(default_factory=dict)
    known: dict[str, list[Operands]] = field(default_factory=dict)
    dependences: dict[str, Dependence] = field(default_factory=dict)
    #: The files whose expressions are known.
    files: frozenset[str] = frozenset()
    evaluations: tuple[Evaluation, ...] = ()

    def learn(self) -> bool:
        """Look at what was done since; whether functions have got more orders, so that all is to be done again."""
        for thread in self.side.touched:
            functions: dict[str, dict[Origin, list[Touch]]] = {}
            for (function, label, at), touches in thread.items():
                functions.setdefault(function, {})[label, at] = touches
            for function, here in functions.items():
                alike = frozenset((origin, frozenset(touches)) for origin, touches in here.items())
                self.done.setdefault(function, {}).setdefault(alike, here)
        ours = [function for function in self.done if self._is_ours(function)]
        learned = [self._learn(function) for function in ours if self._may_matter(function)]
        return any(learned)

    def _is_ours(self, function: str) -> bool:
        """Whether a function is the program's: operands in the library's own code are taken in clang's order."""
        if function in self.side.module.added:
            return False
        subprogram = self._code(function).subprogram
        return subprogram is None or not self.side.debug.is_library(subprogram)

    def _may_matter(self, function: str) -> bool:
        code, places = self._code(function), self._places(self.side.module, self.side.debug, function)
        temporaries, dependence = _temporaries(code), self._dependence(function)
        declared = _first_values(code)
        ordered: set[tuple[Origin, Origin]] = set()
        for thread in self.done[function].values():
            here: dict[Origin, list[Touch]] = {}
            for label, at in sorted(thread.keys() & places.keys()):
                # What makes a temporary object and what uses it are no operands of one expression.
                own = temporaries.intersection(locals_in(code.blocks[label][at].action))
                touches = thread[label, at]
                here[label, at] = [t for t in touches if not (isinstance(t.of, Private) and t.of.name in own)]
            for one, other in conflicting(here):
                if (one, other) in ordered:  # as another thread has them
                    continue
                if (
                    other not in dependence.after(one)
                    and one not in dependence.after(other)
                    and self._is_one_expression(places[one], places[other], declared=bool({one, other} & declared))
                ):
                    return True
                ordered.add((one, other))
        return False

    def _dependence(self, function: str) -> Dependence:
        if function not in self.dependences:
            self.dependences[function] = Dependence(self._code(function))
        return self.dependences[function]

    def _code(self, function: str) -> llvm.Function:
        """A function as clang wrote it."""
        code = self.side.module.function(function)
        assert code is not None
        return code

    def _learn(self, function: str) -> bool:
        module, debug, tree = self._tree
        line, own = in_a_row(self._code(function)), self._places(self.side.module, self.side.debug, function)

        def objection(at: int, why: str) -> Exception:
            span_of, _ = places_in(self.source)
            span = span_of(own.get(line.origins[at]))
            if why is UNDEFINED:
                return error(Code.UNSEQUENCED, why, span)
            return refused(why, span, "write two statements")

        if not _alike(self._code(function), module.function(function)):
            raise objection(0, CANNOT_TELL)
        places = self._places(module, debug, function)
        files = frozenset(full_name(self.folder, place.file) for place in places.values())
        if not files <= self.files:
            self.files |= files
            self.evaluations = evaluations(tree, self.folder, self.library, self.files)
        operands = operands_of(
            line,
            self.evaluations,
            places,
            self.folder,
            self._dependence(function),
            list(self.done[function].values()),
            objection,
        )
        if operands == self.known.get(function, []):
            return False
        self.known[function] = operands
        too_large = "an expression whose operands scopec cannot take in every order is"
        self.side.in_any_order[function] = in_any_order(
            line, operands, lambda: objection(min(operands[0].noticed), too_large)
        )
        self.side.flows.pop(function, None)
        return True

    @cached_property
    def _tree(self) -> tuple[Module, Debug, str]:
        code, tree = self.expanded()
        module = Module(code)
        return module, Debug(module, self.library, self.source.name), tree

    def _places(self, module: Module, debug: Debug, function: str) -> dict[Origin, Place]:
        """The places of the instructions of a function; of what the compiler adds there is none."""
        code = module.function(function)
        assert code is not None
        found = {
            (label, at): debug.place(instruction.place)
            for label, block in code.blocks.items()
            for at, instruction in enumerate(block)
            if instruction.place is not None
        }
        return {origin: place for origin, place in found.items() if place.line}

    # ---------------------------------------------------------------- the text

    def _is_one_expression(self, one: Place, other: Place, *, declared: bool) -> bool:
        """Whether two places may be in one expression: no statement seems to end between them, nor a declaration, if
        one of them is where what is ``declared`` gets its first value."""
        text = self._text(one.file) if one.file == other.file else None
        if text is None:
            return True
        start, end = sorted(_offset(text, place) for place in (one, other))
        between = text.text[start:end]
        return not (declared or _ends_between(between) or _leaves_header(text.text[:start], between))

    @cached_property
    def _text(self) -> Callable[[str], Source | None]:
        """The text of a file, less what is no code; None where it does not tell in which statement something is."""

        @cache
        def text(file: str) -> Source | None:
            source = self.source if file == name_for_clang(self.source.name) else shown_source(file, self.source)
            if source is None or 'R"' in source.text:
                return None
            scanned = scan(source)
            if any(_has_statement(scanned.code, match.end()) for match in _IN_PARENTHESES.finditer(scanned.code)):
                return None
            code = without_literals(scanned.code)
            macros = "".join(_HASH.findall(code))
            if macros.count("(") != macros.count(")"):
                return None
            return Source(file, "".join(d if d != " " else c for c, d in zip(code, scanned.directives, strict=True)))

        return text


def _offset(text: Source, place: Place) -> int:
    return min(text.offset(place.line, place.column), text.offset(place.line + 1, 1) - 1)


def _temporaries(code: llvm.Function) -> set[str]:
    """The local objects without a name."""
    actions = [instruction for block in code.blocks.values() for instruction in block]
    named = {one.action.address for one in actions if isinstance(one.action, llvm.Declare)}
    return {
        one.result
        for one in actions
        if isinstance(one.action, llvm.Alloca) and one.result and llvm.Local(one.result) not in named
    }


def _first_values(code: llvm.Function) -> set[Origin]:
    """The stores that give variables their first values: each is the last thing that is done in an expression.

    What a macro writes has the place of its name: a store that is not the only one there may be any.
    """
    declared: set[tuple[llvm.Operand, str | None]] = set()
    stores: dict[tuple[llvm.Operand, str | None], list[Origin]] = {}
    for label, block in code.blocks.items():
        for at, instruction in enumerate(block):
            match instruction.action:
                case llvm.Declare(address, _, place):
                    declared.add((address, place))
                case llvm.Store(_, llvm.Typed(_, address), _):
                    stores.setdefault((address, instruction.place), []).append((label, at))
                case _:
                    pass
    return {origins[0] for key, origins in stores.items() if key in declared and len(origins) == 1}


def _alike(one: llvm.Function, other: llvm.Function | None) -> bool:
    """Whether functions have the same instructions in the same blocks, as far as their numbers tell."""
    return other is not None and all(
        label in other.blocks and len(block) == len(other.blocks[label]) for label, block in one.blocks.items()
    )


def _has_statement(text: str, start: int) -> bool:
    """Whether there is a statement in a group of braces that begins before a position."""
    depth = 1
    for match in re.finditer(r"[{};]", text[start:]):
        if match.group() == ";":
            return True
        depth += 1 if match.group() == "{" else -1
        if not depth:
            break
    return False


def _ends_between(text: str) -> bool:
    """Whether a statement ends in a text, or one begins that is part of another."""
    if "#" in text:
        return False
    groups: list[bool] = []
    for match in re.finditer(r"[{};]", text):
        match match.group():
            case "{":
                groups.append(_COMPOUND.search(text, 0, match.start()) is not None)
            case "}":
                compound = groups.pop() if groups else True
                if compound and not groups and _STATEMENT.match(text, match.end()):
                    return True
            case _:
                if not groups:
                    return True
    return any(groups)


def _leaves_header(before: str, text: str) -> bool:
    """Whether parentheses end in a text after which a statement begins, of an `if` or a loop that is `before` it."""
    closed = depth = 0
    for match in re.finditer(r"[()]", text):
        depth = max(depth, 0) + (1 if match.group() == "(" else -1)
        closed += depth < 0
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        letter = before[at]
        if not closed or letter == "#":
            break
        depth += (letter == ")") - (letter == "(")
        if depth < 0:
            if _HEADER.search(before, max(0, at - _LONGEST_HEADER), at):
                return "#" not in text
            closed, depth = closed - 1, 0
    return False
