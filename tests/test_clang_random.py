"""Whole C++ programs of one thread, read by way of clang, end as another compiler's do.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.plan import Overrides, plan
from tests.random_classes import RESULTS, program
from tests.samples import programs
from tests.sequential import ends
from tests.test_cxx_semantics import compiled, needs_compiler

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = programs(6, 20)
_COMPILED = "#include <cstdlib>\n#define F\n#define V\n#define RUN(k) k()\n#define __global__\n"
_HOST = "#define F\n#define V\n"
_KERNEL = "#define F __device__\n#define V __device__\n#define RUN(k) k<<<1, 1>>>(); cudaDeviceSynchronize()\n"
_OPTIONS = ("-std=c++20", "-fsanitize=undefined", "-fno-sanitize-recover=undefined", "-Werror=sequence-point")


@pytest.mark.nvcc
@needs_compiler
def test_random_programs_end_as_compiled_ones(tmp_path: Path) -> None:
    """Programs with undefined behaviour, which the compiler's sanitizer tells, are left out; few are refused."""
    programs = {seed: program(seed) for seed in range(PROGRAMS)}
    spaces = "".join(f"namespace p{seed} {{\n{one.text}}}\n" for seed, one in programs.items())
    calls = "".join(f"case {seed}: p{seed}::run(); {_printed(seed)} break;\n" for seed in programs)
    main = f"int main(int, char** a) {{ switch (std::atoi(a[1])) {{ {calls} }} }}\n"
    run = compiled(_COMPILED + spaces + main, tmp_path, *_OPTIONS)
    tried, wrong, refused = 0, {}, []
    for seed, one in programs.items():
        printed = run(str(seed))
        if printed is None:
            continue
        tried += 1
        path = tmp_path / f"seed{seed}.cu"
        path.write_text(
            f"{_KERNEL if one.kernel else _HOST}{one.text}int main() {{ run(); }}\n//@ expect terminates;\n"
        )
        try:
            found = ends(plan(path, path.name, Overrides(reader="clang")).runs[0].program)
        except InputError as error:
            refused.append(str(error.diagnostics[0]))
            continue
        values = [str(found[f"out{i}"][0]) for i in range(len(RESULTS))]
        if values != printed:
            wrong[seed] = values, printed
    assert wrong == {}
    assert tried > PROGRAMS * 3 // 4
    assert len(refused) <= tried // 20, refused


def _printed(seed: int) -> str:
    kinds = {"int": "%d", "unsigned": "%u", "long long": "%lld", "unsigned long long": "%llu"}
    form = " ".join(kinds[type_] for type_ in RESULTS)
    return f'std::printf("{form}", ' + ", ".join(f"p{seed}::out{i}" for i in range(len(RESULTS))) + ");"
