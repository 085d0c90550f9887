"""`scopec run` of asynchronous programs: what their harnesses are made of, and what their results say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.gpu import siblings
from scopec.gpu.results import read as shown
from scopec.gpu.run import read
from scopec.session.check import Settings
from tests.cluster_programs import SENT, text_of
from tests.command import scopec
from tests.test_run import SPECS, flat, read_tests

if TYPE_CHECKING:
    from scopec.gpu.harness import Test

ASYNCHRONOUS = SPECS / "asynchronous"
#: By the program: instructions of its first variant, in the order in which they are in the harness.
INSTRUCTIONS = {
    "bulk-load.cu": [
        "mbarrier.init.shared::cta.b64 [%0], %1;",
        "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 32, [%2];",
        "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 over, [%1], %2;",
    ],
    "copies-arrive.cu": [
        "cp.async.ca.shared.global [%0], [%1], 4;",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];",
        "mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;",
        "cp.async.wait_all;",
    ],
    "store-groups.cu": [
        "fence.proxy.async.shared::cluster;",
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group.read 0;",
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
    ],
    "reductions.cu": ["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;"],
    "again.cu": ["mbarrier.inval.shared::cta.b64 [%0];"],
    "remote-arrival.cu": [
        "fence.mbarrier_init.release.cluster;",
        "barrier.cluster.arrive.relaxed;",
        "barrier.cluster.wait.acquire;",
        "mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;",
        "barrier.cluster.arrive.release;",
    ],
    "load-store.cu": ["mbarrier.test_wait.acquire.cta.shared::cta.b64 over, [%1], %2;"],
    "two-copies.cu": ["mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;"],
}
_COMPLETION = "mbarrier::complete_tx::bytes"
#: By what is sent to another block: its instruction.
SENDS = {
    "store": f"st.async.weak.shared::cluster.{_COMPLETION}.b32 [%0], %2, [%1];",
    "store of two": f"st.async.weak.shared::cluster.{_COMPLETION}.v2.b32 [%0], {{%2, %3}}, [%1];",
    "store in PTX": f"st.async.weak.shared::cluster.{_COMPLETION}.v4.b32 [%0], {{%2, %3, %4, %5}}, [%1];",
    "reduction": f"red.async.relaxed.cluster.shared::cluster.{_COMPLETION}.max.s32 [%0], %1, [%2];",
    "copy": f"cp.async.bulk.shared::cluster.shared::cta.{_COMPLETION} [%0], [%1], 16, [%2];",
    "load": f"cp.async.bulk.shared::cluster.global.{_COMPLETION} [%0], [%1], 16, [%2];",
    "sum": f"cp.reduce.async.bulk.shared::cluster.shared::cta.{_COMPLETION}.add.u32 [%0], [%1], 16, [%2];",
    "multicast": f"cp.async.bulk.shared::cluster.global.{_COMPLETION}.multicast::cluster [%0], [%1], 16, [%2], %3;",
}


def text(test: Test) -> str:
    return "".join(test.functions)


def first_variant(name: str, folder: Path) -> Test:
    """Of a specification; the others are not read."""
    path = folder / name
    path.write_text(re.sub(r"(//@ vary .* in \{)(.*?),.*\}", r"\1\2}", (ASYNCHRONOUS / name).read_text()))
    (test,) = read_tests(path)
    return test


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_operations_are_instructions(name: str, tmp_path: Path) -> None:
    whole, at = text(first_variant(name, tmp_path)), 0
    for instruction in INSTRUCTIONS[name]:
        at = whole.find(instruction, at)
        assert at >= 0, instruction


def test_what_is_sent_to_another_block_is_an_instruction(tmp_path: Path) -> None:
    assert SENT.keys() == SENDS.keys()
    for n, sent in enumerate(SENT):
        path = tmp_path / f"{n}.cu"
        path.write_text(text_of(sent).replace("MULTICAST", "1" if sent == "multicast" else "0"))
        (test,) = read_tests(path)
        assert SENDS[sent] in text(test), sent
        assert test.cluster == 2


def test_copies_find_elements_beside_each_other(tmp_path: Path) -> None:
    test = first_variant("bulk-load.cu", tmp_path)
    at = {f"{place.object}[{place.index}]": n for place, n in {**test.memory.anywhere, **test.memory.shared}.items()}
    assert [at[f"in[{n}]"] for n in range(8)] == [4 * n for n in range(8)]
    assert [at[f"k.tile[{n}]"] - at["k.tile[0]"] for n in range(8)] == [4 * n for n in range(8)]
    assert (at["out[0]"], at["k.tile[0]"] % 16, at["k.bar[0]"] % 16) == (32, 0, 0)
    assert (test.lanes, test.barriers) == (32, True)


def test_shared_variables_are_at_one_place_in_each_block(tmp_path: Path) -> None:
    """ "The source data is multicast to the same CTA-relative offset [...] of each destination CTA"."""
    path = tmp_path / "k.cu"
    path.write_text(text_of("multicast").replace("MULTICAST", "1"))
    (test,) = read_tests(path)
    places = {(place.object, place.index): n for place, n in test.memory.shared.items()}
    assert {places["k[0].data", n] - places["k[1].data", n] for n in range(4)} == {0}
    _, of_block = test.memory.words
    assert test.shared_of == (0,) * of_block + (1,) * of_block
    assert '"h"(u16(0x3))' in text(test)


def test_first_values_are_packed(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__device__ int in[3] = {1, -1, 3};\n__global__ void k() {\n"
        '    asm volatile("fence.proxy.async;" ::: "memory"); in[0] += in[1] + in[2];\n}\n//@ launch k<<<1, 1>>>();\n'
    )
    (test,) = read_tests(path)
    assert test.initial == (1 | 0xFFFFFFFF << 32, 3)


def results_of(path: Path, words: dict[str, int], folder: Path) -> Path:
    """Results of a file with one test in which each location that is named has a value."""
    (test,) = read_tests(path)
    state = [0] * test.words
    blocks = {name: number for number, name in enumerate(test.block_names)}
    for place in (*test.memory.anywhere, *test.memory.shared):
        word, bit = test.memory.word(place, blocks)
        state[len(test.roles) + len(test.locals) + word] |= words.get(f"{place.object}[{place.index}]", 0) << bit
    lines = [
        {"scopec": 1, "gpu": "a GPU"},
        {"test": test.name, "key": test.key, "runs": 9, "lost": 0, "states": [[9, *state]]},
    ]
    results = folder / "results.jsonl"
    results.write_text("\n".join(map(json.dumps, lines)))
    return results


TOKEN = """\
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) int in[4] = {5, 6, 7, 8}, out[3];
__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    uint64_t token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
    uint64_t other = token;
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 16, &bar);
    while (!ptx::mbarrier_try_wait(&bar, other)) {}
    int seen = tile[3];
    out[2] = seen;
}
//@ launch k<<<1, 1>>>();
//@ expect required out[2] == 8;
"""


def test_what_was_seen_is_compared(tmp_path: Path) -> None:
    """Tokens and mbarriers are the GPU's own, and a copy for which nobody waits may write when a block has ended."""
    path = tmp_path / "k.cu"
    path.write_text(TOKEN)
    (test,) = read_tests(path)
    assert [local.register for local in test.locals] == ["seen"]
    words = {f"in[{n}]": 5 + n for n in range(4)} | {"out[2]": 8, "k.bar[0]": 2**60 + 1, "k.tile[0]": 99}
    done = scopec("run", path, "--results", results_of(path, words, tmp_path))
    assert done.returncode == 1, done.stderr  # a local has its place before these
    path.write_text(TOKEN.replace("int seen = tile[3];\n    out[2] = seen", "out[2] = tile[3]"))
    done = scopec("run", path, "--results", results_of(path, words, tmp_path))
    assert done.returncode == 0, done.stderr
    assert "9 in[0]=5; in[1]=6; in[2]=7; in[3]=8; out[2]=8;" in flat(done.stdout)
    assert "1 of 1 allowed states seen in 9 runs on a GPU" in flat(done.stdout)
    done = scopec("run", path, "--results", results_of(path, words | {"out[2]": 7}, tmp_path))
    assert done.returncode == 1, done.stderr
    assert "9 in[0]=5; in[1]=6; in[2]=7; in[3]=8; out[2]=7; forbidden" in flat(done.stdout)
    assert "violated required out[2] == 8: 9 of 9 runs on a GPU ended otherwise" in flat(done.stdout)


