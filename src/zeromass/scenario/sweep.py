"""[sweep]: which parameters vary, over what, and what is kept of each member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from zeromass.errors import listed, nearest
from zeromass.expression import parameter
from zeromass.model import Event, System
from zeromass.model.naming import names
from zeromass.scenario.kinds import ANY_LENGTH, Choice, Either, Kind, Numbers, Problem, Whole, Words
from zeromass.scenario.reading import OF_MODELS, Follows, Reader
from zeromass.scenario.signatures import table
from zeromass.scenario.tables import Argument, Named, Table

KEY = ("sweep",)
MOST = 10_000_000
"""Values along one axis."""

FORMULA, LIST = Numbers("names"), Numbers("names", ((ANY_LENGTH,),))
TIMES = Numbers(shapes=((ANY_LENGTH,),))
PAIR = Numbers(shapes=((2,),))
GRID = ("from", "to", "count")
DISTRIBUTIONS = ("uniform", "normal")


def _one_way(given: dict[str, Any]) -> Iterator[Problem]:
    """A grid, or one distribution."""
    drawn = [name for name in DISTRIBUTIONS if name in given]
    if drawn and len(given) > 1:
        yield (), f"'{drawn[0]}' stands alone; a grid has from, to and count"
    elif not drawn and not all(name in given for name in GRID):
        missing = next(name for name in GRID if name not in given)
        yield (missing,), "this key is missing: a grid has from, to and count; a distribution is uniform or normal"


SPACING: Kind = Choice(("even", "logarithmic"))
RANGE = Table(
    {
        "from": Argument(Numbers(), words="first value of a grid"),
        "to": Argument(Numbers(), words="last value of it"),
        "count": Argument(Whole(1, MOST), words="how many values it has"),
        "spacing": Argument(SPACING, words="even differences, or even ratios"),
        "uniform": Argument(PAIR, words="instead of a grid: samples between two values"),
        "normal": Argument(PAIR, words="samples about a mean, with a standard deviation"),
    },
    rule=_one_way,
    instead={"from": 1.0, "to": 2.0, "count": 2},
    words="The values of a parameter: a grid, or a distribution.",
)
VALUES = Either((TIMES, RANGE))

STATISTICS = ("largest", "smallest", "mean", "integral")
"""What is kept along a motion, by its key: functions of `zm`."""


def _one_thing(given: dict[str, Any]) -> Iterator[Problem]:
    asked = [name for name in (*STATISTICS, "first_time", "values") if name in given]
    if len(asked) != 1:
        yield (), f"give one of {', '.join((*STATISTICS, 'first_time', 'values'))}"
    elif ("times" in given) != (asked == ["values"]):
        yield ("times",), 'times go with values: { values = "…", times = […] }'


STATISTIC = Table(
    {
        "largest": Argument(FORMULA, words="value of a formula along the motion, between steps too"),
        "smallest": Argument(FORMULA, words="value of a formula along the motion, between steps too"),
        "mean": Argument(FORMULA, words="of a formula over the time of the motion"),
        "integral": Argument(FORMULA, words="of a formula over time"),
        "values": Argument(Either((FORMULA, LIST)), words="of a formula, or several, at `times`"),
        "times": Argument(TIMES, words="s"),
        "first_time": Argument(Words(), words="name of an event: when it first happens, s"),
    },
    rule=_one_thing,
    instead={"largest": 1.0},
    words="What is kept of a member.",
)
KEPT = Either((FORMULA, LIST, STATISTIC))


@dataclass(frozen=True)
class Sweep:
    """A study, as `zm.sweep` takes it.

    over     what each of the parameters goes through
    keep     what is kept of a member, by name: formulas at the end, or a statistic of one
    samples  number of samples, where a parameter has a distribution
    spread   how they are drawn
    seed     of the drawing
    on       "lanes", "cores" or a number of them
    """

    over: Annotated[dict[Any, Any], Named(VALUES)]
    keep: Annotated[dict[str, Any], Named(KEPT, Words(longest=60, name=True))]
    samples: Annotated[int | None, Whole(1, MOST)] = None
    spread: Literal["sobol", "halton", "latin hypercube", "random"] = "sobol"
    seed: Annotated[int, Whole(0, 2**31 - 1)] = 0
    on: Annotated[str | int, Either((Choice(("lanes", "cores")), Whole(1, 4096)))] = "cores"


def _as_many(given: dict[str, Any]) -> Iterator[Problem]:
    """Samples and distributions go together."""
    drawn = [
        name for name, values in given["over"].items() if isinstance(values, dict) and {*DISTRIBUTIONS} & {*values}
    ]
    if drawn and "samples" not in given:
        yield ("samples",), f"this key is missing: '{drawn[0]}' has a distribution, of which samples = … are drawn"
    elif "samples" in given and not drawn:
        yield ("samples",), "no parameter has a distribution to draw from, such as { normal = [mean, deviation] }"


TABLE = table(Sweep, rule=_as_many)


def swept(given: Mapping[str, Any]) -> list[str]:
    """Names of the parameters that vary, of the data of a scenario."""
    return list(given.get("sweep", {}).get("over", {}))


def sweep(reader: Reader, given: Mapping[str, Any], system: System, events: tuple[Event, ...]) -> Sweep:
    """The study that a scenario describes."""
    known, over = reader.parameters, {}
    if not given["over"]:
        reader.wrong("it is empty: which parameters vary?", (*KEY, "over"))
    drawn: dict[Any, Any] = {}
    for name, values in given["over"].items():
        key = (*KEY, "over", name)
        if name not in known:
            words = nearest(name, known) or f"; there are: {listed(known) or 'none'}"
            if not reader.in_doubt(name, beside=(*OF_MODELS, "let")):
                reader.wrong(f"[parameters] has no '{name}'{words}", key)
        read = VALUES.read(reader, values, key, None)
        symbol = known[name] if name in known else parameter(name, 1.0)
        with reader.noting():
            distribution = _distribution(reader, read, key) if isinstance(read, dict) else None
            if distribution is not None:
                drawn[symbol] = distribution
            else:
                over[symbol] = _grid(reader, read, key) if isinstance(read, dict) else np.array(read, dtype=float)
    options = {k: given[k] for k in ("samples", "spread", "seed", "on") if k in given}
    found = Sweep({}, {}, **options)
    if drawn and found.samples is not None:
        from zeromass.study import samples  # few scenarios have a study

        with reader.noting(), reader.pointing(*KEY, "samples"):
            over.update(samples(found.samples, drawn, method=found.spread, seed=found.seed))
    keep = {}
    for name, what in given["keep"].items():
        with reader.noting():
            keep[name] = _kept(reader, what, (*KEY, "keep", name), system, events)
    return Sweep(over, keep, **options)


def _grid(reader: Reader, read: dict[str, Any], key: tuple[str, ...]) -> np.ndarray:
    low, high, count = read["from"], read["to"], read["count"]
    if read.get("spacing") != "logarithmic":
        return np.linspace(low, high, count)
    if not (low > 0 and high > 0):
        raise reader.error(f"a logarithmic grid goes from {low:g} to {high:g}; both must be positive", key)
    return np.geomspace(low, high, count)


def _distribution(reader: Reader, read: dict[str, Any], key: tuple[str, ...]) -> Any:
    if not {*DISTRIBUTIONS} & {*read}:
        return None
    from scipy.stats import norm, uniform  # which takes a second to import

    if "uniform" in read:
        low, high = read["uniform"]
        if not high > low:
            raise reader.error(f"it goes from {low:g} to {high:g}; it must rise", (*key, "uniform"))
        return uniform(low, high - low)
    middle, deviation = read["normal"]
    if not deviation > 0:
        raise reader.error(f"the deviation is {deviation:g}; it must be positive", (*key, "normal"))
    return norm(middle, deviation)


def _kept(reader: Reader, what: Any, key: tuple[str, ...], system: System, events: tuple[Event, ...]) -> Any:
    from zeromass import study

    known = names(system)
    read = KEPT.read(reader, what, key, known)
    if not isinstance(read, dict):
        return read
    if "first_time" in read:
        by_name = {event.name: event for event in (*events, *system.events)}
        wanted = read["first_time"]
        if wanted not in by_name:
            words = nearest(wanted, by_name) or f"; there are: {listed(by_name) or 'none'}"
            if reader.lost("events"):
                raise Follows(words)
            raise reader.error(f"there is no event '{wanted}'{words}", (*key, "first_time"))
        return study.first_time(by_name[wanted])
    with reader.pointing(*key):
        if "values" in read:
            return study.values_at(read["values"], read["times"])
        ((name, formula),) = read.items()
        return getattr(study, name)(formula)
