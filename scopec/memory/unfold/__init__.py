"""From the threads of a Program to events.

- ``symbolic``, ``unfolding``: every path of a thread, and what is found there
- ``straight``: the same of a thread that takes one way
- ``flow``: what the control flow of threads says, whose graphs have one form
- ``operations``, ``accesses``: the events of an operation
- ``tables``: objects of which the program alone decides what reads return
- ``spin_loops``: turns of a loop that need no second execution
- ``sequencing``: operands in no order
- ``barriers``, ``counted_barriers``, ``aligned``: threads that meet at a barrier
- ``cases``: numbers that branches decide, as the phase of a barrier
- ``warp_collectives``: exchanges between lanes
- ``turns``, ``rounds``: turns of threads that meet in wait loops, each in one of its own
- ``copies``: asynchronous copies and their groups
- ``phases``: the phases of mbarriers, and what they order
- ``asw``, ``call_order``, ``dependents``: order between threads
- ``blocking``, ``stopping``: threads that wait in vain, and those that are stopped
- ``collected``: the results as an event graph
- ``lifetimes``, ``existence``, ``registration``: from when to when memory is there
"""
