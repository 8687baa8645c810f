"""Parameters from measurements: least squares over runs, with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zeromass.analysis.slopes import slopes_of
from zeromass.analysis.tangent import carried
from zeromass.analysis.variation import variations
from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.errors import ZeromassError, quoted
from zeromass.expression import Expression, Symbol, as_expression
from zeromass.integrate import Course, Settings
from zeromass.integrate.course import course
from zeromass.model import ModelError, StartError, State, System
from zeromass.model.given import (
    ByName,
    given_all,
    given_finite,
    given_kind,
    given_mapping,
    given_numbers,
    given_parameters,
    parameters_by_name,
)
from zeromass.model.naming import meant
from zeromass.model.state import ROUNDING

Data = Mapping[Any, Sequence[Any]]
"""{expression: (times, values)} or {expression: (times, values, standard errors)}."""

CLOSE = 1e-12
"""Relative change of the parameters at which a fit has come to its end, if its squares have not stopped to fall before."""

UNIDENTIFIED = 1e-8
"""Singular values of the derivatives, in comparable units, below this part of the largest: measurements do not tell them."""


class Measured:
    """Measurements of one expression."""

    def __init__(self, e: Any, given: Sequence[Any]) -> None:
        self.expression: Expression = as_expression(e)
        words = "data are {expression: (times, values)} or {expression: (times, values, standard errors)}"
        if not isinstance(given, Sequence) or len(given) not in (2, 3):
            raise ModelError(f"'{e!r}': {words}")
        self.t: np.ndarray = np.atleast_1d(given_numbers(given[0], f"the times of '{e!r}'", finite=False))
        self.value: np.ndarray = np.atleast_1d(given_numbers(given[1], f"the values of '{e!r}'", finite=False))
        self.known: bool = len(given) == 3
        error = given_numbers(given[2] if self.known else 1.0, f"the errors of '{e!r}'")
        if error.shape not in ((), (1,), self.t.shape):
            raise ModelError(f"'{e!r}' has {error.size} errors at {self.t.size} times")
        self.error: np.ndarray = np.broadcast_to(error, self.t.shape)
        if self.t.shape != self.value.shape or self.t.ndim != 1:
            raise ModelError(f"'{e!r}' has {self.value.size} values at {self.t.size} times")
        if not (np.isfinite(self.value).all() and np.isfinite(self.t).all() and (self.error > 0).all()):
            raise ModelError(f"the data of '{e!r}' must be finite, and their errors positive")


@dataclass(frozen=True, eq=False)
class FitResult:
    """Fitted parameters, with standard errors and covariance.

    values      {parameter: value}, also by name: `values["k"]`
    errors      {parameter: standard error}; infinite where the measurements do not tell
    covariance  of the parameters, in their order
    residuals   (model − measurement)/error, one after the other
    run         with these parameters
    told        degrees of freedom: measurements less parameters

    >>> x, x0 = zm.coordinate("x"), zm.parameter("x0", 1.0)
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> run = zm.simulate(free, free.start({x: x0, zm.rate(x): 0.0}), until=1.0)
    >>> found = zm.analysis.fit(run, {x: ([0.0, 1.0], [1.9, 2.1], 0.2)}, over=[x0])
    >>> round(found.values[x0], 9), round(found.errors[x0], 9), found.told
    (2.0, 0.141421356, 1)
    """

    values: dict[Symbol, float]
    errors: dict[Symbol, float]
    covariance: np.ndarray
    residuals: np.ndarray
    run: Course
    told: int

    def __repr__(self) -> str:
        parts = [f"{p.name} = {x:.8g} ± {self.errors[p]:.2g}" for p, x in self.values.items()]
        return f"FitResult({', '.join(parts)}; {len(self.residuals)} measurements, rms residual {self.rms:.3g})"

    @property
    def rms(self) -> float:
        """Root of the mean square residual."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    def interval(self, parameter: Expression, level: float = 0.95) -> tuple[float, float]:
        """Between which values a parameter lies with some probability, as far as the model is linear nearby.

        >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
        >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
        >>> run = zm.simulate(free, free.start({x: 0.0, zm.rate(x): v}), until=1.0)
        >>> found = zm.analysis.fit(run, {x: ([1.0, 1.0], [1.9, 2.1])}, over=[v])
        >>> low, high = found.interval(v)  # the mean of two, ± 12.7 · 0.1
        >>> round(low, 4), round(high, 4)
        (0.7294, 3.2706)
        """
        from scipy.stats import t

        if not 0 < given_finite(level, "level") < 1:
            raise ModelError(f"level is {level}; it lies between 0 and 1")
        (parameter,) = parameters_by_name([parameter], self.values)
        if (parameter := _parameter(parameter)) not in self.values:
            fitted = ", ".join(p.name for p in self.values)
            raise ModelError(f"'{parameter.name}' is none of what was fitted: {fitted}")
        width = float(t.ppf(0.5 + level / 2, max(self.told, 1))) * self.errors[parameter]
        middle = self.values[parameter]
        return middle - width, middle + width


