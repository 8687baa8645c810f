"""Errors in two places of a scenario, of every sort and in every table, are told together, each by its key and line.

The damage is made from the tables that files are checked against: keys that are unknown, missing, or of a wrong type, and
formulas that can not be read or name what there is not. Nothing else is told than what was damaged.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import pytest

from cases import few
from zeromass.scenario import ScenarioError, parse_scenario
from zeromass.scenario.document import TABLE
from zeromass.scenario.kinds import Either, Flag, Kind, Numbers, Whole
from zeromass.scenario.reading import NAMING
from zeromass.scenario.source import Key, dotted, parsed
from zeromass.scenario.tables import Items, Kinds, Named, Table, spelled

REST: dict[str, Any] = {
    "scenario": {"name": "whole", "description": "all there is"},
    "parameters": {"m": 2.0, "g": 9.81, "v": "0.1*g"},
    "let": {"double": "2*m"},
    "run": {"until": 0.5, "rtol": 1e-9, "method": "collocation"},
    "events": [{"name": "through", "zero": "double - 3", "terminal": False}, {"name": "second", "zero": "t - 0.25"}],
    "output": {"format": "png", "table": False, "times": 10, "trails": [["t", 0, 0]], "charts": {"Two (kg)": "double"}},
    "sweep": {
        "over": {"v": {"from": 1, "to": "m", "count": 3}},
        "keep": {"end": "double", "high": {"largest": "t"}, "when": {"first_time": "through"}},
        "on": "lanes",
    },
}
MODELS: dict[str, Any] = {
    "system": {
        "coordinates": ["x", "y"],
        "kinetic": "m*(x'**2 + y'**2)/2",
        "potential": "m*g*y",
        "gravity": 9.81,
        "constraints": {"rod": "x**2 + y**2 - 1", "both": ["ball.x", "ball.y"]},
        "forces": {"x": "-x'"},
        "particles": {"ball": {"mass": "m"}},
        "bodies": {"arm": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}},
        "springs": [{"stiffness": "m", "a": ["ball.x", 0, "ball.z"], "b": [0, 0, 1], "length": 0.1}],
        "joints": {"pin": {"kind": "revolute", "a": "ground", "b": "arm", "at": [0, 0, 0], "axis": [0, 1, 0]}},
        "start": {"x": 0.6, "y'": "v - v", "pin.angle": 0.1},
        "guess": {"y": 0.8},
    },
    "rolling": {
        "body": {"kind": "ball", "radius": "0.01*m", "mass": 0.25, "name": "marble"},
        "surface": {"height": "0.3*(X**2 + Y**2)", "shift": ["0.01*sin(t)", 0, 0]},
        "gravity": "g",
        "friction": 0.5,
        "forces": [{"force": ["-0.1*marble.x'", 0, 0]}],
        "start": {"contact": [0.3, 0.0], "velocity": [0.0, "v/10"], "guess": 0.0},
    },
    "contacts": {
        "bodies": {
            "ball": {"kind": "ball", "radius": "0.05*m", "mass": 0.25},
            "egg": {"kind": "ellipsoid", "axes": [0.1, 0.1, 0.2], "mass": 1.0},
        },
        "surfaces": {"floor": {"kind": "plane"}, "wall": {"implicit": "2 - X"}},
        "gravity": "g",
        "friction": {"floor": 0.5, "wall": 0.2},
        "restitution": 0.5,
        "forces": [{"body": "ball", "force": ["-0.1*ball.x'", 0, 0]}],
        "start": {"center": {"ball": [0, 0, "m"], "egg": [1.0, 0, 1.0]}, "velocity": {"ball": [0, 0, "v"]}},
    },
    "sliding": {
        "particle": {"name": "bead", "mass": 0.1},
        "surfaces": [{"height": "0.3*X**2"}, {"kind": "plane", "slope": 0.1}],
        "friction": 0.3,
        "restitution": 0.5,
        "start": {"position": [0.1, 0, "m"], "velocity": [0.0, 0.0, 0.0]},
    },
}
WHOLES: dict[str, dict[str, Any]] = {kind: {**REST, kind: model} for kind, model in MODELS.items()}
WHOLES["system"] = deepcopy(WHOLES["system"])
WHOLES["system"]["output"]["shapes"] = [{"kind": "sphere", "radius": 0.1, "part": "ball"}]

BAD: dict[Key, Any] = {
    ("run", "rtol"): -1.0,
    ("system", "particles", "ball", "mass"): -1.0,
    ("system", "joints", "pin", "b"): "nobody",
    ("system", "start"): {"x": 3.0, "y": 4.0},
    ("system", "coordinates"): ["x", "y", "pi"],
    ("system", "forces"): {"nowhere": 1.0},
    ("system", "start", "x"): [1.0, 2.0, 3.0],
    ("rolling", "body", "radius"): -1.0,
    ("rolling", "friction"): -0.5,
    ("rolling", "surface", "height"): "X'",
    ("rolling", "start", "contact"): [0.3, 0.0, 5.0],
    ("contacts", "bodies", "ball", "mass"): -1.0,
    ("contacts", "restitution"): 2.0,
    ("contacts", "forces", 0, "body"): "nobody",
    ("sliding", "particle", "mass"): -1.0,
    ("sliding", "restitution"): 2.0,
    ("events", 1, "name"): "through",
    ("output", "fps"): -1.0,
    ("output", "plots"): ["pth"],
    ("output", "shapes", 0, "part"): "nobody",
    ("sweep", "over"): {},
    ("sweep", "over", "v"): {"from": -1, "to": 1, "count": 3, "spacing": "logarithmic"},
    ("sweep", "over", "w"): [1.0],
    ("sweep", "keep", "when", "first_time"): "never",
}
"""Values that types allow and meaning does not; errors of a whole point to its table."""

POINTS: dict[Key, Key] = {
    ("system", "coordinates"): ("system", "coordinates", 2),
    ("output", "plots"): ("output", "plots", 0),
    ("system", "forces"): ("system", "forces", "nowhere"),
    ("system", "particles", "ball", "mass"): ("system", "particles", "ball"),
    ("rolling", "body", "radius"): ("rolling", "body"),
    ("rolling", "friction"): ("rolling",),
    ("rolling", "start", "contact"): ("rolling", "start"),
    ("contacts", "bodies", "ball", "mass"): ("contacts", "bodies", "ball"),
    ("contacts", "restitution"): ("contacts",),
    ("sliding", "particle", "mass"): ("sliding", "particle"),
    ("sliding", "restitution"): ("sliding",),
}
FOLLOWS = {("rolling",), ("contacts",), ("sliding",), ("rolling", "start"), ("system", "start")}
"""What is told of a model, or of its start, only where all of it can be read."""

UNSURE = ("type", "missing", "unknown")
"""What is wrong with keys only where the kind of their table is known."""

REMOVED = object()


class Damage(NamedTuple):
    """Something to be put at a key, and the key to which its error points."""

    sort: str
    key: Key
    value: Any
    points: Key


def damages(kind: Kind, given: Any, key: Key) -> Iterator[Damage]:
    """Every way to damage data, one key at a time."""
    either = isinstance(kind, Either)
    if isinstance(kind, Either):
        kind = next(one for one in kind.kinds if type(given) in one.looks())
    if isinstance(kind, Kinds):
        name = spelled(given.get("kind", kind.default))
        yield Damage("kind", (*key, "kind"), "nothing of the sort", (*key, "kind"))
        kind = replace(kind.tables()[name], beside=("kind",))
    wrong = "words" if isinstance(kind, Table | Named | Items | Flag | Whole) and not either else True
    if key:
        yield Damage("type", key, wrong, key)
    if isinstance(kind, Numbers):
        yield from formulas(given, key)
    if isinstance(kind, Table):
        yield Damage("unknown", (*key, "zqxj"), 1.0, (*key, "zqxj"))
        for name, argument in kind.arguments.items():
            if argument.required and name in given:
                yield Damage("missing", (*key, name), REMOVED, (*key, name))
            if name in given:
                yield from damages(argument.kind, given[name], (*key, name))
    elif isinstance(kind, Named):
        for name, item in given.items():
            yield from damages(kind.item, item, (*key, name))
    elif isinstance(kind, Items):
        for i, item in enumerate(given):
            yield from damages(kind.item, item, (*key, i))


def formulas(given: Any, key: Key) -> Iterator[Damage]:
    if isinstance(given, list):
        for i, item in enumerate(given):
            yield from formulas(item, (*key, i))
    else:
        yield Damage("unreadable", key, "1 +", key)
        yield Damage("undeclared", key, "zqxj + 1", key)


def of(kind: str) -> list[Damage]:
    whole = WHOLES[kind]
    found = [
        one for one in damages(replace(TABLE, beside=()), whole, ()) if one.key[0] in whole or one.key == ("zqxj",)
    ]
    found = [one for one in found if one.key != (kind,)]  # then there is no model
    bad = [(key, value) for key, value in BAD.items() if key[0] == kind or key[0] in REST]
    bad = [(key, value) for key, value in bad if key[1] != "shapes" or kind == "system"]
    return found + [Damage("value", key, value, POINTS.get(key, key)) for key, value in bad]


def damaged(whole: dict[str, Any], *some: Damage) -> dict[str, Any]:
    data = deepcopy(whole)
    for one in some:
        *way, last = one.key
        at: Any = data
        for step in way:
            at = at[step]
        if one.value is REMOVED:
            del at[last]
        else:
            at[last] = one.value
    return data


def toml(data: dict[str, Any]) -> str:
    """A file with each key of the first three levels on a line of its own."""
    lines: list[str] = []

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return f"[{', '.join(map(inline, value))}]"
        return json.dumps(value)

    def table(name: str, own: Any) -> None:
        inner = {k: v for k, v in own.items() if isinstance(v, dict)}
        lines.append(f"[{name}]")
        lines.extend(f"{json.dumps(k)} = {inline(v)}" for k, v in own.items() if k not in inner)
        for k, v in inner.items():
            if name.count(".") < 1:
                table(f"{name}.{json.dumps(k)}", v)
            else:
                lines.append(f"{json.dumps(k)} = {inline(v)}")

    lines.extend(f"{json.dumps(k)} = {inline(v)}" for k, v in data.items() if not isinstance(v, dict))
    for name, own in data.items():
        if isinstance(own, dict):
            table(json.dumps(name), own)
    return "\n".join(lines) + "\n"


def apart(a: Damage, b: Damage) -> bool:
    """Whether neither is inside the other, and neither takes away what the other is about."""
    n = min(len(a.key), len(b.key))
    if a.key[:n] == b.key[:n]:
        return False
    for one, other in ((a, b), (b, a)):
        if one.sort == "undeclared" and (other.key in NAMING or names_lost(other)):
            return False
        if one.sort in ("undeclared", "value") and other.key[:2] == ("system", "coordinates"):
            return False
        if one.key[-1] == "body" and other.key == ("contacts", "bodies"):
            return False
        if one.sort == "kind" and other.key[: len(one.key) - 1] == one.key[:-1] and other.sort in UNSURE:
            return False
        if one.points in FOLLOWS and other.key[0] in (one.key[0], "parameters", "let"):
            return False
        if one.sort == "value" and one.key[0] in ("sweep", "events") and other.key[0] in ("parameters", "events"):
            return False
        if whole_of(one, other):
            return False
    return True


def names_lost(one: Damage) -> bool:
    return one.key[:2] == ("system", "joints") or (one.sort in ("type", "missing", "kind") and one.key[-1] == "name")


def whole_of(one: Damage, other: Damage) -> bool:
    """Whether one is an error of what a table makes, which is made only when all of it can be read."""
    table = POINTS.get(one.key)
    near = table is not None and (other.points[: len(table)] == table or other.key[0] in ("parameters", "let"))
    inside = near and one.sort == "value"
    return inside or (one.sort == "value" and one.key[:2] == other.key[:2] == ("system", "joints"))


def told(text: str) -> dict[str, int | None]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, name="x.toml")
    return {error.key: error.line for error in caught.value.errors}


def check(kind: str, *some: Damage) -> None:
    text = toml(damaged(WHOLES[kind], *some))
    found, source = told(text), parsed(text)
    assert set(found) == {dotted(one.points) for one in some}, some
    for one in some:
        assert found[dotted(one.points)] == source.line(one.points), one


@pytest.mark.parametrize("kind", WHOLES)
def test_the_whole_is_valid(kind):
    parse_scenario(toml(WHOLES[kind]))


@pytest.mark.parametrize("kind", few(WHOLES))
def test_each_alone(kind):
    for one in random.Random(0).sample(of(kind), 50):
        check(kind, one)


def pairs(kind: str, seed: int, most: int) -> list[tuple[Damage, Damage]]:
    """A pair for each two tables and sorts, in a random order."""
    choice = random.Random(seed)
    every = of(kind)
    choice.shuffle(every)
    found: dict[Any, tuple[Damage, Damage]] = {}
    for a, b in combinations(every, 2):
        if apart(a, b):
            found.setdefault(frozenset({(a.sort, *a.key[:2]), (b.sort, *b.key[:2])}), (a, b))
    return list(found.values())[:most]


@pytest.mark.parametrize("kind", few(WHOLES))
def test_two_together(kind):
    for a, b in pairs(kind, 1, 40):
        check(kind, a, b)


@pytest.mark.parametrize(
    ("kind", "table", "names", "formula"),
    [("contacts", "forces", (0, "body"), (0, "force", 0)), ("system", "joints", ("pin", "b"), ("pin", "drive"))],
)
def test_a_body_that_there_is_not_and_a_formula_beside_it(kind, table, names, formula):
    check(
        kind,
        *[
            Damage(sort, (kind, table, *key), value, (kind, table, *key))
            for sort, key, value in (("value", names, "nobody"), ("undeclared", formula, "zqxj + 1"))
        ],
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", WHOLES)
def test_two_together_of_all_sorts(kind, seed):
    for one in of(kind) if seed == 0 else ():
        check(kind, one)
    for a, b in pairs(kind, seed, 1500):
        check(kind, a, b)
