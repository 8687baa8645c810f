"""Udwadia & Di Massa 2011: a steel ball on a parabolic trough that is shaken, cases Ia–IIId and one of two frequencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from zeromass.contact import Rolling, SphericalBody, Surface
from zeromass.equation import numerical_rank
from zeromass.expression import Expression, parameter, t
from zeromass.papers.table import Row, Section, below
from zeromass.papers.whole import whole
from zeromass.run import Run, simulate

TITLE = "ball on a moving parabolic trough, 4 s"
MASS, INERTIA, RADIUS, GRAVITY = 0.2634, 4.21e-5, 0.02, 9.81
"""kg, kg m², m, m/s²; the paper does not print g."""

A0, B0 = 2.0, 3.0
"""The trough x²/a₀² − z/b₀² = 0 (eq. 25)."""

UNTIL, RTOL, ATOL = 4.0, 1e-13, 1e-16
"""s; tighter than the paper's 1e-9 and 1e-13, so that all digits shown hold."""

AMPLITUDE, FREQUENCIES = 0.1, dict(zip("abcd", (1.0, 1.5, 3.0, 6.0), strict=True))
"""m; π rad/s (Table 1)."""

Term = tuple[float, float]


@dataclass(frozen=True)
class Shaking:
    """How the trough moves, Σ A cos(Ω t) along each axis by pairs (A in m, Ω in π rad/s), and where the ball starts.

    xi0  contact point along x at the start, m; the ball is at rest
    """

    x: tuple[Term, ...] = ()
    y: tuple[Term, ...] = ()
    z: tuple[Term, ...] = ()
    xi0: float = 0.2


def _single(axes: str, frequency: float, xi0: float = 0.2) -> Shaking:
    return Shaking(**dict.fromkeys(axes, ((AMPLITUDE, frequency),)), xi0=xi0)


CASES: dict[str, Shaking] = {
    **{f"I{c}": _single("x", f) for c, f in FREQUENCIES.items()},
    **{f"II{c}": _single("xy", f) for c, f in FREQUENCIES.items()},
    **{f"III{c}": _single("xyz", f, 0.3) for c, f in FREQUENCIES.items()},
    "two frequencies": Shaking(x=((0.05, 1.0), (0.1, 1.5)), y=((0.1, 1.0), (0.05, 6.0)), xi0=0.3),  # eqs. 28, 29
}

READINGS: dict[str, Shaking] = {f"I{c} along y": _single("y", f) for c, f in FREQUENCIES.items()}
"""Set I as the text has it; Table 1 moves the trough along x."""

EQUAL_STARTS: dict[str, Shaking] = {f"III{c} from 0.2": _single("xyz", f) for c, f in FREQUENCIES.items()}
"""Set III from the start of set II, for the comparison of their projections that the text makes."""

WALK, WALK_UNTIL = "IIc", 20.0


@dataclass(frozen=True)
class Model:
    """The ball on its trough, with amplitudes and frequencies as parameters: every case runs on the same code.

    terms  for each axis, the parameters (A, Ω) of its terms
    """

    rolling: Rolling
    terms: Mapping[str, Sequence[tuple[Expression, Expression]]]

    def values(self, case: Shaking) -> dict[Expression, float]:
        """The parameters of one case; terms that it does not have get amplitude zero."""
        values: dict[Expression, float] = {}
        for axis, symbols in self.terms.items():
            given = getattr(case, axis)
            for (A, Ω), (amplitude, frequency) in zip(symbols, [*given, *[(0.0, 0.0)] * len(symbols)], strict=False):
                values |= {A: amplitude, Ω: frequency * np.pi}
        return values


@cache
def model() -> Model:
    """Two terms along x and y, one along z: enough for every case."""
    terms = {
        axis: [(parameter(f"A_{axis}{i}", 0.0), parameter(f"Omega_{axis}{i}", 0.0)) for i in range(count)]
        for axis, count in {"x": 2, "y": 2, "z": 1}.items()
    }
    shift = [sum(A * np.cos(Ω * t) for A, Ω in terms[axis]) for axis in "xyz"]
    trough = Surface(lambda x, y, z: z / B0**2 - x**2 / A0**2, shift=shift, name="trough")
    ball = SphericalBody(RADIUS, MASS, (INERTIA,) * 3, name="ball")
    return Model(Rolling(ball, on=trough, gravity=GRAVITY, two_sided=True), terms)


