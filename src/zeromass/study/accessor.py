"""What one asks a study for: `study.zm.run(vx=1.5, vy=1.0)` is the whole run of a member.

The Dataset that `zm.sweep` gives, and what is selected from it, knows the study that it comes from. One that was read from a
file does not, and is told system and start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray

from zeromass.compile.program import Program
from zeromass.integrate.course import Events
from zeromass.model import ModelError, StartError, System
from zeromass.run import Run, simulate
from zeromass.study.chunk import Study
from zeromass.study.members import Axes, Members, StartOf, axes_of

KEY = "zeromass study"
"""Where a Dataset has its study: in `encoding`, which is not written to files."""

SAME = 1e-9
"""Part of the distance to the next member, or of the value, by which one that was typed may be off."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The study of a Dataset. A copy for another process is None: what it was made of does not travel."""

    axes: Axes
    study: Study

    def __reduce__(self) -> Any:
        return type(None), ()


def known_to(found: xarray.Dataset, axes: Axes, study: Study) -> xarray.Dataset:
    """A Dataset that knows its study."""
    found.encoding[KEY] = Origin(axes, study)
    return found


@xarray.register_dataset_accessor("zm")
class Asked:
    """A study, asked for more than it has kept.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> study = zm.sweep(spring, spring.start({zm.rate(x): v}), until=3.0, over={v: [1.0, 2.0]}, keep={"end": x})
    >>> run = study.zm.run(v=2.0)
    >>> bool(run.y[-1, 0] == study.end.sel(v=2.0))
    True
    """

    def __init__(self, dataset: xarray.Dataset) -> None:
        self._dataset = dataset

    def __repr__(self) -> str:
        return "study.zm: study.zm.run(…) is the whole run of a member"

    def _repr_html_(self) -> str:
        from zeromass.study.cards import study_card

        return study_card(self._dataset)

    def run(
        self,
        system: System | Program | None = None,
        start: StartOf | None = None,
        *,
        method: Literal["nearest"] | None = None,
        events: Events = None,
        **values: float,
    ) -> Run:
        """The run of one member, whose parameters have the values: the same motion, bit for bit, with all that a run knows.

        system, start  of a study that was read from a file, with its `events`; not needed of what `zm.sweep` gave
        method         "nearest": the member next to the values, as after a click into a plot; by default they are those of
                       a member, but for rounding

        Along a dimension without values, such as that of samples, the number of the member is given: run(sample=17).
        """
        origin: Origin | None = self._dataset.encoding.get(KEY)
        if origin is None and (system is None or start is None):
            raise ModelError(
                "this Dataset does not know the system of its study, as one that was read from a file: give system and "
                "start, study.zm.run(system, start, …)"
            )
        known = list(origin.axes.values) if origin is not None else _parameters(system, start)
        chosen = self._member(values, method, [p.name for p in known])
        if origin is not None and system is None:
            return _run(origin, chosen)
        moving = system.system if isinstance(system, Program) else system
        assert system is not None
        assert moving is not None
        assert start is not None
        names = {p.name: p for p in known}
        axes = axes_of({names[name]: [value] for name, value in chosen.items()})
        state = Members(moving, start, list(axes.values), axes).first
        told = {name: self._dataset.attrs[name] for name in ("until", "rtol", "atol") if name in self._dataset.attrs}
        return simulate(system, state, method="dop853", events=events, **told)

    def _member(self, values: dict[str, float], method: str | None, names: list[str]) -> dict[str, float]:
        """The values of all parameters of the one member that is left when some are given."""
        here = self._dataset.coords.to_dataset()
        parameters = [name for name in names if name in here.coords]
        own = {str(dimension) for name in parameters for dimension in here[name].dims}
        for name, value in values.items():
            if name in here.coords and here[name].ndim == 0 and name in parameters:
                _nearest(name, np.atleast_1d(here[name].values), value, method)
            elif name in parameters and here[name].dims == (name,):
                here = here.isel({name: _nearest(name, here[name].values, value, method)})
            elif name in own:
                here = here.isel({name: int(value)})
            else:
                told = ", ".join(sorted({*own, *parameters}))
                raise ModelError(f"'{name}' is no parameter of the study; it has: {told}")
        left = [name for name in own if here.sizes.get(name, 1) > 1]
        if left:
            raise ModelError(
                f"there is more than one such member: give {', '.join(f'{name}=…' for name in sorted(left))} too"
            )
        return {name: float(here[name].values.ravel()[0]) for name in parameters}


def _nearest(name: str, there: np.ndarray, value: float, method: str | None) -> int:
    """The number of the member whose parameter is a value, or next to it."""
    k = int(np.argmin(np.abs(there - value)))
    space = np.abs(np.diff(there)).min() if len(there) > 1 else 0.0
    if method != "nearest" and abs(there[k] - value) > SAME * max(abs(value), space):
        raise ModelError(
            f"no member has {name} = {value:g}; the nearest one has {there[k]:.9g}, which method='nearest' takes"
        )
    return k


def _parameters(system: System | Program | None, start: StartOf | None) -> list[Any]:
    moving = system.system if isinstance(system, Program) else system
    made_of = getattr(start, "made_of", None)
    return list(dict.fromkeys([*(moving.parameters if moving else ()), *(made_of.parameters if made_of else ())]))


def _run(origin: Origin, chosen: dict[str, float]) -> Run:
    axes, members, work = origin.axes, origin.study.members, origin.study.work
    places = {}
    for p, ((dimension,), there) in axes.values.items():
        same = there == chosen[p.name]
        places[dimension] = same if dimension not in places else places[dimension] & same
    place = tuple(int(np.argmax(places[name])) for name in axes.names)
    k = np.ravel_multi_index(place, axes.shape)
    starts, failed = members.starts(np.array([k]))
    if failed:
        raise StartError(next(iter(failed.values())))
    settings = work.settings
    return simulate(
        work.program,
        starts.state(members.system, 0),
        until=work.until,
        rtol=settings.rtol,
        atol=settings.atol,
        method="dop853",
        events=work.all_watched,
        project=settings.project,
        longest_step=settings.longest_step,
        transitions=settings.transitions,
        limits=settings.limits,
    )
