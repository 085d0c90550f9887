"""The instructions of PTX as data ("ISA" is NVIDIA's "Parallel Thread Execution ISA")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.ir import Order, Scope
from scopec.program.warp import EVERY_LANE, WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scopec.frontends.ptx.forms import Instruction

# ---------------------------------------------------------------- memory

ORDERS: dict[str, Order | None] = {
    "weak": None,
    "relaxed": Order.RELAXED,
    "acquire": Order.ACQUIRE,
    "release": Order.RELEASE,
    "acq_rel": Order.ACQ_REL,
    "sc": Order.SEQ_CST,
}
SCOPES = {"cta": Scope.BLOCK, "cluster": Scope.CLUSTER, "gpu": Scope.DEVICE, "sys": Scope.SYSTEM}
#: ``membar.{cta,gl,sys}`` "is a synonym for fence.sc.{cta,gpu,sys}" (ISA, "membar / fence").
MEMBAR = {"cta": Scope.BLOCK, "gl": Scope.DEVICE, "sys": Scope.SYSTEM}
#: The orders that an operation can have, first that of one without an order.
ALLOWED = {
    "ld": ("weak", "relaxed", "acquire"),
    "ldu": ("weak",),
    "st": ("weak", "relaxed", "release"),
    "atom": ("relaxed", "acquire", "release", "acq_rel"),
    "red": ("relaxed", "acquire", "release", "acq_rel"),
    "fence": ("acq_rel", "sc", "acquire", "release"),
}
#: Accesses of memory, in which a state space may be written.
ACCESSES = ("ld", "ldu", "st", "atom", "red")
#: Without one, an address is generic (ISA, "Generic Addressing").
SPACES = (
    "global", "shared", "shared::cta", "shared::cluster", "param", "param::entry", "param::func", "const", "local",
)  # fmt: skip
#: "Cache operators [...] are treated as performance hints only" (ISA); ``.nc`` is more (``read_only``).
CACHE = {"ld": ("ca", "cg", "cs", "lu", "cv", "nc", "unified"), "st": ("wb", "cg", "cs", "wt")}
#: The operations of ``atom`` and ``red``, and the function of ``scopec/shims/scopec/intrinsics.h`` that does so.
UPDATES = {
    "exch": "exchange", "inc": "fetch_inc", "dec": "fetch_dec", "cas": "compare_swap",
    **{name: f"fetch_{name}" for name in ("add", "sub", "and", "or", "xor", "min", "max")},
}  # fmt: skip
#: The operations of asynchronous reductions, and their kinds of numbers (ISA, "red.async", "cp.reduce.async.bulk").
REDUCTIONS = {
    **dict.fromkeys(("add", "min", "max"), "us"), **dict.fromkeys(("and", "or", "xor"), "b"), "inc": "u", "dec": "u",
}  # fmt: skip
#: The number of barriers of a block (ISA, "bar"): "Each CTA instance has sixteen barriers numbered 0..15".
BARRIERS = 16

# ---------------------------------------------------------------- numbers


@dataclass(frozen=True, slots=True)
class Operator:
    """An operation on numbers: the operator of C++, LLVM's instruction for signed numbers and for unsigned ones."""

    operator: str
    signed: str
    unsigned: str


ARITHMETIC = {
    "add": Operator("+", "add", "add"),
    "sub": Operator("-", "sub", "sub"),
    "mul": Operator("*", "mul", "mul"),
    "div": Operator("/", "sdiv", "udiv"),
    "rem": Operator("%", "srem", "urem"),
    "and": Operator("&", "and", "and"),
    "or": Operator("|", "or", "or"),
    "xor": Operator("^", "xor", "xor"),
    "shl": Operator("<<", "shl", "shl"),
    "shr": Operator(">>", "ashr", "lshr"),
    "min": Operator("min", "slt", "ult"),
    "max": Operator("max", "sgt", "ugt"),
}
#: Words that make another instruction of one: with carries, of two halves, of two numbers.
VARIANTS = ("cc", "u16x2", "s16x2", "pack")
#: Operations with one operand.
UNARY = {"mov": "+", "neg": "-", "not": "~"}
COMPARISONS = {
    "eq": Operator("==", "eq", "eq"),
    "ne": Operator("!=", "ne", "ne"),
    "lt": Operator("<", "slt", "ult"),
    "le": Operator("<=", "sle", "ule"),
    "gt": Operator(">", "sgt", "ugt"),
    "ge": Operator(">=", "sge", "uge"),
}

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class Type:
    """``.u32``: ``kind`` is one of ``b``, ``u``, ``s``, ``f`` and, for a predicate, ``p``."""

    kind: str
    bits: int


