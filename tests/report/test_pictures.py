"""Plots as pictures: one colour a quantity, legends off the curves, noise as noise, units apart, true aspects."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb

import zeromass as zm
from zeromass.report import color, plots
from zeromass.report.axes import typeset
from zeromass.report.portraits import crossings
from zeromass.report.scales import units


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run():
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.surfaces.paraboloid(0.4), gravity=9.81)
    return zm.simulate(rolling, rolling.start(contact=(0.3, 0.1), velocity=(0.2, -0.3), spin=2.0), until=1.0)


@pytest.fixture(scope="module")
def shaken():
    """A ball in a trough that is shaken: the trough does work on it."""
    trough = zm.Surface(lambda X, Y: 2 * X**2, shift=(0.1 * np.sin(3 * zm.t), 0, 0), name="trough")
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=trough, gravity=9.81)
    return zm.simulate(rolling, rolling.start(contact=(0.1, 0.0), velocity=(0.1, 0.2)), until=3.0)


@pytest.fixture(scope="module")
def swing():
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    return x, zm.simulate(system, system.start({x: 1.0}), until=40.0)


def _has(found, wanted):
    """Whether a colour, or one hardly different, is among others."""
    r, g, b = (255 * part for part in to_rgb(wanted))
    return any(max(abs(r - R), abs(g - G), abs(b - B)) < 24 for R, G, B in found)


def colors_of(ax):
    return {line.get_label(): line.get_color() for line in ax.lines}


def test_a_quantity_has_one_colour_in_every_picture(run):
    flat, space = colors_of(run.plot.path()), colors_of(run.plot.path3d())
    for name in ("contact", "centre"):
        assert flat[name] == space[name] == color(name)
    found = colors_of(run.plot.forces())
    assert found["normal"] == color("normal")
    assert found["friction"] == color("friction")
    assert found["normal"] != found["friction"]
    (line,) = [line for line in run.plot.friction_ratio().lines if len(line.get_xdata()) > 2]
    assert line.get_color() == found["friction"]


def test_several_runs_have_lines_of_their_own_and_the_colours_of_the_quantities(run):
    ax = plots.forces([run, run], labels=["one", "two"])
    found = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert found["normal one"][0] == found["normal two"][0] == color("normal")
    assert found["normal one"][1] != found["normal two"][1]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_a_picture_can_be_told_apart_without_red_and_green(theme):
    """Simulated for deuteranopes by the matrix of Viénot, Brettel and Mollon (1999), in linear light."""
    seen = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])

    def simulated(name):
        rgb = np.array(to_rgb(color(name, theme=theme)))
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return np.cbrt(np.clip(seen @ linear, 0, 1))

    for together in (("contact", "centre"), ("normal", "friction"), ("kinetic", "potential", "energy")):
        for i, a in enumerate(together):
            for b in together[:i]:
                assert np.abs(simulated(a) - simulated(b)).max() > 0.1, (a, b)


@pytest.mark.parametrize("kind", ["path", "forces", "energies", "residuals", "coordinates", "torque", "balance"])
def test_legends_hide_no_curve(run, kind):
    ax = getattr(run.plot, kind)()
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1 - 1  # a pixel
    title = ax.title.get_window_extent()
    assert title.y0 >= legend.get_window_extent().y1 - 4  # it stands above the legend, whose frame has some air
    assert ax.get_title()


def test_noise_is_drawn_as_noise(run):
    """A ball that rolls needs no torque at its contact: what is left of it, 1e-17 N m, does not fill the picture."""
    ax = run.plot.torque()
    values = np.concatenate([np.asarray(line.get_ydata()) for line in ax.lines])
    low, high = ax.get_ylim()
    scale = run[run.system.normal_force].max() * 0.05  # a normal force at the lever of the radius
    assert np.abs(values).max() < 1e-12 * scale
    assert high - low > 1e-2 * scale
    assert any("zero but for errors" in text.get_text() for text in ax.texts)


def test_a_constant_quantity_is_a_level_line(swing):
    _, run = swing
    ax = run.plot.quantity(run.system.energy, label="energy [J]")
    low, high = ax.get_ylim()
    assert high - low > 1e-2 * 0.5
    assert any("constant but for errors" in text.get_text() for text in ax.texts)


def test_what_changes_is_not_levelled(run):
    assert not run.plot.spin().texts
    assert not run.plot.friction_ratio().texts


@pytest.fixture(scope="module")
def rolling_on():
    """A ball that rolls straight on a level plane: without friction, torque and spin."""
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.surfaces.plane(), gravity=9.81)
    return zm.simulate(rolling, rolling.start(contact=(0, 0), velocity=(1.0, 0.0)), until=1.0)


def test_friction_that_is_not_needed_is_none(rolling_on):
    """A pure number is large beside 1: what rounding leaves of |F_t|/F_n is no curve."""
    ax = rolling_on.plot.friction_ratio()
    low, high = ax.get_ylim()
    assert high - low > 1e-2
    assert any("zero" in text.get_text() for text in ax.texts)


def test_a_figure_is_as_high_as_the_path_in_it(rolling_on, run):
    wide, tall = rolling_on.plot.path().figure.get_size_inches()
    assert tall < 0.55 * wide  # four times as long as wide, with title, legend and labels
    assert run.plot.path().figure.get_size_inches()[1] > 0.55 * wide


def test_ticks_of_a_narrow_picture_in_space_stay_apart(rolling_on):
    ax = rolling_on.plot.path3d()
    ends = (ax.get_xlim(), ax.get_ylim())
    ticks = [axis.get_majorticklocs() for axis in (ax.xaxis, ax.yaxis)]
    along, across = (
        sum(low <= place <= high for place in places) for (low, high), places in zip(ends, ticks, strict=True)
    )
    assert across <= 4 < along


def test_noise_of_many_steps_is_as_high_as_its_largest(shaken, monkeypatch):
    """The curve of a constraint has few places, and none of its values is lost above it."""
    monkeypatch.setattr(plots, "BINS", 20)
    ax = shaken.plot.residuals()
    (line,) = [line for line in ax.lines if line.get_label() == "no slip"]
    rows = [row.zero for row in shaken.system.rows if row.group == "no slip"]
    assert len(np.asarray(line.get_ydata())) <= plots.BINS + 1
    assert np.asarray(line.get_ydata()).max() == np.abs(shaken[np.array(rows)]).max()
    assert any("largest of every" in text.get_text() for text in ax.texts)


def test_of_a_driven_system_the_balance_is_shown_beside_residuals(shaken):
    energy = shaken[shaken.system.energy]
    assert np.ptp(energy) > 0.05 * np.abs(energy).max()  # it is driven
    ax = shaken.plot.residuals()
    (line,) = [line for line in ax.lines if line.get_label() == "energy and work, relative"]
    assert np.max(line.get_ydata()) < 1e-8
    found = shaken.work()
    lines = {line.get_label(): line for line in shaken.plot.balance().lines}
    assert np.array_equal(lines["change of the energy"].get_ydata(), found.change)
    assert np.array_equal(lines["work of constraints"].get_ydata(), found.constraint)
    assert "work of applied forces" not in lines  # there are none


def test_a_moving_surface_is_drawn_and_said_to_move(shaken):
    ax = shaken.plot.path()
    assert ax.collections
    assert any("of the surface at t = 0 s" in text.get_text() for text in ax.texts)
    ground = shaken.system.drawing.ground
    track = shaken.plot.path(frame="surface")
    t = np.linspace(*shaken.t[[0, -1]], 1500)
    assert np.allclose(track.lines[0].get_xydata(), shaken.at(t)[ground.contact][:, :2])
    assert track.get_aspect() == 1.0


def test_contour_lines_say_their_distance(run):
    (words,) = [text.get_text() for text in run.plot.path().texts]
    assert words.startswith("contour lines every ")


def test_lengths_are_equal_or_the_stretch_is_told(run, shaken):
    assert run.plot.path().get_aspect() == 1.0
    for one in (run, shaken):
        ax = one.plot.path3d()
        box = np.asarray(ax._box_aspect)
        spans = np.array([np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())])
        ratio = box / spans / (box / spans)[0]
        factor = float(ax.get_title().rpartition("×")[2]) if "×" in ax.get_title() else 1.0
        assert np.allclose(ratio, [1, 1, factor], rtol=0.1)


def test_metres_and_radians_have_axes_of_their_own():
    x, theta = zm.coordinates("x theta")
    cart = zm.System(
        kinetic=zm.rate(x) ** 2 + zm.rate(theta) ** 2 / 2 + zm.rate(x) * zm.rate(theta) * np.cos(theta),
        potential=-9.81 * np.cos(theta),
    )
    run = zm.simulate(cart, cart.start({theta: 1.0}), until=1.0)
    first = run.plot.coordinates()
    labels = [ax.get_ylabel() for ax in first.figure.axes]
    assert labels == ["coordinate [SI]", "angle [rad]"]
    figure, ax = plt.subplots()
    assert run.plot.coordinates(ax=ax) is ax
    assert len(figure.axes) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$x$", r"$\theta$"]


def test_units_follow_from_the_model():
    body, bob = zm.RigidBody("body", mass=1.0, inertia=(1.0, 1.0, 1.0)), zm.Particle("bob", mass=1.0)
    s, turn, k = zm.coordinate("s"), zm.coordinate("turn"), zm.coordinate("k")
    system = zm.System(
        [body, bob],
        kinetic=zm.rate(s) ** 2 + zm.rate(turn) ** 2 + zm.rate(k) ** 2,
        potential=np.cos(turn) + np.sin(3.0 * s),
    )
    found = units(system)
    assert {found[x] for x in [*body.position, *bob.position]} == {"m"}
    assert {found[x] for x in body.quaternion} == {"1"}
    assert (found[turn], found[s], found[k]) == ("rad", "", "")  # sin(3 s) may be of a length


def test_names_are_typeset_and_strange_ones_written():
    assert typeset(zm.coordinate("theta_1")) == r"$\theta_{1}$"
    assert typeset(zm.rate(zm.coordinate("x"))) == r"$\dot{x}$"
    assert typeset(zm.coordinate("x", latex=r"\undefined{")) == "x"


def test_a_portrait_shows_the_motion(swing):
    x, run = swing
    ax = run.plot.phase(x)
    p, q = (np.asarray(v) for v in ax.lines[0].get_data())
    assert np.allclose(p**2 + q**2, 1.0, atol=1e-8)  # of the unit oscillator, a circle
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x$", r"$\dot{x}$")


def test_portraits_have_units():
    theta = zm.coordinate("theta")
    pendulum = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-np.cos(theta))
    run = zm.simulate(pendulum, pendulum.start({theta: 1.0}), until=10.0)
    ax = run.plot.phase()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\theta$ [rad]", r"$\dot{\theta}$ [rad/s]")
    assert run.plot.quantity(theta).get_ylabel() == r"$\theta$ [rad]"
    assert run.plot.quantity(zm.rate(theta) ** 2).get_ylabel() == r"$\dot{\theta}^{2}$"


def test_points_of_a_section_that_lie_on_a_line_are_drawn_on_one(swing):
    """Where the rate is zero it is so to rounding: the axis is as long as the rate of the motion, 1."""
    x, run = swing
    low, high = run.plot.poincare(zm.rate(x), x).get_ylim()
    assert high - low == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(("direction", "first", "period"), [(1, 1.5, 2.0), (-1, 0.5, 2.0), (0, 0.5, 1.0)])
def test_sections_are_exact(swing, direction, first, period):
    """x = cos t rises through zero at 3π/2 + 2πk."""
    x, run = swing
    times = crossings(run, x, direction) / np.pi
    expected = np.arange(first, 40.0 / np.pi, period)
    assert len(times) == len(expected)
    assert np.abs(times - expected).max() < 1e-9


def test_a_stroboscope_looks_after_every_period(swing):
    x, run = swing
    ax = run.plot.poincare(x=x, every=2 * np.pi)
    assert np.allclose(ax.lines[0].get_xdata(), 1.0, atol=1e-8)
    assert len(ax.lines[0].get_xdata()) == 7
    with pytest.raises(zm.errors.ModelError, match="period"):
        run.plot.poincare(every=0.0)
    with pytest.raises(zm.errors.ModelError, match=r"more than 1e\+07 such periods"):
        run.plot.poincare(every=1e-320)


@pytest.mark.parametrize("large", [1e307, 1e308, 1.7e308])
def test_sections_of_the_largest_numbers_are_drawn(swing, large):
    _, run = swing
    ax = run.plot.poincare(x=large, every=2 * np.pi)
    assert np.isfinite(ax.get_xlim()).all()


def test_an_animation_grows(run, tmp_path):
    from PIL import Image, ImageChops

    film = run.plot.animation(tmp_path / "ball.gif", fps=10, seconds=1.0, dpi=50)
    with Image.open(film) as picture:
        assert picture.n_frames == 10
        assert picture.info["duration"] == 100
        frames = []
        for k in range(10):
            picture.seek(k)
            frames.append(picture.convert("RGB"))
    assert all(ImageChops.difference(a, b).getbbox() for a, b in itertools.pairwise(frames))
    assert not plt.get_fignums()


def test_an_animation_has_frames_that_last_a_while(run, tmp_path):
    with pytest.raises(zm.errors.ModelError, match=r"fps of 0\.01 or more"):
        run.plot.animation(tmp_path / "ball.gif", fps=1e-320)


def test_colours_of_an_animation_stay(run, tmp_path):
    """The legend of a GIF has its colours before the curves have grown: all frames have one palette."""
    from PIL import Image

    with Image.open(run.plot.animation(tmp_path / "forces.gif", "forces", fps=4, seconds=1.0, dpi=80)) as picture:
        first = {ink for _, ink in picture.convert("RGB").getcolors(1 << 16) or ()}
    assert _has(first, color("normal"))
    assert _has(first, color("friction"))


def test_an_animation_of_any_plot(swing, tmp_path):
    _, run = swing
    run.plot.animation(tmp_path / "a.webp", "coordinates", seconds=0.2, dpi=40)
    ax = run.plot.phase()
    run.plot.animation(tmp_path / "b.gif", ax, seconds=0.2, dpi=40)
    assert plt.get_fignums()  # the caller's own figure stays
    with pytest.raises(zm.errors.ModelError, match="mp4"):
        run.plot.animation(tmp_path / "c.mp4")
    assert {path.name for path in tmp_path.iterdir()} == {"a.webp", "b.gif"}


def test_axes_in_the_style_of_the_plots():
    before = dict(mpl.rcParams)
    left, right = zm.plot.axes(1, 2, titles=["a", "b"])
    assert (left.get_title(), right.get_title()) == ("a", "b")
    assert len(zm.plot.axes(2, 2)) == 4
    assert dict(mpl.rcParams) == before
