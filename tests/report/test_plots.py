"""Plots show what the run holds, with units, and leave matplotlib's settings alone."""

from __future__ import annotations

import warnings

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt

import zeromass as zm
from zeromass.report.plots import KINDS, forces, path, save_figure


@pytest.fixture(scope="module")
def run():
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.surfaces.paraboloid(0.4), gravity=9.81)
    return zm.simulate(rolling, rolling.start(contact=(0.3, 0.1), velocity=(0.2, -0.3), spin=2.0), until=1.0)


@pytest.mark.parametrize(
    "kind", ["path", "path3d", "forces", "friction_ratio", "torque", "spin", "energies", "residuals"]
)
def test_each_kind_draws_labelled_axes(run, kind, tmp_path):
    before = dict(mpl.rcParams)
    ax = getattr(run.plot, kind)()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert "[" in ax.get_xlabel()
    assert ax.lines or ax.collections
    save_figure(ax, tmp_path / f"{kind}.png")
    assert (tmp_path / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_axes_in_are_axes_out(run):
    figure, ax = plt.subplots()
    assert forces(run, ax) is ax
    drawn = ax.lines[0]
    times = np.asarray(drawn.get_xdata())
    assert np.allclose(drawn.get_ydata(), run.at(times)[run.system.normal_force], rtol=1e-12)
    plt.close(figure)


def test_several_runs_share_one_figure(run):
    ax = path([run, run], labels=["one", "two"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["contact one", "contact two"]
    plt.close(ax.figure)


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_vector_formats(run, tmp_path, ending):
    save_figure(run.plot.spin(), tmp_path / f"spin.{ending}")
    assert (tmp_path / f"spin.{ending}").stat().st_size > 1000


def test_general_systems_have_coordinates_and_residuals():
    p = zm.Particle("bob", 1.0)
    system = zm.System([p], gravity=9.81, constraints={"rod": (p.position @ p.position - 1) / 2})
    run = zm.simulate(system, system.start([(p.position, (1.0, 0.0, 0.0)), (p.velocity, (0.0, 0.4, 0.0))]), until=1.0)
    assert "path" not in run.plot.available()
    assert {"coordinates", "residuals", "energies"} <= set(run.plot.available())
    ax = run.plot.coordinates(["bob.z"])
    assert len(ax.lines) == 1
    plt.close(ax.figure)
    with pytest.raises(zm.errors.ModelError, match="normal force"):
        run.plot.forces()
    with pytest.raises(AttributeError, match="path"):
        run.plot.portrait()
    plt.close("all")


@pytest.fixture(scope="module")
def slipping():
    """A ball on a slope that rolls, slips on a steeper one, and rolls again: an incline that bends twice."""
    bend = zm.Surface(lambda X, Y: -0.5 * np.exp(X) / (1 + np.exp(X)), name="bend")
    rolling = zm.Rolling(zm.bodies.ball(0.01, 0.2), on=bend, gravity=9.81, friction=0.02)
    return zm.simulate(rolling, rolling.start(contact=(-4.0, 0.0), velocity=(0.5, 0.0)), until=10.0)


@pytest.mark.parametrize("kind", ["forces", "friction_ratio", "energies", "residuals"])
def test_changes_of_the_kind_of_motion_are_marked(slipping, kind):
    assert slipping.modes == ("rolling", "slipping", "rolling")
    ax = getattr(slipping.plot, kind)()
    marks = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2 and len(set(line.get_xdata())) == 1]
    assert tuple(marks) == slipping.changes
    plt.close(ax.figure)


def test_a_constraint_has_a_residual_only_where_it_is_one(slipping):
    """A body that slips does not violate the condition that it rolls: that is none of its constraints."""
    ax = slipping.plot.residuals()
    labels = [line.get_label() for line in ax.lines]
    assert "surface" in labels
    assert "no slip" not in labels
    values = np.concatenate([line.get_ydata() for line in ax.lines if line.get_label() == "surface"])
    assert np.nanmax(values) < 1e-12  # m; the projection keeps it to rounding
    plt.close(ax.figure)


def test_a_straight_path_has_room_around_it(slipping):
    ax = slipping.plot.path()
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert high - low >= (right - left) / 4
    plt.close(ax.figure)


def test_unknown_format_is_refused(run, tmp_path):
    with pytest.raises(zm.errors.ModelError, match="bmp"):
        save_figure(run.plot.spin(), tmp_path / "spin.bmp")
    assert not list(tmp_path.iterdir())
    plt.close("all")


def test_the_film_has_its_frames(run, tmp_path):
    from PIL import Image

    film = run.movie(tmp_path / "ball.gif", fps=5, speed=0.5, size=(240, 180))
    with Image.open(film) as picture:
        assert picture.n_frames == 10
    with pytest.raises(zm.errors.ModelError, match="avi"):
        run.movie(tmp_path / "ball.avi")
    assert KINDS


def test_a_film_shows_where_things_are(tmp_path):
    """The bob of a pendulum, in its colour, is painted where the camera sees its place; progress is told to the end."""
    from PIL import Image

    from zeromass.report.film.painter import FINER, Painter
    from zeromass.report.palette import color
    from zeromass.report.viewer.pack import unpacked
    from zeromass.report.viewer.scene import scene

    bob = zm.Particle("bob", mass=1.0)
    pendulum = zm.System([bob], gravity=9.81, constraints={"rod": bob.position @ bob.position - 1})
    swing = zm.simulate(
        pendulum, pendulum.start({bob.position[0]: 0.8, bob.position[1]: 0.0}, guess={bob.position[2]: -0.6}), until=2.0
    )
    data = unpacked(scene([swing], names=[""], shapes={}, lines=(), trails=None, plots={}, fps=None))
    painter = Painter(data, (300, 200), "pendulum")
    tone = np.array([int(color("bob")[k : k + 2], 16) for k in (1, 3, 5)])
    for t in (0.0, 0.7, 1.9):
        picture = np.asarray(painter.frame(t).convert("RGB"), dtype=float)
        [place], _ = painter.camera.seen(swing.at(t)[bob.position])
        x, y = (place / FINER).round().astype(int)
        seen = picture[y, x]
        assert np.linalg.norm(seen / seen.max() - tone / tone.max()) < 0.15  # in light or shade
    told: list[float] = []
    film = swing.movie(tmp_path / "bob.webp", fps=10, size=(120, 80), progress=told.append)
    with Image.open(film) as moving:
        assert getattr(moving, "n_frames", 1) == 20
    assert told == pytest.approx(np.linspace(0.0, 2.0, 20))


def test_a_film_of_a_surface_with_triangles_that_are_lines(tmp_path):
    """A mesh of a cylinder that lies along an axis has some: they have no light of their own, and no picture fails."""
    rail = zm.Surface(lambda X, Y, Z: (Y**2 + Z**2 - 0.09) / 0.6, name="rail")
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=rail, gravity=9.81)
    run = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0, 0.3), velocity=(5.0, 0.0, 0.0)), until=1.0)
    assert run.movie(tmp_path / "rail.gif", fps=2, size=(160, 120)).stat().st_size > 500


