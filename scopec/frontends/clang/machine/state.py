"""The state of a thread while the machine executes it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.frontends.clang.machine.memory import Address, Cell, Cells, Content, Held, Private, Record, Unset
from scopec.frontends.clang.machine.opaque import Opaque, without_formula
from scopec.program import values

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from scopec.frontends.clang.evaluation_order.footprints import Site
    from scopec.frontends.clang.llvm import code as llvm
    from scopec.program.values import Builtin, Const, Reg, Value

#: Something that holds a content: a cell of private memory, or a register of a call by the depth of that.
Holder: TypeAlias = "tuple[Private | int, int | str]"

#: The memory of a host thread for what is to be called after ``main``.
AT_EXIT = Private((), "%at exit")


#: The prefix of private memory that tells no states apart.
UNTIL_WAYS_MEET = "%until ways meet: "


class Again(Exception):
    """The thread is to begin anew: more is known about what has to be in registers or in shared memory."""


@dataclass
class Frame:
    """A call: where it is, its registers, and where its result goes."""

    function: llvm.Function
    label: str
    at: int
    env: dict[str, Content]
    calls: tuple[Site, ...]
    result: str | None = None
    place: str | None = None

    def copy(self) -> Frame:
        """One that goes on by itself."""
        return Frame(self.function, self.label, self.at, dict(self.env), self.calls, self.result, self.place)

    def site(self) -> Site:
        """The present instruction, as clang wrote it: copies of one are one."""
        here = self.label, self.at
        return (self.function.name, *self.function.origins.get(here, here))


@dataclass
class State:
    """The state of a thread: its calls, the innermost last, and its private memory."""

    frames: list[Frame]
    cells: Cells

    @property
    def frame(self) -> Frame:
        """The innermost call."""
        return self.frames[-1]

    def copy(self) -> State:
        """One that goes on by itself."""
        return State([frame.copy() for frame in self.frames], dict(self.cells))

    def replace(self, before: Content, after: Content) -> None:
        """Have what holds one content hold another."""
        for frame in self.frames:
            frame.env.update({name: after for name, content in frame.env.items() if content == before})
        for key, cell in self.cells.items():
            if cell.content == before:
                self.cells[key] = Cell(cell.bytes, after)

    def learn(self, register: str, known: Const) -> None:
        """Have the number that a register of the program holds in what is computed of it."""

        def leaf(value: Reg | Builtin) -> Value:
            return known if value.name == register else value

        def learnt(content: Content) -> Content:
            if isinstance(content, (Address, Held, Opaque, Unset, Record)):
                return content
            return values.substitute(content, leaf)

        for frame in self.frames:
            frame.env.update({name: learnt(content) for name, content in frame.env.items()})
        for key, cell in self.cells.items():
            self.cells[key] = Cell(cell.bytes, learnt(cell.content))

    def holders(self) -> dict[Holder, Content]:
        """What holds a content, with that."""
        found: dict[Holder, Content] = {key: cell.content for key, cell in self.cells.items()}
        for depth, frame in enumerate(self.frames):
            found |= {(depth, name): content for name, content in frame.env.items()}
        return found

    def other_formulas(self, other: State) -> set[Holder]:
        """What holds values that are computed otherwise in another state, if nothing else differs."""
        found: set[Holder] = set()
        before = other.holders()
        for holder, content in self.holders().items():
            if content != before[holder]:
                if not isinstance(content, Opaque) or without_formula(content) != without_formula(before[holder]):
                    return set()
                found.add(holder)
        return found

    def forget_formulas(self, of: Iterable[Holder]) -> None:
        """Forget how the values are computed that some holders have."""
        for holder in of:
            match holder:
                case (int(depth), str(name)) if name in self.frames[depth].env:
                    self.frames[depth].env[name] = without_formula(self.frames[depth].env[name])
                case (Private() as region, int(at)) if (region, at) in self.cells:
                    cell = self.cells[region, at]
                    self.cells[region, at] = Cell(cell.bytes, without_formula(cell.content))

    def position(self) -> tuple[object, ...]:
        """The position of a thread in the text, whatever its memory holds."""
        return (*self.frame.calls, self.frame.function.name, self.frame.label)

    def again(self) -> tuple[object, ...]:
        """The place of the present instruction, and how often it was executed on the way here."""
        place = (*self.frame.calls, self.frame.site())
        counter = Private(place, "%times"), 0
        before = self.cells[counter].content.parts if counter in self.cells else ()  # type: ignore[union-attr]
        self.cells[counter] = Cell(0, Record((*before, Unset())))
        return (*place, len(before))

    def key(self) -> tuple[object, ...]:
        """All that decides how the thread goes on but for contents: its calls, and what has contents."""
        return tuple((f.function.name, f.label, f.at, frozenset(f.env)) for f in self.frames), frozenset(self.cells)

    def contents(self) -> tuple[list[dict[str, Content]], Cells]:
        """The contents at present; to compare them asks less of numbers than to look for them in a set does."""
        return [dict(frame.env) for frame in self.frames], dict(self.cells)


@dataclass
class Knowledge:
    """Knowledge about a thread that one run leaves to the next."""

    registers: dict[tuple[object, ...], set[Holder]] = field(default_factory=dict)
    #: What holds values that are computed in more than one way, by the places where these meet.
    formulas: dict[tuple[object, ...], set[Holder]] = field(default_factory=dict)
    #: Numbers of local variables that are read where they have no value on some path: registers, which some paths set.
    lacking: set[tuple[Private, int, int]] = field(default_factory=set)
    #: The lanes that may be in masks, by the variables that hold them, or where exchanges give them.
    lanes: dict[object, int] = field(default_factory=dict)
    #: What is followed through many states before it is put into registers.
    followed: set[Holder] = field(default_factory=set)

    def __len__(self) -> int:
        """A number that is another one when more is known."""
        lanes = sum(mask.bit_count() for mask in self.lanes.values())
        by_place = (*self.registers.values(), *self.formulas.values())
        return sum(map(len, by_place)) + len(self.lacking) + lanes + (len(self.followed) << 32)

    def follow(self, holders: AbstractSet[Holder]) -> bool:
        """Follow what is in these holders through many states; whether that is news."""
        if holders <= self.followed:
            return False
        self.followed |= holders
        for own in self.registers.values():
            own -= holders
        return True


class Done(Exception):
    """The state goes no further here."""


@dataclass
class Entering(State):
    """A state on the edge to a block."""

    target: str = ""
