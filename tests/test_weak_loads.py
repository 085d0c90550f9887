"""The additions of `weak_loads = compiled` to the text of the PTX ISA: early weak loads, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.weak_loads import compared, early

HEAD = "PTX reads\n{ x = 0; y = 0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"


def text(*reader: str) -> str:
    rows = ["st.relaxed.gpu x, 1", "st.release.gpu x, 2"]
    rows += [""] * (len(reader) - len(rows))
    return (
        HEAD + "".join(f"{row} | {read} ;\n" for row, read in zip(rows, (*reader, ""), strict=False)) + "exists true\n"
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("reader", "more"),
    [
        (("ld.relaxed.gpu r0, x", "ld.weak r1, x"), 3),
        (("ld.volatile r0, x", "ld.weak r1, x"), 3),
        (("ld.relaxed.gpu r0, x", "ld.relaxed.gpu r2, y", "ld.weak r1, x"), 3),
        (("ld.relaxed.gpu r0, x", "st.weak y, 1", "ld.weak r1, x"), 3),
        (("ld.relaxed.gpu r0, x", "fence.acq_rel.cta", "ld.weak r1, x"), 0),
        (("ld.relaxed.gpu r0, x", "st.release.gpu y, 1", "ld.weak r1, x"), 0),
        (("ld.acquire.gpu r0, x", "ld.weak r1, x"), 0),
        (("atom.relaxed.gpu.add r0, x, 0", "ld.weak r1, x"), 0),
        (("ld.relaxed.gpu r0, x", "ld.relaxed.gpu r1, x"), 0),
        (("ld.weak r0, x", "ld.relaxed.gpu r1, x"), 0),
    ],
)
def test_reads_of_one_location(reader: tuple[str, ...], more: int, tmp_path: Path) -> None:
    found = compared(text(*reader), tmp_path)
    assert found.agree
    assert len(found.compiled - found.text) == more


def test_what_is_early() -> None:
    reader = ("ld.relaxed.gpu r0, x", "st.weak y, 1", "ld.weak r1, x", "fence.sc.gpu", "ld.weak r2, x")
    rows = [row.split("|")[1].strip(" ;") for row in early(text(*reader)).splitlines()[3:8]]
    assert rows == ["ld.weak r1, x", "ld.relaxed.gpu r0, x", "st.weak y, 1", "fence.sc.gpu", "ld.weak r2, x"]
