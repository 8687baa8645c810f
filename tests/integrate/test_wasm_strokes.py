"""Impacts and modes of several contacts in the scripts of wheels that lift, in Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from integrate.node import DRIVERS, MISSING, STATIC, node
from zeromass.contact.balance import Meeting
from zeromass.contact.complementarity import AGREES, decided
from zeromass.contact.strokes import strokes

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

CALLS = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"), (key, x) => (x === "Infinity" ? Infinity : x));
const solved_ = ({ rank, solution, loose }, b) => ({ rank, x: solution(b), loose });
const known = { decided, strokes, ranked: (A, b) => solved_(ranked(A), b) };
console.log(JSON.stringify(given.map(([name, numbers]) => known[name](...numbers))));
"""


def in_node(calls: list[tuple[str, list[Any]]], folder: Path) -> list[Any]:
    """What functions of the driver give."""
    script = folder / "numbers.cjs"
    script.write_text("\n".join([*[(STATIC / name).read_text("utf-8") for name in DRIVERS["TreadsMotion"]], CALLS]))
    words = [str(node()), str(script)]
    done = subprocess.run(words, input=json.dumps(calls), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def meeting(rng: np.random.Generator, k: int) -> Meeting:
    """Contacts of a random body: a ball where they share a body in the same place, else anything."""
    n = rng.normal(size=(k, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    ρ = -n if rng.random() < 0.5 else rng.normal(size=(k, 3))
    J = np.diag([0.4, 0.4, 0.4] if rng.random() < 0.5 else rng.uniform(0.5, 1.0, 3))
    A = np.zeros((3 * k, 6))
    for j, (x, y, z) in enumerate(ρ):
        A[3 * j : 3 * j + 3] = np.hstack([np.eye(3), -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])])
    D = A @ np.diag([1.0, 1.0, 1.0, *(1 / np.diag(J))]) @ A.T
    s = np.zeros((k, 3))
    for j in range(k):
        if rng.random() < 0.4:
            along = rng.normal(size=3)
            along -= along @ n[j] * n[j]
            s[j] = along / np.linalg.norm(along)
    μ = np.where(rng.random(k) < 0.2, np.inf, rng.uniform(0.0, 1.0, k))
    s[μ == np.inf] = 0.0
    return Meeting(D, n, s, μ)


def told(at: Meeting) -> dict[str, Any]:
    μ = ["Infinity" if x == np.inf else x for x in at.μ.tolist()]
    return {"D": at.D.tolist(), "n": at.n.tolist(), "s": at.s.tolist(), "mu": μ}


def test_ranks(tmp_path):
    """Of random matrices of lower rank: A x nearest to b with the shortest x, and vectors that A takes to zero."""
    rng = np.random.default_rng(1)
    given = []
    for _ in range(20):
        m, n = rng.integers(1, 8, 2)
        r = rng.integers(1, min(m, n) + 1)
        given.append((rng.normal(size=(m, r)) @ rng.normal(size=(r, n)), rng.normal(size=m)))
    found = in_node([("ranked", [A.tolist(), b.tolist()]) for A, b in given], tmp_path)
    for (A, b), there in zip(given, found, strict=True):
        assert there["rank"] == np.linalg.matrix_rank(A)
        x = np.linalg.pinv(A) @ b
        assert np.abs(there["x"] - x).max() <= 1e-9 * max(1.0, float(np.abs(x).max()))
        loose = np.array(there["loose"]).reshape(-1, A.shape[1])
        assert len(loose) == A.shape[1] - there["rank"]
        assert np.abs(loose @ loose.T - np.eye(len(loose))).max(initial=0.0) <= 1e-12
        assert np.abs(A @ loose.T).max(initial=0.0) <= 1e-11 * max(1.0, float(np.abs(A).max()))


def test_the_same_case_is_decided(tmp_path):
    """Of random contacts and accelerations, with forces to 1e-8 where the case agrees with itself."""
    rng = np.random.default_rng(2)
    given = [(meeting(rng, k), rng.normal(size=(k, 3)), k) for k in (1, 2, 2, 3) * 5]
    found = in_node([("decided", [told(at), a0.tolist()]) for at, a0, _ in given], tmp_path)
    agreed = 0
    for (at, a0, _), there in zip(given, found, strict=True):
        case = decided(at, a0)
        if case.misses <= AGREES:
            agreed += 1
            assert there["modes"] == list(case.modes)
            assert np.abs(np.array(there["F"]) - case.F).max() <= 1e-8 * max(1.0, float(np.abs(case.F).max()))
    assert agreed > 12


def test_strokes_at_several_points(tmp_path):
    """At once where that is lawful, else in turn: impulses and velocities of random strokes, to 1e-8."""
    rng = np.random.default_rng(3)
    given = []
    for k in (1, 2, 2, 3) * 3:
        at = meeting(rng, k)
        w = rng.normal(size=(k, 3))
        w[0] -= (at.n[0] @ w[0] + 1.0) * at.n[0]  # one of them strikes at least
        given.append((at, w, rng.uniform(0.0, 0.9, k)))
    found = in_node([("strokes", [told(at), w.tolist(), e.tolist()]) for at, w, e in given], tmp_path)
    for (at, w, e), there in zip(given, found, strict=True):
        here = strokes(at.D, at.n, w, at.μ, e)
        assert np.abs(np.array(there["impulses"]) - here.impulses).max() <= 1e-8 * np.abs(here.impulses).max()
        assert np.abs(np.array(there["velocities"]) - here.velocities).max() <= 1e-8