def fit(
    of: Course | System | Program,
    data: Data,
    over: Sequence[Expression],
    *,
    start: State | None = None,
    bounds: Mapping[Expression, tuple[float, float]] | None = None,
    settings: Settings | None = None,
) -> FitResult:
    """Parameter identification: least squares of measurements along a motion, with exact derivatives.

    of        a run, whose start, parameters and settings are taken as the first guess; or a system, with its `start`
    data      {expression or its name: (times, values)} or (times, values, standard errors), of reactions too
    over      parameters, or their names, in the model, in its constraints, or in the start, as in system.start({x: x0})
    bounds    {parameter: (low, high)}
    settings  tolerances of the runs, where a system is given

    Without standard errors they are taken as equal, and estimated from the residuals.

    >>> x, k, x0 = zm.coordinate("x"), zm.parameter("k", 1.0), zm.parameter("x0", 0.5)
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: x0}), until=1.0)
    >>> t = np.linspace(0.0, 2.0, 9)
    >>> found = zm.analysis.fit(run, {x: (t, np.cos(1.5 * t))}, over=[k, x0])
    >>> round(found.values[k], 8), round(found.values[x0], 8)
    (2.25, 1.0)
    """
    from scipy import optimize

    least_squares: Any = optimize.least_squares
    system, start, settings, make = _given(of, start, settings)
    own = system.system if isinstance(system, Program) else system
    known = [*own.parameters, *(start.made_of.parameters if start.made_of else ())]
    names = [_parameter(p) for p in parameters_by_name(given_all(over, object, "over", "a parameter"), known)]
    given_mapping(data, "data", "{expression: (times, values)}")
    measured = [Measured(meant(own, e), given) for e, given in data.items()]
    if any(not one.t.size for one in measured):
        raise ModelError("there are data without any times")
    if not names or not measured:
        raise ModelError("a fit needs parameters over=[…] and data {expression: (times, values)}")
    until = max(float(one.t.max()) for one in measured)
    if min(float(one.t.min()) for one in measured) < start.t:
        raise ModelError(f"there are data before the start, at t = {start.t:g} s")
    begin = {**{p: p.default for p in names}, **start.parameters}
    first = np.array([begin[p] for p in names], dtype=float)
    low, high = _bounds(names, bounds)
    for p, x, a, b in zip(names, first.tolist(), low.tolist(), high.tolist(), strict=True):
        if not a <= x <= b:
            raise ModelError(f"the fit begins with {p.name} = {x:g}, outside its bounds {a:g} … {b:g}")
    scale = np.where(first == 0.0, 1.0, np.abs(first))
    last: dict[bytes, Course] = {}

    def moved(θ: np.ndarray) -> Course:
        key = θ.tobytes()
        if key not in last:
            last.clear()
            last[key] = course(
                system, _start(system, start, dict(zip(names, θ.tolist(), strict=True))), until, settings
            )
        return last[key]

    def residuals(θ: np.ndarray) -> np.ndarray:
        try:
            run = moved(θ)
            if not run.outcome.complete:
                raise ModelError(f"it ends at t = {run.t[-1]:g} s: {run.outcome}")
        except ZeromassError as error:
            if np.array_equal(θ, first):
                words = ", ".join(f"{p.name} = {x:g}" for p, x in zip(names, θ, strict=True))
                raise ModelError(f"there is no run to begin with, with {words}: {error}") from error
            return np.full(sum(len(one.t) for one in measured), np.inf)  # a step too far: the next is shorter
        with np.errstate(over="ignore", invalid="ignore"):
            found = [(run.at(one.t)[one.expression] - one.value) / one.error for one in measured]
            wrong = [~np.isfinite(some**2) for some in found]
        for one, beyond in zip(measured, wrong, strict=True):
            if np.array_equal(θ, first) and beyond.any():
                raise ModelError(
                    f"where the fit begins, the square of what {quoted(one.expression)} differs from its measurement at "
                    f"t = {one.t[beyond][0]:g} s by, in standard errors, is no finite number"
                )
        return np.where(np.concatenate(wrong), np.inf, np.concatenate(found))

    def slopes(θ: np.ndarray) -> np.ndarray:
        return derivatives(moved(θ), measured, names)

    found = least_squares(
        residuals, first, jac=slopes, bounds=(low, high), x_scale=scale, xtol=CLOSE, ftol=ROUNDING, gtol=ROUNDING
    )
    J, r = slopes(found.x), residuals(found.x)
    covariance, errors, told = _spread(J, r, scale, all(one.known for one in measured))
    run = moved(found.x)
    return FitResult(
        ByName(zip(names, found.x.tolist(), strict=True)),
        ByName(zip(names, errors.tolist(), strict=True)),
        covariance,
        r,
        make(run),
        told,
    )


