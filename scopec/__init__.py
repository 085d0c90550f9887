"""scopec: checks CUDA-style programs for scoped synchronisation and forward progress.

See ARCHITECTURE.md for the path of a program through the package.
"""

from importlib.metadata import version as _version

__version__: str = _version("scopec")
