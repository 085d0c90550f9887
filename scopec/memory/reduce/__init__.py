"""Shrinks large event graphs.

- ``resolve_locations``: evaluates and removes locations whose accesses the program orders
- ``prune_barriers``: removes barriers that then order nothing
- ``commuting``: read-modify-writes that may change places
- ``certain_race``: one race that nothing can order
- ``constant_order``: what the program alone orders
"""
