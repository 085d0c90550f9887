"""Programs that miss parts of the rules of progress: tests/test_rule_mutations.py asks them."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from scopec.base.source import Source
from scopec.frontends.litmus.lower.program import lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.progress.build import build
from scopec.progress.models import MODELS, Property
from scopec.progress.reductions import Reductions
from scopec.progress.system import Readings, System
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import plan
from tests import test_named_barriers, test_progress_mbarriers
from tests.built_programs import assumed, built
from tests.conftest import REPOSITORY, program_of
from tests.mbarrier_programs import program_of as mbarrier_program
from tests.random_progress import assuming_program, wide_program
from tests.specifications import KEPT

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


_FOLDERS = ("cuda-execution-model", "host", "barriers")


def systems(wanted: Collection[str] | None = None) -> Iterator[tuple[str, System, Property]]:
    """Programs and what is asked of them, each with a name of its own: those of some names, or all."""

    def is_wanted(name: str) -> bool:
        return wanted is None or name in wanted

    for number, text in enumerate(_TEXTS.split("----\n")):
        for hold in (False, True):
            if is_wanted(name := f"text {number}{', exited threads hold' if hold else ''}"):
                yield name, build(program_of(text), readings=Readings(exited_threads_hold=hold)), "Termination"
    chance = random.Random(0)
    named = (test_named_barriers.text_of(test_named_barriers.program(chance)) for _ in range(60))
    for number, text in enumerate([*_LITMUS.lstrip().split("----\n"), *named]):
        if is_wanted(name := f"litmus {number}"):
            source = Source("a.litmus", text)
            program = lower(read(source), source, "a").program
            yield name, build(program, MODELS["fair"], Reductions(polls=False)), "Termination"
    for case, (threads, _) in test_progress_mbarriers.PROGRAMS.items():
        if is_wanted(name := f"mbarrier, {case}"):
            yield name, build(mbarrier_program(threads)), "Termination"
    for path in (p for folder in _FOLDERS for p in sorted((REPOSITORY / "specs" / folder).glob("*.cu"))):
        file = f"{path.parent.name}/{path.name}: "
        if wanted is None or any(name.startswith(file) for name in wanted):
            for run in plan(path, str(path), KEPT).runs:
                for property_ in run.properties:
                    if is_wanted(name := f"{file}{run.name}, {property_}"):
                        yield name, progress_problem(run, property_).system, property_
    for seed in range(150):
        if is_wanted(name := f"wide {seed}"):
            yield name, build(built(wide_program(random.Random(20_000 + seed)))), "Termination"
        if is_wanted(name := f"wide {seed}, polls kept"):
            program = built(wide_program(random.Random(20_000 + seed)))
            yield name, build(program, reductions=Reductions(polls=False)), "Progress"
    for seed in range(60):
        if is_wanted(name := f"assuming {seed}"):
            assuming, says = assuming_program(random.Random(30_000 + seed))
            yield (
                name,
                build(built(assuming), assumed(says), readings=Readings(resident_blocks=says.places)),
                "Termination",
            )
