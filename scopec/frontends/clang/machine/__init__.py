"""The machine: executes the LLVM code of one thread, as a control-flow graph of the Program.

- ``machine``: where a thread goes on, and what becomes a register
- ``steps``, ``instructions``: what an instruction does, and computes
- ``access``, ``memcpy``: reads and writes, of one number and of many
- ``addresses``: as numbers
- ``variables``: local variables
- ``state``, ``memory``: where a thread is, and what its memory holds
- ``recording``: its registers, its graph, and where the text is
- ``world``, ``side``: what all threads of a program share, and the code of device and host
- ``constants``, ``names``, ``refusals``: constants of the code, what things are called, what is not done
- ``points_to``: what pointers in memory may point to
- ``lifetimes``: how long memory is there
- ``undefined``: operations without a meaning for some operands
- ``spawned``, ``argument_passing``: what a thread makes others do, and gives them
"""
