"""Operands that C++ leaves in no order, in programs read by way of clang: every order, and no other."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.clang import program
from scopec.frontends.clang.command import shims
from scopec.frontends.clang.compiler import expanded
from scopec.frontends.clang.evaluation_order.evaluations import of_the_user
from scopec.frontends.clang.evaluation_order.footprints import Touch, conflict, conflicting
from scopec.frontends.clang.machine.memory import Private
from scopec.program import ir
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.oracles.evaluations import Sum, text, values
from tests.random_expressions import random_expression
from tests.samples import EVERY, programs, spread

pytestmark = pytest.mark.usefixtures("kept_machines")

BY_CLANG = Overrides(reader="clang")

HEAD = """
#include <cuda/atomic>
#include <utility>
__device__ cuda::atomic<int, cuda::thread_scope_device> x, y, z;
__device__ int out, p, q;
__device__ int two(int a, int b) { return 10 * a + b; }
__device__ int three(int a, int b, int c) { return 100 * a + 10 * b + c; }
__device__ int next() { return x.fetch_add(1) + 1; }
__device__ int next(int& n) { return ++n; }
__device__ int next(int* n) { return *n += 1; }
__device__ int given(int a = next(), int b = next()) { return 10 * a + b; }
struct Pair {
    int a, b;
    __device__ Pair(int a, int b) : a(a), b(b) {}
    __device__ int value() const { return 10 * a + b; }
    __device__ int operator()(int c, int d) const { return 10 * c + d; }
    __device__ Pair operator+(Pair o) const { return Pair(a, o.a); }
    __device__ Pair operator<<(Pair o) const { return Pair(a, o.a); }
    __device__ Pair& operator=(int c) { a = c; return *this; }
};
struct Plain { int a, b; };
namespace elsewhere { struct Own { int a; }; __device__ int operator-(Own a, Own b) { return 10 * a.a + b.a; } }
template <class T> __device__ int lower(T (&f)()) { return 10 * f() - f(); }
template <class T> __device__ int sum(T& t) { return 10 * t.fetch_add(1) + t.fetch_add(1); }
template <class... T> __device__ int all(T... t) { int r = 0; ((r = 10 * r + t), ...); return r; }
#define TEN(a, b) (10 * (a) + (b))
#define NEXT (x.fetch_add(1) + 1)
"""
#: Expressions of type int, and the values that they may have.
VALUES: dict[str, set[int]] = {
    # Parameters: one as a whole before another.
    "two(next(), next())": {12, 21},
    "three(next(), next(), next())": {123, 132, 213, 231, 312, 321},
    "two((next(), next()), (next(), next()))": {24, 42},
    "two(next(), 5)": {15},
    "Pair(next(), next()).value()": {12, 21},
    "[](int a, int b) { return 10 * a + b; }(next(), next())": {12, 21},
    "Pair(3, 4)(next(), next())": {12, 21},
    "(Pair(next(), 0) + Pair(next(), 0)).value()": {12, 21},
    "two(two(next(), next()), 0) + next()": {120 + 3, 210 + 3, 130 + 2, 310 + 2, 230 + 1, 320 + 1},
    "two([] { return next(); }(), [] { return next(); }())": {12, 21},
    "two(x.exchange(1), x.load())": {0, 1},
    "two(y = 1, x.load() + y.load())": {10, 11},
    # Operators: their parts mix.
    "10 * next() + next()": {12, 21},
    "next() - next()": {1, -1},
    "100 * next() + 10 * next() + next()": {123, 132, 213, 231, 312, 321},
    "10 * (next(), next()) + (next(), next())": {24, 42, 34, 43},
    "10 * x + x.fetch_add(1)": {0, 10},
    "(next() < next()) * 2 + (next() == 3)": {1, 3, 0, 2},
    "(next() ? 10 : 20) + next()": {11, 12},
    "10 * (next() == 1 && next() == 2) + next()": {13, 2, 1},
    "int(((next() ^ next()) & 2) | 0)": {2},
    # What has an order keeps it.
    "(next(), next())": {2},
    "two(next() == 1 && next() == 2, 0)": {10},
    "Pair{next(), next()}.value()": {12},
    "Plain{next(), next()}.b": {2},
    "(Pair(next(), 0) << Pair(next(), 0)).value()": {12},
    "next() << next()": {4},
    "(p = next()) << next()": {4},
    "next() ? next() : next()": {2},
    "next() || next()": {1},
    "(out = next(), out + 0)": {1},
    # Private memory, and memory that threads share without atomics.
    "([] { int n = 0; return two(next(n), next(n)); }())": {12, 21},
    "([] { int n = 0; return 10 * n + next(n); }())": {1, 11},
    "([] { int n = 0; return 10 * next(n) + n; }())": {10, 11},
    "two(next(&p), next(&p))": {12, 21},
    "two(next(&p), next(&q))": {11},
    "10 * p + next(&p)": {1, 11},
    # Macros, templates and packs.
    "TEN(next(), next())": {12, 21},
    "TEN(NEXT, NEXT)": {12, 21},
    "two(NEXT, NEXT)": {12, 21},
    "sum(x)": {1, 10},
    "lower<int>(next)": {8, 19},
    "(elsewhere::Own{next()} - elsewhere::Own{next()})": {12, 21},
    "([] { const Pair& r = Pair(0, 0); return two(next(const_cast<int&>(r.a)), next(const_cast<int&>(r.a))); }())": {12, 21},
    "([] { int i = 0; return two(i++, i++); }())": {1, 10},
    "all(next(), next())": {12, 21},
}  # fmt: skip


def verdicts(path: Path, engine: str = "embedded") -> list[str]:
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine=engine, cache=False, timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    return [c.verdict for report in outcome.reports for c in report.checks if not c.expectation.implicit]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("expression", VALUES)
def test_values(expression: str, write: Callable[..., Path]) -> None:
    possible = VALUES[expression]
    others = {value + by for value in possible for by in (-1, 1, 9, -9)} - possible
    asked = [*(f"allowed out == {v}" for v in sorted(possible)), *(f"forbidden out == {v}" for v in sorted(others))]
    path = write(
        f"{HEAD}__global__ void k() {{ int r = {expression}; out = r; }}\n"
        "int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n" + "".join(f"//@ expect {a};\n" for a in asked),
    )
    assert dict(zip(asked, verdicts(path), strict=True)) == dict.fromkeys(asked, "holds")


REFUSED = {
    "next() + next() + next() + next() + next()": "an expression whose operands scopec cannot take in every order",
    "given()": "an operand that scopec cannot tell from others",
    "given(next())": "an operand that scopec cannot tell from others",
    "fold([] { return next(); }, [] { return next(); })": "an operand that scopec cannot tell from others",
    "p++ + p": "what one operand changes another one uses",
    "next() + (out = 1) + (out = 2)": "what one operand changes another one uses",
    "([] { int n = 0; int* m = &n; return (*m)++ + n; }())": "what one operand changes another one uses",
}


@pytest.mark.parametrize("expression", REFUSED)
@pytest.mark.sampled(4)
def test_what_is_refused(expression: str, write: Callable[..., Path]) -> None:
    path = write(
        f"{HEAD}template <class... T> __device__ int fold(T... t) {{ return (t() + ...); }}\n"
        f"__global__ void k() {{ int r = {expression}; out = r; }}\n"
        "int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n//@ expect race_free;\n"
    )
    with pytest.raises(InputError) as raised:
        plan(path, path.name, BY_CLANG)
    assert raised.value.diagnostics[0].message.startswith(REFUSED[expression])


@pytest.mark.sampled(0)
@pytest.mark.parametrize("seed", range(programs(2, 5)))
def test_random_expressions(seed: int, write: Callable[..., Path]) -> None:
    """Against small steps, in two threads: each value that the first one's expression may have, and no other."""
    chance = Random(seed)
    threads = (Sum((random_expression(chance, 1), random_expression(chance, 1))), random_expression(chance, 0))
    possible = values(threads, (("x", 0), ("y", 0)))
    some = sorted({*possible, *(chance.randint(-1, 20) for _ in range(3))})
    path = write(
        "#include <cuda/atomic>\nusing atom = cuda::atomic<int, cuda::thread_scope_device>;\n"
        "__device__ atom x, y; __device__ int out;\n"
        "__device__ int atomic_load(atom& a) { return a.load(); }\n"
        "__device__ int atomic_exchange(atom& a, int b) { return a.exchange(b); }\n"
        "__device__ int atomic_fetch_add(atom& a, int b) { return a.fetch_add(b); }\n"
        f"__global__ void k() {{\n  if (blockIdx.x == 0) {{ int r = {text(threads[0])}; out = r; }}\n"
        f"  else {{ int r = {text(threads[1])}; }}\n}}\nint main() {{ k<<<2, 1>>>(); cudaDeviceSynchronize(); }}\n"
        + "".join(f"//@ expect {'allowed' if value in possible else 'forbidden'} out == {value};\n" for value in some)
    )
    assert set(verdicts(path)) == {"holds"}, text(threads[0])


