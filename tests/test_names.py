"""Names of the source as identifiers: no two become one (specs/programs/names.cu asks both engines)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scopec.program.names import distinct, identifier

NAMES = st.lists(st.text("ab_.[]#1", min_size=1, max_size=5), unique=True)


@given(NAMES)
def test_no_two_names_are_spelled_alike(names: list[str]) -> None:
    spelled = distinct({name: identifier(name) for name in names})
    assert list(spelled) == sorted(spelled, key=lambda n: (n != identifier(n), names.index(n)))
    assert len(set(spelled.values())) == len(names)


@given(NAMES)
def test_a_name_that_is_an_identifier_stays(names: list[str]) -> None:
    spelled = distinct({name: identifier(name) for name in names})
    assert all(spelled[name] == name for name in names if identifier(name) == name)


def test_a_name_whose_identifier_is_taken_gets_a_number() -> None:
    assert distinct({"a.b": "a_b", "a_b": "a_b", "a[b]": "a_b"}) == {"a_b": "a_b", "a.b": "a_b_2", "a[b]": "a_b_3"}