def derivatives(run: Course, measured: Sequence[Measured], over: Sequence[Symbol]) -> np.ndarray:
    """Of the residuals by the parameters, shape (measurements, parameters), from tangents carried along the run."""
    times = np.unique(np.concatenate([one.t for one in measured]))
    δy0, δp = variations(run, over)
    δy = carried(run, δy0, δp, times)
    y = run.at(times).y
    values = [run.parameters[p] for p in run.system.parameters]
    rows = []
    for one in measured:
        slopes = slopes_of(run.program, (one.expression,), run.system.parameters)
        for t, error in zip(one.t, one.error, strict=True):
            k = int(np.searchsorted(times, t))
            by_y, by_p = slopes.at_inputs(np.concatenate([[t], y[k], values])).outputs
            rows.append((by_y[0] @ δy[k] + by_p[0] @ δp) / error)
    return np.array(rows)


def _given(
    of: Course | System | Program, start: State | None, settings: Settings | None
) -> tuple[System | Program, State, Settings, Any]:
    if start is not None:
        given_kind(start, State, "the start", "what system.start(…) gives")
    if settings is not None:
        given_kind(settings, Settings, "settings", "zeromass.integrate.Settings(…)")
    if isinstance(of, Course):
        return of.system, start or of.start, settings or of.settings, lambda run: type(of)(run.segments)
    if start is None:
        raise ModelError(
            "a fit of a system needs its start: zm.analysis.fit(system, data, over=[…], start=system.start(…))"
        )
    return of, start, settings or Settings(), lambda run: run


def _start(system: System | Program, start: State, values: Mapping[Symbol, float]) -> State:
    """The start with other values of the parameters: made anew from its prescriptions, or moved onto the constraints."""
    own = system.system if isinstance(system, Program) else system
    if start.made_of is not None:
        mine = {**start.parameters, **{p: x for p, x in values.items() if p in own.parameters}}
        return start.made_of.start(own, {**mine, **{p: x for p, x in values.items() if p in start.made_of.parameters}})
    unknown = [p.name for p in values if p not in own.parameters]
    if unknown:
        raise StartError(f"'{unknown[0]}' is no parameter of the system, and the start was not made with it")
    return replace(start, parameters={**start.parameters, **values}).carried_to(own)


def _parameter(p: Expression) -> Symbol:
    if not isinstance(p, Symbol) or p.kind != "parameter":
        raise ModelError(f"a fit is over parameters made by zm.parameter, and {quoted(p)} is none")
    return p


def _bounds(
    names: Sequence[Symbol], given: Mapping[Expression, tuple[float, float]] | None
) -> tuple[np.ndarray, np.ndarray]:
    own = {} if given is None else given_parameters(given, "bounds", names)
    pairs = [
        given_numbers(own.get(p, (-np.inf, np.inf)), f"the bounds of '{p.name}'", (2,), finite=False).tolist()
        for p in names
    ]
    wrong = [p.name for p, (low, high) in zip(names, pairs, strict=True) if not low < high]
    if wrong:
        raise ModelError(f"the bounds of '{wrong[0]}' are (low, high), the lower one first")
    return np.array([low for low, _ in pairs]), np.array([high for _, high in pairs])


def _spread(J: np.ndarray, r: np.ndarray, scale: np.ndarray, known: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """Covariance s²(JᵀJ)⁻¹ of the parameters, their errors, and the degrees of freedom."""
    told = len(r) - J.shape[1]
    decision = numerical_rank(J * scale, tolerance=UNIDENTIFIED, equilibrate=False)
    s2 = 1.0 if known else float(r @ r) / told if told > 0 else np.inf
    X = scale[:, None] * decision.inverse
    covariance = X @ X.T * (1.0 if np.isinf(s2) else s2)
    errors = np.sqrt(np.diag(covariance))
    open_ = np.abs(decision.null_space).max(axis=1, initial=0.0) > np.sqrt(UNIDENTIFIED)
    return covariance, np.where(open_ | np.isinf(s2), np.inf, errors), told