@pytest.mark.parametrize("seed", range(3))
def test_bodies_of_a_film_turn_as_those_of_the_model(seed):
    from zeromass.report.film.figures import matrix

    body, u = zm.RigidBody("body", 1.0, (1.0, 1.0, 1.0)), np.random.default_rng(seed).normal(size=4)
    u /= np.linalg.norm(u)
    turned = zm.expression.Evaluator(body.rotation, list(body.quaternion))(u)
    assert np.abs(matrix(u) - turned).max() < 1e-14


def test_a_film_has_all_surfaces(tmp_path):
    """Two rails below two wheels: both are painted where the camera sees them."""
    from zeromass.report.film.painter import FINER, Painter
    from zeromass.report.film.tones import PAPER, rgb
    from zeromass.report.viewer.pack import unpacked
    from zeromass.report.viewer.scene import scene

    axle = zm.RigidBody("axle", 100.0, (60.0, 10.0, 60.0), at=(0, 0, 0.5))
    wheels = [
        zm.joints.WheelOnSurface(
            zm.Ground(),
            axle,
            zm.Surface(lambda X, Y, Z: (Y**2 + Z**2 - 0.04) / 0.4, shift=(0, side, -0.2), name=name),
            center=(0, side, 0),
            name=name,
            radius=0.5,
            axis=(0, 1, 0),
            two_sided=True,
        )
        for side, name in ((0.7, "left"), (-0.7, "right"))
    ]
    system = zm.System([axle], gravity=9.81, joints=wheels)
    run = zm.simulate(system, system.start({axle.position[1]: 0.0, axle.velocity[0]: 3.0}), until=1.0)
    with warnings.catch_warnings(action="ignore", category=zm.errors.SharedForce):
        data = unpacked(scene([run], names=[""], shapes={}, lines=(), trails=None, plots={}, fps=None))
    painter = Painter(data, (300, 200), "rails")
    picture = np.asarray(painter.frame(0.0).convert("RGB"), dtype=float)
    for side in (0.7, -0.7):
        [place], _ = painter.camera.seen(np.array([[2.0, side, -0.01]]))
        x, y = (place / FINER).round().astype(int)
        assert np.abs(picture[y, x] - rgb(PAPER)).max() > 20


