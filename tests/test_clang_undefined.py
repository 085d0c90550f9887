"""Arithmetic that has no result: both readers find it in the same programs, at the same place, and say the same of it."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.samples import EVERY, spread

LEAST, LEAST_LONG = "(-2147483647 - 1)", "(-9223372036854775807L - 1)"
ZERO, SHIFT = "divides by zero", "shifts by less than 0 or more than 31"
LONG_SHIFT, QUOTIENT = "shifts by less than 0 or more than 63", "has a quotient that does not fit int"
LONG_QUOTIENT = "has a quotient that does not fit long"

#: The type and the value of `v`, which is read from memory; what is done with it; what is said of which expression.
CASES = [
    ("int", "0", "int r = 7 / v;", "7 / v", ZERO),
    ("int", "0", "int r = 7 % v;", "7 % v", ZERO),
    ("unsigned", "0", "unsigned r = 7u / v;", "7u / v", ZERO),
    ("bool", "0", "int r = 7 / v;", "7 / v", ZERO),
    ("__int128", "0", "int r = (int)(7 / v);", "7 / v", ZERO),
    ("int", "0", "int z = 0, r = v; r = 5 / z;", "5 / z", ZERO),
    ("int", "0", "int r = 7; r /= v;", "r /= v", ZERO),
    ("int", "0", "unsigned char r = 9; r %= v;", "r %= v", ZERO),
    ("int", "-1", f"int r = {LEAST} / v;", f"{LEAST} / v", QUOTIENT),
    ("int", "-1", f"int r = {LEAST} % v;", f"{LEAST} % v", QUOTIENT),
    ("int", LEAST, "int r = v / -1;", "v / -1", QUOTIENT),
    ("int", "-1", f"int d = v, r = ({LEAST} + (d + 1)) / d;", f"({LEAST} + (d + 1)) / d", QUOTIENT),
    ("long", "-1", f"long r = {LEAST_LONG} / v;", f"{LEAST_LONG} / v", LONG_QUOTIENT),
    ("signed char", "-128", "int r = v / -1;", "", ""),
    ("int", "32", "int r = 1 << v;", "1 << v", SHIFT),
    ("int", "-1", "int r = 1 << v;", "1 << v", SHIFT),
    ("int", "32", "int r = 1 >> v;", "1 >> v", SHIFT),
    ("unsigned", "32", "unsigned r = 1u >> v;", "1u >> v", SHIFT),
    ("long", "(1L << 32)", "int r = 1 << v;", "1 << v", SHIFT),
    ("int", "64", "long r = 1L << v;", "1L << v", LONG_SHIFT),
    ("signed char", "9", "int r = v << 40;", "v << 40", SHIFT),
    ("int", "40", "int r = 7; r <<= v;", "r <<= v", SHIFT),
    ("int", "-2", "int r = 7; r >>= v;", "r >>= v", SHIFT),
    ("int", "40", "int z = 40, r = v; r = 5 << z;", "5 << z", SHIFT),
    ("int", "63", "long r = 1L << v;", "", ""),
    ("int", "35", "int r = 1 << (v & 31);", "", ""),
    # Signed numbers wrap.
    ("int", "31", "int r = 1 << v;", "", ""),
    ("int", "-1", "int r = v << 1;", "", ""),
    ("int", "2147483647", "int r = v + 1;", "", ""),
    ("int", "2147483647", "int r = v; r++;", "", ""),
    ("int", LEAST, "int r = v - 1;", "", ""),
    ("int", LEAST, "int r = -v;", "", ""),
    ("int", "65536", "int r = v * v;", "", ""),
    # Where it is not evaluated.
    ("int", "0", "int r = 0; if (v != 0) r = 7 / v;", "", ""),
    ("int", "0", "int r = v == 0 ? 1 : 7 / v;", "", ""),
    ("int", "0", "int r = 0; if (v) r = 5 / 0;", "", ""),
    # What is written around it.
    ("int", "0", "int r = 1 + 2 * 7 / v * 3;", "2 * 7 / v", ZERO),
    ("int", "0", "int r = (v + 3) / (v - 0);", "(v + 3) / (v - 0)", ZERO),
    ("int", "40", "int r = 1 + 2 << v + 1;", "1 + 2 << v + 1", SHIFT),
    ("int", "0", "int r = 2 << v / v;", "v / v", ZERO),
    ("int", "0", "int r = -7 / ~v + 7 / -v;", "7 / -v", ZERO),
    ("int", "0", "int r = 7 /\n  v;", "7 / v", ZERO),
    ("int", "0", "int r = 7 / (v); /* ) */ // (", "7 / (v)", ZERO),
    ("int", "0", "int r = static_cast<int>(7) / v;", "static_cast<int>(7) / v", ZERO),
    ("int", "0", "int r = v > (7) / v;", "(7) / v", ZERO),
    ("int", "0", "int r = 7; if (v == 0) r /= v;", "r /= v", ZERO),
    ("int", "0", "int r = v == 0 && 7 / v;", "7 / v", ZERO),
    ("int", "0", "int r = 7 % v == 1;", "7 % v", ZERO),
    ("int", "0", "int w = 3, r = w++ / v--;", "w++ / v--", ZERO),
    ("int", "0", "int s[2] = {1, 2}; int r = s[0] / v;", "s[0] / v", ZERO),
    ("int", "0", "switch (v) { case 0: out /= v; }", "out /= v", ZERO),
    ("int", "0", "for (int i = 0; i < 7 / v; i++) {}", "7 / v", ZERO),
    ("int", "0", "int r = divide(7, v);", "a / b", ZERO),
    ("int", "0", "int r = DIVIDED(7, v);", "DIVIDED(7, v)", ZERO),
]
#: Of constants clang says no more.
CONSTANT = [
    ("int", "0", "int r = v + 5 / 0;", "5 / 0", "has no result"),
    ("int", "0", "int r = v + (5 << 40);", "5 << 40", "has no result"),
    ("int", "0", f"out = {LEAST} / -1;", f"out = {LEAST} / -1", "has no result"),
]
HEAD = "#define DIVIDED(a, b) ((a) / (b))\n"
HOST = f"""#include <atomic>
{HEAD}int out;
inline int divide(int a, int b) {{ return a / b; }}
std::atomic<TYPE> given{{VALUE}};
int main() {{
    TYPE v = given.load(std::memory_order_relaxed);
    STATEMENT
}}
//@ expect race_free;
"""
DEVICE = f"""#include <cuda/atomic>
{HEAD}__device__ int out;
__device__ inline int divide(int a, int b) {{ return a / b; }}
__device__ cuda::atomic<TYPE, cuda::thread_scope_device> given{{VALUE}};
__global__ void k() {{
    TYPE v = given.load(cuda::memory_order_relaxed);
    STATEMENT
}}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""


