"""What C and C++ have in common for those that lower them from ``scoped.syntax.tree``: a reader says the rest.

- ``frame``: code with its blocks and loops, and what a reader says of it
- ``statements``: statements
- ``names``: orders, operations and integer types by their names
- ``expressions``: literals, and expressions of which a part is evaluated or not
"""
