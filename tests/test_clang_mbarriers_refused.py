"""mbarriers and bulk copies: what is refused, what is undefined, and what other blocks may do."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from scopec.program import ir
from tests.conftest import check_text, program_of, verdicts
from tests.mbarrier_texts import (
    HEAD,
    IN_CLUSTER,
    KERNEL,
    LAUNCH,
    assert_refused,
    by_line,
    copied,
    program,
    statement,
)

# ---------------------------------------------------------------- what is refused, or wrong

#: By the text: the code, and what the message and the way out have in them.
REFUSED = {
    "mbarrier.pending_count.u64 P, T;": (Code.OUTSIDE_SUBSET, "`mbarrier.pending_count.u64` is"),
    "mbarrier.arrive.noComplete.b64 T, [A];": (Code.BAD_ARGUMENTS, "has a state (or _), an mbarrier, and a count"),
    "mbarrier.arrive.noComplete.relaxed.cta.b64 T, [A], 1;": (Code.BAD_ARGUMENTS, ".noComplete is .release.cta"),
    "mbarrier.arrive.noComplete.release.cluster.b64 T, [A], 1;": (Code.BAD_ARGUMENTS, ".noComplete is .release.cta"),
    "mbarrier.arrive_drop.noComplete.shared::cluster.b64 T, [A], 1;": (Code.BAD_ARGUMENTS, "in shared::cta"),
    "mbarrier.arive.b64 _, [A];": (Code.OUTSIDE_SUBSET, "did you mean `arrive`?"),
    "mbarrier.init.shared::cluster.b64 [A], 1;": (Code.OUTSIDE_SUBSET, "`mbarrier.init.shared::cluster.b64` is"),
    "mbarrier.arrive.acquire.cta.b64 _, [A];": (Code.OUTSIDE_SUBSET, "`mbarrier.arrive.acquire.cta.b64` is"),
    "mbarrier.arrive.release.b64 _, [A];": (Code.BAD_ARGUMENTS, "write .release.cta"),
    "mbarrier.arrive.release.gpu.b64 _, [A];": (Code.BAD_ARGUMENTS, "write .release.cta"),
    "mbarrier.arrive.cta.b64 _, [A];": (Code.OUTSIDE_SUBSET, "`mbarrier.arrive.cta.b64` is"),
    "mbarrier.arrive.relaxed.cta.relaxed.b64 _, [A];": (Code.OUTSIDE_SUBSET, "relaxed.cta.relaxed.b64` is"),
    "mbarrier.init.relaxed.cta.b64 [A], 1;": (Code.OUTSIDE_SUBSET, "`mbarrier.init.relaxed.cta.b64` is"),
    "mbarrier.arrive.shared [A];": (Code.OUTSIDE_SUBSET, "`mbarrier.arrive.shared` is"),
    "mbarrier.arrive.b64 [A];": (Code.BAD_ARGUMENTS, "has a state (or _), an mbarrier, and maybe a count"),
    "mbarrier.arrive.expect_tx.b64 _, [A];": (Code.BAD_ARGUMENTS, "has a state (or _), an mbarrier, and a count"),
    "mbarrier.test_wait.shared::cluster.b64 P, [A], T;": (Code.OUTSIDE_SUBSET, "`mbarrier.test_wait.shared::cluster"),
    "mbarrier.test_wait.b64 P, [A], T, 5;": (Code.BAD_ARGUMENTS, "has a result, an mbarrier, a state"),
    "mbarrier.try_wait.parity.b64 P, [A];": (Code.BAD_ARGUMENTS, "has a result, an mbarrier, a parity, maybe a time"),
    "mbarrier.try_wait.parity.phase_type::conditional.acquire.cta.b64 P, [A], 1;": (Code.OUTSIDE_SUBSET, "is outside"),
    "cp.async.mbarrier.arrive.shared::cluster.b64 [A];": (Code.OUTSIDE_SUBSET, "cp.async.mbarrier.arrive.shared.b64"),
    "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [G], [S], 16, 1;": (Code.OUTSIDE_SUBSET, "is outside"),
    "cp.async.bulk.global.shared::cta [G], [S], 16;": (Code.OUTSIDE_SUBSET, "write cp.async.bulk.shared::cluster.global"),
    "cp.async.bulk.global.shared::cta.bulk_group [G], [S], 24;": (Code.BAD_ARGUMENTS, "a bulk copy of 24 bytes"),
    "cp.async.bulk.global.shared::cta.bulk_group [G], [S], N;": (Code.NOT_CONSTANT, "a constant is wanted"),
    "cp.async.bulk.wait_group N;": (Code.BAD_ARGUMENTS, "write a constant"),
    "fence.proxy.alias;": (Code.OUTSIDE_SUBSET, "proxies come later"),
    "fence.mbarrier_init.acquire.cluster;": (Code.OUTSIDE_SUBSET, "is outside the modelled subset"),
}  # fmt: skip
CALLS = {
    "cuda::memcpy_async(s, g, 8, *(barrier*)&far_away);": (Code.BAD_ARGUMENTS, "an mbarrier is in shared memory"),
    "__shared__ double real; ptx::mbarrier_init((uint64_t*)&real, 1);": (Code.OUTSIDE_SUBSET, "as `k.real`, is"),
    "ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, unaligned, s, 16);":
        (Code.BAD_ARGUMENTS, "`unaligned` is aligned to 4 bytes, not to 16"),
    "ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, odd, g, 16, &bar);":
        (Code.BAD_ARGUMENTS, "`k.odd` is aligned to 4 bytes, not to 16"),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, g, g, 16, &bar);":
        (Code.BAD_ARGUMENTS, "one to shared memory, or from there to global memory"),
    "ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, s, s, 16);":
        (Code.BAD_ARGUMENTS, "one to shared memory, or from there to global memory"),
    "ptx::mbarrier_init(&bar, 1); bar = 0;": (Code.OUTSIDE_SUBSET, "`k.bar` is an mbarrier, and accessed as a number"),
    "ptx::mbarrier_init(&bar, 1); number = bar;": (Code.OUTSIDE_SUBSET, "`k.bar` is an mbarrier, and accessed as"),
}  # fmt: skip


@pytest.mark.parametrize("text", [*REFUSED, *CALLS])
@pytest.mark.sampled(28)
def test_what_is_refused_or_wrong(text: str) -> None:
    code, message = (REFUSED | CALLS)[text]
    assert_refused(lambda: program([statement(text) if text in REFUSED else text]), code, message, 1)


REMOTE = "uint64_t* there = cg::this_cluster().map_shared_rank(&bar, cg::this_cluster().block_rank() ^ 1);"
NOT_THERE = "accesses what is not in {}"
#: By the text: where an address is not, or what is not so; nothing follows.
UNDEFINED = {
    statement("mbarrier.init.b64 [F], 1;"): NOT_THERE.format("`the block's shared memory`"),
    "ptx::mbarrier_init(&far_away, 1);": NOT_THERE.format("`the block's shared memory`"),
    "ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, &far_away);":
        NOT_THERE.format("`shared memory`"),
    statement("cp.async.bulk.global.shared::cta.bulk_group [G], [G], 16;"): NOT_THERE.format("`the block's shared memory`"),
    statement("cp.async.bulk.global.shared::cta.bulk_group [G+4], [S], 16;"):
        "the addresses of a bulk copy are aligned to 16 bytes",
    "ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, g, g, 16, &bar);": NOT_THERE.format("`the block's shared memory`"),
    "ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, s + 1, g, 16, &bar);":
        "the addresses of a bulk copy are aligned to 16 bytes",
}  # fmt: skip


@pytest.mark.parametrize("text", UNDEFINED)
def test_what_is_undefined(text: str) -> None:
    (*_, last) = by_line(program([text, "ptx::mbarrier_init(&bar, 1);"]))
    assert last[-1].endswith(UNDEFINED[text])


def test_an_address_that_is_computed_has_to_be_aligned() -> None:
    text = "ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g + number, s, 16);"
    check = "- the addresses of a bulk copy are aligned to 16 bytes"
    assert check in by_line(program([text]))[0]
    (lines,) = by_line(program([text.replace("+ number", "+ 4 * number")]))
    assert "copy async, in a group" in lines
    assert check not in lines


def test_what_a_directive_declares_stands_for_memory_that_is_allocated() -> None:
    text = "__global__ void k(int* p) { __shared__ alignas(16) int s[4]; ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, p, s, 16); }"
    found = program_of(f"{HEAD}{text}\n//@ object __device__ int x[4];\n//@ launch k<<<1, 1>>>(x);\n", reader="clang")
    assert by_line(found) == [["copy async, in a group", *copied("x", "k.s"), "end of copy"]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "arrives"),
    [
        ("ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, there);", True),
        ('asm("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(at(there)));', True),
        ("ptx::mbarrier_arrive(there);", False),
        ("ptx::mbarrier_test_wait_parity(there, 0);", False),
    ],
)
def test_threads_of_other_blocks_arrive_and_do_not_wait(text: str, arrives: bool) -> None:
    found = program([REMOTE, text], IN_CLUSTER)
    lines = [line for lines in by_line(found) for line in lines]
    if arrives:
        assert "r0 = arrive.release.cluster k[1].bar by 1" in lines
    else:
        assert lines[-1].endswith(NOT_THERE.format("`the block's shared memory`"))
    assert (found.objects["k[1].bar"].use is ir.Use.MBARRIER) == arrives


FENCE = "ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);"


@pytest.mark.parametrize("text", [statement("fence.mbarrier_init.release.cluster;"), FENCE])
@pytest.mark.sampled(1)
def test_other_blocks_need_a_fence_behind_an_initialisation(text: str) -> None:
    assert by_line(program([text], IN_CLUSTER)) == [["fence.mbarrier_init"]]
    assert by_line(program([text])) == []


TOKENS = """
    ptx::mbarrier_init(&bar, 1);
    uint64_t first = ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait(&bar, first));
    uint64_t second = ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait(&bar, TOKEN));
"""


@pytest.mark.parametrize(("token", "answer"), [("first", "undefined"), ("second", "race_free")])
@pytest.mark.sampled(1)
def test_a_token_is_of_the_phase_or_of_the_one_before(token: str, answer: str, tmp_path: Path) -> None:
    text = HEAD + KERNEL + TOKENS.replace("TOKEN", token) + LAUNCH + f"//@ expect {answer};\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")])[answer] == ["holds"]
