"""NVIDIA's headers in a folder of ``-I``, as builds name one: they are read as a whole, or not at all.

Searched behind scopec's own headers, or before those with scopec's meaning laid over them, such a folder would make a
mixture of both: classes of the one over functions of the other, of which nobody has said what they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from scopec.frontends.clang.flags import Flags

#: The file of a CCCL that says its version.
VERSION = "cuda/std/__cccl/version.h"
#: Files by which NVIDIA's headers are known: those of libcu++, of its older versions, and of CUDA's runtime.
_KNOWN_BY = (VERSION, "cuda/std/detail/__config", "crt/host_defines.h")


def searched(flags: Flags) -> list[Path]:
    """The folders of ``-I`` that are searched for headers: all but those of NVIDIA's headers."""
    return [folder.absolute() for folder in flags.folders if not _is_nvidias(folder)]


def toolkit_of(flags: Flags) -> Path | None:
    """The toolkit that flags name, by itself or by a folder of its headers."""
    if flags.toolkit is not None:
        return flags.toolkit
    places = (place for folder in flags.folders if _is_nvidias(folder) for place in folder.absolute().parents[:2])
    return next((place for place in places if (place / "include" / "cuda_runtime.h").is_file()), None)


def cccl_of(flags: Flags) -> Path | None:
    """The folder of ``-I`` with a libcu++ of its own, which goes before the toolkit's."""
    return next((folder.absolute() for folder in flags.folders if (folder / VERSION).is_file()), None)


def unsearched(flags: Flags, header: str) -> Path | None:
    """The folder of NVIDIA's headers among those of ``-I`` that has a header."""
    return next((folder for folder in flags.folders if _is_nvidias(folder) and (folder / header).is_file()), None)


def _is_nvidias(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _KNOWN_BY)
