"""Every public name, with arguments for which the call works, and with arguments for which it can not.

    python tests/faults/calls.py COUNT SEED [NAME]      tries so many calls and prints what became of them

A call ends in a result, in an error of zeromass with one message, in Python's own TypeError where the arguments do not fit
the signature, or in an error of the user's own function or object. Everything else is a fault: an error from the inside
("raw"), a call that takes too long ("hang"), an error without a message or with an endless one ("no message"). A crash ends
this process.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import fractions
import os
import random
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zeromass as zm
from zeromass.contact import ConvexBody, ImplicitBody, Pair
from zeromass.equation import Verdict
from zeromass.integrate import METHODS, Ending, Impulse, Method, Occurrence, Segment, Settings
from zeromass.model import Drawing

SECONDS = 20
"""Longest time of one call, s. The slowest of those that work takes 2 s on two busy cores."""

LONGEST_MESSAGE = 2000
"""Letters that a message may have: what was given is shortened."""


GOOD, BAD = ("fine", "named", "signature", "own"), ("raw", "hang", "no message")
"""What may become of a call, and what may not."""


class Mine(Exception):
    """What a function or object of the user raises."""


class Late(BaseException):
    """A call has taken too long."""


class Call(NamedTuple):
    """A function and arguments for which it works."""

    function: Callable[..., Any]
    given: dict[str, Any]
    amounts: tuple[str, ...] = ()
    """Arguments that ask for work or memory in proportion: a huge one is no mistake."""
    slow: bool = False
    """Whether it takes longer than some 20 ms: it is tried less often."""


# ---- values that few arguments may have


class _NoRepr:
    def __repr__(self) -> str:
        raise Mine("no repr")


class _NoArray:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Mine("no array")


class _WrongArray:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return "no array"


class _NoFloat:
    def __float__(self) -> float:
        raise Mine("no float")


class _NoLength:
    def __len__(self) -> int:
        raise Mine("no length")

    def __getitem__(self, k: Any) -> Any:
        raise Mine("no item")


class _NoTruth:
    def __bool__(self) -> bool:
        raise Mine("no truth")

    def __eq__(self, other: object) -> bool:
        raise Mine("no comparison")

    __hash__ = object.__hash__


class _NoHash:
    __hash__ = None  # type: ignore[assignment]


class _Long:
    def __repr__(self) -> str:
        return "long " * 100_000


def _raises(*args: Any) -> Any:
    raise Mine("raised by the user's function")


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        return None
    return pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", None]})


def _xarray() -> Any:
    import xarray

    return xarray.DataArray(np.ones((2, 3)), dims=("a", "b"))


STRANGER = zm.coordinate("stranger")
OTHER = zm.System(kinetic=zm.rate(STRANGER) ** 2 / 2)
OTHER_START = OTHER.start({STRANGER: 1.0})

HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "0": lambda: 0,
    "0.0": lambda: 0.0,
    "-1": lambda: -1,
    "-2.5": lambda: -2.5,
    "7": lambda: 7,
    "1e-320": lambda: 1e-320,
    "1e308": lambda: 1e308,
    "10**30": lambda: 10**30,
    "10**400": lambda: 10**400,
    "-10**400": lambda: -(10**400),
    "2**63": lambda: 2**63,
    "True": lambda: True,
    "False": lambda: False,
    "complex": lambda: 1 + 2j,
    "word": lambda: "word",
    "digits": lambda: "1",
    "empty word": lambda: "",
    "long word": lambda: "x" * 100_000,
    "lines": lambda: "a\nb",
    "nan word": lambda: "nan",
    "bytes": lambda: b"bytes",
    "bytearray": lambda: bytearray(b"12"),
    "memoryview": lambda: memoryview(b"12"),
    "Path": lambda: Path("no/such/folder"),
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "[None]": lambda: [None],
    "[nan]": lambda: [float("nan")],
    "[1.0]": lambda: [1.0],
    "1 2": lambda: [1.0, 2.0],
    "1 2 3": lambda: (1.0, 2.0, 3.0),
    "1 2 nan": lambda: (1.0, 2.0, float("nan")),
    "0 0 0": lambda: (0.0, 0.0, 0.0),
    "four": lambda: [1.0, 2.0, 3.0, 4.0],
    "words": lambda: ["a", "b", "c"],
    "mixed": lambda: [1.0, "a", None],
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "deep": lambda: [[[[[1.0]]]]],
    "{a: 1}": lambda: {"a": 1.0},
    "{1: a}": lambda: {1: "a"},
    "{None: None}": lambda: {None: None},
    "{x: word}": lambda: {STRANGER: "word"},
    "{1.0}": lambda: {1.0, 2.0, 3.0},
    "frozenset": lambda: frozenset(("a", "b")),
    "range": lambda: range(3),
    "generator": lambda: (k for k in range(3)),
    "broken generator": lambda: (_raises() for _ in range(3)),
    "map": lambda: map(float, "abc"),
    "object": object,
    "type": lambda: int,
    "module": lambda: np,
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "slice": lambda: slice(0, 1),
    "datetime": lambda: datetime.datetime(2020, 1, 1),
    "timedelta": lambda: datetime.timedelta(1),
    "Decimal": lambda: decimal.Decimal("0.3"),
    "Decimal nan": lambda: decimal.Decimal("sNaN"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "no repr": _NoRepr,
    "no array": _NoArray,
    "wrong array": _WrongArray,
    "no float": _NoFloat,
    "no length": _NoLength,
    "no truth": _NoTruth,
    "no hash": _NoHash,
    "long repr": _Long,
    "lambda: 1": lambda: lambda: 1.0,
    "lambda x: x": lambda: lambda x: x,
    "lambda x: word": lambda: lambda x: "word",
    "lambda x, y: None": lambda: lambda x, y: None,
    "lambda x, y, z: nan": lambda: lambda x, y, z: float("nan"),
    "lambda *a: None": lambda: lambda *a: None,
    "lambda *a: [1, 2]": lambda: lambda *a: [1.0, 2.0],
    "lambda *a: object": lambda: lambda *a: object(),
    "lambda *a: if": lambda: lambda *a: 1.0 if a[0] > 0 else 2.0,
    "raises": lambda: _raises,
    "np.sin": lambda: np.sin,
    "len": lambda: len,
    "Expression": lambda: STRANGER,
    "its rate": lambda: zm.rate(STRANGER),
    "its acceleration": lambda: zm.acceleration(STRANGER),
    "comparison": lambda: STRANGER > 0,
    "parameter": lambda: zm.parameter("stranger parameter", 1.0),
    "time": lambda: zm.t,
    "expressions": lambda: np.array([STRANGER, zm.rate(STRANGER), zm.t]),
    "System": lambda: OTHER,
    "State": lambda: OTHER_START,
    "Particle": lambda: zm.Particle("stranger", 1.0),
    "RigidBody": lambda: zm.RigidBody("strange body", 1.0, (1.0, 1.0, 1.0)),
    "Ground": zm.Ground,
    "Surface": zm.surfaces.plane,
    "Event": lambda: zm.Event("strange", STRANGER),
    "class": lambda: zm.System,
    "np 0-d": lambda: np.array(1.0),
    "np word": lambda: np.array("word"),
    "np nan": lambda: np.float64("nan"),
    "np int8": lambda: np.int8(-3),
    "np uint64": lambda: np.uint64(2**64 - 1),
    "np bool": lambda: np.bool_(True),
    "np complex": lambda: np.array([1j, 0.0, 0.0]),
    "np datetime": lambda: np.datetime64("2020-01-01"),
    "np empty": lambda: np.empty((0, 3)),
    "np 2x2": lambda: np.ones((2, 2)),
    "np 3x3": lambda: np.ones((3, 3)),
    "np 2x2x2": lambda: np.ones((2, 2, 2)),
    "np words": lambda: np.array(["a", "b", "c"]),
    "np object": lambda: np.array([None, object(), "a"], dtype=object),
    "np masked": lambda: np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
    "np record": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "np inf": lambda: np.array([np.inf, 1.0, 1.0]),
    "np matrix": lambda: np.asmatrix(np.eye(3)),
    "pandas": _pandas,
    "xarray": _xarray,
}

HUGE = {"7", "1e308", "10**30", "10**400", "2**63", "np uint64", "inf", "1 2 3", "four", "1 2", "Decimal", "Fraction"}
"""What would be a lot of work, where an argument is an amount of it; 10**400 and the like are tried elsewhere."""


# ---- arguments


def changed(value: Any, strange: Any, rng: random.Random) -> Any:
    """A strange value in place of one that fits, or in place of something inside it."""
    if rng.random() < 0.6:
        return strange
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        if rng.random() < 0.5:
            return {**value, key: changed(value[key], strange, rng)}
        try:
            return {strange if k is key else k: v for k, v in value.items()}
        except Exception:  # what has no hash is no key
            return strange
    if isinstance(value, list | tuple) and type(value) in (list, tuple) and value:
        k = rng.randrange(len(value))
        return type(value)([*value[:k], changed(value[k], strange, rng), *value[k + 1 :]])
    if isinstance(value, np.ndarray) and value.ndim and len(value) and rng.random() < 0.7:
        return [*value.tolist()[:-1], strange]
    if callable(value) and not isinstance(value, type):
        return rng.choice((lambda *a, **k: strange, lambda: strange, lambda a: strange, lambda a, b, c, d, e: strange))
    return rng.choice(([strange], (strange, strange), {"a": strange}, [value, strange], _boxed(strange)))


def _boxed(value: Any) -> np.ndarray:
    box = np.empty(1, dtype=object)
    box[0] = value
    return box


def attempt(call: Call, rng: random.Random) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """What is wrong with the arguments, and the arguments."""
    given = dict(call.given)
    kind = rng.random()
    if not given or kind < 0.04:
        if rng.random() < 0.5 and given:
            away = rng.choice(list(given))
            del given[away]
            return f"without {away}", (), given
        word = rng.choice(("no_such_argument", "self", "name", "x"))
        return f"with {word}", (), {**given, word: HOSTILE[rng.choice(list(HOSTILE))]()}
    if kind < 0.06:
        return "positional", (*given.values(), HOSTILE[rng.choice(list(HOSTILE))]()), {}
    words = []
    for name in rng.sample(list(given), min(len(given), 1 if kind < 0.85 else 2)):
        allowed = [key for key in HOSTILE if name not in call.amounts or key not in HUGE]
        key = rng.choice(allowed)
        given[name] = changed(given[name], HOSTILE[key](), rng)
        words.append(f"{name} ← {key}")
    return ", ".join(words), (), given


class Found(NamedTuple):
    """What became of a call."""

    kind: str
    words: str = ""
    where: str = ""


def outcome(call: Call, args: tuple[Any, ...], given: dict[str, Any]) -> Found:
    def late(*_: Any) -> None:
        raise Late

    before = [signal.signal(s, late) for s in (signal.SIGPROF, signal.SIGALRM)]
    _limited(SECONDS)
    try:
        call.function(*args, **given)
    except Late:
        return Found("hang", "", "".join(traceback.format_exc().splitlines(keepends=True)[-8:]))
    except zm.errors.ZeromassError as error:
        said = str(error)
        short = 0 < len(said) <= LONGEST_MESSAGE
        return Found("named" if short else "no message", f"{type(error).__name__}: {said[:LONGEST_MESSAGE]}")
    except BaseException as error:
        _limited(0.0)
        frames = traceback.extract_tb(error.__traceback__)
        inside = [f for f in frames if "/zeromass/" in f.filename]
        if frames[-1].filename == __file__ or not inside:
            return Found("signature")
        if any(isinstance(e, Mine) for e in _chain(error)):
            return Found("own")
        place = " < ".join(
            f"{Path(f.filename).parent.name}/{Path(f.filename).name}:{f.lineno}" for f in inside[::-1][:6]
        )
        return Found("raw", f"{type(error).__name__}: {str(error)[:200]}", place)
    finally:
        _limited(0.0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])
    return Found("fine")


def _limited(seconds: float) -> None:
    """Ends what takes so much time of the processor, or ten times as long; again where that is caught on the way."""
    signal.setitimer(signal.ITIMER_PROF, seconds, min(seconds, 1.0))
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds, min(seconds, 1.0))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


# ---- what there is


def plain(function: Callable[..., Any], *positional: Any) -> Callable[..., Any]:
    """A function of which some arguments come first, such as those of `zm.join(*systems)`."""
    return lambda **given: function(*positional, **given)


def first(function: Callable[..., Any], count: int = 1) -> Callable[..., Any]:
    """A function the first arguments of which have no name: they are called a, b, …"""

    def called(**given: Any) -> Any:
        unnamed = [given.pop(name) for name in "abcd"[:count] if name in given]
        return function(*unnamed, **given)

    return called


def _pendulum() -> tuple[Any, Any, zm.System, zm.State]:
    theta, length = zm.coordinate("theta"), zm.parameter("length", 1.0)
    system = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-9.81 * length * np.cos(theta))
    return theta, length, system, system.start({theta: 0.5})


def _properties(thing: Any) -> Callable[..., Any]:
    """Reads everything that an object says of itself."""

    def read() -> None:
        for name in dir(type(thing)):
            if name[0] != "_" and not callable(getattr(type(thing), name, None)):
                getattr(thing, name)
        repr(thing)

    return read


def _expressions() -> dict[str, Call]:
    from zeromass import expression

    x, y = zm.coordinates("x y")
    p = zm.parameter("p", 1.0)
    e = x**2 * np.sin(y) + p * zm.rate(x)
    return {
        "coordinate": Call(zm.coordinate, {"name": "x", "latex": "x"}),
        "coordinates": Call(zm.coordinates, {"names": "x y"}),
        "parameter": Call(zm.parameter, {"name": "p", "value": 1.0, "latex": "p"}),
        "rate": Call(zm.rate, {"f": e}),
        "acceleration": Call(zm.acceleration, {"f": x * y}),
        "derivative": Call(zm.expression.derivative, {"f": e, "variable": x}),
        "directional": Call(zm.expression.directional, {"functions": e, "direction": {x: 2, y: x}}),
        "gradient": Call(zm.expression.gradient, {"f": e, "variables": [x, y]}),
        "jacobian": Call(zm.expression.jacobian, {"functions": [e, x], "variables": [x, y]}),
        "evaluate": Call(zm.expression.evaluate, {"outputs": [e, x], "values": {x: 1.0, y: 2.0, zm.rate(x): 0.5}}),
        "substitute": Call(zm.expression.substitute, {"functions": [e, x], "replacements": {x: y, y: 1.0}}),
        "to_sympy": Call(zm.export.sympy, {"e": x * y}, slow=True),
        "where": Call(zm.where, {"condition": x > 0, "a": x, "b": 1.0}),
        "c_code": Call(zm.export.c_code, {"outputs": {"value": e}, "inputs": [x, y, zm.rate(x), p], "name": "f"}),
        "latex": Call(zm.export.latex, {"e": e, "digits": 4}),
        "Expression": Call(zm.expression.Expression, {}),
        "expression.as_expression": Call(first(expression.as_expression), {"a": x}),
        "expression.expressions": Call(first(expression.expressions), {"a": [x, 1.0]}),
        "expression.symbols": Call(first(expression.symbols), {"a": [x, y]}),
        "+": Call(lambda a: x + a, {"a": y}),
        "**": Call(lambda a: x**a, {"a": 2}),
        "r**": Call(lambda a: a**x, {"a": 2}),
        "@": Call(lambda a: np.array([x, y]) @ a, {"a": [x, y]}),
        ">": Call(lambda a: x > a, {"a": y}),
        "arctan2": Call(lambda a: np.arctan2(x, a), {"a": y}),  # type: ignore
        "maximum": Call(lambda a: np.maximum(x, a), {"a": y}),  # type: ignore
        "x.sin": Call(lambda a: x.sin(a) if a is not None else x.sin(), {"a": None}),  # type: ignore[call-arg]
        "x.add": Call(lambda a: x.add(a), {"a": y}),  # type: ignore[attr-defined]
    }


def _equations() -> dict[str, Call]:
    from zeromass import equation

    M, Q, A, b = np.eye(3), np.ones(3), np.array([[1.0, 0.0, 1.0]]), np.array([0.5])
    rank = {"M": M, "Q": Q, "A": A, "b": b}
    return {
        "solve": Call(
            zm.solve,
            {
                **rank,
                "C": np.zeros(3),
                "eta": None,
                "rank_tolerance": 1e-11,
                "consistency_tolerance": 1e-9,
                "mass_tolerance": 1e-9,
                "Q_error": 0.0,
                "b_error": 0.0,
                "rank": None,
                "constraint_rank": None,
            },
        ),
        "equation.udwadia_kalaba": Call(equation.udwadia_kalaba, dict(rank)),
        "equation.kkt": Call(equation.kkt, dict(rank)),
        "equation.numerical_rank": Call(first(equation.numerical_rank), {"a": M}),
        "equation.pseudoinverse": Call(first(equation.pseudoinverse), {"a": M}),
        "equation.independent_rows": Call(first(equation.independent_rows), {"a": A}),
    }


def _systems() -> dict[str, Call]:
    theta, length, system, start = _pendulum()
    bob, body = zm.Particle("bob", mass=1.0, at=(1, 0, 0)), zm.RigidBody("box", mass=1.0, inertia=(1, 2, 2))
    x, y, z = bob.position
    rod = zm.System([bob], gravity=9.81, constraints={"rod": x**2 + y**2 + z**2 - 1.0})
    rodded = rod.start({y: 0.0, z: 0.0}, guess={x: 1.0})
    F, q = zm.parameter("F", 0.0), zm.coordinate("q")
    cart = zm.System(kinetic=zm.rate(q) ** 2, forces={q: F}, control={"follow": q - np.sin(zm.t)}, by=[F])
    pushed = zm.System(kinetic=zm.rate(q) ** 2, forces={q: F})
    when = zm.Event("down", theta, direction=-1)
    starting = {"prescribed": {theta: 0.5}, "t": 0.0, "parameters": {length: 2.0}, "guess": {theta: 0.4}}
    return {
        "Particle": Call(zm.Particle, {"name": "p", "mass": 1.0, "at": (0, 0, 0)}),
        "RigidBody": Call(
            zm.RigidBody, {"name": "b", "mass": 1.0, "inertia": (1, 2, 2), "at": (0, 0, 0), "orientation": (1, 0, 0, 0)}
        ),
        "RigidBody.point": Call(body.point, {"place": (1, 0, 0)}),
        "RigidBody.rotate": Call(body.rotate, {"vector": (1, 0, 0)}),
        "RigidBody.like": Call(body.like, {"mass": zm.parameter("m", 1.0), "inertia": body.inertia}),
        "RigidBody properties": Call(_properties(body), {}),
        "Force": Call(zm.Force, {"force": (1, 0, 0), "at": bob.position}),
        "Torque": Call(zm.Torque, {"torque": (1, 0, 0), "on": body}),
        "Spring": Call(zm.Spring, {"stiffness": 2.0, "a": bob.position, "b": (0, 0, 0), "length": 0.1}),
        "Damper": Call(zm.Damper, {"damping": 2.0, "a": bob.position, "b": (0, 0, 0)}),
        "Event": Call(
            zm.Event,
            {
                "name": "e",
                "zero": theta,
                "direction": 0,
                "terminal": True,
                "guard": False,
                "message": "m",
                "detail": lambda state: "words",
            },
        ),
        "Event.words": Call(when.words, {"state": start, "when": "then"}),
        "System": Call(
            zm.System,
            {
                "parts": [bob, body],
                "gravity": 9.81,
                "forces": [zm.Spring(2.0, bob.position), zm.Force((1, 0, 0), at=body.position)],
                "constraints": {"rod": x**2 + y**2 + z**2 - 1.0},
                "joints": (zm.joints.Spherical(zm.Ground(), body),),
            },
        ),
        "System from energies": Call(
            zm.System,
            {
                "kinetic": zm.rate(theta) ** 2 / 2,
                "potential": np.cos(theta),
                "coordinates": [theta],
                "forces": {theta: -zm.rate(theta)},
                "constraints": {},
            },
        ),
        "System from L": Call(zm.System, {"lagrangian": zm.rate(theta) ** 2 / 2 - theta**2, "coordinates": [theta]}),
        "System from M": Call(zm.System, {"M": [[1.0]], "Q": [-theta], "coordinates": [theta]}),
        "System with control": Call(
            zm.System,
            {"kinetic": zm.rate(q) ** 2, "forces": {q: F}, "control": {"follow": q - np.sin(zm.t)}, "by": [F]},
        ),
        "System.start": Call(system.start, starting | {"near": {theta: 0.4}}),
        "System.start pairs": Call(
            rod.start, {"prescribed": [(bob.position, (1, 0, 0)), (bob.velocity[1:], 0.0)], "guess": [(x, 1.0)]}
        ),
        "System.assemblies": Call(
            rod.assemblies,
            {"prescribed": {y: 0.0, z: 0.0}, "tries": 4, "t": 0.0, "parameters": {}, "spread": 1.0},
            amounts=("tries",),
        ),
        "System.check": Call(rod.check, {"state": rodded}, slow=True),
        "System.equilibrium": Call(system.equilibrium, starting | {"prescribed": (), "constant": None, "by": ()}),
        "System.index": Call(system.index, {"coordinate": theta}),
        "System.latex": Call(system.latex, {"state": start, "digits": 4}),
        "System.matrices": Call(system.matrices, {"inputs": np.zeros(len(system.inputs))}),
        "System.matrices_and_roundoff": Call(system.matrices_and_roundoff, {"inputs": np.zeros(len(system.inputs))}),
        "System.with_constraints": Call(system.with_constraints, {"constraints": {"held": theta}}),
        "System.drawing_at": Call(rod.drawing_at, {"parameters": {}}),
        "System.zeros": Call(rod.zeros, {"level": 1}),
        "System.slopes": Call(rod.slopes, {"level": 1}),
        "System.reaction[]": Call(lambda a: rod.reaction[a], {"a": "rod"}),
        "System properties": Call(_properties(rod), {}, slow=True),
        "State": Call(
            zm.State, {"system": system, "t": 0.0, "q": np.zeros(1), "v": np.zeros(1), "parameters": {length: 1.0}}
        ),
        "State[]": Call(lambda a: start[a], {"a": theta}),
        "State.again": Call(start.again, {"values": {theta: 0.3}}),
        "State.carried_to": Call(start.carried_to, {"system": system}),
        "State properties": Call(_properties(start), {}),
        "join": Call(first(zm.join, 2), {"a": pushed, "b": rod, "constraints": {"together": q - x}}),
        "with_feedback": Call(zm.control.with_feedback, {"system": pushed, "feedback": {F: -q}, "acting": None}),
        "Control.start": Call(cart.control.start, {"prescribed": (), "t": 0.5, "parameters": None, "guess": ()}),
        "Control[]": Call(lambda a: cart.control[a], {"a": F}),
        "Control.told": Call(cart.control.told, {"name": "follow"}),
        "shapes.ring": Call(zm.shapes.ring, {"radius": 1.0, "width": 0.1, "axis": (0, 0, 1)}),
        "shapes.wheel": Call(zm.shapes.wheel, {"radius": 1.0, "width": 0.1, "axis": (0, 0, 1)}),
        "Drawing": Call(Drawing, {"title": "title", "bodies": (), "trails": (), "arrows": (), "charts": ()}),
    }


def _mechanisms() -> dict[str, Call]:
    ground = zm.Ground()
    one, two = (zm.RigidBody(name, mass=1.0, inertia=(1, 2, 2), at=(1, 0, 0)) for name in ("one", "two"))
    bead = zm.Particle("bead", mass=1.0, at=(1, 0, 0))
    pin, axle = (zm.joints.Revolute(ground, body, axis=(0, 0, 1)) for body in (one, two))
    slide = zm.joints.Prismatic(ground, two, axis=(1, 0, 0), name="slide")
    between = {"a": ground, "b": one, "at": (0, 0, 0), "axis": (0, 0, 1), "name": "joint"}
    pointed = {name: between[name] for name in ("a", "b", "at", "name")}
    solid = zm.bodies.Solid.box((1, 2, 3), mass=1.0)
    x = zm.coordinate("x")
    found: dict[str, Call] = {
        "Ground": Call(zm.Ground, {"name": "ground"}),
        "Ground.point": Call(ground.point, {"place": (1, 0, 0)}),
        "Ground.rotate": Call(ground.rotate, {"vector": (1, 0, 0)}),
        "Screw": Call(zm.joints.Screw, between | {"pitch": 0.1}),
        "Fixed": Call(zm.joints.Fixed, dict(pointed)),
        "Spherical": Call(zm.joints.Spherical, dict(pointed)),
        "Universal": Call(zm.joints.Universal, pointed | {"axes": ((0, 1, 0), (0, 0, 1))}),
        "PointOnPlane": Call(zm.joints.PointOnPlane, pointed | {"normal": (0, 0, 1)}),
        "PointOnCurve": Call(
            zm.joints.PointOnCurve,
            {
                "a": ground,
                "b": bead,
                "curve": lambda s: (np.cos(s), 0, np.sin(s)),
                "on": (0, 0, 0),
                "near": 0.0,
                "name": "c",
            },
        ),
        "PointOnSurface": Call(
            zm.joints.PointOnSurface,
            {"a": ground, "b": bead, "surface": lambda X, Y, Z: X**2 + Y**2 + Z**2 - 1, "on": (0, 0, 0), "name": "s"},
        ),
        "Bushing": Call(
            zm.joints.Bushing,
            {
                "a": ground,
                "b": one,
                "at": (0, 0, 0),
                "axis": (0, 0, 1),
                "stiffness": (8, 8, 50, 1, 1, 1),
                "damping": (1, 1, 1, 1, 1, 1),
            },
        ),
        "Bushing of a function": Call(
            zm.joints.Bushing, {"a": ground, "b": one, "function": lambda d, v, r, w: (-d, -r)}
        ),
        "Gear": Call(zm.joints.Gear, {"first": pin, "second": axle, "ratio": 2.0, "offset": 0.1, "name": "g"}),
        "Belt": Call(
            zm.joints.Belt, {"first": pin, "second": axle, "radii": (1.0, 2.0), "crossed": False, "name": "g"}
        ),
        "RackAndPinion": Call(zm.joints.RackAndPinion, {"pinion": pin, "rack": slide, "radius": 0.1, "name": "g"}),
        "Cam": Call(
            zm.joints.Cam, {"cam": pin, "follower": slide, "profile": lambda angle: np.cos(angle), "name": "g"}
        ),
        "Geneva": Call(zm.joints.Geneva, {"crank": pin, "wheel": axle, "slots": 4, "distance": 0.1, "name": "g"}),
        "WheelOnGround": Call(
            zm.joints.WheelOnGround,
            {
                "ground": ground,
                "wheel": one,
                "radius": 0.3,
                "axis": (0, 1, 0),
                "center": (0, 0, 0),
                "height": 0.0,
                "name": "w",
            },
        ),
        "Signal": Call(zm.control.Signal, {"name": "tank", "rate": lambda level: 1.0 - level, "first": 0.0}),
        "LowPass": Call(zm.control.LowPass, {"name": "l", "signal": zm.t, "time": 0.1, "first": 0.0}),
        "PID": Call(zm.control.PID, {"name": "c", "error": x, "kp": 1.0, "ki": 1.0, "kd": 1.0, "limit": 1.0}),
        "saturated": Call(zm.control.saturated, {"signal": x, "low": -1.0, "high": 1.0}),
        "from_urdf": Call(zm.from_urdf, {"path": "robot.urdf", "base": "fixed", "coordinates": None}),
        "from_mjcf": Call(zm.from_mjcf, {"path": "robot.xml", "without": (), "coordinates": None}),
        "Robot.system": Call(
            zm.from_urdf("robot.urdf").system,
            {
                "gravity": 9.81,
                "forces": None,
                "joints": (),
                "contacts": (),
                "parts": [],
                "constraints": None,
                "losses": True,
            },
            slow=True,
        ),
        "collision_contacts": Call(
            zm.shapes.collision_contacts,
            {
                "robot": zm.from_urdf("robot.urdf"),
                "surface": zm.surfaces.plane(),
                "links": None,
                "friction": 0.2,
                "restitution": 0.5,
            },
        ),
        "Solid": Call(zm.bodies.Solid, {"mass": 1.0, "center": np.zeros(3), "inertia": np.eye(3)}),
        "Solid.body": Call(solid.body, {"name": "b"}),
        "Solid.box": Call(zm.bodies.Solid.box, {"sides": (1, 2, 3), "mass": 1.0}),
        "Solid.capsule": Call(
            zm.bodies.Solid.capsule, {"radius": 1.0, "length": 1.0, "axis": (0, 0, 1), "density": 1.0}
        ),
        "Solid.cone": Call(zm.bodies.Solid.cone, {"radius": 1.0, "height": 1.0, "axis": (0, 0, 1), "density": 1.0}),
        "Solid.cylinder": Call(
            zm.bodies.Solid.cylinder, {"radius": 1.0, "length": 1.0, "axis": (0, 0, 1), "mass": 1.0}
        ),
        "Solid.ellipsoid": Call(zm.bodies.Solid.ellipsoid, {"axes": (1, 2, 3), "mass": 1.0}),
        "Solid.inertia_about": Call(solid.inertia_about, {"point": (1, 2, 3)}),
        "Solid.mesh": Call(zm.bodies.Solid.mesh, {"path": "mesh.stl", "density": 1.0, "scale": 1.0}),
        "Solid.moved": Call(solid.moved, {"shift": (1, 2, 3)}),
        "Solid.plate": Call(
            zm.bodies.Solid.plate, {"outline": [(0, 0), (1, 0), (1, 1)], "thickness": 0.1, "density": 1.0}
        ),
        "Solid.point": Call(zm.bodies.Solid.point, {"mass": 1.0, "at": (0, 0, 0)}),
        "Solid.sphere": Call(zm.bodies.Solid.sphere, {"radius": 1.0, "mass": 1.0}),
        "Solid.tube": Call(
            zm.bodies.Solid.tube, {"outer": 1.0, "inner": 0.5, "length": 2.0, "axis": (0, 0, 1), "mass": 1.0}
        ),
        "Solid.turned": Call(solid.turned, {"axis": (0, 0, 1), "angle": 1.0}),
        "Solid.turned_by": Call(solid.turned_by, {"R": np.eye(3)}),
        "Solid +": Call(lambda a: solid + a, {"a": solid}),
        "Solid -": Call(lambda a: solid - a, {"a": zm.bodies.Solid.box((0.5, 1, 2), mass=0.1)}),
    }
    for kind in (
        zm.joints.ConstantVelocity,
        zm.joints.Cylindrical,
        zm.joints.Planar,
        zm.joints.PointOnLine,
        zm.joints.Prismatic,
        zm.joints.Revolute,
    ):
        found[kind.__name__] = Call(kind, dict(between))
    for kind in (zm.joints.Distance, zm.joints.Rope):
        given = {"a": ground, "b": one, "at": ((0, 0, 0), (0, 0, 0)), "length": 1.0, "name": "d"}
        found[kind.__name__] = Call(kind, given)
    for name, joint in {"Revolute": pin, "Prismatic": slide}.items():
        found |= {
            f"{name}.damper": Call(joint.damper, {"damping": 1.0}),
            f"{name}.drive": Call(joint.drive, {"motion": lambda t: np.sin(t), "name": "drive"}),
            f"{name}.friction": Call(joint.friction, {"level": 1.0}),
            f"{name}.limits": Call(joint.limits, {"low": -1.0, "high": 1.0}),
            f"{name}.motor": Call(joint.motor, {"torque" if name == "Revolute" else "force": 1.0}),
            f"{name}.spring": Call(joint.spring, {"stiffness": 1.0, "rest": 0.0}),
            f"{name}.stops": Call(joint.stops, {"low": -1.0, "high": 1.0, "stiffness": 1.0, "damping": 1.0}),
            f"{name}.along_axes": Call(joint.along_axes, {"vector": (1, 0, 0)}),
            f"{name} properties": Call(_properties(joint), {}),
        }
    return found


def _contacts() -> dict[str, Call]:
    floor, ball = zm.surfaces.plane(), zm.bodies.ball(0.1, 1.0)
    bowl = zm.Surface(lambda X, Y: X**2 + Y**2)
    rolling = zm.Rolling(ball, on=floor, friction=0.3, rolling_resistance=1e-3, restitution=0.5)
    bead = zm.Particle("bead", mass=0.1)
    sliding = zm.Sliding(bead, on=floor)
    contacts = zm.Contacts(ball, on={"floor": floor}, friction=0.2)
    wheel = zm.RigidBody("wheel", mass=1.0, inertia=(1, 2, 1), at=(0, 0, 0.5))
    place = {"shift": (0, 0, 0), "rotation": ((0, 0, 1), 0.1), "velocity": (0, 0, 0)}
    matter = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "center_of_mass": (0, 0, 0), "name": "body"}
    direction = np.array([[0.0, 0.0, 1.0]])
    egg = zm.bodies.ellipsoid((0.1, 0.2, 0.3), 1.0)
    return {
        "Surface": Call(zm.Surface, {"shape": lambda X, Y: X * Y, **place, "side": 1, "name": "s"}),
        "Surface.from_heights": Call(
            zm.Surface.from_heights,
            {
                "x": np.linspace(0, 1, 6),
                "y": np.linspace(0, 1, 7),
                "z": np.ones((6, 7)),
                **place,
                "side": 1,
                "name": "s",
            },
        ),
        "Surface.height": Call(bowl.height, {"x": [0.1], "y": [0.2], "t": 0.0, "parameters": {}, "guess": 0.0}),
        "Surface.normal": Call(bowl.normal, {"position": bead.position}),
        "Surface.curvature": Call(bowl.curvature, {"position": bead.position}),
        "Surface.gradient": Call(bowl.gradient, {"position": bead.position}),
        "Surface.inside": Call(bowl.inside, {"position": bead.position}),
        "Surface.local": Call(bowl.local, {"position": bead.position}),
        "Surface.velocity": Call(bowl.velocity, {"position": bead.position}),
        "Surface.drawn": Call(bowl.drawn, {"contact": np.zeros(3), "extent": 1.0}),
        "Surface properties": Call(_properties(bowl), {}),
        "surfaces.plane": Call(zm.surfaces.plane, {"slope": 0.1, **place}),
        "surfaces.sphere": Call(zm.surfaces.sphere, {"radius": 1.0, "inside": False, **place}),
        "surfaces.cylinder": Call(zm.surfaces.cylinder, {"radius": 1.0, "inside": False, **place}),
        "surfaces.cone": Call(zm.surfaces.cone, {"slope": 1.0, **place}),
        "surfaces.paraboloid": Call(zm.surfaces.paraboloid, {"curvature": 1.0, **place}),
        "surfaces.torus": Call(zm.surfaces.torus, {"radius": 1.0, "tube": 0.2, "inside": False, **place}),
        "surfaces.dimpled_bowl": Call(
            zm.surfaces.dimpled_bowl, {"h1": 0.04, "h2": 1.7, "h3": 0.05, "h4": 1.6, "h5": 0.03, **place}
        ),
        "SphericalBody": Call(zm.bodies.SphericalBody, {"radius": 0.1, **matter, "inertia": (4e-3,) * 3}),
        "ball": Call(zm.bodies.ball, {"radius": 0.1, "mass": 1.0, "name": "b"}),
        "shell": Call(zm.bodies.shell, {"outer": 0.1, "inner": 0.05, "mass": 1.0, "name": "b"}),
        "two_material_shell": Call(
            zm.bodies.two_material_shell, {"outer": 0.1, "inner": 0.05, "densities": (1.0, 2.0), "name": "b"}
        ),
        "ellipsoid": Call(zm.bodies.ellipsoid, {"axes": (0.1, 0.2, 0.3), **matter, "center": None}),
        "disc": Call(zm.bodies.disc, {"radius": 0.1, "edge": 0.01, **matter, "center": None}),
        "torus": Call(zm.bodies.torus, {"radius": 0.1, "tube": 0.01, **matter}),
        "cylinder": Call(
            zm.bodies.cylinder, {"radius": 0.1, "length": 0.3, "edge": 0.01, "density": 10.0, "name": "b"}
        ),
        "capsule": Call(zm.bodies.capsule, {"radius": 0.1, "length": 0.3, **matter}),
        "cone": Call(zm.bodies.cone, {"radius": 0.1, "height": 0.3, "mass": 1.0, "name": "cone"}),
        "superquadric": Call(zm.bodies.superquadric, {"axes": (0.1, 0.2, 0.3), "exponent": 4, **matter}),
        "convex": Call(
            zm.bodies.convex, {"support": lambda x, y, z: 0.03 + 0.004 * z**2, "mass": 0.06, "name": "egg"}, slow=True
        ),
        "convex implicit": Call(
            zm.bodies.convex,
            {"implicit": lambda x, y, z: x**2 + y**2 + 2 * z**2 - 1, **matter, "reach": 1.0, "center": None},
            slow=True,
        ),
        "ImplicitBody": Call(
            ImplicitBody, {"formula": zm.bodies.superquadric((0.5, 0.5, 0.5), 4, 1.0).formula, **matter, "reach": None}
        ),
        "ConvexBody": Call(ConvexBody, {"outline": egg.outline, **matter}),
        "ball.at": Call(ball.at, {"parameters": {}}),
        "egg.at": Call(egg.at, {"parameters": {}}),
        "ball.farthest": Call(ball.farthest, {"directions": direction, "parameters": {}}),
        "egg.farthest": Call(egg.farthest, {"directions": direction, "parameters": {}}),
        "Friction": Call(zm.Friction, {"static": 0.4, "kinetic": 0.3}),
        "Rolling": Call(
            zm.Rolling,
            {
                "body": ball,
                "on": floor,
                "gravity": 9.81,
                "no_spin": False,
                "two_sided": False,
                "conserve_energy": False,
                "friction": 0.3,
                "rolling_resistance": 1e-3,
                "torsional_friction": 1e-3,
                "restitution": 0.5,
                "creep": 1e-9,
                "least_clearance": 1e-4,
                "forces": lambda rolling: [zm.Force((0, 0, 1.0), at=rolling.body.point((0, 0, 0)))],
            },
            slow=True,
        ),
        "Rolling.start": Call(
            rolling.start,
            {
                "prescribed": (),
                "contact": (0, 0),
                "velocity": (1.0, 0.0),
                "spin": 0.0,
                "t": 0.0,
                "parameters": {},
                "guess": None,
            },
        ),
        "Rolling.start by pairs": Call(
            rolling.start,
            {
                "prescribed": [
                    (rolling.contact[:2], (0.0, 0.0)),
                    (rolling.body.quaternion, (1, 0, 0, 0)),
                    (rolling.body.angular_velocity, (0, 1.0, 0)),
                ]
            },
        ),
        "Rolling.drawing_at": Call(rolling.drawing_at, {"parameters": {}}),
        "Rolling properties": Call(_properties(rolling), {}, slow=True),
        "Slipping.start": Call(
            rolling.slipping.start,
            {
                "prescribed": [
                    (rolling.contact, 0.0),
                    (rolling.center_particle.velocity, (1.0, 0.0, 0.0)),
                    (rolling.body.angular_velocity, 0.0),
                ]
            },
        ),
        "Sliding": Call(
            zm.Sliding,
            {
                "particle": bead,
                "on": floor,
                "gravity": 9.81,
                "friction": 0.3,
                "restitution": 0.5,
                "creep": 1e-9,
                "least_bounce": 1e-12,
                "forces": None,
            },
        ),
        "Sliding.start": Call(
            sliding.start,
            {"prescribed": (), "contact": (0, 0, 0), "velocity": (1, 0, 0), "t": 0.0, "parameters": {}, "guess": None},
        ),
        "Sliding.start above": Call(sliding.start, {"position": (0, 0, 1), "velocity": (1, 0, 0)}),
        "Sliding properties": Call(_properties(sliding), {}),
        "Contact": Call(
            zm.Contact,
            {
                "body": zm.RigidBody("brick", mass=1.0, inertia=(1, 1, 1)),
                "shape": zm.shapes.sphere(0.1),
                "other": floor,
                "friction": 0.2,
                "restitution": 0.5,
                "at": (0.0, 0.0, 0.1),
                "turned": np.eye(3),
                "name": "foot",
            },
        ),
        "Collisions": Call(
            zm.Collisions,
            {
                "shapes": {zm.RigidBody("brick", mass=1.0, inertia=(1, 1, 1)): zm.shapes.sphere(0.1)},
                "surfaces": [floor],
                "friction": 0.2,
                "restitution": 0.5,
                "creep": 1e-4,
                "least_bounce": 1e-6,
                "name": "collisions",
            },
        ),
        "Contacts": Call(
            zm.Contacts,
            {
                "bodies": ball,
                "on": {"floor": floor},
                "between": False,
                "gravity": 9.81,
                "friction": {"floor": 0.2},
                "restitution": 0.5,
                "impacts": "simultaneous",
                "creep": None,
                "least_clearance": 1e-4,
                "forces": None,
            },
            slow=True,
        ),
        "Contacts of several": Call(
            zm.Contacts,
            {
                "bodies": [zm.bodies.ball(0.1, 1.0, name="a"), zm.bodies.ball(0.1, 1.0, name="b")],
                "on": [floor],
                "between": True,
            },
            slow=True,
        ),
        "Contacts.start": Call(
            contacts.start,
            {
                "prescribed": (),
                "center": (0, 0, 0.1),
                "velocity": (1, 0, 0),
                "angular_velocity": (0, 0, 0),
                "orientation": (1, 0, 0, 0),
                "touching": None,
                "t": 0.0,
                "parameters": {},
                "guess": (),
            },
        ),
        "Contacts.drawing_at": Call(contacts.drawing_at, {"parameters": {}}),
        "Contacts properties": Call(_properties(contacts), {}, slow=True),
        "WheelOnSurface": Call(
            zm.joints.WheelOnSurface,
            {
                "a": zm.Ground(),
                "b": wheel,
                "surface": floor,
                "axis": (0, 1, 0),
                "radius": 0.5,
                "tube": 0.1,
                "center": (0, 0, 0),
                "near": (0, 0, 0),
                "two_sided": False,
                "friction": 0.5,
                "creep": 1e-6,
                "restitution": 0.0,
                "name": "w",
            },
            slow=True,
        ),
        "WheelOnSurface of a profile": Call(
            zm.joints.WheelOnSurface,
            {
                "a": zm.Ground(),
                "b": wheel,
                "surface": floor,
                "axis": (0, 1, 0),
                "profile": lambda s: 0.5 - s**2,
                "near": (0, 0, 0),
            },
            slow=True,
        ),
    }


def _programs() -> dict[str, Call]:
    theta, length, system, start = _pendulum()
    program = zm.compile(system, start)
    down = zm.Event("down", theta)
    return {
        "compile": Call(zm.compile, {"system": system, "start": start}),
        "host": Call(zm.export.host, {}),
        "Target.lanes": Call(zm.export.host().lanes, {"width": 4}),
        "Program.anew": Call(program.anew, {"state": start}),
        "Program.at": Call(program.at, {"state": start}),
        "Program.solved": Call(program.solved, {"e": zm.acceleration(theta)}),
        "Program.zeros": Call(program.zeros, {"events": [down]}),
        "Program.stated": Call(program.stated, {"events": [down]}),
        "Program properties": Call(_properties(program), {}, slow=True),
        "wasm": Call(
            zm.export.wasm,
            {
                "program": program,
                "start": start,
                "outputs": {"height": -length * np.cos(theta)},
                "events": [down],
                "until": 1.0,
                "project": True,
                "limits": None,
                "field": None,
                "method": "dop853",
            },
            slow=True,
        ),
    }


def _runs() -> dict[str, Call]:
    from zeromass.integrate import course

    theta, length, system, start = _pendulum()
    run = zm.simulate(system, start, until=2.0, events=[zm.Event("down", theta, terminal=False)])
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(slope=0.3))
    rolled = zm.simulate(ball, ball.start(contact=(0, 0)), until=0.5)
    bob = zm.Particle("bob", mass=1.0)
    falling = zm.System([bob], gravity=9.81)
    fallen = zm.simulate(falling, falling.start(), until=1.0)
    settings = Settings()
    times = np.linspace(0.0, 1.0, 5)
    run.save("run.nc", certificate=False)
    shown = {
        "layout": "overlay",
        "names": ["bob"],
        "shapes": {bob: zm.shapes.sphere(0.1)},
        "lines": [((0, 0, 0), bob.position)],
        "trails": [bob.position],
        "plots": {"height": bob.position[2]},
        "fps": 10.0,
        "title": "it falls",
        "source": "text",
    }
    found = {
        "simulate": Call(
            zm.simulate,
            {
                "system": system,
                "start": start,
                "until": 1.0,
                "rtol": 1e-8,
                "atol": 1e-10,
                "method": "collocation",
                "events": [zm.Event("down", theta, terminal=False)],
                "project": True,
                "step": None,
                "longest_step": 1.0,
                "parameters": {length: 1.1},
                "transitions": True,
                "limits": zm.Limits(),
                "memory": 1e9,
                "progress": lambda t: None,
            },
            amounts=("until", "longest_step"),
        ),
        "simulate by fixed steps": Call(
            zm.simulate,
            {"system": system, "start": start, "until": 1.0, "method": "fixed", "step": 0.1, "events": {"e": theta}},
            amounts=("until", "step"),
        ),
        "integrate.course": Call(course, {"system": system, "start": start, "until": 1.0, "settings": settings}),
        "Settings": Call(
            Settings,
            {
                "rtol": 1e-8,
                "atol": 1e-10,
                "method": "radau",
                "project": True,
                "step": None,
                "longest_step": 1.0,
                "transitions": True,
                "limits": zm.Limits(),
                "memory": 1e9,
            },
        ),
        "Settings.tighter": Call(settings.tighter, {"rtol": 1e-12}),
        "Settings.tolerances": Call(settings.tolerances, {"rtol": 1e-12}),
        "Settings[]": Call(lambda a: settings[a], {"a": "rtol"}),
        "Settings.from_dict": Call(Settings.from_dict, {"data": settings.as_dict()}),
        "Limits": Call(
            zm.Limits,
            {"violation": 1e-6, "growth": 1e3, "correction": 100.0, "stalled": 1e-7, "close": 0.01, "changes": 1000},
        ),
        "Method": Call(Method, {"name": "m", "summary": "s", "order": 4, "stepper": "a:b"}),
        "Ending": Call(Ending, {"value": "finished"}),
        "Verdict": Call(first(Verdict), {"a": next(iter(Verdict)).value}),
        "load": Call(zm.load, {"path": "run.nc"}, slow=True),
        "Run[]": Call(lambda a: run[a], {"a": theta}),
        "Run.at": Call(run.at, {"times": times}),
        "Run.at[]": Call(lambda a: run.at(times)[a], {"a": [theta, zm.rate(theta)]}),
        "Run.state": Call(run.state, {"t": 1.0}),
        "Run.within": Call(run.within, {"times": times}),
        "Run.maximum": Call(run.maximum, {"expression": theta}),
        "Run.minimum": Call(run.minimum, {"expression": theta}),
        "Run.adjoint": Call(run.adjoint, {"e": theta, "times": [1.0], "weights": 1.0}),
        "Run.sensitivity": Call(run.sensitivity, {"times": times}),
        "Run.lyapunov_exponent": Call(run.lyapunov_exponent, {"every": 0.5, "seed": 0}),
        "Run.lyapunov_spectrum": Call(run.lyapunov_spectrum, {"every": 0.5, "seed": 0, "count": 2}),
        "Run.from_scenario": Call(run.from_scenario, {"text": "a", "case": None}),
        "Run.save": Call(run.save, {"path": "a.nc", "certificate": False, "scenario": None}, slow=True),
        "Run.to_csv": Call(run.to_csv, {"path": "a.csv", "times": times}),
        "Run.to_parquet": Call(
            run.to_parquet, {"path": "a.parquet", "times": times, "certificate": False, "scenario": None}, slow=True
        ),
        "Run.to_xarray": Call(run.to_xarray, {"times": times, "certificate": False, "scenario": None}),
        "Run.view": Call(fallen.view, {"path": "a.html", "others": (), **shown}, slow=True),
        "Run.view with sliders": Call(run.view, {"path": "a.html", "sliders": {length: (0.5, 2.0)}}, slow=True),
        "Run.movie": Call(
            fallen.movie,
            {"path": "a.gif", "fps": 4, "speed": 2.0, "size": (96, 64), "progress": False},
            ("fps", "size", "speed"),
            slow=True,
        ),
        "Run properties": Call(_properties(run), {}, slow=True),
        "Run.required_friction": Call(rolled.required_friction, {}),
        "Run.pulling": Call(rolled.pulling, {}),
        "Run.work": Call(rolled.work, {}),
        "Segment.at": Call(run.segments[0].at, {"times": times}),
        "Segment.state": Call(run.segments[0].state, {"t": 1.0}),
        "Occurrence": Call(Occurrence, {"name": "e", "t": 0.0, "y": np.zeros(2)}),
    }
    plots = {
        "balance": (run, {}),
        "coordinates": (run, {"names": ["theta"]}),
        "energies": (run, {"labels": None}),
        "forces": (rolled, {"labels": None}),
        "friction_ratio": (rolled, {"labels": None}),
        "path": (rolled, {"labels": ["ball"], "contours": True, "frame": "space"}),
        "path3d": (rolled, {"labels": None}),
        "phase": (run, {"x": theta, "y": zm.rate(theta)}),
        "poincare": (run, {"section": theta, "x": theta, "y": zm.rate(theta), "every": None, "direction": 1}),
        "poincare by time": (run, {"section": None, "x": theta, "y": zm.rate(theta), "every": 0.5}),
        "quantity": (run, {"expression": theta, "label": "angle"}),
        "residuals": (rolled, {}),
        "spin": (rolled, {"labels": None}),
        "torque": (rolled, {"labels": None}),
    }
    for name, (of, given) in plots.items():
        method = getattr(of.plot, name.split()[0])
        found[f"Run.plot.{name}"] = Call(_drawn(method, three="3d" in name), {**given, "ax": None}, slow=True)
    found["Run.plot.animation"] = Call(
        rolled.plot.animation,
        {"path": "a.gif", "plot": "path", "fps": 2, "seconds": 1.0, "dpi": 30},
        ("fps", "seconds", "dpi"),
        slow=True,
    )
    return found


def _drawn(method: Callable[..., Any], *, three: bool = False) -> Callable[..., Any]:
    """A plot on axes that belong to no window, so that nothing is left open."""

    def draw(**given: Any) -> Any:
        from matplotlib.figure import Figure

        if "ax" in given and given["ax"] is None:
            given["ax"] = Figure().add_subplot(projection="3d" if three else None)
        return method(**given)

    return draw


def _analyses() -> dict[str, Call]:
    from zeromass import analysis

    theta = zm.coordinate("theta")
    torque = zm.parameter("torque", 0.0)
    arm = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-np.cos(theta), forces={theta: torque})
    rest, lifted = arm.equilibrium(), arm.start({theta: 0.5})
    linear = zm.analysis.linearize(arm, rest, inputs=[torque], outputs=[theta])
    regulator = linear.lqr(Q=(1.0, 0.0), R=1.0)
    run = zm.simulate(arm, lifted, until=1.0)
    branch = zm.analysis.branch(arm, rest, over=(torque, 0.0, 0.5))
    x, y = zm.coordinates("x y")
    p = zm.parameter("p", -1.0)
    column = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**4 / 4 - p * x**2 / 2)
    bent = zm.analysis.branch(column, column.equilibrium(), over=(p, -1.0, 1.0))
    chain = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=(x - y) ** 2 / 2)
    pol = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: (1 - x**2) * zm.rate(x)})
    t = np.linspace(0.0, 1.0, 5)
    fit = zm.analysis.fit(run, {theta: (t, 0.4 * np.cos(t))}, over=[torque])
    return {
        "Run.certificate of a quantity": Call(run.certificate, {"of": {"angle": theta}}),
        "analysis.maximum": Call(first(analysis.maximum, 2), {"a": run, "b": theta}),
        "analysis.work": Call(first(analysis.work), {"a": run}),
        "System.equilibrium by a parameter": Call(
            arm.equilibrium,
            {
                "prescribed": {theta: 0.5},
                "constant": None,
                "by": [torque],
                "t": 0.0,
                "parameters": {torque: 0.1},
                "guess": {theta: 0.5},
            },
        ),
        "linearize": Call(
            zm.analysis.linearize,
            {"system": arm, "at": rest, "inputs": [torque], "outputs": [theta], "states": [theta, zm.rate(theta)]},
        ),
        "linearize a run": Call(zm.analysis.linearize, {"system": run, "at": 0.5, "inputs": [{theta: 1.0}]}),
        "LinearSystem.lqr": Call(linear.lqr, {"Q": (1.0, 0.0), "R": 1.0}),
        "LinearSystem.transfer": Call(linear.transfer, {"s": [0.5j, 2j]}),
        "LinearSystem.fraction": Call(linear.fraction, {"output": 0, "input": 0}),
        "LinearSystem.stability": Call(linear.stability, {"tolerance": 1e-7}),
        "LinearSystem.displaced": Call(linear.displaced, {"mode": linear.modes()[0], "amplitude": 0.1, "phase": 0.0}),
        "LinearSystem properties": Call(_properties(linear), {}),
        "Mode.motion": Call(linear.modes()[0].motion, {"amplitude": 0.1, "periods": 1.0}, ("periods",)),
        "Mode.view": Call(
            linear.modes()[0].view, {"path": "a.html", "amplitude": 0.1, "periods": 1.0}, ("periods",), slow=True
        ),
        "Regulator.closed": Call(regulator.closed, {}),
        "branch": Call(
            zm.analysis.branch,
            {
                "system": arm,
                "start": rest,
                "over": (torque, 0.0, 0.5),
                "constant": None,
                "states": None,
                "step": 0.1,
                "points": 50,
            },
            ("points",),
            slow=True,
        ),
        "EquilibriumBranch.other": Call(bent.other, {"k": 0, "back": False}, slow=True),
        "EquilibriumBranch[]": Call(lambda a: branch[a], {"a": theta}),
        "EquilibriumBranch properties": Call(_properties(branch), {}),
        "periodic": Call(
            zm.analysis.periodic,
            {
                "system": pol,
                "start": pol.start({x: 2.0}),
                "period": 6.5,
                "hold": None,
                "turns": None,
                "fixed": None,
                "tolerance": 1e-6,
                "settings": Settings(rtol=1e-7),
            },
            ("period",),
            slow=True,
        ),
        "fit": Call(
            zm.analysis.fit,
            {
                "of": run,
                "data": {theta: (t, 0.4 * np.cos(t), 0.1)},
                "over": [torque],
                "start": None,
                "bounds": {torque: (-1.0, 1.0)},
                "settings": Settings(rtol=1e-7),
            },
            slow=True,
        ),
        "FitResult.interval": Call(fit.interval, {"parameter": torque, "level": 0.9}),
        "FitResult properties": Call(_properties(fit), {}),
        "inverse_dynamics": Call(
            zm.analysis.inverse_dynamics,
            {
                "system": arm,
                "motion": {theta: zm.t**2 / 2},
                "by": [torque],
                "times": t,
                "parameters": {torque: 0.0},
                "guess": (),
            },
        ),
        "servo": Call(
            zm.control.servo,
            {"system": chain, "control": {"path": y - np.sin(zm.t)}, "by": [{x: 1.0}], "settling": 10.0, "at": None},
            slow=True,
        ),
        "sampled": Call(
            zm.control.sampled,
            {
                "system": arm,
                "start": lifted,
                "feedback": {torque: -theta},
                "every": 0.5,
                "until": 1.0,
                "rtol": 1e-8,
                "atol": 1e-10,
            },
            ("until", "every"),
        ),
        "sampled by a function": Call(
            zm.control.sampled,
            {
                "system": arm,
                "start": lifted,
                "feedback": lambda state: {torque: -state[theta]},
                "every": 0.5,
                "until": 1.0,
            },
            ("until", "every"),
        ),
        "plot_roots": Call(
            _drawn(zm.plot.roots), {"roots": branch, "ax": None, "over": "torque", "kind": "parts"}, slow=True
        ),
    }


def _studies() -> dict[str, Call]:
    from scipy.stats import norm

    from zeromass import scenario

    theta, length, system, _ = _pendulum()
    angle = zm.parameter("angle", 0.1)
    begun = system.start({theta: angle})
    given = {
        "over": {length: [0.5, 1.0], angle: [0.1, 0.2]},
        "keep": {"end": theta, "top": zm.study.largest(theta)},
        "until": 0.5,
        "rtol": 1e-6,
    }
    study = zm.sweep(system, begun, **given)
    down = zm.Event("down", theta, terminal=False)
    return {
        "sweep": Call(
            zm.sweep,
            {
                "system": system,
                "start": begun,
                **given,
                "atol": 1e-8,
                "method": "dop853",
                "events": {"down": theta},
                "project": True,
                "longest_step": 1.0,
                "transitions": True,
                "limits": zm.Limits(),
                "states": "all",
                "on": "lanes",
                "store": None,
                "patience": None,
                "memory": 1e9,
                "progress": lambda done, count: None,
            },
            ("until", "longest_step"),
            slow=True,
        ),
        "sweep of runs": Call(
            zm.sweep,
            {
                "system": system,
                "start": begun,
                **given,
                "keep": {
                    "first": zm.study.first_time(down),
                    "mean": zm.study.mean(theta),
                    "at": zm.study.values_at(theta, [0.1, 0.2]),
                },
            },
            ("until",),
            slow=True,
        ),
        "samples": Call(
            zm.study.samples,
            {"n": 8, "distributions": {length: norm(1.0, 0.1)}, "method": "sobol", "seed": 0, "dimension": "sample"},
            ("n",),
            slow=True,
        ),
        "first_time": Call(zm.study.first_time, {"event": down}),
        "integral": Call(zm.study.integral, {"expression": theta}),
        "mean": Call(zm.study.mean, {"expression": theta}),
        "largest": Call(zm.study.largest, {"expression": theta}),
        "smallest": Call(zm.study.smallest, {"expression": theta}),
        "values_at": Call(zm.study.values_at, {"expression": theta, "times": [0.1, 0.2]}),
        "Ray": Call(zm.study.Ray, {"address": "10.0.0.1:6379", "options": {}}),
        "plot_study": Call(
            _drawn(zm.plot.study),
            {
                "study": study,
                "what": "top",
                "ax": None,
                "kind": None,
                "x": "length",
                "y": "angle",
                "shade": None,
                "labels": None,
                "limits": None,
                "columns": None,
            },
            slow=True,
        ),
        "scenario.formula": Call(first(scenario.formula, 2), {"a": "x + 1", "b": {"x": theta}}),
        "scenario.parse_scenario": Call(first(scenario.parse_scenario), {"a": SCENARIO}),
        "scenario.load_scenario": Call(first(scenario.load_scenario), {"a": "scenario.toml"}),
    }


def _records() -> dict[str, Call]:
    """Classes that the library itself makes: from what one of them has."""
    theta, _, system, start = _pendulum()
    torque, angle = zm.parameter("torque", 0.0), zm.coordinate("angle")
    arm = zm.System(kinetic=zm.rate(angle) ** 2 / 2, potential=-np.cos(angle), forces={angle: torque})
    rest = arm.equilibrium()
    run = zm.simulate(system, start, until=1.0)
    linear = zm.analysis.linearize(arm, rest, inputs=[torque], outputs=[angle])
    q = zm.coordinate("q")
    switched = zm.System(kinetic=zm.rate(q) ** 2 / 2, potential=np.abs(q))
    bounced = zm.simulate(switched, switched.start({q: 0.1}), until=1.0)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2, restitution=0.5)
    falling = ball.flying.start(center=(0.0, 0.0, 0.2), velocity=(0.0, 0.0, -1.0))
    fallen = zm.simulate(ball, falling, until=0.3)
    F = zm.parameter("F", 0.0)
    cart = zm.System(kinetic=zm.rate(q) ** 2, forces={q: F}, control={"follow": q - np.sin(zm.t)}, by=[F])
    t = np.linspace(0.0, 1.0, 5)
    made = [
        run,
        run.segments[0],
        run.outcome,
        run.program,
        run.certificate(),
        run.adjoint(theta),
        rest.motion,
        arm.check(rest),
        linear,
        linear.modes()[0],
        linear.lqr(Q=(1.0, 0.0), R=1.0),
        zm.analysis.branch(arm, rest, over=(torque, 0.0, 0.5)),
        zm.analysis.fit(zm.simulate(arm, rest, until=1.0), {angle: (t, 0.1 * t)}, over=[torque]),
        zm.analysis.inverse_dynamics(arm, {angle: zm.t}, by=[torque], times=t),
        bounced.switches[0],
        fallen.impulses[0],
        cart.control,
        ball.contacts[0],
        METHODS["radau"],
        zm.export.host(),
    ]
    found = {}
    for thing in made:
        kind = type(thing)
        names = kind._fields if isinstance(thing, tuple) else [f.name for f in dataclasses.fields(thing) if f.init]
        found[f"{kind.__name__}()"] = Call(kind, {name: getattr(thing, name) for name in names})
    impulse = fallen.impulses[0]
    return found | {
        "Impulse.from_record": Call(Impulse.from_record, {"data": impulse.record()}),
        "Segment.standing": Call(Segment.standing, {"start": start, "outcome": run.outcome, "settings": Settings()}),
        "Segment.meant": Call(run.segments[0].meant, {"e": np.array([theta])}),
        "Target.machine": Call(zm.export.host().machine, {"effort": 1}, slow=True),
        "Run()": Call(zm.Run, {"segments": run.segments, "given_origin": None}),
    }


def _hooks() -> dict[str, Call]:
    """What the integrator asks a system, and contacts their bodies."""
    _, _, system, start = _pendulum()
    n = len(system.coordinates)
    asked = {"t": np.zeros(1), "y": np.zeros((1, 2 * n)), "parameters": np.ones((1, 1))}
    run = zm.simulate(system, start, until=0.1)
    floor, ball = zm.surfaces.plane(), zm.bodies.ball(0.1, 1.0)
    rolling = zm.Rolling(ball, on=floor, friction=0.3, rolling_resistance=1e-3, restitution=0.5)
    rolls = rolling.start(contact=(0, 0), velocity=(1.0, 0.0))
    bead = zm.Particle("bead", mass=0.1)
    egg, stone = zm.bodies.ellipsoid((0.1, 0.2, 0.3), 1.0), zm.bodies.superquadric((0.1, 0.2, 0.3), 4, 1.0)
    contacts = zm.Contacts(ball, on={"floor": floor}, friction=0.2)
    ground, body = zm.Ground(), zm.RigidBody("body", mass=1.0, inertia=(1, 1, 1))
    pin = zm.joints.Revolute(ground, body, axis=(0, 0, 1))
    up = np.array([0.0, 0.0, 1.0])
    unturned = np.array([1.0, 0.0, 0.0, 0.0])
    impulse = np.zeros(len(rolling.coordinates))
    laid = {"normal": up, "u": unturned, "parameters": {}}
    found = {
        "System.refused": Call(system.refused, asked),
        "System.jumped": Call(system.jumped, {"names": ["e"], "before": start, "after": start}),
        "System.leaps": Call(system.leaps, {"names": ["e"], "before": start, "after": start}),
        "System.takes": Call(system.takes, {"state": start, "impulse": np.zeros(n)}),
        "System.told": Call(system.told, {"level": 0}),
        "System.examined": Call(system.examined, {"motion": run.segments[0]}),
        "Flying.start": Call(
            rolling.flying.start,
            {
                "center": (0.0, 0.0, 0.5),
                "velocity": (1.0, 0.0, 0.0),
                "angular_velocity": (0.0, 0.0, 0.0),
                "orientation": (1.0, 0.0, 0.0, 0.0),
                "t": 0.0,
                "parameters": {},
            },
        ),
        "Rolling.takes": Call(rolling.takes, {"state": rolls, "impulse": impulse}),
        "Rolling.surface_at": Call(rolling.surface_at, {"point": np.zeros(3), "others": [0.0]}),
        "Contacts[]": Call(lambda a: contacts[a], {"a": "floor"}),
        "Pair.meets": Call(contacts.pairs[0].meets, {"other": contacts.pairs[0]}),
        "Pair": Call(
            Pair,
            {
                "name": "floor",
                "shape": ball,
                "pose": contacts.pairs[0].pose,
                "surface": floor,
                "friction": 0.2,
                "restitution": 0.5,
            },
        ),
        "Revolute.beyond": Call(pin.beyond, {"pose": (np.zeros(3), unturned), "given": {pin.angle: 0.0}}),
        "Force.generalized": Call(zm.Force((1, 0, 0), at=bead.position).generalized, {"q": bead.position}),
        "Spring.generalized": Call(zm.Spring(1.0, bead.position).generalized, {"q": bead.position}),
        "Damper.generalized": Call(zm.Damper(1.0, bead.position).generalized, {"q": bead.position}),
        "Torque.generalized": Call(zm.Torque((1, 0, 0), on=body).generalized, {"q": body.coordinates}),
    }
    for name, solid in {"ball": ball, "egg": egg, "stone": stone}.items():
        found[f"{name}.laid"] = Call(solid.laid, laid)
        point = solid.farthest(up[None], {})[0]
        found[f"{name}.normal_at"] = Call(solid.normal_at, {"point": point, "parameters": {}})
        found[f"{name}.upright"] = Call(solid.upright, {"body": body, "normal": up})
        found[f"{name}.tilted"] = Call(solid.tilted, {"body": body, "normal": up})
    return found


PARTS = (
    _expressions,
    _equations,
    _systems,
    _mechanisms,
    _contacts,
    _programs,
    _runs,
    _analyses,
    _studies,
    _records,
    _hooks,
)
"""What there is, a package at a time."""

QUICK = tuple(part for part in PARTS if part not in (_runs, _analyses, _studies))
"""Those that are ready in a second."""

SCENARIO = """
[rolling]
body = { kind = "ball", radius = 0.1, mass = 0.5 }
surface = { kind = "plane", slope = 0.3 }
start = { contact = [0.0, 0.0] }
[run]
until = 0.5
"""

URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""

MJCF = """<mujoco><worldbody><body name="arm"><joint name="pin" type="hinge" axis="0 0 1"/>
<geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""

