"""LLVM's language, written as text at once: types, values, functions and a builder that adds one instruction after another.

The names are those of `llvmlite.ir`, of which this is the part that is needed here. That library keeps an object for each
operand and writes the text in the end, which takes ten times as long: longer than LLVM takes to compile it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

# types ---------------------------------------------------------------------------------------------------------------


class Type:
    """A type, known by its text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: str = text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def as_pointer(self) -> PointerType:
        """A pointer to it."""
        return PointerType(self)

    def written(self, value: Any) -> str:
        """A constant of this type: a number, several of them, None for zeros, `Undefined`."""
        if value is Undefined:
            return "undef"
        return "zeroinitializer" if value is None else self._number(value)

    def _number(self, value: Any) -> str:
        return str(int(value))


class VoidType(Type):
    """Of what returns nothing."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("void")


class IntType(Type):
    """Whole numbers of some bits."""

    __slots__ = ("width",)

    def __init__(self, width: int) -> None:
        super().__init__(f"i{width}")
        self.width: int = width


class DoubleType(Type):
    """float64, written by its bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("double")

    def _number(self, value: Any) -> str:
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class PointerType(Type):
    """A pointer, which may know what it points to."""

    __slots__ = ("pointee",)

    def __init__(self, pointee: Type | None = None, addrspace: int = 0) -> None:
        super().__init__(f"ptr addrspace({addrspace})" if addrspace else "ptr")
        self.pointee: Type | None = pointee

    def _number(self, value: Any) -> str:
        return f"inttoptr (i64 {int(value)} to {self.text})"


class _Row(Type):
    """Several values of one type, between two kinds of brackets."""

    __slots__ = ("count", "element")

    def __init__(self, brackets: str, element: Type, count: int) -> None:
        super().__init__(f"{brackets[0]}{count} x {element.text}{brackets[1]}")
        self.element: Type = element
        self.count: int = count

    def _number(self, value: Any) -> str:
        element, kind = self.element, self.element.text
        if isinstance(value, (list, tuple)):
            inside = [f"{kind} {v.text if isinstance(v, Value) else element.written(v)}" for v in value]
        else:
            inside = [f"{kind} {element.written(value)}"] * self.count
        return self.text[0] + ", ".join(inside) + self.text[-1]


class VectorType(_Row):
    """Lanes; one number as a constant stands in all of them."""

    __slots__ = ()

    def __init__(self, element: Type, count: int) -> None:
        super().__init__("<>", element, count)


class ArrayType(_Row):
    """Numbers in memory."""

    __slots__ = ()

    def __init__(self, element: Type, count: int) -> None:
        super().__init__("[]", element, count)


class LiteralStructType(Type):
    """Values of several types."""

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[Type]) -> None:
        super().__init__("{" + ", ".join([e.text for e in elements]) + "}")
        self.elements: tuple[Type, ...] = tuple(elements)


class FunctionType(Type):
    """What a function takes and returns."""

    __slots__ = ("args", "return_type")

    def __init__(self, return_type: Type, args: Sequence[Type]) -> None:
        super().__init__(f"{return_type.text} ({', '.join([a.text for a in args])})")
        self.return_type: Type = return_type
        self.args: tuple[Type, ...] = tuple(args)


# values --------------------------------------------------------------------------------------------------------------


class _Undefined:
    """Of a constant whose value does not matter."""


Undefined: Any = _Undefined()


class Value:
    """Something that an instruction can take: its type, and how it is called."""

    __slots__ = ("text", "type")

    def __init__(self, type: Any, text: str) -> None:
        self.type: Any = type
        self.text: str = text


class Constant(Value):
    """A number, or several."""

    __slots__ = ()

    type: Any
    text: str

    def __init__(self, type: Any, value: Any) -> None:
        self.type, self.text = type, type.written(value)

    def inttoptr(self, type: Any) -> Value:
        """A whole number as an address."""
        return Value(type, f"inttoptr ({self.type} {self.text} to {type})")


