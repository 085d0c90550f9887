"""A kernel of a file to its form for any thread of any launch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scopec.base.source import Source
from scopec.frontends.clang.anythread.executor import Executor, object_of
from scopec.frontends.clang.anythread.frame import Record
from scopec.frontends.clang.anythread.values import Cells, NotFollowed, Value, address
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.program import largest
from scopec.program.anythread import FALSE, TRUE, AnyThread, Term, symbol, truth


def form(module: Module, debug: Debug, source: Source, kernel: str, condition: str = "") -> tuple[AnyThread, Term]:
    """What any thread of a kernel does, and the truth that a function of its parameters returns.

    Raises NotFollowed for what is not understood.  It is read until it is known of which arrays addresses are read
    at an index, and then once more: what nobody writes has one content.
    """
    tables = frozenset[str]()
    while True:
        first, _, more = _form(module, debug, source, kernel, "", frozenset(), {}, tables, is_first=True)
        if more == tables:
            break
        tables |= more
    objects = {access.object for access in first.accesses if not _is_shared(module, access.object)}
    written = _written(first)
    constant = frozenset(objects - written.keys())
    known = {name: of for name, of in written.items() if of is not None and name in objects}
    found, where, more = _form(module, debug, source, kernel, condition, constant, known, tables)
    if not more <= tables:
        raise NotFollowed("what is read decides which addresses are read")
    for name, now in _written(found).items():
        if name in constant or (name in known and (now is None or not now <= known[name])):
            raise NotFollowed("what is read decides over what is written")
    return found, where


def _written(form: AnyThread) -> dict[str, frozenset[tuple[int, int]] | None]:
    """The bytes that are written of each object that is: from one offset to another, or None of unknown offsets."""
    found: dict[str, frozenset[tuple[int, int]] | None] = {}
    for access in form.accesses:
        if access.kind != "read":
            before, at = found.get(access.object, frozenset()), access.offset
            is_known = at.op == "const" and access.bytes > 0
            bytes_ = frozenset({(at.value, at.value + access.bytes)})
            found[access.object] = before | bytes_ if before is not None and is_known else None
    return found


def _form(
    module: Module, debug: Debug, source: Source, kernel: str, condition: str, constant: frozenset[str],
    written: Mapping[str, frozenset[tuple[int, int]]], tables: frozenset[str], *, is_first: bool = False,
) -> tuple[AnyThread, Term, frozenset[str]]:  # fmt: skip
    function = module.function(kernel)
    if function is None:
        raise NotFollowed("the kernel has no body")
    record = Record(module, debug, source, constant, written=written, tables=set(tables), is_first=is_first)
    executor = Executor(record)
    cells: Cells = {}
    given, parameters = arguments(executor, function, cells)
    where = TRUE
    if condition:
        asked = module.function(condition)
        assert asked is not None
        nothing = record.mark()
        found, reached, _ = executor.call(asked, given, "where/", TRUE, dict(cells))
        record.back_to(nothing)
        if not isinstance(found, Term) or reached is FALSE:
            raise NotFollowed("the condition is not understood")
        where = found
    executor.call(function, given, "", TRUE, cells)
    objects = {access.object for access in record.accesses}
    return AnyThread(
        tuple(record.accesses), tuple(record.barriers), frozenset(o for o in objects if _is_shared(module, o)),
        frozenset(record.dimensions), tuple(parameters), tuple(record.left_out),
        tuple(term for term in dict.fromkeys(record.assumed) if term is not TRUE), tuple(record.loops),
        tuple(record.uniform), tuple(record.tickets), frozenset(record.read_only),
        tuple(dict.fromkeys(record.readings)), tuple(dict.fromkeys(record.checked)), tuple(record.warps),
        tuple(record.grids), min(module.bound(kernel, "maxntid") or largest.THREADS, largest.THREADS),
        tuple(record.again), tuple(record.left),
    ), where, frozenset(record.tables)  # fmt: skip


def _is_shared(module: Module, object_: str) -> bool:
    """Whether each block has an object of its own."""
    name = object_.removeprefix("@")
    return object_ == "@shared memory" or (name in module.variables and module.variable(name).space == 3)


def objects(module: Module, debug: Debug, kernel: str) -> dict[str, frozenset[str]]:
    """The objects by their names in the source: what parameters point to, or variables."""
    found: dict[str, frozenset[str]] = {}
    for name in module.variables:
        declared = [debug.variable(node).name for node in module.variable(name).debug]
        for own in declared or (_own_name(name),):
            found[own] = found.get(own, frozenset()) | {object_of(module, name)}
    function = module.function(kernel)
    pointers = () if function is None else function.parameters
    return found | {name: frozenset({name}) for name, type_ in pointers if isinstance(type_, llvm.Pointer)}


def _own_name(mangled: str) -> str:
    """The name of a variable without those of the functions and namespaces around it."""
    parts = re.finditer(r"(?=(?<!\d)(\d+)([A-Za-z_]\w*)$)", mangled)
    return next((part[2] for part in parts if mangled.startswith("_Z") and len(part[2]) == int(part[1])), mangled)


def arguments(
    executor: Executor, function: llvm.Function, cells: Cells, prefix: str = ""
) -> tuple[list[Value], list[tuple[str, Term | None]]]:
    """The values of parameters, and their symbols by name where they are numbers; ``prefix`` begins these names."""
    signs = _unsigned(executor.record.debug, function)
    found: list[Value] = []
    named: list[tuple[str, Term | None]] = []
    for position, ((name, type_), behind) in enumerate(zip(function.parameters, function.byval, strict=True)):
        if behind is not None:
            _members(cells, f"%by value {name}", prefix + name, behind, 0)
            found.append(address(f"%by value {name}"))
            named.append((name, None))
            continue
        value = _parameter(prefix + name, type_, unsigned=position in signs)
        found.append(value)
        named.append((name, value if isinstance(value, Term) and not isinstance(type_, llvm.Float) else None))
    return found, named


def _parameter(name: str, type_: llvm.Type, *, unsigned: bool = False) -> Value:
    match type_:
        case llvm.Pointer():
            return address(name)
        case llvm.Int(1):
            return truth(name, "launch")
        case llvm.Int(bits):
            low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            return symbol(name, "launch", low, high)
        case llvm.Float():
            return symbol(name, "launch")
        case _:
            raise NotFollowed(f"the type of the parameter `{name}`")


def _members(cells: Cells, object_: str, name: str, type_: llvm.Type, at: int) -> None:
    """The numbers and addresses in a structure that is a parameter."""
    match type_:
        case llvm.Struct(fields):
            for offset, field in zip(llvm.offsets(type_), fields, strict=True):
                _members(cells, object_, name, field, at + offset)
        case llvm.Array(count, element):
            for number in range(min(count, 64)):
                _members(cells, object_, name, element, at + number * llvm.size(element))
        case llvm.Void():
            pass
        case _:
            cells[object_, at] = llvm.size(type_), _parameter(f"{name}+{at}", type_)


def _unsigned(debug: Debug, function: llvm.Function) -> frozenset[int]:
    """The positions of the parameters that are unsigned."""
    if function.subprogram is None:
        return frozenset()
    types = debug.signature(function.subprogram)
    if len(types) != len(function.parameters):
        return frozenset()
    leaves = [debug.leaves(type_) for type_ in types]
    return frozenset(n for n, of in enumerate(leaves) if len(of) == 1 and not of[0].type.signed and not of[0].pointer)
