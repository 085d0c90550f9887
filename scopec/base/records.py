"""``dataclass`` for modules with many classes, of which a run uses few: methods are made when they are first called.

``replace`` changes a record by a function that is made for its class.

Python's own compiles six functions a frozen class when its module is imported, and looks at each of its fields, which
was half the time of a small check from a cold start.
"""

from __future__ import annotations

import dataclasses
import reprlib
from dataclasses import MISSING, Field
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, **others: Any) -> Any:
        """As ``dataclasses.dataclass``; a class that is frozen and nothing more special has its methods later.

        Its annotations are texts, and its fields parameters of its ``__init__``.
        """
        if not frozen or others:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **others)
        return _slotted if slots else _plain

    def replace(one: Any, /, **changes: Any) -> Any:
        """As ``dataclasses.replace``, which looks at each field of a record each time."""
        changed = _CHANGED.get(type(one))
        if changed is None:
            changed = _CHANGED[type(one)] = _changed(type(one))
        return changed(one, changes)


_made: list[type[Any]] = []
#: The attribute with the fields of a class, those of its bases first: their defaults, or what ``field`` said.
_FIELDS = "__record__"


def _plain(cls: Any) -> Any:
    own, found = _fields(cls)
    for name, default in own.items():
        if isinstance(default, Field):
            if default.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
    for name, value in _attributes(cls, found).items():
        setattr(cls, name, value)
    _made.append(cls)
    return cls


def _slotted(cls: Any) -> Any:
    """A class gets its slots when it is made: one like it, without the defaults that are where these will be."""
    own, found = _fields(cls)
    taken = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    space = {n: v for n, v in vars(cls).items() if n not in own and n not in ("__dict__", "__weakref__")}
    space |= _attributes(cls, found)
    space |= {"__slots__": tuple(n for n in found if n not in taken), "__qualname__": cls.__qualname__}
    space |= {"__getstate__": _state, "__setstate__": _set_state}
    made: Any = type(cls)(cls.__name__, cls.__bases__, space)
    _made.append(made)
    return made