def run(case: Shaking, *, until: float = UNTIL, rtol: float = RTOL, atol: float = ATOL, **options: Any) -> Run:
    """One case; options as of `simulate`."""
    found = model()
    start = found.rolling.start(contact=(case.xi0, 0.0), parameters=found.values(case))
    return whole(simulate(found.rolling, start, until=until, rtol=rtol, atol=atol, **options))


def runs() -> dict[str, Run]:
    """The twelve cases, the one of two frequencies, and set I in its other reading."""
    return {name: run(case) for name, case in {**CASES, **READINGS}.items()}


def section(runs: dict[str, Run]) -> Section:
    """What the paper says of them, and what is computed."""
    rows = [_contact(name, run) for name, run in runs.items()]
    rows += [*_periods(runs), *_projections(runs), *_walk(), *_errors(runs)]
    return Section("UD2011", TITLE, tuple(rows))


def _contact(name: str, run: Run) -> Row:
    pulling = run.pulling()
    if not pulling:
        μ = run.required_friction()
        least = run.minimum(model().rolling.normal_force).value
        found = f"kept, F_n ≥ {least:.2f} N; needs μ = {μ.value:.4f} at {μ.time:.2f} s"
        return Row(f"contact, {name}", "taken for granted", found, True)
    part = sum(interval.end - interval.begin for interval in pulling) / (run.t[-1] - run.t[0])
    found = f"lost at {pulling[0].begin:.4f} s; pulled for {100 * part:.0f} % of the time"
    return Row(f"contact, {name}", "taken for granted", found, False, "the printed motion needs a two-sided contact")


def _periods(runs: dict[str, Run]) -> list[Row]:
    """Set I: how far from its start the centre is after periods of the trough."""
    rows = []
    for name in (*[f"I{c}" for c in FREQUENCIES], *READINGS):
        period = 2 / FREQUENCIES[name[1]]
        places = runs[name].at(np.arange(0, UNTIL + period / 2, period)[:4])[model().rolling.center]
        nearest = np.linalg.norm(places[1:] - places[0], axis=1).min()
        across = np.abs(runs[name][model().rolling.center][:, 1]).max()
        shape = "in the plane y = 0" if across < 1e-12 else f"|y| up to {across:.3f} m"
        found = f"{shape}; {nearest:.3f} m off after a period at best"
        remark = "drive and free oscillation mix: bounded, but not repeated" if name == "Ia" else ""
        rows.append(Row(f"motion, {name}", "appears periodic", found, None, remark))
    return rows


def _projections(runs: dict[str, Run]) -> list[Row]:
    """Sets II and III side by side: root mean square of the difference of the contact points along x."""
    times = np.linspace(0, UNTIL, 401)
    x = model().rolling.contact[0]
    rows = []
    for c in FREQUENCIES:
        second, third = (runs[name].at(times)[x] for name in (f"II{c}", f"III{c}"))
        equal = run(EQUAL_STARTS[f"III{c} from 0.2"]).at(times)[x]
        printed, same = (float(np.sqrt(np.mean((other - second) ** 2))) for other in (third, equal))
        alike = c in "ab"
        rows.append(
            Row(
                f"x of III{c} against II{c}",
                "no visible difference" if alike else "different",
                f"rms {printed:.3f} m; {same:.3f} m from equal starts",
                (printed < 0.01) if alike else True,
                "the printed starts differ, 0.20 and 0.30 m" if alike else "",
            )
        )
    return rows


def _walk() -> list[Row]:
    walk = run(CASES[WALK], until=WALK_UNTIL)
    y = walk.at([4.0, 10.0, WALK_UNTIL])[model().rolling.center][:, 1]
    found = "along y: " + ", ".join(f"{place:.2f} m at {time:g} s" for place, time in zip(y, (4, 10, 20), strict=True))
    return [
        Row(f"walk, {WALK}", "along x, unbounded", found, False, "x is confined by the trough; the ball comes back")
    ]


def _errors(runs: dict[str, Run]) -> list[Row]:
    rolling = model().rolling
    zeros = max(float(np.abs(run[[row.zero for row in rolling.rows]]).max()) for run in runs.values())
    full = all(_full_rank(run) for run in runs.values())
    return [
        Row("constraints, all cases", "errors as the tolerances", below(zeros, 1e-11), zeros < 1e-11),
        Row("rank of [M; A], all cases", "full", "full" if full else "not full", full, "13 coordinates here, 10 there"),
    ]


def _full_rank(run: Run) -> bool:
    M, _, A, _, _ = run.system.matrices(run.at(np.linspace(0, UNTIL, 41)).inputs)
    return bool(np.all(numerical_rank(np.concatenate([M, A], axis=1)).rank == M.shape[-1]))
