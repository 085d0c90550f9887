"""Operands that C++ leaves in no order: each order is a way of the function.

- ``unordered``: functions that may need it
- ``evaluations``: the expressions, from clang's syntax tree
- ``operands``: whose operand an instruction is
- ``footprints``, ``dependence``: effects that may not commute, and dependences
- ``order``: the function with a way for each order
"""