#: The bits of ``.b128``, which is moved and accessed, and not computed with.
WIDEST = 128
_TYPE = re.compile(r"([busf])(8|16|32|64)\Z")
#: Other formats of floating-point numbers, and several in one register, with their bits.
_REAL = {
    "bf16": 16, "f16x2": 32, "bf16x2": 32, "f32x2": 64, "tf32": 32,
    "e4m3x2": 16, "e5m2x2": 16, "e4m3x4": 32, "e5m2x4": 32,
}  # fmt: skip
_VECTOR = re.compile(r"v([248])\Z")
#: The suffixes of an operation that say what its operands are.
TYPED = re.compile(r"([busf](8|16|32|64|128))\Z")


def type_of(word: str) -> Type | None:
    """The type that a qualifier names, None if it names none that is modelled."""
    if word == "pred":
        return Type("p", 1)
    if word in _REAL:
        return Type("f", _REAL[word])
    if word == "b128":
        return Type("b", WIDEST)
    found = _TYPE.match(word)
    return Type(found[1], int(found[2])) if found else None


def count_of(word: str) -> int | None:
    """The number of elements that a qualifier gives, None if it gives none."""
    found = _VECTOR.match(word)
    return int(found[1]) if found else None


def count(instruction: Instruction) -> int:
    """The number of elements that an instruction accesses."""
    return next((n for word in instruction.operation[1:] if (n := count_of(word)) is not None), 1)


def types(words: Iterable[str]) -> list[Type]:
    """The types that words name."""
    return [type_ for word in words if (type_ := type_of(word)) is not None]


def space(words: Iterable[str]) -> str:
    """The state space that words name; none, the empty text, for generic addresses."""
    return next((word.partition("::")[0] for word in words if word in SPACES), "")


# ---------------------------------------------------------------- special registers

