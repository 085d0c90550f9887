"""Harnesses for a GPU: their text, compilers that take it, the suite, probes of progress, and arithmetic."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from benchmarks.gpu import blocks, progress
from benchmarks.gpu.suite import programs
from scopec.frontends.clang import command
from scopec.gpu import build
from scopec.gpu.cxx import cxx, word
from scopec.gpu.emit import files
from scopec.gpu.run import read
from scopec.program import types, values
from scopec.session.check import Settings
from tests.command import scopec
from tests.specifications import PROGRAMS, WHOLE, some

if TYPE_CHECKING:
    from collections.abc import Mapping
from tests.test_run import CHOICE, CUDA, FAKE_COMPILER, LOAD_BUFFERING, SPECS, flat, read_tests, written

# ---------------------------------------------------------------- the text of harnesses


def test_the_same_threads_in_other_places_are_another_test() -> None:
    one, two = read_tests(SPECS / "litmus" / "mp-one-block.cu", SPECS / "litmus" / "mp-two-blocks.cu")
    assert one.functions == two.functions
    assert (one.lanes, two.lanes) == (2, 1)
    assert one.key != two.key


def test_who_waits_has_a_warp() -> None:
    (test,) = read_tests(SPECS / "litmus-files" / "ptx-sleeper.litmus")
    assert test.lanes == 32


@pytest.fixture(scope="module")
def harness() -> Mapping[str, str]:
    """Of a choice; with SCOPEC_NVCC_SPECS=all, of all of specs/ that is run."""
    everything = os.environ.get("SCOPEC_NVCC_SPECS") == "all"
    paths = [SPECS] if everything else [SPECS / path for path in CHOICE]
    return files(read_tests(*paths), rounds=1, seed=1, turns=1)


@pytest.mark.sampled(0)
def test_accesses_are_instructions_as_the_library_maps_them() -> None:
    """PTX Writer's Guide to Interoperability: a seq_cst operation is a fence.sc and an acquire or relaxed one."""
    names = ("litmus/cas", "litmus/iriw", "litmus/fetch-add", "ptx/volatile", "ptx/reduction", "programs/lock-guard",
             "barriers/syncthreads", "barriers/syncwarp")  # fmt: skip
    made = files(read_tests(*(SPECS / f"{name}.cu" for name in names)), rounds=1, seed=1, turns=1)
    text = "".join(made.values())
    iriw = text[text.index("iriw.cu [STORE = seq_cst, LOAD = seq_cst]") :]
    assert re.search(r'"fence.sc" ".gpu;".*?\n.*?line.*?\n.*?"st.relaxed.gpu.global.b32', iriw)
    for instruction in ("atom.relaxed.gpu.global.add.u32", "red.relaxed", "ld.volatile.global.b32", "fence.acq_rel",
                        "barrier.cta.sync 0;", ".shared.b32", "__syncwarp(p.lanes(", "atom.acquire.gpu.global.cas"):  # fmt: skip
        assert instruction in text, instruction


