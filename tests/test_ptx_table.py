"""The table of PTX, word by word: each is executed beside one that is not enough, or whose result is another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.clang.intrinsics.assembly import INSTRUCTIONS
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.syntax import read
from tests.conftest import REPOSITORY
from tests.test_clang_asm import PASSING, answers, asm, receive, send
from tests.test_clang_asm_numbers import ONE_THREAD, found_right

Write = Callable[..., Path]


def test_every_instruction_is_executed_by_some_test_or_spec() -> None:
    names = ("clang_asm", "clang_asm_numbers", "clang_asm_twins", "clang_mbarriers", "ptx_files")
    paths = [REPOSITORY / "tests" / f"test_{name}.py" for name in names]
    paths += [path for path in REPOSITORY.glob("specs/**/*") if path.suffix in (".cu", ".ptx")]
    text = "\n".join(path.read_text() for path in paths)
    words = {frozenset(found.split(".")) for found in re.findall(r"(?<![\w.%])[a-z]\w*(?:\.\w+(?:::\w+)*)*", text)}
    assert {name for name in INSTRUCTIONS if not any(set(name.split(".")) <= some for some in words)} == set()


# ---------------------------------------------------------------- orders, scopes, state spaces

#: What the two sides of a message are where they are not what is asked about.
STORE, LOAD = send("st.release.gpu.u32 [%0], %1;"), receive("ld.acquire.gpu.u32 %0, [%1];")
SENDS = {
    "st": "st.WORDS.u32 [%0], %1;",
    "atom": "{ .reg .u32 r; atom.WORDS.exch.b32 r, [%0], %1; }",
    "red": "red.WORDS.add.u32 [%0], %1;",
    "fence": "fence.WORDS; st.relaxed.gpu.u32 [%0], %1;",
}
RECEIVES = {
    "ld": "ld.WORDS.u32 %0, [%1];",
    "atom": "atom.WORDS.add.u32 %0, [%1], 0;",
    "fence": "ld.relaxed.gpu.u32 %0, [%1]; fence.WORDS;",
}


def sides() -> Iterator[tuple[str, str, str, str]]:
    """Each order and scope of each instruction, in front of a message or behind it."""
    for side, forms_ in (("sends", SENDS), ("receives", RECEIVES)):
        for opcode in forms_:
            for order in table.ALLOWED[opcode]:
                scopes = table.SCOPES if table.ORDERS[order] is not None else [""]
                yield from ((side, opcode, order, scope) for scope in scopes)


@pytest.mark.parametrize(("side", "opcode", "order", "scope"), list(sides()))
@pytest.mark.sampled(2)
def test_an_order_and_a_scope_carry_a_message_or_do_not(
    side: str, opcode: str, order: str, scope: str, write: Write
) -> None:
    words = f"{order}.{scope}" if scope else order
    if side == "sends":
        sent, received = send(SENDS[opcode].replace("WORDS", words)), LOAD
    else:
        sent, received = STORE, receive(RECEIVES[opcode].replace("WORDS", words))
    text = PASSING.replace("SEND", sent).replace("RECEIVE", received)
    enough = {"sends": ("release", "acq_rel", "sc"), "receives": ("acquire", "acq_rel", "sc")}[side]
    carried = order in enough and scope in ("gpu", "sys")  # the two are in blocks, and clusters, of their own
    verdict = answers(write(text.replace("WHO", "blockIdx.x").replace("GRID", "2, 1")))
    assert verdict == ["holds" if carried else "violated"]
    if scope and order in enough:
        assert answers(write(text.replace("WHO", "threadIdx.x").replace("GRID", "1, 2"), "block.cu")) == ["holds"]


@pytest.mark.parametrize("scope", table.MEMBAR)
@pytest.mark.sampled(1)
def test_membar_is_a_fence_of_its_scope(scope: str, write: Write) -> None:
    text = PASSING.replace("SEND", send(f"membar.{scope}; st.relaxed.gpu.u32 [%0], %1;")).replace("RECEIVE", LOAD)
    found = answers(write(text.replace("WHO", "blockIdx.x").replace("GRID", "2, 1")))
    assert found == ["violated" if scope == "cta" else "holds"]
    assert answers(write(text.replace("WHO", "threadIdx.x").replace("GRID", "1, 2"))) == ["holds"]


ACCESSED = {
    "ld": "ld.SPACE.u32 %0, [%1];", "ldu": "ldu.SPACE.u32 %0, [%1];", "st": "st.SPACE.u32 [%1], %0;",
    "atom": "atom.SPACE.add.u32 %0, [%1], 1;", "red": "red.SPACE.add.u32 [%1], %0;",
}  # fmt: skip
SPACE = """
__device__ unsigned v;
__global__ void k() {
    __shared__ unsigned own;
    unsigned r = 0;
    own = 0;
    asm volatile("TEXT" : "+r"(r) : "l"(&WHERE) : "memory");
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("opcode", ACCESSED)
@pytest.mark.parametrize("space", ["global", "shared", "shared::cta", "shared::cluster"])
def test_an_access_is_in_the_state_space_that_it_names(opcode: str, space: str, write: Write) -> None:
    if opcode == "ldu" and space != "global":
        return  # "ldu.global", or generic (ISA, "ldu")
    text = SPACE.replace("TEXT", ACCESSED[opcode].replace("SPACE", space))
    assert answers(write(text.replace("WHERE", "v" if space == "global" else "own"))) == ["holds"]
    assert answers(write(text.replace("WHERE", "own" if space == "global" else "v")))[-1] == "violated"


# ---------------------------------------------------------------- results


def both(body: str, truth: str, write: Write) -> None:
    """It is true at every end, and some end is there."""
    assert found_right({body: (body, truth)}, write("")) == {body: True}


@pytest.mark.parametrize("opcode", table.CACHE)
def test_a_cache_operator_changes_nothing(opcode: str, write: Write) -> None:
    """But ``.nc``, of which tests/test_read_only_loads.py are."""
    body, expected = "r = 0; s = 0;", 0
    for n, word in enumerate(w for w in table.CACHE[opcode] if w != "nc"):
        text = {"ld": f"ld.global.{word}.u32 %0, [%1];", "st": f"st.global.{word}.u32 [%1], %0;"}[opcode]
        body += f" {'s' if opcode == 'ld' else 'r'} = {n + 3};" + asm(text, ': "+r"(r) : "l"(&s) :') + " t += r + s;"
        expected += 2 * (n + 3)
    both(body, f"t == {expected}", write)


RESULTS: dict[str, Callable[[int, int], int]] = {
    "exch": lambda _, new: new, "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1, "cas": lambda _, new: new,
    "add": int.__add__, "sub": int.__sub__, "and": int.__and__, "or": int.__or__, "xor": int.__xor__, "min": min, "max": max,
}  # fmt: skip


@pytest.mark.parametrize("opcode", ["atom", "red"])
@pytest.mark.sampled(1)
def test_what_updates_leave(opcode: str, write: Write) -> None:
    checks, body = [], "r = 0;"
    for n, (name, result) in enumerate(RESULTS.items()):
        if opcode == "red" and name in ("exch", "cas"):
            continue
        type_ = "b32" if name in ("exch", "cas", "and", "or", "xor") else "u32"
        old, value = 12, 10
        given = f"{old}, {value}" if name == "cas" else str(value)
        text = f"atom.{name}.{type_} %0, [%1], {given};" if opcode == "atom" else f"red.{name}.{type_} [%1], {given};"
        body += f" s = {old};" + asm(text, ': "+r"(r) : "l"(&s) :') + f" t |= (s != {result(old, value)}) << {n};"
        if opcode == "atom":
            checks.append("r == 12")
    both(body, " && ".join(["t == 0", *checks[:1]]), write)


def test_comparisons(write: Write) -> None:
    body, expected = "", 0
    meant: dict[str, Callable[[int, int], bool]] = {
        "eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__,
    }  # fmt: skip
    for name in table.COMPARISONS:
        for left, right in ((1, 2), (2, 2), (3, 2)):
            text = f"{{ .reg .pred p; setp.{name}.s32 p, {left}, {right}; selp.u32 %0, 1, 0, p; }}"
            body += asm(text, ': "=r"(r) ::') + " t = 2 * t + r;"
            expected = 2 * expected + meant[name](left, right)
    both(body, f"t == {expected}", write)


@pytest.mark.parametrize("register", [name for name, meant in table.INDICES.items() if "cluster" not in meant])
@pytest.mark.sampled(2)
def test_indices_and_extents(register: str, write: Write) -> None:
    text = f"""
#include <cassert>
__global__ void k() {{
    unsigned r;
    asm volatile("mov.u32 %0, %{register};" : "=r"(r));
    assert(CLAIM);
}}
int main() {{ k<<<dim3(1, 2, 1), dim3(2, 1, 1)>>>(); cudaDeviceSynchronize(); }}
"""
    truth = f"r == {table.INDICES[register]}"
    assert set(answers(write(text.replace("CLAIM", truth)))) == {"holds"}
    assert "violated" in answers(write(text.replace("CLAIM", f"!({truth})")))


@pytest.mark.parametrize("register", table.LANES)
@pytest.mark.sampled(3)
def test_lanes(register: str, write: Write) -> None:
    both(asm(f"mov.u32 %0, %{register};", ': "=r"(r) ::'), f"r == {table.LANES[register](0)}u", write)


@pytest.mark.parametrize("register", table.UNKNOWN)
@pytest.mark.sampled(3)
def test_what_is_not_known_of_the_machine(register: str, write: Write) -> None:
    wide = table.UNKNOWN[register] == 64
    body = asm(f"mov.u{64 if wide else 32} %0, %{register};", ': "=l"(l) ::' if wide else ': "=r"(r) ::')
    body += f" if ({'l' if wide else 'r'} == 1) u = 1;"
    text = ONE_THREAD.replace("BODY", body) + "//@ expect allowed u == 1;\n//@ expect allowed u == 0;\n"
    assert answers(write(text)) == ["holds"] * 3


# ---------------------------------------------------------------- what comes later


@pytest.mark.parametrize("start", table.LATER)
def test_what_comes_later_is_refused_by_its_name(start: str) -> None:
    for text, known in ((f"{start}.x;", True), (f"{start}0.x;", "." in start and start.split(".")[0] in table.LATER)):
        (item,) = read(Source("asm", text)).items
        assert isinstance(item, forms.Instruction)
        found = table.later(item)
        assert (found is not None) == known
        if isinstance(found, InputError):
            assert "come later" in str(found.diagnostics[0].help)
