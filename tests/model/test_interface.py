"""What `dir` shows of an object is what its users call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import zeromass as zm
from zeromass.model.interface import interface_of

ROOT = Path(__file__).parents[2]
BODY = zm.RigidBody("body", 1.0, (1.0, 1.0, 1.0), at=(1, 0, 0))
PIN = zm.joints.Revolute(zm.Ground(), BODY, at=(0, 0, 0), axis=(0, 1, 0))
SYSTEM = zm.System([BODY], gravity=9.81, joints=[PIN])
ROLLING = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=zm.surfaces.plane(), friction=0.3)
RUN = zm.simulate(ROLLING, ROLLING.start(contact=(0, 0)), until=0.1)
SHAFT = zm.RigidBody("shaft", 1.0, (1.0, 1.0, 1.0))
OBJECTS = {
    "system": SYSTEM,
    "rolling": ROLLING,
    "run": RUN,
    "state": RUN.start,
    "body": BODY,
    "hinge": PIN,
    "slider": zm.joints.Prismatic(zm.Ground(), BODY, axis=(1, 0, 0)),
    "rope": zm.joints.Rope(zm.Ground(), BODY, at=((0, 0, 1), (0, 0, 0)), length=3.0),
    "contact": zm.Contact(BODY, zm.shapes.sphere(0.1), zm.surfaces.plane()),
    "surface": zm.surfaces.plane(),
    "contacts": zm.Contacts(zm.bodies.ball(0.1, 1.0), on=zm.surfaces.plane()),
    "sliding": zm.Sliding(zm.Particle("bead", 1.0), on=zm.surfaces.plane()),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_all_that_is_shown_is_there(name):
    one = OBJECTS[name]
    shown = [word for word in dir(one) if word[0] != "_"]
    assert shown == sorted(interface_of(type(one)))
    assert [word for word in shown if not hasattr(type(one), word) and word not in vars(one)] == []


@pytest.mark.parametrize(("name", "most"), [("system", 40), ("rolling", 75), ("run", 48), ("hinge", 24), ("body", 20)])
def test_few_enough_to_read(name, most):
    assert len(interface_of(type(OBJECTS[name]))) <= most


@pytest.mark.parametrize("name", ["system", "rolling", "run"])
def test_what_guide_and_examples_call_is_shown(name):
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guide").glob("*.md"), *(ROOT / "examples").glob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in pages]
    called = {word for text in texts for word in re.findall(rf"(?<![\w.\"/\[]){name}\.([a-z_]\w*)", text)}
    one = OBJECTS[name]
    there = {word for word in called if hasattr(type(one), word) or word in vars(one)}
    assert len(there) > 10
    assert there - {*dir(OBJECTS[name])} == set()


def test_a_hinge_shows_what_acts_along_it():
    assert {"motor", "drive", "damper", "spring", "friction", "stops", "limits", "angle", "rate"} <= {*dir(PIN)}
