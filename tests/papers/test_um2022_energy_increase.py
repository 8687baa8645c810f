"""The printed increases of energy of UM2022, example 2 over 1, and the slope and height of a surface that would give them.

They depend on the start alone: the body, the velocity, and slope and height of the surface at the contact. The formulas here
are written without the library's systems.
"""

from __future__ import annotations

import numpy as np
import pytest

from zeromass.contact import surfaces, two_material_shell
from zeromass.model.quaternion import rotation
from zeromass.papers import um2022

SHELL = two_material_shell(*um2022.RADII, um2022.DENSITIES)
MASS, RADIUS = float(SHELL.mass), float(SHELL.radius)
J, RHO = np.diag(np.array(SHELL.inertia, dtype=float)), np.array(SHELL.center_of_mass, dtype=float)
SPIN = 3 * np.pi


def energies(case: str, slope: np.ndarray, spin: float) -> float:
    """Energy, J, of the shell that rolls on a surface of a slope (∂Z/∂X, ∂Z/∂Y) at the contact, whose height is 0."""
    n = np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1 + slope @ slope)
    u = um2022.ORIENTATIONS[case]
    S = rotation(np.array([1 + n[0], 0, -n[2], n[1]]) / np.sqrt(2 * (1 + n[0])) if isinstance(u, str) else np.array(u))
    v = np.array([*um2022.VELOCITY, slope @ um2022.VELOCITY])
    ω = np.cross(n, v) / RADIUS + spin * n
    ρ, ω_body = S @ RHO, S.T @ ω
    v_C = v + np.cross(ω, ρ)
    return float(MASS * v_C @ v_C / 2 + ω_body @ J @ ω_body / 2 + MASS * um2022.GRAVITY * (RADIUS * n[2] + ρ[2]))


def increase(case: str, slope: np.ndarray, height: float) -> float:
    """100 (E₂ − E₁)/E₁, %."""
    first, second = (energies(case, slope, spin) + MASS * um2022.GRAVITY * height for spin in (0.0, SPIN))
    return 100 * (second / first - 1)


def heights(slope: np.ndarray) -> tuple[float, float]:
    """Lowest and highest contact, m, from which all four printed increases follow; lowest above highest if there is none.

    E₂ − E₁ does not depend on the height, and E₁ is linear in it.
    """
    low, high = -np.inf, np.inf
    for case, printed in um2022.PRINTED_INCREASE.items():
        first, second = (energies(case, slope, spin) for spin in (0.0, SPIN))
        ends = [
            (100 * (second - first) / (float(printed) + e) - first) / (MASS * um2022.GRAVITY) for e in (0.05, -0.05)
        ]
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


def data() -> tuple[np.ndarray, float]:
    """Slope, by central differences, and height of the surface (57) at the printed contact."""
    bowl, h = surfaces.dimpled_bowl(), 1e-6
    X, Y = um2022.CONTACT
    along = [
        (bowl.height(np.array(X + a), np.array(Y + b)) - bowl.height(np.array(X - a), np.array(Y - b))) / (2 * h)
        for a, b in ((h, 0.0), (0.0, h))
    ]
    return np.array(along, dtype=float), float(bowl.height(np.array(X), np.array(Y)))


def test_the_data_give_what_the_runs_give():
    slope, height = data()
    assert slope == pytest.approx((-0.1106, -0.1571), abs=5e-5)  # as in the errata
    assert height == pytest.approx(0.0910, abs=5e-5)
    for case, value in {"A": 3.536, "B": 5.330, "C": 5.005, "D": 5.178}.items():
        assert increase(case, slope, height) == pytest.approx(value, abs=5e-4)


def test_no_height_gives_the_printed_increases_with_the_slope_of_the_data_or_one_nearby():
    slope, _ = data()
    for distance in np.linspace(0, 0.037, 20):
        for angle in np.linspace(0, 2 * np.pi, 72, endpoint=False):
            low, high = heights(slope + distance * np.array([np.cos(angle), np.sin(angle)]))
            assert low > high


def test_another_slope_and_height_give_them():
    for case, printed in um2022.PRINTED_INCREASE.items():
        assert f"{increase(case, np.array([-0.0825, -0.1825]), 0.089):.1f}" == printed
