"""The progress question in TLA+.

- ``engine``: the engine
- ``emit``, ``layout``, ``text``: the module, its variables, its lines
- ``laws``: ``CudaProgress.tla``
- ``actions``, ``terms``, ``values``, ``promises``, ``names``: steps, rules, expressions, promises and names in TLA+
- ``run``, ``in_jvm``, ``read``: asks TLC, and reads what it prints
- ``hardware``, ``reachable_accesses``: the example hardware of HRF0, and what it has to do
- ``outcomes``, ``hardware_run``, ``hardware_engine``: its reachable states, a run to one, and the engine
"""
