"""Shrinks large event graphs.

- ``resolve_phases``: puts barriers in the place of mbarriers whose phases the program settles
- ``phase_schedule``: a schedule of the operations on mbarriers
- ``resolve_locations``: evaluates and removes locations whose accesses the program orders
- ``prune_barriers``: removes barriers that then order nothing
- ``commuting``: read-modify-writes that may change places
- ``certain_race``: one race that nothing can order
- ``one_execution``: a sequentially consistent execution, in which it looks for one
- ``edges_left``: the edges that hold threads up while events are gone through
- ``substituting``: values in the place of reads
- ``constant_order``: the order that the program alone decides
"""
