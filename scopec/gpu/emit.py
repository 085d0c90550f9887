"""The files of a harness: tests in parts, for compilers side by side, programs run whole, and what runs them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scopec.base.resources import resource
from scopec.base.templates import render
from scopec.gpu.cxx import word
from scopec.gpu.harness import Test
from scopec.gpu.whole import Whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Tests in one file: a compiler takes some seconds for it.
_IN_A_PART = 20
#: A call that a program which is run whole makes by way of the harness.
_CALL = re.compile(r"^(?:CALL|IN_STREAM|ON_THE_HOST|MAKES|OF_THE_DRIVER)\((\w+)", re.MULTILINE)


def files(tests: Sequence[Test | Whole], rounds: int, seed: int, turns: int) -> Mapping[str, str]:
    """The text of each file by its name: `make` builds the harness of them and runs it."""
    distinct = {test.key: test for test in tests}.values()
    played = [test for test in distinct if isinstance(test, Test)]
    whole = {f"whole-{test.key}": test for test in distinct if isinstance(test, Whole)}
    parts = [played[n : n + _IN_A_PART] for n in range(0, len(played), _IN_A_PART)]
    names = [f"part{n}" for n in range(len(parts))]
    options = {"rounds": rounds, "seed": seed, "turns": turns}
    found = {"process.h": _copied("process.h")}
    if parts or not whole:
        for name, part in zip(names, parts, strict=True):
            context = {"part": name, "tests": [_context(test) for test in part]}
            found[f"{name}.cu"] = render("gpu/tests.cu.j2", context)
        found["main.cu"] = render("gpu/main.cu.j2", {"parts": names, **options})
        found |= {name: _copied(name) for name in ("stress.cuh", "clang.cuh")}
    played_too = {"parts": bool(parts) or not whole}
    if whole:
        for name, test in whole.items():
            found[f"{name}.cu"] = render("gpu/whole.cu.j2", {"test": _whole(test)})
        found["calls.cu"] = render("gpu/calls.cu.j2", options)
        found["whole.h"] = _copied("whole.h")
        found["run.sh"] = render("gpu/run.sh.j2", {"programs": list(whole), **played_too})
        found["calls.txt"] = "".join(f"-Wl,--wrap={name}\n" for name in _CALL.findall(found["calls.cu"]))
    return {**found, "Makefile": render("gpu/Makefile.j2", {"whole": bool(whole), **played_too})}


def _copied(name: str) -> str:
    return resource(f"templates/gpu/{name}").read_text("utf-8")


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


def _whole(test: Whole) -> Mapping[str, Any]:
    return {
        "name": _plain(test.name),
        "key": test.key,
        "text": test.text,
        "words": test.words,
        "globals": test.globals,
        "looks": test.looks,
        "allocations": ", ".join(map(str, test.allocations)),
        "driver": test.driver,
    }
