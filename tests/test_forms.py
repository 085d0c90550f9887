"""The forms of a program: how they are printed, and that the passes run that are said to make them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType

import pytest

from scopec.cli.listings import explained
from scopec.report import text as in_text
from scopec.session import forms
from scopec.session.forms import AFTER, FORMS, LATER, PASSES, QUESTIONS, WAYS, shown
from scopec.session.inquiry.questions import progress_problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from scopec.session.reductions import REDUCTIONS
from tests.command import scopec
from tests.conftest import REPOSITORY
from tests.specifications import SPECS
from tests.test_reductions import HEAD, SMALLER
from tests.test_settled_phases import FENCE, RING

DOCUMENT = (REPOSITORY / "docs" / "forms.md").read_text(encoding="utf-8")
#: Two variants; a loop that waits, a barrier with a vote, a query, assertions.
PROGRAM = """\
constexpr int N = 1;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ int data[2] = {7};
__global__ void k() {
    if (threadIdx.x == 0) {
        flag.fetch_add(N, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0);
        data[1] = N;
    }
    int count = __syncthreads_count(threadIdx.x == 0);
    assert(count == 1);
}
int main() {
    k<<<1, 2>>>();
    if (cudaStreamQuery(0) == cudaSuccess) cudaDeviceSynchronize();
}
//@ vary N in {1, 2};
//@ expect race_free;
//@ expect terminates;
//@ expect progresses;
"""
#: What the program alone orders, and a race.
LARGE = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ int a[32], b[32];
__global__ void k() {
    int t = threadIdx.x;
    a[t] = 1;
    __syncthreads();
    a[31 - t] = 2;
    flag.store(t);
    b[t / 2] = t;
}
//@ launch k<<<1, 32>>>();
//@ expect race;
"""
MBARRIERS = """\
__device__ int a[80];
__global__ void k() {
    __shared__ unsigned long long bar;
    unsigned at = __cvta_generic_to_shared(&bar);
    int t = threadIdx.x;
    if (t == 0) asm("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at));
    __syncthreads();
    if (t == 0) {
        for (int i = 0; i < 80; i++) a[i] = 1;
        asm("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at));
    }
    asm("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" :: "r"(at));
    if (t == 1) for (int i = 0; i < 80; i++) a[i] = 2;
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_printed(form: str, write: Callable[..., Path], golden: Callable[[str, str], None]) -> None:
    done = scopec("compile", write(PROGRAM, "flag.cu"), "--show", form)
    assert done.returncode == 0, done.stderr
    golden(f"form-{form}.txt", done.stdout)


def test_forms_that_are_alike_are_printed_once(write: Callable[..., Path]) -> None:
    text = (
        "__global__ void k() {}\n//@ launch k<<<1, 1>>>();\n//@ expect terminates under fair;\n//@ expect race_free;\n"
    )
    path = write(text, "none.cu")
    for form, number in (("program", 1), ("events", 1), ("steps", 2)):
        assert scopec("compile", path, "--show", form).stdout.count(f": {form}\n") == number


def test_a_request_to_stop_has_a_word(write: Callable[..., Path]) -> None:
    text = """\
