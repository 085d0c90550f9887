"""The memory question, in SAT.

- ``sat``: a solver per problem, an assumption per question
- ``encode``: executions as a circuit; ``values``: what they compute
- ``given``, ``relations``: what is given, and cat, as matrices of literals
- ``circuit``, ``solver``: clauses
- ``lazy_closures``: clauses that are written when a model breaks them
- ``symmetry``: threads that are alike, in one order
"""
