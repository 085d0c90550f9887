"""One line of LLVM IR, read from left to right."""

from __future__ import annotations

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.code import Operand, Type, Typed
from scopec.frontends.clang.llvm.operand_parser import BINARY, CASTS, FLOATS, Operands, bare, unescaped

#: The numbers of std::memory_order for LLVM's orders.
_ORDERS = {"unordered": 0, "monotonic": 0, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
_SYSTEM_SCOPE = 4
#: The intrinsics for operations of `atomicrmw`.
_RMWS = {
    "xchg": "exchange", "umax": "fetch_max", "umin": "fetch_min", "fadd": "fetch_add", "fsub": "fetch_sub",
    **{name: f"fetch_{name}" for name in ("add", "sub", "and", "or", "xor", "max", "min")},
}  # fmt: skip
#: The letters of integers in mangled names, without a sign and with one, by their bytes.
_LETTERS = {1: "ha", 2: "ts", 4: "ji", 8: "ml", 16: "on"}


class Line(Operands):
    """The tokens of a line, as an instruction."""

    def instruction(self) -> llvm.Instruction:
        """The whole line, as an instruction."""
        result = None
        if self.next[0] == "%" and self.tokens[1] == "=":
            result = bare(self.take())
            self.take()
        opcode = self.take()
        while opcode in ("tail", "musttail", "notail"):
            opcode = self.take()
        action = self._action(opcode)
        attached = {token: self.tokens[number + 1] for number, token in enumerate(self.tokens[self.at : -1], self.at)}
        return llvm.Instruction(action, result, attached.get("!dbg"), attached.get("!heapallocsite"))

    def _action(self, opcode: str) -> llvm.Action:  # one case an instruction
        match opcode:
            case "alloca":
                type_ = self.type()
                count = None
                if self.skip(",") and self.next not in ("align", "addrspace"):
                    count = self.typed()
                return llvm.Alloca(type_, count)
            case "load" if self.next != "atomic":
                volatile = self.skip("volatile")
                type_ = self.type()
                self.expect(",")
                return llvm.Load(type_, self.typed(), volatile)
            case "store" if self.next != "atomic":
                volatile = self.skip("volatile")
                value = self.typed()
                self.expect(",")
                return llvm.Store(value, self.typed(), volatile)
            case "load" | "store" | "atomicrmw" | "cmpxchg" | "fence":
                return self._atomic(opcode)
            case "getelementptr":
                return self._element(parenthesised=False)
            case "icmp" | "fcmp":
                self.flags()
                predicate = self.take()
                type_, left = self._first()
                return llvm.Compare(opcode, predicate, type_, left, self.operand(type_))
            case "select":
                self.flags()
                condition = self.typed()
                self.expect(",")
                then = self.typed()
                self.expect(",")
                return llvm.Select(condition, then, self.typed())
            case "phi":
                return self._phi()
            case "extractvalue" | "extractelement":
                aggregate = self.typed()
                return llvm.Extract(aggregate, self._positions(opcode))
            case "insertvalue" | "insertelement":
                aggregate = self.typed()
                self.expect(",")
                return llvm.Insert(aggregate, self.typed(), self._positions(opcode))
            case "call":
                return self._call()
            case "#dbg_declare":
                self.expect("(")
                self.type()
                address = self.operand(llvm.Pointer())
                self.expect(",")
                return llvm.Declare(address, self.take(), self.tokens[-2])
            case "br":
                return self._branch()
            case "switch":
                return self._switch()
            case "ret":
                return llvm.Return(None if self.skip("void") else self.typed())
            case "unreachable":
                return llvm.Unreachable()
            case "fneg" | "freeze":
                self.flags()
                operand = self.typed()
                return llvm.Cast(opcode, operand, operand.type)
            case _ if opcode in BINARY:
                flags = self.flags()
                type_, left = self._first()
                return llvm.Arithmetic(opcode, type_, left, self.operand(type_), flags)
            case _ if opcode in CASTS:
                self.flags()
                operand = self.typed()
                self.expect("to")
                return llvm.Cast(opcode, operand, self.type())
            case _:
                return llvm.Other(opcode)

    def _first(self) -> tuple[Type, Operand]:
        type_ = self.type()
        left = self.operand(type_)
        self.expect(",")
        return type_, left

    def _positions(self, opcode: str) -> tuple[Operand, ...]:
        found: list[Operand] = []
        while self.skip(","):
            if self.next.startswith("!"):
                break
            found.append(llvm.Number(int(self.take())) if opcode.endswith("value") else self.typed().operand)
        return tuple(found)

    def _phi(self) -> llvm.Phi:
        self.flags()
        type_ = self.type()
        incoming = []
        while self.next == "[":
            self.take()
            value = self.operand(type_)
            self.expect(",")
            incoming.append((value, bare(self.take())))
            self.expect("]")
            self.skip(",")
        return llvm.Phi(type_, tuple(incoming))

    def _branch(self) -> llvm.Jump | llvm.Branch:
        if self.skip("label"):
            return llvm.Jump(bare(self.take()))
        condition = self.typed().operand
        labels = []
        while self.skip(","):
            if not self.skip("label"):
                break
            labels.append(bare(self.take()))
        return llvm.Branch(condition, labels[0], labels[1])

    def _switch(self) -> llvm.Switch:
        value = self.typed()
        self.expect(",")
        self.expect("label")
        default = bare(self.take())
        self.expect("[")
        cases = []
        while not self.skip("]"):
            case = self.typed().operand
            assert isinstance(case, llvm.Number)
            self.expect(",")
            self.expect("label")
            cases.append((case.value, bare(self.take())))
        return llvm.Switch(value, default, tuple(cases))

    def _call(self) -> llvm.Call | llvm.Assembly:
        self._conventions()
        type_ = self.type()
        if self.skip("asm"):
            words = set[str]()
            while not self.next.startswith('"'):
                words.add(self.take())
            text = unescaped(self.take()[1:-1]).decode("utf-8", "replace")
            self.expect(",")
            constraints = self.take()[1:-1]
            arguments, _ = self._arguments()
            return llvm.Assembly(type_, text, constraints, arguments, "sideeffect" in words)
        function = self.operand(llvm.Pointer())
        arguments, byval = self._arguments()
        return llvm.Call(type_, function, arguments, byval)

    def _atomic(self, opcode: str) -> llvm.Action:
        """The operation that a builtin function of GCC and clang (`__sync_…`, `__atomic_…`) becomes: of the scope of
        the system.
        """
        weak = self.skip("atomic", "weak") and opcode == "cmpxchg"
        self.skip("volatile")
        operation = self.take() if opcode == "atomicrmw" else opcode
        found: list[Typed] = []
        type_ = self.type() if opcode == "load" else None
        self.skip(",")
        while self.next and self.next not in _ORDERS and self.next != "syncscope":
            found.append(self.typed())
            self.skip(",")
        alone = self.skip("syncscope")
        if alone:
            self.balanced()
        orders = [_ORDERS[self.take()]]
        if self.next in _ORDERS:
            orders.append(_ORDERS[self.take()])
        if opcode == "store":
            found.reverse()
        of = type_ or (found[1].type if found else llvm.Void())
        scope = _SYSTEM_SCOPE
        if opcode == "fence":
            return _intrinsic(opcode, "v", llvm.Void(), [], 0 if alone else orders[0], scope)
        if (
            name := {"load": "load", "store": "store", "cmpxchg": "cmpxchg"}.get(opcode) or _RMWS.get(operation)
        ) is None:
            return llvm.Other(f"{opcode} {operation}")
        letter = "P" if isinstance(of, llvm.Pointer) else _LETTERS[llvm.size(of)][not operation.startswith("u")]
        result = llvm.Struct((of, llvm.Int(1))) if opcode == "cmpxchg" else llvm.Void() if opcode == "store" else of
        return _intrinsic(name, letter, result, found, *orders, scope, *([weak] if opcode == "cmpxchg" else []))

    def _conventions(self) -> None:
        """Flags, calling conventions and attributes of what a call returns, in front of its type."""
        while not (self.next in ("ptr", "void", "[", "<", "{") or self.next in FLOATS or self.next[0] == "%"
                   or (self.next[0] == "i" and self.next[1:].isdecimal())):  # fmt: skip
            word = self.take()
            if word == "align" and self.next != "(":
                self.take()
            elif self.next == "(":
                self.balanced()

    def _arguments(self) -> tuple[tuple[Typed, ...], tuple[Type | None, ...]]:
        self.expect("(")
        found: list[Typed] = []
        behind: list[Type | None] = []
        while not self.skip(")"):
            type_ = self.type()
            if isinstance(type_, llvm.Void) and self.next.startswith(("!", "metadata")):
                self.take()
                self.skip(",")
                continue
            behind.append(self.attributes())
            found.append(Typed(type_, self.operand(type_)))
            self.skip(",")
        return tuple(found), tuple(behind)


def _intrinsic(name: str, letter: str, type_: Type, arguments: list[Typed], *numbers: int) -> llvm.Call:
    """A call of an intrinsic of the shims."""
    full = f"__scopec_{name}"
    given = (*arguments, *(Typed(llvm.Int(32), llvm.Number(int(number))) for number in numbers))
    function = llvm.Global(f"_Z{len(full)}{full}I{letter}E")
    return llvm.Call(type_, function, given, (None,) * len(given))
