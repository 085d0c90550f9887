"""mbarriers and bulk copies: what each spelling is in the program, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.base.files import read_source
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.program import lower, read
from scopec.program import ir, types, values
from scopec.program.mbarriers import RULES
from scopec.program.program import Program
from scopec.program.show import words
from scopec.program.values import Const, Reg
from tests.conftest import check_text, program_of, verdicts

HEAD = """
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
namespace experimental = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ unsigned at(void* p) { return __cvta_generic_to_shared(p); }
__device__ alignas(16) int g[8];
__device__ int unaligned[8], number;
__device__ uint64_t far_away;
"""
KERNEL = """
__global__ void k() {
    __shared__ uint64_t bar, full[2];
    __shared__ barrier object;
    __shared__ alignas(16) int s[8];
    __shared__ int odd[8];
    uint64_t state = 0;
"""
LAUNCH = """
}
//@ launch k<<<1, 1>>>();
"""


def program(lines: Iterable[str], launch: str = LAUNCH) -> Program:
    return program_of(HEAD + KERNEL + "\n".join(lines) + launch, reader="clang")


def by_line(found: Program) -> list[list[str]]:
    """What a thread does on each line: its operations, and the rules that they keep, the registers in their order."""
    lines: dict[int, list[str]] = {}
    fault = ""
    body = found.grids["k"].body
    at, seen = body.entry, set[int]()
    while at not in seen and isinstance(node := body.nodes[at], ir.Do | ir.Branch):
        seen.add(at)
        of_line = lines.setdefault(node.span.line, [])
        if isinstance(node, ir.Branch):
            at = node.then
            continue
        at, operation = node.next, node.operation
        fault = getattr(operation, "fault", fault)
        if isinstance(operation, ir.Assert):
            of_line.append(f"- {operation.text}")
            rule = next((rule for rule, text in RULES.items() if text == operation.text), None)
            if rule is not None:
                assert operation.condition == values.binary("!=", Reg(fault, types.INT), Const(rule, types.INT))
                assert operation.implicit
        elif not isinstance(operation, ir.Set):
            of_line.append(words(operation)[0])
    return [_numbered(of_line) for _, of_line in sorted(lines.items()) if of_line]


def _numbered(lines: list[str]) -> list[str]:
    names: dict[str, str] = {}
    return [re.sub(r"%\d+", lambda m: names.setdefault(m[0], f"r{len(names)}"), line) for line in lines]


def rules(*broken: ir.BarrierFault) -> list[str]:
    return [f"- {RULES[rule]}" for rule in broken]


FAULT = ir.BarrierFault
IS = rules(FAULT.NOT_INITIALISED)
TOKEN = rules(FAULT.NOT_INITIALISED, FAULT.STALE)
INIT = rules(FAULT.INITIALISED)
ARRIVES = rules(FAULT.NOT_INITIALISED, FAULT.TOO_MANY, FAULT.OVERRUN)
DROPS = rules(FAULT.NOT_INITIALISED, FAULT.COUNT, FAULT.TOO_MANY, FAULT.OVERRUN)
EXPECTS = rules(FAULT.NOT_INITIALISED, FAULT.LATE_BYTES)


def copied(there: str, from_: str, count: int = 4) -> list[str]:
    elements = ["" if not n else f"[{n}]" for n in range(count)]
    return [line for n in elements for line in (f"r0 = load {from_}{n}", f"store {there}{n} = r0")]


COPY = ["copy async, complete at an mbarrier", *copied("k.s", "g"), "expect -16 bytes.relaxed.cluster k.bar", *EXPECTS]
COPY += ["end of copy"]
STORE = ["copy async, in a group", *copied("g", "k.s"), "end of copy"]
FOLLOWS = ["behind copies, complete at an mbarrier", "r0 = arrive.relaxed.block k.bar by 1", *ARRIVES, "end of copy"]

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


def statement(instruction: str) -> str:
    """An instruction in a statement, which sets `p` to the predicate P if it has one."""
    operands = {
        "T": ("+l", "state"),
        "A": ("r", "at(&bar)"),
        "S": ("r", "at(s)"),
        "G": ("l", "g"),
        "N": ("r", "number"),
        "F": ("l", "&far_away"),
    }
    used = [name for name in operands if re.search(rf"\b{name}\b", instruction)]
    names = {name: f"%{n + 1}" for n, name in enumerate(used)}
    names |= {"P": "p"}
    text = re.sub(r"\b[TASGNFP]\b", lambda m: names[m[0]], instruction)
    outs = ", ".join(['"=r"(p)', *(f'"{c}"({e})' for c, e in map(operands.get, used) if c == "+l")])
    ins = ", ".join(f'"{c}"({e})' for c, e in map(operands.get, used) if c != "+l")
    text = f"{{ .reg .pred p; {text}\\n selp.b32 %0, 1, 0, p; }}"
    return f'{{ int p; asm volatile("{text}" : {outs} : {ins} : "memory"); }}'


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


# ---------------------------------------------------------------- what is refused, or wrong

#: By the text: the code, and what the message and the way out have in them.
REFUSED = {
    "mbarrier.pending_count.b64 N, T;": (Code.OUTSIDE_SUBSET, "counts of mbarriers as numbers come later"),
    "mbarrier.arrive.noComplete.b64 T, [A], 1;": (Code.OUTSIDE_SUBSET, "that must not end a phase come later"),
    "mbarrier.arrive_drop.noComplete.b64 T, [A], 1;": (Code.OUTSIDE_SUBSET, "that must not end a phase come later"),
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
    "cp.async.mbarrier.arrive.shared.b64 [A];": (Code.OUTSIDE_SUBSET, "cp.async.mbarrier.arrive.noinc.shared.b64"),
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
def test_what_is_refused_or_wrong(text: str) -> None:
    code, message = (REFUSED | CALLS)[text]
    with pytest.raises(InputError) as caught:
        program([statement(text) if text in REFUSED else text])
    (found,) = caught.value.diagnostics
    assert found.code is code
    assert message in f"{found.message}; {found.help}"
    assert found.span.line == HEAD.count("\n") + KERNEL.count("\n") + 1


IN_CLUSTER = """
}
int main() {
    cudaLaunchConfig_t config = {};
    config.gridDim = 2, config.blockDim = 1;
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2, attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute, config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k);
    cudaDeviceSynchronize();
}
"""
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
def test_a_token_is_of_the_phase_or_of_the_one_before(token: str, answer: str, tmp_path: Path) -> None:
    text = HEAD + KERNEL + TOKENS.replace("TOKEN", token) + LAUNCH + f"//@ expect {answer};\n"
    assert verdicts([check_text(tmp_path, text, engine="embedded")])[answer] == ["holds"]


# ---------------------------------------------------------------- as libraries write it

CUTLASS = """
struct ClusterBarrier {
    uint64_t barrier_;
    __device__ static void init(uint64_t const* p, uint32_t count) {
        uint32_t smem = at((void*)p);
        asm volatile("{\\n\\tmbarrier.init.shared::cta.b64 [%1], %0; \\n}" :: "r"(count), "r"(smem));
    }
    __device__ static void wait(uint64_t const* p, uint32_t phase) {
        asm volatile("{\\n\\t.reg .pred       P1;\\n\\tLAB_WAIT:\\n\\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\\n\\t"
                     "@P1 bra DONE;\\n\\tbra     LAB_WAIT;\\n\\tDONE:\\n\\t}" :: "r"(at((void*)p)), "r"(phase));
    }
    __device__ static void arrive(uint64_t const* p, uint32_t cta_id, uint32_t pred) {
        asm volatile("{\\n\\t.reg .pred p;\\n\\t.reg .b32 remAddr32;\\n\\tsetp.eq.u32 p, %2, 1;\\n\\t"
                     "@p mapa.shared::cluster.u32  remAddr32, %0, %1;\\n\\t"
                     "@p mbarrier.arrive.shared::cluster.b64  _, [remAddr32];\\n\\t}" :: "r"(at((void*)p)), "r"(cta_id), "r"(pred));
    }
};
__global__ void k() {
    __shared__ ClusterBarrier ring[2];
    for (int n = 0; n < 2; n++) ClusterBarrier::init(&ring[n].barrier_, 1);
    uint32_t stage = 0, phase = 0;
    for (int n = 0; n < 4; n++) {
        ClusterBarrier::arrive(&ring[stage].barrier_, 0, 1);
        ClusterBarrier::wait(&ring[stage].barrier_, phase);
        if (++stage == 2) stage = 0, phase ^= 1;
    }
}
//@ launch k<<<1, 1>>>();
"""


def test_a_ring_as_cutlass_has_it() -> None:
    found = program_of(HEAD + CUTLASS, reader="clang")
    operations = [node.operation for node in found.grids["k"].body.nodes.values() if isinstance(node, ir.Do)]
    assert found.objects["k.ring[].barrier_"].use is ir.Use.MBARRIER
    done = {words(one)[0].partition(" = ")[2] or words(one)[0] for one in operations if hasattr(one, "fault")}
    each = {
        f"{operation} k.ring[].barrier_{stage}{rest}"
        for stage in ("", "[1]")
        for operation, rest in (("barrier", " of 1"), ("arrive.release.block", " by 1"))
    }
    assert each <= done
    waits = [one for one in operations if isinstance(one, ir.BarrierTest)]
    parities = {words(one)[0].rpartition(" != ")[2] for one in waits}
    assert (len({one.place.index for one in waits}), parities) == (2, {"0", "1"})


# ---------------------------------------------------------------- files of PTX

PTX = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .pred %p<2>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	.shared .align 8 .b8 bars[16];
	.shared .align 16 .b8 tile[16];
	ld.param.u64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd2, %rd1;
	{ .reg .u32 %tmp; cvta.to.shared.u32 %tmp, tile; mov.u32 %r2, %tmp; }
	{ .reg .u32 %tmp; mov.u32 %tmp, bars; add.s32 %r1, %tmp, 8; }
	mbarrier.init.shared::cta.b64 [%r1], 1;
	mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], 16;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 16, [%r1];
$L: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bars+8], 0;
	@!%p1 bra $L;
	ld.shared.u32 %r3, [tile];
	ret;
}
//@ object __device__ alignas(16) int x[4];
//@ launch k<<<1, 1>>>(x);
"""


def test_a_file_of_ptx(write: Callable[..., Path]) -> None:
    source = read_source(write(PTX, "k.ptx"))
    found = lower(read(source), source, Path(), "k.ptx", {}, Flags(), None)
    bars = found.objects["k.bars"]
    assert (bars.use, len(bars.values)) == (ir.Use.MBARRIER, 2)
    lines = [line for lines in by_line(found) for line in lines]
    assert "copy async, complete at an mbarrier" in lines
    assert "r0 = test.acquire.block k.bars[1] whether r0 % 2 != 0" in lines
