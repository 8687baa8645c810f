"""Stănescu: a particle without friction on a sphere that moves to and fro, and its planar case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from zeromass.expression import Expression, coordinate, evaluate, parameter, rate, t
from zeromass.model import Event, Particle, System
from zeromass.papers.table import Row, Section, below
from zeromass.papers.whole import whole
from zeromass.run import Run, simulate

TITLE = "particle on a moving sphere, 2 s"
MASS, RADIUS, OMEGA, GRAVITY = 1.0, 1.0, 2.0, 9.81
"""kg, m, rad/s, m/s²; the paper has letters only."""

UNTIL, RTOL, ATOL = 2.0, 1e-13, 1e-16


@dataclass(frozen=True)
class Start:
    """Amplitude a of the sphere's motion, m, place, m, and velocity, m/s, of the particle."""

    a: float
    position: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)


CASES = {
    "general": Start(0.3, (0.3 + 2 / 3, 1 / 3, -2 / 3), (1.0, 2.0, 2.0)),
    "planar": Start(RADIUS, (RADIUS, 0.0, RADIUS)),  # X₀ = R, not 0 as printed
}


@dataclass(frozen=True)
class Sphere:
    """The particle, the amplitude as a parameter, f of eq. 34, and the system with, or with (46) in place of, it."""

    particle: Particle
    a: Expression
    f: Expression
    system: System


@cache
def sphere() -> Sphere:
    """The particle held to the sphere by one constraint, f = 0."""
    particle, a, f = _parts()
    system = System([particle], gravity=GRAVITY, constraints={"sphere": f})
    return Sphere(particle, a, f, system)


@cache
def printed_sphere() -> Sphere:
    """The particle driven by the multiplier of (46) with its printed signs, and held by nothing."""
    particle, a, f = _parts()
    (X, _, Z), (dX, dY, dZ) = particle.position, particle.velocity
    c, s, w = np.cos(OMEGA * t), np.sin(OMEGA * t), OMEGA
    rate_of_C = 2 * (dX + a * w * s) * a * w * s + 2 * (X - a * c) * a * w**2 * c  # 45
    λ = MASS / (4 * RADIUS**2) * (rate_of_C - 2 * dX * (dX + a * w * s) - 2 * dY**2 - 2 * dZ**2 + 2 * GRAVITY * Z)
    B = 2 * (particle.position - np.array([a * c, 0, 0]))  # 35
    forces = dict(zip(particle.position, λ * B, strict=True))
    return Sphere(particle, a, f, System([particle], gravity=GRAVITY, forces=forces))


def _parts() -> tuple[Particle, Expression, Expression]:
    particle, a = Particle("particle", mass=MASS), parameter("a", RADIUS)
    X, Y, Z = particle.position
    return particle, a, (X - a * np.cos(OMEGA * t)) ** 2 + Y**2 + Z**2 - RADIUS**2  # 34


def run(name: str, *, on: Sphere | None = None, until: float = UNTIL) -> Run:
    """One case; the run lists the times at which the sphere changes between push and pull."""
    on, case = on or sphere(), CASES[name]
    given = [(on.particle.position, case.position), (on.particle.velocity, case.velocity)]
    start = on.system.start(given, parameters={on.a: case.a})
    turn = [Event("push and pull change", λ, direction=0, terminal=False) for λ in on.system.multipliers]
    return whole(simulate(on.system, start, until=until, rtol=RTOL, atol=ATOL, events=turn))


def runs() -> dict[str, Run]:
    """Both cases, and the general one with the multiplier as printed."""
    return {**{name: run(name) for name in CASES}, "printed signs": run("general", on=printed_sphere())}


def section(runs: dict[str, Run]) -> Section:
    """What the paper prints of them, and what is computed."""
    return Section("Stanescu", TITLE, (*_start(), *_multiplier(runs), *_planar(runs["planar"])))


def _start() -> list[Row]:
    found = sphere()
    values = {found.a: RADIUS, t: 0.0}
    f = [_value(found, {**values, **dict(zip(found.particle.position, X, strict=True))}) for X in _starts()]
    printed, meant = ("0" if value == 0 else f"{value / RADIUS**2:g} R²" for value in f)
    return [
        Row("f at the printed start (0, 0, R), a = R", "0", printed, False, "the particle is not on the sphere"),
        Row("f at the start (R, 0, R), a = R", "0", meant, f[1] == 0, "the start that eqs. 52–54 mean"),
    ]


def _starts() -> tuple[tuple[float, float, float], ...]:
    return (0.0, 0.0, RADIUS), (RADIUS, 0.0, RADIUS)


