"""Loops of a control-flow graph.

- ``loops``: the loops, and live registers
- ``facts``: conditions of their exits, and idle turns
- ``headers``: the nodes at which they begin
- ``counters``: waits that count their turns
- ``delays``: loops that do nothing
- ``watchdogs``: waits that a clock bounds
"""
