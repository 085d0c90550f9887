"""The search for a launch of a kernel that asks what the kernel is made for.

Objects are as large as the indices need, which is found by trying.  A guess with undefined behaviour, or a certain
race, may be one that nobody makes: a kernel for blocks of 16 threads with 2, or rows that overlap.  So others are
tried.  One with other numbers takes the place of a racy one only if the two threads still make the two accesses,
without a race; one with a block of the file's own whenever it has no race.  Of what is passed over the report tells.

Where no two threads come near each other there is little to ask.  Then arrays that decide where threads go are filled
with numbers in place of zeros, and a kernel that shares something is tried with two warps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError, bounded_nesting
from scopec.base.limits import limited, worked
from scopec.base.records import dataclass
from scopec.frontends.clang.machine.refusals import CutError
from scopec.frontends.clang.ptx.text import is_ptx
from scopec.program.ir import Storage
from scopec.session.guess_quality import CLEAN, Quality, accesses, quality_of, with_all_accesses
from scopec.session.guess_text import (
    ARGUMENT,
    Numbers,
    directives,
    has_numbers,
    is_of_directives,
    larger,
    lengths,
    namings,
    row,
    shapes,
    smallest,
    wider,
    with_parts,
)
from scopec.session.inquiry.content import deciding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.base.source import Source
    from scopec.frontends.clang.kernels import Kernel
    from scopec.session.inquiry.run import Run

#: The elements of an object, until no index leaves it.
_SIZES = (16, 256, 4096, 65536)
#: The seconds of the processor from which on a try counts as slow: then sizes are left out up to that of this place.
_SLOW, _LARGE = 1.0, 2
#: The guess for numbers: as many as there are threads of a row, at first.
_NUMBERS = (4, 2, 16)
#: The number for blocks of two warps: as many as there are threads.
_MANY = 128
#: The lengths that rows may need which do not overlap.
_LENGTHS = (64, 256)
#: Other numbers for a template whose arguments are chosen: of rows and blocks, mostly.
_ARGUMENTS = (4, 16, 1)
#: What helps where no guess does.
_WRITE = "write a `//@ launch` for it"
_EVERY = "; `scopec check --every` asks about all its launches"
#: The most arrays of which each is reached by the content of another.
_LEVELS = 3


def ways_out(source: Source, first: str) -> str:
    """What helps where guesses are too large: ``first``, or the question that needs none, which PTX does not have."""
    return first if is_ptx(source) else first + _EVERY


@dataclass(frozen=True)
class Asked:
    """The questions of a text, what is reported of it, and why no launch was found for some kernels."""

    runs: tuple[Run, ...]
    warnings: tuple[Diagnostic, ...]
    unguessed: tuple[tuple[str, tuple[Diagnostic, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """Directives, the plan of the file with them, how good they are, and what is to be told of them.

    ``doubt`` is why a race that is found may be one of the guess alone.
    """

    shape: str
    numbers: Numbers
    size: int
    directives: tuple[str, ...]
    plan: Asked
    quality: Quality
    notes: tuple[str, ...] = ()
    doubt: str | None = None

    @property
    def launch(self) -> str:
        """The launch, without the directive's word."""
        return self.directives[-1].removeprefix("launch ").removesuffix(";")

    @property
    def run(self) -> Run:
        """What is asked."""
        return self.plan.runs[0]


