"""The engine in this process.

- ``memory``: the memory question, in SAT
- ``progress``: the progress question, by states
"""
