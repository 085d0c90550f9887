"""The largest launches that a device takes (CUDA C++ Programming Guide, "Technical Specifications")."""

#: Threads of a block.
THREADS = 1024
#: Extents of a block and of a grid, in each direction.
BLOCK = (1024, 1024, 64)
GRID = ((1 << 31) - 1, 65535, 65535)
