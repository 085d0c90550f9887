"""Values that streams wait for and write (CUDA driver API, "Stream Memory Operations"), in both questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Asks, check_text, verdicts

TEXT = """
#include <cuda.h>
#include <cuda/atomic>
#include <cuda_runtime.h>
__global__ void produce(int* data) {{ *data = 1; }}
__global__ void consume(const int* data, int* result) {{ *result = *data; }}
int main() {{
    int *data, *result;
    {kind}* flag;
    cudaMalloc(&data, 4); cudaMalloc(&result, 4); {memory}(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    cudaDeviceSynchronize();
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t e; cudaEventCreate(&e);
    {calls}
    cudaDeviceSynchronize();
}}
//@ expect race_free;
//@ expect terminates;
"""
PRODUCE, CONSUME = "produce<<<1, 1, 0, s>>>(data);", "consume<<<1, 1, 0, t>>>(data, result);"
RECORD, WAIT_EVENT = "cudaEventRecord(e, s);", "cudaStreamWaitEvent(t, e);"


def source(*calls: str, kind: str = "unsigned", memory: str = "cudaMalloc") -> str:
    return TEXT.format(calls=" ".join(calls), kind=kind, memory=memory)


def waits(value: object = 1, flags: str = "CU_STREAM_WAIT_VALUE_EQ", bits: int = 32) -> str:
    return f"cuStreamWaitValue{bits}(t, (CUdeviceptr)flag, {value}, {flags});"


def writes(value: object = 1, flags: str = "0", bits: int = 32) -> str:
    return f"cuStreamWriteValue{bits}(s, (CUdeviceptr)flag, {value}, {flags});"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((waits(), CONSUME, PRODUCE, writes()), "holds"),
        ((PRODUCE, writes(), waits(), CONSUME), "holds"),
        ((waits(), CONSUME, PRODUCE, writes(flags="CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER")), "violated"),
        ((waits(), CONSUME, writes(), PRODUCE), "violated"),  # the kernel is behind the write
        ((CONSUME, waits(), PRODUCE, writes()), "violated"),  # the kernel is before the wait
    ],
)
@pytest.mark.sampled(1)
def test_what_a_value_orders(ask: Asks, calls: tuple[str, ...], expected: str) -> None:
    """A write is behind a fence of system scope, and a wait acquires; what they do not stand between is not ordered."""
    assert verdicts([ask(source(*calls))])["race_free"] == [expected]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    ("flag", "waited", "written", "ends"),
    [
        ("GEQ", 2, 3, True),
        ("GEQ", 2, 1, False),
        ("GEQ", 2, "LEAST + 1", True),  # half of all numbers are
        ("GEQ", 2, "LEAST + 2", False),
        ("GEQ", "LEAST", -1, True),
        ("GEQ", "LEAST", 1, False),
        ("EQ", 2, 2, True),
        ("EQ", 2, 3, False),
        ("AND", 6, 4, True),
        ("AND", 6, 1, False),
        ("NOR", 6, 1, True),
        ("NOR", 6, -1, False),
        ("NOR", -1, 1, False),
    ],
)
def test_comparisons(ask: Asks, bits: int, flag: str, waited: object, written: object, ends: bool) -> None:
    """ "(int32_t)(*addr - value) >= 0", "*addr == value", "(*addr & value) != 0", "~(*addr | value) != 0"."""
    least = f"(-{2 ** (bits - 1) - 1}L - 1)"
    until, given = (str(value).replace("LEAST", least) for value in (waited, written))
    first = "cudaMemset(flag, 0xFF, sizeof *flag); cudaDeviceSynchronize();" if flag == "NOR" else ""
    wait = waits(until, f"CU_STREAM_WAIT_VALUE_{flag}", bits)
    text = source(first, writes(given, bits=bits), wait, kind="unsigned" if bits == 32 else "unsigned long")
    text = text.replace("//@ expect race_free;\n", "")
    assert verdicts([ask(text)]) == {"terminates": ["holds" if ends else "violated"]}


@pytest.mark.parametrize(
    ("calls", "ends"), [((waits(), writes()), True), ((waits(), writes().replace("(s,", "(t,")), False)]
)
def test_a_wait_blocks_its_stream(ask: Asks, calls: tuple[str, ...], ends: bool) -> None:
    """What is behind a wait in its stream does not start before it ends: its own write does not either."""
    assert verdicts([ask(source(*calls))])["terminates"] == ["holds" if ends else "violated"]


@pytest.mark.parametrize(("told", "beside"), [((), True), ((RECORD, WAIT_EVENT), False)])
def test_readings_and_warning(ask: Asks, told: tuple[str, ...], beside: bool) -> None:
    """Verdicts name the readings; streams that a value alone orders are warned of."""
    outcome = ask(source(PRODUCE, writes(), *told, waits(), CONSUME))
    (report,) = outcome.reports
    told_of = {one.expectation.kind: " ".join(one.rests_on) for one in report.checks}
    assert "is an acquire" in told_of["race_free"]
    assert ("a value alone" in told_of["terminates"]) == beside
    assert [remark.code.id for remark in report.remarks] == (["SCP051"] if beside else [])


def batch(*operations: str) -> str:
    parts = " ".join(f"b[{n}].operation = {one};" for n, one in enumerate(operations))
    fill = "for (auto& one : b) one.waitValue.address = (CUdeviceptr)flag, one.waitValue.value = 1, one.waitValue.flags = 0;"
    return f"CUstreamBatchMemOpParams b[{len(operations)}] = {{}}; {parts} {fill} cuStreamBatchMemOp(s, {len(operations)}, b, 0);"


WAIT_32, WRITE_32 = "CU_STREAM_MEM_OP_WAIT_VALUE_32", "CU_STREAM_MEM_OP_WRITE_VALUE_32"


@pytest.mark.parametrize(("operations", "ends"), [((WRITE_32, WAIT_32), True), ((WAIT_32, WRITE_32), False)])
@pytest.mark.sampled(1)
def test_a_batch_is_in_order(ask: Asks, operations: tuple[str, ...], ends: bool) -> None:
    """ "The operations are enqueued in the order they appear in the array." """
    assert verdicts([ask(source(batch(*operations)))])["terminates"] == ["holds" if ends else "violated"]


def test_values_in_a_captured_stream(ask: Asks) -> None:
    """A wait in a graph is done at its launch, once for each."""
    capture = "cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal);"
    launch = "cudaGraph_t g; cudaGraphExec_t x; cudaStreamEndCapture(t, &g); cudaGraphInstantiate(&x, g, 0);"
    calls = (capture, waits(), CONSUME, launch, PRODUCE, writes())
    assert verdicts([ask(source(*calls, "cudaGraphLaunch(x, t);"))])["race_free"] == ["holds"]
    behind = (*calls, "cudaGraphLaunch(x, s);", "cuStreamWriteValue32(s, (CUdeviceptr)flag, 0, 0);")
    assert verdicts([ask(source(*behind))])["terminates"] == ["holds"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (source(waits(), memory="cudaMallocManaged"), "the value is in managed memory"),
        (source(waits()).replace("cudaMalloc(&flag, sizeof *flag)", "flag = new unsigned"), "no device pointer points to"),
        (source(waits(bits=64)), "8 bytes"),
        (source(waits(flags="7")), "7 is not a CUstreamWaitValue_flags"),
        (source(writes(flags="2")), "2 is not a CUstreamWriteValue_flags"),
        (source(batch("CU_STREAM_MEM_OP_BARRIER")), "CU_STREAM_MEM_OP_BARRIER"),
        (source("cudaSetDevice(1); produce<<<1, 1>>>(data); cudaSetDevice(0);", waits()), "does not flush"),
        (source("cudaExternalSemaphore_t x;"), "does not model `cudaExternalSemaphore_t`"),
        (source("cuWaitExternalSemaphoresAsync(0, 0, 0, s);"), "does not model `cuWaitExternalSemaphoresAsync`"),
    ],
)  # fmt: skip
@pytest.mark.sampled(6)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Values that the calls do not take, and what is not modelled, by name."""
    assert message in " ".join(d.message for d in check_text(tmp_path, text, engine="embedded").diagnostics)


def test_a_flush_beside_another_device(ask: Asks) -> None:
    """With the flag, writes of other devices that came before the value are there for what is behind the wait."""
    flag = "CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH"
    other = "cudaSetDevice(1); cudaStream_t o; cudaStreamCreateWithFlags(&o, cudaStreamNonBlocking);"
    work = f"{PRODUCE} {writes()}".replace(", s>", ", o>").replace("(s,", "(o,")
    finish = "cudaDeviceSynchronize(); cudaSetDevice(0);"
    assert verdicts([ask(source(waits(flags=flag), CONSUME, other, work, finish))])["race_free"] == ["holds"]


CONTEXTS = """
#include <cuda.h>
#include <cuda_runtime.h>
extern "C" __global__ void produce(int* data) {{ *data = 1; }}
extern "C" __global__ void consume(int* data, int* result) {{ *result = *data; }}
int main() {{
    CUdevice first, second;
    cuDeviceGet(&first, 0); cuDeviceGet(&second, 1);
    CUcontext a, b;
    CUmodule module; CUfunction p, c;
    CUdeviceptr data, result;
    {contexts}
    cuModuleLoad(&module, "x.cubin");
    cuModuleGetFunction(&p, module, "produce"); cuModuleGetFunction(&c, module, "consume");
    cuMemAllocManaged(&data, 4, CU_MEM_ATTACH_GLOBAL); cuMemAllocManaged(&result, 4, CU_MEM_ATTACH_GLOBAL);
    void *of_p[] = {{&data}}, *of_c[] = {{&data, &result}};
    {before} cuLaunchKernel(p, 1, 1, 1, 1, 1, 1, 0, 0, of_p, 0);
    {between} cuLaunchKernel(c, 1, 1, 1, 1, 1, 1, 0, 0, of_c, 0);
}}
//@ expect race_free;
"""


@pytest.mark.parametrize(
    ("contexts", "before", "between", "expected"),
    [
        ("cuCtxCreate(&a, 0, first);", "", "", "holds"),
        ("cuCtxCreate(&a, 0, second);", "", "cuCtxSetCurrent(a);", "holds"),  # it is current from the beginning
        ("cuCtxCreate(&a, 0, first); cuCtxCreate(&b, 0, second);", "cuCtxSetCurrent(a);", "cuCtxSetCurrent(b);", "violated"),
        ("cuDevicePrimaryCtxRetain(&a, first); cuDevicePrimaryCtxRetain(&b, first);", "cuCtxSetCurrent(a);", "cuCtxSetCurrent(b);",
         "holds"),
    ],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_kernels_of_one_context_are_ordered(ask: Asks, contexts: str, before: str, between: str, expected: str) -> None:
    text = CONTEXTS.format(contexts=contexts, before=before, between=between)
    assert verdicts([ask(text)])["race_free"] == [expected]


@pytest.mark.parametrize(
    "second", ["cuCtxCreate(&b, 0, first);", "cuDevicePrimaryCtxRetain(&b, first);", "cudaSetDevice(0);"]
)
def test_a_second_context_of_a_device_is_refused(tmp_path: Path, second: str) -> None:
    """Their default streams do not wait for each other: one would say of the two kernels that they are ordered."""
    text = CONTEXTS.format(contexts=f"cuCtxCreate(&a, 0, first); {second}", before="cuCtxSetCurrent(a);", between="")
    found = check_text(tmp_path, text, engine="embedded")
    assert any("a second context of one device is" in d.message for d in found.diagnostics)
