"""PTX: operations on parts of numbers (PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions")."""

from __future__ import annotations

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, Assembler, Lowerings, llvm_type
from scopec.frontends.clang.ptx.numbers import chosen, computed, within
from scopec.frontends.ptx import forms
from scopec.frontends.ptx.table import Type

_U32, _S32 = Type("u", 32), Type("s", 32)
#: Functions of LLVM's of one number.
_COUNTS = {"popc": "llvm.ctpop", "clz": "llvm.ctlz", "brev": "llvm.bitreverse"}
#: The bytes that ``prmt`` takes in its modes, by two bits of its selector: a digit a byte, the highest first.
_MODES = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


class _Bits:
    """Computes with numbers of one unsigned type."""

    def __init__(self, asm: Assembler, type_: Type) -> None:
        self.asm = asm
        self.type = Type("u", type_.bits)

    def __call__(self, opcode: str, left: llvm.Operand | int, right: llvm.Operand | int) -> llvm.Operand:
        """The result of an operation of PTX, whose shifts are clamped; of a comparison a predicate."""
        sides = [llvm.Number(side) if isinstance(side, int) else side for side in (left, right)]
        if opcode in ("slt", "ult", "ne"):
            return self.asm.emit(llvm.Compare("icmp", opcode, llvm_type(self.type), *sides))
        return computed(self.asm, opcode, self.type, *sides)

    def signed_shift(self, value: llvm.Operand, by: llvm.Operand) -> llvm.Operand:
        """A shift to the right that keeps the sign."""
        return computed(self.asm, "shr", Type("s", self.type.bits), value, by)

    def choose(self, truth: llvm.Operand, then: llvm.Operand | int, otherwise: llvm.Operand | int) -> llvm.Operand:
        """One of two."""
        sides = [llvm.Number(side) if isinstance(side, int) else side for side in (then, otherwise)]
        return chosen(self.asm, truth, llvm_type(self.type), *sides)

    def ones(self, count: llvm.Operand) -> llvm.Operand:
        """So many ones in the lowest places."""
        return self("sub", self("shl", 1, count), 1)

    def part(self, value: llvm.Operand, type_: Type, at: int, width: int) -> llvm.Operand:
        """So many bits of a number, as one of a type that is signed or not."""
        high = self("shl", value, self.type.bits - at - width)
        back = llvm.Number(self.type.bits - width)
        return self.signed_shift(high, back) if type_.kind == "s" else self("shr", high, back)

    def byte(self, operand: forms.Operand) -> llvm.Operand:
        """The lowest byte of a number of 32 bits."""
        return _Bits(self.asm, _U32)("and", self.asm.value(operand, llvm_type(_U32)), 255)

    def of_32(self, value: llvm.Operand) -> llvm.Operand:
        """A number of 32 bits as one of these."""
        return self.asm.resized(value, llvm_type(_U32), llvm_type(self.type))


def _bfe(asm: Assembler, item: forms.Instruction) -> None:
    """The ``len`` bits from ``pos`` on; of a signed number the highest of them is its sign."""
    target, value, pos, length = asm.operands(item, 4)
    type_ = asm.types(item)[-1]
    do, own = _Bits(asm, type_), llvm_type(type_)
    at, count, whole = do.of_32(do.byte(pos)), do.of_32(do.byte(length)), asm.value(value, own)
    if type_.kind == "s":
        above = do("sub", type_.bits, do("min", count, type_.bits))
        found = do.signed_shift(do("shl", do.signed_shift(whole, at), above), above)
        found = do.choose(do("ne", count, 0), found, 0)
    else:
        found = do("and", do("shr", whole, at), do.ones(count))
    asm.store(asm.target(target), found, own, item.span)


def _bfi(asm: Assembler, item: forms.Instruction) -> None:
    """The ``len`` lowest bits of one number in place of those from ``pos`` on of another."""
    target, value, into, pos, length = asm.operands(item, 5)
    type_ = asm.types(item)[-1]
    do, own = _Bits(asm, type_), llvm_type(type_)
    at = do.of_32(do.byte(pos))
    mask = do("shl", do.ones(do.of_32(do.byte(length))), at)
    kept = do("and", asm.value(into, own), do("xor", mask, -1))
    found = do("or", kept, do("and", do("shl", asm.value(value, own), at), mask))
    asm.store(asm.target(target), found, own, item.span)


