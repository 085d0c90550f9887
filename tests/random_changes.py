"""Programs a small change away from others, by their texts: what comes of it need not be a program.

``changes`` has those of which nothing is known: another order or scope, another grid, a statement less, or two
exchanged.  ``equal_or_less`` has those of which it is known what becomes of the verdicts: the same, or no more executions
and races than before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

_ORDER = re.compile(r"(?<=\bmemory_order[_:])(:?)(?:relaxed|acquire|release|acq_rel|seq_cst)\b")
_SCOPE = re.compile(r"(?<=\bthread_scope_)(?:system|device|block)\b")
_LAUNCH = re.compile(r"(?<=<<<)(\d+), (\d+)(?=[,>])")
#: A statement that is a line, maybe behind a condition.
_STATEMENT = re.compile(r"(?P<indent> +)(?P<condition>(?:if \([^{};]*\) |while \([^{};]*\) |else )?)(?P<rest>[^;{}]*;)")


def changes(text: str) -> Iterator[str]:
    """Every change of a program's text, in order of the places."""
    lines = text.split("\n")
    codes = [line if line.startswith("//@ launch") else line.partition("//")[0].rstrip() for line in lines]
    for number, code in enumerate(codes):
        before, after = lines[:number], lines[number + 1 :]
        for changed in _changed(code):
            yield "\n".join((*before, changed, *after))
        if all(map(_STATEMENT.fullmatch, codes[number : number + 2])) and after:
            yield "\n".join((*before, after[0], code, *after[1:]))


def _changed(code: str) -> Iterator[str]:
    for found in _ORDER.finditer(code):
        yield from _others(code, found, [found[1] + order for order in ("relaxed", "acquire", "release", "seq_cst")])
    for found in _SCOPE.finditer(code):
        yield from _others(code, found, ["system", "device", "block"])
    for found in _LAUNCH.finditer(code):
        yield from _others(code, found, [f"{found[2]}, {found[1]}"])
    if one := _STATEMENT.fullmatch(code):
        yield f"{one['indent']}{one['condition']};"
        if one["condition"].startswith("if"):
            yield f"{one['indent']}{one['rest']}"


def _others(code: str, found: re.Match[str], words: list[str]) -> Iterator[str]:
    return (code[: found.start()] + word + code[found.end() :] for word in words if word != found[0])


# ---------------------------------------------------------------- known effects

#: What becomes of verdicts: the same, or the changed program has fewer executions and races, or more.
Effect = Literal["same", "fewer", "more"]


@dataclass(frozen=True)
class Change:
    """A changed text, what kind of change it is, and what becomes of the verdicts."""

    kind: str
    text: str
    effect: Effect


_KERNEL = re.compile(r"__global__ void (?P<name>\w+)\((?P<given>[^)]*)\) *\{")
_LAUNCH = re.compile(r"(?P<head>//@ launch (?P<name>\w+)<<<)(?P<blocks>\d+), (?P<threads>\d+)>>>")
_GLOBAL = re.compile(
    r"^__(?:device|managed)__ (?:volatile )?(?:int|unsigned|cuda::atomic<[^;]*?>) (\w+)(?=[\[{;, =])", re.M
)
_ATOMIC = re.compile(r"^__device__ cuda::atomic<int, cuda::thread_scope_(?P<scope>\w+)> (?P<name>\w+)(?=[{;])", re.M)
_INSTRUCTION_SCOPES = {"block": "cta", "device": "gpu", "system": "sys"}
_FENCE = re.compile(
    r"^ +(?:cuda::atomic_thread_fence\([^;{}]*\)|__threadfence(?:_block|_system)?\(\));(?: *//.*)?$", re.M
)
_SIMPLE = re.compile(
    r"^(?P<indent> +)(?P<body>[a-z]\w*(?:\[[\w.]+\])? = [^;{}]*;|\w+\.(?:store|fetch_add)\([^;{}]*\);)$", re.M
)
#: From each order what is stronger; of a load and a store alone.
_STRONGER = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}
_ORDERED = re.compile(r"\.(?P<what>load|store)\((?P<value>[^(){};]*?)cuda::memory_order_(?P<order>\w+)\)")


