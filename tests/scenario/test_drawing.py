"""What the viewer is asked to draw by a scenario: as in Python, and errors before anything runs."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, parse_scenario
from zeromass.scenario.scenario import STARTER, drawing_of

TEXT = """
[parameters]
L = 0.5
[system]
coordinates = ["phi"]
kinetic = "phi'**2/2"
gravity = 9.81
[system.bodies.rod]
mass = 1
inertia = [0.1, 0.1, 0.01]
[system.particles.bob]
mass = 1
[system.constraints]
turn = "phi - t"
[system.start]
"rod.z'" = 1
[run]
until = 0.3
[output]
trails = [["cos(phi)", "sin(phi)", 0], ["bob.x", "bob.y", "bob.z"]]
lines = [{ a = [0, 0, "L"], b = ["rod.x", "rod.y", "rod.z"] }]
fps = 50
[output.charts]
"Angle (rad)" = "phi"
"Height (m)" = { rod = "rod.z", bob = "bob.z" }
[[output.shapes]]
part = "rod"
kind = "cylinder"
length = "L"
radius = 0.01
axis = [1, 0, 0]
[[output.shapes]]
part = "bob"
kind = "sphere"
radius = 0.02
[[output.shapes]]
at = ["cos(phi)", 0, 0]
kind = "wheel"
radius = 0.1
width = 0.02
[[output.shapes]]
at = [0, 0, 1]
kind = "box"
size = [0.1, 0.2, "0.3*L"]
"""


def test_drawing_is_that_of_python(tmp_path):
    scenario = parse_scenario(TEXT)
    run = scenario.simulate()
    rod, bob = ({part.name: part for part in run.system.parts}[name] for name in ("rod", "bob"))
    phi = next(x for x in run.system.coordinates if x.name == "phi")
    run.view(
        tmp_path / "python.html",
        title="scenario",
        shapes={
            rod: zm.shapes.cylinder(0.01, 0.5, axis=(1.0, 0.0, 0.0)),
            bob: zm.shapes.sphere(0.02),
            (np.cos(phi), 0, 0): zm.shapes.wheel(0.1, 0.02),
            (0, 0, 1): zm.shapes.box((0.1, 0.2, 0.15)),
        },
        lines=[((0, 0, 0.5), rod.position)],
        trails=[(np.cos(phi), np.sin(phi), 0), bob.position],
        plots={"Angle (rad)": phi, "Height (m)": {"rod": rod.position[2], "bob": bob.position[2]}},
        fps=50,
    )
    run.view(tmp_path / "scenario.html", **scenario.drawing)
    assert (tmp_path / "scenario.html").read_text("utf-8") == (tmp_path / "python.html").read_text("utf-8")


def test_a_saved_run_is_drawn_in_the_same_way(tmp_path):
    text = TEXT + "[cases.other.output]\nfps = 60\n"
    scenario = parse_scenario(text, "other")
    scenario.simulate().save(tmp_path / "run.nc", certificate=False)
    run = zm.load(tmp_path / "run.nc")
    known = run.origin
    assert (known.scenario, known.case) == (text, "other")
    found = drawing_of(known.scenario, known.case, run.system)
    assert found["fps"] == 60
    ours, theirs = (
        [(getattr(place, "name", repr(place)), repr(shape)) for place, shape in shapes.items()]
        for shapes in (found["shapes"], scenario.drawing["shapes"])
    )
    assert ours == theirs
    run.view(tmp_path / "saved.html", **found)
    assert "Angle (rad)" in (tmp_path / "saved.html").read_text("utf-8")


def test_nothing_asked_for_is_the_usual():
    assert parse_scenario(TEXT[: TEXT.index("[output]")]).drawing == {"title": "scenario"}


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ('part = "rod"', 'part = "rode"', "output.shapes[0].part", "did you mean 'rod'"),
        ('part = "rod"', 'part = "phi"', "output.shapes[0].part", "there are: bob, rod"),
        ('part = "rod"', 'part = "bob"', "output.shapes[1].part", "at this place already"),
        ('part = "rod"\n', "", "output.shapes[0]", "a shape has one place"),
        ('part = "rod"', 'part = "rod"\nat = [0, 0, 0]', "output.shapes[0]", "a shape has one place"),
        ('kind = "cylinder"', 'kind = "stick"', "output.shapes[0].kind", "'stick' is none of sphere, box"),
        ('kind = "cylinder"', 'kind = "whel"', "output.shapes[0].kind", "did you mean 'wheel'"),
        ("width = 0.02", "", "output.shapes[2].width", "missing"),
        ("width = 0.02", "widht = 0.02", "output.shapes[2].widht", "did you mean 'width'"),
        ("width = 0.02", "width = -1", "output.shapes[2]", "positive"),
        ("width = 0.02", 'width = "bob.x"', "output.shapes[2].width", "not declared"),
        ("axis = [1, 0, 0]", "axis = [0, 0, 0]", "output.shapes[0]", "not all zero"),
        ("size = [0.1, 0.2,", "size = [0.1,", "output.shapes[3].size", "needs 3"),
        ('["bob.x",', '["bob.q",', "output.trails[1][0]", "did you mean 'bob."),
        ('["bob.x",', "[", "output.trails[1]", "needs 3"),
        ('b = ["rod.x"', 'b = ["rd.x"', "output.lines[0].b[0]", "did you mean 'rod.x'"),
        ("b = [", "c = [", "output.lines[0].c", "no such key"),
        ('(rad)" = "phi"', '(rad)" = "phj"', "output.charts.Angle (rad)", "did you mean 'phi'"),
        ('bob = "bob.z"', 'bob = "bob.z +"', "output.charts.Height (m).bob", "the formula ends"),
        ("fps = 50", "fps = 1e9", "output.fps", "between 0 and 1000"),
        ("fps = 50", "fps = 0", "output.fps", "between 0 and 1000"),
    ],
)
def test_errors_point_to_line_and_key(old, new, key, words):
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    error = caught.value
    assert words in error.message
    assert error.key == key
    assert error.line is not None
    nearest_names = [part.split("[")[0] for part in key.split(".")[-2:]]
    assert any(name in text.splitlines()[error.line - 1] for name in nearest_names)


def test_a_rolling_body_is_drawn_as_it_is():
    text = STARTER.read_text(encoding="utf-8")
    shape = '[[output.shapes]]\npart = "ball"\nkind = "sphere"\nradius = 1\n'
    with pytest.raises(ScenarioError, match=r"output.shapes: a rolling body is drawn as it is"):
        parse_scenario(text + shape)
    asked = parse_scenario(text.replace("viewer = true", 'viewer = true\ntrails = [["center.x", "center.y", 0]]'))
    assert list(asked.drawing) == ["title", "trails"]
