"""The errors of all packages have one base."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Iterator

import pytest

import zeromass as zm
from zeromass.scenario import formula, parse_scenario


def exceptions() -> Iterator[type[BaseException]]:
    """The exceptions that the modules of zeromass define, private ones too; warnings are none."""
    names = [found.name for found in pkgutil.walk_packages(zm.__path__, "zeromass.") if "__main__" not in found.name]
    for module in map(importlib.import_module, names):
        own = [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__]
        yield from (x for x in own if issubclass(x, BaseException) and not issubclass(x, Warning))


EXCEPTIONS = list(dict.fromkeys(exceptions()))


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda error: error.__name__)
def test_one_base(error):
    assert issubclass(error, zm.errors.ZeromassError)


@pytest.mark.parametrize(
    "error", [e for e in EXCEPTIONS if e is not zm.errors.ZeromassError], ids=lambda error: error.__name__
)
def test_the_kind_of_an_error_is_told_by_a_built_in_one(error):
    assert issubclass(error, TypeError | ValueError | OSError)


def test_the_walk_finds_them():
    names = {error.__name__ for error in EXCEPTIONS}
    assert {"EquationError", "ExpressionError", "FileError", "FormulaError", "ModelError", "ScenarioError"} <= names


def test_errors_of_files_say_their_words():
    """As OSError does, from which other programs know them."""
    with pytest.raises(zm.errors.FileError, match="could not be read as a run") as caught:
        zm.load("there is no such file.nc")
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, zm.errors.ZeromassError)


def raised(what) -> zm.errors.ZeromassError:
    with pytest.raises(zm.errors.ZeromassError) as caught:
        what()
    return caught.value


@pytest.mark.parametrize(
    "error",
    [
        raised(lambda: formula("1 + 2*sn(1)", {})),
        raised(lambda: parse_scenario("run.untl = 3\nrun.rtol = true", name="x.toml")),
        raised(lambda: zm.load("there is no such file.nc")),
        raised(lambda: zm.Particle("bob", mass=-1.0)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_are_told_the_same_in_another_process(error):
    """A pool of processes breaks of an error that can not be sent back."""
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error), copy.copy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        known = {key: value for key, value in vars(error).items() if key != "others"}
        assert {key: value for key, value in vars(other).items() if key != "others"} == known


@pytest.mark.parametrize("kind", EXCEPTIONS, ids=lambda error: error.__name__)
def test_any_error_can_be_sent(kind):
    error = kind.__new__(kind, "words")
    error.args, error.more = ("words",), 3
    other = pickle.loads(pickle.dumps(error))
    assert (type(other), other.args, other.more) == (kind, ("words",), 3)
