"""Every part of every rule of progress is needed: without it, some program has another verdict, or other states.

A mutant lacks one guard, one update, one operand of a term.  Those that no program can tell from the rules are listed,
each with the reason.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

import pytest

from scopec.base.source import Source
from scopec.engines.embedded.progress.exploring import Exploration
from scopec.engines.embedded.progress.fair_cycles import solve
from scopec.frontends.litmus.lower.program import lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.progress.build import build
from scopec.progress.models import MODELS, Property
from scopec.progress.promises import EXECUTION_MODEL
from scopec.progress.reductions import Reductions
from scopec.progress.rules import Rules
from scopec.progress.steps import Step, Wait
from scopec.progress.system import Readings, System
from scopec.progress.terms import At, Call, Fn, Kind, Op, Over, Term
from scopec.progress.transition import Definition, Transition
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import plan
from tests import test_named_barriers, test_progress_mbarriers
from tests.built_programs import assumed, built
from tests.conftest import REPOSITORY, program_of
from tests.mbarrier_programs import program_of as mbarrier_program
from tests.random_progress import assuming_program, wide_program
from tests.samples import VARIABLE, spread
from tests.specifications import KEPT

#: How many programs a mutant is asked of that is known to change nothing; of all where SCOPEC_EVERY is 1.
_OF_EQUIVALENT = 40
#: Programs for what specs/ has no program for.
_TEXTS = """
__global__ void k() { if (!__syncthreads_or(threadIdx.x == 1)) while (true); }
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
----
__global__ void k() { if (__syncthreads_and(threadIdx.x == 1)) while (true); }
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
----
__global__ void k() { if (__syncthreads_count(true) != 2) while (true); if (__syncthreads_count(false)) while (true); }
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
----
__global__ void k() {
  __shared__ int x;
  if (threadIdx.x == 0) x = 0;
  __syncthreads();
  if (threadIdx.x == 0) x = 1;
  __syncthreads();
  if (x == 0) while (true);
}
int main() { k<<<2, 2>>>(); cudaDeviceSynchronize(); }
----
__device__ int x = 0;
__global__ void k() {
  __syncwarp();
  if (threadIdx.x == 0) x = 1;
  __syncwarp();
  if (x == 0) while (true);
}
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
----
__device__ int x = 0;
__global__ void first() { x = 1; }
__global__ void second() { if (x == 0) while (true); }
int main() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t e;
  cudaEventCreate(&e);
  first<<<1, 1, 0, a>>>();
  cudaEventRecord(e, 0);
  second<<<1, 1, 0, b>>>();
  cudaDeviceSynchronize();
}
----
#include <thread>
__managed__ int x = 0;
__global__ void first() { x = 1; }
__global__ void second() { }
int main() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t e;
  cudaEventCreate(&e);
  std::thread other([&] { second<<<1, 1, 0, b>>>(); });
  first<<<1, 1, 0, a>>>();
  cudaEventRecord(e, a);
  cudaEventSynchronize(e);
  if (x == 0) while (true);
  other.join();
  cudaDeviceSynchronize();
}
----
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f[2];
__global__ void k() {
  int i = threadIdx.x == 0 ? 1 : 0;
  if (threadIdx.x == 0) f[i].wait(0);
  if (threadIdx.x == 1) { f[i].store(1); f[i].fetch_add(1); f[1].notify_all(); }
  if (threadIdx.x == 2) { f[1].fetch_add(1); f[i].notify_all(); f[1].notify_all(); }
}
int main() { k<<<1, 3>>>(); cudaDeviceSynchronize(); }
----
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f[2];
__global__ void k() {
  int i = threadIdx.x == 0 ? 1 : 0, old = 0;
  if (threadIdx.x == 0) f[i].wait(0);
  if (threadIdx.x == 1) { f[i].compare_exchange_strong(old, 1); f[1].notify_all(); }
  if (threadIdx.x == 2) { f[1].compare_exchange_strong(old, 1); f[1].notify_all(); }
}
int main() { k<<<1, 3>>>(); cudaDeviceSynchronize(); }
----
#include <cuda/atomic>
__global__ void k() {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> f;
  if (threadIdx.x == 0) f.store(0);
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 1) f.wait(0);
  if (threadIdx.x == 1) { f.store(1); f.notify_all(); }
}
int main() { k<<<2, 2>>>(); cudaDeviceSynchronize(); }
----
#include <cstdlib>
__managed__ volatile int x = 0;
__global__ void k() { while (x == 0); }
int main() { k<<<1, 1>>>(); std::exit(0); }
----
__managed__ int x = 0;
__global__ void first() { x = 1; }
__global__ void second() { x = 2; }
int main() {
  cudaStream_t a, b, c;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreate(&c);
  cudaEvent_t e;
  cudaEventCreate(&e);
  first<<<1, 1, 0, a>>>();
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e);
  second<<<1, 1, 0, c>>>();
  cudaStreamSynchronize(b);
  if (x == 0) while (true);
}
----
__managed__ int x = 0;
__global__ void first() { x = 1; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t e;
  cudaEventCreate(&e);
  first<<<1, 1, 0, a>>>();
  cudaEventRecord(e, 0);
  cudaStreamSynchronize(b);
  if (x == 0) while (true);
}
----
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f;
__global__ void k() {
  int old = 0;
  if (threadIdx.x == 0) f.wait(0);
  if (threadIdx.x == 1)
    f.wait(0);
  if (threadIdx.x == 2)
    f.wait(0);
  if (threadIdx.x == 3) {
    if (blockIdx.x == 0) f.store(1);
    if (blockIdx.x == 1) f.compare_exchange_strong(old, 1);
    f.notify_all();
  }
}
int main() { k<<<1, 4>>>(); cudaDeviceSynchronize(); }
----
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f;
__global__ void k() {
  int old = 0;
  if (threadIdx.x == 0) f.wait(0);
  if (threadIdx.x == 1)
    f.wait(0);
  if (threadIdx.x == 2)
    f.wait(0);
  if (threadIdx.x == 3) {
    f.compare_exchange_strong(old, 1);
    f.notify_all();
  }
}
int main() { k<<<1, 4>>>(); cudaDeviceSynchronize(); }
----
__global__ void k() { if (__syncthreads_or(threadIdx.x == 1 && blockIdx.x == 1) != blockIdx.x) while (true); }
int main() { k<<<2, 2>>>(); cudaDeviceSynchronize(); }
----
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f;
__global__ void k() {
  if (threadIdx.x == 0) f.store(1);
  __syncthreads_or(threadIdx.x == 1 && f.load());
  __syncthreads();
}
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
"""

_LITMUS = """
PTX loop
{ x = 0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 LC00:          | LC10:          ;
 bar.sync 0     | bar.sync 0     ;
 bra LC00       | bra LC10       ;
exists true
----
PTX votes
{ x = 0; }
 P0@cta 0,gpu 0           | P1@cta 0,gpu 0           | P2@cta 0,gpu 0            ;
 bar.red.and r1, 1, 1     | bar.red.and r1, 1, 0     |                           ;
 L: bne r1, 0, L          | L: bne r1, 0, L          |                           ;
 bar.red.popc r0, 0, 3, 1 | bar.red.popc r0, 0, 3, 0 | bar.red.popc r0, 0, 3, 1  ;
 M: bne r0, 2, M          | M: bne r0, 2, M          | M: bne r0, 2, M           ;
 bar.red.and r1, 1, 1     | bar.red.and r1, 1, 1     | bar.red.popc r0, 2, 1, 1  ;
 N: bne r1, 1, N          | N: bne r1, 1, N          | N: bne r0, 1, N           ;
exists true
----
PTX votes of three
{ x = 0; }
 P0@cta 0,gpu 0        | P1@cta 0,gpu 0        | P2@cta 0,gpu 0        ;
 bar.red.and r0, 1, 1  | bar.red.and r0, 1, 1  | bar.red.and r0, 1, 1  ;
 L: bne r0, 1, L       | L: bne r0, 1, L       | L: bne r0, 1, L       ;
 bar.red.and r0, 1, 1  | bar.red.and r0, 1, 1  | bar.red.and r0, 1, 0  ;
 M: bne r0, 0, M       | M: bne r0, 0, M       | M: bne r0, 0, M       ;
 bar.red.popc r0, 2, 1 | bar.red.popc r0, 2, 1 | bar.red.popc r0, 2, 1 ;
 bar.red.popc r1, 2, 1 | bar.red.popc r1, 2, 1 | bar.red.popc r1, 2, 1 ;
 N: bne r1, 3, N       | N: bne r1, 3, N       | N: bne r1, 3, N       ;
exists true
----
PTX votes of two
{ x = 0; }
 P0@cta 0,gpu 0           | P1@cta 0,gpu 0           ;
 bar.red.popc r0, 0, 2, 1 | bar.red.popc r0, 0, 2, 1 ;
 L: bne r0, 2, L          | L: bne r0, 2, L          ;
 bar.red.popc r0, 0, 2, 0 | bar.red.popc r0, 0, 2, 1 ;
 M: bne r0, 1, M          | M: bne r0, 1, M          ;
exists true
----
PTX blocks
{ x = 0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 bar.sync 0     | bar.sync 0     ;
exists true
"""


@dataclass(frozen=True)
class Asked:
    """A program, and what was found about it."""

    name: str
    system: System
    property: Property
    holds: bool | None
    states: int


def _systems() -> Iterator[tuple[str, System, Property]]:
    for number, text in enumerate(_TEXTS.split("----\n")):
        program = program_of(text)
        for readings in (Readings(), Readings(exited_threads_hold=True)):
            yield f"text {number}", build(program, readings=readings), "Termination"
    chance = random.Random(0)
    named = (test_named_barriers.text_of(test_named_barriers.program(chance)) for _ in range(60))
    for number, text in enumerate([*_LITMUS.lstrip().split("----\n"), *named]):
        source = Source("a.litmus", text)
        program = lower(read(source), source, "a").program
        yield f"litmus {number}", build(program, MODELS["fair"], Reductions(polls=False)), "Termination"
    for name, (threads, _) in test_progress_mbarriers.PROGRAMS.items():
        yield f"mbarrier, {name}", build(mbarrier_program(threads)), "Termination"
    for folder in ("cuda-execution-model", "host", "barriers"):
        for path in sorted((REPOSITORY / "specs" / folder).glob("*.cu")):
            for run in plan(path, str(path), KEPT).runs:
                for property_ in run.properties:
                    yield run.name, progress_problem(run, property_).system, property_
    for seed in range(150):
        program = built(wide_program(random.Random(20_000 + seed)))
        yield f"wide {seed}", build(program), "Termination"
        yield f"wide {seed}", build(program, reductions=Reductions(polls=False)), "Progress"
    for seed in range(60):
        assuming, says = assuming_program(random.Random(30_000 + seed))
        readings = Readings(resident_blocks=says.places)
        yield f"assuming {seed}", build(built(assuming), assumed(says), readings=readings), "Termination"


def answers(system: System, property_: Property) -> tuple[bool | None, int]:
    """What is found about a program, and how many states it has."""
    graph = Exploration(system, property_).graph(2, stop_early=False)
    return solve(system, property_, 2).holds, len(graph.states)


@cache
def asked() -> list[Asked]:
    found = []
    for name, system, property_ in _systems():
        holds, states = answers(system, property_)
        if states < 3000:
            found.append(Asked(name, system, property_, holds, states))
    return sorted(found, key=lambda one: one.states)


def notices(one: Asked) -> bool:
    """Whether a program has another verdict, or other states."""
    try:
        return answers(one.system, one.property) != (one.holds, one.states)
    except Exception:  # a mutant may lead to what there is not
        return True


# ---------------------------------------------------------------- mutants


def smaller(term: Term) -> Iterator[Term]:
    """The terms that lack one part of a term."""
    match term:
        case Op(Fn.AND | Fn.OR | Fn.UNION, operands) if len(operands) > 1:
            for n in range(len(operands)):
                rest = operands[:n] + operands[n + 1 :]
                yield Op(term.fn, rest) if len(rest) > 1 else rest[0]
        case Op(Fn.IMPLIES, (_, then)):
            yield then
        case Op(Fn.MEET | Fn.PLUS | Fn.MINUS, (one, _)):
            yield one
        case Op(Fn.NOT, (one,)):
            yield one
        case Op(Fn.IF, (_, then, otherwise)):
            yield from (then, otherwise)
        case Over(Kind.THOSE, _, domain, _):
            yield domain
        case _:
            pass
    match term:
        case Op(fn, operands):
            for n, operand in enumerate(operands):
                yield from (Op(fn, (*operands[:n], other, *operands[n + 1 :])) for other in smaller(operand))
        case Over(kind, name, domain, body):
            yield from (Over(kind, name, other, body) for other in smaller(domain))
            yield from (Over(kind, name, domain, other) for other in smaller(body))
        case Call(name, arguments):
            for n, argument in enumerate(arguments):
                yield from (Call(name, (*arguments[:n], other, *arguments[n + 1 :])) for other in smaller(argument))
        case At(of, key):
            yield from (At(of, other) for other in smaller(key))
        case _:
            pass


def rule_of(step: Step) -> str:
    """The rule that a step follows."""
    operation = step.operation
    return f"leave {type(operation.at).__name__}" if isinstance(operation, Wait) else type(operation).__name__


def transition_mutants(made: Transition) -> Iterator[tuple[str, Transition]]:
    """A transition without one of its parts, each with a name."""
    if made.guard is not None:
        yield "guard", replace(made, guard=None)
        for n, guard in enumerate(smaller(made.guard)):
            yield f"guard {n}", replace(made, guard=guard)
    for n, update in enumerate(made.updates):
        before, after = made.updates[:n], made.updates[n + 1 :]
        yield update.variable, replace(made, updates=(*before, *after))
        for m, new in enumerate(smaller(update.new)):
            yield f"{update.variable} {m}", replace(made, updates=(*before, replace(update, new=new), *after))
    if made.wakes is not None:
        yield "wakes", replace(made, wakes=None)
        if made.wakes.one:
            yield "wakes one", replace(made, wakes=replace(made.wakes, one=False))
        for n, who in enumerate(smaller(made.wakes.who)):
            yield f"wakes {n}", replace(made, wakes=replace(made.wakes, who=who))
    for name, outcome in made.outcomes.items():
        for n, other in enumerate(smaller(outcome)):
            yield f"outcome {name} {n}", replace(made, outcomes={**made.outcomes, name: other})


def definition_mutants(definition: Definition) -> dict[str, Definition]:
    """A definition without one of its parts, each with a name."""
    return {str(n): replace(definition, body=body) for n, body in enumerate(smaller(definition.body))}


#: Mutants that no program of these can tell from the rules, and why.
EQUIVALENT = {
    ("Await", "wakes"): "nobody sleeps on what an acquire of a semaphore writes, until it has another value",
    ("CanStart", "2"): "no grid is ordered with itself",
    ("Takes", "10"): "the names of barriers of these programs have the same last part",
    ("Takes", "12"): "the names of barriers of these programs have as many parts",
    ("Takes", "14"): "the names of barriers of these programs have the same last part",
}


def unnoticed(
    mutants: dict[tuple[str, str], list[Asked]], mutate: Callable[[tuple[str, str]], None]
) -> set[tuple[str, str]]:
    """The mutants that none of the programs that they concern notices; of these ``_OF_EQUIVALENT`` are asked.

    A program that noticed one is likely to notice the next: it is asked first.
    """
    left = set()
    noticed: dict[int, None] = {}  # by who noticed last, first
    for mutant, concerned in mutants.items():
        mutate(mutant)
        if mutant in EQUIVALENT:
            concerned = spread(concerned, len(concerned) if os.environ.get(VARIABLE) == "1" else _OF_EQUIVALENT)
        by_id = {id(one): one for one in concerned}
        first = [by_id[one] for one in reversed(noticed) if one in by_id]
        for one in (*first, *concerned):
            if notices(one):
                noticed.pop(id(one), None)
                noticed[id(one)] = None
                break
        else:
            left.add(mutant)
    return left


def test_parts_of_transitions_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Rules.transition
    mutants: dict[tuple[str, str], list[Asked]] = {}
    for one in asked():
        rules, steps = Rules(one.system), one.system.steps.values()
        for mutant in dict.fromkeys(
            (rule_of(s), part) for s in steps for part, _ in transition_mutants(rules.transition(s))
        ):
            mutants.setdefault(mutant, []).append(one)

    def mutate(mutant: tuple[str, str]) -> None:
        def transition(self: Rules, step: Step) -> Transition:
            whole = made(self, step)
            return dict(transition_mutants(whole)).get(mutant[1], whole) if rule_of(step) == mutant[0] else whole

        monkeypatch.setattr(Rules, "transition", transition)

    assert len(mutants) > 70
    assert unnoticed(mutants, mutate) == {m for m in EQUIVALENT if m in mutants}


def test_parts_of_definitions_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Rules.__dict__["definitions"].func
    promised = {promise.name for promise in EXECUTION_MODEL}
    mutants: dict[tuple[str, str], list[Asked]] = {}
    for one in asked():
        for definition in Rules(one.system).definitions.values():
            if definition.name in promised:  # the engine reads them as data; tests/test_mutations.py
                continue
            for part in definition_mutants(definition):
                mutants.setdefault((definition.name, part), []).append(one)

    def mutate(mutant: tuple[str, str]) -> None:
        name, part = mutant

        def definitions(self: Rules) -> dict[str, Definition]:
            found = dict(made(self))
            if name in found:
                found[name] = definition_mutants(found[name]).get(part, found[name])
            return found

        changed = cached_property(definitions)
        changed.__set_name__(Rules, "definitions")
        monkeypatch.setattr(Rules, "definitions", changed)

    assert len(mutants) > 60
    assert unnoticed(mutants, mutate) == {m for m in EQUIVALENT if m in mutants}
