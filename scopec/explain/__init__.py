"""Explanations of verdicts.

- ``verdict``: a check with its verdict
- ``reasons``: the sentences that every report says
- ``synchronisation``: hand-overs that order nothing
- ``agents``: races with asynchronous copies; ``tensor_memory``: races in tensor memory
- ``mbarriers``: arrivals that come too early, and accesses that lack a fence of the asynchronous proxy
- ``proxies``: proxy fences that lack
- ``streams``: work of streams that comes too early, and events that do not keep it from that
- ``queues``: what a host gives to its streams, and in which order these do it
- ``lifetimes``: accesses outside an object's lifetime
- ``fixes``: changes of a text, as a diff
- ``whynot``, ``named``: why two events are ordered or not, and what users call events
- ``order``: by which relation and along which way
- ``differences``: how two executions differ
- ``missing``, ``changes``: what would order them, tried on the execution
"""
