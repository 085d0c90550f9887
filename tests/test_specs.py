"""The library in specs/: its generated files are what is generated today, and the engines confirm them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scopec.engines.alloy import run as alloy_run
from scopec.engines.alloy.engine import MEMORY as ALLOY
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.protocol import Call
from scopec.engines.tla import run as tla_run
from scopec.program.names import identifier
from scopec.progress.models import Property
from scopec.session.compile import compile_programs, differences
from scopec.session.inquiry.hangs import STUCK, search
from scopec.session.inquiry.run import Run
from scopec.session.inquiry.variant import HARDWARE
from scopec.session.plan import plan
from tests.specifications import EVERY, GENERATED, KEPT, LAWS, LISTED, PROGRAMS, SPECS, WHOLE, of, places, put, some

#: The source documents' own code: looser than CUDA C++ (host globals used in kernels, cudaHostRegister with two arguments).
DOCUMENT = {
    f"cuda-execution-model/{n}.cu"
    for n in ("stream-0", "stream-1", *(f"device-{i}" for i in range(5)), *(f"api-{i}" for i in range(1, 5)))
}
#: In the names of modules of the example hardware: tests/test_hardware.py.
ON_HARDWARE = f"__{identifier(HARDWARE)}__"
#: A third of that work: for the device alone, ptxas included, without types of 16 bits, which no specification has.
DEVICE = ["-cubin", "-DCCCL_DISABLE_FP16_SUPPORT", "-DCCCL_DISABLE_BF16_SUPPORT"]


def name(path: Path) -> str:
    return path.relative_to(SPECS).as_posix()


def test_generated_files_are_up_to_date() -> None:
    """`scopec compile specs -o specs/generated` writes them anew; CONTRIBUTING.md: read what changed before that.

    Of every fortieth program; that command with ``--check``, which CI runs, is about all, and finds what is too much.
    """
    for program in some(PROGRAMS, 40):
        for file, made in compile_programs([program], KEPT, "all").items():
            if file.name != LAWS:
                assert f"{made.digest}  {(program.parent.relative_to(SPECS) / file).as_posix()}" in LISTED
    assert not EVERY or differences(compile_programs([SPECS], KEPT, "all"), GENERATED) == []


def test_few_are_there_as_text() -> None:
    there = [p for p in GENERATED.rglob("*") if p.suffix in (".als", ".tla") and p.name != LAWS]
    assert len(there) < 60
    assert {p.parent.name for p in there} == {p.parent.name for p in places(".als")}
    assert all(p.with_suffix(".cfg").is_file() for p in there if p.suffix == ".tla")


@pytest.mark.sampled(2)
@pytest.mark.jvm
@pytest.mark.parametrize("place", some(places(".als"), 110), ids=lambda p: p.stem)
def test_alloy_confirms_the_expectations_in_each_specification(
    place: Path, jars: Jars, workers: Workers, tmp_path: Path
) -> None:
    """Each command says with `expect` whether an execution should be found; Alloy's exit status is 0 if all are met."""
    specification = put(place, tmp_path)
    finished = workers.run(alloy_run.question(jars["alloy"], specification, tmp_path / "out"), tmp_path, 300)
    assert (tmp_path / "out" / "receipt.json").is_file(), finished.stderr
    assert finished.status == 0, finished.stderr


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize(
    "module", some([p for p in places(".tla") if ON_HARDWARE not in p.stem], 47), ids=lambda p: p.stem
)
def test_tlc_confirms_each_module(module: Path, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """Exit status 0: the property holds; 11, 12, 13: deadlock, a state nobody is owed a way out of, a fair cycle.

    Where schedules do not have the hang that is expected, Alloy finds an execution that gets stuck.
    """
    for file in (module, module.with_suffix(".cfg")):
        put(file, tmp_path)
    (tmp_path / "tlc-out").mkdir()
    finished = workers.run(tla_run.question(jars["tlc"], module.stem, tmp_path), tmp_path, 300)
    run, property_ = asked(module)
    holds = {"Termination": "terminates", "Progress": "progresses"}[property_] in {c.kind for c in run.progress_checks}
    if finished.status == 0 and not holds:
        problem = search(run, property_).problem
        call = Call(lambda: tmp_path, 300, jars, workers, [], set())
        answer = ALLOY.solve(problem, call)
        assert answer.choices is not None
        assert answer.choices[STUCK] is not None
        return
    assert finished.status in ((0,) if holds else (11, 12, 13)), finished.stdout


def asked(module: Path) -> tuple[Run, Property]:
    """The run that a generated module is about, and the property."""
    name = module.stem.removesuffix("__progress")
    for program in of(module):
        for run in plan(program, str(program), KEPT).runs:
            if run.name == name:
                return run, "Termination" if name == module.stem else "Progress"
    raise AssertionError(f"nothing generates {module}")


def test_every_verdict_has_its_opposite() -> None:
    """No kind of verdict is right by accident: in each folder each kind and its opposite are expected."""
    opposites = {"race_free": "race", "forbidden": "allowed", "terminates": "may_hang", "progresses": "may_stall"}
    for folder in {p.parent for p in PROGRAMS}:
        files = [p for p in PROGRAMS if p.parent == folder]
        kinds = {kind for p in files for kind in re.findall(r"^//@ expect (\w+)", p.read_text(), re.MULTILINE)}
        litmus = [c for p in files if p.suffix == ".litmus" for r in plan(p, str(p), KEPT).runs for c in r.checks]
        quantifiers = {c.quantifier for c in litmus if c.kind == "condition"}
        kinds |= {c.kind for c in litmus}
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


COMPILED = [p for p in PROGRAMS if p.suffix == ".cu" and name(p) not in DOCUMENT]


@pytest.mark.sampled(1)
@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")
@pytest.mark.parametrize("path", some(COMPILED, 24, every=WHOLE), ids=name)
def test_nvcc_accepts_what_scopec_accepts(path: Path, tmp_path: Path) -> None:
    """Host functions are read for the device too; what only the host's own compilation finds is for specs/host."""
    newer = ["-std=c++20"] if "<stop_token>" in path.read_text(encoding="utf-8") else []
    whole = WHOLE or path.parent.name == "host"
    done = subprocess.run(
        ["nvcc", "-arch=sm_90a", *newer, *(["-c"] if whole else DEVICE), str(path), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.sampled(1)
@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")
@pytest.mark.parametrize(
    "body", ["undefined();", "k<<<1, 1>>>(3.0);", "const char *s = 5;", "cudaMalloc();"], ids=lambda body: body
)
def test_nvcc_reads_host_functions_when_it_compiles_for_the_device(body: str, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(f"__global__ void k(int *p) {{ *p = 1; }}\nint main() {{ {body} }}\n", encoding="utf-8")
    done = subprocess.run(
        ["nvcc", "-arch=sm_90a", *DEVICE, str(path), "-o", str(tmp_path / "out")],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "program.cu(2): error" in done.stdout + done.stderr
