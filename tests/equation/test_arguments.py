"""Every kind of bad argument gives one clear error that names it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zeromass.equation import acceleration, kkt, solve, udwadia_kalaba
from zeromass.errors import EquationError

M, Q, A, b = np.eye(2), np.zeros(2), np.ones((1, 2)), np.zeros(1)
NAN, INF = float("nan"), float("inf")

BAD: list[tuple[dict[str, Any], str]] = [
    ({"M": np.zeros((2, 3))}, r"M has shape \(2, 3\).*equal"),
    ({"M": np.zeros((0, 0))}, r"M has shape \(0, 0\).*not empty"),
    ({"M": np.ones(2)}, r"M has shape \(2,\).*at least 2 axes"),
    ({"M": [[1, 2], [0, 1]]}, r"M is not symmetric: M\[0, 1\] = 2.0 but M\[1, 0\] = 0.0"),
    ({"M": [[1, 0], [0, -1]]}, r"M has a negative eigenvalue: wᵀMw = -1"),
    ({"M": [[1, 2], [2, 1]]}, "M has a negative eigenvalue"),
    ({"M": [[0, 1], [1, 0]]}, "M has a negative eigenvalue"),
    ({"M": np.diag([1e9, -1e-9])}, "M has a negative eigenvalue"),
    ({"M": np.stack([np.eye(2), -np.eye(2)])}, r"M\[1\] has a negative eigenvalue"),
    ({"M": [[1, NAN], [NAN, 1]]}, r"M\[0, 1\] is nan"),
    ({"M": "mass"}, "M is not an array of real numbers"),
    ({"M": [[1j, 0], [0, 1]]}, "M is not an array of real numbers"),
    ({"M": [[1, 0], [0]]}, "M is not an array of real numbers"),
    ({"Q": np.zeros(3)}, r"Q has shape \(3,\); give 2 entries"),
    ({"Q": 1.0}, r"Q has shape \(\).*at least 1 axes"),
    ({"Q": [0, INF]}, r"Q\[1\] is inf"),
    ({"A": np.ones((1, 3))}, r"A has shape \(1, 3\) but M has shape \(2, 2\): give A 2 columns"),
    ({"A": np.ones(2)}, r"A has shape \(2,\).*a row for each constraint"),
    ({"A": [[1, NAN]]}, r"A\[0, 1\] is nan"),
    ({"A": None}, "b is given without A"),
    ({"b": None}, "A is given without b"),
    ({"b": np.zeros(2)}, r"b has shape \(2,\); give 1 entries, the number of rows that A"),
    ({"b": [NAN]}, r"b\[0\] is nan"),
    ({"C": np.zeros(3)}, r"C has shape \(3,\)"),
    ({"C": [0, NAN]}, r"C\[1\] is nan"),
    ({"Q": np.zeros((3, 2)), "b": np.zeros((4, 1))}, r"leading axes do not match.*Q \(3,\).*b \(4,\)"),
]
ONLY_SOLVE: list[tuple[dict[str, Any], str]] = [
    ({"eta": np.zeros(3)}, r"eta has shape \(3,\)"),
    ({"eta": [0, NAN]}, r"eta\[1\] is nan"),
    ({"b_error": [1, 2]}, r"b_error has shape \(2,\); give one number, or an array of shape \(1,\)"),
    ({"b_error": -1}, "b_error has a negative entry"),
    ({"Q_error": NAN}, r"Q_error\S* is nan"),
    ({"rank": 3}, "rank=3"),
    ({"constraint_rank": 2}, "rank=2"),
]


@pytest.mark.parametrize("route", [solve, acceleration, kkt, udwadia_kalaba])
@pytest.mark.parametrize(("bad", "message"), BAD)
def test_bad_arguments_are_named(route: Any, bad: dict[str, Any], message: str) -> None:
    with pytest.raises(EquationError, match=message):
        route(**{"M": M, "Q": Q, "A": A, "b": b, **bad})


@pytest.mark.parametrize(("bad", "message"), ONLY_SOLVE)
def test_bad_options_are_named(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(EquationError, match=message):
        solve(M, Q, A, b, **bad)


def test_an_equation_error_is_a_value_error() -> None:
    assert issubclass(EquationError, ValueError)


def test_round_off_in_the_mass_matrix_is_forgiven_and_its_tolerance_can_be_seen() -> None:
    rng = np.random.default_rng(0)
    B = rng.normal(size=(3, 5)) * 10.0 ** rng.uniform(-4, 4, 5)
    singular = B.T @ B  # two eigenvalues are round-off, of either sign
    solve(singular, singular @ np.ones(5))
    skew = np.array([[1.0, 1e-6], [0.0, 1.0]])
    with pytest.raises(EquationError, match="not symmetric"):
        solve(skew, [0, 0])
    solve(skew, [0, 0], mass_tolerance=1e-5)


def test_arguments_are_not_changed() -> None:
    arrays = np.diag([1e-9, 1e9]), np.ones(2), np.array([[1e6, 1.0], [2e6, 2.0]]), np.array([1.0, 2.0])
    before = [x.copy() for x in arrays]
    solve(*arrays)
    for x, y in zip(arrays, before, strict=True):
        assert np.array_equal(x, y)
        assert x.flags.writeable
