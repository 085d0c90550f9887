"""One thread of any launch: executes a kernel's LLVM code once, over symbols.

- ``reader``: a kernel to its form
- ``executor``: blocks, joins, instructions
- ``loops``: the turns of a loop at once
- ``turns``: numbers in any turn
- ``leaving``: values after the last turn
- ``assembly``: inline assembly as a function
- ``calls``: calls of functions and of the library
- ``numbers``, ``limits``: LLVM's arithmetic as terms, and between which limits these are
- ``hosts``: the launches of the host code
- ``frame``, ``memory``: a call, what is written down; reads and writes
- ``values``: values, memory of the thread, joins of both
"""
