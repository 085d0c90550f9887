"""Graphs: captures, nodes and launches, against the order that CUDA's documents give them.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random graphs are tried.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Asks, check_text, verdicts
from tests.samples import programs

KERNELS = """
#include <cuda_runtime.h>
#include <vector>
__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x + 1; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = a[1 - threadIdx.x]; }
__global__ void more(int* a, int by) { a[threadIdx.x] += by; }
"""
OBJECTS = """
int *a, *b, *c; cudaMalloc(&a, 8); cudaMalloc(&b, 8); cudaMalloc(&c, 8);
cudaStream_t s, t, n; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
cudaEvent_t e, f; cudaEventCreate(&e); cudaEventCreate(&f); cudaGraph_t g, h; cudaGraphExec_t x, y;
"""
BEGIN = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
END = "cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&x, g, 0);"
FORK, JOIN = "cudaEventRecord(e, s); cudaStreamWaitEvent(t, e);", "cudaEventRecord(f, t); cudaStreamWaitEvent(s, f);"
LAUNCH = "cudaGraphLaunch(x, s); cudaDeviceSynchronize();"
PRODUCE, CONSUME = "produce<<<1, 2, 0, s>>>(a);", "consume<<<1, 2, 0, t>>>(a, b);"
ADD = "more<<<1, 2, 0, {}>>>({}, 1);"
NODE = """
cudaGraphCreate(&g, 0); cudaGraphNode_t p, q; void *first[] = {&a}, *second[] = {&a, &b}; cudaKernelNodeParams k = {};
k.func = (void*)produce; k.gridDim = dim3(1); k.blockDim = dim3(2); k.kernelParams = first;
cudaGraphAddKernelNode(&p, g, nullptr, 0, &k); k.func = (void*)consume; k.kernelParams = second;
"""
COPY_NODE = """
cudaMemcpy3DParms copy = {}; copy.srcPtr = make_cudaPitchedPtr(a, 8, 2, 1); copy.dstPtr = make_cudaPitchedPtr(b, 8, 2, 1);
copy.extent = make_cudaExtent(8, 1, 1); copy.kind = cudaMemcpyDeviceToDevice;
"""
MEMORY_NODES = """
cudaGraphCreate(&g, 0); cudaGraphNode_t p, q, r; cudaMemAllocNodeParams memory = {}; memory.bytesize = 8;
memory.poolProps.allocType = cudaMemAllocationTypePinned; memory.poolProps.location.type = cudaMemLocationTypeDevice;
cudaGraphAddMemAllocNode(&p, g, nullptr, 0, &memory); void* given[] = {&memory.dptr}; cudaKernelNodeParams k = {};
k.func = (void*)produce; k.gridDim = dim3(1); k.blockDim = dim3(2); k.kernelParams = given;
cudaGraphAddKernelNode(&q, g, &p, 1, &k);
"""
STAGED = (
    f"int* from; cudaMallocHost(&from, 8); *from = 1; {BEGIN} cudaMemcpyAsync(a, from, 8, cudaMemcpyDefault, s); {END}"
)
AGAIN = "*from = 2; cudaGraphLaunch(x, s); cudaDeviceSynchronize();"


def text(main: str) -> str:
    return f"{KERNELS}int main() {{ {OBJECTS} {main} }}\n//@ expect race_free;\n"


@pytest.mark.parametrize(
    ("main", "verdict"),
    [
        # "the next item in the stream will have additional dependencies on the nodes in the captured event"
        (BEGIN + PRODUCE + "consume<<<1, 2, 0, s>>>(a, b);" + END + LAUNCH, "holds"),
        (BEGIN + PRODUCE + FORK + CONSUME + JOIN + END + LAUNCH, "holds"),
        (BEGIN + FORK + PRODUCE + CONSUME + JOIN + END + LAUNCH, "violated"),
        (BEGIN + PRODUCE + FORK + CONSUME + ADD.format("s", "a") + JOIN + END + LAUNCH, "violated"),
        (BEGIN + PRODUCE + FORK + CONSUME + ADD.format("t", "a") + JOIN + END + LAUNCH, "holds"),
        (BEGIN + PRODUCE + FORK + CONSUME + JOIN + ADD.format("s", "a") + END + LAUNCH, "holds"),
        (BEGIN + FORK + ADD.format("t", "a") + ADD.format("s", "c") + JOIN + ADD.format("s", "c") + END + LAUNCH, "holds"),
        (BEGIN + "cudaEventRecord(e, s);" + END + PRODUCE + "cudaEventRecord(e, s); cudaStreamWaitEvent(n, e);"
         + ADD.format("n", "a"), "holds"),
        # The stream's other work comes before all nodes, or after all of them.
        (BEGIN + FORK + ADD.format("t", "a") + ADD.format("s", "c") + JOIN + END + ADD.format("s", "a") + LAUNCH, "holds"),
        (BEGIN + FORK + ADD.format("t", "a") + ADD.format("s", "c") + JOIN + END + ADD.format("n", "a") + LAUNCH, "violated"),
        (BEGIN + FORK + ADD.format("s", "a") + ADD.format("t", "c") + JOIN + END + ADD.format("s", "c") + LAUNCH, "holds"),
        (BEGIN + FORK + ADD.format("t", "a") + ADD.format("s", "c") + JOIN + END + "cudaGraphLaunch(x, s);" + ADD.format("s", "a"), "holds"),
        (BEGIN + FORK + ADD.format("s", "a") + ADD.format("t", "c") + JOIN + END + "cudaGraphLaunch(x, s);" + ADD.format("s", "c"), "holds"),
        (BEGIN + FORK + ADD.format("s", "a") + ADD.format("t", "c") + JOIN + END + "cudaGraphLaunch(x, s);" + ADD.format("n", "c"), "violated"),
        # "any previous launches of graphExec"
        (BEGIN + PRODUCE + END + "cudaGraphLaunch(x, n);" + LAUNCH, "holds"),
        (BEGIN + PRODUCE + END + "cudaGraphInstantiate(&y, g, 0); cudaGraphLaunch(y, n);" + LAUNCH, "violated"),
        (BEGIN + PRODUCE + FORK + CONSUME + ADD.format("s", "c") + JOIN + END + "cudaGraphLaunch(x, n);" + LAUNCH, "holds"),
        # Events outside of the graph.
        (PRODUCE + "cudaEventRecord(e, s);" + "cudaStreamBeginCapture(n, cudaStreamCaptureModeGlobal);"
         "cudaStreamWaitEvent(n, e, cudaEventWaitExternal); more<<<1, 2, 0, n>>>(a, 1); cudaStreamEndCapture(n, &g);"
         "cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, n); cudaDeviceSynchronize();", "holds"),
        (BEGIN + PRODUCE + "cudaEventRecordWithFlags(e, s, cudaEventRecordExternal);" + END
         + "cudaGraphLaunch(x, s); cudaStreamWaitEvent(n, e);" + ADD.format("n", "a"), "holds"),
        # A copy reads its source at each launch.
        (STAGED + "cudaGraphLaunch(x, s);" + AGAIN, "violated"),
        (STAGED + "cudaGraphLaunch(x, s); cudaStreamSynchronize(s);" + AGAIN, "holds"),
        (BEGIN + "static int from[2]; cudaMemcpyAsync(a, from, 8, cudaMemcpyHostToDevice, s);" + END
         + "cudaGraphLaunch(x, s); *from = 2; cudaDeviceSynchronize();", "violated"),
        # Nodes that calls make.
        (NODE + "cudaGraphAddKernelNode(&q, g, &p, 1, &k); cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "holds"),
        (NODE + "cudaGraphAddKernelNode(&q, g, nullptr, 0, &k); cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);" + LAUNCH, "violated"),
        (NODE + "cudaGraphAddKernelNode(&q, g, nullptr, 0, &k); cudaGraphAddDependencies(g, &q, &p, 1);"
         "cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "holds"),
        (NODE + "cudaGraphNode_t m; cudaGraphAddEmptyNode(&m, g, &p, 1); cudaGraphAddKernelNode(&q, g, &m, 1, &k);"
         "cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "holds"),
        # Nodes that are kept in a vector, which is filled anew.
        (NODE + "cudaGraphNode_t m; cudaGraphAddEmptyNode(&m, g, nullptr, 0); std::vector<cudaGraphNode_t> of; of.push_back(m);"
         "of.clear(); of.push_back(p); cudaGraphAddKernelNode(&q, g, of.data(), of.size(), &k); cudaGraphInstantiate(&x, g, 0);"
         + LAUNCH, "holds"),
        # Copies of rows, and memory, as nodes.
        (NODE + COPY_NODE + "cudaGraphAddMemcpyNode(&q, g, &p, 1, &copy); cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "holds"),
        (NODE + COPY_NODE + "cudaGraphAddMemcpyNode(&q, g, nullptr, 0, &copy); cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "violated"),
        (MEMORY_NODES + "cudaGraphAddMemFreeNode(&r, g, &q, 1, memory.dptr); cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "holds"),
        (MEMORY_NODES + "cudaGraphAddMemFreeNode(&r, g, &p, 1, memory.dptr); cudaGraphInstantiate(&x, g, 0);" + LAUNCH, "violated"),
        # A clone has the nodes of its graph, and none that the graph gets later.
        (BEGIN + PRODUCE + END + "cudaGraphClone(&h, g); cudaGraphInstantiate(&y, h, 0); cudaGraphLaunch(y, n);" + LAUNCH, "violated"),
        (NODE + "cudaGraphClone(&h, g); cudaGraphAddKernelNode(&q, g, nullptr, 0, &k); cudaGraphInstantiate(&y, h, 0);"
         "cudaGraphLaunch(y, s); cudaDeviceSynchronize();", "holds"),
        # What a node of an executable graph does may be changed between launches.
        (NODE + "cudaGraphInstantiate(&x, g, 0); void* third[] = {&b}; k.func = (void*)produce; k.kernelParams = third;"
         "cudaGraphExecKernelNodeSetParams(x, p, &k);" + ADD.format("n", "a") + LAUNCH, "holds"),
        (NODE + "cudaGraphInstantiate(&x, g, 0); void* third[] = {&b}; k.func = (void*)produce; k.kernelParams = third;"
         "cudaGraphExecKernelNodeSetParams(x, p, &k);" + ADD.format("n", "b") + LAUNCH, "violated"),
        # A graph in another.
        (BEGIN + PRODUCE + END + "cudaGraphNode_t p, q; cudaGraphCreate(&h, 0); cudaGraphAddChildGraphNode(&p, h, nullptr, 0, g);"
         "cudaGraphAddChildGraphNode(&q, h, &p, 1, g); cudaGraphInstantiate(&x, h, 0);" + LAUNCH, "holds"),
        (BEGIN + PRODUCE + END + "cudaGraphNode_t p, q; cudaGraphCreate(&h, 0); cudaGraphAddChildGraphNode(&p, h, nullptr, 0, g);"
         "cudaGraphAddChildGraphNode(&q, h, nullptr, 0, g); cudaGraphInstantiate(&x, h, 0);" + LAUNCH, "violated"),
        (BEGIN + PRODUCE + END + BEGIN + "cudaGraphLaunch(x, s);" + ADD.format("s", "a") + END + LAUNCH, "holds"),
        # The nodes of an executable graph that is updated are those of the other graph.
        (BEGIN + PRODUCE + END + BEGIN + ADD.format("s", "b") + "cudaStreamEndCapture(s, &g); cudaGraphExecUpdateResultInfo r;"
         "cudaGraphExecUpdate(x, g, &r);" + ADD.format("n", "a") + LAUNCH, "holds"),
        # Memory of a graph.
        (BEGIN + "int* m; cudaMallocAsync(&m, 8, s); produce<<<1, 2, 0, s>>>(m); cudaFreeAsync(m, s);" + END
         + "cudaGraphLaunch(x, s);" + LAUNCH, "holds"),
        (BEGIN + "int* m; cudaMallocAsync(&m, 8, s);" + FORK + "produce<<<1, 2, 0, t>>>(m); cudaFreeAsync(m, s);" + JOIN + END
         + LAUNCH, "violated"),
        # What is captured is not done.
        (BEGIN + PRODUCE + END + ADD.format("n", "a") + "cudaDeviceSynchronize();", "holds"),
    ],
)  # fmt: skip
@pytest.mark.sampled(9)
def test_the_order_of_what_a_graph_does(ask: Asks, main: str, verdict: str) -> None:
    found = verdicts([ask(text(main))])
    assert found["race_free"] == [verdict]


@pytest.mark.parametrize(
    ("main", "message"),
    [
        (BEGIN + FORK + "produce<<<1, 2, 0, t>>>(a);" + END, "work in stream t is not joined to s, so the capture fails"),
        (BEGIN + PRODUCE + "cudaStreamSynchronize(s);" + END, "stream s is captured: none of its work is there"),
        (BEGIN + PRODUCE + "cudaStreamQuery(s);" + END, "stream s is captured: none of its work is there"),
        (BEGIN + PRODUCE + "cudaDeviceSynchronize();" + END, "stream s is captured: its device cannot be waited for"),
        (BEGIN + "cudaEventRecord(e, s); cudaEventSynchronize(e);" + END, "event e was recorded in a captured stream"),
        (BEGIN + "cudaEventRecord(e, s); cudaEventQuery(e);" + END, "event e was recorded in a captured stream"),
        (BEGIN + "produce<<<1, 2>>>(a);" + END, "the legacy default stream is used while stream s is captured"),
        (BEGIN + "cudaEventRecord(e);" + END, "the legacy default stream is used while stream s is captured"),
        (BEGIN + "int* m; cudaMalloc(&m, 4);" + END, "cudaMalloc while stream s is captured"),
        (BEGIN + "int m[2]; cudaMemcpy(m, a, 8, cudaMemcpyDefault);" + END, "a copy that waits while stream s is captured"),
        ("cudaEventRecord(e, t);" + BEGIN + "cudaStreamWaitEvent(s, e);" + END, "and event e was not recorded in that capture"),
        (BEGIN + "cudaEventRecord(e, s);" + END + "cudaStreamWaitEvent(t, e);", "event e was recorded in a capture that is over"),
        (BEGIN + "cudaEventRecord(e, s); cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal); cudaStreamWaitEvent(t, e);",
         "stream t and event e are of different captures"),
        (BEGIN + BEGIN, "stream s is captured already"),
        ("cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);", "the legacy default stream cannot be captured"),
        (BEGIN + FORK + "cudaStreamEndCapture(t, &g);", "no capture began in stream t"),
        ("cudaGraphCreate(&g, 0); cudaGraphNode_t p, q, r; cudaGraphAddEmptyNode(&p, g, 0, 0); cudaGraphAddEmptyNode(&q, g, &p, 1);"
         "cudaGraphAddEmptyNode(&r, g, 0, 0); cudaGraphInstantiate(&x, g, 0); cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&p, g, 0, 0);"
         "cudaGraphAddEmptyNode(&q, g, 0, 0); cudaGraphAddEmptyNode(&r, g, &p, 1); cudaGraphExecUpdateResultInfo told;"
         "cudaGraphExecUpdate(x, g, &told);", "a graph that was made in another order"),
        (NODE + "cudaGraphAddKernelNode(&q, g, &p, 1, &k); cudaGraphAddDependencies(g, &q, &p, 1); cudaGraphInstantiate(&x, g, 0);"
         + LAUNCH, "the edges of the graph go round"),
        (BEGIN + "if (*a) produce<<<1, 2, 0, s>>>(a); more<<<1, 2, 0, s>>>(a, 1);" + END, "outside the modelled subset"),
    ],
)  # fmt: skip
@pytest.mark.sampled(9)
def test_what_a_capture_forbids(tmp_path: Path, main: str, message: str) -> None:
    managed = text(main).replace("cudaMalloc(&a", "cudaMallocManaged(&a") if "*a)" in main else text(main)
    outcome = check_text(tmp_path, managed, engine="embedded")
    assert outcome.exit_code == 2
    assert any(message in d.message for d in outcome.diagnostics), outcome.diagnostics


def test_what_a_relaxed_capture_and_one_of_a_non_blocking_stream_allow(ask: Asks) -> None:
    relaxed = BEGIN.replace("Global", "Relaxed") + "int* m; cudaMalloc(&m, 8);" + PRODUCE + END + LAUNCH
    apart = (BEGIN + PRODUCE + END + LAUNCH).replace("(s,", "(n,").replace(", s>", ", n>")
    apart = apart.replace(END.replace("(s,", "(n,"), f"more<<<1, 2>>>(b, 1); {END}".replace("(s,", "(n,"))
    for main in (relaxed, apart):
        assert verdicts([ask(text(main))])["race_free"] == ["holds"]


def test_arguments_are_those_of_the_capture(ask: Asks) -> None:
    """A kernel's arguments are copied when it is captured, not when the graph is launched."""
    main = (
        f"int by = 1, seen[2]; {BEGIN} cudaMemsetAsync(a, 0, 8, s); more<<<1, 2, 0, s>>>(a, by); by = 2; {END} {LAUNCH}"
    )
    main += "cudaMemcpy(seen, a, 8, cudaMemcpyDefault);"
    asked = text(main) + "//@ expect required main.seen[0] == 1;\n"
    assert verdicts([ask(asked)]) == {"race_free": ["holds"], "required main.seen[0] == 1": ["holds"]}


