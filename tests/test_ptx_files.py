"""Files of PTX: launches, parameters, memory, calls and places; what nvcc makes of a program answers as its source."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.ptx import forms
from scopec.frontends.ptx.names import plain
from scopec.frontends.ptx.syntax import read
from scopec.program import ir
from scopec.program.program import Program
from scopec.session.changes import included
from scopec.session.check import Settings, check
from scopec.session.final_states import listings
from scopec.session.plan import Overrides, plan

SPECS = Path(__file__).parent.parent / "specs" / "ptx-files"
Write = Callable[..., Path]
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


def program(path: Path) -> Program:
    (run,) = plan(path, path.name, Overrides()).runs
    return run.program


def finals(path: Path, *names: str) -> set[tuple[int, ...]]:
    """The values that objects end with."""
    settings = Settings(overrides=Overrides(), engine="embedded", cache=False, timeout=60)
    (listing,) = listings(path, settings, 1000)[0]
    assert listing.unfinished == ()
    return {tuple(state.values.get(name, 0) for name in names) for state in listing.states}


def answers(path: Path) -> list[tuple[str, str]]:
    """What a file expects, and the verdicts."""
    (outcome,) = check([path], Settings(engine="embedded", cache=False, timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    return [(c.expectation.text, c.verdict) for report in outcome.reports for c in report.checks]


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        plan(path, path.name, Overrides())
    (wrong, *_) = caught.value.diagnostics
    return f"{wrong.span.line}: {wrong.message}"


def kernel(body: str, parameters: str = "", around: str = "", limits: str = "") -> str:
    return f"{HEAD}{around}\n.visible .entry k({parameters}) {limits}\n{{\n{body}\nret;\n}}\n"


# ---------------------------------------------------------------- addresses and constants, as ptxas takes them

ADDRESSES = """
.reg .b64 %rd<3>; .reg .b32 %r<3>; .shared .align 4 .u32 S[4+4];
ld.param.u64 %rd0, [k_0+0]; mov.u32 %r1, 2;
"""
TAKEN = {
    "ld.global.u32 %r0, [A+4*(1+2)];": 30,
    "ld.global.u32 %r0, [A+4+4];": 20,
    "ld.global.u32 %r0, A[1];": 10,
    "ld.global.u32 %r0, A[%r1];": 20,
    "ld.global.u32 %r0, A[%r1+1];": 30,
    "mov.u64 %rd1, A[3]; ld.global.u32 %r0, [%rd1];": 30,
    "mov.u64 %rd1, A+4+4; ld.global.u32 %r0, [%rd1+-4];": 10,
    "mov.u64 %rd1, A; ld.global.u32 %r0, [%rd1+16-4];": 30,
    "ld.global.u64 %rd1, [P]; ld.u32 %r0, [%rd1];": 20,
    "ld.global.u64 %rd1, [G]; ld.global.u32 %r0, [%rd1];": 30,
    "st.shared.u32 [S+4*7], -5 % 3; ld.shared.u32 %r0, S[7];": 2,
    "add.u32 %r0, %r1, WARP_SZ-1;": 33,
}
ARRAY = ".global .align 4 .u32 A[2*2] = {0, 5*2, 20, (3>2)?30:1}; .global .align 8 .u64 P = generic(A)+8, G = A+12;"


@pytest.mark.parametrize("code", TAKEN)
def test_an_address_is_a_variable_or_register_and_a_constant(code: str, write: Write) -> None:
    body = f"{ADDRESSES}{code} cvta.to.global.u64 %rd0, %rd0; st.global.u32 [%rd0], %r0;"
    around = "".join(f"{part};\n" for part in ARRAY.replace(", G", "; .global .align 8 .u64 G").split("; "))
    text = kernel(body, ".param .u64 k_0", around.replace(";;", ";"))
    text += "//@ object __device__ unsigned out;\n//@ launch k<<<1, 1>>>(&out);\n//@ expect race_free;\n"
    assert finals(write(text, "t.ptx"), "out") == {(TAKEN[code],)}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ld.global.u32 %r0, [240];", "an address that is a number"),
        ("ld.global.u32 %r0, %rd0[1];", "`%rd0` is no array"),
        ("atom.global.add.u32 %r0, A[1], 1;", "an address is wanted here"),
        ("ld.global.u32 %r0, [B+4];", "there is no `B`"),
        ("ld.global.u32 %r0, [A+1.5];", "an integer is wanted here"),
        ("mov.u32 %r0, 7/0;", "a constant is divided by zero"),
        ("mov.u32 %r0, (.u32)7;", "a constant is no `.u32`"),
    ],
)
def test_what_is_no_address_or_constant_is_refused(code: str, message: str, write: Write) -> None:
    text = kernel(f"{ADDRESSES}\n{code}", ".param .u64 k_0", ".global .u32 A[2];\n")
    text += "//@ object __device__ unsigned out;\n//@ launch k<<<1, 1>>>(&out);\n//@ expect race_free;\n"
    assert message in refused(write(text, "t.ptx"))


@pytest.mark.parametrize(
    ("text", "value"),
    [  # as ptxas says in "Barrier number '1002' out of range" of `bar.sync 1000+(-5 % 3);`
        ("-5 % 3", 2), ("-5 / 2", -2), ("-5 >> 1", -3), ("-5 < 3U", 0), ("(5 - 7U) >> 60", 15), ("~0 >> 60", 15),
        ("(-1 & -1) >> 60", -1), ("017", 15), ("(1 ? -1 : 1U) >> 60", -1), ("0xffffffffffffffff >> 60", 15),
        ("0x8000000000000000 >> 60", 8), ("-7 % 3U", 0), ("2+3*4-1", 13), ("1|2==2", 1), ("(-1|0) < 0", 1),
        ("1 << 65", 2), ("-1 >> 65", -1), ("1?2:0?3:4", 2), ("!5 + 1", 1), ("5/2*2", 4), ("3 & 1 == 1", 1),
        ("1<<2+1", 8), ("(.u64)-1 >> 60", 15), ("8 - 3 - 2", 3), ("-1 == 0xffffffffffffffff", 1),
        ("-1 < 0x8000000000000000", 0), ("3 > 2 > 1", 0), ("1.5 < 2.5", 1), ("0f3F800000 == 1.0", 1), ("0b101U", 5),
    ],
)  # fmt: skip
def test_constants_are_computed_as_ptxas_does(text: str, value: int) -> None:
    found, shifted = (read(Source("t", f"mov.u64 %rd0, {one};")).items[0] for one in (text, f"({text})"))
    for item in (found, shifted):
        assert isinstance(item, forms.Instruction)
        number = item.operands[1]
        assert isinstance(number, forms.Number)
        assert number.value == value


# ---------------------------------------------------------------- what a kernel gets, and where it writes

SCALARS = ".param .u64 k_0, .param .u32 k_1, .param .u16 k_2, .param .u8 k_3"
READ = """
.reg .b64 %rd<3>; .reg .b32 %r<5>; .reg .b16 %rs<3>;
ld.param.u64 %rd0, [k_0]; cvta.to.global.u64 %rd1, %rd0;
ld.param.u32 %r0, [k_1]; ld.param.u16 %rs0, [k_2]; ld.param.s8 %rs1, [k_3];
cvt.s32.s16 %r1, %rs0; cvt.s32.s16 %r2, %rs1;
st.global.u32 [%rd1], %r0; st.global.u32 [%rd1+4], %r1; st.global.u32 [%rd1+8], %r2;
"""
RESULT = "//@ object __device__ int out[3];\n"


def test_parameters_are_those_of_the_launch(write: Write) -> None:
    text = kernel(READ, SCALARS) + RESULT + "//@ launch k<<<1, 1>>>(out, 70000, 7, 200);\n//@ expect race_free;\n"
    assert finals(write(text, "t.ptx"), "out[0]", "out[1]", "out[2]") == {(70000, 7, -56)}


STRUCT = """
.reg .b64 %rd<3>; .reg .b32 %r<3>;
ld.param.u64 %rd0, [k_0]; ld.param.u32 %r0, [k_0+8]; ld.param.u32 %r1, [k_0+12];
st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r1;
"""


def test_a_structure_is_bytes_whose_parts_have_offsets(write: Write) -> None:
    text = kernel(STRUCT, ".param .align 8 .b8 k_0[16]") + RESULT
    text += "//@ object struct P { int* to; int a; struct { int b; } in; };\n"
    text += "//@ launch k<<<1, 1>>>(P{out + 1, 5, {6}});\n//@ expect race_free;\n"
    assert finals(write(text, "t.ptx"), "out[0]", "out[1]", "out[2]") == {(0, 5, 6)}


def test_what_nobody_reads_at_the_end_need_not_be_given(write: Write) -> None:
    text = kernel("", ".param .u64 k_0, .param .u64 k_1") + "//@ launch k<<<1, 1>>>();\n//@ expect terminates;\n"
    assert answers(write(text, "t.ptx")) == [("terminates", "holds")]
    text = kernel(READ, SCALARS) + RESULT + "//@ launch k<<<1, 1>>>(out);\n//@ expect race_free;\n"
    assert "too few arguments" in refused(write(text, "t.ptx"))


@pytest.mark.parametrize(
    ("declared", "first", "second"),
    [
        (".global .align 4 .u32 g = 5;", "g", "g"),
        (".global .align 4 .b8 g[8] = {5, 0, 0, 0, 255, 255, 255, 255};", "g", "g+4"),
        (".const .align 4 .u32 g[2] = {5, 6};", "g", "g+4"),
        (".global .align 4 .u32 h = 7;\n.global .align 8 .u64 g = generic(h);", "h", "h"),
    ],
)
def test_memory_of_the_file_has_its_values(declared: str, first: str, second: str, write: Write) -> None:
    wanted = {"g = 5": (5, 5), "g[8]": (5, -1), ".const": (5, 6), "generic": (7, 7)}
    body = f"""
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [k_0];
    ld.u32 %r0, [{first}]; ld.u32 %r1, [{second}]; st.u32 [%rd0], %r0; st.u32 [%rd0+4], %r1;
    """
    text = kernel(body, ".param .u64 k_0", declared) + RESULT + "//@ launch k<<<1, 1>>>(out);\n//@ expect race_free;\n"
    expected = next(values for part, values in wanted.items() if part in declared)
    assert finals(write(text, "t.ptx"), "out[0]", "out[1]") == {expected}


def test_the_address_of_a_part_of_a_variable(write: Write) -> None:
    body = """
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [k_0]; mov.u64 %rd1, g+4; ld.global.u32 %r0, [%rd1]; st.u32 [%rd0], %r0;
    """
    text = kernel(body, ".param .u64 k_0", ".global .align 4 .u32 g[2] = {5, 6};") + RESULT
    assert finals(write(text + "//@ launch k<<<1, 1>>>(out);\n//@ expect race_free;\n", "t.ptx"), "out[0]") == {(6,)}


@pytest.mark.parametrize(("first", "verdict"), [("_", "holds"), ("%r0", "violated")])
def test_what_nobody_wants_of_a_vector_is_not_read(first: str, verdict: str, write: Write) -> None:
    body = f"""
    .reg .pred %p0; .reg .b32 %r<2>;
    mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;
    @%p0 st.global.u32 [g], 1;
    @!%p0 ld.global.v8.b32 {{{first}, %r1, %r1, %r1, %r1, %r1, %r1, %r1}}, [g];
    """
    text = kernel(body, "", ".global .align 32 .u32 g[8];")
    path = write(text + "//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n", "t.ptx")
    assert answers(path) == [("race_free", verdict)]


def test_bytes_are_numbers_of_the_size_that_the_code_accesses(write: Write) -> None:
    body = "st.global.u16 [g], 1; st.global.u16 [g+6], 2; st.global.u32 [h], 3;"
    text = kernel(body, "", ".global .align 8 .b8 g[8];\n.global .align 4 .b8 h[4];")
    objects = program(write(text + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n", "t.ptx")).objects
    assert {name: (o.type.bits, len(o.values) if o.array else None) for name, o in objects.items()} == {
        "g": (16, 4),
        "h": (16, 2),
    }
    wide = ".reg .b128 %rq<1>; mov.b128 %rq0, {1, 2}; st.relaxed.gpu"
    for body, size in (
        ("st.global.u64 [g], 1;", 8),
        (f"{wide}.global.b128 [g], %rq0;", 16),
        (f"{wide}.b128 [g], %rq0;", 16),
    ):
        text = kernel(body, "", f".global .align {size} .b8 g[{size}];")
        path = write(text + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n", "t.ptx")
        assert {name: (o.type.bits, o.array) for name, o in program(path).objects.items()} == {"g": (8 * size, False)}
    assert finals(path, "g") == {(2 << 64 | 1,)}


SHARED = """
.reg .b32 %r<5>; .reg .b64 %rd<2>;
.shared .align 4 .b8 tile[8];
mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;
st.shared.u32 [%r2], %r0;
SYNC
setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE;
ld.shared.u32 %r3, [tile+4]; ld.param.u64 %rd0, [k_0]; st.global.u32 [%rd0], %r3;
DONE:
"""


@pytest.mark.parametrize(("sync", "verdict"), [("bar.sync 0;", "holds"), ("", "violated")])
def test_shared_memory_of_a_kernel(sync: str, verdict: str, write: Write) -> None:
    text = kernel(".reg .pred %p<1>;" + SHARED.replace("SYNC", sync), ".param .u64 k_0")
    path = write(text + RESULT + "//@ launch k<<<1, 2>>>(out);\n//@ expect race_free;\n", "t.ptx")
    assert answers(path) == [("race_free", verdict)]
    assert program(path).objects["k.tile"].storage is ir.Storage.SHARED


def test_shared_memory_as_long_as_the_launch_says(write: Write) -> None:
    body = ".reg .b32 %r<3>;\nmov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, buffer; add.u32 %r2, %r2, %r1;"
    text = kernel(body + "st.shared.u32 [%r2], 1;", "", ".extern .shared .align 16 .b8 buffer[];")
    path = write(text + "//@ launch k<<<1, 2, 8>>>();\n//@ expect race_free;\n", "t.ptx")
    assert program(path).objects["k.buffer"].values == (None, None)
    assert answers(path) == [("race_free", "holds")]
    short = write(text + "//@ launch k<<<1, 2, 4>>>();\n//@ expect race_free;\n", "t.ptx")
    assert answers(short) != [("race_free", "holds")]


LOCALS = """
.local .align 8 .b8 depot[8];
.reg .b64 %rd<4>; .reg .b32 %r<3>;
mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
st.local.u32 [%rd0+4], 9; ld.u32 %r0, [%rd1+4];
{
.param .b32 given; .param .align 4 .b8 pair[8]; .param .b32 result;
st.param.b32 [given+0], %r0; st.param.b32 [pair], 100; st.param.b32 [pair+4], 1000;
call.uni (result), sum, (given, pair);
ld.param.b32 %r1, [result+0];
}
ld.param.u64 %rd2, [k_0]; st.global.u32 [%rd2], %r1;
"""
SUM = """
.func (.param .b32 sum_result) sum(.param .b32 sum_0, .param .align 4 .b8 sum_1[8])
{
    .reg .b32 %r<4>;
    ld.param.u32 %r0, [sum_0]; ld.param.u32 %r1, [sum_1]; ld.param.u32 %r2, [sum_1+4];
    add.s32 %r0, %r0, %r1; add.s32 %r0, %r0, %r2;
    st.param.b32 [sum_result+0], %r0;
    ret;
}
"""


def test_local_memory_and_calls(write: Write) -> None:
    text = kernel(LOCALS, ".param .u64 k_0", SUM) + RESULT + "//@ launch k<<<1, 1>>>(out);\n//@ expect race_free;\n"
    assert finals(write(text, "t.ptx"), "out[0]") == {(1109,)}


POINTERS = """
.local .align 16 .b8 depot[16];
.reg .b64 %rd<5>; .reg .b32 %r<2>; .reg .pred %p<2>;
mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
st.local.u32 [%rd0+8], 5; st.local.u32 [%rd0+12], 7;
add.s64 %rd2, %rd1, 8; or.b64 %rd3, %rd2, 4; ld.u32 %r0, [%rd3];
setp.ne.s64 %p0, %rd3, 0; setp.eq.s64 %p1, %rd3, 0;
ld.param.u64 %rd4, [k_0];
@%p0 st.global.u32 [%rd4], %r0;
@%p1 st.global.u32 [%rd4], 1;
"""


def test_addresses_of_local_memory_are_not_null_and_have_free_bits(write: Write) -> None:
    text = kernel(POINTERS, ".param .u64 k_0") + RESULT + "//@ launch k<<<1, 1>>>(out);\n//@ expect race_free;\n"
    assert finals(write(text, "t.ptx"), "out[0]") == {(7,)}
    taken = write(text.replace("or.b64 %rd3, %rd2, 4", "or.b64 %rd3, %rd2, 8"), "t.ptx")
    assert "an address as a number is" in refused(taken)


ASSERTION = """
.reg .b64 %rd<1>; .reg .pred %p<1>; .reg .b32 %r<1>;
ld.global.u32 %r0, [x]; setp.eq.s32 %p0, %r0, 0; @%p0 bra FINE;
{ .param .b64 p0; mov.u64 %rd0, $text$1; st.param.b64 [p0], %rd0; call.uni __assertfail, (p0); }
FINE:
"""


@pytest.mark.parametrize(("value", "verdict"), [(0, ["holds"]), (1, ["violated"])])
def test_an_assertion(value: int, verdict: list[str], write: Write) -> None:
    around = f".global .align 4 .u32 x = {value};\n.global .align 1 .b8 $text$1[4] = {{120, 61, 48, 0}};"
    text = kernel(ASSERTION, "", around) + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    path = write(text, "t.ptx")
    assert [v for text, v in answers(path) if text != "race_free"] == verdict, answers(path)
    assert set(program(path).objects) <= {"x", "$text$1"}  # whose address is taken


def test_a_cluster_that_the_kernel_asks_for(write: Write) -> None:
    text = kernel("", "", "", ".explicitcluster .reqnctapercluster 2, 1, 1")
    (grid,) = program(write(text + "//@ launch k<<<4, 1>>>();\n//@ expect terminates;\n", "t.ptx")).grids.values()
    assert grid.cluster == ir.Dim(2)
    uneven = write(text + "//@ launch k<<<3, 1>>>();\n//@ expect terminates;\n", "t.ptx")
    assert "cannot be divided into clusters" in refused(uneven)


@pytest.mark.parametrize(
    ("limits", "said"),
    [(".reqntid 32", "`.reqntid 32`"), (".maxntid 8, 2, 1", "`.maxntid`")],
)
def test_blocks_are_what_the_kernel_says(limits: str, said: str, write: Write) -> None:
    text = kernel("", "", "", limits)
    assert said in refused(write(text + "//@ launch k<<<1, 64>>>();\n//@ expect terminates;\n", "t.ptx"))
    fits = write(text + f"//@ launch k<<<1, {32 if 'req' in limits else 16}>>>();\n//@ expect terminates;\n", "t.ptx")
    assert answers(fits) == [("terminates", "holds")]


INDEXED = """
.reg .b64 %rd<4>; .reg .b32 %r<3>;
ld.param.u64 %rd0, [k_0]; ld.param.u64 %rd1, [k_1];
ld.global.u32 %r0, [%rd0];
INDEX
st.global.u32 [%rd3], 7;
"""
WIDE = "mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2;"


@pytest.mark.parametrize(
    ("index", "verdict"),
    [
        (WIDE, "holds"),
        ("mad.wide.u32 %rd3, %r0, 4, %rd1;", "holds"),
        ("cvt.u64.u32 %rd2, %r0; shl.b64 %rd2, %rd2, 2; add.s64 %rd3, %rd2, %rd1;", "holds"),
        ("shl.b32 %r1, %r0, 2; cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd1, %rd2;", "holds"),
        (WIDE + "add.s64 %rd3, %rd3, -4; add.s64 %rd3, %rd3, 4;", "holds"),
        (WIDE + "add.s64 %rd3, %rd3, -4;", "violated"),
        (WIDE.replace("4", "2", 1), "violated"),
        (WIDE.replace("4", "12", 1), "violated"),
    ],
)
def test_an_index_is_computed_in_bytes(index: str, verdict: str, write: Write) -> None:
    """A distance in a register: between elements, or beyond the array, it is of none."""
    text = (
        kernel(INDEXED.replace("INDEX", index), ".param .u64 k_0, .param .u64 k_1")
        + "//@ object __device__ int x = 1;\n"
    )
    path = write(text + RESULT + "//@ launch k<<<1, 1>>>(&x, out);\n//@ expect required out[1] == 7;\n", "t.ptx")
    assert {found for _, found in answers(path)} - {"holds"} == {verdict} - {"holds"}


def test_an_address_in_local_memory_is_a_number_of_32_bits_too(write: Write) -> None:
    body = """
    .local .align 8 .b8 depot[8]; .reg .b32 %SP; .reg .b32 %r<2>; .reg .b64 %rd<2>;
    mov.b32 %SP, depot; st.local.v2.b32 [%SP], {4, 5}; cvt.u64.u32 %rd0, %SP; cvta.local.u64 %rd0, %rd0;
    ld.u32 %r0, [%rd0+4]; ld.param.u64 %rd1, [k_0]; st.global.u32 [%rd1], %r0;
    """
    text = kernel(body, ".param .u64 k_0") + RESULT + "//@ launch k<<<1, 1>>>(out);\n//@ expect race_free;\n"
    assert finals(write(text, "t.ptx"), "out[0]") == {(5,)}


# ---------------------------------------------------------------- names of results

WRITES = """
.reg .b64 %rd<2>; .reg .b32 %r<1>;
ld.param.u64 %rd0, [_Z1kPiiP1P_param_0]; ld.param.u32 %r0, [_Z1kPiiP1P_param_1]; ld.param.u64 %rd1, [_Z1kPiiP1P_param_2];
st.global.u32 [%rd0+4], %r0; st.global.u32 [%rd1+8], %r0;
"""
NAMED = kernel(WRITES, ", ".join(f".param .{t} _Z1kPiiP1P_param_{n}" for n, t in enumerate(("u64", "u32", "u64"))))
NAMED = (
    NAMED.replace(".entry k(", ".entry _Z1kPiiP1P(")
    + """
