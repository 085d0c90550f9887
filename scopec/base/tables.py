"""Parser tables, computed from the grammars: Lark's own, and those of :mod:`scopec.base.lalr`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from scopec.base.resources import resource

_Scanner = tuple[tuple[str, ...], dict[str, dict[str, str]]]


def of_lark(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Lark's tables of ``grammar/NAME.lark`` as values of JSON, but that keys may be numbers."""
    path = resource(f"grammar/{name}.lark")
    text = path.read_text(encoding="utf-8")
    made = Lark(text, parser="lalr", strict=True, maybe_placeholders=True, import_paths=[str(path.parent)], **options)
    data, memo = made.memo_serialize([TerminalDef, Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k not in ("postlex", "import_paths")}
    return {"data": data, "memo": memo}


def small(made: Mapping[str, Any], always: Sequence[str]) -> dict[str, Any]:
    """The tables of :class:`scopec.base.lalr.Parser` as values of JSON, of what Lark made of a grammar.

    ``starts``: the first state and the last for each rule to start with; ``states``: for each the action by terminal,
    and the next state by rule: a state, or ~ of a rule to be reduced; ``rules``: each one's origin, how many parts it
    has, what it is called (nothing where its parts are those of the rule around it), which parts are kept and whether
    each stands for several (-1: for none; nothing where all are kept), and whether it is its part where it has one.
    ``terminals``: their regular expressions; ``scanners``: those that may stand in a state, the first that fits being
    it, and the words among what fits one that are others; ``scanner_of`` each state; ``ignored`` terminals.  ``always``
    are terminals that may stand everywhere.
    """
    lark: Any = Lark._load_from_dict(made["data"], made["memo"])  # type: ignore[no-untyped-call]
    frontend = made["data"]["parser"]
    table, ignored = frontend["parser"], frontend["lexer_conf"]["ignore"]
    numbers = {state: number for number, state in enumerate(table["states"])}
    rules = [key for key, value in made["memo"].items() if value["__type__"] == "Rule"]
    numbers_of_rules = {key: number for number, key in enumerate(rules)}
    terminals = {terminal.name: terminal for terminal in lark.terminals}
    states, scanners, scanner_of = [], list[_Scanner](), []
    for actions in table["states"].values():
        row = {
            table["tokens"][symbol]: ~numbers_of_rules[to["@"]] if reduces else numbers[to]
            for symbol, (reduces, to) in actions.items()
        }
        states.append(row)
        contextual = lark.options.lexer == "contextual"
        names = {*row, *always, *ignored} if contextual else terminals
        scanner = _scanner([terminals[name] for name in names if name in terminals], ignored)
        if scanner not in scanners:
            scanners.append(scanner)
        scanner_of.append(scanners.index(scanner))
    return {
        "starts": {
            start: (numbers[first], numbers[table["end_states"][start]])
            for start, first in table["start_states"].items()
        },
        "states": states,
        "rules": [_rule(made["memo"][key]) for key in rules],
        "terminals": {name: terminal.pattern.to_regexp() for name, terminal in sorted(terminals.items())},
        "scanners": scanners,
        "scanner_of": scanner_of,
        "ignored": ignored,
    }


def _scanner(terminals: list[TerminalDef], ignored: Sequence[str]) -> _Scanner:
    """Lark's order of terminals; a word that is matched by one with a pattern is looked up among its words."""
    order = sorted(terminals, key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
    keywords: dict[str, dict[str, str]] = {}
    for pattern in (t for t in order if t.pattern.type == "re"):
        for word in (t for t in order if t.pattern.type == "str" and t.priority == pattern.priority):
            matched = re.match(pattern.pattern.to_regexp(), word.pattern.value)
            if matched is not None and matched.group() == word.pattern.value:
                keywords.setdefault(pattern.name, {})[word.pattern.value] = word.name
    within = {word for words in keywords.values() for word in words.values()}
    return tuple(t.name for t in order if t.name not in within and t.name not in ignored), keywords


def _rule(rule: Mapping[str, Any]) -> tuple[str, int, str | None, list[tuple[int, bool]] | None, bool]:
    options, expansion, origin = rule["options"], rule["expansion"], rule["origin"]["name"]
    # How many parts that are not there are before each, and after the last: `[ ]` in the grammar.
    marks = "".join(str(int(missing)) for missing in options["empty_indices"]) or "0" * len(expansion)
    absent = [len(run) for run in marks.split("0")]
    kept: list[tuple[int, bool]] = []
    for place, (symbol, missing) in enumerate(zip(expansion, absent, strict=False)):
        kept += [(-1, False)] * missing
        if symbol["__type__"] != "Terminal":
            kept.append((place, symbol["name"].startswith("_")))
        elif options["keep_all_tokens"] or not symbol["filter_out"]:
            kept.append((place, False))
    kept += [(-1, False)] * absent[-1]
    all_of_them = kept == [(place, False) for place in range(len(expansion))]
    name = None if origin.startswith("_") else rule["alias"] or options["template_source"] or origin
    return origin, len(expansion), name, None if all_of_them else kept, options["expand1"] and not rule["alias"]
