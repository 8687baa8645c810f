"""A thin disc that rolls on a plane against rolling resistance, by Newton and Euler: the oracle of these tests.

In axes e₁ along the tangent of the rim at the contact, e₂ from the contact to the centre, e₃ along that of the disc, with
the inclination α of its plane to the ground, ẑ = sin α e₂ + cos α e₃ and ω₁ = α̇:

    Ω = (ω₁, ω₂, ω₂ cot α)                  of the axes
    v = ω × a e₂ = a (−ω₃, 0, ω₁)           of the centre
    F = m (v̇ + Ω × v + g ẑ)                 Newton
    J ω̇ + Ω × J ω = −a e₂ × F + τ           Euler,   J = m a² (¼, ¼, ½)
    τ = −ρ N ω_t/|ω_t|,   N = F·ẑ,   ω_t = ω − (ω·ẑ) ẑ
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

a, m, g = 0.05, 0.1, 9.81
J = m * a**2 * np.array([0.25, 0.25, 0.5])
UP = a * np.array([0.0, 1.0, 0.0])


def slope(y: np.ndarray, ρ: float) -> np.ndarray:
    """Rates of α, ω₁, ω₂, ω₃."""
    α, ω = y[0], y[1:]
    z = np.array([0.0, np.sin(α), np.cos(α)])
    Ω = np.array([ω[0], ω[1], ω[1] / np.tan(α)])
    along = ω - (ω @ z) * z
    against = -ρ * along / np.linalg.norm(along)

    def left(ω_dot: np.ndarray) -> np.ndarray:
        """What is left of Euler's equations."""
        F = m * (np.cross(ω_dot, UP) + np.cross(Ω, np.cross(ω, UP)) + g * z)
        return J * ω_dot + np.cross(Ω, J * ω) + np.cross(UP, F) - (F @ z) * against

    rest = left(np.zeros(3))
    A = np.stack([left(e) - rest for e in np.eye(3)], axis=1)
    return np.array([ω[0], *np.linalg.solve(A, -rest)])


def spun(start: np.ndarray, ρ: float, times: np.ndarray) -> np.ndarray:
    """α, ω₁, ω₂, ω₃ at some times, shape (times, 4)."""
    done = solve_ivp(
        lambda t, y: slope(y, ρ), (0.0, times[-1]), start, t_eval=times, method="DOP853", rtol=1e-12, atol=1e-13
    )
    return done.y.T
