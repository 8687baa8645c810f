"""A linear system: ẋ = A x + B u, y = C x + D u, with names, its modes and what control makes of it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeromass.equation.arrays import single_thread
from zeromass.equation.rank import negligible
from zeromass.errors import shown
from zeromass.expression import Expression
from zeromass.model import ModelError, State
from zeromass.model.given import given_count, given_finite, given_kind

if TYPE_CHECKING:
    from os import PathLike

    from zeromass.analysis.regulator import Regulator
    from zeromass.run import Run

ON_AXIS = 1e-7
"""Real parts below this part of the largest eigenvalue count as zero: about the square root of rounding, by which a double
eigenvalue at zero, that of a coordinate that nothing depends on, may be off."""

Eigenvalues = NDArray[np.complex128]

Stability = Literal["stable", "marginal", "unstable"]


@dataclass(frozen=True, eq=False)
class Mode:
    """Mode of a linear system: x = Re(shape e^{λt}).

    eigenvalue  λ, 1/s
    frequency   |Im λ|/2π, Hz
    damping     −Re λ/|λ|: 1 for a motion that dies out without swinging, negative for one that grows
    shape       {name: amplitude}, complex, the largest 1: of all coordinates, or of the states where these were given
    motion, view  what that looks like

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=2 * x**2)
    >>> mode, = zm.analysis.linearize(spring, spring.start()).modes()
    >>> round(mode.frequency, 6), abs(mode.shape["x"])
    (0.31831, 1.0)
    """

    eigenvalue: complex
    shape: dict[str, complex]
    vector: np.ndarray
    """The same in the states of the linear system."""
    linear: LinearSystem
    """Whose mode it is."""

    @property
    def frequency(self) -> float:
        """Of the oscillation, Hz."""
        return abs(self.eigenvalue.imag) / (2 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size else 0.0

    def motion(self, amplitude: float | None = None, *, periods: float = 3.0) -> Run:
        """The system as it swings in this shape, neither growing nor dying out: a run to look at, with `view` and `movie`.

        amplitude  of what moves most in the shape; by default one that is seen well
        periods    how often; a motion that does not swing goes to and fro

        It is on its constraints, but no solution of the equations: for that start at `linear.displaced(mode, …)`.

        >>> bob = zm.Particle("bob", mass=1.0)
        >>> x, y, z = bob.position
        >>> rod = zm.System([bob], gravity=9.81, constraints={"rod": bob.position @ bob.position - 1, "plane": y})
        >>> mode, = zm.analysis.linearize(rod, rod.equilibrium(guess={z: -1.0})).modes()
        >>> run = mode.motion(0.3)
        >>> bool(abs(run.t[-1] - 3 / mode.frequency) < 1e-9), bool(0.28 < run[x].max() < 0.3)
        (True, True)
        """
        from zeromass.analysis.swinging import swinging

        return swinging(self.linear, self, amplitude, periods)

    def view(
        self, path: str | PathLike[str] | None = None, *, amplitude: float | None = None, periods: float = 3.0
    ) -> Any:
        """Writes an HTML file that shows the shape as a moving picture, and returns its path; without, for a notebook.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=2 * x**2)
        >>> mode, = zm.analysis.linearize(spring, spring.start()).modes()
        >>> mode.view(folder / "mode.html").name
        'mode.html'
        """
        run = self.motion(amplitude, periods=periods)
        swings = f"{self.frequency:.4g} Hz" if self.frequency else f"{self.eigenvalue.real:.4g} 1/s"
        system = self.linear.at.system
        named = zip(system.names, system.coordinates, strict=True)
        known = {name: x for name, x in named if abs(self.shape.get(name, 0.0)) > 0.01}
        shown = sorted(known, key=lambda name: -abs(self.shape[name]))[:4]
        damping = 0.0 if abs(self.damping) < ON_AXIS else self.damping
        plots = {"shape": {name: known[name] for name in shown}} if shown else {}
        return run.view(path, title=f"mode of {swings}, damping {damping:.3g}", plots=plots)

    def __repr__(self) -> str:
        moving = [(name, z) for name, z in self.shape.items() if abs(z) > 1e-3]
        parts = [f"{name} {z.real:+.3g}" + (f"{z.imag:+.3g}i" if abs(z.imag) > 1e-9 else "") for name, z in moving]
        swings = f"{self.frequency:.6g} Hz, damping {self.damping:.4g}" if self.frequency else "no oscillation"
        λ = f"{self.eigenvalue.real:+.6g}" + (f"{self.eigenvalue.imag:+.6g}i" if self.eigenvalue.imag else "")
        return f"Mode({λ} 1/s; {swings}; {', '.join(parts)})"


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Linear system about a state: ẋ = A x + B u + drift, y = C x + D u, in deviations from that state.

    A, B, C, D  shapes (d, d), (d, inputs), (outputs, d), (outputs, inputs)
    states      names of x: coordinates and rates that are independent on the constraints, or what was asked for
    inputs, outputs  names of u and y
    at          the state that it was linearised at
    drift       ẋ there, zero at rest
    removed     directions of (q, q̇) that leave the constraints: so many eigenvalues would be spurious
    ignored     directions along the constraints that the states asked for do not tell of
    directions  what all coordinates and rates do, (δq, δq̇) = directions x, shape (2n, d)

    >>> theta = zm.coordinate("theta")
    >>> pendulum = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta))
    >>> upright = zm.analysis.linearize(pendulum, pendulum.start({theta: np.pi}), inputs=[{theta: 1.0}], outputs=[theta])
    >>> upright.A
    array([[0.  , 1.  ],
           [9.81, 0.  ]])
    >>> upright.states, upright.inputs, upright.outputs
    (('theta', 'rate(theta)'), ('force on theta',), ('theta',))
    >>> upright.stability(), upright.transfer(0.0).round(6)
    ('unstable', array([[-0.101937+0.j]]))
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    at: State
    drift: np.ndarray
    removed: int
    ignored: int
    directions: np.ndarray
    named: bool
    """Whether the states are those that were asked for."""
    formulas: tuple[Expression, ...]
    """What the states are, as expressions."""
    acting: tuple[Any, ...]
    """What the inputs are: the parameters, with the forces of those that the system does not know."""

    def __repr__(self) -> str:
        sizes = f"{len(self.A)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"LinearSystem({sizes}; {self.stability()}; {self.removed} directions off the constraints removed)"

    @cached_property
    def eigenvalues(self) -> Eigenvalues:
        """Of A, 1/s, those that grow fastest first."""
        with single_thread:
            return _sorted(np.linalg.eigvals(self.A).astype(complex))

    def stability(self, tolerance: float = ON_AXIS) -> Stability:
        """Whether small motions die out ("stable"), grow ("unstable"), or neither, as far as the linear system tells.

        tolerance  part of the largest eigenvalue below which a real part counts as zero
        """
        tolerance = given_finite(tolerance, "tolerance")
        growing = self.eigenvalues.real[
            ~negligible(self.eigenvalues.real, np.abs(self.eigenvalues).max(initial=0.0), tolerance)
        ]
        if (growing > 0).any():
            return "unstable"
        return "stable" if len(growing) == len(self.A) else "marginal"

    @single_thread
    def modes(self) -> list[Mode]:
        """Frequencies, damping and shapes, those that grow fastest first; one for a pair of conjugate eigenvalues."""
        values, vectors = (x.astype(complex) for x in np.linalg.eig(self.A))
        n = len(self.at.q)
        names = list(self.states) if self.named else self.at.system.names
        found = []
        for λ in _sorted(values):
            if λ.imag < 0:
                continue
            x = vectors[:, np.flatnonzero(values == λ)[0]]
            δ = x if self.named else self.directions[:n] @ x
            largest = δ[np.argmax(np.abs(δ).round(12))] if np.abs(δ).max(initial=0.0) else 1.0
            shape = dict(zip(names, (complex(z) for z in δ / largest), strict=True))
            found.append(Mode(complex(λ), shape, x / largest, self))
        return found

    def displaced(self, mode: Mode, amplitude: float, phase: float = 0.0) -> State:
        """The state beside this one, moved along a mode and back onto the constraints: a run from there shows it.

        amplitude  of what moves most in the shape of the mode
        phase      rad, of its oscillation

        >>> bob = zm.Particle("bob", mass=1.0)
        >>> x, y, z = bob.position
        >>> rod = zm.System([bob], gravity=9.81, constraints={"rod": bob.position @ bob.position - 1, "plane": y})
        >>> linear = zm.analysis.linearize(rod, rod.equilibrium(guess={z: -1.0}))
        >>> start = linear.displaced(linear.modes()[0], 0.1)
        >>> round(abs(start[x]), 3), round(start[z], 3)
        (0.1, -0.995)
        """
        given_kind(mode, Mode, "mode", "one of linear.modes()")
        amplitude, phase = given_finite(amplitude, "amplitude"), given_finite(phase, "phase")
        δ = self.directions @ np.real(mode.vector * np.exp(1j * phase)) * amplitude
        n, state = len(self.at.q), self.at
        moved = State(state.system, state.t, state.q + δ[:n], state.v + δ[n:], state.parameters)
        return moved.carried_to(state.system)

    def transfer(self, s: ArrayLike) -> np.ndarray:
        """C (s − A)⁻¹ B + D at complex s, 1/s, shape s.shape + (outputs, inputs); s = 2πi f for a frequency f."""
        try:
            s = np.asarray(s, dtype=complex)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"s is {shown(s)}; it is a complex number, or an array of them") from error
        inner = s[..., None, None] * np.eye(len(self.A)) - self.A
        try:
            reached = np.linalg.solve(inner, np.broadcast_to(self.B, (*s.shape, *self.B.shape)))
        except np.linalg.LinAlgError as error:
            raise ModelError("s is an eigenvalue of the system, where its transfer function is infinite") from error
        return self.C @ reached + self.D

    def fraction(self, output: int = 0, input: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator of one transfer function, coefficients of s with the highest power first.

        >>> x = zm.coordinate("x")
        >>> cart = zm.System(kinetic=zm.rate(x) ** 2, forces={x: -zm.rate(x)})
        >>> above, below = zm.analysis.linearize(cart, cart.start(), inputs={x: 1.0}, outputs=[x]).fraction()
        >>> above.round(9).tolist(), below.round(9).tolist()  # 1/(2 s² + s)
        ([0.0, 0.0, 0.5], [1.0, 0.5, 0.0])
        """
        output = given_count(output, "output", below=len(self.C))
        input = given_count(input, "input", below=self.B.shape[1])
        below = np.real(np.poly(self.A))
        column, row = self.B[:, [input]], self.C[[output]]
        above = np.real(np.poly(self.A - column @ row)) + (self.D[output, input] - 1.0) * below
        return above, below

    def to_control(self) -> Any:
        """The system of python-control, with the same names; needs that package."""
        try:
            control = importlib.import_module("control")
        except ImportError as error:
            raise ModelError("python-control is not installed; pip install 'zeromass[control]'") from error
        names = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def lqr(self, Q: ArrayLike, R: ArrayLike) -> Regulator:
        """The feedback u = −K x that makes ∫ xᵀQx + uᵀRu dt least; Q and R as matrices, or their diagonals, or numbers.

        >>> theta = zm.coordinate("theta")
        >>> pole = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=np.cos(theta))
        >>> upright = zm.analysis.linearize(pole, pole.start(), inputs=[{theta: 1.0}])
        >>> regulator = upright.lqr(Q=(1.0, 1.0), R=1.0)
        >>> regulator.gain.round(6)
        array([[2.414214, 2.414214]])
        >>> balanced = regulator.closed()
        >>> zm.analysis.linearize(balanced, balanced.start()).stability()
        'stable'
        """
        from zeromass.analysis.regulator import regulator

        return regulator(self, Q, R)


def _sorted(values: Eigenvalues) -> Eigenvalues:
    return values[np.lexsort((-values.imag, -values.real.round(10)))]
