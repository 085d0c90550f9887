"""The answer of z3 to a question about all launches: a proof by laws of products, or a model at a small size."""

from __future__ import annotations

from threading import Lock
from typing import Any

import z3

from scopec.engines.z3.terms import Translation, stated
from scopec.sizes.questions import Answer, Model, Question

#: Bounds of the sizes and of the numbers at which models are sought.
_SMALL = ((2, 4), (4, 9), (16, 40), (64, 200), (1024, 5000))
#: z3 has one context for all threads.
_ONE_AT_A_TIME = Lock()
_SIZES = ("blockDim", "gridDim")


def refuted(question: Question, milliseconds: int) -> bool:
    """Whether it is proved that there are no such threads."""
    translation = Translation(question, exact=False)
    assertions = stated(translation)
    if _check([*assertions, *translation.facts, *translation.laws()], milliseconds)[0] == z3.unsat:
        return True
    exact = Translation(question, exact=True)
    return bool(_check([*stated(exact), *exact.facts, *exact.laws()], milliseconds // 4)[0] == z3.unsat)


def model(question: Question, milliseconds: int) -> Model | None:
    """Two threads as is asked, with exact products, at the smallest size at which z3 finds some."""
    for sizes, numbers in _SMALL:
        translation = Translation(question, exact=True)
        assertions = stated(translation)
        bounds = []
        for name, made in translation.symbols.items():
            if z3.is_bool(made):
                continue
            most = sizes if name.startswith(_SIZES) else numbers
            bounds += [made <= most, made >= -numbers]
        found, of = _check([*assertions, *translation.facts, *translation.laws(), *bounds], milliseconds)
        if of is not None:
            return _model(of, translation)
        if found == z3.unknown:
            return None
    return None


def answer(question: Question, seconds: float, memory: int | None) -> Answer:
    """Whether there are two threads as is asked; within so many bytes, and about so many seconds for each try."""
    milliseconds = int(seconds * 1000)
    with _ONE_AT_A_TIME:
        if memory is not None:
            z3.set_param("memory_max_size", max(64, memory >> 20))
        try:
            return "none" if refuted(question, milliseconds) else model(question, milliseconds)
        except z3.Z3Exception:  # memory is used up
            return None


def _check(assertions: list[Any], milliseconds: int) -> tuple[Any, Any]:
    solver = z3.Solver()
    solver.set("timeout", max(1, milliseconds))
    solver.add(*assertions)
    found = solver.check()
    return found, solver.model() if found == z3.sat else None


def _model(of: Any, translation: Translation) -> Model:
    numbers = {}
    for name, made in translation.symbols.items():
        value = of.eval(made, model_completion=True)
        numbers[name] = int(z3.is_true(value)) if z3.is_bool(made) else value.as_long()
    contents: dict[str, dict[int, int]] = {}
    for name, places in translation.reads.items():
        function = translation.function(name)
        for at in places:
            offset = of.eval(at, model_completion=True)
            value = of.eval(function(offset), model_completion=True)
            contents.setdefault(name, {})[offset.as_long()] = value.as_long()
    return Model(numbers, contents)
