"""Runs: how one gets them, and what one holds afterwards.

    program ─► method ─► loop ─► run

`simulate` makes a `Run`; what a run can be asked is its methods, which call analysis and report when they are needed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from zeromass.compile.program import Program
from zeromass.errors import RunDoubtful, RunStopped
from zeromass.expression import Expression
from zeromass.frozen import frozen
from zeromass.integrate import Course, Limits, MethodName, Settings, course
from zeromass.integrate.course import Events, events_of
from zeromass.model import ModelError, State, System
from zeromass.model.beginning import Beginning
from zeromass.model.given import Parameters, by_parameter, given_kind, given_mapping, shown, value_of
from zeromass.model.naming import meant
from zeromass.model.state import parameter_values

if TYPE_CHECKING:
    import xarray

    from zeromass.analysis import Adjoint, Certificate, Extremum, Interval, RequiredFriction, Sensitivity, Work
    from zeromass.analysis.contact import ContactHistory
    from zeromass.contact.pictures import Shape
    from zeromass.integrate.hybrid.pieces import Impulse
    from zeromass.report import Plots, View
    from zeromass.report.origin import Origin
    from zeromass.report.viewer.scene import Point, Series
    from zeromass.report.viewer.sliders import Sliders

FilePath = str | PathLike[str]
"""Where a file is to be written or read."""


def simulate(
    system: System | Program | Beginning,
    start: State,
    *,
    until: float,
    rtol: float = 1e-10,
    atol: float = 1e-13,
    method: MethodName = "collocation",
    events: Events = None,
    project: bool = True,
    step: float | None = None,
    longest_step: float = np.inf,
    parameters: Parameters | None = None,
    transitions: bool = True,
    limits: Limits | None = None,
    memory: float | None = None,
    progress: bool | Callable[[float], None] = False,
) -> Run:
    """Motion of a system from a start until a time.

    rtol, atol   error allowed in a step, relative and absolute, for every coordinate and rate
    method       "collocation" (order 15, stages in SIMD lanes), "dop853" (order 8), "radau" (implicit, for stiff systems),
                 "fixed" (order 8, steps of length `step`), or another method of `zeromass.integrate.METHODS`
    step         length of every step, with method="fixed", or with "radau", which then keeps order 5
    events       zm.Event, several, or {name: expression}; their zeros are located on the dense output. Steps are short
                 enough for what depends on time alone in them, and for sines of the state; two zeros of another function
                 between two neighbouring stages of a step are missed: `longest_step` bounds the steps
    project      return to the constraints after each step; without it they drift as in the papers
    parameters   values other than those of the start, {parameter or its name: number}
    transitions  continue after mode changes, such as from rolling to slipping; without it the run ends there
    limits       thresholds, see `zm.Limits`
    memory       largest memory of the run, bytes; by default a quarter of the machine's. Beyond it the run ends with the
                 outcome "out of memory", and what was computed is kept
    progress     a progress bar on the terminal, or a function of the time reached

    The arguments determine the run to the last bit. A run that can not continue ends with a named outcome and a RunStopped
    warning; what was computed is kept. So it does at Ctrl-C. A RunDoubtful warning says that the motion is wrong: a body
    inside its surface, or energy that no work explains. `run.remarks` has the reasons.

    >>> theta = zm.coordinate("theta")
    >>> pendulum = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta))
    >>> run = zm.simulate(pendulum, pendulum.start({theta: 1.0}), until=10.0)
    >>> run.outcome.ending == "finished", bool(abs(run.at(10.0)[pendulum.energy] + 9.81 * np.cos(1.0)) < 1e-9)
    (True, True)
    """
    settings = Settings(
        rtol, atol, method, project, step, longest_step, transitions, Limits() if limits is None else limits, memory
    )
    if not isinstance(start, State):
        raise ModelError(
            f"the start belongs to another system, or is none: {shown(start)}; make it with system.start(…)"
        )
    if parameters is not None:
        start = _with_parameters(start, parameters)
    with _watching(progress, start.t, until) as tell:
        found = course(system, start, until, settings, events=events, tell=tell, keep_interrupted=True)
    run = Run(found.segments)
    if not run.outcome.complete:
        warnings.warn(str(run.outcome), RunStopped, stacklevel=2)
    # work, for which more code is compiled, is integrated at once only if a conserved energy has changed
    doubts = run.remarks if run._drifts else super(Run, run).remarks
    for words in (*doubts, *(() if events is None else _unseen(run, events))):
        warnings.warn(words, RunDoubtful, stacklevel=2)
    return run


def _unseen(run: Run, events: Events) -> list[str]:
    """Which events have no value somewhere in a run, or watch forces that it does not determine."""
    if not (watched := events_of(events)):
        return []
    from zeromass.integrate.undefined import of_shared_forces, without_value  # few runs are asked to watch something

    return [*without_value(run, watched), *of_shared_forces(run, watched)]


def load(path: FilePath) -> Run:
    """Run from a file that `run.save` wrote, with its scenario and certificate.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=3.0)
    >>> path = run.save(folder / "spring.nc")
    >>> bool(np.all(zm.load(path).y == run.y))
    True
    """
    from zeromass.report.reading import read

    segments, origin = read(path)
    return Run(tuple(segments), origin)


@frozen(repr=False)
class Run(Course):
    """Result of a simulation: immutable, with dense output, of one or more segments.

    run[expression]            values at the steps, `run.t`
    run.at(times)[expression]  values at any times
    run.state(t)               from which another run can start: zm.simulate(system, run.state(5.0), until=…)
    run.outcome                why the run ended, by name
    run.events                 events, with time and state
    run.segments               parts of the run; a new one begins at each mode change, as from rolling to slipping, and where
                               a formula with kinks or jumps switches
    run.switches, .impulses    times of switches, and jumps of the rates
    run.program                the explicit equations of motion
    run.origin                 scenario and versions, for files

    A run can be pickled, copied and saved as a file.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=3.0)
    >>> bool(np.all(abs(run[x] - np.cos(run.t)) < 1e-9))
    True
    >>> further = zm.simulate(spring, run.state(2.0), until=5.0)
    >>> bool(abs(further.at(5.0)[x] - np.cos(5.0)) < 1e-9)
    True
    """

    _interface = (
        "at", "state", "t", "y", "outcome", "events", "plot", "view", "movie", "save", "to_xarray", "to_csv",
        "to_parquet", "certificate", "residuals", "remarks", "work", "maximum", "minimum", "integral", "mean",
        "required_friction", "pulling", "contacts", "impacts", "impulses", "segments", "modes", "changes",
        "switches", "passages", "sensitivity", "adjoint", "lyapunov_exponent", "lyapunov_spectrum", "system",
        "start", "parameters", "program", "settings", "statistics", "origin", "from_scenario", "within",
    )  # fmt: skip

    given_origin: Origin | None = None

    def __repr__(self) -> str:
        modes = f", {' – '.join(self.modes)}" if len(self.modes) > 1 else ""
        if len(self.modes) > 4:
            modes = f", {self.modes[0]} – … – {self.modes[-1]}, {len(self.modes)} segments"
        if self.switches:
            modes += f", {len(self.switches)} switches"
        doubts = "".join(f", but {words}" for words in self.remarks)
        return f"Run({self.t[0]:g} … {self.t[-1]:g} s{modes}, {self.outcome.ending.value}{doubts}; {self.statistics})"

    def _repr_html_(self) -> str:
        from zeromass.report.run_card import run_card

        return run_card(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"segments": self.segments, "given_origin": self.given_origin}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # how far it can be trusted ---------------------------------------------------------------------------------------
    def certificate(self, of: Any = None) -> Certificate:
        """Accuracy: constraint residuals, energy balance, and digits from a second run at tighter tolerance.

        of  quantities whose own digits are asked for: an expression or an array of them, several in a list, or {name: …}.
            `certificate.digits` are those of the worst coordinate or rate, such as the angle of a fast rotor; each of
            `certificate.of` tells those of a quantity

        Without `of` the second run is made once.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.certificate().digits > 9
        True
        >>> [one.name for one in run.certificate(of=[x, zm.rate(x)]).of]
        ['x', 'rate(x)']
        """
        if of is None:
            return self._certificate
        from zeromass.analysis import certificate

        return certificate(self, meant(self.system, of))

    @cached_property
    def _certificate(self) -> Certificate:
        from zeromass.analysis import certificate

        return certificate(self)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Reasons to doubt the motion: a body inside its surface, energy that no work explains."""
        return (*super().remarks, *self._energy_remarks)

    @cached_property
    def _energy_remarks(self) -> tuple[str, ...]:
        known = self.__dict__.get("_certificate")
        if known is not None:
            return (known.imbalance,) if known.imbalance else ()
        from zeromass.analysis.imbalance import energy_remarks

        return energy_remarks(self)

    def residuals(self, times: ArrayLike | None = None) -> dict[str, np.ndarray]:
        """Constraint residuals over time, {constraint: values}: φ(q, t), or ψ(q, q̇, t) of a nonholonomic constraint.

        Values have the shape (times,), or (times, rows) of a constraint with several rows; NaN in segments without it.

        times  by default the steps, `run.t`

        >>> bob = zm.Particle("bob", mass=0.5)
        >>> pendulum = zm.System([bob], gravity=9.81, constraints={"string": (bob.position @ bob.position - 1.0) / 2})
        >>> run = zm.simulate(pendulum, pendulum.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, 0.0)]), until=1.0)
        >>> bool(np.abs(run.residuals()["string"]).max() < 1e-14)
        True
        """
        from zeromass.analysis.residuals import residual_histories

        return residual_histories(self, times)

    def work(self) -> Work:
        """Energy balance: energy along the run, and the work of forces.

        >>> x = zm.coordinate("x")
        >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
        >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
        >>> round(float(run.work().applied[-1]), 9)  # 2 N on a way of 9 m
        18.0
        """
        from zeromass.analysis import work

        return work(self)

    # what it tells ---------------------------------------------------------------------------------------------------
    def maximum(self, expression: Expression | str) -> Extremum:
        """Largest value of an expression and its time, also between steps.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> highest, when = run.maximum(zm.rate(x))
        >>> round(highest, 9), bool(np.isclose(when, 3 * np.pi / 2))
        (1.0, True)
        """
        from zeromass.analysis import maximum

        return maximum(self, meant(self.system, expression))

    def minimum(self, expression: Expression | str) -> Extremum:
        """Smallest value of an expression and its time, also between steps.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> lowest, when = run.minimum(x)
        >>> round(lowest, 9), bool(np.isclose(when, np.pi))
        (-1.0, True)
        """
        from zeromass.analysis import minimum

        return minimum(self, meant(self.system, expression))

    def integral(self, expression: Any) -> np.ndarray:
        """The integral of an expression over the time of the run, or of each of an array of them, to rtol ∫|e| dt.

        Not a number where it can not be resolved, as beside a pole.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=np.pi)
        >>> run.integral([abs(x), zm.rate(x)]).round(9)
        array([ 2., -2.])
        """
        from zeromass.analysis import integral

        return integral(self, meant(self.system, expression))

    def mean(self, expression: Any) -> np.ndarray:
        """The mean of an expression over the time of the run, or of each of an array of them; see `integral`.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=np.pi)
        >>> float(run.mean(x**2).round(9))
        0.5
        """
        from zeromass.analysis import mean

        return mean(self, meant(self.system, expression))

    def required_friction(self) -> RequiredFriction:
        """Required coefficient of friction for rolling: the largest |F_t|/F_n, and its time.

        >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(slope=0.3))
        >>> run = zm.simulate(ball, ball.start(contact=(0, 0)), until=1.0)
        >>> bool(np.isclose(run.required_friction().value, 2 / 7 * np.tan(0.3)))
        True
        """
        from zeromass.analysis import required_friction

        return required_friction(self)

    @property
    def contacts(self) -> Mapping[str, ContactHistory]:
        """Contact histories by name: modes, gaps and forces at the times `run.t`.

        >>> ball = zm.RigidBody("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
        >>> floor = zm.Contact(ball, zm.shapes.sphere(0.1), zm.surfaces.plane(), friction=0.3, name="floor")
        >>> system = zm.System([ball], gravity=10.0, contacts=[floor])
        >>> start = system.start([(ball.position, (0, 0, 0.1)), (ball.velocity, (1, 0, 0)), (ball.angular_velocity, 0.0)])
        >>> run = zm.simulate(system, start, until=1.0)
        >>> foot = run.contacts["floor"]
        >>> str(foot.mode[0]), str(foot.mode[-1]), foot.force[0].round(9)
        ('slips', 'sticks', array([-3.,  0., 10.]))
        """
        from zeromass.analysis.contact import histories

        return histories(self)

    @property
    def impacts(self) -> tuple[Impulse, ...]:
        """Impulses at contacts; `impulses` has those of other constraints too.

        >>> ball = zm.Particle("ball", mass=2.0)
        >>> floor = zm.Contact(ball, zm.shapes.point(), zm.surfaces.plane(), friction=0.0, restitution=0.5)
        >>> system = zm.System([ball], gravity=10.0, contacts=[floor])
        >>> run = zm.simulate(system, system.start([(ball.position, (0, 0, 5)), (ball.velocity, 0.0)]), until=1.5)
        >>> [(round(impact.t, 9), float(impact.impulses[0].round(9))) for impact in run.impacts]
        [(1.0, 30.0)]
        """
        if self.system.colliders is not None:
            return self.impulses
        own = {name for one in self.system.unilaterals for name in (one.name, *one.impulse_names)}
        return tuple(impulse for impulse in self.impulses if not own.isdisjoint(impulse.constraints))

    def pulling(self) -> tuple[Interval, ...]:
        """Time intervals in which a contact would have to pull.

        A ball that rolls down a sphere would leave it at 10/17 of its height:

        >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True)
        >>> run = zm.simulate(ball, ball.start(contact=(0.3, 0.0), guess=1.0), until=1.5)
        >>> (span,) = run.pulling()
        >>> heights = run.at([0.0, span.begin])[ball.center[2]]
        >>> bool(np.isclose(heights[1] / heights[0], 10 / 17))
        True
        """
        from zeromass.analysis import pulling_intervals

        return pulling_intervals(self)

    def sensitivity(self, times: ArrayLike | None = None) -> Sensitivity:
        """Derivatives of the state by the start and the parameters, at given times or at the end.

        Directions of the start that violate the constraints are formal; those along them describe neighbouring motions.

        >>> x = zm.coordinate("x")
        >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
        >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=3.0)
        >>> run.sensitivity().start[0].round(9)
        array([[1., 3.],
               [0., 1.]])
        """
        from zeromass.analysis import sensitivity

        return sensitivity(self, times)

    def adjoint(self, e: Expression | str, times: ArrayLike | None = None, weights: ArrayLike = 1.0) -> Adjoint:
        """Derivatives of Σ w_k e(t_k) by the whole start and all parameters, from one integration backward in time.

        times    at which e counts; by default the end
        weights  w, one for all or one for each time

        >>> x = zm.coordinate("x")
        >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
        >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=3.0)
        >>> run.adjoint(x).start.round(9)
        array([1., 3.])
        """
        from zeromass.analysis import adjoint

        return adjoint(self, meant(self.system, e), times, weights)

    def lyapunov_exponent(self, *, every: float | None = None, seed: int = 0) -> float:
        """Largest Lyapunov exponent, 1/s: the mean rate of growth of a tangent of the motion.

        every  time between renormalisations, s; by default a hundredth of the run
        seed   of the direction of the first tangent

        Beside the unstable rest of ẍ = 4 x motions part with e²ᵗ:

        >>> x = zm.coordinate("x")
        >>> upright = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-2 * x**2)
        >>> run = zm.simulate(upright, upright.start({x: 0.0}), until=100.0)
        >>> bool(abs(run.lyapunov_exponent() - 2.0) < 0.02)
        True
        """
        from zeromass.analysis import lyapunov_exponent

        return lyapunov_exponent(self, every=every, seed=seed)

    def lyapunov_spectrum(self, *, every: float | None = None, seed: int = 0, count: int | None = None) -> np.ndarray:
        """Lyapunov exponents along the constraints, 1/s, the largest first.

        every  time between reorthonormalisations, s; by default a hundredth of the run or less: so short that no tangent
               grows more than 1,000 times as much as another
        seed   of the directions of the first tangents
        count  how many, the largest ones; by default all. Of a large system, whose constraint derivatives are not written
               out, give a count

        If all are asked for, a RunDoubtful warning says where their sum is not the mean divergence of the flow.

        >>> x = zm.coordinate("x")
        >>> upright = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-2 * x**2)
        >>> run = zm.simulate(upright, upright.start({x: 0.0}), until=50.0)
        >>> bool(abs(run.lyapunov_spectrum() - [2.0, -2.0]).max() < 0.05)
        True
        """
        from zeromass.analysis import lyapunov_spectrum

        return lyapunov_spectrum(self, every=every, seed=seed, count=count)

    # pictures --------------------------------------------------------------------------------------------------------
    @property
    def plot(self) -> Plots:
        """Plots of the run: run.plot.path(), run.plot.forces(), run.plot.quantity(expression), …

        Each draws on the Axes that it is given, or on new ones, and returns them.

        >>> from matplotlib.figure import Figure
        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.plot.energies(Figure().add_subplot()).get_ylabel()
        'energy [J]'
        """
        from zeromass.report import Plots

        return Plots(self)

    @overload
    def view(
        self,
        path: None = None,
        *,
        others: Sequence[Run] = ...,
        layout: Literal["overlay", "side by side"] = ...,
        names: Sequence[str] | None = ...,
        shapes: Mapping[Any, Shape] | None = ...,
        lines: Sequence[tuple[Point, Point]] = ...,
        trails: Sequence[Point] | None = ...,
        plots: Mapping[str, Series] | None = ...,
        fps: float | None = ...,
        title: str | None = ...,
        sliders: Sliders | None = ...,
        source: str | None = ...,
    ) -> View: ...
    @overload
    def view(
        self,
        path: FilePath,
        *,
        others: Sequence[Run] = ...,
        layout: Literal["overlay", "side by side"] = ...,
        names: Sequence[str] | None = ...,
        shapes: Mapping[Any, Shape] | None = ...,
        lines: Sequence[tuple[Point, Point]] = ...,
        trails: Sequence[Point] | None = ...,
        plots: Mapping[str, Series] | None = ...,
        fps: float | None = ...,
        title: str | None = ...,
        sliders: Sliders | None = ...,
        source: str | None = ...,
    ) -> Path: ...
    def view(
        self,
        path: FilePath | None = None,
        *,
        others: Sequence[Run] = (),
        layout: Literal["overlay", "side by side"] = "overlay",
        names: Sequence[str] | None = None,
        shapes: Mapping[Any, Shape] | None = None,
        lines: Sequence[tuple[Point, Point]] = (),
        trails: Sequence[Point] | None = None,
        plots: Mapping[str, Series] | None = None,
        fps: float | None = None,
        title: str | None = None,
        sliders: Sliders | None = None,
        source: str | None = None,
    ) -> Path | View:
        """Writes an HTML file that plays the run in three dimensions. Without a path: a page for a notebook.

        others   runs that are played beside this one, by the same clock
        layout   of several runs: "overlay" or "side by side"
        names    of the runs, for legends
        shapes   {part, its name, or a point (x, y, z) of expressions: one of zm.shapes}, such as
                 {"bob": zm.shapes.sphere(0.05)}, or zm.shapes.mesh(file). Without one the shape follows from where a body
                 touches, from its joints, or from its inertia; particles are balls
        lines    [(point, point), …] drawn between points, three expressions each, beside rods, springs and joints
        trails   points whose paths are drawn; by default those of all parts
        plots    {"title (unit)": expression or {name: expression}} instead of the default charts
        fps      samples a second; by default 60, at least 600 and at most 6000 in all
        title    of the page
        sliders  {parameter, or what the start prescribes: (from, to)}: the page integrates the motion again when a slider
                 is moved, without a server; Ctrl or Shift and drag pulls a body. What it can not do it says, as does a
                 PageLimited warning
        source   the program that makes the run, for the page's button "copy as Python"

        The file needs no network: a content policy in it forbids any request.

        >>> bob = zm.Particle("bob", mass=1.0)
        >>> falling = zm.System([bob], gravity=9.81)
        >>> run = zm.simulate(falling, falling.start(), until=1.0)
        >>> run.view(folder / "bob.html", shapes={bob: zm.shapes.sphere(0.1)}, title="it falls").name
        'bob.html'
        """
        from zeromass.report import View
        from zeromass.report.viewer.page import slider_values, view

        write = partial(
            view,
            self,
            others=others,
            layout=layout,
            names=names,
            shapes=shapes,
            lines=lines,
            trails=trails,
            plots=plots,
            fps=fps,
            title=title,
            sliders=sliders,
            source=source,
        )
        return View.of(write, values=slider_values(self, sliders)) if path is None else write(path)

    def movie(
        self,
        path: FilePath,
        *,
        fps: float = 25,
        speed: float = 1.0,
        size: tuple[int, int] = (960, 640),
        progress: bool | Callable[[float], None] = False,
    ) -> Path:
        """Writes a film, .mp4, .gif or .webp; `speed` is seconds of motion for a second of film.

        progress  a progress bar on the terminal, or a function of the time reached

        >>> bob = zm.Particle("bob", mass=1.0)
        >>> falling = zm.System([bob], gravity=9.81)
        >>> run = zm.simulate(falling, falling.start(), until=1.0)
        >>> run.movie(folder / "bob.gif", fps=2, size=(120, 80)).name
        'bob.gif'
        """
        from zeromass.report import movie

        with _watching(progress, self.t[0], self.t[-1], "filming") as tell:
            return movie(self, path, fps=fps, speed=speed, size=size, tell=tell)

    # files -----------------------------------------------------------------------------------------------------------
    @property
    def origin(self) -> Origin:
        """Origin of the run: software versions and scenario.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.origin.versions["zeromass"] == zm.__version__
        True
        """
        if self.given_origin is not None:
            return self.given_origin
        from zeromass.report.origin import here

        return here()

    def from_scenario(self, text: str, case: str | None = None) -> Run:
        """The same run with the text of its scenario, and its case.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.from_scenario("run.until = 5", case="long").origin.case
        'long'
        """
        given_kind(text, str, "text", "the text of a scenario")
        case = "" if case is None else given_kind(case, str, "case", "the name of a case")
        return replace(self, given_origin=replace(self.origin, scenario=text, case=case))

    def save(
        self, path: FilePath, *, certificate: Certificate | bool | None = True, scenario: str | None = None
    ) -> Path:
        """Writes a netCDF file from which `zm.load` makes the run again, dense output included.

        certificate  True: that of the run, for which a second run is made unless it is known; False: none; or another one
        scenario     text of the scenario file, where the run does not know it

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> path = run.save(folder / "spring.nc")
        >>> bool(np.all(zm.load(path)[x] == run[x]))
        True
        """
        from zeromass.report.files import netcdf_path, save

        return save(self, netcdf_path(path), self._told(certificate, scenario))

    def to_xarray(
        self,
        times: ArrayLike | None = None,
        *,
        certificate: Certificate | bool | None = True,
        scenario: str | None = None,
    ) -> xarray.Dataset:
        """Coordinates, rates, accelerations and the named quantities as a Dataset; options as of `save`.

        times  by default those of the steps

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> data = run.to_xarray([0.0, 1.0])
        >>> data.energy.values.round(9), data.energy.units
        (array([0.5, 0.5]), 'J')
        """
        from zeromass.report.files import to_dataset

        return to_dataset(self, times, self._told(certificate, scenario))

    def to_csv(self, path: FilePath, times: ArrayLike | None = None) -> Path:
        """Writes time, coordinates, rates and named quantities as a CSV table, one row a time.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> print(run.to_csv(folder / "spring.csv", [0.0]).read_text(), end="")
        "t [s]","x","rate of x","energy [J]","kinetic [J]","potential [J]"
        0.0,1.0,0.0,0.5,0.0,0.5
        """
        from zeromass.report import to_csv

        return to_csv(self, path, times)

    def to_parquet(
        self,
        path: FilePath,
        times: ArrayLike | None = None,
        *,
        certificate: Certificate | bool | None = True,
        scenario: str | None = None,
    ) -> Path:
        """Writes the table of `to_csv` as Parquet, with units and with the attributes of `to_xarray`; needs pyarrow.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.to_parquet(folder / "spring.parquet").name
        'spring.parquet'
        """
        from zeromass.report import to_parquet

        return to_parquet(self, path, times, self._told(certificate, scenario))

    def _told(self, certificate: Certificate | bool | None, scenario: str | None) -> dict[str, str | float]:
        """What files and datasets tell of the run beside its numbers."""
        from zeromass.report.origin import attributes

        words = ""
        if not (scenario is None or (isinstance(scenario, str) and "\0" not in scenario)):
            raise ModelError(f"scenario is {shown(scenario)}; it is the text of a scenario file")
        if not (certificate is None or isinstance(certificate, bool) or hasattr(certificate, "digits")):
            raise ModelError(f"certificate is {shown(certificate)}; it is True, False or one of run.certificate()")
        if certificate is True and len(self) > 1:  # a run that could not begin has nothing to be measured
            words = self.origin.certificate or str(self.certificate())
        elif not isinstance(certificate, bool) and certificate is not None:
            words = str(certificate)
        return attributes(self, self.origin, certificate=words, scenario=scenario)


def _with_parameters(start: State, parameters: Parameters) -> State:
    """The same state with other values of some parameters."""
    if not parameters:
        return start
    given = by_parameter(given_mapping(parameters, "parameters", "{parameter: number}"), start.system.parameters)
    values = parameter_values(start.system, {**start.parameters, **given})
    return State(start.system, start.t, start.q, start.v, {**start.parameters, **values}, turns=start.turns)


@contextmanager
def _watching(
    progress: bool | Callable[[float], None], start: float, until: float, word: str = "simulating"
) -> Iterator[Callable[[float], None]]:
    """Who is told the time reached: a function, or a bar on the terminal."""
    if not callable(progress) and not isinstance(progress, int | np.bool_ | None):
        raise ModelError(f"progress is {shown(progress)}; it is True or False, or a function of the time reached")
    if callable(progress):
        yield lambda t: value_of(progress, (t,), "progress")
    elif progress:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(word, total=abs(until - start))
            yield lambda t: bar.update(task, completed=abs(t - start))
    else:
        yield lambda t: None
