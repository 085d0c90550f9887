"""`scopec outcomes`: every final state with the number of its executions, against a brute-force enumeration.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scopec.base.diagnostics import UsageError
from scopec.base.options import OPTIONS
from scopec.session.check import Settings
from scopec.session.final_states import Listing, listings
from scopec.session.plan import Overrides
from tests.command import scopec
from tests.conftest import REPOSITORY
from tests.oracles import brute_memory, brute_programs
from tests.random_programs import memory_places, memory_program, memory_text
from tests.samples import programs
from tests.test_cli import no_traceback

pytestmark = pytest.mark.usefixtures("kept_machines")

FULL = "SCOPEC_RANDOM_PROGRAMS" in os.environ
COUNT = programs(8, 25)
State = tuple[tuple[str, int], ...]


def listed(path: Path, engine: str = "embedded", limit: int = 10_000, **overrides: Any) -> Listing:
    """The final states of a file without variants."""
    ((listing,), _) = listings(path, Settings(Overrides(**overrides), engine=engine), limit)
    return listing


def states(listing: Listing) -> list[dict[str, int]]:
    return [dict(s.values) for s in listing.states]


# ---------------------------------------------------------------- against brute force


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(5 * COUNT if FULL else COUNT))
def test_embedded_against_brute_force(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, "embedded")


@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(COUNT if FULL else COUNT // 4))
def test_both_engines_against_brute_force(seed: int, tmp_path: Path) -> None:
    """``both`` fails where the engines' numbers, states or races differ."""
    compare(seed, tmp_path, "both")


def compare(seed: int, folder: Path, engine: str) -> None:
    """The number of executions, and of each final state whether it occurs, how often, and whether it races."""
    chance = random.Random(f"outcomes {seed}")
    program = memory_program(chance, events=8)
    options = {"thin_air": brute_programs.OPTIONS["thin_air"][0]}
    if seed % 2:  # half of the programs under the enumeration's defaults, half under one other reading
        name = chance.choice([n for n in OPTIONS if n in brute_programs.OPTIONS])
        options[name] = brute_programs.OPTIONS[name][1]
    version = chance.choice([2, 3, 3])  # on one device the first is the second, but for what "GPU peer memory" means
    directives = "".join(f"//@ options {n} = {v};\n" for n, v in options.items())
    path = folder / "program.cu"
    path.write_text(memory_text(program, directives))

    number, wanted = expected(program, options, version)
    listing = listed(path, engine, 100_000, model=f"cuda-v{version}")
    assert listing.unfinished == ()
    assert {tuple(sorted(s.values.items())): (s.executions, s.racy) for s in listing.states} == wanted
    assert listing.executions == number


def expected(
    program: brute_programs.Program, options: Mapping[str, str], version: int
) -> tuple[int, dict[State, tuple[int, bool]]]:
    """The number of executions, and for each final state how many end there and whether one of them races."""
    accessed = {op.loc for t in program.threads for op in t.ops if not isinstance(op, brute_programs.Fence)}
    places = memory_places(program)
    different: dict[State, set[object]] = {}
    races: dict[State, bool] = {}
    for execution in brute_memory.enumerate_executions(program, options, version, {}):
        values = {name: value for name, value in execution.memory.items() if name in accessed}
        for number, (thread, (block, lane)) in enumerate(zip(program.threads, places, strict=True)):
            for op in thread.ops:
                register = getattr(op, "reg", getattr(op, "reg_old", None))
                if register is not None:  # one that no executed operation has assigned keeps its initial value
                    values[f"k[{block}][{lane}].t{number}_{register}"] = execution.registers[number].get(register, -1)
        state = tuple(sorted(values.items()))
        different.setdefault(state, set()).add((execution.rf, execution.co))
        races[state] = races.get(state, False) or bool(execution.races)
    found = {state: (len(distinct), races[state]) for state, distinct in different.items()}
    return sum(count for count, _ in found.values()), found


# ---------------------------------------------------------------- what counts as an execution, and as all of them


def test_choices_on_paths_not_taken_are_not_counted(write: Callable[..., Path]) -> None:
    """A weak compare-exchange that is not executed, or that fails anyway, has one execution and not two."""
    listing = listed(
        write(
            """
            __device__ int x = 0, y = 0;
            __global__ void k() {
                cuda::atomic_ref<int, cuda::thread_scope_device> a(x), b(y);
                int old = 7, seen = 0;
                if (threadIdx.x == 0) {
                    b.store(1, cuda::memory_order_relaxed);
                } else {
                    seen = b.load(cuda::memory_order_relaxed);
                    if (seen == 1) a.compare_exchange_weak(old, 1, cuda::memory_order_relaxed);
                }
            }
            //@ launch k<<<1, 2>>>();
            """
        )
    )
    found = sorted((s.values["k[0][1].seen"], s.values["k[0][1].old"], s.executions) for s in listing.states)
    assert found == [(0, 7, 1), (1, 0, 1)]


