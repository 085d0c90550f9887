"""A `.cu` or `.ptx` file, under one choice of its varied constants, to a Program by way of clang."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, error
from scopec.frontends.c.syntax import tree
from scopec.frontends.clang.compiler import Compiled, Refused, after, compiled, expanded
from scopec.frontends.clang.evaluation_order.unordered import Unordered
from scopec.frontends.clang.intrinsics.call import ORDERS
from scopec.frontends.clang.library_choice import library_of
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.annotations import said
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.machine.side import Side
from scopec.frontends.clang.mbarriers import with_mbarriers
from scopec.frontends.clang.prepare import CONSTANT, prepared, without_code
from scopec.frontends.clang.ptx.module import add
from scopec.frontends.clang.ptx.text import around, ptx_of
from scopec.frontends.clang.threads import program_of
from scopec.frontends.dependent_launches import check_dependent, check_launch_events
from scopec.frontends.scoped.syntax.cuda import read_directives
from scopec.frontends.scoped.syntax.scan import scan, without_literals
from scopec.frontends.scoped.syntax.syntax_errors import unclosed
from scopec.frontends.storage import stored
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scopec.base.cache import Cache
    from scopec.base.source import Source
    from scopec.frontends.clang.flags import Flags
    from scopec.program.program import Program

_CONSTANT = re.compile(r"\b(?:const|constexpr)\b(?P<rest>[^;]*);")
#: The headers of a program that includes none, or not enough: a toolkit's own headers bring each other along.
_LIBRARY = (
    "cuda/atomic", "cuda/barrier", "cuda/latch", "cuda/semaphore", "cuda/std/atomic", "thread", "cassert", "cstdint",
)  # fmt: skip
_MORE = (
    "atomic", "barrier", "latch", "semaphore", "cooperative_groups.h", "cooperative_groups/reduce.h", "chrono",
    "functional", "mutex", "stop_token", "vector", "cstdio", "cstdlib", "cstring", "iostream", "limits", "algorithm",
    "numeric", "string", "utility", "tuple", "memory", "cmath",
)  # fmt: skip
_COMMA = re.compile(r",(?![^({<]*[)}>])")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:=(?!=)|\{)")


def read(source: Source) -> tree.File:
    """The directives of a file.  Its program is clang's business."""
    if (at := source.text.find("\0")) >= 0:  # clang passes over them
        raise error(Code.SYNTAX, "a character with the code 0 is no text", source.span(at, at + 1), "remove it")
    return tree.File(source.name, (), read_directives(source, without_code(scan(around(source)))))


def constants(source: Source) -> dict[str, str]:
    """The constants that a file declares outside functions, each with the text of its type."""
    code, found, depth, last = scan(around(source)).code, {}, 0, 0
    for match in _CONSTANT.finditer(code):
        depth += code.count("{", last, match.start()) - code.count("}", last, match.start())
        last = match.start()
        if not depth:
            for declarator in _COMMA.split(match["rest"]):
                if name := _NAME.search(declarator):
                    found[name[1]] = match["rest"]
    return found


