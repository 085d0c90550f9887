"""Why a verdict is so.

- ``verdict``: a check with its verdict
- ``reasons``: the sentences that every report says
- ``synchronisation``: what hands a value on, and orders nothing
- ``agents``: races with asynchronous copies
- ``mbarriers``: arrivals that come too early, and accesses that lack a fence of the asynchronous proxy
- ``proxies``: which proxy fence lacks
- ``lifetimes``: why an object is not there
- ``fixes``: changes of a text, as a diff
"""
