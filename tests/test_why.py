"""`scopec trace --why-not A B`: the way by which a model orders two events, or what is missing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path

import jsonschema
import pytest

from scopec.explain.named import pair
from scopec.explain.order import Edge, order_of, ordered
from scopec.explain.whynot import Answer, why_not
from scopec.memory.execution import Execution
from tests.command import scopec
from tests.random_programs import handover_program, memory_program, memory_text
from tests.samples import programs
from tests.test_outcomes import listed

SCHEMA = json.loads(Path("docs/why.schema.json").read_text(encoding="utf-8"))

HANDOVER = """\
#include <cuda/atomic>
__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_SCOPE> flag{0};
__global__ void mp() {
    int f = 0, r = 0;
    if (blockIdx.x == 0) {
        x = 1;
        RELEASE
        flag.store(1, cuda::memory_order_STORE);
    } else {
        f = flag.load(cuda::memory_order_LOAD);
        ACQUIRE
        r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
"""


def handover(**words: str) -> str:
    given = {"SCOPE": "device", "RELEASE": "", "STORE": "release", "LOAD": "acquire", "ACQUIRE": "", **words}
    text = HANDOVER
    for word, meaning in given.items():
        text = text.replace(word, meaning)
    return text


def executions(path: Path, **overrides: str) -> Iterator[Execution]:
    """One of each final state."""
    return (state.execution for state in listed(path, **overrides).states)


def handed_over(path: Path, **overrides: str) -> Execution:
    """An execution in which the flag is read as it was written."""
    return next(
        e
        for e in executions(path, **overrides)
        if any(w.span.line == 9 and r.span.line == 11 for w, r in e.relation("rf"))
    )


def asked(path: Path, first: str = "7", last: str = "13", **overrides: str) -> Answer:
    execution = handed_over(path, **overrides)
    return why_not(execution, *pair(execution, first, last))


# ---------------------------------------------------------------- the way is the model's


def is_way(execution: Execution, way: Sequence[Edge], first: object, last: object) -> bool:
    """Whether each edge begins where the one before it ends, and is a pair of its relation."""
    at = first
    for edge in way:
        pairs = execution.derived(edge.relation)
        pairs = execution.relation(edge.relation) if pairs is None else pairs
        if (
            edge.before is not at
            or ((edge.after, edge.before) if edge.backwards else (edge.before, edge.after)) not in pairs
        ):
            return False
        if edge.within and not is_way(execution, edge.within, edge.before, edge.after):
            return False
        at = edge.after
    return at is last


@pytest.mark.parametrize("model", ["cuda-v3", "ptx", "hrf0", "hrf-indirect", "sc-drf", "rc11"])
@pytest.mark.parametrize("seed", range(programs(2, 20)))
@pytest.mark.sampled(3)
def test_events_are_ordered_where_the_model_relates_them_and_by_a_way_of_its_relations(
    seed: int, model: str, tmp_path: Path
) -> None:
    chance = random.Random(f"why {seed}")
    program = handover_program(chance) if seed % 2 else memory_program(chance, events=8)
    path = tmp_path / "p.cu"
    path.write_text(memory_text(program), encoding="utf-8")
    for execution in list(executions(path, model=model))[:6]:
        order = set(execution.relation("po"))
        for one, other in permutations(execution.events, 2):
            definition = order_of(execution, one, other)
            assert definition is not None
            wanted = (one, other) in order or (one, other) in execution.relation(definition.name)
            found = ordered(execution, one, other)
            assert (found is not None) == wanted
            assert found is None or is_way(execution, found.way, one, other)


@pytest.mark.parametrize("seed", range(programs(3, 30)))
def test_what_is_missing_orders_the_two_and_nothing_of_it_can_be_left_out(seed: int, tmp_path: Path) -> None:
    from scopec.explain.changes import changed

    chance = random.Random(f"missing {seed}")
    path = tmp_path / "p.cu"
    path.write_text(memory_text(handover_program(chance)), encoding="utf-8")
    for execution in list(executions(path))[:3]:
        accesses = [e for e in execution.events if e.thread and e.is_access]
        pairs = [(a, b) for a, b in permutations(accesses, 2) if a.thread != b.thread]
        for one, other in chance.sample(pairs, min(4, len(pairs))):
            answer = why_not(execution, one, other)
            lacking = answer.lacking
            if lacking is None:
                continue
            if answer.turned:
                one, other = other, one

            def orders(changes: Sequence[object], one: object = one, other: object = other) -> bool:
                then = changed(execution, changes)  # type: ignore[arg-type]  # noqa: B023
                related = then.derived("hb") or []
                return (one.id, other.id) in {(a.id, b.id) for a, b in related}  # type: ignore[attr-defined]

            assert orders(lacking.changes)
            for n in range(len(lacking.changes)):
                assert not orders([*lacking.changes[:n], *lacking.changes[n + 1 :]])


# ---------------------------------------------------------------- what is missing, and the program with it

FENCE = "cuda::atomic_thread_fence(cuda::memory_order_{}, cuda::thread_scope_{});"
CASES: dict[str, tuple[dict[str, str], tuple[str, ...], dict[str, str]]] = {
    "scope": (
        {"SCOPE": "block"},
        (
            "the store at p.cu:9 is atomic at block scope, which does not include thread mp[1][0]: device scope would",
            "the load at p.cu:11 is atomic at block scope, which does not include thread mp[0][0]: device scope would",
        ),
        {"SCOPE": "device"},
    ),
    "acquire": ({"LOAD": "relaxed"}, ("the load at p.cu:11 is not an acquire",), {"LOAD": "acquire"}),
    "both": (
        {"LOAD": "relaxed", "STORE": "relaxed"},
        ("the store at p.cu:9 is not a release", "the load at p.cu:11 is not an acquire"),
        {},
    ),
    "narrow fence": (
        {"STORE": "relaxed", "RELEASE": FENCE.format("release", "block")},
        ("the fence at p.cu:8 is at block scope, which does not include thread mp[1][0]: device scope would",),
        {"STORE": "relaxed", "RELEASE": FENCE.format("release", "device")},
    ),
    "fence that releases": (
        {"STORE": "relaxed", "RELEASE": FENCE.format("acquire", "device")},
        ("the store at p.cu:9 is not a release",),
        {"RELEASE": FENCE.format("acquire", "device")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_program_with_what_is_missing_is_ordered(name: str, write: Callable[..., Path]) -> None:
    before, missing, after = CASES[name]
    answer = asked(write(handover(**before), "p.cu"))
    assert (answer.way, answer.back) == (None, None)
    assert answer.sentences == missing
    assert answer.lacking is not None
    seen = (answer.first, answer.last) in answer.execution.relation("rf")
    assert answer.lacking.forbidden == (() if seen else ("coherence",))
    then = asked(write(handover(**after), "p.cu"))
    assert then.way is not None
    assert [e.relation for e in then.way.way] == [e.relation for e in answer.lacking.way.way]


def test_a_read_that_takes_another_value_is_said(write: Callable[..., Path]) -> None:
    path = write(handover(), "p.cu")
    early = next(e for e in executions(path) if all(w.span.line != 9 for w, _ in e.relation("rf")))
    answer = why_not(early, *pair(early, "7", "13"))
    assert answer.sentences == (
        "the load at p.cu:11 does not take its value from the store at p.cu:9 in this execution",
    )
    assert asked(path).way is not None


def test_what_is_not_known_to_help_is_not_said(write: Callable[..., Path]) -> None:
    path = write(
        """
        __device__ int x = 0, y = 0;
        __global__ void k() { if (blockIdx.x == 0) x = 1; else y = 1; }
        //@ launch k<<<2, 1>>>();
        """,
        "p.cu",
    )
    (execution,) = executions(path)
    one, other = (next(e for e in execution.events if e.id == i) for i in ("k_0_0_L3_W", "k_1_0_L3_W"))
    answer = why_not(execution, one, other)
    assert answer.lacking is None
    (said,) = answer.sentences
    assert said.startswith("no small change of what is there is known that would make `hb` order them")


def test_a_proxy_fence_that_lacks_is_said_and_orders(write: Callable[..., Path]) -> None:
    text = Path("specs/litmus-files/ptx-proxy-fence-missing.litmus").read_text(encoding="utf-8")
    path = write(text, "p.litmus")
    done = scopec("trace", path, "--engine", "embedded", "--why-not", "P0:10", "P1:14")
    assert done.returncode == 1
    assert "missing: P0 makes no fence.proxy.surface behind the write at p.litmus:10\n" in done.stdout
    fenced = " fence.proxy.surface | bne r0, 1, LC00 ;\n st.release.gpu flag, 1 | ;"
    path = write(text.replace(" st.release.gpu flag, 1 | bne r0, 1, LC00 ;", fenced), "p.litmus")
    found = executions(path, model="ptx")
    execution = next(e for e in found if any((x.thread, x.span.line) == ("P1", 15) for x in e.events))
    answer = why_not(execution, *pair(execution, "P0:10", "P1:15"))
    assert answer.way is not None
    assert answer.relation == "cause"


#: What docs/results.md shows: a specification, the events, and what is missing there.
SPECS = (
    ("litmus/mp-two-blocks.cu", "9", "13", "the store at mp-two-blocks.cu:10 is atomic at block scope, which does not "),
    ("bugs/fence-after-the-flag.cu", "14", "25", "the load at fence-after-the-flag.cu:24 is not an acquire"),
    ("bugs/ticket-without-acquire.cu", "reduce[0][0]:9", "reduce_1_0_L13_R", "the read-modify-write at ticket-without-acquire.cu:11 is not an acquire"),
    ("asynchronous/store-fence.cu", "k[0][0]:12", "k_0_0_L17_R2", "k[0][0] makes no fence.proxy.async ahead of the issue of the copy at store-fence.cu:17"),
    ("litmus-files/ptx-proxy-fence-missing.litmus", "P0:10", "P1:14", "P0 makes no fence.proxy.surface behind the write at ptx-proxy-fence-missing.litmus:10"),
)  # fmt: skip


@pytest.mark.parametrize(("spec", "first", "last", "missing"), SPECS)
def test_five_specifications(spec: str, first: str, last: str, missing: str) -> None:
    done = scopec("trace", f"specs/{spec}", "--engine", "embedded", "--why-not", first, last, "--json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert (done.returncode, document["ordered"]) == (1, "no")
    assert document["missing"][0].startswith(missing)
    shown = Path("docs/results.md").read_text(encoding="utf-8")
    assert f"`{spec.rpartition('/')[2]}`" in shown


def test_the_answer_that_the_document_shows() -> None:
    shown = Path("docs/results.md").read_text(encoding="utf-8").partition("--why-not 9 13\n")[2].partition("```")[0]
    done = scopec("trace", "mp-two-blocks.cu", "--engine", "embedded", "--why-not", "9", "13", cwd=Path("specs/litmus"))
    assert done.stdout == shown


@pytest.mark.sampled(0)
def test_what_would_order_them_the_other_way_round_is_said() -> None:
    """A copy overwrites what a thread has read: no fence orders the copy before the read."""
    for model in ("cuda", "ptx"):
        words = (
            "specs/asynchronous/over-reads.cu",
            "--engine",
            "embedded",
            "--model",
            model,
            "--check",
            "race on tile",
        )
        found = json.loads(scopec("trace", *words, "--why-not", "k_0_0_L13_W6", "k_0_1_L33_R", "--json").stdout)
        assert (found["ordered"], found["turned"]) == ("no", True)
        assert any("fence.proxy.async" in said for said in found["missing"])


# ---------------------------------------------------------------- names of events


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("mp_0_0_L7_R", "13", "there is no event `mp_0_0_L7_R` in this execution: did you mean `mp_0_0_L7_W`?"),
        ("7", "99", "there is no event at `99` in this execution: there are some at line 7, 9, 11, 13"),
        ("7", "7", "`7` and `7` are one event"),
        ("nothing", "7", "a line will do too"),
        ("mp[0][0]:7", "mp[7][0]:13", "did you mean `mp["),
        ("16", "7", "`16` is of 2 events, name one of them: "),
    ],
)
def test_a_name_that_is_of_no_event_or_of_several_is_bad_usage(
    first: str, last: str, said: str, write: Callable[..., Path]
) -> None:
    path = write(handover(LOAD="relaxed"), "a folder/p.cu")
    done = scopec("trace", path, "--engine", "embedded", "--why-not", first, last)
    assert done.returncode == 2
    assert said in done.stderr


def test_halves_of_an_operation_are_named_by_its_line(write: Callable[..., Path]) -> None:
    path = write(
        """
        #include <cuda/atomic>
        __device__ cuda::atomic<int, cuda::thread_scope_device> a{0};
        __global__ void k() {
            if (blockIdx.x == 0)
                a.fetch_add(1, cuda::memory_order_acq_rel);
            else
                a.fetch_add(1, cuda::memory_order_acq_rel);
        }
        //@ launch k<<<2, 1>>>();
        """,
        "p.cu",
    )
    execution = next(iter(executions(path)))
    one, other = pair(execution, "6", "8")
    assert (one.kind.name, other.kind.name) == ("WRITE", "READ")
    answer = why_not(execution, one, other)
    assert answer.way or answer.back


# ---------------------------------------------------------------- the command


def test_the_command_answers_in_text_and_in_json(write: Callable[..., Path]) -> None:
    path = write(handover(LOAD="relaxed", ACQUIRE="if (f == 1)"), "a folder/p.cu")
    done = scopec("trace", path, "--engine", "embedded", "--why-not", "7", "13", COLUMNS="40")
    assert done.returncode == 1
    assert "A is not ordered before B" in done.stdout
    assert "missing: the load at p.cu:11 is not an\n" in done.stdout
    found = scopec("trace", path, "--engine", "embedded", "--why-not", "7", "13", "--json")
    document = json.loads(found.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["missing"] == ["the load at p.cu:11 is not an acquire"]
    assert [edge["relation"] for edge in document["then"]] == ["po", "sw", "po"]
    refused = scopec("trace", path, "--why-not", "7", "13", "--html")
    assert refused.returncode == 2
    assert "text or JSON" in refused.stderr


def test_where_an_expectation_holds_an_execution_is_asked_about(write: Callable[..., Path]) -> None:
    path = write(handover(ACQUIRE="if (f == 1)"), "p.cu")
    done = scopec("trace", path, "--engine", "embedded", "--why-not", "7", "13")
    assert done.returncode in (0, 2)
    assert "A is ordered before B, by `hb` of cuda-v3:" in done.stdout or "another path" in done.stderr


def test_schedules_and_stored_results_are_refused(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(
        """
        __device__ int f = 0;
        __global__ void k() { while (atomicAdd(&f, 0) == 0); }
        //@ launch k<<<1, 1>>>();
        //@ expect terminates;
        """,
        "p.cu",
    )
    done = scopec("trace", path, "--engine", "embedded", "--why-not", "3", "4")
    assert done.returncode == 2
    assert "has a schedule" in done.stderr
    results = tmp_path / "r.json"
    results.write_text("{}", encoding="utf-8")
    done = scopec("trace", results, "--why-not", "3", "4")
    assert done.returncode == 2
    assert "name the program itself" in done.stderr