OPERATORS = ("+", "*", "&", "|", "^", "==", "!=")


@pytest.mark.sampled(0)
def test_commutative_operators_commute(write: Callable[..., Path]) -> None:
    """Exchanged operands, and as many copies of the question as there are operators, get the same verdicts."""
    found = []
    operands = ("x.exchange(3)", "x.load(cuda::memory_order_relaxed)")
    for left, right in (operands, operands[::-1]):
        lines = [f"    case {n}: r = {left} {op} {right}; break;\n" for n, op in enumerate(OPERATORS)]
        path = write(
            "#include <cuda/atomic>\n__device__ cuda::atomic<int> x(1); __device__ int out;\n"
            "template <int Which> __global__ void k() {\n  int r = 0;\n  switch (Which) {\n" + "".join(lines) + "  }\n"
            "  out = r;\n}\nconstexpr int which = 0;\nint main() { k<which><<<1, 1>>>(); cudaDeviceSynchronize(); }\n"
            f"//@ vary which in {{{', '.join(map(str, range(len(OPERATORS))))}}};\n"
            + "".join(f"//@ expect allowed out == {value};\n" for value in range(5))
        )
        found.append(verdicts(path))
    assert found[0] == found[1]
    possible = [{2, 4}, {1, 3}, {1}, {1, 3}, {0, 2}, {0, 1}, {0, 1}]
    assert found[0] == [
        "holds" if value in each else "violated" for each in possible for value in range(5)
    ]  # fmt: skip


