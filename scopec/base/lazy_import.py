"""Modules that a call imports when it first uses one: most use few of those of other packages that scopec may need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def later(name: str) -> Any:
    """A stand-in for a module until it is imported: ``else`` of ``if TYPE_CHECKING: import name``."""
    return _Later(name)
