"""The settings of the project and of the user as those of a check from Python, or in pytest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.limits import half_of_the_machine, size
from scopec.base.visible import EVERYWHERE
from scopec.frontends.clang.flags import Flags
from scopec.session.baseline import marked
from scopec.session.check import Outcome, Settings
from scopec.session.plan import Overrides
from scopec.session.project import CHOICES, JARS, pair
from scopec.session.reductions import named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.session.project import Setting


def configured(found: Mapping[str, Setting]) -> Settings:
    """The settings of a check from Python, or in pytest.

    What is of the command line is left out: ``confirm``, ``quiet`` and ``verbose``, and ``executor``.
    """
    value = {key: setting.value for key, setting in found.items()}
    pairs = {key: dict(pair(text, found[key]) for text in value.get(key, ())) for key in ("given", "bound")}
    unroll = pairs["bound"].get("unroll")
    macros = (*(f"-D{text}" for text in value.get("D", ())), *(f"-U{text}" for text in value.get("U", ())))
    flags = Flags(
        tuple(map(Path, value.get("I", ()))), macros, value.get("std", Flags().std),
        tuple(map(Path, value.get("include", ()))), Path(value["p"]) if "p" in value else None,
        value.get("headers", CHOICES["headers"][0]), Path(value["cuda-path"]) if "cuda-path" in value else None,
        through_of(value.get("through", CHOICES["through"][0])), value.get("nvcc"),
    )  # fmt: skip
    cache = not value.get("no-cache", False)
    overrides = Overrides(
        value.get("model"), pairs["given"] or None, None if unroll is None else int(unroll),
        value.get("ignore-races", False), value.get("progress"), value.get("memory", CHOICES["memory"][0]),
        value.get("hangs"), value.get("reader", CHOICES["reader"][0]), flags, cache,
        (*flags.folders, *((EVERYWHERE,) if value.get("allow-outside", False) else ())),
        named(value.get("without", ())), not value.get("no-guess", False),
    )  # fmt: skip
    default = Settings()
    return Settings(
        overrides, value.get("jobs", default.jobs), value.get("timeout", default.timeout),
        size(value["memory-limit"]) if "memory-limit" in value else half_of_the_machine(),
        Path(value["keep"]) if "keep" in value else None,
        {name: Path(value[f"{name}-jar"]) for name in JARS if f"{name}-jar" in value},
        value.get("engine", default.engine), cache=cache, allowed=frozenset(value.get("allow", ())),
    )  # fmt: skip


def through_of(chosen: str) -> str:
    """The way through nvcc of a value of `through`."""
    return "" if chosen == CHOICES["through"][0] else chosen


def known(found: Mapping[str, Setting], outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes, with the violations that the setting ``baseline`` knows marked."""
    return marked(Path(found["baseline"].value), outcomes) if "baseline" in found else outcomes