//@ object __device__ int out[4];
//@ object struct P { int a; int b; int c[2]; };
//@ object __device__ P pairs[2];
//@ launch k<<<1, 1>>>(out + 1, 7, pairs + 1);
"""
)


@pytest.mark.parametrize(
    ("truth", "verdict"),
    [
        ("k_param_0[4] == 7", "holds"),
        ("_Z1kPiiP1P_param_0[4] == 7", "holds"),
        ("out[2] == k_param_0[2 * 2]", "holds"),
        ("k_param_0 == 0 && *k_param_0 == 0 && k_param_0[-4] == 0 && k_param_0[8] == 0", "holds"),
        ("k_param_0[0] == 7", "violated"),
        ("k_param_2[8] == 7 && k_param_2[4] == 0 && k_param_2[12] == 0", "holds"),
        ("k_param_2[-8] == 7", "violated"),
    ],
)
def test_results_by_parameter_and_offset(truth: str, verdict: str, write: Write) -> None:
    assert answers(write(NAMED + f"//@ expect required {truth};\n", "t.ptx")) == [(f"required {truth}", verdict)]


def test_what_a_state_is_printed_as_can_be_asked(write: Write) -> None:
    assert finals(write(NAMED + "//@ expect race_free;\n", "t.ptx"), "out[2]", "pairs[1].c[0]") == {(7, 7)}
    asked = "required out[2] == 7 && pairs[1].c[0] == 7"
    assert answers(write(NAMED + f"//@ expect {asked};\n", "t.ptx")) == [(asked, "holds")]


def test_a_race_by_parameter_and_offset(write: Write) -> None:
    text = (
        NAMED.replace("<<<1, 1>>>", "<<<2, 1>>>")
        + "//@ expect race on k_param_0[4];\n//@ expect race on k_param_0[0];\n"
    )
    assert [verdict for _, verdict in answers(write(text, "t.ptx"))] == ["holds", "violated"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("k_param_0[2]", "nothing begins 2 bytes from where `k_param_0` points"),
        ("k_param_0[16]", "nothing begins 16 bytes from where"),
        ("k_param_1", "`k_param_1` is no pointer to one object"),
        ("k_param_2.a", "`k_param_2[OFFSET]` has no members"),
        ("k_param_3", "there is no global `k_param_3`"),
    ],
)
def test_what_no_parameter_names(name: str, said: str, write: Write) -> None:
    (outcome,) = check([write(NAMED + f"//@ expect required {name} == 1;\n", "t.ptx")], Settings(engine="embedded"))
    (wrong,) = [d for d in outcome.diagnostics if d.severity == "error"]
    assert said in wrong.message
    assert wrong.help


def test_a_parameter_of_several_launches(write: Write) -> None:
    again = "//@ launch k<<<1, 1>>>({}, 7, pairs + 1);\n//@ expect required k_param_0[4] == 7;\n"
    assert [verdict for _, verdict in answers(write(NAMED + again.format("out + 1"), "t.ptx"))] == ["holds"]
    (outcome,) = check([write(NAMED + again.format("out"), "t.ptx")], Settings(engine="embedded"))
    assert "is no pointer to one object" in outcome.diagnostics[0].message


# ---------------------------------------------------------------- places

PLACES = """
.loc 1 3 5
st.global.u32 [x], 1;
.loc 2 9 1, function_name $L__info0, inlined_at 1 4 5
st.global.u32 [x], 2;
.loc 1 0 5
st.global.u32 [x], 3;
"""
FILES = '.file 1 "/elsewhere/source.cu"\n.file 2 "/elsewhere/library.h"\n'


def lines(program_: Program) -> set[tuple[str, int]]:
    (grid,) = program_.grids.values()
    steps = [n for n in grid.body.nodes.values() if isinstance(n, ir.Do) and isinstance(n.operation, ir.Store)]
    return {(Path(step.span.file).name, step.span.line) for step in steps}


def test_places_are_those_of_the_source_beside_the_file(write: Write) -> None:
    text = kernel(PLACES, "", ".global .align 4 .u32 x;") + FILES + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    path = write(text, "t.ptx")
    assert {file for file, _ in lines(program(path))} == {"t.ptx"}
    assert len(lines(program(path))) == 3
    (path.parent / "source.cu").write_text("// one\n\n    first();\n    second();\n")
    assert lines(program(path)) == {("source.cu", 3), ("source.cu", 4)}


# ---------------------------------------------------------------- a C++ text around it

SIDE = """
//@ kernels "t.ptx";
//@ object __device__ int out[3];
//@ launch k<<<1, 1>>>(out, 1, 2, 3);
//@ expect race_free;
"""
HOST = """
//@ kernels "t.ptx";
extern "C" __global__ void k(int* to, int a, short b, signed char c) {}
int main() {
    int* out;
    cudaMalloc(&out, 3 * sizeof(int));
    k<<<1, 1>>>(out, 1, 2, 3);
    cudaDeviceSynchronize();
}
//@ expect race_free;
"""


@pytest.mark.parametrize("text", [SIDE, HOST, f"// launches k\n/* the kernel k */\n{SIDE}"])
def test_a_program_names_the_file_that_has_its_kernels(text: str, write: Write) -> None:
    ptx = write(kernel(READ, SCALARS), "t.ptx")
    path = write(text)
    assert finals(path, "out[0]", "out[1]", "out[2]") == {(1, 2, 3)}
    assert included(path) == {ptx.resolve()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('//@ kernels "none.ptx";\n//@ launch k<<<1, 1>>>();', "1: cannot read the file"),
        ('//@ kernels "empty.ptx";\n//@ launch k<<<1, 1>>>();', "1: the file has no kernel"),
        ('//@ kernels "t.ptx"; kernels "t.ptx";\n//@ launch k<<<1, 1>>>();', "1: a file has one file of PTX"),
        (
            "//@ kernels t.ptx;\n//@ launch k<<<1, 1>>>();",
            "1: unexpected `t`, expected the name of a file in quotation marks",
        ),
        (
            '//@ kernels "t.ptx";\n__global__ void k(int*) {}\n//@ launch k<<<1, 1>>>(0);',
            "no kernel that compilers call `k`",
        ),
    ],
)
def test_what_is_wrong_with_the_name_of_a_file(text: str, said: str, write: Write) -> None:
    write(kernel(READ, SCALARS), "t.ptx")
    write(HEAD, "empty.ptx")
    assert said in refused(write(text + "\n//@ expect race_free;\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (kernel("ld.global.u32 %r0, [x]"), "7: expected `;` before `ret`"),
        (kernel("mov.u32 %r0, 1;"), "there is no register `%r0`"),
        (kernel("wgmma.fence.sync.aligned;"), "`wgmma.fence.sync.aligned` is"),
        (kernel("call.uni f, ();"), "a call of `f` is"),
        (kernel(".reg .b32 a; mov.u32 a, %envreg3;"), "the special register `%envreg3` is"),
        (kernel("", "", ".global .texref t;"), "memory that is `.global .texref`"),
        (kernel("") + '//@ kernels "t.ptx";\n', "a file of PTX has its kernels itself"),
    ],
)
def test_what_is_not_read(text: str, said: str, write: Write) -> None:
    assert said in refused(write(text + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n", "t.ptx"))


def test_what_is_not_modelled_may_be_where_nobody_comes(write: Write) -> None:
    body = "bra DONE;\nwgmma.fence.sync.aligned;\nDONE:"
    path = write(kernel(body) + "//@ launch k<<<1, 1>>>();\n//@ expect terminates;\n", "t.ptx")
    assert answers(path) == [("terminates", "holds")]


def test_a_kernel_that_nobody_launches(write: Write) -> None:
    assert "the kernel `pass` is never launched" in refused(write(HEAD + ".entry _Z4passv() { ret; }", "t.ptx"))


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("kernel", "kernel"), ("_Z6reduce6Params", "reduce"), ("_ZN3lib4pushEPi", "push"), ("_Z1fILi3EEvv", "f"),
        ("_ZN8__main__4lastB2v2B9aE5ArrayIi", "last"), ("_Zn", "_Zn"),
    ],
)  # fmt: skip
def test_plain_names(mangled: str, name: str) -> None:
    assert plain(mangled) == name


# ---------------------------------------------------------------- compilers

NVCC = shutil.which("nvcc")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", sorted(p.stem.removesuffix("-nvcc") for p in SPECS.glob("*-nvcc.ptx")))
@pytest.mark.parametrize("options", [("-lineinfo",), ("-G",)])
@pytest.mark.nvcc
@pytest.mark.skipif(NVCC is None, reason="NVIDIA's compiler is not on PATH")
def test_what_nvcc_makes_of_a_program_answers_as_the_program(
    source: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    """The PTX of a source, optimised and not, with the expectations of the specifications: those beside it too."""
    for path in SPECS.glob(f"{source}*.cu"):
        shutil.copy(path, tmp_path)
    directives = [line for line in (SPECS / f"{source}-nvcc.ptx").read_text().splitlines() if line.startswith("//@")]
    ptx = tmp_path / f"{source}-nvcc.ptx"
    assert NVCC is not None
    command = [NVCC, "-ptx", *options, "-arch=sm_90", "-std=c++17", f"{source}.cu", "-o", ptx.name]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ptx.write_text(ptx.read_text() + "\n" + "\n".join(directives) + "\n")
    assert answers(ptx) == answers(tmp_path / f"{source}.cu")
    for sibling in sorted(set(tmp_path.glob("*.cu")) - {tmp_path / f"{source}.cu"}):
        assert {verdict for _, verdict in answers(sibling)} == {"holds"}


#: What makes PTX without a GPU, and how to find out that it is there: not by name, since numba-cuda replaces a part of
#: Numba where it is installed, and not where it is but found.
MAKERS = {
    "numba": "import numba.cuda; assert 'numba_cuda' in numba.cuda.__file__",
    "triton": "import triton",
}


@pytest.mark.parametrize("maker", MAKERS)
def test_what_others_make_of_kernels_answers_as_the_specifications(maker: str, tmp_path: Path) -> None:
    if subprocess.run([sys.executable, "-c", MAKERS[maker]], check=False, capture_output=True).returncode:
        pytest.skip(f"{maker} is not installed (specs/ptx-files/{maker}_kernels.py)")
    shutil.copy(SPECS / f"{maker}_kernels.py", tmp_path)
    subprocess.run(
        [sys.executable, f"{maker}_kernels.py"], cwd=tmp_path, check=True, capture_output=True,
        env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    found = sorted(tmp_path.glob("*.ptx"))
    assert {path.name for path in found} == {path.name for path in SPECS.glob(f"*-{maker}.ptx")}
    for path in found:
        directives = [line for line in (SPECS / path.name).read_text().splitlines() if line.startswith("//@")]
        path.write_text(path.read_text() + "\n".join(directives) + "\n")
        assert {verdict for _, verdict in answers(path)} == {"holds"}