@pytest.mark.parametrize(("stream", "verdict"), [("0", "holds"), ("i", "violated")])
@pytest.mark.sampled(1)
def test_streams_in_a_vector(ask: Asks, stream: str, verdict: str) -> None:
    """Which stream an element is, is known: vectors of handles are memory of their thread."""
    main = "std::vector<cudaStream_t> of(2); for (auto& one : of) cudaStreamCreate(&one);"
    main += f"for (int i = 0; i < 2; i++) more<<<1, 2, 0, of[{stream}]>>>(a, 1); for (auto one : of) cudaStreamDestroy(one);"
    assert verdicts([ask(text(main))])["race_free"] == [verdict]


def test_the_nodes_of_a_graph_are_counted(ask: Asks) -> None:
    main = NODE + "cudaGraphAddKernelNode(&q, g, &p, 1, &k); size_t count = 0; cudaGraphGetNodes(g, nullptr, &count);"
    main += "cudaGraphNode_t found[2]; cudaGraphGetNodes(g, found, &count); int all = count, same = found[0] == p;"
    asked = "required main.all == 2 && main.same == 1"
    assert verdicts([ask(f"{text(main)}//@ expect {asked};\n")])[asked] == ["holds"]


@pytest.mark.sampled(0)
def test_nodes_of_one_function_have_their_own_arguments(ask: Asks) -> None:
    """What is passed on to each is kept apart, as is that of a launch beside the capture."""
    main = f"int *from = a, *to = b, seen[4]; cudaMemset(a, 0, 8); cudaMemset(b, 0, 8); {BEGIN} more<<<1, 1, 0, s>>>(from, seen[3] = 1);"
    main += f"more<<<1, 1, 0, s>>>(to, seen[3] = 2); {END} more<<<1, 1, 0, s>>>(from, seen[3] = 4); {LAUNCH}"
    main += "cudaMemcpy(seen, a, 4, cudaMemcpyDefault); cudaMemcpy(seen + 1, b, 4, cudaMemcpyDefault);"
    asked = "required main.seen[0] == 5 && main.seen[1] == 2"
    assert verdicts([ask(f"{text(main)}//@ expect {asked};\n")])[asked] == ["holds"]
    main = "static int one, two; auto set = [](void* at) { *(int*)at += 1; };"
    main += f"{BEGIN} cudaLaunchHostFunc(s, set, &one); cudaLaunchHostFunc(s, set, &two); {END} {LAUNCH} int x1 = one, x2 = two;"
    asked = "required main.x1 == 1 && main.x2 == 1"
    assert verdicts([ask(f"{text(main)}//@ expect {asked};\n")])[asked] == ["holds"]


