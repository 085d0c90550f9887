"""PTX as LLVM code that calls the intrinsics.

- ``assembler``: instructions to a function; ``inline``: those of an ``asm``
- ``memory``, ``copies``, ``bulk_copies``, ``tensor_copies``, ``sends``, ``matrices``, ``mbarriers``, ``threads``: what
each instruction becomes
- ``tensor_cores``: likewise, of tensor memory
- ``numbers``, ``bits``, ``carry``: likewise, of numbers
- ``text``: the C++ around a ``.ptx`` file; ``module``, ``functions``, ``parameters``: the file's memory, functions,
results
- ``launches``: its kernels and their parameters, for which a launch is guessed
"""
