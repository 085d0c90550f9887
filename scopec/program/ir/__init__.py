"""The Program form: threads in their places, objects with storage, one control-flow graph per kernel launch.

A *body* is shared by the threads of a grid; what differs between them is in their :class:`Builtin` values and in the
instances of per-block and per-thread objects.  :mod:`scopec.program.specialise` makes it one graph a thread.

- ``objects``: objects in memory, and how they are accessed
- ``operations``: operations of one thread: accesses, barriers, steps that nobody notices
- ``copies``: copies that agents make, and fences of proxies and of mbarriers
- ``calls``: calls that may order threads: of the runtime, of threads of the host, and of what ends a program
- ``graphs``: control-flow graphs
- ``launch_events``: events that launches record, and what is waited for of a grid before its end
- ``hierarchy``: the execution hierarchy: grids, threads, streams
"""

from scopec.program.ir.calls import (
    ApiCall,
    AwaitGrid,
    Call,
    CreateThread,
    DeviceSynchronize,
    EndProcess,
    EventQuery,
    EventRecord,
    EventSynchronize,
    EventWait,
    JoinThread,
    LaunchGrid,
    LaunchQuery,
    LaunchSynchronize,
    StreamQuery,
    StreamSynchronize,
    Trap,
    TriggerDependents,
    WorkSynchronize,
)
from scopec.program.ir.copies import (
    TENSOR_GROUPS,
    Agent,
    AwaitCopies,
    CommitCopies,
    CopyGroups,
    InitFence,
    ProxyFence,
    TensorFence,
)
from scopec.program.ir.graphs import Body, Branch, Do, Exit, Node, Operation, successors
from scopec.program.ir.hierarchy import Dim, GraphNode, Grid, Stream, Thread, Work, legacy_stream
from scopec.program.ir.launch_events import Awaited, Fires, LaunchEvent
from scopec.program.ir.objects import (
    PAGEABLE,
    PLAIN,
    READ_ORDERS,
    VOLATILE,
    WRITE_ORDERS,
    Mode,
    Object,
    Order,
    Place,
    Proxy,
    Scope,
    Storage,
    Use,
)
from scopec.program.ir.operations import (
    Access,
    Assert,
    AtBarrier,
    Await,
    BarrierArrive,
    BarrierExpect,
    BarrierFault,
    BarrierInit,
    BarrierOperation,
    BarrierTest,
    BarrierWait,
    Called,
    CompareExchange,
    Decide,
    Exchange,
    Fence,
    Group,
    GroupSync,
    InputOutput,
    Lifetime,
    Load,
    NamedBarrier,
    Notify,
    Operand,
    Rmw,
    Set,
    SideEffect,
    Silent,
    Store,
    SyncThreads,
    Vote,
    Yield,
    brought,
    came,
    exchanged_by,
    is_exchanged,
)

__all__ = [
    "PAGEABLE", "PLAIN", "READ_ORDERS", "TENSOR_GROUPS", "VOLATILE", "WRITE_ORDERS", "Access", "Agent", "ApiCall",
    "Assert", "AtBarrier",
    "Await", "AwaitCopies", "AwaitGrid", "Awaited", "BarrierArrive", "BarrierExpect", "BarrierFault", "BarrierInit",
    "BarrierOperation", "BarrierTest", "BarrierWait", "Body", "Branch", "Call", "Called", "CommitCopies",
    "CompareExchange", "CopyGroups", "CreateThread", "Decide", "DeviceSynchronize", "Dim", "Do", "EndProcess",
    "EventQuery", "EventRecord", "EventSynchronize", "EventWait", "Exchange", "Exit", "Fence", "Fires", "GraphNode",
    "Grid", "Group", "GroupSync", "InitFence",
    "InputOutput", "JoinThread", "LaunchEvent", "LaunchGrid", "LaunchQuery", "LaunchSynchronize", "Lifetime", "Load",
    "Mode", "NamedBarrier", "Node", "Notify", "Object",
    "Operand", "Operation", "Order", "Place", "Proxy", "ProxyFence", "Rmw", "Scope", "Set", "SideEffect", "Silent",
    "Storage", "Store", "Stream", "StreamQuery", "StreamSynchronize", "SyncThreads", "TensorFence", "Thread", "Trap",
    "TriggerDependents", "Use", "Vote", "Work", "WorkSynchronize", "Yield", "brought", "came", "exchanged_by",
    "is_exchanged", "legacy_stream", "successors",
]  # fmt: skip