MESH = (
    "solid s\n"
    + "\n".join(
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join(f"vertex {a} {b} {c}" for a, b, c in three)
        + "\nendloop\nendfacet"
        for three in (
            ((0, 0, 0), (0, 1, 0), (1, 0, 0)),
            ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
            ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
            ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        )
    )
    + "\nendsolid s\n"
)


def prepare(folder: Path, parts: Sequence[Callable[[], dict[str, Call]]] = PARTS) -> dict[str, Call]:
    """Public names and the methods of what they give, each with arguments for which it works.

    folder  becomes the current one; it has the files that they read, and what they write
    """
    os.chdir(folder)
    for name, text in {"robot.urdf": URDF, "robot.xml": MJCF, "mesh.stl": MESH, "scenario.toml": SCENARIO}.items():
        Path(name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: call for part in parts for name, call in part().items()}


def tried(found: Mapping[str, Call], count: int, rng: random.Random) -> Iterator[tuple[str, str, Found]]:
    """So many calls with wrong arguments: which call, what is wrong, and what became of it."""
    names = list(found)
    weights = [0.08 if found[name].slow else 0.3 if not found[name].given else 1.0 for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in rng.choices(names, weights, k=count):
            words, args, given = attempt(found[name], rng)
            yield name, words, outcome(found[name], args, given)


def working(found: Mapping[str, Call]) -> dict[str, Found]:
    """Calls that do not work with the arguments that are meant to fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = {name: outcome(call, (), dict(call.given)) for name, call in found.items()}
    return {name: result for name, result in results.items() if result.kind != "fine"}


def main(count: int, seed: int, only: str = "") -> int:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        found = {name: call for name, call in prepare(Path(folder)).items() if only in name}
        kinds: Counter[str] = Counter()
        for name, words, result in tried(found, count, random.Random(seed)):
            kinds[result.kind] += 1
            if result.kind in BAD:
                print(f"{result.kind}\t{name}\t{words}\t{result.words!r}\t{result.where}", flush=True)
        print(f"seed {seed}: {dict(kinds)}")
        os.chdir("/")
    return sum(kinds[kind] for kind in BAD)


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4])))
