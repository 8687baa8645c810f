"""The errors of model building; each message names the culprit in the user's own names and the remedy."""


class ModelError(ValueError):
    """The parts, forces or constraints of a system are not a mechanical model."""


class StartError(ValueError):
    """The prescribed values can not be completed to a state that satisfies the constraints."""
