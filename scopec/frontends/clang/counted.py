"""The GPU's instructions that nvcc makes of a file, counted in the machine code.

From compute capability 7.0 on an instruction has 16 bytes, of which the lowest 12 bits say which it is.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from scopec.base.diagnostics import EngineError
from scopec.base.scratch import scratch_folder
from scopec.frontends.clang.command import environment
from scopec.frontends.clang.running import finished
from scopec.frontends.clang.through import ARCHITECTURE, OPTIONS, given, nvcc_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scopec.base.source import Source
    from scopec.frontends.clang.flags import Flags

_BYTES = 16
_WHICH, _NOP = 0xFFF, 0x918
#: In the header of an ELF file of 64 bits: where the headers of sections are; how many, and which has their names.
_SECTIONS, _MANY = 0x28, 0x3C
#: Of a section its name, and where it is.
_SECTION = struct.Struct("<I20xQQ24x")


def compiler(flags: Flags) -> str:
    """Who compiles, and how; EngineError if there is no nvcc."""
    return f"nvcc {nvcc_of(flags).version} -O3 for {ARCHITECTURE}"


def instructions(text: str, source: Source, folder: Path, flags: Flags) -> int:
    """How many instructions all kernels and functions have that nvcc makes of a text, without those that only fill up.

    ``source`` is the file of which the text is a version, ``folder`` where that lies.  Raises InputError for a flag
    that nvcc is not given, EngineError where it does not compile the text.
    """
    if source.name.endswith(".litmus"):
        raise EngineError("nvcc compiles no litmus files")
    words = [] if source.name.endswith(".ptx") else [*OPTIONS[2:], *given(source, folder, flags)]
    with scratch_folder() as scratch:
        name = "program.ptx" if source.name.endswith(".ptx") else "program.cu"
        forced = "" if name.endswith(".ptx") else "".join(f'#include "{one.absolute()}"\n' for one in flags.forced)
        (scratch / name).write_text(f"{forced}{text}", "utf-8", "surrogateescape")
        output = scratch / "program.cubin"
        command = [str(nvcc_of(flags).program), "-cubin", "-O3", *OPTIONS[:2], *words, "-o", str(output), name]
        (run,) = finished([command], b"", scratch, {**environment(), "TMPDIR": str(scratch)})
        if run.status:
            raise EngineError(f"nvcc does not compile it: {run.failure}")
        return sum(map(_counted, _code(output.read_bytes())))


def _code(cubin: bytes) -> Iterator[bytes]:
    """The sections of a cubin that have code."""
    (at,) = struct.unpack_from("<Q", cubin, _SECTIONS)
    many, names = struct.unpack_from("<HH", cubin, _MANY)
    sections = [_SECTION.unpack_from(cubin, at + _SECTION.size * number) for number in range(many)]
    for name, start, size in sections:
        if cubin.startswith(b".text", sections[names][1] + name):
            yield cubin[start : start + size]


def _counted(code: bytes) -> int:
    words = struct.iter_unpack("<QQ", code)
    return sum(low & _WHICH != _NOP for low, _ in words)
