"""Pictures of studies: what is drawn is what was kept, and the words are those of the study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray
from matplotlib.colors import to_rgb

import zeromass as zm
from zeromass.report.plots import COLORS
from zeromass.report.study_plots import OUTCOMES


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def study() -> xarray.Dataset:
    """x = a cos ωt: largest value a where a full turn is made; a wall at x = −1.5 ends some."""
    x, a, k = zm.coordinate("x"), zm.parameter("a", 1.0), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    wall = zm.Event("wall", x + 1.5)
    over = {a: np.linspace(0.5, 2.0, 7), k: np.linspace(1.0, 3.0, 5)}
    keep = {"least": zm.study.smallest(x), "energy": spring.energy, "both": [x, zm.rate(x)]}
    return zm.sweep(spring, spring.start({x: a}), until=7.0, over=over, keep=keep, events=wall)


def image(ax: Any) -> np.ndarray:
    """Numbers, or colours, of the cells of a picture."""
    return np.asarray(ax.collections[-1].get_array())


def test_a_map_shows_the_values(study: xarray.Dataset) -> None:
    ax = zm.plot.study(study, "least")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "k")
    assert np.array_equal(image(ax).reshape(5, 7), study.least.values.T)
    assert np.array_equal(image(zm.plot.study(study, "least", x="k")).reshape(7, 5), study.least.values)
    assert zm.plot.study(study).figure.axes[1].get_ylabel() == "least"  # the first that is one number
    assert zm.plot.study(study, "energy").figure.axes[1].get_ylabel() == "energy at the end [J]"


def test_a_few_values_far_out_do_not_take_the_colours(study: xarray.Dataset) -> None:
    wide = xarray.DataArray(
        np.linspace(0, 1, 400).reshape(20, 20), dims=("u", "v"), coords={"u": range(20), "v": range(20)}
    )
    wide[3, 4] = 1e6
    ax = zm.plot.study(wide.to_dataset(name="wide"), "wide")
    assert ax.collections[0].get_clim()[1] < 1.1
    assert zm.plot.study(wide.to_dataset(name="wide"), "wide", limits=(0.0, 2.0)).collections[0].get_clim() == (
        0.0,
        2.0,
    )


def test_members_without_a_value_are_grey_and_named(study: xarray.Dataset) -> None:
    """By the name of the event that ended them."""
    whole = study.least.where(study.outcome == "finished")
    ax = zm.plot.study(study, whole)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["wall"]
    painted = image(ax).reshape(5, 7, 4)[..., 3] > 0
    assert np.array_equal(painted, (study.outcome == "event").values.T)


def test_basins_have_a_colour_for_each_outcome(study: xarray.Dataset) -> None:
    ax = zm.plot.study(study, "outcome")
    ended = (study.outcome == "event").values.T
    colors = image(ax).reshape(5, 7, 4)[..., :3]
    assert np.allclose(colors[~ended], to_rgb(OUTCOMES["finished"]))
    assert np.allclose(colors[ended], to_rgb(COLORS[0]))
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == [f"finished  {100 * np.mean(~ended):.0f} %", f"wall  {100 * np.mean(ended):.0f} %"]


def test_basins_of_one_s_own_are_shaded(study: xarray.Dataset) -> None:
    sign = (study.both[..., 0] > 0).astype(int).rename("sign")
    ax = zm.plot.study(study, sign, labels={1: "right", 0: "left"}, shade="energy")
    words = [text.get_text().split("  ")[0] for text in ax.get_legend().get_texts()]
    assert words == ["right", "left"]
    light = image(ax).reshape(5, 7, 4)[..., :3].sum(axis=-1)
    right = sign.values.T == 1
    energies = study.energy.values.T[right]
    assert light[right][np.argmax(energies)] < light[right][np.argmin(energies)]


def test_a_line_over_one_parameter(study: xarray.Dataset) -> None:
    cut = study.sel(k=1.0)
    ax = zm.plot.study(cut, "least")
    assert np.array_equal(np.asarray(ax.lines[0].get_ydata()), cut.least.values)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "least")


def test_parallel_coordinates_have_a_line_for_each_member(study: xarray.Dataset) -> None:
    ax = zm.plot.study(study, "energy", kind="parallel")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "k", "least", "energy at the\nend [J]"]
    lines: Any = ax.collections[0]
    assert len(lines.get_segments()) == study.energy.size
    top = lines.get_segments()[-1]  # the largest energy lies on top, at the upper end of the last axis
    assert top[-1, 1] == 1.0
    columns = zm.plot.study(study, "energy", kind="parallel", columns=["a", "end_time"])
    assert [t.get_text() for t in columns.get_xticklabels()] == ["a", "time at the\nend [s]"]


def test_samples_are_drawn_as_parallel_coordinates() -> None:
    from scipy.stats import uniform

    x, a, k = zm.coordinate("x"), zm.parameter("a", 1.0), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    over = zm.study.samples(16, {a: uniform(0.5, 1.0), k: uniform(1.0, 2.0)})
    study = zm.sweep(spring, spring.start({x: a}), until=1.0, over=over, keep={"end": x})
    ax = zm.plot.study(study)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "k", "end"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: zm.plot.study(s, "lest"), "the study has no 'lest'; it has: least"),
        (lambda s: zm.plot.study(s, "both"), r"dimensions a, k, both_0; choose .*isel\(both_0=0\)"),
        (lambda s: zm.plot.study(s, "least", x="q"), "'q' is no dimension of 'least'; it has: a, k"),
        (lambda s: zm.plot.study(s, "least", kind="basins"), "too many for a legend"),
        (lambda s: zm.plot.study(s, "least", kind="pie"), "there are 'map', 'basins', 'line' and 'parallel'"),
        (lambda s: zm.plot.study(s, "least", kind="parallel", columns=["a", "z"]), "the study has no 'z'"),
        (lambda s: zm.plot.study(s.sel(k=1.0), "least", kind="map"), "a picture of this kind has 2"),
    ],
)
def test_what_can_not_be_drawn_is_told(study: xarray.Dataset, call: Any, words: str) -> None:
    with pytest.raises(zm.errors.ModelError, match=words):
        call(study)
