"""Litmus files: what is read, what it becomes, and what is said about files that are not in the language."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.litmus.lower.program import Litmus, lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.frontends.litmus.syntax.scan import split
from scopec.memory.graph import build
from scopec.program.show import show_program
from scopec.program.values import show
from tests.samples import EVERY

C = """C all of C
"a description, with { braces }
and // slashes"
(* a comment, (* nested *) { y = 1; } *)
Orig=Rfe PodRR
{
  [x] = 0;  // here
  int y = 1; atomic_int a[2] = {0, 0x10}; z; unsigned long long w = ATOMIC_VAR_INIT(7);
  int* p = &y; 0:r9 = x; 10:k = -3;
}
P0 (atomic_int* x, volatile int* y, _Atomic(int)* a, int** p) {
  int r0 = atomic_load(x), r1;
  r1 = atomic_load_explicit(x, memory_order_consume) + *y;
  if (r0 == 1) { atomic_store(x, 2); } else if (r1) *y = 3; else { r0++; }
  while (atomic_load_explicit(x, memory_order_relaxed) != 2) ;
  for (int i = 0; i < 2; ++i) { if (i == 1) break; *y += i; continue; }
  do { r0 = r0 - 1; } while (r0 > 0 && *y != 3);
  int* q = y + 0;
  *q = (int) 7;
  int *s = *p; /* a pointer that is loaded */
  *s = 9;
  atomic_store_explicit(a + r0, 4, memory_order_relaxed);
  int t = r0 ? *y : r1 << 1; (void)*y;
  (*y)++;
  r1 = a[1] - a[r0];
  if (!(*x == 1)) return;
  *x = 1;
}
P10 (_Atomic int* z, int k, unsigned long long* w) { int r = *z; *z = k; *w = *w + 1u; }
exists (0:r0 = 1)
"""

FUNCTIONS = """C functions
{}
P0 (atomic_int* x, atomic_flag* f, int* y) {
  int e = 0;
  int ok = atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_acq_rel, memory_order_relaxed);
  ok = atomic_compare_exchange_weak(x, y, *y);
  atomic_compare_exchange_strong_explicit(x, y, 2, memory_order_release, memory_order_release);
  ok = atomic_exchange_explicit(x, 5, memory_order_acquire);
  ok = atomic_fetch_add(x, 1); ok = atomic_fetch_sub(x, 2); ok = atomic_fetch_and(x, 3);
  ok = atomic_fetch_or(x, 4); ok = atomic_fetch_xor(x, 5); ok = atomic_fetch_min(x, 6); ok = atomic_fetch_max(x, 7);
  atomic_init(x, 8);
  ok = atomic_flag_test_and_set_explicit(f, memory_order_acquire);
  atomic_flag_clear(f);
  atomic_thread_fence(memory_order_acq_rel);
  atomic_thread_fence(memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
}
void P1 (void) {}
forall true
"""

OPENCL = """OPENCL places
{ [x]=0; }
P0@wg 0, dev 0 (global atomic_int* x, local int* m, __global int* y) {
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_work_group);
  int r = atomic_load_explicit(x, memory_order_acquire, memory_scope_all_svm_devices);
  atomic_store(x, 2);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  *m = 1;
  B1: barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_device);
  *y = r;
}
P1@wg 1, dev 1 (global atomic_int* x) {
  int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release, memory_scope_work_group);
}
~exists (m=1 /\\ 0:x=0 /\\ 0:nothing=0)
"""

PTX = """PTX everything
{ x = 1; P0:r1 = 3; P1:r7=x; }
 P0@cta 0,cluster 1,gpu 0          | P1@cta 0, gpu 1          ;
 LC00:                             | L: ld.volatile r0, x     ;
 ld.relaxed.cluster r0, [x]        | st.weak r7, 3            ;
 add r2, r0, 1                     | mov r3, -0x10            ;
 bne r2, r1, LC00                  | membar.gl                ;
 atom.cas.relaxed.sys r1, y, r0, 2 | atom.inc.gpu r1, x, 3    ;
 red.relaxed.cta.max x, r1         | blt r1, 2, L             ;
 bar.cta.sync 1, r2, 2             | bar.cta.arrive 0         ;
 barrier.sync 3                    | setp.ge p1, r1, 2        ;
 ld.relaxed.global.gpu r0, x       | @!p1 st.weak y, 1        ;
                                   | @p1 bra.uni L            ;
 fence.sc.gpu                      | fence.acq_rel.cluster    ;
 goto E                            | xor r4, r3, r1           ;
 st.weak y, 4                      ;
 E:                                | atom.acq_rel.gpu.exch r1, x, r1 ;
