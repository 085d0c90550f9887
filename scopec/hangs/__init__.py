"""Hangs that only a weaker memory allows: executions in which nothing changes any more.

- ``graph``: the graph of stuck executions
- ``operations``, ``spin_loops``, ``context``: where a thread may be left for ever
- ``conditions``, ``terms``: the promises, asked of a state that lasts
- ``slicing``: which accesses matter
- ``execution``, ``final_status``: such an execution, and where each thread is
- ``missing``: the order that it lacks, in a sentence
- ``provenance``: which part of a question was asked, and of whom
"""
