"""``scopec.check_kernel``: a kernel in Python as a program, checked."""

from __future__ import annotations

import inspect
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.api import Results, check
from scopec.base.diagnostics import EngineError, InputError
from scopec.engines.policy import immediate
from scopec.engines.protocol import PROGRESS
from scopec.kernels.launch import launch_of
from scopec.kernels.numba import is_numba, numba_program
from scopec.kernels.program import expectations
from scopec.kernels.refusals import refused
from scopec.kernels.sources import Asker, is_raw, raw_program, source_program
from scopec.kernels.triton import is_triton, triton_program
from scopec.session.check import Outcome
from scopec.session.project import settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scopec.kernels.launch import Launch
    from scopec.kernels.program import PythonProgram

_KNOWN = "a function under numba.cuda.jit or triton.jit, a cupy.RawKernel, or the source of one (its name as `name`)"


def check_kernel(
    kernel: Any, launch: Launch | Sequence[Any] | Mapping[str, Any] | None = None, *, expect: Sequence[str] = (),
    name: str | None = None, signature: Any = None, arch: str = "sm_90", options: Mapping[str, Any] | None = None,
    **asked: Any,
) -> Results:  # fmt: skip
    """Check a kernel of Numba, Triton, CuPy or PyTorch's ``load_inline`` (docs/python.md, "Kernels in Python").

    ``kernel`` is a function under ``numba.cuda.jit`` or ``triton.jit``, a ``cupy.RawKernel``, or CUDA C++ as
    ``load_inline`` takes it, of which ``name`` is the kernel. Those of Numba and Triton are compiled for ``arch``, and
    their PTX is asked under model ``ptx``; ``options`` are Triton's (``{"num_warps": 1}``).
    ``launch`` is a `scopec.Launch`, or ``(grid, block, args)``; without one it is guessed, from the ``signature`` that
    Numba or Triton takes where nothing else says what the arguments are. ``race_free`` and ``terminates`` are expected,
    and what ``expect`` says. All else is as for `scopec.check`, but that the embedded engine answers unless another is
    said.
    """
    caller = inspect.stack(0)[1].filename
    return checked(
        kernel, launch, caller, expect=expect, name=name, signature=signature, arch=arch, options=options, **asked
    )


def checked(
    kernel: Any, launch: Launch | Sequence[Any] | Mapping[str, Any] | None, caller: str, *, expect: Sequence[str] = (),
    name: str | None = None, signature: Any = None, arch: str = "sm_90", options: Mapping[str, Any] | None = None,
    **asked: Any,
) -> Results:  # fmt: skip
    """The results for a kernel that the file ``caller`` asks about."""
    started = time.monotonic()
    try:
        made = _program(
            kernel,
            launch_of(launch),
            name,
            signature,
            arch,
            options or {},
            Asker(caller, tuple(asked.get("folders", ())), tuple(asked.get("macros", ()))),
        )
    except InputError as bad:
        where = bad.diagnostics[0].span.file
        return Results((Outcome(where, diagnostics=bad.diagnostics),), time.monotonic() - started)
    except EngineError as missing:  # there is no clang
        return Results((Outcome(caller, failure=str(missing)),), time.monotonic() - started)
    given = {"model": made.model, **asked} if made.model is not None else dict(asked)
    if "engine" not in asked and "engine" not in settings(Path.cwd()):
        given["engine"] = immediate(PROGRESS).name  # TLC has no numbers of 64 bits, with which Numba computes indices
    if made.macros:
        given["macros"] = (*made.macros, *given.get("macros", ()))
    whole = made.whole(expectations(expect))
    return check(text=whole, name=made.name, compiled_by=made.compiled_by, **given)


def _program(
    kernel: Any, launch: Launch | None, name: str | None, signature: Any, arch: str, options: Mapping[str, Any],
    asker: Asker,
) -> PythonProgram:  # fmt: skip
    if is_numba(kernel):
        return numba_program(kernel, launch, signature, arch)
    if is_triton(kernel):
        return triton_program(kernel, launch, signature, arch, options)
    if is_raw(kernel):
        return raw_program(kernel, launch, asker)
    if isinstance(kernel, str) or (isinstance(kernel, list | tuple) and all(isinstance(one, str) for one in kernel)):
        return source_program([kernel] if isinstance(kernel, str) else list(kernel), name, launch, asker)
    raise refused(f"an object of type `{type(kernel).__name__}` is no kernel that scopec knows", _KNOWN)
