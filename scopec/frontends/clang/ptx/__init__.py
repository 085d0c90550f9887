"""PTX as LLVM code that calls the intrinsics.

- ``assembler``: instructions to a function; ``inline``: those of an ``asm``
- ``memory``, ``copies``, ``bulk_copies``, ``sends``, ``mbarriers``, ``threads``, ``numbers``, ``bits``, ``carry``: what
each instruction becomes
- ``text``: the C++ around a ``.ptx`` file; ``module``, ``functions``, ``parameters``: the file's memory, functions,
results
"""
