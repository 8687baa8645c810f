"""The one base of all errors that zeromass raises."""


class ZeromassError(Exception):
    """Anything that zeromass raises; its message says what happened, why, and what to do."""
