"""Conditions on launches that may settle what is undecided, guessed from a kernel's own terms.

A guess is nothing but a guess: whoever offers one has to prove what it settles, and that launches meet it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations

from scopec.base.records import dataclass
from scopec.program import anythread as terms
from scopec.program.anythread import ONE, TRUE, ZERO, AnyThread, Term, both, const, equal, less, opposite, symbol
from scopec.sizes.questions import Model

#: So many numbers of the code, and parameters, are tried at most.
_MOST_NUMBERS = 3
_MOST_PARAMETERS = 3


@dataclass(frozen=True)
class Condition:
    """A condition on launches, in C++ and as a term."""

    text: str
    term: Term

    def and_(self, other: Condition) -> Condition:
        """Both conditions."""
        return Condition(f"{self.text} && {other.text}", both(self.term, other.term))

    def may_hold(self, at: Model) -> bool:
        """Whether the launch of a model may meet it: then it does not part the two threads of that model."""
        known = {one: const(at.numbers[name]) for name, one in terms.symbols(self.term).items() if name in at.numbers}
        return terms.substituted(self.term, known) is not terms.FALSE


def conditions(form: AnyThread, numbers: frozenset[str]) -> Iterator[Condition]:
    """Guesses, the weakest first; ``numbers`` are the parameters that a condition can name."""
    shapes, sizes = list(_of_shapes(form)), list(_of_parameters(form, numbers))
    alone = [*sizes, *shapes]
    yield from alone
    yield from (shape.and_(size) for shape in shapes for size in sizes)
    yield from (one.and_(other) for one, other in combinations(sizes, 2))
    grid = _one_block(form)
    yield from (one.and_(grid) for one in alone if one != grid)


def _size(name: str) -> Term:
    return symbol(name, "launch", 1)


def _axes(form: AnyThread) -> str:
    """The directions of a block at which the code looks."""
    return "".join(a for a in "xyz" if {f"threadIdx.{a}", f"blockDim.{a}"} & form.dimensions) or "x"


def _of_shapes(form: AnyThread) -> Iterator[Condition]:
    """Conditions on grid and block."""
    block = _size("blockDim.x")
    for number in _numbers(form):
        found = [
            Condition(f"blockDim.{a} == {number}", equal(_size(f"blockDim.{a}"), const(number))) for a in _axes(form)
        ]
        for axes in range(1, len(found) + 1):
            same = found[0]
            for one in found[1:axes]:
                same = same.and_(one)
            yield same
        yield Condition(f"blockDim.x <= {number}", opposite(less(const(number), block)))
    yield Condition("blockDim.x % 32 == 0", equal(terms.mod(block, const(32)), ZERO))
    below = terms.add(block, const(-1))
    yield Condition("(blockDim.x & (blockDim.x - 1)) == 0", equal(terms.mask(block, below), ZERO))
    yield _one_block(form)


def _one_block(form: AnyThread) -> Condition:
    found = None
    for axis in "xyz":
        if axis == "x" or {f"blockIdx.{axis}", f"gridDim.{axis}"} & form.dimensions:
            one = Condition(f"gridDim.{axis} == 1", equal(_size(f"gridDim.{axis}"), ONE))
            found = one if found is None else found.and_(one)
    assert found is not None
    return found


def _numbers(form: AnyThread) -> list[int]:
    """The numbers of elements by which the code's accesses are apart, the most frequent first."""
    found = Counter[int]()
    for access in form.accesses:
        for term, factor in terms.linear(access.offset)[0].items():
            elements = abs(factor) // max(access.bytes, 1)
            if 1 < elements <= form.most_threads and any(one.level != "launch" for one in terms.symbols(term).values()):
                found[elements] += 1
    return [number for number, _ in found.most_common(_MOST_NUMBERS)]


def _of_parameters(form: AnyThread, numbers: frozenset[str]) -> Iterator[Condition]:
    """Conditions on numbers that are parameters and decide over accesses or barriers."""
    deciding = [term for access in form.accesses for term in (access.offset, access.condition)]
    deciding += [*(barrier.condition for barrier in form.barriers), *(loop.again for loop in form.loops)]
    used = terms.symbols(*deciding)
    known = [(name, term) for name, term in form.parameters if name in numbers and name in used and term is not None]
    known = [(name, term) for name, term in known if not terms.is_truth(term)][:_MOST_PARAMETERS]
    natural = TRUE
    for _, term in known:
        natural = both(natural, opposite(less(term, ZERO)))
    if any(not terms.is_natural(term) for _, term in known):
        yield Condition(" && ".join(f"{name} >= 0" for name, _ in known), natural)
    across = terms.mul(_size("gridDim.x"), _size("blockDim.x"))
    for name, term in known:
        yield Condition(f"{name} > 0", less(ZERO, term))
    for name, term in known:
        yield Condition(f"{name} >= int(gridDim.x * blockDim.x)", opposite(less(term, across)))
        yield Condition(f"{name} >= int(blockDim.x)", opposite(less(term, _size("blockDim.x"))))
        yield Condition(
            f"0 <= {name} && {name} <= int(gridDim.x * blockDim.x)",
            both(opposite(less(term, ZERO)), opposite(less(across, term))),
        )
    for (name, term), (other, more) in permutations(known, 2):
        if terms.is_natural(term) != terms.is_natural(more):
            continue  # C++ compares an unsigned number and one below 0 as if both were unsigned
        yield Condition(f"0 <= {name} && {name} < {other}", both(opposite(less(term, ZERO)), less(term, more)))
