"""scopec: checks CUDA-style programs for scoped synchronisation and forward progress.

See ARCHITECTURE.md for the path of a program through the package.
"""

__version__ = "0.1.0"
