"""Asynchronous stores, copies and reductions in other blocks of a cluster: what each is, what is refused, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from tests.cluster_programs import SENT, WAITS, text_of
from tests.conftest import check_text, program_of, verdicts
from tests.mbarrier_texts import EXPECTS, HEAD, IN_CLUSTER, KERNEL, assert_refused, by_line, copied, program, statement

REMOTE = "auto cluster = cg::this_cluster(); const unsigned rank = cluster.block_rank(), next = rank ^ 1; "
REMOTE += "int* to = cluster.map_shared_rank(s, next); uint64_t* there = cluster.map_shared_rank(&bar, next); "
REMOTE += "float* real = (float*)cluster.map_shared_rank(f, next);"
MORE = "__shared__ alignas(16) float f[4]; __shared__ alignas(16) long w[2];"


def in_cluster(*lines: str) -> list[list[str]]:
    return by_line(program([MORE + REMOTE, *lines], IN_CLUSTER))


def asm(instruction: str, *inputs: str) -> str:
    """An instruction whose operands are %0, %1 and so on."""
    return f'asm volatile("{instruction}" :: {", ".join(inputs)} : "memory");'


D, B, V = '"r"(at(to))', '"r"(at(there))', '"r"(7)'
S, A, G = '"r"(at(s))', '"r"(at(&bar))', '"l"(g)'
_COMPLETE = ".shared::cluster.mbarrier::complete_tx::bytes"
#: An operation that completes at an mbarrier of the other block.
_BEGIN, _BULK = "copy, complete at an mbarrier", "copy async, complete at an mbarrier"


def sent(size: int, *done: str, begin: str = _BEGIN) -> list[str]:
    return [begin, *done, f"expect -{size} bytes.relaxed.cluster k[1].bar", *EXPECTS, "end of copy"]


def updated(place: str, new: str) -> str:
    return f"r0 = rmw.relaxed.cluster {place} = {new}"


def sums(there: str, from_: str, new: str, scope: str, count: int = 4) -> list[str]:
    elements = ["" if not n else f"[{n}]" for n in range(count)]
    return [x for n in elements for x in (f"r0 = load {from_}{n}", f"r1 = rmw.relaxed.{scope} {there}{n} = {new}")]


ONE = ["store k[1].s = 7"]
EMITTED = {
    asm(f"st.async.weak{_COMPLETE}.b32 [%0], %1, [%2];", D, V, B): sent(4, *ONE),
    asm("st.async.u32 [%0], %1, [%2];", D, V, B): sent(4, *ONE),
    asm("st.async.shared::cluster.s32 [%0+4], %1, [%2];", D, V, B): sent(4, "store k[1].s[1] = 7"),
    asm(f"st.async{_COMPLETE}.v2.s32 [%0], {{%1, 8}}, [%2];", D, V, B): sent(8, *ONE, "store k[1].s[1] = 8"),
    asm(f"st.async.weak{_COMPLETE}.v4.u32 [%0], {{%1, 8, 9, 10}}, [%2];", D, V, B):
        sent(16, *ONE, *(f"store k[1].s[{n}] = {n + 7}" for n in (1, 2, 3))),
    "ptx::st_async(to, 7, there);": sent(4, *ONE),
    "{ int v[2] = {7, 8}; ptx::st_async(to, v, there); }": sent(8, *ONE, "store k[1].s[1] = 8"),
    "{ int v[4] = {7, 8, 9, 10}; ptx::st_async(to, v, there); }":
        sent(16, *ONE, *(f"store k[1].s[{n}] = {n + 7}" for n in (1, 2, 3))),
    "ptx::st_async(real, 1.f, there);": sent(4, "store k[1].f = 0"),
    asm(f"red.async.relaxed.cluster{_COMPLETE}.add.s32 [%0], %1, [%2];", D, V, B): sent(4, updated("k[1].s", "r0 + 7")),
    asm("red.async.relaxed.cluster.max.u32 [%0], %1, [%2];", D, V, B):
        sent(4, updated("k[1].s", "int(max(unsigned int(r0), 7))")),
    "ptx::red_async(ptx::op_min, to, 7, there);": sent(4, updated("k[1].s", "min(r0, 7)")),
    "ptx::red_async(ptx::op_xor_op, to, 7, there);": sent(4, updated("k[1].s", "r0 ^ 7")),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, s, 16, there);":
        sent(16, *copied("k[1].s", "k[0].s"), begin=_BULK),
    asm("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];", D, S, B):
        sent(16, *copied("k[1].s", "k[0].s"), begin=_BULK),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, g, 16, there);":
        sent(16, *copied("k[1].s", "g"), begin=_BULK),
    "ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, to, s, 16, there);":
        sent(16, *sums("k[1].s", "k[0].s", "r1 + r0", "cluster"), begin=_BULK),
    asm("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [%0], [%1], 16, [%2];", D, S, B):
        sent(16, *sums("k[1].s", "k[0].s", "r1 & r0", "cluster"), begin=_BULK),
}  # fmt: skip


def test_what_is_sent_to_another_block() -> None:
    found = in_cluster(*EMITTED)
    assert dict(zip(EMITTED, found, strict=True)) == EMITTED


def _grouped(*done: str) -> list[str]:
    return ["copy async, in a group", *done, "end of copy"]


#: By the instruction: what it does to global memory.
STORED = {
    "add.u32": "r1 + r0", "add.s32": "r1 + r0", "or.b32": "r1 | r0", "min.s32": "min(r1, r0)", "max.s32": "max(r1, r0)",
    "min.u32": "int(min(unsigned int(r1), unsigned int(r0)))",
    "inc.u32": "unsigned int(r1) >= unsigned int(r0) ? 0 : r1 + 1",
    "dec.u32": "r1 == 0 || unsigned int(r1) > unsigned int(r0) ? r0 : r1 - 1",
}  # fmt: skip
LONG = "ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, (long*)wide, w, 16);"


def test_reductions_of_global_memory() -> None:
    texts = [statement(f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{one} [G], [S], 16;") for one in STORED]
    texts.append("ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, g, s, 16);")
    wanted = [_grouped(*sums("g", "k.s", new, "system")) for new in (*STORED.values(), STORED["or.b32"])]
    assert by_line(program(texts)) == wanted


def test_reductions_of_numbers_of_64_bits() -> None:
    text = HEAD + "__device__ alignas(16) long wide[2];" + KERNEL + MORE + LONG
    (lines,) = by_line(program_of(text + "}\n//@ launch k<<<1, 1>>>();\n", reader="clang"))
    assert lines == _grouped(*sums("wide", "k.w", "r1 + r0", "system", 2))


MULTICAST = (
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 16, [%2], %3;"
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (asm(MULTICAST, S, G, A, '"h"((short)3)'), (0, 1)),
        (asm(MULTICAST, S, G, A, '"h"((short)(1 << next))'), (1,)),
        (asm(MULTICAST, D, G, B, '"h"((short)3)'), (0, 1)),
        (
            asm(
                MULTICAST.replace("cluster [", "cluster.L2::cache_hint [").replace("%3", "%3, %4"),
                S,
                G,
                A,
                '"h"((short)2)',
                '"l"(0ul)',
            ),
            (1,),
        ),
        ("ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, &bar, 3);", (0, 1)),
    ],
)
def test_a_multicast_writes_in_each_block_that_its_mask_names(text: str, blocks: tuple[int, ...]) -> None:
    (lines,) = in_cluster(text)
    stores = [f"store k[{block}].s{n} = r0" for n in ("", "[1]", "[2]", "[3]") for block in blocks]
    loads = [f"r0 = load g{n}" for n in ("", "[1]", "[2]", "[3]")]
    data = [x for n, load in enumerate(loads) for x in (load, *stores[n * len(blocks) : (n + 1) * len(blocks)])]
    done = [x for block in blocks for x in (f"expect -16 bytes.relaxed.cluster k[{block}].bar", *EXPECTS)]
    assert lines == [_BULK, *data, *done, "end of copy"]


def test_a_multicast_in_a_cluster_of_one_block() -> None:
    text = "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, &bar, 1);"
    (lines,) = by_line(program([text]))
    assert lines == [_BULK, *copied("k.s", "g"), "expect -16 bytes.relaxed.cluster k.bar", *EXPECTS, "end of copy"]


# ---------------------------------------------------------------- what is refused, or wrong

#: By the text: the code, and what the message and the way out have in them.
REFUSED = {
    asm("st.async.weak.shared::cta.b32 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "`st.async.weak.shared::cta.b32` is"),
    asm("st.async.relaxed.b32 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "`st.async.relaxed.b32` is"),
    asm("st.async.b16 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "`st.async.b16` is"),
    asm("st.async [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "`st.async` is"),
    asm("st.async.v4.b64 [%0], {%1, %1, %1, %1}, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "`st.async.v4.b64` is"),
    asm("st.async.v2.b32 [%0], {%1, %1, %1}, [%2];", D, V, B): (Code.BAD_ARGUMENTS, "2 of them are wanted here"),
    asm("st.async.b32 [%0], %1;", D, V): (Code.BAD_ARGUMENTS, "takes 3 operands, 2 given"),
    asm("st.async.release.gpu.global.b32 [%0], %1;", G, V):
        (Code.OUTSIDE_SUBSET, "asynchronous stores to global memory come later"),
    asm("red.async.release.gpu.global.add.u32 [%0], %1;", G, V):
        (Code.OUTSIDE_SUBSET, "asynchronous reductions of global memory come later"),
    asm("red.async.relaxed.cluster.u32 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "`red.async.relaxed.cluster.u32` is"),
    asm("red.async.relaxed.gpu.add.u32 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "relaxed.gpu.add.u32` is"),
    asm("red.async.relaxed.cluster.exch.u32 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "exch.u32` is"),
    asm("red.async.relaxed.cluster.inc.s32 [%0], %1, [%2];", D, V, B): (Code.OUTSIDE_SUBSET, "inc.s32` is"),
    asm("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 16;", G, S):
        (Code.OUTSIDE_SUBSET, "those of integers are modelled: add.u/s32"),
    asm("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 16;", G, S):
        (Code.OUTSIDE_SUBSET, "those of integers are modelled"),
    asm("cp.reduce.async.bulk.global.shared::cta.bulk_group.and.u32 [%0], [%1], 16;", G, S):
        (Code.OUTSIDE_SUBSET, "and.b32"),
    asm("cp.reduce.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 16, [%2];", S, S, A):
        (Code.OUTSIDE_SUBSET, "write .global.shared::cta.bulk_group, or .shared::cluster.shared::cta"),
    asm("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%1];", G, V):
        (Code.OUTSIDE_SUBSET, "copies of tensors come later"),
    "ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, (float*)g, f, 16);":
        (Code.OUTSIDE_SUBSET, "floating-point numbers"),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, &bar, 0);":
        (Code.BAD_ARGUMENTS, "a multicast to no block"),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, &bar, number);":
        (Code.NOT_CONSTANT, "a constant is wanted"),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, there);":
        (Code.OUTSIDE_SUBSET, "at another block's mbarrier is"),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, s, 16, &bar);":
        (Code.OUTSIDE_SUBSET, "at another block's mbarrier is"),
    "{ int v[2] = {7, 8}; ptx::st_async((int*)cluster.map_shared_rank(odd, next), v, there); }":
        (Code.BAD_ARGUMENTS, "is aligned to 4 bytes, not to 8, as for an asynchronous store"),
}  # fmt: skip


@pytest.mark.sampled(8)
@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_or_wrong(text: str) -> None:
    code, message = REFUSED[text]
    assert_refused(lambda: in_cluster(text), code, message, 2)


NOT_THERE = "accesses what is not in `{}`"
#: By the text: where an address is not, or what is not so; nothing follows.
UNDEFINED = {
    asm("st.async.b32 [%0], %1, [%2];", S, V, A): "an asynchronous store is to another block",
    "ptx::st_async(s, 7, there);": "an asynchronous store is to another block",
    "ptx::red_async(ptx::op_add, s, 7, &bar);": "an asynchronous store is to another block",
    "ptx::st_async(to, 7, &bar);": "data and mbarrier of an asynchronous store are in one block",
    "ptx::st_async(g, 7, there);": NOT_THERE.format("shared memory"),
    "{ int v[2] = {7, 8}; ptx::st_async(to + 1, v, there); }": "the addresses of an asynchronous store are aligned to 8 bytes",
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, s, to, 16, &bar);": NOT_THERE.format("the block's shared memory"),
    "ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, to, g, 16, &bar);": NOT_THERE.format("the block's shared memory"),
    "ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g, to, 16);": NOT_THERE.format("the block's shared memory"),
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, &bar, 4);": NOT_THERE.format("the cluster"),
}  # fmt: skip


@pytest.mark.parametrize("text", UNDEFINED)
def test_what_is_undefined(text: str) -> None:
    (*_, last) = in_cluster(text, "ptx::mbarrier_init(&bar, 1);")
    assert last[-1].endswith(UNDEFINED[text])


# ---------------------------------------------------------------- answers

END = "if (rank == 0) out = data[0];"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", SENT)
def test_what_is_sent_is_there_behind_a_wait(what: str, tmp_path: Path) -> None:
    expected = "//@ expect race_free;\n//@ expect terminates;\n//@ expect required out == 7;\n"
    found = verdicts([check_text(tmp_path, text_of(what) + expected, engine="embedded")])
    assert set(found) >= {"race_free", "terminates", "required out == 7"}
    assert set(map(tuple, found.values())) == {("holds",)}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", SENT)
def test_a_barrier_of_the_cluster_is_no_wait_for_it(what: str, tmp_path: Path) -> None:
    text = text_of(what, wait="if (0)", end=END) + "//@ expect race on data;\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")])["race on data"] == ["holds"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", [what for what, (*_, proxy) in SENT.items() if proxy])
def test_bulk_operations_need_a_fence_behind_stores(what: str, tmp_path: Path) -> None:
    text = text_of(what, fence=False) + "//@ expect race on data;\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")])["race on data"] == ["holds"]


def test_each_reader_of_a_multicast_waits_in_its_block(tmp_path: Path) -> None:
    wait = f"if (rank == 0) {WAITS}"
    text = text_of("multicast", wait=wait) + "//@ expect race on data;\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")])["race on data"] == ["holds"]


def test_bytes_that_nobody_sends_are_a_hang(tmp_path: Path) -> None:
    text = text_of("store").replace("&bar, 4)", "&bar, 8)") + "//@ expect may_hang;\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")])["may_hang"] == ["holds"]