def lower(
    file: tree.File, source: Source, folder: Path, name: str, overrides: Mapping[str, tree.Expr], flags: Flags,
    entries: Cache | None, *, sparse: bool = True,
) -> Program:  # fmt: skip
    """The Program that a file means; ``overrides`` gives varied constants other values, ``entries`` are clang's answers
    of earlier calls.  Of large arrays few elements are modelled if they are ``sparse``.

    Raises InputError with all that clang objects to, and where the machine meets something that is not modelled;
    EngineError without a clang.
    """
    ptx, code = ptx_of(source, folder, file.directives), around(source)
    known = constants(source)
    words = set(re.findall(r"[A-Za-z_]\w*", scan(code).directives))
    asked = tuple(name for name in known if name in words)
    chosen = {constant: source.text_of(expr.span) for constant, expr in overrides.items()}
    text = prepared(code, chosen, asked)
    includes = "#include" in text
    through = flags.through if ptx is None else ""
    if through:
        from scopec.frontends.clang.through import (
            compiler_of,
            in_its_words,
            with_its_headers,
        )  # Start-up: few are asked so

        flags = with_its_headers(flags)
    given = flags
    if ptx is not None:
        text = after(ptx.declarations(), text, source.name)
    try:
        result, flags = with_library(text, source, folder, flags, entries, includes=includes)
    except Refused:
        bare = without_literals(scan(code).code)
        if "#if" not in bare and (at := unclosed(bare)) is not None:  # else clang stumbles over a directive behind it
            said_of = Diagnostic(Code.SYNTAX, "this `{` is never closed", source.span(at, at + 1), "is a `}` missing?")
            raise Refused(said_of) from None
        raise
    library = library_of(flags).folders
    device, host = Module(result.device), Module(result.host)
    about = said(device) | (add(device, ptx) if ptx is not None else {})
    if through:
        about |= in_its_words(device, prepared(code, chosen), source, folder, given)
    sides = (
        Side(device, Debug(device, library, source.name), host=False),
        Side(host, Debug(host, library, source.name), host=True),
    )
    scopes = library_of(flags).scopes
    values = {constant: _value(device, constant, known[constant], scopes) for constant in asked}
    shown = {constant: _shown(values[constant], known[constant]) for constant in overrides}
    open_ = [
        Unordered(
            side, source, str(folder), library, partial(expanded, text, source.name, folder, kind, flags, entries)
        )
        for side, kind in zip(sides, ("device", "host"), strict=True)
        if not through or kind == "host"  # the order of operands is the compiler's then
    ]
    program = program_of(name, source, *sides, about, values, shown, sparse=sparse)
    while any(one.learn() for one in open_):
        program = program_of(name, source, *sides, about, values, shown, sparse=sparse)
    check_dependent(program)
    check_launch_events(program)
    program = with_mbarriers(program)
    objects = dict(program.objects)
    for directive in file.directives:
        if isinstance(directive, tree.StorageDirective):
            objects |= stored(objects, directive)
    compiled_by = compiler_of(flags) if through else None
    return replace(program, objects=objects, read_with=dict(library_of(flags).versions), compiled_by=compiled_by)


def with_library(
    text: str, source: Source, folder: Path, flags: Flags, entries: Cache | None, *, includes: bool
) -> tuple[Compiled, Flags]:
    """Clang's code for a text, and the flags with the library's headers under which it was accepted."""
    flags = replace(flags, instead=source.instead)

    def including(*names: str) -> Flags:
        there = (file for name in names if (file := library_of(flags).header(name)) is not None)
        return replace(flags, forced=(*there, *flags.forced))

    def made(given: Flags) -> tuple[Compiled, Flags]:
        return compiled(text, source.name, folder, given, entries, source.folders), given

    try:
        return made(flags if includes else including(*_LIBRARY))
    except Refused as refused:
        if not {Code.UNKNOWN_NAME, Code.UNKNOWN_TYPE} & {d.code for d in refused.diagnostics}:
            raise
        with suppress(Refused):
            return made(including(*_LIBRARY, *_MORE))
        raise


def _value(device: Module, name: str, type_: str, scopes: Mapping[int, int]) -> int | ir.Scope | ir.Order:
    initial = device.variable(CONSTANT + name).initial
    number = initial.value if isinstance(initial, llvm.Number) else 0
    if "thread_scope" in type_:
        return ir.Scope(scopes.get(number, number))
    return ORDERS[number] if "memory_order" in type_ else number


def _shown(value: int | ir.Scope | ir.Order, type_: str) -> str:
    if re.search(r"\bbool\b", type_):
        return "true" if value else "false"
    if isinstance(value, (ir.Scope, ir.Order)):
        return value.name.lower()
    return str(value)
