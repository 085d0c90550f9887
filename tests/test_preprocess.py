"""Macros and conditionals, and the places that the result comes from."""

from __future__ import annotations

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.scoped.syntax.preprocess import preprocess


def expanded(text: str, *, device: bool = True) -> str:
    """The text after preprocessing, white space squeezed."""
    return " ".join(preprocess(Source("a.cu", text), text, device=device).text.split())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("#define N 4\nint a[N];", "int a[ 4];"),
        ("#define N M\n#define M 2\nint a = N;", "int a = 2;"),
        ("#define F(x, y) x + y * 2\nF(1, (a, b))", "1 + ( a , b ) * 2"),
        ("#define F() 1\nF() F", "1 F"),
        ("#define F(x) [x]\nF\n(a\n, b) F()".replace("a\n, b", "a"), "[ a ] [ ]"),
        ("#define X X + 1\nX", "X + 1"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define F(x) F(x + 1)\nF(F(2))", "F ( F ( 2 + 1 ) + 1 )"),
        ('#define S(x) #x\n#define T(x) S(x)\n#define N 3\nS(N "a\\n") T(N)', r'"N \"a\\n\"" "3"'),
        ("#define C(a, b) a##b\n#define D(a, b) C(a, b)\n#define N 1\nC(x, N) D(x, N) C(, y)", "xN x1 y"),
        ("#define L(fmt, ...) printf(fmt, __VA_ARGS__)\nL(1, 2, 3)", "printf ( 1 , 2 , 3 )"),
        ("#define N 1\n#undef N\nN", "N"),
        ("#define LONG a \\\n b\nLONG;", "a b;"),
        ("#include <x>\n#pragma once\n# \nint a;", "int a;"),
        ("__LINE__\n__LINE__ __FILE__", '1 2 "a.cu"'),
        ("#define H() __LINE__\n\nH()", "3"),
        ("#define f(x) x\n#define g f(\ng 1)", "1"),
        ("EXIT_FAILURE NULL", "1 nullptr"),
    ],
)
def test_macros(text: str, wanted: str) -> None:
    assert expanded(text) == wanted


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        ("#if 1", True),
        ("#if 0x10 == 16 && !0 || 1 / 0", True),
        ("#if 1 ? 0 : 1", False),
        ("#if UNKNOWN", False),
        ("#if defined(N) && defined M", True),
        ("#if N > 3 && (N << 1) == 8 && N % 3 == 1", True),
        ("#if -1 < 0 && ~0 == -1 && +1", True),
        ("#ifdef N", True),
        ("#ifndef N", False),
        ("#if 0\n#elif N == 4", True),
        ("#if 1\n#elif 1", False),
        ("#if 0\n#if 1\n#endif\n#else", True),
        ("#if __CUDA_ARCH__ >= 700", True),
        ("#if __cplusplus >= 201703L && __has_include(<cuda/atomic>)", True),
        ("#if 0\n#elifdef N", True),
        ("#if 017 == 15 && 1'000u == 1000", True),
    ],
)
def test_conditions(condition: str, truth: bool) -> None:
    text = f"#define N 4\n#define M\n{condition}\nyes\n#endif\nend"
    assert expanded(text) == ("yes end" if truth else "end")


def test_code_for_the_host_does_not_see_the_architecture() -> None:
    text = "#ifdef __CUDA_ARCH__\ndevice\n#else\nhost\n#endif"
    assert (expanded(text, device=True), expanded(text, device=False)) == ("device", "host")


def test_every_character_comes_from_somewhere() -> None:
    text = "#define F(x) g(x, x)\nint a = F(b + 1); int c;\n"
    done = preprocess(Source("a.cu", text), text, device=True)

    def origin(word: str, number: int = 0) -> str:
        at = -1
        for _ in range(number + 1):
            at = done.text.index(word, at + 1)
        start, end = done.place(at, at + len(word))
        return text[start:end]

    assert origin("int a") == "int a"
    assert origin("g") == "F(b + 1)"
    assert origin("b") == origin("b", 1) == "b"
    assert origin("int c;") == "int c;"
    assert done.text.index("\n") == text.index("\n")


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("#if 1\nint a;", "SCP004", "this conditional is never closed"),
        ("#endif", "SCP005", "#endif without #if"),
        ("#if 1\n#else\n#else\n#endif", "SCP005", "#else after #else"),
        ("#if\n#endif", "SCP005", "#if without a condition"),
        ("#if (1\n#endif", "SCP005", "this condition lacks a `)`"),
        ("#if 1 2\n#endif", "SCP005", "this condition has a superfluous `2`"),
        ("#if 1 +\n#endif", "SCP005", "this condition is not finished"),
        ("#if F(1)\n#endif", "SCP005", "this condition calls `F`, which is no macro"),
        ("#define F(x) x\nF(1, 2)", "SCP014", "the macro `F` takes 1 arguments, 2 given"),
        ("#define F(1) x", "SCP005", "`1` is not a macro parameter"),
        ("#define F(x", "SCP005", "the parameters of this macro are not closed"),
        ("#define", "SCP005", "#define wants a macro's name"),
        ("#error use a newer compiler", "SCP012", "#error use a newer compiler"),
        ("#frobnicate x", "SCP012", "`#frobnicate` is not a preprocessor directive that scopec knows"),
    ],
)
def test_errors(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        expanded(text)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code.id, diagnostic.message) == (code, message)


def test_macros_that_grow_without_bounds_are_stopped() -> None:
    text = "\n".join(f"#define A{i} A{i + 1} A{i + 1}" for i in range(30)) + "\nA0"
    with pytest.raises(InputError, match="expands without bounds"):
        expanded(text)