#include <thread>
int main() {
    std::jthread worker([](std::stop_token stop) { while (!stop.stop_requested()) std::this_thread::yield(); });
    worker.request_stop();
}
"""
    assert "main_L4: requests worker.stop (acq_rel, system)" in scopec("compile", write(text), "--show", "steps").stdout


@pytest.mark.parametrize("more", [(), ("--show", "steps", "-o", "out"), ("--check",), ("--show", "steps", "--check")])
def test_either_files_or_a_form(more: tuple[str, ...], write: Callable[..., Path]) -> None:
    refused = scopec("compile", write(PROGRAM), *more)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "give -o and a folder for the files, or --show and a form to print" in refused.stderr


def test_the_document_shows_what_is_printed(write: Callable[..., Path]) -> None:
    text, shown = (
        re.search(rf"^```{word}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL) for word in ("cuda", "text")
    )
    assert text
    assert shown
    assert scopec("compile", write(text[1], "mp.cu"), "--show", "steps").stdout == shown[1]


def test_the_document_lists_the_passes() -> None:
    rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in DOCUMENT.splitlines() if line[:2] == "| "]
    told = [["form", "pass", "what it does", "reductions in it"]]
    for name, form in FORMS.items():
        told.append([name, "", form.is_a, ""])
        made = {one.place: ", ".join(f"`{r}`" for r in one.reductions) for one in WAYS.get(name, ())}
        told += [
            [name, f"`{function.removeprefix('scopec.')}`", does, made.get(function, "")]
            for function, does in form.passes.items()
        ]
    assert rows == told


#: Files whose forms need every pass.
FILES = (
    "litmus-files/c-operands.litmus", "litmus-files/ptx-quorum.litmus", "host/exit.cu", "programs/histogram.cu", "hrf/fences.cu",
    "cuda-execution-model/api-2.cu", "ptx/seq-cst.cu", "hangs/gives-up-eventually.cu", "asynchronous/tensor-epilogue.cu",
)  # fmt: skip


def test_each_pass_runs_and_in_this_order(write: Callable[..., Path]) -> None:
    """Where a form is made, the passes that run begin in the order of the list; some file needs each."""
    seen: set[str] = set()
    broken = RING.replace("wait(&empty[t % 2], (t / 2 & 1) ^ 1);", "").format(tiles=3, consumers=20, fence=FENCE)
    for file in (*FILES, str(write(LARGE)), str(write(MBARRIERS, "mbarriers.cu")), str(write(broken, "broken.cu"))):
        runs: list[Run] = []
        made = [("program", called(lambda: runs.extend(plan(SPECS / file, file, Overrides()).runs)))]  # noqa: B023
        for run in runs[:2]:
            names = ("events",) if file.endswith("broken.cu") else ("events", "steps", "hangs")
            made += [(name, called(lambda: FORMS[name].text(run))) for name in names]  # noqa: B023
            if run.hardware_checks:
                made.append(("steps", called(lambda: run.hardware_system)))  # noqa: B023
        for name, functions in made:
            own = list(FORMS[name].passes)
            found = [function for function in functions if function in own]
            assert found == [function for function in own if function in found], file
            seen.update(found)
    assert seen == {function for form in FORMS.values() for function in form.passes}


def called(act: Callable[[], object]) -> list[str]:
    """The passes that are called, in the order of their first calls."""
    passes = {code(function): function for form in FORMS.values() for function in form.passes}
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code in passes:
            found.setdefault(passes[frame.f_code])

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return list(found)


def code(function: str) -> CodeType:
    module, _, name = function.partition(":")
    found: CodeType = getattr(import_module(module), name).__code__
    return found


# ---------------------------------------------------------------- after a pass


def run_of(path: Path, *without: str) -> Run:
    return plan(path, path.name, Overrides(cache=True, without=frozenset(without))).runs[0]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", PASSES)
def test_what_there_is_after_each_pass(name: str, write: Callable[..., Path]) -> None:
    """What is shown is what the passes up to there make; a pass that is not made leaves what there was."""
    (form,) = (form for form, way in WAYS.items() if PASSES[name] in way)
    before = [one.name for one in WAYS[form]]
    earlier = before[max(0, before.index(name) - 1)]
    for text, not_made in ((PROGRAM, LARGE_ONLY), (MBARRIERS if name == "resolve_phases" else LARGE, frozenset[str]())):
        path = write(text)
        title, shown_ = shown(run_of(path), AFTER + name)
        assert re.fullmatch(rf"(program|{form}) after {name}( \(not made\))?", title)
        assert title.endswith("(not made)") == (name in not_made | ELSEWHERE)
        if title.endswith("(not made)"):
            assert shown_ == shown(run_of(path), AFTER + earlier)[1]
        if name == before[-1]:
            assert shown_ == FORMS[form].text(run_of(path))


#: Of large programs; of other models or questions.
LARGE_ONLY = frozenset({"resolve_phases", "settled", "condensed", "decided", "racing", "racing_at_mbarriers"})
ELSEWHERE = frozenset({"compiled", "waits_as_polls", "stop_anywhere", "given_up"})


def test_a_pass_is_named_on_the_command_line(write: Callable[..., Path]) -> None:
    """With what is left there: barriers and their arrivals first, a race at last."""
    path = write(LARGE, "large.cu")
    found = {}
    for name in ("execute", "settled", "condensed", "racing"):
        done = scopec("compile", path, "--show", f"after:{name}")
        assert done.stdout.startswith(f"---- large: events after {name}\n"), done.stderr
        found[name] = len(re.findall(r"^  k\S*: ", done.stdout, re.MULTILINE))
    assert found == {"execute": 32 * 6, "settled": 32 * 6, "condensed": 32 * 3, "racing": 2}
    assert scopec("compile", path, "--show", "after:settled", "--without", "settled").stdout.startswith(
        "---- large: events after settled (not made)\n"
    )


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("after:setled", "there is no pass `setled`: did you mean `settled`?; there are without_empty_loops, passed, "),
        ("after:", "there is no pass ``: there are without_empty_loops, passed, "),
        (
            "stepps",
            "there is no form `stepps`: did you mean `steps`?; there are program, events, steps, hangs, after:PASS",
        ),
    ],
)
def test_an_unknown_pass_is_told_with_those_that_there_are(form: str, said: str, write: Callable[..., Path]) -> None:
    refused = scopec("compile", write(PROGRAM), "--show", form)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in refused.stderr
    if "pass" in said.partition(":")[0]:
        assert refused.stderr.endswith(f"there are {', '.join(PASSES)}\n")


# ---------------------------------------------------------------- reductions


def test_each_reduction_is_made_by_passes_or_later() -> None:
    made = {name for one in PASSES.values() for name in one.reductions}
    assert made | LATER.keys() == REDUCTIONS.keys()
    assert not made & LATER.keys()
    assert len(PASSES) == sum(map(len, WAYS.values()))
    assert QUESTIONS.keys() == WAYS.keys()


WAIT = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void k() {
    if (blockIdx.x == 0) {
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0);
    }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
"""


