"""Reductions change no verdict, under models that differ: all of them, and each alone.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried (CONTRIBUTING.md names the command for the full
sweep).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import scopec
from scopec.base.diagnostics import UsageError
from scopec.cli import commands
from scopec.engines.embedded.memory import sat
from scopec.engines.embedded.progress import fair_cycles
from scopec.engines.protocol import MEMORY
from scopec.engines.table import able
from scopec.memory.cat import registry
from scopec.memory.cat.permitted import REDUCTIONS as OF_MEMORY
from scopec.memory.reductions import Reductions
from scopec.progress.reductions import REDUCTIONS as OF_PROGRESS
from scopec.progress.reductions import Reductions as ProgressReductions
from scopec.session.check import Settings, check
from scopec.session.inquiry.questions import progress_problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from scopec.session.reductions import REDUCTIONS
from tests.random_blocks import text
from tests.samples import programs
from tests.sizes import NEVER, sizes
from tests.test_reductions import HEAD, SMALLER

COUNT = programs(2, 14)
EVERY = frozenset(REDUCTIONS)

#: Models of a user's own: one without coherence and without a race, and two that are sequentially consistent, of which
#: the last forbids what less in an execution might bring about.
_RACE = "let hb = (po | asw)+\nflag ~empty (loc & ext & ((W * M) | (M * W))) \\ hb \\ hb^-1 as race\n"
_SEQUENTIAL = f"let fr = (rf^-1 ; co) \\ id\nacyclic po | asw | rf | co | fr as sc\n{_RACE}"
OWN = {
    "weak.cat": '"weak"\nacyclic po | rf as thin_air\n',
    "cuda.cat": '"not that of the name"\nacyclic po | rf as thin_air\n',
    "sequential.cat": f'"sequential"\n{_SEQUENTIAL}',
    "busy.cat": f'"busy"\n{_SEQUENTIAL}empty (W \\ IW) \\ domain((W * R) | (W * W)) as nobody_is_alone\n',
}
MODELS = ("cuda", "ptx", "cuda-v1", "rc11", "hrf0", *OWN)


@pytest.fixture
def models(tmp_path: Path) -> Callable[[str], str]:
    """The path of a model of the user's own; the name of any other."""
    for name, words in OWN.items():
        (tmp_path / name).write_text(words)
    return lambda name: str(tmp_path / name) if name in OWN else name


def verdicts(file: Path, model: str = "cuda", without: Collection[str] = ()) -> list[str]:
    """Whether each expectation holds, what is asked only where it may fail if it does; errors of what is refused."""
    overrides = Overrides(model, cache=True, without=frozenset(without))
    (outcome,) = check([file], Settings(overrides, engine="embedded", timeout=60, cache=False))
    errors = [d.message for d in outcome.diagnostics if d.severity != "warning"]
    checks = [c for report in outcome.reports for c in report.checks]
    return errors or [c.verdict for c in checks if c.verdict == "violated" or not c.expectation.implicit]


def same(less: list[str], every: list[str]) -> bool:
    """Whether two lists of verdicts agree, apart from what is not known."""
    return len(less) == len(every) and all(a == b or "unknown" in (a, b) for a, b in zip(less, every, strict=True))


