"""``dataclass`` for modules with many classes, of which a run uses few: methods are made when they are first called.

Python's own compiles six functions a frozen class when its module is imported, which was half the time of a small check
from a cold start.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, **others: Any) -> Any:
        """As ``dataclasses.dataclass``; a class that is frozen and nothing more special has its methods later."""
        if not frozen or others:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **others)

        def record(cls: type) -> type:
            cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
            for name in _GENERATED:
                if name not in cls.__dict__:
                    setattr(cls, name, _made_when_called(cls, name))
            cls.__setattr__, cls.__delattr__ = _refuse, _refuse
            if slots:
                cls.__getstate__, cls.__setstate__ = _state, _set_state
            return cls

        return record


_NONE = {"init": False, "repr": False, "eq": False}
#: The methods, and what makes each alone.
_GENERATED: dict[str, dict[str, Any]] = {
    "__init__": _NONE | {"init": True, "frozen": True},
    "__repr__": _NONE | {"repr": True},
    "__eq__": _NONE | {"eq": True},
    "__hash__": _NONE | {"unsafe_hash": True},
}


def _made_when_called(cls: type[Any], name: str) -> Callable[..., Any]:
    """A method that takes that of a class with the same fields when it is first called: none names its class."""

    def method(self: object, *values: Any, **named: Any) -> Any:
        fields = [(f.name, f.type, _like(f)) for f in dataclasses.fields(cls)]
        space: dict[str, Any] = {"__doc__": name}
        if hasattr(cls, "__post_init__"):
            space["__post_init__"] = cls.__post_init__
        like = dataclasses.make_dataclass("Like", fields, namespace=space, **_GENERATED[name])
        setattr(cls, name, getattr(like, name))
        return getattr(cls, name)(self, *values, **named)

    return method


def _like(field: dataclasses.Field[Any]) -> Any:
    names = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    return dataclasses.field(**{name: getattr(field, name) for name in names})


def _refuse(_self: object, name: str, *_value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
