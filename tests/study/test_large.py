"""Studies of large systems: members one after another, each as `simulate` moves it."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from links import Links, g, turn
from zeromass.model import ModelError

OVER = {g: [9.0], turn: [0.2, 0.5]}


@pytest.fixture(scope="module")
def links() -> Links:
    return Links(2)


@pytest.fixture(scope="module")
def start(links: Links) -> zm.State:
    return links.start(links.rolled)


def test_members_are_what_simulate_gives(links: Links, start: zm.State) -> None:
    """To the last bit, starts that are formulas of parameters among them."""
    starts = [links.start(links.rolled, parameters={g: 9.0, turn: b}) for b in OVER[turn]]
    program = zm.compile(links.rolled, starts[0])
    pull = links.rolled.reaction["joint 0"][2]
    keep = {
        "end": links.tip,
        "pull": pull,
        "top": zm.study.largest(links.tip[2]),
        "low": zm.study.values_at(links.tip[2], [0.05, 0.1]),
        "at": zm.study.first_time(zm.Event("below", links.tip[2] + 0.02, terminal=False)),
    }
    study = zm.sweep(links.rolled, start, over=OVER, keep=keep, until=0.2, rtol=1e-9)
    assert (study.outcome == "finished").all()
    for own in starts:
        run = zm.simulate(program, own, until=0.2, rtol=1e-9, atol=1e-13, method="dop853")
        one = study.sel(g=9.0, turn=OVER[turn][starts.index(own)])
        assert np.array_equal(one.end, run[links.tip][-1])
        assert one.pull == run[pull][-1]
        assert one.top == run.maximum(links.tip[2]).value
        assert np.array_equal(one.low, run.at([0.05, 0.1])[links.tip[2]])


def test_their_numbers_do_not_depend_on_where_they_move(links: Links, start: zm.State) -> None:
    keep, over = {"end": links.tip}, {g: [9.0, 9.5]}
    here, there = (
        zm.sweep(links.rolled, start, over=over, keep=keep, until=0.2, rtol=1e-9, states=states, on=on).end
        for states, on in (("least", "lanes"), ("all", 2))
    )
    assert np.isfinite(here).all()
    assert np.array_equal(here, there)


def test_a_graphics_card_does_not_move_them(links: Links, start: zm.State) -> None:
    with pytest.raises(ModelError, match="on='cores' for a large one"):
        zm.sweep(links.rolled, start, over={g: [9.0]}, keep={"end": links.tip}, until=0.2, on="gpu")