class Argument(Value):
    """What a function is given; it may be named."""

    __slots__ = ()

    text: str

    @property
    def name(self) -> str:
        return self.text[1:].strip('"')

    @name.setter
    def name(self, name: str) -> None:
        self.text = f"%{name}" if name.isascii() else f'%"{name}"'


class Block:
    """Instructions one after another, the last of which leads elsewhere."""

    __slots__ = ("function", "is_terminated", "lines", "name")

    def __init__(self, function: Function, name: str) -> None:
        self.function: Function = function
        self.name: str = name
        self.lines: list[Any] = []
        self.is_terminated: bool = False


class Phi(Value):
    """What a value is on arrival in a block, from each of those before it."""

    __slots__ = ("incoming",)

    def __init__(self, type: Any, text: str) -> None:
        super().__init__(type, text)
        self.incoming: list[tuple[Value, Block]] = []

    def add_incoming(self, value: Value, block: Block) -> None:
        """Its value for those who come from a block."""
        self.incoming.append((value, block))

    def __str__(self) -> str:
        ways = ", ".join([f"[ {value.text}, %{block.name} ]" for value, block in self.incoming])
        return f"{self.text} = phi {self.type.text} {ways}"


class Room(Value):
    """Memory on the stack."""

    __slots__ = ("align", "allocated", "count")

    def __init__(self, allocated: Any, text: str, count: int | None) -> None:
        super().__init__(PointerType(allocated), text)
        self.allocated: Any = allocated
        self.count: int | None = count
        self.align: int | None = None

    def __str__(self) -> str:
        many = f", i32 {self.count}" if self.count is not None else ""
        return f"{self.text} = alloca {self.allocated.text}{many}" + (f", align {self.align}" if self.align else "")


class Switch:
    """The way on by a whole number."""

    def __init__(self, value: Value, otherwise: Block) -> None:
        self._value, self._otherwise = value, otherwise
        self._cases: list[tuple[Value, Block]] = []

    def add_case(self, value: Value, block: Block) -> None:
        """Where a number leads."""
        self._cases.append((value, block))

    def __str__(self) -> str:
        kind = self._value.type.text
        cases = " ".join([f"{kind} {value.text}, label %{block.name}" for value, block in self._cases])
        return f"switch {kind} {self._value.text}, label %{self._otherwise.name} [ {cases} ]"


# modules -------------------------------------------------------------------------------------------------------------


class Module:
    """Functions and tables, by their names."""

    def __init__(self, name: str = "") -> None:
        self.name: str = name
        self.globals: dict[str, Any] = {}
        self.weighted: bool = False

    def __str__(self) -> str:
        weights = '!0 = !{!"branch_weights", i32 1, i32 99}\n!1 = !{!"branch_weights", i32 99, i32 1}\n'
        return "\n".join([*map(str, self.globals.values()), weights if self.weighted else ""])


class Function(Value):
    """A function of a module; one without blocks is elsewhere."""

    __slots__ = ("_names", "args", "attributes", "blocks", "calling_convention", "count", "linkage", "module", "name")

    def __init__(self, module: Module, type: FunctionType, name: str) -> None:
        super().__init__(PointerType(type), f'@"{name}"')
        if name in module.globals:
            raise ValueError(f"there are two of '{name}' in a module")
        module.globals[name] = self
        self.module: Module = module
        self.name: str = name
        self.args: list[Argument] = [Argument(kind, f"%.a{k}") for k, kind in enumerate(type.args)]
        self.attributes: set[str] = set()
        self.linkage: str = ""
        self.calling_convention: str = ""
        self.blocks: list[Block] = []
        self.count: int = 0
        self._names: dict[str, int] = {}

    def append_basic_block(self, name: str = "") -> Block:
        """A new block, the last one."""
        label = name or "at"
        k = self._names[label] = self._names.get(label, 0) + 1
        block = Block(self, f"{label}..{k}")
        self.blocks.append(block)
        return block

    def __str__(self) -> str:
        result = self.type.pointee.return_type.text
        words = [word for word in (self.linkage, self.calling_convention, result) if word]
        if not self.blocks:
            return f"declare {' '.join(words)} {self.text}({', '.join([a.type.text for a in self.args])})"
        takes = ", ".join([f"{a.type.text} {a.text}" for a in self.args])
        lines = [f"define {' '.join(words)} {self.text}({takes}) {' '.join(sorted(self.attributes))} {{"]
        for block in self.blocks:
            lines.append(block.name + ":")
            lines += [line if isinstance(line, str) else str(line) for line in block.lines]
        return "\n".join([*lines, "}\n"])


