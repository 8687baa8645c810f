"""zeromass: mechanics as written on paper, as explicit equations of motion.

    what one writes        what is derived        what is solved
    ───────────────        ───────────────        ──────────────
    parts, energies  ──►   M q̈ = Q + C + Aᵀλ  ──► acceleration, reactions,
    constraints, forces    A q̈ = b                and whether the model determines them

    expression  ──►  equation  ──►  model  ──►  papers  ──►  cli

A package imports only from packages to its left. Masses may be zero, coordinates too many, constraints redundant.
"""

from zeromass.analysis import Certificate, certificate, lyapunov_exponent, sensitivity
from zeromass.equation import EquationError, Motion, Verdict, solve
from zeromass.expression import (
    Expression,
    ExpressionError,
    acceleration,
    c_code,
    coordinate,
    coordinates,
    derivative,
    directional,
    evaluate,
    gradient,
    jacobian,
    latex,
    parameter,
    rate,
    substitute,
    t,
    to_sympy,
    where,
)
from zeromass.integrate import Outcome, Phases, RunStopped, Trajectory, simulate, simulate_phases
from zeromass.model import (
    Damper,
    Diagnosis,
    Event,
    Force,
    ModelError,
    Particle,
    RigidBody,
    Spring,
    StartError,
    State,
    System,
    Torque,
    join,
)
from zeromass.rolling import Rolling, SphericalBody, Surface, ball, shell, surfaces, two_material_shell

__all__ = [
    "simulate_phases",
    "Phases",
    "two_material_shell",
    "surfaces",
    "shell",
    "ball",
    "Surface",
    "SphericalBody",
    "Rolling",
    "sensitivity",
    "lyapunov_exponent",
    "certificate",
    "Certificate",
    "simulate",
    "Trajectory",
    "RunStopped",
    "Outcome",
    "Event",
    "Damper",
    "Diagnosis",
    "EquationError",
    "Expression",
    "ExpressionError",
    "Force",
    "ModelError",
    "Motion",
    "Particle",
    "RigidBody",
    "Spring",
    "StartError",
    "State",
    "System",
    "Torque",
    "Verdict",
    "acceleration",
    "c_code",
    "coordinate",
    "coordinates",
    "derivative",
    "directional",
    "evaluate",
    "gradient",
    "jacobian",
    "join",
    "latex",
    "parameter",
    "rate",
    "solve",
    "substitute",
    "t",
    "to_sympy",
    "where",
]
