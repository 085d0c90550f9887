"""mbarriers at which agents arrive, behind copies or products: which phases the program settles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_settled_phases import PAIR, checked, verdict


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("arrive(&b); wait(&c, 0); arrive(&b);", "wait(&b, 0); copied(&c);", "holds"),
        ("arrive(&d); wait(&c, 0); ptx::mbarrier_inval(&b);", "wait(&d, 0); arrive(&b); copied(&c);", "violated"),
        ("arrive(&d); wait(&c, 0); ptx::mbarrier_inval(&b);", "arrive(&b); wait(&d, 0); copied(&c);", "violated"),
    ],
)
def test_an_arrival_of_copies_is_behind_the_waits_before_it(
    first: str, second: str, found: str, tmp_path: Path, resolved: list[bool]
) -> None:
    """Not behind what its thread has done before or since to other mbarriers."""
    copied = (
        'asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"'
        ' :: "r"((unsigned)__cvta_generic_to_shared(b)) : "memory");'
    )
    text = PAIR.format(count=1, first=first, second=second)
    text = text.replace("__global__", f"__device__ void copied(std::uint64_t* b) {{ {copied} }}\n__global__")
    text = text.replace("b, c;", "b, c, d;").replace(
        "ptx::mbarrier_init(&c", "ptx::mbarrier_init(&d, 1); ptx::mbarrier_init(&c"
    )
    assert verdict(checked(tmp_path / "pair.cu", text)) == found
    assert resolved == [found == "holds"]


@pytest.mark.parametrize(("form", "found"), [("", "violated"), (".noinc", "holds")])
def test_an_arrival_behind_copies_that_its_phase_does_not_wait_for(
    form: str, found: str, tmp_path: Path, resolved: list[bool]
) -> None:
    """Without `.noinc` the phase waits for one arrival more from then on: the other thread's may end it before."""
    copy = (
        'asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at(s)), "l"(input) : "memory");'
        f'asm volatile("cp.async.mbarrier.arrive{form}.shared.b64 [%0];" :: "r"(at(&b)) : "memory");'
    )
    second = f"if (threadIdx.x == 1) {{ {'' if form else 'arrive(&b);'} }} else {{ wait(&b, 0); x[0] = s[0]; }}"
    text = PAIR.format(count=1, first=copy, second=second).replace("pair<<<1, 2>>>", "pair<<<1, 3>>>")
    head = """__device__ alignas(16) int input[4];
    __device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
    __global__"""
    assert verdict(checked(tmp_path / "three.cu", text.replace("__global__", head))) == found
    assert resolved == [bool(form)]
