"""Threads that the end of the process or an aborted grid stops: final states against every interleaving of the steps.

The memory question chooses how far each thread gets; the explorer of the progress question takes the step that stops them
at any time.  All accesses are sequentially consistent, so that both have the same final states.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.engines.embedded.progress.exploring import Exploration
from scopec.progress.build import build
from scopec.progress.reductions import NOTHING
from tests.conftest import program_of
from tests.samples import programs
from tests.test_outcomes import listed

_PROGRAMS = programs(4, 8)
_HEAD = """#include <cuda/atomic>
#include <cstdlib>
#include <thread>
__managed__ cuda::atomic<int, cuda::thread_scope_system> x{0}, y{0};
"""


def statements(chance: random.Random, stop: str) -> str:
    """A few accesses, and maybe what stops others."""
    found = []
    for _ in range(chance.randint(1, 3)):
        one, other = chance.sample(["x", "y"], 2)
        found.append(
            chance.choice(
                [
                    f"{one}.store({chance.randint(1, 3)});",
                    f"{one}.fetch_add(1);",
                    f"if ({one}.load() == 1) {other}.store(4);",
                    f"while ({one}.load() == 2);",
                ]
            )
        )
    if chance.random() < 0.5:
        found.insert(chance.randint(0, len(found)), stop if chance.random() < 0.5 else f"if (x.load() == 1) {stop}")
    return " ".join(found)


def on_host(chance: random.Random) -> str:
    """Threads that are joined or not, and `exit`."""
    body = ""
    ends = ""
    for name in "tu"[: chance.randint(1, 2)]:
        body += f"    std::thread {name}([] {{ {statements(chance, 'exit(0);')} }});\n"
        if chance.random() < 0.6:
            body += f"    {name}.detach();\n"
        else:
            ends += f"    {name}.join();\n"
    return f"{_HEAD}int main() {{\n{body}    {statements(chance, 'exit(0);')}\n{ends}}}\n"


def on_device(chance: random.Random) -> str:
    """A grid of two threads, another one behind it or beside it, and `__trap`."""
    threads = [statements(chance, "__trap();") for _ in range(2)]
    stream = chance.choice(["", ", 0, s"])
    return (
        f"{_HEAD}__global__ void k() {{ if (threadIdx.x == 0) {{ {threads[0]} }} else {{ {threads[1]} }} }}\n"
        f"__global__ void l() {{ y.fetch_add(1); }}\n"
        "int main() {\n    cudaStream_t s;\n    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"
        f"    k<<<1, 2>>>();\n    l<<<1, 1{stream}>>>();\n    cudaDeviceSynchronize();\n    x.fetch_add(1);\n}}\n"
    )


def interleaved(text: str) -> set[tuple[int, int]]:
    """The final values of x and y where everything has ended, by the explorer."""
    system = build(program_of(text), reductions=NOTHING)
    exploration = Exploration(system, "Termination")
    graph = exploration.graph(None, stop_early=False)
    found = set()
    for number in graph.done:
        memory = exploration.stepping.moment(graph.states[number]).memory
        found.add((memory.get("x", 0), memory.get("y", 0)))
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(_PROGRAMS))
@pytest.mark.parametrize("made", [on_host, on_device])
def test_final_states_are_those_of_every_interleaving(
    made: Callable[[random.Random], str], seed: int, tmp_path: Path
) -> None:
    text = made(random.Random(seed))
    path = tmp_path / "program.cu"
    path.write_text(text + "//@ expect allowed x == 0 && y == 0;\n//@ bound unroll = 4;\n", encoding="utf-8")
    listing = listed(path)
    assert listing.unfinished == ()
    assert {(s.values.get("x", 0), s.values.get("y", 0)) for s in listing.states} == interleaved(text), text