class GlobalVariable(Value):
    """Numbers of a module in memory; without an initializer they are elsewhere, or not known."""

    def __init__(self, module: Module, type: Any, name: str, addrspace: int = 0) -> None:
        super().__init__(PointerType(type, addrspace), f'@"{name}"')
        module.globals[name] = self
        self.value_type: Any = type
        self.initializer: Constant | None = None
        self.global_constant: bool = False
        self.linkage: str = ""
        self.align: int | None = None
        self._addrspace = addrspace

    def __str__(self) -> str:
        linkage = self.linkage or ("external" if self.initializer is None else "")
        space = f"addrspace({self._addrspace})" if self._addrspace else ""
        value = self.initializer.text if self.initializer is not None else "undef" if linkage == "internal" else ""
        words = [linkage, space, "constant" if self.global_constant else "global", self.value_type.text, value]
        return f"{self.text} = {' '.join([w for w in words if w])}" + (f", align {self.align}" if self.align else "")


# the builder ---------------------------------------------------------------------------------------------------------

_RELATIONS = {">": "gt", "<": "lt", "==": "eq", "!=": "ne", ">=": "ge", "<=": "le"}


Binary = Callable[[Value, Value], Value]
"""An instruction that takes two values of one type."""

Cast = Callable[[Value, Type], Value]
"""One that makes a value of another type."""


def _binary(name: str) -> Any:
    def emitted(self: IRBuilder, a: Value, b: Value) -> Value:
        kind = a.type
        if kind is not b.type and kind.text != b.type.text:
            raise ValueError(f"{name} of {kind} and {b.type}")
        f = self.function
        f.count = k = f.count + 1
        text = f"%.{k}"
        self._add(f"{text} = {name} {kind.text} {a.text}, {b.text}")
        return Value(kind, text)

    return emitted


def _cast(name: str) -> Any:
    def emitted(self: IRBuilder, a: Value, kind: Type) -> Value:
        return self._value(kind, f"{name} {a.type.text} {a.text} to {kind.text}")

    return emitted


