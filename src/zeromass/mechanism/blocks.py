"""First-order states as massless coordinates: filters and controllers, written as what their rate is.

A coordinate x without mass and the constraint ẋ = f(q, q̇, x, t) are a state of first order. Its constraint force is zero:
nothing acts on x, so that it takes part in no balance, whatever else is in f.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zeromass.errors import ModelError, shown
from zeromass.expression import Expression, Symbol, as_expression, coordinate, rate, where
from zeromass.mechanism.joint import Connected, Law
from zeromass.model.given import Number, given_name, given_positive, given_scalar, value_of


class Signal(Connected):
    """First-order state with a given rate, as massless coordinate; give it to `joints`.

    rate   expression of positions, rates, time and other signals; or a function of the state itself
    value  the state

    >>> tank = zm.control.Signal("tank", lambda level: 1.0 - 0.5 * level)
    >>> x = zm.coordinate("x")
    >>> system = zm.System(kinetic=zm.rate(x)**2 / 2, joints=[tank])
    >>> run = zm.simulate(system, system.start(), until=2.0)
    >>> bool(abs(run[tank.value][-1] - 2 * (1 - np.exp(-1.0))) < 1e-9)
    True
    """

    _interface = ("value", "growth")

    def __init__(self, name: str, rate: Any, *, first: float = 0.0) -> None:
        self.name: str = given_name(name, "a signal")
        self.value: Symbol = coordinate(f"{name}.value")
        self.coordinates: tuple[Symbol, ...] = (self.value,)
        begins = given_scalar(first, f"first of '{name}'").value
        if begins is None:
            raise ModelError(f"first of '{name}' is {shown(first)}; it is a number, the value at a start")
        self.usual: Mapping[Symbol, float] = {self.value: begins} if begins else {}
        self.growth: Expression = given_scalar(_told(rate, self.value, name), f"the rate of '{name}'")

    def _laws(self) -> Sequence[Law]:
        return [Law("rate", as_expression(rate(self.value) - self.growth))]


class LowPass(Signal):
    """First-order low-pass filter: T ẏ = u − y.

    signal  u, an expression
    time    T, s
    value   y

    >>> smooth = zm.control.LowPass("smooth", zm.t, time=0.1)
    >>> x = zm.coordinate("x")
    >>> system = zm.System(kinetic=zm.rate(x)**2 / 2, joints=[smooth])
    >>> run = zm.simulate(system, system.start(), until=2.0)
    >>> round(float(run[smooth.value][-1]), 6)  # a ramp lags by T
    1.9
    """

    def __init__(self, name: str, signal: Number, *, time: Number, first: float = 0.0) -> None:
        u, T = given_scalar(signal, f"the signal of '{name}'"), given_positive(time, f"the time of '{name}'")
        super().__init__(name, lambda y: (u - y) / T, first=first)


class PID(Signal):
    """PID controller: output = kp e + ki ∫e dt + kd ė.

    error   e, an expression of positions, time and parameters
    output  a force or torque for a motor, or whatever it is to set
    limit   of the size of the output; beyond it the integral waits

    >>> arm = zm.RigidBody("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.3, 0, 0))
    >>> pin = zm.joints.Revolute(zm.Ground(), arm, at=(0, 0, 0), axis=(0, -1, 0))
    >>> servo = zm.control.PID("servo", 0.5 - pin.angle, kp=40.0, ki=60.0, kd=6.0)
    >>> system = zm.System([arm], gravity=9.81, joints=[pin, servo], forces=[pin.motor(servo.output)])
    >>> run = zm.simulate(system, system.start(), until=8.0)
    >>> round(float(run[pin.angle][-1]), 4)
    0.5
    """

    _interface = ("output",)

    def __init__(
        self,
        name: str,
        error: Number,
        *,
        kp: Number = 0.0,
        ki: Number = 0.0,
        kd: Number = 0.0,
        limit: Number | None = None,
    ) -> None:
        e = given_scalar(error, f"the error of '{name}'")
        super().__init__(name, e)
        kp, ki, kd = (given_scalar(k, f"{what} of '{name}'") for what, k in (("kp", kp), ("ki", ki), ("kd", kd)))
        wanted = as_expression(kp * e + ki * self.value + kd * rate(e))
        self.output: Expression = wanted
        if limit is not None:
            limit = given_positive(limit, f"the limit of '{name}'")
            self.output = saturated(wanted, -limit, limit)
            waits = where(wanted > limit, 0.0, where(wanted < -limit, 0.0, 1.0))
            self.growth: Expression = as_expression(waits * e)


def saturated(signal: Number, low: Number, high: Number) -> Expression:
    """Saturation: the signal between low and high.

    >>> zm.expression.evaluate(zm.control.saturated(3.0 * zm.t, -1.0, 1.0), {zm.t: 2.0})
    1.0
    """
    u, low, high = (
        given_scalar(e, f"{what} of zm.control.saturated")
        for e, what in ((signal, "signal"), (low, "low"), (high, "high"))
    )
    return as_expression(where(u > high, high, where(u < low, low, u)))


def _told(rate: Any, value: Symbol, name: str) -> Any:
    """A rate as it is, or that a function of the value gives."""
    return value_of(rate, (value,), f"the rate of '{name}'") if callable(rate) else rate
