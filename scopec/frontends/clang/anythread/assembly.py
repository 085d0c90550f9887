"""Inline assembly as the function that it is, whose accesses and barriers are those of the library's functions."""

from __future__ import annotations

from scopec.base.diagnostics import InputError
from scopec.frontends.clang.anythread.frame import Record
from scopec.frontends.clang.intrinsics.assembly import function_of
from scopec.frontends.clang.llvm import code as llvm


def entered(record: Record, action: llvm.Assembly) -> llvm.Function:
    """The function of inline assembly; NotFollowed for what is not modelled."""
    try:
        return function_of(action)
    except InputError as found:
        raise record.refused(f"inline assembly: {found.diagnostics[0].message}") from None