def _bmsk(asm: Assembler, item: forms.Instruction) -> None:
    """So many ones from a bit on, as far as the number goes."""
    target, *given = asm.operands(item, 3)
    asm.only(item, "clamp", "wrap")
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    at, count = (asm.value(one, own) for one in given)
    if "wrap" in item.operation:
        at, count = do("and", at, 31), do("and", count, 31)
    asm.store(asm.target(target), do("shl", do.ones(count), at), own, item.span)


def _szext(asm: Assembler, item: forms.Instruction) -> None:
    """So many bits as a number, of which the highest one may be its sign."""
    target, value, length = asm.operands(item, 3)
    type_ = asm.types(item)[-1]
    asm.only(item, "clamp", "wrap")
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    whole, count = asm.value(value, own), asm.value(length, own)
    count = do("and", count, 31) if "wrap" in item.operation else do("min", count, 32)
    above = do("sub", 32, count)
    found = do("and", whole, do.ones(count))
    if type_.kind == "s":
        found = do.signed_shift(do("shl", found, above), above)
    asm.store(asm.target(target), found, own, item.span)


def _halves(asm: Assembler, item: forms.Instruction) -> None:
    """An operation on the two halves of numbers."""
    (opcode, *words), (target, *given) = item.operation, asm.operands(item, 3)
    kind = words.pop()[0]
    relu = opcode != "add" and kind == "s" and words == ["relu"]
    if words and not relu:
        raise asm.outside(f"`{item.name}` is", item.span)
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    found: llvm.Operand = llvm.Number(0)
    sides = [asm.value(side, own) for side in given]
    for at in (0, 16):
        one = computed(asm, opcode, Type(kind, 32), *(do.part(side, Type(kind, 16), at, 16) for side in sides))
        if relu:
            one = computed(asm, "max", _S32, one, llvm.Number(0))
        found = do("or", found, do("shl", do("and", one, 0xFFFF), at))
    asm.store(asm.target(target), found, own, item.span)


def _pack(asm: Assembler, item: forms.Instruction) -> None:
    """The nearest two small numbers to two others, the second lowest, and above them the bits of a third."""
    _, _, saturates, word, *types = item.operation
    size, wide = int(word[1:]) if word[1:].isdecimal() else 0, word[1:] == "16"
    if saturates != "sat" or size not in (2, 4, 8, 16) or types != ["s32", "b32"][: 2 - wide]:
        raise asm.outside(f"`{item.name}` is", item.span)
    target, *given = asm.operands(item, 4 - wide)
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    high, low, *rest = (asm.value(one, own) for one in given)
    found: llvm.Operand = llvm.Number(0)
    for n, one in enumerate((low, high)):
        part = do("and", within(asm, one, _S32, Type(word[0], size)), (1 << size) - 1)
        found = do("or", found, do("shl", part, n * size))
    for one in rest:
        found = do("or", found, do("shl", one, 2 * size))
    asm.store(asm.target(target), found, own, item.span)


def _shf(asm: Assembler, item: forms.Instruction) -> None:
    """A shift of two numbers, the lower one first, of which the higher (``l``) or the lower (``r``) half is wanted."""
    target, low, high, by = asm.operands(item, 4)
    asm.only(item, "l", "r", "clamp", "wrap")
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    count = asm.value(by, own)
    count = do("and", count, 31) if "wrap" in item.operation else do("min", count, 32)
    rest = do("sub", 32, count)
    left, right = (count, rest) if "l" in item.operation else (rest, count)
    found = do("or", do("shl", asm.value(high, own), left), do("shr", asm.value(low, own), right))
    asm.store(asm.target(target), found, own, item.span)