def told(path: Path, *without: str) -> list[str]:
    """What `-v` says that reductions have changed, each on a line: what, and what it holds for."""
    switches = [word for name in without for word in ("--without", name)]
    done = scopec("check", "-v", "--engine", "embedded", *switches, path)
    assert done.returncode in (0, 1, 4), done.stderr
    lines = re.sub(r"\n    (?! )", " ", done.stdout).splitlines()
    return [line.removeprefix("  reduced by ") for line in lines if line.startswith("  reduced by ")]


def reduced(path: Path, *without: str) -> dict[str, list[dict[str, tuple[int, int]]]]:
    """The same by name, each with how much there was before and after."""
    found: dict[str, list[dict[str, tuple[int, int]]]] = {}
    for line in told(path, *without):
        name, sizes, needs = re.fullmatch(r"(\w+): (.*?) \(holds for (.*)\)", line).groups()  # type: ignore[union-attr]
        assert needs.startswith(REDUCTIONS[name][1])
        counts = re.findall(r"([\d,]+) -> ([\d,]+) ([a-z ]+)", sizes)
        found.setdefault(name, []).append({w: (int(a.replace(",", "")), int(b.replace(",", ""))) for a, b, w in counts})
    return found


def test_what_reductions_have_removed_is_what_the_graphs_say(write: Callable[..., Path]) -> None:
    path = write(LARGE, "large.cu")

    def events(*without: str) -> int:
        return len(run_of(path, *without).graph.events)

    whole, one = events("settled", "racing"), events()
    found = reduced(path)
    assert found.keys() == {"pairs", "settled", "condensed", "racing"}
    assert found["settled"] == [{"settled locations": (0, len(run_of(path, "racing").graph.settled))}]
    assert found["condensed"][0]["events"] == (whole, events("racing"))
    assert found["racing"][0]["events"] == (events("racing"), one)
    orders = [len(run_of(path, "settled", "racing", *more).graph.asw) for more in (["pairs"], [])]
    assert found["pairs"] == [{"orders of threads": tuple(orders)}]
    assert not reduced(path, "settled", "racing").keys() & {"settled", "condensed", "racing"}
    assert not reduced(path, "all")


def test_the_precondition_that_held_is_said(write: Callable[..., Path]) -> None:
    path = write(LARGE)
    held = "CUDA's models or `ptx`, unless `thin_air` is `rc11` or `syntactic`"
    assert f"settled: 0 -> 32 settled locations (holds for {held}; 243 events, more than 150)" in told(path)
    path.write_text(LARGE.replace("32>>>", "17>>>"), encoding="utf-8")
    assert any(line.endswith(f"(holds for {held}; 18 threads, more than 16)") for line in told(path))


