"""The simulator of asynchronous operations gives the answers that the documents give."""

from __future__ import annotations

import pytest

from tests.oracles.asynchronous.answers import Answer, answers
from tests.oracles.asynchronous.check import check


@pytest.mark.parametrize("answer", answers(), ids=lambda a: a.name)
@pytest.mark.sampled(37)
def test_answers(answer: Answer) -> None:
    assert answer.agrees(check(answer.program, answer.options).words())
