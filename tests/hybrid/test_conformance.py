"""The corpus of systems that switch and touch, by every engine: host, lanes and page, beside what is recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few, spread
from hybrid.contact_corpus import CONTACTS
from hybrid.corpus import SWITCHES, Problem
from hybrid.record import DATA, TIGHT, happened
from integrate.node import MISSING, node, over_switches
from zeromass.codegen.target import levels
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.motion import Driver

PROBLEMS = {**SWITCHES, **CONTACTS}

RECORDED: dict[str, dict[str, Any]] = {
    name: answer
    for corpus in ("switches", "contacts")
    for name, answer in json.loads((DATA / f"{corpus}.json").read_text("utf-8")).items()
}

TIMES = 1e-11
"""s by which switches of two engines may differ, at rtol 1e-13; 2.5e-12 is the most by which the recorded methods do."""

STATES = 1e-10
"""The same of states; 4e-11 is the most by which the recorded methods differ."""


@cache
def built(name: str) -> Problem:
    return PROBLEMS[name]()


def check(answer: dict[str, Any], recorded: dict[str, Any], *, texts: bool = True) -> None:
    """The same ending, in the same words, the same switches, kinds, events and impulses, at the same times.

    texts  whether formulas that switch are compared as text; a page shortens long ones
    """
    assert answer["ending"] == recorded["ending"], answer
    assert answer["t"] == pytest.approx(recorded["t"], abs=TIMES)
    np.testing.assert_allclose(answer["end"], recorded["end"], rtol=0, atol=STATES)
    for key in ("message", "switches", "kinds", "events", "impulses"):
        if key not in recorded or key not in answer:
            continue
        if key == "message":
            assert answer[key] == recorded[key]
        elif key in ("kinds", "events"):
            assert [x[1] for x in answer[key]] == [x[1] for x in recorded[key]]
        elif key == "switches":
            assert [s[2] for s in answer[key]] == [s[2] for s in recorded[key]]
            if texts:
                assert [s[1] for s in answer[key]] == [s[1] for s in recorded[key]]
        else:
            assert [i[1] for i in answer[key]] == [i[1] for i in recorded[key]]
            for here, there in zip(answer[key], recorded[key], strict=True):
                np.testing.assert_allclose(here[2], there[2], rtol=0, atol=STATES)
        if key != "message":
            times = np.subtract([s[0] for s in answer[key]], [s[0] for s in recorded[key]])
            assert np.abs(times).max(initial=0.0) <= TIMES


def test_the_record_is_that_of_the_corpus():
    assert list(RECORDED) == list(PROBLEMS)
    assert len(SWITCHES) >= 40
    assert len(CONTACTS) >= 15


@pytest.mark.parametrize("name", spread(PROBLEMS, 9))
def test_on_the_host(name):
    check(happened(built(name), method="dop853"), RECORDED[name])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", spread(PROBLEMS, 7))
def test_steps_that_are_told_together_are_those_of_the_segments(name):
    system, start, until = built(name)
    run = zm.simulate(system, start, until=until, **TIGHT)
    t, y = run.t, run.y
    np.testing.assert_array_equal(t, np.concatenate([segment.t for segment in run.segments]))
    np.testing.assert_array_equal(y, np.concatenate([segment.y for segment in run.segments]))


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_by_collocation(name):
    check(happened(built(name), method="collocation"), RECORDED[name])


TURNING = ["bead_in_a_bowl", "ball_on_waves"]
"""Problems whose tangents turn with the normal: members once had other tangents than runs, and other last bits."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*TURNING, *spread([name for name in CONTACTS if name not in TURNING], 9)])
def test_members_begin_as_runs_do(name, monkeypatch):
    """With the modes, margins and tangents of a run to the bit, from what a member begins with, after other motions."""
    begun: list[tuple[Driver, zm.State, np.ndarray]] = []
    select = Driver.select_first

    def select_first(driver: Driver, start: zm.State) -> Selection:
        why = select(driver, start)
        begun.append((driver, start, np.concatenate([driver.work.values, driver.work.y])))
        return why

    monkeypatch.setattr(Driver, "select_first", select_first)
    system, start, until = built(name)
    zm.simulate(system, start, until=until, **TIGHT)
    for driver, first, found in begun:
        values, axis = driver.work.values, driver.m.contacts.axis
        values[driver.hidden :] = 0.0
        values[driver.w.mode] = values[axis[axis >= 0]] = 1.0
        select(driver, first)
        assert np.concatenate([values, driver.work.y]).tolist() == found.tolist()


