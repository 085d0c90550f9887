"""The machine: executes the LLVM code of one thread, as a control-flow graph of the Program.

- ``machine``: where a thread goes on, and what becomes a register
- ``steps``, ``instructions``: what an instruction does, and computes
- ``access``, ``bulk``: reads and writes, of one number and of many
- ``state``, ``memory``: where a thread is, and what its memory holds
- ``world``: what all threads of a program share
- ``points_to``: what pointers in memory may point to
- ``lifetimes``: how long memory is there
- ``undefined``: operations without a meaning for some operands
- ``spawned``, ``argument_passing``: what a thread makes others do, and gives them
"""
