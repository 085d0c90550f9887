"""Questions about all launches, answered by z3 (the extra ``scopec[sizes]``).

- ``engine``: a question to an answer
- ``terms``: terms to z3's, and the laws of products
"""
