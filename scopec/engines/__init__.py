"""Engines: who answers a question.

- ``protocol``: what an engine is
- ``table``: which there are
- ``policy``: who is asked
- ``alloy``: the memory question in Alloy
- ``tla``: the progress question in TLA+, and the example hardware of HRF0
- ``embedded``: both questions in this process
- ``java``: Java, its processes, and the engines' jars
"""
