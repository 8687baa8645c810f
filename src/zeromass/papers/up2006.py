"""Examples 1–3 of Udwadia & Phohomsiri 2006, each written down as in the paper: energies and constraints."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from zeromass.expression import Expression, coordinate, coordinates, parameter, rate
from zeromass.expression import acceleration as acceleration_of
from zeromass.model import State, System, join
from zeromass.papers.comparison import Case, Comparison
from zeromass.papers.table import Row, Section


@dataclass(frozen=True)
class Wheel:
    """A wheel on an incline (example 1): mass kg, radius m, moment of inertia kg m², angle rad."""

    m: float = 2.0
    R: float = 0.35
    Ic: float = 0.1
    alpha: float = 0.4
    g: float = 9.81


@dataclass(frozen=True)
class Chain:
    """Two masses on two springs (example 3): masses kg, stiffnesses N/m, lengths m."""

    m1: float = 1.5
    m2: float = 0.8
    k1: float = 40.0
    k2: float = 25.0
    l10: float = 0.3
    l20: float = 0.2
    d: float = 0.05


SAMPLE_WHEEL, SAMPLE_CHAIN = Wheel(), Chain()
LIGHT_FIRST, LIGHT_SECOND = Chain(m1=0.0), Chain(m2=0.0)


def cases() -> list[Case]:
    """All worked examples at sample parameters."""
    return [wheel(), virtual_particle(), chain(), light_first_mass(), light_second_mass()]


def section(cases: list[Case]) -> Section:
    """The printed closed forms at sample parameters, and what is computed."""
    rows = [row for case in cases for row in _rows(case)]
    return Section("UP2006", "examples 1–3, at sample parameters", tuple(rows))


def _rows(case: Case) -> list[Row]:
    """Accelerations to 12 digits, and whether the model determines them."""
    example = case.title.removeprefix("UP2006 ").split(":")[0]
    equation = case.title.split("eq. ")[-1]
    rows = [
        Row(
            f"{example}, {line.quantity}",
            line.printed if line.printed == "0" or not line.determined else f"{line.printed} = {line.expected:.9g}",
            f"{line.computed:.9g}",
            line.difference <= 1e-12,
            f"eq. {equation}" if line.determined else f"eq. {equation}; undetermined, the shortest is shown",
        )
        for line in case.comparisons
    ]
    everything = all(line.determined for line in case.comparisons)
    words = {True: "unique", False: "not unique"}
    unique = case.diagnosis.unique
    return [*rows, Row(f"{example}, motion", words[everything], words[unique], unique == everything)]


def wheel(p: Wheel = SAMPLE_WHEEL) -> Case:
    """Example 1: one degree of freedom described by the two coordinates θ and y."""
    theta, y = coordinates("theta y")
    system = System(**_wheel(_named(p), theta, y), coordinates=[theta, y])
    state = system.start({theta: 0.3, rate(theta): 1.2})
    return Case("UP2006 example 1: wheel on an incline, eq. 5.17", system, state, _wheel_lines(p, state, theta, y))


def virtual_particle(p: Wheel = SAMPLE_WHEEL) -> Case:
    """Example 2: the same wheel and a particle of mass zero at x, whose acceleration nothing determines."""
    theta, y = coordinates("theta y")
    x = coordinate("x")
    system = System(**_wheel(_named(p), theta, y), coordinates=[theta, y, x])
    state = system.start({theta: 0.3, rate(theta): 1.2, x: 0.7, rate(x): -0.1})
    lines = _wheel_lines(p, state, theta, y)
    shortest = float(state.motion.acceleration[system.index(x)])
    lines.append(Comparison("ẍ, shortest", "0 + η, η arbitrary", 0.0, shortest, determined=False))
    return Case("UP2006 example 2: with a virtual particle, eq. 5.23", system, state, lines)


def chain(p: Chain = SAMPLE_CHAIN) -> Case:
    """Example 3, case 5.1: two sub-systems joined by the constraint q1 = x1 + d."""
    x1, q1, q2, system = _chain(_named(p))
    state = system.start({x1: 0.37, q2: 0.14, rate(x1): 0.6, rate(q2): -0.2})
    a, b = state[x1] - p.l10, state[q2] - p.l20
    first = (-p.k1 * a + p.k2 * b) / p.m1
    closed = {
        x1: (first, "(−k₁x̄₁ + k₂q̄₂)/m₁"),
        q1: (first, "(−k₁x̄₁ + k₂q̄₂)/m₁"),
        q2: (-first - p.k2 * b / p.m2, "−(−k₁x̄₁ + k₂q̄₂)/m₁ − k₂q̄₂/m₂"),
    }
    return Case("UP2006 example 3, case 5.1: m₁, m₂ > 0, eq. 5.39", system, state, _lines(state, closed))


def light_first_mass(p: Chain = LIGHT_FIRST) -> Case:
    """Example 3, case 5.2: m₁ = 0 needs the constraint k₁x̄₁ = k₂q̄₂ (eq. 5.40)."""
    s = _named(p)
    x1, q1, q2, system = _chain(s)
    system = system.with_constraints({"balance at m1": s.k1 * (x1 - s.l10) - s.k2 * (q2 - s.l20)})
    state = system.start({q2: 0.14, rate(q2): -0.2})
    stretch = (state[x1] - p.l10 + state[q2] - p.l20) / (p.m2 * (p.k1 + p.k2) ** 2)
    closed = {
        x1: (-p.k1 * p.k2**2 * stretch, "−k₁k₂²(x̄₁ + q̄₂)/(m₂(k₁ + k₂)²)"),
        q1: (-p.k1 * p.k2**2 * stretch, "−k₁k₂²(x̄₁ + q̄₂)/(m₂(k₁ + k₂)²)"),
        q2: (-(p.k1**2) * p.k2 * stretch, "−k₁²k₂(x̄₁ + q̄₂)/(m₂(k₁ + k₂)²)"),
    }
    return Case("UP2006 example 3, case 5.2: m₁ = 0, eq. 5.47", system, state, _lines(state, closed))


def light_second_mass(p: Chain = LIGHT_SECOND) -> Case:
    """Example 3, case 5.3: m₂ = 0 needs the constraint k₂q̄₂ = 0 (eq. 5.49)."""
    s = _named(p)
    x1, q1, q2, system = _chain(s)
    system = system.with_constraints({"no force in k2": s.k2 * (q2 - s.l20)})
    state = system.start({x1: 0.37, rate(x1): 0.6})
    first = -p.k1 * (state[x1] - p.l10) / p.m1
    closed = {x1: (first, "−k₁x̄₁/m₁"), q1: (first, "−k₁x̄₁/m₁"), q2: (0.0, "0")}
    return Case("UP2006 example 3, case 5.3: m₂ = 0, eq. 5.56", system, state, _lines(state, closed))


def _wheel(s: SimpleNamespace, theta: Expression, y: Expression) -> dict[str, Any]:
    """Energies (5.1), (5.2) and the rolling constraint (5.8)."""
    return {
        "kinetic": s.m * (s.R * rate(theta)) ** 2 / 2 + s.Ic * rate(theta) ** 2 / 2,
        "potential": -s.m * s.g * y,
        "constraints": {"rolling": y - s.R * theta * np.sin(s.alpha)},
    }


def _wheel_lines(p: Wheel, state: State, theta: Expression, y: Expression) -> list[Comparison]:
    first = p.m * p.g * p.R * math.sin(p.alpha) / (p.m * p.R**2 + p.Ic)
    closed = {
        theta: (first, "mgR sin α/(mR² + I_c)"),
        y: (first * p.R * math.sin(p.alpha), "mgR² sin² α/(mR² + I_c)"),
    }
    return _lines(state, closed)


def _chain(s: SimpleNamespace) -> tuple[Expression, Expression, Expression, System]:
    """The two sub-systems of figure 3 with energies (5.24), (5.25), joined by q1 = x1 + d."""
    x1 = coordinate("x1")
    q1, q2 = coordinates("q1 q2")
    first = System(kinetic=s.m1 * rate(x1) ** 2 / 2, potential=s.k1 * (x1 - s.l10) ** 2 / 2)
    second = System(
        kinetic=s.m2 * (rate(q1) + rate(q2)) ** 2 / 2,
        potential=s.k2 * (q2 - s.l20) ** 2 / 2,
        coordinates=[q1, q2],
    )
    return x1, q1, q2, join(first, second, constraints={"connection": x1 + s.d - q1})


def _named(p: Wheel | Chain) -> SimpleNamespace:
    """The parameters as symbols with these values: the equations keep their names, as in the scenario files."""
    return SimpleNamespace(**{name: parameter(name, value) for name, value in asdict(p).items()})


def _lines(state: State, closed: dict[Expression, tuple[float, str]]) -> list[Comparison]:
    return [
        Comparison(f"{q!r}¨", printed, expected, state[acceleration_of(q)]) for q, (expected, printed) in closed.items()
    ]
