"""Files of large runs: the system as it was given comes back, and moves as before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

import zeromass as zm
from links import Links
from zeromass.model.record import from_record, to_record


def test_a_large_run_comes_back_as_large_and_moves_bit_for_bit(tmp_path: Path) -> None:
    """With springs, drag, weight and an energy beside those of the parts."""
    bare = Links(2)
    spring = zm.Spring(50.0, bare.bodies[0].position, bare.bodies[1].position, length=1.0)
    drag = zm.Force(-0.3 * bare.bodies[1].velocity, at=bare.bodies[1].position)
    turned = zm.Torque([0.0, 0.1, 0.0], on=bare.bodies[1])
    links = Links(2, bodies=bare.bodies, forces=[spring, drag, turned], potential=2.0 * bare.bodies[1].position[1] ** 2)
    start = links.start(links.rolled)
    run = zm.simulate(links.rolled, start, until=0.1, rtol=1e-9)
    run.save(tmp_path / "links.nc", certificate=False)
    again = zm.load(tmp_path / "links.nc")
    assert again.system.large
    assert np.array_equal(again.y, run.y)
    assert np.abs(again[again.system.energy] - run[links.rolled.energy]).max() < 1e-13 * abs(
        run[links.rolled.energy][0]
    )
    onward = zm.simulate(again.system, again.start, until=0.1, rtol=1e-9)
    assert np.array_equal(onward.y, run.y)
    name = next(x for x in again.system.multipliers if "joint 1" in x.name)
    other = next(x for x in links.rolled.multipliers if x.name == name.name)
    assert np.abs(again[name] - run[other]).max() < 1e-10


def test_what_is_written_grows_with_the_number_of_parts() -> None:
    sizes = []
    for count in (100, 200):
        parts = [zm.Particle(f"p{k}", 1.0) for k in range(count)]
        rods = {f"rod {k}": a.position @ b.position for k, (a, b) in enumerate(pairwise(parts))}
        data, grids = to_record(zm.System(parts, gravity=9.81, constraints=rods))
        assert "given" in data  # no matrices, which have n² entries
        assert from_record(data, grids).large
        sizes.append(len(data["nodes"]))
    assert sizes[1] < 2.1 * sizes[0]