def equal_or_less(text: str, chance: Random) -> Iterator[Change]:
    """Some changes of a text, in random order, one of each kind at most."""
    kinds: list[Callable[[str, Random], str | None]] = [
        _renamed, _idle_grid, _idle_block, _in_functions, _by_asm, _blocks_permuted, _padded,
    ]  # fmt: skip
    directed: list[tuple[Callable[[str, Random], str | None], Effect]] = [
        *((kind, "same") for kind in kinds), (_fence_less, "more"), (_scope_wider, "fewer"), (_order_stronger, "fewer"),
    ]  # fmt: skip
    chance.shuffle(directed)
    for kind, effect in directed:
        changed = kind(text, chance)
        if changed is not None and changed != text:
            yield Change(kind.__name__.strip("_"), changed, effect)


def _renamed(text: str, chance: Random) -> str | None:
    """An object or a kernel called otherwise: the order of names is another one."""
    names = [*_GLOBAL.findall(text), *(found["name"] for found in _KERNEL.finditer(text))]
    names = [
        n for n in names if not re.search(rf"(?:\.|->|::){n}\b", text) and not re.search(rf'"[^"\n]*\b{n}\b', text)
    ]
    if not names:
        return None
    name = chance.choice(names)
    return re.sub(rf"(?<![\w.]){name}(?!\w)", chance.choice(["aa_", "zz_"]) + name, text)


def _idle_grid(text: str, chance: Random) -> str | None:
    """A kernel that does nothing, launched first."""
    found = _LAUNCH.search(text)
    if found is None or "resident_blocks" in text or "progress" in text:
        return None
    idle = f"//@ launch idle_<<<{chance.randint(1, 2)}, {chance.randint(1, 3)}>>>();\n"
    at, kernel = found.start(), _KERNEL.search(text)
    if kernel is None:
        return None
    text = f"{text[:at]}{idle}{text[at:]}"
    return f"{text[: kernel.start()]}__global__ void idle_() {{}}\n{text[kernel.start() :]}"


def _whole_blocks(text: str) -> re.Match[str] | None:
    """The launch of a program with one, whose blocks nothing tells apart but their indices."""
    launches = list(_LAUNCH.finditer(text))
    said = ("gridDim", "grid", "cluster", "resident_blocks", "under ", "num_blocks", "exited")
    if len(launches) != 1 or text.count("//@ launch") != 1 or any(word in text for word in said):
        return None
    return launches[0]


def _idle_block(text: str, chance: Random) -> str | None:
    """A block more, whose threads return at once."""
    launch, kernels = _whole_blocks(text), list(_KERNEL.finditer(text))
    if launch is None or len(kernels) != 1 or "terminates" in text or "may_" in text or "progresses" in text:
        return None
    blocks = int(launch["blocks"])
    text = f"{text[: launch.start()]}{launch['head']}{blocks + chance.randint(1, 2)}, {launch['threads']}>>>{text[launch.end() :]}"
    at = kernels[0].end()
    return f"{text[:at]} if (blockIdx.x >= {blocks}) return; {text[at:]}"


def _in_functions(text: str, chance: Random) -> str | None:
    """A statement as the body of a lambda."""
    return _one(
        _SIMPLE, text, chance, lambda m: f"{m['indent']}[&] {{ {m['body']} }}();", lambda m: _in_kernel(text, m)
    )


def _padded(text: str, chance: Random) -> str | None:
    """A statement in a loop that ends after one turn."""
    return _one(
        _SIMPLE,
        text,
        chance,
        lambda m: f"{m['indent']}do {{ {m['body']} }} while (false);",
        lambda m: _in_kernel(text, m),
    )


