"""The shape of syntax trees: not only that texts are accepted, but what they become."""

from __future__ import annotations

import pytest

from scopec.base.diagnostics import InputError, suggestion
from scopec.base.source import Source
from scopec.frontends.scoped.syntax import tree
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
        ("0x10 + 010 + 0b11 + 1'000u + 'a'", "(+ (+ (+ (+ 16 8) 3) 1000) 97)"),
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
        ("for (auto& t : threads) t.join();", tree.RangeFor),
        ("if constexpr (N == 2) x = 1;", tree.If),
        ("if (int r = f()) x = r;", tree.If),
        ("using T = int*;", tree.Alias),
        ('static_assert(sizeof(int) == 4, "four");', tree.StaticAssert),
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
    "text",
    [
        "using namespace cuda; __device__ atomic<int, thread_scope_device> a;",
        "using cuda::atomic; __device__ atomic<int, cuda::thread_scope_device> a;",
        "struct atomic { int x; }; __device__ atomic a;",
        "namespace n { struct atomic { int x; }; } using namespace n; __device__ atomic a;",
        "namespace n { struct atomic { int x; }; __device__ atomic a; }",
        "template <typename T> struct atomic { T x; }; __device__ atomic<atomic<int>> a;",
        "typedef struct { int x; } atomic; __device__ atomic a;",
        "typedef struct atomic { struct atomic* next; } atomic; __device__ atomic a;",
        "enum class atomic : int { one, two = 4, }; __device__ atomic a;",
        "using atomic = int; __device__ atomic a;",
        "struct atomic; __device__ atomic* a;",
        "struct n { struct atomic { int x; }; atomic y; }; __device__ n::atomic a;",
        "template <class atomic> struct n { atomic x; template <int N> __device__ int f() { atomic a; return N; } };",
    ],
)
def test_names_of_types(text: str) -> None:
    found: list[tree.Declaration] = []

    def declarations(item: object) -> None:
        match item:
            case tree.Declaration(type=tree.TypeName(defined=tree.Class(members=members))):
                for member in members:
                    declarations(member)
            case tree.Declaration():
                found.append(item)
            case tree.Namespace(items=items):
                for inner in items:
                    declarations(inner)
            case tree.Template(declared=declared):
                declarations(declared)
            case tree.Function(body=body):
                for statement in body.statements:
                    declarations(statement)
            case _:
                pass

    for item in file_of(text).items:
        declarations(item)
    (declared,) = [d for d in found if any(one.name == "a" for one in d.declarators)]
    assert declared.type.name.removeprefix("n::") == "atomic"


def test_a_variable_hides_a_type_of_its_name() -> None:
    file_of("using namespace cuda; __device__ void f(int latch, atomic<int>& barrier) { latch = 1; barrier = 2; }")
    file_of("struct S { int x; }; __device__ void f() { int S = 1; S = 2; } __device__ S s;")


def test_less_than_is_no_template() -> None:
    assert shape(statement_of("x = a < b && c > (d);").expr) == "(= x (&& (< a b) (> c d)))"  # type: ignore[union-attr]
    file_of("template <int N> __device__ int f(int f2) { return f2 < N; } __device__ int g(int f) { return f < 2; }")


def test_classes() -> None:
    (item,) = file_of(
        """
        template <typename T, int N = 2> struct alignas(16) Box {
            T items[N] = {1, 2}; static constexpr int size = N; using item = T;
            __device__ Box(int n) : items{n}, last(n) { last++; }
            Box(const Box&) = delete;
            __device__ ~Box() {}
            __device__ T& get(int i = 0) const { return items[i]; }
        private:
            int last = 0;
        };
        """
    ).items
    assert isinstance(item, tree.Template)
    assert [(p.name, p.type.name if p.type else None) for p in item.parameters] == [("T", None), ("N", "int")]
    assert isinstance(item.declared, tree.Declaration)
    box = item.declared.type.defined
    assert isinstance(box, tree.Class)
    assert [type(m).__name__ for m in box.members] == [
        "Declaration", "Declaration", "Alias", "Function", "Prototype", "Function", "Function", "Declaration",
    ]  # fmt: skip
    constructor, destructor, get = box.members[3], box.members[5], box.members[6]
    assert isinstance(constructor, tree.Function)
    assert [name.name for name, _ in constructor.initialisers] == ["items", "last"]
    assert isinstance(destructor, tree.Function)
    assert destructor.name == "~Box"
    assert isinstance(get, tree.Function)
    assert get.type.reference
    assert get.parameters[0].default is not None


def test_lambdas_launches_and_templates() -> None:
    statement = statement_of("std::thread t([&, n, m = 2](int a) { n++; }, 3);")
    assert isinstance(statement, tree.Declaration)
    assert statement.declarators[0].init is not None
    written = statement.declarators[0].init.arguments[0]
    assert isinstance(written, tree.Lambda)
    assert (written.default, written.by_reference, [n for n, _ in written.by_value]) == ("&", (), ["n", "m"])
    (_, main) = file_of(
        "template <int N, typename T> __global__ void k(T* p) {} int main() { k<2, int><<<1, 2>>>(0); }"
    ).items
    assert isinstance(main, tree.Function)
    launch = main.body.statements[0].expr  # type: ignore[union-attr]
    assert isinstance(launch, tree.Launch)
    assert launch.kernel.arguments is not None
    assert len(launch.kernel.arguments) == 2


def test_spans_of_macros_are_those_of_their_use() -> None:
    function = file_of("#define SET(a, b) do { a = b; } while (0)\nint main() {\n  SET(x, y + 1);\n}").items[0]
    assert isinstance(function, tree.Function)
    loop = function.body.statements[0]
    assert isinstance(loop, tree.DoWhile)
    assert (loop.span.line, loop.span.column, loop.span.end_column) == (3, 3, 17)
    value = loop.body.statements[0].expr.value  # type: ignore[union-attr]
    assert (value.span.line, value.span.column, value.span.end_column) == (3, 10, 15)


def test_code_for_the_host_is_kept_apart_where_it_differs() -> None:
    file = file_of("#ifdef __CUDA_ARCH__\nint a;\n#else\nint b;\n#endif")
    assert file.host_items is not None
    names = [item.declarators[0].name for items in (file.items, file.host_items) for item in items]  # type: ignore[union-attr]
    assert names == ["a", "b"]
    assert file_of("int a;").host_items is None


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
        ("struct A {}; struct B : A {};", "1:25: error: inheritance is outside the modelled subset"),
        ("union U { int a; };", "unions are outside the modelled subset"),
        ("struct A { int x : 3; };", "bit-fields are outside the modelled subset"),
        ("struct A { virtual void f() {} };", "virtual functions are outside the modelled subset"),
        ("template <typename... T> void f() {}", "parameter packs are outside the modelled subset"),
        ("int main() { new int; }", "dynamic memory is outside the modelled subset"),
        ("void f(int a, ...) {}", "functions with any number of arguments are outside the modelled subset"),
        ("struct A { static = 3; };", "unexpected `=`"),
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


@pytest.mark.parametrize(("statement", "help_"), [('asm("x");', "cuda::atomic_ref"), ("new int;", "new (p) T(…)")])
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
