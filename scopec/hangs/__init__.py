"""Hangs that only a weaker memory allows: executions in which nothing changes any more.

- ``graph``: the graph of stuck executions
- ``operations``, ``spin_loops``, ``context``: points at which a thread may be left for ever
- ``conditions``, ``terms``: the promises, asked of a state that lasts
- ``slicing``: the accesses that matter
- ``execution``, ``final_status``: such an execution, and where each thread is
- ``missing``: the order that it lacks, in a sentence
- ``provenance``: the part of a question that was asked, and the engines
"""
