"""The shape of syntax trees: not only that texts are accepted, but what they become."""

from __future__ import annotations

import re

import pytest

from scopec.base.diagnostics import Code, InputError, suggestion
from scopec.base.source import Source
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.cuda import read, read_directives
from scopec.frontends.scoped.syntax.scan import scan


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
        case tree.Assign(_, op, target, value):
            return f"({op or ''}= {shape(target)} {shape(value)})"
        case tree.Step(_, op, prefix, target):
            return f"({op}{'pre' if prefix else 'post'} {shape(target)})"
        case tree.Member(_, object_, name):
            return f"(. {shape(object_)} {name})"
        case tree.Index(_, object_, index):
            return f"([] {shape(object_)} {shape(index)})"
        case tree.Call(_, function, arguments):
            return f"(call {' '.join(map(shape, (function, *arguments)))})"
        case tree.Construct(_, type_, arguments):
            return f"(new {type_.name} {' '.join(map(shape, arguments))})"
        case tree.Cast(_, type_, operand):
            return f"(cast {type_.name} {shape(operand)})"
        case tree.SizeOf(_, operand):
            return f"(sizeof {operand.name if isinstance(operand, tree.TypeName) else shape(operand)})"
        case tree.Launch(_, kernel, configuration, arguments):
            return f"(launch {kernel.name} [{' '.join(map(shape, configuration))}] {' '.join(map(shape, arguments))})"
        case _:
            raise AssertionError(expr)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a + b * c - d", "(- (+ a (* b c)) d)"),
        ("a = b = c + 1", "(= a (= b (+ c 1)))"),
        ("a += b ? c : d ? e : f", "(+= a (? b c (? d e f)))"),
        (
            "a || b && c | d ^ e & f == g < h << i",
            "(|| a (&& b (| c (^ d (& e (== f (< g (<< h i))))))))".replace("c (^", "c (^"),
        ),
        ("!a.b[1].load()", "(! (call (. ([] (. a b) 1) load)))"),
        ("(void)f(x, &y)", "(cast void (call f x (& y)))"),
        ("i++ + --j", "(+ (++post i) (--pre j))"),
        ("cuda::atomic_ref<int, S>(x).store(1)", "(call (. (new cuda::atomic_ref x) store) 1)"),
        ("k<<<1, dim3(2, 2), 0, s>>>(x, 3)", "(launch k [1 (new dim3 2 2) 0 s] x 3)"),
        ("sizeof(int) + sizeof x", "(+ (sizeof int) (sizeof x))"),
        ("sizeof(x)", "(sizeof x)"),
        ("static_cast<unsigned>(a)", "(cast unsigned a)"),
        ("0x10 + 010 + 0b11 + 1'000u", "(+ (+ (+ 16 8) 3) 1000)"),
        ("a >> b > c", "(> (>> a b) c)"),
        ("unsigned(3)", "(new unsigned 3)"),
        ("p->next->x", "(. (* (. (* p) next)) x)"),
        ("reinterpret_cast<int*>(p)", "(cast int p)"),
        ("a ? b : c = d", "(? a b (= c d))"),
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
        ("switch (x) { case 1: case 2: x = 3; break; default: x = 4; }", tree.Switch),
        ("if constexpr (N == 2) x = 1;", tree.If),
        ("if (int r = f()) x = r;", tree.If),
        ("using T = int*;", tree.Alias),
        ("struct P { int x; } p = {.x = 1};", tree.Declaration),
        ("a = 1, b = 2;", tree.ExprStatement),
        ("for (;;) {}", tree.For),
        ("for (int i = 0; i < 3; i++, j--) x = i;", tree.For),
        ("do x = 1; while (y);", tree.DoWhile),
        ("{ int a = 1, b; }", tree.Block),
        ("volatile bool True = true;", tree.Declaration),
        ("const unsigned long long a{1};", tree.Declaration),
        ("cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);", tree.Declaration),
        ("std::atomic<unsigned int> a(1);", tree.Declaration),
        ("int *p = &x, &r = y;", tree.Declaration),
        ("return;", tree.Return),
        ("return (int)f();", tree.Return),
        (";", tree.Block),
    ],
)
def test_statements(text: str, kind: type) -> None:
    assert isinstance(statement_of(text), kind)


