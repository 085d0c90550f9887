"""mbarriers and bulk copies: what each spelling is in the program, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable

from scopec.program import ir, types
from tests.conftest import program_of
from tests.mbarrier_texts import (
    ARRIVES,
    DROPS,
    EXPECTS,
    FAULT,
    HEAD,
    INIT,
    IS,
    TOKEN,
    by_line,
    copied,
    program,
    rules,
    statement,
)

COPY = ["copy async, complete at an mbarrier", *copied("k.s", "g"), "expect -16 bytes.relaxed.cluster k.bar", *EXPECTS]
COPY += ["end of copy"]
STORE = ["copy async, in a group", *copied("g", "k.s"), "end of copy"]
FOLLOWS = ["behind copies, complete at an mbarrier", "r0 = arrive.relaxed.block k.bar by 1", *ARRIVES, "end of copy"]

PARTIAL = rules(FAULT.NOT_INITIALISED, FAULT.TOO_MANY, FAULT.COMPLETES, FAULT.OVERRUN)
MORE = ["expect 1 arrivals.relaxed.block k.bar", *rules(FAULT.NOT_INITIALISED, FAULT.COUNT, FAULT.LATE_BYTES)]

#: What each instruction is; A is the address of the mbarrier, S one in shared memory, G one in global memory.
INSTRUCTIONS = {
    "mbarrier.init.shared::cta.b64 [A], 1;": ["barrier k.bar of 1", *INIT],
    "mbarrier.init.b64 [A], 1048576;": ["barrier k.bar of 1048576", *rules(FAULT.INITIALISED, FAULT.COUNT)],
    "mbarrier.inval.shared.b64 [A];": ["no barrier k.bar", *IS],
    "mbarrier.arrive.shared.b64 T, [A];": ["r0 = arrive.release.block k.bar by 1", *ARRIVES],
    "mbarrier.arrive.b64 _, [A], 2;": ["r0 = arrive.release.block k.bar by 2", *ARRIVES],
    "mbarrier.arrive.shared::cta.b64 _, [A], 0;": ["r0 = arrive.release.block k.bar by 0", *DROPS],
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [A];": ["r0 = arrive.release.cluster k.bar by 1", *ARRIVES],
    "mbarrier.arrive.relaxed.cta.shared::cta.b64 T, [A];": ["r0 = arrive.relaxed.block k.bar by 1", *ARRIVES],
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [A], 16;": [
        "r0 = arrive.release.block k.bar by 1, 16 bytes expected", *ARRIVES,
    ],
    "mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 T, [A], 16; // 8.": [
        "r0 = arrive.release.cluster k.bar by 1, 16 bytes expected", *ARRIVES,
    ],
    "mbarrier.arrive_drop.shared.b64 _, [A];": ["r0 = drop.release.block k.bar by 1", *DROPS],
    "mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cluster.b64 _, [A], 16;": [
        "r0 = drop.relaxed.cluster k.bar by 1, 16 bytes expected", *DROPS,
    ],
    "mbarrier.arrive.noComplete.shared::cta.b64 T, [A], 1;": ["r0 = arrive.partial.release.block k.bar by 1", *PARTIAL],
    "mbarrier.arrive_drop.noComplete.release.cta.b64 T, [A], 1;": [
        "r0 = drop.partial.release.block k.bar by 1", *DROPS[:3], *PARTIAL[2:],
    ],
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [A], 16;": ["expect 16 bytes.relaxed.block k.bar", *EXPECTS],
    "mbarrier.expect_tx.shared.b64 [A], 16;": ["expect 16 bytes.relaxed.block k.bar", *EXPECTS],
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [A], 16;": ["expect -16 bytes.relaxed.cluster k.bar", *EXPECTS],
    "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [A], 16;": ["expect -16 bytes.relaxed.cluster k.bar", *EXPECTS],
    "mbarrier.test_wait.shared.b64 P, [A], T;": ["r0 = test.acquire.block k.bar whether r0 != long(state)", *TOKEN],
    "mbarrier.test_wait.parity.relaxed.cluster.b64 P, [A], 1;": [
        "r0 = test.relaxed.cluster k.bar whether r0 % 2 != 1", *IS,
    ],
    "mbarrier.test_wait.parity.shared.b64 P, [A], N;": [
        "r0 = load number", "- the parity is 0 or 1",
        "r1 = test.acquire.block k.bar whether r1 % 2 != long(unsigned int(r0))", *IS,
    ],
    "mbarrier.try_wait.parity.shared::cta.b64 P, [A], 0;": [
        "r0 = test.acquire.block k.bar whether r0 % 2 != 0", *IS, "r1 = either",
    ],
    "mbarrier.try_wait.acquire.cluster.shared::cta.b64 P, [A], T, 1000;": [
        "r0 = test.acquire.cluster k.bar whether r0 != long(state)", *TOKEN, "r1 = either",
    ],
    "cp.async.mbarrier.arrive.noinc.shared.b64 [A];": FOLLOWS,
    "cp.async.mbarrier.arrive.noinc.b64 [A];": FOLLOWS,
    "cp.async.mbarrier.arrive.shared::cta.b64 [A];": [*MORE, *FOLLOWS],
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [S], [G], 16, [A];": COPY,
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [S], [G], 16, [A];": COPY,
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [S], [G], 16, [A], T;": COPY,
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [S], [S+16], 16, [A];": [
        COPY[0], "r0 = load k.s[4]", "store k.s = r0", "r0 = load k.s[5]", "store k.s[1] = r0", "r0 = load k.s[6]",
        "store k.s[2] = r0", "r0 = load k.s[7]", "store k.s[3] = r0", *COPY[-4:],
    ],
    "cp.async.bulk.prefetch.L2.global [G], 16;": [],
    "fence.mbarrier_init.release.cluster;": [],
    "cp.async.bulk.global.shared::cta.bulk_group [G], [S], 16;": STORE,
    "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [G], [S], 16, T;": STORE,
    "cp.async.bulk.commit_group;": ["commit bulk copies"],
    "cp.async.bulk.wait_group 1;": ["wait for bulk copies, 1 groups left"],
    "cp.async.bulk.wait_group.read 0;": ["wait for reads of bulk copies, 0 groups left"],
    "fence.proxy.async;": ["fence.proxy.async"],
    "fence.proxy.async.global;": ["fence.proxy.async.global"],
    "fence.proxy.async.shared::cta;": ["fence.proxy.async.shared"],
    "fence.proxy.async.shared::cluster;": ["fence.proxy.async.shared"],
}  # fmt: skip


def test_what_each_instruction_is() -> None:
    found = by_line(program(map(statement, INSTRUCTIONS)))
    assert dict(zip((i for i, done in INSTRUCTIONS.items() if done), found, strict=True)) == {
        instruction: done for instruction, done in INSTRUCTIONS.items() if done
    }


#: The instruction that each function is.
FUNCTIONS = {
    "ptx::mbarrier_init(&bar, 1)": "mbarrier.init.shared::cta.b64 [A], 1;",
    "ptx::mbarrier_inval(&bar)": "mbarrier.inval.shared.b64 [A];",
    "ptx::mbarrier_arrive(&bar)": "mbarrier.arrive.shared.b64 T, [A];",
    "ptx::mbarrier_arrive(&bar, 2)": "mbarrier.arrive.b64 _, [A], 2;",
    "ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, &bar)":
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [A];",
    "ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar)":
        "mbarrier.arrive.relaxed.cta.shared::cta.b64 T, [A];",
    "ptx::mbarrier_arrive_no_complete(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1)":
        "mbarrier.arrive.noComplete.shared::cta.b64 T, [A], 1;",
    "ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16)":
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [A], 16;",
    "ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, 16)":
        "mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 T, [A], 16; // 8.",
    "ptx::mbarrier_arrive_drop(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1)":
        "mbarrier.arrive_drop.shared.b64 _, [A];",
    "ptx::mbarrier_arrive_drop_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, &bar, 16)":
        "mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cluster.b64 _, [A], 16;",
    "ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 16)":
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [A], 16;",
    "ptx::mbarrier_complete_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, &bar, 16)":
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [A], 16;",
    "ptx::mbarrier_test_wait(&bar, state)": "mbarrier.test_wait.shared.b64 P, [A], T;",
    "ptx::mbarrier_test_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, &bar, 1)":
        "mbarrier.test_wait.parity.relaxed.cluster.b64 P, [A], 1;",
    "ptx::mbarrier_try_wait_parity(&bar, 0)": "mbarrier.try_wait.parity.shared::cta.b64 P, [A], 0;",
    "ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, &bar, state, 1000)":
        "mbarrier.try_wait.acquire.cluster.shared::cta.b64 P, [A], T, 1000;",
    "ptx::cp_async_mbarrier_arrive_noinc(&bar)": "cp.async.mbarrier.arrive.noinc.b64 [A];",
    "ptx::cp_async_mbarrier_arrive(&bar)": "cp.async.mbarrier.arrive.shared::cta.b64 [A];",
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 16, &bar)":
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [S], [G], 16, [A];",
    "ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, s, g, 16, &bar)":
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [S], [G], 16, [A];",
    "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, s, s + 4, 16, &bar)":
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [S], [S+16], 16, [A];",
    "ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g, s, 16)":
        "cp.async.bulk.global.shared::cta.bulk_group [G], [S], 16;",
    "ptx::cp_async_bulk_commit_group()": "cp.async.bulk.commit_group;",
    "ptx::cp_async_bulk_wait_group(ptx::n32_t<1>())": "cp.async.bulk.wait_group 1;",
    "ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{})": "cp.async.bulk.wait_group.read 0;",
    "ptx::fence_proxy_async()": "fence.proxy.async;",
    "ptx::fence_proxy_async(ptx::space_shared)": "fence.proxy.async.shared::cta;",
    "experimental::cp_async_bulk_shared_to_global(g, s, 16)": "cp.async.bulk.global.shared::cta.bulk_group [G], [S], 16;",
    "experimental::cp_async_bulk_commit_group()": "cp.async.bulk.commit_group;",
    "experimental::cp_async_bulk_wait_group_read<0>()": "cp.async.bulk.wait_group.read 0;",
    "experimental::fence_proxy_async_shared_cta()": "fence.proxy.async.shared::cta;",
}  # fmt: skip


def test_each_function_is_its_instruction() -> None:
    found = by_line(program(f"{function};" for function in FUNCTIONS))
    wanted = {f: [line.replace("long(state)", "0") for line in INSTRUCTIONS[i]] for f, i in FUNCTIONS.items()}
    assert dict(zip(FUNCTIONS, found, strict=True)) == wanted


def of_object(lines: Iterable[str]) -> list[str]:
    return [line.replace("k.bar", "k.object") for line in lines]


PENDING = [
    "expect 1 bytes.relaxed.block k.object",
    *EXPECTS,
    "copy generic or async, complete at an mbarrier",
    *copied("k.s", "g", 2),
]
PENDING += ["expect -1 bytes.relaxed.block k.object", *EXPECTS, "end of copy"]
#: What the functions of <cuda/barrier> are, on a `cuda::barrier`.
OF_BARRIERS = {
    "(void)cuda::device::barrier_arrive_tx(object, 2, 32)": [
        "r0 = arrive.release.block k.object by 2, 32 bytes expected", *ARRIVES,
    ],
    "cuda::device::barrier_expect_tx(object, 32)": ["expect 32 bytes.relaxed.block k.object", *EXPECTS],
    "cuda::device::memcpy_async_tx(s, g, cuda::aligned_size_t<16>(16), object)": of_object(COPY),
    "experimental::cp_async_bulk_global_to_shared(s, g, 16, object)": of_object(COPY),
    "ptx::mbarrier_arrive(cuda::device::barrier_native_handle(object))": [
        "r0 = arrive.release.block k.object by 1", *ARRIVES,
    ],
    "init(&object, 1)": ["barrier k.object of 1"],
    "object.arrive_and_wait()": [
        "r0 = arrive.release.block k.object by 1", "r1 = phase.acquire.block k.object when r1 != r0",
    ],
    "cuda::memcpy_async(s, g, 8, object)": PENDING,
    "cuda::memcpy_async((void*)s, (const void*)g, cuda::aligned_size_t<8>(8), object)": PENDING,
    "cuda::memcpy_async(cg::this_thread_block(), (long*)s, (long*)g, 8, object)": PENDING,
}  # fmt: skip


def test_functions_of_barriers_act_on_the_same_object() -> None:
    found = program(f"{function};" for function in OF_BARRIERS)
    assert dict(zip(OF_BARRIERS, by_line(found), strict=True)) == OF_BARRIERS
    object_ = found.objects["k.object"]
    assert (object_.use, object_.storage, object_.values) == (ir.Use.MBARRIER, ir.Storage.SHARED, (0,))


def test_a_group_deals_its_elements_out() -> None:
    text = "cuda::memcpy_async(cg::this_thread_block(), s, g, 16, object);"
    found = program([text], "}\n//@ launch k<<<1, 2>>>();\n")
    for thread in found.threads[1:]:
        stores = [n.operation for n in thread.body.nodes.values() if isinstance(n, ir.Do)]
        assert len([one for one in stores if isinstance(one, ir.Store)]) == 2


# ---------------------------------------------------------------- which objects are mbarriers

KINDS = """
struct Ring { uint64_t full[3], empty[3]; alignas(16) int data[4]; };
__global__ void k() {
    __shared__ Ring ring;
    __shared__ uint64_t bars[2][2], number[1];
    __shared__ barrier object, plain;
    extern __shared__ uint64_t more[];
    number[0] = 1;
    init(&plain, 1);
    for (int n = 0; n < 3; n++) ptx::mbarrier_init(&ring.empty[n], 1);
    ptx::mbarrier_init(&bars[1][0], 1);
    ptx::mbarrier_init(&more[1], 1);
    ptx::mbarrier_inval(cuda::device::barrier_native_handle(object));
    ring.full[0] = ring.data[0] = 1;
}
//@ launch k<<<1, 1, 16>>>();
"""


def test_an_object_that_such_an_operation_is_on_is_an_mbarrier() -> None:
    objects = program_of(HEAD + KINDS, reader="clang").objects
    uses = {name.removeprefix("k."): one.use for name, one in objects.items() if one.storage is ir.Storage.SHARED}
    data = dict.fromkeys(("ring.full", "ring.data", "number"), ir.Use.DATA)
    mbarriers = dict.fromkeys(("ring.empty", "bars", "more", "object"), ir.Use.MBARRIER)
    assert uses == {**data, **mbarriers, "plain": ir.Use.BARRIER}
    for name in mbarriers:
        object_ = objects[f"k.{name}"]
        assert object_.type == types.LONG
        assert set(object_.values) == {0}
    assert objects["k.bars"].element(2) == "k.bars[1][0]"
