"""Where the functions of a piece are negative inside its steps: however few of these are opened at a time, and where Python
judges projections."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate.hybrid import piece_loop
from zeromass.integrate.hybrid.integrator import HybridIntegrator
from zeromass.integrate.hybrid.piece_loop import PieceLoop
from zeromass.integrate.stepping.roots import python_function

SHORTEST = 1e-5


@pytest.fixture
def piece(monkeypatch) -> PieceLoop:
    """A block that dry friction holds, pulled by 2 x y as a pendulum swings with |x y| ≤ 0.48."""
    x, y, u = zm.coordinates("x y u")
    v = zm.rate(np.array([x, y, u]))
    pull = {u: 2 * x * y - np.sign(v[2])}
    system = zm.System(kinetic=v @ v / 2, potential=4 * y, forces=pull, constraints={"rod": x**2 + y**2 - 1})
    made, search = [], PieceLoop.first_negative

    def noted(loop, *args):
        made.append(loop)
        return search(loop, *args)

    with monkeypatch.context() as patch:
        patch.setattr(PieceLoop, "first_negative", noted)
        patch.setattr(HybridIntegrator, "_driver", lambda *given: None)  # it searches by itself
        run = zm.simulate(system, system.start({x: 0.6, y: -0.8, u: 0.0, v[0]: 0.0, v[2]: 0.0}), until=10.0, rtol=1e-6)
    assert not run.switches
    (found,) = made
    return found


@pytest.fixture(params=[1e-14, -0.1])
def asked(request, piece) -> tuple[PieceLoop, tuple[float, float], float | None]:
    """No function is below −1e-14 of its largest value; but both come below a tenth of it, 1.96."""
    args = request.param, SHORTEST
    place = piece.first_negative(*args)
    assert (place is None) == (request.param > 0)
    return piece, args, place


def test_steps_may_be_opened_one_at_a_time(asked, monkeypatch):
    loop, args, place = asked
    monkeypatch.setattr(piece_loop, "SEARCHED", 1)
    assert loop.first_negative(*args) == place


def test_python_judges_projections_that_may_lead_too_far(asked, monkeypatch):
    """If no correction is allowed, machine code is sure of no state, and Python finds the same ones."""
    loop, args, place = asked
    called = Mock(wraps=python_function)
    monkeypatch.setattr(piece_loop, "python_function", called)
    loop.work.correction_limit = 0.0
    assert loop.first_negative(*args) == place
    called.assert_called_once()