def test_an_implementation_s_choice_is_a_path_of_its_own(write: Callable[..., Path]) -> None:
    """A weak compare-exchange may fail although the values are equal; then it does not write."""
    listing = listed(
        write(
            """
            __device__ int x = 0;
            __global__ void k() {
                cuda::atomic_ref<int, cuda::thread_scope_device> a(x);
                int old = 0;
                bool done = a.compare_exchange_weak(old, 1, cuda::memory_order_relaxed);
            }
            //@ launch k<<<1, 1>>>();
            """
        )
    )
    assert sorted((s.values["x"], s.values["k[0][0].done"]) for s in listing.states) == [(0, 0), (1, 1)]
    assert listing.executions == 2


def test_an_order_of_fences_is_no_execution_of_its_own(write: Callable[..., Path]) -> None:
    """PTX orders two seq_cst fences one way or the other; executions are told apart by rf, co and path."""
    listing = listed(
        write(
            """PTX two-fences
            { x = 0; }
             P0@cta 0,gpu 0     | P1@cta 1,gpu 0     ;
             fence.sc.gpu       | fence.sc.gpu       ;
             st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 ;
            exists (x = 1)
            """,
            "two.litmus",
        ),
        model="ptx",
    )
    assert [(s.values, s.executions) for s in listing.states] == [({"x": 1}, 1), ({"x": 2}, 1)]


_PARTIAL = """PTX unordered
{ x = 0; }
 P0@cta 0,gpu 0   | P1@cta 1,gpu 0   ;
 st.weak x, 1     | st.weak x, 2     ;
exists (x = 1)
"""


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_unordered_last_writes_leave_one_value_or_the_other(engine: str, write: Callable[..., Path]) -> None:
    """With a partial co an execution in which nothing orders two writes ends in either of two states."""
    listing = listed(write(_PARTIAL, "unordered.litmus"), engine, model="ptx")
    assert [(s.values, s.executions) for s in listing.states] == [({"x": 1}, 2), ({"x": 2}, 2)]
    assert listing.executions == 3
    assert listing.witnesses == (2, 2)


_COUNTER = """
__device__ int x = 0;
__global__ void k() {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(x);
    if (threadIdx.x == 0) { a.store(1); a.store(2); a.store(3); }
    else { int turns = 0; while (a.load() < 3) turns = turns + 1; }
}
//@ launch k<<<1, 2>>>();
"""


def test_executions_beyond_the_bound_are_told(write: Callable[..., Path]) -> None:
    listing = listed(write(_COUNTER), unroll=4, reader="scoped")
    (reason,) = listing.unfinished
    assert reason.startswith("the loop at line 6 can go round more than 4 times, and such executions are not listed")
    assert listing.executions > 0


def test_a_wait_loop_is_within_every_bound(write: Callable[..., Path]) -> None:
    listing = listed(
        write(
            """
            __device__ int x = 0;
            __global__ void k() {
                cuda::atomic_ref<int, cuda::thread_scope_device> a(x);
                if (threadIdx.x == 0) a.store(1);
                else while (a.load() == 0);
            }
            //@ launch k<<<1, 2>>>();
            """
        )
    )
    assert (listing.executions, listing.unfinished) == (2, ())
    assert listing.remarks == ("the wait at line 6 is counted with at most one turn in vain",)


def test_an_index_outside_is_left_out(write: Callable[..., Path]) -> None:
    text = """
        __device__ int a[2] = {0, 0}, i = 0;
        __global__ void k() {
            cuda::atomic_ref<int, cuda::thread_scope_device> at(i);
            if (threadIdx.x == 0) at.store(2); else a[at.load()] = 1;
        }
        //@ launch k<<<1, 2>>>();
    """
    listing = listed(write(text))
    assert listing.executions == 1
    assert listing.remarks[0].startswith(
        "line 5: `a[at.load()] = 1` accesses no element of `a`, which has elements 0 to 1"
    )


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_a_limit(engine: str, write: Callable[..., Path]) -> None:
    listing = listed(write(_PARTIAL, "unordered.litmus"), engine, 2, model="ptx")
    (reason,) = listing.unfinished
    assert reason.startswith("there are more than 2 ")
    assert reason.endswith("and the rest is not listed: raise the number with --limit")