def said(paths: Iterable[Path], reader: str) -> dict[str, tuple[object, ...]]:
    """By file: the verdict on its arithmetic, why, and the place; nothing where it is not asked."""
    found = {}
    for outcome in check(list(paths), Settings(overrides=Overrides(reader=reader), engine="embedded")):
        assert outcome.failure is None
        assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
        for report in outcome.reports:
            asked = [c for c in report.checks if c.expectation.implicit]
            found[Path(report.run.program.source.name).name] = tuple(
                (c.verdict, c.reason, c.expectation.span.line, c.expectation.span.column) for c in asked
            )
    return found


def _in_the_scoped_language(path: Path) -> bool:
    """Whether it is without its functions, which are blank from now on."""
    path.write_text(re.sub(r".*inline.*", "", path.read_text()))
    try:
        return bool(plan(path, path.name, Overrides(reader="scoped")).runs)
    except InputError:
        return False


@pytest.mark.parametrize("program", [HOST, DEVICE], ids=["host", "device"])
@pytest.mark.sampled(1)
def test_both_readers_find_the_same(program: str, write: Callable[..., Path]) -> None:
    paths, expected = [], {}
    for number, (type_, value, statement, where, what) in enumerate(spread(CASES, len(CASES) if EVERY else 20)):
        text = program.replace("TYPE", type_).replace("VALUE", value).replace("STATEMENT", statement)
        paths.append(write(text if "DIVIDED" in statement else text.replace(HEAD, ""), f"p{number}.cu"))
        expected[f"p{number}.cu"] = f"`{where}` {what}" if what else ""
    clang = said(paths, "clang")
    own = said(
        [path.rename(path.with_name(f"own-{path.name}")) for path in paths if _in_the_scoped_language(path)], "scoped"
    )
    assert len(own) / len(paths) > 20 / len(CASES)
    assert own == {f"own-{name}": checks for name, checks in clang.items() if f"own-{name}" in own}
    assert {name: "".join(f"{c[1]}".partition(": ")[2] for c in checks) for name, checks in clang.items()} == expected


@pytest.mark.parametrize("case", CONSTANT, ids=lambda case: case[2])
def test_constants(case: tuple[str, ...], write: Callable[..., Path]) -> None:
    type_, value, statement, where, what = case
    text = HOST.replace("TYPE", type_).replace("VALUE", value).replace("STATEMENT", statement)
    path = write(text)
    write(re.sub(r".*inline.*", "", text.replace(HEAD, "")), "scoped.cu")
    ((one,),) = said([path.with_name("scoped.cu")], "scoped").values()
    ((other,),) = said([path], "clang").values()
    assert one[0] == other[0] == "violated"
    assert other[1] == f"line 8: `{where}` {what}"


def test_what_a_header_says(write: Callable[..., Path]) -> None:
    """The place, and what is written there, are those of the header."""
    write("\n" * 40 + "inline int half(int a, int b) { return a / b; }\n", "half.h")
    text = '#include "half.h"\nint zero;\nint main() { int r = half(1, zero); }\n//@ expect race_free;\n'
    ((found,),) = said([write(text)], "clang").values()
    assert found[:3] == ("violated", "line 41: `a / b` divides by zero", 41)


def test_overflow_that_the_program_asks_for(write: Callable[..., Path]) -> None:
    text = """
#include <atomic>
std::atomic<int> one{2147483647};
std::atomic<unsigned> other{4};
int main() {
    int v = one.load();
    unsigned u = other.load();
    int sum, product;
    unsigned left;
    bool a = __builtin_add_overflow(v, 1, &sum), b = __builtin_mul_overflow(v, 1, &product);
    bool c = __builtin_sub_overflow(u, 5u, &left), d = __builtin_add_overflow(u, 5u, &left);
}
//@ expect required main.a && !main.b && main.c && !main.d;
//@ expect required main.sum == -2147483647 - 1 && main.product == 2147483647 && main.left == 9;
"""
    (outcome,) = check([write(text)], Settings(overrides=Overrides(reader="clang"), engine="embedded"))
    found = [(c.expectation.text, c.verdict) for r in outcome.reports for c in r.checks]
    assert [verdict for _, verdict in found] == ["holds", "holds"], found
