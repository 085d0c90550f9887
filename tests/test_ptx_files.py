"""Files of PTX: addresses and constants, launches, parameters, memory and calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.ptx import forms
from scopec.frontends.ptx.syntax import read
from scopec.program import ir
from scopec.program.program import Program
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


@pytest.mark.sampled(4)
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


@pytest.mark.sampled(2)
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
@pytest.mark.sampled(1)
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
@pytest.mark.sampled(1)
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


@pytest.mark.sampled(3)
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
