"""The errors of model building; each message names the culprit in the user's own names and the remedy."""

from zeromass.errors import ZeromassError


class ModelError(ZeromassError, ValueError):
    """The parts, forces or constraints of a system are not a mechanical model.

    >>> zm.Particle("bob", mass=-1.0)
    Traceback (most recent call last):
    zeromass.model.errors.ModelError: the mass of 'bob' is -1; a mass is finite and zero or positive
    """


class StartError(ZeromassError, ValueError):
    """The prescribed values can not be completed to a state that satisfies the constraints.

    >>> x = zm.coordinate("x")
    >>> zm.System(kinetic=zm.rate(x)**2 / 2).start({x: np.inf})
    Traceback (most recent call last):
    zeromass.model.errors.StartError: prescribed: 'x' is inf
    """
