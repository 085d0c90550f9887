"""Errors, with their places, about kernels in Python that cannot be checked."""

from __future__ import annotations

import inspect
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.source import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: The place of what is in no file.
_NOWHERE = Span("<Python>", 1, 1, 1, 1)


def shown(file: str) -> str:
    """A file as it is called in reports: from the current folder, where it lies in it."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def place(function: Callable[..., Any] | None) -> Span:
    """The line on which a function begins."""
    code = getattr(function, "__code__", None)
    if code is None:
        return _NOWHERE
    name = shown(inspect.getsourcefile(function) or code.co_filename) if function is not None else code.co_filename
    return Span(name, code.co_firstlineno, 1, code.co_firstlineno, 1)


def refused(message: str, help_: str, at: Span = _NOWHERE, code: Code = Code.PYTHON_KERNEL) -> InputError:
    """The error for a kernel in Python, or its launch."""
    return InputError(Diagnostic(code, message, at, help_))


@contextmanager
def compiling(package: str, said: slice, way_out: str, at: Span) -> Iterator[None]:
    """Refuse what a package does not compile, with some lines of what it says; its warnings stay warnings in tests."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            yield
    except Exception as bad:  # what is wrong with a kernel has many classes in packages
        raise refused(f"{package} does not compile this kernel: {lines(bad, said)}", way_out, at) from bad


def lines(problem: BaseException, wanted: slice = slice(1)) -> str:
    """Some lines of what a package says of what it refuses."""
    said = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return ": ".join(line.rstrip(":") for line in said[wanted]) or type(problem).__name__
