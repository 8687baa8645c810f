"""A kernel: its source, the types of its arguments, what its names stand for, and its run as Python."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import textwrap
from collections.abc import Callable
from functools import cached_property
from typing import Any, overload

import numpy as np

from zeromass.errors import ZeromassError
from zeromass.kernel.types import Kind, kind_of


class KernelError(ZeromassError, TypeError):
    """Source that is not in the language of kernels; its message begins with file and line."""

    filename: str
    lineno: int


class Kernel:
    """A function of the kernel language; a call runs it as Python.

    lazy  whether other kernels' machine code does without its own until it is called, see `lazy`; it is then a function of
          a module, of which there is one of that name
    """

    def __init__(self, f: Callable[..., Any], *, lazy: bool = False) -> None:
        self.f, self.name, self.lazy = f, f.__name__, lazy
        self.__name__, self.__doc__, self.__module__ = f.__name__, f.__doc__, f.__module__
        self.__wrapped__ = f

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.name}>"

    @cached_property
    def file(self) -> str:
        return inspect.getsourcefile(self.f) or "?"

    @property
    def node(self) -> ast.FunctionDef:
        """Its syntax tree, with the lines of the file; parsed anew, as there are many kernels with large trees."""
        code = self.f.__code__
        first = code.co_firstlineno - 1
        end = max(line for *_, line in code.co_lines() if line)
        lines = linecache.getlines(self.file, self.f.__globals__)
        while True:
            try:
                node = ast.parse("\n" * first + textwrap.dedent("".join(lines[first:end]))).body[0]
                break
            except SyntaxError:  # the last instruction ends in one of the next lines
                end += 1
                if end > len(lines):
                    raise
        if not isinstance(node, ast.FunctionDef):
            raise self.error(node, "a kernel is made of a function")
        return node

    @cached_property
    def _outer(self) -> dict[str, Any]:
        return dict(
            zip(self.f.__code__.co_freevars, [cell.cell_contents for cell in self.f.__closure__ or ()], strict=True)
        )

    @property
    def _names(self) -> dict[str, Any]:
        return {**self.f.__globals__, **self._outer}

    def known(self, name: str) -> Any:
        """What a name that is no variable stands for; KeyError if nothing.

        It is looked up when the kernel is compiled, so that it may be defined after it.
        """
        for names in (self._outer, self.f.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        raise KeyError(name)

    @cached_property
    def signature(self) -> tuple[dict[str, Kind], Kind]:
        """Types of the arguments by their names, and of the result; the source is read only if something is wrong."""
        code, written = self.f.__code__, self.f.__annotations__
        names = code.co_varnames[: code.co_argcount]
        plain = not (self.f.__defaults__ or code.co_kwonlyargcount or code.co_posonlyargcount or code.co_flags & 12)
        if not plain or not {*names, "return"} <= written.keys():
            raise self._unclear()
        kinds = {name: self._annotated(name, written[name]) for name in names}
        return kinds, self._annotated("return", written["return"])

    def _annotated(self, name: str, written: Any) -> Kind:
        try:
            if not isinstance(written, str):
                return kind_of(written)
            return kind_of(
                self.known(written) if written.isidentifier() and written != "None" else eval(written, self._names)
            )
        except (TypeError, NameError, AttributeError) as error:
            nodes = {a.arg: a.annotation for a in self.node.args.args} | {"return": self.node.returns}
            raise self.error(nodes[name], str(error)) from None

    def _evaluated(self, written: str) -> Any:
        """What an annotation says: a name is looked up, which is much quicker."""
        try:
            return self.known(written)
        except KeyError:
            return eval(written, self._names)

    def _unclear(self) -> KernelError:
        """What is wrong with the arguments or the result."""
        given = self.node.args
        for argument in given.args:
            if argument.annotation is None:
                return self.error(argument, f"argument '{argument.arg}' has no type; annotate it")
        if self.node.returns is None:
            return self.error(self.node, f"'{self.name}' does not say what it returns; write '-> None' if nothing")
        return self.error(self.node, "arguments of a kernel are given by their places, without defaults and stars")

    def annotated(self, written: ast.expr) -> Kind:
        """The type that an annotation stands for."""
        try:
            return kind_of(self._evaluated(ast.unparse(written)))
        except (TypeError, NameError, AttributeError) as error:
            raise self.error(written, str(error)) from None

    def error(self, node: Any, words: str) -> KernelError:
        """What is wrong at a place of the source."""
        line = getattr(node, "lineno", 1)
        error = KernelError(f"{self.file}:{line}: {words}, in kernel '{self.name}'")
        error.filename, error.lineno = self.file, line
        return error

    @cached_property
    def python(self) -> Callable[..., Any]:
        """The function that Python runs."""
        from zeromass.kernel.python import NAMES, as_python  # most kernels run as machine code alone

        names = {**self._names, **NAMES}
        exec(compile(as_python(self.node), self.file, "exec"), names)
        return names[self.node.name]

    def __call__(self, *args: Any) -> Any:
        with np.errstate(all="ignore"):
            return self.python(*args)


@overload
def kernel(f: Callable[..., Any]) -> Kernel: ...


@overload
def kernel(*, lazy: bool) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(f: Callable[..., Any] | None = None, *, lazy: bool = False) -> Any:
    """Makes a function one of the kernel language."""
    return (lambda function: Kernel(function, lazy=lazy)) if f is None else Kernel(f)
