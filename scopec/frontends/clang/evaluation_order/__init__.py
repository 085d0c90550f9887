"""Operands that C++ leaves in no order: each order is a way of the function.

- ``unordered``: which functions may need it
- ``evaluations``: the expressions, from clang's syntax tree
- ``operands``: whose operand an instruction is
- ``footprints``, ``dependence``: what may make a difference, and what needs a result
- ``order``: the function with a way for each order
"""
