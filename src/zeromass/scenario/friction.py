"""What hinders a contact, in scenario files: numbers, or formulas of its `speed`."""

from __future__ import annotations

from zeromass.contact.friction import SPEED, Friction
from zeromass.scenario.kinds import Either, Numbers
from zeromass.scenario.signatures import table

VALUE = Numbers("values")
OF_SPEED = Numbers("names")
NAMES = {"speed": SPEED}
"""What these formulas may name: the speed of slip, m/s, or of rolling or turning, rad/s."""

FRICTION = Either((VALUE, table(Friction, said={"static": VALUE, "kinetic": OF_SPEED})))
"""One coefficient, or both."""

MEANS = {
    "friction": "coefficient μ at which the body would slip; the run ends there, or goes on slipping. Or two: static, and "
    "kinetic, a formula of the `speed` of slip, m/s",
    "rolling_resistance": "arm l of the normal force N, m: a torque l N hinders rolling, and holds a body at rest. A "
    "formula of the angular `speed`, rad/s",
    "torsional_friction": "arm d, m, likewise: a torque d N hinders turning about the normal",
}
"""What is said of them in files."""
