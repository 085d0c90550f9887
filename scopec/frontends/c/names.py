"""Names of the libraries of C and C++: memory orders, what atomic operations do, integer types."""

from __future__ import annotations

from scopec.program import types
from scopec.program.ir import Order
from scopec.program.types import IntType

ORDERS = {
    "relaxed": Order.RELAXED,
    "consume": Order.ACQUIRE,
    "acquire": Order.ACQUIRE,
    "release": Order.RELEASE,
    "acq_rel": Order.ACQ_REL,
    "seq_cst": Order.SEQ_CST,
}
#: The operations of the functions that fetch a value and put another in its place.
FETCH = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "min": "min", "max": "max"}

# ---------------------------------------------------------------- integer types

_WORDS: dict[tuple[str, ...], IntType] = {
    ("bool",): types.BOOL,
    ("char",): types.CHAR,
    ("char", "signed"): IntType("signed char", 8, signed=True),
    ("char", "unsigned"): IntType("unsigned char", 8, signed=False),
    ("short",): IntType("short", 16, signed=True),
    ("short", "unsigned"): IntType("unsigned short", 16, signed=False),
    ("int",): types.INT,
    ("signed",): types.INT,
    ("unsigned",): types.UINT,
    ("long",): types.LONG,
    ("long", "unsigned"): types.ULONG,
    ("long", "long"): types.LONG_LONG,
    ("long", "long", "unsigned"): types.ULONG_LONG,
}

#: Those that have a name of their own.
INTEGERS: dict[str, IntType] = {
    "size_t": types.ULONG,
    "ptrdiff_t": types.LONG,
    "uintptr_t": types.ULONG,
    "intptr_t": types.LONG,
    "int8_t": _WORDS["char", "signed"],
    "uint8_t": _WORDS["char", "unsigned"],
    "int16_t": _WORDS["short",],
    "uint16_t": _WORDS["short", "unsigned"],
    "int32_t": types.INT,
    "uint32_t": types.UINT,
    "int64_t": types.LONG,
    "uint64_t": types.ULONG,
}


def integer_type(name: str) -> IntType | None:
    """The integer type that its words name in any order (``unsigned long int``), None if there is none."""
    words = sorted(name.split())
    for redundant in ("int", "signed"):
        if len(words) > 1 and redundant in words and words != ["char", "signed"]:
            words.remove(redundant)
    return INTEGERS.get(name) or _WORDS.get(tuple(words))