def best(source: Source, kernel: Kernel, planned: Callable[[Source], Asked], seconds: float) -> Guess:
    """The first guess without flaws, or else that with the fewest; InputError if the file can be asked under none.

    A block that is refused as another guess was is tried with no other numbers.
    Where the seconds, of the processor, end first, what is reported may be a guess that a faster machine passes over: a
    note says so.
    """
    found: list[Guess] = []
    refused: InputError | None = None
    refusals: set[tuple[Diagnostic, ...]] = set()
    given_up: set[str] = set()
    left: tuple[str, Numbers] | None = None
    tries, end = _tries(kernel, found), worked() + seconds
    half = end - seconds / 2  # for the first one, so that a smaller one can be tried
    while (one := next(tries, None)) is not None:
        shape, numbers = one
        if shape in given_up:
            continue
        racy = _racy(found)
        try:
            within = limited(max(0.1, (end if found or left else half) - worked()), None, worked=True)
            with within, bounded_nesting(kernel.span, f"what `{kernel.name}` computes under some launch", _WRITE):
                guess = _sized(source, kernel, shape, numbers, found, planned, slow=left is not None)
                if racy and not any(guess.quality.flaws) and guess.shape == racy.shape and not _makes(guess, racy):
                    continue  # the race may be gone because a thread does less
        except CutError as cut:
            parted = with_parts(kernel, cut.object, cut.size)
            if parted == kernel:
                refused = refused or cut
            else:
                kernel, tries = parted, _tries(parted, found)
            continue
        except InputError as bad:
            refused = refused or bad
            if bad.diagnostics in refusals:
                given_up.add(shape)
            refusals.add(bad.diagnostics)
            if any(one.code is Code.TOO_LARGE for one in bad.diagnostics) and not (found or left):
                tries, left = iter([smallest(kernel)]), one
            continue
        except LimitError:
            tries = iter(()) if found or left else iter([smallest(kernel)])
            left = left or one
            continue
        found.append(guess)
        if not any(guess.quality.flaws) and (guess.quality.meet or racy):
            break
    if not found:
        message = f"no launch of `{kernel.name}` was found that can be read within {seconds:.0f} s of the processor"
        raise refused or InputError(Diagnostic(Code.TOO_LARGE, message, kernel.span, ways_out(source, _WRITE)))
    chosen = _chosen(found)
    if chosen.quality.faults:
        fault = chosen.run.graph.faults[0]
        said = f"under each launch that was tried for `{kernel.name}` something is undefined, with {chosen.launch}"
        help_ = f"{_WRITE}, with the arguments that it is made for"
        raise InputError(Diagnostic(Code.NOT_LAUNCHED, f"{said}: {fault.text}", fault.span, help_))
    if kernel.shape.shares and chosen.quality == CLEAN and chosen.shape == next(shapes(kernel)) and not left:
        chosen = _wider(source, kernel, chosen, planned, end)
    doubt = _doubt(kernel, chosen, left, seconds) if left and chosen.quality.race else None
    if chosen.quality.cut and not chosen.quality.race:
        chosen = _unrolled(source, kernel, chosen, planned, end)
    return replace(chosen, notes=tuple(_notes(chosen, _racy(found), left, seconds)), doubt=doubt)


def _chosen(found: list[Guess]) -> Guess:
    """The last guess if nothing is wrong with it, and threads meet, or met with a race before; else one with a race.

    If there is none of these, the first in which no threads meet, or that with the fewest faults.
    """
    racy = _racy(found)
    if racy is not None and any(found[-1].quality.flaws):
        return racy
    if any(found[-1].quality.flaws) or (found[-1].quality.idle and racy is None):
        return min(found, key=lambda guess: guess.quality.flaws)
    return found[-1]


def _unrolled(source: Source, kernel: Kernel, chosen: Guess, planned: Callable[[Source], Asked], end: float) -> Guess:
    """A guess with loops unrolled as often as its numbers say, if that is read in time; else the guess itself."""
    try:
        with limited(max(0.1, end - worked()), None, worked=True), bounded_nesting(kernel.span, "the loops"):
            turns = chosen.numbers.each
            guess = _tried(source, kernel, chosen.shape, chosen.numbers, chosen.size, planned, turns)
    except (InputError, LimitError):
        return chosen
    return chosen if any(guess.quality.flaws) else guess


def _wider(source: Source, kernel: Kernel, chosen: Guess, planned: Callable[[Source], Asked], end: float) -> Guess:
    """One block of more threads with the same numbers, if its shared memory has a race: of a scan, two threads show
    little.

    A block of the file's own without one, read in the same time, says that the kernel is not made for this block.
    """

    def tried(shape: str) -> Guess | None:
        try:
            with limited(max(0.1, end - worked()), None, worked=True), bounded_nesting(kernel.span, "more threads"):
                return _tried(source, kernel, shape, chosen.numbers, chosen.size, planned)
        except (InputError, LimitError):
            return None

    guess = tried(wider(kernel))
    if guess is None or guess.quality.flaws != (0, True) or not _is_of_block(guess):
        return chosen
    _, *own = shapes(kernel)
    return chosen if any(one.quality == CLEAN for one in map(tried, own) if one is not None) else guess


