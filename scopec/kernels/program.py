"""A kernel in Python as a program: a text that scopec reads, and the directives of its launch."""

from __future__ import annotations

import math
import re
from dataclasses import field
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code
from scopec.base.records import dataclass
from scopec.kernels.launch import Array
from scopec.kernels.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scopec.base.source import Span

#: The expectations that are usual, and the words that begin one about the same.
_USUAL = {"race_free": ("race_free", "race"), "terminates": ("terminates", "may_hang", "progresses", "may_stall")}
#: Names that parameters of Python may have, and no object of C++.
_WORDS = frozenset(
    re.findall(
        r"\w+",
        "auto bool case catch char const default delete do double enum explicit export extern float friend goto inline "
        "int long mutable namespace new operator private protected public register short signed sizeof static struct "
        "switch template this throw typedef typename union unsigned using virtual void volatile main",
    )
)


@dataclass(frozen=True)
class PythonProgram:
    """A kernel as a text: under the name ``name``, with directives on line ``line`` (behind it where that is 0).

    ``model`` is the one that it is asked under, unless another is wanted, ``compiled_by`` what made the text,
    ``macros`` what is defined for clang.
    """

    text: str
    name: str
    directives: tuple[str, ...] = ()
    line: int = 0
    model: str | None = None
    compiled_by: str | None = None
    macros: tuple[str, ...] = ()

    def whole(self, expected: Iterable[str]) -> str:
        """The text with its directives, and with expectations where it has a launch."""
        asked = [*self.directives, *(f"expect {one}" for one in expected)] if self.directives else []
        if not self.line:
            return self.text + "".join(f"\n//@ {one};" for one in asked) + "\n"
        lines = self.text.split("\n")
        lines[self.line - 1] = "//@ " + " ".join(f"{one};" for one in asked) if asked else ""
        return "\n".join(lines)


def expectations(given: Sequence[str]) -> list[str]:
    """The expectations that are given, behind the usual ones about which they say nothing."""
    texts = [one.strip().removeprefix("expect ").rstrip("; ") for one in given]
    words = {word for text in texts for word in text.split()[:1]}
    return [usual for usual, about in _USUAL.items() if words.isdisjoint(about)] + texts


@dataclass(frozen=True)
class Objects:
    """The objects of a launch, as they are declared, by the names of their parameters in the kernel ``kernel``."""

    kernel: str
    at: Span
    aligned: int = 0
    _made: dict[int, tuple[Array, str]] = field(default_factory=dict)
    _declared: list[str] = field(default_factory=list)

    def of(self, array: Array, parameter: str, type_: str) -> str:
        """The name of the object for an argument, which is declared once."""
        if id(array) not in self._made:
            taken = {*_WORDS, self.kernel, *(name for _, name in self._made.values())}
            name = parameter if parameter not in taken else f"{parameter}_"
            count, contents = array.count, list(array.contents)
            if count < 1 or len(contents) > count:
                message = f"`{parameter}` has {count} elements, and {len(contents)} are given"
                raise refused(
                    message, "give at least one element, and no more than there are", self.at, Code.BAD_LAUNCH
                )
            first = f" = {{{', '.join(str(int(one)) for one in contents)}}}" if any(contents) else ""
            aligned = f"__align__({self.aligned}) " if self.aligned else ""
            self._declared.append(f"object __device__ {aligned}{type_} {name}[{count}]{first}")
            self._made[id(array)] = array, name
        return self._made[id(array)][1]

    @property
    def directives(self) -> tuple[str, ...]:
        """The directives that declare them."""
        return tuple(self._declared)


def number(value: Any, parameter: str, at: Span) -> str:
    """The argument that is a number."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    message = f"`{parameter}` gets {value!r}, which is neither a number nor an array"
    raise refused(message, "give a number, an array, or scopec.Array(dtype, shape)", at, Code.BAD_LAUNCH)


def missing(given: Mapping[str, Any], names: Sequence[str], at: Span) -> None:
    """Refuse a launch without an argument for each of the parameters."""
    if absent := [name for name in names if name not in given]:
        words = ", ".join(f"`{name}`" for name in absent)
        raise refused(f"the launch gives no argument for {words}", "give one argument a parameter", at, Code.BAD_LAUNCH)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """PTX in which parameters have the names that they have in Python, where nothing else is called so."""
    words = set(re.findall(r"[A-Za-z_$%.][\w$.]*", text))
    free = {old: new for old, new in names.items() if new not in words | _WORDS}
    if not free:
        return text
    return re.sub(r"[\w$]+", lambda match: free.get(match[0], match[0]), text)