@pytest.mark.sampled(0)
@pytest.mark.slow
def test_a_compiler_takes_the_text_of_harnesses(tmp_path: Path) -> None:
    """The device's side, of which the machine knows no header: of every twelfth file; with SCOPEC_NVCC_SPECS=all of each."""
    harness = files(read_tests(*some(PROGRAMS, 12, every=WHOLE)), rounds=1, seed=1, turns=1)
    assert sum(name.startswith("part") for name in harness) > 2
    for name in ("stress.cuh", "clang.cuh"):
        (tmp_path / name).write_text(harness[name])
    (tmp_path / "cuda_runtime_api.h").write_text(CUDA)
    (tmp_path / "vector").write_text("namespace std { template <class T> struct vector { vector(...); }; }\n")
    clang = [*command.compiling(command.found(), "device", "c++17"), "-ffreestanding", "-Wall", "-Werror"]
    parts = [text for name, text in harness.items() if name.startswith("part")]
    for text in some(parts, 2, every=WHOLE):
        device = text[: text.index("std::vector<Test> part")]
        for space in re.findall(r"namespace (test_\w+)", device):
            device += f"template __global__ void play_kernel<{space}::Program>(Round, word*, word*, unsigned*);\n"
        done = subprocess.run(
            [*clang, "-S", "-o", os.devnull, "-I", str(tmp_path)], env=command.environment(),
            input=device, capture_output=True, text=True, cwd=tmp_path, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_clang_compiles_tests_beside_nvcc(tmp_path: Path) -> None:
    """Each is asked with its flags; what clang saw is a column of its own."""
    path = tmp_path / "lb.litmus"
    path.write_text(LOAD_BUFFERING)
    results = written(path, [[1000, 0, 0, 0, 0, 1, 1]], tmp_path, built="BUILT")
    fake = tmp_path / "fake"
    words = {"RESULTS": results, "ASKED": tmp_path / "asked", "RESOURCES": command.found().resources}
    whole = re.sub("|".join(words), lambda word: str(words[word[0]]), FAKE_COMPILER)
    fake.write_text(whole)
    fake.chmod(0o755)
    ways = ["--flags", "-O3", "--flags", "-O3 -arch=compute_90", "--clang", "-O1"]
    done = scopec("run", path, "--nvcc", fake, "--arch", "sm_80", *ways, SCOPEC_CLANG=str(fake))
    assert done.returncode == 0, done.stderr
    built = [line.partition(") ")[2] for line in done.stdout.splitlines() if line.startswith("  (")]
    assert built == [f"{way} on a GPU" for way in ("-O3 -arch=sm_80", "-O3 -arch=compute_90", "clang -O1 -arch=sm_80")]
    (asked,) = (line for line in (tmp_path / "asked").read_text().splitlines() if "-x cuda " in line)
    assert "--cuda-gpu-arch=sm_80" in asked
    assert "--cuda-path=/toolkit " in asked
    assert f"-resource-dir {command.found().resources}" in asked
    assert asked.endswith("-O1 -c -o part0.o part0.cu")
    fake.write_text("#!/bin/sh\necho no such architecture >&2; exit 1\n")
    failed = scopec("run", path, "--nvcc", fake)
    assert failed.returncode == 3
    assert "make failed: no such architecture" in failed.stderr
    fake.write_text(whole.replace("TOP=", ""))
    without = scopec("run", path, "--nvcc", fake, "--arch", "sm_80", "--clang", "-O1", SCOPEC_CLANG=str(fake))
    assert without.returncode == 3
    assert "names no CUDA toolkit, which clang needs: `make CUDA=FOLDER` names it" in flat(without.stderr)


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")
def test_compilers_build_harnesses(harness: Mapping[str, str], tmp_path: Path) -> None:
    """nvcc, then clang with what nvcc made of main.cu."""
    build.write(harness, tmp_path)
    for clang in ("", build.clang()):
        for part in tmp_path.glob("part*.o"):
            part.unlink()
        command = ["make", "run", "ARCH=sm_90", "FLAGS=-O1", f"CLANG={clang}"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning:" not in done.stdout + done.stderr


# ---------------------------------------------------------------- the suite


def test_the_suite_is_one_of_tests(tmp_path: Path) -> None:
    suite = dict(programs())
    assert len(suite) >= 600
    assert suite == dict(programs())
    some = {*list(suite)[::60], *(f"inline-ISA2-blocks-{n}.cu" for n in range(3))}
    assert {"u16", "u32", "u64"} == set(re.findall(r"\bu\d+", "".join(suite[name] for name in some)))
    for name in some:
        (tmp_path / name).write_text(suite[name])
    assert len(read_tests(tmp_path)) == len(some)


# ---------------------------------------------------------------- progress


@pytest.mark.sampled(0)
def test_probes_tell_the_progress_models_apart() -> None:
    found = {model: progress.ends(model) for model in ("cuda", "cuda-in-order", "obe", "lobe", "hsa-obe", "hsa")}
    assert len({tuple(verdicts.items()) for verdicts in found.values()}) == len(found)
    assert [probe for probe, ends in found["hsa"].items() if ends] == ["earlier", "lanes-lock", "lanes-wait", "threads"]
    assert found["lobe"]["look-back"]
    assert not found["cuda"]["earlier"]
    resident, of_two = progress.ends("cuda-resident"), progress.ends("cuda-resident", {"resident_blocks": "2"})
    assert resident["together"]
    assert not of_two["together"]


@pytest.mark.sampled(0)
def test_what_was_seen_of_probes_is_a_table() -> None:
    sizes = [{"blocks": 2, "ended": 1000, "hung": 0}, {"blocks": 9, "ended": 0, "hung": 3}]
    about = {"gpu": "a GPU", "driver": 1, "runtime": 1, "resident": 8, "probe": "later"}
    table = list(progress.table([{**about, **size} for size in sizes]))
    assert "| `later` | 8 | 1,000 + 0 | 0 + 3 | – | – |" in table
    assert {"| `fair` | **ends** |", "| `cuda` | may hang |", "| `cuda-resident`, 2 places | may hang |"} < set(table)


# ---------------------------------------------------------------- arithmetic


_TYPES = (types.BOOL, types.CHAR, types.INT, types.UINT, types.LONG, types.ULONG)
_OPERATIONS = ("+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "/", "%", "&&", "||")


def random_value(chance: Random, depth: int) -> values.Value:
    type_ = chance.choice(_TYPES)
    match chance.randint(0, 7) if depth else 0:
        case 0:
            return values.Reg(f"v{_TYPES.index(type_)}", type_)
        case 1:
            return values.unary(chance.choice("-~!"), random_value(chance, depth - 1))
        case 2:
            parts = [random_value(chance, depth - 1) for _ in range(3)]
            return values.choose(*parts)
        case 3:
            return values.cast(random_value(chance, depth - 1), type_)
        case 4:
            number = values.Const(type_.wrap(chance.randint(-3, 40)), type_)
            return values.binary(chance.choice(_OPERATIONS), random_value(chance, depth - 1), number)
        case _:
            left, right = random_value(chance, depth - 1), random_value(chance, depth - 1)
            return values.binary(chance.choice(_OPERATIONS), left, right)


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_random_kernels_are_as_asked(tmp_path: Path) -> None:
    found = list(blocks.kernels(range(6000, 6006), tmp_path, racy=True))
    assert sorted(tmp_path.iterdir()) == sorted(found) != []
    (outcome,) = read([found[0]], Settings())
    assert len(outcome.tests) == 1


def test_values_in_cpp_are_those_of_the_program(tmp_path: Path) -> None:
    chance = Random(1)
    lines, expected = [], []
    while len(lines) < 1000:
        value = random_value(chance, 4)
        state = {
            f"v{n}": type_.wrap(chance.choice((0, 1, 2, -1, 7, 2**31 - 1, chance.getrandbits(64))))
            for n, type_ in enumerate(_TYPES)
        }
        try:
            found = values.evaluate(value, lambda leaf: state[leaf.name])  # noqa: B023
        except types.ArithmeticFault:
            continue  # an implicit assertion stands before it
        given = ", ".join(f"{name} = {word(number)}" for name, number in state.items())
        lines.append(
            f'    {{ word {given}; std::printf("%llu\\n", word({cxx(value, {name: name for name in state})})); }}'
        )
        expected.append(found % 2**64)
    header = (SPECS.parent / "templates" / "gpu" / "stress.cuh").read_text()
    begin = header.index("using word"), header.index("// A register that")
    text = "#include <algorithm>\n#include <cstdio>\n#include <stdint.h>\nusing std::min, std::max;\n"
    text += header[slice(*begin)] + "int main() {\n" + "\n".join(lines) + "\n}\n"
    (tmp_path / "values.cpp").write_text(text)
    subprocess.run(["g++", "-w", "-std=c++17", "-o", tmp_path / "values", tmp_path / "values.cpp"], check=True)
    done = subprocess.run([tmp_path / "values"], capture_output=True, text=True, check=True)
    assert list(map(int, done.stdout.split())) == expected
