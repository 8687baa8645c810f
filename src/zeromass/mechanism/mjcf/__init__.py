"""Robots that MuJoCo's format MJCF describes, as far as they are trees."""

from zeromass.mechanism.mjcf.reading import read_mjcf

__all__ = ["read_mjcf"]
