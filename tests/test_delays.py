"""Loops that do nothing until a clock says so: they end, unless something else is waited for or seen."""

from pathlib import Path

import pytest

from scopec.base.source import Span
from scopec.program import ir, types, values
from scopec.program.loops.delays import passed
from scopec.program.values import Reg
from tests.conftest import check_text, verdicts

AT = Span("k.cu", 1, 1, 1, 1)
PROGRAM = """#include <cuda/atomic>
#include <chrono>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int out;
__device__ float real;
__global__ void k(float x) {{ long long start = clock64(); {body} }}
int main() {{ {main} k<<<1, 1>>>(1.0f); cudaDeviceSynchronize(); }}
//@ expect terminates;
"""


def terminates(folder: Path, body: str, main: str = "", expect: str = "") -> str:
    text = PROGRAM.format(body=body, main=main) + expect
    (verdict,) = verdicts([check_text(folder, text, engine="embedded")])["terminates"]
    return verdict


@pytest.mark.parametrize(
    "body",
    [
        "while (clock64() - start < 1000) ;",
        "do __nanosleep(20); while (clock64() - start < 1000);",
        "for (;;) { if (clock() > 1000) break; __nanosleep(20); }",
        "for (int i = 0; i < 3; ++i) { while (clock64() - start < 1000 * i) ; out = i; }",
        "int turns = 0; while (clock64() - start < 1000) ++turns;",  # nobody asks how many
    ],
)
@pytest.mark.sampled(4)
def test_a_delay_ends(body: str, tmp_path: Path) -> None:
    assert terminates(tmp_path, body) == "holds"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("while (x > 1e-6f) x = __fdividef(x, 2.0f);", "unknown"),
        ("while (!(x >= 1.0f)) ;", "unknown"),
        ("while ((float)(clock64() - start) * 1e-9f < 0.1f) ;", "holds"),
        ("while ((float)(clock64() - start) < x) ;", "holds"),  # what is passed here is a constant
        ("float y = real; while ((float)(clock64() - start) < y) ;", "unknown"),
        (
            "while (x > 1e-6f) x *= 0.5f; while (flag.load() == 0) ;",
            "violated",
        ),  # it hangs whether the loop ends or not
    ],
)
def test_what_no_clock_ends_is_not_known_to_end(body: str, verdict: str, tmp_path: Path) -> None:
    assert terminates(tmp_path, body, expect="//@ expect allowed out == 0;\n") == verdict


def test_the_host_delays(tmp_path: Path) -> None:
    main = "auto until = std::chrono::steady_clock::now(); while (std::chrono::steady_clock::now() < until) ;"
    assert terminates(tmp_path, "out = 1;", main) == "holds"


@pytest.mark.parametrize(
    "body",
    [
        "while (true) ;",
        "while (flag.load() == 0) ;",
        "int on = out; while (true) { if (on && clock64() - start > 1000) break; }",  # not every turn looks at the clock
        "while (flag.load() == 0 && clock64() - start < 1000) ;",  # a wait that gives up, taken not to (timeouts = never)
    ],
)
def test_what_is_no_delay_may_go_on(body: str, tmp_path: Path) -> None:
    assert terminates(tmp_path, body) == "violated"


STOP = Reg("stop", types.BOOL)


@pytest.mark.parametrize(
    ("inside", "shown", "ends"),
    [
        (ir.Decide("stop", "unknown"), "", True),
        (ir.Set("turns", values.binary("+", Reg("turns", types.INT), values.Const(1, types.INT))), "", True),
        (ir.Set("turns", values.binary("+", Reg("turns", types.INT), values.Const(1, types.INT))), "turns", False),
        (ir.Set("stop", values.TRUE), "", False),
        (None, "", False),
    ],
    ids=["a clock alone", "a count that nobody sees", "a count", "set on one path", "two ways out"],
)
def test_what_a_delay_does_is_not_seen(inside: ir.Operation | None, shown: str, ends: bool) -> None:
    nodes: dict[int, ir.Node] = {
        0: ir.Branch(Reg("p", types.BOOL), AT, 1, 2),
        1: ir.Do(ir.Decide("stop", "unknown"), AT, 3),
        2: ir.Do(ir.Decide("stop", "unknown"), AT, 4),
        4: ir.Branch(STOP, AT, 3, 6) if inside is None else ir.Do(inside, AT, 3),
        3: ir.Branch(STOP, AT, 5, 0),
        5: ir.Do(ir.Assert(Reg(shown, types.INT), ""), AT, 6),
        6: ir.Exit(AT),
    }
    body = ir.Body(0, nodes, {})
    assert (passed(body)[0] != body) is ends
