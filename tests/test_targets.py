"""Targets of `race on …`: shared and local variables, elements, members, one block's instance, one launch's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.memory.execution import Execution
from scopec.program.observe import Location, Target
from scopec.session.check import Settings, check
from tests.conftest import plan_of

pytestmark = pytest.mark.usefixtures("kept_machines")

#: In the first launch of k only block 0 races on `s`, on q.y[1] and on pool[1].y[0]; in the second on the same `s`, not `w`.
TEXT = """\
struct P { int x; int y[2]; };
__device__ P pool[3], one;
__device__ int m[2][3];
__shared__ int everywhere;
__global__ void k(int first) {
    __shared__ int s, w, t[4], grid[2][2];
    __shared__ P q;
    if (blockIdx.x == 0) { s = threadIdx.x; everywhere = 1; }
    if (first && blockIdx.x == 0) { w = 1; t[2] = 1; grid[1][1] = 1; q.y[1] = 1; pool[1].y[0] = 1; m[1][2] = 1; }
    t[threadIdx.x] = 1;
}
__global__ void l() { __shared__ int w; w = 1; }
int main() {
    k<<<2, 2>>>(1); cudaDeviceSynchronize();
    k<<<1, 2>>>(0); cudaDeviceSynchronize();
    l<<<1, 1>>>(); cudaDeviceSynchronize();
}
"""


def verdicts_on(write: Callable[..., Path], *targets: str, engine: str = "embedded") -> dict[str, bool]:
    text = TEXT + "".join(f"//@ expect race on {target};\n" for target in targets)
    (outcome,) = check([write(text)], Settings(engine=engine))  # type: ignore[arg-type]
    assert outcome.failure is None
    assert outcome.diagnostics == ()
    found = {}
    for check_ in outcome.reports[0].checks:
        if check_.expectation.kind == "race":
            found[check_.expectation.text] = check_.verdict == "holds"
            assert check_.verdict == "violated" or isinstance(check_.trace, Execution)
    return found


RACES = {
    "s": True,
    "k.s": True,
    "k[0][0].s": True,
    "k[0][1].s": True,
    "k[1][0].s": False,
    "k#2[0][0].s": True,
    "k.w": True,
    "k#2[0][0].w": False,
    "l[0][0].w": False,
    "everywhere": True,
    "k[0][0].everywhere": True,
    "k[1][0].everywhere": False,
    "l[0][0].everywhere": False,
    "t": True,
    "t[2]": True,
    "t[0]": False,
    "k[0][0].t[2]": True,
    "k[1][0].t[2]": False,
    "q": True,
    "q.x": False,
    "q.y": True,
    "q.y[1]": True,
    "q.y[0]": False,
    "pool": True,
    "pool[1]": True,
    "pool[0]": False,
    "pool[1].y": True,
    "pool[1].y[0]": True,
    "pool[1].y[1]": False,
    "pool[1].x": False,
    "m": True,
    "m[1]": True,
    "m[1][2]": True,
    "m[1][1]": False,
    "m[0]": False,
    "*m": False,
    "grid": True,
    "grid[1][1]": True,
    "grid[1][0]": False,
    "one": False,
}


def test_a_race_is_looked_for_on_what_is_named(write: Callable[..., Path]) -> None:
    assert verdicts_on(write, *RACES) == {f"race on {target}": races for target, races in RACES.items()}


@pytest.mark.jvm
def test_both_engines_look_there(write: Callable[..., Path]) -> None:
    some = ["s", "k[1][0].s", "k#2[0][0].w", "t[2]", "t[0]", "pool[1]", "m[1][1]", "q.y"]
    assert verdicts_on(write, *some, engine="both") == {f"race on {target}": RACES[target] for target in some}


def test_the_race_that_is_shown_is_on_what_is_named(write: Callable[..., Path]) -> None:
    text = f"{TEXT}//@ expect race on t[2];\n//@ expect race on pool[1];\n//@ expect race on k#2[0][0].s;\n"
    (outcome,) = check([write(text)], Settings(engine="embedded"))
    shown = []
    for check_ in outcome.reports[0].checks:
        if check_.expectation.kind == "race":
            assert isinstance(check_.trace, Execution)
            pair = check_.trace.racing_pair(check_.expectation.target)
            assert pair is not None
            shown.append(pair[0].location)
    assert shown == [
        Location("k.t", 2, "k[0]"), Location("pool[].y", 2), Location("k#2.s", 0, "k#2[0]")
    ]  # fmt: skip


def test_names_that_differ_only_in_signs_are_different_questions(write: Callable[..., Path]) -> None:
    (run,) = plan_of(write(f"{TEXT}//@ expect race on t[2];\n//@ expect race on t[0x2];\n//@ expect race on t;\n")).runs
    names = [q.name for q in run.problem.questions if q.target is not None]
    assert names == ["race_on_t", "race_on_t_0x2", "race_on_t_2"]


@pytest.mark.parametrize(
    ("target", "message", "way_out"),
    [
        ("w", "`w` is a variable of k and of l", "k.w"),
        ("t[4]", "`t[4]` has elements 0 to 3", None),
        ("m[0][3]", "`m[0][3]` has elements 0 to 2", None),
        ("s[0][0]", "`s[0][0]` has no such element", None),
        ("k[0][0]", "`k[0][0]` is a thread: name one of its variables", "k[0][0].name"),
        ("k[2][0].s", "`k` has blocks 0 to 1", None),
        ("k[0][0].first", "k[0][0] has no variable `first` in memory that another thread could access", None),
        ("k[0][0].m", "k[0][0] has no variable `m` in memory that another thread could access", None),
        ("pol", "there is no global `pol`", "did you mean `pool"),
        ("k.p", "there is no global `k.p`", None),
        ("-s", "this cannot be observed at the end of the program", None),
    ],
)
def test_what_cannot_be_meant_is_an_error(
    target: str, message: str, way_out: str | None, write: Callable[..., Path]
) -> None:
    with pytest.raises(InputError) as raised:
        plan_of(write(f"{TEXT}//@ expect race on {target};\n"))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == message
    assert diagnostic.span.line == 18
    assert way_out is None or diagnostic.way_out.startswith(way_out)


def test_two_variables_of_one_name_in_a_kernel(write: Callable[..., Path]) -> None:
    text = "__global__ void k() { __shared__ int s; s = 1; { __shared__ int s; s = 2; } }\n//@ launch k<<<1, 2>>>();\n"
    with pytest.raises(InputError, match="`s` is declared more than once in k"):
        plan_of(write(f"{text}//@ expect race on s;\n"))


def test_the_value_of_a_shared_variable_of_file_scope(write: Callable[..., Path]) -> None:
    text = """\
__shared__ int g;
__global__ void k() { g = blockIdx.x + 1; }
//@ launch k<<<2, 1>>>();
//@ expect required k[0][0].g == 1 && k[1][0].g == 2;
"""
    (outcome,) = check([write(text)], Settings(engine="embedded"))
    assert [c.verdict for c in outcome.reports[0].checks] == ["holds"]


def test_a_target_is_told_by_its_location() -> None:
    target = Target("a[1]", (("a", frozenset({1})),), "k[0]")
    assert [target.holds(at) for at in (None, Location("a", 1), Location("a", 1, "k[0]"), Location("a", 0, "k[0]"))] == [
        False, False, True, False,
    ]  # fmt: skip