#: Those that stand for an index or extent, as CUDA C++ calls it; others of clusters follow from these.
INDICES = {
    **{f"%{ptx}.{axis}": f"{name}.{axis}" for axis in "xyz" for ptx, name in
       (("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))},
    "%cluster_ctarank": "clusterRank",
    "%cluster_nctarank": "clusterSize",
}  # fmt: skip
#: Those that follow from the number of a thread in its block, which is the argument.
LANES = {
    "%laneid": lambda thread: thread % WARP,
    "%lanemask_eq": lambda thread: 1 << thread % WARP,
    "%lanemask_lt": lambda thread: (1 << thread % WARP) - 1,
    "%lanemask_le": lambda thread: (2 << thread % WARP) - 1,
    "%lanemask_gt": lambda thread: EVERY_LANE & ~((2 << thread % WARP) - 1),
    "%lanemask_ge": lambda thread: EVERY_LANE & ~((1 << thread % WARP) - 1),
}
#: Those that follow from the index of a block in its grid, and the extents of the cluster and of the grid.
CLUSTERS: dict[str, Callable[[int, int, int], int]] = {
    "%cluster_ctaid": lambda block, cluster, _: block % cluster,
    "%cluster_nctaid": lambda _, cluster, __: cluster,
    "%clusterid": lambda block, cluster, _: block // cluster,
    "%nclusterid": lambda _, cluster, grid: grid // cluster,
}
#: Those of which nothing is known, with their bits.  "%warpid is volatile [...] its value may change during execution,
#: e.g. due to rescheduling of threads following preemption" (ISA).
UNKNOWN = {
    "%smid": 32, "%nsmid": 32, "%warpid": 32, "%nwarpid": 32, "%gridid": 64,
}  # fmt: skip
#: Clocks, with their bits.
CLOCKS = {
    "%clock": 32, "%clock_hi": 32, "%clock64": 64, "%globaltimer": 64, "%globaltimer_lo": 32, "%globaltimer_hi": 32,
}  # fmt: skip

# ---------------------------------------------------------------- what comes later

#: Instructions by how they begin, and what they are.
LATER = {
    "mbarrier.check_layout": "layouts of mbarriers",
    "cp.reduce.async.bulk.tensor": "copies of tensors",
    "st.bulk": "asynchronous stores of zeros",
    "st.async.release": "asynchronous stores to global memory",
    "st.async.mmio": "asynchronous stores to global memory",
    "red.async.release": "asynchronous reductions of global memory",
    "red.async.mmio": "asynchronous reductions of global memory",
    **{f"fence.proxy.{which}": "proxies" for which in ("alias", "async::generic", "tensormap::generic")},
    "fence.op_restrict": "fences of some operations",
    "membar.proxy": "proxies",
    "tensormap": "tensor maps",
    "wgmma.mma_async.sp": "matrices of which elements are left out",
    "tcgen05.ld.red": "reductions of tensor memory",
    "multimem": "accesses of multicast memory",
    "clusterlaunchcontrol": "requests for another block's work",
    "discard": "writes of what is not known",
    "mma": "matrix instructions",
    "ldmatrix": "matrix instructions",
    "stmatrix": "matrix instructions",
    "movmatrix": "matrix instructions",
    **dict.fromkeys(("tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"), "textures and surfaces"),
    **{f"v{name}{lanes}": "video instructions" for lanes in ("", "2", "4")
       for name in ("add", "sub", "absdiff", "min", "max", "avrg", "shl", "shr", "mad", "set")},
}  # fmt: skip


def later(instruction: Instruction) -> Exception | None:
    """The error for an instruction that is known and not modelled yet."""
    for start, what in LATER.items():
        words = tuple(start.split("."))
        if instruction.operation[: len(words)] == words:
            message = f"`{instruction.name}` is outside the modelled subset of PTX"
            return error(Code.OUTSIDE_SUBSET, message, instruction.span, f"{what} come later")
    return None


# ---------------------------------------------------------------- qualifiers


@dataclass(frozen=True, slots=True)
class Access:
    """The access that an instruction makes to memory; ``hint`` is whether its last operand is a cache policy."""

    mode: ir.Mode
    space: str
    type: Type
    count: int
    operation: str
    hint: bool


def access(instruction: Instruction) -> Access:
    """The access that qualifiers describe, in whatever order; InputError for what is not modelled."""
    opcode, *words = instruction.operation
    operation = operation_of(instruction) if opcode in ("atom", "red") else ""
    rest: list[str] = []
    space, type_, hint, cached = "", None, False, False
    for word in words:
        if word in (operation, "noftz", "mmio"):
            continue
        if word in SPACES:
            space = word
        elif (found := type_of(word)) is not None:
            type_ = found
        elif count_of(word) is not None:
            continue
        elif word in CACHE.get(opcode, ()):
            cached = True
        elif word.startswith(("L1::", "L2::")):
            hint |= word == "L2::cache_hint"
        else:
            rest.append(word)
    if type_ is None:
        raise error(Code.BAD_ARGUMENTS, f"`{instruction.name}` has no type that is modelled", instruction.span,
                    "add one, such as .u32")  # fmt: skip
    if type_.bits == WIDEST and (opcode == "red" or operation not in ("", "exch", "cas") or count(instruction) > 1):
        message = f"`{instruction.name}`: .b128 is for ld, st, atom.exch and atom.cas of one element"
        raise error(Code.BAD_ARGUMENTS, message, instruction.span)
    mode_ = _volatile(space, type_) if rest == ["volatile"] and opcode in ("ld", "st") else mode(instruction, rest)
    if cached and mode_ is not ir.PLAIN:
        message = f"`{instruction.name}`: a cache operator is for weak accesses"
        raise error(Code.BAD_ARGUMENTS, message, instruction.span)
    if "mmio" in words and mode_ != ir.Mode(Order.RELAXED, Scope.SYSTEM):
        raise error(Code.BAD_ARGUMENTS, f"`{instruction.name}`: write .mmio.relaxed.sys", instruction.span)
    return Access(mode_, space, type_, count(instruction), operation, hint)


def _volatile(space: str, type_: Type) -> ir.Mode:
    """The mode of an access with ``.volatile``, whatever C++ makes of that word: who writes the instruction means it.

    It "has the same memory synchronization semantics as ld.relaxed.sys" (PTX ISA, "ld"); in local memory there is
    nobody else, and what is as wide as a vector may be torn.
    """
    return (
        ir.VOLATILE if space == "local" or type_.bits == WIDEST else ir.Mode(Order.RELAXED, Scope.SYSTEM, volatile=True)
    )


def operation_of(instruction: Instruction) -> str:
    """The operation of ``atom`` or ``red``."""
    found = [word for word in instruction.operation[1:] if word in UPDATES]
    if len(found) != 1:
        message = f"`{instruction.name}` needs one operation"
        raise error(Code.OUTSIDE_SUBSET, message, instruction.span, f"one of {', '.join(UPDATES)}")
    return found[0]


def mode(instruction: Instruction, qualifiers: Sequence[str]) -> ir.Mode:
    """Order and scope, as these qualifiers of an access or fence say; InputError for others."""
    opcode, text = instruction.operation[0], instruction.name
    allowed, span = ALLOWED[opcode], instruction.span
    orders = [q for q in qualifiers if q in ORDERS]
    scopes = [q for q in qualifiers if q in SCOPES]
    for qualifier in qualifiers:
        if qualifier not in (*ORDERS, *SCOPES):
            help_ = suggestion(qualifier, (*ORDERS, *SCOPES)) or f"{opcode} takes an order and a scope"
            raise error(Code.OUTSIDE_SUBSET, f"`.{qualifier}` is outside the modelled subset", span, help_)
    if len(orders) > 1 or len(scopes) > 1:
        raise error(Code.BAD_ARGUMENTS, f"`{text}` has two {'orders' if len(orders) > 1 else 'scopes'}", span)
    word = orders[0] if orders else allowed[0]
    if word not in allowed:
        help_ = f"{opcode} can be {', '.join(allowed)}"
        raise error(Code.BAD_ARGUMENTS, f"`{text}`: {opcode} cannot be {word}", span, help_)
    order = ORDERS[word]
    if order is None:
        if scopes:
            raise error(Code.BAD_ARGUMENTS, f"`{text}`: a weak access has no scope", span, "remove the scope")
        return ir.PLAIN
    if not scopes and opcode not in ("atom", "red"):
        help_ = f"write {text}.gpu, or another of {', '.join(SCOPES)}"
        raise error(Code.BAD_ARGUMENTS, f"`{text}` needs a scope", span, help_)
    return ir.Mode(order, SCOPES[scopes[0]] if scopes else Scope.DEVICE)


def fence(instruction: Instruction) -> ir.Fence:
    """The fence that ``fence`` or ``membar`` is; InputError where it is none that is modelled."""
    opcode, *qualifiers = instruction.operation
    if opcode == "membar":
        if len(qualifiers) != 1 or qualifiers[0] not in MEMBAR:
            message = f"`{instruction.name}` is not a fence"
            raise error(Code.OUTSIDE_SUBSET, message, instruction.span, "write membar.cta, membar.gl or membar.sys")
        return ir.Fence(Order.SEQ_CST, MEMBAR[qualifiers[0]])
    found = mode(instruction, qualifiers)
    assert found.order is not None
    return ir.Fence(found.order, found.scope)
