"""Parses a text with the tables of a grammar (:mod:`scopec.base.grammars`), as Lark does with the same tables.

It leaves out what these grammars do not need: places are computed only when they are asked for, and a text that is not
in the language is only refused.  Lark then says why.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Token(str):
    """A word of a text: its terminal, and the offsets at which it begins and ends."""

    __slots__ = ("end_pos", "start_pos", "type")

    type: str
    start_pos: int
    end_pos: int


class Node:
    """A rule, or an alias of one, that a text has: its parts, and the offsets at which it begins and ends.

    Those are -1 for a rule without words.  ``value`` is what its reader makes of it.
    """

    __slots__ = ("end_pos", "parts", "rule", "start_pos", "value")

    def __init__(self, rule: str, parts: list[Any], start_pos: int, end_pos: int) -> None:
        self.rule, self.parts, self.start_pos, self.end_pos = rule, parts, start_pos, end_pos
        self.value: Any = None


class Finish(Protocol):
    """A function that may change the terminals of words, those of ``always_accept`` wherever they stand."""

    always_accept: tuple[str, ...]

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        """The words, each before the next is looked for."""
        ...


class _NoWordError(Exception):
    """A place at which no word begins that may stand there."""


_END = Token()
_END.type, _END.start_pos, _END.end_pos = "$END", -1, -1


class Parser:
    """A parser of ``tables`` (:func:`scopec.base.grammars.small`); ``finish`` may say what terminal a word is."""

    def __init__(self, tables: Mapping[str, Any], finish: Finish | None = None) -> None:
        self._starts: Mapping[str, tuple[int, int]] = tables["starts"]
        self._states: Sequence[Mapping[str, int]] = tables["states"]
        # The last says whether a rule is its only part: precedence makes most of them so.
        self._rules: Sequence[tuple[Any, ...]] = [
            (*rule, rule[1] == 1 and rule[3] is None and rule[4]) for rule in tables["rules"]
        ]
        self._terminals: Mapping[str, str] = tables["terminals"]
        self._scanners: Sequence[tuple[Sequence[str], Mapping[str, Mapping[str, str]]]] = tables["scanners"]
        self._scanner_of: Sequence[int] = tables["scanner_of"]
        self._ignored = re.compile("|".join(self._terminals[name] for name in tables["ignored"]))
        self._finish = finish
        self._compiled: dict[int, re.Pattern[str]] = {}

    def prepare(self) -> None:
        """Make what is else made when a text needs it."""
        for number in range(len(self._scanners)):
            self._scanner(number)

    def parse(self, text: str, start: str) -> list[Node] | None:
        """The rules of a text, each after its parts; None where it is not in the language."""
        try:
            return self._parse(text, start)
        except _NoWordError:
            return None

    def _parse(self, text: str, start: str) -> list[Node] | None:
        table, rules, (first, last) = self._states, self._rules, self._starts[start]
        states = [first]
        made: list[Node] = []
        # What the states stand for, and the offsets of their words: -1 where they have none.
        values: list[Any] = []
        begins: list[int] = []
        ends: list[int] = []
        words = self._words(text, states)
        for word in chain(words if self._finish is None else self._finish.process(words), (_END,)):
            kind = word.type
            while True:
                action = table[states[-1]].get(kind)
                if action is None:
                    return None
                if action >= 0:
                    break
                origin, size, name, kept, single, same = rules[~action]
                if same:
                    states[-1] = table[states[-2]][origin]
                    if word is _END and states[-1] == last:
                        return made
                    continue
                begin = end = -1
                parts = []
                if size:
                    parts = values[-size:]
                    begin, end = begins[-size], ends[-1]
                    if begin < 0:
                        begin = next((b for b in begins[-size:] if b >= 0), -1)
                    if end < 0:
                        end = next((e for e in reversed(ends[-size:]) if e >= 0), -1)
                    del states[-size:], values[-size:], begins[-size:], ends[-size:]
                if kept is not None:
                    parts = _kept(parts, kept)
                value: Any
                if single and len(parts) == 1:
                    (value,) = parts
                    if type(value) is Node:
                        if value.start_pos < 0:
                            value.start_pos, value.end_pos = begin, end
                    elif value is None:
                        begin = end = -1
                    else:
                        begin, end = value.start_pos, value.end_pos
                elif name is None:
                    value = parts
                else:
                    value = Node(name, parts, begin, end)
                    made.append(value)
                states.append(table[states[-1]][origin])
                values.append(value)
                begins.append(begin)
                ends.append(end)
                if word is _END and states[-1] == last:
                    return made
            states.append(action)
            values.append(word)
            begins.append(word.start_pos)
            ends.append(word.end_pos)
        raise AssertionError("the end is a word")

    def _words(self, text: str, states: list[int]) -> Iterator[Token]:
        """The words of a text, each one that may stand where the parser is by then: in the last of ``states``."""
        skip, end, at = self._ignored.match, len(text), 0
        scanner_of, scanners, compiled = self._scanner_of, self._scanners, self._compiled
        while True:
            while (ignored := skip(text, at)) is not None:
                at = ignored.end()
            if at == end:
                return
            number = scanner_of[states[-1]]
            found = (compiled.get(number) or self._scanner(number)).match(text, at)
            if found is None:
                raise _NoWordError
            word, kind = Token(found.group()), found.lastgroup
            keywords = scanners[number][1].get(kind)  # type: ignore[arg-type]  # one of the groups
            word.type = kind if keywords is None else keywords.get(word, kind)  # type: ignore[assignment, arg-type]
            word.start_pos = at
            word.end_pos = at = found.end()
            yield word

    def _scanner(self, number: int) -> re.Pattern[str]:
        names = self._scanners[number][0]
        pattern = self._compiled[number] = _pattern("|".join(f"(?P<{n}>{self._terminals[n]})" for n in names))
        return pattern


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _kept(parts: list[Any], kept: Sequence[tuple[int, bool]]) -> list[Any]:
    """The parts of a rule that it keeps, by their places: those of a part of several one by one; None for place -1."""
    found: list[Any] = []
    for place, several in kept:
        if several and found:
            found += parts[place]
        elif several:
            found = parts[place]  # nobody else has these
        else:
            found.append(parts[place] if place >= 0 else None)
    return found
