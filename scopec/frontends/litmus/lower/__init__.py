"""From the tree of a litmus file to a Program.

- ``program``: the whole file
- ``world``: its declarations
- ``frame``: a thread that is being lowered
- ``c``, ``c_expressions``, ``c_operands``, ``c_calls``, ``c_order``: threads of the C dialects
- ``ptx``: threads of PTX
- ``proxies``: other names of locations, and accesses through proxies
- ``condition``: the final clause
"""
