"""Interactive pages whose motions pass through the zero of a length: the worker of the page, in Node, ends there by name."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node, of_page

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)


@pytest.mark.parametrize("beside", ["", "maximum", "rope"])
def test_a_page_ends_where_a_spring_passes_its_anchor(beside, tmp_path):
    """From rest at s = 1 about s = 0.3 it is at the anchor when cos ωt = −0.3/0.7; beside it the page goes on."""
    k, w = zm.parameter("k", 10.0), zm.parameter("w", 0.0)
    p = zm.Particle("p", mass=1.0)
    far = [zm.Force((np.maximum(p.position[2] - 50.0, 0), 0, 0), at=p.position)] if beside == "maximum" else []
    ropes = [zm.joints.Rope(zm.Ground(), p, length=50.0, name="rope")] if beside == "rope" else []
    system = zm.System([p], gravity=0, joints=ropes, forces=[zm.Spring(k, p.position, (0, 0, 0), length=0.3), *far])
    start = system.start([(p.position, (0, 0, 1.0)), (p.velocity, (w, 0, 0))])
    run = zm.simulate(system, start, until=1.2)
    page = run.view(tmp_path / "spring.html", sliders={k: (5.0, 20.0), w: (0.0, 1.0)})
    through, softer, aside = of_page(page, [{}, {"k": 6.0}, {"w": 0.5}])
    for answer, stiffness in ((through, 10.0), (softer, 6.0)):
        assert answer["ending"] == "BEYOND"
        assert "sqrt(p.x**2 + p.y**2 + p.z**2)' passes through zero" in answer["message"]
        assert answer["t"] == pytest.approx(np.arccos(-0.3 / 0.7) / np.sqrt(stiffness), abs=1e-4)
    assert aside["ending"] == "FINISHED"


def test_a_page_ends_at_the_kink_of_an_angle(tmp_path):
    """It goes on where the angle turns back before its kink."""
    x, z, v = zm.coordinate("x"), zm.coordinate("z"), zm.parameter("v", 1.0)
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(z) ** 2) / 2, forces={z: np.arccos(np.cos(x)), x: -1.0})
    start = system.start({x: -0.4, zm.rate(x): v, z: 0.0, zm.rate(z): 0.0})
    run = zm.simulate(system, start, until=1.5)
    page = run.view(tmp_path / "angle.html", sliders={v: (0.2, 1.2)})
    passing, turning = of_page(page, [{}, {"v": 0.8}])
    assert passing["ending"] == "BEYOND"
    assert passing["t"] == pytest.approx(1.0 - np.sqrt(1.0 - 0.8), abs=1e-6)
    assert turning["ending"] == "FINISHED"
