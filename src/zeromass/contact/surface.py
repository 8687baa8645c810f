"""Surfaces: implicit or as a height, at rest, in rigid motion, or changing their shape in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from zeromass.contact.given import Rotation, all_zero, as_numbers, formula, implicit, of_time, rotation_matrix
from zeromass.contact.height import heights
from zeromass.contact.traced import PLACE, Traced
from zeromass.errors import ExpressionError
from zeromass.expression import Evaluator, Expression, as_expression, expressions, gradient, jacobian, rate, symbols
from zeromass.expression import derivative as derivative_of
from zeromass.expression import t as time
from zeromass.expression.build import ONE, ZERO
from zeromass.model import ModelError
from zeromass.model.given import (
    Parameters,
    Vector,
    given_array,
    given_finite,
    given_name,
    given_numbers,
    given_parameters,
    given_vector,
    shape_of,
    shown,
)
from zeromass.model.interface import Interface

if TYPE_CHECKING:
    from zeromass.contact.terrain import Terrain
    from zeromass.model.drawing import Ground


class Surface(Interface):
    """Surface f(X, Y, Z) = 0, or Z = h(X, Y), in its own axes, which may move.

    shape     f of three arguments or h of two, written in NumPy. With `zm.t` the shape changes in time, and the material
              moves along the normal
    shift     position of the origin of the axes, m, expressions of time
    rotation  rotation of the axes, (3, 3), or (axis, angle), expressions of time
    velocity  velocity of the material, a vector or a function of the position, if it is not that of the axes, as on a
              conveyor belt. Only the tangential part counts
    side      1 if bodies are on the side of ∇f (above a height), −1 on the other
    name      for messages
    area      corners [[X, Y], [X, Y]] of the rectangle where the surface is known, in its axes, or None

    The shape says where the surface is, not where its material goes, which bodies roll on. `shift` and `rotation` take the
    material with the axes. Where `zm.t` is in the shape, the material moves along the normal, the shortest way:
    h(X, Y) + a t is the same surface as shift=(0, 0, a t), but on a slope its material moves otherwise. `velocity` chooses.

    A copy or a pickle of a surface has its formulas, not the functions that they were written in.

    >>> bowl = zm.Surface(lambda X, Y: 0.5 * (X**2 + Y**2), shift=(0.1 * np.sin(zm.t), 0, 0), name="bowl")
    >>> bowl.moves, bowl.f
    (True, Z - 0.5*(X**2 + Y**2))
    """

    _interface = (
        "height", "normal", "gradient", "curvature", "velocity", "inside", "from_heights", "name", "shift",
        "rotation", "angular_velocity", "side", "area",
    )  # fmt: skip

    area: np.ndarray | None = None

    def __init__(
        self,
        shape: Callable[..., Any],
        *,
        shift: Vector = (0.0, 0.0, 0.0),
        rotation: Rotation | None = None,
        velocity: Vector | Callable[[np.ndarray], Vector] | None = None,
        side: Literal[1, -1] = 1,
        name: str = "surface",
    ) -> None:
        self.name: str = given_name(name, "a surface")
        self._shape: Callable[..., Any] = implicit(shape, name)
        self.f: Expression = formula(self._shape, name)
        """f as an expression of X, Y, Z in the surface's own axes."""
        self.shift: np.ndarray = of_time(shift, (3,), "shift", name)
        self.rotation: np.ndarray | None = rotation_matrix(rotation, name)
        self._velocity: Vector | Callable[[np.ndarray], Vector] | Traced | None = velocity
        if velocity is not None:
            self._check_velocity()
        if not isinstance(side, int | float | np.number) or side not in (1, -1):
            raise ModelError(f"side of '{name}' is {shown(side)}; it is 1 or −1")
        self.side: int = side

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.f!r} = 0, name={self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        velocity = Traced(self.velocity_formula()) if callable(self._velocity) else self._velocity
        return vars(self) | {"_shape": Traced(self.f), "_velocity": velocity}

    @staticmethod
    def from_heights(
        x: ArrayLike,
        y: ArrayLike,
        z: ArrayLike,
        *,
        shift: Vector = (0.0, 0.0, 0.0),
        rotation: Rotation | None = None,
        velocity: Vector | Callable[[np.ndarray], Vector] | None = None,
        side: Literal[1, -1] = 1,
        name: str = "terrain",
    ) -> Terrain:
        """Measured terrain: the spline of degree 5 through heights on a rectangular grid, with bodies above it.

            Z = h(X, Y),   h(x[i], y[j]) = z[i, j],   fourth derivatives continuous

        x, y    lines of the grid, m, rising, at least six each, evenly spaced or not
        z       heights, m, shape (len(x), len(y))

        The rest is as of every surface.

        The error falls with the sixth power of the spacing of the data, and by one power less for each derivative. Every
        cell takes 288 bytes. A run whose contact leaves the data ends with the event "contact left the measured terrain".

        >>> x = y = np.linspace(-1, 1, 9)
        >>> float(zm.Surface.from_heights(x, y, np.add.outer(x**2, y**2)).height(0.5, 0.25))
        0.3125
        """
        from zeromass.contact.terrain import Terrain

        return Terrain(x, y, z, name=name, shift=shift, rotation=rotation, velocity=velocity, side=side)

    @property
    def shape(self) -> Callable[..., Any]:
        """f(X, Y, Z) in the surface's own axes; Z − h(X, Y) where a height was given."""
        return self._shape

    @property
    def uniform_velocity(self) -> np.ndarray | None:
        """The given velocity of the material, m/s, expressions of shape (3,), where it is the same everywhere, or None."""
        return None if self._velocity is None or callable(self._velocity) else expressions(self._velocity)

    @property
    def has_velocity(self) -> bool:
        """Whether a velocity of the material was given."""
        return self._velocity is not None

    def velocity_formula(self) -> np.ndarray:
        """The given velocity of the material, m/s, as expressions of X, Y, Z in the inertial frame, shape (3,)."""
        try:
            return self._given_velocity(PLACE)
        except (ExpressionError, TypeError) as error:
            raise ModelError(
                f"the velocity of '{self.name}' does not give formulas of the position: {error}"
            ) from error

    def _check_velocity(self) -> None:
        """Raises where the velocity of the material can not be one."""
        given = given_vector(self.velocity_formula(), f"the velocity of '{self.name}'")
        wrong = [s for s in symbols(given) if s.kind not in ("time", "parameter") and s not in set(PLACE)]
        if wrong:
            raise ModelError(
                f"the velocity of '{self.name}' depends on '{wrong[0]!r}'; it is prescribed in time and place"
            )

    def _given_velocity(self, position: np.ndarray) -> np.ndarray:
        given = self._velocity
        if isinstance(given, Traced):
            given = given(*position)
        elif callable(given):
            given = given(position)
        own = expressions(given)
        if own.shape != (3,):
            raise ModelError(f"the velocity of '{self.name}' has shape {own.shape}, not (3,)")
        return own

    def height(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: ArrayLike = 0.0,
    ) -> np.ndarray:
        """Z of the surface over places in the inertial frame, m, shape of the places; not a number where it has none.

        guess  Z from which it is looked for by Newton's method

        >>> zm.surfaces.sphere(1.0).height([0.0, 0.6, 2.0], 0.0, guess=1.0)
        array([1. , 0.8, nan])
        """
        f = as_expression(self(PLACE))
        inside = self.inside(PLACE)
        rest = {time: given_finite(t, "t"), **given_parameters({} if parameters is None else parameters, "parameters")}
        numbers = Evaluator([f, *gradient(f, PLACE), ZERO if inside is None else inside], [*PLACE, *rest])
        others = given_numbers(list(rest.values()), "the values of parameters", (len(rest),))

        def values(points: np.ndarray) -> np.ndarray:
            return numbers(np.concatenate([points, np.broadcast_to(others, (len(points), len(others)))], axis=1))

        places = [given_numbers(a, what, finite=False) for a, what in ((x, "x"), (y, "y"), (guess, "guess"))]
        try:
            x, y, first = np.broadcast_arrays(*places)
        except ValueError as error:
            shapes = ", ".join(str(a.shape) for a in places)
            raise ModelError(f"x, y and guess have shapes {shapes}, which do not fit one another") from error
        z = heights(lambda points: values(points)[:, :4], x, y, first, size=0.0).z
        if inside is None:
            return z
        points = np.stack([np.broadcast_to(a, z.shape).ravel() for a in (x, y, z)], axis=1)
        return np.where(values(points)[:, 4].reshape(z.shape) >= 0.0, z, np.nan)

    def drawn(self, contact: np.ndarray, extent: float) -> Ground:
        """The surface as it is drawn below a body of some extent, m, that touches it at a point of the inertial frame."""
        from zeromass.model.drawing import Ground  # what is not drawn need not be imported

        extent = given_finite(extent, "extent")
        return Ground(
            name=self.name,
            f=self.f,
            place=PLACE,
            shift=self.shift,
            rotation=self.rotation,
            side=self.side,
            area=self.area,
            flow=self.uniform_velocity,
            contact=expressions(self.local(contact)),
            extent=extent,
        )

    def local(self, position: Any) -> np.ndarray:
        """Coordinates of a point in the surface's own axes."""
        position = self._given_point(position)
        shift, rotation = self.shift, self.rotation
        if position.dtype != object:
            shift, rotation = as_numbers(shift), rotation if rotation is None else as_numbers(rotation)
        if not all_zero(self.shift):
            position = position - shift.reshape((3,) + (1,) * (position.ndim - 1))
        return position if rotation is None else np.tensordot(rotation.T, position, axes=1)

    def _given_point(self, position: Any) -> np.ndarray:
        """Three coordinates, numbers or expressions, or arrays of them, as an array."""
        if isinstance(position, np.ndarray) and position.dtype.kind in "iufO" and position.shape[:1] == (3,):
            return position
        if shape_of(position) is None or not shape_of(position):
            raise ModelError(f"a point of '{self.name}' is {shown(position)}; it has three coordinates")
        array = np.asarray(position)
        if array.dtype.kind not in "iuf":
            array = given_array(array, f"a point of '{self.name}'")
        if array.shape[:1] != (3,):
            raise ModelError(f"a point of '{self.name}' has three coordinates, not shape {array.shape}")
        return array

    def _given_symbols(self, position: Any) -> np.ndarray:
        """Three expressions, by which derivatives are taken."""
        return given_vector(self._given_point(position), f"a point of '{self.name}'")

    def __call__(self, position: Any) -> Any:
        """f at a point: zero on the surface; of expressions an expression, of numbers a number (at rest only)."""
        return self._shape(*self.local(position))

    def inside(self, position: Any) -> Any | None:
        """Distance, m, in its axes' X or Y, of a point from the border of `area`, negative beyond it; None without one."""
        if self.area is None:
            return None
        X, Y, _ = self.local(position)
        (x0, y0), (x1, y1) = self.area
        return np.minimum(np.minimum(X - x0, x1 - X), np.minimum(Y - y0, y1 - Y))

    def gradient(self, position: np.ndarray) -> np.ndarray:
        """k = ∇f at a point given by three coordinate symbols, pointing to the side of the bodies."""
        position = self._given_symbols(position)
        k = gradient(as_expression(self(position)), position)
        if all(component is ZERO for component in k):
            raise ModelError(f"the gradient of '{self.name}' vanishes identically: it is no surface")
        return self.side * k

    @property
    def upward(self) -> np.ndarray | None:
        """The third of its axes, towards the bodies, if it is a height over the other two; None of another surface."""
        if gradient(self.f, PLACE)[2] is not ONE:
            return None
        return self.side * (expressions([0.0, 0.0, 1.0]) if self.rotation is None else self.rotation[:, 2])

    def normal(self, position: np.ndarray) -> np.ndarray:
        """Unit normal n = k/|k|, pointing to the side of the bodies."""
        k = self.gradient(position)
        return k / np.sqrt(k @ k)

    def curvature(self, position: np.ndarray) -> np.ndarray:
        """∂n/∂x restricted to the surface, shape (3, 3), 1/m: its eigenvalues along the surface are −1/R in a hollow."""
        n = self.normal(position)
        tangential = expressions(np.eye(3)) - np.outer(n, n)
        return jacobian(n, position) @ tangential

    @property
    def moves(self) -> bool:
        """Whether the surface, its shape or its material moves."""
        carried = [self(PLACE), *self.shift]  # a plane shifted along itself has the same equation at all times
        return self._velocity is not None or any(s is time for s in symbols(carried)) or self._turns

    @property
    def _turns(self) -> bool:
        return self.rotation is not None and any(s is time for s in symbols(self.rotation))

    @property
    def angular_velocity(self) -> np.ndarray:
        """ω of the surface's axes, inertial components, rad/s: Ṙ Rᵀ as a vector."""
        if self.rotation is None or not self._turns:
            return expressions(np.zeros(3))
        W = rate(self.rotation) @ self.rotation.T
        return expressions([W[2, 1], W[0, 2], W[1, 0]])

    def velocity(self, position: np.ndarray) -> np.ndarray:
        """Velocity of the surface's material at a point on it, m/s."""
        position = self._given_symbols(position)
        own = rate(self.shift) + np.cross(self.angular_velocity, position - self.shift)
        if self._velocity is None and not self._deforms:
            return expressions(own)
        if self._velocity is not None:
            own = self._given_velocity(position)
        k = self.gradient(position)
        f_t = self.side * derivative_of(as_expression(self(position)), time)
        return own - k * (k @ own + f_t) / (k @ k)

    @property
    def _deforms(self) -> bool:
        return any(s is time for s in symbols(self.f))
