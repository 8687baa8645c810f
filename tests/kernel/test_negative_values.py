"""The first negative value inside steps: the same bits everywhere, and found where functions dip below zero unseen."""

from __future__ import annotations

import numpy as np
import pytest

from kernel.node import MISSING, in_node, node
from kernel.same_bits import bits
from zeromass.kernel.functions import exp, sin
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, compiled, kernel
from zeromass.kernel.negative_values import PARTS, PLACES, STACK, NegativeSearch, begin_search, first_negative

SWING, PARABOLA, DIP = range(3)


class Functions(Struct):
    """a + b sin(c t + d), a (t − b)² + c, or a − b exp(−((t − c)/d)²), and how often they were evaluated in each step."""

    kinds: Ints
    numbers: Reals2
    values: Reals
    step: int
    counts: Ints


@kernel
def functions(s: Functions, t: float) -> None:
    s.counts[s.step] += 1
    for j in range(len(s.kinds)):
        a, b, c, d = s.numbers[j, 0], s.numbers[j, 1], s.numbers[j, 2], s.numbers[j, 3]
        if s.kinds[j] == SWING:
            s.values[j] = a + b * sin(c * t + d)
        elif s.kinds[j] == PARABOLA:
            s.values[j] = a * (t - b) * (t - b) + c
        else:
            s.values[j] = a - b * exp(-((t - c) / d) * ((t - c) / d))


@kernel
def select(s: Functions, step: int) -> None:
    s.step = step


def search(t, *rows, rounding=1e-14, shortest=1e-6) -> NegativeSearch:
    """Of functions (kind, numbers) in steps with ends t."""
    k, n = len(rows), len(t) - 1
    numbers = np.array([[*numbers, 0.0][:4] for _, *numbers in rows])
    kinds, counts = np.array([kind for kind, *_ in rows]), np.zeros(n, dtype=np.int64)
    s = NegativeSearch(
        evaluate=functions,
        select=select,
        context=Functions(kinds=kinds, numbers=numbers, values=np.zeros(k), counts=counts),
        t=np.array(t, dtype=float),
        count=n,
        columns=np.arange(k),
        searched=k,
        rounding=rounding,
        shortest=shortest * abs(t[-1] - t[0]),
        last=n,
        sizes=np.zeros(k),
        seen=np.zeros((PARTS + 1, k)),
        stack=np.zeros((STACK, 3)),
    )
    s.values = s.context.values  # pyright: ignore[reportAttributeAccessIssue]
    return s


def found(s: NegativeSearch) -> float | None:
    s.evaluate, s.select = compiled(functions).address, compiled(select).address
    compiled(begin_search)(s)
    assert compiled(first_negative)(s)
    return None if s.place == s.t[-1] else s.place


@kernel
def searched(s: NegativeSearch) -> bool:
    begin_search(s)
    return first_negative(s)


def problems(count: int, seed: int) -> list[NegativeSearch]:
    """Swings, parabolas that touch zero and narrow dips, which just reach below it or do not."""
    rng, made = np.random.default_rng(seed), []
    for _ in range(count):
        t = rng.choice([-1, 1]) * np.cumsum(rng.uniform(0.1, 1.0, size=rng.integers(2, 6))) + rng.uniform(-3, 3)
        by = rng.choice([-1, 1], size=3) * 10 ** rng.uniform(-13, -2, size=3)
        places = t[0] + (t[-1] - t[0]) * rng.uniform(0, 1, size=2)
        rows = [
            (SWING, 1.0, 1.0 + by[0], 10 ** rng.uniform(0, 1.7), rng.uniform(0, 6)),
            (PARABOLA, 1.0, places[0], rng.choice([0.0, by[1]])),
            (DIP, 1.0, 1.0 + by[2], places[1], 10 ** rng.uniform(-1.5, 0)),
        ]
        made.append(search(t, *[rows[k] for k in rng.permutation(3)[: rng.integers(1, 4)]], shortest=1e-2))
    return made


def outcome(s: NegativeSearch, done: bool) -> list[int]:
    return bits([done, s.place, s.step, s.sizes, s.longest, s.context.counts])  # pyright: ignore[reportAttributeAccessIssue]


def test_bits_are_the_same_everywhere(tmp_path):
    """As Python, the oracle, in machine code, and in Node."""
    as_python, here, there = (problems(12, 3) for _ in range(3))
    wanted = [outcome(s, searched(s)) for s in as_python]
    assert 3 <= sum(s.place != s.t[-1] for s in as_python) <= 9
    for s in here:
        s.evaluate, s.select = compiled(functions).address, compiled(select).address
    assert [outcome(s, compiled(searched)(s)) for s in here] == wanted
    if node() is None:
        pytest.skip(MISSING)
    done = in_node([(searched, [s]) for s in there], tmp_path, [functions, select])
    assert [outcome(s, one) for s, one in zip(there, done, strict=True)] == wanted


