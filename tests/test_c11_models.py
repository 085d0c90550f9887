"""C11 as a model of the user's, in the manner of herd7's files: an order that each execution chooses, and
read-modify-writes as one event."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scopec.session.check import Settings
from scopec.session.final_states import listings
from scopec.session.plan import Overrides
from tests.oracles.enumerated import Op
from tests.oracles.enumerated_c11 import Rules, c11
from tests.test_against_enumeration import COUNT, c_program, c_statement, domain, named, small, states_of

pytestmark = pytest.mark.usefixtures("kept_machines")

FIXTURES = Path(__file__).parent / "fixtures" / "cat"


def c_text(threads: Sequence[Sequence[Op]]) -> str:
    bodies = (" ".join(map(c_statement, ops)) for ops in threads)
    parameters = "atomic_int* x, atomic_int* y, atomic_int* f"
    program = "\n".join(f"P{n} ({parameters}) {{ {body} }}" for n, body in enumerate(bodies))
    return f"C random\n{{}}\n{program}\nexists true\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.parametrize("rules", ["original", "simple"])
def test_c11_in_a_file_of_the_users(rules: Rules, seed: int, tmp_path: Path) -> None:
    """With an order of seq_cst operations that each execution chooses, and read-modify-writes as one event."""
    chance = Random(20_000 + seed)
    threads = next(t for t in iter(lambda: c_program(chance), None) if small(t))
    text = c_text(threads)
    found = states_of(text, str(FIXTURES / f"c11-{rules}.cat"), tmp_path)
    wanted = c11(threads, domain(threads), rules)
    assert {named({"f": 0, **dict(s.values)}): s.racy for s in found.states} == wanted, text


def synchronising(op: Op) -> Op:
    """The operation as a release, an acquire or both."""
    order = {"load": "acquire", "store": "release"}.get(op.kind, "acq_rel")
    inner = None if op.then is None else synchronising(op.then)
    return replace(op, order=order, failure="acquire" if op.kind == "cas" else "", then=inner)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(COUNT))
def test_c11_is_rc11_where_everything_synchronises(seed: int, tmp_path: Path) -> None:
    """Without relaxed, plain and sequentially consistent accesses: what reads from another thread happens after it."""
    chance = Random(30_000 + seed)
    threads = next(t for t in iter(lambda: c_program(chance), None) if small(t))
    text = c_text([[synchronising(op) for op in ops] for ops in threads])
    ours, theirs = (states_of(text, model, tmp_path) for model in ("rc11", str(FIXTURES / "c11-simple.cat")))
    assert [(s.values, s.executions, s.racy) for s in ours.states] == [
        (s.values, s.executions, s.racy) for s in theirs.states
    ], text


#: Programs that need each of the rules: a thread a column, `sc` and the other orders behind an access, `F` a fence.
CLASSICS = {
    "store buffering": "x=1 sc; r=y sc | y=1 sc; r=x sc",
    "store buffering with fences": "x=1 rlx; F sc; r=y rlx | y=1 rlx; F sc; r=x rlx",
    "store buffering with one fence": "x=1 sc; r=y sc | y=1 rlx; F sc; r=x rlx",
    "a store behind a fence": "x=1 rlx; F sc; r=y sc | y=1 sc; r=x sc",
    "2+2W": "x=1 sc; y=2 sc | y=1 sc; x=2 sc",
    "2+2W with fences": "x=1 rlx; F sc; y=2 rlx | y=1 rlx; F sc; x=2 rlx",
    "independent readers": "x=1 sc | y=1 sc | r=x acq; q=y sc | r=y acq; q=x sc",
    "reading what was overwritten": "x=1 sc | x=2 sc; r=y sc | y=1 sc; r=x sc",
    "example 1 of the paper": "x=1 rlx | r=x rlx; q=x rlx | x=2 sc; r=y sc | y=1 sc; r=x sc",
    "a message between": "x=1 sc; f=1 rel | r=f acq; y=1 sc | y=2 sc; r=x sc",
    "exchanges in the order": "x:1 sc; r=y sc | y:1 sc; r=x sc",
    "a message by exchanges": "x=1 na; f:1 rel | r:f:2 acq; q=x na",
    "a message by an exchange of both": "x=1 na; f:1 ar | r:f:2 ar; q=x na",
    "an exchange that does not acquire": "x=1 na; f:1 rel | r:f:2 rel; q=x na",
    "an exchange that does not release": "x=1 na; f:1 acq | r:f:2 acq; q=x na",
    "a release sequence": "x=1 na; f=1 rel | f:2 rlx | r=f acq; q=x na",
    "a sequence of one thread": "x=1 na; f=1 rel; f=2 rlx | r=f acq; q=x na",
    "two exchanges": "x:1 rlx | x:2 rlx | x:3 rlx",
    "the last plain write": "x=1 na; f=1 rel | r=f acq; x=2 na",
}
_WORDS = {"sc": "seq_cst", "ar": "acq_rel", "acq": "acquire", "rel": "release", "rlx": "relaxed", "na": ""}
_STATEMENT = re.compile(r"(?:(F)|(?:(\w):)?(\w)([=:])(\w)) (\w+)")


def classic(text: str) -> list[list[Op]]:
    """`x=1` stores, `r=x` loads, `x:1` and `r:x:1` exchange."""
    threads, numbers = [], iter(range(100))
    for column in text.split("|"):
        ops = []
        for fence, _, left, sign, right, word in _STATEMENT.findall(column):
            order, register = _WORDS[word], f"r{next(numbers)}"
            if fence:
                ops.append(Op("fence", order=order))
            elif sign == ":":
                ops.append(Op("exchange", left, order, register=register, value=int(right)))
            elif right.isdigit():
                ops.append(Op("store", left, order, value=int(right)))
            else:
                ops.append(Op("load", right, order, register=register))
        threads.append(ops)
    return threads


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rules", ["original", "simple"])
@pytest.mark.parametrize("name", CLASSICS)
def test_classics_under_c11_in_a_file_of_the_users(name: str, rules: Rules, tmp_path: Path) -> None:
    threads = classic(CLASSICS[name])
    found = states_of(c_text(threads), str(FIXTURES / f"c11-{rules}.cat"), tmp_path)
    wanted = c11(threads, range(4), rules)
    assert {named({"f": 0, **dict(s.values)}): s.racy for s in found.states} == wanted
    assert len(wanted) > 1


@pytest.mark.sampled(2)
@pytest.mark.jvm
@pytest.mark.parametrize("name", ["store buffering", "a store behind a fence", "2+2W", "two exchanges"])
def test_both_engines_list_the_same_under_c11(name: str, tmp_path: Path) -> None:
    path = tmp_path / "classic.litmus"
    path.write_text(c_text(classic(CLASSICS[name])))
    model = Overrides(model=str(FIXTURES / "c11-original.cat"))
    ((found,), _) = listings(path, Settings(engine="both", overrides=model), 100_000)  # EngineError where they differ
    assert found.engine == "alloy"
    assert len(found.states) > 1
