"""A brute-force checker of small programs that use the asynchronous side of CUDA GPUs.

Written from a note on what the PTX ISA says of asynchronous operations, by somebody who had not seen scopec's models.  The
sections that it cites are the note's: 1 events and agents, 2 proxies, 3 mbarriers, 4 other constructs, 5 ranges, 6 lifetimes,
7 expected answers.  What orders accesses to tensor memory (``tensor_memory``, ``executed``) is an exception: it was
added from the ISA's text by somebody who knew the models.
"""
