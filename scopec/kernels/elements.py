"""Types of numbers, by the names that NumPy has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.kernels.refusals import refused

if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True)
class Element:
    """A type of numbers: its bytes, the C++ type with which directives declare it beside PTX, and Triton's name.

    Those of 16 bits whose values are not modelled are declared as integers, as which PTX loads and stores them.
    """

    name: str
    size: int
    declared: str
    triton: str

    @property
    def integer(self) -> bool:
        """Whether its values are modelled."""
        return "float" not in self.name


_KNOWN = {
    one.name: one
    for one in (
        Element("bool", 1, "unsigned char", "i1"),
        Element("int8", 1, "signed char", "i8"),
        Element("uint8", 1, "unsigned char", "u8"),
        Element("int16", 2, "short", "i16"),
        Element("uint16", 2, "unsigned short", "u16"),
        Element("int32", 4, "int", "i32"),
        Element("uint32", 4, "unsigned", "u32"),
        Element("int64", 8, "long long", "i64"),
        Element("uint64", 8, "unsigned long long", "u64"),
        Element("float16", 2, "unsigned short", "fp16"),
        Element("bfloat16", 2, "unsigned short", "bf16"),
        Element("float32", 4, "float", "fp32"),
        Element("float64", 8, "double", "fp64"),
    )
}


def element(dtype: Any) -> Element:
    """The type that NumPy, PyTorch or a name says."""
    name = str(getattr(dtype, "name", dtype)).rpartition(".")[2].rstrip("'>")
    if (found := _KNOWN.get(name)) is None:
        raise refused(f"`{name}` is no type of elements that scopec knows", f"one of {', '.join(_KNOWN)}")
    return found
