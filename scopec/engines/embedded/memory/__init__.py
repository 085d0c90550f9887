"""The memory question, in SAT.

- ``sat``: a solver per problem, an assumption per question
- ``encode``: executions as a circuit; ``values``: their values
- ``given``, ``relations``: given relations, and cat, as matrices of literals
- ``circuit``, ``solver``: clauses
- ``lazy_closures``: clauses that are written when a model breaks them
- ``symmetry``: threads that are alike, in one order
"""
