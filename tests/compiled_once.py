"""Clang reads a text once in a process of tests, however often they ask about it: of models, of reductions, of engines.

That is so where its code depends on the text alone, and in tests that are not about how clang is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scopec.frontends.clang import command, compiler, program
from scopec.frontends.clang.flags import Flags

if TYPE_CHECKING:
    from scopec.base.cache import Cache
    from scopec.frontends.clang.compiler import Compiled

#: What a text may take in that is not between angle brackets.
_BESIDE = re.compile(r"(?:include|import|embed)(?:_next)?\s*\(?\s*[^<\s\w]|include\s+\w")
#: Where clang, what is kept of it and the files that it reads are the subject.
_ABOUT_CLANG = ("test_clang_", "test_kept_", "test_cache", "test_headers", "test_real_", "test_roots", "test_limits")

#: What clang answered about the texts that were asked for last, of which there are at most so many.
_known: dict[object, Compiled] = {}
_MOST = 400


@pytest.fixture(autouse=True)
def compiled_once(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.module.__name__.rpartition(".")[2].startswith(_ABOUT_CLANG):
        yield
        return

    def compiled(
        text: str, shown: str, folder: Path, flags: Flags, entries: Cache | None, quotable: tuple[Path, ...]
    ) -> Compiled:
        alone = entries is None and replace(flags, forced=()) == Flags() and _BESIDE.search(text) is None
        of = (text, shown, folder, flags, command.find())
        if not alone:
            return compiler.compiled(text, shown, folder, flags, entries, quotable)
        found = _known.pop(of, None) or compiler.compiled(text, shown, folder, flags, entries, quotable)
        _known[of] = found
        if len(_known) > _MOST:
            _known.pop(next(iter(_known)), None)
        return found

    before, program.compiled = program.compiled, compiled
    yield
    program.compiled = before