def test_advice_waits_nowhere_in_a_capture(ask: Asks) -> None:
    """A call that waits would stand where a node is captured; the place of the launch does not help."""
    outcome = ask(text(BEGIN + FORK + PRODUCE + CONSUME + JOIN + END + LAUNCH), advise=True)
    (check,) = [c for report in outcome.reports for c in report.checks]
    assert check.verdict == "violated"
    assert "cudaDeviceSynchronize" not in (check.advice or "")


def ordered(edges: dict[int, set[int]]) -> set[tuple[int, int]]:
    """The pairs of nodes of which the second comes after the first."""
    found = {(first, then) for then, before in edges.items() for first in before}
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


@pytest.mark.parametrize("seed", range(programs(8, 100)))
@pytest.mark.sampled(1)
def test_random_graphs(ask: Asks, seed: int) -> None:
    """Nodes that write one of two numbers, and their edges: a race is where two of one number are in no order."""
    chance = Random(seed)
    count = chance.randrange(2, 6)
    writes = [chance.choice("ab") for _ in range(count)]
    edges = {n: {b for b in range(n) if chance.random() < 0.6} for n in range(count)}
    order = ordered(edges)
    race = any(writes[m] == writes[n] and (m, n) not in order for m, n in combinations(range(count), 2))
    main = "cudaGraphCreate(&g, 0); cudaKernelNodeParams k = {}; k.func = (void*)produce; k.gridDim = k.blockDim = dim3(1);"
    main += f"cudaGraphNode_t made[{count}]; void *on_a[] = {{&a}}, *on_b[] = {{&b}};"
    for n in range(count):
        main += f"k.kernelParams = on_{writes[n]}; cudaGraphAddKernelNode(&made[{n}], g, nullptr, 0, &k);"
    for n, before in edges.items():
        main += "".join(f"cudaGraphAddDependencies(g, &made[{b}], &made[{n}], 1);" for b in sorted(before))
    main += "cudaGraphInstantiate(&x, g, 0);" + LAUNCH
    assert verdicts([ask(text(main))])["race_free"] == ["violated" if race else "holds"]