@pytest.mark.parametrize("seeds", [range(n, n + 8) for n in range(0, COUNT, 8)], ids=str)
def test_what_is_left_out_changes_no_verdict(
    seeds: range, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, models: Callable[[str], str]
) -> None:
    """Everything that holds for a model, however small the program; all but one, which alone is asked for; nothing."""
    file = tmp_path / "program.cu"
    for seed in seeds:
        file.write_text(text(seed))
        model = models("cuda" if seed % 2 else MODELS[seed // 2 % len(MODELS)])
        alone = sorted(EVERY)[seed % len(EVERY)]
        sizes(monkeypatch, threads=NEVER, events=NEVER, many=NEVER, values=NEVER)
        whole = verdicts(file, model)
        sizes(monkeypatch, threads=0, events=0, meeting=16 * (seed % 2), many=0, values=0)
        for without in ((), {alone}, EVERY - {alone}, EVERY):
            assert same(verdicts(file, model, without), whole), (model, without, file.read_text())


# ---------------------------------------------------------------- for which models


STALE = """__device__ int x, y[32];
__global__ void k() { int t = threadIdx.x; if (t == 0) x = 1; __syncthreads(); y[t] = x; }
//@ launch k<<<1, THREADS>>>();
//@ expect required y[1] == 1;
"""
SET_UP = """__device__ int y[32];
__managed__ int x;
__global__ void k() { y[threadIdx.x] = x; }
int main() { x = 1; k<<<1, THREADS>>>(); cudaDeviceSynchronize(); }
//@ expect required y[1] == 1;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", [STALE, SET_UP], ids=["behind a barrier", "before the launch"])
@pytest.mark.parametrize("name", ["weak.cat", "cuda.cat"])
def test_a_model_without_coherence_lets_old_values_be_read_by_many_threads_too(
    name: str, program: str, tmp_path: Path, models: Callable[[str], str]
) -> None:
    """Whatever the file is called; under CUDA's model the same reads return what was written last."""
    file = tmp_path / "program.cu"
    for threads in ("3", "20"):
        file.write_text(program.replace("THREADS", threads))
        assert verdicts(file, models(name)) == ["violated"], threads
        assert verdicts(file) == ["holds"], threads


def test_a_file_that_says_the_same_gets_the_same(tmp_path: Path, models: Callable[[str], str]) -> None:
    """Its name and its comments do not matter, an axiom less does."""
    folder = Path(registry.__file__).parent.parent / "models"
    shutil.copy(folder / "thin-air.cat", tmp_path)
    words = (folder / "cuda.cat").read_text().replace("(* CUDA C++:", "(* Mine:")
    (tmp_path / "copy.cat").write_text(words)
    (tmp_path / "less.cat").write_text(words.replace("irreflexive hb ; eco? as coherence\n", "\n"))
    (tmp_path / "program.cu").write_text(STALE.replace("THREADS", "20"))

    def chosen(model: str) -> Run:
        return plan(tmp_path / "program.cu", "program.cu", Overrides(model)).runs[0]

    assert chosen(str(tmp_path / "copy.cat")).reductions == chosen("cuda").reductions
    less, weak = chosen(str(tmp_path / "less.cat")).reductions, chosen(models("weak.cat")).reductions
    assert less == weak
    held = {name for name in OF_MEMORY if getattr(weak, name)}
    of_any = {"phases", "safe_assertions", "whole", "symmetry", "closures", "plain_races", "origins", "sparse"}
    assert held == of_any | {"spin_loops", "rounds"}
    busy = chosen(models("busy.cat")).reductions
    assert not busy.spin_loops
    assert not busy.rounds
    assert chosen("ptx").reductions.settled
    assert not chosen("ptx").reductions.symmetry


THROUGH = """#include <cuda/atomic>
__device__ int x1, x2, s[2];
__device__ cuda::atomic<int, cuda::thread_scope_device> y{0}, z{0};
__global__ void k() {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) { int r = y.load(cuda::memory_order_relaxed); s[0] = r; x1 = r; x2 = r; }
        __syncthreads();
        if (threadIdx.x == 1) { int a = x1; int b = x2; z.store(STORED, cuda::memory_order_relaxed); }
    } else if (threadIdx.x == 0) {
        int r = z.load(cuda::memory_order_relaxed); s[1] = r; y.store(LAST, cuda::memory_order_relaxed);
    }
}
//@ launch k<<<2, THREADS>>>();
//@ options thin_air = READING;
//@ expect allowed s[0] == 1 && s[1] == 1;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("stored", "last", "reading", "few", "many"),
    [
        ("a", "r", "dependencies", "violated", "violated"),
        ("a - b + 1", "r", "dependencies", "violated", "unknown"),
        ("a - b + 1", "r", "syntactic", "violated", "violated"),
        ("1", "1", "rc11", "violated", "violated"),
        ("1", "1", "syntactic", "holds", "holds"),
        ("a - b + 1", "1", "dependencies", "holds", "holds"),
    ],
)
def test_what_is_read_on_the_way_makes_no_value_out_of_thin_air(
    stored: str, last: str, reading: str, few: str, many: str, tmp_path: Path
) -> None:
    """Through memory that is computed beforehand, too: what the two sides of it have in common nobody there knows."""
    file = tmp_path / "program.cu"
    program = THROUGH.replace("STORED", stored).replace("LAST", last).replace("READING", reading)
    for threads, found in (("4", few), ("20", many)):
        file.write_text(program.replace("THREADS", threads))
        assert verdicts(file) == [found], threads
        assert verdicts(file, without={"settled"}) == [few], threads


# ---------------------------------------------------------------- each leaves something out


_ATOMIC = (
    "#include <cuda/atomic>\n__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};\n__device__ int x, a[32];\n"
)
_BLOCK = "__global__ void k() {{ int t = threadIdx.x; {} }}\n//@ launch k<<<{}, {}>>>();\n//@ expect {};\n"


def _events(run: Run) -> int:
    return len(run.graph.events)


def _pairs(run: Run) -> int:
    return len(run.graph.asw)


def _beyond(run: Run) -> int:
    return sum(not cut.wait for cut in run.graph.cuts)


def _calls(name: str) -> Callable[[Run], int]:
    """How often the engine comes to a function."""

    def counted(run: Run) -> int:
        found: list[object] = []
        before = getattr(sat, name)

        def noted(*given: object) -> object:
            found.append(given)
            return before(*given)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sat, name, noted)
            sat.solve(run.problem)
        return -len(found)

    return counted


def _states(run: Run, first: int = 8192) -> int:
    problem = progress_problem(run, "Termination")
    few = replace(problem.reductions, many=1, several=1, states=min(first, 4096), near=first)
    small = replace(problem, reductions=few)
    return fair_cycles.solve(small.system, "Termination").states


#: More ways one after the other than one step has.
_BRANCHES = "s = f.load(); " + " ".join(f"if (s == {n}) s += {n};" for n in range(7))
_SYNC = "a[t] = 1; __syncthreads(); a[31 - t] = 2;"
#: For each reduction a program, and what is more without it: events, pairs, turns beyond the bound, states, clauses.
LESS: dict[str, tuple[str, Callable[[Run], int]]] = {
    "settled": (_BLOCK.format(_SYNC, 1, 32, "race_free"), _events),
    "condensed": (_BLOCK.format(f"{_SYNC} f.store(t);", 1, 32, "race_free"), _events),
    "commuting": (_BLOCK.format("atomicAdd(&x, 1);", 1, 32, "race_free"), _events),
    "racing": (_BLOCK.format("f.store(t); f.load(); a[t / 2] = t;", 1, 20, "race_free"), _events),
    "constants": (
        _BLOCK.format("f.store(a[t]);", 1, 32, "race_free"),
        lambda run: len(replace(run, without=run.without | {"settled"}).graph.events),
    ),
    "pairs": (_BLOCK.format("f.store(1); __syncthreads(); f.store(2);", 1, 32, "allowed f == 2"), _pairs),
    "mbarriers": (
        _BLOCK.format(
            "__shared__ unsigned long long b; unsigned at = __cvta_generic_to_shared(&b);"
            ' if (t == 0) asm("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at)); __syncthreads();'
            ' if (t == 0) { x = 1; asm("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at)); }'
            " if (t > 1) return;"
            ' asm("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" :: "r"(at)); a[t] = x;',
            1,
            17,
            "race_free",
        ),
        _events,
    ),
    "phases": (
        _BLOCK.format(
            'if (t < 32) { asm("bar.arrive 1, 64;"); asm("bar.sync 2, 64;"); asm("bar.arrive 1, 64;"); }'
            ' else { asm("bar.sync 1, 64;"); asm("bar.arrive 2, 64;"); asm("bar.sync 1, 64;"); } a[t] = 1;',
            1,
            33,
            "race_free",
        ),
        lambda run: len(run.graph.choices),
    ),
    "safe_assertions": (
        _BLOCK.format("a[2 * t + f.load() % 2] = 1; f.store(1);", 1, 2, "allowed f == 1"),
        lambda run: len(run.graph.faults),
    ),
    "spin_loops": (_BLOCK.format("f.store(1); while (f.load() == 0);", 1, 2, "allowed f == 1"), _beyond),
    "retries": (_BLOCK.format("while (f.exchange(1)); f.store(0);", 1, 2, "allowed f == 0"), _beyond),
    "rounds": (
        _BLOCK.format(
            "bool d = 0; while (!__all_sync(3, d)) if (!d && !f.exchange(1)) { f.store(0); d = 1; }", 1, 2, "race_free"
        ),
        _beyond,
    ),
    "mute": (_BLOCK.format("x = t; while (f.load() == 0);", 1, 2, "terminates"), lambda run: -len(run.slice.mute)),
    "whole": (_BLOCK.format("while (f.load() == 0);", 1, 2, "terminates"), lambda run: run.whole is None),
    "symmetry": (_BLOCK.format("f.fetch_add(1);", 1, 3, "race_free"), _calls("ordered_writes")),
    "closures": (
        _BLOCK.format("f.fetch_add(1); f.fetch_add(t); x = f.load();", 2, 2, "race_free"),
        lambda run: len(sat.dimacs(run.problem)),
    ),
    "plain_races": (_BLOCK.format("x = 1;", 1, 1, "race_free"), _calls("_no_races")),
    "origins": (_BLOCK.format("x += 1;", 1, 2, "race_free"), lambda run: len(run.problem.questions)),
    "coherent": (
        _BLOCK.format("f.fetch_add(7); f.fetch_xor(5); f.fetch_add(3);", 1, 2, "race_free"),
        lambda run: sum(map(len, run.problem.domains.of.values())),
    ),
    "sparse": (
        "int main() { int* d; cudaMalloc(&d, 20000); cudaMemset(d, 0, 20000); }\n//@ expect race_free;",
        lambda run: sum(len(object_.values) for object_ in run.program.objects.values()),
    ),
    "sure_steps": (_BLOCK.format("__syncthreads(); f.store(1); __syncthreads();", 1, 3, "terminates"), _states),
    "alike_units": (_BLOCK.format("__syncthreads();", 3, 2, "terminates"), _states),
    "whole_units": (_BLOCK.format("if (t) while (f.load() == 0); f.store(1);", 1, 3, "terminates"), _states),
    "fused": (
        _BLOCK.format(f"f.fetch_add(1); int s; do {{ {_BRANCHES} }} while (s < 9);", 1, 2, "terminates"),
        _states,
    ),
    "empty_loops": (
        _BLOCK.format("for (int i = 0; i < 9; ++i);", 1, 2, "terminates"),
        lambda run: sum(len(grid.body.nodes) for grid in run.program.grids.values()),
    ),
    "far_states": (
        _BLOCK.format("f.fetch_add(1); f.fetch_xor(t); f.fetch_add(3); while (f.load() != 99);", 1, 4, "terminates"),
        lambda run: _states(run, first=8),
    ),
    **{
        name: (f"{HEAD} {body} }}\n//@ launch k<<<1, 2>>>();\n//@ expect terminates;", _states)
        for name, body in SMALLER.items()
    },
}


def test_every_reduction_is_in_one_table() -> None:
    assert LESS.keys() == REDUCTIONS.keys() == OF_MEMORY.keys() | OF_PROGRESS.keys()
    whole = Reductions()
    assert all(getattr(whole, name) and not getattr(whole.without({name}), name) for name in OF_MEMORY)
    assert all(not getattr(ProgressReductions().without({name}), name) for name in OF_PROGRESS)


@pytest.mark.parametrize("name", list(LESS))
def test_each_leaves_something_out(name: str, tmp_path: Path) -> None:
    """By itself, and the verdicts are the same."""
    body, measured = LESS[name]
    file = tmp_path / "program.cu"
    file.write_text(body if name in SMALLER else _ATOMIC + body)

    def asked(without: Collection[str]) -> int:
        return measured(plan(file, file.name, Overrides(cache=True, without=frozenset(without))).runs[0])

    assert asked(()) < asked({name})
    assert same(verdicts(file), verdicts(file, without={name}))


# ---------------------------------------------------------------- from outside


def test_a_reduction_is_left_out_by_its_name(tmp_path: Path) -> None:
    """In a call from Python and on the command line, whose generated specifications say so; `all` is every one."""
    (tmp_path / "program.cu").write_text(STALE.replace("THREADS", "3"))

    def command(*arguments: str) -> str:
        done = CliRunner().invoke(commands, arguments)
        assert done.exit_code == 0, done.output
        return done.output

    asked = ["check", "--engine", "embedded", "--keep", str(tmp_path / "kept"), str(tmp_path / "program.cu")]
    for names in (["--without", "settled", "--without", "symmetry"], ["--without", "all"]):
        command(*asked, *names)
        kept = "".join(path.read_text() for path in (tmp_path / "kept").rglob("*.als"))
        assert "without " in kept
        assert "settled" in kept
        assert ("closures" in kept) is ("all" in names)
    assert scopec.check(tmp_path / "program.cu", engine="embedded", without=["settled"]).ok
    listed = command("models")
    assert all(f"  {name} " in listed for name in REDUCTIONS)


def test_a_name_of_no_reduction_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "program.cu").write_text(STALE.replace("THREADS", "3"))
    with pytest.raises(
        UsageError, match=r"there is no reduction `setled`: did you mean `settled`.*there are settled, "
    ):
        scopec.check(tmp_path / "program.cu", without=["setled"])


def test_answers_that_are_kept_are_those_of_the_same_reductions(tmp_path: Path) -> None:
    """The key of an answer is the specification, which says what is left out."""
    (tmp_path / "program.cu").write_text(STALE.replace("THREADS", "3"))
    texts = {
        "".join(MEMORY.of(able(MEMORY)[0]).specification(run.problem).values())
        for without in ((), ("symmetry",), ("closures",))
        for run in plan(tmp_path / "program.cu", "p.cu", Overrides(cache=True, without=frozenset(without))).runs
    }
    assert len(texts) == 3
