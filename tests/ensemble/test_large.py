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


def test_members_are_what_simulate_gives(links: Links) -> None:
    """To the last bit, starts that are formulas of parameters among them."""
    start = links.start(links.rolled)
    program = zm.compile(links.rolled, links.start(links.rolled, parameters={g: 9.0, turn: 0.2}))
    pull = links.rolled.reaction["joint 0"][2]
    keep = {
        "end": links.tip,
        "pull": pull,
        "top": zm.largest(links.tip[2]),
        "low": zm.values_at(links.tip[2], [0.05, 0.1]),
        "at": zm.first_time(zm.Event("below", links.tip[2] + 0.02, terminal=False)),
    }
    study = zm.sweep(links.rolled, start, over=OVER, keep=keep, until=0.2, rtol=1e-9)
    assert (study.outcome == "finished").all()
    for a in OVER[g]:
        for b in OVER[turn]:
            own = links.start(links.rolled, parameters={g: a, turn: b})
            run = zm.simulate(program, own, until=0.2, rtol=1e-9, atol=1e-13, method="dop853")
            one = study.sel(g=a, turn=b)
            assert np.array_equal(one.end, run[links.tip][-1])
            assert one.pull == run[pull][-1]
            assert one.top == run.maximum(links.tip[2]).value
            assert np.array_equal(one.low, run.at([0.05, 0.1])[links.tip[2]])


def test_their_numbers_are_those_of_formulas_on_lanes_and_on_cores(links: Links) -> None:
    """Both within the tolerance, magnified a hundred times at most by 0.2 s of motion."""
    starts = {links.rolled: links.start(links.rolled), links.plain: links.start(links.plain)}
    found = [
        zm.sweep(system, starts[system], over=OVER, keep={"end": links.tip}, until=0.2, rtol=1e-11, **more).end
        for system, more in (
            (links.rolled, {"states": "least"}),
            (links.rolled, {"on": 2}),
            (links.plain, {"states": "all"}),
        )
    ]
    assert np.array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2]).max() < 1e-9


def test_a_graphics_card_does_not_move_them(links: Links) -> None:
    with pytest.raises(ModelError, match="on='cores' for a large one"):
        zm.sweep(links.rolled, links.start(links.rolled), over=OVER, keep={"end": links.tip}, until=0.2, on="gpu")
