"""Hostile scenarios: each is a scenario or a ScenarioError with its place, soon, and nothing is run, opened or fetched."""

from __future__ import annotations

import random
import re
import sys
import time
import warnings

import pytest

from faults.campaign import SLICE, Tally, campaign
from zeromass.scenario import Scenario, ScenarioError, parse_scenario, signatures
from zeromass.scenario.scenario import SHIPPED, starter

GROUND = [path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("up2006-*.toml"))] + [starter()]

VALUES = [
    "0", "-1", "1e-308", "1e308", "-1e308", "5e-324", "inf", "-inf", "nan", "9" * 400, "true", "1979-05-27", "''", '"x"',
    "[]", "{}", "[[]]", "[1, [2, [3]]]", "[1, 2]", '["x", "y"]', '"__import__(\\"os\\")"', '"x**1e9"', '"1/0"', '"t"',
    '"rate(rate(rate(x)))"', '"' + "(" * 200 + '"', '"' + "x" * 300 + '"', '"a\\u0000b"', '"\\u001b[31m"', '"../../x"',
    '"/etc/passwd"', '{ a = 1 }', "0x7fffffffffffffff", '"sqrt(-1)"', '"log(0)"', '"x\'"', '"𝒙"', '"exp(1000)"', "1e400",
]  # fmt: skip
LINES = [
    "[system]", "[[system]]", "[rolling]", "[run]", "[output]", 'folder = "../x"', "[parameters]", "m1 = -1", "x = 1",
    "[cases.a.run]", "until = 1e308", "[[events]]", 'name = "x"', "a.b.c.d = 1", "[" * 40, "= 3", "\x00",
    "[rolling.surface]",
    'kind = "terrain"', 'file = "../../../etc/passwd"', 'file = "x.npz"', 'kind = "sphere"', 'implicit = "X*Y*Z"',
    'height = "1/(X-X)"', "radius = 0", "shapes = [{}]", "charts = { a = 1 }", "method = 'magic'", "memory = -1",
    "rtol = inf",
]  # fmt: skip


def hostile(random_: random.Random) -> str:
    """A scenario that comes along, changed in some places: values, lines, characters."""
    lines = random_.choice(GROUND).split("\n")
    for _ in range(random_.choice((1, 1, 2, 4))):
        i, kind = random_.randrange(len(lines)), random_.randrange(7)
        if kind < 3:
            keys = [k for k, line in enumerate(lines) if re.match(r"\s*[\w\"']+\s*=", line)]
            k = random_.choice(keys) if keys else i
            lines[k] = lines[k].split("=")[0] + "= " + random_.choice(VALUES)
        elif kind == 3:
            lines.insert(i, random_.choice(LINES))
        elif kind == 4:
            del lines[i : i + random_.choice((1, 3))]
            lines = lines or [""]
        elif kind == 5:
            j = random_.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        else:
            words = lines[i]
            k = random_.randrange(len(words) + 1)
            lines[i] = (
                words[:k] + random_.choice(["'", '"', "*", ")", "\t", "é", "[", "9", "#", "", "\r"]) + words[k + 1 :]
            )
    return "\n".join(lines)


_seen: list[str] = []
_watching = False


def _hook(event: str, arguments: tuple) -> None:
    if not _watching:
        return
    watched = {"pickle", "subprocess", "socket", "os", "shutil", "urllib"}
    if event.split(".")[0] in watched and event not in ("os.listdir", "os.scandir"):
        _seen.append(event)
    if event == "open" and "zeromass" not in str(arguments[0]) and ".venv" not in str(arguments[0]):
        _seen.append(f"open {arguments[0]}")
    if event in ("exec", "compile") and not _trusted():
        _seen.append(f"{event} {arguments[0]!r}")


def _trusted() -> bool:
    """Whether Python imports a module, or an annotation of a function of zeromass is read: neither is of the scenario."""
    frame = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib") or code is signatures._type.__wrapped__.__code__:
            return True
        frame = frame.f_back
    return False


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("count", "seed"), [(150, SLICE), pytest.param(6000, None, marks=pytest.mark.slow)])
def test_hostile_scenarios_do_nothing(count, seed):
    global _watching
    for text in GROUND:
        parse_scenario(text).check()  # what is imported and compiled for scenarios is there now
    sys.addaudithook(_hook)
    _seen.clear()
    valid, longest, wrong = 0, (0.0, ""), []
    with campaign("hostile scenarios", count, 60 + 0.2 * count, seed=seed) as random_, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            text = hostile(random_)
            _watching, begin = True, time.process_time()
            try:
                found = parse_scenario(text, name="h.toml")
                valid += isinstance(found, Scenario)
                found.check()
            except ScenarioError as error:
                placed = error.line is None or 1 <= error.line <= text.count("\n") + 1
                if not placed or not str(error).startswith("h.toml"):
                    wrong.append((str(error), text))
            except Exception as error:
                wrong.append((f"{type(error).__name__}: {error}", text))
            finally:
                _watching = False
            longest = max(longest, (time.process_time() - begin, text))
    print(f"{valid} of {count} are scenarios; the longest took {longest[0]:.1f} s")
    assert not wrong, f"{len(wrong)}, the first: {wrong[0][0]}\n{wrong[0][1]}"
    assert _seen == [], _seen
    assert valid > count / 20
    assert longest[0] < 20.0, longest[1]


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGALRM"), reason="there are no alarms")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("count", "seed"), [(12, SLICE), pytest.param(3000, None, marks=pytest.mark.slow)])
def test_hostile_scenarios_that_are_run(count, seed):
    """Each motion has its outcome, in words, or is refused; Ctrl-C ends those that are too long."""
    tally, outcomes = Tally(bound=2.0), set()

    def moved(text: str) -> None:
        run = parse_scenario(text, name="h.toml").simulate()
        outcomes.add(run.outcome.ending.value)
        assert run.t.shape == (len(run.y),)

    with campaign("hostile scenarios that are run", count, 120 + 3.0 * count, seed=seed) as random_:
        ran = 0
        while ran < count:
            text = hostile(random_)
            try:
                parse_scenario(text, name="h.toml")
            except ScenarioError:
                continue  # these are for the test above
            ran += 1
            tally.attempt(lambda text=text: moved(text), text)
    print(sorted(outcomes))
    tally.verdict()
    assert tally.counts["done"] > count / 4
