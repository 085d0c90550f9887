"""Debug metadata of a module: places in the source, variables, and the parts of types with their names."""

from __future__ import annotations

import os
import os.path
import re
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.command import shims
from scopec.frontends.clang.llvm.leaves import Bits as Bits
from scopec.frontends.clang.llvm.leaves import Leaf as Leaf
from scopec.frontends.clang.llvm.leaves import Member, members_apart
from scopec.frontends.clang.llvm.operand_parser import unescaped
from scopec.frontends.clang.messages import name_for_clang
from scopec.program.types import BOOL, INT, UINT, ULONG, IntType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.frontends.clang.llvm.reader import Module

_FIELD = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|([^,()]+(?:\([^)]*\))?))')
_WRAPPERS = frozenset({"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
                       "DW_TAG_atomic_type"})  # fmt: skip


class _Unknown(Exception):
    """Raised for a base class whose place depends on the class of the whole object."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the source: the file as the compiler was given it, line and column from 1 (0: none)."""

    file: str
    line: int
    column: int


#: The numbers that bit-fields may be in, the widest first.
_UNSIGNED = (ULONG, UINT, IntType("unsigned short", 16, signed=False), IntType("unsigned char", 8, signed=False))


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the source: its name, its type's metadata, whether a person wrote it, and its subprogram."""

    name: str
    type: str
    artificial: bool
    scope: str
    place: Place


