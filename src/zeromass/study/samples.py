# pyright: reportCallIssue=false
# the stubs of SciPy know another name of `seed`
"""Samples of parameters from distributions, for studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from zeromass.errors import quoted
from zeromass.model.given import given_choice, given_count, given_function, given_kind, given_mapping
from zeromass.study.members import Sampled


def samples(
    n: int,
    distributions: Mapping[Any, Any],
    *,
    method: Literal["sobol", "halton", "latin hypercube", "random"] = "sobol",
    seed: int = 0,
    dimension: str = "sample",
) -> dict[Any, Sampled]:
    """n samples of parameters for Monte Carlo studies, `zm.sweep(over=…)`: random, Sobol, Halton or Latin hypercube.

    distributions  {parameter: a distribution of scipy.stats}
    method         how they are spread: "sobol", "halton" and "latin hypercube" evenly, "random" at random

    The same seed gives the same samples.

    >>> from scipy.stats import norm, uniform
    >>> vx, vy = zm.parameter("vx", 1.0), zm.parameter("vy", 1.0)
    >>> over = zm.study.samples(8, {vx: norm(1.0, 0.1), vy: uniform(0.0, 2.0)})
    >>> over[vy].values.round(1).tolist() == sorted(over[vy].values.round(1).tolist()), len(over[vx].values)
    (False, 8)
    """
    from scipy.stats import qmc  # type: ignore[attr-defined]

    n, seed = given_count(n, "n of zm.study.samples", 1), given_count(seed, "seed of zm.study.samples")
    given_kind(dimension, str, "dimension of zm.study.samples", "a word")
    for key, chosen in given_mapping(
        distributions, "distributions", "{parameter: a distribution of scipy.stats}"
    ).items():
        given_function(getattr(chosen, "ppf", None), f"the distribution of {quoted(key)}", "of scipy.stats")
    d, rng = len(distributions), np.random.default_rng(seed)
    spreads: dict[str, Callable[[], np.ndarray]] = {
        "sobol": lambda: qmc.Sobol(d, seed=rng).random_base2((n - 1).bit_length())[:n],
        "halton": lambda: qmc.Halton(d, seed=rng).random(n),
        "latin hypercube": lambda: qmc.LatinHypercube(d, seed=rng).random(n),
        "random": lambda: rng.random((n, d)),
    }
    given_choice(method, "method of zm.study.samples", spreads)
    places = spreads[method]()
    columns = zip(distributions.items(), places.T, strict=True)
    return {p: Sampled(dimension, np.asarray(chosen.ppf(place), dtype=float)) for (p, chosen), place in columns}