~exists (P0:r1 == P1:r1 /\\ y >= 2 /\\ P1:r7 = &x)
"""


def litmus_of(text: str, name: str = "test") -> Litmus:
    source = Source(f"{name}.litmus", text)
    return lower(read(source), source, name)


def test_addresses_and_constants_of_ptx() -> None:
    head = "PTX t\n{ int x[4]; }\nP0@cta 0,gpu 0 ;\n"
    plain, written = "ld.weak r0, [x+4] ;\nst.weak [x+12], 3 ;", "ld.weak r0, x[1] ;\nst.weak [x+4+2*4], (1+2) ;"
    shown = [list(show_program(litmus_of(f"{head}{text}\nexists (0:r0=0)").program)) for text in (plain, written)]
    assert shown[0] == shown[1]


def problem_of(text: str) -> tuple[str, int, int, str]:
    """Code, line, column and message of the one diagnostic that a text gets."""
    with pytest.raises(InputError) as raised:
        litmus_of(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.way_out
    return diagnostic.code.id, diagnostic.span.line, diagnostic.span.column, diagnostic.message


@pytest.mark.parametrize(("name", "text"), [("c", C), ("functions", FUNCTIONS), ("opencl", OPENCL), ("ptx", PTX)])
def test_printed_form(name: str, text: str, golden: Callable[[str, str], None]) -> None:
    golden(f"litmus-{name}.txt", show_program(litmus_of(text, name).program))


def test_parts_keep_their_places() -> None:
    source = Source("a.litmus", C)
    parts = split(source)
    assert parts.dialect == "C"
    for part in (parts.init, parts.program, parts.footer):
        assert len(part) == len(C)
        assert all(a == b for a, b in zip(part, C, strict=True) if not a.isspace())
    assert parts.init.split()[:3] == ["{", "[x]", "="]
    assert "(*y)++" in parts.program
    assert "loaded" not in parts.program
    commented = split(
        Source("b.litmus", "C t\n{}\nP0 (int* x) { (*a comment*) int r = (*x); (* another *) }\nexists (*x=(*1*)2)")
    )
    assert commented.program.split() == ["P0", "(int*", "x)", "{", "int", "r", "=", "(*x);", "}"]
    assert commented.footer.split() == ["exists", "(*x=", "2)"]
    assert parts.footer.split() == ["exists", "(0:r0", "=", "1)"]


def condition_of(clause: str, body: str = "int r0 = *x; int* q = x;", init: str = "int a[2]; x; p = &x;") -> str:
    """The final clause of a small program, as a value."""
    litmus = litmus_of(f"C t\n{{ {init} }}\nP0 (int* x, int* y, int* a) {{ {body} }}\n{clause}")
    assert litmus.condition is not None
    assert litmus.condition.formula is not None
    return f"{litmus.condition.quantifier}: {show(litmus.condition.formula.value)}"


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("exists (0:r0=1 /\\ x=2)", "exists: P0:r0 == 1 && x == 2"),
        ("~exists (P0:r0 == -1 \\/ [x] <> 0x10)", "not exists: P0:r0 == -1 || x != 16"),
        ("not exists (*y >= 2 && y < 3 || ~(x > 1))", "not exists: y >= 2 && y < 3 || x <= 1"),
        ("forall (x = 1 => y = 2 => 0:r0 <= 3)", "forall: x != 1 || (y != 2 || P0:r0 <= 3)"),
        ("exists (a[1] = 1 /\\ a[0] != y)", "exists: a[1] == 1 && a[0] != y"),
        ("exists (not x = 1 /\\ y = 2 \\/ 0:r0 = 3)", "exists: x != 1 && y == 2 || P0:r0 == 3"),
        ("exists 0==0", "exists: true"),
        ("exists false", "exists: false"),
        # What holds an address is compared with addresses.
        ("exists (p = x)", "exists: p == 1052672"),
        ("exists (0:q = &x /\\ 0:x = x)", "exists: P0:q == 1052672 && P0:x == 1052672"),
        ("exists (0:x = 0)", "exists: P0:x == 0"),
        ("exists (x = y)", "exists: x == y"),
    ],
)  # fmt: skip
def test_conditions(clause: str, wanted: str) -> None:
    assert condition_of(clause) == wanted


def test_filter_and_locations() -> None:
    litmus = litmus_of("C t\n{}\nP0 (int* x) { int r0 = *x; }\nlocations [x; 0:r0;]\nfilter (x=1)\nforall (0:r0=1)")
    other_order = litmus_of("C t\n{}\nP0 (int* x) { int r0 = *x; }\nfilter (x=1)\nlocations [x]\nforall (0:r0=1)")
    check = litmus.condition
    assert check is not None
    assert other_order.condition is not None
    assert other_order.condition.text == check.text == "filter (x=1) forall (0:r0=1)"
    assert check.restriction is not None
    assert check.sought is not None
    assert show(check.restriction.value) == "x == 1"
    assert show(check.sought.value) == "x == 1 && P0:r0 != 1"
    assert set(check.sought.observed) == {"x", "P0:r0"}


def test_a_register_that_nothing_sets_is_0_and_gets_a_warning() -> None:
    litmus = litmus_of("PTX t\n{ P0:r1=0; P7:r0=0; }\nP0@cta 0,gpu 0 ;\nld.weak r2, x ;\nexists (0:r1=0 /\\ 0:r3=0)")
    assert [(w.span.line, w.message, w.severity) for w in litmus.warnings] == [
        (2, "there is no thread P7", "warning"),
        (5, "P0 has no register `r3`: it is 0 at the end", "warning"),
    ]
    assert litmus.program.others[0].body.variables.keys() == {"r1", "r2", "r3"}


def test_a_location_that_one_instruction_alone_names_gets_a_warning() -> None:
    text = "PTX t\n{ %s }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.weak flag, 1 | ld.weak r0, flog ;\nexists (1:r0=1)"
    (warning,) = litmus_of(text % "flag = 0;").warnings
    assert (warning.span.line, warning.help) == (4, "did you mean `flag`?")
    assert warning.message == "nothing else names `flog`: it is a location of its own, 0 at first"
    for initial in ("", "flag = 0; flog = 0;"):
        assert litmus_of(text % initial).warnings == ()
    assert litmus_of((text % "flag = 0;").replace("st.weak flag", "st.weak flog")).warnings == ()


def test_an_empty_column_at_the_end_of_a_row_is_none() -> None:
    text = "PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nst.weak x, 1 | st.weak x, 2 | ;\nexists true"
    assert len(litmus_of(text).program.others) == 2


def test_registers_may_begin_with_a_percent_sign() -> None:
    litmus = litmus_of("PTX t\n{ P0:%r1 = 2; }\nP0@cta 0,gpu 0 ;\nadd %r2, %r1, 1 ;\nexists (P0:%r2=3)")
    assert litmus.program.others[0].body.variables.keys() == {"%r1", "%r2"}


def test_a_load_without_a_place_is_a_move() -> None:
    """As public suites write it: a number or a register; what is in memory has a name, brackets or an order."""
    text = "PTX t\n{ x = 0; P0:r9 = x; }\nP0@cta 0,gpu 0 ;\n%s ;\nst.weak y, r0 ;\nexists (y=1)"

    def accesses(load: str) -> list[str]:
        return [
            e.text if e.value is None else f"{e.text} {show(e.value)}"
            for e in build(litmus_of(text % load).program, 1).events
            if e.thread
        ]

    assert accesses("ld r0, 1") == accesses("mov r0, 1") == ["write y 1"]
    assert accesses("ld r0, -1") == ["write y -1"]
    assert accesses("ld r1, 5 ;\n ld r0, r1") == ["write y 5"]
    assert accesses("ld r0, r9")[-1] == accesses("mov r0, r9")[-1] == "write y 1048576"
    assert accesses("ld r0, x") == ["read x", "write y P0_L4_R"]
    for load in ("ld r0, [r9]", "ld.weak r0, r9", "ld.relaxed.gpu r0, r9"):
        assert accesses(load)[0].startswith("read"), load


def test_scope_trees_place_threads() -> None:
    program = litmus_of(
        "OpenCL t\n{}\nP0(int* x){}\nP1(int* x){}\nP2(int* x){}\n"
        "scopes: (system (device (work_group P0 (sub_group P1))) (device (work_group P2)))\nexists true"
    ).program
    assert [(t.block_name, t.device) for t in program.others] == [
        ("work_group 0, device 0", 0), ("work_group 0, device 0", 0), ("work_group 1, device 1", 1),
    ]  # fmt: skip


def test_scope_trees_in_other_words() -> None:
    """Levels that say nothing here, in PTX too, and a semicolon."""
    text = "PTX t\n{}\nP0 | P1 | P2 ;\nld.weak r0, x | ld.weak r0, x | ld.weak r0, x ;\nscopes: (gpu (grid %s));\nexists true"
    for inner in ("(cta 0 (warp 0 P0) (warp 1 P1)) (cta 1 P2)", "(cta (thread P0) (work_item P1)) (cta (kernel P2))"):
        blocks = [t.block_name for t in litmus_of(text % inner).program.others]
        assert blocks[0] == blocks[1] != blocks[2]


def test_a_parameter_may_begin_with_an_address() -> None:
    """`0:p = x` in the initial state: the parameter is a register, and no location `p` is made."""
    text = "C t\n{ x = 5; 0:p = x; int* 1:p = &y; }\nP0 (int* p) { int r = *p; *p = 7; }\nP1 (int* p, int* y) { *p = 1; }\n"
    litmus = litmus_of(text + "exists (0:p = x /\\ 1:p = &y)")
    assert set(litmus.program.objects) == {"x", "y"}
    accesses = [e.text for e in build(litmus.program, 1).events if e.thread]
    assert accesses == ["read x", "write x", "write y"]


def test_a_register_of_the_initial_state_needs_no_declaration() -> None:
    text = "C t\n{ 0:r0 = 2; 0:p = x; uint64_t 0:w; }\nP0 (int* x, atomic_int* y) { r0 = atomic_load(y) + r0; *p = r0; w = -1; }\n"
    program = litmus_of(text + "exists (0:r0 = 2)").program
    graph = build(program, 1, [("P0", "r0"), ("P0", "w")])
    assert [show(e.value) for e in graph.events if e.text == "write x" and e.value] == ["P0_L3_R + 2"]
    assert show(graph.finals["P0", "w"].value) == str((1 << 64) - 1)


def test_a_pointer_is_read_by_an_atomic_operation() -> None:
    text = (
        "C t\n{ x = 5; }\nP0 (int* _Atomic* p, int* x) { atomic_store(p, x); }\n"
        "P1 (int* _Atomic* p) { int* q = atomic_load(p); int r = 0; if (q) r = *q; q = atomic_exchange(p, NULL); }\n"
        "exists (1:r = 5 /\\ p = 0)"
    )
    events = build(litmus_of(text).program, 1).events
    assert [e.text for e in events if e.thread == "P1"][:3] == ["read.seq_cst.system p", "read x", "read p"]


def test_local_memory_alone_needs_no_other_flag() -> None:
    text = "OPENCL t\n{}\nP0@wg 0,dev 0 (local int* m) { barrier(CLK_LOCAL_MEM_FENCE); *m = 1; }\nexists true"
    assert litmus_of(text).program.others


def test_locations_are_one_object_for_all_devices() -> None:
    program = litmus_of(
        "PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;\nst.weak x, 1 | st.weak x, 2 ;\nexists true"
    ).program
    assert [e.id for e in build(program, 1).events] == ["init_x", "P0_L4_W", "P1_L4_W"]
    blocks = [t.block_name for t in program.others]
    assert blocks[0] != blocks[1]


def test_local_memory_is_one_object_a_work_group() -> None:
    text = (
        "OPENCL t\n{}\nP0@wg 0,dev 0 (local int* m) { *m = 1; }\nP1@wg 0,dev 0 (local int* m) { *m = 2; }\n"
        "P2@wg 1,dev 0 (local int* m) { *m = 3; }\n"
    )
    events = build(litmus_of(text + "exists true").program, 1).events
    assert len({e.location for e in events}) == 2
    assert problem_of(text + "exists (m=1)")[3] == "`m` is local memory of 2 work-groups"


def test_an_index_that_is_read_selects_an_element_by_address() -> None:
    """The events of the other elements are not executed, and what follows does not depend on the index by control."""
    program = litmus_of(
        "C t\n{ int a[2]={0,0}; }\nP0(int* a, int* x){ int r = *x; int v = a[r]; *x = 1; }\n"
        "P1(int* x){ *x = 1; }\nexists (0:v=0)"
    ).program
    graph = build(program, 1, [("P0", "v")])
    loads = [e for e in graph.events if e.location is not None and e.location.object == "a" and e.thread]
    assert [show(e.guard.value(graph.conditions)) for e in loads] == ["P0_L3_R == 0", "P0_L3_R == 1"]
    assert {read: show(chosen.index) for read, chosen in graph.addresses.items()} == {e.id: "P0_L3_R" for e in loads}
    assert show(graph.finals["P0", "v"].value) == "P0_L3_R == 0 ? P0_L3_R2 : P0_L3_R == 1 ? P0_L3_R3 : 0"
    assert graph.control["P0_L3_W"] == frozenset()


def test_a_local_whose_address_is_kept_is_in_memory() -> None:
    litmus = litmus_of(
        "C t\n{}\nP0 (atomic_int* x) {\nint r = 1, s = 2, t = 3;\nint* p = &s;\nint* q;\nq = &r;\n*p = 4;\n*q = 5;\n"
        "int ok = atomic_compare_exchange_strong(x, &t, 6);\n}\nexists (0:r=5 /\\ 0:s=4 /\\ 0:t=0)"
    )
    assert list(litmus.program.objects) == ["x", "P0.r"]
    assert litmus.condition is not None
    assert litmus.condition.formula is not None
    assert show(litmus.condition.formula.value) == "P0.r == 5 && P0:s == 4 && P0:t == 0"
    stores = [e.text for e in build(litmus.program, 1).events if e.thread and e.writes]
    assert stores == ["write P0.r", "write P0.r", "write.seq_cst.system x"]


def test_an_endless_jump_is_a_loop() -> None:
    graph = build(litmus_of("PTX t\n{}\nP0@cta 0,gpu 0 ;\nL: goto L ;\nexists true").program, 2)
    assert [cut.wait for cut in graph.cuts] == [True]
    assert not graph.ended & {"P0"}


def test_a_compare_and_swap_that_fails_writes_the_old_value() -> None:
    text = "PTX t\n{}\nP0@cta 0,gpu 0 ;\natom.relaxed.gpu.cas r0, x, 1, 2 ;\nexists true"
    graph = build(litmus_of(text).program, 1)
    (write,) = (e for e in graph.events if e.writes and e.thread)
    assert write.guard.always
    assert write.value is not None
    assert show(write.value) == "P0_L4_R == 1 ? 2 : P0_L4_R"


@pytest.mark.sampled(0)
def test_a_large_file_is_read(tmp_path: Path) -> None:
    """Ten thousand lines are read, or refused, in seconds; a quarter of them where SCOPEC_EVERY is not set."""
    count = 10_000 if EVERY else 2_500
    rows = "\n".join("add r0, r0, 1 ;" for _ in range(count))
    assert (
        len(litmus_of(f"PTX t\n{{}}\nP0@cta 0,gpu 0 ;\n{rows}\nexists (0:r0=1)").program.others[0].body.nodes) > count
    )
    many = "\n".join(f"int r{n} = atomic_load(x);" for n in range(6_000 if EVERY else 5_001))
    program = litmus_of(f"C t\n{{}}\nP0 (atomic_int* x) {{\n{many}\n}}\nexists (0:r1=1)").program
    with pytest.raises(InputError, match="more than 5000 events of one thread"):
        build(program, 1)


WORDS = re.compile(r"\w+|[^\w\s]|\s+")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_get_a_diagnostic(seed: int) -> None:
    """Whatever is done to a file, it is read or refused at a place in it."""
    random = Random(seed)
    texts = [C, FUNCTIONS, OPENCL, PTX]
    words = [word for text in texts for word in WORDS.findall(text)]
    for _ in range(60):
        parts = WORDS.findall(random.choice(texts))
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(parts))
            change = random.choice(("replace", "drop", "insert"))
            parts[at : at + (change != "insert")] = [] if change == "drop" else [random.choice(words)]
        text = "".join(parts)
        try:
            litmus_of(text)
        except InputError as bad:
            (diagnostic,) = bad.diagnostics
            assert 1 <= diagnostic.span.line <= text.count("\n") + 1
            assert diagnostic.way_out
