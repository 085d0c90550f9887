"""Litmus files that are not read: the place, the code and the words of each refusal, and ways out."""

from __future__ import annotations

import pytest

from scopec.base.diagnostics import InputError
from tests.test_litmus import litmus_of, problem_of

HEAD = "C t\n{}\nP0 (atomic_int* x, int* y) {\n"
TAIL = "\n}\nexists (x=1)"
PTX_HEAD = "PTX t\n{ x = 0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
PTX_TAIL = "\nexists (x=1)"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ("SCP005", 1, 1, "a litmus file begins with the name of its dialect")),
        ("X86 t\n{}", ("SCP012", 1, 1, "`X86` is not a litmus dialect that scopec reads")),
        ("C t\nP0", ("SCP005", 2, 3, "the file has no initial state")),
        ("C t\n\"never", ("SCP004", 2, 1, "this description is never closed")),
        ("C t\n(* (* *)\n{}", ("SCP004", 2, 1, "this comment is never closed")),
        ("C t\n{ x = 1;", ("SCP004", 2, 1, "this brace is never closed")),
        ("C t\n{}\nexists true", ("SCP001", 2, 3, "the file has no threads")),
        ("C t\n{ x 1; }\nP0(){}", ("SCP005", 2, 5, "unexpected `1`")),
        ("C t\n{ x = 1; x = 2; }\nP0(){}", ("SCP016", 2, 10, "`x` has an initial value already")),
        ("C t\n{ p = &q; }\nP0(){}", ("SCP010", 2, 7, "there is no location `q`")),
        ("C t\n{ int a[1] = {1, 2}; }\nP0(){}", ("SCP015", 2, 14, "2 values for an array of 1")),
        ("C t\n{}\nP0(){}\nP0(){}", ("SCP016", 4, 1, "there are two threads P0")),
        ("C t\n{}\nQ(){}", ("SCP005", 3, 1, "`Q` is not a thread's name")),
        ("C t\n{}\nP0@wg 0, dev 0 (){}", ("SCP026", 3, 4, "threads of the C dialect run on the host")),
        ("OPENCL t\n{}\nP0 (int* x){}", ("SCP026", 3, 1, "P0 does not say on which wg it runs")),
        ("OPENCL t\n{}\nP0@wg 0 (int* x){}", ("SCP026", 3, 1, "P0 does not say on which dev it runs")),
        ("OPENCL t\n{}\nP0@wx 0, dev 0 (int* x){}", ("SCP010", 3, 4, "`wx` is not a level of the hierarchy")),
        (HEAD + "int r = z;" + TAIL, ("SCP010", 4, 9, "`z` is not declared")),
        (HEAD + "int r = 1; { int r = 2; }" + TAIL, ("SCP016", 4, 18, "`r` is declared already in this thread")),
        (HEAD + "x = 1;" + TAIL, ("SCP015", 4, 5, "a pointer is wanted here")),
        (HEAD + "int r = atomic_laod(x);" + TAIL, ("SCP013", 4, 9, "`atomic_laod` is not a function that scopec models")),
        (HEAD + "int r = READ_ONCE(*x);" + TAIL, ("SCP013", 4, 9, "`READ_ONCE` is not a function that scopec models")),
        (HEAD + "atomic_store_explicit(x, 1);" + TAIL, ("SCP014", 4, 1, "`atomic_store_explicit` takes 3 arguments, 2 given")),
        (HEAD + "atomic_store_explicit(x, 1, relaxed);" + TAIL, ("SCP014", 4, 29, "a memory order is wanted here")),
        (HEAD + "atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);" + TAIL,
         ("SCP014", 4, 1, "`atomic_store_explicit` takes 3 arguments, 4 given")),
        (HEAD + "barrier(CLK_GLOBAL_MEM_FENCE);" + TAIL, ("SCP013", 4, 1, "`barrier` is a function of OpenCL C")),
        (HEAD + "int r = x->y;" + TAIL, ("SCP005", 4, 11, "unexpected `>`")),
        (HEAD + "int* p = y; p += 1;" + TAIL, ("SCP012", 4, 13, "stepping a pointer is outside the modelled subset")),
        (HEAD + "int* p = y; p--;" + TAIL, ("SCP012", 4, 13, "stepping a pointer is outside the modelled subset")),
        ("C t\n{ int* q = &x; }\nP0 (int** q, int* x) { *q += 1; }",
         ("SCP012", 3, 24, "stepping a pointer is outside the modelled subset")),
        (HEAD + "break;" + TAIL, ("SCP005", 4, 1, "`break` outside a loop")),
        (HEAD + "float f = 1;" + TAIL, ("SCP005", 4, 7, "unexpected `f`")),
        (HEAD + "int r[2];" + TAIL, ("SCP012", 4, 5, "an array inside a thread is outside the modelled subset")),
        (HEAD + "}\nexists (0:r=1 /\\ z=2)", ("SCP023", 5, 18, "there is no location `z`")),
        (HEAD + "}\nexists (1:r=1)", ("SCP023", 5, 9, "there is no thread P1")),
        (HEAD + "}\nexists (x[1]=1)", ("SCP023", 5, 9, "`x` has elements 0 to 0")),
        (HEAD + "}\nexists (x=1", ("SCP005", 5, 12, "unexpected end of the file")),
        (HEAD + "}\nexists x", ("SCP005", 5, 9, "unexpected end of the file")),
        (HEAD + "}\nfilter true filter true exists true", ("SCP016", 5, 1, "there are two sections `filter`")),
        (HEAD + "}\nlocations [z]", ("SCP023", 5, 12, "there is no location `z`")),
        ("OPENCL t\n{}\nP0@wg 0,dev 0 (global int* x, local int* m) {\n barrier(CLK_LOCAL_MEM_FENCE);\n}",
         ("SCP012", 4, 10, "a fence that leaves out global memory has no counterpart in CUDA C++")),
        ("OPENCL t\n{}\nP0@wg 0,dev 0 (atomic_int* x) {\n atomic_load_explicit(x, memory_order_relaxed, memory_scope_sub_group);\n}",
         ("SCP012", 4, 48, "sub-group scope has no counterpart in CUDA C++")),
        ("OPENCL t\n{}\nP0 (int* x){}\nP1(int* x){}\nscopes: (device (wg P0))",
         ("SCP026", 5, 9, "P1 is not in the scope tree")),
        ("OPENCL t\n{}\nP0 (int* x){}\nscopes: (device (wg P0 P1))", ("SCP010", 4, 24, "there is no thread P1")),
        ("C t\n{ x; 0:p = 3; }\nP0 (int* p){}", ("SCP015", 3, 5, "`p` is a pointer, and begins with 3, which is no address")),
        ("PTX t\n{}\nP0@cta 0 ;\n", ("SCP026", 3, 1, "P0 does not say on which gpu it runs")),
        (PTX_HEAD + "ld.weak r0, x | | st.weak x, 1 ;" + PTX_TAIL, ("SCP005", 4, 19, "this is column 3, and there are 2 threads")),
        (PTX_HEAD + "tex.weak r0, x ;" + PTX_TAIL, ("SCP012", 4, 1, "`tex.weak` is outside the modelled subset of PTX")),
        (PTX_HEAD + "ld.weak.gpu r0, x ;" + PTX_TAIL, ("SCP014", 4, 1, "`ld.weak.gpu`: a weak access has no scope")),
        (PTX_HEAD + "ld.acquire r0, x ;" + PTX_TAIL, ("SCP014", 4, 1, "`ld.acquire` needs a scope")),
        (PTX_HEAD + "ld.release.gpu r0, x ;" + PTX_TAIL, ("SCP014", 4, 1, "`ld.release.gpu`: ld cannot be release")),
        (PTX_HEAD + "ld.acquire.gqu r0, x ;" + PTX_TAIL, ("SCP012", 4, 1, "`.gqu` is outside the modelled subset")),
        (PTX_HEAD + "ld.relaxed.acquire.gpu r0, x ;" + PTX_TAIL, ("SCP014", 4, 1, "`ld.relaxed.acquire.gpu` has two orders")),
        (PTX_HEAD + "atom.relaxed.gpu r0, x, 1 ;" + PTX_TAIL, ("SCP012", 4, 1, "`atom.relaxed.gpu` needs one operation")),
        (PTX_HEAD + "atom.relaxed.gpu.cas r0, x, 1 ;" + PTX_TAIL, ("SCP014", 4, 1, "`atom.relaxed.gpu.cas` takes 4 operands, 3 given")),
        (PTX_HEAD + "ld.weak x, x ;" + PTX_TAIL, ("SCP014", 4, 9, "`x` is a location, and a register is wanted here")),
        (PTX_HEAD + "ld.weak r0, 1 ;" + PTX_TAIL, ("SCP014", 4, 13, "a location is wanted here")),
        (PTX_HEAD + "st.weak 1, x ;" + PTX_TAIL, ("SCP014", 4, 9, "a location is wanted here")),
        (PTX_HEAD + "L: ; L: ;" + PTX_TAIL, ("SCP016", 4, 6, "P0 has two labels `L`")),
        (PTX_HEAD + "goto M ;" + PTX_TAIL, ("SCP010", 4, 6, "P0 has no label `M`")),
        (PTX_HEAD + "bar.warp.sync 0 ;" + PTX_TAIL, ("SCP012", 4, 1, "`bar.warp.sync` is outside the modelled subset of PTX")),
        (PTX_HEAD + "bar.sync 0, 64, 1 ;" + PTX_TAIL, ("SCP014", 4, 1, "`bar.sync` has a label and may have a number of threads")),
        (PTX_HEAD + "barrier.arrive 0 ;" + PTX_TAIL, ("SCP014", 4, 1, "`barrier.arrive` has a label and a number of threads")),
        (PTX_HEAD + "bar.sync 16 ;" + PTX_TAIL, ("SCP014", 4, 10, "a block has the barriers 0 to 15")),
        (PTX_HEAD + "bar.cta.sync 0, 0, 2 ; bar.sync 0 ;" + PTX_TAIL, ("SCP012", 4, 24, "threads that may meet at a barrier give it different counts")),
        (PTX_HEAD + "bar.sync 0, 2 ; bar.arrive 0, 3 ;" + PTX_TAIL, ("SCP012", 4, 17, "threads that may meet at a barrier give it different counts")),
        (PTX_HEAD + "setp.eq.s32 p0, 1, 2 ;" + PTX_TAIL, ("SCP012", 4, 1, "`setp.eq.s32` is outside the modelled subset of PTX")),
        (PTX_HEAD + "ld.relaxed.gpu.u32 r0, x ;" + PTX_TAIL, ("SCP012", 4, 1, "`.u32` is outside the modelled subset")),
        (PTX_HEAD + "ld.weak.v2 {r0, r1}, x ;" + PTX_TAIL, ("SCP014", 4, 22, "`x` has no 2 elements at the offset 0")),
        (PTX_HEAD + "ld.weak r0, [x+8] ;" + PTX_TAIL, ("SCP014", 4, 13, "`x` has no element at the offset 8")),
        (PTX_HEAD + "ld.weak r0, [x+4] ;" + PTX_TAIL, ("SCP014", 4, 13, "`x` has no element at the offset 4")),
        (PTX_HEAD + "ld.weak r0, x[1] ;" + PTX_TAIL, ("SCP014", 4, 13, "`x` has no element at the offset 8")),
        (PTX_HEAD + "ld.weak r0, x[r1] ;" + PTX_TAIL, ("SCP014", 4, 13, "`x[…]` is no element of a location at a number")),
        (PTX_HEAD + "ld.weak r0, [240] ;" + PTX_TAIL, ("SCP014", 4, 13, "a location is wanted here")),
        (PTX_HEAD.replace("x = 0", "int x[4]") + "ld.weak.v2 {r0, r1}, [x+4] ;" + PTX_TAIL, ("SCP014", 4, 22, "`x` has no 2 elements at the offset 4")),
        (PTX_HEAD.replace("x = 0", "int x[4]") + "ld.weak.v2 {r0, r0}, x ;" + PTX_TAIL, ("SCP014", 4, 12, "a register gets two elements")),
        (PTX_HEAD + "ld.weak {r0, r1}, x ;" + PTX_TAIL, ("SCP014", 4, 9, "one of them is wanted here")),
        (PTX_HEAD + "st.weak.v2 x, 1 ;" + PTX_TAIL, ("SCP014", 4, 15, "2 of them are wanted here")),
        (PTX_HEAD + "st.weak.v2 x, {1, 2, 3} ;" + PTX_TAIL, ("SCP014", 4, 15, "2 of them are wanted here")),
        (PTX_HEAD + "red.add.gpu.v2 x, {1, 2} ;" + PTX_TAIL, ("SCP012", 4, 1, "`red.add.gpu.v2` is outside the modelled subset of PTX")),
        (PTX_HEAD + "bar.cta.sync ;" + PTX_TAIL, ("SCP014", 4, 1, "a barrier has a label, and may have an identity and a count")),
        (PTX_HEAD + ";\nexists (0:x=1)", ("SCP023", 5, 9, "`x` is a location, not a register of P0")),
    ],
)  # fmt: skip
def test_what_is_not_in_the_language(text: str, wanted: tuple[str, int, int, str]) -> None:
    code, line, column, message = problem_of(text)
    assert (code, line, column) == wanted[:3], message
    assert message.startswith(wanted[3])


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        (HEAD + "*y = 1\n" + TAIL, "is a `;` missing at the end of line 4?"),
        (PTX_HEAD + "st.weak x, 1 | st.weak x, 3\nst.weak x, 2 | ;" + PTX_TAIL, "is a `;` missing at the end of line 4?"),
        (PTX_HEAD + "st.weak x, 1 |\nst.weak x, 2 | ;" + PTX_TAIL, "name the thread in the first row, or end the row before with `;`"),
        (PTX_HEAD + ";\nexist (x=1)", "did you mean `exists`?"),
        (PTX_HEAD + ";\nexists (x=1 and x=2)", "did you mean `/\\`?"),
        (PTX_HEAD + ";\nexists (x=1)\nexists (x=2)", "a file has one final clause: join two with `/\\` or `\\/`"),
        (HEAD + "goto L;" + TAIL, "`goto` is outside the modelled subset"),
        (HEAD + "WRITE_ONCE(*y, 1);" + TAIL, "the Linux kernel's functions are outside the modelled subset: use those of <stdatomic.h>"),
        (HEAD + "atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);" + TAIL, "C has no scopes: begin the file with OPENCL"),
        ("OPENCL t\n{}\nP0@wg 0,dev 0 (atomic_int* x) {\n atomic_load_explicit(x, memory_scope_device, memory_order_relaxed);\n}", "orders come before the scope"),
        ("OPENCL t\n{}\nP0@wg 0,dev 0 (int* x) {\n barrier();\n}", "flags are CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE"),
        ("C t\nGenerator=diy\nP0 (int* x) { *x = 1; }\nexists (x=1)", "write `{ x = 0; }` before the program, or `{}`"),
    ],
)  # fmt: skip
def test_ways_out(text: str, way_out: str) -> None:
    with pytest.raises(InputError) as raised:
        litmus_of(text)
    assert raised.value.diagnostics[0].way_out == way_out