def _fields(cls: type[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A class's own fields, and all."""
    space = vars(cls)
    annotations: Mapping[str, str] = space.get("__annotations__", {})
    own = {n: space.get(n, MISSING) for n, text in annotations.items() if not text.startswith("ClassVar")}
    found: dict[str, Any] = {}
    for base in cls.__mro__[-2:0:-1]:
        found.update(vars(base).get(_FIELDS, ()))
    found.update(own)
    return own, found


def _attributes(cls: type[Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a class beside its fields, but for its own."""
    space = vars(cls)
    made: dict[str, Any] = {name: method for name, (method, _) in _GENERATED.items() if space.get(name) is None}
    return made | {
        _FIELDS: found,
        "__match_args__": tuple(n for n, f in found.items() if not (isinstance(f, Field) and f.kw_only is True)),
        "__dataclass_fields__": _FIELDS_LATER,
        "__dataclass_params__": _PARAMETERS,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
    }


def _refuse(_self: object, name: str, *_value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)


# ---------------------------------------------------------------- what is made when it is first asked for


def prepare() -> None:
    """Make the methods of all records that there are, in a process of which many are made."""
    for cls in _made:
        for name, (method, make) in _GENERATED.items():
            if vars(cls).get(name) is method:
                _put(cls, name, make)


class _FieldsLater:
    def __get__(self, _: object, cls: type[Any]) -> Mapping[str, Field[Any]]:
        owner: Any = next(c for c in cls.__mro__ if _FIELDS in vars(c))
        found = {name: _field(owner, name, default) for name, default in getattr(owner, _FIELDS).items()}
        owner.__dataclass_fields__ = found
        return found


def _field(cls: type[Any], name: str, default: Any) -> Field[Any]:
    """A field as `dataclasses` has it.  That makes a class of them, and looks at its signature, 0.3 ms each time."""
    made: Any = default if isinstance(default, Field) else dataclasses.field(default=default)
    made.name, made.type, made.kw_only = name, _annotation(cls, name), made.kw_only is True
    made._field_type = _KIND
    return made  # type: ignore[no-any-return]


def _annotation(cls: type[Any], name: str) -> str:
    return next(
        str(vars(c)["__annotations__"][name]) for c in cls.__mro__ if name in vars(c).get("__annotations__", ())
    )


def _later(name: str) -> Callable[..., Any]:
    """A method of any class that makes its own, puts it in its place and calls it."""

    def method(self: object, *values: Any, **named: Any) -> Any:
        for owner in type(self).__mro__:
            found: Any = vars(owner).get(name)
            if found is method:
                found = _put(owner, name, _GENERATED[name][1])
            if hasattr(found, "is_made"):  # here, or by another thread meanwhile
                return found(self, *values, **named)
        raise AssertionError("this method is one of some class")

    return method


def _put(cls: type[Any], name: str, make: Callable[[type[Any]], Any]) -> Any:
    """A class's own method, in the place of the one that makes it."""
    made = make(cls)
    made.__qualname__, made.is_made = f"{cls.__qualname__}.{name}", True
    setattr(cls, name, made)
    return made


def _init(cls: type[Any]) -> Any:
    space: dict[str, Any] = {"_set": object.__setattr__, "_absent": object()}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for name, found in getattr(cls, _FIELDS).items():
        default, value, named = found, name, False
        if isinstance(found, Field):
            default, named = found.default, found.kw_only is True
            if found.default_factory is not MISSING:
                default = space["_absent"]
                space[f"_make_{name}"] = found.default_factory
                value = f"_make_{name}() if {name} is _absent else {name}"
        if default is not MISSING:
            space[f"_default_{name}"] = default
        parameters[named].append(name if default is MISSING else f"{name}=_default_{name}")
        slot = getattr(cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            space[f"_set_{name}"] = slot.__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    if parameters[True]:
        parameters[False].append("*")
    return _compiled("__init__", [*parameters[False], *parameters[True]], lines or ["pass"], space)


#: By class the function that makes a record like one, with some fields changed.
_CHANGED: dict[type[Any], Callable[[Any, dict[str, Any]], Any]] = {}


def _changed(cls: type[Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """That function; of a class that is made otherwise, or looks at its fields when it is made, as Python has it."""
    init = vars(cls).get("__init__")
    generated = init is _GENERATED["__init__"][0] or hasattr(init, "is_made")
    if _FIELDS not in vars(cls) or not generated or hasattr(cls, "__post_init__"):
        return lambda one, changes: dataclasses.replace(one, **changes)
    space: dict[str, Any] = {"_make": object.__new__, "_cls": cls, "_set": object.__setattr__}
    lines, setters = ["made = _make(_cls)"], {}
    for name in getattr(cls, _FIELDS):
        slot = getattr(cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            space[f"_set_{name}"] = setters[name] = slot.__set__
            lines.append(f"_set_{name}(made, one.{name})")
        else:
            setters[name] = _setter(name)
            lines.append(f"_set(made, {name!r}, one.{name})")
    space["_setters"] = setters
    lines += ["for name in changes: _setters[name](made, changes[name])", "return made"]
    return _compiled("changed", ["one", "changes"], lines, space)  # type: ignore[no-any-return]


def _setter(name: str) -> Callable[[Any, Any], None]:
    return lambda one, value: object.__setattr__(one, name, value)


def _repr(cls: type[Any]) -> Any:
    shown = ", ".join(f"{n}={{self.{n}!r}}" for n in _fields_that(cls, "repr"))
    return reprlib.recursive_repr()(
        _compiled("__repr__", ["self"], [f"return f'{{self.__class__.__qualname__}}({shown})'"])
    )


def _eq(cls: type[Any]) -> Any:
    one, other = _compared(cls, "self"), _compared(cls, "other")
    lines = ["if other.__class__ is self.__class__:", f"    return {one} == {other}", "return NotImplemented"]
    return _compiled("__eq__", ["self", "other"], lines)


def _hash(cls: type[Any]) -> Any:
    return _compiled("__hash__", ["self"], [f"return hash({_compared(cls, 'self')})"])


def _compared(cls: type[Any], of: str) -> str:
    return "(" + "".join(f"{of}.{name}, " for name in _fields_that(cls, "compare")) + ")"


def _fields_that(cls: type[Any], attribute: str) -> list[str]:
    fields = getattr(cls, _FIELDS).items()
    return [name for name, found in fields if not isinstance(found, Field) or getattr(found, attribute)]


def _compiled(name: str, parameters: list[str], lines: list[str], space: dict[str, Any] | None = None) -> Any:
    space = {} if space is None else space
    body = "".join(f"\n    {line}" for line in lines)
    exec(f"def {name}({', '.join(parameters)}):{body}", space)
    return space[name]


_GENERATED: Mapping[str, tuple[Callable[..., Any], Callable[[type[Any]], Any]]] = {
    name: (_later(name), make)
    for name, make in (("__init__", _init), ("__repr__", _repr), ("__eq__", _eq), ("__hash__", _hash))
}
_FIELDS_LATER = _FieldsLater()


@dataclasses.dataclass(init=False, repr=False, frozen=True)
class _Frozen:
    """The attributes that dataclasses of Python's own ask of their bases and fields."""

    one: int


_KIND = dataclasses.fields(_Frozen)[0]._field_type  # type: ignore[attr-defined]
_PARAMETERS = _Frozen.__dataclass_params__  # type: ignore[attr-defined]
