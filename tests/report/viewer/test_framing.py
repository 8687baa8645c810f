"""What moves is seen: large enough on every screen, and the camera goes along."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import ARTEFACTS, check_silent

STAGE = "[document.getElementById('stage').clientWidth, document.getElementById('stage').clientHeight]"


@pytest.mark.slow
def test_what_moves_is_large_enough_to_be_seen(chromium, page):
    """At a moment that is asked for the shell is an eighth of the view's smaller side; one key shows everything."""
    for width, height in ((1280, 800), (1024, 640), (390, 844)):
        chromium.size(width, height)
        chromium.open(page, "t=2")
        stage = chromium.evaluate(STAGE)
        assert chromium.evaluate("viewer.width") == pytest.approx(0.13 * min(stage), rel=0.05)
        assert chromium.evaluate("viewer.following") == 0
        chromium.press("0")
        assert chromium.evaluate("viewer.following") is None
        assert chromium.evaluate("viewer.width") < 0.08 * min(stage)
    chromium.size(1280, 800)


def test_it_opens_in_overview_and_then_follows(chromium, page):
    """The shell stays in the view on the way from the overview to it; who turns the view, or asks for all, keeps that."""
    chromium.open(page, "paused")
    away = "viewer.stage.camera.position.distanceTo(viewer.stage.controls.target)"
    film = "(() => {{ for (let k = 0; k < 10; k++) viewer.film({t} + 0.01 * k, 0.05); }})()"
    first = chromium.evaluate(away)
    chromium.evaluate(film.format(t=0.0))
    assert chromium.evaluate(away) == pytest.approx(first, rel=1e-12)  # no step of the way, but rounding
    assert chromium.evaluate("viewer.following") is None
    distances = []
    for k in range(1, 7):
        chromium.evaluate(film.format(t=0.1 * k))
        distances.append(chromium.evaluate(away))
        assert max(map(abs, chromium.evaluate("viewer.seen()"))) < 0.9
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(distances)), distances  # it stays there, to rounding
    assert distances[-1] < 0.5 * first
    assert chromium.evaluate("viewer.following") == 0
    chromium.open(page, "paused")
    chromium.press("0")
    for k in range(7):
        chromium.evaluate(film.format(t=0.1 * k))
    assert chromium.evaluate("viewer.following") is None


@pytest.mark.slow
def test_the_camera_goes_along(chromium, run, page):
    """While it plays, the shell stays near the middle of the view."""
    chromium.open(page, "paused")
    chromium.evaluate("(() => { for (let t = 0; t < 6; t += 0.1) viewer.film(t, 0.1); })()")
    x, y = chromium.evaluate("viewer.seen()")
    assert abs(x) < 0.3
    assert abs(y) < 0.3


@pytest.mark.parametrize("way", [(-1, -1), pytest.param((1, 1), marks=pytest.mark.slow)])
def test_a_body_is_not_behind_its_surface(chromium, tmp_path, way):
    """A ball on the side of a sphere, before it or behind: the camera is on that side, and sees its place on the sphere."""
    place = np.array([*way, 0.8]) / np.linalg.norm([*way, 0.8])
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True)
    start = ball.start(contact=tuple(place[:2]), velocity=(0.0, 0.0), guess=1.0)
    path = zm.simulate(ball, start, until=0.2).view(tmp_path / "sphere.html")
    chromium.size(640, 480)
    chromium.open(path, "paused&overview")
    looks = chromium.evaluate(
        "viewer.stage.camera.position.clone().sub(viewer.stage.controls.target).normalize().toArray()"
    )
    assert np.dot(looks, place) > 0.2
    assert looks[1] < 0 or way == (1, 1)  # from where one looks at other scenes, unless there is a reason
    chromium.size(1280, 800)


@pytest.mark.slow
def test_narrow_window(chromium, page):
    chromium.size(420, 800)
    chromium.open(page, "paused")
    assert chromium.evaluate("document.documentElement.scrollWidth") <= 420
    chromium.screenshot(ARTEFACTS / "shell-narrow.png")
    chromium.size(1280, 800)
    check_silent(chromium, page)


def test_a_wheel_stands_on_the_floor(chromium, tmp_path):
    """Far as it rolls, the floor that nothing tells of lies right below it, whichever way it has turned."""
    wheel = zm.RigidBody("wheel", mass=2.0, inertia=(0.05, 0.09, 0.05), at=(0, 0, 0.3))  # as a disc of radius 0.3 m
    rolls = zm.joints.WheelOnGround(zm.Ground(), wheel, radius=0.3, axis=(0, 1, 0))
    system = zm.System([wheel], gravity=9.81, joints=[rolls])
    run = zm.simulate(system, system.start([(wheel.angular_velocity, (0, 10.0, 0))]), until=2.0)
    chromium.open(run.view(tmp_path / "wheel.html"), "paused")
    [floor] = chromium.evaluate("viewer.stage.views[0].surfaces.map((surface) => surface.box[2][0])")
    assert -0.05 < floor <= 0.0