def test_declarations_keep_specifiers_sizes_and_initial_values() -> None:
    (declaration,) = file_of("static __device__ volatile unsigned int a[3] = {1, 2}, *b;").items
    assert isinstance(declaration, tree.Declaration)
    assert declaration.type.name == "unsigned int"
    assert declaration.type.specifiers == ("static", "__device__", "volatile")
    first, second = declaration.declarators
    assert [shape(s) for s in first.sizes] == ["3"]
    assert first.init is not None
    assert first.init.list
    assert [shape(v) for v in first.init.arguments] == ["1", "2"]
    assert second.pointers == 1


def test_functions() -> None:
    kernel, main = file_of(
        "__launch_bounds__(32) __global__ void k(cuda::atomic_ref<int, S> a, int* p, const int& r) {} int main() { return 0; }"
    ).items
    assert isinstance(kernel, tree.Function)
    assert isinstance(main, tree.Function)
    assert kernel.type.specifiers == ("__global__",)
    assert [p.name for p in kernel.parameters] == ["a", "p", "r"]
    assert [p.type.pointers for p in kernel.parameters] == [0, 1, 0]
    assert kernel.parameters[2].type.reference
    assert main.name == "main"


@pytest.mark.parametrize(
    ("code", "declaration"),
    [
        ("using namespace cuda;", "atomic<int, thread_scope_device> a"),
        ("using cuda::atomic;", "atomic<int, cuda::thread_scope_device> a"),
        ("struct atomic { int x; };", "atomic a"),
        ("namespace n { struct atomic { int x; }; } using namespace n;", "atomic a"),
        ("namespace n { struct atomic { int x; }; }", "n::atomic a"),
        ("struct alignas(16) atomic { int x; };", "struct atomic a"),
        ("typedef struct { int x; } atomic;", "atomic a"),
        ("typedef struct atomic { struct atomic* next; } atomic;", "atomic a"),
        ("enum class atomic : int { one, two = 4, };", "atomic a"),
        ("using atomic = int;", "atomic a"),
        ("struct atomic;", "atomic* a"),
        ("struct n { struct atomic { int x; }; atomic y; };", "n::atomic a"),
        ("namespace m = cuda::std; using namespace m;", "atomic<array<int, 2>> a"),
        ("using atomic = cuda::barrier<cuda::thread_scope_block>;", "atomic::arrival_token a"),
    ],
)
def test_names_of_types(code: str, declaration: str) -> None:
    """Directives are read beside code that only clang reads."""
    source = Source("p.cu", f"{code} //@ object {declaration};")
    scanned = scan(source)
    (directive,) = read_directives(source, scanned.directives, scanned.code)
    assert isinstance(directive, tree.ObjectDirective)
    assert [d.name for d in directive.declaration.declarators] == ["a"]
    assert "atomic" in directive.declaration.type.name


def test_the_name_of_a_type_is_one_everywhere() -> None:
    """A member may have it, a variable not: what `(S) - 1` means would be a question of scopes."""
    file_of("struct P { int x; }; __device__ void f(P* p) { p->P = p->P.x; }")
    for text in (
        "struct S { int x; }; __device__ void f() { int S = 1; }",
        "using S = int; int f(int S) { return (S) - 1; }",
    ):
        with pytest.raises(InputError, match=r"SCP005|SCP011"):
            file_of(text)


def test_less_than_is_no_template() -> None:
    assert shape(statement_of("x = a < b && c > (d);").expr) == "(= x (&& (< a b) (> c d)))"  # type: ignore[union-attr]
    assert shape(statement_of("x = std::min(a, b) < c >> 1;").expr) == "(= x (< (call std::min a b) (>> c 1)))"  # type: ignore[union-attr]
    assert shape(statement_of("x = std::min<int>(a, b) >> 1;").expr) == "(= x (>> (call std::min a b) 1))"  # type: ignore[union-attr]


def test_classes() -> None:
    (item,) = file_of("struct Box { int items[2] = {1, 2}, *p; struct { bool b; } in; struct Box* next; ; };").items
    assert isinstance(item, tree.Declaration)
    box = item.type.defined
    assert isinstance(box, tree.Class)
    assert [[d.name for d in m.declarators] for m in box.members] == [["items", "p"], ["in"], ["next"]]
    assert box.members[2].type.name == "Box"