ANY_NODE = """
cudaGraphCreate(&g, 0); cudaGraphNode_t p, q; void *first[] = {&a}, *second[] = {&a, &b};
cudaGraphNodeParams k = {}; k.type = cudaGraphNodeTypeKernel; k.kernel.func = (void*)produce;
k.kernel.gridDim = dim3(1); k.kernel.blockDim = dim3(2); k.kernel.kernelParams = first;
cudaGraphAddNode(&p, g, nullptr, 0, &k); k.kernel.func = (void*)consume; k.kernel.kernelParams = second;
"""
ANY_LAUNCH = "cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, s); cudaDeviceSynchronize();"


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("cudaGraphAddNode(&q, g, &p, 1, &k);", "holds"),
        ("cudaGraphAddNode(&q, g, &p, nullptr, 1, &k);", "holds"),
        ("cudaGraphAddNode(&q, g, nullptr, 0, &k);", "violated"),
    ],
)
@pytest.mark.sampled(1)
def test_a_node_of_any_type(ask: Asks, second: str, expected: str) -> None:
    """``cudaGraphAddNode`` makes what the function for the type of node makes."""
    assert verdicts([ask(text(f"{ANY_NODE} {second} {ANY_LAUNCH}"))])["race_free"] == [expected]


FILL_NODE = """
cudaGraphCreate(&g, 0); cudaGraphNode_t p, q; cudaGraphNodeParams fill = {}; fill.type = cudaGraphNodeTypeMemset;
fill.memset.dst = a; fill.memset.elementSize = 1; fill.memset.width = 8; fill.memset.height = 1; cudaGraphAddNode(&p, g, nullptr, 0, &fill);
cudaGraphNodeParams copy = {}; copy.type = cudaGraphNodeTypeMemcpy; copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(a, 8, 2, 1);
copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(b, 8, 2, 1); copy.memcpy.copyParams.extent = make_cudaExtent(8, 1, 1);
copy.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
"""