@pytest.mark.parametrize("name", [*TURNING, *spread([name for name in PROBLEMS if name not in TURNING], 26)])
def test_in_lanes(name):
    """Members of a study end with the bits of `simulate` and in its words."""
    system, start, until = built(name)
    case = zm.parameter("case", 0.0)
    keep = {"q": np.array(system.coordinates), "v": np.array(system.rates)}
    study = zm.sweep(system, lambda case: start, over={case: [0.0, 1.0, 2.0]}, keep=keep, until=until, **TIGHT)
    alone = happened(Problem(system, start, until), method="dop853")
    for k in range(3):
        assert study.message.values[k] == alone["message"]
        assert study.end_time.values[k] == alone["t"]
        if alone["t"] > start.t:  # a member that can not begin has no numbers
            assert [*study.q.values[k], *study.v.values[k]] == alone["end"]


@pytest.mark.skipif(node() is None, reason=MISSING)
@pytest.mark.parametrize("name", spread(PROBLEMS, 17))
def test_in_a_page(name, tmp_path):
    system, start, until = built(name)
    settings = zm.Settings(**TIGHT, method="dop853")
    motion = Pieced(start, tuple(system.events), (*system.coordinates, *system.rates), until, settings, ())
    (found,) = over_switches(motion, [{"values": {}, "until": until, **TIGHT}], tmp_path)
    shown = {key: found[key] for key in ("ending", "t", "end", "switches", "message") if key in found}
    if system.unilaterals:
        shown |= {"kinds": found["kinds"], "events": [[t, event] for event, t in found["happened"]]}
    check(shown, RECORDED[name], texts=False)


FEW = [
    "ball_that_rolls_to_a_wall",
    "coulomb_oscillator",
    "rack_of_six_blocks",
    "gear_over_the_cut_of_an_angle",
    "bead_on_a_wire_with_a_corner",
]
SAME = FEW, [name for name in PROBLEMS if name not in FEW]

BEGUN = (
    "block_that_sticks_until_it_is_pulled",
    "block_under_friction_that_fades",
    "block_that_is_lifted",
    "block_between_a_spring_with_play_and_a_floor",
    "block_on_a_floor_with_wind",
)
"""Problems with slips that begin in space: Python begins them by an implicit method, a page by that of the run."""

NEAR = 2e-12
"""s and m, m/s by which a page may differ from Python in them: four times the most."""


@pytest.mark.skipif(node() is None, reason=MISSING)
@pytest.mark.skipif("x86-64-v2" not in levels(), reason="this machine has no code without fused operations")
@pytest.mark.parametrize("names", few(SAME))
def test_bits_in_a_page_are_those_of_python(names):
    """Ends, switches, impulses and samples: one driver, compiled for two machines without fused operations.

    Where other steps are made, as a slip begins, they are near.
    """
    script = Path(__file__).with_name("page_bits.py")
    done = subprocess.run(
        [sys.executable, str(script), *names],
        env={**os.environ, "ZEROMASS_CPU": "x86-64-v2"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    for name, found in json.loads(done.stdout).items():
        if name in BEGUN:
            page, python = ([float.fromhex(x) for x in found[where]] for where in ("page", "python"))
            assert page == pytest.approx(python, rel=0, abs=NEAR), name
        else:
            assert found["page"] == found["python"], name
