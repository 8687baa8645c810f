"""Impacts at several contacts: what is given, what is found, and the memory of the kernels that find it."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from zeromass.integrate.methods.dop853.coefficients import STAGES
from zeromass.kernel.language import Ints, Reals, Reals2, Struct


class ImpactStatus(IntEnum):
    """By which law an impact was found, or why it was not: of several islands, the last of these words that holds of one."""

    APART = 0  # no contact approaches
    SINGLE = 1  # islands of one contact
    SIMULTANEOUS = 2  # impulses grew together
    CAPPED = 3  # Poisson's restitution with an energy cap, after a plastic impact
    SEQUENTIAL = 4  # one contact after another
    APPROACHES = 5  # contacts approach on
    OUTSIDE_CONE = 6  # an impulse is outside its friction cone
    GAINS_ENERGY = 7
    UNRESOLVED = 8  # no impact was found: D is not positive along a normal, or numbers are not finite


class Mode(IntEnum):
    """What a contact does while impulses grow."""

    OPEN = 0
    STICK = 1
    SLIP = 2


INDICES = ("label", "island", "active", "known", "mode", "mode_trial", "strikes", "begins", "moving", "slow")
"""Fields with an int for each contact."""


class ImpactProblem(Struct):
    """Contacts that strike together, in their contact frames: rows normal, first tangent, second tangent of each.

    The matrix D = J M⁻¹ Jᵀ, 1/kg, by which velocities change with impulses, is that of a `ContactProblem`.

    w       relative velocities before, (3k,), m/s
    mu      coefficients of friction, (k,): 0 of smooth contacts, infinite of rough ones
    hold    those of slip that has died out, static ones, (k,): of contacts that are struck alone
    e       coefficients of restitution, of impulses, (k,)
    P, u    impulses, N s, and relative velocities after, (3k,)
    energy  what the impact adds to the kinetic energy, J: P·(w + u)/2

    Memory of one island, contacts that act on one another through D:

    label, island, count      the island of each contact; the contacts of this island, and how many
    G, friction, static, restitution  its D, both μ and e
    before, v, Q              velocities before and so far, impulses so far
    speed, largest            the largest of |before| and of |G|
    F, b, a                   impulses, or rates of them, that solve a contact problem; its constant part; a = b + G F
    anchor, best, first       F₀ of a proximal point; the best F so far; that at the beginning of an integration
    trial, fixed, R           F tried, F with what is known of it, and the residual
    rho                       inverse of the mean of the diagonal of G, of each contact
    active, known, N, s       whether a contact takes part; whether it slips in a known direction s, (k, 2); its normal
                              impulse, negative where unknown
    mode, mode_trial          of each contact, a `Mode`
    A, x, order               linear equations; unknowns, contact, row: how many, and the force that each of them is
    strikes, begun, back      contacts that are struck; normal impulses before a compression; those of the restitution
    restores, left            whether impulses are those of restitution, and which part of them is left
    begins, moving, slow      contacts whose slip has begun and is small, that slip in a known direction, and either of them
    y, y_new, y_high          velocities, impulses and the growth of an integration, (6k + 1,)
    K, atol                   stages and tolerances of an integration
    g, g_new, g_high          event functions, (4k + 2,)
    """

    w: Reals
    mu: Reals
    hold: Reals
    e: Reals
    P: Reals
    u: Reals
    energy: float
    label: Ints
    island: Ints
    count: int
    G: Reals2
    friction: Reals
    static: Reals
    restitution: Reals
    before: Reals
    v: Reals
    Q: Reals
    speed: float
    largest: float
    F: Reals
    b: Reals
    a: Reals
    anchor: Reals
    best: Reals
    first: Reals
    trial: Reals
    fixed: Reals
    R: Reals
    rho: Reals
    active: Ints
    known: Ints
    N: Reals
    s: Reals2
    mode: Ints
    mode_trial: Ints
    A: Reals2
    x: Reals
    order: Ints
    unknowns: int
    contact: Ints
    row: Ints
    strikes: Ints
    begun: Reals
    back: Reals
    restores: bool
    left: float
    begins: Ints
    moving: Ints
    slow: Ints
    y: Reals
    y_new: Reals
    y_high: Reals
    K: Reals2
    atol: Reals
    g: Reals
    g_new: Reals
    g_high: Reals


def impact_problem(k: int) -> ImpactProblem:
    """Memory for an impact at k contacts."""
    n, m = 3 * k, 6 * k + 1
    arrays = {
        (n,): "w P u before v Q F b a anchor best first trial fixed R x",
        (k,): "mu hold e friction static restitution rho N begun back",
        (n, n): "G A",
        (k, 2): "s",
        (m,): "y y_new y_high atol",
        (STAGES + 1, m): "K",
        (4 * k + 2,): "g g_new g_high",
    }
    return ImpactProblem(
        **{name: np.zeros(shape) for shape, names in arrays.items() for name in names.split()},
        **{name: np.zeros(k, dtype=np.int64) for name in INDICES},
        **{name: np.zeros(n, dtype=np.int64) for name in ("order", "contact", "row")},
    )
