"""The headers that a program is read with, by its flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.libraries import own
from scopec.frontends.clang.toolkits import cccl_of, toolkit_of

if TYPE_CHECKING:
    from scopec.frontends.clang.flags import Flags
    from scopec.frontends.clang.libraries import Library


def library_of(flags: Flags) -> Library:
    """The library that flags name: scopec's own, unless it is ``real``.

    Raises EngineError where NVIDIA's headers are asked for and are not there, or not as they are known.
    """
    if flags.headers != "real":
        return own()
    from scopec.frontends.clang.real_headers import real  # Start-up: few calls ask for them.

    return real(toolkit_of(flags), cccl_of(flags))
