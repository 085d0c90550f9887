"""The files of a harness: the tests in parts, so that compilers work side by side, and what runs them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scopec.base.resources import resource
from scopec.base.templates import render
from scopec.gpu.cxx import word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scopec.gpu.harness import Test

#: Tests in one file: a compiler takes some seconds for it.
_IN_A_PART = 20


def files(tests: Sequence[Test], rounds: int, seed: int, turns: int) -> Mapping[str, str]:
    """The text of each file by its name: `make` builds the harness of them and runs it."""
    distinct = list({test.key: test for test in tests}.values())
    parts = [distinct[n : n + _IN_A_PART] for n in range(0, len(distinct), _IN_A_PART)]
    names = [f"part{n}" for n in range(len(parts))]
    found = {
        f"{name}.cu": render("gpu/tests.cu.j2", {"part": name, "tests": [_context(test) for test in part]})
        for name, part in zip(names, parts, strict=True)
    }
    main = render("gpu/main.cu.j2", {"parts": names, "rounds": rounds, "seed": seed, "turns": turns})
    headers = {name: resource(f"templates/gpu/{name}").read_text("utf-8") for name in ("stress.cuh", "clang.cuh")}
    return {**found, "main.cu": main, **headers, "Makefile": render("gpu/Makefile.j2", {})}


def _plain(name: str) -> str:
    """A name for people, in which a file's name is no code of the harness, nor of what it prints: other characters than
    those of most names are ``_``.  What came back is found by the key."""
    return re.sub(r"[^\w ./,=+()\[\]-]", "_", name)


def _context(test: Test) -> Mapping[str, Any]:
    return {
        "name": _plain(test.name),
        "key": test.key,
        "space": f"test_{test.key}",
        "functions": test.functions,
        "blocks": len(test.blocks),
        "cluster": test.cluster,
        "first": ", ".join(map(str, test.first)),
        "warps": test.warps,
        "lanes": test.lanes,
        "roles": len(test.roles),
        "hosts": test.hosts,
        "managed": "true" if test.managed else "false",
        "mapped": word(sum(1 << number for at, number in test.memory.anywhere.items() if at in test.memory.mapped)),
        "registers": len(test.locals),
        "anywhere": test.memory.words[0],
        "shared": len(test.shared_of),
        "of_block": test.memory.words[1],
        "asynchronous": "true" if test.memory.packed else "false",
        "shared_of": test.shared_of,
        "barriers": "true" if test.barriers else "false",
        "places": ", ".join(map(str, test.places)),
        "initial": [word(value) for value in test.initial],
    }
