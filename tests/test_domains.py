"""Value domains: what reads may return."""

from __future__ import annotations

from math import prod

import pytest

from scopec.base.diagnostics import InputError
from scopec.memory.domains.domains import MOST_COMBINATIONS, domains
from scopec.memory.events.events import Kind
from scopec.program.values import leaves
from tests.test_event_graph import graph_of


def test_constants_and_copies() -> None:
    graph = graph_of("x = 3; f.store(x); y = f.load() + 1;")
    found = domains(graph)
    assert found.closed
    read_x, read_f = (e.id for e in graph.events if e.text.startswith("read"))
    assert found.of[read_x] == {0, 3}
    assert found.of[read_f] == {0, 3}


def test_a_counter_never_closes_but_covers_every_execution() -> None:
    graph = graph_of("f.fetch_add(1);", "k<<<1, 3>>>")
    found = domains(graph)
    assert not found.closed
    for read in found.of.values():
        assert {0, 1, 2} <= read


def test_mentioned_values_matter_only_where_values_are_copied() -> None:
    assert 42 not in domains(graph_of("int r = f.load();"), [42]).of["k_0_0_L4_R"]
    assert 42 in domains(graph_of("f.store(f.load());"), [42]).of["k_0_0_L4_R"]


def test_undefined_arithmetic_has_no_value() -> None:
    """It is never computed: the assertion before it fails."""
    graph = graph_of("x = 6 / f.load(); f.store(2);")
    assert [a.text for a in graph.faults] == ["`6 / f.load()` divides by zero"]
    (write,) = (e for e in graph.events if e.text == "write x")
    assert write.value is not None
    assert domains(graph).values(write.value) == {3}


def test_what_has_many_combinations_is_computed_operation_by_operation() -> None:
    stores = " ".join(f"x = {i}; y = {i}; f.store({i});" for i in range(1, 36))
    graph = graph_of(f"{stores} int a = x; int b = y; g.store(a + 3 * b + 7 * f.load());")
    (write,) = (e for e in graph.events if e.kind is Kind.WRITE and "g" in e.text)
    assert write.value is not None
    assert domains(graph).values(write.value) == set(range(11 * 35 + 1))


def test_too_many_combinations_of_values_are_an_error_not_a_long_wait() -> None:
    stores = " ".join(f"x = {i}; y = {i}; f.store({i});" for i in range(1, 36))
    with pytest.raises(InputError) as bad:
        domains(graph_of(f"{stores} y = (100 * x + y) * 100 + f.load();"))
    assert "what is written here depends on more than 32768 combinations" in bad.value.diagnostics[0].message
    with pytest.raises(InputError) as bad:
        domains(graph_of(f"{stores} if ((100 * x + y) * 100 + f.load() == 5) g.store(1);"))
    assert "whether this is executed depends on more than 32768" in bad.value.diagnostics[0].message


def test_logic_is_no_table_however_many_reads_it_depends_on() -> None:
    """A third try of a weak compare-exchange is made where two before it failed: many reads, compared two by two."""
    graph = graph_of("int o = f.load(); while (!f.compare_exchange_weak(o, o + 1)) {}", launch="k<<<2, 1>>>")
    found = domains(graph)
    combinations = [prod(len(found.of[n]) for n in {leaf.name for leaf in leaves(c)}) for c in graph.conditions]
    assert max(combinations) > MOST_COMBINATIONS
