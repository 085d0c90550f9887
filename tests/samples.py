"""Samples of sweeps, for an ordinary run; ``SCOPEC_EVERY=1`` takes all, as ``.ci/night`` does (CONTRIBUTING.md).

``@pytest.mark.sampled(N)`` takes N of the cases of a test, spread over the list, and ``sampled(0)`` leaves a test to the
night; ``programs`` is how many random programs one tries, ``spread`` takes some of a list.  They are for cases of one kind,
each of which asks the same of another program, and for what takes longest and finds least.  A mutant of an axiom, a promise,
a rule or a reduction is asked about always: where several tests notice it, by the cheapest.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import pytest

VARIABLE = "SCOPEC_EVERY"
#: Whether everything is asked for.
EVERY = os.environ.get(VARIABLE) == "1"
#: What asks for all of some tests (CONTRIBUTING.md): where one is set, no case is left out.
OF_SOME = ("RANDOM_PROGRAMS", "ENGINE_SPECS", "NVCC_SPECS", "HARDWARE_SPECS", "COLD_SPECS")
_WHOLE = EVERY or any(f"SCOPEC_{name}" in os.environ for name in OF_SOME)
_T = TypeVar("_T")


def programs(few: int, many: int) -> int:
    """How many random programs are tried: ``SCOPEC_RANDOM_PROGRAMS``, and where it is not set few, or many of everything."""
    return int(os.environ.get("SCOPEC_RANDOM_PROGRAMS", many if EVERY else few))


def spread(cases: Sequence[_T], most: int) -> list[_T]:
    """At most so many of the cases, the first among them, at equal distances."""
    return [cases[n * len(cases) // most] for n in range(most)] if most < len(cases) else list(cases)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is left out is counted as deselected; a case that was named is taken, if the test is not left to the night."""
    if _WHOLE:
        return
    families: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled"):
            families[item.nodeid.partition("[")[0]].append(item)
    left_out = set()
    for family in families.values():
        mark = family[0].get_closest_marker("sampled")
        assert mark is not None
        left_out |= set(family) - set(spread(family, *mark.args))
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
