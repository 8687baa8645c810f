"""Reference solutions of the Test Set for IVP Solvers [MM2008]: the Fekete problem, Andrews' squeezing mechanism [S1990]."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def ran(name: str) -> dict:
    """What a program of the gallery has computed."""
    matplotlib.use("Agg")
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    plt.close("all")
    return found


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_fekete_points():
    """The reference has 12 digits (RADAU5, rtol 1e-12); the energy is the minimum of 20 points [RSZ1994]."""
    found = ran("fekete_points")
    assert found["off"] < 1e-11
    end = np.array(found["end"])
    apart = np.linalg.norm(end[:, None] - end[None], axis=-1)[np.triu_indices(20, 1)]
    assert -np.log(apart).sum() == pytest.approx(-54.011130, abs=1e-6)
    assert np.abs(np.linalg.norm(end, axis=1) - 1).max() < 1e-14


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_squeezing_mechanism():
    """Runs at rtol 1e-10 and 1e-12 differ by 2e-11 rad, and from the reference by 1.4e-9 rad, of angles up to 16 rad."""
    found = ran("squeezing_mechanism")
    assert found["off"] < 3e-9
    run = found["run"]
    assert max(np.abs(values).max() for values in run.residuals().values()) < 1e-15  # m, of places up to 0.1 m
    assert run.work().imbalance < 1e-11
