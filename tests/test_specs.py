"""The library in specs/: its generated files are what is generated today, and the engines confirm them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scopec.alloy import run as alloy_run
from scopec.check import Jars
from scopec.compile import compile_programs, differences
from scopec.plan import SUFFIXES, Overrides, plan
from scopec.tla import run as tla_run
from scopec.workers import Workers
from tests.conftest import REPOSITORY

SPECS = REPOSITORY / "specs"
GENERATED = SPECS / "generated"
PROGRAMS = sorted(p for suffix in SUFFIXES for p in SPECS.rglob(f"*{suffix}"))
#: The source documents' own code: looser than CUDA C++ (host globals used in kernels, cudaHostRegister with two arguments).
DOCUMENT = {
    f"cuda-execution-model/{n}.cu"
    for n in ("stream-0", "stream-1", *(f"device-{i}" for i in range(5)), *(f"api-{i}" for i in range(1, 5)))
}


def name(path: Path) -> str:
    return path.relative_to(SPECS).as_posix()


def test_generated_files_are_up_to_date() -> None:
    """`scopec compile specs -o specs/generated` writes them anew; read what changed before you commit it."""
    assert differences(compile_programs([SPECS], Overrides(), "all"), GENERATED) == []


@pytest.mark.jvm
@pytest.mark.parametrize("specification", sorted(GENERATED.rglob("*.als")), ids=lambda p: p.stem)
def test_alloy_confirms_the_expectations_in_each_specification(
    specification: Path, jars: Jars, workers: Workers, tmp_path: Path
) -> None:
    """Each command says with `expect` whether an execution should be found; Alloy's exit status is 0 if all are met."""
    finished = workers.run(alloy_run.question(jars.alloy, specification, tmp_path / "out"), tmp_path, 300)
    assert (tmp_path / "out" / "receipt.json").is_file(), finished.stderr
    assert finished.status == 0, finished.stderr


def progress_runs() -> list[tuple[Path, str, bool]]:
    """Each generated module with the file that it comes from, and whether the property is expected to hold."""
    found = []
    for path in PROGRAMS:
        for run in plan(path, str(path), Overrides()).runs:
            kinds = {c.kind for c in run.progress_checks}
            for property_ in run.properties:
                universal = {"Termination": "terminates", "Progress": "progresses"}[property_]
                module = run.name if property_ == "Termination" else f"{run.name}__progress"
                found.append((GENERATED / path.relative_to(SPECS).parent / f"{module}.tla", module, universal in kinds))
    return found


@pytest.mark.jvm
@pytest.mark.parametrize(("module", "name", "holds"), progress_runs(), ids=lambda v: v if isinstance(v, str) else "")
def test_tlc_confirms_each_module(
    module: Path, name: str, holds: bool, jars: Jars, workers: Workers, tmp_path: Path
) -> None:
    """Exit status 0: the property holds; 11, 12, 13: deadlock, a state nobody is owed a way out of, a fair cycle."""
    for file in (module, module.with_suffix(".cfg")):
        shutil.copy(file, tmp_path)
    (tmp_path / "tlc-out").mkdir()
    finished = workers.run(tla_run.question(jars.tlc, name, tmp_path), tmp_path, 300)
    assert finished.status in ((0,) if holds else (11, 12, 13)), finished.stdout


def test_every_verdict_has_its_opposite() -> None:
    """No kind of verdict is right by accident: in each folder each kind and its opposite are expected."""
    opposites = {"race_free": "race", "forbidden": "allowed", "terminates": "may_hang", "progresses": "may_stall"}
    for folder in {p.parent for p in PROGRAMS}:
        checks = [
            c for p in PROGRAMS if p.parent == folder for r in plan(p, str(p), Overrides()).runs for c in r.checks
        ]
        kinds = {c.kind for c in checks}
        quantifiers = {c.quantifier for c in checks if c.kind == "condition"}
        assert quantifiers in (set(), {"exists", "not exists", "forall"}), folder
        for one, other in opposites.items():
            assert (one in kinds) == (other in kinds), (folder, one, other)


def test_the_documents_own_code_is_unchanged() -> None:
    """Only `//@` lines are added (and Device.4's typo is mended)."""
    for path in DOCUMENT:
        lines = (SPECS / path).read_text().splitlines()
        assert lines[0].startswith("// Example: Execution.Model.")
        end = next(i for i, line in enumerate(lines) if line.startswith("//@"))
        assert all(line.startswith("//@") for line in lines[end:])
        assert "#include" not in "\n".join(lines)


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")
@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.suffix == ".cu" and name(p) not in DOCUMENT], ids=name)
def test_nvcc_accepts_what_scopec_accepts(path: Path, tmp_path: Path) -> None:
    import subprocess

    newer = ["-std=c++20"] if "<stop_token>" in path.read_text(encoding="utf-8") else []
    done = subprocess.run(
        ["nvcc", "-arch=sm_90", *newer, "-c", str(path), "-o", str(tmp_path / "out.o")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
