"""Kernels in Python: what a package makes of a function, or the source that it was given, as a program.

- ``check``: ``scopec.check_kernel``
- ``launch``: a launch as Python says it, and its memory
- ``elements``: the types of numbers, by the names of NumPy
- ``program``: a program with its directives
- ``numba``, ``triton``: the PTX that these packages compile, without a GPU
- ``ptx_text``: the text of that
- ``sources``: CUDA C++ that Python has as text, as CuPy and PyTorch take it
- ``literals``: the lines of a file of Python on which a text stands
- ``refusals``: what cannot be asked
"""
