"""Motion in time: stepping methods, events, projection, the course of a run."""

from zeromass.integrate.course import Course, Sampled, course
from zeromass.integrate.hybrid.pieces import Impulse, Switching
from zeromass.integrate.methods import METHODS, Method, MethodName
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.settings import Limits, Settings

__all__ = [
    "METHODS",
    "Course",
    "Ending",
    "Impulse",
    "Limits",
    "Method",
    "MethodName",
    "Occurrence",
    "Outcome",
    "Sampled",
    "Segment",
    "Settings",
    "Statistics",
    "Switching",
    "course",
]