@pytest.mark.parametrize(("after", "expected"), [("&p, 1", "holds"), ("nullptr, 0", "violated")])
@pytest.mark.sampled(1)
def test_fills_and_copies_of_any_type(ask: Asks, after: str, expected: str) -> None:
    main = f"{FILL_NODE} cudaGraphAddNode(&q, g, {after}, &copy); {ANY_LAUNCH}"
    assert verdicts([ask(text(main))])["race_free"] == [expected]


def test_capture_info(ask: Asks) -> None:
    """The status is that of the stream at the time."""
    look = "cudaStreamCaptureStatus w; unsigned long long id; cudaStreamGetCaptureInfo(s, &w, &id);"
    main = (
        f"{BEGIN} {PRODUCE} {look} if (w == cudaStreamCaptureStatusActive) more<<<1, 2, 0, s>>>(a, 1); {END} {LAUNCH}"
    )
    assert verdicts([ask(text(main) + "//@ expect required a[0] == 2;\n")])["required a[0] == 2"] == ["holds"]


@pytest.mark.parametrize(
    ("main", "message"),
    [
        ("cudaGraphNodeParams of = {}; of.type = cudaGraphNodeTypeConditional; cudaGraphNode_t p; cudaGraphCreate(&g, 0); "
         "cudaGraphAddNode(&p, g, nullptr, 0, &of);", "a conditional node"),
        (f"{BEGIN} {END} cudaGraphNode_t p[1]; size_t n = 1; cudaGraphGetEdges(g, p, p, &n);", "`cudaGraphGetEdges`"),
    ],
)  # fmt: skip
def test_nodes_that_are_refused(tmp_path: Path, main: str, message: str) -> None:
    outcome = check_text(tmp_path, text(main), engine="embedded")
    assert message in " ".join(d.message for d in outcome.diagnostics)


