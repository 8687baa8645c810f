"""All rolling runs of the papers: twelve of the shell, 25 s each, and seventeen of the ball, 4 s each.

    python benchmarks/papers.py [--repeat N] [--full] [--json]

zeromass starts in a fresh interpreter: its time is that of the whole process, with imports, derivation, machine code,
starts and runs, at the papers' tolerances, and at the tighter ones that `zeromass papers` uses. Its steps alone are the
difference between rounds of the whole runs and of runs of a microsecond, once the machine code is there.

The papers' way is NumPy and SciPy: matrices typed by hand, two pseudo-inverses at every evaluation, Runge–Kutta 4(5) at
the papers' tolerances, with the right-hand side as printed, [Q; b], and projected, [(I − A⁺A)Q; b]. That takes many
minutes, so a part from the middle of every case is run and the time is scaled with the length; --full runs everything.
There is nothing to derive or to compile in it, since the matrices were typed.

Before any time counts, the accelerations of the typed matrices agree with those of zeromass along its runs. All times are
CPU times with one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from scipy.integrate import solve_ivp

from zeromass.papers import ud2011, um2022
from zeromass.run import Run

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Matrices this small are slower with more threads."""

CUTOFF = 1e-10
"""Singular values below this part of the largest are zero: one row of the constraints follows from the others."""

AGREEMENT = {"as printed": 1e-5, "projected": 1e-7}
"""Largest difference of an acceleration, as part of the largest: the printed form loses twice the digits."""

SHELL_TOLERANCES, BALL_TOLERANCES = (1e-12, 1e-15), (1e-9, 1e-13)
SHELL_PART, BALL_PART = 0.5, 0.25
"""s from the middle of every case that are run without --full."""

OURS = """
import json, sys, time
from zeromass.papers import ud2011, um2022

shell, ball = json.loads(sys.argv[1])

def everything(**options):
    for case in um2022.CASES:
        um2022.run(case, **shell, **options)
    for case in {**ud2011.CASES, **ud2011.READINGS}.values():
        ud2011.run(case, **ball, **options)
    return time.process_time()

def round(**options):
    begin = time.process_time()
    return everything(**options) - begin

imported, first = time.process_time(), everything()
rounds = [(round(), round(until=1e-6)) for _ in range(6)]
print(imported, first, *[min(times) for times in zip(*rounds)])
"""
"""Prints CPU times, s: until imported, until all is run, of a later round, and of one without steps."""


# ---- the papers' way: a sphere on a moving surface in NumPy


