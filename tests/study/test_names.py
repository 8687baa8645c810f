"""Names in the Dataset of a study: each is one thing, or the study does not begin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import uniform

import zeromass as zm

x = zm.coordinate("x")
k, other, outcome, sample = (zm.parameter(name, 1.0) for name in ("k", "k", "outcome", "sample"))
STATE = np.array([x, zm.rate(x)])
GRID = {k: [1.0, 4.0]}

STUDIES = {
    "two parameters": ({k: [1.0, 2.0], other: [3.0, 4.0]}, {"end": x}, "two parameters have the name 'k'"),
    "an outcome": ({outcome: [1.0, 2.0]}, {"end": x}, "over: 'outcome' is the name of something else"),
    "samples": (zm.study.samples(2, {k: uniform(1, 2)}), {"sample": x}, "keep: 'sample' is the name of something else"),
    "a parameter": (GRID, {"k": x}, "keep: 'k' is the name of something else"),
    "a dimension": (GRID, {"end": STATE, "end_0": x}, "keep: 'end_0' is the name of something else"),
    "times": (GRID, {"end": zm.study.values_at(x, [0.1, 0.2]), "end_time": x}, "keep: 'end_time' is the name"),
    "grid and samples": (
        {**zm.study.samples(2, {k: uniform(1, 2)}), sample: [1.0, 2.0]},
        {"end": x},
        "'sample' is a parameter and a dimension of samples",
    ),
    "samples and grid": (
        {sample: [1.0, 2.0], **zm.study.samples(2, {k: uniform(1, 2)})},
        {"end": x},
        "'sample' is a parameter and a dimension of samples",
    ),
    "a path": (GRID, {"a/b": x}, "keep: 'a/b' is no name that a file can have"),
    "nothing": (GRID, {"": x}, "keep: '' is no name"),
    "a number": (GRID, {3: x}, "keep: 3 is no name"),
}


@pytest.mark.parametrize("name", STUDIES)
def test_one_name_for_two_things_is_refused(name):
    over, keep, words = STUDIES[name]
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * outcome * sample * x**2 / 2)
    with pytest.raises(zm.errors.ModelError) as told:
        zm.sweep(system, system.start({x: other}), until=0.3, over=over, keep=keep)
    assert words in str(told.value)


def test_what_is_kept_without_names_is_called_by_its_formula():
    x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    gliding = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    settings = {"until": 3.0, "over": {v: [1.0, 2.0]}}
    study = zm.sweep(gliding, gliding.start({zm.rate(x): v}), keep=[x, zm.study.largest(x**2)], **settings)
    assert study["x"].values == pytest.approx([3.0, 6.0])
    assert study["largest x**2"].values == pytest.approx([9.0, 36.0])
    for wrong, words in (([x, x], "two have the name 'x'"), (x, "give {name: what}"), ("x", "give {name: what}")):
        with pytest.raises(zm.errors.ModelError, match=words):
            zm.sweep(gliding, gliding.start({zm.rate(x): v}), keep=wrong, **settings)
