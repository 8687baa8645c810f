"""Collocation of order 15 whose stages are evaluated side by side in SIMD lanes."""

from typing import TYPE_CHECKING

from zeromass.integrate.methods.method import Method

if TYPE_CHECKING:
    from zeromass.integrate.stepping.stepper import Stepper


def _load() -> "type[Stepper]":
    from zeromass.integrate.methods.collocation.stepper import Collocation

    return Collocation


METHOD = Method("collocation", "order 15, its eight stages side by side in SIMD lanes", order=15, load=_load)
