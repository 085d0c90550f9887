"""The part of C that the scoped language and litmus files have in common; each reader adds its own.

- ``syntax``: the syntax tree
- ``frame``: code with its blocks and loops, and what a reader says of it
- ``statements``: statements
- ``names``: orders, operations and integer types by their names
- ``expressions``: literals, and expressions of which a part is evaluated or not
"""