class IRBuilder:
    """Where instructions are added: at the end of a block."""

    def __init__(self, block: Block) -> None:
        self.function: Function = block.function
        self.module: Module = block.function.module
        self.position_at_end(block)

    def position_at_end(self, block: Block) -> None:
        """What follows is added to a block."""
        self.block: Block = block
        self._add = block.lines.append

    def append_basic_block(self, name: str = "") -> Block:
        """A new block of the function, its last one."""
        return self.function.append_basic_block(name)

    def _named(self) -> str:
        self.function.count += 1
        return f"%.{self.function.count}"

    def _value(self, kind: Any, instruction: str) -> Value:
        name = self._named()
        self._add(f"{name} = {instruction}")
        return Value(kind, name)

    fadd: Binary = _binary("fadd")
    fsub: Binary = _binary("fsub")
    fmul: Binary = _binary("fmul")
    fdiv: Binary = _binary("fdiv")
    add: Binary = _binary("add")
    sub: Binary = _binary("sub")
    mul: Binary = _binary("mul")
    sdiv: Binary = _binary("sdiv")
    srem: Binary = _binary("srem")
    and_: Binary = _binary("and")
    or_: Binary = _binary("or")
    xor: Binary = _binary("xor")
    shl: Binary = _binary("shl")
    lshr: Binary = _binary("lshr")
    ashr: Binary = _binary("ashr")
    sitofp: Cast = _cast("sitofp")
    uitofp: Cast = _cast("uitofp")
    fptosi: Cast = _cast("fptosi")
    zext: Cast = _cast("zext")
    sext: Cast = _cast("sext")
    trunc: Cast = _cast("trunc")
    inttoptr: Cast = _cast("inttoptr")
    ptrtoint: Cast = _cast("ptrtoint")

    def bitcast(self, a: Value, kind: Type) -> Value:
        """The same bits."""
        if a.type.text == kind.text:  # a pointer that points to something else now
            return Value(kind, a.text)
        return self._value(kind, f"bitcast {a.type.text} {a.text} to {kind.text}")

    def fneg(self, a: Value) -> Value:
        return self._value(a.type, f"fneg {a.type.text} {a.text}")

    def not_(self, a: Value) -> Value:
        return self.xor(a, Constant(a.type, -1))

    # comparisons
    def _compared(self, name: str, a: Value, b: Value) -> Value:
        truth = IntType(1)
        kind = VectorType(truth, a.type.count) if isinstance(a.type, VectorType) else truth
        return self._value(kind, f"{name} {a.type.text} {a.text}, {b.text}")

    def icmp_signed(self, relation: str, a: Value, b: Value) -> Value:
        name = _RELATIONS[relation]
        return self._compared(f"icmp {name if name in ('eq', 'ne') else 's' + name}", a, b)

    def icmp_unsigned(self, relation: str, a: Value, b: Value) -> Value:
        name = _RELATIONS[relation]
        return self._compared(f"icmp {name if name in ('eq', 'ne') else 'u' + name}", a, b)

    def fcmp_ordered(self, relation: str, a: Value, b: Value) -> Value:
        """False where either is no number."""
        return self._compared(f"fcmp o{_RELATIONS[relation]}", a, b)

    def fcmp_unordered(self, relation: str, a: Value, b: Value) -> Value:
        """True where either is no number."""
        return self._compared("fcmp uno" if relation == "uno" else f"fcmp u{_RELATIONS[relation]}", a, b)

    def select(self, truth: Value, a: Value, b: Value) -> Value:
        kind = a.type.text
        return self._value(a.type, f"select {truth.type.text} {truth.text}, {kind} {a.text}, {kind} {b.text}")

    # memory
    def alloca(self, kind: Any, size: int | None = None, name: str = "") -> Room:
        """Room on the stack, for one or for several; the name is for who reads the program."""
        room = Room(kind, self._named(), size)
        self._add(room)
        return room

    def load(self, place: Value, typ: Any = None, align: int | None = None) -> Value:
        kind = typ or place.type.pointee
        aligned = f", align {align}" if align else ""
        return self._value(kind, f"load {kind.text}, {place.type.text} {place.text}{aligned}")

    def store(self, value: Value, place: Value, align: int | None = None) -> None:
        aligned = f", align {align}" if align else ""
        self._add(f"store {value.type.text} {value.text}, {place.type.text} {place.text}{aligned}")

    def gep(self, place: Value, indices: Sequence[Value], inbounds: bool = False, source_etype: Any = None) -> Value:
        """The address of an element: of the type that is said, or of what the pointer points to."""
        kind = source_etype or place.type.pointee
        element = kind
        for _ in indices[1:]:
            element = element.element
        inside = "inbounds " if inbounds else ""
        which = ", ".join([f"{i.type.text} {i.text}" for i in indices])
        name = self._named()
        self._add(f"{name} = getelementptr {inside}{kind.text}, {place.type.text} {place.text}, {which}")
        if source_etype is not None:
            return Value(place.type, name)
        return Value(PointerType(element), name)

    def atomic_rmw(self, name: str, place: Value, value: Value, ordering: str) -> Value:
        what = f"{place.type.text} {place.text}, {value.type.text} {value.text}"
        return self._value(value.type, f"atomicrmw {name} {what} {ordering}")

    # parts of values
    def extract_element(self, a: Value, i: Value) -> Value:
        return self._value(a.type.element, f"extractelement {a.type.text} {a.text}, {i.type.text} {i.text}")

    def insert_element(self, a: Value, x: Value, i: Value) -> Value:
        what = f"{a.type.text} {a.text}, {x.type.text} {x.text}, {i.type.text} {i.text}"
        return self._value(a.type, f"insertelement {what}")

    def shuffle_vector(self, a: Value, b: Value, mask: Value) -> Value:
        what = f"{a.type.text} {a.text}, {b.type.text} {b.text}, {mask.type.text} {mask.text}"
        return self._value(VectorType(a.type.element, mask.type.count), f"shufflevector {what}")

    def extract_value(self, a: Value, i: int) -> Value:
        kind = a.type.elements[i] if isinstance(a.type, LiteralStructType) else a.type.element
        return self._value(kind, f"extractvalue {a.type.text} {a.text}, {i}")

    def insert_value(self, a: Value, x: Value, i: int) -> Value:
        return self._value(a.type, f"insertvalue {a.type.text} {a.text}, {x.type.text} {x.text}, {i}")

    # calls
    def call(self, function: Value, arguments: Sequence[Value], cconv: str | None = None) -> Value:
        """Of a function, or of a pointer to one."""
        convention = cconv or (function.calling_convention if isinstance(function, Function) else "")
        return self._called(function.type.pointee, convention, function.text, arguments)

    def asm(self, kind: FunctionType, text: str, constraint: str, arguments: Sequence[Value], effects: bool) -> Value:
        """Assembly."""
        return self._called(kind, "", f'asm {"sideeffect " if effects else ""}"{text}", "{constraint}"', arguments)

    def _called(self, kind: Any, convention: str, function: str, arguments: Sequence[Value]) -> Value:
        if len(arguments) != len(kind.args):
            raise TypeError(f"{function} takes {len(kind.args)} arguments, not {len(arguments)}")
        for wanted, a in zip(kind.args, arguments, strict=True):
            if a.type is not wanted and a.type.text != wanted.text:
                raise TypeError(f"{function} takes {wanted}, not {a.type}")
        given = ", ".join([f"{a.type.text} {a.text}" for a in arguments])
        before = f"call {convention} " if convention else "call "
        if kind.return_type.text == "void":
            self._add(f"{before}void {function}({given})")
            return Value(kind.return_type, "")
        return self._value(kind.return_type, f"{before}{kind.return_type.text} {function}({given})")

    # control
    def _end(self, line: Any) -> None:
        assert not self.block.is_terminated, f"'{self.block.name}' has an end already"
        self._add(line)
        self.block.is_terminated = True

    def phi(self, kind: Any) -> Phi:
        phi = Phi(kind, self._named())
        self._add(phi)
        return phi

    def branch(self, to: Block) -> None:
        self._end(f"br label %{to.name}")

    def cbranch(self, truth: Value, yes: Block, no: Block, likely: bool | None = None) -> None:
        weights = "" if likely is None else f", !prof !{int(likely)}"
        self.module.weighted |= likely is not None
        self._end(f"br i1 {truth.text}, label %{yes.name}, label %{no.name}{weights}")

    def switch(self, value: Value, otherwise: Block) -> Switch:
        switch = Switch(value, otherwise)
        self._end(switch)
        return switch

    def ret(self, value: Value) -> None:
        self._end(f"ret {value.type.text} {value.text}")

    def ret_void(self) -> None:
        self._end("ret void")

    def unreachable(self) -> None:
        self._end("unreachable")

    @contextmanager
    def _inside(self, block: Block, after: Block) -> Iterator[Block]:
        before = self.block
        self.position_at_end(block)
        yield after
        if not self.block.is_terminated:
            self.branch(after)
        self.position_at_end(before)

    @contextmanager
    def if_then(self, truth: Value, likely: bool | None = None) -> Iterator[Block]:
        """Instructions for where something is true."""
        yes, after = self.append_basic_block("if"), self.append_basic_block("endif")
        self.cbranch(truth, yes, after, likely)
        with self._inside(yes, after):
            yield after
        self.position_at_end(after)

    @contextmanager
    def if_else(
        self, truth: Value, likely: bool | None = None
    ) -> Iterator[tuple[AbstractContextManager[Block], AbstractContextManager[Block]]]:
        """Instructions for where something is true, and for where it is not."""
        yes, no, after = (self.append_basic_block(name) for name in ("if", "else", "endif"))
        self.cbranch(truth, yes, no, likely)
        yield self._inside(yes, after), self._inside(no, after)
        self.position_at_end(after)
