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


INDICES = ("jammed", "forced", "active", "known", "mode", "struck", "strikes", "begins", "moving", "slow")
"""Fields with an int for each contact."""


class ImpactProblem(Struct):
    """Contacts that strike together, in their contact frames: rows normal, first tangent, second tangent of each.

    The matrix D = J M⁻¹ Jᵀ, 1/kg, by which velocities change with impulses, is that of a `ContactProblem`.

    w       relative velocities before, (3k,), m/s
    mu      coefficients of friction, (k,): 0 of smooth contacts, infinite of rough ones
    hold    those of slip that has died out, static ones, (k,): of contacts that are struck alone
    e       coefficients of restitution, of impulses, (k,)
    jammed  whether friction presses a contact though it is not approached, so that its impulse grows, (k,)
    P, u    impulses, N s, and relative velocities after, (3k,)
    energy  what the impact adds to the kinetic energy, J: P·(w + u)/2

    Memory of one island, contacts that act on one another through D, in the order in which the contact problem has them:

    count                     how many
    friction, static, restitution     both μ and e
    before, v, Q              velocities before and so far, impulses so far
    speed, largest            the largest of |before| and of |D|
    F, a, first               impulses, or rates of them, that solve a contact problem; velocities, or rates of them; a guess
    active, known, N, s       whether a contact takes part; whether it slips in a known direction s, (k, 2); its normal
                              impulse, negative where unknown
    mode                      of each contact, one of those of a contact problem
    struck, x                 contacts that normal impulses are solved for, and these impulses
    forced                    whether a contact is jammed and does not approach yet
    strikes, begun, back      contacts that are struck; normal impulses before a compression; those of the restitution
    restores, left            whether impulses are those of restitution, and which part of them is left
    begins, moving, slow      contacts whose slip has begun and is small, that slip in a known direction, and either of them
    y, y_new                  velocities, impulses and the growth of an integration, (6k + 1,)
    K, atol                   stages and tolerances of an integration
    g, g_new                  event functions, (4k + 2,)
    """

    w: Reals
    mu: Reals
    hold: Reals
    e: Reals
    jammed: Ints
    P: Reals
    u: Reals
    energy: float
    count: int
    friction: Reals
    static: Reals
    restitution: Reals
    before: Reals
    v: Reals
    Q: Reals
    speed: float
    largest: float
    F: Reals
    a: Reals
    first: Reals
    active: Ints
    known: Ints
    N: Reals
    s: Reals2
    mode: Ints
    struck: Ints
    x: Reals
    forced: Ints
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
    K: Reals2
    atol: Reals
    g: Reals
    g_new: Reals


def impact_problem(k: int) -> ImpactProblem:
    """Memory for an impact at k contacts."""
    n, m = 3 * k, 6 * k + 1
    arrays = {
        (n,): "w P u before v Q F a first",
        (k,): "mu hold e friction static restitution N x begun back",
        (k, 2): "s",
        (m,): "y y_new atol",
        (STAGES + 1, m): "K",
        (4 * k + 2,): "g g_new",
    }
    return ImpactProblem(
        **{name: np.zeros(shape) for shape, names in arrays.items() for name in names.split()},
        **{name: np.zeros(k, dtype=np.int64) for name in INDICES},
    )