def _notes(chosen: Guess, racy: Guess | None, left: tuple[str, Numbers] | None, seconds: float) -> Iterator[str]:
    """What is told of a guess that is taken, beside the first racy one."""
    if racy is not None and not chosen.quality.race:
        yield f"passed over, as it has a race: {racy.launch}"
    if left:
        yield f"larger launches were not tried: {_late(seconds)}"
    if not chosen.quality.meet:
        yield "no two threads come to an element that one of them writes"


def _racy(found: list[Guess]) -> Guess | None:
    """The first guess without a fault that has a race."""
    return next((guess for guess in found if guess.quality.flaws == (0, True)), None)


def _doubt(kernel: Kernel, racy: Guess, left: tuple[str, Numbers], seconds: float) -> str | None:
    """Why a race may be one of the guess alone, where tries are left, the first of them given."""
    shape, numbers = left
    taken = f"the race is one of a guessed launch, {racy.launch}"
    if shape == racy.shape:
        longer = [name for name, _ in numbers.others if name in _factors(kernel)]
        if not longer:
            return None
        names = ", ".join(f"`{name}`" for name in longer)
        return f"{taken}, and others with {names} greater were not tried: {_late(seconds)}"
    assert racy.quality.race is not None
    threads = {thread.name: thread for thread in racy.run.program.threads}
    one, other = (threads[event.thread] for event in racy.quality.race)
    if one.block == other.block or not kernel.shape.counts:
        return None
    own = ", ".join(f"`{block}`" for block in kernel.shape.blocks)
    return f"{taken}, and blocks of the file's own ({own}) were not tried: {_late(seconds)}"


def _late(seconds: float) -> str:
    return f"they are too large to be read within {seconds:.0f} s of the processor"


def _makes(guess: Guess, racy: Guess) -> bool:
    """Whether the threads that race under one guess make these accesses under another one."""
    assert racy.quality.race is not None
    made = {(event.thread, event.span, event.writes) for event in accesses(with_all_accesses(guess.run))}
    return all((event.thread, event.span, event.writes) in made for event in racy.quality.race)


# ---------------------------------------------------------------- what is tried


def _tries(kernel: Kernel, found: list[Guess]) -> Iterator[tuple[str, Numbers]]:
    """Shapes, and what numbers are; rows that do not overlap where ``found``, what came of these tries, has a race.

    Behind a guess in which no threads meet, what may bring them together.
    """
    for shape in dict.fromkeys(shapes(kernel)):
        plain = _plain(kernel, shape)
        for numbers in plain:
            yield shape, numbers
            if found and found[-1].quality.idle:
                yield from ((shape, filled) for filled in _filled(found))
            racy = _racy(found)
            if racy is not None and racy.shape == shape:
                yield from ((shape, longer) for longer in _longer(kernel, racy))
                break
            if any(guess.quality.idle for guess in found) and (numbers != plain[0] or not kernel.shape.shares):
                break
        racy = _racy(found)
        numbers = racy.numbers if racy is not None and racy.shape == shape else plain[0]
        others = (replace(numbers, argument=argument) for argument in (ARGUMENT, *_ARGUMENTS))
        if not any(guess.shape == shape for guess in found):
            continue  # the text cannot be read with this block, whatever the arguments
        if not any(guess.quality.idle for guess in found):
            yield from ((shape, other) for other in others if other.named(kernel) != numbers.named(kernel))
        elif not (kernel.shape.shares or kernel.shape.counts):
            return
    if kernel.shape.shares and all(guess.quality.idle for guess in found):
        first, *_ = _plain(kernel, larger(kernel))
        yield from ((larger(kernel), numbers) for numbers in dict.fromkeys((first, replace(first, each=_MANY))))


def _plain(kernel: Kernel, shape: str) -> list[Numbers]:
    """Numbers that are the same for all parameters; arguments of templates may be the size of a row."""
    argument = row(shape) or ARGUMENT
    each = _NUMBERS if has_numbers(kernel.parameters) else _NUMBERS[:1]
    return [Numbers(number, argument=argument) for number in each]


