"""The numbered answers of section 7 as programs, with what the note expects of each.

Answers 29-32 and 36-38 (grids, streams, allocations) are outside these programs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracles.asynchronous.program import (
    DEFAULT,
    Add,
    Array,
    Arrive,
    ArriveExpectTx,
    Await,
    Barrier,
    BlockBarrier,
    BulkCommit,
    BulkCopy,
    BulkStore,
    BulkWait,
    ClusterArrive,
    ClusterWait,
    CpArrive,
    CpAsync,
    CpCommit,
    CpWait,
    Exchange,
    ExpectTx,
    FenceMbarrierInit,
    Init,
    Instruction,
    Load,
    Loc,
    NamedSync,
    Options,
    Program,
    ProxyFence,
    Span,
    StAsync,
    Store,
    SyncWarp,
    TcCommit,
    TcFence,
    TcLoad,
    TcMma,
    TcWait,
    Thread,
    Wait,
)

PATH = Options(proxy_fence="path")
Code = tuple[Instruction, ...]


@dataclass(frozen=True)
class Answer:
    number: int
    variant: str
    says: str  # the note's word
    program: Program
    options: Options = DEFAULT
    also: frozenset[str] = frozenset()  # words that hold besides, by the same sentence

    @property
    def name(self) -> str:
        return f"{self.number}{self.variant}"

    @property
    def expected(self) -> frozenset[str]:
        return frozenset(self.says.split(", ")) | self.also

    def agrees(self, words: set[str]) -> bool:
        """race_free: and nothing else is wrong but the progress."""
        return self.expected <= words and not ("race_free" in self.expected and "error" in words)


def one_block(*codes: Code, memory: tuple[Array | Barrier, ...]) -> Program:
    return Program((tuple(Thread(c) for c in codes),), memory)


def cluster(*codes: Code, memory: tuple[Array | Barrier, ...]) -> Program:
    """Blocks of one thread."""
    return Program(tuple((Thread(c),) for c in codes), memory, cluster=len(codes))


G = Array("g", 4, init=1)
OUT = Array("out", 4)
S = Array("s", 4, block=0)
S1 = Array("s1", 4, block=1)
BAR = Barrier("bar")
BAR1 = Barrier("bar1", 1)

sync = BlockBarrier()
meet: Code = (ClusterArrive(), ClusterWait())
meet_relaxed: Code = (ClusterArrive("relaxed"), ClusterWait())
fence = ProxyFence("async")


def load(bar: str = "bar", dst: str = "s", first: int = 0, count: int = 2) -> BulkCopy:
    return BulkCopy(Span("g", count), (Span(dst, count, first),), (bar,))


def store(first: int = 0, to: int = 0) -> Code:
    return (BulkStore(Span("s", 1, first), Span("out", 1, to)), BulkCommit())


def read(loc: str = "s", index: int = 0, dst: str = "r") -> Load:
    return Load(Loc(loc, index), dst)


def write(value: int = 7, loc: str = "s", index: int = 0) -> Store:
    return Store(Loc(loc, index), value)


def bulk_load(wait: Code, expect: int = 32) -> Program:
    """One thread inits and issues, both read behind their wait."""
    return one_block(
        (Init("bar", 1), sync, ArriveExpectTx("bar", expect), load(), *wait, read()),
        (sync, *wait, read(index=1)),
        memory=(G, S, BAR),
    )


def answers() -> list[Answer]:
    """All of them, in order."""
    out: list[Answer] = []

    def add(number: int, variant: str, says: str, program: Program, options: Options = DEFAULT, also: str = "") -> None:
        out.append(Answer(number, variant, says, program, options, frozenset(also.split())))

    add(1, "A", "race_free, terminates", bulk_load((Wait("bar", 0),)))
    add(2, "A", "race", bulk_load(()))
    add(3, "A", "race", bulk_load((Wait("bar", 1),)))
    add(4, "A16", "deadlock", bulk_load((Wait("bar", 0),), 16))
    add(4, "A64", "deadlock", bulk_load((Wait("bar", 0),), 64))
    add(5, "A", "race", bulk_load((Wait("bar", 0, mode="try"),)))
    add(6, "A", "race", bulk_load((Wait("bar", 0, order="relaxed"),)))
    add(7, "A", "deadlock", one_block((Init("bar", 2), sync, Arrive("bar")), (sync, Wait("bar", 0)), memory=(BAR,)))
    add(8, "A", "race", one_block((Init("bar", 1),), (Arrive("bar"),), memory=(BAR,)), also="error")

    def init_remote(*made: Instruction) -> Program:
        return cluster(
            (Init("bar", 1), *made, *meet_relaxed, Wait("bar", 0, scope="cluster")),
            (*meet_relaxed, Arrive("bar", scope="cluster")),
            memory=(BAR,),
        )

    add(9, "A", "race", init_remote())
    add(9, "B", "race_free", init_remote(FenceMbarrierInit()))

    def remote(scope: str) -> Program:
        return cluster(
            (Init("bar", 1), FenceMbarrierInit(), *meet, Wait("bar", 0, scope=scope), read()),
            (*meet, write(), Arrive("bar", scope=scope)),
            memory=(S, BAR),
        )

    add(10, "A", "race", remote("cta"))
    add(10, "B", "race_free", remote("cluster"))
    add(11, "A", "overrun", one_block((Init("bar", 1), Arrive("bar"), Arrive("bar")), memory=(BAR,)))
    twice = (Arrive("bar"), Wait("bar", 0), Arrive("bar"), Wait("bar", 1))
    add(12, "A", "may_hang", one_block((Init("bar", 1), sync, *twice), (sync, Wait("bar", 0)), memory=(BAR,)))
    add(13, "A", "init of a valid mbarrier", one_block((Init("bar", 1), Init("bar", 1)), memory=(BAR,)))

    def written(*codes: Code) -> Program:
        """Two threads write, thread 0 copies both elements out."""
        first, second = codes
        return one_block(
            (write(), *first, BulkStore(Span("s", 2), Span("out", 2)), BulkCommit(), BulkWait()),
            (write(index=1), *second),
            memory=(S, OUT),
        )

    add(14, "A", "race", written((sync,), (sync,)))
    add(14, "B", "race_free", written((fence, sync), (fence, sync)))
    add(15, "A", "race", written((sync, fence), (sync,)))
    add(15, "B", "race_free", written((sync, fence), (sync,)), PATH)

    def over_reads(reader: Code, issuer: Code) -> Program:
        """Thread 1 reads the first tile and hands the stage back; thread 0 loads the second over it."""
        return one_block(
            (
                Init("full", 1),
                Init("empty", 1),
                sync,
                ArriveExpectTx("full", 32),
                load("full"),
                Wait("empty", 0),
                *issuer,
                ArriveExpectTx("full", 32),
                load("full"),
                Wait("full", 1),
            ),
            (sync, Wait("full", 0), read(), *reader, Arrive("empty")),
            memory=(G, S, Barrier("full"), Barrier("empty")),
        )

    add(16, "A", "race", over_reads((), ()))
    add(16, "B", "race_free", over_reads((), (fence,)))
    add(16, "C", "race_free", over_reads((fence,), ()))
    add(
        17,
        "A",
        "race_free",
        one_block(
            (Init("bar", 1), ArriveExpectTx("bar", 32), load(), Wait("bar", 0), *store(), BulkWait()),
            memory=(G, S, OUT, BAR),
        ),
    )

    def stored(*then: Instruction) -> Program:
        return one_block((write(), fence, *store(), *then), memory=(S, OUT))

    add(18, "A", "race_free", stored(BulkWait(0, read=True), write(8)))
    add(19, "A", "race", stored(BulkWait(0, read=True), read("out")))
    add(19, "B", "race_free", stored(BulkWait(0), read("out")))
    add(
        20,
        "A",
        "race",
        one_block((write(), fence, *store(), sync, BulkWait()), (sync, BulkWait(), write(8)), memory=(S, OUT)),
    )
    add(
        20, "B", "race_free", one_block((write(), fence, *store(), BulkWait(), sync), (sync, write(8)), memory=(S, OUT))
    )
    two_stages = (write(), write(7, index=1), fence, *store(0, 0), *store(1, 1))
    add(21, "A", "race", one_block((*two_stages, BulkWait(1), write(8, index=1), BulkWait()), memory=(S, OUT)))
    add(21, "B", "race_free", one_block((*two_stages, BulkWait(1), write(8, index=0), BulkWait()), memory=(S, OUT)))

    def fetched(*then: Instruction, reads: int) -> Program:
        """Each thread fetches its element and reads one."""

        def code(t: int) -> Code:
            return (CpAsync(Span("g", 1), Span("s", 1, t)), CpCommit(), CpWait(0), *then, read(index=t ^ reads))

        return one_block(code(0), code(1), memory=(G, S))

    add(22, "A own", "race_free", fetched(reads=0))
    add(22, "A neighbour", "race", fetched(reads=1))
    add(22, "B", "race_free", fetched(sync, reads=1))

    def noinc(count: int, inc: bool = False) -> Program:
        mine = (CpAsync(Span("g", 1), Span("s", 1)), CpArrive("bar", not inc), Arrive("bar"), Wait("bar", 0))
        return one_block((Init("bar", count), sync, *mine), (sync, Wait("bar", 0), read()), memory=(G, S, BAR))

    add(23, "A", "race", noinc(1))
    add(23, "B counted", "race_free, terminates", noinc(2))
    add(23, "B inc", "race_free, terminates", noinc(1, inc=True))
    add(24, "A no barrier before exit", "race", cluster((*meet,), (*meet, read()), memory=(S,)))
    add(24, "A nor before the read", "race", cluster((*meet,), (read(), *meet), memory=(S,)))
    add(24, "B", "race_free", cluster((*meet, *meet), (*meet, read(), *meet), memory=(S,)))

    def st_async(wait: bool) -> Program:
        return cluster(
            (
                Init("bar", 1),
                FenceMbarrierInit(),
                ArriveExpectTx("bar", 16),
                *meet,
                *meet,
                *((Wait("bar", 0),) if wait else ()),
                read(),
            ),
            (*meet, StAsync(Loc("s"), 5, "bar"), *meet),
            memory=(S, BAR),
        )

    add(25, "A", "race", st_async(False))
    add(25, "B", "race_free", st_async(True))

    def warps(n: int) -> Program:
        return Program((tuple(Thread((NamedSync(1, 64),), warp=w) for w in range(n)),))

    add(26, "A", "deadlock", warps(1))
    add(26, "B", "deadlock", warps(3))
    for name, how in (("shuffle", Exchange()), ("syncwarp", SyncWarp())):
        says = "race" if name == "shuffle" else "race_free"
        add(27, f"{'A' if says == 'race' else 'B'} {name}", says, one_block((write(), how), (how, read()), memory=(S,)))
    add(
        28,
        "A",
        "deadlock",
        one_block((Exchange(), sync), (Exchange(), sync), (sync, Exchange()), (sync, Exchange()), memory=()),
    )

    tensor = (S, Array("t", 2, block=0, tensor=True), BAR)
    product = (Init("bar", 1), TcMma(Span("s", 1), Span("t", 1)))
    add(
        33,
        "A",
        "race",
        one_block((*product, TcLoad(Span("t")), TcWait(), TcCommit("bar"), Wait("bar", 0)), memory=tensor),
    )
    add(
        33,
        "B",
        "race_free",
        one_block(
            (*product, TcCommit("bar"), Wait("bar", 0), TcFence("after"), TcLoad(Span("t")), TcWait()), memory=tensor
        ),
    )

    def issuers_write(*codes: Instruction) -> Program:
        """s[2] is the issuer's own write."""
        return one_block(
            (Init("bar", 1), sync, *codes, load()), (sync, Wait("bar", 0), read(index=2)), memory=(G, S, BAR)
        )

    add(34, "A", "race", issuers_write(ArriveExpectTx("bar", 32), write(index=2)))
    add(34, "B", "race_free", issuers_write(write(index=2), ArriveExpectTx("bar", 32)))
    add(
        35,
        "A",
        "race",
        one_block(
            (Init("bar", 1), sync, ArriveExpectTx("bar", 32), load(), load(first=2)),
            (sync, Wait("bar", 0), read(index=2)),
            memory=(G, S, BAR),
        ),
    )

    add(39, "A", "race", multicast(counted=1))
    add(39, "B", "race_free", multicast(counted=2))

    def over_stores(*between: Instruction) -> Program:
        return one_block(
            (Init("bar", 1), write(), *between, ArriveExpectTx("bar", 32), load(), Wait("bar", 0), read()),
            memory=(G, S, BAR),
        )

    add(40, "A", "race", over_stores())
    add(40, "B", "race_free", over_stores(fence))
    add(41, "A in", "race", one_block((Init("bar", 1), ArriveExpectTx("bar", 32), load()), memory=(G, S, BAR)))
    add(41, "A out", "race", stored())
    add(41, "B out", "race_free", stored(BulkWait(0, read=True)))
    add(
        42,
        "A",
        "race",
        one_block(
            (Init("bar", 1), sync, load(), Arrive("bar"), ExpectTx("bar", 32)),
            (sync, Wait("bar", 0), read()),
            memory=(G, S, BAR),
        ),
    )

    def handed_over(writer: Code, reader: Code) -> Program:
        """Global data, written by block 0, loaded by block 1."""
        flag = Loc("flag")
        return Program(
            (
                (Thread((write(2, "g"), *writer, Store(flag, 1, "release"))),),
                (
                    Thread(
                        (
                            Init("bar1", 1),
                            Await(flag, 1),
                            *reader,
                            ArriveExpectTx("bar1", 32),
                            load("bar1", "s1"),
                            Wait("bar1", 0),
                            read("s1"),
                        )
                    ),
                ),
            ),
            (G, S1, BAR1, Array("flag")),
        )

    add(43, "A", "race", handed_over((fence,), ()))
    add(43, "B", "race_free", handed_over((), (fence,)))
    reduce = (write(), fence, BulkStore(Span("s"), Span("out"), add=True), BulkCommit(), BulkWait())
    reduce1 = (write(loc="s1"), fence, BulkStore(Span("s1"), Span("out"), add=True), BulkCommit(), BulkWait())
    add(44, "A", "race", cluster(reduce, (Add(Loc("out"), 1),), memory=(S, OUT)))
    add(44, "B", "race_free", cluster(reduce, reduce1, memory=(S, S1, OUT)))
    return out


def multicast(counted: int) -> Program:
    """Block 0's first thread loads two tiles into both blocks; a reader in each block; `counted` blocks hand the stage back."""
    both = BulkCopy(Span("g"), (Span("s"), Span("s1")), ("full", "full1"))
    arm, arm1 = ArriveExpectTx("full", 16), ArriveExpectTx("full1", 16)
    producer = (
        Init("full", 1),
        Init("empty", counted),
        FenceMbarrierInit(),
        *meet,
        arm,
        both,
        Wait("full", 0),
        read(),
        fence,
        Arrive("empty"),
        Wait("empty", 0, scope="cluster"),
        arm,
        both,
        Wait("full", 1),
    )
    back = (fence, Arrive("empty", scope="cluster")) if counted == 2 else ()
    other = (
        Init("full1", 1),
        FenceMbarrierInit(),
        arm1,
        *meet,
        Wait("full1", 0),
        read("s1"),
        arm1,
        *back,
        Wait("full1", 1),
    )
    return cluster(
        producer,
        other,
        memory=(
            Array("g", init=1),
            Array("s", block=0),
            Array("s1", block=1),
            Barrier("full"),
            Barrier("empty"),
            Barrier("full1", 1),
        ),
    )
