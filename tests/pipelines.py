"""Ten pipelines of producers and consumers: a ring of stages that bulk copies fill, and mbarriers that say full and empty.

Each as C++, and for the simulator; a few constants of each can be set wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.oracles.asynchronous import program as p
from tests.pipeline_kernels import AHEAD, BARRIERS, CHANGES, ELECTED, HEAD, OPERANDS, PTX, READS, STATE, STORES

Code = list[p.Instruction]
Constants = Mapping[str, int]

#: What a pipeline has where it is right. FIRST: the parity with which the producer looks at an empty stage first; FULL and
#: EMPTY: arrivals of a phase; BYTES: expected of a stage.
RIGHT = {"FIRST": 1, "FULL": 1, "EMPTY": 1, "BYTES": 16, "WAITS": 1, "FENCES": 1}

# ---------------------------------------------------------------- for the simulator


def _program(c: Constants, *codes: Code, names: tuple[str, ...] = ("s",)) -> p.Program:
    inits: Code = []
    for s in range(c["STAGES"]):
        inits += [p.Init(f"full{s}", c["FULL"]), p.Init(f"empty{s}", c["EMPTY"])]
    first, *others = codes
    threads = [[*inits, p.BlockBarrier(), *first], *([p.BlockBarrier(), *code] for code in others)]
    barriers = [p.Barrier(f"{what}{s}") for s in range(c["STAGES"]) for what in ("full", "empty")]
    arrays = [p.Array(name, c["STAGES"], block=0) for name in names]
    arrays += [p.Array("g", c["TILES"]), p.Array("out", c["TILES"])]
    return p.Program((tuple(p.Thread(tuple(code)) for code in threads),), (*arrays, *barriers))


def _loads(tile: int, stage: int, names: tuple[str, ...]) -> Code:
    return [p.BulkCopy(p.Span("g", 1, tile), (p.Span(name, 1, stage),), (f"full{stage}",)) for name in names]


def _fence(c: Constants) -> Code:
    return [p.ProxyFence("async", "shared")] if c["FENCES"] else []


def _turns(c: Constants) -> list[tuple[int, int, int]]:
    """Of each tile its stage and the parity of the turn."""
    return [(i, i % c["STAGES"], i // c["STAGES"] % 2) for i in range(c["TILES"])]


def _ring(
    c: Constants, *uses: Callable[[int, int], Code], names: tuple[str, ...] = ("s",), primed: bool = False
) -> p.Program:
    """A producer, and consumers that do something with each tile and hand its stage back."""
    producer: Code = []
    for i, s, turn in _turns(c):
        if c["WAITS"] and not (primed and i < c["STAGES"]):
            producer.append(p.Wait(f"empty{s}", turn ^ c["FIRST"]))
        producer += [p.ArriveExpectTx(f"full{s}", c["BYTES"]), *_loads(i, s, names)]
    consumers: list[Code] = []
    for use in uses:
        code: Code = []
        for i, s, turn in _turns(c):
            code += [p.Wait(f"full{s}", turn), *use(i, s)]
        consumers.append(code)
    return _program(c, producer, *consumers, names=names)


def _read(c: Constants) -> Callable[[int, int], Code]:
    return lambda _, s: [p.Load(p.Loc("s", s), "r"), *_fence(c), p.Arrive(f"empty{s}")]


def _reads(c: Constants) -> p.Program:
    return _ring(c, *(_read(c) for _ in range(c["THREADS"] - 1)))


def _reads_primed(c: Constants) -> p.Program:
    return _ring(c, _read(c), primed=True)


def _changes(c: Constants) -> p.Program:
    def use(i: int, s: int) -> Code:
        return [p.Load(p.Loc("s", s), "r"), p.Store(p.Loc("s", s), 2), *_fence(c), p.Arrive(f"empty{s}")]

    return _ring(c, use)


def _stores(c: Constants) -> p.Program:
    def use(i: int, s: int) -> Code:
        copy: Code = [p.BulkStore(p.Span("s", 1, s), p.Span("out", 1, i)), p.BulkCommit(), p.BulkWait(0, read=True)]
        return [p.Load(p.Loc("s", s), "r"), p.Store(p.Loc("s", s), 2), *_fence(c), *copy, p.Arrive(f"empty{s}")]

    return _ring(c, use)


def _elected(c: Constants) -> p.Program:
    def use(elected: bool) -> Callable[[int, int], Code]:
        def code(i: int, s: int) -> Code:
            meet: Code = [p.SyncWarp((1, 2))] if c["MEETS"] else []
            last: Code = [p.Arrive(f"empty{s}")] if elected else []
            return [p.Load(p.Loc("s", s), "r"), *_fence(c), *meet, *last]

        return code

    return _ring(c, use(True), use(False))


def _operands(c: Constants) -> p.Program:
    def use(i: int, s: int) -> Code:
        return [p.Load(p.Loc("a", s), "r"), p.Load(p.Loc("b", s), "q"), *_fence(c), p.Arrive(f"empty{s}")]

    return _ring(c, use, names=("a", "b"))


def _tokens(c: Constants) -> p.Program:
    producer: Code = []
    consumer: Code = [p.Arrive(f"empty{s}") for s in range(c["STAGES"])]
    for i, s, _ in _turns(c):
        if c["WAITS"]:
            producer += [p.Arrive(f"empty{s}", dst=f"t{i}"), p.Wait(f"empty{s}", token=f"t{i}")]
        producer += [*_loads(i, s, ("s",)), p.ArriveExpectTx(f"full{s}", c["BYTES"])]
        consumer += [p.Arrive(f"full{s}", dst=f"t{i}"), p.Wait(f"full{s}", token=f"t{i}"), p.Load(p.Loc("s", s), "r")]
        consumer += [*_fence(c), p.Arrive(f"empty{s}")]
    return _program(c, producer, consumer)


def _ahead(c: Constants) -> p.Program:
    codes: list[Code] = []
    for thread in range(2):

        def issue(i: int, thread: int = thread) -> Code:
            s = i % c["STAGES"]
            return (
                [] if thread or i == c["TILES"] else [p.ArriveExpectTx(f"full{s}", c["BYTES"]), *_loads(i, s, ("s",))]
            )

        code = issue(0)
        for i, s, turn in _turns(c):
            code += [*issue(i + 1), p.Wait(f"full{s}", turn ^ (1 - c["FIRST"])), p.Load(p.Loc("s", s), "r"), *_fence(c)]
            code += [p.BlockBarrier()] if c["MEETS"] else []
        codes.append(code)
    return _program(c, *codes)


# ---------------------------------------------------------------- the table


@dataclass(frozen=True)
class Pipeline:
    """Constants are those of RIGHT and these; `broken` says of some other values what is wrong then: race, hang, undefined
    (a rule of mbarriers is broken in some run, and nothing more is said)."""

    kernel: str
    program: Callable[[Constants], p.Program]
    constants: Constants
    broken: Mapping[str, str] = field(default_factory=dict)

    def with_(self, change: str) -> dict[str, int]:
        """The constants, with one changed: `NAME=VALUE`."""
        name, _, value = change.partition("=")
        return {**RIGHT, **self.constants, **({name: int(value)} if change else {})}

    def text(self, constants: Constants) -> str:
        lines = [f"constexpr int {name} = {value};" for name, value in constants.items()]
        launch = f"//@ launch k<<<1, {constants['THREADS']}>>>();\n//@ expect race_free;\n//@ expect terminates;\n"
        return "\n".join([*lines, HEAD, self.kernel, launch])


def _sizes(threads: int, stages: int, tiles: int, **others: int) -> dict[str, int]:
    return {"THREADS": threads, "STAGES": stages, "TILES": tiles, **others}


_USUAL = {"FIRST=0": "hang", "WAITS=0": "undefined", "BYTES=32": "hang", "FENCES=0": "race"}
_ONE = {**_USUAL, "EMPTY=2": "hang"}
PIPELINES = {
    "one consumer": Pipeline(READS, _reads, _sizes(2, 2, 4), _ONE),
    "two consumers": Pipeline(
        READS, _reads, _sizes(3, 2, 4, EMPTY=2), {**_USUAL, "EMPTY=1": "undefined", "EMPTY=3": "hang"}
    ),
    "a state that flips its phase": Pipeline(STATE, _reads, _sizes(2, 3, 5), _ONE),
    "a consumer that writes": Pipeline(CHANGES, _changes, _sizes(2, 2, 4), _ONE),
    "a consumer that stores": Pipeline(STORES, _stores, _sizes(2, 2, 4), _ONE),
    "an elected consumer": Pipeline(ELECTED, _elected, _sizes(3, 2, 4, MEETS=1), {**_ONE, "MEETS=0": "race hang"}),
    "two operands": Pipeline(
        OPERANDS, _operands, _sizes(2, 2, 4, BYTES=32),
        {"FIRST=0": "hang", "WAITS=0": "undefined", "EMPTY=2": "hang", "BYTES=16": "race", "BYTES=48": "hang", "FENCES=0": "race"},
    ),
    "four stages, filled at first": Pipeline(PTX, _reads_primed, _sizes(2, 4, 6), {**_ONE, "FIRST=0": "undefined"}),
    "barriers of libcu++": Pipeline(
        BARRIERS, _tokens, _sizes(2, 2, 4, FULL=2, EMPTY=2),
        {"WAITS=0": "undefined", "EMPTY=1": "undefined", "FULL=1": "undefined", "BYTES=32": "hang", "FENCES=0": "race"},
    ),
    "a load ahead": Pipeline(
        AHEAD, _ahead, _sizes(2, 2, 4, MEETS=1),
        {"FIRST=0": "undefined", "FULL=2": "hang", "BYTES=32": "hang", "FENCES=0": "race", "MEETS=0": "race hang"},
    ),
}  # fmt: skip