def test_a_kernel_that_fails_shows_nothing(tmp_path: Path) -> None:
    path, results = tmp_path / "k.cu", tmp_path / "results.jsonl"
    path.write_text(TOKEN)
    (test,) = read_tests(path)
    failed = {"test": test.name, "key": test.key, "failed": "its kernel ended with: unspecified launch failure"}
    results.write_text(json.dumps({"scopec": 1, "gpu": "a GPU"}) + "\n" + json.dumps(failed))
    done = scopec("run", path, "--results", results)
    assert "nothing was seen on a GPU: its kernel ended with: unspecified launch failure" in flat(done.stdout)


#: By the body of a kernel: what of it is refused.
REFUSED = {
    "__shared__ char c[4]; __shared__ uint64_t bar; c[0] = 1; ptx::mbarrier_init(&bar, 1);":
        "objects of type `char` beside asynchronous operations",
    "__shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ int s; init(&bar, 1);"
    " cuda::memcpy_async(&s, g, sizeof(s), bar); bar.arrive_and_wait();":
        "copies of the library that complete at a barrier",
}  # fmt: skip


def test_right_and_broken_programs_are_a_table(tmp_path: Path) -> None:
    """A kernel that fails, one with wrong values, and one that ends in none."""
    path = siblings.PROGRAMS / "own-store.cu"
    right, broken = read_tests(path)
    words = [0] * (right.words - 1)
    at = 1 + len(right.locals)
    ones = [0, *words]
    ones[at : at + 2] = [1 | 1 << 32] * 2
    results = tmp_path / "results.jsonl"
    lines = [
        {"scopec": 1, "gpu": "a GPU", "rounds": 3},
        {"test": "right", "key": right.key, "runs": 9, "lost": 0, "states": [[9, *ones]]},
        {
            "test": "broken",
            "key": broken.key,
            "runs": 9,
            "lost": 0,
            "states": [[5, *ones], [3, 0, *words], [1, 1, *words]],
        },
    ]
    results.write_text("\n".join(map(json.dumps, lines)))
    (file,) = read([path], Settings())
    assert list(siblings.rows(file, shown(results))) == [
        ("`own-store`", "FENCES = true", "race free", "9", "0", "0"),
        ("`own-store`", "FENCES = false", "race", "9", "3", "1"),
    ]
    failed = {"test": "broken", "key": broken.key, "failed": "its kernel ended with: unspecified launch failure"}
    results.write_text("\n".join(map(json.dumps, [*lines[:2], failed])))
    assert list(siblings.rows(file, shown(results)))[1] == (
        "`own-store`", "FENCES = false", "race", "", "unspecified launch failure", ""
    )  # fmt: skip


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_not_run_is_said_by_name(body: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "#include <cstdint>\n#include <cuda/barrier>\n#include <cuda/ptx>\nnamespace ptx = cuda::ptx;\n"
        f"__device__ int g[4];\n__global__ void k() {{ {body} }}\n//@ launch k<<<1, 1>>>();\n"
    )
    done = scopec("run", path, "--emit", tmp_path / "harness")
    assert done.returncode == 2, done.stderr
    assert f"`scopec run` does not run {REFUSED[body]}" in done.stderr
