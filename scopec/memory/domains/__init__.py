"""Domains: the values that reads may return, and what depends on which reads.

- ``domains``: the values of each read
- ``coherent``: those of them that one location takes in the orders of its accesses
- ``valuations``: executions in which reads return given values
- ``dependencies``: those that no compiler can remove
"""
