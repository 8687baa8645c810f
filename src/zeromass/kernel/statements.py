"""Statements of kernels, and with them the whole function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from zeromass.codegen import ir
from zeromass.kernel.calls import Calls
from zeromass.kernel.frame import Typed, number
from zeromass.kernel.python import loaded
from zeromass.kernel.types import I64, INT, Tuple, name_of
from zeromass.kernel.views import Place


class Emitter(Calls):
    """Writes the function of a kernel."""

    _loops: list[tuple[ir.Block, ir.Block]]
    _depth: int

    def emit(self) -> None:
        """The whole of it."""
        self._loops = []  # where `break` and `continue` lead
        self._depth = 0  # of statements in others
        self._body(self.body)
        if not self.b.block.is_terminated:
            if self.result is not None:
                raise self.error(self.kernel.node, f"it may end without a value, and returns {name_of(self.result)}")
            self.b.ret_void()
        self.entry.branch(self.start)

    def expression(self, node: ast.expr) -> Typed:
        write = getattr(self, f"on_{type(node).__name__}", None)
        if write is None:
            words = f"'{ast.unparse(node)}' ({type(node).__name__}) is not in the language of kernels"
            raise self.error(node, words)
        return write(node)

    def _body(self, statements: Sequence[ast.stmt]) -> None:
        self._depth += 1
        for node in statements:
            if self.b.block.is_terminated:
                break
            write = getattr(self, f"do_{type(node).__name__}", None)
            if write is None:
                raise self.error(node, f"'{type(node).__name__}' statements are not in the language of kernels")
            write(node)
        self._depth -= 1

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):  # a docstring
            self.expression(node.value)

    def do_Assert(self, node: ast.Assert) -> None:
        if self.unit.debug:
            self.note(self.b.not_(self.truth(node.test).value), node)

    # assignments -----------------------------------------------------------------------------------------------------
    def do_Assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self._assign(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise self.error(node, "only a new variable with a value is annotated")
        kind = self.kernel.annotated(node.annotation)
        what = f"'{node.target.id}' is {name_of(kind)}"
        self._assign(node.target, self.converted(node, self.expression(node.value), kind, what))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            old = self.expression(loaded(node.target))
            self._assign(node.target, self.binary(node, node.op, old, self.expression(node.value)))
            return
        place = self.place(node.target)
        if not isinstance(place, Place):
            raise self.error(node, f"'{ast.unparse(node)}' calculates with {name_of(place.kind)}; write a loop")
        new = self.binary(node, node.op, self.read(place), self.expression(node.value))
        self.write(place, new, node.target)

    def _assign(self, target: ast.expr, value: Typed) -> None:
        if isinstance(target, ast.Tuple):
            if not isinstance(value.kind, Tuple) or len(value.kind.items) != len(target.elts):
                raise self.error(target, f"{name_of(value.kind)} is assigned to {len(target.elts)} names")
            for one, part in zip(target.elts, self.split(value), strict=True):
                self._assign(one, part)
        elif isinstance(target, ast.Name):
            if value.kind is None:
                raise self.error(target, f"there is no value for '{target.id}'")
            if target.id not in self.variables:
                if self._depth == 1 and self.assignments[target.id] == 1:
                    self.fix(target.id, value)
                    return
                self.declare(target.id, value.kind)
            kind = self.variables[target.id].kind
            what = f"'{target.id}' is {name_of(kind)} since its first value"
            self.store(target.id, self.converted(target, value, kind, what))
        else:
            place = self.place(target)
            if isinstance(place, Place):
                self.write(place, value, target)
            else:
                self.fill(place, value, target)

    # control ---------------------------------------------------------------------------------------------------------
    def do_If(self, node: ast.If) -> None:
        test = self.truth(node.test)
        yes, no, after = (self.function.append_basic_block(name) for name in ("if", "else", "endif"))
        self.b.cbranch(test.value, yes, no)
        ends: list[bool] = []
        for block, statements in ((yes, node.body), (no, node.orelse)):
            self.b.position_at_end(block)
            self._body(statements)
            ends.append(self.b.block.is_terminated)
            if not ends[-1]:
                self.b.branch(after)
        self.b.position_at_end(after)
        if all(ends):
            self.b.unreachable()

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            raise self.error(node, "loops have no else")
        again, inside, after = (self.function.append_basic_block(name) for name in ("while", "do", "done"))
        self.b.branch(again)
        self.b.position_at_end(again)
        test = self.truth(node.test)
        self.b.cbranch(test.value, inside, after)
        self._loop(inside, node.body, after, again)
        if test.constant is True and not any(isinstance(n, ast.Break) for n in _inside(node.body)):
            self.b.unreachable()

    def do_For(self, node: ast.For) -> None:
        start, stop, step = self._range(node)
        assert isinstance(node.target, ast.Name)
        counter = self.entry.alloca(I64)
        self.b.store(start.value, counter)
        again, inside, on, after = (self.function.append_basic_block(name) for name in ("for", "do", "next", "done"))
        self.b.branch(again)
        self.b.position_at_end(again)
        k = self.b.load(counter)
        self.b.cbranch(self.b.icmp_signed("<" if step > 0 else ">", k, stop.value), inside, after)
        self.b.position_at_end(inside)
        self._assign(node.target, Typed(INT, [k]))
        self._loop(inside, node.body, after, on)
        self.b.position_at_end(on)
        self.b.store(self.b.add(self.b.load(counter), ir.Constant(I64, step)), counter)
        self.b.branch(again)
        self.b.position_at_end(after)

    def _range(self, node: ast.For) -> tuple[Typed, Typed, int]:
        """Start, end and step of a loop."""
        call = node.iter
        given: list[ast.expr] = []
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range":
            given = call.args
        if not given or not isinstance(node.target, ast.Name) or node.orelse:
            raise self.error(node, "a 'for' has one variable, goes over range(…), and has no else")
        first, *rest = [self.whole(a) for a in given]
        step = rest[1].constant if len(rest) > 1 else 1
        if not step:
            raise self.error(node, "the step of a range is a constant, and not zero")
        return (first, rest[0], step) if rest else (number(0), first, step)

    def _loop(self, inside: ir.Block, body: Sequence[ast.stmt], after: ir.Block, again: ir.Block) -> None:
        self.b.position_at_end(inside)
        self._loops.append((after, again))
        self._body(body)
        self._loops.pop()
        if not self.b.block.is_terminated:
            self.b.branch(again)
        self.b.position_at_end(after)

    def do_Break(self, node: ast.Break) -> None:
        self.b.branch(self._loops[-1][0])

    def do_Continue(self, node: ast.Continue) -> None:
        self.b.branch(self._loops[-1][1])

    def do_Return(self, node: ast.Return) -> None:
        if node.value is None or self.result is None:
            if node.value is not None or self.result is not None:
                raise self.error(node, f"it returns {name_of(self.result)}")
            self.b.ret_void()
            return
        what = f"it returns {name_of(self.result)}"
        value = self.converted(node, self.expression(node.value), self.result, what)
        if len(value.parts) == 1:
            self.b.ret(value.value)
            return
        packed: ir.Value = ir.Constant(self.function.type.pointee.return_type, ir.Undefined)
        for k, part in enumerate(value.parts):
            packed = self.b.insert_value(packed, part, k)
        self.b.ret(packed)


def _inside(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a loop that are not in one inside it."""
    for node in body:
        yield node
        if not isinstance(node, (ast.For, ast.While)):
            yield from _inside(getattr(node, "body", []))
            yield from _inside(getattr(node, "orelse", []))
