"""Neighbouring motions, several of them carried along together, in SIMD lanes.

A tangent δy of a motion y obeys δẏ = ∂f/∂y δy + ∂f/∂p δp. Tangents are carried along with the motion as further unknowns of
one compiled integration, with a right-hand side made by a directional derivative of the solved accelerations, or of those of
each kind of parts and constraints for a large system. Unknowns stand in groups, one tangent in each lane; the motion itself
comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.analysis.groups import by_themselves
from zeromass.analysis.tangent_code import OneGroup, SeveralGroups, tangent_code
from zeromass.codegen.target import Code, host
from zeromass.integrate import Course
from zeromass.integrate.methods.dop853.stepper import Dop853
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event, ModelError

if TYPE_CHECKING:
    from zeromass.compile.rolled.along import Along
    from zeromass.compile.rolled.native import RolledNative

FIRST_STEP = 1e-6
"""Of the integration, s: its control finds a longer one."""

BUSY = 1 << 22
"""Unknowns evaluated after which better machine code of the steps is made, in the background."""


class _Groups:
    """The right-hand side of several groups of tangents: what steps need of a system."""

    corrections = None
    busy = False
    pivots = 0

    def __init__(self, rhs: Code) -> None:
        self._code = rhs
        self._evaluated = 0

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of the right-hand side of one state, which is that of all groups."""
        assert lanes == 1
        return self._code

    def events(self, events: Sequence[Event], lanes: int) -> None:
        """None: what happens to a neighbouring motion is not watched."""

    def called(self, evaluations: int) -> None:
        """Counts unknowns evaluated: its own machine code is as good as it gets, that of the steps may become better."""
        self._evaluated += evaluations
        self.busy = self._evaluated >= BUSY


class Neighbours:
    """Neighbouring motions of a run from one of its times on.

    δy  tangents of the state, shape (2n, k)
    δp  of the parameters, shape (parameters, k)
    """

    count: int

    def __init__(self, run: Course, δy: np.ndarray, δp: np.ndarray, since: float) -> None:
        segment, (self._order, self.count) = run.segments[0], δy.shape
        lanes = 1
        while lanes < min(self.count, host().width):
            lanes *= 2
        large = run.program.code == "rolled"
        tangent = (
            cast("RolledNative", run.program.native).along(lanes)
            if large
            else tangent_code(run.program, lanes, several=self.count > lanes)
        )
        self._lanes: int = tangent.lanes
        self._groups = -(-self.count // self._lanes)
        self._columns = np.minimum(np.arange(self._groups * self._lanes), self.count - 1)  # the last fills up the lanes
        still = np.zeros((len(segment.values) - len(δp), self.count))  # modes of its formulas do not vary
        varied = np.concatenate([δp, still])
        state = np.append(self._in_lanes(δy), run.at(since).y[0])
        if isinstance(tangent, SeveralGroups):
            rhs = tangent.rhs
            values, self._kept = tangent.constants(segment.values, self._in_lanes(varied), self._order)
        else:
            rhs, values = by_themselves(self._lanes), self._constants(tangent, segment.values, varied)
        tolerances = Tolerances(run.settings.rtol, run.settings.atol)
        first = np.copysign(FIRST_STEP, run.t[-1] - run.t[0])
        self._work = Workspace(_Groups(rhs), since, state, values, tolerances, float(first))
        self._stepper = Dop853(self._work)

    def carry(self, until: float) -> np.ndarray:
        """The tangents carried along to a time, shape (2n, k)."""
        work = self._work
        while True:
            before = work.evaluations
            status = self._stepper.advance(until, max(1, len(work.record) - 1))  # a full one would grow
            work.code.called((work.evaluations - before) * work.order)
            work.forget_record()
            if status is Status.FINISHED:
                return self.tangents
            if status is not Status.PAUSED:
                raise ModelError(f"the tangents can not be carried beyond t = {work.t:g} s ({status.name.lower()})")

    @property
    def tangents(self) -> np.ndarray:
        """As they are now, shape (2n, k)."""
        state = self._work.y[: -self._order].reshape(self._groups, self._order, self._lanes)
        return state.swapaxes(0, 1).reshape(self._order, -1)[:, : self.count].copy()

    def go_on(self, y: np.ndarray, δy: np.ndarray) -> None:
        """Goes on from where it is with the motion in a state y, and with other tangents."""
        work = self._work
        work.state[: work.order] = np.append(self._in_lanes(δy), y)
        work.restart()

    def _constants(self, tangent: Along | OneGroup, values: np.ndarray, δp: np.ndarray) -> np.ndarray:
        """What the right-hand side is called with that computes the motion for each group again."""
        fixed = np.broadcast_to(values[:, None], δp.shape)
        sizes = self._order * self._lanes, 2 * len(values) * self._lanes
        head = np.array([tangent.code.address("tangent"), self._groups, self._order, *sizes], dtype=np.int64)
        return np.concatenate([head.view(float), self._in_lanes(np.concatenate([fixed, δp])).ravel()])

    def _in_lanes(self, δ: np.ndarray) -> np.ndarray:
        """Numbers of the tangents, shape (numbers, k), as (groups, numbers, lanes)."""
        groups, lanes = self._groups, self._lanes
        return δ[:, self._columns].reshape(len(δ), groups, lanes).swapaxes(0, 1)
