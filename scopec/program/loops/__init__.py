"""Loops of a control-flow graph.

- ``loops``: which there are, and which registers live
- ``facts``: what decides their exits, and whether their turns are idle
- ``headers``: where they begin
- ``counters``: waits that count their turns
- ``delays``: loops that do nothing
- ``watchdogs``: waits that a clock bounds
"""
