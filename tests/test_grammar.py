"""The shape of syntax trees: not only that texts are accepted, but what they become."""

from __future__ import annotations

import pytest

from scopec.base.diagnostics import InputError, suggestion
from scopec.base.source import Source
from scopec.frontends.c.syntax import tree
from scopec.frontends.scoped.syntax.cuda import read


def file_of(text: str) -> tree.File:
    return read(Source("a.cu", text))


def statement_of(text: str) -> tree.Statement:
    (function,) = file_of("__global__ void k() {" + text + "}").items
    assert isinstance(function, tree.Function)
    (statement,) = function.body.statements
    return statement


def shape(expr: object) -> str:
    """An expression in prefix form."""
    match expr:
        case tree.Int(_, value) | tree.Bool(_, value):
            return str(value)
        case tree.Name(_, name):
            return name
        case tree.Unary(_, op, operand):
            return f"({op} {shape(operand)})"
        case tree.Binary(_, op, left, right):
            return f"({op} {shape(left)} {shape(right)})"
        case tree.Conditional(_, a, b, c):
            return f"(? {shape(a)} {shape(b)} {shape(c)})"
        case tree.Member(_, object_, name):
            return f"(. {shape(object_)} {name})"
        case tree.Index(_, object_, index):
            return f"([] {shape(object_)} {shape(index)})"
        case tree.Call(_, function, arguments):
            return f"(call {' '.join(map(shape, (function, *arguments)))})"
        case tree.Construct(_, type_, argument):
            return f"(new {type_.name} {shape(argument)})"
        case tree.Cast(_, type_, operand):
            return f"(cast {type_.name} {shape(operand)})"
        case tree.SizeOf(_, operand):
            return f"(sizeof {operand.name})"
        case tree.Launch(_, kernel, configuration, arguments):
            return f"(launch {kernel.name} [{' '.join(map(shape, configuration))}] {' '.join(map(shape, arguments))})"
        case tree.Assign(_, op, target, value):
            return f"({op or ''}= {shape(target)} {shape(value)})"
        case tree.Step(_, op, prefix, target):
            return f"({op}{'pre' if prefix else 'post'} {shape(target)})"
        case _:
            raise AssertionError(expr)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = a + b * c - d", "(= x (- (+ a (* b c)) d))"),
        ("a = b + 1", "(= a (+ b 1))"),
        ("a += b ? c : d ? e : f", "(+= a (? b c (? d e f)))"),
        ("x = a || b && c | d ^ e & f == g < h << i", "(= x (|| a (&& b (| c (^ d (& e (== f (< g (<< h i)))))))))"),
        ("!a.b[1].load()", "(! (call (. ([] (. a b) 1) load)))"),
        ("(void)f(x, &y)", "(cast void (call f x (& y)))"),
        ("i++", "(++post i)"),
        ("--a[j]", "(--pre ([] a j))"),
        ("cuda::atomic_ref<int, S>(x).store(1)", "(call (. (new cuda::atomic_ref x) store) 1)"),
        ("k<<<1, 2, 0, s>>>(x, 3)", "(launch k [1 2 0 s] x 3)"),
        ("x = sizeof(int) + sizeof(x)", "(= x (+ (sizeof int) (sizeof x)))"),
        ("x = 0x10 + 010 + 0b11 + 1'000u", "(= x (+ (+ (+ 16 8) 3) 1000))"),
        ("x = a >> b > c", "(= x (> (>> a b) c))"),
        ("p->next->x", "(. (* (. (* p) next)) x)"),
        ("x = a < b && c > (d)", "(= x (&& (< a b) (> c d)))"),
        ("cg::tiled_partition<4>(b).sync()", "(call (. (call cg::tiled_partition b) sync))"),
    ],
)
def test_expressions(text: str, wanted: str) -> None:
    statement = statement_of(text + ";")
    assert isinstance(statement, tree.ExprStatement)
    assert shape(statement.expr) == wanted


def test_else_belongs_to_the_nearest_if() -> None:
    outer = statement_of("if (a) if (b) x = 1; else x = 2;")
    assert isinstance(outer, tree.If)
    assert outer.otherwise is None
    assert isinstance(outer.then, tree.If)
    assert outer.then.otherwise is not None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("while (f.load() == 0);", tree.While),
        ("for (;;) {}", tree.For),
        ("for (int i = 0; i < 3; i++, j--) x = i;", tree.For),
        ("for (i = 0, j = 1; ; ) x = i;", tree.For),
        ("do x = 1; while (y);", tree.DoWhile),
        ("{ int a = 1, b; }", tree.Block),
        ("volatile bool True = true;", tree.Declaration),
        ("const unsigned long long a{1};", tree.Declaration),
        ("cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);", tree.Declaration),
        ("std::atomic<unsigned int> a(1);", tree.Declaration),
        ("return;", tree.Return),
        ("return (int)f();", tree.Return),
        (";", tree.Block),
    ],
)
def test_statements(text: str, kind: type) -> None:
    assert isinstance(statement_of(text), kind)