def test_what_is_removed_inside_a_pass_is_compared_with_the_form_without_it(write: Callable[..., Path]) -> None:
    path = write(WAIT)

    found = reduced(path)
    assert found["spin_loops"][0]["events"] == tuple(len(run_of(path, *w).graph.events) for w in (["spin_loops"], []))
    assert "spin_loops" not in reduced(path, "spin_loops")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SMALLER)
def test_what_is_removed_of_the_steps_is_what_systems_say(name: str, write: Callable[..., Path]) -> None:
    path = write(f"{HEAD} {SMALLER[name]} }}\n//@ launch k<<<1, 2>>>();\n//@ expect terminates;")

    def steps(*without: str) -> int:
        system = progress_problem(run_of(path, *without), "Termination").system
        return len(system.steps) + len(system.late_entries)

    sizes = reduced(path)[name][-1]
    if name in ("polls", "start", "local"):
        assert sizes["steps"] == (steps(name), steps())
    else:
        before, after = sizes["values in registers" if name == "registers" else "objects with values"]
        assert before > after
    assert name not in reduced(path, name)


def test_of_two_properties_each_is_named(write: Callable[..., Path]) -> None:
    path = write(
        f"{HEAD} {SMALLER['polls']} }}\n//@ launch k<<<1, 2>>>();\n//@ expect terminates;\n//@ expect progresses;"
    )
    of = [line.partition(":")[0] for line in told(path)]
    assert "polls for Termination" in of
    assert "polls for Progress" not in of
    assert {"start for Termination", "start for Progress"} <= set(of)


HANGS = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
__device__ int other[2];
__global__ void k() {
    other[blockIdx.x] = 2;
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_relaxed);
        while (y.load(cuda::memory_order_relaxed) == 0);
    } else {
        y.store(1, cuda::memory_order_relaxed);
        while (x.load(cuda::memory_order_relaxed) == 0);
    }
}
//@ launch k<<<2, 1>>>();
//@ expect terminates under fair;
"""


def test_what_a_search_for_hangs_leaves_out_is_said(write: Callable[..., Path]) -> None:
    path, search = write(HANGS), " in the search for hangs for Termination"
    found = [line for line in told(path) if search in line]
    assert [line.partition(":")[0] for line in found] == [f"mute{search}", f"spin_loops{search}"]
    (sizes,) = re.findall(r"mute.*?: (\d+) -> (\d+) events", found[0])
    kept, whole = (shown(run_of(path, *w), "hangs")[1] for w in ([], ["mute"]))
    assert tuple(int(size) for size in sizes) == (count(whole), count(kept))
    assert "accesses to other are left out" in shown(run_of(path), "after:sliced")[1]
    assert not any(search in line for line in told(path, "mute", "spin_loops"))


def count(events: str) -> int:
    """How many events are printed, beside the lines about paths, order and objects."""
    return len(re.findall(r"^  (?:init|\S+): ", events, re.MULTILINE))


def test_what_takes_long_is_not_compared(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything said of events that nobody needed."""
    run = run_of(write(WAIT))
    assert list(in_text.reduced(run, 100)) == []
    assert run.graph
    assert any("spin_loops" in line for line in in_text.reduced(run, 100))
    monkeypatch.setattr(forms, "_SECONDS", 0.0)
    assert list(in_text.reduced(run, 100)) == [
        "  not compared, for it takes long: constants, spin_loops, retries, rounds, phases, pairs"
    ]


def test_passes_and_reductions_are_explained_as_documents_have_them() -> None:
    told = explained()
    document = (REPOSITORY / "docs" / "abstractions.md").read_text(encoding="utf-8")
    for name in REDUCTIONS:
        (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", document, re.MULTILINE)
        left_out, needs, why, *_ = row.split(" | ")
        assert all(words in told[name] for words in (left_out, needs, why))
        assert f"`--without {name}`" in told[name]
    for form, way in WAYS.items():
        for number, one in enumerate(way, start=1):
            assert f"Pass {number} of {len(way)} of the {QUESTIONS[form]}: {one.does}.\n" in told[one.name]
            assert f"Reductions in it: {', '.join(one.reductions)}.\n" in told[one.name] or not one.reductions
    assert scopec("explain", "execute").stdout == f"execute: {told['execute']}\n"
    assert "the engine, when it answers" in told["symmetry"]
    assert "the pass `automatic_as_registers` of the progress question and the pass `machine`" in told["local"]
