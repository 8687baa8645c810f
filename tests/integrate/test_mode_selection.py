"""The selection of modes: its linear equations, decisions by high derivatives, and every reason why there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm
from hybrid.corpus import SWITCHES
from zeromass.integrate.hybrid import mode_selector as selecting
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.guard_cache import GuardCache
from zeromass.integrate.hybrid.messages import WORDS, Selection
from zeromass.integrate.hybrid.mode_selector import ModeSelector
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.sliding import solve
from zeromass.integrate.hybrid.switches import try_choice
from zeromass.integrate.hybrid.tables import switch_table
from zeromass.integrate.hybrid.time_events import TimeEvents
from zeromass.model.pieces import Undecided

EPS = np.finfo(float).eps


@pytest.mark.parametrize("seed", range(20))
def test_linear_equations_are_solved(seed):
    """Rows and columns of any units: x within rounding of NumPy's, times the condition of the scaled matrix."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 8))
    A, b = rng.normal(size=(m, m)), rng.normal(size=m)
    units = 10.0 ** rng.uniform(-6, 6, size=(2, m))
    given, x, order = (A * units[0, :, None] * units[1]).copy(), (b * units[0]).copy(), np.zeros(m, dtype=np.int64)
    det, least = solve(given, x, np.zeros(m), order, m)
    expected = np.linalg.solve(A, b) / units[1]
    off = np.abs((x - expected) * units[1]).max()
    assert off <= 100 * m * EPS * np.linalg.cond(A) * np.abs(expected * units[1]).max()
    assert det == pytest.approx(np.linalg.det(A) * units.prod(), rel=1e-9)
    assert 0 < least <= 1


def test_rows_that_depend_on_one_another_have_no_least_pivot():
    A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]])
    det, least = solve(A, np.ones(3), np.zeros(3), np.zeros(3, dtype=np.int64), 3)
    assert least < 1e-15
    assert abs(det) < 1e-13


@pytest.mark.parametrize("name", SWITCHES)
def test_python_and_machine_code_select_the_same_modes(name, monkeypatch):
    problem = SWITCHES[name]()
    pieces = problem.system.pieces
    assert pieces is not None
    timed = TimeEvents(pieces, problem.start, problem.until).modes(0)

    def begun() -> Any:
        try:
            piece = ModeSelector(pieces, 1.0, 1).begin(problem.start, timed)
            return piece.modes, piece.holds
        except Undecided as why:
            return str(why)

    one = begun()
    monkeypatch.setattr(selecting, "compiled", lambda kernel: kernel)
    assert begun() == one


def test_what_is_remembered_of_one_state_is_not_used_at_another():
    """ẍ = −4x − 0.5 sgn ẋ: modes are selected at rest at x = 1, and then a side is tried at x = −2."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -4.0 * x - 0.5 * np.sign(zm.rate(x))})
    pieces = system.pieces
    assert pieces is not None
    w = switch_table(pieces, 1.0, PythonFunctions(GuardCache(pieces, 1), Callbacks()))
    values = np.array([float(p.default or 0.0) for p in pieces.system.parameters])
    assert select_modes(w, np.array([1.0, 0.0]), values, True) == Selection.DECIDED
    w.count, w.open[0], w.zeros[0], w.choice[0] = 1, 0, 0.0, 1.0
    assert try_choice(w, np.array([-2.0, 0.0]), values, w.choice)
    assert w.slope[1] == 8.0 - 0.5


@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("ahead", [1.0, -1.0])
def test_a_derivative_of_high_order_decides(order, ahead):
    """ẍ = tⁿ⁻² + 5 max(x, 0) from rest: x goes as tⁿ, up or down, and the spring acts above zero alone."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: zm.t ** (order - 2) + 5 * np.maximum(x, 0)})
    start = system.start({x: 0.0, zm.rate(x): 0.0})
    run = zm.simulate(system, start, until=2.0 * ahead, rtol=1e-11, atol=1e-13)
    up = ahead**order > 0
    k = 5.0 if up else 0.0
    exact = solve_ivp(lambda t, y: [y[1], t ** (order - 2) + k * y[0]], (0, 2 * ahead), [0, 0], rtol=1e-12, atol=1e-14)
    assert run.y[-1] == pytest.approx(exact.y[:, -1], rel=1e-8)


def chain(count: int, force: Any) -> tuple[zm.System, zm.State]:
    """Unit masses at rest, each with a force of all signs of the speeds and of its place."""
    x = [zm.coordinate(f"x{i}") for i in range(count)]
    s = [np.sign(zm.rate(xi)) for xi in x]
    kinetic = sum(zm.rate(xi) ** 2 for xi in x) / 2
    system = zm.System(kinetic=kinetic, forces={xi: force(i, s, xi) for i, xi in enumerate(x)})
    return system, system.start(dict.fromkeys(x, 0.0))


def wire(across: Any, along: Any) -> tuple[zm.System, zm.State]:
    """A unit mass on the line y = 0, with forces that depend on the speed along it and on λ of the constraint."""
    x, y = zm.coordinate("x"), zm.coordinate("y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    (λ,) = zm.System(kinetic=kinetic, constraints={"wire": y}).multipliers
    side = np.sign(zm.rate(x))
    forces = {x: along(side, λ), y: across(side, λ)}
    system = zm.System(kinetic=kinetic, constraints={"wire": y}, nonideal=forces)
    return system, system.start({x: 0.0, zm.rate(x): 0.0})


REFUSED: dict[Selection, Any] = {
    Selection.SEVERAL: lambda: chain(1, lambda i, s, x: np.sign(x)),
    Selection.NO_MOTION: lambda: chain(1, lambda i, s, x: -np.sign(x)),
    Selection.SEVERAL_SLIDE: lambda: chain(2, lambda i, s, x: -s[i] - (0.9, 2.0)[i] * s[1 - i]),
    Selection.NOT_ADDITIVE: lambda: chain(2, lambda i, s, x: -s[i] * (4 + s[1 - i])),
    Selection.MANY_NOT_ADDITIVE: lambda: chain(6, lambda i, s, x: -s[i] * (4 + s[i - 1])),
    Selection.TOO_MANY: lambda: chain(6, lambda i, s, x: -zm.t * np.sign(x)),
    Selection.PULLS_AND_PUSHES: lambda: wire(lambda s, λ: 1 + 2 * s, lambda s, λ: -0.5 * abs(λ) * s),
    Selection.NO_SIGN: lambda: wire(lambda s, λ: 1 + 2 * abs(λ), lambda s, λ: 0.0 * s),
    Selection.SEVERAL_SIGNS: lambda: wire(lambda s, λ: -1 + 2 * abs(λ), lambda s, λ: 0.0 * s),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_motion_that_is_not_determined_says_why(why):
    system, start = REFUSED[why]()
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, start, until=1.0)
    assert run.outcome.ending.name == "AMBIGUOUS"
    first, last = WORDS[why].format(which="|", count=6, number=2).split("|")
    assert run.outcome.message.startswith(first)
    assert run.outcome.message.endswith(last)


def test_an_error_in_what_python_evaluates_is_raised(monkeypatch):
    """Ctrl-C while a derivative is made: the run is interrupted, and the next one is as if nothing had been."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: zm.t + np.maximum(x, 0)})
    start = system.start({x: 0.0, zm.rate(x): 0.0})

    def interrupted(*given: Any) -> np.ndarray:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(GuardCache, "higher_slopes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            zm.simulate(system, start, until=1.0)
    assert zm.simulate(system, start, until=1.0).outcome.complete
