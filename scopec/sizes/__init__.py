"""Questions about all launches of a kernel, as data: which accesses may meet, and what is asked of two threads.

- ``pairs``: the accesses that may meet, and the barriers between them, in turns of loops
- ``assumptions``: what a proof assumes, with questions that find where it is not so
- ``conditions``: guesses which launches are meant
- ``polynomials``: sums of products in one form
- ``digits``: a question about two offsets by the digits of these
- ``tables``: offsets behind addresses that are read at an index
- ``tickets``: numbers that no two threads get
- ``questions``: what is asked of two threads, and what is known of a launch
"""
