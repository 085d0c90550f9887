"""Folders that a call names for NVIDIA's headers: a toolkit, and what a build gives with ``-I``."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import EngineError
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.library_choice import library_of
from scopec.frontends.clang.real_headers import real
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides
from tests.real_headers import needs_headers, toolkit
from tests.test_real_headers import BARRIER


def test_a_folder_without_headers_is_no_toolkit(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="has no headers of CUDA"):
        library_of(Flags(headers="real", toolkit=tmp_path))


@needs_headers
def test_a_toolkit_of_another_version_is_refused(tmp_path: Path) -> None:
    include = tmp_path / "include"
    (include / "cuda" / "std" / "__cccl").mkdir(parents=True)
    (include / "cuda" / "std" / "__cccl" / "version.h").write_text("#define CCCL_VERSION 2008000\n")
    (include / "cuda_runtime.h").write_text("")
    (include / "cuda.h").write_text("#define CUDA_VERSION 12080\n")
    with pytest.raises(EngineError, match=r"is of CUDA 12\.8"):
        real(tmp_path)


def mixed(path: Path, text: str, headers: str, *folders: Path) -> Outcome:
    """What becomes of a text with folders of ``-I``."""
    path.write_text(text)
    (found,) = check([path], Settings(Overrides(flags=Flags(folders, headers=headers)), engine="embedded", timeout=60))
    return found


def test_a_folder_of_nvidias_headers_is_not_read_together_with_scopecs(tmp_path: Path) -> None:
    """As a build names the toolkit: what the folder has of a header of scopec's, or of none, is not taken."""
    include = tmp_path / "toolkit" / "include"
    for name, text in {"crt/host_defines.h": "", "cuda/extra": "__device__ int extra;\n"}.items():
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_text(text)
    program = "__global__ void k() {}\n//@ launch k<<<1, 1>>>(); expect race_free;\n"
    found = mixed(tmp_path / "p.cu", f"#include <cuda/extra>\n{program}", "shims", include)
    (error,) = [d for d in found.diagnostics if d.severity == "error"]
    assert f"scopec has no header `cuda/extra`, and does not read that in {include}" in error.message
    assert "--cuda-path" in (error.help or "")
    (read,) = mixed(tmp_path / "p.cu", f"#include <cuda/atomic>\n{program}", "auto", include).reports
    assert read.run.program.read_with == {}
    own = tmp_path / "own"
    (own / "cuda").mkdir(parents=True)
    (own / "cuda" / "extra").write_text("")
    assert mixed(tmp_path / "p.cu", f"#include <cuda/extra>\n{program}", "shims", include, own).reports


@needs_headers
@pytest.mark.sampled(0)
def test_a_folder_of_nvidias_headers_names_a_toolkit(tmp_path: Path) -> None:
    """Before the overlays, the folder would take scopec's meaning away."""
    text = BARRIER.format(2)
    (found,) = mixed(tmp_path / "p.cu", text, "real", toolkit().runtime).reports
    assert [c.verdict for c in found.checks] == ["holds", "holds"]
    assert dict(found.run.program.read_with)["headers"] == str(toolkit().runtime.parent)


@needs_headers
@pytest.mark.sampled(0)
def test_a_cccl_of_ones_own_is_read_with_the_toolkits_runtime(tmp_path: Path) -> None:
    """As a build names a clone of CCCL; scopec's meaning is laid over that one."""
    clone = tmp_path / "clone"
    clone.symlink_to(toolkit().cccl)
    for count, verdicts in ((2, ["holds", "holds"]), (1, ["violated", "holds"])):
        (found,) = mixed(tmp_path / "p.cu", BARRIER.format(count), "real", clone).reports
        assert [c.verdict for c in found.checks] == verdicts
        read = dict(found.run.program.read_with)
        assert read["headers"].endswith(f", CCCL of {clone}")
        assert "nvidia-cuda-cccl" not in read


@needs_headers
def test_a_cccl_of_ones_own_that_is_not_known_is_refused(tmp_path: Path) -> None:
    version = tmp_path / "cuda" / "std" / "__cccl" / "version.h"
    version.parent.mkdir(parents=True)
    version.write_text("#define CCCL_VERSION 2008000\n")
    found = mixed(
        tmp_path / "p.cu", "__global__ void k() {}\n//@ launch k<<<1, 1>>>(); expect race_free;\n", "real", tmp_path
    )
    assert "is not as scopec knows it" in str(found.failure or found.diagnostics)
