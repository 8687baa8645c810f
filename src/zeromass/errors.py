"""The errors of the package have one base; and what no name may have."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

__all__ = [
    "AngleInDegrees",
    "EquationError",
    "ExpressionError",
    "FewDigits",
    "FileError",
    "ModelError",
    "NoGravity",
    "PageLimited",
    "RedundantContacts",
    "RunDoubtful",
    "RunStopped",
    "SequenceError",
    "SharedForce",
    "StartError",
    "TargetError",
    "ZeromassError",
]


def __dir__() -> list[str]:
    return [*__all__]


LONGEST = 1800
"""Letters of a message."""

SHOWN = 80
"""Letters of what was given that a message repeats."""


class ZeromassError(Exception):
    """Something that zeromass can not do, in the user's names, and what to do about it.

    The errors of all packages derive from it, beside the built-in error that tells their kind:

    >>> try:
    ...     bool(zm.coordinate("x") > 0)
    ... except zm.errors.ZeromassError as error:
    ...     isinstance(error, TypeError)
    True
    """

    def __str__(self) -> str:
        """Its words, up to `LONGEST` letters: names and formulas in them may have any length."""
        words = super().__str__()
        return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"

    def __reduce__(self) -> tuple[Any, ...]:
        """Its words and all that it knows: it is told the same in another process, whatever it is made from."""
        return _made, (type(self), self.args), self.__dict__


class ModelError(ZeromassError, ValueError):
    """The parts, forces or constraints of a system are not a mechanical model.

    >>> zm.Particle("bob", mass=-1.0)
    Traceback (most recent call last):
    zeromass.errors.ModelError: the mass of 'bob' is -1; a mass is finite and zero or positive
    """


class StartError(ZeromassError, ValueError):
    """The prescribed values can not be completed to a state that satisfies the constraints.

    >>> x = zm.coordinate("x")
    >>> zm.System(kinetic=zm.rate(x)**2 / 2).start({x: np.inf})
    Traceback (most recent call last):
    zeromass.errors.StartError: prescribed: 'x' is inf
    """


class EquationError(ZeromassError, ValueError):
    """An argument that cannot be used; the message names it and says what to do.

    >>> zm.solve([[1.0]], [0.0], A=[[1.0]])
    Traceback (most recent call last):
    zeromass.errors.EquationError: A is given without b; the constraints A q̈ = b need both, or neither
    """


class ExpressionError(ZeromassError, TypeError):
    """An expression was used where only a number can stand, or was built from something that is no formula.

    >>> float(zm.coordinate("x") + 1)
    Traceback (most recent call last):
    ...
    zeromass.errors.ExpressionError: 'x + 1' is a formula, not a number. Evaluate it with ...
    """


class SequenceError(ZeromassError, TypeError):
    """An object whose values are had by formulas or names was taken for a sequence or an array.

    >>> x = zm.coordinate("x")
    >>> list(zm.System(kinetic=zm.rate(x) ** 2 / 2).start({x: 1.0}))
    Traceback (most recent call last):
    zeromass.errors.SequenceError: a State is no sequence and no array: state[x] is the value of an expression x
    """


class FileError(ZeromassError, OSError):
    """A file could not be written or read; the message says which and why.

    >>> zm.load("nothing.nc")
    Traceback (most recent call last):
    zeromass.errors.FileError: 'nothing.nc' could not be read as a run: there is no such file
    """


class TargetError(ZeromassError, ValueError):
    """Code was asked for that this machine can not run."""


class RunStopped(UserWarning):
    """A run ended before it was asked to; the part that is good is kept.

    >>> import warnings
    >>> x = zm.coordinate("x")
    >>> falling = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.sqrt(x))
    >>> with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
    ...     run = zm.simulate(falling, falling.start({x: 1.0}), until=10.0)
    >>> run.outcome.ending.value, round(float(run.t[-1]), 6)
    ('not a number', 1.885618)
    """


class RunDoubtful(UserWarning):
    """A run came to its end, but is no motion of what was modelled: `run.remarks` says what was found.

    A ball on the floor Z = 0 goes 0.9 m, and the wall X = 1 is of the same surface:

    >>> import warnings
    >>> corner = zm.Surface(lambda X, Y, Z: Z * (1.0 - X), name="corner")
    >>> ball = zm.Rolling(zm.bodies.ball(0.4, 1.0), on=corner)
    >>> with warnings.catch_warnings(record=True) as said:
    ...     run = zm.simulate(ball, ball.start(contact=(0.0, 0.0, 0.0), velocity=(0.9, 0.0)), until=1.0)
    >>> said[0].category.__name__, len(run.remarks)
    ('RunDoubtful', 1)
    """


class FewDigits(UserWarning):
    """A run can hardly be trusted: fewer than two digits, or an energy that the tolerance does not explain.

    A spring whose length passes through zero pulls the other way all at once, which a step may not see:

    >>> import warnings
    >>> x = zm.coordinate("x")
    >>> system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=10 * (np.sqrt(x**2) - 1.0) ** 2)
    >>> run = zm.simulate(system, system.start({x: 2.0}), until=5.0, method="fixed", step=0.1)
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     trust = run.certificate()
    >>> told[0].category.__name__, trust.digits < 2
    ('FewDigits', True)
    """


class SharedForce(UserWarning):
    """A force that the model does not determine was asked for: redundant constraints share it in any way.

    >>> import warnings
    >>> beam = zm.RigidBody("beam", mass=3.0, inertia=(1, 1, 1))
    >>> PointOnPlane, places = zm.joints.PointOnPlane, {f"pin {x}": (x, 0, 0) for x in (-1, 0, 1)}
    >>> pins = [PointOnPlane(zm.Ground(), beam, at=at, normal=(0, 0, 1), name=name) for name, at in places.items()]
    >>> system = zm.System([beam], gravity=9.81, joints=pins)
    >>> run = zm.simulate(system, system.start(), until=0.1)
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     run[pins[0].force[2]][0].round(6)
    np.float64(9.81)
    >>> print(told[0].message)
    the motion does not determine this force: 'pin -1', 'pin 0', 'pin 1' share it in any way that gives the same motion,
    and the one of smallest multipliers, Σλ², is shown; system.check(start) says which joint to relax
    """


class RedundantContacts(UserWarning):
    """Normal forces of some contacts are not determined by the motion; those of the least sum of squares, Σ N², are shown.

    A ball in a trough of three planes, all of which touch it:

    >>> import warnings
    >>> c = 0.1 * (1 - np.sqrt(2))
    >>> trough = {"floor": zm.surfaces.plane(), "left": zm.Surface(lambda X, Y, Z: Z + Y - c),
    ...           "right": zm.Surface(lambda X, Y, Z: Z - Y - c)}
    >>> ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=trough, gravity=10.0, friction=0.0)
    >>> start = ball.start(center=(0.0, 0.0, 0.1))
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     run = zm.simulate(ball, start, until=0.1)
    >>> said[0].category.__name__
    'RedundantContacts'
    >>> [round(float(run[pair.normal_force][-1]), 6) for pair in ball.pairs]  # 5 N in all, upwards
    [2.5, 1.767767, 1.767767]
    """


class NoGravity(UserWarning):
    """A system of bodies on joints or contacts was given no gravity: nothing falls. gravity=0 says that this is meant.

    >>> import warnings
    >>> arm = zm.RigidBody("arm", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    >>> pin = zm.joints.Revolute(zm.Ground(), arm, at=(0, 0, 0), axis=(0, 1, 0))
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     floating = zm.System([arm], joints=[pin])
    >>> print(told[0].message)
    the system has no gravity, so that nothing falls: give gravity=9.81 (m/s², along −z), or gravity=0 if none is meant
    """


class AngleInDegrees(UserWarning):
    """The angle of a joint at a start is a whole number of radians beyond a turn: it was probably meant in degrees.

    >>> import warnings
    >>> arm = zm.RigidBody("arm", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    >>> pin = zm.joints.Revolute(zm.Ground(), arm, at=(0, 0, 0), axis=(0, 1, 0), name="pin")
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     start = zm.System([arm], joints=[pin], gravity=9.81).start({pin.angle: 90})
    >>> print(told[0].message)
    'pin.angle' is 90 rad, 14.3 turns; for degrees give np.radians(90)
    """


class PageLimited(UserWarning):
    """A page can not do all that Python does with this run; it says so itself, in the same words.

    >>> issubclass(zm.errors.PageLimited, UserWarning)
    True
    """


def _made(kind: type[ZeromassError], words: tuple[Any, ...]) -> ZeromassError:
    error = kind.__new__(kind, *words)
    error.args = words
    return error


def user_stack_level() -> int:
    """`stacklevel` of a warning that shall point to the code outside this package that led to it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "zeromass", "functools", "dataclasses", "contextlib",
    ):  # fmt: skip
        level, frame = level + 1, frame.f_back
    return level


def shown(value: Any) -> str:
    """What was given, in one short line of a message, whatever it is; one that can not say what it is, by its type.

    >>> from zeromass.errors import shown
    >>> shown([1.0, "a"])
    "[1.0, 'a']"
    """
    try:
        words = repr(value)
    except Exception:
        words = f"<{type(value).__name__}>"
    words = " ".join(words[: 4 * SHOWN].split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"


def listed(names: Iterable[str], most: int = 24) -> str:
    """Names as a message shows them: the first ones, none of them endless, and how many more there are.

    >>> from zeromass.errors import listed
    >>> listed("abc"), listed("abc", most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    names = [name if len(name) <= SHOWN else f"{name[:SHOWN]}…" for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def quoted(value: Any) -> str:
    """The same between quotes, where a name or a formula is expected.

    >>> from zeromass.errors import quoted
    >>> quoted("roof"), quoted(3)
    ("'roof'", "'3'")
    """
    words = shown(value)
    return words if isinstance(value, str) else f"'{words}'"


def unwritable(text: str) -> bool:
    """Whether no file can have a text: it has a character NUL, or half of a character (a lone surrogate).

    >>> from zeromass.errors import unwritable
    >>> unwritable("bob"), unwritable("b" + chr(0)), unwritable("b" + chr(0xD800))
    (False, True, True)
    """
    return "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)


def nearest(word: str, known: Iterable[str]) -> str:
    """'; did you mean …?' where a known word is close, otherwise nothing."""
    import difflib  # few programs are wrong

    word, words = word[:60], list(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if not close:
        close = [other for other in words if other.lower() == word.lower()][:1]
    return f"; did you mean '{close[0]}'?" if close else ""
