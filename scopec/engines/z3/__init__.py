"""Questions about all launches, answered by z3 (the extra ``scopec[sizes]``).

- ``engine``: a question to an answer
- ``powers``: numbers that are doubled or halved some times
- ``terms``: terms to z3's, and the laws of products
"""