def _filled(found: list[Guess]) -> Iterator[Numbers]:
    """The numbers of the last guess with arrays filled that decide where its threads go, and those that decide then."""
    numbers = found[-1].numbers
    for _ in range(_LEVELS):
        run = found[-1].run
        filled = {*deciding(run.program, run.source), *numbers.filled}
        if not found[-1].quality.idle or filled == set(numbers.filled):
            return
        numbers = replace(numbers, filled=tuple(sorted(filled)))
        yield numbers


def _factors(kernel: Kernel) -> list[str]:
    """The arguments that the kernel multiplies with, as lengths of rows are."""
    return [name for name, own in lengths(kernel.parameters) if own in kernel.shape.factors]


def _longer(kernel: Kernel, racy: Guess) -> Iterator[Numbers]:
    """Numbers with longer rows: one argument, then all that the kernel multiplies with, then the others.

    These, which may be lengths of rows in a way that its text does not show, are none of rows of a block's own memory.
    """
    numbers, factors = racy.numbers, _factors(kernel)
    for length in _LENGTHS:
        yield from (replace(numbers, others=((name, length),)) for name in factors)
    if len(factors) > 1:
        yield replace(numbers, others=tuple((name, _LENGTHS[0]) for name in factors))
        for names in (factors, factors[::-1]):  # rows, and what is made of rows
            yield replace(numbers, others=tuple((name, _LENGTHS[0] * 4**n) for n, name in enumerate(names)))
    for name, _ in () if _is_of_block(racy) else lengths(kernel.parameters):
        if name not in factors:
            yield replace(numbers, others=((name, _LENGTHS[0]),))


def _is_of_block(racy: Guess) -> bool:
    """Whether a race is one on shared memory."""
    assert racy.quality.race is not None
    places = (event.location for event in racy.quality.race)
    objects = racy.run.program.objects
    return any(at is not None and objects[at.object].storage is Storage.SHARED for at in places)


def _sized(
    source: Source, kernel: Kernel, shape: str, numbers: Numbers, found: list[Guess],
    planned: Callable[[Source], Asked], *, slow: bool,
) -> Guess:  # fmt: skip
    """The guess with the smallest objects that no index leaves, none smaller than another one needs.

    What is known to be ``slow``, or is refused with small ones, is tried with large ones at once; what is wrong in the
    same way with two sizes with no others.
    """
    refused: InputError | None = None
    least = max((guess.size for guess in found if not guess.quality.faults), default=0)
    sized: list[Guess] = []
    begun = worked()
    for size in _SIZES:
        slow = slow or (bool(sized) and worked() - begun > _SLOW)
        if size < (_SIZES[_LARGE] if slow or refused else least):
            continue
        try:
            sized.append(_tried(source, kernel, shape, numbers, size, planned))
        except CutError:
            raise
        except InputError as bad:
            if refused or slow:
                raise (refused or bad) from None
            refused = bad
            continue
        if not sized[-1].quality.faults:
            return sized[-1]
        if len({frozenset(fault.text for fault in guess.run.graph.faults) for guess in sized}) < len(sized):
            break  # an index that leaves an object names the object's size
    if not sized and refused:
        raise refused
    return min(sized, key=lambda guess: guess.quality.faults)


def _tried(
    source: Source,
    kernel: Kernel,
    shape: str,
    numbers: Numbers,
    size: int,
    planned: Callable[[Source], Asked],
    turns: int = 0,
) -> Guess:
    """A guess, with declarations of objects that the file has no other use for, and clang takes.

    Loops are unrolled so many ``turns``, if that is not 0.
    """
    bound = (f"bound unroll = {turns};",) if turns else ()
    refused: InputError | None = None
    for naming in namings(kernel):
        if naming.prefix and refused is not None and not is_of_directives(refused, source):
            continue
        lines = (*bound, *directives(kernel, shape, numbers, size, naming))
        text = source.text + "".join(f"\n//@ {line}" for line in lines) + "\n"
        try:
            plan = planned(replace(source, text=text))
        except CutError:
            raise
        except InputError as bad:
            if refused is None or any(one.code is Code.DUPLICATE for one in refused.diagnostics):
                refused = bad  # the file has such a name itself
            continue
        return Guess(shape, numbers, size, lines, plan, quality_of(plan.runs[0]))
    assert refused is not None
    raise refused
