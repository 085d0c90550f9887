"""The machine: executes the LLVM code of one thread, as a control-flow graph of the Program.

- ``machine``: control flow, and results in registers
- ``steps``, ``instructions``: the effects and the results of instructions
- ``access``, ``memcpy``: reads and writes, of one number and of many
- ``addresses``: as numbers; ``elements``: of elements, also by an index that is not modelled
- ``variables``: local variables
- ``state``, ``memory``: a thread's position, and the content of its memory
- ``partly_set``: numbers of which some bits, those of bit-fields, have a value
- ``opaque``: values that are not modelled, and formulas by which they are computed
- ``recording``: its registers, its graph, and where the text is
- ``world``, ``side``: data of all threads of a program, and the code of device and host
- ``tensor_memory``: tensor memory that is allocated, and the parts of it that accesses have
- ``untyped``: numbers that bytes of shared memory are
- ``sparse``: elements of large arrays that a program tells apart
- ``classes``, ``tracked``: threads of a grid that one run is enough for, and what it asks about their indices
- ``constants``, ``names``, ``refusals``: constants of the code, what things are called, what is not done
- ``points_to``: points-to sets of pointers in memory
- ``lifetimes``: lifetimes of memory
- ``undefined``: operations without a meaning for some operands
- ``spawned``, ``argument_passing``: work for other threads, and its arguments
"""