@pytest.mark.parametrize("ahead", [1, -1])
@pytest.mark.parametrize("deep", [1e-2, 1e-5, 1e-8, 1e-11])
def test_a_parabola_is_negative_between_its_roots_alone(deep, ahead):
    """(t − a)² − d is so for |t − a| < √d; and (t − a)² + d and (t − a)² are not."""
    t, a = ahead * np.array([-0.4, 0.3, 1.1, 2.0]), ahead * 0.7318
    place = found(search(t, (PARABOLA, 1.0, a, -deep)))
    assert place is not None
    assert abs(place - a) < np.sqrt(deep)
    assert found(search(t, (PARABOLA, 1.0, a, deep))) is None
    assert found(search(t, (PARABOLA, 1.0, a, 0.0))) is None


@pytest.mark.parametrize("where", [0.0, 1.0])
def test_a_dip_beside_the_end_of_a_step_is_seen(where):
    """A parabola whose lowest place is nearer to the end of a step than any place inside."""
    a = abs(where - PLACES[1] / 3)
    place = found(search([0.0, 1.0], (PARABOLA, 1.0, a, -1e-8)))
    assert place is not None
    assert abs(place - a) < 1e-4


@pytest.mark.parametrize("swings", [0.3, 7.0, 16.0, 160.0, 1600.0, 6000.0])
@pytest.mark.parametrize("over", [1e-3, -1e-3])
def test_swings_are_seen_however_many_there_are_in_a_step(swings, over):
    """1 + (1 + ε) sin ωt is negative near ωt = 3π/2, the first time within √2ε of it; 1 + (1 − ε) sin ωt nowhere."""
    ω = 2 * np.pi * swings
    place = found(search([0.0, 0.7, 1.0, 4.0], (SWING, 1.0, 1.0 + over, ω, 0.0)))
    if over < 0:
        assert place is None
    else:
        assert place is not None
        assert abs(ω * place - 3 * np.pi / 2) < np.sqrt(2 * over) * (1 + over)


def test_all_steps_are_sampled_as_closely_as_where_values_do_not_resolve_a_function():
    """A dip that no place of its step sees is found because another one, in another step, is seen by one place alone."""
    gap = 1 + (PLACES[7] + PLACES[8]) / 2
    t, dip = [0.0, 1.0, 2.0, 3.0], (DIP, 1.0, 1.5, gap, 2e-3)
    other = (DIP, 1.0, 0.99, 2 + PLACES[8], 1e-2)  # one place sees it, and it does not reach zero
    assert found(search(t, dip)) is None
    assert found(search(t, other)) is None
    place = found(search(t, dip, other))
    assert place is not None
    assert abs(place - gap) < 2e-3 * np.sqrt(np.log(1.5))


def test_the_first_of_several_negative_values_is_found():
    t = np.linspace(0.0, 10.0, 21)
    place = found(search(t, (DIP, 1.0, 2.0, 8.1, 0.3), (PARABOLA, 1.0, 3.21, -1e-9), (DIP, 1.0, 3.0, 5.0, 0.5)))
    assert place == pytest.approx(3.21, abs=np.sqrt(1e-9))


def test_a_value_below_zero_by_rounding_is_none():
    """Rounding is a part of the largest value of a function, wherever that is."""
    t = np.linspace(0.0, 1.0, 5)
    assert found(search(t, (PARABOLA, 1.0, 0.4, -1e-12))) is not None
    assert found(search(t, (PARABOLA, 1.0, 0.4, -1e-12), rounding=1e-10)) is None


def test_steps_that_can_be_selected_a_few_at_a_time_give_the_same():
    for whole, apart in zip(problems(30, 7), problems(30, 7), strict=True):
        found(whole)
        apart.evaluate, apart.select = compiled(functions).address, compiled(select).address
        apart.last = 0
        compiled(begin_search)(apart)
        while not compiled(first_negative)(apart):
            apart.first, apart.last = apart.step, apart.step + 1
        assert (apart.place, apart.sizes.tolist()) == (whole.place, whole.sizes.tolist())


def test_a_function_that_is_no_number_hides_no_other():
    place = found(search([0.0, 1.0, 2.0], (SWING, np.nan, 1.0, 1.0, 0.0), (PARABOLA, 1.0, 1.7, -1e-6)))
    assert place == pytest.approx(1.7, abs=1e-3)
    assert found(search([0.0, 1.0, 2.0], (SWING, np.nan, 1.0, 1.0, 0.0))) is None
    assert found(search([0.0, 1.0, 2.0], (PARABOLA, np.inf, 0.5, 0.0))) is None
