"""Tables of coefficients are rounded once, and are the same bits whatever processor NumPy's linear algebra is made for."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from zeromass.equation.arrays import single_thread
from zeromass.integrate.exact import inverse, product

TABLES = """
import hashlib
from zeromass.analysis import panels
from zeromass.integrate import search
from zeromass.integrate.methods.collocation import coefficients as collocation
from zeromass.integrate.methods.radau.coefficients import coefficients, table
from zeromass.integrate.stepping import dense
import numpy as np

tables = [table(coefficients(order)) for order in (5, 9, 13)]
tables += [dense.FIT, panels.COEFFICIENTS, search._SERIES, collocation._BETWEEN, collocation.VELOCITIES, collocation.PLACES]
print([hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest() for x in tables])
"""


@pytest.mark.skipif(single_thread._library is None, reason="NumPy has another library for its products")
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="OpenBLAS has these kernels for x86-64")
def test_tables_do_not_depend_on_the_processor():
    found = set()
    for kernels in ("Nehalem", "Haswell"):  # every x86-64 since 2013 runs both
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernels}
        command = [sys.executable, "-c", TABLES]
        found.add(subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout)
    assert len(found) == 1


def test_inverses_and_products_are_rounded_once():
    A = np.random.default_rng(0).integers(-9, 10, (6, 6)).astype(float)
    A[0, 0] = 0.0  # which is no pivot
    exact = [[Fraction(x) for x in row] for row in inverse(A).tolist()]
    left = product(exact, A) - np.eye(6)
    assert np.abs(left).max() <= 6 * 9 * 2.0**-53 * np.abs(inverse(A)).max()
    np.testing.assert_array_equal(product(A, A), A @ A)  # of whole numbers
    np.testing.assert_array_equal(product([[0.1, 1.0]], [[10.0], [-1.0]]), [[Fraction(0.1) * 10 - 1]])