def test_each_expression_counts_by_itself(write: Callable[..., Path]) -> None:
    lines = "  p = x.fetch_add(1) - x.load();\n" * 20
    path = write(f"{HEAD}__global__ void k() {{\n{lines}}}\nint main() {{ k<<<1, 1>>>(); cudaDeviceSynchronize(); }}\n")
    (run,) = plan(path, path.name, BY_CLANG).runs
    (grid,) = run.program.grids.values()
    operations = [node.operation for node in grid.body.nodes.values() if isinstance(node, ir.Do)]
    assert sum(isinstance(one, ir.Decide) and one.what == "order" for one in operations) == 20
    assert sum(isinstance(one, ir.Rmw) for one in operations) == 40


@pytest.mark.sampled(0)
def test_on_the_host_in_a_header_and_in_a_loop(write: Callable[..., Path]) -> None:
    write("inline int two(int a, int b) { return 10 * a + b; }\ninline int both() { return two(y.load(), x.load()); }\n",
          "both.h")  # fmt: skip
    path = write(
        "#include <atomic>\n#include <thread>\nstd::atomic<int> x, y;\nint r;\n"
        '#include "both.h"\n'
        "int main() {\n  std::thread t([] { x.store(1); y.store(1); });\n"
        "  for (int i = 0; i < 2; i++) r = 100 * r + both();\n  t.join();\n}\n"
        "//@ expect allowed r == 1011;\n//@ expect allowed r == 111;\n//@ expect forbidden r == 1000;\n"
        "//@ expect forbidden r == 1001;\n//@ expect terminates;\n"
    )
    assert verdicts(path) == ["holds"] * 5


