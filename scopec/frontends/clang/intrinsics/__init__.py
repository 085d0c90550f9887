"""Calls of the library: what the intrinsics of scopec's headers do to a thread of the machine.

- ``library``: the module of each intrinsic
- ``call``: a call that is executed; ``calls``: those that device and host both have
- ``atomics``: accesses in one step, barriers with counts, latches, semaphores
- ``mbarriers``, ``bulk_copies``: mbarriers, and what completes at them; ``alignment``: of what that accesses
- ``tensors``, ``matrices``: copies of boxes of tensors, and what ``wgmma`` reads
- ``tensor_cores``: tensor memory, and what is multiplied into it
- ``states``: states of barriers as numbers
- ``block_barriers``: ``__syncthreads()``, ``bar``, ``barrier``
- ``warps``, ``masks``: exchanges between lanes, and the lanes of a mask; ``agreed``: what all lanes bring to one
- ``clusters``: blocks of a cluster
- ``assembly``, ``vectors``: intrinsics for PTX alone
- ``guards``: static local variables
- ``captures``, ``graphs``, ``graph_launches``: streams that are captured, graphs, and what a launch of one does
- ``stream_values``: values in memory that streams wait for and write
- ``launch_events``: events that launches record
- ``host``, ``launches``, ``copies``, ``staging``, ``allocations``: host code
- ``peers``: copies between devices that all their work is ordered with
"""
