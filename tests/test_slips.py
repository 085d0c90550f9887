"""Slips of those who write their first files: scopec points at the slip («…»), and says what to write there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base import grammars
from scopec.base.diagnostics import InputError
from scopec.frontends.parse import terminal_names
from scopec.session.plan import Overrides, plan

KERNEL = """constexpr int N = 2;
__device__ int data = 0, out = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void k(int* p) {
    CODE
}
"""
END = "//@ launch k<<<N, 1>>>(&out);\n"
C_TEST = "C t\n{ x = 0; }\nP0 (atomic_int* x) {\n  CODE\n}\nFOOTER\n"
OPENCL = "OPENCL t\n{ [x] = 0; }\nP0@wg 0,dev 0 (PARAMETER) {\n  CODE;\n}\nexists (x = 1)\n"
PTX = ".version 8.3\nTARGET\n.address_size 64\n.global .u32 x;\n.visible ENTRY k() {\n  DECLARED;\n  CODE\n}\n"


def directive(text: str) -> str:
    return KERNEL.replace("CODE", "*p = 1;") + END + text + "\n"


def launch(text: str) -> str:
    return KERNEL.replace("CODE", "*p = 1;") + text + "\n//@ expect race_free;\n"


def code(text: str) -> str:
    return KERNEL.replace("CODE", text) + END


def c(text: str, footer: str = "exists (x = 1)") -> str:
    return C_TEST.replace("CODE", text).replace("FOOTER", footer)


def opencl(text: str, parameter: str = "global atomic_int* x") -> str:
    return OPENCL.replace("PARAMETER", parameter).replace("CODE", text)


def ptx(
    declared: str = ".reg .b32 %r<4>", target: str = ".target sm_90", entry: str = ".entry", text: str = "ret;"
) -> str:
    filled = PTX.replace("DECLARED", declared).replace("TARGET", target).replace("ENTRY", entry)
    return filled.replace("CODE", text) + "//@ launch k<<<1, 1>>>();\n"


LAUNCH = "write `launch kernel<<<blocks, threads>>>(arguments);`"
EACH = "write one `expect …;` for each"

#: Both readers say the same of directives.
DIRECTIVES = [
    (directive("//@ expect «race-free»;"), "`race-free` is not something to expect", "did you mean `race_free`?"),
    (directive("//@ expect race_free; «//» fine"), "no comment", "put it on a line of its own"),
    (directive("//@ expect required out «=» 1;"), "unexpected `=`, expected `;`", "did you mean `==`?"),
    (directive("//@ expect required «otu» == 1;"), "there is no global `otu`", "did you mean `out`?"),
    (directive("//@ expect required out == 1 «and» data == 0;"), "unexpected `and`", "did you mean `&&`?"),
    (directive("//@ expect required out == 1 /«\\» data == 0;"), "unexpected `\\`", "did you mean `&&`?"),
    (directive("//@ expect «requires» out == 1;"), "is not something to expect", "did you mean `required`?"),
    (directive("//@ expect race_free «terminates»;"), "expected `;`, `under` or `when`", EACH),
    (directive("//@ expect race_free«,» terminates;"), "expected `;`, `under` or `when`", EACH),
    (directive("//@ expect race_free under «cuad»;"), "there is no memory model `cuad`", "did you mean `cuda`?"),
    (directive("//@ expect race_free when «M» == 1;"), "no", "declare it as `constexpr int M = 1;`"),
    (directive("//@ vary «data» in {1, 2};"), "is not a constexpr", "declare it as `constexpr int data = 1;`"),
    (directive("//@ options thin_air «syntactic»;"), "expected `=`", "write `options thin_air = syntactic;`"),
    (directive("//@ options thin_air =«=» syntactic;"), "expected a value", "did you mean `=`?"),
    (directive("//@ given p2pNativeAtomicSupported«;»"), "`;`, expected `=`", "write `given p2pNativeAtomicSupported = 1;`"),
    (directive("//@ bound unroll = «-»1;"), "unexpected `-`, expected a value", "write `bound unroll = 3;`"),
    (directive("//@ expect required out == 1 || «;»"), "an expression is missing before `;`", "see docs/language.md"),
    (directive("//@ expect race_free«»\n//@ expect terminates;"), "expected `;` before `expect`", "at the end of line 8?"),
    (directive("«// @» expect race_free;"), "begins with `//@`, not with `// @`", "write `//@ expect …;`"),
    (directive("«/*@» expect race_free; */"), "begins with `//@`, not with `/*@`", "write `//@ expect …;`"),
    (code("*p = 1;").replace("    *p = 1;\n}", "    *p = 1;").replace("p) {", "p) «{»"), "this `{` is never", "is a `}` missing?"),
]  # fmt: skip

SCOPED = [
    (launch("//@ launch k«<<»N, 1>>(&out);"), "unexpected `<<`, expected `<<<`", LAUNCH),
    (launch("//@ launch k<<<N, 1>>(&out)«;»"), "unexpected `;`, expected `,` or `>>>`", LAUNCH),
    (launch("//@ launch k«(»&out);"), "unexpected `(`, expected `<<<`", LAUNCH),
    (launch("//@ launch k<<<N, 1>>>(&«otu»);"), "`otu` is not declared", "did you mean `out`?"),
    (launch("//@ launch k<<<N, 1>>>(&out)«»"), "expected `;` before `expect`", "at the end of line 7?"),
    (code("data = 1«»\n    data = 2;"), "expected `;` before `data`", "at the end of line 5?"),
    (code("if (data «=» 0) *p = 1;"), "unexpected `=`, expected `)` or an operator", "did you mean `==`?"),
    (code("if (data == 0) { *p = 1; } «esle» { *p = 2; }"), "unexpected `esle`", "did you mean `else`?"),
    (code("if (data == 0) { *p = 1; }} «else» { *p = 2; }"), "stands outside every function", "is there a `}` too many"),
    (code('printf(«"x"»);'), "a string is outside the scoped language", "if it is C++, clang reads"),
    (code("while (data == 0«;»"), "expected `)`", "if it is C++, clang reads"),
    (code("flag.store(1, «cuda::memory_order_relase»);"), "declared", "did you mean `cuda::memory_order_release`?"),
    (code("*p = 1;").replace("cuda::thread_scope_device", "«cuda::thread_scope_gpu»"), "declared", "block, device, system"),
    (code("*p = 1;").replace("__global__ void", "«__global__ int»"), "a kernel returns nothing", "declare it `void`"),
]  # fmt: skip

CLANG = [
    (launch("//@ launch «k<<N, 1>>(&out);»"), "this is not how a launch is written", LAUNCH),
    (launch("//@ object «__devic__» int o;\n" + END), "unknown type name", "did you mean `__device__`?"),
    (code("*p = 1;").replace("__global__", "«__globl__»"), "unknown type name", "did you mean `__global__`?"),
    (code("if (data == 0) { *p = 1; } «esle» { *p = 2; }"), "undeclared", "did you mean `else`?"),
]

LITMUS = [
    (c("*x = 1«»\n  int r = 2;"), "expected `;` before `int`", "is a `;` missing at the end of line 4?"),
    (c("«itn» r = 1;"), "unexpected `itn`", "did you mean `int`?"),
    (c("*x = 1;", "«exist» (x = 1)"), "unexpected `exist`", "did you mean `exists`?"),
    (c("*x = 1;", "«allowed» (x = 1)"), "unexpected `allowed`", "`exists (…)`, `~exists (…)` or `forall (…)`"),
    (c("*x = 1;", "exists (x = 1)\n«// @» expect race_free;"), "begins with `//@`", "write `//@ expect …;`"),
    (opencl("*x = 1", "«globl» atomic_int* x"), "unexpected `globl`", "did you mean `global`?"),
    (opencl("atomic_store_explicit(x, 1, memory_order_relaxed, «memory_scope_gpu»)"), "scope is wanted", "memory_scope_device, "),
]  # fmt: skip

PTX_FILES = [
    (ptx("«.rg» .b32 %r<4>"), "unexpected `.rg`", "did you mean `.reg`?"),
    (ptx(entry="«.entri»"), "unexpected `.entri`", "did you mean `.entry`?"),
    (ptx(target="«target» sm_90"), "unexpected `target`", "did you mean `.target`?"),
    (ptx(text="bar.sync 0«»\n  ret;"), "expected `;` before `ret`", "is a `;` missing at the end of line 7?"),
    (ptx(text="ret;").replace("}\n", "").replace("k<<<1, 1>>>();\n", "k<<<1, 1>>>();«»"), "end of the file", "is a `}` missing?"),
]  # fmt: skip


@pytest.mark.sampled(24)
@pytest.mark.parametrize(
    ("reader", "suffix", "marked", "message", "way_out"),
    [
        *(("scoped", "cu", *slip) for slip in (*DIRECTIVES, *SCOPED)),
        *(("clang", "cu", *slip) for slip in (*DIRECTIVES, *CLANG)),
        *(("auto", "litmus", *slip) for slip in LITMUS),
        *(("auto", "ptx", *slip) for slip in PTX_FILES),
    ],
)
def test_a_slip_is_shown_where_it_is(
    reader: str, suffix: str, marked: str, message: str, way_out: str, write: Callable[..., Path]
) -> None:
    start, length = marked.index("«"), marked.index("»") - marked.index("«") - 1
    text = re.sub("[«»]", "", marked)
    with pytest.raises(InputError) as raised:
        plan(write(text, f"t.{suffix}"), f"t.{suffix}", Overrides(reader=reader))
    found = raised.value.diagnostics[0]
    line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1) + 1
    assert (message in found.message, way_out in found.way_out) == (True, True), found
    assert (found.span.line, found.span.column) == (line, column), found
    assert length == 0 or found.span.end_column - found.span.column == length, found


@pytest.mark.parametrize("grammar", ["cuda", "litmus", "litmus_c", "ptx"])
def test_no_message_has_the_name_of_a_terminal(grammar: str) -> None:
    parser = grammars.lark_parser(grammar)
    assert {t.name for t in parser.terminals} - set(terminal_names(parser)) <= {"WHITESPACE", "COMMENT"}
