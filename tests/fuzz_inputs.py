"""The inputs of ``tests.fuzz``: the number of one makes it, the same each time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from scopec.base.options import ATTRIBUTES
from scopec.gpu.run import read
from scopec.session.check import Settings
from scopec.session.project import CHOICES, KEYS, Kind
from tests.fuzz_changes import ODD, ROOT, changed, in_bytes, in_tokens, of_kind, seeds

#: A program that is right and one that is not, in no time.
_RIGHT = b"C right\n{ x = 0 }\nP0 (int *x) { *x = 1; }\nexists (x=1)\n"
_RACE = b"""C race
{ x = 0; }
P0 (int *x) { *x = 1; }
P1 (int *x) { int r0 = *x; }
exists (1:r0=1)
//@ expect race_free;
"""
_SMALL_CU = b"""//@ language scoped;
__device__ int x = 0;
__global__ void k() { x = 1; }
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates;
"""
#: What `weaken` has something to do with, and nothing to hold against.
_FLAG = b"""#include <cuda/atomic>
__device__ int x = 0;
__device__ cuda::atomic<int> f{0};
__global__ void k() {
    int r = 1;
    if (blockIdx.x == 0) { x = 1; f.store(1); __threadfence_system(); }
    else if (f.load() == 1) r = x;
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect required k[1][0].r == 1;
"""
#: What names of files are made of: options, code, controls of terminals, text from right to left, what is no text.
_PARTS = (
    "a", "b", " ", "-", "--", "*", "$(touch x)", "`id`", ";", "'", '"', "\\", "\n", "\r", "\t", "\x1b[31m", "\x1b]0;t\x07", "\x9b2J",
    "\x7f", "\u202e", "\u2028", "\ufeff", "\u200b", "é", "е", "日本", "\udcff", "\udc80\udcfe", "%s", "{0}", "{{ 1 }}", "::error::x",
    "##[error]", "<b>", "&amp;", "]]>", "@", "#", "$ORIGIN", "~", "..", "con", "=", ",", "[x]", "(", "|", "x" * 100, "\x01", "\x08\x08",
)  # fmt: skip
_FORMATS = ("text", "json", "junit", "sarif", "github", "gitlab", "markdown", "gcc")


@dataclass(frozen=True)
class Input:
    """Files by name, and the command that is called in their folder."""

    number: int
    files: tuple[tuple[str, bytes], ...]
    arguments: tuple[str, ...]


def made(number: int) -> Input:
    """The input of a number."""
    chance = Random(number)
    make = chance.choice(_KINDS)
    return Input(number, *make(chance))


_Made = tuple[tuple[tuple[str, bytes], ...], tuple[str, ...]]


def _program(chance: Random) -> _Made:
    suffix = chance.choice((".cu", ".cu", ".litmus"))
    data = changed(chance.choice(of_kind(suffix)), chance, suffix)
    command = chance.choice(("check", "check", "check", "outcomes", "compile", "trace"))
    return ((f"input{suffix}", data),), (command, f"input{suffix}")


def _model(chance: Random) -> _Made:
    data = changed(chance.choice(of_kind(".cat")), chance, ".cat")
    other = changed(chance.choice(of_kind(".cat")), chance, ".cat")
    if chance.random() < 0.3:
        data += b'include "other.cat"\n'
    files = (("program.litmus", chance.choice(of_kind(".litmus"))), ("input.cat", data), ("other.cat", other))
    return files, ("check", "program.litmus", "--model", "input.cat")


# ---------------------------------------------------------------- settings


def _settings(chance: Random) -> _Made:
    name = chance.choice(("scopec.toml", "scopec.toml", "pyproject.toml"))
    head = "[tool.scopec]\n" if name == "pyproject.toml" else ""
    keys = chance.sample(sorted(KEYS), chance.choice((1, 1, 2, 3, 6)))
    text = head + "".join(f"{key} = {_value(KEYS[key], key, chance)}\n" for key in keys)
    data = text.encode("utf-8", "surrogateescape")
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        data = chance.choice((in_bytes, in_tokens))(data, chance, ".toml")
    command = chance.choice((("check", "."), ("check", "a.cu"), ("outcomes", "b.litmus"), ("trace", "b.litmus")))
    beside = (("a.cu", _SMALL_CU), ("b.litmus", _RACE), ("m.cat", chance.choice(of_kind(".cat"))), ("d/x.h", b"\n"))
    return ((name, data), *beside), command


def _value(kind: Kind, key: str, chance: Random) -> str:
    odd = _text(chance)
    if chance.random() < 0.15:
        return chance.choice(
            ("1", "-1", "nan", "inf", "1e400", "[]", "{}", '""', "true", "1979-05-27", "[[1]]", "9" * 30, odd)
        )
    match kind:
        case Kind.SWITCH:
            return chance.choice(("true", "false"))
        case Kind.WHOLE | Kind.NUMBER:
            return chance.choice(("1", "2", "64", "0.5", "65", "-0.0", "1e308", "9223372036854775807"))
        case Kind.SIZE:
            return chance.choice(('"500MB"', "1", '"1e9"', '"0"', '"9TB"', '"1.5 GiB"', odd))
        case Kind.TEXTS | Kind.PATHS:
            return "[" + ", ".join(_word(key, chance) for _ in range(chance.choice((0, 1, 3)))) + "]"
        case Kind.PAIRS:
            names = [*ATTRIBUTES, "unroll", "N", "scope", "x y"]
            pairs = ", ".join(f"{_quoted(n)} = {chance.choice(('1', '0', '70', odd))}" for n in chance.sample(names, 2))
            return chance.choice((f"{{{pairs}}}", f"[{_word(key, chance)}]"))
        case _:
            return _word(key, chance)


def _word(key: str, chance: Random) -> str:
    known = [
        *CHOICES.get(key, ()),
        "embedded",
        "cuda",
        "ptx",
        "m.cat",
        "d",
        "d/x.h",
        "SCP044",
        "N=7",
        ".",
        "a.cu",
        "b.litmus",
    ]
    outside = ["/dev/zero", "/proc/self/environ", "../../etc", "/etc/passwd", "~", "d/../../x", ".git"]
    return (
        _quoted(chance.choice(known))
        if chance.random() < 0.7
        else chance.choice((_quoted(chance.choice(outside)), _text(chance)))
    )


def _text(chance: Random) -> str:
    return _quoted("".join(chance.choices(_PARTS, k=chance.choice((1, 2, 4)))))


def _quoted(text: str) -> str:
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=True).replace("\\ud83d", "")


# ---------------------------------------------------------------- results of a GPU


@cache
def _harnessed() -> tuple[tuple[str, bytes, str, int], ...]:
    """Programs that a harness runs, each with its test's key and the number of words that a state has."""
    files = sorted((ROOT / "specs" / "litmus-files").glob("*.litmus"))[:40]
    found = [
        (test.name, file.path.read_bytes(), test.key, len(test.roles) + len(test.types))
        for file in read(files, Settings(timeout=None))
        for test in file.tests
    ]
    assert len(found) > 5
    return tuple(found)


def _results(chance: Random) -> _Made:
    _, program, key, words = chance.choice(_harnessed())
    states = [
        [chance.choice((1, 7, 10**6)), *(chance.randint(0, 2) for _ in range(words))]
        for _ in range(chance.randint(0, 4))
    ]
    about = {"scopec": 1, "gpu": "a GPU", "built": "-O3", "rounds": 1, "seed": 1, "turns": 10}
    lines: list[object] = [about, {"test": "input.litmus", "key": key, "runs": 1000, "lost": 0, "states": states}]
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        lines = _odd_value(lines, chance)  # type: ignore[assignment]
    lines = lines if isinstance(lines, list) else [lines]
    data = "\n".join(json.dumps(line, ensure_ascii=chance.random() < 0.5) for line in lines).encode(
        "utf-8", "surrogatepass"
    )
    if chance.random() < 0.3:
        data = chance.choice((in_bytes, in_tokens))(data, chance, ".jsonl")
    formats = ("--format", chance.choice(("text", "json", "junit")))
    return (("input.litmus", program), ("results.jsonl", data)), (
        "run",
        "input.litmus",
        "--results",
        "results.jsonl",
        *formats,
    )


def _odd_value(value: object, chance: Random) -> object:
    """A value of JSON with another one somewhere in it."""
    if isinstance(value, (list, dict)) and value and chance.random() < 0.85:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        at = chance.choice(keys)
        copy = dict(value) if isinstance(value, dict) else list(value)
        copy[at] = _odd_value(value[at], chance)  # type: ignore[index]
        if chance.random() < 0.1:
            del copy[at]  # type: ignore[arg-type]
        return copy
    return chance.choice(
        (None, True, 0, -1, 2**31, 2**64, 10**400, 1e308, float("inf"), float("nan"), "", [], {}, [[]], "a" * 10_000,
         *("".join(chance.choices(_PARTS, k=3)) for _ in range(4)))
    )  # fmt: skip


# ---------------------------------------------------------------- names, and what stands beside


def _named(chance: Random) -> _Made:
    suffix, data = chance.choice(((".litmus", _RIGHT), (".litmus", _RACE), (".litmus", _RACE[:60]), (".cu", _SMALL_CU)))
    stem = "".join(chance.choices(_PARTS, k=chance.choice((1, 2, 3)))).replace("/", "_").replace("\0", "_")
    name = os.fsdecode(os.fsencode(f"{stem}{suffix}")[-250:])
    folder = "".join(chance.choices(_PARTS, k=2)).replace("/", "_")[:80] if chance.random() < 0.3 else "."
    place = name if folder in (".", "..") else f"{folder}/{name}"
    command = chance.choice(("check", "check", "outcomes", "trace", "compile", "check ."))
    written = (("--format", "html", "-o", "generated"), ("--keep", "generated"), ("--write-baseline", "generated.txt"))
    more = chance.choice((*(("--format", name) for name in _FORMATS), *written)) if command == "check" else ()
    return ((place, data),), (command.split()[0], *more, "--", "." if command == "check ." else place)


def _beside(chance: Random) -> _Made:
    """Headers, PTX, compilation databases and baselines, changed, beside a program that asks for them."""
    match chance.randint(0, 3):
        case 0:
            header = changed(chance.choice(of_kind(".cu")), chance, ".cu")
            program = b'#include "x.h"\n__global__ void k0() {}\n//@ launch k0<<<1, 1>>>();\n//@ expect race_free;\n'
            return (("a.cu", program), ("x.h", header)), ("check", "a.cu")
        case 1:
            folder = ROOT / "specs" / "ptx-files"
            file = chance.choice(sorted(folder.glob("*.ptx")))
            data = changed(file.read_bytes(), chance, ".ptx")
            beside = next((p for p in sorted(folder.glob("*.cu")) if file.name.encode() in p.read_bytes()), None)
            if beside is None or chance.random() < 0.5:
                return ((file.name, data),), ("check", file.name)
            return (("a.cu", beside.read_bytes()), (file.name, data)), ("check", "a.cu")
        case 2:
            entry = {
                "directory": ".",
                "file": "a.cu",
                "command": chance.choice(("nvcc -DN=1 a.cu", "clang -I/etc a.cu", "x '")),
            }
            value = [entry]
            for _ in range(chance.choice((1, 2))):
                value = _odd_value(value, chance)  # type: ignore[assignment]
            data = json.dumps(value).encode()
            program = _SMALL_CU.replace(b"scoped", b"c++").replace(b"//@ language c++;\n", b"")
            return (("a.cu", program), ("compile_commands.json", data)), ("check", "a.cu", "-p", ".")
        case _:
            line = b"b.litmus: race_free [; cuda-v3, cuda]\n"
            data = chance.choice((in_bytes, in_tokens))(line * 3, chance, ".txt") + chance.choice(ODD)
            return (("b.litmus", _RACE), ("known", data)), ("check", "b.litmus", "--baseline", "known")


# ---------------------------------------------------------------- options of a call


_Option = tuple[str, ...]


def _options_of(command: str, chance: Random) -> tuple[_Option, ...]:
    """Options of a command that change what is asked, mostly with values that they have."""
    odd = "".join(chance.choices(_PARTS, k=chance.choice((1, 2, 4))))

    def one(*known: str) -> str:
        return chance.choice(known) if chance.random() < 0.85 else odd

    every: tuple[_Option, ...] = (
        ("--model", one("cuda", "ptx", "hrf0", "rc11", "sc-drf")), ("--progress", one("cuda", "hsa", "fair", "obe", "none")),
        ("--given", one("concurrentManagedAccess=1", "hmm=1", "N=7", "a")), ("--bound", one("unroll=2", "unroll=0", "x=1")),
        ("--ignore-races",), ("--no-guess",), ("--hangs", one("model", "sc")), ("--memory", one("sc", "hrf0-hw")),
        ("--without", one("all", "settled", "pairs", "racing")), ("--reader", one("auto", "clang", "scoped")),
        ("-D", one("N=7", "x", "FENCE=")), ("-U", one("N", "__CUDACC__")), ("--std", one("c++17", "c++20", "c++98")),
        ("--headers", one("auto", "shims")), ("-I", one(".", "none")), ("--include", one("x.h", "none.h")), ("-p", one(".",)),
        ("--no-cache",), ("--allow-outside",),
    )  # fmt: skip
    own: tuple[_Option, ...]
    match command:
        case "check":
            own = (
                ("--every",), ("-k", one("race", "x")), ("--list",), ("-x",), ("-q",), ("-v",), ("--jobs", one("1", "2")),
                ("--budget", one("1", "5m", "0")), ("--confirm", one("never", "ci")), ("--changed-since", one("HEAD", "none")),
                ("--allow", one("SCP042", "SCP044")), ("--format", one(*_FORMATS)), ("--format", "html", "-o", "generated"),
            )  # fmt: skip
        case "trace":
            event = one("1", "3", "P0", "k[0][0]:3", "P1:4", "k_0_0_L3_W", "99")
            own = (
                ("--why-not", event, one("4", "P1:4", "k[1][0]:3")), ("--next", one("1", "2", "0")), ("--nearest",),
                ("--check", one("race_free", "x")), ("--json",), ("--mermaid",), ("--svg",), ("--dot",), ("--events",),
            )  # fmt: skip
        case _:
            own = (("--most", one("1", "64", "0")), ("--unstated",), ("--format", one("text", "json")))
    return (*chance.sample(every + own, chance.choice((0, 1, 2, 4))), chance.choice(own))


def _asked(chance: Random) -> _Made:
    """Options of check, trace and weaken, with a program that is small or one of specs/, sometimes changed."""
    suffix = chance.choice((".cu", ".litmus"))
    small = {".cu": (_SMALL_CU, _FLAG), ".litmus": (_RIGHT, _RACE)}[suffix]
    data = chance.choice((*small, chance.choice(of_kind(suffix))))
    if chance.random() < 0.3:
        data = changed(data, chance, suffix)
    command = chance.choice(("check", "check", "trace", "weaken"))
    words = (word for option in _options_of(command, chance) for word in option)
    return ((f"input{suffix}", data), ("x.h", b"\n")), (command, *words, "--", f"input{suffix}")


_KINDS: tuple[Callable[[Random], _Made], ...] = (
    _program, _program, _program, _program, _program, _model, _settings, _settings, _results, _named, _named, _beside,
    _asked, _asked, _asked,
)  # fmt: skip


def one_of_each() -> list[Input]:
    """An input of each kind, for which everything is loaded that others need."""
    assert seeds()
    return [Input(n, *make(Random(n))) for n, make in enumerate(dict.fromkeys(_KINDS))]


def placed(input_: Input, folder: Path) -> None:
    """Write the files of an input below a folder."""
    for name, data in input_.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
