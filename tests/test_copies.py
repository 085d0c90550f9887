"""Asynchronous copies: against a simulator that was written from the documents alone, and what is not read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from scopec.base.resources import resource
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.check import check as simulate
from tests.samples import programs

COUNT = programs(10, 60)


def instruction(chance: Random) -> list[p.Instruction]:
    """An instruction, or a few, of a thread."""
    s, g = p.Span("s", 1, chance.randrange(2)), p.Span("g", 1, chance.randrange(2))
    both = chance.random() < 0.2
    copy = p.CpAsync(p.Span("g", 2), p.Span("s", 2)) if both else p.CpAsync(g, s)
    access = p.Loc(chance.choice(("s", "s", "s", "g")), chance.randrange(2))
    kind = chance.choice(("copy", "copy", "group", "wait", "wait", "load", "store", "store"))
    match kind:
        case "copy":
            return [copy, p.CpCommit()]
        case "group":
            return [copy] if chance.random() < 0.5 else [p.CpCommit()]
        case "wait":
            return [p.CpWait(chance.choice((0, 0, 1, 2, None)))]
        case "load":
            return [p.Load(access, "r")]
        case _:
            return [p.Store(access, chance.randint(2, 9))] if chance.random() < 0.5 else [p.Load(access, "r")]


def program(seed: int) -> tuple[p.Program, list[list[list[p.Instruction]]]]:
    """A block of one or two threads with cp.async, and its parts between barriers: for each part the code of each thread."""
    chance = Random(seed)
    threads, parts = chance.choice((1, 2, 2)), chance.choice((1, 2, 2))
    found = [
        [[i for _ in range(chance.randint(0, 3)) for i in instruction(chance)] for _ in range(threads)]
        for _ in range(parts)
    ]
    for code in found[-1]:
        code.append(p.CpWait(None))
    whole = []
    for thread in range(threads):
        code = []
        for number, part in enumerate(found):
            code += [*part[thread], *([p.BlockBarrier()] if number < parts - 1 else [])]
        whole.append(p.Thread(tuple(code)))
    memory = (p.Array("g", 2, init=1), p.Array("s", 2, block=0))
    return p.Program((tuple(whole),), memory), found


def statement(one: p.Instruction, number: int) -> str:
    match one:
        case p.CpAsync(p.Span(_, count, source), p.Span(_, _, target)):
            return f'asm volatile("cp.async.ca.shared.global [%0], [%1], {4 * count};" :: "r"(at(&s[{target}])), "l"(&g[{source}]));'
        case p.CpCommit():
            return 'asm volatile("cp.async.commit_group;");'
        case p.CpWait(None):
            return 'asm volatile("cp.async.wait_all;");'
        case p.CpWait(left):
            return f'asm volatile("cp.async.wait_group {left};");'
        case p.Load(p.Loc(name, index)):
            return f"int r{number} = {name}[{index}];"
        case p.Store(p.Loc(name, index), value):
            return f"{name}[{index}] = {value};"
        case _:
            raise AssertionError(one)


def text_of(parts: Sequence[Sequence[Sequence[p.Instruction]]], expectation: str) -> str:
    lines = [
        "__device__ int g[2];",
        "__device__ unsigned at(void* p) { return __cvta_generic_to_shared(p); }",
        "__global__ void k() {",
        "    __shared__ __align__(8) int s[2];",
    ]
    for number, part in enumerate(parts):
        if number:
            lines.append("    __syncthreads();")
        for thread, code in enumerate(part):
            body = " ".join(statement(one, n) for n, one in enumerate(code))
            lines.append(f"    if (threadIdx.x == {thread}) {{ {body} }}")
    threads = len(parts[0])
    return "\n".join([*lines, "}", f"//@ launch k<<<1, {threads}>>>();", f"//@ expect {expectation};", ""])


def verdict(parts: Sequence[Sequence[Sequence[p.Instruction]]], model: str, tmp_path: Path) -> bool:
    """Whether a program is free of races."""
    path = tmp_path / "random.cu"
    path.write_text(text_of(parts, "race_free"))
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=model)))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], path.read_text()
    (report,) = outcome.reports
    (found,) = (c.verdict for c in report.checks if c.expectation.kind == "race_free")
    assert found in ("holds", "violated")
    return found == "holds"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_against_the_simulator(seed: int, model: str, tmp_path: Path) -> None:
    simulated, parts = program(seed)
    words = simulate(simulated).words()
    assert verdict(parts, model, tmp_path) == ("race_free" in words), (text_of(parts, "race_free"), words)


# ---------------------------------------------------------------- each part of the models is needed

_COPY: list[p.Instruction] = [p.CpAsync(p.Span("g"), p.Span("s")), p.CpCommit(), p.CpWait(0)]
#: Programs that are free of races by one part of the models: what is before the issue, behind the wait, and both.
_PROGRAMS: dict[str, list[p.Instruction]] = {
    "before": [p.Store(p.Loc("g"), 2), *_COPY],
    "behind": [*_COPY, p.Load(p.Loc("s"), "r")],
    "both": [*_COPY, *_COPY],
}
#: The definition in each model, and without each part.
_AGENTS = "before? ; start | done ; before? | done ; before? ; start"
_WITHOUT = {
    "before": "done ; before? | done ; before? ; start",
    "behind": "before? ; start | done ; before? ; start",
    "both": "before? ; start | done ; before?",
}


@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("part", _WITHOUT)
def test_a_model_without_a_part_is_told(part: str, model: str, tmp_path: Path) -> None:
    for file in Path(resource("memory/models")).iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    cat = tmp_path / f"{model}.cat"
    text = cat.read_text()
    assert text.count(_AGENTS) == 1
    assert verdict([[_PROGRAMS[part]]], str(cat), tmp_path)
    cat.write_text(text.replace(_AGENTS, _WITHOUT[part]))
    assert not verdict([[_PROGRAMS[part]]], str(cat), tmp_path)


# ---------------------------------------------------------------- what is not read


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cuda::pipeline_shared_state<cuda::thread_scope_device, 2> all; auto p = cuda::make_pipeline(cg::this_thread_block(), &all);",
         "a pipeline that threads of several blocks share"),
        ('int n = x[0] ? 4 : 0; asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(at(s)), "l"(x), "r"(n));',
         "a copy of a part, or of a size that is not seen to be 0 or 4 (a predicate is)"),
        ('asm volatile("cp.async.ca.global [%0], [%0], 4;" :: "l"(x));', "`cp.async.ca.global` is outside the modelled subset"),
        ('asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "l"(x));', "`cp.async.mbarrier.arrive.shared.b64` is"),
    ],
)  # fmt: skip
def test_what_is_not_read(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.cu"
    head = "#include <cooperative_groups.h>\n#include <cuda/pipeline>\nnamespace cg = cooperative_groups;\n"
    head += "__device__ unsigned at(void* p) { return __cvta_generic_to_shared(p); }\n"
    path.write_text(
        f"{head}__device__ int x[1];\n__global__ void k() {{ __shared__ int s[1]; {text} }}\n//@ launch k<<<1, 1>>>();\n"
    )
    (outcome,) = check([path], Settings(engine="embedded"))
    (diagnostic,) = (d for d in outcome.diagnostics if d.severity == "error")
    assert message in diagnostic.message


@pytest.mark.parametrize("model", ["rc11", "hrf0", "sc-drf"])
def test_who_is_not_asked(model: str, tmp_path: Path) -> None:
    path = tmp_path / "copy.cu"
    path.write_text(text_of([[_PROGRAMS["before"]]], "race_free"))
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=model)))
    (diagnostic,) = (d for d in outcome.diagnostics if d.severity == "error")
    assert f"the model `{model}` knows nothing of asynchronous copies" in diagnostic.message


# ---------------------------------------------------------------- sizes

_ZEROS = """
__device__ int x[1] = {7}, n, out;
__device__ unsigned at(void* p) { return __cvta_generic_to_shared(p); }
__global__ void writer() { n = 1; }
__global__ void k() {
    __shared__ int s[1];
    COPY
    asm volatile("cp.async.wait_all;");
    out = s[0];
}
int main() { if (WRITES) writer<<<1, 1>>>(); k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
//@ expect required out == WANTED;
"""
_COPY = 'asm volatile("cp.async.ca.shared.global [%0], [%1], 4, SIZE;" :: "r"(at(s)), "l"(x), "r"(n ? 4 : 0));'
_IGNORES = 'asm volatile("{.reg .pred p; setp.eq.b32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p;}" :: "r"(at(s)), "l"(x), "r"(n));'


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("copy", "writes", "wanted"),
    [
        (_COPY.replace("SIZE", "%2"), 1, 7),
        (_COPY.replace("SIZE", "%2"), 0, 0),
        (_COPY.replace("SIZE", "0"), 1, 0),
        (_COPY.replace(", SIZE", ""), 0, 7),
        (_IGNORES, 1, 7),
        (_IGNORES, 0, 0),
    ],
)  # fmt: skip
def test_what_is_not_copied_is_zero(copy: str, writes: int, wanted: int, tmp_path: Path) -> None:
    path = tmp_path / "zeros.cu"
    path.write_text(_ZEROS.replace("COPY", copy).replace("WRITES", str(writes)).replace("WANTED", str(wanted)))
    (outcome,) = check([path], Settings(engine="embedded"))
    (report,) = outcome.reports
    assert {c.verdict for c in report.checks} == {"holds"}


# ---------------------------------------------------------------- what a thread has seen before it issues a copy

_SEEN = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x;
__device__ int r, out;
__device__ unsigned at(void* p) { return __cvta_generic_to_shared(p); }
__global__ void k() {
    __shared__ int s[1];
    if (blockIdx.x == 0) { x.store(1, cuda::memory_order_relaxed); return; }
    r = x.load(cuda::memory_order_relaxed);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(s)), "l"(&x));
    asm volatile("cp.async.wait_all;");
    out = s[0];
}
//@ launch k<<<2, 1>>>();
//@ expect forbidden r == 1 && out == 0;
//@ expect allowed r == 0 && out == 1;
"""


def test_a_copy_reads_nothing_older_than_its_thread_has_seen(tmp_path: Path) -> None:
    for file in Path(resource("memory/models")).iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    path, cat = tmp_path / "seen.cu", tmp_path / "ptx.cat"
    path.write_text(_SEEN)
    text = cat.read_text()
    whole = "obs ; (cause-base | kept | agents)"
    assert text.count(whole) == 1
    for model, wanted in ((text, "holds"), (text.replace(whole, "obs ; (cause-base | kept)"), "violated")):
        cat.write_text(model)
        (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=str(cat))))
        (report,) = outcome.reports
        assert [c.verdict for c in report.checks if c.expectation.kind in ("forbidden", "allowed")] == [wanted, "holds"]
