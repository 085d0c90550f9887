"""Names of a program as identifiers of a generated specification."""

from __future__ import annotations

import re
from collections.abc import Mapping


def identifier(name: str) -> str:
    """A name made of letters, digits and underscores: ``mp#2[1][0]`` becomes ``mp2_1_0``.  Two names may become one."""
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", name.replace("#", ""))).strip("_") or "_"


def distinct(wanted: Mapping[str, str]) -> dict[str, str]:
    """Names with how they would be spelled, as names with how they are: no two alike.

    A name that is spelled as it stands keeps that; others get a number where theirs is taken, in their order.
    """
    found = {name: spelled for name, spelled in wanted.items() if name == spelled}
    taken = set(found)
    for name, spelled in wanted.items():
        free, number = spelled, 2
        while name not in found:
            if free not in taken:
                found[name] = free
                taken.add(free)
            free, number = f"{spelled}_{number}", number + 1
    return found