def _in_kernel(text: str, found: re.Match[str]) -> bool:
    """Whether a statement stands in a kernel."""
    before = [m.start() for m in re.finditer(r"^\S[^\n]*\{ *$", text[: found.start()], re.M)]
    return bool(before) and text.startswith("__global__", before[-1])


def _by_asm(text: str, chance: Random) -> str | None:
    """An operation of an atomic object as the instruction that it is; not a seq_cst one, which is several."""
    objects = {found["name"]: _INSTRUCTION_SCOPES.get(found["scope"]) for found in _ATOMIC.finditer(text)}
    names = "|".join(name for name, scope in objects.items() if scope)
    if not names or "ptx" in text:
        return None
    load = rf"(?P<l>\bint (?P<r>\w+) = (?P<lo>{names})\.load\(cuda::memory_order_(?P<lm>relaxed|acquire)\);)"
    store = rf"(?P<s>(?<![\w.])(?P<so>{names})\.store\((?P<v>\w+), cuda::memory_order_(?P<sm>relaxed|release)\);)"
    add = rf"(?P<a>(?P<before>^ +)(?P<ao>{names})\.fetch_add\((?P<w>\w+), cuda::memory_order_(?P<am>relaxed|acquire|release)\);)"

    def asm(m: re.Match[str]) -> str:
        if m["l"]:
            how = f"ld.{m['lm']}.{objects[m['lo']]}.b32 %0, [%1];"
            return f'int {m["r"]}; asm volatile("{how}" : "=r"({m["r"]}) : "l"(&{m["lo"]}) : "memory");'
        if m["s"]:
            how = f"st.{m['sm']}.{objects[m['so']]}.b32 [%0], %1;"
            return f'asm volatile("{how}" :: "l"(&{m["so"]}), "r"({m["v"]}) : "memory");'
        how = f"atom.{m['am']}.{objects[m['ao']]}.add.s32 %0, [%1], %2;"
        return f'{m["before"]}{{ int old_; asm volatile("{how}" : "=r"(old_) : "l"(&{m["ao"]}), "r"({m["w"]}) : "memory"); }}'

    return _one(re.compile(f"{load}|{store}|{add}", re.M), text, chance, asm)


def _blocks_permuted(text: str, chance: Random) -> str | None:
    """Each block does what the one in its mirror image did."""
    launch = _whole_blocks(text)
    if launch is None or launch["blocks"] == "1" or re.search(rf"\b{launch['name']}\[", text) or "__shared__" in text:
        return None
    return text.replace("blockIdx.x", f"({int(launch['blocks']) - 1} - (int)blockIdx.x)")


def _fence_less(text: str, chance: Random) -> str | None:
    return _one(_FENCE, text, chance, lambda _: "")


def _scope_wider(text: str, chance: Random) -> str | None:
    """Of atomic objects in the memory of a device, up to the scope of it: all their operations are atomic there."""
    return _one(re.compile(r"(?<=thread_scope_)block\b"), text, chance, lambda _: "device")


def _order_stronger(text: str, chance: Random) -> str | None:
    def stronger(m: re.Match[str]) -> str:
        orders = _STRONGER[m["what"]]
        after = orders[orders.index(m["order"]) + 1 :]
        return f".{m['what']}({m['value']}cuda::memory_order_{chance.choice(after)})"

    return _one(_ORDERED, text, chance, stronger, lambda m: m["order"] in _STRONGER[m["what"]][:-1])


def _one(
    pattern: re.Pattern[str],
    text: str,
    chance: Random,
    change: Callable[[re.Match[str]], str],
    wanted: Callable[[re.Match[str]], bool] = lambda _: True,
) -> str | None:
    """A text with one of the places changed that are found; None if there is none."""
    places = [m for m in pattern.finditer(text) if wanted(m)]
    if not places:
        return None
    place = chance.choice(places)
    return text[: place.start()] + change(place) + text[place.end() :]
