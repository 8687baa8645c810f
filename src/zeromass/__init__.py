"""zeromass: mechanics as written on paper, as explicit equations of motion.

    what one writes        what is derived           what is run                 what one sees
    ───────────────        ───────────────           ───────────                 ─────────────
    parts, surfaces   ──►  M q̈ = Q + C + Aᵀλ   ──►   elimination, machine  ──►   trajectory, reactions,
    constraints, forces    A q̈ = b                   code, steps in time         certificate, plots, viewer

    expression ─► equation ─► model ─► rolling ─► compile ─► integrate ─► analysis ─► report ─► scenario ─► papers ─► cli

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
from zeromass.report import Box, Dot, Rod, Wheel, load, view
from zeromass.rolling import Rolling, SphericalBody, Surface, ball, shell, surfaces, two_material_shell

__all__ = [
    "Box",
    "Certificate",
    "Damper",
    "Diagnosis",
    "Dot",
    "EquationError",
    "Event",
    "Expression",
    "ExpressionError",
    "Force",
    "ModelError",
    "Motion",
    "Outcome",
    "Particle",
    "Phases",
    "RigidBody",
    "Rod",
    "Rolling",
    "RunStopped",
    "SphericalBody",
    "Spring",
    "StartError",
    "State",
    "Surface",
    "System",
    "Torque",
    "Trajectory",
    "Verdict",
    "Wheel",
    "acceleration",
    "ball",
    "c_code",
    "certificate",
    "coordinate",
    "coordinates",
    "derivative",
    "directional",
    "evaluate",
    "gradient",
    "jacobian",
    "join",
    "latex",
    "load",
    "lyapunov_exponent",
    "parameter",
    "rate",
    "sensitivity",
    "shell",
    "simulate",
    "simulate_phases",
    "solve",
    "substitute",
    "surfaces",
    "t",
    "to_sympy",
    "two_material_shell",
    "view",
    "where",
]
