"""The page of a derivation says what the system is: its formulas have the system's values, and nothing is missing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import zeromass as zm
from zeromass.model.derivation import Derivation


def double_pendulum() -> zm.System:
    a, b = zm.coordinates("theta_1 theta_2")
    m1, m2, l1, l2, g = (zm.parameter(name, 1.0) for name in ["m_1", "m_2", "l_1", "l_2", "g"])
    upper = np.array([l1 * np.sin(a), -l1 * np.cos(a)])
    lower = upper + np.array([l2 * np.sin(b), -l2 * np.cos(b)])
    v, w = zm.rate(upper), zm.rate(lower)
    return zm.System(kinetic=m1 * v @ v / 2 + m2 * w @ w / 2, potential=g * (m1 * upper[1] + m2 * lower[1]))


def pendulum() -> zm.System:
    bob = zm.Particle("bob", mass=0.5)
    r2 = bob.position @ bob.position
    return zm.System([bob], gravity=9.81, constraints={"string": (r2 - 1) / 2, "the same again": r2 - 1})


def rolling() -> zm.System:
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    return zm.Rolling(
        zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490)), on=bowl, gravity=9.81
    )


def with_friction() -> zm.System:
    block = zm.Particle("block", mass=2.0)
    return zm.System(
        [block],
        gravity=9.81,
        constraints={"table": block.position[2]},
        nonideal={block.position[0]: -3.0 * zm.rate(block.position[0])},
    )


SYSTEMS = {"double": double_pendulum, "pendulum": pendulum, "rolling": rolling, "friction": with_friction}


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_written_has_the_values_of_the_system(name):
    """At random states: M, Q, A, b and C of the page against the numbers of the system."""
    system = SYSTEMS[name]()
    page = Derivation(system, None, None)
    rng = np.random.default_rng(0)
    for _ in range(5):
        inputs = rng.uniform(0.3, 1.2, len(system.inputs))
        expected = system.matrices(inputs)
        for block in ("M", "Q", "A", "b", "C"):
            if block in page._blocks:
                flat = [page._board.expression(a) for a in page._blocks[block].ravel()]
                found = zm.expression.evaluate(flat, dict(zip(system.inputs, inputs, strict=True)))
                assert np.allclose(np.asarray(found), getattr(expected, block).ravel(), rtol=1e-11, atol=1e-12), block


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_page_is_well_formed(name):
    words = zm.export.latex(SYSTEMS[name]())
    assert words.count(r"\left") == words.count(r"\right")
    assert words.count("{") - words.count(r"\{") == words.count("}") - words.count(r"\}")
    assert re.findall(r"\\begin\{(\w+)\}", words).count("aligned") == 1
    assert sorted(re.findall(r"\\begin\{(\w+)\}", words)) == sorted(re.findall(r"\\end\{(\w+)\}", words))
    for heading in ("Coordinates", "Kinetic energy", "Potential energy", "Equations", "Mass", "Force", "Motion"):
        assert rf"\textbf{{{heading}}}" in words


def test_the_double_pendulum_as_in_a_textbook():
    """[Goldstein, Poole, Safko, Classical Mechanics, ch. 1]: T, V and M by hand."""
    words = zm.export.latex(double_pendulum())
    assert (
        r"T = \frac{1}{2} \, l_{1}^{2} \, \left(m_{1} + m_{2}\right) \, \dot{\theta}_{1}^{2} + "
        r"m_{2} \, l_{1} \, l_{2} \, \dot{\theta}_{1} \, \dot{\theta}_{2} \, \cos\left(\theta_{1} - \theta_{2}\right) + "
        r"\frac{1}{2} \, m_{2} \, l_{2}^{2} \, \dot{\theta}_{2}^{2}"
    ) in words
    assert r"l_{1}^{2} \, \left(m_{1} + m_{2}\right) & m_{2} \, l_{1} \, l_{2} \, \cos" in words
    assert r"\operatorname{rank} M = 2 = n: \quad \text{the motion is unique}" in words


def test_constraints_multipliers_and_what_is_redundant():
    words = pendulum().latex()
    assert r"\mathrm{string}\colon \quad" in words
    assert r"\lambda_{\mathrm{string}} & \lambda_{\mathrm{the\ same\ again}}" in words
    assert r"\mathrm{the\ same\ again} \text{ follows from } \mathrm{string}" in words


def test_friction_stands_on_the_page():
    words = with_friction().latex()
    assert "+ C" in words
    assert r"-3 \, \dot{x}_{\mathrm{block}}" in words


def test_a_motion_that_is_not_determined_is_not_called_unique():
    ghost = zm.Particle("ghost", mass=0)
    words = zm.System([zm.Particle("bob", mass=1.0), ghost]).latex()
    assert "the motion is unique" not in words
    assert r"\operatorname{rank} M = 3, \quad n = 6" in words


def test_parts_of_long_formulas_have_names_that_no_symbol_has():
    words = rolling().latex()
    named = re.findall(r"&& (\w)_\{1\} = ", words)
    assert named == ["s"]
    assert "(numbers rounded to 6 digits)" in words
    assert max(map(len, words.split("\\\\"))) < 1200


def test_a_system_given_by_its_lagrangian_has_its_energy():
    x = zm.coordinate("x")
    words = zm.System(lagrangian=zm.rate(x) ** 2 / 2 - x**2 / 2).latex()
    assert r"\textbf{Energy} && E = " in words
    assert "T =" not in words


def test_a_block_that_nobody_would_read_is_counted():
    x = zm.coordinate("x")
    f = x
    for k in range(5000):
        f = np.sin(f) + k * x
    words = zm.System(M=[[1.0]], Q=[f], coordinates=[x]).latex()
    assert re.search(r"Q: \\quad \\text\{\d+ operations, too many to read", words)
