"""The Program form: the meaning of a file, before either question is asked of it.

- ``program``, ``ir``: the form
- ``builder``, ``dead_assignments``, ``specialise``: graphs made, shortened, specialised
- ``merge_threads``, ``thread_indices``: one graph for all threads of a grid
- ``show``: a Program in print
- ``types``, ``trees``, ``values``: types, expressions as trees, and how they are built
- ``reasoning``, ``conditions``, ``constants``: deductions about values, and the conditions of branches
- ``effects``: effects of operations
- ``truths``: decisions on values that are not modelled
- ``faults``: operations without a meaning for some operands
- ``loops``: loops of a graph
- ``warp``: the size of a warp
- ``largest``: the largest launches
- ``collective``, ``arrival_order``: threads that meet at a barrier, and the phases of their arrivals
- ``streams``, ``transfers``, ``endings``: streams, what copies wait for, and what ``main`` ends
- ``expectations``, ``observe``: the questions of a file
- ``mbarriers``: the states of mbarriers, and the rules of their operations
- ``settled_phases``: mbarriers whose phases are the same in every execution
- ``pipes``: instructions of tensor memory that are executed in the order in which they are issued
- ``extensions``: asynchronous copies and proxies, of which not every model speaks
- ``anythread``: a kernel for any thread of any launch
- ``pointer_tables``: addresses of its, read at an index of an array
- ``names``: names in generated specifications
"""
