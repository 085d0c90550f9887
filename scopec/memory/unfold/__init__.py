"""From the threads of a Program to events.

- ``symbolic``, ``unfolding``: every path of a thread, and what is found there
- ``operations``, ``accesses``: the events of an operation
- ``spin_loops``: which turns of a loop are enough
- ``sequencing``: operands in no order
- ``barriers``, ``counted_barriers``, ``aligned``: who meets at a barrier
- ``warp_collectives``: what lanes bring each other
- ``copies``: asynchronous copies and their groups
- ``phases``: the phases of mbarriers, and what they order
- ``asw``, ``call_order``: what orders threads with each other
- ``blocking``, ``stopping``: threads that wait in vain, and those that are stopped
- ``collected``: what was found, as an event graph
- ``lifetimes``, ``existence``, ``registration``: from when to when memory is there
"""
