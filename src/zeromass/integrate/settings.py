"""How a run is to be made: everything that decides about it beside system, start, end and events."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, field, fields, replace
from numbers import Real
from typing import Any

import numpy as np

from zeromass.errors import user_stack_level
from zeromass.frozen import frozen
from zeromass.integrate.memory import usual_memory
from zeromass.integrate.methods import METHODS, Method, MethodName
from zeromass.model import ModelError
from zeromass.model.given import given_choice, given_count, given_finite, given_flag, given_mapping, given_real, shown

SMALLEST_RTOL, SMALLEST_ATOL = 2e-15, 1e-50
"""The smallest tolerances. Relative: nine roundings; with less, rounding hides the error by which a step is judged.
Absolute: squares of errors in units of it are finite."""

FEW = 2.0
"""Digits of the energy, or of a state, below which a run can hardly be trusted."""

REACH = 1e3
"""Times the errors that the tolerance allows in all steps together that an imbalance of energy may reach."""


@frozen(eq=True)
class Limits:
    """Thresholds of a simulation.

    violation  largest constraint residual at the start, relative to the state or 1
    growth     cancellation in a pivot at which new pivots are chosen; its logarithm is the number of digits lost
    correction largest correction by projection after a step, in units of the step's tolerance
    stalled    smallest part of the time span that 4096 steps must cover
    close      part of its largest value below which a guard counts as reached when the step size vanishes
    changes    largest number of mode changes, and of accumulating switches of formulas, before a motion counts as chattering

    >>> zm.Limits(growth=1e4)
    Limits(violation=1e-06, growth=10000.0, correction=100.0, stalled=1e-07, close=0.01, changes=1000)
    """

    violation: float = 1e-6
    growth: float = 1e3
    correction: float = 100.0
    stalled: float = 1e-7
    close: float = 1e-2
    changes: int = 1000

    def __post_init__(self) -> None:
        for name in (f.name for f in fields(self)):
            value = getattr(self, name)
            plain = isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**63)
            number = float(value) if plain else given_real(value, name) if isinstance(value, Real) else np.nan
            if not number > 0:
                raise ModelError(f"Limits({name}={shown(value)}): it must be positive")
            object.__setattr__(self, name, int(number) if name == "changes" and number < np.inf else number)


@frozen(eq=True)
class Settings:
    """What `simulate` was given; see there.

    Tolerances that arithmetic can not meet, rtol below 2e-15 and atol below 1e-50, are raised to that, with a warning.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> run.settings.method, run.settings.rtol
    ('collocation', 1e-10)
    >>> again = zm.simulate(spring, run.start, until=5.0, **run.settings)
    >>> bool(np.all(again.y == run.y))
    True
    """

    rtol: float = 1e-10
    atol: float = 1e-13
    method: MethodName = "collocation"
    project: bool = True
    step: float | None = None
    longest_step: float = np.inf
    transitions: bool = True
    limits: Limits = field(default_factory=Limits)
    memory: float | None = None

    def __post_init__(self) -> None:
        for name in ("rtol", "atol", "longest_step", "step", "memory"):
            value, endless = getattr(self, name), name in ("longest_step", "memory")
            if value is None and name in ("step", "memory"):
                continue
            real = isinstance(value, Real) and not isinstance(value, bool)
            number = value if type(value) is float else given_real(value, name) if real else np.nan
            if not number > 0 or not (endless or np.isfinite(number)):
                raise ModelError(f"{name} = {shown(value)}: it must be positive" + ("" if endless else " and finite"))
            object.__setattr__(self, name, number)  # NumPy's numbers too: files have plain ones
        for name, least in (("rtol", SMALLEST_RTOL), ("atol", SMALLEST_ATOL)):
            if getattr(self, name) < least:
                words = f"{name} = {getattr(self, name):g} is less than arithmetic can meet; {name} = {least:g} is used"
                warnings.warn(words, stacklevel=user_stack_level())
                object.__setattr__(self, name, least)
        for name in ("project", "transitions"):
            if not isinstance(getattr(self, name), bool):
                object.__setattr__(self, name, given_flag(getattr(self, name), name))
        if not isinstance(self.limits, Limits):
            raise ModelError(f"limits is {shown(self.limits)}; give zm.Limits(changes=…)")
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise ModelError(f"there is no method {self.method!r}; there are: {', '.join(METHODS)}")
        if self.step is None and not self.chosen.controlled:
            raise ModelError(f"method='{self.method}' needs step=…, the length of its steps")
        if self.step is not None and not self.chosen.fixed:
            others = " or ".join(f"'{name}'" for name, method in METHODS.items() if method.fixed)
            raise ModelError(f"method='{self.method}' chooses its steps; step=… goes with method={others}")

    def __getitem__(self, name: str) -> Any:
        """settings["rtol"] is settings.rtol, and {**settings} what may be given to `simulate` again."""
        return getattr(self, given_choice(name, "a name of settings", self.keys()))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> tuple[str, ...]:
        return tuple(self.__dataclass_fields__)

    @property
    def chosen(self) -> Method:
        """The stepping method."""
        return METHODS[self.method]

    @property
    def bound(self) -> float:
        """Memory that the run may take, bytes: as given, or a quarter of the machine's."""
        return usual_memory() if self.memory is None else self.memory

    def tighter(self, rtol: float) -> Settings:
        """The same with smaller tolerances, or half the step where that is fixed; for more steps, more memory."""
        step = None if self.step is None else self.step / 2
        memory = None if self.memory is None else 2 * self.memory
        return replace(self, **self.tolerances(rtol), step=step, memory=memory)

    def tolerances(self, rtol: float) -> dict[str, float]:
        """Another relative tolerance, and the absolute one in the same ratio to it; none that arithmetic can not meet."""
        rtol = max(given_finite(rtol, "rtol"), SMALLEST_RTOL)
        return {"rtol": rtol, "atol": max(self.atol * rtol / self.rtol, SMALLEST_ATOL)}

    def largest_imbalance(self, steps: int) -> float:
        """Largest relative imbalance of energy of a run that can be trusted: one that its tolerance explains."""
        steps = given_count(steps, "steps")
        return min(np.inf if self.step is not None else REACH * self.rtol * steps, 2 * 10**-FEW)

    def as_dict(self) -> dict[str, Any]:
        """For files: plain numbers and words."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Settings:
        """From what a file tells; settings that it does not know have their defaults."""
        own = {f.name for f in fields(cls)}
        for key in given_mapping(data, "settings", "what settings.as_dict() gives"):
            given_choice(key, "a name of settings", own)
        limits = given_mapping(data.get("limits", {}), "limits", "{name: number}")
        for key in limits:
            given_choice(key, "a name of limits", {f.name for f in fields(Limits)})
        return cls(**{**data, "limits": Limits(**limits)})
