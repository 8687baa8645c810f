"""Pages that are alive where wheels lift and land: a bicycle over a hill in a real browser, its speed on a slider."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from contact.test_lifting_wheels import SPEED, bicycle
from report.test_living import ARTEFACTS, moved
from zeromass.report.viewer.living import Living, _following

SETTINGS: dict[str, Any] = {"rtol": 1e-12, "method": "dop853"}


@pytest.mark.slow
def test_a_bicycle_jumps_over_a_hill(chromium, tmp_path):
    """What each wheel does, when and where are as in Python."""
    μ = zm.parameter("mu", 0.8)
    system, start, _, _ = bicycle(μ)
    run = zm.simulate(system, start, until=0.4, **SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.PageLimited)
        path = run.view(tmp_path / "bicycle.html", sliders={SPEED: (1.5, 4.0), μ: (0.3, 1.0)})
    chromium.open(path, "paused")
    for values in ({"v": 3.5, "mu": 0.5}, {"v": 3.0, "mu": 0.8}):
        answer = moved(chromium, **values)
        there = zm.simulate(system, start.again(values), until=0.4, **SETTINGS)
        assert (answer["ending"], answer["words"]) == ("FINISHED", "")
        assert len(there.kinds) > 3
        assert [kind for _, kind in answer["kinds"]] == list(there.kinds)
        assert np.abs(np.subtract([t for t, _ in answer["kinds"][1:]], there.changes)).max() <= 1e-10
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
        assert answer["residual"] < 1e-11  # between steps, which are long in the air
    chromium.evaluate("window.viewer.seek(0.25)")
    chromium.drawn()
    assert chromium.evaluate("document.getElementById('subtitle').textContent") == "rear rolling, front lifted"
    chromium.screenshot(ARTEFACTS / "living-wheels.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


def test_what_a_page_can_not_follow_is_said():
    """Where a force switches the page ends where the wheel lifts, and says that Python goes on."""
    pull = zm.parameter("pull", 20.0)
    hoop = zm.RigidBody("hoop", 1.0, (0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.WheelOnSurface(
        zm.Ground(), hoop, zm.surfaces.plane(), radius=0.2, axis=(0, 1, 0), restitution=0.2, name="tyre"
    )
    lifted = {hoop.position[2]: pull * np.maximum(0.0, zm.t - 0.1)}
    system = zm.System([hoop], gravity=9.81, joints=[tyre], forces=lifted)
    given = [(tyre.contact[:2], (0, 0)), (hoop.velocity[0], 0.5), (hoop.angular_velocity[0::2], 0)]
    run = zm.simulate(system, system.start([*given, (hoop.quaternion[1:], 0)]), until=0.7)
    assert run.kinds == ("tyre rolling", "tyre lifted")
    with pytest.warns(zm.PageLimited, match="the page shows its first kind until that ends"):
        living = Living(run, {pull: (15.0, 25.0)})
    assert living.kinds is None
    assert _following(run, "tyre lifts")