def quaternion_rows(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E and G, with angular velocities 2E u̇ in the body frame and 2G u̇ in space [UM2022, eqs. 1, 23]."""
    u0, u1, u2, u3 = u.tolist()
    E = np.array(((-u1, u0, u3, -u2), (-u2, -u3, u0, u1), (-u3, u2, -u1, u0)))
    G = np.array(((-u1, u0, -u3, u2), (-u2, u3, u0, -u1), (-u3, -u2, u1, u0)))
    return E, G


def cross_matrix(n: np.ndarray) -> np.ndarray:
    a, b, c = n.tolist()
    return np.array(((0, -c, b), (c, 0, -a), (-b, a, 0)))


@dataclass(frozen=True)
class Normal:
    """n of k = ∇f with ∂k/∂x = diag(K), its rate, and n̈ = slope · p̈ + rest for a point that moves with ṗ = v."""

    n: np.ndarray
    rate: np.ndarray
    slope: np.ndarray
    rest: np.ndarray

    @classmethod
    def of(cls, k: np.ndarray, K: np.ndarray, T: np.ndarray, v: np.ndarray) -> Normal:
        length = float(np.sqrt(k @ k))
        n, dk = k / length, K * v
        P = (np.eye(3) - np.outer(n, n)) / length
        kdk = float(k @ dk)
        bend = 3 * kdk**2 / length**5 - dk @ dk / length**3
        return cls(n, P @ dk, P * K, P @ (T * v * v) + k * bend - 2 * kdk / length**3 * dk)


class Shell:
    """M, Q, A, b of [UM2022, eqs. 10, 36, 42]: q = (w_C, u, α, β), rows with energy, and without spin in example 3."""

    size = 13

    def __init__(self, example: str) -> None:
        body = um2022.system(no_spin=False).sphere
        self.m, self.r, self.J, self.p = body.mass, body.radius, np.array(body.inertia), 2 * body.center_of_mass[0]
        self.no_spin = example == "3"

    def surface(self, x: float, y: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """k, and the diagonals of its first and second derivatives."""
        f, g = self.dimple(x, 0.04, 1.2 * np.sqrt(2) * np.pi), self.dimple(y, 0.05, 1.6 * np.pi)
        k = np.array([-f[0] - 0.06 * x, -g[0] - 0.06 * y, 1.0])
        return k, np.array([-f[1] - 0.06, -g[1] - 0.06, 0.0]), np.array([-f[2], -g[2], 0.0])

    @staticmethod
    def dimple(x: float, height: float, c: float) -> tuple[float, float, float]:
        """First to third derivative of height · sin(c x)/(1 + x²)."""
        s, k, d = np.sin(c * x), np.cos(c * x), 1 / (1 + x * x)
        w1, w2, w3 = -2 * x * d * d, (8 * x * x * d - 2) * d * d, (24 - 48 * x * x * d) * x * d**3
        return (
            height * (c * k * d + s * w1),
            height * (-c * c * s * d + 2 * c * k * w1 + s * w2),
            height * (-(c**3) * k * d - 3 * c * c * s * w1 + 3 * c * k * w2 + s * w3),
        )

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        u, (x, y), dw, du, da = q[3:7], q[7:9].tolist(), v[:3], v[3:7], v[7:10]
        E, G = quaternion_rows(u)
        dE, _ = quaternion_rows(du)
        k, K, T = self.surface(x, y)
        normal, r, p, I = Normal.of(k, K, T, da), self.r, self.p, np.eye(3)
        JE = self.J[:, None] * E
        inertia = 4 * E.T @ JE
        M, Q = np.zeros((13, 13)), np.zeros(13)
        M[:3, :3], M[3:7, 3:7] = self.m * I, inertia
        Q[2], Q[3:7] = -self.m * um2022.GRAVITY, -8 * (JE @ du) @ dE
        A, b = np.zeros((12 + self.no_spin, 13)), np.zeros(12 + self.no_spin)
        A[0, 3:7], b[0] = u, -(du @ du)
        A[1, 7:10], b[1] = k, -(da @ (K * da))
        A[2:5, 7:10], A[2:5, 10:], b[2:5] = I + r * normal.slope, -I, -r * normal.rest
        u0, u1, u2, u3 = u.tolist()
        v0, v1, v2, v3 = du.tolist()
        A[5:8, :3], A[5:8, 10:] = -I, I
        A[5:8, 3:7] = np.array(((u0, u1, -u2, -u3), (u3, u2, u1, u0), (-u2, u3, -u0, u1))) * p
        b[5:8] = -p * np.array((v0**2 + v1**2 - v2**2 - v3**2, 2 * (v1 * v2 + v0 * v3), 2 * (v1 * v3 - v0 * v2)))
        A[8:11, 3:7], A[8:11, 10:] = 2 * r * cross_matrix(normal.n) @ G, I
        b[8:11] = -2 * r * cross_matrix(normal.rate) @ (G @ du)
        A[11, :3], A[11, 3:7], b[11] = self.m * dw, inertia @ du, -self.m * um2022.GRAVITY * dw[2]
        if self.no_spin:
            A[12, 3:7], b[12] = k @ G, -(K * da) @ (G @ du)
        return M, Q, A, b


class Ball:
    """M, Q, A, b of [UD2011, eqs. 8–23]: q = (r_C, u, W), corrected as docs/errata.md says."""

    size = 10

    def __init__(self, case: ud2011.Shaking) -> None:
        terms = [np.array(getattr(case, axis) or [(0.0, 0.0)]) for axis in "xyz"]
        self.terms = [(part[:, 0], part[:, 1] * np.pi) for part in terms]

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        u, dw, du = q[3:7], v[7:10], v[3:7]
        s = np.array([A @ np.cos(O * t) for A, O in self.terms])
        ds = np.array([-(A * O) @ np.sin(O * t) for A, O in self.terms])
        dds = np.array([-(A * O * O) @ np.cos(O * t) for A, O in self.terms])
        E, G = quaternion_rows(u)
        dE, _ = quaternion_rows(du)
        a2, b2, R, I = ud2011.A0**2, ud2011.B0**2, ud2011.RADIUS, np.eye(3)
        k, K = np.array([-2 * (q[7] - s[0]) / a2, 0.0, 1 / b2]), np.array([-2 / a2, 0.0, 0.0])
        relative = dw - ds
        normal = Normal.of(k, K, np.zeros(3), relative)
        M, Q = np.zeros((10, 10)), np.zeros(10)
        M[:3, :3] = ud2011.MASS * I
        M[3:7, 3:7] = 4 * (ud2011.INERTIA * E.T @ E + np.outer(u, u))  # the paper adds a moment of 1 along u
        Q[2] = -ud2011.MASS * ud2011.GRAVITY
        Q[3:7] = -8 * ud2011.INERTIA * (E @ du) @ dE - 4 * (du @ du) * u
        A, b = np.zeros((8, 10)), np.zeros(8)
        A[0, 3:7], b[0] = u, -(du @ du)
        A[1, 7:], b[1] = k, k @ dds - relative @ (K * relative)
        A[2:5, :3], A[2:5, 7:] = -I, I + R * normal.slope
        b[2:5] = R * normal.slope @ dds - R * normal.rest
        A[5:8, :3], A[5:8, 3:7] = I, 2 * R * cross_matrix(normal.n) @ G
        b[5:8] = dds - 2 * R * cross_matrix(normal.rate) @ (G @ du)
        return M, Q, A, b


Matrices = Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, ...]]


def acceleration(matrices: Matrices, t: float, q: np.ndarray, v: np.ndarray, form: str) -> np.ndarray:
    """q̈ by two pseudo-inverses [UP2006, eq. 2.15]."""
    M, Q, A, b = matrices(t, q, v)
    inverse = np.linalg.pinv(A, rcond=CUTOFF)
    if form == "projected":
        Q = Q - inverse @ (A @ Q)
    stacked = np.concatenate([M - inverse @ (A @ M), A])
    return np.linalg.pinv(stacked, rcond=CUTOFF) @ np.concatenate([Q, b])


# ---- the measurement


@dataclass(frozen=True)
class Job:
    """One case: its typed matrices, zeromass's run, the end in s, and the papers' tolerances."""

    name: str
    matrices: Shell | Ball
    run: Run
    until: float
    tolerances: tuple[float, float]

    def state(self, t: float) -> np.ndarray:
        """The coordinates of the typed matrices and their rates, along zeromass's run."""
        n, y = self.matrices.size, self.run.at(t).y[0]
        return np.concatenate([y[:n], y[len(y) // 2 :][:n]])


@dataclass(frozen=True)
class Result:
    """CPU time of all runs, s; how many times that of zeromass in a fresh interpreter, and of its steps; how found."""

    name: str
    seconds: float
    to_fresh: float
    to_steps: float
    remark: str


def jobs() -> tuple[list[Job], list[Job]]:
    """All cases of the shell and of the ball."""
    shell = [Job(name, Shell(name[0]), run, um2022.UNTIL, SHELL_TOLERANCES) for name, run in um2022.runs().items()]
    cases = {**ud2011.CASES, **ud2011.READINGS}
    ball = [Job(name, Ball(cases[name]), run, ud2011.UNTIL, BALL_TOLERANCES) for name, run in ud2011.runs().items()]
    return shell, ball


def disagreement(job: Job, form: str) -> float:
    """Largest difference of an acceleration from zeromass's, along the run, as part of the largest."""
    n, half = job.matrices.size, job.run.y.shape[1] // 2
    at = job.run.at(np.linspace(0, job.until, 9))
    found = [acceleration(job.matrices, t, y[:n], y[half : half + n], form) for t, y in zip(at.t, at.y, strict=True)]
    ours = at.acceleration[:, :n]
    return float((np.abs(np.array(found) - ours).max(axis=1) / np.abs(ours).max(axis=1)).max())


def integrated(job: Job, form: str, begin: float, end: float) -> tuple[float, int]:
    """CPU time, s, and evaluations of the papers' way between two times."""
    n = job.matrices.size

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], acceleration(job.matrices, t, y[:n], y[n:], form)])

    rtol, atol = job.tolerances
    start, clock = job.state(begin), time.process_time()
    found = solve_ivp(slope, (begin, end), start, method="RK45", rtol=rtol, atol=atol)
    assert found.success, found.message
    return time.process_time() - clock, int(found.nfev)


def papers_way(shell: list[Job], ball: list[Job], form: str, full: bool) -> tuple[float, str]:
    """CPU time of all runs, measured or scaled from parts, and words on it."""
    total, words = 0.0, []
    for kind, group, part in (("shell", shell, SHELL_PART), ("ball", ball, BALL_PART)):
        spans = [(0.0, job.until) if full else (job.until / 2, job.until / 2 + part) for job in group]
        spent = [integrated(job, form, *span) for job, span in zip(group, spans, strict=True)]
        seconds, evaluations = (sum(column) for column in zip(*spent, strict=True))
        length, whole = sum(end - begin for begin, end in spans), sum(job.until for job in group)
        total += seconds * whole / length
        words.append(f"{kind} {seconds:.3g} s, {evaluations} evaluations for {length:g} of {whole:g} s of motion")
    return total, "; ".join(words)


@dataclass(frozen=True)
class Ours:
    """Least CPU times of zeromass, s, see `OURS`."""

    imported: float
    fresh: float
    again: float
    without_steps: float

    @property
    def steps(self) -> float:
        return self.again - self.without_steps


def ours(repeat: int, *tolerances: tuple[float, float], before: str | None = None) -> list[Ours]:
    """zeromass in fresh interpreters, at tolerances for shell and ball, or at its own; and other sources of it, in turns.

    In a round of all, which does not count, modules are compiled and machine code is kept, as on any user's machine.
    """
    options = [dict(zip(("rtol", "atol"), pair, strict=True)) for pair in tolerances] or [{}, {}]
    command = [sys.executable, "-c", OURS, json.dumps(options)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    sources = [{}, *([{"PYTHONPATH": os.path.abspath(before)}] if before else [])]
    found: list[list[list[float]]] = [[] for _ in sources]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeat + 1):
            for times, paths in zip(found, sources, strict=True):
                environment = {**kept, **paths, "PYTHONPYCACHEPREFIX": folder, "ZEROMASS_CACHE": f"{folder}/code"}
                done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
                times.append([float(x) for x in done.stdout.split()])
    return [Ours(*[min(column) for column in zip(*times[1:], strict=True)]) for times in found]


def measured(repeat: int, full: bool, before: str | None) -> list[Result]:
    shell, ball = jobs()
    for form, allowed in AGREEMENT.items():
        for job in [*shell, *ball]:
            error = disagreement(job, form)
            if not error <= allowed:
                sys.exit(f"{job.name}, {form}: accelerations disagree by {error:.1e}; no times are reported")
    best, *old = ours(repeat, SHELL_TOLERANCES, BALL_TOLERANCES, before=before)
    (tighter,) = ours(repeat)
    count = len(shell) + len(ball)
    times = [
        ("zeromass, fresh interpreter", best.fresh, f"{count} runs; {best.imported:.2f} s of it imports"),
        ("zeromass, a later round", best.again, "starts and runs"),
        ("zeromass, its steps alone", best.steps, f"less {best.without_steps:.2f} s for starts and events"),
        ("zeromass, tighter, fresh interpreter", tighter.fresh, f"rtol {um2022.RTOL:g} and atol {um2022.ATOL:g}"),
        ("zeromass, tighter, its steps alone", tighter.steps, f"rtol {um2022.RTOL:g} and atol {um2022.ATOL:g}"),
    ]
    for other in old:
        times += [
            ("the version before, fresh interpreter", other.fresh, f"{other.imported:.2f} s of it imports"),
            ("the version before, a later round", other.again, ""),
            ("the version before, its steps alone", other.steps, ""),
        ]
    for form in AGREEMENT:
        seconds, words = papers_way(shell, ball, form, full)
        times.append((f"NumPy pinv + SciPy RK45, {form}", seconds, words if full else f"scaled: {words}"))
    return [Result(name, time, time / best.fresh, time / best.steps, words) for name, time, words in times]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repeat", type=int, default=3, help="fresh interpreters of which the best counts")
    parser.add_argument("--full", action="store_true", help="run everything the papers' way; this can take hours")
    parser.add_argument("--before", metavar="SRC", help="sources of an earlier zeromass, for comparison")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})  # NumPy reads them once
    results = measured(options.repeat, options.full, options.before)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
        return
    print(f"{'all rolling runs of the papers':40}{'CPU time':>12}{'of fresh':>12}{'of steps':>12}   how")
    for result in results:
        ratios = f"{result.to_fresh:>11.4g}×{result.to_steps:>11.4g}×"
        print(f"{result.name:40}{result.seconds:>10.4g} s{ratios}   {result.remark}")


if __name__ == "__main__":
    main()