def _prmt(asm: Assembler, item: forms.Instruction) -> None:
    """Four bytes of eight: each is chosen by three bits, a fourth one makes it its sign."""
    target, low, high, selection = asm.operands(item, 4)
    asm.only(item, *_MODES)
    do, own = _Bits(asm, Type("u", 64)), llvm_type(Type("u", 64))
    whole = do("or", do("shl", do.of_32(asm.value(high, llvm.Int(32))), 32), do.of_32(asm.value(low, llvm.Int(32))))
    selector, found = do.of_32(asm.value(selection, llvm.Int(32))), do("and", 0, 0)
    for rows in (_MODES[word] for word in item.operation if word in _MODES):
        row = do("mul", do("and", selector, 3), 16)
        selector = do("shr", sum(choice << 16 * n for n, choice in enumerate(rows)), row)
    for n in range(4):
        which = do("shr", selector, 4 * n)
        byte = do("and", do("shr", whole, do("mul", do("and", which, 7), 8)), 255)
        sign = do.choose(do("ult", 127, byte), 255, 0)
        byte = do.choose(do("ne", do("and", which, 8), 0), sign, byte)
        found = do("or", found, do("shl", byte, 8 * n))
    asm.store(asm.target(target), asm.resized(found, own, llvm.Int(32)), llvm.Int(32), item.span)


def _lop3(asm: Assembler, item: forms.Instruction) -> None:
    """Any function of three bits: its truth table is the last operand."""
    joined = [word for word in item.operation[1:] if word in ("and", "or", "xor")]
    target, *given, table = asm.operands(item, 5 + len(joined))[:5]
    asm.only(item, *joined)
    if not isinstance(table, forms.Number):
        raise error(Code.BAD_ARGUMENTS, "a number is wanted here", table.span)
    do, found = _Bits(asm, _U32), None
    sides = [asm.value(one, llvm.Int(32)) for one in given]
    for row in range(8):
        if table.value >> row & 1:
            a, b, c = (side if row & bit else do("xor", side, -1) for side, bit in zip(sides, (4, 2, 1), strict=True))
            term = do("and", do("and", a, b), c)
            found = term if found is None else do("or", found, term)
    found = found or llvm.Number(0)
    if joined and isinstance(target, forms.Pair):
        truth, more = do("ne", found, 0), asm.value(item.operands[5], BIT)
        asm.store(target.second, asm.emit(llvm.Arithmetic(joined[0], BIT, truth, more)), BIT, item.span)
        target = forms.Name(target.span, target.first)
    asm.store(asm.target(target), found, llvm.Int(32), item.span)


def _bfind(asm: Assembler, item: forms.Instruction) -> None:
    """The place of the highest set bit, of a signed number that is not its sign; -1 without one."""
    target, operand = asm.operands(item, 2)
    asm.only(item, "shiftamt")
    type_ = asm.types(item)[-1]
    do, own = _Bits(asm, type_), llvm_type(type_)
    value = asm.value(operand, own)
    if type_.kind == "s":
        value = do("xor", value, do.signed_shift(value, llvm.Number(type_.bits - 1)))
    given = (llvm.Typed(own, value),)
    above = asm.emit(llvm.Call(own, llvm.Global(f"llvm.ctlz.i{type_.bits}"), given, (None,)))
    found = do("sub", type_.bits - 1, above)
    if "shiftamt" in item.operation:
        found = do.choose(do("ne", value, 0), above, -1)
    asm.store(asm.target(target), asm.resized(found, own, llvm.Int(32)), llvm.Int(32), item.span)


