"""Which reader a `.cu` file gets, and what people are shown of an expression that clang gives one place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.clang.extents import expression_at
from scopec.frontends.language import beyond_the_scoped_language
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan

BY_LANGUAGE = Overrides(reader="auto")

SCOPED = """#include <cuda/atomic>
#pragma once
#
struct alignas(8) Pair { int x, y[2]; };
struct Pair;
enum class Colour { red };
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
[[maybe_unused]] __device__ Pair pair = {1, {2, 3}};
struct Pair make();  // template <class T> operator [&] { }
__global__ void k(int n) { int a[2]; a[0] = a[n - a[1]]; flag.fetch_add(a[0]); auto [x, y] = pair; }
const char* text = "template [&] {";
"""


def test_the_scoped_language_is_known_by_its_text() -> None:
    assert beyond_the_scoped_language(Source("p.cu", SCOPED)) is None


@pytest.mark.parametrize(
    ("text", "what", "column"),
    [
        ("template <class T> T f(T t) { return t; }", "a template", 1),
        ("int n; # define N 1", None, 0),
        ("\t# define N 1", "a line for the preprocessor", 2),
        ('#include "own.h"', "a line for the preprocessor", 1),
        ("struct S { int get() { return 1; } };", "a class with more than data", 1),
        ("struct S { int x; S(int v) : x(v) {} };", "a class with more than data", 1),
        ("struct A {}; struct B : A {};", "a class with more than data", 14),
        ("class S { int x; };", "a class with more than data", 1),
        ("union U { int x; float y; };", "a class with more than data", 1),
        ("struct S { static int x; };", "a class with more than data", 1),
        ("struct S { int x = std::size_t{1}; };", None, 0),
        ("bool operator==(S a, S b) { return true; }", "an operator of its own", 6),
        ("int main() { auto f = [] { }; }", "a lambda expression", 23),
        ("int main() { std::thread t([&] { }); }", "a lambda expression", 28),
        ("auto f() { return [=] { return 1; }; }", "a lambda expression", 19),
        ("int main() { a [0] = 1; (b)[1] = 2; f()[2]; g[0][1]; }", None, 0),
    ],
)
def test_cplusplus_is_known_by_its_text(text: str, what: str | None, column: int) -> None:
    found = beyond_the_scoped_language(Source("p.cu", text))
    assert (found is None) == (what is None), found
    if found is not None:
        assert (found[1], found[0].line, found[0].column) == (what, 1, column)


METHOD = """#include <cuda/atomic>
struct Counter {
    cuda::atomic<int> n;
    __device__ void count() { n.fetch_add(1); }
};
__device__ Counter counter;
__global__ void k() { counter.count(); }
//@ launch k<<<1, 2>>>();
//@ expect required counter.n == 2;
"""


def test_cplusplus_needs_a_clang(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Which reader a file gets depends on its text, never on what is installed."""
    path = write(METHOD)
    assert plan(path, "p.cu", BY_LANGUAGE).runs
    monkeypatch.setattr("scopec.frontends.clang.compiler.find", lambda: None)
    with pytest.raises(InputError, match=r"p\.cu:2:1: .*a class with more than data is C\+\+") as raised:
        plan(path, "p.cu", BY_LANGUAGE)
    assert "scopec[cxx]" in (raised.value.diagnostics[0].help or "")


def test_what_the_scoped_language_does_not_have_may_be_cplusplus(write: Callable[..., Path]) -> None:
    text = """__device__ int x;
__global__ void k() { x = 1; goto end; x = 2; end: return; }
//@ launch k<<<1, 1>>>();
//@ expect required x == 1;
"""
    with pytest.raises(InputError):
        plan(write(text), "p.cu", Overrides(reader="scoped"))
    (outcome,) = check([write(text)], Settings(overrides=BY_LANGUAGE, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks] == ["holds"]


def test_where_both_readers_object_the_error_is_the_scoped_languages(write: Callable[..., Path]) -> None:
    text = "__device__ int x;\n__global__ void k() { x = no_such_name; }\n//@ launch k<<<1, 1>>>();\n"
    errors = []
    for reader in ("auto", "scoped"):
        with pytest.raises(InputError) as raised:
            plan(write(text), "p.cu", Overrides(reader=reader))
        errors.append(raised.value.diagnostics)
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    ("text", "token", "shown"),
    [
        ("f(1); ready.store(1, order); g();", "store", "ready.store(1, order)"),
        ("a[i].b->next.load();", "load", "a[i].b->next.load()"),
        ("(*p).load();", "load", "(*p).load()"),
        ("std::atomic_ref<int>(x).load() == 1", "load", "std::atomic_ref<int>(x).load()"),
        ("cuda::atomic_ref<int, S>(x)", "atomic_ref", "cuda::atomic_ref<int, S>(x)"),
        ("{ x = y + f(z); }", "=", "x = y + f(z)"),
        ("if (a) x = 1;", "=", "x = 1"),
        ("for (int i = 0; i < n; i++) {}", "=", "int i = 0"),
        ("for (int i = 0; i < n; i++) {}", "++", "i++"),
        ("r = a % b + c;", "%", "a % b"),
        ("r = w++ / v-- + 1;", "/", "w++ / v--"),
        ("f(x, *out);", "*", "*out"),
        ("k<<<grid, 32>>>(a, b);", "k", "k<<<grid, 32>>>(a, b)"),
        ("std::thread writer([&] { x = 1; });", "writer", "writer([&] { x = 1; })"),
        ("std::jthread t{work};", "t{", "t{work}"),
        ("return data;", "data", "data"),
        ("return data[i][j];", "data", "data[i][j]"),
        ("void f() { g(); }", "}", "}"),
        ('puts("=;"); a < b', "<", "a < b"),
    ],
)
def test_a_place_stands_for_an_expression(text: str, token: str, shown: str) -> None:
    source = Source("p.cu", text)
    span = expression_at(source, text.index(token))
    assert span is not None
    assert source.text_of(span) == shown


def test_a_place_within_a_word_stands_for_nothing() -> None:
    assert expression_at(Source("p.cu", "word"), 2) is None
