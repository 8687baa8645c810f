"""Root loci: eigenvalues go on as the lines that they belong to."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import zeromass as zm
from zeromass.report.roots import traced


def damped():
    x, c = zm.coordinate("x"), zm.parameter("c", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -c * zm.rate(x)})
    return zm.analysis.branch(spring, spring.equilibrium(), over=(c, 0.0, 1.9))


def test_lines_do_not_jump():
    """λ = −c/2 ± i√(1 − c²/4), whatever order they come in."""
    c = np.linspace(0.0, 1.9, 40)
    both = -c / 2 + 1j * np.sqrt(1 - c**2 / 4)
    order = np.random.default_rng(0).integers(2, size=40)
    lines = traced([np.array([z, z.conj()])[[k, 1 - k]] for z, k in zip(both, order, strict=True)])
    assert np.abs(lines[:, 0].imag * np.sign(lines[0, 0].imag) - both.imag).max() < 1e-15


@pytest.mark.parametrize("kind", ["parts", "locus"])
def test_both_kinds_are_drawn_on_axes_given(kind):
    from matplotlib.figure import Figure

    mpl.use("Agg")
    ax = Figure().add_subplot()
    assert zm.plot.roots(damped(), ax, kind=kind) is ax
    λ = np.concatenate([line.get_xydata() for line in ax.lines])
    assert np.isfinite(λ[:, 0]).all()


def test_nothing_to_draw_is_said():
    x, c = zm.coordinate("x"), zm.parameter("c", 1.0)
    y = zm.coordinate("y")
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=c * x**2 + x * np.sin(y))
    steady = system.equilibrium({y: 0.0, zm.rate(y): 0.0}, constant=[x])
    branch = zm.analysis.branch(system, steady, over=(c, 0.5, 1.5), constant=[x])
    with pytest.raises(zm.errors.ModelError, match="no eigenvalues to draw"):
        zm.plot.roots(branch)


def test_lines_of_a_branch_that_turns_back_follow_it():
    """Of h³ − h + p = 0 the eigenvalues are λ² = 1 − 3h²: neighbours on the branch, not those of the next parameter."""
    from matplotlib.figure import Figure

    h, p = zm.coordinate("h"), zm.parameter("p", 0.0)
    arch = zm.System(kinetic=zm.rate(h) ** 2 / 2, potential=(h**2 - 1) ** 2 / 4 + p * h)
    branch = zm.analysis.branch(arch, arch.equilibrium(guess={h: 1.0}), over=(p, -1.0, 1.0))
    assert len(branch.special) == 2
    ax = zm.plot.roots(branch, Figure().add_subplot())
    squares = 1 - 3 * branch[h] ** 2
    assert not ax.collections  # no shade
    for line in [line for line in ax.lines if len(line.get_xdata()) == len(branch)][:2]:
        assert np.array_equal(line.get_xdata(), branch.values)
        assert np.abs(np.asarray(line.get_ydata()) ** 2 - np.maximum(squares, 0.0)).max() < 1e-6