def test_declarations_keep_specifiers_sizes_and_initial_values() -> None:
    (declaration,) = file_of("__device__ volatile unsigned int a[3] = {1, 2}, b(3);").items
    assert isinstance(declaration, tree.Declaration)
    assert declaration.type.name == "unsigned int"
    assert declaration.type.specifiers == ("__device__", "volatile")
    first, second = declaration.declarators
    assert [shape(s) for s in first.sizes] == ["3"]
    assert first.init is not None
    assert [shape(v) for v in first.init.arguments] == ["1", "2"]
    assert second.sizes == ()
    assert second.init is not None


def test_functions() -> None:
    kernel, main = file_of("__global__ void k(cuda::atomic_ref<int, S> a, int* p) {} int main() { return 0; }").items
    assert isinstance(kernel, tree.Function)
    assert isinstance(main, tree.Function)
    assert kernel.type.specifiers == ("__global__",)
    assert [(p.name, p.type.pointers) for p in kernel.parameters] == [("a", 0), ("p", 1)]
    assert main.name == "main"


def test_lines_for_the_preprocessor_are_blank() -> None:
    (item,) = file_of("#include <cuda/atomic>\n#pragma unroll \\\n 4\n # \nint a;").items
    assert (item.span.line, item.span.column) == (5, 1)


def test_a_header_whose_name_is_too_long_for_a_file_is_not_looked_for() -> None:
    with pytest.raises(InputError, match="this line for the preprocessor is outside the scoped language"):
        file_of(f"#include <{'x' * 5000}>\nint a;")


def test_words_of_directives_are_names_in_code() -> None:
    file_of("__device__ int expect, when, on, bound, race, allowed, options; __global__ void in() { expect = race; }")


def test_directives() -> None:
    file = file_of(
        """
        //@ expect race_free under cuda-v1, cuda-v2;
        //@ expect race on x when S == device && !B;
        //@ expect forbidden mp[1][0].r == 0
        //@     && mp#2[0][1].r == 1;   expect terminates;
        //@ vary S in {device, block};
        //@ launch k<<<1, 2>>>(a);
        //@ object __device__ int a = 0;
        //@ bound unroll = 3; given hostNativeAtomicSupported = 1; options release_sequence = c++11, thin_air = off;
        """
    )
    kinds = [type(d).__name__ for d in file.directives]
    assert kinds == [
        "Expect", "Expect", "Expect", "Expect", "Vary", "LaunchDirective", "ObjectDirective",
        "Settings", "Settings", "Settings",
    ]  # fmt: skip
    first, second, third, *_ = file.directives
    assert isinstance(first, tree.Expect)
    assert [m.name for m in first.under] == ["cuda-v1", "cuda-v2"]
    assert isinstance(second, tree.Expect)
    assert isinstance(second.target, tree.Name)
    assert second.target.name == "x"
    assert isinstance(third, tree.Expect)
    assert (third.span.line, third.span.end_line) == (4, 5)
    settings = file.directives[-1]
    assert isinstance(settings, tree.Settings)
    assert [(s.name, s.value) for s in settings.settings] == [("release_sequence", "c++11"), ("thin_air", "off")]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("__global void ex4() {}", "1:1: error: `__global` is neither a type nor a specifier [SCP011]"),
        ("int main() { foo x; }", "1:14: error: `foo` is not a type of the scoped language [SCP011]"),
        ('int main() { asm("x"); }', "1:14: error: `asm` is outside the scoped language [SCP012]"),
        ("int main() { int* p; }", "1:17: error: a pointer or reference here is outside the scoped language [SCP012]"),
        ("cuda::latch<S> x;", "1:1: error: `cuda::latch` is not a type of the scoped language [SCP011]"),
        ("int int cuda::atomic<int> x;", "two types in one declaration"),
        ("const main() {}", "a type is missing here"),
        ("int main() { x = ; }", "1:18: error: an expression is missing before `;`"),
        ("int main() {", "1:12: error: this `{` is never closed"),
        ("int main() { int x = 08; }", "`08` is not a number"),
        ("int main() { int x = 1abc; }", "unexpected `abc`"),
        ("//@ expct race;", "1:5: error: `expct` is not a directive [SCP020]"),
        ("//@ expect rce;", "1:12: error: `rce` is not something to expect [SCP020]"),
        ("//@ expect race", "1:16: error: this directive is not finished"),
        ("//@ vary S in {1;", "unexpected `;`"),
        ("int a; @", "unexpected `@`"),
    ],
)
def test_what_does_not_parse(text: str, wanted: str) -> None:
    with pytest.raises(InputError) as raised:
        file_of(text)
    assert wanted in str(raised.value)


def test_what_is_suggested_for_a_name() -> None:
    assert suggestion("clock64", ["calloc", "malloc"]) is None
    assert suggestion("cudaDeviceGetAttribute", ["cudaDeviceReset"]) is None
    assert suggestion("aquire", ["acquire", "release"]) == "did you mean `acquire`?"
    assert suggestion("s", ["k.s", "k.t"]) == "did you mean `k.s`?"


def test_a_misspelt_word_gets_a_suggestion() -> None:
    with pytest.raises(InputError) as raised:
        file_of("__globl__ void k() {}")
    assert raised.value.diagnostics[0].way_out == "did you mean `__global__`?"
