"""A file of PTX as part of a module of LLVM code: its functions in place of those of the same name, its memory."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.functions import Context, Metadata, shared_name, widths, written
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.barriers import with_mbarriers
from scopec.frontends.ptx.names import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.frontends.clang.llvm.reader import Module
    from scopec.frontends.clang.ptx.text import Ptx

#: Clang's words for the state spaces of memory.
_SPACES = {
    "global": "global", "const": "addrspace(4) externally_initialized global", "shared": "addrspace(3) global",
}  # fmt: skip
#: Names that compilers give to what is constant: texts, tables of virtual functions.
CONSTANT = re.compile(r"_?\$|__unnamed_|\.str|_ZT")
#: The bytes of the largest access.
_LARGEST = 16
_REAL = {16: "half", 32: "float", 64: "double"}
#: The names of signed types, since nothing says that a number is unsigned.
_NUMBERS = {8: "char", 16: "short", 32: "int", 64: "long", 128: "__int128"}


def add(device: Module, file: Ptx) -> dict[str, dict[str, tuple[int, ...]]]:
    """Add what is in a file of PTX to a module.

    Gives what is said of functions and variables, as keywords of the shims would.  Raises InputError for what is not
    modelled, and for kernels that the C++ text does not have as the file has them.
    """
    ptx, said = file.module, dict[str, dict[str, tuple[int, ...]]]()
    for function in ptx.functions:
        if function.entry and function not in file.declared.values() and function.name not in device.functions:
            message = f"the C++ text has no kernel that compilers call `{function.name}`"
            raise error(Code.NOT_LAUNCHED, message, function.span, "are its parameters of other types there?")
    metadata = Metadata(file.source.name, file.files, device.metadata)
    variables = _Variables(ptx, metadata, device, said)
    for item in ptx.objects:
        variables.declare(item, None)
    functions = {function.name: function for function in ptx.functions}
    names = (*functions, *(name for item in ptx.objects for name, _ in item.names))
    memory = {name: llvm.Typed(llvm.Pointer(), llvm.Global(name)) for name in names}
    sizes = widths(ptx.objects)
    context = Context(functions, memory, sizes, metadata, lambda function, item: variables.declare(item, function))
    for name, function in {**functions, **file.declared}.items():
        device.add(name, partial(written, context, function, plain(function.name)), kernel=function.entry)
        said[function.name] = {"cluster_dims" if k == "reqnctapercluster" else k: v for k, v in function.limits.items()}
    return said


@dataclass(frozen=True, slots=True)
class _Array:
    """The type of memory: numbers of so many bytes, ``length`` of them (None: one, and no array)."""

    type: str
    bytes: int
    length: int | None

    def llvm(self, element: str) -> str:
        """The type as LLVM has it, of such elements."""
        return element if self.length is None else f"[{self.length} x {element}]"


class _Variables:
    """The memory of a file, as clang would write it."""

    def __init__(
        self, ptx: forms.Module, metadata: Metadata, device: Module, said: dict[str, dict[str, tuple[int, ...]]]
    ) -> None:
        self.metadata = metadata
        self.device = device
        self.said = said
        #: The smallest access in bytes in each state space, that of generic addresses among them.
        self.smallest: dict[str, int] = {}
        self.mbarriers = with_mbarriers(ptx)
        for function in ptx.functions:
            for item in forms.instructions(function.body):
                if item.operation[0] in table.ACCESSES:
                    space = table.space(item.operation)
                    sizes = [type_.bits // 8 for type_ in table.types(item.operation)]
                    self.smallest[space] = min([*sizes, self.smallest.get(space, _LARGEST)])

    def declare(self, item: forms.Object, function: forms.Function | None) -> None:
        """Declare an object of the file, or of the shared memory of a function."""
        space, types = table.space(item.words), table.types(item.words)
        if space not in _SPACES or not types:
            message = f"memory that is `.{' .'.join(item.words)}` is outside the modelled subset of PTX"
            raise error(Code.OUTSIDE_SUBSET, message, item.span)
        for name, count in item.names:
            own = name if function is None else shared_name(function, name)
            if "!dbg" in self.device.variables.get(own, ""):
                continue  # clang knows it by its type
            in_bytes = types[0].bits == 8 and count is not None
            array = self._numbers(name, item, space, count or 0) if in_bytes else _array(types[0], count)
            external = item.external and space == "shared"
            text = f"external {_SPACES[space]} {array.llvm(array.type)}"
            if not external:
                text = f"internal {_SPACES[space]} {_with_value(array, space, item.value, in_bytes=in_bytes)}"
            if not CONSTANT.match(name):
                text += f", !dbg {self._debug(_variable(name), array, item, function)}"
            self.device.variables[own] = text
            if "managed" in item.words:
                self.said[own] = {"managed": ()}

    def _numbers(self, name: str, item: forms.Object, space: str, count: int) -> _Array:
        """The numbers that bytes are: as large as their alignment and every access allow, or mbarriers."""
        # A generic access of a byte is mostly one of a local variable.
        generic = [max(self.smallest[""], 4)] if "" in self.smallest else []
        own = [self.smallest[space]] if space in self.smallest else []
        size = min(item.alignment or 1, *([8] if name in self.mbarriers else generic + own or [8]))
        while count % size:
            size //= 2
        return _Array(f"i{8 * size}", size, None if count == size else count // size)

    def _debug(self, name: str, array: _Array, item: forms.Object, function: forms.Function | None) -> str:
        add, bits = self.metadata.add, 8 * array.bytes
        real = array.type in _REAL.values()
        shown = array.type if real else _NUMBERS[bits]
        type_ = add(f'!DIBasicType(name: "{shown}", size: {bits}, encoding: DW_ATE_{"float" if real else "signed"})')
        if array.length is not None:
            counts = add(f"!{{{add(f'!DISubrange(count: {array.length})')}}}")
            about = f"baseType: {type_}, size: {bits * array.length}, elements: {counts}"
            type_ = add(f"!DICompositeType(tag: DW_TAG_array_type, {about})")
        file = self.metadata.file(self.metadata.source)
        scope = file if function is None else self.metadata.subprogram(plain(function.name), function.span)
        where = f"scope: {scope}, file: {file}, line: {item.span.line}"
        variable = add(f'!DIGlobalVariable(name: "{name}", {where}, type: {type_})')
        return add(f"!DIGlobalVariableExpression(var: {variable}, expr: !DIExpression())")


def _array(type_: table.Type, count: int | None) -> _Array:
    return _Array(_REAL[type_.bits] if type_.kind == "f" else f"i{type_.bits}", type_.bits // 8, count)


def _with_value(array: _Array, space: str, value: forms.Operand | None, *, in_bytes: bool) -> str:
    """The type and the initial value, as LLVM has them."""
    if space == "shared":
        return f"{array.llvm(array.type)} undef"
    numbers = list(_initial(value, array.bytes if in_bytes else 0))
    numbers += ["0"] * ((array.length or 1) - len(numbers))
    type_, zero = ("ptr", "null") if any("@" in number for number in numbers) else (array.type, "0")
    if array.type in _REAL.values():
        return f"{array.llvm(type_)} zeroinitializer"  # which number it is makes no difference
    numbers = [zero if number == "0" else number for number in numbers]
    if array.length is None:
        return f"{type_} {numbers[0]}"
    return f"{array.llvm(type_)} [{', '.join(f'{type_} {number}' for number in numbers)}]"


def _initial(value: forms.Operand | None, size: int) -> Iterator[str]:
    """Initial numbers, or addresses, as LLVM has them; of bytes so many (not 0) at a time."""
    match value:
        case forms.Vector(_, items) if size > 1:
            known = [item.value & 255 if isinstance(item, forms.Number) else 0 for item in items]
            for at in range(0, len(known), size):
                yield str(int.from_bytes(bytes(known[at : at + size]), "little"))
        case forms.Vector(_, items):
            for item in items:
                yield from _initial(item, 0)
        case forms.Number(_, number):
            yield str(number)
        case forms.Element(_, name, 0):
            yield f"@{name}"
        case forms.Element(_, name, offset):
            yield f"getelementptr (i8, ptr @{name}, i64 {offset})"
        case None:
            return
        case _:
            yield "0"


def _variable(name: str) -> str:
    """The C++ name of a variable: one of a function has its name behind that of the function."""
    found = re.search(r"E(\d+)([A-Za-z_].*)", name)
    return found[2][: int(found[1])] if name.startswith("_ZZ") and found else plain(name)
