"""Domains: the values that reads may return, and what depends on which reads.

- ``domains``: the values of each read
- ``valuations``: executions in which reads return given values
- ``dependencies``: those that no compiler can remove
"""
