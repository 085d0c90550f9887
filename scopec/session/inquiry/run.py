"""A run: a variant of a file under one memory model, what is asked of it, and that as a question."""

from __future__ import annotations

from functools import cached_property

from scopec.memory.questions import Problem
from scopec.session.inquiry import questions
from scopec.session.inquiry.unfolded import Unfolded


class Run(Unfolded):
    """A variant with its graph and the memory question."""

    @cached_property
    def problem(self) -> Problem:
        """The memory question."""
        return questions.memory_problem(self)
