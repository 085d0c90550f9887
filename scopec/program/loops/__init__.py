"""Loops of a control-flow graph.

- ``loops``: the loops, and live registers
- ``facts``: conditions of their exits, and idle turns
- ``first_looks``: looks at mbarriers that are turns of the loops behind them
- ``headers``: the nodes at which they begin
- ``counters``: waits that count their turns
- ``delays``: loops that do nothing until a clock says so; ``empty``: until they have counted to a limit
- ``watchdogs``: waits that a clock bounds
- ``passes``: these, in their order
"""