def _fns(asm: Assembler, item: forms.Instruction) -> None:
    """The place of the ``offset``-th set bit from ``base`` on or, if negative, back; -1 without one."""
    target, mask, base, offset = asm.operands(item, 4)
    asm.only(item)
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    bits, at, wanted = (asm.value(operand, own) for operand in (mask, base, offset))
    ahead, here = do("shl", -1, at), do("shl", 1, at)
    back, some = do("slt", wanted, 0), do("ne", wanted, 0)
    kept = do("and", bits, do.choose(some, do.choose(back, do("sub", do("add", here, here), 1), ahead), here))
    mirrored = asm.emit(llvm.Call(own, llvm.Global("llvm.bitreverse.i32"), (llvm.Typed(own, kept),), (None,)))
    kept = do.choose(back, mirrored, kept)
    count = do.choose(some, do.choose(back, do("sub", 0, wanted), wanted), 1)
    found = do("sub", 0, 1)
    for n in range(32):
        bit = do("and", do("shr", kept, n), 1)
        count = do("sub", count, bit)
        hit = asm.emit(llvm.Arithmetic("and", BIT, do("ne", bit, 0), do("ult", count, 1)))
        found = do.choose(hit, n, found)
        count = do.choose(hit, -1, count)
    turned = do.choose(do("ult", found, 32), do("sub", 31, found), found)
    asm.store(asm.target(target), do.choose(back, turned, found), own, item.span)


def _dot(asm: Assembler, item: forms.Instruction) -> None:
    """Products of the parts of two numbers, and a third, summed: ``dp4a`` of bytes, ``dp2a`` of halves with bytes."""
    target, left, right, more = asm.operands(item, 4)
    one, other = asm.types(item)
    asm.only(item, "lo", "hi")
    width, first = (8, 0) if item.operation[0] == "dp4a" else (16, 2 * ("hi" in item.operation))
    do, own = _Bits(asm, _U32), llvm_type(_U32)
    a, b, found = asm.value(left, own), asm.value(right, own), asm.value(more, own)
    for n in range(32 // width):
        product = do("mul", do.part(a, one, n * width, width), do.part(b, other, 8 * (first + n), 8))
        found = do("add", found, product)
    asm.store(asm.target(target), found, own, item.span)


def _count(asm: Assembler, item: forms.Instruction) -> None:
    """The number of set bits, or of leading bits that are not, of 32 in all; or the bits in the other order."""
    target, operand = asm.operands(item, 2)
    type_ = asm.types(item)[-1]
    asm.only(item)
    own, opcode = llvm_type(type_), item.operation[0]
    given = (llvm.Typed(own, asm.value(operand, own)),)
    found = asm.emit(llvm.Call(own, llvm.Global(f"{_COUNTS[opcode]}.i{type_.bits}"), given, (None,)))
    result = own if opcode == "brev" else llvm.Int(32)
    asm.store(asm.target(target), asm.resized(found, own, result), result, item.span)


def _sad(asm: Assembler, item: forms.Instruction) -> None:
    """The distance of two numbers, and a third."""
    target, one, other, more = asm.operands(item, 4)
    type_ = asm.types(item)[-1]
    asm.only(item)
    do, own = _Bits(asm, type_), llvm_type(type_)
    left, right = asm.value(one, own), asm.value(other, own)
    less = do("slt" if type_.kind == "s" else "ult", left, right)
    distance = do.choose(less, do("sub", right, left), do("sub", left, right))
    asm.store(asm.target(target), do("add", distance, asm.value(more, own)), own, item.span)


def _abs(asm: Assembler, item: forms.Instruction) -> None:
    """A number without its sign."""
    target, operand = asm.operands(item, 2)
    type_ = asm.types(item)[-1]
    do, own = _Bits(asm, type_), llvm_type(type_)
    found: llvm.Operand = llvm.Real()
    if type_.kind != "f":
        value = asm.value(operand, own)
        found = do.choose(do("slt", value, 0), do("sub", 0, value), value)
    asm.store(asm.target(target), found, own, item.span)


#: The lowering of each instruction.
BITS: Lowerings = {
    "bfe": _bfe,
    "bfi": _bfi,
    "bmsk": _bmsk,
    "szext": _szext,
    "cvt.pack": _pack,
    **{f"{opcode}.{kind}16x2": _halves for opcode in ("add", "min", "max") for kind in "us"},
    "shf": _shf,
    "prmt": _prmt,
    "fns": _fns,
    "lop3": _lop3,
    "bfind": _bfind,
    "dp4a": _dot,
    "dp2a": _dot,
    "sad": _sad,
    "abs": _abs,
    **dict.fromkeys(_COUNTS, _count),
}
