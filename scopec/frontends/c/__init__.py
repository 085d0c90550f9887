"""What the scoped language and litmus files in C have in common: a reader says the rest.

- ``syntax``: the syntax tree
- ``frame``: code with its blocks and loops, and what a reader says of it
- ``statements``: statements
- ``names``: orders, operations and integer types by their names
- ``expressions``: literals, and expressions of which a part is evaluated or not
"""
