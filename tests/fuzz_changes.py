"""Small changes of the texts that inputs of ``tests.fuzz`` are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]

_TOKEN = re.compile(rb"//@[^\n]*|\s+|\w+|::|->|<<<|>>>|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|.", re.DOTALL)
ODD = (
    b"0", b"-1", b"1", b"2147483647", b"-2147483648", b"4294967296", b"99999999999999999999", b"0x", b"1e9", b"'", b'"',
    b"\\", b"/*", b"*/", b"//@", b"//@ expect", b"//@ vary x in {", b"#include", b"#define X X X", b"\x00", b"\xff\xfe",
    "\u00e9\u2028".encode(), b"{", b"}", b"(", b")", b"[", b"]", b"<<<", b">>>", b";", b"*", b"&", b"auto", b"this", b"...",
    b"template<int N>", b"operator()", b"nullptr", b"volatile", b"__shared__", b"constexpr", b"extern", b"static",
    b"let rec", b"acyclic", b"~", b"^-1", b"exists", b"forall", b"unroll = 99", b"<<<1000000, 1024>>>", b"[2000000000]",
)  # fmt: skip


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """The files that inputs are made of, by suffix."""
    folders = ("specs", "tests/fixtures", "scopec/memory/models")
    files = sorted(
        path
        for folder in folders
        for suffix in ("cu", "litmus", "cat", "ptx")
        for path in (ROOT / folder).rglob(f"*.{suffix}")
        if "generated" not in path.parts
    )
    return tuple((path.suffix, path.read_bytes()) for path in files)


def of_kind(suffix: str) -> list[bytes]:
    """The files of a suffix; programs, if there are none."""
    return [data for kind, data in seeds() if kind == suffix] or of_kind(".cu")


def changed(data: bytes, chance: Random, suffix: str) -> bytes:
    """A text with a few changes."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        data = chance.choice(MUTATIONS)(data, chance, suffix)
    return data


def in_bytes(data: bytes, chance: Random, _suffix: str) -> bytes:
    at, length = chance.randint(0, len(data)), chance.choice((1, 1, 2, 8, 64))
    match chance.randint(0, 4):
        case 0:
            return data[:at] + data[at + length :]
        case 1:
            return data[:at] + chance.randbytes(length) + data[at:]
        case 2:
            return data[:at] + data[at : at + length] * chance.choice((2, 3, 50)) + data[at + length :]
        case 3:
            return data[:at]
        case _:
            flipped = bytes(b ^ 1 << chance.randint(0, 7) for b in data[at : at + 1])
            return data[:at] + flipped + data[at + 1 :]


def in_tokens(data: bytes, chance: Random, suffix: str) -> bytes:
    tokens = _TOKEN.findall(data) or [b""]
    at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    match chance.randint(0, 4):
        case 0:
            del tokens[at]
        case 1:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 2:
            tokens[at] = chance.choice(ODD)
        case 3:
            tokens.insert(at, tokens[other])
        case _:
            tokens[at] = chance.choice(_TOKEN.findall(_another(chance, suffix)) or [b"x"])
    return b"".join(tokens)


def in_lines(data: bytes, chance: Random, suffix: str) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randint(0, 3):
        case 0:
            del lines[at : at + chance.choice((1, 1, 4))]
        case 1:
            lines[at], lines[other] = lines[other], lines[at]
        case 2:
            lines.insert(at, lines[other])
        case _:
            lines.insert(at, chance.choice(_another(chance, suffix).splitlines(keepends=True) or [b"\n"]))
    return b"".join(lines)


def in_groups(data: bytes, chance: Random, suffix: str) -> bytes:
    """What the grammar nests: groups in brackets are exchanged, repeated, or put around themselves."""
    groups = _groups(data)
    if not groups:
        return data
    start, end = chance.choice(groups)
    group = data[start:end]
    match chance.randint(0, 3):
        case 0:
            other = _another(chance, suffix)
            found = [other[a:b] for a, b in _groups(other) if other[a] == data[start]]
            group = chance.choice(found) if found else group[:1] + group[-1:]
        case 1:
            group = group * chance.choice((2, 40))
        case 2:
            times = chance.choice((1, 3, 30, 400))
            group = group[:1] * times + group + group[-1:] * times
        case _:
            group = group[:1] + group[-1:]
    return data[:start] + group + data[end:]


def _groups(data: bytes) -> list[tuple[int, int]]:
    closing = {b"(": b")", b"[": b"]", b"{": b"}"}
    opened: list[tuple[bytes, int]] = []
    found = []
    for at in range(len(data)):
        char = data[at : at + 1]
        if char in closing:
            opened.append((closing[char], at))
        elif opened and char == opened[-1][0]:
            found.append((opened.pop()[1], at + 1))
    return found


def in_numbers(data: bytes, chance: Random, _suffix: str) -> bytes:
    numbers = list(re.finditer(rb"\b\d+\b", data))
    if not numbers:
        return data
    found = chance.choice(numbers)
    value = chance.choice((b"0", b"-1", b"7", b"40", b"256", b"1024", b"65536", b"2000000000", b"18446744073709551616"))
    return data[: found.start()] + value + data[found.end() :]


MUTATIONS: tuple[Callable[[bytes, Random, str], bytes], ...] = (
    in_bytes,
    in_tokens,
    in_tokens,
    in_lines,
    in_groups,
    in_numbers,
)


def _another(chance: Random, suffix: str) -> bytes:
    return chance.choice(of_kind(suffix))
