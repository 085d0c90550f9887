"""Large event graphs made small.

- ``resolve_locations``: locations whose accesses the program orders are computed
- ``prune_barriers``: barriers that then order nothing
- ``commuting``: read-modify-writes that may change places
- ``certain_race``: one race that nothing can order
- ``constant_order``: what the program alone orders
"""
