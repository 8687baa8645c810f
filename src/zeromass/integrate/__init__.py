"""Motion in time: stepping methods, events, projection, the trajectory."""

from zeromass.integrate.events import Occurrence
from zeromass.integrate.modes import Phases, simulate_phases
from zeromass.integrate.outcome import Ending, Outcome, RunStopped
from zeromass.integrate.simulate import simulate
from zeromass.integrate.trajectory import Sampled, Statistics, Trajectory

__all__ = [
    "Ending",
    "Occurrence",
    "Outcome",
    "Phases",
    "RunStopped",
    "Sampled",
    "Statistics",
    "Trajectory",
    "simulate",
    "simulate_phases",
]
