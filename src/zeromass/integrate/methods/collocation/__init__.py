"""Collocation of order 15 whose stages are evaluated side by side in SIMD lanes."""

from zeromass.integrate.methods.method import Method

METHOD = Method(
    "collocation",
    "order 15, its eight stages side by side in SIMD lanes",
    order=15,
    stepper="zeromass.integrate.methods.collocation.stepper:Collocation",
)
