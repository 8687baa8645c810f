"""Control: forces that make expressions vanish, and what of it a system keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from zeromass.errors import ModelError, quoted
from zeromass.expression import Expression, rate
from zeromass.frozen import frozen
from zeromass.model.constraint import Row, rows_of
from zeromass.model.given import given_choice

SETTLING = 10.0
"""Rate, 1/s, at which errors of control die out, where none is given."""


@frozen()
class Control(Mapping[Any, Any]):
    """The forces of control, by their parameters or names, as expressions of state and time.

    forces    {parameter or name: expression}; without `by`, the force on each coordinate by the name of what it makes so
    orders    {name: how often it was differentiated until a force appeared}
    zeros     what vanishes where the path is followed exactly: what was asked for, and what follows from it
    settling  rate at which errors die out, 1/s

    >>> x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    >>> cart = zm.System(kinetic=zm.rate(x) ** 2, forces={x: F}, control={"follow": x - np.sin(zm.t)}, by=[F])
    >>> print(cart.control)
    'follow' is realised directly: forces appear in its derivative of order 2
    >>> round(cart.control.start()[cart.control[F]], 9) + 0.0
    0.0
    """

    forces: dict[Any, Any]
    orders: dict[str, int]
    zeros: tuple[Expression, ...]
    settling: float
    levels: dict[str, int]
    system: Any

    def __getitem__(self, of: Any) -> Any:
        named = of if isinstance(of, str) else None
        found = [e for key, e in self.forces.items() if key is of or getattr(key, "name", key) == named]
        if not found:
            names = ", ".join(str(getattr(key, "name", key)) for key in self.forces)
            raise ModelError(f"no force of control is {quoted(of)}; there are: {names}")
        return found[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.forces)

    def __len__(self) -> int:
        return len(self.forces)

    def __str__(self) -> str:
        return "\n".join(self.told(name) for name in self.orders)

    def told(self, name: str) -> str:
        """How one of the requirements is realised, in words."""
        given_choice(name, "the name of a requirement", self.orders)
        order, direct = self.orders[name], 2 - self.levels[name]
        if order <= direct:
            return f"'{name}' is realised directly: forces appear in its derivative of order {order}"
        return (
            f"'{name}' is realised by tangent: forces appear in its derivative of order {order}, "
            f"a servo-constraint of index {order + 1}"
        )

    def start(self, prescribed: Any = (), *, t: float = 0.0, parameters: Any = None, guess: Any = ()) -> Any:
        """A state from which the path is followed exactly; arguments as of `System.start`."""
        from zeromass.lazy import later

        found = later("zeromass.analysis.servo", "start_on_path")
        return found(self.system, prescribed, t=t, parameters=parameters, guess=guess)


NO_CONTROL = Control({}, {}, (), SETTLING, {}, None)


def tracking(control: Mapping[str, Any], settling: float) -> tuple[dict[str, Any], list[Row]]:
    """Requirements as constraints on accelerations whose errors die out, e = 0 not being asked of the start [U2008].

    ë + 2ω ė + ω² e = 0 of positions, ė + ω e = 0 of rates
    """
    rows = rows_of(control)
    found: dict[str, Any] = {}
    for row in rows:
        e, ė = row.zero, rate(row.zero)
        if row.level > 1:
            found[row.name] = e
        else:
            found[row.name] = rate(ė) + 2 * settling * ė + settling**2 * e if row.level == 0 else ė + settling * e
    return found, rows


def tracked(system: Any, control: Mapping[str, Any], settling: float) -> Control:
    """What a system under `tracking` keeps: the force on the coordinates by the name of each requirement."""
    _, rows = tracking(control, settling)
    zeros = [zero for row in rows for zero in ((row.zero, rate(row.zero)) if row.level == 0 else (row.zero,))]
    orders, levels = {row.name: 2 - row.level for row in rows}, {row.name: row.level for row in rows}
    return Control(
        {row.name: system.reaction[row.name] for row in rows}, orders, tuple(zeros), settling, levels, system
    )