UPDATED = "cudaGraphExecUpdateResultInfo r; int code = cudaGraphExecUpdate(x, g, &r), result = r.result, node = r.errorNode != nullptr;"


@pytest.mark.parametrize(
    ("second", "code", "result", "node"),
    [
        (PRODUCE, 0, 0, 0),
        ("", 910, 2, 0),  # cudaGraphExecUpdateErrorTopologyChanged
        (PRODUCE + PRODUCE, 910, 2, 0),
        ("cudaMemsetAsync(a, 0, 8, s);", 910, 3, 1),  # cudaGraphExecUpdateErrorNodeTypeChanged
    ],
)
@pytest.mark.sampled(2)
def test_an_update_that_fails_says_so(ask: Asks, second: str, code: int, result: int, node: int) -> None:
    """cudaErrorGraphExecUpdateFailure: "the graph update was not performed"."""
    main = BEGIN + PRODUCE + END + BEGIN + second + "cudaStreamEndCapture(s, &g);" + UPDATED
    said = {"code": code, "result": result, "node": node}
    asked = "".join(f"//@ expect required main.{name} == {value};\n" for name, value in said.items())
    expected = {f"required main.{name} == {value}": ["holds"] for name, value in said.items()}
    assert verdicts([ask(text(main) + asked)]) == {"race_free": ["holds"], **expected}


