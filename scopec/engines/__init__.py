"""Engines, which answer questions.

- ``protocol``: the interface of an engine
- ``table``: the engines that there are
- ``policy``: the choice of engines
- ``alloy``: the memory question in Alloy
- ``tla``: the progress question in TLA+, and the example hardware of HRF0
- ``embedded``: both questions in this process
- ``z3``: questions about all launches
- ``java``: Java, its processes, and the engines' jars
"""