def test_a_palette_has_one_colour_a_quantity():
    from zeromass.report.palette import QUANTITIES, SERIES, color

    assert color("normal force") == color("normal") != color("friction")
    assert color("contact") != color("centre")
    assert len(set(SERIES)) == len(SERIES)
    assert QUANTITIES["total"] == "ink"


def test_a_legend_is_no_wider_than_its_axes():
    """Its labels are long: fewer columns then, and none is cut off at the edge of the figure."""
    ax = zm.plot.axes(titles=["long words"])
    for k in range(6):
        ax.plot([0, 1], [0, k], label=f"{'a rather long name' * (k % 2)} {k}")
    zm.plot.legend(ax)
    figure = ax.figure
    figure.canvas.draw()
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    plt.close("all")


def test_no_two_coordinates_look_alike():
    parts = [zm.Particle(name, mass=1.0) for name in "abcd"]
    system = zm.System(parts, gravity=9.81)
    ax = zm.simulate(system, system.start(), until=0.1).plot.coordinates()
    looks = {(str(line.get_color()), line.get_linestyle(), str(line._dash_pattern)) for line in ax.lines}  # type: ignore[attr-defined]
    assert len(looks) == len(ax.lines) == 12
    plt.close("all")


def test_axes_of_three_dimensions_and_of_several_widths():
    left, right = zm.plot.axes(1, 2, widths=(2, 1), space=[1], titles=["plane", "space"])
    assert [ax.name for ax in (left, right)] == ["rectilinear", "3d"]
    assert [ax.get_title() for ax in (left, right)] == ["plane", "space"]
    assert left.get_subplotspec().get_gridspec().get_width_ratios() == (2, 1)
    plt.close(left.figure)


@pytest.mark.slow
def test_paths_of_several_bodies_are_those_of_their_centres():
    """A ball strikes another one; each has its line, from where it was to where it is, in the colour of the viewer."""
    pool = zm.Contacts(
        [zm.bodies.ball(0.03, 0.2, name="cue"), zm.bodies.ball(0.03, 0.2, name="red")],
        on={"cloth": zm.surfaces.plane()},
        between=True,
        friction={"cloth": 0.2, "between": 0.0},
        restitution={"cloth": 0.0, "between": 1.0},
    )
    start = pool.start(center={"cue": (0, 0, 0.03), "red": (0.2, 0.01, 0.03)}, velocity={"cue": (1.0, 0, 0)})
    run = zm.simulate(pool, start, until=0.4)
    assert {"path", "path3d"} <= set(run.plot.available())
    ax = run.plot.path()
    lines = {line.get_label(): line for line in ax.get_lines() if not str(line.get_label()).startswith("_")}
    assert list(lines) == ["cue", "red"]
    for k, (name, body) in enumerate(zip(lines, pool.bodies, strict=True)):
        assert lines[name].get_xydata()[[0, -1]] == pytest.approx(run.at([0.0, 0.4])[body.position][:, :2], abs=1e-12)
        assert lines[name].get_color() == zm.plot.color(name, k)
    plt.close(ax.figure)
    ax = run.plot.forces()
    shown = {line.get_label(): line.get_ydata() for line in ax.get_lines() if not str(line.get_label()).startswith("_")}
    assert list(shown) == [f"{name} on cloth{kind}" for name in ("cue", "red") for kind in ("", ", friction")]
    assert shown["red on cloth"] == pytest.approx(0.2 * 9.81, rel=1e-9)  # they only strike one another
    assert shown["red on cloth, friction"].max() == pytest.approx(0.2 * 0.2 * 9.81, rel=1e-6)
    plt.close(ax.figure)
    high = run.plot.coordinates()
    high.figure.draw_without_rendering()
    assert high.get_window_extent().height > 0.2 * high.get_legend().get_window_extent().height
    assert high.get_window_extent().height / high.figure.dpi > 1.0  # inches, below a legend of 21 names
    plt.close(high.figure)


def test_axes_of_long_formulas_say_what_they_are_made_of():
    """The clearance of a body on a surface has thousands of operations; written out, more than LaTeX is made of."""
    x, y = zm.coordinates("x y")
    long = x
    for _ in range(40):
        long = np.sin(long + y) * long
    spring = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=1.0)
    assert run.plot.quantity(long).get_ylabel() == "multiply(…) of x, y"
