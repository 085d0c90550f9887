"""Questions about all launches, answered by z3 (the extra ``scopec[sizes]``).

- ``bits``: ``^`` and ``&`` of two unknown numbers
- ``engine``: a question to an answer
- ``interrupt``: an end to a question, by the time of the processor
- ``powers``: numbers that are doubled or halved some times
- ``smtlib``: a question as text
- ``terms``: terms to z3's, and the laws of products
"""
