"""Reads and writes: of a thread's own variables, whose values are followed, and of all others.

What threads of a block read at one place, all between the same barriers, is the same as long as nothing races: the
first race of a kernel is found by what was read before it.  An address that is read at one place of memory that the
kernel never writes is one of an object of its own, as a parameter is; those that are read at an index are in one
object, of which each has a part of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopec.frontends.clang.anythread.frame import Record
from scopec.frontends.clang.anythread.turns import is_uniform
from scopec.frontends.clang.anythread.values import NOWHERE, Cells, Parts, Pointers, Value, address, joined
from scopec.frontends.clang.llvm import code as llvm
from scopec.program import anythread as terms
from scopec.program import pointer_tables
from scopec.program.anythread import TRUE, ZERO, Term, choose, is_truth, read

#: So many elements of an array in a structure are followed at most.
_MOST_ELEMENTS = 64


def load(record: Record, cells: Cells, at: Value, type_: llvm.Type, condition: Term, *, volatile: bool) -> Value:
    """The value that a thread reads."""
    size = llvm.size(type_)
    record.access(at, size, "read", condition)
    assert isinstance(at, Pointers)
    found = [(way, _at(record, cells, object_, offset, type_, volatile)) for way, object_, offset in at.ways]
    return joined(found, record.names)


def _at(
    record: Record, cells: Cells, object_: str | None, offset: Term, type_: llvm.Type, volatile: bool
) -> Value:  # fmt: skip
    size = llvm.size(type_)
    if (members := _of_structure(type_)) is not None and object_ is not None:
        moved = ((terms.add(offset, terms.const(at)), member) for at, member in members)
        return Parts(tuple(_at(record, cells, object_, at, member, volatile) for at, member in moved))
    if object_ is not None and object_.startswith("%"):
        if offset.op == "const" and (found := cells.get((object_, offset.value))) is not None and found[0] == size:
            return _as(record, found[1], type_)
        if offset.op == "const" and size == 8 and isinstance(type_, llvm.Int):
            halves = [cells.get((object_, offset.value + at)) for at in (0, 4)]
            if all(half is not None and half[0] == 4 for half in halves):
                return Parts(tuple(half[1] for half in halves if half is not None))  # an extent, x and y in one
        return record.names.any_of(type_)
    if object_ is not None and object_.startswith("?"):
        return record.names.any_of(type_)  # each thread may have another
    is_known = object_ is not None and not volatile and record.is_never_written(object_, offset, size)
    match type_:
        case llvm.Pointer() if object_ is not None and not volatile:
            return _followed(record, object_, offset, size)
        case llvm.Int(bits) if is_known and bits > 1:
            return read(f"{object_}:{bits}", offset, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        case llvm.Int() | llvm.Float() if not volatile and is_uniform(offset):
            return record.of_block(record.names.any_of(type_, "block"), is_read=True)
        case _:
            return record.names.any_of(type_)


def _followed(record: Record, object_: str, offset: Term, size: int) -> Pointers:
    """The address that is read at an offset of an object: it is one of many where some are read at an index.

    These are of an array of addresses, not of structures with one: links of a list lead to one node from several.
    The place of what is read, in an array of addresses to it, is no index of its own.
    """
    factors = {one: n for one, n in terms.linear(offset)[0].items() if not pointer_tables.has_place(object_, one)}
    by_index = size in map(abs, factors.values())
    if by_index and record.is_constant(object_):
        record.tables.add(object_)
    is_known = object_ in record.tables or (record.is_first and offset.op != "const")  # it may be read so further on
    if (by_index or not factors) and is_known and record.is_constant(object_):
        return address(pointer_tables.behind(object_), pointer_tables.offset_of(object_, offset))
    is_one = offset.op == "const" and record.is_constant(object_, offset, size)
    return address(f"{object_}->{offset.value}") if is_one else NOWHERE


def _of_structure(type_: llvm.Type) -> tuple[tuple[int, llvm.Type], ...] | None:
    """The members of a structure or a short array, with their offsets; None of any other type."""
    match type_:
        case llvm.Struct(fields):
            return tuple(zip(llvm.offsets(type_), fields, strict=True))
        case llvm.Array(count, element) if count <= _MOST_ELEMENTS:
            return tuple((number * llvm.size(element), element) for number in range(count))
        case _:
            return None


def _as(record: Record, value: Value, type_: llvm.Type) -> Value:
    """A value that was written as another type."""
    match type_:
        case llvm.Pointer():
            return value if isinstance(value, Pointers) else record.names.any_of(type_)
        case llvm.Array() | llvm.Struct():
            return value if isinstance(value, Parts) else record.names.any_of(type_)
        case llvm.Int(1):
            return value if isinstance(value, Term) and is_truth(value) else record.names.any_of(type_)
        case _:
            return value if isinstance(value, Term) and not is_truth(value) else record.names.any_of(type_)


def store(record: Record, cells: Cells, at: Value, value: Value, type_: llvm.Type, condition: Term) -> None:
    """Write a value; the cells are changed in place."""
    size = llvm.size(type_)
    escapes = not isinstance(at, Pointers) or any(o is None or not o.startswith("%") for _, o, _ in at.ways)
    if escapes and isinstance(value, Pointers) and any(o is not None and o.startswith("%") for _, o, _ in value.ways):
        raise record.refused("the address of a local variable is written to memory that others read")
    record.access(at, size, "write", condition)
    assert isinstance(at, Pointers)
    _keep(cells, at, value, type_)


def _keep(cells: Cells, at: Pointers, value: Value, type_: llvm.Type) -> None:
    """Take a value for what is at an address, if that is of a variable of the thread: of a structure each member."""
    size, members = llvm.size(type_), _of_structure(type_)
    if isinstance(value, Parts) and members is not None:
        for (distance, member), item in zip(members, value.items, strict=True):
            ways = tuple((way, one, terms.add(offset, terms.const(distance))) for way, one, offset in at.ways)
            _keep(cells, Pointers(ways), item, member)
        return
    for way, object_, offset in at.ways:
        if object_ is None or not object_.startswith("%"):
            continue
        if offset.op != "const":
            forget(cells, object_)
            continue
        kept = cells.get((object_, offset.value))
        overwrite(cells, object_, offset.value, size)
        if way is TRUE or len(at.ways) == 1:
            cells[object_, offset.value] = size, value
        elif kept is not None and kept[0] == size and _alike(kept[1], value):
            assert isinstance(kept[1], Term)
            assert isinstance(value, Term)
            cells[object_, offset.value] = size, choose(way, value, kept[1])


def _alike(one: Value, other: Value) -> bool:
    """Whether two values are numbers, or truths."""
    return isinstance(one, Term) and isinstance(other, Term) and is_truth(one) == is_truth(other)


def overwrite(cells: Cells, object_: str, start: int, size: int) -> None:
    """Forget what is known of some bytes."""
    for key in [
        k for k, (bytes_, _) in cells.items() if k[0] == object_ and k[1] < start + size and start < k[1] + bytes_
    ]:
        del cells[key]


def forget(cells: Cells, object_: str) -> None:
    """Forget what is known of a variable."""
    for key in [k for k in cells if k[0] == object_]:
        del cells[key]


def copy(record: Record, cells: Cells, to: Value, source: Value, size: int | None, condition: Term) -> None:
    """``memcpy``, of a known number of bytes or not."""
    for at, kind in ((source, "read"), (to, "write")):
        if not isinstance(at, Pointers):
            raise record.refused("a number is used as an address")
        if size is None and any(o is None or not o.startswith("%") for _, o, _ in at.ways):
            raise record.refused("a copy of a number of bytes that is not known")
        record.access(at, size or 0, "read" if kind == "read" else "write", condition)
    assert isinstance(to, Pointers)
    assert isinstance(source, Pointers)
    moved: dict[int, tuple[int, Value]] = {}
    if len(source.ways) == 1 and size is not None and source.ways[0][2].op == "const":
        _, object_, offset = source.ways[0]
        moved = {
            k[1] - offset.value: cell
            for k, cell in cells.items()
            if k[0] == object_ and offset.value <= k[1] and k[1] + cell[0] <= offset.value + size
        }
    for _, object_, offset in to.ways:
        if object_ is None or not object_.startswith("%"):
            continue
        if object_ in record.types and llvm.size(record.types[object_]) == size and offset is ZERO:
            moved = moved or _members(record, source, record.types[object_])
        if offset.op != "const" or size is None or len(to.ways) > 1:
            forget(cells, object_)
            continue
        overwrite(cells, object_, offset.value, size)
        cells.update({(object_, offset.value + at): cell for at, cell in moved.items()})


def _members(record: Record, source: Pointers, type_: llvm.Type) -> dict[int, tuple[int, Value]]:
    """What is known of the members of a structure that no thread of the kernel writes, by their offsets."""
    (_, object_, offset), *others = source.ways
    if others or object_ is None or object_.startswith("%") or not record.is_constant(object_):
        return {}
    found = {}
    for at, leaf in _leaves(type_, 0):
        found[at] = llvm.size(leaf), _at(record, {}, object_, terms.add(offset, terms.const(at)), leaf, volatile=False)
    return found


def _leaves(type_: llvm.Type, at: int) -> Iterator[tuple[int, llvm.Type]]:
    """The numbers and addresses in a type, with their offsets; of an array some."""
    match type_:
        case llvm.Struct(fields):
            for offset, field in zip(llvm.offsets(type_), fields, strict=True):
                yield from _leaves(field, at + offset)
        case llvm.Array(count, element):
            for number in range(min(count, _MOST_ELEMENTS)):
                yield from _leaves(element, at + number * llvm.size(element))
        case llvm.Void():
            pass
        case _:
            yield at, type_