def _value(found: Sphere, values: dict[Expression, float]) -> float:
    return evaluate(found.f, values)


def _multiplier(runs: dict[str, Run]) -> list[Row]:
    general, wrong = runs["general"], runs["printed signs"]
    times = [0.5, 1.0, 2.0]
    off = wrong.at(times)[printed_sphere().f]
    kept = float(np.abs(general[sphere().f]).max())
    λ = general[general.system.multipliers[0]]
    corrected, routes = _formulas(general)
    closed = float(np.abs(λ - corrected).max() / np.abs(λ).max())
    same = float(np.abs(routes[0] - routes[1]).max() / np.abs(λ).max())
    end = general.at(UNTIL)
    place = end[sphere().particle.position][0]
    return [
        Row(
            "f along a run with λ of (46)",
            "0",
            " ".join(f"{value:.3f}" for value in off) + " m²",
            False,
            "at 0.5, 1 and 2 s; both signs of (45) are wrong",
        ),
        Row("f along the run from the constraint", "0", f"{below(kept, 1e-13)} m²", kept < 1e-13),
        Row("λ against (46) with both signs changed", "equal", f"to {below(closed, 1e-12)}", closed < 1e-12),
        Row("multipliers of (28) and (33)", "equal", f"to {below(same, 1e-12)}", same < 1e-12, "because m is a number"),
        Row(
            "place at 2 s, general case",
            "not printed",
            "(" + ", ".join(f"{x:.9f}" for x in place) + ") m",
            None,
            "a = 0.3 R, see the text",
        ),
    ]


def _formulas(run: Run) -> tuple[np.ndarray, list[np.ndarray]]:
    """λ of (46) with the signs of docs/errata.md, and those of (28) and (33), along a run."""
    particle, a = sphere().particle, run.parameters[sphere().a]  # pyright: ignore[reportArgumentType]
    (X, _, Z), (dX, dY, dZ) = run[particle.position].T, run[particle.velocity].T
    c, s, w = np.cos(OMEGA * run.t), np.sin(OMEGA * run.t), OMEGA
    rate_of_C = -2 * (dX + a * w * s) * a * w * s - 2 * (X - a * c) * a * w**2 * c
    bent = rate_of_C - 2 * dX * (dX + a * w * s) - 2 * dY**2 - 2 * dZ**2  # Ċ − Ḃq̇
    B = 2 * (run[particle.position] - np.stack([a * c, 0 * c, 0 * c], axis=1))
    free = np.array([0.0, 0.0, -GRAVITY])
    first = (bent - B @ free) * MASS / np.einsum("ti,ti->t", B, B)
    second = np.array(
        [
            (np.linalg.pinv(row[:, None] / MASS) @ (np.linalg.pinv(row[None])[:, 0] * b - free))[0]
            for row, b in zip(B, bent, strict=True)
        ]
    )
    return MASS / (4 * RADIUS**2) * (bent + 2 * GRAVITY * Z), [first, second]


def _planar(run: Run) -> list[Row]:
    across = float(np.abs(run[sphere().particle.position[1]]).max())
    angle = _one_coordinate()
    ours = run.at(angle.t)[sphere().particle.position]
    θ = angle.y[:, 0]
    theirs = np.stack([RADIUS * (np.cos(OMEGA * angle.t) + np.sin(θ)), 0 * θ, RADIUS * np.cos(θ)], axis=1)
    gap = float(np.abs(ours - theirs).max())
    leaves, returns = (event.t for event in run.events[:2])
    return [
        Row("Y of the planar case", "0", below(across, 1e-14) if across else "0", across < 1e-14),
        Row(
            "planar case against one equation for an angle",
            "solvable by elementary methods",
            f"equal to {below(gap, 1e-10)} m",
            gap < 1e-10,
        ),
        Row(
            "planar case, the sphere pulls",
            "two-sided",
            f"from {leaves:.6f} to {returns:.6f} s",
            None,
            "a particle that lies on the sphere would leave it",
        ),
    ]


def _one_coordinate() -> Run:
    """The planar case with the angle from the vertical as its only coordinate."""
    θ: Any = coordinate("theta")
    X, Z = RADIUS * (np.cos(OMEGA * t) + np.sin(θ)), RADIUS * np.cos(θ)
    kinetic = MASS / 2 * (rate(X) ** 2 + rate(Z) ** 2)
    system = System(kinetic=kinetic, potential=MASS * GRAVITY * Z)
    return whole(simulate(system, system.start({θ: 0.0, rate(θ): 0.0}), until=UNTIL, rtol=RTOL, atol=ATOL))