def test_an_update_that_fails_changes_nothing(ask: Asks) -> None:
    """The next launch does what it did before: here it races with a fill of another stream, the new graph would not."""
    main = BEGIN + PRODUCE + END + BEGIN + "{} cudaStreamEndCapture(s, &g);" + UPDATED + "cudaGraphLaunch(x, s);"
    for second, expected in (("cudaMemsetAsync(c, 0, 8, s);", "violated"), ("produce<<<1, 2, 0, s>>>(c);", "holds")):
        assert verdicts([ask(text(main.format(second) + ADD.format("n", "a")))])["race_free"] == [expected]


COPIED = "cudaMemcpy3DParms copy = {}; copy.srcPtr = make_cudaPitchedPtr(a, 4, 1, 2); copy.dstPtr = make_cudaPitchedPtr(b, 4, 1, 2);"
COPIED += "copy.extent = make_cudaExtent(4, 2, 1); copy.kind = cudaMemcpyDeviceToDevice;"


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        (PRODUCE + COPIED + "cudaMemcpy3DAsync(&copy, s);" + ADD.format("s", "b"), "holds"),
        (PRODUCE + COPIED + "cudaMemcpy3DAsync(&copy, n);", "violated"),
        (COPIED + "cudaMemcpy3DAsync(&copy, s);" + ADD.format("n", "b"), "violated"),
        (PRODUCE + "cudaStreamSynchronize(s);" + COPIED + "cudaMemcpy3D(&copy); cudaDeviceSynchronize();" + ADD.format("n", "b"), "holds"),
        # Each row by itself: what is between rows is not written.
        (COPIED + "copy.extent.height = 1; cudaMemcpy3DAsync(&copy, s);" + "cudaMemsetAsync(b + 1, 0, 4, n);", "holds"),
        ("cudaPitchedPtr p; cudaMalloc3D(&p, make_cudaExtent(4, 2, 1));" + COPIED
         + "copy.dstPtr = p; cudaMemcpy3DAsync(&copy, s); cudaMemsetAsync((char*)p.ptr + p.pitch, 0, 4, n);", "violated"),
    ],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_copies_of_boxes(ask: Asks, main: str, expected: str) -> None:
    """cudaMemcpy3D of memory that is no array is a copy of each of its rows."""
    assert verdicts([ask(text(main + "cudaDeviceSynchronize();"))])["race_free"] == [expected]


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        ("cudaMemset2DAsync(a, 4, 0, 4, 2, s); cudaMemsetAsync(a + 1, 0, 4, s);", "holds"),
        ("cudaMemset2DAsync(a, 4, 0, 4, 2, s); cudaMemsetAsync(a + 1, 0, 4, n);", "violated"),
        ("cudaMemset2D(a, 4, 0, 4, 2); cudaMemsetAsync(a + 1, 0, 4, n);", "violated"),  # the host does not wait for it
        (
            "cudaMemset2D(a, 8, 0, 4, 1); cudaMemsetAsync(a + 1, 0, 4, n);",
            "holds",
        ),  # what is between rows is not written
    ],
)
def test_fills_of_rows(ask: Asks, main: str, expected: str) -> None:
    assert verdicts([ask(text(main + "cudaDeviceSynchronize();"))])["race_free"] == [expected]
