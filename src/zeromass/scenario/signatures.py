"""Tables from signatures: the keys of a table are the arguments of the function or class that it is made with.

A function in Python needs nothing else to be known to scenario files than types that say what a file can say:

    float, Expression | float           a number, or a formula in quotes
    tuple[float, float], Sequence[…]    a list of them; Annotated[…, (3,), (3, 3)] says which shapes
    bool, str, Literal["a", "b"]        a flag, words, a choice
    Annotated[…, kind]                  any `Kind`

An argument without a type is one number or any list of numbers, unless its default says more; one that no file can give,
such as a function, is left out.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from zeromass.expression import Expression
from zeromass.scenario.kinds import ANY_LENGTH, Choice, Either, Flag, Kind, Numbers, Problem, Words
from zeromass.scenario.tables import Argument, Table
from zeromass.scenario.words import USUAL, summary, told

Shape = tuple[int | range, ...]
ANY_SHAPE: tuple[Shape, ...] = ((), (ANY_LENGTH,), (ANY_LENGTH, ANY_LENGTH))


def table(
    make: Callable[..., Any],
    *,
    without: Iterable[str] = (),
    said: Mapping[str, Kind] | None = None,
    more: Mapping[str, Argument] | None = None,
    rule: Callable[[dict[str, Any]], Iterable[Problem]] = lambda given: (),
    blame: str = "",
    words: Callable[..., Any] | str | None = None,
    means: Mapping[str, str] | None = None,
    instead: Mapping[str, Any] | None = None,
) -> Table:
    """The table of the arguments of a function or class, which is made with it.

    without  arguments that do not come from the file
    said     what a file says where the types in Python say too little, or something else
    more     keys that are no arguments
    words    what the table stands for, or what else than the function tells of it and of its keys in a docstring
    means    what a key means in a file, where that is less than in Python
    instead  data that keep the rule, where those with the keys that are needed do not
    """
    arguments: dict[str, Argument] = {}
    meaning = USUAL | told(make) | (told(words) if callable(words) else {}) | dict(means or {})
    said = said or {}
    for name, parameter in inspect.signature(make).parameters.items():
        if name in without or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        required, default = parameter.default is parameter.empty, parameter.default
        kind = said.get(name) or kind_of(_type(make, parameter.annotation), None if required else default)
        if kind is not None:
            arguments[name] = Argument(kind, required, None if required else default, meaning.get(name, ""))
        elif required:
            raise TypeError(f"no scenario file can say '{name}' of {make.__name__}, a {parameter.annotation}")
    beside = {name: a if a.words else replace(a, words=meaning.get(name, "")) for name, a in (more or {}).items()}
    title = words if isinstance(words, str) else summary(words or make)
    return Table({**arguments, **beside}, make, rule, blame, words=title, instead=instead or {})


def made_by(module: types.ModuleType, result: type) -> dict[str, Callable[..., Any]]:
    """The public functions of a module that give a result of some type, by name."""
    found = {name: thing for name, thing in vars(module).items() if inspect.isfunction(thing) and name[0] != "_"}
    return {name: make for name, make in found.items() if _type(make, make.__annotations__.get("return")) is result}


@cache
def _type(make: Callable[..., Any], annotation: Any) -> Any:
    """An annotation, which may be the text of one; Any where that names what is known to type checkers only."""
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    try:
        return eval(annotation, getattr(make, "__globals__", None) or vars(sys.modules[make.__module__]))
    except NameError:
        return Any


def kind_of(type_: Any, default: Any = None) -> Kind | None:
    """What a file says for a type in Python; None where it can say nothing."""
    if type_ is Any and isinstance(default, bool | str | float | tuple):
        of_default: Kind = Flag() if isinstance(default, bool) else Numbers("names", (np.shape(default),))
        return Words() if isinstance(default, str) else of_default
    members, beside = _members(type_)
    for item in beside:
        if isinstance(item, Kind):
            return item
    choices = [option for member in members if get_origin(member) is Literal for option in get_args(member)]
    rest = [m for m in members if get_origin(m) is not Literal and m not in (type(None), np.ndarray)]
    shapes = [item for item in beside if isinstance(item, tuple)] or [shape for m in rest for shape in _shapes(m)]
    kinds: list[Kind] = [Choice(tuple(choices))] if choices else []
    if rest in ([bool], [str]):
        kinds.append(Flag() if rest == [bool] else Words())
    elif shapes:
        of = "names" if not rest or any(map(_symbolic, rest)) else "parameters"
        kinds.append(Numbers(of, tuple(dict.fromkeys(shapes))))
    return kinds[0] if len(kinds) == 1 else Either(tuple(kinds)) if kinds else None


def _members(type_: Any) -> tuple[list[Any], list[Any]]:
    """The types in a union, and what stands beside them in Annotated."""
    if get_origin(type_) is Annotated:
        inner, *beside = get_args(type_)
        types_, more = _members(inner)
        return types_, [*beside, *more]
    if get_origin(type_) not in (Union, types.UnionType):
        return [type_], []
    parts = [_members(member) for member in get_args(type_)]
    return [one for types_, _ in parts for one in types_], [one for _, beside in parts for one in beside]


def _shapes(type_: Any) -> list[Shape]:
    """Shapes of the numbers that a type holds; none where it holds something else."""
    if type_ in (float, int, Expression):
        return [()]
    if type_ is Any:
        return list(ANY_SHAPE)
    origin, inner = get_origin(type_), get_args(type_)
    if origin not in (tuple, list, Sequence) or not inner:
        return []
    length = len(inner) if origin is tuple and inner[-1] is not Ellipsis else ANY_LENGTH
    return [(length, *shape) for member in _members(inner[0])[0] for shape in _shapes(member)]


def _symbolic(type_: Any) -> bool:
    return type_ in (Expression, Any) or any(_symbolic(inner) for inner in get_args(type_))
