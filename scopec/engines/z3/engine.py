"""The answer of z3 to a question about all launches: a proof by laws of products, or a model at a small size."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Any

import z3

from scopec.base.limits import Deadline, worked
from scopec.engines.z3 import smtlib
from scopec.engines.z3.interrupt import interrupted_after
from scopec.engines.z3.smtlib import Part
from scopec.engines.z3.terms import Stated, Translation, stated
from scopec.sizes.questions import SIZED, Answer, Model, Question, given_numbers, numbers_of, plain

#: Bounds of the block, of the grid and of the numbers at which models are sought: of large blocks few first, as a
#: launch of many threads is not looked at.
_SMALL = ((2, 2, 4), (4, 4, 9), (16, 16, 40), (64, 2, 200), (64, 64, 200), (1024, 2, 5000), (1024, 1024, 5000))
_SIZES = tuple(f"{of}.{axis}" for of, _ in SIZED for axis in "xyz")
#: Seconds for models of fewer threads.
_SMALLER = 1.0
#: A launch of more threads takes long to look at.
_MANY = 128
#: Those of any launch.
_ANY = (1 << 31, 1 << 31, 1 << 64)
#: z3 has one context for all threads.
_ONE_AT_A_TIME = Lock()
_MEANING = {"unsat": "no launch is as is asked", "sat": "there is such a launch"}
_PROOF = "unsat: no launch is as is asked; sat: perhaps one is, as products are numbers of which laws are known here"
#: The parts of the time of a question that are for its proof: by laws, of a plainer one, and by z3's own products.
_PLAIN = 0.1
#: The part of the time for models that is for those with given numbers, and these.
_GIVEN = 0.4
_NUMBERS = (1, 2, 4)
#: Seconds in which none of this is tried.
_SHORT = 1.0
_BY_LAWS = 0.4
_BY_PRODUCTS = 0.1


def answers() -> Asked:
    """Who answers the questions about one kernel."""
    return Asked()


class Asked:
    """The questions about one kernel."""

    def __init__(self) -> None:
        self._decided: tuple[str, tuple[Part, ...], str] | None = None
        self._end = Deadline()
        self._translations: dict[tuple[bool, frozenset[str], bool], Translation] = {}

    def answer(self, question: Question, seconds: float, end: Deadline, memory: int | None) -> Answer:
        """Whether there are two threads as is asked; within so many bytes and about so many seconds of work."""
        last = worked() + seconds
        self._decided, self._end = None, end
        with _ONE_AT_A_TIME:
            if memory is not None:
                z3.set_param("memory_max_size", max(64, memory >> 20))
            try:
                if (
                    question.likely
                    and seconds > _SHORT
                    and (found := self._model(question, worked() + seconds / 2)) is not None
                ):
                    return found
                if self._refuted(question, seconds):
                    return "none"
                return self._model(question, last)
            except z3.Z3Exception:  # memory is used up
                return None

    @property
    def decided(self) -> str | None:
        """The question that was answered last, as it was put to z3, with the answer."""
        if self._decided is None:
            return None
        about, parts, answer = self._decided
        with _ONE_AT_A_TIME:
            return smtlib.text((f"{answer}: {_MEANING[answer]}", about), parts)

    def specification(self, question: Question) -> str:
        """A question as SMT-LIB, of which ``unsat`` is a proof."""
        with _ONE_AT_A_TIME:
            return smtlib.text((question.about, _PROOF), self._stated(question, exact=False).parts)

    def _stated(self, question: Question, *, exact: bool) -> Stated:
        key = (question.same_block, question.apart, exact)
        if key not in self._translations:
            self._translations[key] = Translation(question.same_block, question.apart, exact=exact)
        return stated(self._translations[key], question, exact=exact)

    def _refuted(self, question: Question, seconds: float) -> bool:
        """Whether it is proved that there are no such threads."""
        simpler = plain(question)
        tries = [(simpler, False, _PLAIN)] if simpler is not None else []
        for one, exact, share in ((question, False, _BY_LAWS), *tries, (question, True, _BY_PRODUCTS)):
            said = self._stated(one, exact=exact)
            if self._check(said.assertions, seconds * share)[0] == z3.unsat:
                self._decided = question.about, said.parts, "unsat"
                return True
        return False

    def _model(self, question: Question, end: float) -> Model | None:
        """Two threads as is asked, and rather should be; of what is likely else of launches with given numbers."""
        left = end - worked()
        is_given = question.likely and left > _SHORT
        last, end = end, worked() + ((1 - _GIVEN) * left if is_given else left)
        best: Model | None = None
        wished = question
        for wish in question.rather:
            better = replace(wished, known=(*wished.known, *wish))
            found = self._smallest(better, worked() + (end - worked()) / 2)
            if found is not None:
                best, wished = found, better
        found = best or self._smallest(wished, end)
        return self._with_numbers(question, last) if found is None and is_given else found

    def _with_numbers(self, question: Question, end: float) -> Model | None:
        """Two threads as is asked of a launch whose numbers are all one number: products are of one unknown then."""
        for number in () if question.far or question.tickets else _NUMBERS:
            given = given_numbers(question, number)
            found = self._smallest(given, worked() + (end - worked()) / 4)
            if found is not None:
                return replace(found, numbers={**numbers_of(question, number), **found.numbers})
        return None

    def _smallest(self, question: Question, end: float) -> Model | None:
        """Two threads as is asked, with exact products, at the smallest size at which z3 finds some."""
        said = self._stated(question, exact=True)
        for block, grid, numbers in _SMALL if not question.far else (_ANY,):
            bounds = []
            for name, made in said.symbols.items():
                if z3.is_bool(made):
                    continue
                most = block if name.startswith("blockDim") else grid if name.startswith("gridDim") else numbers
                bounds += [made <= most, made >= -numbers]
            found, of = self._check((*said.assertions, *bounds), end - worked())
            if of is not None:
                model = _read(of, said)
                if question.shown:
                    bounds, model = self._fewer(said, bounds, model)
                self._decided = question.about, (*said.parts, ("A launch of this size.", tuple(bounds))), "sat"
                return model
            if found == z3.unknown:
                return None
        return None

    def _fewer(self, said: Stated, bounds: list[Any], model: Model) -> tuple[list[Any], Model]:
        """Bounds and a model of fewer threads, where one is found in time: one of its sizes is less, and none more."""
        end = worked() + _SMALLER
        while model.threads > _MANY:
            sizes = {name: model.numbers[name] for name in _SIZES if model.numbers.get(name, 1) > 1}
            names = sorted(sizes, key=lambda one: -sizes[one])
            for name, less in [(one, sizes[one] // 2) for one in names] + [(one, sizes[one] - 1) for one in names]:
                tighter = [*bounds, *(said.symbols[one] <= most for one, most in (sizes | {name: less}).items())]
                _, of = self._check((*said.assertions, *tighter), end - worked())
                if of is not None:
                    bounds, model = tighter, _read(of, said)
                    break
            else:
                break
        return bounds, model

    def _check(self, assertions: tuple[Any, ...], seconds: float) -> tuple[Any, Any]:
        """What z3 finds, and the model."""
        if seconds <= 0 or self._end.left() == 0:
            return z3.unknown, None
        solver = z3.Solver()
        solver.add(*assertions)
        with interrupted_after(seconds, self._end):
            found = solver.check()
        return found, solver.model() if found == z3.sat else None


def _read(of: Any, said: Stated) -> Model:
    numbers = {}
    for name, made in said.symbols.items():
        value = of.eval(made, model_completion=True)
        numbers[name] = int(z3.is_true(value)) if z3.is_bool(made) else value.as_long()
    contents: dict[str, dict[int, int]] = {}
    for leaf in said.reads:
        offset = of.eval(leaf.at, model_completion=True)
        value = of.eval(leaf.made, model_completion=True)
        contents.setdefault(leaf.name, {})[offset.as_long()] = value.as_long()
    return Model(numbers, contents)