def test_a_time_limit(write: Callable[..., Path]) -> None:
    adds = "a.fetch_add(1); " * 4
    text = f"""
        __device__ int x = 0;
        __global__ void k() {{ cuda::atomic_ref<int, cuda::thread_scope_device> a(x); {adds} }}
        //@ launch k<<<1, 4>>>();
    """
    settings = Settings(Overrides(reader="scoped"), engine="embedded", timeout=2.0)
    ((listing,), _) = listings(write(text), settings, 10**9)
    assert listing.unfinished == ("no end within the time limit of 2 s: raise it with --timeout",)


def test_a_race_without_an_end(write: Callable[..., Path]) -> None:
    """No execution ends, and one that does not has a race: there is no state to say so of."""
    listing = listed(
        write(
            """
            __device__ int x = 0, y = 0;
            __global__ void k() {
                cuda::atomic_ref<int, cuda::thread_scope_device> a(x);
                y = threadIdx.x;
                while (a.load() == 0);
            }
            //@ launch k<<<1, 2>>>();
            """
        )
    )
    assert listing.executions == 0
    assert listing.remarks[1:] == (
        "no execution ends",
        "an execution that does not end has a race: the program is undefined",
    )


def test_expectations_change_nothing(write: Callable[..., Path]) -> None:
    """Each variant is listed once, under the model that is asked for and not those that expectations name."""
    text = (REPOSITORY / "specs" / "litmus" / "mp.cu").read_text()
    found, _ = listings(write(text), Settings(engine="embedded"), 100)
    assert [(x.run.program.variant["S"], x.run.model.name, x.executions) for x in found] == [
        ("device", "cuda-v3", 2),
        ("block", "cuda-v3", 3),
        ("system", "cuda-v3", 2),
    ]


# ---------------------------------------------------------------- the command


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    done = scopec("outcomes", *arguments)
    no_traceback(done)
    return done.returncode, done.stdout, done.stderr


def test_text(golden: Callable[[str, str], None], write: Callable[..., Path]) -> None:
    specs = REPOSITORY / "specs"
    shown = [
        run(specs / "litmus-files" / "c-message-passing-relaxed.litmus")[1],
        run(specs / "litmus" / "mp.cu")[1],
    ]
    golden("outcomes.txt", "\n".join(shown))


def test_json() -> None:
    path = REPOSITORY / "specs" / "litmus" / "mp.cu"
    _, text, _ = run(path, "--format", "json")
    document = json.loads(text)
    jsonschema.validate(document, json.loads((REPOSITORY / "docs" / "results.schema.json").read_text()))
    first, second, _ = document["programs"]
    assert (first["executions"], [o["racy"] for o in first["outcomes"]]) == (2, [False, False])
    assert (second["executions"], [o["racy"] for o in second["outcomes"]]) == (3, [True, True, True])
    assert {"mp[1][0].seen": 1, "mp[1][0].r": 0, "x": 1, "f": 1} in [o["state"] for o in second["outcomes"]]
    assert all(o["execution"]["race"] for o in second["outcomes"])


def test_page(tmp_path: Path) -> None:
    """A picture of each state of each variant, by --format or by the suffix of what is written."""
    path = REPOSITORY / "specs" / "litmus" / "mp.cu"
    _, text, _ = run(path, "--format", "html")
    assert text.count("<figure") == sum(len(found.states) for found in listings(path, Settings(), 100)[0])
    assert run(path, "-o", str(tmp_path / "mp.html"))[1:] == ("", "")
    assert (tmp_path / "mp.html").read_text() == text


def test_quiet_lists_states_alone(write: Callable[..., Path]) -> None:
    _, text, _ = run(write(_PARTIAL, "unordered.litmus"), "--model", "ptx", "-q")
    assert text.splitlines()[:4] == ["Test unordered [ptx] Allowed", "States 2", "[x]=1;", "[x]=2;"]


def test_what_a_filter_excludes_is_no_witness(write: Callable[..., Path]) -> None:
    text = (REPOSITORY / "specs" / "litmus-files" / "c-array.litmus").read_text()
    _, shown, _ = run(write(text, "array.litmus"), "-q")
    assert "Positive: 1 Negative: 0" in shown


def test_bad_usage(write: Callable[..., Path], tmp_path: Path) -> None:
    """A folder, a file that is not there, a program that is not in the language."""
    with pytest.raises(UsageError, match="is a folder: name one file"):
        listed(tmp_path)
    assert run(tmp_path)[0] == 2
    assert run(tmp_path / "missing.cu")[0] == 2
    status, _, said = run(write("__global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();"))
    assert (status, "`x` is not declared" in said) == (2, True)


def test_an_unfinished_list_is_undecided(write: Callable[..., Path]) -> None:
    status, text, _ = run(write(_COUNTER), "-q", "--reader", "scoped")
    assert (status, "not all: the loop at line 6" in text) == (4, True)
