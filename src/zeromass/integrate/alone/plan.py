"""What is fixed in a motion that needs no Python, and functions that know it."""

from __future__ import annotations

from dataclasses import dataclass

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.integrate.alone.memory import Alone, Sizes
from zeromass.integrate.settings import Limits
from zeromass.integrate.stepping.layout import Real64


@dataclass(frozen=True)
class Plan:
    """What is fixed in a motion that needs no Python.

    begin        the state that Newton's steps begin at, or the start itself
    t            time of the start
    places       of the values in a state that the start gives directly
    solved       whether the start is solved for
    project      whether positions and velocities are returned to the constraints
    events       direction, whether it ends the motion, and whether it must not even begin beyond it, of each event
    stretches    ends of stretches ahead and the longest step in each, where what depends on time alone limits steps
    levels       of a large program: those at which a start has equations
    """

    sizes: Sizes
    begin: tuple[float, ...]
    t: float
    places: tuple[int, ...]
    solved: bool
    project: tuple[bool, bool]
    events: tuple[tuple[int, bool, bool], ...]
    limits: Limits
    stretches: tuple[tuple[float, float], ...] = ()
    levels: tuple[int, ...] | None = None


class Planned(Alone):
    """A function that knows the plan."""

    def __init__(self, module: ir.Module, target: Target, plan: Plan) -> None:
        self.plan = plan
        super().__init__(module, target, plan.sizes)

    def slopes(self, time: ir.Value, y: ir.Value, slopes: ir.Value) -> None:
        """(q̇, q̈) at a state, and the growth of the pivots."""
        memory = self.memory
        growth = self.at(self.reals, Real64.growth)
        self.result_of("rhs", time, y, memory["parameters"], slopes, growth, memory["pivots"])