def test_lines_for_the_preprocessor_are_blank() -> None:
    (item,) = file_of("#include <cuda/atomic>\n#pragma once \\\n and so on\n # \n[[maybe_unused]] int a;").items
    assert (item.span.line, item.span.column) == (5, 18)
    with pytest.raises(
        InputError, match=re.escape("2:2: error: `#pragma pack` is outside the modelled subset [SCP012]")
    ):
        file_of("int a;\n #pragma pack(1)\n")


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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("__global void ex4() {}", "1:1: error: `__global` is neither a type nor a specifier [SCP011]"),
        ("int main() { foo x; }", "1:14: error: `foo` is not a type that scopec knows [SCP011]"),
        ('int main() { asm("x"); }', "1:14: error: inline asm is outside the modelled subset [SCP012]"),
        ("int main() { new int; }", "dynamic memory is outside the modelled subset"),
        ("struct A { const = 3; };", "unexpected `=`"),
        ("const main() {}", "a type is missing here"),
        ("int main() { x = ; }", "1:18: error: an expression is missing before `;`"),
        ("int main() {", "1:13: error: the file ends in the middle of a construct"),
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


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("template <typename T> void f(T) {}", "a template"),
        ("struct A { int f() { return 1; } };", "a class with more than data"),
        ("struct A { int x : 3; A(); };", "a class with more than data"),
        ("struct A {}; struct B : A {};", "a class with more than data"),
        ("union U { int a; };", "a class with more than data"),
        ("struct A { static int n; };", "a class with more than data"),
        ("bool operator!(int);", "an operator of its own"),
        ("int main() { auto f = [] { return 1; }; }", "a lambda expression"),
        ("#define N 1", "a line for the preprocessor"),
        ("#include <list>", "a header that scopec does not have"),
    ],
)
def test_what_is_beyond_the_language(text: str, what: str) -> None:
    with pytest.raises(InputError) as raised:
        file_of(text)
    assert f"error: {what} is C++ beyond the scoped language [SCP012]" in str(raised.value)
    assert "leave out `--reader scoped`" in (raised.value.diagnostics[0].help or "")


@pytest.mark.parametrize(
    "text",
    [
        "struct A { int x : 3; };",
        "class A;",
        "int f(int a = 1);",
        "void f(int a, ...);",
        "void f() noexcept;",
        "auto f() -> int;",
        "void f() = delete;",
        "decltype(1) a;",
        "typename T::type a;",
        'extern "C" void f();',
        "int main() { int* p = new (&x) int(1); }",
        "cuda::barrier<cuda::thread_scope_block>::arrival_token t;",
        "int a = cuda::atomic<int>::is_always_lock_free;",
        "int a = __CUDA_ARCH__ \\\n;",
    ],
)
def test_what_only_clang_reads(text: str) -> None:
    with pytest.raises(InputError) as raised:
        file_of(text)
    assert {d.code for d in raised.value.diagnostics} <= {Code.SYNTAX, Code.UNKNOWN_TYPE, Code.OUTSIDE_SUBSET}


def test_directives_name_types_of_any_program() -> None:
    code = "template <class T> struct Pair { T a; }; enum class E { x }; typedef int Int; int T;"
    text = "object Pair<Int> p; expect allowed T == sizeof(E);"
    first, second = read_directives(Source("a.cu", text), text, code)
    assert isinstance(first, tree.ObjectDirective)
    assert first.declaration.type.name == "Pair"
    assert isinstance(second, tree.Expect)
    assert second.formula is not None
    assert shape(second.formula) == "(== T (sizeof E))"


@pytest.mark.parametrize(
    ("statement", "help_"), [('asm("x");', "cuda::atomic_ref"), ("new int;", "declare the object")]
)
def test_what_to_write_instead(statement: str, help_: str) -> None:
    with pytest.raises(InputError) as bad:
        read(Source("p.cu", f"int main() {{ {statement} }}"))
    assert help_ in (bad.value.diagnostics[0].help or "")


def test_what_is_suggested_for_a_name() -> None:
    assert suggestion("clock64", ["calloc", "malloc"]) is None
    assert suggestion("cudaDeviceGetAttribute", ["cudaDeviceReset"]) is None
    assert suggestion("aquire", ["acquire", "release"]) == "did you mean `acquire`?"
    assert suggestion("s", ["k.s", "k.t"]) == "did you mean `k.s`?"


def test_a_misspelt_word_gets_a_suggestion() -> None:
    with pytest.raises(InputError) as raised:
        file_of("__globl__ void k() {}")
    assert raised.value.diagnostics[0].way_out == "did you mean `__global__`?"