def test_what_is_read_beside_an_acquire_may_be_read_before_it(write: Callable[..., Path]) -> None:
    program = (
        "#include <cuda/atomic>\n__device__ cuda::atomic<int> flag; __device__ int data, out;\n__global__ void k() {{\n"
        "  if (blockIdx.x == 0) {{ data = 1; flag.store(1, cuda::memory_order_release); }}\n"
        "  else {{ int r = {}; out = r; }}\n}}\nint main() {{ k<<<2, 1>>>(); cudaDeviceSynchronize(); }}\n"
        "//@ expect race_free;\n"
    )
    load = "flag.load(cuda::memory_order_acquire)"
    for text_, verdict in ((f"{load} * data", "violated"), (f"{load} && data", "holds")):
        assert verdicts(write(program.format(text_))) == [verdict], text_


WAITS = """
#include <cuda/atomic>
__device__ cuda::atomic<int> x, y, never;
__global__ void k() { LOOP }
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
//@ expect terminates;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_progress_takes_every_order(engine: str, write: Callable[..., Path]) -> None:
    """No order is promised; and where both do, a loop ends."""
    loops = {
        "if (threadIdx.x == 0) while (x.load() + 0 * x.exchange(1) == 0) x.store(0);": "violated",
        "if (threadIdx.x == 0) while ((x.exchange(1), x.load()) == 0) x.store(0);": "holds",
        "if (threadIdx.x == 0 && x.load() + 2 * x.exchange(1) == 0) while (never.load() == 0);": "violated",
        "if (threadIdx.x == 0 && x.load() + 2 * x.exchange(1) == 1) while (never.load() == 0);": "violated",
        "if (threadIdx.x == 0 && x.load() + 2 * x.exchange(1) == 2) while (never.load() == 0);": "holds",
        "if (threadIdx.x) { x.store(1); y.store(1); } else while (x.load() + y.load() < 2);": "holds",
        "if (threadIdx.x) { x.store(1); y.store(1); } else while (y.load() != x.load() || x.load() == 0);": "holds",
    }
    for loop, verdict in spread([*loops.items()], len(loops) if EVERY or engine == "embedded" else 2):
        assert verdicts(write(WAITS.replace("LOOP", loop)), engine) == [verdict], loop


@pytest.mark.parametrize("side", ["device", "host"])
@pytest.mark.sampled(1)
def test_the_library_is_not_walked_through(side: str, tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("struct Own { int a; };\n")
    _, tree = expanded('#include "own.h"\n__global__ void k() {}\n', "p.cu", tmp_path, side)
    first, *others = of_the_user(tree, (str(shims()),))
    assert "own.h:1:1" in first
    assert len(others) < len(tree.splitlines()) / 100


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        ("for (int i = 0; i < 4; ++i) p = i;", False),
        ("for (int i = 0; i < 4; ++i) if (i > 2) while (i < p) p = i--;", False),
        ("int i = p, j = i + 1; p = j;", False),
        ("if (int i = p) p = i;", False),
        ("for (int i = 0; i < two(next(), next()); ++i) break;", True),
        ("int i = 1, j = two(++i, i); p = j;", True),
        ("int i = two(({ int j = next(); j; }), next()); p = i;", True),
        ("for (int i = 0; i < two OPEN next(), 1) - next(); ++i) break;", True),
    ],
)
def test_the_tree_is_asked_for_where_one_expression_may_have_both(
    statements: str, wanted: bool, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noted(*given: Any) -> tuple[str, str]:
        asked.append(given)
        return expanded(*given)

    monkeypatch.setattr(program, "expanded", noted)
    head = f"{HEAD}#define OPEN (\n" if "OPEN" in statements else HEAD
    text = f"{head}__global__ void k() {{ {statements} }}\nint main() {{ k<<<1, 1>>>(); cudaDeviceSynchronize(); }}\n"
    plan(write(text + "//@ expect race_free;\n"), "p.cu", BY_CLANG)
    assert bool(asked) == wanted


def test_conflicts_are_found_by_what_is_touched() -> None:
    random, of = Random(1), ["a", "b", Private((), "x"), Private((), "y")]
    for _ in range(2000 if EVERY else 400):
        done = {
            number: [
                Touch(random.choice(of), random.choice([None, 0, 1, 4]), random.choice([1, 4]), random.random() < 0.5)
                if random.random() < 0.8
                else Touch()
                for _ in range(random.randrange(4))
            ]
            for number in range(6)
        }
        assert list(conflicting(done)) == [(a, b) for a, b in combinations(done, 2) if conflict(done[a], done[b])]
