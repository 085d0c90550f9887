"""Proxies and aliases of the PTX dialect: other names of a location, and instructions that access memory through them.

``y @ generic aliases x`` is another virtual address of x, ``s @ surface aliases y`` the same address through the
surface proxy.  Instructions are spelled as in the public suites of the mixed-proxy model (Lustig, Cooksey and Giroux,
"Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model", ISCA 2022).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.litmus.lower.world import Alias
from scopec.frontends.ptx import forms
from scopec.program.ir import Mode, Proxy, ProxyFence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.frontends.litmus.lower.world import World
    from scopec.frontends.litmus.syntax import tree

#: The operation of an instruction, and its proxy.
OPCODES = {
    "tld": ("ld", Proxy.TEXTURE),
    "cold": ("ld", Proxy.CONSTANT),
    "suld": ("ld", Proxy.SURFACE),
    "sust": ("st", Proxy.SURFACE),
    "suatom": ("atom", Proxy.SURFACE),
    "sured": ("red", Proxy.SURFACE),
}
_PROXIES = {proxy.value: proxy for proxy in (Proxy.GENERIC, Proxy.SURFACE, Proxy.TEXTURE, Proxy.CONSTANT)}


def declare(world: World, aliases: Sequence[tree.Alias]) -> None:
    """Declare the aliases of an initial state, its locations first; InputError for one of what is not declared."""
    for alias in aliases:
        if world.dialect != "PTX":
            message = "proxies are those of the PTX dialect"
            raise error(Code.OUTSIDE_SUBSET, message, alias.span, "begin the file with PTX")
        name, of = alias.name.name, alias.target.name
        if name in world.aliases or name in world.objects:
            raise error(Code.DUPLICATE, f"`{name}` is declared already", alias.name.span, "name it otherwise")
        if alias.proxy.name not in _PROXIES:
            help_ = suggestion(alias.proxy.name, _PROXIES) or f"there are {', '.join(_PROXIES)}"
            raise error(Code.UNKNOWN_NAME, f"there is no proxy `{alias.proxy.name}`", alias.proxy.span, help_)
        proxy = _PROXIES[alias.proxy.name]
        known = world.aliases.get(of) or Alias(world.known(of, alias.target.span).name, Proxy.GENERIC, "")
        address = name if proxy is Proxy.GENERIC else known.address
        world.aliases[name] = Alias(known.location, proxy, address)


def generic(item: forms.Instruction) -> tuple[forms.Instruction, Proxy]:
    """The instruction that does the same through the generic proxy, and the proxy."""
    opcode, *qualifiers = item.operation
    same, proxy = OPCODES.get(opcode, (opcode, Proxy.GENERIC))
    return replace(item, operation=(same, *qualifiers)), proxy


def resolve(world: World, operand: forms.Operand, proxy: Proxy) -> tuple[forms.Operand, str]:
    """The operand by its location's own name, and the virtual address; InputError where its name has another proxy."""
    if not isinstance(operand, (forms.Name, forms.Element, forms.Indexed)) or operand.name not in world.aliases:
        return operand, ""
    name, alias = operand.name, world.aliases[operand.name]
    if alias.proxy is not proxy and alias.proxy is not Proxy.GENERIC:
        wanted = next(opcode for opcode, (_, known) in OPCODES.items() if known is alias.proxy)
        message = f"`{name}` is accessed through the {alias.proxy.value} proxy"
        raise error(Code.BAD_ARGUMENTS, message, operand.span, f"write {wanted}, or access {alias.location}")
    return replace(operand, name=alias.location), alias.address


def through(mode: Mode, proxy: Proxy, address: str) -> Mode:
    """The mode of an access through a proxy, by a virtual address."""
    return mode if proxy is Proxy.GENERIC and not address else replace(mode, proxy=proxy, alias=address)


def fence(item: forms.Instruction) -> ProxyFence:
    """``fence.proxy.alias`` and ``fence.proxy.surface``, ``texture``, ``constant``; InputError for another."""
    word = ".".join(item.operation[2:])
    known = {"alias": None, **{name: proxy for name, proxy in _PROXIES.items() if proxy is not Proxy.GENERIC}}
    if word not in known:
        help_ = suggestion(word, known) or f"there are {', '.join(known)}"
        raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)
    return ProxyFence(known[word])