class Debug:
    """The metadata of a module; ``library`` are the folders whose classes are the library's, ``shown`` is the file's
    name."""

    def __init__(self, module: Module, library: tuple[str, ...], shown: str) -> None:
        self._metadata = module.metadata
        self._shown = shown
        self._library = library
        self._own = str(shims())
        self.fields = cache(self._fields)
        self.leaves = cache(self._known_leaves)
        self.place = cache(self._place)
        self.file = cache(self._file)
        self.variable = cache(self._variable)

    def _fields(self, node: str) -> dict[str, str]:
        text = self._metadata.get(node, "")
        fields = {m[1]: m[2] if m[2] is not None else m[3] for m in _FIELD.finditer(text)}
        fields[""] = text.partition("(")[0].removeprefix("!")
        return fields

    def listed(self, node: str) -> tuple[str, ...]:
        """The nodes of a tuple ``!{!1, !2}``."""
        return tuple(re.findall(r"![\d]+", self._metadata.get(node, "")))

    # ---------------------------------------------------------------- places

    def _file(self, node: str) -> str:
        """The file that a scope is in."""
        while node:
            fields = self.fields(node)
            if fields[""] == "DIFile":
                folder, name = (os.fsdecode(unescaped(fields.get(one, ""))) for one in ("directory", "filename"))
                whole = str(PurePath(folder) / name)
                shown = name_for_clang(self._shown)
                known = whole == shown or whole.startswith(self._library) or shown.startswith("/")
                found = whole if known else name
                return self._shown if found == shown else found
            node = fields.get("file") or fields.get("scope", "")
        return ""

    def _place(self, node: str) -> Place:
        fields = self.fields(node)
        return Place(self.file(fields["scope"]), int(fields.get("line", 0)), int(fields.get("column", 0)))

    def subprogram(self, scope: str) -> str:
        """The function that a scope is in."""
        while scope and self.fields(scope)[""] != "DISubprogram":
            scope = self.fields(scope).get("scope", "")
        return scope

    def function_name(self, subprogram: str) -> str:
        """The source's name of a function, without template arguments."""
        return self.fields(subprogram).get("name", "").partition("<")[0]

    def declared(self, subprogram: str) -> Place:
        """The line on which a function is declared."""
        fields = self.fields(subprogram)
        return Place(self.file(fields.get("file", "")), int(fields.get("line", 0)), 1)

    def signature(self, subprogram: str) -> tuple[str, ...]:
        """The types of the parameters of a function that returns nothing."""
        return self.listed(self.fields(self.fields(subprogram).get("type", "")).get("types", ""))

    def arguments(self, subprogram: str) -> dict[int, str]:
        """The names of the parameters of a function that have some, by their numbers from 1."""
        found = {}
        for node, text in self._metadata.items():
            if text.startswith("!DILocalVariable(") and f"scope: {subprogram}," in text and "arg: " in text:
                fields = self.fields(node)
                found[int(fields["arg"])] = fields.get("name", "")
        return found

    def is_library(self, subprogram: str | None) -> bool:
        """Whether a function is the library's."""
        return subprogram is None or self.is_shim(self.file(self.fields(subprogram).get("file", "")))

    def is_shim(self, file: str) -> bool:
        """Whether a file is the library's, which people do not want to see."""
        return file.startswith(self._library)

    def qualified(self, node: str) -> str:
        """The name of something with those of the namespaces and classes around it."""
        fields = self.fields(node)
        name, scope = fields.get("name", ""), fields.get("scope", "")
        while scope:
            outer = self.fields(scope)
            if outer[""] not in ("DINamespace", "DICompositeType"):
                break
            inline = outer.get("exportSymbols") == "true"
            name = f"{outer['name']}::{name}" if outer.get("name") and not inline else name
            scope = outer.get("scope", "")
        return name

    # ---------------------------------------------------------------- variables

    def _variable(self, node: str) -> Variable:
        """A local or global variable, of its metadata or of the expression around it."""
        fields = self.fields(node)
        if fields[""] == "DIGlobalVariableExpression":
            fields = self.fields(fields["var"])
        scope = fields.get("scope", "")
        place = Place(self.file(fields.get("file", scope)), int(fields.get("line", 0)), 1)
        return Variable(
            fields.get("name", ""), fields.get("type", ""), "DIFlagArtificial" in fields.get("flags", ""), scope, place
        )

    # ---------------------------------------------------------------- types

    def stripped(self, type_: str) -> str:
        """A type without its names and qualifiers."""
        while self.fields(type_).get("tag") in _WRAPPERS:
            type_ = self.fields(type_).get("baseType", "")
        return type_

    def pointee(self, type_: str) -> str:
        """The type that a pointer or reference points to; empty for other types and for ``void*``."""
        fields = self.fields(self.stripped(type_))
        return fields.get("baseType", "") if fields.get("tag", "").endswith(("pointer_type", "reference_type")) else ""

    def bytes(self, type_: str) -> int:
        """The size of a type, 0 if it is none."""
        return int(self.fields(self.stripped(type_)).get("size", 0)) // 8

    def number_at(self, type_: str, offset: int) -> tuple[str, Leaf] | None:
        """The path to the number that begins at an offset of a type, and its leaf; None if none does."""
        for leaf in self.leaves(type_):
            rest, path = offset - leaf.offset, leaf.path
            for count, distance in leaf.extents:
                position = rest // distance
                if not 0 <= position < count:
                    break
                path = path.replace("[]", f"[{position}]", 1)
                rest -= position * distance
            else:
                if rest == 0:
                    return path, leaf
        return None

    def path(self, type_: str, offset: int) -> str:
        """The path to the number that begins at an offset of a type, or else the offset."""
        found = self.number_at(type_, offset)
        return f"+{offset}" if found is None else found[0]

    def _known_leaves(self, type_: str) -> tuple[Leaf, ...]:
        try:
            return tuple(self._leaves(type_, "", 0, (), ""))
        except _Unknown:
            return ()

    def has_virtual_base(self, type_: str) -> bool:
        """Whether a class has a base whose place is not said, so that its numbers are not known."""
        try:
            for _ in self._leaves(type_, "", 0, (), ""):
                pass
        except _Unknown:
            return True
        return False

    def _leaves(
        self, type_: str, path: str, offset: int, extents: tuple[tuple[int, int], ...], class_: str
    ) -> Iterator[Leaf]:
        node = self.stripped(type_)
        fields = self.fields(node)
        match fields[""], fields.get("tag", ""):
            case "DIBasicType", _:
                yield Leaf(path, offset, _basic(fields), extents=extents, class_=class_)
            case _, "DW_TAG_enumeration_type":
                base = fields.get("baseType")
                yield Leaf(path, offset, _basic(self.fields(self.stripped(base))) if base else UINT, extents=extents)
            case _, "DW_TAG_array_type":
                yield from self._elements(fields, path, offset, extents, class_)
            case _, "DW_TAG_structure_type" | "DW_TAG_class_type" | "DW_TAG_union_type":
                yield from self._members(fields, path, offset, extents, class_)
            case _, tag if tag.endswith(("pointer_type", "reference_type")) or tag == "DW_TAG_ptr_to_member_type":
                yield Leaf(path, offset, ULONG, True, extents, class_, fields.get("baseType", ""))
            case _:
                pass

    def _elements(
        self, fields: dict[str, str], path: str, offset: int, extents: tuple[tuple[int, int], ...], class_: str
    ) -> Iterator[Leaf]:
        written = [self.fields(n).get("count", "0") for n in self.listed(fields["elements"])]
        counts = [int(count) if count.isdecimal() else 0 for count in written]  # another is known at run time alone
        distance = self.bytes(fields["baseType"])
        around: list[tuple[int, int]] = []
        for count in reversed(counts):
            around.insert(0, (count, distance))
            distance *= count
        yield from self._leaves(fields["baseType"], path + "[]" * len(counts), offset, (*extents, *around), class_)

    def _members(
        self, fields: dict[str, str], path: str, offset: int, extents: tuple[tuple[int, int], ...], class_: str
    ) -> Iterator[Leaf]:
        library = self.is_shim(self.file(fields.get("file", "")))
        # NVIDIA's barriers and semaphores are numbers on which their own code works.
        known = os.path.normpath(self.file(fields.get("file", ""))).startswith(self._own)
        inner = fields.get("name", "").partition("<")[0] if known else class_
        members = [
            member for node in self.listed(fields.get("elements", ""))
            if (member := self.fields(node)).get("tag") in ("DW_TAG_member", "DW_TAG_inheritance")
            and "DIFlagStaticMember" not in member.get("flags", "")
        ]  # fmt: skip
        union = fields["tag"] == "DW_TAG_union_type"
        ends = [*(int(member.get("offset", 0)) for member in members[1:]), int(fields.get("size", 0))]
        with_ends = zip(members, ends[: len(members)], strict=True)  # an empty class has none
        made: list[Member] = []
        for is_bits, group in groupby(with_ends, key=lambda pair: _is_bit_field(pair[0])):
            found = list(group)
            if is_bits:
                bits = [member for member, _ in found]
                made.append(Member(tuple(self._bit_fields(bits, found[-1][1], path, offset, extents, union))))
                continue
            for member, _ in found:
                if member["tag"] == "DW_TAG_inheritance" and "DIFlagVirtual" in member.get("flags", ""):
                    raise _Unknown
                name = member.get("name", "")
                is_left_out = not name or (library and name.startswith("__"))
                within = path if is_left_out else f"{path}.{name}"
                at = offset + int(member.get("offset", 0)) // 8
                base = known and member["tag"] == "DW_TAG_inheritance"
                leaves = tuple(
                    replace(leaf, overlaps=leaf.overlaps or union, class_=inner if base else leaf.class_)
                    for leaf in self._leaves(member["baseType"], within, at, extents, inner)
                )
                made.append(Member(leaves, (name or self._name_of(member["baseType"])) if is_left_out else ""))
        yield from members_apart(made, path)

    def _name_of(self, type_: str) -> str:
        """The name of a class without its arguments, for a path."""
        return self.fields(self.stripped(type_)).get("name", "").partition("<")[0] or "unnamed"

    def _bit_fields(
        self, members: list[dict[str, str]], end: int, path: str, offset: int, extents: tuple[tuple[int, int], ...],
        union: bool,
    ) -> Iterator[Leaf]:  # fmt: skip
        """Adjacent bit-fields, one memory location (ISO C++ [intro.memory], 3): the numbers that they may be in.

        Which of these it is, accesses show.  Where they are not in one number, none is known.
        """
        begins = {int(member.get("extraData", "i64 -1").removeprefix("i64 ")) for member in members}
        found = [next(self._leaves(member["baseType"], f"{path}.{member['name']}", 0, (), "")) for member in members]
        (begin, *more) = begins
        if union or more or begin < 0 or begin % 8:
            for member, leaf in zip(members, found, strict=True):
                at = offset + int(member.get("offset", 0)) // 8
                yield replace(leaf, offset=at, extents=extents, bits=(Bits(leaf.path, 0, 0, signed=False),))
            return
        bits = tuple(
            Bits(leaf.path, int(member.get("offset", 0)) - begin, int(member["size"]), leaf.type.signed)
            for member, leaf in zip(members, found, strict=True)
        )
        name = f"{path}.{'|'.join(member['name'] for member in members)}"
        for type_ in _UNSIGNED:
            if bits[-1].shift + bits[-1].width <= type_.bits <= end - begin:
                yield Leaf(name, offset + begin // 8, type_, extents=extents, overlaps=True, bits=bits)


def _is_bit_field(member: dict[str, str]) -> bool:
    return "DIFlagBitField" in member.get("flags", "")


def _basic(fields: dict[str, str]) -> IntType:
    name, encoding = fields.get("name", "int"), fields.get("encoding", "")
    if encoding == "DW_ATE_boolean":
        return BOOL
    bits = int(fields.get("size", INT.bits))
    if encoding == "DW_ATE_float":
        return IntType("float" if bits <= 32 else "double", bits, signed=True)
    return IntType(name, bits, signed="unsigned" not in encoding and encoding != "DW_ATE_UTF")
