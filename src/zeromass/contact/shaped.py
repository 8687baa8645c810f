"""Convex bodies of any outside: by the point that is farthest in a direction, or by a function that vanishes on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.directions import DIRECTION
from zeromass.contact.outlines import Outline
from zeromass.contact.roller import (
    OFF,
    Laid,
    Roller,
    Touch,
    clearance_of,
    in_values,
    lying,
    off_outside,
    smallest_along,
    turned_normal,
)
from zeromass.contact.traced import PLACE
from zeromass.expression import (
    Array,
    Evaluator,
    Expression,
    Symbol,
    as_expression,
    expressions,
    jacobian,
    substitute,
)
from zeromass.expression import gradient as gradient_of
from zeromass.model import Part, Particle, RigidBody
from zeromass.model.given import Inertia, Number, Vector, given_numbers, given_parameters
from zeromass.model.requirement import Requirement, number_at

if TYPE_CHECKING:
    from zeromass.model.shapes import Hull, Shape

STEPS, FOUND = 100, 1e-15
"""Newton steps to a farthest point at most, and part of the size below which they end."""


@dataclass(frozen=True, eq=False)
class ConvexBody(Roller):
    """A rigid body whose outside has one farthest point in every direction, a formula of it.

    outline         the outside
    mass            kg
    inertia         about the centre of mass in the body frame, kg m²: three principal moments or a (3, 3) matrix
    center_of_mass  from the centre of the outside, body frame, m
    name            for coordinates and messages

    >>> egg = zm.bodies.ellipsoid(axes=(0.03, 0.03, 0.04), mass=0.06)
    >>> egg.size, egg.farthest(np.array([[0.0, 0.0, 1.0]]), {})
    (0.04, array([[0.  , 0.  , 0.04]]))
    """

    outline: Outline
    mass: Number
    inertia: Inertia
    center_of_mass: Vector = (0.0, 0.0, 0.0)
    name: str = "body"
    made_with: tuple[Requirement, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self._check()

    @property
    def size(self) -> Number:
        return self.outline.size

    def _lever(self, n: Array, S: Array) -> Array:
        """−s(−n)."""
        outline = self.outline
        return outline.farthest(n, S) if outline.symmetric else -outline.farthest(expressions(-n), S)

    def touching(self, body: RigidBody, contact: Particle, center: Particle, normal: Array, gradient: Array) -> Touch:
        """The contact is what is farthest of the body against the normal."""
        P, O = contact.position, center.position
        apart = O - P - self._lever(normal, body.rotation)
        said = self.outline.tangency(O - P, gradient, body.rotation)
        return Touch({"tangency": apart if said is None else said}, apart, np.cross(O - P, body.angular_velocity))

    def facing(self, body: RigidBody, parts: Sequence[Part], normal: Array, lever: Array) -> Expression | None:
        """n·l, of an outside whose tangency holds for the lever −l too."""
        said = self.outline.tangency(lever, normal, body.rotation)
        return None if said is None else as_expression(normal @ lever)

    def clearance(self, body: RigidBody, parts: Sequence[Part], normal: Array, curvature: Array) -> Expression:
        """The smallest eigenvalue of I + W K along the surface, W = ∂s/∂d."""
        return clearance_of(self.outline.radii(normal, body.rotation) @ curvature)

    def upright(self, body: RigidBody, normal: Array) -> Expression | None:
        return self.outline.upright(*turned_normal(body, normal))

    def tilted(self, body: RigidBody, normal: Array) -> Expression | None:
        normal, R = turned_normal(body, normal)
        return self.outline.tilted(expressions(-normal), R)

    @cached_property
    def support(self) -> Array:
        """s, three expressions of a direction, in the axes of the body."""
        return expressions(self.outline.farthest(DIRECTION, expressions(np.eye(3))))

    def farthest(self, directions: np.ndarray, parameters: Mapping[Symbol, float]) -> np.ndarray:
        names, directions = (
            list(given_parameters(parameters, "parameters")),
            given_numbers(directions, "directions", (None, 3)),
        )
        own = given_numbers([parameters[p] for p in names], "the values of parameters", (len(names),))
        others = np.broadcast_to(own, (len(directions), len(names)))
        with np.errstate(all="ignore"):
            return Evaluator(self.support, [*DIRECTION, *names])(np.concatenate([directions, others], axis=1))

    def at(self, parameters: Mapping[Symbol, float]) -> ConvexBody:
        """The body in numbers, with values of the parameters in its formulas."""
        own = ("mass", "inertia", "center_of_mass")
        outline, found = self.outline.at(parameters), in_values({name: getattr(self, name) for name in own}, parameters)
        if outline is self.outline and found is None:
            return self
        return replace(self, outline=outline, **(found or {}), made_with=())

    @property
    def drawn(self) -> Shape | Hull:
        from zeromass.contact.meshes import mesh_of  # what is not drawn need not be imported

        return mesh_of(self)


@dataclass(frozen=True, eq=False)
class ImplicitBody(Roller):
    """A rigid body whose outside is g(x, y, z) = 0, convex, negative inside, in its axes from its centre.

    A particle of mass zero, the foot b, is the contact in the axes of the body. The outside is there, and the gradient of g
    has nothing across that of the surface, k: with N = S ∇g(b) and the size r

        b = Sᵀ(P − O),   g k + r ((k·k) N − (k·N) k) = 0

    formula         g, an expression of X, Y, Z
    mass            kg
    inertia         about the centre of mass in the body frame, kg m²: three principal moments or a (3, 3) matrix
    center_of_mass  from the centre of the outside, body frame, m
    name            for coordinates and messages

    >>> zm.bodies.superquadric((0.5, 0.5, 0.5), exponent=4, mass=1.0).formula
    (2*X)**4 + (2*Y)**4 + (2*Z)**4 - 1
    """

    formula: Expression
    mass: Number
    inertia: Inertia
    center_of_mass: Vector = (0.0, 0.0, 0.0)
    name: str = "body"
    reach: Any = None
    """The largest distance of the outside from its centre, m, or a bound of it."""
    made_with: tuple[Requirement, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self._check()

    @property
    def size(self) -> Number:
        return self.reach

    def touching(self, body: RigidBody, contact: Particle, center: Particle, normal: Array, gradient: Array) -> Touch:
        own = "" if contact.name == "contact" else f"{contact.name} "  # of several contacts each has its foot
        foot, k, S = Particle(f"{own}foot", mass=0), gradient, body.rotation
        b, P, O = foot.position, contact.position, center.position
        g = self._at(b)
        N = S @ gradient_of(g, b)
        constraints = {
            "tangency": b - S.T @ (P - O),
            "outside": g * k + self.size * ((k @ k) * N - (k @ N) * k),
        }
        return Touch(constraints, O + S @ b - P, np.cross(O - P, body.angular_velocity), (foot,), (*b,))

    def _at(self, b: Array) -> Expression:
        return as_expression(substitute(self.formula, dict(zip(PLACE, b, strict=True))))

    def facing(self, body: RigidBody, parts: Sequence[Part], normal: Array, lever: Array) -> Expression | None:
        """−n·N: the gradients are along one another on the inner side too."""
        (foot,) = parts
        return as_expression(-normal @ (body.rotation @ gradient_of(self._at(foot.position), foot.position)))

    def clearance(self, body: RigidBody, parts: Sequence[Part], normal: Array, curvature: Array) -> Expression:
        """The smallest curvature of the body against the surface, times its size."""
        (foot,) = parts
        k = gradient_of(self._at(foot.position), foot.position)
        S, d = body.rotation, np.sqrt(k @ k)
        along = expressions(np.eye(3)) - np.outer(normal, normal)
        bends = along @ (S @ (jacobian(k, foot.position) / d) @ S.T) @ along
        return as_expression(self.size * smallest_along(bends + curvature))

    @cached_property
    def _slopes(self) -> Array:
        """g, ∇g and ∂²g."""
        k = gradient_of(self.formula, PLACE)
        return expressions([self.formula, *k, *jacobian(k, PLACE).ravel()])

    def farthest(self, directions: np.ndarray, parameters: Mapping[Symbol, float]) -> np.ndarray:
        """By Newton's method on ∇g = μ d, g = 0, from the point on the ray d."""
        names, directions = (
            list(given_parameters(parameters, "parameters")),
            given_numbers(directions, "directions", (None, 3)),
        )
        given_numbers([parameters[p] for p in names], "the values of parameters", (len(names),))
        values = Evaluator(self._slopes, [*PLACE, *names])
        others = np.broadcast_to(np.array([parameters[p] for p in names]), (len(directions), len(names)))

        def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            found = values(np.concatenate([x, others], axis=1))
            return found[:, 0], found[:, 1:4], found[:, 4:].reshape(-1, 3, 3)

        size = number_at(self.size, parameters)
        low, high = np.zeros(len(directions)), np.full(len(directions), 2 * size)
        for _ in range(60):  # on the ray
            middle = (low + high) / 2
            within = at(middle[:, None] * directions)[0] < 0.0
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        x = low[:, None] * directions
        _, k, _ = at(x)
        μ = np.linalg.norm(k, axis=1)
        for _ in range(STEPS):
            g, k, H = at(x)
            J = np.zeros((len(x), 4, 4))
            J[:, :3, :3], J[:, :3, 3], J[:, 3, :3] = H, -directions, k
            left = np.concatenate([k - μ[:, None] * directions, g[:, None]], axis=1)
            try:
                change = -np.linalg.solve(J, left[..., None])[..., 0]
            except np.linalg.LinAlgError:  # where it is flat
                change = -(np.linalg.pinv(J) @ left[..., None])[..., 0]
            far = np.abs(change[:, :3]).max(axis=1)
            part = np.minimum(1.0, 0.2 * size / np.maximum(far, np.finfo(float).tiny))
            x, μ = x + part[:, None] * change[:, :3], μ + part * change[:, 3]
            if far.max() <= FOUND * size:
                break
        return x

    def normal_at(self, point: np.ndarray, parameters: Mapping[Symbol, float]) -> np.ndarray:
        """∇g/|∇g|."""
        point, parameters = given_numbers(point, "the point", (3,)), given_parameters(parameters, "parameters")
        inputs = given_numbers([*point, *parameters.values()], "the values of parameters", (3 + len(parameters),))
        found = Evaluator(self._slopes, [*PLACE, *parameters])(inputs)
        k = found[1:4]
        length = np.linalg.norm(k)
        with np.errstate(all="ignore"):  # of points where there is no normal, or formulas without a value
            off, nearest = abs(found[0]) / length, point - found[0] / length**2 * k
        if not (length < np.inf and off <= OFF * np.abs(point).max()):
            raise off_outside(self.name, point, float(off), nearest)
        return k / length

    def laid(self, normal: np.ndarray, u: np.ndarray, parameters: Mapping[Symbol, float]) -> Laid:
        S, normal = lying(normal, u)
        (b,) = self.farthest(-(normal @ S)[None], parameters)
        lever = -(S @ b)
        return Laid(lever, lever / np.linalg.norm(lever), unknowns=b)

    def at(self, parameters: Mapping[Symbol, float]) -> ImplicitBody:
        """The body in numbers, with values of the parameters in its formulas."""
        own = ("mass", "inertia", "center_of_mass", "reach")
        found = in_values({name: getattr(self, name) for name in own}, parameters)
        if found is None:
            return self
        formula = as_expression(substitute(self.formula, dict(parameters)))
        return replace(self, formula=formula, **found, made_with=())

    @property
    def drawn(self) -> Shape | Hull:
        from zeromass.contact.meshes import mesh_of

        return mesh_of(self)
