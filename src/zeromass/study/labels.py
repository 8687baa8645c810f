"""The labels of a study: dimensions, shapes, units and words of what it keeps, in memory and in a store alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zeromass.errors import unwritable
from zeromass.model import ModelError
from zeromass.study.chunk import Results, Work, shape_of
from zeromass.study.keep import AtTimes, Extreme, FirstTime, Integral, Kept
from zeromass.study.members import Axes

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Labelled:
    """A variable of a study: its dimensions and its shape, what its values are, and what is said of it."""

    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    values: Literal["numbers", "counts", "words"]
    attributes: Mapping[str, str] = field(default_factory=dict)


OWN: Mapping[str, Literal["numbers", "counts", "words"]] = {
    "outcome": "words",
    "message": "words",
    "end_time": "numbers",
    "steps": "counts",
    "rejected": "counts",
    "evaluations": "counts",
}
"""What is said of every member, whatever is kept of it."""

SAID: Mapping[str, Mapping[str, str]] = {
    "outcome": {"long_name": "outcome"},
    "message": {"long_name": "why it ended"},
    "end_time": {"long_name": "time at the end", "units": "s"},
    "steps": {"long_name": "steps"},
    "rejected": {"long_name": "steps that were rejected"},
    "evaluations": {"long_name": "evaluations of the equations"},
}
"""Its names and units, for plots."""


def check_names(axes: Axes, keep: Mapping[str, Kept]) -> None:
    """Raises where two things in the Dataset of a study would have one name: one of them would be lost."""
    taken = {*OWN, "ledger"}
    for role, names in (("over", {*axes.names, *(p.name for p in axes.values)}), ("keep", keep)):
        for name in names:
            if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or unwritable(name):
                raise ModelError(f"{role}: {name!r} is no name that a file can have; give another")
        of_values = {d for name, what in keep.items() for d in _dimensions(name, what)} if role == "keep" else set()
        both = [*(name for name in names if name in taken | of_values), *(taken & of_values)]
        if both:
            raise ModelError(f"{role}: '{both[0]}' is the name of something else in the Dataset; give it another")
        taken |= {*names}


def _dimensions(name: str, what: Kept) -> tuple[str, ...]:
    """Of what is kept of a member: those of an array, after the times at which it is kept."""
    count = len(shape_of(what))
    more = tuple(f"{name}_{k}" for k in range(count))
    return (f"{name}_time", *more[:-1]) if isinstance(what, AtTimes) else more


def variables(axes: Axes, work: Work) -> dict[str, Labelled]:
    """What a study keeps of its members, and what it says of each."""
    found, units, titles = {}, _units(work), _titles(work)
    for name, what in work.keep.items():
        shape, more = shape_of(what), _dimensions(name, what)
        attributes = {"long_name": titles[name], **({"units": units[name]} if units[name] else {})}
        found[name] = Labelled((*axes.names, *more), (*axes.shape, *shape), "numbers", attributes)
    for name, values in OWN.items():
        found[name] = Labelled(axes.names, axes.shape, values, SAID[name])
    return found


def coordinates(axes: Axes, work: Work) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """The values of the parameters, and the times at which values are kept."""
    found = {p.name: (dimensions, values) for p, (dimensions, values) in axes.values.items()}
    for name, what in work.keep.items():
        if isinstance(what, AtTimes):
            found[f"{name}_time"] = ((f"{name}_time",), what.times)
    return found


def attributes(work: Work) -> dict[str, Any]:
    """What is said of the whole study."""
    return {"until": work.until, "rtol": work.settings.rtol, "atol": work.settings.atol, "method": work.settings.method}


def dataset(axes: Axes, work: Work, results: Results) -> xarray.Dataset:
    """Results with their labels."""
    import xarray

    labelled = {  # arrays as they are: no look at each word
        name: xarray.Variable(one.dimensions, results[name].reshape(one.shape), dict(one.attributes), fastpath=True)
        for name, one in variables(axes, work).items()
    }
    return xarray.Dataset(labelled, coords=coordinates(axes, work), attrs=attributes(work))


def _titles(work: Work) -> dict[str, str]:
    """What is kept, in words: the quantity where the system knows it, otherwise the name that was given."""
    known = [(quantity.expression, quantity.label) for quantity in work.program.system.quantities.values()]
    return {name: _title(name, what, known) for name, what in work.keep.items()}


def _title(name: str, what: Kept, known: list[tuple[Any, str]]) -> str:
    own = name.replace("_", " ")
    if isinstance(what, FirstTime):
        return f"first time of '{what.event.name}'"
    label = _known(what, known)
    if not label or isinstance(what, AtTimes):
        return label or own
    if isinstance(what, Extreme):
        return f"{'largest' if what.sign > 0 else 'smallest'} {label}"
    if isinstance(what, Integral):
        return f"{'mean' if what.mean else 'integral of'} {label}"
    return f"{label} at the end"


def _units(work: Work) -> dict[str, str]:
    """Units of what is kept, where the system knows them."""
    known = [(quantity.expression, quantity.unit) for quantity in work.program.system.quantities.values()]
    return {name: _unit(what, known) for name, what in work.keep.items()}


def _unit(what: Kept, known: list[tuple[Any, str]]) -> str:
    if isinstance(what, FirstTime):
        return "s"
    unit = _known(what, known)
    return f"{unit} s" if unit and isinstance(what, Integral) and not what.mean else unit


def _known(what: Kept, known: list[tuple[Any, str]]) -> str:
    """What is said of the quantity of a system that is kept, or of the vector whose component is; empty of another."""
    array = what.array
    for expression, said in known:
        other = np.atleast_1d(np.asarray(expression, dtype=object))
        if other.size == array.size and all(a is b for a, b in zip(array.ravel(), other.ravel(), strict=True)):
            return said
        if not array.ndim and any(array.item() is e for e in other.ravel()):
            return said
    return ""
